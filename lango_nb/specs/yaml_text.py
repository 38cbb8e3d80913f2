"""YAML as it is read and written here; the only module that knows PyYAML, and loaded with the first file.

Only what JSON can hold comes out: texts, numbers, true and false, null, lists and mappings. Plain words are read as
YAML 1.2 reads them, so ``on``, ``no`` and ``2026-01-01`` are text. Aliases are refused, for a few lines of them expand
to gigabytes, and so is nesting deeper than any definition needs: the parser's events are read one by one, because the
tree that PyYAML would make of them takes the whole process down at some hundred thousand levels.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from lango_nb.core.errors import DefinitionError, shorten
from lango_nb.core.json_value import JsonValue
from lango_nb.core.lazy import compiled
from lango_nb.specs.document import MAX_DEPTH, Document, Loc, describe, shown_kind

_Parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLS = {word: value for value in (True, False) for word in (f"{value}", f"{value}".lower(), f"{value}".upper())}
_INTEGER = r"[-+]?[0-9]+"
_FLOAT = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
_SPECIAL = r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
_LINE_ENDS = {ord(char): None for char in "\t\n\r"}
_TEXT_TAGS = frozenset({None, "!", "tag:yaml.org,2002:str"})
_TOP_KEY = r"([^\s#:'\"\[\]{}-][^:'\"]*?)\s*:(?:\s|$)"
_UNPRINTABLE = "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
_HALF_CHARACTER = "[\ud800-\udfff]"
_BREAKS = "[\n\x85\u2028\u2029]"
_PARAGRAPHS = r"\S[^\x85\u2028\u2029]*\S\n?"


def read_document(text: str, path: str, *, noun: str = "file", first_line: int = 1, is_own: bool = False) -> Document:
    r"""Read a YAML mapping.

    Parameters
    ----------
    text : str
    path : str
        File name for messages.
    noun : str
        What messages call the text where no field can be named.
    first_line : int
        Line of the file at which the text begins, from 1.
    is_own : bool
        Whether it is one of the package's own.

    Returns
    -------
    Document
        Empty if the text holds nothing but comments.

    Raises
    ------
    DefinitionError
        It is not YAML, not a mapping, or uses what is not read here: aliases, tags, keys that are not text or
        stand twice.

    Examples
    --------
    >>> document = read_document("name: vault\nkeywords: [sign, off]", "AGENT.md")
    >>> document.values, document.lines["keywords",]
    ({'name': 'vault', 'keywords': ['sign', 'off']}, 2)
    """
    document = Document(path, noun, first_line, is_own)
    _refuse_unprintable(text, document)
    try:
        _Builder(document, yaml.parse(text, Loader=_Parser)).build()
    except yaml.MarkedYAMLError as error:
        raise _explain_syntax(error, text, document) from None
    except yaml.YAMLError as error:
        raise document.error((), f"cannot be read as YAML: {error}") from None
    return document


def value_spans(text: str) -> tuple[dict[str, Any], dict[str, tuple[int, int]]]:
    r"""Read a YAML mapping, and where each of its values stands.

    Returns
    -------
    dict
    dict of str to tuple of int
        Begin and end in the text, in characters, by the path of a value (``address.town``, ``items.0``).

    Raises
    ------
    DefinitionError
        As :func:`read_document` does.

    Examples
    --------
    >>> value_spans("open: '9:00' # or so\nkeys:\n  - blue\n")[1]
    {'open': (6, 12), 'keys': (29, 35), 'keys.0': (31, 35)}
    """
    values = read_document(text, "the file").values  # refuses what is nested too deeply to be composed
    spans: dict[str, tuple[int, int]] = {}

    def walk(node: yaml.Node, path: str) -> None:
        if path:
            begin, end = node.start_mark.index, node.end_mark.index
            spans[path] = begin, begin + len(text[begin:end].rstrip())
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                walk(value, f"{path}.{key.value}".lstrip("."))
        elif isinstance(node, yaml.SequenceNode):
            for place, value in enumerate(node.value):
                walk(value, f"{path}.{place}".lstrip("."))

    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if root is not None:
        walk(root, "")
    return values, spans


def write_mapping(values: Mapping[str, Any]) -> str:
    """Write a mapping as YAML that every reader understands alike, in its order."""
    return yaml.dump(dict(values), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=math.inf)


class _Builder:
    """Turns the parser's events into plain values, noting lines on the way."""

    def __init__(self, document: Document, events: Iterator[yaml.Event]) -> None:
        self._document = document
        self._events = events

    def build(self) -> None:
        """Fill the document."""
        next(self._events)  # the start of the stream
        if isinstance(next(self._events), yaml.StreamEndEvent):
            return
        top = next(self._events)
        if isinstance(top, yaml.MappingStartEvent):
            self._refuse_extras(top, ())
            self._document.values.update(self._mapping(()))
        elif (value := self._value(top, ())) is not None:
            raise self._error(top, (), f"has to be lines of 'key: value', not {shown_kind(value)}")
        next(self._events)  # the end of the document
        after = next(self._events)
        if not isinstance(after, yaml.StreamEndEvent):
            raise self._error(after, (), "a second YAML document begins here; '---' and '...' inside need quotes")

    def _value(self, event: yaml.Event, loc: Loc) -> JsonValue:
        self._refuse_extras(event, loc)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, loc)
        if len(loc) >= MAX_DEPTH:
            raise self._error(event, loc[:1], f"is nested more than {MAX_DEPTH} levels deep; make it flatter")
        return self._mapping(loc) if isinstance(event, yaml.MappingStartEvent) else self._sequence(loc)

    def _mapping(self, loc: Loc) -> dict[str, JsonValue]:
        values: dict[str, JsonValue] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._key(event, loc)
            here = (*loc, key)
            if key in values:
                first = self._document.lines[here]
                raise self._error(event, here, f"stands here and in line {first}; keep one of them")
            self._document.lines[here] = self._line(event)
            values[key] = self._value(next(self._events), here)
        return values

    def _key(self, event: yaml.Event, loc: Loc) -> str:
        self._refuse_extras(event, loc)
        if not isinstance(event, yaml.ScalarEvent):
            raise self._error(event, loc, "a key has to be a word, not a list or a mapping")
        key = self._scalar(event, loc)
        if not isinstance(key, str):
            raise self._error(event, loc, f"the key {shorten(event.value)!r} is not text; put it in quotes")
        return key

    def _sequence(self, loc: Loc) -> list[JsonValue]:
        values: list[JsonValue] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            here = (*loc, len(values))
            self._document.lines[here] = self._line(event)
            values.append(self._value(event, here))
        return values

    def _scalar(self, event: yaml.ScalarEvent, loc: Loc) -> JsonValue:
        if event.style or event.tag is not None:
            return event.value
        try:
            return _plain(event.value)
        except ValueError:
            what = f"the number {shorten(event.value, 20)} is too long; put it in quotes"
            raise self._error(event, loc, what) from None

    def _refuse_extras(self, event: Any, loc: Loc) -> None:
        if event.anchor is not None:
            name = shorten(event.anchor)
            written = f"alias *{name}" if isinstance(event, yaml.AliasEvent) else f"anchor &{name}"
            raise self._error(event, loc, f"the {written} is not read here; write the value out")
        if event.tag not in _TEXT_TAGS:
            raise self._error(event, loc, f"the tag {shorten(event.tag)!r} is not read here; leave it out")

    def _line(self, event: Any) -> int:
        return int(event.start_mark.line) + self._document.first_line

    def _error(self, event: yaml.Event, loc: Loc, what: str) -> DefinitionError:
        return self._document.error_at(self._line(event), describe(loc) or self._document.noun, what)


def _plain(word: str) -> JsonValue:
    """Read an unquoted word as YAML 1.2 does."""
    if word in _NULLS:
        return None
    if word in _BOOLS:
        return _BOOLS[word]
    if compiled(_INTEGER).fullmatch(word):
        return int(word)
    if compiled(_FLOAT).fullmatch(word):
        return float(word)
    return float(word.replace(".", "")) if compiled(_SPECIAL).fullmatch(word) else word


def _is_plain(text: str) -> bool:
    """Tell whether a text is printable but for its line ends and tabs."""
    return text.translate(_LINE_ENDS).isprintable()


def _refuse_unprintable(text: str, document: Document) -> None:
    found = None if text.isascii() and _is_plain(text) else compiled(_UNPRINTABLE).search(text)
    if found is not None:
        line = text.count("\n", 0, found.start()) + document.first_line
        what = f"holds the character U+{ord(found[0]):04X}, which YAML has no room for; remove it"
        raise document.error_at(line, _field_above(text, line - document.first_line) or document.noun, what)


_SYNTAX_HINTS = (
    ("mapping values", "put a value that holds ': ' in quotes"),
    ("end of stream", "close the quote"),
    ("',' or ']'", "close the bracket, and put a comma between items"),
    ("',' or '}'", "close the brace, and put a comma between items"),
    ("cannot start any token", "put a value that begins with a sign in quotes"),
    ("expected key", "give the keys of a mapping and the items of a list the same indentation"),
    ("block end", "give the keys of a mapping and the items of a list the same indentation"),
    ("", "put the value in quotes, or check the indentation"),
)
"""What to do, by a part of what the parser says; the first that fits."""


def _explain_syntax(error: yaml.MarkedYAMLError, text: str, document: Document) -> DefinitionError:
    """Point at the line and field where the parser stopped, or at the beginning of what never ends."""
    problem, context, mark = error.problem or "cannot be read", error.context or "", error.problem_mark
    if error.context_mark is not None and ("end of stream" in problem or "flow" in context):
        mark = error.context_mark
    lines = text.removesuffix("\n").split("\n")
    row = min(mark.line if mark is not None else 0, len(lines) - 1)
    indent = lines[row][: len(lines[row]) - len(lines[row].lstrip())]
    hint = next(hint for part, hint in _SYNTAX_HINTS if part in problem)
    if "\t" in indent:
        hint = "indent with spaces, not with tabs"
    what = f"bad YAML, {problem}{context and ' '}{context}; {hint}"
    return document.error_at(row + document.first_line, _field_above(text, row) or document.noun, what)


def _field_above(text: str, row: int) -> str:
    """Name the top-level key in or above a row of the text; empty when there is none."""
    for line in reversed(text.split("\n")[: row + 1]):
        found = compiled(_TOP_KEY).match(line)
        if found is not None:
            return shorten(found[1])
    return ""


class _Dumper(yaml.SafeDumper):
    """Writes texts so that every reader takes them for texts, many-line ones as blocks, and nothing as an alias."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML passes it
        """Write a value out each time it occurs."""
        return True

    def represent_text(self, text: str) -> yaml.ScalarNode:
        """Choose how a text is written."""
        if compiled(_HALF_CHARACTER).search(text):
            raise DefinitionError(f"{shorten(text)!r} holds half a character, which no file can store; remove it")
        style = None
        if compiled(_BREAKS).search(text):
            style = "|" if compiled(_PARAGRAPHS).fullmatch(text) else '"'
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _Dumper.represent_text)
_Dumper.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(rf"(?:{_FLOAT}|{_SPECIAL})\Z"), list("-+.0123456789")
)
