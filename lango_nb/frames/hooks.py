"""Hooks around a tool call, one row per line of their list."""

from __future__ import annotations

from collections.abc import Iterable

from lango_nb.frames.column import Column, Sources
from lango_nb.frames.frame import frame
from lango_nb.hooks.chain import HookRow

COLUMNS = (
    Column("hook", "row.name", "string", "", "Name of the hook."),
    Column("phase", "row.phase", "string", "", "before or after a call."),
    Column("priority", "row.priority", "Int64", "", "Its place: lower numbers come first."),
    Column("source", "row.source", "string", "", "builtin or user."),
    Column("is_wired", "row.is_wired", "boolean", "", "Whether it takes part."),
    Column("why", "row.why", "string", "", "Why it does or does not."),
)


@frame("hooks", COLUMNS, HookRow)
def hooks_df(rows: Iterable[HookRow]) -> Sources:
    """List the hooks around a tool call.

    Parameters
    ----------
    rows : HookRow or iterable of HookRow
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order; nothing else is read.

    Returns
    -------
    DataFrame
        One row per hook, in their order.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.
    """
    return {"row": list(rows)}
