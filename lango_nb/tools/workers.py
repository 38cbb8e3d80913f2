"""Threads for blocking tools: a function that waits for a disk or a socket must not make the event loop wait.

Most functions are over in microseconds, and waking the loop through its selector would cost several times what they
take. So the loop's own thread first waits for a very short time, and only a function that takes longer gets a future:

    loop's thread                                  a worker
    ─────────────                                  ────────
    idle.pop(), worker.wake ─────────────────────→ runs the function
    wait up to GRACE_S ←───────── is_over ──────── joins the idle ones
    the answer, without having left the loop
    or: a future, other tasks go on ←─ threadsafe ─ later

Unlike the standard library's pool, these threads never delay the end of the process, and a function that does not come
back holds nobody up: when no thread is idle, one more is started.
"""

from __future__ import annotations

import contextvars
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

GRACE_S = 0.0003 if os.name == "posix" else 0.0
"""How long the loop's thread waits itself; a quick function needs a tenth of it. Windows' timers are too coarse."""
PATIENCE_S = 0.1
"""The same where a turn has to repeat to the letter: how fast a thread is woken may decide nothing there."""
REPEATS: contextvars.ContextVar[bool] = contextvars.ContextVar("lango_repeats", default=False)
"""Whether what runs here has to repeat to the letter."""
_MOST_IDLE = 8
"""Threads kept waiting for work; those beyond end when they have nothing to do."""


class Workers:
    """Daemon threads that run blocking functions.

    Parameters
    ----------
    grace_s : float
        How long the loop's thread waits for a function before other tasks go on.
    """

    def __init__(self, grace_s: float = GRACE_S) -> None:
        self._grace_s = grace_s
        self._reset()

    def _reset(self) -> None:
        self._process = os.getpid()
        self._idle: list[_Worker] = []  # popping and appending need no lock; the last one is the warmest
        self._slow: set[_Job[Any]] = set()

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
        When the waiting task is cancelled the function runs on, and its answer is dropped. While somebody waits for a
        slow function, nobody holds the loop for another one: many slow calls at once cost one short wait, not many.
        Where :data:`REPEATS` is set the loop waits longer, and always: others go on after the function, not beside it.

        Examples
        --------
        >>> import asyncio
        >>> asyncio.run(Workers().run(lambda: "done"))
        'done'
        """
        job = _Job(function)
        self._submit(job)
        try:
            grace_s = PATIENCE_S if REPEATS.get() else 0 if self._slow else self._grace_s
            if not job.is_over.acquire(timeout=grace_s):
                self._slow.add(job)
                try:
                    await job.over()
                finally:
                    self._slow.discard(job)
            return job.answer()
        finally:
            del job  # an error would hold this frame, and this frame the error

    def _submit(self, job: _Job[Any]) -> None:
        if self._process != os.getpid():  # a forked process has none of its parent's threads
            self._reset()
        try:
            worker = self._idle.pop()
        except IndexError:
            worker = _Worker(self._idle)
            worker.start()
        worker.job = job
        worker.wake.release()


class _Job(Generic[T]):
    """One call of a function: runs on a worker, and is waited for on a loop."""

    __slots__ = ("_context", "_error", "_function", "_future", "_loop", "_result", "is_over")

    def __init__(self, function: Callable[[], T]) -> None:
        self._function = function
        self._context = contextvars.copy_context()
        self._error: Exception | None = None
        self._future: asyncio.Future[None] | None = None
        self.is_over = threading.Lock()
        """Held until the function has come back."""
        self.is_over.acquire()

    # On the worker.

    def run(self) -> None:
        try:
            self._result = self._context.run(self._function)
        except StopIteration as error:  # a coroutine cannot raise one
            self._error = _instead_of(error)
        except Exception as error:  # noqa: BLE001 - raised again by whoever waits
            self._error = error
        except BaseException as error:  # noqa: BLE001 - the same, as an error a loop survives
            self._error = _instead_of(error)

    def tell(self) -> None:
        """Let go of the one who waits: the loop's thread itself, or the task that got a future meanwhile."""
        self.is_over.release()
        if self._future is not None:  # looked at after the release, as `over` looks in the opposite order
            try:
                self._loop.call_soon_threadsafe(_settle, self._future)
            except RuntimeError:
                return  # the loop is closed: nobody waits any more

    # On the loop.

    async def over(self) -> None:
        """Wait as a task does, while others go on."""
        import asyncio

        self._loop = asyncio.get_running_loop()
        future = self._future = self._loop.create_future()
        if not self.is_over.acquire(blocking=False):
            await future

    def answer(self) -> T:
        if self._error is None:
            return self._result
        try:
            raise self._error
        finally:
            self._error = None  # its traceback holds this frame


class _Worker(threading.Thread):
    """A thread that takes one job after the other."""

    def __init__(self, idle: list[_Worker]) -> None:
        super().__init__(name="lango-tool", daemon=True)
        self._idle = idle
        self.job: _Job[Any] | None = None
        self.wake = threading.Lock()
        """Held until there is a job."""
        self.wake.acquire()

    def run(self) -> None:
        is_wanted = True
        while is_wanted:
            self.wake.acquire()
            job, self.job = self.job, None
            if job is None:
                continue
            job.run()
            is_wanted = len(self._idle) < _MOST_IDLE
            if is_wanted:  # before the answer is told, so that the next call finds this thread again
                self._idle.append(self)
            job.tell()
            del job  # an idle thread holds nothing


def _instead_of(error: BaseException) -> RuntimeError:
    stopped = RuntimeError(f"the tool raised {type(error).__name__}")
    stopped.__cause__ = error
    return stopped


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():  # cancelled meanwhile
        future.set_result(None)


WORKERS = Workers()
"""The threads all tools share; none is started before the first call."""
