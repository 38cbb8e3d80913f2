"""The calls of a cassette in memory: found by what was asked, in the order of the file, and written back to it."""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lango_nb.core.errors import StoreError, shorten
from lango_nb.models.cassette_file import ModelTaped, Taped, ToolTaped, read_cassette, write_cassette
from lango_nb.models.cassette_form import Form, json_text

SHOWN = 60
"""Characters of a request that a message shows."""


class Entry:
    """One call, its place, and whether it was asked for since the cassette was opened or rewound."""

    def __init__(self, taped: Taped, place: int) -> None:
        self.taped, self.place, self.is_used = taped, place, False

    @property
    def key(self) -> str:
        """What it is found by."""
        if isinstance(self.taped, ModelTaped):
            return self.taped.form.key
        return tool_key(self.taped.tool, self.taped.arguments)

    @property
    def agent(self) -> str:
        """Who asked."""
        return self.taped.form.agent if isinstance(self.taped, ModelTaped) else self.taped.agent

    def __str__(self) -> str:
        if isinstance(self.taped, ToolTaped):
            return f"call {self.place + 1}: {called(self.taped.tool, self.taped.arguments)}"
        return f"call {self.place + 1}: {asked(self.taped.form)}"


class Entries:
    """All calls of a file.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._entries: list[Entry] = []
        self._by_key: dict[str, list[Entry]] = defaultdict(list)
        self._places = 0
        for taped in read_cassette(path):
            self.add(taped, self.new_place())
        self._seen = _signature(path)

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def of(self, key: str) -> Sequence[Entry]:
        """Return the calls of a key, in the order in which they were recorded."""
        return self._by_key.get(key, ())

    def new_place(self) -> int:
        """Return the place of a call that begins now: the file has calls in this order, whoever ends first."""
        self._places += 1
        return self._places - 1

    def add(self, taped: Taped, place: int) -> Entry:
        """Put a call into its place."""
        entry = Entry(taped, place)
        for row in (self._entries, self._by_key[entry.key]):
            insort(row, entry, key=lambda one: one.place)
        return entry

    def write(self) -> None:
        """Write all calls down, with what another process has added meanwhile."""
        if self._seen is not None and _signature(self.path) != self._seen:
            self._join(read_cassette(self.path))
        write_cassette(self.path, [entry.taped for entry in self._entries])
        self._seen = _signature(self.path)

    def drop_unused(self) -> int:
        """Take out what nobody asked for, if the file is as it was read."""
        kept = [entry for entry in self._entries if entry.is_used]
        if _signature(self.path) != self._seen:
            raise StoreError(f"cassette {self.path.name} was changed by somebody else; open it again", "conflict")
        dropped = len(self._entries) - len(kept)
        if dropped:
            write_cassette(self.path, [entry.taped for entry in kept])
            self._seen = _signature(self.path)
            self._clear()
            for entry in kept:
                self.add(entry.taped, self.new_place()).is_used = True
        return dropped

    def _clear(self) -> None:
        self._entries = []
        self._by_key.clear()
        self._places = 0

    def _join(self, found: Sequence[Taped]) -> None:
        """Take over the calls of a file that somebody else has changed; ours that are not in it come last."""
        own, places = list(self._entries), self._places
        self._clear()
        for taped in found:
            same = next((one for one in own if _equal(one.taped, taped)), None)
            entry = self.add(taped, self.new_place())
            if same is not None:
                own.remove(same)
                entry.is_used = same.is_used
        for one in own:
            self.add(one.taped, self.new_place()).is_used = one.is_used
        self._places = max(self._places, places)  # calls that are under way have their places


def called(tool: str, arguments: Mapping[str, Any]) -> str:
    """Word a call of a tool.

    Examples
    --------
    >>> called("fs_read", {"path": "notes.md"})
    "fs_read(path='notes.md')"
    """
    given = ", ".join(f"{name}={shorten(repr(value), SHOWN)}" for name, value in arguments.items())
    return f"{tool}({given})"


def asked(form: Form) -> str:
    """Word a request to a model: who asked, and what was said last."""
    said = form.messages[-1].content if form.messages else ""
    return f"{form.agent or 'somebody'} after {shorten(said, SHOWN)!r}"


def tool_key(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return what two calls of a tool share that ask for the same."""
    return f"{tool} {json_text(arguments)}"


def _equal(one: Taped, other: Taped) -> bool:
    if isinstance(one, ModelTaped) and isinstance(other, ModelTaped):
        return one.form.key == other.form.key and one.reply == other.reply
    return one == other


def _signature(path: Path) -> tuple[int, int, int] | None:
    """Tell one state of a file from another, as well as the system can."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns
