"""Requests about tables and JSON files that mean another step than was read: rows and columns that were shown, values that are set."""

from __future__ import annotations

from lango_nb.models.offline.columns import label_of, names_column
from lango_nb.models.offline.followups import CLAUSES, ENDED, lacks
from lango_nb.models.offline.keyed import KEYED, TABULAR
from lango_nb.models.offline.lexicon import concepts_of, is_small_in, lexicon, lexicon_of
from lango_nb.models.offline.lexicon import words as words_of
from lango_nb.models.offline.lists import FEW_WORDS, KEEPING, left_over, words_of_wishes
from lango_nb.models.offline.names import (
    EAST,
    asks,
    compared_in,
    how_many,
    is_pointer,
    is_small,
    points_back,
    rank,
    telling_words,
    trimmed,
    unexplained,
)
from lango_nb.models.offline.operations import BOX, clock, read_table, reckon
from lango_nb.models.offline.plan import Context, Reading, Step, is_change  # noqa: F401 - in the examples
from lango_nb.models.offline.queries import TABLES
from lango_nb.models.offline.request import ASKED_OF, SHORT, UNCLEAR_PLACE, Request, is_described, is_key_said
from lango_nb.models.offline.steps import BOTH, COLONS, FEW_SAID
from lango_nb.models.offline.table_query import parse as parse_query

_EXTREMES = frozenset(("largest", "smallest", "longest", "shortest", "newest", "oldest", "max", "min"))
"""Concepts of which rows are first once they are sorted."""


def sorted_into(request: Request) -> Step | None:
    """Return that a table goes sorted into a new one, which is the only file that is named: "make a b.csv of the price list, sorted by price".

    Examples
    --------
    >>> said = Reading((Step("rows.sorted", {"file": ("b.csv", "the price list")}),))
    >>> sorted_into(Request(said, "make a b.csv from the price list, sorted by price", Context()))[:3]
    ('rows.sorted', {'file': ('price list',), 'to': ('b.csv',)}, 'write')
    """
    own = lexicon_of(request.language).concepts(request.words)
    told = frozenset[str]().union(*own)
    is_made = "sort" in told and bool(told & {"create", "write", "save"}) and not request.is_question
    starts = [at for at, one in enumerate(own) if "from" in one]
    if not is_made or len(request.files) != 1 or not request.files[0].endswith((".csv", ".tsv")) or not starts:
        return None
    source: list[str] = []
    for word in request.words[starts[0] + 1 :]:
        if word.kind in {"sign", "file"}:
            break
        source += [] if is_small(word.text) or is_small_in(word.folded, request.language) else [word.text]
    to = (request.files[0],)
    return request.instead("rows.sorted", "write", file=(" ".join(source),), to=to) if source else None


_REORDERED = frozenset(("read.sorted", "read.reversed", "read.unique", "rows.sorted"))
"""Acts that show a file in another order."""


def sorted_there(request: Request) -> Step | None:
    """Return that a file stays in the order in which it is shown, where that is to be saved, or lines go by the alphabet.

    No other file is named then, and nothing of showing is said.

    Examples
    --------
    >>> said = Reading((Step("read.sorted", {"file": ("a.txt",)}),), language="de")
    >>> sorted_there(Request(said, "sortier a.txt und speicher das so", Context()))[1:3]
    ({'file': ('a.txt',), 'to': ('a.txt',)}, 'write')
    >>> sorted_there(Request(said, "sortier a.txt mal alphabetisch", Context())).destination
    'write'
    >>> sorted_there(Request(said, "zeig a.txt sortiert", Context()))
    >>> sorted_there(Request(said, "sortier a.txt mal alphabetisch", Context())).destination
    'write'
    """
    step = request.step
    file = step.word("file") or request.context.file
    first = frozenset[str]().union(*lexicon().concepts([word for word in request.words if word.kind != "file"])[:1])
    is_ordered = step.act == "read.sorted" and any("alphabet" in one for one in request.wishes)
    is_ordered = is_ordered and not request.concepts & {"show", "print", "open"} and not first & {"and", "only"}
    is_kept = bool(request.concepts & {"save", "put"}) or (is_ordered and not file.casefold().endswith(TABULAR))
    is_kept = is_kept and not (step.destination or request.is_question)
    others = [word.text for word in request.words if word.kind == "file" and word.text != file]
    if step.act not in _REORDERED or not is_kept or not file or others or step.word("to"):
        return None
    act = "read.sorted" if step.act == "rows.sorted" and not file.casefold().endswith(TABULAR) else step.act
    return step.with_arguments(file=(file,), to=(file,))._replace(act=act, destination="write", text=request.text)


def rows_shown(request: Request) -> Step | None:
    """Return that the first, or the last, of the rows that were shown are wanted, and no lines of the file.

    Examples
    --------
    >>> shown = Context(Step("query", {"file": ("a.csv",)}), "a.csv", shown=("1,Ann", "2,Bo", "3,Cy"))
    >>> rows_shown(Request(Reading((Step("read.first", {"n": ("two",)}),)), "just the first two", shown)).arguments
    {'file': ('a.csv',), 'find': ('1,Ann', '2,Bo')}
    """
    step, rows = request.step, request.context.shown
    each = (one for reading in (request.reading, *request.reading.others) for one in reading.steps[:1])
    if step.act not in {"read.first", "read.last"} and "only" in request.concepts:  # "只要前两件"
        step = next((one for one in each if one.act in {"read.first", "read.last"} and one.word("n")), step)
    count = rank(step.word("n")) if step.act in {"read.first", "read.last"} and step.word("n") else None
    if not rows and BOX.search(request.context.answer):
        rows = tuple(line for line in request.context.answer.splitlines() if BOX.match(line))
    is_told = request.last.act in {"query", "search", "rows.where", "read"} and len(rows) > 1 and not step.word("file")
    if (
        not (is_told and count and 1 < count < len(rows))
        or request.concepts & {"line", *_EXTREMES}
        or any(", " in row or ENDED.search(row) for row in rows)
    ):
        return None
    kept = rows[:count] if step.act == "read.first" else rows[-count:]
    return request.instead("search", file=(request.context.file,), find=tuple(kept))


def row_shown(request: Request) -> Step | None:
    """Return that one of the rows that were shown is wanted, told by its place: "who is the second one?".

    Examples
    --------
    >>> shown = Context(Step("query", {"file": ("a.csv",)}), "a.csv", shown=("1,Ann", "2,Bo"))
    >>> row_shown(Request(Reading((Step("talk", {}),)), "who is the second one?", shown)).arguments
    {'file': ('a.csv',), 'find': ('2,Bo',)}
    """
    is_told = request.last.act in {"query", "rows.where", "count.matches"} and len(request.context.shown) > 1
    if not is_told or request.length > FEW_WORDS + 1 or request.names() or request.unexplained:
        return None
    row = request.shown_at_place() if request.step.act in UNCLEAR_PLACE and not request.names("number") else ""
    return request.instead("search", file=(request.context.file,), find=(row,)) if row else None


def of_table(request: Request) -> Step | None:
    """Return that who comes first, or last, is asked of the table that is spoken of, and no line: "who arrives first?".

    Examples
    --------
    >>> read = Reading((Step("read.first", {}),))
    >>> of_table(Request(read, "who arrives first?", Context(file="guests.csv"))).act
    'query'
    """
    tables = [name for name in request.files if name.endswith(TABLES)]
    if request.step.act in {"about.owner", "about.agents"} and len(tables) == 1:
        return request.instead("query")  # "in helpers.csv, who has the job packing?"
    if (ranked := _of_the_first(request)) is not None:
        return ranked
    if request.last.act == "query" and request.context.file.endswith(".log") and _is_counted(request):
        return request.step.with_arguments(file=(request.context.file,))  # the last line of the log, and not of those
    is_line = bool(request.concepts & {"line", "row"}) or request.names() or request.names("number")
    is_asked = request.step.act in {"read.first", "read.last"} and "who" in request.concepts
    asked = request.context.query
    if asked is not None and request.concepts & ASKED_OF and any("left" in one for one in request.wishes):
        return asked._replace(text=request.text) if request.length <= FEW_WORDS else None  # "so who is left?"
    return request.instead("query") if is_asked and not is_line and request.context.file.endswith(TABLES) else None


def _is_counted(request: Request) -> bool:
    """Tell whether a line at an end of a file is wanted where lines of it were only counted: "show me the last line".

    Examples
    --------
    >>> counted = Step("query", {"query": ("count where kind is WARN",)})
    >>> said = Reading((Step("read.last", {}),))
    >>> _is_counted(Request(said, "show me the last line of it", Context(counted, "a.log", query=counted)))
    True
    """
    told = parse_query(request.last.word("query"))
    is_end = request.step.act in {"read.first", "read.last"} and request.says_line and not request.step.destination
    return is_end and not request.files and told is not None and told.measure == "count"


_MAYBE_FIRST = frozenset(("read.first", "read.last", "read.line", "line.delete"))
"""Acts that are read where a number of rows with the most of something are wanted."""


def _of_the_first(request: Request) -> Step | None:
    """Return that the few rows with the most of something are wanted, and no lines and no sum: "i 3 prodotti più venduti".

    Examples
    --------
    >>> said = Reading((Step("calculate", {"text": ("3 prodotti più venduti",)}),), language="it")
    >>> _of_the_first(Request(said, "i 3 prodotti più venduti", Context())).act
    'query'
    >>> said = Reading((Step("read.first", {"n": ("3",), "file": ("menu.csv",)}),))
    >>> _of_the_first(Request(said, "top 3 sellers in menu.csv", Context())).arguments
    {'file': ('menu.csv',)}
    >>> _of_the_first(Request(said, "the first 3 lines of menu.csv", Context()))
    """
    step, file = request.step, request.step.word("file")
    is_sum = step.act == "calculate" and reckon(step.word("text")) is None and not request.files
    is_first = step.act in _MAYBE_FIRST and file.casefold().endswith(TABLES) and not request.says_line
    is_first = is_first and "delete" not in request.concepts
    is_most = bool(request.concepts & {"max", "min"} or request.asking & {"most", "often"})
    is_told = is_most and bool(request.asking & {"sold", "price"})
    if not (is_sum or is_first) or not is_told or not request.names("number") or step.destination:
        return None
    return request.instead("query", **({"file": (file,)} if is_first else {}))


def value_put(request: Request) -> Step | None:
    """Return that the value that was told is to be another: "make that 45", "we used some, so change it to 6", "set 30".

    Examples
    --------
    >>> told = Context(Step("query", {}), "a.csv", query=Step("query", {}))
    >>> said = Reading((Step("replace", {"old": ("2 kg",), "new": ("6",)}),))
    >>> value_put(Request(said, "we cooked 2 kg of it, so change that to 6", told)).word("new")
    '6'
    >>> told = Context(Step("json.get", {"key": ("minutes",)}, text="quanti minuti?"), "a.json")
    >>> value_put(Request(Reading((Step("json.set", {"new": ("30",)}),), language="it"), "metti 30", told)).arguments
    {'file': ('a.json',), 'key': ('minutes',), 'new': ('30',)}
    """
    last, file = request.last, request.context.file
    is_table = last.act in {"query", "value.set"} and file.endswith((".csv", ".tsv"))
    is_plain = request.context.answer.lstrip()[:1] not in {"{", "["} and "\n" not in request.context.answer.strip()
    is_value = last.act in {"json.get", "json.set"} and bool(last.word("key")) and file.endswith(KEYED) and is_plain
    is_value = is_value and is_key_said(last, request.language)
    if not (is_table or is_value) or request.is_question or request.files or request.length > 2 * SHORT:
        return None
    clauses = [one for one in CLAUSES.split(request.text.rstrip(" .!")) if one.strip()]
    put = [(clause, value) for clause in clauses if (value := _value_in(clause, request.language))]
    numbers = [word.text for word in request.words if word.kind == "number"]
    if not put and is_table and len(numbers) == 1 and "increase" in request.asking and request.length <= SHORT:
        put = [(request.text, numbers[0])]  # "we bought 2 more"
    if len(put) != 1:
        return None
    clause, new = put[0]
    key, before = request.step.word("key"), last.word("key").rpartition(".")[2]
    is_other = bool(key and telling_words(key)) and not is_pointer(trimmed(key), "it")
    is_other = is_other and not concepts_of(key) & {"value", "number"}
    is_other = is_other and bool(before) and not names_column(key, before, request.language)  # "put the limit up to 7"
    is_of_last = not (is_other or unexplained(clause.partition(new)[0], request.language))  # "mach 9000 draus"
    is_east = request.language in {"ja", "zh"}  # where a clause tells more before the verb
    if is_table and not (is_east and unexplained(clause.replace(new, " "), request.language)):
        return request.instead("value.set", text=(clause,), file=(file,), new=(new,))
    if is_table:
        return None
    return request.instead("json.set", file=(file,), key=last.arguments["key"], new=(new,)) if is_of_last else None


def value_told(request: Request) -> Step | None:
    """Return that a value is to be another where that is told, in a file that is described or in any: "hats go up to 5, change it".

    Examples
    --------
    >>> put = Reading((Step("replace", {"new": ("4.50",), "file": ("the price list",)}),))
    >>> said = "hats are now 4.50 a week, change it in the price list"
    >>> value_told(Request(Reading((Step("read", {}),), others=(put,)), said, Context())).arguments
    {'text': ('hats 4.50 a week',), 'file': ('the price list',), 'new': ('4.50',)}
    >>> value_told(Request(put, "what is 4.50 in the price list?", Context()))
    """
    each = [one.steps[0] for one in (request.reading, *request.reading.others) if len(one.steps) == 1]
    described = [word for one in each for word in one.arguments.get("file", ()) if is_described(word, request.language)]
    file = next(iter(described), "")
    values = [word.text for word in request.words if word.kind in _VALUES and word.text not in file]
    new = next((one.word("new") for one in each if one.act in _PUTS and one.word("new") in values), "")
    is_pair = len(values) == BOTH and any("instead" in one for one in request.wishes)
    if (
        not new
        or not (len(values) == 1 or is_pair)
        or not _is_told(request, is_pair=is_pair and not request.context.file)
    ):
        return None
    if not file and request.context.file.casefold().endswith(TABULAR):
        file = request.context.file
    clauses = [one for one in CLAUSES.split(request.text.rstrip(" .!")) if one.strip()]
    told = [one for one in clauses if new in one]
    bare = _without_marked(told[0] if len(told) == 1 else request.text, file, request.language)
    is_bare = not unexplained(bare.replace(new, " "), request.language)
    if not file and is_bare:
        return None
    return request.instead("value.set", text=(bare,), file=(file,) if file else (), new=(new,))


def _is_told(request: Request, *, is_pair: bool) -> bool:
    """Tell whether it is told that something has another value from now on, and not asked, nor said in full by what was read."""
    step, marks = request.step, frozenset[str]().union(*request.wishes)
    is_wish = "becomes" in marks or (is_pair and bool(request.concepts & {"change", "correct"}))
    is_whole = step.act in _PUTS and not lacks(step) and not is_pair
    is_other = request.is_question or asks(request.text) or bool(request.names() or request.context.asked)
    is_text = any(word.is_quoted or word.text in COLONS for word in request.words)
    return is_wish and not (is_whole or is_other or is_text or request.concepts & {"line", "task"})


_PUTS = frozenset(("replace", "json.set", "value.set", "line.replace"))
"""Acts by which a value is put in the place of another."""


def _without_marked(clause: str, file: str, language: str) -> str:
    """Leave out of a clause the words that say that something is so from now on, and the file that it speaks of."""
    text = clause.replace(file, " ") if file else clause
    found = words_of(text)
    marks = words_of_wishes(language).concepts(found)
    out = [word for word, one in zip(found, marks, strict=True) if "becomes" in one]
    for word in reversed(out):
        text = text[: word.start] + text[word.end :]
    return " ".join(text.split())


def time_put(request: Request) -> Step | None:
    """Return that a row of a table is to be at another time of the day, and no file to go anywhere: "move Rex to 4 pm".

    Examples
    --------
    >>> shown = Context(Step("query", {}), "a.csv", query=Step("query", {"file": ("a.csv",)}))
    >>> time_put(Request(Reading((Step("move", {}),)), "move Rex to 4 pm", shown)).arguments
    {'text': ('move Rex to',), 'new': ('16:00',), 'file': ('a.csv',)}
    >>> time_put(Request(Reading((Step("move", {}),), language="it"), "sposta felix alle 16:30", Context())).word("new")
    '16:30'
    >>> time_put(Request(Reading((Step("move", {}),)), "move Rex to old", shown))
    """
    told = _clock_said(request)
    own = frozenset[str]().union(*lexicon_of(request.language).concepts(request.words))
    is_moved = request.step.act.partition(".")[0] in {"move", "rename", "value"} and "move" in own
    if told is None or not is_moved or request.is_question or request.names():
        return None
    text, new = told
    asked = request.context.query
    file = {} if asked is None else {"file": asked.arguments.get("file", ())}
    return request.instead("value.set", text=(text,), new=(new,), **file)


def _clock_said(request: Request) -> tuple[str, str] | None:
    """Return a request without the one time of the day that it says, and that time; ``None`` where it says none, or several."""
    found, marks = request.words, request.wishes
    said: list[tuple[int, int, str]] = []
    for at, word in enumerate(found):
        beside = [one for one in (at + 1, at - 1) if 0 <= one < len(found) and "oclock" in marks[one]][:1]
        if clock(word.text) is not None:
            said.append((min((at, *beside)), max((at, *beside)), word.text))
        elif beside and word.text.isdecimal() and int(word.text) <= _HOURS:
            hour = int(word.text) % 12 + 12 if found[beside[0]].folded.startswith("p") else int(word.text)
            said.append((min(at, *beside), max(at, *beside), f"{hour:02}:00"))
        elif word.kind == "measure" and (bare := word.folded.removesuffix("h")) != word.folded and bare.isdecimal():
            said.append((at, at, f"{int(bare):02}:00"))
    if len(said) != 1:
        return None
    first, last, new = said[0]
    text = f"{request.text[: found[first].start]}{request.text[found[last].end :]}"
    return " ".join(text.split()), new


_HOURS = 24


def _value_in(clause: str, language: str) -> str:
    """Return the value that a clause says something is to be: the 45 of "so make that 45"; empty where it says none."""
    found = words_of(clause)
    values = [word.text for word in found if word.kind in _VALUES]
    told = frozenset[str]().union(*lexicon().concepts(found)[: FEW_SAID + 1])
    is_east = language in {"ja", "zh"}
    is_put = bool(told & _PUTTING) or (
        is_east and any("mark" in one for one in words_of_wishes(language).concepts(found))
    )
    is_marked = "mark" in frozenset[str]().union(*words_of_wishes(language).concepts(found))  # "trag 40 ein"
    is_put = is_put or is_marked
    is_other = bool(told & {"file", "line", "row", "delete", "calculate"}) or ("append" in told and not is_marked)
    is_last = is_east or any(word.text in values for word in found[-BOTH:])
    return values[0] if len(values) == 1 and is_put and is_last and not is_other and len(found) <= FEW_WORDS + 2 else ""


_VALUES = frozenset(("number", "measure", "time"))
_PUTTING = frozenset(("change", "put", "write", "replace", "create", "save"))
"""Concepts of verbs with which a value is set."""


def switched(request: Request) -> Step | None:
    """Return that a value of a JSON file is put on or off, and neither said: "turn off the break in a.json", "switch it on".

    Examples
    --------
    >>> said = Reading((Step("json.set", {"file": ("a.json",)}),))
    >>> switched(Request(said, "turn off the break in a.json", Context())).arguments
    {'file': ('a.json',), 'key': ('break',), 'new': ('false',)}
    """
    step, last, found, marks = request.step, request.last, request.words, request.wishes
    every = frozenset[str]().union(*marks)
    new = "true" if "on" in every else "false" if "stopped" in every else ""
    named = [name for name in request.files if name.endswith(KEYED)]
    is_said = step.act.startswith(("json.", "value.")) and not step.word("new")
    goes_on = last.act.startswith("json.") and bool(last.word("key")) and len(found) <= FEW_WORDS
    spoken = request.context.file if request.context.file.endswith(KEYED) else ""
    file = named[0] if len(named) == 1 else spoken
    if not new or not file or asks(request.text) or not (is_said or named or goes_on):
        return None
    marked = [word.text for word, one in zip(found, marks, strict=True) if one & {"on", "stopped"}]
    is_of_last = goes_on and not step.word("key") and len(found) <= FEW_SAID
    taken = Step(step.act, {"file": (file, *marked)}, text=request.text)
    key = step.word("key") or ("" if is_of_last else left_over(request.text, taken, request.language))
    key = key or (last.word("key") if goes_on else "")
    return request.instead("json.set", file=(file,), key=(trimmed(key),), new=(new,)) if key else None


def columns_only(request: Request) -> Step | None:
    """Return that columns of a table are to be shown, and not which there are: "only the columns item and price of a.csv".

    Examples
    --------
    >>> said = Reading((Step("columns", {"file": ("a.csv",)}),))
    >>> columns_only(Request(said, "show only the columns city and street of a.csv", Context())).arguments
    {'file': ('a.csv',)}
    >>> columns_only(Request(said, "which columns does a.csv have?", Context()))
    """
    step, file = request.step, request.step.word("file") or request.context.file
    is_it = step.act == "columns" and file.endswith((".csv", ".tsv")) and not request.is_question
    left = [word for word in request.unexplained if word not in file]
    return request.instead("query", file=(file,)) if is_it and left else None


def largest_row(request: Request) -> Step | None:
    """Return that the largest, or the smallest, of the rows that were shown is wanted, and no file: "which of those is the biggest?".

    Examples
    --------
    >>> shown = Context(Step("rows.where", {"file": ("a.csv",), "column": ("height",)}), "a.csv")
    >>> largest_row(Request(Reading((Step("list.largest", {}),)), "which of those is the biggest?", shown)).text
    'which of those is the biggest? height'
    """
    step, last = request.step, request.last
    is_of_rows = last.act.startswith(("rows", "column", "query", "read")) and request.context.file.endswith(
        (".csv", ".tsv")
    )
    is_it = (
        step.act in {"list.largest", "list.smallest"}
        and not step.arguments
        and not request.concepts & {"file", "folder"}
    )
    text = f"{request.text} {last.word('column')}".strip()
    return request.instead("query")._replace(text=text) if is_it and is_of_rows else None


_FARTHEST = {
    "longer": "longest", "shorter": "shortest", "larger": "largest", "smaller": "smallest", "older": "oldest",
    "newer": "newest", "cheaper": "cheapest", "dearer": "most expensive",
}  # fmt: skip
"""What is the most of a few things, by the word that compares them."""


def more_of_shown(request: Request) -> Step | None:
    """Return that of the rows that were shown the one is wanted which is more so than the others: "and which is cheaper?".

    Examples
    --------
    >>> rows = Step("query", {"file": ("a.csv",), "query": ("rows where size is XL",)})
    >>> shown = Context(rows, "a.csv", shown=("1,robe,60", "2,cape,55"), query=rows)
    >>> said = Reading((Step("rows.where", {}),))
    >>> more_of_shown(Request(said, "and which is cheaper?", shown)).text
    'and which is cheaper? cheapest'
    >>> more_of_shown(Request(said, "is it cheaper than 60?", shown))
    """
    asked, context = request.context.query, request.context
    kind, _ = compared_in(request.text, request.language)
    kinds = {kind, *request.asking} & set(_FARTHEST)
    is_few = request.length <= FEW_WORDS + BOTH and len(context.shown) > 1 and context.file.endswith(TABLES)
    is_number = request.names("number", "measure", "file", "folder")
    is_look = not is_change(request.step.act) if request.step.act else False
    if asked is None or request.last.act != "query" or not is_few or is_number or len(kinds) != 1 or not is_look:
        return None
    told = parse_query(asked.word("query"))
    if told is None or told.measure or told.by:
        return None
    return request.instead("query")._replace(text=f"{request.text} {_FARTHEST[kinds.pop()]}")


def several_kept(request: Request) -> Step | None:
    """Return that the rows that were shown go to a file, where it is said how many they are: "write the three to a.txt".

    Examples
    --------
    >>> shown = Context(Step("query", {}), "a.csv", shown=("Ann", "Bo", "Cy"))
    >>> said = Reading((Step("write", {"file": ("b.txt",), "text": ("the three",)}),))
    >>> several_kept(Request(said, "write the three to b.txt", shown)).arguments
    {'file': ('b.txt',), 'text': ('it',)}
    """
    step = request.step
    found = [count for word in words_of(step.word("text")) if (count := rank(word.text))] if step.word("text") else []
    found = found or [how_many(step.word("text"))]  # "die beiden"
    left = [word for word in request.unexplained if word not in {*request.files, step.word("text")}]
    is_it = step.act in {"write", "append"} and found == [len(request.context.shown)] and found[0] > 1 and not left
    return request.instead(step.act, file=step.arguments.get("file", ()), text=("it",)) if is_it else None


def column_kept(request: Request) -> Step | None:
    """Return that a column of the rows that were shown goes to a file: "put their names in a.txt".

    Examples
    --------
    >>> rows = Step("query", {"file": ("a.csv",), "query": ("rows where country is Spain",)})
    >>> shown = Context(rows, "a.csv", query=rows)
    >>> said = Reading((Step("write", {"file": ("b.txt",), "text": ("their names",)}),))
    >>> column_kept(Request(said, "put their names in b.txt", shown))[:3]
    ('query', {'file': ('a.csv',), 'to': ('b.txt',)}, 'write')
    """
    asked, step = request.context.query, request.step
    tables = [name for name in request.files if name.endswith((".csv", ".tsv"))]
    files = [name for name in request.files if name not in tables]
    if len(tables) == len(files) == 1:  # "make a file a.txt with the names from b.csv"
        asked = Step("query", {"file": (tables[0],), "query": ("rows",)})
    told = parse_query(asked.word("query")) if asked is not None else None
    is_said = bool(request.concepts & (KEEPING | {"create"})) and not request.is_question
    is_kept = step.act not in {"", "delete"} and is_said  # "put these names into a.txt" is no move
    if asked is None or told is None or told.wanted or told.by or not is_kept or len(files) != 1:
        return None
    (to,), file = files, asked.word("file")
    said = request.text.replace(to, " ")
    found = [word for word in words_of(said) if word.kind == "word"]
    named = [word.text for word in found if names_column(word.folded, "name", request.language)]
    is_other = to == file or any(word.is_quoted or word.kind == "number" for word in request.words)
    if len(named) != 1 or is_other or len(unexplained(said, request.language)) > 1:
        return None
    act = "append" if "append" in request.concepts else "write"
    if told.measure in {"max", "min"}:  # "and her name", of the row with the most: nobody else's
        names = _names_answered(request)
        return request.instead(act, file=(to,), text=("\n".join(names),)) if names else None
    return Step("query", {"file": (file,), "to": (to,)}, act, named[0])


def _names_answered(request: Request) -> list[str]:
    r"""Return the names in the rows that stood in the last answer.

    Examples
    --------
    >>> told = Context(Step("query", {}), answer="8 (a.csv: min hours)\nname,hours\nBen Low,8")
    >>> _names_answered(Request(Reading((Step("write", {}),)), "put his name into b.txt", told))
    ['Ben Low']
    """
    table = read_table("\n".join(request.context.answer.splitlines()[1:]))
    column = next((one for one in table.columns if names_column("name", one, "en")), label_of(table))
    return table.values(column) if column else []


def rows_described(request: Request) -> Step | None:
    """Return that the rows of a table that are described go to a file, and not the description: "save all broken bikes in a.txt".

    Examples
    --------
    >>> said = Reading((Step("write", {"file": ("a.txt",), "text": ("all broken bikes",)}),))
    >>> rows_described(Request(said, "save all broken bikes in a.txt", Context()))[1:]
    ({'to': ('a.txt',)}, 'write', 'all broken bikes in')
    >>> rows_described(Request(said, 'write "all broken bikes" to a.txt', Context()))
    """
    step, found = request.step, request.words
    is_kept = step.act in _MAYBE_KEPT and bool(request.concepts & (KEEPING | {"create"})) and not request.is_question
    is_literal = any(word.is_quoted or word.text in COLONS for word in found) or "\n" in request.text.strip()
    is_named = any(word[:1].isupper() or any(map(str.isdigit, word)) for word in request.unexplained)
    own_told = zip(lexicon_of(request.language).concepts(found), request.wishes, strict=True)
    own = frozenset[str]().union(
        *(one for one, mark in own_told if "apiece" not in mark)
    )  # "al final" says nothing of all
    comma = next((at for at, word in enumerate(found[:-1]) if at and word.text in _COMMAS), 0)
    is_listing = bool(comma) and found[comma - 1].kind != "file" and "apiece" not in request.wishes[comma + 1]
    is_literal = is_literal or is_listing  # "apples, bread and milk"
    is_those = "all" in own or (request.context.query is not None and not is_named)
    kinds = ("it", "those", "answer") if request.language in EAST else ("answer",)  # else "la" is an article
    is_answer = bool(request.context.answer) and any(is_pointer(word.text, kind) for word in found for kind in kinds)
    is_those = is_those and not is_answer and not points_back(request.text)
    if not is_kept or is_literal or len(request.files) != 1 or not is_those or request.context.asked is not None:
        return None
    told, marks = lexicon().concepts(found), request.wishes
    left = [
        word.text
        for word, one, mark in zip(found, told, marks, strict=True)
        if word.text not in request.files and not (one & _OF_KEEPING or "apiece" in mark)
    ]
    is_of_names = any("apiece" in one for one in marks) and not request.files[0].endswith(TABLES)
    text = ("" if request.language in EAST else " ").join([*left, *["names"] * is_of_names])
    is_told = any(
        not (is_small(word) or is_small_in(word.casefold(), request.language) or concepts_of(word) & _POINTING)
        for word in left
        if (len(word) > 1 or not word.isascii()) and word != "names"
    )
    act = "append" if "append" in request.concepts else "write"
    return Step("query", {"to": (request.files[0],)}, act, text) if is_told else None


_COMMAS = (",", "\u3001", "\uff0c")
_MAYBE_KEPT = frozenset(
    ("write", "create", "append", "search", "move", "copy", "task.add", "read", "list", "rows.where")
)
"""Acts that are read where rows are to be kept in a file."""
_POINTING = frozenset(("all", "only", "it", "what", "who", "i", "you"))
_OF_KEEPING = KEEPING | {"create", "file", "please", "list"}
