"""What the doctor found, one row per finding."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.doctor.finding import Finding, Report
from lango_nb.frames.column import Column, Sources, some
from lango_nb.frames.frame import frame

COLUMNS = (
    Column("check", "finding.check", "string", "", "What was looked at."),
    Column("status", "finding.status", "string", "", "ok, warn, fail, or skip where there was nothing to look at."),
    Column("text", "finding.text", "string", "", "What was found, in one sentence."),
    Column("turn", "finding.turn", "string", "", "Turn it is about; empty when it is about none."),
    some("turn_number", "finding.turn_number", "Int64", "", "Number of the turn: what lab.trace(2) takes."),
    Column("session", "finding.session", "string", "", "Session it is about; empty when it is about none."),
    Column("next_step", "finding.next_step", "string", "", "What to do about it; empty when nothing is to be done."),
    Column("evidence", "finding.evidence", "string", "", "What it was concluded from, a line each.", convert="\n".join),
)


@frame("findings", COLUMNS, Report, Finding)
def findings_df(report: Sequence[Report | Finding]) -> Sources:
    """List what the doctor found.

    Parameters
    ----------
    report : Report, Finding, or iterable of them
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order; nothing else is read.

    Returns
    -------
    DataFrame
        One row per finding, in the order of examination.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.
    """
    found: list[Finding] = []
    for item in report:
        found += item.findings if isinstance(item, Report) else (item,)
    return {"finding": found}
