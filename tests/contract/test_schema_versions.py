"""Records of every earlier version are read; those of a later one are refused, never half-read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from lango_nb.core.errors import StoreError
from lango_nb.engine import Engine
from lango_nb.lab import Lab
from lango_nb.stores import database
from lango_nb.stores.dialect import Dialect, Transaction
from lango_nb.stores.migrations import FIRST_SCHEMA, MIGRATIONS, TABLES_OF
from lango_nb.stores.opening import open_store
from lango_nb.stores.postgresql import POSTGRESQL
from lango_nb.stores.rescue import rescue
from lango_nb.stores.schema import SCHEMA
from tests.data.stores.make import HERE, REQUESTS
from tests.postgresql import run_sql, schema
from tests.stores import protected

VERSIONS = range(FIRST_SCHEMA, SCHEMA + 1)


def _records(version: int, place: Path) -> Path:
    with closing(sqlite3.connect(place / "records.db")) as connection:
        connection.executescript((HERE / f"schema-{version}.sql").read_text(encoding="utf-8"))
    return place / "records.db"


@pytest.mark.parametrize("version", VERSIONS)
def test_records_of_every_version_are_read(tmp_path: Path, version: int) -> None:
    engine = Engine(store=f"sqlite:///{_records(version, tmp_path)}", workspace=tmp_path)
    assert engine.store.problems == []
    assert [turn.text for turn in engine.traces.turns()] == list(REQUESTS)
    assert [turn.outcome for turn in engine.traces.turns()] == ["success"] * 3
    read = engine.traces.get(2)
    assert read.turn.answer == "notes.md has 2 lines."
    assert [event.kind for event in read.events][-1] == "turn.finished"
    assert [run.status for run in engine.runs.list()] == ["completed"]
    assert read.decisions[0].route.chosen == "operator"
    assert [task.title for task in engine.tasks.list()] == ["water the basil"]
    assert [memory.content for memory in engine.memories.search("operator")] == ["Short answers."]
    assert {message.author for message in engine.session().messages} >= {"user", "lango-orchestrator"}
    assert engine.run_sync("hello").turn.number == 4
    assert engine.store.check() == []
    engine.close()


@pytest.mark.parametrize("version", VERSIONS)
def test_records_of_every_version_are_listed_and_shown(tmp_path: Path, version: int) -> None:
    _records(version, tmp_path)
    with closing(Lab(home=tmp_path, workspace=tmp_path)) as lab:
        assert [turn.number for turn in lab.turns] == [1, 2, 3]
        assert "notes.md has 2 lines." in lab.trace(2).text
        for noun in ("turns", "events", "messages", "decisions", "runs"):
            assert len(lab.history.frame(noun)) > 0, noun


def test_what_is_lost_of_an_older_version_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    file = _records(2, tmp_path)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE messages SET content = 'never said' WHERE turn = 2 AND position = 1")
        connection.execute("DELETE FROM history WHERE turn = 3")
    with closing(open_store(f"sqlite:///{file}")) as store:
        turns = list(store.log.scan())
        lost = [turn.lost for turn in turns]
        assert [len(one) for one in lost] == [0, 1, 1]
        assert (lost[1][0].startswith("1 of its "), lost[2][0].endswith(" history")) == (True, True)
        assert "never said" not in str(turns)
        assert [number for number, text in store.log.histories([1, 2, 3]) if text != "[]"] == [1, 2]


def test_an_older_version_on_a_server_becomes_the_same(tmp_path: Path) -> None:
    file = _records(2, tmp_path)
    with schema() as address, closing(sqlite3.connect(file)) as connection:
        statements = list(POSTGRESQL.definitions(TABLES_OF[2], 2))
        for table in TABLES_OF[2]:
            cursor = connection.execute(f"SELECT * FROM {table.name}")
            columns = ", ".join(f'"{name}"' for name, *_ in cursor.description)
            end = "ON CONFLICT (name) DO UPDATE SET value = excluded.value" if table.name == "meta" else ""
            for row in cursor:
                values = ", ".join("NULL" if value is None else literal(value) for value in row)
                statements.append(f"INSERT INTO lango_{table.name} ({columns}) VALUES ({values}) {end}")
        run_sql(address, *statements)
        with closing(open_store(address)) as server, closing(open_store(f"sqlite:///{file}")) as other:
            assert list(server.log.scan()) == list(other.log.scan())
            assert server.check() == []
        for noun in ("messages", "decisions", "candidates", "steps"):
            counted = f"SELECT count(*) FROM {noun}"
            assert run_sql(address, counted.replace(noun, f"lango_{noun}")) == connection.execute(counted).fetchall()


def test_what_can_be_read_of_an_older_version_is_rescued_into_the_present_one(tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    whole, copied = tmp_path / "copy" / "records.db", tmp_path / "rescued.db"
    whole.write_bytes(_records(2, tmp_path).read_bytes())
    rescue(tmp_path / "records.db", copied)
    with closing(open_store(f"sqlite:///{copied}")) as store, closing(open_store(f"sqlite:///{whole}")) as other:
        assert list(store.log.scan()) == list(other.log.scan())
        assert len(list(store.log.scan())) == len(REQUESTS)
        assert store.check() == []


def test_an_older_version_that_may_only_be_read_says_what_to_do(tmp_path: Path) -> None:
    place = tmp_path / "home"
    place.mkdir()
    file = _records(2, place)
    before = file.read_bytes()
    with protected(place), pytest.raises(StoreError) as refused:
        open_store(f"sqlite:///{file}")
    assert str(refused.value).endswith(
        "records.db was written by an earlier lango_nb (schema 2) and may only be read here; open it once where it may "
        "be written, or open a copy"
    )
    assert (refused.value.code, file.read_bytes()) == ("read_only", before)
    copy = tmp_path / "copy.db"
    copy.write_bytes(before)
    with closing(open_store(f"sqlite:///{copy}")) as store:
        assert len(list(store.log.scan())) == len(REQUESTS)


def literal(value: object) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def test_a_later_version_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    file = _records(SCHEMA, tmp_path)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE meta SET value = value + 1 WHERE name = 'schema'")
    before = file.read_bytes()
    with pytest.raises(StoreError, match="newer lango_nb"):
        Engine(store=f"sqlite:///{file}", workspace=tmp_path)
    assert file.read_bytes() == before


def test_every_version_has_its_records() -> None:
    assert sorted(path.name for path in HERE.glob("schema-*")) == [f"schema-{version}.sql" for version in VERSIONS]
    assert sorted(MIGRATIONS) == list(VERSIONS)[1:]


class TestMigrating:
    """A made-up later version, in which tasks have an owner and there is one more of everything."""

    @pytest.fixture(params=["sqlite", "postgresql"])
    def address(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
        if request.param == "sqlite":
            yield f"sqlite:///{tmp_path}/records.db"
            return
        with schema() as address:
            yield address

    @pytest.fixture
    def later(self, address: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        with closing(open_store(address)) as store:
            store.documents("task").put({"id": "task-1", "title": "Water the basil"})
        did: list[str] = []

        def add_owner(transaction: Transaction, dialect: Dialect) -> None:
            did.append("owner")
            table = dialect.named("tasks")
            transaction.change(f"ALTER TABLE {table} ADD COLUMN owner {dialect.types['name']}")
            transaction.change(f"UPDATE {table} SET owner = 'nobody'")

        monkeypatch.setattr(database, "SCHEMA", SCHEMA + 1)
        monkeypatch.setitem(MIGRATIONS, SCHEMA + 1, add_owner)
        return did

    def ask(self, address: str, statement: str) -> list[tuple[object, ...]]:
        if address.startswith("sqlite"):
            with closing(sqlite3.connect(address.removeprefix("sqlite:///"))) as connection:
                return connection.execute(statement.format(prefix="")).fetchall()
        return run_sql(address, statement.format(prefix="lango_"))

    def test_older_tables_are_changed_in_place_once_and_keep_their_rows(self, address: str, later: list[str]) -> None:
        for _ in range(2):
            with closing(open_store(address)) as store:
                assert store.documents("task").find() == [{"id": "task-1", "title": "Water the basil"}]
                assert store.check() == []
        assert later == ["owner"]
        assert self.ask(address, "SELECT owner FROM {prefix}tasks") == [("nobody",)]
        assert self.ask(address, "SELECT value FROM {prefix}meta WHERE name = 'schema'") == [(SCHEMA + 1,)]

    def test_one_that_fails_changes_nothing(
        self, address: str, later: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole = MIGRATIONS[SCHEMA + 1]

        def fail(transaction: Transaction, dialect: Dialect) -> None:
            whole(transaction, dialect)
            transaction.change("SELECT nothing FROM nowhere")

        monkeypatch.setitem(MIGRATIONS, SCHEMA + 1, fail)
        with pytest.raises(StoreError):
            open_store(address)
        assert self.ask(address, "SELECT value FROM {prefix}meta WHERE name = 'schema'") == [(SCHEMA,)]
        monkeypatch.setitem(MIGRATIONS, SCHEMA + 1, whole)
        open_store(address).close()
        assert self.ask(address, "SELECT owner FROM {prefix}tasks") == [("nobody",)]
        assert later == ["owner"] * 2

    def test_what_was_written_before_the_first_schema_is_refused(self, address: str) -> None:
        with closing(open_store(address)) as store:
            store.documents("task").put({"id": "task-1"})
            statement = store.database.spelled("UPDATE {meta} SET value = 1 WHERE name = 'schema'")
            store.database.write(lambda transaction: transaction.change(statement))
        with pytest.raises(StoreError, match="records of an earlier lango_nb") as caught:
            open_store(address)
        assert caught.value.code == "older_schema"


@pytest.mark.parametrize("name", ["documents.jsonl", "events", "records"])
def test_one_line_says_that_earlier_records_are_there_and_not_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    (tmp_path / name).mkdir()
    with closing(Lab(home=tmp_path, workspace=tmp_path)) as lab:
        assert list(lab.turns) == []
        lab.ask("hello")
    (record,) = [record for record in caplog.records if "earlier lango_nb" in record.getMessage()]
    assert "does not read; new ones go into records.db" in record.getMessage()
    caplog.clear()
    with closing(Lab(home=tmp_path, workspace=tmp_path)) as lab:
        assert len(lab.turns) == 1
    assert not caplog.records
