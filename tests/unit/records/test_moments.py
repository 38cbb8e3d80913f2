"""A turn step by step, from its trace: what was seen, used and open."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import UnknownNameError
from lango_nb.core.events import Event
from lango_nb.engine import Engine
from lango_nb.records.moments import Moment, OpenCall, moments, state_at
from lango_nb.records.turns import Trace
from lango_nb.runtime.approval_types import HoldForAnswer
from lango_nb.tools.builtin import builtin_tools
from tests.cast import Gate, Line, transfer, until
from tests.unit.records.watching import octet

BREAKER = {"agent": {"orchestration": {"circuitBreaker": {"failureThreshold": 1, "resetTimeout": "1s"}}}}


def test_a_greeting_has_a_moment_before_and_one_after_its_only_step(tmp_path: Path) -> None:
    trace = Engine(topology="octet", workspace=tmp_path).run_sync("hello")
    before, after = moments(trace)
    assert (before.events, before.seen, before.open_calls) == (1, (), ())
    assert (after.events, [step.agent for step in after.seen]) == (3, ["lango-orchestrator"])
    assert (before.budget("calls").used, after.budget("calls").used) == (0, 1)
    calls = after.budget("calls")
    assert calls.limit is not None
    assert calls.left == calls.limit - 1


def test_what_a_step_saw_is_what_its_model_was_given(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("one\ntwo\n")
    engine = Engine(topology="quartet", tools=builtin_tools(), workspace=tmp_path)
    trace = engine.run_sync("how many lines does notes.md have?")
    (first,) = state_at(trace, 1).seen
    assert [message.content for message in trace.given(first.step)] == ["how many lines does notes.md have?"]
    last = {step.agent: step for step in state_at(trace, trace.turn.steps).seen}
    assert list(last) == list(dict.fromkeys(trace.turn.path))


def test_a_step_that_was_never_taken_is_refused(tmp_path: Path) -> None:
    trace = Engine(topology="octet", workspace=tmp_path).run_sync("hello")
    for step in (-1, 2):
        with pytest.raises(UnknownNameError, match="step"):
            state_at(trace, step)
    with pytest.raises(UnknownNameError, match="budget"):
        state_at(trace, 1).budget("patience")


def test_a_trace_from_before_limits_were_kept_tells_what_was_used_and_not_what_was_left(tmp_path: Path) -> None:
    trace = Engine(topology="octet", workspace=tmp_path).run_sync("hello")
    first, *rest = trace.events
    older = replace(trace, events=(first.model_copy(update={"limits": None}), *rest))
    calls = state_at(older, 1).budget("calls")
    assert (calls.used, calls.limit, calls.left) == (1, None, None)


def test_a_call_is_open_from_its_question_to_its_end_and_waits_until_it_is_answered() -> None:
    gate = Gate()
    tool = gate.tool("fs_hold", safety="dangerous")
    lines: dict[str, list[Line]] = {"root": [transfer("guide")], "guide": [("guide_hold", {}), "done"]}
    engine, _ = octet(lines, tools=[gate.tool("guide_hold", safety="dangerous"), tool], topology="sextet")
    heard: list[Event] = []

    async def run() -> Trace:
        task = asyncio.create_task(engine.run("hold", on_event=heard.append, approver=HoldForAnswer()))
        await until(lambda: bool(engine.approvals.pending))
        asked = len(heard)
        engine.approvals.pending[0].allow()
        await until(gate.arrived.is_set)
        begun = len(heard)
        gate.opened.set()
        trace = await task
        assert _until(trace, asked).open_calls == (OpenCall("call-2", "guide_hold", "guide", "", True),)
        assert _until(trace, begun).open_calls == (OpenCall("call-2", "guide_hold", "guide", "", False),)
        return trace

    trace = asyncio.run(run())
    assert state_at(trace, trace.turn.steps).open_calls == ()


def test_circuits_that_were_open_when_the_turn_began_are_known_and_a_probe_that_was_cancelled_is_given_back() -> None:
    gate = Gate()
    root: list[Line] = [transfer("guide"), transfer("guide")]
    lines: dict[str, list[Line]] = {"root": root, "guide": ["", "", gate.then("never")]}
    engine, _ = octet(lines, BREAKER, topology="sextet", clock=SteppedClock(step_ms=1000))
    first = engine.run_sync("one")
    assert "open" in state_at(first, first.turn.steps).breakers.values()

    async def cancelled() -> Trace:
        task = asyncio.create_task(engine.run("two"))
        await until(gate.arrived.is_set)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return engine.traces.get()

    second = asyncio.run(cancelled())
    before, *_, after = moments(second)
    assert before.breakers == {
        name: state for name, state in state_at(first, first.turn.steps).breakers.items() if state == "open"
    }
    now = {one.circuit: one.state for one in engine.breakers.states() if one.state != "closed"}
    assert {name: state for name, state in after.breakers.items() if state != "closed"} == now
    states = [(event.circuit, event.state) for event in second.events if event.kind == "breaker.changed"]
    assert [state for _, state in states[-2:]] == ["half_open", "open"], states


def _until(trace: Trace, events: int) -> Moment:
    """Return the moment after so many events, as if the turn had stood still there."""
    cut = replace(trace, events=trace.events[:events], late=())
    return list(moments(cut))[-1]
