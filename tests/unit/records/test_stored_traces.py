"""Traces in a store are the same as those in memory; what cannot be written waits and is not lost."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import StoreError, UnknownNameError
from lango_nb.core.ids import CountedIds
from lango_nb.engine import Engine
from lango_nb.lab import Lab
from lango_nb.records.stored_traces import StoredTraces, not_run
from lango_nb.records.traces import MOST_KEPT, Traces
from lango_nb.records.turns import Trace
from lango_nb.stores.opening import open_store
from tests.cast import Cast, Line, spawn
from tests.kept import KINDS, MARK, address, filling_disk, kept_engine, team_of_two, wait_for_it

REQUESTS = ("list the files", "how many lines does notes.md have?", "delete notes.md", "thanks", "read gone.md")


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return address(request.param, tmp_path)


@pytest.fixture
def opened() -> Iterator[Any]:
    engines: list[Engine] = []

    def open_it(store: object, *lines: Line, **options: Any) -> Engine:
        engines.append(kept_engine(store, {"root": lines}, **options))
        return engines[-1]

    yield open_it
    for engine in engines:
        engine.close()


def played(place: Path, store: str, topology: str) -> tuple[Trace, ...]:
    """Ask the offline model the same things under the same clock, and return the traces."""
    place.mkdir(exist_ok=True)
    (place / "notes.md").write_text("one\ntwo\n")
    with closing(
        Lab(
            topology,
            workspace=place,
            home=place / "home",
            store=store,
            approver="allow",
            clock=SteppedClock(),
            ids=CountedIds(),
        )
    ) as lab:
        for request in REQUESTS:
            lab.ask(request)
        return tuple(lab.engine.traces)


@pytest.mark.parametrize("topology", ["solo", "sextet", "octet"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_requests_leave_the_same_traces_in_memory_and_in_a_store(
    tmp_path: Path, topology: str, kind: str
) -> None:
    there = address(kind, tmp_path)
    in_memory = played(tmp_path / "work", "memory", topology)
    assert played(tmp_path / "work", there, topology) == in_memory
    with closing(open_store(there)) as store:
        read = tuple(StoredTraces(store))
    assert [trace.turn for trace in read] == [trace.turn for trace in in_memory]
    for one, other in zip(read, in_memory, strict=True):
        assert (one.events, one.messages, one.runs) == (other.events, other.messages, other.runs)
        assert [decision.id for decision in one.decisions] == [decision.id for decision in other.decisions]
        assert [decision.route for decision in one.decisions] == [decision.route for decision in other.decisions]


def test_a_later_engine_reads_what_an_earlier_one_wrote(store: str, opened: Any) -> None:
    first = kept_engine(store, team_of_two(MARK))
    trace = first.run_sync("Mark it")
    first.close()
    later = opened(store)
    for ref in (1, -1, "1", "-1", trace.turn.id):
        found = later.traces.get(ref)
        assert (found.turn, found.events, found.messages, found.runs) == (
            trace.turn,
            trace.events,
            trace.messages,
            trace.runs,
        )
    assert later.traces.turns() == (trace.turn,)
    assert later.traces.numbers() == [1]
    assert len(later.traces) == 1


def test_turns_of_two_engines_share_one_numbering(store: str, opened: Any) -> None:
    one, other = opened(store, "1", "3"), opened(store, "2", "4")
    for engine in (one, other, one, other):
        engine.run_sync("Next")
    assert [turn.answer for turn in one.traces.turns()] == ["1", "2", "3", "4"]
    assert one.traces.turns() == other.traces.turns()
    assert one.traces.get(-1).turn.answer == "4"
    assert one.traces.get(2).turn == other.traces.get(2).turn


def test_a_turn_that_runs_is_not_listed_and_can_be_looked_at(store: str, opened: Any) -> None:
    seen: list[Any] = []
    other = opened(store)

    async def look(_messages: object) -> str:
        seen.extend([len(other.traces), list(other.traces.turns()), other.traces.get(1).turn.outcome])
        return "Done."

    opened(store, look).run_sync("Look")
    assert seen == [0, [], "running"]
    assert len(other.traces) == 1


@pytest.mark.parametrize("wrong", [0, 2, -2, "turn-9", "", "x" * 500])
def test_what_is_not_there_is_said_with_what_is(store: str, opened: Any, wrong: int | str) -> None:
    engine = opened(store, "One.")
    engine.run_sync("First")
    with pytest.raises(UnknownNameError, match="there is: 1"):
        engine.traces.get(wrong)


def test_only_the_latest_are_kept_in_memory_and_older_ones_are_read(tmp_path: Path) -> None:
    lines = [f"{number}" for number in range(1, MOST_KEPT + 4)]
    with closing(kept_engine(tmp_path / "records", {"root": lines}, settings={"store": {"durability": "none"}})) as e:
        traces = [e.run_sync("Next") for _ in lines]
        assert isinstance(e.traces, StoredTraces)
        assert len(e.traces._kept) == MOST_KEPT
        assert e.traces.get(1).turn == traces[0].turn
        assert e.traces.get(1) is not traces[0]
        assert e.traces.get(-1) is traces[-1]


def test_ids_of_labs_on_one_home_do_not_collide(tmp_path: Path) -> None:
    ids = []
    for _ in range(3):
        with closing(Lab("octet", workspace=tmp_path, home=tmp_path / "home")) as lab:
            trace = lab.ask("list the files").record
            ids += [trace.turn.id, *(run.id for run in trace.runs), *(one.id for one in trace.decisions)]
    assert len(set(ids)) == len(ids) == 9
    assert (ids[0], ids[3]) == ("turn-1-1", "turn-2-1")


class TestWhatCannotBeWritten:
    def test_a_turn_whose_rows_somebody_removed_is_written_again(
        self, tmp_path: Path, opened: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        from tests.stores import change_sqlite

        async def remove(_messages: object) -> str:
            change_sqlite(tmp_path, "DELETE FROM turns WHERE number = 2")
            return "Two."

        engine = opened(address("sqlite", tmp_path), "One.", remove, "Three.")
        engine.run_sync("First")
        with caplog.at_level(logging.WARNING, logger="lango_nb"):
            second = engine.run_sync("Second")
        assert "turn 2 was removed while it ran; it is written down again as turn 3" in caplog.text
        assert engine.run_sync("Third").turn.number == 4
        assert [(turn.number, turn.text) for turn in engine.traces.turns()] == [
            (1, "First"),
            (3, "Second"),
            (4, "Third"),
        ]
        assert engine.traces.get(second.turn.id).events == second.events

    def test_a_store_that_is_closed_meanwhile_is_no_written_turn(self, store: str) -> None:
        async def close(_messages: object) -> str:
            engine.records.close()
            return "One."

        engine = kept_engine(store, {"root": [close]})
        with pytest.raises(
            StoreError, match="turn 1 ended with success after its records were closed, and is not in them"
        ):
            engine.run_sync("First")
        assert engine.traces.get(1).turn.answer == "One."
        with closing(kept_engine(store)) as later:
            assert [item.number for item in later.records.found] == [1]

    def test_it_can_be_exported_before_it_is_lost(self, tmp_path: Path) -> None:
        with filling_disk(tmp_path) as room:
            model = Cast({"lango-agent": ["One.", room.filling("Two.")]})
            lab = Lab("solo", workspace=tmp_path, home=tmp_path / "home", model=model)
            lab.ask("First")
            with pytest.raises(StoreError):
                lab.ask("Second")
            assert lab.status.record["not written"] == "turn 2: only in memory yet, see %lango doctor"
            assert [turn.text for turn in lab.turns] == ["First", "Second"]
            (finding, *_) = (found for found in lab.doctor().record if found.status == "fail")
            assert finding.turn_number == 2
            room.free()  # a file elsewhere has room
            one = lab.open(lab.export(tmp_path / "turn.jsonl", 2))
            assert [trace.turn.answer for trace in one.record] == ["Two."]
            both = lab.open(lab.export(tmp_path / "session.jsonl", session="main"))
            assert [trace.turn.answer for trace in both.record] == ["One.", "Two."]
            for name in ("page.html", "spans.json"):
                assert lab.export(tmp_path / name, 2).stat().st_size > 500
            room.free()
            lab.close()

    @pytest.mark.parametrize("code", ["full", "locked", "store"])
    def test_the_refusal_names_the_place_once(self, code: str) -> None:
        said = str(not_run(StoreError("the index cannot be written: broken; mend that", code), "~/records"))
        assert said == "the request was not run: in ~/records, the index cannot be written: broken; mend that"
        said = str(not_run(StoreError("~/records cannot be written; mend that", code), "~/records"))
        assert said == "the request was not run: ~/records cannot be written; mend that"


def test_late_events_are_no_part_of_the_trace_and_are_read_with_their_run(store: str) -> None:
    import asyncio

    from tests.cast import Gate

    gate = Gate()
    lines: dict[str, list[Line]] = {"root": [spawn("operator", "Do it"), "Going on."], "operator": [gate.then("done")]}
    engine = kept_engine(store, lines)

    async def play() -> Trace:
        trace = await engine.run("Start")
        gate.opened.set()
        await engine.runs.wait(trace.runs[0].id, 10)
        await asyncio.sleep(0)
        return trace

    trace = asyncio.run(play())
    engine.close()
    with closing(kept_engine(store)) as later:
        assert later.traces.get(1).events == trace.events
        kinds = [event.kind for event in later.runs.events(trace.runs[0].id)]
        assert kinds[:2] == ["run.started", "child.forked"]
        assert kinds[-2:] == ["run.finished", "child.merged"]
        assert later.runs.get(trace.runs[0].id).status == "completed"
        assert trace.runs[0].status != "completed", "as it was at the end of the turn"


def test_in_memory_nothing_waits(opened: Any) -> None:
    engine = opened(None, "One.")
    engine.run_sync("First")
    assert type(engine.traces) is Traces
    assert engine.traces.unsaved == ()
    engine.traces.write_late("turn-1")
    engine.records.save()
    engine.records.save_rest()


def test_in_memory_rows_are_made_when_they_are_asked_for(tmp_path: Path) -> None:
    engine = kept_engine(None, {"root": [spawn("operator", "Do it"), wait_for_it, "Fine."], "operator": ["done"]})
    trace = engine.run_sync("Do it")
    (row,) = engine.store.log.rows()
    assert (row["id"], row["outcome"]) == (trace.turn.id, "success")
    assert [event["kind"] for event in engine.store.log.read(trace.turn.id).events] == [  # type: ignore[union-attr]
        event.kind for event in trace.events
    ]
