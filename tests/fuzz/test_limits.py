"""Rings of any length are found, honest work never is."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from lango_nb.core.events import LimitReached
from lango_nb.runtime.limits import Budget, Limits

WIDE = Limits(rounds=10_000, steps=10_000, delegations=0)
names = st.sampled_from("root operator vault navigator planner librarian".split())
goals = st.sampled_from(["sign", "read it", "plan", ""])
replies = st.tuples(names, st.lists(st.tuples(names, goals), min_size=1, max_size=3))
"""Who hands over, and to whom with what."""
SUCCESS = None
turns = st.lists(st.one_of(replies, st.just(SUCCESS)), max_size=30)


def is_ring(budget: Budget, author: str, targets: list[tuple[str, str]]) -> bool:
    return any(isinstance(notice, LimitReached) for notice in budget.hand_over(author, targets))


def plain(reply: tuple[str, list[tuple[str, str]]]) -> tuple[str, list[tuple[str, str]]]:
    return reply[0], sorted(reply[1])


@given(turn=turns)
def test_a_ring_is_reported_exactly_when_the_same_sequence_came_twice_without_success_between(
    turn: list[tuple[str, list[tuple[str, str]]] | None],
) -> None:
    budget = Budget(WIDE)
    since: list[tuple[str, list[tuple[str, str]]]] = []
    for reply in turn:
        if reply is SUCCESS:
            budget.tool_succeeded()
            since.clear()
            continue
        since.append(plain(reply))
        expected = any(since[-length:] == since[-2 * length : -length] for length in range(1, len(since) // 2 + 1))
        assert is_ring(budget, *reply) is expected


@given(
    before=st.lists(replies, max_size=8),
    ring=st.lists(replies, min_size=1, max_size=12),
)
def test_a_ring_of_any_length_is_found_by_the_end_of_its_second_time(
    before: list[tuple[str, list[tuple[str, str]]]], ring: list[tuple[str, list[tuple[str, str]]]]
) -> None:
    budget = Budget(WIDE)
    for reply in before:
        budget.hand_over(*reply)
    found = [is_ring(budget, *reply) for reply in (*ring, *ring)]
    assert any(found)


@given(moves=st.lists(st.tuples(names, names), max_size=40))
def test_goals_that_differ_never_make_a_ring(moves: list[tuple[str, str]]) -> None:
    budget = Budget(WIDE)
    assert not any(
        is_ring(budget, author, [(target, f"part {number}")]) for number, (author, target) in enumerate(moves)
    )


@given(ring=st.lists(replies, min_size=1, max_size=6), times=st.integers(1, 5), data=st.data())
def test_a_success_in_every_sequence_keeps_it_from_being_one(
    ring: list[tuple[str, list[tuple[str, str]]]], times: int, data: st.DataObject
) -> None:
    ring = [
        (author, [(name, f"{goal} {place}") for name, goal in targets]) for place, (author, targets) in enumerate(ring)
    ]
    budget, place = Budget(WIDE), data.draw(st.integers(0, len(ring) - 1))
    for _ in range(times):
        for number, reply in enumerate(ring):
            assert not is_ring(budget, *reply)
            if number == place:
                budget.tool_succeeded()


arguments = st.dictionaries(
    st.sampled_from(["path", "lines", "n"]),
    st.one_of(st.text(max_size=3), st.integers(0, 2), st.none(), st.lists(st.integers(0, 1), max_size=2)),
    max_size=2,
)
calls = st.lists(st.tuples(st.sampled_from(["operator", "vault"]), st.sampled_from(["a", "b"]), arguments), max_size=60)


@given(turn=calls, repeat=st.integers(1, 6))
def test_a_call_is_refused_exactly_when_it_is_the_fifth_of_its_agent_in_a_row(
    turn: list[tuple[str, str, dict[str, object]]], repeat: int
) -> None:
    budget = Budget(WIDE)
    rows: dict[str, list[tuple[str, dict[str, object]]]] = {"operator": [], "vault": []}
    for author, tool, given_arguments in (call for call in turn for _ in range(repeat)):
        row = rows[author]
        row.append((tool, given_arguments))
        expected = len(row) >= 5 and all(one == other for one, other in pairwise(row[-5:]))
        assert bool(budget.call(author, tool, given_arguments)) is expected
