"""Conversations as a listing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lango_nb.viz.escape import one_line
from lango_nb.viz.table import Table

_COLUMNS = ("session", "turns", "begins with", "in use")


def sessions_table(rows: Sequence[Mapping[str, object]], present: str = "") -> Table:
    """List conversations in order of creation.

    Parameters
    ----------
    rows : sequence of mapping
        As :meth:`~lango_nb.stores.store.TurnLog.sessions` gives them.
    present : str
        The one that goes on with the next request.

    Returns
    -------
    Table
        Without times, so that the same history always looks the same; the frame has them.
    """
    listed = tuple(
        (row["id"], row["turns"], one_line(str(row.get("title") or ""), 100), "yes" if row["id"] == present else "")
        for row in rows
    )
    is_listed = not present or any(row["id"] == present for row in rows)
    note = "" if is_listed or not rows else f"the next request begins {one_line(present, 100)}"
    empty = "no session has a turn yet" + (f"; the next request goes to {one_line(present, 100)}" if present else "")
    return Table("sessions", _COLUMNS, listed, note, empty=empty)
