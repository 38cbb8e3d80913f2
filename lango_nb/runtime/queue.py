"""Who is next: turns of one session wait for each other, whatever loop or thread they come from."""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import Future
from threading import Lock
from types import TracebackType


class Queue:
    """Lets a few work at a time, first come first served: one turn of a session, so many teammates of an engine.

    Parameters
    ----------
    places : int
        How many may work at the same time.

    Notes
    -----
    An :class:`asyncio.Lock` belongs to one loop; a notebook has at least two, the cell's and the one behind ``ask``.

    Examples
    --------
    >>> async def two() -> list[str]:
    ...     queue, order = Queue(), []
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

    def __init__(self, places: int = 1) -> None:
        self._lock = Lock()
        self._free = places
        self._waiting: deque[tuple[Future[None], asyncio.AbstractEventLoop]] = deque()

    def enter_now(self) -> bool:
        """Take a place if one is free; nobody waiting is overtaken, because then none is."""
        with self._lock:
            if self._free:
                self._free -= 1
                return True
            return False

    async def enter(self) -> None:
        """Wait for one's turn."""
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
                self.leave()
            raise

    def leave(self) -> None:
        """Let the next one in."""
        with self._lock:
            while self._waiting:
                place, loop = self._waiting.popleft()
                if not loop.is_closed() and place.set_running_or_notify_cancel():
                    place.set_result(None)
                    return
            self._free += 1

    async def __aenter__(self) -> None:
        await self.enter()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()
