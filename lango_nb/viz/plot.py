"""A plot: a drawing on a page, its numbers in a text.

What draws plots is :mod:`lango_nb.plots`; a plot that is drawn needs nothing more to be shown.
"""

from __future__ import annotations

from dataclasses import dataclass

from lango_nb.core.text import counted
from lango_nb.viz import Renderer
from lango_nb.viz import document as doc
from lango_nb.viz.escape import one_line
from lango_nb.viz.table import Table

_MOST_ROWS = 200
_ALT_ROWS = 12


@dataclass(frozen=True, slots=True)
class Plot:
    """Numbers, drawn.

    Examples
    --------
    >>> from lango_nb.viz import to_text
    >>> print(to_text(Plot("cost per agent", "", Table("", ()), empty="no call of a model has a price")))
    cost per agent
    <BLANKLINE>
    no call of a model has a price
    """

    title: str
    svg: str
    """The drawing; empty when there is nothing to draw."""
    numbers: Table
    """What is drawn: a text shows it in place of the drawing, a page folds it."""
    facts: tuple[str, ...] = ()
    note: str = ""
    """How it is to be read."""
    width: float = 0.0
    """Of the drawing, px."""
    empty: str = ""
    """What stands in place of a drawing when there is nothing to draw, and what to do about it."""


def line(plot: Plot) -> str:
    """Write the plot in one line."""
    return ": ".join(filter(None, (one_line(plot.title), plot.empty or ", ".join(plot.facts))))


def document(plot: Plot) -> doc.Document:
    """Show the drawing with its numbers; or say why there is none."""
    title = doc.Title(plot.title, plot.facts)
    if not plot.svg:
        return (title, doc.GAP, doc.Paragraph(doc.Muted(plot.empty)))
    heads, rows = plot.numbers.columns, plot.numbers.rows
    cells = [tuple(doc.Cut(_cell(value), 60) for value in row) for row in rows[:_MOST_ROWS]]
    align = "".join(">" if rows and isinstance(value, int | float) else "<" for value in rows[0]) if rows else ""
    more = doc.Note(f"and {counted(len(rows) - _MOST_ROWS, 'row')} more" if len(rows) > _MOST_ROWS else "")
    table = (doc.Rows(heads, cells, align), more)
    return (
        title,
        doc.rich(doc.Picture(plot.svg, _alt(plot), plot.width)),
        doc.GAP,
        doc.plain(*table),
        doc.GAP,
        doc.Note(plot.note),
        doc.rich(doc.Fold(doc.Muted("the numbers"), table)),
    )


def _alt(plot: Plot) -> str:
    rows = ["; ".join(map(_cell, row)) for row in plot.numbers.rows[:_ALT_ROWS]]
    return "\n".join([plot.title, ", ".join(plot.numbers.columns), *rows])


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case int():
            return f"{value:,}"
        case float():
            return f"{value:.3g}"
    return str(value)


RENDERER = Renderer(line, document)
