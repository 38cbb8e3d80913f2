"""All teammate runs of an engine: what each came to, and waiting for its end.

A run is a snapshot; the store replaces it. Waiters may stand on other event loops and other threads than whoever ends
the run: they are woken, nobody looks again and again.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import TurnError, UnknownNameError
from lango_nb.records.agent_run import (
    TERMINAL,
    AgentRun,
    GrantState,
    RunCondition,
    RunEnd,
    RunPatch,
    RunStatus,
)

if TYPE_CHECKING:  # annotations only: the events load with the first turn
    import asyncio

    from lango_nb.core.events import Event

__all__ = [
    "TERMINAL",
    "AgentRun",
    "GrantState",
    "Keeper",
    "Observer",
    "RunCondition",
    "RunEnd",
    "RunPatch",
    "RunStatus",
    "Runs",
]

logger = logging.getLogger("lango_nb")

Cancel = Callable[[], None]
Observer = Callable[[AgentRun, AgentRun], None]
"""Gets a run as it was before a projection and as it is after it."""


class _Waiter:
    """Somebody who waits for the end of a run, on whatever loop."""

    __slots__ = ("done", "loop")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.done: asyncio.Future[None] = loop.create_future()

    def wake(self) -> None:
        """Wake the waiter from any thread; one whose loop is gone needs no waking."""
        if _is_here(self.loop):
            self.finish()
            return
        try:
            self.loop.call_soon_threadsafe(self.finish)
        except RuntimeError:  # the loop is closed
            logger.debug("the loop of somebody who waited for a run is closed")

    def finish(self) -> None:
        """End the wait, on the waiter's own loop."""
        if not self.done.done():
            self.done.set_result(None)


@dataclass(slots=True)
class _Entry:
    """What the store holds of one run; the waiters and the way to cancel it never leave the store."""

    run: AgentRun
    cancel: Cancel | None
    waiters: dict[_Waiter, None] = field(default_factory=dict)
    """In the order in which they came: they are woken in it."""
    events: list[Event] = field(default_factory=list)


class Keeper(Protocol):
    """Where runs are written down as they change, and found again by engines that did not make them."""

    def keep(self, run: AgentRun) -> None:
        """Write a run down as it is now; failing to is the keeper's business."""
        ...

    def get(self, run_id: str) -> AgentRun | None:
        """Return a run that was written down, or ``None``."""
        ...

    def list(self) -> Iterable[AgentRun]:
        """Return all runs that were written down, in order of creation."""
        ...

    def events(self, run: AgentRun) -> tuple[Event, ...]:
        """Return what happened in a run that was written down."""
        ...


class Runs:
    """All runs of an engine, in memory and where they are written down; safe under threads.

    Parameters
    ----------
    keeper : Keeper, optional
        Nothing is written down when absent.

    Examples
    --------
    >>> from datetime import UTC, datetime
    >>> runs, now = Runs(), datetime(2026, 1, 1, tzinfo=UTC)
    >>> run = runs.create(AgentRun(id="arun-1", parent_id="s", requested_agent="vault", instruction="Hash it.",
    ...                            created_at=now))
    >>> runs.start("arun-1").status, runs.finish("arun-1", "completed", "done", at=now).view()
    ('running', {'agent_id': 'arun-1', 'status': 'completed', 'result': 'done'})
    >>> runs.cancel("arun-1", now)
    Traceback (most recent call last):
    ...
    lango_nb.core.errors.TurnError: run arun-1 is already completed; nothing about it can change any more
    """

    def __init__(self, keeper: Keeper | None = None) -> None:
        self._keeper = keeper
        self.observers: list[Observer] = []
        """Called after each projection that changed something, in order; one that fails is logged."""
        self._lock = threading.Lock()
        self._projecting = threading.RLock()  # observers see projections in the order in which they were made
        self._entries: dict[str, _Entry] = {}

    def create(self, run: AgentRun, cancel: Cancel | None = None) -> AgentRun:
        """Keep a new run.

        Parameters
        ----------
        run : AgentRun
        cancel : callable, optional
            Stops the work; called once at most, by :meth:`cancel`, on whatever thread that is called.

        Returns
        -------
        AgentRun

        Raises
        ------
        TurnError
            There is a run of that id.
        """
        with self._lock:
            if run.id in self._entries:
                raise TurnError(f"run {run.id} already exists; every run needs an id of its own")
            self._entries[run.id] = _Entry(run, cancel)
            self._keep(run)
        return run

    def adopt(self, run: AgentRun, events: Iterable[Event], cancel: Cancel | None = None) -> AgentRun:
        """Go on with a run that another engine made; see :meth:`create`.

        Parameters
        ----------
        run : AgentRun
            As it was written down.
        events : iterable of Event
            What happened in it so far.
        cancel : callable, optional
        """
        self.create(run, cancel)
        self._entries[run.id].events.extend(events)
        return run

    def get(self, run_id: str) -> AgentRun:
        """Return a run as it is now.

        Raises
        ------
        UnknownNameError
            There is none of that id.
        """
        found = self._entries.get(run_id)
        if found is not None:
            return found.run
        run = self._keeper.get(run_id) if self._keeper is not None else None
        if run is None:
            raise UnknownNameError("run", run_id, [run.id for run in self.list()])
        return run

    def list(self) -> tuple[AgentRun, ...]:
        """Return all runs as they are now, in order of creation; those of other engines as they were written down."""
        kept = () if self._keeper is None else self._keeper.list()
        with self._lock:
            own = {run_id: entry.run for run_id, entry in self._entries.items()}
        return (*(own.pop(run.id, run) for run in kept), *own.values())

    def own(self) -> tuple[AgentRun, ...]:
        """Return the runs this engine made, in order of creation."""
        with self._lock:
            return tuple(entry.run for entry in self._entries.values())

    def _keep(self, run: AgentRun) -> None:
        if self._keeper is not None:
            self._keeper.keep(run)

    def __iter__(self) -> Iterator[AgentRun]:
        """Iterate over the runs there are at this moment."""
        return iter(self.list())

    def __len__(self) -> int:
        """Count the runs."""
        return len(self._entries) if self._keeper is None else len(self.list())

    def start(self, run_id: str) -> AgentRun:
        """Note that the work on a run began.

        Raises
        ------
        UnknownNameError
            There is none of that id.
        TurnError
            It has ended.
        """
        with self._lock:
            entry = self._living(run_id)
            entry.run = entry.run.changed(status="running")
            return entry.run

    def finish(  # noqa: PLR0913 - all by name
        self,
        run_id: str,
        status: RunEnd,
        result: str = "",
        error: str = "",
        error_code: str = "",
        *,
        at: datetime,
        steps: int = 0,
        tool_calls: int = 0,
    ) -> AgentRun:
        """End a run and wake whoever waits for it.

        Parameters
        ----------
        run_id : str
        status : {"completed", "failed", "cancelled"}
        result, error, error_code : str
        at : datetime
        steps, tool_calls : int
            How many model calls and tool calls it took.

        Returns
        -------
        AgentRun

        Raises
        ------
        UnknownNameError
            There is none of that id.
        TurnError
            It has ended before.
        """
        return self._end(
            run_id,
            status=status,
            result=result,
            error=error,
            error_code=error_code,
            completed_at=at,
            steps=steps,
            tool_calls=tool_calls,
        )[0]

    def cancel(self, run_id: str, at: datetime, error: str = "") -> AgentRun:
        """Cancel a run, wake whoever waits for it, and stop its work.

        Parameters
        ----------
        run_id : str
        at : datetime
        error : str
            Why.

        Returns
        -------
        AgentRun
            Cancelled at once; the work itself may take a moment to stop.

        Raises
        ------
        UnknownNameError
            There is none of that id.
        TurnError
            It has ended before.
        """
        run, stop = self._end(run_id, status="cancelled", error=error, error_code="cancelled", completed_at=at)
        if stop is not None:
            try:
                stop()
            except Exception:
                logger.exception("run %s is cancelled, but its work could not be stopped", run_id)
        return run

    def count(self, run_id: str, *, steps: int, tool_calls: int) -> AgentRun:
        """Note how many model calls and tool calls a run took; the one thing that may come after its end.

        Raises
        ------
        UnknownNameError
            There is none of that id.
        """
        with self._lock:
            entry = self._entry(run_id)
            entry.run = entry.run.changed(steps=steps, tool_calls=tool_calls)
            self._keep(entry.run)
            return entry.run

    def project(self, run_id: str, patch: RunPatch) -> AgentRun:
        """Change what a living run waits for, asks for or may use.

        Parameters
        ----------
        run_id : str
        patch : RunPatch

        Returns
        -------
        AgentRun

        Raises
        ------
        UnknownNameError
            There is none of that id.
        TurnError
            It has ended.
        """
        with self._projecting:
            with self._lock:
                entry = self._living(run_id)
                before = entry.run
                after = entry.run = patch.apply(before)
                if after != before:
                    self._keep(after)
            if after != before:
                self._tell(before, after)
        return after

    async def wait(self, run_id: str, timeout_s: float) -> AgentRun:
        """Wait until a run has ended or the time is up; the run itself is left as it is.

        Parameters
        ----------
        run_id : str
        timeout_s : float
            How long, in seconds of the event loop; 0 looks once.

        Returns
        -------
        AgentRun
            As it is at the end of the wait: look at ``is_terminal``. One of another engine is not waited for.

        Raises
        ------
        UnknownNameError
            There is none of that id.
        """
        import asyncio  # an engine that is not asked anything does without

        if run_id not in self._entries:
            return self.get(run_id)
        with self._lock:
            entry = self._entry(run_id)
            if entry.run.is_terminal or not timeout_s > 0:
                return entry.run
            waiter = _Waiter(asyncio.get_running_loop())
            entry.waiters[waiter] = None
        timer = waiter.loop.call_later(timeout_s, waiter.finish)
        try:
            await waiter.done
        finally:  # also when the waiter is cancelled
            timer.cancel()
            with self._lock:
                entry.waiters.pop(waiter, None)
        return entry.run

    def add_event(self, run_id: str, event: Event) -> None:
        """Keep what happened in a run, also after it has ended or its turn is over.

        Raises
        ------
        UnknownNameError
            There is none of that id.
        """
        self._entry(run_id).events.append(event)

    def events(self, run_id: str) -> tuple[Event, ...]:
        """Return everything that happened in a run so far.

        Raises
        ------
        UnknownNameError
            There is none of that id.
        """
        found = self._entries.get(run_id)
        if found is None and self._keeper is not None and (run := self._keeper.get(run_id)) is not None:
            return self._keeper.events(run)
        return tuple(self._entry(run_id).events)

    def _entry(self, run_id: str) -> _Entry:
        found = self._entries.get(run_id)
        if found is None:
            raise UnknownNameError("run", run_id, tuple(self._entries))
        return found

    def _living(self, run_id: str) -> _Entry:
        """Return a run that may still change; the lock is held."""
        entry = self._entry(run_id)
        if entry.run.is_terminal:
            raise TurnError(f"run {run_id} is already {entry.run.status}; nothing about it can change any more")
        return entry

    def _end(self, run_id: str, **changes: object) -> tuple[AgentRun, Cancel | None]:
        """Make a run terminal; return it with what would stop its work."""
        with self._lock:
            entry = self._living(run_id)
            run = entry.run = entry.run.changed(**changes)
            stop, entry.cancel = entry.cancel, None
            waiters, entry.waiters = entry.waiters, {}
            self._keep(run)
        for waiter in waiters:
            waiter.wake()
        return run, stop

    def _tell(self, before: AgentRun, after: AgentRun) -> None:
        for observer in tuple(self.observers):
            try:
                observer(before, after)
            except Exception:
                logger.exception("an observer of run %s failed; the run goes on", after.id)


def _is_here(loop: asyncio.AbstractEventLoop) -> bool:
    """Tell whether this code runs on a loop."""
    import asyncio

    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:  # on none
        return False
