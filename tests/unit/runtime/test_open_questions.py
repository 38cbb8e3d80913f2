"""While a person is being asked, no wait runs out, whatever model waits; the last word comes after the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.events import ApprovalDecided, TextSaid, ToolFinished
from lango_nb.core.ids import CountedIds
from lango_nb.engine import Engine
from lango_nb.records.turns import Trace
from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest, AskWith
from lango_nb.runtime.ask import read_answer
from lango_nb.runtime.timeouts import Deadline, Pause, Timeouts
from lango_nb.tools.builtin import builtin_tools
from tests.cast import Cast, Line, answers, spawn, until, wait
from tests.loops import run_skipping
from tests.unit.runtime.test_teammates import ERASE, octet

LATER_S = 30.0
"""Longer than any wait of these tests."""


def person(typed: str = "y", after_s: float = LATER_S) -> AskWith:
    """Make somebody who types an answer after a while."""

    async def answer(_request: ApprovalRequest) -> ApprovalAnswer:
        await asyncio.sleep(after_s)
        return read_answer(typed)

    return AskWith(answer)


def erasing(root: Sequence[Line], *, settings: dict[str, Any] | None = None, **options: Any) -> tuple[Trace, Cast]:
    """Have an operator erase something, and somebody be asked about it."""
    lines: dict[str, Sequence[Line]] = {"root": root, "operator": [("fs_erase", {"path": "a"}), "It is gone."]}
    engine, cast = octet(lines, ERASE, settings=settings, **{"approver": person(), **options})
    trace = run_skipping(engine.run("Erase a"))
    assert engine.approvals.pending == ()
    return trace, cast


def order(trace: Trace) -> list[str]:
    """Return the answer, the call and the last word, in the order in which they came."""
    names = {ApprovalDecided: "answer", ToolFinished: "call", TextSaid: "text"}
    events = [event for event in trace.events if not (isinstance(event, ToolFinished) and event.tool != "fs_erase")]
    return [names[type(event)] for event in events if type(event) in names]


@pytest.mark.parametrize("seconds", [0, 1, 20])
def test_a_wait_for_a_run_stands_still_while_a_person_is_asked(seconds: int) -> None:
    trace, cast = erasing([spawn("operator", "erase a"), wait("arun-1", seconds), wait("arun-1", 1), "That was it."])
    first = answers(cast.of("root")[2], "agent_wait")[0]
    assert "condition" not in first  # whatever else it says, it does not say that the run waits for an answer
    assert (trace.turn.outcome, trace.turn.answer) == ("success", "That was it.")
    assert order(trace) == ["answer", "call", "text", "text"]
    assert trace.runs[0].status == "completed"


def test_what_is_left_of_a_wait_goes_on_after_the_answer() -> None:
    async def scene() -> list[float]:
        lines: dict[str, Sequence[Line]] = {"root": [spawn("operator", "go"), "Started."], "operator": [slowly]}
        engine, _ = octet(lines, ERASE)
        now_s = asyncio.get_running_loop().time
        await engine.run("Go")
        prompts = engine.teammates.prompts("arun-1")
        assert prompts is not None
        began_s = now_s()
        waiting = asyncio.ensure_future(engine.teammates.wait("arun-1", 10))
        for _ in range(2):
            await asyncio.sleep(3)
            with prompts:
                await asyncio.sleep(100)
        view = await waiting
        assert view["timeout"] is True
        return [now_s() - began_s, prompts.stood_s()]

    async def slowly(_messages: object) -> Line:
        await asyncio.sleep(1000)
        return "Done."

    assert run_skipping(scene()) == pytest.approx([210, 200])


@pytest.mark.parametrize(
    ("settings", "limit"),
    [
        ({"agent": {"requestTimeout": "5s"}}, {}),
        ({"agent": {"idleTimeout": "5s", "requestTimeout": "10s"}}, {}),
        ({}, {"timeout": 5}),
    ],
    ids=["ceiling", "idle", "run"],
)
def test_a_person_who_thinks_makes_neither_the_turn_nor_its_run_late(
    settings: dict[str, Any], limit: dict[str, int]
) -> None:
    root: list[Line] = [spawn("operator", "erase a", **limit), wait("arun-1", 1), "That was it."]
    trace, _ = erasing(root, settings=settings)
    assert (trace.turn.outcome, trace.turn.answer) == ("success", "That was it.")
    assert [(run.status, run.error_code) for run in trace.runs] == [("completed", "")]


def test_a_run_is_late_by_its_own_time_and_not_by_that_of_a_person() -> None:
    """The question takes 30 s of neither; the work after it takes 6 of 5."""

    async def slowly(_messages: object) -> Line:
        await asyncio.sleep(6)
        return "It is gone."

    engine, _ = octet(
        {
            "root": [spawn("operator", "erase a", timeout=5), wait("arun-1"), wait("arun-1"), "Late."],
            "operator": [("fs_erase", {"path": "a"}), slowly],
        },
        ERASE,
        approver=person(),
    )
    trace = run_skipping(engine.run("Erase a"))
    assert order(trace)[:2] == ["answer", "call"]
    assert [(run.status, run.error_code) for run in trace.runs] == [("failed", "run_timeout")]


def test_a_root_that_does_not_wait_has_its_last_word_after_the_answer() -> None:
    async def at_once(_messages: object) -> Line:
        await until(lambda: bool(engine.approvals.pending))
        return "The operator is at it."

    lines: dict[str, Sequence[Line]] = {
        "root": [spawn("operator", "erase a"), at_once],
        "operator": [("fs_erase", {"path": "a"}), "It is gone."],
    }
    engine, _ = octet(lines, ERASE, approver=person())
    trace = run_skipping(engine.run("Erase a"))
    assert (order(trace)[0], trace.turn.answer) == ("answer", "The operator is at it.")


def test_a_question_that_was_left_open_on_purpose_holds_nobody_up() -> None:
    """With ``hold`` the root hears that the run waits, and says so; the run goes on when somebody comes by."""

    async def scene() -> None:
        trace = await engine.run("Erase a")
        assert trace.turn.answer == "It waits for you."
        (told,) = answers(cast.of("root")[-1], "agent_wait")
        assert (told["condition"], told["timeout"]) == ("blocked_waiting_approval", True)
        await asyncio.sleep(20)  # longer than the run may take
        (question,) = engine.approvals.pending
        question.allow()
        run = await engine.runs.wait("arun-1", 1)
        assert (run.status, run.result) == ("completed", "It is gone.")

    engine, cast = octet(
        {
            "root": [spawn("operator", "erase a", timeout=5), wait("arun-1", 1), "It waits for you."],
            "operator": [("fs_erase", {"path": "a"}), "It is gone."],
        },
        ERASE,
        approver="hold",
    )
    run_skipping(scene())


def test_after_a_held_question_expired_nobody_is_told_that_it_is_pending() -> None:
    async def thinking(_messages: object) -> Line:
        await asyncio.sleep(60)
        return "Then not."

    engine, cast = octet(
        {
            "root": [spawn("operator", "erase a"), wait("arun-1", 1), wait("arun-1", 20), "Nobody answered."],
            "operator": [("fs_erase", {"path": "a"}), thinking],
        },
        ERASE,
        settings={"security": {"interceptor": {"approvalTimeout": "10s"}}},
        approver="hold",
    )
    run_skipping(engine.run("Erase a"))
    before, after = answers(cast.of("root")[-1], "agent_wait")
    assert (before["condition"], before["grant_state"]) == ("blocked_waiting_approval", "pending")
    assert not {"condition", "grant_state"} & set(after)
    assert "expired" in after["blocked_reason"]


@pytest.mark.parametrize(("typed", "is_run"), [("y", True), ("t", True), ("s", True), ("n", False)])
def test_answer_outcome_trace_and_list_say_what_happened(tmp_path: Path, typed: str, is_run: bool) -> None:
    """The offline root waits for one second; the answer comes after three."""
    (tmp_path / "old.txt").write_text("x", encoding="utf-8")
    engine = Engine(
        Settings.model_validate({"background": {"enabled": True}}),
        topology="octet",
        tools=builtin_tools(),
        workspace=tmp_path,
        clock=SteppedClock(),
        ids=CountedIds(),
        approver=person(typed, 3.0),
    )
    trace = run_skipping(engine.run("delete old.txt"))
    assert (tmp_path / "old.txt").exists() is not is_run
    assert ("waiting" in trace.turn.answer, "Deleted old.txt" in trace.turn.answer) == (False, is_run)
    assert (trace.turn.outcome, trace.turn.error_code) == (
        ("success", "") if is_run else ("tool_error", "approval_denied")
    )
    assert [event.allowed for event in trace.events if isinstance(event, ApprovalDecided)] == [is_run]
    (run,) = trace.runs
    assert (run.status, run.runtime_condition) == ("completed", "")
    assert engine.approvals.pending == ()


# -- the clocks --------------------------------------------------------------------------------------------------------


def test_a_clock_that_starts_while_a_question_is_open_stands_still_from_the_beginning() -> None:
    async def scene() -> tuple[float, str]:
        questions, now_s = Pause(), asyncio.get_running_loop().time
        began_s = now_s()

        async def work() -> None:
            deadline = Deadline(Timeouts(idle_s=0.0, ceiling_s=5.0), questions=questions)
            deadline.start(asyncio.current_task())
            try:
                await asyncio.sleep(1000)
            except asyncio.CancelledError:
                assert deadline.absorb()
            reasons.append(deadline.reason)

        reasons: list[str] = []
        with questions:
            task = asyncio.ensure_future(work())
            await asyncio.sleep(10)
        await task
        return now_s() - began_s, reasons[0]

    lasted_s, reason = run_skipping(scene())
    assert (round(lasted_s, 3), reason) == (15, "ceiling")


def test_overlapping_questions_are_one_pause_and_its_end_is_told_on_any_loop() -> None:
    pause = Pause()

    async def other() -> None:
        await pause.over()

    async def scene() -> float:
        with pause:
            listening = asyncio.ensure_future(asyncio.to_thread(asyncio.run, other()))
            await asyncio.sleep(0)
            with pause:
                pass
            assert pause.is_on
        await asyncio.wait_for(listening, 5)
        await pause.over()
        return pause.stood_s()

    stood_s = asyncio.run(scene())
    assert not pause.is_on
    assert stood_s >= 0


def test_a_question_is_closed_even_where_its_loop_is_gone() -> None:
    pause = Pause()

    async def asking() -> None:
        with pause:
            await asyncio.sleep(1000)

    coroutine = asking()

    async def scene() -> None:
        coroutine.send(None)

    asyncio.run(scene())
    coroutine.close()
    assert not pause.is_on
