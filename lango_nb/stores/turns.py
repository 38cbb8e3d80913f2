"""Turns in the tables of a database: begun, filled with events, closed once, and read again.

begin    INSERT turns, events                              not waited for
write    INSERT events                                     waited for, before a call that is not safe
finish   UPDATE turns; INSERT events, transcripts, …       waited for
complete UPDATE turns, transcripts, …                      not waited for, when a run ends after its turn
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter, xor
from typing import Any, cast

import orjson

from lango_nb.core.errors import StoreError
from lango_nb.stores.database import Database
from lango_nb.stores.dialect import Transaction
from lango_nb.stores.documents import put_statement
from lango_nb.stores.grouping import Grouping
from lango_nb.stores.lists import HISTORY, MESSAGES, PLACES, RUNS, has_table, insert_lists, pack_lists, split_body
from lango_nb.stores.reading import NEXT_STEP, Reader
from lango_nb.stores.rows import (
    ODD,
    Packed,
    checksum,
    checksums,
    from_text,
    is_plain,
    mark_of,
    marks_of,
    row_format,
    to_name,
    to_text,
)
from lango_nb.stores.schema import EVENTS, OF_TURNS, TRANSCRIPTS, TURNS, Table
from lango_nb.stores.store import (
    EVERY_TURN,
    Group,
    Problem,
    Row,
    StoredTurn,
    TurnQuery,
    check_end,
    check_session,
    key_of,
    stamp,
)
from lango_nb.stores.writers import Writers

BATCH = 256
"""Turns that are read at once."""
_MOST_STATEMENTS = 256
"""Insertions whose text is kept."""
_LARGEST = 2**63 - 1
_RUNNING = "running"
_PLACE_AND_SUM = itemgetter(0, 1, -1)
_TURN = row_format("turns")
_RUN = row_format("runs")
_FORGOTTEN = row_format("forgotten")
_Found = Mapping[str, Sequence[tuple[Any, ...]]]
"""Rows by table."""
_NOTHING: _Found = {}


class Turns:
    """Turns of all sessions; see :class:`~lango_nb.stores.store.TurnLog`.

    Parameters
    ----------
    database : Database
    reader : Reader
    writers : Writers
    """

    def __init__(self, database: Database, reader: Reader, writers: Writers) -> None:
        self._database, self._reader, self._writers = database, reader, writers
        self._sql = Statements(database)
        self._open: dict[str, int] = {}
        """Numbers of turns that were begun here and have not ended, by id."""
        self._ended: Counter[str] = Counter()
        """How many turns were closed here, by session."""

    # -- writing -------------------------------------------------------------------------------------------------------

    def begin(self, row: Row, events: Sequence[Row] = ()) -> int:
        """Write a turn ahead and return its number."""
        key = key_of(row, "turn")
        check_session(row)
        values = _TURN.values({**row, "outcome": _RUNNING})
        happened = self._sql.packed(EVENTS.name, events)
        writer, sql = self._writers.number(), self._sql

        def work(transaction: Transaction) -> int:
            number = sql.next_number(transaction)
            marked = [*values[:-1], values[-1] ^ _mark(number, "")]
            if not transaction.change(sql.begin, number, writer, len(happened), "", *marked):
                raise StoreError(f"turn {key} is there already; every turn needs an id of its own", "conflict")
            sql.insert(transaction, EVENTS.name, happened, number)
            return number

        number = self._open[key] = self._database.write(work, is_urgent=False)
        return number

    def write(self, turn_id: str, events: Sequence[Row], *, is_urgent: bool = False) -> None:
        """Add events to a turn."""
        happened = self._sql.packed(EVENTS.name, events)
        key, sql = to_name(turn_id), self._sql

        def work(transaction: Transaction) -> None:
            found = transaction.row(sql.grow, len(happened), key)
            if found is None:
                raise _unknown(turn_id)
            number, count = found
            sql.insert(transaction, EVENTS.name, happened, number, count - len(happened))

        if happened or is_urgent:
            is_each = self._database.durability == "event"
            self._database.write(work, is_urgent=is_urgent or is_each)
        elif not self._database.rows(sql.find, key):
            raise _unknown(turn_id)

    def finish(self, turn_id: str, events: Sequence[Row], row: Row, body: Row) -> None:
        """Close a turn in one durable write."""
        check_end(turn_id, row)
        values = _values(row)
        happened = self._sql.packed(EVENTS.name, events)
        rows, parts = split_body(turn_id, body)
        lists = pack_lists(rows)
        writer, key, sql = self._writers.number(), to_name(turn_id), self._sql
        runs, session = _runs(turn_id, body, writer), to_name(str(row["session_id"]))

        def work(transaction: Transaction) -> None:
            number = self._open.get(turn_id) or next((found for (found,) in transaction.rows(sql.find, key)), 0)
            ended = (*sql.closing(values), values[-1] ^ _mark(number, parts))
            found = transaction.row(sql.close, len(happened), parts, *ended, number, key, session)
            if found is None:
                there = transaction.row(sql.session, key)
                if there is None:
                    raise _unknown(turn_id)
                if there[0] != session:
                    raise StoreError(f"turn {turn_id} cannot end in a session it did not begin in", "bad_row")
                raise StoreError(f"turn {turn_id} has ended already; nothing about it can change any more", "closed")
            (count,) = found
            sql.insert(transaction, EVENTS.name, happened, number, count - len(happened))
            insert_lists(transaction, self._database.dialect, lists, number)
            transaction.each(sql.put_run, runs)

        self._database.write(work)
        self._open.pop(turn_id, None)
        self._ended[str(row["session_id"])] += 1

    def complete(self, turn_id: str, body: Row) -> None:
        """Replace lists of a closed turn."""
        rows, told = split_body(turn_id, body)
        key, sql = to_name(turn_id), self._sql
        runs = _runs(turn_id, body, self._writers.number())

        def work(transaction: Transaction) -> None:
            found = transaction.row(sql.parts, key)
            if found is None:
                raise _unknown(turn_id)
            number, before, summed = found
            if not before:
                return
            try:
                said, mark = cast("dict[str, Any]", from_text(before)), _mark(number, before)
                said["counts"] |= cast("dict[str, Any]", from_text(told))["counts"]
            except (ValueError, TypeError, KeyError):
                raise self._reader.refusal(f"turn {number}", TURNS.name) from None
            after = to_text(said)
            changed = {name: {**self._lists(transaction, name, number), **row} for name, row in rows.items()}
            for name in changed:
                transaction.change(sql.clear[name], number)
            insert_lists(transaction, self._database.dialect, pack_lists(changed), number)
            transaction.each(sql.put_run, runs)
            transaction.change(sql.recount, after, summed ^ mark ^ _mark(number, after), number)

        self._database.write(work, is_urgent=False)

    def _lists(self, transaction: Transaction, name: str, number: int) -> Row:
        """Return the lists of a turn that one table has, the history among them."""
        wanted = self._database.dialect.values([number])
        rows = self._whole(name, transaction.rows(self._sql.of_turns[name], wanted))
        found: Row = self._sql.formats[name].row(rows[0][2:], mark_of(*rows[0][:2])) if rows else {}
        return {HISTORY: found.get(MESSAGES, []), **found} if name == TRANSCRIPTS.name else found

    def keep(self, turns: Iterable[StoredTurn]) -> None:
        """Keep whole turns that have their numbers already, in one write."""
        sql = self._sql
        prepared = []
        for turn in turns:
            row = turn.row
            number = int(str(row["number"]))
            lists, parts = split_body(str(row["id"]), turn.body)
            values = _values(row)
            prepared.append((number, values, parts, sql.packed(EVENTS.name, turn.events), pack_lists(lists), turn))
        writer = self._writers.number()

        def work(transaction: Transaction) -> None:
            for number, values, parts, happened, lists, turn in prepared:
                marked = [*values[:-1], values[-1] ^ _mark(number, parts)]
                transaction.change(sql.begin, number, writer, len(happened), parts, *marked)
                sql.insert(transaction, EVENTS.name, happened, number)
                insert_lists(transaction, self._database.dialect, lists, number)
                transaction.each(sql.put_run, _runs(str(turn.row["id"]), turn.body, writer))

        if prepared:
            self._database.write(work)
            self._ended.update(str(turn.row["session_id"]) for *_, turn in prepared)

    def remove(self, turn_ids: Collection[str], *, setting: str = "", at: str = "") -> int:
        """Forget closed turns with all that belongs to them, and count them."""
        if not turn_ids or not self._database.exists():
            return 0
        dialect, sql, spelled = self._database.dialect, self._sql, self._database.spelled
        ids = dialect.values([to_name(key) for key in dict.fromkeys(turn_ids)])

        def work(transaction: Transaction) -> int:
            found = transaction.rows(sql.removable, ids)
            if not found:
                return 0
            numbers = dialect.values([number for number, _, _ in found])
            latest = max(number for number, _, _ in found)
            transaction.change(sql.remember, latest, latest)
            for table in OF_TURNS:
                transaction.change(spelled(f"DELETE FROM {{{table.name}}} WHERE {dialect.among('turn')}"), numbers)  # noqa: S608
            keys = dialect.values([key for _, key, _ in found])
            transaction.change(sql.remove_questions, keys)
            transaction.change(sql.remove_late, keys)
            transaction.change(sql.remove_runs, keys)
            transaction.change(sql.remove_ledger, keys)
            transaction.change(sql.remove, numbers)
            if setting:
                self._tell(transaction, setting, at, found)
            return len(found)

        return self._database.write(work)

    def _tell(self, transaction: Transaction, setting: str, at: str, gone: Sequence[tuple[Any, ...]]) -> None:
        """Write down how many turns a setting has made the store forget."""
        values = transaction.row(self._sql.forgotten, setting)
        before = _FORGOTTEN.row(values) if values is not None else {"turns": 0, "latest": ""}
        latest = max(str(started_at or "") for _, _, started_at in gone)
        row: Row = {
            "id": setting,
            "turns": int(str(before["turns"])) + len(gone),
            "latest": max(str(before["latest"]), latest),
            "at": at,
        }
        transaction.change(self._sql.put_forgotten, *_FORGOTTEN.values(row))

    # -- reading -------------------------------------------------------------------------------------------------------

    def changes(self, session_id: str) -> tuple[object, int]:
        """Tell whether a session has to be read again."""
        return self._database.others(), self._ended[session_id]

    def rows(self, query: TurnQuery = EVERY_TURN) -> list[Row]:
        """Return the summaries of turns by number."""
        return self._database.read(lambda transaction: self._summaries(transaction, query), [])

    def _summaries(self, transaction: Transaction, query: TurnQuery) -> list[Row]:
        statement, values = self._select(self._sql.turn_columns, query)
        rows = self._turn_rows(transaction.rows(statement, *values))
        if _is_told_by_sql(query):
            return rows
        found = [row for row in rows if query.matches(row)]
        return found[: _limit(query.limit)]

    def _numbers(self, transaction: Transaction, query: TurnQuery) -> list[int]:
        if not _is_told_by_sql(query):
            return [int(str(row["number"])) for row in self._summaries(transaction, query)]
        statement, values = self._select("number", query)
        return [number for (number,) in transaction.rows(statement, *values)]

    def count(self, query: TurnQuery = EVERY_TURN) -> int:
        """Count turns."""
        if not _is_told_by_sql(query):
            return len(self.rows(query))
        statement, values = self._select("count(*)", query, is_ordered=False)
        found = self._database.rows(statement, *values)
        total = int(found[0][0]) if found else 0
        return total if query.limit is None else min(total, max(query.limit, 0))

    def read(self, turn_id: str) -> StoredTurn | None:
        """Return everything there is of one turn."""
        found = self._database.rows(self._sql.find, to_name(turn_id))
        if not found:
            return None
        wanted, parts = [int(found[0][0])], self._parts(with_events=True, with_body=True)
        rows = self._database.read(lambda transaction: self._fetch(transaction, wanted, parts), _NOTHING)
        return next(self._turns(wanted, rows), None)

    def scan(self, query: TurnQuery = EVERY_TURN, *, with_events: bool = True) -> Iterator[StoredTurn]:
        """Go through turns by number."""
        yield from self._through(query, with_events=with_events, with_body=True)

    def events(self, query: TurnQuery = EVERY_TURN) -> Iterator[tuple[Row, list[Row]]]:
        """Go through rows and events of turns by number."""
        for turn in self._through(query, with_events=True, with_body=False):
            yield turn.row, turn.events

    def numbers(self, query: TurnQuery = EVERY_TURN) -> list[int]:
        """Return the numbers of turns."""
        none: list[int] = []
        return self._database.read(lambda transaction: self._numbers(transaction, query), none)

    def histories(self, numbers: Sequence[int]) -> Iterator[tuple[int, str]]:
        """Go through what later turns see of turns: the messages of each as JSON, in order."""
        for start in range(0, len(numbers), BATCH):
            batch = self._database.dialect.values(list(numbers[start : start + BATCH]))
            rows = self._database.rows(self._sql.of_turns[TRANSCRIPTS.name], batch)
            for number, _, messages, history, data, _ in self._whole(TRANSCRIPTS.name, rows):
                others = from_text(data) if data and history is None else {}
                name = HISTORY if HISTORY in others else MESSAGES
                yield number, history or (json.dumps(others[name]) if name in others else messages or "[]")

    def tables(
        self, wanted: Mapping[str, Sequence[str] | None], query: TurnQuery = EVERY_TURN
    ) -> dict[str, dict[Any, Group]] | None:
        """Return columns of tables for the turns of a query; see :meth:`lango_nb.stores.store.TurnLog.tables`."""

        def work(transaction: Transaction) -> dict[str, dict[Any, Group]] | None:
            chosen = query
            if not _is_told_by_sql(query) or query.limit is not None:
                ids = tuple(str(row["id"]) for row in self._summaries(transaction, query))
                chosen = TurnQuery(ids=ids, newest_first=query.newest_first)
            found: dict[str, dict[Any, Group]] = {}
            for name, columns in wanted.items():
                groups = self._table(transaction, name, columns, chosen)
                if groups is None:
                    return None
                found[name] = groups
            return found

        nothing: dict[str, dict[Any, Group]] | None = {name: {} for name in wanted}
        return self._database.read(work, nothing)

    def _table(
        self, transaction: Transaction, name: str, columns: Sequence[str] | None, query: TurnQuery
    ) -> dict[Any, Group] | None:
        """Return columns of a table, or all of its rows that are what was written; ``None`` where one is odd."""
        order, is_turns = " DESC" if query.newest_first else "", name == TURNS.name
        form = _TURN if is_turns else self._sql.formats[name]
        own = ("number", "parts") if is_turns else ("turn", "position")
        names = (*own, *form.columns) if columns is None else tuple(columns)
        chosen = _quoted(names, "r.") + (f", r.data LIKE '{ODD}%'" if columns is not None else "")
        condition, values = self._where(query, "r." if is_turns else "t.")
        joined = " JOIN {turns} t ON t.number = r.turn" if condition and not is_turns else ""
        by = f"r.number{order}" if is_turns else f"r.turn{order}, r.position"
        statement = f"SELECT {chosen} FROM {{{name}}} r{joined}{condition} ORDER BY {by}"  # noqa: S608
        grouping = Grouping(names, next(table for table in (TURNS, *OF_TURNS) if table.name == name))
        keys: set[tuple[Any, ...]] = set()
        read = 0
        for block in transaction.blocks(self._database.spelled(statement), *values):
            rows, read = block, read + len(block)
            if columns is None:
                keys.update([row[:2] for row in rows])
                rows = self._whole(name, rows)
                is_odd = ODD in {row[-2][:1] for row in rows if row[-2]}
            else:
                is_odd = any(map(itemgetter(-1), rows))
            if is_odd:
                return None
            grouping.add(rows)
        if columns is None and len(keys) != read:  # pages of another place: SQLite gives rows twice
            raise self._reader.refusal("what was asked for", name)
        return grouping.finish()

    def _whole(self, name: str, rows: Sequence[tuple[Any, ...]]) -> Sequence[tuple[Any, ...]]:
        """Return the rows that are what was written, and note the others."""
        try:  # all at once, which is quicker, as hardly ever anything is wrong
            own, beside, sums = zip(*map(_PLACE_AND_SUM, rows), strict=True)
            marks = list(map(_mark, own, beside)) if name == TURNS.name else marks_of(own, beside)
            if checksums([row[2:-1] for row in rows]) == list(map(xor, sums, marks)):
                return rows
        except (TypeError, AttributeError, ValueError):
            pass
        return [row for row in rows if self._is_whole(name, row)]

    def _is_whole(self, name: str, row: tuple[Any, ...]) -> bool:
        """Tell whether a row is what was written, and note one that is not."""
        marked = _mark if name == TURNS.name else mark_of
        try:
            if checksum(row[2:-1]) == row[-1] ^ marked(row[0], row[1]):
                return True
        except (TypeError, AttributeError, ValueError):
            pass
        self._reader.note(name, _shown(name, *row[:2]))
        return False

    def sessions(self) -> list[Row]:
        """Return every session with its turns counted."""
        ends = self._database.rows(self._sql.sessions)
        numbers = {number for _, first, latest in ends for number in (first, latest)}
        rows = {row["number"]: row for row in self._numbered(sorted(numbers))}
        sessions: list[Row] = []
        for turns, first, latest in ends:
            if first in rows and latest in rows:
                begun = rows[first]
                sessions.append(
                    {
                        "id": begun["session_id"],
                        "turns": turns,
                        "created_at": begun.get("started_at"),
                        "last_at": rows[latest].get("started_at"),
                        "title": begun.get("text", ""),
                    }
                )
        return sessions

    def unfinished(self) -> list[Row]:
        """Return rows of open turns whose process is gone."""
        found = self._database.rows(self._sql.abandoned)
        gone = self._writers.gone({writer for _, writer in found})
        rows = self._numbered(sorted(number for number, writer in found if writer in gone))
        return [row for row in rows if row.get("outcome") == _RUNNING]

    def problems(self) -> list[Problem]:
        """Read everything, and say what is damaged or lost; nothing is noted."""
        found: list[Problem] = []
        seen = Turns(self._database, Reader(self._reader.where, found), self._writers)
        for _ in seen.scan():
            pass
        for table in OF_TURNS:
            strays = self._database.spelled(
                f"SELECT DISTINCT turn FROM {{{table.name}}} WHERE turn NOT IN (SELECT number FROM {{turns}})"  # noqa: S608
            )
            found += [
                Problem("missing", "turns", f"turn {number} is gone, and some of its {table.name} are there", NEXT_STEP)
                for (number,) in self._database.rows(strays)
            ]
        return found

    def _numbered(self, numbers: Sequence[int]) -> list[Row]:
        dialect = self._database.dialect
        statement = f"SELECT {self._sql.turn_columns} FROM {{turns}} WHERE {dialect.among('number')} ORDER BY number"  # noqa: S608
        found: list[Row] = []
        for start in range(0, len(numbers), BATCH):
            batch = dialect.values(list(numbers[start : start + BATCH]))
            found += self._turn_rows(self._database.rows(self._database.spelled(statement), batch))
        return found

    def _turn_rows(self, found: Iterable[tuple[Any, ...]]) -> list[Row]:
        rows = []
        for number, _, parts, *values in found:
            try:
                row = _TURN.row(values, _mark(number, parts))
            except ValueError:
                self._reader.note("turns", number)
                continue
            row["number"] = number
            rows.append(row)
        return rows

    def _through(self, query: TurnQuery, *, with_events: bool, with_body: bool) -> Iterator[StoredTurn]:
        """Go through turns as they are at the first look: what is removed meanwhile is read nevertheless."""
        parts = self._parts(with_events=with_events, with_body=with_body)

        def begin(transaction: Transaction) -> tuple[list[int], _Found]:
            numbers = self._numbers(transaction, query)
            return numbers, self._fetch(transaction, numbers, parts) if len(numbers) <= BATCH else _NOTHING

        none: list[int] = []
        numbers, found = self._database.read(begin, (none, _NOTHING))
        if len(numbers) <= BATCH:
            yield from self._turns(numbers, found)
            return
        with self._database.snapshot() as transaction:
            numbers = self._numbers(transaction, query)
            for start in range(0, len(numbers), BATCH):
                batch = numbers[start : start + BATCH]
                yield from self._turns(batch, self._fetch(transaction, batch, parts))

    def _parts(self, *, with_events: bool, with_body: bool) -> list[str]:
        """Return the tables that are read beside the turns themselves."""
        return ([EVENTS.name] if with_events else []) + ([*PLACES, RUNS] if with_body else [])

    def _fetch(self, transaction: Transaction, numbers: list[int], parts: list[str]) -> _Found:
        """Return the rows of turns by table."""
        sql, wanted = self._sql, self._database.dialect.values(numbers)
        found = {name: transaction.rows(sql.of_turns[name], wanted) for name in parts}
        return {TURNS.name: transaction.rows(sql.turns_of, wanted), **found}

    def _turns(self, numbers: list[int], found: _Found) -> Iterator[StoredTurn]:
        by_number = {values[0]: values for values in found.get(TURNS.name, ())}
        grouped = {name: _grouped(rows) for name, rows in found.items() if name != TURNS.name}
        for number in numbers:
            turn = self._turn(by_number.get(number), number, grouped, with_body=RUNS in found)
            if turn is not None:
                yield turn

    def _turn(
        self,
        values: tuple[Any, ...] | None,
        number: int,
        grouped: Mapping[str, Mapping[int, Sequence[tuple[Any, ...]]]],
        *,
        with_body: bool,
    ) -> StoredTurn | None:
        """Put a turn together; one whose own row is damaged is left out and noted."""
        rows = self._turn_rows([values]) if values is not None else []
        if not rows:
            return None
        row, (_, count, parts, *_) = rows[0], cast("tuple[Any, ...]", values)
        lost: list[str] = []
        events = self._items(EVENTS.name, number, grouped)
        if EVENTS.name in grouped and len(events) < count:
            lost.append(f"{count - len(events)} of its {count} events")
        body: Row = {}
        if with_body and parts:
            body, missing = self._body(number, parts, grouped)
            lost += missing
        if lost:
            self._reader.note_loss(number, lost)
        return StoredTurn(row, events, body, tuple(lost))

    def _body(
        self, number: int, parts: str, grouped: Mapping[str, Mapping[int, Sequence[tuple[Any, ...]]]]
    ) -> tuple[Row, list[str]]:
        said = cast("dict[str, Any]", from_text(parts))
        body: Row = dict(said.get("rest", {}))
        lost = []
        found: dict[str, Any] = {}
        for table in PLACES:
            for row in self._items(table, number, grouped):
                found |= row
        found.setdefault(HISTORY, found.get(MESSAGES, []))
        for name, count in said["counts"].items():
            items = self._runs(number, grouped) if name == RUNS else found.get(name, [])
            if len(items) < count:
                lost.append(f"{count - len(items)} of its {count} {name}")
            body[name] = cast("Any", items)
        return body, lost

    def _items(
        self, name: str, number: int, grouped: Mapping[str, Mapping[int, Sequence[tuple[Any, ...]]]]
    ) -> list[Row]:
        read, rows = self._sql.formats[name].row, []
        latest = -1
        for _, position, *values in grouped.get(name, {}).get(number, ()):
            try:
                if position <= latest:
                    raise ValueError("SQLite gives it twice")  # noqa: TRY301 - damaged like any other
                latest = position
                rows.append(read(values, mark_of(number, position)))
            except (ValueError, TypeError):
                self._reader.note(name, _shown(name, number, position))
        return rows

    def _runs(self, number: int, grouped: Mapping[str, Mapping[int, Sequence[tuple[Any, ...]]]]) -> list[Row]:
        rows = []
        for _, key, *values in grouped.get(RUNS, {}).get(number, ()):
            try:
                row = _RUN.row(values)
            except ValueError:
                self._reader.note(RUNS, key)
                continue
            row.pop("writer", None)
            rows.append(row)
        return rows

    # -- queries -------------------------------------------------------------------------------------------------------

    def _select(self, columns: str, query: TurnQuery, *, is_ordered: bool = True) -> tuple[str, list[object]]:
        condition, values = self._where(query)
        order = (" ORDER BY number DESC" if query.newest_first else " ORDER BY number") if is_ordered else ""
        statement = f"SELECT {columns} FROM {{turns}}{condition}{order}"  # noqa: S608
        if query.limit is not None and is_ordered and _is_told_by_sql(query):
            statement, values = statement + " LIMIT ?", [*values, _limit(query.limit)]
        return self._database.spelled(statement), values

    def _where(self, query: TurnQuery, prefix: str = "") -> tuple[str, list[object]]:
        """Return the condition of a query and its values; text, order and limit are the caller's."""
        dialect = self._database.dialect
        conditions: list[str] = []
        values: list[object] = []

        def narrow(condition: str, value: object) -> None:
            conditions.append(prefix + condition)
            values.append(value)

        if query.session is not None:
            narrow("session_id = ?", to_name(query.session))
        if query.ids is not None:
            narrow(dialect.among("id"), dialect.values([to_name(key) for key in query.ids]))
        if query.outcomes == (_RUNNING,):
            conditions.append(f"{prefix}outcome = '{_RUNNING}'")  # there is an index of these
        elif query.outcomes:
            narrow(dialect.among("outcome"), dialect.values([to_name(outcome) for outcome in query.outcomes]))
        for sign, limit in ((">", query.after), ("<", query.before)):
            if limit:
                narrow(f"number {sign} ?", max(min(limit, _LARGEST), -_LARGEST))
        if query.since is not None:
            narrow("started_at >= ?", stamp(query.since))
        if query.until is not None:
            narrow("started_at < ?", stamp(query.until))
        for column, name in (("agents", query.agent), ("tools", query.tool)):
            if name is not None and is_plain(name):  # else Python looks for it
                holds = dialect.holds(f"{prefix}{column}")
                conditions.append(f"({holds} OR {prefix}{column} IS NULL)")
                values.append(orjson.dumps(name).decode())
        return (" WHERE " + " AND ".join(conditions) if conditions else ""), values


class Statements:
    """What is said to the database, made once per store.

    Parameters
    ----------
    database : Database
    """

    def __init__(self, database: Database) -> None:
        spelled = database.spelled
        among = database.dialect.among
        turn, own = _quoted(_TURN.columns), "number, writer, events, parts"
        self._gone = spelled("SELECT value FROM {meta} WHERE name = 'turns'" + database.dialect.locked)  # noqa: S608
        self._latest = spelled(
            "SELECT coalesce(max(number), 0) FROM (SELECT max(number) AS number FROM {turns} UNION ALL "
            "SELECT max(turn) AS number FROM {events}) latest"  # of a turn that is lost its events may be there
        )
        self.remember = spelled("UPDATE {meta} SET value = ? WHERE name = 'turns' AND value < ?")
        self.begin = spelled(
            f"INSERT INTO {{turns}} ({own}, {turn}) VALUES ({_marks(4 + len(_TURN.columns))}) "  # noqa: S608
            "ON CONFLICT (id) DO NOTHING"
        )
        self.grow = spelled("UPDATE {turns} SET events = events + ? WHERE id = ? RETURNING number, events")
        stays = {"id", "session_id"}  # saying them again would write their indexes again
        self.closing = itemgetter(*(place for place, name in enumerate(_TURN.columns[:-1]) if name not in stays))
        self.close = spelled(
            f"UPDATE {{turns}} SET events = events + ?, parts = ?, "  # noqa: S608
            f"{_settings(name for name in _TURN.columns if name not in stays)} "
            "WHERE number = ? AND id = ? AND session_id = ? AND outcome = 'running' RETURNING events"
        )
        self.parts = spelled("SELECT number, parts, checksum FROM {turns} WHERE id = ?" + database.dialect.locked)  # noqa: S608
        self.recount = spelled("UPDATE {turns} SET parts = ?, checksum = ? WHERE number = ?")
        self.find = spelled("SELECT number FROM {turns} WHERE id = ?")
        self.session = spelled("SELECT session_id FROM {turns} WHERE id = ?")
        self.sessions = spelled("SELECT count(*), min(number), max(number) FROM {turns} GROUP BY session_id ORDER BY 2")
        self.abandoned = spelled("SELECT number, writer FROM {turns} WHERE outcome = 'running'")
        self.turn_columns = f"number, events, parts, {turn}"
        self.turns_of = spelled(f"SELECT {self.turn_columns} FROM {{turns}} WHERE {among('number')}")  # noqa: S608
        self.formats = {table.name: row_format(table.name) for table in OF_TURNS}
        self._inserts: dict[tuple[str, tuple[str, ...]], str] = {}
        self._spelled, self._is_dense = spelled, database.dialect.name != "sqlite"
        self.clear = {name: spelled(f"DELETE FROM {{{name}}} WHERE turn = ?") for name in PLACES}  # noqa: S608
        self.of_turns: dict[str, str] = {}
        for name, form in self.formats.items():
            columns = f"turn, {PLACES.get(name, 'position')}, {_quoted(form.columns)}"
            self.of_turns[name] = spelled(
                f"SELECT {columns} FROM {{{name}}} WHERE {among('turn')} ORDER BY 1, 2"  # noqa: S608
            )
        self.put_run = spelled(put_statement(_RUN))
        self.put_forgotten = spelled(put_statement(_FORGOTTEN))
        self.forgotten = spelled(f"SELECT {_quoted(_FORGOTTEN.columns)} FROM {{forgotten}} WHERE id = ?")  # noqa: S608
        self.removable = spelled(
            f"SELECT number, id, started_at FROM {{turns}} WHERE {among('id')} "  # noqa: S608
            f"AND coalesce(outcome, '') <> '{_RUNNING}'" + database.dialect.locked
        )
        self.remove = spelled(f"DELETE FROM {{turns}} WHERE {among('number')}")  # noqa: S608
        ended = f"{among('turn_id')} AND completed_at IS NOT NULL"  # one that still works goes on without its turn
        self.remove_questions = spelled(f"DELETE FROM {{questions}} WHERE {among('turn_id')}")  # noqa: S608
        self.remove_late = spelled(f"DELETE FROM {{late_messages}} WHERE id IN (SELECT id FROM {{runs}} WHERE {ended})")  # noqa: S608
        self.remove_runs = spelled(f"DELETE FROM {{runs}} WHERE {ended}")  # noqa: S608
        self.remove_ledger = spelled(
            f"DELETE FROM {{ledger}} WHERE {among('turn_id')} AND run_id NOT IN (SELECT id FROM {{runs}})"  # noqa: S608
        )
        runs = ", ".join(f'r."{name}"' for name in _RUN.columns)
        self.of_turns[RUNS] = spelled(
            f"SELECT t.number, r.id, {runs} FROM {{runs}} r JOIN {{turns}} t ON t.id = r.turn_id "  # noqa: S608
            f"WHERE {among('t.number')} ORDER BY t.number, r.position"
        )

    def next_number(self, transaction: Transaction) -> int:
        """Return the number of the next turn: one that was given is never given again, nor by two at once."""
        [(gone,)], [(latest,)] = transaction.rows(self._gone), transaction.rows(self._latest)
        return int(max(gone, latest)) + 1

    def packed(self, name: str, rows: Sequence[Row]) -> list[Packed]:
        """Return the rows of a table as :meth:`insert` takes them."""
        form = self.formats[name]
        found = [form.packed(row) for row in rows]
        return [(form.columns, form.spread(one)) for one in found] if self._is_dense else found

    def insert(self, transaction: Transaction, name: str, rows: Sequence[Packed], turn: int, start: int = 0) -> None:
        """Write rows of a turn in their places, and mark their checksums with them.

        A missing value costs SQLite's driver more than any other, so that only what is there is said; a server is told
        everything at once instead.
        """
        by_columns: dict[tuple[str, ...], list[list[Any]]] = {}
        for position, (columns, values) in enumerate(rows, start):
            placed = [turn, position, *values]
            placed[-1] ^= mark_of(turn, position)
            by_columns.setdefault(columns, []).append(placed)
        for columns, items in by_columns.items():
            transaction.each(self._insert(name, ("turn", "position", *columns)), items)

    def _insert(self, name: str, columns: tuple[str, ...]) -> str:
        statement = self._inserts.get((name, columns))
        if statement is None:
            marks = _marks(len(columns))
            statement = self._spelled(f"INSERT INTO {{{name}}} ({_quoted(columns)}) VALUES ({marks})")  # noqa: S608
            if len(self._inserts) >= _MOST_STATEMENTS:
                self._inserts.clear()
            self._inserts[name, columns] = statement
        return statement


def _values(row: Row) -> list[Any]:
    """Return the values of a turn's row, all but its number."""
    own = {**row}
    own.pop("number", None)
    return _TURN.values(own)


def _runs(turn_id: str, body: Row, writer: int) -> list[list[Any]]:
    """Return the values of a body's runs."""
    runs = body.get(RUNS, [])
    if not has_table(RUNS, runs, turn_id):
        return []
    return [_RUN.values({**run, "writer": writer}) for run in cast("list[Row]", runs)]


def _grouped(rows: Sequence[tuple[Any, ...]]) -> dict[int, list[tuple[Any, ...]]]:
    return {number: list(group) for number, group in groupby(rows, itemgetter(0))}


def _shown(name: str, turn: object, position: object) -> object:
    """Return what a row is called."""
    return f"{turn}/{position}" if name == EVENTS.name else turn


def _mark(number: int, parts: str | None) -> int:
    if not parts:
        return mark_of(number)
    if parts.__class__ is not str:
        raise ValueError("it is no text")
    return mark_of(number) ^ zlib.crc32(parts.encode())


def mark_of_row(table: Table, values: Mapping[str, Any]) -> int:
    """Return what marks the checksum of a row of any table, by its columns."""
    if table.name == TURNS.name:
        return _mark(values["number"], values["parts"] or "")
    if "position" in table.key:
        return mark_of(values["turn"], values["position"])
    return mark_of(values["turn"], PLACES[table.name]) if table.name in PLACES else 0


def _is_told_by_sql(query: TurnQuery) -> bool:
    return not query.text and query.agent is None and query.tool is None


def _limit(wanted: int | None) -> int | None:
    return None if wanted is None else max(0, min(wanted, _LARGEST))


def _quoted(names: Iterable[str], prefix: str = "") -> str:
    return ", ".join(f'{prefix}"{name}"' for name in names)


def _settings(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}" = ?' for name in names)


def _marks(count: int) -> str:
    return ", ".join("?" * count)


def _unknown(turn_id: str) -> StoreError:
    return StoreError(f"turn {turn_id} was never begun here; begin it first", "unknown")
