"""A look at every line of every session's file, which changes nothing."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable

from lango_nb.core.errors import StoreError
from lango_nb.stores.event_log import FOLDER, SUFFIX, EventFile
from lango_nb.stores.known_turns import KnownTurns
from lango_nb.stores.place import Place, problem_of
from lango_nb.stores.store import Problem
from lango_nb.stores.writers import Writers


def check_files(place: Place, known: KnownTurns, writers: Writers, refresh: Callable[[], None]) -> list[Problem]:
    """Say what is wrong with the files of all sessions.

    Parameters
    ----------
    place : Place
    known : KnownTurns
        What is listed.
    writers : Writers
    refresh : callable
        Takes in what others did to the list meanwhile.

    Returns
    -------
    list of Problem
        Of turns that nobody will close, too.
    """
    found: list[Problem] = []
    listed = _listed(known, refresh)
    there = KnownTurns()
    for name in _names(place):
        found += _check_file(EventFile(place.folder / FOLDER, name, there, place.disk))
    there.number_rest()
    still = _listed(known, refresh)
    missing = Counter(name for key, name in listed.items() if key in still and key not in there.by_id)
    found += [
        Problem(
            "missing", f"{FOLDER}/{name}", f"{count} turns that are listed are not in it", "put it back from a backup"
        )
        for name, count in missing.items()
    ]
    for turn in there.open_turns():
        is_mine = turn.writer and turn.writer == writers.number
        if turn.id in listed and not is_mine and writers.is_gone(turn.writer):
            detail = f"turn {turn.id} was never closed: its process is gone"
            found.append(Problem("unfinished", f"{FOLDER}/{turn.file}", detail, "the next start closes it"))
    return found


def _listed(known: KnownTurns, refresh: Callable[[], None]) -> dict[str, str]:
    refresh()
    with known.lock:
        return {turn.id: turn.file for turn in known.by_number.values()}


def _names(place: Place) -> list[str]:
    try:
        return sorted(name for name in os.listdir(place.folder / FOLDER) if name.endswith(SUFFIX))  # noqa: PTH208
    except OSError:
        return []


def _check_file(file: EventFile) -> list[Problem]:
    try:
        file.look(is_final=True)
        if file.torn:
            file.look(is_final=True)  # perhaps somebody was just writing
    except StoreError as error:
        return [problem_of(error, file.where, "open it with the version that wrote it")]
    found = [
        Problem(
            "damaged", file.where, f"{len(data)} bytes at {offset} are no line; all others are kept", "check the disk"
        )
        for offset, data in file.damaged
    ]
    if file.torn:
        detail = f"the last {file.torn} bytes are no whole line; they are cut off when the session is written to"
        found.append(Problem("torn", file.where, detail))
    return found
