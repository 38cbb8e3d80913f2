"""allowed_tools narrows a run for good: whatever the safety of a tool, whatever its name, and below the run as well."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.events import HandOverRefused, PolicyDecided
from lango_nb.core.ids import CountedIds
from lango_nb.engine import Engine
from lango_nb.records.turns import Trace
from lango_nb.runtime.approvals import DenyAll
from lango_nb.specs.topologies import load_topology
from lango_nb.specs.topology import Topology
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.decorator import tool
from tests.cast import Call, Cast, Line, Person, answers, errors, spawn, until, wait

READ: Call = ("fs_read", {"path": "notes.md"})
MKDIR: Call = ("fs_mkdir", {"path": "new"})
LIST: Call = ("fs_list", {"path": "."})


def act() -> str:
    """Act."""
    return "acted"


def octet_with(**prefixes: tuple[str, ...]) -> Topology:
    """Return the octet with further prefixes for some agents."""
    found = load_topology("octet")
    agents = [
        spec.model_copy(update={"prefixes": (*spec.prefixes, *prefixes.get(spec.name, ()))}) for spec in found.agents
    ]
    return found.model_copy(update={"agents": tuple(agents)})


def made(folder: Path, lines: Mapping[str, Iterable[Line]], **options: Any) -> tuple[Engine, Cast]:
    (folder / "notes.md").write_text("# Notes\nsecond\n")
    settings = Settings.model_validate({"agent": {"multiAgent": True}, "background": {"enabled": True}})
    crypto = tool(act, name="crypto_hash", safety="safe")
    cast = Cast(lines)
    defaults: dict[str, Any] = {"tools": [*builtin_tools(), crypto], "approver": DenyAll("not today")}
    options = {**defaults, "clock": SteppedClock(), "ids": CountedIds(), **options}
    return Engine(settings, model=cast, workspace=folder, **options), cast


def started(trace: Trace) -> list[str]:
    return [event.tool for event in trace.events if event.kind == "tool.started" and event.run_id]


def test_what_is_outside_the_list_is_blocked_and_the_root_is_told_why(tmp_path: Path) -> None:
    engine, cast = made(
        tmp_path,
        {
            "root": [spawn("operator", "look", allowed_tools=["fs_list"]), wait("arun-1"), "Half of it."],
            "operator": [READ, MKDIR, LIST, "I saw the names only."],
        },
    )
    trace = engine.run_sync("Look around")
    assert started(trace) == ["fs_list"]
    assert not (tmp_path / "new").exists()
    assert ["not today" in text for text in errors(cast.of("operator")[-1])] == [True, True]
    run = engine.runs.get("arun-1")
    assert (run.allowed_tools, run.blocked_reason, run.grant_state) == (("fs_list",), "not today", "denied")
    (told,) = answers(cast.of("root")[-1], "agent_wait")
    assert (told["blocked_reason"], told["grant_state"]) == ("not today", "denied")
    assert (told["status"], told["result"]) == ("completed", "I saw the names only.")


def test_somebody_who_is_asked_may_give_a_harmless_tool_for_the_turn(tmp_path: Path) -> None:
    engine, cast = made(
        tmp_path,
        {
            "root": [spawn("operator", "look", allowed_tools=["fs_list"]), wait("arun-1"), "Done."],
            "operator": [READ, READ, "second"],
        },
        approver="hold",
    )

    async def scene() -> Trace:
        turn = asyncio.ensure_future(engine.run("Look around"))
        await until(lambda: bool(engine.approvals.pending))
        (question,) = engine.approvals.pending
        assert (question.id, question.request.is_grant) == ("grant-arun-1-fs_read", True)
        question.allow(scope="turn")
        return await turn

    trace = asyncio.run(scene())
    assert started(trace) == ["fs_read", "fs_read"], "asked once: the run has the tool now"
    assert engine.runs.get("arun-1").allowed_tools == ("fs_list", "fs_read")
    (told,) = answers(cast.of("root")[-1], "agent_wait")
    assert "blocked_reason" not in told


@pytest.mark.parametrize("name", ["task_wipe", "agent_x", "tool_output_y"])
def test_a_lookalike_of_a_control_tool_is_outside_the_list_like_any_other(tmp_path: Path, name: str) -> None:
    engine, _ = made(
        tmp_path,
        {
            "root": [spawn("operator", "go", allowed_tools=["fs_list"]), wait("arun-1"), "Done."],
            "operator": [(name, {}), ("task_list", {}), "That was it."],
        },
        topology=octet_with(operator=(name,)),
        tools=[*builtin_tools(), tool(act, name=name, safety="moderate")],
    )
    trace = engine.run_sync("Go")
    assert started(trace) == ["task_list"], "control tools stay"
    decided = [(event.tool, event.decision) for event in trace.events if isinstance(event, PolicyDecided)]
    assert decided == [(name, "needs_approval")]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "your run may use fs_list only, so it cannot give vault the tool 'crypto_hash'"),
        ({"allowed_tools": ["crypto_hash"]}, "your run may use fs_list only, so it cannot give vault the tool"),
        ({"allowed_tools": []}, "your run may use fs_list only, so it cannot give vault the tool 'crypto_hash'"),
    ],
)
def test_a_narrowed_run_gives_no_child_more_than_it_has(tmp_path: Path, given: dict[str, Any], told: str) -> None:
    engine, cast = made(
        tmp_path,
        {
            "root": [spawn("operator", "go", allowed_tools=["fs_list"]), wait("arun-1"), "Done."],
            "operator": [spawn("vault", "hash it", **given), spawn("planner", "plan it"), wait("arun-2"), "Planned."],
            "planner": ["1. Nothing."],
        },
    )
    trace = engine.run_sync("Go")
    refused = [(event.target, event.code) for event in trace.events if isinstance(event, HandOverRefused)]
    assert refused == [("vault", "outside_scope")]
    assert errors(cast.of("operator")[-1])[0].startswith(told)
    assert [run.requested_agent for run in engine.runs] == ["operator", "planner"], "who has no tools gets none"


def test_a_run_with_all_its_role_has_may_still_ask_others(tmp_path: Path) -> None:
    engine, _ = made(
        tmp_path,
        {
            "root": [spawn("operator", "go", allowed_tools=[]), wait("arun-1"), "Done."],
            "operator": [spawn("vault", "hash it"), wait("arun-2"), "Hashed."],
            "vault": [("crypto_hash", {}), "acted"],
        },
        approver=Person(),
    )
    assert started(engine.run_sync("Go")) == ["agent_wait", "crypto_hash"]
