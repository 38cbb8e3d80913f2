"""Open questions as a listing: who wants to call what, with which arguments, and how to answer."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.core.masking import MASK, mask, mask_arguments
from lango_nb.runtime.approvals import ApprovalAnswer, PendingApproval
from lango_nb.runtime.ask import argument_lines
from lango_nb.viz.escape import one_line
from lango_nb.viz.table import Table

LONGEST = 160
"""Characters of one argument that are shown; the rest is counted."""
_HOW = "%lango allow ID or %lango deny ID, or lab.approvals.allow(ID) and .deny(ID)"
_MASKED = f"; {MASK} stands for a secret, and .record holds what would run exactly"


def pending_table(pending: Sequence[PendingApproval]) -> Table:
    """List open questions, oldest first; secrets in the arguments are masked.

    Parameters
    ----------
    pending : sequence of PendingApproval

    Returns
    -------
    Table
    """
    rows = tuple(_row(question) for question in pending)
    note = _HOW + (_MASKED if any(MASK in row[3] for row in rows) else "")
    columns = ("id", "agent", "tool", "arguments", "why it asks")
    return Table("open questions", columns, rows, note if rows else "", empty="nothing waits for an answer")


def answered_table(question: PendingApproval, answer: ApprovalAnswer) -> Table:
    """Say what an answer was given to, and how long it holds."""
    _, agent, tool, arguments, _ = _row(question)
    said = f"allowed, {_HOLDS[answer.scope]}" if answer.allowed else f"refused: {mask(answer.detail)}"
    if answer.allowed and question.request.problem:
        said = "seen: the call does not run, and the agent is told why"
    rows = (("answer", said), ("tool", tool), ("arguments", arguments), ("agent", agent))
    return Table(f"approval {one_line(question.id, LONGEST)}", ("what", "value"), rows)


_HOLDS = {"once": "this once", "turn": "for this turn", "session": "for this session"}


def _row(question: PendingApproval) -> tuple[str, str, str, str, str]:
    request = question.request
    arguments = "; ".join(argument_lines(mask_arguments(request.arguments), LONGEST))
    why = f"its arguments are wrong: {request.problem}" if request.problem else request.reason
    name, agent, tool = (one_line(text, LONGEST) for text in (question.id, request.agent, request.tool))
    return name, agent, tool, arguments, one_line(mask(why), LONGEST)
