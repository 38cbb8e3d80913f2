"""What is read without PyYAML is what PyYAML reads, or is left to it."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from lango_nb.core.errors import DefinitionError
from lango_nb.specs.simple_yaml import NotSimpleError, read_simple
from lango_nb.specs.yaml_text import read_document

PIECES = (
    *(
        "name",
        "a_b",
        "- ",
        ": ",
        ":",
        " ",
        "  ",
        "    ",
        "\n",
        "\n",
        "\n  ",
        "\n- ",
        "#",
        " #",
        ">-",
        "|-",
        "[",
        "]",
        ", ",
    ),
    *(
        "'",
        '"',
        "0",
        "12",
        "007",
        "1.5",
        "true",
        "no",
        "null",
        "True",
        "~",
        "x",
        "two words",
        "&a",
        "*a",
        "!t",
        "---",
        "\t",
    ),
)
LINES = (
    "name: x",
    "kind: [a, b]",
    "- item",
    "  - item",
    "  deeper: 1",
    "text: >-",
    "  folded",
    "  lines",
    "",
    "- id: x",
    "  of: y",
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
FILES = st.lists(st.one_of(st.sampled_from(LINES), TEXTS), max_size=9).map("\n".join)


@given(FILES)
@example("\t")
@example("a: >-\n\n  b\n")
@example("a: |-\n\n  b\n")
@example("a: - b\n")
@example("a: b\n  c\n")
@example("a: >-\n  b\n\nc: d\n")
@example("a: [b, [c], d]\n")
@example("a: |-\n  b\n    c\n\n  d\n\n\n")
def test_both_readers_agree_wherever_the_simple_one_reads(text: str) -> None:
    try:
        found = read_simple(text)
    except NotSimpleError:
        return
    try:
        meant = read_document(text, "file").values
    except DefinitionError as error:
        raise AssertionError(f"{text!r} is read as {found!r}, and PyYAML refuses it") from error
    assert repr(found) == repr(meant)
