"""Spec 003, "Child Session Isolation": isolated agents work in sessions of their own, and leave one message each."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.messages import Message
from lango_nb.engine import Engine
from lango_nb.records.child_sessions import ChildSessions, summarize
from lango_nb.records.turns import Trace
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.decorator import tool
from tests.cast import Cast, Line, TeamOf, errors, spawn, transfer, wait

ROOT = "lango-orchestrator"
SAMPLES = {
    "operator": "fs_look",
    "navigator": "browser_look",
    "vault": "crypto_look",
    "librarian": "search_look",
    "automator": "cron_look",
    "ontologist": "ontology_look",
    "chronicler": "memory_look",
    "planner": "",
}
"""One tool of every agent that has tools."""
ISOLATED = ("operator", "navigator", "vault", "librarian", "automator", "ontologist")


def look() -> str:
    """Look."""
    return "raw result"


ONE_OF_EACH = [*builtin_tools(), *(tool(look, name=name, safety="safe") for name in SAMPLES.values() if name)]


def used(agent: str) -> list[Line]:
    """Let an agent think aloud, use its tool and answer."""
    calls: list[Line] = [[(SAMPLES[agent], {})]] if SAMPLES[agent] else []
    return [*calls, f"{agent} is done"]


def kept(engine: Engine) -> list[tuple[str, str]]:
    """Return who said what in the conversation, calls and results included."""
    return [(str(message.author), message.content) for message in engine.session().messages]


# -- what is isolated --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", list(SAMPLES))
def test_six_work_in_child_sessions_and_two_on_the_parent_path(team: TeamOf, agent: str) -> None:
    engine, _ = team({"root": [spawn(agent, "go"), wait("arun-1"), "All done."], agent: used(agent)}, tools=ONE_OF_EACH)
    trace = engine.run_sync("Go")
    assert bool(trace.runs[0].child_session) is (agent in ISOLATED)
    assert ("child.merged" in [event.kind for event in trace.events]) is (agent in ISOLATED)
    own = [message for message in engine.session().messages if message.author == agent]
    assert bool(own) is (agent not in ISOLATED)


def test_a_child_session_is_forked_from_the_conversation(team: TeamOf) -> None:
    engine, cast = team(
        {"root": ["Nice to meet you.", spawn("operator", "greet Ada"), wait("arun-1"), "Done."], "operator": ["Hi."]}
    )
    engine.run_sync("My name is Ada")
    trace = engine.run_sync("Greet me")
    (asked,) = cast.of("operator")
    said = [(message.author, message.content) for message in asked.messages[1:] if not message.tool_calls]
    assert said[:3] == [("user", "My name is Ada"), (ROOT, "Nice to meet you."), ("user", "Greet me")]
    assert said[-1] == (ROOT, "greet Ada"), "the work order comes last"
    (forked,) = [event for event in trace.events if event.kind == "child.forked"]
    assert forked.inherited >= 3


@pytest.mark.parametrize("is_on", [True, False])
def test_the_isolation_setting_alone_switches_child_sessions(team: TeamOf, is_on: bool) -> None:
    engine, _ = team(
        {"root": [spawn("operator", "go"), wait("arun-1"), "All done."], "operator": used("operator")},
        {"agent": {"isolation": {"enabled": is_on}}},
        tools=ONE_OF_EACH,
    )
    trace = engine.run_sync("Go")
    assert bool(trace.runs[0].child_session) is is_on
    assert ("child.forked" in [event.kind for event in trace.events]) is is_on
    assert ("operator", "raw result") in kept(engine) or is_on


# -- what stays and what is carried over -------------------------------------------------------------------------------


def test_raw_child_turns_never_reach_a_later_turn(team: TeamOf) -> None:
    engine, cast = team(
        {
            "root": [spawn("operator", "go"), wait("arun-1"), "It is done.", spawn("vault", "and you"), "Both."],
            "operator": used("operator"),
            "vault": used("vault"),
        },
        tools=ONE_OF_EACH,
    )
    engine.run_sync("Go")
    engine.run_sync("And the vault?")
    later = [asked for asked in cast.asked if "And the vault?" in asked.text]
    assert {asked.agent for asked in later} >= {ROOT, "vault"}
    first = later[0].text
    assert "operator reports: operator is done" in first
    assert "raw result" not in first
    assert "fs_look" not in first
    assert not [message for asked in later for message in asked.messages if message.author == "operator"]


def test_during_a_run_its_calls_and_results_stay_visible(team: TeamOf) -> None:
    lines: list[Line] = [("fs_look", {}), ("fs_look", {"": ""}), ("fs_look", {}), "Looked."]
    engine, cast = team(
        {"root": [spawn("operator", "look"), wait("arun-1"), "Done."], "operator": lines}, tools=ONE_OF_EACH
    )
    engine.run_sync("Look")
    seen = [sum(message.role == "tool" for message in asked.messages) for asked in cast.of("operator")]
    assert seen == [0, 1, 2, 3]
    calls = [call.id for message in cast.of("operator")[-1].messages for call in message.tool_calls]
    results = [message.tool_call_id for message in cast.of("operator")[-1].messages if message.role == "tool"]
    assert calls == results


def test_results_are_summed_up_and_merged_once(team: TeamOf) -> None:
    engine, _ = team(
        {"root": [spawn("operator", "go"), wait("arun-1"), "It is done."], "operator": used("operator")},
        tools=ONE_OF_EACH,
    )
    trace = engine.run_sync("Go")
    assert kept(engine) == [("user", "Go"), (ROOT, "operator reports: operator is done"), (ROOT, "It is done.")]
    (merged,) = [event for event in trace.events if event.kind == "child.merged"]
    assert (merged.author, merged.summary) == (ROOT, "operator reports: operator is done")
    assert engine.teammates.children.active() == ()


def test_the_summary_is_the_last_visible_text(team: TeamOf) -> None:
    said = [
        Message(role="user", content="order", author=ROOT),
        Message(role="assistant", content="First I look.", author="vault"),
        Message(role="assistant", content="It is 2cf2.", author="vault"),
        Message(role="tool", content="raw result", author="vault", tool_call_id="c1"),
    ]
    assert summarize(said) == "It is 2cf2."
    children = ChildSessions()
    child = children.fork("main", "vault", (), inherit=10, key="main:child:vault:1")
    child.messages.extend(said)
    assert children.merge(child, ROOT).content == "vault reports: It is 2cf2."


def test_one_service_forks_merges_and_discards(team: TeamOf) -> None:
    """Runs and transfers alike: after every turn nothing is left at work, and every child ended exactly once."""
    engine, _ = team(
        {
            "root": [
                [spawn("operator", "well"), spawn("operator", "badly")],
                [wait("arun-1"), wait("arun-2")],
                transfer("painter"),
            ],
            "well": ["Well done."],
            "badly": [RuntimeError("out of order")],
            "painter": ["Painted."],
        },
        agents=[PAINTER],
        tools=[*ONE_OF_EACH, tool(look, name="paint_wall", safety="safe")],
    )
    trace = engine.run_sync("Go")
    kinds = [event.kind for event in trace.events if event.kind.startswith("child.")]
    assert (kinds.count("child.forked"), kinds.count("child.merged"), kinds.count("child.discarded")) == (3, 2, 1)
    assert engine.teammates.children.active() == ()


PAINTER = AgentSpec(name="painter", prefixes=("paint_*",), session_isolation=True, source=Source.USER)
"""An isolated agent that is attached: transfer reaches it."""


# -- failures ----------------------------------------------------------------------------------------------------------


def failing(team: TeamOf) -> tuple[Engine, Cast]:
    """Make a turn whose operator fails in the middle of its work."""
    return team(
        {
            "root": [spawn("operator", "go"), wait("arun-1"), "It failed."],
            "operator": [[("fs_look", {})], RuntimeError("canary of the operator")],
        },
        tools=ONE_OF_EACH,
    )


def test_a_discarded_child_leaves_one_note_of_the_root(team: TeamOf) -> None:
    engine, _ = failing(team)
    trace = engine.run_sync("Go")
    assert trace.runs[0].status == "failed"
    (note,) = [text for author, text in kept(engine) if author == ROOT and "operator" in text]
    assert note.startswith("operator failed and its work is discarded")
    assert "canary" not in note
    assert "raw result" not in "\n".join(text for _, text in kept(engine))
    assert {author for author, _ in kept(engine)} == {"user", ROOT}
    assert len(note) < 200


def test_discarded_children_are_cleaned_up(team: TeamOf) -> None:
    engine, _ = failing(team)
    trace = engine.run_sync("Go")
    assert [event.kind for event in trace.events].count("child.discarded") == 1
    assert engine.teammates.children.active() == ()


def test_a_stream_discards_like_a_collected_turn(team: TeamOf, tmp_path: Path) -> None:
    collected, _ = failing(team)
    streamed, _ = failing(team)
    whole = collected.run_sync("Go")

    async def scene() -> list[Any]:
        return [event async for event in streamed.stream("Go")]

    events = asyncio.run(scene())
    assert [event.kind for event in events] == [event.kind for event in whole.events]
    assert "child.discarded" in [event.kind for event in events]
    assert kept(streamed) == kept(collected)
    assert streamed.teammates.children.active() == ()


def test_a_failed_overlay_is_gone_before_the_retry_and_its_calls_are_closed(team: TeamOf) -> None:
    """The painter repeats itself until it is stopped in the middle of a call; the root is asked again, with a hint."""
    engine, cast = team(
        {"root": [transfer("painter"), "I cannot paint it."], "painter": [("paint_wall", {})] * 5},
        {"agent": {"orchestration": {"mode": "structured"}}},
        agents=[PAINTER],
        tools=[*ONE_OF_EACH, tool(look, name="paint_wall", safety="safe")],
    )
    trace = engine.run_sync("Paint the wall")
    assert trace.turn.answer == "I cannot paint it."
    retry = cast.of("root")[-1]
    assert "raw result" not in retry.text
    assert not [message for message in retry.messages if message.author == "painter" and message.role == "assistant"]
    assert "painter failed and its work is discarded" in retry.text, "its overlay is thrown away, not merged"
    open_calls = {call.id for message in retry.messages for call in message.tool_calls}
    assert open_calls == {message.tool_call_id for message in retry.messages if message.role == "tool"}
    assert not [text for text in errors(retry) if "interrupted" in text]
    assert engine.teammates.children.active() == ()
    _every_call_is_answered(trace, engine)


def _every_call_is_answered(trace: Trace, engine: Engine) -> None:
    for messages in (trace.messages, engine.session().messages):
        asked = [call.id for message in messages for call in message.tool_calls]
        assert sorted(asked) == sorted(str(message.tool_call_id) for message in messages if message.role == "tool")
    ran = {
        kind: [event.call_id for event in trace.events if event.kind == kind]
        for kind in ("tool.started", "tool.finished")
    }
    assert set(ran["tool.started"]) <= set(ran["tool.finished"])
