"""The turns of an engine that are at work: somebody waits for most of them, some go on in the background.

at_work    a turn is known while it runs, on whatever loop
start      one that nobody waits for: what goes wrong with it is logged
close      turns that stand at a question leave it open, all others are cancelled; every trace is closed

What they write to is let go of when the last one has ended.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Collection, Coroutine
from functools import partial
from typing import Any, Self

from lango_nb.core.errors import StoreError, TurnError
from lango_nb.records.turns import Trace
from lango_nb.runtime.loop import runs_here

logger = logging.getLogger("lango_nb")

LAST_WORDS_S = 1.0
"""How long closing waits for a loop that is busy."""
CLOSED = "closed"
"""Code of the error of a turn that was stopped because its engine is closed."""


class LiveTurn:
    """A turn that has not ended, and the task in which it runs: that may do more than this turn.

    Parameters
    ----------
    turns : LiveTurns
        Among which it is counted, from the ``with`` statement to its end.

    Raises
    ------
    TurnError
        The turn was stopped because its engine is closed. Its task was cancelled for nothing else and goes on.
    """

    __slots__ = ("_cancelling", "_is_stopped", "_task", "_turns", "has_ended", "loop", "turn_id")

    def __init__(self, turns: LiveTurns) -> None:
        self._turns = turns
        self._task = asyncio.current_task()
        self._cancelling = self._task.cancelling() if self._task is not None else 0
        self._is_stopped = False
        self.loop = asyncio.get_running_loop()
        self.turn_id = ""
        """Empty while it waits for the turns of its session that came before."""
        self.has_ended: threading.Event | None = None
        """Made by the one who waits for it."""

    @property
    def task(self) -> asyncio.Task[Any] | None:
        """The task in which it runs."""
        return self._task

    def __enter__(self) -> Self:
        self._turns.at_work.add(self)
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        self._turns.leave(self)
        if self._is_stopped and self._task is not None and isinstance(error, asyncio.CancelledError):
            if self._task.uncancel() > self._cancelling:
                return
            stopped = TurnError("the turn was stopped, as its engine was closed; open the lab again and ask once more")
            stopped.code = CLOSED
            raise stopped from None

    def stop(self) -> None:
        """Cancel the turn, from its loop; one whose own listener or tool closes the engine goes on to its end."""
        task = self._task
        if task is not None and task is not asyncio.current_task() and self in self._turns.at_work:
            self._is_stopped = True
            task.add_done_callback(_heard)
            task.cancel()


class LiveTurns:
    """The turns of an engine that have not ended."""

    def __init__(self) -> None:
        self.at_work: set[LiveTurn] = set()
        self._background: dict[asyncio.Task[Trace], threading.Event] = {}
        """Tasks that nobody waits for, and what tells that one has ended with all that belongs to it."""
        self._at_last: Callable[[], object] | None = None

    def leave(self, live: LiveTurn) -> None:
        """Count a turn among those at work no longer."""
        self.at_work.discard(live)
        if live.has_ended is not None:
            live.has_ended.set()
        self._let_go()

    def start(self, turn: Coroutine[Any, Any, Trace], at_end: Callable[[], None]) -> None:
        """Let a turn run on the loop of this thread, though nobody waits for it.

        Parameters
        ----------
        turn : coroutine
        at_end : callable
            Called when it has ended, also when it never began.
        """
        task = asyncio.get_running_loop().create_task(turn)
        self._background[task] = threading.Event()
        task.add_done_callback(partial(self._ended, at_end))

    def _ended(self, at_end: Callable[[], None], task: asyncio.Task[Trace]) -> None:
        try:
            at_end()
        except StoreError as error:
            logger.warning("whether a question is still open is not written down: %s", error)
        finally:
            self._background.pop(task).set()
            self._let_go()
        if task.cancelled() or (problem := task.exception()) is None:
            return
        if not (isinstance(problem, TurnError) and problem.code == CLOSED):
            logger.error("a turn that had waited for an answer could not go on: %s", problem)

    @property
    def background(self) -> Collection[asyncio.Task[Trace]]:
        """The tasks of turns that nobody waits for."""
        return tuple(self._background)

    def close(self, left: Collection[str], at_last: Callable[[], object]) -> None:
        """Stop the turns that are at work, wait until their traces are closed, and then let go of what they write to.

        Parameters
        ----------
        left : collection of str
            Ids of the turns that end by themselves: they leave a question open.
        at_last : callable
            Called when no turn is at work any more: at once, unless one works on the loop of this thread, which can
            only end after this.
        """
        begun = {live.task for live in tuple(self.at_work)}
        for task in self.background:
            if task not in begun:
                _on_loop(task.get_loop(), task.cancel)
        for live in tuple(self.at_work):
            if live.turn_id not in left:
                _on_loop(live.loop, live.stop)
        for live in tuple(self.at_work):
            if live.loop.is_running() and not runs_here(live.loop):
                live.has_ended = has_ended = threading.Event()
                if live in self.at_work:
                    has_ended.wait(LAST_WORDS_S)
        for task, has_ended in tuple(self._background.items()):
            if task.get_loop().is_running() and not runs_here(task.get_loop()):
                has_ended.wait(LAST_WORDS_S)
        loops = [live.loop for live in tuple(self.at_work)] + [task.get_loop() for task in self.background]
        if any(map(runs_here, loops)):
            self._at_last = at_last
        else:
            at_last()

    def _let_go(self) -> None:
        """Let go of what is written to, if that was waiting for the last one to end."""
        at_last = self._at_last
        if at_last is None or self.at_work or self._background:
            return
        self._at_last = None
        try:
            at_last()
        except StoreError as error:
            logger.error("%s", error)  # noqa: TRY400 - one line says it


def _heard(task: asyncio.Task[Any]) -> None:
    """Take note of how a task ended whose turn was stopped: who closes an engine need not hear of it once more."""
    problem = None if task.cancelled() else task.exception()
    if problem is not None and not (isinstance(problem, TurnError) and problem.code == CLOSED):
        logger.error("after its turn was stopped, a task failed: %s", problem)


def _on_loop(loop: asyncio.AbstractEventLoop, stop: Callable[[], object]) -> None:
    """Call a function on a loop that runs; one that does not will never go on with anything."""
    if runs_here(loop):
        stop()
    elif loop.is_running():
        loop.call_soon_threadsafe(stop)
