"""TinyDB over a journal: the same answers as ever, for several processes at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from tinydb import Query, where
from tinydb.operations import delete, increment
from tinydb.table import Document

from lango_nb.core.errors import StoreError
from lango_nb.stores.journal import JournalStorage
from lango_nb.stores.journal_rows import Rows
from lango_nb.stores.store import Row
from tests.journals import Opened, filled, numbers, texts

# ---------------------------------------------------------------------------------------------- like TinyDB


def test_queries_see_documents_by_table_and_number(opened: Opened) -> None:
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


def test_results_share_nothing_with_what_is_kept(opened: Opened) -> None:
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


def test_operation_that_fails_half_way_changes_nothing(path: Path, opened: Opened) -> None:
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


def test_number_of_somebody_else_is_never_written_over(opened: Opened) -> None:
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


def test_numbers_count_on_after_the_last_was_removed(opened: Opened) -> None:
    database = opened()
    database.insert_multiple([{}, {}, {}])
    database.remove(doc_ids=[3])
    assert database.insert({}) == 4
    database.truncate()
    assert database.insert({}) == 1


def test_dropped_tables_are_gone(opened: Opened) -> None:
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


def test_storage_takes_whole_databases_as_tinydb_gives_them(opened: Opened) -> None:
    database = filled(opened)
    storage = database.storage
    assert isinstance(storage, JournalStorage)
    storage.write({"a": {"3": {"n": 3}}, "empty": {}})
    assert storage.read() == JournalStorage(opened()._file).read() == {"a": {"3": {"n": 3}}, "empty": {}}


def test_emptied_table_is_there_still(opened: Opened) -> None:
    opened().table("empty").truncate()
    assert opened().tables() == {"empty"}


def test_change_is_one_read_and_write(opened: Opened) -> None:
    database = filled(opened)
    assert database.change("_default", 2, lambda row: {**row, "x": 1}) == {"n": 2, "x": 1}
    assert database.change("_default", 9, dict) is None
    found = opened().get(doc_id=2)
    assert found == {"n": 2, "x": 1}


def test_compaction_within_a_unit_keeps_it_whole(opened: Opened) -> None:
    database = filled(opened, 1)

    def fail() -> None:
        with database.locked():
            database.insert({"n": 2})
            database.compact()
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert numbers(opened()) == [1]


def test_unit_is_one_line_or_nothing(path: Path, opened: Opened) -> None:
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


def test_others_changes_are_seen_with_the_next_look(opened: Opened) -> None:
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


def test_update_by_condition_sees_what_others_just_wrote(opened: Opened) -> None:
    one, other = opened(), opened()
    for _ in range(20):
        for database in (one, other):
            database.upsert({"id": "a"}, where("id") == "a")
            database.update(lambda row: row.update(n=row.get("n", 0) + 1), where("id") == "a")
    assert one.all() == other.all() == [{"id": "a", "n": 40}]


def test_nobody_waits_while_documents_are_made(opened: Opened) -> None:
    database = opened()
    database.insert_multiple({"is_locked": database._file._is_locked} for _ in range(2))
    assert database.all() == [{"is_locked": False}] * 2


def test_threads_lose_nothing(opened: Opened) -> None:
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


def test_two_processes_writing_400_records_lose_none(path: Path, opened: Opened) -> None:
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


def test_lock_of_somebody_else_is_a_clear_error_and_that_of_a_dead_one_none(
    opened: Opened, holder: subprocess.Popen[bytes]
) -> None:
    database = opened(lock_timeout_s=0.05)
    with pytest.raises(StoreError, match=r"records/documents\.jsonl .*locked") as caught:
        database.insert({"n": 2})
    assert caught.value.code == "locked"
    assert "\n" not in str(caught.value)
    assert numbers(database) == []  # reading waits for nobody
    holder.kill()
    holder.wait()
    database.insert({"n": 3})
    assert numbers(opened()) == [3]


def test_forked_process_works_on_whatever_threads_of_its_parent_were_doing(opened: Opened) -> None:
    database = filled(opened, 1)
    may_end, has_begun = threading.Event(), threading.Event()

    def look() -> None:
        with database._file.reading():
            has_begun.set()
            may_end.wait(60)

    thread = threading.Thread(target=look)
    thread.start()
    has_begun.wait(60)
    child = os.fork()
    if not child:
        try:
            signal.alarm(20)
            database.insert({"n": 2})
            os._exit(len(database))
        finally:
            os._exit(99)
    may_end.set()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
    thread.join()
    database.insert({"n": 3})
    assert numbers(database) == [1, 2, 3]


# ---------------------------------------------------------------------------------------------- rows by their text id


def test_documents_and_tinydb_see_the_same_rows(opened: Opened) -> None:
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


def test_rows_are_kept_all_or_none(path: Path, opened: Opened) -> None:
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


def test_id_that_is_taken_is_a_conflict_also_when_somebody_else_took_it(opened: Opened) -> None:
    one, other = opened().documents("task"), opened().documents("task")
    one.add({"id": "a"})
    with pytest.raises(StoreError, match="task a is there already") as caught:
        other.add({"id": "a"})
    assert caught.value.code == "conflict"


def test_change_that_fails_or_renames_changes_nothing(opened: Opened) -> None:
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


def test_removed_rows_are_counted_and_come_again_at_the_end(opened: Opened) -> None:
    documents = opened().documents("task")
    documents.put({"id": "a"}, {"id": "b"}, {"id": "c"})
    assert documents.get("a") == {"id": "a"}
    assert documents.remove("a", "a", "x", "b") == 2
    assert (documents.get("a"), len(documents)) == (None, 1)
    assert documents.remove() == 0
    documents.put({"id": "a"})
    for reader in (documents, opened().documents("task")):
        assert reader.find() == [{"id": "c"}, {"id": "a"}]
        assert reader.find({"id": "a"}) == [{"id": "a"}]
        assert reader.find(newest_first=True, limit=1) == [{"id": "a"}]


def test_number_of_a_removed_row_is_not_given_again(opened: Opened) -> None:
    database = opened()
    documents = database.documents("task")
    documents.put({"id": "a"}, {"id": "b"})
    documents.remove("b")
    documents.put({"id": "c"})
    assert [row.doc_id for row in database.table("task")] == [1, 3]


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
