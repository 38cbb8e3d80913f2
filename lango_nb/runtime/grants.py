"""Whether a run may use a tool it was not given: the rules, and what they write into the run.

A run may never leave its role's maximum scope. Inside it, a spawn may have narrowed the run to a few tools; every
further one, however harmless, needs a person's leave, a *grant*.

    blocked ──▶ pending, attempt 1
                     ├──▶ granted   once: this call may run · for the turn or the session: the run has the tool
                     ├──▶ denied    a later block begins at attempt 1 again
                     └──▶ ""        expired; a later block is attempt 2 of the same request
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lango_nb.records.runs import AgentRun, RunPatch

PolicyDecision = Literal["allow", "deny", "needs_approval"]

OUTSIDE_SCOPE = "outside the role's maximum scope"
ALLOWED = "among the run's allowed tools"
NEEDS_LEAVE = "outside the run's allowed tools: needs approval"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the policy says about one tool."""

    decision: PolicyDecision
    reason: str


def evaluate(*, in_scope: bool, is_allowed: bool) -> Verdict:
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
    >>> evaluate(in_scope=True, is_allowed=False).decision, evaluate(in_scope=False, is_allowed=True).decision
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
