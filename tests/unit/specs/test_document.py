"""YAML with lines: what is read, where it stands, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from lango_nb.core.errors import DefinitionError
from lango_nb.core.frozen import Frozen
from lango_nb.core.text import printable
from lango_nb.specs.document import describe, read_text
from lango_nb.specs.yaml_text import read_document


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
