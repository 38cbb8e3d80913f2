"""Time as a thing one hands over: the real clock, and one that steps so that notebooks repeat to the letter."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Where an engine gets its time from."""

    def now(self) -> datetime:
        """Return the time of day, aware, in UTC."""
        ...

    def monotonic_s(self) -> float:
        """Return seconds that never go backwards."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait, for a back-off for instance."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the time of day, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic_s(self) -> float:
        """Return seconds that never go backwards."""
        return time.perf_counter()

    async def sleep(self, seconds: float) -> None:
        """Wait that long."""
        import asyncio

        await asyncio.sleep(seconds)


class SteppedClock:
    """A clock that moves only when it is read.

    Parameters
    ----------
    start : datetime, optional
        First reading; the first of January 2026 when absent.
    step_ms : float
        Milliseconds between two readings.

    Examples
    --------
    >>> clock = SteppedClock(step_ms=10)
    >>> (clock.now() - clock.now()).total_seconds()
    -0.01
    """

    def __init__(self, start: datetime | None = None, step_ms: float = 1.0) -> None:
        self._start = start or datetime(2026, 1, 1, tzinfo=UTC)
        self._step_ms = step_ms
        self._readings = 0

    def _elapsed_ms(self) -> float:
        elapsed = self._readings * self._step_ms
        self._readings += 1
        return elapsed

    def now(self) -> datetime:
        """Return the next time of day, aware, in UTC."""
        return self._start + timedelta(milliseconds=self._elapsed_ms())

    def monotonic_s(self) -> float:
        """Return the next reading in seconds."""
        return self._elapsed_ms() / 1000

    async def sleep(self, seconds: float) -> None:
        """Move the clock on by that much and let others go first; nobody really waits."""
        import asyncio

        self._readings += round(seconds * 1000 / self._step_ms) if self._step_ms else 0
        await asyncio.sleep(0)
