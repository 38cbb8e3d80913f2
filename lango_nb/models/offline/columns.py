"""What the columns of a table hold: amounts, times, lengths, names, yes and no; which of them a word tells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from lango_nb.models.offline.names import is_small, plain, related_words, stem
from lango_nb.models.offline.operations import Table, clock, day, number, numbers
from lango_nb.models.offline.question import read_question, words_for

TRUE = frozenset(("yes", "true", "y", "x", "done", "ja", "oui", "si", "sim", "tak", "1", "ok", "はい", "是", "有"))
FALSE = frozenset(("no", "false", "n", "", "nein", "non", "nao", "nie", "nee", "0", "open", "いいえ", "否", "无", "-"))
_LABELS = ("name", "title", "item", "product", "task")
IDS = ("id", "number", "no", "nr", "code", "phone", "year", "week", "room", "plz", "zip")
"""Columns whose numbers nobody adds up."""
HOURS = "hours"
"""The column of the hours from a beginning to an end, which is derived (``derived.py``)."""
UNITS = frozenset(("g", "kg", "mm", "cm", "km", "m2", HOURS))
"""Signs of units that are said in full (``data/reading/asked.tsv``)."""
PRODUCT, IS = " \u00d7 ", " = "


def names_of_rows(table: Table) -> list[str]:
    """Return the column by which rows are called: a name, else the first of words of which most rows have their own.

    Examples
    --------
    >>> rows = (("2024-06-03", "cat", "Rex"), ("2024-06-03", "cat", "Tom"), ("2024-06-04", "cat", "Mia"))
    >>> names_of_rows(Table(("date", "species", "patient"), rows)), names_of_rows(Table(("date", "kind", "name"), rows))
    (['patient'], ['name'])
    """
    texts = [name for name in table.columns if not (is_numeric(table.values(name)) or holds_times(name, table))]
    called = [name for name in texts if plain(name) in _LABELS]
    own = [name for name in texts if len(set(table.values(name))) * 2 > len(table.rows)]
    return (called or own or texts)[:1]


def has_groups(column: str, table: Table) -> bool:
    """Tell whether a column parts rows into groups: its values are no amounts, and some are there more than once."""
    values = table.values(column)
    return column not in amounts(table) and 1 < len(set(values)) < len(values)


def label_of(table: Table) -> str:
    """Return the column in which rows have their names; empty where there is none.

    Examples
    --------
    >>> label_of(Table(("no", "item", "price"), ())), label_of(Table(("day", "hours"), ()))
    ('item', '')
    """
    return next((name for name in table.columns if set(plain(name).split()) & {*_LABELS}), "")


def names_column(text: str, column: str, language: str) -> bool:
    """Tell whether a text names a column, in whatever language.

    Examples
    --------
    >>> names_column("Jonas Rothの電話番号を0151に", "phone", "ja"), names_column("set the age to 3", "phone", "en")
    (True, False)
    """
    asked = read_question(text, language, (column,))
    return any(asked.means(part) for part in plain(column).split() if not is_small(part))


def tells_quality(column: str, nouns: Iterable[str], units: Iterable[str]) -> bool:
    """Tell whether a column is called by one of several nouns, in whatever language, or ends in a unit."""
    parts = [part for part in plain(column).split() if not is_small(part)]
    same = frozenset().union(*({stem(noun), *related_words(noun)} for noun in nouns))
    return unit_of(column) in {*units} or any(stem(part) in same for part in parts)


def unit_of(column: str) -> str:
    """Return the sign of a unit that a column's name ends in."""
    sign = column.casefold().replace("(", " ").replace(")", " ").replace("_", " ").split()[-1:]
    return sign[0] if sign and sign[0] in UNITS else ""


def holds_truths(cells: Sequence[str]) -> bool:
    """Tell whether cells hold yes and no, and nothing else."""
    values = {plain(value) for value in cells}
    return values <= TRUE | FALSE and len(values) == 2  # noqa: PLR2004 - yes and no


def amount_column(table: Table, spent: set[str], measure: str = "", *, is_money: bool) -> str:
    """Return the column with the amounts that nobody named: the only one, else the only one of money, or of things."""
    free = [name for name in amounts(table) if name not in spent]
    products = [name for name in free if IS in name]
    if is_money and len(products) == 1:
        return products[0]
    kinds = ("priced",) if is_money else ("counted", "priced") if measure in {"sum", "mean"} else ("counted",)
    rest = [name for name in free if not set(plain(name).split()) & words_for("priced")]
    if measure == "sum" and not is_money and len(rest) == 1 and len(free) == 2 and _is_price_each(rest[0], free, table):  # noqa: PLR2004
        return rest[0]
    of_kind = ([name for name in free if set(plain(name).split()) & words_for(kind)] for kind in kinds)
    return next((one[0] for one in (free, *of_kind) if len(one) == 1), "")


def _is_price_each(column: str, both: Sequence[str], table: Table) -> bool:
    """Tell whether a column holds how many there are, whole numbers, and the one beside it a price of each that comes again."""
    other = next(name for name in both if name != column)
    prices, counts = table.values(other), table.values(column)
    is_numbered = len(set(counts)) == len(counts) and counts == sorted(counts, key=lambda one: number(one) or 0)
    return all(map(str.isdigit, counts)) and not is_numbered and len(set(prices)) * 2 <= len(prices)


def is_of_lengths(column: str, table: Table) -> bool:
    """Tell whether a column holds how long things are, as minutes and seconds: "4:20".

    Examples
    --------
    >>> from lango_nb.models.offline.queries import query
    >>> from lango_nb.models.offline.table_query import answer
    >>> table = Table(("title", "length", "start"), (("A", "3:40", "20:00"), ("B", "4:30", "21:00")))
    >>> is_of_lengths("length", table), is_of_lengths("start", table), answer(query("total length", table), table).value
    (True, False, '8:10')
    """
    values = [value for value in table.values(column) if value]
    is_called = bool(words_for("lasting") & {*plain(column).split(), plain(column)})
    return is_called and bool(values) and None not in map(length_of, values)


_LENGTH = re.compile(r"\d+(?::[0-5]\d){1,2}")


def length_of(cell: str) -> int | None:
    """Return the seconds of "4:20", and of "1:04:20"; ``None`` of anything else."""
    parts = cell.strip().split(":")
    is_length = _LENGTH.fullmatch(cell.strip()) is not None
    return sum(int(part) * 60**place for place, part in enumerate(reversed(parts))) if is_length else None


def length_written(seconds: int, like: Sequence[str]) -> str:
    """Write seconds as the cells of a column have them."""
    minutes, rest = divmod(seconds, 60)
    hours, of_hour = divmod(minutes, 60)
    return f"{hours}:{of_hour:02d}:{rest:02d}" if any(cell.count(":") > 1 for cell in like) else f"{minutes}:{rest:02d}"


def holds_times(column: str, table: Table) -> bool:
    """Tell whether a column holds days, times of the day or years."""
    values = [value for value in table.values(column) if value]
    if is_of_lengths(column, table):
        return False
    years = [one for one in numbers(values) if one is not None]
    is_year = bool(values) and len(years) == len(values) and all(1000 <= one <= 2100 for one in years)  # noqa: PLR2004
    return is_year or (bool(values) and all(day(value) is not None or clock(value) is not None for value in values))


def amounts(table: Table) -> list[str]:
    """Return the columns whose numbers are amounts: no years, no numbers of things or of the rows."""
    return [
        name
        for name in table.columns
        if (is_numeric(table.values(name)) or is_of_lengths(name, table))
        and not set(plain(name).split()) & set(IDS)
        and not (holds_times(name, table) or only_numbers_rows(table.values(name)))
    ]


def only_numbers_rows(values: Sequence[str]) -> bool:
    """Tell whether values only number the rows, one after the other: nobody adds up the numbers of invoices.

    Examples
    --------
    >>> only_numbers_rows(["301", "302", "303"]), only_numbers_rows(["1", "2"]), only_numbers_rows(["3", "4", "9"])
    (True, False, False)
    """
    is_whole = len(values) > 2 and all(map(str.isdecimal, values))  # noqa: PLR2004 - two may be so by chance
    return is_whole and [int(value) for value in values] == [*range(int(values[0]), int(values[0]) + len(values))]


def is_numeric(values: Sequence[str]) -> bool:
    """Tell whether all values there are are numbers."""
    read = numbers([value for value in values if value])
    return bool(read) and None not in read
