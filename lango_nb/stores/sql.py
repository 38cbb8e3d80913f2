"""A store in an SQL database: a file of SQLite, or a PostgreSQL server that many people share.

Everything that knows SQLAlchemy is here: connections, transactions, and what the errors of drivers mean. The tables and
what is done with them is in ``stores/database/``.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from urllib.parse import quote

from lango_nb.core.errors import StoreError
from lango_nb.stores.database.address import DATABASES, missing_extra
from lango_nb.stores.database.checking import check
from lango_nb.stores.database.documents import SqlDocuments
from lango_nb.stores.database.failures import failure, is_passing
from lango_nb.stores.database.log import SqlLog
from lango_nb.stores.database.reading import Reader
from lango_nb.stores.database.sqlite_file import SqliteFile
from lango_nb.stores.database.tables import COUNT, POSTGRESQL, SQLITE, Dialect, has_tables, make_tables
from lango_nb.stores.database.writers import AdvisoryLocks, DriverConnection, FileLocks, Locks, Writers
from lango_nb.stores.locks import tell_after_fork
from lango_nb.stores.store import Durability, Problem

if TYPE_CHECKING:
    import sqlalchemy
    from sqlalchemy.engine import URL, Engine

T = TypeVar("T")
logger = logging.getLogger("lango_nb")
_ATTEMPTS = 5
"""How often a transaction is begun anew that others stood in the way of, or whose connection was gone."""


class SqlStore:
    """Records in a database; several processes, and on a server several people, may use it at once.

    Parameters
    ----------
    url : str
        ``sqlite:///FILE`` or ``postgresql://USER:PASSWORD@HOST/NAME``. With
        ``?options=-csearch_path%3DNAME`` the tables lie in a schema of their own.
    durability : {"turn", "event", "none"}
        When bytes are forced to the disk.
    lock_timeout_s : float
        How long a lock of somebody else is waited for, in seconds.

    Raises
    ------
    StoreError
        The address is of no such database, the database cannot be opened, or it was written by a newer version.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     store = SqlStore(f"sqlite:///{folder}/records.db")
    ...     store.documents("task").put({"id": "task-1", "title": "Water the plants"})
    ...     found = store.documents("task").find({"title": "Water the plants"})
    ...     store.close()
    >>> found
    [{'id': 'task-1', 'title': 'Water the plants'}]
    """

    is_durable = True

    def __init__(self, url: str, *, durability: Durability = "turn", lock_timeout_s: float = 10.0) -> None:
        self._database = _database(url, durability, lock_timeout_s)
        self.name: str = self._database.dialect.name
        self.where = self._database.where
        self.problems: list[Problem] = []
        self._reader = Reader(self.where, self.problems)
        self._writers = Writers(self._database, self._database.locks())
        self.log = SqlLog(self._database, self._reader, self._writers)
        self._documents: dict[str, SqlDocuments] = {}
        self._making = threading.Lock()
        try:
            self._database.exists()
        except StoreError:
            self._database.close()
            raise

    def documents(self, kind: str) -> SqlDocuments:
        """Return the rows of one kind."""
        with self._making:
            if kind not in self._documents:
                self._documents[kind] = SqlDocuments(self._database, self._reader, kind)
            return self._documents[kind]

    def writer(self) -> int:
        """Return the number of this opening."""
        return self._writers.number()

    def is_gone(self, writer: int) -> bool:
        """Tell whether the opening of that number is over."""
        return writer in self._writers.gone({writer})

    def sync(self) -> None:
        """Force what was written to the disk."""
        self._database.sync()

    def check(self) -> list[Problem]:
        """Look through all tables and say what is wrong with them."""
        return check(self._database, self.log)

    def close(self) -> None:
        """Let go of all connections."""
        if self._database.is_closed:
            return
        try:
            self._database.sync()
        except StoreError as error:
            logger.warning("what was written last may be lost: %s", error)
            self.problems.append(
                Problem("unsaved", self.where, f"what was written last may be lost: {error}", "look at what is stored")
            )
        self._writers.close()
        self._database.close()


def _database(url: str, durability: Durability, lock_timeout_s: float) -> _Database:
    try:
        from sqlalchemy.engine import make_url
        from sqlalchemy.exc import ArgumentError
    except ImportError:
        raise missing_extra("SQLAlchemy") from None
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):  # their texts may hold the password
        raise StoreError(f"the address of the database cannot be understood; write {DATABASES}") from None
    if address.drivername in {"sqlite", "sqlite+pysqlite"}:
        return _Sqlite(address, durability, lock_timeout_s)
    if address.drivername in {"postgres", "postgresql", "postgresql+psycopg"}:
        return _Postgresql(address, durability, lock_timeout_s)
    raise StoreError(f"records cannot be kept in a database of kind {address.drivername!r}; write {DATABASES}")


class _Transaction:
    """Statements on one connection; see :class:`~lango_nb.stores.database.tables.Connection`.

    They go to the driver as they are: SQLAlchemy's own way to it takes twice the time of a short statement.
    """

    def __init__(self, connection: sqlalchemy.Connection, spelled: Callable[[str], str]) -> None:
        self._connection, self._spelled = connection, spelled

    def rows(self, statement: str, **values: object) -> Sequence[Any]:
        return self._connection.exec_driver_sql(self._spelled(statement), values).fetchall()

    def row(self, statement: str, **values: object) -> Any:
        return self._connection.exec_driver_sql(self._spelled(statement), values).fetchone()

    def change(self, statement: str, **values: object) -> int:
        return self._connection.exec_driver_sql(self._spelled(statement), values).rowcount

    def each(self, statement: str, values: Sequence[dict[str, object]]) -> None:
        if values:
            self._connection.exec_driver_sql(self._spelled(statement), values)


class _Database:
    """Transactions of one database."""

    dialect: Dialect
    _options: ClassVar[dict[str, dict[str, Any]]] = {}
    """Options of connections that read (``read``), write (``loose``), or write and wait for the disk (``forced``)."""

    def __init__(self, where: str, secrets: set[str], durability: Durability, lock_timeout_s: float) -> None:
        self.where, self.durability = where, durability
        self.is_closed = False
        self._secrets, self._timeout_s = secrets, lock_timeout_s
        self._is_there = False
        self._loose = self._synced = 0
        """How many commits did not wait for the disk, and how many of them are there since."""
        self._threads = threading.RLock()
        self._engine = self._connected()
        self._modes = {
            mode: self._engine.execution_options(lango=mode, **self._options.get(mode, {}))
            for mode in ("read", "loose", "forced")
        }
        tell_after_fork(self)

    def _connected(self) -> Engine:
        raise NotImplementedError

    def _make(self) -> None:
        """Make the database itself; a server has it."""

    def locks(self) -> Locks:
        """Return the locks of writers."""
        raise NotImplementedError

    def exists(self) -> bool:
        """Tell whether anything was ever stored."""
        self._check_open()
        self._is_there = self._is_there or self._attempt("read", partial(has_tables, self.dialect, self.where))
        return self._is_there

    def read(self, work: Callable[[_Transaction], T], default: T) -> T:
        """Look at one moment."""
        return self._attempt("read", work) if self.exists() else default

    def rows(self, statement: str, **values: object) -> Sequence[Any]:
        """Return all rows of one query."""
        nothing: Sequence[Any] = ()
        return self.read(lambda transaction: transaction.rows(statement, **values), nothing)

    def write(self, work: Callable[[_Transaction], T], *, is_urgent: bool = True) -> T:
        """Do everything or nothing."""
        is_forced = is_urgent and self.durability != "none"
        with self._alone():
            if not self._is_there:
                self._check_open()
                self._make()
                self._attempt("forced", partial(make_tables, self.dialect, self.where))
                self._is_there = True
            result = self._attempt("forced" if is_forced else "loose", work)
            self._loose += not is_forced
            return result

    def sync(self) -> None:
        """Force what was written to the disk: with the next commit that waits for it, all earlier ones are."""
        self._check_open()
        loose = self._loose
        if loose != self._synced:
            with self._alone():
                self._attempt("forced", lambda transaction: transaction.row(COUNT, name="synced"))
                self._synced = loose

    def close(self) -> None:
        """Let go of all connections."""
        self.is_closed = True
        self._engine.dispose()

    def after_fork(self) -> None:
        """Begin with connections of this process's own; those of the parent must not be ended here."""
        _of_parents.append(self._engine.pool)
        self._engine.dispose(close=False)
        self._threads = threading.RLock()

    def failed(self, error: BaseException) -> StoreError:
        """Say what went wrong."""
        from sqlalchemy.exc import TimeoutError as PoolTimeoutError

        if isinstance(error, PoolTimeoutError):
            return StoreError(f"{self.where} has no connection left for {self._timeout_s:g} s; try again", "locked")
        return failure(getattr(error, "orig", None) or error, self.where, self._timeout_s, self._secrets)

    def _attempt(self, mode: str, work: Callable[[_Transaction], T]) -> T:
        from sqlalchemy.exc import DBAPIError, SQLAlchemyError

        for left in reversed(range(_ATTEMPTS)):
            self._check_open()
            self._check_place()
            is_committing = False
            try:
                with self._modes[mode].connect() as connection, connection.begin():
                    result = work(_Transaction(connection, self.dialect.spelled))
                    is_committing = True
                self._check_place()
            except SQLAlchemyError as error:
                is_lost = isinstance(error, DBAPIError) and error.connection_invalidated
                if is_committing or not left or not (is_lost or is_passing(getattr(error, "orig", None))):
                    raise self.failed(error) from None
            else:
                return result
        raise AssertionError("the last attempt returns or raises")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        yield

    def _check_open(self) -> None:
        if self.is_closed:
            raise StoreError(f"{self.where} was closed; open it again", "closed")

    def _check_place(self) -> None:
        """Make sure that what was written can be found by others."""


_of_parents: list[object] = []
"""Connections that a child process must not end, nor drop."""


class _Sqlite(_Database):
    """A file of SQLite, with a write-ahead log beside it."""

    dialect = SQLITE

    def __init__(self, address: URL, durability: Durability, lock_timeout_s: float) -> None:
        name = address.database or ":memory:"
        if name.startswith((":memory:", "file:")) or address.query:
            raise StoreError(
                "records need an SQLite database in a file of its own, without options; write sqlite:///FILE, or leave "
                "store.url empty to keep them in memory"
            )
        self._file = SqliteFile(Path(name).expanduser().absolute(), lock_timeout_s)
        super().__init__(self._file.where, set(), durability, lock_timeout_s)

    def locks(self) -> FileLocks:
        return FileLocks(self._file.path)

    def exists(self) -> bool:
        self._check_open()
        return self._file.is_there() and super().exists()

    def _connected(self) -> Engine:
        from sqlalchemy import create_engine, event
        from sqlalchemy.pool import QueuePool

        engine = create_engine(
            "sqlite://",
            creator=self._file.open,
            poolclass=QueuePool,
            pool_timeout=self._timeout_s,
            hide_parameters=True,
        )
        event.listen(engine, "begin", _begin_sqlite)
        return engine

    def _make(self) -> None:
        self._file.make(self.failed)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._threads.acquire(timeout=self._timeout_s):
            raise StoreError(f"{self.where} has been locked by a thread for {self._timeout_s:g} s; try again", "locked")
        try:
            yield
        finally:
            self._threads.release()

    def _check_place(self) -> None:
        if self._file.is_fixed:
            self._engine.dispose()  # the next look sees what others have written since
        self._file.check_place()


def _begin_sqlite(connection: sqlalchemy.Connection) -> None:
    mode = connection.get_execution_options()["lango"]
    if mode == "read":
        connection.exec_driver_sql("BEGIN")
        return
    synchronous = "FULL" if mode == "forced" else "NORMAL"
    if connection.info.get("synchronous") != synchronous:
        connection.exec_driver_sql(f"PRAGMA synchronous = {synchronous}")
        connection.info["synchronous"] = synchronous
    connection.exec_driver_sql("BEGIN IMMEDIATE")


class _Postgresql(_Database):
    """A PostgreSQL server."""

    dialect = POSTGRESQL
    _options: ClassVar[dict[str, dict[str, Any]]] = {"read": {"isolation_level": "REPEATABLE READ"}}

    def __init__(self, address: URL, durability: Durability, lock_timeout_s: float) -> None:
        self._address = address.set(drivername="postgresql+psycopg")
        shown = address.set(drivername="postgresql", query={}).render_as_string(hide_password=True)
        secrets = {str(value) for name, value in address.query.items() if "pass" in name}
        if address.password:
            secrets |= {address.password, quote(address.password, safe="")}
        defaults = {"connect_timeout": max(2, ceil(lock_timeout_s)), "application_name": "lango_nb"}
        self._defaults = {name: value for name, value in defaults.items() if name not in address.query}
        super().__init__(shown, secrets - {""}, durability, lock_timeout_s)

    def locks(self) -> AdvisoryLocks:
        return AdvisoryLocks(self, self._apart)

    def _connected(self) -> Engine:
        from sqlalchemy import create_engine, event

        options = {"pool_timeout": self._timeout_s, "max_overflow": 15, "hide_parameters": True}
        try:
            engine = create_engine(self._address, connect_args=self._defaults, **options)
        except ImportError:
            raise missing_extra("psycopg") from None
        event.listen(engine, "connect", self._set_up)
        event.listen(engine, "begin", _begin_postgresql)
        return engine

    def _set_up(self, connection: Any, _: object) -> None:
        connection.autocommit = True
        connection.execute(f"SET lock_timeout = {max(1, round(self._timeout_s * 1000))}")
        connection.autocommit = False

    def _apart(self) -> DriverConnection:
        """Return a new connection that is nobody else's, outside of transactions."""
        driver = self._engine.dialect.loaded_dbapi
        _, options = self._engine.dialect.create_connect_args(self._address)
        try:
            connection = driver.connect(**{**options, **self._defaults}, autocommit=True)
        except driver.Error as error:
            raise self.failed(error) from None
        return DriverConnection(connection, self.failed)


def _begin_postgresql(connection: sqlalchemy.Connection) -> None:
    if connection.get_execution_options()["lango"] == "loose":
        connection.exec_driver_sql("SET LOCAL synchronous_commit TO OFF")
