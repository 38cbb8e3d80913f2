"""Leave to use a tool: the order of the rules, and what a block, a grant and a refusal write into the run."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lango_nb.records.runs import AgentRun, RunPatch, Runs
from lango_nb.runtime.approval_gate import (
    blocked_patch,
    denied_patch,
    expired_patch,
    grant_request_id,
    granted_patch,
    judge_tool,
)


def runs_with(*allowed: str) -> Runs:
    runs = Runs()
    runs.create(
        AgentRun(
            id="arun-1",
            parent_id="main",
            requested_agent="operator",
            instruction="x",
            created_at=datetime(2026, 1, 1, tzinfo=UTC),
            allowed_tools=allowed,
        )
    )
    return runs


@pytest.mark.parametrize(
    ("in_scope", "is_allowed", "decision"),
    [(False, False, "deny"), (False, True, "deny"), (True, True, "allow"), (True, False, "needs_approval")],
)
def test_scope_comes_first_then_what_is_allowed_and_everything_else_needs_leave(
    in_scope: bool, is_allowed: bool, decision: str
) -> None:
    verdict = judge_tool(in_scope=in_scope, is_allowed=is_allowed)
    assert verdict.decision == decision
    assert verdict.reason


def test_the_request_of_a_run_and_tool_has_one_name() -> None:
    assert grant_request_id("arun-1", "exec") == "grant-arun-1-exec"


def test_asking_again_while_it_is_open_is_a_further_attempt_of_the_same_request() -> None:
    runs = runs_with("fs_read")
    for attempt in (1, 2, 3):
        run = runs.project("arun-1", blocked_patch(runs.get("arun-1"), "exec", "dangerous"))
        assert (
            run.runtime_condition,
            run.blocked_reason,
            run.grant_request_id,
            run.grant_attempt,
            run.grant_state,
        ) == (
            "blocked_waiting_approval",
            "dangerous",
            "grant-arun-1-exec",
            attempt,
            "pending",
        )


def test_another_tool_is_another_request() -> None:
    runs = runs_with()
    runs.project("arun-1", blocked_patch(runs.get("arun-1"), "exec", "x"))
    run = runs.project("arun-1", blocked_patch(runs.get("arun-1"), "fs_write", "x"))
    assert (run.grant_request_id, run.grant_attempt) == ("grant-arun-1-fs_write", 1)


def test_a_grant_lets_the_run_go_on_and_have_the_tool() -> None:
    runs = runs_with("fs_read")
    runs.project("arun-1", blocked_patch(runs.get("arun-1"), "exec", "dangerous"))
    run = runs.project("arun-1", granted_patch("exec"))
    assert (run.runtime_condition, run.blocked_reason, run.grant_request_id, run.grant_attempt, run.grant_state) == (
        "",
        "",
        "",
        0,
        "granted",
    )
    assert run.allowed_tools == ("fs_read", "exec")


def test_after_a_refusal_a_new_block_begins_at_the_first_attempt_with_the_same_name() -> None:
    runs = runs_with("fs_read")
    for _ in range(2):
        first = runs.project("arun-1", blocked_patch(runs.get("arun-1"), "exec", "dangerous"))
    denied = runs.project("arun-1", denied_patch("not today"))
    assert (denied.runtime_condition, denied.blocked_reason, denied.grant_request_id) == ("", "not today", "")
    assert (denied.grant_attempt, denied.grant_state, denied.allowed_tools) == (0, "denied", ("fs_read",))
    again = runs.project("arun-1", blocked_patch(runs.get("arun-1"), "exec", "dangerous"))
    assert (again.grant_request_id, again.grant_attempt) == (first.grant_request_id, 1)


def test_an_answered_request_that_comes_again_is_no_further_attempt() -> None:
    runs = runs_with()
    runs.project("arun-1", blocked_patch(runs.get("arun-1"), "exec", "x"))
    answered = runs.project("arun-1", RunPatch(grant_state="denied"))
    assert blocked_patch(answered, "exec", "x").grant_attempt == 1


def test_a_grant_for_one_call_gives_no_tool() -> None:
    runs = runs_with("fs_read")
    runs.project("arun-1", blocked_patch(runs.get("arun-1"), "exec", "dangerous"))
    run = runs.project("arun-1", granted_patch())
    assert (run.runtime_condition, run.grant_state, run.allowed_tools) == ("", "granted", ("fs_read",))


def test_a_request_nobody_answered_in_time_is_not_pending_and_comes_again_as_a_further_attempt() -> None:
    runs = runs_with("fs_read")
    runs.project("arun-1", blocked_patch(runs.get("arun-1"), "exec", "dangerous"))
    expired = runs.project("arun-1", expired_patch("expired"))
    assert (expired.runtime_condition, expired.blocked_reason, expired.grant_state) == ("", "expired", "")
    assert expired.view() == {
        "agent_id": "arun-1",
        "status": expired.status,
        "blocked_reason": "expired",
        "grant_request_id": "grant-arun-1-exec",
        "grant_attempt": 1,
    }
    assert blocked_patch(expired, "exec", "dangerous").grant_attempt == 2
