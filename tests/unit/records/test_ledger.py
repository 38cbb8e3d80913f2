"""The run ledger hears who is blocked and who no longer is, and never stands in the way."""

from __future__ import annotations

from typing import Any

import pytest

from lango_nb.core.clock import SteppedClock
from lango_nb.records.ledger import LedgerEntry, MemoryLedger, MirrorFailure, mirror
from lango_nb.records.runs import AgentRun, RunPatch, Runs

CLOCK = SteppedClock()
BLOCKED = RunPatch(
    runtime_condition="blocked_waiting_approval",
    blocked_reason="dangerous",
    grant_request_id="grant-arun-1-exec",
    grant_attempt=1,
    grant_state="pending",
)
FREE = RunPatch(runtime_condition="", blocked_reason="", grant_request_id="", grant_attempt=0, grant_state="granted")


def a_run() -> AgentRun:
    return AgentRun(
        id="arun-1", parent_id="main", requested_agent="operator", instruction="x", created_at=SteppedClock().now()
    )


def mirrored(*patches: RunPatch) -> tuple[Runs, MemoryLedger]:
    runs, ledger = Runs(), MemoryLedger()
    runs.observers.append(mirror(ledger, CLOCK))
    runs.create(a_run())
    for patch in patches:
        runs.project("arun-1", patch)
    return runs, ledger


def test_blocking_and_going_on_are_noted_with_what_is_asked_for() -> None:
    _, ledger = mirrored(BLOCKED, FREE)
    blocked, free = ledger
    assert (blocked.kind, blocked.run_id, blocked.session_id, blocked.agent) == (
        "teammate_approval_blocked",
        "arun-1",
        "main",
        "operator",
    )
    assert blocked.payload == {
        "runtime_condition": "blocked_waiting_approval",
        "blocked_reason": "dangerous",
        "grant_request_id": "grant-arun-1-exec",
        "grant_attempt": 1,
        "grant_state": "pending",
    }
    assert (free.kind, free.payload) == ("teammate_approval_unblocked", {})
    assert free.at > blocked.at


@pytest.mark.parametrize(
    "again",
    [
        RunPatch(grant_attempt=2),
        RunPatch(blocked_reason="another reason"),
        RunPatch(grant_request_id="grant-arun-1-fs_write"),
        RunPatch(grant_state="denied"),
    ],
)
def test_a_blocked_run_is_noted_again_when_what_it_asks_for_changes(again: RunPatch) -> None:
    _, ledger = mirrored(BLOCKED, again)
    assert [entry.kind for entry in ledger] == ["teammate_approval_blocked"] * 2


@pytest.mark.parametrize(
    "patches",
    [
        (RunPatch(recovery_state="retrying"),),
        (RunPatch(runtime_condition="waiting_on_teammate"), RunPatch(runtime_condition="")),
        (RunPatch(runtime_condition=""), RunPatch(grant_state="granted", add_allowed_tool="exec")),
    ],
)
def test_what_has_nothing_to_do_with_approvals_is_not_noted(patches: tuple[RunPatch, ...]) -> None:
    assert len(mirrored(*patches)[1]) == 0


def test_a_blocked_run_that_changes_elsewhere_or_not_at_all_is_not_noted_again() -> None:
    _, ledger = mirrored(BLOCKED, BLOCKED, RunPatch(recovery_state="retrying"))
    assert len(ledger) == 1


def test_a_run_that_then_waits_for_something_else_is_unblocked() -> None:
    _, ledger = mirrored(BLOCKED, RunPatch(runtime_condition="resuming"))
    assert [entry.kind for entry in ledger] == ["teammate_approval_blocked", "teammate_approval_unblocked"]


def test_the_snapshot_is_what_the_ledger_heard_last() -> None:
    runs, ledger = mirrored(BLOCKED, RunPatch(grant_attempt=2))
    assert ledger.snapshot("arun-1") == {
        "teammate_runtime_condition": "blocked_waiting_approval",
        "teammate_blocked_reason": "dangerous",
        "teammate_grant_request_id": "grant-arun-1-exec",
        "teammate_grant_attempt": 2,
        "teammate_grant_state": "pending",
    }
    runs.project("arun-1", FREE)
    assert ledger.snapshot("arun-1") == ledger.snapshot("arun-2") == {}


class FullDisk:
    def append(self, entry: LedgerEntry) -> None:
        raise OSError("disk full")


def test_a_ledger_that_fails_never_fails_the_run() -> None:
    failures: list[MirrorFailure] = []
    runs = Runs()
    runs.observers.append(mirror(FullDisk(), CLOCK, failures.append))
    runs.create(a_run())
    assert runs.project("arun-1", BLOCKED).grant_state == "pending"
    [failure] = failures
    assert (failure.run_id, failure.target, failure.phase) == ("arun-1", "agent_run_projection", "append_journal")
    assert failure.error == "OSError: disk full"


def test_nobody_to_tell_of_the_failure_is_no_failure_of_the_run(caplog: pytest.LogCaptureFixture) -> None:
    def tell(failure: Any) -> None:
        raise RuntimeError("no bus")

    observe = mirror(FullDisk(), CLOCK, tell)
    observe(a_run(), BLOCKED.apply(a_run()))
    assert "disk full" in caplog.text
    assert "no bus" in caplog.text
