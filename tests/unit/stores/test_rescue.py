"""What can be read of a damaged file is copied into a new one, and nothing else is."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.errors import LangoError, StoreError
from lango_nb.lab import Lab
from lango_nb.stores.opening import file_of, open_store
from lango_nb.stores.rescue import rescue
from lango_nb.stores.sql import SqlStore
from lango_nb.testing.stores.samples import play, task

TURNS = 80
PAGE = 4096
Kept = dict[str, dict[str, Any]]


def kept(store: SqlStore) -> Kept:
    turns = {str(turn.row["id"]): (turn.row, turn.events, turn.body) for turn in store.log.scan()}
    return {"turns": turns, "tasks": {str(row["id"]): row for row in store.documents("task").find()}}


def read(path: Path) -> Kept:
    with closing(open_store(f"sqlite:///{path}")) as store:
        return kept(store)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    with closing(open_store(f"sqlite:///{tmp_path}/records.db")) as store:
        for number in range(TURNS):
            play(store.log, f"turn-{number}", ("main", "other")[number % 2])
            store.documents("task").put(task(f"task-{number}", "x" * 300))
    return tmp_path / "records.db"


def pages_of(file: Path, table: str) -> list[int]:
    """Return the pages a table's rows lie in, by looking for what stands in them."""
    with closing(sqlite3.connect(file)) as connection:
        found = connection.execute("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'", (table,))
        return [page - 1 for (page,) in found]


def overwrite(file: Path, page: int, data: bytes) -> None:
    with file.open("r+b") as target:
        target.seek(page * PAGE)
        target.write(data)


def test_of_a_sound_file_it_is_a_copy(file: Path, tmp_path: Path) -> None:
    before = file.read_bytes()
    copied = rescue(file, tmp_path / "new" / "copy.db")
    assert copied["turns"] == copied["tasks"] == TURNS
    assert read(tmp_path / "new" / "copy.db") == read(file)
    assert file.read_bytes() == before
    assert [path.name for path in (tmp_path / "new").iterdir() if path.suffix == ".db"] == ["copy.db"]
    with closing(open_store(f"sqlite:///{tmp_path}/new/copy.db")) as store:
        assert store.check() == []
        assert store.log.begin({"id": "next", "session_id": "main"}) == TURNS + 1


def test_all_but_a_page_in_the_middle_is_there(file: Path, tmp_path: Path) -> None:
    whole = read(file)
    with closing(sqlite3.connect(file)) as connection:
        try:
            connection.execute("SELECT count(*) FROM dbstat")
        except sqlite3.OperationalError:
            pytest.skip("this SQLite cannot tell which pages a table has")
    pages = pages_of(file, "tasks")
    assert len(pages) > 4
    overwrite(file, pages[len(pages) // 2], b"\xff" * PAGE)
    rescue(file, tmp_path / "copy.db")
    found = read(tmp_path / "copy.db")
    assert found["turns"] == whole["turns"]
    assert found["tasks"].items() <= whole["tasks"].items()
    assert TURNS > len(found["tasks"]) > TURNS - PAGE // 300


@pytest.mark.parametrize("share", [0.75, 0.95])
def test_of_a_file_that_was_cut_what_is_left_is_there(file: Path, tmp_path: Path, share: float) -> None:
    whole, data = read(file), file.read_bytes()
    file.write_bytes(data[: int(len(data) * share)])
    rescue(file, tmp_path / "copy.db")
    found = read(tmp_path / "copy.db")
    assert found["tasks"].items() <= whole["tasks"].items()
    assert found["turns"].keys() <= whole["turns"].keys()
    assert found["tasks"] or found["turns"]


@pytest.mark.parametrize("seed", [0, 1, 11, 13])
def test_texts_that_are_none_any_more_are_passed_over(file: Path, tmp_path: Path, seed: int) -> None:
    whole, choose = read(file), random.Random(seed)
    data = bytearray(file.read_bytes())
    for _ in range(60):
        data[choose.randrange(PAGE, len(data))] ^= 0xFF
    file.write_bytes(data)
    rescue(file, tmp_path / "copy.db")
    found = read(tmp_path / "copy.db")
    assert found["tasks"]
    assert found["tasks"].items() <= whole["tasks"].items()


@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_damaged_what_can_be_read_is_in_the_copy_and_nothing_that_was_not_written(
    file: Path, tmp_path: Path, seed: int
) -> None:
    whole, choose = read(file), random.Random(seed)
    data = file.read_bytes()
    for _ in range(choose.choice((1, 3, 8))):
        page = choose.randrange(1, len(data) // PAGE)
        size = choose.choice((1, 50, PAGE))
        start = page * PAGE + choose.randrange(PAGE - size + 1)
        data = data[:start] + choose.randbytes(size) + data[start + size :]
    file.write_bytes(data)
    try:
        readable: Kept | None = read(file)
    except StoreError:
        readable = None
    try:
        rescue(file, tmp_path / "copy.db")
    except StoreError:
        assert readable is None
        return
    found = read(tmp_path / "copy.db")
    assert found["tasks"].items() <= whole["tasks"].items()
    for key, (row, events, body) in found["turns"].items():
        assert row == whole["turns"][key][0]
        assert [event for event in events if event not in whole["turns"][key][1]] == []
        assert body.keys() <= whole["turns"][key][2].keys()
    if readable is not None:
        assert readable["tasks"].items() <= found["tasks"].items()
        for key, turn in readable["turns"].items():
            assert turn == found["turns"][key]


def test_what_is_in_the_log_only_is_copied_too(file: Path, tmp_path: Path) -> None:
    with closing(open_store(f"sqlite:///{file}")) as store:
        store.documents("task").put(task("late"))
        assert file.with_name("records.db-wal").stat().st_size > 0
        copied = rescue(file, tmp_path / "copy.db")
    assert copied["tasks"] == TURNS + 1


def test_it_never_writes_over_a_file(file: Path, tmp_path: Path) -> None:
    (tmp_path / "copy.db").write_text("mine")
    with pytest.raises(StoreError, match="is there already"):
        rescue(file, tmp_path / "copy.db")
    assert (tmp_path / "copy.db").read_text() == "mine"


@pytest.mark.parametrize("content", [b"", b"Dear diary, " * 999])
def test_of_what_is_no_database_nothing_is_made(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "records.db").write_bytes(content)
    with pytest.raises(StoreError, match="nothing can be read"):
        rescue(tmp_path / "records.db", tmp_path / "copy.db")
    with pytest.raises(StoreError):
        rescue(tmp_path / "missing.db", tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


def test_what_a_newer_version_wrote_is_refused(file: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE meta SET value = value + 1 WHERE name = 'schema'")
    with pytest.raises(StoreError, match="newer lango_nb"):
        rescue(file, tmp_path / "copy.db")


def test_a_lab_copies_its_own_records(tmp_path: Path) -> None:
    with closing(Lab("solo", home=tmp_path / "home", workspace=tmp_path)) as lab:
        lab.ask("hello")
        first = next(iter(lab.doctor(rescue=tmp_path / "copy.db").record))
        assert (first.check, first.status) == ("rescue", "ok")
        assert "1 turns" in first.text
    assert len(read(tmp_path / "copy.db")["turns"]) == 1


@pytest.mark.parametrize("url", ["", "memory", "postgresql://h/n"])
def test_records_that_lie_in_no_file_cannot_be_copied(url: str) -> None:
    with pytest.raises(LangoError, match="lie in no file"):
        file_of(url)


def test_a_store_that_is_open_keeps_its_locks(file: Path, tmp_path: Path) -> None:
    code = f"import sqlite3; c = sqlite3.connect({str(file)!r}); c.execute('SELECT * FROM meta').fetchall(); c.close()"
    with closing(open_store(f"sqlite:///{file}")) as store:
        store.documents("task").put(task("early"))
        rescue(file, tmp_path / "copy.db")
        subprocess.run([sys.executable, "-c", code], check=True)
        assert file.with_name("records.db-wal").exists(), "the other process does not take itself for the last"
        store.documents("task").put(task("late"))
    assert {"early", "late"} <= read(file)["tasks"].keys()
