"""Columns as data: a name, where the value comes from, what it is, and a sentence about it.

A path begins with the name of a source, ``event.usage.model`` for instance (see :data:`Sources`); where kinds of
records call the same thing differently it names both, ``event.child_session|child``. A function is given the sources
that its parameters are named after.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import orjson

from lango_nb.stores.schema import Table, View

if TYPE_CHECKING:
    from lango_nb.frames.stored import Rows, TableRows

Dtype = Literal["string", "Int64", "float64", "boolean", "datetime64[ns, UTC]"]
"""The dtypes frames use; each of them can hold a missing value."""
Path = str | Callable[..., object]
Sources = Mapping[str, "Sequence[object] | Rows | TableRows"]
"""Lists of equal length by name; row ``i`` of a frame is made of the ``i``-th object of each. A list may hold records,
or rows as they are stored (:class:`~lango_nb.frames.stored.Rows`): a path reads both."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a frame."""

    name: str
    path: Path
    """Where the value comes from: ``source.attribute…``, or a function of sources."""
    dtype: Dtype
    unit: str
    """``ms``, ``chars``, ``tokens`` …; empty for names, texts and plain counts."""
    sentence: str
    """What it says, for a reader of the frame."""
    required: bool = True
    """Whether every record has it; where it does not, the value is missing."""
    convert: Callable[[Any], object] | None = None
    """What is made of the value at the path; not asked where there is none."""

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of the sources it is made of."""
        if callable(self.path):
            return tuple(inspect.signature(self.path).parameters)
        return (self.path.partition(".")[0],)


def some(  # noqa: PLR0913, PLR0917 - the fields of a column
    name: str,
    path: Path,
    dtype: Dtype,
    unit: str,
    sentence: str,
    convert: Callable[[Any], object] | None = None,
) -> Column:
    """Make a column that only some kinds of records have."""
    return Column(name, path, dtype, unit, sentence, required=False, convert=convert)


_DTYPES: Mapping[str, Dtype] = {
    "name": "string",
    "text": "string",
    "json": "string",
    "integer": "Int64",
    "real": "float64",
    "boolean": "boolean",
    "time": "datetime64[ns, UTC]",
}


def stored(  # noqa: PLR0913 - what a frame may say differently
    table: Table | View,
    source: str,
    name: str,
    *,
    as_: str = "",
    required: bool = True,
    convert: Callable[[Any], object] | None = None,
) -> Column:
    """Make a column of one that is stored: the same name, unit and sentence.

    Parameters
    ----------
    table : Table or View
    source : str
        Name of the source that gives its records.
    name : str
        Of the stored column.
    as_ : str
        What the frame calls it, where ids of several nouns meet: ``task_id`` for ``id``.
    required : bool
        Whether every record has it.
    convert : callable, optional
        As for :class:`Column`; what a JSON column holds becomes text by it.

    Examples
    --------
    >>> from lango_nb.stores.schema import TASKS
    >>> column = stored(TASKS, "task", "id", as_="task_id")
    >>> column.name, column.path, column.sentence
    ('task_id', 'task.id', 'Id of the task.')
    """
    column = next(column for column in table.columns if column.name == name)
    dtype = _DTYPES[column.type]
    path = f"{source}.{column.path or column.name}"
    return Column(as_ or name, path, dtype, column.unit, column.sentence, required=required, convert=convert)


class FrameError(NamedTuple):
    """One value that could not be read."""

    row: int
    """Row of the frame, from 0; the number of the record when ``column`` is empty."""
    column: str
    """Name of the column; empty when the whole record is of the wrong kind."""
    message: str


def json_text(value: object) -> str:
    """Write a JSON value on one line, keys sorted, so that equal values give equal text.

    Examples
    --------
    >>> json_text({"b": 1, "a": ["x"]})
    '{"a":["x"],"b":1}'
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:  # whole numbers beyond 64 bits and half characters: rare, and json can write them
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
