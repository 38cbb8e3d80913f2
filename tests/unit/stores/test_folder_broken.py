"""A folder store whose disk, files or neighbours are not as they should be."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.errors import StoreError
from lango_nb.stores.disk import Disk
from lango_nb.stores.event_log import file_name
from lango_nb.stores.folder import FolderStore
from lango_nb.stores.lines import decode, encode
from lango_nb.testing.stores.children import Child, Line
from lango_nb.testing.stores.samples import BODY, begun, ended, event, events, play
from tests.journals import FailingDisk

Opening = Callable[..., FolderStore]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "records"


@pytest.fixture
def opening(folder: Path) -> Iterator[Opening]:
    stores: list[FolderStore] = []

    def opened(**options: Any) -> FolderStore:
        stores.append(FolderStore(folder, **options))
        return stores[-1]

    yield opened
    for store in stores:
        store.close()


@pytest.fixture
def disk() -> FailingDisk:
    return FailingDisk()


def main_file(folder: Path) -> Path:
    return folder / "events" / file_name("main")


def codes(store: FolderStore) -> list[str]:
    return [problem.code for problem in store.problems]


def seqs(store: FolderStore, key: str = "turn-1") -> list[Any]:
    turn = store.log.read(key)
    assert turn is not None
    return [row["seq"] for row in turn.events]


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock"}


@pytest.mark.parametrize("room", [0, 1, 60, 700])
def test_on_a_full_disk_a_turn_stays_open_until_there_is_room(
    folder: Path, opening: Opening, disk: FailingDisk, room: int
) -> None:
    store = opening(disk=disk)
    store.log.begin(begun(), events("turn-1", 1, 1))
    size = main_file(folder).stat().st_size
    disk.room = room
    for _ in range(3):
        with pytest.raises(StoreError, match="make room on the disk") as caught:
            store.log.finish("turn-1", events("turn-1", 2, 9), ended(begun()), BODY)
        assert caught.value.code == "full"
        assert seqs(store) == [1]
        with pytest.raises(StoreError, match="make room on the disk"):
            store.log.write("turn-1", events("turn-1", 2, 9))
        with pytest.raises(StoreError, match="make room on the disk"):
            store.log.begin(begun("turn-2"))
        assert main_file(folder).stat().st_size == size
    disk.room = None
    store.log.write("turn-1", events("turn-1", 2, 2))
    store.log.finish("turn-1", events("turn-1", 3, 4), ended(begun()), BODY)
    assert store.log.begin(begun("turn-2")) in {2, 3, 4, 5}
    for found in (store, opening()):
        assert seqs(found) == [1, 2, 3, 4]
        assert [row["outcome"] for row in found.log.rows()] == ["success", "running"]
        assert found.problems == []


@pytest.mark.parametrize("can_cut", [True, False], ids=["cut", "not even cut"])
def test_a_turn_that_could_not_be_forced_to_the_disk_is_finished_later(
    opening: Opening, disk: FailingDisk, can_cut: bool
) -> None:
    store = opening(disk=disk)
    store.log.begin(begun(), events("turn-1", 1, 1))
    disk.sync_error, disk.truncate_error = errno.EIO, 0 if can_cut else errno.EIO
    for _ in range(2):
        with pytest.raises(StoreError, match="Input/output error"):
            store.log.finish("turn-1", events("turn-1", 2, 3), ended(begun()), BODY)
    disk.sync_error = disk.truncate_error = 0
    store.log.finish("turn-1", events("turn-1", 2, 3), ended(begun()), BODY)
    with pytest.raises(StoreError, match="has ended already"):
        store.log.finish("turn-1", events("turn-1", 2, 3), ended(begun()), BODY)
    for found in (store, opening()):
        assert seqs(found) == [1, 2, 3]
        assert found.check() == []


def test_an_event_that_could_not_be_forced_to_the_disk_is_not_there(opening: Opening, disk: FailingDisk) -> None:
    store = opening(disk=disk)
    store.log.begin(begun())
    disk.sync_error = errno.EIO
    with pytest.raises(StoreError):
        store.log.write("turn-1", [event(seq=1)], is_urgent=True)
    assert seqs(store) == []
    disk.sync_error = 0
    store.log.write("turn-1", [event(seq=1)], is_urgent=True)
    assert seqs(store) == seqs(opening()) == [1]


def test_a_turn_that_could_not_begin_is_nowhere(opening: Opening, disk: FailingDisk) -> None:
    store = opening(disk=disk, durability="event")
    store.log.begin(begun("before"))
    disk.sync_error = errno.EIO
    with pytest.raises(StoreError):
        store.log.begin(begun(), [event(seq=1)])
    with pytest.raises(StoreError):
        store.log.begin(begun("turn-2", "new session"), [event("turn-2")])
    disk.sync_error = 0
    assert [row["id"] for row in store.log.rows()] == ["before"]
    for key, session in (("turn-1", "main"), ("turn-2", "new session")):
        store.log.begin(begun(key, session), [event(key, 7)])
    for found in (store, opening()):
        assert [row["id"] for row in found.log.rows()] == ["before", "turn-1", "turn-2"]
        assert seqs(found, "turn-1") == seqs(found, "turn-2") == [7]


class FullForIndex(Disk):
    """A disk with room for everything but the index."""

    is_full = False

    def write_some(self, descriptor: int, data: memoryview) -> int:
        if self.is_full and Path(f"/proc/self/fd/{descriptor}").readlink().name.startswith("index"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write_some(descriptor, data)


def test_an_index_that_cannot_be_written_costs_no_turn(opening: Opening) -> None:
    disk = FullForIndex()
    store = opening(disk=disk)
    store.log.begin(begun(), events("turn-1", 1, 1))
    disk.is_full = True
    store.log.finish("turn-1", events("turn-1", 2, 2), ended(begun()), BODY)
    assert codes(store) == ["full"]
    with pytest.raises(StoreError, match="make room on the disk"):
        store.log.begin(begun("turn-2"), events("turn-2", 1, 1))
    assert [row["outcome"] for row in store.log.rows()] == ["success"]
    disk.is_full = False
    play(store.log, "turn-2")
    for found in (store, opening()):
        assert [row["outcome"] for row in found.log.rows()] == ["success", "success"]
        assert seqs(found, "turn-1") == [1, 2]
        assert seqs(found, "turn-2") == [1, 2, 3, 4]


@pytest.mark.parametrize("rest", [b"{", b'{"kind":"text","turn_id":"turn-1"', b"\x00\x00\x00"])
def test_a_torn_end_is_cut_off_before_anybody_appends(folder: Path, opening: Opening, rest: bytes) -> None:
    store, other = opening(), opening()
    store.log.begin(begun(), events("turn-1", 1, 1))
    with main_file(folder).open("ab") as file:
        file.write(rest)
    assert seqs(other) == [1], "perhaps somebody is just writing"
    assert other.problems == []
    store.log.write("turn-1", events("turn-1", 2, 2))
    assert codes(store) == ["torn"]
    assert f"the last {len(rest)} bytes" in store.problems[0].detail
    assert seqs(other) == seqs(opening()) == [1, 2]


def test_a_last_line_that_lacks_its_newline_is_kept(folder: Path, opening: Opening) -> None:
    opening().log.begin(begun(), events("turn-1", 1, 1))
    os.truncate(main_file(folder), main_file(folder).stat().st_size - 1)
    store = opening()
    store.log.write("turn-1", events("turn-1", 2, 2))
    assert seqs(store) == seqs(opening()) == [1, 2]
    assert store.problems == []


def test_damage_is_reported_and_set_aside_once(folder: Path, opening: Opening) -> None:
    store = opening()
    play(store.log)
    play(store.log, "turn-2")
    path = main_file(folder)
    data = path.read_bytes().replace(b"word 3", b"w?rd 3", 1)
    with path.open("r+b") as file:
        file.write(data)
    for found in (store, opening()):
        for _ in range(2):
            assert seqs(found) == [1, 2, 4]
            assert seqs(found, "turn-2") == [1, 2, 3, 4]
        assert codes(found) == ["damaged"]
    (aside,) = (folder / ".quarantine").iterdir()
    assert aside.read_bytes() == next(line for line in data.splitlines() if b"w?rd" in line)
    assert store.problems[0].where == f"events/{path.name}"
    assert aside.name in store.problems[0].detail
    assert [problem.code for problem in store.check()] == ["damaged"]
    assert store.log.remove(["turn-1"]) == 1
    assert store.check() == opening().check() == []


def test_a_file_of_somebody_else_is_left_alone(folder: Path, opening: Opening) -> None:
    play(opening().log)
    foreign = folder / "events" / "shopping.jsonl"
    foreign.write_text('{"milk": 2}\n{"bread": 1}\n')
    store = opening()
    assert store.log.count() == 1
    assert codes(store)[:1] == ["damaged"]
    assert foreign.read_text() == '{"milk": 2}\n{"bread": 1}\n'


def test_a_file_that_is_removed_while_a_turn_is_open_is_written_again(folder: Path, opening: Opening) -> None:
    store = opening()
    play(store.log, "before")
    store.log.begin(begun(), events("turn-1", 1, 1))
    main_file(folder).unlink()
    store.log.write("turn-1", events("turn-1", 2, 2))
    store.log.finish("turn-1", events("turn-1", 3, 3), ended(begun()), BODY)
    assert codes(store) == ["missing"]
    assert "nothing is lost" in store.problems[0].detail
    for found in (store, opening()):
        assert seqs(found) == [1, 2, 3]
        assert seqs(found, "before") == [1, 2, 3, 4]


def test_the_whole_folder_may_go_while_a_turn_is_open(folder: Path, opening: Opening) -> None:
    store = opening()
    play(store.log, "before")
    store.log.begin(begun(), events("turn-1", 1, 1))
    shutil.rmtree(folder)
    store.log.finish("turn-1", events("turn-1", 2, 2), ended(begun()), BODY)
    assert seqs(opening()) == [1, 2]
    assert seqs(opening(), "before") == [1, 2, 3, 4]


@pytest.mark.parametrize("harm", ["an older file", "an empty file", "cut in place"])
def test_an_open_turn_outlives_a_file_that_is_changed_under_it(folder: Path, opening: Opening, harm: str) -> None:
    store = opening()
    play(store.log, "before")
    path = main_file(folder)
    older = path.read_bytes()
    play(store.log, "between")
    store.log.begin(begun(), events("turn-1", 1, 2))
    if harm == "cut in place":
        os.truncate(path, len(older))
    else:
        new = folder / "new"
        new.write_bytes(older if harm == "an older file" else b"")
        new.replace(path)
    store.log.write("turn-1", events("turn-1", 3, 3))
    store.log.finish("turn-1", events("turn-1", 4, 4), ended(begun()), BODY)
    assert codes(store) == ["missing", "missing"]
    kept = [] if harm == "an empty file" else ["before"]
    for found in (store, opening()):
        assert [row["id"] for row in found.log.rows()] == [*kept, "turn-1"]
        assert seqs(found) == ([3, 4] if harm == "cut in place" else [1, 2, 3, 4])
    assert opening().check() == []


def test_turns_of_a_file_that_is_gone_are_missed_and_listed_no_longer(folder: Path, opening: Opening) -> None:
    store = opening()
    play(store.log)
    play(store.log, "turn-2", "other")
    main_file(folder).unlink()
    assert [problem.code for problem in store.check()] == ["missing"]
    assert store.log.read("turn-1") is None
    assert [row["id"] for row in store.log.rows()] == ["turn-2"]
    assert codes(store) == ["missing"]
    later = opening()
    assert [row["id"] for row in later.log.rows()] == ["turn-2"]
    assert later.problems == []


def test_check_changes_nothing(folder: Path, opening: Opening) -> None:
    opening().log.begin(begun(), events("turn-1", 1, 3))
    play(opening().log, "turn-2", "other")
    store = opening()
    path = main_file(folder)
    with path.open("r+b") as file:
        file.write(path.read_bytes().replace(b"word 2", b"w?rd 2") + b"{torn")
    before = snapshot(folder)
    found = store.check()
    assert [problem.code for problem in found] == ["damaged", "torn"]
    assert all(problem.where == f"events/{path.name}" for problem in found)
    assert snapshot(folder) == before
    assert store.problems == []


@pytest.mark.parametrize("name", ["index.jsonl", f"events/{file_name('main')}"])
def test_a_newer_file_is_refused_and_left_as_it_is(folder: Path, opening: Opening, name: str) -> None:
    store = opening()
    play(store.log)
    store.close()
    path = folder / name
    first, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(encode({**decode(first), "schema": 2}) + b"".join(rest))
    before = snapshot(folder)
    with pytest.raises(StoreError, match="newer lango_nb") as caught:
        opening()
    assert caught.value.code == "newer_schema"
    assert snapshot(folder) == before


def hold(folder: Path, line: Line) -> None:
    store = FolderStore(folder)
    with store._files.lock(file_name("main")):
        line.say("held")
        line.hear()


def test_a_lock_that_another_process_holds_is_an_error_in_time(folder: Path, opening: Opening) -> None:
    store = opening(lock_timeout_s=0.1)
    store.log.begin(begun(), [event(seq=1)])
    with Child(lambda line: hold(folder, line)) as child:
        assert child.hear() == "held"
        start = time.monotonic()
        with pytest.raises(StoreError, match=r"locked by another process for 0\.1 s; try again") as caught:
            store.log.write("turn-1", [event(seq=2)])
        assert 0.1 <= time.monotonic() - start < 5
        assert caught.value.code == "locked"
        assert seqs(store) == [1], "reading goes on"
        child.kill()
        store.log.write("turn-1", [event(seq=2)])
    assert seqs(store) == [1, 2]


def test_a_lock_among_threads_is_an_error_in_time(opening: Opening) -> None:
    from threading import Thread

    store = opening(lock_timeout_s=0.05)
    store.log.begin(begun())
    caught: list[StoreError] = []

    def write() -> None:
        try:
            store.log.write("turn-1", [event()])
        except StoreError as error:
            caught.append(error)

    with store._files.lock(file_name("main")):
        thread = Thread(target=write)
        thread.start()
        thread.join()
    assert [error.code for error in caught] == ["locked"]
    write()
    assert len(caught) == 1
