"""Columns that a table does not have and a question asks for: the hours from a beginning to an end, what a log counts.

show,start,end + "how many hours is Ann on air?" ── hours = end - start ── a query over it like over any other column
"""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal

from lango_nb.models.offline.columns import HOURS, is_of_lengths
from lango_nb.models.offline.lexicon import lexicon_of
from lango_nb.models.offline.lexicon import words as words_of
from lango_nb.models.offline.names import plain
from lango_nb.models.offline.operations import Table, clock, written
from lango_nb.models.offline.queries import with_products
from lango_nb.models.offline.question import said_of_tables, words_for
from lango_nb.models.offline.table_query import Query

_OFTEN = 3
"""Lines of a log that have to tell a number of the same thing."""
_TOLD = re.compile(r"(?P<name>[^\W\d]\w*)\s*[:=]?\s*(?P<n>-?\d+(?:[.,]\d+)?)(?:\s*[^\W\d]{1,3}|%)?")
"""A message that is the number of something: "listeners 58", "temp: 21.5 C"."""
_DAY = 24 * 60


def with_derived(table: Table, text: str, before: Query | None = None, language: str = "en") -> Table:
    """Return a table with the columns more that a question needs, or the question before it had.

    Parameters
    ----------
    table : Table
    text : str
        The question.
    before : Query, optional
    language : str
    """
    return with_products(with_hours(with_counted(table), text, before, language), text, before, language)


def with_hours(table: Table, text: str, before: Query | None = None, language: str = "en") -> Table:
    """Return a table with the hours from the beginning to the end of each row, where a question asks for hours.

    Examples
    --------
    >>> shifts = Table(("name", "start", "end"), (("Ann", "08:00", "09:30"), ("Bo", "22:00", "01:00")))
    >>> [row[-1] for row in with_hours(shifts, "how many hours does Ann work?").rows], with_hours(shifts, "who works?") == shifts
    (['1.5', '3'], True)
    """
    named = [] if before is None else [*before.wanted, before.column, *(one.column for one in before.where)]
    told = frozenset[str]().union(*lexicon_of(language).concepts(words_of(text)))
    is_length = bool(told & {"longest", "shortest"}) and not any(is_of_lengths(name, table) for name in table.columns)
    is_time = "what" in told and not told & {"many", "sum", "mean", "max", "min"}  # "a que horas", "at what time"
    if HOURS not in named and not is_length and (is_time or "hours" not in said_of_tables(text, language)):
        return table
    if any(set(plain(name).split()) & words_for("hours") for name in table.columns):
        return table
    begins, ends = (
        [
            at
            for at, name in enumerate(table.columns)
            if set(plain(name).split()) & words_for(kind) and None not in map(clock, table.values(name))
        ]
        for kind in ("begins", "ends")
    )
    if len(begins) != 1 or len(ends) != 1 or begins == ends:
        return table
    spans = [((clock(row[ends[0]]) or 0) - (clock(row[begins[0]]) or 0)) % _DAY for row in table.rows]
    rows = tuple((*row, written(Decimal(span) / 60)) for row, span in zip(table.rows, spans, strict=True))
    return table._replace(columns=(*table.columns, HOURS), rows=rows)


def with_counted(table: Table) -> Table:
    """Return the lines of a log with a column more for each thing of which several lines tell the number.

    Examples
    --------
    >>> log = Table(("date", "text"), (("1", "users 4"), ("2", "started"), ("3", "users 6"), ("4", "users 5")), " ")
    >>> with_counted(log).columns, [row[-1] for row in with_counted(log).rows]
    (('date', 'text', 'users'), ['4', '', '6', '5'])
    """
    if table.delimiter != " " or "text" not in table.columns:
        return table
    told = [_TOLD.fullmatch(text.strip()) for text in table.values("text")]
    counts = Counter(one["name"].casefold() for one in told if one is not None)
    for name in (name for name, count in counts.items() if count >= _OFTEN and name not in table.columns):
        cells = [one["n"] if one is not None and one["name"].casefold() == name else "" for one in told]
        rows = tuple((*row, cell) for row, cell in zip(table.rows, cells, strict=True))
        table = table._replace(columns=(*table.columns, name), rows=rows)
    return table
