"""Verdicts on whole lists of commands: what destroys something is blocked or noted, what does not is left alone."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from lango_nb.hooks.commands.judge import judge
from lango_nb.hooks.commands.shell import DECODED, FETCHED, INPUT, UNKNOWN, Command, read
from lango_nb.hooks.commands.verdict import BLOCKED, OBSERVED
from tests.expected import same_as_expected

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


def reading(command: Command) -> str:
    """Return a command as it was read, behind what is piped into it."""
    parts = [shlex.join(command.words), *(f"> {shlex.quote(path)}" for path in command.writes)]
    parts += [f"<<< {shlex.quote(command.text)}"] * bool(command.text) + ["&"] * command.in_background
    return f"{reading(command.source)} | {' '.join(parts)}" if command.source else " ".join(parts)


def summary(command: str, workspace: Path) -> str:
    """Return a command line, its verdict here and elsewhere, and all that it runs."""
    here, elsewhere = judge(command, workspace), judge(command)
    verdict = f"{here.decision} {here.code}" + (f", elsewhere {elsewhere.code}" if here != elsewhere else "")
    whole = "\n    ".join((command.replace("\n", "⏎"), verdict, *map(reading, read(command))))
    for mark, name in ((INPUT, "INPUT"), (FETCHED, "FETCHED"), (DECODED, "DECODED"), (UNKNOWN, "UNKNOWN")):
        whole = whole.replace(mark, f"«{name}»")
    return whole


@pytest.mark.parametrize("name", ["destructive.tsv", "harmless.txt", "spellings.txt"])
def test_every_command_of_the_lists_is_read_and_judged_as_expected(name: str, workspace: Path) -> None:
    commands = [line.split("\t", 2)[-1] if name.endswith(".tsv") else line for line in lines(name)]
    found = (summary(command, workspace) for command in commands)
    same_as_expected(f"commands/{Path(name).stem}.txt", "\n".join(found))


def nested(command: str, how: str, times: int) -> str:
    """Return a command within a command, so many times."""
    for _ in range(times):
        command = how.replace("«quoted»", shlex.quote(command)).replace("«»", command)
    return command


@pytest.mark.parametrize(
    ("how", "deepest"), [("sh -c «quoted»", 6), ("echo $(«»)", 6), ("find . -exec «» ;", 6), ("env «»", 19)]
)
def test_what_lies_too_deep_to_be_read_is_said_to_be_hidden(how: str, deepest: int) -> None:
    codes = [judge(nested("rm notes.md", how, times)).code for times in range(deepest + 2)]
    assert codes == ["removes_files"] * (deepest + 1) + ["hides_command" if "$" not in how else "ordinary"]


def test_a_pipe_is_followed_for_a_dozen_programs() -> None:
    codes = [judge(f"curl x | {'cat | ' * between}sh").code for between in (10, 11, 12)]
    assert codes == ["runs_fetched", "runs_fetched", "ordinary"]


def test_twenty_documents_are_read_in_one_command() -> None:
    found = []
    for number in (20, 21):
        bodies = "".join(f"x{place}\nE{place}\n" for place in range(number))
        found.append(read(f"a {' '.join(f'<<E{place}' for place in range(number))}\n{bodies}"))
    assert [len(commands[0].text.split()) for commands in found] == [20, 20]
    assert [command.words for command in found[1][1:]] == [("x20",), ("E20",)]


def test_braces_are_expanded_in_words_of_less_than_two_hundred_letters() -> None:
    assert [len(read(f"a {{{'b' * size},c}}")[0].words) for size in (195, 196)] == [3, 2]


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
