"""Runs are written down as they change, and every later engine finds them."""

from __future__ import annotations

import logging
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lango_nb.core.errors import StoreError, UnknownNameError
from lango_nb.records.agent_run import AgentRun
from lango_nb.records.runs import RunPatch, Runs
from lango_nb.records.stored_runs import KIND, StoredRuns, run_row
from lango_nb.stores.opening import open_store
from lango_nb.stores.sql import memory_store
from lango_nb.stores.store import Store
from tests.kept import KINDS, MARK, address, filling_disk, kept_engine, race, team_of_two

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def a_run(run_id: str = "arun-1", **more: object) -> AgentRun:
    made = AgentRun(
        id=run_id, parent_id="main", requested_agent="vault", instruction="Hash it.", created_at=NOW, turn_id="turn-1"
    )
    return made.changed(**more)


@pytest.fixture(params=("memory", *KINDS))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return memory_store() if request.param == "memory" else open_store(address(request.param, tmp_path))


def test_each_change_is_there_for_whoever_looks(store: Store) -> None:
    runs = Runs(StoredRuns(store))
    runs.create(a_run())
    runs.create(a_run("arun-2"))
    runs.project("arun-1", RunPatch(runtime_condition="blocked_waiting_approval", blocked_reason="it is dangerous"))
    seen = StoredRuns(store).get("arun-1")
    assert seen is not None
    assert (seen.status, seen.runtime_condition) == ("spawned", "blocked_waiting_approval")
    runs.finish("arun-1", "completed", "a hash", at=NOW)
    runs.cancel("arun-2", NOW, "no longer wanted")
    assert StoredRuns(store).list() == list(runs.list())
    assert [(run.status, run.result) for run in Runs(StoredRuns(store)).list()] == [
        ("completed", "a hash"),
        ("cancelled", ""),
    ]
    assert [run.id for run in StoredRuns(store).of_turn("turn-1")] == ["arun-1", "arun-2"]
    assert StoredRuns(store).of_turn("turn-2") == []


def test_those_that_live_name_the_opening_that_made_them(store: Store) -> None:
    runs = Runs(StoredRuns(store))
    for number in (1, 2, 3):
        runs.create(a_run(f"arun-{number}"))
    runs.finish("arun-2", "failed", error="no", at=NOW)
    assert [(writer, run.id) for writer, run in StoredRuns(store).living()] == [
        (store.writer(), "arun-1"),
        (store.writer(), "arun-3"),
    ]


def test_ending_it_is_for_the_first_who_tries(store: Store) -> None:
    kept = StoredRuns(store)
    Runs(kept).create(a_run())
    assert kept.end(a_run(status="cancelled", error="its process is gone"))
    assert not kept.end(a_run(status="failed", error="somebody else"))
    assert not kept.end(a_run(status="cancelled"))
    found = kept.get("arun-1")
    assert found is not None
    assert (found.status, found.error) == ("cancelled", "its process is gone")


def test_one_whose_row_is_lost_is_written_down_with_its_end(store: Store) -> None:
    assert StoredRuns(store).end(a_run(status="cancelled"))
    assert [run.status for run in StoredRuns(store).list()] == ["cancelled"]


@pytest.mark.parametrize("kind", KINDS)
def test_of_several_processes_that_end_it_one_does(tmp_path: Path, kind: str) -> None:
    there = address(kind, tmp_path)
    with closing(open_store(there)) as store:
        for number in range(20):
            store.documents(KIND).put(run_row(a_run(f"arun-{number}"), 1))

    def end() -> list[bool]:
        with closing(open_store(there)) as store:
            return [StoredRuns(store).end(a_run(f"arun-{n}", status="cancelled")) for n in range(20)]

    assert [sum(tried) for tried in zip(*race(end, end, end), strict=True)] == [1] * 20


def test_a_run_that_is_not_there_names_those_that_are(store: Store) -> None:
    Runs(StoredRuns(store)).create(a_run())
    with pytest.raises(UnknownNameError, match="run 'arun-7' not found; did you mean 'arun-1'"):
        Runs(StoredRuns(store)).get("arun-7")


def test_what_cannot_be_written_is_said_once_and_written_with_the_next_change(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with filling_disk(tmp_path) as room, closing(open_store(tmp_path / "records")) as store:
        kept = StoredRuns(store)
        runs = Runs(kept)
        runs.create(a_run())
        room.fill()
        with caplog.at_level(logging.WARNING, logger="lango_nb"):
            runs.project("arun-1", RunPatch(blocked_reason="it is dangerous"))
            runs.finish("arun-1", "completed", "a hash", at=NOW)
            runs.create(a_run("arun-2"))
        (record,) = caplog.records
        assert record.getMessage().startswith("run arun-1 is not written down yet; it is kept in memory: ")
        assert runs.get("arun-1").result == "a hash"
        with pytest.raises(StoreError, match="make room on the disk"):
            kept.save()
        room.free()
        kept.save()
        assert [(run.id, run.status) for run in StoredRuns(store).list()] == [
            ("arun-1", "completed"),
            ("arun-2", "spawned"),
        ]
        kept.save()


@pytest.mark.parametrize("kind", KINDS)
def test_a_later_engine_shows_runs_and_their_events(tmp_path: Path, kind: str) -> None:
    there = address(kind, tmp_path)
    with closing(kept_engine(there, team_of_two(MARK))) as engine:
        trace = engine.run_sync("Mark it")
        events = engine.runs.events(trace.runs[0].id)
    with closing(kept_engine(there)) as later:
        (run,) = later.runs.list()
        assert run == trace.runs[0]
        assert later.runs.get(run.id) == run
        assert later.runs.events(run.id) == events
        assert len(later.runs) == 1
        assert later.runs.own() == ()
