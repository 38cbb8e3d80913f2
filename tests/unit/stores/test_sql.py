"""What is special to stores in databases; what every store promises is in ``tests/contract/test_stores.py``."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any, get_args
from uuid import uuid4

import pytest

from lango_nb.core.errors import StoreError
from lango_nb.stores import sqlite
from lango_nb.stores.database import Mode
from lango_nb.stores.dialect import Transaction
from lango_nb.stores.opening import open_store
from lango_nb.stores.reading import NEXT_STEP
from lango_nb.stores.sql import SqlStore
from lango_nb.stores.store import Durability, Problem, Row, Store, TurnQuery
from lango_nb.testing.stores.checks import at_once
from lango_nb.testing.stores.children import Child, Line
from tests.postgresql import need_postgresql, run_sql, schema

if TYPE_CHECKING:
    from pydantic import JsonValue

BOTH = ("sqlite", "postgresql")
PASSWORD = "s3cret/rose"
ROW: Row = {"id": "turn-1", "session_id": "main", "text": "hello", "started_at": "2026-01-02T03:04:05.000000+00:00"}
ENDED: Row = {**ROW, "outcome": "success", "answer": "Hi.", "agents": ["operator"], "tools": ["fs_read"]}
EVENT: Row = {"kind": "text", "seq": 1}


@pytest.fixture(params=BOTH)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/records.db"
        return
    with schema() as address:
        yield address


@pytest.fixture
def server() -> Iterator[str]:
    """Give the address of a schema, whose connections bear a name of their own."""
    with schema() as address:
        yield f"{address}&application_name={uuid4()}"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "records.db"


@contextmanager
def opened(address: str, **options: Any) -> Iterator[SqlStore]:
    store = open_store(address, **options)
    try:
        yield store
    finally:
        store.close()


def refused(work: Callable[[], object], code: str = "store") -> str:
    with pytest.raises(StoreError) as caught:
        work()
    assert caught.value.code == code
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    assert "; " in message
    return message


def play(store: Store, key: str = "turn-1", **more: Any) -> None:
    store.log.begin({**ROW, "id": key}, [EVENT])
    store.log.finish(key, [{**EVENT, "seq": 2}], {**ENDED, "id": key, **more}, {"messages": []})


def spoil(address: str, *statements: str) -> None:
    """Write into the tables as somebody else would; ``{turns}`` is the name of a table."""
    prefix = "" if address.startswith("sqlite") else "lango_"
    statements = tuple(re.sub(r"{(\w+)}", rf"{prefix}\1", statement) for statement in statements)
    if prefix:
        run_sql(address, *statements)
        return
    connection = sqlite3.connect(address.removeprefix("sqlite:///"))
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


# -- addresses ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong", ["sqlite://", "sqlite:///:memory:", "sqlite:///file:x?mode=memory&uri=true", "sqlite:///x.db?timeout=5"]
)
def test_a_database_without_a_plain_file_is_refused(wrong: str) -> None:
    assert "sqlite:///FILE" in refused(lambda: open_store(wrong))


@pytest.mark.parametrize("wrong", ["mysql://u@h/n", "postgresql+psycopg2://u@h/n", "sqlite+aiosqlite:///x.db"])
def test_other_databases_are_refused_by_name(wrong: str) -> None:
    message = refused(lambda: open_store(wrong))
    assert wrong.partition(":")[0] in message
    assert "postgresql://USER@HOST/NAME" in message


@pytest.mark.parametrize("wrong", [f"postgresql://h/n?{PASSWORD}", f"postgresql://[u:{PASSWORD}@h/n"])
def test_what_is_no_address_is_refused_and_not_repeated(wrong: str) -> None:
    message = refused(lambda: open_store(wrong))
    assert PASSWORD not in message
    assert "sqlite:///FILE" in message


def test_the_home_folder_is_written_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with opened("sqlite:///~/deep/records.db") as store:
        store.documents("task").put({"id": "a"})
        assert store.where == "~/deep/records.db"
    assert (tmp_path / "deep" / "records.db").is_file()


@pytest.mark.parametrize("scheme", ["postgres", "postgresql"])
def test_every_spelling_of_postgresql_is_understood(server: str, scheme: str) -> None:
    with opened(f"{scheme}:{server.partition(':')[2]}") as store:
        store.documents("task").put({"id": "a"})
        assert store.name == "postgresql"
        assert store.where.startswith("postgresql://")


def test_a_store_is_opened_by_its_address(address: str) -> None:
    store = open_store(address)
    store.documents("task").put({"id": "a"})
    assert store.name in address
    assert store.is_durable
    store.close()


# -- passwords ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:s3cret%2Frose@127.0.0.1:1/records",
        "postgresql://ann@127.0.0.1:1/records?password=s3cret%2Frose",
        "postgresql://ann:s3cret%2Frose@127.0.0.1:1/records?sslmode=s3cret%2Frose",
    ],
)
def test_no_error_shows_a_password(url: str) -> None:
    with pytest.raises(StoreError, match=r"ann.*127\.0\.0\.1") as caught:
        open_store(url)
    shown = "".join(traceback.format_exception(caught.value))
    assert len(str(caught.value).splitlines()) == 1
    assert "store.url" in str(caught.value)
    for secret in (PASSWORD, "s3cret%2Frose", "s3cret", "rose"):
        assert secret not in shown


def test_where_shows_no_password(server: str) -> None:
    with opened(server.replace("lango@", "lango:s3cret%2Frose@")) as store:
        assert store.where.startswith("postgresql://lango:***@")
        store.documents("task").put({"id": "a"})
        assert "s3cret" not in store.where + repr(store) + repr(store.problems)


# -- missing libraries -------------------------------------------------------------------------------------------------


def test_a_missing_extra_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    message = refused(lambda: open_store("postgresql://h/n"), "missing_extra")
    assert "psycopg" in message
    assert message.endswith("; pip install 'lango-nb[sql]'")


# -- what is written, and when -----------------------------------------------------------------------------------------


def test_nothing_is_written_before_the_first_record(address: str, tmp_path: Path) -> None:
    with opened(address) as store:
        assert store.documents("task").find() == []
        assert store.documents("task").get("a") is None
        assert store.documents("task").change("a", lambda row: row) is None
        assert store.documents("task").remove("a") == len(store.documents("task")) == 0
        assert store.log.rows() == store.log.sessions() == store.log.unfinished() == []
        assert store.check() == []
        assert store.log.count() == store.log.remove(["a"]) == 0
        assert list(store.log.scan()) == []
        assert list(store.log.events()) == []
        assert store.log.read("turn-1") is None
        store.sync()
    assert list(tmp_path.iterdir()) == []
    if store.name == "postgresql":
        assert run_sql(address, "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()") == [(0,)]


def test_tables_that_many_make_at_once_are_made_once(address: str) -> None:
    stores = [open_store(address) for _ in range(6)]
    at_once(*(lambda store=store, n=n: store.documents("task").put({"id": f"t{n}"}) for n, store in enumerate(stores)))
    assert all(len(store.documents("task")) == 6 for store in stores)
    for store in stores:
        store.close()


def test_a_database_of_somebody_else_keeps_what_it_has(address: str) -> None:
    spoil(address, "CREATE TABLE mine (a INTEGER)", "INSERT INTO mine VALUES (1)")
    with opened(address) as store:
        assert store.log.rows() == []
        play(store)
        assert store.check() == []
    spoil(address, "INSERT INTO mine SELECT a + 1 FROM mine")


def _commits(store: SqlStore) -> list[Mode]:
    """Return a list that grows by how each later transaction of a store treats the disk."""
    said: list[Mode] = []
    attempt = store.database.attempt

    def note(mode: Mode, work: Callable[[Transaction], Any]) -> Any:
        if mode != "read":
            said.append(mode)
        return attempt(mode, work)

    store.database.attempt = note  # type: ignore[method-assign]
    return said


@pytest.mark.parametrize("durability", get_args(Durability))
def test_commits_wait_for_the_disk_as_the_durability_says(address: str, durability: Durability) -> None:
    with opened(address, durability=durability) as store:
        said = _commits(store)
        store.writer()
        store.documents("task").put({"id": "a"}, is_urgent=False)
        said.clear()
        store.documents("task").put({"id": "a"})
        store.documents("task").put({"id": "a"}, is_urgent=False)
        store.log.begin(ROW, [EVENT])
        store.log.write("turn-1", [EVENT])
        store.log.write("turn-1", [EVENT], is_urgent=True)
        store.log.finish("turn-1", [EVENT], ENDED, {})
        wrote = "forced" if durability == "event" else "loose"
        expected = ["forced", "loose", "loose", wrote, "forced", "forced"]
        assert said == (["loose"] * 6 if durability == "none" else expected)


def test_syncing_commits_once_and_only_when_something_is_loose(address: str) -> None:
    with opened(address) as store:
        said = _commits(store)
        store.documents("task").put({"id": "a"})
        said.clear()
        store.sync()
        assert said == []
        store.documents("task").put({"id": "a"}, is_urgent=False)
        store.sync()
        store.sync()
        assert said == ["loose", "forced"]


def test_a_forced_commit_waits_for_the_disk_and_a_loose_one_does_not(address: str) -> None:
    said: dict[Mode, object] = {}
    with opened(address) as store:
        store.documents("task").put({"id": "a"})
        asked = "PRAGMA synchronous" if store.name == "sqlite" else "SHOW synchronous_commit"
        for mode in ("loose", "forced", "loose"):
            said[mode] = store.database.attempt(mode, lambda transaction: transaction.row(asked))
    waits = {"loose": (1,), "forced": (2,)} if store.name == "sqlite" else {"loose": ("off",), "forced": ("on",)}
    assert said == waits


@pytest.mark.parametrize("is_loose", [True, False])
def test_closing_says_what_may_be_lost(file: Path, caplog: pytest.LogCaptureFixture, is_loose: bool) -> None:
    store = open_store(f"sqlite:///{file}")
    store.documents("task").put({"id": "a"}, is_urgent=not is_loose)
    file.unlink()
    store.close()
    store.close()
    assert [problem.code for problem in store.problems] == ["unsaved"] * is_loose
    assert ("may be lost" in caplog.text) is is_loose


# -- names -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("odd", ["a\0b", "a\\u0000b", "\ud800", "x" * 5000, "%s", ":name", "{ ", "ß"])
def test_odd_names_are_found_and_told_apart(address: str, odd: str) -> None:
    with opened(address) as store:
        for key, name in (("odd", odd), ("other", odd + "'")):
            store.log.begin({**ROW, "id": key, "session_id": name})
            row: Row = {
                **ENDED,
                "id": key,
                "session_id": name,
                "agents": [name, name],
                "tools": [name],
                "outcome": name,
            }
            store.log.finish(key, [], row, {})
            store.documents("task").put({"id": name, "is": key})
        for query in (
            TurnQuery(session=odd),
            TurnQuery(agent=odd),
            TurnQuery(tool=odd),
            TurnQuery(outcomes=(odd,)),
            TurnQuery(ids=["odd", odd]),
        ):
            assert [row["id"] for row in store.log.rows(query)] == ["odd"]
            assert store.log.count(query) == 1
        assert store.documents("task").find({"id": odd}) == [{"id": odd, "is": "odd"}]
        assert store.documents("task").get(odd) == {"id": odd, "is": "odd"}
        assert [session["id"] for session in store.log.sessions()] == [odd, odd + "'"]


def test_a_turn_without_a_session_is_refused(address: str) -> None:
    with opened(address) as store:
        assert "session_id" in refused(lambda: store.log.begin({"id": "turn-1"}), "bad_row")
        assert store.log.rows() == []


def test_agents_of_the_beginning_are_replaced_by_those_of_the_end(address: str) -> None:
    with opened(address) as store:
        store.log.begin({**ROW, "agents": ["early"]})
        assert store.log.count(TurnQuery(agent="early")) == 1
        store.log.finish("turn-1", [], {**ENDED, "agents": ["late"]}, {})
        assert [store.log.count(TurnQuery(agent=agent)) for agent in ("early", "late")] == [0, 1]


# -- damage ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["no JSON", "[1]", '{"a":1}', "{ ", ""])
def test_what_somebody_else_spoiled_is_named_and_left_out(address: str, text: str) -> None:
    with opened(address) as store:
        for key in ("turn-1", "turn-2", "turn-3"):
            play(store, key)
            store.documents("task").put({"id": key})
        spoil(
            address,
            f"UPDATE {{tasks}} SET data = '{text}' WHERE id = 'turn-2'",
            f"UPDATE {{turns}} SET data = '{text}' WHERE number = 1",
            f"UPDATE {{events}} SET data = '{text}' WHERE turn = 2 AND position = 0",
        )
        found = {(problem.code, problem.where, problem.detail) for problem in store.check()}
        assert found == {
            ("damaged", "tasks", "turn-2 is not what was written; it is left out"),
            ("damaged", "turns", "1 is not what was written; it is left out"),
            ("damaged", "events", "2/0 is not what was written; it is left out"),
            ("missing", "turns", "turn 2 has lost 1 of its 2 events"),
        }
        assert store.problems == []
        assert [row["id"] for row in store.documents("task").find()] == ["turn-1", "turn-3"]
        assert [row["id"] for row in store.log.rows()] == ["turn-2", "turn-3"]
        assert [(len(turn.events), turn.lost) for turn in store.log.scan()] == [(1, ("1 of its 2 events",)), (2, ())]
        assert {(problem.code, problem.where, problem.detail) for problem in store.problems} == found
        assert "turn-2" in refused(lambda: store.documents("task").get("turn-2"), "damaged")
        assert "turn-2" in refused(lambda: store.documents("task").change("turn-2", lambda row: row), "damaged")


def events_of(store: SqlStore) -> list[tuple[int, int]]:
    """Return turn and position of the events that a whole table has, in order."""
    found = store.log.tables({"events": None})
    assert found is not None
    rows = [row for places, columns in found["events"].values() for row in zip(places, *columns[:2], strict=True)]
    return [(turn, position) for _, turn, position in sorted(rows)]


def test_a_whole_table_leaves_out_what_is_damaged(address: str) -> None:
    with opened(address) as store:
        play(store, "turn-1")
        spoil(address, "UPDATE {events} SET text = 'never said' WHERE position = 0")
        assert events_of(store) == [(1, 1)]
        assert {problem.code for problem in store.problems} == {"damaged"}


@pytest.mark.parametrize("text", ["x", "7 of 9"])
def test_a_place_that_is_no_number_is_damage(tmp_path: Path, text: str) -> None:
    address = f"sqlite:///{tmp_path / 'records.db'}"
    said: Row = {"messages": [{"content": "hi"}], "history": [{"content": "hi"}]}
    with opened(address) as store:
        for key in ("turn-1", "turn-2"):
            store.log.begin({**ROW, "id": key}, [EVENT])
            store.log.finish(key, [{**EVENT, "seq": 2}], {**ENDED, "id": key}, said)
        spoil(address, f"UPDATE {{events}} SET position = '{text}' WHERE turn = 1 AND position = 0")
        spoil(address, f"UPDATE {{transcripts}} SET messages = '{text}' WHERE turn = 1")
        assert events_of(store) == [(1, 1), (2, 0), (2, 1)]
        assert [number for number, _ in store.log.histories([1, 2])] == [2]
        assert [turn.lost for turn in store.log.scan()] == [
            ("1 of its 2 events", "1 of its 1 messages", "1 of its 1 history"),
            (),
        ]
        spoil(address, "UPDATE {turns} SET parts = 7 WHERE number = 2")
        assert [row["id"] for row in store.log.rows()] == ["turn-1"]
        assert {problem.code for problem in store.problems} == {"damaged", "missing"}
        assert "turns" in refused(lambda: store.log.complete("turn-2", {"messages": []}), "damaged")


def test_items_of_lists_are_rows_of_their_views(address: str) -> None:
    said: Row = {
        "messages": [{"id": "m", "content": "hi", "is_error": True, "tool_calls": [{"id": "c"}]}, {"role": "user"}],
        "decisions": [
            {"id": "d", "seq": 2, "route": {"chosen": "vault", "margin": 0.5, "candidates": [{"agent": "vault"}]}}
        ],
        "steps": [{"step": 1, "given": [["", 1, 2]], "usage": {"latency_ms": 2}}],
    }
    bodies: dict[str, Row] = {"turn-1": said, "turn-2": said | {"messages": [{"content": "nul \0"}]}}
    with opened(address) as store:
        for key, body in bodies.items():
            store.log.begin({**ROW, "id": key})
            store.log.finish(key, [], {**ENDED, "id": key}, body)
        ask = {
            "messages": "turn, position, id, content, is_error, tool_calls, role",
            "decisions": "turn, position, id, seq, router_choice, margin",
            "candidates": "turn, position, place, agent, score",
            "steps": "turn, position, step, given, latency_ms, model",
        }
        found = {
            noun: [
                tuple(value.replace(" ", "") if isinstance(value, str) else value for value in row)
                for row in store.select(store.database.spelled(f"SELECT {columns} FROM {{{noun}}} ORDER BY 1, 2")).rows
            ]
            for noun, columns in ask.items()
        }
        assert found == {
            "messages": [(1, 0, "m", "hi", 1, '[{"id":"c"}]', None), (1, 1, None, None, None, None, "user")],
            "decisions": [(turn, 0, "d", 2, "vault", 0.5) for turn in (1, 2)],
            "candidates": [(turn, 0, 0, "vault", None) for turn in (1, 2)],
            "steps": [(turn, 0, 1, '[["",1,2]]', 2, None) for turn in (1, 2)],
        }
        assert [turn.body for turn in store.log.scan()] == [*bodies.values()]


@pytest.mark.parametrize("history", [[], [{"content": "hi"}], [{"content": "half \ud800"}]])
def test_a_history_stays_what_it_was_when_messages_are_added(address: str, history: list[JsonValue]) -> None:
    messages: list[JsonValue] = [{"content": "hi"}]
    with opened(address) as store:
        store.log.begin(ROW)
        store.log.finish("turn-1", [], ENDED, {"messages": messages, "history": history})
        for _ in range(2):
            messages.append({"content": "later"})
            store.log.complete("turn-1", {"messages": messages})
            assert [(number, json.loads(text)) for number, text in store.log.histories([1])] == [(1, history)]
            (turn,) = store.log.scan()
            assert turn.body == {"messages": messages, "history": history}
        assert store.check() == []


def test_lists_of_one_table_are_none_in_another(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'records.db'}"
    with opened(address) as store:
        store.log.begin(ROW)
        store.log.finish("turn-1", [], ENDED, {"messages": [{"content": "hi"}], "decisions": [{"id": "d"}]})
        spoil(
            address,
            "UPDATE {transcripts} SET (messages, checksum) = (SELECT decisions, checksum FROM {details})",
        )
        assert [turn.lost for turn in store.log.scan()] == [("1 of its 1 messages",)]


def test_checking_finds_what_is_gone(address: str) -> None:
    with opened(address) as store:
        for key in ("a", "b", "c"):
            store.log.begin({**ROW, "id": key}, [EVENT])
            store.log.finish(key, [EVENT], {**ENDED, "id": key}, {"messages": [{"id": "m", "content": "hi"}]})
        spoil(address, "DELETE FROM {transcripts} WHERE turn = 1", "DELETE FROM {events} WHERE turn = 2")
        assert [(problem.code, problem.where, problem.detail) for problem in store.check()] == [
            ("missing", "turns", "turn 1 has lost 1 of its 1 messages"),
            ("missing", "turns", "turn 2 has lost 2 of its 2 events"),
        ]


def test_the_number_of_a_turn_that_is_lost_is_not_given_again(address: str) -> None:
    with opened(address) as store:
        play(store)
        spoil(address, "DELETE FROM {turns}")
        assert store.log.begin({**ROW, "id": "turn-2"}, [EVENT]) == 2
        assert [problem.detail for problem in store.check()] == ["turn 1 is gone, and some of its events are there"]


def test_checking_names_turns_whose_process_is_gone(address: str) -> None:
    with opened(address) as store:
        store.log.begin(ROW)
    with opened(address) as store:
        store.log.begin({**ROW, "id": "turn-2"})
        assert [(problem.code, problem.detail.split()[:2]) for problem in store.check()] == [
            ("unfinished", ["turn", "1"])
        ]


def test_tables_of_which_nobody_knows_the_version_are_refused(address: str) -> None:
    with opened(address) as store:
        play(store)
    spoil(address, "DELETE FROM {meta} WHERE name = 'schema'")
    assert "restore it from a copy" in refused(lambda: open_store(address), "damaged")


def test_whoever_upgrades_in_between_is_noticed(address: str) -> None:
    early = open_store(address)
    with opened(address) as store:
        play(store)
    spoil(address, "UPDATE {meta} SET value = value + 1 WHERE name = 'schema'")
    for work in (early.log.rows, lambda: early.log.begin(ROW)):
        assert "newer lango_nb" in refused(work, "newer_schema")
    early.close()


def test_tables_that_are_gone_are_missed(address: str) -> None:
    with opened(address) as store:
        play(store)
        spoil(address, "DROP TABLE {events}")
        refused(lambda: store.log.read("turn-1"), "missing")
        refused(lambda: store.log.write("turn-1", [EVENT]), "missing")


# -- several at once ---------------------------------------------------------------------------------------------------


def test_one_look_sees_one_moment(address: str) -> None:
    def look(transaction: Transaction) -> tuple[int, int]:
        [(before,)] = transaction.rows(counted)
        other.log.write("turn-1", [EVENT])
        [(after,)] = transaction.rows(counted)
        return before, after

    with opened(address) as store, opened(address) as other:
        counted = store.database.spelled("SELECT count(*) FROM {events}")
        store.log.begin(ROW, [EVENT])
        assert store.database.read(look, (0, 0)) == (1, 1)
        assert store.database.rows(counted)[0][0] == 2


def test_a_child_process_uses_connections_of_its_own(address: str) -> None:
    with opened(address) as store:
        play(store, "before")
        number = store.writer()

        def work(line: Line) -> None:
            play(store, "child")
            line.say([store.writer(), store.is_gone(number), len(store.log.rows())])
            store.close()

        with Child(work) as child:
            (said,) = child.rest()
        assert said == [number + 1, False, 2]
        assert store.is_gone(number + 1)
        play(store, "after")
        assert [row["id"] for row in store.log.rows()] == ["before", "child", "after"]
        with opened(address) as other:
            assert not other.is_gone(number)


def test_a_thread_that_changes_a_row_keeps_others_waiting_no_longer_than_allowed(address: str) -> None:
    inside, leave = threading.Event(), threading.Event()

    def hold(row: Row) -> Row:
        inside.set()
        assert leave.wait(30)
        return {**row, "by": "the first"}

    with opened(address, lock_timeout_s=0.2) as store:
        tasks = store.documents("task")
        tasks.put({"id": "a"})
        thread = threading.Thread(target=tasks.change, args=("a", hold))
        thread.start()
        assert inside.wait(30)
        message = refused(lambda: tasks.put({"id": "a"}), "locked")
        assert tasks.find() == [{"id": "a"}], "readers wait for nobody"
        leave.set()
        thread.join(30)
        assert "0.2 s" in message
        assert tasks.find() == [{"id": "a", "by": "the first"}]


def test_more_threads_than_connections(address: str) -> None:
    with opened(address) as store:
        at_once(*(lambda n=n: play(store, f"turn-{n}") for n in range(30)))
        assert [len(written) for _, written in store.log.events()] == [2] * 30


def test_closing_waits_for_what_another_thread_is_writing(address: str) -> None:
    inside = threading.Event()

    def slowly(row: Row) -> Row:
        inside.set()
        sleep(0.1)
        return {**row, "by": "the other thread"}

    with opened(address) as store:
        tasks = store.documents("task")
        tasks.put({"id": "a"})
        thread = threading.Thread(target=tasks.change, args=("a", slowly))
        thread.start()
        assert inside.wait(30)
    with opened(address) as again:  # its connections have the numbers of those that were closed
        thread.join(30)
        assert not thread.is_alive()
        assert again.documents("task").find() == [{"id": "a", "by": "the other thread"}]


def test_a_statement_that_the_server_still_works_at_when_a_store_is_closed_comes_back(server: str) -> None:
    begun = threading.Event()
    found: list[object] = []

    def wait(transaction: Transaction) -> None:
        begun.set()
        found.extend(transaction.rows("SELECT pg_sleep(0.3)"))

    store = open_store(server)
    store.documents("task").put({"id": "a"})
    thread = threading.Thread(target=store.database.read, args=(wait, None), daemon=True)
    thread.start()
    assert begun.wait(30)
    store.close()
    with opened(server) as again:
        again.writer()
        thread.join(10)
        assert not thread.is_alive()
    assert found == [("",)]


# -- SQLite ------------------------------------------------------------------------------------------------------------


def test_a_database_file_is_for_its_owner_and_writes_ahead(file: Path) -> None:
    with opened(f"sqlite:///{file}") as store:
        play(store)
        assert file.stat().st_mode & 0o777 == 0o600
        assert {path.name for path in file.parent.iterdir()} == {
            "records.db", "records.db-shm", "records.db-wal", "records.db.writers",
        }  # fmt: skip
    assert {path.name for path in file.parent.iterdir()} == {"records.db", "records.db.writers"}
    assert {path.name for path in file.with_name("records.db.writers").iterdir()} == {"made", "making.lock"}


@pytest.mark.parametrize(
    ("thing", "name"),
    [(sqlite, "PathLock"), (os, "open"), (sqlite3, "connect"), (Path, "rename"), (sqlite, "sync_folder")],
)
def test_who_is_killed_while_making_the_file_leaves_nothing_that_looks_lost(
    file: Path, thing: object, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(line: Line) -> None:
        monkeypatch.setattr(thing, name, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
        line.say(open_store(f"sqlite:///{file}").writer())

    with Child(write) as child:
        assert child.rest() == []
    with opened(f"sqlite:///{file}") as store:
        assert store.check() == []
        assert store.writer() == 1
        assert not file.with_name("records.db.writers").joinpath("new.db").exists()


def test_a_file_that_was_removed_is_missed(file: Path) -> None:
    with opened(f"sqlite:///{file}") as store:
        store.documents("task").put({"id": "a"})
        away = file.rename(file.with_name("away.db"))  # its log stays behind
        refused(lambda: store.documents("task").put({"id": "b"}), "missing")
        refused(store.documents("task").find, "missing")
        with opened(f"sqlite:///{file}") as other:
            other.documents("task").put({"id": "c"})
            refused(lambda: store.documents("task").put({"id": "b"}), "missing")
            assert other.documents("task").find() == [{"id": "c"}]
        store.database.close()
        with opened(f"sqlite:///{file}") as other:
            assert other.documents("task").find() == [{"id": "c"}], "who closes the old file leaves the new one alone"
            assert other.check() == []
        assert away.exists()


def test_what_is_no_database_is_refused(file: Path) -> None:
    file.write_text("Dear diary, " * 100, encoding="utf-8")
    assert "records.db" in refused(lambda: open_store(f"sqlite:///{file}"), "damaged")
    assert file.read_text(encoding="utf-8").startswith("Dear diary")


def test_a_file_whose_tables_have_lost_their_names_is_refused(file: Path) -> None:
    with opened(f"sqlite:///{file}") as store:
        play(store)
    data = file.read_bytes()
    file.write_bytes(data.replace(b"CREATE TABLE", b"CREA\xff\xfeABLE").replace(b"tablemetameta", b"tablem\xfftameta"))
    with pytest.raises(StoreError) as caught, opened(f"sqlite:///{file}") as store:
        store.log.rows()
    assert caught.value.code == "damaged"


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    refused(lambda: open_store(f"sqlite:///{tmp_path}"))


def test_a_link_to_a_database_that_is_not_there_stays_as_it_is(tmp_path: Path) -> None:
    elsewhere, link = tmp_path / "disk" / "records.db", tmp_path / "records.db"
    elsewhere.parent.mkdir()
    with opened(f"sqlite:///{elsewhere}") as store:
        play(store, "turn-1")
    link.symlink_to(elsewhere)
    elsewhere.parent.rename(tmp_path / "taken away")
    with opened(f"sqlite:///{link}") as store:
        assert "which is not there; put that back" in refused(lambda: play(store, "turn-2"), "missing")
    assert link.is_symlink()
    (tmp_path / "taken away").rename(elsewhere.parent)
    with opened(f"sqlite:///{link}") as store:
        assert [row["id"] for row in store.log.rows()] == ["turn-1"]


def test_a_damaged_file_is_found(file: Path) -> None:
    with opened(f"sqlite:///{file}") as store:
        for number in range(250):
            play(store, f"turn-{number}", answer="x" * 500)
    data = bytearray(file.read_bytes())
    for page in range(len(data) // 4096 // 2, len(data) // 4096):
        data[page * 4096 : page * 4096 + 200] = b"?" * 200
    file.write_bytes(data)
    with opened(f"sqlite:///{file}") as store:
        assert {(problem.code, problem.where) for problem in store.check()} == {("damaged", "the database file")}
        refused(lambda: list(store.log.scan()), "damaged")


def test_a_full_database_takes_nothing_and_loses_nothing(file: Path) -> None:
    with opened(f"sqlite:///{file}") as store:
        play(store, "before")
        store.log.begin({**ROW, "id": "open"})

        store.database.attempt("loose", lambda transaction: transaction.rows("PRAGMA max_page_count = 60"))
        large = "x" * 200_000
        assert "make room" in refused(lambda: store.documents("task").put({"id": "a", "text": large}), "full")
        refused(lambda: store.log.finish("open", [], {**ENDED, "id": "open", "answer": large}, {}), "full")
        assert [row["outcome"] for row in store.log.rows()] == ["success", "running"]
        store.log.finish("open", [], {**ENDED, "id": "open"}, {})
        assert store.check() == []


def test_the_tail_of_the_log_that_a_power_cut_tore_off_is_dropped_whole(file: Path) -> None:
    def write(line: Line) -> None:
        store = open_store(f"sqlite:///{file}")
        for number in range(20):
            play(store, f"turn-{number}")
            line.say(number)
        os.kill(os.getpid(), signal.SIGKILL)

    with Child(write) as child:
        assert len(child.rest()) == 20
    log = file.with_name("records.db-wal")
    with log.open("r+b") as tail:
        tail.truncate(log.stat().st_size - 5000)
    with opened(f"sqlite:///{file}") as store:
        found = list(store.log.scan())
        assert 0 < len(found) <= 20
        assert [turn.row["id"] for turn in found] == [f"turn-{number}" for number in range(len(found))]
        assert all(len(turn.events) == 2 for turn in found if turn.row["outcome"] == "success")
        assert {problem.code for problem in store.check()} <= {"unfinished"}
        play(store, "after")


def test_lock_files_of_processes_that_died_are_swept_away(file: Path) -> None:
    def write(line: Line) -> None:
        line.say(open_store(f"sqlite:///{file}").writer())
        os.kill(os.getpid(), signal.SIGKILL)

    with Child(write) as child:
        assert child.rest() == [1]
    folder = file.with_name("records.db.writers")
    assert {path.name for path in folder.iterdir()} == {"made", "making.lock", "1.lock"}
    with opened(f"sqlite:///{file}") as store:
        assert store.is_gone(1)
        assert store.writer() == 2
        assert {path.name for path in folder.iterdir()} == {"made", "making.lock", "2.lock"}
        assert store.is_gone(1)


# -- PostgreSQL --------------------------------------------------------------------------------------------------------

END_ALL = """
SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND application_name = current_setting('application_name')
"""
"""Ends the connections of one test: others use the same server at the same time."""


def test_a_server_that_ends_connections_is_connected_to_again(server: str) -> None:
    with opened(server) as store, opened(server) as other:
        store.log.begin(ROW, [EVENT])
        number = store.writer()
        for work in (
            lambda: store.log.write("turn-1", [EVENT]),
            lambda: store.documents("task").put({"id": "a"}),
            store.log.rows,
            lambda: store.log.begin({**ROW, "id": "turn-2"}),
        ):
            ended = run_sql(server, END_ALL)[0][0]
            assert isinstance(ended, int)
            assert ended >= 1
            assert not store.is_gone(number), "nobody takes oneself for gone"
            work()
        assert not other.is_gone(number), "it became known again with its next turn"
        assert other.log.unfinished() == []
        store.log.finish("turn-1", [EVENT], ENDED, {})
        assert [len(written) for _, written in other.log.events()] == [3, 0]


def test_a_change_whose_connection_is_lost_is_made_again_and_once(server: str) -> None:
    asked = []

    def count(row: Row) -> Row:
        asked.append(row)
        if len(asked) == 1:
            run_sql(server, END_ALL)
        return {**row, "count": int(str(row["count"])) + 1}

    with opened(server) as store:
        store.documents("task").put({"id": "a", "count": 1})
        assert store.documents("task").change("a", count) == {"id": "a", "count": 2}
        assert store.documents("task").find() == [{"id": "a", "count": 2}]
        assert asked == [{"id": "a", "count": 1}] * 2


def test_a_connection_lost_while_committing_is_an_error(server: str) -> None:
    at_the_end = """
        CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$
    """
    late = (
        "CREATE CONSTRAINT TRIGGER late AFTER UPDATE ON lango_tasks DEFERRABLE INITIALLY DEFERRED "
        "FOR EACH ROW EXECUTE FUNCTION leave()"
    )
    with opened(server) as store:
        store.documents("task").put({"id": "a", "count": 1})
        run_sql(server, at_the_end, late)
        asked: list[Row] = []

        def note(row: Row) -> Row:
            asked.append(row)
            return row

        message = refused(lambda: store.documents("task").change("a", note))
        assert store.where in message
        assert len(asked) == 1, "nobody knows whether it was committed, so it is not done again"


@pytest.mark.parametrize("state", ["40P01", "40001"])
def test_a_transaction_that_stood_in_the_way_is_begun_again(server: str, state: str) -> None:
    attempts: list[int] = []

    def work(transaction: Transaction) -> int:
        attempts.append(len(attempts))
        transaction.change("UPDATE lango_meta SET value = value + 1 WHERE name = 'turns'")
        if len(attempts) < 3:
            transaction.change(f"DO $$ BEGIN RAISE EXCEPTION 'in the way' USING ERRCODE = '{state}'; END $$")
        [(value,)] = transaction.rows("SELECT value FROM lango_meta WHERE name = 'turns'")
        return int(value)

    with opened(server) as store:
        play(store)
        assert store.database.write(work) == 1
        assert attempts == [0, 1, 2]


def test_two_who_put_the_same_rows_in_different_orders_both_succeed(server: str) -> None:
    quick = server.replace("options=", "options=-cdeadlock_timeout%3D5ms%20")
    rows: list[Row] = [{"id": f"t{number}"} for number in range(200)]
    with opened(quick) as one, opened(quick) as other:
        for _ in range(3):
            at_once(lambda: one.documents("task").put(*rows), lambda: other.documents("task").put(*rows[::-1]))
        assert len(one.documents("task")) == 200


def test_writers_of_different_schemas_are_not_mixed_up(server: str) -> None:
    with schema() as address, opened(address) as other, opened(server) as store:
        assert (store.writer(), other.writer()) == (1, 1)
        other.close()
        with opened(address) as later:
            assert later.is_gone(1)
        assert not store.is_gone(1)
        assert store.is_gone(2)


def test_a_role_that_may_only_read_is_told_so(server: str) -> None:
    with opened(server) as store:
        play(store)
    with opened(server.replace("options=", "options=-cdefault_transaction_read_only%3Don%20")) as store:
        assert [row["id"] for row in store.log.rows()] == ["turn-1"]
        for work in (store.writer, lambda: store.log.begin(ROW), lambda: store.documents("task").put({"id": "a"})):
            assert "may only be read" in refused(work, "read_only")


def test_a_database_that_is_not_there_is_an_error(server: str) -> None:
    message = refused(lambda: open_store(server.replace("/postgres", "/nowhere")))
    assert "nowhere" in message
    assert "store.url" in message


def test_times_sort_as_texts_whatever_language_the_server_speaks(server: str) -> None:
    columns = """SELECT column_name, collation_name FROM information_schema.columns
        WHERE table_schema = current_schema() AND column_name IN ('started_at', 'id', 'name', 'session_id')"""
    with opened(server) as store:
        play(store)
    assert {collation for _, collation in run_sql(server, columns)} == {"C"}


def test_a_missing_server_fails_in_ci_and_is_skipped_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LANGO_TEST_POSTGRESQL", raising=False)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="may not skip"):
        need_postgresql()
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="LANGO_TEST_POSTGRESQL"):
        need_postgresql()


def test_a_problem_is_noted_once(address: str) -> None:
    with opened(address) as store:
        play(store)
        spoil(address, "UPDATE {turns} SET data = ''")
        assert store.log.rows() == store.log.rows() == []
        assert store.problems == [Problem("damaged", "turns", "1 is not what was written; it is left out", NEXT_STEP)]


def test_a_page_that_stands_in_the_place_of_another_shows_no_event_twice(file: Path) -> None:
    with opened(f"sqlite:///{file}") as store:
        for number in range(200):
            play(store, f"turn-{number}")
        whole = [written for _, written in store.log.events()]
    data = file.read_bytes()
    pages = [data[start : start + 4096] for start in range(0, len(data), 4096)]
    leaves = [place for place, page in enumerate(pages) if page[0] == 10 and page.count(b"text") > 20]
    assert len(leaves) > 3
    for one, other in zip(leaves[::3], leaves[1::3], strict=False):
        pages[other] = pages[one]
    file.write_bytes(b"".join(pages))
    with opened(f"sqlite:///{file}") as store:
        assert store.check()
        refused(lambda: store.log.tables({"events": None}), "damaged")
        for row, written in store.log.events():
            assert [event for event in written if event not in whole[int(str(row["number"])) - 1]] == []
            assert len(written) <= 2


@pytest.fixture
def left(file: Path) -> Path:
    """A database whose process was killed: most of what it wrote is in the log."""

    def write(line: Line) -> None:
        store = open_store(f"sqlite:///{file}")
        for number in range(20):
            play(store, f"turn-{number}")
        line.say("done")
        os.kill(os.getpid(), signal.SIGKILL)

    with Child(write) as child:
        assert child.hear() == "done"
    return file


def test_a_log_that_is_whole_is_nothing_to_tell(left: Path) -> None:
    with opened(f"sqlite:///{left}") as store:
        assert len(store.log.rows()) == 20
        assert store.problems == []


@pytest.mark.parametrize("written", [24, 100, 24 + 4095])
def test_a_last_frame_that_was_not_written_to_its_end_is_no_damage(left: Path, written: int) -> None:
    log = left.with_name("records.db-wal")
    data = log.read_bytes()
    log.write_bytes(data + data[-(24 + 4096) :][:written])  # killed while it ended the next transaction
    with opened(f"sqlite:///{left}") as store:
        assert len(store.log.rows()) == 20
        assert store.problems == []


@pytest.mark.parametrize(
    "change", ["a byte in the middle", "a page is gone", "its head", "zeros", "another file", "four bytes"]
)
def test_a_log_with_turns_behind_damage_says_so_and_is_put_aside(left: Path, change: str) -> None:
    log = left.with_name("records.db-wal")
    data = log.read_bytes()
    half = len(data) // 2
    log.write_bytes(
        {
            "a byte in the middle": data[:half] + bytes([data[half] ^ 1]) + data[half + 1 :],
            "a page is gone": data[:half] + data[half + 4096 :],
            "its head": bytes([data[20] ^ 1]) + data[1:],
            "zeros": b"\0" * len(data),
            "another file": b"Dear diary, " * 9000,
            "four bytes": b"PK\x03\x04",
        }[change]
    )
    damaged = log.read_bytes()
    with opened(f"sqlite:///{left}") as store:
        assert len(store.log.rows()) < 20
        (problem,) = store.problems
        assert (problem.code, problem.where) == ("missing", "records.db-wal")
        play(store, "one more")
    assert left.with_name("records.db-wal.damaged").read_bytes() == damaged


def test_a_log_without_its_database_says_so_and_is_put_aside(left: Path) -> None:
    left.unlink()
    log = left.with_name("records.db-wal").read_bytes()
    with opened(f"sqlite:///{left}") as store:
        assert "its log is there" in store.problems[0].detail
        play(store, "one more")
        assert len(store.log.rows()) == 1
    assert left.with_name("records.db-wal.left-1").read_bytes() == log


def test_an_empty_database_with_a_log_is_refused_and_the_log_stays(left: Path) -> None:
    left.write_bytes(b"")
    log = left.with_name("records.db-wal").read_bytes()
    assert "its log is there" in refused(lambda: open_store(f"sqlite:///{left}"), "damaged")
    assert left.with_name("records.db-wal").read_bytes() == log


def test_a_database_that_was_there_and_is_gone_is_told(tmp_path: Path) -> None:
    file = tmp_path / "records.db"
    address = f"sqlite:///{file}"
    with opened(address) as store:
        assert store.problems == []
        play(store)
    file.unlink()
    with opened(address) as store:
        assert [(problem.where, problem.detail) for problem in store.problems] == [
            ("records.db", "records.db is gone, and there were records in it")
        ]
        play(store)
    with opened(address) as store:
        assert store.problems == []
        assert [row["id"] for row in store.log.rows()] == ["turn-1"]
