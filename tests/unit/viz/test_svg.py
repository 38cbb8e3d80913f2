"""The drawing of a tree: texts fit their boxes, boxes do not touch, nothing but shapes and text."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET
from typing import NamedTuple

import pytest

from lango_nb.viz.document import Node
from lango_nb.viz.svg import text_width, tree_drawing, wrap_px
from tests.unit.viz import samples

NS = "{http://www.w3.org/2000/svg}"


class Box(NamedTuple):
    left: float
    top: float
    width: float
    height: float


def boxes(svg: str) -> tuple[Box, list[Box], list[tuple[float, float, str, float, bool]]]:
    root = ET.fromstring(svg)
    whole = Box(0, 0, float(root.attrib["width"]), float(root.attrib["height"]))
    cards = [
        Box(*(float(rect.attrib[key]) for key in ("x", "y", "width", "height"))) for rect in root.iter(f"{NS}rect")
    ]
    texts = [
        (
            float(t.attrib["x"]),
            float(t.attrib["y"]),
            t.text or "",
            float(t.attrib["font-size"]),
            "font-weight" in t.attrib,
        )
        for t in root.iter(f"{NS}text")
    ]
    return whole, cards, texts


CARDS = {
    "eight": [Node(f"agent-{n}", (f"{n} tools: fs {n}, exec {n}",), "#2f6fb5") for n in range(8)],
    "one": [Node("only", (), "#2f6fb5", is_dashed=True)],
    "marked": [
        Node("librarian", ("tools",), "#2f6fb5", marks=("own session", "user")),
        Node("W" * 64, (), "#2f6fb5", marks=("own session",)),
    ],
    "none": [],
    "hostile": [Node("W" * 64, (samples.HOSTILE * 3, "x" * 300), "#2f6fb5"), Node("", ("",), "#2f6fb5")],
    "many": [Node(f"agent-{n}", ("y" * n,), "#2f6fb5") for n in range(60)],
}


@pytest.mark.parametrize("name", CARDS)
def test_texts_fit_their_boxes_and_boxes_do_not_touch(name: str) -> None:
    drawing, width = tree_drawing(Node("r" * 64, ("owns no tool",), "#566472"), CARDS[name])
    whole, cards, texts = boxes(drawing)
    assert width == pytest.approx(whole.width, abs=0.01)
    assert len(cards) == 1 + len(CARDS[name])
    for card in cards:
        assert card.left >= 0
        assert card.top >= 0
        assert card.left + card.width <= whole.width + 0.01
        assert card.top + card.height <= whole.height
    stacked = cards[1:]
    assert all(a.top + a.height < b.top for a, b in itertools.pairwise(stacked))
    for x, y, said, size, bold in texts:
        card = next(c for c in cards if c.left <= x <= c.left + c.width and c.top <= y <= c.top + c.height)
        assert x + text_width(said, size, bold=bold) <= card.left + card.width + 0.01
        assert y - size >= card.top - 1
        assert y + size * 0.3 <= card.top + card.height


def test_a_drawing_fits_the_page_however_long_the_names() -> None:
    _, width = tree_drawing(Node("W" * 64, (), "#566472"), CARDS["hostile"])
    assert width <= 900


def test_a_drawing_holds_shapes_and_text_only() -> None:
    drawing, _ = tree_drawing(Node(samples.HOSTILE, (samples.HOSTILE,), "#566472"), CARDS["hostile"])
    tags = {element.tag.removeprefix(NS) for element in ET.fromstring(drawing).iter()}
    assert tags == {"svg", "rect", "path", "text"}
    assert "href" not in drawing


def test_lines_break_after_dashes_and_lose_nothing() -> None:
    name = "a-very-long-agent-name-that-uses-every-one-of-the-64-characters"
    lines = wrap_px(name, 200, 13, bold=True)
    assert "".join(lines) == name
    assert all(text_width(line, 13, bold=True) <= 200 for line in lines)
    assert all(line.endswith("-") for line in lines[:-1])


def test_a_word_without_a_place_to_break_is_broken_anyway() -> None:
    lines = wrap_px("W" * 64, 100, 13)
    assert "".join(lines) == "W" * 64
    assert len(lines) > 5


def test_dashes_are_drawn_where_asked() -> None:
    root = Node("root", (), "#566472")
    assert tree_drawing(root, CARDS["one"])[0].count("stroke-dasharray") == 1
    assert tree_drawing(root, CARDS["eight"])[0].count("stroke-dasharray") == 0
