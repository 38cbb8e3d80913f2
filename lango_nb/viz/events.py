"""Events one by one, as they are stored."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.core.events import Event
from lango_nb.core.messages import USER
from lango_nb.core.text import counted
from lango_nb.viz import document as doc
from lango_nb.viz.colours import PERSON, agent_colours
from lango_nb.viz.spans import particulars

_MOST = 500
_EMPTY = "no events yet"


def events_document(events: Sequence[Event]) -> doc.Document:
    """Write a row per event, of very many the first ones."""
    if not events:
        return (doc.Note(_EMPTY),)
    shown = events[:_MOST]
    has_runs = any(event.run_id for event in shown)
    root = next((event.author for event in events if event.author != USER), None)
    colours = {**agent_colours((event.author for event in events), root), USER: PERSON}
    rows = tuple(
        (
            str(event.seq),
            doc.Name(event.author, colours[event.author], plain=24),
            *((doc.Cut(event.run_id, 24, 24),) if has_runs else ()),
            event.kind,
            doc.Pairs(tuple(particulars(event)), 240, 160),
        )
        for event in shown
    )
    heads = ("seq", "author", *(("run",) if has_runs else ()), "kind", "")
    widths = ("40px", "136px", *(("64px",) if has_runs else ()), "124px", "auto")
    hidden = len(events) - _MOST
    rest = f"{counted(hidden, 'more event')} not shown; the frame has them all" if hidden > 0 else ""
    return (
        doc.Title(counted(len(events), "event")),
        doc.GAP,
        doc.Rows(heads, rows, ">", widths),
        doc.GAP,
        doc.Note(rest),
    )
