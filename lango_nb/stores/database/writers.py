"""Who has the database open: every opening that writes has a number, and a lock that ends with its process.

For SQLite the locks are files beside the database, as a folder store has them: ``records.db.writers/7.lock``. On
PostgreSQL they are advisory locks, each held by a connection of its own, which the server ends with the process.
"""

from __future__ import annotations

import select
import threading
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from lango_nb.core.errors import StoreError
from lango_nb.stores.database.sqlite_file import lock_of
from lango_nb.stores.database.tables import COUNT, Database
from lango_nb.stores.locks import PathLock, tell_after_fork

if TYPE_CHECKING:
    from collections.abc import Callable


_ATTEMPTS = 3
"""Somebody who sweeps up may take a lock in the moment in which it is made."""
_PATIENCE_S, _POLL_S = 0.1, 0.005
_SETTINGS = """
SELECT set_config(name, CASE name WHEN 'tcp_keepalives_idle' THEN '30' WHEN 'tcp_keepalives_interval' THEN '10'
                                  WHEN 'tcp_keepalives_count' THEN '3' ELSE '0' END, false)
FROM pg_settings
WHERE name IN ('tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count', 'idle_session_timeout')
"""
"""The server ends no connection because it is idle, and learns within a minute that a machine is gone."""
_TABLE = "CAST(CAST('lango_meta' AS regclass) AS oid)"
_KEY = f"(CAST({_TABLE} AS bigint) << 32) | {{number}}"
"""A server has one set of locks per database; the table tells apart those who use different schemas."""
_HELD = f"""
SELECT CAST(objid AS bigint) FROM pg_locks
WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND classid = {_TABLE}
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""  # noqa: S608 - a constant


class Locks(Protocol):
    """Locks of writers, by their numbers."""

    def take(self, number: int) -> bool:
        """Take the lock of this opening, if nobody has it."""
        ...

    def hold(self, number: int) -> None:
        """Make sure that it is still held."""
        ...

    def gone(self, numbers: Collection[int]) -> set[int]:
        """Return those that nobody holds."""
        ...

    def let_go(self, number: int) -> None:
        """Give it back."""
        ...

    def after_fork(self) -> None:
        """Forget it: the parent has it."""
        ...


class Writers:
    """Openings of one database.

    Parameters
    ----------
    database : Database
    locks : Locks
    """

    def __init__(self, database: Database, locks: Locks) -> None:
        self._database, self._locks = database, locks
        self._number = 0
        self._taking = threading.Lock()
        tell_after_fork(self)

    def number(self) -> int:
        """Return this opening's number; the first call takes one.

        Returns
        -------
        int

        Raises
        ------
        StoreError
            The database may only be read, or cannot be reached.
        """
        with self._taking:
            if self._number:
                self._locks.hold(self._number)
                return self._number
            for _ in range(_ATTEMPTS):
                number = self._database.write(lambda connection: int(connection.row(COUNT, name="writers")[0]))
                if self._locks.take(number):
                    self._number = number
                    return number
        raise StoreError(f"writer {number} of the store is locked already; try again", "locked")

    def gone(self, numbers: Collection[int]) -> set[int]:
        """Return the numbers of those whose process is gone, or who closed the store.

        Parameters
        ----------
        numbers : collection of int

        Returns
        -------
        set of int
        """
        others = {number for number in numbers if number != self._number or not number}
        return self._locks.gone(others) if others else set()

    def close(self) -> None:
        """Be a writer no longer."""
        number, self._number = self._number, 0
        if number:
            self._locks.let_go(number)

    def after_fork(self) -> None:
        """Be nobody yet: the parent is the writer it was."""
        self._number, self._taking = 0, threading.Lock()
        self._locks.after_fork()


class FileLocks:
    """Locks in a folder beside a database file.

    Parameters
    ----------
    path : Path
        The database file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock: PathLock | None = None

    def take(self, number: int) -> bool:
        """Take the lock of this opening, if nobody has it."""
        self._sweep(number)
        lock = self._lock_of(number)
        if not lock.take():
            return False
        self._lock = lock
        return True

    def hold(self, number: int) -> None:
        """Do nothing: a lock on a file stays."""

    def gone(self, numbers: Collection[int]) -> set[int]:
        """Return those that nobody holds."""
        return {number for number in numbers if self._is_free(number)}

    def let_go(self, number: int) -> None:
        """Give it back, and take the file away."""
        lock, self._lock = self._lock, None
        if lock is not None:
            with suppress(OSError):
                self._path_of(number).unlink()
            lock.let_go()

    def after_fork(self) -> None:
        """Forget it: the parent has it."""
        self._lock = None

    def _sweep(self, number: int) -> None:
        """Take away the files of older writers that are gone: without its file a writer is gone as well."""
        for path in self._path_of(number).parent.glob("*.lock"):
            if (
                path.stem.isascii()
                and path.stem.isdigit()
                and int(path.stem) < number
                and self._is_free(int(path.stem))
            ):
                with suppress(OSError):
                    path.unlink()

    def _is_free(self, number: int) -> bool:
        if not self._path_of(number).exists():
            return True
        lock = self._lock_of(number)
        try:
            is_free = lock.take()
        except StoreError:  # the files of somebody else, which may only be read: who cannot know leaves turns alone
            return False
        lock.let_go()
        return is_free

    def _path_of(self, number: int) -> Path:
        return lock_of(self._path, str(number))

    def _lock_of(self, number: int) -> PathLock:
        return PathLock(self._path_of(number), 0, f"writer {number} of the store")


class DriverConnection:
    """A connection of psycopg that is kept, outside of transactions.

    Parameters
    ----------
    connection : psycopg.Connection
    failed : callable
        Says what an error of the driver means.
    """

    def __init__(self, connection: Any, failed: Callable[[BaseException], StoreError]) -> None:
        self._connection, self._failed = connection, failed

    def row(self, statement: str) -> Any:
        """Return the first row of a query.

        Parameters
        ----------
        statement : str

        Returns
        -------
        tuple

        Raises
        ------
        StoreError
            The connection has ended.
        """
        try:
            return self._connection.execute(statement).fetchone()
        except Exception as error:  # noqa: BLE001 - whatever a driver raises; only sql.py imports drivers
            raise self._failed(error) from None

    def is_ended(self) -> bool:
        """Tell whether the server has ended it; asks the server only when there is something to hear from it."""
        if self._connection.closed:
            return True
        if not _has_something(self._connection.fileno()):
            return False
        try:
            self.row("SELECT 1")
        except StoreError:
            return True
        return False

    def close(self) -> None:
        """End it."""
        self._connection.close()


def _has_something(descriptor: int) -> bool:
    if not hasattr(select, "poll"):
        return bool(select.select([descriptor], [], [], 0)[0])
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))


class AdvisoryLocks:
    """Locks that a PostgreSQL server holds for a connection.

    Parameters
    ----------
    database : Database
    connect : callable
        Makes a connection that is nobody else's.
    """

    def __init__(self, database: Database, connect: Callable[[], DriverConnection]) -> None:
        self._database, self._connect = database, connect
        self._connection: DriverConnection | None = None
        self._is_held = False

    def take(self, number: int) -> bool:
        """Take the lock of this opening, if nobody has it."""
        if self._connection is None:
            self._connection = self._connect()
            self._connection.row(_SETTINGS)
        self._is_held = bool(self._connection.row(f"SELECT pg_try_advisory_lock({_KEY.format(number=number)})")[0])
        return self._is_held

    def hold(self, number: int) -> None:
        """Take it again on a new connection when the server has ended the old one."""
        if self._connection is not None and self._connection.is_ended():
            self._connection.close()
            self._connection, self._is_held = None, False
        if not self._is_held:
            self.take(number)  # in vain while the server does not know that the old one has ended: it is held by that

    def gone(self, numbers: Collection[int]) -> set[int]:
        """Return those that nobody holds.

        A server learns of the end of a process a moment later, so whoever seems to be there is looked at for a while.
        """
        until = time.monotonic() + _PATIENCE_S
        while True:
            held = {number for (number,) in self._database.rows(_HELD)}
            if held.isdisjoint(numbers) or time.monotonic() > until:
                return set(numbers) - held
            time.sleep(_POLL_S)

    def let_go(self, number: int) -> None:
        """Give it back."""
        connection, self._connection, self._is_held = self._connection, None, False
        if connection is not None:
            with suppress(StoreError):  # the server gives it back itself when the connection ends, a moment later
                connection.row(f"SELECT pg_advisory_unlock({_KEY.format(number=number)})")
            connection.close()

    def after_fork(self) -> None:
        """Forget it: the parent has it."""
        if self._connection is not None:
            _of_parents.append(self._connection)
            self._connection, self._is_held = None, False


_of_parents: list[DriverConnection] = []
"""Connections that a child process must not end, nor drop."""
