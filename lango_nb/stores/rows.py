"""Records as rows of a table, and back: typed columns, what is left as JSON, and a checksum over both.

A member of a record goes into its column when its value is of the column's type and every database can hold it; else it
stays in the JSON of the column ``data``, and the column is missing. So nothing is lost, whatever a record holds.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import zlib
from collections.abc import Callable, Sequence
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple, cast

import orjson

from lango_nb.core.errors import StoreError, shorten
from lango_nb.stores.schema import Table, Type
from lango_nb.stores.store import Row

Values = Sequence[Any]
Packed = tuple[tuple[str, ...], list[Any]]
"""The columns that a row fills, and their values; the checksum is the last."""
Fit = Callable[[object], Any]
"""What is stored of a value; ``None`` when the column cannot hold it."""
_BY_HAND = "{ "
"""How JSON begins that orjson can neither write nor read: integers beyond 64 bits, halves of characters."""
ODD = " "
"""How ``data`` begins when something in it belongs into a column, which cannot hold it."""
_ODD = re.compile("[\\\\\x00\ud800-\udfff]")
_LONGEST = 200
"""Characters of a name in a column: the indexes of PostgreSQL take 2700 bytes."""
_LARGEST = 2**63 - 1
_EXACT = 2**53
"""Whole numbers below it are numbers with a point as well."""
_OPTIONS = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS


class _Plan(NamedTuple):
    """How all records with the same members are stored whose values fit their columns."""

    columns: tuple[str, ...]
    fields: tuple[tuple[str, str, Fit], ...]
    """Members that have columns, in the order of the table; the second name is that of a member one level deeper."""
    others: tuple[str, ...]
    """Members that have none."""


_MOST_PLANS = 256
"""Plans that a format keeps; ordinary records need some twenty."""


class RowFormat:
    """How records of one kind lie in their table.

    Parameters
    ----------
    table : Table

    Attributes
    ----------
    columns : tuple of str
        Columns that are made of records, then ``data`` and ``checksum``.
    """

    def __init__(self, table: Table) -> None:
        own = [column for column in table.columns if column.path]
        self.name = table.name
        self.columns = (*(column.name for column in own), "data", "checksum")
        self._width = len(own)
        self._places = {column.path: (place, _FITS[column.type]) for place, column in enumerate(own)}
        self._direct = {path: place for path, place in self._places.items() if "." not in path}
        self._groups = {path.partition(".")[0] for path in self._places if "." in path}
        self._plans: dict[tuple[str, ...], _Plan | None] = {}
        self._readers: list[tuple[str, str, Callable[[Any], Any] | None]] = []
        for column in own:
            group, dot, member = column.path.rpartition(".")
            self._readers.append((group if dot else "", member, _READ.get(column.type)))

    def values(self, row: Row) -> list[Any]:
        """Return the values of a record, as :attr:`columns` names them.

        Raises
        ------
        StoreError
            With code ``bad_row``: something in it is not JSON.
        """
        found: list[Any] = [None] * self._width
        rest: Row = {}
        places, is_odd = self._direct, False
        for name, value in row.items():
            place = places.get(name)
            if place is not None:
                found[place[0]] = stored = place[1](value)
                if stored is None or (stored is not value and stored.__class__ is value.__class__):
                    rest[name] = value  # as `_differs` tells it, without the call
                    is_odd = is_odd or value is not None
            elif name in self._groups and value.__class__ is dict and value:
                if left := self._spread(name, value, found):
                    rest[name] = left
                    is_odd = is_odd or not self._places.keys().isdisjoint(f"{name}.{one}" for one in left)
            else:
                rest[name] = value
        found.append((ODD + to_text(rest) if is_odd else to_text(rest)) if rest else None)
        found.append(checksum(found))
        return found

    def packed(self, row: Row) -> Packed:
        """Return the columns that a record fills, and their values.

        Raises
        ------
        StoreError
            With code ``bad_row``: something in it is not JSON.
        """
        plan = self._plan(row)
        if plan is not None:
            found = []
            for name, inner, fit in plan.fields:
                value: Any = row[name]
                if inner:
                    value = value[inner]
                stored = fit(value)
                if stored is None or (stored is not value and stored.__class__ is value.__class__):
                    break  # as `_differs` tells it, without the call
                found.append(stored)
            else:
                if plan.others:
                    found.append(to_text({name: row[name] for name in plan.others}))
                found.append(zlib.crc32(orjson.dumps(found)))
                return plan.columns, found
        values = self.values(row)
        columns = tuple(name for name, value in zip(self.columns, values, strict=True) if value is not None)
        return columns, [value for value in values if value is not None]

    def _plan(self, row: Row) -> _Plan | None:
        """Return how records with the members of this one are stored; ``None`` when that depends on their values."""
        key = tuple(row)
        for group in self._groups:
            if group in row:
                members = row[group]
                if members.__class__ is not dict or not members:
                    return None
                key += tuple(members)
        try:
            return self._plans[key]
        except KeyError:
            if len(self._plans) >= _MOST_PLANS:
                self._plans.clear()
            plan = self._plans[key] = self._made(row)
            return plan

    def _made(self, row: Row) -> _Plan | None:
        paths = [(name, "") for name in row if name not in self._groups]
        for group in self._groups & row.keys():
            paths += [(group, inner) for inner in cast("Row", row[group])]
        places, others = [], []
        for name, inner in paths:
            place = self._places.get(f"{name}.{inner}") if inner else self._direct.get(name)
            if place is not None:
                places.append((place[0], name, inner, place[1]))
            elif inner:
                return None
            else:
                others.append(name)
        places.sort(key=itemgetter(0))
        columns = (*(self.columns[place] for place, *_ in places), *(["data"] if others else []), "checksum")
        return _Plan(columns, tuple((name, inner, fit) for _, name, inner, fit in places), tuple(others))

    def spread(self, packed: Packed) -> list[Any]:
        """Return the values of a row in all columns."""
        columns, values = packed
        found = dict(zip(columns, values, strict=True))
        return [found.get(name) for name in self.columns]

    def _spread(self, group: str, members: dict[str, Any], found: list[Any]) -> Row:
        """Put what lies one level deeper into its columns, and return the rest."""
        left: Row = {}
        for name, value in members.items():
            place = self._places.get(f"{group}.{name}")
            if place is None:
                left[name] = value
                continue
            found[place[0]] = stored = place[1](value)
            if _differs(stored, value):
                left[name] = value
        return left

    def row(self, values: Values, mark: int = 0) -> Row:
        """Return the record of values.

        Parameters
        ----------
        values : sequence
            As :attr:`columns` names them.
        mark : int
            What the checksum was marked with; see :func:`mark_of`.

        Raises
        ------
        ValueError
            They are not what was written.
        """
        *stored, data, summed = values
        if checksum([*stored, data]) ^ mark != summed:
            raise ValueError("the checksum does not fit")
        rest = from_text(data) if data else {}
        row: Row = {}
        for value, (group, name, read) in zip(stored, self._readers, strict=True):
            if value is None:
                continue
            made = value if read is None else read(value)
            if group:
                inner: Any = row.setdefault(group, {})
                inner[name] = made
            else:
                row[name] = made
        for name, value in rest.items():
            before = row.get(name)
            row[name] = {**before, **value} if isinstance(before, dict) and isinstance(value, dict) else value
        return row


@cache
def row_format(name: str) -> RowFormat:
    """Return the format of a table's rows."""
    from lango_nb.stores.schema import TABLES

    return RowFormat(next(table for table in TABLES if table.name == name))


def _differs(stored: object, value: object) -> bool:
    """Tell whether a column does not say what a value is: it does not fit, or is a name that is spelled differently."""
    return stored is None or (stored is not value and stored.__class__ is value.__class__)


def checksum(values: Values) -> int:
    """Return the CRC-32 of values; those that are missing do not count, so that columns can be added.

    Examples
    --------
    >>> checksum(["turn-1", None, 3]) == checksum(["turn-1", 3])
    True
    """
    try:
        return zlib.crc32(orjson.dumps([value for value in values if value is not None]))
    except TypeError as error:  # bytes that are no text: somebody else wrote them
        raise ValueError("it is no text") from error


def checksums(rows: Sequence[Values]) -> list[int]:
    """Return the checksum of each of several rows, in half the time.

    Raises
    ------
    TypeError
        There is something in a row that is no text.
    """
    dump, crc = orjson.dumps, zlib.crc32
    return [crc(dump([value for value in row if value is not None])) for row in rows]


def mark_of(turn: int, position: int = 0) -> int:
    """Return what marks the checksum of a row, so that it fits at its own place only.

    Raises
    ------
    ValueError
        The place is none: the row is of another table.
    """
    if turn.__class__ is not int or position.__class__ is not int:
        raise ValueError("its place is no number")
    return (turn * 0x9E3779B1 ^ position * 0x85EBCA6B) & 0xFFFFFFFF


def marks_of(turns: Sequence[int], positions: Sequence[int]) -> list[int]:
    """Return what marks the checksums of several rows; see :func:`mark_of`.

    Examples
    --------
    >>> marks_of([1, 7], [0, 2]) == [mark_of(1), mark_of(7, 2)]
    True
    """
    if not set(map(type, turns)) | set(map(type, positions)) <= {int}:
        raise ValueError("a place is no number")
    return [
        (turn * 0x9E3779B1 ^ position * 0x85EBCA6B) & 0xFFFFFFFF
        for turn, position in zip(turns, positions, strict=True)
    ]


def to_text(row: Row) -> str:
    """Write a record as JSON.

    Parameters
    ----------
    row : dict
        ``nan`` and ``inf`` become null, as JSON has no word for them.

    Returns
    -------
    str

    Raises
    ------
    StoreError
        With code ``bad_row``: something in it is not JSON.

    Examples
    --------
    >>> to_text({"id": "task-1"})
    '{"id":"task-1"}'
    """
    try:
        text = orjson.dumps(row, option=_OPTIONS).decode()
    except TypeError:
        return _by_hand(row)
    return text


def is_by_hand(text: str) -> bool:
    """Tell whether orjson cannot read a text."""
    return text.startswith(_BY_HAND, text.startswith(ODD))


def from_text(text: str) -> Row:
    """Read a record.

    Parameters
    ----------
    text : str

    Returns
    -------
    dict

    Raises
    ------
    ValueError
        It is no JSON object.

    Examples
    --------
    >>> from_text('{"id":"task-1"}')
    {'id': 'task-1'}
    """
    row = (json if is_by_hand(text) else orjson).loads(text)
    if not isinstance(row, dict):
        raise ValueError("it is no JSON object")  # noqa: TRY004 - a text that is damaged, not an argument of a wrong type
    return row


def from_texts(texts: Sequence[str]) -> list[Row]:
    """Read several records, of which nothing belongs into columns: together they take half the time.

    Raises
    ------
    ValueError
        One is no JSON object.

    Examples
    --------
    >>> from_texts(['{"id":"task-1"}', "{}"])
    [{'id': 'task-1'}, {}]
    """
    if any(map(is_by_hand, texts)):
        return list(map(from_text, texts))
    rows: list[Row] = orjson.loads(f"[{','.join(texts)}]")
    return rows


def to_name(name: str) -> str:
    r"""Spell a name as it stands in a column: different names are spelled differently.

    Parameters
    ----------
    name : str

    Returns
    -------
    str
        The name itself, unless it is very long or holds a backslash, a NUL, or half a character.

    Examples
    --------
    >>> to_name("main")
    'main'
    >>> to_name("a\\b\0")
    'a\\u005cb\\u0000'
    """
    if len(name) <= _LONGEST and "\\" not in name and "\0" not in name and (name.isascii() or not _HALF.search(name)):
        return name
    spelled = _ODD.sub(lambda odd: f"\\u{ord(odd[0]):04x}", name)
    if len(spelled) <= _LONGEST:
        return spelled
    return f"{spelled[:_LONGEST]}…{hashlib.sha256(spelled.encode()).hexdigest()}"


def is_plain(name: str) -> bool:
    """Tell whether a name stands in a column as it is."""
    return to_name(name) is name


def _by_hand(row: Row) -> str:
    try:
        text = json.dumps(_plain(row), separators=(",", ":"))
    except (TypeError, RecursionError, ValueError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise StoreError(f"a record cannot be stored as JSON: {reason}; store plain values", "bad_row") from error
    return _BY_HAND + text[1:]


def _plain(value: object) -> object:
    if isinstance(value, dict):
        wrong = [key for key in value if not isinstance(key, str)]
        if wrong:
            raise TypeError(f"the key {shorten(repr(wrong[0]))} is not a text")
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(f"{shorten(repr(value))} is a {type(value).__name__}")


def _text(value: object) -> str | None:
    if value.__class__ is not str:
        return None
    text: str = value
    if text.isascii():
        return None if "\0" in text else text
    return None if "\0" in text or _HALF.search(text) is not None else text


def _name(value: object) -> str | None:
    return to_name(value) if value.__class__ is str else None


def _integer(value: object) -> int | None:
    return value if value.__class__ is int and -_LARGEST <= value <= _LARGEST else None


def _real(value: object) -> float | None:
    if value.__class__ is float:
        return value if math.isfinite(value) else None
    return float(value) if value.__class__ is int and abs(value) < _EXACT else None


def _boolean(value: object) -> int | None:
    return int(value) if value.__class__ is bool else None


def _json(value: object) -> str | None:
    if not isinstance(value, list | tuple | dict):
        return None
    try:
        text = orjson.dumps(value, option=_OPTIONS).decode()
    except TypeError:
        return None
    return None if _NUL in text else text


_NUL = "\\u0000"
"""How JSON writes the one character that PostgreSQL cannot take out of it again."""
_HALF = re.compile("[\ud800-\udfff]")
_FITS: dict[Type, Callable[[object], Any]] = {
    "name": _name,
    "text": _text,
    "time": _text,
    "integer": _integer,
    "real": _real,
    "boolean": _boolean,
    "json": _json,
}
"""What is stored of a value; ``None`` when the column cannot hold it."""
_READ: dict[Type, Callable[[Any], Any]] = {"boolean": bool, "json": orjson.loads}
