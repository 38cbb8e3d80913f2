"""``lango agent hooks``, ``lab.hooks`` and the engine's own list show what is wired, in which order, and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lango_nb.commands.terminal.main import main
from lango_nb.hooks.decorator import before_call
from lango_nb.hooks.hook import HookCall
from lango_nb.lab import Lab

BUILT_IN = [
    "security_filter", "access_control", "approval_gate",
    "browser_recovery", "output_manager", "learning_observer", "knowledge_saver", "event_publisher",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGO_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def test_the_command_shows_configuration_and_chain(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(("agent", "hooks", "--settings", "hooks.accessControl=true")) == 0
    shown = capsys.readouterr().out
    lines = {line.split()[0]: line.split()[1:] for line in shown.splitlines() if line.strip()}
    assert lines["security_filter"] == ["before", "10", "true", "always"]
    assert lines["access_control"] == ["before", "20", "true", "hooks.accessControl", "is", "on"]
    assert lines["event_publisher"][:3] == ["after", "50", "false"]
    places = [shown.index(name) for name in BUILT_IN]
    assert places == sorted(places)
    assert "Access Control    true" in shown


def test_the_command_gives_the_same_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("agent", "hooks", "--output", "json", "--settings", 'hooks.blockedCommands=["make install"]')
    assert main(words) == 0
    data = json.loads(capsys.readouterr().out)
    assert {key: data[key] for key in data if key != "registry"} == {
        "enabled": False,
        "security_filter": True,
        "access_control": False,
        "event_publishing": False,
        "knowledge_save": False,
        "blocked_commands": ["make install"],
    }
    registry = data["registry"]
    assert [row["name"] for row in (*registry["before"], *registry["after"])] == BUILT_IN
    assert registry["before"][0] == {
        "name": "security_filter",
        "phase": "before",
        "priority": 10,
        "source": "builtin",
        "wired": True,
        "why": "always",
    }


def test_a_lab_shows_the_chain_of_its_engine_with_hooks_of_ones_own() -> None:
    lab = Lab("sextet")
    assert [row.name for row in lab.hooks.record] == BUILT_IN

    @before_call(tools="fs_*", priority=30)
    async def mine(call: HookCall) -> None: ...

    lab.engine.add_hook(mine)
    view = lab.hooks
    assert [row.name for row in view.record][:4] == ["security_filter", "access_control", "mine", "approval_gate"]
    assert "mine" in view.text
    assert "yours, for fs_*" in view.html
    frame = view.df
    assert list(frame.columns) == ["hook", "phase", "priority", "source", "is_wired", "why"]
    assert frame.loc[frame["hook"] == "mine", "source"].tolist() == ["user"]
    assert frame["priority"].dtype == "Int64"
