"""Walks through the folders of a workspace: every place in a fixed order, no link followed, nothing out of reach.

    Walk          everything below a folder, sorted by path
    PathPattern   which of it a pattern such as ``docs/**/*.md`` means

A folder is opened in the one above it, as ``paths.py`` does, so a folder that is swapped for a link is not entered.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import NamedTuple

from lango_nb.core.errors import ToolError, shorten
from lango_nb.core.text import printable
from lango_nb.tools.arguments import BAD_ARGUMENT
from lango_nb.tools.builtin.paths import MOST_FOLDERS, Place, is_closed

Visit = tuple[tuple[str, ...], Place]
"""The names from the top of a walk on, and the place."""
ANY_FOLDERS = "**"
MOST_ENTERED = 20_000
"""Folders that one walk enters."""
MOST_PARTS = 50
"""Parts of the longest pattern."""


class Walk:
    """The places below a folder, sorted by path: iterate over it once, and use each place before the next comes.

    Parameters
    ----------
    top : Place
        A folder.
    enters : callable
        Tells of a folder, by its names from ``top`` on, whether what it holds is visited too.
    """

    def __init__(self, top: Place, enters: Callable[[tuple[str, ...]], bool]) -> None:
        self._top, self._enters = top, enters
        self.folders = 0
        """Folders that were entered."""
        self.unread = 0
        """Folders that could not be read, or lie too deep."""

    def __iter__(self) -> Generator[Visit, None, None]:
        """Visit every place, with its names from the folder on.

        Raises
        ------
        OSError
            The folder itself cannot be read.
        ToolError
            There are too many folders.
        """
        with _opened(self._top) as opened:
            yield from self._below(self._top, opened, ())

    def _below(self, place: Place, opened: _Opened, above: tuple[str, ...]) -> Generator[Visit, None, None]:
        self.folders += 1
        if self.folders > MOST_ENTERED:
            told = f"{self._top.shown} holds more than {MOST_ENTERED:,} folders; name one of them with path"
            raise ToolError(told, "too_large")
        folder = opened.folder
        for name in opened.names:
            entry = os.path.join(place.entry, name) if folder is None else name  # noqa: PTH118 - a text
            try:
                found = os.stat(entry, dir_fd=folder, follow_symlinks=False)
            except FileNotFoundError:  # deleted meanwhile
                continue
            if is_closed(found, place.closed):
                continue
            names = (*above, name)
            shown = printable(name if place.is_root else f"{place.shown}/{name}")
            child = replace(place, shown=shown, folder=folder, entry=entry, found=found)
            yield names, child
            if child.is_folder and self._enters(names):
                yield from self._inside(child, names)

    def _inside(self, place: Place, names: tuple[str, ...]) -> Generator[Visit, None, None]:
        if len(names) == MOST_FOLDERS:
            self.unread += 1
            return
        with ExitStack() as stack:
            try:
                opened = stack.enter_context(_opened(place))
            except OSError:
                self.unread += 1
                return
            yield from self._below(place, opened, names)


class _Opened(NamedTuple):
    """A folder that is being read."""

    folder: int | None
    """Its handle; ``None`` where there are no handles."""
    names: list[str]
    """What it holds, sorted."""


@contextmanager
def _opened(place: Place) -> Iterator[_Opened]:
    if place.folder is None:
        yield _Opened(None, sorted(os.listdir(place.entry)))  # noqa: PTH208 - a text
        return
    handle = place.open(os.O_RDONLY | os.O_DIRECTORY)
    try:
        if is_closed(os.fstat(handle), place.closed):  # it took another's place meanwhile
            raise PermissionError
        yield _Opened(handle, sorted(os.listdir(handle)))  # noqa: PTH208 - of a handle
    finally:
        os.close(handle)


class PathPattern:
    """A pattern of paths: ``*``, ``?`` and ``[…]`` within a name, ``**`` for any folders.

    Names that begin with a dot are meant only where the pattern has the dot.

    Parameters
    ----------
    pattern : str
        Relative; one that ends in ``/`` means folders only.

    Raises
    ------
    ToolError
        It is empty, absolute, or leads up.

    Examples
    --------
    >>> pattern = PathPattern("docs/**/*.md")
    >>> pattern.fits(("docs", "a.md")), pattern.fits(("docs", "x", "y", "a.md")), pattern.fits(("docs", ".a.md"))
    (True, True, False)
    >>> pattern.leads_into(("docs", "x")), pattern.leads_into(("src",))
    (True, False)
    """

    def __init__(self, pattern: str) -> None:
        shown = printable(shorten(pattern, 80))
        if not pattern.strip("/ "):
            raise ToolError("pattern is empty; '*' is everything in the folder, '**' everything below it", BAD_ARGUMENT)
        parts = [part for part in pattern.split("/") if part not in {"", "."}]
        if pattern.startswith(("/", "~")) or ".." in parts:
            raise ToolError(f"pattern {shown!r} leads out of the folder; name the folder with path", BAD_ARGUMENT)
        if len(parts) > MOST_PARTS or len(pattern) > MOST_PARTS * MOST_PARTS:
            raise ToolError(f"pattern {shown!r} is too long; {MOST_PARTS} parts are the most", BAD_ARGUMENT)
        self.written = shown
        self.is_of_folders = pattern.endswith("/")
        self._parts = tuple(parts)

    def fits(self, names: tuple[str, ...]) -> bool:
        """Tell whether a path is meant."""
        return len(self._parts) in self._reached(names)

    def leads_into(self, names: tuple[str, ...]) -> bool:
        """Tell whether anything below a folder can be meant."""
        return any(at < len(self._parts) for at in self._reached(names))

    def _reached(self, names: tuple[str, ...]) -> set[int]:
        """Return how many parts of the pattern a path can have used up; empty when it does not fit."""
        reached = self._with_none_for_any({0})
        for name in names:
            reached = self._with_none_for_any({after for at in reached for after in self._after(at, name)})
            if not reached:
                break
        return reached

    def _after(self, at: int, name: str) -> Iterator[int]:
        if at == len(self._parts):
            return
        part = self._parts[at]
        if part == ANY_FOLDERS:
            if not name.startswith("."):
                yield at
        elif fnmatchcase(name, part) and (part.startswith(".") or not name.startswith(".")):
            yield at + 1

    def _with_none_for_any(self, reached: set[int]) -> set[int]:
        """Add what is reached when ``**`` stands for no folder at all."""
        more = set(reached)
        for at in sorted(reached):
            while at < len(self._parts) and self._parts[at] == ANY_FOLDERS:
                at += 1  # noqa: PLW2901 - the end of a row of them
                more.add(at)
        return more
