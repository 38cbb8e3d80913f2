"""Turns read from their sessions' files, many in a row without opening a file for each."""

from __future__ import annotations

from collections import OrderedDict
from types import TracebackType
from typing import NamedTuple, Self

from lango_nb.core.errors import StoreError
from lango_nb.stores.disk import Handle
from lango_nb.stores.event_log import EventFile
from lango_nb.stores.known_turns import KnownTurns
from lango_nb.stores.session_files import SessionFiles
from lango_nb.stores.store import Row, StoredTurn
from lango_nb.stores.turn_lines import body_in, content_of, events_in

_OPEN = 32
"""Files that are open at once at most."""
_TRIES = 5
"""How often a file is looked at that somebody else writes anew all the time."""


class _Lines(NamedTuple):
    """What was read of a turn, and its row at that time."""

    file: EventFile
    row: Row
    data: bytes
    end: int
    """Where the line is that closes it; -1 without one."""

    def body(self) -> Row | None:
        """Return the turn's body, ``None`` when it is damaged."""
        return body_in(self.data[self.end :]) if self.end >= 0 else {}


class TurnReader:
    """Reads turns one after the other; a context, in which files stay open. For one thread.

    Parameters
    ----------
    turns : KnownTurns
    files : SessionFiles
    """

    def __init__(self, turns: KnownTurns, files: SessionFiles) -> None:
        self._turns, self._files = turns, files
        self._handles: OrderedDict[str, Handle] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, stack: TracebackType | None
    ) -> None:
        while self._handles:
            self._handles.popitem()[1].close()

    def read(self, turn_id: str) -> StoredTurn | None:
        """Return everything of a turn, or ``None`` when it is there no more."""
        found = self._lines_of(turn_id)
        if found is None:
            return None
        events = events_in(found.data)
        body = found.body()
        if events is None or body is None:
            return self._unusual(turn_id)
        return StoredTurn(found.row, events, body)

    def closing(self, turn_id: str) -> StoredTurn | None:
        """Return row and body of a turn without its events, or ``None`` when it is there no more."""
        found = self._lines_of(turn_id, from_end=True)
        if found is None:
            return None
        body = found.body()
        if body is not None:
            return StoredTurn(found.row, [], body)
        stored = self._unusual(turn_id)
        return StoredTurn(stored.row, [], stored.body) if stored is not None else None

    def events(self, turn_id: str) -> tuple[Row, list[Row]] | None:
        """Return row and events of a turn, or ``None`` when it is there no more."""
        found = self._lines_of(turn_id)
        if found is None:
            return None
        events = events_in(found.data)
        if events is not None:
            return found.row, events
        stored = self._unusual(turn_id)
        return (stored.row, stored.events) if stored is not None else None

    def _unusual(self, turn_id: str) -> StoredTurn | None:
        """Read a turn with lines that are unusual; when some are damaged, after they were found and reported."""
        found = self._lines_of(turn_id)
        if found is None:
            return None
        events, body, is_whole = content_of(found.data)
        if not is_whole:
            self._files.read_anew(found.file)
            self._close(found.file.name)
            found = self._lines_of(turn_id)
            if found is None:
                return None
            events, body, _ = content_of(found.data)
        return StoredTurn(found.row, events, body)

    def _lines_of(self, turn_id: str, *, from_end: bool = False) -> _Lines | None:
        """Return the lines of a turn, or those from the one on that closes it."""
        for tried in range(_TRIES):
            with self._turns.lock:
                turn = self._turns.by_id.get(turn_id)
                if turn is None:
                    return None
                file, row = self._files.get(turn.file), turn.row
                pieces, end_at = list(turn.pieces()), turn.end_at
                handle = self._handles.get(file.name)
                is_known = handle is not None and handle.identity[1] == file.seen.inode
                is_behind = end_at < 0 and not turn.is_open and not tried  # only the index has told of its end yet
            if handle is not None and is_known and not is_behind:
                self._handles.move_to_end(file.name)
                if from_end and end_at >= 0:
                    pieces = [(end_at, end) for start, end in pieces if start <= end_at < end]
                return self._joined(handle, pieces, _Lines(file, row, b"", end_at))
            self._files.follow(file)
            self._open(file.name)
        raise StoreError(
            f"turn {turn_id} cannot be read while its file is written anew all the time; try again", "locked"
        )

    def _joined(self, handle: Handle, pieces: list[tuple[int, int]], lines: _Lines) -> _Lines:
        found, length, end = [], 0, -1
        for start, stop in pieces:
            if start <= lines.end < stop:
                end = length + lines.end - start
            found.append(self._files.disk.read(handle.descriptor, start, stop))
            length += stop - start
        return lines._replace(data=b"".join(found), end=end)

    def _open(self, name: str) -> None:
        self._close(name)
        with self._turns.lock:
            handle = self._files.get(name).reader()
        if handle is not None:
            self._handles[name] = handle
            if len(self._handles) > _OPEN:
                self._handles.popitem(last=False)[1].close()

    def _close(self, name: str) -> None:
        handle = self._handles.pop(name, None)
        if handle is not None:
            handle.close()
