"""Traces of finished turns, in memory: found by number, by position from the end, or by id."""

from __future__ import annotations

from collections.abc import Iterator

from lango_nb.core.errors import UnknownNameError
from lango_nb.records.turns import Trace, Turn

TurnRef = int | str
"""A turn's position among all (from 1, or negative from the end), or its id."""


class Traces:
    """All traces of an engine, in the order in which their turns ended."""

    def __init__(self) -> None:
        self._traces: list[Trace] = []

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
        if isinstance(ref, str) and ref.lstrip("-").isdecimal():
            ref = int(ref)
        if isinstance(ref, str):
            for trace in self._traces:
                if trace.turn.id == ref:
                    return trace
        else:
            place = ref - 1 if ref > 0 else len(self._traces) + ref
            if ref != 0 and 0 <= place < len(self._traces):
                return self._traces[place]
        raise UnknownNameError("turn", str(ref), [str(number) for number in range(1, len(self._traces) + 1)])

    def turns(self) -> tuple[Turn, ...]:
        """Return all turns, oldest first."""
        return tuple(trace.turn for trace in self._traces)

    def __iter__(self) -> Iterator[Trace]:
        """Iterate, oldest first."""
        return iter(self._traces)

    def __len__(self) -> int:
        """Count the traces."""
        return len(self._traces)
