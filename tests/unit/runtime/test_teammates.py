"""Teammates at work: started, waited for, stopped; beside each other, below each other, beyond their turn."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import ToolError
from lango_nb.core.events import Event, HandOverRefused, PolicyDecided, RunBlocked
from lango_nb.core.ids import CountedIds
from lango_nb.core.messages import ToolCall
from lango_nb.engine import Engine
from lango_nb.records.runs import AgentRun
from lango_nb.records.turns import Trace
from lango_nb.runtime.approvals import Scope
from lango_nb.runtime.control.protocol import Target
from lango_nb.runtime.handoff import spawn_refusal
from lango_nb.specs.agent import Constraints
from lango_nb.specs.topologies import load_topology
from lango_nb.specs.topology import Topology
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool
from tests.cast import Cast, Gate, Line, Person, answers, delegate, errors, merged, spawn, stop, until, wait
from tests.loops import run_skipping

ROOT = "lango-orchestrator"


def look() -> str:
    """Look."""
    return "seen"


async def erase(path: str) -> str:
    """Erase, on the loop itself: in a thread it could take any time."""
    return f"{path} is gone"


LOOKS = [
    tool(look, name=name, safety="safe") for name in ("fs_look", "crypto_look", "search_look", "browser_look", "cron_x")
]
ERASE = tool(erase, name="fs_erase", safety="dangerous")


def octet(
    lines: Mapping[str, Sequence[Line]], *tools: Tool, settings: Mapping[str, Any] | None = None, **options: Any
) -> tuple[Engine, Cast]:
    cast = Cast(lines)
    defaults: dict[str, Any] = {"clock": SteppedClock(), "ids": CountedIds(), "approver": "allow"}
    engine = Engine(
        Settings.model_validate(merged({"background": {"enabled": True}}, settings or {})),
        topology="octet",
        tools=[*builtin_tools(), *LOOKS, *tools],
        model=cast,
        **{**defaults, **options},
    )
    return engine, cast


def codes(trace: Trace) -> list[str]:
    return [event.code for event in trace.events if isinstance(event, HandOverRefused)]


def ended(engine: Engine, run_id: str = "arun-1") -> tuple[str, str]:
    run = engine.runs.get(run_id)
    return run.status, run.error_code


# -- waiting -----------------------------------------------------------------------------------------------------------


def test_a_run_that_ends_at_the_deadline_is_read_once_more() -> None:
    engine, _ = octet({"root": [spawn("operator", "go"), "Started."], "operator": [Gate().then("never")]})

    async def scene() -> dict[str, Any]:
        await engine.run("Go")
        loop = asyncio.get_running_loop()
        waiting = asyncio.ensure_future(engine.teammates.wait("arun-1", 0.02))
        await asyncio.sleep(0)
        loop.call_later(0.02, lambda: engine.runs.cancel("arun-1", engine.clock.now()))
        return await waiting  # the time is up, and the run ends, before whoever waits is back

    view = run_skipping(scene())
    assert view["status"] == "cancelled"
    assert "timeout" not in view


@pytest.mark.parametrize("seconds", [0, 0.01])
def test_a_time_out_says_so_and_leaves_the_run_as_it_is(seconds: float) -> None:
    gate = Gate()
    engine, _ = octet({"root": [spawn("operator", "go"), "Started."], "operator": [gate.then("Done.")]})

    async def scene() -> None:
        await engine.run("Go")
        await gate.arrived.wait()
        before = engine.runs.get("arun-1")
        view = await engine.teammates.wait("arun-1", seconds)
        assert view == {"agent_id": "arun-1", "status": "running", "timeout": True}
        assert engine.runs.get("arun-1") == before
        gate.opened.set()
        assert (await engine.teammates.wait("arun-1", 60))["result"] == "Done."

    asyncio.run(scene())


def test_waiting_and_stopping_name_the_run_that_is_not_there() -> None:
    engine, _ = octet({"root": [spawn("operator", "go"), wait("arun-1"), "Done."], "operator": ["Seen."]})
    engine.run_sync("Go")
    with pytest.raises(ToolError, match=r"agent wait: .*'arun-7'.*arun-1"):
        asyncio.run(engine.teammates.wait("arun-7", 0))
    with pytest.raises(ToolError, match=r"agent stop: .*'arun-7'"):
        asyncio.run(engine.teammates.stop("arun-7"))
    with pytest.raises(ToolError, match=r"agent stop: run arun-1 is already completed"):
        asyncio.run(engine.teammates.stop("arun-1"))


def test_waiting_again_for_a_living_run_is_no_loop() -> None:
    gate = Gate()
    again: list[Line] = [wait("arun-1", 0)] * 8
    engine, cast = octet(
        {
            "root": [spawn("operator", "go"), *again, gate.opening(wait("arun-1")), "Done."],
            "operator": [gate.then("ok")],
        }
    )
    trace = engine.run_sync("Go")
    assert (trace.turn.outcome, trace.turn.answer) == ("success", "Done.")
    told = answers(cast.of("root")[-1], "agent_wait")
    assert [view.get("timeout") for view in told] == [True] * 8 + [None]


# -- time --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["model", "tool"])
def test_the_time_of_a_run_is_kept(where: str) -> None:
    gate = Gate()
    lines: list[Line] = [gate.then("never")] if where == "model" else [("fs_hold", {})]
    engine, cast = octet(
        {"root": [spawn("operator", "go"), wait("arun-1"), "It took too long."], "operator": lines},
        gate.tool("fs_hold"),
    )
    engine.teammates.timeout_s = 0.05
    trace = engine.run_sync("Go")
    (run,) = trace.runs
    assert (run.status, run.error_code, run.timeout_s) == ("failed", "run_timeout", 0.05)
    assert "0.05 s" in run.error
    assert answers(cast.of("root")[-1], "agent_wait")[0]["status"] == "failed"
    kinds = [event.kind for event in engine.runs.events("arun-1")]
    assert kinds[-2:] == ["run.finished", "child.discarded"]
    assert kinds.count("tool.started") == kinds.count("tool.finished")
    assert (trace.turn.outcome != "success", trace.turn.error_code) == (True, "run_timeout")


def test_a_run_has_the_time_that_was_asked_for() -> None:
    engine, _ = octet({"root": [spawn("operator", "go", timeout=7), wait("arun-1"), "Done."], "operator": ["Seen."]})
    assert engine.run_sync("Go").runs[0].timeout_s == 7


def test_waiting_for_a_place_takes_none_of_the_time() -> None:
    gate = Gate()
    engine, _ = octet(
        {
            "root": [[spawn("operator", "one", timeout=9), spawn("operator", "two", timeout=2)], "Started."],
            "one": [gate.then("1")],
            "two": ["2"],
        },
        settings={"background": {"maxConcurrentTasks": 1}},
    )

    async def scene() -> None:
        await engine.run("Go")
        await asyncio.sleep(5)
        gate.opened.set()
        assert (await engine.runs.wait("arun-2", 60)).status == "completed"

    run_skipping(scene())


# -- stopping ----------------------------------------------------------------------------------------------------------


def test_stop_ends_the_work_at_once_wherever_it_is() -> None:
    gate = Gate()
    engine, _ = octet(
        {"root": [spawn("operator", "go"), "Started."], "operator": [("fs_hold", {}), "never"]}, gate.tool("fs_hold")
    )

    async def scene() -> None:
        await engine.run("Go")
        await gate.arrived.wait()
        assert await engine.teammates.stop("arun-1") == {"agent_id": "arun-1", "status": "cancelled"}
        await until(lambda: len(asyncio.all_tasks()) == 1)

    asyncio.run(scene())
    run = engine.runs.get("arun-1")
    assert (run.status, run.error) == ("cancelled", "stopped by agent_stop")
    interrupted = [event for event in engine.runs.events("arun-1") if event.kind == "tool.finished"]
    assert [(event.is_error, event.code) for event in interrupted] == [(True, "interrupted")]
    assert engine.teammates.children.active() == ()
    assert "cancelled" in engine.session().messages[-1].content


def test_a_run_that_was_stopped_is_no_failure_of_the_turn() -> None:
    engine, cast = octet(
        {
            "root": [spawn("operator", "go"), stop("arun-1"), wait("arun-1"), "I stopped it."],
            "operator": [Gate().then("never")],
        }
    )
    trace = engine.run_sync("Go")
    assert (trace.turn.outcome, trace.turn.error_code) == ("success", "")
    assert answers(cast.of("root")[-1], "agent_wait")[0]["status"] == "cancelled"


def test_stopping_from_another_thread_stops_the_task() -> None:
    gate = Gate()
    engine, _ = octet({"root": [spawn("operator", "go"), "Started."], "operator": [gate.then("never")]})

    async def scene() -> None:
        await engine.run("Go")
        await gate.arrived.wait()
        stopping = threading.Thread(target=lambda: engine.runs.cancel("arun-1", engine.clock.now(), "by hand"))
        stopping.start()
        stopping.join(60)
        await until(lambda: len(asyncio.all_tasks()) == 1)

    asyncio.run(scene())
    assert engine.runs.get("arun-1").error == "by hand"
    assert [event.kind for event in engine.runs.events("arun-1")][-2:] == ["run.finished", "child.discarded"]


# -- beyond the turn ---------------------------------------------------------------------------------------------------


def test_a_run_outlives_its_turn_and_a_later_turn_picks_it_up() -> None:
    gate = Gate()
    engine, cast = octet(
        {"root": [spawn("operator", "go"), "Started.", gate.opening(wait("arun-1")), "It says seen."],
         "operator": [gate.then(("fs_look", {})), "seen"]}
    )  # fmt: skip
    heard: list[Event] = []
    during: list[Event] = []
    engine.listeners.append(heard.append)

    async def scene() -> tuple[Trace, Trace]:
        first = await engine.run("Go", on_event=during.append)
        assert not engine.runs.get("arun-1").is_terminal
        return first, await engine.run("What does it say?")

    first, second = asyncio.run(scene())
    assert answers(cast.of("root")[-1], "agent_wait") == [
        {"agent_id": "arun-1", "status": "completed", "result": "seen"}
    ]
    assert first.runs[0].status in {"spawned", "running"}, "a trace is what was known when it was closed"
    assert first.events == tuple(during)
    assert first.events[-1].kind == "turn.finished"
    assert second.runs == ()
    own = engine.runs.events("arun-1")
    assert [event.kind for event in own][-3:] == ["text", "run.finished", "child.merged"]
    assert {event.turn_id for event in own} == {first.turn.id}
    later = [event for event in heard if event.turn_id == first.turn.id and event not in first.events]
    assert [event.kind for event in later] == ["tool.started", "tool.finished", "text", "run.finished", "child.merged"]
    assert [event.seq for event in heard if event.turn_id == first.turn.id] == list(range(1, len(first.events) + 6))
    said = [(message.author, message.content) for message in engine.session().messages]
    assert said.count((ROOT, "operator reports: seen")) == 1
    assert said[:2] == [("user", "Go"), (ROOT, "Started.")]


def test_a_run_can_be_waited_for_from_another_loop() -> None:
    gate = Gate()
    engine, cast = octet(
        {
            "root": [spawn("operator", "go"), "Started.", wait("arun-1"), "It says seen."],
            "operator": [gate.then("seen")],
        }
    )
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(engine.run("Go"), loop).result(5)

        async def later() -> Trace:
            turn = asyncio.ensure_future(engine.run("And?"))
            await until(lambda: len(cast.of("root")) == 3)
            loop.call_soon_threadsafe(gate.opened.set)
            return await turn

        trace = asyncio.run(later())
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(60)
        loop.close()
    assert trace.turn.answer == "It says seen."
    assert answers(cast.of("root")[-1], "agent_wait")[0]["result"] == "seen"


def test_a_cancelled_turn_stops_its_runs() -> None:
    gate = Gate()
    engine, _ = octet(
        {"root": [[spawn("operator", "one"), spawn("planner", "two")], Gate().then("never")],
         "one": [gate.then("never")], "two": [gate.then("never")]}
    )  # fmt: skip

    async def scene() -> None:
        turn = asyncio.ensure_future(engine.run("Go"))
        await until(lambda: [run.status for run in engine.runs] == ["running", "running"])
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        await until(lambda: len(asyncio.all_tasks()) == 1)

    asyncio.run(scene())
    assert [run.status for run in engine.runs] == ["cancelled", "cancelled"]
    assert engine.traces.get(-1).turn.outcome == "cancelled"
    assert [run.status for run in engine.traces.get(-1).runs] == ["cancelled", "cancelled"]
    assert engine.teammates.children.active() == ()


@pytest.mark.parametrize(
    ("last", "settings", "outcome"),
    [
        (RuntimeError("HTTP 401"), {}, "model_error"),
        (Gate().then("never"), {"agent": {"requestTimeout": "50ms"}}, "timeout"),
    ],
)
def test_a_turn_that_fails_stops_its_runs(last: Line, settings: dict[str, Any], outcome: str) -> None:
    engine, _ = octet({"root": [spawn("operator", "go"), last], "operator": [Gate().then("never")]}, settings=settings)
    trace = engine.run_sync("Go")
    assert trace.turn.outcome == outcome
    assert [run.status for run in trace.runs] == ["cancelled"]


def test_closing_the_engine_stops_every_run() -> None:
    engine, _ = octet(
        {"root": [[spawn("operator", "one"), spawn("vault", "two")], "Started."],
         "one": [Gate().then("never")], "two": ["Two."]}
    )  # fmt: skip

    async def scene() -> None:
        await engine.run("Go")
        await engine.runs.wait("arun-2", 60)
        engine.close()
        await until(lambda: len(asyncio.all_tasks()) == 1)

    asyncio.run(scene())
    assert [ended(engine, run.id) for run in engine.runs] == [("cancelled", "cancelled"), ("completed", "")]
    assert engine.runs.get("arun-1").error == "the engine was closed"
    engine.close()
    Engine().close()


def test_the_end_of_the_loop_ends_its_runs() -> None:
    engine, _ = octet({"root": [spawn("operator", "go"), "Started."], "operator": [Gate().then("never")]})
    asyncio.run(engine.run("Go"))
    assert ended(engine) == ("cancelled", "cancelled")
    assert engine.teammates.children.active() == ()


@pytest.mark.parametrize("is_waited_for", [True, False])
def test_a_run_whose_loop_was_closed_is_orphaned_and_its_place_is_free(is_waited_for: bool) -> None:
    """The first two runs are left behind, one at work and one waiting for its place."""
    engine, _ = octet(
        {
            "root": [
                [spawn("operator", "one"), spawn("operator", "two")],
                "Started.",
                *([wait("arun-1")] if is_waited_for else []),
                spawn("operator", "three"),
                "Ok.",
            ],
            "one": [Gate().then("never")],
            "two": ["never"],
            "three": ["Three."],
        },
        settings={"background": {"maxConcurrentTasks": 1}},
    )

    async def later() -> None:
        await engine.run("And now?")
        assert (await engine.runs.wait("arun-3", 60)).result == "Three."

    loop = asyncio.new_event_loop()
    loop.run_until_complete(engine.run("Go"))
    loop.run_until_complete(asyncio.sleep(0))
    assert [run.status for run in engine.runs] == ["running", "spawned"]
    logging.getLogger("asyncio").disabled = True  # it complains of the tasks that were left
    try:
        loop.close()
        asyncio.run(later())
        gc.collect()
    finally:
        logging.getLogger("asyncio").disabled = False
    assert [ended(engine, run.id) for run in engine.runs] == [
        ("failed", "orphaned"),
        ("failed", "orphaned"),
        ("completed", ""),
    ]
    assert engine.teammates.children.active() == ()


# -- beside each other -------------------------------------------------------------------------------------------------


def test_no_more_runs_work_at_once_than_the_setting_allows() -> None:
    at_work: list[int] = []
    living: set[str] = set()

    async def work(name: str) -> str:
        living.add(name)
        at_work.append(len(living))
        await asyncio.sleep(0.01)
        living.discard(name)
        return name

    def working(name: str) -> Line:
        async def play(_messages: object) -> Line:
            return await work(name)

        return play

    orders = [f"order {number}" for number in range(7)]
    waits = [wait(f"arun-{number}") for number in range(1, 8)]
    engine, _ = octet(
        {"root": [[spawn("operator", order) for order in orders], waits, "Done."],
         **{order: [working(order)] for order in orders}},
        settings={"background": {"maxConcurrentTasks": 3}},
    )  # fmt: skip
    trace = engine.run_sync("Go")
    assert max(at_work) == 3
    assert [run.result for run in trace.runs] == orders


def test_a_run_that_waits_for_a_place_can_be_stopped_and_frees_none() -> None:
    gate = Gate()
    engine, cast = octet(
        {"root": [[spawn("operator", "one"), spawn("operator", "two"), spawn("operator", "three")], "Started."],
         "one": [gate.then("1")], "two": ["2"], "three": ["3"]},
        settings={"background": {"maxConcurrentTasks": 1}},
    )  # fmt: skip

    async def scene() -> None:
        await engine.run("Go")
        await gate.arrived.wait()
        assert [run.status for run in engine.runs] == ["running", "spawned", "spawned"]
        await engine.teammates.stop("arun-2")
        await asyncio.sleep(0.01)
        assert engine.runs.get("arun-3").status == "spawned"
        gate.opened.set()
        assert (await engine.runs.wait("arun-3", 60)).result == "3"

    asyncio.run(scene())
    assert [run.status for run in engine.runs] == ["completed", "cancelled", "completed"]
    assert not [asked for asked in cast.asked if asked.order == "two"]


def test_a_failed_run_leaves_the_others_alone() -> None:
    engine, cast = octet(
        {"root": [[spawn("operator", "one"), spawn("operator", "two")], [wait("arun-1"), wait("arun-2")], "Half."],
         "one": [RuntimeError("out of order")], "two": [("fs_look", {}), "seen"]}
    )  # fmt: skip
    trace = engine.run_sync("Go")
    assert [run.status for run in trace.runs] == ["failed", "completed"]
    assert [view["status"] for view in answers(cast.of("root")[-1], "agent_wait")] == ["failed", "completed"]
    assert trace.turn.outcome == "model_error"


# -- below each other --------------------------------------------------------------------------------------------------


def test_a_run_may_make_runs_whose_result_stays_with_it() -> None:
    engine, cast = octet(
        {
            "root": [spawn("operator", "upper"), wait("arun-1"), "Done."],
            "upper": [spawn("vault", "lower"), wait("arun-2"), "upper heard it"],
            "lower": [("crypto_look", {}), "canary"],
        },
        settings={"background": {"maxConcurrentTasks": 1}},
    )
    trace = engine.run_sync("Go")
    upper, lower = trace.runs
    assert (upper.spawn_depth, upper.parent_run_id, upper.spawned_by) == (1, "", ROOT)
    assert (lower.spawn_depth, lower.parent_run_id, lower.spawned_by) == (2, "arun-1", "operator")
    assert answers(cast.of("operator")[-1], "agent_wait")[0]["result"] == "canary"
    kept = "\n".join(message.content for message in engine.session().messages)
    assert "upper heard it" in kept
    assert "canary" not in kept


def test_what_a_run_of_a_run_comes_to_never_reaches_the_conversation_not_even_later() -> None:
    gate = Gate()
    engine, _ = octet(
        {
            "root": [spawn("operator", "upper"), "Started."],
            "upper": [gate.then(spawn("vault", "lower")), wait("arun-2"), "upper heard it"],
            "lower": ["canary"],
        }
    )

    async def scene() -> None:
        await engine.run("Go")
        gate.opened.set()
        assert (await engine.runs.wait("arun-1", 60)).status == "completed"

    asyncio.run(scene())
    assert engine.runs.get("arun-2").result == "canary"
    assert [message.content for message in engine.session().messages] == [
        "Go",
        "Started.",
        "operator reports: upper heard it",
    ]


def test_runs_go_three_deep_and_no_deeper() -> None:
    engine, cast = octet(
        {
            "root": [spawn("operator", "1"), wait("arun-1"), "Done."],
            "1": [spawn("vault", "2"), wait("arun-2"), "first"],
            "2": [spawn("librarian", "3"), wait("arun-3"), "second"],
            "3": [spawn("planner", "4"), "third"],
        }
    )
    trace = engine.run_sync("Go")
    assert codes(trace) == ["depth"]
    assert [run.spawn_depth for run in trace.runs] == [1, 2, 3]
    assert "depth 4" in errors(cast.of("librarian")[-1])[0]


@pytest.mark.parametrize(("target", "code"), [("vault", "self"), ("operator", "cycle")])
def test_runs_make_no_ring(target: str, code: str) -> None:
    engine, cast = octet(
        {
            "root": [spawn("operator", "1"), wait("arun-1"), "Done."],
            "1": [spawn("vault", "2"), wait("arun-2"), "first"],
            "2": [spawn(target, "3"), "second"],
        }
    )
    trace = engine.run_sync("Go")
    assert codes(trace) == [code]
    assert [run.status for run in trace.runs] == ["completed", "completed"]
    assert target in errors(cast.of("vault")[-1])[0]


def test_what_a_stopped_run_started_is_stopped_too() -> None:
    gate = Gate()
    engine, _ = octet(
        {
            "root": [spawn("operator", "upper"), "Started."],
            "upper": [spawn("vault", "lower"), wait("arun-2"), "never"],
            "lower": [gate.then("never")],
        }
    )

    async def scene() -> None:
        await engine.run("Go")
        await gate.arrived.wait()
        await engine.teammates.stop("arun-1")
        await until(lambda: len(asyncio.all_tasks()) == 1)

    asyncio.run(scene())
    assert [run.status for run in engine.runs] == ["cancelled", "cancelled"]
    assert engine.teammates.children.active() == ()


# -- leave to use a tool -----------------------------------------------------------------------------------------------


def erasing(
    *, approver: object = "hold", settings: Mapping[str, Any] | None = None, calls: Sequence[Line] = ()
) -> tuple[Engine, Cast]:
    return octet(
        {
            "root": [spawn("operator", "go", allowed_tools=["fs_look"]), wait("arun-1"), "Done."],
            "operator": [*(calls or [("fs_erase", {"path": "a"})]), "That was it."],
        },
        ERASE,
        approver=approver,
        settings=settings,
    )


def blocked(trace: Trace) -> list[tuple[str, str, int, str]]:
    return [
        (event.condition, event.grant_request_id, event.grant_attempt, event.grant_state)
        for event in trace.events
        if isinstance(event, RunBlocked)
    ]


def asked_then(engine: Engine, answer: Callable[[Any], object]) -> Trace:
    """Run a turn, look at the run while it waits, and answer its question."""

    async def scene() -> Trace:
        turn = asyncio.ensure_future(engine.run("Go"))
        await until(lambda: bool(engine.approvals.pending))
        run = engine.runs.get("arun-1")
        assert (run.status, run.runtime_condition) == ("running", "blocked_waiting_approval")
        assert (run.grant_request_id, run.grant_attempt) == ("grant-arun-1-fs_erase", 1)
        assert (run.grant_state, bool(run.blocked_reason)) == ("pending", True)
        (question,) = engine.approvals.pending
        assert (question.id, question.request.run_id) == (run.grant_request_id, "arun-1")
        answer(question)
        return await turn

    return asyncio.run(scene())


def test_a_blocked_run_goes_on_when_leave_is_given() -> None:
    engine, cast = erasing()
    trace = asked_then(engine, lambda question: question.allow())
    request = "grant-arun-1-fs_erase"
    assert blocked(trace) == [("blocked_waiting_approval", request, 1, "pending"), ("", "", 0, "granted")]
    assert "a is gone" in cast.of("operator")[-1].text
    run = engine.runs.get("arun-1")
    assert (run.allowed_tools, run.grant_state) == (("fs_look",), "granted"), "leave for one call gives no tool"
    assert run.view() == {"agent_id": "arun-1", "status": "completed", "result": "That was it."}
    decided = [(event.tool, event.decision) for event in trace.events if isinstance(event, PolicyDecided)]
    assert decided == [("fs_erase", "needs_approval")]


def test_a_blocked_run_goes_on_without_its_tool_when_it_is_refused() -> None:
    engine, cast = erasing()
    trace = asked_then(engine, lambda question: question.deny("not today"))
    assert blocked(trace)[-1] == ("", "", 0, "denied")
    assert "not today" in errors(cast.of("operator")[-1])[0]
    run = engine.runs.get("arun-1")
    assert (run.allowed_tools, run.grant_state, run.blocked_reason) == (("fs_look",), "denied", "not today")
    assert (run.status, run.error_code) == ("completed", "approval_denied")


def test_an_expired_question_is_asked_again_as_a_further_attempt() -> None:
    calls: list[Line] = [("fs_erase", {"path": name}) for name in "ab"]
    engine, cast = erasing(calls=calls, settings={"security": {"interceptor": {"approvalTimeout": "20ms"}}})
    trace = engine.run_sync("Go")
    request = "grant-arun-1-fs_erase"
    assert blocked(trace) == [
        entry for n in (1, 2) for entry in (("blocked_waiting_approval", request, n, "pending"), ("", request, n, ""))
    ]
    assert ["expired" in text for text in errors(cast.of("operator")[-1])] == [True, True]
    run = engine.runs.get("arun-1")
    assert (run.status, "condition" in run.view()) == ("completed", False)


def test_another_tool_is_another_request() -> None:
    calls: list[Line] = [("fs_erase", {"path": "a"}), ("fs_wipe", {"path": "a"})]
    engine, _ = erasing(calls=calls, settings={"security": {"interceptor": {"approvalTimeout": "20ms"}}})
    engine.add_tools(tool(erase, name="fs_wipe", safety="dangerous"))
    assert [(request, attempt) for _, request, attempt, state in blocked(engine.run_sync("Go")) if state] == [
        ("grant-arun-1-fs_erase", 1),
        ("grant-arun-1-fs_wipe", 1),
    ]


def test_after_a_no_a_new_block_begins_at_the_first_attempt() -> None:
    calls: list[Line] = [("fs_erase", {"path": name}) for name in "ab"]
    engine, _ = erasing(calls=calls, approver=Person(allows=False))
    pending = [entry for entry in blocked(engine.run_sync("Go")) if entry[3] == "pending"]
    assert pending == [("blocked_waiting_approval", "grant-arun-1-fs_erase", 1, "pending")] * 2


def test_leave_can_be_given_where_runs_are_held_to_their_lists() -> None:
    """AccessControl stands before ApprovalGate: it may not block what somebody is about to be asked about."""
    engine, cast = erasing(approver=Person(), settings={"hooks": {"accessControl": True}})
    trace = engine.run_sync("Go")
    assert "a is gone" in cast.of("operator")[-1].text
    assert blocked(trace)[-1][3] == "granted"


def test_leave_is_needed_where_nothing_else_is_asked() -> None:
    person = Person()
    engine, _ = erasing(approver=person, settings={"security": {"interceptor": {"enabled": False}}})
    trace = engine.run_sync("Go")
    assert [request.tool for request in person.asked] == ["fs_erase"]
    assert blocked(trace)[-1][3] == "granted"


POLICIES = [
    *({"approvalPolicy": policy} for policy in ("none", "configured", "dangerous", "all")),
    {"enabled": False},
    {"enabled": False, "approvalPolicy": "all"},
]
IS_ASKING = ("dangerous", "all")


def erasing_three(interceptor: Mapping[str, Any], scope: Scope) -> list[str]:
    """Have a run erase a, b and a again, with leave of that scope for each; return what a person was asked about."""
    person = Person(scope=scope)
    calls: list[Line] = [("fs_erase", {"path": name}) for name in "aba"]
    engine, cast = erasing(approver=person, calls=calls, settings={"security": {"interceptor": dict(interceptor)}})
    engine.run_sync("Go")
    assert [message.content for message in cast.of("operator")[-1].messages if message.tool_name == "fs_erase"] == [
        "a is gone",
        "b is gone",
        "a is gone",
    ]
    return [str(request.arguments["path"]) for request in person.asked if request.tool == "fs_erase"]


@pytest.mark.parametrize("interceptor", POLICIES, ids=str)
def test_leave_for_one_call_covers_no_other_arguments_whatever_the_policy(interceptor: Mapping[str, Any]) -> None:
    assert erasing_three(interceptor, "once") == ["a", "b", "a"]


@pytest.mark.parametrize("scope", ["turn", "session"])
@pytest.mark.parametrize("interceptor", POLICIES, ids=str)
def test_leave_for_longer_gives_the_tool_and_the_policy_still_asks_about_other_arguments(
    interceptor: Mapping[str, Any], scope: Scope
) -> None:
    asks = interceptor.get("enabled", True) and interceptor["approvalPolicy"] in IS_ASKING
    assert erasing_three(interceptor, scope) == (["a", "b"] if asks else ["a"])


def test_an_answer_that_was_known_already_gives_a_run_no_tool() -> None:
    """The first run has the tool and is asked about a call; the second, which has not, makes the same call."""
    person = Person(scope="turn")
    erase_a: Line = ("fs_erase", {"path": "a"})
    engine, _ = octet(
        {
            "root": [spawn("operator", "one"), wait("arun-1"), spawn("operator", "two", allowed_tools=["fs_look"]),
                     wait("arun-2"), "Done."],
            "one": [erase_a, "One."],
            "two": [erase_a, "Two."],
        },
        ERASE,
        approver=person,
    )  # fmt: skip
    engine.run_sync("Go")
    assert len(person.asked) == 1
    assert engine.runs.get("arun-2").allowed_tools == ("fs_look",)


def test_a_run_that_is_stopped_while_it_waits_withdraws_its_question() -> None:
    engine, _ = erasing()
    engine.model = Cast({"root": [spawn("operator", "go"), "Started."], "operator": [("fs_erase", {"path": "a"})]})

    async def scene() -> None:
        await engine.run("Go")
        await until(lambda: bool(engine.approvals.pending))
        await engine.teammates.stop("arun-1")
        await until(lambda: len(asyncio.all_tasks()) == 1)

    asyncio.run(scene())
    assert engine.approvals.pending == ()
    assert engine.runs.get("arun-1").status == "cancelled"


def test_a_waiting_person_does_not_make_the_turn_time_out() -> None:
    engine, _ = erasing(settings={"agent": {"idleTimeout": "50ms", "requestTimeout": "5s"}})

    async def scene() -> Trace:
        turn = asyncio.ensure_future(engine.run("Go"))
        await until(lambda: bool(engine.approvals.pending))
        await asyncio.sleep(0.12)
        engine.approvals.pending[0].allow()
        return await turn

    assert run_skipping(scene()).turn.outcome == "success"


# -- delegates ---------------------------------------------------------------------------------------------------------


def delegating(**delegates: tuple[str, ...]) -> Topology:
    sextet = load_topology("sextet")
    agents = tuple(
        spec.with_changes(constraints=Constraints(can_spawn=True), delegates=delegates[spec.name])
        if spec.name in delegates
        else spec
        for spec in sextet.agents
    )
    return sextet.model_copy(update={"control": "delegate", "agents": agents, "max_rounds": 10})


def delegates(lines: Mapping[str, Sequence[Line]], *tools: Tool, **further: tuple[str, ...]) -> tuple[Engine, Cast]:
    cast = Cast(lines)
    engine = Engine(
        topology=delegating(**further),
        tools=[*LOOKS, *tools],
        model=cast,
        clock=SteppedClock(),
        ids=CountedIds(),
        approver="allow",
    )
    return engine, cast


def results(cast: Cast, agent: str = "root") -> list[tuple[str, bool]]:
    """Return what delegations came to, and whether each failed."""
    messages = cast.of(agent)[-1].messages
    return [(message.content, message.is_error) for message in messages if message.tool_name == "delegate"]


def test_delegates_of_one_reply_work_at_the_same_time() -> None:
    goals = [f"goal {number}" for number in range(8)]

    begun: list[int] = []

    async def together(number: int) -> str:
        """Go on when all eight have begun."""
        begun.append(number)
        await until(lambda: len(begun) == 8)
        return "met"

    engine, cast = delegates(
        {
            "root": [[delegate("operator", goal) for goal in goals], "All eight."],
            **{goal: [("fs_meet", {"number": number}), f"{goal} is reached"] for number, goal in enumerate(goals)},
        },
        tool(together, name="fs_meet", safety="safe"),
    )

    trace = asyncio.run(engine.run("Go"))
    assert results(cast) == [(f"{goal} is reached", False) for goal in goals], "in the order of the calls"
    assert trace.turn.rounds == 1
    assert sorted(begun) == list(range(8))


def test_a_delegate_sees_its_goal_and_nothing_else() -> None:
    engine, cast = delegates(
        {
            "root": [delegate("operator", "look", hints=["the door"]), delegate("vault", "sign"), "Done."],
            "operator": ["I see a door."],
            "vault": ["Signed."],
        }
    )
    engine.run_sync("A secret wish")
    for agent, order in (("operator", "look\n\nHints:\n- the door"), ("vault", "sign")):
        (asked,) = cast.of(agent)
        assert [(message.role, message.content) for message in asked.messages[1:]] == [("user", order)]
    assert results(cast) == [("I see a door.", False), ("Signed.", False)]


def test_a_failed_delegate_is_an_error_for_whoever_asked() -> None:
    engine, cast = delegates(
        {
            "root": [[delegate("operator", "one"), delegate("vault", "two")], "Half of it."],
            "one": [RuntimeError("out of order")],
            "two": ["Two."],
        }
    )
    trace = engine.run_sync("Go")
    (failed, is_error), done = results(cast)
    assert (failed.startswith("operator failed: "), is_error) == (True, True)
    assert done == ("Two.", False)
    assert [run.status for run in trace.runs] == ["failed", "completed"]
    assert trace.turn.answer == "Half of it."


def test_a_delegate_may_delegate_further() -> None:
    engine, cast = delegates(
        {
            "root": [delegate("operator", "upper"), "Done."],
            "upper": [delegate("vault", "lower"), "heard"],
            "lower": ["canary"],
        },
        operator=("vault",),
    )
    trace = engine.run_sync("Go")
    assert results(cast, "operator") == [("canary", False)]
    assert results(cast) == [("heard", False)]
    assert [(run.spawn_depth, run.parent_run_id) for run in trace.runs] == [(1, ""), (2, "arun-1")]
    assert "canary" not in "\n".join(message.content for message in engine.session().messages)


def test_a_cancelled_turn_stops_its_delegates() -> None:
    gate = Gate()
    engine, _ = delegates(
        {"root": [[delegate("operator", "one"), delegate("vault", "two")]],
         "one": [gate.then("never")], "two": [gate.then("never")]}
    )  # fmt: skip

    async def scene() -> None:
        turn = asyncio.ensure_future(engine.run("Go"))
        await until(lambda: [run.status for run in engine.runs] == ["running", "running"])
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        await until(lambda: len(asyncio.all_tasks()) == 1)

    asyncio.run(scene())
    assert [run.status for run in engine.runs] == ["cancelled", "cancelled"]
    trace = engine.traces.get(-1)
    asked = [call.id for message in trace.messages for call in message.tool_calls]
    assert [message.tool_call_id for message in trace.messages if message.role == "tool"] == asked


# -- what the service says where there is no runtime -------------------------------------------------------------------


def test_spawn_as_a_plain_tool_says_that_nobody_works_in_runs_here() -> None:
    cast = Cast({"root": [("agent_spawn", {"instruction": "go"}), "Alone."]})
    cast._lines["lango-agent"] = iter([("agent_spawn", {"instruction": "go"}), "Alone."])
    engine = Engine(model=cast, tools=builtin_tools(), approver="allow")
    trace = engine.run_sync("Go")
    assert trace.turn.answer == "Alone."
    assert "does not work with teammates" in errors(cast.asked[-1])[0]
    assert len(engine.runs) == 0


def test_only_runs_are_checked_for_rings_and_scope() -> None:
    engine, _ = octet({})
    target = Target(ToolCall(id="c1", name="transfer_to_agent"), engine.tree["vault"], "", "transfer")
    assert spawn_refusal(None, engine.tree.root, target) is None  # type: ignore[arg-type]  # not looked at


def test_a_run_is_a_record_of_what_it_took() -> None:
    engine, _ = octet(
        {
            "root": [spawn("operator", "go"), wait("arun-1"), "Done."],
            "operator": [("fs_look", {}), ("fs_look", {"": 1}), "ok"],
        }
    )
    run: AgentRun = engine.run_sync("Go").runs[0]
    assert (run.steps, run.tool_calls) == (3, 2)
    assert run.completed_at is not None
    assert run.completed_at > run.created_at


def test_a_run_that_waits_for_its_provider_shows_that_it_is_recovering() -> None:
    seen: list[dict[str, object]] = []

    class Clock(SteppedClock):
        """Looks at the run while it waits."""

        async def sleep(self, seconds: float) -> None:
            seen.append(dict(engine.runs.get("arun-1").view()))
            await super().sleep(seconds)

    engine, _ = octet(
        {"root": [spawn("operator", "look"), wait("arun-1"), "Done."], "operator": [ConnectionResetError(), "ok"]},
        clock=Clock(),
    )
    engine.run_sync("Go")
    shown = {"agent_id": "arun-1", "status": "running", "condition": "recovering"}
    assert seen == [{**shown, "recovery_state": "retry 1: provider_connection"}]
    run = engine.runs.get("arun-1")
    assert (run.status, run.runtime_condition, run.recovery_state) == ("completed", "", "")
