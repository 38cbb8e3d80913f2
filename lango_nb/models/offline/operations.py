"""What is done with what tools gave: pure functions, one row of :data:`OPERATIONS` each; tables and sums.

An operation takes a text (of a file, or a listing as :class:`Entry` rows) and words as parameters. Tables are read as
people keep them: any delimiter, quotes, decimal commas, currency signs, units; and Markdown's bars. Names of columns, keys
and functions are matched as people write them (``names.py``); what is not there is :class:`NoSuch`.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from decimal import Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext
from difflib import unified_diff
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, NamedTuple

from lango_nb.models.offline.keyed import in_yaml, keyed
from lango_nb.models.offline.names import (
    ARTICLES,
    forms_of,
    in_english,
    is_pointer,
    pick,
    plain,
    rank,
    says_something,
    stem,
    table_of,
    unaccented,
    word_pieces,
)
from lango_nb.tools.builtin.files import lines_of

# -- tables, numbers and dates -----------------------------------------------------------------------------------------

_DELIMITERS = ",;\t|"
_NUMBER = re.compile(r"[-+\u2212]?\d[\d.,'\u2019\u00a0\u202f ]*|[-+\u2212]?[.,]\d+")
_RULE = re.compile(r"\|?[\s:|-]*-[\s:|-]*\|?\s*")
_LOGGED = re.compile(
    r"\[?(?P<date>\d{4}-\d\d-\d\d)(?:[T ](?P<time>\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)\S*)?\]? +(?P<kind>[^\s\d:]+):?"
    r"(?: +(?P<amount>\S+)(?P<text>.*))?"
)
_MOST_LOGGED = 0.9
"""Share of the lines of a log that begin with a date."""
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


@lru_cache(maxsize=32)
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
    >>> read_table('{"name": "Ann"}\n{"name": "Bo"}\n').rows
    (('Ann',), ('Bo',))
    """
    lines = [line for line in text.removeprefix("\ufeff").splitlines() if line.strip()]
    if text.lstrip()[:1] in {"[", "{"}:
        for one_by_one in (False, True):
            with suppress(ValueError):
                return _of_json(list(map(json.loads, lines)) if one_by_one else json.loads(text))
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


@lru_cache(maxsize=32)
def read_log(text: str) -> Table:
    r"""Read the lines of a log as a table: when, what kind, how much where every line says so, and the rest.

    Returns
    -------
    Table
        Without rows where fewer than nine of ten lines begin with a date.

    Examples
    --------
    >>> read_log("2024-05-01 08:15:40 WARN weak signal\n2024-05-02 09:00:00 INFO started\n").rows
    (('2024-05-01', '08:15:40', 'WARN', 'weak signal'), ('2024-05-02', '09:00:00', 'INFO', 'started'))
    >>> read_log("2024-06-07 18:05 Anna: the van is confirmed\n").rows
    (('2024-06-07', '18:05', 'Anna', 'the van is confirmed'),)
    >>> read_log("2024-04-02 rent 850.00 workshop\n2024-04-03 parts 212.40 order 5512\n").columns
    ('date', 'kind', 'amount', 'text')
    """
    lines = [line for line in text.splitlines() if line.strip()]
    read = [match for line in lines if (match := _LOGGED.match(line)) is not None]
    if len(read) < _MOST_LOGGED * len(lines):
        return Table((), (), " ")
    every = [match.groupdict(default="") for match in read]
    if not all(re.fullmatch(r"[\d.,]+", row["amount"]) and number(row["amount"]) is not None for row in every):
        every = [row | {"amount": "", "text": f"{row['amount']}{row['text']}"} for row in every]
    columns = tuple(name for name in ("date", "time", "kind", "amount", "text") if any(row[name] for row in every))
    return Table(columns, tuple(tuple(row[name].strip() for name in columns) for row in every), " ")


def _of_json(data: object) -> Table:
    """Read a list of objects, or the longest of those in an object or the objects in it, as a table."""
    _, entries = _longest_list(data)
    columns = tuple(dict.fromkeys(str(name) for row in entries for name in row))
    return Table(columns, tuple(tuple(_cell(row.get(name)) for name in columns) for row in entries))


def _longest_list(data: object) -> tuple[str, list[dict[str, Any]]]:
    inner = {"": data} if isinstance(data, list) else data if isinstance(data, dict) else {}
    deeper = [_longest_list(one) for one in inner.values() if isinstance(one, dict)]
    lists = dict(one for one in deeper if one[1]) | {
        str(key): one
        for key, one in inner.items()
        if isinstance(one, list) and one and all(isinstance(row, dict) for row in one)
    }
    return max(lists.items(), key=lambda one: len(one[1]), default=("", []))


def rows_key(text: str) -> str:
    """Return the key of the list that a JSON file is read as a table by; empty where it is none, or the whole file.

    Examples
    --------
    >>> rows_key('{"year": 2025, "expenses": [{"item": "hall", "amount": 650}]}'), rows_key("[]")
    ('expenses', '')
    """
    try:
        return _longest_list(json.loads(text))[0]
    except ValueError:
        return ""


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
    if table.delimiter == " ":
        return " ".join(filter(None, row))
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
    >>> number("3 tins of 5"), number("2024-05-01"), number("soon"), number("A12"), number("IMG_12.jpg")
    (None, None, None, None, None)
    """
    stripped = text.strip()
    found = list(_NUMBER.finditer(stripped))
    if len(found) != 1:
        return None
    around = stripped[: found[0].start()], stripped[found[0].end() :]
    if (
        around[0][-1:].isalnum()
        or around[0][-1:] == "_"
        or sum(map(len, around)) > _MOST_UNIT
        or any(sign in "".join(around) for sign in "-/:")
    ):
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
    return [*_column(tuple(values))]


@lru_cache(maxsize=64)
def _column(values: tuple[str, ...]) -> tuple[Decimal | None, ...]:
    is_comma = has_decimal_comma(values)
    return tuple(number(value, is_comma=is_comma) for value in values)


@lru_cache(maxsize=4096)
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


_CLOCK = re.compile(r"([01]?\d|2[0-4])[:h]([0-5]\d)(?::[0-5]\d)?(?: ?(?:h|Uhr))?\Z", re.IGNORECASE)


def clock(text: str) -> int | None:
    """Read a time of the day as minutes since midnight.

    Examples
    --------
    >>> clock("9:15"), clock("18h30"), clock("12")
    (555, 1110, None)
    """
    found = _CLOCK.match(text.strip())
    return None if found is None else 60 * int(found[1]) + int(found[2])


def order(values: Sequence[str]) -> list[tuple[int, Decimal | int | str]]:
    """Return a key for each value to sort by: as numbers or dates where most of them are, else as words."""
    given = [value for value in values if value]
    read = numbers(values)
    if given and sum(one is not None for one in read) * 2 > len(given):
        return [(0, one) if one is not None else (1, 0) for one in read]
    days = [day(value) for value in values]
    if given and sum(one is not None for one in days) * 2 > len(given):
        return [(0, one.toordinal()) if one is not None else (1, 0) for one in days]
    times = [clock(value) for value in given]
    if given and None not in times:
        return [(0, clock(value) or 0) if value else (1, 0) for value in values]
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


# -- sums --------------------------------------------------------------------------------------------------------------

_WORDS = (
    (re.compile(r"\b(?:plus|added to|più|mais|más)\b"), "+"),
    (re.compile(r"\b(?:minus|menos|moins|meno|min)\b"), "-"),
    (
        re.compile(
            r"\b(?:divided by|over|geteilt durch|divisé par|(?:a )?divid\w+ (?:por|entre)|entre|diviso(?: per)?|gedeeld door|"
            r"(?:po)?dziel\w+ (?:przez|na))\b|[÷:]|除以"
        ),
        "/",
    ),
    (
        re.compile(
            r"\b(?:times|multiplied by|mal|fois|por|per|keer|razy|vezes|veces|volte)\b|[\u00d7·x](?=\s*[\d(])|乘以"
        ),
        "*",
    ),
    (re.compile(r"\bto the power of\b|\*\*"), "^"),
    (re.compile(r"\bsquared\b"), "^2"),
    (re.compile(r"\bpercent of\b|%\s*(?:of|von|de|di|do|da|van|z|の|的)(?=\s*\d)"), "/100*"),
    (re.compile(r"(?<=\d)(?:,(?=\d{3}\b)|\.(?=\d{3},\d))"), ""),
    (re.compile(r"(?<=\d),(?=\d)"), "."),
)
_FRAME = re.compile(
    r"^[\s\"'¿¡]*(?:(?:please|can you|could you|hey|so)\W+)*(?:(?:what(?:'s| is)|how much is|calculate|compute|was ist|wie viel ist|combien font|cuánto es|work out)\s+)?",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?|\.\d+|[-+*/^()])")
_ONLY = re.compile(r"[\d\s.+*/^()-]+\Z")
_LONGEST = 120
_MOST_POWER = 200
_DEEPEST = 30
_DIGITS = 28


def reckon(text: str, *, has_units: bool = False) -> str | None:
    """Work out a sum.

    Parameters
    ----------
    text : str
        A request that is nothing but a sum.
    has_units : bool
        Words that say what the numbers are of are left out.

    Returns
    -------
    str or None
        ``None`` when it is no sum, or one without a result.

    Examples
    --------
    >>> reckon("what is 12 * (3 + 4)?"), reckon("7 divided by 2"), reckon("2^10"), reckon("15% of 80")
    ('84', '3.5', '1024', '12')
    >>> reckon("what is love?"), reckon("1/0"), reckon("9^9^9"), reckon("2026"), reckon("2026-05-18")
    (None, None, None, None, None)
    >>> sum_of_words = "18 students times 180 francs plus 400"
    >>> reckon(sum_of_words, has_units=True), reckon(sum_of_words)
    ('3640', None)
    """
    body = _FRAME.sub("", text.strip()).casefold().rstrip(" ?=.!")
    for pattern, sign in _WORDS:
        body = pattern.sub(sign, body)
    if has_units:
        body = re.sub(r"[^\W\d_]+", " ", body).strip(" ,;")
    if len(body) > _LONGEST or day(body) is not None or not _ONLY.match(body) or not re.search(r"\d\s*[-+*/^]", body):
        return None
    try:
        with localcontext() as context:
            context.prec = _DIGITS
            value = _Reader(_tokens(body)).whole()
    except (ValueError, InvalidOperation, DivisionByZero, Overflow):
        return None
    if not value.is_finite() or (value and not -_DIGITS < value.adjusted() < _DIGITS):
        return None
    return f"{value.normalize():f}"


def in_figures(text: str, answer: str = "") -> str:
    """Write a sum that is said in words with figures.

    Examples
    --------
    >>> in_figures("fifteen per cent of 64"), in_figures("a quarter of that", "1680")
    ('15 % of 64', '0.25 * 1680')
    """
    found = text.casefold()
    for kind, figure in (("percent", None), ("factor", " * ")):
        for words, value in sorted(table_of(kind).items(), key=lambda pair: -len(pair[0])):
            found = re.sub(rf"(?<!\w){re.escape(words)}(?!\w)", value if figure is None else value + " *", found)
    places = table_of("place")
    parts = [
        places.get(word, word) if word.isalpha() and word in places and word not in ARTICLES else word
        for word in found.split()
    ]
    if answer and number(answer) is not None:
        parts = [str(number(answer)) if is_pointer(part, "answer") else part for part in parts]
    return " ".join(parts)


def _tokens(body: str) -> list[str]:
    found, at = [], 0
    body = body.strip()
    while at < len(body):
        match = _TOKEN.match(body, at)
        if match is None:
            raise ValueError(body)
        found.append(match[1])
        at = match.end()
    return found


class _Reader:
    """Reads a sum from its tokens, by recursive descent."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = [*tokens, ""]
        self._at = 0
        self._depth = 0

    def whole(self) -> Decimal:
        value = self._sum()
        if self._next():
            raise ValueError(self._next())
        return value

    def _next(self) -> str:
        return self._tokens[self._at]

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _sum(self) -> Decimal:
        value = self._product()
        while self._next() in {"+", "-"}:
            value = value + self._product() if self._take() == "+" else value - self._product()
        return value

    def _product(self) -> Decimal:
        value = self._power()
        while self._next() in {"*", "/"}:
            value = value * self._power() if self._take() == "*" else value / self._power()
        return value

    def _power(self) -> Decimal:
        value = self._atom()
        if self._next() != "^":
            return value
        self._take()
        power = self._power()
        if abs(power) > _MOST_POWER:
            raise ValueError("too large a power")
        return value**power

    def _atom(self) -> Decimal:
        self._depth += 1
        if self._depth > _DEEPEST * 4:
            raise ValueError("too deep")
        taken = self._take()
        if taken == "-":
            return -self._power()
        if taken == "(":
            value = self._sum()
            if self._take() != ")":
                raise ValueError("a bracket is open")
            return value
        return Decimal(taken)


# -- operations --------------------------------------------------------------------------------------------------------

Value = int | str | list[str]
"""A number, a text, or lines."""


class Entry(NamedTuple):
    """A file or folder, as a listing tells it."""

    name: str
    """Path from the workspace; without a slash at its end."""
    is_folder: bool = False
    bytes: int = 0
    changed: str = ""
    """Time of its last change, to be sorted by; empty where nobody asked."""


class NoSuch(LookupError):  # noqa: N818 - it is what happened
    """There is no such column, value, key, function, line or text."""

    def __init__(self, kind: str, wanted: str, options: Sequence[str] = ()) -> None:
        super().__init__(f"no {kind} {wanted!r}")
        self.kind = kind
        self.wanted = wanted
        self.options = tuple(options)


class Unsure(LookupError):  # noqa: N818 - the same
    """Several columns, keys or functions fit equally well."""

    def __init__(self, kind: str, wanted: str, options: Sequence[str]) -> None:
        super().__init__(f"{kind} {wanted!r}: {', '.join(options)}")
        self.kind = kind
        self.wanted = wanted
        self.options = tuple(options)


class Operation(NamedTuple):
    """One way to work on what tools gave."""

    parameters: tuple[str, ...]
    """Words it takes after the text, in order; those that may be left out end in ``?``."""
    function: Callable[..., Value]
    on: str
    """``text``, ``table``, ``json``, ``code``, ``entries``, ``two`` texts."""


_MOST_VALUES = 400
"""Different values of a column that are looked through for one that a request names."""
_TELLING = 4
"""Letters from which a word of a value stands for all of it."""


def settle(kind: str, wanted: str, options: Sequence[str]) -> str:
    """Return the option that is meant.

    Raises
    ------
    operations.NoSuch, operations.Unsure
        None fits, or several do.
    """
    found = pick(wanted, options)
    if found.rivals:
        raise Unsure(kind, wanted, found.rivals)
    if not found.name:
        raise NoSuch(kind, wanted, options)
    return found.name


def lines(text: str) -> list[str]:
    r"""Split a text as editors count its lines, without their ends.

    Examples
    --------
    >>> lines("a\r\nb\n"), lines("")
    (['a', 'b'], [])
    """
    return [line.rstrip("\r\n") for line in lines_of(text)]


def holds(line: str, wanted: str) -> bool:
    """Tell whether a line contains a text: capitals and accents do not matter unless they are asked for.

    Examples
    --------
    >>> holds("Café au lait", "cafe"), holds("error: disk", "ERROR"), holds("a.b", "a?b")
    (True, True, False)
    """
    return wanted.casefold() in line.casefold() or unaccented(wanted) in unaccented(line)


# -- text --------------------------------------------------------------------------------------------------------------

BOX = re.compile(r"^(\s*(?:(?:[-*+•]|\d+[.)])\s+)?\[)([ xX✓✔])(\]\s+)(\S.*)$", re.MULTILINE)
"""A line of a list of boxes: what stands before its mark, the mark, and what it is about."""
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def count_words(text: str) -> int:
    """Count words; where none are parted by blanks, the signs of Chinese and Japanese."""
    return sum(len(_WIDE.findall(word)) or 1 for word in text.split())


def count_matches(text: str, wanted: str) -> int:
    """Count how often a text occurs: as a whole word where it is one, else anywhere."""
    if not wanted:
        return 0
    folded, sought = text.casefold(), wanted.casefold()
    whole = len(re.findall(rf"(?<!\w){re.escape(sought)}(?!\w)", folded))
    return whole if whole and not _WIDE.search(wanted) else folded.count(sought)


def first(text: str, n: int = 1) -> list[str]:
    """Return the first lines."""
    return lines(text)[: max(n, 0)]


def last(text: str, n: int = 1) -> list[str]:
    """Return the last lines."""
    return lines(text)[-n:] if n > 0 else []


def one_line(text: str, line: int) -> list[str]:
    """Return a line by its number; from the end when that is negative."""
    found = lines(text)
    if not (1 <= line <= len(found) or -len(found) <= line <= -1):
        raise NoSuch("line", str(line), [str(len(found))])
    return [found[line - 1 if line > 0 else line]]


def line_range(text: str, start: int, until: int) -> list[str]:
    """Return the lines between two numbers, both included."""
    found = lines(text)
    start, until = min(start, until), max(start, until)
    if not 1 <= start <= len(found):
        raise NoSuch("line", str(start), [str(len(found))])
    return found[start - 1 : until]


def longest(text: str) -> list[str]:
    """Return the longest line."""
    return [max(lines(text), key=len)] if text else []


def shortest(text: str) -> list[str]:
    """Return the shortest line that is not blank."""
    filled = [line for line in lines(text) if line.strip()]
    return [min(filled, key=len)] if filled else []


def sort_lines(text: str) -> list[str]:
    """Sort lines, capitals and accents aside."""
    return sorted((line for line in lines(text) if line.strip()), key=lambda line: (plain(line), line))


def unique(text: str) -> list[str]:
    """Drop lines that were there before."""
    return list(dict.fromkeys(lines(text)))


def repeated(text: str) -> list[str]:
    r"""Return the lines that stand there more than once, each once.

    Examples
    --------
    >>> repeated("Ben\nAnn\nBen"), repeated("Ben\n\n\nAnn")
    (['Ben'], [])
    """
    counts = Counter(lines(text))
    return [line for line, count in counts.items() if count > 1 and line.strip()]


def with_text(text: str, wanted: str) -> list[str]:
    """Return the lines that contain something."""
    return [line for line in lines(text) if holds(line, wanted)]


def without_text(text: str, wanted: str) -> list[str]:
    """Return the lines that do not contain something."""
    return [line for line in lines(text) if not holds(line, wanted)]


def gist(text: str) -> list[str]:
    """Return what tells most of a text: its headings, else its first lines."""
    filled = [line.strip() for line in lines(text) if line.strip()]
    headings = [line for line in filled if re.match(r"#{1,6} |={3,}|\[[^\]]+\]$", line)]
    start = next((line for line in filled if line not in headings), "")
    return [*headings[:5], *([start] if headings and start else [] if headings else filled[:3])]


# -- tables ------------------------------------------------------------------------------------------------------------


def column_values(text: str, column: str) -> tuple[str, list[str]]:
    """Return the exact name of a column, and its values."""
    table = read_table(text)
    name = settle("column", column, table.columns)
    return name, table.values(name)


def column_sum(text: str, column: str) -> str:
    """Add up a column."""
    found, is_comma = _numbers(text, column)
    return written(sum(found, Decimal(0)), is_comma=is_comma)


def column_mean(text: str, column: str) -> str:
    """Return the mean of a column, to four places."""
    found, is_comma = _numbers(text, column)
    return written(round(sum(found, Decimal(0)) / len(found), 4), is_comma=is_comma)


def column_min(text: str, column: str) -> list[str]:
    """Return the smallest value of a column, then its row."""
    return _extreme(text, column, -1)


def column_max(text: str, column: str) -> list[str]:
    """Return the largest value of a column, then its row."""
    return _extreme(text, column, 1)


def distinct(text: str, column: str) -> list[str]:
    """Return the different values of a column, in the order they come."""
    return [value for value in dict.fromkeys(column_values(text, column)[1]) if value]


def rows_where(text: str, value: str, column: str = "") -> list[str]:
    """Return the rows in which a column, or any, has a value: first the heading."""
    table = read_table(text)
    return _shown(table, _matching(table, value, column))


def rows_count(text: str, value: str, column: str = "") -> int:
    """Count the rows in which a column, or any, has a value."""
    table = read_table(text)
    return len(_matching(table, value, column))


def rows_over(text: str, column: str, limit: str) -> list[str]:
    """Return the rows in which a column is more than a number, or later than a date."""
    return _compared(text, column, limit, 1)


def rows_under(text: str, column: str, limit: str) -> list[str]:
    """Return the rows in which a column is less than a number, or earlier than a date."""
    return _compared(text, column, limit, -1)


def rows_sorted(text: str, column: str) -> list[str]:
    """Return the table sorted by a column."""
    table = read_table(text)
    values = table.values(settle("column", column, table.columns))
    keys = order(values)
    return _shown(table, [row for _, row in sorted(zip(keys, table.rows, strict=True), key=lambda pair: pair[0])])


def cell(text: str, value: str, column: str) -> list[str]:
    """Return what a column holds in the rows that have a value."""
    table = read_table(text)
    place = table.columns.index(settle("column", column, table.columns))
    return [row[place] for row in _matching(table, value, "")]


def count_rows(text: str) -> int:
    """Count the rows of a table, the entries of a JSON list, or the points of a list."""
    try:
        data = json.loads(text)
    except ValueError:
        pass
    else:
        inner = [value for value in data.values() if isinstance(value, list)] if isinstance(data, dict) else []
        return len(data if isinstance(data, list) else max(inner, key=len, default=data)) if data else 0
    table = read_table(text)
    if len(table.columns) > 1:
        return len(table.rows) + (not _has_heading(table))
    points = [line for line in lines(text) if re.match(r"\s*(?:[-*+•]|\d+[.)])\s", line)]
    return len(points or [line for line in lines(text) if line.strip()])


def _has_heading(table: Table) -> bool:
    r"""Tell whether the first line of a table names its columns, and is no row: no number in it is like those below it.

    Examples
    --------
    >>> _has_heading(read_table("Emma,1815\nDracula,1897\nUlysses,1922\n")), _has_heading(read_table("who,2023\nAnn,4\n"))
    (False, True)
    """
    for place, name in enumerate(table.columns):
        first, below = number(name), [number(row[place]) for row in table.rows]
        held = [one for one in below if one is not None]
        if first is not None and held and len(held) == len(below) and min(held) / 2 <= first <= max(held) * 2:
            return False
    return True


def narrowed(text: str, said: str, leave: Sequence[str] = ()) -> tuple[str, list[str], list[str]]:
    r"""Keep the rows of a table that words of a request name, beside the columns it is about.

    Parameters
    ----------
    text : str
        A table.
    said : str
        The words of the request that are nothing else.
    leave : sequence of str
        Columns whose values are not looked at.

    Returns
    -------
    str
        The table with those rows.
    list of str
        The values that were named; none when the table is as it was.
    list of str
        Their columns.

    Examples
    --------
    >>> narrowed("who,hours\nEdith Palmer,4\nAnna,5\nEdith Palmer,3\n", "how many hours does edith have", ["hours"])
    ('who,hours\nEdith Palmer,4\nEdith Palmer,3', ['Edith Palmer'], ['who'])
    >>> rooms = "room,seats\nA,1200\nLab,1300\n"
    >>> [narrowed(rooms, said)[1] for said in ("a row of room a", "seats of the lab", "who has 1200")]
    [[], ['Lab'], []]
    """
    table = read_table(text)
    rows = list(table.rows)
    named: list[str] = []
    columns: list[str] = []
    heard = f" {plain(said)} "
    for place, column in enumerate(table.columns):
        if column in leave or len(rows) < 2:  # noqa: PLR2004 - nothing to choose from
            continue
        values = [value for value in dict.fromkeys(row[place] for row in rows) if value]
        if wanted := _named_values(values, heard, said):
            kept = [row for row in rows if row[place] in wanted]
            if kept and len(kept) < len(rows):
                rows, named = kept, [*named, *wanted]
                columns.append(column)
    return "\n".join(_shown(table, rows)) if named else text, named, columns


def _named_values(values: Sequence[str], heard: str, said: str) -> list[str]:
    """Return the values that stand in a text: whole, else by a word that only one of them has."""
    whole = [value for value in values if _is_told(value, heard, said)]
    if whole or len(values) > _MOST_VALUES:
        return whole
    words: dict[str, set[str]] = {}
    for value in values:
        for word in plain(value).split():
            if len(word) >= _TELLING and not word.isdigit():
                words.setdefault(word, set()).add(value)
    return sorted({next(iter(owners)) for word, owners in words.items() if len(owners) == 1 and f" {word} " in heard})


def _is_told(value: str, heard: str, said: str) -> bool:
    folded = plain(value)
    if not value.isascii() and len(value) > 1 and value in said:
        return True
    is_word = len(folded) >= _TELLING - 1 and not folded.replace(" ", "").isdigit()
    return (is_word or day(value) is not None) and f" {folded} " in heard


def _numbers(text: str, column: str) -> tuple[list[Decimal], bool]:
    name, values = column_values(text, column)
    found = [one for one in numbers(values) if one is not None]
    if not found:
        raise NoSuch("number", name)
    return found, has_decimal_comma(values)


def _extreme(text: str, column: str, sign: int) -> list[str]:
    table = read_table(text)
    values = table.values(settle("column", column, table.columns))
    keyed = [
        (key[1], at) for at, (key, value) in enumerate(zip(order(values), values, strict=True)) if value and not key[0]
    ]
    if not keyed:
        raise NoSuch("value", column)
    best: Any = (max if sign > 0 else min)(key for key, _ in keyed)
    return [
        values[next(at for key, at in keyed if key == best)],
        *(", ".join(table.rows[at]) for key, at in keyed if key == best),
    ]


def _matching(table: Table, value: str, column: str) -> list[tuple[str, ...]]:
    places = range(len(table.columns))
    if column:
        place = table.columns.index(settle("column", column, table.columns))
        places = range(place, place + 1)
    cells = list(dict.fromkeys(row[at] for row in table.rows for at in places if row[at]))
    sought = number(value)
    same = {one for one in cells if plain(one) == plain(value) or (sought is not None and number(one) == sought)}
    if not same:
        same = {one for one in cells if plain(value) and f" {plain(value)} " in f" {plain(one)} "}
    if not same and (found := pick(value, cells)).name:
        same = {found.name}
    same = same or {one for one in cells if holds(one, value)}
    rows = [row for row in table.rows if any(row[at] in same for at in places)]
    if not rows:
        raise NoSuch("value", value, cells if column else ())
    return rows


def _compared(text: str, column: str, limit: str, sign: int) -> list[str]:
    table = read_table(text)
    values = table.values(settle("column", column, table.columns))
    if number(limit) is None and day(limit) is None and (said := rank(limit)) is not None:
        limit = str(said)
    *keys, bound = order([*values, limit])
    if bound[0] or isinstance(bound[1], str):
        raise NoSuch("number", limit)
    rows = []
    for row, key in zip(table.rows, keys, strict=True):
        if key[0] or isinstance(key[1], str):
            continue
        if key[1] > bound[1] if sign > 0 else key[1] < bound[1]:
            rows.append(row)
    return _shown(table, rows)


def _shown(table: Table, rows: Sequence[tuple[str, ...]]) -> list[str]:
    return [write_row(table, table.columns), *(write_row(table, row) for row in rows)]


# -- JSON --------------------------------------------------------------------------------------------------------------

_YES = frozenset("true yes on 1 ja wahr oui vrai sí si sim vero tak はい 是".split())
_NO = frozenset("false no off 0 nein falsch non faux não falso nie nee いいえ 否".split())
_SETTING = re.compile(r"^[ \t]*[\"']?([A-Za-z_][\w.-]*)[\"']?[ \t]*[:=][ \t]*(\S.*)$", re.MULTILINE)
"""A line of a file of settings: ``port = 8080``, ``port: 8080``."""


def json_path(text: str, key: str) -> str:
    """Return the path that a key means: written out, or its last names."""
    try:
        spans = keyed(text).spans
    except (ValueError, RecursionError) as error:
        raise NoSuch("json", key) from error
    if key in spans:
        return key
    wanted = plain(key)
    ends = [path for path in spans if f" {plain(path)}".endswith(f" {wanted}")]
    ends = [path for path in ends if path.count(".") == min(one.count(".") for one in ends)]
    if len(ends) == 1:
        return ends[0]
    if ends:
        raise Unsure("key", key, ends)
    return settle("key", key, [path for path in spans if not re.search(r"\.\d+\b", path)] or list(spans))


def json_get(text: str, key: str) -> str | list[str]:
    r"""Return a value; a list of plain values as lines.

    Examples
    --------
    >>> json_get('{"port": 80}', "port"), json_get("[web]\nport = 8080", "port")
    ('80', '8080')
    """
    try:
        found = keyed(text)
    except (ValueError, RecursionError):
        if not (settings := dict(_SETTING.findall(text))):
            raise NoSuch("json", key) from None
        written: str = settings[settle("key", key, list(settings))]
        return written.strip(" \t,").strip("\"'")
    path = json_path(text, key)
    value = found.values[path]
    if isinstance(value, list) and value and not any(isinstance(one, dict | list) for one in value):
        return [_json_word(one) for one in value]
    start, end = found.spans[path]
    return value if isinstance(value, str) else _json_word(value) if isinstance(value, dict | list) else text[start:end]


def json_keys(text: str) -> list[str]:
    """Return the names of the outermost values; of the entries where it is a list of them."""
    try:
        data = keyed(text).data
    except ValueError as error:
        raise NoSuch("json", "") from error
    if isinstance(data, list):
        return list(dict.fromkeys(key for one in data if isinstance(one, dict) for key in one))
    return list(data) if isinstance(data, dict) else []


def json_set(text: str, key: str, new: str) -> str:
    r"""Put another value in the place of one; everything else stays as it is written.

    Examples
    --------
    >>> json_set('{"a": 1}', "a", "2"), json_set("a: 1 # one\nb: on\n", "a", "2"), json_set("at: '9:00'", "at", "10:00")
    ('{"a": 2}', 'a: 2 # one\nb: on\n', "at: '10:00'")
    """
    path = json_path(text, key)
    found = keyed(text)
    start, end = found.spans[path]
    value = json_value(new, found.values[path])
    if not found.is_json and value.startswith('"'):
        value = in_yaml(json.loads(value), text[start:end])
    return text[:start] + value + text[end:]


def json_value(new: str, old: Any) -> str:
    """Write a new value of the kind the old one is.

    Examples
    --------
    >>> json_value("8080", 80), json_value("8080", "80"), json_value("no", True), json_value("x", None), json_value("2,5", 1)
    ('8080', '"8080"', 'false', '"x"', '2.5')
    """
    word = new.strip()
    if isinstance(old, bool) and (yes := truth(word)) is not None:
        return "true" if yes else "false"
    if isinstance(old, int | float) and not isinstance(old, bool):
        value, place = number(word), rank(word)
        if value is not None:
            return written(value)
        if place is not None:
            return str(place)
    if not isinstance(old, str):
        try:
            return json.dumps(json.loads(word), ensure_ascii=False)
        except ValueError:
            pass
    return json.dumps(new, ensure_ascii=False)


def truth(word: str) -> bool | None:
    """Read a yes or no; ``None`` for anything else."""
    if word.casefold() in _YES:
        return True
    if word.casefold() in _NO:
        return False
    return None


def _json_word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# -- one value, by what stands beside it -------------------------------------------------------------------------------

_UNSPACED = "[\u3040-\u30ff\u3400-\u9fff]"
_SEAM = re.compile(rf"(?<={_UNSPACED})(?=[\w-])(?!{_UNSPACED})|(?<=\w)(?<!{_UNSPACED})(?={_UNSPACED})")
"""Between words of languages without blanks and others: "Brownieを3.30に"."""
_SAID = re.compile(r"[-+]?\d+(?:[.,]\d+)?(?![\w])|[^\W_]+")
_NAME = 3
"""Letters of a short name that has to be said as it is: "Tom"."""
_FILE_END = re.compile(r"\.[A-Za-z]\w{1,3}\Z")
_LONGEST_VALUE = 6
"""Words of the longest value that is looked for."""


class Cell(NamedTuple):
    """One value of a table, or of an object in JSON, and what it is to be."""

    entry: str
    """Number of its row, from 0 on; or the path of its object."""
    column: str
    old: str
    new: str
    is_clear: bool = True
    """Whether every word of the request that says something is in the row, names the column or is the new value."""


class _Said:
    """Words of a request, to be found in a table."""

    def __init__(self, text: str, language: str = "") -> None:
        apart = _SEAM.sub(" ", text)
        self.words = [piece for match in _SAID.finditer(apart) for piece in word_pieces(match[0])]
        self.plain = [plain(word) for word in self.words]
        self.forms = [
            forms_of(word) | in_english(word, language) if len(word) > 1 else frozenset((word,)) for word in self.plain
        ]
        self.telling = {at for at, word in enumerate(self.words) if at and says_something(word)}

    def whole(self, value: str) -> list[int]:
        """Return the places of the words that are a value; none where it is not said."""
        sought = plain(value)
        for size in range(min(_LONGEST_VALUE, len(self.plain)), 0, -1):
            for at in range(len(self.plain) - size, -1, -1):
                if sought and " ".join(self.plain[at : at + size]) == sought:
                    return list(range(at, at + size))
        amount = number(value)
        return [at for at, word in enumerate(self.words) if amount is not None and number(word) == amount][-1:]

    def near(self, value: str) -> list[int]:
        """Return the places of the words that are a value, or one of its words in any language."""
        if whole := self.whole(value) or self.whole(_FILE_END.sub("", value)):
            return whole
        long = [
            word
            for word in plain(value).split()
            if len(word) >= _TELLING or (len(word) == _NAME and not {word, f"{word}s"}.isdisjoint(self.plain))
        ]
        stems = set(map(stem, long))
        return [at for at, forms in enumerate(self.forms) if stems & forms and not self.plain[at].isdigit()]

    def names(self, column: str) -> list[int]:
        """Return the places of the words that name a column."""
        parts = [stem(part) for part in plain(column).split() if len(part) > 1]
        return [at for at, forms in enumerate(self.forms) if forms & set(parts)]


def cells_meant(text: str, said: str, new: str = "", *, is_done: bool | None = None, language: str = "") -> list[Cell]:
    r"""Find the value that a request wants to be another, by the words that stand beside it.

    Parameters
    ----------
    text : str
        A table, or JSON.
    said : str
        The request.
    new : str
        The new value, where it is known; else it is what stands behind the name of a column, or a value of it.
    is_done : bool, optional
        Whether something is to be marked as done, or as open.
    language : str, optional
        Of the request: what its words mean in English counts as well.

    Returns
    -------
    list of Cell
        Several where the words fit several rows equally well.

    Examples
    --------
    >>> rooms = "name,room\nNina Steiner,C\nMia Roth,D\n"
    >>> cells_meant(rooms, "put Nina Steiner in room D")
    [Cell(entry='0', column='room', old='C', new='D', is_clear=True)]
    >>> cells_meant('{"items": [{"name": "cup", "count": 3}]}', "set the count of the cups to 12", "12")[0].entry
    'items.0'
    >>> cells_meant('{"weeks_max": 4, "days_max": 9}', "höchstens 6 Wochen", "6", language="de")[0].column
    'weeks_max'
    >>> cells_meant("item,price,sold\nbun,3.20,27\ntea,2.90,8\n", "put the bun at 3,30", "3,30")[0][1:4]
    ('price', '3.20', '3.30')
    """
    entries = _entries_of(text)
    columns = list(dict.fromkeys(name for _, values in entries for name in values))
    asked = _Said(said, language)
    found: list[tuple[int, Cell]] = []
    for column in columns:
        held = list(dict.fromkeys(values[column] for _, values in entries if column in values))
        named = asked.names(column)
        value, at = _new_value(asked, held, named, new, is_done)
        is_named = bool(named) or _is_clock_of(new, held) or is_form_of(new, held)
        is_key = column == columns[0] and len(held) == len(entries) and value in held and not new
        if not value or (new and not is_named and value not in held) or (is_key and not named):
            continue  # what tells rows apart is not set to what another row has
        rest = set(range(len(asked.words))) - set(at) - set(named)
        for place, values in entries:
            if column not in values or values[column] == value:
                continue
            hits = {hit for name, one in values.items() if name != column for hit in asked.near(one)} & rest
            hits |= set(asked.whole(values[column])) & rest
            if hits or (named and sum(column in other for _, other in entries) == 1):
                path = {hit for part in place.split(".") for hit in asked.names(part)}
                unit = [last + 1 for last in at[-1:] if number(value) is not None]  # "2 pounds"
                is_alone = not place.rpartition(".")[2].isdigit()  # a key that stands once is told by each of its words
                by_name = len({*named, *path}) if is_alone else bool(named)
                is_clear = asked.telling <= {*hits, *at, *named, *path, *unit} or by_name > 1
                score = len(hits) + by_name
                found.append((score, Cell(place, column, values[column], value, is_clear)))
    most = max((score for score, _ in found), default=0)
    return [cell for score, cell in found if score == most]


def _entries_of(text: str) -> list[tuple[str, dict[str, str]]]:
    """Return the rows of a table, or the objects of JSON, by number or path."""
    if text.lstrip()[:1] not in {"[", "{"}:
        table = read_table(text)
        return [(str(at), dict(zip(table.columns, row, strict=True))) for at, row in enumerate(table.rows)]
    try:
        inside = keyed(text)
    except (ValueError, RecursionError):
        return []
    found: dict[str, dict[str, str]] = {}
    for path in inside.spans:
        parent, _, name = path.rpartition(".")
        value = inside.values[path]
        if not isinstance(value, dict | list) and not name.isdigit():
            found.setdefault(parent, {})[name] = _cell(value)
    return list(found.items())


def _is_clock_of(new: str, held: Sequence[str]) -> bool:
    """Tell whether a value is a time of the day, and a column holds nothing else."""
    given = [value for value in held if value]
    return clock(new) is not None and bool(given) and all(clock(value) is not None for value in given)


def is_form_of(new: str, held: Sequence[str]) -> bool:
    """Tell whether a number has decimals, and a column holds nothing but numbers with as many: 3.30 among prices.

    Examples
    --------
    >>> is_form_of("3.30", ["2.20", "4.50"]), is_form_of("3,30", ["2.20"]), is_form_of("3.30", ["27", "12"]), is_form_of("3", ["2"])
    (True, True, False, False)
    """
    behind = _DECIMALS.fullmatch(new)
    every = [_DECIMALS.fullmatch(value) for value in held if value]
    return (
        behind is not None and bool(every) and all(one is not None and len(one[1]) == len(behind[1]) for one in every)
    )


_DECIMALS = re.compile(r"-?\d+[.,](\d+)")
_BARE = re.compile(r"-?\d[\d.,]*")
"""A number without a unit."""


def _new_value(
    asked: _Said, held: Sequence[str], named: Sequence[int], new: str, is_done: bool | None
) -> tuple[str, list[int]]:
    """Return the value that a column is to have, and where it is said; empty where none is."""
    truths = {value: truth(value) for value in held}
    if is_done is not None:
        if not named or None in truths.values():
            return "", []
        return next((value for value, yes in truths.items() if yes is is_done), "yes" if is_done else "no"), []
    is_number = all(number(value) is not None for value in held if value)
    if _is_clock_of(new, held):
        is_short = any(value[1:2] in {":", "h"} for value in held)
        return (new.removeprefix("0") if is_short else f"{new:0>5}"), asked.whole(new)
    if new:
        is_bare = is_number and number(new) is not None and all(_BARE.fullmatch(value) for value in held if value)
        written_as = _BARE.search(new) if is_bare else None  # "45 euros" among 30, 50
        put = new if written_as is None else written_as[0]
        put = put.replace(",", ".") if _DECIMALS.fullmatch(put) and not any("," in value for value in held) else put
        return (put, asked.whole(new)) if not is_number or number(new) is not None else ("", [])
    behind = [at + 1 for at in named if at + 1 < len(asked.words)]
    values = [value for value in held if asked.whole(value)]
    for value in values:
        places = asked.whole(value)
        between = range(max(named, default=0) + 1, places[0])
        is_behind = places[0] in behind or (
            bool(between) and asked.telling.isdisjoint(between)
        )  # "set paid to no for Ann"
        if not named or is_behind or (places[-1] == len(asked.words) - 1 and places[0] > max(named)):
            return value, places
    last = behind[-1] if behind else -1
    if last >= 0 and (number(asked.words[last]) is not None if is_number else asked.words[last].isupper()):
        return asked.words[last], [last]
    said = [at for at, word in enumerate(asked.words) if is_number and named and number(word) is not None]
    return (asked.words[said[0]], said) if len(said) == 1 else ("", [])  # "Ann got 54 in maths"


# -- programs ----------------------------------------------------------------------------------------------------------

_DEFINES = re.compile(
    r"^\s*(?:export\s+|pub\s+|static\s+)*(?:async\s+)?(?:def|class|function|fn|func|sub)\s+(\w+)|^\s*(\w+)\s*\(\)\s*\{|^\s*(\w+)\s*<-\s*function",
    re.MULTILINE,
)


def code_list(text: str) -> list[str]:
    """Return the names of functions and classes, methods after a dot."""
    return list(_definitions(text))


_PLACE = re.compile(r"-?\d{1,3}")


def code_show(text: str, name: str) -> list[str]:
    r"""Return the lines of a function or class, which may be told by its place: ``-1`` is the last.

    Examples
    --------
    >>> code_show("def a(): ...\ndef b(): ...", "a"), code_show("def a(): ...\ndef b(): ...", "-1")
    (['def a(): ...'], ['def b(): ...'])
    """
    found = _definitions(text)
    if _PLACE.fullmatch(name) and 0 < abs(place := int(name)) <= len(found):
        name = list(found)[place - (place > 0)]
    last_names = {one: one.rpartition(".")[2] for one in found}
    wanted = name.removesuffix("()").strip()
    exact = [one for one, last_name in last_names.items() if wanted in {one, last_name}]
    start, end = found[exact[0] if exact else settle("function", wanted, list(found))]
    return lines(text)[start - 1 : end]


def _definitions(text: str) -> dict[str, tuple[int, int]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return _defined_by_looks(text)
    found: dict[str, tuple[int, int]] = {}

    def walk(node: ast.AST, inside: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                start = min([child.lineno, *(one.lineno for one in child.decorator_list)])
                found.setdefault(f"{inside}{child.name}", (start, child.end_lineno or child.lineno))
                walk(child, f"{inside}{child.name}." if isinstance(child, ast.ClassDef) else inside)

    walk(tree, "")
    return found


def _defined_by_looks(text: str) -> dict[str, tuple[int, int]]:
    """Find definitions of a language that is not parsed: each goes on while lines are indented, or to its bracket."""
    rows = lines(text)
    found: dict[str, tuple[int, int]] = {}
    for at, row in enumerate(rows):
        if (match := _DEFINES.match(row)) is None:
            continue
        end = at + 1
        while end < len(rows) and (rows[end].startswith((" ", "\t")) or not rows[end].strip()):
            end += 1
        end += end < len(rows) and rows[end].startswith(("}", "end"))
        found.setdefault(match[1] or match[2] or match[3], (at + 1, end))
    return found


# -- two files, listings -----------------------------------------------------------------------------------------------


def compare(text: str, other: str) -> list[str]:
    """Return the lines that differ: ``-`` only in the first, ``+`` only in the second."""
    found = unified_diff(lines(text), lines(other), n=0, lineterm="")
    return [line for line in list(found)[2:] if not line.startswith("@@")]


def files_of(entries: Sequence[Entry], ends: str | tuple[str, ...] = "") -> list[Entry]:
    """Return the files, those with some endings alone."""
    return [one for one in entries if not one.is_folder and one.name.casefold().endswith(ends)]


def of_name(entries: Sequence[Entry], wanted: str) -> list[Entry]:
    """Return what has something in its name."""
    if "*" in wanted or "?" in wanted:
        return [one for one in entries if fnmatchcase(one.name.rpartition("/")[2].casefold(), wanted.casefold())]
    return [one for one in entries if holds(one.name, wanted)]


def largest(entries: Sequence[Entry], n: int = 1) -> list[Entry]:
    """Return the largest files."""
    return sorted(files_of(entries), key=lambda one: -one.bytes)[:n]


def smallest(entries: Sequence[Entry], n: int = 1) -> list[Entry]:
    """Return the smallest files."""
    return sorted(files_of(entries), key=lambda one: one.bytes)[:n]


_ROWS: Mapping[str, Mapping[str, tuple[Callable[..., Any], str]]] = {
    "text": {
        "count.lines": (lambda text: len(lines(text)), ""),
        "count.words": (count_words, ""),
        "count.chars": (len, ""),
        "count.matches": (count_matches, "find"),
        "count.rows": (count_rows, ""),
        "read.first": (first, "n?"),
        "read.last": (last, "n?"),
        "read.line": (one_line, "line"),
        "read.lines": (line_range, "from until"),
        "read.longest": (longest, ""),
        "read.shortest": (shortest, ""),
        "read.sorted": (sort_lines, ""),
        "read.unique": (unique, ""),
        "read.repeated": (repeated, ""),
        "read.without": (without_text, "find"),
        "read.reversed": (lambda text: lines(text)[::-1], ""),
        "read.upper": (lambda text: lines(text.upper()), ""),
        "read.lower": (lambda text: lines(text.lower()), ""),
        "search": (with_text, "find"),
        "summary": (gist, ""),
    },
    "table": {
        "columns": (lambda text: list(read_table(text).columns), ""),
        "column.sum": (column_sum, "column"),
        "column.mean": (column_mean, "column"),
        "column.min": (column_min, "column"),
        "column.max": (column_max, "column"),
        "column.distinct": (distinct, "column"),
        "rows.where": (rows_where, "value column?"),
        "rows.over": (rows_over, "column n"),
        "rows.under": (rows_under, "column n"),
        "rows.count": (rows_count, "value column?"),
        "rows.sorted": (rows_sorted, "column"),
        "cell": (cell, "value column"),
    },
    "json": {"json.get": (json_get, "key"), "json.keys": (json_keys, ""), "json.set": (json_set, "key new")},
    "code": {"code.show": (code_show, "name"), "code.list": (code_list, "")},
    "two": {"compare": (compare, "")},
    "entries": {"list.names": (of_name, "find"), "list.largest": (largest, "n?"), "list.smallest": (smallest, "n?")},
}
OPERATIONS = {
    name: Operation(tuple(parameters.split()), function, on)
    for on, rows in _ROWS.items()
    for name, (function, parameters) in rows.items()
}
"""Name to operation. Most are called like the act they carry out; adding one is adding a row."""
