"""The state of one agent loop: who is at work on what, what was said, what was used, and how each of these is noted.

Nothing here asks a model, calls a tool or hands work over: :mod:`~lango_nb.runtime.agent_loop` drives the loop, and the
modules it calls (calls, approval_gate, handoff, teammates, summaries) take this state.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from lango_nb.core.events import (
    BreakerChanged,
    Event,
    LimitReached,
    Outcome,
    Recalled,
    RecoveryAttempted,
    TextSaid,
    ToolFinished,
)
from lango_nb.core.masking import mask
from lango_nb.core.messages import NO_USAGE, SUMMARY, Message, Reply, Role, ToolCall, Usage
from lango_nb.models.model import Model
from lango_nb.records.child_sessions import ChildSession
from lango_nb.records.questions import Conversation
from lango_nb.records.runs import AgentRun
from lango_nb.records.steps import GivenTo, Inherited, position, references
from lango_nb.routing.tree import AgentNode
from lango_nb.runtime.approval_types import Answered
from lango_nb.runtime.breakers import Change
from lango_nb.runtime.failures import LIMIT_CODES, Failure
from lango_nb.runtime.limits import BudgetEvent
from lango_nb.runtime.recovery import Action
from lango_nb.runtime.turn_state import TurnState
from lango_nb.tools.builtin import was_control

INTERRUPTED = "the call was interrupted and did not complete"
_LONGEST_ID = 128
"""Characters of a call's id."""


class LoopResult(NamedTuple):
    """How a loop came out."""

    outcome: Outcome
    code: str
    text: str
    """The visible answer, or why there is none."""
    is_answered: bool = False
    """Whether the request was answered: runs that still go on may go on."""


class LeftTurn(NamedTuple):
    """A turn of an earlier process that waits for an answer, and the answer: it goes on as a turn of its own."""

    turn_id: str
    session_id: str
    text: str
    """What the user wrote, without secrets."""
    node: AgentNode
    """Who was at work."""
    said: tuple[Message, ...]
    """What was said in it after the request; the last message that calls something is what was asked about."""
    answered: tuple[Answered, ...]
    """What was asked about calls of its latest reply, with the answers; last what it waited for."""
    has_begun: Callable[[], object] = lambda: None
    """Called when the new turn is written down, before anything happens in it: nobody else can go on any more."""


class LoopStopped(Exception):  # noqa: N818 - a signal inside the turn, like StopIteration; never seen outside
    """The loop cannot go on: a limit, or a reply that leads nowhere.

    Parameters
    ----------
    code : str
        Short word kept in the trace.
    detail : str
        One sentence.
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


class LoopState:
    """One agent, and the agents it transfers to, on one request.

    Parameters
    ----------
    turn : TurnState
        The turn it belongs to.
    node : AgentNode
        Who begins.
    request : Message
        What has to be done.
    history : sequence of Message, optional
        What was said before; what the session has, as far as it fits, when absent.
    run : AgentRun, optional
        The teammate run this is; ``None`` for the turn's own loop.
    child : ChildSession, optional
        The session of its own a teammate works in.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what a loop starts from
        self,
        turn: TurnState,
        node: AgentNode,
        request: Message,
        history: Sequence[Message] | None = None,
        run: AgentRun | None = None,
        child: ChildSession | None = None,
    ) -> None:
        self.turn = turn
        self.context = turn.context
        self.owner = self.node = node
        self.run_id = run.id if run is not None else ""
        self.depth = run.spawn_depth if run is not None else 0
        self.request = request
        self.messages: list[Message] = [request]
        self.work_in(child)
        self.own_history = history
        """What was said before a run began; ``None`` where the session says that."""
        self.inherited: Inherited = 0, ()
        """What stands before the conversation, unless that is the turn's own."""
        self.merged: list[Message] = []
        """What ended runs left for later turns; in this one the root has their results."""
        self.notes: list[str] = []
        """What the runtime has to tell the agent before its next step."""
        self.declined: dict[str, str] = {}
        self.failed: dict[str, str] = {}
        self.run_errors: dict[str, str] = {}
        """Runs of the latest hand-off that came out badly, with their codes."""
        self.step = 0
        self.steps = 0
        self.tool_calls = 0
        self.started: set[str] = set()
        """Ids of the calls that have begun and not ended."""
        self.last_error = ""
        self.answer = ""
        self.reply_id = ""
        """The message with the latest reply."""
        self.final_reply_because: Failure | None = None
        """Why the next reply has to be the answer; ``None`` while there may be more."""
        self.judged: Action | None = None
        """What the recovery policy says about the failure that is on its way up."""
        self.asked_again = False
        """Whether a reply that was none had its one more try."""
        self.left: tuple[Answered, ...] = ()
        """What an earlier process asked, with the answers, until those calls have been decided."""
        self.recalled: str | None = None
        """What was remembered for its request; ``None`` until that was asked."""
        self._usage = NO_USAGE
        self._call_ids: set[str] = set()
        self._task: asyncio.Task[object] | None = None
        self._cancelling = 0
        if child is not None:
            child.messages.append(request)
            self.messages = child.messages
        if run is not None:
            inherited = child.inherited if child is not None else self.history
            self.inherited = references(inherited, turn.turn_id)

    def resume_with(self, own: Sequence[Message], events: Sequence[Event], answered: tuple[Answered, ...]) -> None:
        """Take up what an earlier process left at a question; the loop begins with the calls that wait for it.

        Parameters
        ----------
        own : sequence of Message
            What was said after the work order.
        events : sequence of Event
            What happened in the run so far.
        answered : tuple of pairs of ApprovalRequest and ApprovalAnswer
            About calls of its latest reply; last what it waited for.
        """
        self.messages.extend(own)
        self._call_ids.update(call.id for message in own for call in message.tool_calls)
        self.reply_id = next(message.id for message in reversed(own) if message.tool_calls)
        self.steps = len({event.step for event in events if event.author == self.owner.name and event.step})
        self.step = max((event.step for event in events), default=0)
        ended = (event for event in events if isinstance(event, ToolFinished))
        self.tool_calls = sum(not was_control(event.tool, event.role) for event in ended)
        self.left = answered

    def go_on_from(self, left: LeftTurn) -> None:
        """Take up what an earlier turn left at a question; its messages and calls get ids of this one."""
        calls: dict[str, ToolCall] = {}
        for one in left.said:
            calls |= {call.id: call.model_copy(update={"id": self.context.ids.new("call")}) for call in one.tool_calls}
            own = tuple(calls[call.id] for call in one.tool_calls)
            answered = calls.get(one.tool_call_id or "")
            author = one.author or left.node.name
            message = self.turn.message(
                one.role, author, one.content, "", own, answered=answered, is_error=one.is_error
            )
            self.messages.append(message)
            if own:
                self.reply_id = message.id
        self._call_ids.update(call.id for call in calls.values())
        self.node = left.node
        self.left = tuple(
            (replace(request, call_id=calls[request.call_id].id, turn_id=self.turn.turn_id), answer)
            for request, answer in left.answered
        )

    @property
    def resumable(self) -> Conversation | None:
        """What another process needs to go on with this; ``None`` where only this one can.

        A turn ends with its process and goes on as another one; nobody waits any more for a run of a run.
        """
        if not self.run_id:
            return Conversation((), tuple(self.messages)) if self.child is None else None
        if self.depth != 1 or self.node is not self.owner:
            return None
        inherited = self.child.inherited if self.child is not None else self.history
        return Conversation(tuple(inherited), tuple(self.messages))

    def renew(self) -> None:
        """Take up what turns work with by now: another tree, for instance."""
        old = self.turn.context
        if old.renewed is None:
            return
        newer = old.renewed()
        if newer is not None:
            self.turn.context = replace(newer, approver=old.approver)
        if self.context is not self.turn.context:
            self.context = self.turn.context
            nodes = self.context.tree.by_name
            self.node, self.owner = nodes.get(self.node.name, self.node), nodes.get(self.owner.name, self.owner)

    def prompt_of(self, node: AgentNode) -> Message:
        """Return an agent's prompt, with what is remembered that its request speaks of."""
        recall = self.context.recall
        if recall is None:
            return node.system_message
        if self.recalled is None:
            self.recalled = recall(self.request.content)
            if self.recalled:
                self.emit(Recalled(text=mask(self.recalled)), node.name)
        if not self.recalled:
            return node.system_message
        return Message(role="system", content=f"{node.prompt}\n\n{self.recalled}", author=node.name)

    # -- being cancelled -----------------------------------------------------------------------------------------------

    def bind_to_task(self) -> None:
        """Belong to the task that runs now: once it is cancelled, nothing more may happen."""
        self._task = asyncio.current_task()
        self._cancelling = self._task.cancelling() if self._task is not None else 0

    @property
    def is_bound(self) -> bool:
        """Whether it belongs to a task."""
        return self._task is not None

    def is_cancelled(self) -> bool:
        """Tell whether the task was cancelled since the loop began."""
        return self._task is not None and self._task.cancelling() > self._cancelling

    def check_cancelled(self) -> None:
        """Stop where a tool or a model took the cancellation for itself and went on.

        Raises
        ------
        asyncio.CancelledError
            The loop was cancelled.
        """
        if self._task is not None and self._task.cancelling() > self._cancelling:
            raise asyncio.CancelledError

    # -- the conversation ----------------------------------------------------------------------------------------------

    @property
    def history(self) -> Sequence[Message]:
        """What was said before, as far as the agent at work is given it; read anew at every step."""
        return self.turn.earlier(self.turn.model_of(self.node.name)) if self.own_history is None else self.own_history

    def work_in(self, child: ChildSession | None) -> None:
        """Go on in a session of the agent's own, or back in the conversation."""
        self.child = child
        self.log = child.messages if child is not None else self.messages
        """Where the agent at work writes: its own session, or the conversation."""
        self.conversation = child.key if child is not None else self.run_id
        """Name of that, as messages and steps carry it."""

    def add(self, role: Role, author: str, content: str, tool_calls: tuple[ToolCall, ...] = ()) -> str:
        """Add a message to the conversation and return its id."""
        message = self.turn.message(role, author, content, self.conversation, tool_calls)
        self.log.append(message)
        return message.id

    def add_reply(self, node: AgentNode, reply: Reply) -> None:
        """Add a reply that calls something; its text, if any, is shown."""
        self.reply_id = self.add("assistant", node.name, reply.text, reply.tool_calls)
        if text := reply.text.strip():
            self.emit(TextSaid(text=text, usage=self.take_usage(), message_id=self.reply_id), node.name)

    def reply_to(self, call: ToolCall, node: AgentNode, text: str, *, is_error: bool = False) -> str:
        """Answer a call in the conversation, so that none is left dangling, and return the message's id."""
        message = self.turn.message("tool", node.name, text, self.conversation, answered=call, is_error=is_error)
        self.log.append(message)
        return message.id

    def say(self, node: AgentNode, text: str) -> None:
        """Say the answer."""
        self.answer = mask(text)
        self.reply_id = self.add("assistant", node.name, text)
        self.emit(TextSaid(text=self.answer, usage=self.take_usage(), message_id=self.reply_id), node.name)

    def with_own_ids(self, reply: Reply) -> Reply:
        """Give calls new ids whose own are none, or were given before: an id joins one call with one answer."""
        own: dict[str, ToolCall] = {}
        for call in reply.tool_calls:
            name = call.id
            while name in own or name in self._call_ids or not name.strip() or len(name) > _LONGEST_ID:
                name = self.context.ids.new("call")
            own[name] = call if name is call.id else call.model_copy(update={"id": name})
        self._call_ids.update(own)
        calls = tuple(own.values())
        return reply if calls == reply.tool_calls else reply.model_copy(update={"tool_calls": calls})

    def close_calls(self) -> None:
        """Answer every call that has no answer, in the name of the agent that made it."""
        answered = {message.tool_call_id for message in self.log if message.role == "tool"}
        tree = self.context.tree
        for message in tuple(self.log):
            for call in message.tool_calls:
                if call.id in answered:
                    continue
                answered.add(call.id)
                node = tree.by_name.get(message.author or "", tree.root)
                message_id = self.reply_to(call, node, INTERRUPTED, is_error=True)
                if call.id in self.started:
                    self.started.discard(call.id)
                    finished = ToolFinished(
                        call_id=call.id,
                        tool=call.name,
                        result=INTERRUPTED,
                        is_error=True,
                        code="interrupted",
                        role=self.context.role_of(node, call.name),
                        message_id=message_id,
                    )
                    self.emit(finished, node.name)

    # -- model calls ---------------------------------------------------------------------------------------------------

    def next_step(self) -> None:
        """Begin the next model call of the turn."""
        self.turn.steps += 1
        self.steps += 1
        self.step = self.turn.steps

    def given(self, node: AgentNode, messages: int, history: Sequence[Message]) -> GivenTo:
        """Say what the agent is given with the next model call."""
        child, name, last = self.child, self.conversation, self.turn.last
        earlier, given = self.inherited
        if child is None and not self.run_id:
            has_summary = bool(history) and history[0].conversation == SUMMARY
            earlier, given = len(history) - has_summary, (("", 1, last),)
        elif child is None or (start := child.window) <= 1:
            given = (*given, (name, 1, last))
        else:
            order = position(child.messages[0])
            given = (*given, (name, order, order), (name, position(child.messages[start]), last))
        return (self.step, node.name, self.run_id, name, messages, earlier, given)

    def add_usage(self, model: Model, reply: Reply, began_s: float) -> None:
        """Keep what the model call of this step cost."""
        turn, usage = self.turn, reply.usage
        latency_ms = max((self.context.clock.monotonic_s() - began_s) * 1000, 0.0)
        self._usage = usage.model_copy(update={"model": usage.model or model.name, "latency_ms": latency_ms})
        turn.usages[self.step] = self._usage
        turn.count_usage(usage)

    def take_usage(self) -> Usage:
        """Give the last model call's cost to the first event that comes of it."""
        usage, self._usage = self._usage, NO_USAGE
        return usage

    # -- events, limits and failures -----------------------------------------------------------------------------------

    def emit(self, event: Event, author: str) -> None:
        """Publish an event of this loop."""
        self.turn.emit(event, author, self.step, self.run_id)

    def limit(self, found: Sequence[BudgetEvent], node: AgentNode) -> None:
        """Publish what the budget has to say; the end of a limit stops the loop with :class:`LoopStopped`."""
        for event in found:
            self.emit(event, node.name)
            if isinstance(event, LimitReached):
                raise LoopStopped(LIMIT_CODES[event.limit], event.detail)

    def breaker_changed(self, author: str, change: Change | None) -> None:
        """Record that a circuit breaker changed, if it did."""
        if change is not None:
            changed = BreakerChanged(
                circuit=change.circuit, state=change.state, failures=change.failures, detail=change.detail
            )
            self.emit(changed, author)

    def release_circuit(self, author: str, circuit: str) -> None:
        """Give the probe of a circuit back, if it had one, and record that."""
        self.breaker_changed(author, self.context.breakers.release(circuit))

    def is_specialist(self, node: AgentNode) -> bool:
        """Tell whether the root's request is with another agent, or this is a run."""
        return bool(self.run_id) or node is not self.context.tree.root

    def has_partial(self) -> bool:
        """Tell whether something was gathered that could be an answer."""
        return self.tool_calls > 0 or bool(self.turn.run_ids)

    def report_recovery(self, action: Action, found: Failure, author: str, failed_agent: str, *, late: bool) -> None:
        """Publish what is done about a failure.

        Parameters
        ----------
        action : Action
        found : Failure
        author : str
        failed_agent : str
        late : bool
            Whether it failed after a hand-off.
        """
        attempted = RecoveryAttempted(
            action=action.action,
            error_class=found.error_class,
            error_code=found.code,
            attempt=action.attempt,
            failed_agent=failed_agent,
            after_handover=late,
            wait_s=action.wait_s,
            detail=found.detail,
        )
        self.emit(attempted, author)
