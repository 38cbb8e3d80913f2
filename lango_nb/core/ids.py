"""Names for sessions, turns, calls and decisions: random ones, and counted ones that repeat to the letter."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable
from typing import Protocol

_LONG_NUMBER = re.compile("[0-9]{9}")
"""As long as the shortest number that masking may take for somebody's."""


class Ids(Protocol):
    """Where an engine gets new names from."""

    def new(self, kind: str) -> str:
        """Return a name nobody else has, beginning with ``kind``."""
        ...


class RandomIds:
    """Names with 64 random bits, ``turn-9f0c…`` for instance."""

    def new(self, kind: str) -> str:
        """Return ``kind-`` and 16 hexadecimal digits, which nobody takes for the number of a card and masks."""
        name = os.urandom(8).hex()
        while _LONG_NUMBER.search(name):
            name = os.urandom(8).hex()
        return f"{kind}-{name}"


class CountedIds:
    """Names that count from one, separately for each kind.

    Parameters
    ----------
    mark : callable, optional
        Gives what stands before the number, to tell these names from those of other counters that write to the same
        place; asked for once in a process, with the first name.

    Examples
    --------
    >>> ids = CountedIds()
    >>> ids.new("turn"), ids.new("turn"), ids.new("call")
    ('turn-1', 'turn-2', 'call-1')
    >>> CountedIds(mark=lambda: "7-").new("turn")
    'turn-7-1'
    """

    def __init__(self, mark: Callable[[], object] | None = None) -> None:
        self._counters: dict[str, itertools.count[int]] = {}
        self._mark = mark
        self._marked = ""
        self._process = 0
        """The one that the mark was asked for in: a forked child needs its own."""

    def new(self, kind: str) -> str:
        """Return ``kind-`` and the next number of that kind."""
        counter = self._counters.get(kind) or self._counters.setdefault(kind, itertools.count(1))
        if self._mark is not None and self._process != (process := os.getpid()):
            self._marked, self._process = str(self._mark()), process
        return f"{kind}-{self._marked}{next(counter)}"
