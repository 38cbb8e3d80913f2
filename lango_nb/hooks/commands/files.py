"""What a command line does to files: how far it reaches, what it removes, what it replaces."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from lango_nb.hooks.commands.shell import INPUT, UNKNOWN, Command, stages

DISKS = ("sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "md", "dm-", "mapper", "loop")
"""What names of whole disks begin with, below /dev."""
_STREAMS = ("null", "zero", "full", "tty", "std", "fd", "shm", "pts", "random", "urandom")
_OF_SYSTEM = frozenset(
    {"bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "sbin", "sys", "proc", "usr", "system", "library"}
)
_OF_OTHERS = frozenset({"home", "users", "var", "mnt", "media", "volumes", "opt", "srv", "run"})
"""Folders whose own folders are users, disks or services."""
_ALL = frozenset({"*", ".*", "**", "*.*", ".", "{*,.*}", ".[!.]*", ".[^.]*", "?*", "[^.]*"})
_TESTS = re.compile(
    r"-i?(?:name|path|wholename|regex|lname)|-[acm](?:time|min)|-newer.*|-(?:size|empty|user|group|perm)"
)
_REPLACEMENTS = ("writes_disk", "overwrites_system", "removes_everything", "overwrites_files")
"""Codes of writing to files, the worst first."""
_LONGEST = 4096
"""Characters of the longest path."""
_SELECTORS = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "head", "tail", "awk", "sed", "fzf", "uniq", "comm"})


class Folder(NamedTuple):
    """Where a command runs."""

    path: str = ""
    """What ``cd`` made of it: empty for the workspace itself, else relative to it or absolute."""
    workspace: Path | None = None

    def enter(self, target: str) -> Folder:
        """Return the folder after ``cd``."""
        path = _join(self.path, target)
        return self._replace(path=path) if len(path) < _LONGEST else self

    def has(self, path: str) -> bool:
        """Tell whether a path is a file with something in it."""
        if self.workspace is None:
            return False
        try:
            found = (self.workspace / _join(self.path, path).replace("~", str(Path.home()), 1)).stat()
        except (OSError, ValueError, RuntimeError):
            return False
        return found.st_size > 0 and not found.st_mode & 0o040000

    def reach(self, path: str) -> str:
        """Say what a path takes in: ``system``, ``everything``, ``history``, or nothing that counts as much.

        Examples
        --------
        >>> [Folder().reach(path) for path in ("/etc/hosts", "~/*", "./*", ".git/", "build")]
        ['system', 'system', 'everything', 'history', '']
        """
        if UNKNOWN in path or INPUT in path:
            return ""
        head, _, last = path.rstrip("/").rpartition("/")
        is_content = last in _ALL
        whole = _join(self.path, (head or ("/" if path.startswith("/") else ".")) if is_content else path)
        if self.workspace is not None and whole.startswith("/") and _is_around(whole, self.workspace):
            whole = "."
        match [part for part in whole.lower().split("/") if part], whole[0]:
            case ["tmp"], "/":
                return "" if is_content else "system"
            case (([] | [_]), "/"):
                return "system"
            case [top, *below], "/":
                return "system" if top in _OF_SYSTEM or (top in _OF_OTHERS and len(below) == 1) else ""
            case [_], "~":
                return "system"
            case parts, _ if {".", ".."}.issuperset(parts):
                return "everything"
            case [*_, ".git"], _:
                return "history"
        return ""

    def removal(self, paths: Iterable[str]) -> str:
        """Return the code of removing paths."""
        reached = {self.reach(path) for path in paths}
        return next((f"removes_{reach}" for reach in ("system", "everything", "history") if reach in reached), "")

    def replacement(self, paths: Iterable[str]) -> str:
        """Return the code of writing to paths from their beginning."""
        codes = {self._replacement(path) for path in paths}
        return next((code for code in _REPLACEMENTS if code in codes), "")

    def _replacement(self, path: str) -> str:
        whole = _join(self.path, path).lower()
        device = whole.removeprefix("/dev/")
        if device != whole and device.startswith((*DISKS, *_STREAMS)):
            return "writes_disk" if device.startswith(DISKS) else ""
        reach = self.reach(path)
        if reach == "system" and whole.split("/")[1:2] and whole.split("/")[1] in _OF_SYSTEM:
            return "overwrites_system"
        if reach == "everything" and "*" in path:
            return "removes_everything"
        return "overwrites_files" if self.has(path) else ""

    def selection(self, source: Command | None) -> str:
        """Return the code of removing whatever a pipe lists."""
        chain = stages(source)
        if not chain or any(stage.name in _SELECTORS for stage in chain):
            return ""
        origin = chain[-1]
        words = list(origin.words[1:])
        match origin.name:
            case "find" | "fd":
                return self.search(words)
            case "ls" | "dir":
                return self.removal([word for word in words if not word.startswith("-")] or ["*"])
            case "echo" | "printf":
                return self.removal(words)
            case "git" if "ls-files" in words:
                return self.removal(["*"])
        return ""

    def search(self, words: Sequence[str]) -> str:
        """Return the code of removing what ``find`` finds."""
        roots = []
        for word in words:
            if word.startswith(("-", "(", "!")):
                break
            roots.append(word)
        code = self.removal(roots or ["."])
        is_narrow = any(_TESTS.fullmatch(word) for word in words)
        return "" if is_narrow and code != "removes_system" else code


def _join(folder: str, path: str) -> str:
    if path.startswith(("/", "~")):
        return posixpath.normpath(path)
    return posixpath.normpath(posixpath.join(folder or ".", path or "."))


def _is_around(path: str, workspace: Path) -> bool:
    """Tell whether a folder is the workspace, or holds it."""
    return workspace.is_relative_to(path) and path.count("/") > 1
