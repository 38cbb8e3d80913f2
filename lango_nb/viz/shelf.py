"""What is on a shelf, as a listing."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.core.text import counted
from lango_nb.records.shelf_items import ShelfItem
from lango_nb.viz import document as doc
from lango_nb.viz.escape import one_line

_SOURCE = "source"
_HEADS = ("item", "name", "text", "agent", "turn")
_WIDTHS = ("128px", "17%", "auto", "18%", "44px")
_MOST = 500
_EMPTY = "nothing here yet; %lango note TURN TEXT, %lango save NAME and %lango label AGENT TEXT put something here"
_NONE_FITS = "nothing on it fits; %lango shelf lists all of it"


def shelf_document(
    items: Sequence[ShelfItem] = (), place: str = "", title: str = "shelf", *, is_part: bool = False
) -> doc.Document:
    """Write a row per item; the lines of a definition fold out.

    Parameters
    ----------
    items : sequence of ShelfItem
        By kind and number.
    place : str
        Name of the file, or that it is in memory.
    title : str
    is_part : bool
        Whether others were left out on purpose.
    """
    head = doc.Title(title, [counted(len(items), "item"), one_line(place, 60)])
    if not items:
        return (head, doc.GAP, doc.Paragraph(doc.Muted(_NONE_FITS if is_part else _EMPTY)))
    rows: list[tuple[doc.Inline, ...]] = [
        (
            doc.Cut(item.id, 60),
            doc.Cut(item.name, 60, 40),
            (doc.Cut(item.text, 300, 200), *_source(item)),
            doc.Cut(_agent(item), 40),
            "" if item.turn is None else str(item.turn),
        )
        for item in items[:_MOST]
    ]
    hidden = len(items) - _MOST
    rest = f"and {counted(hidden, 'item')} more" if hidden > 0 else ""
    return (head, doc.GAP, doc.Rows(_HEADS, rows, "<<<<>", _WIDTHS), doc.GAP, doc.Note(rest))


def _agent(item: ShelfItem) -> str:
    """Name the agent, or the tool family that stands in its place."""
    return one_line(item.agent or str(item.more.get("family", "")), 40)


def _source(item: ShelfItem) -> tuple[doc.Fold, ...]:
    """Fold the lines of a definition under its text."""
    lines = item.more.get(_SOURCE)
    if not isinstance(lines, list | tuple):
        return ()
    return (doc.Fold(doc.Muted(counted(len(lines), "line")), (doc.Code("\n".join(map(str, lines))),)),)
