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
from lango_nb.viz.spans import arguments_text

_MOST = 500
_COMMON = frozenset(BaseEvent.model_fields) | {"kind"}
_UNSHOWN = frozenset({"call_id", "decision_id", "arguments_hash", "usage", "latency_ms", "duration_ms"})
"""Ids and times differ from run to run; the frame has them."""


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
    found = []
    for name in type(event).model_fields:
        value = getattr(event, name)
        if name in _COMMON or name in _UNSHOWN or value in ("", 0, None):
            continue
        if isinstance(value, dict):
            value = arguments_text(value)
        found.append((name.replace("_", " "), "yes" if value is True else str(value)))
    return found


def line(events: Events) -> str:
    """Write the list in one line."""
    return count(len(events), "event")


_EMPTY = "no events yet"


def _rest(events: Events) -> str:
    hidden = len(events) - _MOST
    return f"{count(hidden, 'more event')} not shown; the frame has them all" if hidden > 0 else ""


def to_text(events: Events) -> str:
    """Write a row per event."""
    if not len(events):
        return _EMPTY
    rows = [
        [
            str(e.seq),
            one_line(e.author, 24),
            e.kind,
            "; ".join(f"{name}: {one_line(said, 160)}" for name, said in _pairs(e)),
        ]
        for e in events.items[:_MOST]
    ]
    head = f"{count(len(events), 'event')}\n\n{text.table(['seq', 'author', 'kind', ''], rows, '><<<')}"
    return f"{head}\n\n{_rest(events)}" if _rest(events) else head


def to_html(events: Events) -> str:
    """Show a row per event."""
    if not len(events):
        return html.view(html.note(_EMPTY))
    root = next((event.author for event in events if event.author != USER), None)
    colours = {**agent_colours((event.author for event in events), root), USER: PERSON}
    rows = [
        [
            str(event.seq),
            html.named(event.author, colours[event.author]),
            esc(event.kind),
            " &nbsp;".join(f"{html.muted(name)} {html.inline(said, 240)}" for name, said in _pairs(event)),
        ]
        for event in events.items[:_MOST]
    ]
    table = html.listing(["seq", "author", "kind", ""], rows, "><<<", ["48px", "150px", "140px", "auto"])
    return html.view(html.header(count(len(events), "event")), table, html.note(_rest(events)))


RENDERER = Renderer(line, to_text, to_html)
