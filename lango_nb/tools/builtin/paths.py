"""Where a file tool may reach: every folder on the way is opened in the one before it, and no link is followed unseen.

A tool works through the handle of the folder that a path ends in, so what another process puts in place of a folder in
the meantime, a link to another place for instance, is never followed. Links are read here and followed within the
workspace; one that leads out is refused. So are the home folder and its keys, also where they lie in the workspace.

Where the system opens nothing relative to a folder (Windows), the same way is gone by whole paths: that keeps a tool
inside the workspace too, but not against a process that swaps folders at that very moment.

Nothing a tool says names the workspace's own folder: places are shown as they are seen from inside it.
"""

from __future__ import annotations

import errno
import os
import posixpath
import re
import stat
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import ToolError, shorten, suggest
from lango_nb.core.text import printable
from lango_nb.tools.arguments import BAD_ARGUMENT
from lango_nb.tools.context import ToolContext

OUTSIDE_WORKSPACE = "outside_workspace"
NOT_FOUND = "not_found"
REFUSED = "refused"
HAS_HANDLES = {os.open, os.stat, os.mkdir, os.unlink, os.rename, os.readlink} <= os.supports_dir_fd and hasattr(
    os, "O_NOFOLLOW"
)
"""Whether this system opens files relative to a folder that is open."""
MOST_LINKS = 40
"""Links that are followed on the way to one place."""
MOST_FOLDERS = 100
"""Folders on the way to one place: each of them is kept open."""
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | NO_FOLLOW
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
Identity = tuple[int, int]
"""Device and number of a file: the same by whatever path it is reached."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place of the workspace, whether something is there or not."""

    shown: str
    """The place as seen from the workspace, fit for one line of text."""
    folder: int | None
    """Handle of the folder it is in, open as long as the place is used; ``None`` where there are no handles."""
    entry: str
    """Its name in that folder; the whole path where there are no handles."""
    found: os.stat_result | None
    """What was there when it was looked for; of a link, the link itself."""
    closed: frozenset[Identity] = frozenset()
    """Folders and files that are out of reach."""

    @property
    def is_root(self) -> bool:
        """Whether it is the workspace itself."""
        return self.shown == "."

    @property
    def is_folder(self) -> bool:
        """Whether it was a folder."""
        return self.found is not None and stat.S_ISDIR(self.found.st_mode)

    @property
    def status(self) -> os.stat_result:
        """What was there when it was looked for.

        Raises
        ------
        FileNotFoundError
            Nothing.
        """
        if self.found is None:
            raise _os_error(errno.ENOENT)
        return self.found

    def open(self, flags: int) -> int:
        """Open what is there; a link is not followed."""
        return os.open(self.entry, flags | NO_FOLLOW, dir_fd=self.folder)

    def beside(self, name: str) -> str:
        """Return the entry of another name in the same folder."""
        return name if self.folder is not None else os.path.join(os.path.dirname(self.entry), name)  # noqa: PTH118, PTH120 - a text


@contextmanager
def reach(context: ToolContext, given: str, *, is_link: bool = False, makes_folders: bool = False) -> Iterator[Place]:
    """Go to the place a path means, and refuse it when it lies outside the workspace.

    Parameters
    ----------
    context : ToolContext
    given : str
        Relative to the workspace, or absolute and inside it. ``~`` is not expanded.
    is_link : bool
        Whether a link at the end of the path is itself the place.
    makes_folders : bool
        Whether missing folders on the way are made.

    Yields
    ------
    Place

    Raises
    ------
    ToolError
        With code ``outside_workspace``; ``refused`` for what is out of reach; ``bad_argument`` for what is not a path.
        What the operating system objects to, here and while the place is used, becomes a sentence about the
        place; where nothing is, it has the code ``not_found`` and the nearest names.
    """
    root = os.path.realpath(context.workspace)
    shown = printable(shorten(given.replace(root, "."), 80))
    parts = _parts(root, given, shown)
    walk = _Walk(root, identities(context.closed), shown, makes_folders=makes_folders)
    try:
        yield walk.to(parts, is_link=is_link and parts[-1:] != ["."])
    except FileNotFoundError as error:
        raise ToolError(f"{shorten(walk.shown, 120)} does not exist; {walk.neighbours()}", NOT_FOUND) from error
    except OSError as error:
        raise ToolError(f"{shorten(walk.shown, 120)}: {_reason(error)}", "os_error") from error
    finally:
        walk.close()


def identities(paths: Collection[Path]) -> frozenset[Identity]:
    """Return the identities of those paths where something is."""
    found = set()
    for path in paths:
        with suppress(OSError, ValueError):
            status = os.stat(path)  # noqa: PTH116 - half the time of Path.stat
            found.add((status.st_dev, status.st_ino))
    return frozenset(found)


def is_closed(status: os.stat_result, closed: Collection[Identity]) -> bool:
    """Tell whether something is out of reach."""
    return (status.st_dev, status.st_ino) in closed


def refuse_closed(shown: str) -> NoReturn:
    """Refuse a place that is out of reach of file tools wherever it lies."""
    raise ToolError(f"path '{shown}' is refused: keys and the home folder are out of reach of file tools", REFUSED)


def refuse_workspace(place: Place) -> None:
    """Refuse the workspace itself where something in it is meant."""
    if place.is_root:
        raise ToolError("the workspace itself cannot be deleted; name something in it", REFUSED)


def _parts(root: str, given: str, shown: str) -> list[str]:
    """Take a path apart, and refuse what is none or lies elsewhere by its looks."""
    if not given.strip():
        raise ToolError("path is empty; '.' is the workspace itself", BAD_ARGUMENT)
    if _CONTROL.search(given):
        raise ToolError(f"path '{shown}' holds a control character; leave it out", BAD_ARGUMENT)
    if given.startswith("~"):
        _refuse(shown, "'~' is not expanded")
    if given.startswith(("//", "\\\\")) or _DRIVE.match(given):
        _refuse(shown, "it names another computer or drive")
    try:
        os.fsencode(given)
        inside = _below(root, given) if os.path.isabs(given) else given  # noqa: PTH117 - a text
    except (OSError, ValueError) as error:
        raise ToolError(f"path '{shown}' cannot be used: {_reason(error)}", BAD_ARGUMENT) from error
    if inside is None:
        _refuse(shown, "it leads out")
    parts = _split(inside)
    if len(parts) > MOST_FOLDERS:
        raise ToolError(f"path '{shown}' has {len(parts):,} parts; {MOST_FOLDERS} is the most", BAD_ARGUMENT)
    return parts


def _below(root: str, path: str) -> str | None:
    """Return an absolute path as seen from the workspace; ``None`` when it lies elsewhere."""
    for whole in (path, os.path.realpath(path)):
        if whole == root:
            return "."
        if whole.startswith(root.rstrip(os.sep) + os.sep):
            return whole[len(root.rstrip(os.sep)) + 1 :]
    return None


class _Walk:
    """A way from the workspace down to a place, one folder after the other."""

    def __init__(self, root: str, closed: frozenset[Identity], given: str, *, makes_folders: bool) -> None:
        self._root, self._closed, self._given, self._makes_folders = root, closed, given, makes_folders
        self._handles: list[int] = []  # of the workspace and of the folders below; none where there are no handles
        self._names: list[str] = []
        self._todo: list[str] = []  # the next name last

    @property
    def shown(self) -> str:
        """The place, as far as it is known."""
        return printable(posixpath.normpath("/".join([*self._names, *reversed(self._todo)]) or "."))

    def to(self, parts: list[str], *, is_link: bool) -> Place:
        """Go to the end of a path."""
        self._todo = [part for part in reversed(parts) if part != "."]
        if HAS_HANDLES:
            self._handles.append(os.open(self._root, _FOLDER))
        links = 0
        while self._todo:
            part = self._todo.pop()
            if part == "..":
                self._up()
                continue
            target = self._into(part) if self._todo else self._last(part, is_link=is_link)
            if isinstance(target, Place):
                return target
            if target is not None:
                links += 1
                if links > MOST_LINKS:
                    self._todo.append(part)
                    raise _os_error(errno.ELOOP)
                self._follow(target)
        return self._here()

    def neighbours(self) -> str:
        """Name what is nearest to what does not exist."""
        *names, last = self.shown.split("/")
        try:
            if self._todo:  # a folder on the way is missing
                raise _os_error(errno.ENOENT)
            found = self._listed()
        except OSError:
            return f"nor does the folder {'/'.join(names)}"
        return suggest(last, sorted(map(printable, found)))

    def close(self) -> None:
        """Close all handles."""
        while self._handles:
            os.close(self._handles.pop())

    def _at(self, part: str) -> tuple[str, int | None]:
        """Return the entry of a name in the folder that was reached, and the handle of that folder."""
        if self._handles:
            return part, self._handles[-1]
        return os.path.join(self._root, *self._names, part), None  # noqa: PTH118 - a text

    def _listed(self) -> list[str]:
        """List the folder that the place is in."""
        if not self._handles:
            return os.listdir(os.path.join(self._root, *self._names[:-1]))  # noqa: PTH118, PTH208 - texts
        handle = os.open(".", os.O_RDONLY | NO_FOLLOW, dir_fd=self._handles[-1])
        try:
            return os.listdir(handle)  # noqa: PTH208 - of a handle
        finally:
            os.close(handle)

    def _up(self) -> None:
        if not self._names:
            _refuse(self._given, "it leads out")
        self._names.pop()
        if self._handles:
            os.close(self._handles.pop())

    def _into(self, part: str) -> str | None:
        """Go into a folder on the way; return where it leads instead when it is a link."""
        try:
            status = self._enter(part)
        except FileNotFoundError:
            rest = posixpath.normpath("/".join([part, *reversed(self._todo)])).split("/")
            if len(rest) > len(self._todo):
                self._todo.append(part)
                raise
            self._todo = [one for one in reversed(rest) if one != "."]  # "missing/../a" is "a"
            return None
        except OSError as error:
            target = self._target(part) if error.errno in {errno.ELOOP, errno.ENOTDIR, errno.EMLINK} else None
            if target is None:
                self._todo.append(part)
                raise
            return target
        self._names.append(part)
        if is_closed(status, self._closed):
            refuse_closed(self._given)
        return None

    def _enter(self, part: str) -> os.stat_result:
        """Open a folder; one that is missing is made where that is wished."""
        entry, folder = self._at(part)
        try:
            return self._open(entry, folder)
        except FileNotFoundError:
            if not self._makes_folders or ".." in self._todo:
                raise
            with suppress(FileExistsError):
                os.mkdir(entry, dir_fd=folder)
            return self._open(entry, folder)

    def _open(self, entry: str, folder: int | None) -> os.stat_result:
        if folder is not None:
            self._handles.append(os.open(entry, _FOLDER, dir_fd=folder))
            return os.fstat(self._handles[-1])
        status = os.lstat(entry)
        if not stat.S_ISDIR(status.st_mode):
            raise _os_error(errno.ENOTDIR)
        return status

    def _last(self, part: str, *, is_link: bool) -> Place | str:
        """Look at the end of the path; return where it leads instead when it is a link that is to be followed."""
        place = self._look(part, self._names)
        if place.found is not None and stat.S_ISLNK(place.found.st_mode) and not is_link:
            target = self._target(part)
            if target is not None:
                return target
        self._names.append(part)
        return place

    def _look(self, part: str, above: list[str]) -> Place:
        entry, folder = self._at(part)
        try:
            found: os.stat_result | None = os.stat(entry, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            found = None
        if found is not None and is_closed(found, self._closed):
            refuse_closed(self._given)
        return Place(printable(posixpath.join(*above, part)), folder, entry, found, self._closed)

    def _here(self) -> Place:
        """Return the folder that was reached itself, as an entry of the one above it."""
        if not self._names:
            return self._look(".", [])
        name = self._names.pop()
        if self._handles:
            os.close(self._handles.pop())
        place = self._look(name, self._names)
        self._names.append(name)
        return place

    def _target(self, part: str) -> str | None:
        """Return where a link leads; ``None`` for what is none."""
        entry, folder = self._at(part)
        try:
            return os.readlink(entry, dir_fd=folder)
        except OSError:
            return None

    def _follow(self, target: str) -> None:
        """Go on where a link leads: from where it lies, or from the workspace when it says a whole path."""
        if os.path.isabs(target):  # noqa: PTH117 - a text
            inside = _below(self._root, target)
            if inside is None:
                _refuse(self._given, "it leads out")
            while self._names:
                self._up()
            target = inside
        self._todo += [part for part in reversed(_split(target)) if part != "."]
        if len(self._names) + len(self._todo) > MOST_FOLDERS:
            raise _os_error(errno.ENAMETOOLONG)


def _split(path: str) -> list[str]:
    return [part for part in re.split(r"[/\\]" if os.sep == "\\" else "/", path) if part]


def _os_error(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def _refuse(shown: str, why: str) -> NoReturn:
    message = f"path '{shown}' is refused: {why}; file tools stay inside the workspace"
    raise ToolError(message, OUTSIDE_WORKSPACE)


def _reason(error: Exception) -> str:
    """Word an error without the path it holds."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    return "it holds characters that no file name can hold" if isinstance(error, ValueError) else type(error).__name__
