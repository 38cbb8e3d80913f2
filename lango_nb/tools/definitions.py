"""What every definition of a tool has to keep to, wherever it comes from: its name, safety, family and schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import DefinitionError, shorten
from lango_nb.core.json_value import JsonValue
from lango_nb.tools.tool import SAFETIES, Safety, unknown_safety

JSON_TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")
"""Types a JSON schema knows."""
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_DEEPEST = 32
"""Levels a schema may have; none made by a person comes near."""


@dataclass(frozen=True, slots=True)
class CheckedSchema:
    """A schema known to be an object schema, made when it is asked for.

    The catalog checks every other schema when the tool is registered, which makes it; this one is left until a model
    or a call needs it.
    """

    make: Callable[[], dict[str, JsonValue]]

    def __call__(self) -> dict[str, JsonValue]:
        """Make the schema."""
        return self.make()


def family_of(name: str) -> str:
    """Return the family a tool belongs to when nobody says: what stands before the first ``_``.

    Examples
    --------
    >>> family_of("cron_add"), family_of("exec")
    ('cron', 'exec')
    """
    return name.partition("_")[0] or name


def check_name(name: object, where: str) -> str:
    """Refuse what cannot be a tool's name.

    Parameters
    ----------
    name : object
        The name as it was found.
    where : str
        Begins the message: a file and row, ``tool 3`` …

    Returns
    -------
    str
        The same name.

    Raises
    ------
    DefinitionError
        No name, or characters a provider would refuse.

    Examples
    --------
    >>> check_name("fs_read", "row 1")
    'fs_read'
    """
    if name is None or name == "":
        raise DefinitionError(f"{where}: the tool has no name; give it one")
    if not isinstance(name, str):
        raise DefinitionError(f"{where}: a tool's name is text, not {_given(name)}")
    if not _NAME.fullmatch(name):
        raise DefinitionError(
            f"{where}: {shorten(name)!r} is not a tool name; use letters, digits, '_', '.' and '-', 128 at most"
        )
    return name


def check_safety(safety: object, where: str) -> Safety:
    """Read a safety; none counts as dangerous.

    Parameters
    ----------
    safety : object
        ``safe``, ``moderate`` or ``dangerous`` in any case; ``None`` or empty when unset.
    where : str
        Begins the message.

    Returns
    -------
    {"safe", "moderate", "dangerous"}

    Raises
    ------
    DefinitionError
        Any other word.

    Examples
    --------
    >>> check_safety(" Safe ", "row 1"), check_safety(None, "row 1")
    ('safe', 'dangerous')
    """
    if safety is None or safety == "":
        return "dangerous"
    word = safety.strip().lower() if isinstance(safety, str) else safety
    if word not in SAFETIES:
        raise unknown_safety(where, safety)
    return cast("Safety", word)


def check_schema(schema: object, where: str) -> dict[str, JsonValue]:
    """Refuse what is not a JSON schema of an object.

    Parameters
    ----------
    schema : object
        ``None`` and ``{}`` stand for a tool without parameters.
    where : str
        Begins the message.

    Returns
    -------
    dict
        The same schema, with ``type`` filled in where only ``properties`` are given.

    Raises
    ------
    DefinitionError
        Names the place inside the schema that is wrong.

    Examples
    --------
    >>> check_schema({}, "row 1")
    {'type': 'object', 'properties': {}}
    """
    if schema is None or schema == {}:
        return {"type": "object", "properties": {}}
    if not isinstance(schema, Mapping):
        raise DefinitionError(f"{where}: the schema is {_given(schema)}; give a JSON schema of an object")
    whole: dict[str, Any] = dict(schema) if "type" in schema else {"type": "object", **schema}
    if whole["type"] != "object":
        raise DefinitionError(f"{where}: the schema is of type {_given(whole['type'])}; arguments are an object")
    _check_node(whole, where, "schema", 0)
    return whole


def _check_node(node: object, where: str, place: str, depth: int) -> None:
    if isinstance(node, bool):  # true allows anything, false nothing
        return
    if not isinstance(node, Mapping):
        raise DefinitionError(f"{where}: {place} is {_given(node)}, which is no JSON schema")
    if depth > _DEEPEST:
        raise DefinitionError(f"{where}: the schema has more than {_DEEPEST} levels")
    _check_kind(node, where, place)
    _check_object(node, where, place, depth)
    for key in ("items", "additionalProperties"):
        if key in node:
            _check_node(node[key], where, f"{key} of {place}", depth + 1)
    for key in ("anyOf", "oneOf"):
        for option in _list_in(node, key, where, place):
            _check_node(option, where, f"{key} of {place}", depth + 1)


def _check_kind(node: Mapping[str, Any], where: str, place: str) -> None:
    kind = node.get("type", "object")
    for name in kind if isinstance(kind, list) else (kind,):
        if name not in JSON_TYPES:
            raise DefinitionError(f"{where}: {place} has type {_given(name)}, which is none of {', '.join(JSON_TYPES)}")
    _list_in(node, "enum", where, place)


def _check_object(node: Mapping[str, Any], where: str, place: str, depth: int) -> None:
    properties = node.get("properties", {})
    if not isinstance(properties, Mapping):
        raise DefinitionError(f"{where}: properties of {place} are {_given(properties)}; they map names to schemas")
    for name, inner in properties.items():
        _check_node(inner, where, f"parameter {name!r}" if depth == 0 else f"{name!r} of {place}", depth + 1)
    required = node.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        raise DefinitionError(f"{where}: required of {place} is {_given(required)}; it lists names")
    missing = [name for name in required if name not in properties]
    if missing and properties:
        raise DefinitionError(f"{where}: {place} requires {shorten(missing[0])!r}, which is not among its properties")


def _list_in(node: Mapping[str, Any], key: str, where: str, place: str) -> list[Any]:
    """Return a list a schema may hold; if it is there it has entries."""
    found = node.get(key, ())
    if key in node and not (isinstance(found, list) and found):
        raise DefinitionError(f"{where}: {key} of {place} is {_given(found)}; it lists what is allowed")
    return list(found)


def _given(value: object) -> str:
    return shorten(repr(value), 40)
