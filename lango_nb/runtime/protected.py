"""Files that say what is allowed: settings, trust, keys. A call that touches one always needs an answer of its own.

No policy, no list of exempt tools and no earlier answer lets such a call through. For tools that take paths that is a
lock: links are followed first. For commands it is a seat belt, because a shell can spell a name in many ways; what
holds there is that settings that were changed are not trusted any more (:mod:`lango_nb.config.trust`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from lango_nb.config.files import FILE, PROJECT_FILE, TRUST_FILE
from lango_nb.core.private import shown_path
from lango_nb.models.named import KEYS_FILE
from lango_nb.tools.tool import Tool

NAMES = (FILE, PROJECT_FILE, TRUST_FILE, KEYS_FILE)
"""Files that are protected wherever they lie."""
LONGEST_PATH = 4096
_COMMAND = "command"
_TRUST = re.compile(r"\blango(?:_nb[\w.]*)?\s+trust\b")
_HIDING = re.compile(r"[\"'\\]")
_HOME = re.compile(r"\$home\b|\$\{home\}")
_BETWEEN = re.compile(r"[\s;|&<>()=`$:,]+")
_BRACES = re.compile(r"\{[^{}]*\}")


class Protected(NamedTuple):
    """The protected files of an engine."""

    homes: tuple[Path, ...] = ()
    """Home folders, as written and resolved; all of them is protected, unless the workspace itself lies in one."""
    keys_file: str = ""
    """Where keys lie, if not in a home folder."""

    def closed(self, workspace: Path) -> tuple[Path, ...]:
        """Return what file tools do not touch at all: keys, and home folders that the workspace does not lie in.

        Examples
        --------
        >>> [place.as_posix() for place in Protected((Path("/ada/.lango"),)).closed(Path("/ada"))]
        ['/ada/.lango', '/ada/.lango/keys.env']
        """
        homes = [home for home in self.homes if not workspace.is_relative_to(os.path.realpath(home))]
        keys = [home / KEYS_FILE for home in self.homes]
        return (*homes, *keys, *([Path(self.keys_file)] if self.keys_file else ()))

    def touched(self, tool: Tool, arguments: Mapping[str, Any], workspace: Path) -> str:
        r"""Name the protected file a call would touch.

        Parameters
        ----------
        tool : Tool
            One that is safe changes nothing.
        arguments : mapping of str to any
        workspace : Path

        Returns
        -------
        str
            Empty when it touches none.

        Examples
        --------
        >>> Protected().touched(Tool("fs_write"), {"path": "sub/../lango.json", "content": ""}, Path("/garden"))
        'lango.json'
        >>> patch = "*** Begin Patch\n*** Delete File: keys.env\n*** End Patch"
        >>> Protected().touched(Tool("apply_patch"), {"patch": patch}, Path("/garden"))
        'keys.env'
        >>> Protected().touched(Tool("exec"), {"command": "sed -i s/1/2/ 'lango'.json"}, Path("/garden"))
        'lango.json'
        """
        if tool.safety == "safe":
            return ""
        for name, text in _texts(arguments):
            if name == _COMMAND:
                found = self._in_command(text, workspace)
            else:
                found = next(filter(None, (self._at_path(path, workspace) for path in _paths(text))), "")
            if found:
                return found
        return ""

    def _at_path(self, text: str, workspace: Path) -> str:
        """Name the file a path leads to, links followed."""
        if not text or len(text) > LONGEST_PATH or "\n" in text or "\0" in text:
            return ""
        try:
            whole = os.path.join(workspace, os.path.expanduser(text))  # noqa: PTH111, PTH118 - texts take a tenth of the time
            real = os.path.realpath(whole)
        except (OSError, ValueError):
            return ""
        named, found = os.path.basename(whole).casefold(), os.path.basename(real)  # noqa: PTH119 - the same
        for name in (named, found.casefold()):
            if name in NAMES:
                return name
        if self.keys_file and real == os.path.realpath(self.keys_file):
            return found
        is_home = any(_lies_in(real, home) and not _lies_in(str(workspace), home) for home in map(str, self.homes))
        return f"{found} of the home folder" if is_home else ""

    def _in_command(self, command: str, workspace: Path) -> str:
        """Name the file a command names, also in quotes or by a pattern that it fits."""
        plain = _HOME.sub("~", _HIDING.sub("", command).casefold())
        for name in NAMES:
            if name in plain:
                return name
        if _TRUST.search(plain):
            return TRUST_FILE
        for home, spellings in _spelled(self.homes):
            if any(spelling in plain for spelling in spellings) and not _lies_in(str(workspace), home):
                return "the home folder"
        if self.keys_file and Path(self.keys_file).name.casefold() in plain:
            return Path(self.keys_file).name
        words = [word.rpartition("/")[2] for word in _BETWEEN.split(_BRACES.sub("*", plain))]
        patterns = [word for word in words if any(letter in word for letter in "*?[")]
        present = [name for name in NAMES if patterns and (workspace / name).exists()]
        return next((name for name in present for pattern in patterns if fnmatchcase(name, pattern)), "")


@cache
def _spelled(homes: tuple[Path, ...]) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return every home folder with the ways a command may name it."""
    return tuple((str(home), frozenset({str(home).casefold(), shown_path(home).casefold()})) for home in homes)


def _lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}{os.sep}")


def _paths(text: str) -> tuple[str, ...]:
    """Return the paths a text can stand for: itself, and those it names if it is a patch."""
    if "***" not in text:
        return (text,)
    from lango_nb.tools.builtin.patches import patched_paths

    return (text, *patched_paths(text))


def _texts(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text of some arguments with the name of its argument; a command given as a list is one text."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(item, str(key))
    elif isinstance(value, list | tuple):
        if name == _COMMAND:
            yield name, " ".join(map(str, value))
        else:
            for item in value:
                yield from _texts(item, name)
