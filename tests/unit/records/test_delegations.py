"""Hand-overs: how each was made, what came of it, and what the router would have done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from lango_nb.core.messages import Message, ToolCall
from lango_nb.records.delegations import Delegation, delegations
from lango_nb.records.packing import pack_event, pack_trace
from lango_nb.records.turns import Trace
from lango_nb.routing.build import CONTROL_TOOLS
from lango_nb.specs.topologies import load_topology
from lango_nb.stores.store import StoredTurn
from tests.cast import ROOT, Line, delegate, spawn, transfer, wait
from tests.unit.records.watching import octet
from tests.unit.viz import samples


def play(lines: Mapping[str, Sequence[Line]], **options: Any) -> tuple[Trace, tuple[Delegation, ...]]:
    engine, cast = octet(lines, **options)
    trace = engine.run_sync("Go")
    assert cast.unexpected == []
    found = delegations(trace)
    row, body = pack_trace(trace)
    assert delegations(StoredTurn(row, [pack_event(event) for event in trace.events], body)) == found
    return trace, found


def test_a_run_tells_what_came_of_it() -> None:
    trace, found = play(
        {
            "root": [
                [spawn("operator", "a", spawn_reason="files"), spawn("vault", "b")],
                [wait("arun-1"), wait("arun-2")],
                "Done.",
            ],
            "a": [("fs_look", {}), "looked"],
            "b": [RuntimeError("trouble")],
        }
    )
    first, second = found
    assert (first.from_agent, first.to_agent, first.control, first.run_id) == (ROOT, "operator", "spawn", "arun-1")
    assert (first.reason, first.instruction, first.round, first.by_run_id) == ("files", "a", 1, "")
    assert (first.outcome, first.error_code, second.outcome) == ("completed", "", "failed")
    assert second.error_code == trace.runs[1].error_code != ""
    assert [one.decision_id for one in found] == [decision.id for decision in trace.decisions]
    assert [(one.router_choice, one.margin, one.agrees) for one in found] == [
        (decision.route.chosen, decision.route.margin, decision.agrees) for decision in trace.decisions
    ]
    started = next(event.at for event in trace.events if event.kind == "run.started")
    ended = next(event.at for event in trace.events if event.kind == "run.finished" and event.run_id == "arun-1")
    assert (first.started_at, first.duration_ms) == (started, (ended - started).total_seconds() * 1000)


def test_a_run_that_goes_on_has_no_end() -> None:
    _, (found,) = play({"root": [spawn("operator", "a"), "Started."], "a": ["looked"]})
    assert (found.outcome, found.duration_ms, found.error_code) == ("running", None, "")


def test_what_runs_do_after_the_turn_is_known_to_a_stored_one() -> None:
    engine, _ = octet({"root": [spawn("operator", "a"), wait("arun-1"), "Done."], "a": ["looked"]})
    trace = engine.run_sync("Go")
    last = next(event for event in trace.events if event.kind == "run.finished")
    early = [event for event in trace.events if event is not last]
    running = replace(trace.runs[0], status="running", completed_at=None)
    cut = replace(trace, events=tuple(early), runs=(running,))
    assert delegations(cut)[0].outcome == "running"
    row, body = pack_trace(cut)
    late = StoredTurn(row, [pack_event(event) for event in (*early, last)], body)
    assert delegations(late)[0].outcome == "completed"


@pytest.mark.parametrize(
    ("lines", "outcome"),
    [
        ({"root": [transfer("guide")], "guide": [("guide_on", {}), "this way"]}, "completed"),
        ({"root": [transfer("painter")], "painter": [("paint_wall", {}), "painted"]}, "completed"),
        ({"root": [transfer("painter"), "No."], "painter": [transfer(ROOT)]}, "returned"),
        ({"root": [transfer("guide"), "No.", "No."], "guide": [RuntimeError("trouble")]}, "failed"),
    ],
)
def test_what_comes_of_a_transfer_is_told_by_what_follows(lines: dict[str, list[Line]], outcome: str) -> None:
    _, found = play(lines)
    assert [(one.control, one.run_id, one.outcome) for one in found] == [("transfer", "", outcome)]
    assert found[0].duration_ms is not None


def test_one_that_declines_gives_it_back() -> None:
    declined, completed = delegations(samples.trace())
    assert (declined.to_agent, declined.outcome, declined.round) == ("librarian", "declined", 1)
    assert (completed.to_agent, completed.outcome, completed.round) == ("operator", "completed", 2)
    assert (declined.duration_ms, completed.duration_ms) == (14.0, 70.0)


@pytest.mark.parametrize(("ended", "outcome"), [("cancelled", "cancelled"), ("internal_error", "failed")])
def test_work_that_an_agent_had_when_the_turn_broke_off_did_not_end_well(ended: Any, outcome: str) -> None:
    trace = samples.trace(ended)
    silent = tuple(event for event in trace.events if event.kind != "text")
    found = delegations(replace(trace, events=silent))[1]
    assert (found.outcome, found.to_agent) == (outcome, "operator")


def test_of_a_turn_without_an_end_the_last_transfer_goes_on() -> None:
    trace = samples.trace()
    assert delegations(replace(trace, events=trace.events[:-1]))[1].outcome == "running"


def test_delegates_are_told_from_runs_that_are_spawned() -> None:
    sextet = load_topology("sextet").model_copy(update={"control": "delegate", "decline": "fail", "max_rounds": 10})
    _, found = play({"root": [delegate("operator", "Look."), "Done."], "operator": ["Looked."]}, topology=sextet)
    assert [(one.control, one.outcome) for one in found] == [("delegate", "completed")]


def test_a_run_made_by_a_run_was_made_the_same_way() -> None:
    trace = samples.teammates()
    for messages in (trace.messages, trace.conversation()):
        found = delegations(replace(trace, messages=messages))
        assert [(one.run_id, one.by_run_id, one.control) for one in found] == [
            ("run-1", "", "spawn"),
            ("run-2", "", "spawn"),
            ("run-3", "", "spawn"),
            ("run-4", "run-3", "spawn"),
        ]
    silent = replace(trace, messages=())
    assert {one.control for one in delegations(silent)} == {None}, "no message says which tool was called"


def test_calls_are_found_by_their_author_in_turns_from_before_messages_had_ids() -> None:
    trace = samples.teammates()
    events = tuple(event.model_copy(update={"message_id": ""}) for event in trace.events)
    calls = tuple(ToolCall(id=f"spawn-run-{number}", name=CONTROL_TOOLS["spawn"]) for number in (1, 2, 3))
    said = (Message(role="assistant", author="orchestrator", tool_calls=calls),)
    assert {one.control for one in delegations(replace(trace, events=events, messages=said))} == {"spawn"}


def test_runs_that_made_each_other_end_nowhere() -> None:
    """No engine records that; a file may say anything."""
    trace = samples.teammates()
    ring = tuple(
        event.model_copy(update={"run_id": "run-4" if event.target == "librarian" else "run-3"})
        if event.kind == "handover"
        else event
        for event in trace.events
    )
    assert {one.control for one in delegations(replace(trace, events=ring, messages=()))} == {None}


def test_without_a_decision_nobody_knows_what_the_router_would_have_done() -> None:
    found = delegations(replace(samples.trace(), decisions=()))
    assert {(one.router_choice, one.margin, one.agrees, one.control) for one in found} == {(None, None, None, None)}


def test_a_turn_that_nobody_handed_over_has_none() -> None:
    assert delegations(samples.greeting()) == ()


def test_empty_names_tell_the_same_as_missing_ones() -> None:
    trace, _ = play({"root": [spawn("operator", "Do it"), wait("arun-1"), "Done."], "operator": ["All done"]})
    nameless = [event.model_copy(update={"run_id": ""}) for event in trace.events]
    trace = replace(trace, events=tuple(nameless), decisions=(), runs=())
    row, body = pack_trace(trace)
    stored = StoredTurn(row, [pack_event(event) for event in trace.events], body)
    assert delegations(stored) == delegations(trace)
