"""Paths: those that people give, and what makes a new name last."""

from __future__ import annotations

import errno
import os
from os import PathLike
from pathlib import Path

from lango_nb.core.errors import UsageError, shorten

HOME = "home"
"""Address of the records in the home folder."""


def path_of(given: str | PathLike[str]) -> Path:
    """Return a path with ``~`` replaced; whether something is there is another question.

    Parameters
    ----------
    given : str or path

    Raises
    ------
    UsageError
        It is no text, holds a zero byte, is too long, or begins with the home of a user who does not exist.

    Examples
    --------
    >>> path_of("notes.md").name
    'notes.md'
    >>> path_of("a" * 300)
    Traceback (most recent call last):
    lango_nb.core.errors.UsageError: 'aaa...' cannot be a path: File name too long; choose a shorter one
    """
    shown = shorten(str(given), 80)
    try:
        path = Path(given).expanduser()
        path.lstat()
    except TypeError as error:
        raise UsageError(f"a path is text or a Path, not {type(given).__name__}: {shown}") from error
    except ValueError as error:
        raise UsageError(f"{shown!r} cannot be a path: it holds a zero byte or half a character") from error
    except RuntimeError as error:
        raise UsageError(f"{shown!r} names the home of a user who does not exist; write the path out") from error
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise UsageError(f"{shown!r} cannot be a path: {error.strerror}; choose a shorter one") from error
    return path


def sync_folder(folder: Path) -> None:
    """Force the name of a new file to the disk, where the system can; its content is another matter."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
