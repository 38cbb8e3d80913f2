"""Which calls of one loop need an answer, how it is asked for, and what a waiting run shows meanwhile.

A call needs one where the policy says so, where it touches a protected file, and where a run was not given its tool. A
run may never leave its role's maximum scope. Inside it, a spawn may have narrowed the run to a few tools; every further
one, however harmless, needs a person's leave, a *grant*:

    blocked ──▶ pending, attempt 1
                     ├──▶ granted   once: this call may run · for the turn or the session: the run has the tool
                     ├──▶ denied    a later block begins at attempt 1 again
                     └──▶ ""        expired; a later block is attempt 2 of the same request
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from copy import deepcopy
from functools import partial
from typing import Any, Literal, NamedTuple

from lango_nb.core.errors import ToolError
from lango_nb.core.events import ApprovalAsked, ApprovalDecided, RunBlocked
from lango_nb.core.masking import mask, mask_arguments
from lango_nb.core.tool_patterns import ToolPatterns
from lango_nb.hooks.hook import CONTINUE, Block, Continue, HookCall
from lango_nb.records.runs import AgentRun, RunPatch
from lango_nb.runtime.approval_types import (
    TIMEOUT,
    AllowAll,
    Answered,
    ApprovalAnswer,
    ApprovalRequest,
    DenyAll,
    Policy,
    arguments_hash,
    is_asking,
)
from lango_nb.runtime.approvals import PendingApproval
from lango_nb.runtime.context import TurnContext
from lango_nb.runtime.loop_state import LoopState
from lango_nb.tools.context import ToolContext
from lango_nb.tools.tool import Preview, Tool, ToolResult
from lango_nb.tools.workers import WORKERS


class CallApprovals:
    """Answers the ApprovalGate for one loop.

    Parameters
    ----------
    loop : LoopState
    """

    def __init__(self, loop: LoopState) -> None:
        self._loop = loop
        self._required: dict[str, str] = {}
        self._given: dict[str, Answered] = {}
        self._decided: set[str] = set()
        self._is_open = self._is_shown = False
        self._judged: tuple[Mapping[str, Any] | None, str] = None, ""
        """The arguments that were looked at last for a protected file, and the file; not the call, which holds this."""

    def require(self, call_id: str, reason: str) -> None:
        """Make a call need an answer, whatever the policy says: the run was not given its tool."""
        self._required[call_id] = reason

    def take(self, answered: Sequence[Answered]) -> None:
        """Take the answers to what an earlier process asked for this loop; the calls come now.

        Parameters
        ----------
        answered : sequence of pairs of ApprovalRequest and ApprovalAnswer
            Last what the loop waited for. A run has told of the others; a turn that goes on is a new one.
        """
        self._given.update((request.call_id, (request, answer)) for request, answer in answered)
        self._is_open = self._is_shown = True
        for request, answer in answered[-1:] if self._loop.run_id else answered:
            self._tell(request, answer)

    def has_decided(self, call_id: str) -> bool:
        """Tell whether a call has its answer."""
        return call_id in self._decided

    def needs_answer(self, call: HookCall) -> str:
        """Say why a call needs an answer; empty when it needs none."""
        reason = self.insists(call)
        if reason or call.tool.is_by_name:
            return reason
        rules = self._loop.context.rules
        return approval_reason(call.tool, call.arguments, rules.policy, rules.exempt, rules.sensitive)

    def insists(self, call: HookCall) -> str:
        """Say why a call needs an answer even where the settings would not; empty when they decide."""
        if call.call_id in self._given:
            return "it was asked about"
        reason = self._required.get(call.call_id, "")
        if reason or call.tool.is_by_name:
            return reason
        if touched := self._touched(call):
            return f"{call.tool.name} touches {touched}, which says what is allowed"
        approver = self._loop.context.approver
        is_denied = call.tool.is_dangerous and isinstance(approver, DenyAll) and approver.is_decided
        return f"{call.tool.name} is dangerous" if is_denied else ""

    def _touched(self, call: HookCall) -> str:
        """Name the protected file a call touches; looked up once while the call is being judged."""
        if call.tool.safety == "safe":
            return ""
        if self._judged[0] is not call.arguments:
            context = self._loop.context
            self._judged = call.arguments, context.protected.touched(call.tool, call.arguments, context.workspace)
        return self._judged[1]

    async def decide(self, call: HookCall) -> Continue | Block:
        """Have a call answered where it needs an answer; without anyone to ask the answer is no."""
        reason = self.needs_answer(call)
        if not reason:
            return CONTINUE
        answer = await self._answer(call, reason)
        self._decided.add(call.call_id)
        if answer.allowed:
            return CONTINUE
        return Block(f"{call.tool.name} was not run: {answer.detail or 'refused'}", answer.code or "approval_denied")

    async def _answer(self, call: HookCall, reason: str, problem: str = "") -> ApprovalAnswer:
        """Return the answer that was given already, or ask."""
        given = self._given.get(call.call_id)
        return self._kept(call, *given) if given is not None else await self._ask(call, reason, problem)

    def _kept(self, call: HookCall, request: ApprovalRequest, answer: ApprovalAnswer) -> ApprovalAnswer:
        """Return the answer that was given, as far as it is about this call: a yes holds for exactly what was seen."""
        is_same = arguments_hash(call.tool.name, call.arguments) == request.arguments_hash
        if is_same or not answer.allowed:
            return answer
        return ApprovalAnswer(False, answer.by, "what would run now is not what was asked about")

    async def ask_about_bad_arguments(self, call: HookCall, problem: str) -> ToolResult:
        """Show a person a call that would need an answer and whose arguments cannot be read; it never runs.

        Parameters
        ----------
        call : HookCall
            With the arguments as far as they could be read.
        problem : str
            Why they could not.

        Returns
        -------
        ToolResult
            What the model reads: what is wrong with its arguments, or that the answer was no.
        """
        reason = self.needs_answer(call)
        if reason:
            answer = await self._answer(call, reason, problem)
            if not answer.allowed:
                said = f"{call.tool.name} was not run: {answer.detail or 'refused'}; {problem}"
                return ToolResult(said, is_error=True, code=answer.code or "approval_denied")
        return ToolResult(problem, is_error=True, code="bad_arguments")

    async def _ask(self, call: HookCall, reason: str, problem: str) -> ApprovalAnswer:
        loop, turn, context = self._loop, self._loop.turn, self._loop.context
        digest = arguments_hash(call.tool.name, call.arguments)
        is_run = bool(loop.run_id)
        request_id = grant_request_id(loop.run_id, call.tool.name) if is_run else context.ids.new("ask")
        request = ApprovalRequest(
            call.call_id,
            call.tool.name,
            deepcopy(dict(call.arguments)),  # an approver cannot change what runs
            digest,
            call.agent,
            reason,
            id=request_id,
            session_id=turn.session.id,
            turn_id=turn.turn_id,
            run_id=loop.run_id,
            asked_at=context.clock.now(),
            problem=problem,
            is_grant=call.call_id in self._required,
            is_once=bool(self._touched(call)),
            preview=None if problem else await self._preview(call),
            order=context.runs.get(loop.run_id).instruction if is_run else turn.text,
        )
        self._is_open = self._is_shown = False
        opened = partial(self._opened, call, reason)
        approver = context.approver
        with turn.questions, turn.prompts if is_asking(approver) else nullcontext():
            answer = await context.approvals.ask(
                request, approver, context.rules.timeout_s, on_open=opened, conversation=loop.resumable
            )
        self._tell(request, answer)
        return answer

    def _tell(self, request: ApprovalRequest, answer: ApprovalAnswer) -> None:
        """Record an answer, and show that a run goes on."""
        decided = ApprovalDecided(
            call_id=request.call_id,
            tool=request.tool,
            arguments_hash=request.arguments_hash,
            allowed=answer.allowed,
            by=answer.by,
            scope=answer.scope,
            detail=answer.detail,
        )
        self._loop.emit(decided, request.agent)
        self._unblock(request, answer)

    async def _preview(self, call: HookCall) -> Preview | None:
        """Look what a call would do, unless it is decided without a person."""
        context = self._loop.context
        if call.tool.preview is None or isinstance(context.approver, AllowAll | DenyAll):
            return None
        return await WORKERS.run(partial(preview, context, call.agent, call.tool, call.arguments))

    def _opened(self, call: HookCall, reason: str, question: PendingApproval) -> None:
        """Publish that a question is open, once it can be answered."""
        loop = self._loop
        asked = ApprovalAsked(
            call_id=call.call_id,
            tool=call.tool.name,
            arguments=mask_arguments(call.arguments),
            arguments_hash=question.request.arguments_hash,
            reason=reason,
            request_id=question.id,
            usage=loop.take_usage(),
        )
        loop.emit(asked, call.agent)
        self._block(question.request)
        if question.can_wait and loop.turn.is_closed:  # what the run said since the end of its turn is kept with it
            loop.turn.complete()
        elif question.is_held:  # nobody knows how long it waits
            loop.turn.write_now()

    def _block(self, request: ApprovalRequest) -> None:
        """Show that a run waits; an answer that is there at once is nothing to wait for."""
        self._is_open = True
        context, run_id = self._loop.context, self._loop.run_id
        self._is_shown = not isinstance(context.approver, AllowAll | DenyAll)
        if run_id and self._is_shown:
            self._project(request, blocked_patch(context.runs.get(run_id), request.tool, request.reason))

    def _unblock(self, request: ApprovalRequest, answer: ApprovalAnswer) -> None:
        """Show that a run goes on, with or without its tool.

        Leave for one call gives no tool. Neither does an answer that was known already: it was given for one call, too.
        """
        if not self._loop.run_id:
            return
        if answer.allowed:
            is_lasting = request.is_grant and self._is_open and answer.scope != "once"
            given = request.tool if is_lasting else ""
            if self._is_shown:
                self._project(request, granted_patch(given))
            elif given:
                self._loop.context.runs.project(self._loop.run_id, RunPatch(add_allowed_tool=given))
        else:
            is_expired = answer.code == TIMEOUT
            patch = expired_patch if is_expired else denied_patch
            self._project(request, patch(mask(answer.detail)))

    def _project(self, request: ApprovalRequest, patch: RunPatch) -> None:
        run = self._loop.context.runs.project(self._loop.run_id, patch)
        blocked = RunBlocked(
            tool=request.tool,
            condition=run.runtime_condition,
            reason=run.blocked_reason,
            grant_request_id=run.grant_request_id,
            grant_attempt=run.grant_attempt,
            grant_state=run.grant_state,
        )
        self._loop.emit(blocked, request.agent)


def preview(context: TurnContext, agent: str, tool: Tool, arguments: Mapping[str, Any]) -> Preview | None:
    """Look what a call would do; a tool that cannot say does not stop the question.

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
        surroundings = ToolContext(
            context.workspace, agent, context.closed, limits=context.tool_limits, services=context.services
        )
        said = tool.preview(arguments, surroundings)
    except ToolError as error:
        return Preview(f"would fail: {error}")
    except Exception as error:  # noqa: BLE001 - a user's own tool may raise anything
        return Preview(f"(what it would do cannot be told: {type(error).__name__})")
    return said if isinstance(said, Preview) else Preview(said)


# -- the rules ---------------------------------------------------------------------------------------------------------


def approval_reason(
    tool: Tool, arguments: Mapping[str, Any], policy: Policy, exempt: ToolPatterns, sensitive: ToolPatterns
) -> str:
    """Say why a call needs an answer.

    Parameters
    ----------
    tool : Tool
    arguments : mapping of str to any
    policy : {"all", "dangerous", "configured", "none"}
        Any other word asks about every call.
    exempt : ToolPatterns
        Calls that never ask; stronger than everything else.
    sensitive : ToolPatterns
        Calls that always ask.

    Returns
    -------
    str
        Empty when it needs none.
    """
    if exempt.covers(tool.name, arguments):
        return ""
    pattern = sensitive.catches(tool.name, arguments)
    if pattern:
        return f"{tool.name} is on the list of sensitive tools{'' if pattern == tool.name else f' ({pattern})'}"
    match policy:
        case "none" | "configured":
            return ""
        case "dangerous":
            return f"{tool.name} is dangerous" if tool.is_dangerous else ""
        case _:
            return "every call needs an answer"


PolicyDecision = Literal["allow", "deny", "needs_approval"]

OUTSIDE_SCOPE = "outside the role's maximum scope"
ALLOWED = "among the run's allowed tools"
NEEDS_LEAVE = "outside the run's allowed tools: needs approval"


class Verdict(NamedTuple):
    """What the policy says about one tool."""

    decision: PolicyDecision
    reason: str


def judge_tool(*, in_scope: bool, is_allowed: bool) -> Verdict:
    """Decide whether a run may use a tool.

    Parameters
    ----------
    in_scope : bool
        Whether it is inside the role's maximum scope; nothing overrules that.
    is_allowed : bool
        Whether it is among the tools the run was given, or was granted since.

    Returns
    -------
    Verdict
        How safe the tool is does not matter: a narrow list means what it says.

    Notes
    -----
    Source: spec 003 "Tool Partitioning" (role maximum scope before allowed tools, escalation inside the scope).

    Examples
    --------
    >>> judge_tool(in_scope=True, is_allowed=False).decision, judge_tool(in_scope=False, is_allowed=True).decision
    ('needs_approval', 'deny')
    """
    if not in_scope:
        return Verdict("deny", OUTSIDE_SCOPE)
    return Verdict("allow", ALLOWED) if is_allowed else Verdict("needs_approval", NEEDS_LEAVE)


def grant_request_id(run_id: str, tool: str) -> str:
    """Name the leave a run asks for: one name per run and tool.

    Examples
    --------
    >>> grant_request_id("arun-1", "exec")
    'grant-arun-1-exec'
    """
    return f"grant-{run_id}-{tool}"


def blocked_patch(run: AgentRun, tool: str, reason: str) -> RunPatch:
    """Say that a run waits for leave to use a tool.

    Parameters
    ----------
    run : AgentRun
        As it is now: asking again after no answer came is a further attempt of the same request.
    tool : str
    reason : str

    Returns
    -------
    RunPatch
    """
    request = grant_request_id(run.id, tool)
    is_again = run.grant_request_id == request and run.grant_state in {"pending", ""}  # unanswered
    return RunPatch(
        runtime_condition="blocked_waiting_approval",
        blocked_reason=reason,
        grant_request_id=request,
        grant_attempt=run.grant_attempt + 1 if is_again else 1,
        grant_state="pending",
    )


def granted_patch(tool: str = "") -> RunPatch:
    """Say that leave was given: the run goes on.

    Parameters
    ----------
    tool : str
        What the run has from now on, whatever the arguments; empty where leave was given for one call.

    Returns
    -------
    RunPatch
    """
    return RunPatch(
        runtime_condition="",
        blocked_reason="",
        grant_request_id="",
        grant_attempt=0,
        grant_state="granted",
        add_allowed_tool=tool,
    )


def denied_patch(reason: str) -> RunPatch:
    """Say that leave was not given: the run goes on without the tool.

    Parameters
    ----------
    reason : str

    Returns
    -------
    RunPatch
    """
    return RunPatch(
        runtime_condition="", blocked_reason=reason, grant_request_id="", grant_attempt=0, grant_state="denied"
    )


def expired_patch(reason: str) -> RunPatch:
    """Say that no answer came in time: the run goes on without the tool, and may ask again.

    Parameters
    ----------
    reason : str

    Returns
    -------
    RunPatch
    """
    return RunPatch(runtime_condition="", blocked_reason=reason, grant_state="")
