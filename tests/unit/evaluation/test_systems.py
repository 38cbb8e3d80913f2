"""Systems of other people: how many of their requests find their agent by nothing but what is written of it.

The numbers are floors with a margin of some points below what was reached; they may be raised and never lowered.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from lango_nb.evaluation.systems import NOBODY, Counts, System, made_systems, measure, plain_systems, systems

KINDS = {"plain": plain_systems, "hard": systems}
LEAST_RIGHT = {"plain": 0.45, "hard": 0.06}
LEAST_LEADING = {"plain": 0.68, "hard": 0.33}
MOST_WRONG = 0.07


@cache
def counted(kind: str, *, are_taught: bool) -> Counts:
    found = Counts()
    for system in KINDS[kind]():
        router = system.router()
        if are_taught:
            router = router.fit([(one.text, one.agent) for one in system.examples])
        found += measure(system, router)
    return found


@pytest.mark.parametrize(("kind", "count"), [("plain", 6), ("hard", 12)])
def test_systems_of_forty_requests(kind: str, count: int) -> None:
    every = KINDS[kind]()
    assert len(every) == count
    assert all(len(one.requests) == 40 and 4 <= len(one.agents) <= 12 for one in every)
    assert all(min(Counter(row.agent for row in one.examples).values()) == 5 for one in every)
    assert {one.has_keywords for one in every} == {True, False}
    assert {(row.text, row.agent) for one in made_systems() for row in one.requests if row.agent != NOBODY}.isdisjoint(
        (row.text, row.agent) for one in every for row in (*one.requests, *one.examples)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_requests_find_their_agents_by_what_is_written_and_few_find_a_wrong_one(kind: str) -> None:
    found = counted(kind, are_taught=False)
    assert found.right / found.wanted >= LEAST_RIGHT[kind]
    assert found.wrong / found.wanted <= MOST_WRONG
    assert found.left_alone / found.nobody >= 0.85


@pytest.mark.parametrize("kind", KINDS)
def test_examples_mislead_few(kind: str) -> None:
    after = counted(kind, are_taught=True)
    assert after.wrong / after.wanted <= MOST_WRONG


@cache
def leading(kind: str, *, are_taught: bool) -> float:
    """Return the share of requests whose right agent leads, whatever the threshold makes of it."""
    found = [
        router.route(one.text).candidates[0].agent == one.agent
        for system in KINDS[kind]()
        for router in (system.router().fit([(one.text, one.agent) for one in system.examples if are_taught]),)
        for one in system.requests
        if one.agent != NOBODY
    ]
    return sum(found) / len(found)


@pytest.mark.parametrize("kind", KINDS)
def test_the_right_one_leads_far_more_often_than_by_chance_and_more_often_with_examples(kind: str) -> None:
    assert LEAST_LEADING[kind] <= leading(kind, are_taught=False) < leading(kind, are_taught=True)


def test_what_was_taught_is_handed_over() -> None:
    for system in (*systems()[:2], *plain_systems()[:2]):
        router = system.router().fit([(one.text, one.agent) for one in system.examples])
        found = [router.route(one.text) for one in system.examples]
        right = [route.chosen == one.agent for route, one in zip(found, system.examples, strict=True)]
        assert sum(right) / len(right) >= 0.9
        assert sum(route.confidence for route in found) / len(found) > 0.9


def test_counts_add_up() -> None:
    assert Counts(1, 1) + Counts(1, 0, 1) + Counts(nobody=1, left_alone=1) == Counts(2, 1, 1, 1, 1)


@pytest.mark.parametrize("system", made_systems(), ids=lambda one: f"{one.name}-{'plain' if one.is_plain else 'hard'}")
def test_made_systems_are_whole(system: System) -> None:
    names = {agent.name for agent in system.agents}
    assert {one.agent for one in system.requests} == names | {NOBODY}
    assert set(system.tree().table.names) == names
