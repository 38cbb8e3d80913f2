"""A journal without a past: written beside the present one, and then put in its place in one step."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from lango_nb.stores import lines
from lango_nb.stores.atomic import sync_folder
from lango_nb.stores.disk import Disk, Handle
from lango_nb.stores.journal_rows import Tables
from lango_nb.stores.store import Row

if TYPE_CHECKING:
    from pydantic import JsonValue

APPEND: Final = os.O_RDWR | os.O_APPEND
"""How a journal is opened by whoever writes to it."""
_CHUNK: Final = 1_000_000
"""Bytes that are written at once."""


def lines_of(tables: Tables) -> Iterator[bytes]:
    """Yield the lines that make tables from nothing: one per document, in order.

    Parameters
    ----------
    tables : Tables

    Yields
    ------
    bytes
    """
    for operation in tables.snapshot():
        yield lines.encode({"ops": [cast("JsonValue", operation)]})


def temporary_of(path: Path) -> Path:
    """Name the file that is written before it takes a journal's place."""
    return path.with_name(f"{path.name}.tmp")


def write_snapshot(  # noqa: PLR0913 - everything that a file is made of
    path: Path, header: Row, tables: Tables, disk: Disk, *, former: Handle | None, is_durable: bool
) -> Handle:
    """Write tables to a new file and put it in the place of a journal; whoever looks sees the old one or the new one.

    Parameters
    ----------
    path : Path
    header : dict
    tables : Tables
    disk : Disk
    former : Handle or None
        The file whose permissions the new one gets.
    is_durable : bool
        Whether it is on the disk when this returns.

    Returns
    -------
    Handle
        The new file.

    Raises
    ------
    OSError
        The journal is as it was.
    """
    temporary = temporary_of(path)
    handle = Handle(disk.open(temporary, APPEND | os.O_CREAT | os.O_TRUNC), is_writable=True)
    try:
        if former is not None and hasattr(os, "fchmod"):
            os.fchmod(handle.descriptor, stat.S_IMODE(os.fstat(former.descriptor).st_mode))
        data = bytearray(lines.encode(header))
        for line in lines_of(tables):
            data += line
            if len(data) > _CHUNK:
                disk.write(handle.descriptor, bytes(data))
                data.clear()
        disk.write(handle.descriptor, bytes(data))
        if is_durable:
            disk.sync(handle.descriptor)
        disk.replace(temporary, path)
    except BaseException:
        handle.close()
        disk.remove(temporary)
        raise
    if is_durable:
        sync_folder(path.parent)
    return handle
