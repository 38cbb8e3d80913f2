"""Transactions of one database, whichever it is: statements with ``?`` for values, everything or nothing.

    Database ─┬─ SqliteDatabase      a file, or memory              (:mod:`lango_nb.stores.sqlite`)
              └─ PostgresqlDatabase  a server that people share     (:mod:`lango_nb.stores.postgresql`)

The tables are made from :mod:`lango_nb.stores.schema`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from lango_nb.core.errors import StoreError, UsageError
from lango_nb.stores.dialect import Dialect, Transaction
from lango_nb.stores.migrations import FIRST_SCHEMA, MIGRATIONS
from lango_nb.stores.schema import SCHEMA
from lango_nb.stores.store import Durability, Problem

T = TypeVar("T")
Mode = Literal["read", "loose", "forced"]
"""A transaction reads, writes, or writes and waits for the disk."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What a query gave."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    is_cut: bool = False
    """Whether there were more rows than were wanted."""

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


class Database(ABC):
    """Transactions of one database.

    Parameters
    ----------
    where : str
        The database as errors name it, without password.
    durability : {"turn", "event", "none"}
    timeout_s : float
        How long a lock of somebody else is waited for.
    """

    dialect: Dialect

    def __init__(self, where: str, durability: Durability, timeout_s: float) -> None:
        self.where, self.durability, self.timeout_s = where, durability, timeout_s
        self.is_closed = False
        self.problems: list[Problem] = []
        """What was found so far."""
        self._has_tables = False
        self._loose = self._synced = 0
        """How many commits did not wait for the disk, and how many of them are there since."""

    @abstractmethod
    def attempt(self, mode: Mode, work: Callable[[Transaction], T]) -> T:
        """Do everything of a transaction or nothing; what must be tried again is done again from the beginning.

        Raises
        ------
        StoreError
            What the driver's error means.
        """

    @abstractmethod
    def prepare(self) -> None:
        """Make the database itself, where that is a file."""

    @abstractmethod
    def disconnect(self) -> None:
        """Let go of all connections."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Transaction]:
        """Look for longer at one moment, on a connection of its own: what is removed meanwhile is still seen.

        In memory every statement sees what is there when it is carried out.
        """

    @abstractmethod
    def select(self, statement: str, most: int, timeout_s: float) -> Selection:
        """Carry out a query of a user, who can read everything and change nothing.

        Parameters
        ----------
        statement : str
            One ``SELECT``, with the names that tables have in the database.
        most : int
            Rows that are given at most.
        timeout_s : float

        Raises
        ------
        UsageError
            It is something else, or it cannot be carried out.
        """

    @property
    def is_durable(self) -> bool:
        """Whether records outlive the process."""
        return True

    def others(self) -> object:
        """Return what is not equal to what it was before once others have written, or when nobody can tell."""
        return object()

    def exists(self) -> bool:
        """Tell whether anything was ever stored.

        Raises
        ------
        StoreError
            It cannot be read, or was written by another version.
        """
        self.check_open()
        if not self._has_tables:
            version = self.attempt("read", self._look)
            if 0 < version < SCHEMA:
                self._bring_up_to_date(version)
            self._has_tables = version > 0
        return self._has_tables

    def read(self, work: Callable[[Transaction], T], default: T) -> T:
        """Look at one moment; the default when nothing was ever stored."""
        return self.attempt("read", work) if self.exists() else default

    def rows(self, statement: str, *values: object) -> Sequence[tuple[Any, ...]]:
        """Return all rows of one query; none when nothing was ever stored."""
        nothing: Sequence[tuple[Any, ...]] = ()
        return self.read(lambda transaction: transaction.rows(statement, *values), nothing)

    def write(self, work: Callable[[Transaction], T], *, is_urgent: bool = True) -> T:
        """Do everything or nothing.

        Parameters
        ----------
        work : callable
        is_urgent : bool
            Whether it is on the disk when this returns, and all written before with it.
        """
        if not self._has_tables:
            self.check_open()
            self.prepare()
            self.attempt("forced", self._make)
            self._has_tables = True
        is_forced = is_urgent and self.durability != "none"
        loose = self._loose + 1
        result = self.attempt("forced" if is_forced else "loose", work)
        if is_forced:
            self._synced = self._loose
        else:
            self._loose = loose
        return result

    def sync(self) -> None:
        """Force what was written to the disk: with the next commit that waits for it, all earlier ones are."""
        self.check_open()
        if self._loose != self._synced:
            self.attempt(
                "forced", lambda transaction: transaction.change(self.spelled("UPDATE {meta} SET value = value"))
            )
            self._synced = self._loose

    def close(self) -> None:
        """Let go of all connections."""
        self.is_closed = True
        self.disconnect()

    def check_open(self) -> None:
        """Make sure that it was not closed."""
        if self.is_closed:
            raise StoreError(f"{self.where} was closed; open it again", "closed")

    def spelled(self, statement: str) -> str:
        """Return a statement with the names of tables in place of ``{turns}`` and the like."""
        return statement.format_map(_Names(self.dialect))

    def _look(self, transaction: Transaction) -> int:
        """Return the version of the tables, 0 when there are none."""
        found = transaction.row(self.dialect.has_tables)
        if not found or not found[0]:
            return 0
        schema = transaction.row(self.spelled("SELECT value FROM {meta} WHERE name = 'schema'"))
        return check_schema(schema[0] if schema else None, self.where)

    def _make(self, transaction: Transaction) -> None:
        for statement in self.dialect.definitions():
            transaction.change(statement)
        self._look(transaction)  # somebody with a newer version may have been faster

    def _bring_up_to_date(self, version: int) -> None:
        try:
            self.attempt("forced", self._migrate)
        except StoreError as error:
            if error.code != "read_only":
                raise
            raise StoreError(
                f"{self.where} was written by an earlier lango_nb (schema {version}) and may only be read here; "
                "open it once where it may be written, or open a copy",
                "read_only",
            ) from None

    def _migrate(self, transaction: Transaction) -> None:
        """Bring older tables to the present schema, all or nothing."""
        for statement in self.dialect.before:
            transaction.change(statement)
        version = self._look(transaction)  # another process may have been faster
        for number in range(version + 1, SCHEMA + 1):
            MIGRATIONS[number](transaction, self.dialect)
        for statement in self.dialect.definitions():  # tables and indexes that are new
            transaction.change(statement)
        transaction.change(self.spelled("UPDATE {meta} SET value = ? WHERE name = 'schema'"), SCHEMA)


class _Names(dict[str, str]):
    """Names of tables, by noun."""

    def __init__(self, dialect: Dialect) -> None:
        super().__init__()
        self._dialect = dialect

    def __missing__(self, noun: str) -> str:
        return self._dialect.named(noun)


def check_schema(found: object, where: str) -> int:
    """Return the version of a database that can be read.

    Parameters
    ----------
    found : object
        The version that it says.
    where : str

    Raises
    ------
    StoreError
        With code ``newer_schema``, ``older_schema``, or ``damaged`` when nobody knows which version made it.
    """
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise StoreError(f"{where} does not say which version wrote it; restore it from a copy", "damaged")
    if found > SCHEMA:
        raise StoreError(
            f"{where} was written by a newer lango_nb (schema {found}, this one knows {SCHEMA}); upgrade lango_nb",
            "newer_schema",
        )
    if found < FIRST_SCHEMA:
        raise StoreError(
            f"{where} holds records of an earlier lango_nb (schema {found}), which is not read here; keep new ones "
            "in another database, or in another schema of it",
            "older_schema",
        )
    return found


def wrong_query(said: str, timeout_s: float) -> UsageError:
    """Say why a query of a user is not carried out.

    Parameters
    ----------
    said : str
        What the database says, on one line; empty when the time was over.
    timeout_s : float
    """
    if not said:
        return UsageError(f"the query took longer than {timeout_s:g} s; ask for less")
    return UsageError(f"the query is not carried out: {said}; write one SELECT, lab.tables lists tables and columns")
