"""Arguments of a call, held against the tool's schema before anything else happens.

A missing argument is told first, then a name the tool does not know, then values of the wrong kind. The sentence names
the parameter, what was expected and what was given: the model that called reads it and calls again.

The part of JSON schema that tools use is understood: ``type`` (also a list of types), ``enum``, ``const``,
``properties``, ``required``, ``additionalProperties``, ``items``, ``anyOf`` and ``oneOf``. Other keywords narrow
nothing here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from lango_nb.core.errors import ToolError, shorten, suggest
from lango_nb.tools.tool import Tool

Check = Callable[[Any, str], Any]
"""Takes a value and the place it stands in; returns the value to work with or raises."""

MISSING_ARGUMENT = "missing_argument"
BAD_ARGUMENT = "bad_argument"

_NOUNS = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def check_arguments(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Hold the arguments of a call against the tool's schema.

    Parameters
    ----------
    tool : Tool
    arguments : mapping of str to any
        As a model wrote them.

    Returns
    -------
    dict
        The arguments to call with; ``5.0`` has become ``5`` where an integer is wanted.

    Raises
    ------
    ToolError
        With code ``missing_argument``, or ``bad_argument`` for everything else.

    Notes
    -----
    Source: spec 003 "Control Plane Tools" and "Task Tools" (a missing input fails before any other work begins).

    Examples
    --------
    >>> wait = Tool("wait", schema_source=lambda: {
    ...     "type": "object", "properties": {"agent_id": {"type": "string"}}, "required": ["agent_id"]})
    >>> check_arguments(wait, {"agent_id": "run-1"})
    {'agent_id': 'run-1'}
    >>> check_arguments(wait, {})
    Traceback (most recent call last):
    ...
    lango_nb.core.errors.ToolError: missing agent_id parameter
    """
    return _compiled(tool).check(arguments)


@lru_cache(maxsize=4096)
def _compiled(tool: Tool) -> _Arguments:
    return _Arguments.of(tool.parameters)


class _Arguments(NamedTuple):
    """The arguments' schema, made ready for checking."""

    required: tuple[str, ...]
    checks: dict[str, Check]
    extra: Check | None
    """Checks an argument the schema does not name; ``None`` when there may be none."""

    @classmethod
    def of(cls, schema: Mapping[str, Any]) -> _Arguments:
        properties = schema.get("properties") or {}
        more = schema.get("additionalProperties", "properties" not in schema)
        return cls(
            tuple(schema.get("required") or ()),
            {name: _compile(inner) for name, inner in properties.items()},
            None if more is False else _compile(more),
        )

    def check(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if not isinstance(arguments, Mapping):
            raise ToolError(f"arguments are an object, got {_shown(arguments)}", BAD_ARGUMENT)
        missing = [name for name in self.required if name not in arguments]
        if missing:
            raise ToolError(", ".join(f"missing {name} parameter" for name in missing), MISSING_ARGUMENT)
        checks = self.checks
        checked = {}
        for name, value in arguments.items():
            check = checks.get(name, self.extra)
            if check is None:
                hint = suggest(str(name), checks) if checks else "the tool takes none"
                raise ToolError(f"unknown parameter {shorten(str(name))!r}; {hint}", BAD_ARGUMENT)
            checked[name] = check(value, name)
        return checked


def _compile(schema: Any) -> Check:
    """Turn a schema into a function that checks one value."""
    if not isinstance(schema, Mapping):
        return _never if schema is False else _anything
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return _any_of(tuple(_compile(option) for option in options), _expected(schema))
    choices = schema.get("enum") or ([schema["const"]] if "const" in schema else None)
    if choices:
        return _one_of(choices)
    kind = schema.get("type")
    if isinstance(kind, list):
        return _any_of(tuple(_compile({**schema, "type": one}) for one in kind), _expected(schema))
    return _of_type(kind, schema)


def _of_type(kind: str | None, schema: Mapping[str, Any]) -> Check:
    if kind == "array":
        return _list_of(_compile(schema.get("items", True)))
    if kind == "object":
        return _object(schema)
    return _SCALARS.get(kind or "", _anything)


def _wrong(place: str, expected: str, value: Any) -> ToolError:
    return ToolError(f"{place} must be {expected}, got {_shown(value)}", BAD_ARGUMENT)


def _string(value: Any, place: str) -> str:
    if not isinstance(value, str):
        raise _wrong(place, "a string", value)
    return value


def _integer(value: Any, place: str) -> int:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong(place, "an integer", value)
    return value


def _number(value: Any, place: str) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not math.isfinite(value):
        raise _wrong(place, "a number", value)
    return value


def _boolean(value: Any, place: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong(place, "true or false", value)
    return value


def _null(value: Any, place: str) -> None:
    if value is not None:
        raise _wrong(place, "null", value)


_SCALARS: dict[str, Check] = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "null": _null,
}


def _list_of(item: Check) -> Check:
    def check(value: Any, place: str) -> list[Any]:
        if not isinstance(value, (list, tuple)):
            raise _wrong(place, "a list", value)
        return [item(one, f"{place}[{number}]") for number, one in enumerate(value)]

    return check


def _object(schema: Mapping[str, Any]) -> Check:
    required = tuple(schema.get("required") or ())
    checks = {name: _compile(inner) for name, inner in (schema.get("properties") or {}).items()}
    more = schema.get("additionalProperties", True)
    extra = None if more is False else _compile(more)

    def check(value: Any, place: str) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise _wrong(place, "an object", value)
        for name in required:
            if name not in value:
                raise ToolError(f"{place} misses {name!r}", BAD_ARGUMENT)
        checked = {}
        for name, one in value.items():
            if not isinstance(name, str):
                raise _wrong(place, "an object with text keys", value)
            inner = checks.get(name, extra)
            if inner is None:
                hint = suggest(name, checks) if checks else "it takes none"
                raise ToolError(f"{place} has an unknown key {shorten(name)!r}; {hint}", BAD_ARGUMENT)
            checked[name] = inner(one, f"{place}.{name}")
        return checked

    return check


def _one_of(choices: list[Any]) -> Check:
    expected = f"one of {', '.join(map(_shown, choices))}" if len(choices) > 1 else _shown(choices[0])

    def check(value: Any, place: str) -> Any:
        for choice in choices:
            if value == choice and isinstance(value, bool) is isinstance(choice, bool):  # True == 1 in Python only
                return choice
        raise _wrong(place, expected, value)

    return check


def _any_of(options: tuple[Check, ...], expected: str) -> Check:
    def check(value: Any, place: str) -> Any:
        inside = None
        for option in options:
            try:
                return option(value, place)
            except ToolError as error:
                if inside is None and not str(error).startswith(f"{place} must be"):
                    inside = error
        raise inside or _wrong(place, expected, value)

    return check


def _anything(value: Any, place: str) -> Any:
    """Let anything pass that JSON can hold."""
    if isinstance(value, float) and not math.isfinite(value):
        raise _wrong(place, "a number", value)
    if isinstance(value, list):
        return [_anything(one, f"{place}[{number}]") for number, one in enumerate(value)]
    if isinstance(value, dict):
        return {key: _anything(one, f"{place}.{key}") for key, one in value.items()}
    return value


def _never(value: Any, place: str) -> Any:
    raise _wrong(place, "left out", value)


def _expected(schema: Mapping[str, Any]) -> str:
    """Word what a union of schemas allows."""
    options = schema.get("anyOf") or schema.get("oneOf") or [{"type": kind} for kind in schema.get("type", [])]
    nouns = []
    for option in options:
        if not isinstance(option, Mapping):
            continue
        if option.get("enum"):
            nouns.append(f"one of {', '.join(map(_shown, option['enum']))}")
        elif isinstance(option.get("type"), str):
            nouns.append(_NOUNS[option["type"]])
    return " or ".join(dict.fromkeys(nouns)) or "something else"


def _shown(value: Any) -> str:
    """Show a value as JSON has it, shortened."""
    try:
        return shorten(json.dumps(value, ensure_ascii=False), 60)
    except (TypeError, ValueError, RecursionError):
        return shorten(repr(value), 60)
