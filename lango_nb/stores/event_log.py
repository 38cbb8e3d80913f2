"""One session's file: lines are added at its end, and everybody can follow them.

Only who holds the session's lock appends. Readers take no lock: a last line that is not whole yet is left for the next
look. What a line says of which turn is kept in :class:`~lango_nb.stores.known_turns.KnownTurns`.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Literal, NamedTuple, cast

from lango_nb.core.errors import StoreError
from lango_nb.stores import lines
from lango_nb.stores.atomic import store_error, sync_folder
from lango_nb.stores.disk import Disk, Handle
from lango_nb.stores.known_turns import KnownTurn, KnownTurns
from lango_nb.stores.store import Row
from lango_nb.stores.turn_lines import HEAD, KIND, new_header, token_in, turn_of

FOLDER = "events"
"""Where the files of all sessions are."""
SUFFIX = ".jsonl"
Sight = Literal["whole", "unclear", "missing"]
"""What a look at a file found: all whole lines are taken in; only a final look can tell; it is not there."""
_CHUNK = 4_000_000
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_SHOWN = 48
"""Characters of a session's id in the name of its file."""


def file_name(session_id: str) -> str:
    """Return the name of a session's file: readable, possible on every system, and of no other session.

    Parameters
    ----------
    session_id : str
        Anything.

    Returns
    -------
    str

    Examples
    --------
    >>> file_name("main"), file_name("a/b"), file_name("A/B")
    ('main-0d6e4079.jsonl', 'a_b-c14cddc0.jsonl', 'A_B-998d3ed8.jsonl')
    """
    digits = hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    shown = _UNSAFE.sub("_", session_id)[:_SHOWN].lstrip(".-")
    return f"{shown}-{digits}{SUFFIX}" if shown else f"{digits}{SUFFIX}"


class Seen(NamedTuple):
    """What was seen of a file when it was last looked at."""

    inode: int = 0
    size: int = 0
    """How much of it is taken in."""
    changed_at: int = 0
    """In nanoseconds, as the system has it."""
    token: str = ""


class EventFile:
    """A session's file as far as it is known.

    Parameters
    ----------
    folder : Path
        Where it is or will be.
    name : str
    turns : KnownTurns
        Gets what its lines say.
    disk : Disk
    """

    def __init__(self, folder: Path, name: str, turns: KnownTurns, disk: Disk) -> None:
        self.name, self.where, self.path = name, f"{FOLDER}/{name}", folder / name
        self._turns, self._disk = turns, disk
        self.seen = Seen()
        self.session = ""
        self.dirty: dict[str, KnownTurn] = {}
        """Turns the index does not know as they are."""
        self.unseen: dict[str, list[int]] = {}
        """Turns that were in the file before it was another, with their places in the old one."""
        self.damaged: list[tuple[int, bytes]] = []
        """What no line was found in; whoever reports it empties the list."""
        self.torn = 0
        """Bytes at the end that are no whole line."""
        self.held: Handle | None = None
        """Open as long as turns of this process are: a file that is removed can be written again from it."""
        self.is_unsynced = False
        """Whether something was written here that may not be on the disk yet."""
        self._lacks_newline = self._is_name_on_disk = False

    @property
    def size(self) -> int:
        """How much of the file is taken in, in bytes."""
        return self.seen.size

    def look(self, *, is_final: bool) -> Sight:
        """Take in what was written since the last look.

        Parameters
        ----------
        is_final : bool
            Whether nobody else writes now, so that damaged lines are just that. Otherwise they are left for a look
            that is.

        Returns
        -------
        Sight

        Raises
        ------
        StoreError
            It was written by a newer version, or cannot be read.
        """
        try:
            status = os.stat(self.path)  # noqa: PTH116 - with every write
        except FileNotFoundError:
            return "missing"
        if (status.st_ino, status.st_size, status.st_mtime_ns) == self.seen[:3]:
            self.torn = 0
            return "whole"
        handle = self._opened(os.O_RDONLY)
        if handle is None:
            return "missing"
        try:
            token = token_in(self._disk.read(handle.descriptor, 0, HEAD))
            if token != self.seen.token or handle.size() < self.size:
                self._start_anew(token)
            return self._read_on(handle, is_final=is_final)
        except OSError as error:
            raise _unreadable(error, self.where) from error
        finally:
            handle.close()

    def append(self, session_id: str, data: bytes) -> int:
        """Add whole lines; the lock is held, and the last look found the file whole or missing.

        Parameters
        ----------
        session_id : str
            For the header of a new file.
        data : bytes

        Returns
        -------
        int
            The offset of the data.

        Raises
        ------
        StoreError
            The file is as it was before.
        """
        try:
            handle = self.held or self._opened(os.O_RDWR | os.O_APPEND) or self._made()
        except OSError as error:
            raise store_error(error, self.where) from error
        start = self.size
        before = b"\n" if self._lacks_newline else b""
        token = self.seen.token
        if not start:
            before, token = new_header(session_id)
            self.session = session_id
        try:
            self._disk.write(handle.descriptor, before + data)
            self._saw(handle, start + len(before) + len(data), token)
        except OSError as error:
            self._cut(handle, start)
            raise store_error(error, self.where) from error
        finally:
            if handle is not self.held:
                handle.close()
        self._lacks_newline, self.is_unsynced = False, True
        return start + len(before)

    def undo(self, size: int) -> None:
        """Cut off what was appended last; the lock is still held."""
        handle = self.held or self._opened(os.O_RDWR)
        if handle is not None:
            self._cut(handle, size)
            if handle is not self.held:
                handle.close()

    def cut_torn(self) -> None:
        """Cut off what is no whole line at the end; the lock is held."""
        handle = self._opened(os.O_RDWR)
        if handle is None:
            return
        try:
            self._disk.truncate(handle.descriptor, self.size)
            self._saw(handle, self.size, self.seen.token)
        except OSError as error:
            raise store_error(error, self.where) from error
        finally:
            handle.close()
        self.torn = 0

    def sync(self) -> None:
        """Force everything to the disk: the lines, and once the name of the file.

        Raises
        ------
        StoreError
            The system could not.
        """
        try:
            handle = self.held or self._opened(os.O_RDWR)
            if handle is None:
                return
            try:
                self._disk.sync(handle.descriptor)
            finally:
                if handle is not self.held:
                    handle.close()
            if not self._is_name_on_disk:
                sync_folder(self.path.parent)
            self._is_name_on_disk, self.is_unsynced = True, False
        except OSError as error:
            raise store_error(error, self.where) from error

    def hold(self) -> None:
        """Keep the file open, if that is possible: a turn of this process is."""
        if self.held is None:
            with suppress(StoreError):
                self.held = self._opened(os.O_RDWR | os.O_APPEND)

    def let_go(self) -> None:
        """Close the file."""
        held, self.held = self.held, None
        if held is not None:
            held.close()

    def reader(self) -> Handle | None:
        """Open the file for reading if it is the one whose places are known."""
        handle = self._opened(os.O_RDONLY)
        if handle is not None and handle.identity[1] != self.seen.inode:
            handle.close()
            return None
        return handle

    def replaced(self, new: Path, size: int, token: str) -> None:
        """Go on with a file that was written beside this one, and put it in its place; the lock is held.

        Parameters
        ----------
        new : Path
            On the disk already.
        size : int
            How much of it is known.
        token : str
        """
        is_held = self.held is not None
        self._disk.replace(new, self.path)
        self.forget()
        handle = self._opened(os.O_RDWR | os.O_APPEND)
        if handle is not None:
            self._saw(handle, size, token)
            if is_held:
                self.held = handle
            else:
                handle.close()

    def forget(self) -> None:
        """Let go of the file, and know nothing of it; its turns stay known."""
        self.let_go()
        self.seen, self.torn = Seen(), 0
        self._lacks_newline = self._is_name_on_disk = False

    def _opened(self, flags: int) -> Handle | None:
        try:
            descriptor = self._disk.open(self.path, flags)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise (_unreadable if flags == os.O_RDONLY else store_error)(error, self.where) from error
        return Handle(descriptor, is_writable=flags != os.O_RDONLY)

    def _made(self) -> Handle:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL
        self.forget()
        try:
            descriptor = self._disk.open(self.path, flags)
        except FileNotFoundError:
            self._disk.make_folder(self.path.parent)
            for folder in self.path.parents[1:3]:  # the store's, and where its name is
                sync_folder(folder)
            descriptor = self._disk.open(self.path, flags)
        return Handle(descriptor, is_writable=True)

    def _cut(self, handle: Handle, size: int) -> None:
        try:
            self._disk.truncate(handle.descriptor, size)
        except OSError:
            return  # the next look finds what is there now
        self._saw(handle, size, self.seen.token if size else "")

    def _saw(self, handle: Handle, size: int, token: str) -> None:
        status = os.fstat(handle.descriptor)
        self.seen = Seen(status.st_ino, size, status.st_mtime_ns, token)

    def _start_anew(self, token: str) -> None:
        """Read the file from its beginning: it is not the one that was read before, or it was cut."""
        for turn in self._turns.files.get(self.name, {}).values():
            self.unseen.setdefault(turn.id, turn.places)
            turn.places, turn.end_at = [], -1
        self.seen, self._is_name_on_disk = Seen(token=token), False

    def _read_on(self, handle: Handle, *, is_final: bool) -> Sight:
        self.torn = 0
        self._saw(handle, self.size, self.seen.token)
        for data, is_last in self._chunks(handle):
            reading = lines.read(data, self.size)
            if reading.damaged and not is_final:
                return "unclear"
            starts = sorted([start for start, _ in reading.rows] + [start for start, _ in reading.damaged])
            ends = dict(pairwise([*starts, reading.torn_at]))
            for start, row in reading.rows:
                self._take(start, ends[start], row)
            self.damaged += reading.damaged
            self.seen = self.seen._replace(size=reading.torn_at)
            self._lacks_newline = reading.lacks_newline
            if is_last:
                self.torn = len(reading.torn)
        return "whole"

    def _chunks(self, handle: Handle) -> Iterator[tuple[bytes, bool]]:
        """Yield whole lines from the known size on; the last piece ends where the file does."""
        total, length = handle.size(), _CHUNK
        while self.size < total:
            end = min(self.size + length, total)
            data = self._disk.read(handle.descriptor, self.size, end)
            if end < total:
                whole = data.rfind(b"\n") + 1
                if not whole:  # a line longer than that
                    length *= 2
                    continue
                data = data[:whole]
            yield data, end == total
            if end == total:
                return  # what is left is torn
            length = _CHUNK

    def _take(self, start: int, end: int, row: Row) -> None:
        if start == 0 and "schema" in row:
            lines.check_header(row, KIND, self.where)
            self.session = str(row.get("session") or "")
            return
        try:
            turn = self._turn_of(row)
        except StoreError:
            self.damaged.append((start, lines.encode(row)))
            return
        if turn is None:
            return
        turn.add_place(start, end)
        if row.get("record") == "end":
            self._turns.close(turn, cast("Row", row["row"]), start)
        self.unseen.pop(turn.id, None)
        self.dirty[turn.id] = turn

    def _turn_of(self, line: Row) -> KnownTurn | None:
        """Find or make the turn a line is of; nothing when it is in another file."""
        turn_id = turn_of(line)
        turn = self._turns.by_id.get(turn_id)
        if turn is None:
            writer = line.get("writer")
            turn = KnownTurn(turn_id, 0, {}, self.name, writer=writer if isinstance(writer, int) else 0)
            self._turns.add_read(turn, self._row_of(turn_id, line))
        return turn if turn.file == self.name else None

    def _row_of(self, turn_id: str, line: Row) -> Row:
        row = line.get("row")
        if isinstance(row, dict):
            return row
        at = line.get("at", "")
        return {"id": turn_id, "session_id": self.session, "text": "", "started_at": at, "outcome": "running"}


def _unreadable(error: OSError, where: str) -> StoreError:
    return StoreError(f"{where} cannot be read: {error.strerror}; mend that and try again", "store")
