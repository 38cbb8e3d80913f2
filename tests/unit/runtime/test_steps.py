"""Messages have ids, events name them, and steps refer to what each model call was given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from lango_nb.core.errors import UnknownNameError
from lango_nb.records.turns import Trace
from tests.cast import ROOT, Line, spawn, transfer, wait
from tests.unit.records.watching import octet

LINES: dict[str, Sequence[Line]] = {
    "root": [[spawn("operator", "a"), spawn("nobody", "c")], wait("arun-1"), "Done.", "Again."],
    "a": [("fs_look", {}), "operator is done"],
}


def play() -> tuple[Trace, Trace]:
    engine, _ = octet(LINES)
    return engine.run_sync("Go"), engine.run_sync("And?")


def test_ids_are_unique_number_the_messages_of_a_turn_and_repeat() -> None:
    first, second = play()
    for trace in (first, second):
        assert [message.id for message in trace.messages] == [
            f"{trace.turn.id}.{place}" for place in range(1, len(trace.messages) + 1)
        ]
    assert first.turn.id != second.turn.id
    again, _ = play()
    assert [message.id for message in again.messages] == [message.id for message in first.messages]
    assert again.steps == first.steps


def test_an_event_names_the_message_that_says_what_it_tells_of() -> None:
    trace, _ = play()
    said = {message.id: message for message in trace.messages}
    told: set[str] = set()
    for event in trace.events:
        match event.kind:
            case "turn.started" | "text":
                assert said[event.message_id].content == event.text
            case "tool.started" | "handover":
                assert event.call_id in {call.id for call in said[event.message_id].tool_calls}
            case "tool.finished" | "handover.refused":
                assert said[event.message_id].tool_call_id == event.call_id
            case "run.started":
                assert said[event.message_id].content == event.instruction
            case "child.merged":
                assert (said[event.message_id].content, said[event.message_id].conversation) == (
                    event.summary,
                    "session",
                )
            case _:
                assert event.message_id == ""
                continue
        told.add(event.message_id)
    spawned = {message.id for message in trace.messages if message.role == "tool" and "spawned" in message.content}
    assert told | spawned == set(said), "only that a run was made is told by its own events"


def test_a_trace_has_every_conversation_and_the_session_what_it_always_had() -> None:
    engine, _ = octet(LINES)
    trace = engine.run_sync("Go")
    (key,) = {run.child_session for run in trace.runs}
    assert [message.content for message in trace.conversation(key)][::3] == ["a", "operator is done"]
    assert [(message.author, message.content) for message in engine.session().messages] == [
        ("user", "Go"),
        (ROOT, "operator reports: operator is done"),
        (ROOT, "Done."),
    ]


def test_a_step_refers_to_earlier_turns_however_long_the_session_is() -> None:
    _, second = play()
    (step,) = second.steps
    assert (step.earlier, step.given, step.messages) == (3, (("", 1, 1),), 4)
    assert second.given(1) == second.messages[:1]
    with pytest.raises(UnknownNameError, match="step '2' not found"):
        second.given(2)


def test_a_call_that_failed_is_a_step_without_an_answer() -> None:
    engine, _ = octet({"root": [RuntimeError("rate limit: 429"), "Here."]})
    trace = engine.run_sync("Go")
    assert [(step.step, step.usage.model) for step in trace.steps] == [(1, "cast")], "tried again: the same step"
    broken, _ = octet({"root": [ValueError("nonsense"), ValueError("nonsense"), ValueError("nonsense")]})
    assert [step.usage.model for step in broken.run_sync("Go").steps] != ["cast"]


@pytest.mark.parametrize("line", [ValueError("nonsense"), ""])
def test_of_an_isolated_agent_that_cannot_finish_the_root_says_so(line: Any) -> None:
    engine, _ = octet({"root": [transfer("painter"), *[line] * 9], "painter": [line] * 9})
    trace = engine.run_sync("Go")
    assert not trace.turn.is_ok
    assert {message.author for message in engine.session().messages} == {"user", ROOT}
