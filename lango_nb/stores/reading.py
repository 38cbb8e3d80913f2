"""What happens when a row is not what was written: it is left out and noted, or refused where it was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.core.errors import StoreError, shorten
from lango_nb.stores.store import Problem

NEXT_STEP = "restore it from a copy; lango doctor --rescue copies everything else"

_MOST = 1000
"""Problems that are noted one by one."""


class Reader:
    """Notes what cannot be read of a store.

    Parameters
    ----------
    where : str
        The database as errors name it.
    problems : list of Problem
        Gets everything, once.
    """

    def __init__(self, where: str, problems: list[Problem]) -> None:
        self.where, self._problems = where, problems
        self._noted: set[Problem] = set()

    def note(self, table: str, name: object) -> None:
        """Note a row that was left out."""
        self._add(damaged(table, name))

    def note_loss(self, turn: int, lost: Sequence[str]) -> None:
        """Note what a turn has lost."""
        self._add(missing(turn, lost))

    def refusal(self, what: str, table: str, lost: str = "") -> StoreError:
        """Word that what was asked for cannot be given."""
        reason = f"has lost {lost}" if lost else f"is damaged in table {table}"
        return StoreError(f"{what} of {self.where} {reason}; {NEXT_STEP}", "damaged")

    def _add(self, problem: Problem) -> None:
        if problem in self._noted or len(self._noted) > _MOST:
            return
        if len(self._noted) == _MOST:
            problem = Problem("damaged", problem.where, "there is more that is not what was written", NEXT_STEP)
        self._noted.add(problem)
        self._problems.append(problem)


def damaged(table: str, name: object) -> Problem:
    """Return the problem of a row that is not what was written."""
    return Problem("damaged", table, f"{shorten(str(name))} is not what was written; it is left out", NEXT_STEP)


def missing(turn: int, lost: Sequence[str]) -> Problem:
    """Return the problem of a turn that is not whole."""
    return Problem("missing", "turns", f"turn {turn} has lost {', '.join(lost)}", NEXT_STEP)
