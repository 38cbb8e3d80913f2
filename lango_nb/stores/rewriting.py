"""A session's file written anew: without turns that are to be forgotten, or again because somebody removed it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from lango_nb.stores.atomic import NEW, store_error, sync_folder
from lango_nb.stores.disk import Disk, Handle
from lango_nb.stores.event_log import EventFile
from lango_nb.stores.known_turns import KnownTurn
from lango_nb.stores.turn_lines import new_header

_CHUNK = 4_000_000
_MAKE = os.O_RDWR | os.O_CREAT | os.O_TRUNC


def keep_only(file: EventFile, kept: Sequence[KnownTurn], disk: Disk, *, is_durable: bool) -> None:
    """Write a file without all other turns, or remove it when none is kept; its lock is held.

    Parameters
    ----------
    file : EventFile
        Looked at since the lock was taken.
    kept : sequence of KnownTurn
        They know their new places afterwards.
    disk : Disk
    is_durable : bool
        Whether the new file is on the disk when this returns; its name follows with
        :meth:`~lango_nb.stores.session_files.SessionFiles.sync_names`.

    Raises
    ------
    StoreError
        The file is as it was.
    """
    try:
        if kept:
            _copy(file, kept, disk, is_durable=is_durable)
        else:
            disk.remove(file.path)
            file.forget()
    except OSError as error:
        raise store_error(error, file.where, "nothing is lost") from error


def restore(file: EventFile, disk: Disk) -> None:
    """Write a file that was removed again, from what is still open of it; its lock is held.

    Parameters
    ----------
    file : EventFile
        With turns of this process that are open.
    disk : Disk

    Raises
    ------
    StoreError
        It cannot be written; it is still open.
    """
    source, size = file.held, file.size
    if source is None:
        return
    new = file.path.with_name(file.name + NEW)
    try:
        disk.make_folder(file.path.parent)
        target = Handle(disk.open(new, _MAKE), is_writable=True)
        try:
            for start in range(0, size, _CHUNK):
                disk.write(target.descriptor, disk.read(source.descriptor, start, min(start + _CHUNK, size)))
            disk.sync(target.descriptor)
        finally:
            target.close()
        file.replaced(new, size, file.seen.token)
        sync_folder(file.path.parent)
    except OSError as error:
        raise store_error(error, file.where, "its events are still known to this process") from error


def _copy(file: EventFile, kept: Sequence[KnownTurn], disk: Disk, *, is_durable: bool) -> None:
    new = file.path.with_name(file.name + NEW)
    places: dict[str, list[int]] = {turn.id: [] for turn in kept}
    ends_at = {turn.id: -1 for turn in kept}
    source = file.reader()
    if source is None:
        return
    target = Handle(disk.open(new, _MAKE), is_writable=True)
    try:
        head, token = new_header(file.session or str(kept[0].row.get("session_id") or ""))
        disk.write(target.descriptor, head)
        end = len(head)
        for start, stop, turn in _pieces(kept):
            data = disk.read(source.descriptor, start, stop)
            data = data if data.endswith(b"\n") else data + b"\n"
            if start <= turn.end_at < stop:
                ends_at[turn.id] = turn.end_at - start + end
            places[turn.id] += (end, end + len(data))
            disk.write(target.descriptor, data)
            end += len(data)
        if is_durable:
            disk.sync(target.descriptor)
        target.close()
        file.replaced(new, end, token)
    except BaseException:
        target.close()
        disk.remove(new)
        raise
    finally:
        source.close()
    for turn in kept:
        turn.places, turn.end_at = places[turn.id], ends_at[turn.id]
        file.dirty[turn.id] = turn


def _pieces(turns: Sequence[KnownTurn]) -> Iterator[tuple[int, int, KnownTurn]]:
    """Yield all pieces of turns in the order of the file."""
    found = [(start, stop, turn.number, turn) for turn in turns for start, stop in turn.pieces()]
    for start, stop, _, turn in sorted(found, key=lambda piece: piece[:3]):
        yield start, stop, turn
