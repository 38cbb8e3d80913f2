"""The files beside the repository: what is in use, what was edited by hand, what a crash left behind.

    as in the newest commit            in use
    as in the commit before, older     its process ended between commit and file: put right
    another text that can be read      edited by hand: in use, reported, kept with the next change of it
    another text that cannot be read   the committed one is in use; set aside when the genome is opened next
    missing                            put back: an agent is removed by an act, not by deleting its file

Nobody's text is lost: what has to make room goes to ``.state/set-aside``.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Literal

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import DefinitionError, StoreError
from lango_nb.core.text import printable
from lango_nb.specs.agent import NAME_PATTERN
from lango_nb.specs.genome.disk import Mark, stamp
from lango_nb.specs.genome.repository import Files, Repository, blob_id

AGENTS, ENDING = "agents/", ".yaml"
MEMORIES, RULES, MANIFEST = "memories/memories.jsonl", "routing/rules.yaml", "bootstrap-manifest.json"
STATE, METRICS = ".state", "metrics"
"""Folders that are not part of the history."""
IGNORED = f"/{STATE}/\n/{METRICS}/\n"
_FILES = (MEMORIES, RULES, MANIFEST)
_SECOND_NS = 1_000_000_000
_TICK_NS, _COARSE_TICK_NS = _SECOND_NS // 20, 3 * _SECOND_NS
"""How long two changes may have the same time: where parts of seconds are written, and where they are not."""
_MAX_BYTES = 64_000_000

FindingKind = Literal["edited", "unreadable", "restored", "set_aside", "unknown"]
Stats = Mapping[str, tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about a file: it is not as the newest commit has it, or names what is not here."""

    path: str
    kind: FindingKind
    what: str
    """One sentence: what it is, and what to do."""


class WorkingTree:
    """The files of a genome.

    Parameters
    ----------
    repository : Repository
    parse : callable
        Makes the value of a path and its text; raises DefinitionError.
    """

    def __init__(self, repository: Repository, parse: Callable[[str, str], Any]) -> None:
        self._repository, self._folder, self._parse = repository, repository.folder, parse
        self._base = f"{self._folder}{os.sep}"
        self._places = {path: os.fspath(self._folder / path) for path in _FILES}
        self._agents = os.fspath(self._folder / AGENTS)
        self._listed: Mark = ()
        """The folder of agents, when the names in it were read last; nothing while it may change unnoticed."""
        self._mark: Mark = ()
        self._committed: dict[str, str] = {}
        self._stats: dict[str, tuple[int, int, int]] = {}
        self._used: dict[str, str] = {}
        self.values: dict[str, Any] = {}
        """What is in use, by path."""
        self.edited: dict[str, bytes] = {}
        """Texts that were edited by hand and are in no commit yet."""
        self._findings: dict[str, Finding] = {}
        self._strangers: dict[str, Finding] = {}
        self._written = set[str]()
        """What has been put right since the last look."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is not as in the newest commit, or was put right; by path."""
        found = {**self._strangers, **self._findings}
        return tuple(found[path] for path in sorted(found))

    def is_committed(self, path: str) -> bool:
        """Tell whether the newest commit has a file."""
        return path in self._committed

    def text(self, path: str) -> bytes | None:
        """Return the text that is in use, or ``None``."""
        if path in self.edited:
            return self.edited[path]
        blob = self._committed.get(path)
        return None if blob is None else self._repository.content(blob)

    def value(self, path: str) -> Any:
        """Return what a file says; ``None`` where there is none.

        Raises
        ------
        DefinitionError
            The committed file cannot be read: what would be written now would leave out what it holds.
        """
        if path in self._committed and path not in self.values:
            raise DefinitionError(self._findings[path].what)
        return self.values.get(path)

    # -- looking -------------------------------------------------------------------------------------------------------

    def look(self, *, is_opening: bool = False) -> bool:
        """Take in what others have changed.

        Parameters
        ----------
        is_opening : bool
            Whether nothing has been read before: what a crash left is put right more thoroughly then.

        Returns
        -------
        bool
            Whether something that is in use has changed.
        """
        if not is_opening and self._mark == self._repository.refs.mark() and self._is_as_seen():
            return False
        with self._repository.lock:
            if is_opening:
                self._repository.sweep()
            return self._take_in(is_opening=is_opening)

    def _take_in(self, *, is_opening: bool) -> bool:
        committed, stats = self._committed, self._on_disk()
        mark = self._repository.refs.mark()
        if mark != self._mark:
            tree = self._repository.tree(self._repository.refs.head())
            committed = {path: blob for path, blob in tree.items() if _is_own(path)}
        seen = self._stats
        different = {
            path
            for path in committed.keys() | stats.keys() | self._used.keys()
            if committed.get(path) != self._committed.get(path) or stats.get(path) != seen.get(path)
        }
        self._committed, self._stats, self._mark = committed, dict(stats), mark
        is_changed, self._written = False, set()
        for path in sorted(different):
            is_changed |= self._settle(path, is_opening=is_opening)
        self._tell_git(is_opening=is_opening)
        return is_changed

    def _settle(self, path: str, *, is_opening: bool) -> bool:
        """Decide which text of a file is in use; return whether it is another one than before."""
        blob = self._committed.get(path, "")
        data = self._read(path) if path in self._stats else None
        self._findings.pop(path, None)
        self.edited.pop(path, None)
        if (blob_id(data) if data is not None else "") == blob:
            return self._use(path, blob, data)
        is_stale = self._is_stale(path, blob, data)
        if data is None or is_stale:
            if not is_stale:
                advice = "; to take an agent away, remove it from the genome" if path.startswith(AGENTS) else ""
                self._find(path, "restored", f"{path} was missing and is put back{advice}")
            self._put(path, self._repository.content(blob) if blob else None)
            self._written.add(path)
            return self._use(path, blob, None)
        try:
            value = self._parse(path, _decoded(path, data))
        except DefinitionError as error:
            self._refuse(path, blob, data, error, is_opening=is_opening)
            return self._use(path, blob, None)
        self.edited[path] = data
        what = "was edited by hand and is in no commit yet" if blob else "was added by hand and is in no commit yet"
        self._find(path, "edited", f"{path} {what}; it is in use, and kept with the next change or by keep_edits")
        return self._use(path, blob_id(data), data, value)

    def _refuse(self, path: str, blob: str, data: bytes, error: DefinitionError, *, is_opening: bool) -> None:
        """Deal with a file that cannot be read."""
        if not (blob and is_opening):
            left = "the committed one is in use" if blob else "it is left out"
            self._find(path, "unreadable", f"{error}; {left}")
            return
        is_blank = not data.strip(b"\0 \t\r\n")
        place = "" if is_blank else self._set_aside(path, data)
        self._put(path, self._repository.content(blob))
        self._written.add(path)
        kind: FindingKind = "restored" if is_blank else "set_aside"
        self._find(path, kind, f"{error}; the committed one is put back{place and f', this one is in {place}'}")

    def _use(self, path: str, blob: str, data: bytes | None, value: Any = None) -> bool:
        """Put a text to use, if it is not in use already."""
        if self._used.get(path, "") == blob and (not blob or path in self.values):
            return False
        if not blob:
            self._used.pop(path, None)
            self.values.pop(path, None)
            return True
        self._used[path] = blob
        try:
            text = self._repository.content(blob) if data is None else data
            self.values[path] = self._parse(path, _decoded(path, text)) if value is None else value
        except DefinitionError as error:
            self.values.pop(path, None)
            self._find(path, "unreadable", f"{error} (it is committed so; edit the file and keep it, or roll back)")
        return True

    def _is_stale(self, path: str, blob: str, data: bytes | None) -> bool:
        """Tell whether a file is as the commit before the newest has it, since a process ended between the two."""
        if blob and self._used.get(path) == blob:  # this process knows it as it is now committed
            return False
        head = self._repository.refs.head()
        parent = self._repository.commit_of(head).parent if head else ""
        before = self._repository.find(parent, path)
        if before == blob or (blob_id(data) if data is not None else "") != before:
            return False
        return data is None or self._stats[path][0] <= self._repository.refs.head_written_ns()

    def _tell_git(self, *, is_opening: bool) -> None:
        """Bring the index to what was put right."""
        paths = set(self._written)
        if is_opening and self._repository.index.is_late:
            head = self._repository.refs.head()
            parent = self._repository.commit_of(head).parent if head else ""
            paths |= self._committed.keys() | self._repository.changed(parent, head).keys()
        if paths - self.edited.keys():
            self._index(paths - self.edited.keys())

    def _index(self, paths: Collection[str]) -> None:
        files: dict[str, tuple[str, os.stat_result | None]] = {}
        for path in sorted(paths):
            blob = self._committed.get(path, "")
            if blob or _is_own(path):
                files[path] = (blob, _lstat(self._folder / path))
        self._repository.index.write(files)

    # -- writing -------------------------------------------------------------------------------------------------------

    def wrote(self, changes: Files) -> None:
        """Write the files of a commit that was just made, and use them; call it while the repository is locked.

        A file that cannot be written is found: the commit stands, and the next opening puts the file right.
        """
        self._mark = self._repository.refs.mark()
        own = [path for path in changes if _is_own(path)]
        for path in own:
            data = changes[path]
            blob = "" if data is None else blob_id(data)
            found = self._findings.pop(path, None)
            self.edited.pop(path, None)
            if blob:
                self._committed[path] = blob
            else:
                self._committed.pop(path, None)
            try:
                self._make_room(path, blob, is_unreadable=found is not None and found.kind == "unreadable")
                self._put(path, data)
            except StoreError as error:
                self._find(path, "unreadable", f"{error}; the commit stands, and opening the genome again mends it")
            self._use(path, blob, data)
        others = {path: changes[path] for path in changes if path not in own}
        for path, data in others.items():
            self._put(path, data)
        files = {path: ("" if data is None else blob_id(data)) for path, data in changes.items()}
        self._repository.index.write({path: (blob, _lstat(self._folder / path)) for path, blob in files.items()})

    def _make_room(self, path: str, blob: str, *, is_unreadable: bool) -> None:
        """Set aside what somebody has written there and nobody has read yet."""
        stats = _lstat(self._folder / path)
        if stats is None or (_stamp(stats) == self._stats.get(path) and not is_unreadable):
            return
        data = self._read(path)
        if data is not None and blob_id(data) != blob and data.strip(b"\0 \t\r\n"):
            place = self._set_aside(path, data)
            self._find(path, "set_aside", f"{path} was written anew; what stood there is in {place}")

    def _put(self, path: str, data: bytes | None) -> None:
        place = self._folder / path
        try:
            if data is None:
                place.unlink(missing_ok=True)
                self._stats.pop(path, None)
                return
            beside = self._state(f"{os.urandom(8).hex()}.tmp")
            beside.write_bytes(data)
            place.parent.mkdir(parents=True, exist_ok=True)
            beside.replace(place)
            if _is_own(path):
                self._stats[path] = _stamp(place.lstat())
        except OSError as error:
            raise StoreError(f"{path} cannot be written ({error.strerror}); see to space and rights there") from error

    def _set_aside(self, path: str, data: bytes) -> str:
        """Keep a text that has to make room; return where."""
        name = Path(path)
        for number in range(1, 10_000):
            place = self._state(f"set-aside/{name.stem}-{number}{name.suffix}")
            try:
                with place.open("xb") as file:
                    file.write(data)
                return place.relative_to(self._folder).as_posix()
            except FileExistsError:
                continue
            except OSError as error:
                raise StoreError(f"{path} cannot be set aside ({error.strerror}); move it away yourself") from error
        raise StoreError(f"{STATE}/set-aside is full; look through it and empty it")

    def _state(self, name: str) -> Path:
        place = self._folder / STATE / name
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    def _find(self, path: str, kind: FindingKind, what: str) -> None:
        self._findings[path] = Finding(path, kind, what)

    # -- the disk ------------------------------------------------------------------------------------------------------

    def _is_as_seen(self) -> bool:
        """Tell whether all files are as they were: each for itself where no other can have come, else in a list."""
        folder = stamp(self._agents)
        if not folder or folder != self._listed:
            is_same = self._stats == self._on_disk()
            self._listed = folder if is_same and _is_settled(folder) else ()
            return is_same
        try:
            for path, (written_ns, size, number) in tuple(self._stats.items()):  # other threads may commit
                found = os.lstat(self._base + path)
                if found.st_mtime_ns != written_ns or found.st_size != size or found.st_ino != number:
                    return False
        except OSError:
            return False
        return all(path in self._stats or _lstat(self._places[path]) is None for path in _FILES)

    def _on_disk(self) -> Stats:
        """Return the files that are there; links, folders and other names do not count."""
        found: dict[str, tuple[int, int, int]] = {}
        for path, place in self._places.items():
            stats = _lstat(place)
            if stats is not None and stat.S_ISREG(stats.st_mode):
                found[path] = _stamp(stats)
        strangers = {}
        try:
            with os.scandir(self._agents) as entries:
                for entry in entries:
                    path, stats = f"{AGENTS}{entry.name}", entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(stats.st_mode) and (path in self._stats or _is_own(path)):
                        found[path] = _stamp(stats)
                    elif not entry.name.startswith(".") and not stat.S_ISDIR(stats.st_mode):
                        what = f"{path} is not read; an agent is a file of its own, not a link, called NAME{ENDING}"
                        strangers[path] = Finding(path, "unreadable", printable(what))
        except FileNotFoundError:
            return found
        except OSError as error:
            raise StoreError(f"{AGENTS} cannot be read ({error.strerror}); see who may read it") from error
        self._strangers = strangers
        return found

    def _read(self, path: str) -> bytes | None:
        try:
            with (self._folder / path).open("rb") as file:
                return file.read(_MAX_BYTES)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"{path} cannot be read ({error.strerror}); see who may read it") from error


def agent_path(name: str) -> str:
    """Return where an agent's file is."""
    return f"{AGENTS}{name}{ENDING}"


def agent_of(path: str) -> str:
    """Return whose file it is; empty for other files."""
    return path[len(AGENTS) : -len(ENDING)] if path.startswith(AGENTS) and path.endswith(ENDING) else ""


def _is_own(path: str) -> bool:
    name = agent_of(path)
    return path in _FILES or bool(name and NAME_PATTERN.fullmatch(name))


def _decoded(path: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DefinitionError(f"{path}:{line}: file: is not UTF-8; save it as UTF-8 text") from None


def _lstat(path: Path | str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except OSError:
        return None


def _is_settled(folder: Mark) -> bool:
    """Tell whether what changes in a folder from now on gives it another time: its clock ticks once in so long."""
    written_ns = folder[0] if folder else 0
    tick_ns = _TICK_NS if isinstance(written_ns, int) and written_ns % _SECOND_NS else _COARSE_TICK_NS
    return isinstance(written_ns, int) and written_ns + tick_ns < time.time_ns()


def _stamp(found: os.stat_result) -> tuple[int, int, int]:
    return (found.st_mtime_ns, found.st_size, found.st_ino)
