"""Rows as they are stored, read like the records they were made of, without making these records again.

A stored row leaves out what has its default and writes a time as a text. A :data:`Shape` knows both, so that a column
gets the same value from a row as from the record. Rows come from a file a few at a time: what columns want of them is
taken at once, and the rows are forgotten.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from datetime import datetime
from functools import cache
from itertools import compress
from operator import itemgetter
from typing import Any

from lango_nb.core.errors import shorten
from lango_nb.core.events import STAMP, event_kinds
from lango_nb.core.messages import Message, ToolCall, Usage
from lango_nb.frames.calling import Found, converted
from lango_nb.records.agent_run import AgentRun
from lango_nb.records.history import History
from lango_nb.records.packing import unpack_turn
from lango_nb.records.rows import pack
from lango_nb.records.steps import Step
from lango_nb.records.turns import Turn
from lango_nb.stores.rows import from_texts
from lango_nb.stores.schema import EVENTS, TURNS
from lango_nb.stores.store import Group, Row, Stamps

REQUIRED = object()
"""Stands for the default of a field that has none."""
_BLOCK = 256
"""Rows that are taken apart together: few enough for the processor's cache."""
_FLAGS = frozenset(column.path for column in EVENTS.columns if column.type == "boolean")
"""Columns of events that hold 0 and 1 for no and yes."""
_read_time = datetime.fromisoformat
"""One object: it is another one each time it is asked for."""
_ANY = ""
"""Kind of all rows where there is one kind only."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a row."""

    default: object = REQUIRED
    """What it is where the row leaves it out."""
    read: Callable[[Any], object] | None = None
    """Makes the record's value of the stored one; ``None`` where they are the same."""
    inner: Shape | None = None
    """The fields of a row within this one; where that is left out, all of them have their defaults."""


Shape = Mapping[str, Field]
"""The fields of one kind of row, by name."""


class StoredKind:
    """What is wanted of rows of one kind.

    Parameters
    ----------
    shape : Shape
    paths : iterable of str
        Fields that are wanted, ``usage.model`` for instance; what the shape has not is left out.
    """

    def __init__(self, shape: Shape, paths: Iterable[str]) -> None:
        self.places: list[int] = []
        """Where its rows stand among all rows."""
        self._shape = shape
        deeper: defaultdict[str, list[str]] = defaultdict(list)
        for path in paths:
            name, _, rest = path.partition(".")
            if name in shape:
                deeper[name] += [rest] if rest else []
        self._values: dict[str, list[Any]] = {name: [] for name in deeper}
        self._problems: dict[str, dict[int, str]] = {name: {} for name in deeper}
        self._always = [name for name in deeper if shape[name].default is REQUIRED]
        self._sometimes = [(name, shape[name].default) for name in deeper if shape[name].default is not REQUIRED]
        self._inner = {name: StoredKind(inner, deeper[name]) for name in deeper if (inner := shape[name].inner)}
        self._count = 0

    @property
    def rows(self) -> list[int] | None:
        """Places of its rows."""
        return self.places

    def take(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Take what is wanted of some rows."""
        try:
            for name, values in zip(self._always, _columns_of(rows, self._always), strict=True):
                self._values[name].extend(values)
        except KeyError:  # a row lacks something
            for name in self._always:
                lacking = {
                    self._count + place: f"{name} is missing" for place, row in enumerate(rows) if name not in row
                }
                self._values[name] += [row.get(name) for row in rows]
                self._problems[name] |= lacking
        for name, default in self._sometimes:
            if name in self._inner:
                self._inner[name].take([row.get(name, {}) for row in rows])
            else:
                self._values[name] += [row.get(name, default) for row in rows]
        self._count += len(rows)

    def has(self, path: str) -> bool:
        """Tell whether rows of this kind have such a field."""
        name, _, rest = path.partition(".")
        field = self._shape.get(name)
        return field is not None and (not rest or (field.inner is not None and rest in field.inner))

    def stamps(self, path: str) -> Stamps | None:
        """Return times as they are stored, where all rows have one."""
        field = self._shape.get(path)
        if field is None or field.read is not _read_time or self._problems[path]:
            return None
        return Stamps.of(self._values[path])

    def read(self, path: str) -> Found:
        """Return the values that were taken, and what is wrong with them by place."""
        name, _, rest = path.partition(".")
        if rest and name in self._inner:
            return self._inner[name].read(rest)
        if name not in self._values:
            return [None] * self._count, dict.fromkeys(range(self._count), f"there is no {path}")
        read, values, problems = self._shape[name].read, self._values[name], self._problems[name]
        if read is None:
            return list(values), dict(problems)
        made, wrong = converted(read, values)
        return made, {**problems, **wrong}


class Rows:
    """Rows of one source.

    Parameters
    ----------
    paths : sequence of str
        What is wanted of them.
    shapes : mapping of str to Shape
        By kind.
    tag : str
        Field that tells the kinds apart; empty where there is only one.
    """

    def __init__(self, paths: Sequence[str], shapes: Mapping[str, Shape], tag: str = "") -> None:
        common = _common(shapes)
        special = [path for path in paths if path.partition(".")[0] not in common]
        self.everybody = StoredKind(common, paths)
        """What all kinds have in common, of all rows."""
        self._shapes, self._tag, self._special = shapes, tag, special
        self._kinds: dict[str, StoredKind] = {}
        self._unknown: dict[int, str] = {}
        self._waiting: list[Row] = []
        self._taken = 0

    def extend(self, rows: Iterable[Row]) -> None:
        """Add rows; they are not kept."""
        self._waiting += rows
        if len(self._waiting) >= _BLOCK:
            self._take()

    @property
    def kinds(self) -> list[StoredKind]:
        """The kinds there are, with what is special about them."""
        self._take()
        return list(self._kinds.values())

    @property
    def unknown(self) -> Mapping[int, str]:
        """Rows of no known kind, by place, with what is wrong."""
        self._take()
        return self._unknown

    def _take(self) -> None:
        rows, self._waiting = self._waiting, []
        self.everybody.take(rows)
        if self._special or (self._tag and not {str(row.get(self._tag)) for row in rows} <= self._shapes.keys()):
            self._sort(rows)
        self._taken += len(rows)

    def _sort(self, rows: Sequence[Row]) -> None:
        by_kind: defaultdict[str, list[int]] = defaultdict(list)
        for place, row in enumerate(rows):
            by_kind[str(row.get(self._tag))].append(place)
        for kind, places in by_kind.items():
            if kind not in self._shapes:
                self._unknown |= dict.fromkeys((self._taken + place for place in places), _unknown(kind))
                continue
            if kind not in self._kinds:
                self._kinds[kind] = StoredKind(self._shapes[kind], self._special)
            found = self._kinds[kind]
            found.places += [self._taken + place for place in places]
            found.take([rows[place] for place in places])

    def __len__(self) -> int:
        return self._taken + len(self._waiting)


class TableKind:
    """Rows of one kind, column by column as a store's table has them.

    Parameters
    ----------
    shape : Shape
    columns : mapping of str to list or Stamps
        By path in a record; ``data`` holds what else the rows have, as JSON.
    rows : sequence of int, optional
        Where they stand among all rows; all of them when absent.
    """

    def __init__(self, shape: Shape, columns: Mapping[str, list[Any] | Stamps], rows: Sequence[int] | None) -> None:
        self._shape, self._columns, self.rows = shape, columns, rows
        self._rest: list[Row] | None = None

    def has(self, path: str) -> bool:
        """Tell whether rows of this kind have such a field."""
        name, _, rest = path.partition(".")
        field = self._shape.get(name)
        return field is not None and (not rest or (field.inner is not None and rest in field.inner))

    def stamps(self, path: str) -> Stamps | None:
        """Return times as they are stored, where all rows have one."""
        field = self._shape.get(path)
        if field is None or field.read is not _read_time:
            return None
        values = self._columns.get(path, ())
        return values if isinstance(values, Stamps) else Stamps.of(self._values(path))

    def read(self, path: str) -> Found:
        """Return the values of a field, and what is wrong with them by place."""
        name, _, rest = path.partition(".")
        field = self._shape[name]
        if rest and field.inner is not None:
            field = field.inner[rest]
        values = self._values(path)
        problems: dict[int, str] = {}
        if not _lacks(values):
            pass
        elif field.default is REQUIRED:
            problems = {place: f"{path} is missing" for place, value in enumerate(values) if value is None}
        elif field.default is not None:
            values = [field.default if value is None else value for value in values]
        if field.read is None:
            return values, problems
        made, wrong = converted(field.read, values)
        return made, {**problems, **wrong}

    def _values(self, path: str) -> list[Any]:
        """Return the values of a field in a list of their own; ``None`` where a row has none."""
        found = self._columns.get(path)
        if found is not None:
            return [None if value is None else bool(value) for value in found] if path in _FLAGS else list(found)
        name, _, rest = path.partition(".")
        values: list[Any] = [row.get(name) for row in self._others()]
        return [None if value is None else value.get(rest) for value in values] if rest else values

    def _others(self) -> list[Row]:
        """Return what the rows have beside their columns."""
        if self._rest is None:
            texts = self._columns["data"]
            rows = iter(from_texts(list(filter(None, texts))))
            self._rest = [next(rows) if text else {} for text in texts]
        return self._rest


class TableRows:
    """Rows of one source, column by column as a store's table has them.

    Parameters
    ----------
    kinds : sequence of TableKind
    unknown : mapping of int to str
        Rows of no known kind, by place, with what is wrong.
    length : int
    """

    def __init__(self, kinds: Sequence[TableKind], unknown: Mapping[int, str], length: int) -> None:
        self.kinds, self.unknown, self._length = kinds, unknown, length

    def __len__(self) -> int:
        return self._length


def table_rows(history: History, paths: Sequence[str], of_turn: Sequence[str]) -> tuple[TableRows, TableRows] | None:
    """Read events of a history column by column.

    Parameters
    ----------
    history : History
    paths, of_turn : sequence of str
        What is wanted of the events and of their turns.

    Returns
    -------
    tuple of (TableRows, TableRows) or None
        Events, and the turn of each; ``None`` where columns alone do not tell everything.
    """
    named = {column.path: column.name for column in EVENTS.columns if column.path}
    is_whole = any(path not in named for path in paths)
    wanted = ["turn", "position", *named, "data"] if is_whole else list(dict.fromkeys(["turn", "kind", *paths]))
    columns = None if is_whole else [named.get(path, path) for path in wanted]
    of_turn = list(dict.fromkeys(of_turn))
    beside = {TURNS.name: ["number", *of_turn]} if of_turn else {}
    found = history.log.tables({EVENTS.name: columns, **beside}, history.query)
    if found is None:
        return None
    groups = found[EVENTS.name]
    turns: dict[Any, tuple[Any, ...]] = {}
    for number, *values in (group.columns for group in found.get(TURNS.name, {}).values()):
        turns = dict(zip(number, zip(*values, strict=True), strict=True))
    if of_turn and not all(turns.keys() >= set(group.columns[0]) for group in groups.values()):
        groups = _among(groups, turns)
    shapes, shape_of_turn = _events(), _turns()[_ANY]
    length = sum(len(group.places) for group in groups.values())
    events: list[TableKind] = []
    their_turns: list[TableKind] = []
    unknown: dict[int, str] = {}
    for kind, (places, values) in groups.items():
        if kind not in shapes:
            unknown |= dict.fromkeys(places, _unknown(kind))
        rows = places if len(groups) > 1 else None
        columns_of_kind = {**dict(zip(wanted, values, strict=False)), "kind": [kind] * len(places)}
        events.append(TableKind(shapes.get(kind) or _common(shapes), columns_of_kind, rows))
        of_number = zip(*map(turns.__getitem__, values[0]), strict=True) if of_turn else ()
        their_turns.append(TableKind(shape_of_turn, dict(zip(of_turn, map(list, of_number), strict=True)), rows))
    return TableRows(events, dict(sorted(unknown.items())), length), TableRows(their_turns, {}, length)


def _among(groups: Mapping[Any, Group], turns: Collection[Any]) -> dict[Any, Group]:
    """Leave out rows whose turns are lost."""
    kept = {kind: [number in turns for number in group.columns[0]] for kind, group in groups.items()}
    places = sorted(place for kind, group in groups.items() for place in compress(group.places, kept[kind]))
    moved = {place: number for number, place in enumerate(places)}
    return {
        kind: Group(
            array("q", map(moved.__getitem__, compress(group.places, kept[kind]))),
            [list(compress(column, kept[kind])) for column in group.columns],
        )
        for kind, group in groups.items()
        if any(kept[kind])
    }


def _common(shapes: Mapping[str, Shape]) -> Shape:
    """Return what rows of all kinds have in common."""
    first, *others = shapes.values()
    return {name: field for name, field in first.items() if all(shape.get(name) == field for shape in others)}


def _unknown(kind: object) -> str:
    return f"there is no kind {shorten(repr(kind), 60)}; a newer lango_nb may know it"


def _lacks(values: list[Any]) -> bool:
    """Tell whether a value is missing; looking for something that is false first is quicker."""
    return not all(values) and None in values


def _columns_of(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Iterable[Sequence[Any]]:
    if len(names) < 2 or not rows:  # noqa: PLR2004 - a getter of one name gives no tuple
        return [list(map(itemgetter(name), rows)) for name in names]
    return zip(*map(itemgetter(*names), rows), strict=True)


def event_rows(paths: Sequence[str]) -> Rows:
    """Make a source of stored events."""
    return Rows(paths, _events(), "kind")


def turn_rows(paths: Sequence[str]) -> Rows:
    """Make a source of stored summaries of turns."""
    return Rows(paths, _turns())


def message_rows(paths: Sequence[str]) -> Rows:
    """Make a source of stored messages."""
    return Rows(paths, _messages())


def run_rows(paths: Sequence[str]) -> Rows:
    """Make a source of stored teammate runs."""
    return Rows(paths, _runs())


def step_rows(paths: Sequence[str]) -> Rows:
    """Make a source of stored model calls."""
    return Rows(paths, _steps())


def session_rows(paths: Sequence[str]) -> Rows:
    """Make a source of a store's list of sessions."""
    time = Field(read=_read_time)
    shape = {"id": Field(), "title": Field(""), "turns": Field(), "created_at": time, "last_at": time}
    return Rows(paths, {_ANY: shape})


def whole_turn(row: Row) -> Row:
    """Return the row of a turn with all its fields: of one that has not ended, what belongs to its end is empty."""
    return pack(unpack_turn(row)) if row.get("outcome") == "running" else row


@cache
def _events() -> Mapping[str, Shape]:
    spent = {"usage": Field({}, inner=_of_model(Usage))}
    return {
        kind: {
            **_of_model(model),
            **dict.fromkeys(STAMP, Field()),
            "kind": Field(),
            "at": Field(read=_read_time),
            **(spent if hasattr(model, "usage") else {}),
        }
        for kind, model in event_kinds().items()
    }


@cache
def _messages() -> Mapping[str, Shape]:
    return {_ANY: {**_of_model(Message), "tool_calls": Field((), read=_calls)}}


@cache
def _turns() -> Mapping[str, Shape]:
    return {_ANY: _of_dataclass(Turn)}


@cache
def _runs() -> Mapping[str, Shape]:
    return {_ANY: _of_dataclass(AgentRun)}


@cache
def _steps() -> Mapping[str, Shape]:
    fields = {name: Field(Step._field_defaults.get(name, REQUIRED)) for name in Step._fields}
    return {_ANY: {**fields, "usage": Field({}, inner=_of_model(Usage))}}


def _of_model(model: Any) -> Shape:
    return {field.name: Field(REQUIRED if field.default is MISSING else field.default) for field in fields(model)}


def _of_dataclass(record: type[Any]) -> Shape:
    return {
        field.name: Field(
            REQUIRED if field.default is MISSING else field.default,
            _read_time if "datetime" in str(field.type) else None,
        )
        for field in fields(record)
    }


def _calls(rows: list[dict[str, Any]]) -> tuple[ToolCall, ...]:
    return tuple(ToolCall.model_construct(**{"error": None, **row}) for row in rows)
