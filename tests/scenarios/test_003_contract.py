"""Spec 003, "Rejection Handling" to "Remote A2A Agents" and "Turn Traces": how turns of the octet may end."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from lango_nb.core.events import HandOverRefused, LimitReached, RecoveryAttempted
from lango_nb.core.messages import Message, Reply
from lango_nb.records.turns import Trace
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.decorator import tool
from tests.cast import Line, TeamOf, answers, spawn, transfer, wait
from tests.loops import run_skipping

STRUCTURED = {"agent": {"orchestration": {"mode": "structured"}}}


def look() -> str:
    """Look."""
    return "seen"


def stumble() -> str:
    """Fail."""
    raise OSError("the disk is gone")


TOOLS = [*builtin_tools(), tool(look, name="fs_look", safety="safe"), tool(stumble, name="fs_stumble", safety="safe")]


# -- rejection ---------------------------------------------------------------------------------------------------------


def test_an_escalation_gives_control_back_to_the_root(team: TeamOf) -> None:
    engine, cast = team(
        {
            "root": [spawn("operator", "pay"), wait("arun-1"), spawn("planner", "plan"), wait("arun-2"), "Planned."],
            "operator": ["This needs payments, which are not mine."],
            "planner": ["1. Pay."],
        }
    )
    trace = engine.run_sync("Pay the bill")
    told = answers(cast.of("root")[2], "agent_wait")
    assert told == [{"agent_id": "arun-1", "status": "completed", "result": "This needs payments, which are not mine."}]
    assert trace.turn.path[0] == "lango-orchestrator"
    assert [event.author for event in trace.events if event.kind == "handover"] == ["lango-orchestrator"] * 2
    assert trace.turn.answer == "Planned."


def test_the_root_judges_again_from_this_turn_only(team: TeamOf) -> None:
    """Raw evidence of an earlier turn is not there any more; that of this turn is."""
    engine, cast = team(
        {
            "root": [
                *(spawn("operator", "first"), wait("arun-1"), "Seen."),
                *(spawn("operator", "second"), wait("arun-2"), "Judged again."),
            ],
            "first": [("fs_look", {}), "evidence of the first turn"],
            "second": ["That is not mine."],
        },
        tools=TOOLS,
    )
    engine.run_sync("Look")
    engine.run_sync("Judge")
    judging = cast.of("root")[-1]
    since = "\n".join(str(message) for message in judging.messages[_place(judging.messages, "Judge") :])
    assert "That is not mine." in since
    assert "evidence of the first turn" not in since
    assert answers(judging, "agent_wait") == [
        {"agent_id": "arun-2", "status": "completed", "result": "That is not mine."}
    ], "the answer to the first turn's agent_wait is not part of the conversation any more"


def _place(messages: Sequence[Message], text: str) -> int:
    return next(place for place, message in enumerate(messages) if message.content == text)


# -- completion contract -----------------------------------------------------------------------------------------------


def test_a_visible_answer_completes_a_run(team: TeamOf) -> None:
    engine, _ = team(
        {"root": [spawn("operator", "look"), wait("arun-1"), "Done."], "operator": [("fs_look", {}), "I saw it."]},
        tools=TOOLS,
    )
    trace = engine.run_sync("Look")
    assert (trace.runs[0].status, trace.runs[0].result) == ("completed", "I saw it.")
    assert trace.turn.outcome == "success"


def test_a_hand_over_to_an_attached_agent_completes_the_roots_part(team: TeamOf) -> None:
    painter = AgentSpec(name="painter", prefixes=("paint_*",), source=Source.USER)
    engine, cast = team(
        {"root": [transfer("painter")], "painter": ["Painted."]},
        agents=[painter],
        tools=[*TOOLS, tool(look, name="paint_wall", safety="safe")],
    )
    trace = engine.run_sync("Paint")
    assert (trace.turn.outcome, trace.turn.answer, trace.turn.path[-1]) == ("success", "Painted.", "painter")
    assert len(cast.of("root")) == 1


OUTCOMES: dict[str, tuple[list[Line], str]] = {
    "loop_detected": ([("fs_look", {})] * 5, "repeated_call_signature"),
    "empty_after_tool_use": ([("fs_look", {}), Reply()], "empty_after_tool_use"),
    "timeout": ([("fs_look", {}), TimeoutError("no answer")], "timeout"),
}
"""What a specialist does, and the code its run ends with."""


@pytest.mark.parametrize("outcome", list(OUTCOMES))
def test_a_typed_outcome_ends_a_run(team: TeamOf, outcome: str) -> None:
    lines, code = OUTCOMES[outcome]
    engine, cast = team(
        {"root": [spawn("operator", "go"), wait("arun-1"), "It failed."], "operator": lines}, tools=TOOLS
    )
    trace = engine.run_sync("Go")
    run = trace.runs[0]
    assert (run.status, run.result) == ("failed", "")
    assert code in run.error_code
    assert run.error
    assert answers(cast.of("root")[-1], "agent_wait")[0]["status"] == "failed"


@pytest.mark.parametrize("who", ["root", "operator"])
def test_tools_alone_are_never_a_success(team: TeamOf, who: str) -> None:
    """Whoever says nothing after tools has not succeeded: neither the run nor the turn."""
    silent: list[Line] = [Reply()] * 9
    engine, _ = team(
        {
            "root": [spawn("operator", "look"), wait("arun-1"), *(silent if who == "root" else ["It said nothing."])],
            "operator": [("fs_look", {}), *(silent if who == "operator" else ["I saw it."])],
        },
        tools=TOOLS,
    )
    trace = engine.run_sync("Look")
    if who == "operator":
        assert (trace.runs[0].status, trace.runs[0].error_code) == ("failed", "empty_after_tool_use")
    assert trace.turn.outcome != "success"
    assert trace.turn.error_code == "empty_after_tool_use"
    assert trace.turn.answer, "the user reads something all the same"


# -- limits ------------------------------------------------------------------------------------------------------------


def test_the_limit_on_rounds_is_enforced(team: TeamOf) -> None:
    asked: list[Line] = [line for n in range(1, 12) for line in (spawn("planner", f"plan {n}"), wait(f"arun-{n}"))]
    engine, _ = team({"root": [*asked, "Enough."], "planner": [f"plan {n} is made" for n in range(1, 12)]})
    trace = engine.run_sync("Plan and plan")
    assert trace.turn.rounds == 10
    assert len(trace.runs) == 10
    assert [event.code for event in trace.events if isinstance(event, HandOverRefused)] == ["round_limit"]
    assert [event.limit for event in trace.events if isinstance(event, LimitReached)] == ["rounds"]
    assert trace.turn.outcome == "delegation_limit"


def test_a_greeting_is_answered_without_any_teammate(team: TeamOf) -> None:
    engine, cast = team({"root": ["Hello!"]})
    trace = engine.run_sync("hello")
    assert [event.kind for event in trace.events] == ["turn.started", "text", "turn.finished"]
    assert (len(cast.asked), len(engine.runs)) == (1, 0)


def test_handing_over_extends_the_request(team: TeamOf) -> None:
    """Each part takes most of the idle time; only because handing over counts as activity does the turn live."""

    def slowly(line: Line) -> Line:
        async def play(_messages: object) -> Line:
            await asyncio.sleep(0.06)
            return line

        return play

    root: list[Line] = [spawn("planner", "a"), wait("arun-1"), spawn("planner", "b"), wait("arun-2"), "Both."]
    engine, _ = team(
        {"root": [slowly(line) for line in root], "planner": [slowly("plan a"), slowly("plan b")]},
        {"agent": {"idleTimeout": "150ms", "requestTimeout": "10s"}},
    )
    trace = run_skipping(engine.run("Plan twice"))
    assert (trace.turn.outcome, trace.turn.answer) == ("success", "Both.")

    silent, _ = team({"root": [_forever]}, {"agent": {"idleTimeout": "50ms", "requestTimeout": "10s"}})
    assert run_skipping(silent.run("Say nothing")).turn.outcome == "timeout"


async def _forever(_messages: object) -> Line:
    await asyncio.sleep(5)
    return "too late"


# -- recovery ----------------------------------------------------------------------------------------------------------


def recoveries(trace: Trace) -> list[RecoveryAttempted]:
    return [event for event in trace.events if isinstance(event, RecoveryAttempted)]


def test_failures_before_and_after_the_hand_over_are_told_apart(team: TeamOf) -> None:
    """The same failure of the provider: once before anybody was asked, once while a teammate was at work."""
    failed = ConnectionError("connection refused")
    engine, _ = team(
        {"root": [failed, spawn("planner", "plan"), wait("arun-1"), "Planned."], "planner": [failed, "1. Look."]},
        STRUCTURED,
    )
    before, after = recoveries(engine.run_sync("Plan it"))
    assert (before.after_handover, before.author, before.run_id) == (False, "lango-orchestrator", "")
    assert (after.after_handover, after.failed_agent, after.run_id) == (True, "planner", "arun-1")


def test_a_tool_failure_after_the_hand_over_hints_at_another_way(team: TeamOf) -> None:
    engine, cast = team(
        {
            "root": [spawn("operator", "go"), wait("arun-1"), spawn("planner", "plan"), wait("arun-2"), "Planned."],
            "operator": [("fs_stumble", {}), "It broke."],
            "planner": ["1. Buy a disk."],
        },
        STRUCTURED,
        tools=TOOLS,
    )
    trace = engine.run_sync("Read the disk")
    (event,) = recoveries(trace)
    assert (event.action, event.failed_agent, event.after_handover) == ("retry_with_hint", "operator", True)
    hints = [
        message.content
        for message in cast.of("root")[2].messages
        if message.role == "user" and message.author == "lango-orchestrator"
    ]
    assert len(hints) == 1
    assert "operator failed" in hints[0]
    assert "Do not give it to operator again" in hints[0]
    assert "choose another agent" in hints[0]
    assert "answer" in hints[0]
    assert "Read the disk" in hints[0]
    assert trace.turn.answer == "Planned."


def test_the_trace_holds_recovery_attempts(team: TeamOf) -> None:
    engine, _ = team({"root": [ConnectionError("connection refused"), "There again."]})
    trace = engine.run_sync("hello")
    assert [event.kind for event in trace.events] == ["turn.started", "recovery", "text", "turn.finished"]
    (event,) = recoveries(trace)
    assert (event.action, event.error_class, event.attempt) == ("retry", "connection", 1)
    assert event.wait_s > 0
