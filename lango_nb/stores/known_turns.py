"""What is known of every turn without reading it: its summary, and where its lines lie."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import attrgetter
from threading import RLock
from typing import cast

from lango_nb.stores.locks import tell_after_fork
from lango_nb.stores.memory import sessions_of
from lango_nb.stores.store import EVERY_TURN, Row, TurnQuery, stamp

_END_OF_TIME = "~"
"""A text behind that of every time."""
_by_number = attrgetter("number")


@dataclass(slots=True, eq=False)
class KnownTurn:
    """One turn."""

    id: str
    number: int
    row: Row
    """Its summary, with the number."""
    file: str
    """Name of the file it is in."""
    places: list[int] = field(default_factory=list)
    """Where its lines begin and end in the file: two offsets for each piece, in order."""
    end_at: int = -1
    """Offset of the line that closes it."""
    writer: int = 0
    """Who began it."""
    is_open: bool = True

    def add_place(self, start: int, end: int) -> None:
        """Take note of more lines.

        Parameters
        ----------
        start, end : int
            Offsets behind all that are known.
        """
        if self.places and self.places[-1] == start:
            self.places[-1] = end
        else:
            self.places += (start, end)

    def pieces(self) -> Iterator[tuple[int, int]]:
        """Yield where every piece begins and ends."""
        return zip(self.places[::2], self.places[1::2], strict=True)


class KnownTurns:
    """All turns of a store, by number, id and file."""

    def __init__(self) -> None:
        self.lock = RLock()
        """Held while anything here, or what is known of a file, is looked at or changed; never while somebody waits for
        a lock on a file.
        """
        self.by_id: dict[str, KnownTurn] = {}
        self.by_number: dict[int, KnownTurn] = {}
        self.files: dict[str, dict[str, KnownTurn]] = {}
        """Turns by id, by name of the file they are in."""
        self._ordered: list[KnownTurn] | None = []
        self._sessions: list[Row] | None = None
        self.highest = 0
        """The highest number there ever was here."""
        self._unnumbered: list[KnownTurn] = []
        tell_after_fork(self)

    def after_fork(self) -> None:
        """Forget a lock that a thread of the parent held."""
        self.lock = RLock()

    def add(self, turn: KnownTurn) -> None:
        """Take in a turn whose id and number are new."""
        self.by_id[turn.id] = self.by_number[turn.number] = turn
        self.files.setdefault(turn.file, {})[turn.id] = turn
        if turn.number < self.highest:
            self._ordered = None
        elif self._ordered is not None:
            self._ordered.append(turn)
        self.highest = max(self.highest, turn.number)
        self._sessions = None

    def add_read(self, turn: KnownTurn, row: Row) -> None:
        """Take in a turn that was found in a file.

        Parameters
        ----------
        turn : KnownTurn
            Of a new id, without a number.
        row : dict
            What is known of it. Without a number of its own there it gets one from :meth:`number_rest`, and is in no
            list before.
        """
        turn.number, turn.row = 0, row
        if self._is_free(row.get("number")):
            turn.number = cast("int", row["number"])
            self.add(turn)
        else:
            self.by_id[turn.id] = turn
            self.files.setdefault(turn.file, {})[turn.id] = turn
            self._unnumbered.append(turn)

    def number_rest(self) -> None:
        """Give new numbers to turns that were found without one, or with one that another has."""
        found, self._unnumbered = self._unnumbered, []
        for turn in found:
            if self.by_id.get(turn.id) is turn:
                number = turn.row.get("number")
                turn.number = cast("int", number) if self._is_free(number) else self.highest + 1
                turn.row = {**turn.row, "number": turn.number}
                self.add(turn)

    def close(self, turn: KnownTurn, row: Row, end_at: int) -> None:
        """Take note of a turn's end.

        Parameters
        ----------
        turn : KnownTurn
        row : dict
            The whole summary; the number stays what it is, unless the turn had to be given another one since.
        end_at : int
            Offset of the line that says so.
        """
        number = row.get("number")
        if number != turn.number and self._is_free(number):
            self._renumber(turn, cast("int", number))
        turn.row = row if row.get("number") == turn.number else {**row, "number": turn.number}
        turn.end_at, turn.is_open = end_at, False
        self._sessions = None

    def drop(self, turns: Iterable[KnownTurn]) -> None:
        """Forget turns."""
        gone = [turn for turn in turns if self.by_id.get(turn.id) is turn]
        for turn in gone:
            del self.by_id[turn.id]
            self.by_number.pop(turn.number, None)
            in_file = self.files[turn.file]
            del in_file[turn.id]
            if not in_file:
                del self.files[turn.file]
        if gone:
            self._ordered = self._sessions = None

    def ordered(self) -> list[KnownTurn]:
        """Return all turns by number; the list is not to be changed."""
        if self._ordered is None:
            self._ordered = sorted(self.by_number.values(), key=_by_number)
        return self._ordered

    def open_turns(self) -> list[KnownTurn]:
        """Return the turns that are not closed, by number."""
        return [turn for turn in self.ordered() if turn.is_open]

    def wanted(self, query: TurnQuery, file: str | None) -> list[KnownTurn]:
        """Return the turns of a query, in its order.

        Parameters
        ----------
        query : TurnQuery
        file : str, optional
            Name of the file of the session that is asked for.

        Returns
        -------
        list of KnownTurn
        """
        if query is EVERY_TURN:
            return self.ordered().copy()
        turns = self._candidates(query, file)
        since = stamp(query.since) if query.since is not None else ""
        until = stamp(query.until) if query.until is not None else _END_OF_TIME
        rest = replace(query, since=None, until=None)  # a time is made a text once, not once per row
        found = (
            turn
            for turn in (reversed(turns) if query.newest_first else turns)
            if since <= str(turn.row.get("started_at") or "") < until and rest.matches(turn.row)
        )
        return list(islice(found, max(query.limit, 0) if query.limit is not None else None))

    def sessions(self) -> list[Row]:
        """Return every session with its turns counted."""
        if self._sessions is None:
            self._sessions = sessions_of([turn.row for turn in self.ordered()])
        return [dict(session) for session in self._sessions]

    def _renumber(self, turn: KnownTurn, number: int) -> None:
        if turn.number:
            del self.by_number[turn.number]
            turn.number = number
            self.by_number[number] = turn
            self.highest, self._ordered = max(self.highest, number), None
        else:
            self._unnumbered.remove(turn)
            turn.number = number
            self.add(turn)

    def _is_free(self, number: object) -> bool:
        return isinstance(number, int) and number > 0 and number not in self.by_number

    def _candidates(self, query: TurnQuery, file: str | None) -> list[KnownTurn]:
        if query.ids is not None:
            return self._in_order(self.by_id[key] for key in set(query.ids) if key in self.by_id)
        if query.after:  # first: what is new is little, also in a long session
            turns = self.ordered()
            return turns[bisect_right(turns, query.after, key=_by_number) :]
        if file is not None:
            return self._in_order(self.files.get(file, {}).values())
        return self.ordered()

    @staticmethod
    def _in_order(turns: Iterable[KnownTurn]) -> list[KnownTurn]:
        return sorted(turns, key=_by_number)
