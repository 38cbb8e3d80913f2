"""From the JSON of a table to rows, and what happens when somebody else wrote into it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from lango_nb.core.errors import StoreError, shorten
from lango_nb.stores.database.texts import BY_HAND, from_text
from lango_nb.stores.store import Problem, Row

NEXT_STEP = "correct it with the tools of the database, or delete it"


class Reader:
    """Turns texts into rows.

    Parameters
    ----------
    where : str
        The database as errors name it.
    problems : list of Problem
        Where everything is noted, once, that cannot be read.
    """

    def __init__(self, where: str, problems: list[Problem]) -> None:
        self._where, self._problems = where, problems

    def one(self, what: str, table: str, text: str) -> Row:
        """Read the one row that is asked for.

        Parameters
        ----------
        what : str
            What it is.
        table : str
        text : str

        Returns
        -------
        dict

        Raises
        ------
        StoreError
            With code ``damaged``.
        """
        try:
            return from_text(text)
        except ValueError as error:
            raise StoreError(f"{what} is damaged in table {table} of {self._where}; {NEXT_STEP}", "damaged") from error

    def all(self, table: str, found: Iterable[Any]) -> list[Row]:
        """Read many rows; one that is damaged is left out and noted.

        Parameters
        ----------
        table : str
        found : iterable of tuple
            A name and a text each.

        Returns
        -------
        list of dict
        """
        rows = []
        for name, text in found:
            try:
                rows.append(from_text(text))
            except ValueError:
                self.note(table, name)
        return rows

    def events(self, found: Sequence[Any]) -> list[Row]:
        """Read events; one that is damaged is left out and noted.

        Parameters
        ----------
        found : sequence of tuple
            Turn, position and text each.

        Returns
        -------
        list of dict
        """
        if not found:
            return []
        together = ",".join([text for _, _, text in found])
        if not together.startswith(BY_HAND) and f",{BY_HAND}" not in together:
            try:
                rows = orjson.loads(f"[{together}]")  # half the time of reading one by one
            except ValueError:
                rows = []
            if len(rows) == len(found) and {*map(type, rows)} == {dict}:
                return list(rows)
        return self.all("lango_events", ((f"{turn}/{position}", text) for turn, position, text in found))

    def note(self, table: str, name: object) -> None:
        """Note a row that was left out."""
        problem = damaged(table, name)
        if problem not in self._problems:
            self._problems.append(problem)


def damaged(table: str, name: object) -> Problem:
    """Return the problem of a row that is not JSON.

    Parameters
    ----------
    table : str
    name : object
        Its id or number.

    Returns
    -------
    Problem
    """
    return Problem("damaged", table, f"the data of {shorten(str(name))} is no JSON; it is left out", NEXT_STEP)
