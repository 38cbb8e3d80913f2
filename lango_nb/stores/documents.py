"""Rows that change: tasks, memories, runs, approvals, each kind in a table of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from lango_nb.core.errors import StoreError
from lango_nb.stores.database import Database
from lango_nb.stores.dialect import Transaction
from lango_nb.stores.reading import Reader
from lango_nb.stores.rows import RowFormat, is_plain, row_format, to_name
from lango_nb.stores.schema import DOCUMENTS
from lango_nb.stores.store import Row, key_of

if TYPE_CHECKING:
    from lango_nb.core.json_value import JsonValue

T = TypeVar("T")


class DocumentTable:
    """Rows of one kind; see :class:`~lango_nb.stores.store.Documents`.

    Parameters
    ----------
    database : Database
    reader : Reader
    kind : str
    """

    def __init__(self, database: Database, reader: Reader, kind: str) -> None:
        table = DOCUMENTS.get(kind)
        if table is None:
            raise StoreError(f"there is no table for records of kind {kind!r}; add one to lango_nb/stores/schema.py")
        self._database, self._reader, self._kind, self._name = database, reader, kind, table.name
        self.changes = 0
        """How often they were changed through this object."""
        self._format = form = row_format(table.name)
        self._searched = {column.path: column.name for column in table.columns if column.type in {"name", "text"}}
        spelled = database.spelled
        self._add = spelled(f"{insert_statement(form)} DO NOTHING")
        self._put = spelled(put_statement(form))
        columns = ", ".join(f'"{name}"' for name in form.columns)
        self._select = f"SELECT id, {columns} FROM {{{table.name}}}"  # noqa: S608

    def _write(self, work: Callable[[Transaction], T], *, is_urgent: bool = True) -> T:
        self.changes += 1
        return self._database.write(work, is_urgent=is_urgent)

    def get(self, key: str) -> Row | None:
        """Return a row, or ``None``."""
        found = self._database.rows(self._database.spelled(f"{self._select} WHERE id = ?"), to_name(key))
        return self._row(found[0], key) if found else None

    def put(self, *rows: Row, is_urgent: bool = True) -> None:
        """Keep rows, all or none."""
        values = {key_of(row, self._kind): self._format.values(row) for row in rows}
        if values:
            self._write(lambda transaction: transaction.each(self._put, values.values()), is_urgent=is_urgent)

    def add(self, row: Row, *, is_urgent: bool = True) -> None:
        """Keep a row whose id is new."""
        key, values = key_of(row, self._kind), self._format.values(row)

        def work(transaction: Transaction) -> None:
            if not transaction.change(self._add, *values):
                raise StoreError(f"{self._kind} {key} is there already; every one needs an id of its own", "conflict")

        self._write(work, is_urgent=is_urgent)

    def change(self, key: str, change: Callable[[Row], Row], *, is_urgent: bool = True) -> Row | None:
        """Replace a row by what a function makes of it."""
        statement = self._database.spelled(f"{self._select} WHERE id = ?{self._database.dialect.locked}")

        def work(transaction: Transaction) -> Row | None:
            found = transaction.row(statement, to_name(key))
            if found is None:
                return None
            changed = change(self._row(found, key))
            if key_of(changed, self._kind) != key:
                raise StoreError(f"{self._kind} {key} cannot become {changed['id']}; put it as a new one", "bad_row")
            transaction.change(self._put, *self._format.values(changed))
            return changed

        return self._write(work, is_urgent=is_urgent) if self._database.exists() else None

    def remove(self, *keys: str) -> int:
        """Forget rows and count them."""
        dialect = self._database.dialect
        if not keys or not self._database.exists():
            return 0
        statement = self._database.spelled(f"DELETE FROM {{{self._name}}} WHERE {dialect.among('id')}")  # noqa: S608
        ids = dialect.values([to_name(key) for key in keys])
        return self._write(lambda transaction: transaction.change(statement, ids))

    def find(
        self, where: Mapping[str, JsonValue] | None = None, *, newest_first: bool = False, limit: int | None = None
    ) -> list[Row]:
        """Return rows whose fields equal all given values."""
        values: list[str] = []
        statement, is_exact = self._select, True
        for name, value in (where or {}).items():
            column = self._searched.get(name)
            if column is None or not isinstance(value, str) or not is_plain(value):
                is_exact = False
                continue
            statement += f' {"AND" if values else "WHERE"} "{column}" = ?'
            values.append(value)
        statement += " ORDER BY position DESC" if newest_first else " ORDER BY position"
        if limit is not None and is_exact:
            statement += f" LIMIT {max(0, min(limit, 2**63 - 1))}"
        rows = self._rows(self._database.rows(self._database.spelled(statement), *values))
        wanted = tuple((where or {}).items())
        found = (row for row in rows if all(row.get(name) == value for name, value in wanted))
        return list(islice(found, min(max(limit, 0), sys.maxsize) if limit is not None else None))

    def __len__(self) -> int:
        found = self._database.rows(self._database.spelled(f"SELECT count(*) FROM {{{self._name}}}"))  # noqa: S608
        return int(found[0][0]) if found else 0

    def _row(self, found: tuple[Any, ...], key: str) -> Row:
        try:
            return self._format.row(found[1:])
        except ValueError as error:
            raise self._reader.refusal(f"{self._kind} {key}", self._name) from error

    def _rows(self, found: Any) -> list[Row]:
        rows = []
        for key, *values in found:
            try:
                rows.append(self._format.row(values))
            except ValueError:
                self._reader.note(self._name, key)
        return rows


def insert_statement(form: RowFormat) -> str:
    """Return the beginning of a statement that adds a row by its id."""
    columns = ", ".join(f'"{name}"' for name in form.columns)
    marks = ", ".join("?" * len(form.columns))
    return f"INSERT INTO {{{form.name}}} ({columns}) VALUES ({marks}) ON CONFLICT (id)"  # noqa: S608


def put_statement(form: RowFormat) -> str:
    """Return the statement that keeps a row, in place of the one of its id."""
    changes = ", ".join(f'"{name}" = excluded."{name}"' for name in form.columns)
    return f"{insert_statement(form)} DO UPDATE SET {changes}"
