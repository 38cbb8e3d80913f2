"""Whether a run may use a tool it was not given: the rules, and what they write into the run.

A run may never leave its role's maximum scope. Inside it, a spawn may have narrowed the run to a few tools; a further
one is free when it does no harm and needs a person's leave, a *grant*, when it is dangerous.

    blocked ──▶ pending, attempt 1
                     ├──▶ granted   once: this call may run · for the turn or the session: the run has the tool
                     ├──▶ denied    a later block begins at attempt 1 again
                     └──▶ ""        expired; a later block is attempt 2 of the same request
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from lango_nb.records.runs import AgentRun, RunPatch

if TYPE_CHECKING:
    from lango_nb.tools.tool import Tool

PolicyDecision = Literal["allow", "deny", "needs_approval"]

OUTSIDE_SCOPE = "outside the role's maximum scope"
GRANTED_BEFORE = "granted before"
ALLOWED = "among the run's allowed tools"
NEEDS_LEAVE = "dangerous tool outside the run's allowed tools: needs approval"
HARMLESS = "not dangerous and inside the role's maximum scope"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the policy says about one tool."""

    decision: PolicyDecision
    reason: str


def evaluate(*, tool: Tool | None, in_scope: bool, is_allowed: bool, is_granted: bool) -> Verdict:
    """Decide whether a run may use a tool.

    Parameters
    ----------
    tool : Tool, optional
        ``None`` when nothing is known about it: counts as dangerous.
    in_scope : bool
        Whether it is inside the role's maximum scope; nothing overrules that.
    is_allowed : bool
        Whether it is among the tools the run was given.
    is_granted : bool
        Whether leave was given for it before.

    Returns
    -------
    Verdict
        The same for the same question, always.

    Notes
    -----
    Source: spec 003 "Tool Partitioning" (role maximum scope before allowed tools, escalation inside the scope).

    Examples
    --------
    >>> from lango_nb.tools.tool import Tool
    >>> evaluate(tool=Tool("exec"), in_scope=True, is_allowed=False, is_granted=False).decision
    'needs_approval'
    >>> evaluate(tool=Tool("exec"), in_scope=False, is_allowed=True, is_granted=True).decision
    'deny'
    """
    if not in_scope:
        return Verdict("deny", OUTSIDE_SCOPE)
    if is_granted:
        return Verdict("allow", GRANTED_BEFORE)
    if is_allowed:
        return Verdict("allow", ALLOWED)
    if tool is None or tool.is_dangerous:
        return Verdict("needs_approval", NEEDS_LEAVE)
    return Verdict("allow", HARMLESS)


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
        As it is now: asking again for what nobody answered is a further attempt of the same request.
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
    """Say that nobody answered in time: the run goes on without the tool, and may ask again.

    Parameters
    ----------
    reason : str

    Returns
    -------
    RunPatch
    """
    return RunPatch(runtime_condition="", blocked_reason=reason, grant_state="")
