"""YAML that remembers the line of every key, so that whatever is wrong with it can be pointed at.

    file ─ read_text ─→ text ─ read_document ─→ Document(values, lines) ─ check ─→ a checked model
            not a file, too big, not UTF-8        bad YAML, key twice, alias      wrong type, unknown key

Only what JSON can hold comes out: texts, numbers, true and false, null, lists and mappings. Plain words are read as
YAML 1.2 reads them, so ``on``, ``no`` and ``2026-01-01`` are text. Aliases are refused, for a few lines of them expand
to gigabytes, and so is nesting deeper than any definition needs. Every error is a :class:`DefinitionError` of the form
``file:line: field: what``.
"""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, JsonValue, ValidationError

from lango_nb.core.errors import DefinitionError, shorten, suggest
from lango_nb.core.text import printable

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

MAX_BYTES = 1_000_000
"""Largest definition file that is read."""
MAX_DEPTH = 20
"""Deepest nesting that is read; libyaml takes the whole process down at some hundred thousand."""

Loc = tuple[str | int, ...]
"""Where a value is: keys and list positions from the top, positions from 0."""
Model = TypeVar("Model", bound=BaseModel)

_Parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLS = {word: value for value in (True, False) for word in (f"{value}", f"{value}".lower(), f"{value}".upper())}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_LINE_ENDS = {ord(char): None for char in "\t\n\r"}
NUMBER = re.compile(f"{_FLOAT.pattern}|{_SPECIAL.pattern}")
"""Plain words that are read as numbers."""
_TEXT_TAGS = frozenset({None, "!", "tag:yaml.org,2002:str"})
_TOP_KEY = re.compile(r"([^\s#:'\"\[\]{}-][^:'\"]*?)\s*:(?:\s|$)")


@dataclass(frozen=True, slots=True)
class Document:
    """A mapping read from YAML, and where everything in it stands."""

    path: str
    """File name for messages."""
    noun: str
    """What the text is called when no field can be named, ``front matter`` for instance."""
    first_line: int
    """Line of the file at which the YAML begins, from 1."""
    is_own: bool = False
    """Whether it is one of the package's own, which its tests check."""
    values: dict[str, JsonValue] = field(default_factory=dict)
    lines: dict[Loc, int] = field(default_factory=dict)
    """Line of the file at which each key or item stands, from 1."""

    def line_of(self, loc: Loc) -> int:
        """Return the line of a value, or of the nearest thing around it that is in the file."""
        while loc:
            if loc in self.lines:
                return self.lines[loc]
            loc = loc[:-1]
        return self.first_line

    def error(self, loc: Loc, what: str) -> DefinitionError:
        """Word what is wrong with one value: ``file:line: field: what``."""
        return self.error_at(self.line_of(loc), describe(loc) or self.noun, what)

    def error_at(self, line: int, name: str, what: str) -> DefinitionError:
        """Word what is wrong in one line."""
        return DefinitionError(f"{self.path}:{line}: {printable(name)}: {what}")

    def check(self, model: type[Model], values: Mapping[str, JsonValue]) -> Model:
        """Make a model of values of this document, without turning one type into another.

        What the package brings is taken as it stands: its tests check that, and building the validators takes more time
        than everything else that is read when an engine starts.

        Parameters
        ----------
        model : type of BaseModel
        values : mapping of str to JsonValue
            Some or all of ``self.values``; a key without a value counts as left out.

        Returns
        -------
        BaseModel

        Raises
        ------
        DefinitionError
            With the line and the field of the first value that is wrong.
        """
        if self.is_own:
            return _unchecked(model, values)
        try:
            return model.model_validate_json(json.dumps(_without_empty(dict(values))), strict=True)
        except ValidationError as error:
            details = sorted(error.errors(), key=lambda detail: self.line_of(detail["loc"]))
            more = f" (and {len(details) - 1} more like this)" if len(details) > 1 else ""
            raise self.error(details[0]["loc"], _sentence(details[0], model) + more) from None


def read_text(path: Path, shown_as: str) -> str:
    """Read a definition file.

    Parameters
    ----------
    path : Path
    shown_as : str
        What messages call the file.

    Returns
    -------
    str
        Without a byte order mark, with its line ends as they are.

    Raises
    ------
    DefinitionError
        It is not a file, cannot be read, is larger than 1 MB, or is not UTF-8.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise DefinitionError(f"{shown_as}: {_what_it_is(path)}, not a file; put a text file there or remove it")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise too_big(shown_as, path.stat().st_size)
    except (OSError, ValueError) as error:
        what = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise DefinitionError(f"{shown_as}: cannot be read ({what}); check that it is there and readable") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"byte {data[error.start]:#04x} is not UTF-8; save the file as UTF-8 text"
        raise DefinitionError(f"{shown_as}:{line}: file: {what}") from error


def too_big(shown_as: str, size: int) -> DefinitionError:
    """Word that a definition is larger than what is read."""
    return DefinitionError(f"{shown_as}: file: has {size:,} bytes, at most {MAX_BYTES:,} are read; shorten it")


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
        It is not YAML, not a mapping, or uses what is not read here: aliases, tags, keys that are no text or
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
            raise self._error(top, (), f"has to be lines of 'key: value', not {_kind(value)}")
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


def describe(loc: Loc) -> str:
    """Name the place of a value for a reader, list items counted from 1.

    Examples
    --------
    >>> describe(("constraints", "max_depth")), describe(("root_sections", 0, "priority"))
    ('constraints.max_depth', 'root_sections, item 1, priority')
    """
    text = ""
    for before, part in zip((None, *loc), loc, strict=False):
        if isinstance(part, int):
            text += f", item {part + 1}" if text else f"item {part + 1}"
        elif isinstance(before, int):
            text += f", {shorten(part)}"
        else:
            text += f".{shorten(part)}" if text else shorten(part)
    return text


def _plain(word: str) -> JsonValue:
    """Read an unquoted word as YAML 1.2 does."""
    if word in _NULLS:
        return None
    if word in _BOOLS:
        return _BOOLS[word]
    if _INTEGER.fullmatch(word):
        return int(word)
    if _FLOAT.fullmatch(word):
        return float(word)
    return float(word.replace(".", "")) if _SPECIAL.fullmatch(word) else word


def _unchecked(model: type[Model], values: Mapping[str, JsonValue]) -> Model:
    """Make a model, and those inside it, of values that are right."""

    def of(annotation: Any, value: Any) -> Any:
        if isinstance(value, list):
            return tuple(of(get_args(annotation)[0], item) for item in value)
        return _unchecked(annotation, value) if isinstance(value, dict) else value

    fields = model.model_fields
    return model.model_construct(
        **{name: of(fields[name].annotation, value) for name, value in values.items() if value is not None}
    )


def _without_empty(value: JsonValue) -> JsonValue:
    """Leave out keys that have no value."""
    if isinstance(value, dict):
        return {key: _without_empty(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_without_empty(inner) for inner in value]
    return value


@lru_cache(maxsize=1)
def _unprintable() -> re.Pattern[str]:
    """Return what YAML may not hold; made on first use, because it takes long to compile."""
    return re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


def _is_plain(text: str) -> bool:
    """Tell whether a text is printable but for its line ends and tabs."""
    return text.translate(_LINE_ENDS).isprintable()


def _refuse_unprintable(text: str, document: Document) -> None:
    found = None if text.isascii() and _is_plain(text) else _unprintable().search(text)
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
        found = _TOP_KEY.match(line)
        if found is not None:
            return shorten(found[1])
    return ""


def _what_it_is(path: Path) -> str:
    return "is a directory" if path.is_dir() else "is a device, pipe or socket"


def _kind(value: Any) -> str:
    """Name what was written instead of what should be there."""
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    return "nothing" if value is None else printable(shorten(json.dumps(value, ensure_ascii=False)))


_EXPECTED = {
    "string_type": "text",
    "tuple_type": "a list",
    "model_type": "a mapping",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
}
"""What pydantic's kinds of wrong type are called here."""


def _sentence(detail: ErrorDetails, model: type[BaseModel]) -> str:
    """Say what pydantic found, and what to do about it, in our words."""
    kind, value, loc = detail["type"], detail["input"], detail["loc"]
    if kind in _EXPECTED:
        return f"has to be {_EXPECTED[kind]}, not {_kind(value)}{_advice(kind, value)}"
    if kind == "missing":
        return "is missing; add it"
    if kind == "extra_forbidden":
        return f"is no key of this file; {suggest(str(loc[-1]), _fields_at(model, loc))}"
    if kind == "literal_error":
        return f"has to be {detail['ctx']['expected']}, not {_kind(value)}"
    return f"{detail['msg'].removeprefix('Value error, ')}, not {_kind(value)}"


def _advice(kind: str, value: Any) -> str:
    """Say how to write what was meant."""
    if kind == "tuple_type" and isinstance(value, str):
        return f"; write a list: [{_kind(value)}]"
    if kind == "string_type" and isinstance(value, bool | int | float):
        return f'; put it in quotes: "{_kind(value)}"'
    if kind == "model_type":
        return "; write its keys indented, one per line"
    return ""


def _fields_at(model: type[BaseModel], loc: Loc) -> tuple[str, ...]:
    """Return the keys that are allowed where an unknown one stands."""
    for part in loc[:-1]:
        if isinstance(part, str):
            model = _model_in(model.model_fields[part].annotation) or model
    return tuple(model.model_fields)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Find the model inside a type such as ``tuple[PromptSection, ...]``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part)) is not None), None)
