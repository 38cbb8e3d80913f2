"""Files of keys and values, JSON and YAML alike: what they hold, and where each value of it stands in the text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

KEYED = (".json", ".yaml", ".yml")
"""How the names of files end that hold keys and values."""
TABULAR = (".csv", ".tsv", *KEYED)
"""The same of files that are changed value by value rather than line by line."""
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_KEY_LINE = re.compile(r"^[^\s#][^\n]*?:(?: |$)", re.MULTILINE)
_SAFE = re.compile(r"[^\W_][\w ./@%+()-]*")
"""What may stand in YAML without quotation marks."""


class Keyed(NamedTuple):
    """What a file of keys and values holds."""

    data: Any
    values: dict[str, Any]
    """By path (``address.town``, ``items.0.name``)."""
    spans: dict[str, tuple[int, int]]
    """Where each of them stands."""
    is_json: bool


@lru_cache(maxsize=16)
def keyed(text: str) -> Keyed:
    r"""Read a text of keys and values.

    Raises
    ------
    ValueError
        It is neither JSON nor a mapping or a list of YAML.

    Examples
    --------
    >>> keyed('{"a": 1, "b": [true, {"c": "x"}]}').spans
    {'a': (6, 7), 'b': (14, 32), 'b.0': (15, 19), 'b.1': (21, 31), 'b.1.c': (27, 30)}
    >>> found = keyed("# house\nrent: 40\nkeys:\n  - blue\n")
    >>> found.data, found.spans["rent"], found.is_json
    ({'rent': 40, 'keys': ['blue']}, (14, 16), False)
    """
    try:
        data = json.loads(text)
    except ValueError:
        return _of_yaml(text)
    return Keyed(data, dict(_values(data)), dict(_spans_of_json(text)), is_json=True)


def _values(data: object, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield all values below one, each with its path."""
    inner = enumerate(data) if isinstance(data, list) else data.items() if isinstance(data, dict) else ()
    for name, value in inner:
        whole = f"{path}.{name}" if path else str(name)
        yield whole, value
        yield from _values(value, whole)


def in_json(name: str, text: str) -> str:
    """Return a file as JSON where it is YAML that can be read; any other text as it is.

    Examples
    --------
    >>> in_json("a.yaml", "rent: 40"), in_json("a.yaml", "- : :"), in_json("a.txt", "rent: 40")
    ('{"rent": 40}', '- : :', 'rent: 40')
    """
    if not name.casefold().endswith(KEYED[1:]):
        return text
    try:
        return json.dumps(keyed(text).data, ensure_ascii=False)
    except ValueError:
        return text


def _spans_of_json(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    spans: dict[str, tuple[int, int]] = {}

    def blank(at: int) -> int:
        match = _SPACE.match(text, at)
        return match.end() if match else at

    def walk(at: int, path: str) -> int:
        opening = text[at : at + 1]
        if opening not in {"{", "["}:
            return _DECODER.raw_decode(text, at)[1]
        closing, place = ("}" if opening == "{" else "]"), 0
        at = blank(at + 1)
        while text[at : at + 1] != closing:
            name = str(place)
            if opening == "{":
                name, at = _DECODER.raw_decode(text, at)
                at = blank(blank(at) + 1)
            inner = f"{path}.{name}" if path else name
            spans[inner] = (at, at)
            end = walk(at, inner)
            spans[inner] = (at, end)
            at, place = blank(end), place + 1
            if text[at : at + 1] == ",":
                at = blank(at + 1)
        return at + 1

    walk(blank(0), "")
    yield from spans.items()


def _of_yaml(text: str) -> Keyed:
    from lango_nb.core.errors import DefinitionError
    from lango_nb.specs.yaml_text import value_spans

    if _KEY_LINE.search(text) is None:
        raise ValueError("this is no YAML of keys and values")
    try:
        data, spans = value_spans(text)
    except DefinitionError as error:
        raise ValueError(str(error)) from error
    return Keyed(data, dict(_values(data)), spans, is_json=False)


def in_yaml(new: str, old: str) -> str:
    """Write a text in YAML the way the one in whose place it comes is written: with its quotation marks, or without.

    Examples
    --------
    >>> in_yaml("9:15", '"9:30"'), in_yaml("H4", "H3"), in_yaml("it's", "'a'"), in_yaml("a: b", "c")
    ('"9:15"', 'H4', "'it''s'", '"a: b"')
    """
    if old[:1] == "'":
        return "'" + new.replace("'", "''") + "'"
    return (
        new if old[:1] != '"' and _SAFE.fullmatch(new) and new == new.strip() else json.dumps(new, ensure_ascii=False)
    )
