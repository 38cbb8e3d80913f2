"""From an address to a store: empty is in memory, ``home`` the home folder, else a folder or a database."""

from __future__ import annotations

from pathlib import Path

from lango_nb.core.errors import UsageError
from lango_nb.stores.memory import MemoryStore
from lango_nb.stores.store import Durability, Store

HOME = "home"
"""Address of the records in the home folder."""
RECORDS = "records"
"""Folder of the records in the home folder."""


def open_store(
    url: str | Path = "", *, home: Path | None = None, durability: Durability = "turn", lock_timeout_s: float = 10.0
) -> Store:
    """Open the store of an address.

    Parameters
    ----------
    url : str or Path
        Empty: in memory. ``home``: the folder ``records`` in the home folder. With ``://`` in it: a database, such as
        ``sqlite:///records.db`` or ``postgresql://user@host/name``. Anything else: a folder.
    home : Path, optional
        The home folder; needed for the address ``home`` only.
    durability : {"turn", "event", "none"}
        When bytes are forced to the disk.
    lock_timeout_s : float
        How long a lock of another process is waited for, in seconds.

    Returns
    -------
    Store
        Nothing is written before the first record is.

    Raises
    ------
    UsageError
        The address is ``home`` and there is none, or it names a file.
    StoreError
        The store is there and cannot be read.

    Examples
    --------
    >>> open_store().name
    'memory'
    """
    if isinstance(url, str):
        if url in {"", "memory"}:
            return MemoryStore()
        if "://" in url:
            from lango_nb.stores.sql import SqlStore

            return SqlStore(url, durability=durability, lock_timeout_s=lock_timeout_s)
        if url == HOME:
            if home is None:
                raise UsageError("the store 'home' needs a home folder; name one, or a folder for the records")
            url = home / RECORDS
    from lango_nb.stores.folder import FolderStore

    return FolderStore(_folder(Path(url).expanduser()), durability=durability, lock_timeout_s=lock_timeout_s)


def _folder(path: Path) -> Path:
    """Refuse a place where no folder can be: a file, or something below one."""
    there = next((place for place in (path, *path.parents) if place.exists()), path)
    if there.exists() and not there.is_dir():
        raise UsageError(f"{there} is a file, and records need a folder; name another, or a database: sqlite:///FILE")
    return path
