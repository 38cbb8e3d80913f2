"""What the fit of authors' words starts from and comes to, for a few systems."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
import pytest

from lango_nb.evaluation import fitting_described
from lango_nb.evaluation.corpus import labelled
from lango_nb.evaluation.fitting_described import Case, cases, fit, told_families
from lango_nb.evaluation.systems import NOBODY, System, made_systems, plain_systems
from lango_nb.routing.described import FEATURES, Scale
from lango_nb.routing.learned import load
from lango_nb.routing.router import Router
from tests.expected import same_as_expected

HALF = Scale(**{**fitting_described._EXPECTED._asdict(), "root": 0.2, "families": 0.2})
"""With which systems are often given a request of nobody's."""
FITTED = (3.1, 2.0, 0.6, 9.3, 3.0, 5.0, 6.0, 4.0, -1.0, 2.6, 0.85, 0.2, 0.0, 1.3, 1.0, 1.0)


def some_systems() -> Sequence[System]:
    """Return two systems: with examples, and without."""
    every = made_systems()
    return (next(one for one in every if one.examples), next(one for one in every if not one.examples))


def lines_of(every: Sequence[Case]) -> Iterator[str]:
    for case in every:
        said = [
            f"{row} {name} {value:.2f}"
            for row, values in enumerate(case.parts)
            for name, value in zip(FEATURES, values, strict=True)
            if value and name != "prior"
        ]
        others = f"{len(case.others)} others, {np.abs(case.others).sum():.1f}"
        alone = ", alone" if case.is_alone else ""
        yield f"{case.right} of {len(case.fixed)} x {case.weight}{alone}; {others}: {', '.join(said[:6])}"


def test_cases_and_what_is_fitted_to_them_are_as_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting_described, "made_systems", some_systems)
    monkeypatch.setattr(fitting_described, "TOLD_FAMILIES", 1)
    corpus = [one for one in labelled("train") if one.family not in {"conversation", ""}][:200]
    every = list(cases(load(), corpus))
    scale = fit(every[:: len(every) // 8], 0.7)
    same_as_expected("fitting/described.txt", "\n".join([f"{len(every)} cases", *lines_of(every[::9])]))
    assert scale == pytest.approx(FITTED, abs=0.15)


def test_families_told_by_their_tools_are_as_expected() -> None:
    lines: list[str] = []
    for table, asked in told_families(2, random.Random(3)):
        lines += [f"{row.name}, {row.role}: {', '.join(row.actions)}" for row in table.rows]
        lines += [f"> {one.agent}: {one.text}" for one in asked]
    same_as_expected("fitting/told_families.txt", "\n".join(lines))


@pytest.mark.parametrize("are_taught", [False, True])
def test_above_the_threshold_few_requests_get_a_wrong_agent_and_below_it_more(
    monkeypatch: pytest.MonkeyPatch, are_taught: bool
) -> None:
    every = list(islice(plain_systems(), 1))
    monkeypatch.setattr(fitting_described, "MOST_WRONG", 0.1)
    least = fitting_described.threshold(HALF, every, are_taught=are_taught)

    def wrong(threshold: float) -> float:
        scale = HALF._replace(threshold=1, taught_threshold=1)
        router = Router(every[0].tree().table, threshold, scale=scale)
        if are_taught:
            router = router.fit([(one.text, one.agent) for one in every[0].examples])
        asked = every[0].requests
        chosen = [(router.route(one.text).chosen, one.agent) for one in asked]
        return sum(got not in {None, wanted} for got, wanted in chosen) / sum(one.agent != NOBODY for one in asked)

    assert wrong(least) <= 0.1 < wrong(0)


def test_where_no_request_goes_wrong_the_threshold_is_a_usual_one() -> None:
    assert fitting_described.threshold(HALF, []) == 0.3
