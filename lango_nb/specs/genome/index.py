"""Git's index, written so that ``git status`` and ``git diff`` tell the truth about a genome; nothing here reads it.

    DIRC, version 2, number of entries
    of each file: times, device, inode, mode, owner, size, id of its content, path     in the order of the paths
    sum of all that

Made entry by entry and kept, since a thousand entries take milliseconds to make.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Mapping

FILE_MODE = 0o100644
_ENTRY = struct.Struct(">10L20sH")
_BITS = 0xFFFFFFFF
_LONGEST = 0xFFF
"""Paths are not said to be longer than that."""


def entry(path: bytes, blob_id: str, stats: os.stat_result) -> bytes:
    """Return the entry of a file."""
    return packed(
        path,
        (
            *divmod(stats.st_ctime_ns, 1_000_000_000),
            *divmod(stats.st_mtime_ns, 1_000_000_000),
            stats.st_dev,
            stats.st_ino,
            FILE_MODE,
            stats.st_uid,
            stats.st_gid,
            stats.st_size,
        ),
        bytes.fromhex(blob_id),
    )


def packed(path: bytes, numbers: tuple[int, ...], blob_id: bytes) -> bytes:
    """Return the entry of a file whose ten numbers are known."""
    flags = min(len(path), _LONGEST)
    data = _ENTRY.pack(*(number & _BITS for number in numbers), blob_id, flags) + path
    return data + b"\0" * (8 - len(data) % 8)


def index_bytes(entries: Mapping[bytes, bytes]) -> bytes:
    r"""Return a whole index.

    Examples
    --------
    >>> index_bytes({})[:12]
    b'DIRC\x00\x00\x00\x02\x00\x00\x00\x00'
    """
    head = b"DIRC" + struct.pack(">2L", 2, len(entries))
    data = head + b"".join(entries[path] for path in sorted(entries))
    return data + hashlib.sha1(data, usedforsecurity=False).digest()
