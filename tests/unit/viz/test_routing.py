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


def test_the_terms_of_the_leading_ones_are_listed_and_everybody_is_named() -> None:
    text, source = viz.to_text(samples.route()), viz.to_html(samples.route())
    unwrapped = " ".join(text.split())
    for rank, candidate in enumerate(samples.route().candidates):
        assert candidate.agent in text
        assert candidate.agent in source
        told = [signal for signal in candidate.signals if signal.is_telling][:4]
        for signal in told if rank < 3 else ():
            assert f"{signal.term}{'' if signal.kind == 'structure' else '”'} {signal.weight:+.2f}" in unwrapped
        for signal in candidate.signals if rank < 3 else ():
            assert signal.term in source, "a page folds what is not shown"
        for veto in candidate.vetoes:
            assert veto in unwrapped
            assert veto in source


def test_what_a_person_would_not_name_is_folded_and_still_counted() -> None:
    words = [
        ("lines", 3.2),
        ("does", 1.4),
        ("many", 0.9),
        ("files", 0.8),
        ("text files", 0.6),
        ("notes", 0.5),
    ]
    family = [Signal("family", term, weight) for term, weight in [*words, ("… ?", 0.1)]]
    signals = (*family, Signal("other", "9 words", 1.2))
    route = Route("t", "operator", "r", (Candidate("operator", 8.7, signals, confidence=0.99),))
    text, source = " ".join(viz.to_text(route).split()), viz.to_html(route)
    assert (
        "word “lines” +3.20 · word “files” +0.80 · word “text files” +0.60 · word “notes” +0.50 · 4 more +3.60" in text
    )
    shown, folded = source.split("<details", 1)
    assert "“files”" in shown
    assert "“does”" not in shown
    assert all(term in folded for term in ("“does”", "“many”", "… ?", "9 words", "4 more +3.60"))


def test_candidates_without_a_signal_are_named_on_one_line() -> None:
    assert "nothing speaks for: chronicler 0 %, automator 0 %" in viz.to_text(samples.route())


def test_those_without_a_signal_are_grouped_by_why_they_are_out() -> None:
    out = [Candidate(name, 0.0, (), ("cannot do file operations",)) for name in ("a", "b")]
    route = Route("t", None, "r", (*out, Candidate("c", 0.0, (), ("x", "y")), Candidate("d", 0.0)))
    for made in (viz.to_text(route), re.sub(r"<[^>]+>", "", viz.to_html(route))):
        assert "nothing speaks for: d" in made
        assert "out, cannot do file operations: a, b" in made
        assert "out, x; y: c" in made


def test_bars_are_as_long_as_confidences() -> None:
    source = viz.to_html(samples.route())
    widths = [float(found) for found in re.findall(r"width:(\d+\.\d+)%;height:14px", source)]
    shown = [c.confidence for c in samples.route().candidates if c.signals]
    assert widths == [pytest.approx(100 * part, abs=0.001) for part in shown if part]
    assert sum(widths) <= 100.01


def test_the_threshold_is_where_its_confidence_is() -> None:
    source = viz.to_html(samples.route())
    marks = [float(mark) for mark in re.findall(r"left:([\d.]+)%;width:2px", source)]
    assert marks == [pytest.approx(70.0)] * 3
    assert "threshold of 70 %" in source


def test_a_route_of_an_earlier_version_is_drawn_from_its_scores() -> None:
    signals = (Signal("keyword", "x", 2.0), Signal("cannot", "y", -0.5))
    old = Route("t", "a", "r", (Candidate("a", 1.5, signals), Candidate("b", 0.75, signals[:1])), threshold=1.0)
    made = viz.to_html(old)
    assert [float(one) for one in re.findall(r"width:(\d+\.\d+)%;height:14px", made)] == [100.0, 50.0]
    assert "threshold" not in made
    assert " %" not in viz.to_text(old)


def test_those_that_hardly_count_are_named_with_their_part() -> None:
    some = (Signal("family", "x", 0.1),)
    names = [
        Candidate(name, 1.0, some, (), part) for name, part in zip("abcde", (0.9, 0.06, 0.02, 0.01, 0.001), strict=True)
    ]
    made = viz.to_text(Route("t", "a", "r", tuple(names), threshold=0.7))
    assert "hardly anything speaks for: d 1 %, e 0.1 %" in made


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
