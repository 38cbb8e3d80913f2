"""Systems of other people: how many of their requests find their agent by nothing but what is written of it.

The numbers are floors with a margin of some points below what was reached; they may be raised and never lowered.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from lango_nb.evaluation.systems import NOBODY, Counts, System, made_systems, measure, systems

LEAST_RIGHT, MOST_WRONG, LEAST_LEADING = 0.03, 0.09, 0.2


@cache
def counted(*, are_taught: bool) -> Counts:
    found = Counts()
    for system in systems():
        router = system.router()
        if are_taught:
            router = router.fit([(one.text, one.agent) for one in system.examples])
        found += measure(system, router)
    return found


def test_twelve_systems_of_forty_requests() -> None:
    every = systems()
    assert len(every) == 12
    assert all(len(one.requests) == 40 and 4 <= len(one.agents) <= 12 for one in every)
    assert all(min(Counter(row.agent for row in one.examples).values()) == 5 for one in every)
    assert {one.has_keywords for one in every} == {True, False}
    assert {row.text for one in made_systems() for row in one.requests}.isdisjoint(
        row.text for one in every for row in (*one.requests, *one.examples)
    )


def test_requests_find_their_agents_by_what_is_written_and_few_find_a_wrong_one() -> None:
    found = counted(are_taught=False)
    assert found.right / found.wanted >= LEAST_RIGHT
    assert found.wrong / found.wanted <= MOST_WRONG
    assert found.left_alone / found.nobody >= 0.85


def test_examples_do_not_make_it_worse() -> None:
    before, after = counted(are_taught=False), counted(are_taught=True)
    assert after.right >= before.right - 2
    assert after.wrong / after.wanted <= MOST_WRONG


def test_the_right_one_leads_far_more_often_than_by_chance() -> None:
    leading = [
        system.router().route(one.text).candidates[0].agent == one.agent
        for system in systems()
        for one in system.requests
        if one.agent != NOBODY
    ]
    assert sum(leading) / len(leading) >= LEAST_LEADING


def test_what_was_taught_is_handed_over() -> None:
    for system in systems()[:3]:
        router = system.router().fit([(one.text, one.agent) for one in system.examples])
        found = [router.route(one.text) for one in system.examples]
        right = [route.chosen == one.agent for route, one in zip(found, system.examples, strict=True)]
        assert sum(right) / len(right) >= 0.9
        assert min(route.confidence for route in found) > 0.06


def test_counts_add_up() -> None:
    assert Counts(1, 1) + Counts(1, 0, 1) + Counts(nobody=1, left_alone=1) == Counts(2, 1, 1, 1, 1)


@pytest.mark.parametrize("system", made_systems(), ids=lambda one: one.name)
def test_made_systems_are_whole(system: System) -> None:
    names = {agent.name for agent in system.agents}
    assert {one.agent for one in system.requests} == names | {NOBODY}
    assert set(system.tree().table.names) == names
