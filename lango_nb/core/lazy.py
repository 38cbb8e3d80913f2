"""Made when first used, and then kept: attributes, values of fields, regular expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from threading import RLock
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_making = RLock()
"""One lock for all: making is rare, and what is made may ask for something else that is made once."""


class once(Generic[T]):  # noqa: N801 - used as a decorator, like property
    """Like :func:`functools.cached_property`, which has had no lock since Python 3.12.

    Examples
    --------
    >>> class Box:
    ...     @once
    ...     def content(self) -> list[int]:
    ...         return []
    >>> box = Box()
    >>> box.content is box.content
    True
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, holder: Any, owner: type | None = None) -> T:
        if holder is None:
            return self  # type: ignore[return-value]  # asked on the class: for its docstring
        with _making:
            if self._name not in holder.__dict__:
                holder.__dict__[self._name] = self._make(holder)
            found: T = holder.__dict__[self._name]
        return found


class Deferred(Generic[T]):
    """Default of a field of a dataclass that may be given as a function: it is called when the field is looked at.

    Threads that look at the same time may both call it.

    Parameters
    ----------
    default : object
        Value of the field where none is given.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Box:
    ...     content: object = Deferred(())
    >>> Box(), Box(lambda: "a letter"), Box("a parcel")
    (Box(content=()), Box(content='a letter'), Box(content='a parcel'))
    """

    def __init__(self, default: T) -> None:
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __set__(self, holder: Any, value: T | Callable[[], T]) -> None:
        holder.__dict__[self._name] = value

    def __get__(self, holder: Any, owner: type | None = None) -> T:
        if holder is None:
            return self._default
        value = holder.__dict__[self._name]
        if callable(value):
            value = holder.__dict__[self._name] = value()
        found: T = value
        return found


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a regular expression when it is first used: a process pays for none that it does not need.

    Parameters
    ----------
    pattern : str
        With its flags, ``(?i)…``.

    Returns
    -------
    re.Pattern
    """
    return re.compile(pattern)
