"""Old turns are forgotten where a setting says so, and never without a word.

    1  observability.traceStore.maxAge                  successful turns older than that
    2  observability.traceStore.failedTraceMultiplier   turns of any outcome older than maxAge times that
    3  observability.traceStore.maxTraces               the oldest of what is more than that

Nothing is forgotten unless a limit is set, and a turn that still runs never is. How many turns are gone, and by which
setting, is written down in the same write as their removal; whoever reads at that moment still sees them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from lango_nb.config.settings import TraceStoreSettings
from lango_nb.core.clock import Clock
from lango_nb.core.errors import ForgottenError
from lango_nb.stores.store import Documents, Row, Store, TurnLog, TurnQuery, stamp

DEADLINE_S = 30.0
"""How long one clean-up may take; what is left waits for the next one."""
BATCH = 500
"""Turns that are removed at once."""
_GROUP = "observability.traceStore."


@dataclass(frozen=True, slots=True)
class Purged:
    """What a clean-up came to."""

    successful: int = 0
    """Turns forgotten by the first rule: they went well and are older than ``maxAge``."""
    any_outcome: int = 0
    """By the second: older than ``maxAge`` times the multiplier, however they ended."""
    excess: int = 0
    """By the third: the oldest of more than ``maxTraces``."""
    is_complete: bool = True
    """Whether it came to its end before the deadline."""

    @property
    def total(self) -> int:
        """All turns that were forgotten."""
        return self.successful + self.any_outcome + self.excess

    def __str__(self) -> str:
        rest = "" if self.is_complete else "; time was over, the rest goes with the next clean-up"
        return (
            f"{self.total} turns forgotten: {self.successful} successful and old, {self.any_outcome} of any outcome "
            f"and very old, {self.excess} over the limit{rest}"
        )


class Retention:
    """Forgets old turns.

    Parameters
    ----------
    log : TurnLog
    settings : TraceStoreSettings
        A limit of 0 is not set.
    clock : Clock
        Watches the deadline.

    Notes
    -----
    Source: reference §10, "Retention"; its limits hold there without being set.

    Examples
    --------
    >>> from lango_nb.core.clock import SteppedClock
    >>> from lango_nb.stores.sql import memory_store
    >>> clock = SteppedClock()
    >>> Retention(memory_store().log, TraceStoreSettings(), clock).run(clock.now()).total
    0
    """

    def __init__(self, log: TurnLog, settings: TraceStoreSettings, clock: Clock) -> None:
        self._log, self._settings, self._clock = log, settings, clock

    def run(self, now: datetime) -> Purged:
        """Forget what is too old or too much.

        Parameters
        ----------
        now : datetime
            Aware; ages are counted from it.

        Returns
        -------
        Purged

        Raises
        ------
        StoreError
            Turns cannot be removed; those removed before are gone.
        """
        self._now, self._ends_s = now, self._clock.monotonic_s() + DEADLINE_S
        settings, none = self._settings, (0, True)
        age_s, most = settings.max_age_s, settings.max_traces
        first = self._older_than(age_s, "maxAge", "success") if age_s else none
        second = self._older_than(age_s * settings.failed_trace_multiplier, "failedTraceMultiplier") if age_s else none
        excess = self._log.count() - most if most else 0
        third = self._remove(TurnQuery(), "maxTraces", excess) if excess > 0 else none
        return Purged(first[0], second[0], third[0], is_complete=first[1] and second[1] and third[1])

    def _older_than(self, age_s: float, setting: str, *outcomes: str) -> tuple[int, bool]:
        try:
            until = self._now - timedelta(seconds=age_s)
        except OverflowError:  # nothing is older than the calendar
            return 0, True
        return self._remove(TurnQuery(outcomes=outcomes, until=until), setting)

    def _remove(self, query: TurnQuery, setting: str, most: int | None = None) -> tuple[int, bool]:
        """Remove closed turns, oldest first, batch by batch; count them, and say whether all of them went."""
        removed, after = 0, 0
        while most is None or removed < most:
            if self._clock.monotonic_s() >= self._ends_s:
                return removed, False
            limit = BATCH if most is None else min(BATCH, most - removed)
            rows = self._log.rows(TurnQuery(outcomes=query.outcomes, until=query.until, after=after, limit=limit))
            if not rows:
                break
            after = max(int(str(row["number"])) for row in rows)
            closed = [str(row["id"]) for row in rows if row["outcome"] != "running"]
            removed += self._log.remove(closed, setting=_GROUP + setting, at=stamp(self._now)) if closed else 0
        return removed, True


def check_forgotten(store: Store, number: int) -> None:
    """Say of a turn that is not there that a setting made the store forget it, if one did.

    Parameters
    ----------
    store : Store
    number : int

    Raises
    ------
    ForgottenError
        There was such a turn.
    """
    rows = store.documents("forgotten").find()
    kept = store.log.numbers(TurnQuery(newest_first=True, limit=1))
    if not rows or not 0 < number <= max(*kept, sum(int(str(row["turns"])) for row in rows), 0):
        return
    last = max(str(row["at"]) for row in rows)
    raise ForgottenError(number, f"{forgotten(store.documents('forgotten'))}, last on {last[:10]}")


def forgotten(documents: Documents) -> str:
    """Say which turns settings have made a store forget.

    Parameters
    ----------
    documents : Documents
        Rows of the kind ``forgotten``.

    Returns
    -------
    str
        One sentence; empty when there are none.

    Examples
    --------
    >>> from lango_nb.stores.sql import memory_store
    >>> rows = memory_store().documents("forgotten")
    >>> rows.put({"id": "observability.traceStore.maxTraces", "turns": 1200, "latest": "2026-01-01T10:00:00.0+00:00"})
    >>> forgotten(rows)
    '1,200 turns up to 2026-01-01 were forgotten: observability.traceStore.maxTraces'
    """
    rows: list[Row] = documents.find()
    if not rows:
        return ""
    number = sum(int(str(row["turns"])) for row in rows)
    latest = max(str(row["latest"]) for row in rows)
    named = ", ".join(str(row["id"]) for row in rows)
    turns = "1 turn" if number == 1 else f"{number:,} turns"
    return f"{turns} up to {latest[:10]} {'was' if number == 1 else 'were'} forgotten: {named}"
