"""What every part of the store contract stands on: the hooks of a store under test, and its openings in one test."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from lango_nb.stores.store import Store

Test = TypeVar("Test", bound=Callable[..., None])


class _Hidden:
    """Stands where a test was that a store has no use for; pytest does not collect it."""

    def __init__(self, test: object) -> None:
        self.test = test


def needs(*abilities: str) -> Callable[[Test], Test]:
    """Mark a test as one for stores of certain abilities only.

    Parameters
    ----------
    *abilities : str
        Names of attributes that are true, or of hooks that are written, in the class of the store.

    Returns
    -------
    callable
        Decorator that leaves the test as it is.
    """

    def mark(test: Test) -> Test:
        vars(test)["needs"] = abilities
        return test

    return mark


class StoreUnderTest:
    """Hooks of the contract: :meth:`make` has to be written, the others bring further tests.

    A test whose ability is lacking is not collected at all, so a run shows no skips.
    """

    is_durable: ClassVar[bool] = True
    """Whether records outlive the process: brings the tests that close a store and open it again."""
    processes: ClassVar[bool] = True
    """Whether a store may be open several times at once, in this process and in others. Needs ``os.fork``."""

    _opened: list[tuple[Path, Store]]

    def make(self, place: Path) -> Store:
        """Open the store that lies at a place, or a new one when there is none yet.

        Parameters
        ----------
        place : Path
            A folder of the test's own, empty at first. Stores that lie elsewhere take it as a name.

        Returns
        -------
        Store
        """
        raise NotImplementedError

    def discard(self, place: Path) -> None:
        """Take away what lies at a place when a test is over; the folder itself goes without help."""

    def make_impatient(self, place: Path) -> Store:
        """Open it so that what somebody else has locked is waited for a moment only, a fifth of a second for instance.

        Brings the tests that meet a lock; needs ``processes`` too.
        """
        raise NotImplementedError

    def make_newer(self, place: Path) -> None:
        """Change what lies there so that it seems to be written by a version that nobody knows yet.

        Brings the tests of versions. The store is closed.
        """
        raise NotImplementedError

    def damage(self, place: Path, text: str) -> None:
        """Change one byte, other than a line's end, of the record in which a text stands, wherever it is kept.

        Brings the tests of damaged records. The store is closed. The text stands in one document or in one event.
        """
        raise NotImplementedError

    def lose(self, place: Path) -> None:
        """Take away all files at once, the store being open or not.

        Brings the tests of files that are missing.
        """
        raise NotImplementedError

    def fill(self, place: Path) -> AbstractContextManager[object]:
        """Return a context inside of which there is no room for more than about 300 kB.

        Brings the tests of a full disk. It is entered in a process of its own.
        """
        raise NotImplementedError

    def protect(self, place: Path) -> AbstractContextManager[object]:
        """Return a context inside of which nothing can be written at a place, only read.

        Brings the tests of read-only stores. The store is closed when it is entered; it is entered in a process of its
        own.
        """
        raise NotImplementedError

    def open(self, place: Path) -> Store:
        """Open a store that is closed when the test is over; makes the folder if there is none."""
        place.mkdir(parents=True, exist_ok=True)
        store = self.make(place)
        self._opened.append((place, store))
        return store

    def reopen(self, place: Path) -> Store:
        """Close what this test has open, and open the store as if for the first time."""
        self.close_all()
        return self.open(place)

    def now_and_later(self, place: Path, store: Store) -> Iterator[Store]:
        """Yield an open store, and then, if it is durable, the same one opened again."""
        yield store
        if self.is_durable:
            yield self.reopen(place)

    def close_all(self) -> None:
        """Close what this test has open."""
        for _, store in self._opened:
            store.close()

    def setup_method(self) -> None:
        """Begin with nothing open; pytest calls it before each test."""
        self._opened = []

    def teardown_method(self) -> None:
        """Close and discard what a test has opened; pytest calls it after each test."""
        self.close_all()
        for place in dict.fromkeys(place for place, _ in self._opened):
            self.discard(place)

    def __init_subclass__(cls, **options: Any) -> None:
        """Hide the tests a store has no use for."""
        super().__init_subclass__(**options)
        for name in [name for name in dir(cls) if name.startswith("test")]:
            present = getattr(cls, name)
            test = present.test if isinstance(present, _Hidden) else present
            is_wanted = all(has(cls, ability) for ability in getattr(test, "needs", ()))
            if is_wanted is isinstance(present, _Hidden):
                setattr(cls, name, test if is_wanted else _Hidden(test))


def has(store: type[StoreUnderTest], ability: str) -> bool:
    """Tell whether a store has an ability: an attribute that is true, or a hook that is written."""
    value = getattr(store, ability)
    if ability == "processes":
        return bool(value) and hasattr(os, "fork")
    return value if isinstance(value, bool) else value is not getattr(StoreUnderTest, ability)
