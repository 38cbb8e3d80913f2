"""Who has a store open: every opening that writes has a number, and a lock that ends with its process.

For SQLite the locks are files beside the database, ``records.db.writers/7.lock``; PostgreSQL holds them itself.
"""

from __future__ import annotations

import threading
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from lango_nb.core.errors import StoreError
from lango_nb.core.locks import PathLock, tell_after_fork
from lango_nb.stores.database import Database
from lango_nb.stores.sqlite import lock_of

_ATTEMPTS = 3
"""Somebody who sweeps up may take a lock in the moment in which it is made."""


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
    locks : Locks, optional
        None for a database in memory: whoever has it open is this process.
    """

    def __init__(self, database: Database, locks: Locks | None) -> None:
        self._database, self._locks = database, locks
        self._number = 0 if locks is not None else 1
        self._taking = threading.Lock()
        tell_after_fork(self)

    def number(self) -> int:
        """Return this opening's number; the first call takes one.

        Raises
        ------
        StoreError
            The database may only be read, or cannot be reached.
        """
        if self._locks is None:
            return self._number
        with self._taking:
            if self._number:
                self._locks.hold(self._number)
                return self._number
            statement = self._database.spelled(
                "UPDATE {meta} SET value = value + 1 WHERE name = 'writers' RETURNING value"
            )
            for _ in range(_ATTEMPTS):
                found = self._database.write(lambda transaction: transaction.row(statement))
                number = int(found[0]) if found else 0
                if number and self._locks.take(number):
                    self._number = number
                    return number
        raise StoreError(f"writer {number} of the store is locked already; try again", "locked")

    def gone(self, numbers: Collection[int]) -> set[int]:
        """Return the numbers of those whose process is gone, or who closed the store."""
        others = {number for number in numbers if number != self._number or not number}  # 0 is nobody's, and never here
        return self._locks.gone(others) if others and self._locks is not None else set()

    def close(self) -> None:
        """Be a writer no longer."""
        if self._locks is None:
            return
        is_quiet = self._taking.acquire(timeout=self._database.timeout_s)
        try:
            number, self._number = self._number, 0
            if number and is_quiet:  # what another thread waits for must not be closed under it
                self._locks.let_go(number)
        finally:
            if is_quiet:
                self._taking.release()

    def after_fork(self) -> None:
        """Be nobody yet: the parent is the writer it was."""
        self._taking = threading.Lock()
        if self._locks is not None:
            self._number = 0
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
        lock = self._lock_of(number)
        try:
            is_free = not self._path_of(number).exists() or lock.take()
        except (OSError, StoreError):  # the files of somebody else: who cannot know leaves turns alone
            return False
        lock.let_go()
        return is_free

    def _path_of(self, number: int) -> Path:
        return lock_of(self._path, str(number))

    def _lock_of(self, number: int) -> PathLock:
        return PathLock(self._path_of(number), 0, f"writer {number} of the store")
