"""A store that lives as long as the process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from lango_nb.core.errors import StoreError
from lango_nb.stores.store import EVERY_TURN, Problem, Row, StoredTurn, TurnQuery

if TYPE_CHECKING:
    from pydantic import JsonValue

_MISSING = object()


class MemoryDocuments:
    """Rows of one kind in a dictionary."""

    def __init__(self, lock: threading.RLock, kind: str) -> None:
        self._lock, self._kind = lock, kind
        self._rows: dict[str, Row] = {}

    def get(self, key: str) -> Row | None:
        """Return a row, or ``None``."""
        return self._rows.get(key)

    def put(self, *rows: Row, is_urgent: bool = True) -> None:  # noqa: ARG002 - nothing here is ever on a disk
        """Keep rows, all or none."""
        named = {key_of(row, self._kind): row for row in rows}
        with self._lock:
            self._rows.update(named)

    def add(self, row: Row, *, is_urgent: bool = True) -> None:  # noqa: ARG002
        """Keep a row whose id is new."""
        key = key_of(row, self._kind)
        with self._lock:
            if key in self._rows:
                raise StoreError(f"{self._kind} {key} is there already; every one needs an id of its own", "conflict")
            self._rows[key] = row

    def change(self, key: str, change: Callable[[Row], Row], *, is_urgent: bool = True) -> Row | None:  # noqa: ARG002
        """Replace a row by what a function makes of it."""
        with self._lock:
            row = self._rows.get(key)
            if row is None:
                return None
            changed = change(row)
            if key_of(changed, self._kind) != key:
                raise StoreError(f"{self._kind} {key} cannot become {changed['id']}; put it as a new one", "bad_row")
            self._rows[key] = changed
        return changed

    def remove(self, *keys: str) -> int:
        """Forget rows and count them."""
        with self._lock:
            return sum(self._rows.pop(key, None) is not None for key in dict.fromkeys(keys))

    def find(
        self, where: Mapping[str, JsonValue] | None = None, *, newest_first: bool = False, limit: int | None = None
    ) -> list[Row]:
        """Return rows whose fields equal all given values."""
        with self._lock:
            rows = list(self._rows.values())
        return narrowed(rows, where, newest_first=newest_first, limit=limit)

    def __len__(self) -> int:
        return len(self._rows)


@dataclass(slots=True)
class _Turn:
    row: Row
    events: list[Row] = field(default_factory=list)
    body: Row | Callable[[], Row] = field(default_factory=dict)
    is_open: bool = True

    def stored(self, *, with_events: bool = True) -> StoredTurn:
        if callable(self.body):
            self.body = self.body()
        return StoredTurn(self.row, list(self.events) if with_events else [], self.body)


class MemoryLog:
    """Turns in a dictionary."""

    def __init__(self, lock: threading.RLock) -> None:
        self._lock = lock
        self._turns: dict[str, _Turn] = {}
        self._begun = 0
        self._versions: dict[str, int] = {}

    def begin(self, row: Row, events: Sequence[Row] = ()) -> int:
        """Begin a turn and return its number."""
        key = key_of(row, "turn")
        check_session(row)
        with self._lock:
            if key in self._turns:
                raise StoreError(f"turn {key} is there already; every turn needs an id of its own", "conflict")
            self._begun += 1
            self._turns[key] = _Turn({**row, "number": self._begun, "outcome": "running"}, list(events))
            self._touch(row)
            return self._begun

    def write(self, turn_id: str, events: Sequence[Row], *, is_urgent: bool = False) -> None:  # noqa: ARG002
        """Add events to a turn."""
        with self._lock:
            turn = self._found(turn_id)
            turn.events.extend(events)
            self._touch(turn.row)

    def finish(self, turn_id: str, events: Sequence[Row], row: Row, body: Row | Callable[[], Row]) -> None:
        """Close a turn."""
        with self._lock:
            turn = self._found(turn_id)
            if not turn.is_open:
                raise StoreError(f"turn {turn_id} has ended already; nothing about it can change any more", "closed")
            check_end(turn_id, row)
            turn.events.extend(events)
            turn.row, turn.body, turn.is_open = {**row, "number": turn.row["number"]}, body, False
            self._touch(turn.row)

    def keep(self, stored: StoredTurn) -> None:
        """Keep a whole turn that has its number already."""
        with self._lock:
            row = stored.row
            self._begun = max(self._begun, int(str(row["number"])))
            self._turns[key_of(row, "turn")] = _Turn(row, list(stored.events), stored.body, is_open=False)
            self._touch(row)

    def rows(self, query: TurnQuery = EVERY_TURN) -> list[Row]:
        """Return the summaries of turns by number."""
        return [turn.row for turn in self._wanted(query)]

    def count(self, query: TurnQuery = EVERY_TURN) -> int:
        """Count turns."""
        return len(self._turns) if query is EVERY_TURN else len(self._wanted(query))

    def read(self, turn_id: str) -> StoredTurn | None:
        """Return everything there is of one turn."""
        with self._lock:
            turn = self._turns.get(turn_id)
            return turn.stored() if turn is not None else None

    def scan(self, query: TurnQuery = EVERY_TURN, *, with_events: bool = True) -> Iterator[StoredTurn]:
        """Go through turns by number."""
        for turn in self._wanted(query):
            with self._lock:
                stored = turn.stored(with_events=with_events)
            yield stored

    def events(self, query: TurnQuery = EVERY_TURN) -> Iterator[tuple[Row, list[Row]]]:
        """Go through rows and events of turns by number."""
        for turn in self._wanted(query):
            with self._lock:
                events = list(turn.events)
            yield turn.row, events

    def sessions(self) -> list[Row]:
        """Return every session with its turns counted."""
        with self._lock:
            return sessions_of([turn.row for turn in self._turns.values()])

    def version(self, session_id: str) -> object:
        """Return how often the session was written to."""
        return self._versions.get(session_id, 0)

    def unfinished(self) -> list[Row]:
        """Return nothing: what is open here is open in this process."""
        return []

    def remove(self, turn_ids: Collection[str]) -> int:
        """Forget closed turns and count them."""
        with self._lock:
            gone = [key for key in dict.fromkeys(turn_ids) if key in self._turns and not self._turns[key].is_open]
            for key in gone:
                self._touch(self._turns.pop(key).row)
            return len(gone)

    def _wanted(self, query: TurnQuery) -> list[_Turn]:
        with self._lock:
            turns = sorted(self._turns.values(), key=lambda turn: int(str(turn.row["number"])))
        if query is EVERY_TURN:
            return turns
        found = (turn for turn in (reversed(turns) if query.newest_first else turns) if query.matches(turn.row))
        return list(islice(found, max(query.limit, 0) if query.limit is not None else None))

    def _found(self, turn_id: str) -> _Turn:
        turn = self._turns.get(turn_id)
        if turn is None:
            raise StoreError(f"turn {turn_id} was never begun here; begin it first", "unknown")
        return turn

    def _touch(self, row: Row) -> None:
        session = str(row["session_id"])
        self._versions[session] = self._versions.get(session, 0) + 1


class MemoryStore:
    """Everything in memory; gone with the process.

    Examples
    --------
    >>> store = MemoryStore()
    >>> store.documents("task").add({"id": "task-1", "title": "Water the plants"})
    >>> store.log.begin({"id": "turn-1", "session_id": "main", "text": "hi", "started_at": "2026-01-01"})
    1
    """

    name = "memory"
    where = "in memory"
    is_durable = False

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._documents: dict[str, MemoryDocuments] = {}
        self.problems: list[Problem] = []
        self.log = MemoryLog(self._lock)

    def documents(self, kind: str) -> MemoryDocuments:
        """Return the rows of one kind."""
        with self._lock:
            if kind not in self._documents:
                self._documents[kind] = MemoryDocuments(self._lock, kind)
            return self._documents[kind]

    def writer(self) -> int:
        """Return 1: a store in memory is opened once."""
        return 1

    def is_gone(self, writer: int) -> bool:  # noqa: ARG002 - whoever asks is alive
        """Return ``False``: a store in memory and its writer end together."""
        return False

    def sync(self) -> None:
        """Do nothing: there is no disk."""

    def check(self) -> list[Problem]:
        """Return nothing: what is in memory is as it was put there."""
        return []

    def close(self) -> None:
        """Do nothing: what was stored can still be looked at."""


def key_of(row: Mapping[str, object], kind: str) -> str:
    """Return the id of a row.

    Parameters
    ----------
    row : mapping
    kind : str
        What errors call it.

    Returns
    -------
    str

    Raises
    ------
    StoreError
        It has none.
    """
    key = row.get("id")
    if not isinstance(key, str) or not key:
        raise StoreError(f"a {kind} needs a text under 'id' to be stored, got {key!r}", "bad_row")
    return key


def check_session(row: Mapping[str, object]) -> None:
    """Make sure that a turn's row names its session.

    Parameters
    ----------
    row : mapping

    Raises
    ------
    StoreError
        It does not.
    """
    session = row.get("session_id")
    if not isinstance(session, str):
        raise StoreError(f"a turn needs a text under 'session_id', got {session!r}; name its session", "bad_row")


def check_end(turn_id: str, row: Mapping[str, object]) -> None:
    """Make sure that the row a turn ends with is its own.

    Parameters
    ----------
    turn_id : str
    row : mapping

    Raises
    ------
    StoreError
        It is of another turn, or of no session.
    """
    if key_of(row, "turn") != turn_id:
        raise StoreError(f"turn {turn_id} cannot end as {row['id']}; give it a row of its own", "bad_row")
    check_session(row)


def narrowed(
    rows: list[Row], where: Mapping[str, JsonValue] | None, *, newest_first: bool, limit: int | None
) -> list[Row]:
    """Return the rows whose fields equal all given values.

    Parameters
    ----------
    rows : list of dict
        Oldest first.
    where : mapping, optional
    newest_first : bool
    limit : int, optional

    Returns
    -------
    list of dict
    """
    wanted = tuple(where.items()) if where else ()
    ordered = reversed(rows) if newest_first else iter(rows)
    found = (row for row in ordered if all(row.get(name) == value for name, value in wanted))
    return list(islice(found, max(limit, 0) if limit is not None else None))


def sessions_of(rows: Sequence[Row]) -> list[Row]:
    """Group rows of turns by session.

    Parameters
    ----------
    rows : sequence of dict
        By number.

    Returns
    -------
    list of dict
        As :meth:`~lango_nb.stores.store.TurnLog.sessions` gives them.
    """
    found: dict[str, Row] = {}
    for row in rows:
        key, at = str(row["session_id"]), row.get("started_at")
        session = found.setdefault(
            key, {"id": key, "turns": 0, "created_at": at, "last_at": at, "title": row.get("text", "")}
        )
        session["turns"] = int(str(session["turns"])) + 1
        session["last_at"] = at
    return list(found.values())
