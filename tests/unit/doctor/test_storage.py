"""The store's problems, what is not written, and the room there is."""

import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from lango_nb.stores.sql import memory_store
from lango_nb.stores.store import Problem
from tests.unit.doctor.cases import DiskStore, engine_on, keep, looked

Usage = namedtuple("Usage", "total used free")  # noqa: PYI024 - what shutil returns


def test_records_in_memory_are_skipped_with_how_to_keep_them() -> None:
    (found,) = looked(engine_on(memory_store()), "store")
    assert (found.status, found.text) == ("skip", "records are kept in memory, not on a disk")
    assert "Lab(home=FOLDER)" in found.next_step


def test_a_sound_store_is_fine() -> None:
    store = DiskStore()
    keep(store.log)
    (found,) = looked(engine_on(store), "store")
    assert (found.status, found.text) == ("ok", "sqlite store with 1 turn, all sound")


def test_every_problem_is_told_once_with_its_next_step() -> None:
    left = Problem("unfinished", "turns", "turn 3 is open, and the process that began it is gone")
    bad = Problem("damaged", "events", "3/7 is not what was written; it is left out", "restore it from a copy")
    assert len(looked(engine_on(DiskStore(found=(left,))), "store")) == 1
    found = looked(engine_on(DiskStore(found=(left,), checked=(left, bad))), "store")
    assert [(finding.status, finding.next_step) for finding in found] == [
        ("warn", ""),
        ("fail", "restore it from a copy"),
    ]
    assert found[0].text == "turns: turn 3 is open, and the process that began it is gone"


def test_damage_that_was_met_before_and_is_seen_again_is_told_once() -> None:
    before = Problem("damaged", "events", "3/7 was left out")
    again = Problem("damaged", "events", "3/7 is not what was written")
    more = Problem("damaged", "events", "9/90 is not what was written")
    other = Problem("damaged", "tasks", "task-1 is not what was written")
    found = looked(engine_on(DiskStore(found=(before,), checked=(again, other))), "store")
    assert [finding.text for finding in found] == [f"events: {before.detail}", f"tasks: {other.detail}"]
    found = looked(engine_on(DiskStore(found=(before,), checked=(again, more))), "store")
    assert [finding.text for finding in found] == [f"events: {again.detail}", f"events: {more.detail}"]


@pytest.mark.parametrize("code", ["full", "missing", "newer_schema", "unsaved"])
def test_what_may_cost_records_fails(code: str) -> None:
    problem = Problem(code, "x", "y")  # type: ignore[arg-type]
    assert [finding.status for finding in looked(engine_on(DiskStore(checked=(problem,))), "store")] == ["fail"]


def test_without_durability_the_promise_is_void() -> None:
    engine = engine_on(DiskStore())
    void = engine.settings.store.model_copy(update={"durability": "none"})
    engine.settings = engine.settings.model_copy(update={"store": void})
    found = looked(engine, "store")
    assert [finding.status for finding in found] == ["warn", "ok"]
    assert "power cut" in found[0].text


def test_turns_that_are_not_written_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = engine_on(DiskStore())
    engine.run_sync("hello")
    traces = tuple(engine.traces)
    monkeypatch.setattr(type(engine.traces), "unsaved", traces)
    (found,) = looked(engine, "store")
    assert (found.status, found.turn_number) == ("fail", 1)
    assert found.text == "1 finished turn could not be written and is only in this process"


@pytest.mark.parametrize("where", ["{}/records.db", "{}/not/there/yet/records.db"])
def test_little_room_is_a_warning(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = DiskStore(where.format(tmp_path))
    asked: list[Path] = []

    def usage(folder: Path) -> Usage:
        asked.append(folder)
        return Usage(2**40, 0, 99 * 2**20 if len(asked) == 1 else 101 * 2**20)

    monkeypatch.setattr(shutil, "disk_usage", usage)
    engine = engine_on(store)
    (found,) = looked(engine, "disk")
    assert (found.status, found.text) == ("warn", "only 99 MB are free where records lie")
    assert asked == [tmp_path]
    assert looked(engine, "disk")[0].status == "ok"


def test_records_elsewhere_have_no_disk_here() -> None:
    store = DiskStore("postgresql://db/lango")
    store.name = "postgresql"
    assert looked(engine_on(store), "disk")[0].status == "skip"
