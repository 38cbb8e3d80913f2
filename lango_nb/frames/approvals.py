"""Calls that wait for an answer, one row each."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.core.masking import mask_arguments
from lango_nb.frames.column import Column, Sources, json_text
from lango_nb.frames.frame import frame
from lango_nb.runtime.approvals import PendingApproval


def _arguments(question: PendingApproval) -> str:
    return json_text(mask_arguments(question.request.arguments))


IDS = (
    Column("session_id", "question.request.session_id", "string", "", "Session of the call."),
    Column("turn_id", "question.request.turn_id", "string", "", "Turn of the call."),
    Column(
        "run_id", "question.request.run_id", "string", "", "Teammate run that calls; empty for the turn's own work."
    ),
    Column("request_id", "question.id", "string", "", "Names the question for whoever answers it."),
    Column("call_id", "question.request.call_id", "string", "", "Joins the question with the call's events."),
)
WHAT = (
    Column("agent", "question.request.agent", "string", "", "Who wants to call."),
    Column("tool", "question.request.tool", "string", "", "What it wants to call."),
    Column("arguments", _arguments, "string", "JSON", "With these arguments; secrets are masked."),
    Column("arguments_hash", "question.request.arguments_hash", "string", "", "What the answer is bound to."),
    Column("reason", "question.request.reason", "string", "", "Why the call needs an answer."),
    Column("problem", "question.request.problem", "string", "", "What is wrong with the arguments; usually empty."),
    Column("asked_at", "question.request.asked_at", "datetime64[ns, UTC]", "", "When it was asked; may be missing."),
)
COLUMNS = IDS + WHAT


@frame("approvals", COLUMNS, PendingApproval)
def approvals_df(questions: Sequence[PendingApproval]) -> Sources:
    """List calls that wait for an answer.

    Parameters
    ----------
    questions : PendingApproval or iterable of PendingApproval
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.

    Returns
    -------
    DataFrame
        One row per open question; join by ``run_id``, ``turn_id``, ``call_id``, ``agent`` or ``tool``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    """
    return {"question": list(questions)}
