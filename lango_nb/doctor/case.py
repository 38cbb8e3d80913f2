"""What every check of one examination looks at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from lango_nb.doctor.finding import Finding
from lango_nb.stores.store import Row, Store, TurnLog

if TYPE_CHECKING:
    from lango_nb.config.settings import Settings
    from lango_nb.engine import Engine

MOST_NAMED = 10
"""Turns or names that one finding lists; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Case:
    """An engine with its records, at one moment."""

    engine: Engine
    settings: Settings
    store: Store
    now: datetime
    since_hours: float

    @property
    def log(self) -> TurnLog:
        """The turns of all sessions."""
        return self.store.log

    @property
    def since(self) -> datetime:
        """Beginning of the time that counts as recent."""
        return self.now - timedelta(hours=self.since_hours)

    @property
    def window(self) -> str:
        """That time in words: ``the last 24 hours``."""
        return f"the last {self.since_hours:g} hours"


def about(row: Row) -> dict[str, object]:
    """Return what a finding says of the turn it is about.

    Parameters
    ----------
    row : dict
        A turn's summary.

    Returns
    -------
    dict
        Values of ``turn``, ``turn_number`` and ``session``.
    """
    return {"turn": str(row["id"]), "turn_number": int(str(row["number"])), "session": str(row["session_id"])}


def about_turn(check: str, status: str, text: str, row: Row, **values: object) -> Finding:
    """Make a finding about one turn, or about several of which this is the latest."""
    return Finding(check, status, text, **about(row), **values)  # type: ignore[arg-type]  # by name, from a row


def named(row: Row) -> str:
    """Name a turn in a line of evidence."""
    return f"turn {row['number']} (session {row['session_id']})"


def listed(lines: Sequence[str], most: int = MOST_NAMED) -> tuple[str, ...]:
    """Cut a list for use as evidence.

    Examples
    --------
    >>> listed(["a", "b", "c"], 2)
    ('a', 'b', 'and 1 more')
    """
    rest = len(lines) - most
    return tuple(lines) if rest <= 0 else (*lines[:most], f"and {rest} more")
