"""Where the text of a shelf lies: in a file that several processes may change, or in memory."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from lango_nb.core.errors import StoreError
from lango_nb.core.locks import PathLock
from lango_nb.core.paths import path_of, sync_folder

LOCK_TIMEOUT_S = 10.0
"""How long a lock of another process is waited for."""


class Place(Protocol):
    """A text that is read and written as a whole."""

    name: str
    """What views and errors call it."""
    path: Path | None
    """The file; ``None`` in memory."""

    def read(self) -> str:
        """Return the text as it is now; empty while there is none."""
        ...

    def write(self, text: str) -> None:
        """Replace the text: readers see the old one or the new one."""
        ...

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep others from writing; the thread that holds it may take it again."""
        yield


class MemoryPlace:
    """A text that ends with the process."""

    path: Path | None = None

    def __init__(self) -> None:
        self.name = "in memory"
        self._text = ""
        self._lock = threading.RLock()

    def read(self) -> str:
        """Return the text."""
        return self._text

    def write(self, text: str) -> None:
        """Replace the text."""
        self._text = text

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other threads from writing."""
        with self._lock:
            yield


class FilePlace:
    """A text in a file.

    A new text goes to a file beside it, is forced to the disk, and takes the name in one step: whatever ends the
    process, or the machine, there is the old text or the new one. Writers take a lock on a third file, which is left
    there: ``.shelf.json.lock``.

    Parameters
    ----------
    path : str or Path
        Need not be there yet, nor its folder. A link stays a link: the file it leads to is replaced.
    timeout_s : float
        How long the lock of another process is waited for.
    """

    def __init__(self, path: str | Path, timeout_s: float = LOCK_TIMEOUT_S) -> None:
        self.path: Path | None = path_of(path).resolve()
        self.name = Path(path).name
        self._file = self.path
        self._lock = PathLock(self._file.with_name(f".{self._file.name}.lock"), timeout_s, self.name)

    def read(self) -> str:
        """Return the text as it is now; empty while there is no file.

        Raises
        ------
        StoreError
            It cannot be read, or is not UTF-8.
        """
        try:
            if not stat.S_ISREG(self._file.stat().st_mode):  # a pipe would keep everybody waiting
                raise StoreError(f"{self.name} cannot be read: it is not a file; name another one")
            content = self._file.read_bytes()
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise StoreError(f"{self.name} cannot be read: {error.strerror}; name another file") from error
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            column = error.start - content.rfind(b"\n", 0, error.start)
            raise StoreError(
                f"{self.name}, line {line}, column {column}: not UTF-8; save it as UTF-8, nothing is written to it "
                "until then",
                "damaged",
            ) from error

    def write(self, text: str) -> None:
        """Replace the text.

        Parameters
        ----------
        text : str

        Raises
        ------
        StoreError
            It cannot be written; the old text is still there.
        """
        new = self._file.with_name(f".{self._file.name}.new")
        try:
            with open(new, "wb", opener=_opener) as file:
                if self._file.exists():
                    with self._file.open("r+b"):  # a file that may only be read is not replaced either
                        new.chmod(self._file.stat().st_mode)
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            new.replace(self._file)
            sync_folder(self._file.parent)
        except OSError as error:
            with suppress(OSError):
                new.unlink()
            raise self._not_written(error) from error

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other threads and processes from writing.

        Raises
        ------
        StoreError
            Another process has held it for too long, or there may be no such file.
        """
        with self._lock:
            yield

    def _not_written(self, error: OSError) -> StoreError:
        return StoreError(f"{self.name} cannot be written: {error.strerror}; choose a file that you may write to")


def _opener(path: str, flags: int) -> int:
    """Open a file for writing, but never what a link leads to."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)
