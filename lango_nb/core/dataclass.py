"""Dataclasses that are ready in two thirds of the time: for modules that load while an engine starts.

The standard library writes and compiles the methods of each dataclass anew, and a process makes more than seventy
before its first answer. Here ``repr``, ``==`` and ``hash`` are the same three functions for all of them, which look up
the fields when they are called; what they say does not differ.
"""

from __future__ import annotations

from dataclasses import dataclass as _dataclass
from dataclasses import fields
from functools import cache
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - type checkers know what that makes of a class
else:

    def dataclass(cls: type | None = None, /, **options: Any) -> Any:
        """Make a dataclass of a class: takes what :func:`dataclasses.dataclass` takes, and means the same by it.

        Examples
        --------
        >>> @dataclass(frozen=True, slots=True)
        ... class Point:
        ...     x: int
        ...     y: int = 0
        >>> Point(1), Point(1) == Point(1, 0), hash(Point(1)) == hash(Point(2)), Point(1) == (1, 0)
        (Point(x=1, y=0), True, False, False)
        """
        if cls is None:
            return lambda cls: dataclass(cls, **options)
        own, is_plain = vars(cls), not {"order", "unsafe_hash"} & {*options}
        if options.get("repr", True) and "__repr__" not in own:
            cls.__repr__ = _repr
            options["repr"] = False
        if is_plain and options.get("eq", True) and not {"__eq__", "__hash__"} & {*own}:
            cls.__eq__ = _eq
            cls.__hash__ = _hash if options.get("frozen") else None
            options["eq"] = False
        return _dataclass(**options)(cls)


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({shown})"


def _eq(self: Any, other: Any) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    kind: Any = type(self)
    compared = _compared(kind)
    return compared(self) == compared(other)


def _hash(self: Any) -> int:
    kind: Any = type(self)
    return hash(_hashed(kind)(self))


@cache
def _compared(cls: type) -> Callable[[Any], object]:
    return _values(*(one.name for one in fields(cls) if one.compare))


@cache
def _hashed(cls: type) -> Callable[[Any], object]:
    return _values(*(one.name for one in fields(cls) if (one.compare if one.hash is None else one.hash)))


def _values(*names: str) -> Callable[[Any], object]:
    """Return what reads these attributes as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda one: tuple([getattr(one, name) for name in names])
