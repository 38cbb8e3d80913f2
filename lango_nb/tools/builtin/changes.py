"""Changes of several files that happen together or not at all: all is checked first, and put back when one fails.

    plan_patch    reads a patch and every file it names; raises before anything is touched
    carry_out     writes all new files beside their places, then puts one after the other there; a file that is changed
                  or deleted is kept beside its place until all are made

What is put back is the former file itself, moved to its place again: that works on a full disk, too. A process that is
killed while files are written has changed none; no file is ever half written. Between two of the last renames there is
nothing that a file system could do: what was done until then stays, and the former files are beside their places.
"""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import LangoError, ToolError
from lango_nb.core.text import counted, printable
from lango_nb.tools.arguments import BAD_ARGUMENT
from lango_nb.tools.builtin.files import (
    discard_file,
    encode,
    kind_of,
    lines_of,
    put_file,
    read_text,
    stage_file,
    writable_mode,
)
from lango_nb.tools.builtin.patches import Change, apply_hunks, read_patch
from lango_nb.tools.builtin.paths import NOT_FOUND, Identity, Place, reach
from lango_nb.tools.context import ToolContext

MOST_CHARACTERS = 100_000_000
"""Of all files that one patch changes, before and after: they are held at once."""
EXISTS = "exists"
CHANGED = "changed_meanwhile"


@dataclass(frozen=True, slots=True)
class FileChange:
    """What happens to one file, checked against what is there."""

    kind: str
    """``add``, ``delete`` or ``update``."""
    path: str
    """As it was given."""
    shown: str
    old: str = ""
    """Its text before; empty for one that is added or deleted."""
    new: str = ""
    """Its text after; empty for one that is deleted."""
    move_to: str = ""
    """Where it is afterwards, as it was given; empty where it stays."""
    move_shown: str = ""
    folders: tuple[str, ...] = ()
    """Folders that are made for it, the lowest last."""
    added: int = 0
    removed: int = 0

    def sentence(self) -> str:
        """Say what was done."""
        lines = f"+{self.added} -{self.removed}"
        match self.kind:
            case "add":
                return f"added {self.shown} ({counted(self.added, 'line')})"
            case "delete":
                return f"deleted {self.shown}"
        return (
            f"moved {self.shown} to {self.move_shown} ({lines})" if self.move_to else f"updated {self.shown} ({lines})"
        )


class _Target(NamedTuple):
    """A place where a file is going to be."""

    shown: str
    folders: tuple[str, ...]


def plan_patch(patch: str, context: ToolContext) -> tuple[FileChange, ...]:
    """Check a patch against the files it names.

    Parameters
    ----------
    patch : str
    context : ToolContext

    Returns
    -------
    tuple of FileChange
        In the order of the patch.

    Raises
    ------
    ToolError
        The patch is none, or one of its files cannot be changed as it says.
    """
    seen: set[str | Identity] = set()
    made: set[str] = set()
    planned = []
    size = 0
    for change in read_patch(patch):
        one, identity = _PLANS[change.kind](change, context)
        names = [name for name in (one.shown, one.move_shown) if name]
        if seen.intersection([*names, identity]) or len(set(names)) < len(names):
            raise ToolError(f"the patch names {one.shown} twice; put all of its changes under one header", BAD_ARGUMENT)
        seen.update([*names, identity] if identity else names)
        if one.kind == "add" or one.move_to:
            made.add(names[-1])
        planned.append(one)
        size += len(one.old) + len(one.new)
        if size > MOST_CHARACTERS:
            raise ToolError(
                f"the patch is about more than {MOST_CHARACTERS:,} characters; give it in parts", "too_large"
            )
    for name in made:
        above = next((folder for folder in _above(name) if folder in made), None)
        if above is not None:
            raise ToolError(f"the patch makes {above} both a file and a folder", BAD_ARGUMENT)
    return tuple(planned)


def carry_out(planned: Sequence[FileChange], context: ToolContext) -> list[str]:
    """Make all changes, or none.

    Parameters
    ----------
    planned : sequence of FileChange
    context : ToolContext

    Returns
    -------
    list of str
        Former files that could not be removed afterwards.

    Raises
    ------
    ToolError
        One cannot be made. Those before it are undone, and the sentence says so.
    """
    journal = _Journal(context)
    try:
        for one in planned:
            journal.stage(one)
        for one in planned:
            journal.make(one)
    except BaseException as error:
        stuck = journal.undo()
        if not isinstance(error, ToolError):
            raise
        told = f"could not be put back: {', '.join(stuck)}" if stuck else "all files are as they were before"
        raise ToolError(f"{error}; {told}", error.code) from error
    return journal.clean_up()


class _Journal:
    """Makes changes, and remembers how each is undone."""

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._undo: list[tuple[str, Callable[[], None]]] = []
        self._kept: list[tuple[str, str]] = []
        self._staged: dict[str, str] = {}

    def stage(self, one: FileChange) -> None:
        """Write what a change makes beside the place where it is going to be."""
        mode = None
        if one.kind == "update":
            with reach(self._context, one.path) as place:
                self._check(place, one)
                mode = writable_mode(place, one.path)
                if not one.move_to:
                    self._write(place, one.path, one, mode)
        if one.kind == "add" or one.move_to:
            path = one.move_to or one.path
            for folder in one.folders:
                self._undo.append((f"{folder}/", partial(self._remove_folder, folder)))
            with reach(self._context, path, is_link=True, makes_folders=True) as place:
                if place.found is not None:
                    raise ToolError(f"{place.shown} was made meanwhile", CHANGED)
                self._write(place, path, one, mode)

    def _write(self, place: Place, path: str, one: FileChange, mode: int | None) -> None:
        name = self._staged[path] = stage_file(place, encode(one.new), mode)
        self._undo.append((posixpath.join(posixpath.dirname(place.shown), name), partial(self._discard, path, name)))

    def make(self, one: FileChange) -> None:
        """Put what was written in its place, and take away what goes."""
        if one.kind == "add":
            self._create(one.path, one)
        elif one.kind == "delete":
            self._take_away(one, is_checked=False)
        elif one.move_to:
            self._create(one.move_to, one)
            self._take_away(one, is_checked=True)
        else:
            self._update(one)

    def undo(self) -> list[str]:
        """Undo everything, the latest first; return what could not be."""
        return self._run([(shown, step) for shown, step in reversed(self._undo)])

    def clean_up(self) -> list[str]:
        """Remove the former files; return what could not be."""
        return self._run([(shown, partial(self._remove_kept, path, shown)) for path, shown in self._kept])

    def _run(self, steps: Sequence[tuple[str, Callable[[], None]]]) -> list[str]:
        stuck = []
        for shown, step in steps:
            try:
                step()
            except LangoError:
                stuck.append(shown)
        return stuck

    def _create(self, path: str, one: FileChange) -> None:
        with reach(self._context, path, is_link=True) as place:
            if place.found is not None:
                raise ToolError(f"{place.shown} was made meanwhile", CHANGED)
            put_file(place, self._staged[path])
            self._undo.append((one.move_shown or one.shown, partial(self._remove, path)))

    def _update(self, one: FileChange) -> None:
        with reach(self._context, one.path) as place:
            self._check(place, one)
            self._keep(place, one, is_moved=False)
            put_file(place, self._staged[one.path])

    def _take_away(self, one: FileChange, *, is_checked: bool) -> None:
        with reach(self._context, one.path, is_link=not is_checked) as place:
            if is_checked:
                self._check(place, one)
            _check_file(place)
            self._keep(place, one, is_moved=True)

    def _check(self, place: Place, one: FileChange) -> None:
        if read_text(place, self._context) != one.old:
            raise ToolError(f"{place.shown} was changed meanwhile; read it again", CHANGED)

    def _keep(self, place: Place, one: FileChange, *, is_moved: bool) -> None:
        """Keep a file beside its place: as a second name where it is replaced in one step, else as its only one."""
        name = f".lango-{os.urandom(8).hex()}.tmp"
        where = {"src_dir_fd": place.folder, "dst_dir_fd": place.folder}
        if is_moved or not _linked(place, name):
            os.rename(place.entry, place.beside(name), **where)  # noqa: PTH104 - of a handle
        shown = posixpath.join(posixpath.dirname(place.shown), name)
        self._kept.append((one.path, shown))
        self._undo.append((f"{place.shown} (as it was: {shown})", partial(self._restore, one.path, name)))

    def _restore(self, path: str, name: str) -> None:
        with reach(self._context, path) as place:
            aside = place.beside(name)
            os.replace(aside, place.entry, src_dir_fd=place.folder, dst_dir_fd=place.folder)
            with suppress(FileNotFoundError):  # there when both were names of one file
                os.unlink(aside, dir_fd=place.folder)

    def _discard(self, path: str, name: str) -> None:
        with reach(self._context, path, is_link=True) as place:
            discard_file(place, name)

    def _remove(self, path: str) -> None:
        with reach(self._context, path, is_link=True) as place:
            os.unlink(place.entry, dir_fd=place.folder)

    def _remove_folder(self, path: str) -> None:
        with reach(self._context, path, is_link=True) as place:
            if place.is_folder:  # it may not have been made yet
                os.rmdir(place.entry, dir_fd=place.folder)

    def _remove_kept(self, path: str, shown: str) -> None:
        with reach(self._context, path) as place:
            os.unlink(place.beside(posixpath.basename(shown)), dir_fd=place.folder)


def _linked(place: Place, name: str) -> bool:
    """Give a file a second name beside its own; not every file system has such."""
    try:
        os.link(
            place.entry, place.beside(name), src_dir_fd=place.folder, dst_dir_fd=place.folder, follow_symlinks=False
        )
    except (OSError, NotImplementedError):
        return False
    return True


def _plan_add(change: Change, context: ToolContext) -> tuple[FileChange, Identity | None]:
    encode(change.content)
    target = _free(change.path, context)
    added = len(lines_of(change.content))
    one = FileChange("add", change.path, target.shown, new=change.content, folders=target.folders, added=added)
    return one, None


def _plan_delete(change: Change, context: ToolContext) -> tuple[FileChange, Identity | None]:
    with reach(context, change.path, is_link=True) as place:
        _check_file(place)
        return FileChange("delete", change.path, place.shown), _identity(place)


def _plan_update(change: Change, context: ToolContext) -> tuple[FileChange, Identity | None]:
    with reach(context, change.path) as place:
        old = read_text(place, context, "glob")
        writable_mode(place, change.path)
        identity = _identity(place)
    new = "".join(apply_hunks(place.shown, lines_of(old), change.hunks))
    encode(new)
    target = _free(change.move_to, context) if change.move_to else _Target("", ())
    signs = [sign for hunk in change.hunks for sign, _ in hunk.lines]
    one = FileChange(
        "update",
        change.path,
        place.shown,
        old=old,
        new=new,
        move_to=change.move_to,
        move_shown=target.shown,
        folders=target.folders,
        added=signs.count("+"),
        removed=signs.count("-"),
    )
    return one, identity


_PLANS = {"add": _plan_add, "delete": _plan_delete, "update": _plan_update}


def _check_file(place: Place) -> None:
    """Refuse what is not a file of its own."""
    if not stat.S_ISREG(place.status.st_mode):
        raise ToolError(f"{place.shown} is a {kind_of(place.status.st_mode)}; a patch deletes files only")


def _identity(place: Place) -> Identity:
    return place.status.st_dev, place.status.st_ino


def _free(path: str, context: ToolContext) -> _Target:
    """Return where a new file is going to be, and which folders that takes; refuse a place where something is."""
    if path.endswith("/"):
        raise ToolError(f"{printable(path)} is a folder; give the name of a file", BAD_ARGUMENT)
    known, missing = path, list[str]()
    while True:
        try:
            with reach(context, known, is_link=not missing) as place:
                return _target(place, known, missing)
        except ToolError as error:
            if error.code != NOT_FOUND or known == ".":
                raise
        known, _, name = known.rstrip("/").rpartition("/")
        known = known or "."
        missing.insert(0, name)


def _target(place: Place, known: str, missing: list[str]) -> _Target:
    if not missing:
        if place.found is not None:
            raise ToolError(f"{place.shown} is there already; change it with '*** Update File'", EXISTS)
        return _Target(place.shown, ())
    if place.found is not None and not place.is_folder:
        raise ToolError(f"{place.shown} is not a folder", "os_error")
    above = [] if place.found is not None else [known]
    folders = [posixpath.join(known, *missing[:count]) for count in range(1, len(missing))]
    return _Target(printable(posixpath.normpath(posixpath.join(place.shown, *missing))), (*above, *folders))


def _above(name: str) -> Iterator[str]:
    while name := posixpath.dirname(name):
        yield name
