"""How any record becomes a plain JSON row, and how a row is checked before it is a record again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_type_hints

from lango_nb.core.errors import StoreError
from lango_nb.stores.store import Row, stamp

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

    from lango_nb.core.frozen import Frozen

RecordT = TypeVar("RecordT")
ModelT = TypeVar("ModelT", bound="BaseModel | Frozen")


def damaged(where: str, field: str, what: str) -> StoreError:
    """Word that a row is not what it should be.

    Parameters
    ----------
    where : str
        Which record, ``task task-1`` for instance.
    field : str
    what : str
        What is wrong with the field.

    Returns
    -------
    StoreError
        With code ``damaged``.
    """
    return StoreError(
        f"{where} cannot be read: its field {field!r} {what}; run lango doctor to see what else is damaged", "damaged"
    )


def pack(record: Any) -> Row:
    """Return all fields of a dataclass as a row: times as texts, tuples as lists.

    Parameters
    ----------
    record : dataclass instance

    Returns
    -------
    dict
        Without fields that are not part of what is kept (those that do not compare).
    """
    row: dict[str, Any] = {}
    for name in _names(record.__class__):
        value = getattr(record, name)
        if value.__class__ is datetime:
            value = stamp(value)
        elif value.__class__ is tuple:
            value = list(value)
        row[name] = value
    return row


def unpack(record: type[RecordT], row: Row, where: str, **beside: object) -> RecordT:
    """Return the dataclass of a row.

    Parameters
    ----------
    record : type
    row : dict
    where : str
        What errors call it, ``task task-1`` for instance.
    **beside : object
        Fields that are not part of the row.

    Returns
    -------
    record

    Raises
    ------
    StoreError
        With code ``damaged``: a field is missing, unknown or of the wrong kind.
    """
    shape: Any = record
    checked = unpack_model(_model(shape), row, where, _times(shape))
    return record(**vars(checked), **beside)


def unpack_model(model: type[ModelT], row: Row, where: str, times: tuple[str, ...] = ()) -> ModelT:
    """Return the model of a row.

    Parameters
    ----------
    model : type
    row : dict
    where : str
        What errors call it.
    times : tuple of str
        Fields that hold a time.

    Returns
    -------
    model

    Raises
    ------
    StoreError
        With code ``damaged``: a field is missing, unknown or of the wrong kind.
    """
    from pydantic import ValidationError

    values: dict[str, Any] = row
    for name in times:
        value = row.get(name)
        if isinstance(value, str):
            values = {**values, name: _time(value, where, name)}
    try:
        return cast("ModelT", model.model_validate(values))
    except ValidationError as error:
        raise _explained(error, where) from error


def rows_in(holder: Row, name: str, where: str = "the body of a turn") -> list[Row]:
    """Return the rows under a field; none when there is no such field.

    Raises
    ------
    StoreError
        With code ``damaged``: it holds something else.
    """
    rows = holder.get(name, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise damaged(where, name, "is not a list of records")
    return cast("list[Row]", rows)


def _time(text: str, where: str, name: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise damaged(where, name, "is not a time") from None
    if at.tzinfo is None:
        raise damaged(where, name, "is a time without a zone")
    return at


def _explained(error: ValidationError, where: str) -> StoreError:
    """Name the first field that is wrong."""
    first = error.errors(include_url=False, include_input=False)[0]
    field = ".".join(str(part) for part in first["loc"]) or "?"
    match first["type"]:
        case "missing":
            return damaged(where, field, "is missing")
        case "extra_forbidden" | "unexpected_keyword_argument":
            return damaged(where, field, "is unknown")
        case _:
            return damaged(where, field, f"is wrong ({first['msg'][:1].lower()}{first['msg'][1:]})")


@cache
def _names(record: type[Any]) -> tuple[str, ...]:
    return tuple(item.name for item in fields(record) if item.compare)


@cache
def _times(record: type[Any]) -> tuple[str, ...]:
    return tuple(item.name for item in fields(record) if item.compare and "datetime" in str(item.type))


@cache
def _model(record: type[Any]) -> type[BaseModel]:
    """Make the model that checks rows of a dataclass."""
    from pydantic import ConfigDict, create_model

    types = get_type_hints(record, localns=_named_for_checkers())
    shape: dict[str, Any] = {
        item.name: (types[item.name], ... if item.default is MISSING else item.default)
        for item in fields(record)
        if item.compare
    }
    return cast("type[BaseModel]", create_model(record.__name__, __config__=ConfigDict(extra="forbid"), **shape))


def _named_for_checkers() -> Mapping[str, object]:
    """Return the types that modules of records import for type checkers only."""
    from lango_nb.core import events
    from lango_nb.routing.route import Route
    from lango_nb.routing.router import Router

    return {"Outcome": events.Outcome, "Router": Router, "Route": Route, "Event": events.Event}
