"""A store in a folder: documents in one journal, turns in one file per session, and an index of the turns.

::

    records/
    ├── documents.jsonl     tasks, memories, runs, …: one line per change
    ├── index.jsonl         one line per turn; made anew from the events when it is lost
    ├── events/
    │   └── main-d9cb9db2.jsonl   everything that happened in session main
    ├── writers/            who has the store open
    ├── locks/
    └── .quarantine/        what was damaged

Several processes may use it at once. Nothing is written before the first record is.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from lango_nb.core.errors import StoreError
from lango_nb.stores.checking import check_files
from lango_nb.stores.disk import Disk
from lango_nb.stores.folder_log import FolderLog
from lango_nb.stores.index import TurnIndex
from lango_nb.stores.known_turns import KnownTurns
from lango_nb.stores.locks import tell_after_fork
from lango_nb.stores.place import Place
from lango_nb.stores.session_files import SessionFiles
from lango_nb.stores.writers import Numbers, Writers

if TYPE_CHECKING:
    from lango_nb.stores.journal import JournalDB
    from lango_nb.stores.store import Documents, Durability, Problem


class FolderStore:
    """Records in a folder.

    Parameters
    ----------
    folder : Path
        Need not be there.
    durability : {"turn", "event", "none"}
        When bytes are forced to the disk.
    lock_timeout_s : float
        How long a lock of another process is waited for.
    disk : Disk, optional
        What is done with files; a test puts one that fails in its place.

    Raises
    ------
    StoreError
        With code ``newer_schema``: a newer version wrote something there; nothing is changed.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> store = FolderStore(Path(mkdtemp()), durability="none")
    >>> store.log.begin({"id": "turn-1", "session_id": "main", "text": "hi", "started_at": "2026-01-01"})
    1
    >>> store.close()
    """

    name = "journal"
    is_durable = True

    def __init__(
        self,
        folder: Path,
        *,
        durability: Durability = "turn",
        lock_timeout_s: float = 10.0,
        disk: Disk | None = None,
    ) -> None:
        folder = Path(os.path.abspath(folder))  # noqa: PTH100 - links stay links, in what is shown too
        self.where = shown(folder)
        self.problems: list[Problem] = []
        is_read_only = folder.exists() and not _is_writable(folder)
        self._place = Place(folder, durability, lock_timeout_s, self._report, disk or Disk(), is_read_only)
        self._opening = threading.RLock()
        self._database: JournalDB | None = None
        self._is_closed = False
        tell_after_fork(self)
        turns = self._turns = KnownTurns()
        index = TurnIndex(self._place, turns)
        self._files = SessionFiles(self._place, turns, index)
        self._writers = Writers(folder, Numbers(self._place), self._named_writers)
        self.log = FolderLog(self._place, turns, self._files, self._writers, self._sync_documents)
        try:
            self._files.load()
        except BaseException:
            self._files.close()
            raise

    def documents(self, kind: str) -> Documents:
        """Return the rows of one kind."""
        return self._documents().documents(kind)

    def writer(self) -> int:
        """Return the number of this opening."""
        self._check_open()
        return self._writers.take()

    def is_gone(self, writer: int) -> bool:
        """Tell whether the opening of that number is over."""
        return self._writers.is_gone(writer)

    def sync(self) -> None:
        """Force what was written to the disk."""
        self._check_open()
        if self._place.is_durable:
            self._sync_documents()
            self.log.sync()

    def check(self) -> list[Problem]:
        """Look through everything; changes nothing."""
        self._check_open()
        found = self._documents().check() + self._files.index.check()
        return found + check_files(self._place, self._turns, self._writers, self._files.refresh)

    def close(self) -> None:
        """Let go of everything."""
        with self._opening:
            if self._is_closed:
                return
            self._is_closed = self.log.is_closed = True
            try:
                if self._database is not None:
                    self._database.close()
            finally:
                self._files.close()
                self._writers.release()

    def after_fork(self) -> None:
        """Forget a lock that a thread of the parent held."""
        self._opening = threading.RLock()

    def _documents(self) -> JournalDB:
        if self._database is None:
            from lango_nb.stores.journal import JournalDB

            with self._opening:
                self._check_open()
                if self._database is None:
                    self._database = JournalDB(
                        self._place.folder / "documents.jsonl",
                        "documents",
                        durability=self._place.durability,
                        lock_timeout_s=self._place.lock_timeout_s,
                        report=self._report,
                        disk=self._place.disk,
                    )
        return self._database

    def _sync_documents(self) -> None:
        if self._database is not None:
            self._database.sync()

    def _named_writers(self) -> list[int]:
        with self._turns.lock:
            return [turn.writer for turn in self._turns.by_number.values()]

    def _report(self, problem: Problem) -> None:
        if problem not in self.problems:
            self.problems.append(problem)

    def _check_open(self) -> None:
        if self._is_closed:
            raise StoreError(f"the store in {self.where} was closed; open it again", "closed")


def shown(folder: Path) -> str:
    """Write a folder as it may be shown: the home folder as ``~``.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    str
    """
    try:
        inside = folder.relative_to(Path.home()).as_posix()
    except (ValueError, RuntimeError):
        return folder.as_posix()
    return "~" if inside == "." else f"~/{inside}"


def _is_writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
