"""What is special to stores in databases; what every store promises is in ``tests/contract/test_stores.py``."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

import pytest
from sqlalchemy import event as events_of

from lango_nb.core.errors import StoreError
from lango_nb.stores import sql
from lango_nb.stores.database.tables import Connection
from lango_nb.stores.database.texts import to_text
from lango_nb.stores.opening import open_store
from lango_nb.stores.sql import SqlStore
from lango_nb.stores.store import Durability, Problem, Row, Store, TurnQuery
from lango_nb.testing.stores.checks import at_once
from lango_nb.testing.stores.children import Child, Line
from tests.postgresql import need_postgresql, run_sql, schema

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
    with schema() as address:
        yield address


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "records.db"


@contextmanager
def opened(address: str, **options: Any) -> Iterator[SqlStore]:
    store = SqlStore(address, **options)
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
    """Write into the tables as somebody else would."""
    if not address.startswith("sqlite"):
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
    assert "sqlite:///FILE" in refused(lambda: SqlStore(wrong))


@pytest.mark.parametrize("wrong", ["mysql://u@h/n", "postgresql+psycopg2://u@h/n", "sqlite+aiosqlite:///x.db"])
def test_other_databases_are_refused_by_name(wrong: str) -> None:
    message = refused(lambda: SqlStore(wrong))
    assert wrong.partition(":")[0] in message
    assert "postgresql://USER@HOST/NAME" in message


@pytest.mark.parametrize("wrong", [f"postgresql:{PASSWORD}", f"postgresql://u:{PASSWORD}@h:port/n", PASSWORD, ""])
def test_what_is_no_address_is_refused_and_not_repeated(wrong: str) -> None:
    message = refused(lambda: SqlStore(wrong))
    assert PASSWORD not in message
    assert "sqlite:///FILE" in message


def test_the_home_folder_is_written_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with opened("sqlite:///~/deep/records.db") as store:
        store.documents("task").put({"id": "a"})
        assert store.where == "sqlite:///~/deep/records.db"
    assert (tmp_path / "deep" / "records.db").is_file()


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
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
        "postgresql://ann:s3cret%2Frose@127.0.0.1:1/records?unknown=1",
        "postgresql://ann:s3cret%2Frose@127.0.0.1:1/records?sslmode=s3cret%2Frose",
    ],
)
def test_no_error_shows_a_password(url: str) -> None:
    with pytest.raises(StoreError, match=r"ann.*127\.0\.0\.1") as caught:
        SqlStore(url)
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


@pytest.mark.parametrize(
    ("module", "url", "library"),
    [("sqlalchemy.engine", "sqlite:///x.db", "SQLAlchemy"), ("psycopg", "postgresql://h/n", "psycopg")],
)
def test_a_missing_extra_is_one_sentence(monkeypatch: pytest.MonkeyPatch, module: str, url: str, library: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    message = refused(lambda: SqlStore(url), "missing_extra")
    assert library in message
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
        assert store.log.count() == store.log.version("main") == store.log.remove(["a"]) == 0
        assert list(store.log.scan()) == []
        assert list(store.log.events()) == []
        assert store.log.read("turn-1") is None
        store.sync()
    assert list(tmp_path.iterdir()) == []
    if store.name == "postgresql":
        assert run_sql(address, "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()") == [(0,)]


def test_tables_that_many_make_at_once_are_made_once(address: str) -> None:
    stores = [SqlStore(address) for _ in range(6)]
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


def _commits(store: SqlStore) -> list[str]:
    """Return a list that grows by how each later commit of a store treats the disk."""
    said: list[str] = []
    forced = {"sqlite": {}, "postgresql": {"now": "forced"}}[store.name]

    def before(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        words = statement.split()
        if words[0] in {"PRAGMA", "SET"}:
            forced["now"] = {"FULL": "forced", "NORMAL": "loose", "OFF": "loose"}[words[-1]]

    def commit(_: object) -> None:
        said.append(forced["now"])
        if store.name == "postgresql":
            forced["now"] = "forced"

    events_of.listen(store._database._engine, "before_cursor_execute", before)
    events_of.listen(store._database._engine, "commit", commit)
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
        began = "forced" if durability == "event" or store.name == "postgresql" else "loose"
        wrote = "forced" if durability == "event" else "loose"
        expected = ["forced", "loose", began, wrote, "forced", "forced"]
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


def test_a_turn_whose_body_fails_stays_open(address: str) -> None:
    def fail() -> Row:
        raise KeyError("no body")

    with opened(address) as store:
        store.log.begin(ROW, [EVENT])
        with pytest.raises(KeyError, match="no body"):
            store.log.finish("turn-1", [EVENT], ENDED, fail)
        (found,) = store.log.scan()
        assert (found.row["outcome"], len(found.events), found.body) == ("running", 1, {})
        store.log.finish("turn-1", [EVENT], ENDED, {})


@pytest.mark.parametrize("is_loose", [True, False])
def test_closing_says_what_may_be_lost(file: Path, caplog: pytest.LogCaptureFixture, is_loose: bool) -> None:
    store = SqlStore(f"sqlite:///{file}")
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
            store.documents(name).put({"id": name, "is": key})
        for query in (
            TurnQuery(session=odd),
            TurnQuery(agent=odd),
            TurnQuery(tool=odd),
            TurnQuery(outcomes=(odd,)),
            TurnQuery(ids=["odd", odd]),
        ):
            assert [row["id"] for row in store.log.rows(query)] == ["odd"]
            assert store.log.count(query) == 1
        assert store.documents(odd).find() == [{"id": odd, "is": "odd"}]
        assert store.documents(odd).find({"id": odd}) == [{"id": odd, "is": "odd"}]
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


@pytest.mark.parametrize("text", ["no JSON", "[1]", '{"a":1},{"b":2}', "{ ", ""])
def test_what_somebody_else_spoiled_is_named_and_left_out(address: str, text: str) -> None:
    with opened(address) as store:
        for key in ("turn-1", "turn-2", "turn-3"):
            play(store, key)
            store.documents("task").put({"id": key})
        spoil(
            address,
            f"UPDATE lango_documents SET data = '{text}' WHERE id = 'turn-2'",
            f"UPDATE lango_turns SET data = '{text}' WHERE number = 1",
            f"UPDATE lango_events SET data = '{text}' WHERE turn = 2 AND position = 0",
            f"UPDATE lango_turn_bodies SET data = '{text}' WHERE turn = 3",
        )
        found = {(problem.code, problem.where, problem.detail) for problem in store.check()}
        assert found == {
            ("damaged", table, f"the data of {name} is no JSON; it is left out")
            for table, name in (
                ("lango_documents", "task/turn-2"),
                ("lango_turns", "turn-1"),
                ("lango_events", "2/0"),
                ("lango_turn_bodies", "3"),
            )
        }
        assert store.problems == []
        assert [row["id"] for row in store.documents("task").find()] == ["turn-1", "turn-3"]
        assert [row["id"] for row in store.log.rows()] == ["turn-2", "turn-3"]
        assert [(len(turn.events), turn.body) for turn in store.log.scan()] == [(1, {"messages": []}), (2, {})]
        assert {problem.where for problem in store.problems} == {table for _, table, _ in found}
        assert "turn-2" in refused(lambda: store.documents("task").get("turn-2"), "damaged")
        assert "turn-1" in refused(lambda: store.log.read("turn-1"), "damaged")
        assert "turn-2" in refused(lambda: store.documents("task").change("turn-2", lambda row: row), "damaged")


def test_checking_finds_what_is_gone(address: str) -> None:
    with opened(address) as store:
        for key in ("a", "b", "c"):
            play(store, key)
        spoil(address, "DELETE FROM lango_turn_bodies WHERE turn = 1", "DELETE FROM lango_events WHERE turn = 2")
        assert [(problem.code, problem.where, problem.detail) for problem in store.check()] == [
            ("missing", "lango_turn_bodies", "turn a has lost its messages"),
            ("missing", "lango_events", "turn b has lost 2 of its events"),
        ]


def test_checking_names_turns_whose_process_is_gone(address: str) -> None:
    with opened(address) as store:
        store.log.begin(ROW)
    with opened(address) as store:
        store.log.begin({**ROW, "id": "turn-2"})
        assert [(problem.code, problem.detail.split()[:2]) for problem in store.check()] == [
            ("unfinished", ["turn", "1"])
        ]


def test_checking_goes_through_more_than_a_page(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lango_nb.stores.database.checking.PAGE", 3)
    with opened(address) as store:
        for number in range(4):
            play(store, f"turn-{number}")
            store.documents("task").put({"id": f"t{number}"})
        spoil(address, "UPDATE lango_events SET data = '' WHERE position = 1", "UPDATE lango_documents SET data = ''")
        assert len(store.check()) == 8


def test_tables_of_which_nobody_knows_the_version_are_refused(address: str) -> None:
    with opened(address) as store:
        play(store)
    spoil(address, "DELETE FROM lango_meta WHERE name = 'schema'")
    assert "move it away" in refused(lambda: SqlStore(address), "damaged")


def test_whoever_upgrades_in_between_is_noticed(address: str) -> None:
    early = SqlStore(address)
    with opened(address) as store:
        play(store)
    spoil(address, "UPDATE lango_meta SET value = 3 WHERE name = 'schema'")
    for work in (early.log.rows, lambda: early.log.begin(ROW)):
        assert "schema 3" in refused(work, "newer_schema")
    early.close()


def test_tables_that_are_gone_are_missed(address: str) -> None:
    with opened(address) as store:
        play(store)
        spoil(address, "DROP TABLE lango_events")
        refused(lambda: store.log.read("turn-1"), "missing")
        refused(lambda: store.log.write("turn-1", [EVENT]), "missing")


# -- several at once ---------------------------------------------------------------------------------------------------


def test_one_look_sees_one_moment(address: str) -> None:
    counted = "SELECT count(*) FROM lango_events"

    def look(connection: Connection) -> tuple[int, int]:
        before = connection.row(counted)[0]
        other.log.write("turn-1", [EVENT])
        return before, connection.row(counted)[0]

    with opened(address) as store, opened(address) as other:
        store.log.begin(ROW, [EVENT])
        assert store._database.read(look, (0, 0)) == (1, 1)
        assert store._database.rows(counted)[0][0] == 2


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


# -- SQLite ------------------------------------------------------------------------------------------------------------


def test_a_database_file_is_for_its_owner_and_writes_ahead(file: Path) -> None:
    with opened(f"sqlite:///{file}") as store:
        play(store)
        assert file.stat().st_mode & 0o777 == 0o600
        assert {path.name for path in file.parent.iterdir()} == {
            "records.db", "records.db-shm", "records.db-wal", "records.db.writers",
        }  # fmt: skip
    assert {path.name for path in file.parent.iterdir()} == {"records.db", "records.db.writers"}
    assert [path.name for path in file.with_name("records.db.writers").iterdir()] == ["making.lock"]


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
        store._database.close()
        with opened(f"sqlite:///{file}") as other:
            assert other.documents("task").find() == [{"id": "c"}], "who closes the old file leaves the new one alone"
            assert other.check() == []
        assert away.exists()


def test_what_is_no_database_is_refused(file: Path) -> None:
    file.write_text("Dear diary, " * 100, encoding="utf-8")
    assert "records.db" in refused(lambda: SqlStore(f"sqlite:///{file}"), "damaged")
    assert file.read_text(encoding="utf-8").startswith("Dear diary")


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    refused(lambda: SqlStore(f"sqlite:///{tmp_path}"))


def test_a_damaged_file_is_found(file: Path) -> None:
    with opened(f"sqlite:///{file}") as store:
        for number in range(50):
            play(store, f"turn-{number}", answer="x" * 500)
    data = bytearray(file.read_bytes())
    for page in range(4, len(data) // 4096):
        data[page * 4096 : page * 4096 + 200] = b"?" * 200
    file.write_bytes(data)
    with opened(f"sqlite:///{file}") as store:
        assert {(problem.code, problem.where) for problem in store.check()} == {("damaged", "the database file")}
        refused(lambda: list(store.log.scan()), "damaged")


def test_a_full_database_takes_nothing_and_loses_nothing(file: Path) -> None:
    with opened(f"sqlite:///{file}") as store:
        play(store, "before")
        store.log.begin({**ROW, "id": "open"})

        def narrow(connection: Any, _: object) -> None:
            connection.execute("PRAGMA max_page_count = 40")

        engine = store._database._engine
        engine.dispose()
        events_of.listen(engine, "connect", narrow)
        large = "x" * 200_000
        assert "make room" in refused(lambda: store.documents("task").put({"id": "a", "text": large}), "full")
        refused(lambda: store.log.finish("open", [], {**ENDED, "id": "open", "answer": large}, {}), "full")
        assert [row["outcome"] for row in store.log.rows()] == ["success", "running"]
        store.log.finish("open", [], {**ENDED, "id": "open"}, {})
        assert store.check() == []


def test_the_tail_of_the_log_that_a_power_cut_tore_off_is_dropped_whole(file: Path) -> None:
    def write(line: Line) -> None:
        store = SqlStore(f"sqlite:///{file}")
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
        line.say(SqlStore(f"sqlite:///{file}").writer())
        os.kill(os.getpid(), signal.SIGKILL)

    with Child(write) as child:
        assert child.rest() == [1]
    folder = file.with_name("records.db.writers")
    assert {path.name for path in folder.iterdir()} == {"making.lock", "1.lock"}
    with opened(f"sqlite:///{file}") as store:
        assert store.is_gone(1)
        assert store.writer() == 2
        assert {path.name for path in folder.iterdir()} == {"making.lock", "2.lock"}
        assert store.is_gone(1)


# -- PostgreSQL --------------------------------------------------------------------------------------------------------

END_ALL = """
SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND application_name = 'lango_nb' AND datname = current_database()
"""


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


def test_a_body_is_asked_for_once_when_the_connection_is_lost(server: str) -> None:
    asked = []

    def body() -> Row:
        asked.append(1)
        run_sql(server, END_ALL)
        return {"messages": [len(asked)]}

    with opened(server) as store:
        store.log.begin(ROW)
        store.log.finish("turn-1", [EVENT], ENDED, body)
        (found,) = store.log.scan()
        assert (found.body, len(found.events)) == ({"messages": [1]}, 1)


def test_a_connection_lost_while_committing_is_an_error(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(server) as store:
        store.documents("task").put({"id": "a", "count": 1})
        asked = []

        def work(connection: Connection) -> None:
            asked.append(connection.change("UPDATE lango_documents SET data = :data", data=to_text({"id": "a"})))

        events_of.listen(store._database._engine, "commit", lambda _: run_sql(server, END_ALL), once=True)
        message = refused(lambda: store._database.write(work))
        assert store.where in message
        assert len(asked) == 1, "nobody knows whether it was committed, so it is not done again"


@pytest.mark.parametrize("state", ["40P01", "40001"])
def test_a_transaction_that_stood_in_the_way_is_begun_again(server: str, state: str) -> None:
    attempts: list[int] = []

    def work(connection: Connection) -> int:
        attempts.append(len(attempts))
        connection.change("UPDATE lango_meta SET value = value + 1 WHERE name = 'synced'")
        if len(attempts) < 3:
            connection.change(f"DO $$ BEGIN RAISE EXCEPTION 'in the way' USING ERRCODE = '{state}'; END $$")
        return int(connection.row("SELECT value FROM lango_meta WHERE name = 'synced'")[0])

    with opened(server) as store:
        play(store)
        assert store._database.write(work) == 1
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
    message = refused(lambda: SqlStore(server.replace("/postgres", "/nowhere")))
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
        spoil(address, "UPDATE lango_turns SET data = ''")
        assert store.log.rows() == store.log.rows() == []
        assert store.problems == [
            Problem(
                "damaged",
                "lango_turns",
                "the data of 1 is no JSON; it is left out",
                "correct it with the tools of the database, or delete it",
            )
        ]


def test_only_this_module_knows_sqlalchemy() -> None:
    assert sql.__file__ is not None
    folder = Path(sql.__file__).parent / "database"
    assert [path.name for path in folder.glob("*.py") if "import sqlalchemy" in path.read_text(encoding="utf-8")] == []
