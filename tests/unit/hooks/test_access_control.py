"""AccessControl: deny beats allow, patterns mean what they mean in every list, and control tools stay."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lango_nb.config.loading import load_settings
from lango_nb.config.settings import Settings
from lango_nb.core.errors import SettingsError
from lango_nb.engine import Engine
from lango_nb.hooks.access_control import AccessControl
from lango_nb.hooks.hook import Block
from lango_nb.models.scripted import ScriptedModel
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.tool import Tool
from tests.unit.hooks.calls import a_call


def reason(hook: AccessControl, tool: Tool | str, agent: str = "operator", **arguments: Any) -> str:
    said = asyncio.run(hook.before(replace(a_call(tool, **arguments), agent=agent)))
    return said.reason if isinstance(said, Block) else ""


def test_lists_belong_to_agents() -> None:
    hook = AccessControl(denied={"operator": ["exec"]}, allowed={"vault": ["crypto_*"], "librarian": []})
    assert reason(hook, "exec") == "agent 'operator' is denied access to tool 'exec'"
    assert reason(hook, "fs_read") == ""
    assert reason(hook, "crypto_hash", "vault") == ""
    assert reason(hook, "exec", "vault") == "agent 'vault' does not have access to tool 'exec'"
    assert reason(hook, "exec", "librarian") == ""  # an empty list is no restriction
    assert reason(hook, "exec", "navigator") == ""
    assert reason(hook, "exec", "") == ""  # nobody in particular


def test_deny_beats_allow_and_lists_of_every_agent_count_for_each() -> None:
    hook = AccessControl(denied={"*": ["fs_delete"]}, allowed={"a": ["fs_*"], "*": ["web_*"]})
    assert "denied" in reason(hook, "fs_delete", "a")
    assert [tool for tool in ("fs_read", "web_get", "exec") if reason(hook, tool, "a") == ""] == ["fs_read", "web_get"]
    assert [tool for tool in ("fs_read", "web_get", "exec") if reason(hook, tool, "b") == ""] == ["web_get"]


def test_rules_on_arguments_are_sure_where_they_allow_and_wary_where_they_deny() -> None:
    allowing = AccessControl(allowed={"a": ["exec(command: git *)"]})
    assert reason(allowing, "exec", "a", command="git status") == ""
    assert reason(allowing, "exec", "a", command="git status; rm x")
    denying = AccessControl(denied={"a": ["exec(command: rm *)"]})
    assert reason(denying, "exec", "a", command="true; /bin/rm x")
    assert reason(denying, "exec", "a", command="ls") == ""


def test_an_allowed_list_leaves_control_tools_and_no_lookalikes() -> None:
    hook = AccessControl(allowed={"operator": ["fs_read"]})
    assert [tool.name for tool in builtin_tools() if tool.is_control and reason(hook, tool)] == []
    assert reason(hook, "task_wipe")
    assert reason(AccessControl(denied={"operator": ["task_*"]}), "task_list"), "what is denied is denied"


@pytest.mark.parametrize(
    ("hooks", "ran"),
    [
        ({}, {"fs_list", "fs_stat"}),
        ({"accessControl": True}, {"fs_list", "fs_stat"}),
        ({"deniedTools": ["lango-agent: fs_l*"]}, {"fs_stat"}),
        ({"deniedTools": ["*: fs_l*"]}, {"fs_stat"}),
        ({"allowedTools": ["lango-agent: fs_list"]}, {"fs_list"}),
        ({"allowedTools": ["vault: crypto_*"]}, {"fs_list", "fs_stat"}),
        ({"allowedTools": [], "accessControl": True}, {"fs_list", "fs_stat"}),
    ],
)
def test_the_lists_of_the_settings_hold_in_a_turn(hooks: dict[str, Any], ran: set[str], tmp_path: Path) -> None:
    model = ScriptedModel([("fs_list", {"path": "."}), ("fs_stat", {"path": "."}), "Done."])
    settings = Settings.model_validate({"hooks": hooks})
    engine = Engine(settings, tools=builtin_tools(), topology="solo", model=model, workspace=tmp_path)
    trace = asyncio.run(engine.run("Look"))
    assert {event.tool for event in trace.events if event.kind == "tool.started"} == ran


def test_an_entry_without_an_agent_is_a_settings_error() -> None:
    with pytest.raises(
        SettingsError, match=r"hooks\.deniedTools: 'exec\(command: rm\)' names no agent; write operator: "
    ):
        load_settings(overrides={"hooks.deniedTools": ["exec(command: rm)"]})
