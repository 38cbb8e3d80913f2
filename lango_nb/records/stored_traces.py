"""Traces in a store: written ahead where it matters, closed in one durable write, and read back when asked for."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from threading import RLock
from typing import TYPE_CHECKING, overload

from lango_nb.core.errors import StoreError, UnknownNameError
from lango_nb.records.packing import pack_event, pack_known, pack_trace, unpack_trace, unpack_turn
from lango_nb.records.retention import check_forgotten
from lango_nb.records.traces import MOST_KEPT, MOST_OFFERED, NUMBER, History, Opening, Traces, TurnRef
from lango_nb.records.turns import Trace, Turn
from lango_nb.stores.store import EVERY_TURN, Durability, Row, Store, TurnQuery, stamp

if TYPE_CHECKING:
    from lango_nb.core.events import Event
    from lango_nb.records.turns import Known

logger = logging.getLogger("lango_nb")

_OPENING = ("id", "session_id", "text", "topology", "model", "started_at")
"""What is known of a turn when it begins."""
_RUNNING = TurnQuery(outcomes=("running",))


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
        self._store, self._log = store, store.log
        self._where = store.where
        self._lock = RLock()
        self._kept: OrderedDict[str, Trace] = OrderedDict()
        self._unsaved: dict[str, tuple[Trace, History, int]] = {}
        self._unsaved_late: list[tuple[str, Row]] = []
        self._incomplete: dict[str, Trace] = {}

    @property
    def unsaved(self) -> tuple[Trace, ...]:
        """Closed traces that could not be written yet; every later turn tries again."""
        return tuple(trace for trace, _, _ in self._unsaved.values())

    # -- writing -------------------------------------------------------------------------------------------------------

    def begin(self, opening: Opening, events: Sequence[Event] = ()) -> int:
        """Write a turn ahead and return its number; see :meth:`Traces.begin`."""
        row: Row = {
            "id": opening.turn_id,
            "session_id": opening.session_id,
            "text": opening.text,
            "topology": opening.topology,
            "model": opening.model,
            "started_at": stamp(opening.started_at),
        }
        try:
            self.save()
        except StoreError as error:
            waiting = " and ".join(f"turn {trace.turn.number}" for trace in self.unsaved) or "what runs did"
            raise StoreError(
                f"the request was not run, as {waiting} could not be written down yet: {self._why(error)}; mend that "
                "and ask again",
                error.code,
            ) from error
        try:
            return self._log.begin(row, [pack_event(event) for event in events])
        except StoreError as error:
            raise not_run(error, self._where) from error

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
                self._write_late(turn_id, row, is_urgent=True)
                del self._unsaved_late[0]
            for turn_id, trace in tuple(self._incomplete.items()):
                self._complete(trace)
                del self._incomplete[turn_id]

    def _finish(self, trace: Trace, history: History, written: int) -> None:
        row, body = pack_trace(trace, history())
        try:
            try:
                self._log.finish(trace.turn.id, [pack_event(event) for event in trace.events[written:]], row, body)
            except StoreError as error:
                if error.code != "unknown":
                    raise
                self._write_again(row, [pack_event(event) for event in trace.events], body)
        except StoreError as error:
            if error.code == "closed" and self._is_written(trace.turn.id):  # what failed came after that
                return
            number = trace.turn.number
            if error.code == "closed":
                raise StoreError(
                    f"turn {number} ended with {trace.turn.outcome} after its records were closed, and is not in them; "
                    f"it is in memory as lab.trace({number}), and whoever opens them next closes it there",
                    error.code,
                ) from error
            raise StoreError(
                f"turn {number} ended with {trace.turn.outcome}, but is not written down: {self._why(error)}; mend "
                f"that and do not ask again: it is in memory as lab.trace({number}) and written with the next turn",
                error.code,
            ) from error

    def _write_again(self, row: Row, events: Sequence[Row], body: Row) -> None:
        """Write a whole turn whose beginning somebody removed while it ran; it may get another number."""
        number = self._log.begin({name: row[name] for name in _OPENING})
        self._log.finish(str(row["id"]), events, row, body)
        self._kept.pop(str(row["id"]), None)
        logger.warning("turn %s was removed while it ran; it is written down again as turn %s", row["number"], number)

    def _why(self, error: StoreError) -> str:
        """Say what is wrong without what to do about it: trying again would run the request once more."""
        why, _, _ = str(error.__cause__ if isinstance(error.__cause__, StoreError) else error).partition("; ")
        return _placed(why, self._where)

    def _is_written(self, turn_id: str) -> bool:
        """Tell whether a turn has its end; of a store that was closed nobody knows."""
        try:
            return any(row["outcome"] != "running" for row in self._log.rows(TurnQuery(ids=(turn_id,))))
        except StoreError:
            return False

    def add_late(self, turn_id: str, event: Event) -> None:
        """Write what a run did after the end of its turn; what cannot be written now is written with a later turn."""
        row = pack_event(event)
        with self._lock:
            if not self._unsaved_late and turn_id not in self._unsaved:
                try:
                    self._write_late(turn_id, row, is_urgent=event.kind == "run.finished")
                except StoreError as error:
                    logger.warning(
                        "what run %s did is not written down yet; it is kept in memory: %s", event.run_id, error
                    )
                else:
                    return
            self._unsaved_late.append((turn_id, row))

    def complete(self, turn_id: str, known: Known) -> Trace | None:
        """Let a trace have what a run did after its turn; what cannot be written now is written with a later turn."""
        with self._lock:
            found = self._kept.get(turn_id)
            if found is None:
                stored = self._log.read(turn_id)
                if stored is None or not stored.body:
                    return None
                found = unpack_trace(stored)
            trace = known.of(found)
            if turn_id in self._kept:
                self._kept[turn_id] = trace
            if turn_id in self._unsaved:
                _, history, written = self._unsaved[turn_id]
                self._unsaved[turn_id] = trace, history, written
                return trace
            if self._unsaved_late:  # said already
                self._incomplete[turn_id] = trace
                return trace
            try:
                self._complete(trace)
            except StoreError as error:
                logger.warning("what runs of turn %s said is not written down yet: %s", trace.turn.number, error)
                self._incomplete[turn_id] = trace
        return trace

    def _complete(self, trace: Trace) -> None:
        body = pack_known(trace)
        del body["runs"]  # they are written when they change
        try:
            self._log.complete(trace.turn.id, body)
        except StoreError as error:
            if error.code != "unknown":  # else the turn is forgotten
                raise

    def write_late(self, turn_id: str) -> None:
        """Force what runs did after the end of their turn to the disk.

        Raises
        ------
        StoreError
            It cannot be written: what it announces must not happen.
        """
        self.save()
        self._log.write(turn_id, [], is_urgent=True)

    def _write_late(self, turn_id: str, row: Row, *, is_urgent: bool) -> None:
        try:
            self._log.write(turn_id, [row], is_urgent=is_urgent)
        except StoreError as error:
            if error.code != "unknown":  # else the turn is forgotten, and its runs with it
                raise

    # -- reading -------------------------------------------------------------------------------------------------------

    def get(self, ref: TurnRef = -1) -> Trace:
        """Return one trace, of whatever process; see :meth:`Traces.get`."""
        if isinstance(ref, str) and NUMBER.fullmatch(ref):
            ref = int(ref)
        for trace in self.unsaved:  # also where the store cannot be read any more
            if ref in {trace.turn.number, trace.turn.id}:
                return trace
        turn_id = ref if isinstance(ref, str) else self._id_of(ref)
        kept = self._kept.get(turn_id)
        if kept is not None:
            return kept
        stored = self._log.read(turn_id) if turn_id else None
        if stored is None:
            if isinstance(ref, int):
                check_forgotten(self._store, ref)
            raise UnknownNameError("turn", str(ref), [str(row["number"]) for row in self._latest(MOST_OFFERED)])
        if stored.lost:
            raise StoreError(
                f"turn {stored.row['number']} has lost {' and '.join(stored.lost)}; lab.history has what is left, and "
                "lango doctor says more",
                "damaged",
            )
        return unpack_trace(stored)

    def _id_of(self, number: int) -> str:
        """Return the id of a turn by its number, or by its position from the end; empty when there is none."""
        if number > 0:
            rows = self._log.rows(TurnQuery(after=number - 1, limit=1))
            return next((str(row["id"]) for row in rows if row["number"] == number), "")
        rows = self._latest(-number) if number < 0 else []
        return str(rows[number]["id"]) if number < 0 and len(rows) >= -number else ""

    def turns(self) -> Sequence[Turn]:
        """Return all closed turns, by number; those that are looked at are read."""
        return _Turns(self, len(self))

    def latest(self, count: int | None = None) -> tuple[Turn, ...]:
        """Return the latest closed turns, or all of them, oldest first."""
        unsaved = {trace.turn.id: trace.turn for trace in self.unsaved}
        rows = self._closed() if count is None else self._latest(count)
        turns = tuple(unsaved.get(str(row["id"])) or unpack_turn(row) for row in rows)
        return turns if count is None else turns[max(len(turns) - count, 0) :]

    def numbers(self) -> list[int]:
        """Return the numbers of all closed turns."""
        return [int(str(row["number"])) for row in self._closed()]

    def _closed(self) -> list[Row]:
        return [row for row in self._log.rows(EVERY_TURN) if self._is_closed(row)]

    def _latest(self, count: int) -> list[Row]:
        """Return the latest closed turns, oldest first; those that still run are few."""
        running = self._log.count(_RUNNING)
        rows = self._log.rows(TurnQuery(newest_first=True, limit=count + running))
        return [row for row in reversed(rows) if self._is_closed(row)]

    def _is_closed(self, row: Row) -> bool:
        return row["outcome"] != "running" or row["id"] in self._unsaved

    def __iter__(self) -> Iterator[Trace]:
        for stored in self._log.scan(EVERY_TURN):
            if self._is_closed(stored.row):
                yield self._kept.get(str(stored.row["id"])) or unpack_trace(stored)

    def __len__(self) -> int:
        return self._log.count() - self._log.count(_RUNNING) + len(self._unsaved)


class _Turns(Sequence[Turn]):
    """The closed turns of a store as they were when this was made, read when they are looked at.

    Parameters
    ----------
    traces : StoredTraces
    count : int
    """

    def __init__(self, traces: StoredTraces, count: int) -> None:
        self._traces, self._count = traces, count
        self._all: tuple[Turn, ...] | None = None

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Turn: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Turn, ...]: ...

    def __getitem__(self, place: int | slice) -> Turn | tuple[Turn, ...]:
        match place:
            case slice(start=int(start), stop=None, step=None) if start < 0 and self._all is None:
                return self._traces.latest(-start)
            case int() if place < 0 and self._all is None and self._count:
                return self._traces.latest(-place)[place]
            case _:
                return self._read()[place]

    def __iter__(self) -> Iterator[Turn]:
        return iter(self._read())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]  # it is compared with what it holds

    def __repr__(self) -> str:
        return f"<{self._count} turns>"

    def _read(self) -> tuple[Turn, ...]:
        if self._all is None:
            self._all = self._traces.latest()
            self._count = len(self._all)
        return self._all


def not_run(error: StoreError, where: str) -> StoreError:
    """Word why a request did not run: what cannot be written ahead must not happen.

    Parameters
    ----------
    error : StoreError
        What the store said.
    where : str
        Its place.

    Returns
    -------
    StoreError
        Of the same code.

    Examples
    --------
    >>> print(not_run(StoreError("the index may only be read here", "read_only"), "~/.lango/records"))
    the request was not run, as ~/.lango/records may only be read here; get leave to write there, or keep records \
elsewhere: the setting store.url names a folder, a database, or memory
    """
    if error.code == "read_only":
        return StoreError(
            f"the request was not run, as {where} may only be read here; get leave to write there, or keep records "
            "elsewhere: the setting store.url names a folder, a database, or memory",
            error.code,
        )
    return StoreError(f"the request was not run: {_placed(str(error), where)}", error.code)


def _placed(said: str, where: str) -> str:
    return said if where in said else f"in {where}, {said}"
