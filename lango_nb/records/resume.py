"""What a process left open when it ended in the middle of something: found by the next one, closed, and said.

A turn that was interrupted is closed with everything that was written ahead. Its calls that had begun are answered with
"interrupted": nobody knows what they did, so nothing of them is done again, and the conversation says so. Its runs, and
those that outlived their turn, end as cancelled. Several processes may begin with this at once: each thing is closed by
one of them, and only that one says so.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
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
from lango_nb.records.packing import pack_event, pack_message, pack_trace, unpack_event
from lango_nb.records.stored_runs import StoredRuns
from lango_nb.records.stored_sessions import LATE
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
    """Number of the turn; 0 when that is not known any more."""
    turn_id: str
    session_id: str
    text: str
    """What was asked of it, without secrets."""
    calls: tuple[str, ...]
    """Tools that are not safe, had begun and had not ended: it is not known what they did."""
    run_id: str = ""
    """The run that had outlived its turn; empty when the turn itself was open."""
    problem: str = ""
    """Why it could not be closed; empty when it is closed now."""

    @property
    def sentence(self) -> str:
        """Say what was found, and what became of it.

        Examples
        --------
        >>> print(Interrupted(7, "turn-1-7", "main", "Delete a.txt", ()).sentence)
        turn 7 (main) was interrupted and is closed now; no call was under way
        """
        what = f"turn {self.number} ({self.session_id})" if self.number else f"turn {self.turn_id}"
        if self.run_id:
            what = f"run {self.run_id} of {what}"
        if self.problem:
            return f"{what} was interrupted and is still open: {self.problem}"
        said = f"{what} was interrupted and is closed now"
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
        among them; what cannot be written, because the disk is full for instance, is, and waits for the next opening.

    Raises
    ------
    StoreError
        The store cannot be read, or with code ``read_only``: it may not be written.
    """
    runs = StoredRuns(store)
    found = []
    for row in store.log.unfinished():
        stored = store.log.read(str(row["id"]))
        if stored is None:
            continue
        closing = _Closing(stored, runs.of_turn(str(row["id"])), now, root(str(row.get("topology") or "")))
        try:
            closing.write(store)
        except StoreError as error:
            if error.code == "read_only":
                raise
            if error.code != "closed":  # otherwise another process was first
                found.append(replace(closing.found, problem=str(error)))
        else:
            found.append(closing.found)
    return [*found, *_end_runs(store, runs, now, root)]


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

    def __init__(self, stored: StoredTurn, runs: Sequence[AgentRun], now: datetime, root: str) -> None:
        self._row, self._now = stored.row, now
        self._events = [unpack_event(row) for row in stored.events]
        self._root = next((event.author for event in self._events if event.author != USER), root)
        self._written = len(self._events)
        self._turn_id = str(stored.row["id"])
        self._last = self._events[-1].at if self._events else _time(stored.row)
        if not self._events:
            self._add(TurnStarted, USER, text=str(stored.row["text"]))
        self._calls = _open_calls(self._events)
        self._events += _answers(self._calls, self._next(), now)
        self._runs = self._close_runs(runs)
        self._finish()

    @property
    def found(self) -> Interrupted:
        return Interrupted(
            int(str(self._row["number"])),
            self._turn_id,
            str(self._row["session_id"]),
            str(self._row["text"]),
            _risky(self._calls),
        )

    def write(self, store: Store) -> None:
        """Close the turn in the store.

        Raises
        ------
        StoreError
            It cannot be written, or with code ``closed``: somebody else has closed it.
        """
        row, body = pack_trace(self._trace())
        new = self._events[self._written :]
        store.log.finish(self._turn_id, [pack_event(event) for event in new], row, body)
        runs = StoredRuns(store)
        for run in self._runs:
            with suppress(StoreError):  # the trace has it; the next opening tries again
                runs.end(run)

    def _next(self) -> int:
        return len(self._events) + 1

    def _add(self, kind: Callable[..., Event], author: str, *, run_id: str = "", **values: Any) -> None:
        event = kind(turn_id=self._turn_id, seq=self._next(), at=self._now, author=author, run_id=run_id, **values)
        self._events.append(event)

    def _close_runs(self, kept: Sequence[AgentRun]) -> tuple[AgentRun, ...]:
        """Close all runs of the turn: a run is written down when it is made, its event with the next call or later."""
        begun = {event.run_id: event for event in self._events if isinstance(event, RunStarted)}
        ended = {event.run_id for event in self._events if isinstance(event, RunFinished)}
        for run in kept:
            if run.id not in begun:
                self._add(RunStarted, run.spawned_by or self._root, run_id=run.id, **_beginning(run))
        known = {run.id: run for run in kept}
        lost = [self._made_by(event) for event in begun.values() if event.run_id not in known]
        runs = tuple(run if run.is_terminal else _cancelled(run, self._now) for run in (*kept, *lost))
        for run in runs:
            if run.id not in ended:
                self._events.append(_end_of(run, self._turn_id, self._next(), self._now))
        return runs

    def _made_by(self, event: RunStarted) -> AgentRun:
        """Return the run that an event tells of, where its row is lost."""
        return AgentRun(
            id=event.run_id,
            parent_id=str(self._row["session_id"]),
            requested_agent=event.agent,
            instruction=event.instruction,
            created_at=event.at,
            turn_id=self._turn_id,
            spawned_by=event.author,
            child_session=event.child_session,
            spawn_depth=event.depth,
            allowed_tools=event.allowed_tools,
            spawn_reason=event.reason,
            timeout_s=event.timeout_s,
        )

    def _finish(self) -> None:
        self._rounds = len({event.round for event in self._events if isinstance(event, HandedOver) and event.round})
        self._steps = len({(event.run_id, event.step) for event in self._events if event.step})
        self._duration_ms = max((self._last - _time(self._row)).total_seconds() * 1000, 0.0)
        ended = (event.tool for event in self._events if isinstance(event, ToolFinished))
        self._done = sum(not tool.startswith("agent_") for tool in ended)  # watching a run is no work
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

    def _trace(self) -> Trace:
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
        return Trace(turn, tuple(self._events), (), self._messages(), self._runs)

    def _messages(self) -> tuple[Message, ...]:
        """Tell later turns what was asked, and what may have been done."""
        return (
            Message(role="user", content=str(self._row["text"]), author=USER),
            _note("This turn", self.found.calls, self._root),
        )


def _end_runs(store: Store, runs: StoredRuns, now: datetime, root: Callable[[str], str]) -> list[Interrupted]:
    """End the runs that had outlived their turns and whose process is gone."""
    found = []
    for writer, run in list(runs.living()):
        if not store.is_gone(writer):
            continue
        stored = store.log.read(run.turn_id)
        if stored is not None and stored.row.get("outcome") == "running":
            continue  # it could not be closed, or somebody else closes it just now, with its runs
        try:
            ended = _end_run(store, runs, stored, _cancelled(run, now), root)
        except StoreError as error:
            if error.code == "read_only":
                raise
            ended = replace(_interrupted(run, stored, ()), problem=str(error))
        if ended is not None:
            found.append(ended)
    return found


def _end_run(
    store: Store, runs: StoredRuns, stored: StoredTurn | None, run: AgentRun, root: Callable[[str], str]
) -> Interrupted | None:
    """End a run, in its row first: of several processes that try, one succeeds and does the rest."""
    if not runs.end(run) or stored is None:
        return None
    events = [unpack_event(row) for row in stored.events]
    own = [event for event in events if event.run_id == run.id]
    if any(isinstance(event, RunFinished) for event in own):
        return None  # whoever closed the turn said it
    assert run.completed_at is not None  # noqa: S101 - it has ended
    calls = _open_calls(own)
    said = _answers(calls, max((event.seq for event in events), default=0) + 1, run.completed_at)
    seq = (said[-1].seq if said else max((event.seq for event in events), default=0)) + 1
    said.append(_end_of(run, run.turn_id, seq, run.completed_at))
    store.log.write(run.turn_id, [pack_event(event) for event in said], is_urgent=True)
    found = _interrupted(run, stored, _risky(calls))
    if found.calls:
        note = pack_message(_note(f"Run {run.id}", found.calls, root(str(stored.row.get("topology") or ""))))
        store.documents(LATE).put({"id": run.id, "session_id": found.session_id, "messages": [note]})
    return found


def _interrupted(run: AgentRun, stored: StoredTurn | None, calls: tuple[str, ...]) -> Interrupted:
    row: Row = stored.row if stored is not None else {}
    session = str(row.get("session_id", run.parent_id))
    return Interrupted(int(str(row.get("number", 0))), run.turn_id, session, run.instruction, calls, run.id)


def _open_calls(events: Iterable[Event]) -> list[ToolStarted]:
    """Return the calls of which no end is known."""
    begun: dict[tuple[str, str], ToolStarted] = {}
    for event in events:
        if isinstance(event, ToolStarted):
            begun[event.run_id, event.call_id] = event
        elif isinstance(event, ToolFinished):
            begun.pop((event.run_id, event.call_id), None)
    return list(begun.values())


def _answers(calls: Sequence[ToolStarted], seq: int, now: datetime) -> list[Event]:
    """Say of calls that nobody knows what came of them."""
    return [
        ToolFinished(
            turn_id=call.turn_id,
            seq=number,
            at=now,
            author=call.author,
            run_id=call.run_id,
            call_id=call.call_id,
            tool=call.tool,
            result=_LOST,
            is_error=True,
            code=INTERRUPTED,
        )
        for number, call in enumerate(calls, seq)
    ]


def _risky(calls: Iterable[ToolStarted]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(call.tool for call in calls if call.safety != "safe"))


def _note(what: str, calls: Sequence[str], author: str) -> Message:
    """Tell later turns what may have been done."""
    begun = f"; {', '.join(calls)} had begun, and it is not known what it did." if calls else "; no call was under way."
    return Message(role="assistant", content=f"{what} was interrupted before it ended{begun}", author=author)


def _beginning(run: AgentRun) -> dict[str, Any]:
    return {
        "agent": run.requested_agent,
        "instruction": run.instruction,
        "reason": run.spawn_reason,
        "allowed_tools": run.allowed_tools,
        "child_session": run.child_session,
        "depth": run.spawn_depth,
        "timeout_s": run.timeout_s,
    }


def _end_of(run: AgentRun, turn_id: str, seq: int, now: datetime) -> RunFinished:
    assert run.status in {"completed", "failed", "cancelled"}  # noqa: S101 - it has ended
    return RunFinished(
        turn_id=turn_id,
        seq=seq,
        at=now,
        author=run.requested_agent,
        run_id=run.id,
        status=run.status,  # type: ignore[arg-type]  # it has ended
        result=run.result,
        error=run.error,
        error_code=run.error_code,
        steps=run.steps,
        tool_calls=run.tool_calls,
    )


def _cancelled(run: AgentRun, now: datetime) -> AgentRun:
    """Return a run as it is when its process ended before it did."""
    return run.changed(
        status="cancelled",
        error=_LOST_RUN,
        error_code=INTERRUPTED,
        completed_at=now,
        runtime_condition="",
        waiting_on_run_id="",
    )


def _time(row: Row) -> datetime:
    return datetime.fromisoformat(str(row["started_at"]))
