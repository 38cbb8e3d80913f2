"""Locks on files, among threads and processes."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path
from threading import Barrier, Thread

import filelock
import pytest

from lango_nb.core.errors import StoreError
from lango_nb.core.locks import PathLock
from lango_nb.stores.sql import sqlite_store
from lango_nb.stores.writers import FileLocks
from lango_nb.testing.stores.children import Child, Line


def count_up(path: Path) -> None:
    path.write_text(str(int(path.read_text()) + 1))


def test_one_thread_at_a_time_is_in(tmp_path: Path) -> None:
    counter, lock, start = tmp_path / "counter", PathLock(tmp_path / "a.lock", 10, "it"), Barrier(8)
    counter.write_text("0")

    def work() -> None:
        start.wait()
        for _ in range(50):
            with lock:
                count_up(counter)

    threads = [Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.read_text() == "400"


def test_one_process_at_a_time_is_in(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")

    def work(line: Line) -> None:
        lock = PathLock(tmp_path / "a.lock", 30, "it")
        line.hear()
        for _ in range(300):
            with lock, lock:
                count_up(counter)

    with Child(work) as one, Child(work) as other:
        for child in (one, other):
            child.say()
        assert one.rest() == other.rest() == []
    assert counter.read_text() == "600"


def test_two_objects_of_one_path_exclude_each_other(tmp_path: Path) -> None:
    one, other = (PathLock(tmp_path / "deep" / "er" / "a.lock", 0.01, "the thing") for _ in range(2))
    with one:
        assert not other.take()
        with (
            pytest.raises(StoreError, match=r"the thing has been locked by another process for 0\.01 s") as caught,
            other,
        ):
            pass
        assert caught.value.code == "locked"
        assert not other.is_held
    with other:
        assert other.is_held
    assert not other.is_held


def test_it_is_the_lock_that_filelock_knows(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    lock, same = PathLock(path, 0, "it"), filelock.FileLock(path)
    with same:
        assert not lock.take()
    with lock, pytest.raises(filelock.Timeout):
        same.acquire(blocking=False)


def test_filelock_does_it_where_there_is_no_flock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PathLock, "_take", PathLock._take_elsewhere)
    one, other = (PathLock(tmp_path / "a.lock", 0.01, "it") for _ in range(2))
    with one, one:
        assert not other.take()
    with other:
        assert not one.take()
        with pytest.raises(StoreError, match="locked by another process"), one:
            pass


@pytest.fixture
def no_flock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the file system have no locks, as some network folders have none."""

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", refuse)


@pytest.mark.usefixtures("no_flock")
def test_without_locks_of_the_file_system_a_file_names_who_holds_it(tmp_path: Path) -> None:
    one, other = (PathLock(tmp_path / "a.lock", 0.01, "it") for _ in range(2))
    with one, one:
        assert not other.take()
    with other:
        assert not one.take()
        with pytest.raises(StoreError, match="locked by another process"), one:
            pass
    assert list(tmp_path.glob("*.held")) == []


@pytest.mark.usefixtures("no_flock")
def test_without_locks_of_the_file_system_a_dead_process_holds_none(tmp_path: Path) -> None:
    child = os.fork()
    if not child:
        PathLock(tmp_path / "a.lock", 0, "it").take()
        os._exit(0)
    os.waitpid(child, 0)
    assert list(tmp_path.glob("*.held"))
    lock = PathLock(tmp_path / "a.lock", 0, "it")
    assert lock.take()
    assert not PathLock(tmp_path / "a.lock", 0, "it").take()
    lock.let_go()
    assert PathLock(tmp_path / "a.lock", 0, "it").take()


@pytest.mark.usefixtures("no_flock")
def test_a_store_works_without_flock(tmp_path: Path) -> None:
    store, other = (sqlite_store(tmp_path / "records.db") for _ in range(2))
    number = store.writer()
    store.documents("task").put({"id": "task-1", "title": "Water the plants"})
    assert not other.is_gone(number)
    store.close()
    assert other.is_gone(number)
    assert other.documents("task").find() == [{"id": "task-1", "title": "Water the plants"}]
    other.close()


def test_a_lock_file_that_is_removed_while_it_is_waited_for_locks_nobody_out(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    one, other = PathLock(path, 0, "it"), PathLock(path, 0, "it")
    with one:
        path.unlink()
        with other:
            assert path.exists()


def test_a_dead_process_holds_no_lock(tmp_path: Path) -> None:
    def work(line: Line) -> None:
        with PathLock(tmp_path / "a.lock", 0, "it"):
            line.say("in")
            line.hear()

    lock = PathLock(tmp_path / "a.lock", 0, "it")
    with Child(work) as child:
        child.hear()
        assert not lock.take()
        child.kill()
        assert lock.take()
    lock.let_go()
    lock.let_go()


def test_a_child_neither_has_the_lock_of_its_parent_nor_gives_it_back(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    lock = PathLock(path, 0, "it")

    def work(line: Line) -> None:
        line.say(lock.is_held)
        line.say(lock.take())
        lock.let_go()
        line.hear()

    with lock, Child(work) as child:
        assert child.hear() is False
        assert child.hear() is False
        assert not PathLock(path, 0, "it").take()
        lock.__exit__(None, None, None)
        with PathLock(path, 0, "it"):  # the child lives, and has nothing of it
            child.say()
        lock.__enter__()


def test_where_no_file_may_be_made_there_is_no_lock(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="it cannot be locked: Not a directory"):
        PathLock(tmp_path / "file" / "a.lock", 0, "it").take()


def test_a_writer_whose_lock_may_not_even_be_looked_at_is_not_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locks = FileLocks(tmp_path / "records.db")
    assert locks.gone([1]) == {1}

    def exists(_path: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "exists", exists)
    assert locks.gone([1]) == set()
