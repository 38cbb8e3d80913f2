"""One agent at work on one request until it is answered: the root on the user's, a teammate on its instruction.

    step ─ what does the reply ask for?
      Final      said, done
      HandOver   transfer: the target goes on here · spawn, delegate: it gets a run of its own
      ToolCalls  checked, decided as a batch, run, each answered
      Declined   control goes back to the root
      Empty      a typed outcome, never silence

What fails is classified once; the recovery policy says what is done about it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import chain

from lango_nb.core import events as happened
from lango_nb.core.errors import ModelError, shorten
from lango_nb.core.events import (
    BudgetExpanded,
    BudgetWarning,
    Event,
    LimitReached,
    TextSaid,
    ToolFinished,
)
from lango_nb.core.masking import mask
from lango_nb.core.messages import NO_USAGE, SUMMARY, Message, Reply, Role, ToolCall, ToolSchema, Usage
from lango_nb.models.model import Model, is_live
from lango_nb.records.child_sessions import ChildSession
from lango_nb.records.excerpt import Excerpt
from lango_nb.records.questions import Conversation
from lango_nb.records.runs import AgentRun
from lango_nb.records.steps import GivenTo, Inherited, position, references
from lango_nb.routing.tree import AgentNode
from lango_nb.runtime.breakers import provider_circuit
from lango_nb.runtime.calls import Calls
from lango_nb.runtime.context import TurnState
from lango_nb.runtime.control.protocol import Refusal, Target
from lango_nb.runtime.ending import Ending, Stopped
from lango_nb.runtime.failures import LIMIT_CODES, Failure, classify, failure
from lango_nb.runtime.handing import HandOvers
from lango_nb.runtime.limits import Expanded, Notice, Reached, Warned
from lango_nb.runtime.questions import ApprovalAnswer, ApprovalRequest
from lango_nb.runtime.recovering import Recovering
from lango_nb.runtime.reply import Declined, Empty, Final, HandOver, ToolCalls, read_reply
from lango_nb.runtime.step import call_model
from lango_nb.runtime.summaries import sum_up
from lango_nb.tools.builtin import control_names

_LONGEST_ID = 128
"""Characters of a call's id."""


class Work:
    """One agent, and whoever it transfers to, on one request.

    Parameters
    ----------
    state : TurnState
        The turn it belongs to.
    node : AgentNode
        Who begins.
    request : Message
        What has to be done.
    history : sequence of Message, optional
        What was said before; what the session has, as far as it fits, when absent.
    run : AgentRun, optional
        The teammate run this is; ``None`` for the turn's own work.
    child : ChildSession, optional
        The session of its own a teammate works in.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what a piece of work is made of
        self,
        state: TurnState,
        node: AgentNode,
        request: Message,
        history: Sequence[Message] | None = None,
        run: AgentRun | None = None,
        child: ChildSession | None = None,
    ) -> None:
        self.state = state
        self.owner = self.node = node
        self.run_id = run.id if run is not None else ""
        self.depth = run.spawn_depth if run is not None else 0
        self._history = history
        self.messages: list[Message] = [request]
        self.merged: list[Message] = []
        """What ended runs left for later turns; in this one the root has their results."""
        self.child = child
        self.notes: list[str] = []
        """What the runtime has to tell the agent before its next step."""
        self.declined: dict[str, str] = {}
        self.failed: dict[str, str] = {}
        self.run_errors: dict[str, str] = {}
        """Runs of the latest hand-over that came out badly, with their codes."""
        self.step = 0
        self.steps = 0
        self.tool_calls = 0
        self.last_error = ""
        self.answer = ""
        self.reply_id = ""
        """The message with the latest reply."""
        self.request = request
        self.inherited: Inherited = 0, ()
        """What stands before the conversation, unless that is the turn's own."""
        self._left: tuple[ApprovalRequest, ApprovalAnswer] | None = None
        self._usage = NO_USAGE
        self._call_ids: set[str] = set()
        self._over: Stopped | None = None
        self._task: asyncio.Task[object] | None = None
        self._cancelling = 0
        self.calls = Calls(self)
        self.handing = HandOvers(self)
        self.recovering = Recovering(self)
        if child is not None:
            child.messages.append(request)
            self.messages = child.messages
        if run is not None:
            inherited = child.inherited if child is not None else self.history
            self.inherited = references(inherited, state.turn_id)

    def go_on_with(
        self, own: Sequence[Message], events: Sequence[Event], request: ApprovalRequest, answer: ApprovalAnswer
    ) -> None:
        """Take up what an earlier process left at a question: :meth:`finish` begins with the calls that wait for it.

        Parameters
        ----------
        own : sequence of Message
            What was said after the work order.
        events : sequence of Event
            What happened in the run so far.
        request : ApprovalRequest
        answer : ApprovalAnswer
        """
        self.messages.extend(own)
        self._call_ids.update(call.id for message in own for call in message.tool_calls)
        self.reply_id = next(message.id for message in reversed(own) if message.tool_calls)
        self.steps = len({event.step for event in events if event.author == self.owner.name and event.step})
        self.step = max((event.step for event in events), default=0)
        ended = (event.tool for event in events if isinstance(event, ToolFinished))
        self.tool_calls = sum(tool not in control_names() for tool in ended)
        self._left = request, answer

    @property
    def said(self) -> Conversation | None:
        """What another process needs to go on with this; ``None`` where only this one can.

        The turn itself ends with its process, and so does whoever waits for a run of a run.
        """
        if not self.run_id or self.depth != 1 or self.node is not self.owner:
            return None
        inherited = self.child.inherited if self.child is not None else self.history
        return Conversation(tuple(inherited), tuple(self.messages))

    @property
    def history(self) -> Sequence[Message]:
        """What was said before, as far as the agent at work is given it; read anew at every step."""
        return self.state.earlier(self.state.model_of(self.node.name)) if self._history is None else self._history

    # -- the loop ------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Note whose work this is: who is cancelled from now on must not go on."""
        self._task = asyncio.current_task()
        self._cancelling = self._task.cancelling() if self._task is not None else 0

    async def finish(self) -> Ending:
        """Work until it is answered or cannot go on.

        Raises
        ------
        asyncio.CancelledError
            It was cancelled; nothing is left to close here.
        """
        if self._task is None:
            self.begin()
        while True:
            try:
                return await self._steps()
            except Stopped as stop:
                ending = await self.recovering.decide(failure(stop.code, stop.detail))
            except Exception as error:  # noqa: BLE001 - whatever it is, it is classified and leaves a typed outcome
                ending = await self.recovering.decide(classify(error), error)
            if ending is not None:
                return ending

    def is_cancelled(self) -> bool:
        """Tell whether somebody cancelled this work since it began."""
        return self._task is not None and self._task.cancelling() > self._cancelling

    def check_cancelled(self) -> None:
        """Stop where a tool or a model took the cancellation for itself and went on.

        Raises
        ------
        asyncio.CancelledError
            It was cancelled.
        """
        if self.is_cancelled():
            raise asyncio.CancelledError

    async def _steps(self) -> Ending:
        tree, control = self.state.context.tree, self.state.context.control
        if self._left is not None:
            left, self._left = self._left, None
            await self.calls.go_on(self.node, *left)
        while True:
            node = self.node
            last_word = self.recovering.last_word
            offered = () if last_word else control.schemas(node, tree)
            tools = () if last_word else node.schemas  # also those a run needs leave for
            reply = await self._ask(node, tools, offered)
            names = {schema.name for schema in chain(tools, offered)} if reply.tool_calls else ()
            said = read_reply(reply, control, tree.topology.decline, names, is_root=node is tree.root)
            if not isinstance(said, Final):  # an answer was paid for and is used, whatever limit it met
                self._go_on(last_word)
            match said:
                case Final(text):
                    if not self.run_id:  # the turn's last word comes after the answers of a person
                        await self.state.prompts.over()
                        self.check_cancelled()
                    return self._final(node, text)
                case HandOver(calls, rest):
                    self.remember(node, reply)
                    await self.handing.over(node, calls, rest)
                case ToolCalls(calls):
                    self.remember(node, reply)
                    self.notice(self.state.budget.tools_replied(node.name, is_planner=not node.tools), node)
                    await self.calls.run(node, calls)
                case Declined(text, calls):
                    self.handing.decline(node, text, calls)
                case Empty():
                    is_after_work = self.tool_calls or (self.state.run_ids and not self.run_id)
                    code = "empty_after_tool_use" if is_after_work else "empty_reply"
                    raise Stopped(code, f"{node.name} said nothing")

    def _go_on(self, last_word: Failure | None) -> None:
        """Let a reply that is no answer pass, unless there may be no further one."""
        over, self._over = self._over, None
        if over is not None:
            raise over
        if last_word is not None:
            raise Stopped(last_word.code, last_word.detail)

    async def _ask(self, node: AgentNode, tools: tuple[ToolSchema, ...], offered: tuple[ToolSchema, ...]) -> Reply:
        """Ask the model on behalf of one agent, again where the provider failed for a moment."""
        self.check_cancelled()
        state = self.state
        context, clock = state.context, state.context.clock
        for note in self.notes:
            self.add("user", node.name, note)
        self.notes.clear()
        if not self.run_id and state.path[-1] != node.name:
            state.path.append(node.name)
        self.next_step()
        model = state.model_of(node.name)
        circuit = self._admitted(node, model)
        try:
            if context.summaries and self.child is None and self._history is None:
                await sum_up(self, node, model)
            history = self.history if self.child is None else ()
            own = self.messages if self.child is None else self.child.history
            messages: Sequence[Message] = [node.system_message, *own]
            if history:
                messages = Excerpt(((node.system_message,), 0), (history, 0), (own, 0))
            state.given[self.step] = self._given(node, len(messages) - 1, history)
            while True:
                began = clock.monotonic_s()
                hear = state.text_listener(node.name, self.run_id)
                try:
                    reply = await call_model(model, messages, (*tools, *offered), hear)
                except ModelError as error:
                    await self.recovering.model_failed(circuit, error, node)
                else:
                    break
        except (asyncio.CancelledError, Stopped):
            context.breakers.release(circuit)
            raise
        self.check_cancelled()
        state.breaker_changed(node.name, context.breakers.record_success(circuit), self.run_id)
        self.paid(model, reply, began)
        try:
            self.count(reply, node)
        except Stopped as stop:
            self._over = stop
        return self._with_own_ids(reply) if reply.tool_calls else reply

    def _admitted(self, node: AgentNode, model: Model) -> str:
        """Make sure that a model may be asked, and return its circuit."""
        state = self.state
        if is_live(model) and not state.context.allow_network:
            raise Stopped("network_off", f"{model.name} is a live model and models.allowNetwork is off")
        circuit = provider_circuit(model.name)
        admission = state.context.breakers.admit(circuit)
        state.breaker_changed(node.name, admission.change, self.run_id)
        if not admission.is_allowed:
            raise Stopped("provider_open", f"{model.name} is left alone for a while: {admission.reason}")
        return circuit

    def next_step(self) -> None:
        """Begin the next model call of the turn."""
        self.state.steps += 1
        self.steps += 1
        self.step = self.state.steps

    def paid(self, model: Model, reply: Reply, began_s: float) -> None:
        """Keep what the model call of this step cost."""
        state, usage = self.state, reply.usage
        self._usage = Usage(
            model=usage.model or model.name,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            latency_ms=max((state.context.clock.monotonic_s() - began_s) * 1000, 0.0),
            cost_usd=usage.cost_usd,
        )
        state.usages[self.step] = self._usage
        state.count_usage(usage)

    def count(self, reply: Reply, node: AgentNode) -> None:
        """Count it against the limits of the turn; the end of one stops the work."""
        self.notice(self.state.budget.model_call(reply.usage, reply.usage.cost_usd or 0.0), node)

    def _given(self, node: AgentNode, messages: int, history: Sequence[Message]) -> GivenTo:
        """Say what the agent is given with the next model call."""
        child, name, last = self.child, self.conversation, self.state.last
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

    def _with_own_ids(self, reply: Reply) -> Reply:
        """Give calls new ids whose own are none, or were given before: an id joins one call with one answer."""
        own: dict[str, ToolCall] = {}
        for call in reply.tool_calls:
            name = call.id
            while name in own or name in self._call_ids or not name.strip() or len(name) > _LONGEST_ID:
                name = self.state.context.ids.new("call")
            own[name] = call if name is call.id else call.model_copy(update={"id": name})
        self._call_ids.update(own)
        calls = tuple(own.values())
        return reply if calls == reply.tool_calls else reply.model_copy(update={"tool_calls": calls})

    # -- the conversation ----------------------------------------------------------------------------------------------

    @property
    def log(self) -> list[Message]:
        """Where the agent at work writes: its own session, or the conversation."""
        return self.child.messages if self.child is not None else self.messages

    @property
    def conversation(self) -> str:
        """Name of that, as messages and steps carry it."""
        return self.child.key if self.child is not None else self.run_id

    def add(self, role: Role, author: str, content: str, tool_calls: tuple[ToolCall, ...] = ()) -> str:
        """Add a message to the conversation and return its id."""
        message = self.state.message(role, author, content, self.conversation, tool_calls)
        self.log.append(message)
        return message.id

    def remember(self, node: AgentNode, reply: Reply) -> None:
        """Keep a reply that calls something; its text, if any, is shown."""
        self.reply_id = self.add("assistant", node.name, reply.text, reply.tool_calls)
        if reply.text.strip():
            said = reply.text.strip()
            self.emit(TextSaid, node.name, text=said, usage=self.take_usage(), message_id=self.reply_id)

    def reply_to(self, call: ToolCall, node: AgentNode, text: str, *, is_error: bool = False) -> str:
        """Answer a call in the conversation, so that none is left dangling, and return the message's id."""
        message = self.state.message("tool", node.name, text, self.conversation, answered=call, is_error=is_error)
        self.log.append(message)
        return message.id

    def say(self, node: AgentNode, text: str) -> None:
        """Say the answer."""
        self.answer = mask(text)
        self.reply_id = self.add("assistant", node.name, text)
        self.emit(TextSaid, node.name, text=self.answer, usage=self.take_usage(), message_id=self.reply_id)

    # -- limits and failures -------------------------------------------------------------------------------------------

    def notice(self, notices: Sequence[Notice], node: AgentNode, targets: Sequence[Target] = ()) -> None:
        """Record what a limit has to say; the end of one stops the work."""
        for notice in notices:
            match notice:
                case Warned(limit, used, of):
                    self.emit(BudgetWarning, node.name, limit=limit, used=used, of=of)
                case Expanded(limit, before, after, reason):
                    self.emit(BudgetExpanded, node.name, limit=limit, before=before, after=after, reason=reason)
                case Reached(limit, _, detail):
                    for target in targets:
                        self.state.context.breakers.release(target.node.name)
                    for target in targets if limit == "cycle" else ():
                        self.handing.refuse(node, Refusal(target.call, target.node.name, "cycle", detail))
                    self.stop_at(notice, node)

    def stop_at(self, reached: Reached, node: AgentNode) -> None:
        """End the work at a limit: what called this does not go on."""
        self.emit(LimitReached, node.name, limit=reached.limit, value=reached.value, detail=reached.detail)
        raise Stopped(LIMIT_CODES[reached.limit], reached.detail)

    def is_specialist(self, node: AgentNode) -> bool:
        """Tell whether the root's request is with somebody else, or this is a run."""
        return bool(self.run_id) or node is not self.state.context.tree.root

    def has_partial(self) -> bool:
        """Tell whether something was gathered that could be an answer."""
        return self.tool_calls > 0 or bool(self.state.run_ids)

    def close_calls(self) -> None:
        """Answer what is unanswered, so that nobody inherits it."""
        self.calls.close_dangling()

    def _final(self, node: AgentNode, text: str) -> Ending:
        """Judge a visible answer: the last tool call before it must have gone well."""
        state = self.state
        if (
            self.last_error
            and state.context.mode == "structured"
            and not self.run_id
            and node is not state.context.tree.root
        ):
            raise Stopped(self.last_error, f"{node.name}: {shorten(mask(text), 200)}")
        self.say(node, text)
        if self.run_id:
            state.breaker_changed(node.name, state.context.breakers.record_success(self.owner.name), self.run_id)
        elif node is not state.context.tree.root:
            state.breaker_changed(node.name, state.context.breakers.record_success(node.name))
            self.handing.end_child(summary=text)
        code = self.last_error or next(iter(self.run_errors.values()), "")
        outcome = failure(code).outcome if code else "success"
        if outcome == "cancelled":  # a run was; the turn went on and was answered
            outcome = "tool_error"
        return Ending(outcome, code, self.answer, is_answered=True)

    # -- events --------------------------------------------------------------------------------------------------------

    def take_usage(self) -> Usage:
        """Give the last model call's cost to the first event that comes of it."""
        usage, self._usage = self._usage, NO_USAGE
        return usage

    def emit(self, kind: type[happened.BaseEvent], author: str, **values: object) -> None:
        """Record an event of this work."""
        self.state.emit(kind, author, step=self.step, run_id=self.run_id, **values)  # type: ignore[arg-type]
