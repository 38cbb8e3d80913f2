"""Runs that outlive their turn: what they say, what they are given and what they hand over is in its trace at last."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.ids import CountedIds
from lango_nb.core.messages import SESSION
from lango_nb.engine import Engine
from lango_nb.frames import decisions_df, messages_df, runs_df, steps_df, visibility_df
from lango_nb.records.exporting import read_turns, write_jsonl
from lango_nb.records.history import History
from lango_nb.records.packing import unpack_trace
from lango_nb.records.traces import MOST_KEPT
from lango_nb.records.turns import Trace
from lango_nb.records.visibility import visibility
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.decorator import tool
from tests.cast import Gate, Line, spawn, until, wait
from tests.kept import KINDS, address, die_in, filling_disk, kept_engine


@pytest.fixture(params=["memory", *KINDS])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str | None:
    return None if request.param == "memory" else address(request.param, tmp_path)


def look() -> str:
    """Look."""
    return "seen"


TOOLS = (*builtin_tools(), *(tool(look, name=name, safety="safe") for name in ("fs_look", "crypto_look")))


class Outliving:
    """A turn whose run waits at a gate until it is let go."""

    def __init__(self, store: str | None, lines: Mapping[str, Sequence[Line]] | None = None, **options: Any) -> None:
        self.gate = Gate()
        said: dict[str, Sequence[Line]] = {
            "root": [spawn("operator", "Do it"), "Going on."],
            "operator": [self.gate.then(("fs_look", {})), "All done."],
            "upper": [self.gate.then(spawn("vault", "lower")), wait("arun-2"), "Heard."],
            "lower": ["Done."],
        }
        self.engine: Engine = kept_engine(store, {**said, **(lines or {})}, tools=TOOLS, **options)
        self.at_its_end: Trace
        self.late: Trace

    def play(self, *between: Any) -> Outliving:
        async def scene() -> None:
            self.at_its_end = await self.engine.run("Go")
            await self.gate.arrived.wait()
            for act in between:
                act()
            self.gate.opened.set()
            await until(lambda: all(run.is_terminal for run in self.engine.runs.own()))
            await asyncio.sleep(0)  # whoever ended a run tidies up

        asyncio.run(scene())
        self.late = self.engine.traces.get(self.at_its_end.turn.id)
        return self


@pytest.fixture
def outliving(store: str | None) -> Iterator[Outliving]:
    scene = Outliving(store).play()
    yield scene
    scene.engine.close()


def test_a_trace_has_what_a_run_said_and_did_after_the_end_of_its_turn(outliving: Outliving) -> None:
    before, after = outliving.at_its_end, outliving.late
    assert [run.status for run in before.runs] != ["completed"], "what was known when it was closed"
    assert [run.status for run in after.runs] == ["completed"]
    assert after.turn == before.turn
    assert after.events == before.events
    kinds = ["tool.started", "tool.finished", "text", "run.finished", "child.merged"]
    assert [event.kind for event in after.late] == kinds
    assert after.messages[: len(before.messages)] == before.messages
    assert [message.content for message in after.messages[len(before.messages) :]] == [
        "", "seen", "All done.", "operator reports: All done."
    ]  # fmt: skip
    assert after.messages[-1].conversation == SESSION
    assert [message.id for message in after.messages] == [
        f"{after.turn.id}.{place}" for place in range(1, len(after.messages) + 1)
    ]
    own = [step for step in after.steps if step.agent == "operator"]
    assert [(step.step, step.usage.model) for step in own] == [(own[0].step, "cast"), (own[1].step, "cast")]
    assert "seen" in [message.content for message in after.given(own[1].step)]


def test_who_saw_what_is_known_to_the_end(outliving: Outliving) -> None:
    seen = visibility(outliving.late)
    assert None not in {sight.did_see for sight in seen}
    assert {sight.said.kind for sight in seen if sight.agent == "operator" and sight.did_see} >= {
        "instruction", "call", "result", "text"
    }  # fmt: skip
    assert None in {sight.did_see for sight in visibility(outliving.at_its_end)}


def test_the_store_frames_and_an_export_tell_the_same(outliving: Outliving, tmp_path: Path) -> None:
    engine, late = outliving.engine, outliving.late
    stored = engine.store.log.read(late.turn.id)
    assert stored is not None
    assert unpack_trace(stored) == late
    assert stored.lost == ()
    assert engine.store.check() == []
    history = History(engine.store.log)
    for frame in (messages_df, steps_df, visibility_df, decisions_df):
        assert frame(history).equals(frame(late)), frame
    assert list(runs_df(history)["status"]) == ["completed"]
    write_jsonl(tmp_path / "out.jsonl", engine.store.log.scan())
    assert [unpack_trace(turn) for turn in read_turns(tmp_path / "out.jsonl")] == [late]


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_the_same_in_the_next_process(tmp_path: Path, kind: str) -> None:
    place = address(kind, tmp_path)
    scene = Outliving(place).play()
    scene.engine.close()
    again = kept_engine(place)
    assert again.traces.get(scene.late.turn.id) == scene.late
    again.close()


def test_runs_that_a_late_run_makes_are_in_it_with_their_decisions(store: str | None) -> None:
    scene = Outliving(store, {"root": [spawn("operator", "upper"), "Going on."]}, ids=CountedIds()).play()
    assert [(run.requested_agent, run.status) for run in scene.late.runs] == [
        ("operator", "completed"), ("vault", "completed")
    ]  # fmt: skip
    assert [decision.chosen for decision in scene.late.decisions] == ["operator", "vault"]
    assert len(scene.at_its_end.decisions) == 1
    stored = scene.engine.store.log.read(scene.late.turn.id)
    assert stored is not None
    assert unpack_trace(stored) == scene.late
    scene.engine.close()


def test_what_cannot_be_written_is_kept_and_written_with_a_later_turn(tmp_path: Path) -> None:
    lines: dict[str, Sequence[Line]] = {"root": [spawn("operator", "Do it"), "Going on.", "Next.", "Next."]}
    with filling_disk(tmp_path) as room:
        scene = Outliving(address("sqlite", tmp_path), lines).play(room.fill)
        assert [run.status for run in scene.late.runs] == ["completed"], "it is in memory"
        room.free()
        scene.engine.run_sync("And?")
        stored = scene.engine.store.log.read(scene.late.turn.id)
        assert stored is not None
        assert unpack_trace(stored).messages == scene.late.messages
        scene.engine.close()


@pytest.mark.parametrize("store", KINDS, indirect=True)
def test_of_a_turn_that_is_forgotten_nothing_comes_back(store: str) -> None:
    scene = Outliving(store)
    scene.play(lambda: scene.engine.store.log.remove([scene.engine.traces.get().turn.id]))
    assert scene.engine.store.log.rows() == []
    scene.engine.close()


def test_old_turns_in_memory_keep_their_steps_and_get_what_is_late() -> None:
    scene = Outliving(None)

    def many() -> None:
        for number in range(MOST_KEPT + 1):
            turn = replace(scene.at_its_end.turn, id=f"turn-{number}", number=number + 2)
            scene.engine.traces.finish(replace(scene.at_its_end, turn=turn), list)

    scene.play(many)
    assert len(scene.late.messages) > len(scene.at_its_end.messages)
    assert len(scene.late.steps) == 4
    assert [run.status for run in scene.late.runs] == ["completed"]


def test_of_a_run_whose_process_died_nobody_says_what_it_saw(tmp_path: Path) -> None:
    place = address("sqlite", tmp_path)
    die_in("quiet run that outlives its turn", place, tmp_path / "effects")
    engine = kept_engine(place)
    (run,) = engine.traces.get(1).runs
    assert (run.status, run.error_code) == ("cancelled", "interrupted")
    sights = [sight for sight in visibility(engine.traces.get(1)) if sight.agent == "operator"]
    assert [sight.did_see for sight in sights if sight.said.kind == "instruction"] == [None]
    engine.close()
