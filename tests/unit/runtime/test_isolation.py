"""Sessions of their own: forked, merged and discarded, by runs and by transfers; and who works without one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.events import ChildDiscarded, ChildForked, ChildMerged, Event
from lango_nb.core.ids import CountedIds
from lango_nb.core.messages import Message, Reply
from lango_nb.engine import Engine
from lango_nb.records.turns import Trace
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.decorator import tool
from tests.cast import Cast, Gate, Line, errors, merged, spawn, transfer, until, wait
from tests.loops import run_skipping

ROOT = "lango-orchestrator"
PAINTER = AgentSpec(name="painter", prefixes=("paint_*",), session_isolation=True, source=Source.USER)
"""Isolated, and reached by transfer."""
STRUCTURED = {"agent": {"orchestration": {"mode": "structured"}}}


def look(word: str = "") -> str:
    """Look."""
    return f"raw result {word}"


def stumble() -> str:
    """Fail."""
    raise OSError("raw trouble")


TOOLS = [
    *builtin_tools(),
    *(tool(look, name=name, safety="safe") for name in ("fs_look", "crypto_look", "memory_look", "paint_wall")),
    tool(stumble, name="paint_badly", safety="safe"),
]


def octet(
    lines: Mapping[str, Sequence[Line]], settings: Mapping[str, Any] | None = None, **options: Any
) -> tuple[Engine, Cast]:
    cast = Cast(lines)
    defaults: dict[str, Any] = {"clock": SteppedClock(), "ids": CountedIds(), "agents": [PAINTER], "tools": TOOLS}
    engine = Engine(
        Settings.model_validate(merged({"background": {"enabled": True}}, settings or {})),
        topology="octet",
        model=cast,
        **{**defaults, **options},
    )
    return engine, cast


def child_events(events: Sequence[Event]) -> list[str]:
    return [event.kind for event in events if isinstance(event, ChildForked | ChildMerged | ChildDiscarded)]


def kept(engine: Engine) -> list[tuple[str, str]]:
    return [(str(message.author), message.content) for message in engine.session().messages]


def closed(engine: Engine, trace: Trace) -> None:
    """What holds however a child ended: it is gone, no call dangles, nothing raw is left."""
    assert engine.teammates.children.active() == ()
    for messages in (trace.messages, engine.session().messages):
        asked = [call.id for message in messages for call in message.tool_calls]
        assert sorted(asked) == sorted(str(message.tool_call_id) for message in messages if message.role == "tool")
    assert not [text for _, text in kept(engine) if "raw" in text]
    assert [message.author for message in engine.session().messages if message.role == "assistant"] != []


# -- runs --------------------------------------------------------------------------------------------------------------


def test_a_run_is_merged_as_one_message_of_the_root_before_the_answer() -> None:
    engine, _ = octet(
        {
            "root": [[spawn("operator", "a"), spawn("vault", "b")], [wait("arun-1"), wait("arun-2")], "Both are done."],
            "a": [[("fs_look", {})], "operator is done"],
            "b": [[("crypto_look", {})], "vault is done"],
        }
    )
    trace = engine.run_sync("Go")
    closed(engine, trace)
    assert kept(engine) == [
        ("user", "Go"),
        (ROOT, "operator reports: operator is done"),
        (ROOT, "vault reports: vault is done"),
        (ROOT, "Both are done."),
    ]
    assert sorted(child_events(trace.events)) == ["child.forked"] * 2 + ["child.merged"] * 2


@pytest.mark.parametrize("line", [RuntimeError("raw trouble"), Reply()])
def test_a_run_that_fails_is_discarded_with_one_note(line: Line) -> None:
    engine, cast = octet(
        {
            "root": [spawn("operator", "a"), wait("arun-1"), "It failed.", "Hello again."],
            "a": [("fs_look", {}), line],
        }
    )
    trace = engine.run_sync("Go")
    closed(engine, trace)
    assert child_events(trace.events) == ["child.forked", "child.discarded"]
    (note,) = [text for author, text in kept(engine) if author == ROOT and text != "It failed."]
    assert note.startswith("operator failed and its work is discarded: ")
    engine.run_sync("hello")
    assert "raw" not in cast.of("root")[-1].text


def test_a_run_stopped_in_the_middle_of_a_call_is_discarded() -> None:
    gate = Gate()
    engine, _ = octet(
        {"root": [spawn("operator", "a"), "Started."], "a": [("fs_hold", {})]},
        tools=[*TOOLS, gate.tool("fs_hold")],
    )

    async def scene() -> Trace:
        trace = await engine.run("Go")
        await gate.arrived.wait()
        await engine.teammates.stop("arun-1")
        return trace

    trace = asyncio.run(scene())
    closed(engine, trace)
    assert child_events(engine.runs.events("arun-1")) == ["child.forked", "child.discarded"]
    assert kept(engine)[-1] == (ROOT, "operator failed and its work is discarded: cancelled")


def test_what_a_run_does_after_its_turn_is_merged_into_the_session_then() -> None:
    gate = Gate()
    engine, cast = octet(
        {"root": [spawn("operator", "a"), "Started.", "I know."], "a": [gate.then(("fs_look", {})), "done"]}
    )

    async def scene() -> None:
        await engine.run("Go")
        assert kept(engine) == [("user", "Go"), (ROOT, "Started.")]
        gate.opened.set()
        await engine.runs.wait("arun-1", 60)
        await engine.run("And?")

    asyncio.run(scene())
    assert kept(engine)[2] == (ROOT, "operator reports: done")
    assert "operator reports: done" in cast.of("root")[-1].text
    assert "raw" not in cast.of("root")[-1].text


def test_children_inherit_the_end_of_the_conversation_and_see_no_brother() -> None:
    gate = Gate()
    engine, cast = octet(
        {
            "root": [
                "One.",
                "Two.",
                [spawn("operator", "a"), spawn("vault", "b")],
                [wait("arun-1"), wait("arun-2")],
                ".",
            ],
            "a": [("fs_look", {"word": "brother"}), gate.opening("operator is done")],
            "b": [gate.then(("crypto_look", {})), "vault is done"],
        },
        {"agent": {"isolation": {"inheritHistory": 3}}},  # the call that starts them does not count
    )
    for text in ("first", "second", "third"):
        engine.run_sync(text)
    forked = [event for event in engine.traces.get(-1).events if isinstance(event, ChildForked)]
    assert [event.inherited for event in forked] == [3, 3]
    inherited = [message.content for message in cast.of("operator")[0].messages[1:4]]
    assert inherited == ["second", "Two.", "third"]
    late = cast.of("vault")[-1].text
    assert "brother" not in late
    assert "operator is done" not in late


def test_a_child_keeps_its_order_and_the_latest_messages_in_view() -> None:
    engine, cast = octet(
        {
            "root": [spawn("operator", "the order"), wait("arun-1"), "."],
            "operator": [*[("fs_look", {"word": str(number)}) for number in range(4)], "done"],
        },
        {"agent": {"isolation": {"maxMessages": 2, "inheritHistory": 0}}},
    )
    engine.run_sync("Go")
    last = cast.of("operator")[-1].messages[1:]
    assert [message.content for message in last if message.role != "assistant"] == ["the order", "raw result 3"]
    assert sum(asked.messages[1].content == "the order" for asked in cast.of("operator")) == 5


# -- the parent path ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("agent", "calls"), [("planner", []), ("chronicler", [("memory_look", {})])])
def test_planner_and_chronicler_work_in_the_conversation(agent: str, calls: list[Line]) -> None:
    engine, cast = octet(
        {"root": [spawn(agent, "go"), wait("arun-1"), "Done.", "Still."], agent: [*calls, f"{agent} says"]}
    )
    trace = engine.run_sync("Go")
    assert child_events(trace.events) == []
    assert trace.runs[0].child_session == ""
    own = [message for message in engine.session().messages if message.author == agent]
    assert [message.content for message in own if message.role == "assistant"][-1] == f"{agent} says"
    assert not [message for message in engine.session().messages if "reports" in message.content]
    engine.run_sync("And?")
    assert f"{agent} says" in cast.of("root")[-1].text


def test_a_run_on_the_parent_path_leaves_no_dangling_call() -> None:
    gate = Gate()
    engine, _ = octet(
        {"root": [spawn("chronicler", "go"), wait("arun-1"), "Too long."], "chronicler": [("memory_hold", {})]},
        tools=[*TOOLS, gate.tool("memory_hold")],
    )
    engine.teammates.timeout_s = 0.05
    trace = run_skipping(engine.run("Go"))
    assert trace.runs[0].error_code == "run_timeout"
    for messages in (trace.conversation(), trace.conversation("arun-1"), engine.session().messages):
        asked = [call.id for message in messages for call in message.tool_calls]
        assert [str(message.tool_call_id) for message in messages if message.role == "tool"] == asked
    (result,) = [message for message in engine.session().messages if message.role == "tool"]
    assert (result.author, result.is_error, result.tool_name) == ("chronicler", True, "memory_hold")


def test_without_isolation_everybody_works_in_the_conversation() -> None:
    engine, _ = octet(
        {"root": [spawn("operator", "a"), wait("arun-1"), transfer("painter")], "a": ["done"], "painter": ["Painted."]},
        {"agent": {"isolation": {"enabled": False}}},
    )
    trace = engine.run_sync("Go")
    assert child_events(trace.events) == []
    assert [author for author, _ in kept(engine)].count("operator") == 1


# -- transfers ---------------------------------------------------------------------------------------------------------


def test_a_transfer_to_an_isolated_agent_is_merged_when_it_answers() -> None:
    engine, cast = octet(
        {"root": ["Hello.", transfer("painter"), "Yes."], "painter": [("paint_wall", {}), "The wall is red."]}
    )
    engine.run_sync("hello")
    trace = engine.run_sync("Paint it red")
    closed(engine, trace)
    assert child_events(trace.events) == ["child.forked", "child.merged"]
    assert trace.turn.answer == "The wall is red."
    assert [message.content for message in cast.of("painter")[0].messages[1:]] == ["hello", "Hello.", "Paint it red"]
    assert kept(engine)[-1] == (ROOT, "painter reports: The wall is red.")
    assert [text for _, text in kept(engine)].count("painter reports: The wall is red.") == 1
    engine.run_sync("Is it red?")
    seen = cast.of("root")[-1]
    assert "painter reports: The wall is red." in seen.text
    assert not [message for message in seen.messages if message.author == "painter"]


def test_an_isolated_agent_that_gives_back_is_discarded() -> None:
    engine, cast = octet(
        {
            "root": [transfer("painter"), "Nobody can."],
            "painter": [("paint_wall", {}), transfer(ROOT, reason="that is no wall")],
        }
    )
    trace = engine.run_sync("Paint the sea")
    closed(engine, trace)
    assert child_events(trace.events) == ["child.forked", "child.discarded"]
    assert "raw" not in cast.of("root")[-1].text
    assert [text for author, text in kept(engine) if "painter failed" in text] != []


def test_an_isolated_agent_that_fails_is_discarded_before_the_root_goes_another_way() -> None:
    engine, cast = octet(
        {"root": [transfer("painter"), "Call a painter."], "painter": [("paint_badly", {}), "It dripped."]}, STRUCTURED
    )
    trace = engine.run_sync("Paint it")
    closed(engine, trace)
    kinds = [event.kind for event in trace.events]
    assert kinds.index("child.discarded") < len(kinds) - 1 - kinds[::-1].index("text")
    retry = cast.of("root")[-1]
    assert not [message for message in retry.messages if message.role == "tool" and message.tool_name == "paint_badly"]
    assert errors(retry) == []
    assert trace.turn.answer == "Call a painter."


@pytest.mark.parametrize("mode", ["classic", "structured"])
def test_an_agent_stopped_in_the_middle_of_its_calls_leaves_none_open(mode: str) -> None:
    """The fifth call of the same kind is stopped before it is answered."""
    again: list[Line] = [[("paint_wall", {}), ("paint_wall", {})]] * 3
    engine, cast = octet(
        {"root": [transfer("painter"), "Not today."], "painter": again},
        {"agent": {"orchestration": {"mode": mode}}},
    )
    trace = engine.run_sync("Paint it")
    closed(engine, trace)
    assert child_events(trace.events) == ["child.forked", "child.discarded"]
    assert trace.turn.outcome == ("loop_detected" if mode == "classic" else "success")
    if mode == "structured":
        assert "raw" not in cast.of("root")[-1].text


@pytest.mark.parametrize("how", ["cancelled", "timeout"])
def test_a_transfer_that_is_cut_off_is_discarded(how: str) -> None:
    gate = Gate()
    settings = {"agent": {"requestTimeout": "9s"}} if how == "timeout" else {}
    engine, _ = octet(
        {"root": [transfer("painter")], "painter": [("paint_wall", {}), ("paint_hold", {})]},
        settings,
        tools=[*TOOLS, gate.tool("paint_hold")],
    )

    async def scene() -> None:
        turn = asyncio.ensure_future(engine.run("Paint it"))
        await until(gate.arrived.is_set)
        if how == "cancelled":
            turn.cancel()
        await asyncio.wait([turn])

    run_skipping(scene())
    trace = engine.traces.get(-1)
    assert trace.turn.outcome == how
    closed(engine, trace)
    assert child_events(trace.events) == ["child.forked", "child.discarded"]


# -- streams -----------------------------------------------------------------------------------------------------------

WAYS: dict[str, dict[str, Sequence[Line]]] = {
    "run merged": {"root": [spawn("operator", "a"), wait("arun-1"), "."], "a": [("fs_look", {}), "done"]},
    "run failed": {"root": [spawn("operator", "a"), wait("arun-1"), "."], "a": [("fs_look", {}), RuntimeError("x")]},
    "transfer merged": {"root": [transfer("painter")], "painter": [("paint_wall", {}), "Painted."]},
    "transfer failed": {"root": [transfer("painter"), "No."], "painter": [("paint_wall", {}), RuntimeError("x")]},
    "transfer given back": {"root": [transfer("painter"), "No."], "painter": [transfer(ROOT)]},
}


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("mode", ["classic", "structured"])
def test_a_stream_ends_its_children_like_a_collected_turn(way: str, mode: str) -> None:
    settings = {"agent": {"orchestration": {"mode": mode}}}
    collected, _ = octet(WAYS[way], settings)
    streamed, _ = octet(WAYS[way], settings)

    async def stream() -> list[Event]:
        return [event async for event in streamed.stream("Go")]

    trace, events = collected.run_sync("Go"), asyncio.run(stream())
    assert [event.kind for event in events] == [event.kind for event in trace.events]
    assert kept(streamed) == kept(collected)
    closed(streamed, streamed.traces.get(-1))


def test_a_stream_that_is_left_early_discards_its_children() -> None:
    engine, _ = octet({"root": [transfer("painter")], "painter": [("paint_wall", {}), Gate().then("never")]})

    async def scene() -> None:
        stream = engine.stream("Paint it")
        async for event in stream:
            if event.kind == "tool.finished":
                break
        await stream.aclose()

    asyncio.run(scene())
    trace = engine.traces.get(-1)
    assert trace.turn.outcome == "cancelled"
    assert child_events(trace.events) == ["child.forked", "child.discarded"]
    closed(engine, trace)


def test_what_a_child_says_never_counts_as_said_by_the_root() -> None:
    engine, _ = octet({"root": [spawn("operator", "a"), wait("arun-1"), "Done."], "a": [("fs_look", {}), "done"]})
    engine.run_sync("Go")
    messages: Sequence[Message] = engine.session().messages
    assert {message.author for message in messages} == {"user", ROOT}
    assert not [message for message in messages if message.tool_calls or message.role == "tool"]
