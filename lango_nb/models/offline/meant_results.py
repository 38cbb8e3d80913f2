"""Requests about results and programs that mean another step than was read: sums of what was told, and what is kept in a file."""

from __future__ import annotations

import re
from decimal import Decimal

from lango_nb.models.offline.answers import said
from lango_nb.models.offline.followups import ENDED, says_more
from lango_nb.models.offline.lexicon import NEGATING, concepts_of, lexicon, lexicon_of
from lango_nb.models.offline.lexicon import words as words_of
from lango_nb.models.offline.lists import FEW_WORDS, KEEPING
from lango_nb.models.offline.names import EAST, asks, points_back, rank
from lango_nb.models.offline.operations import number, written
from lango_nb.models.offline.plan import Context, Reading, Step, acts, is_change  # noqa: F401 - in the examples
from lango_nb.models.offline.question import said_of_tables
from lango_nb.models.offline.request import SHORT, UNCLEAR_PLACE, Request, is_changing
from lango_nb.models.offline.steps import BOTH
from lango_nb.models.offline.table_query import Query, parse


def difference(request: Request) -> Step | None:
    """Return the sum that tells how far the last two results are apart: "what is the difference?".

    Examples
    --------
    >>> both = Context(Step("query", {}), answer="7687", earlier="7645")
    >>> difference(Request(Reading((Step("compare", {}),)), "what's the difference?", both)).word("text")
    '7687 - 7645'
    """
    context = request.context
    told = (context.earlier.partition("\n")[0], *context.answer.splitlines()[:BOTH])
    values = [value for line in told if (value := _number_told(line, request.language)) is not None][-BOTH:]
    is_other = request.length > SHORT or request.names("file", "folder", "number")
    is_apart = "apart" in said_of_tables(request.text, "") and not is_change(request.reading.steps[0].act)
    if is_other or len(values) < BOTH or not is_apart:
        return None
    return request.instead("calculate", text=(f"{max(values)} - {min(values)}",))


def _number_told(line: str, language: str) -> Decimal | None:
    """Return the number that a line is, or that it says of a file."""
    told = (said(key, language, line) for key in ("count.lines", "count.words", "count.chars", "count.rows"))
    counted = next((one["n"] for one in told if one is not None), line)
    name, colon, value = counted.partition(": ")
    return number((value if colon and "(" not in name else counted).partition(" ")[0])


def clock(request: Request) -> Step | None:
    """Return that the clock of this machine is asked: "what time is it?".

    Examples
    --------
    >>> clock(Request(Reading((Step("date", {"file": ("it",)}),)), "what time is it?", Context())).word("command")
    'date'
    """
    is_it = "clock" in request.asking and request.length <= SHORT and not request.unexplained
    return Step("run", {"command": ("date",)}, text="date") if is_it else None


_MAYBE_PROGRAM = frozenset(("ask.change", "same", "talk", "unclear", "read", "about.agents", "about.owner", "run", "run.file", "code.show", "exists"))  # fmt: skip
"""Acts that are read where it is asked what a program does."""
_OF_PROGRAM = re.compile(r"[\w./-]+\.(?:py|sh|js|r|rb|pl|bash)\b")
_OTHERWISE = frozenset(("move", "rename", "delete", "copy", "replace", "run", "prepend"))
_PLACED_AT = frozenset(("in", "into", "between"))
_PLACING = _PLACED_AT | frozenset("from file change one_number create name please and then move".split())
"""Concepts of a wish to write what was shown that speaks of the file alone: "save to a.txt", "mets-les dans un fichier a.txt"."""
_SHOWN = frozenset(("it", "answer", "print", "line", "row", "name", "number", "list", "value", "sum"))
"""Concepts of a wish to write what was shown, of none, and of what was shown."""


def sum_of_both(request: Request) -> Step | None:
    """Return the sum of the last two results: "what is that for the two together?", "so how much is that together?".

    Examples
    --------
    >>> both = Context(Step("query", {}), answer="30 (a.csv: min pay)", earlier="85 (a.csv: max pay)")
    >>> said = Reading((Step("column.sum", {}),))
    >>> sum_of_both(Request(said, "what is that for the two together?", both)).word("text")
    '85 + 30'
    >>> asked = Step("query", {"query": ("sum pay where who is Bo",)})
    >>> sum_of_both(Request(said, "so how much is that together?", Context(asked, answer="4", earlier="3", query=asked))).word("text")
    '3 + 4'
    """
    told = (request.context.earlier.partition("\n")[0], request.context.answer.partition("\n")[0])
    values = [value for line in told if (value := _number_told(line, request.language)) is not None]
    asked = parse(request.context.query.word("query")) if request.context.query is not None else None
    is_of_rows = asked is not None and request.last.act == "query" and bool(asked.where) and not asked.by
    is_bare = is_of_rows and not (request.unexplained or request.concepts & {"all", "each"})
    is_bare = is_bare and (request.language not in EAST or points_back(request.text))  # 十月份总共多少张 says more
    is_both = bool(request.concepts & {"two", "both"}) or is_bare  # each is the result of other rows
    is_both = is_both and ("together" in request.asking or "sum" in request.concepts)
    is_other = request.length > SHORT or request.names("file", "folder") or len(request.context.shown) > 1
    if not is_both or is_other or len(values) != BOTH or is_changing(request.step):
        return None
    return request.instead("calculate", text=(" + ".join(map(written, values)),))


def both_kept(request: Request) -> Step | None:
    """Return that the last two results are to be written to a file: "save both numbers in totals.txt".

    Examples
    --------
    >>> told = Context(Step("query", {}), answer="66 (a.csv: sum fee)", earlier="222 (a.csv: sum fee)")
    >>> both_kept(Request(Reading((Step("write", {}),)), "save these two numbers in totals.txt", told)).arguments
    {'file': ('totals.txt',), 'text': ('222', '66')}
    """
    context, told = request.context, request.concepts
    is_named = bool(told & {"number", "value", "sum", "answer"}) or not (request.unexplained or context.shown)
    is_both = bool(told & {"two", "both"}) and is_named and bool(told & KEEPING)
    if not is_both or len(request.files) != 1 or request.step.act in {"", "delete"}:
        return None
    lines = (context.earlier.partition("\n")[0], context.answer.partition("\n")[0])
    values = [value for line in lines if (value := _number_told(line, request.language)) is not None]
    apart = request.last.word("text").split(" - ") if request.last.act == "calculate" else ()
    values = [value for one in apart if (value := number(one)) is not None] if len(apart) == BOTH else values
    if len(values) != BOTH:
        return None
    act = "append" if told & {"append"} else "write"
    return request.instead(act, file=(request.files[0],), text=tuple(map(written, values)))


def program(request: Request) -> Step | None:
    """Return that a program, or one of its functions that were listed, is to be shown: "what does this script do?".

    Examples
    --------
    >>> ran = Context(Step("run", {"command": ("python3 report.py",)}))
    >>> program(Request(Reading((Step("same", {}),)), "and what does this script do?", ran)).arguments
    {'file': ('report.py',)}
    >>> listed = Context(Step("code.list", {"file": ("a.py",)}), "a.py", shown=("load", "save"))
    >>> program(Request(Reading((Step("read.last", {}),)), "what does the last one do?", listed)).arguments
    {'file': ('a.py',), 'name': ('save',)}
    """
    step, last, text, file = request.step, request.last, request.text, request.context.file
    if last.act in {"code.list", "code.show"} and not request.names("file") and (name := request.shown_at_place()):
        is_one = "does" in request.asking or step.act in UNCLEAR_PLACE | {"code.show", "list"}
        is_line = bool(request.concepts & {"line", "row", "file"})
        return request.instead("code.show", file=(file,), name=(name,)) if is_one and not is_line else None
    if not step.act or "does" not in request.asking or is_change(step.act) > asks(text):
        return None
    if request.place and request.files and _OF_PROGRAM.search(text) and step.act in {"code.list", "code.show"}:
        return request.instead(
            "code.show", file=(request.files[0],), name=(str(request.place),)
        )  # "the last function in a.py"
    is_short = request.length <= FEW_WORDS + BOTH
    told = _OF_PROGRAM.search(text) or (_OF_PROGRAM.search(f"{last.word('command')} {file}") if is_short else None)
    if told is None or step.act not in _MAYBE_PROGRAM or step.word("name"):
        return None
    return request.instead("read", file=(told[0],))


def run_it(request: Request) -> Step | None:
    """Return that the program that is spoken of is run: "ejecútalo".

    Examples
    --------
    >>> shown = Context(Step("read", {"file": ("sum.py",)}), "sum.py")
    >>> run_it(Request(Reading((Step("same", {}),), language="es"), "ejecútalo sin fecha", shown)).arguments
    {'file': ('sum.py',)}
    """
    file = request.context.file
    is_run = any("running" in one for one in request.wishes) and request.length <= FEW_WORDS
    is_other = request.is_question or asks(request.text) or request.names() or request.step.act.startswith("run")
    is_program = _OF_PROGRAM.fullmatch(file) is not None and request.context.asked is None
    return request.instead("run.file", file=(file,)) if is_run and is_program and not is_other else None


def run_told(request: Request) -> Step | None:
    """Return that a program is run that is named, where what comes out is only to be told: "run sum.py and tell me what is left to pay".

    Examples
    --------
    >>> said = Reading((Step("run.file", {"file": ("sum.py",)}), Step("cell", {})), 0.2)
    >>> run_told(Request(said, "run sum.py and tell me what is left to pay", Context())).arguments
    {'file': ('sum.py',)}
    >>> run_told(Request(said, "run sum.py and save it to a.txt", Context()))
    """
    words = [word for word in request.words if word.kind != "sign"]
    told = lexicon_of(request.language).concepts(words)
    is_one = len(request.files) == 1 and _OF_PROGRAM.fullmatch(request.files[0]) is not None
    behind = request.text.partition(request.files[0])[2] if is_one else ""
    verb = f"{words[0].text} {next(iter(behind.split()), '')}" if words else ""  # "führ … aus"
    is_run = is_one and "run" in frozenset[str]().union(*told[:1], concepts_of(verb))
    is_more = any(word.is_quoted or word.kind in {"number", "folder"} for word in words)
    is_other = is_more or any(step.destination or step.act in _WRITING for step in request.reading.steps)
    is_run = is_run and not (is_other or request.is_question or NEGATING & frozenset[str]().union(*told))
    return request.instead("run.file", file=(request.files[0],)) if is_run and asks(behind) else None


_WRITING = frozenset(("write", "append", "prepend", "create", "remember", "task.add"))
"""Acts that keep what a program gives, and do not only tell it."""


def renamed_inside(request: Request) -> Step | None:
    """Return that the function that was shown is to have another name, and no file.

    Examples
    --------
    >>> shown = Context(Step("code.show", {"file": ("a.py",), "name": ("load",)}), "a.py")
    >>> renamed_inside(Request(Reading((Step("rename", {"to": ("load_all",)}),)), "rename it to load_all", shown)).arguments
    {'file': ('a.py',), 'old': ('load',), 'new': ('load_all',)}
    """
    step, last = request.step, request.last
    is_maybe = step.act in {"rename", "code.show", "move", "replace"} or step.act not in acts()
    is_shown = last.act == "code.show" and bool(last.word("name")) and is_maybe
    new = next((words[0] for role in ("to", "new", "name") if (words := step.arguments.get(role))), "")
    if not is_shown or "rename" not in request.concepts or not new.isidentifier() or request.names():
        return None
    return request.instead("replace", file=(request.context.file,), old=(last.word("name"),), new=(new,))


def answer_kept(request: Request) -> Step | None:
    """Return that the last answer is to be written to a file, where a request says nothing else that could be.

    Examples
    --------
    >>> read = Context(last=Step("search", {"find": ("WARN",)}), answer="WARN low battery")
    >>> said = Reading((Step("search", {"to": ("a.txt",)}, "write"),), language="fr")
    >>> answer_kept(Request(said, "enregistre ces lignes dans a.txt", read)).arguments
    {'file': ('a.txt',), 'text': ('it',)}
    """
    step, last = request.step, request.last
    if not (step.act and last.act and request.context.answer) or request.context.asked is not None:
        return None
    file = next((word for role in ("to", "file") for word in step.arguments.get(role, ()) if ENDED.search(word)), "")
    if not file or (is_change(last.act) and not last.act.startswith("run")):
        return None
    has_it = [step.word("find").casefold() in line.casefold() for line in request.context.shown if step.word("find")]
    if any(has_it) and not all(has_it):
        return None  # "save the error lines" behind lines of which only some are errors
    rest = request.text.replace(file, " ", 1)
    if any("output" in one for one in request.wishes) and KEEPING & frozenset[str]().union(
        *lexicon().concepts(request.words)[:BOTH]
    ):
        act = "append" if "append" in request.concepts else "write"
        return Step(act, {"file": (file,), "text": ("it",)}, text=f"{request.words[0].text} {file}")  # nothing is told
    every = frozenset[str]().union(*lexicon_of(request.language).concepts(words_of(rest)))
    is_bare = every <= KEEPING | _PLACING and bool(every & _PLACED_AT or request.language in {"ja", "zh"})
    is_other = bool(every & (_OTHERWISE - {"move"} if "put" in every else _OTHERWISE))  # nothing is moved into a file
    is_clear = bool(every & KEEPING) and not is_other and (bool(every & _SHOWN) or is_bare)
    is_of_folder = step.act == "list" and bool(step.destination) and bool(every & {"file", "folder"})
    counts = {count for word in words_of(rest) if (count := rank(word.text) or 0) > 1}  # "those two lines"
    is_other = is_of_folder or bool(counts and request.context.shown and counts != {len(request.context.shown)})
    if not is_clear or is_other or says_more(rest):
        return None
    told = (
        parse(last.word("query"))
        if last.act == "query" and "row" in every and len(request.context.shown) < BOTH
        else None
    )
    if told is not None and told.measure:  # the rows of which a sum was told
        rows = Step("query", {**last.arguments, "query": (str(Query(told.where)),), "to": (file,)})
        return rows._replace(destination="append" if "append" in every else "write")
    return request.instead("append" if "append" in every else "write", file=(file,), text=("it",))
