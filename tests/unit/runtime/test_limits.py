"""A turn's budget: rounds, rings of hand-overs, replies that call tools, repeated calls, tokens, cost."""

from __future__ import annotations

from typing import Any

import pytest

from lango_nb.core.events import BudgetExpanded, BudgetWarning, LimitReached
from lango_nb.core.messages import Usage
from lango_nb.runtime.limits import Budget, BudgetEvents, Limits

ROOT = "lango-orchestrator"
WIDE = Limits(rounds=1000, steps=1000, delegations=0)


def budget(planners: tuple[str, ...] = (), **limits: Any) -> Budget:
    return Budget(Limits(**{"rounds": 1000, "steps": 1000, "delegations": 0, **limits}), ROOT, planners)


def reached(notices: BudgetEvents) -> str:
    return next((notice.limit for notice in notices if isinstance(notice, LimitReached)), "")


# -- rounds ------------------------------------------------------------------------------------------------------------


def test_a_round_is_one_reply_however_many_targets_it_has() -> None:
    counted = budget(rounds=2)
    assert counted.hand_over(ROOT, [("vault", "a"), ("operator", "b"), ("navigator", "c")]) == ()
    assert counted.hand_over(ROOT, [("vault", "d")]) == ()
    assert (counted.rounds, counted.delegations) == (2, 4)
    (notice,) = counted.hand_over(ROOT, [("vault", "e")])
    assert notice == LimitReached(
        limit="rounds", value=2, detail="this turn may hand over 2 times; answer with what there is, or ask for less"
    )
    assert (counted.rounds, counted.delegations) == (2, 4), "a hand-over that does not happen is not counted"


def test_a_reply_whose_targets_were_all_refused_uses_a_round_and_makes_no_ring() -> None:
    counted = budget(rounds=3)
    assert [reached(counted.hand_over(ROOT, [])) for _ in range(4)] == ["", "", "", "rounds"]


def test_without_rounds_nothing_is_handed_over() -> None:
    assert reached(budget(rounds=0).hand_over(ROOT, [("vault", "a")])) == "rounds"


def test_most_of_the_rounds_are_warned_of_once() -> None:
    counted = budget(rounds=10)
    said = [counted.hand_over(ROOT, [("vault", str(number))]) for number in range(10)]
    assert said == [()] * 7 + [(BudgetWarning(limit="rounds", used=8, of=10),)] + [()] * 2


@pytest.mark.parametrize("rounds", [1, 2, 3, 4])
def test_a_small_limit_is_not_warned_of_when_nothing_is_left_of_it(rounds: int) -> None:
    counted = budget(rounds=rounds)
    assert [counted.hand_over(ROOT, [("vault", str(number))]) for number in range(rounds)] == [()] * rounds


def test_delegations_are_watched_and_never_refused() -> None:
    counted = budget(delegations=15)
    said = [counted.hand_over(ROOT, [("vault", f"{number}a"), ("operator", f"{number}b")]) for number in range(20)]
    assert [notices for notices in said if notices] == [(BudgetWarning(limit="delegations", used=12, of=15),)]
    assert said[5] == (BudgetWarning(limit="delegations", used=12, of=15),)


def test_a_jump_over_the_whole_delegation_limit_is_warned_of_all_the_same() -> None:
    assert budget(delegations=3).hand_over(ROOT, [(f"a{n}", "g") for n in range(9)]) == (
        BudgetWarning(limit="delegations", used=9, of=3),
    )


# -- rings -------------------------------------------------------------------------------------------------------------


def ring(counted: Budget, names: list[str], times: int) -> list[str]:
    """Hand over along the names, again and again."""
    return [
        reached(counted.hand_over(name, [(names[(place + 1) % len(names)], "sign it")]))
        for _ in range(times)
        for place, name in enumerate(names)
    ]


@pytest.mark.parametrize("length", [1, 2, 3, 4, 7])
def test_a_ring_is_found_when_it_closes_for_the_second_time(length: int) -> None:
    names = [f"agent{number}" for number in range(length)]
    assert ring(budget(), names, 2) == [""] * (2 * length - 1) + ["cycle"]


def test_the_detail_of_a_ring_draws_it() -> None:
    counted = budget()
    for _ in range(2):
        counted.hand_over(ROOT, [("vault", "sign")])
        notices = counted.hand_over("vault", [(ROOT, "sign")])
    assert notices == (
        LimitReached(
            limit="cycle",
            value=2,
            detail=f"the same hand-overs came twice and nothing was done between: {ROOT} → vault, vault → {ROOT}",
        ),
    )


def test_a_ring_is_found_after_an_honest_beginning() -> None:
    counted = budget()
    counted.hand_over(ROOT, [("planner", "plan")])
    counted.hand_over("planner", [("operator", "read")])
    assert ring(counted, ["operator", "vault"], 2)[-1] == "cycle"


def test_a_ring_that_goes_on_is_found_every_time() -> None:
    counted = budget()
    assert ring(counted, ["a", "b"], 4) == ["", "", "", "cycle", "cycle", "cycle", "cycle", "cycle"]


def test_a_tool_that_did_something_breaks_a_ring() -> None:
    counted = budget()
    for _ in range(10):
        assert not reached(counted.hand_over(ROOT, [("vault", "sign")]))
        assert not reached(counted.hand_over("vault", [(ROOT, "signed")]))
        counted.tool_succeeded()


def test_another_goal_or_another_author_makes_no_ring() -> None:
    counted = budget()
    said = [counted.hand_over(ROOT, [("vault", f"sign page {number}")]) for number in range(20)]
    said += [counted.hand_over(f"agent{number}", [("vault", "sign")]) for number in range(20)]
    assert not any(map(reached, said))


def test_case_and_white_space_make_no_other_goal() -> None:
    counted = budget()
    counted.hand_over(ROOT, [("vault", "Sign  the\nnotes ")])
    assert reached(counted.hand_over(ROOT, [("vault", "sign the NOTES")])) == "cycle"


def test_the_order_of_the_targets_of_a_reply_makes_no_difference() -> None:
    counted = budget()
    counted.hand_over(ROOT, [("vault", "b"), ("vault", "A"), ("operator", "c")])
    assert reached(counted.hand_over(ROOT, [("operator", "C"), ("vault", "a"), ("vault", "B")])) == "cycle"


def test_twins_in_one_reply_are_no_ring() -> None:
    assert budget().hand_over(ROOT, [("vault", "roll a die"), ("vault", "roll a die")]) == ()


def test_a_wider_fan_than_before_is_no_ring() -> None:
    counted = budget()
    counted.hand_over(ROOT, [("vault", "a")])
    assert counted.hand_over(ROOT, [("vault", "a"), ("operator", "b")]) == ()


# -- replies that call tools -------------------------------------------------------------------------------------------


def test_a_plain_turn_is_warned_at_four_fifths_wraps_up_once_and_is_over() -> None:
    counted = budget(steps=10)
    said = [counted.tools_replied("operator") for _ in range(12)]
    assert said[:7] == [()] * 7
    assert said[7] == (BudgetWarning(limit="steps", used=8, of=10),)
    assert said[8:11] == [()] * 3, "the eleventh reply is the wrap-up"
    assert said[11] == (
        LimitReached(
            limit="steps",
            value=10,
            detail="this turn may call tools in 10 replies and did not come to an end; ask for less",
        ),
    )


def large_by_planner(counted: Budget) -> None:
    counted.hand_over(ROOT, [("planner", "plan it")])


def large_by_planner_at_work(counted: Budget) -> None:
    counted.tools_replied("planner", is_planner=True)
    counted.replies -= 1


def large_by_delegations(counted: Budget) -> None:
    for number in range(3):
        counted.hand_over(ROOT, [("operator", str(number))])


def large_by_agents(counted: Budget) -> None:
    counted.hand_over(ROOT, [("vault", "a")])


@pytest.mark.parametrize(
    ("enlarge", "reason"),
    [
        (large_by_planner, "a planner took part"),
        (large_by_planner_at_work, "a planner took part"),
        (large_by_delegations, "3 hand-overs"),
        (large_by_agents, "2 agents at work"),
    ],
)
def test_a_large_turn_gets_half_as_much_again_once_and_three_replies_to_wrap_up(enlarge: Any, reason: str) -> None:
    counted = budget(planners=("planner",), steps=10)
    enlarge(counted)
    said = [counted.tools_replied("operator") for _ in range(19)]
    assert said[7] == (BudgetWarning(limit="steps", used=8, of=10),)
    assert said[10] == (BudgetExpanded(limit="steps", before=10, after=15, reason=reason),)
    assert not any(map(reached, said[:18]))
    assert reached(said[18]) == "steps"
    assert sum(isinstance(notice, BudgetExpanded) for notices in said for notice in notices) == 1
    assert sum(isinstance(notice, BudgetWarning) for notices in said for notice in notices) == 1


def test_75_becomes_112() -> None:
    counted = budget(planners=("planner",), steps=75)
    large_by_planner(counted)
    said = [counted.tools_replied("operator") for _ in range(116)]
    assert said[59] == (BudgetWarning(limit="steps", used=60, of=75),)
    assert counted.replies_limit == 112
    assert [number for number, notices in enumerate(said, 1) if reached(notices)] == [116]


def test_the_root_is_neither_an_agent_at_work_nor_a_planner() -> None:
    counted = budget(steps=4)
    said = [
        notices
        for _ in range(3)
        for agent in (ROOT, "operator")
        if (notices := counted.tools_replied(agent, is_planner=agent == ROOT))
    ]
    assert [type(notice) for notices in said for notice in notices] == [LimitReached]


# -- identical calls ---------------------------------------------------------------------------------------------------


def calls(counted: Budget, *arguments: dict[str, Any], author: str = "operator", tool: str = "fs_read") -> list[str]:
    return [reached(counted.call(author, tool, each)) for each in arguments]


def test_the_fifth_identical_call_in_a_row_is_refused_and_so_is_every_further_one() -> None:
    counted = budget()
    assert calls(counted, *[{"path": "a"}] * 6) == ["", "", "", "", "repeats", "repeats"]
    (notice,) = counted.call("operator", "fs_read", {"path": "a"})
    assert notice == LimitReached(
        limit="repeats", value=7, detail="operator called fs_read 7 times in a row with the same arguments; stopped"
    )


@pytest.mark.parametrize("between", [("fs_read", {"path": "b"}), ("fs_list", {"path": "a"}), ("fs_read", {})])
def test_another_call_between_starts_the_count_again(between: tuple[str, dict[str, Any]]) -> None:
    counted = budget()
    for _ in range(3):
        assert not any(calls(counted, *[{"path": "a"}] * 4))
        assert not any(calls(counted, between[1], tool=between[0]))


def test_a_word_between_starts_the_count_again_and_a_hand_over_does_not() -> None:
    counted = budget()
    calls(counted, *[{"path": "a"}] * 4)
    counted.text("operator")
    assert not any(calls(counted, *[{"path": "a"}] * 4))
    counted.text("vault")
    counted.hand_over("operator", [("vault", "x")])
    assert calls(counted, {"path": "a"}) == ["repeats"]


def test_agents_and_runs_have_rows_of_their_own() -> None:
    counted = budget()
    for _ in range(4):
        assert not any(calls(counted, {"path": "a"}) + calls(counted, {"path": "a"}, author="vault"))
    for number in range(20):
        assert not any(calls(counted, {}, author=f"operator (arun-{number})"))
    assert calls(counted, {"path": "a"}) == ["repeats"], "what others do at the same time does not hide a loop"


def test_the_order_of_the_arguments_makes_no_difference() -> None:
    counted = budget()
    ways: list[dict[str, Any]] = [{"a": 1, "b": {"c": [1], "d": 2}}, {"b": {"d": 2, "c": [1]}, "a": 1}]
    assert calls(counted, *ways, *ways, ways[0])[-1] == "repeats"


def test_arguments_that_are_changed_afterwards_are_compared_as_they_were() -> None:
    counted, lines = budget(), ["a"]
    said = []
    for _ in range(5):
        said += calls(counted, arguments := {"lines": lines[:1]})
        arguments["lines"].append("changed by the tool")
    assert said[-1] == "repeats"
    growing: dict[str, Any] = {"lines": []}
    for _ in range(9):
        assert calls(counted, growing) == [""]
        growing["lines"].append("one more")
    flat: dict[str, Any] = {"line": 0}
    for _ in range(9):
        assert calls(counted, flat) == [""]
        flat["line"] += 1


def test_nan_is_the_same_as_nan() -> None:
    assert calls(budget(), *[{"x": float("nan")} for _ in range(5)])[-1] == "repeats"


def test_arguments_that_cannot_be_written_are_never_called_a_repetition() -> None:
    ring_of_itself: dict[str, Any] = {}
    ring_of_itself["self"] = ring_of_itself
    assert not any(calls(budget(), *[ring_of_itself] * 9))
    assert not any(calls(budget(), *[{"x": {1: 2, "a": 3}}] * 9))


def test_zero_switches_the_limit_of_repetitions_off() -> None:
    assert not any(calls(budget(repeats=0), *[{}] * 50))


# -- tokens and cost ---------------------------------------------------------------------------------------------------


def test_tokens_are_warned_of_and_end() -> None:
    counted = budget(tokens=100)
    assert counted.model_call(Usage(input_tokens=50, output_tokens=20)) == ()
    assert counted.model_call(Usage(input_tokens=10, output_tokens=None)) == (
        BudgetWarning(limit="tokens", used=80, of=100),
    )
    assert counted.model_call(Usage()) == (), "a warning is said once"
    (notice,) = counted.model_call(Usage(output_tokens=30))
    assert notice == LimitReached(
        limit="tokens", value=100, detail="this turn may use 100 tokens and used 110; ask for less or raise maxTokens"
    )


def test_cost_is_warned_of_and_ends() -> None:
    counted = budget(cost_usd=1.0)
    assert counted.model_call(Usage(), 0.5) == ()
    assert counted.model_call(Usage(), 0.375) == (BudgetWarning(limit="cost", used=0.875, of=1.0),)
    (notice,) = counted.model_call(Usage(), 0.25)
    assert notice == LimitReached(
        limit="cost", value=1.0, detail="this turn may cost $1 and cost $1.125; ask for less or raise maxCostUsd"
    )


def test_without_limits_tokens_and_cost_are_only_counted() -> None:
    counted = budget()
    for _ in range(3):
        assert counted.model_call(Usage(input_tokens=10**9), 10**6) == ()
    assert (counted.tokens, counted.cost_usd) == (3 * 10**9, 3 * 10**6)


def test_the_share_that_warns_is_a_setting() -> None:
    counted = budget(tokens=100, alert=0.5)
    assert counted.model_call(Usage(input_tokens=49)) == ()
    assert counted.model_call(Usage(input_tokens=1)) == (BudgetWarning(limit="tokens", used=50, of=100),)
