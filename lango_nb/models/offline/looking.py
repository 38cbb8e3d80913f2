"""Acts that only look: what is in the folder, in files, tables, JSON and programs; tasks, memory, sums."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import takewhile
from pathlib import PurePosixPath
from typing import Any, Literal, NamedTuple

from lango_nb.core.masking import mask
from lango_nb.models.offline.answers import quoted
from lango_nb.models.offline.columns import is_numeric, is_of_lengths, label_of, names_column
from lango_nb.models.offline.conditions import spoken_of
from lango_nb.models.offline.derived import with_derived
from lango_nb.models.offline.folder import Absent, Ask, CannotWork, Desk, Failed, Outcome, TooLarge, Work, holds_secret
from lango_nb.models.offline.followups import says_operation
from lango_nb.models.offline.keyed import KEYED, in_json
from lango_nb.models.offline.keys_asked import Leaf, leaf
from lango_nb.models.offline.lexicon import ASK_SIGNS, UNSPACED, concepts_of, is_small_in, lexicon, lexicon_of
from lango_nb.models.offline.lexicon import words as words_of
from lango_nb.models.offline.lists import OF_TASKS
from lango_nb.models.offline.loanwords import pieces_of, with_names
from lango_nb.models.offline.names import (
    EAST,
    asks,
    endings,
    forms_of,
    here_in,
    is_date,
    is_noun_of_file,
    is_pointer,
    is_small,
    kind_of_file,
    likeliest_lines,
    nearest_texts,
    pick,
    plain,
    points_back,
    rank,
    share_met,
    stem,
    telling_in,
    telling_words,
    trimmed,
    unexplained,
    without_asking,
)
from lango_nb.models.offline.operations import (
    BOX,
    OPERATIONS,
    Entry,
    NoSuch,
    Table,
    Unsure,
    Value,
    code_list,
    compare,
    count_matches,
    count_words,
    day,
    files_of,
    gist,
    holds,
    in_figures,
    json_keys,
    lines,
    narrowed,
    numbers,
    of_name,
    read_log,
    read_table,
    reckon,
    rows_key,
    settle,
    with_text,
    write_row,
    written,
)
from lango_nb.models.offline.plan import Step
from lango_nb.models.offline.queries import TABLES, measured, query, query_of, ranked
from lango_nb.models.offline.question import said_of_tables, says_state, words_of_tables
from lango_nb.models.offline.series import is_series, series_of, whole_series
from lango_nb.models.offline.table_query import Condition, Query, answer, is_yes_or_no
from lango_nb.models.offline.table_query import parse as parse_query

_MOST_SEARCHED = 60
"""Files that are searched when none is named."""
_MOST_HITS = 40
_EVERYWHERE = frozenset(("files", "all files", "everything", "everywhere", "all", "folder"))
_MOST_TABLES = 12
"""Tables that are looked into for a question that names none."""
_FEW_ROWS = 3
_MOST_AGAIN = 12
"""Rows that are shown again where something is asked of them that their table does not explain."""
_GOING_ON = 0.25
"""What it counts that a table was spoken of, beside the share of a question that it explains."""
_HAS_VALUE = 0.1
"""The same, where a value of it is named."""
_LONG_WORD = 5
"""Letters of a word by which alone lines are looked for."""
_FIFTH, _THIRD, _HALF, _MOSTLY, _WHOLLY = 0.2, 0.33, 0.5, 0.65, 0.9
"""Shares of a question that a table must explain."""
_KEPT = 0.75
"""The same where what it gives is written to a file."""
_REFUSING = frozenset(("no", "not", "none"))
_CHANGING = frozenset(("change", "delete", "write", "move", "replace"))
ASKED = (*TABLES, *(ending for ending in KEYED if ending not in TABLES))
"""How the names of files end whose values are asked for."""
_OF_TABLES = frozenset(
    (
        "rows.where",
        "rows.over",
        "rows.under",
        "rows.count",
        "cell",
        "column.sum",
        "column.mean",
        "column.min",
        "column.max",
        "group.sum",
        "group.count",
        "json.get",
        "query",
    )
)
"""Acts that ask a table."""
_MAYBE_OF_TABLES = frozenset(
    ("column.distinct", "columns", "count.rows", "count.lines", "count.matches", "count.files", "read", "size", "date", "exists", "calculate", "recall", "talk",
     "unclear", "same", "fix", "about.agents", "about.owner", "list",
     "code.show", "code.list")
)  # fmt: skip
"""Acts that a question of a table is taken for."""
_OF_WHOLE_FILES = frozenset(("date", "exists", "size"))
"""Acts that are about a file itself, and read where something else is asked in the same words."""
_OF_KEYS = frozenset(("json.get", "json.set", "read"))
"""Acts that a question of a JSON file may go on from."""
_MOST_ASKED = 12
"""Words that memories are asked for."""
_MOST_NAMES, _MOST_SPELT = 500, 5_000
"""Rows of a table, and signs of a text, in which names are looked for that are said as they sound."""
_MOST_BELOW = 12
"""Lines below a heading that are shown with it."""
_MET_LEAST = 0.3
"""Share of a question's words that lines must have to be shown as its answer, read off the suites of requests."""
_PLACES = 10
_NUMBERS = frozenset({"n", "line", "from", "until"})
_BY_TIME = frozenset({"list.newest", "list.oldest", "list.by_date"})
_OF_LINES = frozenset(("count.lines", "count.rows", "json.get"))
"""Acts that may be meant for what a table holds."""
_OF_FILES = frozenset(("file", "change", "newest", "create", "write", "save", "date"))
"""Concepts of a question about when a file was changed."""
_OF_CHANGES = frozenset(("file", "change", "newest", "create", "write", "save"))
"""Concepts of a question about when a file was changed, and not about its text."""
_SAID_WITH: Mapping[str, frozenset[str]] = {
    "list": frozenset(("file", "folder", "list", "show", "all", "have", "contain")),
    "date": _OF_FILES - {"date"},
    "task.list": OF_TASKS,
    "size": frozenset(("size", "large", "largest", "file", "folder")),
}
"""Acts that questions about something in a file are taken for, and concepts of the words that say them."""
_SHORT_TEXT = 16
"""Lines of a text that is shown whole where a question about it has none of its words."""
_ENOUGH_SAID = 2
"""Telling words of a question."""
_COMPARED = frozenset(("oldest", "newest", "largest", "smallest", "longest", "shortest", "max", "min", "sum", "mean"))
"""Concepts of what is asked of all rows of a table."""
_LISTED = re.compile(r"\s*(?:[-*•|\[{]|\d+[.)]\s)")
"""How a line of a list begins."""
_SIGNED_IN = 2
"""Lines at the end of a letter in which it is signed."""
_SENTENCE = 5
"""Words that a line of a text has, and one of a list has not."""
_PLACED = frozenset(("file", "folder"))
"""Concepts of a question about what is in a folder."""
_LINED = (".txt", ".md")
"""How the names of files end whose lines are counted, and no rows."""
_SIZES = frozenset(("count.lines", "count.words", "count.chars"))
"""Acts that tell how long a file is."""
_NO_TEXT = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".zip", ".gz", ".pyc", ".xlsx", ".docx", ".db", ".sqlite")


def look(desk: Desk, step: Step) -> Work:
    """Carry out an act that changes nothing.

    Returns
    -------
    Outcome
    """
    handler = _HANDLERS.get(step.act)
    is_table = (step.word("file") or desk.context.file).casefold().endswith(TABLES)
    if is_table and (
        step.act.startswith(("list.by", "read.sorted"))
        or (step.act == "read" and "down" in said_of_tables(step.text, desk.language))
    ):
        return (yield from _sorted(desk, step))
    if handler is not None:
        return (yield from handler(desk, step))
    if step.act in _SIZES and not Desk.is_path(step.word("file")) and {"each", "file"} <= concepts_of(step.text):
        return (yield from _over_folder(desk, step, "."))  # "how many lines does each file have?"
    if step.act.startswith("list"):
        return (yield from _list(desk, step))
    return (yield from _operate(desk, step))


# -- one file ----------------------------------------------------------------------------------------------------------


def _line_rather(desk: Desk, step: Step) -> Step:
    """Return that a line is looked for: what something costs in a text, which has no columns, is no count and no cell."""
    if step.act == "count.matches" and "price" in said_of_tables(step.text, desk.language):
        return step._replace(act="search")  # "how much is a full service in prices.txt?"
    is_cell = step.act == "cell" and step.word("value") and not step.word("column")
    if is_cell and step.word("file").casefold().endswith(_LINED):
        return step._replace(act="search").with_arguments(find=step.arguments["value"], value=())
    return step


def _operate(desk: Desk, step: Step) -> Work:
    """Do an operation on the text of a file."""
    if (counted := _counted_result(desk, step)) is not None:
        return counted
    is_bare = not (step.arguments or unexplained(step.text.partition("\n")[0], desk.language))
    if step.act == "rows.count" and is_bare and desk.context.file.casefold().endswith(_LINED):
        step = step._replace(act="count.lines")  # "how many are there?" of a text
    if step.act in {"rows.where", "rows.count", "cell"} and not step.word("value"):
        step = yield from _with_value(desk, step)
    if step.act == "count.matches" and not step.word("find").strip():
        raise desk.missing(step, "find")
    step = _line_rather(desk, step)
    operation, operation_of = OPERATIONS[step.act], step.act
    words: list[Any] = []
    if step.act == "read.lines":
        step = step if step.word("from") else step.with_arguments(**{"from": ("1",)})
        step = step if step.word("until") else step.with_arguments(until=("999999",))
    for parameter in operation.parameters:
        role = parameter.rstrip("?")
        if parameter.endswith("?") and not step.word(role):
            continue
        words.append(desk.number(step, role) if role in _NUMBERS and operation.on == "text" else desk.need(step, role))
    try:
        path, text = yield from desk.read(step)
    except TooLarge as large:
        if step.act != "count.lines":
            raise
        number: int = yield from desk.folder.count_lines(large.path)
        return _counted(desk, step, large.path, number)
    if text is None:
        return (yield from _in_folder(desk, step, path))
    is_again = desk.context.last is not None and desk.context.last.act == step.act
    if (
        step.act in _SIZES
        and desk.is_guessed
        and not (is_again or says_operation(_unsaid(step), step.act, desk.language))
    ):
        raise Ask(
            desk.say("ask.mean", word=step.word("file"), name=path), can_try_others=True
        )  # "how long does it cook?"
    if step.act in {"count.rows", "count.lines"} and says_state(step.text, desk.language) and BOX.search(text):
        return _told_of_boxes(desk, step, path, text)
    step = _as_table(step, text)
    if step.act in {"column.max", "column.min"} and operation_of == step.act:
        step = step.with_arguments(column=(_measured(step, text),))
        words = [step.word("column")]
    if step.act != operation_of:
        return (yield from _operate(desk, step.with_arguments(file=(path,))))
    if operation.on == "table":
        text = _narrowed(desk, step, text)
    try:
        value = operation.function(text, *words)
    except (NoSuch, Unsure) as error:
        instead = _meant_instead(desk, step, error, path, text)
        return instead if isinstance(instead, Outcome) else (yield from _operate(desk, instead))
    settled = step.with_arguments(file=(path,))
    is_none = step.act == "count.matches" and not value
    found: Outcome | None = (yield from _meant(desk, settled, path, text)) if is_none else None
    if is_none and found is None:
        other = _counted_otherwise(settled, path, text) or (yield from _counted_elsewhere(desk, step, path))
        if other is not None:
            return (yield from _operate(desk, other))
        _ask_what_is_counted(desk, step, path)
    return found or _worded(desk, settled, path, text, value)


def _in_folder(desk: Desk, step: Step, path: str) -> Work:
    """Do an operation on all files of a folder; what is counted there without saying what are the files."""
    if (
        step.act in _SIZES
        and not says_operation(_unsaid(step), step.act, desk.language)
        and "many" in concepts_of(step.text)
    ):
        return (yield from _count_files(desk, step._replace(act="count.files")))  # "how many letters are in there?"
    if step.act in {"count.lines", "count.words", "count.chars", "count.matches", "search", "summary"}:
        return (yield from _over_folder(desk, step, path))
    raise (yield from desk.which_in(path))


def _meant_instead(desk: Desk, step: Step, error: NoSuch | Unsure, path: str, text: str) -> Step | Outcome:
    """Return what is meant where a file has no such key, row or column, or several, or what answers it all the same."""
    if step.act == "json.get" and isinstance(error, Unsure) and (upper := _upper(error.options)):
        return step.with_arguments(file=(path,), key=(upper,))
    if step.act == "json.get" and (
        key := key_abroad(error, step.word("key"), desk.language) or _key_told(error, step, desk.language)
    ):
        return step.with_arguments(file=(path,), key=(key,))
    if step.act == "json.get" and (near := _key_misspelt(error, step.word("key"))):
        desk.notes.append(desk.say("note.took", word=step.word("key"), name=near))
        return step.with_arguments(file=(path,), key=(near,))
    if (of_text := _of_text(desk, step, path, text)) is not None:
        return of_text
    if (meant := _with_value_for_column(step, error, text)) is not None:
        return meant.with_arguments(file=(path,))
    if (only := _only_numbers(step, error, text)) is not None:
        desk.notes.append(desk.say("note.took", word=step.word("column"), name=only))
        return step.with_arguments(file=(path,), column=(only,))
    if step.act == "cell" and isinstance(error, NoSuch) and error.kind == "column":
        return Step("rows.where", {"file": (path,), "value": step.arguments["value"]})
    raise desk.explain(error, path) from error


def key_abroad(error: Exception, word: str, language: str) -> str:
    """Return the key that a word of another language means, of those that there are; empty where none or several do."""
    options = error.options if isinstance(error, NoSuch) and error.kind == "key" else ()
    found = [path for path in options if names_column(word, path.rpartition(".")[2], language)]
    return found[0] if len(found) == 1 else ""


def _key_misspelt(error: Exception, word: str) -> str:
    """Return the key that is called so but for a slip; empty where none or several are.

    Examples
    --------
    >>> missing = NoSuch("key", "wendesday", ("name", "open.wednesday", "open.saturday"))
    >>> _key_misspelt(missing, "wendesday"), _key_misspelt(missing, "today")
    ('open.wednesday', '')
    """
    options = error.options if isinstance(error, NoSuch) and error.kind == "key" else ()
    ends = [(path.rpartition(".")[2], path) for path in options]
    meant = pick(word, [end for end, _ in ends])
    found = [path for end, path in ends if meant.is_guess and end == meant.name]
    return found[0] if len(found) == 1 else ""


def _key_told(error: Exception, step: Step, language: str) -> str:
    """Return the key that the words of a request name part by part: "how many seats has the small hall" is "halls.small"."""
    options = error.options if isinstance(error, NoSuch) and error.kind == "key" else ()
    said = step.text.partition("\n")[0].replace(step.word("file") or "\0", " ")
    named = [path for path in options if all(names_column(said, part, language) for part in path.split("."))]
    deep = [path for path in named if "." in path or any(one.startswith(f"{path}.") for one in options)]
    deepest = [path for path in deep if not any(one.startswith(f"{path}.") for one in deep)]
    return deepest[0] if len(deepest) == 1 else ""


def _counted_otherwise(step: Step, path: str, text: str) -> Step | None:
    """Return what else is counted where a word does not occur: another form of it, or the rows of a table called so."""
    word = step.word("find")
    forms = [] if " " in word.strip() else sorted(forms_of(word), key=len, reverse=True)
    other = next((one for one in forms if len(one) > 2 and count_matches(text, one)), "")  # noqa: PLR2004 - "is"
    if other:
        return step.with_arguments(find=(other,))  # "errors": ERROR
    named = set(map(stem, plain(PurePosixPath(path).stem).split()))
    is_of_table = path.casefold().endswith(TABLES) and bool(named & {stem(word), *forms})
    return step.with_arguments(find=())._replace(act="count.rows") if is_of_table else None  # "how many bookings?"


def _counted_elsewhere(desk: Desk, step: Step, path: str) -> Work:
    """Return that a word is counted in the only file, or the only log, that has it, where the file was only guessed; else ``None``."""
    if any(one.kind in {"file", "folder"} for one in words_of(step.text.partition("\n")[0])) or not step.word("find"):
        return None
    texts: dict[str, str] = yield from _texts(desk, ".")
    held = [name for name, text in texts.items() if count_matches(text, step.word("find"))]
    logs = [name for name in held if name.endswith(".log")]
    if path in held or len(logs or held) != 1:
        return None
    desk.notes.clear()
    return step.with_arguments(file=tuple(logs or held))


def _ask_what_is_counted(desk: Desk, step: Step, path: str) -> None:
    """Ask what to look for where words do not occur that are hardly meant as they stand: "how many pieces are in it?"."""
    if not any(one.is_quoted or one.text.isupper() for one in words_of(step.text)):
        none = desk.say(step.act, file=path, n=0, word=step.word("find"))
        raise Ask(f"{none} {desk.lacks('find').text}")


def _upper(keys: Sequence[str]) -> str:
    """Return the key that all the others are below of; empty where there is none."""
    upper = min(keys, key=len)
    return upper if all(key == upper or key.startswith(f"{upper}.") for key in keys) else ""


def _of_text(desk: Desk, step: Step, path: str, text: str) -> Outcome | None:
    """Show the lines that a question is about where what it asks as of a table is a text: "how much is a bell in prices.txt?"."""
    said = step.text.partition("\n")[0]
    if path.casefold().endswith(TABLES) or step.destination or not asks(said):
        return None
    words = [word.text for word in words_of(without_asking(said)) if word.kind != "file"]
    return _lines_found(
        desk, step.text, likeliest_lines(" ".join(words), {path: text}, is_part=True, language=desk.language)
    )


def _sorted(desk: Desk, step: Step) -> Work:
    """Sort a table by a column, also one that is named in another language; the largest first where that is wanted."""
    path, text = yield from desk.read(step)
    if text is None:
        raise (yield from desk.which_in(path))
    table, said = read_table(text), step.text.partition("\n")[0]
    column = pick(step.word("column"), table.columns).name
    if not column:
        asked = query(said, table, None, path, desk.language)
        column = next((name for name in (*asked.wanted, asked.column) if name), step.word("column"))
    if not column and step.act == "read.sorted":
        return (yield from _operate(desk, step))
    told = None if step.word("file") else _told(desk.context.query, path, table, is_named=False)
    step = step._replace(act="rows.sorted").with_arguments(file=(path,), column=(column,) if column else ())
    try:
        found: Any = OPERATIONS[step.act].function(text, desk.need(step, "column"))
    except (NoSuch, Unsure) as error:
        raise desk.explain(error, path) from error
    heading, *rows = found
    by = settle("column", step.word("column"), table.columns)
    is_down, count = ranked(said, desk.language, by)
    if told is not None and told.where and len(told.rows(table)) > 1:
        measure = "max" if is_down else "min"
        of_them = Query(told.where, (), measure, by, most=count or len(told.rows(table)))
        return _answered(desk, step, path, of_them, table)
    rows = (rows[::-1] if is_down else rows)[: count or None]
    return _worded(desk, step, path, text, [heading, *rows])


def _grouped(desk: Desk, step: Step) -> Work:
    """Add a column up, or count the rows, for each value of another column: a question of the table in which both are named."""
    path, text = yield from desk.read(step)
    if text is None:
        raise (yield from desk.which_in(path))
    table = _table_in(path, text)
    try:
        by = settle("column", desk.need(step, "by"), table.columns)
        column = settle("column", desk.need(step, "column"), table.columns) if step.act == "group.sum" else ""
    except (NoSuch, Unsure) as error:
        raise desk.explain(error, path) from error
    return _answered(desk, step, path, Query((), (), "sum" if column else "count", column, by=by), table)


def _meant(desk: Desk, step: Step, path: str, text: str) -> Work:
    """Show the lines with what a word means, where it does not stand in a file itself: "hoeveel eieren?", "and the tortilla?"."""
    word = step.word("find")
    if any(one.is_quoted and one.text in word for one in words_of(step.text)):
        return None
    found: list[tuple[str, str]] = []
    if desk.language != "en":
        found = likeliest_lines(word, {path: text}, is_part=True, language=desk.language)
    if not found and "\n" in step.text:
        texts: dict[str, str] = yield from _texts(desk, ".")
        found = _on_the_same(desk, step.text.partition("\n")[0], texts)
    return _lines_found(desk, step.text, found)


def _with_value(desk: Desk, step: Step) -> Work:
    """Find the value that rows are to have among the words of a request, where none was read: "those in the south bed"."""
    path, text = yield from desk.read(step)
    if text is None:
        return step
    said = " ".join((step.text.partition("\n")[0], step.word("column")))
    _, named, _ = narrowed(text, said)
    act = (
        "rows.where"
        if step.act == "cell" and not pick(step.word("column"), read_table(text).columns).name
        else step.act
    )
    column = step.arguments.get("column", ()) if act == "cell" else ()
    return step._replace(act=act).with_arguments(file=(path,), column=column, value=tuple(named)) if named else step


def _counted_result(desk: Desk, step: Step) -> Outcome | None:
    """Count what the last answer showed, where "how many is that" is asked of a search or of rows."""
    last = desk.context.last
    said = [word for role in ("file", "find", "value") for word in step.arguments.get(role, ())]
    counts = ("count.lines", "count.rows", "count.matches", "rows.count")
    if step.act not in counts or last is None or not all(is_pointer(word, "those") for word in said):
        return None
    shown = desk.context.answer.splitlines()
    if not shown or shown[-1].startswith("… "):
        return None
    file = last.word("file") or desk.context.file
    if last.act == "search" and file and last.word("find"):
        text = desk.say("count.matches", file=file, word=last.word("find"), n=len(shown))
        return Outcome(text, str(len(shown)), last, file)
    if last.act in {"rows.where", "rows.over", "rows.under"} and last.word("file"):
        wanted = last.word("value") or last.word("n")
        text = desk.say("rows.count", file=last.word("file"), word=wanted, n=len(shown) - 1)
        return Outcome(text, str(len(shown) - 1), last, last.word("file"))
    return None


def _as_table(step: Step, text: str) -> Step:
    """Return what is asked of a table where it was read as a question about lines: "how many adults on 2024-04-21"."""
    if step.act not in _OF_LINES:
        return step
    rest = _unsaid(step).partition("\n")[0]
    if step.act == "count.lines" and (shouted := [word for word in rest.split() if word.isupper() and len(word) > 2]):  # noqa: PLR2004
        held = [word for word in shouted if word in text]
        return step._replace(act="count.matches").with_arguments(find=(held[0],)) if len(held) == 1 else step
    table = read_table(text)
    says_lines = step.act == "count.lines" and "line" in concepts_of(_unsaid(step))
    if len(table.columns) < 2 or not table.rows or says_lines:  # noqa: PLR2004 - no table
        return step
    if step.act == "json.get":
        column = pick(step.word("key").rpartition(".")[2], table.columns).name
        if not column:
            return step
        _, values, _ = narrowed(text, rest)
        if values:
            return Step("rows.where", {"column": (column,), "value": (values[0],)}, step.destination, step.text)
        return Step("column.distinct", {"column": (column,)}, step.destination, step.text)
    is_json = step.word("file").casefold().endswith(".json")
    named_columns = [name for word in rest.split() if (name := _column_of(word, table.columns))]
    columns = [name for name in dict.fromkeys(named_columns) if is_numeric(table.values(name))]
    if len(columns) == 1:
        return Step("column.sum", {"column": (columns[0],)}, step.destination, step.text)
    return step._replace(act="count.rows") if step.act == "count.lines" and is_json else step


def _measured(step: Step, text: str) -> str:
    r"""Return the column that "the dearest plant" is about: the only one with amounts, where plants are no amounts.

    Examples
    --------
    >>> plants = "plant,price,planted\nfern,3,2026-03-01\nmoss,5,2026-04-01\n"
    >>> [_measured(Step("column.max", {"column": (name,)}), plants) for name in ("plant", "price", "planted", "colour")]
    ['price', 'price', 'planted', 'colour']
    """
    table = read_table(text)
    named = pick(step.word("column"), table.columns).name
    if not named or is_numeric(table.values(named)) or any(day(value) for value in table.values(named)):
        return step.word("column")
    amounts = [name for name in table.columns if is_numeric(table.values(name)) and not _is_number_of(name)]
    return amounts[0] if len(amounts) == 1 else step.word("column")


def _column_of(word: str, columns: Sequence[str]) -> str:
    """Return the column that a word names; empty for small words and guesses."""
    bare = word.strip(".,;:!?()'\"").rpartition("'")[2]
    if len(bare) < 3 or is_small(bare):  # noqa: PLR2004 - "of"
        return ""
    found = pick(bare, columns)
    return "" if found.is_guess else found.name


def _unsaid(step: Step) -> str:
    """Return the words of a step's text that are none of its arguments; further values say which rows are meant."""
    rest = step.text
    for role, words in step.arguments.items():
        for word in words[:1] if role == "value" else words:
            rest = rest.replace(word, " ")
    return rest


def _narrowed(desk: Desk, step: Step, text: str) -> str:
    """Keep the rows that a request names beside what it was read into: "how many hours does Edith have"."""
    if step.act in {"rows.sorted", "columns"}:
        return text
    leave = []
    for role in ("column", "by"):
        words = step.arguments.get(role, ())
        leave += [found.name for word in words if (found := pick(word, read_table(text).columns)).name]
    named: list[str] = []
    for said in _unsaid(step).split("\n"):  # what is said now, then what was said before
        text, values, columns = narrowed(text, said, leave)
        named, leave = [*named, *values], [*leave, *columns]
    if named and step.act not in {"cell", "rows.where"}:
        desk.notes.append(desk.say("note.only", word=", ".join(named)))
    return text


def _with_value_for_column(step: Step, error: NoSuch | Unsure, text: str) -> Step | None:
    """Return what is meant where a value was taken for a column: "how much for electricity", "what does Marco pay"."""
    if not isinstance(error, NoSuch) or error.kind != "column" or error.wanted != step.word("column"):
        return None
    table = read_table(text)
    said = f"{step.word('column')} {_unsaid(step)}"
    if step.act == "cell" and pick(step.word("value"), table.columns).name:
        return step.with_arguments(column=(step.word("value"),), value=(step.word("column"),))
    if step.act not in {"column.sum", "column.mean", "column.min", "column.max"} or not narrowed(text, said)[1]:
        return None
    amounts = [name for name in table.columns if is_numeric(table.values(name)) and not _is_number_of(name)]
    if len(amounts) != 1:
        return None
    return step.with_arguments(column=(amounts[0],))._replace(text=f"{step.text}\n{step.word('column')}")


def _is_number_of(column: str) -> bool:
    """Tell whether a column holds numbers that nobody adds up: years, weeks, numbers of things."""
    return pick(column, ("year", "week", "id", "number")).name != ""


def _only_numbers(step: Step, error: NoSuch | Unsure, text: str) -> str | None:
    """Return the only column with numbers, where "the dearest" was said instead of its name."""
    if not isinstance(error, NoSuch) or error.kind != "column" or step.act not in {"column.max", "column.min"}:
        return None
    table = read_table(text)
    found = [name for name in table.columns if is_numeric(table.values(name))]
    return found[0] if len(found) == 1 and error.wanted == step.word("column") else None


def _of_said_kind(desk: Desk, step: Step, path: str, text: str) -> list[str]:
    """Return the lines of a log of the kind that a request says, in whatever form and language: WARN for "the warnings"."""
    if not path.casefold().endswith(".log"):
        return []
    table = read_log(text)
    names = [word.text for word in words_of(step.text) if word.kind == "file"]
    said = step.text.partition("\n")[0]
    for name in names:
        said = said.replace(name, " ")
    where = query(step.word("find") or said, table, None, path, desk.language).where
    found = {" ".join(row) for row in Query(where).rows(table)} if any(one.column == "kind" for one in where) else set()
    every = [(line, read_log(line).rows) for line in lines(text)]
    return [line for line, rows in every if rows and " ".join(rows[0]) in found]


def _worded(desk: Desk, step: Step, path: str, text: str, value: Value) -> Outcome:
    """Word the result of an operation."""
    if step.act.startswith("count") or step.act == "rows.count":
        return _counted(desk, step, path, int(str(value)))
    if not text.strip() and step.act.startswith("read"):
        return Outcome(desk.say("is_empty", file=path), "", step, path)
    if isinstance(value, list):
        return _lines_said(desk, step, path, value)
    name = step.word("column") or step.word("key") or step.word("name")
    if step.act.startswith("column"):
        name = pick(name, read_table(text).columns).name or name
    said = quoted([str(value)], desk.language)
    return Outcome(desk.say(step.act, name=name, value=said, file=path), str(value), step, path)


def _lines_said(desk: Desk, step: Step, path: str, found: list[str]) -> Outcome:
    """Word a result that is lines."""
    if step.act in {"column.min", "column.max"}:
        best, *rows = found
        text = desk.say(step.act, name=step.word("column"), value=best, file=path) + "\n" + quoted(rows, desk.language)
        return Outcome(text, best, step, path, tuple(rows))
    if step.act in {"cell", "json.get"}:
        said = ", ".join(found) if len(found) < 8 else "\n" + quoted(found, desk.language)  # noqa: PLR2004 - on one line
        name = " ".join(word for word in (step.word("column") or step.word("key"), step.word("value")) if word)
        answer = desk.say("json.get", name=name, value=said, file=path)
        amounts = [one for one in numbers(found) if one is not None]
        if 1 < len(found) == len(amounts) and "many" in concepts_of(step.text):
            answer += f" (Σ {written(sum(amounts, Decimal(0)))})"
        return Outcome(answer, found, step, path, tuple(found))
    if step.act == "search" and not found:
        raise CannotWork(desk.say("no_match", file=path, word=step.word("find")))
    if step.act in {"rows.where", "rows.over", "rows.under"} and len(found) < 2:  # noqa: PLR2004 - the heading only
        raise CannotWork(desk.say("no_rows", file=path))
    if step.act == "code.list" and not found:
        raise CannotWork(desk.say("no_definitions", file=path))
    if step.act in {"columns", "json.keys", "code.list", "column.distinct"}:
        listed = ", ".join(found) if sum(map(len, found)) < 300 else "\n" + quoted(found, desk.language)  # noqa: PLR2004 - the same
        return Outcome(desk.say("listed", file=path, names=listed), found, step, path, tuple(found))
    if not found:
        return Outcome(
            desk.say("none_repeated" if step.act == "read.repeated" else "nothing_left", file=path), found, step, path
        )
    entries = tuple(found[1:] if step.act.startswith("rows") else found)
    return Outcome(desk.say("lines", file=path, lines=quoted(found, desk.language)), found, step, path, entries)


def _counted(desk: Desk, step: Step, path: str, number: int) -> Outcome:
    word = step.word("find") or step.word("value")
    text = desk.say(step.act, file=path, n=number, word=word)
    return Outcome(text, str(number), step.with_arguments(file=(path,)), path)


def _over_folder(desk: Desk, step: Step, path: str) -> Work:
    """Do for a folder what can be done for all files in it."""
    if step.act == "search":
        return (yield from _search(desk, step))
    if step.act == "summary":
        return (yield from _list(desk, step._replace(act="list")))
    texts = yield from _texts(desk, path)
    words = [step.word(parameter) for parameter in OPERATIONS[step.act].parameters]
    counts = {name: int(str(OPERATIONS[step.act].function(text, *words))) for name, text in texts.items()}
    outcome = _counted(desk, step, path, sum(counts.values()))
    parts = [f"{name}: {count}" for name, count in counts.items()]
    if path == ".":
        return outcome._replace(text=quoted([*parts, f"Σ {sum(counts.values())}"], desk.language))
    return outcome._replace(text=f"{outcome.text}\n{quoted(parts, desk.language)}")


def _read(desk: Desk, step: Step) -> Work:
    words = step.arguments.get("file", ())
    if len(words) > 1 or (words and len((yield from _several(desk, step))) > 1):
        paths: tuple[str, ...] = yield from desk.files(step)
        said, values = [], []
        for path in paths:
            text: str = yield from desk.folder.read(path)
            said.append(desk.say("lines", file=path, lines=quoted(lines(text), desk.language)))
            values.append(text)
        return Outcome("\n\n".join(said), "\n".join(values), step.with_arguments(file=paths), paths[-1], paths)
    path, text_or_none = yield from desk.read(step)
    settled = step.with_arguments(file=(path,))
    if text_or_none is None:
        return (yield from _list(desk, settled._replace(act="list")))
    if not text_or_none.strip():
        return Outcome(desk.say("is_empty", file=path), "", settled, path)
    found = lines(text_or_none)
    boxes = [line for line in found if BOX.match(line)]
    state = says_state(step.text, desk.language) if boxes else ""
    if state and "many" in concepts_of(step.text):
        return _told_of_boxes(desk, step, path, text_or_none)
    found = [line for line in boxes if (BOX.sub(r"\2", line) == " ") is (state == "open")] if state else found
    return Outcome(desk.say("lines", file=path, lines=quoted(found, desk.language)), found, settled, path)


def _several(desk: Desk, step: Step) -> Work:
    """Return the files that one pronoun points at; none where it is a name."""
    word = step.word("file")
    if is_pointer(word, "those") and not is_pointer(word, "it") and len(desk.context.shown) > 1:
        return (yield from desk.files(step))
    return ()


def _compare(desk: Desk, step: Step) -> Work:
    words = step.arguments.get("file", ())
    if len(words) == 1 and desk.context.file:
        step = step.with_arguments(file=(desk.context.file, *words))
    paths: tuple[str, ...] = yield from desk.files(step)
    if len(paths) < 2:  # noqa: PLR2004 - two are compared
        raise Ask(desk.say("ask.compare", file=paths[0]))
    first, second = paths[:2]
    text: str = yield from desk.folder.read(first)
    other: str = yield from desk.folder.read(second)
    found = compare(text, other)
    settled = step.with_arguments(file=(first, second))
    if not found:
        return Outcome(desk.say("same", file=first, other=second), [], settled, second, (first, second))
    shown = quoted(found, desk.language)
    return Outcome(desk.say("differ", file=first, other=second, lines=shown), found, settled, second, (first, second))


def _only(desk: Desk, step: Step) -> Work:
    """Show the lines of a file that another one lacks; how they are marked as items makes no difference."""
    paths: tuple[str, ...] = yield from desk.files(step)
    if len(paths) < 2:  # noqa: PLR2004 - two are compared
        raise Ask(desk.say("ask.compare", file=paths[0]))
    first, second = paths[:2]
    texts: dict[str, str] = yield from desk.folder.read_all((first, second))
    there = {_item(line) for line in lines(texts[second])}
    found = [line for line in lines(texts[first]) if _item(line) and _item(line) not in there]
    return _lines_said(desk, step.with_arguments(file=(first, second)), first, found)


def _item(line: str) -> str:
    return re.sub(r"^\s*(?:[-*+•]\s+)?(?:\[[ xX]\]\s+)?", "", line).strip().casefold()


def _summary(desk: Desk, step: Step) -> Work:
    path, text = yield from desk.read(step)
    if text is None:
        return (yield from _over_folder(desk, step, path))
    settled = step.with_arguments(file=(path,))
    if not text.strip():
        return Outcome(desk.say("is_empty", file=path), "", settled, path)
    size = desk.say("summary", file=path, n=len(lines(text)), words=count_words(text))
    try:
        match path.rpartition(".")[2].casefold():
            case "csv" | "tsv":
                table = read_table(text)
                found = [desk.say("count.rows", file=path, n=len(table.rows)), ", ".join(table.columns)]
            case "json" | "yaml" | "yml":
                found = [", ".join(json_keys(text))]
            case "py" | "sh" | "js":
                found = [", ".join(code_list(text))]
            case _:
                found = gist(text)
    except NoSuch:
        found = gist(text)
    shown = [line for line in found if line]
    return Outcome(f"{size}\n{quoted(shown, desk.language)}", shown, settled, path)


# -- the folder --------------------------------------------------------------------------------------------------------


def _list(desk: Desk, step: Step) -> Work:
    act = step.act
    where: str = yield from desk.inside(step)
    entry: Entry | None = (yield from desk.folder.find(where)) if where != "." else None
    if entry is not None and not entry.is_folder:
        return (yield from _read(desk, step._replace(act="read").with_arguments(file=(where,))))
    entries: list[Entry] = yield from desk.folder.list(where)
    if act in {"list.tree", "list.ending", "list.names"}:
        every: list[Entry] = yield from desk.folder.everything(where)
        entries = every
    settled = step.with_arguments(file=(where,)) if where != "." else step
    n = desk.number(step, "n", 1) if "n" in step.arguments else 1
    match act:
        case "list.ending":
            ends = desk.endings_of(desk.need(step, "ending"))
            found = files_of(entries, ends)
            upper = [one for one in found if "/" not in one.name.removeprefix(f"{where}/")]
            found = upper or found
        case "list.names":
            found = named(entries, desk.need(step, "find"))
        case "list.except":
            gone = excepted(desk, step, entries)
            found = [one for one in entries if one not in gone]
        case "list.folders":
            found = [one for one in entries if one.is_folder]
        case "list.by_size":
            found = sorted(files_of(entries), key=lambda one: -one.bytes)
        case _ if act in _BY_TIME:
            timed: list[Entry] = yield from desk.folder.with_times(entries)
            found = sorted(timed, key=lambda one: one.changed, reverse=act != "list.oldest")
            found = found if act == "list.by_date" else found[:n]
        case "list.largest" | "list.smallest":
            picked: Any = OPERATIONS[act].function(entries, n)
            found = picked
        case _:
            found = entries
    return _listed(desk, settled, where, found)


def _listed(desk: Desk, step: Step, where: str, found: Sequence[Entry]) -> Outcome:
    names = tuple(one.name + ("/" if one.is_folder else "") for one in found)
    if not names:
        wanted = step.word("ending") or step.word("find")
        text = desk.say("none_found", word=wanted) if wanted else desk.say("folder_empty", file=where)
        return Outcome(text, [], step, "", ())
    shown = list(names)
    if step.act in {"list.by_size", "list.largest", "list.smallest"}:
        shown = [f"{one.name} ({desk.say('bytes', n=one.bytes)})" for one in found]
    if step.act in _BY_TIME:
        shown = [f"{one.name} ({one.changed.replace('T', ' ').removesuffix('Z')} UTC)" for one in found]
    only = found[0].name if len(found) == 1 and not found[0].is_folder else ""
    text = shown[0] if len(shown) == 1 else desk.say("entries", n=len(shown)) + "\n" + quoted(shown, desk.language)
    return Outcome(text, list(names), step, only, tuple(name.rstrip("/") for name in names))


def named(entries: Sequence[Entry], wanted: str) -> list[Entry]:
    """Return what has words in its name: as they are, else in the singular or another language."""
    found = of_name(entries, wanted)
    if not found:
        near = pick(wanted, [one.name for one in entries], is_file=True)
        names = {near.name, *near.rivals} - {""}
        found = [one for one in entries if one.name in names]
    return found


def excepted(desk: Desk, step: Step, entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries that a step leaves out: named, of a kind, or with words in their names."""
    gone: list[Entry] = []
    for word in step.arguments.get("except", ()):
        exact = [
            one for one in entries if one.name == word.rstrip("/") or one.name.rpartition("/")[2] == word.rstrip("/")
        ]
        ends = endings(word) if word.lstrip("*").startswith(".") else kind_of_file(word)
        kind = files_of(entries, ends) if ends else []
        found = exact or kind or ([] if ends else named(entries, word))
        if not found and not ends:
            raise Ask(desk.say("no_file", name=word), can_try_others=True)
        gone += found
    if not step.arguments.get("except"):
        raise desk.missing(step, "except")
    return gone


def _count_files(desk: Desk, step: Step) -> Work:
    where: str = yield from desk.inside(step)
    entry: Entry | None = yield from desk.folder.find(where)
    if entry is not None and not entry.is_folder:
        return (yield from _operate(desk, step._replace(act="count.rows").with_arguments(file=(where,))))
    every: list[Entry] = yield from desk.folder.everything(where)
    ending = step.word("ending")
    files = files_of(every, desk.endings_of(ending) if ending else "")
    head = "" if where == "." else f"{where}/"
    here = [one for one in files if "/" not in one.name.removeprefix(head)]
    text = desk.say("count.files", n=len(here), file="" if where == "." else where)
    if len(files) > len(here):
        text = desk.say("count.files_all", n=len(here), all=len(files))
    return Outcome(text, str(len(here)), step, "", tuple(one.name for one in here))


def _size(desk: Desk, step: Step) -> Work:
    paths: tuple[str, ...] = yield from desk.files(step)
    said, total = [], 0
    for path in paths:
        entry: Entry | None = yield from desk.folder.find(path)
        size = entry.bytes if entry is not None else 0
        if entry is not None and entry.is_folder:
            every: list[Entry] = yield from desk.folder.everything(path)
            size = sum(one.bytes for one in every)
        total += size
        said.append(desk.say("size", file=path, n=size))
    return Outcome("\n".join(said), str(total), step.with_arguments(file=paths), paths[0])


def _date(desk: Desk, step: Step) -> Work:
    if is_unsaid(step) or not (step.word("file") or points_back(step.text) or concepts_of(step.text) & _OF_FILES):
        raise Ask(desk.lacks("file").text, can_try_others=True)  # "when are we back?"
    paths: tuple[str, ...] = yield from desk.files(step)
    timed: list[Entry] = yield from desk.folder.with_times([Entry(path) for path in paths])
    if not any(one.changed for one in timed) and set(paths) <= set(desk.context.shown):
        return Outcome("\n".join(paths), paths[0], step)  # a line that was shown says itself when it was
    if len(paths) == 1 and (dated := (yield from _dated_letter(desk, step, paths[0]))) is not None:
        return dated
    said = [desk.say("date", file=one.name, date=one.changed.replace("T", " ").removesuffix("Z")) for one in timed]
    return Outcome("\n".join(said), timed[0].changed, step.with_arguments(file=paths), paths[0])


def _dated_letter(desk: Desk, step: Step, path: str) -> Work:
    """Return the line of a letter that is its date, where it is asked from when it is, and not when it was changed."""
    told = lexicon_of(desk.language).concepts(words_of(step.text.partition("\n")[0]))
    is_of_change = any(one & _OF_CHANGES and "other" not in one for one in told)
    if is_of_change or not path.casefold().endswith((".txt", ".md")):
        return None
    text: str = yield from desk.folder.read(path)
    dates = [line for line in lines(text) if is_date(line)]
    return _lines_found(desk, step.text, [(path, dates[0])]) if len(dates) == 1 and _is_letter(path, text) else None


def _exists(desk: Desk, step: Step) -> Work:
    word = desk.need(step, "file")
    try:
        path: str = yield from desk.file(word)
    except Ask as ask:
        if not ask.can_try_others:
            raise
        is_name = any(one.kind in {"file", "folder"} for one in words_of(word))
        found: Outcome | None = None if is_name else (yield from find_out(desk, step.text))
        if found is not None:
            return found  # "is there a rehearsal on 5 May?"
        return Outcome(desk.say("exists.no", file=word), "no", step, word if "." in word else "")
    return Outcome(desk.say("exists.yes", file=path), "yes", step.with_arguments(file=(path,)), path)


def _texts(desk: Desk, where: str) -> Work:
    every: list[Entry] = yield from desk.folder.everything(where)
    names = [one.name for one in every if not one.is_folder and not one.name.casefold().endswith(_NO_TEXT)]
    if len(names) > _MOST_SEARCHED:
        raise TooLarge(where)
    return (yield from desk.folder.read_all(names))


def in_ways(wanted: str) -> list[str]:
    """Return words that are looked for, as they stand and in the ways that a bracket gives: "lampie (lamp)".

    Examples
    --------
    >>> in_ways("lampie (lamp)"), in_ways("lamp")
    (['lampie (lamp)', 'lamp', 'lampie'], ['lamp'])
    """
    both = _IN_BRACKETS.fullmatch(wanted.strip())
    return [wanted, both[2], both[1]] if both is not None else [wanted]


_IN_BRACKETS = re.compile(r"(.*\S)\s*[(\uff08]\s*([^()\uff08\uff09]+?)\s*[)\uff09]")
"""Words, and what they are called otherwise."""


def _search(desk: Desk, step: Step) -> Work:
    """Look for a text in one file, in a folder, or everywhere."""
    word = step.word("file")
    if not step.word("find") and word:  # 把日志里的警告都存起来
        path, text = yield from desk.read(step)
        if text is not None and (kinds := _of_said_kind(desk, step, path, text)):
            return _lines_said(desk, step.with_arguments(file=(path,)), path, kinds)
    wanted = desk.need(step, "find")
    word = word or (yield from desk.named_folder(step))
    if not word and desk.context.file and points_back(step.text):
        word, step = desk.context.file, step.with_arguments(file=(desk.context.file,))
    if word:
        try:
            path, text = yield from desk.read(step.with_arguments(file=(word,)))
        except Ask as ask:
            where = plain(word)
            if not ask.can_try_others or where not in _EVERYWHERE:
                raise
            path, text = ".", None
    else:
        path, text = ".", None
    if text is not None:
        settled = step.with_arguments(file=(path,))
        rows = step.arguments["find"]
        found = (
            [line for line in lines(text) if mask(line).strip() in rows] if len(rows) > 1 else with_text(text, wanted)
        )
        found = found or with_text(text, stem(wanted.casefold())) or _of_said_kind(desk, step, path, text)
        return _lines_said(desk, settled, path, found)
    texts: dict[str, str] = yield from _texts(desk, path)
    hits = {name: with_text(text, wanted) for name, text in texts.items()}
    hits = {name: found for name, found in hits.items() if found}
    if not hits:
        raise CannotWork(desk.say("no_match_anywhere", word=wanted))
    names = tuple(hits)
    if len(names) == 1:
        return _lines_said(desk, step.with_arguments(file=names), names[0], hits[names[0]])
    shown = [f"{name}: {line}" for name, found in hits.items() for line in found]
    return Outcome(
        quoted(shown[:_MOST_HITS], desk.language), [line for found in hits.values() for line in found], step, "", names
    )


class _Hit(NamedTuple):
    """What one file says of a question, and what speaks for it; of two the one that sorts later."""

    rating: float
    is_spoken: bool
    """Whether the file is spoken of."""
    is_series: bool
    said: int
    """How many keys, or conditions, a question names."""
    outcome: Outcome | tuple[str, Query, Table]
    kind: Literal["", "weak", "other"] = ""
    """``weak`` where a key of one word speaks for it alone, ``other`` where a question goes on from another table."""


def ask_tables(desk: Desk, step: Step) -> Work:
    """Answer what is asked of a table, or of a file of keys and values, by what stands in it.

    Returns
    -------
    Outcome or None
        ``None`` where a step is no such question, or nothing in the tables explains it.
    """
    least = _least_explained(desk, step)
    if least is None or not (desk.folder.has("fs_read") and desk.folder.has("fs_list")):
        return None
    if (yield from _is_of_folder(desk, step)):
        return None
    said = without_refusals(step.text.partition("\n")[0])
    names: Sequence[str] = yield from _tables(desk, step, said)
    is_named = len(names) == 1 and names[0].rpartition("/")[2] in said
    texts: dict[str, str] = yield from desk.folder.read_all(names)
    texts |= whole_series(texts)
    here = texts.get(desk.context.file, "") if desk.context.query is None else ""
    spoken = frozenset(_table_in(desk.context.file, here).columns if here else ())
    hits: list[_Hit] = []
    for name, body in texts.items():
        text = in_json(name, body)
        table = _table_in(name, text)
        if len(table.columns) < 2 or (text is not body and text[:1] == "{"):  # noqa: PLR2004 - no table
            hit = _hit_of_key(desk, step, name, text, said, least=least, is_only=len(names) == 1)
        else:
            key = rows_key(text) if name.casefold().endswith(KEYED) else ""
            hit = _hit_beside(desk, step, (name, key), text, said, least) if is_named else None
            hit = _hit_of_rows(desk, step, (name, key), table, said, spoken, least=least, is_named=is_named, beside=hit)
        hits += [hit] if hit is not None else []
    found = [hit for hit in hits if not hit.kind]
    weak = [hit for hit in hits if hit.kind == "weak"]
    if not found and len(weak) != 1:
        return (yield from _rows_again(desk, step, said, is_of_them=any(hit.kind == "other" for hit in hits)))
    best = max(found or weak, key=lambda hit: hit[:4]).outcome
    return best if isinstance(best, Outcome) else _answered(desk, step, *best)


def _is_of_folder(desk: Desk, step: Step) -> Work:
    """Tell whether a step that lists or counts files says that it is about the folder, or one that is there."""
    word = step.word("file")
    is_of_files = step.act in {"list", "count.files"}
    is_said = bool(word) and "folder" in concepts_of(step.text)
    if is_of_files and (is_said or (here_in(step.text.partition("\n")[0]) and not desk.context.query)):
        return True
    if step.act != "list" or not word:
        return False
    upper: list[Entry] = yield from desk.folder.list()
    return any(one.is_folder and one.name.casefold() == trimmed(word).casefold() for one in upper)  # "list the reports"


def _hit_of_key(  # noqa: PLR0913 - a question, and the file
    desk: Desk, step: Step, name: str, text: str, said: str, *, least: float, is_only: bool
) -> _Hit | None:
    """Return what a file of keys and values says of a question; ``None`` where too little speaks for it."""
    one = _leaf_in(desk, name, text, said)
    if one is None:
        return None
    goes_on = name == desk.context.file and desk.context.last is not None and desk.context.last.act in _OF_KEYS
    is_plain = is_only and name.rpartition("/")[2] in said and one.is_whole and len(one.values) == 1
    least = min(least, _FIFTH) if is_plain and step.act in _OF_TABLES | _SIZES | {"count.rows"} else least
    rated = _rated(step, one, least, is_only=is_only, goes_on=goes_on)
    outcome = _leaf_answered(desk, step, name, one)
    if rated is None:
        return _Hit(0.0, False, False, 0, outcome, "weak") if one.is_whole and one.explained >= least else None
    return _Hit(rated[0], rated[1], False, rated[2], outcome)


def _hit_beside(  # noqa: PLR0913, PLR0917 - a question, and the file
    desk: Desk, step: Step, called: tuple[str, str], text: str, said: str, least: float
) -> _Hit | None:
    """Return what a named file of keys and values, which holds a table as well, says of a question beside that table."""
    name, key = called
    one = _leaf_in(desk, name, text, said)
    if one is None or one.path[0] == key or one.explained < least:
        return None
    return _Hit(one.explained + _HAS_VALUE, False, False, one.said, _leaf_answered(desk, step, name, one))


def _hit_of_rows(  # noqa: PLR0913, PLR0917 - a question, and the table
    desk: Desk,
    step: Step,
    called: tuple[str, str],
    table: Table,
    said: str,
    spoken: frozenset[str],
    *,
    least: float,
    is_named: bool,
    beside: _Hit | None,
) -> _Hit | None:
    """Return what a table says of a question, or what stands beside it in its file; ``None`` where too little speaks for it."""
    name = called[0]
    asked, told, table = _read_against(desk, step, called, table, said, is_named=is_named)
    if beside is not None and not asked.where and beside.rating - _HAS_VALUE >= asked.explained:
        return beside
    joined = _joined(desk, step, asked, told, table)
    if joined is not None and spoken.isdisjoint(asked.wanted):
        asked = measured(asked._replace(where=(joined,)), table, is_time=False, is_money=False)
    likely = _likely(desk, step, name, asked, told, table, least=least, is_named=is_named)
    if likely is None:
        return None
    likely -= (joined is not None) * _GOING_ON  # where the table that is spoken of says it, that is meant
    is_other = not is_named and _is_of_others(
        desk, asked, name, said
    )  # "what will that lady talk about?" is no talk show
    before = desk.context.query
    is_spoken = name in {desk.context.file, before.word("file") if before is not None else ""}
    outcome = (name, asked, table)
    return _Hit(likely, is_spoken, is_series(name), len(asked.where), outcome, "other" if is_other else "")


def _read_against(  # noqa: PLR0913 - a question, and the table
    desk: Desk, step: Step, called: tuple[str, str], table: Table, said: str, *, is_named: bool
) -> tuple[Query, Query | None, Table]:
    """Return a question read against a table, what was asked of that before, and the table with what the question derives."""
    name, key = called
    said = with_names(said, (cell for row in (table.columns, *table.rows[:_MOST_NAMES]) for cell in row))
    told = _told(desk.context.query, name, table, is_named=is_named)
    is_kept = step.act == "query" and bool(step.destination)
    told = Query(told.where) if told is not None and is_kept else told  # rows are kept, and not what they came to
    table = with_derived(table, said, told, desk.language)
    read = query_of if is_named or _has_two_questions(said) or desk.language in EAST else query
    asked = read(said, table, told, f"{name.rpartition('/')[0]}/{key} {_title_of(name)}".lstrip(), desk.language)
    if is_kept and asked.wanted and "with" in concepts_of(said):  # "the members with their numbers"
        asked = asked._replace(wanted=tuple(dict.fromkeys((*filter(None, [label_of(table)]), *asked.wanted))))
    return _of_all_lengths(desk, asked, told, name, table, said), told, table


def _is_of_others(desk: Desk, asked: Query, name: str, said: str) -> bool:
    """Tell whether a question that goes on from another table has hardly a word for this one."""
    before = desk.context.query
    is_more = points_back(said) or "and" in frozenset[str]().union(*lexicon().concepts(words_of(said)[:1]))
    is_thin = asked.explained < 1 or len((*asked.where, *asked.wanted, *filter(None, [asked.measure]))) == 1
    return before is not None and name != before.word("file") and is_more and is_thin


def rows_described(desk: Desk, said: str) -> Work:
    """Return the question for the rows that some words describe whole, or for columns of theirs: "the names of all guests".

    Returns
    -------
    Step or None
        ``None`` where they describe nothing of a table, or more than that.
    """
    try:
        outcome: Outcome | None = yield from ask_tables(desk, Step("unclear", {}, text=said))
    except (Ask, Absent, Failed, TooLarge, CannotWork):
        return None
    asked = parse_query(outcome.step.word("query")) if outcome is not None and outcome.step is not None else None
    if outcome is None or outcome.step is None or asked is None or asked.measure:
        return None
    table = _table_in(outcome.file, (yield from desk.folder.read(outcome.file)))
    calls_rows = query(said, table, None, outcome.file.rpartition("/")[2], desk.language).is_titled
    return outcome.step if asked.wanted or (asked.where and calls_rows) else None


def _title_of(name: str) -> str:
    """Return what a table is called: its file, of a series the folder."""
    return f"{name.rpartition('/')[0]}.csv" if is_series(name) else name.rpartition("/")[2]


def _has_two_questions(said: str) -> bool:
    """Tell whether a request asks twice: "what is short? what is below its minimum?"."""
    return any(sign in said.rstrip()[:-1] for sign in ASK_SIGNS)


def _likely(  # noqa: PLR0913, PLR0917 - all that speaks for a table
    desk: Desk, step: Step, name: str, asked: Query, told: Query | None, table: Table, *, least: float, is_named: bool
) -> float | None:
    """Return how likely a question is about a table; ``None`` where too little of it is explained by that."""
    is_open = is_named or (name == desk.context.file and asked.explained >= (least if least < _HALF else _WHOLLY))
    is_grounded = asked.is_grounded or (is_open and bool(asked.column))
    is_counted = asked.measure == "count"
    is_all = is_counted and not asked.wanted and asked.explained >= _WHOLLY  # "how many members do we have?"
    is_told = not is_counted and any(one.kind == "is" for one in asked.where)
    enough = min(least, _THIRD if asked.rows(table) and not asked.measure else _HALF) if is_told else least
    enough = min(enough, _FIFTH) if is_told and is_named and step.act in _OF_TABLES else enough
    asked_before = desk.context.query
    goes_on = told is not None and name in {desk.context.file, asked_before.word("file") if asked_before else ""}
    enough = min(enough, _THIRD) if goes_on and asked.measure else enough
    is_recount = told is not None and is_counted and not (is_all or asked.wanted) and asked.where == told.where
    if is_recount and _says_which(step.text.partition("\n")[0], desk.language):
        return None  # "and how many of them are ready?", where no column tells that
    is_asked = asked.where or asked.column or asked.by or told or is_all or (asked.wanted and step.act == "query")
    if not is_grounded or asked.explained < enough or not is_asked:
        return None
    is_value = is_told and (told is None or asked.explained >= _HALF)  # not only that of the question before
    return asked.explained + goes_on * _GOING_ON + (is_value + asked.is_titled + asked.is_column_said / 2) * _HAS_VALUE


def _says_which(said: str, language: str) -> bool:
    """Tell whether a question has a word for what is done, or one that nobody knows: "how many of them are finished?".

    Examples
    --------
    >>> [_says_which(f"how many {one}", "en") for one in ("of them are finished?", "of them are purple?", "is that altogether?")]
    [True, True, False]
    """
    return bool("done" in concepts_of(said) or says_state(said, language) or unexplained(said, language))


def _rated(step: Step, one: Leaf, least: float, *, is_only: bool, goes_on: bool) -> tuple[float, bool, int] | None:
    """Rate how likely a question is about a value of a JSON file; ``None`` where too little says so."""
    is_deep = len(one.path) > 1
    if goes_on and is_deep and one.explained >= _HALF:
        return one.explained + _GOING_ON, True, one.said
    is_clear = is_only or (is_deep and step.act not in _MAYBE_OF_TABLES) or one.said > 1 or one.is_truth
    if not is_clear or one.explained < least:
        return None
    return one.explained + (one.said > 1) * _HAS_VALUE, False, one.said - 1


def _told(before: Step | None, name: str, table: Table, *, is_named: bool) -> Query | None:
    """Return what was asked before of a table, or of one with the same columns where this one is named: "and in b.csv?"."""
    told = parse_query(before.word("query")) if before is not None else None
    if before is None or told is None or before.word("file") == name:
        return told
    is_named = is_named or (is_series(name) and series_of(before.word("file")) == name)  # "and in April?"
    columns = {*told.wanted, *(one.column for one in told.where), *filter(None, [told.column])}
    return told if is_named and columns and columns <= set(table.columns) else None


def _of_all_lengths(  # noqa: PLR0913, PLR0917 - all that is known of a question
    desk: Desk, asked: Query, told: Query | None, name: str, table: Table, said: str
) -> Query:
    """Return that all lengths of the table that is spoken of are added up, where it is asked how long it is."""
    lengths = [one for one in asked.wanted if is_of_lengths(one, table)]
    is_it = name == desk.context.file and told is None and len(asked.wanted) == len(lengths) == 1
    is_bare = is_it and not (asked.where or asked.measure) and not concepts_of(said) & {"each", *_COMPARED}
    return asked._replace(measure="sum", column=lengths[0], wanted=()) if is_bare else asked


def _rows_again(desk: Desk, step: Step, said: str, *, is_of_them: bool) -> Work:
    """Show the rows that were spoken of, whole, where a question points at them and says nothing that the table explains."""
    before = desk.context.query
    told = parse_query(before.word("query")) if before is not None else None
    is_of_them = is_of_them or points_back(said)
    is_about = step.act in _MAYBE_OF_TABLES and not step.word("file") and asks(said) and is_of_them
    if before is None or told is None or not is_about:
        return None
    name = before.word("file")
    table = with_derived(_table_in(name, (yield from desk.folder.read(name))), "", told, desk.language)
    again = told if told.measure in {"max", "min"} else told._replace(measure="", column="", wanted=())
    return _answered(desk, step, name, again, table) if 0 < len(again.rows(table)) <= _MOST_AGAIN else None


def _joined(desk: Desk, step: Step, asked: Query, told: Query | None, table: Table) -> Condition | None:
    """Return the rows that were spoken of where a question wants something of them and names none: "what's her phone number?"."""
    is_bare = asked.measure == "count" and not (asked.wanted or asked.is_titled)  # "and how many do we have?"
    is_of_one = told is not None and told.measure in {"max", "min"} and asked.where == told.where
    is_of_one = is_of_one and (is_bare or not asked.measure)
    said = (
        asked.wanted or (is_bare and is_of_one) or (asked.column and asked.measure in {"sum", "count"} and told is None)
    )
    if desk.context.last is None or not said or not (is_of_one or (told is None and not asked.where)):
        return None
    if not (asked.wanted or is_of_one or points_back(step.text) or "them" in said_of_tables(step.text, desk.language)):
        return None  # "how much of that is paid?"
    return spoken_of("\n".join((desk.context.answer, *(desk.context.shown if is_of_one else ()))), table)


def without_refusals(text: str) -> str:
    """Leave out of a request the clauses that only say what is not to be done.

    Examples
    --------
    >>> without_refusals("don't change anything, just show me the open ones")
    'just show me the open ones'
    >>> without_refusals("the rows that are not done"), without_refusals("the sum, but without the cancelled order")
    ('the rows that are not done', 'the sum, but without the cancelled order')
    """
    clauses = re.split(r"[,;\uff0c\uff1b\u3001]\s*|(?<=[.!])\s+", text)
    kept = [one for one in clauses if not _is_refusal(one) or asks(one)]
    return text if len(kept) == len(clauses) or not kept else ", ".join(kept)


def _is_refusal(clause: str) -> bool:
    """Tell whether a clause says that something is not to be changed; what is cancelled, or not counted, is a kind of rows."""
    told = lexicon().concepts(words_of(clause))
    is_refusing = bool(_REFUSING & frozenset[str]().union(*told))
    is_change = any(one & _CHANGING and "stop" not in one for one in told)
    return is_refusing and is_change and "uncounted" not in said_of_tables(clause, "")


def _least_explained(desk: Desk, step: Step) -> float | None:
    """Return how much of a step's words a table must explain to be asked; ``None`` where it is no question of tables."""
    is_later = desk.context.query is not None
    is_sum = step.act == "calculate" and reckon(step.word("text")) is not None
    is_of_lines = step.act == "count.lines" and "line" in concepts_of(_unsaid(step)) and not points_back(step.text)
    is_of_lines = is_of_lines and "most" not in said_of_tables(step.text, desk.language)
    is_settled = step.act == "query" and bool(step.word("query")) and not step.text
    if is_sum or is_of_lines or is_settled:
        return None  # of numbers, of the whole file, or what is asked is known
    is_asked = asks(step.text.partition("\n")[0])
    if step.act in _OF_TABLES:
        return _KEPT if step.destination and step.act == "query" else _HALF
    is_of_named = step.act == "search" and is_asked and bool(step.word("file"))  # "is Ann in group C?"
    if is_of_named or (step.act == "unclear" and not is_asked):  # "students from Berlin"
        return _WHOLLY
    last = desk.context.last
    is_of_files = last is not None and last.act.startswith("list.")  # "and the smallest?" of the files
    is_going_on = not step.word("file") and desk.context.file.casefold().endswith(ASKED) and not is_of_files
    is_list = (
        step.act.startswith("list.")
        and not step.act.startswith("list.by")
        and (is_going_on or step.word("file").casefold().endswith(ASKED))
    )
    told = concepts_of(step.text)
    is_of_people = step.act.startswith("list.") and not step.arguments and "who" in told and "file" not in told
    is_of_things = step.act in _BY_TIME and not step.arguments and is_asked and not told & _OF_FILES
    is_of_things = is_of_things and bool(unexplained(step.text, desk.language))  # "which book is the oldest?"
    if is_of_people or is_of_things or (step.act == "read" and step.word("file")):
        return _MOSTLY
    if is_list and is_going_on and not concepts_of(step.text) & _PLACED:
        return _THIRD  # "which pond is the largest?" of the table that was shown
    is_table = step.word("file").casefold().endswith(ASKED)
    is_counted = rank(step.word("file")) is not None and not Desk.is_path(step.word("file"))  # "the first three"
    is_ends = step.act in {"read.longest", "read.shortest"} and not concepts_of(step.text) & {
        "line",
        "word",
        "character",
    }
    if is_ends and (is_table or (is_later and (is_counted or not step.word("file")))):
        return _HALF if is_table else _THIRD  # "which trail is the longest?" of a table, "and the shortest?"
    is_length = step.act in _SIZES and not says_operation(_unsaid(step), step.act, desk.language)
    if step.act in _MAYBE_OF_TABLES or is_list or is_length:
        return _HALF if is_later else _MOSTLY
    return None


def _tables(desk: Desk, step: Step, said: str) -> Work:
    """Return the tables that a question may be about: the one that is named, the one spoken of, or all there are."""
    word = "" if step.act == "query" and not step.destination else step.word("file")
    word = "" if rank(word) is not None and not Desk.is_path(word) and desk.context.query is not None else word
    is_pointing = is_pointer(word, "it") or is_pointer(word, "those")
    if is_pointing and desk.context.file and not desk.context.file.casefold().endswith(ASKED):
        return ()
    if not word or is_pointing:
        named = [one.text for one in words_of(said) if one.kind == "file"]
        word = named[0] if named else ""
    if word:
        if PurePosixPath(word).suffix and not word.casefold().endswith(ASKED):
            return ()
        is_name = any(one.kind in {"file", "folder"} for one in words_of(word))
        path, noted = "", len(desk.notes)
        try:
            path = yield from desk.file(word)
        except (Ask, Absent):
            is_asked = step.act in {*_OF_TABLES, "count.rows", "count.files"} or asks(said)
            if is_name or not is_asked:  # else "the mean per shop" is no file either
                return ()
        if desk.is_guessed and asks(said) and step.act in _OF_WHOLE_FILES:
            del desk.notes[noted:]
            path = ""  # "when does the pump start?" need not be about pump.log
        if path.casefold().endswith(ASKED):
            return (path,)
        if PurePosixPath(path).suffix:
            return ()
    every: list[Entry] = yield from desk.folder.everything(".")
    names = [one.name for one in every if not one.is_folder and one.name.casefold().endswith(ASKED)]
    names.sort(key=lambda name: name != desk.context.file)
    return tuple(names[:_MOST_TABLES])


def _leaf_in(desk: Desk, name: str, text: str, said: str) -> Leaf | None:
    """Find what is asked of a JSON file that is no table."""
    if not name.casefold().endswith(KEYED):
        return None
    try:
        data = json.loads(text)
    except ValueError:
        return None
    last = desk.context.last
    before = last.word("key").split(".") if last is not None and last.act == "json.get" else ()
    return leaf(said, data, before, desk.language, PurePosixPath(name).stem)


def _leaf_answered(desk: Desk, step: Step, name: str, found: Leaf) -> Outcome:
    values = [value if len(found.values) == 1 else f"{path}: {value}" for path, value in found.values]
    settled = Step("json.get", {"file": (name,), "key": (".".join(found.path),)}, text=step.text)
    if found.total:
        line = f"{found.measure} {'.'.join(found.path)}"
        text = desk.say("query.value", value=found.total, file=name, query=line)
        return Outcome(text, found.total, settled, name)
    return _lines_said(desk, settled, name, values)


def _answered(desk: Desk, step: Step, name: str, asked: Query, table: Table) -> Outcome:
    """Word the answer to a question about a table: the value, and the rows it comes from where they are few."""
    if asked.unknown:
        raise CannotWork(desk.say("no_match", file=name, word=asked.unknown))  # and not the number of all
    found = answer(asked, table)
    if not found.rows and (open_ := _without_truths(asked)) != asked:
        return _answered(desk, step, name, open_, table)  # "has Daan paid?": what stands there
    line = str(asked)
    settled = Step("query", {"file": (name,), "query": (line,)}, text=step.text)
    if not found.rows:
        raise CannotWork(desk.say("no_rows", file=name))
    heading = [] if table.delimiter == " " else [table.columns]
    end = table.columns.index("text") + 1 if table.delimiter == " " and "text" in table.columns else len(table.columns)
    shown = [write_row(table, row[:end]) for row in (*heading, *found.rows)]
    if asked.by and not asked.end:
        heading, shown, found = [], found.value.splitlines(), found._replace(value="")
    rows = quoted(shown, desk.language)
    if not found.value:
        return Outcome(
            desk.say("query.rows", file=name, query=line, lines=rows),
            shown,
            settled,
            name,
            tuple(shown[len(heading) :]),
        )
    is_few = len(found.rows) <= _FEW_ROWS and len(found.rows) < len(table.rows)
    said, wish = quoted([found.value], desk.language), step.text.partition("\n")[0]
    is_spent = "spent" in said_of_tables(wish, desk.language) and not concepts_of(wish) & {"sum", "many"}
    is_spent = is_spent or "same" in concepts_of(wish)  # "the same for April": who, and how much
    is_few = is_few or (asked.measure == "count" and bool(asked.wanted) and len(found.rows) <= _MOST_AGAIN)
    if is_few and (is_spent or asked.measure not in {"sum", "mean"}):
        return Outcome(
            desk.say("query.both", value=said, file=name, query=line, lines=rows),
            found.value,
            settled,
            name,
            tuple(shown[len(heading) :]),
        )
    return Outcome(
        desk.say("query.value", value=said, file=name, query=line),
        found.value,
        settled,
        name,
        tuple(found.value.split("; ")),
    )


def _without_truths(asked: Query) -> Query:
    """Return a query that wants the yes or no of a column which no row has beside the other conditions."""
    truths = [one for one in asked.where if is_yes_or_no(one)]
    rest = tuple(one for one in asked.where if one not in truths)
    return asked._replace(where=rest, wanted=tuple(one.column for one in truths)) if truths and rest else asked


def _query(desk: Desk, step: Step) -> Work:
    """Ask a table what is settled already; else look for what a question says that the table before does not explain."""
    asked, last, name = parse_query(step.word("query")), desk.context.last, step.word("file")
    if not step.word("query"):
        raise Ask(desk.say("unclear"), can_try_others=True)
    if asked is not None and (last is None or step.word("query") != last.word("query")):
        table = with_derived(_table_in(name, (yield from desk.folder.read(name))), "", asked, desk.language)
        return _answered(desk, step, name, asked, table)
    found: Outcome | None = yield from find_out(desk, step.text.partition("\n")[0])
    if found is None:
        raise Ask(desk.say("unclear"))
    return found


def _table_in(name: str, text: str) -> Table:
    return read_log(text) if name.casefold().endswith(".log") else read_table(text)


def find_out(desk: Desk, text: str) -> Work:
    """Look for the lines that a question is about, in all files: what is asked may stand in one of them.

    Returns
    -------
    Outcome or None
        ``None`` when no line is clearly about it.
    """
    if not (desk.folder.has("fs_list") and desk.folder.has("fs_read")):
        return None
    try:
        texts: dict[str, str] = yield from _texts(desk, ".")
    except (TooLarge, Failed, Absent):
        return None
    last = desk.context.last
    if last is not None and last.act == "run.file" and desk.context.file in texts and not desk.context.is_open:
        texts = {
            **texts,
            desk.context.file: desk.context.answer,
        }  # what it printed is asked about, and not how it is written
    text, _, before = text.partition("\n")
    text = with_names(
        text,
        (piece for name, one in texts.items() if not name.endswith(TABLES) for piece in pieces_of(one[:_MOST_SPELT])),
    )
    said = without_asking(text)
    named = [word.text for word in words_of(text) if word.kind == "file"]
    if named:  # what stands elsewhere is no answer
        ends = tuple(one.rpartition("/")[2] for one in named)
        texts = {name: one for name, one in texts.items() if name.endswith(ends) and PurePosixPath(name).name in text}
    spoken = {name: one for name, one in texts.items() if name == desk.context.file and not name.endswith(TABLES)}
    found = (
        _on_the_same(desk, text, texts)
        or likeliest_lines(said, spoken)
        or likeliest_lines(said, spoken, is_part=points_back(text), language=desk.language)
        or likeliest_lines(said, texts, before=before)
    )
    if not found and (whole := _shown_by_name(desk, text, texts)) is not None:
        return whole
    found = (
        found
        or likeliest_lines(said, texts, before=before, language=desk.language)
        or _with_the_one_word(said, texts, desk.language)
        or likeliest_lines(said, {} if named else spoken, is_part=True, language=desk.language)
    )
    signed = _signed_letter(text, {} if named or not asks(text) else texts)
    if signed and all(name == signed and line in _signature(texts[name]) for name, line in found):
        return _lines_found(desk, text, [(signed, line) for line in lines(texts[signed])])
    if not found:
        letter: Outcome | None = yield from _named_letter(desk, text, texts)
        headed = likeliest_lines(said, texts, before=before, language=desk.language, is_headed=True)
        return letter or _lines_found(desk, text, headed)
    names = {name for name, _ in found}
    words = [word for word in telling_words(said) if not is_small_in(word, desk.language)]
    met = nearest_texts(said, ["\n".join(line for _, line in found)])[1]
    name = next(iter(names))
    if len(names) == len(found) == 1 and met < _HALF * len(words) and _is_letter(name, texts[name]):
        found = [(name, line) for line in lines(texts[name])]  # the line has hardly a word of it
        return _lines_found(desk, text, found)
    shown = _lines_found(desk, text, found, texts)
    is_spaced = not any(word.kind in UNSPACED for word in words_of(text))
    is_called = bool(nearest_texts(said, [PurePosixPath(one).stem for one in names])[1])
    is_whole = is_called or (len(names) == 1 and _is_letter(name, texts[name]))
    if shown is not None and is_spaced and not is_whole and share_met(text, desk.language, shown.text) < _MET_LEAST:
        # a line with one word of several is hardly the answer: the question names the others
        return (yield from _named_letter(desk, text, texts))
    return shown


def _shown_by_name(desk: Desk, text: str, texts: Mapping[str, str]) -> Outcome | None:
    """Show, or count, the lines of the only text of which a question tells the whole name; ``None`` where there is none."""
    found = whole_by_name(text, texts, desk.language)
    if not found or "many" not in concepts_of(text):
        return _lines_found(desk, text, found)
    (name, _), *_ = found
    step = Step("count.lines", {"file": (name,)}, text=text)
    return Outcome(desk.say("count.lines", file=name, n=len(found)), str(len(found)), step, name)


def whole_by_name(text: str, texts: Mapping[str, str], language: str) -> list[tuple[str, str]]:
    r"""Return the lines of the only text of which a question says nothing but its name and its folder: "what's on the monday tour?".

    Where things are counted, that is the one word more that it may say: "how many stops are there on tuesday?".

    Examples
    --------
    >>> texts = {"tour/monday.txt": "9:00 school", "tour/friday.txt": "8:00 pool", "a.txt": "monday tea"}
    >>> whole_by_name("what's on the monday tour", texts, "en"), whole_by_name("was ist freitag auf der Tour?", texts, "de")
    ([('tour/monday.txt', '9:00 school')], [('tour/friday.txt', '8:00 pool')])
    >>> whole_by_name("how many stops on friday", texts, "en"), whole_by_name("who is at the pool on friday", texts, "en")
    ([('tour/friday.txt', '8:00 pool')], [])
    """
    telling = [
        word
        for word in telling_words(without_asking(text))
        if not (is_small_in(word, language) or {"aside", "pieces"} & said_of_tables(word, language))
    ]
    is_counted = "many" in concepts_of(text)
    found = []
    for name, whole in texts.items():
        path = PurePosixPath(name)
        if not name.casefold().endswith(_LINED) or not 0 < len(lines(whole)) <= _SHORT_TEXT:
            continue
        left = [word for word in telling if not nearest_texts(word, [str(path.with_suffix(""))], language)[1]]
        of_stem = [word for word in telling if nearest_texts(word, [path.stem], language)[1]]
        is_whole = len(of_stem) == len(plain(path.stem).split())
        is_of_list = not any(line.endswith(".") or line.startswith("#") for line in lines(whole))
        is_of_list = is_of_list and ("day" in concepts_of(path.stem) or not is_noun_of_file(path.stem))
        is_first = telling[:1] == left and not nearest_texts(" ".join(left), [whole])[1]
        if is_whole and (is_first and is_of_list if is_counted else not left and len(telling) > 1):
            found.append((name, whole))
    return [(name, line) for name, whole in found for line in lines(whole)] if len(found) == 1 else []


def _is_letter(name: str, text: str) -> bool:
    r"""Tell whether a file is a letter or a note: short, of sentences, and no list.

    Examples
    --------
    >>> _is_letter("a.txt", "Dear Ann,\nwe would love to see you in May.\nBo"), _is_letter("b.txt", "- milk\n- a dozen of the very large eggs")
    (True, False)
    """
    every = [line for line in lines(text) if line.strip()]
    sentences = [line for line in every if len(line.split()) >= _SENTENCE and not _LISTED.match(line)]
    is_text = name.casefold().endswith((".txt", ".md"))
    return is_text and bool(sentences) and len(every) <= _SHORT_TEXT and not any(map(_LISTED.match, every))


def _signature(text: str) -> Sequence[str]:
    return lines(text)[-_SIGNED_IN:]


def _signed_letter(text: str, texts: Mapping[str, str]) -> str:
    r"""Return the only letter that is signed with a name of a question: "what does Mrs Smet want?"; empty where none is.

    Examples
    --------
    >>> letter = "Dear all,\nplease stop the drums at ten in the evening.\nAnna Smet"
    >>> _signed_letter("what does Mrs Smet want?", {"a.txt": letter}), _signed_letter("what is the Rent?", {"a.txt": letter})
    ('a.txt', '')
    """
    names = {word.text for word in words_of(text)[1:] if word.kind == "word" and word.text[:1].isupper()}
    names = {name for name in names if not concepts_of(name) and len(name) > _SIGNED_IN}
    signed = [
        name
        for name, one in texts.items()
        if _is_letter(name, one) and names & {word.text for line in _signature(one) for word in words_of(line)}
    ]
    return signed[0] if len(signed) == 1 else ""


def _named_letter(desk: Desk, text: str, texts: Mapping[str, str]) -> Work:
    """Show the letter or note whose name a question has words of, where there is one: "what did Ann write?"."""
    near: tuple[str, ...] = yield from desk.files_near(text)
    is_compared = bool(concepts_of(text) & _COMPARED)  # what is said of rows, and hardly in a letter
    if len(near) != 1 or is_compared or not _is_letter(near[0], texts.get(near[0], "")) or not asks(text):
        return None
    return _lines_found(desk, text, [(near[0], line) for line in lines(texts[near[0]])])


def is_unsaid(step: Step) -> bool:
    """Tell whether no word of a question says what was read into it: "when was she here?" asks for no date of a file.

    Examples
    --------
    >>> is_unsaid(Step("date", {}, text="when was she here?")), is_unsaid(Step("date", {}, text="when was it changed?"))
    (True, False)
    >>> is_unsaid(Step("list", {}, text="what is the new rent?")), is_unsaid(Step("list", {}, text="what is in here?"))
    (True, False)
    """
    said = step.text.partition("\n")[0]
    words = _SAID_WITH.get(step.act)
    is_path = any(one.kind in {"file", "folder"} for word in step.arguments.get("file", ()) for one in words_of(word))
    if words is None or is_path or set(step.arguments) - {"file"} or step.destination or not asks(said):
        return False
    if step.act != "date" and (step.arguments or len(telling_words(said)) < _ENOUGH_SAID):
        return False
    is_here = step.act == "list" and bool(here_in(said))
    return not (concepts_of(said) & words or is_here)


def show_spoken(desk: Desk, step: Step) -> Work:
    """Show the short letter or note that is spoken of, where a question about it has none of its words; ``None`` where there is none."""
    name = desk.context.file
    is_of_it = is_unsaid(step) or step.act in {
        "unclear",
        "same",
        *_OF_TABLES,
        "count.rows",
        "count.lines",
        "count.matches",
    }
    if not is_of_it or not name or name.endswith(TABLES) or not desk.folder.has("fs_read"):
        return None
    try:
        text: str = yield from desk.folder.read(name)
    except (TooLarge, Failed, Absent):
        return None
    if not _is_letter(name, text):
        return None
    shown = quoted(lines(text), desk.language)
    return Outcome(
        desk.say("lines", file=name, lines=shown), lines(text), Step("read", {"file": (name,)}, text=step.text), name
    )


def _with_the_one_word(text: str, texts: Mapping[str, str], language: str) -> list[tuple[str, str]]:
    """Find the few lines with the only telling word of a question, or what it means in English; with one of two, the only line."""
    telling = [word for word in telling_words(text) if not is_small_in(word, language)]
    is_one = len(telling) == 1 and language != "en" and len(telling[0]) >= _LONG_WORD
    is_half = len(telling) == 2 and not any(word.kind in UNSPACED for word in words_of(text))  # noqa: PLR2004 - one of two
    if not is_one and not is_half:
        return []
    found = likeliest_lines(" ".join(telling), texts, is_part=True, language=language if is_one else "")
    return found if len(found) <= (_FEW_ROWS if is_one else 1) else []


def _lines_found(
    desk: Desk, text: str, found: Sequence[tuple[str, str]], texts: Mapping[str, str] | None = None
) -> Outcome | None:
    """Show the lines that a question is about; a heading with what stands below it."""
    if not found:
        return None
    if len(found) == 1 and texts:
        found = _section(*found[0], texts)
    names = tuple(dict.fromkeys(name for name, _ in found))
    step = Step("search", {"file": names[:1]} if len(names) == 1 else {}, text=text)
    if len(names) == 1:
        shown = [line for _, line in found]
        text = desk.say("lines", file=names[0], lines=quoted(shown, desk.language))
        return Outcome(text, shown, step, names[0], tuple(shown))
    shown = [f"{name}: {line}" for name, line in found]
    return Outcome(quoted(shown, desk.language), shown, step, "", names)


def _section(name: str, heading: str, texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return a line, with what stands below it where it is a heading."""
    found = [(name, heading)]
    if not heading.startswith("#"):
        return found
    below = texts[name].partition(f"{heading}\n")[2].splitlines()
    return (
        found + [(name, line) for line in takewhile(lambda line: not line.startswith("#"), below) if line][:_MOST_BELOW]
    )


def _on_the_same(desk: Desk, text: str, texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """Find the lines that a question of one telling word goes on about: in the file spoken of, else with the words before."""
    last, file = desk.context.last, desk.context.file
    if last is None or len([word for word in telling_words(text) if not is_small_in(word, desk.language)]) != 1:
        return []
    here = {file: texts[file]} if file in texts else {}
    return likeliest_lines(text, here, is_part=True, language=desk.language) or likeliest_lines(
        text, texts, language=desk.language, before=last.text
    )


def _search_files(desk: Desk, step: Step) -> Work:
    wanted = desk.need(step, "find")
    where: str = yield from desk.inside(step)
    texts: dict[str, str] = yield from _texts(desk, where)
    wanted, names = next(
        (
            (way, held)
            for way in in_ways(wanted)
            if (held := tuple(one for one, text in texts.items() if holds(text, way)))
        ),
        (wanted, ()),
    )
    if not names:
        raise CannotWork(desk.say("no_match_anywhere", word=wanted))
    is_counted = bool(concepts_of(step.text) & {"many", "count"})
    told = {"word": wanted, "names": ", ".join(names)}
    return Outcome(
        desk.say("search.files_counted", n=len(names), **told) if is_counted else desk.say("search.files", **told),
        list(names),
        step,
        names[0] if len(names) == 1 else "",
        names,
    )


# -- tasks, memory, sums -----------------------------------------------------------------------------------------------


def _objects(text: str, name: str) -> list[dict[str, Any]]:
    """Return the objects of a list in JSON; none where it is anything else."""
    try:
        read = json.loads(text)
    except ValueError:
        return []
    found = read.get(name, []) if isinstance(read, dict) else []
    return [one for one in found if isinstance(one, dict)]


def tasks(desk: Desk) -> Work:
    """Return the tasks there are."""
    text: str = yield from desk.folder.whole("task_list")
    return _objects(text, "tasks")


def task_meant(desk: Desk, words: str, found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the task that is meant: by its id, its number among the open ones, or words of its title."""
    still = [one for one in found if one.get("status") != "done"] or list(found)
    for one in found:
        if str(one.get("task_id")) == words.strip():
            return one
    titles = [str(one.get("title")) for one in still]
    if not titles:
        raise Ask(desk.lacks("file").text, can_try_others=True)
    place = rank(words) if len(words.split()) <= 4 else None  # noqa: PLR2004 - "the last one there"
    chosen = pick(words, titles)
    if not chosen.name and place is not None and still and -len(still) <= place <= len(still) and place:
        return still[place - 1 if place > 0 else place]
    if (
        not chosen.name
        and not chosen.rivals
        and len(still) == 1
        and plain(words) in {"it", "that", "this", "es", "das"}
    ):
        return still[0]
    if not chosen.name and len(near := nearest_texts(words, titles, desk.language)[0]) == 1:
        return still[titles.index(near[0])]  # "the fridge" is what "buy a fridge freezer" is about
    if not chosen.name:
        rivals = chosen.rivals or tuple(titles)
        raise Ask(desk.say("ask.task", names=", ".join(rivals)), can_try_others=True)
    return still[titles.index(chosen.name)]


def _task_list(desk: Desk, step: Step) -> Work:
    has_tasks = desk.folder.has("task_list")
    found: list[dict[str, Any]] = (yield from tasks(desk)) if has_tasks else []
    still = [str(one.get("title")) for one in found if one.get("status") != "done"]
    done = [str(one.get("title")) for one in found if one.get("status") == "done"]
    if not still and not done:
        boxes: Outcome | None = yield from _boxes(desk, step)
        if boxes is None and not has_tasks:
            raise CannotWork(desk.say("no_tool", tool="task_list", what=""))
        return boxes or Outcome(desk.say("tasks.none"), [], step)
    rows = [f"{place}. {title}" for place, title in enumerate(still, 1)]
    rows += [f"✓ {title}" for title in done]
    return Outcome(desk.say("tasks", n=len(still)) + "\n" + quoted(rows, desk.language), still, step, "", tuple(still))


def state_of_boxes(text: str, language: str) -> str:
    """Return which boxes of a list a question is about, ``open`` or ``done``; empty where it is about tasks that were noted.

    Examples
    --------
    >>> state_of_boxes("what's left to do?", "en"), state_of_boxes("which tasks are open?", "en")
    ('open', '')
    """
    found = words_of(text)
    both = zip(lexicon().concepts(found), words_of_tables(language).concepts(found), strict=True)
    told = frozenset[str]().union(*(means for means, state in both if not state & {"open", "done"}))
    return "" if told & {"task", "list"} == {"task"} else says_state(text, language)


def _boxes(desk: Desk, step: Step) -> Work:
    """Tell what is open, or done, in the only file with boxes to tick, where no task was ever noted; ``None`` without one."""
    try:
        texts: dict[str, str] = yield from _texts(desk, ".")
    except (Absent, Failed, TooLarge):
        return None
    lists = [name for name, text in texts.items() if BOX.search(text)]
    named = [name for name in lists if "task" in concepts_of(plain(PurePosixPath(name).stem))]
    fitting = named or (lists if state_of_boxes(step.text, desk.language) else [])
    if len(fitting) != 1:
        return None
    (name,) = fitting
    return _told_of_boxes(desk, step, name, texts[name])


def _told_of_boxes(desk: Desk, step: Step, name: str, text: str) -> Outcome:
    """Tell which boxes of a file are open, or done."""
    is_done = says_state(step.text, desk.language) == "done"
    rows = [row for row in _below_heading(text, step.text).splitlines() if BOX.match(row)]
    met = [row for row in rows if (BOX.sub(r"\2", row) == " ") is not is_done]
    many = [desk.say("tasks", n=len(met))] if "many" in concepts_of(step.text) and not is_done else []
    shown = (
        desk.say("lines", file=name, lines=quoted(met, desk.language)) if met else desk.say("nothing_left", file=name)
    )
    settled = Step("search", {"file": (name,), "find": ("[x]" if is_done else "[ ]",)}, text=step.text)
    return Outcome("\n".join((*many, shown)), met, settled, name, tuple(met))


def _below_heading(text: str, said: str) -> str:
    r"""Return the part of a text below the heading that a request names whole, where it has boxes; else all of it.

    Examples
    --------
    >>> plans = "# To do\n- [ ] rest\n## This week\n- [ ] call Ann\n## Later\n- [ ] paint"
    >>> _below_heading(plans, "what is left for this week?"), _below_heading(plans, "what is left to do?") == plans
    ('\n- [ ] call Ann\n', True)
    """
    spoken = f" {plain(said)} "
    headings = [line for line in text.splitlines() if line.startswith("##")]
    for heading in headings:
        below = text.partition(heading)[2]
        part = re.split(r"^#", below, maxsplit=1, flags=re.MULTILINE)[0]
        if plain(heading) and f" {plain(heading)} " in spoken and BOX.search(part):
            return part
    return text


def memories(desk: Desk, question: str) -> Work:
    """Return what is remembered that shares most words with a question, and how many words those are."""
    words = telling_in(question, desk.language)
    more = [form for word in words for form in sorted(forms_of(word)) if len(form) > 2 or not form.isascii()]  # noqa: PLR2004 - "is"
    asked = list(dict.fromkeys([*(stem(word) for word in words), *more]))[:_MOST_ASKED]
    found: dict[str, dict[str, Any]] = {}
    for text in (yield from desk.folder.each("memory_agent_recall", [{"query": word} for word in asked])):
        found |= {str(one.get("content")): one for one in _objects(text, "memories")}
    nearest, shared = nearest_texts(question, list(found))
    if not nearest and desk.language in EAST:
        counts = {content: sum(word in content for word in words) for content in found}
        shared = max(counts.values(), default=0)
        nearest = [content for content, count in counts.items() if count == shared > 0]
    return [found[content] for content in nearest], shared


def _recall(desk: Desk, step: Step) -> Work:
    words = step.word("find") or desk.need(step._replace(arguments={"find": (step.text,)}), "find")
    found, _ = yield from memories(desk, f"{words} {step.text.partition(chr(10))[0]}")
    is_all = {"remember", "recall"} & concepts_of(step.text) and not unexplained(step.text, desk.language)
    if not found and desk.context.known and is_all:  # "what did you remember?"
        return Outcome(quoted(desk.context.known, desk.language), list(desk.context.known), step)
    if not found:
        outcome: Outcome | None = yield from find_out(desk, step.text)
        if outcome is None:
            raise CannotWork(desk.say("memory.none", word=words))
        return outcome
    return _recalled(desk, step.with_arguments(find=(words,)), found)


def recall_of(desk: Desk, question: str) -> Work:
    """Say what is remembered that is clearly about a question; ``None`` when nothing is."""
    if not desk.folder.has("memory_agent_recall"):
        return None
    found, shared = yield from memories(desk, question)
    return _recalled(desk, Step("recall", {"find": (question,)}), found) if shared > 1 else None


def _recalled(desk: Desk, step: Step, found: Sequence[dict[str, Any]]) -> Outcome:
    """Say what is remembered; what is masked there was never kept, and that is said as well."""
    said = [str(one.get("content")) for one in found]
    if any(holds_secret(one) for one in said):
        desk.notes.append(desk.say("note.masked"))
    return Outcome(quoted(said, desk.language), said, step)


def _calculate(desk: Desk, step: Step) -> Work:
    yield from ()
    words = desk.need(step, "text")
    before = desk.context.answer.partition("\n")[0]
    ways = (words, in_figures(words, before), f"{before} {words}")
    result = next((found for way in ways if (found := reckon(way)) is not None), None) or reckon(words, has_units=True)
    if result is None:
        raise Ask(desk.say("ask.sum", word=words), can_try_others=True)
    if "." in result:
        result = written(round(Decimal(result), _PLACES))
    return Outcome(f"{words.strip(' ?=')} = {result}", result, step)


_HANDLERS: dict[str, Callable[[Desk, Step], Work]] = {
    "read": _read,
    "rows.sorted": _sorted,
    "group.sum": _grouped,
    "group.count": _grouped,
    "compare": _compare,
    "compare.only": _only,
    "summary": _summary,
    "count.files": _count_files,
    "size": _size,
    "date": _date,
    "exists": _exists,
    "search": _search,
    "search.files": _search_files,
    "task.list": _task_list,
    "recall": _recall,
    "calculate": _calculate,
    "query": _query,
}
