"""Who has a folder open, and who is gone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lango_nb.core.errors import StoreError
from lango_nb.stores.folder import FolderStore
from lango_nb.stores.store import Row
from lango_nb.testing.stores.children import Child, Line
from lango_nb.testing.stores.samples import BODY, begun, ended, event, play

Opening = Callable[[], FolderStore]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "records"


@pytest.fixture
def opening(folder: Path) -> Iterator[Opening]:
    stores: list[FolderStore] = []

    def opened() -> FolderStore:
        stores.append(FolderStore(folder))
        return stores[-1]

    yield opened
    for store in stores:
        store.close()


def locks(folder: Path) -> list[str]:
    return sorted(path.stem for path in (folder / "writers").glob("[0-9]*.lock"))


def ids(rows: list[Row]) -> list[object]:
    return [row["id"] for row in rows]


def test_who_only_looks_is_no_writer(folder: Path, opening: Opening) -> None:
    play(opening().log)
    looking = opening()
    looking.log.rows()
    looking.log.read("turn-1")
    looking.log.unfinished()
    assert locks(folder) == ["1"]


def test_no_number_is_given_twice(folder: Path, opening: Opening) -> None:
    for number in range(1, 6):
        store = opening()
        assert store.writer() == store.writer() == number
        store.close()
    (folder / "writers" / "numbers.jsonl").write_bytes(b"no line at all\n")
    store = opening()
    store.log.begin(begun())
    assert [problem.code for problem in store.problems] == ["damaged"]
    assert store.writer() >= 1
    number = store.writer()
    store.close()
    (folder / "writers" / "numbers.jsonl").unlink()
    assert opening().writer() == number + 1, "the turn that it began knows its number"


def test_a_lock_file_goes_with_its_writer(folder: Path, opening: Opening) -> None:
    one, other = opening(), opening()
    assert (one.writer(), other.writer()) == (1, 2)
    one.close()
    assert locks(folder) == ["2"]
    (folder / "writers" / "1.lock").touch()
    (folder / "writers" / "9.lock").touch()
    assert other.log.unfinished() == []
    assert locks(folder) == ["2"], "those of dead writers are swept"


def test_open_turns_are_unfinished_once_their_store_is_closed(opening: Opening) -> None:
    one, other = opening(), opening()
    one.log.begin(begun())
    other.log.begin(begun("turn-2"))
    assert one.log.unfinished() == other.log.unfinished() == []
    assert not other.is_gone(one.writer())
    number = one.writer()
    one.close()
    assert other.is_gone(number)
    assert ids(other.log.unfinished()) == ["turn-1"]
    other.log.finish("turn-1", [event(seq=9)], {**begun(), "outcome": "cancelled"}, {})
    assert other.log.unfinished() == []


def test_what_a_dead_process_finished_is_not_unfinished(folder: Path, opening: Opening) -> None:
    store = opening()
    store.log.begin(begun())
    before = (folder / "index.jsonl").read_bytes()
    other = opening()
    assert ids(other.log.rows()) == ["turn-1"]
    store.log.finish("turn-1", [], ended(begun()), BODY)
    store.close()
    (folder / "index.jsonl").write_bytes(before)  # as if the process had died between the log and the index
    for found in (other, opening()):
        assert found.log.unfinished() == []
        assert found.log.rows()[0]["outcome"] == "success"


def begin_and_wait(folder: Path, line: Line) -> None:
    store = FolderStore(folder)
    store.log.begin(begun())
    line.say(store.writer())
    line.hear()


def test_a_killed_process_is_gone_and_a_living_one_is_not(folder: Path, opening: Opening) -> None:
    with Child(lambda line: begin_and_wait(folder, line)) as child:
        number = child.hear()
        store = opening()
        assert not store.is_gone(number)
        assert store.log.unfinished() == []
        child.kill()
        assert store.is_gone(number)
        assert ids(store.log.unfinished()) == ["turn-1"]


def test_a_child_is_another_writer_and_keeps_nobody_alive(folder: Path, opening: Opening) -> None:
    store = opening()
    store.log.begin(begun())

    def in_child(line: Line) -> None:
        line.say(store.writer())
        store.log.begin(begun("turn-2"))
        line.say(ids(store.log.unfinished()))
        store.log.finish("turn-2", [], ended(begun("turn-2")), BODY)
        store.log.begin(begun("turn-3"))
        line.say("begun")
        line.hear()

    with Child(in_child) as child:
        assert child.hear() == 2
        assert child.hear() == [], "the parent is alive"
        assert child.hear() == "begun"
        store.close()
        watching = opening()
        assert ids(watching.log.unfinished()) == ["turn-1"], "the child does not hold the parent's lock"
        child.kill()
        assert ids(watching.log.unfinished()) == ["turn-1", "turn-3"]
    assert [(row["number"], row["outcome"]) for row in watching.log.rows()] == [
        (1, "running"),
        (2, "success"),
        (3, "running"),
    ]


def test_a_child_that_ends_leaves_the_parent_its_lock(folder: Path, opening: Opening) -> None:
    store = opening()
    store.log.begin(begun())
    with Child(lambda line: store.close()) as child:
        assert child.rest() == []
    other = opening()
    assert other.log.unfinished() == []
    assert locks(folder) == ["1"]
    store.log.finish("turn-1", [event(seq=1)], ended(begun()), BODY)
    assert ids(other.log.rows()) == ["turn-1"]


def test_a_missing_lock_file_means_gone(folder: Path, opening: Opening) -> None:
    opening().log.begin(begun())
    for path in (folder / "writers").iterdir():
        path.unlink()
    assert ids(opening().log.unfinished()) == ["turn-1"]


@pytest.mark.skipif(os.name == "nt", reason="no such rights there")
def test_nobody_becomes_a_writer_of_a_folder_that_may_only_be_read(folder: Path, opening: Opening) -> None:
    opening().log.begin(begun())

    def read_only(line: Line) -> None:
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        for path in folder.parents:
            if path.stat().st_uid == os.getuid() and path.stat().st_mode & 0o777 == 0o700:
                path.chmod(0o711)
        if not os.geteuid():
            os.setuid(65534)
        before = sorted(map(str, folder.rglob("*")))
        store = FolderStore(folder)
        line.say(ids(store.log.rows()))
        line.say(ids(store.log.unfinished()))
        try:
            store.writer()
        except StoreError as error:
            line.say(error.code)
        store.close()
        line.say(sorted(map(str, folder.rglob("*"))) == before)

    with Child(read_only) as child:
        assert child.rest() == [["turn-1"], [], "read_only", True]
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
