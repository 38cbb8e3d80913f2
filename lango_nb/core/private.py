"""Files that only their owner may read: keys, and which folders are trusted."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from lango_nb.core.errors import SettingsError

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_private(path: Path, what: str, largest: int, holds: str) -> str | None:
    """Read a text file that nobody but its owner can read or replace.

    Parameters
    ----------
    path : Path
    what : str
        What errors call the file: ``keys file``.
    largest : int
        Bytes it may have.
    holds : str
        What it holds, for errors: ``NAME=key lines``.

    Returns
    -------
    str or None
        ``None`` when there is no such file.

    Raises
    ------
    SettingsError
        Others could read or replace it, or it is not such a file; nothing of it is ever repeated.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    named = f"{what} {shown_path(path)}"
    try:
        number = os.open(path, flags)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.EMLINK}:
            raise SettingsError(f"{named} is a symbolic link; name the file itself") from error
        raise SettingsError(f"{named} cannot be opened: {error.strerror}; check who may read it") from error
    try:
        _check_owner(path, named, holds, os.fstat(number))
        raw = os.read(number, largest + 1)
    finally:
        os.close(number)
    if len(raw) > largest:
        raise SettingsError(f"{named} is larger than {largest // 1024} KB; it holds {holds} only")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SettingsError(f"{named} is not text; it holds {holds}") from None


def write_private(path: Path, text: str) -> None:
    """Put a file that only its owner may read into its place in one step; a missing folder is made for the owner.

    Parameters
    ----------
    path : Path
    text : str

    Raises
    ------
    OSError
        It cannot be written; what was there is as it was.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}-{os.urandom(8).hex()}.tmp")
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


def shown_path(path: Path) -> str:
    """Name a file with ``~`` for the user's folder: notebooks keep what an error said."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - leaves it as it is where nobody knows that folder
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)


def _check_owner(path: Path, named: str, holds: str, found: os.stat_result) -> None:
    """Refuse what others could have written or can read."""
    if not stat.S_ISREG(found.st_mode):
        raise SettingsError(f"{named} is not a regular file; write {holds} into one")
    own = os.geteuid() if hasattr(os, "geteuid") else found.st_uid
    if found.st_uid != own:
        raise SettingsError(f"{named} belongs to somebody else; make one of your own")
    if found.st_mode & _OTHERS:
        mode = stat.S_IMODE(found.st_mode)
        raise SettingsError(f"{named} has mode {mode:04o} and others could read it; run chmod 600 {shown_path(path)}")
