"""The drawing of a tree: everybody's card once, lines as they are meant, nothing that a theme could not be behind."""

from __future__ import annotations

import re

import pytest

from lango_nb.viz.cards import tree_drawing
from lango_nb.viz.document import Node
from tests.unit.viz import samples
from tests.unit.viz.test_views import read

ROOT = Node("root", ("owns no tool",), "#566472")
CARDS = {
    "eight": [Node(f"agent-{n}", (f"{n} tools: fs {n}, exec {n}",), "#2f6fb5") for n in range(8)],
    "one": [Node("only", (), "#2f6fb5", is_dashed=True)],
    "marked": [Node("librarian", ("tools",), "#2f6fb5", marks=("own session", "user")), Node("W" * 64, (), "#2f6fb5")],
    "none": [],
    "hostile": [Node(samples.HOSTILE, (samples.HOSTILE * 3, "x" * 300), "#2f6fb5"), Node("", ("",), "#2f6fb5")],
    "way": [
        Node("a", ("worked 2 times",), "#2f6fb5", edge="2 \N{RIGHTWARDS ARROW}"),
        Node("b", ("took no part",), "#0f766e", is_quiet=True),
    ],
}


@pytest.mark.parametrize("name", CARDS)
def test_everybody_has_a_card_with_its_words_once(name: str) -> None:
    words = read(tree_drawing(ROOT, CARDS[name])).words
    for node in (ROOT, *CARDS[name]):
        if node.name.isalnum():
            assert words.count(node.name) == 1
    assert sum("tools:" in word for word in words) == (8 if name == "eight" else 0)
    assert ("own session" in words) is (name == "marked")


@pytest.mark.parametrize("name", CARDS)
def test_cards_take_the_text_and_the_ground_of_the_page(name: str) -> None:
    made = tree_drawing(ROOT, CARDS[name])
    grounds = re.findall(r"background:([^;\"]+)", made)
    assert all(ground.startswith("rgba(127,127,127,") or ground == "#2f6fb5" for ground in grounds), grounds
    texts = re.findall(r"(?<![-\w])color:([^;\"]+)", made)
    assert set(texts) <= {"#ffffff"}
    assert len(texts) == (1 if name == "way" else 0), "white stands on the agent's colour only"


def test_dashes_are_drawn_where_asked() -> None:
    assert tree_drawing(ROOT, CARDS["one"]).count("px dashed") == 1
    assert tree_drawing(ROOT, CARDS["eight"]).count("px dashed") == 0


def test_a_way_that_was_taken_is_strong_and_in_the_colour_of_whom_it_leads_to() -> None:
    made = tree_drawing(ROOT, CARDS["way"])
    assert made.count("3px solid #2f6fb5") == 2
    assert "2 \N{RIGHTWARDS ARROW}" in made
    assert "solid #0f766e" not in made, "who took no part is grey"


def test_the_upright_line_joins_the_first_agent_and_the_last() -> None:
    made = tree_drawing(ROOT, CARDS["eight"])
    pieces = re.findall(r"left:0.000%;width:0.000%;top:(\w+%?);height:(\d+%)", made)
    assert pieces == [("50%", "50%"), *[("0", "100%")] * 6, ("0", "50%")]
    assert "left:0.000%" not in tree_drawing(ROOT, CARDS["one"]), "one agent stands where the root does"
