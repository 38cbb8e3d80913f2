"""Whatever is typed after %lango: a parsed line or one clear error, and a text that is kept byte for byte."""

import json

from hypothesis import example, given
from hypothesis import strategies as st

from lango_nb.commands.notebook.completion import complete
from lango_nb.commands.notebook.line import Line, parse_line
from lango_nb.commands.notebook.names import fill_names
from lango_nb.commands.table import MAGICS
from lango_nb.core.errors import LangoError

ANYTHING = st.text() | st.text(alphabet="-{}[]()'\"\\ ;=%?\n\taskoutree", max_size=60)
OPTIONS = sorted({option.name for command in MAGICS.values() for option in command.all_options})
LINES = st.builds(
    " ".join,
    st.lists(
        st.sampled_from([*MAGICS, *OPTIONS, "--", ";", "x", "ask", "-1", "--no", "=", "allow"]) | ANYTHING, max_size=6
    ),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(["{name}", "{", "}", "{name.x}"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


class Nothing:
    def names(self, kind: str) -> tuple[str, ...]:
        return ("one", "--two", "")


def parsed(line: str, cell: str | None = None) -> Line | None:
    try:
        return parse_line(line, cell)
    except LangoError as error:
        assert "\n" not in str(error) or "\n" in line  # noqa: PT017 - the message is what the property is about
        assert len(str(error)) < 1000  # noqa: PT017 - the same
        return None


@given(LINES | ANYTHING)
def test_a_line_is_parsed_or_refused(line: str) -> None:
    found = parsed(line)
    if found is not None and found.command is not None and found.command.has_text:
        assert line.endswith(found.text)


@given(LINES | ANYTHING, ANYTHING)
def test_a_cell_is_parsed_or_refused_and_kept(line: str, cell: str) -> None:
    found = parsed(line, cell)
    if found is not None and not found.wants_help and found.command is not MAGICS["help"]:
        assert found.text == cell.removesuffix("\n")


@given(
    ANYTHING.filter(lambda text: text.strip() != ""),
    st.sampled_from(["ask", "route", "ask --approve deny", "ask --out x"]),
)
@example("-- --out x", "ask")
@example("--help", "ask")
def test_any_text_can_be_said_after_two_dashes(text: str, head: str) -> None:
    found = parse_line(f"{head} -- {text}")
    assert found.text == text.lstrip(" \t")


@given(ANYTHING)
def test_without_names_nothing_is_filled(text: str) -> None:
    assert fill_names(text, {}) == text


@given(ANYTHING, st.text(max_size=5))
def test_filling_never_fails(text: str, value: str) -> None:
    assert isinstance(fill_names(text, {"name": value, "a": [value], "x": {"k": value}}), str)


@given(st.dictionaries(st.text(), JSON, min_size=1), st.booleans())
def test_a_json_object_survives_and_what_stands_around_it_is_filled(data: dict[str, object], is_ascii: bool) -> None:
    text = json.dumps(data, ensure_ascii=is_ascii)
    names = {"name": "filled", "x": "filled"}
    assert fill_names(text, names) == text
    assert fill_names(f"{{name}} {text} {{x}}", names) == f"filled {text} filled"


@given(LINES | ANYTHING, st.sampled_from(["%lango ", "%%lango ", "x = %lango ", ""]))
def test_completion_never_fails_and_only_continues_what_is_there(line: str, head: str) -> None:
    found = complete(head + line, Nothing())
    if found is not None:
        assert line.endswith(found.fragment)
        assert all(candidate.startswith(found.fragment) for candidate in found.candidates)
