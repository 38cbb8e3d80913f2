"""Verdicts on whole lists of commands: what destroys something is blocked or noted, what does not is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from lango_nb.hooks.commands.judge import judge
from lango_nb.hooks.commands.shell import read
from lango_nb.hooks.commands.verdict import BLOCKED, OBSERVED

DATA = Path(__file__).parents[2] / "data" / "commands"


def lines(name: str) -> list[str]:
    """Return the lines of a list; ``⏎`` in it stands for the end of a line of the command."""
    return [line.replace("⏎", "\n") for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Return a folder with a file that has something in it, and one that has not."""
    (tmp_path / "notes.md").write_text("three lines\n", encoding="utf-8")
    (tmp_path / "empty.md").touch()
    return tmp_path


def test_every_destructive_command_gets_its_verdict(workspace: Path) -> None:
    expected = {
        command: (decision, code) for decision, code, command in (x.split("\t", 2) for x in lines("destructive.tsv"))
    }
    assert len(expected) > 150
    assert {command: judge(command, workspace)[:2] for command in expected} == expected


def test_every_code_that_blocks_or_observes_is_in_the_list_of_commands_or_tested_elsewhere() -> None:
    seen = {line.split("\t")[1] for line in lines("destructive.tsv")}
    assert {*BLOCKED, *OBSERVED} - seen == {
        "changes_system", "opens_port", "hides_in_background", "own_pattern", "runs_elsewhere", "hides_command",
    }  # fmt: skip


def test_harmless_commands_are_allowed(workspace: Path) -> None:
    commands = lines("harmless.txt")
    assert len(commands) > 90
    assert {command: judge(command, workspace).code for command in commands} == dict.fromkeys(commands, "ordinary")


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("echo x > empty.md", "ordinary"),
        ("echo x > new.md", "ordinary"),
        ("echo x > notes.md", "overwrites_files"),
        ("mkdir a && cd a && echo x > ../notes.md", "overwrites_files"),
        ("cd a && echo x > notes.md", "ordinary"),
        ("echo x >> notes.md", "ordinary"),
        ("cp -n a notes.md", "ordinary"),
        ("cp notes.md .", "overwrites_files"),
    ],
)
def test_only_files_that_have_something_in_them_are_overwritten(workspace: Path, command: str, code: str) -> None:
    assert judge(command, workspace).code == code


def test_the_workspace_named_by_its_path_is_everything(workspace: Path) -> None:
    assert judge(f"rm -rf {workspace}", workspace).code == "removes_everything"
    assert judge(f"rm -rf {workspace}/*", workspace).code == "removes_everything"
    assert judge(f"rm -rf {workspace.parent}", workspace).code == "removes_everything"
    assert judge(f"rm -rf {workspace}/build", workspace).code == "removes_files"
    assert judge("rm -rf ../other", workspace).code == "removes_files"
    assert judge("cd a/.. && rm -rf ../..", workspace).code == "removes_everything"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("useradd eve", "changes_system"), ("iptables -F", "changes_system"), ("nc -lp 80", "opens_port"),
        ("ssh host ls", "runs_elsewhere"), ("ssh host reboot", "stops_system"), ("$(cat cmd)", "hides_command"),
        ("server > /dev/null 2>&1 &", "hides_in_background"),
    ],
)  # fmt: skip
def test_other_codes(command: str, code: str) -> None:
    assert judge(command).code == code


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a 'b c' \"d $X\" e\\ f", [("a", "b c", "d ", "e f")]),
        ("X=1; a $X \"$X\" '$X'", [("a", "1", "1", "$X")]),
        ("a;b&&c||d|e&f\ng", [("a",), ("b",), ("c",), ("d",), ("e",), ("f",), ("g",)]),
        ("if a; then b; else c; fi", [("a",), ("b",), ("c",)]),
        ("a # b", [("a",)]),
        ("a#b", [("a#b",)]),
        ("a <<E\nb\nE\nc", [("a",), ("c",)]),
        ("a <<'E' | c\nb\nE\nd", [("a",), ("c",), ("d",)]),
        ("{a,b}c '{d,e}'", [("ac", "bc", "{d,e}")]),
        ("${X:-a b} ${Y:+c} ${PATH:0:1}", [("a", "b", "/")]),
        (
            "X=abcdef; a ${X:2} ${X:1:3} ${X: 4 } ${X:-z} ${X:+e} ${X-z}",
            [("a", "cdef", "bcd", "ef", "abcdef", "e", "abcdef")],
        ),
        ("X=aBc; a ${X/B/-} ${X//c/} ${X/} ${X,,} ${X^^} ${X%x}", [("a", "a-c", "aB", "aBc", "abc", "ABC", "aBc")]),
        ("a ${Y:=d} ${Y=d} ${Y-d} ${Y+d} ${Y:3}", [("a", "d", "d", "d")]),
        ("a 2>&1 >b 3<c &>d", [("a",)]),
    ],
)
def test_a_command_line_is_read_as_a_shell_reads_it(text: str, words: list[tuple[str, ...]]) -> None:
    assert [command.words for command in read(text)] == words


@pytest.mark.parametrize("again", ["a=$a$a$a$a; ", "a+=$a$a; ", "a=${a//x/xx}; ", "a=$(echo $a $a $a); "])
def test_a_variable_that_grows_without_end_is_unknown(again: str) -> None:
    text = f"a=xxxxxxxxxx; {again * 18}"
    assert sum(len(word) for command in read(f"{text} b $a") for word in command.words) < 1_000_000
    assert judge(f"{text} $a notes.md").code == "hides_command"


def test_where_a_command_writes_and_what_it_reads_is_kept_with_it() -> None:
    first, second = read("a 2>&1 >b >>c &>d | e <<< f")
    assert (first.writes, second.text, second.source) == (("b", "d"), "f", first)


def test_words_and_where_they_go_are_told_apart() -> None:
    """What a command writes to is no word of it, and the word behind that is one again."""
    (command,) = read("sort > out.txt -r in.txt")
    assert (command.words, command.writes) == (("sort", "-r", "in.txt"), ("out.txt",))


def test_a_dollar_before_a_quote_within_quotes_is_a_dollar() -> None:
    (command,) = read("""echo "costs $'5'" end""")
    assert command.words == ("echo", "costs $'5'", "end")
