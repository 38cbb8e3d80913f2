"""Whatever happens to a session's file, what was acknowledged and not touched is there.

``LANGO_KILLS`` says how many writers are killed; with ``LANGO_STRIDE=1`` every single byte of a file is changed.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lango_nb.stores.folder import FolderStore
from lango_nb.stores.lines import decode
from lango_nb.stores.store import Durability, Row, StoredTurn
from lango_nb.testing.stores.children import Child, Line
from lango_nb.testing.stores.samples import BODY, begun, ended, event, events

KILLS = int(os.environ.get("LANGO_KILLS", "15"))
STRIDE = int(os.environ.get("LANGO_STRIDE", "29"))
SESSIONS = ("main", "other", "a/b")
Said = list[list[Any]]


def everything(store: FolderStore) -> dict[str, StoredTurn]:
    """Read all turns, in each of the ways there are."""
    found = {str(turn.row["id"]): turn for turn in store.log.scan()}
    assert {str(row["id"]): written for row, written in store.log.events()} == {
        key: turn.events for key, turn in found.items()
    }
    assert {str(turn.row["id"]): turn.body for turn in store.log.scan(with_events=False)} == {
        key: turn.body for key, turn in found.items()
    }
    assert [row["id"] for row in store.log.rows()] == list(found)
    return found


def work(place: Path, seed: int, durability: Durability, line: Line) -> None:
    """Begin, fill, close and remove turns until killed, and tell of everything that was acknowledged."""
    choose = random.Random(seed)
    log = FolderStore(place, durability=durability).log
    done: list[str] = []
    for count in range(100_000):
        key = f"turn-{seed}-{count}"
        row = begun(key, choose.choice(SESSIONS), "x" * choose.randrange(2000))
        number = log.begin(row, [event(key, 1)])
        line.say(["begun", key, number])
        if choose.random() < 0.7:
            log.write(key, [event(key, 2, "y" * choose.randrange(500))], is_urgent=choose.random() < 0.3)
            line.say(["written", key, 2])
        if choose.random() < 0.9:
            log.finish(key, events(key, 3, 3 + choose.randrange(4)), ended(row), BODY)
            line.say(["ended", key])
            done.append(key)
        if done and choose.random() < 0.2:
            gone = choose.sample(done, min(len(done), 1 + choose.randrange(3)))
            line.say(["removing", *gone])
            assert log.remove(gone) == len(gone)
            line.say(["removed", *gone])
            done = [key for key in done if key not in gone]


def look_at(found: dict[str, StoredTurn], said: Said) -> None:
    """Make sure that everything is there that was acknowledged."""
    told = {word: {key for what, *keys in said if what == word for key in keys} for word in ("removing", "removed")}
    for what, key, *numbers in said:
        if what in told or (key in told["removing"] and key not in found):
            continue
        turn = found[key]
        seqs = [row["seq"] for row in turn.events]
        assert seqs == sorted(set(seqs)), "each once, in order"  # type: ignore[type-var]
        assert 1 in seqs
        if what == "begun":
            assert turn.row["number"] == numbers[0]
        elif what == "written":
            assert 2 in seqs
        else:
            assert turn.row["outcome"] == "success"
            assert turn.body == BODY
            assert seqs[-1] >= 3  # type: ignore[operator]
    assert not told["removed"] & found.keys()


def look_again(place: Path, said: Said) -> None:
    """Make sure of it with the index there is, and without one."""
    store = FolderStore(place)
    found = everything(store)
    look_at(found, said)
    assert {problem.code for problem in store.problems} <= {"torn"}
    numbers = [turn.row["number"] for turn in found.values()]
    assert len(set(numbers)) == len(numbers)
    assert {problem.code for problem in store.check()} <= {"unfinished"}
    left = [str(row["id"]) for row in store.log.unfinished()]
    assert left == [key for key, turn in found.items() if turn.row["outcome"] == "running"]
    for key in left:
        store.log.finish(key, [], {**found[key].row, "outcome": "cancelled"}, {})
    assert store.check() == []
    found = everything(store)
    store.close()
    (place / "index.jsonl").unlink(missing_ok=True)
    store = FolderStore(place)
    assert everything(store) == found
    assert store.problems == store.check() == []
    store.close()


@pytest.mark.parametrize("durability", ["turn", "none"])
def test_killed_writers_lose_nothing_that_was_acknowledged(tmp_path: Path, durability: Durability) -> None:
    choose = random.Random(20260102)
    said: Said = []
    for seed in range(KILLS // 2):
        workers = [partial(work, tmp_path / "records", 2 * seed + side, durability) for side in (0, 1)]
        with Child(workers[0]) as one, Child(workers[1]) as other:
            said += [one.hear(), other.hear()]
            time.sleep(choose.uniform(0, 0.15))
            said += one.kill() + other.kill()
        look_again(tmp_path / "records", said)
    assert sum(what == "ended" for what, *_ in said) > 20, "else the children did not get far enough to tell anything"


def told(store: FolderStore) -> set[str]:
    return {problem.code for problem in store.problems}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session with a turn that is closed, one with late events between, and one that is open."""
    place = tmp_path_factory.mktemp("written") / "records"
    store = FolderStore(place, durability="none")
    for key in ("first", "second"):
        store.log.begin(begun(key), events(key, 1, 2))
    store.log.write("first", events("first", 3, 3))
    store.log.finish("second", events("second", 3, 4), ended(begun("second")), BODY)
    store.log.finish("first", events("first", 4, 5), ended(begun("first")), {**BODY, "runs": [{"id": "run-1"}]})
    store.log.write("second", events("second", 5, 6))
    store.log.begin(begun("third"), events("third", 1, 3))
    store.close()
    return place


def without_a_line(found: dict[str, StoredTurn], line: Row, *, has_index: bool) -> dict[str, StoredTurn]:
    """Say what may be left when one line cannot be read any more."""
    key = str(line.get("turn_id"))
    if key == "None":
        return found
    turn = found[key]
    match line.get("record"):
        case "end" if has_index:
            turn = StoredTurn(turn.row, turn.events, {})
        case "end":
            turn = StoredTurn({**begun(key), "number": turn.row["number"], "outcome": "running"}, turn.events, {})
        case "begin" if key == "third" and not has_index:
            row: Row = {"id": key, "session_id": "main", "text": "", "started_at": turn.events[0]["at"]}
            turn = StoredTurn({**row, "outcome": "running", "number": turn.row["number"]}, turn.events, {})
        case None:
            turn = StoredTurn(turn.row, [event for event in turn.events if event != line], turn.body)
    return {**found, key: turn}


def change_a_byte(written: Path, place: Path, at: int, byte: int, *, has_index: bool) -> None:
    """Change a byte of the session's file, and see what is lost."""
    shutil.copytree(written, place)
    store = FolderStore(place)
    whole = everything(store)
    store.close()
    path = next((place / "events").iterdir())
    data = path.read_bytes()
    line = decode(data[data.rfind(b"\n", 0, at) + 1 :].partition(b"\n")[0])
    is_newline = data[at : at + 1] == b"\n"
    with path.open("r+b") as file:
        file.seek(at)
        file.write(bytes([byte]))
    if not has_index:
        (place / "index.jsonl").unlink()
    store = FolderStore(place)
    found = everything(store)
    if found != whole:
        assert not is_newline, "lines that were glued together are found again"
        assert found == without_a_line(whole, line, has_index=has_index)
        assert told(store) & {"damaged", "torn"}
    store.log.begin(begun("fourth"), events("fourth", 1, 1))
    store.log.finish("fourth", [], ended(begun("fourth")), BODY)
    goes_on = everything(store)
    assert {key: goes_on[key] for key in found} == found
    store.close()
    assert everything(FolderStore(place)) == goes_on


@pytest.mark.parametrize("has_index", [True, False], ids=["with an index", "without one"])
def test_a_changed_byte_loses_at_most_its_line(written: Path, tmp_path: Path, has_index: bool) -> None:
    path = next((written / "events").iterdir())
    data = path.read_bytes()
    newlines = {at for at, byte in enumerate(data) if byte == ord("\n")}
    for at in sorted({*range(0, len(data), STRIDE), *newlines, len(data) - 1, len(data) - 2}):
        place = tmp_path / str(at)
        change_a_byte(written, place, at, data[at] ^ 1, has_index=has_index)
        shutil.rmtree(place)


@given(at=st.integers(0, 2**20), byte=st.integers(0, 255), has_index=st.booleans())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_changed_byte_loses_at_most_its_line(
    written: Path, tmp_path: Path, at: int, byte: int, has_index: bool
) -> None:
    size = next((written / "events").iterdir()).stat().st_size
    change_a_byte(written, tmp_path / "records", at % size, byte, has_index=has_index)
    shutil.rmtree(tmp_path / "records")


@pytest.mark.parametrize("has_index", [True, False], ids=["with an index", "without one"])
def test_a_torn_end_loses_what_was_never_acknowledged(tmp_path: Path, has_index: bool) -> None:
    store = FolderStore(tmp_path / "before", durability="none")
    store.log.begin(begun("first"), events("first", 1, 2))
    store.log.finish("first", events("first", 3, 3), ended(begun("first")), BODY)
    store.log.begin(begun("second"), events("second", 1, 1))
    before = everything(store)
    store.close()
    path = next((tmp_path / "before" / "events").iterdir())
    start = path.stat().st_size
    shutil.copytree(tmp_path / "before", tmp_path / "after")
    store = FolderStore(tmp_path / "after", durability="none")
    store.log.finish("second", events("second", 2, 3), ended(begun("second")), BODY)
    after = everything(store)
    store.close()
    data = (tmp_path / "after" / "events" / path.name).read_bytes()
    for end in range(start, len(data) + 1):
        place = tmp_path / str(end)
        shutil.copytree(tmp_path / "before", place)
        (place / "events" / path.name).write_bytes(data[:end])
        if not has_index:
            (place / "index.jsonl").unlink()
        store = FolderStore(place, durability="none")
        found = everything(store)
        lines = data[start:end].split(b"\n")
        whole = sum(_is_whole(line) for line in lines)
        assert found["first"] == before["first"]
        assert found["second"] == after["second"] if whole == 3 else len(found["second"].events) == 1 + whole
        is_torn = bool(lines[-1]) and not _is_whole(lines[-1])
        assert told(store) == ({"torn"} if is_torn else set())
        if whole < 3:
            store.log.finish("second", events("second", 2 + whole, 3), ended(begun("second")), BODY)
        assert everything(store) == after
        assert store.check() == []
        store.close()
        shutil.rmtree(place)


def _is_whole(line: bytes) -> bool:
    try:
        return bool(decode(line))
    except ValueError:
        return False


def play_many(place: Path, side: int, sessions: int, line: Line) -> None:
    """Play turns beside somebody else who does the same."""
    log = FolderStore(place, durability="none").log
    line.hear()
    for count in range(200):
        key = f"{side}-{count}"
        row = begun(key, f"session-{count % sessions}")
        number = log.begin(row, events(key, 1, 1))
        log.write(key, events(key, 2, 2))
        log.finish(key, events(key, 3, 3), ended(row), BODY)
        line.say([key, number])


@pytest.mark.parametrize("sessions", [1, 50])
def test_two_processes_lose_nothing_and_give_every_number_once(tmp_path: Path, sessions: int) -> None:
    players = [partial(play_many, tmp_path / "records", side, sessions) for side in (0, 1)]
    with Child(players[0]) as one, Child(players[1]) as other:
        watcher = FolderStore(tmp_path / "records")
        for child in (one, other):
            child.say()
        said: list[list[Any]] = one.rest() + other.rest()
    assert sorted(number for _, number in said) == list(range(1, 401))
    for store in (watcher, FolderStore(tmp_path / "records")):
        found = everything(store)
        assert {key: turn.row["number"] for key, turn in found.items()} == dict(said)
        assert all([row["seq"] for row in turn.events] == [1, 2, 3] for turn in found.values())
        assert all(turn.body == BODY for turn in found.values())
        assert store.problems == store.check() == []
