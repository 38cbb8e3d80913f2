"""``lango agent status|list|tools``: the truth about settings and registry; a bad AGENT.md fails visibly."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lango_nb.commands.agents import CATEGORIES
from lango_nb.config.keys import settings_by_key
from tests.trusting import trust


def agent_md(folder: Path, name: str, text: str) -> Path:
    place = folder / name
    place.mkdir(parents=True)
    (place / "AGENT.md").write_text(text, encoding="utf-8")
    return place / "AGENT.md"


def status(lango: Callable[..., Any], *words: str) -> dict[str, Any]:
    done = lango("agent", "status", "--output", "json", *words)
    assert (done.code, done.err) == (0, "")
    data: dict[str, Any] = json.loads(done.out)
    return data


def test_the_default_is_a_single_agent(lango: Callable[..., Any]) -> None:
    data = status(lango)
    assert (data["mode"], data["topology"], data["multi_agent"]) == ("single", "solo", False)
    assert (data["lab_topology"], data["provider"], data["model"]) == ("octet", "lango_nb", "offline")
    assert "max_delegation_rounds" not in data
    assert data["registry"]["builtin"] == 8
    assert data["registry"]["user"] == 0
    assert data["registry"]["active"] == data["registry"]["builtin"] + data["registry"]["embedded"]
    assert data["teammate_runtime"]["available"] is False
    assert data["teammate_runtime"]["missing"][0] == "agent.multiAgent is off"


def test_multi_agent_mode_shows_the_effective_limits(lango: Callable[..., Any]) -> None:
    multi = ("--settings", "agent.multiAgent=true")
    data = status(lango, *multi, "--topology", "octet")
    assert (data["mode"], data["topology"], data["max_delegation_rounds"]) == ("multi", "octet", 10)
    assert data["registry"]["builtin"] == 8
    data = status(lango, *multi, "--settings", "agent.maxDelegationRounds=3", "--settings", "agent.maxTurns=9")
    assert (data["max_delegation_rounds"], data["max_turns"]) == (3, 9)


def test_multi_agent_without_background_hints_at_the_switch(lango: Callable[..., Any]) -> None:
    done = lango("agent", "status", "--settings", "agent.multiAgent=true")
    lines = {line[:17].strip(): line[17:].strip() for line in done.out.splitlines()}
    assert lines["Teammate Runtime"].startswith("unavailable: background.enabled is off")
    assert lines["Hint"] == "set background.enabled to true to make the teammate runtime available"
    assert lines["Delegation Rounds"[:17]] == "10"
    done = lango("agent", "status", "--settings", "agent.multiAgent=true", "--topology", "sextet")
    assert "Delegation Rounds" in done.out
    assert {line[:17].strip(): line[17:].strip() for line in done.out.splitlines()}["Delegation Rounds"] == "5"


def test_the_runtime_is_called_available_only_where_it_can_run(lango: Callable[..., Any]) -> None:
    words = ("--settings", "agent.multiAgent=true", "--settings", "background.enabled=true", "--topology")
    runtime = status(lango, *words, "octet")["teammate_runtime"]
    assert runtime == {"name": "dynamic-v1", "available": True, "missing": [], "hint": ""}
    runtime = status(lango, *words, "sextet")["teammate_runtime"]
    assert runtime["available"] is False
    assert any("sextet" in reason for reason in runtime["missing"])


def test_switches_and_remote_agents_are_shown(lango: Callable[..., Any], here: Path) -> None:
    remote = {"name": "weather", "agentCardUrl": "http://localhost:1/card"}
    settings = {
        "a2a": {"enabled": True, "remoteAgents": [remote]},
        "p2p": {"enabled": True},
        "hooks": {"enabled": True},
    }
    (here / "lango.json").write_text(json.dumps(settings), encoding="utf-8")
    trust(here, here.parent / "home")
    data = status(lango)
    assert [data[key] for key in ("a2a_enabled", "remote_agents", "p2p_enabled", "hooks_enabled")] == [
        True,
        1,
        True,
        True,
    ]
    rows = json.loads(lango("agent", "list", "--output", "json").out)
    assert rows[-1] == {
        "name": "weather",
        "type": "remote",
        "source": "a2a",
        "description": "",
        "url": "http://localhost:1/card",
        "status": "not checked",
    }
    assert "http://localhost:1/card" in lango("agent", "list").out


def test_an_interceptor_that_is_off_asks_for_nothing(lango: Callable[..., Any]) -> None:
    assert status(lango)["approval_policy"] == "dangerous"
    assert status(lango, "--settings", "security.interceptor.enabled=false")["approval_policy"] == "none"


def test_the_status_table_has_the_labels_of_the_specification(lango: Callable[..., Any]) -> None:
    done = lango("agent", "status", "--settings", "a2a.enabled=true")
    assert (done.code, done.err) == (0, "")
    for label in (
        *("Mode", "Provider", "Model", "Multi-Agent", "Max Turns", "A2A Enabled", "Remote Agents", "P2P Enabled"),
        *("Hooks Enabled", "Teammate Runtime", "Builtin Agents", "User Agents", "Active Agents", "Agents Dir"),
    ):
        assert any(line.startswith(label + " ") for line in done.out.splitlines()), label


def test_list_shows_name_source_and_description(lango: Callable[..., Any], here: Path) -> None:
    agent_md(here / "agents", "tester", f"---\nname: tester\ndescription: {'words ' * 30}\n---\nTest.\n")
    agent_md(here / "agents", "sleeper", "---\nname: sleeper\nstatus: draft\n---\nSleep.\n")
    done = lango("agent", "list", "--settings", "agent.agentsDir=agents")
    assert (done.code, done.err) == (0, "")
    lines = {line.split()[0]: line for line in done.out.splitlines() if line.strip()}
    assert lines["operator"].split()[1] == "builtin"
    assert lines["tester"].split()[1] == "user"
    assert lines["tester"].rstrip().endswith("…")
    assert len(lines["tester"].split("user", 1)[1].strip()) <= 60
    assert "user, draft" in lines["sleeper"]
    rows = json.loads(lango("agent", "list", "--settings", "agent.agentsDir=agents", "--output", "json").out)
    assert [row["name"] for row in rows] == sorted(row["name"] for row in rows)
    assert {row["name"]: row["description"] for row in rows}["tester"] == ("words " * 30).strip()
    counts = status(lango, "--settings", "agent.agentsDir=agents")["registry"]
    assert (counts["user"], counts["builtin"], counts["active"]) == (2, 8, 9)


def test_a_missing_agents_folder_is_fine(lango: Callable[..., Any]) -> None:
    for command in ("status", "list"):
        done = lango("agent", command, "--settings", "agent.agentsDir=nowhere")
        assert (done.code, done.err) == (0, "")
    assert status(lango, "--settings", "agent.agentsDir=nowhere")["registry"]["user"] == 0


@pytest.mark.parametrize(
    "command", [["agent", "status"], ["agent", "list"], ["partition"], ["route", "x"], ["ask", "x"]]
)
@pytest.mark.parametrize("text", ["no front matter", "---\nname: [\n---\n", "---\nname: operator\n---\nMine.\n"])
def test_a_bad_agent_md_fails_visibly_with_its_path(
    lango: Callable[..., Any], here: Path, command: list[str], text: str
) -> None:
    path = agent_md(here / "agents", "bad", text)
    done = lango(*command, "--settings", f"agent.agentsDir={here / 'agents'}")
    assert (done.code, done.out) == (3, "")
    assert str(path) in done.err
    assert done.err.count("\n") == 1


def test_tools_shows_categories_and_switches_only(lango: Callable[..., Any]) -> None:
    done = lango("agent", "tools")
    assert (done.code, done.err) == (0, "")
    for word in ("operator", "navigator", "fs_read", "chronicler"):
        assert word not in done.out
    rows = json.loads(lango("agent", "tools", "--output", "json").out)
    assert [row["name"] for row in rows] == [category.name for category in CATEGORIES]
    assert {row["config_key"] for row in rows} - {""} <= set(settings_by_key())


@pytest.mark.parametrize("category", [c for c in CATEGORIES if c.key], ids=lambda c: c.name)
def test_every_switch_switches_its_category(lango: Callable[..., Any], category: Any) -> None:
    def enabled(*words: str) -> bool:
        rows = json.loads(lango("agent", "tools", "--output", "json", *words).out)
        return bool({row["name"]: row["enabled"] for row in rows}[category.name])

    info = settings_by_key()[category.key]
    other = "openai" if info.kind == "text" else "false" if info.default else "true"
    assert enabled() is bool(info.default)
    assert enabled("--settings", f"{category.key}={other}") is not bool(info.default)
