"""Traces of turns: found by number, by position from the end, or by id; in memory, or in a store.

    begin ─→ write (ahead of calls that matter) ─→ finish       one turn
                                                     late       events of what its runs do after its end
                                                     complete   the rest of it, each time such a run ends

In memory the latest traces are kept as they are and older ones packed, a few kilobytes each; rows for whoever reads
history are made when they are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from lango_nb.core.errors import UnknownNameError
from lango_nb.records.turns import Trace, Turn

if TYPE_CHECKING:  # annotations only: what only stores need loads with the first of them
    from lango_nb.core.events import Event
    from lango_nb.core.messages import Message
    from lango_nb.records.agent_run import AgentRun
    from lango_nb.records.decisions import Decision
    from lango_nb.records.turns import Known
    from lango_nb.stores.store import Row, TurnLog

History = Callable[[], "Sequence[Message]"]
TurnRef = int | str
"""A turn's number (from 1), its position from the end (negative), or its id."""
NUMBER = re.compile(r"-?[0-9]{1,9}")
"""A text that is a turn's number or position."""
MOST_KEPT = 256
"""Traces that stay in memory as they are."""
MOST_OFFERED = 200
"""Numbers of turns that an error may suggest."""


class Opening(NamedTuple):
    """What is known of a turn when it begins."""

    turn_id: str
    session_id: str
    text: str
    """What the user wrote, without secrets."""
    topology: str
    model: str
    started_at: datetime


class _PackedTrace(NamedTuple):
    """A trace that nobody has looked at for a while."""

    turn: Turn
    decisions: tuple[Decision, ...]
    runs: tuple[AgentRun, ...]
    late: tuple[Event, ...]
    data: str
    """Its events, messages and steps, and what later turns see of it, as JSON."""

    def unpack(self) -> Trace:
        return self._unpack()[0]

    def with_history(self) -> tuple[Trace, Sequence[Message]]:
        """Return the trace, and what later turns see of it."""
        from lango_nb.records.packing import unpack_message
        from lango_nb.records.rows import rows_in

        trace, said = self._unpack()
        if "history" not in said:
            return trace, trace.messages
        return trace, [unpack_message(row) for row in rows_in(said, "history", f"turn {self.turn.id}")]

    def _unpack(self) -> tuple[Trace, Row]:
        from lango_nb.records.packing import unpack_event, unpack_message, unpack_step
        from lango_nb.records.rows import rows_in
        from lango_nb.stores.rows import from_text

        said, where = from_text(self.data), f"turn {self.turn.id}"
        events = tuple(unpack_event(row) for row in rows_in(said, "events", where))
        messages = tuple(unpack_message(row) for row in rows_in(said, "messages", where))
        steps = tuple(unpack_step(row) for row in rows_in(said, "steps", where))
        return Trace(self.turn, events, self.decisions, messages, self.runs, steps, self.late), said


def _pack(trace: Trace, history: Sequence[Message]) -> _PackedTrace:
    from lango_nb.records.packing import pack_event, pack_message, pack_step
    from lango_nb.stores.rows import to_text

    rows: Row = {
        "events": [pack_event(event) for event in trace.events],
        "messages": [pack_message(message) for message in trace.messages],
        "steps": [pack_step(step) for step in trace.steps],
    }
    if tuple(history) != trace.messages:
        rows["history"] = [pack_message(message) for message in history]
    return _PackedTrace(trace.turn, trace.decisions, trace.runs, trace.late, to_text(rows))


class Traces:
    """All traces of an engine in memory, in the order in which their turns ended."""

    is_durable = False
    """Whether traces outlive the process: then turns are written ahead."""
    is_each_event_written = False
    """Whether every event is written as it happens."""

    def __init__(self) -> None:
        self._traces: list[Trace | _PackedTrace] = []
        self._histories: dict[str, History] = {}
        self._late: dict[str, list[Event]] = {}
        self._completed: dict[str, None] = {}
        self._begun = 0
        self._packed = 0
        self._filling = Lock()

    @property
    def unsaved(self) -> tuple[Trace, ...]:
        """Closed traces that could not be written down yet; none in memory."""
        return ()

    def begin(self, opening: Opening, events: Sequence[Event] = ()) -> int:  # noqa: ARG002 - nothing to write ahead
        """Begin a turn and return its number, from 1.

        Parameters
        ----------
        opening : Opening
        events : sequence of Event
            What happened already.

        Raises
        ------
        StoreError
            It cannot be written ahead: the turn must not run.
        """
        self._begun += 1
        return self._begun

    def write(self, turn_id: str, events: Sequence[Event], *, is_urgent: bool = False) -> None:
        """Write events of an open turn ahead; in memory there is nothing to do."""

    def finish(self, trace: Trace, history: History, written: int = 0) -> None:  # noqa: ARG002
        """Keep a finished trace.

        Parameters
        ----------
        trace : Trace
        history : callable
            Returns what later turns of the session see of it, without secrets; called when it is written down.
        written : int
            How many of its events were written ahead.

        Raises
        ------
        StoreError
            It cannot be written; it is kept in memory and written with the next one that can be.
        """
        self._traces.append(trace)
        self._histories[trace.turn.id] = history
        oldest = len(self._traces) - MOST_KEPT - 1
        if oldest >= 0:
            found = self._traces[oldest]
            if isinstance(found, Trace):
                self._traces[oldest] = _pack(found, self._histories.pop(found.turn.id)())

    def write_late(self, turn_id: str) -> None:
        """Force what runs did after the end of their turn to the disk; in memory there is nothing to do."""

    def add_late(self, turn_id: str, event: Event) -> None:
        """Keep what a run did after the end of its turn."""
        self._late.setdefault(turn_id, []).append(event)

    def complete(self, turn_id: str, known: Known) -> Trace | None:
        """Let a trace have what a run of its turn said and did after the turn's end.

        Parameters
        ----------
        turn_id : str
        known : Known
            All that is known of the turn now.

        Returns
        -------
        Trace or None
            As it is from now on; ``None`` when there is none, because its turn is just being closed or was forgotten.
        """
        for place in range(len(self._traces) - 1, -1, -1):
            found = self._traces[place]
            if found.turn.id == turn_id:
                if isinstance(found, Trace):
                    self._traces[place] = trace = known.of(found)
                else:
                    whole, history = found.with_history()
                    trace = known.of(whole)
                    self._traces[place] = _pack(trace, history)
                self._completed[turn_id] = None
                return trace
        return None

    def save(self) -> None:
        """Write down what could not be before; in memory there is nothing to do."""

    def get(self, ref: TurnRef = -1) -> Trace:
        """Return one trace.

        Parameters
        ----------
        ref : int or str
            ``1`` is the first turn, ``-1`` the last; a text is an id or a number.

        Raises
        ------
        UnknownNameError
            There is no such turn.
        """
        if isinstance(ref, str) and NUMBER.fullmatch(ref):
            ref = int(ref)
        if isinstance(ref, int) and -len(self._traces) <= ref < 0:
            return _whole(self._traces[ref])
        for trace in self._traces:
            if ref in {trace.turn.number, trace.turn.id}:
                return _whole(trace)
        raise UnknownNameError("turn", str(ref), [str(trace.turn.number) for trace in self._traces[-MOST_OFFERED:]])

    def turns(self) -> Sequence[Turn]:
        """Return all turns, oldest first."""
        return tuple(trace.turn for trace in self._traces)

    def numbers(self) -> list[int]:
        """Return the numbers of all turns, oldest first."""
        return [trace.turn.number for trace in self._traces]

    def fill(self, log: TurnLog) -> None:
        """Add the turns that are not in it yet to a log in memory, as rows."""
        from lango_nb.records.packing import pack_event, pack_known, pack_trace
        from lango_nb.stores.store import StoredTurn

        with self._filling:
            waiting = self._traces[self._packed :]
            kept = []
            for found in waiting:
                if isinstance(found, Trace):
                    trace, history = found, self._histories[found.turn.id]()
                else:
                    trace, history = found.with_history()
                row, body = pack_trace(trace, history)
                kept.append(StoredTurn(row, [pack_event(event) for event in trace.events], body))
            log.keep(kept)
            self._packed += len(waiting)
            for turn_id in tuple(self._late):
                if log.read(turn_id) is not None:
                    log.write(turn_id, [pack_event(event) for event in self._late.pop(turn_id)])
            for turn_id in tuple(self._completed):
                del self._completed[turn_id]
                if log.read(turn_id) is not None:
                    log.complete(turn_id, pack_known(self.get(turn_id)))

    def __iter__(self) -> Iterator[Trace]:
        """Iterate, oldest first."""
        return map(_whole, tuple(self._traces))

    def __len__(self) -> int:
        """Count the traces."""
        return len(self._traces)


def _whole(trace: Trace | _PackedTrace) -> Trace:
    return trace if isinstance(trace, Trace) else trace.unpack()
