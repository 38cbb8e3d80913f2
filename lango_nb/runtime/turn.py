"""One turn: from a user's message to its outcome. The only place where things happen.

    open the trace
    └─ the root's loop works on the request (:mod:`lango_nb.runtime.agent_loop`), teammates in runs of their own
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
from lango_nb.core.events import Outcome, TurnFinished, TurnStarted
from lango_nb.core.messages import USER, Message, ToolCall
from lango_nb.records.masked import masked
from lango_nb.records.questions import WAITING, waits
from lango_nb.records.traces import Opening
from lango_nb.records.turns import Trace, Turn
from lango_nb.routing.tree import AgentTree
from lango_nb.runtime.agent_loop import AgentLoop
from lango_nb.runtime.approval_types import QuestionLeft
from lango_nb.runtime.control.protocol import Control
from lango_nb.runtime.control.transfer import TRANSFER
from lango_nb.runtime.failures import LIMIT_CODES, limit_reached
from lango_nb.runtime.handoff import end_child
from lango_nb.runtime.limits import limits_by_name
from lango_nb.runtime.loop_state import LeftTurn, LoopResult, LoopState
from lango_nb.runtime.teammates import Teammates
from lango_nb.runtime.turn_state import TurnState
from lango_nb.tools.builtin.agents import AGENT_TOOLS
from lango_nb.tools.workers import REPEATS

logger = logging.getLogger("lango_nb")
_ABOUT_RUNS = frozenset(tool.name for tool in AGENT_TOOLS)


class TurnRun:
    """One running turn.

    Parameters
    ----------
    state : TurnState
        What the turn works with and knows; its session gets the turn's messages when the turn ends.
    teammates : Teammates
        Where its runs work.
    left : LeftTurn, optional
        The turn of an earlier process that goes on with it.
    """

    def __init__(self, state: TurnState, teammates: Teammates, left: LeftTurn | None = None) -> None:
        self.state = state
        self.context = state.context
        self.number = 0
        """Number of the turn, from 1, once it has begun."""
        self.unsaved: StoreError | None = None
        self._teammates = teammates
        self._request = state.message("user", USER, state.request)
        self.loop = LoopState(state, state.context.tree.root, self._request)
        self._kept: list[Message] = []
        """What later turns see of it, where that is not what was said."""
        self._left = left
        if left is not None:
            self.loop.go_on_from(left)
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
        self.loop.bind_to_task()
        state.deadline.start(asyncio.current_task())
        repeated = REPEATS.get()
        REPEATS.set(self.context.random is None)
        result = LoopResult("cancelled", "cancelled", "")  # also when Ctrl-C or the end of the loop stops it
        try:
            state.publish_first(started)
            if self._left is not None:
                self._left.has_begun()
            result = await AgentLoop(self.loop, self._teammates).run()
        except QuestionLeft as left:
            result = self._wait_for_answer(left.tool)
        except asyncio.CancelledError:
            if not state.deadline.absorb():
                raise
            result = self._out_of_time()
        finally:
            REPEATS.set(repeated)
            state.deadline.stop()
            self._close(result)
        if self.unsaved is not None:
            raise self.unsaved
        return self.trace

    def _begin(self) -> TurnStarted:
        """Write the turn ahead, so that it leaves a trace whatever happens, and return its first event."""
        state, context = self.state, self.context
        continues = self._left.turn_id if self._left is not None else ""
        started = TurnStarted(
            text=state.text,
            message_id=self._request.id,
            continues=continues,
            limits=limits_by_name(context.limits),
            circuits=context.breakers.tripped() or None,
        )
        state.stamp_first(started)
        opening = Opening(
            state.turn_id,
            state.session.id,
            state.text,
            context.tree.topology.name,
            context.model.name,
            self._started_at,
        )
        self.number = context.traces.begin(opening, [started])
        state.written = int(context.traces.is_durable)
        return started

    def _out_of_time(self) -> LoopResult:
        """Say that the turn took too long."""
        state, loop = self.state, self.loop
        reason = state.deadline.reason or "ceiling"
        timeouts = self.context.timeouts
        value = timeouts.idle_s if reason == "idle" else timeouts.ceiling_s
        reached = limit_reached(reason, value)
        loop.close_calls()
        end_child(loop, self._teammates.children, reached.detail)
        loop.emit(reached, loop.node.name)
        loop.say(self.context.tree.root, f"I stopped: {reached.detail}. Please make the request smaller or clearer.")
        return LoopResult("timeout", LIMIT_CODES[reason], loop.answer)

    def _wait_for_answer(self, tool: str) -> LoopResult:
        """Say that the request goes on when a question is answered: that turn tells what was said in this one."""
        loop = self.loop
        loop.close_calls()
        loop.say(self.context.tree.root, waits(tool))
        self._kept = [self._request, loop.messages[-1]]
        return LoopResult("input_required", WAITING, loop.answer, is_answered=True)

    def _close(self, result: LoopResult) -> None:
        """Tidy up, write the last event, keep the trace; a trace is kept whatever happens meanwhile."""
        state, context = self.state, self.context
        try:
            self._tidy_up(result.outcome, result.code, is_answered=result.is_answered)
        except Exception:
            logger.exception("turn %s could not be tidied up; its trace is closed as it is", state.turn_id)
        duration_ms = max((context.clock.monotonic_s() - self._started_s) * 1000, 0.0)
        try:
            finished = TurnFinished(
                outcome=result.outcome,
                error_code=result.code,
                rounds=state.rounds,
                steps=state.steps,
                tool_calls=state.tool_calls,
                duration_ms=duration_ms,
            )
            state.emit(finished, context.tree.root.name, self.loop.step)
        finally:  # Ctrl-C while a listener hears of it
            self.trace = self._make_trace(result, duration_ms)
            self._write()

    def _write(self) -> None:
        """Write the closed turn down; what cannot be is kept in memory, and the caller of the turn hears of it."""
        is_stopped = sys.exc_info()[0] is not None  # then the error reaches no caller
        try:
            history = partial(_masked, self.state.kept, self.state.messages, self.trace.messages)
            self.context.traces.finish(self.trace, history, self.state.written)
        except StoreError as error:
            self.unsaved = error
            if is_stopped:
                logger.error("%s", error)  # noqa: TRY400 - one line says it
        finally:
            if self.context.tee is not None:
                self.context.tee.append(self.trace, self.state.kept)

    def _tidy_up(self, outcome: Outcome, code: str, *, is_answered: bool) -> None:
        """Answer dangling calls, stop what must not go on, keep the messages."""
        state, loop, context = self.state, self.loop, self.context
        loop.close_calls()
        loop.release_circuit(loop.node.name, loop.node.name)
        end_child(loop, self._teammates.children, "the turn was cancelled" if outcome == "cancelled" else code)
        self._teammates.end_turn(state, is_over=not is_answered)
        state.kept = self._kept or messages_to_keep(loop.messages, loop.merged, context.control, context.tree)
        state.session.hear(state.kept, state.turn_id)
        context.approvals.forget_turn(state.turn_id)

    def _make_trace(self, result: LoopResult, duration_ms: float) -> Trace:
        """Return the trace of the closed turn."""
        state, context = self.state, self.context
        turn = Turn(
            id=state.turn_id,
            number=self.number,
            session_id=state.session.id,
            topology=context.tree.topology.name,
            model=context.model.name,
            text=state.text,
            answer=self.loop.answer,
            outcome=result.outcome,
            error_code=result.code,
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


def _masked(kept: Sequence[Message], said: Sequence[Message], shown: Sequence[Message]) -> list[Message]:
    """Return what later turns see of a turn, as it is written down; most of it is in its trace without secrets."""
    by_id = dict(zip(map(id, said), shown, strict=False))
    return [by_id.get(id(message)) or masked(message) for message in kept]


# -- what later turns see ----------------------------------------------------------------------------------------------


def messages_to_keep(
    messages: Sequence[Message], merged: Sequence[Message], control: Control, tree: AgentTree
) -> list[Message]:
    """Return what later turns see of a turn: no raw word of a teammate, no bookkeeping of runs.

    Parameters
    ----------
    messages : sequence of Message
        The turn's own conversation.
    merged : sequence of Message
        What its runs left: one message each. They stand before the answer, because the answer is made of them.
    control : Control
        Knows which calls made runs.
    tree : AgentTree
        Knows the tools of each agent: a call of one that is work stays, whatever it is called.

    Returns
    -------
    list of Message
        Calls that made, watched or stopped runs are left out together with their answers (they hold what a teammate
        said, and the merged message says what came of it); notes of the runtime to the root as well.
    """
    left_out: set[str] = set()
    kept: list[Message] = []
    for message in messages:
        if message.role == "tool" and message.tool_call_id in left_out:
            continue
        if message.role == "user" and message.author != USER:
            continue
        if message.tool_calls and (calls := _own_calls(message, control, tree)) != message.tool_calls:
            left_out.update(call.id for call in message.tool_calls if call not in calls)
            if not calls and not message.content.strip():
                continue
            kept.append(message.model_copy(update={"tool_calls": calls}))
            continue
        kept.append(message)
    return _with_merged(kept, merged)


def _with_merged(messages: Sequence[Message], merged: Sequence[Message]) -> list[Message]:
    """Return messages with what runs left before the answer: the answer is made of it."""
    is_answered = bool(messages) and messages[-1].role == "assistant" and not messages[-1].tool_calls
    place = len(messages) - 1 if is_answered else len(messages)
    return [*messages[:place], *merged, *messages[place:]]


def _own_calls(message: Message, control: Control, tree: AgentTree) -> tuple[ToolCall, ...]:
    tools = tree.by_name.get(message.author or "", tree.root).tools_by_name
    return tuple(
        call
        for call in message.tool_calls
        if call.name == TRANSFER
        or not (call.name in _ABOUT_RUNS or control.owns(call.name))
        or (call.name in tools and not tools[call.name].is_control)
    )
