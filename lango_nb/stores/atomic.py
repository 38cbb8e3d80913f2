"""Files that are there whole or not at all, and bytes that are set aside because nobody can read them."""

from __future__ import annotations

import errno
import os
import zlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from lango_nb.core.errors import StoreError
from lango_nb.stores.locks import READ_ONLY, read_only

QUARANTINE = ".quarantine"
"""Folder for what is damaged, beside the files it was found in."""
NEW = ".new"
"""What the name of a file ends in that is not whole yet."""
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def replace_file(path: Path, pieces: Iterable[bytes], *, is_durable: bool = True) -> None:
    """Give a file new content; whoever looks sees the old one or the new one, after a power cut too.

    Parameters
    ----------
    path : Path
        Its folder is there.
    pieces : iterable of bytes
        The new content.
    is_durable : bool
        Whether it is on the disk when this returns.
    """
    new = path.with_name(path.name + NEW)
    try:
        with open(new, "wb", opener=_private) as file:
            file.writelines(pieces)
            file.flush()
            if is_durable:
                os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise
    if is_durable:
        sync_folder(path.parent)


def is_left_over(name: str) -> bool:
    """Tell whether a file of this name was being written when its writer died."""
    return name.endswith(NEW)


def sync_folder(folder: Path) -> None:
    """Force the names in a folder to the disk, where the system can do that."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:
            raise
    finally:
        os.close(descriptor)


def set_aside(folder: Path, name: str, data: bytes) -> Path:
    """Keep bytes that cannot be read, once.

    Parameters
    ----------
    folder : Path
        The store's folder.
    name : str
        Where they were found.
    data : bytes

    Returns
    -------
    Path
        Where they are now; the same bytes of the same place are there once.
    """
    path = folder / QUARANTINE / f"{name}-{zlib.crc32(data):08x}"
    if not path.exists():
        path.parent.mkdir(mode=0o700, exist_ok=True)
        replace_file(path, [data])
    return path


def store_error(error: OSError, what: str, then: str = "") -> StoreError:
    """Say what the system's error means for somebody who wants something stored.

    Parameters
    ----------
    error : OSError
    what : str
        What cannot be written.
    then : str
        What is still as it was.

    Returns
    -------
    StoreError
        With code ``read_only``, ``full`` or ``store``.

    Examples
    --------
    >>> print(store_error(OSError(28, "No space left on device"), "session main", "the turn is still open"))
    session main cannot be written: No space left on device; make room on the disk and try again, the turn is still open
    """
    if error.errno in READ_ONLY:
        return read_only(what)
    reason = error.strerror or str(error) or type(error).__name__
    then = f", {then}" if then else ""
    if error.errno in _FULL:
        return StoreError(f"{what} cannot be written: {reason}; make room on the disk and try again{then}", "full")
    return StoreError(f"{what} cannot be written: {reason}; mend that and try again{then}", "store")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_CLOEXEC", 0), 0o600)
