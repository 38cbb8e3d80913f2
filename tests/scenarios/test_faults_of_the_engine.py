"""Faults in time: cancelled anywhere, two at once, a clock that goes backwards, circuits that open, streams left early.

The table of what models, tools and hooks do wrong is in ``test_faults.py``.
"""

from __future__ import annotations

import asyncio
import itertools
import re
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import TurnError, UsageError
from lango_nb.core.events import (
    ApprovalDecided,
    BreakerChanged,
    Event,
    HandOverRefused,
    TextSaid,
    ToolFinished,
    ToolStarted,
)
from lango_nb.core.messages import Message, Reply, ToolSchema
from lango_nb.engine import Engine
from lango_nb.hooks.decorator import before_call
from lango_nb.hooks.hook import HookCall, HookResult, Modify
from lango_nb.records.turns import Trace
from lango_nb.runtime.approvals import ApprovalRequest, AskWith
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.tools.decorator import tool
from tests.loops import run_skipping
from tests.scenarios.faults import (
    STAGES,
    Always,
    Both,
    Call,
    Give,
    Players,
    Script,
    Stage,
    closed,
    engine_on,
    nothing_is_left_running,
    words,
)

GIVE, LOOK, ODD = Give("A"), Call("fs_look"), Call("fs_odd")
DONE: Script = (GIVE, "Done.")
stages = pytest.mark.parametrize("stage", STAGES.values(), ids=str)


class Hold:
    """Something that is pending: says that it was reached, and comes to no end by itself."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.release = threading.Event()

    async def anywhere(self, *_: object) -> Any:
        self.reached.set()
        await asyncio.sleep(9)

    def for_ever(self) -> str:
        """Hold a thread as a tool does that will not stop."""
        self.reached.set()
        self.release.wait(300)
        return "too late"


class SlowClock(SteppedClock):
    """Whose back-offs really take long."""

    def __init__(self, hold: Hold) -> None:
        super().__init__()
        self._hold = hold

    async def sleep(self, seconds: float) -> None:
        await self._hold.anywhere()


async def until(reached: Callable[[], bool]) -> None:
    """Let others go on until something is reached."""
    async with asyncio.timeout(60):  # ends a hang
        while not reached():  # noqa: ASYNC110 - some of it happens on another thread
            await asyncio.sleep(0.001)


# -- cancelled while something is pending ------------------------------------------------------------------------------


def _model_of_the_root(stage: Stage, hold: Hold) -> Engine:
    return engine_on(stage, Players(stage, {"root": (hold.anywhere,)}))


def _model_of_the_worker(stage: Stage, hold: Hold) -> Engine:
    return engine_on(stage, Players(stage, {"root": DONE, "A": (hold.anywhere,)}))


def _async_tool(stage: Stage, hold: Hold) -> Engine:
    async def odd() -> str:
        return str(await hold.anywhere())

    pending = tool(odd, name="fs_odd", description="Odd.", safety="safe")
    return engine_on(stage, Players(stage, {"root": DONE, "A": (ODD, "never")}), pending)


def _sync_tool(stage: Stage, hold: Hold) -> Engine:
    pending = tool(hold.for_ever, name="fs_odd", safety="safe")
    return engine_on(stage, Players(stage, {"root": DONE, "A": (ODD, "never")}), pending)


def _two_calls_of_one_reply(stage: Stage, hold: Hold) -> Engine:
    pending = tool(hold.for_ever, name="fs_odd", safety="safe")
    return engine_on(stage, Players(stage, {"root": DONE, "A": (Both([LOOK, ODD, LOOK]), "never")}), pending)


def _approval(stage: Stage, hold: Hold) -> Engine:
    @tool(name="fs_odd", safety="dangerous")
    def odd() -> str:
        """Do harm."""
        raise AssertionError("nobody allowed it")

    class Approver:
        answer = staticmethod(hold.anywhere)

    model = Players(stage, {"root": DONE, "A": (ODD, "never")})
    return engine_on(stage, model, odd, approver=Approver())


def _hook(stage: Stage, hold: Hold) -> Engine:
    engine = engine_on(stage, Players(stage, {"root": DONE, "A": (LOOK, "never")}))

    @before_call(tools="fs_*")
    async def pending(call: HookCall) -> None:
        await hold.anywhere()

    engine.add_hook(pending)
    return engine


def _back_off(stage: Stage, hold: Hold) -> Engine:
    model = Players(stage, {"root": DONE, "A": (ConnectionResetError(), "never")})
    return engine_on(stage, model, clock=SlowClock(hold))


def _two_runs(stage: Stage, hold: Hold) -> Engine:
    lines = {"root": (Both([GIVE, Give("B")]), "never"), "A": ("A is done.",), "B": (hold.anywhere,)}
    return engine_on(stage, Players(stage, lines))


def _run_of_a_run(stage: Stage, hold: Hold) -> Engine:
    lines = {"root": DONE, "A": (Give("B"), "never"), "B": (hold.anywhere,)}
    return engine_on(stage, Players(stage, lines))


PENDING: tuple[tuple[str, Callable[[Stage, Hold], Engine], str, str], ...] = (
    ("the root's model", _model_of_the_root, "quartet sextet octet made-up", "!tool.finished"),
    ("the worker's model", _model_of_the_worker, "quartet sextet octet made-up", ""),
    ("an async tool", _async_tool, "quartet sextet octet made-up", "tool.finished:interrupted"),
    ("a sync tool that will not stop", _sync_tool, "quartet sextet octet made-up", "tool.finished:interrupted"),
    ("the second of three calls", _two_calls_of_one_reply, "sextet octet made-up", "tool.finished:interrupted"),
    ("an approval", _approval, "quartet sextet octet made-up", "approval.asked !tool.started:fs_odd"),
    ("a hook", _hook, "sextet octet made-up", "!tool.started:fs_look"),
    ("a back-off", _back_off, "sextet octet made-up", "recovery:retry"),
    ("one of two runs", _two_runs, "octet made-up", "run.finished:completed run.finished:cancelled"),
    ("a run of a run", _run_of_a_run, "made-up", "run.finished:cancelled !run.finished:completed"),
)


@pytest.mark.parametrize(
    ("make", "stage", "happened"),
    [
        pytest.param(make, STAGES[stage], happened, id=f"{name} - {stage}")
        for name, make, where, happened in PENDING
        for stage in where.split()
    ],
)
def test_cancelled_while_something_is_pending_the_trace_is_closed_at_once(
    make: Callable[[Stage, Hold], Engine], stage: Stage, happened: str
) -> None:
    async def cancelled(engine: Engine, hold: Hold) -> None:
        turn = asyncio.ensure_future(engine.run("please look at it"))
        await until(hold.reached.is_set)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(turn, 60)  # what is pending is not let go before the turn has ended
        await asyncio.sleep(0.01)
        nothing_is_left_running()

    hold = Hold()
    engine = make(stage, hold)
    try:
        asyncio.run(cancelled(engine, hold))
    finally:
        hold.release.set()
    trace = engine.traces.get(-1)
    assert (trace.turn.outcome, trace.turn.error_code) == ("cancelled", "cancelled")
    said = words(trace.events)
    for word in happened.split():
        assert (word[1:] not in said) if word.startswith("!") else (word in said), word
    closed(engine, trace)
    after = engine.session().messages
    assert after[0].content == "please look at it"
    next_one = asyncio.run(_after(engine, stage))
    assert next_one.turn.outcome == "success", "a cancelled turn leaves the session fit for the next"


async def _after(engine: Engine, stage: Stage) -> Trace:
    engine.model = Players(stage, {"root": ("Hello again.",)})
    return await engine.run("hello")


@pytest.mark.parametrize("stage", [STAGES["octet"], STAGES["made-up"]], ids=str)
def test_a_run_whose_tool_takes_no_cancellation_delays_nobody_and_does_nothing_more(stage: Stage) -> None:
    hold = Hold()
    ended: list[str] = []

    @tool(name="fs_odd", safety="safe")
    async def odd() -> str:
        """Go on, whoever cancels."""
        hold.reached.set()
        while not hold.release.is_set():
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0.001)
        ended.append("went on")
        return "went on"

    engine = engine_on(stage, Players(stage, {"root": DONE, "A": (Both([ODD, LOOK]), "never")}), odd)

    async def cancelled() -> None:
        turn = asyncio.ensure_future(engine.run("please look at it"))
        await until(hold.reached.is_set)
        turn.cancel()
        await asyncio.wait([turn], timeout=60)
        assert (turn.done(), ended) == (True, []), "the turn is over while the tool goes on"
        closed(engine, engine.traces.get(-1))
        hold.release.set()
        await until(lambda: bool(ended))
        await until(lambda: len(asyncio.all_tasks()) == 1)
        nothing_is_left_running()

    asyncio.run(cancelled())
    closed(engine, engine.traces.get(-1))


@stages
def test_cancelled_at_any_moment_at_all_the_trace_is_closed(stage: Stage) -> None:
    """Every turn of the event loop is tried: while the model, a tool, a wait or the merge of a run is under way."""

    async def odd() -> str:
        """Take a while."""
        await asyncio.sleep(0)
        return "did"

    outcomes = []
    for moment in itertools.count():
        lines = {"root": (Both([GIVE, Give("B")]), "Done."), "A": (Both([LOOK, ODD]), "A did."), "B": ("B did.",)}
        engine = engine_on(stage, Players(stage, lines, pauses=2), tool(odd, name="fs_odd", safety="safe"))
        is_over = asyncio.run(_cancelled_after(engine, moment))
        if not len(engine.traces):
            continue  # cancelled before it began
        trace = engine.traces.get(-1)
        closed(engine, trace)
        outcomes.append(trace.turn.outcome)
        if is_over:
            break
    assert set(outcomes) == {"cancelled", "success"}
    assert outcomes.count("cancelled") >= (6 if stage.control == "transfer" else 10)


async def _cancelled_after(engine: Engine, ticks: int) -> bool:
    """Cancel a turn after so many turns of the loop; tell whether it was over before."""
    turn = asyncio.ensure_future(engine.run("please look at it"))
    for _ in range(ticks):
        await asyncio.sleep(0)
    is_over = turn.done()
    turn.cancel()
    await asyncio.gather(turn, return_exceptions=True)
    await asyncio.sleep(0)
    nothing_is_left_running()
    return is_over


@stages
def test_cancelled_at_any_event_the_trace_is_closed(stage: Stage) -> None:
    """The merge of a run has no wait of its own: what is cancelled there is cancelled at the next."""
    lines = {"root": DONE, "A": (LOOK, "A looked.")}
    whole = asyncio.run(engine_on(stage, Players(stage, lines)).run("please look at it"))
    for number in range(1, len(whole.events) + 1):
        engine = engine_on(stage, Players(stage, lines))

        async def turn(engine: Engine = engine, number: int = number) -> None:
            running = asyncio.current_task()
            assert running is not None

            def cancel(event: Event) -> None:
                if event.seq == number:
                    running.cancel()

            await engine.run("please look at it", on_event=cancel)

        with pytest.raises(asyncio.CancelledError):
            asyncio.run(_and_wait(turn()))
        closed(engine, engine.traces.get(-1))


async def _and_wait(turn: Awaitable[None]) -> None:
    """Run a turn in a task of its own, and wait once more for a cancellation that came too late for it."""
    await asyncio.ensure_future(_then_sleep(turn))


async def _then_sleep(turn: Awaitable[None]) -> None:
    await turn
    await asyncio.sleep(0)


# -- time --------------------------------------------------------------------------------------------------------------


class BackwardsClock:
    """A clock somebody keeps setting back."""

    def __init__(self) -> None:
        self._readings = itertools.count()

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) - timedelta(seconds=next(self._readings))

    def monotonic_s(self) -> float:
        return -float(next(self._readings))

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)


@stages
def test_a_clock_that_goes_backwards_makes_no_negative_time(stage: Stage) -> None:
    lines = {"root": DONE, "A": (ConnectionResetError(), LOOK, "I looked.")}
    engine = engine_on(stage, Players(stage, lines), clock=BackwardsClock())
    trace = asyncio.run(engine.run("please look at it"))
    closed(engine, trace)
    assert trace.turn.outcome == "success"
    assert trace.turn.duration_ms >= 0
    for event in trace.events:
        usage = getattr(event, "usage", None)
        assert getattr(event, "duration_ms", 0) >= 0
        assert getattr(event, "latency_ms", 0) >= 0
        assert usage is None or usage.latency_ms >= 0


def _pausing(seconds: float, line: object) -> Callable[[Sequence[Message]], Awaitable[object]]:
    async def pause(messages: Sequence[Message]) -> object:
        await asyncio.sleep(seconds)
        return line

    return pause


@stages
def test_handing_over_and_working_extend_the_idle_time(stage: Stage) -> None:
    lines = {"root": (_pausing(0.05, GIVE), _pausing(0.05, "Done.")), "A": (_pausing(0.05, LOOK), _pausing(0.05, "ok"))}
    settings = {"agent": {"idleTimeout": "0.15s", "requestTimeout": "9s"}}
    engine = engine_on(stage, Players(stage, lines), settings=settings)
    trace = run_skipping(engine.run("please look at it"))
    closed(engine, trace)
    assert trace.turn.outcome == "success"


@stages
def test_no_activity_extends_a_turn_beyond_its_ceiling(stage: Stage) -> None:
    lines = {"root": DONE, "A": (Always(_pausing(0.02, LOOK), _pausing(0.02, ODD)),)}
    settings = {"agent": {"autoExtendTimeout": True, "requestTimeout": "0.06s", "maxRequestTimeout": "0.12s"}}
    odd = tool(lambda: "fine", name="fs_odd", description="Odd.", safety="safe")
    engine = engine_on(stage, Players(stage, lines), odd, settings=settings)

    async def timed() -> tuple[Trace, float]:
        trace = await engine.run("please look at it")
        return trace, asyncio.get_running_loop().time()

    trace, took = run_skipping(timed())
    assert took == pytest.approx(0.12)
    closed(engine, trace)
    assert (trace.turn.outcome, trace.turn.error_code) == ("timeout", "timeout_hard")
    assert "limit.reached:ceiling" in words(trace.events)


def test_a_person_who_thinks_is_not_silence() -> None:
    stage = STAGES["sextet"]

    class Thinking:
        async def answer(self, request: object) -> bool:
            await asyncio.sleep(0.1)
            return True

    @tool(name="fs_odd", safety="dangerous")
    async def odd() -> str:
        """Do harm."""
        return "harmed"

    settings = {"agent": {"idleTimeout": "0.05s", "requestTimeout": "9s"}}
    model = Players(stage, {"root": DONE, "A": (ODD, "I did.")})
    engine = engine_on(stage, model, odd, settings=settings, approver=AskWith(Thinking().answer))
    trace = run_skipping(engine.run("please do"))
    closed(engine, trace)
    assert trace.turn.outcome == "success"


# -- two at once -------------------------------------------------------------------------------------------------------


@stages
def test_the_second_turn_of_a_session_waits_for_the_first(stage: Stage) -> None:
    hold = Hold()

    async def first_line(messages: Sequence[Message]) -> object:
        hold.reached.set()
        await until(hold.release.is_set)
        return GIVE

    # the session "other" has its turn while the first one is held up
    said = (GIVE,) if stage.control == "transfer" else ("One.", GIVE, "Two.")
    model = Players(stage, {"root": (first_line, "Elsewhere.", *said), "A": (Always("ok"),)})
    engine = engine_on(stage, model)

    async def two() -> tuple[Trace, Trace]:
        first = asyncio.ensure_future(engine.run("first"))
        await until(hold.reached.is_set)
        second = asyncio.ensure_future(engine.run("second"))
        elsewhere = await engine.run("elsewhere", session="other")  # the queue is the session's
        assert elsewhere.turn.outcome == "success"
        await asyncio.sleep(0.01)
        assert not second.done()
        hold.release.set()
        return await first, await second

    first, second = asyncio.run(two())
    for trace in (first, second):
        closed(engine, trace)
        assert trace.turn.outcome == "success"
    assert first.events[-1].at < second.events[0].at
    assert [message.content for message in engine.session().messages if message.role == "user"] == ["first", "second"]


def test_a_turn_that_waits_too_long_for_its_session_says_so_and_leaves_no_trace() -> None:
    stage, hold = STAGES["sextet"], Hold()
    engine = engine_on(stage, Players(stage, {"root": (hold.anywhere,)}), settings={"agent": {"queueTimeout": "0.03s"}})

    async def two() -> None:
        first = asyncio.ensure_future(engine.run("first"))
        await until(hold.reached.is_set)
        with pytest.raises(TurnError, match=r"session 'main' was busy for 0.03 s; wait for its turn"):
            await engine.run("second")
        waiting = asyncio.ensure_future(engine.run("third"))
        await asyncio.sleep(0)
        waiting.cancel()
        first.cancel()
        await asyncio.gather(first, waiting, return_exceptions=True)
        engine.model = Players(stage, {"root": ("Fourth.",)})
        assert (await engine.run("fourth")).turn.outcome == "success", "whoever left the queue holds nobody up"

    asyncio.run(two())
    assert [trace.turn.text for trace in engine.traces] == ["first", "fourth"]


def test_a_turn_that_is_cancelled_as_its_turn_comes_passes_it_on() -> None:
    stage, hold = STAGES["sextet"], Hold()

    async def first_line(messages: Sequence[Message]) -> str:
        hold.reached.set()
        await until(hold.release.is_set)
        return "One."

    engine = engine_on(stage, Players(stage, {"root": (first_line, "Three.")}))

    async def three() -> Trace:
        first = asyncio.ensure_future(engine.run("first"))
        await until(hold.reached.is_set)
        second, third = (asyncio.ensure_future(engine.run(text)) for text in ("second", "third"))
        first.add_done_callback(lambda _: second.cancel())
        await asyncio.sleep(0.01)
        hold.release.set()
        return await asyncio.wait_for(third, 1)

    trace = asyncio.run(three())
    closed(engine, trace)
    assert trace.turn.answer == "Three."
    assert [kept.turn.text for kept in engine.traces] == ["first", "third"]


@stages
def test_a_tool_may_start_a_turn_in_another_session_and_not_in_its_own(stage: Stage) -> None:
    answers: list[str] = []

    async def odd(session: str) -> str:
        """Ask the engine."""
        trace = await asyncio.wait_for(engine.run("a question", session=session), 2)
        answers.append(trace.turn.answer)
        return trace.turn.answer

    model = Players(
        stage,
        {
            "root": (GIVE, "Inside.", "Done."),
            "A": (Call("fs_odd", {"session": "main"}), Call("fs_odd", {"session": "other"}), "I asked."),
        },
    )
    engine = engine_on(stage, model, tool(odd, name="fs_odd", safety="safe"))
    trace = asyncio.run(engine.run("please ask"))
    closed(engine, trace)
    closed(engine, next(iter(engine.traces)))
    finished = [event for event in trace.events if isinstance(event, ToolFinished) and event.tool == "fs_odd"]
    assert [event.is_error for event in finished] == [True, False]
    assert "use another session for a turn inside" in finished[0].result
    assert answers == ["Inside."]
    assert trace.turn.outcome == "success"


@stages
def test_64_turns_at_once_do_not_mix(stage: Stage) -> None:
    """Each turn has a word of its own; whoever works for it sees that one and no other."""
    seen: set[tuple[str, str]] = set()
    ids = itertools.count()

    class Echo:
        name = "echo"

        async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
            me = messages[0].author or ""
            found = {word for message in messages[1:] for word in re.findall("nonce-[0-9]+-", message.content)}
            assert len(found) == 1, f"{me} sees {found}"
            (word,) = found
            seen.add((me, word))
            await asyncio.sleep(0)
            players = Players(stage, {})
            for _ in range(next(ids) % 3):
                await asyncio.sleep(0)
            last = messages[-1]
            if me == "lango-orchestrator":
                if last.role == "user":
                    return Reply(tool_calls=(_named(players._call(Give("A", f"look for {word}")), word),))
                waits = players._waits(messages) if stage.control == "spawn" and last.tool_name == "agent_spawn" else ()
                return Reply(tool_calls=waits) if waits else Reply(text=f"root saw {word}")
            if last.role == "user" or (stage.control == "transfer" and last.tool_name != "fs_echo"):
                return Reply(tool_calls=(_named(players._call(Call("fs_echo", {"word": word})), word),))
            return Reply(text=f"worker saw {last.content}")

    @tool(name="fs_echo", safety="safe")
    async def echo(word: str) -> str:
        """Say it again."""
        await asyncio.sleep(0)
        return word

    engine = engine_on(stage, Echo(), echo)

    async def all_at_once() -> list[Trace]:
        names = [f"nonce-{number}-" for number in range(64)]
        return list(await asyncio.gather(*(engine.run(f"find {name}", session=name) for name in names)))

    traces = asyncio.run(all_at_once())
    assert len({trace.turn.id for trace in traces}) == 64
    for number, trace in enumerate(traces):
        word = f"nonce-{number}-"
        closed(engine, trace)
        assert trace.turn.outcome == "success"
        assert word in trace.turn.answer
        everything = "".join(event.model_dump_json() for event in trace.events)
        assert everything.count("nonce-") == everything.count(word) > 2
        assert {run.turn_id for run in trace.runs} <= {trace.turn.id}
        kept = " ".join(message.content for message in engine.session(word).messages)
        assert kept.count("nonce-") == kept.count(word)
    assert len(seen) == 128


def _named(call: Any, word: str) -> Any:
    return call.model_copy(update={"id": f"{call.id}-{word}"})


# -- listeners and streams ---------------------------------------------------------------------------------------------


@stages
def test_a_listener_that_raises_gets_no_more_and_disturbs_nobody(stage: Stage) -> None:
    engine = engine_on(stage, Players(stage, {"root": DONE, "A": (LOOK, "I looked.")}))
    broken: list[str] = []
    whole: list[str] = []

    def breaks(event: Event) -> None:
        broken.append(event.kind)
        raise ValueError("the screen is gone")

    engine.listeners.append(breaks)
    trace = asyncio.run(engine.run("please look at it", on_event=lambda event: whole.append(event.kind)))
    closed(engine, trace)
    assert trace.turn.outcome == "success"
    assert broken == ["turn.started"]
    assert whole == [event.kind for event in trace.events]


STREAMED: tuple[tuple[str, dict[str, Script]], ...] = (
    ("success", {"root": DONE, "A": (LOOK, "I looked.")}),
    ("tool_error", {"root": DONE, "A": (Call("fs_nope"), "I could not.")}),
    ("model_error", {"root": (GIVE, KeyError("x")), "A": (KeyError("x"),)}),
    ("loop_detected", {"root": (Always(LOOK),)}),
)


@stages
@pytest.mark.parametrize(("outcome", "lines"), STREAMED, ids=[outcome for outcome, _ in STREAMED])
def test_a_stream_gives_what_run_gives(stage: Stage, outcome: str, lines: dict[str, Script]) -> None:
    run = asyncio.run(engine_on(stage, Players(stage, lines)).run("please look at it"))
    engine = engine_on(stage, Players(stage, lines))

    async def streamed() -> list[Event]:
        return [event async for event in engine.stream("please look at it")]

    events = asyncio.run(streamed())
    assert run.turn.outcome == outcome
    assert tuple(events) == run.events == engine.traces.get(-1).events
    closed(engine, engine.traces.get(-1))


def test_a_stream_yields_while_the_turn_works_and_not_after() -> None:
    stage, hold = STAGES["octet"], Hold()
    engine = engine_on(stage, Players(stage, {"root": DONE, "A": (hold.anywhere,)}))

    async def watched() -> list[str]:
        kinds: list[str] = []
        async with aclosing(engine.stream("please look at it")) as stream:
            async for event in stream:
                kinds.append(event.kind)
                if event.kind == "tool.started":
                    break
        nothing_is_left_running()
        return kinds

    kinds = asyncio.run(watched())
    assert kinds == ["turn.started", "handover", "run.started", "child.forked", "tool.started"]
    trace = engine.traces.get(-1)
    assert trace.turn.outcome == "cancelled"
    closed(engine, trace)


@stages
def test_leaving_a_stream_at_any_event_cancels_the_turn_and_closes_its_trace(stage: Stage) -> None:
    lines = {"root": DONE, "A": (LOOK, "I looked.")}
    whole = asyncio.run(engine_on(stage, Players(stage, lines)).run("please look at it"))
    for last in range(1, len(whole.events)):
        engine = engine_on(stage, Players(stage, lines))

        async def left(engine: Engine = engine, last: int = last) -> None:
            async with aclosing(engine.stream("please look at it")) as stream:
                async for event in stream:
                    if event.seq == last:
                        break
            await asyncio.sleep(0)
            nothing_is_left_running()

        asyncio.run(left())
        trace = engine.traces.get(-1)
        closed(engine, trace)
        assert trace.turn.outcome in {"cancelled", "success"}, "the turn may be over before its last events are read"


def test_a_stream_whose_reader_is_cancelled_cancels_the_turn() -> None:
    stage, hold = STAGES["sextet"], Hold()
    engine = engine_on(stage, Players(stage, {"root": (hold.anywhere,)}))

    async def reading() -> None:
        async for _ in engine.stream("please look at it"):
            pass

    async def cancelled() -> None:
        task = asyncio.ensure_future(reading())
        await until(hold.reached.is_set)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        nothing_is_left_running()

    asyncio.run(cancelled())
    assert engine.traces.get(-1).turn.outcome == "cancelled"
    closed(engine, engine.traces.get(-1))


def test_a_stream_of_nothing_raises_what_run_raises() -> None:
    stage = STAGES["sextet"]
    engine = engine_on(stage, Players(stage, {}))

    async def streamed() -> list[Event]:
        return [event async for event in engine.stream("  ")]

    with pytest.raises(UsageError, match="the request is empty"):
        asyncio.run(streamed())
    assert not len(engine.traces)


# -- circuits ----------------------------------------------------------------------------------------------------------

FAILING = {"agent": {"orchestration": {"mode": "structured", "circuitBreaker": {"failureThreshold": 2}}}}


@stages
def test_an_agent_that_fails_again_and_again_is_left_alone_and_then_tried_once(stage: Stage) -> None:
    """Open: refused, left out of the candidates, and the decision says so. Half-open: one probe. Closed: forgotten."""
    worker = stage.agents["A"]
    clock = SteppedClock()
    model = Players(stage, {"root": DONE, "A": (LOOK, "", "")})
    engine = engine_on(stage, model, settings=FAILING, clock=clock)

    def turn(root: Script, *said: object) -> Trace:
        engine.model = Players(stage, {"root": root, "A": said, "B": ("B is done.",)})
        trace = asyncio.run(engine.run("please read the file notes.md"))
        closed(engine, trace)
        return trace

    first = turn(DONE, LOOK, "", "")
    assert "breaker.changed" not in words(first.events)
    second = turn(DONE, LOOK, "", "")
    assert [(event.circuit, event.state, event.failures) for event in _changes(second)] == [(worker, "open", 2)]

    refused = turn((GIVE, Give("B"), "Done."), "never")
    (refusal,) = [event for event in refused.events if isinstance(event, HandOverRefused)]
    assert (refusal.target, refusal.code) == (worker, "breaker_open")
    assert "failed 2 times in a row" in refusal.detail
    (decision,) = refused.decisions
    assert worker in dict(decision.excluded)
    if stage.name != "quartet":  # whose router knows no files
        (candidate,) = [found for found in decision.candidates if found.agent == worker]
        assert "failed 2 times in a row" in str(candidate)
        assert decision.router_choice != worker

    asyncio.run(clock.sleep(31))
    probe = turn(DONE, LOOK, "I looked.")
    assert [event.state for event in _changes(probe)] == ["half_open", "closed"]
    assert "breaker.changed" not in words(turn(DONE, LOOK, "I looked.").events)
    assert engine.breakers.open_agents() == {}


def _changes(trace: Trace) -> list[BreakerChanged]:
    return [event for event in trace.events if isinstance(event, BreakerChanged)]


@stages
def test_a_probe_that_fails_opens_the_circuit_again_and_a_cancelled_one_gives_its_place_back(stage: Stage) -> None:
    clock, hold = SteppedClock(), Hold()
    engine = engine_on(stage, Players(stage, {}), settings=FAILING, clock=clock)

    def turn(*said: object) -> Trace:
        engine.model = Players(stage, {"root": (GIVE, "Done."), "A": said})
        trace = asyncio.run(engine.run("please look at it"))
        closed(engine, trace)
        return trace

    turn(LOOK, "", "")
    turn(LOOK, "", "")
    asyncio.run(clock.sleep(31))
    assert [event.state for event in _changes(turn(LOOK, "", ""))] == ["half_open", "open"]
    asyncio.run(clock.sleep(31))

    async def cancelled() -> None:
        engine.model = Players(stage, {"root": DONE, "A": (hold.anywhere,)})
        task = asyncio.ensure_future(engine.run("please look at it"))
        await until(hold.reached.is_set)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(cancelled())
    assert [event.state for event in _changes(engine.traces.get(-1))] == ["half_open", "open"]
    assert [event.state for event in _changes(turn(LOOK, "I looked."))] == ["half_open", "closed"]


def test_an_agent_that_declines_gives_its_probe_back() -> None:
    stage, clock = STAGES["sextet"], SteppedClock()
    engine = engine_on(stage, Players(stage, {}), settings=FAILING, clock=clock)

    def turn(*said: object) -> Trace:
        engine.model = Players(stage, {"root": DONE, "A": said})
        trace = asyncio.run(engine.run("please look at it"))
        closed(engine, trace)
        return trace

    turn(LOOK, "", "")
    turn(LOOK, "", "")
    asyncio.run(clock.sleep(31))
    assert [event.state for event in _changes(turn("[REJECT] not mine"))] == ["half_open", "open"]
    assert [event.state for event in _changes(turn(LOOK, "I looked."))] == ["half_open", "closed"]


def test_an_attached_agent_that_gives_control_back_gives_its_probe_back() -> None:
    stage, clock = STAGES["octet"], SteppedClock()
    florist = AgentSpec(name="florist", always_include=True, source=Source.USER)
    engine = engine_on(stage, Players(stage, {}), settings=FAILING, clock=clock, agents=[florist])

    def turn(*said: object) -> Trace:
        root = (Call("transfer_to_agent", {"agent_name": "florist"}), "Done.")
        engine.model = Players(stage, {"root": root, "florist": said})
        trace = asyncio.run(engine.run("please look at it"))
        closed(engine, trace)
        return trace

    turn(LOOK, "", "")
    turn(LOOK, "", "")
    asyncio.run(clock.sleep(31))
    given_back = turn(Call("transfer_to_agent", {"agent_name": "lango-orchestrator"}))
    assert "returned" in words(given_back.events)
    assert [event.state for event in _changes(given_back)] == ["half_open", "open"]
    assert [event.state for event in _changes(turn("I looked."))] == ["half_open", "closed"]


@stages
def test_a_hand_over_that_is_refused_takes_no_probe(stage: Stage) -> None:
    clock = SteppedClock()
    engine = engine_on(stage, Players(stage, {}), settings=FAILING, clock=clock)

    def turn(root: Script, *said: object) -> Trace:
        engine.model = Players(stage, {"root": root, "A": said, "B": ("B is done.",)})
        trace = asyncio.run(engine.run("please look at it"))
        closed(engine, trace)
        return trace

    turn(DONE, LOOK, "", "")
    turn(DONE, LOOK, "", "")
    asyncio.run(clock.sleep(31))
    if stage.control == "transfer":
        refused = turn((Both([Give("B"), GIVE]), "Done."))
    elif stage.control == "spawn":
        refused = turn((Give("A", more={"allowed_tools": ["crypto_look"]}), "Done."))
    else:
        refused = turn((Give("A", goal=" "), "Done."))
    assert "handover.refused" in words(refused.events)
    assert [event.state for event in _changes(turn(DONE, LOOK, "I looked."))] == ["half_open", "closed"]


@stages
def test_a_provider_that_fails_is_not_called_for_a_while(stage: Stage) -> None:
    clock = SteppedClock()
    engine = engine_on(stage, Players(stage, {"root": (Always(ConnectionResetError()),)}), clock=clock)
    turns = [asyncio.run(engine.run("hello")) for _ in range(3)]
    assert {(turn.turn.outcome, turn.turn.error_code) for turn in turns} == {("model_error", "provider_connection")}
    changes = [[(event.circuit, event.state) for event in _changes(turn)] for turn in turns]
    assert changes == [[], [], [("provider:players", "open")]], "a call that was given up counts once"

    silent = engine.model = Players(stage, {"root": ("never",)})
    second = asyncio.run(engine.run("hello"))
    closed(engine, second)
    assert (second.turn.outcome, second.turn.error_code) == ("model_error", "provider_open")
    assert silent.calls == 0

    asyncio.run(clock.sleep(31))
    engine.model = Players(stage, {"root": ("Hello.",)})
    third = asyncio.run(engine.run("hello"))
    assert third.turn.answer == "Hello."
    assert [event.state for event in _changes(third)] == ["half_open", "closed"]


def test_a_cancelled_probe_of_a_provider_gives_its_place_back() -> None:
    stage, clock, hold = STAGES["sextet"], SteppedClock(), Hold()
    engine = engine_on(stage, Players(stage, {"root": (Always(ConnectionResetError()),)}), clock=clock)
    for _ in range(3):
        asyncio.run(engine.run("hello"))
    asyncio.run(clock.sleep(31))

    async def cancelled() -> None:
        engine.model = Players(stage, {"root": (hold.anywhere,)})
        task = asyncio.ensure_future(engine.run("hello"))
        await until(hold.reached.is_set)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(cancelled())
    engine.model = Players(stage, {"root": ("Hello.",)})
    assert [event.state for event in _changes(asyncio.run(engine.run("hello")))] == ["half_open", "closed"]


# -- runs --------------------------------------------------------------------------------------------------------------


def test_a_run_outlives_its_turn_and_is_told_of_in_the_session_when_it_ends() -> None:
    stage, hold = STAGES["octet"], Hold()

    async def waits(messages: Sequence[Message]) -> str:
        await until(hold.release.is_set)
        return "The worker is done."

    model = Players(stage, {"root": DONE, "A": (waits,)}, is_waiting=False)
    engine = engine_on(stage, model)
    later: list[str] = []
    engine.listeners.append(lambda event: later.append(event.kind))

    async def turn() -> Trace:
        trace = await engine.run("please look at it")
        closed(engine, trace, living=True)
        assert not any(run.is_terminal for run in trace.runs)
        assert later[-1] == "turn.finished"
        hold.release.set()
        (run,) = trace.runs
        await engine.runs.wait(run.id, 60)
        await asyncio.sleep(0)
        return trace

    trace = asyncio.run(turn())
    assert later[-3:] == ["text", "run.finished", "child.merged"]
    assert trace.events[-1].kind == "turn.finished"
    seqs = [event.seq for event in (*trace.events, *engine.runs.events(trace.runs[0].id)[-3:])]
    assert seqs == sorted(seqs)
    assert engine.session().messages[-1].content == "operator reports: The worker is done."
    closed(engine, trace)


def test_a_stopped_run_is_no_failure_of_the_turn() -> None:
    stage, hold = STAGES["octet"], Hold()

    async def stop(messages: Sequence[Message]) -> Call:
        await until(hold.reached.is_set)
        return Call("agent_stop", {"agent_id": "arun-1"})

    model = Players(stage, {"root": (GIVE, stop, "I stopped it."), "A": (hold.anywhere,)}, is_waiting=False)
    engine = engine_on(stage, model)
    trace = asyncio.run(engine.run("please look at it"))
    closed(engine, trace)
    assert (trace.turn.outcome, trace.turn.answer) == ("success", "I stopped it.")
    assert [run.status for run in trace.runs] == ["cancelled"]


@pytest.mark.parametrize("mode", ["classic", "structured"])
def test_a_run_that_takes_too_long_fails_and_counts_against_its_agent(mode: str) -> None:
    stage, hold = STAGES["octet"], Hold()
    settings = {"agent": {"orchestration": {"mode": mode, "circuitBreaker": {"failureThreshold": 1}}}}
    lines = {"root": (Give("A", more={"timeout": 1}), "Too slow."), "A": (hold.anywhere,)}
    engine = engine_on(stage, Players(stage, lines), settings=settings)
    original = asyncio.timeout

    def soon(delay: float | None) -> asyncio.Timeout:
        return original(None if delay is None else delay / 30)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lango_nb.runtime.teammates.asyncio.timeout", soon)
        trace = asyncio.run(engine.run("please look at it"))
    closed(engine, trace)
    (run,) = trace.runs
    assert (run.status, run.error_code) == ("failed", "run_timeout")
    assert (trace.turn.outcome, trace.turn.error_code) == ("timeout", "run_timeout")
    assert [event.state for event in _changes(trace)] == ["open"]


def test_whoever_runs_out_of_time_takes_its_delegates_along() -> None:
    stage, hold = STAGES["made-up"], Hold()
    engine = engine_on(stage, Players(stage, {"root": DONE, "A": (Give("B"), "never"), "B": (hold.anywhere,)}))
    engine.teammates.timeout_s = 0.05
    trace = asyncio.run(engine.run("please look at it"))
    closed(engine, trace)
    assert [(run.requested_agent, run.status) for run in trace.runs] == [("operator", "failed"), ("vault", "cancelled")]
    assert trace.turn.error_code == "run_timeout"


def test_closing_the_engine_ends_the_runs_that_live_on() -> None:
    stage, hold = STAGES["octet"], Hold()
    engine = engine_on(stage, Players(stage, {"root": DONE, "A": (hold.anywhere,)}, is_waiting=False))

    async def turn() -> Trace:
        trace = await engine.run("please look at it")
        await until(hold.reached.is_set)
        engine.close()
        await asyncio.sleep(0.01)
        nothing_is_left_running()
        return trace

    trace = asyncio.run(turn())
    assert [engine.runs.get(run.id).status for run in trace.runs] == ["cancelled"]
    closed(engine, trace)


def test_a_tool_that_changes_its_arguments_changes_nothing_that_is_kept() -> None:
    stage = STAGES["sextet"]

    @tool(name="fs_odd", safety="safe")
    def odd(items: list[dict[str, int]]) -> str:
        """Change what was given."""
        items[0]["n"] = 99
        items.append({"n": 100})
        return "changed"

    engine = engine_on(stage, Players(stage, {"root": DONE, "A": (Call("fs_odd", {"items": [{"n": 1}]}), "ok")}), odd)
    trace = asyncio.run(engine.run("please do"))
    closed(engine, trace)
    (started,) = [event for event in trace.events if isinstance(event, ToolStarted)]
    assert started.arguments == {"items": [{"n": 1}]}
    for messages in (trace.messages, engine.session().messages):
        (call,) = [call for message in messages for call in message.tool_calls if call.name == "fs_odd"]
        assert call.arguments == {"items": [{"n": 1}]}


@stages
def test_arguments_changed_after_the_approval_are_asked_about_again(stage: Stage) -> None:
    ran: list[int] = []
    asked: list[object] = []

    @tool(name="fs_odd", safety="dangerous")
    def odd(count: int) -> str:
        """Do harm."""
        ran.append(count)
        return "harmed"

    async def only_one(request: ApprovalRequest) -> bool:
        asked.append(request.arguments["count"])
        return request.arguments["count"] == 1

    @before_call(tools="fs_*", priority=95)
    def late(call: HookCall) -> HookResult:
        return Modify({"count": 1000})

    model = Players(stage, {"root": DONE, "A": (Call("fs_odd", {"count": 1}), "I may not.")})
    engine = engine_on(stage, model, odd, approver=AskWith(only_one))
    engine.add_hook(late)
    trace = asyncio.run(engine.run("please do"))
    closed(engine, trace)
    assert asked == [1, 1000]
    assert ran == []
    assert (trace.turn.outcome, trace.turn.error_code) == ("tool_error", "approval_denied")
    hashes = [event.arguments_hash for event in trace.events if isinstance(event, ApprovalDecided)]
    assert len(set(hashes)) == 2


def test_an_approval_that_nobody_gives_in_time_is_a_no() -> None:
    stage = STAGES["octet"]

    @tool(name="fs_odd", safety="dangerous")
    def odd() -> str:
        """Do harm."""
        raise AssertionError("nobody allowed it")

    settings = {"security": {"interceptor": {"approvalTimeout": "0.03s"}}}
    model = Players(stage, {"root": DONE, "A": (ODD, ODD, "I may not.")})
    engine = engine_on(stage, model, odd, settings=settings, approver="hold")
    trace = asyncio.run(engine.run("please do"))
    closed(engine, trace)
    assert (trace.turn.outcome, trace.turn.error_code) == ("tool_error", "approval_timeout")
    decided = [event for event in trace.events if isinstance(event, ApprovalDecided)]
    assert [event.allowed for event in decided] == [False, False]
    assert "tool.started:fs_odd" not in words(trace.events)
    assert isinstance(trace.events[-2], TextSaid)
