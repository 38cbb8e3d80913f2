"""Calls that wait for an answer, one row each."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.core.masking import mask_arguments
from lango_nb.frames.column import Column, Sources, json_text
from lango_nb.frames.frame import frame
from lango_nb.runtime.approvals import PendingApproval


@dataclass(frozen=True, slots=True)
class _Approval:
    """One question, one answer, or both."""

    session_id: str | None
    asked: object = None
    """An event, stored or not; or the request of an open question."""
    decided: object = None

    @property
    def call(self) -> object:
        """What knows about the call."""
        return self.decided if self.asked is None else self.asked

@frame("approvals", COLUMNS, PendingApproval)
def approvals_df(questions: Sequence[PendingApproval]) -> Sources:
    """List calls that wait for an answer.

    Parameters
    ----------
    questions : PendingApproval or iterable of PendingApproval
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order; nothing else is read.

    Returns
    -------
    DataFrame
        One row per open question; join by ``run_id``, ``turn_id``, ``call_id``, ``agent`` or ``tool``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.
    """
    return {"question": list(questions)}
