"""A typed function, read as a tool: its parameters, what its docstring says of them, their JSON schema.

    def fs_read(path: str, limit: int | None = None, *, context: ToolContext) -> str

becomes an object schema with ``path`` and ``limit``. The caller supplies ``context``, which is not a parameter.
Pydantic describes and converts annotated parameters; the plain JSON types are in a table, and most tools need no other.
Wrong annotations are found when the function is read, schemas are made when they are needed.
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Union, cast, get_args, get_origin

from lango_nb.core.errors import DefinitionError, ToolError, shorten
from lango_nb.tools.arguments import BAD_ARGUMENT
from lango_nb.tools.context import ToolContext

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Convert = Callable[[Any], Any]
"""Turns a JSON value into what the annotation promises; may raise ``ValueError``."""

_JSON_NAMES: dict[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "array",
    dict: "object",
}
_SIMPLE: dict[Any, Any] = {
    **{kind.__name__: kind for kind in _JSON_NAMES},
    **{f"{kind.__name__} | None": kind | None for kind in _JSON_NAMES},
    "list[str]": list[str],
    "dict[str, str]": dict[str, str],
    "ToolContext": ToolContext,
}
"""Annotations as text that need no look at the function's module; saves most of the time it takes to read one."""
_SCHEMAS: dict[Any, dict[str, Any]] = {
    Any: {},
    None: {"type": "null"},
    type(None): {"type": "null"},
    **{kind: {"type": name} for kind, name in _JSON_NAMES.items()},
    **{kind | None: {"anyOf": [{"type": name}, {"type": "null"}]} for kind, name in _JSON_NAMES.items()},
    list[str]: {"type": "array", "items": {"type": "string"}},
    list[str] | None: {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
    dict[str, str]: {"type": "object", "additionalProperties": {"type": "string"}},
}
"""Schemas of plain annotations."""
_NAMES_ONLY = frozenset({"title", "$defs", "discriminator"})
_VALUES = frozenset({"default", "const", "enum", "examples"})
"""Keywords of a schema under which no schemas stand."""
_SECTIONS = re.compile(r"^(?:Args|Arguments|Parameters|Params):\s*$")
_GOOGLE_ITEM = re.compile(r"^\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
_NUMPY_ITEM = re.compile(r"^\*{0,2}(\w+(?:\s*,\s*\w+)*)\s*(?::.*)?$")


class Parameter(NamedTuple):
    """One parameter that a model fills."""

    name: str
    annotation: Any
    default: Any = inspect.Parameter.empty

    @property
    def is_required(self) -> bool:
        """Whether a call must hold it."""
        return self.default is inspect.Parameter.empty


class Signature(NamedTuple):
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
            made = _schema_of(parameter.annotation)
            definitions.update(made.pop("$defs", {}))
            if parameter.name in notes:
                made["description"] = notes[parameter.name]
            default = None if parameter.is_required else _as_json(parameter.default)
            if default is not None:
                made["default"] = default
            properties[parameter.name] = made
        whole: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
        required = [parameter.name for parameter in self.parameters if parameter.is_required]
        return whole | ({"required": required} if required else {}) | ({"$defs": definitions} if definitions else {})

    def converters(self) -> dict[str, Convert]:
        """List what has to be done to JSON values before the function gets them, by parameter."""
        return {
            parameter.name: _converter_of(parameter.annotation)
            for parameter in self.parameters
            if any(leaf is float or not _is_plain(leaf) for leaf in _leaves(parameter.annotation))
        }


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
    """Refuse an annotation that has no JSON schema."""
    if _is_plain(annotation) or all(map(_is_plain, _leaves(annotation))):
        return
    try:
        _adapter_of(annotation).json_schema()
    except Exception as error:
        name = shorten(annotation.__name__ if isinstance(annotation, type) else repr(annotation))
        raise DefinitionError(
            f"{where} is a {name}, which JSON cannot say; use str, int, float, bool, list, dict, Literal, an Enum, "
            "or a type pydantic knows"
        ) from error


def _is_plain(annotation: Any) -> bool:
    """Tell whether an annotation stands in the table."""
    try:
        return annotation in _SCHEMAS
    except TypeError:  # not hashable: an Annotated with a dict, for instance
        return False


def _leaves(annotation: Any) -> Iterator[Any]:
    """Yield the types that an annotation is made of: ``list[str] | None`` gives ``str`` and ``NoneType``."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        yield from map(type, args)
    elif origin in {Union, types.UnionType, list} or (origin is dict and args[0] is str):
        for arg in args:
            yield from _leaves(arg)
    else:
        yield annotation


def _adapter_of(annotation: Any) -> TypeAdapter[Any]:
    """Return what describes and converts the values of an annotation."""
    from pydantic import TypeAdapter

    return TypeAdapter(annotation)


def _converter_of(annotation: Any) -> Convert:
    """Return what converts the values of an annotation, which fit its schema."""
    return float if annotation is float else _adapter_of(annotation).validate_python


def _schema_of(annotation: Any) -> dict[str, Any]:
    """Return an annotation's JSON schema."""
    if _is_plain(annotation):
        return dict(_SCHEMAS[annotation])
    if (words := _words(annotation)) is not None:
        return words
    made = _adapter_of(annotation).json_schema()
    try:
        return cast("dict[str, Any]", _inlined(made, made.get("$defs", {})))
    except KeyError:  # a type that holds itself
        return made


def _words(annotation: Any) -> dict[str, Any] | None:
    """Return the schema of a choice of texts, or of none of them; ``None`` for other annotations."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Literal and set(map(type, args)) == {str}:
        return {"const": args[0], "type": "string"} if len(args) == 1 else {"enum": list(args), "type": "string"}
    if origin in {Union, types.UnionType} and len(args) == 2 and args[1] is type(None):  # noqa: PLR2004 - a choice or none
        inner = _words(args[0])
        return None if inner is None else {"anyOf": [inner, {"type": "null"}]}
    return None


def _inlined(node: Any, definitions: Mapping[str, Any]) -> Any:
    """Return a schema without titles, with definitions in the places that refer to them."""
    if isinstance(node, list):
        return [_inlined(one, definitions) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        node = {**definitions[name], **{key: node[key] for key in node if key != "$ref"}}
        definitions = {other: definitions[other] for other in definitions if other != name}
    made = {}
    for key, value in node.items():
        if key == "properties":
            made[key] = {name: _inlined(inner, definitions) for name, inner in value.items()}
        elif key not in _NAMES_ONLY:
            made[key] = value if key in _VALUES else _inlined(value, definitions)
    return made


def _as_json(value: Any) -> Any:
    """Return a default as JSON; ``None`` when JSON cannot say it."""
    if value is None or (value.__class__ in _JSON_NAMES and value.__class__ not in {list, dict}):
        return value
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
