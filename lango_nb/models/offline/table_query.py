"""What is asked of a table, as a line that is written and read again, and the answer to it: "sum amount where settled is no"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from lango_nb.models.offline.columns import FALSE, TRUE, length_of, length_written
from lango_nb.models.offline.names import plain
from lango_nb.models.offline.operations import Table, day, number, numbers, order, written
from lango_nb.models.offline.question import MEASURES

ENDS: Mapping[str, str] = {"most": "max", "least": "min"}
"""Which groups are wanted, and what measures one column so."""
ORDERS: Mapping[str, str] = {"down": "descending", "up": "ascending"}
"""In which order results are wanted (``data/reading/asked.tsv``), and what a query calls it."""
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
FEW_WORDS_SAID = 5
"""Rows that an answer may have spoken of."""
_PLACES = 4
"""Decimals of a mean."""
OUTSIDE = "outside of"
"""That a value is below one column, or above another."""


class Condition(NamedTuple):
    """What rows have in a column."""

    column: str
    kind: str
    """``is``, ``has`` (a word of the value), ``month``, ``day``, ``weekday``, ``year``, ``over`` or ``under``."""
    values: tuple[str, ...]
    is_not: bool = False

    def holds(self, cell: str) -> bool:
        """Tell whether a cell is meant."""
        return self._is_met(cell) is not self.is_not

    def in_row(self, row: Sequence[str], place: int, table: Table) -> bool:
        """Tell whether a row is meant."""
        if not self.kind.endswith(" of"):
            return self.holds(row[place])
        if self.kind == OUTSIDE:
            least, most, found = (number(row[at]) for at in (*map(table.columns.index, self.values), place))
            return found is not None and ((least is not None and found < least) or (most is not None and found > most))
        limit = number(row[table.columns.index(self.values[0])])
        return limit is not None and self._replace(kind=self.kind.removesuffix(" of"), values=(str(limit),)).holds(
            row[place]
        )

    def _is_met(self, cell: str) -> bool:
        match self.kind:
            case "is":
                return cell in self.values
            case "has":
                return any(value in plain(cell).split() for value in self.values)
            case "over" | "under":
                found = number(cell)
                limit = Decimal(self.values[0])
                return found is not None and (found > limit if self.kind == "over" else found < limit)
        when = day(cell)
        if when is not None and self.kind == "weekday":
            return WEEKDAYS[when.weekday()] in self.values
        return when is not None and str(getattr(when, self.kind)) in self.values

    def __str__(self) -> str:
        return f"{_name(self.column)} {'not ' if self.is_not else ''}{self.kind} {' or '.join(map(_name, self.values))}"


class Query(NamedTuple):
    """What is asked of a table."""

    where: tuple[Condition, ...] = ()
    wanted: tuple[str, ...] = ()
    """Columns whose values are wanted; empty for whole rows."""
    measure: str = ""
    """``sum``, ``mean``, ``max``, ``min``, ``count``, ``distinct`` or empty."""
    column: str = ""
    """The column that is measured."""
    explained: float = 0.0
    """Share of the question's telling words that are in the table or ask for a measure."""
    is_grounded: bool = False
    """Whether a word of the question names a value or a column."""
    most: int = 0
    """How many rows with the largest, or smallest, values are wanted, where that is more than one."""
    by: str = ""
    """The column whose values part the rows into groups, each of which is measured."""
    is_monthly: bool = False
    """Whether the groups are the months of that column."""
    end: str = ""
    """``most`` or ``least`` where the group with the largest or the smallest result is wanted; else all are."""
    order: str = ""
    """``descending`` or ``ascending`` where groups are wanted by their results; else they stand as they come."""
    is_titled: bool = False
    """Whether the question calls the rows as the table's file is called."""
    is_column_said: bool = False
    """Whether the question names the column that is measured."""
    unknown: str = ""
    """Of whom a number is wanted who is in no row."""
    place: int = 0
    """Which of the largest, or smallest, values is wanted, where that is not the first: 2 for the second most."""

    def rows(self, table: Table) -> list[tuple[str, ...]]:
        """Return the rows that are meant."""
        places = [(table.columns.index(one.column), one) for one in self.where]
        return [row for row in table.rows if all(one.in_row(row, place, table) for place, one in places)]

    def __str__(self) -> str:
        """Write the query as a line that :func:`parse` reads.

        Examples
        --------
        >>> str(Query((Condition("settled", "is", ("no",)),), (), "sum", "amount"))
        'sum amount where settled is no'
        >>> str(parse("most sum amount by shop where day is Monday")), str(parse("sum amount by shop descending"))
        ('most sum amount by shop where day is Monday', 'sum amount by shop descending')
        >>> str(parse("max amount place 2, shop")), parse("max amount first 3").most
        ('max amount place 2, shop', 3)
        """
        measured = f"{self.end} {self.measure}".lstrip() + (f" {_name(self.column)}" if self.column else "")
        measured += f" by {'month ' * self.is_monthly}{_name(self.by)}" if self.by else ""
        measured += f" {self.order}" if self.order else ""
        measured += f" first {self.most}" if self.most else f" place {self.place}" if self.place else ""
        head = ", ".join([*([measured] if measured else []), *map(_name, self.wanted)]) or "rows"
        return head + (" where " + " and ".join(map(str, self.where)) if self.where else "")


_WORD = r'"[^"]*"|[^\s",]+'
_CONDITION = re.compile(
    rf"({_WORD}) (not )?(is|has|month|day|weekday|year|over of|under of|outside of|over|under) ((?:{_WORD})(?: or (?:{_WORD}))*)"
)
_PART = re.compile(
    rf"(?:({'|'.join(ENDS)}) )?(?:({'|'.join(MEASURES)})(?=[ ,]|\Z) ?)?((?!by |first |place ){_WORD})?(?: ?by (month )?({_WORD})(?: ({'|'.join(ORDERS.values())}))?)?(?: ?(first|place) (\d+))?(?:, |\Z)"
)


def _name(text: str) -> str:
    """Write a name so that it is read as one."""
    is_plain = re.fullmatch(r"[^\s\",]+", text) and text not in {
        "where",
        "and",
        "or",
        "not",
        "rows",
        "by",
        *ORDERS.values(),
        *ENDS,
        *MEASURES,
    }
    return text if is_plain else '"' + text.replace('"', "'") + '"'


def _bare(text: str) -> str:
    return text[1:-1] if text.startswith('"') else text


def parse(line: str) -> Query | None:
    """Read a query that :class:`Query` wrote; ``None`` where it is none.

    Examples
    --------
    >>> parse('"paid by" where item is "garden tools" and date month 10').where[1]
    Condition(column='date', kind='month', values=('10',), is_not=False)
    """
    head, _, tail = _apart(line)
    where = []
    while tail:
        match = _CONDITION.match(tail)
        if match is None:
            return None
        values = tuple(_bare(word) for word in re.findall(_WORD, match[4]) if word != "or")
        where.append(Condition(_bare(match[1]), match[3], values, bool(match[2])))
        tail = tail[match.end() :].removeprefix(" and ")
    found, wanted = Query(tuple(where), explained=1.0, is_grounded=True), []
    for end, measure, word, month, by, ranks, counted, count in _PART.findall(head):
        if measure:
            found = found._replace(measure=measure, column=_bare(word), by=_bare(by), end=end)
            found = found._replace(is_monthly=bool(month), order=ranks)
            number_said = int(count or 0)
            found = found._replace(place=number_said) if counted == "place" else found._replace(most=number_said)
        elif word and word != "rows":
            wanted.append(_bare(word))
    return found._replace(wanted=tuple(wanted))


def _apart(line: str) -> tuple[str, str, str]:
    """Part a line at the "where" that stands in no quotation marks."""
    at = next(
        (match.start() for match in re.finditer(" where ", line) if not line[: match.start()].count('"') % 2), None
    )
    return (line, "", "") if at is None else (line[:at], " where ", line[at + len(" where ") :])


def is_yes_or_no(condition: Condition) -> bool:
    """Tell whether a condition says that a column is yes, or no."""
    return condition.kind == "is" and {plain(value) for value in condition.values} <= TRUE | FALSE


class Found(NamedTuple):
    """The answer to a query."""

    rows: tuple[tuple[str, ...], ...]
    value: str = ""
    """The number, or the values that were wanted with commas between them."""


def answer(asked: Query, table: Table) -> Found:
    """Answer a query.

    Returns
    -------
    Found
        The rows that are meant, and the value where one is asked for.
    """
    rows = asked.rows(table)
    column = asked.column
    if asked.by:
        return _of_groups(asked, table, rows)
    if column and asked.measure in {"max", "min"}:
        return _extreme(asked, table, rows, table.columns.index(column))
    if column and asked.measure in {"sum", "mean", "count"}:
        return Found(tuple(rows), _added(asked.measure, [row[table.columns.index(column)] for row in rows]))
    if asked.measure == "count":
        return Found(tuple(rows), str(len(rows)))
    if asked.measure == "distinct" and column:
        place = table.columns.index(column)
        values = dict.fromkeys(row[place] for row in rows)
        return Found(tuple(rows), f"{', '.join(values)} ({len(values)})")
    if asked.wanted:
        places = [table.columns.index(name) for name in asked.wanted]
        return Found(tuple(rows), "; ".join(", ".join(row[place] for place in places) for row in rows))
    return Found(tuple(rows))


def _added(measure: str, cells: Sequence[str]) -> str:
    """Return the sum, or the mean, of cells that hold numbers, or lengths; empty where none does."""
    lengths = [] if measure == "count" else [one for cell in cells if (one := length_of(cell)) is not None]
    if lengths:
        return length_written(sum(lengths) if measure == "sum" else round(sum(lengths) / len(lengths)), cells)
    read = [one for one in numbers(cells) if one is not None]
    if not read:
        return ""
    if len(read) == len(cells) == 1 and re.fullmatch(r"\d+\.\d+", cells[0]):
        return cells[0]  # 3.80, as it stands there
    total = sum(read, Decimal(0))
    if measure == "mean":
        is_money = all(re.search(r"[.,]\d\d\Z", cell) for cell in cells if cell)
        total = round(total / len(read), 2 if is_money else _PLACES)
    return written(total)


def _of_groups(asked: Query, table: Table, rows: Sequence[tuple[str, ...]]) -> Found:
    """Measure each group of rows; where the most or the least is wanted, only that, with its rows."""
    place, one = table.columns.index(asked.by), asked._replace(by="", end="", is_monthly=False, where=(), wanted=())
    groups: dict[str, list[tuple[str, ...]]] = {}
    for row in rows:
        when = day(row[place]) if asked.is_monthly else None
        groups.setdefault(row[place] if when is None else f"{when:%Y-%m}", []).append(row)
    told = {name: answer(one, table._replace(rows=tuple(of_it))).value for name, of_it in groups.items()}
    told = {name: value for name, value in told.items() if value}
    if asked.order:
        ranks = sorted(told, key=lambda name: number(told[name]) or Decimal(0), reverse=asked.order == ORDERS["down"])
        told = {name: told[name] for name in (ranks[: asked.most] if asked.most else ranks)}
    if asked.end and told:
        pick = max if asked.end == "most" else min
        best = pick(number(value) or Decimal(0) for value in told.values())
        told = {name: value for name, value in told.items() if number(value) == best}
        rows = [row for name in told for row in groups[name]]
    return Found(tuple(rows), ("; " if asked.end else "\n").join(f"{name}: {value}" for name, value in told.items()))


def _extreme(asked: Query, table: Table, rows: Sequence[tuple[str, ...]], place: int) -> Found:
    """Return the rows with the largest or the smallest value of a column, or with the one at a place behind it.

    Examples
    --------
    >>> table = Table(("who", "fine"), (("Ann", "3"), ("Bo", "5"), ("Cy", "5"), ("Di", "1")))
    >>> answer(Query(measure="max", column="fine", place=2), table).rows
    (('Ann', '3'),)
    """
    keys = order([row[place] for row in rows])
    usable = sorted(
        ((key, row) for key, row in zip(keys, rows, strict=True) if key[0] == 0),
        key=lambda pair: pair[0],
        reverse=asked.measure == "max",
    )
    if asked.most or not usable:
        return Found(tuple(row for _, row in usable[: asked.most]))
    values = list(dict.fromkeys(key for key, _ in usable))
    if asked.place > len(values):
        return Found(())
    best = tuple(row for key, row in usable if key == values[max(asked.place, 1) - 1])
    return Found(best, _with_wanted(asked, table, best[:FEW_WORDS_SAID], best[0][place]))


def _with_wanted(asked: Query, table: Table, rows: Sequence[Sequence[str]], value: str) -> str:
    """Return a value behind what was wanted beside it, of each row that has it: "rosemary; thyme: 4.20"."""
    places = [table.columns.index(name) for name in asked.wanted]
    wanted = "; ".join(dict.fromkeys(", ".join(row[place] for place in places) for row in rows))
    return f"{wanted}: {value}" if wanted else value
