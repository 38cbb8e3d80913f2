"""Tables in memory, and the operations that change them: what the lines of a journal say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from lango_nb.stores.store import Row

if TYPE_CHECKING:
    from pydantic import JsonValue

Operation = list["JsonValue"]
"""``["put", table, number, row]``, ``["remove", table, number]``, or ``["make" | "clear" | "drop", table]``."""


class Rows:
    """The documents of one table by number, in the order in which they first came."""

    __slots__ = ("_numbers", "_top", "documents", "highest")

    def __init__(self) -> None:
        self.documents: dict[str, Row] = {}
        """By number as text, as TinyDB has them."""
        self.highest = 0
        """The highest number that ever was in use."""
        self._top: int | None = 0
        self._numbers: dict[str, str] | None = None

    @property
    def top(self) -> int:
        """The highest number in use, or 0."""
        if self._top is None:
            self._top = max(map(int, self.documents), default=0)
        return self._top

    def number_of(self, key: str) -> str | None:
        """Return the number of the document with a text as its ``id``; found without looking through them."""
        if self._numbers is None:
            self._numbers = {
                name: number for number, row in self.documents.items() if isinstance(name := row.get("id"), str)
            }
        return self._numbers.get(key)

    def put(self, number: int, row: Row) -> bool:
        """Set a document and tell whether it took the place of another."""
        key = str(number)
        before = self.documents.get(key)
        self.documents[key] = row
        self.highest = max(self.highest, number)
        if self._top is not None and number > self._top:
            self._top = number
        if self._numbers is not None:
            if before is not None and before.get("id") != row.get("id"):
                self._unname(before, key)
            if isinstance(name := row.get("id"), str):
                self._numbers[name] = key
        return before is not None

    def remove(self, number: int) -> bool:
        """Forget a document and tell whether it was there."""
        key = str(number)
        row = self.documents.pop(key, None)
        if row is None:
            return False
        if number == self._top:
            self._top = None
        self._unname(row, key)
        return True

    def _unname(self, row: Row, key: str) -> None:
        name = row.get("id")
        if self._numbers is not None and isinstance(name, str) and self._numbers.get(name) == key:
            del self._numbers[name]


NO_ROWS = Rows()
"""What a table holds that is not there."""


class Tables:
    """All tables of a database."""

    def __init__(self) -> None:
        self.rows: dict[str, Rows] = {}
        self.changes: Counter[str] = Counter()
        """How often each table was changed, also while it was not there."""
        self.replaced = 0
        """Documents that lie in the file and count no more."""

    def __len__(self) -> int:
        return sum(len(rows.documents) for rows in self.rows.values())

    def apply(self, operations: Sequence[Operation]) -> None:
        """Do what a line says.

        Parameters
        ----------
        operations : sequence of list
            Checked by :func:`operations_of`.
        """
        for operation in operations:
            table = cast("str", operation[1])
            self.changes[table] += 1
            match operation[0]:
                case "put":
                    rows = self.rows.get(table) or self.rows.setdefault(table, Rows())
                    self.replaced += rows.put(cast("int", operation[2]), cast("Row", operation[3]))
                case "remove":
                    if table in self.rows:
                        self.replaced += self.rows[table].remove(cast("int", operation[2]))
                case "make":
                    self.rows.setdefault(table, Rows())
                case _:  # clear or drop
                    old = self.rows.pop(table, None)
                    self.replaced += len(old.documents) if old is not None else 0
                    if operation[0] == "clear":
                        self.rows[table] = Rows()

    def snapshot(self) -> Iterator[Operation]:
        """Yield the operations that make these tables from nothing, in order."""
        for table, rows in self.rows.items():
            if not rows.documents:
                yield ["make", table]
            for number, row in rows.documents.items():
                yield ["put", table, int(number), row]

    def lines(self) -> int:
        """Count the operations of :meth:`snapshot`."""
        return sum(len(rows.documents) or 1 for rows in self.rows.values())


def operations_of(row: Row) -> list[Operation] | None:
    """Return the operations of a line, or ``None`` when it has none that can be done.

    Parameters
    ----------
    row : dict
        As read from a file.

    Returns
    -------
    list of list or None

    Examples
    --------
    >>> operations_of({"ops": [["remove", "task", 3]]}), operations_of({"ops": [["paint", "task"]]})
    ([['remove', 'task', 3]], None)
    """
    operations = row.get("ops")
    if not isinstance(operations, list) or not all(map(_is_operation, operations)):
        return None
    return cast("list[Operation]", operations)


def copied(value: JsonValue) -> JsonValue:
    """Copy JSON all the way down.

    Parameters
    ----------
    value : JSON

    Returns
    -------
    JSON
    """
    if isinstance(value, dict):
        return {key: copied(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [copied(inner) for inner in value]
    return value


def _is_operation(operation: JsonValue) -> bool:
    match operation:
        case ["put", str(), int(), dict()] | ["remove", str(), int()]:
            return True
        case ["make" | "clear" | "drop", str()]:
            return True
    return False
