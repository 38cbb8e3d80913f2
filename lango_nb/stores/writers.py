"""Who has the store open: every opening that writes has a number of its own and a lock for as long as it lives.

::

    writers/
    ├── numbers.jsonl   the highest numbers ever given: of openings, and of turns that are gone
    ├── numbers.lock
    └── 7.lock          held by opening 7; whoever can take it knows that 7 is gone
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from lango_nb.core.errors import StoreError
from lango_nb.stores import lines
from lango_nb.stores.atomic import replace_file, set_aside, store_error
from lango_nb.stores.locks import PathLock, tell_after_fork
from lango_nb.stores.place import Place
from lango_nb.stores.store import Problem

_FOLDER = "writers"
_KIND = "numbers"
_PROBES = 3
"""How often a lock is tried before its holder counts as alive."""
_PROBE_S = 0.001


class Numbers:
    """The highest numbers that were ever given, for those that cannot be read off the records any more.

    Parameters
    ----------
    place : Place
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._path = place.folder / _FOLDER / "numbers.jsonl"
        lock = place.folder / _FOLDER / "numbers.lock"
        self.lock = PathLock(lock, place.lock_timeout_s, "the store's list of writers")
        self._seen: tuple[int, int] | None = None
        self._highest: dict[str, int] = {}

    def highest(self, noun: str) -> int:
        """Return the highest number that was noted.

        Parameters
        ----------
        noun : {"writer", "turn"}

        Returns
        -------
        int
            0 when there is none.
        """
        try:
            found = os.stat(self._path)  # noqa: PTH116 - with every turn
        except OSError:
            return 0
        seen = (found.st_ino, found.st_mtime_ns)
        if seen != self._seen:
            self._highest = self._read()
            self._seen = seen
        return self._highest.get(noun, 0)

    def note(self, noun: str, number: int) -> None:
        """Remember that a number was given, on the disk; the lock is held.

        Parameters
        ----------
        noun : {"writer", "turn"}
        number : int
            Lower ones than the highest so far change nothing.
        """
        if number <= self.highest(noun):
            return
        content = lines.header(_KIND, **{**self._highest, noun: number})
        try:
            replace_file(self._path, [lines.encode(content)], is_durable=self._place.is_durable)
        except OSError as error:
            raise store_error(error, "the store's list of writers") from error
        self._seen = None

    def _read(self) -> dict[str, int]:
        data = self._path.read_bytes()
        try:
            row = lines.decode(data)
        except ValueError:
            with suppress(OSError):
                set_aside(self._place.folder, self._path.name, data)
            self._place.report(
                Problem(
                    "damaged",
                    f"{_FOLDER}/{self._path.name}",
                    "It could not be read and was made anew from what is stored.",
                )
            )
            return {}
        lines.check_header(row, _KIND, f"{_FOLDER}/{self._path.name}")
        return {noun: row[noun] for noun in ("writer", "turn") if isinstance(row.get(noun), int)}  # type: ignore[misc]


class Writers:
    """Openings of one store.

    Parameters
    ----------
    folder : Path
        The store's folder.
    numbers : Numbers
    used : callable
        Returns the numbers of writers that are named in the records.
    """

    def __init__(self, folder: Path, numbers: Numbers, used: Callable[[], Iterable[int]]) -> None:
        self._folder, self.numbers, self._used = folder / _FOLDER, numbers, used
        self._number = 0
        self._lock: PathLock | None = None
        tell_after_fork(self)

    @property
    def number(self) -> int:
        """The number of this opening, 0 before it has one."""
        return self._number

    def take(self) -> int:
        """Return this opening's number; the first call takes one and holds its lock.

        Returns
        -------
        int

        Raises
        ------
        StoreError
            The folder may only be read, or the list of writers is locked.
        """
        if self._number:
            return self._number
        with self.numbers.lock:
            if self._number:
                return self._number
            number = max(self.numbers.highest("writer"), *self._used(), *self._with_locks(), 0) + 1
            self.numbers.note("writer", number)
            lock = self._lock_of(number)
            if not lock.take():
                raise StoreError(f"writer {number} of the store is locked already; try again", "locked")
            self._lock, self._number = lock, number
        return number

    def is_gone(self, number: int) -> bool:
        """Tell whether the process that wrote under a number is gone, or has closed the store.

        Parameters
        ----------
        number : int

        Returns
        -------
        bool
        """
        if number == self._number and number:
            return False
        lock = self._lock_of(number)
        for _ in range(_PROBES):
            if not self._path_of(number).exists():
                return True
            try:
                is_gone = lock.take()
            except StoreError:  # it may not be touched
                return False
            if is_gone:
                lock.let_go()
                return True
            time.sleep(_PROBE_S)  # perhaps somebody else is just asking the same
        return False

    def sweep(self) -> None:
        """Remove lock files of writers that are gone: without one, they are gone as well."""
        for number in self._with_locks():
            if number != self._number:
                with self.numbers.lock:  # nobody makes a lock file now
                    lock = self._lock_of(number)
                    if lock.take():
                        self._remove(number)
                        lock.let_go()

    def release(self) -> None:
        """Be a writer no longer."""
        lock, number = self._lock, self._number
        self._lock, self._number = None, 0
        if lock is not None:
            self._remove(number)
            lock.let_go()

    def after_fork(self) -> None:
        """Be nobody yet: the parent is the writer it was."""
        self._lock, self._number = None, 0

    def _with_locks(self) -> list[int]:
        try:
            names = os.listdir(self._folder)  # noqa: PTH208 - names are all that is wanted
        except OSError:
            return []
        stems = (name.removesuffix(".lock") for name in names if name.endswith(".lock"))
        return [int(stem) for stem in stems if stem.isascii() and stem.isdigit()]

    def _remove(self, number: int) -> None:
        with suppress(OSError):
            self._path_of(number).unlink()

    def _path_of(self, number: int) -> Path:
        return self._folder / f"{number}.lock"

    def _lock_of(self, number: int) -> PathLock:
        return PathLock(self._path_of(number), 0, f"writer {number} of the store")
