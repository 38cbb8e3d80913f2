"""Questions about a table, read against the table itself: which rows are meant, and what is wanted of them.

    who paid for electricity in October? ── rows: item is electricity, date in 10 ── wanted: paid_by

Words that stand in the table, or mean the same in another language, say which rows and columns are meant; what the rest
asks for (how many, the most, altogether) are concepts of the lexicon. How much of a question is explained that way tells
whether it is one about this table at all.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from datetime import date
from decimal import Decimal
from functools import cache, lru_cache, wraps
from itertools import pairwise
from typing import NamedTuple, TypeVar

from lango_nb.models.offline.lexicon import UNSPACED, Lexicon, Word, is_small_in, lexicon, lexicon_of, words
from lango_nb.models.offline.names import (
    EAST,
    asks,
    in_english,
    is_small,
    plain,
    points_back,
    related_words,
    stem,
    table_of,
)
from lango_nb.models.offline.operations import Table, clock, day, number, numbers, order, written
from lango_nb.models.offline.plan import read_rows
from lango_nb.routing import abroad
from lango_nb.routing.features import fold
from lango_nb.routing.words import stems

TABLES = (".csv", ".tsv", ".json", ".log")
"""How the names of files end that hold tables."""
MOST_ROWS = 5000
"""Rows of a table that questions are read against."""
_MOST_VALUES = 400
"""Different values of a column that are looked for in a question."""
_TRUE = frozenset(("yes", "true", "y", "x", "done", "ja", "oui", "si", "sim", "tak", "1", "ok", "はい", "是", "有"))
_WORDY = 3
"""Words of a value, on average, from which a column holds text and no names."""
_FALSE = frozenset(("no", "false", "n", "", "nein", "non", "nao", "nie", "nee", "0", "open", "いいえ", "否", "无", "-"))
_LABELS = ("name", "title", "item", "product", "task")
_MONEY = ("expenses", "price", "payment", "paid", "pay", "cost", "spent")
_KEYS = frozenset(("id", "no", "nr", "code"))
_IDS = ("id", "number", "no", "nr", "code", "phone", "year", "week", "room", "plz", "zip")
"""Columns whose numbers nobody adds up."""
_MEASURES = {
    "max": ("max", "largest", "longest", "newest"),
    "min": ("min", "smallest", "shortest", "oldest"),
    "mean": ("mean",),
    "sum": ("sum",),
    "count": ("many", "count"),
    "distinct": ("unique",),
}
_ENDS: Mapping[str, str] = {"most": "max", "least": "min"}
"""Which groups are wanted, and what measures one column so."""
_ORDERS: Mapping[str, str] = {"down": "descending", "up": "ascending"}
"""In which order results are wanted (``data/reading/asked.tsv``), and what a query calls it."""
_BEST: Mapping[str, str] = {"better": "most", "worse": "least"}
"""Which end is the better one."""
HOURS = "hours"
"""The column of the hours from a beginning to an end, which is derived (``derived.py``)."""
_UNITS = frozenset(("g", "kg", "mm", "cm", "km", "m2", HOURS))
"""Signs of units that are said in full (``data/reading/asked.tsv``)."""
_QUALITIES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "weight": (("weight", "mass"), ("g", "kg")),
    "age": (("age",), ()),
    "length": (("length", "duration", "distance", "minutes"), ("mm", "cm", "km", HOURS)),
    "depth": (("depth",), ()),
    "height": (("height", "altitude", "elevation"), ()),
}
"""What things are (``data/reading/asked.tsv``): nouns that columns are called by which tell how much, and their units."""
_SIZED = (("size", "area", "surface"), ("m2",))
"""The same of what is called large or small."""
_MEASURING = frozenset(concept for concepts in _MEASURES.values() for concept in concepts)
_EXTREMES = frozenset((*_MEASURES["max"], *_MEASURES["min"]))
_NEGATING = frozenset(("no", "not", "none", "except"))
_STAYS = {"longest": "min", "oldest": "min", "shortest": "max", "newest": "max"}
"""Who is there longest, and newest, by the year or the day on which they came."""
_TURNS = {"first": "min", "last": "max"}
"""Who comes first, and last, by the day or the time at which they come."""
_ORDERED = {"min": "sooner", "max": "later"}
"""How the same is said of few (``data/reading/asked.tsv``)."""
_COUNTING = frozenset(("many", "count"))
_TIMES = frozenset(("newest", "oldest"))
_CONNECTING = frozenset(("and", "only", "same", "then"))
_ASKING = frozenset(("what", "who", "where", "when", "many", "show", "read", "which", "please", "contain", "have", "list", "you", "i",
                     "and", "or", "how", "only", "all", "want", "calculate", "table", "row", "file", "column", "value", "search", "sort", "explain", "recall", "print", "fetch", "more", "less", "now", "line", "word", "character"))  # fmt: skip
_OVER, _UNDER = "more", "less"
_NUMBERED_MONTH = re.compile(r"(?P<month>1[0-2]|0?[1-9])\s*月(?:\s*(?P<day>\d{1,2})\s*[日号])?")
_ORDINAL = re.compile(r"(?P<number>\d{1,2}|\d{4})(?P<ending>st|nd|rd|th|er|e|de|º|ª)?")
_OF_COLUMNS = frozenset(("begins", "ends", "lasting", "located", "lower", "upper"))
"""Concepts in ``data/reading/asked.tsv`` of what columns are called, and of no words of a question."""
_DAY_SIGNS = frozenset("日号")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SIDES = {"before": "under", "after": "over", "since": "over"}
"""On which side of a year rows are."""
_NEXT: Mapping[str, int] = {"following": 1, "preceding": -1}
"""How far the row is away that comes next, or before (``data/reading/asked.tsv``)."""
_FEW_TOKENS = 8
"""Words of a question that goes on to the next row."""
_STATES = frozenset(("done", "open"))
"""What is said of things to be done, in ``data/reading/asked.tsv``."""
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
"""Concepts of small numbers."""
_ENDING = re.compile(r"\.[A-Za-z]\w{1,3}\Z")
_SHORTEST = 3
"""Letters of a word that is looked for in the values of a column nobody names."""
_NAMED = re.compile(r"[^\W\d_a-z]\w*(?:[ -][^\W\d_a-z]\w*)?|")
_FULL_NAME = re.compile(r"[^\W\d_a-z][\w'\u2019-]*(?: [\w'\u2019-]+){0,3}")
"""How somebody is called, shortly."""
_WHOLE_NAME = re.compile(r"[^\W\d_a-z][^\d.,;:@]*")
_FEW = 5
"""Rows that an answer may have spoken of."""
_LONG_STEM = 6
"""Letters that words of one family have in common."""
_CHARACTER = 0.5
"""What a character of a text without blanks counts beside a word."""
_SEVERAL_DAYS = 3
"""Short names of days among the keys of an object that make them days."""
_VOWELS = frozenset("aeioy")
_PLACES = 4
"""Decimals of a mean."""
_NEAR = 3
"""Words before a value among which a "not" denies it."""


_OUTSIDE = "outside of"
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
        if self.kind == _OUTSIDE:
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
            return _WEEKDAYS[when.weekday()] in self.values
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
        """
        measured = f"{self.end} {self.measure}".lstrip() + (f" {_name(self.column)}" if self.column else "")
        measured += f" by {'month ' * self.is_monthly}{_name(self.by)}" if self.by else ""
        measured += f" {self.order}" if self.order else ""
        measured += f" first {self.most}" if self.most else ""
        head = ", ".join([*([measured] if measured else []), *map(_name, self.wanted)]) or "rows"
        return head + (" where " + " and ".join(map(str, self.where)) if self.where else "")


_WORD = r'"[^"]*"|[^\s",]+'
_CONDITION = re.compile(
    rf"({_WORD}) (not )?(is|has|month|day|weekday|year|over of|under of|outside of|over|under) ((?:{_WORD})(?: or (?:{_WORD}))*)"
)
_PART = re.compile(
    rf"(?:({'|'.join(_ENDS)}) )?(?:({'|'.join(_MEASURES)})(?=[ ,]|\Z) ?)?((?!by |first ){_WORD})?(?: ?by (month )?({_WORD})(?: ({'|'.join(_ORDERS.values())}))?)?(?: ?first (\d+))?(?:, |\Z)"
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
        *_ORDERS.values(),
        *_ENDS,
        *_MEASURES,
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
    for end, measure, word, month, by, ranks, count in _PART.findall(head):
        if measure:
            found = found._replace(measure=measure, column=_bare(word), most=int(count or 0), by=_bare(by), end=end)
            found = found._replace(is_monthly=bool(month), order=ranks)
        elif word and word != "rows":
            wanted.append(_bare(word))
    return found._replace(wanted=tuple(wanted))


def _apart(line: str) -> tuple[str, str, str]:
    """Part a line at the "where" that stands in no quotation marks."""
    at = next(
        (match.start() for match in re.finditer(" where ", line) if not line[: match.start()].count('"') % 2), None
    )
    return (line, "", "") if at is None else (line[:at], " where ", line[at + len(" where ") :])


Meant = TypeVar("Meant")


class _Unit(NamedTuple):
    """A word of a question in the form in which names are compared."""

    text: str
    token: int
    is_number: bool


def _once(look_up: Callable[[_Question, str], Meant]) -> Callable[[_Question, str], Meant]:
    """Look each word up once in a question: a table asks for the same words again and again."""
    name = look_up.__name__

    @wraps(look_up)
    def looked_up(self: _Question, word: str) -> Meant:
        found = self.known.get((name, word))
        if found is None:
            found = self.known[name, word] = look_up(self, word)
        return found  # type: ignore[return-value]  # what this method found

    return looked_up


class _Question:
    """A question as units, with what is known of each.

    Parameters
    ----------
    text : str
    language : str
    tongue : str
        Language of the names that it is read against.
    """

    def __init__(self, text: str, language: str, tongue: str) -> None:
        self.text, self.language = text, language
        self.tokens = words(text)
        self.concepts = lexicon().concepts(self.tokens)
        self.units = [
            _Unit(part, place, token.kind in {"number", "measure"})
            for place, token in enumerate(self.tokens)
            if token.kind not in {"file", "folder", "sign"}
            for part in plain(token.text).split()
        ]
        no_names = _ASKING | _MEASURING | _NEGATING
        self.asking = words_of_tables(language).concepts(self.tokens)
        """What each token says in questions about tables (``data/reading/asked.tsv``)."""
        self._no_names = frozenset(
            place for place, told in enumerate(self.concepts) if told & no_names or "them" in self.asking[place]
        )
        self.english = tuple(_in_english(self.tokens, language))
        """Tokens with the stems of what they mean in English."""
        self.tongue = tongue
        self.known: dict[tuple[str, str], object] = {}
        """What was looked up, by method and word."""
        self.used: set[int] = set()
        """Tokens that are explained."""
        self.columns: set[int] = set()
        """Tokens that are words for columns, which are no translations of values."""

    def has(self, concepts: Iterable[str]) -> list[int]:
        """Return the tokens that have one of several concepts."""
        wanted = set(concepts)
        return [place for place, told in enumerate(self.concepts) if told & wanted]

    def asks(self, concepts: Iterable[str]) -> list[int]:
        """Return the tokens that have one of several concepts of questions about tables."""
        wanted = set(concepts)
        return [place for place, told in enumerate(self.asking) if told & wanted]

    def said(self, concepts: Iterable[str]) -> frozenset[str]:
        """Return which of several concepts are said."""
        return frozenset().union(*self.concepts).intersection(concepts)

    @_once
    def find(self, phrase: str) -> Sequence[int]:
        """Return the tokens in which a phrase is said, as whole words; none where it is not."""
        if phrase and not phrase.isascii() and phrase in self.text:
            start = self.text.index(phrase)
            inside = [
                at for at, token in enumerate(self.tokens) if token.start < start + len(phrase) and token.end > start
            ]
            if any(self.tokens[at].kind in UNSPACED for at in inside):
                return inside
        parts = plain(phrase).split()
        for at in range(len(self.units) - len(parts) + 1 if parts else 0):
            said = [self.units[at + n].text for n in range(len(parts))]
            is_plural = len(parts) > 1 and said[:-1] == parts[:-1] and stem(said[-1]) == stem(parts[-1])  # "mic stands"
            if said == parts or is_plural:
                return [self.units[at + n].token for n in range(len(parts))]
        return []

    def says(self, word: str) -> Sequence[int]:
        """Return the tokens that are a word, or its plural."""
        found = [unit.token for unit in self.units if stem(unit.text) == stem(word) or unit.text == f"{word}s"]
        if found or word in _KEYS:
            return found
        other = [token for one in sorted(related_words(word)) if not one.isascii() for token in self.find(one)]
        return other or [at for tokens in self._meaning(word) for at in tokens]

    @_once
    def means(self, word: str) -> Sequence[int]:
        """Return the tokens that say a word, or mean the same in some language."""
        same = {stem(word), *related_words(word)}
        stemmed, asking = stem(word), self._no_names
        found = [
            unit.token
            for unit in self.units
            if unit.text == word
            or (unit.token not in asking and (stem(unit.text) in same or stemmed in related_words(unit.text)))
        ]
        if found:
            return found
        for other in sorted(same, key=lambda one: (-len(one), one)):  # the longest: 営業時間 before 時間
            if not other.isascii() and other in self.text and len(other) > 1:
                return self.find(other)
        joined = next((pair for pair in pairwise(self.units) if pair[0].text + pair[1].text == word), ())
        if joined:
            return [unit.token for unit in joined]  # "when can we pick up the van?": pickup
        alike = [unit.token for unit in self.units if unit.token not in asking and _is_kindred(unit.text, word)]
        return alike or [at for tokens in self._meaning(word) if not asking.intersection(tokens) for at in tokens]

    @_once
    def _meaning(self, word: str) -> Sequence[tuple[int, ...]]:
        """Return the tokens that mean a word of English, or nearly: "rental" is near "rent"."""
        wanted = frozenset() if self.language == "en" else _stems(word)  # which is looked for as it stands
        foreign = _stems_abroad(word, self.tongue)
        return [
            tokens
            for tokens, meant in self.english
            if meant & (wanted | foreign) or any(_is_form_of(one, other) for one in meant for other in wanted)
        ]

    def denies(self, word: str) -> list[int]:
        """Return the tokens that say the contrary of a word by how they begin: "unpaid", "impayé"."""
        found = []
        for unit in self.units:
            for prefix in words_for("contrary"):
                rest = unit.text.removeprefix(prefix)
                if rest == unit.text or len(rest) < _SHORTEST:
                    continue
                english = () if self.language == "en" else in_english(rest, self.language)
                if stem(rest) == stem(word) or stem(word) in related_words(rest) or _stems(word) & set(english):
                    found.append(unit.token)
        return found

    def translates(self, phrase: str) -> list[int]:
        """Return the tokens that say in another language all that a phrase says in English; none where they do not."""
        parts = plain(phrase).split() if self.english else []
        single = [part for at, part in enumerate(parts) if len(part) == 1 and not (at == 0 and is_small(part))]
        letters = [frozenset(self.find(part)) for part in single]  # the B of "Room B"
        said = [self._same_as(part) for part in parts if not is_small(part) and len(part) > 1] + letters
        return sorted(set().union(*said) - self.columns) if all(places - self.columns for places in said) else []

    @_once
    def _same_as(self, word: str) -> frozenset[int]:
        """Return the tokens that mean a word of English, or are the same word of another language."""
        forms = related_words(word) if len(word) > _SHORTEST and self.language != "en" else frozenset[str]()
        found = {at for tokens in self._meaning(word) for at in tokens if not self.concepts[at] & _COUNTING}
        spaced = (unit for unit in self.units if self.tokens[unit.token].kind not in UNSPACED)
        found.update(unit.token for unit in spaced if stem(unit.text) in forms)
        return frozenset(found).union(*(self.find(one) for one in forms if not one.isascii() and len(one) > 1))

    def abroad(self, word: str) -> list[int]:
        """Return a token that means a word of a value in another language, where it says nothing else."""
        asking = _ASKING | _MEASURING | _NEGATING
        found = (
            [] if len(word) <= _SHORTEST or is_small(word) else [at for tokens in self._meaning(word) for at in tokens]
        )
        free = [at for at in found if at not in self.used | self.columns and not self.concepts[at] & asking]
        spaced = [at for at in free if self.tokens[at].kind not in UNSPACED][:1]
        return spaced or (free if len(free) > 1 and free == found else [])  # 电影

    def first(self, word: str) -> int:
        """Return the first token that says a name as a whole and is no part of another; before all others where none does."""
        found = self.find(word)
        return (
            min(found)
            if found and plain(word) == plain(" ".join(self.tokens[at].text for at in dict.fromkeys(found)))
            else -1
        )

    def is_denied(self, place: int) -> bool:
        """Tell whether a "not" or "except" stands right before a word."""
        first = next((at for at, token in enumerate(self.tokens[:_NEAR]) if token.kind == "sign"), 0)  # "no, of Tom"
        denying = [
            at
            for at in range(max(first, place - _NEAR), place)
            if (self.negates(at) or "without" in self.asking[at]) and not self.concepts[at] & _ASKING
        ]
        for at in range(place + 1, min(place + 1 + _NEAR, len(self.tokens))):
            if self.tokens[at].kind == "sign":
                break
            if "uncounted" in self.asking[at]:  # "the cancelled ones not counted"
                denying.append(at)
        self.used.update(denying)
        return bool(denying)

    def negates(self, at: int) -> bool:
        """Tell whether a word says no in the language of the question: "ne" is French, and no German "not"."""
        own = lexicon_of(self.language).concepts(self.tokens)[at]
        is_other = is_small_in(self.tokens[at].text.casefold(), self.language) and not own & _NEGATING
        return bool(self.concepts[at] & _NEGATING) and not (is_other or "one_number" in own)

    def explained(self, default: float = 0.0) -> float:
        """Return the share of the telling words that are explained; a character counts half a word."""
        used = total = 0.0
        for place, token in enumerate(self.tokens):
            if token.kind in {"sign", "file", "folder", "ending"} or "\u3040" <= token.text <= "\u309f":
                continue
            is_filler = is_small(token.folded) or is_small_in(token.text.casefold(), self.language)
            is_filler = is_filler or "item" in self.concepts[place] or "aside" in self.asking[place]
            if place not in self.used and (self.concepts[place] & _ASKING or is_filler):
                continue
            weight = _CHARACTER if token.kind == "character" else 1.0
            total += weight
            used += weight * (place in self.used)
        is_one = total <= _CHARACTER and bool(default)  # 都列出来
        return default if is_one or not total else used / total


def _question(text: str, language: str = "en", names: Iterable[str] = ()) -> _Question:
    """Return a question that is read against some names, nothing of it explained."""
    asked = copy(_read_once(text, language, _tongue(tuple(names), language)))
    asked.used, asked.columns = set(), set()
    return asked


@lru_cache(maxsize=64)
def _read_once(text: str, language: str, tongue: str) -> _Question:
    return _Question(text, language, tongue)


def _in_english(tokens: Sequence[Word], language: str) -> Iterator[tuple[tuple[int, ...], frozenset[str]]]:
    """Yield what words mean in English; where words have no blanks between them, what pieces of the text mean."""
    place = 0
    while place < len(tokens):
        end = place + 1
        if tokens[place].kind not in UNSPACED:
            if tokens[place].kind == "word" and not is_small_in(tokens[place].text.casefold(), language):
                said = tokens[place].text.replace("\u2019", "'").rpartition("'")[2]  # "d'électricité"
                yield (place,), _stems(said) if language == "en" else in_english(said, language)
            place = end
            continue
        while end < len(tokens) and tokens[end].kind in UNSPACED and tokens[end].start == tokens[end - 1].end:
            end += 1
        run = "".join(fold(token.text) for token in tokens[place:end])
        owners = [at for at in range(place, end) for _ in fold(tokens[at].text)]
        at = 0
        for piece in abroad.load().pieces(run):
            at = run.find(piece, at)
            yield tuple(dict.fromkeys(owners[at : at + len(piece)])), in_english(piece, language)
            at += len(piece)
        place = end


@lru_cache(maxsize=4096)
def _stems(phrase: str) -> frozenset[str]:
    return frozenset(stems(fold(phrase)))


@lru_cache(maxsize=4096)
def _stems_abroad(word: str, language: str) -> frozenset[str]:
    """Return the stems of what a word of a language means in English; of none where there is no language."""
    found = abroad.load().meanings(fold(word)) if language else ()
    return frozenset(one.stem for one in found if one.language == language) - {""}


@lru_cache(maxsize=256)
def _tongue(names: tuple[str, ...], language: str) -> str:
    """Return the language in which columns or keys are called; empty for English, and for that of the question.

    Examples
    --------
    >>> _tongue(("naam", "telefoon", "huur", "betaald"), "pt"), _tongue(("name", "phone", "rent", "paid"), "pt")
    ('nl', '')
    """
    parts = [part for name in names for part in plain(name).split() if len(part) > _SHORTEST]
    if not parts or sum(not _stems(part).isdisjoint(abroad.load().english) for part in parts) * 2 >= len(parts):
        return ""
    known = [{one.language for one in abroad.load().meanings(fold(part))} for part in parts]
    counts = Counter(one for languages in known for one in languages)
    best = max(counts, key=lambda one: (counts[one], one == language), default="")
    return best if best != language and counts[best] * 2 >= len(parts) else ""


_CLAUSE = re.compile(r"(?<=[.!?;])\s+|(?<=[\u3002\uff01\uff1f])|(?<=[!?])(?=[\u3040-\u9fff])|\s+[-\u2013\u2014]\s+")


def query_of(text: str, table: Table, before: Query | None = None, name: str = "", language: str = "en") -> Query:
    """Read a question against a table, or the clause of it that asks: what else is told says nothing of the table.

    Examples
    --------
    >>> table = Table(("item", "price"), (("tea", "3"), ("cake", "4"), ("bun", "2")))
    >>> asked = query_of("Good day, my sister rang this morning. What is the price of the cake?", table)
    >>> str(asked), asked.explained
    ('price where item is cake', 1.0)
    """
    whole = query(text, table, before, name, language)
    every = _CLAUSE.split(text)
    clauses = [one for one in every if len(words(one)) > _NEAR]
    if whole.explained == 1 or len(every) < 2:  # noqa: PLR2004 - one is the whole
        return whole
    found = [query(one, table, before, name, language) for one in clauses]
    alike = [one for one in found if one.is_grounded and str(one) == str(whole)]
    return max((whole, *alike), key=lambda one: one.explained)


@lru_cache(maxsize=64)
def query(text: str, table: Table, before: Query | None = None, name: str = "", language: str = "en") -> Query:
    """Read a question against a table.

    Parameters
    ----------
    text : str
        The question.
    table : Table
    before : Query, optional
        What was asked of the same table before; what a follow-up leaves out is taken from it.
    name : str
        The table's file: its words say what the rows are.
    language : str
        Of the question: what its words mean in English counts as well.

    Returns
    -------
    Query
        Its ``explained`` is 0 where nothing of the question stands in the table.
    """
    if not table.rows or len(table.rows) > MOST_ROWS:
        return Query()
    asked = _question(text, language, table.columns)
    title = _titled(asked, name)
    asked.used.update(title)
    asked.columns = {at for column in table.columns for part in plain(column).split() for at in asked.means(part)}
    counted = _counted_off(asked)
    where = list(_conditions(asked, table, before)) or _beside(asked, table, before)
    spent = {one.column for one in where}
    order, ordering = _order_said(asked)
    measure = _measure_said(asked, ordering | _limiting(asked, table))
    named = _columns(asked, table, _of_several(where, asked) | (title if where or measure == "count" else set()))
    times = [name for name in table.columns if _is_time(name, table)]
    named = named + [name for name in _names_asked(asked, table) if name not in named]
    measure = _settled(measure, asked, table, named, title)
    turned = "" if measure else _turned(before, asked, named, times)
    measure = _added_up(measure or turned, before, asked)
    asked.used.update(asked.has((*_MEASURES.get(measure, ()), *(_MEASURES["sum"] if measure == "count" else ()))))
    if measure in {"max", "min", "mean"} and not asked.has(_NEGATING) and _amount(table, set(), is_money=True):
        named = [column for column in named if not _is_truth(table.values(column))]  # "who pays most?"
    truths = list(_truths(asked, table, named, spent))
    if not (where or measure) and (told := _told_of_one(truths, before, table, asked)):
        named, truths = [told], []  # "is it paid?" of the row that was shown
    if truths and title and not where:  # "which costs are not settled?" of the file costs.csv
        named = [name for name in _columns(asked, table, title) if name in named]
    where = _limited([*where, *truths], list(_limits(asked, table, named)))
    spent = {one.column for one in where}
    wanted = tuple(name for name in named if name not in spent)
    most = counted or (_how_many(asked) if measure in {"max", "min"} else 0)
    asked.used.update(at for at, told in enumerate(asked.asking) if "sold" in told or (before and "them" in told))
    before = None if before is None else _opened(before, asked, measure, named, title, has_rows=bool(where))
    explained = asked.explained(default=0.0 if before is None else 1.0)
    if asked.has(("when",)) and where and not wanted and not measure and len(times) == 1:
        wanted = tuple(name for name in times if name not in spent)
    is_counted = measure == "count" and bool(title) and not asked.has(("file", "folder", "line", "word"))
    is_titled = bool(title) and measure in {"sum", "mean", "max", "min"} and len(amounts(table)) == 1
    is_grounded = _is_told(where, named, times, title) or is_counted or is_titled
    found = Query(tuple(where), wanted, measure, turned and _column_of(before), explained, is_grounded)
    found, is_time = _in_turn(_of_stay(found, table, asked), before, table, asked), bool(asked.has(_TIMES))
    is_of_pieces = measure == "count" and bool(title and asked.asks({"pieces"}))  # "how many expenses are there?"
    is_money = (_speaks_of_money(asked, table, truths) or _is_much(before, named, asked)) and not is_of_pieces
    found = found._replace(explained=asked.explained()) if is_money else found
    found = _measured(_by_age(found, asked), table, is_time=is_time, is_money=is_money)
    found = _sized(found, table, asked, is_titled=bool(title))
    if (of_one := _of_its_kind(before, found, asked, table)) is not None:
        return of_one
    if (told_before := _goes_on_from(before, found, asked, table)) is not None:
        found = _measured(_continued(found, told_before, table, asked), table, is_time=is_time, is_money=is_money)
    found = found._replace(most=most, is_titled=bool(title), is_column_said=found.column in named)
    found = _of_that_row(found, before, table, asked)
    found = _grouped(found, before, table, asked, is_money=is_money)
    return _settled_query(found._replace(order=order or found.order) if found.by and not found.end else found, most)


def _of_its_kind(before: Query | None, found: Query, asked: _Question, table: Table) -> Query | None:
    """Return what the one has who was told of in the column of which another row has the word: "what does she study?".

    Examples
    --------
    >>> crew = Table(("name", "subject"), (("Ann", "music"), ("Bo", "film studies")))
    >>> str(query("co studiuje?", crew, parse("rows where name is Ann"), language="pl"))
    'subject where name is Ann'
    """
    where = found.where[0] if len(found.where) == 1 and not (found.measure or found.wanted) else None
    is_asked = bool(asked.has(("what",))) and not asked.has(("who", "which", "many"))
    if before is None or where is None or where.kind != "has" or where.is_not or not is_asked or before.by:
        return None
    rows, place = answer(before, table).rows, table.columns.index(where.column)
    if len(rows) != 1 or where.in_row(rows[0], place, table) or len(asked.units) > _FEW:
        return None
    own = next(
        (at for at in range(len(table.columns)) if table.values(table.columns[at]).count(rows[0][at]) == 1), None
    )
    if own is None:
        return None
    one = Condition(table.columns[own], "is", (rows[0][own],))
    return found._replace(where=(one,), wanted=(where.column,), explained=1.0, is_grounded=True)


def _column_of(before: Query | None) -> str:
    return "" if before is None else before.column


def _settled_query(found: Query, most: int) -> Query:
    """Return a query with what its measure needs, and nothing where that is missing."""
    if found.measure in {"max", "min", "sum", "mean"} and not found.column:
        return found._replace(measure="", explained=0.0, is_grounded=False)
    if found.measure in {"sum", "mean"}:
        return found._replace(wanted=())
    return found._replace(most=most) if found.measure in {"max", "min"} and not found.by else found


_TIMES_SIGN = re.compile(
    r"\s+(?:[x\u00d7*·]|times|mal|fois|por|veces|vezes|volte|per|keer|maal|razy)\s+|\u00d7|\*|乘以?|掛ける|かける"
)
_PRODUCT, _IS = " \u00d7 ", " = "
_BESIDE = re.compile(r"[\s()\[\]:;,.=?!\u3001\u3002\uff08\uff09]+")


def with_products(table: Table, text: str, before: Query | None = None, language: str = "en") -> Table:
    """Return a table with a column more for each product of two of its columns that a question names.

    Parameters
    ----------
    table : Table
    text : str
    before : Query, optional
        What was asked before: it may have named one.
    language : str

    Examples
    --------
    >>> stock = Table(("item", "qty", "price"), (("tea", "3", "1.50"), ("bun", "2", "0.80")))
    >>> stock = with_products(stock, "the total value (qty x price)")
    >>> stock.rows[0], str(query("the total value (qty x price)", stock))
    (('tea', '3', '1.50', '4.5'), 'sum "qty \u00d7 price"')
    >>> stock = Table(("item", "qty", "unit_price"), (("tea", "3", "1.50"), ("bun", "9", "0.80")))
    >>> str(query("which item has the highest value?", with_products(stock, "which item has the highest value?")))
    'max "value = qty \u00d7 unit_price", item'
    """
    numeric = [name for name in table.columns if is_numeric(table.values(name))]
    named = [] if before is None else [*before.wanted, before.column, before.by, *(one.column for one in before.where)]
    products = {name: name.rpartition(_IS)[2].split(_PRODUCT) for name in named if _PRODUCT in name}
    for sign in _TIMES_SIGN.finditer(text):
        left, right = _BESIDE.split(text[: sign.start()])[-_NEAR:], _BESIDE.split(text[sign.end() :])[:_NEAR]
        pair = [_column_in(left[::-1], numeric, language), _column_in(right, numeric, language)]
        products[_PRODUCT.join(pair)] = pair
    if not any(_PRODUCT in name for name in products) and (worth := _worth_said(text, language, table)):
        pair = _count_and_price(table)
        products |= {f"{worth}{_IS}{_PRODUCT.join(pair)}": pair} if pair else {}
    for name, pair in products.items():
        if name in table.columns or not {*pair} <= {*numeric} or len(set(pair)) < 2:  # noqa: PLR2004 - two of them
            continue
        places = [table.columns.index(one) for one in pair]
        both = [[number(row[place]) for place in places] for row in table.rows]
        cells = ["" if one is None or other is None else written(one * other) for one, other in both]
        rows = tuple((*row, cell) for row, cell in zip(table.rows, cells, strict=True))
        table = table._replace(columns=(*table.columns, name), rows=rows)
    return table


def _worth_said(text: str, language: str, table: Table) -> str:
    """Return the word by which a question calls what things are worth altogether; empty where a column is called so."""
    found = words(text)
    asking = words_of_tables(language).concepts(found)
    said = [word.text for word, told in zip(found, asking, strict=True) if "worth" in told]
    is_owed = any("owed" in told for told in asking) and len(amounts(table)) == len(_count_and_price(table))
    said += ["amount"] if is_owed or any(told & {"spent", *_BEST} for told in asking) else []
    return next((word for word in said if not any(names_column(word, name, language) for name in table.columns)), "")


def _count_and_price(table: Table) -> list[str]:
    """Return the columns that say how many there are and what one of them costs, where a table has one of each."""
    free, sizes, prices = amounts(table), words_for("counted"), words_for("singly")
    counts = [name for name in free if set(plain(name).split()) & sizes]
    singly = [name for name in free if name not in counts and any(word in plain(name) for word in prices)]
    return [*counts, *singly] if len(counts) == len(singly) == 1 else []


def _column_in(near: Sequence[str], columns: Sequence[str], language: str) -> str:
    """Return the column that words name, beginning with the nearest of them; empty where they name none."""
    for end in range(1, len(near) + 1):
        said = " ".join(near[:end])
        met = [name for name in columns if plain(name) in {plain(said), plain(" ".join(near[:end][::-1]))}]
        met = met or [name for name in columns if names_column(said, name, language)]
        if met:
            return min(met, key=len)
    return ""


def _order_said(asked: _Question) -> tuple[str, set[int]]:
    """Return in which order groups are wanted, and the words that say so: "largest first" asks for no maximum of them.

    Examples
    --------
    >>> table = Table(("shop", "amount"), (("A", "3"), ("B", "4"), ("A", "2")))
    >>> str(query("the sum of amount per shop, largest first", table))
    'sum amount by shop descending'
    """
    said = {order: {at for at, told in enumerate(asked.asking) if order in told} for order in _ORDERS}
    order = next((order for order, places in said.items() if places), "")
    rest = set(asked.has(concept for one in ("sum", "mean", "count") for concept in _MEASURES[one])) - said.get(
        order, set()
    )
    if not order or not (rest or asked.has(("each",)) or any("grouped" in told for told in asked.asking)):
        return "", set()
    asked.used.update(said[order])
    return _ORDERS[order], said[order]


def _measure_said(asked: _Question, ordering: set[int]) -> str:
    """Return what is measured by the words of a question, but for those that say in which order: "how many different" are distinct."""
    said = [one for one, concepts in _MEASURES.items() if {*asked.has(concepts)} - ordering]
    return "distinct" if said[:2] == ["count", "distinct"] else next(iter(said), "")


def _titled(asked: _Question, name: str) -> set[int]:
    """Return the tokens that say what a table's file is called."""
    stem_of_name, _, ending = plain(name.rpartition("/")[2]).rpartition(" ")
    asked.used.update(at for part in plain(name.rpartition("/")[0]).split() for at in asked.means(part))
    title = {at for part in stem_of_name.split() for at in asked.means(part)}
    whole = f"{stem_of_name}{ending}", stem(stem_of_name)
    return title | {
        unit.token for unit in asked.units if unit.text == whole[0] or stem(unit.text) == whole[1]
    }  # "kassalog", "the order"


def _limited(where: Sequence[Condition], limits: Sequence[Condition]) -> list[Condition]:
    """Add limits to conditions: the number of a limit is no value that is looked for."""
    columns = {one.column for one in limits}
    return [*(one for one in where if one.kind != "is" or one.column not in columns), *limits]


def _of_stay(found: Query, table: Table, asked: _Question) -> Query:
    """Settle who is there longest where a table tells since when: "who has been here longest?".

    Examples
    --------
    >>> table = Table(("name", "since"), (("Ann", "2012"), ("Bo", "2019")))
    >>> str(query("who has been with us longest?", table)), str(query("who is the newest?", table))
    ('min since, name', 'max since, name')
    """
    begins = [
        name for name in table.columns if set(plain(name).split()) & words_for("joined") and _is_time(name, table)
    ]
    if len(begins) != 1 or not asked.has(("who",)) or found.where or found.wanted:
        return found
    measure = next((one for concept, one in _STAYS.items() if asked.has((concept,))), "")
    if not measure:
        return found
    asked.used.update(asked.has(_STAYS))
    label = next((name for name in table.columns if name not in begins and not is_numeric(table.values(name))), "")
    wanted = (label,) if label else ()
    return Query((), wanted, measure, begins[0], max(found.explained, asked.explained()), is_grounded=True)


def _in_turn(found: Query, before: Query | None, table: Table, asked: _Question) -> Query:
    """Settle who comes first, or last, by the column of days or times that is named, or by the only one there is.

    Examples
    --------
    >>> table = Table(("guest", "arrives"), (("Ann", "18:30"), ("Bo", "9:15")))
    >>> str(query("who arrives first?", table)), str(query("wer kommt zuletzt?", table, language="de"))
    ('min arrives, guest', 'max arrives, guest')
    """
    measure = next((one for concept, one in _TURNS.items() if asked.has((concept,)) or asked.asks({_ORDERED[one]})), "")
    times = [name for name in table.columns if _is_time(name, table)]
    ours = [name for name in found.wanted if name in times]
    ours = ours or (_times_apart(times, found, before, table) if asked.asks({"comes"}) else [])
    is_other = bool(found.measure) and not asked.has(_TIMES)
    if not measure or is_other or len(ours) != 1 or not asked.has(("who", "which", "what", "when")):
        return found
    if asked.has(("row", "line", "file", "each")):
        return found
    asked.used.update(asked.has(_TURNS), asked.asks({"comes", *_ORDERED.values()}))
    rest = [name for name in found.wanted if name not in times]
    explained = max(found.explained, asked.explained())
    return Query(found.where, tuple(rest or _label_of(table)), measure, ours[0], explained, is_grounded=True)


def _times_apart(times: list[str], found: Query, before: Query | None, table: Table) -> list[str]:
    """Return the column of times that tells rows apart: of a day and a clock the day, and the clock where the day is told.

    Examples
    --------
    >>> visits = Table(("day", "time", "who"), (("2024-06-03", "9:00", "Ann"), ("2024-06-03", "8:15", "Bo"), ("2024-06-04", "7:00", "Cy")))
    >>> str(query("who comes first on June 3rd?", visits)), str(query("who comes first?", visits))
    ('min time, who where day is 2024-06-03', 'min day, who')
    """
    told = found if before is None else found._replace(where=(*found.where, *before.where))
    rows = table._replace(rows=tuple(told.rows(table)))
    apart = [name for name in times if len(set(rows.values(name))) > 1]
    days = [name for name in apart if any(map(day, rows.values(name)))]
    return days if len(days) == 1 else apart or times


def _label_of(table: Table) -> list[str]:
    """Return the column by which rows are called: a name, else the first of words of which most rows have their own.

    Examples
    --------
    >>> rows = (("2024-06-03", "cat", "Rex"), ("2024-06-03", "cat", "Tom"), ("2024-06-04", "cat", "Mia"))
    >>> _label_of(Table(("date", "species", "patient"), rows)), _label_of(Table(("date", "kind", "name"), rows))
    (['patient'], ['name'])
    """
    texts = [name for name in table.columns if not (is_numeric(table.values(name)) or _is_time(name, table))]
    called = [name for name in texts if plain(name) in _LABELS]
    own = [name for name in texts if len(set(table.values(name))) * 2 > len(table.rows)]
    return (called or own or texts)[:1]


def _names_asked(asked: _Question, table: Table) -> list[str]:
    """Return the column of names where it is asked what rows are called: "how many cats are there, and what are they called?".

    Examples
    --------
    >>> pets = Table(("name", "kind"), (("Tom", "cat"), ("Rex", "dog"), ("Mia", "cat")))
    >>> str(query("how many cats are there, and what are they called?", pets))
    'count, name where kind has cat'
    """
    places = asked.asks({"named"}) or [at for at in asked.means("name") if at not in asked.used | asked.columns]
    asked.used.update(places)
    return _label_of(table) if places else []


def _speaks_of_money(asked: _Question, table: Table, truths: Sequence[Condition]) -> bool:
    """Tell whether a question is about money, beside what it says of paid and unpaid; what says so is explained by amounts."""
    priced = (place for place, told in enumerate(asked.asking) if told & {"price", "owed"})
    money = {*asked.has(("money",)), *priced, *(at for word in _MONEY for at in asked.means(word))}
    rest = money - {at for one in truths for part in plain(one.column).split() for at in asked.means(part)}
    is_better = any(told & _BEST.keys() for told in asked.asking)
    amount = _amount(table, set(), is_money=True) if rest else ""
    if amount and not any(_tells(amount, *told) for told in _QUALITIES.values()):  # minutes are no money
        asked.used.update(money)
    return is_better or bool(rest)


def _grouped(found: Query, before: Query | None, table: Table, asked: _Question, *, is_money: bool) -> Query:
    """Return a query that measures groups of rows where it says so: "how much per shop", "which shop got most money?".

    Examples
    --------
    >>> table = Table(("shop", "amount"), (("A", "3"), ("B", "4"), ("A", "2")))
    >>> str(query("which shop got the most money?", table)), str(query("total per shop", table))
    ('most sum amount by shop', 'sum amount by shop')
    >>> str(query("top 3 shops by amount", table))
    'sum amount by shop descending first 3'
    >>> str(query("which shop is the most expensive?", table)), str(query("and the least?", table, Query((), (), "sum", "amount", by="shop")))
    ('max amount, shop', 'least sum amount by shop')
    """
    most, found = found.most, found._replace(most=0)
    often = [at for at, told in enumerate(asked.asking) if "often" in told]
    qualities = frozenset[str]().union(*asked.asking) & _BEST.keys()
    end = "most" if often else next((one for one in _ENDS if _says_end(asked, one)), "")
    end = end or next((_BEST[one] for one in sorted(qualities)), "")
    owed = (one for query in (found, before or found) for one in query.where if is_yes_or_no(one))
    if "worse" in qualities and any(plain(value) in _FALSE for one in owed for value in one.values):
        end = "most"  # of what is not paid
    if often:
        asked.used.update(often)
        found = found._replace(measure="count", column="")  # "who comes most often?"
    labels = [name for name in found.wanted if _may_part(name, found, table)]
    each = {at for at, told in enumerate(asked.asking) if "grouped" in told}
    is_every = found.is_titled and bool(asked.has(("all",)))  # "the fees of all members"
    each |= set() if is_every else set(asked.has(("each",)))
    is_parted = bool(each or end or most > 1) and (bool(found.column) or found.measure == "count")
    if not labels and is_parted and (of_whom := _whose(asked, table)):
        old = () if before is None else before.where
        kept = tuple(is_ for is_ in found.where if is_.column != of_whom or is_ not in old)
        labels, found = [of_whom], found._replace(is_grounded=True, where=kept)  # "who spent the most?"
    monthly = [at for at in asked.asks({"month"}) if at not in asked.used]
    days = [name for name in table.columns if any(map(day, table.values(name))) and not is_numeric(table.values(name))]
    is_monthly = (
        bool(monthly) and len(days) == 1 and len(labels) <= 1 and not any(one.kind == "month" for one in found.where)
    )
    if is_monthly:
        asked.used.update(monthly)
        labels, found = (
            days,
            found._replace(wanted=tuple(name for name in found.wanted if name not in {*days, *labels})),
        )
        found = found._replace(column="" if found.column in days else found.column, is_grounded=True)
    if not found.measure and before is not None and before.column and labels and not found.wanted[1:]:
        found = found._replace(measure=before.measure, column=before.column)  # "and per boat?"
    is_each = bool(each) or (is_monthly and found.measure not in _ENDS.values())
    if is_each and labels and not found.measure and before is not None and before.column:
        found = found._replace(measure=before.measure, column=before.column)  # "and per boat?"
    if len(labels) == 1 and (is_each or (end and found.measure in {*_ENDS.values(), "sum", "count"})):
        asked.used.update(each)
        is_end = found.measure in _ENDS.values() and (bool(end) or most > 1)
        order = _ORDERS["up" if found.measure == "min" else "down"] if most > 1 else ""
        measure = ("sum" if found.column else "count") if is_end or not found.measure else found.measure
        rest = tuple(name for name in found.wanted if name != labels[0])
        column = found.column or (rest[0] if measure == "count" and rest and rest[0] in amounts(table) else "")
        is_paid = is_money and measure == "count" and not often
        column = column or (_amount(table, {labels[0]}, is_money=True) if is_paid else "")
        measure = "sum" if column and measure == "count" else measure
        if all(name == column for name in rest):
            done = found._replace(measure=measure, column=column, wanted=(), by=labels[0], is_monthly=is_monthly)
            if order:
                return done._replace(order=order, most=most, explained=asked.explained())
            return done._replace(end=end, explained=asked.explained())
    is_whole = not end and bool(asked.has(_MEASURES.get(found.measure, ())))  # "und insgesamt?"
    if before is None or not before.by or found.wanted or is_whole or not (end or _is_same_measure(found, before)):
        return found
    if before.by in {one.column for one in found.where}:  # "show only those of Grand"
        return found._replace(measure="", column="") if found.measure == "count" else found
    found = found._replace(measure=before.measure, column=before.column, by=before.by, end=end or before.end)
    return found._replace(is_monthly=before.is_monthly, order=before.order)


def _explain_span(asked: _Question) -> None:
    """Explain a number of months that only says over which time it is asked: "who paid most in the three months?".

    Examples
    --------
    >>> table = Table(("who", "day", "paid"), (("Ann", "2024-03-01", "3"), ("Bo", "2024-04-01", "4"), ("Ann", "2024-04-02", "2")))
    >>> str(query("who paid most in the three months?", table)), str(query("how much was paid per month?", table))
    ('most sum paid by who', 'sum paid by month day')
    """
    counts = lexicon_of(asked.language).concepts(asked.tokens)
    spans = [at for at in asked.asks({"month"}) if at and _number_said(asked.tokens[at - 1], counts[at - 1]) > 1]
    if asked.has(("who", "all")):
        asked.used.update(place for at in spans for place in (at - 1, at))


def _may_part(column: str, found: Query, table: Table) -> bool:
    """Tell whether rows may be grouped by a column: not by times of the day where nothing is measured: "when does each start?"."""
    is_of_times = not found.measure and None not in map(clock, table.values(column))
    return _has_groups(column, table) and column != found.column and not is_of_times


def _whose(asked: _Question, table: Table) -> str:
    """Return the column of the people that a question asks for: the only one with names that are there more than once.

    Examples
    --------
    >>> table = Table(("payer", "item", "amount"), (("Ann", "tea", "3"), ("Bo", "cake", "4"), ("Ann", "bun", "2")))
    >>> str(query("wer hat am meisten ausgegeben?", table, language="de")), str(query("how much did each person pay?", table))
    ('most sum amount by payer', 'sum amount by payer')
    """
    people = [*asked.has(("who",)), *asked.means("person")]
    named = [
        name for name in table.columns if _has_groups(name, table) and all(map(_NAMED.fullmatch, table.values(name)))
    ]
    told = [name for name in named if any("who" in lexicon_told for lexicon_told in lexicon().concepts(words(name)))]
    is_of_rows = any(
        len(set(values)) == len(values) and all(map(_FULL_NAME.fullmatch, values))
        for values in map(table.values, table.columns)
    )
    if not people or len(told or named) != 1 or (is_of_rows and not told):
        return ""
    asked.used.update(people)
    return (told or named)[0]


def _is_same_measure(one: Query, other: Query) -> bool:
    return (one.measure, one.column) == (other.measure, other.column)


def _says_end(asked: _Question, end: str) -> bool:
    """Tell whether the most, or the least, of something is said as how much it is, and not as what it is like: "most expensive"."""
    said = [at for at, told in enumerate(asked.asking) if end in told]
    behind = (at + 1 for at in said if at + 1 < len(asked.tokens) and at + 1 not in said)
    return bool(said) and not any(asked.concepts[at] & _EXTREMES for at in behind)


def _has_groups(column: str, table: Table) -> bool:
    """Tell whether a column parts rows into groups: its values are no amounts, and some are there more than once."""
    values = table.values(column)
    return column not in amounts(table) and 1 < len(set(values)) < len(values)


def _is_told(where: Sequence[Condition], named: Sequence[str], times: Sequence[str], title: Collection[int]) -> bool:
    """Tell whether rows or columns are named, and not only a day of the week, and when: "what time do we close on Thursday?"."""
    if where and all(one.kind == "weekday" for one in where) and not title:
        return any(name not in times for name in named)
    return bool(where or named)


def _of_several(where: Sequence[Condition], asked: _Question) -> set[int]:
    """Return words of values that name no columns: the stands of "mic stands" are no state, the first character of 日本 is no date."""
    names = (value for one in where if one.kind == "is" for value in one.values)
    within = {at for at in asked.used if asked.tokens[at].kind in UNSPACED}
    return within | {at for name in names if len(found := asked.find(name)) > 1 for at in found}


def _settled(measure: str, asked: _Question, table: Table, named: Sequence[str], title: set[int]) -> str:
    """Return what is measured where the words for it may say something else."""
    both = zip(asked.asking, asked.concepts, strict=True)
    is_aged = any(_tells(column, *_QUALITIES["age"]) for column in table.columns)
    if measure == "count" and is_aged and any("age" in one and "many" in told for one, told in both):
        return ""  # "how old is she?"
    counted = [column for column in named if is_numeric(table.values(column))]
    if measure == "sum" and title and not counted and asked.language in EAST and asked.has(_MEASURES["count"]):
        asked.used.update(asked.has(_MEASURES["sum"]))
        return "count"  # 一共有几个订单
    if measure == "sum" and not counted and _counts_things(asked):
        return "count"  # "combien d'animaux en tout"
    is_limited = any(unit.is_number and unit.token not in asked.used for unit in asked.units)
    spent = [at for at, told in enumerate(asked.asking) if "spent" in told]
    for end, extreme in _ENDS.items():
        said = [at for at, told in enumerate(asked.asking) if end in told]
        if said and measure in {"", "count", "sum"} and (len(counted) == 1 or spent) and not is_limited:
            asked.used.update(said)
            return extreme  # "quién tiene más líneas?"
    for quality, extreme in ((one, _ENDS[end]) for one, end in _BEST.items()):
        if measure in {"", extreme} and (said := [at for at, told in enumerate(asked.asking) if quality in told]):
            asked.used.update(said)
            return extreme  # "which day was better?"
    rest = [column for column in named if not words_for("priced") & set(plain(column).split())]
    is_sum = bool(spent) and not (measure or rest or is_limited or asked.has(("who", "which")))
    is_product = any(_PRODUCT in name for name in named) and bool(asked.asks({"worth", "price", "together"}))
    is_sum = is_sum or (not measure and (is_product or _is_of_whole(asked, table, named, title)))
    return "sum" if is_sum else measure  # "what did I spend at Lumen?"


def _is_of_whole(asked: _Question, table: Table, named: Sequence[str], title: set[int]) -> bool:
    """Tell whether a question asks how long, or how dear, all is that the table holds: "how long is the playlist?".

    Examples
    --------
    >>> songs = Table(("title", "length"), (("A", "3:40"), ("B", "4:30")))
    >>> str(query("how long is the morning playlist?", songs, name="morning.csv"))
    'sum length'
    """
    lengths = [name for name in named if _tells(name, *_QUALITIES["length"])]
    is_lasting = bool(asked.asks({"length", "lasts"}))
    is_long = len(named) == len(lengths) == 1 and is_lasting and not asked.has(_EXTREMES)
    money = {
        *asked.has(("money", "pay")),
        *asked.asks({"price", "worth"}),
        *(at for one in _MONEY for at in asked.means(one)),
    }
    is_all = bool(asked.has(("all",))) and bool(money - title) and bool(_amount(table, set(), is_money=True))
    is_how = bool(asked.has(("how", "many")) or asked.asks({"lasts"}) or asked.language in EAST)
    return bool(title) and ((is_long and is_how) or (is_all and not named))


def _counts_things(asked: _Question) -> bool:
    """Tell whether a number of things is asked for that no column is called by: what "how many" stands before is a noun.

    Examples
    --------
    >>> pets = Table(("name", "kg", "chipped"), (("Tom", "4", "yes"), ("Rex", "9", "no"), ("Mia", "3", "yes")))
    >>> str(query("combien d'animaux pucés en tout", pets, language="fr")), str(query("how much in total?", pets))
    ('count where chipped is yes', 'sum kg')
    """
    many = [at for at in asked.has(_COUNTING) if "much" not in asked.asking[at]]
    behind = [at + 1 for at in many if at + 1 < len(asked.tokens)]
    nouns = [
        at
        for at in behind
        if asked.tokens[at].kind == "word"
        and not (asked.concepts[at] & _UNCOUNTED or asked.asking[at] & {"much", "worth", "price"} or at in asked.used)
        and not (is_small(asked.tokens[at].text) or is_small_in(asked.tokens[at].folded, asked.language))
    ]
    return bool(nouns) and not asked.has(("money",)) and not asked.asks({"spent", "owed", "sold", "price", *_UNITS})


_UNCOUNTED = _ASKING | _MEASURING | _NEGATING | {"money", "pay", "all", "in", "size", "time", "value", "number"}
"""Concepts of words behind "how many" that are no things."""


def _turned(before: Query | None, asked: _Question, named: Sequence[str], before_times: Sequence[str]) -> str:
    """Return the other end of what was asked before: "and the least?" behind the largest.

    Examples
    --------
    >>> table = Table(("tea", "grams"), (("Assam", "3300"), ("Gyokuro", "240")))
    >>> str(query("e o menos?", table, parse("max grams, tea"), language="pt"))
    'min grams'
    """
    if before is None or before.measure not in {"max", "min"} or before.by or named:
        return ""
    said = {end: [at for at, told in enumerate(asked.asking) if end in told] for end in _ENDS}
    end = next((end for end, places in said.items() if places), "")
    asked.used.update(said.get(end, ()))
    turn = next((concept for concept in _TURNS if asked.has((concept,))), "") if before.column in before_times else ""
    asked.used.update(asked.has((turn,)) if turn else ())
    return _ENDS.get(end, "") or _TURNS.get(turn, "")  # "and who is last?"


def _goes_on_from(before: Query | None, found: Query, asked: _Question, table: Table) -> Query | None:
    """Return what a question goes on from; ``None`` where it is whole, and says nothing of what was told."""
    is_spaced = all(token.kind not in UNSPACED for token in asked.tokens)
    is_whole = (bool(found.where) and bool(found.wanted or found.column)) or (is_spaced and found.explained < 1)
    if before is not None and asked.asks({"that_day"}):
        asked.used.update(asked.asks({"that_day"}))
        times = {name for name in table.columns if _is_time(name, table)}
        return Query(tuple(one for one in before.where if one.column in times))
    own = lexicon_of(asked.language).concepts(asked.tokens)
    is_joined = any(told & _CONNECTING and "what" not in told for told in own) or points_back(asked.text)
    is_joined = is_joined or bool(asked.asks({"them"}))
    if before is None or (is_whole and not is_joined):
        return None
    is_of_one = len(before.rows(table)) == 1 or before.measure in {"max", "min"}
    if found.where and found.measure == "count" and is_of_one:
        return None  # one is not counted
    if found.where and not is_joined and asked.has(("who",)) and len(before.rows(table)) == 1:
        return None  # "who hasn't paid now?" is not asked of the one who was spoken of
    is_same = is_joined or not (found.where and before.measure in {"max", "min"})  # no "what is there on shelf A?"
    return before if is_same else before._replace(measure="", wanted=())


def _told_of_one(truths: Sequence[Condition], before: Query | None, table: Table, asked: _Question) -> str:
    """Return the column of yes and no that is asked of the one row that was told of."""
    is_one = before is not None and (before.measure in {"max", "min"} or len(before.rows(table)) == 1)
    is_asked = len(truths) == 1 and asks(asked.text) and bool(asked.has(("it",)))
    return truths[0].column if is_one and is_asked else ""


def _added_up(measure: str, before: Query | None, asked: _Question) -> str:
    """Return that what was told of is added up, where nothing else is measured: "what do those two cost together?"."""
    places = asked.asks({"together"})
    is_of_one = (before is None and not asked.asks({"much"})) or (measure == "count" and _counts_things(asked))
    if is_of_one or measure not in {"", "count"} or not places or asked.asks({"pieces"}):
        return measure
    asked.used.update(places)
    return "sum"


def _of_that_row(found: Query, before: Query | None, table: Table, asked: _Question) -> Query:
    """Return how much the one has who was told of, and no sum of all: "how much does she get?" behind "who comes last?".

    Examples
    --------
    >>> table = Table(("name", "arrives", "pay"), (("Ann", "8:30", "40"), ("Bo", "9:15", "60")))
    >>> str(query("and how much does he get?", table, parse("max arrives, name")))
    'pay'
    """
    is_of_one = before is not None and before.measure in {"max", "min"} and not before.by and not before.most
    is_summed = found.measure in {"sum", "count"} and bool(asked.asks({"much"}) or asked.has(("many",)))
    is_all = bool(asked.asks({"together", "pieces"}) or asked.has((*_MEASURES["sum"], "all", "each")))
    if before is None or not (is_of_one and is_summed) or is_all or found.where != before.where:
        return found
    column = found.column or _amount(table, set(), is_money=True)
    if column in {"", before.column}:
        return found._replace(measure=before.measure, column=before.column, wanted=before.wanted) if column else found
    return found._replace(measure="", column="", wanted=(column,))


def _is_much(before: Query | None, named: Sequence[str], asked: _Question) -> bool:
    """Tell whether a question asks how much it is, and names nothing that there could be a number of."""
    places = [] if before is None or named else asked.asks({"much"})
    asked.used.update(places)
    return bool(places)


def _opened(  # noqa: PLR0913 - what a question says
    before: Query, asked: _Question, measure: str, named: Sequence[str], title: set[int], *, has_rows: bool
) -> Query:
    """Return the question before without its rows where this one is about all rows: "and all together?", "the oldest member?"."""
    is_pointing = points_back(asked.text)
    is_shown = before.measure == "count" and bool(asked.has(("show", "list")))
    every = set(asked.has(("all",))) - title
    is_added = not before.measure or (before.measure == "count" and asked.asks({"much"}))
    is_of_shown = every <= set(asked.has(_MEASURES["sum"])) and is_added  # "und insgesamt?" of the rows shown
    is_over_time = any("month" in told for told in asked.asking)
    if every and is_over_time:  # "over all three months"
        return before._replace(where=tuple(one for one in before.where if one.kind not in {"month", "day", "year"}))
    is_bare = all(_PRODUCT in name for name in named)  # "what is all of that worth?"
    is_all = bool(every) and not (is_shown or is_of_shown or (is_pointing and is_bare))
    is_whole = measure in {"max", "min"} and bool(title) and not is_pointing
    if has_rows or not ((is_all and (before.measure or measure)) or is_whole):
        return before
    return before._replace(where=())


def _conditions(asked: _Question, table: Table, before: Query | None) -> Iterator[Condition]:
    """Return what the words of a question say of the rows."""
    asked.used.update(asked.asks({"hours", "weekly"}) if HOURS in table.columns else ())
    first = [one.column for one in before.where] if before is not None else []
    clocks = [name for name in table.columns if any(map(clock, table.values(name)))]  # "9 Uhr" is no part of a title
    weekly = {name: {value for value in table.values(name) if plain(value) in _WEEKDAYS} for name in table.columns}
    whole = [name for name in weekly if any(asked.find(value) or asked.translates(value) for value in weekly[name])]
    order_of = {name: (name not in first, name not in clocks, name not in whole) for name in table.columns}
    places = sorted(range(len(table.columns)), key=lambda place: order_of[table.columns[place]])
    for place in places:
        column = table.columns[place]
        values = [value for value in dict.fromkeys(row[place] for row in table.rows) if value]
        if not values or len(values) > _MOST_VALUES:
            continue
        days = [one for one in map(day, values) if one is not None]
        if len(days) * 2 > len(values):
            if (found := _when(asked, column, values)) is not None:
                yield found
            continue
        if all(len(value) == 1 or number(value) is not None for value in values):
            if (found := _numbered(asked, column, values, column in first)) is not None:
                yield found
            continue
        is_spoken = before is not None and table.delimiter == " "  # the words of a log that is spoken of
        found = _at_hour(asked, column, values) or _named(asked, column, values, is_text=is_spoken)
        if found is not None:
            yield found


def _beside(asked: _Question, table: Table, before: Query | None) -> list[Condition]:
    """Return the row behind the one that was spoken of, or before it: "and the week after?".

    Examples
    --------
    >>> table = Table(("week", "topic"), (("1", "loops"), ("2", "lists"), ("3", "files")))
    >>> str(query("and the week after?", table, parse("topic where week is 2")))
    'topic where week is 3'
    >>> str(query("und die Woche davor?", table, parse("rows where week is 2"), language="de"))
    'rows where week is 1'
    """
    said = {side: asked.asks({side}) for side in _NEXT}
    side = next((side for side, places in said.items() if places), "")
    rows = before.rows(table) if side and before is not None and len(before.where) == 1 else []
    if before is None or len(rows) != 1 or len(asked.tokens) > _FEW_TOKENS:
        return []
    column = before.where[0].column
    place = table.rows.index(rows[0]) + _NEXT[side]
    values = table.values(column)
    if not 0 <= place < len(values) or values.count(values[place]) > 1:
        return []
    asked.used.update(said[side], asked.means(column))
    return [Condition(column, "is", (values[place],))]


_HOUR_EAST = re.compile(r"(?P<hour>\d{1,2})\s*(?:時|时|点|點)(?!間|间)")


def _at_hour(asked: _Question, column: str, values: Sequence[str]) -> Condition | None:
    """Return the times that an hour means which is said without minutes: "at 9 pm", "um 21 Uhr", 夜9時.

    Examples
    --------
    >>> table = Table(("show", "start"), (("A", "09:30"), ("B", "21:00")))
    >>> str(query("what is on at 9 pm?", table)), str(query("was läuft um 21 Uhr?", table, language="de"))
    ('rows where start is 21:00', 'rows where start is 21:00')
    """
    times = {value: minutes for value in values if (minutes := clock(value)) is not None}
    if len(times) < len(values):
        return None
    east = _HOUR_EAST.search(asked.text)
    places = [
        at
        for at, token in enumerate(asked.tokens)
        if token.kind in {"number", "measure"} and at not in asked.used
        if (east is not None and token.start == east.start())
        or "oclock" in asked.asking[min(at + 1, len(asked.tokens) - 1)]
    ]
    hour = number(asked.tokens[places[0]].text) if len(places) == 1 else None
    late = asked.asks({"evening"})
    each = [] if hour is None else [hour + 12, hour] if late else [hour, hour + 12]
    met = [value for one in each for value, minutes in times.items() if minutes == 60 * one]
    if not met:
        return None
    asked.used.update({places[0], places[0] + 1}, late)
    return Condition(column, "is", (met[0],))


def _named(asked: _Question, column: str, values: Sequence[str], *, is_text: bool = False) -> Condition | None:
    """Return the values of a column that are said: whole, else by a word of theirs."""
    whole: dict[str, Sequence[int]] = {}
    for value in values:
        folded = plain(value)
        if folded in _TRUE | _FALSE or (len(folded) == 1 and folded.isascii()) or is_small(folded):
            continue
        name = _country(value) if value.isupper() else ""  # the country of a code
        as_written = asked.find(value) or asked.find(_ENDING.sub("", value)) or asked.translates(value)
        if tokens := as_written or asked.find(name) or (asked.translates(name) if name else []):
            whole[value] = tokens
    if whole:
        longest = {value: set(tokens) for value, tokens in whole.items()}
        kept = [value for value, tokens in longest.items() if not any(tokens < other for other in longest.values())]
        if all(set(whole[value]) <= asked.used for value in kept):
            return None  # said already by another column
        for value in kept:
            asked.used.update(whole[value])
        return Condition(column, "is", tuple(kept), asked.is_denied(min(min(whole[value]) for value in kept)))
    if sum(len(plain(value).split()) for value in values) > _WORDY * len(values) and not is_text:
        return None
    parted = [plain(value).split() for value in values]
    telling = {word for words_of_it in parted for word in words_of_it} - set(parted[0]).intersection(*parted[1:])
    said: dict[str, int] = {}
    shortest = _SHORTEST - 1 if asked.means(column) else _SHORTEST
    for unit in asked.units:
        if (
            len(unit.text) < shortest
            or unit.text.isdigit()
            or is_small(unit.text)
            or unit.token in asked.used
            or asked.concepts[unit.token] & (_ASKING | _NEGATING)
        ):
            continue
        same = {word for word in telling if _is_form_of(unit.text, word) or _is_case_of(unit, word, asked)}
        if not same and is_text and len(unit.text) > _NEAR:
            same = {word for word in telling if 0 < len(word) - len(unit.text) <= _NEAR and word.startswith(unit.text)}
        if not same and asked.language != "en":
            same = {word for word in telling if _is_kindred(unit.text, word)}  # "diagnostica": diagnostics
        for word in sorted(same):
            said[word] = unit.token
    if not said and asked.language != "en" and len(values) > 1:
        abroad = {word: places for word in sorted(telling) if (places := asked.abroad(word))}
        asked.used.update(*abroad.values())
        said = {word: places[0] for word, places in abroad.items()}
    said = said or _shortened(asked, telling)
    if not said:
        return None
    asked.used.update(said.values())
    return Condition(column, "has", tuple(said), asked.is_denied(min(said.values())))


def _shortened(asked: _Question, telling: Iterable[str]) -> dict[str, int]:
    """Return the one word of values that is said by its beginning: "maths", with the place where it is.

    Examples
    --------
    >>> table = Table(("name", "subject"), (("Ann", "Mathematics"), ("Bo", "Biology")))
    >>> str(query("who is in maths?", table)), str(query("who has a mat?", table))
    ('rows where subject has mathematics', 'rows')
    """
    for unit in asked.units:
        begin = stem(unit.text)
        if (
            len(begin) <= _SHORTEST
            or unit.token in asked.used
            or unit.is_number
            or asked.concepts[unit.token] - {"calculate"}
        ):
            continue
        met = [word for word in telling if word.startswith(begin) and len(word) - len(begin) > _NEAR]
        if len(met) == 1:
            return {met[0]: unit.token}
    return {}


@cache
def _countries() -> Mapping[str, str]:
    return {code: country for country, codes in read_rows("countries.tsv") for code in codes.split(", ")}


def _country(code: str) -> str:
    """Return the country that a code stands for; empty where it is none."""
    return _countries().get(code, "")


def _is_form_of(said: str, word: str) -> bool:
    """Tell whether a word is said, perhaps in another form: "vegetarians", "warnings" of WARN."""
    return stem(said) == stem(word) or (
        len(word) > _SHORTEST and 0 < len(said) - len(word) <= _NEAR + 1 and said.startswith(word)
    )


def _is_case_of(unit: _Unit, word: str, asked: _Question) -> bool:
    """Tell whether a name is said in another case, as in Polish: "zakupy Any", "Toma"."""
    is_name = asked.language == "pl" and unit.token > 0 and asked.tokens[unit.token].text[:1].isupper()
    bare = word[:-1] if word[-1:] in _VOWELS else word
    return is_name and len(bare) >= _SHORTEST - 1 and unit.text.startswith(bare) and len(unit.text) - len(bare) <= _NEAR


def _is_kindred(one: str, other: str) -> bool:
    """Tell whether two words have all but their ends in common: "allergic" and "allergies"."""
    shared = max(_LONG_STEM, max(len(one), len(other)) - _NEAR)
    return min(len(one), len(other)) >= shared and one[:shared] == other[:shared]


def _when(asked: _Question, column: str, values: Sequence[str]) -> Condition | None:
    """Return the day, month or year that is said."""
    days = {value: when for value in values if (when := day(value)) is not None}
    for read in (_dates, _months, _numbered_months, _year_or_day, _weekday):
        if (found := read(asked, column, days)) is not None:
            return found
    return None


def _dates(asked: _Question, column: str, days: Mapping[str, date]) -> Condition | None:
    """Return the whole dates that are said."""
    said = {when: place for place, token in enumerate(asked.tokens) if (when := day(token.text)) is not None}
    whole = {value: asked.find(value) for value in days}
    same = [value for value, when in days.items() if whole[value] or when in said]
    if not same:
        return None
    found = Condition(column, "is", tuple(same))
    asked.used.update(said.values(), *(whole[value] for value in same), _weekdays_of(asked, days, found))
    return found


def _months(asked: _Question, column: str, days: Mapping[str, date]) -> Condition | None:
    """Return the month that is named, or the day of it where a number stands with it."""
    months = table_of("month")
    have = {str(when.month) for when in days.values()}
    unit = next((unit for unit in asked.units if months.get(unit.text) in have), None)
    if unit is None:
        unspaced = [
            name for name, month in months.items() if month in have and not name.isascii() and name in asked.text
        ]
        name = max(unspaced, key=len, default="")
        asked.used.update(asked.find(name))
        return Condition(column, "month", (months[name],)) if name and asked.find(name) else None
    asked.used.add(unit.token)
    beside = (other for other in asked.units if 0 < abs(other.token - unit.token) <= _NEAR)
    for other in beside:
        said = _ORDINAL.fullmatch(other.text)  # "3rd June"
        if said is None:
            continue
        if (found := _of_day(column, days, (int(months[unit.text]), int(said["number"])))) is not None:
            asked.used.update((other.token, *_weekdays_of(asked, days, found)))
            return found
    return Condition(column, "month", (months[unit.text],))


def _weekdays_of(asked: _Question, days: Mapping[str, date], found: Condition) -> list[int]:
    """Return the words that only say on which day of the week the days are that were found: "Monday 3 June"."""
    names = {_WEEKDAYS[days[value].weekday()] for value in found.values}
    return [at for name in names for at in asked.means(name)]


def _numbered_months(asked: _Question, column: str, days: Mapping[str, date]) -> Condition | None:
    """Return the month that is said as a number, as in Japanese and Chinese."""
    match = _NUMBERED_MONTH.search(asked.text)
    if match is None or int(match["month"]) not in {when.month for when in days.values()}:
        return None
    asked.used.update(at for at, token in enumerate(asked.tokens) if match.start() <= token.start < match.end())
    if match["day"]:
        return _of_day(column, days, (int(match["month"]), int(match["day"])))
    return Condition(column, "month", (str(int(match["month"])),))


def _of_day(column: str, days: Mapping[str, date], wanted: tuple[int, int]) -> Condition | None:
    same = tuple(value for value, when in days.items() if (when.month, when.day) == wanted)
    return Condition(column, "is", same) if same else None


def _year_or_day(asked: _Question, column: str, days: Mapping[str, date]) -> Condition | None:
    """Return the year, or the day of a month, that a number says: "the 27th", "le 27"."""
    for unit in asked.units:
        found = _ORDINAL.fullmatch(unit.text)
        if found is None or unit.token in asked.used:
            continue
        said = int(found["number"])
        if said in {when.year for when in days.values()}:
            asked.used.add(unit.token)
            return Condition(column, "year", (str(said),))
        if unit.token and asked.concepts[unit.token - 1] & {_OVER, _UNDER}:
            continue  # "over 2" is a limit
        before = asked.tokens[unit.token - 1].folded if unit.token else ""
        following = asked.tokens[unit.token + 1].text if unit.token + 1 < len(asked.tokens) else ""
        is_day = bool(found["ending"]) or following in _DAY_SIGNS or is_small(before)
        if is_day and said in {when.day for when in days.values()}:
            asked.used.add(unit.token)
            return Condition(column, "day", (str(said),))
    return None


def _weekday(asked: _Question, column: str, days: Mapping[str, date]) -> Condition | None:
    """Return the day of the week that is said, where some of the dates are one.

    Examples
    --------
    >>> log = Table(("date", "text"), (("2025-03-07", "full"), ("2025-03-08", "on")))
    >>> str(query("what happened on Friday?", log)), str(query("was war am Freitag?", log, language="de"))
    ('rows where date weekday friday', 'rows where date weekday friday')
    """
    there = {_WEEKDAYS[when.weekday()] for when in days.values()}
    said = {name: places for name in sorted(there) if (places := asked.means(name)) and not asked.used & {*places}}
    if len(said) != 1:
        return None
    (name,) = said
    asked.used.update(said[name])
    return Condition(column, "weekday", (name,))


_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def _numbered(asked: _Question, column: str, values: Sequence[str], is_before: bool) -> Condition | None:
    """Return the number that is said of a column: it stands beside the column's name, or the question before was about it."""
    names = {token for part in plain(column).split() for token in asked.means(part)}
    for unit in asked.units:
        is_name = len(unit.text) > 1 and not unit.text.isdigit()  # a class is called "4b"
        if unit.token in asked.used or (len(unit.text) == 1 and unit.token in names and not unit.text.isdigit()):
            continue
        near = is_name or any(0 < abs(unit.token - place) <= 2 for place in names)  # noqa: PLR2004 - a small word between them
        same = tuple(
            value
            for value in values
            if plain(value) == unit.text or (unit.text.isdigit() and number(value) == int(unit.text))
        )
        if same and (near or is_before) and not asked.has((_OVER, _UNDER)):
            asked.used.update({unit.token, *names})
            return Condition(column, "is", same)
    return None


def _columns(asked: _Question, table: Table, title: set[int]) -> list[str]:
    """Return the columns that a question names, those whose whole name is said before the others.

    What only says the table's own name wants its rows: "the chores of week 42".
    """
    found: dict[str, tuple[float, int]] = {}
    said: dict[str, set[int]] = {}
    for column in table.columns:
        title_of_it = column.partition(_IS)[0]  # of a product
        parts = [part for part in plain(title_of_it).split() if not part[:1].isdigit() and not is_small(part)]
        hits = [(part, asked.means(part) if part not in _IDS else asked.says(part)) for part in parts]
        if set(parts) & _KEYS and not all(places for _, places in hits):
            asked.used.update(place for _, places in hits for place in places)
            continue  # "which bikes" are the rows, not bike_id
        met = [place for _, places in hits for place in places[:1] if place not in title]
        if not met and _is_truth(table.values(column)):
            is_done = not words_for("done").isdisjoint(parts)
            met = [at for part in parts for at in asked.denies(part)]  # "unpaid"
            met += [at for at, told in enumerate(asked.asking) if is_done and told & _STATES]  # "which are still open?"
            is_only = sum(_is_truth(table.values(one)) for one in table.columns) == 1
            met += [at for at, told in enumerate(asked.asking) if is_only and "yet" in told]  # "who has not paid yet?"
        told_by = [quality for quality, (nouns, units) in _QUALITIES.items() if _tells(column, nouns, units)]
        said_by = {*told_by, "lasts"} if "length" in told_by else {*told_by}
        qualities = [at for at, told in enumerate(asked.asking) if not told.isdisjoint(said_by)]
        qualities = qualities if is_numeric(table.values(column)) or is_of_lengths(column, table) else []
        if not met and qualities:
            met, hits = qualities, [("", qualities)]  # "the heaviest": mass_g
        sign = _unit_of(column)
        if not met and sign and [_unit_of(one) for one in table.columns].count(sign) == 1:
            met = [at for at, told in enumerate(asked.asking) if sign in told]  # "more than 8 grams": mass_g
            hits = [(sign, met)] if met else hits
        if met and len([1 for _, places in hits if places] or met) * 2 >= len(hits):
            found[column] = (-len(met) / (len(parts) or 1), min(met))
            said[column] = {place for _, places in hits for place in places} or set(met)
            asked.used.update(said[column], qualities)
            asked.used.update(place for part in parts if part in _IDS for place in asked.means(part))  # "phone number"
    label = label_of(table)
    names = {*asked.has(("name",))} - title if asked.has(("all", "only")) else set[int]()
    if not found and label and names:  # "the names of all broken machines"
        found[label], said[label] = (-1, min(names)), names
        asked.used.update(names)
    whole = [said[column] for column, (share, _) in found.items() if share == -1]
    part = [
        column
        for column, (share, _) in found.items()
        if any(said[column] < one or (share > -1 and said[column] == one) for one in whole)
    ]
    return sorted((name for name in found if name not in part), key=lambda name: found[name])


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
    asked = _question(text, language, (column,))
    return any(asked.means(part) for part in plain(column).split() if not is_small(part))


def _tells(column: str, nouns: Iterable[str], units: Iterable[str]) -> bool:
    """Tell whether a column is called by one of several nouns, in whatever language, or ends in a unit."""
    parts = [part for part in plain(column).split() if not is_small(part)]
    same = frozenset().union(*({stem(noun), *related_words(noun)} for noun in nouns))
    return _unit_of(column) in {*units} or any(stem(part) in same for part in parts)


def _unit_of(column: str) -> str:
    """Return the sign of a unit that a column's name ends in."""
    sign = column.casefold().replace("(", " ").replace(")", " ").replace("_", " ").split()[-1:]
    return sign[0] if sign and sign[0] in _UNITS else ""


def _truths(asked: _Question, table: Table, named: list[str], spent: set[str]) -> Iterator[Condition]:
    """Return the columns of yes and no that a question names: those that are, or are not."""
    for column in list(named):
        if column in spent or not _is_truth(table.values(column)):
            continue
        if _is_either(asked, column):
            named.remove(column)
            continue  # "paid or not"
        denied = {at for part in plain(column).split() for at in asked.denies(part)}
        denied.update(at for at, told in enumerate(asked.asking) if told & {"not", "open", "yet"})
        denying = [at for at in asked.has(_NEGATING) if asked.negates(at)]
        asked.used.update(at for at, told in enumerate(asked.asking) if "done" in told)
        asked.used.update(denied)
        wants = _FALSE if denied or denying else _TRUE
        asked.used.update(denying)
        named.remove(column)
        yield Condition(
            column, "is", tuple(value for value in dict.fromkeys(table.values(column)) if plain(value) in wants)
        )


def _is_either(asked: _Question, column: str) -> bool:
    """Tell whether a question says of a column that it may be yes or no, and explain the words that say so.

    Examples
    --------
    >>> bills = Table(("who", "amount", "paid"), (("Ann", "3", "yes"), ("Bo", "4", "no")))
    >>> str(query("the total amount, paid or not", bills)), str(query("the total amount not paid", bills))
    ('sum amount', 'sum amount where paid is no')
    """
    places = [at for part in plain(column).split() for at in asked.means(part)]
    negating = {*asked.has(_NEGATING), *asked.asks({"not"})}
    both = [(at, at + 1, at + 2) for at in places if "or" in asked.concepts[min(at + 1, len(asked.concepts) - 1)]]
    found = [three for three in both if three[-1] in negating]
    asked.used.update(at for three in found for at in three)
    return bool(found)


def _is_truth(cells: Sequence[str]) -> bool:
    """Tell whether cells hold yes and no, and nothing else."""
    values = {plain(value) for value in cells}
    return values <= _TRUE | _FALSE and len(values) == 2  # noqa: PLR2004 - yes and no


def is_yes_or_no(condition: Condition) -> bool:
    """Tell whether a condition says that a column is yes, or no."""
    return condition.kind == "is" and {plain(value) for value in condition.values} <= _TRUE | _FALSE


def _limits(asked: _Question, table: Table, named: list[str]) -> Iterator[Condition]:
    """Return the limit that a question sets to a column of numbers."""
    if (found := _in_years(asked, table) or _set_against(asked, table) or _out_of_range(asked, table)) is not None:
        for name in {found.column, *found.values} & {*named}:
            named.remove(name)
        yield found
        return
    kind = "over" if asked.has((_OVER,)) else "under" if asked.has((_UNDER,)) else ""
    two = [name for name in named if is_numeric(table.values(name))]
    if kind and len(two) == 2 and not any(unit.is_number for unit in asked.units):  # noqa: PLR2004 - one against the other
        first, second = sorted(two, key=lambda name: (asked.first(name), len(name)))
        for name in two:
            named.remove(name)
        yield Condition(first, f"{kind} of", (second,))
        return
    given = [
        unit
        for unit in asked.units
        if unit.is_number and unit.token not in asked.used and number(asked.tokens[unit.token].text) is not None
    ]
    if not kind or len({unit.token for unit in given}) != 1:
        return
    columns = [name for name in named if is_numeric(table.values(name))] or amounts(table)
    if len(columns) > 1 and not any(is_numeric(table.values(name)) for name in named):
        is_money = bool(asked.has(("money", "pay")))
        columns = [name for name in [_amount(table, set(), is_money=is_money)] if name]  # "fewer than 5 of what?"
    if len(columns) == 1:
        asked.used.add(given[0].token)
        limit = number(asked.tokens[given[0].token].text)
        if columns[0] in named:
            named.remove(columns[0])
        yield Condition(columns[0], kind, (str(limit),))


def _set_against(asked: _Question, table: Table) -> Condition | None:
    """Return that a column has its limit in another one, where no number is said: "what is below its minimum?".

    Examples
    --------
    >>> stock = Table(("item", "quantity", "minimum", "price"), (("tea", "3", "5", "2"), ("bun", "9", "4", "1")))
    >>> str(query("what is below its minimum?", stock)), str(query("which is the lowest price?", stock))
    ('rows where quantity under of minimum', 'min price')
    """
    limits = _limiting(asked, table)
    columns = [name for name in amounts(table) if limits & {*(asked.find(name) or _alike_in_measure(asked, name))}]
    if len(columns) != 1 or any(unit.is_number and unit.token not in asked.used for unit in asked.units):
        return None
    rest = [name for name in amounts(table) if name not in columns]
    said = [name for name in rest if {*asked.find(name)} - limits]
    counted = [name for name in rest if set(plain(name).split()) & words_for("counted")]
    one = next((found[0] for found in (said, rest, counted) if len(found) == 1), "")
    sides = _sides_said(asked, limits)
    if not one:
        return None
    asked.used.update((*limits, *sides))
    return Condition(one, f"{'over' if max(sides.items())[1] == _OVER else 'under'} of", (columns[0],))


def _out_of_range(asked: _Question, table: Table) -> Condition | None:
    """Return that a column is above, or below, what two others say that it may be: "which values are not normal?".

    Examples
    --------
    >>> lab = Table(("test", "value", "low", "high"), (("ALT", "188", "10", "125"), ("urea", "4.2", "5", "11"), ("iron", "9", "5", "15")))
    >>> str(query("which value is too high?", lab)), str(query("welche sind nicht normal?", lab, language="de"))
    ('rows where value over of high', 'rows where value outside of low or high')
    """
    said = {kind: asked.asks({kind}) for kind in ("too_high", "too_low", "abnormal")}
    kind = next((kind for kind, places in said.items() if places), "")
    free = amounts(table) if kind else []
    both = [[name for name in free if set(plain(name).split()) & words_for(end)] for end in ("lower", "upper")]
    rest = [name for name in free if not any(name in one for one in both)]
    if len(rest) != 1 or not all(len(one) == 1 for one in both):
        return None
    asked.used.update(said[kind], asked.find(rest[0]))
    (lower,), (upper,) = both
    if kind == "abnormal":
        return Condition(rest[0], _OUTSIDE, (lower, upper))
    return Condition(rest[0], "over of", (upper,)) if kind == "too_high" else Condition(rest[0], "under of", (lower,))


def _sides_said(asked: _Question, limits: set[int]) -> dict[int, str]:
    """Return the words by which something is over, or under, what is named right behind them."""
    own = lexicon_of(asked.language).concepts(asked.tokens)
    ends = {*asked.has(_MEASURING), *asked.asks(_ENDS)}  # "who has most lines?"
    both = ((at, side) for at, told in enumerate(own) for side in (_OVER, _UNDER) if side in told and at not in ends)
    return {at: side for at, side in both if at not in limits and any(0 < one - at <= _NEAR for one in limits)}


def _limiting(asked: _Question, table: Table) -> set[int]:
    """Return the words for a column of numbers right behind "below" or "above": they ask for no measure then."""
    named = {at for name in amounts(table) for at in asked.find(name) or _alike_in_measure(asked, name)}
    sides = _sides_said(asked, named)
    return {at for at in named if any(0 < at - side <= _NEAR for side in sides)}


def _alike_in_measure(asked: _Question, column: str) -> list[int]:
    """Return the words of a language for what a column is called that is called as a measure is: "minimo" of "minimum"."""
    told = [one & _MEASURING for one in lexicon().concepts(words(column))]
    is_one = len(told) == 1 and bool(told[0])
    return [at for at, one in enumerate(asked.concepts) if is_one and one & told[0]]


def _in_years(asked: _Question, table: Table) -> Condition | None:
    """Return the years that are meant: "before 2020", "seit 2021"."""
    columns = [name for name in table.columns if is_numeric(table.values(name)) and _is_time(name, table)]
    for place, token in enumerate(asked.tokens):
        if len(columns) != 1 or token.kind != "number" or number(token.text) is None:
            continue
        near = range(max(0, place - _NEAR), min(len(asked.tokens), place + _NEAR))
        said = {kind: at for at in near for kind in _SIDES if kind in asked.asking[at]}
        if said.get("since", -1) > place and asked.language not in EAST:
            del said["since"]  # "laufen 2024 ab"
        if said:
            kind = min(said, key=lambda one: abs(said[one] - place))
            asked.used.update({place, said[kind]})
            limit = number(token.text) or Decimal(0)
            return Condition(columns[0], _SIDES[kind], (str(limit - (kind == "since")),))
    return None


def _continued(found: Query, before: Query, table: Table, asked: _Question) -> Query:
    """Take from the question before what a follow-up leaves out."""
    new = {one.column for one in found.where}
    if found.measure in {"max", "min"}:
        new.update(found.wanted)  # "who paid most?" is not about the one who was asked about before
    where = (*(one for one in before.where if one.column not in new), *found.where)
    rows = found._replace(where=where).rows(table)
    if (found.where and not rows) or (found.measure in {"max", "min"} and len(rows) < 2):  # noqa: PLR2004 - the most of one
        where = found.where
    wanted, measure, column = found.wanted, found.measure, found.column
    remeasured = (
        {"sum", "mean"} if points_back(asked.text) else {"sum", "mean", "max", "min"}
    )  # "and in sport?", and not "and her age?"
    if not measure and not wanted:
        is_count = before.measure == "count" and not found.where  # "which ones?"
        is_count = is_count or bool(asked.has(("row", "line")) and asked.has(("show", "list")))
        is_count = is_count or bool(found.where and before.measure in {"sum", "mean"} and asked.has(("which", "who")))
        is_count = is_count or bool(found.where and asked.has(("list",)))  # "give me a list of those under 40 hours"
        wanted, measure, column = before.wanted, "" if is_count else before.measure, "" if is_count else before.column
    elif measure and not wanted and before.column and measure in {"max", "min", "sum", "mean"} and not found.column:
        column = before.column
    elif wanted and not measure and before.measure in remeasured and wanted[0] in {before.column, *amounts(table)}:
        measure, column, wanted = before.measure, wanted[0], wanted[1:]
    return found._replace(where=where, wanted=wanted, measure=measure, column=column, is_grounded=True)


def _measured(found: Query, table: Table, *, is_time: bool, is_money: bool) -> Query:
    """Settle the column that is measured."""
    if not found.measure or found.column:
        return found
    is_added = found.measure in {"sum", "mean"}
    numeric = [name for name in found.wanted if is_numeric(table.values(name)) or is_of_lengths(name, table)]
    numeric = [name for name in numeric if not (is_added and _is_running(table.values(name)))]
    priced = [name for name in numeric if set(plain(name).split()) & words_for("priced")]
    numeric = (
        priced if is_money and priced and found.measure in {"max", "min"} else numeric
    )  # and not how many there are
    numeric.sort(key=lambda name: _PRODUCT not in name)
    dated = [name for name in found.wanted if any(map(day, table.values(name)))]
    if is_money and not is_time and _amount(table, set(), is_money=True):
        dated = []  # "on which day did we earn most?"
    dated = [] if is_added else dated
    column = next(iter([*dated, *numeric] if is_time else [*numeric, *dated]), "")
    spent = {one.column for one in found.where}
    if is_time and not column:
        times = [name for name in table.columns if _is_time(name, table) and name not in spent]
        column = times[0] if times else ""
    if not column and found.measure in {"max", "min", "mean", "sum"}:
        column = _amount(table, spent, found.measure, is_money=is_money)
    if found.measure == "count" and column and column not in amounts(table):
        column = ""
    if found.measure == "count" and not column and is_money and len(found.wanted) == 0:
        column = _amount(table, spent, is_money=is_money)
    if found.measure == "count" and not (column or found.wanted) and (things := _things_told(found, table)):
        kinds = words_for("counted") | ({"amount"} if "unit" in map(plain, table.columns) else set())
        counted = [name for name in amounts(table) if set(plain(name).split()) & kinds]
        if len(counted) == 1 and counted[0] not in spent:
            is_one = things == 1
            return found._replace(
                measure="" if is_one else "sum", column="" if is_one else counted[0], wanted=(counted[0],) * is_one
            )
    if found.measure == "distinct":
        column = next(iter(found.wanted), "")
    measure = "sum" if found.measure == "count" and column else found.measure
    wanted = tuple(name for name in found.wanted if name != column)
    return found._replace(column=column, measure=measure, wanted=wanted)


def _things_told(found: Query, table: Table) -> int:
    """Return how many rows are told by what each has its own of: "how much coffee is left?" counts no rows; 0 where they are not.

    Examples
    --------
    >>> store = Table(("id", "item", "qty"), (("P1", "sword", "5"), ("P2", "tea set", "2")))
    >>> _things_told(Query((Condition("item", "has", ("sword",)),)), store), _things_told(Query(), store)
    (1, 0)
    """
    own = {name for name in (table.columns[0], label_of(table)) if name}
    own = {name for name in own if len(set(table.values(name))) == len(table.rows)}
    is_told = bool(found.where) and all(one.column in own and one.kind in {"is", "has"} for one in found.where)
    return len(found.rows(table)) if is_told else 0


def _by_age(found: Query, asked: _Question) -> Query:
    """Return a query that takes who is oldest for the one with most years, where a column of ages is wanted."""
    is_age = any(_tells(name, *_QUALITIES["age"]) for name in found.wanted)
    times = asked.said(_TIMES)
    return (
        found._replace(measure="max" if "oldest" in times else "min") if found.measure and times and is_age else found
    )


def _sized(found: Query, table: Table, asked: _Question, *, is_titled: bool) -> Query:
    """Settle the column of the largest and the smallest where nothing else tells which is measured: the only one of sizes."""
    is_long = bool(asked.has(("longest", "shortest"))) and not asked.asks({"price", "most", "least"})
    if is_long and found.column not in found.wanted and set(plain(found.column).split()) & words_for("priced"):
        return found._replace(column="")  # what is long is not dear
    found = found._replace(is_grounded=found.is_grounded or (is_titled and bool(found.column)))
    if found.measure not in {"max", "min"} or found.column or not asked.has(("largest", "smallest")):
        return found
    spent = {one.column for one in found.where}
    sized = [name for name in amounts(table) if _tells(name, *_SIZED) and name not in spent]
    is_one = len(sized) == 1
    return found._replace(column=sized[0], is_grounded=found.is_grounded or is_titled) if is_one else found


def _amount(table: Table, spent: set[str], measure: str = "", *, is_money: bool) -> str:
    """Return the column with the amounts that nobody named: the only one, else the only one of money, or of things."""
    free = [name for name in amounts(table) if name not in spent]
    products = [name for name in free if _IS in name]
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
    >>> table = Table(("title", "length", "start"), (("A", "3:40", "20:00"), ("B", "4:30", "21:00")))
    >>> is_of_lengths("length", table), is_of_lengths("start", table), answer(query("total length", table), table).value
    (True, False, '8:10')
    """
    values = [value for value in table.values(column) if value]
    is_called = bool(words_for("lasting") & {*plain(column).split(), plain(column)})
    return is_called and bool(values) and None not in map(_length, values)


_LENGTH = re.compile(r"\d+(?::[0-5]\d){1,2}")


def _length(cell: str) -> int | None:
    """Return the seconds of "4:20", and of "1:04:20"; ``None`` of anything else."""
    parts = cell.strip().split(":")
    is_length = _LENGTH.fullmatch(cell.strip()) is not None
    return sum(int(part) * 60**place for place, part in enumerate(reversed(parts))) if is_length else None


def _length_written(seconds: int, like: Sequence[str]) -> str:
    """Write seconds as the cells of a column have them."""
    minutes, rest = divmod(seconds, 60)
    hours, of_hour = divmod(minutes, 60)
    return f"{hours}:{of_hour:02d}:{rest:02d}" if any(cell.count(":") > 1 for cell in like) else f"{minutes}:{rest:02d}"


def _is_time(column: str, table: Table) -> bool:
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
        and not set(plain(name).split()) & set(_IDS)
        and not (_is_time(name, table) or _is_running(table.values(name)))
    ]


def _is_running(values: Sequence[str]) -> bool:
    """Tell whether values only number the rows, one after the other: nobody adds up the numbers of invoices.

    Examples
    --------
    >>> _is_running(["301", "302", "303"]), _is_running(["1", "2"]), _is_running(["3", "4", "9"])
    (True, False, False)
    """
    is_whole = len(values) > 2 and all(map(str.isdecimal, values))  # noqa: PLR2004 - two may be so by chance
    return is_whole and [int(value) for value in values] == [*range(int(values[0]), int(values[0]) + len(values))]


def is_numeric(values: Sequence[str]) -> bool:
    """Tell whether all values there are are numbers."""
    read = numbers([value for value in values if value])
    return bool(read) and None not in read


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
    lengths = [] if measure == "count" else [one for cell in cells if (one := _length(cell)) is not None]
    if lengths:
        return _length_written(sum(lengths) if measure == "sum" else round(sum(lengths) / len(lengths)), cells)
    read = [one for one in numbers(cells) if one is not None]
    if not read:
        return ""
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
        ranks = sorted(told, key=lambda name: number(told[name]) or Decimal(0), reverse=asked.order == _ORDERS["down"])
        told = {name: told[name] for name in (ranks[: asked.most] if asked.most else ranks)}
    if asked.end and told:
        pick = max if asked.end == "most" else min
        best = pick(number(value) or Decimal(0) for value in told.values())
        told = {name: value for name, value in told.items() if number(value) == best}
        rows = [row for name in told for row in groups[name]]
    return Found(tuple(rows), ("; " if asked.end else "\n").join(f"{name}: {value}" for name, value in told.items()))


def _extreme(asked: Query, table: Table, rows: Sequence[tuple[str, ...]], place: int) -> Found:
    """Return the rows with the largest or the smallest value of a column."""
    keys = order([row[place] for row in rows])
    usable = sorted(
        ((key, row) for key, row in zip(keys, rows, strict=True) if key[0] == 0),
        key=lambda pair: pair[0],
        reverse=asked.measure == "max",
    )
    if asked.most or not usable:
        return Found(tuple(row for _, row in usable[: asked.most]))
    best = tuple(row for key, row in usable if key == usable[0][0])
    return Found(best, _with_wanted(asked, table, best[:_FEW], best[0][place]))


def _with_wanted(asked: Query, table: Table, rows: Sequence[Sequence[str]], value: str) -> str:
    """Return a value behind what was wanted beside it, of each row that has it: "rosemary; thyme: 4.20"."""
    places = [table.columns.index(name) for name in asked.wanted]
    wanted = "; ".join(dict.fromkeys(", ".join(row[place] for place in places) for row in rows))
    return f"{wanted}: {value}" if wanted else value


def spoken_of(text: str, table: Table) -> Condition | None:
    """Return the few rows of a table whose names an answer holds: whom "what is her phone number?" is about.

    Examples
    --------
    >>> table = Table(("name", "phone"), (("Gerrit Bos", "0677"), ("Eva Nowak", "0655")))
    >>> str(spoken_of("The key is with Gerrit.", table)), spoken_of("nobody has it", table)
    ('name is "Gerrit Bos"', None)
    """
    said = plain(text).split()
    for place, column in enumerate(table.columns):
        values = [value for value in dict.fromkeys(row[place] for row in table.rows) if number(value) is None]
        firsts = [plain(value).split()[:1] for value in values]
        whole = [value for value in values if _is_within(plain(value).split(), said)]
        first = [
            value
            for value, one in zip(values, firsts, strict=True)
            if one and one[0] in said and firsts.count(one) == 1 and len(one[0]) >= _SHORTEST
        ]
        met = whole or (first if _has_names(values) else [])
        if 0 < len(met) <= _FEW and len(met) < len(values) and len(values) * 2 > len(table.rows):
            return Condition(column, "is", tuple(met))
    return None


def _is_within(parts: Sequence[str], said: Sequence[str]) -> bool:
    """Tell whether words stand behind each other in others."""
    if not parts or len(" ".join(parts)) < _SHORTEST:
        return False
    return any(said[at : at + len(parts)] == list(parts) for at in range(len(said) - len(parts) + 1))


def _has_names(values: Sequence[str]) -> bool:
    """Tell whether most values are names of two or three words."""
    return sum(1 < len(value.split()) <= _WORDY and value[:1].isupper() for value in values) * 2 > len(values)


def ranked(text: str, language: str, column: str = "") -> tuple[bool, int]:
    """Return whether a request wants rows from the largest down, and how many of them; 0 for all.

    By a column of ages the oldest are those with the most.

    Examples
    --------
    >>> ranked("sort the parts by price, most expensive first, only the top 3", "en"), ranked("trie du plus ancien au plus récent", "fr")
    ((True, 3), (False, 0))
    >>> ranked("sorteer op naam van z naar a", "nl"), ranked("sort by age, youngest first", "en", "age")
    ((True, 0), (False, 0))
    """
    tokens = words(text)
    told = lexicon().concepts(tokens)
    extremes = [one & _MEASURING for one in told if one & _EXTREMES]
    is_first_largest = bool(extremes and extremes[0] & set(_MEASURES["max"]))
    if extremes and extremes[0] & _TIMES and _tells(column, *_QUALITIES["age"]):
        is_first_largest = not is_first_largest
    is_turned = any("reverse" in one for one in told)
    is_down = "down" in said_of_tables(text, language) or is_first_largest or is_turned
    counts = map(_number_said, tokens, lexicon_of(language).concepts(tokens))
    given = [count for count in counts if count]
    return is_down, given[0] if len(given) == 1 else 0


def _counted_off(asked: _Question) -> int:
    """Return the number right before a superlative, which is no day and no value: "the 3 dearest repairs"; 0 for none."""
    _explain_span(asked)
    extremes = asked.has(_EXTREMES)
    for unit in asked.units:
        if unit.is_number and unit.token + 1 in extremes and unit.text.isdigit():
            asked.used.add(unit.token)
            return int(unit.text)
    return 0


def _how_many(asked: _Question) -> int:
    """Return how many rows are wanted of those with the most, or the least: "the three dearest parts"; 0 for one."""
    counts = lexicon_of(asked.language).concepts(asked.tokens)
    said = [
        (place, count)
        for place, token in enumerate(asked.tokens)
        if place not in asked.used and (count := _number_said(token, counts[place])) > 1
    ]
    if len(said) != 1:
        return 0
    asked.used.add(said[0][0])
    return said[0][1]


def said_of_tables(text: str, language: str) -> frozenset[str]:
    """Return what a request says in the words of questions about tables (``data/reading/asked.tsv``).

    Examples
    --------
    >>> sorted(said_of_tables("wat scheelt dat?", "nl")), sorted(said_of_tables("from high to low", "en"))
    (['apart'], ['down'])
    """
    return frozenset[str]().union(*words_of_tables(language).concepts(words(text)))


def says_state(text: str, language: str) -> str:
    """Return which of the things to be done a request is about: those that are ``open``, those that are ``done``; else empty."""
    said = said_of_tables(_without_opening(text), language)
    said |= {"open"} if "rest" in said else frozenset()
    is_not = bool(_NEGATING & frozenset[str]().union(*lexicon_of(language).concepts(words(text))))
    return (
        "open" if "open" in said or ("done" in said and (is_not or "not" in said)) else "done" if "done" in said else ""
    )


def _without_opening(text: str) -> str:
    """Leave out the verb in front of what is to be opened: it says nothing of what is open.

    Examples
    --------
    >>> _without_opening("open the todo list"), _without_opening("open tasks in todo.md")
    (' the todo list', 'open tasks in todo.md')
    """
    first, second = [*words(text)[:2], None, None][:2]
    is_verb = first is not None and second is not None and (second.kind == "file" or is_small(second.text))
    return text[first.end :] if first is not None and is_verb and first.folded == "open" else text


def _number_said(word: Word, told: Iterable[str]) -> int:
    """Return the number that a word is, from two to twelve also in words; 0 where it is none."""
    if word.kind == "number" and word.text.isdigit():
        return int(word.text)
    return next((place for place, name in enumerate(_NUMBERS, 2) if name in told), 0)


@cache
def words_of_tables(language: str) -> Lexicon:
    """Return the words of questions about tables in a language, or in all."""
    return Lexicon([row for row in read_rows("asked.tsv") if language in {"", row[1]} and row[0] not in _OF_COLUMNS])


@cache
def words_for(concept: str) -> frozenset[str]:
    """Return the words of all languages for a concept of ``data/reading/asked.tsv``, as they stand in names."""
    return frozenset(
        plain(word) for one, _, listed in read_rows("asked.tsv") if one == concept for word in listed.split(", ")
    )


class Leaf(NamedTuple):
    """Values of a JSON file that a question is about."""

    path: tuple[str, ...]
    """Keys that lead to it."""
    values: tuple[tuple[str, str], ...]
    """What is below, by the rest of its path."""
    explained: float
    said: int = 0
    """How many keys of its path the question names."""
    measure: str = ""
    """Whether their sum, or how many there are, is asked for."""
    total: str = ""
    """What that comes to."""
    is_truth: bool = False
    """Whether it is asked if a value of yes and no is on, and nothing else."""
    is_whole: bool = False
    """Whether all of its key is said."""


def leaf(text: str, data: object, before: Sequence[str] = (), language: str = "en") -> Leaf | None:
    """Find what a question asks of a JSON file.

    Parameters
    ----------
    text : str
        The question.
    data : object
        What the file holds.
    before : sequence of str
        Keys that the question before was about.
    language : str
        Of the question.

    Returns
    -------
    Leaf or None
        ``None`` when no key is named, or several fit.

    Examples
    --------
    >>> prices = {"ticket": {"adult": 6, "child": 3}, "hours": {"monday": "closed"}}
    >>> leaf("what is a child ticket?", prices).path, leaf("und am Montag?", prices).values
    (('ticket', 'child'), (('hours.monday', 'closed'),))
    >>> leaf("what is the total income?", {"income": {"fees": 20, "gifts": 5}}).total
    '25'
    >>> leaf("how many colours does the map have?", {"map": {"colours": ["red", "blue"], "scale": 5}}).total
    '2'
    >>> leaf("is the wifi on?", {"wifi": False, "bar": True}).explained
    1.0
    """
    nodes = dict(_nodes(data))
    asked = _question(text, language, dict.fromkeys(key for path in nodes for key in path if not key.isdigit()))
    days = _days_of(nodes)
    said = {
        part: frozenset(asked.means(days.get(part, part)))
        for path in nodes
        for key in path
        for part in plain(key).split()
        if not is_small(part)
    }
    scored: list[tuple[float, int, int, tuple[str, ...], frozenset[int]]] = []
    for path in nodes:
        tokens = frozenset(token for key in path for part in plain(key).split() for token in said.get(part, ()))
        own = frozenset(token for part in plain(path[-1]).split() for token in said.get(part, ()))
        if not own:
            continue
        shared = next(
            (place for place, (one, other) in enumerate(zip(path, before, strict=False)) if one != other),
            min(len(path), len(before)),
        )
        parts = [part for part in plain(path[-1]).split() if not is_small(part)]
        whole = len([part for part in parts if said.get(part)]) / (len(parts) or 1)
        scored.append((len(tokens) + whole, shared, -len(path), path, tokens))
    if not scored:
        return _priced(asked, nodes)
    best = max(row[:3] for row in scored)
    found = [row for row in scored if row[:3] == best]
    if len(found) > 1:
        return None
    _, _, _, path, tokens = found[0]
    if (
        len(before) > len(path) and (*path, *before[len(path) :]) in nodes
    ):  # "and Saturday?" after when it opens on Sunday
        path = (*path, *before[len(path) :])
    asked.used.update(tokens)
    path = _told_below(asked, path, nodes)
    below = tuple((".".join((*path, *rest)), value) for rest, value in _below(nodes[path]))
    keys = sum(any(said.get(part) for part in plain(key).split()) for key in path)
    is_active = len(below) == 1 and below[0][1] in {"true", "false"} and bool(asked.asks({"active"}))
    asked.used.update(asked.asks({"active"}) if is_active else ())  # "is debug on?"
    amounts_below = [number(value) for _, value in below]
    measure = total = ""
    if len(below) > 1 and None not in amounts_below and (summed := asked.has(_MEASURES["sum"])):
        asked.used.update(summed)
        measure, total = "sum", written(sum((one for one in amounts_below if one is not None), Decimal()))
    elif isinstance(held := nodes[path], list) and asked.has(_MEASURES["count"]):
        measure, total = "count", str(len(held))
    explained = asked.explained()
    is_whole = all(said.get(part) for part in plain(path[-1]).split() if not is_small(part))
    return Leaf(path, below, explained, keys, measure, total, is_active and explained == 1, is_whole)


def _told_below(asked: _Question, path: tuple[str, ...], nodes: Mapping[tuple[str, ...], object]) -> tuple[str, ...]:
    """Return the path of the one value below another that says when, where or how long it is, where a question asks so.

    Examples
    --------
    >>> exam = {"exam": {"date": "2025-06-18", "room": "H3", "minutes": 90}}
    >>> [leaf(said, exam).path for said in ("where is the exam?", "how long is the exam?", "what is the exam?")]
    [('exam', 'room'), ('exam', 'minutes'), ('exam',)]
    """
    held = nodes[path]
    if not isinstance(held, Mapping):
        return path
    found: list[str] = []
    if places := asked.has(("where",)):
        found += [key for key in map(str, held) if set(plain(key).split()) & words_for("located")]
        asked.used.update(places if found else ())
    if places := asked.has(("when",)):
        found += [str(key) for key, value in held.items() if day(_text(value)) or clock(_text(value)) is not None]
        asked.used.update(places if found else ())
    for quality, (nouns, units) in _QUALITIES.items():
        if places := asked.asks({quality}):
            found += [key for key in map(str, held) if _tells(key, nouns, units)]
            asked.used.update(places if found else ())
    return (*path, found[0]) if len(found) == 1 else path


def _priced(asked: _Question, nodes: Mapping[tuple[str, ...], object]) -> Leaf | None:
    """Return the only price of a file, where it is asked how much something costs."""
    priced = [path for path in nodes if set(plain(path[-1]).split()) & words_for("priced")]
    places = asked.asks({"price"})
    if len(priced) != 1 or not places:
        return None
    asked.used.update(places)
    return Leaf(priced[0], ((".".join(priced[0]), _text(nodes[priced[0]])),), asked.explained(), 1)


def _days_of(nodes: Iterable[tuple[str, ...]]) -> Mapping[str, str]:
    """Return which keys are short names of days of the week, with those days: several of them stand beside each other.

    Examples
    --------
    >>> dict(_days_of([("open", "za"), ("open", "zo"), ("open", "ma"), ("do",)]))
    {'za': 'saturday', 'zo': 'sunday', 'ma': 'monday'}
    """
    short = table_of("weekday")
    beside: dict[tuple[str, ...], dict[str, str]] = {}
    for *above, key in nodes:
        for part in plain(key).split():
            if part in short:
                beside.setdefault(tuple(above), {})[part] = short[part]
    return {part: day for one in beside.values() if len(one) >= _SEVERAL_DAYS for part, day in one.items()}


def _nodes(data: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    """Return all that has a key, with its path."""
    entries: Iterable[tuple[str, object]] = ()
    if isinstance(data, Mapping):
        entries = ((str(key), value) for key, value in data.items())
    elif isinstance(data, list):
        entries = ((str(place), value) for place, value in enumerate(data, 1))
    for key, value in entries:
        yield (*path, key), value
        yield from _nodes(value, (*path, key))


def _below(data: object) -> Iterator[tuple[tuple[str, ...], str]]:
    """Return the values below a node; what is a list of values is one."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            for rest, said in _below(value):
                yield (str(key), *rest), said
    elif isinstance(data, list) and any(isinstance(one, Mapping | list) for one in data):
        for place, value in enumerate(data, 1):
            for rest, said in _below(value):
                yield (str(place), *rest), said
    else:
        yield (), ", ".join(map(_text, data)) if isinstance(data, list) else _text(data)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
