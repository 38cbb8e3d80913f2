"""A database in a file of SQLite with a write-ahead log, or in memory.

One connection writes and another reads, so that looking at much does not keep turns waiting. Both belong to this
process; several processes may have the file open at once.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from lango_nb.core.errors import StoreError
from lango_nb.core.locks import PathLock, tell_after_fork
from lango_nb.core.paths import sync_folder
from lango_nb.stores.ahead import has_frames, has_lost_transactions, log_of
from lango_nb.stores.database import Database, Mode, Selection, wrong_query
from lango_nb.stores.dialect import BLOCK, Dialect, Transaction
from lango_nb.stores.failures import clean_message, failure, file_failure
from lango_nb.stores.store import Durability, Problem

T = TypeVar("T")
SQLITE = Dialect(
    "sqlite",
    types={
        "name": "TEXT",
        "text": "TEXT",
        "time": "TEXT",
        "json": "TEXT",
        "integer": "INTEGER",
        "boolean": "INTEGER",
        "real": "REAL",
    },
    serial="INTEGER PRIMARY KEY",
    has_tables="SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'meta'",
    ending=" WITHOUT ROWID",
)
_OLDEST = (3, 35)
"""The first SQLite that knows ``RETURNING``."""
_POLL_S = 0.01
_MADE = "made"
"""An empty file beside a database file that is there once that was made."""
_PAUSE_S = 0.05
"""Between two looks at a file that is gone: somebody may be putting another one in its place."""
_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
"""What a user's query may do."""
_STEPS = 10_000
"""Steps of SQLite between two looks at the clock."""
_of_parents: list[sqlite3.Connection] = []
"""Connections that a child process must neither use nor end."""


class _Transaction:
    """Statements on a connection of SQLite."""

    __slots__ = ("_connection",)

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, statement: str, *values: object) -> Sequence[tuple[Any, ...]]:
        return self._connection.execute(statement, values).fetchall()

    def blocks(self, statement: str, *values: object) -> Iterator[Sequence[tuple[Any, ...]]]:
        cursor = self._connection.execute(statement, values)
        while rows := cursor.fetchmany(BLOCK):
            yield rows

    def row(self, statement: str, *values: object) -> tuple[Any, ...] | None:
        found: tuple[Any, ...] | None = self._connection.execute(statement, values).fetchone()
        return found

    def change(self, statement: str, *values: object) -> int:
        return self._connection.execute(statement, values).rowcount

    def each(self, statement: str, values: Iterable[Sequence[object]]) -> None:
        self._connection.executemany(statement, values)


class _Snapshot(_Transaction):
    """Queries on a connection that others may end."""

    __slots__ = ("_database",)

    def __init__(self, connection: sqlite3.Connection, database: SqliteDatabase) -> None:
        super().__init__(connection)
        self._database = database

    def rows(self, statement: str, *values: object) -> Sequence[tuple[Any, ...]]:
        self._database.check_snapshot(self._connection)
        try:
            return super().rows(statement, *values)
        except sqlite3.Error as error:
            raise self._database.failed(error) from None


class _InMemory(_Transaction):
    """Queries in memory, each for itself."""

    __slots__ = ("_database",)

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def rows(self, statement: str, *values: object) -> Sequence[tuple[Any, ...]]:
        return self._database.rows(statement, *values)


class SqliteDatabase(Database):
    """A file, or memory.

    Parameters
    ----------
    path : Path, optional
        In memory when absent.
    durability : {"turn", "event", "none"}
    timeout_s : float
    """

    dialect = SQLITE

    def __init__(self, path: Path | None, durability: Durability = "turn", timeout_s: float = 10.0) -> None:
        if sqlite3.sqlite_version_info < _OLDEST:
            raise StoreError(
                f"SQLite {sqlite3.sqlite_version} is too old; records need 3.35, so install a newer Python"
            )
        super().__init__("in memory" if path is None else shown_path(path), durability, timeout_s)
        self.path = path
        self.is_fixed = False
        """Whether it was opened where nothing can be written: what others write is not seen by that connection."""
        self._identity: tuple[int, int] | None = None
        self._is_looked_at = False
        self._forget_connections()
        tell_after_fork(self)

    def _forget_connections(self) -> None:
        self._reading: sqlite3.Connection | None = None
        self._writing: sqlite3.Connection | None = None
        self._snapshots: set[sqlite3.Connection] = set()
        self._synchronous = ""
        self._read_lock = threading.RLock()
        self._write_lock = threading.RLock() if self.path is not None else self._read_lock

    @property
    def is_durable(self) -> bool:
        """Whether it is a file."""
        return self.path is not None

    def others(self) -> object:
        """Return what SQLite counts up when another connection has written."""
        connection = self._writing
        if connection is None or self.is_fixed or self.is_closed:
            return object()
        lock = self._taken("loose")
        try:
            return connection, connection.execute("PRAGMA data_version").fetchone()  # each counts for itself
        except sqlite3.Error:  # whoever reads says why
            return object()
        finally:
            lock.release()

    def exists(self) -> bool:
        """Tell whether anything was ever stored."""
        self.check_open()
        if self.path is None:
            return self._has_tables
        is_first, self._is_looked_at = not self._is_looked_at, True
        if self._identity is None and not self.path.exists():
            if has_frames(self.path):
                self._note(f"{self.path.name} is gone, and its log is there", "put the file back beside its log")
            elif is_first and self._was_there(self.path):
                told = f"{self.path.name} is gone, and there were records in it"
                self._note(told, "restore it from a copy, unless you have removed it", self.path.name)
            return False
        has_tables = super().exists()
        if not has_tables and not self.path.stat().st_size:
            self._note(
                f"{self.path.name} is there and empty",
                "if there were records in it, restore it from a copy",
                self.path.name,
            )
        elif is_first and not self.is_fixed and has_lost_transactions(self.path, self._frames_read):
            self._keep_log(self.path)
        return has_tables

    def _was_there(self, path: Path) -> bool:
        """Tell whether a file that is not there was made once, and is not being put back just now."""
        if not (_beside(path) / _MADE).exists():
            return False
        time.sleep(_PAUSE_S)
        return not path.exists()

    def _frames_read(self) -> int:
        """Return how many frames of the log SQLite reads; it says so when it moves them into the file."""
        try:
            with closing(self._open()) as connection:
                found = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        except sqlite3.Error as error:
            raise ValueError(str(error)) from error  # it may not be written: then nobody writes over the log either
        return max(int(found[1]), 0)

    def _keep_log(self, path: Path) -> None:
        """Copy a log that SQLite does not read to its end, before anybody writes over the rest."""
        log = log_of(path)
        copy = log.with_name(f"{log.name}.damaged")
        found = f"{log.name} is damaged, and turns that were written behind the damage are not read"
        with suppress(OSError):
            if not copy.exists():
                shutil.copyfile(log, copy)
                copy.chmod(0o600)
        self._note(found, f"restore {path.name} and its log from a copy; the log as it was is {copy.name}")

    def _note(self, detail: str, next_step: str, where: str = "") -> None:
        problem = Problem("missing", where or f"{self.path.name if self.path else ''}-wal", detail, next_step)
        if problem not in self.problems:
            self.problems.append(problem)

    def attempt(self, mode: Mode, work: Callable[[Transaction], T]) -> T:
        """Do everything of a transaction or nothing."""
        self.check_open()
        self._check_place()
        lock = self._taken(mode)
        try:
            result = self._read_anyhow(self._connection(mode), mode, work)
        except (sqlite3.Error, OverflowError, UnicodeDecodeError) as error:
            raise self.failed(error) from None
        finally:
            lock.release()
        if mode != "read":
            self._check_place()
        return result

    @contextmanager
    def snapshot(self) -> Iterator[Transaction]:
        """Look for longer at one moment."""
        if self.path is None:
            yield _InMemory(self)
            return
        self.check_open()
        self._check_place()
        process = os.getpid()
        try:
            connection = self._open()
            connection.execute("BEGIN")
        except sqlite3.Error as error:
            raise self.failed(error) from None
        self._snapshots.add(connection)
        try:
            yield _Snapshot(connection, self)
        finally:
            self._snapshots.discard(connection)
            if os.getpid() == process:
                connection.close()
            else:
                _of_parents.append(connection)

    def select(self, statement: str, most: int, timeout_s: float) -> Selection:
        """Carry out a query of a user."""
        if not self.exists():
            return _empty().select(statement, most, timeout_s)
        if self.path is not None:
            with closing(self._open()) as connection:
                return _select(connection, statement, most, timeout_s)
        lock = self._taken("read")
        try:
            return _select(self._connection("read"), statement, most, timeout_s)
        finally:
            lock.release()

    def check_snapshot(self, connection: sqlite3.Connection) -> None:
        """Make sure that a snapshot was not ended with the store, and is not a parent process's."""
        if connection not in self._snapshots:
            raise StoreError(f"{self.where} was closed while it was read; open it again", "closed")

    def failed(self, error: BaseException) -> StoreError:
        """Say what went wrong."""
        return failure(error, self.where, self.timeout_s)

    def _read_anyhow(self, connection: sqlite3.Connection, mode: Mode, work: Callable[[Transaction], T]) -> T:
        """Do a transaction; when a text is none any more, the others are read, and its row fits no checksum."""
        try:
            return self._run(connection, mode, work)
        except sqlite3.OperationalError as error:
            if "decode to UTF-8" not in str(error):
                raise
        connection.text_factory = _as_text
        try:
            return self._run(connection, mode, work)
        finally:
            connection.text_factory = str

    def _run(self, connection: sqlite3.Connection, mode: Mode, work: Callable[[Transaction], T]) -> T:
        if mode != "read" and self.path is not None:
            synchronous = "FULL" if mode == "forced" else "NORMAL"
            if self._synchronous != synchronous:
                connection.execute(f"PRAGMA synchronous = {synchronous}")
                self._synchronous = synchronous
        connection.execute("BEGIN" if mode == "read" else "BEGIN IMMEDIATE")
        try:
            result = work(_Transaction(connection))
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        return result

    def _taken(self, mode: Mode) -> threading.RLock:
        """Take the lock of the connection for a mode and return it; whoever calls this releases it."""
        lock = self._read_lock if mode == "read" else self._write_lock
        if not lock.acquire(timeout=self.timeout_s):
            raise StoreError(f"{self.where} has been locked by a thread for {self.timeout_s:g} s; try again", "locked")
        return lock

    def _connection(self, mode: Mode) -> sqlite3.Connection:
        if mode == "read" and self.path is not None:
            if self.is_fixed and self._reading is not None:  # the next look sees what others have written since
                self._reading.close()
                self._reading = None
            self._reading = self._reading or self._open()
            return self._reading
        self._writing = self._writing or self._open()
        return self._writing

    def _open(self) -> sqlite3.Connection:
        """Make a connection that begins no transactions by itself."""
        if self.path is None:
            return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        found, mode = self._found(), "mode=rw"
        if not self.path.stat().st_size and has_frames(self.path):  # SQLite would remove the log
            raise StoreError(f"{self.where} is empty, and its log is there; restore it from a copy", "damaged")
        if not _is_writable(self.path) or not _is_writable(self.path.parent):
            # without the right to write SQLite cannot make its log; when there is none, nobody is writing either
            self.is_fixed = not self.path.with_name(self.path.name + "-wal").exists()
            mode = "mode=ro&immutable=1" if self.is_fixed else "mode=ro"
        connection = sqlite3.connect(
            f"{self.path.as_uri()}?{mode}",
            uri=True,
            timeout=self.timeout_s,
            isolation_level=None,
            check_same_thread=False,
        )
        self._identity = self._identity or found
        return connection

    def prepare(self) -> None:
        """Make the file with its folder, unless it is there."""
        if self.path is None:
            return
        self._check_place()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with PathLock(lock_of(self.path, "making"), self.timeout_s, self.where):
                self._make_file(self.path)
        except OSError as error:
            raise file_failure(error, self.where) from error
        except sqlite3.Error as error:
            raise failure(error, self.where, self.timeout_s) from None
        until = time.monotonic() + self.timeout_s
        while True:
            try:
                self._write_ahead()
            except sqlite3.Error as error:  # two who make it at once do not wait for each other here
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise failure(error, self.where, self.timeout_s) from None
                time.sleep(_POLL_S)
            else:
                return

    def _make_file(self, path: Path) -> None:
        """Make the file under another name first: whoever is killed here leaves none that is empty."""
        if path.exists():
            return
        if path.is_symlink():  # what it leads to may come back, with a disk for instance
            raise StoreError(
                f"{self.where} is a link to {shown_path(path.readlink())}, which is not there; put that back, or "
                "remove the link",
                "missing",
            )
        if has_frames(path):  # of a database that was removed without it; what is in it may be all there is
            log = log_of(path)
            log.rename(next(one for n in count(1) if not (one := log.with_name(f"{log.name}.left-{n}")).exists()))
        for end in ("-wal", "-shm"):
            path.with_name(path.name + end).unlink(missing_ok=True)
        new = _beside(path) / "new.db"
        for end in ("", "-wal", "-shm", "-journal"):
            new.with_name(new.name + end).unlink(missing_ok=True)
        os.close(os.open(new, os.O_RDWR | os.O_CREAT, 0o600))
        with closing(sqlite3.connect(new)) as connection:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
        new.rename(path)
        sync_folder(path.parent)
        (_beside(path) / _MADE).touch()

    def _write_ahead(self) -> None:
        connection = self._open()
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
        finally:
            connection.close()

    def _check_place(self) -> None:
        """Make sure that what was written can be found by others."""
        if self._identity is not None and self._found() != self._identity:
            raise StoreError(
                f"{self.where} was removed or replaced while it was open; put it back, or open it anew", "missing"
            )

    def _found(self) -> tuple[int, int] | None:
        assert self.path is not None  # noqa: S101 - only files have an identity
        try:
            found = os.stat(self.path)  # noqa: PTH116 - with every transaction
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def disconnect(self) -> None:
        """Let go of the connections; the last one to go moves the write-ahead log into the file."""
        with self._write_lock, self._read_lock:
            for connection in (self._reading, self._writing):
                if connection is not None:
                    with suppress(sqlite3.Error):
                        connection.close()
            self._snapshots.clear()  # whoever looks through one closes it
            self._reading = self._writing = None

    def after_fork(self) -> None:
        """Begin with connections of this process's own; those of the parent must not be ended here."""
        every = (*self._snapshots, self._reading, self._writing)
        _of_parents.extend(connection for connection in every if connection is not None)
        self._forget_connections()


def _as_text(data: bytes) -> str:
    return data.decode(errors="replace")


def _select(connection: sqlite3.Connection, statement: str, most: int, timeout_s: float) -> Selection:
    until = time.monotonic() + timeout_s
    connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY)
    connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
    try:
        cursor = connection.execute(statement)
        if cursor.description is None:
            raise wrong_query("it gives no rows", timeout_s)
        rows = cursor.fetchmany(most + 1)
    except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
        is_late = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT
        raise wrong_query("" if is_late else clean_message(str(error), ()), timeout_s) from None
    finally:
        connection.set_authorizer(None)
        connection.set_progress_handler(None, 0)
    return Selection(tuple(name for name, *_ in cursor.description), tuple(rows[:most]), len(rows) > most)


def _empty() -> SqliteDatabase:
    """Return a database with tables and nothing in them."""
    database = SqliteDatabase(None)
    database.write(lambda _transaction: None)
    return database


def shown_path(path: Path) -> str:
    """Return a path as it may be shown, with the home folder as ``~``.

    Examples
    --------
    >>> shown_path(Path.home() / "records.db")
    '~/records.db'
    """
    try:
        return f"~/{path.relative_to(Path.home()).as_posix()}"
    except (ValueError, RuntimeError):
        return path.as_posix()


def lock_of(path: Path, name: str) -> Path:
    """Return the path of a lock that belongs to a database file."""
    return _beside(path) / f"{name}.lock"


def _beside(path: Path) -> Path:
    """Return the folder of what belongs to a database file."""
    return path.with_name(path.name + ".writers")


def _is_writable(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
