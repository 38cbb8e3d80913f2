"""Rows as they are stored, read like the records they were made of, without making these records again.

A stored row leaves out what has its default and writes a time as a text. A :data:`Shape` knows both, so that a column
gets the same value from a row as from the record. Rows come from a file a few at a time: what columns want of them is
taken at once, and the rows are forgotten.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from datetime import datetime
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, cast, get_args

import orjson

from lango_nb.core.errors import shorten
from lango_nb.core.events import BaseEvent, Event
from lango_nb.core.messages import Message, ToolCall, Usage
from lango_nb.frames.calling import Found, converted
from lango_nb.records.agent_run import AgentRun
from lango_nb.records.history import History
from lango_nb.records.packing import unpack_turn
from lango_nb.records.rows import damaged, pack
from lango_nb.records.steps import Step
from lango_nb.records.turns import Turn
from lango_nb.stores.rows import from_text, is_by_hand
from lango_nb.stores.schema import EVENTS, TURNS
from lango_nb.stores.store import Row

if TYPE_CHECKING:
    from pydantic import BaseModel

REQUIRED = object()
"""Stands for the default of a field that has none."""
_BLOCK = 256
"""Rows that are taken apart together: few enough for the processor's cache."""
_FLAGS = frozenset(column.path for column in EVENTS.columns if column.type == "boolean")
"""Columns of events that hold 0 and 1 for no and yes."""
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


class Stamps(list[str]):
    """Times as they are stored, none missing: read all at once they take a quarter of the time."""


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
        if field is None or field.read is not datetime.fromisoformat or self._problems[path]:
            return None
        values = self._values[path]
        return Stamps(values) if set(map(type, values)) <= {str} else None

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
        first, *others = shapes.values()
        common = {name: field for name, field in first.items() if all(shape.get(name) == field for shape in others)}
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
                problem = f"there is no kind {shorten(repr(kind), 60)}; a newer lango_nb may know it"
                self._unknown |= dict.fromkeys((self._taken + place for place in places), problem)
                continue
            if kind not in self._kinds:
                self._kinds[kind] = StoredKind(self._shapes[kind], self._special)
            found = self._kinds[kind]
            found.places += [self._taken + place for place in places]
            found.take([rows[place] for place in places])

    def __len__(self) -> int:
        return self._taken + len(self._waiting)


class ColumnKind:
    """Rows of one kind in columns of a table; ``places`` is ``None`` for all rows."""

    def __init__(self, table: TableRows, shape: Shape, places: list[int] | None) -> None:
        self._table, self._shape, self.rows = table, shape, places

    def has(self, path: str) -> bool:
        """Tell whether rows of this kind have such a field."""
        name, _, rest = path.partition(".")
        field = self._shape.get(name)
        return field is not None and (not rest or (field.inner is not None and rest in field.inner))

    def stamps(self, path: str) -> Stamps | None:
        """Return times as they are stored, where all rows have one."""
        field = self._shape.get(path)
        if field is None or field.read is not datetime.fromisoformat or self.rows is not None:
            return None
        values = self._table.values(path)
        return None if None in values else Stamps(values)

    def read(self, path: str) -> Found:
        """Return the values of a field, and what is wrong with them by place."""
        name, _, rest = path.partition(".")
        field = self._shape[name]
        if rest and field.inner is not None:
            field = field.inner[rest]
        values = self._table.values(path)
        found = list(values) if self.rows is None else [values[place] for place in self.rows]
        problems: dict[int, str] = {}
        if None not in found:
            pass
        elif field.default is REQUIRED:
            problems = {place: f"{path} is missing" for place, value in enumerate(found) if value is None}
        elif field.default is not None:
            found = [field.default if value is None else value for value in found]
        if field.read is None:
            return found, problems
        made, wrong = converted(field.read, found)
        return made, {**problems, **wrong}


class TableRows:
    """Rows of one source, column by column as a store's table has them.

    Parameters
    ----------
    columns : mapping of str to sequence
        By path in a record; ``data`` holds what else the rows have, as JSON.
    shapes : mapping of str to Shape
        By kind.
    tag : str
        Column that tells the kinds apart; empty where there is only one.
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]], shapes: Mapping[str, Shape], tag: str = "") -> None:
        self._columns, self._shapes, self._tag = columns, shapes, tag
        self._length = len(next(iter(columns.values())))
        self._rest: defaultdict[str, list[tuple[int, Any]]] | None = None
        first, *others = shapes.values()
        common = {name: field for name, field in first.items() if all(shape.get(name) == field for shape in others)}
        self.everybody = ColumnKind(self, common, None)
        """What all kinds have in common, of all rows."""
        self.kinds: list[ColumnKind] = []
        """The kinds there are, with what is special about them."""
        self.unknown: dict[int, str] = {}
        """Rows of no known kind, by place, with what is wrong."""
        self._sort()

    def values(self, path: str) -> Sequence[Any]:
        """Return the values of a field of all rows; ``None`` where one has none."""
        found = self._columns.get(path)
        if found is not None and path in _FLAGS:
            return [None if value is None else bool(value) for value in found]
        if found is not None:
            return found
        name, _, rest = path.partition(".")
        others: list[Any] = [None] * self._length
        for place, value in self._others().get(name, ()):
            others[place] = value.get(rest) if rest and value is not None else value
        return others

    def _others(self) -> Mapping[str, Sequence[tuple[int, Any]]]:
        """Return what the rows have beside their columns: by name, the places of rows that have it, and its values."""
        if self._rest is None:
            kept = [(place, text) for place, text in enumerate(self._columns["data"]) if text]
            texts = [text for _, text in kept]
            is_odd = any(map(is_by_hand, texts))
            rows = list(map(from_text, texts)) if is_odd else orjson.loads(f"[{','.join(texts)}]")  # half the time
            self._rest = defaultdict(list)
            for (place, _), row in zip(kept, rows, strict=True):
                for name, value in row.items():
                    self._rest[name].append((place, value))
        return self._rest

    def _sort(self) -> None:
        if not self._tag:
            return
        by_kind: defaultdict[str, list[int]] = defaultdict(list)
        for place, kind in enumerate(self._columns[self._tag]):
            by_kind[kind].append(place)
        for kind, places in by_kind.items():
            if kind in self._shapes:
                self.kinds.append(ColumnKind(self, self._shapes[kind], places))
                continue
            problem = f"there is no kind {shorten(repr(kind), 60)}; a newer lango_nb may know it"
            self.unknown |= dict.fromkeys(places, problem)

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
    wanted = [*named] if is_whole else list(dict.fromkeys(["kind", *paths]))
    columns = None if is_whole else ["turn", *(named[path] for path in wanted)]
    of_turn = list(dict.fromkeys(of_turn))
    beside = {TURNS.name: ["number", *of_turn]} if of_turn else {}
    found = history.log.tables({EVENTS.name: columns, **beside}, history.query)
    if found is None:
        return None
    rows = found[EVENTS.name]
    of_number = {number: values for number, *values in found.get(TURNS.name, ())}
    if of_turn and not of_number.keys() >= {row[0] for row in rows}:  # their turns are lost
        rows = [row for row in rows if row[0] in of_number]
    number, *values = zip(*rows, strict=True) if rows else [()] * (len(wanted) + 3)
    if is_whole:
        del values[0]  # the position
    events = TableRows(dict(zip([*wanted, "data"], values, strict=False)), _events(), "kind")
    columns_of_turn = (
        zip(*map(of_number.__getitem__, number), strict=True) if number and of_turn else [()] * len(of_turn)
    )
    return events, TableRows({"number": number, **dict(zip(of_turn, columns_of_turn, strict=False))}, _turns())


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
    time = Field(read=datetime.fromisoformat)
    shape = {"id": Field(), "title": Field(""), "turns": Field(), "created_at": time, "last_at": time}
    return Rows(paths, {_ANY: shape})


def rows_in(body: Row, name: str) -> list[Row]:
    """Return the rows of one kind that are in a turn's body; a turn that has not ended has none."""
    found = body.get(name, [])
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise damaged("the body of a turn", name, "is no list of records")
    return cast("list[Row]", found)


def whole_turn(row: Row) -> Row:
    """Return the row of a turn with all its fields: of one that has not ended, what belongs to its end is empty."""
    return pack(unpack_turn(row)) if row.get("outcome") == "running" else row


@cache
def _events() -> Mapping[str, Shape]:
    union, *_ = get_args(Event)
    kinds: tuple[type[BaseEvent], ...] = get_args(union)
    spent = {"usage": Field({}, inner=_of_model(Usage))}
    return {
        kind.model_fields["kind"].default: {
            **_of_model(kind),
            "kind": Field(),
            "at": Field(read=datetime.fromisoformat),
            **(spent if "usage" in kind.model_fields else {}),
        }
        for kind in kinds
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


def _of_model(model: type[BaseModel]) -> Shape:
    return {
        name: Field(REQUIRED if field.is_required() else field.default) for name, field in model.model_fields.items()
    }


def _of_dataclass(record: type[Any]) -> Shape:
    return {
        field.name: Field(
            REQUIRED if field.default is MISSING else field.default,
            datetime.fromisoformat if "datetime" in str(field.type) else None,
        )
        for field in fields(record)
    }


def _calls(rows: list[dict[str, Any]]) -> tuple[ToolCall, ...]:
    return tuple(ToolCall.model_construct(**{"error": None, **row}) for row in rows)
