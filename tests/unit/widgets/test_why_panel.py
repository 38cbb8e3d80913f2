"""Why a turn went where it went: a hand-over to click, each word in the colour of whom it speaks for."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from pathlib import Path

import ipywidgets
import pytest

from lango_nb import Lab
from lango_nb.core.errors import UsageError
from lango_nb.viz import document as doc
from lango_nb.viz.colours import agent_colours
from lango_nb.viz.routing import compared_blocks
from lango_nb.widgets.why import WhyPanel
from tests.unit.viz import samples
from tests.unit.widgets.test_as_live import of_kind


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    (tmp_path / "notes.md").write_text("one\ntwo\n")
    return Lab("octet", workspace=tmp_path)


def shown(panel: WhyPanel) -> str:
    return unescape("".join(page.value for page in of_kind(panel.widget, ipywidgets.HTML)))


def test_each_word_is_in_the_colour_of_whom_it_speaks_for() -> None:
    paragraph, legend = compared_blocks(samples.route())
    assert isinstance(paragraph, doc.Paragraph)
    assert isinstance(legend, doc.Legend)
    assert isinstance(paragraph.inner, tuple)
    colours = agent_colours(one.agent for one in samples.route().candidates)
    tinted = {one.text: one.colour for one in paragraph.inner if isinstance(one, doc.Tinted)}
    assert tinted["lines"] == colours["operator"]
    assert tinted["notes"] == colours["librarian"]
    assert [words for words, _ in legend.entries] == ["speaks for operator", "speaks for librarian"]
    said = "".join(
        one if isinstance(one, str) else one.text for one in paragraph.inner if isinstance(one, str | doc.Tinted)
    )
    assert said == samples.route().text


def test_without_two_candidates_the_request_stands_as_it_is() -> None:
    assert compared_blocks(samples.small_talk()) == (doc.Quote("hello"),)


def test_a_hand_over_is_chosen_and_both_reasons_stand_beside_each_other(lab: Lab) -> None:
    lab.ask("count the lines of notes.md, then hash notes.md with sha256")
    panel = lab.why_panel()
    decisions = lab.trace().record.decisions
    (choice,) = of_kind(panel.widget, ipywidgets.Select)
    assert len(choice.options) == len(decisions) >= 2
    choice.value = choice.options[1]
    assert panel.selected == decisions[1]
    assert panel.route == decisions[1].route
    assert decisions[1].reason in shown(panel)
    assert decisions[1].route.reason in shown(panel)


def test_a_turn_that_was_not_handed_over_shows_what_the_router_says(lab: Lab) -> None:
    with pytest.raises(UsageError, match="no turn yet"):
        lab.why_panel()
    lab.ask("hello")
    panel = lab.why_panel()
    assert panel.selected is None
    assert "The root answered itself" in shown(panel)
    assert "the root answers itself" in str(panel._repr_mimebundle_(["text/plain"])["text/plain"])


def test_the_tab_is_about_the_latest_turn(lab: Lab) -> None:
    dashboard = lab.dashboard("why")
    assert "no turn yet" in dashboard._repr_mimebundle_(["text/plain"])["text/plain"]  # type: ignore[operator]
    for text in ("how many lines does notes.md have?", "hello"):
        lab.ask(text)
        dashboard.act("tab", "tree")
        dashboard.act("tab", "why")
        panel = dashboard["why"]
        assert isinstance(panel, WhyPanel)
        assert panel.route.text == text


def test_a_long_request_is_compared_as_far_as_it_is_shown() -> None:
    route = replace(samples.route(), text="lines " * 5000)
    paragraph, _ = compared_blocks(route)
    assert isinstance(paragraph, doc.Paragraph)
    assert isinstance(paragraph.inner, tuple)
    assert paragraph.inner[-1] == "…"
    assert len(paragraph.inner) < 2000
