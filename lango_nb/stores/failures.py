"""What errors of drivers and of the system mean, told by their codes: texts differ with version and language."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable

from lango_nb.core.errors import StoreError, shorten

DATABASES = "a folder, sqlite:///FILE or postgresql://USER@HOST/NAME"
_LONGEST = 300
_SQLITE = {
    3: "read_only",
    5: "locked",
    6: "locked",
    8: "read_only",
    11: "damaged",
    13: "full",
    14: "unreachable",
    15: "no_locks",
    26: "damaged",
}
"""By primary result code of SQLite."""
_SQLITE_IO = {
    778: "full",
    4874: "full",
    3850: "no_locks",
    2314: "no_locks",
    4618: "no_locks",
    5130: "no_locks",
    5386: "no_locks",
}
"""Results of input and output: a file that cannot grow, or a file system without locks or shared memory."""
_POSTGRESQL = {
    "08": "unreachable",
    "25006": "read_only",
    "28": "unreachable",
    "3D": "unreachable",
    "40P01": "locked",
    "42501": "read_only",
    "42P01": "missing",
    "53100": "full",
    "53300": "unreachable",
    "55P03": "locked",
    "57P": "unreachable",
    "XX001": "damaged",
    "XX002": "damaged",
}
"""By SQLSTATE, or by how it begins."""
_PASSING = {"40001", "40P01"}
"""Two transactions stood in each other's way, and the server chose this one to begin again."""


def is_passing(error: BaseException) -> bool:
    """Tell whether the same transaction may succeed when it is tried again at once."""
    return getattr(error, "sqlstate", None) in _PASSING


def failure(error: BaseException, where: str, timeout_s: float, secrets: Iterable[str] = ()) -> StoreError:
    """Say what went wrong and what to do.

    Parameters
    ----------
    error : BaseException
        What the driver raised.
    where : str
        The database as errors name it.
    timeout_s : float
        How long locks are waited for.
    secrets : iterable of str
        What must not be shown.

    Returns
    -------
    StoreError
        With code ``locked``, ``full``, ``read_only``, ``damaged``, ``missing`` or ``store``.
    """
    said = clean_message(str(error), secrets)
    match _kind(error):
        case "locked":
            return StoreError(
                f"{where} has been locked by another process for {timeout_s:g} s; try again, or end what holds it",
                "locked",
            )
        case "full":
            return StoreError(f"{where} cannot be written: {said}; make room on the disk and try again", "full")
        case "read_only":
            return StoreError(
                f"{where} may only be read here: {said}; choose a place that you may write to", "read_only"
            )
        case "damaged":
            return StoreError(
                f"{where} is damaged: {said}; restore it from a copy, or copy what can be read: lango doctor --rescue",
                "damaged",
            )
        case "missing":
            return StoreError(
                f"{where} has lost its tables: {said}; restore them from a copy, or open it anew", "missing"
            )
        case "no_locks":
            return StoreError(
                f"{where} lies where files cannot be locked: {said}; keep records on a disk of this machine, or on a "
                "PostgreSQL server"
            )
        case "unreachable":
            return StoreError(
                f"{where} cannot be opened: {said}; see that it is there, and check the address in store.url"
            )
        case _:
            return StoreError(f"{where} failed: {said}; mend that and try again")


def file_failure(error: OSError, where: str) -> StoreError:
    """Say why a database file cannot be made.

    Parameters
    ----------
    error : OSError
    where : str
        The database as errors name it.

    Returns
    -------
    StoreError
    """
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return StoreError(f"{where} cannot be made: {error.strerror}; choose a folder you may write to", "read_only")
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return StoreError(f"{where} cannot be made: {error.strerror}; make room on the disk and try again", "full")
    return StoreError(f"{where} cannot be made: {error.strerror or error}; mend that and try again")


def clean_message(message: str, secrets: Iterable[str]) -> str:
    r"""Shorten what a driver says to one line without anything secret.

    Examples
    --------
    >>> clean_message("connection failed:\n  no password 'rose'\n\tIs the server running?", ["rose"])
    "connection failed: no password '***' Is the server running?"
    """
    for secret in sorted(secrets, key=len, reverse=True):
        message = message.replace(secret, "***")
    return shorten(re.sub(r"\s+", " ", message).strip().rstrip("."), _LONGEST)


def _kind(error: BaseException) -> str:
    code = getattr(error, "sqlite_errorcode", None)
    if isinstance(code, int):
        if "no such table" in str(error):
            return "missing"
        return _SQLITE_IO.get(code) or _SQLITE.get(code & 0xFF, "")
    if isinstance(error, UnicodeDecodeError) or "decode to UTF-8" in str(error):  # names of tables, texts in rows
        return "damaged"
    state = getattr(error, "sqlstate", None)
    if isinstance(state, str):
        return next((kind for start, kind in _POSTGRESQL.items() if state.startswith(start)), "")
    return "unreachable" if type(error).__module__.startswith("psycopg") else ""
