"""A look at everything that is stored, and a copy of all of it that can still be read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lango_nb.core.errors import StoreError
from lango_nb.stores.database import Database
from lango_nb.stores.failures import one_line
from lango_nb.stores.reading import NEXT_STEP, damaged
from lango_nb.stores.rows import row_format
from lango_nb.stores.schema import DOCUMENTS, TABLES
from lango_nb.stores.sqlite import SqliteDatabase
from lango_nb.stores.store import Problem

if TYPE_CHECKING:
    from lango_nb.stores.turns import Turns


def check(database: Database, log: Turns) -> list[Problem]:
    """Say what is wrong with a database; changes nothing.

    Parameters
    ----------
    database : Database
    log : Turns

    Returns
    -------
    list of Problem
        Of a file that is damaged in its structure, only that.
    """
    try:
        if not database.exists():
            return []
        problems = list(_damaged_pages(database))
        if problems:
            return problems  # nothing else that is read can be relied on
        return [*log.problems(), *_damaged_documents(database), *_unfinished(log)]
    except StoreError as error:
        if error.code != "damaged":
            raise
        return [Problem("damaged", database.where, str(error), NEXT_STEP)]


def _damaged_pages(database: Database) -> Iterator[Problem]:
    if database.dialect.name == "sqlite":
        for (found,) in database.rows("PRAGMA integrity_check(10)"):
            if found != "ok":
                yield Problem("damaged", "the database file", one_line(str(found), ()), NEXT_STEP)


def _damaged_documents(database: Database) -> Iterator[Problem]:
    for table in DOCUMENTS.values():
        form = row_format(table.name)
        columns = ", ".join(f'"{name}"' for name in form.columns)
        for key, *values in database.rows(database.spelled(f"SELECT id, {columns} FROM {{{table.name}}}")):  # noqa: S608
            try:
                form.row(values)
            except ValueError:
                yield damaged(table.name, key)


def _unfinished(log: Turns) -> Iterator[Problem]:
    for row in log.unfinished():
        found = f"turn {row['number']} is open, and the process that began it is gone"
        yield Problem("unfinished", "turns", found, "open the store with lango_nb, which closes it")


def rescue(source: Path, target: Path) -> dict[str, tuple[int, int]]:
    """Copy what can be read of a damaged file of SQLite into a new one.

    Parameters
    ----------
    source : Path
        Left as it is.
    target : Path
        Must not be there yet.

    Returns
    -------
    dict
        By table: how many rows were copied, and how many stretches could not be read.

    Raises
    ------
    StoreError
        The target is there, or nothing at all can be read of the source.
    """
    if target.exists():
        raise StoreError(f"{target} is there already; name a file that is not")
    copy = SqliteDatabase(target)
    copied: dict[str, tuple[int, int]] = {}
    try:
        copy.write(lambda _: None)  # makes the tables
        connection = sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)
        try:
            for table in TABLES:
                rows, holes = _readable(connection, table.name, table.key)
                names, found = rows
                copied[table.name] = (_insert(copy, table.name, names, found), holes)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise StoreError(f"nothing can be read of {source}: {one_line(str(error), ())}", "damaged") from None
    finally:
        copy.close()
    if not any(count for name, (count, _) in copied.items() if name != "meta"):
        raise StoreError(f"nothing can be read of {source}; {target.name} is empty", "damaged")
    return copied


def _readable(
    connection: sqlite3.Connection, table: str, key: Sequence[str]
) -> tuple[tuple[list[str], list[tuple[Any, ...]]], int]:
    """Return the rows of a table that can be read, from both ends towards every hole."""
    found: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    names: list[str] = []
    holes = 0
    for direction in ("ASC", "DESC"):
        order = ", ".join(f'"{name}" {direction}' for name in key)
        for hint in ("", " NOT INDEXED"):
            try:
                cursor = connection.execute(f"SELECT * FROM {table}{hint} ORDER BY {order}")  # noqa: S608
                names = [item[0] for item in cursor.description]
                places = [names.index(name) for name in key]
                for row in cursor:
                    found.setdefault(tuple(row[place] for place in places), row)
            except (sqlite3.Error, UnicodeDecodeError):
                holes += 1
            else:
                break
    return (names, list(found.values())), holes


def _insert(copy: SqliteDatabase, table: str, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> int:
    """Insert rows that fit, and count them."""
    if not names:
        return 0
    columns = ", ".join(f'"{name}"' for name in names)
    marks = ", ".join("?" * len(names))
    statement = f"INSERT OR REPLACE INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608
    count = 0
    for start in range(0, len(rows), 1000):
        batch = rows[start : start + 1000]
        try:
            copy.write(lambda transaction, batch=batch: transaction.each(statement, batch), is_urgent=False)  # type: ignore[misc]
            count += len(batch)
        except StoreError:
            for row in batch:
                with suppress(StoreError):
                    copy.write(lambda transaction, row=row: transaction.change(statement, *row), is_urgent=False)  # type: ignore[misc]
                    count += 1
    return count
