"""The text of a shelf: JSON that people read, edit and compare line by line.

::

    {
      "kind": "shelf",
      "schema": 1,
      "tables": {
        "notes": {
          "1": {
            "at": "2026-01-01T00:00:00+00:00",
            "text": "asked twice",
            "turn": 3
          }
        }
      }
    }

Kinds and fields are sorted by name and items by number, whoever writes them, so that a change of one item is a change
of a few lines. Reading is strict, because what is read wrongly would be lost with the next change: a number that stands
there twice is as much an error as a missing comma.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from lango_nb.core.errors import StoreError, UsageError, shorten

KIND = "shelf"
SCHEMA = 1
Tables = dict[str, dict[str, dict[str, Any]]]
"""Documents by kind and number, as TinyDB's storages give and take them."""

_DECODER = json.JSONDecoder()
_BLANK = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_HALF = re.compile("[\ud800-\udfff]")
_NO_JSON = re.compile(r"[:\[,]\s*(NaN|-?Infinity)")
_MERGE = re.compile(r"(<<<<<<<|\|\|\|\|\|\|\||=======|>>>>>>>)")


def plain(item: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document as JSON has it, nothing of it shared, names in order.

    Parameters
    ----------
    item : str
        What errors call it.
    document : mapping

    Returns
    -------
    dict

    Raises
    ------
    UsageError
        It holds something that JSON does not have.
    """
    try:
        found: dict[str, Any] = json.loads(json.dumps(dict(document), sort_keys=True, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(
            f"{item} cannot go on the shelf: {shorten(str(error))}; use texts, numbers, lists and dictionaries"
        ) from error
    return found


def write_text(tables: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    r"""Write tables as text.

    Parameters
    ----------
    tables : mapping
        Documents by kind and number, as :func:`plain` gives them.

    Returns
    -------
    str
        Indented, sorted, letters as they are; it ends in a line end.

    Examples
    --------
    >>> print(write_text({"tags": {"2": {"name": "slow"}}}))
    {
      "kind": "shelf",
      "schema": 1,
      "tables": {
        "tags": {
          "2": {
            "name": "slow"
          }
        }
      }
    }
    <BLANKLINE>
    """
    numbered = {
        kind: {number: _sorted(documents[number]) for number in sorted(documents, key=int)}
        for kind, documents in sorted(tables.items())
    }
    text = json.dumps({"kind": KIND, "schema": SCHEMA, "tables": numbered}, indent=2, ensure_ascii=False)
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text) + "\n"


def _sorted(value: Any) -> Any:
    match value:
        case dict():
            return {name: _sorted(value[name]) for name in sorted(value)}
        case list():
            return [_sorted(item) for item in value]
    return value


def read_text(text: str, name: str) -> Tables:
    r"""Read what :func:`write_text` wrote, and what a person made of it.

    Parameters
    ----------
    text : str
    name : str
        What errors call it.

    Returns
    -------
    dict
        Documents by kind and number, nothing of it shared; empty for an empty text.

    Raises
    ------
    StoreError
        With code ``damaged`` and the line and column, or ``newer_schema``.

    Examples
    --------
    >>> read_text('{"kind": "shelf", "schema": 1, "tables": {"tags": {"2": {}}}}', "shelf.json")
    {'tags': {'2': {}}}
    >>> read_text("{\n  oops\n}", "shelf.json")
    Traceback (most recent call last):
    lango_nb.core.errors.StoreError: shelf.json, line 2, column 3: Expecting property name ...
    """
    if not text.strip():
        return {}
    data = _json(text, name)
    if not isinstance(data, dict) or data.get("kind") != KIND:
        raise StoreError(f'{name} is not a shelf: it does not say "kind": "{KIND}"; name another file', "damaged")
    schema = data.get("schema")
    if not isinstance(schema, int) or isinstance(schema, bool) or schema < 1:
        _fail(text, name, ("schema",), "the schema is a whole number from 1 on")
    if schema > SCHEMA:
        raise StoreError(
            f"{name} has schema {schema}, this version of lango_nb knows {SCHEMA}; update lango_nb", "newer_schema"
        )
    tables = data.get("tables", {})
    if not isinstance(tables, dict):
        _fail(text, name, ("tables",), "tables are an object in braces")
    for kind, documents in tables.items():
        if not isinstance(documents, dict):
            _fail(text, name, ("tables", kind), f"{shorten(kind)!r} is a kind: an object in braces, items by number")
        for number, document in documents.items():
            if not _NUMBER.fullmatch(number):
                _fail(text, name, ("tables", kind, number), f"{shorten(number)!r} is not the number of an item")
            if not isinstance(document, dict):
                _fail(text, name, ("tables", kind, number), "an item is an object in braces")
    return tables


def _json(text: str, name: str) -> Any:
    """Read JSON in which every name of an object stands once."""
    repeated: list[str] = []

    def made(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            names = [name for name, _ in pairs]
            repeated.append(next(name for name in names if names.count(name) > 1))
        return made

    try:
        data = json.loads(text, object_pairs_hook=made, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        line = text.split("\n")[error.lineno - 1]
        what = "a merge was not finished here" if _MERGE.match(line) else error.msg
        raise _damaged(text, error.pos, name, what) from error
    except (ValueError, RecursionError) as error:
        found = _NO_JSON.search(text)
        at = found.start(1) if found is not None else 0
        raise _damaged(text, at, name, shorten(str(error))) from error
    if repeated:
        at = _twice(text, _after_blanks(text, 0)) or max(text.rfind(json.dumps(repeated[0], ensure_ascii=False)), 0)
        raise _damaged(text, at, name, f"{shorten(repeated[0])!r} stands here a second time")
    return data


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number in JSON")


# -- where something stands --------------------------------------------------------------------------------------------


def _fail(text: str, name: str, path: tuple[str, ...], what: str) -> NoReturn:
    """Raise what is wrong with a value: its name stands there."""
    at = start = _after_blanks(text, 0)
    for wanted in path:
        start, at = next(((start, at) for found, start, at in _members(text, at) if found == wanted), (start, at))
    raise _damaged(text, start, name, what)


def _damaged(text: str, at: int, name: str, what: str) -> StoreError:
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    return StoreError(
        f"{name}, line {line}, column {column}: {what}; mend it in an editor, nothing is written to it until then",
        "damaged",
    )


def _twice(text: str, at: int) -> int | None:
    """Find where a name stands a second time in an object, or in one inside it."""
    seen = set()
    for name, start, value in _members(text, at):
        if name in seen:
            return start
        seen.add(name)
        if text[value] == "{" and (inner := _twice(text, value)) is not None:
            return inner
    return None


def _members(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """Give the members of an object of valid JSON: name, where it stands, where its value does."""
    at = _after_blanks(text, at + 1)
    while text[at] != "}":
        start = at
        name, at = _DECODER.raw_decode(text, start)
        value = _after_blanks(text, _after_blanks(text, at) + 1)
        yield name, start, value
        _, at = _DECODER.raw_decode(text, value)
        at = _after_blanks(text, at)
        if text[at] == ",":
            at = _after_blanks(text, at + 1)


def _after_blanks(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found is not None else at
