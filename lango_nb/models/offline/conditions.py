"""Which rows of a table the words of a question mean: values, days, months, numbers, limits, yes and no."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cache

from lango_nb.models.offline.columns import (
    FALSE,
    HOURS,
    TRUE,
    amount_column,
    amounts,
    holds_times,
    holds_truths,
    is_numeric,
)
from lango_nb.models.offline.lexicon import is_small_in, lexicon, lexicon_of, words
from lango_nb.models.offline.names import EAST, is_small, plain, stem, table_of
from lango_nb.models.offline.operations import Table, clock, day, number
from lango_nb.models.offline.plan import read_rows
from lango_nb.models.offline.question import (
    ASKING,
    MEASURING,
    NEAR,
    NEGATING,
    SHORTEST,
    Question,
    Unit,
    is_form_of,
    is_kindred,
    words_for,
)
from lango_nb.models.offline.table_query import ENDS, FEW_WORDS_SAID, OUTSIDE, WEEKDAYS, Condition, Query

_MOST_VALUES = 400
"""Different values of a column that are looked for in a question."""
_WORDY = 3
"""Words of a value, on average, from which a column holds text and no names."""
_OVER, _UNDER = "more", "less"
_NUMBERED_MONTH = re.compile(r"(?P<month>1[0-2]|0?[1-9])\s*月(?:\s*(?P<day>\d{1,2})\s*[日号])?")
_ORDINAL = re.compile(r"(?P<number>\d{1,2}|\d{4})(?P<ending>st|nd|rd|th|er|e|de|º|ª)?")
_DAY_SIGNS = frozenset("日号")
_SIDES = {"before": "under", "after": "over", "since": "over"}
"""On which side of a year rows are."""
_NEXT: Mapping[str, int] = {"following": 1, "preceding": -1}
"""How far the row is away that comes next, or before (``data/reading/asked.tsv``)."""
_FEW_TOKENS = 8
"""Words of a question that goes on to the next row."""
_ENDING = re.compile(r"\.[A-Za-z]\w{1,3}\Z")
_VOWELS = frozenset("aeioy")


def with_limits(where: Sequence[Condition], limits: Sequence[Condition]) -> list[Condition]:
    """Add limits to conditions: the number of a limit is no value that is looked for."""
    columns = {one.column for one in limits}
    return [*(one for one in where if one.kind != "is" or one.column not in columns), *limits]


def conditions_said(asked: Question, table: Table, before: Query | None) -> Iterator[Condition]:
    """Return what the words of a question say of the rows."""
    asked.used.update(asked.asks({"hours", "weekly"}) if HOURS in table.columns else ())
    first = [one.column for one in before.where] if before is not None else []
    clocks = [name for name in table.columns if any(map(clock, table.values(name)))]  # "9 Uhr" is no part of a title
    weekly = {name: {value for value in table.values(name) if plain(value) in WEEKDAYS} for name in table.columns}
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


def row_beside(asked: Question, table: Table, before: Query | None) -> list[Condition]:
    """Return the row behind the one that was spoken of, or before it: "and the week after?".

    Examples
    --------
    >>> from lango_nb.models.offline.queries import query
    >>> from lango_nb.models.offline.table_query import parse
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


def _at_hour(asked: Question, column: str, values: Sequence[str]) -> Condition | None:
    """Return the times that an hour means which is said without minutes: "at 9 pm", "um 21 Uhr", 夜9時.

    Examples
    --------
    >>> from lango_nb.models.offline.queries import query
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


def _named(asked: Question, column: str, values: Sequence[str], *, is_text: bool = False) -> Condition | None:
    """Return the values of a column that are said: whole, else by a word of theirs."""
    whole: dict[str, Sequence[int]] = {}
    for value in values:
        folded = plain(value)
        if folded in TRUE | FALSE and folded.isascii() and (places := _as_it_stands(value, column, asked)):
            whole[value] = places
        if folded in TRUE | FALSE or (len(folded) == 1 and folded.isascii()) or _is_no_name(value, asked):
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
        denied = [value for value in kept if asked.is_denied(min(whole[value]))]
        wanted = [value for value in kept if value not in denied] or kept  # "microphones, without the stands"
        return Condition(column, "is", tuple(wanted), wanted == denied)
    if sum(len(plain(value).split()) for value in values) > _WORDY * len(values) and not is_text:
        return None
    parted = [plain(value).split() for value in values]
    telling = {word for words_of_it in parted for word in words_of_it} - set(parted[0]).intersection(*parted[1:])
    said: dict[str, int] = {}
    shortest = SHORTEST - 1 if asked.means(column) else SHORTEST
    for unit in asked.units:
        is_whole = len(unit.text) == shortest - 1 and unit.text in telling and not asked.concepts[unit.token]
        if (
            (len(unit.text) < shortest and not is_whole)  # "how many hours does Bo have?"
            or unit.text.isdigit()
            or is_small(unit.text)
            or unit.token in asked.used
            or asked.concepts[unit.token] & (ASKING | NEGATING)
        ):
            continue
        same = {word for word in telling if is_form_of(unit.text, word) or _is_case_of(unit, word, asked)}
        if not same and is_text and len(unit.text) > NEAR:
            same = {word for word in telling if 0 < len(word) - len(unit.text) <= NEAR and word.startswith(unit.text)}
        if not same and asked.language != "en":
            same = {word for word in telling if is_kindred(unit.text, word)}  # "diagnostica": diagnostics
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


def _as_it_stands(value: str, column: str, asked: Question) -> Sequence[int]:
    """Return where a value that elsewhere is a yes or a no is said as it stands in the table: "ile zmian ma OPEN?", 那fish是no的呢."""
    if asked.language in EAST:
        return asked.find(plain(value)) if asked.find(column) else ()
    is_shouted = value.isupper() and len(value) >= SHORTEST
    return [at for at, token in enumerate(asked.tokens) if is_shouted and token.text == value]


def _is_no_name(value: str, asked: Question) -> bool:
    """Tell whether a value only holds sentences together, and is not said as a name: Mia is "my" in Italian.

    Examples
    --------
    >>> from lango_nb.models.offline.queries import query
    >>> trips = Table(("trip", "rider"), (("11", "Mia"), ("12", "Tom"), ("13", "Mia")))
    >>> str(query("cuántos viajes hizo Mia?", trips, name="trips.csv", language="es"))
    'count where rider is Mia'
    """
    folded = plain(value)
    is_own = is_small_in(value.casefold(), asked.language)
    is_written = value[:1].isupper() and any(token.text == value for token in asked.tokens[is_own:])
    is_name = value[:1].isupper() and not is_own and len(folded) >= SHORTEST  # "how many trips did mia make?"
    return is_small(folded) and not (is_written or is_name)


def _shortened(asked: Question, telling: Iterable[str]) -> dict[str, int]:
    """Return the one word of values that is said by its beginning: "maths", with the place where it is.

    Examples
    --------
    >>> from lango_nb.models.offline.queries import query
    >>> table = Table(("name", "subject"), (("Ann", "Mathematics"), ("Bo", "Biology")))
    >>> str(query("who is in maths?", table)), str(query("who has a mat?", table))
    ('rows where subject has mathematics', 'rows')
    """
    for unit in asked.units:
        begin = stem(unit.text)
        if (
            len(begin) <= SHORTEST
            or unit.token in asked.used
            or unit.is_number
            or asked.concepts[unit.token] - {"calculate"}
        ):
            continue
        met = [word for word in telling if word.startswith(begin) and len(word) - len(begin) > NEAR]
        if len(met) == 1:
            return {met[0]: unit.token}
    return {}


@cache
def _countries() -> Mapping[str, str]:
    return {code: country for country, codes in read_rows("countries.tsv") for code in codes.split(", ")}


def _country(code: str) -> str:
    """Return the country that a code stands for; empty where it is none."""
    return _countries().get(code, "")


def _is_case_of(unit: Unit, word: str, asked: Question) -> bool:
    """Tell whether a name is said in another case, as in Polish: "zakupy Any", "Toma"."""
    is_name = asked.language == "pl" and unit.token > 0 and asked.tokens[unit.token].text[:1].isupper()
    bare = word[:-1] if word[-1:] in _VOWELS else word
    return is_name and len(bare) >= SHORTEST - 1 and unit.text.startswith(bare) and len(unit.text) - len(bare) <= NEAR


def _when(asked: Question, column: str, values: Sequence[str]) -> Condition | None:
    """Return the day, month or year that is said."""
    days = {value: when for value in values if (when := day(value)) is not None}
    for read in (_dates, _months, _numbered_months, _year_or_day, _weekday):
        if (found := read(asked, column, days)) is not None:
            return found
    return None


def _dates(asked: Question, column: str, days: Mapping[str, date]) -> Condition | None:
    """Return the whole dates that are said."""
    said = {when: place for place, token in enumerate(asked.tokens) if (when := day(token.text)) is not None}
    whole = {value: asked.find(value) for value in days}
    same = [value for value, when in days.items() if whole[value] or when in said]
    if not same:
        return None
    found = Condition(column, "is", tuple(same))
    asked.used.update(said.values(), *(whole[value] for value in same), _weekdays_of(asked, days, found))
    return found


def _months(asked: Question, column: str, days: Mapping[str, date]) -> Condition | None:
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
    beside = (other for other in asked.units if 0 < abs(other.token - unit.token) <= NEAR)
    for other in beside:
        said = _ORDINAL.fullmatch(other.text)  # "3rd June"
        if said is None:
            continue
        if (found := _of_day(column, days, (int(months[unit.text]), int(said["number"])))) is not None:
            asked.used.update((other.token, *_weekdays_of(asked, days, found)))
            return found
    return Condition(column, "month", (months[unit.text],))


def _weekdays_of(asked: Question, days: Mapping[str, date], found: Condition) -> list[int]:
    """Return the words that only say on which day of the week the days are that were found: "Monday 3 June"."""
    names = {WEEKDAYS[days[value].weekday()] for value in found.values}
    return [at for name in names for at in asked.means(name)]


def _numbered_months(asked: Question, column: str, days: Mapping[str, date]) -> Condition | None:
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


def _year_or_day(asked: Question, column: str, days: Mapping[str, date]) -> Condition | None:
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


def _weekday(asked: Question, column: str, days: Mapping[str, date]) -> Condition | None:
    """Return the day of the week that is said, where some of the dates are one.

    Examples
    --------
    >>> from lango_nb.models.offline.queries import query
    >>> log = Table(("date", "text"), (("2025-03-07", "full"), ("2025-03-08", "on")))
    >>> str(query("what happened on Friday?", log)), str(query("was war am Freitag?", log, language="de"))
    ('rows where date weekday friday', 'rows where date weekday friday')
    """
    there = {WEEKDAYS[when.weekday()] for when in days.values()}
    said = {name: places for name in sorted(there) if (places := asked.means(name)) and not asked.used & {*places}}
    if len(said) != 1:
        return None
    (name,) = said
    asked.used.update(said[name])
    return Condition(column, "weekday", (name,))


def _numbered(asked: Question, column: str, values: Sequence[str], is_before: bool) -> Condition | None:
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


def truths_said(asked: Question, table: Table, named: list[str], spent: set[str]) -> Iterator[Condition]:
    """Return the columns of yes and no that a question names: those that are, or are not."""
    for column in list(named):
        if column in spent or not holds_truths(table.values(column)):
            continue
        if _is_either(asked, column):
            named.remove(column)
            continue  # "paid or not"
        denied = {at for part in plain(column).split() for at in asked.denies(part)}
        denied.update(at for at, told in enumerate(asked.asking) if told & {"not", "open", "yet"})
        denying = [at for at in asked.has(NEGATING) if asked.negates(at)]
        asked.used.update(at for at, told in enumerate(asked.asking) if "done" in told)
        asked.used.update(denied)
        wants = FALSE if denied or denying else TRUE
        asked.used.update(denying)
        named.remove(column)
        yield Condition(
            column, "is", tuple(value for value in dict.fromkeys(table.values(column)) if plain(value) in wants)
        )


def _is_either(asked: Question, column: str) -> bool:
    """Tell whether a question says of a column that it may be yes or no, and explain the words that say so.

    Examples
    --------
    >>> from lango_nb.models.offline.queries import query
    >>> bills = Table(("who", "amount", "paid"), (("Ann", "3", "yes"), ("Bo", "4", "no")))
    >>> str(query("the total amount, paid or not", bills)), str(query("the total amount not paid", bills))
    ('sum amount', 'sum amount where paid is no')
    """
    places = [at for part in plain(column).split() for at in asked.means(part)]
    negating = {*asked.has(NEGATING), *asked.asks({"not"})}
    both = [(at, at + 1, at + 2) for at in places if "or" in asked.concepts[min(at + 1, len(asked.concepts) - 1)]]
    found = [three for three in both if three[-1] in negating]
    asked.used.update(at for three in found for at in three)
    return bool(found)


def limits_said(asked: Question, table: Table, named: list[str]) -> Iterator[Condition]:
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
        columns = [name for name in [amount_column(table, set(), is_money=is_money)] if name]  # "fewer than 5 of what?"
    if len(columns) == 1:
        asked.used.add(given[0].token)
        limit = number(asked.tokens[given[0].token].text)
        if columns[0] in named:
            named.remove(columns[0])
        yield Condition(columns[0], kind, (str(limit),))


def _set_against(asked: Question, table: Table) -> Condition | None:
    """Return that a column has its limit in another one, where no number is said: "what is below its minimum?".

    Examples
    --------
    >>> from lango_nb.models.offline.queries import query
    >>> stock = Table(("item", "quantity", "minimum", "price"), (("tea", "3", "5", "2"), ("bun", "9", "4", "1")))
    >>> str(query("what is below its minimum?", stock)), str(query("which is the lowest price?", stock))
    ('rows where quantity under of minimum', 'min price')
    """
    limits = limiting_words(asked, table)
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


def _out_of_range(asked: Question, table: Table) -> Condition | None:
    """Return that a column is above, or below, what two others say that it may be: "which values are not normal?".

    Examples
    --------
    >>> from lango_nb.models.offline.queries import query
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
        return Condition(rest[0], OUTSIDE, (lower, upper))
    return Condition(rest[0], "over of", (upper,)) if kind == "too_high" else Condition(rest[0], "under of", (lower,))


def _sides_said(asked: Question, limits: set[int]) -> dict[int, str]:
    """Return the words by which something is over, or under, what is named right behind them."""
    own = lexicon_of(asked.language).concepts(asked.tokens)
    ends = {*asked.has(MEASURING), *asked.asks(ENDS)}  # "who has most lines?"
    both = ((at, side) for at, told in enumerate(own) for side in (_OVER, _UNDER) if side in told and at not in ends)
    return {at: side for at, side in both if at not in limits and any(0 < one - at <= NEAR for one in limits)}


def limiting_words(asked: Question, table: Table) -> set[int]:
    """Return the words for a column of numbers right behind "below" or "above": they ask for no measure then."""
    named = {at for name in amounts(table) for at in asked.find(name) or _alike_in_measure(asked, name)}
    sides = _sides_said(asked, named)
    return {at for at in named if any(0 < at - side <= NEAR for side in sides)}


def _alike_in_measure(asked: Question, column: str) -> list[int]:
    """Return the words of a language for what a column is called that is called as a measure is: "minimo" of "minimum"."""
    told = [one & MEASURING for one in lexicon().concepts(words(column))]
    is_one = len(told) == 1 and bool(told[0])
    return [at for at, one in enumerate(asked.concepts) if is_one and one & told[0]]


def _in_years(asked: Question, table: Table) -> Condition | None:
    """Return the years that are meant: "before 2020", "seit 2021"."""
    columns = [name for name in table.columns if is_numeric(table.values(name)) and holds_times(name, table)]
    for place, token in enumerate(asked.tokens):
        if len(columns) != 1 or token.kind != "number" or number(token.text) is None:
            continue
        near = range(max(0, place - NEAR), min(len(asked.tokens), place + NEAR))
        said = {kind: at for at in near for kind in _SIDES if kind in asked.asking[at]}
        if said.get("since", -1) > place and asked.language not in EAST:
            del said["since"]  # "laufen 2024 ab"
        if said:
            kind = min(said, key=lambda one: abs(said[one] - place))
            asked.used.update({place, said[kind]})
            limit = number(token.text) or Decimal(0)
            return Condition(columns[0], _SIDES[kind], (str(limit - (kind == "since")),))
    return None


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
            if one and one[0] in said and firsts.count(one) == 1 and len(one[0]) >= SHORTEST
        ]
        met = whole or (first if _has_names(values) else [])
        if 0 < len(met) <= FEW_WORDS_SAID and len(met) < len(values) and len(values) * 2 > len(table.rows):
            return Condition(column, "is", tuple(met))
    return None


def _is_within(parts: Sequence[str], said: Sequence[str]) -> bool:
    """Tell whether words stand behind each other in others."""
    if not parts or len(" ".join(parts)) < SHORTEST:
        return False
    return any(said[at : at + len(parts)] == list(parts) for at in range(len(said) - len(parts) + 1))


def _has_names(values: Sequence[str]) -> bool:
    """Tell whether most values are names of two or three words."""
    return sum(1 < len(value.split()) <= _WORDY and value[:1].isupper() for value in values) * 2 > len(values)
