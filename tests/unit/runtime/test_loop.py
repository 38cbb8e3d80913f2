"""The private loop: results and errors come back, display and questions stay with the caller, Stop stops."""

import asyncio
import contextvars
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lango_nb.core.errors import TurnError
from lango_nb.runtime import loop
from lango_nb.runtime.loop import Emit, ask_caller, run_in_loop
from tests.calls import calls_of

PROJECT = Path(__file__).parents[3]
needs_signals = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="timed signals are POSIX")


@contextmanager
def stop_after(*delays_s: float) -> Iterator[None]:
    """Send Ctrl-C after each of the delays, one after the other."""

    def press() -> None:
        for delay_s in delays_s:
            time.sleep(delay_s)
            os.kill(os.getpid(), signal.SIGINT)

    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=press)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        signal.signal(signal.SIGINT, previous)


async def answer(emit: Emit) -> int:
    emit("working")
    await asyncio.sleep(0)
    return 42


def test_returns_what_the_coroutine_returns_with_and_without_a_running_loop() -> None:
    async def inside_a_loop() -> int:
        return run_in_loop(answer)

    assert run_in_loop(answer) == 42
    assert asyncio.run(inside_a_loop()) == 42


def test_raises_what_the_coroutine_raises() -> None:
    async def fail(_emit: Emit) -> None:
        raise LookupError("no such thing")

    with pytest.raises(LookupError, match="no such thing") as caught:
        run_in_loop(fail)
    assert any(entry.name == "fail" for entry in caught.traceback)  # %tb still shows where


def test_raises_what_the_factory_raises() -> None:
    def broken(_emit: Emit) -> object:
        raise LookupError("before it began")

    with pytest.raises(LookupError, match="before it began"):
        run_in_loop(broken)  # type: ignore[arg-type]  # the point of the test


def test_events_arrive_in_order_on_the_calling_thread_and_all_of_them_before_the_result() -> None:
    seen: list[tuple[object, int]] = []

    async def many(emit: Emit) -> str:
        for number in range(1000):
            emit(number)
        return "end"

    assert run_in_loop(many, lambda event: seen.append((event, threading.get_ident()))) == "end"
    assert [event for event, _ in seen] == list(range(1000))
    assert {thread for _, thread in seen} == {threading.get_ident()}


def test_the_coroutine_runs_on_another_thread_and_sees_the_callers_context() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="nobody's")

    async def look(_emit: Emit) -> tuple[str, int, str]:
        seen = variable.get()
        variable.set("changed")
        return seen, threading.get_ident(), await asyncio.to_thread(variable.get)

    for value in ("first cell", "second cell"):
        variable.set(value)
        seen, thread, in_a_worker = run_in_loop(look)
        assert (seen, in_a_worker) == (value, "changed")
        assert thread != threading.get_ident()
    assert variable.get() == "second cell"


def test_a_failing_listener_cancels_the_turn_and_is_not_called_again() -> None:
    calls: list[object] = []
    ended = threading.Event()

    async def turn(emit: Emit) -> None:
        try:
            emit("one")
            await asyncio.sleep(30)
        finally:
            emit("two")
            ended.set()

    def listen(event: object) -> None:
        calls.append(event)
        raise ValueError("cannot show it")

    with pytest.raises(ValueError, match="cannot show it"):
        run_in_loop(turn, listen)
    assert ended.is_set()
    assert calls == ["one"]


@needs_signals
def test_stop_cancels_waits_for_the_cleanup_shows_its_events_and_interrupts() -> None:
    seen: list[object] = []

    async def turn(emit: Emit) -> None:
        emit("started")
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.05)
            emit("closed")

    with stop_after(0.2), pytest.raises(KeyboardInterrupt) as caught:
        run_in_loop(turn, seen.append)
    assert seen == ["started", "closed"]
    assert not getattr(caught.value, "__notes__", [])
    assert run_in_loop(answer) == 42


@needs_signals
def test_a_turn_that_will_not_stop_is_left_behind_after_the_grace_time() -> None:
    release = threading.Event()

    async def stubborn(_emit: Emit) -> None:
        while not release.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                continue

    with stop_after(0.1), pytest.raises(KeyboardInterrupt) as caught:
        run_in_loop(stubborn, grace_s=0.2)
    assert "did not stop in time" in caught.value.__notes__[0]
    release.set()
    assert run_in_loop(answer) == 42


@needs_signals
def test_the_grace_time_ends_even_while_events_keep_coming() -> None:
    release = threading.Event()

    async def chatty(emit: Emit) -> None:
        while not release.is_set():
            try:
                emit("more")
                await asyncio.sleep(0.001)
            except asyncio.CancelledError:
                continue

    with stop_after(0.1), pytest.raises(KeyboardInterrupt):
        run_in_loop(chatty, lambda _event: None, grace_s=0.2)
    release.set()


@needs_signals
def test_a_second_stop_gives_up_waiting() -> None:
    release = threading.Event()

    async def stubborn(_emit: Emit) -> None:
        while not release.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                continue

    with stop_after(0.1, 0.2), pytest.raises(KeyboardInterrupt):
        run_in_loop(stubborn, grace_s=3600)  # longer than a test may hang
    release.set()


@needs_signals
def test_what_goes_wrong_while_stopping_is_noted_on_the_interrupt() -> None:
    async def turn(_emit: Emit) -> None:
        try:
            await asyncio.sleep(30)
        finally:
            raise OSError("disk full")

    with stop_after(0.1), pytest.raises(KeyboardInterrupt) as caught:
        run_in_loop(turn)
    assert caught.value.__notes__ == ["while stopping: OSError: disk full"]


@needs_signals
def test_a_listener_that_fails_while_stopping_is_noted_and_the_turn_still_ends() -> None:
    ended: list[str] = []

    async def turn(emit: Emit) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            emit("closed")
            await asyncio.sleep(0.05)
            ended.append("cleaned up")

    def fail(event: object) -> None:
        raise OSError(f"cannot show {event}")

    with stop_after(0.1), pytest.raises(KeyboardInterrupt) as caught:
        run_in_loop(turn, fail)
    assert caught.value.__notes__ == ["while showing the last events: OSError: cannot show closed"]
    assert ended == ["cleaned up"]


def test_a_coroutine_that_cancels_itself_is_an_error_not_a_silence() -> None:
    async def cancel_myself(_emit: Emit) -> None:
        raise asyncio.CancelledError

    with pytest.raises(TurnError, match="cancelled from inside"):
        run_in_loop(cancel_myself)


def test_calling_from_the_loops_own_thread_says_so_instead_of_waiting_for_ever() -> None:
    async def nested(_emit: Emit) -> int:
        return run_in_loop(answer)

    with pytest.raises(TurnError, match="await the coroutine instead"):
        run_in_loop(nested)


def test_a_listener_and_a_worker_thread_may_run_further_coroutines() -> None:
    inner: list[int] = []

    async def outer(emit: Emit) -> int:
        emit("now")
        return await asyncio.to_thread(run_in_loop, answer)

    assert run_in_loop(outer, lambda _event: inner.append(run_in_loop(answer))) == 42
    assert inner == [42]


def test_many_threads_share_the_loop_and_get_their_own_answers() -> None:
    results: dict[int, int] = {}

    def caller(number: int) -> None:
        async def work(_emit: Emit) -> int:
            await asyncio.sleep(0.01)
            return number

        results[number] = run_in_loop(work)

    threads = [threading.Thread(target=caller, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: number for number in range(20)}


def test_sys_exit_in_a_tool_reaches_the_caller_and_the_loop_lives_on() -> None:
    async def leave(_emit: Emit) -> None:
        sys.exit(3)

    async def leave_in_a_task(_emit: Emit) -> None:
        async def child() -> None:
            sys.exit(4)

        await asyncio.gather(child(), asyncio.sleep(0.01))

    for factory, code in ((leave, 3), (leave_in_a_task, 4)):
        with pytest.raises(SystemExit) as caught:
            run_in_loop(factory)
        assert caught.value.code == code
        assert run_in_loop(answer) == 42


def test_a_process_can_be_started_from_the_loop() -> None:
    async def echo(_emit: Emit) -> bytes:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", "print('hi')", stdout=asyncio.subprocess.PIPE
        )
        out, _ = await process.communicate()
        return out

    assert run_in_loop(echo).strip() == b"hi"


class TestAskCaller:
    def test_the_question_is_asked_on_the_calling_thread_while_the_loop_goes_on(self) -> None:
        has_ticked = threading.Event()

        async def turn(_emit: Emit) -> tuple[int, int]:
            async def tick() -> None:
                await asyncio.sleep(0.01)
                has_ticked.set()

            ticker = asyncio.create_task(tick())

            def question() -> int:
                assert has_ticked.wait(60), "the loop stands still"
                return threading.get_ident()

            asked_on = await ask_caller(question)
            await ticker
            return asked_on, threading.get_ident()

        asked_on, ran_on = run_in_loop(turn)
        assert asked_on == threading.get_ident() != ran_on

    @pytest.mark.parametrize("error", [EOFError("no stdin"), ValueError("bad")])
    def test_an_error_of_the_question_goes_to_whoever_asked(self, error: Exception) -> None:
        def question() -> None:
            raise error

        async def turn(_emit: Emit) -> str:
            try:
                await ask_caller(question)
            except type(error) as caught:
                return f"caught {caught}"
            return "nothing"

        assert run_in_loop(turn) == f"caught {error}"

    def test_stop_iteration_does_not_get_lost(self) -> None:
        async def turn(_emit: Emit) -> str:
            try:
                await ask_caller(lambda: next(iter(())))
            except RuntimeError as caught:
                return str(caught)
            return "nothing"

        assert "StopIteration" in run_in_loop(turn)

    def test_without_a_waiting_caller_the_current_thread_is_the_caller(self) -> None:
        assert asyncio.run(ask_caller(threading.get_ident)) == threading.get_ident()

    def test_ctrl_c_at_the_question_stops_the_turn(self) -> None:
        seen: list[object] = []

        def question() -> None:
            raise KeyboardInterrupt

        async def turn(emit: Emit) -> None:
            try:
                await ask_caller(question)
            except asyncio.CancelledError:
                emit("cancelled")
                raise

        with pytest.raises(KeyboardInterrupt):
            run_in_loop(turn, seen.append)
        assert seen == ["cancelled"]

    @needs_signals
    def test_after_stop_nobody_is_asked(self) -> None:
        answers: list[str] = []

        async def turn(_emit: Emit) -> None:
            try:
                await asyncio.sleep(30)
            finally:
                try:
                    await ask_caller(lambda: answers.append("asked"))
                except EOFError as error:
                    answers.append(str(error))

        with stop_after(0.1), pytest.raises(KeyboardInterrupt):
            run_in_loop(turn)
        assert answers == ["nobody is there to answer"]

    def test_a_task_that_outlives_its_turn_finds_nobody(self) -> None:
        left: list[asyncio.Task[None]] = []

        async def turn(_emit: Emit) -> None:
            async def later() -> None:
                await asyncio.sleep(0.1)
                await ask_caller(lambda: None)

            left.append(asyncio.create_task(later()))

        run_in_loop(turn)

        async def wait(_emit: Emit) -> None:
            await left[0]

        with pytest.raises(EOFError, match="nobody is there"):
            run_in_loop(wait)

    def test_a_question_put_just_after_the_end_is_refused_and_never_waits(self) -> None:
        left: list[asyncio.Task[None]] = []

        async def turn(_emit: Emit) -> None:
            async def just_after() -> None:
                for _ in range(5):
                    await asyncio.sleep(0)
                await ask_caller(lambda: None)

            left.append(asyncio.create_task(just_after()))

        async def wait(_emit: Emit) -> None:
            await asyncio.wait_for(left.pop(), 5)

        for _ in range(50):
            run_in_loop(turn)
            with pytest.raises(EOFError, match="nobody is there"):
                run_in_loop(wait)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork is POSIX")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_gets_a_loop_of_its_own_and_the_parents_goes_on() -> None:
    run_in_loop(answer)
    with loop._lock:  # as when another thread is just starting the loop
        child = os.fork()
        if child == 0:
            signal.alarm(10)  # a child that waits for ever is ended
            os._exit(run_in_loop(answer))
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 42
    assert run_in_loop(answer) == 42


def test_a_script_that_used_the_loop_ends_quietly_and_at_once() -> None:
    script = textwrap.dedent(
        """
        import asyncio
        from lango_nb.runtime.loop import run_in_loop

        async def turn(emit):
            await asyncio.sleep(0)
            return "done"

        print(run_in_loop(turn))
        """
    )
    ended = subprocess.run(
        [sys.executable, "-X", "dev", "-c", script],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "done\n", "")


def test_an_empty_run_costs_its_caller_few_calls() -> None:
    async def nothing(_emit: Emit) -> None:
        return

    run_in_loop(nothing)
    assert calls_of(lambda: run_in_loop(nothing)) < 60
