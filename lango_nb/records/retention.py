"""Old turns are forgotten, so that a store does not grow for ever.

    1  successful turns older than maxAge
    2  turns of any outcome older than maxAge times failedTraceMultiplier
    3  the oldest of what is more than maxTraces

A turn that still runs is never forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from lango_nb.config.settings import TraceStoreSettings
from lango_nb.core.clock import Clock
from lango_nb.stores.store import EVERY_TURN, TurnLog, TurnQuery

if TYPE_CHECKING:
    from collections.abc import Collection

DEADLINE_S = 30.0
"""How long one clean-up may take; what is left waits for the next one."""
BATCH = 500
"""Turns that are removed at once."""


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
    """Forgets old turns from time to time.

    Parameters
    ----------
    log : TurnLog
    settings : TraceStoreSettings
        An age of 0 counts as the default; ``cleanup_interval_s`` of 0 switches :meth:`due` off.
    clock : Clock
        Watches the deadline.

    Notes
    -----
    Source: reference §10, "Retention".

    Examples
    --------
    >>> from lango_nb.core.clock import SteppedClock
    >>> from lango_nb.stores.sql import memory_store
    >>> clock = SteppedClock()
    >>> retention = Retention(memory_store().log, TraceStoreSettings(), clock)
    >>> retention.due(clock.now()), retention.run(clock.now()).total, retention.due(clock.now())
    (True, 0, False)
    """

    def __init__(self, log: TurnLog, settings: TraceStoreSettings, clock: Clock) -> None:
        self._log, self._settings, self._clock = log, settings, clock
        self._last: datetime | None = None

    def due(self, now: datetime) -> bool:
        """Tell whether it is time for a clean-up: none was yet, or the last one began long enough ago."""
        interval = self._settings.cleanup_interval_s
        return interval > 0 and (self._last is None or (now - self._last).total_seconds() >= interval)

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
        self._last = now
        self._ends_s = self._clock.monotonic_s() + DEADLINE_S
        settings = self._settings
        max_age = settings.max_age_s if settings.max_age_s > 0 else TraceStoreSettings.defaults().max_age_s
        first = self._older_than(now, max_age, ("success",))
        second = self._older_than(now, max_age * settings.failed_trace_multiplier)
        excess = self._log.count(EVERY_TURN) - settings.max_traces
        third = self._remove(TurnQuery(), excess) if excess > 0 else (0, True)
        return Purged(first[0], second[0], third[0], is_complete=first[1] and second[1] and third[1])

    def _older_than(self, now: datetime, age_s: float, outcomes: Collection[str] = ()) -> tuple[int, bool]:
        try:
            until = now - timedelta(seconds=age_s)
        except OverflowError:  # nothing is older than the calendar
            return 0, True
        return self._remove(TurnQuery(outcomes=outcomes, until=until))

    def _remove(self, query: TurnQuery, most: int | None = None) -> tuple[int, bool]:
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
            removed += self._log.remove(closed) if closed else 0
        return removed, True
