"""Every store keeps the contract of ``lango_nb.testing``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from lango_nb.stores.sql import SqlStore, memory_store
from lango_nb.stores.store import Store
from lango_nb.testing import StoreContract
from lango_nb.testing.stores.lasting import LastingContract
from lango_nb.testing.stores.sharing import SharingContract
from lango_nb.testing.stores.turns import TurnsContract
from tests.postgresql import VARIABLE, need_postgresql, run_sql
from tests.stores import change_sqlite, drop_schema, full, postgresql_store, protected, schema_of, sqlite_store

NEWER = "meta SET value = value + 1 WHERE name = 'schema'"
DAMAGED = {"tasks": "title = replace(title, '{}', '!')", "events": "text = replace(text, '{}', '!')"}


class TestMemoryStore(StoreContract):
    is_durable = False
    processes = False

    def make(self, place: Path) -> SqlStore:
        return memory_store()


class OfSqlite:
    """What can be done to a file of SQLite."""

    fill = staticmethod(full)
    protect = staticmethod(protected)

    def make(self, place: Path) -> SqlStore:
        return sqlite_store(place)

    def make_impatient(self, place: Path) -> SqlStore:
        return sqlite_store(place, lock_timeout_s=0.2)

    def make_newer(self, place: Path) -> None:
        change_sqlite(place, f"UPDATE {NEWER}")

    def damage(self, place: Path, text: str) -> None:
        for table, change in DAMAGED.items():
            change_sqlite(place, f"UPDATE {table} SET {change.format(text)}")

    def lose(self, place: Path) -> None:
        for path in place.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()


class TestSqliteStore(OfSqlite, StoreContract):
    pass


class TestSqliteStoreThatForcesNothing(OfSqlite, TurnsContract, SharingContract, LastingContract):
    def make(self, place: Path) -> SqlStore:
        return sqlite_store(place, "none")


class TestSqliteStoreThatForcesEvents(OfSqlite, TurnsContract):
    def make(self, place: Path) -> SqlStore:
        return sqlite_store(place, "event")


class TestPostgresqlStore(StoreContract):
    __test__ = VARIABLE in os.environ  # one test says that it was left out, not each of them

    def make(self, place: Path) -> SqlStore:
        return postgresql_store(place)

    def make_impatient(self, place: Path) -> SqlStore:
        return postgresql_store(place, lock_timeout_s=0.2)

    def discard(self, place: Path) -> None:
        drop_schema(place)

    def make_newer(self, place: Path) -> None:
        run_sql(need_postgresql(), f"UPDATE {schema_of(place)}.lango_{NEWER}")

    def damage(self, place: Path, text: str) -> None:
        for table, change in DAMAGED.items():
            run_sql(need_postgresql(), f"UPDATE {schema_of(place)}.lango_{table} SET {change.format(text)}")


def test_postgresql_keeps_the_contract() -> None:
    need_postgresql()
    assert TestPostgresqlStore.__test__


def all_tests(store: type) -> set[str]:
    """Return the names of the tests pytest finds in a class."""
    return {name for name in dir(store) if name.startswith("test") and callable(getattr(store, name))}


def test_no_part_hides_a_test_of_another() -> None:
    parts = [part for part in StoreContract.__mro__ if part is not StoreContract]
    names = [name for part in parts for name in vars(part) if name.startswith("test")]
    assert [name for name in names if names.count(name) > 1] == []


def test_hooks_and_attributes_bring_tests_and_take_them_away() -> None:
    class Least(StoreContract):
        is_durable = False
        processes = False

    class Durable(Least):
        is_durable = True

    class Whole(Durable):
        processes = True

        def lose(self, place: Path) -> None:
            raise NotImplementedError

    class Choosy(Whole):
        test_nothing_is_written_outside_of_the_place = None  # type: ignore[assignment]  # as somebody writes who does not keep it
        is_durable = False

    least, durable, whole, choosy = map(all_tests, (Least, Durable, Whole, Choosy))
    assert least < durable < whole
    assert "test_everything_is_as_it_was" in durable - least
    assert "test_what_was_acknowledged_survives_a_kill" in whole - durable
    assert "test_what_is_written_to_files_taken_away_is_an_error_or_kept" in whole - durable
    assert "test_a_damaged_event_is_reported_and_no_other_is_lost" not in whole
    assert choosy == least - {"test_nothing_is_written_outside_of_the_place"}


STRANGER = """
from pathlib import Path
from lango_nb.stores.documents import DocumentTable
from lango_nb.stores.sql import SqlStore
from lango_nb.stores.sqlite import SqliteDatabase
from lango_nb.testing import StoreContract

class Miscounting(DocumentTable):
    def remove(self, *keys):
        super().remove(*keys)
        return len(keys)

class Mine(SqlStore):
    def documents(self, kind):
        with self._making:
            return self._documents.setdefault(kind, Miscounting(self.database, self._reader, kind))

class TestMine(StoreContract):
    is_durable = False
    processes = False
    def make(self, place: Path) -> Mine:
        return Mine(SqliteDatabase(None))
"""


def test_somebody_with_a_store_of_their_own_can_run_it(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(STRANGER)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "rows or remove", "test_mine.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    failed = {line.split("::")[-1].split(" ")[0] for line in done.stdout.splitlines() if line.startswith("FAILED")}
    assert failed == {
        "test_removed_rows_are_gone_and_counted_once",
        "test_ten_thousand_rows_and_forty_thousand_ids",
        "test_a_row_that_many_remove_is_counted_once",
    }, done.stdout
    assert "E       assert 39998 == 9998" in done.stdout, "assertions tell their values"


def test_the_contract_needs_no_pytest() -> None:
    code = """
import sys
from pathlib import Path
sys.modules["pytest"] = None
from lango_nb.testing import StoreContract
from lango_nb.stores.sql import memory_store
class Mine(StoreContract):
    is_durable = processes = False
    def make(self, place):
        return memory_store()
mine = Mine()
mine.setup_method()
mine.test_what_was_put_can_be_got(Path())
mine.teardown_method()
print(sorted(name for name in sys.modules if name.partition(".")[0] in {"hypothesis", "psycopg", "tinydb"}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "[]\n", done.stderr


def test_a_store_of_each_kind_is_a_store(tmp_path: Path) -> None:
    stores: list[Store] = [memory_store(), sqlite_store(tmp_path)]
    assert [store.name for store in stores] == ["memory", "sqlite"]
    for store in stores:
        store.close()
