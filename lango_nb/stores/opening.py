"""From an address to a store: empty is in memory, ``home`` the home folder, else a folder, a file or a server."""

from __future__ import annotations

import logging
from pathlib import Path

from lango_nb.core.errors import StoreError, UsageError
from lango_nb.core.paths import HOME
from lango_nb.stores.failures import DATABASES
from lango_nb.stores.sql import SqlStore, memory_store, postgresql_store, sqlite_store
from lango_nb.stores.sqlite import shown_path
from lango_nb.stores.store import Durability

logger = logging.getLogger("lango_nb")
RECORDS = "records.db"
"""File of the records in a folder."""
_EARLIER = ("records", "documents.jsonl", "events")
"""What earlier versions kept records in."""


def open_store(
    url: str | Path = "", *, home: Path | None = None, durability: Durability = "turn", lock_timeout_s: float = 10.0
) -> SqlStore:
    """Open the store of an address.

    Parameters
    ----------
    url : str or Path
        Empty: in memory. ``home``: the file ``records.db`` in the home folder. ``sqlite:///FILE``: a file.
        ``postgresql://USER@HOST/NAME``: a server. Anything else: a folder, with ``records.db`` in it.
    home : Path, optional
        The home folder; needed for the address ``home`` only.
    durability : {"turn", "event", "none"}
        When bytes are forced to the disk.
    lock_timeout_s : float
        How long a lock of another process is waited for, in seconds.

    Returns
    -------
    SqlStore
        Nothing is written before the first record is.

    Raises
    ------
    UsageError
        The address is ``home`` and there is none, or it names a place where no folder can be.
    StoreError
        The store is there and cannot be read.

    Examples
    --------
    >>> open_store().name
    'memory'
    """
    if isinstance(url, str):
        if url in {"", "memory"}:
            return memory_store()
        if "://" in url:
            return _database(url, durability, lock_timeout_s)
        if url == HOME:
            if home is None:
                raise UsageError("the store 'home' needs a home folder; name one, or a folder for the records")
            url = home
    folder = _folder(Path(url).expanduser())
    path = folder / RECORDS
    if not path.exists() and any((folder / name).exists() for name in _EARLIER):
        logger.warning(
            "%s holds records of an earlier lango_nb, which this one does not read; new ones go into %s",
            shown_path(folder),
            RECORDS,
        )
    return sqlite_store(path, durability, lock_timeout_s)


def file_of(url: str, home: Path | None = None) -> Path:
    """Return the database file of an address.

    Raises
    ------
    UsageError
        Records of that address lie in no file.
    """
    if "://" in url and url.startswith("sqlite:///"):
        return Path(url.removeprefix("sqlite:///")).expanduser().absolute()
    place = home if url == HOME else Path(url).expanduser()
    if url in {"", "memory"} or "://" in url or place is None:
        raise UsageError(
            "these records lie in no file, so there is nothing to rescue; name a folder, or sqlite:///FILE"
        )
    return place.absolute() / RECORDS


def _database(url: str, durability: Durability, lock_timeout_s: float) -> SqlStore:
    kind, _, rest = url.partition("://")
    if kind in {"postgres", "postgresql"}:
        return postgresql_store(url, durability, lock_timeout_s)
    if kind != "sqlite":
        raise StoreError(f"records cannot be kept in a database of kind {kind!r}; write {DATABASES}")
    name = rest.removeprefix("/")
    if not rest.startswith("/") or not name or name.startswith((":memory:", "file:")) or "?" in name or "\0" in name:
        raise StoreError(
            "records need an SQLite database in a file of its own, without options; write sqlite:///FILE, or leave "
            "store.url empty to keep them in memory"
        )
    return sqlite_store(Path(name).expanduser().absolute(), durability, lock_timeout_s)


def _folder(path: Path) -> Path:
    """Refuse a place where no folder can be: a file, or something below one."""
    try:
        there = next((place for place in (path, *path.parents) if place.exists()), path)
    except (ValueError, OSError) as error:  # a NUL, or a name that is too long
        raise UsageError(f"{str(path)!r} cannot be a folder ({error}); name another") from None
    if there.exists() and not there.is_dir():
        raise UsageError(f"{there} is a file, and records need a folder; name another, or a database: sqlite:///FILE")
    return path.absolute()
