"""A tool's arguments out of a request: what ``arguments.tsv`` says of a parameter, then its name, then its type.

What the request does not hold is not made up: it is named as missing.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from lango_nb.core.messages import ToolSchema
from lango_nb.models.offline.cues import is_known
from lango_nb.models.offline.fill import quoted
from lango_nb.models.offline.readings import READINGS, address, amount, any_id, block, date, name, path, query, url

_TABLE = "arguments.tsv"
_QUOTES = r"\"[^\"]+\"|“[^”]+”|„[^“”]+[“”]|`[^`]+`|(?<!\w)'[^']+'(?!\w)"
_MACROS = {
    "{Q}": rf"(?P<v>{_QUOTES})",
    "{W}": rf"(?P<v>{_QUOTES}|[\w$#@][\w.@+/=!#-]*)",
    "{R}": r"(?P<v>\S.*)$",
    "{C}": rf"(?P<v>{_QUOTES}|[^,;]+?)(?=\s*(?:[,;]|[.!?]?\s*$|\b(?:because|since|with|reason|receipt|submission|under)\b))",
    "{I}": rf"(?P<v>{_QUOTES}|(?=[\w-]*\d)[A-Za-z][\w-]*|#\d+)",
    "{N}": r"(?P<v>\d+(?:\.\d+)?)",
    "{S}": r"(?P<v>(?<!\S)[#.][A-Za-z][\w-]*|\b[a-z][\w]*[.#][\w-]+\b)",
}
_EDGES = " \t\n,;:!?"
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\w)")
_NO = re.compile(r"\b(?:no|not|don.?t|without|false|off)\b", re.IGNORECASE)
_BY_NAME: tuple[tuple[re.Pattern[str], Any], ...] = (
    (re.compile(r"ur[li]$|link$"), url),
    (re.compile(r"path|^(?:file|folder|filename|dir|directory)$"), path),
    (re.compile(r"address$|^recipient$"), address),
    (re.compile(r"amount|price"), amount),
    (re.compile(r"date|_at$"), date),
    (re.compile(r"(?:^|_)id$|Id$"), any_id),
    (re.compile(r"quer|question|search"), query),
    (re.compile(r"json"), block),
    (re.compile(r"name|^(?:key|title|subject|type|node)$"), name),
)
"""Readings for parameters that the table does not know."""


class Rule(NamedTuple):
    """One way in which a request says an argument."""

    pattern: re.Pattern[str] | None
    option: str = ""
    """What the pattern stands for; empty where it holds the value itself."""
    reading: str = ""
    is_for_all: bool = False
    """Whether the reading counts for arguments that need not be there, too."""


def fill(schema: ToolSchema, text: str) -> tuple[dict[str, Any], list[str]]:
    """Fill a tool's arguments from a text.

    Parameters
    ----------
    schema : ToolSchema
        Its required arguments are filled; optional ones only where the text says them plainly.
    text : str
        The request.

    Returns
    -------
    arguments : dict
        Every value fits the schema.
    missing : list of str
        Required arguments the text does not hold.
    """
    shapes, required = _parameters(schema)
    pool = quoted(text)
    arguments: dict[str, Any] = {}
    missing = []
    for parameter, shape in shapes.items():
        is_required = parameter in required
        value = _on_a_line(parameter, shape, text)
        if value is None:
            value = _by_table(schema.name, parameter, shape, text, is_required=is_required)
        if value is None and is_required and not (is_known(schema.name) and _rules(schema.name, parameter)):
            value = _by_shape(parameter, shape, text, pool, is_only=len(required) == 1)
        if value is not None:
            arguments[parameter] = value
            if isinstance(value, str) and value in pool:
                pool.remove(value)
        elif is_required:
            missing.append(parameter)
    alternatives = _table().get(f"{schema.name}!", ())
    if alternatives and not any(one in arguments for one in alternatives):
        missing.append(" or ".join(alternatives))
    return arguments, missing


def ask_for(schema: ToolSchema, missing: Iterable[str]) -> str:
    """Ask for what a request does not say, by name."""
    names = list(missing)
    return f"To use {schema.name} I need: {', '.join(names)}. Please say {'it' if len(names) == 1 else 'them'}."


def fits(value: object, shape: Mapping[str, Any]) -> bool:
    """Tell whether a value satisfies a parameter's schema, as far as tools declare one.

    Examples
    --------
    >>> fits("a", {"type": "string", "enum": ["a"]}), fits("", {"type": "string"}), fits(1.5, {"type": "integer"})
    (True, False, False)
    """
    options = shape.get("enum")
    if isinstance(options, list) and value not in options:
        return False
    match shape.get("type"):
        case "string":
            return isinstance(value, str) and bool(value.strip())
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool) and _in_range(value, shape)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool) and _in_range(value, shape)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            items = shape.get("items")
            inner = items if isinstance(items, dict) else {}
            return isinstance(value, list) and bool(value) and all(fits(item, inner) for item in value)
        case "object":
            return isinstance(value, dict)
        case _:
            return value is not None


def _in_range(value: float, shape: Mapping[str, Any]) -> bool:
    low, high = shape.get("minimum", -math.inf), shape.get("maximum", math.inf)
    return math.isfinite(value) and low <= value <= high


def _parameters(schema: ToolSchema) -> tuple[dict[str, Mapping[str, Any]], list[str]]:
    properties, required = schema.parameters.get("properties"), schema.parameters.get("required")
    known = properties if isinstance(properties, dict) else {}
    wanted = [str(one) for one in required] if isinstance(required, list) else []
    shapes: dict[str, Mapping[str, Any]] = {one: {"type": "string"} for one in wanted}
    shapes.update({str(one): shape if isinstance(shape, dict) else {} for one, shape in known.items()})
    return shapes, wanted


# -- what the table says -----------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _table() -> Mapping[str, tuple[str, ...]]:
    lines = files("lango_nb.models.offline").joinpath(_TABLE).read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return {row[0]: tuple(row[1:]) for row in rows}


@lru_cache(maxsize=1024)
def _rules(tool: str, parameter: str) -> tuple[Rule, ...]:
    table = _table()
    return tuple(map(_rule, table.get(f"{tool}.{parameter}", table.get(parameter, ()))))


def _rule(written: str) -> Rule:
    if written.startswith(("@", "?@")):
        return Rule(None, reading=written.removeprefix("?"), is_for_all=written.startswith("?"))
    option = ""
    if written.startswith("="):
        option, _, written = written[1:].partition(" ")
    for macro, pattern in _MACROS.items():
        written = written.replace(macro, pattern)
    return Rule(re.compile(written, re.IGNORECASE | re.DOTALL), option)


def _by_table(tool: str, parameter: str, shape: Mapping[str, Any], text: str, *, is_required: bool) -> Any:
    for rule in _rules(tool, parameter):
        if rule.pattern is None:
            said = READINGS[rule.reading](text) if is_required or rule.is_for_all else None
        else:
            match = rule.pattern.search(text)
            said = None if match is None else rule.option or bare(match["v"])
        if said is not None and (value := _typed(said, shape)) is not None:
            return value
    return None


def bare(text: str) -> str:
    """Take quotes and the marks at the end of a sentence off a value.

    Examples
    --------
    >>> bare("'a b'"), bare("billing?"), bare("pip install x.")
    ('a b', 'billing', 'pip install x')
    """
    inner = text.strip()
    if re.fullmatch(_QUOTES, inner):
        return inner[1:-1]
    return inner.strip(_EDGES).removesuffix(".")


def _typed(said: str, shape: Mapping[str, Any]) -> Any:
    """Turn what is said into what the schema wants; ``None`` where it does not fit."""
    value = _converted(said, shape)
    return value if value is not None and fits(value, shape) else None


def _converted(said: str, shape: Mapping[str, Any]) -> Any:
    match shape.get("type"):
        case "integer" | "number" as kind:
            try:
                number = float(said)
            except ValueError:
                return None
            if not math.isfinite(number):
                return None
            return int(number) if kind == "integer" and number.is_integer() else number
        case "boolean":
            return said.casefold() != "false"
        case "array":
            return _list(said)
        case "object":
            return _object(said)
        case _:
            options = shape.get("enum")
            if isinstance(options, list):
                return next((one for one in options if str(one).casefold() == said.casefold()), None)
            return said


def _list(said: str) -> list[Any]:
    if (found := block(said)) is not None and isinstance(read := json.loads(found), list):
        return read
    return [part for part in re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", said.strip()) if part]


def _object(said: str) -> dict[str, Any] | None:
    found = block(said)
    read = json.loads(found) if found is not None else None
    return read if isinstance(read, dict) else None


# -- what name and type say --------------------------------------------------------------------------------------------


def _by_shape(parameter: str, shape: Mapping[str, Any], text: str, pool: list[str], *, is_only: bool) -> Any:
    said = _named_in(parameter, text)
    if said is not None and (value := _typed(said, shape)) is not None:
        return value
    found = _by_type(parameter, shape, text, pool, is_only=is_only)
    return found if found is not None and fits(found, shape) else None


def _on_a_line(parameter: str, shape: Mapping[str, Any], text: str) -> Any:
    """Return what a line of its own says, ``name: value``: so are requests completed."""
    if f"\n{parameter}:" not in text:
        return None
    match = re.search(rf"^{re.escape(parameter)}:\s*(.+)$", text, re.MULTILINE)
    return _typed(bare(match[1]), shape) if match else None


def _named_in(parameter: str, text: str) -> str | None:
    """Return what stands behind a parameter's own name: ``colour: red``, ``max rows = 5``."""
    match = _naming(parameter).search(text)
    return bare(match["v"]) if match else None


@lru_cache(maxsize=1024)
def _naming(parameter: str) -> re.Pattern[str]:
    words = r"[\s_-]*".join(
        re.escape(part) for part in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+|[^\W_a-zA-Z0-9]+", parameter) or [parameter]
    )
    return re.compile(rf"(?<!\w){words}\s*(?:=|:|\bis\b|\bof\b)\s*{_MACROS['{W}']}", re.IGNORECASE)


def _by_type(parameter: str, shape: Mapping[str, Any], text: str, pool: list[str], *, is_only: bool) -> Any:
    options = shape.get("enum")
    if isinstance(options, list):
        return next((one for one in options if re.search(rf"\b{re.escape(str(one))}\b", text, re.IGNORECASE)), None)
    match shape.get("type"):
        case "integer" | "number":
            numbers = (_typed(match[0], shape) for match in _NUMBER.finditer(text))
            return next((number for number in numbers if number is not None), None)
        case "boolean":
            return None if not _mentions(parameter, text) else _NO.search(text) is None
        case "array":
            found = block(text)
            listed = _typed(found, shape) if found else None
            return listed if listed is not None else list(pool) or None
        case "object":
            return _object(text)
        case _:
            return _string(parameter, text, pool, is_only=is_only)


def _string(parameter: str, text: str, pool: list[str], *, is_only: bool) -> str | None:
    folded = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", parameter).casefold()
    for pattern, reading in _BY_NAME:
        if pattern.search(folded):
            if reading in {any_id, name, query} and pool:
                return pool[0]
            found = reading(text)
            return str(found) if found is not None else None
    if pool:
        return pool[0]
    return READINGS["@payload"](text) or READINGS["@query"](text) if is_only else None


def _mentions(parameter: str, text: str) -> bool:
    words = re.findall(r"[a-z]+", parameter.casefold())
    return all(re.search(rf"\b{word}", text, re.IGNORECASE) for word in words)
