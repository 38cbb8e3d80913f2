"""{name} in a text: filled when it exists, never inside braces, and nothing is executed."""

import json
from types import SimpleNamespace

import pytest

from lango_nb.commands.notebook.names import fill_names
from lango_nb.core.errors import UsageError
from tests.calls import assert_linear

NAMES = {
    "name": "Ada",
    "n": 3,
    "rows": ["first", {"key": "deep", "a b": "blank"}],
    "box": SimpleNamespace(path="notes.md", inner=SimpleNamespace(rows=[10, 20]), _secret="no"),
    "straße": "umlaut",
    "empty": "",
    "braces": "{n}",
}


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("hi {name}", "hi Ada"),
        ("{name}{n}{name}", "Ada3Ada"),
        ("{rows[0]} {rows[-2]} {rows[1]['key']} {rows[1][\"a b\"]}", "first first deep blank"),
        ("{box.path} {box.inner.rows[1]}", "notes.md 20"),
        ("{straße}", "umlaut"),
        ("<{empty}>", "<>"),
        ("{braces}", "{n}"),  # what is filled in is not looked at again
        ("{ unbalanced {name}", "{ unbalanced Ada"),
        ("{name} } {n}", "Ada } 3"),
    ],
)
def test_what_exists_is_filled(text: str, filled: str) -> None:
    assert fill_names(text, NAMES) == filled


@pytest.mark.parametrize(
    "text",
    [
        "no braces",
        "{unknown} {unknown.attr}",
        "{}",
        "{ name }",
        "{name!r} {name:>10} {n + 1} {name.upper()} {rows[n]} {rows[key]}",
        "{box.missing} {rows[99]} {rows['key']} {n[0]}",
        "{box._secret} {name.__class__}",
        '{"who": {name}, "deep": {"n": {n}}}',
        "{{name}}",
        "function f() { return {name}; }",
        '{"a": "{name}"}',
        "{rows[0}",
        "{name",
    ],
)
def test_everything_else_stays_as_it_was_typed(text: str) -> None:
    assert fill_names(text, NAMES) is text or fill_names(text, NAMES) == text


def test_json_objects_of_any_depth_stay_and_the_text_around_them_is_filled() -> None:
    data = json.dumps({"name": "{name}", "list": [{"n": "{n}"}]})
    assert fill_names(f"send {data} to {{name}}", NAMES) == f"send {data} to Ada"


def test_a_value_that_fails_to_show_itself_is_one_clear_line() -> None:
    class Broken:
        def __str__(self) -> str:
            raise ValueError("no text for you")

        @property
        def bad(self) -> str:
            raise OSError("gone")

    with pytest.raises(UsageError, match=r"\{broken\} cannot be filled in: ValueError: no text for you"):
        fill_names("{broken}", {"broken": Broken()})
    with pytest.raises(UsageError, match=r"\{broken.bad\} cannot be filled in: OSError: gone"):
        fill_names("{broken.bad}", {"broken": Broken()})


@pytest.mark.parametrize(
    "text", ['{"a": "}", "b": "{name}"}', '{"a": "{", "b": ["{name}"]}', '{"line\nbreak": "{name}"}']
)
def test_braces_in_the_strings_of_a_json_object_do_not_end_it(text: str) -> None:
    assert fill_names(text, NAMES) == text
    assert fill_names(f"{text} {{name}} {text}", NAMES) == f"{text} Ada {text}"


@pytest.mark.parametrize(
    ("begin", "piece", "end"),
    [
        ("", "{", ""),
        ("", "}", ""),
        ("", "{}", ""),
        ("", "{", "}"),
        ("", '{"a":', ""),
        ("", '{"', ""),
        ("", '{"a": 1 ', ""),
        ('{"a":[', "1,", ""),
    ],
)
def test_braces_take_time_that_grows_with_their_length_only(begin: str, piece: str, end: str) -> None:
    def fill(middle: str) -> None:
        text = begin + middle + end * len(middle)
        assert fill_names(text, NAMES) == text

    assert_linear(fill, piece, length=200_000)
