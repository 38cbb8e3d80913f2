"""Turns read from their sessions' files, many in a row without opening a file for each."""

from __future__ import annotations

from collections import OrderedDict
from types import TracebackType
from typing import Self

from lango_nb.stores.disk import Handle
from lango_nb.stores.known_turns import KnownTurn, KnownTurns
from lango_nb.stores.session_files import SessionFiles
from lango_nb.stores.store import Row, StoredTurn
from lango_nb.stores.turn_lines import body_in, content_of, events_in

_OPEN = 32
"""Files that are open at once at most."""
_TRIES = 5
"""How often a file is looked at that somebody else writes anew all the time."""


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
        turn, data, end = self._lines_of(turn_id, from_end=False)
        if turn is None:
            return None
        events = events_in(data)
        body = body_in(data[end:]) if end >= 0 else {}
        return StoredTurn(turn.row, events, body) if events is not None and body is not None else self._unusual(turn_id)

    def closing(self, turn_id: str) -> StoredTurn | None:
        """Return row and body of a turn without its events, or ``None`` when it is there no more."""
        turn, data, end = self._lines_of(turn_id, from_end=True)
        if turn is None:
            return None
        body = body_in(data[end:]) if end >= 0 else {}
        if body is not None:
            return StoredTurn(turn.row, [], body)
        stored = self._unusual(turn_id)
        return StoredTurn(stored.row, [], stored.body) if stored is not None else None

    def events(self, turn_id: str) -> tuple[Row, list[Row]] | None:
        """Return row and events of a turn, or ``None`` when it is there no more."""
        turn, data, _ = self._lines_of(turn_id, from_end=False)
        if turn is None:
            return None
        events = events_in(data)
        if events is not None:
            return turn.row, events
        stored = self._unusual(turn_id)
        return (stored.row, stored.events) if stored is not None else None

    def _unusual(self, turn_id: str) -> StoredTurn | None:
        """Read a turn with lines that are unusual; when some are damaged, after they were found and reported."""
        turn, data, _ = self._lines_of(turn_id, from_end=False)
        if turn is None:
            return None
        events, body, is_whole = content_of(data)
        if not is_whole:
            self._files.read_anew(self._files.get(turn.file))
            self._close(turn.file)
            turn, data, _ = self._lines_of(turn_id, from_end=False)
            events, body, _ = content_of(data)
        return StoredTurn(turn.row, events, body) if turn is not None else None

    def _lines_of(self, turn_id: str, *, from_end: bool) -> tuple[KnownTurn | None, bytes, int]:
        """Return a turn, its lines, and where the one is that closes it."""
        for _ in range(_TRIES):
            with self._turns.lock:
                turn = self._turns.by_id.get(turn_id)
                if turn is None:
                    return None, b"", -1
                file = self._files.get(turn.file)
                pieces, end_at = list(turn.pieces()), turn.end_at
                handle = self._handles.get(file.name)
                is_open = handle is not None and handle.identity[1] == file.seen.inode
            if handle is not None and is_open:
                self._handles.move_to_end(file.name)
                if from_end and end_at >= 0:
                    pieces = [(end_at, end) for start, end in pieces if start <= end_at < end]
                return turn, *self._joined(handle, pieces, end_at)
            self._files.follow(file)
            self._open(file.name)
        return None, b"", -1

    def _joined(self, handle: Handle, pieces: list[tuple[int, int]], end_at: int) -> tuple[bytes, int]:
        found, length, end = [], 0, -1
        for start, stop in pieces:
            if start <= end_at < stop:
                end = length + end_at - start
            found.append(self._files.disk.read(handle.descriptor, start, stop))
            length += stop - start
        return b"".join(found), end

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
