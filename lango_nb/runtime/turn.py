"""One turn: from a user's message to its outcome. The only place where things happen.

    open the trace
    └─ step of the agent at work ─ what does the reply ask for?
         Final      say it, done
         HandOver   check the name, record the decision, the target goes to work
         ToolCalls  check arguments, decide the whole batch, run, answer every call
         Declined   control goes back to the root
         Empty      a typed outcome, never silence
    close the trace: every call answered, messages kept with their authors, one turn.finished

A turn that fails, is refused or is cancelled is closed the same way as one that went well.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lango_nb.core import events as happened
from lango_nb.core.clock import Clock
from lango_nb.core.errors import ModelError, ToolError, shorten
from lango_nb.core.events import (
    ApprovalAsked,
    ApprovalDecided,
    ErrorRaised,
    Event,
    HandedOver,
    HandOverRefused,
    LimitReached,
    Outcome,
    TextSaid,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from lango_nb.core.ids import Ids
from lango_nb.core.masking import mask, mask_arguments
from lango_nb.core.messages import USER, Message, Reply, ToolCall, ToolSchema, Usage
from lango_nb.models.model import Model
from lango_nb.records.decisions import Decision
from lango_nb.records.sessions import Session
from lango_nb.records.turns import Trace, Turn
from lango_nb.routing.router import Router
from lango_nb.routing.tree import AgentNode, AgentTree
from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest, Approver, Policy, arguments_hash, why_ask
from lango_nb.runtime.control.protocol import Control, Refusal, Target
from lango_nb.runtime.reply import Declined, Empty, Final, HandOver, ToolCalls, read_reply
from lango_nb.runtime.step import call_model
from lango_nb.tools.arguments import check_arguments
from lango_nb.tools.context import ToolContext
from lango_nb.tools.tool import Tool, ToolResult

logger = logging.getLogger("lango_nb")

Listener = Callable[[Event], None]
NO_USAGE = Usage()
INTERRUPTED = "the call was interrupted and did not complete"


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one turn, in code and not only in the prompt."""

    rounds: int
    """Replies that may hand work over."""
    steps: int
    """Model calls."""


@dataclass(frozen=True, slots=True)
class ApprovalRules:
    """Which calls need an answer."""

    policy: Policy = "dangerous"
    exempt: frozenset[str] = frozenset()
    sensitive: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TurnContext:
    """Everything a turn works with; the same for all turns of an engine."""

    tree: AgentTree
    control: Control
    router: Router
    model: Model
    limits: Limits
    approver: Approver
    clock: Clock
    ids: Ids
    workspace: Path
    rules: ApprovalRules = ApprovalRules()
    tool_limits: Mapping[str, float] = field(default_factory=dict)
    services: Mapping[type, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Ready:
    """A call that may run once it is allowed."""

    call: ToolCall
    tool: Tool
    arguments: Mapping[str, Any]


class TurnRun:
    """One running turn.

    Parameters
    ----------
    context : TurnContext
    session : Session
        Gets the turn's messages when the turn ends.
    text : str
        What the user wrote.
    number : int
        Number of the turn among all of its engine, from 1.
    listeners : sequence of callable
        Each gets every event as it happens.
    """

    def __init__(
        self, context: TurnContext, session: Session, text: str, number: int, listeners: Sequence[Listener] = ()
    ) -> None:
        self.context = context
        self.session = session
        self.text = mask(text)
        """The request as it is kept and shown; the model reads it as it was written."""
        self.listeners = tuple(listeners)
        self.id = context.ids.new("turn")
        self.number = number
        self.events: list[Event] = []
        self.decisions: list[Decision] = []
        self.messages: list[Message] = [Message(role="user", content=text, author=USER)]
        self.path: list[str] = [context.tree.root.name]
        self.declined: dict[str, str] = {}
        self.answer = ""
        self.rounds = 0
        self.steps = 0
        self.tool_calls = 0
        self.input_tokens: int | None = None
        self.output_tokens: int | None = None
        self._usage = NO_USAGE
        self._last_error = ""

    async def run(self) -> Trace:
        """Work the turn to its end.

        Returns
        -------
        Trace
            Closed, whatever happened.

        Raises
        ------
        asyncio.CancelledError
            The turn was cancelled; :attr:`trace` holds its closed trace.
        """
        clock = self.context.clock
        self._started_at = clock.now()
        self._started_s = clock.monotonic_s()
        self._emit(TurnStarted, USER, text=self.text)
        outcome: Outcome = "internal_error"
        code = "internal"
        try:
            outcome, code = await self._work()
        except asyncio.CancelledError:
            outcome, code = "cancelled", "cancelled"
            raise
        except ModelError as error:
            outcome, code = "model_error", error.code
            self._fail(code, str(error))
        except Exception as error:  # noqa: BLE001 - whatever it is, the trace is closed and says what happened
            self._fail(code, f"{type(error).__name__}: {shorten(str(error), 300)}")
        finally:
            self.trace = self._close(outcome, code)
        return self.trace

    # -- the loop ------------------------------------------------------------------------------------------------------

    async def _work(self) -> tuple[Outcome, str]:
        """Take steps until one of them ends the turn."""
        tree, control = self.context.tree, self.context.control
        node, decline = tree.root, tree.topology.decline
        while self.steps < self.context.limits.steps:
            offered = control.schemas(node, tree)
            reply = await self._step(node, offered)
            match read_reply(reply, control, decline, is_root=node is tree.root, may_hand_over=bool(offered)):
                case Final(text):
                    self._say(node, text)
                    return self._verdict()
                case HandOver(calls, rest):
                    self._remember(node, reply)
                    if self.rounds >= self.context.limits.rounds:
                        return self._out_of_rounds(node, (*calls, *rest))
                    node = self._hand_over(node, calls, rest)
                case ToolCalls(calls):
                    self._remember(node, reply)
                    await self._call_tools(node, calls)
                case Declined(text, calls):
                    node = self._decline(node, text, calls)
                case Empty():
                    return self._nothing_said(node)
        return self._out_of_steps(node)

    async def _step(self, node: AgentNode, offered: tuple[ToolSchema, ...]) -> Reply:
        """Ask the model on behalf of one agent, offering its tools and its ways to hand over."""
        self.steps += 1
        clock = self.context.clock
        messages = [node.system_message, *self.session.messages, *self.messages]
        began = clock.monotonic_s()
        reply = await call_model(self.context.model, messages, (*node.schemas, *offered))
        latency_ms = (clock.monotonic_s() - began) * 1000
        said = reply.usage
        self._usage = Usage(
            model=said.model or self.context.model.name,
            input_tokens=said.input_tokens,
            output_tokens=said.output_tokens,
            latency_ms=latency_ms,
        )
        if said.input_tokens is not None:
            self.input_tokens = (self.input_tokens or 0) + said.input_tokens
        if said.output_tokens is not None:
            self.output_tokens = (self.output_tokens or 0) + said.output_tokens
        return reply

    def _remember(self, node: AgentNode, reply: Reply) -> None:
        """Keep a reply that calls something; its text, if any, is shown."""
        self.messages.append(
            Message(role="assistant", content=reply.text, author=node.name, tool_calls=reply.tool_calls)
        )
        if reply.text.strip():
            self._emit(TextSaid, node.name, text=reply.text.strip(), usage=self._take_usage())

    # -- hand-over -----------------------------------------------------------------------------------------------------

    def _hand_over(self, node: AgentNode, calls: Sequence[ToolCall], rest: Sequence[ToolCall]) -> AgentNode:
        """Give the turn to the first valid target; answer every other call of the reply."""
        winner: Target | None = None
        for call in calls:
            read = self.context.control.read(call, node, self.context.tree)
            if isinstance(read, Target) and read.node.name in self.declined:
                detail = f"{read.node.name} already declined this request; choose another agent or answer yourself"
                read = Refusal(call, read.node.name, "already_declined", detail)
            if isinstance(read, Target) and winner is not None:
                detail = f"only one hand-over per reply counts; {winner.node.name} has the request"
                read = Refusal(call, read.node.name, "second_target", detail)
            if isinstance(read, Target):
                winner = read
                self.rounds += 1
                self._answer(call, node, f"{read.node.name} takes over")
                self._record_decision(node, read)
            else:
                self._emit(
                    HandOverRefused, node.name, target=read.name, code=read.code, detail=read.detail, call_id=call.id
                )
                self._answer(call, node, read.detail, is_error=True)
        for call in rest:
            self._answer(call, node, "not run: the same reply handed the request over", is_error=True)
        if winner is None:
            return node
        self.path.append(winner.node.name)
        return winner.node

    def _record_decision(self, node: AgentNode, target: Target) -> None:
        route = self.context.router.route(self.text, exclude=self.declined)
        decision = Decision(
            id=self.context.ids.new("decision"),
            turn_id=self.id,
            seq=len(self.events) + 1,
            author=node.name,
            text=self.text,
            chosen=target.node.name,
            reason=mask(target.reason),
            route=route,
            excluded=tuple(self.declined.items()),
        )
        self.decisions.append(decision)
        self._emit(
            HandedOver,
            node.name,
            target=target.node.name,
            reason=target.reason,
            call_id=target.call.id,
            decision_id=decision.id,
            round=self.rounds,
            usage=self._take_usage(),
        )

    def _decline(self, node: AgentNode, text: str, calls: tuple[ToolCall, ...]) -> AgentNode:
        """Take the request back to the root, which may try the next best agent."""
        root = self.context.tree.root
        self.declined[node.name] = mask(text)
        self.messages.append(Message(role="assistant", content=text, author=node.name, tool_calls=calls))
        for call in calls:
            self._answer(call, node, "not run: the same reply declined the request", is_error=True)
        self._emit(happened.Declined, node.name, text=mask(text), target=root.name, usage=self._take_usage())
        self.path.append(root.name)
        return root

    # -- tools ---------------------------------------------------------------------------------------------------------

    async def _call_tools(self, node: AgentNode, calls: Sequence[ToolCall]) -> None:
        """Check all calls, decide all that need an answer, then run them one after the other."""
        checked = [self._check(node, call) for call in calls]
        decided = [await self._decide(node, item) if isinstance(item, _Ready) else item for item in checked]
        for call, ready in zip(calls, decided, strict=True):
            if isinstance(ready, _Ready):
                await self._run_tool(node, ready)
            else:
                self._finish_tool(node, call, ready, 0.0)

    def _check(self, node: AgentNode, call: ToolCall) -> _Ready | ToolResult:
        """Find the tool and check the arguments; before that, nothing happens."""
        tool = node.tools_by_name.get(call.name)
        if tool is None:
            return self._no_such_tool(node, call.name)
        if call.error:
            return ToolResult(f"the arguments of {call.name} cannot be read: {call.error}", True, "bad_arguments")
        try:
            return _Ready(call, tool, check_arguments(tool, call.arguments))
        except ToolError as error:
            return ToolResult(str(error), True, error.code)

    def _no_such_tool(self, node: AgentNode, name: str) -> ToolResult:
        if node.role == "orchestrator":
            detail = f"{node.name} has no tools of its own; hand the request to the agent that owns {shorten(name)!r}"
            return ToolResult(detail, True, "orchestrator_direct_tool_call")
        names = ", ".join(node.tools_by_name) or "none"
        return ToolResult(f"{node.name} has no tool {shorten(name)!r}; its tools: {names}", True, "tool_not_found")

    async def _decide(self, node: AgentNode, ready: _Ready) -> _Ready | ToolResult:
        """Let the approver answer, where the policy asks for an answer."""
        tool, call = ready.tool, ready.call
        rules = self.context.rules
        reason = "" if tool.is_by_name else why_ask(tool, rules.policy, rules.exempt, rules.sensitive)
        if not reason:
            return ready
        digest = arguments_hash(tool.name, ready.arguments)
        request = ApprovalRequest(call.id, tool.name, ready.arguments, digest, node.name, reason)
        self._emit(
            ApprovalAsked,
            node.name,
            call_id=call.id,
            tool=tool.name,
            arguments=mask_arguments(ready.arguments),
            arguments_hash=digest,
            reason=reason,
            usage=self._take_usage(),
        )
        answer = await self._ask(request)
        self._emit(
            ApprovalDecided,
            node.name,
            call_id=call.id,
            tool=tool.name,
            arguments_hash=digest,
            allowed=answer.allowed,
            by=answer.by,
            detail=answer.detail,
        )
        if answer.allowed:
            return ready
        return ToolResult(f"{tool.name} was not run: {answer.detail or 'refused'}", True, "approval_denied")

    async def _ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Ask the approver; one that fails says no."""
        try:
            return await self.context.approver.answer(request)
        except Exception as error:  # noqa: BLE001 - a broken approver must not let a dangerous call through
            return ApprovalAnswer(False, "error", f"the approver failed: {type(error).__name__}: {error}")

    async def _run_tool(self, node: AgentNode, ready: _Ready) -> None:
        """Run one call; whatever it raises becomes a result the model can read."""
        call, tool, context = ready.call, ready.tool, self.context
        self._emit(
            ToolStarted,
            node.name,
            call_id=call.id,
            tool=tool.name,
            arguments=mask_arguments(ready.arguments),
            safety=tool.safety,
            usage=self._take_usage(),
        )
        surroundings = ToolContext(
            workspace=context.workspace,
            agent=node.name,
            session_id=self.session.id,
            turn_id=self.id,
            call_id=call.id,
            limits=context.tool_limits,
            services=context.services,
        )
        began = context.clock.monotonic_s()
        try:
            result = await tool.call(ready.arguments, surroundings)
        except ToolError as error:
            result = ToolResult(str(error), True, error.code)
        except Exception as error:  # noqa: BLE001 - a tool may raise anything; the turn goes on and says so
            result = ToolResult(f"{tool.name} failed: {type(error).__name__}: {error}", True, "tool_failed")
        self._finish_tool(node, call, result, (context.clock.monotonic_s() - began) * 1000)

    def _finish_tool(self, node: AgentNode, call: ToolCall, result: ToolResult, latency_ms: float) -> None:
        self.tool_calls += 1
        self._last_error = (result.code or "tool_error") if result.is_error else ""
        self._emit(
            ToolFinished,
            node.name,
            call_id=call.id,
            tool=call.name,
            result=result.content,
            is_error=result.is_error,
            code=result.code,
            latency_ms=latency_ms,
        )
        self._answer(call, node, result.content, is_error=result.is_error)

    def _answer(self, call: ToolCall, node: AgentNode, text: str, *, is_error: bool = False) -> None:
        """Answer a call in the conversation, so that none is left dangling."""
        self.messages.append(
            Message(
                role="tool",
                content=text,
                author=node.name,
                tool_call_id=call.id,
                tool_name=call.name,
                is_error=is_error,
            )
        )

    # -- endings -------------------------------------------------------------------------------------------------------

    def _say(self, node: AgentNode, text: str) -> None:
        self.answer = mask(text)
        self.messages.append(Message(role="assistant", content=text, author=node.name))
        self._emit(TextSaid, node.name, text=self.answer, usage=self._take_usage())

    def _verdict(self) -> tuple[Outcome, str]:
        """Judge a turn that ended with a visible answer: its last tool call must have gone well."""
        return ("tool_error", self._last_error) if self._last_error else ("success", "")

    def _out_of_rounds(self, node: AgentNode, calls: Sequence[ToolCall]) -> tuple[Outcome, str]:
        limit = self.context.limits.rounds
        detail = f"this turn may hand over {limit} times; the next hand-over was refused"
        for call in calls:
            name = str(call.arguments.get("agent_name") or "")
            if self.context.control.owns(call.name):
                self._emit(HandOverRefused, node.name, target=name, code="round_limit", detail=detail, call_id=call.id)
            self._answer(call, node, detail, is_error=True)
        self._emit(LimitReached, node.name, limit="rounds", value=limit, detail=detail)
        self._say(self.context.tree.root, f"I stopped: {detail}. Please make the request smaller or clearer.")
        return "delegation_limit", "delegation_limit"

    def _out_of_steps(self, node: AgentNode) -> tuple[Outcome, str]:
        limit = self.context.limits.steps
        detail = f"this turn may call the model {limit} times and did not come to an end"
        self._emit(LimitReached, node.name, limit="steps", value=limit, detail=detail)
        self._say(self.context.tree.root, f"I stopped: {detail}.")
        return "loop_detected", "turn_limit_exceeded"

    def _nothing_said(self, node: AgentNode) -> tuple[Outcome, str]:
        if self.tool_calls:
            self._say(node, "I used my tools but have nothing to report; please look at the trace.")
            return "empty_after_tool_use", "empty_after_tool_use"
        self._say(node, "I have no answer to that; please put it differently.")
        return "model_error", "empty_reply"

    def _fail(self, code: str, text: str) -> None:
        """Say visibly that the turn failed."""
        author = self.path[-1]
        self._emit(ErrorRaised, author, code=code, text=text)
        self._say(self.context.tree[author], f"I could not finish this: {text}")

    def _close(self, outcome: Outcome, code: str) -> Trace:
        """Answer dangling calls, keep the messages, write the last event."""
        self._close_dangling()
        self.session.messages.extend(self.messages)
        duration_ms = (self.context.clock.monotonic_s() - self._started_s) * 1000
        self._emit(
            TurnFinished,
            self.context.tree.root.name,
            outcome=outcome,
            error_code=code,
            rounds=self.rounds,
            steps=self.steps,
            tool_calls=self.tool_calls,
            duration_ms=duration_ms,
        )
        turn = Turn(
            id=self.id,
            number=self.number,
            session_id=self.session.id,
            topology=self.context.tree.topology.name,
            model=self.context.model.name,
            text=self.text,
            answer=self.answer,
            outcome=outcome,
            error_code=code,
            path=tuple(self.path),
            rounds=self.rounds,
            steps=self.steps,
            tool_calls=self.tool_calls,
            started_at=self._started_at,
            ended_at=self.events[-1].at,
            duration_ms=duration_ms,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
        )
        kept = tuple(_masked(message) for message in self.messages)
        return Trace(turn, tuple(self.events), tuple(self.decisions), kept)

    def _close_dangling(self) -> None:
        answered = {message.tool_call_id for message in self.messages if message.role == "tool"}
        for message in tuple(self.messages):
            for call in message.tool_calls:
                if call.id not in answered:
                    node = self.context.tree[message.author or self.context.tree.root.name]
                    self._answer(call, node, INTERRUPTED, is_error=True)
                    if any(isinstance(event, ToolStarted) and event.call_id == call.id for event in self.events):
                        self._emit(
                            ToolFinished,
                            node.name,
                            call_id=call.id,
                            tool=call.name,
                            result=INTERRUPTED,
                            is_error=True,
                            code="interrupted",
                        )

    def _take_usage(self) -> Usage:
        """Give the last model call's cost to the first event that comes of it."""
        usage, self._usage = self._usage, NO_USAGE
        return usage

    def _emit(self, kind: Callable[..., Event], author: str, **values: Any) -> None:
        event = kind(
            turn_id=self.id,
            seq=len(self.events) + 1,
            at=self.context.clock.now(),
            author=author,
            step=self.steps,
            **{name: mask(value) if isinstance(value, str) else value for name, value in values.items()},
        )
        self.events.append(event)
        for listener in self.listeners:
            try:
                listener(event)
            except Exception:
                logger.exception("a listener failed on %s and gets no more events of this turn", event.kind)
                self.listeners = tuple(other for other in self.listeners if other is not listener)


def _masked(message: Message) -> Message:
    """Return a message as it is kept: without secrets in its text, its names and the arguments of its calls."""
    changes: dict[str, Any] = {}
    if (content := mask(message.content)) is not message.content:
        changes["content"] = content
    if message.tool_calls and (calls := tuple(_masked_call(call) for call in message.tool_calls)) != message.tool_calls:
        changes["tool_calls"] = calls
    for name in ("tool_name", "tool_call_id"):
        value = getattr(message, name)
        if value is not None and (masked := mask(value)) is not value:
            changes[name] = masked
    return message.model_copy(update=changes) if changes else message


def _masked_call(call: ToolCall) -> ToolCall:
    changes: dict[str, Any] = {}
    for name in ("id", "name", "error"):
        value = getattr(call, name)
        if value is not None and (masked := mask(value)) is not value:
            changes[name] = masked
    if call.arguments and (arguments := mask_arguments(call.arguments)) != call.arguments:
        changes["arguments"] = arguments
    return call.model_copy(update=changes) if changes else call
