"""Who is next: turns of one session come one after the other, in order, whatever loop or thread they come from."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import TurnError
from lango_nb.core.ids import CountedIds
from lango_nb.engine import Engine
from lango_nb.runtime.semaphore import FairSemaphore
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool
from tests.cast import Cast, Gate, Line, errors, until
from tests.loops import run_skipping


def solo(lines: Sequence[Line], *tools: Tool, settings: Mapping[str, Any] | None = None) -> tuple[Engine, Cast]:
    cast = Cast({"lango-agent": lines})
    engine = Engine(
        Settings.model_validate(settings or {}), model=cast, tools=tools, clock=SteppedClock(), ids=CountedIds()
    )
    return engine, cast


def asked(cast: Cast) -> list[str]:
    """Return the request of each model call."""
    return [[message.content for message in one.messages if message.author == "user"][-1] for one in cast.asked]


# -- the queue ---------------------------------------------------------------------------------------------------------


def test_the_queue_is_first_come_first_served() -> None:
    queue, order = FairSemaphore(), []

    async def one(number: int) -> None:
        async with queue:
            order.append(number)
            await asyncio.sleep(0)

    async def scene() -> None:
        await asyncio.gather(*(one(number) for number in range(20)))

    asyncio.run(scene())
    assert order == list(range(20))


def test_nobody_who_waits_is_overtaken() -> None:
    queue = FairSemaphore()

    async def scene() -> None:
        await queue.acquire()
        second = asyncio.ensure_future(queue.acquire())
        await asyncio.sleep(0)
        queue.release()
        assert not queue.acquire_now(), "the place belongs to who waited for it, also before that one woke up"
        await second
        queue.release()
        assert queue.acquire_now()

    asyncio.run(scene())


@pytest.mark.parametrize("places", [1, 3])
def test_as_many_work_at_once_as_there_are_places(places: int) -> None:
    queue, at_work, most = FairSemaphore(places), 0, 0

    async def one() -> None:
        nonlocal at_work, most
        async with queue:
            at_work += 1
            most = max(most, at_work)
            await asyncio.sleep(0)
            at_work -= 1

    async def scene() -> None:
        await asyncio.gather(*(one() for _ in range(10)))

    asyncio.run(scene())
    assert most == places
    assert all(queue.acquire_now() for _ in range(places))
    assert not queue.acquire_now()


def test_who_gives_up_takes_no_place() -> None:
    queue = FairSemaphore()

    async def scene() -> None:
        await queue.acquire()
        waiting = [asyncio.ensure_future(queue.acquire()) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
        queue.release()
        waiting[1].cancel()  # in the very moment in which it got the place
        await asyncio.wait(waiting, timeout=1)
        assert [task.cancelled() for task in waiting] == [True, True, False]
        queue.release()
        assert queue.acquire_now()

    run_skipping(scene())


def test_the_queue_is_shared_by_loops_and_threads() -> None:
    queue, at_work, seen = FairSemaphore(), [], []

    async def one(number: int) -> None:
        async with queue:
            at_work.append(number)
            seen.append(len(at_work))
            await asyncio.sleep(0.001)
            at_work.remove(number)

    async def some(start: int) -> None:
        await asyncio.gather(*(one(start + number) for number in range(5)))

    threads = [threading.Thread(target=lambda start=start: asyncio.run(some(start))) for start in (0, 10, 20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert seen == [1] * 15


def test_a_waiter_whose_loop_is_gone_holds_nobody_up() -> None:
    queue = FairSemaphore()
    assert queue.acquire_now()
    loop = asyncio.new_event_loop()
    waiting = queue.acquire()
    task = loop.create_task(waiting)
    loop.run_until_complete(asyncio.sleep(0))
    task._log_destroy_pending = False  # type: ignore[attr-defined]  # it is left on purpose
    loop.close()
    queue.release()
    assert queue.acquire_now()


# -- turns of one session ----------------------------------------------------------------------------------------------


def test_the_second_turn_of_a_session_waits_for_the_first() -> None:
    gate = Gate()
    engine, cast = solo([gate.then("One."), "Two.", "Three."])

    async def scene() -> list[str]:
        turns = [asyncio.ensure_future(engine.run(text)) for text in ("first", "second", "third")]
        await gate.arrived.wait()
        await asyncio.sleep(0.01)
        assert len(cast.asked) == 1
        gate.opened.set()
        return [trace.turn.answer for trace in await asyncio.gather(*turns)]

    assert run_skipping(scene()) == ["One.", "Two.", "Three."]
    assert asked(cast) == ["first", "second", "third"]
    said = [message.content for message in engine.session().messages]
    assert said == ["first", "One.", "second", "Two.", "third", "Three."]
    assert [trace.turn.number for trace in engine.traces] == [1, 2, 3]


def test_turns_of_other_sessions_do_not_wait() -> None:
    gate = Gate()
    engine, _ = solo([gate.then("One."), gate.opening("Two.")])

    async def scene() -> list[str]:
        turns = [asyncio.ensure_future(engine.run(name, name)) for name in ("first", "second")]
        return [trace.turn.answer for trace in await asyncio.gather(*turns)]

    assert asyncio.run(scene()) == ["One.", "Two."]


def test_a_turn_that_waits_too_long_is_refused_and_leaves_nothing() -> None:
    gate = Gate()
    engine, cast = solo([gate.then("One."), "Three."], settings={"agent": {"queueTimeout": "30ms"}})

    async def scene() -> None:
        first = asyncio.ensure_future(engine.run("first"))
        await gate.arrived.wait()
        began_s = asyncio.get_running_loop().time()
        with pytest.raises(TurnError, match=r"'main' was busy for 0\.03 s"):
            await engine.run("second")
        assert asyncio.get_running_loop().time() - began_s == pytest.approx(0.03)
        gate.opened.set()
        await first
        assert (await engine.run("third")).turn.answer == "Three."

    run_skipping(scene())
    assert asked(cast) == ["first", "third"]
    assert len(engine.traces) == 2


def test_a_cancelled_waiter_lets_the_next_one_pass() -> None:
    gate = Gate()
    engine, cast = solo([gate.then("One."), "Three."])

    async def scene() -> None:
        first, second, third = (asyncio.ensure_future(engine.run(text)) for text in ("first", "second", "third"))
        await gate.arrived.wait()
        second.cancel()
        gate.opened.set()
        await asyncio.wait([first, second, third], timeout=1)
        assert (second.cancelled(), third.result().turn.answer) == (True, "Three.")

    run_skipping(scene())
    assert asked(cast) == ["first", "third"]


@pytest.mark.parametrize("line", [RuntimeError("out of order"), asyncio.CancelledError()])
def test_a_turn_that_fails_lets_the_next_one_pass(line: BaseException) -> None:
    engine, _ = solo([line, "Two."])

    async def scene() -> str:
        turns = [asyncio.ensure_future(engine.run(text)) for text in ("first", "second")]
        return (await asyncio.gather(*turns))[1].turn.answer

    assert asyncio.run(scene()) == "Two."


def test_a_tool_cannot_wait_for_its_own_turn() -> None:
    inside: list[str] = []

    async def recurse(session: str) -> str:
        """Start a turn."""
        trace = await engine.run("inside", session)
        inside.append(trace.turn.answer)
        return trace.turn.answer

    engine, cast = solo(
        [("again", {"session": "main"}), ("again", {"session": "other"}), "Inside.", "Outside."],
        tool(recurse, name="again", safety="safe"),
    )
    trace = asyncio.run(asyncio.wait_for(engine.run("Go"), 1))
    assert trace.turn.answer == "Outside."
    assert "'main' is in the middle of this very turn" in errors(cast.asked[-1])[0]
    assert inside == ["Inside."]


def test_turns_from_several_threads_wait_for_each_other() -> None:
    engine, cast = solo([f"{number}." for number in range(6)])
    at_work: list[str] = []

    def ask(number: int) -> None:
        asyncio.run(engine.run(f"request {number}"))
        at_work.append(f"request {number}")

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(at_work) == sorted(asked(cast))
    said = [message.content for message in engine.session().messages]
    assert said[1::2] == [f"{number}." for number in range(6)]
    assert said[0::2] == asked(cast)


def test_a_run_that_goes_on_does_not_hold_the_session() -> None:
    cast = Cast({})
    gate = Gate()
    cast._lines.update(
        {
            "root": iter([("agent_spawn", {"agent": "planner", "instruction": "plan"}), "Started.", "Hello."]),
            "planner": iter([gate.then("1. Wait.")]),
        }
    )
    engine = Engine(
        Settings.model_validate({"background": {"enabled": True}}), topology="octet", model=cast, ids=CountedIds()
    )

    async def scene() -> None:
        await engine.run("Go")
        assert (await engine.run("hello")).turn.answer == "Hello."
        await until(gate.arrived.is_set)
        gate.opened.set()
        await engine.runs.wait("arun-1", 60)

    asyncio.run(scene())
