"""What cannot be understood is one line with a hint, and ends with 2."""

import pytest

from lango_nb import __version__
from lango_nb.commands.table import TERMINAL
from lango_nb.commands.terminal.parser import Asked, find_command, parse
from lango_nb.core.errors import LangoError


def read(words: list[str]) -> Asked:
    found = find_command(words)
    assert not isinstance(found, str), found
    return parse(*found)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rout", "x"], "command 'rout' not found in lango; did you mean 'route'?"),
        (["agent", "lst"], "command 'lst' not found in lango agent; did you mean 'list'?"),
        (
            ["xyz"],
            "command 'xyz' not found in lango; there is: lab, tree, agents, tools, partition, diff, prompt, route",
        ),
        (
            [],
            "lango needs a command: lab, tree, agents, tools, partition, diff, prompt, route, ask, eval, why, ",
        ),
        (["trace"], "lango trace needs a command: list, show, export; see lango trace --help"),
        (["run"], "the following arguments are required: ID; see lango run --help"),
        (["graph", "main", "--output", "mermiad"], "--output takes one of table, json, mermaid, not 'mermiad'"),
        (["settings", "--output", "mermaid"], "--output takes one of table, json, not 'mermaid'"),
        (["agent"], "lango agent needs a command: status, list, tools, hooks; see lango agent --help"),
        (["route"], "the following arguments are required: TEXT; see lango route --help"),
        (["route", "x", "--outptu", "json"], "lango route has no option '--outptu'; did you mean '--output'?"),
        (["route", "x", "--out=json"], "lango route has no option '--out'; did you mean '--output'?"),
        (["--verbose", "route", "x"], "lango route has no option '--verbose'; see lango route --help"),
        (["lab", "--output", "json"], "lango lab has no option '--output'; see lango lab --help"),
        (
            ["route", "x", "--output", "jsn"],
            "--output takes one of table, json, mermaid, not 'jsn'; did you mean 'json'?",
        ),
        (["ask", "x", "--approve", "maybe"], "--approve takes one of ask, allow, deny, hold, not 'maybe'"),
        (["ask", "x", "--model"], "argument --model: expected one argument; see lango ask --help"),
        (
            ["ask", "list", "--json", "files"],
            "lango ask does not take 'files'; put options before or after the text, not inside",
        ),
        (["trust", "--list", "--remove"], "--list and --remove exclude each other; keep one"),
        (["partition", "x" * 500], "lango partition does not take 'xxx"),
    ],
)
def test_what_cannot_be_understood_is_one_line_with_a_hint(words: list[str], message: str) -> None:
    with pytest.raises(LangoError) as caught:
        read(words)
    assert caught.value.exit_code == 2
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


def test_several_words_are_a_text() -> None:
    assert read(["ask", "list", "the", "files"]).arguments["text"] == "list the files"
    assert read(["ask", "--json", "what is", "in  it"]).arguments["text"] == "what is in  it"
    assert read(["note", "7", "worth", "a", "look"]).arguments["text"] == "worth a look"


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "a 'quoted' \"text\" {with} braces",
        "--output is what I mean",
        "C:\\temp\\new",
        "line\nline\n",
        "🦜",
        "-5",
        "%s %(default)s",
        "@file",
    ],
)
def test_the_text_is_taken_as_it_is(text: str) -> None:
    assert read(["route", text]).arguments == {"text": text}
    assert read(["ask", "--output", "json", "--", text]).arguments == {"text": text}


def test_a_text_that_begins_like_an_option_stands_after_two_dashes() -> None:
    assert read(["ask", "--", "--topology"]).arguments == {"text": "--topology"}


@pytest.mark.parametrize(
    "words",
    [
        ["ask", "x"],
        ["route", "x"],
        ["partition"],
        ["settings"],
        ["agent", "status"],
        ["trace", "list"],
        ["trace", "show", "1"],
        ["graph", "main"],
        ["metrics"],
        ["doctor"],
    ],
)
def test_common_options_stand_before_or_after_the_text(words: list[str]) -> None:
    options = ["--topology", "octet", "--model", "m", "--workspace", "w", "--approve", "deny", "--output", "json"]
    settings = ["--settings", "a=1", "--settings", "b=2"]
    asked = read([*words, *options, *settings])
    given = {"topology": "octet", "model": "m", "workspace": "w", "approve": "deny", "settings": ["a=1", "b=2"]}
    assert (asked.settings, asked.output) == (given, "json")


@pytest.mark.parametrize("name", TERMINAL)
def test_the_help_of_a_command_says_what_everything_it_takes_is_for(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from lango_nb.commands.terminal.main import main

    command = TERMINAL[name]
    assert main([*name.split(), "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    said = [command.help[1:], *(option.help for option in command.options if option.where != "notebook")]
    if command.word is not None:
        assert command.word.help, "in a terminal nothing else explains it"
        said += [command.word.metavar, command.word.help]
    assert [sentence for sentence in said if sentence not in shown] == []


def test_help_and_version_go_to_standard_output_and_end_well(capsys: pytest.CaptureFixture[str]) -> None:
    from lango_nb.commands.terminal.main import main

    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"lango {__version__}\n"
    assert main(["route", "--help"]) == 0
    assert "--topology NAME" in capsys.readouterr().out
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown for name in TERMINAL)
