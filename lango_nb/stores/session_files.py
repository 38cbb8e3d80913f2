"""All sessions' files of a folder: which lock is whose, what others did to them, and what is mended."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from contextlib import ExitStack, suppress

from lango_nb.core.errors import StoreError
from lango_nb.stores.atomic import is_left_over, set_aside, store_error, sync_folder
from lango_nb.stores.event_log import FOLDER, SUFFIX, EventFile, Seen
from lango_nb.stores.index import TurnIndex
from lango_nb.stores.known_turns import KnownTurn, KnownTurns
from lango_nb.stores.locks import PathLock, tell_after_fork
from lango_nb.stores.place import Place, problem_of
from lango_nb.stores.rewriting import restore
from lango_nb.stores.store import Problem
from lango_nb.stores.turn_lines import begin_line

_LOCKS = 64
"""Files of locks; sessions share them, so that there are not as many as sessions."""


class SessionFiles:
    """The files of a store's sessions.

    Parameters
    ----------
    place : Place
    turns : KnownTurns
    index : TurnIndex

    Notes
    -----
    Whoever needs several locks takes them in this order: a session's, the index's, the one of :class:`KnownTurns`.
    """

    def __init__(self, place: Place, turns: KnownTurns, index: TurnIndex) -> None:
        self.index, self.disk = index, place.disk
        self.folder = place.folder / FOLDER
        self._place, self._turns, self._report = place, turns, place.report
        self._files: dict[str, EventFile] = {}
        self._locks: dict[int, PathLock] = {}
        self._read: dict[str, Seen] = {}
        self._lost: list[KnownTurn] = []
        self.mine: dict[str, KnownTurn] = {}
        """Open turns that were begun here."""
        tell_after_fork(self)

    def after_fork(self) -> None:
        """Leave the open turns to the parent, who began them."""
        self.mine = {}
        for file in self._files.values():
            file.let_go()

    def get(self, name: str) -> EventFile:
        """Return the file of a name; the same object each time."""
        with self._turns.lock:
            file = self._files.get(name)
            if file is None:
                file = self._files[name] = EventFile(self.folder, name, self._turns, self.disk)
                file.seen = self._read.pop(name, Seen())
            return file

    def lock(self, name: str) -> PathLock:
        """Return the lock of a file."""
        number = _lock_number(name)
        with self._turns.lock:
            if number not in self._locks:
                path = self._place.folder / "locks" / f"{number:02}.lock"
                self._locks[number] = PathLock(path, self._place.lock_timeout_s, f"{FOLDER}/{name}")
            return self._locks[number]

    def load(self) -> None:
        """Take in the index, and of every file what the index does not know."""
        known = self.index.load()
        self._read = dict(known)
        found = self._found()
        for name in known.keys() - found.keys():
            self.follow(self.get(name))
        changed = [self.get(name) for name, seen in found.items() if known.get(name, Seen())[:3] != seen]
        for file in changed:
            self.follow(file)
        with self._turns.lock:
            self._turns.number_rest()
            copied = {name for name, seen in found.items() if known.get(name, Seen()).inode != seen[0]}
            for file in changed:
                if file.name in copied:
                    self.list_again(file)
            unlisted = [file for file in changed if file.torn or file.name in copied or self._has_news(file)]
        if unlisted and not self._place.is_read_only:
            self._list(unlisted)

    def refresh(self) -> None:
        """Take in what others wrote into the index."""
        gone = self.index.refresh()
        with self._turns.lock:
            for turn in gone:
                file = self.get(turn.file)
                if file.look(is_final=False) == "missing" or turn.id in file.unseen:
                    file.unseen.pop(turn.id, None)
                    self._turns.drop([turn])
                else:  # the index lost it
                    file.dirty[turn.id] = turn

    def follow(self, file: EventFile) -> None:
        """Take in what others wrote into a file.

        Raises
        ------
        StoreError
            It cannot be read, or what is wrong with it cannot be mended because it is locked.
        """
        with self._turns.lock:
            sight = file.look(is_final=self._place.is_read_only)
            is_new = sight == "missing" and file.name not in self._turns.files
            if is_new or (sight == "whole" and not file.unseen and not file.damaged):
                self._turns.number_rest()
                return
            if self._place.is_read_only:
                self._accept(file, sight)
                return
        with self.lock(file.name):
            self.settle(file)

    def read_anew(self, file: EventFile) -> None:
        """Read a file from its beginning: its lines are not where they were."""
        with self._turns.lock:
            file.seen = Seen()
        self.follow(file)

    def settle(self, file: EventFile) -> None:
        """Take in what others wrote into a file, and mend what is wrong with it; its lock is held.

        Raises
        ------
        StoreError
            It cannot be read or mended.
        """
        self.refresh()
        with self._turns.lock:
            self.mend(file)
        self._forget_lost(file)

    def mend(self, file: EventFile) -> None:
        """Bring a file in order, so that it can be written to; its lock is held, and the one of the turns.

        Raises
        ------
        StoreError
            It cannot be read or mended.
        """
        gone: list[KnownTurn] = []
        if file.look(is_final=True) == "missing":
            gone += self._mend_missing(file)
        self._tell_damage(file)
        if file.torn:
            torn = file.torn
            file.cut_torn()
            detail = (
                f"the last {torn} bytes were no whole line, as a process ended while it wrote them; they were cut off"
            )
            self._report(Problem("torn", file.where, detail))
        if file.unseen or (file.held is not None and file.held.identity[1] != file.seen.inode):
            gone += self._mend_unseen(file)
        self._turns.drop(gone)
        self._turns.number_rest()
        self._lost += gone

    def save(self, file: EventFile, gone: Sequence[int] = ()) -> None:
        """Bring the index up to date with a file; its lock is held.

        Parameters
        ----------
        file : EventFile
        gone : sequence of int
            Numbers of turns that were removed from it.

        Raises
        ------
        StoreError
            The index cannot be written; the next try includes what this one did.
        """
        with self._turns.lock:
            dirty, file.dirty = file.dirty, {}
            turns = [turn for turn in dirty.values() if self._turns.by_id.get(turn.id) is turn]
        try:
            self.index.save(turns, file, gone)
            self._forget_lost(file)
        except BaseException:
            with self._turns.lock:
                file.dirty = {**dirty, **file.dirty}
            raise

    def list_again(self, file: EventFile) -> None:
        """Compare all turns of a file with the index when it is saved next."""
        file.dirty = dict(self._turns.files.get(file.name, {}))

    def unsynced(self) -> list[EventFile]:
        """Return the files with lines that may not be on the disk yet."""
        with self._turns.lock:
            return [file for file in self._files.values() if file.is_unsynced]

    def sync_names(self) -> None:
        """Force to the disk which files there are.

        Raises
        ------
        StoreError
            The system could not.
        """
        try:
            sync_folder(self.folder)
        except OSError as error:
            raise store_error(error, FOLDER) from error

    def close(self) -> None:
        """Let go of all files."""
        with self._turns.lock:
            for file in self._files.values():
                file.let_go()
        self.index.close()

    def _found(self) -> dict[str, tuple[int, int, int]]:
        """Return inode, size and time of the last change of every file by its name."""
        found = {}
        try:
            with os.scandir(self.folder) as entries:
                for entry in entries:
                    if entry.name.endswith(SUFFIX):
                        status = entry.stat()
                        found[entry.name] = status.st_ino, status.st_size, status.st_mtime_ns
                    elif is_left_over(entry.name) and not self._place.is_read_only:
                        self._sweep(entry.name)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise StoreError(f"{FOLDER} cannot be read: {error.strerror}; mend that and open it again") from error
        return found

    def _sweep(self, name: str) -> None:
        """Remove what somebody left who died while a file was written anew."""
        with suppress(OSError, StoreError), self.lock(os.path.splitext(name)[0]):  # noqa: PTH122
            self.disk.remove(self.folder / name)

    def _has_news(self, file: EventFile) -> bool:
        """Tell whether a listing made from the index alone would be wrong."""
        return any(
            not self.index.has(turn.number) or self.index.is_open(turn.number) != turn.is_open
            for turn in file.dirty.values()
        )

    def _list(self, files: Sequence[EventFile]) -> None:
        """Mend files that were found changed, and bring the index up to date in one step."""
        try:
            with ExitStack() as locks:
                for name in {_lock_number(file.name): file.name for file in sorted(files, key=_by_lock)}.values():
                    locks.enter_context(self.lock(name))
                for file in files:
                    self.settle(file)
                with self.index.unit():
                    for file in files:
                        self.save(file)
        except StoreError as error:
            if error.code == "newer_schema":
                raise
            with self._turns.lock:
                for file in files:
                    self.list_again(file)
            self._report(problem_of(error, FOLDER, "it is tried again when the store is opened next"))

    def _forget_lost(self, file: EventFile) -> None:
        lost, self._lost = self._lost, []
        if lost:
            self.index.save([], file, [turn.number for turn in lost])

    def _accept(self, file: EventFile, sight: str) -> None:
        """Go on with what is there, where nothing can be mended."""
        self._tell_damage(file)
        gone = list(self._turns.files.get(file.name, {}).values()) if sight == "missing" else self._unseen(file)
        file.unseen.clear()
        self._tell_lost(file, gone)
        self._turns.drop(gone)
        self._turns.number_rest()

    def _mend_missing(self, file: EventFile) -> list[KnownTurn]:
        """Write a file again that was removed while turns in it are open here; else return what is lost."""
        turns = list(self._turns.files.get(file.name, {}).values())
        if file.held is not None and turns:
            restore(file, self.disk)
            detail = "it was removed while it was in use, and was written again; nothing is lost"
            self._report(Problem("missing", file.where, detail, "find out what removes files in the store's folder"))
            return []
        file.forget()
        self._tell_lost(file, turns)
        return turns

    def _mend_unseen(self, file: EventFile) -> list[KnownTurn]:
        """Write the open turns of this process again into a file that is another one now; return what is lost."""
        former, file.held = file.held, None
        gone = []
        rescued = 0
        for turn in self._unseen(file):
            if turn.id not in self.mine:
                gone.append(turn)
                continue
            data = b""
            if former is not None and former.identity[1] != file.seen.inode:
                places = file.unseen[turn.id]
                pieces = zip(places[::2], places[1::2], strict=True)
                data = b"".join([self.disk.read(former.descriptor, start, end) for start, end in pieces])
            data = data or begin_line(turn.id, turn.row, turn.writer)
            start = file.append(str(turn.row.get("session_id") or ""), data)
            turn.add_place(start, start + len(data))
            file.dirty[turn.id] = turn
            rescued += 1
        file.unseen.clear()
        if former is not None:
            former.close()
            file.hold()
        if rescued:
            detail = (
                f"somebody put another file in its place or cut it; {rescued} open turns were written into it again"
            )
            self._report(Problem("missing", file.where, detail, "find out what changes files in the store's folder"))
        self._tell_lost(file, gone)
        return gone

    def _unseen(self, file: EventFile) -> list[KnownTurn]:
        return [turn for key in file.unseen if (turn := self._turns.by_id.get(key)) is not None]

    def _tell_damage(self, file: EventFile) -> None:
        found, file.damaged = file.damaged, []
        for offset, data in found:
            became = "it was left where it is"
            if not self._place.is_read_only:
                with suppress(OSError):
                    became = (
                        f"a copy is in .quarantine/{set_aside(self._place.folder, f'{file.name}-{offset}', data).name}"
                    )
            detail = f"{len(data)} bytes at {offset} are damaged: {became}; all other lines are kept"
            self._report(Problem("damaged", file.where, detail, "check the disk"))

    def _tell_lost(self, file: EventFile, turns: Sequence[KnownTurn]) -> None:
        count = sum(self.index.misses(turn.number) for turn in turns)
        if count:
            detail = f"{count} turns that were in it are there no more, and are listed no longer"
            self._report(
                Problem("missing", file.where, detail, "put the file back from a backup, and open the store again")
            )


def _lock_number(name: str) -> int:
    return zlib.crc32(name.encode()) % _LOCKS


def _by_lock(file: EventFile) -> int:
    return _lock_number(file.name)
