"""Read the cells of columns out of records or stored rows, column by column, never row by row.

Records of a source are grouped by kind once. Every plain attribute that any column asks of a kind is fetched in one
pass over its records, in blocks small enough for the processor's cache; whatever is not a plain attribute, or fails, is
read again on its own, so that the row at fault is known. Stored rows are read field by field, as their shape says.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple, Protocol

from lango_nb.frames.calling import Found, call, converted
from lango_nb.frames.column import Column, Sources
from lango_nb.frames.stored import Rows, StoredKind, TableRows
from lango_nb.stores.store import Stamps

_BLOCK = 512
"""Records per block; their tuples stay below the number at which the garbage collector would start."""


class Reading(NamedTuple):
    """Values of one column, for all rows or for some of them."""

    cells: list[Any]
    rows: Sequence[int] | None
    """Rows the values are for; ``None`` for all of them, in order."""
    problems: dict[int, str]
    """What went wrong, by place in ``cells``."""
    stamps: Stamps | None = None
    """Times that nobody has read yet, in place of cells."""

    def row(self, place: int) -> int:
        """Return the row of a place in ``cells``."""
        return place if self.rows is None else self.rows[place]


class Reader:
    """Reads columns out of sources.

    Parameters
    ----------
    sources : mapping of str to sequence, or to Rows
    columns : sequence of Column
        Everything that is going to be asked.
    """

    def __init__(self, sources: Sources, columns: Iterable[Column]) -> None:
        paths = paths_of(columns)
        self._sources = sources
        self._records = {name: _Records(*_kinds(objects, paths.get(name, ()))) for name, objects in sources.items()}

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
            values, problems = call(column.path, [self._plain(name) for name in column.sources])
            return Reading(values, None, problems)
        source, _, path = column.path.partition(".")
        if path:
            is_time = column.dtype.startswith("datetime") and column.convert is None
            reading = self._records[source].read(path.split("|"), required=column.required, is_time=is_time)
        else:
            reading = Reading(list(self._plain(source)), None, {})
        if column.convert is None:
            return reading
        values, problems = converted(column.convert, reading.cells)
        return Reading(values, reading.rows, {**reading.problems, **problems})

    def _plain(self, source: str) -> Sequence[object]:
        objects = self._sources[source]
        if isinstance(objects, Rows | TableRows):
            raise TypeError(f"the rows of {source!r} are read by path only")
        return objects


def paths_of(columns: Iterable[Column]) -> dict[str, list[str]]:
    """Return what columns are made of: the paths they read, by source.

    Examples
    --------
    >>> column = Column("child", "event.child_session|child", "string", "", "Session of its own.")
    >>> paths_of([column])
    {'event': ['child_session', 'child']}
    """
    paths: dict[str, list[str]] = {}
    for column in columns:
        for source in column.sources:
            paths.setdefault(source, [])
        if isinstance(column.path, str):
            source, _, rest = column.path.partition(".")
            paths[source] += [path for path in rest.split("|") if path]
    return paths


class _Kind(Protocol):
    """The records of one kind, and the rows they stand in."""

    @property
    def rows(self) -> Sequence[int] | None:
        """The rows; ``None`` for all of them."""
        ...

    def has(self, path: str) -> bool:
        """Tell whether records of this kind have such a value."""
        ...

    def stamps(self, path: str) -> Stamps | None:
        """Return times as they are stored, where all records have one."""
        ...

    def read(self, path: str) -> Found:
        """Read it."""
        ...


class _Records:
    """The records of one source, by kind."""

    def __init__(self, kinds: Sequence[_Kind], everybody: StoredKind | None = None) -> None:
        self._kinds = kinds
        self._everybody = everybody
        self._rows: dict[tuple[int, ...], Sequence[int] | None] = {}

    def read(self, paths: Sequence[str], *, required: bool, is_time: bool) -> Reading:
        asked, rows = self._asked(paths, required=required)
        stamps = [found for kind, path in asked if (found := kind.stamps(path)) is not None] if is_time else []
        if stamps and len(stamps) == len(asked):
            return Reading([], rows, {}, Stamps(chain.from_iterable(found.texts for found in stamps)))
        cells: list[Any] = []
        wrong: dict[int, str] = {}
        for kind, path in asked:
            values, problems = kind.read(path)
            wrong.update({len(cells) + place: message for place, message in problems.items()})
            if cells:
                cells += values
            else:
                cells = values
        return Reading(cells, rows, wrong)

    def _asked(self, paths: Sequence[str], *, required: bool) -> tuple[list[tuple[_Kind, str]], Sequence[int] | None]:
        """Return the kinds that have a value, each with its path, and their rows."""
        if self._everybody is not None and self._everybody.has(paths[0]):
            return [(self._everybody, paths[0])], None
        found = [
            next((path for path in paths if kind.has(path)), paths[0] if required else None) for kind in self._kinds
        ]
        asked = [(number, path) for number, path in enumerate(found) if path is not None]
        return [(self._kinds[number], path) for number, path in asked], self._rows_of(tuple(n for n, _ in asked))

    def _rows_of(self, numbers: tuple[int, ...]) -> Sequence[int] | None:
        """Return the rows of some kinds: the same list each time, so that what is made of it can be kept."""
        if numbers not in self._rows:
            rows = [self._kinds[number].rows for number in numbers]
            is_whole = len(numbers) == len(self._kinds) and (not rows or None in rows)
            self._rows[numbers] = None if is_whole else _joined(rows)
        return self._rows[numbers]


def _joined(lists: Iterable[Sequence[int] | None]) -> Sequence[int]:
    joined = array("q")
    for some in lists:
        joined.extend(some or ())
    return joined


def _kinds(
    objects: Sequence[object] | Rows | TableRows, paths: Sequence[str]
) -> tuple[Sequence[_Kind], StoredKind | None]:
    if isinstance(objects, TableRows):
        return objects.kinds, None
    if isinstance(objects, Rows):
        return objects.kinds, objects.everybody
    rows: defaultdict[type, list[int]] = defaultdict(list)
    for row, kind in enumerate(map(type, objects)):
        rows[kind].append(row)
    return [_RecordKind(objects, None if len(rows) == 1 else found, paths) for found in rows.values()], None


class _RecordKind:
    """Objects of one type."""

    def __init__(self, objects: Sequence[object], rows: list[int] | None, paths: Sequence[str]) -> None:
        self.rows = rows
        self._objects = objects if rows is None else [objects[row] for row in rows]
        self._paths = paths
        self._fetched: dict[str, list[Any]] | None = None

    def has(self, path: str) -> bool:
        """Ask the first of them."""
        try:
            attrgetter(path)(self._objects[0])
        except AttributeError:
            return False
        except Exception:  # noqa: BLE001 - it has the value; that reading it fails is reported with its row
            return True
        return True

    def stamps(self, path: str) -> None:
        """Return nothing."""

    def read(self, path: str) -> Found:
        """Read it, with everything else that is wanted when this is the first."""
        if self._fetched is None:
            self._fetched = _fetch(self._objects, self._paths)
        values = self._fetched.get(path)
        return call(attrgetter(path), [self._objects]) if values is None else (list(values), {})


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
