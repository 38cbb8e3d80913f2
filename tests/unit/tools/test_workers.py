from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import multiprocessing
import random
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any, NoReturn

import pytest

import lango_nb.tools.workers as workers_module
from lango_nb.tools.workers import GRACE_S, WORKERS, Workers
from tests.waiting import until

AT_ONCE = 60.0
"""So long a grace that every quick function is answered within it."""
NEVER = 0.0
"""No grace: every answer comes through a future, unless it is there by chance."""

both_ways = pytest.mark.parametrize("grace_s", [AT_ONCE, NEVER])


def raising(error: BaseException) -> Callable[[], NoReturn]:
    def function() -> NoReturn:
        raise error

    return function


@both_ways
def test_threads_are_reused_and_started_when_none_is_idle(grace_s: float) -> None:
    workers = Workers(grace_s)
    names = asyncio.run(_idents(workers, 20))
    assert len(names) == 1
    assert threading.get_ident() not in names


async def _idents(workers: Workers, count: int) -> set[int]:
    return {await workers.run(threading.get_ident) for _ in range(count)}


@pytest.mark.parametrize("grace_s", [GRACE_S, NEVER])
def test_a_function_that_does_not_come_back_holds_nobody_up(grace_s: float) -> None:
    workers = Workers(grace_s)
    gate = threading.Event()

    async def main() -> list[str]:
        stuck = asyncio.create_task(workers.run(lambda: gate.wait(60)))
        await asyncio.sleep(0.01)
        quick = await asyncio.wait_for(asyncio.gather(*(workers.run(lambda: "ok") for _ in range(10))), 60)
        gate.set()
        await stuck
        return quick

    assert asyncio.run(main()) == ["ok"] * 10


def test_a_quick_function_is_answered_without_leaving_the_loop() -> None:
    workers = Workers(AT_ONCE)
    others: list[str] = []

    async def main() -> list[str]:
        asyncio.get_running_loop().call_soon(others.append, "ran")
        assert await workers.run(lambda: "answer") == "answer"
        return list(others)

    assert asyncio.run(main()) == []


@pytest.mark.parametrize("grace_s", [GRACE_S, NEVER])
def test_others_go_on_while_a_slow_function_runs(grace_s: float) -> None:
    workers = Workers(grace_s)
    gate = threading.Event()

    async def main() -> bool:
        waiting = asyncio.create_task(workers.run(lambda: gate.wait(60)))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        gate.set()
        return await waiting

    assert asyncio.run(main())


def test_many_slow_functions_hold_the_loop_once_not_each(monkeypatch: pytest.MonkeyPatch) -> None:
    graces: list[float] = []

    class CountedJob(workers_module._Job[Any]):
        def __init__(self, function: Callable[[], Any]) -> None:
            super().__init__(function)
            self.is_over: Any = CountedLock(self.is_over)

    class CountedLock:
        def __init__(self, lock: threading.Lock) -> None:
            self.lock, self.release = lock, lock.release

        def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
            if blocking:
                graces.append(timeout)
            return self.lock.acquire(blocking, timeout)

    monkeypatch.setattr(workers_module, "_Job", CountedJob)
    workers, gate = Workers(0.1), threading.Event()

    async def main() -> list[bool]:
        tasks = [asyncio.create_task(workers.run(lambda: gate.wait(60))) for _ in range(20)]
        await asyncio.sleep(0)
        gate.set()
        return await asyncio.gather(*tasks)

    assert all(asyncio.run(main()))
    assert graces == [0.1, *[0] * 19]


def test_an_abandoned_function_leaves_no_trace() -> None:
    workers = Workers(0.02)
    gate, has_ended = threading.Event(), threading.Event()
    problems: list[object] = []

    def blocking() -> None:
        gate.wait(60)
        has_ended.set()

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: problems.append(context))
        stuck = asyncio.create_task(workers.run(blocking))
        await asyncio.sleep(0.03)
        assert workers._slow
        stuck.cancel()
        await asyncio.gather(stuck, return_exceptions=True)
        assert not workers._slow  # later calls have their grace again
        gate.set()
        assert has_ended.wait(60)
        await asyncio.sleep(0.05)  # its answer arrives on this loop, and nobody wants it

    asyncio.run(main())
    assert problems == []


def test_an_answer_is_told_though_the_waiting_began_just_then(monkeypatch: pytest.MonkeyPatch) -> None:
    class LateJob(workers_module._Job[Any]):
        """Its function comes back after the last look at the lock, before the future is waited for."""

        def __init__(self, function: Callable[[], Any]) -> None:
            super().__init__(function)
            self.is_over: Any = LateLock()

    class LateLock:
        def __init__(self) -> None:
            self.is_being_released, self.is_given_up = threading.Event(), threading.Event()

        def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
            if blocking:  # the grace
                assert self.is_being_released.wait(60)
            else:  # the last look before the future is waited for
                self.is_given_up.set()
            return False

        def release(self) -> None:
            self.is_being_released.set()
            assert self.is_given_up.wait(60)

    monkeypatch.setattr(workers_module, "_Job", LateJob)
    assert asyncio.run(asyncio.wait_for(Workers().run(lambda: "answer"), 60)) == "answer"


@both_ways
def test_what_the_function_raises_is_raised(grace_s: float) -> None:
    workers = Workers(grace_s)

    def run(error: BaseException) -> Any:
        return asyncio.run(workers.run(raising(error)))

    with pytest.raises(ValueError, match="mine"):
        run(ValueError("mine"))
    for error in (StopIteration("mine"), SystemExit(3), KeyboardInterrupt()):
        with pytest.raises(RuntimeError, match=rf"the tool raised {type(error).__name__}") as found:
            run(error)
        assert found.value.__cause__ is error
    assert asyncio.run(workers.run(lambda: "still there")) == "still there"


@both_ways
def test_the_function_sees_the_callers_context_and_keeps_its_changes(grace_s: float) -> None:
    workers = Workers(grace_s)
    variable = contextvars.ContextVar("variable", default="default")

    def change() -> str:
        seen = variable.get()
        variable.set("changed in the thread")
        return seen

    async def main() -> list[str]:
        variable.set("the caller's")
        return [await workers.run(change), variable.get(), await workers.run(variable.get)]

    assert asyncio.run(main()) == ["the caller's"] * 3


@both_ways
def test_nothing_of_a_call_is_held_when_it_is_over(grace_s: float) -> None:
    class Thing(Exception):  # noqa: N818 - a value, and once an error
        pass

    workers = Workers(grace_s)
    kept: list[weakref.ref[Thing]] = []

    def answering() -> Thing:
        thing = Thing()
        kept.append(weakref.ref(thing))
        return thing

    def failing() -> NoReturn:
        raise answering()

    async def main() -> None:
        with contextlib.suppress(Thing):
            await workers.run(failing)
        await workers.run(answering)

    gc.disable()  # reference counting alone must do
    try:
        asyncio.run(main())
        until(lambda: not any(ref() for ref in kept))  # the thread forgets its job just after the answer
        assert [ref() for ref in kept] == [None, None]
    finally:
        gc.enable()


def test_answers_that_come_just_as_the_grace_is_over_are_neither_lost_nor_mixed() -> None:
    workers = Workers(0.0002)
    random_ = random.Random(7)
    problems: list[object] = []

    async def call(number: int, pause_s: float) -> None:
        def function() -> int:
            time.sleep(pause_s)
            if number % 3 == 0:
                raise ValueError(number)
            return number

        if number % 3 == 0:
            with pytest.raises(ValueError, match=rf"^{number}$"):
                await workers.run(function)
        else:
            assert await workers.run(function) == number

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: problems.append(context))
        for begin in range(0, 300, 3):  # alone, then three at once
            await call(begin, random_.uniform(0, 0.0004))
            await asyncio.gather(*(call(begin + n, random_.uniform(0, 0.0004)) for n in range(3)))

    loops = [threading.Thread(target=asyncio.run, args=(main(),)) for _ in range(3)]  # the threads are shared
    for loop in loops:
        loop.start()
    for loop in loops:
        loop.join(60)
    assert not any(loop.is_alive() for loop in loops)
    gc.collect()
    assert problems == []


@pytest.mark.parametrize("grace_s", [GRACE_S, NEVER])
def test_a_cancelled_caller_does_not_wait_for_the_function(grace_s: float) -> None:
    workers = Workers(grace_s)
    gate = threading.Event()
    ended: list[str] = []

    def blocking() -> None:
        gate.wait(300)
        ended.append("ran on")

    async def main() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(workers.run(blocking), 0.05)

    asyncio.run(main())
    assert ended == [], "nobody waited for it"
    gate.set()  # the loop is closed by now: the thread must survive that
    until(lambda: ended)
    assert ended == ["ran on"]
    assert asyncio.run(workers.run(lambda: 1)) == 1


def test_a_function_that_never_ends_does_not_keep_python_alive() -> None:
    script = """
import asyncio, threading
import lango_nb.tools.workers as workers_module
from lango_nb.tools.workers import WORKERS
async def main():
    try:
        await asyncio.wait_for(WORKERS.run(threading.Event().wait), 0.1)
    except TimeoutError:
        print("left it")
asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "left it"), done.stderr


def _in_child() -> None:
    assert asyncio.run(WORKERS.run(lambda: 42)) == 42


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="forking is a matter of POSIX")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_starts_threads_of_its_own() -> None:
    asyncio.run(WORKERS.run(lambda: None))  # the parent has an idle thread, which the child will not have
    child = multiprocessing.get_context("fork").Process(target=_in_child)
    child.start()
    child.join(10)
    is_hanging = child.is_alive()
    child.kill()
    assert not is_hanging
    assert child.exitcode == 0
