"""The lists of tools in the settings at work: what they mean in a turn, and what is said of one that fits nothing."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

from lango_nb.config.loading import load_settings
from lango_nb.config.settings import Settings
from lango_nb.core.errors import SettingsError
from lango_nb.doctor.examine import examine
from lango_nb.engine import Engine
from lango_nb.lab import Lab
from lango_nb.models.scripted import ScriptedModel
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool
from tests.cast import Person

LIST = ("fs_list", {"path": "."})
READ = ("fs_read", {"path": "a.md"})


def asked(folder: Path, calls: list[tuple[str, dict[str, Any]]], **guard: Any) -> list[str]:
    """Return the tools of which somebody was asked before they ran."""
    person = Person(allows=False)
    settings = Settings.model_validate({"security": {"interceptor": guard}})
    model = ScriptedModel([*calls, "Done."])
    engine = Engine(settings, tools=builtin_tools(), topology="solo", model=model, approver=person, workspace=folder)
    asyncio.run(engine.run("Go on"))
    return [request.tool for request in person.asked]


@pytest.mark.parametrize(
    ("sensitive", "tools"),
    [
        (["fs_l*"], ["fs_list"]),
        (["fs_*"], ["fs_list", "fs_read"]),
        (["fs_"], ["fs_list", "fs_read"]),
        (["fs_read(path: *.md)"], ["fs_read"]),
        (["fs_read(path: *.txt)"], []),
        (["exec"], []),
    ],
)
def test_sensitive_tools_are_asked_about(tmp_path: Path, sensitive: list[str], tools: list[str]) -> None:
    assert asked(tmp_path, [LIST, READ], sensitiveTools=sensitive) == tools


@pytest.mark.parametrize(
    ("command", "is_asked"), [("true a", False), ("true a; touch b", True), ("true a\ntouch b", True)]
)
def test_an_exempt_command_is_one_command(tmp_path: Path, command: str, is_asked: bool) -> None:
    tools = asked(tmp_path, [("exec", {"command": command})], exemptTools=["exec(command: true *)"])
    assert tools == (["exec"] if is_asked else [])
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("key", ["sensitiveTools", "exemptTools"])
def test_what_is_no_pattern_is_a_settings_error(key: str, tmp_path: Path) -> None:
    (tmp_path / "lango.json").write_text(f'{{"security": {{"interceptor": {{"{key}": ["exec(command git)"]}}}}}}')
    with pytest.raises(SettingsError) as caught:
        load_settings(home=tmp_path)
    said = f"/lango.json: security.interceptor.{key}: 'exec(command git)' is not a pattern of tools; write "
    assert said in str(caught.value)


def test_a_rule_in_the_environment_may_hold_a_comma() -> None:
    env = {"LANGO_SECURITY_INTERCEPTOR_EXEMPT_TOOLS": "fs_read, exec(command: git log a,b), fs_"}
    found = load_settings(env=env).settings.security.interceptor.exempt_tools
    assert found == ("fs_read", "exec(command: git log a,b)", "fs_")


UNFIT = (
    "security.interceptor.sensitiveTools: 'fs_dlete' fits no known tool; did you mean 'fs_delete'?",
    "security.interceptor.sensitiveTools: 'deploy_*' fits no known tool; it waits for tools that come later",
    "security.interceptor.exemptTools: 'exec(comand: x)' names a parameter no such tool has; did you mean 'command'?",
)
GUARD = {"sensitiveTools": ["fs_dlete", "deploy_*", "fs_", "payment_*"], "exemptTools": ["exec(comand: x)"]}


def deploy() -> str:
    """Deploy."""
    return "deployed"


DEPLOY: Tool = tool(deploy, name="deploy_now", safety="safe")


def test_a_pattern_that_fits_nothing_is_told_where_somebody_looks(caplog: pytest.LogCaptureFixture) -> None:
    """Never silently: it is in the log of the first turn, in the status and with the doctor, until its tool comes."""
    lab = Lab(settings={"security": {"interceptor": GUARD}})
    with caplog.at_level(logging.WARNING):
        lab.ask("hello")
        lab.ask("hello")
    logged = [record.message for record in caplog.records if "fits no" in record.message or "names a" in record.message]
    assert logged == list(UNFIT)
    assert lab.status.record["warnings"] == "; ".join(UNFIT)
    findings = examine(lab.engine).by_check()["hooks"]
    assert [finding.text for finding in findings if finding.status == "warn"] == list(UNFIT)
    lab.engine.add_tools(DEPLOY)
    assert lab.engine.unfit_patterns == (UNFIT[0], UNFIT[2])


def test_lists_of_agents_name_the_agents_that_are_not_there() -> None:
    hooks = {"deniedTools": ["opertor: exec_*", "*: fs_delete"], "allowedTools": ["vault: crpto_hash"]}
    engine = Engine(Settings.model_validate({"hooks": hooks, "agent": {"multiAgent": True}}))
    assert engine.unfit_patterns == (
        "hooks.allowedTools: 'crpto_hash' fits no known tool; did you mean 'crypto_hash'?",
        "hooks.deniedTools: 'opertor' is not an agent here; did you mean 'operator'?",
    )


def test_a_tool_that_comes_later_is_held_to_the_pattern_that_waited(tmp_path: Path) -> None:
    person = Person(allows=False)
    settings = Settings.model_validate({"security": {"interceptor": GUARD}})
    model = ScriptedModel(["Hello.", ("deploy_now", {}), "Done."])
    engine = Engine(settings, topology="solo", model=model, approver=person, workspace=tmp_path)
    asyncio.run(engine.run("Hello"))
    engine.add_tools(DEPLOY)
    asyncio.run(engine.run("Deploy"))
    assert [request.tool for request in person.asked] == ["deploy_now"]
