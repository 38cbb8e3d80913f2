"""A table of a journal while TinyDB changes it."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, cast

from lango_nb.stores import lines
from lango_nb.stores.journal_rows import NO_ROWS, Operation, Rows, copied
from lango_nb.stores.store import Row

if TYPE_CHECKING:
    from pydantic import JsonValue


class Staged(MutableMapping[int, Row]):
    """Documents by number; remembers what was touched, and leaves the table itself alone.

    Parameters
    ----------
    name : str
        Of the table.
    rows : Rows or None
        What is there; ``None`` when there is no such table.
    """

    def __init__(self, name: str, rows: Rows | None) -> None:
        self._name, self._is_new = name, rows is None
        self._rows = (rows or NO_ROWS).documents
        self._is_cleared = False
        self._touched: dict[int, Row | None] = {}
        self._removed: set[int] = set()
        """Was there and was removed, perhaps to come again behind all others."""

    def __getitem__(self, number: int) -> Row:
        if number not in self._touched:
            if not self._is_old(number):
                raise KeyError(number)
            self._touched[number] = cast("Row", copied(cast("JsonValue", self._rows[str(number)])))
        row = self._touched[number]
        if row is None:
            raise KeyError(number)
        return row

    def __setitem__(self, number: int, row: Row) -> None:
        if self._touched.get(number, row) is None:
            del self._touched[number]
        self._touched[number] = row

    def __delitem__(self, number: int) -> None:
        if number not in self:
            raise KeyError(number)
        if self._is_old(number):
            self._removed.add(number)
        self._touched[number] = None

    def __contains__(self, number: object) -> bool:
        if number in self._touched:
            return self._touched[number] is not None
        return self._is_old(number)

    def __iter__(self) -> Iterator[int]:
        for key in () if self._is_cleared else self._rows:
            number = int(key)
            if number not in self._removed and number in self:
                yield number
        for number, row in self._touched.items():
            if row is not None and (number in self._removed or not self._is_old(number)):
                yield number

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def clear(self) -> None:
        """Remove everything at once."""
        self._is_cleared = True
        self._touched.clear()
        self._removed.clear()

    def operations(self) -> list[Operation]:
        """Return what makes the table what this is."""
        operations: list[Operation] = []
        if self._is_new:
            operations.append(["make", self._name])
        elif self._is_cleared and self._rows:
            operations.append(["clear", self._name])
        operations += [["remove", self._name, number] for number in sorted(self._removed)]
        for number, row in self._touched.items():
            if row is not None and (number in self._removed or self._differs(number, row)):
                operations.append(["put", self._name, number, row])
        return operations

    def _is_old(self, number: object) -> bool:
        return not self._is_cleared and str(number) in self._rows

    def _differs(self, number: int, row: Row) -> bool:
        if not self._is_old(number):
            return True
        before = self._rows[str(number)]
        return before != row or lines.encode({"": before}) != lines.encode({"": row})  # True equals 1, and is not 1
