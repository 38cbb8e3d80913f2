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
    assert (found.status, found.text) == ("ok", "journal store with 1 turn, all sound")


def test_every_problem_is_told_once_with_its_next_step() -> None:
    torn = Problem("torn", "events/main.jsonl", "the last line was cut and is left out")
    bad = Problem("damaged", "documents.jsonl", "line 3 is set aside", "look into .quarantine")
    assert len(looked(engine_on(DiskStore(found=(torn,))), "store")) == 1
    found = looked(engine_on(DiskStore(found=(torn,), checked=(torn, bad))), "store")
    assert [(finding.status, finding.next_step) for finding in found] == [
        ("warn", ""),
        ("fail", "look into .quarantine"),
    ]
    assert found[0].text == "events/main.jsonl: the last line was cut and is left out"


def test_damage_that_was_set_aside_and_is_seen_again_is_told_once() -> None:
    before = Problem("damaged", "a.jsonl", "3 bytes at 7 are in .quarantine/a")
    again = Problem("damaged", "a.jsonl", "3 bytes at 7 are no line")
    more = Problem("damaged", "a.jsonl", "9 bytes at 90 are no line")
    other = Problem("damaged", "b.jsonl", "1 byte at 1 is no line")
    found = looked(engine_on(DiskStore(found=(before,), checked=(again, other))), "store")
    assert [finding.text for finding in found] == [f"a.jsonl: {before.detail}", f"b.jsonl: {other.detail}"]
    found = looked(engine_on(DiskStore(found=(before,), checked=(again, more))), "store")
    assert [finding.text for finding in found] == [f"a.jsonl: {again.detail}", f"a.jsonl: {more.detail}"]


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


@pytest.mark.parametrize("where", ["{}", "{}/not/there/yet", "sqlite:///{}/records.db"])
def test_little_room_is_a_warning(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = DiskStore(where.format(tmp_path))
    store.name = "sqlite" if where.startswith("sqlite") else "journal"
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


@pytest.mark.parametrize(("name", "where"), [("postgresql", "postgresql://db/lango"), ("sqlite", "sqlite:///:memory:")])
def test_records_elsewhere_have_no_disk_here(name: str, where: str) -> None:
    store = DiskStore(where)
    store.name = name
    assert looked(engine_on(store), "disk")[0].status == "skip"
