"""Colours carry white text; agents keep theirs from view to view."""

from __future__ import annotations

import pytest

from lango_nb.specs.topologies import load_topology, topology_names
from lango_nb.viz import colours


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    r, g, b = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(first: str, second: str) -> float:
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


FILLED = {
    *colours.PALETTE,
    colours.ROOT,
    colours.GOOD,
    colours.BAD,
    colours.WARN,
    *colours.SIGNALS.values(),
    *(paint.fill for paint in colours.GROUPS.values() if paint.text == "#ffffff"),
    *colours.OUTCOMES.values(),
    *colours.SAFETIES.values(),
    *colours.RUNS.values(),
    *colours.STATES.values(),
}


@pytest.mark.parametrize("colour", sorted(FILLED))
def test_white_text_can_be_read_on_every_colour(colour: str) -> None:
    assert contrast(colour, "#ffffff") >= 4.5


@pytest.mark.parametrize("colour", sorted({*FILLED, colours.PERSON}))
def test_every_colour_stands_out_on_a_light_and_on_a_dark_page(colour: str) -> None:
    assert contrast(colour, "#ffffff") >= 2.5
    assert contrast(colour, "#111111") >= 2.5


def test_colours_of_the_palette_differ() -> None:
    assert len(set(colours.PALETTE)) == len(colours.PALETTE)


def test_what_happened_and_how_it_came_out_is_painted_in_no_colour_of_an_agent() -> None:
    fills = {paint.fill for paint in colours.GROUPS.values()}
    assert len(fills) == len(colours.GROUPS)
    assert not (fills | {colours.GOOD, colours.BAD, colours.WARN}) & {*colours.PALETTE, colours.ROOT, colours.PERSON}


@pytest.mark.parametrize("page", [1.0, 17 / 255])
def test_text_on_grey_can_be_read_on_a_light_and_on_a_dark_page(page: float) -> None:
    text = "#222222" if page == 1 else "#dddddd"
    for paint in colours.GROUPS.values():
        if paint.fill.startswith("rgba"):
            grey, share = (float(part) for part in paint.fill[5:-1].split(",")[2:])
            mixed = round(255 * (share * grey / 255 + (1 - share) * page))
            assert contrast(f"#{mixed:02x}{mixed:02x}{mixed:02x}", text) >= 4.5


@pytest.mark.parametrize("name", topology_names())
def test_agents_of_a_published_topology_have_the_same_colours_in_any_order(name: str) -> None:
    topology = load_topology(name)
    names = [topology.root, *(agent.name for agent in topology.agents)]
    made = colours.agent_colours(names, topology.root)
    assert made == colours.agent_colours(reversed(names), topology.root)
    assert len(set(made.values())) == len(names)


def test_no_agent_of_a_published_topology_gives_way_to_one_of_another() -> None:
    every = [topology.agents for topology in map(load_topology, topology_names()) if topology.ownership == "prefix"]
    names = {agent.name for agents in every for agent in agents}
    alone = {name: colours.agent_colours([name])[name] for name in names}
    for order in (sorted(names), sorted(names, reverse=True)):
        assert colours.agent_colours(order) == alone


def test_more_agents_than_colours_repeat_and_ten_never_share() -> None:
    names = [f"agent{number}" for number in range(30)]
    assert len(colours.agent_colours(names)) == 30
    assert len(set(colours.agent_colours(names[:10]).values())) == 10


def test_half_characters_have_a_colour_too() -> None:
    assert colours.agent_colours(["\ud800"])["\ud800"] in colours.PALETTE


def test_an_outcome_that_is_not_known_is_bad() -> None:
    assert colours.outcome_colour("success") == colours.GOOD
    assert colours.outcome_colour("anything else") == colours.BAD
