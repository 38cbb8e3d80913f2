"""Files that say what is allowed: no policy, no list and no earlier answer lets a call touch one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lango_nb.engine import Engine
from lango_nb.lab import Lab
from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest
from lango_nb.runtime.ask import question
from lango_nb.runtime.protected import Protected
from lango_nb.tools.builtin import primitive_tools
from lango_nb.tools.tool import Tool
from tests.cast import Cast, Line

OFF: Mapping[str, Mapping[str, Any]] = {
    "switched off": {"security.interceptor.enabled": False},
    "none": {"security.interceptor.approvalPolicy": "none"},
    "configured": {"security.interceptor.approvalPolicy": "configured"},
    "exempt": {"security.interceptor.exemptTools": ["exec", "fs_write", "fs_edit", "fs_delete"]},
}
ATTACKS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("fs_write", {"path": "lango.json", "content": "{}"}),
    ("fs_write", {"path": "./x/../pyproject.toml", "content": ""}),
    ("fs_write", {"path": "link", "content": "{}"}),
    ("fs_edit", {"path": "lango.json", "startLine": 1, "endLine": 1, "content": "{}"}),
    ("fs_delete", {"path": "lango.json"}),
    ("exec", {"command": "echo '{}' > lango.json"}),
    ("exec", {"command": "cp x lan''go.json"}),
    ("exec", {"command": 'cp x "lango".json'}),
    ("exec", {"command": "cp x LANGO.JSON"}),
    ("exec", {"command": "for f in lan*.json; do cp x $f; done"}),
    ("exec", {"command": "cp x l{a,b}ngo.json"}),
    ("exec", {"command": "sed -i d pyproject.toml"}),
    ("exec", {"command": "echo y | lango trust ."}),
    ("exec", {"command": "python -m lango_nb trust ."}),
    ("exec", {"command": "rm -r ../home/trust.json"}),
    ("exec", {"command": "cat {home}/lango.db"}),
)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    (work / "lango.json").write_text("{}\n", encoding="utf-8")
    (work / "link").symlink_to("lango.json")
    return work


class Person:
    """Answers every question the same, and remembers it."""

    def __init__(self, answer: ApprovalAnswer) -> None:
        self.asked: list[ApprovalRequest] = []
        self._answer = answer

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.asked.append(request)
        return self._answer


def lab_of(work: Path, person: Any, settings: Mapping[str, Any], *lines: Line) -> Lab:
    cast = Cast({"lango-agent": [*lines, "Done."]})
    home = work.parent / "home"
    return Lab("solo", model=cast, workspace=work, home=home, store="memory", settings=settings, approver=person)


@pytest.mark.parametrize("how", OFF)
def test_settings_are_never_touched_unasked(how: str, work: Path) -> None:
    """Whatever the settings exempt; all attacks come in one reply."""
    home = str(work.parent / "home")
    calls = [
        (tool, {key: value.format(home=home) if "{home}" in str(value) else value for key, value in arguments.items()})
        for tool, arguments in ATTACKS
    ]
    person = Person(ApprovalAnswer(False, "person", "no"))
    trace = lab_of(work, person, OFF[how], calls).ask("Go").record
    assert [(request.tool, request.arguments) for request in person.asked] == calls
    assert all("which says what is allowed" in request.reason for request in person.asked)
    assert [event.kind for event in trace.events if event.kind == "tool.started"] == []
    assert (work / "lango.json").read_text(encoding="utf-8") == "{}\n"


@pytest.mark.parametrize("how", OFF)
def test_primitives_of_a_genome_do_not_touch_settings_unasked(how: str, work: Path) -> None:
    """A patch names its files in its text, also one that is not a patch."""
    patch = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: {}\n*** End Patch"
    calls: list[tuple[str, dict[str, Any]]] = [
        ("apply_patch", {"patch": patch.format("x/../lango.json")}),
        ("apply_patch", {"patch": patch.format("../home/trust.json")}),
        ("apply_patch", {"patch": "*** Begin Patch\r\n*** Delete File:  link\r\n*** End Patch"}),
        ("apply_patch", {"patch": "  *** Add File: pyproject.toml"}),
        ("edit_file", {"path": "link", "old_string": "{}", "new_string": "[]"}),
        ("write_file", {"path": "lango.json", "content": ""}),
    ]
    person = Person(ApprovalAnswer(False, "person", "no"))
    settings = {**OFF[how], "security.interceptor.exemptTools": list(primitive_tools())}
    cast = Cast({"lango-agent": [calls, "Done."]})
    tools = list(primitive_tools().values())
    home = work.parent / "home"
    Lab("solo", tools, model=cast, workspace=work, home=home, store="memory", settings=settings, approver=person).ask(
        "Go"
    )
    assert [(request.tool, request.arguments) for request in person.asked] == calls
    assert all("which says what is allowed" in request.reason for request in person.asked)
    assert (work / "lango.json").read_text(encoding="utf-8") == "{}\n"


@pytest.mark.parametrize("scope", ["turn", "session"])
def test_a_yes_is_for_one_call(scope: Any, work: Path) -> None:
    write = ("fs_write", {"path": "lango.json", "content": "{}"})
    person = Person(ApprovalAnswer(True, "person", scope=scope))
    lab = lab_of(work, person, {}, write, write)
    trace = lab.ask("Go").record
    assert len(person.asked) == 2
    assert [event.scope for event in trace.events if event.kind == "approval.decided"] == ["once", "once"]
    assert "[t]urn" not in question(person.asked[0])
    assert "[t]urn" in question(ApprovalRequest("c", "exec", {}, "9f", "operator", "dangerous"))


def test_an_answer_for_a_path_does_not_hold_once_it_leads_to_settings(work: Path) -> None:
    write = ("fs_write", {"path": "notes.txt", "content": '{"a": 1}'})
    person = Person(ApprovalAnswer(True, "person", scope="session"))
    lab = lab_of(work, person, {}, write, ("exec", {"command": "ln -sf lang?.json notes.txt"}), write)
    lab.ask("Go")
    assert [request.tool for request in person.asked] == ["fs_write", "exec", "fs_write"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (Tool("fs_read", safety="safe"), {"path": "lango.json"}),
        (Tool("fs_write"), {"path": "notes.md", "content": "about pyproject.toml"}),
        (Tool("fs_write"), {"path": "lango.json.md", "content": ""}),
        (Tool("exec"), {"command": "ls *.md; echo 'select * from t'"}),
        (Tool("exec"), {"command": "lango ask 'whom do you trust'"}),
        (Tool("mail"), {"to": ["a@b"], "path": "\0", "deep": [{"x": "y" * 9999}]}),
    ],
)
def test_what_touches_nothing_is_left_to_the_settings(tool: Tool, arguments: Mapping[str, Any], tmp_path: Path) -> None:
    assert Protected((tmp_path / "home",)).touched(tool, arguments, tmp_path / "work") == ""


def test_a_workspace_in_the_home_folder_can_be_worked_in(tmp_path: Path) -> None:
    protected = Protected((tmp_path,))
    assert protected.touched(Tool("fs_write"), {"path": "notes.md"}, tmp_path / "work") == ""
    assert protected.touched(Tool("fs_write"), {"path": "../keys.env"}, tmp_path / "work") == "keys.env"


def test_keys_that_lie_elsewhere_are_protected(tmp_path: Path) -> None:
    protected = Protected((), str(tmp_path / "secrets"))
    assert protected.touched(Tool("fs_write"), {"path": "secrets"}, tmp_path) == "secrets"
    assert protected.touched(Tool("exec"), {"command": "cat secrets"}, tmp_path) == "secrets"


@pytest.mark.parametrize("how", OFF)
def test_deny_wins_over_whatever_settings_exempt(how: str, work: Path) -> None:
    lab = lab_of(work, "deny", OFF[how], ("exec", {"command": "touch ran"}))
    trace = lab.ask("Go").record
    assert not (work / "ran").exists()
    assert [event.allowed for event in trace.events if event.kind == "approval.decided"] == [False]


def test_deny_for_one_request_wins_too(work: Path) -> None:
    run = ("exec", {"command": "touch ran"})
    lab = lab_of(work, "allow", OFF["none"], run, "Done.", run)
    lab.ask("Go", approver="deny")
    assert not (work / "ran").exists()
    lab.ask("Go")
    assert (work / "ran").exists()


def test_an_engine_without_anybody_to_ask_runs_what_its_settings_exempt(work: Path) -> None:
    from lango_nb.config.loading import load_settings

    settings = load_settings(overrides=dict(OFF["none"])).settings
    cast = Cast({"lango-agent": [("exec", {"command": "touch ran"}), "Done."]})
    Engine(settings, topology="solo", model=cast, workspace=work).run_sync("Go")
    assert (work / "ran").exists()
