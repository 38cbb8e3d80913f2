"""Which hooks are wired by which settings, in which order, and what the list says about those that are not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lango_nb.config.keys import settings_by_key
from lango_nb.config.settings import Settings
from lango_nb.core.bus import Bus
from lango_nb.core.clock import SystemClock
from lango_nb.hooks.browser_recovery import BrowserConnection
from lango_nb.hooks.chain import GUARDS
from lango_nb.hooks.hook import Blocked, HookCall
from lango_nb.hooks.observers import KnowledgeService, LearningService
from lango_nb.hooks.outputs import OutputStore
from lango_nb.hooks.wiring import HOOKS, build_chain
from lango_nb.tools.services import OutputService
from lango_nb.tools.tool import ToolResult
from tests.unit.hooks.calls import a_call, after

EVERYTHING: dict[type, object] = {
    Bus: Bus(),
    LearningService: object(),
    KnowledgeService: object(),
    BrowserConnection: object(),
}
ALL_ON = {
    "hooks": {"enabled": True, "accessControl": True, "eventPublishing": True, "knowledgeSave": True},
    "knowledge": {"enabled": True},
    "tools": {"browser": {"enabled": True}},
}


def rows(services: dict[type, object] | None = None, **settings: Any) -> dict[str, tuple[bool, str]]:
    chain = build_chain(Settings.model_validate(settings), EVERYTHING if services is None else services)
    return {row.name: (row.is_wired, row.why) for row in chain}


def wired(services: dict[type, object] | None = None, **settings: Any) -> list[str]:
    return [name for name, (is_wired, _) in rows(services, **settings).items() if is_wired]


def test_the_order_is_the_specifications() -> None:
    chain = build_chain(Settings.model_validate(ALL_ON), EVERYTHING)
    assert [(hook.name, hook.priority) for hook in chain.before] == [
        ("security_filter", 10),
        ("access_control", 20),
        ("approval_gate", 90),
    ]
    assert [(hook.name, hook.priority) for hook in chain.after] == [
        ("browser_recovery", 10),
        ("output_manager", 20),
        ("learning_observer", 30),
        ("knowledge_saver", 40),
        ("event_publisher", 50),
    ]


def test_a_bare_engine_has_the_filter_the_gate_and_the_output_manager() -> None:
    assert wired() == ["security_filter", "approval_gate", "output_manager"]


def test_the_security_filter_is_always_wired() -> None:
    off = {"hooks": {"enabled": False}, "security": {"interceptor": {"enabled": False, "approvalPolicy": "none"}}}
    assert wired({}, **off) == ["security_filter", "output_manager"]


def test_approval_hooks_require_the_interceptor() -> None:
    assert rows()["approval_gate"] == (True, "security.interceptor.enabled is on")
    assert rows(security={"interceptor": {"enabled": False}})["approval_gate"] == (
        False,
        "security.interceptor.enabled is off",
    )


def test_learning_hooks_require_knowledge() -> None:
    learning = ("learning_observer", "knowledge_saver")
    assert not set(learning) & set(wired(hooks={"enabled": True, "knowledgeSave": True}))
    assert rows(hooks={"knowledgeSave": True})["knowledge_saver"] == (False, "knowledge.enabled is off")
    on: dict[str, Any] = {"knowledge": {"enabled": True}}
    assert "learning_observer" in wired(**on)
    assert rows(**on)["knowledge_saver"] == (False, "hooks.knowledgeSave is off")
    assert set(learning) < set(wired(**on, hooks={"knowledgeSave": True}))
    assert rows({}, **on, hooks={"knowledgeSave": True})["knowledge_saver"] == (False, "no knowledge store yet")
    assert rows({}, **on)["learning_observer"] == (False, "nothing here learns yet")


@pytest.mark.parametrize("switch", [{"hooks": {"enabled": True}}, {"agent": {"multiAgent": True}}])
def test_event_hooks_require_the_bus_and_one_of_two_switches(switch: dict[str, Any]) -> None:
    on = {**switch, "hooks": {**switch.get("hooks", {}), "eventPublishing": True}}
    assert "event_publisher" in wired(**on)
    assert rows({}, **on)["event_publisher"] == (False, "no event bus is running")
    assert rows(**switch)["event_publisher"] == (False, "hooks.eventPublishing is off")
    assert rows(hooks={"eventPublishing": True})["event_publisher"] == (
        False,
        "hooks.enabled and agent.multiAgent are off",
    )


def test_browser_recovery_requires_the_browser() -> None:
    assert rows()["browser_recovery"] == (False, "tools.browser.enabled is off")
    assert rows({}, tools={"browser": {"enabled": True}})["browser_recovery"] == (False, "no browser runs here")


def test_every_setting_a_reason_names_exists() -> None:
    known = set(settings_by_key())
    for why in {why for settings in ({}, ALL_ON) for _, why in rows({}, **settings).values()}:
        keys = {word for word in why.replace(",", "").split() if "." in word}
        assert keys <= known, why


def test_every_row_makes_the_hook_it_is_about() -> None:
    chain = build_chain(Settings.model_validate(ALL_ON), EVERYTHING)
    for wiring in HOOKS:
        hook = next(row.hook for row in chain if (row.name, row.phase) == (wiring.name, wiring.phase))
        assert type(hook) is wiring.hook
        assert hasattr(hook, wiring.phase)
    assert {wiring.name for wiring in HOOKS if wiring.phase == "before"} == GUARDS


def test_settings_reach_the_hooks() -> None:
    settings = Settings.model_validate(
        {
            "hooks": {"blockedCommands": ["make install"]},
            "tools": {"outputManager": {"tokenBudget": 100, "headRatio": 1, "tailRatio": 0}},
            "security": {"interceptor": {"enabled": False, "redactPii": True}},
        }
    )
    store = OutputStore(SystemClock())
    chain = build_chain(settings, {OutputService: store})
    result, _ = after(chain, a_call(), ToolResult("a" * 400 + "b" * 400))
    assert "b" not in result.content.split("\n")[0]
    assert store.refs[0] in result.content
    blocked = asyncio.run(chain.run_before(a_call("exec", command="make  install"), lambda note: None))
    masked = asyncio.run(chain.run_before(a_call("exec", command="mail ada@example.org"), lambda note: None))
    assert isinstance(blocked, Blocked)
    assert isinstance(masked, HookCall)
    assert masked.arguments == {"command": "mail [email]"}
