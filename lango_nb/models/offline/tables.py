"""Tables as people keep them: any delimiter, quotes, decimal commas, currency signs, units; and Markdown's bars."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

_DELIMITERS = ",;\t|"
_NUMBER = re.compile(r"[-+\u2212]?\d[\d.,'\u2019\u00a0\u202f ]*|[-+\u2212]?[.,]\d+")
_RULE = re.compile(r"\|?[\s:|-]*-[\s:|-]*\|?\s*")
_DATES = (
    (re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?"), (1, 2, 3)),
    (re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4})"), (3, 2, 1)),
    (re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})日"), (1, 2, 3)),
)
_MOST_UNIT = 12
"""Letters that may stand around a number that is still one: ``12.50 USD``, ``ca. 3 kg``."""


class Table(NamedTuple):
    """Rows under names of columns; every row is as long as the names are many."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    delimiter: str = ","

    def values(self, column: str) -> list[str]:
        """Return the values of a column, by its exact name."""
        place = self.columns.index(column)
        return [row[place] for row in self.rows]


def read_table(text: str) -> Table:
    r"""Read a table.

    Examples
    --------
    >>> read_table('item;price\n"milk; fresh";1,20 €\n\nbread;2,50 €\n')
    Table(columns=('item', 'price'), rows=(('milk; fresh', '1,20 €'), ('bread', '2,50 €')), delimiter=';')
    >>> read_table("| a | b |\n|---|---|\n| 1 | 2 |\n").rows
    (('1', '2'),)
    >>> read_table('[{"name": "Ann", "age": 7}, {"name": "Bo"}]').rows
    (('Ann', '7'), ('Bo', ''))
    """
    if text.lstrip()[:1] in {"[", "{"}:
        try:
            return _of_json(json.loads(text))
        except ValueError:
            pass
    lines = [line for line in text.removeprefix("\ufeff").splitlines() if line.strip()]
    bars = [line for line in lines if line.lstrip().startswith("|")]
    if len(bars) > 1 and _RULE.fullmatch(bars[1]):
        grid = [
            [cell.strip() for cell in line.strip().strip("|").split("|")] for line in bars if not _RULE.fullmatch(line)
        ]
        delimiter = "|"
    else:
        delimiter = _delimiter(lines)
        body = io.StringIO(text.removeprefix("\ufeff"), newline="")
        try:
            read = list(csv.reader(body, delimiter=delimiter, skipinitialspace=True))
        except csv.Error:
            read = [line.split(delimiter) for line in lines]
        grid = [[cell.strip() for cell in row] for row in read if any(cell.strip() for cell in row)]
    if not grid:
        return Table((), (), delimiter)
    width = len(grid[0])
    rows = tuple(tuple((row + [""] * width)[:width]) for row in grid[1:])
    return Table(tuple(grid[0]), rows, delimiter)


def _of_json(data: object) -> Table:
    """Read a list of objects, or the longest of those in an object, as a table."""
    inner = [data] if isinstance(data, list) else list(data.values()) if isinstance(data, dict) else []
    lists = [one for one in inner if isinstance(one, list) and one and all(isinstance(row, dict) for row in one)]
    if not lists:
        return Table((), ())
    entries = max(lists, key=len)
    columns = tuple(dict.fromkeys(str(name) for row in entries for name in row))
    return Table(columns, tuple(tuple(_cell(row.get(name)) for name in columns) for row in entries))


def _cell(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def write_row(table: Table, row: Sequence[str]) -> str:
    """Write a row the way a table writes its rows.

    Examples
    --------
    >>> write_row(Table(("a", "b"), (), ";"), ["x; y", "1,5"])
    '"x; y";1,5'
    """
    if table.delimiter == "|":
        return f"| {' | '.join(row)} |"
    out = io.StringIO()
    csv.writer(out, delimiter=table.delimiter, lineterminator="").writerow(row)
    return out.getvalue()


def number(text: str, *, is_comma: bool | None = None) -> Decimal | None:
    """Read a number with its units, signs and separators.

    Parameters
    ----------
    text : str
    is_comma : bool, optional
        Whether decimals begin with a comma; told from the text itself when absent.

    Examples
    --------
    >>> [str(number(text)) for text in ("1.234,56 €", "$1,200", "12 kg", "-3,5", "45%", "1 200")]
    ['1234.56', '1200', '12', '-3.5', '45', '1200']
    >>> number("3 tins of 5"), number("2024-05-01"), number("soon"), number("A12")
    (None, None, None, None)
    """
    stripped = text.strip()
    found = list(_NUMBER.finditer(stripped))
    if len(found) != 1:
        return None
    around = stripped[: found[0].start()], stripped[found[0].end() :]
    if around[0][-1:].isalnum() or sum(map(len, around)) > _MOST_UNIT or any(sign in "".join(around) for sign in "-/:"):
        return None
    written = re.sub(r"['\u2019\u00a0\u202f ]", "", found[0][0]).replace("\u2212", "-").rstrip(".,")
    if is_comma is None:
        is_comma = has_decimal_comma([stripped])
    written = written.replace(".", "").replace(",", ".") if is_comma else written.replace(",", "")
    try:
        return Decimal(written)
    except InvalidOperation:
        return None


def has_decimal_comma(values: Iterable[str]) -> bool:
    """Tell whether the values of a column have their decimals after a comma.

    Examples
    --------
    >>> has_decimal_comma(["3", "1.250,5"]), has_decimal_comma(["1,250.5", "1,000"]), has_decimal_comma(["2,5"])
    (True, False, True)
    """
    commas = False
    for value in values:
        if re.search(r"\d,\d+\.\d|\d\.\d{1,2}(?!\d)|^\d+\.\d+$", value) and not re.search(r"\d\.\d{3},\d", value):
            return False
        if re.search(r"\d,\d{1,2}(?!\d)|\d\.\d{3},\d|\d,\d{4,}", value):
            commas = True
    return commas


def numbers(values: Sequence[str]) -> list[Decimal | None]:
    """Read the values of a column as numbers, all in the same notation."""
    is_comma = has_decimal_comma(values)
    return [number(value, is_comma=is_comma) for value in values]


def day(text: str) -> date | None:
    """Read a date.

    Examples
    --------
    >>> day("2024-05-01"), day("1.5.2024"), day("12")
    (datetime.date(2024, 5, 1), datetime.date(2024, 5, 1), None)
    """
    for pattern, (year, month, at) in _DATES:
        if (match := pattern.match(text.strip())) is not None:
            try:
                return date(int(match[year]), int(match[month]), int(match[at] or 1))
            except ValueError:
                return None
    return None


def order(values: Sequence[str]) -> list[tuple[int, Decimal | int | str]]:
    """Return a key for each value to sort by: as numbers or dates where most of them are, else as words."""
    given = [value for value in values if value]
    read = numbers(values)
    if given and sum(one is not None for one in read) * 2 > len(given):
        return [(0, one) if one is not None else (1, 0) for one in read]
    days = [day(value) for value in values]
    if given and sum(one is not None for one in days) * 2 > len(given):
        return [(0, one.toordinal()) if one is not None else (1, 0) for one in days]
    return [(0, value.casefold()) if value else (1, "") for value in values]


def written(value: Decimal, *, is_comma: bool = False) -> str:
    """Write a number without needless digits.

    Examples
    --------
    >>> written(Decimal("12.500")), written(Decimal(1200)), written(Decimal("2.5"), is_comma=True)
    ('12.5', '1200', '2,5')
    """
    text = f"{value:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace(".", ",") if is_comma else text


def _delimiter(lines: Sequence[str]) -> str:
    """Return the sign that parts the first line and as many others as possible into equally many cells."""
    best, most = ",", (0, 0)
    for sign in _DELIMITERS:
        counts = [re.sub(r'"[^"]*"', "", line).count(sign) for line in lines[:50]]
        if counts and counts[0]:
            alike = sum(count == counts[0] for count in counts)
            if (alike, counts[0]) > most:
                best, most = sign, (alike, counts[0])
    return best
