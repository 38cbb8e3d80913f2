"""Read the cells of columns out of records, column by column, never row by row.

Records of a source are grouped by kind once. Every plain attribute that any column asks of a kind is fetched in one
pass over its records, in blocks small enough for the processor's cache; whatever is no plain attribute, or fails, is
read again on its own, so that the row at fault is known.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from lango_nb.core.errors import shorten
from lango_nb.frames.column import Column, Sources

_BLOCK = 512
"""Records per block; their tuples stay below the number at which the garbage collector would start."""


class Reading(NamedTuple):
    """Values of one column, for all rows or for some of them."""

    cells: list[Any]
    rows: Sequence[int] | None
    """Rows the values are for; ``None`` for all of them, in order."""
    problems: dict[int, str]
    """What went wrong, by place in ``cells``."""

    def row(self, place: int) -> int:
        """Return the row of a place in ``cells``."""
        return place if self.rows is None else self.rows[place]


class Reader:
    """Reads columns out of sources.

    Parameters
    ----------
    sources : mapping of str to sequence
    columns : sequence of Column
        Everything that is going to be asked.
    """

    def __init__(self, sources: Sources, columns: Iterable[Column]) -> None:
        paths: defaultdict[str, list[str]] = defaultdict(list)
        for column in columns:
            if isinstance(column.path, str):
                source, _, rest = column.path.partition(".")
                paths[source] += [rest] if rest else []
        self._sources = sources
        self._records = {name: _Records(objects, paths[name]) for name, objects in sources.items()}

    def read(self, column: Column) -> Reading:
        """Read one column.

        Parameters
        ----------
        column : Column

        Returns
        -------
        Reading
            A value that cannot be read is ``None`` and has an entry in ``problems``.
        """
        if callable(column.path):
            names = list(inspect.signature(column.path).parameters)
            if not column.required:
                return self._records[names[0]].call(column.path)
            values, problems = _call(column.path, [self._sources[name] for name in names])
            return Reading(values, None, problems)
        source, _, path = column.path.partition(".")
        if not path:
            return Reading(list(self._sources[source]), None, {})
        return self._records[source].read(path, required=column.required)


class _Records:
    """The records of one source, by kind."""

    def __init__(self, objects: Sequence[object], paths: Sequence[str]) -> None:
        self._objects = objects
        self._paths = paths
        rows: defaultdict[type, list[int]] = defaultdict(list)
        for row, kind in enumerate(map(type, objects)):
            rows[kind].append(row)
        self._kinds = {kind: _Kind(objects, found, paths) for kind, found in rows.items()}
        self._rows: dict[tuple[type, ...], list[int] | None] = {}

    def read(self, path: str, *, required: bool) -> Reading:
        kinds = [
            (kind, records)
            for kind, records in self._kinds.items()
            if required or _has(records.objects[0], attrgetter(path))
        ]
        return self._join(kinds, lambda records: records.read(path))

    def call(self, function: Callable[..., object]) -> Reading:
        kinds = [(kind, records) for kind, records in self._kinds.items() if _has(records.objects[0], function)]
        return self._join(kinds, lambda records: _call(function, [records.objects]))

    def _join(
        self, kinds: list[tuple[type, _Kind]], read: Callable[[_Kind], tuple[list[Any], dict[int, str]]]
    ) -> Reading:
        key = tuple(kind for kind, _ in kinds)
        if key not in self._rows:
            whole = len(kinds) == len(self._kinds) <= 1
            self._rows[key] = None if whole else [row for _, records in kinds for row in records.rows]
        values: list[Any] = []
        problems: dict[int, str] = {}
        for _, records in kinds:
            found, wrong = read(records)
            problems.update({len(values) + place: message for place, message in wrong.items()})
            values = found if not values else values + found
        return Reading(values, self._rows[key], problems)


class _Kind:
    """The records of one kind, and the rows they stand in."""

    def __init__(self, objects: Sequence[object], rows: list[int], paths: Sequence[str]) -> None:
        self.rows = rows
        self.objects = objects if len(rows) == len(objects) else [objects[row] for row in rows]
        self._paths = paths
        self._fetched: dict[str, list[Any]] | None = None

    def read(self, path: str) -> tuple[list[Any], dict[int, str]]:
        if self._fetched is None:
            self._fetched = _fetch(self.objects, self._paths)
        values = self._fetched.pop(path, None)
        return _call(attrgetter(path), [self.objects]) if values is None else (values, {})


def _fetch(objects: Sequence[object], paths: Iterable[str]) -> dict[str, list[Any]]:
    """Fetch plain attributes of records that keep them in a dictionary; leave out whatever is something else."""
    known = getattr(objects[0], "__dict__", None) if objects else None
    if not isinstance(known, Mapping):
        return {}
    deeper: defaultdict[str, list[str]] = defaultdict(list)
    for path in paths:
        first, _, rest = path.partition(".")
        if first in known:
            deeper[first] += [rest] if rest else []
    if not deeper:
        return {}
    lists = _fetch_together(objects, list(deeper))
    made: dict[str, list[Any]] = {}
    for first, values in lists.items():
        rests = deeper[first]
        made |= {f"{first}.{rest}": found for rest, found in _fetch(values, rests).items()} if rests else {}
        made[first] = values
    return made


def _fetch_together(objects: Sequence[object], names: Sequence[str]) -> dict[str, list[Any]]:
    lists: list[list[Any]] = [[] for _ in names]
    get = itemgetter(*names, names[0])  # a repeated name makes the getter give a tuple even for one attribute
    try:
        for start in range(0, len(objects), _BLOCK):
            found = zip(*map(get, map(vars, objects[start : start + _BLOCK])), strict=True)
            for values, more in zip(lists, found, strict=False):
                values.extend(more)
    except (TypeError, KeyError):  # a record unlike the first one
        return {}
    return dict(zip(names, lists, strict=True))


def _call(function: Callable[..., object], lists: Sequence[Sequence[object]]) -> tuple[list[Any], dict[int, str]]:
    try:
        return list(map(function, *lists)), {}
    except Exception:  # noqa: BLE001 - a record may raise anything; they are now read one by one to find which
        return _call_one_by_one(function, lists)


def _call_one_by_one(
    function: Callable[..., object], lists: Sequence[Sequence[object]]
) -> tuple[list[Any], dict[int, str]]:
    values: list[Any] = []
    problems: dict[int, str] = {}
    for place, parts in enumerate(zip(*lists, strict=True)):
        try:
            values.append(function(*parts))
        except Exception as error:  # noqa: BLE001 - reported with its row and column, never swallowed
            values.append(None)
            problems[place] = shorten(f"{type(error).__name__}: {error}", 200)
    return values, problems


def _has(record: object, get: Callable[..., object]) -> bool:
    try:
        get(record)
    except AttributeError:
        return False
    except Exception:  # noqa: BLE001 - it has the value; that reading it fails is reported with its row
        return True
    return True
