"""Listeners that do what they should not: raise what is no error, call the engine, stop runs. The trace is closed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.events import Event
from lango_nb.core.ids import CountedIds
from lango_nb.engine import Engine
from lango_nb.records.turns import Trace
from lango_nb.tools.decorator import tool
from tests.cast import Cast, Gate, Line, spawn, wait

KINDS = ("turn.started", "handover", "run.started", "run.finished", "child.merged", "text", "turn.finished")


@tool(name="fs_look", safety="safe")
def look(again: int = 0) -> str:
    """Look."""
    return f"looked {again}"


def octet(tmp_path: Path, lines: dict[str, list[Line]], gate: Gate | None = None) -> Engine:
    return Engine(
        Settings.model_validate({"agent": {"multiAgent": True}, "background": {"enabled": True}}),
        topology="octet",
        tools=(look,) if gate is None else (look, gate.tool("fs_hold")),
        model=Cast(lines),
        workspace=tmp_path,
        clock=SteppedClock(),
        ids=CountedIds(),
    )


def usual(tmp_path: Path) -> Engine:
    lines: dict[str, list[Line]] = {
        "root": [spawn("operator", "Go."), wait("arun-1"), "Done."],
        "operator": ["I went."],
    }
    return octet(tmp_path, lines)


def raising(kind: str, error: BaseException) -> Callable[[Event], None]:
    def listen(event: Event) -> None:
        if event.kind == kind:
            raise error

    return listen


def whole(trace: Trace) -> None:
    kinds = [event.kind for event in trace.events]
    assert kinds[0] == "turn.started"
    assert kinds[-1] == "turn.finished"
    assert kinds.count("turn.finished") == 1
    assert trace.turn.ended_at == trace.events[-1].at


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "error", [SystemExit(2), asyncio.CancelledError(), GeneratorExit()], ids=lambda e: type(e).__name__
)
def test_a_listener_that_leaves_gets_no_more_and_the_turn_goes_on(
    tmp_path: Path, kind: str, error: BaseException
) -> None:
    engine = usual(tmp_path)
    trace = asyncio.run(engine.run("hello", on_event=raising(kind, error)))
    assert trace.turn.outcome == "success"
    assert engine.traces.get(-1) is trace
    whole(trace)


@pytest.mark.parametrize("kind", KINDS)
def test_ctrl_c_in_a_listener_is_for_the_person_and_the_trace_is_kept(tmp_path: Path, kind: str) -> None:
    engine = usual(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(engine.run("hello", on_event=raising(kind, KeyboardInterrupt())))
    whole(engine.traces.get(-1))
    assert engine.teammates.children.active() == ()
    assert all(run.is_terminal for run in engine.runs)


@pytest.mark.parametrize("kind", ["text", "turn.finished"])
def test_closing_the_engine_from_a_listener_leaves_the_end_of_the_turn_its_last_event(
    tmp_path: Path, kind: str
) -> None:
    gate = Gate()
    lines: dict[str, list[Line]] = {
        "root": [spawn("operator", "Go."), gate_reached(gate, "Started.")],
        "operator": [("fs_hold", {}), "never"],
    }
    engine = octet(tmp_path, lines, gate)
    engine.listeners.append(lambda event: engine.close() if event.kind == kind else None)
    trace = asyncio.run(engine.run("hello"))
    whole(trace)
    (run,) = engine.runs
    assert run.status == "cancelled"
    said = [message.content for message in engine.session().messages]
    assert said.count("operator failed and its work is discarded: cancelled") == 1
    started = [event.kind for event in engine.runs.events(run.id)].count("tool.started")
    assert [event.kind for event in engine.runs.events(run.id)].count("tool.finished") == started


def gate_reached(gate: Gate, line: str) -> Line:
    async def play(_messages: object) -> Line:
        await gate.arrived.wait()
        return line

    return play


@pytest.mark.parametrize("kind", ["run.started", "child.forked", "tool.started", "tool.finished", "text"])
def test_a_run_that_a_listener_stops_does_nothing_more(tmp_path: Path, kind: str) -> None:
    """Also at an event of its own, in the middle of a step: what has not begun does not begin any more."""
    lines: dict[str, list[Line]] = {
        "root": [spawn("operator", "Go."), wait("arun-1"), "Done."],
        "operator": [("fs_look", {}), ("fs_look", {"again": 1}), "I looked."],
    }
    engine = octet(tmp_path, lines)

    def listen(event: Event) -> None:
        if event.kind == kind and event.run_id and not engine.runs.get(event.run_id).is_terminal:
            engine.runs.cancel(event.run_id, engine.clock.now(), "stopped by a listener")

    trace = asyncio.run(engine.run("hello", on_event=listen))
    whole(trace)
    own = [event for event in trace.events if event.run_id]
    kinds = [event.kind for event in own]
    end = kinds.index("run.finished")
    assert set(kinds[end:]) <= {"run.finished", "child.discarded", "child.merged"}, kinds
    assert kinds.count("tool.started") == kinds.count("tool.finished")
    (run,) = engine.runs
    (ended,) = [event for event in own if event.kind == "run.finished"]
    assert (run.status, ended.status) == ("cancelled", "cancelled")


def test_one_that_comes_while_a_turn_runs_hears_the_rest_of_it(tmp_path: Path) -> None:
    engine = usual(tmp_path)
    heard: list[str] = []

    def listen(event: Event) -> None:
        heard.append(event.kind)

    def invite(event: Event) -> None:
        if event.kind == "run.started":
            engine.listeners.append(listen)

    engine.listeners.append(invite)
    asyncio.run(engine.run("Go."))
    assert "turn.started" not in heard
    assert heard[-1] == "turn.finished"
