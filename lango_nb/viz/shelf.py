"""What is on a shelf, as a listing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lango_nb.records.shelf_items import ShelfItem
from lango_nb.viz import html, text
from lango_nb.viz.escape import count, one_line
from lango_nb.viz.renderer import Renderer

_SOURCE = "source"
_HEADS = ("item", "name", "text", "agent", "turn")
_MOST = 500
_EMPTY = "nothing here yet; %lango note TURN TEXT, %lango save NAME and %lango label AGENT TEXT put something here"
_NONE_FITS = "nothing on it fits; %lango shelf lists all of it"


@dataclass(frozen=True, slots=True)
class ShelfItems:
    """Items of a shelf, for showing."""

    items: tuple[ShelfItem, ...] = ()
    """By kind and number."""
    place: str = ""
    """Name of the file, or that it is in memory."""
    title: str = "shelf"
    is_part: bool = False
    """Whether others were left out on purpose."""

    def __iter__(self) -> Iterator[ShelfItem]:
        """Iterate over the items."""
        return iter(self.items)

    def __len__(self) -> int:
        """Count the items."""
        return len(self.items)


def line(shelf: ShelfItems) -> str:
    """Write the shelf in one line."""
    return f"shelf: {count(len(shelf), 'item')}"


def to_text(shelf: ShelfItems) -> str:
    """Write a row per item."""
    head = text.facts([shelf.title, count(len(shelf), "item"), one_line(shelf.place, 60)])
    if not len(shelf):
        return "\n".join([head, "", *text.wrap(_NONE_FITS if shelf.is_part else _EMPTY, text.WIDTH)])
    rows = [
        [item.id, one_line(item.name, 40), one_line(item.text, 200), _agent(item), _turn(item)]
        for item in shelf.items[:_MOST]
    ]
    body = text.table(_HEADS, rows, "<<<<>")
    return "\n".join([head, "", body, *(["", rest] if (rest := _rest(shelf)) else [])])


def to_html(shelf: ShelfItems) -> str:
    """Show a row per item; the lines of a definition fold out."""
    head = html.header(shelf.title, [count(len(shelf), "item"), one_line(shelf.place, 60)])
    if not len(shelf):
        return html.view(head, html.div(html.muted(_NONE_FITS if shelf.is_part else _EMPTY)))
    rows = [
        [
            html.inline(item.id, 60),
            html.inline(item.name, 60),
            html.inline(item.text, 300) + _source(item),
            html.inline(_agent(item), 40),
            _turn(item),
        ]
        for item in shelf.items[:_MOST]
    ]
    listing = html.listing(_HEADS, rows, "<<<<>", ("128px", "17%", "auto", "18%", "44px"))
    return html.view(head, listing, html.note(_rest(shelf)))


def _agent(item: ShelfItem) -> str:
    """Name the agent, or the tool family that stands in its place."""
    return one_line(item.agent or str(item.more.get("family", "")), 40)


def _turn(item: ShelfItem) -> str:
    return "" if item.turn is None else str(item.turn)


def _rest(shelf: ShelfItems) -> str:
    hidden = len(shelf) - _MOST
    return f"and {count(hidden, 'item')} more" if hidden > 0 else ""


def _source(item: ShelfItem) -> str:
    """Fold the lines of a definition under its text."""
    lines = item.more.get(_SOURCE)
    if not isinstance(lines, list | tuple):
        return ""
    return html.details(html.muted(count(len(lines), "line")), html.pre("\n".join(map(str, lines))))


RENDERER = Renderer(line, to_text, to_html)
