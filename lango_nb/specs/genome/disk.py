"""Files of a genome's repository: put into their places in one step, and what is said when that fails."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lango_nb.core.errors import StoreError

Mark = tuple[object, ...]
"""Changes whenever a file does."""


def stamp(path: Path | str) -> Mark:
    """Return the time, size and number of a file; nothing where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - half the time of Path.stat, at each step of a turn
    except OSError:
        return ()
    return (found.st_mtime_ns, found.st_size, found.st_ino)


def replace(place: Path, data: bytes, beside: Path, *, is_durable: bool = True) -> None:
    """Put a file into its place in one step."""
    temporary = beside / f"lango_nb-{os.urandom(8).hex()}.tmp"
    try:
        temporary.write_bytes(data)
        if is_durable:
            fsync(temporary)
        temporary.replace(place)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def fsync(path: Path) -> None:
    """Force the content of a file to the disk."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Translate what the system says about writing."""
    try:
        yield
    except OSError as error:
        what = f"genome {folder.name!r} cannot be written ({error.strerror}); nothing was changed"
        raise StoreError(f"{what}; see to space and rights there", "read_only") from error


def unreadable(folder: Path, error: OSError) -> StoreError:
    """Word that a file of a repository cannot be read."""
    return StoreError(f"genome {folder.name!r} cannot be read ({error.strerror}); restore a copy", "damaged")
