"""Patterns of tools: the one language of every list of tools in the settings.

    exec                      this tool
    fs_*   fs_l*   *_delete   every tool whose name fits; ``*`` is any text, ``?`` one character
    fs_                       like ``fs_*``; as with the prefixes of agents, both also mean ``fs`` itself
    exec(command: git *)      calls of a tool whose argument fits, from its first character to its last

A rule on an argument is read according to what its list is for, because a value can be written in many ways. A list
that lets calls through (:meth:`ToolPatterns.covers`) wants to be sure: a value that a shell would take apart, or that
holds ``..``, is covered by no rule, so ``exec(command: git *)`` does not cover ``git status; rm -rf x``. A list that
stops calls (:meth:`ToolPatterns.catches`) takes no chances: the text may stand anywhere in the value, in capitals, in
quotes, and a command that a shell would fill in first is caught by every rule. Still, such a rule is a net and not a
cage: whoever may run commands can spell anything.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import DefinitionError, shorten
from lango_nb.core.lazy import compiled

COMMAND = "command"
"""The argument that a shell reads, in whatever tool has it."""
EVERY = "*"
"""Stands for every agent."""
_PATTERN = r"\s*([A-Za-z0-9_.*?-]{1,128})\s*(?:\(\s*([A-Za-z_]\w*)\s*:\s*(\S(?:.*\S)?)\s*\)\s*)?"
_UNSURE = r"[;&|<>$`\x00-\x08\x0a-\x1f\x7f]|(?<![^\s/\\=:,\"'])\.\.(?![^\s/\\=:,\"'])"
"""Operators of a shell, control characters, and ``..`` as a folder of its own."""
_FILLED_IN = r"[$`*?\[{]"
"""What a shell replaces before it runs a command."""
_QUOTING = r"[\"'\\]"


@dataclass(frozen=True, slots=True)
class ToolPattern:
    """One pattern of tools.

    Examples
    --------
    >>> git = ToolPattern.parse("exec(command: git *)")
    >>> git.covers("exec", {"command": "git status"}), git.covers("exec", {"command": "git status; rm -rf x"})
    (True, False)
    >>> ToolPattern.parse("exec(command: rm *)").catches("exec", {"command": "true && /bin/rm x"})
    True
    """

    written: str
    argument: str = ""
    """The argument a rule is about; empty for a pattern of names only."""
    _name: re.Pattern[str] = field(default=re.compile(""), repr=False)
    _whole: re.Pattern[str] = field(default=re.compile(""), repr=False)
    """The value from its first character to its last."""
    _anywhere: re.Pattern[str] = field(default=re.compile(""), repr=False)
    """The same text as words of a longer value."""

    @classmethod
    def parse(cls, written: str) -> ToolPattern:
        """Read a pattern.

        Parameters
        ----------
        written : str

        Raises
        ------
        DefinitionError
            It is none.
        """
        found = compiled(_PATTERN).fullmatch(written)
        if found is None:
            raise DefinitionError(
                f"{shorten(written)!r} is not a pattern of tools; write exec, fs_* or exec(command: git *)"
            )
        name, argument, value = found.groups(default="")
        return cls(written.strip(), argument, _name(name), _whole(value), _anywhere(value))

    def fits(self, tool: str) -> bool:
        """Tell whether any call of a tool may be meant.

        Examples
        --------
        >>> [ToolPattern.parse(written).fits("fs_list") for written in ("fs_l*", "fs_", "fs_list(path: a)", "fs_lis")]
        [True, True, True, False]
        """
        return self._name.fullmatch(tool) is not None

    def covers(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Tell whether a call is meant beyond doubt."""
        if not self.fits(tool):
            return False
        if not self.argument:
            return True
        text = _scalar(arguments.get(self.argument))
        return text is not None and not compiled(_UNSURE).search(text) and self._whole.fullmatch(text) is not None

    def catches(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Tell whether a call is meant, or may be."""
        if not self.fits(tool):
            return False
        if not self.argument or self.argument not in arguments:  # a value left out may be the one that is meant
            return True
        text = _flat(arguments[self.argument])
        if self._whole.fullmatch(text) or (self.argument == COMMAND and compiled(_FILLED_IN).search(text)):
            return True
        return any(self._anywhere.match(reading) for reading in _readings(text))


DO_THE_SAME: Mapping[str, tuple[str, ...]] = {
    "read_file": ("fs_read",),
    "grep": ("fs_read",),
    "glob": ("fs_list",),
    "write_file": ("fs_write",),
    "edit_file": ("fs_edit", "fs_write"),
    "apply_patch": ("fs_write", "fs_edit", "fs_delete"),
    "fetch": ("web_fetch",),
}
"""Primitives of a genome, and the tools of the other topologies that do what they do."""


@dataclass(frozen=True, slots=True)
class ToolPatterns:
    """A list of patterns.

    Examples
    --------
    >>> ToolPatterns.of(["fs_*"]).covers("fs_read"), ToolPatterns.of([]).covers("fs_read")
    ('fs_*', '')
    """

    patterns: tuple[ToolPattern, ...] = ()

    @classmethod
    def of(cls, written: Iterable[str]) -> ToolPatterns:
        """Read a list of patterns.

        Raises
        ------
        DefinitionError
            One of them is none.
        """
        return cls(tuple(map(ToolPattern.parse, written)))

    def __bool__(self) -> bool:
        """Tell whether there is any."""
        return bool(self.patterns)

    def covers(self, tool: str, arguments: Mapping[str, Any] | None = None) -> str:
        """Return the pattern that surely means a call; for lists that let calls through.

        Parameters
        ----------
        tool : str
        arguments : mapping of str to any, optional

        Returns
        -------
        str
            As it was written; empty when there is none.
        """
        return next((one.written for one in self.patterns if one.covers(tool, arguments or {})), "")

    def catches(self, tool: str, arguments: Mapping[str, Any] | None = None) -> str:
        """Return the pattern that means a call or may mean it; for lists that stop calls.

        Parameters
        ----------
        tool : str
        arguments : mapping of str to any, optional

        Returns
        -------
        str
            As it was written; empty when there is none. One that means a tool also means the primitive that does the
            same: whoever has stopped ``fs_write`` has stopped ``write_file``.
        """
        names = (tool, *DO_THE_SAME.get(tool, ()))
        given = arguments or {}
        return next((one.written for one in self.patterns if any(one.catches(name, given) for name in names)), "")


def by_agent(entries: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Read lists of tools that belong to agents.

    Parameters
    ----------
    entries : iterable of str
        An agent's name, or ``*`` for every agent, a colon, and a pattern of tools.

    Returns
    -------
    dict of str to tuple of str
        Patterns by agent, as they were written.

    Raises
    ------
    DefinitionError
        An entry cannot be read.

    Examples
    --------
    >>> by_agent(["operator: fs_*", "operator: exec(command: git *)", "*: task_list"])
    {'operator': ('fs_*', 'exec(command: git *)'), '*': ('task_list',)}
    """
    found: dict[str, tuple[str, ...]] = {}
    for entry in entries:
        agent, colon, pattern = (part.strip() for part in entry.partition(":"))
        if not (agent and colon) or "(" in agent:
            raise DefinitionError(
                f"{shorten(entry)!r} names no agent; write operator: fs_*, or *: fs_* for every agent"
            )
        found[agent] = (*found.get(agent, ()), ToolPattern.parse(pattern).written)
    return found


NO_TOOLS = ToolPatterns()
"""A list without patterns."""


def _scalar(value: object) -> str | None:
    """Write a single value as text; ``None`` for lists, objects and nothing at all."""
    if isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, bool | int | float) else None


def _flat(value: object) -> str:
    """Write any value as text, the parts of a list or an object as words."""
    if isinstance(value, Mapping):
        return " ".join(f"{key} {_flat(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        return " ".join(map(_flat, value))
    return _scalar(value) or ""


def _readings(text: str) -> Iterator[str]:
    """Return a value as it is written, without quoting, and as a path without detours."""
    words = " ".join(text.replace("\\\n", "").split())
    yield words
    bare = compiled(_QUOTING).sub("", words)
    yield bare
    yield posixpath.normpath(bare)


def _name(written: str) -> re.Pattern[str]:
    glob = f"{written}*" if written.endswith("_") else written
    stem = glob.removesuffix("_*")
    has_stem = stem not in {"", glob} and not {"*", "?"} & set(stem)
    return re.compile(_whole(glob).pattern + (f"|{re.escape(stem)}" if has_stem else ""), re.DOTALL)


def _whole(glob: str) -> re.Pattern[str]:
    """Match a whole text against a glob; no part of it is tried twice, however many stars there are."""
    first, *rest = map(_piece, glob.split("*"))
    if not rest:
        return re.compile(first, re.DOTALL)
    *middle, last = rest
    return re.compile(f"{first}{''.join(f'(?>.*?{piece})' for piece in middle)}.*{last}", re.DOTALL)


def _anywhere(glob: str) -> re.Pattern[str]:
    """Find a glob in a text that is longer, where its first and its last letter begin and end a word."""
    pieces = [*map(_piece, " ".join(glob.split()).split("*"))]
    if glob[:1].isalnum():
        pieces[0] = rf"(?<!\w){pieces[0]}"
    if glob[-1:].isalnum():
        pieces[-1] = rf"{pieces[-1]}(?!\w)"
    return re.compile("".join(f"(?>.*?{piece})" for piece in pieces), re.DOTALL | re.IGNORECASE)


def _piece(text: str) -> str:
    return "".join("." if character == "?" else re.escape(character) for character in text)
