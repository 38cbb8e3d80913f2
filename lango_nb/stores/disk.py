"""What a journal does with files; a test puts a disk that is full or fails in its place."""

from __future__ import annotations

import os
from pathlib import Path

_CHUNK = 8_000_000


class Disk:
    """The real one; everything raises ``OSError``."""

    def open(self, path: Path, flags: int) -> int:
        """Open a file; one that is made is for its owner alone.

        Parameters
        ----------
        path : Path
        flags : int
            As for :func:`os.open`.

        Returns
        -------
        int
            A descriptor.
        """
        return os.open(path, flags | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0), 0o600)

    def read(self, descriptor: int, start: int, end: int) -> bytes:
        """Return the bytes between two offsets; fewer when the file ends before.

        Parameters
        ----------
        descriptor, start, end : int

        Returns
        -------
        bytes
        """
        pieces = []
        while start < end and (piece := _read_some(descriptor, min(end - start, _CHUNK), start)):
            pieces.append(piece)
            start += len(piece)
        return b"".join(pieces)

    def write(self, descriptor: int, data: bytes) -> None:
        """Write all bytes, however few the system takes at once.

        Parameters
        ----------
        descriptor : int
        data : bytes
        """
        rest = memoryview(data)
        while rest:
            rest = rest[self.write_some(descriptor, rest) :]

    def write_some(self, descriptor: int, data: memoryview) -> int:
        """Write bytes and return how many of them were written."""
        return os.write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        """Force what was written to a file to the disk."""
        getattr(os, "fdatasync", os.fsync)(descriptor)

    def truncate(self, descriptor: int, size: int) -> None:
        """Cut a file."""
        os.ftruncate(descriptor, size)

    def replace(self, source: Path, target: Path) -> None:
        """Put a file in the place of another, in one step."""
        source.replace(target)

    def remove(self, path: Path) -> None:
        """Remove a file; one that is not there is no error."""
        path.unlink(missing_ok=True)

    def make_folder(self, path: Path) -> None:
        """Make a folder, and those it is in, for their owner alone; one that is there is left as it is.

        Parameters
        ----------
        path : Path
        """
        if path.is_dir():
            return
        if path.parent != path:
            self.make_folder(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)


class Handle:
    """An open file that is closed with its last user.

    Parameters
    ----------
    descriptor : int
    is_writable : bool
    """

    __slots__ = ("descriptor", "identity", "is_writable")

    def __init__(self, descriptor: int, *, is_writable: bool) -> None:
        self.descriptor, self.is_writable = descriptor, is_writable
        status = os.fstat(descriptor)
        self.identity = (status.st_dev, status.st_ino)
        """Which file it is, whatever its name; no other file has it while this one is open."""

    def size(self) -> int:
        """Return the size of the file in bytes."""
        return os.fstat(self.descriptor).st_size

    def close(self) -> None:
        """Close the file; closing twice is no error."""
        descriptor, self.descriptor = self.descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __del__(self) -> None:
        self.close()


def _read_some(descriptor: int, size: int, start: int) -> bytes:
    if hasattr(os, "pread"):  # a forked process has the same place in the file, and must not move it
        return os.pread(descriptor, size, start)
    os.lseek(descriptor, start, os.SEEK_SET)
    return os.read(descriptor, size)
