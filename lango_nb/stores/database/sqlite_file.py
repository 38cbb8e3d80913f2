"""The file of an SQLite database: how it is made, opened, and noticed to be gone."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from lango_nb.core.errors import StoreError
from lango_nb.stores.database.address import shown_file
from lango_nb.stores.database.failures import file_failure
from lango_nb.stores.locks import PathLock

_POLL_S = 0.01
_OLDEST = (3, 35)
"""The first SQLite that knows ``RETURNING``."""


def lock_of(path: Path, name: str) -> Path:
    """Return the path of a lock that belongs to a database file.

    Parameters
    ----------
    path : Path
        The database file.
    name : str

    Returns
    -------
    Path
    """
    return path.with_name(path.name + ".writers") / f"{name}.lock"


class SqliteFile:
    """One database file.

    Parameters
    ----------
    path : Path
    timeout_s : float
        How long a lock of another process is waited for.
    """

    def __init__(self, path: Path, timeout_s: float) -> None:
        if sqlite3.sqlite_version_info < _OLDEST:
            raise StoreError(
                f"SQLite {sqlite3.sqlite_version} is too old; records need 3.35, so install a newer Python"
            )
        self.path, self.where = path, shown_file(path)
        self._timeout_s = timeout_s
        self._identity: tuple[int, int] | None = None
        self.is_fixed = False
        """Whether it was opened where nothing can be written: what others write is not seen by that connection."""

    def is_there(self) -> bool:
        """Tell whether there is a file, or was one that is open."""
        return self._identity is not None or self.path.exists()

    def open(self) -> sqlite3.Connection:
        """Open the file that is there.

        Returns
        -------
        sqlite3.Connection
            It begins no transactions by itself.
        """
        found = self._found()
        mode = "mode=rw"
        if not _is_writable(self.path) or not _is_writable(self.path.parent):
            # without the right to write SQLite cannot make its log; when there is none, nobody is writing either
            self.is_fixed = not self.path.with_name(self.path.name + "-wal").exists()
            mode = "mode=ro&immutable=1" if self.is_fixed else "mode=ro"
        connection = sqlite3.connect(
            f"{self.path.as_uri()}?{mode}",
            uri=True,
            timeout=self._timeout_s,
            isolation_level=None,
            check_same_thread=False,
        )
        self._identity = self._identity or found
        return connection

    def make(self, failed: Callable[[BaseException], StoreError]) -> None:
        """Make the file with its folder, unless it is there.

        Parameters
        ----------
        failed : callable
            Says what an error of SQLite means.

        Raises
        ------
        StoreError
            It cannot be made.
        """
        self.check_place()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with PathLock(lock_of(self.path, "making"), self._timeout_s, self.where):
                self._make_file()
        except OSError as error:
            raise file_failure(error, self.where) from error
        until = time.monotonic() + self._timeout_s
        while True:
            try:
                self._write_ahead()
            except sqlite3.Error as error:  # two who make it at once do not wait for each other here
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise failed(error) from None
                time.sleep(_POLL_S)
            else:
                return

    def check_place(self) -> None:
        """Make sure that what is written can be found by others.

        Raises
        ------
        StoreError
            With code ``missing``: the file has been removed, or another one stands in its place.
        """
        if self._identity is not None and self._found() != self._identity:
            raise StoreError(
                f"{self.where} was removed or replaced while it was open; put it back, or open it anew", "missing"
            )

    def _found(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self.path)  # noqa: PTH116 - with every transaction
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _make_file(self) -> None:
        if self.path.exists():
            return
        for end in ("-wal", "-shm"):  # of a database that was removed without them, and may still be open somewhere
            self.path.with_name(self.path.name + end).unlink(missing_ok=True)
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        _sync_folder(self.path.parent)

    def _write_ahead(self) -> None:
        connection = self.open()
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
        finally:
            connection.close()


def _is_writable(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _sync_folder(folder: Path) -> None:
    """Force the name of a new file to the disk; SQLite does so with what is in it."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
