"""Things of your own: notes, tags, labelled requests, results, agents and tools from cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lango_nb.commands.command import Command, Option, Output, Word
from lango_nb.core.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from lango_nb.commands.command import Notebook
    from lango_nb.commands.terminal.session import Terminal
    from lango_nb.lab import Lab
    from lango_nb.lab.shelf import Shelf
    from lango_nb.records.shelf_items import ShelfItem
    from lango_nb.viz.view import ListView, View

_FILE = Option("--file", "a shelf of your own, in place of that in the home folder", "FILE", where="terminal")


@Command(
    "shelf",
    "list what is kept of your own: notes, tags, labelled requests, results, agents and tools from cells",
    "%lango shelf notes --search twice",
    Word("kind", "KIND|FILE", "kind", "only this kind, for example notes; or a file, to use as the shelf"),
    options=(
        Option("--search", "only items that contain this text", metavar="TEXT"),
        Option(
            "--restore",
            "add the agents on it to the tree again; with the kind tools, run their source",
            where="notebook",
        ),
        _FILE,
    ),
    group="collect",
).in_notebook
def shelf(notebook: Notebook, kind: str = "", *, search: str = "", restore: bool = False) -> View[Any]:
    """Show the shelf, let what is on it join again, or go on with another file."""
    lab = notebook.lab
    if _is_file(kind):
        lab.open_shelf(kind)
        kind = ""
    if restore:
        return lab.restore(kind or "agents", notebook.shell.user_ns)
    return _shown(lab.shelf, kind, search)


@shelf.in_terminal
def _shelf_in_terminal(terminal: Terminal, kind: str = "", *, search: str = "", file: str | None = None) -> Output:
    if _is_file(kind):
        kind, file = "", kind
    opened = terminal.shelf(file)
    view = _shown(opened, kind, search)
    fits = "nothing fits" if kind or search else "nothing is kept yet; lango note TURN TEXT keeps a note"
    return Output(
        lambda: view.text if view.record else f"{opened.name}: {fits}", lambda: [_data(item) for item in view.record]
    )


def _is_file(word: str) -> bool:
    return word.endswith(".json") or "/" in word or "\\" in word


def _shown(opened: Shelf, kind: str, search: str) -> ListView[ShelfItem]:
    if kind and kind not in (kinds := kinds_of(opened)):
        raise UnknownNameError("kind", kind, kinds, where="the shelf")
    return opened.view(kind, search)


def kinds_of(opened: Shelf) -> list[str]:
    """List the kinds that a lab makes, and those that are on a shelf besides."""
    from lango_nb.lab.shelf.entries import KINDS

    return sorted({*KINDS, *opened.tables()})


def _data(item: ShelfItem) -> dict[str, Any]:
    """Return an item as plain data, as its file has it."""
    fields = {"name": item.name, "text": item.text, "agent": item.agent, "turn": item.turn, "turn_id": item.turn_id}
    at = {"at": item.at.isoformat()} if item.at is not None else {}
    return {
        "item": item.id,
        **{name: value for name, value in fields.items() if value not in {"", None}},
        **at,
        **item.more,
    }


@Command(
    "note",
    "put a note on a turn",
    "%lango note -1 asked twice before it answered",
    Word("turn", "TURN", "turn", "number, -1 for the last, or id; lango trace list shows them", is_required=True),
    has_text=True,
    options=(_FILE,),
    group="collect",
    acts=True,
)
def note(lab: Lab, turn: str, text: str) -> View[Any]:
    """Put a note on a turn."""
    return lab.note(turn, text)


@note.in_terminal
def _note_in_terminal(terminal: Terminal, turn: str, text: str, *, file: str | None = None) -> Output:
    from datetime import UTC, datetime

    from lango_nb.lab.shelf import entries
    from lango_nb.records.packing import unpack_turn

    if not text.strip():
        raise UsageError("a note needs a text")
    with terminal.records() as records:
        found = unpack_turn(records.turn(turn).row)
    opened = terminal.shelf(file)
    item = opened.put(entries.note(found, text, datetime.now(UTC)))
    items = tuple(one for one in opened.items(entries.NOTES) if one.id == item)
    return Output.of(opened.shown(items, "noted"), lambda: [_data(one) for one in items])


@Command(
    "tag",
    "put tags on a turn",
    "%lango tag -1 slow",
    Word("words", "TURN TAG", "turn", is_required=True, is_many=True),
    where="notebook",
    group="collect",
    acts=True,
)
def tag(lab: Lab, words: tuple[str, ...]) -> View[Any]:
    """Put tags on a turn."""
    turn, *tags = words
    if not tags:
        raise UsageError("tag needs a turn and a word, as in '%lango tag -1 slow'")
    return lab.tag(turn, *tags)


@Command(
    "label",
    "keep a request with the agent, or the tool family, that should get it, for the router to learn from",
    "%lango label vault lock my diary away",
    Word("agent", "AGENT", "agent", is_required=True),
    has_text=True,
    where="notebook",
    group="collect",
    acts=True,
)
def label(lab: Lab, agent: str, text: str) -> View[Any]:
    """Keep a request with its right agent."""
    return lab.label(text, agent)


@Command(
    "save",
    "keep what was last asked, routed, compared or evaluated, under a name",
    "%lango save before-the-change",
    Word("name", "NAME", "file", is_required=True),
    where="notebook",
    group="collect",
    acts=True,
)
def save(lab: Lab, name: str) -> View[Any]:
    """Keep the last result."""
    return lab.save(name)


@Command(
    "forget",
    "remove items from the shelf",
    "%lango forget notes/1",
    Word("items", "ITEM", "item", is_required=True, is_many=True),
    where="notebook",
    group="collect",
    acts=True,
)
def forget(lab: Lab, items: tuple[str, ...]) -> View[Any]:
    """Remove items."""
    return lab.forget(*items)
