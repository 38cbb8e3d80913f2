"""Events one by one, as they are stored."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.core.events import BaseEvent, Event
from lango_nb.core.messages import USER
from lango_nb.core.text import counted
from lango_nb.viz import document as doc
from lango_nb.viz.colours import PERSON, agent_colours
from lango_nb.viz.span import arguments_text, tools_text

_MOST = 500
_COMMON = frozenset(BaseEvent.model_fields) | {"kind"}
_UNSHOWN = frozenset(
    "call_id decision_id request_id grant_request_id child child_session arguments_hash usage latency_ms "
    "duration_ms".split()
)
"""Ids and times may differ each time; the frame has them."""
_TOLD_NO = frozenset({"allowed"})
"""What is worth telling when it is not so."""


def particulars(event: BaseEvent) -> list[tuple[str, str]]:
    """List what is particular to an event's kind; empty values are left out."""
    names = (name for name in type(event).model_fields if name not in _COMMON and name not in _UNSHOWN)
    told = ((name, _told(name, getattr(event, name))) for name in names)
    return [(name.replace("_", " "), said) for name, said in told if said]


def _told(name: str, value: object) -> str:
    """Write a value; empty when there is nothing to tell."""
    match value:
        case bool():
            return "yes" if value else "no" if name in _TOLD_NO else ""
        case float():
            return f"{value:g}" if value else ""
        case dict():
            return arguments_text(value)
        case tuple():
            return tools_text(value)
    return str(value) if value else ""


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
