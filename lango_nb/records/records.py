"""All records of an engine over one store: what was said, what happened, what is remembered and to be done."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from threading import Thread
from typing import TYPE_CHECKING

from lango_nb.core.clock import Clock, SystemClock
from lango_nb.core.errors import StoreError
from lango_nb.core.ids import Ids
from lango_nb.core.lazy import once
from lango_nb.records.sessions import MOST_TOKENS, Sessions
from lango_nb.records.traces import Traces

if TYPE_CHECKING:  # an engine in memory is ready without any of it
    from lango_nb.config.settings import TraceStoreSettings
    from lango_nb.records.memories import Memories
    from lango_nb.records.resume import Interrupted
    from lango_nb.records.retention import Purged
    from lango_nb.records.runs import Runs
    from lango_nb.records.stored_runs import StoredRuns
    from lango_nb.records.tasks import Tasks
    from lango_nb.records.tee import Tee
    from lango_nb.stores.sql import SqlStore
    from lango_nb.stores.store import Documents, Durability, Store

logger = logging.getLogger("lango_nb")

_CLEAN_UP_S = 5.0
"""How long closing waits for a clean-up that goes on."""


class Records:
    """What an engine keeps, and where.

    Parameters
    ----------
    store : Store, optional
        In memory when absent.
    ids : Ids
    clock : Clock
    durability : {"turn", "event", "none"}
        When what happens is written down.
    history_tokens : int
        How much of each conversation is kept at hand for models.
    """

    def __init__(
        self,
        store: Store | None,
        ids: Ids,
        clock: Clock,
        durability: Durability = "turn",
        history_tokens: int = MOST_TOKENS,
    ) -> None:
        self._given, self._ids, self._clock = store, ids, clock
        self._cleaned_s = -math.inf
        self._cleaning: Thread | None = None
        self._is_closed = False
        self.found: tuple[Interrupted, ...] = ()
        """What an earlier process left open, and what was closed."""
        self.traces: Traces
        self.sessions: Sessions
        if store is None:
            self.traces, self.sessions = Traces(), Sessions(history_tokens)
        else:
            from lango_nb.records.stored_sessions import StoredSessions
            from lango_nb.records.stored_traces import StoredTraces

            self.traces, self.sessions = StoredTraces(store, durability), StoredSessions(store, history_tokens)

    @property
    def is_durable(self) -> bool:
        """Whether records outlive the process."""
        return self._given is not None and self._given.is_durable

    @property
    def store(self) -> Store:
        """Where records lie, as rows; for records in memory rows are made when this is asked for."""
        if self._given is not None:
            return self._given
        self.traces.fill(self._memory.log)
        return self._memory

    @once
    def _memory(self) -> SqlStore:
        """The rows of what is in memory."""
        from lango_nb.stores.sql import memory_store

        return memory_store()

    def writer(self) -> int:
        """Return the number of this opening of the store, from 1.

        Raises
        ------
        StoreError
            There is none, because nothing can be written: no request can run.
        """
        try:
            return self.store.writer()
        except StoreError as error:
            from lango_nb.records.stored_traces import not_run

            raise not_run(error, self.store.where) from error

    def documents(self, kind: str) -> Documents:
        """Return the rows of one kind."""
        return (self._memory if self._given is None else self._given).documents(kind)

    def resume(self, root: Callable[[str], str], tee: Tee | None = None) -> None:
        """Close what processes that are gone left open, and say so; see :mod:`lango_nb.records.resume`.

        What was found wrong when the store was opened is said first: a new file may be begun before anybody looks.

        Parameters
        ----------
        root : callable
            Name of the root agent of a topology.
        tee : Tee, optional
            Gets the turns that are closed, and those whose runs are, once more.

        Raises
        ------
        StoreError
            The store cannot be read.
        """
        if self._given is None:
            return
        from lango_nb.records.resume import resume_quietly

        for problem in self._given.problems:
            logger.warning("%s; %s", problem.detail, problem.next_step)
        self.found = tuple(resume_quietly(self._given, self._clock.now(), root, tee))
        for item in self.found:
            logger.warning(item.sentence)

    @once
    def runs(self) -> Runs:
        """All teammate runs."""
        from lango_nb.records.runs import Runs

        return Runs(self._kept_runs)

    @once
    def _kept_runs(self) -> StoredRuns | None:
        """Where runs are written down; nowhere in memory."""
        if self._given is None:
            return None
        from lango_nb.records.stored_runs import StoredRuns

        return StoredRuns(self._given)

    @once
    def tasks(self) -> Tasks:
        """The working list of root and agents."""
        from lango_nb.records.tasks import KIND, Tasks

        return Tasks(lambda: self.documents(KIND))

    @once
    def memories(self) -> Memories:
        """What agents keep for themselves."""
        from lango_nb.records.memories import ROWS, Memories, StoredMemories

        return Memories(self._ids, self._clock, StoredMemories(self.documents(ROWS)))

    def clean_up(self, settings: TraceStoreSettings) -> Purged:
        """Forget old turns with all that belongs to them; see :mod:`lango_nb.records.retention`.

        Parameters
        ----------
        settings : TraceStoreSettings

        Returns
        -------
        Purged

        Raises
        ------
        StoreError
            The store cannot be written.
        """
        from lango_nb.records.retention import Retention

        return Retention(self.store.log, settings, self._clock).run(self._clock.now())

    @property
    def forgotten(self) -> str:
        """Which turns settings have made the store forget, in a sentence; empty when there are none."""
        if not self.is_durable:
            return ""
        from lango_nb.records.retention import forgotten

        return forgotten(self.documents("forgotten"))

    def clean_up_when_due(self, settings: TraceStoreSettings) -> None:
        """Forget old turns beside whatever else goes on, if that was not done for a while."""
        interval_s = settings.cleanup_interval_s
        if not settings.is_limited or not self.is_durable or not interval_s:
            return
        now_s = time.monotonic()
        if now_s < self._cleaned_s + interval_s:
            return
        if not isinstance(self._clock, SystemClock):  # whose time is stepped wants to repeat to the letter
            return
        self._cleaned_s = now_s
        self._cleaning = Thread(target=self._clean_up_quietly, args=(settings,), name="lango-clean-up", daemon=True)
        self._cleaning.start()

    def _clean_up_quietly(self, settings: TraceStoreSettings) -> None:
        try:
            purged = self.clean_up(settings)
        except StoreError as error:
            if error.code != "closed":  # else the next process forgets them
                logger.warning("old turns were not forgotten: %s", error)
        else:
            if purged.total:
                logger.warning("%s; observability.traceStore has the limits", purged)

    def save(self) -> None:
        """Write down what could not be before: closed turns, what their runs did and left, runs.

        Raises
        ------
        StoreError
            It still cannot; everything is kept in memory.
        """
        self.traces.save()
        self.sessions.save()
        if self._kept_runs is not None:
            self._kept_runs.save()

    def copy_to(self, other: Records) -> None:
        """Write everything there is into records without turns: turns and their runs, tasks, memories, the ledger.

        Parameters
        ----------
        other : Records
            Turns keep their numbers and ids there.

        Raises
        ------
        StoreError
            It cannot be written.
        """
        from lango_nb.records import ledger, memories, tasks
        from lango_nb.stores.store import TurnQuery

        log = self.store.log
        turns = (log.read(str(row["id"])) for row in log.rows(TurnQuery()))
        other.store.log.keep([turn for turn in turns if turn is not None])
        for kind in (tasks.KIND, memories.ROWS, ledger.KIND):
            other.documents(kind).put(*self.documents(kind).find())
        other.store.sync()

    def save_rest(self) -> None:
        """Do the same as far as it is possible now; what is not waits for the next turn."""
        try:
            self.save()
        except StoreError as error:
            logger.debug("not everything is written down yet: %s", error)

    def close(self) -> None:
        """Write down what could not be before, and let go of the store; closing twice is not an error.

        Raises
        ------
        StoreError
            It still cannot be written: the store stays open, so that nothing is lost.
        """
        if self._given is None or self._is_closed:
            return
        self.save()
        if self._cleaning is not None:
            self._cleaning.join(_CLEAN_UP_S)
        self._is_closed = True
        self._given.close()
