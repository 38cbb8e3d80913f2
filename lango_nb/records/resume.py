"""What a process left open when it ended in the middle of something: found by the next one, closed, and said.

A turn that was interrupted is closed with everything that was written ahead. Its calls that had begun are answered with
"interrupted": nobody knows what they did, so nothing of them is done again, and the conversation says so. Its runs, and
those that outlived their turn, end as cancelled.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lango_nb.core.errors import StoreError
from lango_nb.core.events import (
    Event,
    HandedOver,
    RunFinished,
    RunStarted,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from lango_nb.core.messages import USER, Message
from lango_nb.records.agent_run import AgentRun
from lango_nb.records.packing import pack_event, pack_trace, unpack_event
from lango_nb.records.stored_runs import KIND, StoredRuns, run_row
from lango_nb.records.turns import Trace, Turn
from lango_nb.stores.store import Row, Store, StoredTurn

logger = logging.getLogger("lango_nb")

INTERRUPTED = "interrupted"
"""Error code of what a process left open when it ended."""
_LOST = "the process ended before this call did; it is not known what it did, and it is not done again"
_LOST_RUN = "the process ended before this run did"


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A turn, or a run whose turn had ended, that a process left open."""

    number: int
    """Number of the turn; 0 for a run that outlived its turn."""
    turn_id: str
    session_id: str
    text: str
    """What was asked of it, without secrets."""
    calls: tuple[str, ...]
    """Tools that are not safe, had begun and had not ended: it is not known what they did."""
    run_id: str = ""

    @property
    def sentence(self) -> str:
        """Say what was found, and what became of it.

        Examples
        --------
        >>> print(Interrupted(7, "turn-1-7", "main", "Delete a.txt", ()).sentence)
        turn 7 (main) was interrupted and is closed now; no call was under way
        """
        if self.run_id:
            return f"run {self.run_id} of turn {self.turn_id} was interrupted and is closed as cancelled now"
        said = f"turn {self.number} ({self.session_id}) was interrupted and is closed now"
        if not self.calls:
            return f"{said}; no call was under way"
        return f"{said}; {', '.join(self.calls)} had begun: look whether it was done before asking again"


def resume(store: Store, now: datetime, root: Callable[[str], str]) -> list[Interrupted]:
    """Close what processes that are gone left open.

    Parameters
    ----------
    store : Store
    now : datetime
        When this happens; a turn's own times are those of what was written last.
    root : callable
        Name of the root agent of a topology.

    Returns
    -------
    list of Interrupted
        Turns by number, then runs that had outlived their turns. What another process closes at the same time is not
        among them.

    Raises
    ------
    StoreError
        The store cannot be read or written.
    """
    found = []
    for row in store.log.unfinished():
        stored = store.log.read(str(row["id"]))
        if stored is None:
            continue
        closing = _Closing(stored, now, root(str(row.get("topology") or "")))
        try:
            closing.write(store)
        except StoreError as error:
            if error.code != "closed":  # otherwise another process was first
                raise
        else:
            found.append(closing.found)
    return [*found, *_end_runs(store, now)]


def resume_quietly(store: Store, now: datetime, root: Callable[[str], str]) -> list[Interrupted]:
    """Close what was left open where that is possible: nothing in memory, and nothing in a folder that is read-only.

    Parameters
    ----------
    store, now, root
        As for :func:`resume`.

    Returns
    -------
    list of Interrupted

    Raises
    ------
    StoreError
        The store cannot be read.
    """
    if not store.is_durable:
        return []
    try:
        return resume(store, now, root)
    except StoreError as error:
        if error.code != "read_only":
            raise
        return []


class _Closing:
    """The end of one interrupted turn."""

    def __init__(self, stored: StoredTurn, now: datetime, root: str) -> None:
        self._row, self._now = stored.row, now
        self._events = [unpack_event(row) for row in stored.events]
        self._root = next((event.author for event in self._events if event.author != USER), root)
        self._written = len(self._events)
        self._turn_id = str(stored.row["id"])
        self._last = self._events[-1].at if self._events else _time(stored.row)
        if not self._events:
            self._add(TurnStarted, USER, text=str(stored.row["text"]))
        self._calls = self._answer_calls()
        self._runs = self._close_runs()
        self._finish()

    @property
    def found(self) -> Interrupted:
        return Interrupted(
            int(str(self._row["number"])),
            self._turn_id,
            str(self._row["session_id"]),
            str(self._row["text"]),
            tuple(dict.fromkeys(call.tool for call in self._calls if call.safety != "safe")),
        )

    def write(self, store: Store) -> None:
        """Close the turn in the store.

        Raises
        ------
        StoreError
            It cannot be written, or with code ``closed``: somebody else has closed it.
        """
        trace = self._trace(store)
        row, body = pack_trace(trace)
        new = self._events[self._written :]
        store.log.finish(self._turn_id, [pack_event(event) for event in new], row, body)
        for run in trace.runs:
            _keep(store, run)

    def _add(self, kind: Callable[..., Event], author: str, *, run_id: str = "", **values: Any) -> None:
        seq = len(self._events) + 1
        self._events.append(kind(turn_id=self._turn_id, seq=seq, at=self._now, author=author, run_id=run_id, **values))

    def _answer_calls(self) -> list[ToolStarted]:
        ended = {event.call_id for event in self._events if isinstance(event, ToolFinished)}
        calls = [event for event in self._events if isinstance(event, ToolStarted) and event.call_id not in ended]
        for call in calls:
            self._add(
                ToolFinished,
                call.author,
                run_id=call.run_id,
                call_id=call.call_id,
                tool=call.tool,
                result=_LOST,
                is_error=True,
                code=INTERRUPTED,
            )
        return calls

    def _close_runs(self) -> list[RunStarted]:
        ended = {event.run_id for event in self._events if isinstance(event, RunFinished)}
        begun = [event for event in self._events if isinstance(event, RunStarted)]
        for run in begun:
            if run.run_id not in ended:
                self._add(
                    RunFinished,
                    run.agent,
                    run_id=run.run_id,
                    status="cancelled",
                    error=_LOST_RUN,
                    error_code=INTERRUPTED,
                )
        return begun

    def _finish(self) -> None:
        self._rounds = len({event.round for event in self._events if isinstance(event, HandedOver) and event.round})
        self._steps = len({(event.run_id, event.step) for event in self._events if event.step})
        self._duration_ms = max((self._last - _time(self._row)).total_seconds() * 1000, 0.0)
        self._done = sum(isinstance(event, ToolFinished) for event in self._events)
        self._add(
            TurnFinished,
            self._root,
            outcome="cancelled",
            error_code=INTERRUPTED,
            rounds=self._rounds,
            steps=self._steps,
            tool_calls=self._done,
            duration_ms=self._duration_ms,
        )

    def _trace(self, store: Store) -> Trace:
        path = [self._root]
        path.extend(event.target for event in self._events if isinstance(event, HandedOver))
        turn = Turn(
            id=self._turn_id,
            number=int(str(self._row["number"])),
            session_id=str(self._row["session_id"]),
            topology=str(self._row.get("topology") or ""),
            model=str(self._row.get("model") or ""),
            text=str(self._row["text"]),
            answer="",
            outcome="cancelled",
            error_code=INTERRUPTED,
            path=tuple(path),
            rounds=self._rounds,
            steps=self._steps,
            tool_calls=self._done,
            started_at=_time(self._row),
            ended_at=self._last,
            duration_ms=self._duration_ms,
        )
        return Trace(turn, tuple(self._events), (), self._messages(), self._runs_of(store))

    def _messages(self) -> tuple[Message, ...]:
        """Tell later turns what was asked, and what may have been done."""
        begun = ", ".join(self.found.calls)
        note = "This turn was interrupted before it ended"
        note += f"; {begun} had begun, and it is not known what it did." if begun else "; no call was under way."
        return (
            Message(role="user", content=str(self._row["text"]), author=USER),
            Message(role="assistant", content=note, author=self._root),
        )

    def _runs_of(self, store: Store) -> tuple[AgentRun, ...]:
        kept = StoredRuns(store)
        runs = []
        for begun in self._runs:
            run = kept.get(begun.run_id) or AgentRun(
                id=begun.run_id,
                parent_id=str(self._row["session_id"]),
                requested_agent=begun.agent,
                instruction=begun.instruction,
                created_at=begun.at,
                turn_id=self._turn_id,
                spawned_by=begun.author,
                child_session=begun.child_session,
                spawn_depth=begun.depth,
                allowed_tools=begun.allowed_tools,
                spawn_reason=begun.reason,
                timeout_s=begun.timeout_s,
            )
            runs.append(run if run.is_terminal else _cancelled(run, self._now))
        return tuple(runs)


def _end_runs(store: Store, now: datetime) -> list[Interrupted]:
    """End the runs that had outlived their turns and whose process is gone."""
    found = []
    for writer, run in StoredRuns(store).living():
        if not store.is_gone(writer):
            continue
        ended = _cancelled(run, now)
        _keep(store, ended)
        stored = store.log.read(run.turn_id)
        if stored is not None and stored.row.get("outcome") != "running":
            seq = max((int(str(row["seq"])) for row in stored.events), default=0) + 1
            event = RunFinished(
                turn_id=run.turn_id,
                seq=seq,
                at=now,
                author=run.requested_agent,
                run_id=run.id,
                status="cancelled",
                error=_LOST_RUN,
                error_code=INTERRUPTED,
            )
            store.log.write(run.turn_id, [pack_event(event)], is_urgent=True)
        found.append(Interrupted(0, run.turn_id, run.parent_id, run.instruction, (), run.id))
    return found


def _cancelled(run: AgentRun, now: datetime) -> AgentRun:
    return run.changed(
        status="cancelled",
        error=_LOST_RUN,
        error_code=INTERRUPTED,
        completed_at=now,
        runtime_condition="",
        waiting_on_run_id="",
    )


def _keep(store: Store, run: AgentRun) -> None:
    store.documents(KIND).put(run_row(run, store.writer()))


def _time(row: Row) -> datetime:
    return datetime.fromisoformat(str(row["started_at"]))
