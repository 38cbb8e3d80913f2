"""An event loop on which waiting takes no time: where nothing is left to do, its clock jumps to the next timer.

Only for what runs on one thread: a loop that waits for another thread does not know that it does.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Skipping(selectors.DefaultSelector):
    """Looks whether anything has happened, and moves the clock on instead of waiting for it."""

    skipped_s = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            return super().select(None)
        ready = super().select(0)
        if not ready:
            self.skipped_s += max(timeout, 0.0)
        return ready


class SkippingLoop(asyncio.SelectorEventLoop):
    """An event loop whose timers are due as soon as nothing else is left to do."""

    def __init__(self) -> None:
        self._skipping = _Skipping()
        super().__init__(self._skipping)

    def time(self) -> float:
        """Return the seconds that were skipped; working takes none."""
        return self._skipping.skipped_s


def run_skipping(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on a loop on which waiting takes no time."""
    with asyncio.Runner(loop_factory=SkippingLoop) as runner:
        return runner.run(main)
