"""The run ledger hears who is blocked and who no longer is, and never stands in the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import StoreError
from lango_nb.frames import ledger_df
from lango_nb.lab import Lab
from lango_nb.records.ledger import Ledger, MirrorFailure
from lango_nb.records.runs import AgentRun, RunPatch, Runs
from lango_nb.stores.documents import DocumentTable
from lango_nb.stores.reading import Reader
from lango_nb.stores.sql import memory_store, sqlite_store
from lango_nb.stores.store import Row

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


def mirrored(*patches: RunPatch) -> tuple[Runs, Ledger]:
    runs, ledger = Runs(), Ledger(memory_store().documents("ledger"), CLOCK)
    runs.observers.append(ledger.observe)
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
    assert blocked.runtime_condition == "blocked_waiting_approval"
    assert (blocked.blocked_reason, blocked.grant_request_id) == ("dangerous", "grant-arun-1-exec")
    assert (blocked.grant_attempt, blocked.grant_state) == (1, "pending")
    assert (free.kind, free.runtime_condition, free.grant_request_id) == ("teammate_approval_unblocked", "", "")
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


def test_another_process_reads_it_later(tmp_path: Path) -> None:
    store = sqlite_store(tmp_path / "records.db")
    ledger = Ledger(store.documents("ledger"), CLOCK)
    ledger.observe(a_run(), BLOCKED.apply(a_run()))
    entries = list(ledger)
    store.close()
    again = sqlite_store(tmp_path / "records.db")
    later = Ledger(again.documents("ledger"), CLOCK)
    assert list(later) == entries
    assert later.snapshot("arun-1")["teammate_grant_state"] == "pending"
    frame = ledger_df(later)
    assert list(frame["grant_request_id"]) == ["grant-arun-1-exec"]
    assert list(frame["agent"]) == ["operator"]
    again.close()


class FullDisk(DocumentTable):
    """Rows on a disk that is full."""

    def add(self, row: Row, *, is_urgent: bool = True) -> None:
        raise StoreError("disk full", "full")


def full_disk() -> FullDisk:
    store = memory_store()
    return FullDisk(store.database, Reader(store.where, []), "ledger")


def test_a_ledger_that_fails_never_fails_the_run(caplog: pytest.LogCaptureFixture) -> None:
    failures: list[MirrorFailure] = []
    runs = Runs()
    runs.observers.append(Ledger(full_disk(), CLOCK, failures.append).observe)
    runs.create(a_run())
    assert runs.project("arun-1", BLOCKED).grant_state == "pending"
    [failure] = failures
    assert (failure.run_id, failure.target, failure.phase) == ("arun-1", "agent_run_projection", "append_journal")
    assert failure.error == "StoreError: disk full"
    assert "disk full" in caplog.text


def test_nobody_to_tell_of_the_failure_is_no_failure_of_the_run(caplog: pytest.LogCaptureFixture) -> None:
    def tell(failure: Any) -> None:
        raise RuntimeError("no bus")

    Ledger(full_disk(), CLOCK, tell).observe(a_run(), BLOCKED.apply(a_run()))
    assert "disk full" in caplog.text
    assert "no bus" in caplog.text


def test_a_lab_shows_it_and_asks_it_with_sql(tmp_path: Path) -> None:
    lab = Lab("octet", store=tmp_path)
    assert "runLedger.enabled and runLedger.writeThrough" in repr(lab.ledger)
    lab.engine.ledger.observe(a_run(), BLOCKED.apply(a_run()))
    assert "grant-arun-1-exec" in repr(lab.ledger)
    assert list(lab.ledger.df["grant_state"]) == ["pending"]
    assert lab.sql("SELECT run_id, kind FROM ledger").record.rows == (("arun-1", "teammate_approval_blocked"),)
    lab.engine.close()
