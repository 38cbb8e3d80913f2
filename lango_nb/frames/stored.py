"""Rows as they are stored, read like the records they were made of, without making these records again.

A stored row leaves out what has its default and writes a time as a text. A :class:`Shape` knows both, so that a column
gets the same value from a row as from the record.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from datetime import datetime
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, get_args, overload

from lango_nb.core.errors import shorten
from lango_nb.core.events import BaseEvent, Event
from lango_nb.core.messages import Message, ToolCall, Usage
from lango_nb.records.agent_run import AgentRun
from lango_nb.records.packing import unpack_turn
from lango_nb.records.rows import pack
from lango_nb.records.turns import Turn
from lango_nb.stores.store import Row

if TYPE_CHECKING:
    from pydantic import BaseModel

REQUIRED = object()
"""Stands for the default of a field that has none."""
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


class Rows(Sequence[Row]):
    """Rows of one source.

    Parameters
    ----------
    rows : list of dict
    shapes : mapping of str to Shape
        By kind.
    tag : str
        Field that tells the kinds apart; empty where there is only one.
    """

    def __init__(self, rows: Sequence[Row], shapes: Mapping[str, Shape], tag: str = "") -> None:
        self.rows = rows
        self._shapes = shapes
        self._tag = tag
        first, *others = shapes.values()
        self.common: Shape = {
            name: field for name, field in first.items() if all(shape.get(name) == field for shape in others)
        }
        """What all kinds have in common."""

    def groups(self) -> Iterator[tuple[Shape, list[int]]]:
        """Sort the rows by kind.

        Yields
        ------
        shape : Shape
        places : list of int
            Places of the rows of that kind, if there are any; rows of no known kind are in none.
        """
        yield from ((self._shapes[kind], found) for kind, found in self._places.items() if kind in self._shapes)

    def strangers(self) -> Iterator[tuple[int, str]]:
        """Find rows of no known kind.

        Yields
        ------
        place : int
        problem : str
        """
        for kind, places in self._places.items():
            if kind not in self._shapes:
                named = shorten(repr(kind), 60)
                yield from ((place, f"there is no kind {named}; a newer lango_nb may know it") for place in places)

    @cached_property
    def _places(self) -> Mapping[object, list[int]]:
        if not self._tag:
            return {}
        places: defaultdict[object, list[int]] = defaultdict(list)
        tag = self._tag
        for place, row in enumerate(self.rows):
            places[row.get(tag)].append(place)
        return places

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | Sequence[Row]:
        return self.rows[place]

    def __len__(self) -> int:
        return len(self.rows)


def event_rows(rows: Sequence[Row]) -> Rows:
    """Return rows of events as a source."""
    return Rows(rows, _events(), "kind")


def turn_rows(rows: Sequence[Row]) -> Rows:
    """Return rows of turns as a source."""
    return Rows(rows, _turns())


def whole_turn(row: Row) -> Row:
    """Return the row of a turn with all its fields: of one that has not ended, what belongs to its end is empty."""
    return pack(unpack_turn(row)) if row.get("outcome") == "running" else row


def message_rows(rows: Sequence[Row]) -> Rows:
    """Return rows of messages as a source."""
    return Rows(rows, _messages())


def run_rows(rows: Sequence[Row]) -> Rows:
    """Return rows of teammate runs as a source."""
    return Rows(rows, _runs())


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
