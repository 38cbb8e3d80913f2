"""What was typed after %lango: options first, then the text byte for byte; every mistake is one clear line."""

import pytest

from lango_nb.commands.notebook.line import parse_line
from lango_nb.commands.table import MAGICS
from lango_nb.core.errors import LangoError, UnknownNameError, UsageError

TEXTS = [
    "hello",
    "say \"hi\" and 'bye'",
    '{"a": 1, "b": [true, null]}',
    "explain --flags and --out in words",
    r"list C:\Users\me\new folder\table.csv",
    "an emoji 🎉 and 漢字 and عربى",
    "a;",
    "why?",
    "$HOME `date` !ls %magic # comment",
    "trailing blanks  ",
    "tab\tinside",
    "unbalanced \" ' ( [ {",
    "line one\nline two\n",
    "-1 is negative",
    "\N{NO-BREAK SPACE}begins with a blank that is not a separator",
    "\\",
    "\x00\x1b[0m",
]


class TestText:
    @pytest.mark.parametrize("text", TEXTS)
    @pytest.mark.parametrize(
        "head", ["ask ", "ask   ", "route ", "ask --approve deny ", "ask --out x --approve=ask ", "ask -- "]
    )
    def test_is_taken_byte_for_byte(self, head: str, text: str) -> None:
        assert parse_line(head + text).text == text

    @pytest.mark.parametrize("text", ["--flags first", "--", "-- twice", "--out"])
    def test_that_begins_with_dashes_goes_after_two_dashes(self, text: str) -> None:
        line = parse_line(f"ask --approve allow -- {text}")
        assert (line.text, dict(line.options)) == (text, {"--approve": "allow"})

    @pytest.mark.parametrize("text", TEXTS)
    def test_in_a_cell_is_taken_byte_for_byte_but_for_ipythons_last_line_break(self, text: str) -> None:
        line = parse_line("ask --approve deny", text + "\n")
        assert (line.text, dict(line.options)) == (text, {"--approve": "deny"})

    def test_of_a_megabyte_is_kept(self) -> None:
        text = "x{ \\\"' " * 150_000
        assert parse_line("ask " + text).text == text

    @pytest.mark.parametrize("line", ["ask", "ask   ", "route --json", "ask --", "ask;"])
    def test_that_is_missing_is_an_error_with_an_example(self, line: str) -> None:
        with pytest.raises(UsageError, match=r"nothing to (ask|route): write the text after it, as in '%lango"):
            parse_line(line)


class TestWords:
    def test_options_and_words_come_in_any_order(self) -> None:
        for line in (
            "prompt librarian --text --out p",
            "prompt --text --out p librarian",
            "prompt --out=p librarian --text",
        ):
            parsed = parse_line(line)
            assert (parsed.command, parsed.arguments) == (MAGICS["prompt"], {"agent": "librarian"})
            assert (parsed.out, parsed.chosen("format")) == ("p", "text")

    @pytest.mark.parametrize("line", ["tree;", "tree ;", "tree --text ;", "tree --text;", "turns;"])
    def test_a_semicolon_at_the_end_asks_for_quiet(self, line: str) -> None:
        assert parse_line(line).is_quiet
        assert not parse_line(line.replace(";", "")).is_quiet

    def test_a_negative_turn_is_a_word(self) -> None:
        assert parse_line("trace -2 --timing").words == ("-2",)

    def test_two_dashes_end_the_options(self) -> None:
        assert parse_line("tools -- --odd name").words == ("--odd", "name")

    def test_many_words_where_the_command_takes_many(self) -> None:
        assert parse_line("tools read a file").words == ("read", "a", "file")

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("tree extra", "tree takes no argument, 'extra' is too much; see %lango help tree"),
            ("prompt a b", "prompt takes one AGENT, 'b' is too much; see %lango help prompt"),
            ("diff", "diff needs OTHER, as in '%lango diff quartet'"),
        ],
    )
    def test_too_many_or_too_few(self, line: str, message: str) -> None:
        with pytest.raises(UsageError) as caught:
            parse_line(line)
        assert str(caught.value) == message


class TestNothing:
    @pytest.mark.parametrize("line", ["", "   ", ";", "\t"])
    def test_a_bare_line_has_no_command(self, line: str) -> None:
        assert parse_line(line).command is None

    @pytest.mark.parametrize("line", ["--help", "help", "help ask"])
    def test_help_is_a_command(self, line: str) -> None:
        assert parse_line(line).command is MAGICS["help"]

    @pytest.mark.parametrize("name", MAGICS)
    def test_every_command_takes_help_whatever_else_it_would_need(self, name: str) -> None:
        assert parse_line(f"{name} --help").wants_help
        assert parse_line(f"{name} --help", "a cell\n").wants_help


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("aks hello", "command 'aks' not found in %lango; did you mean 'ask'?"),
        ("tree --mermiad", "option '--mermiad' not found in %lango tree; did you mean '--mermaid'?"),
        (
            "ask --aprove allow hi",
            (
                "option '--aprove' not found in %lango ask; did you mean '--approve'? "
                "(a text that begins with dashes goes after --)"
            ),
        ),
        ("ask --approve alow hi", "--approve takes one of ask, allow, deny, hold, not 'alow'; did you mean 'allow'?"),
        ("ask --approve", "--approve needs a value: ask or allow or deny or hold"),
        ("ask --approve= hi", "--approve needs a value: ask or allow or deny or hold"),
        ("ask --approve ask --approve deny hi", "--approve is given twice; keep one"),
        ("tree --out", "--out needs a value: NAME"),
        ("tree --out 1x", "--out needs the name of a variable, not '1x'"),
        ("tree --out a.b", "--out needs the name of a variable, not 'a.b'"),
        ("tree --out class", "--out needs the name of a variable, not 'class'"),
        ("tree --text --json", "--text and --json exclude each other; keep one"),
        ("tree --text --text", "--text is given twice; keep one"),
        ("tree --text=yes", "--text is a switch and takes no value"),
        ("agent x", "agent reads a cell: begin it with %%lango agent"),
        ("tool", "tool reads a cell: begin it with %%lango tool"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_to_do(line: str, message: str) -> None:
    with pytest.raises(LangoError) as caught:
        parse_line(line)
    assert str(caught.value) == message
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("line", "cell", "message"),
    [
        ("", "x\n", "%%lango needs a command that reads a cell: route, ask, sql, agent, tool"),
        (";", "x\n", "%%lango needs a command that reads a cell: route, ask, sql, agent, tool"),
        ("tree", "x\n", "tree reads no cell: write %lango tree, with one %"),
        ("ask first words", "x\n", "the text is the cell: move 'first words' below the first line"),
        ("ask", "  \n\n", "the cell is empty: write below %%lango ask what it should read"),
        ("agent a b", "x\n", "agent takes one NAME, 'b' is too much; see %lango help agent"),
    ],
)
def test_a_cell_where_it_does_not_fit(line: str, cell: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_line(line, cell)
    assert str(caught.value) == message


def test_a_very_long_command_makes_a_short_message() -> None:
    with pytest.raises(UnknownNameError) as caught:
        parse_line("x" * 1_000_000)
    assert len(str(caught.value)) < 400
