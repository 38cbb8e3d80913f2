"""Spec 003, "Agent Memory": what an agent keeps for itself from one conversation to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.engine import Engine
from lango_nb.records.memories import MemoryQuery
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.builtin.memory import MEMORY_TOOLS
from tests.cast import Cast, Line, TeamOf, answers, errors, spawn, transfer, wait

REMEMBERING = {"agentMemory": {"enabled": True}}


def save(key: str, content: str, **more: Any) -> Line:
    return "memory_agent_save", {"key": key, "content": content, **more}


def recall(query: str) -> Line:
    return "memory_agent_recall", {"query": query}


def remembering(team: TeamOf, *orders: Line) -> tuple[Engine, Cast]:
    """Make an octet in which the chronicler gets one piece of work per turn."""
    root = [line for n, _ in enumerate(orders, 1) for line in (spawn("chronicler", f"{n}"), wait(f"arun-{n}"), "Done.")]
    lines: dict[str, list[Line]] = {f"{n}": [order, f"Order {n} is done."] for n, order in enumerate(orders, 1)}
    return team({"root": root, **lines}, REMEMBERING)


def recalled(cast: Cast) -> list[dict[str, Any]]:
    """Return the memories that the latest recall found."""
    memories: list[dict[str, Any]] = answers(cast.of("chronicler")[-1], "memory_agent_recall")[-1]["memories"]
    return memories


@pytest.mark.parametrize("is_on", [True, False])
def test_agents_keep_a_memory_where_it_is_switched_on(team: TeamOf, is_on: bool) -> None:
    engine, cast = team(
        {
            "root": [spawn("chronicler", "keep it"), wait("arun-1"), "Done."],
            "chronicler": [save("tone", "short answers"), "Well."],
        },
        {"agentMemory": {"enabled": is_on}},
        tools=[*builtin_tools(), *(tool for tool in MEMORY_TOOLS if tool not in builtin_tools())],
    )
    engine.run_sync("Remember that I like short answers")
    found = engine.memories.search("chronicler")
    assert [(memory.agent, memory.key, memory.content) for memory in found] == (
        [("chronicler", "tone", "short answers")] if is_on else []
    )
    told = errors(cast.of("chronicler")[-1])
    assert bool(told) is not is_on
    assert all("agentMemory.enabled" in text for text in told)
    bare = Engine(Settings.model_validate({"agent": {"multiAgent": True}, "agentMemory": {"enabled": is_on}}))
    assert ("memory_agent_save" in bare.catalog.names) is is_on


def test_context_survives_from_session_to_session(team: TeamOf) -> None:
    engine, cast = remembering(team, save("project", "the project is called Borealis"), recall("project"))
    engine.run_sync("We work on Borealis", "monday")
    engine.run_sync("What do we work on?", "tuesday")
    (memory,) = recalled(cast)
    assert memory["content"] == "the project is called Borealis"
    assert memory["created_at"]
    assert "Borealis" not in str(engine.session("tuesday").messages[0])


@pytest.mark.parametrize("kind", ["pattern", "preference"])
def test_patterns_and_preferences_are_remembered(team: TeamOf, kind: str) -> None:
    engine, cast = remembering(team, save("answers", "keep answers short", kind=kind), recall("SHORT"))
    engine.run_sync("Keep answers short")
    engine.run_sync("What do I like?")
    (memory,) = recalled(cast)
    assert (memory["kind"], memory["key"], memory["agent"]) == (kind, "answers", "chronicler")


def test_no_agent_reads_the_memory_of_another(engine_on: Callable[..., Engine]) -> None:
    """The quartet's memory agent and the octet's work on one engine, one after the other."""
    lines: dict[str, list[Line]] = {
        "root": [transfer("memory-manager"), spawn("chronicler", "recall it"), wait("arun-1"), "Nothing."],
        "memory-manager": [save("word", "the word is xyzzy"), "Kept."],
        "chronicler": [recall("word"), "I know of no word."],
    }
    settings = Settings.model_validate({"agent": {"multiAgent": True}, "background": {"enabled": True}, **REMEMBERING})
    cast = Cast(lines)
    engine = engine_on("quartet", settings=settings, model=cast)
    engine.run_sync("Keep the word")
    engine.use("octet")
    engine.run_sync("What is the word?")
    assert recalled(cast) == []
    assert [memory.agent for memory in engine.memories.search("memory-manager")] == ["memory-manager"]
    assert engine.memories.search("chronicler") == ()


def test_memory_lives_as_long_as_the_sessions(team: TeamOf) -> None:
    engine, _ = remembering(team, save("zone", "lives in Riga"))
    engine.run_sync("I live in Riga")
    engine.use("sextet")
    assert [memory.content for memory in engine.memories.search("chronicler")] == ["lives in Riga"]
    assert engine.session().messages
    another, _ = remembering(team)
    assert (len(another.memories), another.session().messages) == (0, [])


def test_memory_can_be_searched_and_pruned_and_counts_its_use(team: TeamOf) -> None:
    engine, cast = remembering(
        team,
        [save("zone", "lives in Riga", confidence=0.9), save("pet", "has a cat in Riga", confidence=0.2)],  # type: ignore[list-item]
        recall("riga"),
        recall("riga"),
    )
    for text in ("Remember", "Recall", "Recall again"):
        engine.run_sync(text)
    assert [(memory["key"], memory["use_count"]) for memory in recalled(cast)] == [("zone", 1), ("pet", 1)]
    memories = engine.memories
    assert [memory.use_count for memory in memories.search("chronicler")] == [2, 2]
    assert [memory.key for memory in memories.search("chronicler", MemoryQuery(text="CAT"))] == ["pet"]
    assert memories.prune(0.5) == 1
    assert [memory.key for memory in memories.search("chronicler")] == ["zone"]
