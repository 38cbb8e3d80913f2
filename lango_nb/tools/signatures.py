"""A typed function, read as a tool: its parameters, what its docstring says of them, their JSON schema.

    def fs_read(path: str, limit: int | None = None, *, context: ToolContext) -> str

becomes an object schema with ``path`` and ``limit``; ``context`` is given by whoever calls and is no parameter. The
plain types of JSON are read here, which takes microseconds; anything else (``datetime``, a dataclass, ``Annotated``)
is left to pydantic. Wrong annotations are found when the function is read, schemas are made when they are needed.
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin

from lango_nb.core.errors import DefinitionError, ToolError, shorten
from lango_nb.tools.arguments import BAD_ARGUMENT
from lango_nb.tools.context import ToolContext

Convert = Callable[[Any], Any]
"""Turns a JSON value into what the annotation promises; may raise ``ValueError``."""

_JSON_NAMES: dict[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "array",
    dict: "object",
    type(None): "null",
    None: "null",
}
_SIMPLE: dict[Any, Any] = {
    **{kind.__name__: kind for kind in (str, int, float, bool, list, dict)},
    **{f"{kind.__name__} | None": kind | None for kind in (str, int, float, bool, list, dict)},
    "list[str]": list[str],
    "dict[str, str]": dict[str, str],
    "ToolContext": ToolContext,
}
"""Annotations as text that need no look at the function's module; saves most of the time it takes to read one."""
_PLAIN = frozenset(_SIMPLE.values())
_SECTIONS = re.compile(r"^(?:Args|Arguments|Parameters|Params):\s*$")
_GOOGLE_ITEM = re.compile(r"^\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
_NUMPY_ITEM = re.compile(r"^\*{0,2}(\w+(?:\s*,\s*\w+)*)\s*(?::.*)?$")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter that a model fills."""

    name: str
    annotation: Any
    default: Any = inspect.Parameter.empty

    @property
    def is_required(self) -> bool:
        """Whether a call must hold it."""
        return self.default is inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes."""

    parameters: tuple[Parameter, ...]
    context_names: tuple[str, ...]
    """Parameters that get the :class:`ToolContext`."""

    def schema(self, notes: Mapping[str, str]) -> dict[str, Any]:
        """Make the JSON schema of the parameters.

        Parameters
        ----------
        notes : mapping of str to str
            What the docstring says about each parameter.

        Returns
        -------
        dict
            An object schema that allows no other names.
        """
        properties: dict[str, Any] = {}
        definitions: dict[str, Any] = {}
        for parameter in self.parameters:
            made = _read_type(parameter.annotation)[0]
            definitions.update(made.pop("$defs", {}))
            if parameter.name in notes:
                made["description"] = notes[parameter.name]
            if not parameter.is_required and parameter.default is not None:
                made["default"] = _as_json(parameter.default)
                if made["default"] is None:
                    del made["default"]
            properties[parameter.name] = made
        whole: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
        required = [parameter.name for parameter in self.parameters if parameter.is_required]
        return whole | ({"required": required} if required else {}) | ({"$defs": definitions} if definitions else {})

    def converters(self) -> dict[str, Convert]:
        """List what has to be done to JSON values before the function gets them, by parameter."""
        found = ((parameter.name, _read_type(parameter.annotation)[1]) for parameter in self.parameters)
        return {name: convert for name, convert in found if convert is not None}


def read_signature(function: Callable[..., Any], where: str) -> Signature:
    """Read what a function takes.

    Parameters
    ----------
    function : callable
        A Python function or bound method.
    where : str
        Begins the message of an error.

    Returns
    -------
    Signature

    Raises
    ------
    DefinitionError
        A parameter a model could not fill: without annotation, of a type JSON cannot say, positional only,
        ``*args`` or ``**kwargs``.

    Examples
    --------
    >>> def greet(name: str, times: int = 1) -> str: ...
    >>> [parameter.name for parameter in read_signature(greet, "greet").parameters]
    ['name', 'times']
    """
    plain = inspect.unwrap(function)
    is_bound = inspect.ismethod(plain)
    plain = getattr(plain, "__func__", plain)
    code = plain.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    stars = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    if stars:
        mark = "*" if code.co_flags & inspect.CO_VARARGS else "**"
        name = code.co_varnames[len(names)]
        raise DefinitionError(f"{where}: '{mark}{name}' cannot be described to a model; name every parameter")
    if code.co_posonlyargcount > is_bound:
        first = names[is_bound]
        raise DefinitionError(f"{where}: parameter {first!r} is positional only; models fill parameters by name")
    values = plain.__defaults__ or ()
    defaults = dict(zip(names[code.co_argcount - len(values) : code.co_argcount], values, strict=True))
    defaults.update(plain.__kwdefaults__ or {})
    annotations = _resolve(plain, names[is_bound:], where)
    parameters, context_names = [], []
    for name in names[is_bound:]:
        annotation = annotations[name]
        if annotation is ToolContext or ToolContext in getattr(annotation, "__args__", ()):
            context_names.append(name)
            continue
        _check_type(annotation, f"{where}: parameter {name!r}")
        parameters.append(Parameter(name, annotation, defaults.get(name, inspect.Parameter.empty)))
    return Signature(tuple(parameters), tuple(context_names))


def read_docstring(text: str | None) -> tuple[str, dict[str, str]]:
    """Take a docstring apart.

    Parameters
    ----------
    text : str, optional
        In numpy or Google style.

    Returns
    -------
    tuple of str and dict
        The first paragraph on one line, and what is said about each parameter.

    Examples
    --------
    >>> read_docstring('''Greet somebody.
    ...
    ...     Args:
    ...         name: Who is greeted.
    ... ''')
    ('Greet somebody.', {'name': 'Who is greeted.'})
    """
    if not text:
        return "", {}
    lines = inspect.cleandoc(text).splitlines()
    return " ".join(_paragraph(lines)), _numpy_notes(lines) or _google_notes(lines)


def _paragraph(lines: list[str]) -> list[str]:
    """Return the lines up to the first empty one."""
    end = next((number for number, line in enumerate(lines) if not line.strip()), len(lines))
    first = lines[:end]
    starts_with_section = bool(first) and (_SECTIONS.match(first[0]) or first[0].strip() == "Parameters")
    return [] if starts_with_section else [line.strip() for line in first]


def _numpy_notes(lines: list[str]) -> dict[str, str]:
    start = next(
        (n for n, line in enumerate(lines[:-1]) if line.strip() == "Parameters" and set(lines[n + 1].strip()) == {"-"}),
        None,
    )
    if start is None:
        return {}
    body = lines[start + 2 :]
    end = next((n - 1 for n, line in enumerate(body) if n and len(line) > 2 and set(line.strip()) == {"-"}), len(body))  # noqa: PLR2004 - an underline
    return _items(body[:end], _NUMPY_ITEM, 0)


def _google_notes(lines: list[str]) -> dict[str, str]:
    start = next((n for n, line in enumerate(lines) if _SECTIONS.match(line)), None)
    if start is None:
        return {}
    body = lines[start + 1 :]
    end = next((n for n, line in enumerate(body) if line and not line[0].isspace()), len(body))
    body = body[:end]
    indent = min((len(line) - len(line.lstrip()) for line in body if line.strip()), default=0)
    return _items(body, _GOOGLE_ITEM, indent)


def _items(lines: list[str], item: re.Pattern[str], indent: int) -> dict[str, str]:
    """Collect name and text of each entry: a line at the section's indent, and what is indented below it."""
    notes: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines:
        text = line.strip()
        found = item.match(text) if text and len(line) - len(line.lstrip()) == indent else None
        if found is not None:
            current = [found[2]] if item is _GOOGLE_ITEM and found[2] else []
            notes.update({name.strip(): current for name in found[1].split(",")})
        elif text:
            current.append(text)
    return {name: " ".join(words) for name, words in notes.items() if words}


def _resolve(function: Any, names: tuple[str, ...], where: str) -> dict[str, Any]:
    """Return the annotation of every parameter; text is looked up in the function's module."""
    written: Mapping[str, Any] = function.__annotations__
    found = {}
    for name in names:
        if name not in written:
            raise DefinitionError(f"{where}: parameter {name!r} has no type; write {name}: str, for instance")
        given = written[name]
        found[name] = _SIMPLE.get(given, given) if isinstance(given, str) else given
    if any(isinstance(annotation, str) for annotation in found.values()):
        try:
            hints = typing.get_type_hints(function, include_extras=True)
        except Exception as error:
            raise DefinitionError(f"{where}: its annotations cannot be read: {error}") from error
        found = {name: hints[name] for name in names}
    return found


def _check_type(annotation: Any, where: str) -> None:
    """Refuse an annotation that has no JSON schema; quick for those that are used most."""
    try:
        if annotation in _PLAIN:
            return
    except TypeError:  # not hashable: an Annotated with a dict, for instance
        pass
    try:
        _read_type(annotation)
    except Exception as error:
        name = shorten(annotation.__name__ if isinstance(annotation, type) else repr(annotation))
        raise DefinitionError(
            f"{where} is a {name}, which JSON cannot say; use str, int, float, bool, list, dict, Literal, an Enum, "
            "or a type pydantic knows"
        ) from error


def _read_type(annotation: Any) -> tuple[dict[str, Any], Convert | None]:
    """Return an annotation's JSON schema, and how a JSON value becomes a value of it."""
    made = _read_single(annotation) if get_origin(annotation) is None else _read_compound(annotation)
    return _pydantic_type(annotation) if made is None else made


def _read_single(annotation: Any) -> tuple[dict[str, Any], Convert | None] | None:
    if annotation is Any:
        return {}, None
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return _choices([member.value for member in annotation]), annotation
    if annotation in _JSON_NAMES:
        return {"type": _JSON_NAMES[annotation]}, float if annotation is float else None
    return None


def _read_compound(annotation: Any) -> tuple[dict[str, Any], Convert | None] | None:
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return (_choices(list(args)), None) if all(isinstance(choice, (str, int)) for choice in args) else None
    if origin in {Union, types.UnionType}:
        return _read_union(args)
    if origin is list and args:
        inner, convert = _read_type(args[0])
        made: dict[str, Any] = {"type": "array", "items": inner}
    elif origin is dict and args and args[0] is str:
        inner, convert = _read_type(args[1])
        made = {"type": "object", "additionalProperties": inner or True}
    else:
        return None
    if "$defs" in inner:  # pydantic knows how to put definitions at the top
        return None
    return made, None if convert is None else (_each if origin is list else _each_value)(convert)


def _read_union(args: tuple[Any, ...]) -> tuple[dict[str, Any], Convert | None] | None:
    """Read a union of one type with ``None``, or of types that need no conversion."""
    others = [arg for arg in args if arg is not type(None)]
    if len(others) > 1 and not all(other in _JSON_NAMES and other is not float for other in others):
        return None
    parts = [_read_type(arg) for arg in args]
    if any("$defs" in part for part, _ in parts):
        return None
    convert = next((made for _, made in parts if made is not None), None)
    return {"anyOf": [part for part, _ in parts]}, None if convert is None else _unless_none(convert)


def _choices(values: list[Any]) -> dict[str, Any]:
    """Describe a closed list of values."""
    kinds = {_JSON_NAMES[type(value)] for value in values}
    return ({"type": kinds.pop()} if len(kinds) == 1 else {}) | {"enum": values}


def _each(convert: Convert) -> Convert:
    return lambda values: [convert(value) for value in values]


def _each_value(convert: Convert) -> Convert:
    return lambda values: {key: convert(value) for key, value in values.items()}


def _unless_none(convert: Convert) -> Convert:
    return lambda value: None if value is None else convert(value)


def _pydantic_type(annotation: Any) -> tuple[dict[str, Any], Convert]:
    """Let pydantic describe and convert what is not plain JSON."""
    from pydantic import TypeAdapter

    adapter: TypeAdapter[Any] = TypeAdapter(annotation)
    return adapter.json_schema(), adapter.validate_python


def _as_json(value: Any) -> Any:
    """Return a default as JSON; ``None`` when JSON cannot say it."""
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    try:
        return to_jsonable_python(value)
    except PydanticSerializationError:
        return None


def convert_arguments(arguments: Mapping[str, Any], converters: Mapping[str, Convert]) -> dict[str, Any]:
    """Turn checked JSON arguments into what a function's annotations promise.

    Parameters
    ----------
    arguments : mapping of str to any
    converters : mapping of str to callable
        From :meth:`Signature.converters`.

    Raises
    ------
    ToolError
        A value the type cannot hold, with code ``bad_argument``.
    """
    ready = dict(arguments)
    for name, convert in converters.items():
        if name in ready:
            try:
                ready[name] = convert(ready[name])
            except (ValueError, TypeError) as error:
                raise ToolError(f"{name} cannot be used: {_reason(error)}", BAD_ARGUMENT) from error
    return ready


def _reason(error: Exception) -> str:
    """Word why a value was refused, on one line."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else first["msg"]
