"""A listing of any kind: a title, columns, rows, a remark.

Whoever makes a table need not be able to show it: what draws it loads with the first one that is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lango_nb.viz.renderer import Renderer

_MOST_ROWS = 500
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
    """Write the table in one line."""
    from lango_nb.viz.escape import count, one_line

    return f"{one_line(table.title)}: {count(len(table.rows), 'row')}"


def _rest(table: Table) -> str:
    from lango_nb.viz.escape import count

    hidden = len(table.rows) - _MOST_ROWS
    return f"and {count(hidden, 'row')} more" if hidden > 0 else ""


def to_text(table: Table) -> str:
    """Write the table with aligned columns."""
    from lango_nb.viz import text
    from lango_nb.viz.escape import count, one_line

    head = one_line(table.title)
    if not table.rows:
        return "\n".join(part for part in (head, "", table.empty, *([table.note] if table.note else [])))
    shown = table.rows[:_MOST_ROWS]
    cells = [[_cell(value) for value in row] for row in shown]
    body = text.table(table.columns, cells, _align(shown, len(table.columns)))
    ends = [part for part in (_rest(table), *text.wrap(table.note, text.WIDTH)) if part]
    return "\n".join([f"{head} · {count(len(table.rows), 'row')}", "", body, *([""] if ends else []), *ends])


def to_html(table: Table) -> str:
    """Show the table; it scrolls sideways by itself when it does not fit."""
    from lango_nb.viz import html
    from lango_nb.viz.escape import count, one_line

    if not table.rows:
        return html.view(html.header(one_line(table.title)), html.div(html.muted(table.empty)), html.note(table.note))
    shown = table.rows[:_MOST_ROWS]
    cells = [[html.inline(_cell(value), _CELL) for value in row] for row in shown]
    return html.view(
        html.header(one_line(table.title), [count(len(table.rows), "row")]),
        html.listing(table.columns, cells, _align(shown, len(table.columns))),
        html.note(_rest(table)),
        html.note(table.note),
    )


RENDERER = Renderer(line, to_text, to_html)
