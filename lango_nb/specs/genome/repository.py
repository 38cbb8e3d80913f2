"""A git repository, as much of it as a genome needs; dulwich knows how its objects are written.

    commit:  objects ─→ fsync ─→ one ref is replaced ─→ (working tree, index)
                                 from here on it is done

Objects are written beside their places and renamed, so that a process that is killed leaves whole objects or none; the
ref is replaced last, in one step. Git's own programs read all of it, and none of them is needed or run. Variables such
as ``GIT_DIR`` and the settings of a user's git play no part.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from weakref import finalize

from lango_nb.core.clock import Clock
from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import StoreError
from lango_nb.core.lazy import once
from lango_nb.core.locks import PathLock
from lango_nb.core.paths import sync_folder
from lango_nb.specs.genome.disk import fsync, replace, writing
from lango_nb.specs.genome.index import FILE_MODE, Index
from lango_nb.specs.genome.packs import KINDS, Kind, Packs, Raw
from lango_nb.specs.genome.refs import BRANCH, LOCK, Refs

Value = TypeVar("Value")
Files = Mapping[str, bytes | None]
"""New content by path; ``None`` takes the file away."""

IDENTITY = b"lango_nb <lango_nb@localhost>"
_TIMEOUT_S = 10.0
_CONFIG = """[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tautocrlf = false
[user]
\tname = lango_nb
\temail = lango_nb@localhost
"""
_TEMPORARY = "tmp_obj_lango_"
"""How files begin that become objects; git gc removes those that stay behind too."""
_FOLDER_MODE = 0o040000
_TREES, _COMMITS = 16, 64
"""So many folders and commits are kept as they were read."""
_TREE = re.compile(rb"(?:[0-7]+ [^\0/]+\0.{20})*", re.DOTALL)
_ENTRY = re.compile(rb"([0-7]+) ([^\0]+)\0(.{20})", re.DOTALL)
_MANY = 64
"""From so many objects on they go into one pack."""
Entries = Mapping[bytes, tuple[bytes, bytes]]
"""What a folder holds as git writes it: mode and id by name."""


@dataclass(frozen=True, slots=True)
class StoredCommit:
    """A commit as it is stored."""

    id: str
    parents: tuple[str, ...]
    seconds: int
    """When it was made, since 1970."""
    message: str
    tree: str
    """Id of its folder."""

    @property
    def parent(self) -> str:
        """The commit before it, or the first of those that it merges; empty for the first of all."""
        return self.parents[0] if self.parents else ""


class Repository:
    """A git repository in a folder of its own.

    Parameters
    ----------
    folder : Path
        The working tree; the repository is in its ``.git``.
    clock : Clock
        Gives commits their time.

    Raises
    ------
    StoreError
        Dulwich is not installed.
    """

    def __init__(self, folder: Path, clock: Clock) -> None:
        try:
            import dulwich.objects  # noqa: F401 - whether it is there
        except ModuleNotFoundError as error:
            raise missing_extra() from error
        self.folder, self._clock = folder, clock
        self._git = folder / ".git"
        self.refs = Refs(folder)
        self.index = Index(folder, self.refs)
        self.lock = PathLock(self._git / LOCK, _TIMEOUT_S, f"genome {folder.name!r}")
        self._packs = Packs(self._git / "objects", lambda: self._objects)
        self._trees: dict[str, Entries] = {}
        self._commits: dict[str, StoredCommit] = {}

    # -- making and finding --------------------------------------------------------------------------------------------

    def make(self) -> None:
        """Make what is missing of an empty repository."""
        with writing(self.folder):
            for name in ("objects/info", "objects/pack", "refs/heads", "refs/tags"):
                (self._git / name).mkdir(parents=True, exist_ok=True)
            for name, text in (("config", _CONFIG), ("HEAD", f"ref: {BRANCH}\n")):
                if not (self._git / name).exists():
                    replace(self._git / name, text.encode(), self._git)

    def sweep(self) -> None:
        """Remove what killed processes left half done; call it while :attr:`lock` is held."""
        left = [*self._git.glob("lango_nb-*.tmp"), *(self._git / "objects").glob(f"{_TEMPORARY}*"), *self._packs.left()]
        with writing(self.folder):
            for one in left:
                one.unlink(missing_ok=True)

    @property
    def is_there(self) -> bool:
        """Whether the folder has a repository of its own; one around it does not count."""
        return (self._git / "HEAD").is_file() and (self._git / "objects").is_dir()

    # -- reading -------------------------------------------------------------------------------------------------------

    @once
    def _objects(self) -> Any:
        from dulwich.object_store import DiskObjectStore

        found = DiskObjectStore(str(self._git / "objects"), fsync_object_files=True)
        finalize(self, found.close)  # before the interpreter takes apart what closing needs
        return found

    def close(self) -> None:
        """Let go of the files that are open; they are opened again when needed."""
        if "_objects" in self.__dict__:
            self._objects.close()

    def commit_of(self, commit_id: str) -> StoredCommit:
        """Return one commit.

        Raises
        ------
        StoreError
            It is not there, or damaged.
        """
        known = self._commits.get(commit_id)
        if known is None:
            found = self._parsed(commit_id)
            parents = tuple(parent.decode() for parent in found.parents)
            message = found.message.decode("utf-8", "replace")
            known = StoredCommit(commit_id, parents, int(found.commit_time), message, found.tree.decode())
            _keep(self._commits, commit_id, known, _COMMITS)
        return known

    def commits(self, start: str = "") -> Iterator[StoredCommit]:
        """Return commits from the newest on, along the first parents."""
        commit_id = start or self.refs.head()
        while commit_id:
            commit = self.commit_of(commit_id)
            yield commit
            commit_id = commit.parent

    def content(self, blob_id: str) -> bytes:
        """Return the content of a file."""
        return self._object(blob_id, "blob")

    def changed(self, before: str, after: str) -> dict[str, tuple[str, str]]:
        """Return the files that differ between two commits, sorted, with the ids of both contents.

        Parameters
        ----------
        before, after : str
            Ids of commits; empty: nothing at all. An id of a content is empty where the file is not there.
        """
        found: dict[str, tuple[str, str]] = {}
        self._compare(self._root(before), self._root(after), "", found)
        return dict(sorted(found.items()))

    def _compare(self, before: str, after: str, prefix: str, found: dict[str, tuple[str, str]]) -> None:
        old, new = self._items(before), self._items(after)
        for key in {key for key, _ in old.items() ^ new.items()}:
            (old_mode, old_id), (new_mode, new_id) = _entry(old, key), _entry(new, key)
            path = f"{prefix}{os.fsdecode(key)}"
            if _FOLDER_MODE in {old_mode, new_mode}:
                self._compare(
                    old_id if old_mode == _FOLDER_MODE else "",
                    new_id if new_mode == _FOLDER_MODE else "",
                    f"{path}/",
                    found,
                )
            files = (old_id if _is_file(old_mode) else "", new_id if _is_file(new_mode) else "")
            if files[0] != files[1]:
                found[path] = files

    def tree(self, commit_id: str) -> Mapping[str, str]:
        """Return the files of a commit, none deeper than one folder, with the ids of their contents."""
        files: dict[str, str] = {}
        for name, (mode, found) in self._entries(self._root(commit_id)).items():
            if mode == _FOLDER_MODE:
                inner = self._entries(found).items()
                files |= {f"{name}/{below}": one for below, (kind, one) in inner if _is_file(kind)}
            elif _is_file(mode):
                files[name] = found
        return files

    def _root(self, commit_id: str) -> str:
        return self.commit_of(commit_id).tree if commit_id else ""

    def find(self, commit_id: str, path: str) -> str:
        """Return the id of the content of one file in a commit; empty where it is not there."""
        mode, found = _FOLDER_MODE, self._root(commit_id)
        for name in path.split("/"):
            mode, found = _entry(self._items(found if mode == _FOLDER_MODE else ""), os.fsencode(name))
        return found if _is_file(mode) else ""

    def _entries(self, tree_id: str) -> Mapping[str, tuple[int, str]]:
        """Return what a folder holds; names that are no UTF-8 keep their bytes."""
        items = self._items(tree_id)
        return {os.fsdecode(name): _entry(items, name) for name in items}

    def _items(self, tree_id: str) -> Entries:
        """Return what a folder holds, as it is written there."""
        found = self._trees.get(tree_id)
        if found is None:
            raw = self._object(tree_id, "tree") if tree_id else b""
            if not _TREE.fullmatch(raw):
                raise self._damaged("tree", tree_id, "it is cut off")
            found = {name: (mode, one) for mode, name, one in _ENTRY.findall(raw)}
            _keep(self._trees, tree_id, found, _TREES)
        return found

    def _parsed(self, commit_id: str) -> Any:
        from dulwich.errors import ObjectFormatException
        from dulwich.objects import Commit

        try:
            return Commit.from_string(self._object(commit_id, "commit"))
        except (ValueError, AssertionError, ObjectFormatException) as error:
            raise self._damaged("commit", commit_id, str(error)) from error

    def _object(self, object_id: str, kind: Kind) -> bytes:
        """Return an object as it was written, without what git puts before it."""
        import zlib

        from dulwich.errors import ChecksumMismatch, ObjectFormatException

        name = f"{kind} {object_id[:7]} of genome {self.folder.name!r}"
        try:
            number, found = self._read(object_id)
        except KeyError:
            raise StoreError(f"{name} is missing; run git fsck there, or restore a copy", "damaged") from None
        except (OSError, ValueError, AssertionError, zlib.error, ChecksumMismatch, ObjectFormatException) as error:
            raise self._damaged(kind, object_id, str(error)) from error
        if (is_kind := {number: name for name, number in KINDS.items()}.get(number, "tag")) != kind:
            raise StoreError(f"{name} is a {is_kind}; run git fsck there", "damaged")
        return found

    def _damaged(self, kind: Kind, object_id: str, why: str) -> StoreError:
        what = f"{kind} {object_id[:7]} of genome {self.folder.name!r} cannot be read ({why}); restore a copy"
        return StoreError(what, "damaged")

    def _read(self, object_id: str) -> tuple[int, bytes]:
        try:
            found: tuple[int, bytes] = self._objects.get_raw(object_id.encode())
        except FileNotFoundError:  # a pack that git has replaced by another one meanwhile
            self._objects.close()
            found = self._objects.get_raw(object_id.encode())
        return found

    # -- writing -------------------------------------------------------------------------------------------------------

    def commit(self, changes: Files, message: str) -> str:
        """Make one commit of these files, and of no others; the working tree is another matter.

        Parameters
        ----------
        changes : mapping of str to bytes or None
        message : str

        Returns
        -------
        str
            The new commit's id; it is on the disk.

        Raises
        ------
        StoreError
            It cannot be written; nothing has changed then.

        Notes
        -----
        Call it while :attr:`lock` is held.
        """
        from dulwich.objects import Commit

        objects: dict[str, Raw] = {}
        entries = {
            tuple(path.split("/")): "" if data is None else _added(objects, "blob", data)
            for path, data in changes.items()
        }
        parent = self.refs.head()
        made = Commit()
        tree = self._grown(self._root(parent), entries, objects) or _added(objects, "tree", b"")
        made.tree = _id(tree)
        made.parents = [_id(parent)] if parent else []
        made.author = made.committer = IDENTITY
        made.author_time = made.commit_time = int(self._clock.now().timestamp())
        made.author_timezone = made.commit_timezone = 0
        made.encoding = b"UTF-8"
        made.message = message.encode("utf-8", "replace") + b"\n"
        commit_id = _added(objects, "commit", made.as_raw_string())
        with writing(self.folder):
            if len(objects) > _MANY:
                self._packs.write(objects)
            else:
                self._write_objects(objects)
            self.refs.move(parent, commit_id)
        if len(objects) <= _MANY:
            with suppress(OSError):  # the commit is made: what cannot be packed now stays, and is packed later
                self._packs.added(len(objects))
        return commit_id

    def _grown(self, tree_id: str, entries: Mapping[tuple[str, ...], str], objects: dict[str, Raw]) -> str:
        """Make the folder that comes of another one; return its id, nothing when it would be empty."""
        items = dict(self._items(tree_id))
        below: dict[str, dict[tuple[str, ...], str]] = {}
        for path, blob in entries.items():
            if len(path) > 1:
                below.setdefault(path[0], {})[path[1:]] = blob
            else:
                _put(items, path[0], FILE_MODE, blob)
        for name, inner in below.items():
            mode, old = _entry(items, os.fsencode(name))
            _put(items, name, _FOLDER_MODE, self._grown(old if mode == _FOLDER_MODE else "", inner, objects))
        return _added(objects, "tree", _tree_bytes(items)) if items else ""

    def _write_objects(self, objects: Mapping[str, Raw]) -> None:
        """Put objects into their places, and make sure that they stay there."""
        import zlib

        folder = self._git / "objects"
        waiting: list[tuple[Path, Path]] = []
        folders: set[Path] = set()
        for name, (kind, data) in objects.items():
            place = folder / name[:2] / name[2:]
            if place.exists():
                folders.add(place.parent)
                continue
            beside = folder / f"{_TEMPORARY}{os.urandom(8).hex()}"
            waiting.append((beside, place))
            beside.write_bytes(zlib.compress(_framed(kind, data)))
        for beside, _ in waiting:
            fsync(beside)
        for beside, place in waiting:
            if not place.parent.is_dir():
                place.parent.mkdir(exist_ok=True)
                folders.add(folder)
            beside.chmod(0o444)
            beside.replace(place)
            folders.add(place.parent)
        for one_folder in sorted(folders):
            sync_folder(one_folder)


def blob_id(data: bytes) -> str:
    """Return the id that git gives to the content of a file.

    Examples
    --------
    >>> blob_id(b"")
    'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
    """
    return _object_id("blob", data)


def missing_extra() -> StoreError:
    """Word that dulwich is not installed."""
    what = "a genome needs dulwich, which is not installed; pip install 'lango-nb[genome]'"
    return StoreError(what, "missing_extra")


def _framed(kind: Kind, data: bytes) -> bytes:
    """Put before an object what git puts there."""
    return b"%b %d\0%b" % (kind.encode(), len(data), data)


def _object_id(kind: Kind, data: bytes) -> str:
    return hashlib.sha1(_framed(kind, data), usedforsecurity=False).hexdigest()


def _added(objects: dict[str, Raw], kind: Kind, data: bytes) -> str:
    """Add an object to those that are to be written; return its id."""
    name = _object_id(kind, data)
    objects[name] = kind, data
    return name


def _put(items: dict[bytes, tuple[bytes, bytes]], name: str, mode: int, object_id: str) -> None:
    """Let a name of a folder mean an object, or nothing."""
    if object_id:
        items[os.fsencode(name)] = b"%o" % mode, bytes.fromhex(object_id)
    else:
        items.pop(os.fsencode(name), None)


def _tree_bytes(items: Entries) -> bytes:
    """Write a folder; git sorts folders in it as if a slash ended their names."""
    order = sorted(items, key=lambda name: name + b"/" if int(items[name][0], 8) == _FOLDER_MODE else name)
    return b"".join(b"%b %b\0%b" % (items[name][0], name, items[name][1]) for name in order)


def _id(object_id: str) -> Any:
    from dulwich.objects import ObjectID

    return ObjectID(object_id.encode())


def _entry(items: Entries, name: bytes) -> tuple[int, str]:
    """Return mode and id of what has a name in a folder; nothing where nothing has."""
    mode, found = items.get(name, (b"0", b""))
    return int(mode, 8), found.hex()


def _keep(known: dict[str, Value], name: str, value: Value, most: int) -> None:
    """Keep something that was read, and the latest of the others."""
    if len(known) >= most:
        del known[next(iter(known))]
    known[name] = value


def _is_file(mode: int) -> bool:
    return stat.S_ISREG(mode)
