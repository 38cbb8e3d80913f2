"""Questions about a table, read against the table itself: which rows are meant, and what is wanted of them.

    who paid for electricity in October? ── rows: item is electricity, date in 10 ── wanted: paid_by

Words that stand in the table, or mean the same in another language, say which rows and columns are meant; what the rest
asks for (how many, the most, altogether) are concepts of the lexicon. How much of a question is explained that way tells
whether it is one about this table at all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from lango_nb.models.offline.columns import (
    FALSE,
    HOURS,
    IDS,
    IS,
    PRODUCT,
    UNITS,
    amount_column,
    amounts,
    has_groups,
    holds_times,
    holds_truths,
    is_numeric,
    is_of_lengths,
    label_of,
    names_column,
    names_of_rows,
    only_numbers_rows,
    tells_quality,
    unit_of,
)
from lango_nb.models.offline.conditions import (
    conditions_said,
    limiting_words,
    limits_said,
    row_beside,
    truths_said,
    with_limits,
)
from lango_nb.models.offline.lexicon import UNSPACED, is_small_in, lexicon, lexicon_of, words
from lango_nb.models.offline.names import EAST, asks, is_small, plain, points_back, stem
from lango_nb.models.offline.operations import Table, clock, day, number, written
from lango_nb.models.offline.question import (
    ASKING,
    COUNTING,
    KEYS,
    MEASURES,
    MEASURING,
    NEAR,
    NEGATING,
    SHORTEST,
    Question,
    is_word_of,
    number_said,
    read_question,
    said_of_tables,
    words_for,
    words_of_tables,
)
from lango_nb.models.offline.table_query import (
    ENDS,
    FEW_WORDS_SAID,
    ORDERS,
    WEEKDAYS,
    Condition,
    Query,
    answer,
    is_yes_or_no,
)

TABLES = (".csv", ".tsv", ".json", ".log")
"""How the names of files end that hold tables."""
MOST_ROWS = 5000
"""Rows of a table that questions are read against."""
_MONEY = ("budget", "expenses", "price", "payment", "paid", "pay", "cost", "spent")
_BEST: Mapping[str, str] = {"better": "most", "worse": "least"}
"""Which end is the better one."""
QUALITIES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "weight": (("weight", "mass"), ("g", "kg")),
    "age": (("age",), ()),
    "length": (("length", "duration", "distance", "minutes"), ("mm", "cm", "km", HOURS)),
    "depth": (("depth",), ()),
    "height": (("height", "altitude", "elevation"), ()),
    "works": (("hours",), (HOURS,)),
}
"""What things are (``data/reading/asked.tsv``): nouns that columns are called by which tell how much, and their units."""
_SIZED = (("size", "area", "surface"), ("m2",))
"""The same of what is called large or small."""
_TELLING: Mapping[str, str] = {"price": "priced", "sold": "sold", "owed": "debts"}
"""What is said of things, and what the columns are called that tell how much it is (``data/reading/asked.tsv``)."""
_EXTREMES = frozenset((*MEASURES["max"], *MEASURES["min"]))
_OF_EXTREMES = frozenset(("works",))
"""What wants its column only where the most of it, or the least, is wanted: "who works on Monday?" asks for no hours."""
_STAYS = {"longest": "min", "oldest": "min", "shortest": "max", "newest": "max"}
"""Who is there longest, and newest, by the year or the day on which they came."""
_TURNS = {"first": "min", "last": "max"}
"""Who comes first, and last, by the day or the time at which they come."""
_COMPARED_BY = {"cheaper": "min", "dearer": "max"}
"""What is measured where things are compared by what they cost."""
_ORDERED = {"min": "sooner", "max": "later"}
"""How the same is said of few (``data/reading/asked.tsv``)."""
_TIMES = frozenset(("newest", "oldest"))
_CONNECTING = frozenset(("and", "only", "same", "then"))
_STATES = frozenset(("done", "open"))
"""What is said of things to be done, in ``data/reading/asked.tsv``."""
_NAMED = re.compile(r"[^\W\d_a-z]\w*(?:[ -][^\W\d_a-z]\w*)?|")
_FULL_NAME = re.compile(r"[^\W\d_a-z][\w'\u2019-]*(?: [\w'\u2019-]+){0,3}")
"""How somebody is called, shortly."""
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
    clauses = [one for one in every if len(words(one)) > NEAR]
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
    asked = read_question(text, language, table.columns)
    title = _titled(asked, name)
    asked.columns = _column_words(asked, table)
    counted = _counted_off(asked)
    where = list(conditions_said(asked, table, before)) or row_beside(asked, table, before)
    spent = {one.column for one in where}
    order, ordering = _order_said(asked)
    measure = _measure_said(asked, ordering | limiting_words(asked, table)) or ("max" if counted else "")
    named = _named_in(asked, table, where, measure, title)
    times = [name for name in table.columns if holds_times(name, table)]
    measure = _settled(measure, asked, table, named, title)
    place = _place_behind(measure, before, asked)
    turned = "" if measure else _turned(before, asked, named, times, place)
    measure = _added_up(measure or turned, before, asked)
    asked.used.update(
        asked.has((*MEASURES.get(measure, ()), *(MEASURES["sum"] if measure == "count" else ()))),
        _as_many(asked, where, table),
    )
    if measure in {"max", "min", "mean"} and not asked.has(NEGATING) and amount_column(table, set(), is_money=True):
        named = [column for column in named if not holds_truths(table.values(column))]  # "who pays most?"
    truths = list(truths_said(asked, table, named, spent))
    if not (where or measure) and (told := _told_of_one(truths, before, table, asked)):
        named, truths = [told], []  # "is it paid?" of the row that was shown
    if truths and title and not where:  # "which costs are not settled?" of the file costs.csv
        named = [name for name in _columns(asked, table, title) if name in named]
    where = with_limits([*where, *truths], list(limits_said(asked, table, named)))
    spent = {one.column for one in where}
    most = counted or (_how_many(asked) if measure in {"max", "min"} else 0)
    asked.used.update(at for at, told in enumerate(asked.asking) if "sold" in told or (before and "them" in told))
    before = None if before is None else _opened(before, asked, measure, named, title, has_rows=bool(where))
    explained = asked.explained(default=0.0 if before is None else 1.0)
    ours = times if asked.has(("when",)) and where and not measure and len(times) == 1 else []
    wanted = tuple(name for name in named if name not in spent) or tuple(name for name in ours if name not in spent)
    is_timed, is_called = bool(times or named or before), bool(title or named)
    if (other := _of_something_else(asked, table, where, measure, is_called=is_called, is_timed=is_timed)) is not None:
        return other
    is_grounded = _is_told(where, named, times, title, asked) or _is_of_title(asked, table, title, measure)
    found = Query(tuple(where), wanted, measure, turned and _column_of(before), explained, is_grounded)
    found, is_time = _in_turn(_of_stay(found, table, asked), before, table, asked), bool(asked.has(_TIMES))
    is_of_pieces = measure == "count" and bool(title and asked.asks({"pieces"}))  # "how many expenses are there?"
    is_money = (_speaks_of_money(asked, table, truths) or _is_much(before, named, asked)) and not is_of_pieces
    found = _by_age(found._replace(explained=asked.explained()) if is_money else found, asked)
    found = measured(found, table, is_time=is_time, is_money=is_money)
    found = _told_by(_sized(found, table, asked, is_titled=bool(title)), asked)
    if measure == "count" and not named and _is_of_sales(found, asked):
        return Query()
    if (of_one := _of_its_kind(before, found, asked, table)) is not None:
        return of_one
    if (told_before := _goes_on_from(before, found, asked, table)) is not None:
        found = measured(_continued(found, told_before, table, asked), table, is_time=is_time, is_money=is_money)
    found = found._replace(most=most, is_titled=bool(title), is_column_said=found.column in named)
    found = _grouped(_of_that_row(found, before, table, asked), before, table, asked, is_money=is_money)
    found = found if where else _of_that_one(found, before, table, asked)
    found = _of_strangers(found, before, asked, table) if measure or not found.measure else found
    return _settled_query(_of_those_who_have(found, asked, table), order, most, place)


def _as_many(asked: Question, where: Sequence[Condition], table: Table) -> list[int]:
    """Return the word that says how many the rows are which a question describes, where they are as many: "the two errors".

    Examples
    --------
    >>> table = Table(("kind", "text"), (("fault", "pump off"), ("note", "ok"), ("fault", "lamp off")))
    >>> [query(said, table).explained for said in ("the two faults", "the three faults")]
    [1.0, 0.5]
    """
    counts = map(number_said, asked.tokens, lexicon_of(asked.language).concepts(asked.tokens))
    told = [(at, count) for at, count in enumerate(counts) if count and at not in asked.used]
    if len(told) != 1 or not where:
        return []
    (at, count), rows = told[0], Query(tuple(where)).rows(table)
    return [at] if len(rows) == count else []


def _named_in(asked: Question, table: Table, where: Sequence[Condition], measure: str, title: set[int]) -> list[str]:
    """Return the columns that a question names; where the most are asks for the row, and not for the column of places.

    Examples
    --------
    >>> docks = Table(("name", "district", "docks"), (("Town Hall", "Center", "9"), ("Harbour", "East", "7")))
    >>> str(query("where are the most docks?", docks)), str(query("in which district are the most docks?", docks))
    ('max docks', 'max docks, district')
    """
    named = _columns(asked, table, _of_several(where, asked) | (title if where or measure == "count" else set()))
    named = named + [name for name in _names_asked(asked, table) if name not in named]
    place, words_of_it = _place_said(asked, table)
    is_which = measure in {"max", "min"} and {*words_of_it} <= {*asked.has(("where",))}
    return [name for name in named if not (is_which and name == place)]


def _of_something_else(  # noqa: PLR0913 - what a question says
    asked: Question, table: Table, where: Sequence[Condition], measure: str, *, is_called: bool, is_timed: bool
) -> Query | None:
    """Return what a table has at most where a question wants something that it does not tell; ``None`` where it may.

    A word of a name says nothing of how many of something else there are, and rows without a day nothing of when.

    Examples
    --------
    >>> shops = Table(("name", "day"), (("Old Mill Bakery", "Friday"), ("Hill Dairy", "Monday")))
    >>> query("a quanti gradi va in forno?", shops, language="it").is_grounded, query("when does the dairy open?", shops).is_grounded
    (False, False)
    """
    if _is_of_the_rest(asked, table):
        return Query(tuple(where), explained=float(bool(where)), is_grounded=bool(where))
    is_of_words = bool(where) and all(one.kind == "has" for one in where) and not is_called
    is_other = measure == "count" and is_of_words and _counts_things(asked)
    return Query() if is_other or (asked.has(("when",)) and not (is_timed or measure)) else None


def _told_by(found: Query, asked: Question) -> Query:
    """Return a query as one of its table where what is said of things tells the column: what is dear has a price."""
    called = {*plain(found.column).split()} if found.measure in {"max", "min"} else set[str]()
    is_told = any(asked.asks({said}) and called & words_for(kind) for said, kind in _TELLING.items())
    return found._replace(is_grounded=True) if is_told else found


def _is_of_sales(found: Query, asked: Question) -> bool:
    """Tell whether a number of things was taken for how many were sold: "how many eggs does a cake take?".

    Examples
    --------
    >>> menu = Table(("item", "sold"), (("cake", "12"), ("tea", "40")))
    >>> query("how many eggs does the cake take?", menu).is_grounded, str(query("how many cakes were sold?", menu))
    (False, 'sum sold where item has cake')
    """
    told = {*plain(" ".join((*found.wanted, found.column))).split()}
    return bool(told & words_for("sold")) and _counts_things(asked) and not asked.asks({"sold"})


def _of_strangers(found: Query, before: Query | None, asked: Question, table: Table) -> Query:
    """Return a query with the name in it that no row has, where there is one."""
    is_of_one = bool(found.measure) or (bool(found.wanted) and before is None)
    unknown = _stranger(asked, table) if is_of_one and not (found.where or found.by) else ""
    return found._replace(unknown=unknown, explained=asked.explained()) if unknown else found


def _of_its_kind(before: Query | None, found: Query, asked: Question, table: Table) -> Query | None:
    """Return what the one has who was told of in the column of which another row has the word: "what does she study?".

    Examples
    --------
    >>> from lango_nb.models.offline.table_query import parse
    >>> crew = Table(("name", "subject"), (("Ann", "music"), ("Bo", "film studies")))
    >>> str(query("co studiuje?", crew, parse("rows where name is Ann"), language="pl"))
    'subject where name is Ann'
    """
    where = found.where[0] if len(found.where) == 1 and not (found.measure or found.wanted) else None
    is_asked = bool(asked.has(("what",))) and not asked.has(("who", "which", "many"))
    if before is None or where is None or where.kind != "has" or where.is_not or not is_asked or before.by:
        return None
    rows, place = answer(before, table).rows, table.columns.index(where.column)
    if len(rows) != 1 or where.in_row(rows[0], place, table) or len(asked.units) > FEW_WORDS_SAID:
        return None
    own = next(
        (at for at in range(len(table.columns)) if table.values(table.columns[at]).count(rows[0][at]) == 1), None
    )
    if own is None:
        return None
    one = Condition(table.columns[own], "is", (rows[0][own],))
    return found._replace(where=(one,), wanted=(where.column,), explained=1.0, is_grounded=True)


def _stranger(asked: Question, table: Table) -> str:
    """Return the name of somebody, or something, of whom a question wants a number, and whom a table does not have; else empty.

    Examples
    --------
    >>> shifts = Table(("day", "who", "hours"), (("1", "Ann", "3"), ("2", "Bo", "4"), ("3", "Ann", "2")))
    >>> [query(said, shifts).unknown for said in ("how many hours does dan have", "how many hours in total?")]
    ['dan', '']
    >>> query("ile godzin ma Zosia?", shifts, language="pl").unknown
    'Zosia'
    """
    if not any(all(map(_FULL_NAME.fullmatch, table.values(name))) for name in table.columns):
        return ""
    for at, token in enumerate(asked.tokens):
        is_free = token.kind == "word" and at not in asked.used | asked.columns and not token.is_quoted
        is_filler = is_small(token.folded) or is_small_in(token.folded, asked.language) or len(token.text) < SHORTEST
        is_called = asked.language in EAST or token.text[:1].isupper() or (at and "holds" in asked.asking[at - 1])
        if is_free and not is_filler and at and is_called and not is_word_of(token, asked.language):
            asked.used.add(at)
            return token.text
    return ""


def _column_of(before: Query | None) -> str:
    return "" if before is None else before.column


def _settled_query(found: Query, order: str, most: int, place: int) -> Query:
    """Return a query with what its measure needs, and nothing where that is missing."""
    found = found._replace(order=order or found.order) if found.by and not found.end else found
    if found.measure in {"max", "min", "sum", "mean"} and not found.column:
        return found._replace(measure="", explained=0.0, is_grounded=False)
    if found.measure in {"sum", "mean"}:
        return found._replace(wanted=())
    if found.measure not in {"max", "min"} or found.by:
        return found
    return found._replace(most=most, place=0 if most else place or found.place)


_TIMES_SIGN = re.compile(
    r"\s+(?:[x\u00d7*·]|times|mal|fois|por|veces|vezes|volte|per|keer|maal|razy)\s+|\u00d7|\*|乘以?|掛ける|かける"
)
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
    products = {name: name.rpartition(IS)[2].split(PRODUCT) for name in named if PRODUCT in name}
    for sign in _TIMES_SIGN.finditer(text):
        left, right = _BESIDE.split(text[: sign.start()])[-NEAR:], _BESIDE.split(text[sign.end() :])[:NEAR]
        pair = [_column_in(left[::-1], numeric, language), _column_in(right, numeric, language)]
        products[PRODUCT.join(pair)] = pair
    if not any(PRODUCT in name for name in products) and (worth := _worth_said(text, language, table)):
        pair = _count_and_price(table)
        products |= {f"{worth}{IS}{PRODUCT.join(pair)}": pair} if pair else {}
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


def _order_said(asked: Question) -> tuple[str, set[int]]:
    """Return in which order groups are wanted, and the words that say so: "largest first" asks for no maximum of them.

    Examples
    --------
    >>> table = Table(("shop", "amount"), (("A", "3"), ("B", "4"), ("A", "2")))
    >>> str(query("the sum of amount per shop, largest first", table))
    'sum amount by shop descending'
    """
    said = {order: {at for at, told in enumerate(asked.asking) if order in told} for order in ORDERS}
    order = next((order for order, places in said.items() if places), "")
    rest = set(asked.has(concept for one in ("sum", "mean", "count") for concept in MEASURES[one])) - said.get(
        order, set()
    )
    if not order or not (rest or asked.has(("each",)) or any("grouped" in told for told in asked.asking)):
        return "", set()
    asked.used.update(said[order])
    return ORDERS[order], said[order]


def _measure_said(asked: Question, ordering: set[int]) -> str:
    """Return what is measured by the words of a question, but for those that say in which order: "how many different" are distinct."""
    ordering = ordering | {
        at for at in asked.has(("pay",)) if asked.tokens[at].text.islower()
    }  # "zahlen" counts nothing
    said = [one for one, concepts in MEASURES.items() if {*asked.has(concepts)} - ordering]
    said = said or ["count"] * bool(asked.asks({"times"}))
    if not said and not any(map(str.isdigit, asked.text)):  # "quale costa meno", as one may say for the least
        said = [one for concept, one in _COMPARED_BY.items() if asked.asks({concept})]
    return "distinct" if said[:2] == ["count", "distinct"] else next(iter(said), "")


def _titled(asked: Question, name: str) -> set[int]:
    """Return the tokens that say what a table's file is called."""
    stem_of_name, _, ending = plain(name.rpartition("/")[2]).rpartition(" ")
    asked.used.update(at for part in plain(name.rpartition("/")[0]).split() for at in asked.means(part))
    title = {at for part in stem_of_name.split() for at in asked.means(part)}
    whole = f"{stem_of_name}{ending}", stem(stem_of_name)
    title |= {
        unit.token for unit in asked.units if unit.text == whole[0] or stem(unit.text) == whole[1]
    }  # "kassalog", "the order"
    asked.used.update(title)
    return title


def _column_words(asked: Question, table: Table) -> set[int]:
    """Return the tokens that are words for columns."""
    parts = (part for column in table.columns for part in plain(column).split())
    return {at for part in parts for at in asked.means(part)} | {*_place_said(asked, table)[1]}


def _of_stay(found: Query, table: Table, asked: Question) -> Query:
    """Settle who is there longest where a table tells since when: "who has been here longest?".

    Examples
    --------
    >>> table = Table(("name", "since"), (("Ann", "2012"), ("Bo", "2019")))
    >>> str(query("who has been with us longest?", table)), str(query("who is the newest?", table))
    ('min since, name', 'max since, name')
    """
    begins = [
        name for name in table.columns if set(plain(name).split()) & words_for("joined") and holds_times(name, table)
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


def _in_turn(found: Query, before: Query | None, table: Table, asked: Question) -> Query:
    """Settle who comes first, or last, by the column of days or times that is named, or by the only one there is.

    Examples
    --------
    >>> table = Table(("guest", "arrives"), (("Ann", "18:30"), ("Bo", "9:15")))
    >>> str(query("who arrives first?", table)), str(query("wer kommt zuletzt?", table, language="de"))
    ('min arrives, guest', 'max arrives, guest')
    """
    measure = next((one for concept, one in _TURNS.items() if asked.has((concept,)) or asked.asks({_ORDERED[one]})), "")
    times = [name for name in table.columns if holds_times(name, table)]
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
    return Query(found.where, tuple(rest or names_of_rows(table)), measure, ours[0], explained, is_grounded=True)


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


def _names_asked(asked: Question, table: Table) -> list[str]:
    """Return the column of names where it is asked what rows are called: "how many cats are there, and what are they called?".

    Examples
    --------
    >>> pets = Table(("name", "kind"), (("Tom", "cat"), ("Rex", "dog"), ("Mia", "cat")))
    >>> str(query("how many cats are there, and what are they called?", pets))
    'count, name where kind has cat'
    """
    places = asked.asks({"named"}) or [at for at in asked.means("name") if at not in asked.used | asked.columns]
    asked.used.update(places)
    return names_of_rows(table) if places else []


def _speaks_of_money(asked: Question, table: Table, truths: Sequence[Condition]) -> bool:
    """Tell whether a question is about money, beside what it says of paid and unpaid; what says so is explained by amounts."""
    priced = (place for place, told in enumerate(asked.asking) if told & {"price", "owed"})
    money = {*asked.has(("money",)), *priced, *(at for word in _MONEY for at in asked.means(word))}
    rest = money - {at for one in truths for part in plain(one.column).split() for at in asked.means(part)}
    is_better = any(told & _BEST.keys() for told in asked.asking)
    amount = amount_column(table, set(), is_money=True) if rest else ""
    if amount and not any(tells_quality(amount, *told) for told in QUALITIES.values()):  # minutes are no money
        asked.used.update(money)
    return is_better or bool(rest)


def _grouped(found: Query, before: Query | None, table: Table, asked: Question, *, is_money: bool) -> Query:
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
    end = "most" if often else next((one for one in ENDS if _says_end(asked, one)), "")
    end = end or next((_BEST[one] for one in sorted(qualities)), "")
    owed = (one for query in (found, before or found) for one in query.where if is_yes_or_no(one))
    if "worse" in qualities and any(plain(value) in FALSE for one in owed for value in one.values):
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
    is_each = bool(each) or (is_monthly and found.measure not in ENDS.values())
    if is_each and labels and not found.measure and before is not None and before.column:
        found = found._replace(measure=before.measure, column=before.column)  # "and per boat?"
    if len(labels) == 1 and (is_each or (end and found.measure in {*ENDS.values(), "sum", "count"})):
        asked.used.update(each)
        is_end = found.measure in ENDS.values() and (bool(end) or most > 1)
        order = ORDERS["up" if found.measure == "min" else "down"] if most > 1 else ""
        measure = ("sum" if found.column else "count") if is_end or not found.measure else found.measure
        rest = tuple(name for name in found.wanted if name != labels[0])
        column = found.column or (rest[0] if measure == "count" and rest and rest[0] in amounts(table) else "")
        is_paid = is_money and measure == "count" and not often
        column = column or (amount_column(table, {labels[0]}, is_money=True) if is_paid else "")
        measure = "sum" if column and measure == "count" else measure
        if all(name == column for name in rest):
            done = found._replace(measure=measure, column=column, wanted=(), by=labels[0], is_monthly=is_monthly)
            if order:
                return done._replace(order=order, most=most, explained=asked.explained())
            return done._replace(end=end, explained=asked.explained())
    is_whole = not end and bool(asked.has(MEASURES.get(found.measure, ())))  # "und insgesamt?"
    if before is None or not before.by or found.wanted or is_whole or not (end or _is_same_measure(found, before)):
        return found
    if before.by in {one.column for one in found.where}:  # "show only those of Grand"
        return found._replace(measure="", column="") if found.measure == "count" else found
    found = found._replace(measure=before.measure, column=before.column, by=before.by, end=end or before.end)
    return found._replace(is_monthly=before.is_monthly, order=before.order)


def _explain_span(asked: Question) -> None:
    """Explain a number of months that only says over which time it is asked: "who paid most in the three months?".

    Examples
    --------
    >>> table = Table(("who", "day", "paid"), (("Ann", "2024-03-01", "3"), ("Bo", "2024-04-01", "4"), ("Ann", "2024-04-02", "2")))
    >>> str(query("who paid most in the three months?", table)), str(query("how much was paid per month?", table))
    ('most sum paid by who', 'sum paid by month day')
    """
    counts = lexicon_of(asked.language).concepts(asked.tokens)
    spans = [at for at in asked.asks({"month"}) if at and number_said(asked.tokens[at - 1], counts[at - 1]) > 1]
    if asked.has(("who", "all")):
        asked.used.update(place for at in spans for place in (at - 1, at))


def _may_part(column: str, found: Query, table: Table) -> bool:
    """Tell whether rows may be grouped by a column: not by times of the day where nothing is measured: "when does each start?"."""
    is_of_times = not found.measure and None not in map(clock, table.values(column))
    return has_groups(column, table) and column != found.column and not is_of_times


def _people(table: Table) -> list[str]:
    """Return the columns of names that are there more than once, and are no days of the week."""
    return [
        name
        for name in table.columns
        if has_groups(name, table)
        and all(map(_NAMED.fullmatch, table.values(name)))
        and not {*map(plain, table.values(name))} & {*WEEKDAYS}
    ]


def _whose(asked: Question, table: Table) -> str:
    """Return the column of the people that a question asks for: the only one with names that are there more than once.

    Examples
    --------
    >>> table = Table(("payer", "item", "amount"), (("Ann", "tea", "3"), ("Bo", "cake", "4"), ("Ann", "bun", "2")))
    >>> str(query("wer hat am meisten ausgegeben?", table, language="de")), str(query("how much did each person pay?", table))
    ('most sum amount by payer', 'sum amount by payer')
    """
    people, named = [*asked.has(("who",)), *asked.means("person")], _people(table)
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


def _says_end(asked: Question, end: str) -> bool:
    """Tell whether the most, or the least, of something is said as how much it is, and not as what it is like: "most expensive"."""
    said = [at for at, told in enumerate(asked.asking) if end in told]
    behind = (at + 1 for at in said if at + 1 < len(asked.tokens) and at + 1 not in said)
    return bool(said) and not any(asked.concepts[at] & _EXTREMES for at in behind)


def _is_told(
    where: Sequence[Condition], named: Sequence[str], times: Sequence[str], title: Collection[int], asked: Question
) -> bool:
    """Tell whether rows or columns are named, and not only a day of the week, and when: "what time do we close on Thursday?"."""
    is_when = bool(asked.has(("when",))) and asked.explained() < 1
    weekly = [one for one in where if one.kind == "weekday" or (is_when and {*map(plain, one.values)} <= {*WEEKDAYS})]
    if where and len(weekly) == len(where) and not title:
        return any(name not in times for name in named)
    return bool(where or named)


def _is_of_title(asked: Question, table: Table, title: Collection[int], measure: str) -> bool:
    """Tell whether a question calls the rows as the file is called, and counts them, or measures the only amounts there are."""
    is_counted = measure == "count" and not asked.has(("file", "folder", "line", "word"))
    is_measured = measure in {"sum", "mean", "max", "min"} and len(amounts(table)) == 1
    return bool(title) and (is_counted or is_measured)


def _of_several(where: Sequence[Condition], asked: Question) -> set[int]:
    """Return words of values that name no columns: the stands of "mic stands" are no state, the first character of 日本 is no date."""
    names = (value for one in where if one.kind == "is" for value in one.values)
    within = {at for at in asked.used if asked.tokens[at].kind in UNSPACED}
    return within | {at for name in names if len(found := asked.find(name)) > 1 for at in found}


def _settled(measure: str, asked: Question, table: Table, named: Sequence[str], title: set[int]) -> str:
    """Return what is measured where the words for it may say something else."""
    both = zip(asked.asking, asked.concepts, strict=True)
    is_aged = any(tells_quality(column, *QUALITIES["age"]) for column in table.columns)
    if measure == "count" and is_aged and any("age" in one and "many" in told for one, told in both):
        return ""  # "how old is she?"
    counted = [column for column in named if is_numeric(table.values(column))]
    if measure == "sum" and title and not counted and asked.language in EAST and asked.has(MEASURES["count"]):
        asked.used.update(asked.has(MEASURES["sum"]))
        return "count"  # 一共有几个订单
    if measure == "sum" and not counted and _counts_things(asked):
        return "count"  # "combien d'animaux en tout"
    is_limited = any(unit.is_number and unit.token not in asked.used for unit in asked.units)
    spent = [at for at, told in enumerate(asked.asking) if "spent" in told]
    for end, extreme in ENDS.items():
        said = [at for at, told in enumerate(asked.asking) if end in told]
        if said and measure in {"", "count", "sum"} and (len(counted) == 1 or spent) and not is_limited:
            asked.used.update(said)
            return extreme  # "quién tiene más líneas?"
    for quality, extreme in ((one, ENDS[end]) for one, end in _BEST.items()):
        if measure in {"", extreme} and (said := [at for at, told in enumerate(asked.asking) if quality in told]):
            asked.used.update(said)
            return extreme  # "which day was better?"
    rest = [column for column in named if not words_for("priced") & set(plain(column).split())]
    is_sum = bool(spent) and not (measure or rest or is_limited or asked.has(("who", "which")))
    is_product = any(PRODUCT in name for name in named) and bool(asked.asks({"worth", "price", "together"}))
    is_sum = is_sum or (not measure and (is_product or _is_of_whole(asked, table, named, title)))
    return "sum" if is_sum else measure  # "what did I spend at Lumen?"


def _is_of_whole(asked: Question, table: Table, named: Sequence[str], title: set[int]) -> bool:
    """Tell whether a question asks how long, or how dear, all is that the table holds: "how long is the playlist?".

    Examples
    --------
    >>> songs = Table(("title", "length"), (("A", "3:40"), ("B", "4:30")))
    >>> str(query("how long is the morning playlist?", songs, name="morning.csv"))
    'sum length'
    """
    lengths = [name for name in named if tells_quality(name, *QUALITIES["length"])]
    is_lasting = bool(asked.asks({"length", "lasts"}))
    is_long = len(named) == len(lengths) == 1 and is_lasting and not asked.has(_EXTREMES)
    money = {
        *asked.has(("money", "pay")),
        *asked.asks({"price", "worth"}),
        *(at for one in _MONEY for at in asked.means(one)),
    }
    is_all = bool(asked.has(("all",))) and bool(money - title) and bool(amount_column(table, set(), is_money=True))
    is_how = bool(asked.has(("how", "many")) or asked.asks({"lasts"}) or asked.language in EAST)
    return bool(title) and ((is_long and is_how) or (is_all and not named))


def _counts_things(asked: Question) -> bool:
    """Tell whether a number of things is asked for that no column is called by: what "how many" stands before is a noun.

    Examples
    --------
    >>> pets = Table(("name", "kg", "chipped"), (("Tom", "4", "yes"), ("Rex", "9", "no"), ("Mia", "3", "yes")))
    >>> str(query("combien d'animaux pucés en tout", pets, language="fr")), str(query("how much in total?", pets))
    ('count where chipped is yes', 'sum kg')
    """
    many = [at for at in asked.has(COUNTING) if "much" not in asked.asking[at]]
    behind = [at + 1 for at in many if at + 1 < len(asked.tokens)]
    nouns = [
        at
        for at in behind
        if asked.tokens[at].kind == "word"
        and not (asked.concepts[at] & _UNCOUNTED or asked.asking[at] & {"much", "worth", "price"} or at in asked.used)
        and not (is_small(asked.tokens[at].text) or is_small_in(asked.tokens[at].folded, asked.language))
    ]
    return bool(nouns) and not asked.has(("money",)) and not asked.asks({"spent", "owed", "sold", "price", *UNITS})


_UNCOUNTED = ASKING | MEASURING | NEGATING | {"money", "pay", "all", "in", "size", "time", "value", "number"}
"""Concepts of words behind "how many" that are no things."""


def _turned(
    before: Query | None, asked: Question, named: Sequence[str], before_times: Sequence[str], place: int
) -> str:
    """Return the other end of what was asked before, or a place behind it: "and the least?", "and the second?" behind the largest.

    Examples
    --------
    >>> from lango_nb.models.offline.table_query import parse
    >>> table = Table(("tea", "grams"), (("Assam", "3300"), ("Gyokuro", "240")))
    >>> str(query("e o menos?", table, parse("max grams, tea"), language="pt"))
    'min grams'
    """
    if before is None or before.measure not in {"max", "min"} or before.by or named:
        return ""
    said = {end: [at for at, told in enumerate(asked.asking) if end in told] for end in ENDS}
    end = next((end for end, places in said.items() if places), "")
    asked.used.update(said.get(end, ()))
    turn = next((concept for concept in _TURNS if asked.has((concept,))), "") if before.column in before_times else ""
    asked.used.update(asked.has((turn,)) if turn else ())
    return ENDS.get(end, "") or _TURNS.get(turn, "") or (before.measure if place else "")  # "and who is last?"


def _goes_on_from(before: Query | None, found: Query, asked: Question, table: Table) -> Query | None:
    """Return what a question goes on from; ``None`` where it is whole, and says nothing of what was told."""
    is_spaced = all(token.kind not in UNSPACED for token in asked.tokens)
    is_whole = (bool(found.where) and bool(found.wanted or found.column)) or (is_spaced and found.explained < 1)
    if before is not None and asked.asks({"that_day"}):
        asked.used.update(asked.asks({"that_day"}))
        times = {name for name in table.columns if holds_times(name, table)}
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
    is_bare = asked.explained() == 1 and not asked.has(("what", "which", "where", "show", "list", "who", "many"))
    return before if is_same or is_bare else before._replace(measure="", wanted=(), column="")  # "Olga?"


def _told_of_one(truths: Sequence[Condition], before: Query | None, table: Table, asked: Question) -> str:
    """Return the column of yes and no that is asked of the one row that was told of."""
    is_one = before is not None and (before.measure in {"max", "min"} or len(before.rows(table)) == 1)
    is_asked = len(truths) == 1 and asks(asked.text) and bool(asked.has(("it",)))
    return truths[0].column if is_one and is_asked else ""


def _place_behind(measure: str, before: Query | None, asked: Question) -> int:
    """Return which of the largest, or smallest, is wanted: "the second highest", "and the third?" behind the highest; 0 for the first.

    Examples
    --------
    >>> from lango_nb.models.offline.table_query import parse
    >>> table = Table(("tea", "grams"), (("Assam", "3300"), ("Gyokuro", "240"), ("Mate", "900")))
    >>> str(query("which tea has the second most grams?", table)), str(query("et le troisième ?", table, parse("max grams"), language="fr"))
    ('max grams place 2, tea', 'max grams place 3')
    """
    own = lexicon_of(asked.language).concepts(asked.tokens)
    said = {
        place: [at for at, told in enumerate(own) if name in told and at not in asked.used]
        for place, name in _RANKS.items()
    }
    said[2] += [at for at in asked.asks({"runner_up"}) if at not in said[2]]
    extremes = {*asked.has(_EXTREMES), *asked.asks({*ENDS, "runner_up"})}
    is_bare = before is not None and before.measure in {"max", "min"} and not measure
    for place, places in said.items():
        if places and (is_bare or (measure in {"max", "min"} and any({at, at + 1} & extremes for at in places))):
            asked.used.update(places)
            return place
    return 0


_RANKS: Mapping[int, str] = {2: "second", 3: "third"}
"""Concepts of places behind the first."""


def _of_those_who_have(found: Query, asked: Question, table: Table) -> Query:
    """Return the rows that have any of what a table counts where it is asked who has it, or has none: "who owes a fine?".

    Examples
    --------
    >>> fines = Table(("name", "fine"), (("Ann", "0.00"), ("Bo", "2.50"), ("Cy", "0.00")))
    >>> str(query("who has a fine?", fines)), str(query("chi non ha multe?", fines, language="it"))
    ('rows where fine over 0', 'rows where fine not over 0')
    >>> str(query("who has which fine?", fines)), str(query("what is the fine?", fines))
    ('fine', 'fine')
    """
    column = found.wanted[0] if len(found.wanted) == 1 else ""
    values = [] if not column else [number(value) for value in table.values(column) if value]
    is_counted = bool(column) and is_numeric(table.values(column)) and 0 in values and any(values)
    is_who = bool(asked.has(("who",))) and not asked.has(("which", "what", "many", "show", "list", "all"))
    if not (is_counted and is_who) or found.where or found.measure or found.by:
        return found
    is_not = any(map(asked.negates, range(len(asked.tokens)))) or bool(asked.asks({"without"}))
    asked.used.update(asked.asks({"owed", "yet", "holds"}), asked.has(("pay", "must")))
    where = (Condition(column, "over", ("0",), is_not),)
    return found._replace(where=where, wanted=(), explained=max(found.explained, asked.explained()))


def _added_up(measure: str, before: Query | None, asked: Question) -> str:
    """Return that what was told of is added up, where nothing else is measured: "what do those two cost together?"."""
    places = asked.asks({"together"})
    is_of_one = (before is None and not asked.asks({"much"})) or (measure == "count" and _counts_things(asked))
    if is_of_one or measure not in {"", "count"} or not places or asked.asks({"pieces"}):
        return measure
    asked.used.update(places)
    return "sum"


def _of_that_row(found: Query, before: Query | None, table: Table, asked: Question) -> Query:
    """Return how much the one has who was told of, and no sum of all: "how much does she get?" behind "who comes last?".

    Examples
    --------
    >>> from lango_nb.models.offline.table_query import parse
    >>> table = Table(("name", "arrives", "pay"), (("Ann", "8:30", "40"), ("Bo", "9:15", "60")))
    >>> str(query("and how much does he get?", table, parse("max arrives, name")))
    'pay'
    """
    is_of_one = before is not None and before.measure in {"max", "min"} and not before.by and not before.most
    if before is not None and is_of_one and _is_bare_count(found, asked):
        return before._replace(explained=1.0, is_grounded=True)
    is_summed = found.measure in {"sum", "count"} and bool(asked.asks({"much", "times"}) or asked.has(("many",)))
    is_all = bool(asked.asks({"together"}) or asked.has((*MEASURES["sum"], "all", "each")))
    is_all = is_all or (bool(asked.asks({"pieces"})) and not found.is_column_said)
    if before is None or not (is_of_one and is_summed) or is_all or found.where != before.where:
        return found
    column = found.column or amount_column(table, set(), is_money=True)
    if column in {"", before.column}:
        return found._replace(measure=before.measure, column=before.column, wanted=before.wanted) if column else found
    return found._replace(measure="", column="", wanted=(column,))


def _is_bare_count(found: Query, asked: Question) -> bool:
    """Tell whether it is only asked how many, or how much, that was: "how many?" behind "who has most books?".

    Examples
    --------
    >>> from lango_nb.models.offline.table_query import parse
    >>> shelf = Table(("name", "books"), (("Ann", "3"), ("Bo", "5")))
    >>> [str(query(said, shelf, parse("max books"))) for said in ("how many?", "and how many in total?", "how many people are there?")]
    ['max books', 'sum books', 'count']
    """
    is_count = found.measure == "count" and not (found.where or found.wanted or found.column)
    is_other = asked.has(("all", "row", "line", "file", *MEASURES["sum"], *NEGATING)) or asked.asks(
        {"together", "inside", "rest"}
    )
    return is_count and not is_other and asked.explained(default=1.0) == 1


def _of_that_one(found: Query, before: Query | None, table: Table, asked: Question) -> Query:
    """Return what all the rows of somebody come to of whom one row was shown: a sum of that one row says nothing.

    Examples
    --------
    >>> from lango_nb.models.offline.table_query import parse
    >>> shifts = Table(("day", "name", "hours"), (("Monday", "Ann", "3"), ("Tuesday", "Bo", "4"), ("Friday", "Ann", "2")))
    >>> str(query("and how many hours is that a week in total?", shifts, parse("rows where day is Monday")))
    'sum hours where name is Ann'
    """
    is_all = bool(asked.asks({"weekly", "together"}) or asked.has(MEASURES["sum"]))
    if before is None or before.by or not is_all or found.measure not in {"sum", "mean", "count"} or found.by:
        return found
    rows, people = answer(before, table).rows, _people(table)
    told = {one.column for one in found.where}
    if len(rows) != 1 or len(people) != 1 or people[0] in told or not set(found.where) <= {*before.where}:
        return found
    whom = Condition(people[0], "is", (rows[0][table.columns.index(people[0])],))
    return found._replace(where=(whom,))


def _is_much(before: Query | None, named: Sequence[str], asked: Question) -> bool:
    """Tell whether a question asks how much it is, and names nothing that there could be a number of."""
    places = [] if before is None or named else asked.asks({"much"})
    asked.used.update(places)
    return bool(places)


def _opened(  # noqa: PLR0913 - what a question says
    before: Query, asked: Question, measure: str, named: Sequence[str], title: set[int], *, has_rows: bool
) -> Query:
    """Return the question before without its rows where this one is about all rows: "and all together?", "the oldest member?"."""
    is_pointing = points_back(asked.text)
    is_shown = before.measure == "count" and bool(asked.has(("show", "list")))
    every = set(asked.has(("all",))) - title
    is_added = not before.measure or (before.measure == "count" and asked.asks({"much"}))
    is_of_shown = every <= set(asked.has(MEASURES["sum"])) and is_added  # "und insgesamt?" of the rows shown
    is_over_time = any("month" in told for told in asked.asking)
    if every and is_over_time:  # "over all three months"
        return before._replace(where=tuple(one for one in before.where if one.kind not in {"month", "day", "year"}))
    is_bare = all(PRODUCT in name for name in named)  # "what is all of that worth?"
    is_all = bool(every) and not (is_shown or is_of_shown or (is_pointing and is_bare))
    is_whole = measure in {"max", "min"} and bool(title) and not is_pointing
    if has_rows or not ((is_all and (before.measure or measure)) or is_whole):
        return before
    return before._replace(where=())


def _columns(asked: Question, table: Table, title: set[int]) -> list[str]:
    """Return the columns that a question names, those whose whole name is said before the others.

    What only says the table's own name wants its rows: "the chores of week 42".
    """
    found: dict[str, tuple[float, int]] = {}
    said: dict[str, set[int]] = {}
    (placed, where), is_extreme = _place_said(asked, table), bool(asked.has(_EXTREMES) or asked.asks(ENDS))
    for column in table.columns:
        title_of_it = column.partition(IS)[0]  # of a product
        parts = [part for part in plain(title_of_it).split() if not part[:1].isdigit() and not is_small(part)]
        hits = [(part, asked.means(part) if part not in IDS else asked.says(part)) for part in parts]
        if set(parts) & words_for("hours"):  # "a qué hora" wants a time, and no number of hours
            hits = [(part, [at for at in places if not _is_of_clock(asked, at)]) for part, places in hits]
        if set(parts) & KEYS and not all(places for _, places in hits):
            asked.used.update(place for _, places in hits for place in places)
            continue  # "which bikes" are the rows, not bike_id
        met = [place for _, places in hits for place in places[:1] if place not in title]
        if not met and holds_truths(table.values(column)):
            is_done = not words_for("done").isdisjoint(parts)
            met = [at for part in parts for at in asked.denies(part)]  # "unpaid"
            met += [at for at, told in enumerate(asked.asking) if is_done and told & _STATES]  # "which are still open?"
            is_only = sum(holds_truths(table.values(one)) for one in table.columns) == 1
            met += [at for at, told in enumerate(asked.asking) if is_only and "yet" in told]  # "who has not paid yet?"
        told_by = [quality for quality, (nouns, units) in QUALITIES.items() if tells_quality(column, nouns, units)]
        said_by = {*told_by, *(["lasts"] if "length" in told_by else [])} - (set() if is_extreme else _OF_EXTREMES)
        qualities = [at for at, told in enumerate(asked.asking) if not told.isdisjoint(said_by)]
        qualities = qualities if is_numeric(table.values(column)) or is_of_lengths(column, table) else []
        if not met and set(parts) & words_for("sold"):
            met = asked.asks({"sold"})
            hits = [(column, met)] if met else hits  # "what sells best?"
        if not met and set(parts) & words_for("settled") and column in amounts(table):
            met = asked.has(("pay",))
            hits = [(column, met)] if met else hits  # "how much did we pay for it?"
        if not met and column == placed:
            met, hits = where, [(column, where)] if where else hits
        if not met and qualities:
            met, hits = qualities, [("", qualities)]  # "the heaviest": mass_g
        sign = unit_of(column)
        if not met and sign and [unit_of(one) for one in table.columns].count(sign) == 1:
            met = [
                at for at in asked.asks({sign}) if not (sign == HOURS and _is_of_clock(asked, at))
            ]  # "more than 8 grams": mass_g
            hits = [(sign, met)] if met else hits
        if met and len([1 for _, places in hits if places] or met) * 2 >= len(hits):
            found[column] = (-len(met) / (len(parts) or 1), min(met))
            said[column] = {place for _, places in hits for place in places} or set(met)
            asked.used.update(said[column], qualities)
            asked.used.update(place for part in parts if part in IDS for place in asked.means(part))  # "phone number"
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


def _is_of_the_rest(asked: Question, table: Table) -> bool:
    """Tell whether it is asked how much is left to be paid of a table that tells how much was, and not how much is left.

    Examples
    --------
    >>> costs = Table(("item", "planned", "paid"), (("tent", "90", "40"), ("boat", "20", "20")))
    >>> query("how much is left to pay for the tent?", costs).is_grounded, str(query("how much did we pay for the tent?", costs))
    (True, 'sum paid where item is tent')
    """
    is_told = any(set(plain(name).split()) & words_for("settled") for name in amounts(table))
    return is_told and bool(asked.asks({"owed", "rest"})) and bool(asked.has(("pay",)) or asked.asks({"owed"}))


def _is_of_clock(asked: Question, at: int) -> bool:
    """Tell whether a word for hours is said of a time of the day, where words stand apart."""
    return "when" in asked.concepts[at] and asked.tokens[at].kind == "word"


def _place_said(asked: Question, table: Table) -> tuple[str, list[int]]:
    """Return the only column of places, with the words that ask for one.

    Examples
    --------
    >>> table = Table(("name", "district", "docks"), (("Town Hall", "Center", "9"), ("Harbour", "East", "7")))
    >>> str(query("in welchem Stadtteil ist Harbour?", table, language="de")), str(query("where is Harbour?", table))
    ('district where name is Harbour', 'district where name is Harbour')
    """
    placed = [name for name in table.columns if set(plain(name).split()) & words_for("located")]
    if len(placed) != 1:
        return "", []
    named = [unit.token for unit in asked.units if unit.text in words_for("located")]
    return placed[0], named or asked.has(("where",))


def _continued(found: Query, before: Query, table: Table, asked: Question) -> Query:
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


def measured(found: Query, table: Table, *, is_time: bool, is_money: bool) -> Query:
    """Settle the column that is measured."""
    if not found.measure or found.column:
        return found
    is_added = found.measure in {"sum", "mean"}
    numeric = [name for name in found.wanted if is_numeric(table.values(name)) or is_of_lengths(name, table)]
    numeric = [name for name in numeric if not (is_added and only_numbers_rows(table.values(name)))]
    priced = [name for name in numeric if set(plain(name).split()) & words_for("priced")]
    numeric = (
        priced if is_money and priced and found.measure in {"max", "min"} else numeric
    )  # and not how many there are
    numeric.sort(key=lambda name: PRODUCT not in name)
    dated = [name for name in found.wanted if any(map(day, table.values(name)))]
    if is_money and not is_time and amount_column(table, set(), is_money=True):
        dated = []  # "on which day did we earn most?"
    dated = [] if is_added else dated
    column = next(iter([*dated, *numeric] if is_time else [*numeric, *dated]), "")
    spent = {one.column for one in found.where}
    if is_time and not column:
        times = [name for name in table.columns if holds_times(name, table) and name not in spent]
        column = times[0] if times else ""
    if (
        not column
        and is_added
        and len(limited := [one.column for one in found.where if one.kind in {"over", "under"}]) == 1
    ):
        column = limited[0]  # "how much is that altogether?" of those who owe something
    if not column and found.measure in {"max", "min", "mean", "sum"}:
        column = amount_column(table, spent, found.measure, is_money=is_money)
    if found.measure == "count" and column and column not in amounts(table):
        column = ""
    if found.measure == "count" and not column and is_money and len(found.wanted) == 0:
        column = amount_column(table, spent, is_money=is_money)
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
    >>> from lango_nb.models.offline.table_query import Condition
    >>> store = Table(("id", "item", "qty"), (("P1", "sword", "5"), ("P2", "tea set", "2")))
    >>> _things_told(Query((Condition("item", "has", ("sword",)),)), store), _things_told(Query(), store)
    (1, 0)
    """
    own = {name for name in (table.columns[0], label_of(table)) if name}
    own = {name for name in own if len(set(table.values(name))) == len(table.rows)}
    is_told = bool(found.where) and all(one.column in own and one.kind in {"is", "has"} for one in found.where)
    return len(found.rows(table)) if is_told else 0


def _by_age(found: Query, asked: Question) -> Query:
    """Return a query that takes who is oldest for the one with most years, where a column of ages is wanted."""
    is_age = any(tells_quality(name, *QUALITIES["age"]) for name in found.wanted)
    times = asked.said(_TIMES)
    return (
        found._replace(measure="max" if "oldest" in times else "min") if found.measure and times and is_age else found
    )


def _sized(found: Query, table: Table, asked: Question, *, is_titled: bool) -> Query:
    """Settle the column of the largest and the smallest where nothing else tells which is measured: the only one of sizes."""
    is_long = bool(asked.has(("longest", "shortest"))) and not asked.asks({"price", "most", "least"})
    if is_long and found.column not in found.wanted and set(plain(found.column).split()) & words_for("priced"):
        return found._replace(column="")  # what is long is not dear
    found = found._replace(is_grounded=found.is_grounded or (is_titled and bool(found.column)))
    if found.measure not in {"max", "min"} or found.column or not asked.has(("largest", "smallest")):
        return found
    spent = {one.column for one in found.where}
    sized = [name for name in amounts(table) if tells_quality(name, *_SIZED) and name not in spent]
    is_one = len(sized) == 1
    return found._replace(column=sized[0], is_grounded=found.is_grounded or is_titled) if is_one else found


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
    extremes = [one & MEASURING for one in told if one & _EXTREMES]
    is_first_largest = bool(extremes and extremes[0] & set(MEASURES["max"]))
    if extremes and extremes[0] & _TIMES and tells_quality(column, *QUALITIES["age"]):
        is_first_largest = not is_first_largest
    is_turned = any("reverse" in one for one in told)
    is_down = "down" in said_of_tables(text, language) or is_first_largest or is_turned
    counts = map(number_said, tokens, lexicon_of(language).concepts(tokens))
    given = [count for count in counts if count]
    return is_down, given[0] if len(given) == 1 else 0


def _counted_off(asked: Question) -> int:
    """Return the number right before a superlative, which is no day and no value: "the 3 dearest repairs", "os 3 mais vendidos"; 0 for none."""
    _explain_span(asked)
    extremes = {*asked.has(_EXTREMES), *asked.asks(ENDS)}
    telling = asked.asks({"sold", "price"})
    extremes |= {at - 1 for at in telling} & {*asked.has(("more", "less"))}  # "les 3 plus vendus"
    things = {*asked.has(("item",))}
    for unit in asked.units:
        behind = unit.token + 2 if unit.token + 1 in things - extremes else unit.token + 1
        if unit.is_number and behind in extremes and unit.text.isdigit():
            asked.used.update({unit.token, behind})
            return int(unit.text)
    return 0


def _how_many(asked: Question) -> int:
    """Return how many rows are wanted of those with the most, or the least: "the three dearest parts"; 0 for one."""
    counts = lexicon_of(asked.language).concepts(asked.tokens)
    said = [
        (place, count)
        for place, token in enumerate(asked.tokens)
        if place not in asked.used and (count := number_said(token, counts[place])) > 1
    ]
    is_one = all(at == said[0][0] + n and count == said[0][1] for n, (at, count) in enumerate(said))  # 三个
    if not said or not is_one:
        return 0
    asked.used.update(at for at, _ in said)
    return said[0][1]
