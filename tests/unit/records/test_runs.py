"""Teammate runs: their states, what may change about them, and waiting for their end from anywhere."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from lango_nb.core.errors import TurnError, UnknownNameError
from lango_nb.core.events import Event, RunFinished
from lango_nb.records.runs import AgentRun, RunEnd, RunPatch, Runs
from tests.loops import run_skipping

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LATER = datetime(2026, 1, 2, tzinfo=UTC)
ENDS: tuple[RunEnd, ...] = ("completed", "failed", "cancelled")


def a_run(run_id: str = "arun-1", **values: Any) -> AgentRun:
    given: dict[str, Any] = {"parent_id": "main", "requested_agent": "vault", "instruction": "Hash it."}
    return AgentRun(id=run_id, created_at=NOW, **{**given, **values})


def started(*run_ids: str) -> Runs:
    runs = Runs()
    for run_id in run_ids or ("arun-1",):
        runs.create(a_run(run_id))
        runs.start(run_id)
    return runs


def waiters(runs: Runs, run_id: str = "arun-1") -> int:
    return len(runs._entries[run_id].waiters)


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.001)


# -- the store ---------------------------------------------------------------------------------------------------------


def test_runs_are_found_by_id_and_listed_in_order_of_creation() -> None:
    runs = Runs()
    assert (runs.list(), len(runs)) == ((), 0)
    for run_id in ("arun-2", "arun-1", "arun-3"):
        assert runs.create(a_run(run_id)).status == "spawned"
    assert [run.id for run in runs] == [run.id for run in runs.list()] == ["arun-2", "arun-1", "arun-3"]
    assert runs.get("arun-3") == a_run("arun-3")


def test_an_id_is_given_once() -> None:
    runs = started()
    with pytest.raises(TurnError, match=r"run arun-1 already exists"):
        runs.create(a_run(instruction="Another."))
    assert runs.get("arun-1").instruction == "Hash it."


@pytest.mark.parametrize(
    "ask",
    [
        lambda runs: runs.get("arun-9"),
        lambda runs: runs.start("arun-9"),
        lambda runs: runs.finish("arun-9", "completed", at=LATER),
        lambda runs: runs.cancel("arun-9", LATER),
        lambda runs: runs.project("arun-9", RunPatch()),
        lambda runs: runs.events("arun-9"),
        lambda runs: asyncio.run(runs.wait("arun-9", 1)),
    ],
)
def test_a_run_that_is_not_there_is_said_so(ask: Callable[[Runs], object]) -> None:
    with pytest.raises(UnknownNameError, match=r"run 'arun-9' not found; did you mean 'arun-1'\?"):
        ask(started())


def test_a_run_goes_from_spawned_to_running_to_its_end() -> None:
    runs = Runs()
    runs.create(a_run())
    assert runs.start("arun-1").status == "running"
    done = runs.finish("arun-1", "failed", "half", "it broke", "tool_error", at=LATER, steps=2, tool_calls=3)
    assert done == runs.get("arun-1")
    assert (done.status, done.result, done.error, done.error_code) == ("failed", "half", "it broke", "tool_error")
    assert (done.completed_at, done.steps, done.tool_calls, done.is_terminal) == (LATER, 2, 3, True)


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize(
    "change",
    [
        lambda runs: runs.start("arun-1"),
        lambda runs: runs.finish("arun-1", "completed", "other", at=LATER),
        lambda runs: runs.cancel("arun-1", LATER),
        lambda runs: runs.project("arun-1", RunPatch(grant_state="granted")),
        lambda runs: runs.project("arun-1", RunPatch()),
    ],
)
def test_a_run_that_has_ended_never_changes(end: RunEnd, change: Callable[[Runs], object]) -> None:
    runs = started()
    before = runs.finish("arun-1", end, "first", at=NOW)
    with pytest.raises(TurnError, match=rf"run arun-1 is already {end}; "):
        change(runs)
    assert runs.get("arun-1") is before


def test_a_snapshot_does_not_change_with_the_run() -> None:
    runs = started()
    before = runs.get("arun-1")
    runs.finish("arun-1", "completed", at=LATER)
    assert before.status == "running"


def test_cancelling_stops_the_work_once_and_keeps_the_reason() -> None:
    stopped: list[str] = []
    runs = Runs()
    runs.create(a_run(), lambda: stopped.append(runs.get("arun-1").status))
    run = runs.cancel("arun-1", LATER, "not needed any more")
    assert (run.status, run.error, run.completed_at) == ("cancelled", "not needed any more", LATER)
    with pytest.raises(TurnError):
        runs.cancel("arun-1", LATER)
    assert stopped == ["cancelled"], "the work sees the run as cancelled already"


def test_a_run_that_ended_by_itself_is_not_stopped() -> None:
    stopped: list[bool] = []
    runs = Runs()
    runs.create(a_run(), lambda: stopped.append(True))
    runs.finish("arun-1", "completed", at=LATER)
    with pytest.raises(TurnError):
        runs.cancel("arun-1", LATER)
    assert stopped == []


def test_work_that_cannot_be_stopped_does_not_keep_the_run_alive(caplog: pytest.LogCaptureFixture) -> None:
    def stop() -> None:
        raise OSError("no such task")

    runs = Runs()
    runs.create(a_run(), stop)
    with caplog.at_level(logging.ERROR, "lango_nb"):
        assert runs.cancel("arun-1", LATER).status == "cancelled"
    assert "arun-1" in caplog.text


def test_only_one_of_many_threads_ends_a_run() -> None:
    runs = started()
    ready = threading.Barrier(8)
    won: list[str] = []

    def end(number: int) -> None:
        ready.wait()
        try:
            runs.finish("arun-1", "completed", str(number), at=LATER)
            won.append(str(number))
        except TurnError:
            pass

    threads = [threading.Thread(target=end, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert won == [runs.get("arun-1").result]


# -- projections -------------------------------------------------------------------------------------------------------


def test_a_patch_changes_what_it_names_and_leaves_the_rest() -> None:
    runs = started()
    runs.project("arun-1", RunPatch(runtime_condition="waiting_on_teammate", waiting_on_run_id="arun-2"))
    run = runs.project("arun-1", RunPatch(recovery_state="retrying"))
    assert (run.runtime_condition, run.waiting_on_run_id, run.recovery_state) == (
        "waiting_on_teammate",
        "arun-2",
        "retrying",
    )
    cleared = runs.project("arun-1", RunPatch(runtime_condition="", waiting_on_run_id="", grant_attempt=0))
    assert (cleared.runtime_condition, cleared.waiting_on_run_id, cleared.recovery_state) == ("", "", "retrying")


def test_a_granted_tool_joins_the_allowed_ones_once() -> None:
    runs = Runs()
    runs.create(a_run(allowed_tools=("fs_read",)))
    for _ in range(2):
        runs.project("arun-1", RunPatch(add_allowed_tool="fs_write"))
    assert runs.get("arun-1").allowed_tools == ("fs_read", "fs_write")


def test_a_run_with_its_whole_scope_is_not_narrowed_by_a_grant() -> None:
    runs = started()
    assert runs.project("arun-1", RunPatch(add_allowed_tool="exec")).allowed_tools is None


def test_observers_see_before_and_after_of_what_changed() -> None:
    runs = started()
    seen: list[tuple[str, str]] = []
    runs.observers.append(lambda before, after: seen.append((before.recovery_state, after.recovery_state)))
    runs.project("arun-1", RunPatch(recovery_state="one"))
    runs.project("arun-1", RunPatch(recovery_state="one"))
    runs.project("arun-1", RunPatch(recovery_state="two"))
    assert seen == [("", "one"), ("one", "two")]


def test_an_observer_that_fails_fails_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    def fail(before: AgentRun, after: AgentRun) -> None:
        raise OSError("disk full")

    runs = started()
    seen: list[str] = []
    runs.observers.extend((fail, lambda _, after: seen.append(after.id)))
    with caplog.at_level(logging.ERROR, "lango_nb"):
        assert runs.project("arun-1", RunPatch(recovery_state="x")).recovery_state == "x"
    assert (runs.get("arun-1").recovery_state, seen) == ("x", ["arun-1"])
    assert "disk full" in caplog.text


def test_an_observer_may_look_at_the_runs_and_project_itself() -> None:
    runs = started()

    def react(before: AgentRun, after: AgentRun) -> None:
        assert runs.get(after.id) == after
        if not after.blocked_reason:
            runs.project(after.id, RunPatch(blocked_reason="seen"))

    runs.observers.append(react)
    runs.project("arun-1", RunPatch(recovery_state="x"))
    assert runs.get("arun-1").blocked_reason == "seen"


def test_observers_hear_projections_of_other_threads_in_the_order_in_which_they_were_made() -> None:
    runs = started()
    seen: list[tuple[int, int]] = []
    second = threading.Thread(target=lambda: runs.project("arun-1", RunPatch(grant_attempt=2)))

    def slowly(before: AgentRun, after: AgentRun) -> None:
        if after.grant_attempt == 1:
            second.start()
            second.join(0.1)  # time enough to overtake, if it could
        seen.append((before.grant_attempt, after.grant_attempt))

    runs.observers.append(slowly)
    runs.project("arun-1", RunPatch(grant_attempt=1))
    second.join()
    assert seen == [(0, 1), (1, 2)]


# -- what is told ------------------------------------------------------------------------------------------------------


BLOCKED: dict[str, Any] = {
    "runtime_condition": "blocked_waiting_approval",
    "blocked_reason": "dangerous",
    "grant_request_id": "grant-arun-1-exec",
    "grant_attempt": 2,
    "grant_state": "pending",
    "waiting_on_run_id": "arun-2",
    "recovery_state": "retrying",
}


def test_a_living_run_tells_what_it_waits_for() -> None:
    assert a_run(status="running", **BLOCKED).view() == {
        "agent_id": "arun-1",
        "status": "running",
        "condition": "blocked_waiting_approval",
        "blocked_reason": "dangerous",
        "grant_request_id": "grant-arun-1-exec",
        "grant_attempt": 2,
        "grant_state": "pending",
        "waiting_on_run_id": "arun-2",
        "recovery_state": "retrying",
    }


def test_what_is_empty_is_not_told() -> None:
    assert a_run().view() == {"agent_id": "arun-1", "status": "spawned"}
    granted = a_run(status="running", grant_state="granted", runtime_condition="", grant_attempt=0)
    assert granted.view() == {"agent_id": "arun-1", "status": "running", "grant_state": "granted"}


def test_a_run_that_has_ended_hides_what_it_waited_for() -> None:
    run = a_run(status="failed", error="it broke", **BLOCKED)
    assert run.view() == {"agent_id": "arun-1", "status": "failed", "error": "it broke"}
    assert replace(run, status="completed", result="done", error="").view() == {
        "agent_id": "arun-1",
        "status": "completed",
        "result": "done",
    }


def test_events_of_a_run_are_kept_also_after_its_end() -> None:
    runs = started()
    event: Event = RunFinished(
        turn_id="turn-1", seq=7, at=NOW, author="vault", run_id="arun-1", status="completed", result="done"
    )
    runs.finish("arun-1", "completed", "done", at=LATER)
    runs.add_event("arun-1", event)
    assert runs.events("arun-1") == (event,)


# -- waiting -----------------------------------------------------------------------------------------------------------


def test_a_run_that_has_ended_is_not_waited_for() -> None:
    runs = started()
    done = runs.finish("arun-1", "completed", at=LATER)
    assert asyncio.run(runs.wait("arun-1", 3600)) is done


@pytest.mark.parametrize("timeout_s", [0, 0.0, -1, float("nan")])
def test_no_time_is_one_look(timeout_s: float) -> None:
    runs = started()
    assert asyncio.run(runs.wait("arun-1", timeout_s)).status == "running"
    assert waiters(runs) == 0


def test_when_the_time_is_up_the_run_is_left_as_it_is() -> None:
    runs = started()
    before = runs.project("arun-1", RunPatch(runtime_condition="blocked_waiting_approval"))
    assert asyncio.run(runs.wait("arun-1", 0.01)) is before
    assert runs.get("arun-1") is before
    assert waiters(runs) == 0


def test_the_run_is_read_again_at_the_deadline() -> None:
    async def scene() -> AgentRun:
        runs = started()
        waiting = asyncio.create_task(runs.wait("arun-1", 0.02))
        await asyncio.sleep(0)
        runs.project("arun-1", RunPatch(recovery_state="changed meanwhile"))
        time.sleep(0.05)  # noqa: ASYNC251 - the loop is busy past the deadline, and the run ends in that time
        runs.finish("arun-1", "completed", "just in time", at=LATER)
        return await waiting

    assert asyncio.run(scene()).result == "just in time"


@pytest.mark.parametrize("end", ["finish", "cancel"])
def test_everybody_who_waits_is_woken_at_once(end: str) -> None:
    async def scene() -> tuple[list[AgentRun], float]:
        runs = started()
        waiting = [asyncio.create_task(runs.wait("arun-1", 60)) for _ in range(50)]
        await asyncio.sleep(0)
        assert waiters(runs) == 50
        if end == "finish":
            runs.finish("arun-1", "completed", "done", at=LATER)
        else:
            runs.cancel("arun-1", LATER)
        found = await asyncio.gather(*waiting)
        assert waiters(runs) == 0
        return found, asyncio.get_running_loop().time()

    found, seconds = run_skipping(scene())
    assert {run.status for run in found} == {"completed" if end == "finish" else "cancelled"}
    assert seconds == 0, "nobody waited for the clock"


def test_a_projection_or_another_run_wakes_nobody() -> None:
    async def scene() -> None:
        runs = started("arun-1", "arun-2")
        waiting = asyncio.create_task(runs.wait("arun-1", 60))
        await asyncio.sleep(0)
        runs.project("arun-1", RunPatch(runtime_condition="recovering"))
        runs.finish("arun-2", "completed", at=LATER)
        for _ in range(5):
            await asyncio.sleep(0)
        assert not waiting.done()
        runs.finish("arun-1", "completed", at=LATER)
        assert (await waiting).is_terminal

    asyncio.run(scene())


def test_a_run_that_ends_on_another_thread_wakes_the_waiter() -> None:
    runs = started()

    def end() -> None:
        until(lambda: waiters(runs) == 1)
        runs.finish("arun-1", "completed", "from afar", at=LATER)

    thread = threading.Thread(target=end)
    thread.start()
    assert asyncio.run(asyncio.wait_for(runs.wait("arun-1", 3600), 60)).result == "from afar"
    thread.join()


def test_a_run_that_ends_on_another_loop_wakes_waiters_on_theirs() -> None:
    runs = started()
    found: list[str] = []

    def wait() -> None:
        found.append(asyncio.run(runs.wait("arun-1", 60)).result)

    async def end() -> None:
        await asyncio.to_thread(until, lambda: waiters(runs) == 3)
        runs.finish("arun-1", "completed", "from another loop", at=LATER)

    threads = [threading.Thread(target=wait) for _ in range(3)]
    for thread in threads:
        thread.start()
    asyncio.run(end())
    for thread in threads:
        thread.join(10)
    assert found == ["from another loop"] * 3
    assert waiters(runs) == 0


def test_a_run_that_ends_while_the_wait_begins_is_not_missed() -> None:
    for _ in range(200):
        runs = started()
        thread = threading.Thread(target=runs.finish, args=("arun-1", "completed"), kwargs={"at": LATER})
        thread.start()
        assert asyncio.run(runs.wait("arun-1", 10)).is_terminal
        thread.join()


def test_a_cancelled_waiter_leaves_nothing_behind() -> None:
    async def scene() -> None:
        runs = started()
        waiting = asyncio.create_task(runs.wait("arun-1", 60))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert waiters(runs) == 0
        assert runs.finish("arun-1", "completed", at=LATER).is_terminal
        assert runs.get("arun-1").status == "completed"

    asyncio.run(scene())


def test_a_waiter_cancelled_as_the_run_ends_is_cancelled() -> None:
    async def scene() -> None:
        runs = started()
        waiting = asyncio.create_task(runs.wait("arun-1", 60))
        await asyncio.sleep(0)
        runs.finish("arun-1", "completed", at=LATER)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert waiters(runs) == 0

    asyncio.run(scene())


def test_a_waiter_whose_loop_is_gone_hinders_nobody() -> None:
    runs = started()
    loop = asyncio.new_event_loop()
    gone = runs.wait("arun-1", 60)
    task = loop.create_task(gone)
    loop.run_until_complete(asyncio.sleep(0))
    assert waiters(runs) == 1
    loop.close()
    assert runs.finish("arun-1", "completed", at=LATER).is_terminal
    gone.close()
    task._log_destroy_pending = False  # type: ignore[attr-defined]  # it is what this test is about
    del task, gone
    gc.collect()
    assert waiters(runs) == 0
