"""Patterns of tools: one language for all lists, sure where it lets calls through, wary where it stops them."""

from __future__ import annotations

from typing import Any

import pytest

from lango_nb.core.errors import DefinitionError
from lango_nb.core.tool_patterns import ToolPattern, ToolPatterns
from lango_nb.routing.partition import Prefix
from tests.expected import same_as_expected

NAMES = ("fs", "fs_list", "fs_read", "fs_link", "fsx", "exec", "exec_bg", "execute_x", "my.tool", "FS_LIST")


def fitting(written: str) -> list[str]:
    pattern = ToolPattern.parse(written)
    return [name for name in NAMES if pattern.fits(name)]


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("fs_list", ["fs_list"]),
        ("fs_lis", []),
        ("fs_l*", ["fs_list", "fs_link"]),
        ("fs_l??k", ["fs_link"]),
        ("fs_*", ["fs", "fs_list", "fs_read", "fs_link"]),
        ("fs_", ["fs", "fs_list", "fs_read", "fs_link"]),
        ("*_bg", ["exec_bg"]),
        ("*_*", ["fs_list", "fs_read", "fs_link", "exec_bg", "execute_x", "FS_LIST"]),
        ("my.tool", ["my.tool"]),
        ("my?tool", ["my.tool"]),
        ("*", list(NAMES)),
        (" exec ( command : git * ) ", ["exec"]),
    ],
)
def test_a_pattern_fits_names(written: str, names: list[str]) -> None:
    assert fitting(written) == names


@pytest.mark.parametrize("written", ["exec_", "exec_*", "fs_", "fs_*"])
def test_a_prefix_means_what_it_means_to_agents(written: str) -> None:
    assert fitting(written) == [name for name in NAMES if Prefix.parse(written).matches(name)]


@pytest.mark.parametrize(
    "written", ["", " ", "fs read", "fs_[ab]", "exec(", "exec()", "exec(command)", "exec(command:)", "exec(: git *)",
                "exec(command: git *", "(command: git *)", "exec(command: git *) x", "fs_read, exec"],
)  # fmt: skip
def test_what_is_no_pattern_is_refused_with_an_example(written: str) -> None:
    with pytest.raises(
        DefinitionError, match=r"is not a pattern of tools; write exec, fs_\* or exec\(command: git \*\)$"
    ):
        ToolPattern.parse(written)


GIT = ToolPattern.parse("exec(command: git *)")


@pytest.mark.parametrize("command", ["git status", "git log --oneline a..b", 'git commit -m "a b"', "git add *.py"])
def test_a_rule_on_a_command_covers_the_plain_ones(command: str) -> None:
    assert GIT.covers("exec", {"command": command})
    assert not GIT.covers("exec_bg", {"command": command})


@pytest.mark.parametrize(
    "command",
    [
        "git status; rm -rf x",
        "git status && rm -rf x",
        "git status || rm -rf x",
        "git status & rm -rf x",
        "git status | sh",
        "git status\nrm -rf x",
        "git status\r\nrm -rf x",
        "git status $(rm -rf x)",
        "git status `rm -rf x`",
        "git status ${X:-y}",
        "git status $IFS",
        "git status > .bashrc",
        "git status >> .bashrc",
        "git diff <(rm -rf x)",
        "git status \x00rm",
        "git -C ../elsewhere status",
        "rm -rf x #git status",
        " git status",
        "GIT status",
        "git",
        "/usr/bin/git status",
        "X=y git status",
    ],
)
def test_no_trick_widens_a_rule_that_lets_commands_through(command: str) -> None:
    assert not GIT.covers("exec", {"command": command})


@pytest.mark.parametrize(
    "arguments",
    [{}, {"command": None}, {"command": ["git", "status"]}, {"command": {"git ": 1}}, {"Command": "git x"},
     {"cwd": "git x"}],
)  # fmt: skip
def test_a_rule_covers_no_value_that_is_no_text(arguments: dict[str, Any]) -> None:
    assert not GIT.covers("exec", arguments)


def test_a_rule_on_a_path_covers_no_way_out() -> None:
    notes = ToolPattern.parse("fs_write(path: notes/*)")
    covered = [
        path
        for path in ("notes/a.md", "notes/a..b", "notes/../keys.env", "notes/..", "notes/x/../../y", "notes\\..\\x")
        if notes.covers("fs_write", {"path": path})
    ]
    assert covered == ["notes/a.md", "notes/a..b"]


def test_numbers_and_switches_are_compared_as_they_are_written() -> None:
    pattern = ToolPattern.parse("payment_send(amount: 1?)")
    assert [amount for amount in (1, 10, 19, 100, True) if pattern.covers("payment_send", {"amount": amount})] == [
        10,
        19,
    ]
    assert ToolPattern.parse("x(force: true)").covers("x", {"force": True})


RM = ToolPattern.parse("exec(command: rm *)")


@pytest.mark.parametrize(
    "command",
    [
        "rm x",
        "  RM\t x",
        "true; rm x",
        "cd a && rm x",
        "/bin/rm x",
        "env rm x",
        "sh -c 'rm x'",
        '"rm" x',
        "r\\m x",
        "r''m x",
        "r\\\nm x",
        "echo $(rm x)",
        "r${y}m x",
        "/b?n/r? x",
        "X=rm; $X y",
        "{rm,x}",
        ["rm", "x"],
    ],
)
def test_no_trick_gets_past_a_rule_that_stops_commands(command: object) -> None:
    assert RM.catches("exec", {"command": command})


@pytest.mark.parametrize("command", ["ls -l", "farm x", "echo 'a b'", "cat rm.txt"])
def test_a_rule_that_stops_commands_leaves_the_others_alone(command: str) -> None:
    assert not RM.catches("exec", {"command": command})


def test_a_rule_that_stops_paths_sees_through_detours() -> None:
    keys = ToolPattern.parse("fs_read(path: secret/keys.env)")
    for path in (
        "secret/keys.env",
        "./secret/keys.env",
        "/srv/secret/keys.env",
        "secret/./keys.env",
        "Secret/Keys.env",
        "secret//keys.env",
        "secret/x/../keys.env",
    ):
        assert keys.catches("fs_read", {"path": path}), path
    assert not keys.catches("fs_read", {"path": "secret/keys.environment"})
    assert keys.catches("fs_read", {}), "what is left out may be filled in with what is meant"


def test_what_a_rule_would_let_through_it_would_also_stop() -> None:
    """Otherwise the same rule would mean less where it guards: blanks at an end are no part of a word."""
    assert GIT.covers("exec", {"command": "git "})
    assert GIT.catches("exec", {"command": "git "})


def test_no_text_makes_a_pattern_try_again_and_again() -> None:
    """With a start at every word this would take minutes."""
    pattern = ToolPattern.parse("fs_write(content: git *a*b*push?x)")
    arguments = {"content": "git a b " * 20_000}
    assert not pattern.covers("fs_write", arguments)
    assert not pattern.catches("fs_write", arguments)


def test_a_list_names_the_pattern_that_decided() -> None:
    patterns = ToolPatterns.of(["fs_l*", "exec(command: git *)"])
    assert (patterns.covers("fs_list"), patterns.covers("fs_read")) == ("fs_l*", "")
    assert patterns.catches("exec", {"command": "git push"}) == "exec(command: git *)"
    assert not ToolPatterns.of([])


WRITTEN = (
    "exec", "exec_*", "*", "fs_read", "fs_*(path: docs/*)", "exec(command: git *)", "exec(command: *rm*)",
    "fs_read(path: a.md)", "fs_read(lines: 3)", "fs_read(on: true)", "fs_?ead", "exec(command:)", "FS_READ",
    "exec(command: git status)",
)  # fmt: skip
CALLS: tuple[tuple[str, dict[str, Any] | None], ...] = (
    ("exec", None), ("exec", {}), ("exec", {"command": "git status"}), ("exec", {"command": "ls; git push"}),
    ("exec", {"command": "git $(rm x)"}), ("exec", {"command": ""}), ("exec", {"command": ["git", "status"]}),
    ("exec", {"command": 'g"i"t status'}), ("exec", {"command": "rm -rf x"}), ("exec_bg", {"command": "git status"}),
    ("fs_read", {"path": "docs/a.md"}), ("fs_read", {"path": "docs/../a.md"}), ("fs_read", {"path": "a.md"}),
    ("fs_read", {"path": "./a.md"}), ("fs_read", {"path": None}), ("fs_read", {"lines": 3, "on": True}),
    ("fs_read", {"lines": "3", "on": "true"}), ("fs_read", {"lines": {"from": 3}}), ("fs_read", None), ("other", None),
)  # fmt: skip


def test_every_pattern_against_every_call() -> None:
    rows = []
    for written in WRITTEN:
        try:
            one, several = ToolPattern.parse(written), ToolPatterns.of([written, "never"])
        except DefinitionError as error:
            rows.append(f"{written}: {error}")
            continue
        rows.append(f"{one!r} {bool(several)}")
        for name, arguments in CALLS:
            found = [
                one.fits(name),
                one.covers(name, arguments or {}),
                one.catches(name, arguments or {}),
                several.covers(name, arguments),
                several.catches(name, arguments),
            ]
            if any(found):
                rows.append(f"    {name} {arguments} {found}")
    same_as_expected("patterns.txt", "\n".join(rows))


@pytest.mark.parametrize(
    ("written", "tool", "is_stopped"),
    [
        ("fs_write", "write_file", True),
        ("fs_*", "apply_patch", True),
        ("fs_delete", "apply_patch", True),
        ("fs_delete", "write_file", False),
        ("web_*", "fetch", True),
        ("exec", "write_file", False),
    ],
)
def test_a_list_that_stops_a_tool_stops_the_primitive_that_does_the_same(
    written: str, tool: str, is_stopped: bool
) -> None:
    assert bool(ToolPatterns.of([written]).catches(tool)) is is_stopped
    assert not ToolPatterns.of([written]).covers(tool)
