"""The rows of one table of a journal by their text id."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, cast

from lango_nb.core.errors import StoreError
from lango_nb.stores.journal_file import JournalFile
from lango_nb.stores.journal_rows import NO_ROWS, Operation, Tables, copied
from lango_nb.stores.memory import key_of, narrowed
from lango_nb.stores.store import Row

if TYPE_CHECKING:
    from pydantic import JsonValue


class JournalDocuments:
    """The rows of one table by their text id: what :class:`~lango_nb.stores.store.Documents` asks for.

    Parameters
    ----------
    file : JournalFile
    kind : str
        Name of the table.
    """

    def __init__(self, file: JournalFile, kind: str) -> None:
        self._file, self._kind = file, kind

    def get(self, key: str) -> Row | None:
        """Return a row, or ``None``."""
        with self._file.reading() as tables:
            return self._found(tables, key)[1]

    def put(self, *rows: Row, is_urgent: bool = True) -> None:
        """Keep rows, all or none; each replaces the one of its id and keeps its place."""
        named = {key_of(row, self._kind): row for row in rows}
        if named:
            with self._file.unit(is_urgent=is_urgent) as tables:
                self._stage(tables, named)

    def add(self, row: Row, *, is_urgent: bool = True) -> None:
        """Keep a row whose id is new."""
        key = key_of(row, self._kind)
        with self._file.unit(is_urgent=is_urgent) as tables:
            if self._found(tables, key)[1] is not None:
                raise StoreError(f"{self._kind} {key} is there already; every one needs an id of its own", "conflict")
            self._stage(tables, {key: row})

    def change(self, key: str, change: Callable[[Row], Row], *, is_urgent: bool = True) -> Row | None:
        """Replace a row by what a function makes of it; nobody else writes in between."""
        if self.get(key) is None:
            return None
        with self._file.unit(is_urgent=is_urgent) as tables:
            row = self._found(tables, key)[1]
            if row is None:
                return None
            changed = change(cast("Row", copied(cast("JsonValue", row))))
            if key_of(changed, self._kind) != key:
                raise StoreError(f"{self._kind} {key} cannot become {changed['id']}; put it as a new one", "bad_row")
            self._stage(tables, {key: changed})
            return self._found(tables, key)[1]

    def remove(self, *keys: str) -> int:
        """Forget rows and count them."""
        if all(self.get(key) is None for key in keys):
            return 0
        with self._file.unit() as tables:
            numbers = [number for key in dict.fromkeys(keys) if (number := self._found(tables, key)[0])]
            self._file.stage([["remove", self._kind, int(number)] for number in numbers])
            return len(numbers)

    def find(
        self, where: Mapping[str, JsonValue] | None = None, *, newest_first: bool = False, limit: int | None = None
    ) -> list[Row]:
        """Return rows whose fields equal all given values, oldest first."""
        with self._file.reading() as tables:
            rows = list(tables.rows.get(self._kind, NO_ROWS).documents.values())
        return narrowed(rows, where, newest_first=newest_first, limit=limit)

    def __len__(self) -> int:
        with self._file.reading() as tables:
            return len(tables.rows.get(self._kind, NO_ROWS).documents)

    def _found(self, tables: Tables, key: str) -> tuple[str | None, Row | None]:
        rows = tables.rows.get(self._kind, NO_ROWS)
        number = rows.number_of(key)
        return (number, rows.documents[number]) if number is not None else (None, None)

    def _stage(self, tables: Tables, named: Mapping[str, Row]) -> None:
        rows = tables.rows.get(self._kind, NO_ROWS)
        operations: list[Operation] = []
        following = rows.highest
        for key, row in named.items():
            number = rows.number_of(key)
            if number is None:
                following += 1
            operations.append(["put", self._kind, int(number) if number is not None else following, row])
        self._file.stage(operations)
