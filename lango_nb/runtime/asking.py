"""The questions of one piece of work: which calls need an answer, who is asked, what a waiting run shows meanwhile."""

from __future__ import annotations

from contextlib import nullcontext
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any

from lango_nb.core.errors import ToolError
from lango_nb.core.events import ApprovalAsked, ApprovalDecided, RunBlocked
from lango_nb.core.masking import mask, mask_arguments
from lango_nb.hooks.hook import CONTINUE, Block, Continue, HookCall
from lango_nb.records.runs import RunPatch
from lango_nb.runtime import grants
from lango_nb.runtime.approvals import AllowAll, ApprovalAnswer, ApprovalRequest, DenyAll, arguments_hash, why_ask
from lango_nb.runtime.approvers import is_asking
from lango_nb.runtime.questions import TIMEOUT
from lango_nb.tools.context import ToolContext
from lango_nb.tools.tool import Preview, Tool, ToolResult
from lango_nb.tools.workers import WORKERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lango_nb.records.runs import AgentRun
    from lango_nb.runtime.approvals import PendingApproval
    from lango_nb.runtime.context import TurnContext
    from lango_nb.runtime.work import Work


class Asking:
    """Answers the ApprovalGate for one piece of work.

    Parameters
    ----------
    work : Work
    """

    def __init__(self, work: Work) -> None:
        self._work = work
        self._required: dict[str, str] = {}
        self._given: dict[str, tuple[ApprovalRequest, ApprovalAnswer]] = {}
        self._decided: set[str] = set()
        self._is_open = self._is_shown = False
        self._judged: tuple[HookCall | None, str] = None, ""

    def require(self, call_id: str, reason: str) -> None:
        """Make a call need an answer, whatever the policy says: the run was not given its tool."""
        self._required[call_id] = reason

    def take(self, request: ApprovalRequest, answer: ApprovalAnswer) -> None:
        """Take the answer to a question that an earlier process asked for this work; its call comes now."""
        self._given[request.call_id] = request, answer
        self._is_open = self._is_shown = True
        self._tell(request, answer)

    def has_decided(self, call_id: str) -> bool:
        """Tell whether somebody has answered for a call."""
        return call_id in self._decided

    def needs_answer(self, call: HookCall) -> str:
        """Say why a call needs an answer; empty when it needs none."""
        reason = self.insists(call)
        if reason or call.tool.is_by_name:
            return reason
        rules = self._work.state.context.rules
        return why_ask(call.tool, call.arguments, rules.policy, rules.exempt, rules.sensitive)

    def insists(self, call: HookCall) -> str:
        """Say why a call needs an answer whatever the settings say; empty when they decide."""
        if call.call_id in self._given:
            return "it was asked about"
        reason = self._required.get(call.call_id, "")
        if reason or call.tool.is_by_name:
            return reason
        if touched := self._touched(call):
            return f"{call.tool.name} touches {touched}, which says what is allowed"
        approver = self._work.state.context.approver
        is_denied = call.tool.is_dangerous and isinstance(approver, DenyAll) and approver.is_decided
        return f"{call.tool.name} is dangerous" if is_denied else ""

    def _touched(self, call: HookCall) -> str:
        """Name the protected file a call touches; looked up once while the call is being judged."""
        if self._judged[0] is not call:
            context = self._work.state.context
            self._judged = call, context.protected.touched(call.tool, call.arguments, context.workspace)
        return self._judged[1]

    async def decide(self, call: HookCall) -> Continue | Block:
        """Have a call answered where it needs an answer; nobody there means no."""
        reason = self.needs_answer(call)
        if not reason:
            return CONTINUE
        given = self._given.get(call.call_id)
        answer = self._kept(call, *given) if given is not None else await self._ask(call, reason)
        self._decided.add(call.call_id)
        if answer.allowed:
            return CONTINUE
        return Block(f"{call.tool.name} was not run: {answer.detail or 'refused'}", answer.code or "approval_denied")

    def _kept(self, call: HookCall, request: ApprovalRequest, answer: ApprovalAnswer) -> ApprovalAnswer:
        """Return the answer that was given, as far as it is about this call: a yes holds for exactly what was seen."""
        is_same = arguments_hash(call.tool.name, call.arguments) == request.arguments_hash
        if is_same or not answer.allowed:
            return answer
        return ApprovalAnswer(False, answer.by, "what would run now is not what was asked about")

    async def malformed(self, call: HookCall, problem: str) -> ToolResult:
        """Show a person a call that would need an answer and whose arguments nobody can read; it never runs.

        Parameters
        ----------
        call : HookCall
            With the arguments as far as they could be read.
        problem : str
            Why they could not.

        Returns
        -------
        ToolResult
            What the model reads: what is wrong with its arguments, or that somebody said no.
        """
        reason = self.needs_answer(call)
        if reason:
            answer = await self._ask(call, reason, problem)
            if not answer.allowed:
                said = f"{call.tool.name} was not run: {answer.detail or 'refused'}; {problem}"
                return ToolResult(said, is_error=True, code=answer.code or "approval_denied")
        return ToolResult(problem, is_error=True, code="bad_arguments")

    async def _ask(self, call: HookCall, reason: str, problem: str = "") -> ApprovalAnswer:
        work = self._work
        state = work.state
        digest = arguments_hash(call.tool.name, call.arguments)
        is_run = bool(work.run_id)
        request_id = grants.grant_request_id(work.run_id, call.tool.name) if is_run else state.context.ids.new("ask")
        request = ApprovalRequest(
            call.call_id,
            call.tool.name,
            deepcopy(dict(call.arguments)),  # whoever answers cannot change what runs
            digest,
            call.agent,
            reason,
            id=request_id,
            session_id=state.session.id,
            turn_id=state.turn_id,
            run_id=work.run_id,
            asked_at=state.context.clock.now(),
            problem=problem,
            is_grant=call.call_id in self._required,
            is_once=bool(self._touched(call)),
            preview=None if problem else await self._preview(call),
            order=state.context.runs.get(work.run_id).instruction if is_run else state.text,
        )
        self._is_open = self._is_shown = False
        opened = partial(self._opened, call, reason)
        approver = state.context.approver
        with state.questions, state.prompts if is_asking(approver) else nullcontext():
            answer = await state.context.approvals.ask(
                request, approver, state.context.rules.timeout_s, on_open=opened, conversation=work.said
            )
        self._tell(request, answer)
        return answer

    def _tell(self, request: ApprovalRequest, answer: ApprovalAnswer) -> None:
        """Record an answer, and show that a run goes on."""
        self._work.emit(
            ApprovalDecided,
            request.agent,
            call_id=request.call_id,
            tool=request.tool,
            arguments_hash=request.arguments_hash,
            allowed=answer.allowed,
            by=answer.by,
            scope=answer.scope,
            detail=answer.detail,
        )
        self._unblock(request, answer)

    async def _preview(self, call: HookCall) -> Preview | None:
        """Look what a call would do, unless nobody will see it."""
        context = self._work.state.context
        if call.tool.preview is None or isinstance(context.approver, AllowAll | DenyAll):
            return None
        return await WORKERS.run(partial(preview, context, call.agent, call.tool, call.arguments))

    def _opened(self, call: HookCall, reason: str, question: PendingApproval) -> None:
        """Tell that a question is open, now that whoever hears it can answer it."""
        work = self._work
        work.emit(
            ApprovalAsked,
            call.agent,
            call_id=call.call_id,
            tool=call.tool.name,
            arguments=mask_arguments(call.arguments),
            arguments_hash=question.request.arguments_hash,
            reason=reason,
            request_id=question.id,
            usage=work.take_usage(),
        )
        self._block(question.request)
        if question.can_wait and work.state.is_closed:  # what the run said since the end of its turn is kept with it
            work.state.complete()

    def _block(self, request: ApprovalRequest) -> None:
        """Show that a run waits; an answer that is there at once is nothing to wait for."""
        self._is_open = True
        self._is_shown = not isinstance(self._work.state.context.approver, AllowAll | DenyAll)
        if self._work.run_id and self._is_shown:
            run = self._work.state.context.runs.get(self._work.run_id)
            self._project(request, grants.blocked_patch(run, request.tool, request.reason))

    def _unblock(self, request: ApprovalRequest, answer: ApprovalAnswer) -> None:
        """Show that a run goes on, with or without its tool.

        Leave for one call gives no tool. Neither does an answer that was known already: it was given for one call, too.
        """
        if not self._work.run_id:
            return
        if answer.allowed:
            is_lasting = request.is_grant and self._is_open and answer.scope != "once"
            given = request.tool if is_lasting else ""
            if self._is_shown:
                self._project(request, grants.granted_patch(given))
            elif given:
                self._work.state.context.runs.project(self._work.run_id, RunPatch(add_allowed_tool=given))
        else:
            is_expired = answer.code == TIMEOUT
            patch = grants.expired_patch if is_expired else grants.denied_patch
            self._project(request, patch(mask(answer.detail)))

    def _project(self, request: ApprovalRequest, patch: RunPatch) -> None:
        work = self._work
        run: AgentRun = work.state.context.runs.project(work.run_id, patch)
        work.emit(
            RunBlocked,
            request.agent,
            tool=request.tool,
            condition=run.runtime_condition,
            reason=run.blocked_reason,
            grant_request_id=run.grant_request_id,
            grant_attempt=run.grant_attempt,
            grant_state=run.grant_state,
        )


def preview(context: TurnContext, agent: str, tool: Tool, arguments: Mapping[str, Any]) -> Preview | None:
    """Look what a call would do; a tool that cannot say stops no question.

    Parameters
    ----------
    context : TurnContext
    agent : str
        Who wants to call.
    tool : Tool
    arguments : mapping of str to any

    Returns
    -------
    Preview or None
        ``None`` where the tool has nothing to look with.
    """
    if tool.preview is None:
        return None
    try:
        said = tool.preview(
            arguments, ToolContext(context.workspace, agent, context.closed, limits=context.tool_limits)
        )
    except ToolError as error:
        return Preview(f"would fail: {error}")
    except Exception as error:  # noqa: BLE001 - a tool of somebody's own may raise anything
        return Preview(f"(what it would do cannot be told: {type(error).__name__})")
    return said if isinstance(said, Preview) else Preview(said)
