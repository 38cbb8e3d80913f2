"""How a turn is closed that was interrupted: everything that was begun gets an end that says so.

A call that had begun is answered with "interrupted", a run that had begun ends as cancelled, and the conversation gets
one sentence in place of an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Literal, cast

from lango_nb.core.errors import StoreError
from lango_nb.core.events import (
    Event,
    HandedOver,
    Outcome,
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
from lango_nb.records.questions import WAITING, waits
from lango_nb.records.stored_runs import StoredRuns
from lango_nb.records.turns import Trace, Turn
from lango_nb.stores.store import Row, Store, StoredTurn
from lango_nb.tools.builtin import was_control

INTERRUPTED = "interrupted"
"""Error code of what a process left open when it ended."""
_LOST = "the process ended before this call did; it is not known what it did, and it is not done again"
_LOST_RUN = "the process ended before this run did"
_SAID = ("status", "result", "error", "error_code", "steps", "tool_calls")


class Closing:
    """The end of one interrupted turn.

    Parameters
    ----------
    stored : StoredTurn
        As far as it was written down.
    runs : sequence of AgentRun
        Those that it made, as they were written down.
    now : datetime
        When it is closed; the turn's own times are those of what was written last.
    root : str
        Name of the root agent, where no event says it.
    waiting : collection of str
        Ids of the runs that go on with an answer; they are not closed.
    asked : str
        The tool of the call with whose answer the turn itself goes on, as another one; empty where there is none.
    """

    def __init__(  # noqa: PLR0913 - all that is known of the turn
        self,
        stored: StoredTurn,
        runs: Sequence[AgentRun],
        now: datetime,
        root: str,
        *,
        waiting: Collection[str] = (),
        asked: str = "",
    ) -> None:
        self._waiting, self._asked = waiting, asked
        self._ending: tuple[Outcome, str] = ("input_required", WAITING) if asked else ("cancelled", INTERRUPTED)
        self._row, self._now = stored.row, now
        self._events = [unpack_event(row) for row in stored.events]
        self._root = next((event.author for event in self._events if event.author != USER), root)
        self._written = len(self._events)
        self._turn_id = str(stored.row["id"])
        self._last = self._events[-1].at if self._events else _time(stored.row)
        if not self._events:
            self._add(TurnStarted, USER, text=str(stored.row["text"]))
        self._calls = open_calls(self._events)
        self._events += answers(self._calls, self._next(), now)
        self._runs = self._close_runs(runs)
        self._ended = [run for run in self._runs if run.id not in waiting]
        self._finish()

    @property
    def calls(self) -> tuple[str, ...]:
        """Tools that are not safe, had begun and had not ended."""
        return risky(self._calls)

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
        for run in self._ended:
            with suppress(StoreError):  # the trace has it; the next opening tries again
                runs.end(run)

    def _next(self) -> int:
        return len(self._events) + 1

    def _add(self, kind: Callable[..., Event], author: str, *, run_id: str = "", **values: Any) -> None:
        event = kind(turn_id=self._turn_id, seq=self._next(), at=self._now, author=author, run_id=run_id, **values)
        self._events.append(event)

    def _close_runs(self, kept: Sequence[AgentRun]) -> tuple[AgentRun, ...]:
        """Close the runs of the turn: a run is written down when it is made, its event with the next call or later."""
        begun = {event.run_id: event for event in self._events if isinstance(event, RunStarted)}
        ended = {event.run_id: event for event in self._events if isinstance(event, RunFinished)}
        for run in kept:
            if run.id not in begun:
                self._add(RunStarted, run.spawned_by or self._root, run_id=run.id, **_beginning(run))
        known = {run.id: run for run in kept}
        lost = [self._made_by(event) for event in begun.values() if event.run_id not in known]
        runs = tuple(
            run if run.id in self._waiting else ended_as(run, ended.get(run.id), self._now) for run in (*kept, *lost)
        )
        for run in runs:
            if run.id not in ended and run.id not in self._waiting:
                self._events.append(end_of(run, self._turn_id, self._next(), self._now))
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
        ended = (event for event in self._events if isinstance(event, ToolFinished))
        self._done = sum(not was_control(event.tool, event.role) for event in ended)  # watching a run is not work
        self._add(
            TurnFinished,
            self._root,
            outcome=self._ending[0],
            error_code=self._ending[1],
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
            answer=waits(self._asked) if self._asked else "",
            outcome=self._ending[0],
            error_code=self._ending[1],
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
        said = note("This turn", self.calls, self._root)
        if self._asked:
            said = Message(role="assistant", content=waits(self._asked), author=self._root)
        return (Message(role="user", content=str(self._row["text"]), author=USER), said)


def open_calls(events: Iterable[Event]) -> list[ToolStarted]:
    """Return the calls of which no end is known."""
    begun: dict[tuple[str, str], ToolStarted] = {}
    for event in events:
        if isinstance(event, ToolStarted):
            begun[event.run_id, event.call_id] = event
        elif isinstance(event, ToolFinished):
            begun.pop((event.run_id, event.call_id), None)
    return list(begun.values())


def answers(calls: Sequence[ToolStarted], seq: int, now: datetime) -> list[Event]:
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
            role=call.role,
        )
        for number, call in enumerate(calls, seq)
    ]


def risky(calls: Iterable[ToolStarted]) -> tuple[str, ...]:
    """Name the tools that may have changed something."""
    return tuple(dict.fromkeys(call.tool for call in calls if call.safety != "safe"))


def note(what: str, calls: Sequence[str], author: str) -> Message:
    """Tell later turns what may have been done."""
    begun = "no call that changes anything was under way"
    if calls:
        begun = f"{', '.join(calls)} had begun, and it is not known what it did"
    return Message(role="assistant", content=f"{what} was interrupted before it ended; {begun}.", author=author)


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


def end_of(run: AgentRun, turn_id: str, seq: int, now: datetime) -> RunFinished:
    """Return the event that says how a run ended."""
    return RunFinished(
        turn_id=turn_id,
        seq=seq,
        at=now,
        author=run.requested_agent,
        run_id=run.id,
        status=cast("Literal['completed', 'failed', 'cancelled']", run.status),
        result=run.result,
        error=run.error,
        error_code=run.error_code,
        steps=run.steps,
        tool_calls=run.tool_calls,
    )


def ended_as(run: AgentRun, said: RunFinished | None, now: datetime) -> AgentRun:
    """Return a run as it ended: as its event says, or cancelled where its process ended before it did.

    Parameters
    ----------
    run : AgentRun
        As it was written down.
    said : RunFinished, optional
        Its row could not be written any more where there is one.
    now : datetime
    """
    if run.is_terminal:
        return run
    changes: dict[str, object] = {"runtime_condition": "", "waiting_on_run_id": ""}
    if said is None:
        return run.changed(status="cancelled", error=_LOST_RUN, error_code=INTERRUPTED, completed_at=now, **changes)
    changes.update((name, getattr(said, name)) for name in _SAID)
    return run.changed(completed_at=said.at, **changes)


def _time(row: Row) -> datetime:
    return datetime.fromisoformat(str(row["started_at"]))
