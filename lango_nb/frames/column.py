"""Columns as data: a name, where the value comes from, what it is, and a sentence about it.

A path begins with the name of a source, ``event.usage.model`` for instance (see :data:`Sources`); a function is given
the sources that its parameters are named after.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import orjson

Dtype = Literal["string", "Int64", "float64", "boolean", "datetime64[ns, UTC]"]
"""The dtypes frames use; each of them can hold a missing value."""
Path = str | Callable[..., object]
Sources = Mapping[str, Sequence[object]]
"""Lists of equal length by name; row ``i`` of a frame is made of the ``i``-th object of each."""


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


def some(name: str, path: Path, dtype: Dtype, unit: str, sentence: str) -> Column:
    """Make a column that only some kinds of records have."""
    return Column(name, path, dtype, unit, sentence, required=False)


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
