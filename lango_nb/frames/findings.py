"""What the doctor found, one row per finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.doctor.finding import Report

_COLUMNS = ("check", "status", "text", "turn", "turn_number", "session", "next_step", "evidence")


def findings_df(report: Report) -> pd.DataFrame:
    """Make a frame of a report.

    Parameters
    ----------
    report : Report

    Returns
    -------
    pandas.DataFrame
        Texts, and the number of the turn as ``Int64``; evidence is one text with a line for each piece.
    """
    import pandas as pd

    rows = [
        [getattr(finding, name) if name != "evidence" else "\n".join(finding.evidence) for name in _COLUMNS]
        for finding in report
    ]
    types = dict.fromkeys(_COLUMNS, "string") | {"turn_number": "Int64"}
    return pd.DataFrame(rows, columns=list(_COLUMNS)).astype(types)
