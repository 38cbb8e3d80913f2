"""Requests that mean another step than was read, by their words or by what was shown before them."""

from __future__ import annotations

import re
from decimal import Decimal

from lango_nb.models.offline.answers import said
from lango_nb.models.offline.followups import ENDED, says_more
from lango_nb.models.offline.lexicon import ASK_SIGNS, NEGATING, UNSPACED, concepts_of, lexicon, lexicon_of
from lango_nb.models.offline.lexicon import words as words_of
from lango_nb.models.offline.lists import FEW_WORDS, KEEPING, SHOWING, left_over, of_boxes, words_of_wishes
from lango_nb.models.offline.names import (
    ARTICLES,
    asks,
    compared_in,
    counted_up,
    described_both,
    is_asking,
    is_part,
    is_small,
    pick,
    points_back,
    rank,
    trimmed,
    unexplained,
)
from lango_nb.models.offline.operations import number
from lango_nb.models.offline.plan import Context, Reading, Step, acts, is_change
from lango_nb.models.offline.queries import TABLES, said_of_tables, words_of_tables
from lango_nb.models.offline.steps import BOTH, FEW_SAID

SHORT = 9
"""Words of an answer that may be the missing word, and nothing else."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_WITHIN = ("に", "里", "中", "上", "裡")
"""What stands behind a file in which something is, where there are no blanks."""
ASKED_OF = frozenset(("what", "which", "who"))
_OTHERWISE = frozenset(("move", "rename", "delete", "copy", "replace", "run", "prepend"))
_PLACED_AT = frozenset(("in", "into", "between"))
_PLACING = _PLACED_AT | frozenset("from file change one_number create name please and then move".split())
"""Concepts of a wish to write what was shown that speaks of the file alone: "save to a.txt", "mets-les dans un fichier a.txt"."""
_SHOWN = frozenset(("it", "answer", "print", "line", "row", "name", "number", "list", "value", "sum"))
"""Concepts of a wish to write what was shown, of none, and of what was shown."""
_SHOWN_BY = {"count.matches": "search", "rows.count": "rows.where", "count.files": "list", "query": "query"}
"""What shows the things that an act counts."""
_OF_ONE = frozenset(("delete", "move", "copy", "rename"))
"""Acts that the longer, older … of two files may be for."""
_TOLD_BY = {"longer": "count.lines", "shorter": "count.lines", "larger": "size", "smaller": "size"}
"""What tells which of two files is longer, larger …; its date tells the rest."""
_GOING = frozenset(("line.delete", "line.tick", "delete", "task.done", "task.delete"))
"""Acts after which something is gone from a list."""


def meant_instead(reading: Reading, request: str, context: Context) -> Step | None:
    """Return the one step that a request means by its words, or by what was shown before it; ``None`` where it is as read."""
    return (
        _of_lacking(request, reading.language)
        or _of_compared(reading, request, context)
        or _of_folders(reading, request, context)
        or _of_one_shown(reading, request, context)
        or _of_next_shown(reading, request, context)
        or _of_shown_line(reading, request, context)
        or _of_numbered_line(reading, request, context)
        or _of_switch(reading, request, context)
        or _of_sorted(reading, context)
        or of_boxes(reading, request, context)
        or _of_lines_shown(reading, request, context)
        or _of_longest_counted(reading, request, context)
        or _of_program(reading, request, context)
        or _of_row_shown(reading, request, context)
        or _of_repeated(reading, request, context)
        or _of_matches(reading, request, context)
        or _of_count(reading, request, context)
        or _of_difference(reading, request, context)
        or _of_answer(reading, request, context)
    )


_MAYBE_ALIKE = frozenset(("exists", "same", "read", "unclear", "talk", "compare", "ask.change"))
"""Acts that are read where it is asked whether two files are the same."""


def _of_compared(reading: Reading, request: str, context: Context) -> Step | None:
    """Return what is wanted of the longer, older … of two files; of both, where it is asked which of them that is.

    Examples
    --------
    >>> both = Context(spoken=("a.md", "b.md"))
    >>> _of_compared(Reading((Step("read.longest", {}),)), "which one is longer?", both).arguments
    {'file': ('a.md', 'b.md')}
    >>> _of_compared(Reading((Step("move", {"to": ("old",)}),)), "move the shorter one to old", both).arguments
    {'file': ('shorter',), 'to': ('old',)}
    >>> _of_compared(Reading((Step("unclear", {}),)), "is the todo list longer than my notes?", Context()).arguments
    {'file': ('todo list', 'notes')}
    """
    step = reading.steps[0] if len(reading.steps) == 1 else Step("unclear", {})
    last = context.last
    is_long = step.act in {"read.longest", "read.shortest"} and not concepts_of(request) & {"line", "row", "word"}
    if is_long and last is not None and last.act == "compare" and len(last.arguments.get("file", ())) == BOTH:
        return Step("count.lines", {"file": last.arguments["file"]}, text=request)  # "which is the longest?"
    kind, words = compared_in(request, reading.language)
    is_wish = "compare" in frozenset[str]().union(*lexicon_of(reading.language).concepts(words_of(request)[:1]))
    described = described_both(request, reading.language) if (kind and asks(request)) or is_wish else ()
    if described and len(reading.steps) == 1 and (is_wish or not is_change(step.act)) and step.act != "compare":
        return Step("compare" if is_wish else _TOLD_BY.get(kind, "date"), {"file": described}, text=request)
    pair = tuple(word.text for word in words_of(request) if word.kind == "file" and not word.is_quoted)
    if step.act in _MAYBE_ALIKE and asks(request) and "alike" in said_of_tables(request, reading.language):
        both = pair or (context.spoken[-BOTH:] if length(request) <= SHORT else ())
        return Step("compare", {"file": both}, text=request) if len(both) == BOTH else None  # "are they the same?"
    act = step.act.partition(".")[0]
    is_kept = any(
        words in word for role, said in step.arguments.items() if role in {"to", "text", "new", "old"} for word in said
    )
    if not kind or step.destination or is_kept or (is_change(step.act) and act not in _OF_ONE):
        return None
    rest = request.replace(words, " ").replace(step.word("to") or words, " ")
    if len(pair) != BOTH and (pair or says_more(rest)):
        return None
    if is_change(step.act):
        return Step(act, {"file": (words,), **({"to": step.arguments["to"]} if step.word("to") else {})}, text=request)
    shown = tuple(name for name in context.shown if ENDED.search(name))
    both = pair or (shown if len(shown) == BOTH else context.spoken[-BOTH:])
    if len(both) != BOTH:
        return None
    is_which = bool(pair) or is_asking(request)
    return Step(
        _TOLD_BY.get(kind, "date") if is_which else "read", {"file": both if is_which else (words,)}, text=request
    )


def _of_lacking(request: str, language: str) -> Step | None:
    """Return that the lines of one file are wanted which another one lacks: "what is in a.txt but not in b.txt?".

    Examples
    --------
    >>> _of_lacking("what is in a.txt that isn't in b.txt?", "en").arguments["file"]
    ('a.txt', 'b.txt')
    >>> _of_lacking("was fehlt in a.txt, was in b.txt steht?", "de").arguments["file"]
    ('b.txt', 'a.txt')
    >>> _of_lacking("show a.txt, not b.txt", "en")
    """
    found = words_of(request)
    told = lexicon().concepts(found)
    marks, asked = words_of_wishes(language).concepts(found), words_of_tables(language).concepts(found)
    named = [at for at, word in enumerate(found) if word.kind == "file"]
    if not named and any("list" in one for one in told):  # "on the 2024 list but not on the 2023 one"
        named = [at for at, word in enumerate(found) if _YEAR.fullmatch(word.text)]
    if len(named) != BOTH or any(word.is_quoted for word in found) or found[named[0]].text == found[named[1]].text:
        return None
    first, second = named
    is_east = language in {"ja", "zh"}
    is_in = is_east and all(request[found[at].end :].lstrip()[:1] in _WITHIN for at in named)
    if not is_in and not any(one & ASKED_OF for one in told[:first]):
        return None
    lacking = [
        at
        for at in range(len(found))
        if told[at] & NEGATING or "none" in told[at] or "lacking" in marks[at] or "not" in asked[at]
    ]
    if not lacking:
        return None
    is_turned = any(first < at < second for at in lacking) if is_east else lacking[-1] < first
    both = (found[second].text, found[first].text) if is_turned else (found[first].text, found[second].text)
    return Step("compare.only", {"file": both}, text=request)


def _of_folders(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that several folders are to be made: those that are counted up, inside of the one that was made before.

    Examples
    --------
    >>> said = Reading((Step("folder.make", {"to": ("a1",)}),))
    >>> _of_folders(said, "make folders a1, a2 and a3", Context()).arguments
    {'to': ('a1', 'a2', 'a3')}
    >>> made = Context(changed=Step("folder.make", {"to": ("trip",)}))
    >>> _of_folders(Reading((Step("talk", {}),)), "inside it please create day1 and day2", made).arguments
    {'to': ('trip/day1', 'trip/day2')}
    """
    found = words_of(request)
    if len(reading.steps) != 1 or any(word.kind in {"file", "folder"} or word.is_quoted for word in found):
        return None
    step, changed, told = reading.steps[0], context.changed, concepts_of(request)
    is_inside = (
        changed is not None
        and changed.act == "folder.make"
        and {"create", "in"} <= told
        and points_back(request)
        and context.asked is None
    )
    names = counted_up(request)
    if len(names) < 2 or not (is_inside or step.word("to") in names):  # noqa: PLR2004 - several
        return None
    if not is_inside and step.act != "folder.make":
        return None
    where = f"{changed.word('to')}/" if is_inside and changed is not None else ""
    return Step("folder.make", {"to": tuple(f"{where}{name}" for name in names)}, text=request)


def _of_one_shown(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that one of the files that were listed is meant, or another one than before, where a request describes it.

    Examples
    --------
    >>> listed = Context(Step("list", {}), shown=("letters/bank.txt", "letters/landlord.txt"))
    >>> _of_one_shown(Reading((Step("read", {}),)), "read me the one to the landlord", listed).arguments
    {'file': ('letters/landlord.txt',)}
    >>> counted = Context(Step("count.words", {"file": ("letters/bank.txt",)}), "letters/bank.txt")
    >>> _of_one_shown(Reading((Step("fix", {"to": ("grandma",)}),)), "no, the one to grandma", counted).act
    'count.words'
    """
    step, last = reading.steps[0], context.last
    row = acts().get(step.act)
    if len(reading.steps) > 1 or any(word.kind in {"file", "folder", "number"} for word in words_of(request)):
        return None
    if step.act == "fix" and last is not None and set(step.arguments) == {"to"} and not is_change(last.act):
        roles = acts()[last.act].roles if last.act in acts() else ()
        is_file = "file" in roles and "to" not in roles and context.file
        return Step(last.act, {**last.arguments, "file": step.arguments["to"]}, text=request) if is_file else None
    files = [name for name in context.shown if ENDED.search(name)]
    left = unexplained(request, reading.language)
    if step.act == "line.delete" and set(step.arguments) == {"file"}:
        step = Step("delete", {}, text=request)  # "delete the one from the bank"
    if row is None or "file" not in row.roles or step.arguments or len(files) < BOTH or not 0 < len(left) <= BOTH:
        return None
    found = pick(" ".join(left), files, is_file=True)
    return step.with_arguments(file=(found.name,)) if found.name and not found.is_guess else None


def _of_next_shown(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that another of the files that were listed is to be read, and no line: "and the last one?".

    Examples
    --------
    >>> read = Context(Step("read", {"file": ("b.md",)}), "b.md", shown=("a.md", "b.md", "c.md"))
    >>> _of_next_shown(Reading((Step("read.last", {"n": ("one",)}),)), "and the last one?", read).arguments
    {'file': ('c.md',)}
    """
    step = reading.steps[0] if len(reading.steps) == 1 else Step("unclear", {})
    is_shown = context.last is not None and context.last.act == "read" and context.file in context.shown
    is_line = bool(concepts_of(request) & {"line", "row", "word", "character"})
    if not is_shown or is_line or not step.act.startswith("read.") or length(request) > FEW_WORDS:
        return None
    said = [
        word.text for word in words_of(request) if word.kind not in {"sign", *UNSPACED} and word.folded not in ARTICLES
    ]
    place = next((found for word in said or [request] if (found := rank(word))), 0)
    if not place or abs(place) > len(context.shown):
        return None
    return Step("read", {"file": (context.shown[place - 1 if place > 0 else place],)}, text=request)


def _of_shown_line(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that the one line or row that was shown is to be deleted, and no file: "delete that row".

    Examples
    --------
    >>> shown = Context(Step("column.min", {"column": ("price",)}), "a.csv", shown=("nail, 1",))
    >>> _of_shown_line(Reading((Step("delete", {"file": ("that row",)}),)), "delete that row", shown).arguments
    {'file': ('a.csv',), 'find': ('nail, 1',)}
    """
    told = concepts_of(request)
    is_one = len(context.shown) == 1 and bool(context.file) and context.shown[0] != context.file
    if not is_one or len(reading.steps) != 1 or reading.steps[0].act not in {"delete", "line.delete"}:
        return None
    if (
        not (told & {"line", "row"} or is_part(request))
        or "word" in told
        or says_more(request)
        or any(sign.isdigit() for sign in request)
    ):
        return None
    return Step("line.delete", {"file": (context.file,), "find": context.shown}, text=request)


def _of_numbered_line(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that a line of the list that is spoken of goes, which is told by its place: "strike the second one".

    Examples
    --------
    >>> shown = Context(Step("read", {"file": ("list.txt",)}), "list.txt")
    >>> said = Reading((Step("task.done", {"text": ("the second one",)}),))
    >>> _of_numbered_line(said, "strike the second one", shown).arguments
    {'file': ('list.txt',), 'line': ('the second one',)}
    """
    step = reading.steps[0] if len(reading.steps) == 1 else Step("unclear", {})
    words = [word for said in step.arguments.values() for word in said]
    told = lexicon().concepts(words_of(request))
    marks = frozenset[str]().union(*words_of_wishes(reading.language).concepts(words_of(request)))
    is_shown = context.last is not None and context.last.act in {"read", "append", "line.delete", "undo", "write"}
    is_file = ENDED.search(context.file) is not None and not context.file.endswith(TABLES)
    is_gone = "off" in marks or (step.act != "delete" and any("delete" in one for one in told))
    if not (is_shown and is_file and is_gone and len(words) == 1 and rank(words[0]) is not None):
        return None
    is_bare = all(is_small(word) or concepts_of(word) or rank(word) is not None for word in words[0].split())
    if context.is_open or context.file in context.shown or not is_bare or step.act not in _GOING or asks(request):
        return None
    return Step("line.delete", {"file": (context.file,), "line": (words[0],)}, text=request)


def _of_sorted(reading: Reading, context: Context) -> Step | None:
    """Return that only the first rows are wanted of those that were just sorted: "only the first three".

    Examples
    --------
    >>> told = Context(last=Step("read.sorted", {"file": ("a.csv",)}, text="sort a.csv by price, dearest first"))
    >>> read = Reading((Step("read.first", {"n": ("three",)}),))
    >>> _of_sorted(read, told).text
    'sort a.csv by price, dearest first, three'
    """
    step, last = reading.steps[0] if len(reading.steps) == 1 else Step("talk", {}), context.last
    is_sorted = last is not None and last.act in {"read.sorted", "rows.sorted"}
    if last is None or not is_sorted or step.act != "read.first" or step.word("file") or not step.word("n"):
        return None
    return last._replace(text=f"{last.text.partition(chr(10))[0]}, {step.word('n')}")


def _of_switch(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that a value of a JSON file is put on or off, and neither said: "turn off the break in a.json", "switch it on".

    Examples
    --------
    >>> said = Reading((Step("json.set", {"file": ("a.json",)}),))
    >>> _of_switch(said, "turn off the break in a.json", Context()).arguments
    {'file': ('a.json',), 'key': ('break',), 'new': ('false',)}
    """
    step = reading.steps[0] if len(reading.steps) == 1 else Step("talk", {})
    found = words_of(request)
    marks = words_of_wishes(reading.language).concepts(found)
    every = frozenset[str]().union(*marks)
    new = "true" if "on" in every else "false" if "stopped" in every else ""
    named = [word.text for word in found if word.kind == "file" and word.text.endswith(".json")]
    last = context.last
    is_said = step.act.startswith(("json.", "value.")) and not step.word("new")
    goes_on = last is not None and last.act.startswith("json.") and last.word("key") and len(found) <= FEW_WORDS
    file = named[0] if len(named) == 1 else context.file if context.file.endswith(".json") else ""
    if not new or not file or asks(request) or not (is_said or named or goes_on):
        return None
    marked = {word.text: () for word, one in zip(found, marks, strict=True) if one & {"on", "stopped"}}
    said = Step(step.act, {"file": (file, *marked)}, text=request)
    is_of_last = goes_on and not step.word("key") and len(found) <= FEW_SAID
    key = step.word("key") or ("" if is_of_last else left_over(request, said, reading.language))
    if not key and goes_on and last is not None:
        key = last.word("key")
    return Step("json.set", {"file": (file,), "key": (trimmed(key),), "new": (new,)}, text=request) if key else None


def _of_answer(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that the last answer is to be written to a file, where a request says nothing else that could be.

    Examples
    --------
    >>> read = Context(last=Step("search", {"find": ("WARN",)}), answer="WARN low battery")
    >>> said = Reading((Step("search", {"to": ("a.txt",)}, "write"),), language="fr")
    >>> _of_answer(said, "enregistre ces lignes dans a.txt", read).arguments
    {'file': ('a.txt',), 'text': ('it',)}
    """
    last = context.last
    if len(reading.steps) != 1 or last is None or not context.answer or context.asked is not None:
        return None
    step = reading.steps[0]
    file = next((word for role in ("to", "file") for word in step.arguments.get(role, ()) if ENDED.search(word)), "")
    if not file or (is_change(last.act) and not last.act.startswith("run")):
        return None
    rest = words_of(request.replace(file, " ", 1))
    every = frozenset[str]().union(*lexicon_of(reading.language).concepts(rest))
    is_bare = every <= KEEPING | _PLACING and bool(every & _PLACED_AT or reading.language in {"ja", "zh"})
    is_other = bool(every & (_OTHERWISE - {"move"} if "put" in every else _OTHERWISE))  # nothing is moved into a file
    is_clear = bool(every & KEEPING) and not is_other and (bool(every & _SHOWN) or is_bare)
    if not is_clear or says_more(request.replace(file, " ", 1)):
        return None
    return Step("append" if "append" in every else "write", {"file": (file,), "text": ("it",)}, text=request)


def _of_count(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that what was counted is to be shown: "show me them", "which ones?".

    Examples
    --------
    >>> counted = Context(last=Step("count.matches", {"file": ("a.log",), "find": ("WARN",)}))
    >>> _of_count(Reading((Step("read", {"file": ("them",)}),)), "show me them", counted)
    Step(act='search', arguments={'file': ('a.log',), 'find': ('WARN',)}, destination='', text='show me them')
    """
    last = context.last
    shown = _SHOWN_BY.get(last.act, "") if last is not None else ""
    shown = "" if last is not None and shown == "query" and not last.word("query").startswith("count") else shown
    if last is None or not shown or len(reading.steps) != 1 or context.asked is not None:
        return None
    step = reading.steps[0]
    is_look = not is_change(step.act) and not step.act.startswith(("count", "column", "list."))
    if not is_look or not concepts_of(request) & SHOWING or len(words_of(request)) > SHORT:
        return None
    if says_more(request) or any(word.kind in {"file", "folder"} for word in words_of(request)):
        return None
    return last._replace(act=shown, text=request)


def _of_lines_shown(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that some lines of the file that was shown are wanted: "only the errors"; or what was counted of it is kept.

    Examples
    --------
    >>> shown = Context(Step("read.last", {"file": ("a.log",)}), "a.log")
    >>> _of_lines_shown(Reading((Step("search", {"find": ("errors",)}),)), "only the errors", shown).arguments
    {'file': ('a.log',), 'find': ('errors',)}
    >>> counted = Context(Step("count.matches", {"file": ("a.log",), "find": ("WARN",)}), "a.log")
    >>> said = Reading((Step("same", {"to": ("b.txt",)}, "write"),))
    >>> _of_lines_shown(said, "save them to b.txt", counted)
    Step(act='search', arguments={'file': ('a.log',), 'find': ('WARN',), 'to': ('b.txt',)}, destination='write', text='save them to b.txt')
    """
    step, last = reading.steps[0], context.last
    if len(reading.steps) > 1 or last is None or not context.file:
        return None
    if (
        last.act == "count.matches"
        and step.act == "same"
        and step.destination in {"write", "append"}
        and step.word("to")
    ):
        return Step("search", {**last.arguments, "to": step.arguments["to"]}, step.destination, request)
    word = step.word("find") or step.word("value")
    is_part = step.act in {"search", "rows.where"} and word and not step.word("file") and "only" in concepts_of(request)
    is_text = last.act.startswith("read") and not context.file.casefold().endswith((".csv", ".tsv", ".json"))
    return Step("search", {"file": (context.file,), "find": (word,)}, text=request) if is_part and is_text else None


def _of_longest_counted(reading: Reading, request: str, context: Context) -> Step | None:
    r"""Return which of several files that were counted has most, or least: "which one is the longest?".

    Examples
    --------
    >>> told = "letters has 52 words.\nletters/a.txt: 28\nletters/b.txt: 24"
    >>> counted = Context(Step("count.words", {"file": ("letters",)}), answer=told)
    >>> _of_longest_counted(Reading((Step("read.longest", {}),)), "which one is the longest?", counted).arguments
    {'file': ('letters/a.txt',)}
    """
    step, last = reading.steps[0], context.last
    if (
        last is None
        or last.act not in {"count.lines", "count.words", "count.chars"}
        or step.arguments.keys() - {"column"}
    ):
        return None
    counts = {one[1]: int(one[2]) for one in _COUNTED_LINE.finditer(context.answer)}
    told = concepts_of(request)
    ends = [
        end
        for end, said in ((max, {"longest", "largest", "max"}), (min, {"shortest", "smallest", "min"}))
        if told & said
    ]
    if len(counts) < BOTH or len(ends) != 1 or any(word.kind == "file" for word in words_of(request)):
        return None
    return Step(last.act, {"file": (ends[0](counts, key=lambda name: counts[name]),)}, text=request)


_COUNTED_LINE = re.compile(r"^(\S.*): (\d+)$", re.MULTILINE)
_MAYBE_PROGRAM = frozenset(("ask.change", "same", "talk", "unclear", "read", "about.agents", "about.owner", "run", "run.file", "code.show", "exists"))  # fmt: skip
"""Acts that are read where it is asked what a program does."""
_OF_PROGRAM = re.compile(r"[\w./-]+\.(?:py|sh|js|r|rb|pl|bash)\b")


def _of_program(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that a program, or one of its functions that were listed, is to be shown: "what does this script do?".

    Examples
    --------
    >>> ran = Context(Step("run", {"command": ("python3 report.py",)}))
    >>> _of_program(Reading((Step("same", {}),)), "and what does this script do?", ran).arguments
    {'file': ('report.py',)}
    >>> listed = Context(Step("code.list", {"file": ("a.py",)}), "a.py", shown=("load", "save"))
    >>> _of_program(Reading((Step("read.last", {}),)), "what does the last one do?", listed).arguments
    {'file': ('a.py',), 'name': ('save',)}
    """
    step, last = reading.steps[0], context.last
    if (
        len(reading.steps) > 1
        or "does" not in said_of_tables(request, reading.language)
        or is_change(step.act) > asks(request)
    ):
        return None
    if last is not None and last.act == "code.list" and not any(word.kind == "file" for word in words_of(request)):
        place = next((found for word in words_of(request) if (found := rank(word.text))), 0)
        if place and abs(place) <= len(context.shown):
            return Step(
                "code.show", {"file": (context.file,), "name": (context.shown[place - (place > 0)],)}, text=request
            )
    said = last.word("command") if last is not None else ""
    is_short = length(request) <= FEW_WORDS + BOTH
    told = _OF_PROGRAM.search(request) or (_OF_PROGRAM.search(f"{said} {context.file}") if is_short else None)
    if told is None or step.act not in _MAYBE_PROGRAM or step.word("name"):
        return None
    return Step("read", {"file": (told[0],)}, text=request)


def _of_row_shown(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that one of the rows that were shown is wanted, told by its place: "who is the second one?".

    Examples
    --------
    >>> shown = Context(Step("query", {"file": ("a.csv",)}), "a.csv", shown=("1,Ann", "2,Bo"))
    >>> _of_row_shown(Reading((Step("talk", {}),)), "who is the second one?", shown).arguments
    {'file': ('a.csv',), 'find': ('2,Bo',)}
    """
    step, last = reading.steps[0], context.last
    is_told = last is not None and last.act in {"query", "rows.where"} and len(context.shown) > 1
    if not is_told or len(reading.steps) > 1 or is_change(step.act) or length(request) > FEW_WORDS + 1:
        return None
    if any(word.kind in {"file", "folder"} for word in words_of(request)) or unexplained(request, reading.language):
        return None
    place = next((found for word in words_of(request) if (found := rank(word.text))), 0)
    if (
        not place
        or abs(place) > len(context.shown)
        or step.act not in {"json.get", "talk", "read.line", "unclear", "same", "read"}
    ):
        return None
    return Step("search", {"file": (context.file,), "find": (context.shown[place - (place > 0)],)}, text=request)


_MAYBE_REPEATED = frozenset(("exists", "read", "search", "unclear", "talk", "read.unique", "count.matches", "delete", "line.delete"))  # fmt: skip
"""Acts that are read where lines that stand somewhere twice are asked for, or are to go."""


def _of_repeated(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that lines that stand somewhere twice are wanted, or are to go: "are there names that appear twice?".

    Examples
    --------
    >>> named = Context(file="a.txt")
    >>> _of_repeated(Reading((Step("exists", {}),)), "does any name appear twice?", named).act
    'read.repeated'
    >>> _of_repeated(Reading((Step("delete", {"file": ("the duplicates",)}),)), "remove the duplicates", named)
    Step(act='read.unique', arguments={'file': ('a.txt',), 'to': ('a.txt',)}, destination='write', text='remove the duplicates')
    """
    step, named = reading.steps[0], [word.text for word in words_of(request) if word.kind == "file"]
    told = concepts_of(request)
    is_gone = step.act in {"delete", "line.delete"} or ("delete" in told and bool(told & {"line", "row", "word"}))
    file = named[0] if named else context.file
    is_it = len(reading.steps) == 1 and (step.act in _MAYBE_REPEATED or is_gone) and len(named) < BOTH and bool(file)
    if not is_it or "twice" not in said_of_tables(request, reading.language) or "folder" in told:
        return None
    if is_gone and "file" not in told:
        return Step("read.unique", {"file": (file,), "to": (file,)}, "write", request)
    is_question = is_asking(request) or request.rstrip()[-1:] in ASK_SIGNS
    return Step("read.repeated", {"file": (file,)}, text=request) if is_question and not is_gone else None


_COUNTED = frozenset(("search", "count.lines", "count.files"))
"""Acts that are asked for where lines, or files, with a word are counted."""


def _of_matches(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that lines with a word are to be counted, where they were to be shown, or all lines to be counted.

    Examples
    --------
    >>> read = Reading((Step("search", {"find": ("WARN",)}),))
    >>> _of_matches(read, "and how many of them contain WARN?", Context(file="a.log"))
    Step(act='count.matches', arguments={'file': ('a.log',), 'find': ('WARN',)}, destination='', text='and how many of them contain WARN?')
    """
    step, told = reading.steps[0], concepts_of(request)
    named = [one.text for one in words_of(request) if one.kind == "file"]
    is_maybe = step.act == "count.words" and any(one.steps[0].act == "count.matches" for one in reading.others)
    is_counted = is_maybe or (step.act in _COUNTED and bool(told & {"many", "count"}))
    if len(reading.steps) > 1 or len(named) > 1 or not is_counted:
        return None
    file, word = step.word("file") or context.file, step.word("find")
    if not word and (is_maybe or "contain" in told) and "folder" not in told:  # no "subfolders included"
        left = unexplained(request, reading.language, file if step.act != "count.files" else "")
        word = left[0] if len(left) == 1 else ""
    if not word:
        return None
    if "file" in told and not named:
        return Step("search.files", {"find": (word,)}, text=request)
    return Step("count.matches", {"file": (file,), "find": (word,)}, text=request) if file else None


def length(request: str) -> float:
    """Return how many words a request has; a character of those that stand without blanks counts half a word."""
    return sum(0.5 if word.kind in UNSPACED else 1 for word in words_of(request))


def _of_difference(reading: Reading, request: str, context: Context) -> Step | None:
    """Return the sum that tells how far the last two results are apart: "what is the difference?".

    Examples
    --------
    >>> both = Context(Step("query", {}), answer="7687", earlier="7645")
    >>> _of_difference(Reading((Step("compare", {}),)), "what's the difference?", both).word("text")
    '7687 - 7645'
    """
    told = (context.earlier.partition("\n")[0], *context.answer.splitlines()[:BOTH])
    values = [value for line in told if (value := _number_told(line, reading.language)) is not None][-BOTH:]
    is_other = length(request) > SHORT or any(word.kind in {"file", "folder", "number"} for word in words_of(request))
    is_apart = "apart" in said_of_tables(request, "") and not is_change(reading.steps[0].act)
    if is_other or len(values) < BOTH or not is_apart:
        return None
    return Step("calculate", {"text": (f"{max(values)} - {min(values)}",)}, text=request)


def _number_told(line: str, language: str) -> Decimal | None:
    """Return the number that a line is, or that it says of a file."""
    told = (said(key, language, line) for key in ("count.lines", "count.words", "count.chars", "count.rows"))
    counted = next((one["n"] for one in told if one is not None), line)
    return number(counted.partition(" ")[0])
