"""A bus for whoever wants to know without being known: values are published under a topic, listeners come and go.

The publisher never waits for a listener and never learns of one that failed: a listener that raises is logged once and
taken off the bus. Publishing and subscribing may happen on any thread; a listener runs on the publisher's.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

logger = logging.getLogger("lango_nb")

Subscriber = Callable[[str, object], None]
"""Gets the topic and the value."""


class Bus:
    """Topics, and who listens to them.

    Examples
    --------
    >>> bus = Bus()
    >>> heard = []
    >>> stop = bus.subscribe(lambda topic, value: heard.append((topic, value)), "tool.executed")
    >>> bus.publish("tool.executed", "fs_read")
    >>> bus.publish("something.else", 1)
    >>> stop()
    >>> bus.publish("tool.executed", "fs_write")
    >>> heard
    [('tool.executed', 'fs_read')]
    """

    def __init__(self) -> None:
        self._subscribers: tuple[tuple[str, Subscriber], ...] = ()
        self._lock = threading.Lock()

    @property
    def has_subscribers(self) -> bool:
        """Whether anybody listens: what nobody hears need not be made."""
        return bool(self._subscribers)

    def subscribe(self, subscriber: Subscriber, topic: str = "") -> Callable[[], None]:
        """Let somebody listen.

        Parameters
        ----------
        subscriber : callable
            Takes the topic and the value; must not block.
        topic : str
            Only values of this topic; all when empty.

        Returns
        -------
        callable
            Ends the subscription; calling it again does nothing.
        """
        entry = (topic, subscriber)
        with self._lock:
            self._subscribers = (*self._subscribers, entry)
        return lambda: self._remove(entry)

    def publish(self, topic: str, value: object) -> None:
        """Tell everybody who listens to a topic; those who fail hear nothing more."""
        for entry in self._subscribers:
            wanted, subscriber = entry
            if wanted and wanted != topic:
                continue
            try:
                subscriber(topic, value)
            except Exception:
                logger.exception("a subscriber failed on %s and was taken off the bus", topic)
                self._remove(entry)

    def _remove(self, entry: tuple[str, Subscriber]) -> None:
        with self._lock:
            self._subscribers = tuple(one for one in self._subscribers if one is not entry)
