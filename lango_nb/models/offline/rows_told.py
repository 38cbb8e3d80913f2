"""Rows of a table that are told in prose: "new guy, noah fischer, id 114, physics, group b" becomes a value for each column."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lango_nb.models.offline.names import is_small, plain, stem
from lango_nb.models.offline.operations import Table, day, number

_PARTED = re.compile(r"\s*(?:[,;]|[.:]\s|\u3001|\uff0c|\u3002)\s*")
_LONGEST = 5
"""Words of a part that may be a value."""


def row_told(table: Table, said: str) -> list[str] | None:
    """Return the row that a text tells, by the names of columns, values there are already, and what kind the others are.

    Parameters
    ----------
    table : Table
    said : str
        A request, or a part of it: what it says before the row may stand in it.

    Returns
    -------
    list of str or None
        A value for each column; a number that only counts rows goes on where it is not told. ``None`` where a column
        has none, or what is told has no place.

    Examples
    --------
    >>> crew = Table(("id", "name", "team", "hours"), (("1", "Ann Lee", "Red", "4"), ("2", "Bo Ray", "Blue", "6")))
    >>> row_told(crew, "a new one, cy moss, team blue, 5 hours. put him on the list")
    ['3', 'Cy Moss', 'Blue', '5']
    >>> row_told(crew, "cy moss, blue, 5"), row_told(crew, "add somebody"), row_told(crew, "cy moss, blue")
    (['3', 'Cy Moss', 'Blue', '5'], None, None)
    """
    parts = [part.strip(" .!?") for part in _PARTED.split(said) if part.strip(" .!?")]
    row: list[str | None] = [None] * len(table.columns)
    placed: set[int] = set()
    for find in (_named, _known):
        for at, part in enumerate(parts):
            place, value = find(table, part, row) if at not in placed else (-1, "")
            if place >= 0:
                row[place] = value
                placed.add(at)
    empty = [place for place, value in enumerate(row) if value is None]
    is_bare = not placed and len(parts) == len(row)
    if not names_values(table, said) and len(parts) > len(row):
        return None  # more than there is room for
    held = {place: [one for one in table.values(table.columns[place]) if one] for place in empty}
    for place in sorted(empty, key=lambda at: bool(_next(held[at]))) if placed or is_bare else ():
        values = held[place]
        near = [at for at, part in enumerate(parts) if at not in placed and _kind_of(part, values)]
        near = near if is_bare else [at for at in near if {at - 1, at + 1} & placed]
        if near:
            row[place] = _written_alike(_kind_of(parts[near[0]], values), values)
            placed.add(near[0])
        elif placed:
            row[place] = _next(values) or None
    return None if None in row else [value or "" for value in row]


def names_values(table: Table, said: str) -> bool:
    """Tell whether a text names columns with their values in prose: "id 114, group b".

    Examples
    --------
    >>> names_values(Table(("id", "group"), (("1", "a"),)), "id 2, group b"), names_values(Table(("id",), ()), "2")
    (True, False)
    """
    row: list[str | None] = [None] * len(table.columns)
    return any(_named(table, part, row)[0] >= 0 for part in _PARTED.split(said))


def _named(table: Table, part: str, row: Sequence[str | None]) -> tuple[int, str]:
    """Return the place of the column that a part names, and its value: "id 114", "5 hours"; -1 where it names none."""
    words = part.split()
    for place, column in enumerate(table.columns):
        names = {stem(one) for one in plain(column).split()}
        at = next((at for at in (0, len(words) - 1) if words and stem(plain(words[at])) in names), -1)
        if row[place] is not None or at < 0 or not 1 < len(words) <= _LONGEST:
            continue
        rest = _bare(" ".join(word for word in words if word is not words[at]).lstrip(":= "))
        values = [one for one in table.values(column) if one]
        if rest and (told := _kind_of(rest, values)):
            return place, _spelt(told, values)
    return -1, ""


def _known(table: Table, part: str, row: Sequence[str | None]) -> tuple[int, str]:
    """Return the place of the only column without a value yet that holds what a part says, and how it is written there."""
    bare = plain(_bare(part))
    held = [
        (place, value)
        for place, column in enumerate(table.columns)
        if row[place] is None
        for value in dict.fromkeys(table.values(column))
        if bare and plain(value) == bare and number(value) is None
    ]
    return held[0] if len(held) == 1 else (-1, "")


def _bare(part: str) -> str:
    """Return a part without the small words that it begins with: "from Graz"."""
    first, _, rest = part.partition(" ")
    return _bare(rest) if rest and is_small(first) else part


def _kind_of(part: str, values: Sequence[str]) -> str:
    """Return what a part says where it is of the kind that values are: a number, a date, or as few words; else empty."""
    bare = _bare(part)
    if values and all(number(value) is not None for value in values):
        return bare if number(bare) is not None else ""
    if values and all(day(value) is not None for value in values):
        return bare if day(bare) is not None else ""
    most = max((len(value.split()) for value in values), default=1)
    told = part if len(part.split()) <= most else bare
    is_number = told.replace(".", "").isdigit() and not any(value.isdigit() for value in values)
    return told if len(told.split()) <= most and not is_number else ""


def _spelt(part: str, values: Sequence[str]) -> str:
    """Return how a value is written that is there already, in whatever case; else as the others are."""
    return next((value for value in values if plain(value) == plain(part)), _written_alike(part, values))


def _written_alike(part: str, values: Sequence[str]) -> str:
    """Write a value with capitals where all others have them, and none is said."""
    is_capital = bool(values) and all(
        word[:1].isupper() or not word[:1].isalpha() for one in values for word in one.split()
    )
    return " ".join(f"{word[:1].upper()}{word[1:]}" for word in part.split()) if is_capital and part.islower() else part


def _next(values: Sequence[str]) -> str:
    """Return the number that goes on where values only count rows: one more each; else empty."""
    found = [int(value) for value in values if value.isascii() and value.isdigit()]
    is_counting = len(found) == len(values) > 1 and found == list(range(found[0], found[0] + len(found)))
    return str(found[-1] + 1) if is_counting else ""
