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
from collections.abc import Callable, Collection, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from lango_nb.core.errors import StoreError, TurnError
from lango_nb.records.turns import Trace
from lango_nb.runtime.loop import runs_here

logger = logging.getLogger("lango_nb")

LAST_WORDS_S = 1.0
"""How long closing waits for a loop that is busy."""
CLOSED = "closed"
"""Code of the error of a turn that was stopped because its engine is closed."""


@dataclass(slots=True, eq=False)
class LiveTurn:
    """A turn that has not ended, and the task in which it runs: that may do more than this turn."""

    task: asyncio.Task[Any]
    loop: asyncio.AbstractEventLoop
    cancelling: int
    """How often the task was cancelled before."""
    turn_id: str = ""
    """Empty while it waits for the turns of its session that came before."""
    is_closed: bool = False
    """Whether it is stopped because its engine is closed."""
    has_ended: threading.Event = field(default_factory=threading.Event)

    def stop(self) -> None:
        """Cancel the turn, from its loop."""
        if not self.has_ended.is_set():
            self.is_closed = True
            self.task.cancel()


class LiveTurns:
    """The turns of an engine that have not ended."""

    def __init__(self) -> None:
        self._turns: set[LiveTurn] = set()
        self._background: set[asyncio.Task[Trace]] = set()
        self._at_last: Callable[[], object] | None = None

    @contextmanager
    def at_work(self) -> Iterator[LiveTurn]:
        """Count a turn among those at work, in the present task.

        Raises
        ------
        TurnError
            The turn was stopped because its engine is closed. Its task was cancelled for nothing else and goes on.
        """
        task = asyncio.current_task()
        if task is None:  # pragma: no cover - a coroutine that is driven by hand
            raise TurnError("a turn runs in a task; use run_sync, or await it on a loop")
        live = LiveTurn(task, asyncio.get_running_loop(), task.cancelling())
        self._turns.add(live)
        try:
            yield live
        except asyncio.CancelledError:
            if not live.is_closed or task.uncancel() > live.cancelling:
                raise
            stopped = TurnError("the turn was stopped, as its engine was closed; open the lab again and ask once more")
            stopped.code = CLOSED
            raise stopped from None
        finally:
            self._turns.discard(live)
            live.has_ended.set()
            if not self._turns:
                self._all_ended()

    def start(self, turn: Coroutine[Any, Any, Trace], at_end: Callable[[], None]) -> None:
        """Let a turn run on the loop of this thread, though nobody waits for it.

        Parameters
        ----------
        turn : coroutine
        at_end : callable
            Called when it has ended, also when it never began.
        """
        task = asyncio.get_running_loop().create_task(turn)
        self._background.add(task)
        task.add_done_callback(partial(self._ended, at_end))

    def _ended(self, at_end: Callable[[], None], task: asyncio.Task[Trace]) -> None:
        self._background.discard(task)
        try:
            at_end()
        except StoreError as error:
            logger.warning("whether a question is still open is not written down: %s", error)
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
        begun = {live.task for live in self._turns}
        for task in self._background - begun:
            _on_loop(task.get_loop(), task.cancel)
        for live in tuple(self._turns):
            if live.turn_id not in left:
                _on_loop(live.loop, live.stop)
        for live in tuple(self._turns):
            if live.loop.is_running() and not runs_here(live.loop):
                live.has_ended.wait(LAST_WORDS_S)
        if any(runs_here(live.loop) for live in tuple(self._turns)):
            self._at_last = at_last
        else:
            at_last()

    def _all_ended(self) -> None:
        at_last, self._at_last = self._at_last, None
        if at_last is not None:
            try:
                at_last()
            except StoreError as error:
                logger.error("%s", error)  # noqa: TRY400 - one line says it


def _on_loop(loop: asyncio.AbstractEventLoop, stop: Callable[[], object]) -> None:
    """Call a function on a loop that runs; one that does not will never go on with anything."""
    if runs_here(loop):
        stop()
    elif loop.is_running():
        loop.call_soon_threadsafe(stop)
