"""One turn: from a user's message to its outcome. The only place where things happen.

    open the trace
    └─ the root works on the request (:mod:`lango_nb.runtime.work`), teammates in runs of their own
    close the trace: every call answered, runs stopped or left to go on, messages kept with their authors,
    one turn.finished

A turn that fails, is refused, runs out of time or is cancelled is closed the same way as one that went well, and
closing never waits for anything.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Sequence
from functools import partial

from lango_nb.core.errors import StoreError
from lango_nb.core.events import Event, LimitReached, Outcome, TurnFinished, TurnStarted
from lango_nb.core.masking import mask
from lango_nb.core.messages import USER, Message
from lango_nb.records.masked import masked
from lango_nb.records.sessions import Session
from lango_nb.records.traces import Opening
from lango_nb.records.turns import Trace, Turn
from lango_nb.runtime.context import Listener, TextListener, TurnContext, TurnState
from lango_nb.runtime.ending import Ending
from lango_nb.runtime.failures import LIMIT_CODES
from lango_nb.runtime.keeping import for_the_session
from lango_nb.runtime.work import Work
from lango_nb.tools.workers import REPEATS

logger = logging.getLogger("lango_nb")


class TurnRun:
    """One running turn.

    Parameters
    ----------
    context : TurnContext
    session : Session
        Gets the turn's messages when the turn ends.
    text : str
        What the user wrote.
    listeners : sequence of callable
        Each gets every event as it happens.
    followers : sequence of callable
        The same, and also what runs of the turn do after its end.
    on_text : callable, optional
        Hears answers while they are still coming.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what a turn is run with
        self,
        context: TurnContext,
        session: Session,
        text: str,
        listeners: Sequence[Listener] = (),
        followers: Sequence[Listener] = (),
        on_text: TextListener | None = None,
    ) -> None:
        self.context = context
        self.session = session
        self.number = 0
        """Number of the turn, from 1, once it has begun."""
        self.unsaved: StoreError | None = None
        self.state = TurnState(context, session, context.ids.new("turn"), mask(text), listeners, followers, on_text)
        request = self.state.message("user", USER, text)
        self.work = Work(self.state, context.tree.root, request)
        self.trace: Trace
        """Set when the turn is closed, whatever happened."""

    async def run(self) -> Trace:
        """Work the turn to its end.

        Returns
        -------
        Trace
            Closed, whatever happened.

        Raises
        ------
        StoreError
            The turn could not be written ahead, and nothing ran; or it was closed and cannot be written down.
        asyncio.CancelledError
            The turn was cancelled; :attr:`trace` holds its closed trace.
        """
        state, clock = self.state, self.context.clock
        self._started_at = clock.now()
        self._started_s = clock.monotonic_s()
        started = self._begin()
        self.work.begin()
        state.deadline.start(asyncio.current_task())
        repeated = REPEATS.get()
        REPEATS.set(self.context.random is None)
        ending = Ending("cancelled", "cancelled", "")  # also when Ctrl-C or the end of the loop stops it
        try:
            state.tell(started)
            ending = await self.work.finish()
        except asyncio.CancelledError:
            if not state.deadline.absorb():
                raise
            ending = self._out_of_time()
        finally:
            REPEATS.set(repeated)
            state.deadline.stop()
            self._close(ending)
        if self.unsaved is not None:
            raise self.unsaved
        return self.trace

    def _begin(self) -> Event:
        """Write the turn ahead, so that it leaves a trace whatever happens, and return its first event."""
        state, context = self.state, self.context
        started = state.make(TurnStarted, USER, text=state.text, message_id=self.work.request.id)
        opening = Opening(
            state.turn_id,
            self.session.id,
            state.text,
            context.tree.topology.name,
            context.model.name,
            self._started_at,
        )
        self.number = context.traces.begin(opening, [started])
        state.written = int(context.traces.is_durable)
        return started

    def _out_of_time(self) -> Ending:
        """Say that the turn took too long."""
        state, work = self.state, self.work
        reason = state.deadline.reason or "ceiling"
        timeouts = self.context.timeouts
        value = timeouts.idle_s if reason == "idle" else timeouts.ceiling_s
        detail = f"nothing happened for {value:g} s" if reason == "idle" else f"this turn took longer than {value:g} s"
        work.close_calls()
        work.handing.end_child(detail)
        work.emit(LimitReached, work.node.name, limit=reason, value=value, detail=detail)
        work.say(self.context.tree.root, f"I stopped: {detail}. Please make the request smaller or clearer.")
        return Ending("timeout", LIMIT_CODES[reason], work.answer)

    def _close(self, ending: Ending) -> None:
        """Tidy up, write the last event, keep the trace; a trace is kept whatever happens meanwhile."""
        state, context = self.state, self.context
        try:
            self._tidy_up(ending.outcome, ending.code, is_answered=ending.is_answered)
        except Exception:
            logger.exception("turn %s could not be tidied up; its trace is closed as it is", state.turn_id)
        duration_ms = max((context.clock.monotonic_s() - self._started_s) * 1000, 0.0)
        try:
            state.emit(
                TurnFinished,
                context.tree.root.name,
                step=self.work.step,
                outcome=ending.outcome,
                error_code=ending.code,
                rounds=state.rounds,
                steps=state.steps,
                tool_calls=state.tool_calls,
                duration_ms=duration_ms,
            )
        finally:  # Ctrl-C while somebody hears of it
            self.trace = self._kept(ending, duration_ms)
            self._write()

    def _write(self) -> None:
        """Write the closed turn down; what cannot be is kept in memory, and whoever ran the turn hears of it."""
        is_stopped = sys.exc_info()[0] is not None  # then nobody gets the error
        try:
            self.context.traces.finish(self.trace, partial(_masked, self.state.said), self.state.written)
        except StoreError as error:
            self.unsaved = error
            if is_stopped:
                logger.error("%s", error)  # noqa: TRY400 - one line says it
        finally:
            if self.context.tee is not None:
                self.context.tee.append(self.trace, self.state.said)

    def _tidy_up(self, outcome: Outcome, code: str, *, is_answered: bool) -> None:
        """Answer dangling calls, stop what must not go on, keep the messages."""
        state, work, context = self.state, self.work, self.context
        work.close_calls()
        context.breakers.release(work.node.name)
        work.handing.end_child("the turn was cancelled" if outcome == "cancelled" else code)
        context.teammates.end_turn(state, is_over=not is_answered)
        said = for_the_session(work.messages, work.merged, context.control)
        self.session.hear(said, state.turn_id)
        self.state.said = said
        context.approvals.forget_turn(state.turn_id)

    def _kept(self, ending: Ending, duration_ms: float) -> Trace:
        """Return the trace of the closed turn."""
        state, work, context = self.state, self.work, self.context
        turn = Turn(
            id=state.turn_id,
            number=self.number,
            session_id=self.session.id,
            topology=context.tree.topology.name,
            model=context.model.name,
            text=state.text,
            answer=work.answer,
            outcome=ending.outcome,
            error_code=ending.code,
            path=tuple(state.path),
            rounds=state.rounds,
            steps=state.steps,
            tool_calls=state.tool_calls,
            started_at=self._started_at,
            ended_at=state.events[-1].at,
            duration_ms=duration_ms,
            input_tokens=state.input_tokens,
            output_tokens=state.output_tokens,
        )
        return Trace(turn, tuple(state.events), *state.known())


def _masked(said: Sequence[Message]) -> list[Message]:
    """Return what later turns see of a turn, as it is written down; holds nothing else of the turn."""
    return [masked(message) for message in said]
