"""One table, two front ends: what both have says the same in both; what one has is complete."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from lango_nb.commands.command import Command, Group, Option, Word
from lango_nb.commands.notebook.line import parse_line
from lango_nb.commands.notebook.overview import Overview
from lango_nb.commands.table import COMMANDS, MAGICS, TERMINAL
from lango_nb.commands.terminal.parser import parse
from lango_nb.core.errors import LangoError
from lango_nb.lab import Lab

README = Path(__file__).parents[3] / "README.md"
GIVEN = {
    "diff": ["quartet"],
    "route": ["how many lines does notes.md have?"],
    "run": ["arun-1-1"],
    "search": ["lines"],
    "sql": ["SELECT kind, count(*) AS events FROM events GROUP BY kind"],
}
SHARED = [
    name for name, one in COMMANDS.items() if one.is_magic and one.run is not None and one.terminal is None
    if one.is_for_terminals
]  # fmt: skip


@pytest.fixture
def turn(here: Path, lango: Callable[..., Any]) -> None:
    (here / "notes.md").write_text("one\ntwo\n", encoding="utf-8")
    assert lango("ask", "how many lines does notes.md have?", "--session", "main").code == 0


@pytest.mark.usefixtures("turn")
@pytest.mark.parametrize("name", SHARED)
def test_the_terminal_says_what_the_notebook_says(name: str, lango: Callable[..., Any]) -> None:
    command, words = COMMANDS[name], GIVEN.get(name, [])
    done = lango(name, *words)
    lab = Lab(store="home" if command.is_stored else "memory", approver="deny")
    view = command.carry_out(lab, parse_line(" ".join([name, *words])).arguments)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{view.text}\n"
    data = json.loads(lango(name, *words, "--json").out)
    if command.data is None:
        assert len(data) == len(view.df)
    else:
        assert data == json.loads(json.dumps(command.data(view.record)))
    if "mermaid" in command.formats:
        assert lango(name, *words, "--output", "mermaid").out == f"{view.mermaid}\n"
    lab.close()


@pytest.mark.parametrize("command", COMMANDS.values(), ids=lambda command: command.name)
def test_a_command_can_be_carried_out_where_it_is_listed(command: Command) -> None:
    assert command.is_magic or command.is_for_terminals
    assert (command.name in MAGICS) is command.is_magic
    assert (command.name in TERMINAL) is command.is_for_terminals
    targets = [option.target for option in command.options if option.where != "notebook"]
    targets += [command.word.parameter] if command.word is not None else []
    assert len(targets) == len(set(targets)), "two arguments would be one"


def test_both_front_ends_make_the_same_of_the_same_words() -> None:
    made = Command(
        "made",
        "do something",
        "%lango made",
        Word("things", "THING", "file", is_many=True),
        options=(
            Option("--how-many", "so many", "NUMBER", type=lambda text, _name: int(text)),
            Option("--odd", "a switch"),
            Option("--name", "may come again", "NAME", is_many=True),
            Option("--way", "one of two", choices=("left", "right"), metavar="WAY", parameter="direction"),
        ),
    )(dict)
    words = ["--how-many", "3", "--odd", "--name", "a", "--name", "b", "--way", "left", "x", "y"]
    MAGICS["made"] = made
    try:
        line = parse_line(" ".join(["made", *words])).arguments
    finally:
        del MAGICS["made"]
    asked = parse(made, words).arguments
    expected = {"how_many": 3, "odd": True, "name": ["a", "b"], "direction": "left", "things": ["x", "y"]}
    for arguments in (line, asked):
        assert {name: list(one) if isinstance(one, tuple) else one for name, one in arguments.items()} == expected
    with pytest.raises(LangoError, match="--way takes one of left, right, not 'letf'; did you mean 'left'"):
        parse(made, ["--way", "letf"])


def test_commands_are_listed_by_what_they_are_for_here_and_in_the_readme() -> None:
    overview = Overview(None)
    shown = [line.split("  ")[0] for line in overview.text.splitlines()]
    assert [word for word in shown if word in get_args(Group)] == list(get_args(Group)), "each once, in this order"
    assert set(overview.df["to"]) == set(get_args(Group))
    rows = dict(re.findall(r"^  \| ([a-z ]+) \| (.*) \|$", README.read_text(encoding="utf-8"), re.MULTILINE))
    for command in MAGICS.values():
        assert re.search(rf"`(%%lango )?{command.name}`", rows[command.group]), (command.name, command.group)


def test_examples_can_be_typed_as_they_stand() -> None:
    assert [one.name for one in COMMANDS.values() if "{" in one.example] == []
