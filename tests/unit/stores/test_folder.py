"""A folder store: what it writes where, and that nothing but the logs is needed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.errors import StoreError
from lango_nb.stores.disk import Disk
from lango_nb.stores.event_log import file_name
from lango_nb.stores.folder import FolderStore, shown
from lango_nb.stores.store import Durability, StoredTurn, TurnQuery
from lango_nb.testing.stores.samples import BODY, begun, ended, event, events, play

Opening = Callable[..., FolderStore]


class Witness(Disk):
    """A disk that remembers what was done."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def open(self, path: Path, flags: int) -> int:
        if flags == os.O_RDONLY and path.parent.name == "events":
            self.done.append(f"read {path.name}")
        return super().open(path, flags)

    def write_some(self, descriptor: int, data: memoryview) -> int:
        target = Path(f"/proc/self/fd/{descriptor}").readlink()
        if target.parent.name == "events":
            self.done.append("write")
        return super().write_some(descriptor, data)

    def sync(self, descriptor: int) -> None:
        target = Path(f"/proc/self/fd/{descriptor}").readlink()
        self.done.append("sync" if target.parent.name == "events" else f"sync {target.name}")
        super().sync(descriptor)

    def since(self) -> list[str]:
        done, self.done = self.done, []
        return [deed for deed in done if not deed.startswith("read")]


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


def lines_of(folder: Path, session: str = "main") -> list[Any]:
    return [json.loads(line) for line in (folder / "events" / file_name(session)).read_text().splitlines()]


def turn_of(store: FolderStore, key: str = "turn-1") -> StoredTurn:
    turn = store.log.read(key)
    assert turn is not None
    return turn


def seqs(store: FolderStore, key: str = "turn-1") -> list[Any]:
    return [row["seq"] for row in turn_of(store, key).events]


def test_opening_and_looking_writes_nothing(folder: Path, opening: Opening) -> None:
    store = opening()
    assert store.log.rows() == store.log.sessions() == store.log.unfinished() == []
    assert store.check() == []
    assert store.log.read("turn-1") is None
    assert store.documents("task").find() == []
    store.close()
    assert not folder.exists()


def test_every_line_is_plain_json_and_says_what_it_is(folder: Path, opening: Opening) -> None:
    log = opening().log
    log.begin(begun(), events("turn-1", 1, 1))
    log.finish("turn-1", events("turn-1", 2, 2), ended(begun()), BODY)
    head, begin, first, second, end = lines_of(folder)
    assert (head["schema"], head["kind"], head["session"]) == (1, "events", "main")
    assert (begin["record"], begin["writer"], begin["row"]["number"]) == ("begin", 1, 1)
    assert [first["text"], second["text"]] == ["word 1", "word 2"]
    assert (end["record"], end["row"]["outcome"], end["body"]) == ("end", "success", BODY)


@pytest.mark.parametrize(
    "sessions",
    [("a/b", "a_b", "a\\b"), ("", ".", "..", "../../x"), ("main", "MAIN", "Main"), ("x" * 10_000, "x" * 9_999)],
    ids=["slashes", "dots", "cases", "long"],
)
def test_any_text_is_a_session(folder: Path, opening: Opening, sessions: tuple[str, ...]) -> None:
    log = opening().log
    for session in sessions:
        play(log, f"turn of {session}", session)
    names = [path.name for path in (folder / "events").iterdir()]
    assert len({name.casefold() for name in names}) == len(sessions)
    assert [row["id"] for row in opening().log.sessions()] == list(sessions)
    for session in sessions:
        assert lines_of(folder, session)[0]["session"] == session
        assert [row["id"] for row in log.rows(TurnQuery(session=session))] == [f"turn of {session}"]


@pytest.mark.parametrize(
    ("durability", "promised"),
    [
        ("turn", [[], [], ["sync"], ["sync"], []]),
        ("event", [["sync"], ["sync"], ["sync"], ["sync"], ["sync"]]),
        ("none", [[], [], [], [], []]),
    ],
)
def test_bytes_are_forced_to_the_disk_when_it_was_promised(
    opening: Opening, durability: Durability, promised: list[list[str]]
) -> None:
    disk = Witness()
    log = opening(durability=durability, disk=disk).log
    steps: list[Callable[[], object]] = [
        lambda: log.begin(begun(), events("turn-1", 1, 2)),
        lambda: log.write("turn-1", events("turn-1", 3, 4)),
        lambda: log.write("turn-1", events("turn-1", 5, 5), is_urgent=True),
        lambda: log.finish("turn-1", events("turn-1", 6, 9), ended(begun()), BODY),
        lambda: log.write("turn-1", events("turn-1", 10, 11)),
    ]
    for step, synced in zip(steps, promised, strict=True):
        step()
        assert disk.since() == ["write", *synced], "and everything in one write"


def test_sync_forces_late_events_to_the_disk(opening: Opening) -> None:
    disk = Witness()
    store = opening(disk=disk)
    play(store.log)
    disk.since()
    store.log.write("turn-1", events("turn-1", 5, 5))
    store.sync()
    store.sync()
    assert disk.since() == ["write", "sync"]


def test_documents_that_were_not_urgent_are_on_the_disk_with_the_end_of_the_turn(opening: Opening) -> None:
    disk = Witness()
    store = opening(disk=disk)
    store.log.begin(begun())
    store.documents("run").put({"id": "run-1"}, is_urgent=False)
    disk.since()
    store.log.finish("turn-1", [], ended(begun()), BODY)
    assert disk.since() == ["sync documents.jsonl", "write", "sync"]


def test_a_listing_reads_no_event(opening: Opening) -> None:
    log = opening().log
    for number in range(20):
        play(log, f"turn-{number}", f"session-{number % 3}")
    disk = Witness()
    log = opening(disk=disk).log
    assert len(log.rows(TurnQuery(agent="operator", text="hello"))) == 20
    assert log.count() == 20
    assert len(log.sessions()) == 3
    assert log.unfinished() == []
    assert disk.done == []
    log.read("turn-7")
    assert disk.done == [f"read {file_name('session-1')}"]


def test_turns_that_run_at_once_in_one_session_are_kept_apart(opening: Opening) -> None:
    log = opening().log
    for key in ("one", "other"):
        log.begin(begun(key), events(key, 1, 1))
    for seq in range(2, 6):
        for key in ("one", "other"):
            log.write(key, events(key, seq, seq))
    log.finish("other", events("other", 6, 6), ended(begun("other")), {"runs": ["other"]})
    log.finish("one", events("one", 6, 6), ended(begun("one")), {"runs": ["one"]})
    log.write("other", events("other", 7, 7))
    for store in (opening(), opening()):
        for key, last in (("one", 6), ("other", 7)):
            assert turn_of(store, key).events == events(key, 1, last)
            assert turn_of(store, key).body == {"runs": [key]}


@pytest.mark.parametrize(
    "row",
    [
        {"kind": "text"},
        {"kind": "text", "turn_id": "another"},
        event(record="end", row={}, body={}),
        event(crc="00000000"),
        event(schema=7),
        event(text='\n{"record":"end","crc":"00000000"}\n'),
        event(size=2**80),
        event(text="\ud800"),
    ],
    ids=["no turn", "another turn", "like an end", "like a checksum", "like a header", "a line within", "big", "half"],
)
def test_an_event_is_never_taken_for_something_else(opening: Opening, row: dict[str, Any]) -> None:
    log = opening().log
    log.begin(begun(), [row])
    log.write("turn-1", [row, event(seq=2)])
    log.finish("turn-1", [row], ended(begun()), BODY)
    (_, found), *_ = opening().log.events()
    assert found == turn_of(opening()).events == [row, row, event(seq=2), row]
    assert turn_of(opening()).body == BODY


@pytest.mark.parametrize("harm", ["lost", "empty", "torn", "damaged", "older", "nonsense"])
def test_the_index_is_made_anew_from_the_logs(folder: Path, opening: Opening, harm: str) -> None:
    store = opening()
    path = folder / "index.jsonl"
    for number in range(1, 4):
        play(store.log, f"turn-{number}", "a" if number % 2 else "b")
        if number == 1:
            older = path.read_bytes()
    store.log.begin(begun("turn-4", "a"), [event("turn-4")])
    store.log.write("turn-1", [event("turn-1", 9)])
    before = {str(turn.row["id"]): turn for turn in store.log.scan()}
    store.close()
    data = path.read_bytes()
    harms: dict[str, Callable[[], object]] = {
        "lost": path.unlink,
        "empty": lambda: path.write_bytes(b""),
        "torn": lambda: path.write_bytes(data[:-20]),
        "damaged": lambda: path.write_bytes(data.replace(b"turn-2", b"turn-7")),
        "older": lambda: path.write_bytes(older),
        "nonsense": lambda: path.write_bytes(b'{"schema":1,"kind":"poems","crc":"5d7f4ad5"}\n' + os.urandom(99)),
    }
    harms[harm]()
    for _ in range(2):
        store = opening()
        assert {str(turn.row["id"]): turn for turn in store.log.scan()} == before
        assert store.log.begin(begun(f"new-{store.writer()}", "c")) > 4
        store.log.finish(f"new-{store.writer()}", [], ended(begun(f"new-{store.writer()}", "c")), {})
        store.log.remove([f"new-{store.writer()}"])
        store.close()


def test_a_number_is_never_given_twice(folder: Path, opening: Opening) -> None:
    log = opening().log
    for key in ("one", "two", "three"):
        play(log, key, key)
    assert log.remove(["two", "three"]) == 2
    assert log.begin(begun("four")) == 4
    log.finish("four", [], ended(begun("four")), {})
    log.remove(["four"])
    for store in (opening(), opening()):
        store.close()
        (folder / "index.jsonl").unlink(missing_ok=True)
    assert opening().log.begin(begun("five")) == 5
    assert log.begin(begun("six")) == 6, "in the process that knows nothing of it"


def test_removing_touches_no_other_session_and_no_open_turn(folder: Path, opening: Opening) -> None:
    log = opening().log
    for number in range(6):
        play(log, f"turn-{number}", f"session-{number % 3}")
    log.begin(begun("open", "session-0"), [event("open", 1)])
    before = {path.name: path.read_bytes() for path in (folder / "events").iterdir()}
    assert log.remove(["turn-0", "turn-1", "turn-4", "open", "unknown"]) == 3
    after = {path.name: path.read_bytes() for path in (folder / "events").iterdir()}
    assert after.keys() == {file_name("session-0"), file_name("session-2")}
    assert after[file_name("session-2")] == before[file_name("session-2")]
    assert b"turn-0" not in after[file_name("session-0")]
    log.write("open", [event("open", 2)])
    log.finish("open", [event("open", 3)], ended(begun("open", "session-0")), BODY)
    assert [row["id"] for row in opening().log.rows()] == ["turn-2", "turn-3", "turn-5", "open"]
    assert seqs(opening(), "open") == [1, 2, 3]
    assert turn_of(opening(), "turn-3").events == events("turn-3", 1, 4)


def test_a_session_that_is_removed_and_begun_again_is_another_one(opening: Opening) -> None:
    mine, other = opening(durability="none"), opening(durability="none")
    for _ in range(20):
        play(mine.log)
        assert seqs(other) == [1, 2, 3, 4]
        mine.log.remove(["turn-1"])
        play(mine.log, "turn-2")
        assert [row["id"] for row in other.log.rows()] == ["turn-2"]
        assert other.log.read("turn-1") is None
        assert seqs(other, "turn-2") == [1, 2, 3, 4]
        mine.log.remove(["turn-2"])
    assert mine.problems == other.problems == []


def test_a_copied_folder_is_as_good_as_the_first(folder: Path, opening: Opening, tmp_path: Path) -> None:
    log = opening().log
    for number in range(5):
        play(log, f"turn-{number}", f"session-{number % 2}")
    shutil.copytree(folder, tmp_path / "copy")
    copy = FolderStore(tmp_path / "copy")
    assert list(copy.log.scan()) == list(log.scan())
    copy.close()
    disk = Witness()
    FolderStore(tmp_path / "copy", disk=disk).close()
    assert disk.done == [], "it is not read a second time"


def test_what_is_shown_names_no_home_folder(opening: Opening, folder: Path) -> None:
    assert shown(Path.home() / ".lango" / "records") == "~/.lango/records"
    assert shown(Path.home()) == "~"
    assert opening().where == shown(folder)


def test_a_turn_without_a_session_is_refused(opening: Opening, folder: Path) -> None:
    with pytest.raises(StoreError, match="needs a text under 'session_id'"):
        opening().log.begin({"id": "turn-1", "text": "hello"})
    assert not folder.exists()


def test_a_turn_that_cannot_be_json_leaves_nothing_behind(opening: Opening) -> None:
    store = opening()
    nonsense: Any = {1}
    for row, written in (({"x": nonsense}, []), ({}, [{"kind": nonsense}])):
        with pytest.raises(StoreError, match="cannot be stored as JSON"):
            store.log.begin({**begun(), **row}, written)
    assert store.log.begin(begun()) == 1
    with pytest.raises(StoreError, match="cannot be stored as JSON"):
        store.log.finish("turn-1", [], ended(begun()), lambda: {"runs": nonsense})
    store.log.finish("turn-1", [], ended(begun()), BODY)
    assert turn_of(opening()).body == BODY
