"""A file of checksummed lines that is the only truth about some tables, whoever writes to it.

::

    {"schema":1,"kind":"documents","store":"5f0c…","generation":2,"snapshot":1,"crc":"…"}
    {"ops":[["put","task",1,{"id":"task-1","title":"Water the plants"}]],"crc":"…"}
    {"ops":[["remove","task",1]],"crc":"…"}

A change is one line at the end, written under the lock after reading what others wrote; readers look at the size of
the file before they answer. When too much of it is past, whoever holds the lock writes a new file and puts it in the
place of the old one; others notice by its inode.
"""

from __future__ import annotations

import logging
import os
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from lango_nb.core.errors import StoreError
from lango_nb.stores import lines
from lango_nb.stores.atomic import set_aside, store_error
from lango_nb.stores.disk import Disk, Handle
from lango_nb.stores.journal_reading import Findings, Passage, interpret
from lango_nb.stores.journal_rows import Operation, Tables, operations_of
from lango_nb.stores.journal_snapshot import APPEND, lines_of, temporary_of, write_snapshot
from lango_nb.stores.locks import READ_ONLY, PathLock, read_only, tell_after_fork
from lango_nb.stores.store import Durability, Problem, Row

if TYPE_CHECKING:
    from pydantic import JsonValue

logger = logging.getLogger("lango_nb")


class JournalFile:
    """Tables that are in memory and in a file, and the same in both.

    Parameters
    ----------
    path : Path
    kind : str
        What the header says.
    durability : {"turn", "event", "none"}
    lock_timeout_s : float
    report : callable, optional
        Gets every problem that is found; without it they are logged.
    compact_at : int
        Size in bytes below which nothing is compacted.
    disk : Disk
    """

    def __init__(  # noqa: PLR0913 - each is a choice of whoever opens the file
        self,
        path: Path,
        kind: str,
        *,
        durability: Durability = "turn",
        lock_timeout_s: float = 10.0,
        report: Callable[[Problem], None] | None = None,
        compact_at: int = 1_000_000,
        disk: Disk | None = None,
    ) -> None:
        self.path, self._kind = Path(os.path.realpath(path)), kind
        self.tables = Tables()
        self._durability, self._report, self._compact_at = durability, report, compact_at
        self._disk = disk or Disk()
        self._where = f"{self.path.parent.name}/{self.path.name}"
        self._lock = PathLock(self.path.with_name(f"{self.path.name}.lock"), lock_timeout_s, self._where)
        self.threads = threading.RLock()
        """Held while anything here is looked at or changed."""
        self._is_locked = self._is_urgent = self._is_unsynced = self._is_closed = False
        self._handle: Handle | None = None
        self._header: Row = {}
        self._end = self._limit = 0  # bytes that are understood, and from which on they are too many
        self._lacks_newline = self._is_unsettled = self._is_gone = self._is_doubtful = False
        self._pending: list[list[Operation]] = []
        self._line = b""
        tell_after_fork(self)
        with self.reading():
            self._sweep()

    @contextmanager
    def reading(self) -> Iterator[Tables]:
        """Catch up with others; no thread changes the tables meanwhile.

        Yields
        ------
        Tables
            To be looked at inside only.
        """
        with self.threads:
            if not self._is_locked:
                self._check_open()
                self._catch_up()
            yield self.tables

    @contextmanager
    def unit(self, *, is_urgent: bool = True) -> Iterator[Tables]:
        """Take the lock and catch up; what is staged inside is written as one line at the end, or not at all.

        Parameters
        ----------
        is_urgent : bool
            Whether it is on the disk when the unit ends.

        Yields
        ------
        Tables
            To be changed by :meth:`stage` only.
        """
        with self.threads:
            if self._is_locked:
                self._is_urgent |= is_urgent
                yield self.tables
                return
            self._check_open()
            with self._locked():
                self._is_urgent = is_urgent
                try:
                    self._catch_up()
                    yield self.tables
                    self._commit()
                finally:
                    self._take_back()

    def stage(self, operations: Sequence[Operation]) -> None:
        """Change the tables inside a unit.

        Parameters
        ----------
        operations : sequence of list

        Raises
        ------
        StoreError
            They are not JSON; nothing is changed.
        """
        if operations:
            self._line = lines.encode({"ops": cast("list[JsonValue]", operations)})
            written = operations_of(lines.decode(self._line)) or []  # shares nothing with the caller, and as read later
            self._pending.append(written)
            self.tables.apply(written)

    def version(self) -> object:
        """Return something cheap that differs after somebody wrote."""
        status = self._status()
        return (status.st_ino, status.st_size) if status is not None else None

    def sync(self) -> None:
        """Force what was written to the disk."""
        if self._is_doubtful:
            self.compact()
        elif self._is_unsynced:
            with self.reading():  # somebody may have put another file in the place of ours
                try:
                    if self._handle is not None and self._durability != "none":
                        self._force(self._handle)
                except OSError as error:
                    raise store_error(error, self._where) from error
                self._is_unsynced = False

    def compact(self) -> None:
        """Write the file anew, without what is past; inside a unit that changed something, do nothing."""
        with self.unit():
            if self._handle is not None and not self._pending:
                self._rewrite(self.tables)

    def check(self) -> list[Problem]:
        """Read the file and say what is wrong with it; changes nothing."""
        with self.threads:
            if self._status() is None:
                return []
            try:
                findings = self._read(self._opened(), 0).findings
                if findings:  # perhaps somebody is just writing
                    with suppress(StoreError), self._lock:
                        findings = self._read(self._opened(), 0).findings
            except StoreError as error:
                is_newer = error.code == "newer_schema"
                return [Problem("newer_schema" if is_newer else "damaged", self.path.name, str(error))]
            return findings.problems(self.path.name, is_mended=False)

    def close(self) -> None:
        """Force everything to the disk and let go of the file; closing twice is no error."""
        with self.threads:
            try:
                if not self._is_closed:
                    self.sync()
            finally:
                self._is_closed = True
                self._forget()

    def after_fork(self) -> None:
        """Forget what threads of the parent were just doing, and with it what they may have half done."""
        self.threads, self._is_locked = threading.RLock(), False
        self._pending.clear()
        self._forget()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            self._disk.make_folder(self.path.parent)
        except OSError as error:
            raise store_error(error, self._where) from error
        with self._lock:
            self._is_locked = True
            try:
                yield
            finally:
                self._is_locked = False

    def _try_locked(self) -> str:
        """Look again with the lock, and return why that is not possible."""
        try:
            with self._locked():
                self._catch_up()
        except StoreError as error:
            if error.code in {"locked", "read_only"}:
                return error.code
            raise
        return ""

    def _catch_up(self) -> None:
        status = self._status()
        if status is None:
            if self._handle is not None:
                self._restore()
        elif self._handle is None or self._handle.identity != (status.st_dev, status.st_ino):
            self._load()
        elif status.st_size < self._end:
            self._restore()
        elif self._is_unsettled and self._is_locked:
            self._load()
        elif status.st_size > self._end:
            self._extend()

    def _load(self) -> None:
        """Read the whole file."""
        handle = self._opened()
        passage = self._read(handle, 0)
        hindrance = ""
        if passage.findings and not self._is_locked:  # perhaps somebody is just writing
            hindrance = self._try_locked()
            if not hindrance:
                return
        if self._handle is not None and not self._is_successor(passage):
            self._keep_replaced()
        self._handle, self._header, self.tables = handle, passage.header, Tables()
        self._limit, self._is_unsettled = 2 * passage.snapshot_end, False
        self._advance(passage, hindrance)

    def _extend(self) -> None:
        """Read what was added to the file."""
        handle = cast("Handle", self._handle)
        passage = self._read(handle, self._end)
        hindrance = ""
        if passage.findings.damaged and not self._is_locked:
            hindrance = self._try_locked()
            if not hindrance:
                return
        if not self._is_locked:
            passage.findings.torn = 0  # somebody is just writing
        self._header = passage.header or self._header
        self._advance(passage, hindrance)

    def _advance(self, passage: Passage, hindrance: str) -> None:
        for operations in passage.changes:
            self.tables.apply(operations)
        self._end, self._lacks_newline = passage.end, passage.lacks_newline
        self._is_unsettled |= hindrance == "locked"
        if passage.findings and hindrance != "locked":
            is_mended = self._is_locked and self._mend(passage.findings)
            for problem in passage.findings.problems(self.path.name, is_mended=is_mended):
                self._tell(problem)

    def _mend(self, findings: Findings) -> bool:
        """Bring the file in order, and tell whether that was possible."""
        try:
            for offset, data in findings.damaged:
                set_aside(self.path.parent, f"{self.path.name}-{offset}", data)
            if findings.damaged or findings.has_no_header:
                self._rewrite(self.tables)
            else:
                self._disk.truncate(self._writable().descriptor, self._end)
        except (OSError, StoreError) as error:
            logger.warning("%s cannot be mended: %s", self._where, error)
            return False
        return True

    def _restore(self) -> None:
        """Write everything anew: somebody removed or cut the file."""
        handle = cast("Handle", self._handle)
        if not self._is_locked:
            if self._try_locked() and not self._is_gone:
                self._is_gone = True
                self._tell_gone("are only in the memory of this process", "copy them to another store")
            return
        if handle.size() > self._end:
            for operations in self._read(handle, self._end).changes:  # others wrote before it was removed
                self.tables.apply(operations)
        if not len(self.tables):
            self._forget()
            return
        self._rewrite(self.tables)
        self._is_gone = False
        self._tell_gone("were written anew", "find out what removes or cuts files there")

    def _tell_gone(self, became: str, next_step: str) -> None:
        detail = f"somebody removed or cut the file; its {len(self.tables)} documents {became}"
        self._tell(Problem("missing", self.path.name, detail, next_step))

    def _keep_replaced(self) -> None:
        """Keep what is known of a file that somebody replaced by one that is not its successor."""
        data = b"".join(lines_of(self.tables))
        if data:
            try:
                became = f"are in .quarantine/{set_aside(self.path.parent, f'{self.path.name}-replaced', data).name}"
            except (OSError, StoreError) as error:
                became = f"cannot be kept: {error}"
            detail = f"another file was put in its place; the {len(self.tables)} documents of the former {became}"
            self._tell(Problem("missing", self.path.name, detail, "import from there what is still wanted"))

    def _is_successor(self, passage: Passage) -> bool:
        mine, found = self._header, passage.header
        if not mine or not found:
            return True
        generations = cast("int", mine.get("generation", 0)), cast("int", found.get("generation", 0))
        is_grown = generations[1] > generations[0] or (generations[1] == generations[0] and passage.end >= self._end)
        return mine.get("store") == found.get("store") and is_grown

    def _commit(self) -> None:
        if not self._pending:
            return
        line = self._line
        if len(self._pending) > 1:
            line = lines.encode({"ops": [cast("JsonValue", change) for part in self._pending for change in part]})
        if self._lacks_newline:
            line = b"\n" + line
        was_doubtful = self._is_doubtful
        is_forced = self._durability == "event" or (self._durability == "turn" and self._is_urgent)
        try:
            handle = self._writable()
            self._disk.write(handle.descriptor, line)
            if is_forced:
                self._force(handle)
        except OSError as error:
            raise store_error(error, self._where, "nothing was changed") from error
        self._pending.clear()
        self._end += len(line)
        self._lacks_newline, self._is_unsynced = False, not is_forced
        self._compact_when_due(was_doubtful=was_doubtful)

    def _force(self, handle: Handle) -> None:
        """Force a file to the disk; once that failed, the system may forget what it should have written."""
        self._is_doubtful = True
        self._disk.sync(handle.descriptor)
        self._is_doubtful = False

    def _take_back(self) -> None:
        """Make the file and the tables what they were, when what was staged is not wanted or cannot be written."""
        if not self._pending:
            return
        self._pending.clear()
        if self._handle is None:
            self.tables = Tables()
            return
        try:
            if self._handle.is_writable and self._handle.size() > self._end:
                self._disk.truncate(self._handle.descriptor, self._end)
        except OSError as error:  # the next one who writes finds it torn
            logger.warning("%s: what was half written is still there: %s", self._where, error)
        try:
            passage = self._read(self._handle, 0, self._end)
        except StoreError:
            self._forget()  # all of it is read again with the next look
            raise
        self.tables = Tables()
        for operations in passage.changes:
            self.tables.apply(operations)

    def _compact_when_due(self, *, was_doubtful: bool) -> None:
        is_due = self._end > max(self._limit, self._compact_at) and self.tables.replaced
        if is_due or was_doubtful:
            try:
                self._rewrite(self.tables)
            except StoreError as error:
                self._limit = 2 * self._end
                code: Literal["full", "read_only"] = "read_only" if error.code == "read_only" else "full"
                self._tell(
                    Problem(code, self.path.name, f"it cannot be made smaller: {error}", "make room on the disk")
                )

    def _rewrite(self, tables: Tables) -> None:
        """Put a file with nothing but these tables in the place of the present one."""
        generation, store = self._header.get("generation", 0), self._header.get("store", secrets.token_hex(8))
        generation = generation + 1 if isinstance(generation, int) else 1
        header = lines.header(self._kind, store=store, generation=generation, snapshot=tables.lines())
        try:
            handle = write_snapshot(
                self.path, header, tables, self._disk, former=self._handle, is_durable=self._durability != "none"
            )
        except OSError as error:
            raise store_error(error, self._where) from error
        self._handle, self._header = handle, header
        self._end, self._lacks_newline = handle.size(), False
        self._limit, self._is_unsynced, self._is_doubtful = 2 * self._end, False, False
        self.tables.replaced = 0

    def _writable(self) -> Handle:
        """Return the open file, at whose end the next line belongs."""
        if self._handle is None or not self._end:
            self._rewrite(Tables())
        handle = cast("Handle", self._handle)
        if not handle.is_writable:
            handle = self._handle = self._opened()
            if not handle.is_writable:
                raise read_only(self._where)
        if handle.size() > self._end:
            self._disk.truncate(handle.descriptor, self._end)
        return handle

    def _opened(self) -> Handle:
        try:
            try:
                return Handle(self._disk.open(self.path, APPEND), is_writable=True)
            except OSError as error:
                if error.errno not in READ_ONLY:
                    raise
                return Handle(self._disk.open(self.path, os.O_RDONLY), is_writable=False)
        except OSError as error:
            raise self._unreadable(error) from error

    def _read(self, handle: Handle, start: int, end: int | None = None) -> Passage:
        try:
            data = self._disk.read(handle.descriptor, start, handle.size() if end is None else end)
        except OSError as error:
            raise self._unreadable(error) from error
        return interpret(data, start, self._kind, self._where)

    def _status(self) -> os.stat_result | None:
        try:
            return os.stat(self.path)  # noqa: PTH116 - before every read, and pathlib takes twice as long
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: OSError) -> StoreError:
        return StoreError(f"{self._where} cannot be read: {error.strerror}; mend that and try again", "store")

    def _sweep(self) -> None:
        """Remove what a process left that died while it wrote a new file."""
        temporary = temporary_of(self.path)
        try:
            if temporary.exists() and self._lock.take():
                try:
                    self._disk.remove(temporary)
                finally:
                    self._lock.let_go()
        except (OSError, StoreError) as error:
            logger.debug("%s stays: %s", temporary.name, error)

    def _forget(self) -> None:
        self._handle, self._header, self.tables = None, {}, Tables()
        self._end = self._limit = 0
        self._lacks_newline = self._is_gone = False

    def _check_open(self) -> None:
        if self._is_closed:
            raise StoreError(f"{self._where} was closed; open the store again", "closed")

    def _tell(self, problem: Problem) -> None:
        if self._report is not None:
            self._report(problem)
        else:
            logger.warning("%s: %s", problem.where, problem.detail)
