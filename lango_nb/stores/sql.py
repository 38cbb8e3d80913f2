"""A store over one database: records in a file of SQLite, on a PostgreSQL server, or in memory."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from lango_nb.core.errors import StoreError
from lango_nb.stores.checking import check
from lango_nb.stores.database import Database, Selection
from lango_nb.stores.documents import DocumentTable
from lango_nb.stores.reading import Reader
from lango_nb.stores.sqlite import SqliteDatabase
from lango_nb.stores.store import Durability, Problem
from lango_nb.stores.turns import Turns
from lango_nb.stores.writers import FileLocks, Locks, Writers

logger = logging.getLogger("lango_nb")


class SqlStore:
    """Records in a database; see :class:`~lango_nb.stores.store.Store`.

    Parameters
    ----------
    database : Database
    locks : Locks, optional
        Tell which processes that write are alive; none in memory.

    Raises
    ------
    StoreError
        The database cannot be opened, or was written by a newer version.

    Examples
    --------
    >>> store = memory_store()
    >>> store.documents("task").put({"id": "task-1", "title": "Water the plants"})
    >>> store.documents("task").find({"title": "Water the plants"})
    [{'id': 'task-1', 'title': 'Water the plants'}]
    """

    def __init__(self, database: Database, locks: Locks | None = None) -> None:
        self.database = database
        self.name: str = database.dialect.name if database.is_durable else "memory"
        self.where = database.where
        self.is_durable = database.is_durable
        self.problems: list[Problem] = database.problems
        self._reader = Reader(self.where, self.problems)
        self._writers = Writers(database, locks)
        self.log = Turns(database, self._reader, self._writers)
        self._documents: dict[str, DocumentTable] = {}
        self._making = threading.Lock()
        try:
            database.exists()
        except StoreError:
            database.close()
            raise

    def documents(self, kind: str) -> DocumentTable:
        """Return the rows of one kind."""
        with self._making:
            if kind not in self._documents:
                self._documents[kind] = DocumentTable(self.database, self._reader, kind)
            return self._documents[kind]

    def select(self, statement: str, most: int = 10_000, timeout_s: float = 60.0) -> Selection:
        """Carry out a query of a user; see :meth:`lango_nb.stores.database.Database.select`."""
        return self.database.select(statement, most, timeout_s)

    def writer(self) -> int:
        """Return the number of this opening."""
        return self._writers.number()

    def is_gone(self, writer: int) -> bool:
        """Tell whether the opening of that number is over."""
        return writer in self._writers.gone({writer})

    def sync(self) -> None:
        """Force what was written to the disk."""
        self.database.sync()

    def check(self) -> list[Problem]:
        """Look through all tables and say what is wrong with them."""
        return check(self.database, self.log)

    def close(self) -> None:
        """Let go of all connections; what is in memory can still be looked at."""
        if self.database.is_closed or not self.is_durable:
            return
        try:
            self.database.sync()
        except StoreError as error:
            logger.warning("what was written last may be lost: %s", error)
            self.problems.append(
                Problem("unsaved", self.where, f"what was written last may be lost: {error}", "look at what is stored")
            )
        self._writers.close()
        self.database.close()


def memory_store() -> SqlStore:
    """Return a store that is gone with the process."""
    return SqlStore(SqliteDatabase(None))


def sqlite_store(path: Path, durability: Durability = "turn", lock_timeout_s: float = 10.0) -> SqlStore:
    """Open the store in a file of SQLite; it is made with the first record.

    Parameters
    ----------
    path : Path
    durability : {"turn", "event", "none"}
        When bytes are forced to the disk.
    lock_timeout_s : float
        How long a lock of another process is waited for.
    """
    path = path.absolute()
    return SqlStore(SqliteDatabase(path, durability, lock_timeout_s), FileLocks(path))


def postgresql_store(url: str, durability: Durability = "turn", lock_timeout_s: float = 10.0) -> SqlStore:
    """Open the store on a PostgreSQL server; see :func:`sqlite_store`."""
    from lango_nb.stores.postgresql import AdvisoryLocks, PostgresqlDatabase

    database = PostgresqlDatabase(url, durability, lock_timeout_s)
    return SqlStore(database, AdvisoryLocks(database))
