"""Shares, intervals and matrices: known values, and what holds for any answers."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lango_nb.evaluation import measures
from lango_nb.evaluation.answers import VERDICTS, Answer, Judged
from lango_nb.evaluation.measures import Share, wilson
from lango_nb.evaluation.results import Result
from tests.unit.evaluation.making import judged, sent, unsure

AGENTS = ("vault", "operator", "planner")


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    [  # R. G. Newcombe, 1998, table I, method 3; and the ends
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
    ],
)
def test_wilson_gives_the_known_values(count: int, of: int, low: float, high: float) -> None:
    assert wilson(count, of) == pytest.approx((low, high), abs=6e-5)


def test_nothing_counted_says_nothing() -> None:
    share = Share(0, 0)
    assert (share.value, share.low, share.high) == (None, 0.0, 1.0)


@given(st.integers(1, 2000).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_an_interval_holds_its_share_and_mirrors_the_rest(pair: tuple[int, int]) -> None:
    count, of = pair
    low, high = wilson(count, of)
    assert 0 <= low <= count / of <= high <= 1
    assert low < high
    rest_low, rest_high = wilson(of - count, of)
    assert (low, high) == pytest.approx((1 - rest_high, 1 - rest_low), abs=1e-12)


@given(st.integers(1, 400), st.floats(0, 1))
def test_more_requests_make_an_interval_narrower(of: int, share: float) -> None:
    count = round(share * of)
    low, high = wilson(count, of)
    more_low, more_high = wilson(4 * count, 4 * of)
    assert more_high - more_low < high - low


names = st.sampled_from((*AGENTS, "root"))
confidences = st.floats(0, 1)
answers = st.one_of(
    st.builds(sent, names, confidences),
    st.builds(unsure, names, confidences),
    st.just(Answer("invalid", "vualt")),
    st.just(Answer("error")),
)
requests = st.lists(
    st.builds(judged, st.one_of(names, st.just("")), answers, st.integers(1, 99), st.sampled_from(("", "en", "de"))),
    max_size=40,
)


@given(requests)
def test_every_request_has_one_verdict(found: list[Judged]) -> None:
    shares = [measures.share_of(found, verdict) for verdict in VERDICTS]
    assert sum(share.count for share in shares) == len(found)
    assert measures.share_of(found, *VERDICTS).count == len(found)


@given(requests)
def test_the_matrix_and_the_agents_agree_with_the_answers(found: list[Judged]) -> None:
    result = Result("octet", AGENTS, tuple(found))
    cells = result.confusion
    assert sum(cell.count for cell in cells) == len(found)
    assert sum(cell.count for cell in cells if cell.is_right) == result.accuracy.count
    assert len({(cell.right, cell.got) for cell in cells}) == len(cells)
    for one in result.by_agent:
        assert one.support == sum(cell.count for cell in cells if cell.right == one.agent)
        assert one.chosen == sum(cell.count for cell in cells if cell.got == one.agent)
        assert one.right == sum(cell.count for cell in cells if cell.right == cell.got == one.agent)
        for value in (one.precision, one.recall, one.f1):
            assert value is None or 0 <= value <= 1
        if one.precision and one.recall and one.f1 is not None:
            assert one.f1 == pytest.approx(2 * one.precision * one.recall / (one.precision + one.recall))
            assert min(one.precision, one.recall) <= one.f1 + 1e-12
            assert one.f1 <= max(one.precision, one.recall) + 1e-12


@given(requests)
def test_a_higher_threshold_answers_less_and_is_wrong_less(found: list[Judged]) -> None:
    points = measures.curve(found)
    known = [one for one in found if one.answer.confidence is not None]
    assert bool(points) == bool(known)
    if not points:
        return
    assert (points[0].threshold, points[-1].threshold) == (0.0, 1.0)
    assert points[0].answered == Share(len(known), len(found))
    for lower, higher in pairwise(points):
        assert higher.answered.count <= lower.answered.count
        assert higher.wrong_agent.count <= lower.wrong_agent.count
        assert higher.accuracy.of == higher.answered.count
    for point in points:
        assert point.accuracy.count + point.wrong_agent.count <= point.answered.count


@given(requests)
def test_every_confidence_is_in_one_bin(found: list[Judged]) -> None:
    bins = measures.calibration(found)
    known = [one.answer.confidence for one in found if one.answer.confidence is not None]
    assert sum(one.right.of for one in bins) == len(known)
    assert math.fsum(one.confidence * one.right.of for one in bins) == pytest.approx(math.fsum(known))
    for one in bins:
        assert one.low - 1e-12 <= one.confidence <= one.high + 1e-12
        assert one.right.of > 0


@given(requests)
def test_groups_split_the_requests_that_have_one(found: list[Judged]) -> None:
    groups = measures.by_group(found, lambda one: one.language)
    assert sum(one.accuracy.of for one in groups) == sum(bool(one.language) for one in found)
    sizes = [one.accuracy.of for one in groups]
    assert sizes == sorted(sizes, reverse=True)


def test_confidence_is_compared_with_how_often_it_is_right() -> None:
    sure = [judged("vault", sent("vault" if number < 3 else "planner", 0.95), number) for number in range(4)]
    doubtful = [judged("vault", unsure("vault", 0.55))]
    low, high = measures.calibration([*sure, *doubtful])
    assert (low.low, low.high, low.right) == (0.5, 0.6, Share(1, 1))
    assert (high.low, high.high, high.right) == (0.9, 1.0, Share(3, 4))
    assert high.confidence == pytest.approx(0.95)


def test_the_curve_says_what_a_threshold_would_have_meant() -> None:
    found = [
        judged("vault", sent("vault", 0.9)),
        judged("vault", sent("planner", 0.8)),
        judged("vault", sent("root", 0.7)),
        judged("vault", unsure("vault", 0.4)),
    ]
    points = {point.threshold: point for point in measures.curve(found)}
    assert (points[0.0].answered, points[0.0].accuracy) == (Share(4, 4), Share(2, 4))
    assert points[0.0].wrong_agent == Share(1, 4)  # what the root keeps is no wrong agent
    assert (points[0.5].answered, points[0.5].accuracy) == (Share(3, 4), Share(1, 3))
    assert (points[0.85].answered, points[0.85].wrong_agent) == (Share(1, 4), Share(0, 4))


def test_usage_adds_what_is_known() -> None:
    found = [
        Answer("root", calls=1, input_tokens=10, output_tokens=2, cost_usd=0.1, time_ms=5.0),
        Answer("root", calls=1, input_tokens=7, time_ms=1.0),
    ]
    total = measures.usage_of(found)
    assert (total.calls, total.input_tokens, total.output_tokens, total.time_ms) == (2, 17, 2, 6.0)
    assert total.cost_usd == pytest.approx(0.1)
    nothing = measures.usage_of([Answer("root")])
    assert (nothing.input_tokens, nothing.cost_usd) == (None, None)
