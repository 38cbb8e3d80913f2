"""One secret, put everywhere a person, a model, a tool, a hook or an approver can put one: no record holds it.

The model reads what was written: it cannot work with a mask.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.ids import CountedIds
from lango_nb.engine import Engine
from lango_nb.hooks.decorator import after_call, before_call
from lango_nb.hooks.hook import HookCall, Observe
from lango_nb.records.ledger import LedgerEntry
from lango_nb.records.memories import Memory
from lango_nb.records.runs import AgentRun
from lango_nb.records.tasks import Task
from lango_nb.records.turns import Turn
from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest
from lango_nb.tools.builtin.memory import MEMORY_TOOLS
from lango_nb.tools.builtin.tasks import TASK_TOOLS
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import ToolResult
from tests.cast import Cast, Line, merged, spawn, wait

SECRET = "sk-CANARYabcdefghijklmnop0123456789"


@tool(name="fs_look", safety="safe")
def look(word: str = "") -> str:
    """Look."""
    return f"found {SECRET} {word}"


@tool(name="fs_break", safety="safe")
def broken(word: str = "") -> str:
    """Break."""
    raise RuntimeError(f"broke at {SECRET} {word}")


@tool(name="fs_kill", safety="dangerous")
def kill(word: str = "") -> str:
    """Kill."""
    return f"killed {SECRET} {word}"


@before_call(tools="fs_look")
def watched(call: HookCall) -> Observe:
    """Tell what it saw."""
    return Observe(f"saw {call.arguments}")


@after_call(tools="fs_look")
def failing(call: HookCall, result: ToolResult) -> None:
    """Fail with what it saw."""
    raise ValueError(f"{call.tool.name} gave {result.content}")


class Talkative:
    """Says no, and more than it should."""

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        return ApprovalAnswer(False, f"who knows {SECRET}", f"not with {request.arguments}")


def engine_of(tmp_path: Path, lines: dict[str, list[Line]], settings: dict[str, Any] | None = None) -> Engine:
    everything = {
        "agent": {"multiAgent": True},
        "background": {"enabled": True},
        "agentMemory": {"enabled": True},
        "runLedger": {"enabled": True, "writeThrough": True},
    }
    engine = Engine(
        Settings.model_validate(merged(everything, settings or {})),
        topology="octet",
        tools=(look, broken, kill, *TASK_TOOLS, *MEMORY_TOOLS),
        model=Cast(lines),
        workspace=tmp_path,
        clock=SteppedClock(),
        ids=CountedIds(),
        approver=Talkative(),
    )
    engine.add_hook(watched, failing)
    return engine


def records(engine: Engine) -> Iterator[tuple[str, object]]:
    """Yield everything an engine keeps for looking at."""
    for trace in engine.traces:
        yield "turn", trace.turn
        for event in trace.events:
            yield event.kind, event
        for decision in trace.decisions:
            yield "decision", decision
            yield "route", decision.route
        for message in trace.messages:
            yield f"{message.role} message", message
    for run in engine.runs:
        yield "run", run
        for event in engine.runs.events(run.id):
            yield f"run's {event.kind}", event
    for task in engine.tasks:
        yield "task", task
    for agent in engine.tree.names:
        for memory in engine.memories.search(agent):
            yield "memory", memory
    for entry in engine.ledger:
        yield "ledger", entry
    for change in engine.breakers.states():
        yield "circuit", change


def leaks(engine: Engine) -> list[str]:
    found = []
    for what, record in records(engine):
        fields = dataclasses.asdict(record) if isinstance(record, PLAIN) else {"it": record}
        found += [f"{what}: {name}" for name, value in fields.items() if "CANARY" in repr(value)]
    return sorted(set(found))


PLAIN = AgentRun | Task | Memory | LedgerEntry | Turn
ORDER = spawn("operator", f"use {SECRET}", spawn_reason=f"because of {SECRET}", allowed_tools=["fs_look"])
WORD = {"word": SECRET}
NOTE = {"title": SECRET, "description": SECRET, "parent_id": SECRET}
KEPT = {"key": f"key {SECRET}", "content": SECRET, "tags": [SECRET, "plain"]}
DEAD = RuntimeError(f"died of {SECRET}")
TURNS: dict[str, dict[str, list[Line]]] = {
    "said, called and found": {
        "root": [ORDER, wait("arun-1"), f"It is {SECRET}."],
        "operator": [("fs_look", WORD), ("fs_break", WORD), ("task_create", NOTE), f"I have {SECRET}."],
    },
    "asked about": {
        "root": [ORDER, wait("arun-1"), "Done."],
        "operator": [("fs_kill", WORD), f"I may not use {SECRET}."],
    },
    "what a run died of": {"root": [ORDER, wait("arun-1"), "Done.", "Done."], "operator": [DEAD]},
    "what the root died of": {"root": [DEAD]},
    "wrong names": {
        "root": [
            ("agent_spawn", {"agent": SECRET, "instruction": SECRET}),
            ("agent_wait", {"agent_id": SECRET}),
            ("task_get", {"task_id": SECRET}),
            ("task_list", {"status": SECRET, SECRET: SECRET}),
            (SECRET, {}),
            "Done.",
        ]
    },
    "remembered": {
        "root": [spawn("chronicler", f"remember {SECRET}"), wait("arun-1"), "Done."],
        "chronicler": [("memory_agent_save", KEPT), ("memory_agent_recall", {"query": SECRET}), "I saved it."],
    },
}


class SilentError(Exception):
    """An error of a client that cannot be told."""

    def __str__(self) -> str:
        raise ValueError(SECRET)


@pytest.mark.parametrize("length", range(240, 310, 7))
def test_half_a_secret_at_the_end_of_a_long_error_is_none(tmp_path: Path, length: int) -> None:
    engine = engine_of(tmp_path, {"root": [RuntimeError("x" * length + f" {SECRET}")]})
    asyncio.run(engine.run("hello"))
    assert not [what for what, record in records(engine) if "sk-" in repr(record)]


def test_an_error_that_cannot_be_told_is_a_models_error(tmp_path: Path) -> None:
    engine = engine_of(tmp_path, {"root": [SilentError()]})
    trace = asyncio.run(engine.run("hello"))
    assert (trace.turn.outcome, trace.turn.answer) == (
        "model_error",
        (
            "I could not finish this: model 'cast' failed: SilentError. The model failed in a way that is not known "
            "here (model_error); ask again, or choose another model."
        ),
    )


@pytest.mark.parametrize("mode", ["classic", "structured"])
@pytest.mark.parametrize("lines", TURNS.values(), ids=TURNS)
def test_no_record_holds_a_secret(tmp_path: Path, lines: dict[str, list[Line]], mode: str) -> None:
    circuit = {"circuitBreaker": {"failureThreshold": 1}}
    engine = engine_of(tmp_path, lines, {"agent": {"orchestration": {"mode": mode, **circuit}}})
    asyncio.run(engine.run(f"here is {SECRET}"))
    assert leaks(engine) == []


def test_a_blocked_run_shows_no_secret_while_it_waits(tmp_path: Path) -> None:
    lines: dict[str, list[Line]] = {"root": [ORDER, "Started."], "operator": [("fs_kill", WORD), "never"]}
    engine = engine_of(tmp_path, lines)
    shown: list[str] = []
    engine.runs.observers.append(lambda _before, after: shown.append(repr(after)))

    async def blocked() -> None:
        await engine.run("hello")
        await engine.runs.wait("arun-1", 60)

    asyncio.run(blocked())
    assert shown
    assert not [run for run in shown if "CANARY" in run]
    assert leaks(engine) == []


def test_the_model_reads_what_was_written(tmp_path: Path) -> None:
    lines = TURNS["said, called and found"]
    engine = engine_of(tmp_path, {who: list(said) for who, said in lines.items()})
    asyncio.run(engine.run(f"here is {SECRET}"))
    assert isinstance(engine.model, Cast)
    root, operator = engine.model.of("root"), engine.model.of("operator")
    assert f"here is {SECRET}" in root[0].text
    assert operator[0].order == f"use {SECRET}"
    assert f"found {SECRET} {SECRET}" in operator[1].text
