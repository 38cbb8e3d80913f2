"""The write-ahead log of SQLite, looked at from outside: what is in it and is not read.

SQLite reads a log up to the first frame that is not what was written, and forgets what comes after it; it says nothing
of that. Each frame names the log it belongs to and whether it ends a transaction, so what was forgotten can be seen.

    log     32 bytes: magic, version, page size, …, salt                        frame    number, commit, salt, …; a page

How many frames are read only SQLite says: its shared index must not be opened here, because closing a file gives back
all locks that this process has on it.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from pathlib import Path

_HEAD, _FRAME_HEAD, _SALT = 32, 24, 8
_MAGIC = b"\x37\x7f\x06"
_ATTEMPTS, _PAUSE_S = 3, 0.02
"""Another process may be about to tell that what it has written is there."""


def log_of(path: Path) -> Path:
    """Return the path of a database's log."""
    return path.with_name(f"{path.name}-wal")


def has_frames(path: Path) -> bool:
    """Tell whether something is in the log of a database."""
    try:
        return log_of(path).stat().st_size > _HEAD
    except OSError:
        return False


def has_lost_transactions(path: Path, frames: Callable[[], int]) -> bool:
    """Tell whether there are transactions behind the end of what SQLite reads of a log.

    Parameters
    ----------
    path : Path
        The database.
    frames : callable
        Returns how many frames of the log SQLite reads.
    """
    try:
        if not log_of(path).stat().st_size:
            return False
        for _ in range(_ATTEMPTS):
            read = frames()
            log = log_of(path).read_bytes()
            if len(log) <= _HEAD:  # nothing, or the beginning of a head that was never written to its end
                return not _MAGIC.startswith(log[: len(_MAGIC)])
            size = int.from_bytes(log[8:12], "big")
            is_strange = not read and not _is_whole(log[:_HEAD])  # another file, or the head is damaged
            if not is_strange and not _has_commit(log, _HEAD + read * (_FRAME_HEAD + size), _salt_of(log)):
                return False
            time.sleep(_PAUSE_S)
    except (OSError, ValueError, struct.error):  # it is gone by now
        return False
    return True


def _salt_of(log: bytes) -> bytes:
    """Return what all frames of the log say; of a log whose head is damaged it is what the first frame says."""
    first = _HEAD + _SALT
    return log[16:24] if _is_whole(log[:_HEAD]) else log[first : first + _SALT]


def _is_whole(head: bytes) -> bool:
    """Tell whether the head of a log is what was written."""
    order = ">" if head[3] & 1 else "<"
    one = other = 0
    words = struct.unpack(f"{order}6I", head[:24])
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + other) & 0xFFFFFFFF
        other = (other + second + one) & 0xFFFFFFFF
    return head.startswith(_MAGIC) and (one, other) == struct.unpack(">2I", head[24:])


def _has_commit(log: bytes, start: int, salt: bytes) -> bool:
    """Tell whether a frame behind a place ends a transaction; frames may have been moved by what damaged them.

    A frame whose page was not written to its end is no damage: whoever wrote it was killed before it was over.
    """
    rest = _FRAME_HEAD - _SALT + int.from_bytes(log[8:12], "big")
    place = log.find(salt, start)
    while place >= 0:
        if place - 4 >= start and any(log[place - 4 : place]) and place + rest <= len(log):
            return True
        place = log.find(salt, place + 1)
    return False
