"""The tool calls of one reply: all are checked and decided before any runs, and every one is answered.

check      is there such a tool, may this run use it, are the arguments right
before     the hooks, ApprovalGate the last of them
run        one after the other; whatever a tool raises becomes a result the model can read
after      the hooks again
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, cast

from lango_nb.core.errors import StoreError, ToolError, UnknownNameError, shorten
from lango_nb.core.events import HookAction, HookDecided, HookPhase, PolicyDecided, ToolFinished, ToolStarted
from lango_nb.core.masking import mask_arguments
from lango_nb.core.messages import ToolCall
from lango_nb.hooks.approval_gate import ApprovalGate, ApprovalService
from lango_nb.hooks.hook import Block, Blocked, HookCall, HookNote
from lango_nb.routing.tree import AgentNode
from lango_nb.runtime.approval_gate import CallApprovals, judge_tool
from lango_nb.runtime.approval_types import Answered
from lango_nb.runtime.foreign_errors import text_of
from lango_nb.runtime.limits import NOTHING, BudgetEvents
from lango_nb.runtime.loop_state import LoopState
from lango_nb.runtime.teammates import may_access
from lango_nb.tools.arguments import check_arguments
from lango_nb.tools.context import ToolContext
from lango_nb.tools.tool import Tool, ToolResult

WAIT = "agent_wait"


class _Ready(NamedTuple):
    """A call that may run."""

    call: ToolCall
    tool: Tool
    hooked: HookCall


class ToolExecutor:
    """Runs the calls of one loop.

    Parameters
    ----------
    loop : LoopState
    """

    def __init__(self, loop: LoopState) -> None:
        self._loop = loop
        self._context = loop.context
        self._approvals = CallApprovals(loop)
        self._services: Mapping[type, object] | None = None

    async def run(self, node: AgentNode, calls: Sequence[ToolCall]) -> None:
        """Check all calls, decide all that need an answer, then run them one after the other."""
        loop = self._loop
        for call in calls:
            loop.limit(self._count(node, call), node)
        ready = [await self._decide(node, call) for call in calls]
        for call, item in zip(calls, ready, strict=True):
            if isinstance(item, _Ready):
                await self._run(node, item)
            else:
                self._finish(node, call, item)

    async def resume(self, node: AgentNode, given: Sequence[Answered]) -> None:
        """Go on with the calls of the latest reply, of which some were asked about in an earlier process."""
        self._approvals.take(given)
        log = self._loop.log
        answered = {message.tool_call_id for message in log}
        calls = next(message.tool_calls for message in reversed(log) if message.tool_calls)
        await self.run(node, [call for call in calls if call.id not in answered])

    def _count(self, node: AgentNode, call: ToolCall) -> BudgetEvents:
        """Count a call; waiting again for a run that is still at work is no loop."""
        is_wait = call.name == WAIT and self._context.role_of(node, WAIT) == "control"
        if is_wait and self._is_at_work(call.arguments.get("agent_id")):
            return NOTHING
        loop = self._loop
        author = f"{node.name} ({loop.run_id})" if loop.run_id else node.name
        return loop.turn.budget.call(author, call.name, call.arguments)

    def _is_at_work(self, run_id: object) -> bool:
        if not isinstance(run_id, str) or not run_id.strip():
            return False  # the tool will say so; no run is looked up
        runs = self._context.runs
        try:
            run = runs.get(run_id)
        except UnknownNameError:
            return False
        return not run.is_terminal and may_access(runs, run, self._loop.turn.session.id, self._loop.run_id)

    # -- before --------------------------------------------------------------------------------------------------------

    async def _decide(self, node: AgentNode, call: ToolCall) -> _Ready | ToolResult:
        """Find the tool, check the arguments, and ask the hooks, and a person where the run was not given the tool."""
        tool = self._context.find_tool(node, call.name)
        if tool is None:
            return self._no_such_tool(node, call.name)
        if call.error:
            problem = f"the arguments of {call.name} cannot be read: {call.error}"
            hooked = self._hook_call(node, call, tool, call.arguments, self._allowed())
            return await self._approvals.ask_about_bad_arguments(hooked, problem)
        try:
            arguments = check_arguments(tool, call.arguments)
        except ToolError as error:
            return ToolResult(str(error), True, error.code)
        allowed = self._allowed()
        if allowed is not None and tool.name not in allowed and not tool.is_control:
            self._escalate(node, call, tool)
        hooked = self._hook_call(node, call, tool, arguments, allowed)
        before = await self._context.hooks.run_before(hooked, partial(self._note, node, hooked, "before"))
        if isinstance(before, Blocked):
            return as_tool_result(tool.name, before.result)
        if self._approvals.insists(before) and not self._approvals.has_decided(call.id):
            decided = await self._approvals.decide(before)
            if isinstance(decided, Block):
                return ToolResult(decided.reason, True, decided.code)
        return _Ready(call, tool, before)

    def _no_such_tool(self, node: AgentNode, name: str) -> ToolResult:
        if node.role == "orchestrator":
            detail = f"{node.name} has no tools of its own; hand the request to the agent that owns {shorten(name)!r}"
            return ToolResult(detail, True, "orchestrator_direct_tool_call")
        if self._loop.run_id:
            verdict = judge_tool(in_scope=False, is_allowed=False)
            refused = PolicyDecided(tool=name, decision=verdict.decision, reason=verdict.reason)
            self._loop.emit(refused, node.name)
        names = ", ".join(node.tools_by_name) or "none"
        return ToolResult(f"{node.name} has no tool {shorten(name)!r}; its tools: {names}", True, "tool_not_found")

    def _allowed(self) -> frozenset[str] | None:
        """Return what the run is narrowed to, as it is now: a grant widens it."""
        if not self._loop.run_id:
            return None
        allowed = self._context.runs.get(self._loop.run_id).allowed_tools
        return frozenset(allowed) if allowed else None

    def _escalate(self, node: AgentNode, call: ToolCall, tool: Tool) -> None:
        """Have a person asked about a tool of the role's scope that the run was not given."""
        verdict = judge_tool(in_scope=True, is_allowed=False)
        judged = PolicyDecided(tool=tool.name, decision=verdict.decision, reason=verdict.reason, call_id=call.id)
        self._loop.emit(judged, node.name)
        self._approvals.require(call.id, verdict.reason)

    def _hook_call(
        self,
        node: AgentNode,
        call: ToolCall,
        tool: Tool,
        arguments: Mapping[str, Any],
        allowed: frozenset[str] | None,
    ) -> HookCall:
        turn = self._loop.turn
        if self._services is None:
            self._services = {**self._context.services, ApprovalService: self._approvals}
        return HookCall(
            tool=tool,
            call_id=call.id,
            agent=node.name,
            session_id=turn.session.id,
            turn_id=turn.turn_id,
            run_id=self._loop.run_id,
            arguments=arguments,
            allowed_tools=allowed,
            services=self._services,
            workspace=self._context.workspace,
        )

    def _note(self, node: AgentNode, hooked: HookCall, phase: HookPhase, note: HookNote) -> None:
        tool, call_id = hooked.tool.name, hooked.call_id
        if note.verdict is not None:
            decision, code, reason = note.verdict
            judged = PolicyDecided(tool=tool, decision=decision, reason=reason, call_id=call_id, code=code)
            self._loop.emit(judged, node.name)
            return
        if note.hook == ApprovalGate.name and note.action == "block":
            return  # approval.decided says it already
        decided = HookDecided(
            hook=note.hook,
            phase=phase,
            action=cast("HookAction", note.action),
            tool=tool,
            call_id=call_id,
            detail=note.detail,
        )
        self._loop.emit(decided, node.name)

    # -- running -------------------------------------------------------------------------------------------------------

    async def _run(self, node: AgentNode, ready: _Ready) -> None:
        """Run one call and let the hooks see what came of it."""
        loop, call, tool, hooked = self._loop, ready.call, ready.tool, ready.hooked
        loop.check_cancelled()
        clock = self._context.clock
        loop.started.add(call.id)
        started = ToolStarted(
            call_id=call.id,
            tool=tool.name,
            arguments=mask_arguments(hooked.arguments),
            safety=tool.safety,
            role=tool.role,
            usage=loop.take_usage(),
            message_id=loop.reply_id,
        )
        loop.emit(started, node.name)
        loop.check_cancelled()  # a listener may have cancelled the turn
        if tool.safety != "safe":
            try:
                loop.turn.write_ahead()
            except StoreError as error:
                detail = f"{tool.name} was not run, because that it begins could not be written down: {error}"
                self._finish(node, call, ToolResult(detail, True, "not_recorded"))
                return
        began_s = clock.monotonic_s()
        result = await self._call(node, ready)
        loop.check_cancelled()
        latency_ms = max((clock.monotonic_s() - began_s) * 1000, 0.0)
        chain = self._context.hooks
        if chain.after:
            if tool.family == "browser" and result.is_error:
                hooked = replace(hooked, retry=partial(self._call, node, ready))
            noted = partial(self._note, node, hooked, "after")
            result = as_tool_result(tool.name, await chain.run_after(hooked, result, noted))
        self._finish(node, call, result, latency_ms)

    async def _call(self, node: AgentNode, ready: _Ready) -> ToolResult:
        """Call the tool; whatever it raises becomes a result."""
        loop, context, tool = self._loop, self._context, ready.tool
        surroundings = ToolContext(
            workspace=context.workspace,
            agent=node.name,
            closed=context.closed,
            session_id=loop.turn.session.id,
            turn_id=loop.turn.turn_id,
            call_id=ready.call.id,
            run_id=loop.run_id,
            limits=context.tool_limits,
            services=context.services,
        )
        limit = 0.0 if tool.is_control else context.tool_timeout_s  # a wait has a limit of its own
        try:
            if not limit:
                return as_tool_result(tool.name, await tool.call(ready.hooked.arguments, surroundings))
            async with asyncio.timeout(limit) as timer:
                return as_tool_result(tool.name, await tool.call(ready.hooked.arguments, surroundings))
        except ToolError as error:
            return as_tool_result(tool.name, ToolResult(str(error), True, error.code))
        except asyncio.CancelledError:
            if loop.is_cancelled():
                raise
            return ToolResult(f"{tool.name} failed: it cancelled itself", True, "tool_failed")
        except Exception as error:  # noqa: BLE001 - a tool may raise anything; the turn goes on and says so
            if limit and isinstance(error, TimeoutError) and timer.expired():
                detail = f"{tool.name} did not answer within {limit:g} s and was abandoned; it may still be running"
                return ToolResult(detail, True, "tool_timeout")
            told = ": ".join(part for part in (type(error).__name__, text_of(error)) if part)
            return ToolResult(f"{tool.name} failed: {told}", True, "tool_failed")

    def _finish(self, node: AgentNode, call: ToolCall, result: ToolResult, latency_ms: float = 0.0) -> None:
        """Answer a call, and count it."""
        loop = self._loop
        loop.started.discard(call.id)
        role = self._context.role_of(node, call.name)
        if role == "work":
            loop.tool_calls += 1
            loop.turn.tool_calls += 1
        if role == "work":  # a slip with a control tool says nothing about the request; runs have outcomes of their own
            loop.last_error = (result.code or "tool_error") if result.is_error else ""
            if not result.is_error:
                loop.turn.budget.tool_succeeded()
        message_id = loop.reply_to(call, node, result.content, is_error=result.is_error)
        finished = ToolFinished(
            call_id=call.id,
            tool=call.name,
            result=result.content,
            is_error=result.is_error,
            code=result.code,
            role=role,
            latency_ms=latency_ms,
            message_id=message_id,
        )
        loop.emit(finished, node.name)


def as_tool_result(name: str, given: object) -> ToolResult:
    """Coerce what a tool or a hook gave to a result that can be kept; any other type becomes an error result."""
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
