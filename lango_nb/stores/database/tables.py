"""The tables, and the few words in which SQLite and PostgreSQL differ.

::

    lango_meta        name, value                   schema; how many turns and writers there ever were
    lango_documents   position, kind, id, data      tasks, memories, …
    lango_turns       number, id, session_id, …     one row per turn, without its events
    lango_turn_names  turn, role, name              agents and tools of a turn
    lango_turn_bodies turn, data                    messages, decisions, runs
    lango_events      turn, position, data
    lango_sessions    id, version                   counts what is written to a session

``data`` is JSON. The number of a turn stands in its column only, and is put into the row when it is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from lango_nb.stores.lines import check_header
from lango_nb.stores.store import SCHEMA, Durability

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_TABLES = """
CREATE TABLE IF NOT EXISTS lango_meta (
    name {name} PRIMARY KEY,
    value {number} NOT NULL
);
CREATE TABLE IF NOT EXISTS lango_documents (
    position {serial},
    kind {name} NOT NULL,
    id {name} NOT NULL,
    data {text} NOT NULL,
    UNIQUE (kind, id)
);
CREATE TABLE IF NOT EXISTS lango_turns (
    number {number} PRIMARY KEY,
    id {name} NOT NULL UNIQUE,
    session_id {name} NOT NULL,
    writer {number} NOT NULL,
    state {name} NOT NULL,
    outcome {name},
    started_at {name} NOT NULL,
    events {number} NOT NULL,
    data {text} NOT NULL
);
CREATE INDEX IF NOT EXISTS lango_turns_of_session ON lango_turns (session_id, number);
CREATE INDEX IF NOT EXISTS lango_turns_by_time ON lango_turns (started_at);
CREATE INDEX IF NOT EXISTS lango_turns_open ON lango_turns (writer) WHERE state = 'open';
CREATE TABLE IF NOT EXISTS lango_turn_names (
    turn {number} NOT NULL,
    role {name} NOT NULL,
    name {name} NOT NULL,
    PRIMARY KEY (turn, role, name)
);
CREATE INDEX IF NOT EXISTS lango_turns_of_name ON lango_turn_names (role, name, turn);
CREATE TABLE IF NOT EXISTS lango_turn_bodies (
    turn {number} PRIMARY KEY,
    data {text} NOT NULL
);
CREATE TABLE IF NOT EXISTS lango_events (
    turn {number} NOT NULL,
    position {number} NOT NULL,
    data {text} NOT NULL,
    PRIMARY KEY (turn, position)
);
CREATE TABLE IF NOT EXISTS lango_sessions (
    id {name} PRIMARY KEY,
    version {number} NOT NULL
);
INSERT INTO lango_meta (name, value) VALUES ('schema', {schema}), ('turns', 0), ('writers', 0), ('synced', 0)
    ON CONFLICT (name) DO NOTHING
"""
_PARAMETER = re.compile(r":(\w+)")
COUNT = "UPDATE lango_meta SET value = value + 1 WHERE name = :name RETURNING value"
"""Count one of ``turns``, ``writers``, ``synced``: whoever counts first commits first, and no number comes twice."""
_SCHEMA_OF = "SELECT value FROM lango_meta WHERE name = 'schema'"


@dataclass(frozen=True, slots=True)
class Dialect:
    """The words of one kind of database."""

    name: Literal["sqlite", "postgresql"]
    has_tables: str
    """Query whose first value tells whether there are tables."""
    locked: str
    """End of a query whose rows nobody else may change before this transaction ends."""
    _before: tuple[str, ...]
    """What is done before tables are made."""
    _types: dict[str, str]
    _among: str
    _holds: str

    def tables(self) -> list[str]:
        """Return the statements that make what is missing."""
        return [*self._before, *_TABLES.format(schema=SCHEMA, **self._types).strip().split(";\n")]

    def spelled(self, statement: str) -> str:
        """Return a statement with its ``:parameters`` as the driver takes them."""
        return statement if self.name == "sqlite" else _for_psycopg(statement)

    def among(self, column: str, parameter: str) -> str:
        """Return the condition that a column is one of any number of values."""
        return self._among.format(column=column, parameter=parameter)

    def values(self, values: Collection[str] | Collection[int]) -> object:
        """Return values as :meth:`among` takes them."""
        return json.dumps([*values]) if self.name == "sqlite" else [*values]

    def holds(self, column: str, parameter: str) -> str:
        """Return the condition that a column holds a text to the letter."""
        return self._holds.format(column=column, parameter=parameter)


@lru_cache(maxsize=256)
def _for_psycopg(statement: str) -> str:
    return _PARAMETER.sub(r"%(\1)s", statement.replace("%", "%%"))


SQLITE = Dialect(
    "sqlite",
    has_tables="SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'lango_meta'",
    locked="",  # whoever writes is alone
    _before=(),
    _types={"name": "TEXT", "text": "TEXT", "number": "INTEGER", "serial": "INTEGER PRIMARY KEY"},
    _among="{column} IN (SELECT value FROM json_each(:{parameter}))",
    _holds="instr({column}, :{parameter}) > 0",
)
POSTGRESQL = Dialect(
    "postgresql",
    has_tables="SELECT count(*) FROM pg_class WHERE oid = to_regclass('lango_meta')",
    locked=" FOR UPDATE",
    _before=("SELECT pg_advisory_xact_lock(7814966133)",),  # two who make tables at once trip over each other
    _types={
        "name": 'TEXT COLLATE "C"',  # times sort as Python sorts them, whatever language the server speaks
        "text": "TEXT",
        "number": "BIGINT",
        "serial": "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
    },
    _among="{column} = ANY(:{parameter})",
    _holds="strpos({column}, :{parameter}) > 0",
)


class Connection(Protocol):
    """One transaction, or one look at everything as it was at one moment."""

    def rows(self, statement: str, **values: object) -> Sequence[Any]:
        """Return all rows of a query."""
        ...

    def row(self, statement: str, **values: object) -> Any:
        """Return the first row, or ``None``."""
        ...

    def change(self, statement: str, **values: object) -> int:
        """Carry out a statement and count the rows it changed."""
        ...

    def each(self, statement: str, values: Sequence[dict[str, object]]) -> None:
        """Carry out a statement for each set of values, in that order."""
        ...


class Database(Protocol):
    """What turns and documents need of a database."""

    dialect: Dialect
    durability: Durability

    def rows(self, statement: str, **values: object) -> Sequence[Any]:
        """Return all rows of one query; none when nothing was ever stored."""
        ...

    def exists(self) -> bool:
        """Tell whether anything was ever stored."""
        ...

    def read(self, work: Callable[[Connection], T], default: T) -> T:
        """Look at one moment; the default when nothing was ever stored."""
        ...

    def write(self, work: Callable[[Connection], T], *, is_urgent: bool = True) -> T:
        """Do everything or nothing; what must be tried again is done again from the beginning."""
        ...


def has_tables(dialect: Dialect, where: str, connection: Connection) -> bool:
    """Tell whether there are tables, which this version can read.

    Parameters
    ----------
    dialect : Dialect
    where : str
        The database as errors name it.
    connection : Connection

    Returns
    -------
    bool

    Raises
    ------
    StoreError
        With code ``newer_schema``, or ``damaged`` when nobody knows which version made them.
    """
    if not connection.row(dialect.has_tables)[0]:
        return False
    found = connection.row(_SCHEMA_OF)
    check_header({"schema": found[0], "kind": "database"} if found else {}, "database", where)
    return True


def make_tables(dialect: Dialect, where: str, connection: Connection) -> None:
    """Make the tables that are missing.

    Parameters
    ----------
    dialect : Dialect
    where : str
    connection : Connection

    Raises
    ------
    StoreError
        Somebody with a newer version was faster.
    """
    for statement in dialect.tables():
        connection.change(statement)
    has_tables(dialect, where, connection)
