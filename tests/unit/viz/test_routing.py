"""A route: the verdict on top, bars made of terms, the threshold, who is out."""

from __future__ import annotations

import re

import pytest

from lango_nb import viz
from lango_nb.routing.route import Candidate, Route, Signal
from tests.unit.viz import samples


@pytest.mark.parametrize(
    ("route", "verdict"),
    [
        (samples.route(), "→ operator"),
        (samples.abstention(), "abstains"),
        (samples.small_talk(), "the root answers itself"),
    ],
)
def test_the_verdict_comes_first(route: Route, verdict: str) -> None:
    made = viz.to_text(route)
    assert made.split("\n")[2] == verdict
    assert route.reason in made
    source = viz.to_html(route)
    assert verdict in source
    assert source.index(verdict) < source.index("border-left" if route.candidates[0].signals else "nothing speaks")


def test_every_term_and_veto_is_listed() -> None:
    text, source = viz.to_text(samples.route()), viz.to_html(samples.route())
    for candidate in samples.route().candidates:
        assert candidate.agent in text
        assert candidate.agent in source
        for signal in candidate.signals:
            assert f"“{signal.term}” {signal.weight:+g}" in text
            assert signal.term in source
        for veto in candidate.vetoes:
            assert f"out: {veto}" in text
            assert f"out: {veto}" in source


def test_candidates_without_a_signal_are_named_on_one_line() -> None:
    assert "nothing speaks for: chronicler, automator" in viz.to_text(samples.route())


def test_those_without_a_signal_are_grouped_by_why_they_are_out() -> None:
    out = [Candidate(name, 0.0, (), ("cannot do file operations",)) for name in ("a", "b")]
    route = Route("t", None, "r", (*out, Candidate("c", 0.0, (), ("x", "y")), Candidate("d", 0.0)))
    for made in (viz.to_text(route), re.sub(r"<[^>]+>", "", viz.to_html(route))):
        assert "nothing speaks for: d" in made
        assert "out, cannot do file operations: a, b" in made
        assert "out, x; y: c" in made


def test_bars_are_as_long_as_their_weights_and_stay_inside() -> None:
    source = viz.to_html(samples.route())
    widths = [float(found) for found in re.findall(r"width:(\d+\.\d+)%;height:14px", source)]
    gains = [s.weight for c in samples.route().candidates for s in c.signals if s.weight > 0]
    assert widths == [pytest.approx(100 * gain / 5.1, abs=0.001) for gain in gains]
    assert sum(widths[:5]) <= 100.01


def test_the_threshold_is_where_its_score_is() -> None:
    source = viz.to_html(samples.route())
    marks = [float(mark) for mark in re.findall(r"left:([\d.]+)%;width:2px", source)]
    assert marks == [pytest.approx(100 / 5.1, abs=0.001)] * 4


def test_what_is_taken_off_lies_over_the_end_of_the_bar() -> None:
    source = viz.to_html(samples.route())
    left, width = map(float, re.findall(r"left:([\d.]+)%;width:([\d.]+)%;top:4px", source)[0])
    assert left == pytest.approx(100 * 0.6 / 5.1, abs=0.01)
    assert left + width == pytest.approx(100 * 1.4 / 5.1, abs=0.01)


def test_more_taken_off_than_there_was_stays_inside() -> None:
    signals = (Signal("keyword", "x", 0.5), Signal("cannot", "y", -9.0))
    made = viz.to_html(Route("t", None, "r", (Candidate("a", -8.5, signals),), threshold=1.0))
    left, width = map(float, re.findall(r"left:([\d.]+)%;width:([\d.]+)%;top:4px", made)[0])
    assert left == 0
    assert left + width <= 100
    assert "-8.50" in made


def test_nobody_to_choose_from_is_said() -> None:
    empty = Route("text", None, "no agent matches")
    assert "there is nobody to choose from" in viz.to_html(empty)
    assert "no agent matches" in viz.to_text(empty)


def test_a_request_that_fills_pages_is_folded() -> None:
    long = Route("word " * 5000, None, "too long")
    made = viz.to_html(long)
    assert "the whole request" in made
    assert len(viz.to_text(long).split("\n")) < 40


def test_lines_of_a_request_stay_lines() -> None:
    assert "one<br>two" in viz.to_html(Route("one\ntwo", None, "r"))


def test_mermaid_marks_the_chosen_one() -> None:
    made = viz.to_mermaid(samples.route())
    assert '  request ==>|"5.1"| c0["operator"]' in made
    assert '  request -.->|"1.1"| c5["vault"]' in made
