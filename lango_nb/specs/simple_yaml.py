"""The part of YAML that the package's own definitions are written in, read without PyYAML.

    name: librarian                     texts, whole numbers, true and false
    keywords: [search, find]            lists on one line, or with an item per line
    description: >-                     texts of several lines, folded (>-) or as they stand (|-)
      Keeps the knowledge layer.
    constraints:                        mappings in each other, by their indentation
      max_turns: 10

Loading PyYAML takes longer than everything else that is read when an engine starts. Whatever is not in this drawing is
left to it, and the contract tests hold that both read the same of every file of the package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lango_nb.core.json_value import JsonValue
from lango_nb.specs.document import Document

_KEY = re.compile(r"([a-z_]+):(?: +(\S.*))?")
_PLAIN = re.compile(r"[A-Za-z(](?:[^:#]|:(?! |$)|(?<! )#)*")
"""What is a text without quotes, unless it is one of the words that stand for something else."""
_WORDS = {"true": True, "false": False}
_OTHER_WORDS = frozenset({"null", "yes", "no", "on", "off"})


class NotSimpleError(Exception):
    """The text holds something that is left to PyYAML."""


def read_simple(text: str) -> dict[str, JsonValue]:
    r"""Read a mapping, or raise :class:`NotSimpleError` where something in it is left to PyYAML, right or wrong.

    Examples
    --------
    >>> read_simple("name: vault\nkeywords: [sign, hash]\nconstraints:\n  max_turns: 3\n")
    {'name': 'vault', 'keywords': ['sign', 'hash'], 'constraints': {'max_turns': 3}}
    """
    if not text.replace("\n", "").isprintable():
        raise NotSimpleError
    lines = _Lines(text)
    values = lines.mapping(0)
    if lines.indent is not None:
        raise NotSimpleError
    return values


def read_definition(text: str, path: str, *, noun: str = "file", first_line: int = 1, is_own: bool = False) -> Document:
    """Read a definition: one of the package's own here, where it is simple, any other with PyYAML."""
    if is_own:
        try:
            return Document(path, noun, first_line, is_own, read_simple(text))
        except NotSimpleError:
            pass
    from lango_nb.specs.yaml_text import read_document

    return read_document(text, path, noun=noun, first_line=first_line, is_own=is_own)


class _Lines:
    """The lines of a text, read one by one."""

    def __init__(self, text: str) -> None:
        self._lines = text.rstrip("\n").split("\n")
        self._next = 0

    @property
    def indent(self) -> int | None:
        """How far the next line that is not empty is indented; ``None`` after the last."""
        while self._next < len(self._lines) and not self._lines[self._next].strip():
            self._next += 1
        if self._next == len(self._lines):
            return None
        line = self._lines[self._next]
        return len(line) - len(line.lstrip(" "))

    def mapping(self, indent: int) -> dict[str, JsonValue]:
        """Read the keys that stand at an indentation."""
        values: dict[str, JsonValue] = {}
        while self.indent == indent:
            found = _KEY.fullmatch(self._lines[self._next], indent)
            if found is None or found[1] in values:
                raise NotSimpleError
            self._next += 1
            values[found[1]] = self._value(found[2] or "", indent)
        return values

    def _value(self, written: str, indent: int) -> JsonValue:
        """Read what follows a key: on its line, or on those below it."""
        if written in {">-", "|-"}:
            return self._block(indent, is_folded=written == ">-")
        if written.startswith("[") and written.endswith("]"):
            inside = written[1:-1].strip()
            return [_scalar(item.strip()) for item in inside.split(",")] if inside else []
        if written:
            return _scalar(written)
        below = self.indent
        if below is None or below < indent:
            raise NotSimpleError
        if self._lines[self._next].startswith("- ", below):
            return list(self._items(below))
        if below == indent:
            raise NotSimpleError
        return self.mapping(below)

    def _items(self, indent: int) -> Iterator[JsonValue]:
        """Read the items of a list; one that begins with a key is a mapping."""
        while self.indent == indent and (line := self._lines[self._next]).startswith("- ", indent):
            item = line[indent + 2 :]
            if _KEY.fullmatch(item):
                self._lines[self._next] = f"{' ' * (indent + 2)}{item}"
                yield self.mapping(indent + 2)
            else:
                self._next += 1
                yield _scalar(item)

    def _block(self, indent: int, *, is_folded: bool) -> str:
        """Read a text of several lines."""
        first, own = self._next, self.indent
        if own is None or own <= indent or self._next > first:
            raise NotSimpleError
        lines = []
        while self._next < len(self._lines):
            line = self._lines[self._next]
            if line.strip() and not line.startswith(" " * own):
                break
            if is_folded and (not line.strip() or line.startswith(" ", own)):
                raise NotSimpleError
            lines.append(line[own:])
            self._next += 1
        return (" " if is_folded else "\n").join(lines).rstrip("\n")


def _scalar(written: str) -> JsonValue:
    if written.isdecimal() and (written == "0" or not written.startswith("0")):
        return int(written)
    if len(written) > 1 and written[0] == written[-1] == "'" and "'" not in written[1:-1]:
        return written[1:-1]
    if written in _WORDS:
        return _WORDS[written]
    if written.lower() in _OTHER_WORDS or not _PLAIN.fullmatch(written) or written != written.strip():
        raise NotSimpleError
    return written
