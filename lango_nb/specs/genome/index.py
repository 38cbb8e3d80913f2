"""Git's index, kept so that ``git status`` and ``git diff`` tell the truth about a genome.

    DIRC, version 2, number of entries
    of each file: times, device, inode, mode, owner, size, id of its content, path     in the order of the paths
    sum of all that

Made entry by entry and kept, since a thousand entries take milliseconds to make. Nothing else depends on it.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Mapping
from pathlib import Path

from lango_nb.core.errors import StoreError
from lango_nb.specs.genome.disk import Mark, replace, stamp
from lango_nb.specs.genome.refs import Refs

FILE_MODE = 0o100644
_ENTRY = struct.Struct(">10L20sH")
_BITS = 0xFFFFFFFF
_LONGEST = 0xFFF
"""Paths are not said to be longer than that."""
_TIMEOUT_S = 0.2


class Index:
    """The index of a repository.

    Parameters
    ----------
    folder : Path
        The working tree.
    refs : Refs
    """

    def __init__(self, folder: Path, refs: Refs) -> None:
        self._git, self._refs = folder / ".git", refs
        self._path = self._git / "index"
        self._kept: dict[bytes, bytes] | None = None
        self._mark: Mark = ()
        self._unwritten: dict[str, tuple[str, os.stat_result | None]] = {}

    def write(self, files: Mapping[str, tuple[str, os.stat_result | None]]) -> None:
        """Tell git that these files of the working tree are those of the newest commit.

        Parameters
        ----------
        files : mapping of str to (str, os.stat_result or None)
            Paths with the ids of their contents, empty where the file is gone.

        Notes
        -----
        What others have staged stays. Where a command of git is at work, it is done with the next commit.
        """
        self._unwritten |= files
        try:
            with self._refs.git_lock(self._path, _TIMEOUT_S):
                entries = self._read()
                for path, (blob, stats) in self._unwritten.items():
                    key = os.fsencode(path)
                    if blob and stats is not None:
                        entries[key] = _entry(key, blob, stats)
                    else:
                        entries.pop(key, None)
                replace(self._path, index_bytes(entries), self._git, is_durable=False)
        except (OSError, StoreError):  # git status tells it from the commit as staged, and nothing is lost
            self._kept = None
        else:
            self._kept, self._mark = entries, stamp(self._path)
            self._unwritten.clear()

    @property
    def is_late(self) -> bool:
        """Whether the index is older than the newest commit: its process ended in between."""
        mark = stamp(self._path)
        return not mark or int(str(mark[0])) <= self._refs.head_written_ns()

    def _read(self) -> dict[bytes, bytes]:
        """Return the entries of the index, which git's commands may have changed."""
        if self._kept is not None and self._mark == stamp(self._path):
            return self._kept
        from dulwich.errors import ChecksumMismatch
        from dulwich.index import Index as Found
        from dulwich.index import IndexEntry

        try:
            found = Found(str(self._path))
        except (OSError, ValueError, AssertionError, ChecksumMismatch):
            return {}
        entries = {}
        for path, one in found.items():
            if not isinstance(one, IndexEntry) or one.extended_flags:
                raise StoreError("the index is in the middle of something that git has to end first", "locked")
            numbers = (*_pair(one.ctime), *_pair(one.mtime), one.dev, one.ino, one.mode, one.uid, one.gid, one.size)
            entries[path] = _packed(path, numbers, bytes.fromhex(one.sha.decode()))
        return entries


def _pair(when: float | tuple[int, int]) -> tuple[int, int]:
    return when if isinstance(when, tuple) else (int(when), 0)


def _entry(path: bytes, blob_id: str, stats: os.stat_result) -> bytes:
    """Return the entry of a file."""
    return _packed(
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


def _packed(path: bytes, numbers: tuple[int, ...], blob_id: bytes) -> bytes:
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
