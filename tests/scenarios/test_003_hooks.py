"""Spec 003, "Tool Hooks": what surrounds every tool call of a turn, in which order, and what switches it on.

Hooks whose feature comes later stand against a stand-in of its service; everything else is real.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.bus import Bus
from lango_nb.engine import Engine
from lango_nb.hooks.browser_recovery import BrowserConnection
from lango_nb.hooks.decorator import after_call, before_call
from lango_nb.hooks.hook import HookCall
from lango_nb.hooks.observers import KnowledgeService, LearningService, ToolExecuted
from lango_nb.hooks.wiring import build_chain
from lango_nb.records.turns import Trace
from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Safety, Tool, ToolResult
from tests.cast import Call, Cast, TeamOf, merged, spawn, wait

KNOWING = {"knowledge": {"enabled": True}, "hooks": {"knowledgeSave": True, "eventPublishing": True}}
LEARNED = "fs_query likes cats"
ORDER = ("security_filter", "approval_gate", "learning_observer", "knowledge_saver", "event_publisher")


@dataclass
class Log:
    """Stands in for everything hooks talk to, and writes down what they say about calls of runs, in order."""

    lines: list[str] = field(default_factory=list)
    seen: list[Any] = field(default_factory=list)
    name: str = "log"

    def add(self, line: str, seen: object = None) -> None:
        self.lines.append(line)
        self.seen.append(seen)

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.add("approval", request.arguments)
        return ApprovalAnswer(True, self.name)

    async def observe(self, call: HookCall, result: ToolResult) -> str:
        if call.run_id:
            self.add("learning", (call.tool.name, result.is_error, result.content))
        return LEARNED if call.run_id else ""

    async def save_result(self, *, tool: str, arguments: Mapping[str, Any], content: str, agent: str) -> None:
        self.add("knowledge", (tool, arguments, content, agent))

    def heard(self, topic: str, value: object) -> None:
        if isinstance(value, ToolExecuted) and value.run_id:
            self.add("event", (topic, value))

    async def reconnect(self) -> None:
        self.add("reconnect")


def logged(log: Log, safety: Safety = "safe", error: str = "") -> Tool:
    """Make a tool that writes down that it ran."""

    def query(text: str) -> str:
        """Ask."""
        log.add("execute", text)
        if error:
            raise OSError(error)
        return f"about {text}"

    return tool(query, name="fs_query", safety=safety)


def played(team: TeamOf, log: Log, call: Call, settings: Mapping[str, Any], *tools: Tool) -> tuple[Trace, Engine, Cast]:
    """Let the operator make one call, with a stand-in for every service."""
    engine, cast = team(
        {"root": [spawn("operator", "go"), wait("arun-1"), "Done."], "operator": [call, "That was it."]},
        settings,
        tools=[*builtin_tools(), *(tools or (logged(log),))],
        approver=log,
    )
    engine.services.update({LearningService: log, KnowledgeService: log})
    engine.bus.subscribe(log.heard)
    return engine.run_sync("Go"), engine, cast


def results(trace: Trace) -> list[tuple[str, bool]]:
    """Return what the operator's calls came to."""
    return [(event.code, event.is_error) for event in trace.events if event.kind == "tool.finished" and event.run_id]


# -- the chain ---------------------------------------------------------------------------------------------------------


def test_hooks_are_concerned_with_security_access_and_learning(engine_on: Callable[..., Engine]) -> None:
    settings = {"agent": {"multiAgent": True}, "hooks": {"enabled": True, "accessControl": True}}
    engine = engine_on(settings=Settings.model_validate(merged(KNOWING, settings)))
    engine.services.update({LearningService: Log(), KnowledgeService: Log()})
    wired = {row.name for row in engine.hooks if row.is_wired}
    assert {"security_filter", "access_control", "learning_observer"} <= wired


def test_a_call_passes_the_chain_before_and_after_it_runs(team: TeamOf) -> None:
    log = Log()
    engine, _ = team(
        {
            "root": [spawn("operator", "go"), wait("arun-1"), "Done."],
            "operator": [("fs_query", {"text": "cats"}), "That was it."],
        },
        tools=[*builtin_tools(), logged(log)],
    )

    @before_call(tools=("fs_*",))
    def look_first(call: HookCall) -> None:
        log.add("before", call.arguments["text"])

    @after_call(tools=("fs_*",))
    def look_again(call: HookCall, result: ToolResult) -> None:
        log.add("after", result.content)

    engine.add_hook(look_first, look_again)
    engine.run_sync("Ask about cats")
    assert log.lines == ["before", "execute", "after"]
    assert log.seen == ["cats", "cats", "about cats"]


def test_the_order_of_the_chain(team: TeamOf) -> None:
    """As listed, and as it happens: masked before anybody is asked, asked before it runs, then the observers."""
    log = Log()
    settings = merged(KNOWING, {"security": {"interceptor": {"redactPii": True, "sensitiveTools": ["fs_query"]}}})
    trace, engine, _ = played(team, log, ("fs_query", {"text": "mail ada@example.org"}), settings)
    assert results(trace) == [("", False)]
    assert log.lines == ["approval", "execute", "learning", "knowledge", "event"]
    assert "ada@example.org" not in str(log.seen[0]), "SecurityFilter came before ApprovalGate"
    assert tuple(row.name for row in engine.hooks if row.name in ORDER) == ORDER


# -- one by one --------------------------------------------------------------------------------------------------------


def test_security_filter_blocks_dangerous_calls_and_hides_personal_data(team: TeamOf) -> None:
    log = Log()
    command = ("exec", {"command": "sudo rm -rf / --no-preserve-root"})
    trace, _, cast = played(team, log, command, {"security": {"interceptor": {"redactPii": True}}})
    assert results(trace) == [("removes_system", True)]
    decided = [(event.decision, event.code) for event in trace.events if event.kind == "policy.decided"]
    assert decided == [("block", "removes_system")]
    assert "blocked pattern" in cast.of("operator")[-1].text
    assert log.lines == [], "nobody was asked, nothing ran"

    text = "write to ada@example.org or +44 20 7946 0958"
    trace, _, _ = played(team, log, ("fs_query", {"text": text}), {"security": {"interceptor": {"redactPii": True}}})
    (given,) = [seen for line, seen in zip(log.lines, log.seen, strict=True) if line == "execute"]
    assert "ada@example.org" not in given
    assert "7946" not in given
    assert given.startswith("write to ")
    assert [event.action for event in trace.events if event.kind == "hook.decided"] == ["modify"]


@pytest.mark.parametrize("is_allowed", [True, False])
def test_approval_gate_asks_for_sensitive_calls(team: TeamOf, is_allowed: bool) -> None:
    class Answering(Log):
        async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
            self.add("approval", request.arguments)
            return ApprovalAnswer(is_allowed, self.name)

    log = Answering()
    sensitive = {"security": {"interceptor": {"sensitiveTools": ["fs_query"]}}}
    trace, _, _ = played(team, log, ("fs_query", {"text": "cats"}), sensitive)
    assert log.lines == (["approval", "execute"] if is_allowed else ["approval"])
    assert log.seen[0] == {"text": "cats"}
    assert results(trace) == [("", False) if is_allowed else ("approval_denied", True)]


@pytest.mark.parametrize("error", ["", "the disk is gone"])
def test_learning_observer_sees_every_result(team: TeamOf, error: str) -> None:
    log = Log()
    trace, _, _ = played(team, log, ("fs_query", {"text": "cats"}), KNOWING, logged(log, error=error))
    name, is_error, content = log.seen[log.lines.index("learning")]
    assert (name, is_error) == ("fs_query", bool(error))
    assert (error or "about cats") in content
    (note,) = [event for event in trace.events if event.kind == "hook.decided"]
    assert (note.hook, note.action, note.detail) == ("learning_observer", "observe", LEARNED)


@pytest.mark.parametrize("error", ["", "the disk is gone"])
def test_knowledge_saver_keeps_what_was_looked_up(team: TeamOf, error: str) -> None:
    log = Log()
    played(team, log, ("fs_query", {"text": "cats"}), KNOWING, logged(log, error=error))
    kept = [seen for line, seen in zip(log.lines, log.seen, strict=True) if line == "knowledge"]
    assert kept == ([] if error else [("fs_query", {"text": "cats"}, "about cats", "operator")])


def test_event_publisher_tells_the_bus(team: TeamOf) -> None:
    log = Log()
    played(team, log, ("fs_query", {"text": "cats"}), KNOWING)
    topic, value = log.seen[log.lines.index("event")]
    assert topic == "tool.executed"
    assert isinstance(value, ToolExecuted)
    assert (value.tool, value.agent, value.run_id, value.is_error) == ("fs_query", "operator", "arun-1", False)


def test_browser_recovery_reconnects_and_tries_once_more(team: TeamOf) -> None:
    log = Log()

    def navigate(url: str) -> str:
        """Open a page."""
        log.add("navigate", url)
        if log.lines.count("navigate") == 1:
            raise ConnectionError("Target closed")
        return f"{url} is open"

    engine, cast = team(
        {
            "root": [spawn("navigator", "go"), wait("arun-1"), "Done."],
            "navigator": [("browser_navigate", {"url": "https://example.org"}), "It is open."],
        },
        {"tools": {"browser": {"enabled": True}}},
        tools=[*builtin_tools(), tool(navigate, name="browser_navigate", safety="safe")],
    )
    engine.services[BrowserConnection] = log
    trace = engine.run_sync("Open it")
    assert log.lines == ["navigate", "reconnect", "navigate"]
    assert results(trace) == [("", False)]
    assert "https://example.org is open" in cast.of("navigator")[-1].text


# -- what switches them on ---------------------------------------------------------------------------------------------


def is_wired(name: str, settings: Mapping[str, Any], services: Mapping[type, object] | None = None) -> bool:
    bound: Mapping[type, object] = {
        LearningService: Log(),
        KnowledgeService: Log(),
        BrowserConnection: Log(),
        Bus: Bus(),
    }
    chain = build_chain(Settings.model_validate(settings), bound if services is None else services)
    (row,) = [row for row in chain if row.name == name]
    assert row.why
    return row.is_wired


FEATURES: dict[str, Mapping[str, Any]] = {
    "access_control": {"hooks": {"accessControl": True}},
    "browser_recovery": {"tools": {"browser": {"enabled": True}}},
    "learning_observer": {"knowledge": {"enabled": True}},
    "knowledge_saver": {"knowledge": {"enabled": True}, "hooks": {"knowledgeSave": True}},
    "event_publisher": {"hooks": {"enabled": True, "eventPublishing": True}},
}
"""Hooks that are off by default, and what switches them on."""


@pytest.mark.parametrize("name", list(FEATURES))
def test_hooks_are_wired_from_features(name: str) -> None:
    assert not is_wired(name, {})
    assert is_wired(name, FEATURES[name])
    assert is_wired("security_filter", {}), "the one that no setting takes away"


@pytest.mark.parametrize("name", ["learning_observer", "knowledge_saver"])
def test_learning_hooks_need_knowledge(name: str) -> None:
    others = {"hooks": {"enabled": True, "knowledgeSave": True}}
    assert is_wired(name, {**others, "knowledge": {"enabled": True}})
    assert not is_wired(name, {**others, "knowledge": {"enabled": False}})


@pytest.mark.parametrize("is_on", [True, False])
def test_approval_hooks_need_the_interceptor(team: TeamOf, is_on: bool) -> None:
    assert is_wired("approval_gate", {"security": {"interceptor": {"enabled": is_on}}}) is is_on
    log = Log()
    dangerous = logged(log, safety="dangerous")
    settings = {"security": {"interceptor": {"enabled": is_on}}}
    played(team, log, ("fs_query", {"text": "cats"}), settings, dangerous)
    assert log.lines == (["approval", "execute"] if is_on else ["execute"])


@pytest.mark.parametrize(
    "settings",
    [
        {"hooks": {"enabled": True, "eventPublishing": True}},
        {"agent": {"multiAgent": True}, "hooks": {"eventPublishing": True}},
    ],
)
def test_event_hooks_need_a_bus(settings: Mapping[str, Any]) -> None:
    assert is_wired("event_publisher", settings, {Bus: Bus()})
    assert not is_wired("event_publisher", settings, {})
    assert not is_wired("event_publisher", {"hooks": {"enabled": True}}, {Bus: Bus()})
