"""Replies no decent model gives: fields of the wrong type, ids that come twice, numbers and names beyond all measure.

Whatever it is, the turn ends in a typed outcome that is not ``internal_error``, its trace is closed, and every call has
one answer that is its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.ids import CountedIds
from lango_nb.core.messages import NO_USAGE, Message, Reply, ToolCall, Usage
from lango_nb.engine import Engine
from lango_nb.records.turns import Trace
from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool
from tests.cast import Cast, Gate, Line, spawn, wait


@tool(name="fs_look", safety="safe")
def look(word: str = "", deep: dict[str, Any] | None = None) -> str:
    """Look."""
    return f"looked {word}" if deep is None else "looked deep"


def octet(tmp_path: Path, lines: dict[str, Sequence[Line]], *tools: Tool, **more: Any) -> Engine:
    settings = {"agent": {"multiAgent": True}, "background": {"enabled": True}, **more.pop("settings", {})}
    return Engine(
        Settings.model_validate(settings),
        topology="octet",
        tools=tools or (look,),
        model=Cast(lines),
        workspace=tmp_path,
        clock=SteppedClock(),
        ids=CountedIds(),
        **more,
    )


def call(name: Any, arguments: Any = None, call_id: Any = "c", error: Any = None) -> ToolCall:
    """Make a call unchecked, as a careless model class may."""
    given = {} if arguments is None else arguments
    return ToolCall.model_construct(id=call_id, name=name, arguments=given, error=error)


def made(kind: type[Any], **fields: Any) -> Any:
    """Make a value of fields nobody looked at."""
    return kind.model_construct(**fields)


def reply(*calls: Any, text: Any = "", usage: Any = NO_USAGE) -> Reply:
    return Reply.model_construct(text=text, tool_calls=calls, usage=usage)


def closed(engine: Engine, trace: Trace) -> None:
    """Check what holds of every closed trace, run by run."""
    assert trace.events[-1].kind == "turn.finished"
    started = [(event.run_id, event.call_id) for event in trace.events if event.kind == "tool.started"]
    finished = [(event.run_id, event.call_id) for event in trace.events if event.kind == "tool.finished"]
    assert len(started) == len(set(started)), "an id joins one call with its result"
    assert len(finished) == len(set(finished))
    assert set(started) <= set(finished)
    for messages in (engine.session().messages, trace.messages):
        asked = [one.id for message in messages for one in message.tool_calls]
        answered = [message.tool_call_id for message in messages if message.role == "tool"]
        assert sorted(asked) == sorted(map(str, answered))
    assert all(run.is_terminal for run in engine.runs)
    assert engine.teammates.children.active() == ()


BROKEN: dict[str, Reply] = {
    "no text": reply(text=None),
    "a text of bytes": reply(text=b"hi"),
    "a call that is a dict": reply({"id": "c", "name": "agent_wait"}),
    "a call without an id": reply(call(*spawn("operator", "Go."), call_id=None)),
    "a call with a number for an id": reply(call(*spawn("operator", "Go."), call_id=7)),
    "a call without a name": reply(call(None)),
    "a call with a number for a name": reply(call(7)),
    "an error that is none": reply(call("agent_wait", error=7)),
    "no usage": reply(text="hi", usage=None),
    "tokens that are text": reply(text="hi", usage=made(Usage, input_tokens="5")),
    "tokens that are no number": reply(text="hi", usage=made(Usage, output_tokens=float("nan"))),
    "fewer tokens than none": reply(text="hi", usage=Usage(input_tokens=-5)),
    "a cost that is no number": reply(text="hi", usage=Usage(cost_usd=float("nan"))),
    "no calls at all": made(Reply, text="hi", tool_calls=None, usage=NO_USAGE),
}


@pytest.mark.parametrize("said", BROKEN.values(), ids=BROKEN)
def test_what_is_no_reply_is_the_models_error_and_leaves_a_trace(tmp_path: Path, said: Reply) -> None:
    engine = octet(tmp_path, {"root": [said, "Done."]})
    trace = asyncio.run(engine.run("hello"))
    assert (trace.turn.outcome, trace.turn.error_code) == ("model_error", "bad_reply"), trace.turn.answer
    assert "pydantic" not in trace.turn.answer
    closed(engine, trace)


def nested(depth: int) -> object:
    value: object = "deep down"
    for _ in range(depth):
        value = [value]
    return value


UNREADABLE: dict[str, object] = {
    "keys that are numbers": {1: 2},
    "a set": {"deep": {"a": {1, 2}}},
    "an object": {"deep": {"a": object()}},
    "bytes": {"word": b"x"},
    "a number nobody can write": {"deep": {"a": 10**5000}},
    "a number nobody can write, where a text stands": {"word": 10**5000},
    "a text without end": {"word": "x" * 1_000_001},
    "nested without end": {"deep": {"a": nested(3000)}},
}


@pytest.mark.parametrize("arguments", UNREADABLE.values(), ids=UNREADABLE)
def test_arguments_that_json_cannot_say_are_told_to_the_model(tmp_path: Path, arguments: object) -> None:
    lines: dict[str, Sequence[Line]] = {
        "root": [spawn("operator", "Go."), wait("arun-1"), "Done."],
        "operator": [reply(call("fs_look", arguments)), "I could not look."],
    }
    engine = octet(tmp_path, lines)
    trace = asyncio.run(engine.run("hello"))
    (refused,) = [event for event in trace.events if event.kind == "tool.finished" and event.tool == "fs_look"]
    assert refused.code == "bad_arguments"
    assert refused.result.startswith("the arguments of fs_look cannot be read: ")
    assert (trace.turn.outcome, trace.turn.error_code) == ("tool_error", "bad_arguments")
    closed(engine, trace)


@pytest.mark.parametrize("name", ["agent_spawn", "agent_wait"])
def test_a_time_beyond_all_measure_is_no_internal_error(tmp_path: Path, name: str) -> None:
    given = {"agent": "operator", "instruction": "Go."} if name == "agent_spawn" else {"agent_id": "arun-1"}
    engine = octet(tmp_path, {"root": [(name, {**given, "timeout": 10**400}), "Done."]})
    trace = asyncio.run(engine.run("hello"))
    assert trace.turn.answer == "Done."
    assert trace.turn.error_code in {"", "bad_arguments"}
    assert len(engine.runs) == 0


def test_a_list_of_calls_is_as_good_as_a_tuple(tmp_path: Path) -> None:
    said = made(Reply, text="", tool_calls=[call(*spawn("operator", "Go."))], usage=NO_USAGE)
    engine = octet(tmp_path, {"root": [said, wait("arun-1"), "Done."], "operator": ["I went."]})
    assert asyncio.run(engine.run("hello")).turn.outcome == "success"


def test_a_name_without_end_is_cut_before_it_is_kept(tmp_path: Path) -> None:
    engine = octet(tmp_path, {"root": [reply(call("x" * 1_000_000)), "Done."]})
    trace = asyncio.run(engine.run("hello"))
    assert max(len(str(event)) for event in trace.events) < 2000
    assert max(len(str(message)) for message in engine.session().messages) < 2000


def test_what_is_wrong_with_arguments_is_told_in_one_line(tmp_path: Path) -> None:
    odd = "arguments are not JSON: " + "x" * 5_000_000
    lines: dict[str, Sequence[Line]] = {
        "root": [spawn("operator", "Go."), wait("arun-1"), "Done."],
        "operator": [reply(call("fs_look", error=odd)), "I could not look."],
    }
    trace = asyncio.run(octet(tmp_path, lines).run("hello"))
    (refused,) = [event for event in trace.events if event.kind == "tool.finished" and event.tool == "fs_look"]
    assert refused.result.startswith("the arguments of fs_look cannot be read: arguments are not JSON: xxx")
    assert len(refused.result) < 400


# -- ids ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call_id", ["c", "", " ", "x" * 1000])
def test_calls_of_one_reply_with_one_id_are_told_apart(tmp_path: Path, call_id: str) -> None:
    both = [call("fs_look", {"word": word}, call_id) for word in ("one", "two")]
    lines: dict[str, Sequence[Line]] = {
        "root": [spawn("operator", "Go."), wait("arun-1"), "Done."],
        "operator": [reply(*both), "I looked."],
    }
    engine = octet(tmp_path, lines)
    trace = asyncio.run(engine.run("hello"))
    closed(engine, trace)
    results = {event.call_id: event.result for event in trace.events if event.kind == "tool.finished" and event.run_id}
    assert list(results.values()) == ["looked one", "looked two"]
    assert all(0 < len(one.strip()) < 200 for one in results)
    assert isinstance(engine.model, Cast)
    seen = engine.model.of("operator")[-1].messages
    asked = [one.id for message in seen for one in message.tool_calls]
    assert asked == [message.tool_call_id for message in seen if message.role == "tool"]
    assert len(set(asked)) == len(asked)


def test_a_call_that_takes_the_id_of_an_earlier_one_is_closed_like_any_other(tmp_path: Path) -> None:
    gate = Gate()
    lines: dict[str, Sequence[Line]] = {
        "root": [spawn("operator", "Go."), wait("arun-1"), "Done."],
        "operator": [reply(call("fs_look")), reply(call("fs_hold"))],
    }
    engine = octet(tmp_path, lines, look, gate.tool("fs_hold"))

    async def cancelled() -> None:
        turn = asyncio.ensure_future(engine.run("hello"))
        await gate.arrived.wait()
        turn.cancel()
        await asyncio.gather(turn, return_exceptions=True)

    asyncio.run(cancelled())
    trace = engine.traces.get(-1)
    assert [event.code for event in trace.events if event.kind == "tool.finished" and event.tool == "fs_hold"] == [
        "interrupted"
    ]
    closed(engine, trace)


def test_a_leave_is_not_lent_to_a_later_call_of_the_same_id(tmp_path: Path) -> None:
    """Without the gate, too: a run is asked about each dangerous tool that it was not given."""
    ran: list[str] = []

    def dangerous(name: str) -> Tool:
        return tool(_noting(ran, name), name=name, safety="dangerous")

    class OnlyTheFirst:
        async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
            return ApprovalAnswer(request.tool == "fs_first", "person")

    lines: dict[str, Sequence[Line]] = {
        "root": [spawn("operator", "Go.", allowed_tools=["fs_look"]), wait("arun-1"), "Done."],
        "operator": [reply(call("fs_first")), reply(call("fs_second")), "I tried."],
    }
    engine = octet(
        tmp_path,
        lines,
        look,
        dangerous("fs_first"),
        dangerous("fs_second"),
        approver=OnlyTheFirst(),
        settings={"security": {"interceptor": {"enabled": False}}},
    )
    asyncio.run(engine.run("hello"))
    assert ran == ["fs_first"]


def _noting(ran: list[str], name: str) -> Callable[[], str]:
    def act() -> str:
        """Act."""
        ran.append(name)
        return "done"

    return act


def test_ids_of_an_agent_that_counts_from_one_every_time_stay_as_they_are(tmp_path: Path) -> None:
    """Root and run, and two turns, may use the same ids: they belong to different conversations."""

    def script(name: str, arguments: Mapping[str, Any]) -> Reply:
        return Reply(tool_calls=(ToolCall.model_validate({"id": "call_0", "name": name, "arguments": arguments}),))

    lines: dict[str, Sequence[Line]] = {
        "root": [script(*spawn("operator", "Go.")), "Started."] * 2,
        "operator": [script("fs_look", {}), "I looked."] * 2,
    }
    engine = octet(tmp_path, lines)

    async def twice() -> list[Trace]:
        traces = [await engine.run("hello"), await engine.run("hello")]
        for run in engine.runs:
            await engine.runs.wait(run.id, 60)
        return traces

    for trace in asyncio.run(twice()):
        assert {event.call_id for event in trace.events if hasattr(event, "call_id")} <= {"call_0"}
    messages: list[Message] = engine.session().messages
    assert messages[-1].role == "assistant"
