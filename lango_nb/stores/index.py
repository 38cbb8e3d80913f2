"""What a listing needs of every turn, in one file: summaries, and where the lines of each turn are.

It holds nothing that the sessions' files do not say, so it is never forced to the disk, and made anew when it is lost.
One row per turn, by its number::

    {"id":"turn-1","row":{…},"file":"main-d9cb9db2.jsonl","at":[74,912],"end":640,"writer":3,"seen":[131,912,…]}

``at`` says where its lines are and ``end`` which of them closes it; ``open`` is there while none does, ``leaving`` when
it is about to be removed. ``seen`` is what the index knows of the file when this row is the last one that was written
for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from lango_nb.core.errors import StoreError
from lango_nb.stores.atomic import QUARANTINE
from lango_nb.stores.event_log import EventFile, Seen
from lango_nb.stores.journal_file import JournalFile
from lango_nb.stores.known_turns import KnownTurn, KnownTurns

if TYPE_CHECKING:
    from lango_nb.stores.journal_rows import Operation, Tables
    from lango_nb.stores.place import Place
    from lango_nb.stores.store import Problem, Row

FILE = "index.jsonl"
_TABLE = "turns"
_LEAVING = "leaving"
_COMPACT_AT = 4_000_000
"""Bytes from which on past rows are worth a new file."""


class TurnIndex:
    """The index of a folder.

    Parameters
    ----------
    place : Place
    turns : KnownTurns
        Gets what others write into the index.

    Raises
    ------
    StoreError
        With code ``newer_schema``: a newer version wrote it.
    """

    def __init__(self, place: Place, turns: KnownTurns) -> None:
        self._place, self._turns = place, turns
        self._path = place.folder / FILE
        self._journal = self._opened()
        self._known: dict[str, Row] = {}
        self._tables: Tables | None = None
        self._changes = 0
        self._version: object = None

    def load(self) -> dict[str, Seen]:
        """Take in all turns.

        Returns
        -------
        dict
            What was seen of every file, by its name.
        """
        files: dict[str, Seen] = {}
        self._version = self._journal.version()
        with self._journal.reading() as tables, self._turns.lock:
            self._remember(tables)
            for number, entry in self._known.items():
                turn, seen = _turn_of(int(number), entry)
                if turn is None:
                    continue
                if turn.id in self._turns.by_id:
                    seen = Seen()  # its file will say it
                else:
                    self._turns.add(turn)
                before = files.get(turn.file, seen)
                files[turn.file] = max(before, seen, key=_size) if before.token == seen.token else Seen()
        return files

    def refresh(self) -> list[KnownTurn]:
        """Take in what others wrote.

        Returns
        -------
        list of KnownTurn
            Those that are in the index no more; they are still known.
        """
        version = self._journal.version()
        if version == self._version:
            return []
        with self._journal.reading() as tables, self._turns.lock:
            self._version = version
            if tables is self._tables and tables.changes[_TABLE] == self._changes:
                return []
            before = self._known
            self._remember(tables)
            for key, entry in self._known.items():
                if before.get(key) is not entry and before.get(key) != entry:
                    self._take(int(key), entry)
            self._turns.number_rest()
            gone = (self._turns.by_number.get(int(key)) for key in before if key not in self._known)
            return [turn for turn in gone if turn is not None]

    @contextmanager
    def unit(self) -> Iterator[None]:
        """Hold the index's lock: nobody else gives a number or changes it."""
        try:
            with self._journal.unit(is_urgent=False):
                yield
        except BaseException:
            self._version = self._tables = None  # what was staged is not there: look again
            raise

    def save(self, turns: Iterable[KnownTurn], file: EventFile, gone: Sequence[int] = ()) -> None:
        """Write down turns of a file, and forget others, in one step.

        Parameters
        ----------
        turns : iterable of KnownTurn
        file : EventFile
            The file they are in.
        gone : sequence of int
            Numbers of turns to forget.

        Raises
        ------
        StoreError
            Nothing was written.
        """
        with self._turns.lock:
            entries = ((turn.number, _entry(turn, file)) for turn in turns)
            operations: list[Operation] = [
                ["put", _TABLE, number, entry]
                for number, entry in entries
                if _lasting(self._known.get(str(number), {})) != _lasting(entry)
            ]
        operations += [["remove", _TABLE, number] for number in gone if str(number) in self._known]
        self._write(operations)

    def announce(self, gone: Iterable[KnownTurn]) -> None:
        """Write down that turns are about to be removed: nobody need miss them when that is interrupted."""
        entries = {turn.number: self._known.get(str(turn.number)) for turn in gone}
        self._write(
            [["put", _TABLE, key, {**entry, _LEAVING: True}] for key, entry in entries.items() if entry is not None]
        )

    def has(self, number: int) -> bool:
        """Tell whether a turn was in the index when it was last looked at."""
        return str(number) in self._known

    def misses(self, number: int) -> bool:
        """Tell whether a turn that is nowhere any more ought to be there."""
        return str(number) in self._known and _LEAVING not in self._known[str(number)]

    def is_open(self, number: int) -> bool:
        """Tell whether the index says that a turn is open."""
        return "open" in self._known.get(str(number), {})

    def check(self) -> list[Problem]:
        """Say what is wrong with the file."""
        return self._journal.check()

    def close(self) -> None:
        """Let go of the file."""
        self._journal.close()

    def _write(self, operations: Sequence[Operation]) -> None:
        if not operations:
            return
        with self.unit(), self._journal.reading() as tables:
            is_up_to_date = tables is self._tables and tables.changes[_TABLE] == self._changes
            self._journal.stage(operations)
            if is_up_to_date:
                self._changes = tables.changes[_TABLE]
                present = tables.rows[_TABLE].documents if _TABLE in tables.rows else {}
                for operation in operations:
                    key = str(operation[2])
                    if key in present:
                        self._known[key] = present[key]
                    else:
                        self._known.pop(key, None)

    def _opened(self) -> JournalFile:
        try:
            return self._journal_at_path()
        except StoreError as error:
            if error.code != "damaged" or self._place.is_read_only:
                raise
        aside = self._place.folder / QUARANTINE
        aside.mkdir(mode=0o700, exist_ok=True)
        self._place.disk.replace(self._path, aside / FILE)  # no index at all: the files say everything
        return self._journal_at_path()

    def _journal_at_path(self) -> JournalFile:
        return JournalFile(
            self._path,
            "index",
            durability="none",
            lock_timeout_s=self._place.lock_timeout_s,
            report=self._place.report,
            compact_at=_COMPACT_AT,
            disk=self._place.disk,
        )

    def _remember(self, tables: Tables) -> None:
        rows = tables.rows.get(_TABLE)
        self._known = dict(rows.documents) if rows is not None else {}
        self._tables, self._changes = tables, tables.changes[_TABLE]

    def _take(self, number: int, entry: Row) -> None:
        """Take in what somebody else wrote of a turn; where its lines are, its file will say."""
        read, _ = _turn_of(number, entry)
        if read is None:
            return
        turn = self._turns.by_id.get(read.id)
        if turn is None:
            read.places, read.end_at = [], -1
            self._turns.add_read(read, read.row)
        elif turn.is_open and not read.is_open:
            self._turns.close(turn, read.row, turn.end_at)


def _entry(turn: KnownTurn, file: EventFile) -> Row:
    entry: Row = {
        "id": turn.id,
        "row": turn.row,
        "file": turn.file,
        "at": list(turn.places),
        "end": turn.end_at,
        "writer": turn.writer,
        "seen": list(file.seen),
    }
    if turn.is_open:
        entry["open"] = True
    return entry


def _lasting(entry: Row) -> Row:
    """Return what an entry says, whatever else was added to the file."""
    seen = entry.get("seen")
    return {**entry, "seen": [seen[0], seen[3]] if isinstance(seen, list) and len(seen) == len(Seen._fields) else None}


def _turn_of(number: int, entry: Row) -> tuple[KnownTurn | None, Seen]:
    try:
        seen = Seen(*cast("tuple[int, int, int, str]", entry["seen"]))
        turn = KnownTurn(
            cast("str", entry["id"]),
            number,
            cast("Row", entry["row"]),
            cast("str", entry["file"]),
            cast("list[int]", entry["at"]).copy(),
            cast("int", entry["end"]),
            cast("int", entry["writer"]),
            "open" in entry,
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None, Seen()
    return turn, seen


def _size(seen: Seen) -> int:
    return seen.size
