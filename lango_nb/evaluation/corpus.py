"""The labelled requests that come with the package: the corpus the router learned from, and the second judge's exams.

    data/corpus/<author>.tsv   family, language, text      one author per file; a third of each is held out
    data/judge/<author>.tsv    octet, quartet, language, text   written from descriptions of the agents alone

Which requests are held out follows from their texts, so that adding requests moves none. Nothing is ever fitted on them
or on the exams.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal, NamedTuple

from lango_nb.core.errors import UnknownNameError

_HELD_OUT_OF = 3
"""One request of so many is held out."""

SetName = Literal["corpus", "train", "held-out", "judge", "judge-a", "judge-b"]
SETS: tuple[SetName, ...] = ("corpus", "train", "held-out", "judge", "judge-a", "judge-b")


class Request(NamedTuple):
    """One labelled request."""

    text: str
    family: str
    """Tool family, or ``conversation``; empty in the exams."""
    language: str
    """Two letters."""
    author: str
    """Who wrote it: the file's name."""
    agents: tuple[tuple[str, str], ...] = ()
    """Who should get it, by topology, where somebody said so; ``root`` for conversation."""


def is_held_out(text: str) -> bool:
    """Tell whether a request of the corpus is kept from fitting.

    Examples
    --------
    >>> is_held_out("list the files here"), is_held_out("what is in this folder?")
    (False, True)
    """
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % _HELD_OUT_OF == 0


def labelled(name: SetName = "held-out") -> tuple[Request, ...]:
    """Return labelled requests that come with the package.

    Parameters
    ----------
    name : {"corpus", "train", "held-out", "judge", "judge-a", "judge-b"}

    Returns
    -------
    tuple of Request

    Raises
    ------
    UnknownNameError
        There is no such set.
    """
    if name not in SETS:
        raise UnknownNameError("set of requests", name, SETS)
    if name.startswith("judge"):
        return tuple(one for one in _exams() if name == "judge" or one.author == name.removeprefix("judge-"))
    if name == "corpus":
        return _corpus()
    return tuple(one for one in _corpus() if is_held_out(one.text) == (name == "held-out"))


@lru_cache(maxsize=1)
def _corpus() -> tuple[Request, ...]:
    rows = _rows("corpus", 3)
    return tuple(Request(text, family, language, author) for author, (family, language, text) in rows)


@lru_cache(maxsize=1)
def _exams() -> tuple[Request, ...]:
    return tuple(
        Request(text, "", language, author, (("octet", octet), ("quartet", quartet)))
        for author, (octet, quartet, language, text) in _rows("judge", 4)
    )


def _rows(folder: str, columns: int) -> Iterator[tuple[str, list[str]]]:
    """Yield author and fields of every line of a folder's files."""
    found: list[Traversable] = [
        file for file in files("lango_nb.data").joinpath(folder).iterdir() if file.name.endswith(".tsv")
    ]
    for file in sorted(found, key=lambda one: one.name):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield file.name.removesuffix(".tsv"), line.split("\t", columns - 1)
