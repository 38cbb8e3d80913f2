"""Requests about lines that mean another step than was read: those that were shown or counted, boxes, and what a text tells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from lango_nb.models.offline.followups import ENDED, WISHING, says_more
from lango_nb.models.offline.keyed import TABULAR
from lango_nb.models.offline.lexicon import ASK_SIGNS, NEGATING, Word, concepts_of, is_small_in, lexicon, lexicon_of
from lango_nb.models.offline.lexicon import words as words_of
from lango_nb.models.offline.lists import FEW_WORDS, OF_TASKS, SHOWING, of_boxes, tells_done
from lango_nb.models.offline.names import (
    EAST,
    asks,
    back_in,
    is_part,
    is_pointer,
    is_small,
    nearest_texts,
    points_back,
    rank,
    unexplained,
)
from lango_nb.models.offline.operations import BOX
from lango_nb.models.offline.plan import Context, Reading, Step, acts, is_change  # noqa: F401 - in the examples
from lango_nb.models.offline.queries import TABLES
from lango_nb.models.offline.question import said_of_tables, says_state, words_of_tables
from lango_nb.models.offline.reader import FOLLOWS
from lango_nb.models.offline.request import (
    ASKED_OF,
    CLAUSE,
    SHORT,
    Request,
    says_gone,
    telling_in,
    wishes_said,
)
from lango_nb.models.offline.steps import BOTH, FEW_SAID

_GOING = frozenset(("line.delete", "line.tick", "delete", "task.done", "task.delete"))
"""Acts after which something is gone from a list."""


def shown_line(request: Request) -> Step | None:
    """Return that the one line or row that was shown is to be deleted, and no file: "delete that row".

    Examples
    --------
    >>> shown = Context(Step("column.min", {"column": ("price",)}), "a.csv", shown=("nail, 1",))
    >>> shown_line(Request(Reading((Step("delete", {"file": ("that row",)}),)), "delete that row", shown)).arguments
    {'file': ('a.csv',), 'find': ('nail, 1',)}
    >>> found = Context(Step("search", {"find": ("Paul",)}), "a.txt", shown=("Paul brings wood.",))
    >>> shown_line(Request(Reading((Step("delete", {}),)), "delete it", found)).act
    'line.delete'
    """
    shown, file, told = request.context.shown, request.context.file, request.concepts
    changed = request.context.changed
    is_that = points_back(request.text) or (request.language in {"ja", "zh"} and "it" in told)
    is_written = changed is not None and changed.act in {"append", "replace"} and changed.word("file") == file
    if not shown and is_that and is_written and changed is not None:
        shown = changed.arguments.get("added") or changed.arguments.get("new", ())  # the line that was just written
    is_one = len(shown) == 1 and bool(file) and shown[0] != file
    if not is_one or request.step.act not in {"delete", "line.delete"}:
        return None
    is_found = request.last.act in {"search", "read.line", "read.first", "read.last"} and "file" not in told
    is_line = bool(told & {"line", "row"}) or is_part(request.text) or (is_found and not request.unexplained)
    told_each = lexicon_of(request.language).concepts(request.words)
    is_any = any("one_number" in one and other & {"line", "row"} for one, other in pairwise(told_each))  # "a line"
    is_other = "word" in told or is_any or says_more(request.text)
    if not is_line or is_other or any(sign.isdigit() for sign in request.text):
        return None
    return request.instead("line.delete", file=(file,), find=shown)


def taken_out(request: Request) -> Step | None:
    r"""Return that a line with a word goes from the file that was shown, or just changed: no file, and no other change.

    Examples
    --------
    >>> shown = Context(Step("read", {"file": ("a.md",)}), "a.md", read=(("a.md", "- eggs\n- lemons"),))
    >>> taken_out(Request(Reading((Step("delete", {"file": ("the lemons",)}),)), "remove the lemons", shown)).arguments
    {'file': ('a.md',), 'find': ('lemons',)}
    >>> added = Step("append", {"file": ("a.md",), "lines": ("butter",)})
    >>> said, context = Reading((Step("undo", {}),)), Context(added, "a.md", changed=added)
    >>> taken_out(Request(said, "take the butter out again", context))
    >>> taken_out(Request(said, "take the eggs out again", context)).arguments
    {'file': ('a.md',), 'find': ('eggs',)}
    """
    step, file, context = request.step, request.context.file, request.context
    marks = wishes_said(request.text, request.language)
    is_going = (
        step.act in _GOING | {"undo"} or {"taking", "out"} <= marks or (step.act in _MAYBE_OFF and "off" in marks)
    )
    is_going = is_going or (step.act == "fix" and not step.arguments and says_gone(request.text, request.language))
    if context.is_open or request.names() or not is_going or asks(request.text):
        return None
    said = [(one, telling_in(one, request.language)) for one in CLAUSE.split(request.text)]
    gone = [(clause, left) for clause, left in said if says_gone(clause, request.language)]
    is_bare = any(not left and _says_again(clause, request.language) for clause, left in gone)
    is_back = bool(back_in(request.text)) or bool(
        frozenset[str]().union(*lexicon().concepts(request.words)[:1]) & NEGATING
    )
    is_bare = is_bare or (is_back and any(not left for _, left in gone) and not request.concepts & {"file", "line"})
    if is_bare and request.last.act == "task.add":
        return request.instead("task.delete", text=request.last.arguments.get("text", ()))
    done = context.changed if context.changed is not None and not _is_change_of_file(request.last) else request.last
    is_mine = done.word("file") in {"", file} and not (marks & {"tick", "tickmark"} or "file" in request.concepts)
    if is_bare and done.act in {"append", "prepend", "write", "create"} and is_mine:
        return request.instead("undo")  # "take it out again" is what was added, never the file
    is_it = (
        len(gone) == len(said) == 1
        and not gone[0][1]
        and not request.concepts & {"file", "line", "all", "copy", "list", "folder"}
    )
    is_it = (
        is_it and request.length <= FEW_SAID and all(is_pointer(one, "it") for one in step.arguments.get("file", ()))
    )
    if is_it and is_mine and context.changed is not None and request.last.act in {"append", "prepend"}:
        return request.instead("undo")  # "delete it" right behind is the line, and not all of its file
    clause, left = next(iter(gone), ("", []))
    word = " ".join(left)
    if (
        not ENDED.search(file)
        or file.endswith(TABLES)
        or not 0 < len(left) <= FEW_SAID
        or word not in clause
        or request.concepts & OF_TASKS
    ):
        return None
    changed = context.changed.arguments if context.changed is not None and context.changed.word("file") == file else {}
    has_word = re.compile(rf"(?<!\w){re.escape(word)}", re.IGNORECASE).search
    if step.act == "undo":
        is_added = context.changed is not None and context.changed.act in {"append", "prepend", "line.delete"}
        is_other = is_added and bool(changed) and not any(map(has_word, sum(changed.values(), ())))
        return request.instead("line.delete", file=(file,), find=(word,)) if is_other else None
    shown = () if any(map(ENDED.search, context.shown)) else context.shown
    is_there = any(map(has_word, (*dict(context.read).get(file, "").splitlines(), *shown)))
    is_list = request.last.act in {"append", "prepend", "line.delete", "line.move"}
    is_list = is_list and request.last.word("file") in {"", file}
    said_gone = wishes_said(clause, request.language)
    is_off = "off" in said_gone and request.last.act == "line.move"
    is_there = is_there or (is_list and ({"taking", "out"} <= said_gone or is_off))
    return request.instead("line.delete", file=(file,), find=(word,)) if is_there else None


def _is_change_of_file(step: Step) -> bool:
    """Tell whether a step changes something itself, and does not only look or run a program."""
    return is_change(step.act) and not step.act.startswith("run")


_MAYBE_OFF = frozenset(("same", "fix", "search", "replace", "value.set"))
"""Acts that are read where it is told who is off a list."""
_PLACES = {"upmost": "first", "downmost": "last"}
"""Concepts of the words that say where a line goes in a text, and that place."""
_MAYBE_MOVED = frozenset(
    ("move", "prepend", "append", "rename", "replace", "line.replace", "value.set", "task.add", "read", "read.first", "talk", "unclear",
     "same", "fix")
)  # fmt: skip
"""Acts that are read where a line is to be put elsewhere."""


def line_moved(request: Request) -> Step | None:
    r"""Return that a line of the list that is spoken of goes first, or last: "move Ann to the top, it's urgent".

    Examples
    --------
    >>> shown = Context(Step("read", {"file": ("a.txt",)}), "a.txt", read=(("a.txt", "Bo - tea\nAnn - milk"),))
    >>> line_moved(Request(Reading((Step("move", {}),)), "move ann to the very top, its urgent", shown)).arguments
    {'file': ('a.txt',), 'find': ('ann',), 'to': ('first',)}
    >>> line_moved(Request(Reading((Step("prepend", {}),)), "put the sugar at the top", shown))
    """
    file, text = request.context.file, dict(request.context.read).get(request.context.file, "")
    if request.step.act not in _MAYBE_MOVED or file.endswith(TABLES) or request.names() or request.is_question:
        return None
    is_known = bool(text) or request.last.act == "line.move"
    for clause in CLAUSE.split(request.text) if is_known else ():
        found = words_of(clause)
        told = lexicon_of(request.language).concepts(found)
        own = frozenset[str]().union(*told)
        places = [_PLACES[one] for one in wishes_said(clause, request.language) if one in _PLACES]
        bare = [word.text for word, one in zip(found, told, strict=True) if not (one or is_small(word.text))]
        left = [word for word in bare if word.isalnum() and (not text or _has_word(text, word))]
        if own & {"move", "put"} and len(places) == 1 and 0 < len(left) <= FEW_SAID:
            return request.instead("line.move", file=(file,), find=(" ".join(left),), to=(places[0],))
    return None


def _has_word(text: str, word: str) -> bool:
    """Tell whether a text has a word, whatever its case."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None


_MAYBE_THERE = frozenset(
    ("talk", "unclear", "about.owner", "about.agents", "search", "rows.where", "cell", "recall", "json.get", "same", "rows.count",
     "count.matches", "exists")
)  # fmt: skip
"""Acts that are read where lines with a word are asked for."""


def named_there(request: Request) -> Step | None:
    r"""Return that the lines of the text that was shown are wanted which have a word of a question: "who is down for tea?".

    Examples
    --------
    >>> shown = Context(Step("read", {"file": ("a.txt",)}), "a.txt", read=(("a.txt", "Bo - tea\nAnn - milk\nCy - tea"),))
    >>> named_there(Request(Reading((Step("talk", {}),)), "who's down for tea", shown)).arguments
    {'file': ('a.txt',), 'find': ('Bo - tea', 'Cy - tea')}
    >>> named_there(Request(Reading((Step("talk", {}),)), "who's down for coffee", shown))
    """
    file, text = request.context.file, dict(request.context.read).get(request.context.file, "")
    is_asked = bool(request.concepts & ASKED_OF) and request.step.act in _MAYBE_THERE and not request.step.destination
    if not (text and is_asked) or file.endswith(TABLES) or request.names() or "many" in request.concepts:
        return None
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    named = [word for word in request.unexplained if _has_word(text, word)]
    found = [line for line in lines if named and all(_has_word(line, word) for word in named)]
    is_list = len(lines) > BOTH and all(len(line.split()) <= 2 * SHORT for line in lines)
    is_it = is_list and 0 < len(found) < len(lines) and len(request.unexplained) - len(named) <= 1
    return request.instead("search", file=(file,), find=tuple(found)) if is_it else None


def _says_again(clause: str, language: str) -> bool:
    """Tell whether what a clause says goes is what was just added: "take it out", "remove that again"."""
    return {"taking", "out"} <= wishes_said(clause, language) or {"delete", "again"} <= concepts_of(clause)


def line_at_place(request: Request) -> Step | None:
    """Return that a line goes that is told by its place, where that was not read: "把最后那行删了吧".

    Examples
    --------
    >>> shown = Context(Step("read.last", {"file": ("a.log",)}), "a.log")
    >>> line_at_place(Request(Reading((Step("line.delete", {}),), language="zh"), "把最后那行删了吧", shown)).arguments
    {'line': ('-1',)}
    """
    step = request.step
    is_placed = set(step.arguments) - {"file"} == {"find"} and rank(step.word("find")) is not None
    is_bare = step.act in {"line.delete", "delete"} and (not set(step.arguments) - {"file"} or is_placed)
    file = step.arguments.get("file", ())
    if not is_bare or not request.says_line or (file and not ENDED.search(file[0])):
        return None
    place = _line_told(request, file[0] if file else "")
    rest = {"file": file} if file else {}
    return request.instead("line.delete", **rest, line=(str(place),)) if place else None


def _line_told(request: Request, file: str) -> int:
    """Return the place of the line that a request tells, beside the name of its file; 0 where it tells none, as in "a line"."""
    rest = request.text.replace(file or "\0", " ")
    if request.language in {"ja", "zh"}:
        counted = rank(rest) or 0
        return counted if counted < 0 or _ORDINAL.search(rest) else 0
    found = [word for word in words_of(rest) if word.kind in {"word", "number"} and not word.is_quoted]
    told = zip(found, lexicon_of(request.language).concepts(found), strict=True)
    places = [place for word, one in told if "one_number" not in one and (place := rank(word.text))]
    return places[0] if len(places) == 1 else 0


_ORDINAL = re.compile("[\u7b2c\u76ee\u756a]")
"""Signs that make a number one of a row: 第, 目, 番."""


def line_with(request: Request) -> Step | None:
    """Return that the lines with a word are wanted, where it was taken for the number of one: "which line mentions the gate?".

    Examples
    --------
    >>> said = Reading((Step("read.line", {"file": ("a.txt",), "line": ("gate",)}),))
    >>> line_with(Request(said, "which line of a.txt mentions the gate?", Context())).arguments
    {'file': ('a.txt',), 'find': ('gate',)}
    """
    step = request.step
    is_word = step.act == "read.line" and bool(step.word("line")) and rank(step.word("line")) is None
    file = step.arguments.get("file") or ((request.context.file,) if request.context.file else ())
    return request.instead("search", file=file, find=step.arguments["line"]) if is_word and file else None


def sought_rather(request: Request) -> Step | None:
    """Return what is looked for where a word was taken for it that only makes the question softer: "in welk bestand staat Els ergens".

    Examples
    --------
    >>> said = Reading((Step("search.files", {"find": ("ergens",)}),), language="nl")
    >>> sought_rather(Request(said, "in welk bestand staat Els nou ergens", Context())).arguments
    {'find': ('Els',)}
    """
    step, found = request.step, request.words
    asking = words_of_tables(request.language).concepts(found)
    soft = {word.folded for word, one in zip(found, asking, strict=True) if "aside" in one}
    is_soft = step.act in {"search", "search.files"} and step.word("find").casefold() in soft
    left = [one for said in request.unexplained for one in said.split() if one.casefold() not in soft]
    return step.with_arguments(find=(" ".join(left),))._replace(text=request.text) if is_soft and left else None


def those_boxes(request: Request) -> Step | None:
    r"""Return that all boxes that were shown go, where it is said how many they are: "then delete those two".

    Examples
    --------
    >>> shown = Context(Step("read", {}), "a.md", answer="- [x] order wood\n- [x] paint the rail")
    >>> said = Reading((Step("line.delete", {"line": ("two",)}),))
    >>> those_boxes(Request(said, "then delete those two", shown)).arguments
    {'file': ('a.md',), 'find': ('[x]',)}
    """
    step, lines = request.step, request.context.answer.splitlines()
    states = {found[2] == " " for line in lines if (found := BOX.match(line)) is not None}
    said = [word for role, words in step.arguments.items() if role != "file" for word in words]
    count = rank(said[0]) if step.act in {"line.delete", "delete"} and len(said) == 1 else None
    is_all = len(lines) > 1 and count == len(lines) and all(map(BOX.match, lines)) and len(states) == 1
    if not is_all or request.files or request.concepts & {"second"} or "第" in request.text:
        return None
    return request.instead("line.delete", file=(request.context.file,), find=("[ ]" if states.pop() else "[x]",))


def numbered_line(request: Request) -> Step | None:
    """Return that a line of the list that is spoken of goes, which is told by its place: "strike the second one".

    Examples
    --------
    >>> shown = Context(Step("read", {"file": ("list.txt",)}), "list.txt")
    >>> said = Reading((Step("task.done", {"text": ("the second one",)}),))
    >>> numbered_line(Request(said, "strike the second one", shown)).arguments
    {'file': ('list.txt',), 'line': ('the second one',)}
    """
    step, file = request.step, request.context.file
    words = [word for texts in step.arguments.values() for word in texts]
    told = lexicon().concepts(request.words)
    is_shown = request.last.act in {"read", "append", "line.delete", "undo", "write"}
    is_file = ENDED.search(file) is not None and not file.endswith(TABLES)
    is_gone = any("off" in one for one in request.wishes) or (
        step.act != "delete" and any("delete" in one for one in told)
    )
    if not (is_shown and is_file and is_gone and len(words) == 1 and rank(words[0]) is not None):
        return None
    if any("tick" in one for one in request.wishes):
        if BOX.search(request.context.answer):
            return None  # one of the boxes that were shown: see `boxes`
        if BOX.search(dict(request.context.read).get(file, "")):
            return request.instead("line.tick", file=(file,), find=(words[0],))
    is_bare = all(is_small(word) or concepts_of(word) or rank(word) is not None for word in words[0].split())
    is_listed = request.context.is_open or file in request.context.shown
    if is_listed or not is_bare or step.act not in _GOING or asks(request.text):
        return None
    return request.instead("line.delete", file=(file,), line=(words[0],))


def lines_shown(request: Request) -> Step | None:
    """Return that some lines of the file that was shown are wanted: "only the errors"; or what was counted of it is kept.

    Examples
    --------
    >>> shown = Context(Step("read.last", {"file": ("a.log",)}), "a.log")
    >>> lines_shown(Request(Reading((Step("search", {"find": ("errors",)}),)), "only the errors", shown)).arguments
    {'file': ('a.log',), 'find': ('errors',)}
    >>> counted = Context(Step("count.matches", {"file": ("a.log",), "find": ("WARN",)}), "a.log")
    >>> said = Reading((Step("same", {"to": ("b.txt",)}, "write"),))
    >>> lines_shown(Request(said, "save them to b.txt", counted))[:3]
    ('search', {'file': ('a.log',), 'find': ('WARN',), 'to': ('b.txt',)}, 'write')
    """
    step, last, file = request.step, request.last, request.context.file
    if not (step.act and last.act and file):
        return None
    is_which = step.act == "search" and set(step.arguments) == {"find"} and bool(request.concepts & {"what", "which"})
    is_of_it = is_which and last.act in {"read", "count.lines"} and last.word("file") in {"", file, "it"}
    if is_of_it and ENDED.search(file) and not request.concepts & {"file", "folder", "where", "letter"}:
        return request.instead("search", file=(file,), find=step.arguments["find"])  # "which one mentions Ann?"
    is_kept = step.act == "same" and step.destination in {"write", "append"} and step.word("to")
    if last.act == "count.matches" and is_kept:
        return request.instead("search", step.destination, **{**last.arguments, "to": step.arguments["to"]})
    word = step.word("find") or step.word("value")
    is_part_of_it = step.act in {"search", "rows.where"} and not step.word("file") and "only" in request.concepts
    is_text = last.act.startswith(("read", "summary", "count.lines", "date")) and not file.casefold().endswith(TABULAR)
    return request.instead("search", file=(file,), find=(word,)) if word and is_part_of_it and is_text else None


def boxes(request: Request) -> Step | None:
    """Return what is to be done with a list of boxes in a file: see :func:`of_boxes`."""
    is_folder = "folder" in request.concepts and request.step.act in {"list", "read"}  # "what is left in that folder?"
    return None if is_folder else of_boxes(request.reading, request.text, request.context)


_SHOWN_BY = {"count.matches": "search", "rows.count": "rows.where", "count.files": "list", "query": "query"}
"""What shows the things that an act counts."""
_COUNTED = frozenset(("search", "count.lines", "count.files"))
"""Acts that are asked for where lines, or files, with a word are counted."""
_MAYBE_REPEATED = frozenset(("exists", "read", "search", "unclear", "talk", "read.unique", "count.matches"))
"""Acts that are read where lines that stand somewhere twice are asked for."""


def repeated(request: Request) -> Step | None:
    """Return that lines that stand somewhere twice are wanted: "are there names that appear twice?".

    Examples
    --------
    >>> named = Context(file="a.txt")
    >>> repeated(Request(Reading((Step("exists", {}),)), "does any name appear twice?", named)).act
    'read.repeated'
    """
    step, named = request.step, [word.text for word in request.words if word.kind == "file"]
    file = named[0] if named else request.context.file
    is_it = step.act in _MAYBE_REPEATED and len(named) < BOTH and bool(file)
    if not is_it or "twice" not in request.asking or "folder" in request.concepts or not request.is_question:
        return None
    return request.instead("read.repeated", file=(file,))


def matches(request: Request) -> Step | None:
    """Return that lines with a word are to be counted, where they were to be shown, or all lines to be counted.

    Examples
    --------
    >>> read = Reading((Step("search", {"find": ("WARN",)}),))
    >>> matches(Request(read, "and how many of them contain WARN?", Context(file="a.log")))[:2]
    ('count.matches', {'file': ('a.log',), 'find': ('WARN',)})
    """
    step, told = request.step, request.concepts
    named = [word.text for word in request.words if word.kind == "file"]
    is_maybe = step.act == "count.words" and any(
        other.steps[0].act == "count.matches" for other in request.reading.others
    )
    is_counted = is_maybe or (step.act in _COUNTED and bool(told & {"many", "count"}) and "much" not in request.asking)
    if len(named) > 1 or not is_counted:
        return None
    file, word = step.word("file") or request.context.file, step.word("find")
    if not word and (is_maybe or "contain" in told) and "folder" not in told:  # no "subfolders included"
        left = unexplained(request.text, request.language, file if step.act != "count.files" else "")
        word = left[0] if len(left) == 1 else ""
    if not word:
        return None
    if "file" in told and not named:
        return request.instead("search.files", find=(word,))
    return request.instead("count.matches", file=(file,), find=(word,)) if file else None


def counted_shown(request: Request) -> Step | None:
    """Return that what was counted is to be shown: "show me them", "which ones?".

    Examples
    --------
    >>> counted = Context(last=Step("count.matches", {"file": ("a.log",), "find": ("WARN",)}))
    >>> counted_shown(Request(Reading((Step("read", {"file": ("them",)}),)), "show me them", counted))[:2]
    ('search', {'file': ('a.log',), 'find': ('WARN',)})
    """
    step, last = request.step, request.last
    shown = _SHOWN_BY.get(last.act, "")
    is_counted = bool(shown) and (shown != "query" or last.word("query").startswith("count"))
    if not is_counted or not step.act or request.context.asked is not None:
        return None
    is_look = not is_change(step.act) and not step.act.startswith(("count", "column", "list."))
    if not is_look or not request.concepts & SHOWING or len(request.words) > SHORT:
        return None
    is_more = says_more(request.text) or bool(request.concepts & {"max", "min", "mean", "sum"}) or request.names()
    return None if is_more else last._replace(act=shown, text=request.text)


def told_done(request: Request) -> Step | None:
    r"""Return that a box that was shown is ticked off, where it is told that it is done: "I asked the city already".

    Examples
    --------
    >>> shown = Context(Step("search", {}), "a.txt", answer="[ ] ask the city\n[ ] borrow benches")
    >>> told_done(Request(Reading((Step("talk", {}),)), "I asked the city already", shown)).arguments
    {'file': ('a.txt',), 'find': ('ask the city',)}
    """
    is_past = "already" in request.asking
    lines = request.context.answer.splitlines()
    text = dict(request.context.read).get(request.context.file)
    lines = text.splitlines() if is_past and text is not None else lines
    found = [BOX.match(line) for line in lines]
    boxes = [one[4] for one in found if one is not None and one[2] == " "]
    is_maybe = is_past or request.step.act in {"talk", "unclear", "remember"}
    is_told = is_maybe and not request.is_question and not asks(request.text)
    if not (is_told and boxes and (is_past or all(found))) or request.names() or request.context.asked is not None:
        return None
    if request.asking & {"yet", "not"} or request.concepts & (NEGATING | {"must", "want", "later"}):
        return None  # "I have not asked the city yet"
    near, shared = nearest_texts(request.text, boxes, request.language)
    is_one = len(near) == 1 and bool(shared) and (is_past or bool(request.concepts & {"i", "done"}))
    return request.instead("line.tick", file=(request.context.file,), find=(near[0],)) if is_one else None


def task_done(request: Request) -> Step | None:
    """Return that a task that was noted is done, where that is told: "the plants are watered", "I got the stamps already".

    Examples
    --------
    >>> noted = Context(Step("task.add", {}), tasks=("water the plants", "buy stamps"))
    >>> task_done(Request(Reading((Step("talk", {}),)), "plants are watered", noted)).arguments
    {'text': ('water the plants',)}
    >>> task_done(Request(Reading((Step("task.add", {}),)), "buy more stamps", noted))
    >>> noted = noted._replace(last=Step("task.add", {}))
    >>> task_done(Request(Reading((Step("task.list", {}),)), "done, I got them", noted)).arguments
    {'text': ('buy stamps',)}
    """
    is_told = not request.is_question or any("tick" in one for one in request.wishes)
    is_other = request.asking & {"yet", "not"} or request.concepts & (NEGATING | {"must", "want", "later", "remind"})
    if not is_told or is_other or request.names() or request.context.asked is not None:
        return None
    near, shared = nearest_texts(request.text, request.context.tasks, request.language)
    last = request.context.last
    is_just_noted = (
        last is not None and last.act == "task.add" and request.step.act in {"task.done", "task.list", "talk"}
    )
    is_just_noted = is_just_noted and not any(
        rank(word.text) is not None for word in request.words
    )  # "the first is done"
    if (
        not shared
        and is_just_noted
        and "done" in concepts_of(request.text.partition(",")[0])
        and request.length <= SHORT
    ):
        return request.instead("task.done", text=request.context.tasks[-1:])  # "done, I got it"
    is_one = len(near) == 1 and bool(shared) and not request.concepts & {"change", "delete", "replace"}
    if not is_one or not tells_done(request.text, request.language, near[0]):
        return None
    return request.instead("task.done", text=(near[0],))


def when_told(request: Request) -> Step | None:
    """Return that a day is looked for in a file, where not the file's own is wanted: "when is the next meeting in a.md?".

    Examples
    --------
    >>> said = Reading((Step("date", {"file": ("a.md",)}),))
    >>> when_told(Request(said, "when is the next meeting in a.md?", Context())).arguments
    {'file': ('a.md',)}
    >>> when_told(Request(said, "when was a.md changed?", Context()))
    """
    is_own = bool(request.concepts & {"change", "create", "write", "save", "newest", "oldest"})
    is_when = request.step.act == "date" and "when" in request.concepts and not is_own and len(request.files) == 1
    is_told = is_when and not set(request.unexplained) <= set(request.files)
    return request.instead("search", file=tuple(request.files)) if is_told else None


def text_left(request: Request) -> Step | None:
    """Return that the one word in Latin letters is what is added, in a language without blanks: 再加一行cola.

    Examples
    --------
    >>> said = Reading((Step("append", {}),), language="zh")
    >>> text_left(Request(said, "再加一行cola", Context(file="a.txt"))).arguments
    {'file': ('a.txt',), 'text': ('cola',)}
    """
    step, left = request.step, [word for word in request.unexplained if word not in request.files]
    is_lacking = step.act in {"append", "prepend"} and not step.word("text") and request.language in EAST
    if not is_lacking or request.is_question or len(left) != 1 or not left[0].isascii() or len(request.files) > 1:
        return None
    file = next(iter(request.files), request.context.file)
    is_list = bool(file) and not file.casefold().endswith(TABULAR)
    return request.instead(step.act, file=(file,), text=(left[0],)) if is_list else None


def how_many_there(request: Request) -> Step | None:
    """Return that what stands in a file is counted where it is asked how many that are: shopping.txtには何個?.

    Examples
    --------
    >>> said = Reading((Step("read", {"file": ("a.txt",)}),))
    >>> how_many_there(Request(said, "how many are there in a.txt?", Context())).act
    'count.lines'
    >>> how_many_there(Request(said, "how many cats are there in a.txt?", Context()))
    """
    is_asked = request.step.act == "read" and "many" in request.concepts and len(request.files) == 1
    is_bare = set(request.unexplained) <= set(request.files) and not says_state(request.text, request.language)
    return request.instead("count.lines", file=tuple(request.files)) if is_asked and is_bare else None


def done_asked(request: Request) -> Step | None:
    """Return that the tasks are shown, where it is only asked whether something is done: "is that done?".

    Examples
    --------
    >>> said = Reading((Step("task.done", {}),))
    >>> done_asked(Request(said, "is that done?", Context())), done_asked(Request(said, "can you mark it as done?", Context()))
    (Step(act='task.list', arguments={}, destination='', text='is that done?'), None)
    """
    told = concepts_of(request.text)
    is_asked = request.text.rstrip()[-1:] in ASK_SIGNS and "done" in told and not told & (WISHING | {"can", "please"})
    is_of_tasks = request.step.act in {"task.done", *FOLLOWS} and not (request.names() or request.context.file)
    return request.instead("task.list") if is_asked and is_of_tasks else None


def tick_put(request: Request) -> Step | None:
    """Return that a box is ticked, where it is said that a mark is put there, or that it is ticked: "put a tick by the soil in a.md".

    Examples
    --------
    >>> said = Reading((Step("move", {"file": ("a.md",), "to": ("soil",)}),), language="nl")
    >>> tick_put(Request(said, "zet in a.md een vinkje bij de soil", Context())).arguments
    {'file': ('a.md',), 'find': ('soil',)}
    """
    mark = "tick" if request.step.act in {"read", "search", "unclear"} and request.files else "tickmark"
    said = [(word, mark in told) for word, told in zip(request.words, request.wishes, strict=True)]
    at = max((place for place, (_, is_mark) in enumerate(said) if is_mark), default=None)
    is_put = mark == "tick" or request.step.act in {"append", "prepend", "write", "replace", "json.set", "move"}
    file = request.files[0] if len(request.files) == 1 else request.context.file
    is_gone = mark == "tickmark" and says_gone(request.text, request.language)
    if at is None or not is_put or not file or len(request.files) > 1 or is_gone or request.is_question:
        return None
    left: Sequence[Word] = [word for word, _ in said[at + 1 :] if word.kind != "sign"]
    if any(word.kind == "file" for word in left):  # "by the soil in a.md"
        left = left[: next(place for place, word in enumerate(left) if word.kind == "file")]
        left = _without_small(left[::-1], request.language)[::-1]
    left = _without_small(left, request.language)
    find = request.text[left[0].start : left[-1].end] if left else ""
    return request.instead("line.tick", file=(file,), find=(find,)) if find else None


def _without_small(found: Sequence[Word], language: str) -> Sequence[Word]:
    """Leave out the small words that others begin with."""
    small = (
        place for place, word in enumerate(found) if not (is_small(word.text) or is_small_in(word.folded, language))
    )
    return found[next(small, len(found)) :]


def ticked_too(request: Request) -> Step | None:
    """Return that another of the boxes is ticked off like the one before: "and the last".

    Examples
    --------
    >>> ticked = Context(Step("line.tick", {"file": ("a.md",), "find": ("soil",)}), "a.md")
    >>> ticked_too(Request(Reading((Step("read.last", {}),)), "and the last", ticked)).arguments
    {'file': ('a.md',), 'find': ('last',)}
    """
    last = request.last
    place = next((word.text for word in request.words if rank(word.text)), "")
    told = lexicon().concepts(request.words)
    is_more = last.act in {"line.tick", "line.untick"} and bool(place) and "and" in told[0]
    is_bare = not (request.names() or request.is_question or request.unexplained) and request.length <= FEW_WORDS
    return (
        request.instead(last.act, file=last.arguments.get("file", ()), find=(place,)) if is_more and is_bare else None
    )


_MAYBE_TOLD = frozenset(
    ("date", "unclear", "talk", "recall", "cell", "json.get", "same", "search", "read", "about.owner")
)
"""Acts that are read where something is asked of the text that was shown."""
_TIME = re.compile(r"\b\d{1,2}[:h.]\d\d\b|\b(?:19|20)\d\d\b|\d ?(?:Uhr|o'clock|am|pm)\b", re.IGNORECASE)
_MONEY = re.compile(
    r"\d[\d.,]*\s?(?:€|\$|£|¥|eur|euros?|dollars?|pounds?|usd|gbp|pln|zł|złotych|reais|円|元|块)|[€$£¥]\s?\d",
    re.IGNORECASE,
)


def told_there(request: Request) -> Step | None:
    r"""Return the line of the text that was shown which tells when, or how much: "and when can he come?".

    Examples
    --------
    >>> letter = "Dear Ms. Day,\nThe pipe costs 145 euro.\nI can come on Thursday 24 October."
    >>> shown = Context(Step("read", {}), "a.txt", read=(("a.txt", letter),))
    >>> told_there(Request(Reading((Step("date", {}),)), "and when can he come?", shown)).word("find")
    'I can come on Thursday 24 October.'
    >>> told_there(Request(Reading((Step("talk", {}),)), "how much money does he want?", shown)).word("find")
    'The pipe costs 145 euro.'
    """
    context, step, file = request.context, request.step, request.context.file
    text = dict(context.read).get(file) or (context.answer if request.last.act in {"read", "search"} else "")
    is_text = ENDED.search(file) is not None and not file.endswith(TABLES) and bool(text) and not request.names()
    is_counted = step.act in {"count.lines", "count.rows", "count.matches", "rows.count"} and "many" in request.concepts
    is_maybe = step.act in _MAYBE_TOLD or is_counted or (bool(step.act) and step.act not in acts())
    is_of_file = bool(request.concepts & {"change", "save"} or {"newest", "file"} <= request.concepts)
    is_other = bool(step.destination) or is_of_file or request.length > SHORT
    if not (is_text and is_maybe and request.is_question) or is_other:
        return None
    lines = text.splitlines()
    if is_counted:
        told = [line for line in lines if any(rank(word.text) for word in words_of(line))]
        near, shared = nearest_texts(request.text, told, request.language)
        lines = near if shared and not request.concepts & {"line", "row", "word", "character"} else []
    elif "when" in request.concepts:
        lines = [line for line in lines if _TIME.search(line) or (_has_digit(line) and "day" in concepts_of(line))]
    elif request.asking & {"much", "price", "owed"} or ({"many", "money"} <= request.concepts):
        lines = [line for line in lines if _MONEY.search(line)]
    else:
        return None
    if len(lines) > 1:
        near, shared = nearest_texts(request.text, lines, request.language)
        lines = near if shared else lines
    return request.instead("search", file=(file,), find=(lines[0].strip(),)) if len(lines) == 1 else None


def _has_digit(line: str) -> bool:
    return any(map(str.isdigit, line))


_OF_TEXTS = frozenset(("append", "prepend", "write", "replace", "line", "json", "value", "undo", "create"))
"""First parts of acts that change a text."""


def says_now(request: Request) -> Step | None:
    """Return that the file that was just changed is to be shown: "and what does it say now?".

    Examples
    --------
    >>> put = Context(Step("replace", {"file": ("a.txt",)}), "a.txt")
    >>> says_now(Request(Reading((Step("search", {}),)), "what does it say now?", put)).arguments
    {'file': ('a.txt',)}
    >>> said = Reading((Step("same", {"value": ("now",)}),))
    >>> says_now(Request(said, "and now?", put)).act, says_now(Request(said, "and tomorrow?", put))
    ('read', None)
    """
    last, file, step = request.last, request.context.file, request.step
    is_asked = (
        {"what", "contain"} <= request.concepts
        and not (request.names() or (request.asking & {"does"} and last.act.startswith("run")))
    ) or _asks_for_now(request)
    is_bare = step.act in {"search", "list", "unclear", "talk", "task.list", "same"} or step.act not in acts()
    is_of_it = (
        last.act.partition(".")[0] in _OF_TEXTS and ENDED.search(file) is not None and request.context.asked is None
    )
    is_short = request.is_question and request.length <= FEW_WORDS + 1
    return request.instead("read", file=(file,)) if is_asked and is_bare and is_of_it and is_short else None


def _asks_for_now(request: Request) -> bool:
    """Tell whether a question only says "and now?"."""
    said = [word.text for word in request.words if word.kind != "sign"]
    is_now = bool(said) and bool(request.asking & {"aside"} or "becomes" in wishes_said(request.text, request.language))
    left = [word for word in said if not ("aside" in said_of_tables(word, request.language) or is_small(word))]
    return is_now and len(said) <= BOTH and not [word for word in left if not wishes_said(word, request.language)]


def line_kept(request: Request) -> Step | None:
    """Return that the line that was shown goes to a file, and not the whole file: "copy that line to a.txt".

    Examples
    --------
    >>> shown = Context(Step("query", {}), "calls.log", shown=("17:40 Diego",))
    >>> said = Reading((Step("copy", {"to": ("a.txt",)}),))
    >>> line_kept(Request(said, "copy that line to a.txt", shown)).arguments
    {'file': ('a.txt',), 'text': ('17:40 Diego',)}
    """
    step, shown = request.step, request.context.shown
    is_line = bool(request.concepts & {"line", "row"}) and points_back(request.text) and 0 < len(shown) <= SHORT
    is_copy = step.act == "copy" and not any(map(ENDED.search, step.arguments.get("file", ())))
    goal = step.word("to") if is_copy else ""
    if not (is_line and ENDED.search(goal)) or request.context.file in shown:
        return None
    return request.instead("write", file=(goal,), text=tuple(shown))


_MAYBE_AMOUNT = frozenset(
    (
        "json.set",
        "value.set",
        "replace",
        "line.replace",
        "line.delete",
        "calculate",
        "unclear",
        "same",
        "fix",
        "cell",
        "folder.make",
    )
)
"""Acts that are read where a number of the text that is spoken of is to be another."""


def amount_put(request: Request) -> Step | None:
    """Return that a number with its unit is to be another in the text that is spoken of: "make it 10 days".

    Examples
    --------
    >>> shown = Context(Step("read", {"file": ("a.txt",)}), "a.txt")
    >>> said = Reading((Step("json.set", {"new": ("10",)}),), language="de")
    >>> amount_put(Request(said, "setz die Frist da auf 10 Tage runter", shown)).arguments
    {'file': ('a.txt',), 'old': ('10 Tage',)}
    >>> amount_put(Request(said, "das waren 10 Tage", shown))
    """
    file, found = request.context.file, request.words
    is_text = file.casefold().endswith((".txt", ".md")) and not request.context.is_open
    numbers = [
        at
        for at, word in enumerate(found[:-1])
        if word.kind == "number" and found[at + 1].kind == "word" and "swap" not in request.wishes[at + 1]
    ]
    is_one = len(numbers) == 1 and sum(word.kind in {"number", "measure"} for word in found) == 1
    own = frozenset[str]().union(*lexicon_of(request.language).concepts(found))
    is_wish = bool(
        own & {"change", "put", "create", "replace", "correct"}
        or {"granted", "mark"} & wishes_said(request.text, request.language)
    )
    is_gone = "delete" in own and not own & {"change", "put"}  # "runter" is no wish to delete
    is_other = (
        request.names() or request.is_question or is_gone or bool(own & {"line", "row", "append", "folder", "file"})
    )
    if not (is_text and is_one and is_wish) or is_other or request.step.act not in _MAYBE_AMOUNT:
        return None
    said = request.text[found[numbers[0]].start : found[numbers[0] + 1].end]
    return request.instead("replace", file=(file,), old=(said,))


def value_of_line(request: Request) -> Step | None:
    """Return that a value of one line of the text that is named, or spoken of, is to be another: "change the check-in to 16:00".

    Examples
    --------
    >>> shown = Context(Step("read", {"file": ("a.md",)}), "a.md")
    >>> said = Request(Reading((Step("replace", {"new": ("16:00",)}),)), "change the check-in to 16:00", shown)
    >>> value_of_line(said)[:2]
    ('value.set', {'file': ('a.md',), 'text': ('change the check-in to 16:00',), 'new': ('16:00',)})
    >>> value_of_line(Request(said.reading, "is the check-in at 16:00?", shown))
    """
    step, files = request.step, request.files
    file = files[0] if len(files) == 1 else "" if files else request.context.file
    is_text = file.casefold().endswith((".txt", ".md")) and not request.context.is_open
    values = [word.text for word in request.words if word.kind in {"number", "measure", "time"}]
    own = frozenset[str]().union(*lexicon_of(request.language).concepts(request.words))
    is_wish = bool(
        own & {"change", "put", "replace", "correct"} or wishes_said(request.text, request.language) & {"swap", "mark"}
    )
    is_whole = (
        step.act in {"replace", "line.replace"} and _has_digit(step.word("old")) and step.word("old") not in values
    )
    is_whole = is_whole or bool(step.word("line")) or any(word.is_quoted for word in request.words)
    is_other = (
        request.is_question or is_whole or bool(own & {"line", "row", "append", "folder", "delete", "same", "again"})
    )
    is_other = is_other or (
        not files and request.last.act.partition(".")[0] not in _OF_TEXTS | {"read", "search", "count"}
    )
    if not (is_text and is_wish and len(values) == 1) or is_other or step.act not in _MAYBE_AMOUNT | {"search"}:
        return None
    return request.instead("value.set", file=(file,), text=(request.text,), new=(values[0],))
