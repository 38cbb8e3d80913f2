"""Which commit is the newest, and the locks that git's commands respect.

.git/HEAD ─→ refs/heads/main ─→ the newest commit
             replaced in one step: the moment at which a change is done
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lango_nb.core.errors import StoreError
from lango_nb.core.paths import sync_folder
from lango_nb.specs.genome.disk import Mark, replace, stamp, unreadable

BRANCH = "refs/heads/main"
_TIMEOUT_S = 5.0
"""How long is waited for a command of git that is writing."""
_STALE_S = 1.0
"""A command of git leaves no lock empty for so long."""
LOCK = "lango_nb.lock"
"""File in ``.git`` by which processes of ours lock the genome."""
_REF = re.compile(r"refs/heads/(?!.*(?:\.\.|//|/\.|\.lock$))[\w.+@/-]+[\w+@-]")


class Refs:
    """The branch of a repository.

    Parameters
    ----------
    folder : Path
        The working tree.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._git = folder, folder / ".git"
        self._head, self._packed_refs = self._git / "HEAD", self._git / "packed-refs"
        self._branch: tuple[Mark, Path] = (), self._head
        """The file of the branch that is worked on, as long as HEAD is the same."""

    def mark(self) -> Mark:
        """Look whether the newest commit is still the one it was."""
        head = stamp(self._head)
        if not head or head != self._branch[0]:
            self._branch = head, self._git / self._ref()
        branch = stamp(self._branch[1])
        return head, branch, () if branch else stamp(self._packed_refs)

    def head(self) -> str:
        """Return the id of the newest commit; empty where there is none."""
        ref = self._ref()
        try:
            found = (self._git / ref).read_bytes().decode("ascii", "replace").strip()
        except FileNotFoundError:
            found = self._packed(ref)
        except OSError as error:
            raise unreadable(self._folder, error) from error
        if found and not re.fullmatch("[0-9a-f]{40}", found):
            raise StoreError(f"genome {self._folder.name!r}: {ref} names no commit; put it right with git", "damaged")
        return found

    def head_written_ns(self) -> int:
        """Return when the newest commit became it, as the file system says; 0 where it does not."""
        try:
            return (self._git / self._ref()).stat().st_mtime_ns
        except OSError:
            return 0

    def move(self, before: str, after: str) -> None:
        """Make another commit the newest one, if it is still the one that it was.

        Raises
        ------
        StoreError
            It is another one by now, or git is writing.
        """
        place = self._git / self._ref()
        place.parent.mkdir(parents=True, exist_ok=True)
        with self.git_lock(place, _TIMEOUT_S):
            if self.head() != before:
                raise StoreError(f"genome {self._folder.name!r} was changed by git meanwhile; try again", "conflict")
            replace(place, f"{after}\n".encode(), self._git)
            sync_folder(place.parent)

    @contextmanager
    def git_lock(self, place: Path, timeout_s: float) -> Iterator[None]:
        """Keep git's commands away from a file; a lock that a killed process of ours left is taken over.

        Such a lock is another name of the file by which processes of ours lock the genome: it is there in one step, and
        one that is found while that lock is held is nobody's.
        """
        lock, until = place.with_name(f"{place.name}.lock"), time.monotonic() + timeout_s
        while not self._take(lock):
            if self._is_left(lock):
                lock.unlink(missing_ok=True)
            elif time.monotonic() >= until:
                where = lock.relative_to(self._folder).as_posix()
                what = f"genome {self._folder.name!r} is locked by git; wait for it, or remove {where}"
                raise StoreError(what, "locked") from None
            else:
                time.sleep(0.01)
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)

    def _take(self, lock: Path) -> bool:
        try:
            lock.hardlink_to(self._git / LOCK)
        except FileExistsError:
            return False
        except OSError:  # a file system without hard links
            try:
                lock.touch(exist_ok=False)
            except FileExistsError:
                return False
        return True

    def _is_left(self, lock: Path) -> bool:
        """Tell whether a lock is one of ours whose process is gone."""
        try:
            if lock.samefile(self._git / LOCK):
                return True
            found = lock.stat()
        except OSError:
            return False
        return not found.st_size and time.time() - found.st_mtime > _STALE_S

    def _ref(self) -> str:
        """Return the name of the branch that is worked on, which no file may lead elsewhere with."""
        try:
            text = self._head.read_bytes().decode("utf-8", "replace").strip()
        except OSError as error:
            raise unreadable(self._folder, error) from error
        ref = text.removeprefix("ref:").strip()
        if not text.startswith("ref:"):
            raise StoreError(f"genome {self._folder.name!r} is on no branch; run git switch main there", "damaged")
        if not _REF.fullmatch(ref):
            raise StoreError(
                f"genome {self._folder.name!r}: .git/HEAD names no branch; write 'ref: {BRANCH}'", "damaged"
            )
        return ref

    def _packed(self, ref: str) -> str:
        try:
            lines = self._packed_refs.read_text("utf-8", "replace").splitlines()
        except OSError:
            return ""
        return next((line.split(" ", 1)[0] for line in lines if line.endswith(f" {ref}")), "")
