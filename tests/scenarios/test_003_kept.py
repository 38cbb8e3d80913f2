"""Spec 003: what a turn, the run ledger and memories hold is there in the next process, read from the store alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lango_nb.engine import Engine
from lango_nb.records.turns import Trace
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.decorator import tool
from tests.cast import Person, TeamOf, spawn, wait

LEDGER = {"runLedger": {"enabled": True, "writeThrough": True}}
MEMORY = {"agentMemory": {"enabled": True}}
STRUCTURED = {"agent": {"orchestration": {"mode": "structured"}}}
REMOTES = [{"name": name, "agentCardUrl": f"https://{name}.example"} for name in ("weather", "almanac")]


def erase(path: str) -> str:
    """Erase a file."""
    return f"{path} is gone"


FS_ERASE = tool(erase, name="fs_erase", safety="dangerous")


def reopened(engine: Engine, store: Path) -> Engine:
    """Close an engine and open what it has left, as the next process does."""
    engine.close()
    return Engine(topology="octet", store=store)


@pytest.mark.parametrize("is_on", [True, False])
def test_remote_agents_come_last_where_a2a_is_on(team: TeamOf, is_on: bool) -> None:
    settings = {"a2a": {"enabled": is_on, "remoteAgents": REMOTES}}
    engine, _ = team({"root": []}, settings, card_loader=lambda url: {"description": f"From {url}."})
    local = [node.name for node in engine.tree.agents if node.role == "specialist"]
    assert len(local) > 1
    assert [node.name for node in engine.tree.agents] == [*local, *(["weather", "almanac"] if is_on else [])]
    assert [row.name for row in engine.tree.table if row.is_remote] == (["weather", "almanac"] if is_on else [])
    assert ("almanac" in engine.tree.root.prompt) is is_on


def test_the_next_process_reads_hand_overs_calls_results_and_the_outcome(team: TeamOf, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("first\nsecond\n", encoding="utf-8")
    lines = [("fs_read", {"path": "notes.md"}), ("fs_read", {"path": "gone.md"}), "One was there."]
    root = [spawn("operator", "Read two files"), wait("arun-1"), "One was there, the other was not."]
    engine, _ = team({"root": root, "operator": lines}, store=tmp_path / "kept")
    before = engine.run_sync("Read two files")
    again = reopened(engine, tmp_path / "kept")
    trace: Trace = again.traces.get(1)
    assert [(event.kind, event.author) for event in trace.events] == [(one.kind, one.author) for one in before.events]
    assert [event.target for event in trace.events if event.kind == "handover"] == ["operator"]
    calls = [event for event in trace.events if event.kind == "tool.started" and event.tool == "fs_read"]
    assert [call.arguments for call in calls] == [{"path": "notes.md"}, {"path": "gone.md"}]
    results = [event for event in trace.events if event.kind == "tool.finished" and event.tool == "fs_read"]
    assert [result.is_error for result in results] == [False, True]
    assert "second" in results[0].result
    assert (trace.turn.outcome, trace.turn.answer) == (before.turn.outcome, "One was there, the other was not.")
    again.close()


def test_the_next_process_reads_what_was_done_about_failures(team: TeamOf, tmp_path: Path) -> None:
    failed = ConnectionError("connection refused")
    engine, _ = team({"root": [failed, "Here I am."]}, STRUCTURED, store=tmp_path / "kept")
    before = [event for event in engine.run_sync("Hello").events if event.kind == "recovery"]
    again = reopened(engine, tmp_path / "kept")
    after = [event for event in again.traces.get(1).events if event.kind == "recovery"]
    assert [(one.action, one.attempt) for one in after] == [(one.action, one.attempt) for one in before]
    assert len(after) == 1
    again.close()


@pytest.mark.parametrize("is_on", [True, False])
def test_the_next_process_reads_the_ledger(team: TeamOf, tmp_path: Path, is_on: bool) -> None:
    lines: dict[str, Any] = {
        "root": [spawn("operator", "erase a"), wait("arun-1"), "Done."],
        "operator": [("fs_erase", {"path": "a"}), "Erased."],
    }
    options: dict[str, Any] = {"store": tmp_path / "kept", "approver": Person()}
    settings = LEDGER if is_on else {"runLedger": {"enabled": True, "writeThrough": False}}
    engine, _ = team(lines, settings, tools=[*builtin_tools(), FS_ERASE], **options)
    (run,) = engine.run_sync("Erase a").runs
    again = reopened(engine, tmp_path / "kept")
    told = [(entry.kind, entry.run_id, entry.agent, entry.runtime_condition) for entry in again.ledger]
    blocked = ("teammate_approval_blocked", run.id, "operator", "blocked_waiting_approval")
    assert told == ([blocked, ("teammate_approval_unblocked", run.id, "operator", "")] if is_on else [])
    again.close()


def test_the_next_process_reads_the_memories(team: TeamOf, tmp_path: Path) -> None:
    note = ("memory_agent_save", {"key": "tone", "content": "short answers"})
    root = [spawn("chronicler", "keep it"), wait("arun-1"), "Done."]
    engine, _ = team({"root": root, "chronicler": [note, "Well."]}, MEMORY, store=tmp_path / "kept")
    engine.run_sync("Remember that I like short answers")
    again = reopened(engine, tmp_path / "kept")
    found = again.memories.search("chronicler")
    assert [(memory.agent, memory.key, memory.content) for memory in found] == [("chronicler", "tone", "short answers")]
    assert again.memories.search("vault") == ()
    again.close()
