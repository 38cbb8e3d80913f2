"""Names for sessions, turns, calls and decisions: random ones, and counted ones that repeat to the letter."""

from __future__ import annotations

import itertools
import os
from collections import defaultdict
from typing import Protocol


class Ids(Protocol):
    """Where an engine gets new names from."""

    def new(self, kind: str) -> str:
        """Return a name nobody else has, beginning with ``kind``."""
        ...


class RandomIds:
    """Names with 64 random bits, ``turn-9f0c…`` for instance."""

    def new(self, kind: str) -> str:
        """Return ``kind-`` and 16 hexadecimal digits."""
        return f"{kind}-{os.urandom(8).hex()}"


class CountedIds:
    """Names that count from one, separately for each kind.

    Examples
    --------
    >>> ids = CountedIds()
    >>> ids.new("turn"), ids.new("turn"), ids.new("call")
    ('turn-1', 'turn-2', 'call-1')
    """

    def __init__(self) -> None:
        self._counters: defaultdict[str, itertools.count[int]] = defaultdict(lambda: itertools.count(1))

    def new(self, kind: str) -> str:
        """Return ``kind-`` and the next number of that kind."""
        return f"{kind}-{next(self._counters[kind])}"
