"""What is said to a database: statements in a transaction, and the few words in which SQLite and PostgreSQL differ."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from lango_nb.stores.schema import DOCUMENTS, SCHEMA, TABLES, VIEWS, Column, Table, Type, View

BLOCK = 512
"""Rows that are taken apart together: few enough for the processor's cache."""
PREFIX = "lango_"
"""How the names of tables begin on a server, which may hold others' tables as well."""


class Transaction(Protocol):
    """Statements on one connection, which see the database as it was at one moment."""

    def rows(self, statement: str, *values: object) -> Sequence[tuple[Any, ...]]:
        """Return all rows of a query."""
        ...

    def blocks(self, statement: str, *values: object) -> Iterator[Sequence[tuple[Any, ...]]]:
        """Go through all rows of a query, :data:`BLOCK` at a time."""
        ...

    def row(self, statement: str, *values: object) -> tuple[Any, ...] | None:
        """Return the first row, or ``None``."""
        ...

    def change(self, statement: str, *values: object) -> int:
        """Carry out a statement and count the rows it changed."""
        ...

    def each(self, statement: str, values: Iterable[Sequence[object]]) -> None:
        """Carry out a statement for each set of values, in that order."""
        ...


@dataclass(frozen=True, slots=True)
class Dialect:
    """The few words in which SQLite and PostgreSQL differ."""

    name: Literal["sqlite", "postgresql"]
    types: dict[Type, str]
    serial: str
    """Type of a column that counts rows in the order in which they came."""
    has_tables: str
    """Query whose first value tells whether there are tables."""
    locked: str = ""
    """End of a query whose rows nobody else may change before this transaction ends."""
    before: tuple[str, ...] = ()
    """What is done before tables are made."""
    ending: str = ""
    """End of a table whose rows lie in the order of their key."""
    prefix: str = ""

    def named(self, table: Table | str) -> str:
        """Return the name of a table."""
        return self.prefix + (table if isinstance(table, str) else table.name)

    def among(self, column: str) -> str:
        """Return the condition that a column is one of any number of values, which :meth:`values` gives."""
        if self.name == "sqlite":
            return f"{column} IN (SELECT value FROM json_each(?))"  # noqa: S608 - names of our own
        return f"{column} = ANY(?)"

    def values(self, values: Collection[str] | Collection[int]) -> object:
        """Return values as :meth:`among` takes them."""
        return json.dumps([*values]) if self.name == "sqlite" else [*values]

    def holds(self, column: str) -> str:
        """Return the condition that a column holds a text to the letter."""
        return f"instr({column}, ?) > 0" if self.name == "sqlite" else f"strpos({column}, ?) > 0"

    def definitions(self, tables: Sequence[Table] = TABLES, version: int = SCHEMA) -> list[str]:
        """Return the statements that make what is missing; views are made of the present version only."""
        made = [*self.before]
        for table in tables:
            made += self.definition(table)
        made += [self._view(view) for view in VIEWS if version == SCHEMA]
        meta = self.named("meta")
        made.append(
            f"INSERT INTO {meta} (name, value) VALUES ('schema', {version}), ('turns', 0), ('writers', 0) "  # noqa: S608
            "ON CONFLICT (name) DO NOTHING"
        )
        return made

    def _view(self, view: View) -> str:
        """Return the statement that makes a table of what lies in a column as JSON."""
        name, table = self.named(view.name), self.named(view.table.name)
        if self.name == "sqlite":
            begin, place, rows = "CREATE VIEW IF NOT EXISTS", "item.key", f'json_each(owner."{view.column}") AS item'
        else:
            begin, place = "CREATE OR REPLACE VIEW", "item.number - 1"
            rows = f'jsonb_array_elements(CAST(owner."{view.column}" AS jsonb)) WITH ORDINALITY AS item(value, number)'
        *owner, own = view.key
        values = [f'{self._inside(column)} AS "{column.name}"' for column in view.columns]
        columns = ", ".join([*(f"owner.{key}" for key in owner), f"{place} AS {own}", *values])
        return f"{begin} {name} AS SELECT {columns} FROM {table} AS owner, {rows}"  # noqa: S608

    def _inside(self, column: Column) -> str:
        """Return what says a column of the item of a list."""
        if self.name == "sqlite":
            return f"json_extract(item.value, '$.{column.path}')"
        said = f"item.value #>> '{{{column.path.replace('.', ',')}}}'"
        if column.type == "boolean":
            said = f"CAST(CAST({said} AS BOOLEAN) AS INTEGER)"
        type_, collates, order = self.types[column.type].partition(" COLLATE")
        return f"CAST({said} AS {type_}){collates}{order}"

    def definition(self, table: Table) -> list[str]:
        """Return the statements that make a table and its indexes."""
        name = self.named(table)
        is_of_turns = len(table.key) > 1
        rows = [f"position {self.serial}"] if table in DOCUMENTS.values() else []
        for column in table.columns:
            end = " NOT NULL" if column.name in table.key else ""
            if column.name == "id" and table.key != ("id",):
                end = " NOT NULL UNIQUE" if table.name == "turns" else ""
            rows.append(f'"{column.name}" {self.types[column.type]}{end}')
        if table.name != "meta":
            rows += [f"data {self.types['text']}", f"checksum {self.types['integer']} NOT NULL"]
        unique = "UNIQUE" if table in DOCUMENTS.values() else "PRIMARY KEY"
        rows.append(f"{unique} ({', '.join(table.key)})")
        body = ",\n    ".join(rows)
        made = [f"CREATE TABLE IF NOT EXISTS {name} (\n    {body}\n){self.ending if is_of_turns else ''}"]
        for number, index in enumerate(table.indexes, 1):
            columns, _, condition = index.partition(" WHERE ")
            end = f" WHERE {condition}" if condition else ""
            made.append(f"CREATE INDEX IF NOT EXISTS {name}_{number} ON {name} ({columns}){end}")
        return made
