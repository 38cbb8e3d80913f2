"""Whole turns of every control and what can go wrong in them: all that is recorded, compared with what is committed."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from lango_nb import viz
from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import ModelError
from lango_nb.core.ids import CountedIds
from lango_nb.core.messages import Reply, ToolCall, Usage
from lango_nb.engine import Engine
from lango_nb.records.delegations import delegations
from lango_nb.records.graph import delegation_graph
from lango_nb.records.metrics import agent_metrics, tool_metrics
from lango_nb.records.moments import moments
from lango_nb.records.spans import spans_of
from lango_nb.records.turns import Trace
from lango_nb.records.visibility import leaks, visibility
from lango_nb.runtime.approvals import AllowAll, DenyAll
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.decorator import tool
from lango_nb.viz.page import page
from lango_nb.viz.path import document as path
from lango_nb.viz.sequence import document as sequence
from tests.cast import Cast, Line, Person, merged, spawn, stop, transfer, wait
from tests.expected import same_as_expected

TEAM = {"agent": {"multiAgent": True}, "background": {"enabled": True}}
READ = ("fs_read", {"path": "notes.md"})
DELETE = ("fs_delete", {"path": "notes.md"})
QUICK = {"agent": {"orchestration": {"recovery": {"baseDelay": "0s"}}}}
STRUCTURED = {"agent": {"multiAgent": True, "orchestration": {"mode": "structured", "recovery": {"baseDelay": "0s"}}}}
LONG = "a long line of a file that goes on and on\n" * 400


def fails(what: str) -> str:
    """Fail."""
    raise ValueError(f"{what} does not work, sk-proj-Zx9canary0123456789abcdef")


def long() -> str:
    """Say much."""
    return LONG


def busy(status: int = 503) -> ModelError:
    """Return what a provider that is busy comes to."""
    error = ModelError("model 'cast' failed: see the cause")
    error.__cause__ = type("APIStatusError", (Exception,), {"status_code": status})("busy")
    return error


class Scene(NamedTuple):
    """Requests to an engine, and what everybody says to them."""

    topology: str
    lines: Mapping[str, Sequence[Line]]
    requests: Sequence[str] = ("Do it.",)
    settings: Mapping[str, Any] = {}
    approver: Any = "allow"


SCENES = {
    "solo answers": Scene("solo", {"lango-agent": ["Hello."]}),
    "solo reads, and is asked again": Scene(
        "solo", {"lango-agent": [READ, "Two lines.", "As I said, two."]}, ("How many lines?", "Sure?")
    ),
    "solo calls several tools at once": Scene(
        "solo", {"lango-agent": [[READ, ("fs_list", {}), ("fs_stat", {"path": "gone.md"})], "Done."]}
    ),
    "solo gives wrong arguments": Scene(
        "solo",
        {
            "lango-agent": [
                ("fs_read", {}),
                ("fs_read", {"path": 7, "more": True}),
                ("fs_raed", {"path": "notes.md"}),
                Reply(tool_calls=(ToolCall(id="c", name="fs_read", arguments={}, error="no JSON: expected value"),)),
                "I give up.",
            ]
        },
    ),
    "solo gives what cannot be kept": Scene(
        "solo",
        {
            "lango-agent": [
                Reply(tool_calls=(ToolCall(id="a", name="fs_read" * 60, arguments={"path": "notes.md"}),)),
                Reply(tool_calls=(ToolCall(id="b", name="fs_read", arguments={"path": math.nan}),)),
                Reply(tool_calls=(ToolCall(id="c", name="fs_read", error="password = hunter2 in " + "x" * 3000),)),
                Reply(tool_calls=(ToolCall(id="d", name="", arguments={"\ud800": "\ud800"}),)),
                "Enough.",
            ]
        },
    ),
    "solo repeats itself": Scene("solo", {"lango-agent": [READ] * 12}),
    "solo repeats itself twice over": Scene("solo", {"lango-agent": [READ, ("fs_list", {})] * 12}),
    "solo says nothing": Scene("solo", {"lango-agent": [Reply()]}),
    "solo says nothing after a tool": Scene("solo", {"lango-agent": [READ, Reply(), Reply(), Reply()]}),
    "solo goes on for ever": Scene(
        "solo", {"lango-agent": [("fs_read", {"path": "notes.md", "offset": n}) for n in range(1, 40)]},
        settings={"agent": {"maxTurns": 4}},
    ),
    "the model fails": Scene("solo", {"lango-agent": [ModelError("the model is gone")]}),
    "the model fails in the middle": Scene("solo", {"lango-agent": [READ, RuntimeError("boom"), "Never."]}),
    "a tool fails": Scene("solo", {"lango-agent": [("fails", {"what": "it"}), "It did not work."]}),
    "a tool says much": Scene("solo", {"lango-agent": [("long", {}), "It is long."]}),
    "nobody may delete": Scene("solo", {"lango-agent": [DELETE, "I may not."]}, approver=DenyAll()),
    "a person refuses": Scene("solo", {"lango-agent": [DELETE, DELETE, "No."]}, approver=Person(allows=False)),
    "a person allows it for the turn": Scene(
        "solo", {"lango-agent": [DELETE, DELETE, "Gone."]}, approver=Person(scope="turn")
    ),
    "commands are judged": Scene(
        "solo",
        {"lango-agent": [("exec", {"command": "rm -rf /"}), ("exec", {"command": "echo hi > new.md"}), "Done."]},
    ),
    "tokens and their cost": Scene(
        "solo",
        {
            "lango-agent": [
                Reply(text="Well.", usage=Usage(model="m", input_tokens=70, output_tokens=5, cost_usd=0.01)),
            ]
        },
    ),
    "a transfer": Scene("quartet", {"root": [transfer("executor", reason="it reads")], "executor": [READ, "Two."]}),
    "a transfer to nobody": Scene(
        "quartet", {"root": [transfer("nobody"), transfer("executer"), "Sorry."], "executor": ["Two."]}
    ),
    "a transfer there and back": Scene(
        "quartet",
        {"root": [transfer("executor"), transfer("researcher"), "Done."],
         "executor": [transfer("lango-orchestrator", reason="not mine")],
         "researcher": ["[REJECT] not mine either"]},
    ),
    "a transfer round and round": Scene(
        "quartet",
        {"root": [transfer("executor")] * 14, "executor": [transfer("lango-orchestrator")] * 14},
    ),
    "a specialist fails": Scene("quartet", {"root": [transfer("executor")], "executor": [RuntimeError("boom")]}),
    "a specialist fails and another helps": Scene(
        "sextet",
        {"root": [transfer("operator"), "The planner helped."], "operator": [RuntimeError("boom")] * 4,
         "planner": ["A plan."], "navigator": ["Here."]},
        settings={"agent": {"multiAgent": True, "orchestration": {"mode": "structured"}}},
    ),
    "a specialist fails once": Scene(
        "quartet",
        {"root": [transfer("executor"), "Sorry."], "executor": [ModelError("busy"), READ, "Two lines."]},
        settings=STRUCTURED,
    ),
    "a provider is busy": Scene(
        "solo", {"lango-agent": [busy(), busy(429), READ, busy(), "Two lines."]}, settings=QUICK
    ),
    "a provider stays busy": Scene("solo", {"lango-agent": [busy()] * 9}, settings=QUICK),
    "a key is wrong": Scene("solo", {"lango-agent": [busy(401)] * 9}, settings=QUICK),
    "the provider of a specialist stays busy": Scene(
        "sextet",
        {"root": [transfer("operator"), transfer("planner"), "The planner did it."], "operator": [busy()] * 9,
         "planner": ["A plan."]},
        settings=STRUCTURED,
    ),
    "a specialist says nothing": Scene(
        "sextet",
        {"root": [transfer("operator"), transfer("planner"), "It is done."], "operator": [READ, *[Reply()] * 5],
         "planner": [READ, "A plan."]},
        settings=STRUCTURED,
    ),
    "a specialist repeats itself": Scene(
        "sextet",
        {"root": [transfer("operator"), transfer("planner"), "It is done."], "operator": [READ] * 12,
         "planner": ["A plan."]},
        settings=STRUCTURED,
    ),
    "a specialist hands over and fails": Scene(
        "quartet",
        {"root": [transfer("executor"), "It did not work."], "executor": [READ, transfer("planner", reason="plan")],
         "planner": [RuntimeError("boom")]},
    ),
    "an isolated specialist": Scene(
        "sextet", {"root": [transfer("vault"), "Kept."], "vault": [("crypto_hash", {"text": "x"}), "It is kept."]},
    ),
    "a teammate": Scene(
        "octet", {"root": [spawn("operator", "read it"), wait("arun-1"), "It has two lines."],
                  "operator": [READ, "Two lines."]},
        settings=TEAM,
    ),
    "two teammates": Scene(
        "octet",
        {"root": [[spawn("operator", "read it"), spawn("librarian", "look it up")], wait("arun-1"), wait("arun-2"),
                  ("agent_result", {"agent_id": "arun-1"}), ("agent_list", {}), "Both are done."],
         "operator": [READ, "Two lines."], "librarian": ["Nothing found."]},
        settings=TEAM,
    ),
    "a teammate fails": Scene(
        "octet", {"root": [spawn("operator", "read it"), wait("arun-1"), "It failed."],
                  "operator": [ModelError("the model is gone")] * 5},
        settings=TEAM,
    ),
    "a teammate is refused": Scene(
        "octet",
        {"root": [spawn("nobody", "x"), spawn("operator", ""), spawn("operator", "x", timeout=-1), wait("arun-9"),
                  stop("arun-9"), "So be it."]},
        settings=TEAM,
    ),
    "a teammate asks": Scene(
        "octet", {"root": [spawn("operator", "delete it"), wait("arun-1"), "Done."], "operator": [DELETE, "Gone."]},
        settings=TEAM, approver=Person(),
    ),
    "a teammate may not": Scene(
        "octet", {"root": [spawn("operator", "delete it"), wait("arun-1"), "Done."], "operator": [DELETE, "Not gone."]},
        settings=TEAM, approver=DenyAll(),
    ),
    "tasks are noted": Scene(
        "octet",
        {"root": [("task_create", {"title": "read", "description": "the notes"}), ("task_list", {}),
                  ("task_update", {"task_id": "task-1", "status": "completed"}),
                  ("task_update", {"task_id": "task-9", "status": "odd"}), ("task_list", {"status": "completed"}),
                  "Noted."]},
        settings=TEAM,
    ),
    "memories are kept": Scene(
        "octet",
        {"root": [spawn("chronicler", "remember it"), wait("arun-1"), "I remember."],
         "chronicler": [("memory_agent_save", {"key": "tea", "content": "likes tea"}),
                        ("memory_agent_recall", {"query": "tea"}),
                        ("memory_agent_forget", {"key": "tea"}), "Kept."]},
        settings=merged(TEAM, {"agentMemory": {"enabled": True}}),
    ),
    "few calls are allowed": Scene(
        "octet", {"root": [spawn("operator", "read"), wait("arun-1"), "Done."],
                  "operator": [("fs_read", {"path": "notes.md", "offset": n}) for n in range(1, 30)]},
        settings=merged(TEAM, {"agent": {"orchestration": {"budget": {"maxCalls": 6, "alertThreshold": 0.5}}}}),
    ),
    "a long session is cut": Scene(
        "solo", {"lango-agent": ["word " * 300] * 6}, [f"Question {n}?" for n in range(6)],
        settings={"agent": {"historyTokens": 600}},
    ),
    "a secret is typed": Scene(
        "solo", {"lango-agent": [("exec", {"command": "echo sk-proj-Zx9canary0123456789abcdef"}), "Said."]},
        ("My key is sk-proj-Zx9canary0123456789abcdef.",),
    ),
    "hooks are on": Scene(
        "quartet", {"root": [transfer("executor")], "executor": [READ, ("exec", {"command": "ls"}), "Two."]},
        settings={"hooks": {"enabled": True, "eventPublishing": True, "deniedTools": ["*: exec"]}},
    ),
}  # fmt: skip
"""Scenes of one engine each."""


LEFT_OUT = frozenset({"latency_ms", "duration_ms", "turn_id", "session_id", "session", "router", "route", "margin"})
"""Fields that differ from run to run, or say the same in every line."""


def told(trace: Trace) -> str:
    """Return everything a trace holds, a line for each thing; what is empty is left out."""
    lines = [f"turn {line_of(trace.turn)}"]
    for name in ("events", "messages", "steps", "decisions", "runs", "late"):
        lines += (f"{name} {line_of(record)}" for record in getattr(trace, name))
    return "\n".join(lines)


def fields_of(record: Any) -> dict[str, Any]:
    """Return the fields of a record, whichever way its class was made."""
    if hasattr(record, "model_dump"):
        return dict(record.model_dump(mode="json"))
    names = getattr(record, "_fields", None) or getattr(record, "__dataclass_fields__", None) or record.__annotations__
    return {name: getattr(record, name) for name in names if not name.startswith("_")}


def line_of(record: Any) -> str:
    """Return the fields of a record in one line."""
    kept = {name: value for name, value in fields_of(record).items() if name not in LEFT_OUT and value}
    line = " ".join(f"{name}={json.dumps(value, ensure_ascii=False, default=plain)}" for name, value in kept.items())
    return line if len(line) < 3000 else f"{line[:1500]}… {len(line)} characters"


def plain(value: Any) -> Any:
    """Return a value within a record as JSON can hold it."""
    return str(value) if isinstance(value, datetime | Path | frozenset) else fields_of(value)


@cache
def played(name: str, folder: Path) -> tuple[list[Trace], str]:
    """Return the turns of a scene, and what its session holds in the end."""
    scene = SCENES[name]
    (folder / "notes.md").write_text("one\ntwo\n", encoding="utf-8")
    tools = [*builtin_tools(), tool(fails, safety="safe"), tool(long, safety="safe")]
    engine = Engine(
        Settings.model_validate(scene.settings), topology=scene.topology, tools=tools, model=Cast(scene.lines),
        workspace=folder, clock=SteppedClock(), ids=CountedIds(),
        approver=AllowAll() if scene.approver == "allow" else scene.approver,
    )  # fmt: skip
    traces = [engine.run_sync(request) for request in scene.requests]
    return traces, "\n".join(f"said {line_of(message)}" for message in engine.session().messages)


@pytest.fixture
def turns(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Turns:
    """Play a scene, once for all tests."""
    name: str = request.param
    if name not in _FOLDERS:
        _FOLDERS[name] = tmp_path_factory.mktemp("scene")
    folder = _FOLDERS[name]
    traces, said = played(name, folder)
    return Turns(name, folder, traces, said)


class Turns(NamedTuple):
    """A scene that was played."""

    name: str
    folder: Path
    traces: list[Trace]
    said: str

    def compare(self, part: str, lines: Iterable[str]) -> None:
        """Compare what is said of it with what is committed."""
        name = self.name.replace(" ", "_").replace(",", "")
        same_as_expected(f"turns/{name}{part}.txt", "\n".join(lines).replace(str(self.folder), "«folder»"))


_FOLDERS: dict[str, Path] = {}
scenes = pytest.mark.parametrize("turns", SCENES, indirect=True)


@scenes
def test_a_turn_is_recorded_as_expected(turns: Turns) -> None:
    turns.compare("", [*map(told, turns.traces), turns.said])


@scenes
def test_a_turn_is_read_as_expected(turns: Turns) -> None:
    lines = []
    for trace in turns.traces:
        lines += [brief(f"seen {line_of(one)}") for one in visibility(trace)]
        lines += [brief(f"leak {line_of(one)}") for one in leaks(trace)]
        lines += [f"delegation {line_of(one)}" for one in delegations(trace)]
        lines += [brief(f"moment {line_of(one)}") for one in moments(trace)]
        lines += [brief(f"span {line_of(one)}") for one in spans_of(trace, content=True)]
    lines += [f"agent {line_of(one)}" for one in agent_metrics(turns.traces)]
    lines += [f"tool {line_of(one)}" for one in tool_metrics(turns.traces)]
    lines.append(delegation_graph(turns.traces).to_mermaid())
    turns.compare(".read", lines)


@scenes
def test_a_turn_is_shown_as_expected(turns: Turns) -> None:
    shown = [viz.to_text(one) for trace in turns.traces for one in (trace, sequence(trace), path(trace))]
    turns.compare(".shown", [*shown, f"page {digest(page(turns.traces, timing=False))}"])


def brief(line: str) -> str:
    """Return a line, or its beginning and a digest: what it repeats is read elsewhere."""
    return line if len(line) < 200 else f"{line[:160]}… {digest(line)}"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:12]
