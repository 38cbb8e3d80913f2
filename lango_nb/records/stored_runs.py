"""Teammate runs in a store: written down as they change, found again by every later engine."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lango_nb.core.errors import StoreError
from lango_nb.records.agent_run import AgentRun
from lango_nb.records.packing import pack_run, unpack_event, unpack_run
from lango_nb.stores.store import Row, Store

if TYPE_CHECKING:
    from lango_nb.core.events import Event

logger = logging.getLogger("lango_nb")

KIND = "run"
"""Kind of the documents that hold runs."""
NOBODY = 0
"""Number of no opening: their first has 1."""


class _EndedError(Exception):
    """Somebody else has ended the run, or goes on with it."""


class StoredRuns:
    """What :class:`~lango_nb.records.runs.Runs` writes its runs to.

    A run is written down when it is made and when it changes, without waiting for the disk: the end of the turn does
    that for all. What cannot be written is tried again with the next change; the trace of its turn has it as well.

    Parameters
    ----------
    store : Store
    """

    def __init__(self, store: Store) -> None:
        self._rows = store.documents(KIND)
        self._log = store.log
        self._writer, self._is_gone = store.writer, store.is_gone
        self._unsaved: dict[str, Row] = {}

    def keep(self, run: AgentRun) -> None:
        """Write a run down as it is now."""
        row = run_row(run, 0)
        try:
            row["writer"] = self._writer()
            self._rows.put(*self._unsaved.values(), row, is_urgent=False)
        except StoreError as error:
            if not self._unsaved:
                logger.warning("run %s is not written down yet; it is kept in memory: %s", run.id, error)
            self._unsaved[run.id] = row
        else:
            self._unsaved.clear()

    def save(self) -> None:
        """Write down what could not be before.

        Raises
        ------
        StoreError
            It still cannot; everything is kept in memory.
        """
        if self._unsaved:
            self._rows.put(*self._unsaved.values())
            self._unsaved.clear()

    def end(self, run: AgentRun) -> bool:
        """Write down how a run ended whose process is gone, unless somebody else did; tell whether it was written.

        Parameters
        ----------
        run : AgentRun
            As it ended.

        Raises
        ------
        StoreError
            It cannot be written.
        """
        row = run_row(run, self._writer())

        def change(present: Row) -> Row:
            if _run(present).is_terminal:
                raise _EndedError
            return row

        try:
            if self._rows.change(run.id, change) is None:
                self._rows.add(row)
        except _EndedError:
            return False
        except StoreError as error:
            if error.code != "conflict":
                raise
            return False
        return True

    def take(self, run_id: str) -> AgentRun | None:
        """Make a run one of this opening's, whose own is over; ``None`` when it has ended or somebody else was first.

        Parameters
        ----------
        run_id : str

        Raises
        ------
        StoreError
            It cannot be written.
        """
        seen, own = self._rows.get(run_id), self._writer()
        if seen is None or not (seen["writer"] == own or self._is_gone(int(str(seen["writer"])))):
            return None

        def change(present: Row) -> Row:
            if present["writer"] != seen["writer"] or _run(present).is_terminal:
                raise _EndedError
            return {**present, "writer": own}

        try:
            row = self._rows.change(run_id, change)
        except _EndedError:
            return None
        return _run(row) if row is not None else None

    def give_back(self, run_id: str) -> None:
        """Make a run that was taken nobody's, so that anybody may take it."""
        self._rows.change(run_id, lambda present: {**present, "writer": NOBODY})

    def elsewhere(self, turn_id: str) -> str:
        """Return a run of a turn that goes on in another process; empty when none does."""
        for row in self._rows.find({"turn_id": turn_id}):
            writer = int(str(row["writer"]))
            if not _run(row).is_terminal and not self._is_gone(writer) and writer != self._writer():
                return str(row["id"])
        return ""

    def of_turn(self, turn_id: str) -> list[AgentRun]:
        """Return the runs of a turn that were written down, in order of creation."""
        return [_run(row) for row in self._rows.find({"turn_id": turn_id})]

    def get(self, run_id: str) -> AgentRun | None:
        """Return a run that was written down, or ``None``."""
        row = self._rows.get(run_id)
        return _run(row) if row is not None else None

    def list(self) -> list[AgentRun]:
        """Return all runs that were written down, in order of creation."""
        return [_run(row) for row in self._rows.find()]

    def events(self, run: AgentRun) -> tuple[Event, ...]:
        """Return what happened in a run, also after the end of its turn."""
        stored = self._log.read(run.turn_id)
        if stored is None:
            return ()
        return tuple(unpack_event(row) for row in stored.events if row.get("run_id") == run.id)

    def living(self) -> Iterator[tuple[int, AgentRun]]:
        """Yield runs that have not ended, each with the number of the opening of the store that made it."""
        for row in (*self._rows.find({"status": "spawned"}), *self._rows.find({"status": "running"})):
            yield int(str(row["writer"])), _run(row)


def run_row(run: AgentRun, writer: int) -> Row:
    """Return a run as a row.

    Parameters
    ----------
    run : AgentRun
    writer : int
        The opening of the store that made it, or ended it.
    """
    return {**pack_run(run), "writer": writer}


def _run(row: Row) -> AgentRun:
    return unpack_run({name: value for name, value in row.items() if name != "writer"})
