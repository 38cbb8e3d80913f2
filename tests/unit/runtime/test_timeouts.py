"""How long a turn may take: the settings' four cases, and a deadline that ends what is late."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import pytest

from lango_nb.config.settings import AgentSettings
from lango_nb.runtime.timeouts import Deadline, Timeouts, resolve_timeouts

HOUR = 3600.0


@pytest.mark.parametrize(
    ("idle", "extends", "request_s", "longest", "expected"),
    [
        # an idle time: the ceiling is the request's time, or an hour, or three idle times
        (60, False, 300, 0, (60, 300)),
        (60, True, 300, 900, (60, 300)),
        (60, False, 0, 0, (60, HOUR)),
        (300, False, 300, 0, (300, 900)),
        (400, False, 300, 0, (400, 1200)),
        (2 * HOUR, False, 0, 0, (2 * HOUR, 6 * HOUR)),
        # switched off: the request's time alone, or five minutes
        (-1, False, 120, 0, (0, 120)),
        (-1, True, 120, 900, (0, 120)),
        (-1, False, 0, 0, (0, 300)),
        # extended: the request's time is the idle time
        (0, True, 120, 0, (120, 360)),
        (0, True, 120, 500, (120, 500)),
        (0, True, 0, 0, (300, 900)),
        # neither
        (0, False, 120, 500, (0, 120)),
        (0, False, 0, 0, (0, 300)),
    ],
)
def test_both_limits_follow_from_four_settings(
    idle: float, extends: bool, request_s: float, longest: float, expected: tuple[float, float]
) -> None:
    agent = SimpleNamespace(
        idle_timeout_s=idle,
        auto_extend_timeout=extends,
        request_timeout_s=request_s,
        max_request_timeout_s=longest,
    )
    assert resolve_timeouts(cast("AgentSettings", agent)) == Timeouts(*expected)


def test_the_defaults_give_five_minutes() -> None:
    assert resolve_timeouts(AgentSettings()) == Timeouts(0, 300)


class Loop:
    """A loop whose time is moved by hand."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.timers: list[SimpleNamespace] = []
        self.armed = 0

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, wake: Callable[[], None]) -> SimpleNamespace:
        timer = SimpleNamespace(when=when, wake=wake)
        timer.cancel = lambda: self.timers.remove(timer)
        self.timers.append(timer)
        self.armed += 1
        return timer

    def move(self, seconds: float) -> None:
        """Let time pass; what is due wakes on time."""
        until = self.now + seconds
        while due := sorted((timer for timer in self.timers if timer.when <= until), key=lambda timer: timer.when):
            self.now = max(self.now, due[0].when)
            self.timers.remove(due[0])
            due[0].wake()
        self.now = until


class Task:
    """A task that counts how often it is cancelled."""

    def __init__(self) -> None:
        self.cancels: list[str] = []
        self.is_done = False
        self.requests = 0

    def cancel(self, message: str = "") -> None:
        self.cancels.append(message)
        self.requests += 1

    def cancelling(self) -> int:
        return self.requests

    def uncancel(self) -> int:
        self.requests -= 1
        return self.requests

    def done(self) -> bool:
        return self.is_done


def watched(idle_s: float, ceiling_s: float) -> tuple[Deadline, Loop, Task]:
    loop, task = Loop(), Task()
    deadline = Deadline(Timeouts(idle_s, ceiling_s), cast("asyncio.AbstractEventLoop", loop))
    deadline.start(cast("asyncio.Task[object]", task))
    return deadline, loop, task


def test_silence_ends_a_turn() -> None:
    deadline, loop, task = watched(10, 100)
    loop.move(9.9)
    assert (deadline.reason, task.cancels) == ("", [])
    loop.move(0.2)
    assert (deadline.reason, task.cancels) == ("idle", ["idle time-out"])


def test_being_heard_of_renews_the_idle_time_and_never_the_ceiling() -> None:
    deadline, loop, task = watched(10, 100)
    for _ in range(19):
        loop.move(5)
        deadline.extend()
    assert (loop.now, deadline.reason) == (1095, "")
    deadline.extend()
    loop.move(5)
    assert (loop.now, deadline.reason, len(task.cancels)) == (1100, "ceiling", 1)


def test_renewing_a_thousand_times_sets_no_further_timer() -> None:
    deadline, loop, _ = watched(10, 100)
    for _ in range(1000):
        loop.move(0.005)
        deadline.extend()
    assert loop.armed == 1
    loop.move(9)
    assert (loop.armed, deadline.reason) == (2, "")


def test_without_an_idle_time_only_the_ceiling_ends_a_turn_and_without_both_nothing_does() -> None:
    deadline, loop, _ = watched(0, 100)
    loop.move(99)
    assert loop.timers
    loop.move(1)
    assert deadline.reason == "ceiling"
    deadline, loop, _ = watched(0, 0)
    assert not loop.timers
    deadline, loop, _ = watched(5, 0)
    loop.move(5)
    assert deadline.reason == "idle"


def test_a_ceiling_below_the_idle_time_is_what_it_is_called() -> None:
    deadline, loop, _ = watched(50, 20)
    loop.move(20)
    assert deadline.reason == "ceiling"


def test_what_is_paused_does_not_count_however_pauses_overlap() -> None:
    deadline, loop, task = watched(10, 20)
    loop.move(8)
    deadline.pause()
    loop.move(500)
    deadline.pause()
    loop.move(500)
    deadline.resume()
    loop.move(500)
    assert not loop.timers
    deadline.resume()
    loop.move(9)
    deadline.extend()
    assert deadline.reason == ""
    loop.move(2.9)
    assert deadline.reason == ""
    loop.move(0.2)
    assert (deadline.reason, len(task.cancels)) == ("ceiling", 1), "8 s before the pause and 12 s after it"


def test_a_resume_too_many_changes_nothing() -> None:
    deadline, loop, _ = watched(10, 20)
    deadline.resume()
    assert len(loop.timers) == 1
    deadline.pause()
    loop.move(100)
    deadline.resume()
    loop.move(9)
    assert loop.timers
    loop.move(1)
    assert deadline.reason == "idle"


def test_what_is_over_is_never_watched_again() -> None:
    deadline, loop, task = watched(10, 20)
    deadline.stop()
    deadline.extend()
    deadline.pause()
    deadline.resume()
    assert not loop.timers
    loop.move(100)
    assert (deadline.reason, task.cancels) == ("", [])
    deadline, loop, task = watched(10, 20)
    task.is_done = True
    loop.move(100)
    assert (deadline.reason, task.cancels, loop.timers) == ("", [], [])
    deadline, loop, task = watched(10, 20)
    loop.move(10)
    deadline.pause()
    deadline.resume()
    loop.move(100)
    assert (len(task.cancels), loop.timers) == (1, [])


async def late(deadline: Deadline) -> str:
    """Work for ever under a deadline, as a turn does."""
    deadline.start(asyncio.current_task())
    try:
        await asyncio.sleep(5)
    except asyncio.CancelledError:
        if not deadline.absorb():
            raise
        await asyncio.sleep(0)  # the turn is closed; awaiting works again
        return deadline.reason
    finally:
        deadline.stop()
    return "in time"


@pytest.mark.parametrize(("timeouts", "reason"), [(Timeouts(0.02, 5), "idle"), (Timeouts(5, 0.02), "ceiling")])
def test_a_late_task_is_cancelled_and_may_go_on_to_close_its_trace(timeouts: Timeouts, reason: str) -> None:
    async def scene() -> tuple[str, int]:
        task = asyncio.current_task()
        assert task is not None
        return await late(Deadline(timeouts)), task.cancelling()

    assert asyncio.run(scene()) == (reason, 0)


def test_who_cancels_the_task_himself_is_obeyed() -> None:
    async def scene() -> tuple[bool, str]:
        deadline = Deadline(Timeouts(1, 1))
        task = asyncio.create_task(late(deadline))
        await asyncio.sleep(0)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            return True, deadline.reason
        return False, deadline.reason

    assert asyncio.run(scene()) == (True, "")


def test_a_cancellation_at_the_same_moment_is_not_taken_for_a_time_out() -> None:
    loop, task = Loop(), Task()
    deadline = Deadline(Timeouts(1, 10), cast("asyncio.AbstractEventLoop", loop))
    deadline.start(cast("asyncio.Task[object]", task))
    loop.move(1)
    task.cancel("by the user")
    assert deadline.reason == "idle"
    assert not deadline.absorb()


def test_a_turn_inside_a_cancelled_scope_keeps_the_outer_cancellation() -> None:
    loop, task = Loop(), Task()
    task.cancel("an outer scope")
    deadline = Deadline(Timeouts(1, 10), cast("asyncio.AbstractEventLoop", loop))
    deadline.start(cast("asyncio.Task[object]", task))
    loop.move(1)
    assert deadline.absorb()
    assert task.cancelling() == 1


def test_without_a_task_nothing_is_watched() -> None:
    loop = Loop()
    deadline = Deadline(Timeouts(1, 1), cast("asyncio.AbstractEventLoop", loop))
    deadline.start(None)
    assert not loop.timers
    assert not deadline.absorb()
