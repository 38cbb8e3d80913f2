"""Call a function on many values; where it fails, find out on which."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lango_nb.core.errors import shorten

Found = tuple[list[Any], dict[int, str]]
"""Values, and what went wrong by place; a value that could not be made is ``None``."""


def call(function: Callable[..., object], lists: Sequence[Sequence[object]]) -> Found:
    """Call a function on the first value of each list, on the second of each, and so on.

    Examples
    --------
    >>> call(int, [["1", "x"]])
    ([1, None], {1: "ValueError: invalid literal for int() with base 10: 'x'"})
    """
    try:
        return list(map(function, *lists)), {}
    except Exception:  # noqa: BLE001 - a record may raise anything; they are now read one by one to find which
        return _one_by_one(function, lists)


def converted(convert: Callable[[Any], object], values: list[Any]) -> Found:
    """Convert the values that are there; ``None`` stays.

    Examples
    --------
    >>> converted(str.upper, ["a", None])
    (['A', None], {})
    """
    if None not in values:
        return call(convert, [values])
    return call(lambda value: None if value is None else convert(value), [values])


def _one_by_one(function: Callable[..., object], lists: Sequence[Sequence[object]]) -> Found:
    values: list[Any] = []
    problems: dict[int, str] = {}
    for place, parts in enumerate(zip(*lists, strict=True)):
        try:
            values.append(function(*parts))
        except Exception as error:  # noqa: BLE001 - reported with its row and column, never swallowed
            values.append(None)
            problems[place] = shorten(f"{type(error).__name__}: {error}", 200)
    return values, problems
