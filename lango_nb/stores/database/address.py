"""Addresses of databases as they may be shown, and what drivers say, without passwords."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from lango_nb.core.errors import StoreError, shorten

DATABASES = "sqlite:///FILE or postgresql://USER@HOST/NAME"
_LONGEST = 300


def missing_extra(library: str) -> StoreError:
    """Word that a library of the extra ``sql`` is not installed."""
    return StoreError(
        f"records in a database need {library}, which is not installed; pip install 'lango-nb[sql]'", "missing_extra"
    )


def shown_file(path: Path) -> str:
    """Return the address of a database file, with the home folder as ``~``.

    Parameters
    ----------
    path : Path

    Returns
    -------
    str

    Examples
    --------
    >>> shown_file(Path.home() / "records.db")
    'sqlite:///~/records.db'
    """
    try:
        return f"sqlite:///~/{path.relative_to(Path.home()).as_posix()}"
    except (ValueError, RuntimeError):
        return f"sqlite:///{path.as_posix()}"


def one_line(message: str, secrets: Iterable[str]) -> str:
    r"""Shorten what a driver says to one line without anything secret.

    Parameters
    ----------
    message : str
    secrets : iterable of str

    Returns
    -------
    str

    Examples
    --------
    >>> one_line("connection failed:\n  no password 'rose'\n\tIs the server running?", ["rose"])
    "connection failed: no password '***' Is the server running?"
    """
    for secret in sorted(secrets, key=len, reverse=True):
        message = message.replace(secret, "***")
    return shorten(re.sub(r"\s+", " ", message).strip().rstrip("."), _LONGEST)
