"""Everything a store is told and asked, on one database: rows as they lie there, and every answer, as committed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.errors import LangoError
from lango_nb.records.packing import pack_event, pack_trace
from lango_nb.records.turns import Trace
from lango_nb.stores.sql import SqlStore, memory_store, sqlite_store
from lango_nb.stores.store import Group, Row, Store, StoredTurn, TurnQuery
from tests.expected import same_as_expected
from tests.unit.viz import samples

QUERIES: dict[str, TurnQuery] = {
    "all": TurnQuery(),
    "session": TurnQuery(session="main"),
    "another session": TurnQuery(session="shed"),
    "agent": TurnQuery(agent="operator"),
    "tool": TurnQuery(tool="fs_read"),
    "outcomes": TurnQuery(outcomes=("success", "running")),
    "no outcome": TurnQuery(outcomes=("timeout",)),
    "since": TurnQuery(since=samples.START + timedelta(seconds=1)),
    "until": TurnQuery(until=samples.START + timedelta(seconds=1)),
    "text": TurnQuery(text="NOTES"),
    "text with signs": TurnQuery(text="100%_of"),
    "ids": TurnQuery(ids=("turn-1", "turn-3", "nothing")),
    "no ids": TurnQuery(ids=()),
    "after": TurnQuery(after=2),
    "before": TurnQuery(before=3),
    "between": TurnQuery(after=1, before=4),
    "newest first": TurnQuery(newest_first=True),
    "limit": TurnQuery(limit=2),
    "newest": TurnQuery(newest_first=True, limit=1),
    "several": TurnQuery(session="main", agent="operator", text="notes", outcomes=("success",), limit=5),
}


def fill(store: Store) -> None:
    """Keep turns in every way: whole, step by step, open, with late events, with histories, forgotten."""
    log = store.log
    traces: list[Trace] = [samples.trace(), samples.greeting(), samples.teammates()]
    for number, trace in enumerate(traces, 1):
        row, body = pack_trace(trace, trace.messages)
        row = {**row, "id": f"turn-{number}", "session_id": "main" if number != 2 else "shed", "number": number}
        events = [{**pack_event(event), "turn_id": f"turn-{number}"} for event in trace.events]
        begun = {name: row[name] for name in ("id", "session_id", "text", "topology", "model", "started_at")}
        log.begin(begun, events[:1])
        log.write(f"turn-{number}", events[1:3], is_urgent=number == 1)
        log.finish(f"turn-{number}", events[3:], row, body)
    later: list[Row] = [{**events[-1], "seq": len(events) + 1, "kind": "text", "text": "late"}]
    log.write("turn-3", later)
    log.complete("turn-3", body)
    started: Row = {"session_id": "main", "started_at": "2026-01-01T00:00:02.000000+00:00", "topology": "solo"}
    log.begin({**started, "id": "open", "text": "100%_of it"}, [{"kind": "turn.started", "seq": 1, "turn_id": "open"}])
    log.begin({**started, "id": "gone", "text": "forget me"})
    log.finish("gone", [], {**started, "id": "gone", "text": "forget me", "outcome": "success", "answer": ""}, {})
    log.remove(["gone", "open", "never"], setting="keepTurns", at="2026-01-03T00:00:00.000000+00:00")
    notes = store.documents("task")
    rows: list[Row] = [
        {"id": f"task-{n}", "title": f"no {n}", "status": ("todo", "done")[n % 2], "n": n} for n in range(5)
    ]
    notes.put(*rows)
    notes.change("task-1", lambda row: {**row, "title": "changed"})
    notes.add({"id": "task-9", "title": "added", "more": {"deep": [1, None, "é"]}})
    notes.remove("task-0", "task-7")


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it."""
    if isinstance(value, Group):
        return {"places": list(value.places), "columns": [list(column) for column in value.columns]}
    if isinstance(value, StoredTurn):
        return value._asdict()
    return (
        value.hex() if isinstance(value, bytes) else list(value) if isinstance(value, Iterable) else repr(type(value))
    )


def line(value: Any) -> str:
    """Return a value in one line, its middle left out where it is long."""
    text = json.dumps(value, ensure_ascii=False, default=plain)
    return text if len(text) < 700 else f"{text[:500]}… {len(text)} characters … {text[-150:]}"


def answer(ask: Callable[[], Any]) -> str:
    """Return an answer, or what is said against the question."""
    try:
        return line(ask())
    except LangoError as error:
        return f"{type(error).__name__} {error.code}: {error}"


@pytest.fixture
def store() -> SqlStore:
    """Return a store in memory with something of everything."""
    store = memory_store()
    fill(store)
    return store


def test_every_query_is_answered_as_expected(store: SqlStore) -> None:
    log = store.log
    rows = []
    for name, query in QUERIES.items():
        rows += [
            f"━━━ {name}",
            f"rows      {answer(lambda: [[row['number'], row['id'], row['outcome']] for row in log.rows(query)])}",  # noqa: B023
            f"numbers   {answer(lambda: log.numbers(query))}",  # noqa: B023 - called at once
            f"count     {answer(lambda: log.count(query))}",  # noqa: B023
            f"scan      {answer(lambda: [[t.row['id'], len(t.events), sorted(t.body), t.lost] for t in log.scan(query)])}",  # noqa: B023, E501
            f"bare      {answer(lambda: [[t.row['id'], len(t.events)] for t in log.scan(query, with_events=False)])}",  # noqa: B023
            f"events    {answer(lambda: [[row['id'], len(events)] for row, events in log.events(query)])}",  # noqa: B023
        ]
    same_as_expected("stores/queries.txt", "\n".join(rows))


def test_everything_else_is_answered_as_expected(store: SqlStore) -> None:
    log, tasks = store.log, store.documents("task")
    asked: dict[str, Callable[[], Any]] = {
        **{f"row {row['id']}": lambda row=row: row for row in log.rows()},  # type: ignore[misc]
        **{f"read {name}": lambda name=name: log.read(name) for name in ("turn-1", "turn-2", "turn-3", "open", "no")},  # type: ignore[misc]
        "histories": lambda: list(log.histories([1, 2, 3, 9])),
        "changes of main": lambda: log.changes("main"),
        "changes of nothing": lambda: log.changes("nothing"),
        "sessions": log.sessions,
        "unfinished": log.unfinished,
        "tables": lambda: log.tables({"turns": ("id", "number", "outcome"), "events": ("kind", "seq", "tool", "at")}),
        "whole tables": lambda: log.tables({"details": None, "runs": None}, TurnQuery(session="main")),
        "table of a kind": lambda: log.tables({"events": None}, TurnQuery(ids=("turn-2",))),
        "no such column": lambda: log.tables({"turns": ("nothing",)}),
        "begin twice": lambda: log.begin(
            {"id": "turn-1", "session_id": "main", "text": "", "started_at": "2026-01-01"}
        ),
        "begin without an id": lambda: log.begin({"session_id": "main", "text": "", "started_at": "2026-01-01"}),
        "write to nothing": lambda: log.write("nothing", [{"kind": "text", "seq": 1}]),
        "write a number twice": lambda: log.write("turn-3", [{"kind": "text", "seq": 1}]),
        "finish twice": lambda: log.finish("turn-1", [], {"id": "turn-1", "session_id": "main"}, {}),
        "finish nothing": lambda: log.finish("nothing", [], {"id": "nothing"}, {}),
        "complete nothing": lambda: log.complete("nothing", {}),
        "remove nothing": lambda: log.remove(["nothing"]),
        "remove none": lambda: log.remove([]),
        "task": lambda: tasks.get("task-1"),
        "no task": lambda: tasks.get("nothing"),
        "all tasks": tasks.find,
        "tasks that are done": lambda: tasks.find({"status": "done"}),
        "newest task": lambda: tasks.find(newest_first=True, limit=1),
        "tasks without a number": lambda: tasks.find({"n": None}),
        "task of a number": lambda: tasks.find({"n": 3, "status": "done"}),
        "tasks with what is deep": lambda: tasks.find({"more": {"deep": [1, None, "é"]}}),
        "no tasks": lambda: tasks.find({"n": "3"}),
        "how many": lambda: len(tasks),
        "add twice": lambda: tasks.add({"id": "task-9"}),
        "change nothing": lambda: tasks.change("nothing", lambda row: row),
        "change the key": lambda: tasks.change("task-1", lambda row: {**row, "id": "other"}),
        "put without a key": lambda: tasks.put({"title": "no key"}),
        "remove tasks": lambda: tasks.remove("task-1", "task-2", "nothing"),
        "how many then": lambda: len(tasks),
        "other documents": lambda: store.documents("memory").find(),
        "is gone": lambda: [store.is_gone(writer) for writer in (0, store.writer(), 99)],
        "problems": lambda: store.problems,
        "check": store.check,
    }
    same_as_expected("stores/answers.txt", "\n".join(f"{name}\n    {answer(ask)}" for name, ask in asked.items()))


def test_rows_lie_in_the_database_as_expected(tmp_path: Path) -> None:
    store = sqlite_store(tmp_path / "records.db")
    fill(store)
    store.close()
    lines = []
    with closing(sqlite3.connect(tmp_path / "records.db")) as connection:
        made = connection.execute("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").fetchall()
        lines += [f"{kind} {name}: {' '.join((sql or '').split())}" for kind, name, sql in made]
        for name in sorted(name for kind, name, _ in made if kind == "table" and name != "writers"):
            cursor = connection.execute(f'SELECT * FROM "{name}" ORDER BY 1, 2')
            columns = [column[0] for column in cursor.description]
            for row in cursor:
                held = {column: value for column, value in zip(columns, row, strict=True) if value not in {None, ""}}
                lines.append(f"{name} {line(held)}")
    same_as_expected("stores/rows.txt", "\n".join(lines))


@pytest.mark.parametrize(("table", "column"), [("turns", "text"), ("events", "author"), ("transcripts", "messages"),
                                              ("details", "steps"), ("tasks", "title")])  # fmt: skip
def test_a_row_that_was_changed_is_left_out_and_noted(tmp_path: Path, table: str, column: str) -> None:
    place = tmp_path / "records.db"
    store = sqlite_store(place)
    fill(store)
    store.close()
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute(f"UPDATE {table} SET {column} = {column} || 'x' WHERE {column} LIKE '%o%'")
    store = sqlite_store(place)
    rows = [
        answer(lambda: [[row["number"], row["id"]] for row in store.log.rows()]),
        answer(lambda: [[turn.row["id"], len(turn.events), sorted(turn.body), turn.lost] for turn in store.log.scan()]),
        answer(lambda: store.documents("task").find()),
        answer(lambda: sorted({(problem.code, problem.where, problem.detail) for problem in store.problems})),
        answer(lambda: sorted({(problem.code, problem.where, problem.detail) for problem in store.check()})),
    ]
    store.close()
    same_as_expected(f"stores/damaged_{table}.txt", "\n".join(rows).replace(str(tmp_path), "«folder»"))
