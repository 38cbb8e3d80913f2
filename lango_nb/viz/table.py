"""A listing of any kind: a title, columns, rows, a remark.

Whoever makes a table need not be able to show it: what draws it loads with the first one that is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lango_nb.core.dataclass import dataclass
from lango_nb.viz import Renderer

if TYPE_CHECKING:
    from lango_nb.viz.document import Document

_MOST_ROWS = 500
_MOST_COLUMNS = 100
_FEW = 4
"""Rows of names with values that fit one line."""
_LINE = 120
"""Characters of what such a line says."""
_CELL = 400
"""Characters of a cell that are shown; the rest appears when the pointer rests on it, and is in the record."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under heads.

    Examples
    --------
    >>> from lango_nb.viz import to_text
    >>> print(to_text(Table("settings", ("key", "value"), (("agent.model", "offline"),))))
    settings · 1 row
    <BLANKLINE>
    key          value
    ───────────  ───────
    agent.model  offline
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...] = ()
    """Values per column; numbers are set to the right, ``True`` and ``None`` are written as words or left empty."""
    note: str = ""
    """A remark under the table."""
    empty: str = "nothing here yet"
    """What stands in place of rows when there are none."""


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:g}"
    return str(value)


def _align(rows: Sequence[Sequence[object]], columns: int) -> str:
    return "".join(
        ">" if all(_is_number(row[place]) or row[place] is None for row in rows)
        and any(_is_number(row[place]) for row in rows) else "<"
        for place in range(columns)
    )  # fmt: skip


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def line(table: Table) -> str:
    """Write the table in one line: what it says if that is little, else how many rows it has.

    Examples
    --------
    >>> line(Table("written", ("file", "holds"), (("turn.html", "turn 1"),)))
    'written: turn.html, turn 1'
    >>> line(Table("tools", ("tool",), (("exec",), ("fs_read",))))
    'tools: 2 rows'
    """
    from lango_nb.core.text import counted
    from lango_nb.viz.escape import one_line

    if len(table.rows) == 1:
        said = ", ".join(filter(None, map(_cell, table.rows[0])))
    elif table.columns == ("what", "value") and 0 < len(table.rows) <= _FEW:
        said = ", ".join(" ".join(map(_cell, row)) for row in table.rows)
    else:
        said = counted(len(table.rows), "row")
    return f"{one_line(table.title)}: {one_line(said, _LINE)}"


def document(table: Table) -> Document:
    """Write a row per row; of very many rows or columns the first ones."""
    from lango_nb.core.text import counted
    from lango_nb.viz.document import GAP, Cut, Muted, Note, Paragraph, Rows, Title
    from lango_nb.viz.escape import one_line

    title = one_line(table.title)
    if not table.rows:
        return (Title(title), GAP, Paragraph(Muted(table.empty)), Note(table.note))
    columns = table.columns[:_MOST_COLUMNS]
    shown = [row[:_MOST_COLUMNS] for row in table.rows[:_MOST_ROWS]]
    cells = tuple(tuple(Cut(_cell(value), _CELL) for value in row) for row in shown)
    hidden, beside = len(table.rows) - _MOST_ROWS, len(table.columns) - _MOST_COLUMNS
    return (
        Title(title, [counted(len(table.rows), "row")]),
        GAP,
        Rows(columns, cells, _align(shown, len(columns))),
        GAP,
        Note(f"and {counted(hidden, 'row')} more" if hidden > 0 else ""),
        Note(f"and {counted(beside, 'column')} more; the DataFrame has them all" if beside > 0 else ""),
        Note(table.note),
    )


RENDERER = Renderer(line, document)
