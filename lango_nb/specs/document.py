"""Values of a definition file with the line of every key, so that whatever is wrong with one can be pointed at.

    file ─ read_text ─→ text ─ read_document ─→ Document(values, lines) ─ check ─→ a checked model
            not a file, too big, not UTF-8        bad YAML, key twice, alias      wrong type, unknown key

Every error is a :class:`DefinitionError` of the form ``file:line: field: what``. The syntax is that of
:mod:`lango_nb.specs.yaml_text`.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from dataclasses import field, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_type_hints

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import DefinitionError, shorten, suggest
from lango_nb.core.frozen import Frozen
from lango_nb.core.json_value import JsonValue
from lango_nb.core.text import printable

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

MAX_BYTES = 1_000_000
"""Largest definition file that is read."""
MAX_DEPTH = 20
"""Deepest nesting that is read; libyaml takes the whole process down at some hundred thousand."""

Loc = tuple[str | int, ...]
"""Where a value is: keys and list positions from the top, positions from 0."""
Model = TypeVar("Model", bound=Frozen)


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
        model : type of Frozen
        values : mapping of str to JsonValue
            Some or all of ``self.values``; a key without a value counts as left out.

        Returns
        -------
        Frozen

        Raises
        ------
        DefinitionError
            With the line and the field of the first value that is wrong.
        """
        if self.is_own:
            return _unchecked(model, values)
        from pydantic import ValidationError

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


def _unchecked(model: type[Model], values: Mapping[str, JsonValue]) -> Model:
    """Make a model, and those inside it, of values that are right."""

    def of(annotation: Any, value: Any) -> Any:
        if isinstance(value, list):
            return tuple(of(get_args(annotation)[0], item) for item in value)
        return _unchecked(annotation, value) if isinstance(value, dict) else value

    kind: Any = model
    types = _types(kind)
    return model.model_construct(
        **{name: of(types[name], value) for name, value in values.items() if value is not None}
    )


@cache
def _types(model: Any) -> dict[str, Any]:
    return get_type_hints(model)


def _without_empty(value: JsonValue) -> JsonValue:
    """Leave out keys that have no value."""
    if isinstance(value, dict):
        return {key: _without_empty(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_without_empty(inner) for inner in value]
    return value


def _what_it_is(path: Path) -> str:
    return "is a directory" if path.is_dir() else "is a device, pipe or socket"


def shown_kind(value: Any) -> str:
    """Name what was written instead of what should be there."""
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    return "nothing" if value is None else printable(shorten(json.dumps(value, ensure_ascii=False)))


_EXPECTED = {
    "string_type": "text",
    "tuple_type": "a list",
    "dataclass_type": "a mapping",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
}
"""What pydantic's kinds of wrong type are called here."""


def _sentence(detail: ErrorDetails, model: type[Frozen]) -> str:
    """Say what pydantic found, and what to do about it, in our words."""
    kind, value, loc = detail["type"], detail["input"], detail["loc"]
    if kind in _EXPECTED:
        return f"has to be {_EXPECTED[kind]}, not {shown_kind(value)}{_advice(kind, value)}"
    if kind == "missing":
        return "is missing; add it"
    if kind == "unexpected_keyword_argument":
        return f"is no key of this file; {suggest(str(loc[-1]), _fields_at(model, loc))}"
    if kind == "literal_error":
        return f"has to be {detail['ctx']['expected']}, not {shown_kind(value)}"
    return f"{detail['msg'].removeprefix('Value error, ')}, not {shown_kind(value)}"


def _advice(kind: str, value: Any) -> str:
    """Say how to write what was meant."""
    if kind == "tuple_type" and isinstance(value, str):
        return f"; write a list: [{shown_kind(value)}]"
    if kind == "string_type" and isinstance(value, bool | int | float):
        return f'; put it in quotes: "{shown_kind(value)}"'
    if kind == "dataclass_type":
        return "; write its keys indented, one per line"
    return ""


def _fields_at(model: type[Frozen], loc: Loc) -> tuple[str, ...]:
    """Return the keys that are allowed where an unknown one stands."""
    kind: Any = model
    for part in loc[:-1]:
        if isinstance(part, str):
            kind = _model_in(_types(kind)[part]) or kind
    return tuple(one.name for one in fields(kind))


def _model_in(annotation: Any) -> type[Frozen] | None:
    """Find the model inside a type such as ``tuple[PromptSection, ...]``."""
    if isinstance(annotation, type) and issubclass(annotation, Frozen):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part)) is not None), None)
