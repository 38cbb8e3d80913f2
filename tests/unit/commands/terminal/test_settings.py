"""``lango settings`` shows every setting and where it comes from, and refuses what is none."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lango_nb.config.keys import setting_infos


def test_the_table_holds_every_setting_with_value_origin_and_sentence(lango: Callable[..., Any], here: Path) -> None:
    (here / "lango.json").write_text('{"tools": {"exec": {"defaultTimeout": "20s"}}}', encoding="utf-8")
    done = lango("settings", "--settings", "agent.maxTurns=7", "--model", "offline")
    assert (done.code, done.err) == (0, "")
    lines = {line.split()[0]: line for line in done.out.splitlines() if "." in line.split(" ", 1)[0]}
    assert set(lines) == {info.key for info in setting_infos()}
    assert lines["tools.exec.defaultTimeout"].split()[1:4] == ["20s", "30s", "lango.json"]
    assert lines["agent.maxTurns"].split()[1:4] == ["7", "0", "argument"]
    assert "How long a command may run" in lines["tools.exec.defaultTimeout"]


def test_json_holds_values_as_files_would(lango: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGO_AGENT_MULTI_AGENT", "on")
    monkeypatch.setenv("LANGO_SECURITY_INTERCEPTOR_EXEMPT_TOOLS", "exec,fs_write")
    done = lango("settings", "--output", "json")
    assert done.code == 0
    rows = {row["key"]: row for row in json.loads(done.out)}
    assert list(rows) == [info.key for info in setting_infos()]
    assert rows["agent.multiAgent"] == {
        "key": "agent.multiAgent",
        "value": True,
        "default": False,
        "origin": "LANGO_AGENT_MULTI_AGENT",
        "env": "LANGO_AGENT_MULTI_AGENT",
        "sentence": "Whether an orchestrator hands work to specialists.",
    }
    assert rows["security.interceptor.exemptTools"]["value"] == ["exec", "fs_write"]
    assert rows["tools.exec.defaultTimeout"]["default"] == 30
    assert done.out.startswith('[\n  {\n    "key": "agent.multiAgent",\n')


def test_the_home_folder_is_read_before_the_workspace(lango: Callable[..., Any], here: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "lango.json").write_text('{"agent": {"maxTurns": 9, "model": "m"}}', encoding="utf-8")
    (here / "work").mkdir()
    (here / "work" / "lango.json").write_text('{"agent": {"maxTurns": 2}}', encoding="utf-8")
    rows = json.loads(lango("settings", "--workspace", "work", "--output", "json").out)
    found = {row["key"]: row["value"] for row in rows}
    assert (found["agent.maxTurns"], found["agent.model"]) == (2, "m")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--settings", "agent.maxTurn=1"], 3, "argument: agent.maxTurn is not a setting; did you mean 'maxTurns'?"),
        (["--settings", "agent.maxTurns=x"], 3, "argument: agent.maxTurns must be a whole number, 0 or more, not 'x'"),
        (["--settings", "agent.maxTurns"], 2, "--settings takes KEY=VALUE, agent.maxTurns=5 for instance, not 'agent."),
        (["--settings", "=1"], 2, "--settings takes KEY=VALUE"),
        (["--settings", "agent.model=a", "--settings", "agent.model=b"], 2, "agent.model is given twice; keep one"),
        (["--settings", "agent.model=a", "--model", "b"], 2, "agent.model is given twice; keep one"),
    ],
)
def test_wrong_settings_are_one_line(lango: Callable[..., Any], words: list[str], code: int, said: str) -> None:
    done = lango("settings", *words)
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith(f"lango: {said}")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"agent": {"maxDelegationRound": 3}}', "did you mean 'maxDelegationRounds'?"),
        ('{"agent" 3}', "lango.json: line 1, column 10: this is not JSON"),
        (
            '{"lab": {"topology": "sixtet"}}',
            "lango.json: lab.topology: topology 'sixtet' not found; did you mean 'sextet'?",
        ),
    ],
)
@pytest.mark.parametrize("command", [["settings"], ["route", "x"], ["partition"], ["agent", "status"], ["ask", "x"]])
def test_every_command_refuses_a_wrong_file_with_3(
    lango: Callable[..., Any], here: Path, content: str, said: str, command: list[str]
) -> None:
    (here / "lango.json").write_text(content, encoding="utf-8")
    done = lango(*command)
    assert (done.code, done.out) == (3, "")
    assert said in done.err
    assert done.err.count("\n") == 1
