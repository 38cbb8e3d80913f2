"""Who is next: turns of one session wait for each other, whatever loop or thread they come from."""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import Future
from threading import Lock
from types import TracebackType


class SessionQueue:
    """Lets one turn of a session run at a time, first come first served.

    An :class:`asyncio.Lock` belongs to one loop; a notebook has at least two, the cell's and the one behind ``ask``.

    Examples
    --------
    >>> async def two() -> list[str]:
    ...     queue, order = SessionQueue(), []
    ...     async def turn(name: str) -> None:
    ...         async with queue:
    ...             order.append(name + " begins")
    ...             await asyncio.sleep(0)
    ...             order.append(name + " ends")
    ...     await asyncio.gather(turn("a"), turn("b"))
    ...     return order
    >>> asyncio.run(two())
    ['a begins', 'a ends', 'b begins', 'b ends']
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_busy = False
        self._waiting: deque[Future[None]] = deque()

    async def __aenter__(self) -> None:
        """Wait for one's turn."""
        with self._lock:
            if not self._is_busy:
                self._is_busy = True
                return
            place: Future[None] = Future()
            self._waiting.append(place)
        try:
            await asyncio.wrap_future(place)
        except asyncio.CancelledError:
            if not place.cancelled():  # the place was given away at the same moment: pass it on
                self._next()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let the next one in."""
        self._next()

    def _next(self) -> None:
        with self._lock:
            while self._waiting:
                place = self._waiting.popleft()
                if place.set_running_or_notify_cancel():
                    place.set_result(None)
                    return
            self._is_busy = False
