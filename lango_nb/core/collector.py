"""Python's garbage collector, out of the way while many values are made that all stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

MANY = 10_000
"""So many new objects are worth keeping the collector from; of fewer it makes short work."""


@contextmanager
def paused_collector() -> Iterator[None]:
    """Keep the collector from looking through values that all stay, again and again: a third of the time.

    Afterwards they count as old at once, when they are many. Who has frozen objects of his own keeps them frozen; as
    counting those takes time that grows with their number, it is not done for a few new objects.

    Examples
    --------
    >>> with paused_collector():
    ...     gc.isenabled()
    False
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if gc.get_count()[0] > MANY and not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()
