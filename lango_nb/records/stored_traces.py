"""Traces in a store: written ahead where it matters, closed in one durable write, and read back when asked for."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from threading import RLock
from typing import TYPE_CHECKING

from lango_nb.core.errors import StoreError, UnknownNameError
from lango_nb.records.packing import pack_event, pack_trace, unpack_trace, unpack_turn
from lango_nb.records.traces import MOST_OFFERED, NUMBER, History, Opening, Traces, TurnRef
from lango_nb.records.turns import Trace, Turn
from lango_nb.stores.store import EVERY_TURN, Durability, Row, Store, TurnQuery, stamp

if TYPE_CHECKING:
    from lango_nb.core.events import Event

logger = logging.getLogger("lango_nb")

MOST_KEPT = 256
"""Traces of this engine that stay in memory as well."""


class StoredTraces(Traces):
    """All traces of a store, by number; those of other processes are among them.

    Parameters
    ----------
    store : Store
    durability : {"turn", "event", "none"}
        With ``event`` every event is written as it happens.
    """

    is_durable = True

    def __init__(self, store: Store, durability: Durability = "turn") -> None:
        super().__init__()
        self.is_each_event_written = durability == "event"
        self._log = store.log
        self._writer = store.writer
        self._lock = RLock()
        self._kept: OrderedDict[str, Trace] = OrderedDict()
        self._unsaved: dict[str, tuple[Trace, History, int]] = {}
        self._unsaved_late: list[tuple[str, Row]] = []

    @property
    def unsaved(self) -> tuple[Trace, ...]:
        """Closed traces that could not be written yet; every later turn tries again."""
        return tuple(trace for trace, _, _ in self._unsaved.values())

    # -- writing -------------------------------------------------------------------------------------------------------

    def begin(self, opening: Opening, events: Sequence[Event] = ()) -> int:
        """Write a turn ahead and return its number; see :meth:`Traces.begin`."""
        self.save()
        row: Row = {
            "id": opening.turn_id,
            "session_id": opening.session_id,
            "text": opening.text,
            "topology": opening.topology,
            "model": opening.model,
            "started_at": stamp(opening.started_at),
        }
        return self._log.begin(row, [pack_event(event) for event in events])

    def write(self, turn_id: str, events: Sequence[Event], *, is_urgent: bool = False) -> None:
        """Write events of an open turn ahead.

        Raises
        ------
        StoreError
            They cannot be written: what they announce must not happen.
        """
        self._log.write(turn_id, [pack_event(event) for event in events], is_urgent=is_urgent)

    def finish(self, trace: Trace, history: History, written: int = 0) -> None:
        """Write a finished trace; see :meth:`Traces.finish`."""
        with self._lock:
            self._kept[trace.turn.id] = trace
            self._unsaved[trace.turn.id] = (trace, history, written)
            while len(self._kept) > MOST_KEPT:
                oldest = next(iter(self._kept))
                if oldest in self._unsaved:
                    break
                del self._kept[oldest]
        self.save()

    def save(self) -> None:
        """Write what could not be written before.

        Raises
        ------
        StoreError
            It still cannot; everything is kept in memory.
        """
        with self._lock:
            for turn_id, (trace, history, written) in tuple(self._unsaved.items()):
                self._finish(trace, history, written)
                self._unsaved.pop(turn_id, None)
            while self._unsaved_late:
                turn_id, row = self._unsaved_late[0]
                self._log.write(turn_id, [row], is_urgent=True)
                del self._unsaved_late[0]

    def _finish(self, trace: Trace, history: History, written: int) -> None:
        row, body = pack_trace(trace, history())
        try:
            self._log.finish(trace.turn.id, [pack_event(event) for event in trace.events[written:]], row, body)
        except StoreError as error:
            if error.code == "closed":  # it was written, and what failed came after that
                return
            raise StoreError(
                f"turn {trace.turn.number} ended with {trace.turn.outcome}, but it is not written down: {error}; it is "
                f"kept in memory as lab.trace({trace.turn.number}) and written with the next turn",
                error.code,
            ) from error

    def add_late(self, turn_id: str, event: Event) -> None:
        """Write what a run did after the end of its turn; what cannot be written now is written with a later turn."""
        row = pack_event(event)
        with self._lock:
            if not self._unsaved_late and turn_id not in self._unsaved:
                try:
                    self._log.write(turn_id, [row], is_urgent=event.kind == "run.finished")
                except StoreError:
                    logger.exception("what run %s did is not written down yet; it is kept in memory", event.run_id)
                else:
                    return
            self._unsaved_late.append((turn_id, row))

    # -- reading -------------------------------------------------------------------------------------------------------

    def get(self, ref: TurnRef = -1) -> Trace:
        """Return one trace, of whatever process; see :meth:`Traces.get`."""
        if isinstance(ref, str) and NUMBER.fullmatch(ref):
            ref = int(ref)
        turn_id = ref if isinstance(ref, str) else self._id_of(ref)
        kept = self._kept.get(turn_id)
        if kept is not None:
            return kept
        stored = self._log.read(turn_id) if turn_id else None
        if stored is None:
            raise UnknownNameError("turn", str(ref), [str(number) for number in self.numbers()[-MOST_OFFERED:]])
        return unpack_trace(stored)

    def _id_of(self, number: int) -> str:
        """Return the id of a turn by its number, or by its position from the end; empty when there is none."""
        if number > 0:
            rows = self._log.rows(TurnQuery(after=number - 1, limit=1))
            return next((str(row["id"]) for row in rows if row["number"] == number), "")
        closed = self._closed() if number < 0 else []
        return str(closed[number]["id"]) if -len(closed) <= number < 0 else ""

    def turns(self) -> tuple[Turn, ...]:
        """Return all closed turns, by number."""
        return tuple(unpack_turn(row) for row in self._closed())

    def numbers(self) -> list[int]:
        """Return the numbers of all closed turns."""
        return [int(str(row["number"])) for row in self._closed()]

    def _closed(self) -> list[Row]:
        return [row for row in self._log.rows(EVERY_TURN) if row["outcome"] != "running"]

    def __iter__(self) -> Iterator[Trace]:
        for stored in self._log.scan(EVERY_TURN):
            if stored.row["outcome"] != "running":
                yield self._kept.get(str(stored.row["id"])) or unpack_trace(stored)

    def __len__(self) -> int:
        return len(self._closed())
