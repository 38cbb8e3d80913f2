"""TinyDB over a journal: the same answers, one line per change, and nothing lost whatever happens to the file."""

from __future__ import annotations

import errno
import json
import logging
import multiprocessing
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import pytest
from tinydb import Query, where
from tinydb.operations import delete, increment
from tinydb.table import Document

from lango_nb.core.errors import StoreError
from lango_nb.stores import lines
from lango_nb.stores.disk import Disk
from lango_nb.stores.journal import JournalDB, JournalStorage
from lango_nb.stores.journal_rows import Rows, operations_of
from lango_nb.stores.store import Problem, Row


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "records" / "documents.jsonl"


@pytest.fixture
def problems() -> list[Problem]:
    return []


@pytest.fixture
def opened(path: Path, problems: list[Problem]) -> Iterator[Callable[..., JournalDB]]:
    """Open the file; everything that was opened is closed at the end."""
    databases = []

    def open_it(**options: Any) -> JournalDB:
        options = {"report": problems.append, "lock_timeout_s": 5.0, **options}
        databases.append(JournalDB(path, "documents", **options))
        return databases[-1]

    yield open_it
    for database in databases:
        database.close()


def texts(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def codes(problems: list[Problem]) -> list[str]:
    return [problem.code for problem in problems]


def quarantined(path: Path) -> list[bytes]:
    return [file.read_bytes() for file in sorted((path.parent / ".quarantine").glob("*"))]


def filled(opened: Callable[..., JournalDB], count: int = 5) -> JournalDB:
    database = opened()
    for number in range(1, count + 1):
        database.insert({"n": number})
    return database


def numbers(database: JournalDB) -> list[int]:
    return [document["n"] for document in database.all()]


# ---------------------------------------------------------------------------------------------- the file


def test_nothing_is_written_before_the_first_change(path: Path, opened: Callable[..., JournalDB]) -> None:
    database = opened()
    assert (len(database), database.all(), database.tables(), database.version) == (0, [], set(), None)
    assert database.documents("task").find() == []
    assert database.documents("task").remove("a", "b") == 0
    assert database.documents("task").change("a", dict) is None
    database.sync()
    assert not path.parent.exists()


def test_first_change_makes_the_file_for_its_owner_alone(path: Path, opened: Callable[..., JournalDB]) -> None:
    opened().insert({"n": 1})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.parent.parent.stat().st_mode) == 0o700


def test_every_line_is_json_with_a_checksum_and_one_change_is_one_line(
    path: Path, opened: Callable[..., JournalDB]
) -> None:
    database = opened()
    database.table("task").insert({"id": "a", "status": "todo"})
    database.table("task").insert_multiple([{"id": "b"}, {"id": "c"}])
    database.table("task").update({"status": "done"}, where("id") == "a")
    database.table("task").remove(where("id") == "b")
    header, *changes = texts(path)
    assert header["schema"] == 1
    assert header["kind"] == "documents"
    assert [change["ops"] for change in changes] == [
        [["make", "task"], ["put", "task", 1, {"id": "a", "status": "todo"}]],
        [["put", "task", 2, {"id": "b"}], ["put", "task", 3, {"id": "c"}]],
        [["put", "task", 1, {"id": "a", "status": "done"}]],
        [["remove", "task", 2]],
    ]
    assert [lines.decode(line) for line in path.read_bytes().splitlines()]


def test_change_costs_the_same_however_many_documents_there_are(path: Path, opened: Callable[..., JournalDB]) -> None:
    database = opened(durability="none")
    sizes = []
    for count in (10, 1000):
        database.insert_multiple({"n": number, "pad": "p" * 100} for number in range(count))
        before = path.stat().st_size
        database.update({"x": 1}, doc_ids=[3])
        sizes.append(path.stat().st_size - before)
        database.update({"x": 2}, doc_ids=[3])
    assert sizes[0] == sizes[1]


def test_change_that_changes_nothing_writes_nothing(path: Path, opened: Callable[..., JournalDB]) -> None:
    database = filled(opened)
    before = path.stat().st_size
    assert database.update({"n": 1}, where("n") == 1) == [1]
    assert database.update({"n": 7}, where("n") == 70) == []
    assert database.remove(where("n") == 70) == []
    assert path.stat().st_size == before
    database.update({"n": True}, doc_ids=[1])  # equal to 1, and something else
    assert path.stat().st_size > before
    assert opened().get(doc_id=1) == {"n": True}
    assert opened().all()[0]["n"] is True


def test_symlink_to_the_file_stays_one(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)
    with JournalDB(link, "documents") as database:
        database.insert({"n": 1})
        database.compact()
    assert link.is_symlink()
    assert path.is_file()


# ---------------------------------------------------------------------------------------------- like TinyDB


def test_queries_see_documents_by_table_and_number(opened: Callable[..., JournalDB]) -> None:
    database = opened()
    task = database.table("task")
    assert task.insert_multiple([{"status": "todo", "n": 1}, {"status": "done", "n": 2}]) == [1, 2]
    assert database.table("memory").insert({"status": "todo"}) == 1
    assert task.search(where("status") == "todo") == [{"status": "todo", "n": 1}]
    assert task.search(where("status") == "todo")[0].doc_id == 1
    assert task.count(Query().n >= 1) == 2
    assert task.contains(where("n") == 2)
    assert not task.contains(doc_id=3)
    assert task.get(doc_id=2) == {"status": "done", "n": 2}
    assert task.get(doc_ids=[2, 1, 9]) == [{"status": "todo", "n": 1}, {"status": "done", "n": 2}]
    assert task.get(where("n") == 9) is None
    assert database.tables() == {"task", "memory"}
    assert len(database) == 0
    assert "task=2" in repr(database)


def test_results_share_nothing_with_what_is_kept(opened: Callable[..., JournalDB]) -> None:
    database = opened()
    given: dict[str, Any] = {"tags": ["a"], "deep": {"x": [1]}}
    database.insert(given)
    given["tags"].append("b")
    query = where("tags").any(["a"])
    for found in (database.search(query)[0], database.search(query)[0], database.all()[0], database.get(doc_id=1)):
        assert found == {"tags": ["a"], "deep": {"x": [1]}}
        found["deep"]["x"].append(2)
    listed = database.get(doc_ids=[1])
    listed[0]["deep"]["x"].append(2)
    assert database.all() == opened().all() == [{"tags": ["a"], "deep": {"x": [1]}}]


def test_operation_that_fails_half_way_changes_nothing(path: Path, opened: Callable[..., JournalDB]) -> None:
    database = opened()
    database.insert_multiple([{"n": 1}, {"m": 1}])
    before = path.read_bytes()
    with pytest.raises(KeyError):
        database.update(increment("n"))
    with pytest.raises(KeyError):
        database.update_multiple([(increment("n"), Query().n.exists()), (delete("x"), Query().m.exists())])
    with pytest.raises(StoreError, match="object") as caught:
        database.insert_multiple([{"n": 3}, {"n": object()}])
    assert caught.value.code == "bad_row"
    assert database.all() == [{"n": 1}, {"m": 1}]
    assert path.read_bytes() == before


def test_number_of_somebody_else_is_never_written_over(opened: Callable[..., JournalDB]) -> None:
    one, other = opened(), opened()
    assert one.insert({"by": "one"}) == 1
    assert other.insert_multiple([{"by": "other"}, {"by": "other"}]) == [2, 3]
    assert one.insert({"by": "one"}) == 4
    assert one.insert(Document({"by": "hand"}, 6)) == 6
    assert other.insert_multiple([{"by": "other"}, {"by": "other"}]) == [5, 7]
    assert other.insert_multiple([Document({"by": "hand"}, 9), {"by": "other"}, {"by": "other"}]) == [9, 8, 10]
    assert len(one) == 10
    with pytest.raises(ValueError, match="already exists"):
        one.insert(Document({}, 5))


def test_numbers_count_on_after_the_last_was_removed(opened: Callable[..., JournalDB]) -> None:
    database = opened()
    database.insert_multiple([{}, {}, {}])
    database.remove(doc_ids=[3])
    assert database.insert({}) == 4
    database.truncate()
    assert database.insert({}) == 1


def test_dropped_tables_are_gone(opened: Callable[..., JournalDB]) -> None:
    database = opened()
    old = database.table("a")
    old.insert({"n": 1})
    assert old.search(where("n") == 1)
    database.table("b").insert({"n": 1})
    database.drop_table("a")
    database.drop_table("never there")
    assert old.search(where("n") == 1) == []
    assert opened().tables() == database.tables() == {"b"}
    database.drop_tables()
    assert opened().tables() == database.tables() == set()


def test_storage_takes_whole_databases_as_tinydb_gives_them(opened: Callable[..., JournalDB]) -> None:
    database = filled(opened)
    storage = database.storage
    assert isinstance(storage, JournalStorage)
    storage.write({"a": {"3": {"n": 3}}, "empty": {}})
    assert storage.read() == JournalStorage(opened()._file).read() == {"a": {"3": {"n": 3}}, "empty": {}}


def test_table_made_to_persist_is_there(opened: Callable[..., JournalDB]) -> None:
    opened().table("empty", persist_empty=True)
    assert opened().tables() == {"empty"}


def test_change_is_one_read_and_write(opened: Callable[..., JournalDB]) -> None:
    database = filled(opened)
    assert database.change("_default", 2, lambda row: {**row, "x": 1}) == {"n": 2, "x": 1}
    assert database.change("_default", 9, dict) is None
    found = opened().get(doc_id=2)
    assert found == {"n": 2, "x": 1}


def test_unit_is_one_line_or_nothing(path: Path, opened: Callable[..., JournalDB]) -> None:
    database = filled(opened, 1)
    with database.locked(), database.locked():
        database.insert({"n": 2})
        database.table("other").insert({"n": 3})
        database.update({"n": 4}, doc_ids=[1])
        assert numbers(database) == [4, 2]
    assert len(texts(path)) == 3
    before = path.read_bytes()

    def fail() -> None:
        with database.locked():
            database.remove(doc_ids=[1])
            database.insert({"n": 5})
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert path.read_bytes() == before
    assert numbers(database) == numbers(opened()) == [4, 2]
    assert database.table("other").all() == [{"n": 3}]


# ---------------------------------------------------------------------------------------------- several at once


def test_others_changes_are_seen_with_the_next_look(opened: Callable[..., JournalDB]) -> None:
    one, other = opened(), opened()
    query = where("n") == 1
    assert other.search(query) == []
    version = other.version
    one.insert({"n": 1})
    assert other.version != version
    assert other.search(query) == [{"n": 1}]
    one.update({"n": 2})
    assert other.search(query) == []
    one.compact()
    assert len(other) == 1
    other.insert({"n": 1})
    one.compact()
    other.compact()
    assert one.search(query) == other.search(query) == [{"n": 1}]


def test_update_by_condition_sees_what_others_just_wrote(opened: Callable[..., JournalDB]) -> None:
    one, other = opened(), opened()
    for _ in range(20):
        for database in (one, other):
            database.upsert({"id": "a"}, where("id") == "a")
            database.update(lambda row: row.update(n=row.get("n", 0) + 1), where("id") == "a")
    assert one.all() == other.all() == [{"id": "a", "n": 40}]


def test_threads_lose_nothing(opened: Callable[..., JournalDB]) -> None:
    database = opened(durability="none", compact_at=2000)
    database.insert({"n": 0})

    def work() -> None:
        for _ in range(40):
            database.update(increment("n"), doc_ids=[1])
            database.insert({"x": 1})
            database.search(where("n") > 0)
            list(database)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = opened().all()
    assert found[0] == {"n": 160}
    assert len(found) == 161


_WRITER = """
import sys
from pathlib import Path
from tinydb import where
from lango_nb.stores.journal import JournalDB
path, name = sys.argv[1:]
database = JournalDB(Path(path), "documents", durability="none", compact_at=5000)
documents = database.documents("counter")
for number in range(200):
    database.table("task").insert({"by": name, "n": number})
    documents.change("all", lambda row: {**row, "n": row["n"] + 1})
    if number % 10 == 0:
        database.table("task").update({"seen": True}, (where("by") == name) & (where("n") == number))
"""


def test_two_processes_writing_400_records_lose_none(path: Path, opened: Callable[..., JournalDB]) -> None:
    database = opened()
    database.documents("counter").add({"id": "all", "n": 0})
    processes = [
        subprocess.Popen([sys.executable, "-c", _WRITER, str(path), name], stderr=subprocess.PIPE) for name in "ab"
    ]
    assert [process.communicate(timeout=120)[1] for process in processes] == [b"", b""]
    found = database.table("task").all()
    assert sorted((row["by"], row["n"]) for row in found) == [(name, number) for name in "ab" for number in range(200)]
    assert len({row.doc_id for row in found}) == 400
    assert sum(row.get("seen", False) for row in found) == 40
    assert database.documents("counter").get("all") == {"id": "all", "n": 400}
    assert database.all() == opened().all()


def _hold(path: Path, has_it: Event, may_go: Event) -> None:
    database = JournalDB(path, "documents")
    with database.locked():
        has_it.set()
        may_go.wait(60)


@pytest.fixture
def holder(path: Path) -> Iterator[Callable[[], multiprocessing.process.BaseProcess]]:
    """Let another process hold the lock until it is killed."""
    context = multiprocessing.get_context("spawn")
    processes = []
    may_go = context.Event()

    def hold() -> multiprocessing.process.BaseProcess:
        has_it = context.Event()
        process = context.Process(target=_hold, args=(path, has_it, may_go))
        process.start()
        processes.append(process)
        assert has_it.wait(60)
        return process

    yield hold
    may_go.set()
    for process in processes:
        process.join(60)


def test_lock_of_somebody_else_is_a_clear_error_and_that_of_a_dead_one_none(
    path: Path, opened: Callable[..., JournalDB], holder: Callable[[], multiprocessing.process.BaseProcess]
) -> None:
    database = opened(lock_timeout_s=0.05)
    database.insert({"n": 1})
    process = holder()
    with pytest.raises(StoreError, match=r"records/documents\.jsonl .*locked") as caught:
        database.insert({"n": 2})
    assert caught.value.code == "locked"
    assert "\n" not in str(caught.value)
    assert numbers(database) == [1]  # reading waits for nobody
    process.kill()
    process.join()
    database.insert({"n": 3})
    assert numbers(opened()) == [1, 3]


def test_forked_process_works_on(path: Path, opened: Callable[..., JournalDB]) -> None:
    database = filled(opened, 1)
    child = os.fork()
    if not child:
        try:
            database.insert({"n": 2})
            os._exit(len(database))
        finally:
            os._exit(99)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
    database.insert({"n": 3})
    assert numbers(database) == [1, 2, 3]


# ---------------------------------------------------------------------------------------------- compaction


def test_compaction_keeps_everything_and_its_order(path: Path, opened: Callable[..., JournalDB]) -> None:
    database = filled(opened)
    database.table("empty", persist_empty=True)
    database.table("b").insert(Document({"n": 7}, 70))
    database.table("b").insert(Document({"n": 8}, 8))
    database.update({"n": 20}, doc_ids=[2])
    database.remove(doc_ids=[4])
    before = path.stat()
    database.compact()
    assert path.stat().st_ino != before.st_ino
    assert path.stat().st_size < before.st_size
    for reader in (database, opened()):
        assert numbers(reader) == [1, 20, 3, 5]
        assert [row.doc_id for row in reader.table("b")] == [70, 8]
        assert reader.tables() == {"_default", "b", "empty"}
    header, *changes = texts(path)
    assert (header["generation"], header["snapshot"], len(changes)) == (2, 7, 7)
    assert [file.name for file in path.parent.iterdir() if "tmp" in file.name] == []
    assert database.table("b").insert({}) == 71


def test_file_stays_small_however_often_a_document_changes(path: Path, opened: Callable[..., JournalDB]) -> None:
    database = opened(durability="none", compact_at=10_000)
    database.insert({"n": 0, "pad": "p" * 200})
    inodes = set()
    for number in range(500):
        database.update({"n": number}, doc_ids=[1])
        inodes.add(path.stat().st_ino)
        assert path.stat().st_size < 11_000
    assert 5 < texts(path)[0]["generation"] < 20
    assert len(inodes) > 1


def test_file_without_a_past_is_not_written_anew(path: Path, opened: Callable[..., JournalDB]) -> None:
    database = opened(durability="none", compact_at=100)
    for number in range(100):
        database.insert({"n": number})
    assert texts(path)[0]["generation"] == 1


def test_compaction_keeps_the_permissions_of_the_file(path: Path, opened: Callable[..., JournalDB]) -> None:
    database = filled(opened)
    path.chmod(0o640)
    database.compact()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_leftover_of_a_killed_compaction_is_removed(path: Path, opened: Callable[..., JournalDB]) -> None:
    filled(opened)
    leftover = path.with_name("documents.jsonl.tmp")
    leftover.write_bytes(path.read_bytes()[:40])
    assert numbers(opened()) == [1, 2, 3, 4, 5]
    assert not leftover.exists()


def test_file_of_somebody_who_is_compacting_is_left_alone(
    path: Path, opened: Callable[..., JournalDB], holder: Callable[[], multiprocessing.process.BaseProcess]
) -> None:
    filled(opened)
    holder()
    unfinished = path.with_name("documents.jsonl.tmp")
    unfinished.write_bytes(b"")
    assert len(opened(lock_timeout_s=0.05)) == 5
    assert unfinished.exists()


# ---------------------------------------------------------------------------------------------- damage


def test_torn_last_line_is_dropped_and_reported_once(
    path: Path, opened: Callable[..., JournalDB], problems: list[Problem]
) -> None:
    filled(opened)
    whole = path.read_bytes()
    path.write_bytes(whole[:-10])
    database = opened()
    assert numbers(database) == [1, 2, 3, 4]
    assert codes(problems) == ["torn"]
    assert problems[0].where == "documents.jsonl"
    assert "dropped" in problems[0].detail
    database.insert({"n": 6})
    assert numbers(opened()) == [1, 2, 3, 4, 6]
    assert codes(problems) == ["torn"]
    assert database.check() == []


def test_last_line_without_its_newline_is_whole(
    path: Path, opened: Callable[..., JournalDB], problems: list[Problem]
) -> None:
    filled(opened)
    path.write_bytes(path.read_bytes()[:-1])
    database = opened()
    assert numbers(database) == [1, 2, 3, 4, 5]
    database.insert({"n": 6})
    assert numbers(opened()) == [1, 2, 3, 4, 5, 6]
    assert problems == []


def test_damaged_line_is_set_aside_and_the_others_kept(
    path: Path, opened: Callable[..., JournalDB], problems: list[Problem]
) -> None:
    filled(opened)
    pieces = path.read_bytes().splitlines(keepends=True)
    pieces[3] = pieces[3].replace(b"put", b"PUT")
    path.write_bytes(b"".join(pieces))
    other = opened()
    assert numbers(other) == [1, 2, 4, 5]
    assert codes(problems) == ["damaged"]
    assert "1 damaged piece" in problems[0].detail
    assert ".quarantine" in problems[0].next_step
    assert quarantined(path) == [pieces[3][:-1]]
    assert opened().check() == []
    other.insert({"n": 6})
    assert numbers(opened()) == [1, 2, 4, 5, 6]
    assert codes(problems) == ["damaged"]


@pytest.mark.parametrize("junk", [b"", b"?", b",", b"\0\0\0"])
def test_glued_lines_are_both_kept(
    path: Path, opened: Callable[..., JournalDB], problems: list[Problem], junk: bytes
) -> None:
    filled(opened)
    pieces = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([*pieces[:2], pieces[2] + junk + pieces[3], *pieces[4:]]) + b"\n")
    assert numbers(opened()) == ([1, 2, 3, 4, 5] if len(junk) < 3 else [1, 2, 3, 4, 5])
    assert codes(problems) == ["damaged"] * bool(junk)


@pytest.mark.parametrize("at", [0, 10, -2])
def test_damaged_header_loses_nothing(
    path: Path, opened: Callable[..., JournalDB], problems: list[Problem], at: int
) -> None:
    filled(opened)
    header, rest = path.read_bytes().split(b"\n", 1)
    path.write_bytes(header[:at] + b"#" + header[at:][1:] + b"\n" + rest)
    assert numbers(opened()) == [1, 2, 3, 4, 5]
    assert codes(problems) == ["damaged"]
    assert len(quarantined(path)) == 1
    assert "schema" in texts(path)[0]
    assert numbers(opened()) == [1, 2, 3, 4, 5]
    assert len(problems) == 1


def test_file_without_a_header_gets_one(path: Path, opened: Callable[..., JournalDB], problems: list[Problem]) -> None:
    filled(opened)
    path.write_bytes(path.read_bytes().split(b"\n", 1)[1])
    assert numbers(opened()) == [1, 2, 3, 4, 5]
    assert "no header" in problems[0].detail
    assert texts(path)[0]["kind"] == "documents"


@pytest.mark.parametrize("data", [b'{"_default": {"1": {"n": 1}}}', b"\0" * 5000, b"hello\n\nthere", b"\xff\xfe\n"])
def test_file_that_is_something_else_is_kept_in_the_quarantine(
    path: Path, opened: Callable[..., JournalDB], problems: list[Problem], data: bytes
) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    database = opened()
    assert database.all() == []
    assert b"\n".join(quarantined(path)).replace(b"\n", b"") == data.replace(b"\n", b"")
    assert codes(problems) == ["damaged"]
    database.insert({"n": 1})
    assert numbers(opened()) == [1]


def test_empty_file_is_an_empty_database(path: Path, opened: Callable[..., JournalDB], problems: list[Problem]) -> None:
    path.parent.mkdir(parents=True)
    path.touch()
    database = opened()
    assert database.all() == []
    database.insert({"n": 1})
    assert numbers(opened()) == [1]
    assert problems == []


def test_line_whose_checksum_is_right_and_that_says_nothing_is_damaged(
    path: Path, opened: Callable[..., JournalDB], problems: list[Problem]
) -> None:
    filled(opened, 2)
    strange: list[Row] = [{"ops": 1}, {"ops": [["paint", "a"]]}, {"n": 1}, {"ops": [["put", "a", "1", {}]]}]
    with path.open("ab") as file:
        file.writelines(lines.encode(row) for row in strange)
        file.write(lines.encode({"ops": [["put", "_default", 3, {"n": 3}]]}))
    assert numbers(opened()) == [1, 2, 3]
    assert codes(problems) == ["damaged"]
    assert quarantined(path) == [b"".join(lines.encode(row) for row in strange)[:-1]]


def test_damage_that_another_process_meets_while_it_is_open_is_reported_too(
    path: Path, opened: Callable[..., JournalDB], problems: list[Problem]
) -> None:
    database = filled(opened, 2)
    with path.open("ab") as file:
        file.write(b"this is no record\n" + lines.encode({"ops": [["put", "_default", 3, {"n": 3}]]}) + b'{"ops":[[')
    assert numbers(database) == [1, 2, 3]
    assert codes(problems) == ["damaged", "torn"]
    assert quarantined(path) == [b"this is no record"]
    assert numbers(opened()) == [1, 2, 3]


def test_half_a_line_that_somebody_is_writing_is_waited_for(
    path: Path, opened: Callable[..., JournalDB], problems: list[Problem]
) -> None:
    database = filled(opened, 1)
    line = lines.encode({"ops": [["put", "_default", 2, {"n": 2}]]})
    with path.open("ab") as file:
        file.write(line[:20])
        file.flush()
        assert numbers(database) == [1]
        file.write(line[20:])
    assert numbers(database) == [1, 2]
    assert problems == []


def test_check_finds_damage_and_changes_nothing(
    path: Path, opened: Callable[..., JournalDB], problems: list[Problem]
) -> None:
    database = filled(opened)
    pieces = path.read_bytes().splitlines(keepends=True)
    broken = b"".join([pieces[0], pieces[1], b"#" + pieces[2][1:], *pieces[3:], b'{"half'])
    path.write_bytes(broken)
    assert codes(database.check()) == ["damaged", "torn"]
    assert path.read_bytes() == broken
    assert problems == []
    path.write_bytes(lines.encode({"schema": 7, "kind": "documents"}))
    assert codes(database.check()) == ["newer_schema"]
    path.unlink()
    assert database.check() == []


@pytest.mark.parametrize("is_whole", [True, False])
def test_newer_version_is_refused_and_left_as_it_is(
    path: Path, opened: Callable[..., JournalDB], problems: list[Problem], *, is_whole: bool
) -> None:
    path.parent.mkdir(parents=True)
    header = lines.encode({"schema": 2, "kind": "documents"}) if is_whole else b'{"schema": 2, "kind": "documents"}\n'
    data = header + b"whatever comes with version 2\n" + lines.encode({"ops": [["put", "_default", 1, {}]]}) + b"half"
    path.write_bytes(data)
    with pytest.raises(StoreError, match=r"newer lango_nb \(schema 2, this one knows 1\); upgrade") as caught:
        opened()
    assert caught.value.code == "newer_schema"
    assert path.read_bytes() == data
    assert [file.name for file in path.parent.iterdir()] == ["documents.jsonl"]
    assert problems == []


def test_file_upgraded_by_another_process_is_refused_from_then_on(path: Path, opened: Callable[..., JournalDB]) -> None:
    database = filled(opened, 1)
    newer = path.with_name("newer")
    newer.write_bytes(lines.encode({"schema": 2, "kind": "documents"}))
    newer.replace(path)
    data = path.read_bytes()
    for deed in (database.all, lambda: database.insert({"n": 2})):
        with pytest.raises(StoreError, match="upgrade lango_nb"):
            deed()
    assert path.read_bytes() == data


def test_file_of_another_kind_is_refused(path: Path, opened: Callable[..., JournalDB]) -> None:
    filled(opened)
    with pytest.raises(StoreError, match="'documents' where 'index' belongs"):
        JournalDB(path, "index")


def test_problems_are_logged_when_nobody_wants_them(
    path: Path, opened: Callable[..., JournalDB], caplog: pytest.LogCaptureFixture
) -> None:
    filled(opened)
    path.write_bytes(path.read_bytes()[:-10])
    with caplog.at_level(logging.WARNING, "lango_nb"):
        opened(report=None)
    assert "no whole record" in caplog.text


# ---------------------------------------------------------------------------------------------- removed and replaced


@pytest.mark.parametrize("looks_first", [True, False])
def test_file_removed_under_us_is_written_anew(
    path: Path, opened: Callable[..., JournalDB], problems: list[Problem], *, looks_first: bool
) -> None:
    database = filled(opened)
    path.unlink()
    if looks_first:
        assert numbers(database) == [1, 2, 3, 4, 5]
        assert path.exists()
    database.insert({"n": 6})
    assert numbers(opened()) == numbers(database) == [1, 2, 3, 4, 5, 6]
    assert codes(problems) == ["missing"]
    assert "5 documents were written anew" in problems[0].detail


def test_folder_removed_under_us_is_made_anew(
    path: Path, opened: Callable[..., JournalDB], problems: list[Problem]
) -> None:
    database = filled(opened)
    for file in path.parent.iterdir():
        file.unlink()
    path.parent.rmdir()
    database.insert({"n": 6})
    assert numbers(opened()) == [1, 2, 3, 4, 5, 6]
    assert codes(problems) == ["missing"]


def test_what_others_wrote_last_is_not_lost_with_the_file(
    path: Path, opened: Callable[..., JournalDB], problems: list[Problem]
) -> None:
    idle, other = opened(), opened()
    other.insert({"n": 1})
    assert len(idle) == 1
    other.insert({"n": 2})
    path.unlink()
    assert numbers(idle) == [1, 2]
    assert numbers(other) == [1, 2]
    assert codes(problems) == ["missing"]


def test_removed_file_with_nothing_in_it_is_no_loss(
    path: Path, opened: Callable[..., JournalDB], problems: list[Problem]
) -> None:
    database = filled(opened, 1)
    database.drop_tables()
    path.unlink()
    assert database.all() == []
    assert not path.exists()
    database.insert({"n": 1})
    assert numbers(opened()) == [1]
    assert problems == []


@pytest.mark.parametrize("size", [0, 30, 250])
def test_file_cut_under_us_is_written_anew(
    path: Path, opened: Callable[..., JournalDB], problems: list[Problem], size: int
) -> None:
    database = filled(opened)
    os.truncate(path, size)
    assert numbers(database) == [1, 2, 3, 4, 5]
    assert codes(problems) == ["missing"]
    assert numbers(opened()) == [1, 2, 3, 4, 5]


def test_file_replaced_by_another_is_used_and_the_former_documents_kept(
    path: Path, opened: Callable[..., JournalDB], problems: list[Problem], tmp_path: Path
) -> None:
    database = filled(opened)
    with JournalDB(tmp_path / "another.jsonl", "documents") as another:
        another.insert({"n": 100})
    (tmp_path / "another.jsonl").replace(path)
    assert numbers(database) == [100]
    assert codes(problems) == ["missing"]
    (kept,) = quarantined(path)
    assert [operations_of(row) for _, row in lines.read(kept).rows] == [
        [["put", "_default", number, {"n": number}]] for number in range(1, 6)
    ]


def test_older_copy_put_back_is_used_and_the_newer_documents_kept(
    path: Path, opened: Callable[..., JournalDB], problems: list[Problem]
) -> None:
    database = filled(opened)
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    database.insert({"n": 6})
    copy.replace(path)
    assert numbers(database) == [1, 2, 3, 4, 5]
    assert codes(problems) == ["missing"]
    assert b'{"n":6}' in quarantined(path)[0]


# ---------------------------------------------------------------------------------------------- disks that fail


class FailingDisk(Disk):
    """A disk that takes a number of bytes and then fails."""

    def __init__(self) -> None:
        self.room: int | None = None
        self.at_once = 1 << 30
        self.sync_error = self.replace_error = self.truncate_error = self.open_error = 0
        self.synced = 0

    def open(self, path: Path, flags: int) -> int:
        if self.open_error and flags & (os.O_RDWR | os.O_CREAT):
            raise OSError(self.open_error, os.strerror(self.open_error))
        return super().open(path, flags)

    def make_folder(self, path: Path) -> None:
        if self.open_error:
            raise OSError(self.open_error, os.strerror(self.open_error))
        super().make_folder(path)

    def write_some(self, descriptor: int, data: memoryview) -> int:
        size = min(len(data), self.at_once)
        if self.room is not None:
            size = min(size, self.room)
            if not size:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self.room -= size
        return super().write_some(descriptor, data[:size])

    def sync(self, descriptor: int) -> None:
        self.synced += 1
        if self.sync_error:
            raise OSError(self.sync_error, os.strerror(self.sync_error))
        super().sync(descriptor)

    def replace(self, source: Path, target: Path) -> None:
        if self.replace_error:
            raise OSError(self.replace_error, os.strerror(self.replace_error))
        super().replace(source, target)

    def truncate(self, descriptor: int, size: int) -> None:
        if self.truncate_error:
            raise OSError(self.truncate_error, os.strerror(self.truncate_error))
        super().truncate(descriptor, size)


@pytest.fixture
def disk() -> FailingDisk:
    return FailingDisk()


def test_writes_that_are_taken_bit_by_bit_are_whole(opened: Callable[..., JournalDB], disk: FailingDisk) -> None:
    disk.at_once = 7
    database = opened(disk=disk)
    database.insert_multiple({"n": number} for number in range(50))
    database.compact()
    assert numbers(opened()) == list(range(50))


@pytest.mark.parametrize("room", [0, 1, 40])
def test_full_disk_is_a_clear_error_and_changes_nothing(
    path: Path, opened: Callable[..., JournalDB], disk: FailingDisk, problems: list[Problem], room: int
) -> None:
    database = opened(disk=disk)
    database.insert_multiple([{"n": 1}, {"n": 2}])
    before = path.read_bytes()
    for deed in (
        lambda: database.insert({"n": 3}),
        lambda: database.update({"n": 4}, doc_ids=[1]),
        lambda: database.remove(doc_ids=[1]),
        database.drop_tables,
        lambda: database.documents("task").put({"id": "a"}),
    ):
        disk.room = min(room, 20)
        with pytest.raises(StoreError, match=r"documents\.jsonl cannot be written: No space.*make room") as caught:
            deed()
        assert caught.value.code == "full"
        assert path.read_bytes() == before
        assert numbers(database) == [1, 2]
    assert database.documents("task").get("a") is None
    disk.room = None
    database.insert({"n": 5})
    assert numbers(database) == numbers(opened()) == [1, 2, 5]
    assert problems == []


def test_full_disk_with_the_first_change(path: Path, opened: Callable[..., JournalDB], disk: FailingDisk) -> None:
    database = opened(disk=disk)
    disk.room = 10
    with pytest.raises(StoreError, match="No space"):
        database.insert({"n": 1})
    assert [file.name for file in path.parent.iterdir() if "lock" not in file.name] == []
    assert database.all() == []
    disk.room = None
    database.insert({"n": 2})
    assert numbers(opened()) == [2]


def test_half_a_line_that_cannot_be_taken_back_costs_no_other(
    opened: Callable[..., JournalDB], disk: FailingDisk, problems: list[Problem]
) -> None:
    database = opened(disk=disk)
    database.insert({"n": 1})
    disk.room, disk.truncate_error = 20, errno.EIO
    with pytest.raises(StoreError, match="No space"):
        database.insert({"n": 2})
    disk.room = None
    with pytest.raises(StoreError, match="cannot be written"):
        database.insert({"n": 3})
    disk.truncate_error = 0
    assert numbers(database) == [1]
    database.insert({"n": 4})
    assert numbers(opened()) == [1, 4]
    assert set(codes(problems)) == {"torn"}


def test_full_disk_during_compaction_fails_no_change(
    path: Path, opened: Callable[..., JournalDB], disk: FailingDisk, problems: list[Problem]
) -> None:
    database = opened(disk=disk, compact_at=500)
    database.insert({"n": 0, "pad": "p" * 100})
    disk.replace_error = errno.ENOSPC
    for number in range(40):
        database.update({"n": number}, doc_ids=[1])
    assert 0 < len(problems) < 8  # it is not tried with every change
    assert set(codes(problems)) == {"full"}
    assert not path.with_name("documents.jsonl.tmp").exists()
    assert numbers(opened()) == [39]
    with pytest.raises(StoreError, match="No space"):
        database.compact()
    disk.replace_error = 0
    database.compact()
    assert numbers(opened()) == numbers(database) == [39]


def test_change_that_does_not_reach_the_disk_is_taken_back(
    path: Path, opened: Callable[..., JournalDB], disk: FailingDisk
) -> None:
    database = opened(disk=disk)
    database.insert({"n": 1})
    before = path.read_bytes()
    disk.sync_error = errno.EIO
    with pytest.raises(StoreError, match="Input/output error"):
        database.insert({"n": 2})
    assert path.read_bytes() == before
    database.documents("task").put({"id": "a"}, is_urgent=False)
    with pytest.raises(StoreError, match="Input/output error"):
        database.sync()
    disk.sync_error = 0
    database.sync()
    assert numbers(opened()) == [1]


@pytest.mark.parametrize("error", [errno.EROFS, errno.EACCES, errno.EPERM])
def test_folder_that_is_read_only_can_be_read(
    path: Path, opened: Callable[..., JournalDB], disk: FailingDisk, error: int
) -> None:
    filled(opened)
    disk.open_error = error
    database = opened(disk=disk)
    assert numbers(database) == [1, 2, 3, 4, 5]
    for deed in (lambda: database.insert({"n": 6}), database.compact, database.drop_tables):
        with pytest.raises(StoreError, match=r"documents\.jsonl may only be read here") as caught:
            deed()
        assert caught.value.code == "read_only"
    filled(opened, 1)
    assert numbers(database) == [1, 2, 3, 4, 5, 1]
    assert database.check() == []


def test_damage_in_a_folder_that_is_read_only_is_reported_and_left(
    path: Path, opened: Callable[..., JournalDB], disk: FailingDisk, problems: list[Problem]
) -> None:
    filled(opened)
    pieces = path.read_bytes().splitlines(keepends=True)
    broken = b"".join([*pieces[:2], b"#" + pieces[2][1:], *pieces[3:]])[:-5]
    path.write_bytes(broken)
    disk.open_error = errno.EROFS
    database = opened(disk=disk)
    assert numbers(database) == [1, 3, 4]
    assert codes(problems) == ["damaged", "torn"]
    assert "ignored" in problems[1].detail
    assert path.read_bytes() == broken
    assert not (path.parent / ".quarantine").exists()


def test_file_removed_from_a_folder_that_is_read_only_stays_in_memory(
    path: Path, opened: Callable[..., JournalDB], disk: FailingDisk, problems: list[Problem]
) -> None:
    database = opened(disk=disk)
    database.insert({"n": 1})
    path.unlink()
    disk.open_error = errno.EROFS
    assert numbers(database) == numbers(database) == [1]
    assert codes(problems) == ["missing"]
    assert "memory" in problems[0].detail
    disk.open_error = 0
    assert numbers(database) == numbers(opened()) == [1]


def test_what_cannot_be_read_is_a_clear_error(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StoreError, match=r"documents\.jsonl cannot be read"):
        JournalDB(path, "documents")


# ---------------------------------------------------------------------------------------------- durability


@pytest.mark.parametrize(("durability", "expected"), [("turn", [1, 1, 2]), ("event", [1, 2, 2]), ("none", [0, 0, 0])])
def test_durability_says_what_is_forced_to_the_disk(
    opened: Callable[..., JournalDB], disk: FailingDisk, durability: str, expected: list[int]
) -> None:
    database = opened(disk=disk, durability=durability)
    database.insert({"n": 0})
    documents, found = database.documents("task"), []
    disk.synced = 0
    for deed in (
        lambda: documents.put({"id": "a"}),
        lambda: documents.put({"id": "b"}, is_urgent=False),
        database.sync,
    ):
        deed()
        found.append(disk.synced)
    assert found == expected
    database.sync()
    assert disk.synced == expected[-1]


def test_unit_is_urgent_when_something_in_it_is(opened: Callable[..., JournalDB], disk: FailingDisk) -> None:
    database = opened(disk=disk)
    documents = database.documents("task")
    documents.put({"id": "a"})
    disk.synced = 0
    with database.locked(is_urgent=False):
        documents.put({"id": "b"}, is_urgent=False)
    assert disk.synced == 0
    with database.locked(is_urgent=False):
        documents.put({"id": "c"}, is_urgent=False)
        documents.put({"id": "d"})
    assert disk.synced == 1


def test_closing_forces_everything_to_the_disk_and_ends_it(opened: Callable[..., JournalDB], disk: FailingDisk) -> None:
    database = opened(disk=disk)
    database.documents("task").put({"id": "a"}, is_urgent=False)
    disk.synced = 0
    database.close()
    database.close()
    assert disk.synced == 1
    for deed in (database.all, lambda: database.insert({"n": 1})):
        with pytest.raises(StoreError, match="closed; open the store again") as caught:
            deed()
        assert caught.value.code == "closed"


# ---------------------------------------------------------------------------------------------- rows by their text id


def test_documents_and_tinydb_see_the_same_rows(opened: Callable[..., JournalDB]) -> None:
    database = opened()
    documents, task = database.documents("task"), database.table("task")
    assert database.documents("task") is documents
    documents.add({"id": "a", "status": "todo"})
    assert task.search(where("status") == "todo") == [{"id": "a", "status": "todo"}]
    task.update({"status": "done"}, where("id") == "a")
    assert documents.get("a") == {"id": "a", "status": "done"}
    assert task.insert({"id": "b"}) == 2
    assert documents.get("b") == {"id": "b"}
    task.update({"id": "c"}, doc_ids=[2])
    assert documents.get("b") is None
    assert documents.get("c") == {"id": "c"}
    task.truncate()
    assert documents.get("c") is None
    assert len(documents) == 0


def test_rows_are_kept_all_or_none(path: Path, opened: Callable[..., JournalDB]) -> None:
    documents = opened().documents("task")
    documents.put({"id": "a", "n": 1})
    before = path.read_bytes()
    for wrong in ({"n": 1}, {"id": 3}, {"id": "c", "n": object()}):
        with pytest.raises(StoreError):
            documents.put({"id": "b"}, wrong)  # type: ignore[arg-type]
    assert path.read_bytes() == before
    documents.put()
    documents.put({"id": "b"}, {"id": "a", "n": 2}, {"id": "c"}, {"id": "b", "n": 3})
    assert len(texts(path)) == 3
    assert documents.find() == [{"id": "a", "n": 2}, {"id": "b", "n": 3}, {"id": "c"}]


def test_id_that_is_taken_is_a_conflict_also_when_somebody_else_took_it(opened: Callable[..., JournalDB]) -> None:
    one, other = opened().documents("task"), opened().documents("task")
    one.add({"id": "a"})
    with pytest.raises(StoreError, match="task a is there already") as caught:
        other.add({"id": "a"})
    assert caught.value.code == "conflict"


def test_change_that_fails_or_renames_changes_nothing(opened: Callable[..., JournalDB]) -> None:
    documents = opened().documents("task")
    documents.add({"id": "a", "tags": ["x"]})

    def spoil(row: Row) -> Row:
        row["tags"].append("y")  # type: ignore[union-attr]
        raise KeyError

    with pytest.raises(KeyError):
        documents.change("a", spoil)
    with pytest.raises(StoreError, match="task a cannot become b") as caught:
        documents.change("a", lambda row: {**row, "id": "b"})
    assert caught.value.code == "bad_row"
    assert documents.find() == [{"id": "a", "tags": ["x"]}]
    assert documents.change("a", lambda row: {**row, "n": 1}) == {"id": "a", "tags": ["x"], "n": 1}
    assert documents.change("b", dict) is None


def test_removed_rows_are_counted_and_come_again_at_the_end(opened: Callable[..., JournalDB]) -> None:
    documents = opened().documents("task")
    documents.put({"id": "a"}, {"id": "b"}, {"id": "c"})
    assert documents.remove("a", "a", "x", "b") == 2
    assert documents.remove() == 0
    documents.put({"id": "a"})
    for reader in (documents, opened().documents("task")):
        assert reader.find() == [{"id": "c"}, {"id": "a"}]
        assert reader.find({"id": "a"}) == [{"id": "a"}]
        assert reader.find(newest_first=True, limit=1) == [{"id": "a"}]


def test_highest_number_is_known_without_looking_through_all() -> None:
    rows = Rows()
    for number in (3, 7, 5):
        rows.put(number, {})
    assert (rows.top, rows.highest) == (7, 7)
    rows.remove(7)
    assert (rows.top, rows.highest) == (5, 7)
    rows.remove(8)
    rows.remove(5)
    rows.remove(3)
    assert (rows.top, rows.highest) == (0, 7)
