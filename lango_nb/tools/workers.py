"""Threads for blocking tools: a function that waits for a disk or a socket must not make the event loop wait.

Unlike the standard library's pool, these threads never delay the end of the process, and a function that does not come
back holds nobody up: when no thread is idle, one more is started.
"""

from __future__ import annotations

import contextvars
import os
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

_MOST_IDLE = 8
"""Threads kept waiting for work; those beyond end when they have nothing to do."""


class Workers:
    """Daemon threads that run blocking functions."""

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._idle = 0

    async def run(self, function: Callable[[], T]) -> T:
        """Run a function in a thread, with a copy of the caller's context variables.

        Parameters
        ----------
        function : callable
            Takes nothing.

        Returns
        -------
        any
            What the function returns; what it raises is raised.

        Raises
        ------
        RuntimeError
            The function raised ``SystemExit`` or ``KeyboardInterrupt``, which would stop the event loop.

        Notes
        -----
        When the waiting task is cancelled the function runs on, and its answer is dropped.

        Examples
        --------
        >>> import asyncio
        >>> asyncio.run(Workers().run(lambda: "done"))
        'done'
        """
        import asyncio

        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        context = contextvars.copy_context()

        def job() -> None:
            try:
                result = context.run(function)
            except Exception as error:  # noqa: BLE001 - handed to whoever waits
                report = _give(answer, None, error)
            except BaseException as error:  # noqa: BLE001 - the same, as an error a loop survives
                stopped = RuntimeError(f"the tool raised {type(error).__name__}")
                stopped.__cause__ = error
                report = _give(answer, None, stopped)
            else:
                report = _give(answer, result, None)
            try:
                loop.call_soon_threadsafe(report)
            except RuntimeError:
                return  # the loop is closed: nobody waits any more

        self._submit(job)
        return await answer

    def _submit(self, job: Callable[[], None]) -> None:
        if self._process != os.getpid():  # a forked process has none of its parent's threads
            self._reset()
        with self._lock:
            is_free = self._idle > 0
            if is_free:
                self._idle -= 1
        self._jobs.put(job)
        if not is_free:
            threading.Thread(target=self._work, args=(self._jobs,), name="lango-tool", daemon=True).start()

    def _work(self, jobs: SimpleQueue[Callable[[], None]]) -> None:
        while True:
            jobs.get()()
            with self._lock:
                if self._idle >= _MOST_IDLE:
                    return
                self._idle += 1


def _give(answer: asyncio.Future[T], result: T | None, error: Exception | None) -> Callable[[], None]:
    """Return what hands a result to its future, unless nobody waits for it any more."""

    def give() -> None:
        if answer.done():
            return
        if isinstance(error, StopIteration):  # a future cannot hold one
            answer.set_exception(RuntimeError("the tool raised StopIteration"))
        elif error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(result)  # type: ignore[arg-type]  # without error there is a result

    return give


WORKERS = Workers()
"""The threads all tools share; none is started before the first call."""
