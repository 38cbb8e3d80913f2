"""Requests that mean another step than was read: by their words, or by what was shown before them.

    a request, its reading, what was said before ── the first rule that fits (RULES) ── the step that is meant

A rule looks at a :class:`Request` and returns a step, or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cached_property

from lango_nb.models.offline.answers import said
from lango_nb.models.offline.followups import CLAUSES, ENDED, says_more
from lango_nb.models.offline.lexicon import (
    ASK_SIGNS,
    NEGATING,
    UNSPACED,
    Concepts,
    Word,
    concepts_of,
    lexicon,
    lexicon_of,
)
from lango_nb.models.offline.lexicon import words as words_of
from lango_nb.models.offline.lists import FEW_WORDS, KEEPING, OF_TASKS, SHOWING, left_over, of_boxes, words_of_wishes
from lango_nb.models.offline.looking import state_of_boxes
from lango_nb.models.offline.names import (
    ARTICLES,
    asks,
    back_in,
    calls_list,
    compared_in,
    counted_up,
    described_both,
    is_asking,
    is_part,
    is_pointer,
    is_small,
    kind_of_file,
    nearest_texts,
    pick,
    points_back,
    rank,
    trimmed,
    unexplained,
)
from lango_nb.models.offline.operations import BOX, number, written
from lango_nb.models.offline.plan import Context, Reading, Step, acts, is_change
from lango_nb.models.offline.queries import TABLES, names_column, ranked, said_of_tables, words_of_tables
from lango_nb.models.offline.queries import parse as parse_query
from lango_nb.models.offline.steps import BOTH, FEW_SAID

SHORT = 9
"""Words of an answer that may be the missing word, and nothing else."""
ASKED_OF = frozenset(("what", "which", "who"))
_NOTHING = Step("", {})


_LINE_SAID = re.compile(r"[一二三四五六七八九十几两那这\d]行")


class Request:
    """A request as the rules look at it.

    Parameters
    ----------
    reading : Reading
    text : str
    context : Context
        What was said before.
    """

    def __init__(self, reading: Reading, text: str, context: Context) -> None:
        self.reading, self.text, self.context, self.language = reading, text, context, reading.language
        self.step = reading.steps[0] if len(reading.steps) == 1 else _NOTHING
        """The one thing that it was read as; an empty step where it was read as several."""
        self.last = context.last or _NOTHING
        """What was carried out before it; an empty step where nothing was."""
        self.words: Sequence[Word] = words_of(text)
        self.concepts: Concepts = concepts_of(text)
        self.files = [word.text for word in self.words if word.kind == "file" and not word.is_quoted]
        """Files that it names."""

    @cached_property
    def asking(self) -> frozenset[str]:
        """What it says in the words of questions about tables (``data/reading/asked.tsv``)."""
        return said_of_tables(self.text, self.language)

    @cached_property
    def wishes(self) -> Sequence[Concepts]:
        """By word: what it says in the words of wishes about lists (``data/reading/listed.tsv``)."""
        return words_of_wishes(self.language).concepts(self.words)

    @cached_property
    def unexplained(self) -> Sequence[str]:
        """Words that say nothing of what is to be done."""
        return unexplained(self.text, self.language)

    @cached_property
    def place(self) -> int:
        """The place in a row that it tells: 2 for "the second one", -1 for the last; 0 where it tells none."""
        return next((found for word in self.words if (found := rank(word.text))), 0)

    @property
    def length(self) -> float:
        """How many words it has."""
        return length(self.text)

    @property
    def is_question(self) -> bool:
        """Whether it asks something."""
        return is_asking(self.text) or self.text.rstrip()[-1:] in ASK_SIGNS

    @property
    def says_line(self) -> bool:
        """Whether it speaks of a line, or a row."""
        return bool(self.concepts & {"line", "row"}) or (
            self.language == "zh" and _LINE_SAID.search(self.text) is not None
        )

    def names(self, *kinds: str) -> bool:
        """Tell whether it has a word of some kinds: by default, the name of a file or a folder."""
        return any(word.kind in (kinds or ("file", "folder")) for word in self.words)

    def shown_at_place(self) -> str:
        """Return what was shown at the place that it tells; empty where there is nothing."""
        shown, place = self.context.shown, self.place
        return shown[place - (place > 0)] if place and abs(place) <= len(shown) else ""

    def instead(self, act: str, destination: str = "", /, **roles: tuple[str, ...]) -> Step:
        """Return the step that it means."""
        return Step(act, roles, destination, self.text)


def meant_instead(reading: Reading, request: str, context: Context) -> Step | None:
    """Return the one step that a request means by its words, or by what was shown before it; ``None`` where it is as read."""
    looked_at = Request(reading, request, context)
    return next((step for rule in RULES if (step := rule(looked_at)) is not None), None)


def or_else(step: Step, reading: Reading, request: str, context: Context) -> tuple[Reading, ...]:
    """Return what else a request may mean where a table does not explain it: what was answered is kept, or as it was read."""
    kept = answer_kept(Request(reading, request, context)) if step.destination else None
    if step.act != "query":
        return ()
    return (
        (reading._replace(others=()), *reading.others) if kept is None else (Reading((kept,), 1.0, reading.language),)
    )


def length(request: str) -> float:
    """Return how many words a request has; a character of those that stand without blanks counts half a word."""
    return sum(0.5 if word.kind in UNSPACED else 1 for word in words_of(request))


# -- two files beside each other ---------------------------------------------------------------------------------------

_YEAR = re.compile(r"(?:19|20)\d\d")
_WITHIN = ("に", "里", "中", "上", "裡")
"""What stands behind a file in which something is, where there are no blanks."""
_OF_ONE = frozenset(("delete", "move", "copy", "rename"))
"""Acts that the longer, older … of two files may be for."""
_TOLD_BY = {"longer": "count.lines", "shorter": "count.lines", "larger": "size", "smaller": "size"}
"""What tells which of two files is longer, larger …; its date tells the rest."""
_MAYBE_ALIKE = frozenset(("exists", "same", "read", "unclear", "talk", "compare", "ask.change"))
"""Acts that are read where it is asked whether two files are the same."""


def _lacking(request: Request) -> Step | None:
    """Return that the lines of one file are wanted which another one lacks: "what is in a.txt but not in b.txt?".

    Examples
    --------
    >>> talk = Reading((Step("talk", {}),))
    >>> _lacking(Request(talk, "what is in a.txt that isn't in b.txt?", Context())).arguments["file"]
    ('a.txt', 'b.txt')
    >>> german = talk._replace(language="de")
    >>> _lacking(Request(german, "was fehlt in a.txt, was in b.txt steht?", Context())).arguments["file"]
    ('b.txt', 'a.txt')
    >>> _lacking(Request(talk, "show a.txt, not b.txt", Context()))
    """
    found = request.words
    named = [at for at, word in enumerate(found) if word.kind == "file"]
    told = lexicon().concepts(found)
    if not named and any("list" in one for one in told):  # "on the 2024 list but not on the 2023 one"
        named = [at for at, word in enumerate(found) if _YEAR.fullmatch(word.text)]
    if len(named) != BOTH or any(word.is_quoted for word in found) or found[named[0]].text == found[named[1]].text:
        return None
    first, second = named
    is_east = request.language in {"ja", "zh"}
    is_in = is_east and all(request.text[found[at].end :].lstrip()[:1] in _WITHIN for at in named)
    if not is_in and not any(one & ASKED_OF for one in told[:first]):
        return None
    asked = words_of_tables(request.language).concepts(found)
    lacking = [
        at
        for at in range(len(found))
        if told[at] & NEGATING or "none" in told[at] or "lacking" in request.wishes[at] or "not" in asked[at]
    ]
    if not lacking:
        return None
    is_turned = any(first < at < second for at in lacking) if is_east else lacking[-1] < first
    both = (found[second].text, found[first].text) if is_turned else (found[first].text, found[second].text)
    return request.instead("compare.only", file=both)


def _compared(request: Request) -> Step | None:
    """Return what is wanted of the longer, older … of two files; of both, where it is asked which of them that is.

    Examples
    --------
    >>> both = Context(spoken=("a.md", "b.md"))
    >>> _compared(Request(Reading((Step("read.longest", {}),)), "which one is longer?", both)).arguments
    {'file': ('a.md', 'b.md')}
    >>> _compared(Request(Reading((Step("move", {"to": ("old",)}),)), "move the shorter one to old", both)).arguments
    {'file': ('shorter',), 'to': ('old',)}
    >>> said = Reading((Step("unclear", {}),))
    >>> _compared(Request(said, "is the todo list longer than my notes?", Context())).arguments
    {'file': ('todo list', 'notes')}
    """
    step, text = request.step, request.text
    kind, words = compared_in(text, request.language)
    is_wish = "compare" in frozenset[str]().union(*lexicon_of(request.language).concepts(request.words[:1]))
    described = described_both(text, request.language) if (kind and asks(text)) or is_wish else ()
    if described and step.act and (is_wish or not is_change(step.act)) and step.act != "compare":
        return request.instead("compare" if is_wish else _TOLD_BY.get(kind, "date"), file=described)
    pair, spoken = tuple(request.files), request.context.spoken[-BOTH:]
    if step.act in _MAYBE_ALIKE and asks(text) and "alike" in request.asking:
        both = pair or (spoken if request.length <= SHORT else ())
        return request.instead("compare", file=both) if len(both) == BOTH else None  # "are they the same?"
    act = step.act.partition(".")[0]
    is_kept = any(
        words in word for role, said in step.arguments.items() if role in {"to", "text", "new", "old"} for word in said
    )
    if not kind or step.destination or is_kept or (_changes(step) and act not in _OF_ONE):
        return None
    rest = text.replace(words, " ").replace(step.word("to") or words, " ")
    if len(pair) != BOTH and (pair or says_more(rest)):
        return None
    if _changes(step):
        return request.instead(act, file=(words,), **({"to": step.arguments["to"]} if step.word("to") else {}))
    shown = tuple(name for name in request.context.shown if ENDED.search(name))
    both = pair or (shown if len(shown) == BOTH else spoken)
    if len(both) != BOTH:
        return None
    is_which = bool(pair) or is_asking(text)
    return request.instead(_TOLD_BY.get(kind, "date") if is_which else "read", file=both if is_which else (words,))


def _longest_of(request: Request) -> Step | None:
    """Return that the longest, or the shortest, of the files is wanted that were listed or compared, and no line of one.

    Examples
    --------
    >>> listed = Context(Step("list", {"file": ("letters",)}), shown=("letters/a.txt", "letters/b.txt"))
    >>> _longest_of(Request(Reading((Step("read.longest", {}),)), "which one is the longest?", listed))[:2]
    ('list.largest', {'file': ('letters',)})
    """
    step, last = request.step, request.last
    if step.act not in {"read.longest", "read.shortest"} or request.concepts & {"line", "row", "word"}:
        return None
    is_of_listed = last.act == "list" and len([name for name in request.context.shown if ENDED.search(name)]) > 1
    if not step.arguments and (is_of_listed or last.act in {"list.largest", "list.smallest"}):
        end = "list.largest" if step.act == "read.longest" else "list.smallest"
        folder = last.word("file") if is_of_listed else last.word("file").rpartition("/")[0]
        return request.instead(end, **({"file": (folder,)} if folder else {}))
    is_pair = last.act == "compare" and len(last.arguments.get("file", ())) == BOTH
    return request.instead("count.lines", file=last.arguments["file"]) if is_pair else None


def _changes(step: Step) -> bool:
    return bool(step.act) and is_change(step.act)


# -- folders, and what was listed --------------------------------------------------------------------------------------


_MAYBE_ONE = frozenset(("unclear", "talk", "same", "search", "list", "read", "line.delete", "delete"))
"""Acts that are read where one of several files is told by what it is about."""


def _folders(request: Request) -> Step | None:
    """Return that several folders are to be made: those that are counted up, inside of the one that was made before.

    Examples
    --------
    >>> said = Reading((Step("folder.make", {"to": ("a1",)}),))
    >>> _folders(Request(said, "make folders a1, a2 and a3", Context())).arguments
    {'to': ('a1', 'a2', 'a3')}
    >>> made = Context(changed=Step("folder.make", {"to": ("trip",)}))
    >>> _folders(Request(Reading((Step("talk", {}),)), "inside it please create day1 and day2", made)).arguments
    {'to': ('trip/day1', 'trip/day2')}
    """
    step, changed = request.step, request.context.changed
    if not step.act or request.names() or any(word.is_quoted for word in request.words):
        return None
    is_inside = (
        changed is not None
        and changed.act == "folder.make"
        and {"create", "in"} <= request.concepts
        and points_back(request.text)
        and request.context.asked is None
    )
    names = counted_up(request.text)
    if len(names) < BOTH or not (is_inside or step.word("to") in names):
        return None
    if not is_inside and step.act != "folder.make":
        return None
    where = f"{changed.word('to')}/" if is_inside and changed is not None else ""
    return request.instead("folder.make", to=tuple(f"{where}{name}" for name in names))


def _one_listed(request: Request) -> Step | None:
    """Return that one of the files that were listed is meant, or another one than before, where a request describes it.

    Examples
    --------
    >>> listed = Context(Step("list", {}), shown=("letters/bank.txt", "letters/landlord.txt"))
    >>> _one_listed(Request(Reading((Step("read", {}),)), "read me the one to the landlord", listed)).arguments
    {'file': ('letters/landlord.txt',)}
    >>> counted = Context(Step("count.words", {"file": ("letters/bank.txt",)}), "letters/bank.txt")
    >>> _one_listed(Request(Reading((Step("fix", {"to": ("grandma",)}),)), "no, the one to grandma", counted)).act
    'count.words'
    """
    step, last = request.step, request.last
    row = acts().get(step.act)
    if not step.act or request.names("file", "folder", "number"):
        return None
    if step.act == "fix" and last.act and set(step.arguments) == {"to"} and not is_change(last.act):
        roles = acts()[last.act].roles if last.act in acts() else ()
        is_file = "file" in roles and "to" not in roles and request.context.file
        return request.instead(last.act, **{**last.arguments, "file": step.arguments["to"]}) if is_file else None
    files = [name for name in request.context.shown if ENDED.search(name)]
    left = request.unexplained
    if step.act == "line.delete" and set(step.arguments) == {"file"}:
        step = request.instead("delete")  # "delete the one from the bank"
    asked = request.context.asked
    if asked is not None and _is_other_one(request, asked):
        return (
            asked.steps[0]._replace(text=request.text).with_arguments(file=(" ".join(left),))
        )  # "the one from the school"
    is_bare = _tells_of_one(request)
    if is_bare:  # "the one with the lentils"
        step = request.instead("delete" if "delete" in request.concepts else "read")
        row = acts()[step.act]
    if row is None or "file" not in row.roles or step.arguments or len(files) < BOTH or not 0 < len(left) <= BOTH:
        return None
    found = pick(" ".join(left), files, is_file=True)
    if found.name and not found.is_guess:
        return step.with_arguments(file=(found.name,))
    return step.with_arguments(file=(" ".join(left),)) if is_bare else None


def _is_other_one(request: Request, asked: Reading) -> bool:
    """Tell whether a request describes another file than the one that was asked about."""
    step = asked.steps[0]
    is_of_file = len(asked.steps) == 1 and set(step.arguments) == {"file"} and step.act in {"read", "delete", "copy"}
    is_short = "one" in request.asking and request.length <= SHORT and 0 < len(request.unexplained) <= BOTH
    return is_of_file and is_short and not request.context.missing and not request.context.shown


def _tells_of_one(request: Request) -> bool:
    """Tell whether a request says of one of several what is in it, and at most that it shall be shown or deleted."""
    step = request.step
    is_look = step.act in _MAYBE_ONE and set(step.arguments) <= {"file", "find", "value"} and not step.destination
    return is_look and "one" in request.asking and request.length <= SHORT and request.context.asked is None


def _next_listed(request: Request) -> Step | None:
    """Return that another of the files that were listed is to be read, and no line: "and the last one?".

    Examples
    --------
    >>> read = Context(Step("read", {"file": ("b.md",)}), "b.md", shown=("a.md", "b.md", "c.md"))
    >>> _next_listed(Request(Reading((Step("read.last", {"n": ("one",)}),)), "and the last one?", read)).arguments
    {'file': ('c.md',)}
    """
    shown = request.context.shown
    is_shown = request.last.act == "read" and request.context.file in shown
    is_line = bool(request.concepts & {"line", "row", "word", "character"})
    if not is_shown or is_line or not request.step.act.startswith("read.") or request.length > FEW_WORDS:
        return None
    texts = [
        word.text for word in request.words if word.kind not in {"sign", *UNSPACED} and word.folded not in ARTICLES
    ]
    place = next((found for word in texts or [request.text] if (found := rank(word))), 0)
    if not place or abs(place) > len(shown):
        return None
    return request.instead("read", file=(shown[place - (place > 0)],))


# -- lines and rows that were shown ------------------------------------------------------------------------------------

_GOING = frozenset(("line.delete", "line.tick", "delete", "task.done", "task.delete"))
"""Acts after which something is gone from a list."""
_UNCLEAR_PLACE = frozenset(
    ("json.get", "talk", "read.line", "read.last", "read.first", "unclear", "same", "read", "date")
)
"""Acts that are read where one of the rows that were shown is told by its place."""


def _shown_line(request: Request) -> Step | None:
    """Return that the one line or row that was shown is to be deleted, and no file: "delete that row".

    Examples
    --------
    >>> shown = Context(Step("column.min", {"column": ("price",)}), "a.csv", shown=("nail, 1",))
    >>> _shown_line(Request(Reading((Step("delete", {"file": ("that row",)}),)), "delete that row", shown)).arguments
    {'file': ('a.csv',), 'find': ('nail, 1',)}
    >>> found = Context(Step("search", {"find": ("Paul",)}), "a.txt", shown=("Paul brings wood.",))
    >>> _shown_line(Request(Reading((Step("delete", {}),)), "delete it", found)).act
    'line.delete'
    """
    shown, file, told = request.context.shown, request.context.file, request.concepts
    is_one = len(shown) == 1 and bool(file) and shown[0] != file
    if not is_one or request.step.act not in {"delete", "line.delete"}:
        return None
    is_found = request.last.act in {"search", "read.line", "read.first", "read.last"} and "file" not in told
    is_line = bool(told & {"line", "row"}) or is_part(request.text) or (is_found and not request.unexplained)
    if not is_line or "word" in told or says_more(request.text) or any(sign.isdigit() for sign in request.text):
        return None
    return request.instead("line.delete", file=(file,), find=shown)


def _taken_out(request: Request) -> Step | None:
    r"""Return that a line with a word goes from the file that was shown, or just changed: no file, and no other change.

    Examples
    --------
    >>> shown = Context(Step("read", {"file": ("a.md",)}), "a.md", read=(("a.md", "- eggs\n- lemons"),))
    >>> _taken_out(Request(Reading((Step("delete", {"file": ("the lemons",)}),)), "remove the lemons", shown)).arguments
    {'file': ('a.md',), 'find': ('lemons',)}
    >>> added = Step("append", {"file": ("a.md",), "lines": ("butter",)})
    >>> said, context = Reading((Step("undo", {}),)), Context(added, "a.md", changed=added)
    >>> _taken_out(Request(said, "take the butter out again", context))
    >>> _taken_out(Request(said, "take the eggs out again", context)).arguments
    {'file': ('a.md',), 'find': ('eggs',)}
    """
    step, file, context = request.step, request.context.file, request.context
    is_going = step.act in _GOING | {"undo"} or {"taking", "out"} <= _marks(request.text, request.language)
    if context.is_open or request.names() or not is_going or asks(request.text):
        return None
    said = [(one, _telling(one, request.language)) for one in _CLAUSE.split(request.text)]
    gone = [(clause, left) for clause, left in said if says_gone(clause, request.language)]
    is_bare = any(not left and _says_again(clause, request.language) for clause, left in gone)
    is_back = bool(back_in(request.text)) or bool(
        frozenset[str]().union(*lexicon().concepts(request.words)[:1]) & NEGATING
    )
    is_bare = is_bare or (is_back and any(not left for _, left in gone) and not request.concepts & {"file", "line"})
    if is_bare and request.last.act == "task.add":
        return request.instead("task.delete", text=request.last.arguments.get("text", ()))
    if is_bare and request.last.act in {"append", "prepend", "write", "create"}:
        return request.instead("undo")  # "take it out again" is what was added, never the file
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
    is_there = any(map(has_word, dict(context.read).get(file, "").splitlines()))
    is_list = request.last.act in {"append", "prepend", "line.delete"} and request.last.word("file") in {"", file}
    is_there = is_there or (is_list and {"taking", "out"} <= _marks(clause, request.language))
    return request.instead("line.delete", file=(file,), find=(word,)) if is_there else None


_CLAUSE = re.compile(r"[.,;:!?\u3001\u3002\uff0c]+\s*")


def says_gone(clause: str, language: str) -> bool:
    """Tell whether a clause says that something goes."""
    marks = _marks(clause, language)
    return "delete" in concepts_of(clause) or "off" in marks or {"taking", "out"} <= marks


def _marks(clause: str, language: str) -> frozenset[str]:
    return frozenset[str]().union(*words_of_wishes(language).concepts(words_of(clause)))


def _says_again(clause: str, language: str) -> bool:
    """Tell whether what a clause says goes is what was just added: "take it out", "remove that again"."""
    return {"taking", "out"} <= _marks(clause, language) or {"delete", "again"} <= concepts_of(clause)


def _telling(clause: str, language: str) -> list[str]:
    """Return the words of a clause that say nothing of what is to be done with what they name."""
    return [one for one in unexplained(clause, language) if not _marks(one, language)]


def _line_at_place(request: Request) -> Step | None:
    """Return that a line goes that is told by its place, where that was not read: "把最后那行删了吧".

    Examples
    --------
    >>> shown = Context(Step("read.last", {"file": ("a.log",)}), "a.log")
    >>> _line_at_place(Request(Reading((Step("line.delete", {}),), language="zh"), "把最后那行删了吧", shown)).arguments
    {'line': ('-1',)}
    """
    step, is_east = request.step, request.language in {"ja", "zh"}
    place = rank(request.text) if is_east else request.place
    is_bare = step.act in {"line.delete", "delete"} and not step.arguments and not request.files
    is_line = is_bare and request.says_line
    return request.instead("line.delete", line=(str(place),)) if is_line and place else None


def _line_added(request: Request) -> Step | None:
    """Return that a line goes to the file that is spoken of, and no task is noted: "and one more line: buy fruit".

    Examples
    --------
    >>> said = Reading((Step("task.add", {"text": ("buy fruit",)}),))
    >>> _line_added(Request(said, "and one more line: buy fruit", Context(file="a.md")))[:2]
    ('append', {'file': ('a.md',), 'text': ('buy fruit',)})
    """
    step, file = request.step, request.context.file
    is_line = step.act == "task.add" and bool(step.word("text")) and request.says_line and not request.names()
    if not is_line or not ENDED.search(file) or file.endswith(TABLES) or request.concepts & OF_TASKS:
        return None
    return request.instead("append", file=(file,), text=step.arguments["text"])


def _line_with(request: Request) -> Step | None:
    """Return that the lines with a word are wanted, where it was taken for the number of one: "which line mentions the gate?".

    Examples
    --------
    >>> said = Reading((Step("read.line", {"file": ("a.txt",), "line": ("gate",)}),))
    >>> _line_with(Request(said, "which line of a.txt mentions the gate?", Context())).arguments
    {'file': ('a.txt',), 'find': ('gate',)}
    """
    step = request.step
    is_word = step.act == "read.line" and bool(step.word("line")) and rank(step.word("line")) is None
    file = step.arguments.get("file") or ((request.context.file,) if request.context.file else ())
    return request.instead("search", file=file, find=step.arguments["line"]) if is_word and file else None


def _those_boxes(request: Request) -> Step | None:
    r"""Return that all boxes that were shown go, where it is said how many they are: "then delete those two".

    Examples
    --------
    >>> shown = Context(Step("read", {}), "a.md", answer="- [x] order wood\n- [x] paint the rail")
    >>> said = Reading((Step("line.delete", {"line": ("two",)}),))
    >>> _those_boxes(Request(said, "then delete those two", shown)).arguments
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


def _key_left(request: Request) -> Step | None:
    """Return the value of a JSON file whose key was not read, where one word is left: "hut.json 里海拔写的是多少".

    Examples
    --------
    >>> said = Reading((Step("json.get", {"file": ("a.json",)}),))
    >>> _key_left(Request(said, "what is the frobnicator in a.json", Context())).arguments
    {'file': ('a.json',), 'key': ('frobnicator',)}
    """
    step = request.step
    left = [word for word in request.unexplained if word not in step.word("file")]
    is_lacking = step.act == "json.get" and bool(step.word("file")) and not step.word("key") and len(left) == 1
    return request.instead("json.get", file=step.arguments["file"], key=(left[0],)) if is_lacking else None


def _kind_copied(request: Request) -> Step | None:
    """Return that files of a kind are copied into a folder, where their kind was taken for its name: "make a folder b, both csv into it".

    Examples
    --------
    >>> copied = Reading((Step("copy.ending", {"to": ("b",), "ending": ("csv",)}),))
    >>> said = Reading((Step("folder.make", {"to": ("两个 csv",)}),), others=(copied,))
    >>> _kind_copied(Request(said, "建个 b 文件夹, 两个 csv 都复制进去", Context())).arguments
    {'ending': ('csv',), 'to': ('b/',)}
    """
    steps = [reading.steps[0] for reading in request.reading.others if reading.steps]
    is_kind = any(kind_of_file(word) for word in request.step.word("to").split()) and request.step.act == "folder.make"
    found = next(
        (one for one in steps if one.act in {"copy.ending", "move.ending"} and one.word("to") and one.word("ending")),
        None,
    )
    if not is_kind or found is None:
        return None
    return request.instead(found.act, ending=found.arguments["ending"], to=(f"{found.word('to').rstrip('/')}/",))


def _numbered_line(request: Request) -> Step | None:
    """Return that a line of the list that is spoken of goes, which is told by its place: "strike the second one".

    Examples
    --------
    >>> shown = Context(Step("read", {"file": ("list.txt",)}), "list.txt")
    >>> said = Reading((Step("task.done", {"text": ("the second one",)}),))
    >>> _numbered_line(Request(said, "strike the second one", shown)).arguments
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
    if any("tick" in one for one in request.wishes) and BOX.search(dict(request.context.read).get(file, "")):
        return request.instead("line.tick", file=(file,), find=(words[0],))
    is_bare = all(is_small(word) or concepts_of(word) or rank(word) is not None for word in words[0].split())
    is_listed = request.context.is_open or file in request.context.shown
    if is_listed or not is_bare or step.act not in _GOING or asks(request.text):
        return None
    return request.instead("line.delete", file=(file,), line=(words[0],))


def _sorted(request: Request) -> Step | None:
    """Return that only the first rows are wanted of those that were just sorted, or the last first: "only the first three".

    Examples
    --------
    >>> told = Context(last=Step("read.sorted", {"file": ("a.csv",)}, text="sort a.csv by price, dearest first"))
    >>> read = Reading((Step("read.first", {"n": ("three",)}),))
    >>> _sorted(Request(read, "only the first three", told)).text
    'sort a.csv by price, dearest first, three'
    >>> told = Context(last=Step("rows.sorted", {"column": ("price",)}, text="sort it by price"))
    >>> _sorted(Request(Reading((Step("read.reversed", {}),)), "the other way round", told)).text
    'the other way round'
    """
    step, last = request.step, request.last
    is_sorted = last.act in {"read.sorted", "rows.sorted"} and not step.word("file")
    before = last.text.partition("\n")[0]
    if is_sorted and step.act == "read.reversed" and last.word("column"):
        is_down, _ = ranked(before, request.language, last.word("column"))
        return last._replace(text="" if is_down else request.text)
    return (
        last._replace(text=f"{before}, {step.word('n')}")
        if is_sorted and step.word("n") and step.act == "read.first"
        else None
    )


def _lines_shown(request: Request) -> Step | None:
    """Return that some lines of the file that was shown are wanted: "only the errors"; or what was counted of it is kept.

    Examples
    --------
    >>> shown = Context(Step("read.last", {"file": ("a.log",)}), "a.log")
    >>> _lines_shown(Request(Reading((Step("search", {"find": ("errors",)}),)), "only the errors", shown)).arguments
    {'file': ('a.log',), 'find': ('errors',)}
    >>> counted = Context(Step("count.matches", {"file": ("a.log",), "find": ("WARN",)}), "a.log")
    >>> said = Reading((Step("same", {"to": ("b.txt",)}, "write"),))
    >>> _lines_shown(Request(said, "save them to b.txt", counted))[:3]
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
    is_text = last.act.startswith(("read", "summary", "count.lines", "date")) and not file.casefold().endswith(
        (".csv", ".tsv", ".json")
    )
    return request.instead("search", file=(file,), find=(word,)) if word and is_part_of_it and is_text else None


def _rows_shown(request: Request) -> Step | None:
    """Return that the first, or the last, of the rows that were shown are wanted, and no lines of the file.

    Examples
    --------
    >>> shown = Context(Step("query", {"file": ("a.csv",)}), "a.csv", shown=("1,Ann", "2,Bo", "3,Cy"))
    >>> _rows_shown(Request(Reading((Step("read.first", {"n": ("two",)}),)), "just the first two", shown)).arguments
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
        or request.concepts & {"line"}
        or any(", " in row or ENDED.search(row) for row in rows)
    ):
        return None
    kept = rows[:count] if step.act == "read.first" else rows[-count:]
    return request.instead("search", file=(request.context.file,), find=tuple(kept))


def _row_shown(request: Request) -> Step | None:
    """Return that one of the rows that were shown is wanted, told by its place: "who is the second one?".

    Examples
    --------
    >>> shown = Context(Step("query", {"file": ("a.csv",)}), "a.csv", shown=("1,Ann", "2,Bo"))
    >>> _row_shown(Request(Reading((Step("talk", {}),)), "who is the second one?", shown)).arguments
    {'file': ('a.csv',), 'find': ('2,Bo',)}
    """
    is_told = request.last.act in {"query", "rows.where", "count.matches"} and len(request.context.shown) > 1
    if not is_told or request.length > FEW_WORDS + 1 or request.names() or request.unexplained:
        return None
    row = request.shown_at_place() if request.step.act in _UNCLEAR_PLACE and not request.names("number") else ""
    return request.instead("search", file=(request.context.file,), find=(row,)) if row else None


def _of_table(request: Request) -> Step | None:
    """Return that who comes first, or last, is asked of the table that is spoken of, and no line: "who arrives first?".

    Examples
    --------
    >>> read = Reading((Step("read.first", {}),))
    >>> _of_table(Request(read, "who arrives first?", Context(file="guests.csv"))).act
    'query'
    """
    tables = [name for name in request.files if name.endswith(TABLES)]
    if request.step.act in {"about.owner", "about.agents"} and len(tables) == 1:
        return request.instead("query")  # "in helpers.csv, who has the job packing?"
    is_line = bool(request.concepts & {"line", "row"}) or request.names() or request.names("number")
    is_asked = request.step.act in {"read.first", "read.last"} and "who" in request.concepts
    asked = request.context.query
    if asked is not None and request.concepts & ASKED_OF and any("left" in one for one in request.wishes):
        return asked._replace(text=request.text) if request.length <= FEW_WORDS else None  # "so who is left?"
    if asked is not None and not (is_line or request.files) and _is_of_rows(request):
        return request.instead("query")
    return request.instead("query") if is_asked and not is_line and request.context.file.endswith(TABLES) else None


def _is_of_rows(request: Request) -> bool:
    """Tell whether a request names one or two things, and may want them of the rows that were shown: "give me their emails"."""
    step, words = request.step, sum(request.step.arguments.values(), ())
    is_bare = step.act in _MAYBE_COLUMN and not step.destination and request.length <= FEW_WORDS + 1
    named = words or tuple(request.unexplained)
    is_there = set(request.unexplained) <= {one for word in named for one in word.split()}
    return is_bare and len(named) == 1 and len(named[0].split()) <= BOTH and is_there and not is_pointer(named[0], "it")


# -- values that are set or switched ------------------------------------------------------------------------------------------


def _value_put(request: Request) -> Step | None:
    """Return that the value that was told is to be another: "make that 45", "we used some, so change it to 6", "set 30".

    Examples
    --------
    >>> told = Context(Step("query", {}), "a.csv", query=Step("query", {}))
    >>> said = Reading((Step("replace", {"old": ("2 kg",), "new": ("6",)}),))
    >>> _value_put(Request(said, "we cooked 2 kg of it, so change that to 6", told)).word("new")
    '6'
    >>> told = Context(Step("json.get", {"key": ("minutes",)}), "a.json")
    >>> _value_put(Request(Reading((Step("json.set", {"new": ("30",)}),), language="it"), "metti 30", told)).arguments
    {'file': ('a.json',), 'key': ('minutes',), 'new': ('30',)}
    """
    last, file = request.last, request.context.file
    is_table = last.act in {"query", "value.set"} and file.endswith((".csv", ".tsv"))
    is_plain = request.context.answer.lstrip()[:1] not in {"{", "["} and "\n" not in request.context.answer.strip()
    is_value = last.act in {"json.get", "json.set"} and bool(last.word("key")) and file.endswith(".json") and is_plain
    if not (is_table or is_value) or request.is_question or request.files or request.length > 2 * SHORT:
        return None
    clauses = [one for one in CLAUSES.split(request.text.rstrip(" .!")) if one.strip()]
    put = [(clause, value) for clause in clauses if (value := _value_in(clause, request.language))]
    if len(put) != 1:
        return None
    clause, new = put[0]
    is_of_last = not unexplained(clause.partition(new)[0], request.language)  # "mach 9000 draus"
    if is_table:
        return request.instead("value.set", text=(clause,), file=(file,), new=(new,))
    return request.instead("json.set", file=(file,), key=last.arguments["key"], new=(new,)) if is_of_last else None


def _value_in(clause: str, language: str) -> str:
    """Return the value that a clause says something is to be: the 45 of "so make that 45"; empty where it says none."""
    found = words_of(clause)
    values = [word.text for word in found if word.kind in _VALUES]
    told = frozenset[str]().union(*lexicon().concepts(found)[: FEW_SAID + 1])
    is_east = language in {"ja", "zh"}
    is_put = bool(told & _PUTTING) or (
        is_east and any("mark" in one for one in words_of_wishes(language).concepts(found))
    )
    is_other = bool(told & {"file", "line", "row", "append", "delete", "calculate"})
    is_last = is_east or any(word.text in values for word in found[-BOTH:])
    return values[0] if len(values) == 1 and is_put and is_last and not is_other and len(found) <= FEW_WORDS + 2 else ""


_VALUES = frozenset(("number", "measure", "time"))
_PUTTING = frozenset(("change", "put", "write", "replace", "create", "save"))
"""Concepts of verbs with which a value is set."""


def _switched(request: Request) -> Step | None:
    """Return that a value of a JSON file is put on or off, and neither said: "turn off the break in a.json", "switch it on".

    Examples
    --------
    >>> said = Reading((Step("json.set", {"file": ("a.json",)}),))
    >>> _switched(Request(said, "turn off the break in a.json", Context())).arguments
    {'file': ('a.json',), 'key': ('break',), 'new': ('false',)}
    """
    step, last, found, marks = request.step, request.last, request.words, request.wishes
    every = frozenset[str]().union(*marks)
    new = "true" if "on" in every else "false" if "stopped" in every else ""
    named = [name for name in request.files if name.endswith(".json")]
    is_said = step.act.startswith(("json.", "value.")) and not step.word("new")
    goes_on = last.act.startswith("json.") and bool(last.word("key")) and len(found) <= FEW_WORDS
    spoken = request.context.file if request.context.file.endswith(".json") else ""
    file = named[0] if len(named) == 1 else spoken
    if not new or not file or asks(request.text) or not (is_said or named or goes_on):
        return None
    marked = [word.text for word, one in zip(found, marks, strict=True) if one & {"on", "stopped"}]
    is_of_last = goes_on and not step.word("key") and len(found) <= FEW_SAID
    taken = Step(step.act, {"file": (file, *marked)}, text=request.text)
    key = step.word("key") or ("" if is_of_last else left_over(request.text, taken, request.language))
    key = key or (last.word("key") if goes_on else "")
    return request.instead("json.set", file=(file,), key=(trimmed(key),), new=(new,)) if key else None


def _boxes(request: Request) -> Step | None:
    """Return what is to be done with a list of boxes in a file: see :func:`of_boxes`."""
    return of_boxes(request.reading, request.text, request.context)


# -- what was counted, and what stands somewhere twice -----------------------------------------------------------------

_COUNTED_LINE = re.compile(r"^(\S.*): (\d+)$", re.MULTILINE)
_SHOWN_BY = {"count.matches": "search", "rows.count": "rows.where", "count.files": "list", "query": "query"}
"""What shows the things that an act counts."""
_COUNTED = frozenset(("search", "count.lines", "count.files"))
"""Acts that are asked for where lines, or files, with a word are counted."""
_MAYBE_REPEATED = frozenset(("exists", "read", "search", "unclear", "talk", "read.unique", "count.matches", "delete", "line.delete"))  # fmt: skip
"""Acts that are read where lines that stand somewhere twice are asked for, or are to go."""


def _longest_counted(request: Request) -> Step | None:
    r"""Return which of several files that were counted has most, or least: "which one is the longest?".

    Examples
    --------
    >>> told = "letters has 52 words.\nletters/a.txt: 28\nletters/b.txt: 24"
    >>> counted = Context(Step("count.words", {"file": ("letters",)}), answer=told)
    >>> _longest_counted(Request(Reading((Step("read.longest", {}),)), "which one is the longest?", counted)).arguments
    {'file': ('letters/a.txt',)}
    """
    step, last = request.reading.steps[0], request.last
    if last.act not in {"count.lines", "count.words", "count.chars"} or step.arguments.keys() - {"column"}:
        return None
    counts = {one[1]: int(one[2]) for one in _COUNTED_LINE.finditer(request.context.answer)}
    both = ((max, {"longest", "largest", "max"}), (min, {"shortest", "smallest", "min"}))
    ends = [end for end, concepts in both if request.concepts & concepts]
    if len(counts) < BOTH or len(ends) != 1 or request.names("file"):
        return None
    return request.instead(last.act, file=(ends[0](counts, key=lambda name: counts[name]),))


def _repeated(request: Request) -> Step | None:
    """Return that lines that stand somewhere twice are wanted, or are to go: "are there names that appear twice?".

    Examples
    --------
    >>> named = Context(file="a.txt")
    >>> _repeated(Request(Reading((Step("exists", {}),)), "does any name appear twice?", named)).act
    'read.repeated'
    >>> said = Reading((Step("delete", {"file": ("the duplicates",)}),))
    >>> _repeated(Request(said, "remove the duplicates", named))[:3]
    ('read.unique', {'file': ('a.txt',), 'to': ('a.txt',)}, 'write')
    """
    step, told = request.step, request.concepts
    named = [word.text for word in request.words if word.kind == "file"]
    is_gone = step.act in {"delete", "line.delete"} or ("delete" in told and bool(told & {"line", "row", "word"}))
    file = named[0] if named else request.context.file
    is_it = bool(step.act) and (step.act in _MAYBE_REPEATED or is_gone) and len(named) < BOTH and bool(file)
    if not is_it or "twice" not in request.asking or "folder" in told:
        return None
    if is_gone and "file" not in told:
        return request.instead("read.unique", "write", file=(file,), to=(file,))
    return request.instead("read.repeated", file=(file,)) if request.is_question and not is_gone else None


def _matches(request: Request) -> Step | None:
    """Return that lines with a word are to be counted, where they were to be shown, or all lines to be counted.

    Examples
    --------
    >>> read = Reading((Step("search", {"find": ("WARN",)}),))
    >>> _matches(Request(read, "and how many of them contain WARN?", Context(file="a.log")))[:2]
    ('count.matches', {'file': ('a.log',), 'find': ('WARN',)})
    """
    step, told = request.step, request.concepts
    named = [word.text for word in request.words if word.kind == "file"]
    is_maybe = step.act == "count.words" and any(
        other.steps[0].act == "count.matches" for other in request.reading.others
    )
    is_counted = is_maybe or (step.act in _COUNTED and bool(told & {"many", "count"}))
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


def _counted_shown(request: Request) -> Step | None:
    """Return that what was counted is to be shown: "show me them", "which ones?".

    Examples
    --------
    >>> counted = Context(last=Step("count.matches", {"file": ("a.log",), "find": ("WARN",)}))
    >>> _counted_shown(Request(Reading((Step("read", {"file": ("them",)}),)), "show me them", counted))[:2]
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
    return None if says_more(request.text) or request.names() else last._replace(act=shown, text=request.text)


def _difference(request: Request) -> Step | None:
    """Return the sum that tells how far the last two results are apart: "what is the difference?".

    Examples
    --------
    >>> both = Context(Step("query", {}), answer="7687", earlier="7645")
    >>> _difference(Request(Reading((Step("compare", {}),)), "what's the difference?", both)).word("text")
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


def _spoken_apart(request: Request) -> Step | None:
    """Return that the two files that were spoken of last are compared, where none is named: "show the difference".

    Examples
    --------
    >>> copied = Context(Step("copy", {"file": ("b.md",)}), "b.md", spoken=("a.md", "b.md"))
    >>> _spoken_apart(Request(Reading((Step("compare", {}),)), "show the difference", copied)).arguments
    {'file': ('a.md', 'b.md')}
    """
    spoken = request.context.spoken[-BOTH:]
    is_bare = request.step.act == "compare" and not (request.step.arguments or request.files or request.unexplained)
    return request.instead("compare", file=spoken) if is_bare and len(spoken) == BOTH else None


def _number_told(line: str, language: str) -> Decimal | None:
    """Return the number that a line is, or that it says of a file."""
    told = (said(key, language, line) for key in ("count.lines", "count.words", "count.chars", "count.rows"))
    counted = next((one["n"] for one in told if one is not None), line)
    name, colon, value = counted.partition(": ")
    return number((value if colon and "(" not in name else counted).partition(" ")[0])


# -- what is asked of the file that is spoken of, of the tasks and of the clock ------------------------------------------

_MAYBE_OPEN = frozenset(("read", "talk", "unclear", "list", "recall", "rows.where", "cell"))
"""Acts that are read where it is asked what is still open."""
_MAYBE_COLUMN = frozenset(("task.list", "list", "list.ending", "talk", "unclear", "read"))
"""Acts that are read where the values of a column are asked for."""


def _column_listed(request: Request) -> Step | None:
    r"""Return that the values of a column of the table that was shown are wanted: "list the cities".

    Examples
    --------
    >>> shown = Context(Step("read", {}), "a.csv", read=(("a.csv", "city,price\nRome,4\nOslo,6"),))
    >>> _column_listed(Request(Reading((Step("task.list", {}),)), "list the cities", shown)).arguments
    {'file': ('a.csv',), 'column': ('city',)}
    """
    head = dict(request.context.read).get(request.context.file, "").partition("\n")[0]
    is_table = request.context.file.endswith((".csv", ".tsv")) and not request.names() and len(request.unexplained) == 1
    if not is_table or request.step.act not in _MAYBE_COLUMN or request.length > FEW_WORDS + 1:
        return None
    columns = [
        name for name in re.split(r"[,;\t]", head) if names_column(request.unexplained[0], name, request.language)
    ]
    file = request.context.file
    return request.instead("column.distinct", file=(file,), column=(columns[0],)) if len(columns) == 1 else None


def _columns_only(request: Request) -> Step | None:
    """Return that columns of a table are to be shown, and not which there are: "only the columns item and price of a.csv".

    Examples
    --------
    >>> said = Reading((Step("columns", {"file": ("a.csv",)}),))
    >>> _columns_only(Request(said, "show only the columns city and street of a.csv", Context())).arguments
    {'file': ('a.csv',)}
    >>> _columns_only(Request(said, "which columns does a.csv have?", Context()))
    """
    step, file = request.step, request.step.word("file") or request.context.file
    is_it = step.act == "columns" and file.endswith((".csv", ".tsv")) and not request.is_question
    left = [word for word in request.unexplained if word not in file]
    return request.instead("query", file=(file,)) if is_it and left else None


def _called(request: Request) -> Step | None:
    """Return that the names are wanted of those who were counted or shown: "and what are they called?".

    Examples
    --------
    >>> counted = Step("query", {"file": ("a.csv",), "query": ("count where country is Italy",)})
    >>> said = Reading((Step("talk", {}),))
    >>> _called(Request(said, "what are they called?", Context(counted, "a.csv", query=counted)))[:2]
    ('query', {'file': ('a.csv',)})
    """
    asked = request.context.query
    is_it = asked is not None and "named" in request.asking and request.length <= SHORT and not request.files
    is_look = bool(request.step.act) and not is_change(request.step.act) and not request.names()
    if asked is None or not (is_it and is_look) or request.context.file != asked.word("file"):
        return None
    return Step("query", {"file": asked.arguments["file"]}, text="and their names")


def _also_of_kind(request: Request) -> Step | None:
    """Return that files of a kind go where another one just went: "and both csv files".

    Examples
    --------
    >>> copied = Context(Step("copy", {"file": ("a.md",), "to": ("old/",)}))
    >>> said = Reading((Step("list.ending", {"ending": ("csv",)}),))
    >>> _also_of_kind(Request(said, "and both csv files", copied))[:2]
    ('copy.ending', {'ending': ('csv',), 'to': ('old/',)})
    """
    step, last = request.step, request.last
    told = lexicon().concepts(request.words)
    is_more = last.act in {"copy", "move"} and last.word("to").endswith("/") and bool(told) and "and" in told[0]
    if not is_more or step.act != "list.ending" or request.is_question or request.concepts & SHOWING:
        return None
    return request.instead(f"{last.act}.ending", ending=step.arguments.get("ending", ()), to=last.arguments["to"])


def _in_there(request: Request) -> Step | None:
    """Return that what is in the folder where something just went is listed or counted: "how many files are in there now?".

    Examples
    --------
    >>> moved = Context(changed=Step("copy", {"file": ("a.md",), "to": ("old/",)}))
    >>> said = Reading((Step("count.files", {"file": ("there",)}),))
    >>> _in_there(Request(said, "how many files are in there now?", moved)).arguments
    {'file': ('old/',)}
    """
    changed = request.context.changed
    is_it = request.step.act in {"count.files", "list"} and any("therein" in one for one in request.wishes)
    where = changed.word("to") if changed is not None else ""
    is_bare = not request.names() and len(request.unexplained) <= len(request.step.word("file").split())
    return request.instead(request.step.act, file=(where,)) if is_it and is_bare and where.endswith("/") else None


def _put_there(request: Request) -> Step | None:
    """Return that a file goes where another one just went: "and move b.log there".

    Examples
    --------
    >>> copied = Context(Step("copy", {"file": ("a.md",), "to": ("old/",)}))
    >>> _put_there(Request(Reading((Step("move", {"file": ("b.log",)}),)), "and move b.log there", copied)).arguments
    {'file': ('b.log',), 'to': ('old/',)}
    """
    step, last = request.step, request.last
    to = last.word("to") if last.act in {"copy", "move", "copy.ending", "move.ending"} else ""
    is_lacking = step.act in {"copy", "move"} and bool(step.word("file")) and not step.word("to")
    is_there = any(is_pointer(word.text, "it") for word in request.words) or any(
        "therein" in one for one in request.wishes
    )
    return (
        step.with_arguments(to=(to,))._replace(text=request.text)
        if is_lacking and is_there and to.endswith("/")
        else None
    )


_MADE = frozenset(("write", "create", "copy", "rename", "move", "append", "query", "search"))
"""Acts behind which a file that was made is to be somewhere else."""


def _largest_row(request: Request) -> Step | None:
    """Return that the largest, or the smallest, of the rows that were shown is wanted, and no file: "which of those is the biggest?".

    Examples
    --------
    >>> shown = Context(Step("rows.where", {"file": ("a.csv",), "column": ("height",)}), "a.csv")
    >>> _largest_row(Request(Reading((Step("list.largest", {}),)), "which of those is the biggest?", shown)).text
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


def _rather_in(request: Request) -> Step | None:
    """Return that the file that was just made or put somewhere is to be in another folder: "no, in the reports folder".

    Examples
    --------
    >>> made = Step("write", {"file": ("a.txt",)})
    >>> said = Reading((Step("query", {}),))
    >>> _rather_in(Request(said, "no, in the reports folder", Context(made, "a.txt", changed=made))).arguments
    {'file': ('a.txt',), 'to': ('reports/',)}
    """
    last, changed, told = request.last, request.context.changed, lexicon().concepts(request.words)
    made = changed.word("file") or request.context.file if changed is not None else ""
    is_made = last.act in _MADE and bool(made) and made == request.context.file and not request.context.is_open
    is_no = bool(told) and bool(told[0] & (NEGATING | {"no"}) or "sorry" in request.wishes[0])
    is_place = {"folder", "in"} <= request.concepts and len(request.unexplained) == 1 and not request.files
    if not (is_made and is_no and is_place) or request.is_question or request.length > SHORT:
        return None
    return request.instead("move", file=(made,), to=(f"{request.unexplained[0]}/",))


def _ticked_too(request: Request) -> Step | None:
    """Return that another of the boxes is ticked off like the one before: "and the last".

    Examples
    --------
    >>> ticked = Context(Step("line.tick", {"file": ("a.md",), "find": ("soil",)}), "a.md")
    >>> _ticked_too(Request(Reading((Step("read.last", {}),)), "and the last", ticked)).arguments
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


def _several_kept(request: Request) -> Step | None:
    """Return that the rows that were shown go to a file, where it is said how many they are: "write the three to a.txt".

    Examples
    --------
    >>> shown = Context(Step("query", {}), "a.csv", shown=("Ann", "Bo", "Cy"))
    >>> said = Reading((Step("write", {"file": ("b.txt",), "text": ("the three",)}),))
    >>> _several_kept(Request(said, "write the three to b.txt", shown)).arguments
    {'file': ('b.txt',), 'text': ('it',)}
    """
    step = request.step
    found = [count for word in words_of(step.word("text")) if (count := rank(word.text))] if step.word("text") else []
    left = [word for word in request.unexplained if word not in {*request.files, step.word("text")}]
    is_it = step.act in {"write", "append"} and found == [len(request.context.shown)] and found[0] > 1 and not left
    return request.instead(step.act, file=step.arguments.get("file", ()), text=("it",)) if is_it else None


def _column_kept(request: Request) -> Step | None:
    """Return that a column of the rows that were shown goes to a file: "put their names in a.txt".

    Examples
    --------
    >>> rows = Step("query", {"file": ("a.csv",), "query": ("rows where country is Spain",)})
    >>> shown = Context(rows, "a.csv", query=rows)
    >>> said = Reading((Step("write", {"file": ("b.txt",), "text": ("their names",)}),))
    >>> _column_kept(Request(said, "put their names in b.txt", shown))[:3]
    ('query', {'file': ('a.csv',), 'to': ('b.txt',)}, 'write')
    """
    asked, step = request.context.query, request.step
    tables = [name for name in request.files if name.endswith((".csv", ".tsv"))]
    files = [name for name in request.files if name not in tables]
    if len(tables) == len(files) == 1:  # "make a file a.txt with the names from b.csv"
        asked = Step("query", {"file": (tables[0],), "query": ("rows",)})
    told = parse_query(asked.word("query")) if asked is not None else None
    is_said = bool(request.concepts & (KEEPING | {"create"})) and not request.is_question
    is_kept = step.act not in {"", "delete", "move"} and is_said
    if asked is None or told is None or told.wanted or told.by or not is_kept or len(files) != 1:
        return None
    (to,), file = files, asked.word("file")
    said = request.text.replace(to, " ")
    found = [word for word in words_of(said) if word.kind == "word"]
    named = [word.text for word in found if names_column(word.folded, "name", request.language)]
    is_other = to == file or any(word.is_quoted or word.kind == "number" for word in request.words)
    if len(named) != 1 or is_other or len(unexplained(said, request.language)) > 1:
        return None
    return Step(
        "query", {"file": (file,), "to": (to,)}, "append" if "append" in request.concepts else "write", named[0]
    )


def _copy_gone(request: Request) -> Step | None:
    """Return that the copy that was made is to go: "I don't need the copy after all, delete it".

    Examples
    --------
    >>> made = Step("copy", {"file": ("a.md",), "targets": ("b.md",)})
    >>> said = Reading((Step("copy", {"file": ("that",)}),))
    >>> _copy_gone(Request(said, "no, throw that copy away", Context(made, "b.md", changed=made))).arguments
    {'file': ('b.md',)}
    """
    changed = request.context.changed
    is_made = (
        changed is not None and changed.act in {"copy", "rename", "move"} and request.last.act in {"copy", "rename"}
    )
    made = (
        changed.arguments.get("targets") or changed.arguments.get("to", ()) if changed is not None and is_made else ()
    )
    is_gone = any(says_gone(clause, request.language) for clause in _CLAUSE.split(request.text))
    acts_of_it = {"copy", "line.delete", "no"} | ({"delete"} if request.last.act == "rename" else set())
    is_it = "copy" in request.concepts and is_gone and request.step.act in acts_of_it
    if not is_it or request.names() or len(made) != 1 or request.context.asked is not None:
        return None
    return request.instead("delete", file=made)


_SOME_ONE = "one"
"""What stands for one of several files, of which nobody has said which."""


def _one_of_them(request: Request) -> Step | None:
    """Return that one of the files that were listed is to go, and not said which: "delete one of them".

    Examples
    --------
    >>> listed = Context(Step("list", {}), "letters", shown=("letters/a.txt", "letters/b.txt"))
    >>> _one_of_them(Request(Reading((Step("delete", {}),)), "delete one of them", listed)).arguments
    {'file': ('one',)}
    >>> _one_of_them(Request(Reading((Step("delete", {}),)), "delete that one", listed))
    """
    step, context = request.step, request.context
    files = [name for name in context.shown if ENDED.search(name)]
    told = lexicon().concepts(request.words)
    at = next((at for at, one in enumerate(told) if at and "one_number" in one and "delete" in told[at - 1]), 0)
    is_it = step.act in {"delete", "line.delete"} and len(files) > 1 and bool(at) and not request.unexplained
    if is_it and not request.names():
        return request.instead("delete", file=(request.words[at].text,))
    is_listed = len(files) > 1 or request.last.act in {"list", "count.files"}
    other = {*request.files, *request.unexplained} - set(step.arguments.get("to", ()))
    said = step.word("file")
    is_any = "one_number" in concepts_of(said) and not is_pointer(said, "it")  # "one of them"
    is_one = (is_any or "one" in said_of_tables(said, request.language)) and len(step.arguments.get("file", ())) == 1
    is_placed = any(rank(word.text) and "one_number" not in concepts_of(word.text) for word in request.words)
    is_bare = is_listed and is_one and not (other or is_placed or context.file in files or context.asked)
    if step.act not in {"delete", "move", "rename"} or not is_bare:
        return None
    return step.with_arguments(file=(_SOME_ONE,))._replace(text=request.text)


def _to_buy(request: Request) -> Step | None:
    """Return that the shopping list is meant, where it is asked what is to be bought: "what do we still have to buy?".

    Examples
    --------
    >>> _to_buy(Request(Reading((Step("task.list", {}),)), "what do we still have to buy?", Context())).arguments
    {'file': ('shopping list',)}
    """
    is_it = request.step.act in _MAYBE_OPEN | {"task.list"} and "buy" in request.asking and request.is_question
    is_bare = not request.names() and not request.files and len(request.unexplained) <= 1 and request.length <= SHORT
    is_list = request.context.file and calls_list(request.context.file.rpartition("/")[2].rpartition(".")[0])
    name = request.context.file if is_list else "shopping list"
    return request.instead("read", file=(name,)) if is_it and is_bare else None


def _wrote(request: Request) -> Step | None:
    """Return that a letter is to be read, where it is asked what was written to somebody: "what did I write to the council?".

    Examples
    --------
    >>> said = Reading((Step("talk", {}),))
    >>> _wrote(Request(said, "what did I write to the council?", Context())).arguments
    {'file': ('letter council',)}
    """
    step = request.step
    is_maybe = step.act in _MAYBE_OPEN | {"task.list", "exists", "search"} or (
        bool(step.act) and step.act not in acts()
    )
    is_it = is_maybe and "wrote" in request.asking and request.is_question and not request.names()
    is_it = is_it and not request.concepts & {"where", "who"}
    to_whom = [word.text for word in request.words if word.kind == "word" and not is_small(word.text)][-1:]
    told = request.asking if is_it else frozenset[str]()
    is_named = bool(to_whom) and "wrote" not in said_of_tables(to_whom[0], request.language) and "wrote" in told
    whom = to_whom if is_named else [word for word in request.unexplained if word.isalpha()]
    return request.instead("read", file=(f"letter {whom[0]}",)) if is_it and len(whom) == 1 else None


def _still_open(request: Request) -> Step | None:
    """Return that what is to be done is asked for, where it was read as anything else: "what is still open?".

    Examples
    --------
    >>> _still_open(Request(Reading((Step("read", {}),)), "what is still open?", Context())).act
    'task.list'
    """
    step = request.step
    is_maybe = step.act in _MAYBE_OPEN or (bool(step.act) and step.act not in acts())
    is_bare = not request.names() and not request.unexplained and request.length <= FEW_WORDS + 1
    is_of_other = request.context.query is not None or bool(request.context.file)
    if not (is_maybe and is_bare and request.is_question) or is_of_other or "many" in request.concepts:
        return None
    return request.instead("task.list") if state_of_boxes(request.text, request.language) == "open" else None


def _clock(request: Request) -> Step | None:
    """Return that the clock of this machine is asked: "what time is it?".

    Examples
    --------
    >>> _clock(Request(Reading((Step("date", {"file": ("it",)}),)), "what time is it?", Context())).word("command")
    'date'
    """
    is_it = "clock" in request.asking and request.length <= SHORT and not request.unexplained
    return Step("run", {"command": ("date",)}, text="date") if is_it else None


_MAYBE_TOLD = frozenset(
    ("date", "unclear", "talk", "recall", "cell", "json.get", "same", "search", "read", "about.owner")
)
"""Acts that are read where something is asked of the text that was shown."""
_TIME = re.compile(r"\b\d{1,2}[:h.]\d\d\b|\b(?:19|20)\d\d\b|\d ?(?:Uhr|o'clock|am|pm)\b", re.IGNORECASE)
_MONEY = re.compile(
    r"\d[\d.,]*\s?(?:€|\$|£|¥|eur|euros?|dollars?|pounds?|usd|gbp|pln|zł|złotych|reais|円|元|块)|[€$£¥]\s?\d",
    re.IGNORECASE,
)


def _told_there(request: Request) -> Step | None:
    r"""Return the line of the text that was shown which tells when, or how much: "and when can he come?".

    Examples
    --------
    >>> letter = "Dear Ms. Day,\nThe pipe costs 145 euro.\nI can come on Thursday 24 October."
    >>> shown = Context(Step("read", {}), "a.txt", read=(("a.txt", letter),))
    >>> _told_there(Request(Reading((Step("date", {}),)), "and when can he come?", shown)).word("find")
    'I can come on Thursday 24 October.'
    >>> _told_there(Request(Reading((Step("talk", {}),)), "how much money does he want?", shown)).word("find")
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


def _still_there(request: Request) -> Step | None:
    """Return that it is asked whether the file that is spoken of exists: "is it still there?".

    Examples
    --------
    >>> kept = Context(Step("delete", {}), "a.txt")
    >>> _still_there(Request(Reading((Step("list", {}),)), "so is it still there?", kept)).arguments
    {'file': ('a.txt',)}
    """
    asked = request.context.asked
    spoken = (request.last.word("file") if request.last.act == "delete" else "") or request.context.file
    spoken = asked.steps[0].word("file") if asked is not None and asked.steps else spoken
    is_asked = request.is_question and not request.concepts & (ASKED_OF | {"how", "in"})
    is_it = "still" in request.asking and is_asked and request.length <= SHORT and not request.files
    return request.instead("exists", file=(spoken,)) if is_it and ENDED.search(spoken) else None


_OF_TEXTS = frozenset(("append", "prepend", "write", "replace", "line", "json", "value", "undo", "create"))
"""First parts of acts that change a text."""


def _says_now(request: Request) -> Step | None:
    """Return that the file that was just changed is to be shown: "and what does it say now?".

    Examples
    --------
    >>> put = Context(Step("replace", {"file": ("a.txt",)}), "a.txt")
    >>> _says_now(Request(Reading((Step("search", {}),)), "what does it say now?", put)).arguments
    {'file': ('a.txt',)}
    """
    last, file, step = request.last, request.context.file, request.step
    is_asked = (
        request.is_question
        and {"what", "contain"} <= request.concepts
        and not (request.names() or (request.asking & {"does"} and last.act.startswith("run")))
    )
    is_bare = step.act in {"search", "list", "unclear", "talk", "task.list", "same"} or step.act not in acts()
    is_of_it = (
        last.act.partition(".")[0] in _OF_TEXTS and ENDED.search(file) is not None and request.context.asked is None
    )
    return (
        request.instead("read", file=(file,))
        if is_asked and is_bare and is_of_it and request.length <= FEW_WORDS + 1
        else None
    )


def _left_in_folder(request: Request) -> Step | None:
    """Return that it is asked how many files are left where one just went: "how many are left?".

    Examples
    --------
    >>> gone = Context(Step("delete", {"file": ("letters/a.txt",)}))
    >>> _left_in_folder(Request(Reading((Step("count.lines", {}),)), "how many are left?", gone)).arguments
    {'file': ('letters',)}
    """
    folder = request.last.word("file").rpartition("/")[0] if request.last.act in {"delete", "move"} else ""
    is_left = any("left" in one for one in request.wishes) and "many" in request.concepts
    is_it = bool(folder) and is_left and not request.names() and not request.concepts & {"line", "row", "word"}
    return request.instead("count.files", file=(folder,)) if is_it else None


def _same_value(request: Request) -> Step | None:
    """Return that the value that was looked up, or set, is looked up again: "is it on now?".

    Examples
    --------
    >>> put = Context(Step("json.set", {"file": ("a.json",), "key": ("bar",), "new": ("true",)}), "a.json")
    >>> _same_value(Request(Reading((Step("exists", {"file": ("it",)}),)), "is it on now?", put)).arguments
    {'file': ('a.json',), 'key': ('bar',)}
    """
    last = request.last
    is_it = last.act in {"json.get", "json.set"} and request.is_question and "active" in request.asking
    if not is_it or request.length > FEW_WORDS or request.unexplained or is_change(request.step.act):
        return None
    return request.instead("json.get", file=last.arguments.get("file", ()), key=last.arguments.get("key", ()))


# -- programs, and results that are kept -------------------------------------------------------------------------------

_MAYBE_PROGRAM = frozenset(("ask.change", "same", "talk", "unclear", "read", "about.agents", "about.owner", "run", "run.file", "code.show", "exists"))  # fmt: skip
"""Acts that are read where it is asked what a program does."""
_OF_PROGRAM = re.compile(r"[\w./-]+\.(?:py|sh|js|r|rb|pl|bash)\b")
_OTHERWISE = frozenset(("move", "rename", "delete", "copy", "replace", "run", "prepend"))
_PLACED_AT = frozenset(("in", "into", "between"))
_PLACING = _PLACED_AT | frozenset("from file change one_number create name please and then move".split())
"""Concepts of a wish to write what was shown that speaks of the file alone: "save to a.txt", "mets-les dans un fichier a.txt"."""
_SHOWN = frozenset(("it", "answer", "print", "line", "row", "name", "number", "list", "value", "sum"))
"""Concepts of a wish to write what was shown, of none, and of what was shown."""


def _sum_of_both(request: Request) -> Step | None:
    """Return the sum of the last two results: "what is that for the two together?".

    Examples
    --------
    >>> both = Context(Step("query", {}), answer="30 (a.csv: min pay)", earlier="85 (a.csv: max pay)")
    >>> said = Reading((Step("column.sum", {}),))
    >>> _sum_of_both(Request(said, "what is that for the two together?", both)).word("text")
    '85 + 30'
    """
    told = (request.context.earlier.partition("\n")[0], request.context.answer.partition("\n")[0])
    values = [value for line in told if (value := _number_told(line, request.language)) is not None]
    is_both = bool(request.concepts & {"two", "both"}) and ("together" in request.asking or "sum" in request.concepts)
    is_other = request.length > SHORT or request.names("file", "folder") or len(request.context.shown) > 1
    if not is_both or is_other or len(values) != BOTH or _changes(request.step):
        return None
    return request.instead("calculate", text=(" + ".join(map(written, values)),))


def _line_kept(request: Request) -> Step | None:
    """Return that the line that was shown goes to a file, and not the whole file: "copy that line to a.txt".

    Examples
    --------
    >>> shown = Context(Step("query", {}), "calls.log", shown=("17:40 Diego",))
    >>> said = Reading((Step("copy", {"to": ("a.txt",)}),))
    >>> _line_kept(Request(said, "copy that line to a.txt", shown)).arguments
    {'file': ('a.txt',), 'text': ('17:40 Diego',)}
    """
    step, shown = request.step, request.context.shown
    is_line = bool(request.concepts & {"line", "row"}) and points_back(request.text) and 0 < len(shown) <= SHORT
    is_copy = step.act == "copy" and not any(map(ENDED.search, step.arguments.get("file", ())))
    goal = step.word("to") if is_copy else ""
    if not (is_line and ENDED.search(goal)) or request.context.file in shown:
        return None
    return request.instead("write", file=(goal,), text=tuple(shown))


def _instead_of(request: Request) -> Step | None:
    r"""Return that one word of the text that was shown stands for another: "they will be 31 and not 28, correct the letter".

    Examples
    --------
    >>> shown = Context(Step("read", {}), "a.txt", read=(("a.txt", "Your 28 pupils\nare welcome."),))
    >>> said = Reading((Step("forget", {}),))
    >>> _instead_of(Request(said, "they will be 31 and not 28, can you correct that?", shown)).arguments
    {'file': ('a.txt',), 'old': ('28',), 'new': ('31',)}
    """
    context, found = request.context, request.words
    text = dict(context.read).get(context.file) or "\n".join(context.shown)
    numbers = [at for at, word in enumerate(found) if word.kind in {"number", "measure"}]
    if len(numbers) != BOTH or request.files or not text or not ENDED.search(context.file):
        return None
    new, old = (found[at].text for at in numbers)
    between = lexicon().concepts(found)[numbers[0] + 1 : numbers[1]]
    is_instead = any(one & NEGATING for one in between) or any(
        "instead" in one for one in request.wishes[numbers[0] + 1 : numbers[1]]
    )
    has = [re.search(rf"(?<![\d.,]){re.escape(one)}(?![\d])", text) is not None for one in (new, old)]
    if not is_instead or has != [False, True] or context.file.endswith(TABLES):
        return None
    return request.instead("replace", file=(context.file,), old=(old,), new=(new,))


def _both_kept(request: Request) -> Step | None:
    """Return that the last two results are to be written to a file: "save both numbers in totals.txt".

    Examples
    --------
    >>> told = Context(Step("query", {}), answer="66 (a.csv: sum fee)", earlier="222 (a.csv: sum fee)")
    >>> _both_kept(Request(Reading((Step("write", {}),)), "save these two numbers in totals.txt", told)).arguments
    {'file': ('totals.txt',), 'text': ('222', '66')}
    """
    context, told = request.context, request.concepts
    is_named = bool(told & {"number", "value", "sum", "answer"}) or not (request.unexplained or context.shown)
    is_both = bool(told & {"two", "both"}) and is_named and bool(told & KEEPING)
    if not is_both or len(request.files) != 1 or request.step.act in {"", "delete"}:
        return None
    lines = (context.earlier.partition("\n")[0], context.answer.partition("\n")[0])
    values = [value for line in lines if (value := _number_told(line, request.language)) is not None]
    if len(values) != BOTH:
        return None
    act = "append" if told & {"append"} else "write"
    return request.instead(act, file=(request.files[0],), text=tuple(map(written, values)))


def _more_lines(request: Request) -> Step | None:
    """Return that the lines of two files are counted, where it is asked which has more: "which of a.csv and b.csv has more rows?".

    Examples
    --------
    >>> said = Reading((Step("columns", {"file": ("a.csv",)}), Step("columns", {"file": ("b.csv",)})))
    >>> _more_lines(Request(said, "a.csv or b.csv, which has more rows?", Context())).arguments
    {'file': ('a.csv', 'b.csv')}
    """
    is_most = bool({"most", "least"} & request.asking or {"more", "less", "max", "largest"} & request.concepts)
    is_most = is_most or "many" in request.concepts
    is_of_lines = bool(request.concepts & {"row", "line"}) and is_most and request.is_question
    if len(request.files) != BOTH or not is_of_lines or any(map(_changes, request.reading.steps)):
        return None
    return request.instead("count.lines", file=tuple(request.files))


def _program(request: Request) -> Step | None:
    """Return that a program, or one of its functions that were listed, is to be shown: "what does this script do?".

    Examples
    --------
    >>> ran = Context(Step("run", {"command": ("python3 report.py",)}))
    >>> _program(Request(Reading((Step("same", {}),)), "and what does this script do?", ran)).arguments
    {'file': ('report.py',)}
    >>> listed = Context(Step("code.list", {"file": ("a.py",)}), "a.py", shown=("load", "save"))
    >>> _program(Request(Reading((Step("read.last", {}),)), "what does the last one do?", listed)).arguments
    {'file': ('a.py',), 'name': ('save',)}
    """
    step, last, text, file = request.step, request.last, request.text, request.context.file
    if last.act in {"code.list", "code.show"} and not request.names("file") and (name := request.shown_at_place()):
        is_one = "does" in request.asking or step.act in _UNCLEAR_PLACE | {"code.show", "list"}
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


def _renamed_inside(request: Request) -> Step | None:
    """Return that the function that was shown is to have another name, and no file.

    Examples
    --------
    >>> shown = Context(Step("code.show", {"file": ("a.py",), "name": ("load",)}), "a.py")
    >>> _renamed_inside(Request(Reading((Step("rename", {"to": ("load_all",)}),)), "rename it to load_all", shown)).arguments
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
    rest = request.text.replace(file, " ", 1)
    every = frozenset[str]().union(*lexicon_of(request.language).concepts(words_of(rest)))
    is_bare = every <= KEEPING | _PLACING and bool(every & _PLACED_AT or request.language in {"ja", "zh"})
    is_other = bool(every & (_OTHERWISE - {"move"} if "put" in every else _OTHERWISE))  # nothing is moved into a file
    is_clear = bool(every & KEEPING) and not is_other and (bool(every & _SHOWN) or is_bare)
    if not is_clear or says_more(rest):
        return None
    return request.instead("append" if "append" in every else "write", file=(file,), text=("it",))


Rule = Callable[[Request], Step | None]
RULES: tuple[Rule, ...] = (
    _lacking,
    _longest_of,
    _compared,
    _more_lines,
    _folders,
    _one_listed,
    _next_listed,
    _shown_line,
    _of_table,
    _line_at_place,
    _line_added,
    _line_with,
    _those_boxes,
    _key_left,
    _kind_copied,
    _numbered_line,
    _value_put,
    _switched,
    _sorted,
    _boxes,
    _largest_row,
    _rather_in,
    _ticked_too,
    _copy_gone,
    _one_of_them,
    _taken_out,
    _column_listed,
    _columns_only,
    _called,
    _also_of_kind,
    _in_there,
    _put_there,
    _to_buy,
    _wrote,
    _still_open,
    _clock,
    _still_there,
    _says_now,
    _left_in_folder,
    _same_value,
    _told_there,
    _lines_shown,
    _longest_counted,
    _renamed_inside,
    _program,
    _rows_shown,
    _row_shown,
    _repeated,
    _matches,
    _counted_shown,
    _difference,
    _spoken_apart,
    _sum_of_both,
    _several_kept,
    _column_kept,
    _both_kept,
    _line_kept,
    _instead_of,
    answer_kept,
)
"""The rules, in the order in which they are asked: the first that fits is right."""
