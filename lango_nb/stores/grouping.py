"""Rows of a table as columns, those of one kind together.

Rows come a block at a time. What is done with a value while it is in the processor's cache costs a fraction of what it
costs later, so a text that a column says again and again becomes one object at once.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import islice
from typing import Any

from lango_nb.stores.schema import Table
from lango_nb.stores.store import Group, Stamps

_KIND = "kind"
"""Column that tells kinds apart."""


class Grouping:
    """Sorts rows into groups.

    Parameters
    ----------
    names : sequence of str
        Columns that the rows begin with.
    table : Table
    """

    def __init__(self, names: Sequence[str], table: Table) -> None:
        self.groups: dict[Any, Group] = {}
        """By kind; all under an empty text where there is no column of kinds."""
        types = {column.name: column.type for column in table.columns}
        self._width = len(names)
        self._kind = names.index(_KIND) if _KIND in names else None
        self._repeating = {place for place, name in enumerate(names) if types.get(name) in {"name", "text"}}
        """Columns whose texts occur again and again, as far as is known."""
        self._times = {place for place, name in enumerate(names) if types.get(name) == "time"}
        self._count = 0

    def add(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add rows behind those that are there."""
        kinds: defaultdict[Any, list[int]] = defaultdict(list)
        for place, row in enumerate(rows):
            kinds["" if self._kind is None else row[self._kind]].append(place)
        same: defaultdict[int, dict[Any, Any]] = defaultdict(dict)
        seen: Counter[int] = Counter()
        for kind, places in kinds.items():
            group = self.groups.get(kind) or self.groups.setdefault(kind, self._group())
            before = len(group.places)
            group.places.extend([self._count + place for place in places])
            found = zip(*[rows[place] for place in places], strict=True)
            for number, values in enumerate(islice(found, self._width)):
                column = group.columns[number]
                if isinstance(column, Stamps):
                    if (stamps := Stamps.of(values)) is not None:
                        column.texts.extend(stamps.texts)
                        continue
                    column = group.columns[number] = [*column]
                elif not any(values) and values.count(None) == len(values):
                    continue
                column.extend([None] * (before - len(column)))
                if number in self._repeating:
                    column.extend(map(same[number].setdefault, values, values))
                    seen[number] += len(values)
                else:
                    column.extend(values)
        self._repeating -= {number for number, values in same.items() if len(values) > seen[number] // 2}
        self._count += len(rows)

    def _group(self) -> Group:
        return Group(array("q"), [Stamps() if number in self._times else [] for number in range(self._width)])

    def finish(self) -> dict[Any, Group]:
        """Return the groups; what is missing at the end of columns is added to them."""
        for group in self.groups.values():
            for column in group.columns:
                if isinstance(column, list):
                    column.extend([None] * (len(group.places) - len(column)))
        return self.groups
