"""Ids that are others in every run, and what stands for them on a cassette: ``arun-#1`` is the first run mentioned.

    hide   a conversation as it is      arun-5d6847b848592445  →  arun-#1
    show   a recorded reply, elsewhere  arun-#1                →  arun-9f0c21aa03b7d5e1

Ids with random digits, calls, and runs are found by their shape. A counted ``task-1`` and a time could be anybody's
words: they count as ids only where a tool of the engine has told them in the same conversation.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable

from pydantic import JsonValue

ENGINE_KINDS = frozenset({"arun", "ask", "call", "child", "decision", "memory", "out", "task", "time", "turn"})
"""Kinds of ids that the engine makes; other ids come from tools."""

_AFTER = r"(?!\w|\.\w)"
"""A name goes no further: ``task-1.md`` is a file."""
_RANDOM = r"[a-z]+-[0-9a-f]{16}(?![0-9A-Za-z])"
_RUN = rf"arun-(?:\d+-)?\d+{_AFTER}"
_COUNTED = rf"(?:ask|call|child|memory|task|turn)-(?:\d+-)?\d+{_AFTER}"
_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?"
_BEGIN = "(?<![A-Za-z0-9])"
_STANDING = re.compile(f"{_BEGIN}([a-z]+)-(#+)([0-9]+)")
_TOLD = re.compile(f"{_BEGIN}(?:{_COUNTED}|{_TIME})")
_ANY = re.compile(f"{_BEGIN}(?:([a-z]+)-(#+)([0-9]+)|({_RANDOM}|{_RUN})|({_COUNTED}|{_TIME}))")
_MAY_HOLD = re.compile(r"[a-z]-[#0-9a-f]|\dT\d")
"""A quick look: most texts hold no id at all."""


class Names:
    """The ids of one conversation, numbered by kind in the order in which they appear.

    Parameters
    ----------
    told : iterable of str
        Counted ids and times that count as ids here, see :func:`told_in`.
    kinds : frozenset of str, optional
        Only ids of these kinds; all when absent.

    Examples
    --------
    >>> names = Names()
    >>> names.hide("wait for arun-5d6847b848592445, then read task-1.md")
    'wait for arun-#1, then read task-1.md'
    >>> names.show("arun-#1 is done", "made up for nobody")
    'arun-5d6847b848592445 is done'
    >>> names.hide("see issue-#7"), names.show(names.hide("see issue-#7"), "")
    ('see issue-##7', 'see issue-#7')
    """

    def __init__(self, told: Iterable[str] = (), kinds: frozenset[str] | None = None) -> None:
        self._told = frozenset(told)
        self._kinds = kinds
        self._standing: dict[str, str] = {}
        self._real: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def hide(self, text: str) -> str:
        """Put what stands for it in the place of every id."""
        return _ANY.sub(self._hidden, text) if _MAY_HOLD.search(text) else text

    def hide_in(self, value: JsonValue) -> JsonValue:
        """Hide the ids in all texts of a value."""
        return _in_texts(value, self.hide)

    def new_call(self, call_id: str) -> str:
        """Return what stands for the id of one more call, whatever its shape: some providers give the same id twice."""
        return self._new(call_id, "call")

    def call(self, call_id: str) -> str:
        """Return what stands for the id that an answer names: the latest call of that id."""
        return self._standing.get(call_id) or self._new(call_id, "call")

    def show(self, text: str, maker: str) -> str:
        """Put the ids of this conversation in the place of what stands for them.

        Parameters
        ----------
        text : str
        maker : str
            What ids are made of that the conversation does not know; the same one makes the same ids.

        Returns
        -------
        str
        """

        def real(match: re.Match[str]) -> str:
            kind, marks, number = match.groups()
            if len(marks) > 1:
                return f"{kind}-{marks[1:]}{number}"
            made = hashlib.blake2b(f"{maker} {match.group()}".encode(), digest_size=8).hexdigest()
            return self._real.get(match.group()) or f"{kind}-{made}"

        return _STANDING.sub(real, text) if "-#" in text else text

    def show_in(self, value: JsonValue, maker: str) -> JsonValue:
        """Show the ids in all texts of a value."""
        return _in_texts(value, lambda text: self.show(text, maker))

    def _hidden(self, match: re.Match[str]) -> str:
        kind, marks, number, certain, counted = match.groups()
        if marks:
            return f"{kind}-#{marks}{number}"
        token = certain or counted
        if counted and token not in self._told and token not in self._standing:
            return str(token)
        kind = token.partition("-")[0] if token[0].isalpha() else "time"
        if self._kinds is not None and kind not in self._kinds:
            return str(token)
        return self._standing.get(token) or self._new(token, kind)

    def _new(self, token: str, kind: str) -> str:
        self._counts[kind] = self._counts.get(kind, 0) + 1
        standing = self._standing[token] = f"{kind}-#{self._counts[kind]}"
        self._real[standing] = token
        return standing


def told_in(text: str) -> list[str]:
    """Return the counted ids and the times in what a tool of the engine tells.

    Examples
    --------
    >>> told_in('{"task_id":"task-1","created_at":"2026-01-01T00:00:00+00:00"}')
    ['task-1', '2026-01-01T00:00:00+00:00']
    """
    return _TOLD.findall(text)


def without_ids(text: str) -> str:
    """Blank every id: what is left is the same in every run, and good for sorting."""
    return _ANY.sub("#", text)


def _in_texts(value: JsonValue, change: Callable[[str], str]) -> JsonValue:
    match value:
        case str():
            return change(value)
        case list():
            return [_in_texts(item, change) for item in value]
        case dict():
            return {name: _in_texts(item, change) for name, item in value.items()}
    return value
