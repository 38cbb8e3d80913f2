"""Events one by one, as they are stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lango_nb.core.events import BaseEvent, Event
from lango_nb.core.messages import USER
from lango_nb.viz import html, text
from lango_nb.viz.colours import PERSON, agent_colours
from lango_nb.viz.escape import count, esc, one_line
from lango_nb.viz.renderer import Renderer
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


@dataclass(frozen=True, slots=True)
class Events:
    """Several events, for showing."""

    items: tuple[Event, ...] = ()

    def __iter__(self) -> Iterator[Event]:
        """Iterate over the events."""
        return iter(self.items)

    def __len__(self) -> int:
        """Count the events."""
        return len(self.items)


def _pairs(event: Event) -> list[tuple[str, str]]:
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


def line(events: Events) -> str:
    """Write the list in one line."""
    return count(len(events), "event")


_EMPTY = "no events yet"


def _rest(events: Events) -> str:
    hidden = len(events) - _MOST
    return f"{count(hidden, 'more event')} not shown; the frame has them all" if hidden > 0 else ""


def _has_runs(events: Events) -> bool:
    return any(event.run_id for event in events.items[:_MOST])


def to_text(events: Events) -> str:
    """Write a row per event."""
    if not len(events):
        return _EMPTY
    has_runs = _has_runs(events)
    rows = [
        [
            str(e.seq),
            one_line(e.author, 24),
            *([one_line(e.run_id, 24)] if has_runs else []),
            e.kind,
            "; ".join(f"{name}: {one_line(said, 160)}" for name, said in _pairs(e)),
        ]
        for e in events.items[:_MOST]
    ]
    heads = ["seq", "author", *(["run"] if has_runs else []), "kind", ""]
    head = f"{count(len(events), 'event')}\n\n{text.table(heads, rows, '>')}"
    return f"{head}\n\n{_rest(events)}" if _rest(events) else head


def to_html(events: Events) -> str:
    """Show a row per event."""
    if not len(events):
        return html.view(html.note(_EMPTY))
    has_runs = _has_runs(events)
    root = next((event.author for event in events if event.author != USER), None)
    colours = {**agent_colours((event.author for event in events), root), USER: PERSON}
    rows = [
        [
            str(event.seq),
            html.named(event.author, colours[event.author]),
            *([html.inline(event.run_id, 24)] if has_runs else []),
            esc(event.kind),
            " &nbsp;".join(f"{html.muted(name)} {html.inline(said, 240)}" for name, said in _pairs(event)),
        ]
        for event in events.items[:_MOST]
    ]
    heads = ["seq", "author", *(["run"] if has_runs else []), "kind", ""]
    widths = ["40px", "136px", *(["64px"] if has_runs else []), "124px", "auto"]
    return html.view(
        html.header(count(len(events), "event")),
        html.listing(heads, rows, ">", widths),
        html.note(_rest(events)),
    )


RENDERER = Renderer(line, to_text, to_html)
