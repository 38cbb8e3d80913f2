"""One line per change, a file that stays small, and clear errors when the disk fails."""

from __future__ import annotations

import errno
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tinydb import where
from tinydb.table import Document

from lango_nb.core.errors import StoreError
from lango_nb.stores import lines
from lango_nb.stores.journal import JournalDB
from lango_nb.stores.store import Problem
from tests.journals import FailingDisk, Opened, codes, filled, numbers, texts

# ---------------------------------------------------------------------------------------------- the file


def test_nothing_is_written_before_the_first_change(path: Path, opened: Opened) -> None:
    database = opened()
    assert (len(database), database.all(), database.tables(), database.version) == (0, [], set(), None)
    assert database.documents("task").find() == []
    assert database.documents("task").remove("a", "b") == 0
    assert database.documents("task").change("a", dict) is None
    database.sync()
    assert not path.parent.exists()


def test_first_change_makes_the_file_for_its_owner_alone(path: Path, opened: Opened) -> None:
    opened().insert({"n": 1})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.parent.parent.stat().st_mode) == 0o700


def test_every_line_is_json_with_a_checksum_and_one_change_is_one_line(path: Path, opened: Opened) -> None:
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


def test_change_costs_the_same_however_many_documents_there_are(path: Path, opened: Opened) -> None:
    database = opened(durability="none")
    sizes = []
    for count in (10, 1000):
        database.insert_multiple({"n": number, "pad": "p" * 100} for number in range(count))
        before = path.stat().st_size
        database.update({"x": 1}, doc_ids=[3])
        sizes.append(path.stat().st_size - before)
        database.update({"x": 2}, doc_ids=[3])
    assert sizes[0] == sizes[1]


def test_change_that_changes_nothing_writes_nothing(path: Path, opened: Opened) -> None:
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


# ---------------------------------------------------------------------------------------------- compaction


def test_compaction_keeps_everything_and_its_order(path: Path, opened: Opened) -> None:
    database = filled(opened)
    database.table("empty").truncate()
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


def test_large_snapshot_holds_every_document_once(path: Path, opened: Opened) -> None:
    database = opened(durability="none")
    database.insert_multiple({"n": number, "pad": "p" * 50_000} for number in range(60))
    database.compact()
    assert [change["ops"][0][2] for change in texts(path)[1:]] == list(range(1, 61))
    assert numbers(opened()) == list(range(60))


def test_file_stays_small_however_often_a_document_changes(path: Path, opened: Opened) -> None:
    database = opened(durability="none", compact_at=10_000)
    database.insert({"n": 0, "pad": "p" * 200})
    inodes = set()
    for number in range(500):
        database.update({"n": number}, doc_ids=[1])
        inodes.add(path.stat().st_ino)
        assert path.stat().st_size < 11_000
    assert 5 < texts(path)[0]["generation"] < 20
    assert len(inodes) > 1


def test_file_without_a_past_is_not_written_anew(path: Path, opened: Opened) -> None:
    database = opened(durability="none", compact_at=100)
    for number in range(100):
        database.insert({"n": number})
    assert texts(path)[0]["generation"] == 1


def test_compaction_keeps_the_permissions_of_the_file(path: Path, opened: Opened) -> None:
    database = filled(opened)
    path.chmod(0o640)
    database.compact()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_leftover_of_a_killed_compaction_is_removed(path: Path, opened: Opened) -> None:
    filled(opened)
    leftover = path.with_name("documents.jsonl.tmp")
    leftover.write_bytes(path.read_bytes()[:40])
    assert numbers(opened()) == [1, 2, 3, 4, 5]
    assert not leftover.exists()


def test_file_of_somebody_who_is_compacting_is_left_alone(
    path: Path, opened: Opened, holder: subprocess.Popen[bytes]
) -> None:
    unfinished = path.with_name("documents.jsonl.tmp")
    unfinished.write_bytes(b"")
    assert opened(lock_timeout_s=0.05).all() == []
    assert unfinished.exists()
    holder.kill()
    holder.wait()
    opened()
    assert not unfinished.exists()


# ---------------------------------------------------------------------------------------------- disks that fail


def test_writes_that_are_taken_bit_by_bit_are_whole(opened: Opened, disk: FailingDisk) -> None:
    disk.at_once = 7
    database = opened(disk=disk)
    database.insert_multiple({"n": number} for number in range(50))
    database.compact()
    assert numbers(opened()) == list(range(50))


@pytest.mark.parametrize("room", [0, 1, 40])
def test_full_disk_is_a_clear_error_and_changes_nothing(
    path: Path, opened: Opened, disk: FailingDisk, problems: list[Problem], room: int
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


def test_full_disk_with_the_first_change(path: Path, opened: Opened, disk: FailingDisk) -> None:
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
    opened: Opened, disk: FailingDisk, problems: list[Problem]
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
    path: Path, opened: Opened, disk: FailingDisk, problems: list[Problem]
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


def test_change_that_does_not_reach_the_disk_is_taken_back(path: Path, opened: Opened, disk: FailingDisk) -> None:
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


@pytest.mark.parametrize("goes_on", [True, False])
def test_what_the_system_failed_to_force_is_written_again(
    path: Path, opened: Opened, disk: FailingDisk, *, goes_on: bool
) -> None:
    """After an error it may believe that everything is on the disk, and say so the next time."""
    database = opened(disk=disk)
    database.documents("task").put({"id": "a"}, is_urgent=False)
    disk.sync_error = errno.EIO
    with pytest.raises(StoreError, match="Input/output error"):
        database.sync()
    disk.sync_error = 0
    if goes_on:
        database.insert({"n": 1})
    else:
        database.sync()
    assert texts(path)[0]["generation"] == 2
    assert opened().documents("task").find() == [{"id": "a"}]
    database.insert({"n": 2})
    assert texts(path)[0]["generation"] == 2


@pytest.mark.parametrize("error", [errno.EROFS, errno.EACCES, errno.EPERM])
def test_folder_that_is_read_only_can_be_read(path: Path, opened: Opened, disk: FailingDisk, error: int) -> None:
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
    disk.open_error = 0
    database.insert({"n": 7})
    assert numbers(opened()) == [1, 2, 3, 4, 5, 1, 7]


def test_damage_in_a_folder_that_is_read_only_is_reported_and_left(
    path: Path, opened: Opened, disk: FailingDisk, problems: list[Problem]
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
    path: Path, opened: Opened, disk: FailingDisk, problems: list[Problem]
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
    opened: Opened, disk: FailingDisk, durability: str, expected: list[int]
) -> None:
    database = opened(disk=disk, durability=durability)
    database.insert({"n": 0})
    documents, found = database.documents("task"), []
    disk.synced = 0
    deeds: tuple[Callable[[], object], ...] = (
        lambda: documents.put({"id": "a"}),
        lambda: documents.put({"id": "b"}, is_urgent=False),
        database.sync,
    )
    for deed in deeds:
        deed()
        found.append(disk.synced)
    assert found == expected
    database.sync()
    assert disk.synced == expected[-1]


def test_unit_is_urgent_when_something_in_it_is(opened: Opened, disk: FailingDisk) -> None:
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


def test_closing_forces_everything_to_the_disk_and_ends_it(opened: Opened, disk: FailingDisk) -> None:
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
