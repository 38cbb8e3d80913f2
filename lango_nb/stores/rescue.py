"""A copy of everything that can still be read of a damaged file of SQLite, in a new one."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from lango_nb.core.errors import StoreError
from lango_nb.stores.ahead import log_of
from lango_nb.stores.database import check_schema
from lango_nb.stores.failures import clean_message, file_failure
from lango_nb.stores.migrations import TABLES_OF
from lango_nb.stores.rows import RowFormat
from lango_nb.stores.schema import META, SCHEMA, TABLES, Table
from lango_nb.stores.sqlite import SqliteDatabase
from lango_nb.stores.turns import mark_of_row

Rows = dict[tuple[Any, ...], tuple[Any, ...]]
"""Rows of a table by their key."""
_BATCH = 1000
_UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite and its driver say of damage; the second of texts that are none any more."""


def rescue(source: Path, target: Path) -> dict[str, int]:
    """Copy what can be read of a damaged file of SQLite, and of its log, into a new one.

    Parameters
    ----------
    source : Path
        Left as it is.
    target : Path
        Must not be there yet.

    Returns
    -------
    dict of str to int
        Rows that were copied, by table.

    Raises
    ------
    StoreError
        The target is there, or nothing at all can be read of the source, or a newer version wrote it.
    """
    if target.exists():
        raise StoreError(f"{target} is there already; name a file that is not")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as place:
            whole = Path(place, "records.db")
            _copy(source, whole)
            if log_of(source).exists():
                _copy(log_of(source), log_of(whole))
            with closing(sqlite3.connect(whole, isolation_level=None)) as connection:
                connection.text_factory = lambda data: data.decode(errors="replace")
                connection.execute("PRAGMA writable_schema = ON")  # also of a file that was cut, or a broken index
                counts = _counts(connection, source)
                version = counts.pop("schema", SCHEMA)
                tables = TABLES_OF.get(version, TABLES)
                rows = _all_rows(connection, [table for table in tables if table is not META])
    except OSError as error:
        raise file_failure(error, str(target)) from error
    except _UNREADABLE as error:
        raise StoreError(f"nothing can be read of {source}: {clean_message(str(error), ())}", "damaged") from None
    if not any(found for _, found in rows.values()):
        raise StoreError(f"nothing can be read of {source}; restore it from a copy", "damaged")
    copy = SqliteDatabase(target)
    with closing(copy):
        copy.prepare()
        for statement in copy.dialect.definitions(tables, version):
            copy.attempt("loose", lambda transaction, statement=statement: transaction.change(statement))  # type: ignore[misc]
        copied = {name: _insert(copy, name, columns, list(found.values())) for name, (columns, found) in rows.items()}
        statement = "UPDATE meta SET value = max(value, ?) WHERE name = ?"
        values = [(value, name) for name, value in counts.items()]
        copy.attempt("forced", lambda transaction: transaction.each(statement, values))
        copy.exists()  # brings it to the present version
    return copied


def _copy(source: Path, target: Path) -> None:
    """Copy a file in a process of its own: closing it here would give back all locks this process has on it."""
    code = "import shutil, sys; shutil.copyfile(*sys.argv[1:])"
    command = [sys.executable, "-c", code, str(source), str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own interpreter
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:] or [f"it ended with {done.returncode}"]
        why = clean_message(said[0], ())
        raise StoreError(f"{source} cannot be copied: {why}; see that it is there and may be read")


def _counts(connection: sqlite3.Connection, source: Path) -> dict[str, int]:
    """Return what the store knew of itself; when that cannot be read, the rows tell the same."""
    try:
        found = dict(connection.execute(f"SELECT name, value FROM {META.name}"))  # noqa: S608
    except _UNREADABLE:
        return {}
    counts = {name: value for name, value in found.items() if isinstance(value, int) and 0 <= value < 2**53}
    if "schema" in counts:
        check_schema(counts["schema"], str(source))
    return {name: counts[name] for name in ("schema", "turns", "writers") if name in counts}


def _all_rows(connection: sqlite3.Connection, tables: Sequence[Table]) -> dict[str, tuple[list[str], Rows]]:
    """Return the rows of tables that are what was written."""
    found: dict[str, tuple[list[str], Rows]] = {}
    largest = 0
    for table in tables:
        names, rows = _ends(connection, table)
        found[table.name] = names, rows
        if table.key != ("id",):
            largest = max(largest, *(key[0] for key in rows if isinstance(key[0], int)), 0)
        else:
            place = names.index("position") if rows else 0
            largest = max(largest, *(row[place] for row in rows.values() if isinstance(row[place], int)), 0)
    for table in tables:
        form = RowFormat(table)
        names, rows = found[table.name]
        rows.update(_middle(connection, table, names, rows, largest))
        found[table.name] = names, {key: row for key, row in rows.items() if _is_whole(table, form, names, row)}
    return found


def _ends(connection: sqlite3.Connection, table: Table) -> tuple[list[str], Rows]:
    """Return the rows of a table from both its ends towards what cannot be read."""
    rows: Rows = {}
    names: list[str] = []
    for direction in ("ASC", "DESC"):
        order = ", ".join(f'"{name}" {direction}' for name in _order(table))
        with suppress(*_UNREADABLE):
            cursor = connection.execute(f"SELECT * FROM {table.name} ORDER BY {order}")  # noqa: S608
            names = [item[0] for item in cursor.description]
            places = [names.index(name) for name in table.key]
            for row in cursor:
                rows.setdefault(tuple(row[place] for place in places), row)
            break
    return names, rows


def _middle(
    connection: sqlite3.Connection, table: Table, names: Sequence[str], rows: Rows, largest: int
) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    """Yield the rows that are reached one number at a time, where a table cannot be read from end to end."""
    if not names:
        return
    number = _order(table)[0]
    place, places = names.index(number), [names.index(name) for name in table.key]
    known = {row[place] for row in rows.values()}
    with suppress(*_UNREADABLE):
        connection.execute(f"SELECT count(checksum) FROM {table.name} NOT INDEXED").fetchall()  # noqa: S608
        return  # nothing is missing
    for wanted in range(1, largest + 1):
        if len(table.key) == 1 and wanted in known:
            continue
        with suppress(*_UNREADABLE):
            for row in connection.execute(f"SELECT * FROM {table.name} WHERE {number} = ?", (wanted,)):  # noqa: S608
                yield tuple(row[place] for place in places), row


def _order(table: Table) -> tuple[str, ...]:
    return ("position",) if table.key == ("id",) else table.key


def _is_whole(table: Table, form: RowFormat, names: Sequence[str], row: tuple[Any, ...]) -> bool:
    values = dict(zip(names, row, strict=True))
    try:
        form.row([values.get(name) for name in form.columns], mark_of_row(table, values))
    except (ValueError, TypeError, AttributeError):
        return False
    return True


def _insert(copy: SqliteDatabase, table: str, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> int:
    """Insert rows that fit, and count them."""
    columns = ", ".join(f'"{name}"' for name in names)
    statement = f"INSERT INTO {table} ({columns}) VALUES ({', '.join('?' * len(names))}) ON CONFLICT DO NOTHING"  # noqa: S608
    count = 0
    for start in range(0, len(rows), _BATCH):
        batch = rows[start : start + _BATCH]
        count += copy.attempt(
            "loose",
            lambda transaction, batch=batch: sum(transaction.change(statement, *row) for row in batch),  # type: ignore[misc]
        )
    return count
