"""The hooks after a call whose services come with later parts, each with a stand-in: what they tell, keep and mend."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.bus import Bus
from lango_nb.hooks.browser_recovery import BrowserConnection, BrowserRecovery, is_connection_lost
from lango_nb.hooks.hook import HookCall, Observe
from lango_nb.hooks.observers import (
    LONGEST,
    TOOL_EXECUTED,
    EventPublisher,
    KnowledgeSaver,
    LearningObserver,
    ToolExecuted,
    is_saveable,
)
from lango_nb.hooks.wiring import build_chain
from lango_nb.tools.by_name import sample_tools
from lango_nb.tools.tool import Tool, ToolResult
from tests.unit.hooks.calls import a_call, a_tool, after

DONE = ToolResult("done")
FAILED = ToolResult("fs_read failed: OSError", True, "tool_failed")


class Learner:
    def __init__(self, learned: str = "") -> None:
        self.seen: list[tuple[str, bool]] = []
        self._learned = learned

    async def observe(self, call: HookCall, result: ToolResult) -> str:
        self.seen.append((call.tool.name, result.is_error))
        return self._learned


def test_the_learning_engine_sees_every_result_failures_too() -> None:
    learner = Learner()
    for result in (DONE, FAILED):
        assert asyncio.run(LearningObserver(learner).after(a_call(), result)) is None
    assert learner.seen == [("fs_read", False), ("fs_read", True)]


def test_what_was_learned_becomes_a_note() -> None:
    assert asyncio.run(LearningObserver(Learner("paths are relative")).after(a_call(), FAILED)) == Observe(
        "paths are relative"
    )


class Library:
    def __init__(self) -> None:
        self.saved: list[dict[str, Any]] = []

    async def save_result(self, *, tool: str, arguments: Mapping[str, Any], content: str, agent: str) -> None:
        self.saved.append({"tool": tool, "arguments": dict(arguments), "content": content, "agent": agent})


SEARCH = a_tool("web_search", safety="safe")


def saved(tool: Tool, result: ToolResult, saveable: Any = None, **arguments: Any) -> list[dict[str, Any]]:
    library = Library()
    assert asyncio.run(KnowledgeSaver(library, saveable).after(a_call(tool, **arguments), result)) is None
    return library.saved


def test_what_was_looked_up_is_kept() -> None:
    assert saved(SEARCH, DONE, query="x") == [
        {"tool": "web_search", "arguments": {"query": "x"}, "content": "done", "agent": "operator"}
    ]


def test_neither_failures_nor_silence_nor_actions_are_knowledge() -> None:
    assert saved(SEARCH, FAILED) == saved(SEARCH, ToolResult("  ")) == []
    assert saved(a_tool("fs_write", safety="dangerous"), DONE) == []
    assert saved(a_tool("fs_read", safety="dangerous"), DONE) == []


def test_no_secret_gets_into_the_knowledge() -> None:
    secret = "sk-abcdefghijklmnop1234"
    [entry] = saved(SEARCH, ToolResult(f"{'x' * (LONGEST - 10)} {secret}"), token=secret, query=f"use {secret}")
    assert secret[:9] not in str(entry)
    assert len(entry["content"]) <= LONGEST


def test_a_list_of_names_replaces_the_rule_and_an_empty_one_keeps_nothing() -> None:
    assert len(saved(a_tool("odd"), DONE, ["odd"])) == 1
    assert saved(SEARCH, DONE, ["odd"]) == saved(SEARCH, DONE, []) == []


def test_no_family_with_secrets_or_money_is_saveable() -> None:
    names = {tool.name for tool in sample_tools() if is_saveable(tool)}
    assert {"fs_read", "web_search", "graph_query"} <= names
    assert not [
        name for name in names if name.startswith(("secrets_", "crypto_", "payment_", "tool_", "agent_", "memory_"))
    ]


def published(bus: Bus, call: HookCall, result: ToolResult) -> None:
    assert asyncio.run(EventPublisher(bus).after(call, result)) is None


def test_every_call_that_ran_is_published_without_what_it_was_about() -> None:
    bus, heard = Bus(), list[tuple[str, object]]()
    bus.subscribe(lambda topic, value: heard.append((topic, value)))
    published(bus, a_call(path="canary-1"), ToolResult("canary-2", True, "not_found"))
    assert heard == [
        (TOOL_EXECUTED, ToolExecuted("fs_read", "call-1", "operator", "main", "turn-1", "run-1", True, "not_found", 8))
    ]
    assert "canary" not in str(heard)


def test_nobody_on_the_bus_is_fine_and_a_broken_listener_does_not_reach_the_call() -> None:
    bus = Bus()
    published(bus, a_call(), DONE)

    def broken(topic: str, value: object) -> None:
        raise ValueError("no")

    bus.subscribe(broken)
    published(bus, a_call(), DONE)
    assert not bus.has_subscribers


class Browser:
    def __init__(self, *, works: bool = True) -> None:
        self.reconnected = 0
        self._works = works

    async def reconnect(self) -> None:
        self.reconnected += 1
        if not self._works:
            raise OSError("no browser")


LOST = ToolResult("browser_click failed: TargetClosedError: Target closed", True, "tool_failed")


def browsing(answer: ToolResult, first: ToolResult = LOST, tool: str = "browser_click") -> tuple[HookCall, list[int]]:
    tries: list[int] = []

    async def retry() -> ToolResult:
        tries.append(len(tries) + 1)
        return answer

    return replace(a_call(tool), retry=retry), tries


BROWSER_ON = Settings.model_validate({"tools": {"browser": {"enabled": True}}})


def test_a_lost_connection_is_mended_and_the_call_repeated_once() -> None:
    browser = Browser()
    call, tries = browsing(DONE)
    result, notes = after(build_chain(BROWSER_ON, {BrowserConnection: browser}), call, LOST)
    assert (result, browser.reconnected, tries) == (DONE, 1, [1])
    assert [(note.hook, note.detail) for note in notes] == [("browser_recovery", "turned a failure into a result")]


def test_a_connection_lost_again_is_not_tried_a_third_time() -> None:
    browser = Browser()
    call, tries = browsing(replace(LOST, content="connection refused"))
    result, _ = after(build_chain(BROWSER_ON, {BrowserConnection: browser}), call, LOST)
    assert (result.content, browser.reconnected, tries) == ("connection refused", 1, [1])


def test_a_browser_that_cannot_be_reached_leaves_the_failure_and_is_noted() -> None:
    call, tries = browsing(DONE)
    result, notes = after(build_chain(BROWSER_ON, {BrowserConnection: Browser(works=False)}), call, LOST)
    assert (result, tries) == (LOST, [])
    assert [(note.hook, note.action) for note in notes] == [("browser_recovery", "failed")]


@pytest.mark.parametrize(
    ("tool", "result"),
    [
        ("browser_click", DONE),
        ("browser_click", ToolResult("no element matches '#connection'", True, "not_found")),
        ("web_fetch", LOST),
    ],
)
def test_other_results_are_left_alone(tool: str, result: ToolResult) -> None:
    browser = Browser()
    call, tries = browsing(DONE, tool=tool)
    assert asyncio.run(BrowserRecovery(browser).after(call, result)) is None
    assert asyncio.run(BrowserRecovery(browser).after(replace(call, retry=None), LOST)) is None
    assert (browser.reconnected, tries) == (0, [])


def test_signs_of_a_lost_connection() -> None:
    lost = (
        "ConnectionError: x",
        "WebSocket is closed",
        "net::ECONNRESET",
        "the browser has been closed",
        "Broken pipe",
    )
    assert all(is_connection_lost(ToolResult(text, True)) for text in lost)
    assert is_connection_lost(ToolResult("x", True, "browser_connection"))
    assert not any(is_connection_lost(ToolResult(text, True)) for text in ("timeout", "404 not found", ""))
