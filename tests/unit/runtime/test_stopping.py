"""Somebody else stops a run, or closes the engine, at any moment at all: every run has one end, and one record of it.

The turn itself is cancelled at every moment in ``tests/scenarios/test_faults_of_the_engine.py``; here it goes on.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import LangoError, TurnError
from lango_nb.core.ids import RandomIds
from lango_nb.engine import Engine
from lango_nb.records.turns import Trace
from lango_nb.tools.builtin.agents import AGENT_TOOLS
from lango_nb.tools.decorator import tool
from tests.cast import Cast, Line, Person, spawn, wait

Stop = Callable[[Engine], None]


@tool(name="fs_look", safety="safe")
async def look() -> str:
    """Look."""
    await asyncio.sleep(0)
    return "looked"


@tool(name="fs_kill", safety="dangerous")
async def kill() -> str:
    """Kill."""
    await asyncio.sleep(0)
    return "killed"


class Counted:
    """Ids that name runs in the order in which they are made, and are safe under threads."""

    def __init__(self) -> None:
        self._runs = itertools.count(1)

    def new(self, kind: str) -> str:
        return f"arun-{next(self._runs)}" if kind == "arun" else RandomIds().new(kind)


def octet(tmp_path: Path) -> Engine:
    """Two runs at once, one of which has a run of its own; questions, a failure of the provider, tasks."""
    pause = asyncio.sleep

    def slowly(line: Line) -> Line:
        async def play(_messages: object) -> Line:
            await pause(0)
            return line

        return play

    lines: dict[str, list[Line]] = {
        "root": [
            [spawn("operator", "One.", allowed_tools=["fs_look"]), spawn("operator", "Two.")],
            slowly([("task_create", {"title": "note"}), wait("arun-1")]),
            slowly(wait("arun-2")),
            "Done.",
        ],
        "One.": [slowly([("fs_look", {}), ("fs_kill", {})]), slowly(ConnectionResetError()), "One is done."],
        "Two.": [slowly(spawn("planner", "Three.")), slowly(wait("arun-3")), ("fs_look", {}), "Two is done."],
        "Three.": [slowly("Three is done.")],
    }
    return Engine(
        Settings.model_validate({"agent": {"multiAgent": True}, "background": {"enabled": True}}),
        topology="octet",
        tools=(look, kill, *AGENT_TOOLS),
        model=Cast(lines),
        workspace=tmp_path,
        clock=SteppedClock(),
        ids=Counted(),
        approver=Person(),
    )


def stop_run(run_id: str) -> Stop:
    def stop(engine: Engine) -> None:
        with suppress(LangoError):
            engine.runs.cancel(run_id, engine.clock.now(), "stopped from outside")

    return stop


def each_run_has_one_end(engine: Engine, trace: Trace) -> None:
    kinds = [event.kind for event in trace.events]
    assert kinds[0] == "turn.started"
    assert kinds[-1] == "turn.finished"
    assert [event.seq for event in trace.events] == list(range(1, len(kinds) + 1))
    for run in engine.runs:
        events = engine.runs.events(run.id)
        (end,) = [event for event in events if event.kind == "run.finished"]
        assert (end.status, end.error, end.result) == (run.status, run.error, run.result)
        started = {event.call_id for event in events if event.kind == "tool.started"}
        assert started <= {event.call_id for event in events if event.kind == "tool.finished"}
        after = [event.kind for event in events[events.index(end) + 1 :]]
        assert after in ([], ["child.merged"], ["child.discarded"]), after
    for messages in (trace.conversation(), engine.session().messages):  # a run that is stopped may still tidy up
        asked = [call.id for message in messages for call in message.tool_calls]
        assert sorted(asked) == sorted(str(message.tool_call_id) for message in messages if message.role == "tool")
    assert engine.teammates.children.active() == ()
    assert engine.approvals.pending == ()
    assert not engine.teammates._live


@pytest.mark.parametrize(
    "stop",
    [stop_run("arun-1"), stop_run("arun-2"), stop_run("arun-3"), Engine.close],
    ids=["the first", "the second", "the second's own", "all"],
)
def test_stopped_at_any_moment_every_run_has_one_end(tmp_path: Path, stop: Stop) -> None:
    ends = set()
    for moment in itertools.count():
        engine = octet(tmp_path)
        is_over, trace = asyncio.run(_stopped_after(engine, moment, stop))
        each_run_has_one_end(engine, trace)
        ends.add(tuple(run.status for run in engine.runs))
        if is_over:
            break
    assert len(ends) > 1
    assert moment > 10


async def _stopped_after(engine: Engine, ticks: int, stop: Stop) -> tuple[bool, Trace]:
    turn = asyncio.ensure_future(engine.run("please do it"))
    for _ in range(ticks):
        await asyncio.sleep(0)
    is_over = turn.done()
    stop(engine)
    try:
        trace = await turn
    except TurnError:
        assert stop is Engine.close
        trace = engine.traces.get(1)
    for run in engine.runs:
        await engine.runs.wait(run.id, 60)
    await asyncio.sleep(0)
    return is_over, trace


def test_stopped_from_another_thread_at_random_every_run_has_one_end(tmp_path: Path) -> None:
    engines: list[Engine] = []
    is_over = threading.Event()
    chance = random.Random(7)

    def stop_some(moments: Iterator[float]) -> None:
        while not is_over.wait(next(moments)):
            living = [(engine, run) for engine in tuple(engines)[-4:] for run in engine.runs if not run.is_terminal]
            if living:
                engine, run = chance.choice(living)
                stop_run(run.id)(engine)

    stopper = threading.Thread(target=stop_some, args=(iter(lambda: chance.random() / 1000, None),))
    stopper.start()
    try:
        for _ in range(60):
            engines.append(octet(tmp_path))
            trace = asyncio.run(_stopped_after(engines[-1], 0, lambda _engine: None))[1]
            each_run_has_one_end(engines[-1], trace)
    finally:
        is_over.set()
        stopper.join()
    assert {"completed", "cancelled"} >= {run.status for engine in engines for run in engine.runs}
