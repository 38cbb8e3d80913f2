"""YAML with lines: what is read, where it stands, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from lango_nb.core.errors import DefinitionError
from lango_nb.core.frozen import Frozen
from lango_nb.core.text import printable
from lango_nb.specs.agent_md import findings, parse_agent_md, render_agent_md
from lango_nb.specs.document import describe, read_text
from lango_nb.specs.simple_yaml import NotSimpleError, read_definition, read_simple
from lango_nb.specs.yaml_text import read_document, write_mapping
from tests.expected import same_as_expected


class Room(Frozen):
    name: str
    size_m2: float = 0.0


class House(Frozen):
    name: str
    rooms: tuple[Room, ...] = ()
    owner: str | None = None


def test_plain_words_are_read_as_yaml_1_2() -> None:
    words = {
        "true": True,
        "False": False,
        "~": None,
        "": None,
        "12": 12,
        "-3": -3,
        "007": 7,
        "1.5": 1.5,
        "1e3": 1000.0,
        ".5": 0.5,
        "-.inf": -math.inf,
        "yes": "yes",
        "off": "off",
        "2026-01-01": "2026-01-01",
        "12:30": "12:30",
        "0x1f": "0x1f",
        "1_000": "1_000",
        "<<": "<<",
        "=": "=",
        "1.2.3": "1.2.3",
        "'12'": "12",
        '""': "",
        "!!str 12": "12",
    }
    text = "".join(f"k{number}: {word}\n" for number, word in enumerate(words))
    values = list(read_document(text, "f").values.values())
    assert list(map(repr, values)) == list(map(repr, words.values()))


def test_not_a_number_is_a_number() -> None:
    value = read_document("a: .nan", "f").values["a"]
    assert isinstance(value, float)
    assert math.isnan(value)


def test_every_key_and_item_has_its_line() -> None:
    document = read_document("a: 1\n\n# note\nb:\n- x\n- c: 2\n  d: |\n    long\n    text\ne: 3\n", "f", first_line=10)
    assert document.lines == {
        ("a",): 10,
        ("b",): 13,
        ("b", 0): 14,
        ("b", 1): 15,
        ("b", 1, "c"): 15,
        ("b", 1, "d"): 16,
        ("e",): 19,
    }
    assert document.line_of(("b", 1, "missing")) == 15
    assert document.line_of(()) == 10


def test_a_text_of_comments_is_an_empty_document() -> None:
    assert read_document("# nothing\n", "f").values == {}
    assert read_document("", "f").values == {}


def test_a_model_comes_out_with_tuples_and_nested_models() -> None:
    document = read_document("name: home\nowner:\nrooms:\n- {name: hall, size_m2: 12}\n", "f")
    assert document.check(House, document.values) == House(name="home", rooms=(Room(name="hall", size_m2=12.0),))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: home\nrooms:\n- nmae: hall\n", "f:3: rooms, item 1, name: is missing; add it (and 1 more like this)"),
        (
            "name: home\nrooms:\n- name: a\n  sise_m2: 1\n",
            "f:4: rooms, item 1, sise_m2: is no key of this file; did you mean 'size_m2'?",
        ),
        ("name: home\nroms: []\n", "f:2: roms: is no key of this file; did you mean 'rooms'?"),
        ("name: home\nowner: [me]\n", "f:2: owner: has to be text, not a list"),
        (
            "name: home\nrooms: [hall]\n",
            'f:2: rooms, item 1: has to be a mapping, not "hall"; write its keys indented, one per line',
        ),
        (
            "name: home\nrooms: [{name: a, size_m2: big}]\n",
            'f:2: rooms, item 1, size_m2: has to be a number, not "big"',
        ),
        ("rooms: []\n", "f:1: name: is missing; add it"),
    ],
)
def test_what_does_not_fit_a_model_is_named(text: str, message: str) -> None:
    document = read_document(text, "f")
    with pytest.raises(DefinitionError) as caught:
        document.check(House, document.values)
    assert str(caught.value) == message


def test_a_strange_key_does_not_break_the_line() -> None:
    with pytest.raises(DefinitionError) as caught:
        read_document('"a\\nb":\n  - *x\n', "f")
    assert str(caught.value) == "f:2: a\\nb, item 1: the alias *x is not read here; write the value out"


def test_places_are_named_for_readers() -> None:
    assert describe(("a", "b", 2, "c", 0)) == "a.b, item 3, c, item 1"
    assert printable("é 日本") == "é 日本"


def test_a_path_that_is_none_is_refused() -> None:
    with pytest.raises(DefinitionError, match=r"^f: cannot be read \(embedded null byte\)"):
        read_text(Path("a\0b"), "f")


TEXTS = sorted((Path(__file__).parents[2] / "data" / "agents").rglob("AGENT.md"))
SNIPPETS = (
    "",
    "a",
    "a:",
    "a: 1",
    "a:1",
    "a : 1",
    "a: 1\nb: 2",
    "a: 1\na: 2",
    "a:\n  b: 1\n  c: [1, 2]",
    "a:\n- 1\n- 2",
    "- 1",
    "a: [1, 'x', \"y\", {b: c}]",
    "a: {b: 1, b: 2}",
    "a: |\n  one\n  two\n",
    "a: >-\n  one\n  two\n\n  three\n",
    "a: |+\n  x\n\n",
    "a: 'it''s'",
    'a: "tab\\t \\u00e9"',
    "a: 'open",
    'a: "open',
    "a: [1, 2",
    "a: {b: 1",
    "a: b: c",
    "a: @x",
    "a: `x`",
    "a: %x",
    "a: &x 1\nb: *x",
    "a: *x",
    "a: !t 1",
    "a: !!int 1",
    "? a\n: 1",
    "[a]: 1",
    "1: a",
    "true: a",
    "null: a",
    "a: # c",
    "a: x # c",
    "a: x#c",
    "# c\na: 1",
    "\ta: 1",
    "a:\n\tb: 1",
    "a:\n  b: 1\n c: 2",
    " a: 1",
    "a: 1\n b: 2",
    "---\na: 1",
    "a: 1\n---\nb: 2",
    "a: 1\n...\n",
    "%YAML 1.2\n---\na: 1",
    "a: \x00",
    "a: \x1b[31m",
    "a: \u202e",
    "a: é",
    "a: 1\r\nb: 2\r\n",
    "a: ~\nb: null\nc: Null",
    "a: 0x10\nb: 0o7\nc: 1e3\nd: .inf\ne: -.5\nf: 1_000\ng: 12345678901234567890123",
    "a: yes\nb: On\nc: TRUE\nd: False",
    "a: 2026-01-01\nb: 12:30",
    "a: '1'\nb: \"true\"",
    "a:\n  - b: 1\n    c: 2\n  - d",
    "a:\n  -\n    b: 1",
    "a: []\nb: {}",
    "a: [\n1,\n2]",
    "a: x\n  y\n  z",
    "a: 'x\n  y'",
    "name: n\nsize_m2: big",
    "name: [n]",
    "rooms: [{name: r, size_m2: x}]",
    "name: n\nroms: []",
    "name: n\nrooms:\n- name: r\n  siz_m2: 1",
    "name: n\nowner: 7",
    "name: n\nrooms: {a: 1}",
    "name: ''",
    "rooms: [1]",
    "{name: n}",
)
"""Definitions that are read, and such that are not."""


def outcome(read: Callable[[], object]) -> str:
    """Return what is read, or what is said against it."""
    try:
        return f"→ {read()!r}"
    except DefinitionError as error:
        return f"{error}"
    except NotSimpleError:
        return "not simple"


def test_every_snippet_is_read_as_expected() -> None:
    rows = []
    for text in SNIPPETS:
        rows += [
            f"━━━ {text!r}",
            f"simple      {outcome(lambda: read_simple(text))}",  # noqa: B023 - called at once
            f"yaml        {outcome(lambda: read_document(text, 'f').values)}",  # noqa: B023
            f"definition  {outcome(lambda: read_definition(text, 'f', noun='house', first_line=3).values)}",  # noqa: B023
        ]
        try:
            document = read_document(text, "f")
        except DefinitionError:
            continue
        values = document.values
        rows += [
            f"checked     {outcome(lambda: document.check(House, values))}",  # noqa: B023
            f"lines       { ({describe((name,)): document.line_of((name,)) for name in values})!r}",
            f"written     {outcome(lambda: write_mapping(values))}",  # noqa: B023
        ]
    same_as_expected("definitions/snippets.txt", "\n".join(rows))


def test_every_agent_of_the_samples_is_read_as_expected() -> None:
    rows = []
    for path in TEXTS:
        name = path.parent.relative_to(path.parents[2]).as_posix()
        text = path.read_text(encoding="utf-8")
        found = outcome(lambda: parse_agent_md(text, name))  # noqa: B023 - called at once
        rows.append(f"━━━ {name}\n{found}")
        if found.startswith("→"):
            spec = parse_agent_md(text, name)
            rows += [*findings(spec), render_agent_md(spec)]
    same_as_expected("definitions/agents.txt", "\n".join(rows))
