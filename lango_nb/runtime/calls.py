"""The tool calls of one reply: all are checked and decided before any runs, and every one is answered.

check      is there such a tool, may this run use it, are the arguments right
before     the hooks, ApprovalGate the last of them
run        one after the other; whatever a tool raises becomes a result the model can read
after      the hooks again
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from lango_nb.core.errors import StoreError, ToolError, UnknownNameError, shorten
from lango_nb.core.events import HookDecided, PolicyDecided, ToolFinished, ToolStarted
from lango_nb.core.masking import mask_arguments
from lango_nb.core.messages import ToolCall
from lango_nb.hooks.approval_gate import ApprovalGate, ApprovalService
from lango_nb.hooks.hook import Block, Blocked, HookCall, HookNote
from lango_nb.routing.tree import AgentNode
from lango_nb.runtime import grants
from lango_nb.runtime.asking import Asking
from lango_nb.runtime.causes import text_of
from lango_nb.runtime.limits import Notices
from lango_nb.runtime.questions import ApprovalAnswer, ApprovalRequest
from lango_nb.tools.arguments import check_arguments
from lango_nb.tools.context import ToolContext
from lango_nb.tools.tool import Tool, ToolResult

if TYPE_CHECKING:
    from lango_nb.runtime.context import TurnContext
    from lango_nb.runtime.work import Work

INTERRUPTED = "the call was interrupted and did not complete"
WAIT = "agent_wait"


@dataclass(frozen=True, slots=True)
class _Ready:
    """A call that may run."""

    call: ToolCall
    tool: Tool
    hooked: HookCall


class Calls:
    """What one piece of work may call, and how its calls run.

    Parameters
    ----------
    work : Work
    """

    def __init__(self, work: Work) -> None:
        self._work = work
        self._asking = Asking(work)
        self._services: Mapping[type, object] | None = None
        self._started: set[str] = set()

    async def run(self, node: AgentNode, calls: Sequence[ToolCall]) -> None:
        """Check all calls, decide all that need an answer, then run them one after the other."""
        for call in calls:
            self._work.notice(self._count(node, call), node)
        ready = [await self._decide(node, call, self._check(node, call)) for call in calls]
        for call, item in zip(calls, ready, strict=True):
            if isinstance(item, _Ready):
                await self._run(node, item)
            else:
                self._finish(node, call, item, 0.0)

    async def go_on(self, node: AgentNode, request: ApprovalRequest, answer: ApprovalAnswer) -> None:
        """Go on with the calls of the latest reply, of which one was asked about in an earlier process."""
        self._asking.take(request, answer)
        answered = {message.tool_call_id for message in self._work.log}
        calls = next(message.tool_calls for message in reversed(self._work.log) if message.tool_calls)
        await self.run(node, [call for call in calls if call.id not in answered])

    def _count(self, node: AgentNode, call: ToolCall) -> Notices:
        """Count a call; waiting again for a run that is still at work is no loop."""
        if self._is_wait(node, call) and self._is_alive(call.arguments.get("agent_id")):
            return ()
        author = f"{node.name} ({self._work.run_id})" if self._work.run_id else node.name
        return self._work.state.budget.call(author, call.name, call.arguments)

    def _is_wait(self, node: AgentNode, call: ToolCall) -> bool:
        return call.name == WAIT and self._is_control(node, call.name)

    def _is_control(self, node: AgentNode, name: str) -> bool:
        """Tell whether a call does no work on the request itself: its success says nothing about that."""
        tool = self._find(node, name)
        return tool is not None and tool.is_control

    def _is_alive(self, run_id: object) -> bool:
        if not isinstance(run_id, str) or not run_id.strip():
            return False  # the tool will say so; no run is looked up
        state = self._work.state
        try:
            run = state.context.runs.get(run_id)
        except UnknownNameError:
            return False
        return not run.is_terminal and state.context.teammates.is_seen(run, state.session.id, self._work.run_id)

    # -- before --------------------------------------------------------------------------------------------------------

    def _check(self, node: AgentNode, call: ToolCall) -> Tool | ToolResult:
        """Find the tool; before that, nothing happens."""
        tool = self._find(node, call.name)
        if tool is None:
            return self._no_such_tool(node, call.name)
        return tool

    def _find(self, node: AgentNode, name: str) -> Tool | None:
        return find_tool(self._work.state.context, node, name)

    def _no_such_tool(self, node: AgentNode, name: str) -> ToolResult:
        if node.role == "orchestrator":
            detail = f"{node.name} has no tools of its own; hand the request to the agent that owns {shorten(name)!r}"
            return ToolResult(detail, True, "orchestrator_direct_tool_call")
        if self._work.run_id:
            verdict = grants.evaluate(in_scope=False, is_allowed=False)
            self._work.emit(PolicyDecided, node.name, tool=name, decision=verdict.decision, reason=verdict.reason)
        names = ", ".join(node.tools_by_name) or "none"
        return ToolResult(f"{node.name} has no tool {shorten(name)!r}; its tools: {names}", True, "tool_not_found")

    async def _decide(self, node: AgentNode, call: ToolCall, tool: Tool | ToolResult) -> _Ready | ToolResult:
        """Check the arguments, ask the hooks, and somebody where the run was not given the tool."""
        if isinstance(tool, ToolResult):
            return tool
        if call.error:
            problem = f"the arguments of {call.name} cannot be read: {call.error}"
            return await self._asking.malformed(self._hook_call(node, call, tool, call.arguments), problem)
        try:
            arguments = check_arguments(tool, call.arguments)
        except ToolError as error:
            return ToolResult(str(error), True, error.code)
        self._escalate(node, call, tool)
        hooked = self._hook_call(node, call, tool, arguments)
        chain = self._work.state.context.hooks
        before = await chain.run_before(hooked, partial(self._note, node, hooked, "before"))
        if isinstance(before, Blocked):
            return before.result
        if self._asking.insists(before) and not self._asking.has_decided(call.id):
            decided = await self._asking.decide(before)
            if isinstance(decided, Block):
                return ToolResult(decided.reason, True, decided.code)
        return _Ready(call, tool, before)

    def _allowed(self) -> frozenset[str] | None:
        """Return what the run is narrowed to, as it is now: a grant widens it."""
        if not self._work.run_id:
            return None
        allowed = self._work.state.context.runs.get(self._work.run_id).allowed_tools
        return frozenset(allowed) if allowed else None

    def _escalate(self, node: AgentNode, call: ToolCall, tool: Tool) -> None:
        """Have somebody asked about a tool of the role's scope that the run was not given."""
        allowed = self._allowed()
        if allowed is None or tool.name in allowed or tool.is_control:
            return
        verdict = grants.evaluate(in_scope=True, is_allowed=False)
        self._work.emit(
            PolicyDecided,
            node.name,
            tool=tool.name,
            decision=verdict.decision,
            reason=verdict.reason,
            call_id=call.id,
        )
        self._asking.require(call.id, verdict.reason)

    def _hook_call(self, node: AgentNode, call: ToolCall, tool: Tool, arguments: Mapping[str, Any]) -> HookCall:
        state = self._work.state
        if self._services is None:
            self._services = {**state.context.services, ApprovalService: self._asking}
        return HookCall(
            tool=tool,
            call_id=call.id,
            agent=node.name,
            session_id=state.session.id,
            turn_id=state.turn_id,
            run_id=self._work.run_id,
            arguments=arguments,
            allowed_tools=self._allowed(),
            services=self._services,
            workspace=state.context.workspace,
        )

    def _note(self, node: AgentNode, hooked: HookCall, phase: str, note: HookNote) -> None:
        if note.verdict is not None:
            decision, code, reason = note.verdict
            self._work.emit(
                PolicyDecided,
                node.name,
                tool=hooked.tool.name,
                decision=decision,
                reason=reason,
                call_id=hooked.call_id,
                code=code,
            )
            return
        if note.hook == ApprovalGate.name and note.action == "block":
            return  # approval.decided says it already
        self._work.emit(
            HookDecided,
            node.name,
            hook=note.hook,
            phase=phase,
            action=note.action,
            tool=hooked.tool.name,
            call_id=hooked.call_id,
            detail=note.detail,
        )

    # -- running -------------------------------------------------------------------------------------------------------

    async def _run(self, node: AgentNode, ready: _Ready) -> None:
        """Run one call and let the hooks see what came of it."""
        work, hooked = self._work, ready.hooked
        work.check_cancelled()
        clock = work.state.context.clock
        self._started.add(ready.call.id)
        work.emit(
            ToolStarted,
            node.name,
            call_id=ready.call.id,
            tool=ready.tool.name,
            arguments=mask_arguments(hooked.arguments),
            safety=ready.tool.safety,
            usage=work.take_usage(),
            message_id=work.reply_id,
        )
        work.check_cancelled()  # who heard of it may have stopped it
        if ready.tool.safety != "safe":
            try:
                work.state.write_ahead()
            except StoreError as error:
                detail = f"{ready.tool.name} was not run, because that it begins could not be written down: {error}"
                self._finish(node, ready.call, ToolResult(detail, True, "not_recorded"), 0.0)
                return
        began = clock.monotonic_s()
        result = await self._call(node, ready)
        work.check_cancelled()
        latency_ms = max((clock.monotonic_s() - began) * 1000, 0.0)
        chain = work.state.context.hooks
        if chain.after:
            if ready.tool.family == "browser" and result.is_error:
                hooked = replace(hooked, retry=partial(self._call, node, ready))
            result = await chain.run_after(hooked, result, partial(self._note, node, hooked, "after"))
        self._finish(node, ready.call, result, latency_ms)

    async def _call(self, node: AgentNode, ready: _Ready) -> ToolResult:
        """Call the tool; whatever it raises becomes a result."""
        context, tool = self._work.state.context, ready.tool
        surroundings = ToolContext(
            workspace=context.workspace,
            agent=node.name,
            closed=context.closed,
            session_id=self._work.state.session.id,
            turn_id=self._work.state.turn_id,
            call_id=ready.call.id,
            run_id=self._work.run_id,
            limits=context.tool_limits,
            services=context.services,
        )
        limit = 0.0 if tool.is_control else context.tool_timeout_s  # a wait has a limit of its own
        try:
            if not limit:
                return proper(tool.name, await tool.call(ready.hooked.arguments, surroundings))
            async with asyncio.timeout(limit) as timer:
                return proper(tool.name, await tool.call(ready.hooked.arguments, surroundings))
        except ToolError as error:
            return proper(tool.name, ToolResult(str(error), True, error.code))
        except asyncio.CancelledError:
            if self._work.is_cancelled():
                raise
            return ToolResult(f"{tool.name} failed: it cancelled itself", True, "tool_failed")
        except Exception as error:  # noqa: BLE001 - a tool may raise anything; the turn goes on and says so
            if limit and isinstance(error, TimeoutError) and timer.expired():
                detail = f"{tool.name} did not answer within {limit:g} s and was abandoned; it may still be running"
                return ToolResult(detail, True, "tool_timeout")
            told = ": ".join(part for part in (type(error).__name__, text_of(error)) if part)
            return ToolResult(f"{tool.name} failed: {told}", True, "tool_failed")

    def _finish(self, node: AgentNode, call: ToolCall, result: ToolResult, latency_ms: float) -> None:
        work, result = self._work, proper(call.name, result)
        self._started.discard(call.id)
        is_work = not self._is_control(node, call.name)
        if is_work:
            work.tool_calls += 1
            work.state.tool_calls += 1
        if result.is_error:
            work.last_error = result.code or "tool_error"
        elif is_work:
            work.last_error = ""
            work.state.budget.tool_succeeded()
        message_id = work.reply_to(call, node, result.content, is_error=result.is_error)
        work.emit(
            ToolFinished,
            node.name,
            call_id=call.id,
            tool=call.name,
            result=result.content,
            is_error=result.is_error,
            code=result.code,
            latency_ms=latency_ms,
            message_id=message_id,
        )

    def close_dangling(self) -> None:
        """Answer every call that has no answer, in the name of whoever made it."""
        work = self._work
        log = work.log
        answered = {message.tool_call_id for message in log if message.role == "tool"}
        tree = work.state.context.tree
        for message in tuple(log):
            for call in message.tool_calls:
                if call.id in answered:
                    continue
                answered.add(call.id)
                author = message.author or tree.root.name
                node = tree.by_name.get(author, tree.root)
                message_id = work.reply_to(call, node, INTERRUPTED, is_error=True)
                if call.id in self._started:
                    self._started.discard(call.id)
                    work.emit(
                        ToolFinished,
                        node.name,
                        call_id=call.id,
                        tool=call.name,
                        result=INTERRUPTED,
                        is_error=True,
                        code="interrupted",
                        message_id=message_id,
                    )


def find_tool(context: TurnContext, node: AgentNode, name: str) -> Tool | None:
    """Return a tool that an agent may call: one of its own, or of the way work is handed over; ``None`` otherwise."""
    tool = node.tools_by_name.get(name)
    if tool is not None:
        return tool
    return next((tool for tool in context.control.tools(node, context.tree) if tool.name == name), None)


def proper(name: str, given: object) -> ToolResult:
    """Return what a tool or a hook gave as a result that can be kept; what is none becomes an error."""
    if not isinstance(given, ToolResult):
        detail = f"{name} gave a value of type {type(given).__name__} instead of a ToolResult"
        return ToolResult(detail, True, "tool_failed")
    if type(given.content) is str and type(given.is_error) is bool and type(given.code) is str:
        return given
    if not isinstance(given.content, str):
        kind = type(given.content).__name__
        return ToolResult(f"{name} gave a result whose content is of type {kind}, not text", True, "tool_failed")
    is_error, code = bool(given.is_error), given.code
    return replace(given, is_error=is_error, code=code if isinstance(code, str) else "tool_error" if is_error else "")
