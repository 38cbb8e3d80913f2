"""Traces of finished turns, in memory: found by number, by position from the end, or by id."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lango_nb.core.errors import UnknownNameError
from lango_nb.records.turns import Trace, Turn

TurnRef = int | str
"""A turn's number (from 1), its position from the end (negative), or its id."""


class Traces:
    """All traces of an engine, in the order in which their turns ended."""

    def __init__(self) -> None:
        self._traces: list[Trace] = []
        self._begun = 0

    def next_number(self) -> int:
        """Count one more turn and return its number, from 1."""
        self._begun += 1
        return self._begun

    def add(self, trace: Trace) -> None:
        """Keep a finished trace."""
        self._traces.append(trace)

    def get(self, ref: TurnRef = -1) -> Trace:
        """Return one trace.

        Parameters
        ----------
        ref : int or str
            ``1`` is the first turn, ``-1`` the last; a text is an id or a number.

        Raises
        ------
        UnknownNameError
            There is no such turn.
        """
        if isinstance(ref, str) and re.fullmatch(r"-?[0-9]{1,9}", ref):
            ref = int(ref)
        if isinstance(ref, int) and -len(self._traces) <= ref < 0:
            return self._traces[ref]
        for trace in self._traces:
            if ref in {trace.turn.number, trace.turn.id}:
                return trace
        raise UnknownNameError("turn", str(ref), [str(trace.turn.number) for trace in self._traces])

    def turns(self) -> tuple[Turn, ...]:
        """Return all turns, oldest first."""
        return tuple(trace.turn for trace in self._traces)

    def __iter__(self) -> Iterator[Trace]:
        """Iterate, oldest first."""
        return iter(self._traces)

    def __len__(self) -> int:
        """Count the traces."""
        return len(self._traces)
