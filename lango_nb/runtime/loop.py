"""The door from ordinary code into coroutines, whatever loop the host already runs.

A cell of a notebook runs inside a loop, a script runs in none, and both want to write ``lab.ask(...)`` and get an
answer. So coroutines run on one private loop in a thread of its own, and the calling thread waits. While it waits it is
the one that shows things and asks things, because only the calling thread owns the cell's output and its input:

    calling thread                     the loop's thread
    ──────────────                     ─────────────────
    run_in_loop(make) ───────────────→ task = make(emit)
      on_event(event)  ←─── queue ────   emit(event)
      fn()             ←─── queue ────   await ask_caller(fn)
      Ctrl-C           ──── cancel ──→   CancelledError; cleanup may still emit
      return, or raise ←─── done ─────   result, or error

The thread starts with the first run and is a daemon; a forked child starts its own.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from lango_nb.core.errors import TurnError

T = TypeVar("T")
S = TypeVar("S")
U = TypeVar("U")
Emit = Callable[[object], None]
"""Hands an event to the calling thread; may be called from any thread and returns at once."""

POLL_S = 0.05
"""How long a wait may last before the interpreter looks for Ctrl-C again; only Windows needs it."""
NOBODY = "nobody is there to answer"

_DONE = object()
_asked_by: contextvars.ContextVar[_Run[Any]] = contextvars.ContextVar("lango_asked_by")


def run_in_loop(
    make_coroutine: Callable[[Emit], Coroutine[Any, Any, T]],
    on_event: Callable[[object], None] | None = None,
    grace_s: float = 5.0,
) -> T:
    """Run a coroutine to its end and return its result.

    Works the same with and without a running loop in the calling thread. The coroutine sees the context variables of
    the caller.

    Parameters
    ----------
    make_coroutine : callable
        Gets ``emit`` and returns the coroutine. It is called on the loop's thread.
    on_event : callable, optional
        Gets what the coroutine emits, in order, on the calling thread.
    grace_s : float
        Seconds a cancelled coroutine has for its cleanup.

    Returns
    -------
    T
        What the coroutine returned.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C or Stop. The coroutine is cancelled first and what it still emits is shown; a second interrupt, or the
        end of the grace time, gives up waiting.
    TurnError
        Called from the loop's own thread, where waiting would never end, or the coroutine cancelled itself.
    BaseException
        Whatever the coroutine or ``on_event`` raised. In the second case the coroutine is cancelled.

    Examples
    --------
    >>> async def count(emit):
    ...     for number in range(3):
    ...         emit(number)
    ...     return "done"
    >>> run_in_loop(count, print)
    0
    1
    2
    'done'
    """
    thread = _shared()
    if threading.get_ident() == thread.ident:
        raise TurnError("this would wait for itself: it was called from inside a turn; await the coroutine instead")
    run = _Run(make_coroutine, thread.loop, has_listener=on_event is not None)
    try:
        thread.loop.call_soon_threadsafe(run.start)  # in a copy of the caller's context
        run.pump(on_event)
    except BaseException as stop:
        thread.loop.call_soon_threadsafe(run.cancel)
        _drain(run, on_event, grace_s, stop)
        raise
    finally:
        run.close()
    return run.result()


def call_in_loop(fn: Callable[[], T]) -> T:
    """Call a function on the loop's thread, where it can start what goes on by itself, and return its result.

    Parameters
    ----------
    fn : callable
        Sees nothing of the caller's context variables; what it starts can ask nobody.

    Returns
    -------
    T
        What the function returned.

    Examples
    --------
    >>> call_in_loop(lambda: threading.current_thread().name)
    'lango-loop'
    """

    async def call() -> T:
        return fn()

    if threading.get_ident() == _shared().ident:
        return fn()
    return contextvars.Context().run(run_in_loop, lambda _emit: call())


def runs_here(loop: asyncio.AbstractEventLoop) -> bool:
    """Tell whether this code runs on a loop."""
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


async def ask_caller(fn: Callable[[], T]) -> T:
    """Have a function run on the thread that waits for this coroutine, and return its result.

    That thread owns the cell: ``input()`` works there and nowhere else. Outside :func:`run_in_loop`, in
    ``await lab.aask(...)`` for instance, the current thread is that thread.

    Parameters
    ----------
    fn : callable
        May block; the loop goes on meanwhile.

    Returns
    -------
    T
        What the function returned.

    Raises
    ------
    EOFError
        The caller is gone or has been interrupted: nobody is there to answer.
    Exception
        Whatever the function raised.

    Examples
    --------
    >>> async def turn(emit):
    ...     return await ask_caller(lambda: threading.current_thread() is threading.main_thread())
    >>> run_in_loop(turn)
    True
    """
    run = _asked_by.get(None)
    return fn() if run is None else await run.ask(fn)


class _Question(Generic[S]):
    """A function the calling thread is asked to run, and the future that gets its result."""

    __slots__ = ("fn", "future", "loop")

    def __init__(self, fn: Callable[[], S], loop: asyncio.AbstractEventLoop) -> None:
        self.fn, self.loop = fn, loop
        self.future: asyncio.Future[S] = loop.create_future()

    def answer(self) -> None:
        """Run the function here; an interrupt is the caller's and passes through."""
        try:
            value = self.fn()
        except StopIteration as stop:  # a future cannot hold one
            error = RuntimeError("the question raised StopIteration")
            error.__cause__ = stop
            self._settle(self.future.set_exception, error)
        except Exception as error:  # noqa: BLE001 - it belongs to the coroutine that asked
            self._settle(self.future.set_exception, error)
        else:
            self._settle(self.future.set_result, value)

    def refuse(self) -> None:
        self._settle(self.future.set_exception, EOFError(NOBODY))

    def _settle(self, setter: Callable[[U], None], outcome: U) -> None:
        def settle() -> None:
            if not self.future.done():  # cancelled meanwhile
                setter(outcome)

        self.loop.call_soon_threadsafe(settle)


class _Run(Generic[T]):
    """One coroutine on the loop, and the queue through which it reaches its caller."""

    def __init__(
        self, make: Callable[[Emit], Coroutine[Any, Any, T]], loop: asyncio.AbstractEventLoop, *, has_listener: bool
    ) -> None:
        self._make, self._loop = make, loop
        self._queue: SimpleQueue[Any] = SimpleQueue()
        self._emit: Emit = self._queue.put if has_listener else _ignore
        self._task: asyncio.Task[None] | None = None
        self._value: T
        self.error: BaseException | None = None
        self._is_done = False
        self._is_open = True
        self._lock = threading.Lock()

    # On the loop's thread.

    def start(self) -> None:
        _asked_by.set(self)
        self._task = self._loop.create_task(self._guard())
        _alive.add(self._task)
        self._task.add_done_callback(self._ended)

    async def _guard(self) -> None:
        """Keep whatever the coroutine raises: SystemExit would otherwise end the loop for everybody."""
        try:
            self._value = await self._make(self._emit)
        except BaseException as error:  # noqa: BLE001 - raised again on the calling thread
            self.error = error

    def cancel(self) -> None:
        if self._task is None:  # interrupted before it was started
            self._finish(asyncio.CancelledError())
        else:
            self._task.cancel()

    def _ended(self, task: asyncio.Task[None]) -> None:
        _alive.discard(task)
        self._finish(asyncio.CancelledError() if task.cancelled() else None)

    def _finish(self, error: BaseException | None) -> None:
        if self.error is None:
            self.error = error
        self._is_done = True
        self._queue.put(_DONE)

    async def ask(self, fn: Callable[[], S]) -> S:
        question = _Question(fn, asyncio.get_running_loop())
        with self._lock:
            if not self._is_open:
                raise EOFError(NOBODY)
            self._queue.put(question)
        return await question.future

    # On the calling thread.

    def pump(
        self, on_event: Callable[[object], None] | None, deadline_s: float | None = None, *, is_asked: bool = True
    ) -> bool:
        """Show events and answer questions until the coroutine ends; ``False`` when the deadline came first."""
        while True:
            try:
                item = self._queue.get(timeout=POLL_S)
            except Empty:
                if self._is_done:  # an interrupt swallowed the end mark
                    return True
            else:
                if item is _DONE:
                    return True
                if isinstance(item, _Question):
                    (item.answer if is_asked else item.refuse)()
                elif on_event is not None:
                    on_event(item)
            if deadline_s is not None and time.monotonic() > deadline_s:
                return False

    def close(self) -> None:
        """Refuse questions from now on, and those nobody has answered."""
        with self._lock:
            self._is_open = False
        while True:
            try:
                item = self._queue.get_nowait()
            except Empty:
                return
            if isinstance(item, _Question):
                item.refuse()

    def result(self) -> T:
        if isinstance(self.error, asyncio.CancelledError):
            raise TurnError(str(self.error) or "the turn was cancelled from inside; run it again") from self.error
        if self.error is not None:
            try:
                raise self.error
            finally:
                self.error = None  # the frame is in the traceback: do not keep a cycle alive
        return self._value


def _drain(run: _Run[Any], on_event: Callable[[object], None] | None, grace_s: float, stop: BaseException) -> None:
    """Wait for a cancelled coroutine and show its last events; what goes wrong here becomes a note on ``stop``."""
    deadline_s = time.monotonic() + grace_s
    listener = on_event if isinstance(stop, KeyboardInterrupt) else None  # a listener that failed is not called again
    try:
        has_ended = run.pump(listener, deadline_s, is_asked=False)
    except KeyboardInterrupt:
        has_ended = False
    except Exception as error:  # noqa: BLE001 - told in the note; the interrupt is what the caller has to see
        stop.add_note(f"while showing the last events: {type(error).__name__}: {error}")
        has_ended = run.pump(None, deadline_s, is_asked=False)
    if not has_ended:
        stop.add_note("the turn did not stop in time; it goes on without you")
    elif run.error is not None and not isinstance(run.error, asyncio.CancelledError):
        stop.add_note(f"while stopping: {type(run.error).__name__}: {run.error}")


def _ignore(_event: object) -> None:
    """Drop an event nobody listens for."""


class _LoopThread:
    """The private loop, and the thread that serves it."""

    def __init__(self) -> None:
        self.loop = _new_loop()
        # A fresh context: the thread must not hold on to the cell that happened to start it.
        self._thread = threading.Thread(
            target=contextvars.Context().run, args=(self._serve,), name="lango-loop", daemon=True
        )
        self._thread.start()
        self.ident = self._thread.ident

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def _serve(self) -> None:
        while True:
            try:
                self.loop.run_forever()
            except (KeyboardInterrupt, SystemExit):  # a task raised it: its own run gets it, the loop stays
                continue


def _new_loop() -> asyncio.AbstractEventLoop:
    if sys.platform == "win32":  # other libraries may have chosen a loop that cannot start processes
        return asyncio.ProactorEventLoop()
    return asyncio.new_event_loop()


_lock = threading.Lock()
_thread: _LoopThread | None = None
_alive: set[asyncio.Task[Any]] = set()
_before_fork: list[_LoopThread] = []


def _shared() -> _LoopThread:
    """Return the loop of this process, started on first use."""
    global _thread  # noqa: PLW0603 - one per process is the point
    thread = _thread
    if thread is not None and thread.is_alive:
        return thread
    with _lock:
        if _thread is None or not _thread.is_alive:
            _thread = _LoopThread()
        return _thread


def _forget_in_child() -> None:
    """Let a forked child start anew: threads do not survive a fork, and the parent's selector must not be touched."""
    global _thread, _lock  # noqa: PLW0603 - the same
    _lock = threading.Lock()  # the parent's may have been held
    if _thread is not None:
        _before_fork.append(_thread)  # closing it, even by garbage collection, would reach into the parent
    _thread = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
