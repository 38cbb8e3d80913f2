"""Turns and their events, in five tables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from lango_nb.core.errors import StoreError
from lango_nb.stores.database import queries
from lango_nb.stores.database.tables import COUNT, Connection, Database
from lango_nb.stores.database.texts import from_text, to_name, to_text, to_time
from lango_nb.stores.memory import check_end, key_of, sessions_of
from lango_nb.stores.store import EVERY_TURN, Row, StoredTurn, TurnQuery

if TYPE_CHECKING:
    from lango_nb.stores.database.reading import Reader
    from lango_nb.stores.database.writers import Writers

BATCH = 200
"""Turns that are read at once when all are gone through."""

_BEGIN = """
INSERT INTO lango_turns (number, id, session_id, writer, state, outcome, started_at, events, data)
VALUES (:number, :id, :session_id, :writer, 'open', :outcome, :started_at, :events, :data) ON CONFLICT (id) DO NOTHING
"""
_WRITE = "UPDATE lango_turns SET events = events + :events WHERE id = :id RETURNING number, session_id, events"
_FINISH = """
UPDATE lango_turns
SET session_id = :session_id, state = 'closed', outcome = :outcome, started_at = :started_at, events = events + :events,
    data = :data
WHERE id = :id AND state = 'open' RETURNING number, events
"""
_EVENT = "INSERT INTO lango_events (turn, position, data) VALUES (:turn, :position, :data)"
_NAME = "INSERT INTO lango_turn_names (turn, role, name) VALUES (:turn, :role, :name)"
_BODY = "INSERT INTO lango_turn_bodies (turn, data) VALUES (:turn, :data)"
_TOUCH = """
INSERT INTO lango_sessions (id, version) VALUES (:id, 1)
ON CONFLICT (id) DO UPDATE SET version = lango_sessions.version + 1
"""
_SESSIONS = """
SELECT sessions.turns, first.number, first.data, latest.number, latest.data
FROM (SELECT count(*) AS turns, min(number) AS lowest, max(number) AS highest FROM lango_turns GROUP BY session_id)
    AS sessions
JOIN lango_turns AS first ON first.number = sessions.lowest
JOIN lango_turns AS latest ON latest.number = sessions.highest
ORDER BY sessions.lowest
"""
_ABANDONED = "SELECT number, data, writer FROM lango_turns WHERE state = 'open' ORDER BY number"


class SqlLog:
    """Turns of all sessions.

    Parameters
    ----------
    database : Database
    reader : Reader
    writers : Writers
        Who is at work: whose turns are open.
    """

    def __init__(self, database: Database, reader: Reader, writers: Writers) -> None:
        self._database, self._reader, self._writers = database, reader, writers

    # -- writing -------------------------------------------------------------------------------------------------------

    def begin(self, row: Row, events: Sequence[Row] = ()) -> int:
        """Write a turn ahead and return its number."""
        key = key_of(row, "turn")
        values = _columns({**row, "outcome": "running"}) | {"id": to_name(key), "writer": self._writers.number()}
        texts = [to_text(event) for event in events]

        def work(connection: Connection) -> int:
            number = int(connection.row(COUNT, name="turns")[0])
            if not connection.change(_BEGIN, number=number, events=len(texts), **values):
                raise StoreError(f"turn {key} is there already; every turn needs an id of its own", "conflict")
            connection.each(_NAME, _names(row, number))
            connection.each(_EVENT, _placed(texts, number, len(texts)))
            connection.change(_TOUCH, id=values["session_id"])
            return number

        return self._database.write(work, is_urgent=self._is_begin_urgent())

    def write(self, turn_id: str, events: Sequence[Row], *, is_urgent: bool = False) -> None:
        """Add events to a turn."""
        texts = [to_text(event) for event in events]

        def work(connection: Connection) -> None:
            found = connection.row(_WRITE, id=to_name(turn_id), events=len(texts))
            if found is None:
                raise _unknown(turn_id)
            number, session, count = found
            connection.each(_EVENT, _placed(texts, number, count))
            connection.change(_TOUCH, id=session)

        self._database.write(work, is_urgent=is_urgent or self._database.durability == "event")

    def finish(self, turn_id: str, events: Sequence[Row], row: Row, body: Row | Callable[[], Row]) -> None:
        """Close a turn."""
        check_end(turn_id, row)
        values = _columns(row)
        texts = [to_text(event) for event in events]
        bodies: list[str] = []

        def work(connection: Connection) -> None:
            found = connection.row(_FINISH, id=to_name(turn_id), events=len(texts), **values)
            if found is None:
                if connection.row("SELECT 1 FROM lango_turns WHERE id = :id", id=to_name(turn_id)) is None:
                    raise _unknown(turn_id)
                raise StoreError(f"turn {turn_id} has ended already; nothing about it can change any more", "closed")
            if not bodies:  # the second attempt has it
                bodies.append(to_text(body() if callable(body) else body))
            number, count = found
            connection.change("DELETE FROM lango_turn_names WHERE turn = :turn", turn=number)
            connection.each(_NAME, _names(row, number))
            connection.each(_EVENT, _placed(texts, number, count))
            connection.change(_BODY, turn=number, data=bodies[0])
            connection.change(_TOUCH, id=values["session_id"])

        self._database.write(work)

    def remove(self, turn_ids: Collection[str]) -> int:
        """Forget closed turns and count them."""
        if not turn_ids or not self._database.exists():
            return 0
        dialect = self._database.dialect
        ids = dialect.values([to_name(key) for key in turn_ids])
        closed = f"""SELECT number, session_id FROM lango_turns WHERE state = 'closed' AND {dialect.among("id", "ids")}
            ORDER BY number{dialect.locked}"""  # noqa: S608

        def work(connection: Connection) -> int:
            found = connection.rows(closed, ids=ids)
            numbers = dialect.values([number for number, _ in found])
            for table, column in (
                ("lango_events", "turn"),
                ("lango_turn_names", "turn"),
                ("lango_turn_bodies", "turn"),
                ("lango_turns", "number"),
            ):
                connection.change(f"DELETE FROM {table} WHERE {dialect.among(column, 'numbers')}", numbers=numbers)  # noqa: S608
            for session in sorted({session for _, session in found}):  # in one order, so that nobody waits in a circle
                connection.change(_TOUCH, id=session)
            return len(found)

        return self._database.write(work)

    def _is_begin_urgent(self) -> bool:
        """Tell whether a number must be on the disk before anybody sees it.

        A server may lose what it has not forced to the disk while this process lives on, and would then give the number
        again. Where the database is a file, whoever saw the number is gone with it.
        """
        return self._database.durability == "event" or self._database.dialect.name == "postgresql"

    # -- reading -------------------------------------------------------------------------------------------------------

    def rows(self, query: TurnQuery = EVERY_TURN) -> list[Row]:
        """Return the summaries of turns by number."""
        statement, values = self._select("number, data", query)
        found = self._database.rows(statement, **values)
        rows = (row for row in map(self._row, found) if row is not None)
        if query.text:
            rows = (row for row in rows if query.matches(row))
        return list(islice(rows, queries.limit(query.limit)))

    def count(self, query: TurnQuery = EVERY_TURN) -> int:
        """Count turns."""
        if query.text:
            return len(self.rows(query))
        statement, values = self._select("number", query)
        counted = f"SELECT count(*) FROM ({statement}) AS wanted"  # noqa: S608
        return int(self._database.read(lambda connection: connection.row(counted, **values)[0], 0))

    def read(self, turn_id: str) -> StoredTurn | None:
        """Return everything there is of one turn."""

        def work(connection: Connection) -> tuple[Any, Sequence[Any], Any] | None:
            found = connection.row("SELECT number, data FROM lango_turns WHERE id = :id", id=to_name(turn_id))
            if found is None:
                return None
            events = "SELECT turn, position, data FROM lango_events WHERE turn = :turn ORDER BY position"
            body = "SELECT data FROM lango_turn_bodies WHERE turn = :turn"
            return found, connection.rows(events, turn=found[0]), connection.row(body, turn=found[0])

        found = self._database.read(work, None)
        if found is None:
            return None
        (number, text), events, body = found
        what = f"turn {turn_id}"
        return StoredTurn(
            {**self._reader.one(what, "lango_turns", text), "number": number},
            self._reader.events(events),
            self._reader.one(what, "lango_turn_bodies", body[0]) if body is not None else {},
        )

    def scan(self, query: TurnQuery = EVERY_TURN, *, with_events: bool = True) -> Iterator[StoredTurn]:
        """Go through turns by number."""
        return self._through(query, with_events=with_events, with_bodies=True)

    def events(self, query: TurnQuery = EVERY_TURN) -> Iterator[tuple[Row, list[Row]]]:
        """Go through rows and events of turns by number."""
        for turn in self._through(query, with_events=True, with_bodies=False):
            yield turn.row, turn.events

    def sessions(self) -> list[Row]:
        """Return every session with its turns counted."""
        sessions: list[Row] = []
        for turns, *ends in self._database.rows(_SESSIONS):
            first, latest = self._row(ends[:2]), self._row(ends[2:])
            if first is not None and latest is not None:
                sessions.append({**sessions_of([first, latest])[0], "turns": turns})
        return sessions

    def version(self, session_id: str) -> object:
        """Return how often the session was written to."""
        statement = "SELECT version FROM lango_sessions WHERE id = :id"
        found = self._database.read(lambda connection: connection.row(statement, id=to_name(session_id)), None)
        return found[0] if found is not None else 0

    def unfinished(self) -> list[Row]:
        """Return rows of open turns whose process is gone."""
        found = self._database.rows(_ABANDONED)
        gone = self._writers.gone({writer for _, _, writer in found})
        rows = (self._row((number, text)) for number, text, writer in found if writer in gone)
        return [row for row in rows if row is not None]

    def _select(self, columns: str, query: TurnQuery) -> tuple[str, dict[str, object]]:
        condition, values = queries.where(query, self._database.dialect)
        statement = f"SELECT {columns} FROM lango_turns{condition}{queries.order(query)}"  # noqa: S608
        limit = queries.limit(query.limit)
        if limit is None or query.text:
            return statement, values
        return statement + " LIMIT :limit", {**values, "limit": limit}

    def _row(self, found: Sequence[Any]) -> Row | None:
        number, text = found
        try:
            row = from_text(text)
        except ValueError:
            self._reader.note("lango_turns", number)
            return None
        row["number"] = number
        return row

    def _through(self, query: TurnQuery, *, with_events: bool, with_bodies: bool) -> Iterator[StoredTurn]:
        if query.text:
            numbers = [int(str(row["number"])) for row in self.rows(query)]
        else:
            statement, values = self._select("number", query)
            found = self._database.rows(statement, **values)
            numbers = [number for (number,) in found]
        for start in range(0, len(numbers), BATCH):
            yield from self._batch(numbers[start : start + BATCH], with_events=with_events, with_bodies=with_bodies)

    def _batch(self, numbers: list[int], *, with_events: bool, with_bodies: bool) -> Iterator[StoredTurn]:
        dialect = self._database.dialect
        of_turns, values = dialect.among("turn", "numbers"), {"numbers": dialect.values(numbers)}
        found: dict[str, Sequence[Any]] = {"turns": (), "events": (), "bodies": ()}

        def work(connection: Connection) -> None:
            turns = f"SELECT number, data FROM lango_turns WHERE {dialect.among('number', 'numbers')}"  # noqa: S608
            found["turns"] = connection.rows(turns, **values)
            if with_events:
                events = f"SELECT turn, position, data FROM lango_events WHERE {of_turns} ORDER BY turn, position"  # noqa: S608
                found["events"] = connection.rows(events, **values)
            if with_bodies:
                bodies = f"SELECT turn, data FROM lango_turn_bodies WHERE {of_turns}"  # noqa: S608
                found["bodies"] = connection.rows(bodies, **values)

        self._database.read(work, None)
        texts, bodies = dict(found["turns"]), dict(found["bodies"])
        events = {number: list(rows) for number, rows in groupby(found["events"], itemgetter(0))}
        for number in numbers:
            row = self._row((number, texts[number])) if number in texts else None
            if row is not None:
                body = self._reader.all("lango_turn_bodies", [(number, bodies[number])] if number in bodies else [])
                yield StoredTurn(row, self._reader.events(events.get(number, ())), body[0] if body else {})


def _columns(row: Row) -> dict[str, object]:
    """Return what is searched for by SQL, and the row itself without its number."""
    session, outcome = row.get("session_id"), row.get("outcome")
    if not isinstance(session, str):
        raise StoreError(f"a turn needs a text under 'session_id', got {session!r}; name its session", "bad_row")
    return {
        "session_id": to_name(session),
        "outcome": to_name(outcome) if isinstance(outcome, str) else None,
        "started_at": to_time(str(row.get("started_at") or "")),
        "data": to_text({name: value for name, value in row.items() if name != "number"}),
    }


def _names(row: Mapping[str, object], turn: int) -> list[dict[str, object]]:
    found: dict[tuple[str, str], None] = {}
    for field, role in (("agents", "agent"), ("tools", "tool")):
        names = row.get(field)
        if isinstance(names, list | tuple):
            found.update({(role, to_name(name)): None for name in names if isinstance(name, str)})
    return [{"turn": turn, "role": role, "name": name} for role, name in found]


def _placed(texts: Sequence[str], turn: int, count: int) -> list[dict[str, object]]:
    """Give events their places; the count includes them already."""
    start = count - len(texts)
    return [{"turn": turn, "position": start + place, "data": text} for place, text in enumerate(texts)]


def _unknown(turn_id: str) -> StoreError:
    return StoreError(f"turn {turn_id} was never begun here; begin it first", "unknown")
