"""Turns in files: one per session, which says everything, and an index of all of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from itertools import groupby

from lango_nb.core.errors import StoreError
from lango_nb.stores.event_log import EventFile, file_name
from lango_nb.stores.index import FILE
from lango_nb.stores.known_turns import KnownTurn, KnownTurns
from lango_nb.stores.locks import read_only
from lango_nb.stores.memory import check_end, key_of
from lango_nb.stores.place import Place, problem_of
from lango_nb.stores.rewriting import keep_only
from lango_nb.stores.session_files import SessionFiles
from lango_nb.stores.store import EVERY_TURN, Row, StoredTurn, TurnQuery
from lango_nb.stores.turn_lines import begin_line, end_line, event_lines
from lango_nb.stores.turn_reading import TurnReader
from lango_nb.stores.writers import Writers

_HELD = 100
"""Files that are kept open at most because turns in them are."""


class FolderLog:
    """The turns of a folder.

    Parameters
    ----------
    place : Place
    turns : KnownTurns
    files : SessionFiles
    writers : Writers
    sync_documents : callable
        Forces to the disk what else was written; called before a turn is closed.
    """

    def __init__(
        self,
        place: Place,
        turns: KnownTurns,
        files: SessionFiles,
        writers: Writers,
        sync_documents: Callable[[], None],
    ) -> None:
        self._place, self._turns, self._files = place, turns, files
        self._writers, self._sync_documents = writers, sync_documents
        self._ending: set[str] = set()
        self.is_closed = False

    def begin(self, row: Row, events: Sequence[Row] = ()) -> int:
        """Begin a turn and return its number."""
        key = key_of(row, "turn")
        session = row.get("session_id")
        if not isinstance(session, str):
            raise StoreError(f"turn {key} needs a text under 'session_id' to be stored, got {session!r}", "bad_row")
        self._check_writable()
        writer = self._writers.take()
        lines = event_lines(key, events)
        file = self._files.get(file_name(session))
        turn = None
        with self._files.lock(file.name):
            try:
                with self._files.index.unit():
                    self._files.refresh()
                    turn = self._begun(file, key, row, writer, lines)
                    self._files.save(file)
                if self._place.durability == "event":
                    file.sync()
            except BaseException:
                self._take_back(file, turn)
                raise
        return turn.number

    def write(self, turn_id: str, events: Sequence[Row], *, is_urgent: bool = False) -> None:
        """Add events to a turn."""
        self._check_writable()
        data = event_lines(turn_id, events)
        file = self._file_of(turn_id)
        with self._files.lock(file.name):
            self._files.refresh()
            with self._turns.lock:
                self._files.mend(file)
                turn = self._found(turn_id)
                size, places = file.size, turn.places.copy()
                if data:
                    start = file.append(str(turn.row.get("session_id") or ""), data)
                    turn.add_place(start, start + len(data))
                    file.dirty[turn.id] = turn
            if self._place.durability == "event" or (is_urgent and self._place.is_durable):
                try:
                    file.sync()
                except StoreError:
                    with self._turns.lock:
                        file.undo(size)
                        turn.places = places
                    raise
            if data and not turn.is_open:
                self._save(file)

    def finish(self, turn_id: str, events: Sequence[Row], row: Row, body: Row | Callable[[], Row]) -> None:
        """Close a turn."""
        self._check_writable()
        file = self._file_of(turn_id)
        with self._turns.lock:
            turn = self._found(turn_id)
            if not turn.is_open and turn_id not in self._ending:
                raise _closed(turn_id)
            check_end(turn_id, row)
            row = {**row, "number": turn.number}
        before = event_lines(turn_id, events)
        data = before + end_line(turn_id, row, body() if callable(body) else body)
        if self._place.is_durable:
            self._sync_documents()
        with self._files.lock(file.name):
            self._files.refresh()
            self._end(file, turn_id, row, data, len(before))
            self._save(file)
            with self._turns.lock:
                self._files.mine.pop(turn_id, None)
                if not any(turn.file == file.name for turn in self._files.mine.values()):
                    file.let_go()

    def rows(self, query: TurnQuery = EVERY_TURN) -> list[Row]:
        """Return the summaries of turns by number."""
        return [turn.row for turn in self._wanted(query)]

    def count(self, query: TurnQuery = EVERY_TURN) -> int:
        """Count turns."""
        return len(self._wanted(query))

    def read(self, turn_id: str) -> StoredTurn | None:
        """Return everything there is of one turn."""
        self._refresh()
        with TurnReader(self._turns, self._files) as reader:
            return reader.read(turn_id)

    def scan(self, query: TurnQuery = EVERY_TURN, *, with_events: bool = True) -> Iterator[StoredTurn]:
        """Go through turns by number."""
        with TurnReader(self._turns, self._files) as reader:
            for turn in self._wanted(query):
                stored = reader.read(turn.id) if with_events else reader.closing(turn.id)
                if stored is not None:
                    yield stored

    def events(self, query: TurnQuery = EVERY_TURN) -> Iterator[tuple[Row, list[Row]]]:
        """Go through rows and events of turns by number."""
        with TurnReader(self._turns, self._files) as reader:
            for turn in self._wanted(query):
                found = reader.events(turn.id)
                if found is not None:
                    yield found

    def sessions(self) -> list[Row]:
        """Return every session with its turns counted."""
        self._refresh()
        with self._turns.lock:
            return self._turns.sessions()

    def version(self, session_id: str) -> object:
        """Return what the system says of the session's file, or of the folder when it has none."""
        self._check_not_closed()
        for path in (self._files.folder / file_name(session_id), self._files.folder):
            try:
                status = os.stat(path)  # noqa: PTH116 - with every turn
            except OSError:
                continue
            return status.st_ino, status.st_size, status.st_mtime_ns
        return None

    def unfinished(self) -> list[Row]:
        """Return rows of open turns whose process is gone."""
        self._refresh()
        if self._place.is_read_only:
            return []
        with self._turns.lock:
            others = [
                turn for turn in self._turns.open_turns() if not turn.writer or turn.writer != self._writers.number
            ]
        is_gone = {writer: self._writers.is_gone(writer) for writer in {turn.writer for turn in others}}
        left = [turn for turn in others if is_gone[turn.writer]]
        for turn in left:
            self._files.follow(self._files.get(turn.file))
        with self._turns.lock:
            left = [turn for turn in left if turn.is_open and self._turns.by_id.get(turn.id) is turn]
        self._writers.sweep()
        return [turn.row for turn in left]

    def remove(self, turn_ids: Collection[str]) -> int:
        """Forget closed turns and count them."""
        self._check_writable()
        self._refresh()
        with self._turns.lock:
            known = [turn for key in dict.fromkeys(turn_ids) if (turn := self._turns.by_id.get(key)) is not None]
        by_file = sorted((turn for turn in known if not turn.is_open), key=_file_of)
        count = sum(
            self._remove_from(self._files.get(name), [turn.id for turn in turns])
            for name, turns in groupby(by_file, key=_file_of)
        )
        if count and self._place.is_durable:
            self._files.sync_names()
        return count

    def sync(self) -> None:
        """Force everything that was written to the disk."""
        for file in self._files.unsynced():
            with self._files.lock(file.name):
                file.sync()

    def _begun(self, file: EventFile, key: str, row: Row, writer: int, lines: bytes) -> KnownTurn:
        """Write the beginning of a turn; the locks of its file and of the index are held."""
        with self._turns.lock:
            self._files.mend(file)  # another process may have died before it told the index of a number
            if key in self._turns.by_id:
                raise StoreError(f"turn {key} is there already; every turn needs an id of its own", "conflict")
            number = max(self._turns.highest, self._writers.numbers.highest("turn")) + 1
            stored: Row = {**row, "number": number, "outcome": "running"}
            data = begin_line(key, stored, writer) + lines
            start = file.append(str(row["session_id"]), data)
            turn = KnownTurn(key, number, stored, file.name, [start, start + len(data)], writer=writer)
            self._turns.add(turn)
            file.dirty[key] = self._files.mine[key] = turn
            if len(self._files.mine) <= _HELD:
                file.hold()
            return turn

    def _take_back(self, file: EventFile, turn: KnownTurn | None) -> None:
        """Undo what was written of a turn that could not begin; the lock of its file is held."""
        if turn is None:
            return
        with self._turns.lock:
            self._turns.drop([turn])
            self._files.mine.pop(turn.id, None)
            file.undo(turn.places[0])
            self._files.list_again(file)
        with suppress(StoreError):
            self._files.index.save([], file, [turn.number])

    def _end(self, file: EventFile, turn_id: str, row: Row, data: bytes, end_line_at: int) -> None:
        """Write the end of a turn and force it to the disk; the lock of its file is held."""
        with self._turns.lock:
            self._files.mend(file)
            turn = self._found(turn_id)
            is_written = not turn.is_open
            if is_written and turn_id not in self._ending:
                raise _closed(turn_id)
            before = turn.row, turn.places.copy()
            size = file.size
            self._ending.add(turn_id)  # when the disk fails twice, its end is there although this raised
            if not is_written:
                start = file.append(str(row.get("session_id") or turn.row.get("session_id") or ""), data)
                turn.add_place(start, start + len(data))
                self._turns.close(turn, row, start + end_line_at)
                file.dirty[turn.id] = turn
        try:
            if self._place.is_durable:
                file.sync()
        except StoreError:
            if not is_written:
                with self._turns.lock:
                    file.undo(size)
                    (turn.row, turn.places), turn.is_open, turn.end_at = before, True, -1
            raise
        self._ending.discard(turn_id)

    def _remove_from(self, file: EventFile, turn_ids: Sequence[str]) -> int:
        with self._files.lock(file.name):
            self._files.settle(file)
            with self._turns.lock:
                highest = self._turns.by_number.get(self._turns.highest)
                leaving = [turn for key in turn_ids if (turn := self._turns.by_id.get(key)) is not None]
            with suppress(StoreError):  # a full disk must not keep anybody from making room
                self._files.index.announce(leaving)
            if highest is None or highest.id in turn_ids:  # else its own file will tell it
                with self._writers.numbers.lock:
                    self._writers.numbers.note("turn", self._turns.highest)
            with self._turns.lock:
                self._files.mend(file)
                in_file = self._turns.files.get(file.name, {})
                gone = {key: in_file[key] for key in turn_ids if key in in_file and not in_file[key].is_open}
                kept = [turn for turn in in_file.values() if turn.id not in gone]
                if not gone:
                    return 0
                file.dirty.update(gone)  # should it fail, the index is told that they stay
                keep_only(file, kept, self._place.disk, is_durable=self._place.is_durable)
                self._turns.drop(gone.values())
            self._save(file, [turn.number for turn in gone.values()])
        return len(gone)

    def _save(self, file: EventFile, gone: Sequence[int] = ()) -> None:
        """Bring the index up to date; without it everything that was promised is on the disk all the same."""
        try:
            self._files.save(file, gone)
        except StoreError as error:
            self._place.report(problem_of(error, FILE, "nothing is lost: it is made anew when the store is opened"))

    def _wanted(self, query: TurnQuery) -> list[KnownTurn]:
        self._refresh()
        with self._turns.lock:
            return self._turns.wanted(query, None if query.session is None else file_name(query.session))

    def _file_of(self, turn_id: str) -> EventFile:
        with self._turns.lock:
            turn = self._turns.by_id.get(turn_id)
        if turn is None:
            self._files.refresh()
            with self._turns.lock:
                turn = self._found(turn_id)
        return self._files.get(turn.file)

    def _found(self, turn_id: str) -> KnownTurn:
        turn = self._turns.by_id.get(turn_id)
        if turn is None:
            raise StoreError(f"turn {turn_id} was never begun here; begin it first", "unknown")
        return turn

    def _refresh(self) -> None:
        self._check_not_closed()
        self._files.refresh()

    def _check_writable(self) -> None:
        self._check_not_closed()
        if self._place.is_read_only:
            raise read_only("the folder of the store")

    def _check_not_closed(self) -> None:
        if self.is_closed:
            raise StoreError("the store was closed; open it again", "closed")


def _closed(turn_id: str) -> StoreError:
    return StoreError(f"turn {turn_id} has ended already; nothing about it can change any more", "closed")


def _file_of(turn: KnownTurn) -> str:
    return turn.file
