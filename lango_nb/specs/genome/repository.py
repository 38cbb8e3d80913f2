"""A git repository, as much of it as a genome needs; the only module that knows dulwich.

    commit:  objects ─→ fsync ─→ one ref is replaced ─→ (working tree, index)
                                 from here on it is done

Objects are written beside their places and renamed, so that a process that is killed leaves whole objects or none; the
ref is replaced last, in one step. Git's own programs read all of it, and none of them is needed or run. Variables such
as ``GIT_DIR`` and the settings of a user's git play no part.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import finalize

from lango_nb.core.clock import Clock
from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import StoreError
from lango_nb.core.lazy import once
from lango_nb.core.locks import PathLock
from lango_nb.core.paths import sync_folder
from lango_nb.specs.genome.disk import fsync, replace, writing
from lango_nb.specs.genome.index import FILE_MODE, Index
from lango_nb.specs.genome.refs import BRANCH, LOCK, Refs

if TYPE_CHECKING:
    from dulwich.objects import ShaFile

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
_TREES = 16
"""So many folders are kept as they were read."""
_MANY = 64
"""From so many objects on they go into one pack."""


@dataclass(frozen=True, slots=True)
class StoredCommit:
    """A commit as it is stored."""

    id: str
    parents: tuple[str, ...]
    seconds: int
    """When it was made, since 1970."""
    message: str

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
        self._trees: dict[str, Mapping[str, tuple[int, str]]] = {}

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
        left = [*self._git.glob("lango_nb-*.tmp"), *(self._git / "objects").glob(f"{_TEMPORARY}*")]
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
        found = self._object(commit_id, b"commit")
        parents = tuple(parent.decode() for parent in found.parents)
        return StoredCommit(commit_id, parents, int(found.commit_time), found.message.decode("utf-8", "replace"))

    def commits(self, start: str = "") -> Iterator[StoredCommit]:
        """Return commits from the newest on, along the first parents."""
        commit_id = start or self.refs.head()
        while commit_id:
            commit = self.commit_of(commit_id)
            yield commit
            commit_id = commit.parent

    def content(self, blob_id: str) -> bytes:
        """Return the content of a file."""
        data: bytes = self._object(blob_id, b"blob").data
        return data

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
        old, new = self._entries(before), self._entries(after)
        for name in {name for name, _ in set(old.items()) ^ set(new.items())}:
            (old_mode, old_id), (new_mode, new_id) = old.get(name, (0, "")), new.get(name, (0, ""))
            path = f"{prefix}{name}"
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
        return str(self._object(commit_id, b"commit").tree.decode()) if commit_id else ""

    def find(self, commit_id: str, path: str) -> str:
        """Return the id of the content of one file in a commit; empty where it is not there."""
        mode, found = _FOLDER_MODE, self._root(commit_id)
        for name in path.split("/"):
            mode, found = self._entries(found if mode == _FOLDER_MODE else "").get(name, (0, ""))
        return found if _is_file(mode) else ""

    def _entries(self, tree_id: str) -> Mapping[str, tuple[int, str]]:
        """Return what a folder holds; names that are no UTF-8 keep their bytes."""
        found = self._trees.get(tree_id)
        if found is None:
            items = self._object(tree_id, b"tree").items() if tree_id else ()
            found = {os.fsdecode(item.path): (item.mode, item.sha.decode()) for item in items}
            if len(self._trees) >= _TREES:
                self._trees.clear()
            self._trees[tree_id] = found
        return found

    def _object(self, object_id: str, kind: bytes) -> Any:
        import zlib

        from dulwich.errors import ChecksumMismatch, ObjectFormatException

        name = f"{kind.decode()} {object_id[:7]} of genome {self.folder.name!r}"
        try:
            found = self._read(object_id)
        except KeyError:
            raise StoreError(f"{name} is missing; run git fsck there, or restore a copy", "damaged") from None
        except (OSError, ValueError, AssertionError, zlib.error, ChecksumMismatch, ObjectFormatException) as error:
            raise StoreError(f"{name} cannot be read ({error}); restore a copy", "damaged") from error
        if found.type_name != kind:
            raise StoreError(f"{name} is a {found.type_name.decode()}; run git fsck there", "damaged")
        return found

    def _read(self, object_id: str) -> Any:
        try:
            return self._objects[object_id.encode()]
        except FileNotFoundError:  # a pack that git has replaced by another one meanwhile
            self._objects.close()
            return self._objects[object_id.encode()]

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
        from dulwich.objects import Blob, Commit

        objects: list[ShaFile] = []
        entries: dict[tuple[str, ...], str] = {}
        for path, data in changes.items():
            entries[tuple(path.split("/"))] = ""
            if data is not None:
                blob = Blob.from_string(data)
                objects.append(blob)
                entries[tuple(path.split("/"))] = blob.id.decode()
        parent = self.refs.head()
        made = Commit()
        made.tree = self._grown(self._root(parent), entries, objects) or self._grown("", {}, objects, keep=True)
        made.parents = [_id(parent)] if parent else []
        made.author = made.committer = IDENTITY
        made.author_time = made.commit_time = int(self._clock.now().timestamp())
        made.author_timezone = made.commit_timezone = 0
        made.encoding = b"UTF-8"
        made.message = message.encode("utf-8", "replace") + b"\n"
        objects.append(made)
        with writing(self.folder):
            self._write_objects(objects)
            self.refs.move(parent, made.id.decode())
        return made.id.decode()

    def _grown(
        self, tree_id: str, entries: Mapping[tuple[str, ...], str], objects: list[ShaFile], *, keep: bool = False
    ) -> Any:
        """Make the folder that comes of another one; nothing when it would be empty."""
        from dulwich.objects import Tree

        tree = Tree.from_string(self._object(tree_id, b"tree").as_raw_string()) if tree_id else Tree()
        below: dict[str, dict[tuple[str, ...], str]] = {}
        for path, blob_id in entries.items():
            if len(path) > 1:
                below.setdefault(path[0], {})[path[1:]] = blob_id
                continue
            _put(tree, path[0], FILE_MODE, blob_id.encode())
        known = self._entries(tree_id) if below else {}
        for name, inner in below.items():
            mode, old = known.get(name, (0, ""))
            _put(tree, name, _FOLDER_MODE, self._grown(old if mode == _FOLDER_MODE else "", inner, objects))
        if not len(tree) and not keep:
            return b""
        objects.append(tree)
        return tree.id

    def _write_objects(self, objects: Collection[ShaFile]) -> None:
        """Put objects into their places, and make sure that they stay there."""
        folder = self._git / "objects"
        if len(objects) > _MANY:
            self._objects.add_objects([(one, None) for one in objects])
            sync_folder(folder / "pack")
            return
        waiting: list[tuple[Path, Path]] = []
        folders: set[Path] = set()
        for one in objects:
            name = one.id.decode()
            place = folder / name[:2] / name[2:]
            if place.exists():
                folders.add(place.parent)
                continue
            beside = folder / f"{_TEMPORARY}{os.urandom(8).hex()}"
            waiting.append((beside, place))
            beside.write_bytes(one.as_legacy_object())
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
    return hashlib.sha1(b"blob %d\0%b" % (len(data), data), usedforsecurity=False).hexdigest()


def missing_extra() -> StoreError:
    """Word that dulwich is not installed."""
    what = "a genome needs dulwich, which is not installed; pip install 'lango-nb[genome]'"
    return StoreError(what, "missing_extra")


def _put(tree: Any, name: str, mode: int, object_id: bytes) -> None:
    key = os.fsencode(name)
    if object_id:
        tree[key] = (mode, _id(object_id.decode()))
    elif key in tree:
        del tree[key]


def _id(object_id: str) -> Any:
    from dulwich.objects import ObjectID

    return ObjectID(object_id.encode())


def _is_file(mode: int) -> bool:
    return stat.S_ISREG(mode)
