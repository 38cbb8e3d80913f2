"""What is done about a failure, by mode, by what failed, and by how often it failed before."""

from __future__ import annotations

import itertools

import pytest

from lango_nb.config.settings import RecoverySettings
from lango_nb.runtime.failures import CODES, failure
from lango_nb.runtime.recovery import Action, Mode, Recovery, reroute_hint

PROVIDER = ["provider_rate_limit", "provider_transient", "provider_connection", "provider_cut_stream"]


def recovery(mode: Mode = "structured", **settings: object) -> Recovery:
    return Recovery(RecoverySettings.model_validate(settings), mode)


def actions(policy: Recovery, code: str, times: int = 1, *, after: str = "", partial: bool = False) -> list[str]:
    """Let something fail, before the first hand-over or after one to somebody."""
    return [
        policy.next_action(failure(code), failed_agent=after, after_handover=bool(after), has_partial=partial).action
        for _ in range(times)
    ]


# -- classic -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", PROVIDER)
def test_classic_asks_a_provider_three_times_in_all(code: str) -> None:
    assert actions(recovery("classic"), code, 4, partial=True) == ["retry", "retry", "escalate", "escalate"]


@pytest.mark.parametrize("code", sorted(CODES.keys() - {*PROVIDER, "provider_bad_reply"}))
def test_classic_does_nothing_about_anything_else(code: str) -> None:
    policy = recovery("classic")
    for after, partial in itertools.product(("", "vault"), (False, True)):
        assert actions(policy, code, after=after, partial=partial) == ["escalate"]
    assert policy.retries == 0


def test_classic_counts_all_attempts_of_a_turn() -> None:
    policy = recovery("classic")
    assert [*actions(policy, "provider_rate_limit"), *actions(policy, "provider_connection")] == ["retry", "retry"]
    assert actions(policy, "provider_transient") == ["escalate"]


# -- structured --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "before", "after"),
    [
        ("provider_rate_limit", "retry", "retry"),
        ("provider_transient", "retry", "retry"),
        ("provider_connection", "retry", "retry"),
        ("provider_cut_stream", "retry", "retry"),
        ("provider_bad_reply", "retry", "retry"),
        ("provider_certificate", "escalate", "escalate"),
        ("provider_open", "escalate", "escalate"),
        ("provider_auth", "escalate", "escalate"),
        ("provider_quota", "escalate", "escalate"),
        ("provider_bad_request", "escalate", "escalate"),
        ("thought_signature_missing", "escalate", "escalate"),
        ("timeout_hard", "escalate", "escalate"),
        ("idle_timeout", "escalate", "escalate"),
        ("approval_denied", "escalate", "escalate"),
        ("approval_timeout", "escalate", "escalate"),
        ("approval_unavailable", "escalate", "escalate"),
        ("orchestrator_direct_tool_call", "escalate", "escalate"),
        ("function_call_validation", "retry", "retry"),
        ("tool_not_found", "retry", "retry_with_hint"),
        ("tool_error", "retry", "retry_with_hint"),
        ("outside_workspace", "retry", "retry_with_hint"),
        ("repeated_call_signature", "retry_with_hint", "retry_with_hint"),
        ("delegation_cycle", "retry_with_hint", "retry_with_hint"),
        ("empty_after_tool_use", "retry_with_hint", "retry_with_hint"),
        ("turn_limit_exceeded", "escalate", "escalate"),
        ("delegation_limit", "escalate", "escalate"),
        ("cancelled", "escalate", "escalate"),
        ("internal", "escalate", "escalate"),
    ],
)
def test_what_failed_and_when_decides(code: str, before: str, after: str) -> None:
    assert actions(recovery(), code) == [before]
    assert actions(recovery(), code, after="vault") == [after]


@pytest.mark.parametrize(
    ("code", "limit"),
    [
        ("provider_rate_limit", 5),
        ("provider_transient", 3),
        ("provider_connection", 3),
        ("function_call_validation", 1),
        ("tool_error", 2),
        ("repeated_call_signature", 2),
        ("empty_after_tool_use", 2),
    ],
)
def test_every_class_has_its_own_limit(code: str, limit: int) -> None:
    made = actions(recovery(), code, limit + 2, after="vault")
    assert "escalate" not in made[:limit]
    assert made[limit:] == ["escalate", "escalate"]
    partial = actions(recovery(), code, limit + 1, after="vault", partial=True)
    assert partial[limit] == "direct_answer", "what was gathered is an answer"


def test_the_setting_is_the_limit_of_classes_without_one() -> None:
    assert actions(recovery(max_retries=4), "tool_error", 5) == ["retry"] * 4 + ["escalate"]
    assert actions(recovery(max_retries=0), "tool_error") == ["escalate"]
    assert actions(recovery(max_retries=0), "provider_rate_limit", 6) == ["retry"] * 5 + ["escalate"]


def test_a_turn_is_not_tried_again_for_ever_by_failing_in_turns() -> None:
    policy = recovery()
    codes = itertools.cycle(["provider_rate_limit", "provider_transient", "tool_error", "function_call_validation"])
    made = [actions(policy, next(codes))[0] for _ in range(40)]
    assert policy.retries == sum(action.startswith("retry") for action in made) <= 5


@pytest.mark.parametrize("code", ["turn_limit_exceeded", "delegation_limit", "token_limit_exceeded"])
def test_a_turn_that_is_out_of_budget_answers_from_what_it_has(code: str) -> None:
    assert actions(recovery(), code, partial=True) == ["direct_answer"]
    assert actions(recovery(), code) == ["escalate"]
    assert actions(recovery("classic"), code, partial=True) == ["escalate"]


# -- waiting -----------------------------------------------------------------------------------------------------------


def test_the_wait_doubles_up_to_half_a_minute() -> None:
    policy = recovery(base_delay_s=4)
    made = [policy.next_action(failure("provider_rate_limit")) for _ in range(5)]
    assert [action.wait_s for action in made] == [4, 8, 16, 30, 30]
    assert [action.attempt for action in made] == [1, 2, 3, 4, 5]
    assert recovery().next_action(failure("provider_rate_limit")).wait_s == 1


def test_the_random_part_is_the_callers_and_at_most_half_a_second() -> None:
    numbers = iter([0.0, 0.5, 1.0])
    policy = Recovery(RecoverySettings(), "structured", lambda: next(numbers))
    made = [policy.next_action(failure("provider_transient")).wait_s for _ in range(3)]
    assert made == [1.0, 2.25, 4.5]


def test_a_provider_that_says_how_long_is_heard_within_reason() -> None:
    assert recovery().next_action(failure("provider_rate_limit", retry_after_s=7)).wait_s == 7
    assert recovery().next_action(failure("provider_rate_limit", retry_after_s=0.1)).wait_s == 1
    assert recovery().next_action(failure("provider_rate_limit", retry_after_s=900)).wait_s == 30


def test_nothing_but_a_provider_is_waited_for() -> None:
    for code in ("tool_error", "function_call_validation", "empty_after_tool_use", "internal", "approval_denied"):
        assert recovery().next_action(failure(code), failed_agent="vault", after_handover=True).wait_s == 0


# -- hints -------------------------------------------------------------------------------------------------------------


def test_a_hint_names_who_failed_and_carries_the_request() -> None:
    action = recovery().next_action(
        failure("tool_error", "fs_read failed: no such file"),
        failed_agent="operator",
        after_handover=True,
        request="sum up notes.md",
    )
    assert action == Action(
        "retry_with_hint",
        1,
        0.0,
        "operator failed at this: fs_read failed: no such file. Do not give it to operator again: choose another agent,"
        " or answer from what you already have. The request was: sum up notes.md",
    )


def test_before_a_hand_over_nobody_is_named() -> None:
    action = recovery().next_action(failure("empty_after_tool_use"), failed_agent="lango-orchestrator", request="hi")
    assert "lango-orchestrator" not in action.hint
    assert action.hint.startswith("The previous attempt failed: it came to no result.")
    assert action.hint.endswith("The request was: hi")


def test_only_a_hint_has_words() -> None:
    for code in CODES:
        action = recovery().next_action(failure(code, "why"), failed_agent="vault", after_handover=True)
        assert bool(action.hint) is (action.action == "retry_with_hint")


def test_a_hint_keeps_the_request_whole_and_the_error_short() -> None:
    hint = reroute_hint("vault", "boom\n" * 1000, "x" * 5000)
    assert "x" * 5000 in hint
    assert len(hint) < 5500
    assert "\n" not in hint
