"""A fair semaphore across event loops and threads: turns of one session wait for each other in it."""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import Future
from threading import Lock
from types import TracebackType


class FairSemaphore:
    """Lets a few tasks work at a time, first come first served: one turn of a session, so many teammates of an engine.

    Parameters
    ----------
    limit : int
        How many may work at the same time.

    Notes
    -----
    An :class:`asyncio.Lock` belongs to one loop; a notebook has at least two, the cell's and the one behind ``ask``.

    Examples
    --------
    >>> async def two() -> list[str]:
    ...     semaphore, order = FairSemaphore(), []
    ...     async def turn(name: str) -> None:
    ...         async with semaphore:
    ...             order.append(name + " begins")
    ...             await asyncio.sleep(0)
    ...             order.append(name + " ends")
    ...     await asyncio.gather(turn("a"), turn("b"))
    ...     return order
    >>> asyncio.run(two())
    ['a begins', 'a ends', 'b begins', 'b ends']
    """

    def __init__(self, limit: int = 1) -> None:
        self._lock = Lock()
        self._free = limit
        self._waiting: deque[tuple[Future[None], asyncio.AbstractEventLoop]] = deque()

    def acquire_now(self) -> bool:
        """Take a place if one is free; no task that waits is overtaken, because then none is free."""
        with self._lock:
            if self._free:
                self._free -= 1
                return True
            return False

    async def acquire(self) -> None:
        """Wait for a place."""
        with self._lock:
            if self._free:
                self._free -= 1
                return
            place: Future[None] = Future()
            self._waiting.append((place, asyncio.get_running_loop()))
        try:
            await asyncio.wrap_future(place)
        except asyncio.CancelledError:
            if not place.cancelled():  # the place was given away at the same moment: pass it on
                self.release()
            raise

    def release(self) -> None:
        """Give the place to the next task."""
        with self._lock:
            while self._waiting:
                place, loop = self._waiting.popleft()
                if not loop.is_closed() and place.set_running_or_notify_cancel():
                    place.set_result(None)
                    return
            self._free += 1

    async def __aenter__(self) -> None:
        await self.acquire()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
