"""Read the cells of columns out of records or stored rows, column by column, never row by row.

Records of a source are grouped by kind once. Every plain attribute that any column asks of a kind is fetched in one
pass over its records, in blocks small enough for the processor's cache; whatever is no plain attribute, or fails, is
read again on its own, so that the row at fault is known. Stored rows are read field by field, as their shape says.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple, Protocol

from lango_nb.core.errors import shorten
from lango_nb.frames.column import Column, Sources
from lango_nb.frames.stored import REQUIRED, Rows, Shape
from lango_nb.stores.store import Row

_BLOCK = 512
"""Records per block; their tuples stay below the number at which the garbage collector would start."""
Found = tuple[list[Any], dict[int, str]]
"""Values, and what went wrong by place; a value that cannot be read is ``None``."""


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
                paths[source] += [name for name in rest.split("|") if name]
        self._sources = sources
        self._records = {name: _Records(*_kinds(objects, paths[name])) for name, objects in sources.items()}

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
            values, problems = _call(column.path, [self._sources[name] for name in column.sources])
            return Reading(values, None, problems)
        source, _, path = column.path.partition(".")
        if not path:
            return _converted(Reading(list(self._sources[source]), None, {}), column)
        return _converted(self._records[source].read(path.split("|"), required=column.required), column)


class _Kind(Protocol):
    """The records of one kind, and the rows they stand in."""

    @property
    def rows(self) -> list[int] | None:
        """The rows; ``None`` for all of them."""
        ...

    def has(self, path: str) -> bool:
        """Tell whether records of this kind have such a value."""
        ...

    def read(self, path: str) -> Found:
        """Read it."""
        ...


class _Records:
    """The records of one source, by kind."""

    def __init__(self, kinds: Sequence[_Kind], everybody: _Kind | None = None) -> None:
        self._kinds = kinds
        self._everybody = everybody
        """All of them as one kind, with what every kind has; ``None`` where nothing is known about that."""
        self._rows: dict[tuple[int, ...], list[int] | None] = {}

    def read(self, paths: Sequence[str], *, required: bool) -> Reading:
        if self._everybody is not None and self._everybody.has(paths[0]):
            values, problems = self._everybody.read(paths[0])
            return Reading(values, None, problems)
        asked: list[tuple[int, str]] = []
        for number, kind in enumerate(self._kinds):
            path = next((path for path in paths if kind.has(path)), paths[0] if required else None)
            asked += [] if path is None else [(number, path)]
        values: list[Any] = []
        problems: dict[int, str] = {}
        for number, path in asked:
            found, wrong = self._kinds[number].read(path)
            problems.update({len(values) + place: message for place, message in wrong.items()})
            values = found if not values else values + found
        return Reading(values, self._rows_of(tuple(number for number, _ in asked)), problems)

    def _rows_of(self, numbers: tuple[int, ...]) -> list[int] | None:
        """Return the rows of some kinds: the same list each time, so that what is made of it can be kept."""
        if numbers not in self._rows:
            rows = [self._kinds[number].rows for number in numbers]
            is_whole = len(numbers) == len(self._kinds) and (not rows or None in rows)
            self._rows[numbers] = None if is_whole else [row for some in rows for row in some or ()]
        return self._rows[numbers]


def _kinds(objects: Sequence[object], paths: Sequence[str]) -> tuple[list[_Kind], _Kind | None]:
    if isinstance(objects, Rows):
        common = objects.common
        special = [path for path in paths if path.partition(".")[0] not in common]
        kinds: list[_Kind] = [_StoredKind(objects.rows, rows, shape, special) for shape, rows in objects.groups()]
        return kinds, _StoredKind(objects.rows, None, common, paths)
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

    def read(self, path: str) -> Found:
        """Read it, with everything else that is wanted when this is the first."""
        if self._fetched is None:
            self._fetched = _fetch(self._objects, self._paths)
        values = self._fetched.get(path)
        return _call(attrgetter(path), [self._objects]) if values is None else (list(values), {})


class _StoredKind:
    """Stored rows of one kind, or those of all kinds with what all of them have."""

    def __init__(self, stored: Sequence[Row], rows: list[int] | None, shape: Shape, paths: Iterable[str]) -> None:
        self.rows = rows
        self._shape = shape
        self._stored = stored if rows is None else [stored[row] for row in rows]
        self._paths = [path for path in dict.fromkeys(paths) if self.has(path)]
        self._fetched: dict[str, Found] | None = None

    def has(self, path: str) -> bool:
        """Look it up in the shape."""
        first, _, rest = path.partition(".")
        field = self._shape.get(first)
        return field is not None and (not rest or (field.inner is not None and rest in field.inner))

    def read(self, path: str) -> Found:
        """Read it, with everything else that is wanted when this is the first."""
        if self._fetched is None:
            self._fetched = _fetch_stored(self._stored, self._paths, self._shape)
        if path not in self._fetched:
            return [None] * len(self._stored), dict.fromkeys(range(len(self._stored)), f"there is no {path}")
        values, problems = self._fetched[path]
        return list(values), problems


def _fetch_stored(rows: Sequence[Mapping[str, Any]], paths: Iterable[str], shape: Shape) -> dict[str, Found]:
    """Fetch fields of rows of one shape; what a row leaves out has its default."""
    deeper: defaultdict[str, list[str]] = defaultdict(list)
    for path in paths:
        first, _, rest = path.partition(".")
        deeper[first] += [rest] if rest else []
    made: dict[str, Found] = {}
    for first, (values, problems) in _fetch_fields(rows, {name: shape[name] for name in deeper}).items():
        inner = shape[first].inner
        if inner is not None:
            found = _fetch_stored(values, deeper[first], inner)
            made |= {f"{first}.{rest}": found[rest] for rest in found}
        made[first] = values, problems
    return made


def _fetch_fields(rows: Sequence[Mapping[str, Any]], shape: Shape) -> dict[str, Found]:
    lists: dict[str, list[Any]] = {name: [] for name in shape}
    problems: dict[str, dict[int, str]] = {name: {} for name in shape}
    always = [name for name, field in shape.items() if field.default is REQUIRED]
    sometimes = [(lists[name], name, field.default) for name, field in shape.items() if field.default is not REQUIRED]
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK]
        try:
            for name, values in zip(always, _columns_of(block, always), strict=True):
                lists[name].extend(values)
        except KeyError:  # a row lacks something
            for name in always:
                found, wrong = _call_one_by_one(itemgetter(name), [block])
                lists[name] += found
                problems[name] |= {start + place: f"{name} is missing" for place in wrong}
        for values, name, default in sometimes:
            values += [row.get(name, default) for row in block]
    made: dict[str, Found] = {}
    for name, values in lists.items():
        read = shape[name].read
        made[name] = (values, problems[name]) if read is None else _converting(read, values, problems[name])
    return made


def _columns_of(block: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Iterable[Sequence[Any]]:
    if len(names) < 2:  # noqa: PLR2004 - a getter of one name gives no tuple
        return [list(map(itemgetter(name), block)) for name in names]
    return zip(*map(itemgetter(*names), block), strict=True)


def _converted(reading: Reading, column: Column) -> Reading:
    if column.convert is None:
        return reading
    cells, problems = _converting(column.convert, reading.cells, reading.problems)
    return Reading(cells, reading.rows, problems)


def _converting(convert: Callable[[Any], object], values: list[Any], problems: dict[int, str]) -> Found:
    """Convert values that are there."""
    if None not in values:
        made, wrong = _call(convert, [values])
    else:
        made, wrong = _call(lambda value: None if value is None else convert(value), [values])
    return made, {**problems, **wrong}


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


def _call(function: Callable[..., object], lists: Sequence[Sequence[object]]) -> Found:
    try:
        return list(map(function, *lists)), {}
    except Exception:  # noqa: BLE001 - a record may raise anything; they are now read one by one to find which
        return _call_one_by_one(function, lists)


def _call_one_by_one(function: Callable[..., object], lists: Sequence[Sequence[object]]) -> Found:
    values: list[Any] = []
    problems: dict[int, str] = {}
    for place, parts in enumerate(zip(*lists, strict=True)):
        try:
            values.append(function(*parts))
        except Exception as error:  # noqa: BLE001 - reported with its row and column, never swallowed
            values.append(None)
            problems[place] = shorten(f"{type(error).__name__}: {error}", 200)
    return values, problems
