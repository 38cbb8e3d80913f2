"""How long a turn or a run may take: an idle time that activity renews, and a ceiling that activity does not move.

    start ──── extend ──── extend ─────────┤ idle: silent for too long
      └────────────────────────────────────────────────┤ ceiling: too long in all

Renewing moves a number; one timer wakes, looks at it, and sleeps again until the turn would really be too late. While a
question is open (:class:`Pause`) both clocks stand still.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from threading import Lock
from typing import Literal

from lango_nb.config.settings import AgentSettings
from lango_nb.core.dataclass import dataclass

REQUEST_S = 5 * 60.0
"""How long a turn may take when nothing is set."""
CEILING_S = 60 * 60.0
"""How long one may take that is held by its idle time alone."""
IDLE_TIMES = 3
"""How many idle times make a ceiling where none fits."""

Reason = Literal["", "idle", "ceiling"]
"""Which of the two ended a turn; empty while neither has."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """The two limits of a turn's time, in seconds."""

    idle_s: float
    """Longest silence; 0 sets no limit."""
    ceiling_s: float
    """Longest turn, however busy; 0 sets no limit."""


def resolve_timeouts(agent: AgentSettings) -> Timeouts:
    """Work out both limits from the settings.

    Parameters
    ----------
    agent : AgentSettings
        Its four time-outs; 0 stands for one that is not set, a negative idle time for one that is switched off.

    Returns
    -------
    Timeouts

    Notes
    -----
    ========== ========== ============================= =========================================================
    idle time  extension  idle                          ceiling
    ========== ========== ============================= =========================================================
    above 0    any        as given                      requestTimeout, else 60 min; 3 x idle if that is not more
    below 0    any        none                          requestTimeout, else 5 min
    0          on         requestTimeout, else 5 min    maxRequestTimeout, else 3 x idle
    0          off        none                          requestTimeout, else 5 min
    ========== ========== ============================= =========================================================

    Examples
    --------
    >>> resolve_timeouts(AgentSettings())
    Timeouts(idle_s=0.0, ceiling_s=300.0)
    >>> resolve_timeouts(AgentSettings(auto_extend_timeout=True, request_timeout_s="1m"))
    Timeouts(idle_s=60.0, ceiling_s=180.0)
    """
    request, idle = max(agent.request_timeout_s, 0.0), agent.idle_timeout_s
    if idle > 0:
        ceiling = request or CEILING_S
        return Timeouts(idle, ceiling if ceiling > idle else idle * IDLE_TIMES)
    if idle == 0 and agent.auto_extend_timeout:
        idle = request or REQUEST_S
        ceiling = agent.max_request_timeout_s
        return Timeouts(idle, ceiling if ceiling > 0 else idle * IDLE_TIMES)
    return Timeouts(0.0, request or REQUEST_S)


class Pause:
    """Open questions: while there is one, the clocks that joined stand still.

    Entered for each question by the asker; questions may overlap.

    Examples
    --------
    >>> async def ask() -> tuple[bool, bool]:
    ...     pause = Pause()
    ...     with pause:
    ...         return pause.is_on, pause.stood_s() >= 0
    >>> asyncio.run(ask())
    (True, True)
    """

    __slots__ = ("_clocks", "_lock", "_loop", "_open", "_since_s", "_stood_s", "_waiting")

    def __init__(self) -> None:
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._open = 0
        self._since_s = 0.0
        self._stood_s = 0.0
        self._clocks: set[Deadline] = set()
        self._waiting: list[Future[None]] = []

    @property
    def is_on(self) -> bool:
        """Whether a question is open."""
        return self._open > 0

    def __enter__(self) -> None:
        """Open a question."""
        with self._lock:
            self._open += 1
            if self._open > 1:
                return
            self._loop = asyncio.get_running_loop()
            self._since_s = self._loop.time()
        for clock in tuple(self._clocks):
            clock.pause()

    def __exit__(self, *_: object) -> None:
        """Close it; with the last one the clocks go on."""
        with self._lock:
            self._open -= 1
            if self._open:
                return
            self._stood_s += self._open_s()
            waiting, self._waiting = self._waiting, []
        for clock in tuple(self._clocks):
            clock.resume()
        for future in waiting:
            if future.set_running_or_notify_cancel():
                future.set_result(None)

    def join(self, clock: Deadline) -> None:
        """Stop a clock, too, whenever a question is open; it runs on the loop of the asker."""
        self._clocks.add(clock)
        if self.is_on:
            clock.pause()

    def leave(self, clock: Deadline) -> None:
        """Let a clock go."""
        if clock in self._clocks:
            self._clocks.remove(clock)
            if self.is_on:
                clock.resume()

    def stood_s(self) -> float:
        """Return for how many seconds questions were open so far."""
        with self._lock:
            return self._stood_s + (self._open_s() if self._open else 0.0)

    def _open_s(self) -> float:
        return self._loop.time() - self._since_s if self._loop is not None else 0.0

    async def over(self) -> None:
        """Wait until no question is open, on any loop."""
        while True:
            with self._lock:
                if not self._open:
                    return
                future: Future[None] = Future()
                self._waiting.append(future)
            await asyncio.wrap_future(future)


class Deadline:
    """Cancels a task that is silent for too long, or takes too long in all.

    Parameters
    ----------
    timeouts : Timeouts
    loop : asyncio.AbstractEventLoop, optional
        The loop the task runs on; the running one when absent.
    questions : Pause, optional
        While one of these is open, both clocks stand still.

    Examples
    --------
    >>> async def turn() -> str:
    ...     deadline = Deadline(Timeouts(idle_s=0.01, ceiling_s=1.0))
    ...     deadline.start(asyncio.current_task())
    ...     try:
    ...         await asyncio.sleep(1)
    ...     except asyncio.CancelledError:
    ...         if not deadline.absorb():
    ...             raise
    ...     finally:
    ...         deadline.stop()
    ...     return deadline.reason
    >>> asyncio.run(turn())
    'idle'
    """

    __slots__ = (
        "_cancelling",
        "_ends_at",
        "_heard_at",
        "_is_watching",
        "_loop",
        "_paused_at",
        "_pauses",
        "_questions",
        "_task",
        "_time",
        "_timer",
        "reason",
        "timeouts",
    )

    def __init__(
        self, timeouts: Timeouts, loop: asyncio.AbstractEventLoop | None = None, questions: Pause | None = None
    ) -> None:
        self.timeouts = timeouts
        self.reason: Reason = ""
        """Why the task was cancelled; empty when this deadline did not."""
        self._loop = loop or asyncio.get_running_loop()
        self._time = self._loop.time
        self._task: asyncio.Task[object] | None = None
        self._is_watching = False
        self._timer: asyncio.TimerHandle | None = None
        self._cancelling = 0
        self._questions = questions
        self._pauses = 0
        self._paused_at = 0.0
        self._heard_at = 0.0
        self._ends_at = 0.0

    def start(self, task: asyncio.Task[object] | None) -> None:
        """Begin to watch a task.

        Parameters
        ----------
        task : asyncio.Task
            Cancelled when it is late; ``None`` watches nothing.
        """
        self.stop()
        if task is None:
            return
        self._task, self._cancelling, self.reason = task, task.cancelling(), ""
        self._is_watching = True
        self._heard_at = self._time()
        self._ends_at = self._heard_at + self.timeouts.ceiling_s
        self._arm()
        if self._questions is not None:
            self._questions.join(self)

    def extend(self) -> None:
        """Note that the turn is at work: it may be silent for a whole idle time again. The ceiling stays."""
        self._heard_at = self._time()

    def pause(self) -> None:
        """Stop both clocks, while a person is asked for instance; pauses may overlap."""
        self._pauses += 1
        if self._pauses == 1:
            self._paused_at = self._time()
            self._disarm()

    def resume(self) -> None:
        """Let both clocks go on when the last pause ends; what was paused does not count."""
        if not self._pauses:
            return
        self._pauses -= 1
        if not self._pauses:
            self._ends_at += self._time() - self._paused_at
            self._heard_at = self._time()
            self._arm()

    def stop(self) -> None:
        """Watch no longer; nothing wakes it again."""
        self._is_watching = False
        self._disarm()
        if self._questions is not None:
            self._questions.leave(self)

    def absorb(self) -> bool:
        """Take back the cancellation that is being handled, if this deadline alone caused it.

        Returns
        -------
        bool
            ``False`` when the task was cancelled from elsewhere, too: the ``CancelledError`` must go on.
        """
        self.stop()
        task, self._task = self._task, None
        return bool(self.reason) and task is not None and task.uncancel() <= self._cancelling

    def _arm(self) -> None:
        due = self._due_at()
        if self._is_watching and due is not None and not self._pauses:
            self._timer = self._loop.call_at(due, self._wake)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _due_at(self) -> float | None:
        idle, ceiling = self.timeouts.idle_s, self.timeouts.ceiling_s
        if idle > 0 and ceiling > 0:
            return min(self._heard_at + idle, self._ends_at)
        if idle > 0:
            return self._heard_at + idle
        return self._ends_at if ceiling > 0 else None

    def _wake(self) -> None:
        """Cancel the task if it is late; sleep on if it was heard of since the timer was set."""
        self._timer = None
        task, due = self._task, self._due_at()
        if task is None or task.done() or due is None:
            self._is_watching = False
        elif self._time() < due:
            self._arm()
        else:
            self._is_watching = False
            self.reason = "ceiling" if due >= self._ends_at and self.timeouts.ceiling_s > 0 else "idle"
            task.cancel(f"{self.reason} time-out")
