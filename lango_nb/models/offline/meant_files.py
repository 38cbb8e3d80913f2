"""Requests about files and folders that mean another step than was read: two beside each other, one of several, where they go."""

from __future__ import annotations

import re

from lango_nb.models.offline.followups import ENDED, says_more
from lango_nb.models.offline.lexicon import NEGATING, UNSPACED, concepts_of, lexicon, lexicon_of
from lango_nb.models.offline.lexicon import words as words_of
from lango_nb.models.offline.lists import FEW_WORDS, SHOWING, words_of_wishes
from lango_nb.models.offline.names import (
    ARTICLES,
    asks,
    back_in,
    calls_list,
    compared_in,
    counted_up,
    described_both,
    is_asking,
    is_noun_of_file,
    is_pointer,
    is_small,
    kind_of_file,
    pick,
    points_back,
    rank,
    says_merge,
    telling_words,
)
from lango_nb.models.offline.plan import Context, Reading, Step, acts, is_change  # noqa: F401 - in the examples
from lango_nb.models.offline.question import kind_of_more, said_of_tables, words_of_tables
from lango_nb.models.offline.request import (
    ASKED_OF,
    CLAUSE,
    MAYBE_OPEN,
    SHORT,
    Request,
    is_changing,
    says_gone,
    telling_in,
)
from lango_nb.models.offline.steps import BOTH

_YEAR = re.compile(r"(?:19|20)\d\d")
_WITHIN = ("に", "里", "中", "上", "裡")
"""What stands behind a file in which something is, where there are no blanks."""
_OF_ONE = frozenset(("delete", "move", "copy", "rename"))
"""Acts that the longer, older … of two files may be for."""
_TOLD_BY = {"longer": "count.lines", "shorter": "count.lines", "larger": "size", "smaller": "size"}
"""What tells which of two files is longer, larger …; its date tells the rest."""
_MAYBE_ALIKE = frozenset(("exists", "same", "read", "unclear", "talk", "compare", "ask.change"))
"""Acts that are read where it is asked whether two files are the same."""


def lacking(request: Request) -> Step | None:
    """Return that the lines of one file are wanted which another one lacks: "what is in a.txt but not in b.txt?".

    Examples
    --------
    >>> talk = Reading((Step("talk", {}),))
    >>> lacking(Request(talk, "what is in a.txt that isn't in b.txt?", Context())).arguments["file"]
    ('a.txt', 'b.txt')
    >>> german = talk._replace(language="de")
    >>> lacking(Request(german, "was fehlt in a.txt, was in b.txt steht?", Context())).arguments["file"]
    ('b.txt', 'a.txt')
    >>> lacking(Request(talk, "show a.txt, not b.txt", Context()))
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


def merged(request: Request) -> Step | None:
    """Return that what several files hold goes into a new one: "merge a.csv and b.csv into c.csv", "join the lists in all.txt".

    Examples
    --------
    >>> said = Request(Reading((Step("move", {}),)), "merge a.csv and b.csv into c.csv", Context())
    >>> merged(said)[1:3]
    ({'file': ('a.csv', 'b.csv'), 'to': ('c.csv',)}, 'write')
    >>> merged(Request(Reading((Step("append", {}),)), "join a.txt to b.txt", Context()))
    >>> text = Reading((Step("write", {"text": ("we will eat dinner together",)}),))
    >>> merged(Request(text, "write to a.txt that we will eat dinner together", Context()))
    """
    is_text = bool(request.step.word("text")) and says_merge(request.step.word("text"))
    named = [name for name in dict.fromkeys(request.files) if ENDED.search(name)]
    is_said = bool(request.step.act) and says_merge(request.text) and not request.is_question and len(named) != BOTH
    is_said = is_said and not is_text and bool(named)
    if not is_said or any(word.is_quoted for word in request.words) or request.context.asked is not None:
        return None
    *files, to = named
    left = telling_words(request.text.replace(to, " "))
    return request.instead("read", "write", file=tuple(files), to=(to,)) if files or len(left) > 1 else None


def compared(request: Request) -> Step | None:
    """Return what is wanted of the longer, older … of two files; of both, where it is asked which of them that is.

    Examples
    --------
    >>> both = Context(spoken=("a.md", "b.md"))
    >>> compared(Request(Reading((Step("read.longest", {}),)), "which one is longer?", both)).arguments
    {'file': ('a.md', 'b.md')}
    >>> compared(Request(Reading((Step("move", {"to": ("old",)}),)), "move the shorter one to old", both)).arguments
    {'file': ('shorter',), 'to': ('old',)}
    >>> said = Reading((Step("unclear", {}),))
    >>> compared(Request(said, "is the todo list longer than my notes?", Context())).arguments
    {'file': ('todo list', 'notes')}
    """
    step, text = request.step, request.text
    if more := _with_more(request):
        return request.instead("count.lines", file=more)
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
    if not kind or step.destination or is_kept or (is_changing(step) and act not in _OF_ONE):
        return None
    rest = text.replace(words, " ").replace(step.word("to") or words, " ")
    if len(pair) != BOTH and (pair or says_more(rest)):
        return None
    if is_changing(step):
        return request.instead(act, file=(words,), **({"to": step.arguments["to"]} if step.word("to") else {}))
    shown = tuple(name for name in request.context.shown if ENDED.search(name))
    both = pair or (shown if len(shown) == BOTH else spoken)
    if len(both) != BOTH:
        return None
    is_which = bool(pair) or is_asking(text)
    return request.instead(_TOLD_BY.get(kind, "date") if is_which else "read", file=both if is_which else (words,))


def _with_more(request: Request) -> tuple[str, ...]:
    """Return the two lists that were just shown or counted, where it is asked which of the two has more of what stands in them.

    Examples
    --------
    >>> both = Context(Step("read", {"file": ("b.txt",)}), spoken=("a.txt", "b.txt"))
    >>> said = Reading((Step("search.files", {}),))
    >>> _with_more(Request(said, "which of the two has more names?", both)), _with_more(Request(said, "which has more than 5?", both))
    (('a.txt', 'b.txt'), ())
    """
    spoken = request.context.spoken[-BOTH:]
    is_of_lists = len(spoken) == BOTH and all(name.endswith(_OF_LINES) for name in spoken)
    is_asked = is_asking(request.text) and bool(kind_of_more(request.text, request.language))
    is_shown = request.last.act in {"read", "count.lines", "list"} and not is_changing(request.step)
    return spoken if is_of_lists and is_asked and is_shown and not request.names() else ()


_OF_LINES = (".txt", ".md")
"""How the names of files end whose lines are counted."""


def both_apart(request: Request) -> Step | None:
    """Return that two files are compared which are described together: "what's the difference between the two letters to Ann?".

    Examples
    --------
    >>> said = Reading((Step("talk", {}),))
    >>> both_apart(Request(said, "what's the difference between the two letters to Ann?", Context())).arguments
    {'file': ('letters Ann',)}
    >>> both_apart(Request(said, "what's the difference between the two?", Context()))
    """
    own = frozenset[str]().union(*lexicon_of(request.language).concepts(request.words))
    is_apart = "compare" in own or "apart" in request.asking
    is_of_two = bool(own & {"two", "both"}) and bool(own & {"between", "compare"})
    is_look = request.step.act in {"talk", "unclear", "compare", "calculate", "same", "read"}
    left = [word.text for word in request.words if word.kind == "word" and _is_of_name(word.text, request)]
    if not (is_apart and is_of_two and is_look) or request.names("file", "folder", "number") or not left:
        return None
    return request.instead("compare", file=(" ".join(left),))


def _is_of_name(word: str, request: Request) -> bool:
    """Tell whether a word of a request may be of the name of a file: it says nothing of what is to be done."""
    return word in request.unexplained or (is_noun_of_file(word) and not is_small(word))


def longest_of(request: Request) -> Step | None:
    """Return that the longest, or the shortest, of the files is wanted that were listed or compared, and no line of one.

    Examples
    --------
    >>> listed = Context(Step("list", {"file": ("letters",)}), shown=("letters/a.txt", "letters/b.txt"))
    >>> longest_of(Request(Reading((Step("read.longest", {}),)), "which one is the longest?", listed))[:2]
    ('list.largest', {'file': ('letters',)})
    >>> both = Reading((Step("same", {}),), others=(Reading((Step("read.shortest", {}),)),))
    >>> longest_of(Request(both, "and the shortest?", listed)).act
    'list.smallest'
    """
    last, likely = request.last, (request.reading, *request.reading.others)
    if (end := _longest_file(request)) is not None:
        return request.instead(end)
    likely_steps = [one.steps[0] for one in likely if len(one.steps) == 1]
    step = next((one for one in likely_steps if one.act in {"read.longest", "read.shortest"}), Step("", {}))
    is_told = request.step.act == step.act or (request.step.act in {"read", "same"} and not request.unexplained)
    if not (step.act and is_told) or request.names() or request.concepts & {"line", "row", "word"}:
        return None
    is_of_listed = last.act == "list" and len([name for name in request.context.shown if ENDED.search(name)]) > 1
    if not step.arguments and (is_of_listed or last.act in {"list.largest", "list.smallest"}):
        end = "list.largest" if step.act == "read.longest" else "list.smallest"
        folder = last.word("file") if is_of_listed else last.word("file").rpartition("/")[0]
        return request.instead(end, **({"file": (folder,)} if folder else {}))
    is_pair = last.act == "compare" and len(last.arguments.get("file", ())) == BOTH
    return request.instead("count.lines", file=last.arguments["file"]) if is_pair else None


def _longest_file(request: Request) -> str | None:
    """Return the act that tells the longest, or the shortest, file where a file is called so, and no line of one.

    Examples
    --------
    >>> said = Reading((Step("read.longest", {}),))
    >>> _longest_file(Request(said, "which one is the longest file?", Context(Step("read", {}), "a.txt")))
    'list.largest'
    >>> _longest_file(Request(said, "what is the longest in this file?", Context()))
    """
    ends = request.concepts & _OF_FILE.keys()
    is_else = request.concepts & {"line", "row", "word", "in", "oldest", "newest", "name"} or request.names()
    is_maybe = request.step.act in {"read.longest", "read.shortest", "list.oldest", "list.newest"}
    is_file = is_maybe and "file" in request.concepts and not is_else and set(request.step.arguments) <= {"n"}
    return _OF_FILE[next(iter(ends))] if is_file and len(ends) == 1 else None


_OF_FILE = {"longest": "list.largest", "shortest": "list.smallest"}
"""Which end of a listing by size is meant by what files are called."""
_MAYBE_ONE = frozenset(("unclear", "talk", "same", "search", "list", "read", "line.delete", "delete"))
"""Acts that are read where one of several files is told by what it is about."""


def folders(request: Request) -> Step | None:
    """Return that several folders are to be made: those that are counted up, inside of the one that was made before.

    Examples
    --------
    >>> said = Reading((Step("folder.make", {"to": ("a1",)}),))
    >>> folders(Request(said, "make folders a1, a2 and a3", Context())).arguments
    {'to': ('a1', 'a2', 'a3')}
    >>> made = Context(changed=Step("folder.make", {"to": ("trip",)}))
    >>> folders(Request(Reading((Step("talk", {}),)), "inside it please create day1 and day2", made)).arguments
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


def one_listed(request: Request) -> Step | None:
    """Return that one of the files that were listed is meant, or another one than before, where a request describes it.

    Examples
    --------
    >>> listed = Context(Step("list", {}), shown=("letters/bank.txt", "letters/landlord.txt"))
    >>> one_listed(Request(Reading((Step("read", {}),)), "read me the one to the landlord", listed)).arguments
    {'file': ('letters/landlord.txt',)}
    >>> counted = Context(Step("count.words", {"file": ("letters/bank.txt",)}), "letters/bank.txt")
    >>> one_listed(Request(Reading((Step("fix", {"to": ("grandma",)}),)), "no, the one to grandma", counted)).act
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
    is_look = is_look and "folder" not in request.concepts  # 那个文件夹里还剩啥
    return is_look and "one" in request.asking and request.length <= SHORT and request.context.asked is None


def next_listed(request: Request) -> Step | None:
    """Return that another of the files that were listed is to be read, and no line: "and the last one?".

    Examples
    --------
    >>> read = Context(Step("read", {"file": ("b.md",)}), "b.md", shown=("a.md", "b.md", "c.md"))
    >>> next_listed(Request(Reading((Step("read.last", {"n": ("one",)}),)), "and the last one?", read)).arguments
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


def kind_copied(request: Request) -> Step | None:
    """Return that files of a kind are copied into a folder, where their kind was taken for its name: "make a folder b, both csv into it".

    Examples
    --------
    >>> copied = Reading((Step("copy.ending", {"to": ("b",), "ending": ("csv",)}),))
    >>> said = Reading((Step("folder.make", {"to": ("两个 csv",)}),), others=(copied,))
    >>> kind_copied(Request(said, "建个 b 文件夹, 两个 csv 都复制进去", Context())).arguments
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


def also_of_kind(request: Request) -> Step | None:
    """Return that files of a kind go where another one just went: "and both csv files".

    Examples
    --------
    >>> copied = Context(Step("copy", {"file": ("a.md",), "to": ("old/",)}))
    >>> said = Reading((Step("list.ending", {"ending": ("csv",)}),))
    >>> also_of_kind(Request(said, "and both csv files", copied))[:2]
    ('copy.ending', {'ending': ('csv',), 'to': ('old/',)})
    >>> said = Reading((Step("same", {"file": ("the json",)}),))
    >>> also_of_kind(Request(said, "the json too", copied))[:2]
    ('copy', {'file': ('json',), 'to': ('old/',)})
    """
    step, last = request.step, request.last
    told = lexicon().concepts(request.words)
    act = last.act.partition(".")[0]
    is_there = act in {"copy", "move"} and last.word("to").endswith("/") and bool(told)
    if not is_there or request.is_question or request.concepts & SHOWING:
        return None
    if "and" in told[0] and step.act == "list.ending":
        return request.instead(f"{act}.ending", ending=step.arguments.get("ending", ()), to=last.arguments["to"])
    kind = step.word("file").rpartition(" ")[2]
    is_kind = step.act in {"same", act} and not step.word("to") and not request.files and bool(kind_of_file(kind))
    return request.instead(act, file=(kind,), to=last.arguments["to"]) if is_kind else None


def in_there(request: Request) -> Step | None:
    """Return that what is in the folder where something just went is listed or counted: "how many files are in there now?".

    Examples
    --------
    >>> moved = Context(changed=Step("copy", {"file": ("a.md",), "to": ("old/",)}))
    >>> said = Reading((Step("count.files", {"file": ("there",)}),))
    >>> in_there(Request(said, "how many files are in there now?", moved)).arguments
    {'file': ('old/',)}
    """
    changed = request.context.changed
    is_it = request.step.act in {"count.files", "list"} and any("therein" in one for one in request.wishes)
    where = changed.word("to") if changed is not None else ""
    is_bare = not request.names() and len(request.unexplained) <= len(request.step.word("file").split())
    return request.instead(request.step.act, file=(where,)) if is_it and is_bare and where.endswith("/") else None


def put_there(request: Request) -> Step | None:
    """Return that a file goes where another one just went: "and move b.log there".

    Examples
    --------
    >>> copied = Context(Step("copy", {"file": ("a.md",), "to": ("old/",)}))
    >>> put_there(Request(Reading((Step("move", {"file": ("b.log",)}),)), "and move b.log there", copied)).arguments
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


def rather_in(request: Request) -> Step | None:
    """Return that the file that was just made or put somewhere is to be in another folder: "no, in the reports folder".

    Examples
    --------
    >>> made = Step("write", {"file": ("a.txt",)})
    >>> said = Reading((Step("query", {}),))
    >>> rather_in(Request(said, "no, in the reports folder", Context(made, "a.txt", changed=made))).arguments
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


def copy_gone(request: Request) -> Step | None:
    """Return that the copy that was made is to go: "I don't need the copy after all, delete it".

    Examples
    --------
    >>> made = Step("copy", {"file": ("a.md",), "targets": ("b.md",)})
    >>> said = Reading((Step("copy", {"file": ("that",)}),))
    >>> copy_gone(Request(said, "no, throw that copy away", Context(made, "b.md", changed=made))).arguments
    {'file': ('b.md',)}
    """
    changed = request.context.changed
    is_made = (
        changed is not None and changed.act in {"copy", "rename", "move"} and request.last.act in {"copy", "rename"}
    )
    made = (
        changed.arguments.get("targets") or changed.arguments.get("to", ()) if changed is not None and is_made else ()
    )
    is_gone = any(says_gone(clause, request.language) for clause in CLAUSE.split(request.text))
    is_bare = request.last.act == "rename" or not (request.unexplained or "folder" in request.concepts)
    acts_of_it = {"copy", "line.delete", "no"} | ({"delete"} if is_bare else set())
    is_it = "copy" in request.concepts and is_gone and request.step.act in acts_of_it
    if not is_it or request.names() or len(made) != 1 or request.context.asked is not None:
        return None
    return request.instead("delete", file=made)


def gone_after_all(request: Request) -> Step | None:
    """Return that a file is to go whose deletion was not allowed before: "hm, do delete it after all".

    Examples
    --------
    >>> refused = Context(Step("delete", {"file": ("a.md",)}), "a.md")
    >>> said = Reading((Step("yes", {}),))
    >>> gone_after_all(Request(said, "well yes, delete it after all", refused)).arguments
    {'file': ('a.md',)}
    >>> gone_after_all(Request(said, "no, don't delete it", refused)), gone_after_all(Request(said, "delete the list", refused))
    (None, None)
    """
    last, language = request.last, request.language
    is_refused = last.act == "delete" and request.context.changed is None and not request.context.is_open
    gone = [clause for clause in CLAUSE.split(request.text) if says_gone(clause, language)]
    is_other = len(gone) != 1 or request.is_question or request.names() or not _says_only_gone(gone[0], language)
    files = last.arguments.get("file", ())
    is_it = all(is_pointer(word, "it") for word in files) and request.context.is_named
    files = (request.context.file,) if is_it else files
    is_file = bool(files) and all(map(ENDED.search, files))
    return request.instead("delete", file=files) if is_refused and is_file and not is_other else None


def _says_only_gone(clause: str, language: str) -> bool:
    """Tell whether a clause says that something goes which was spoken of, and not what: "do delete it after all".

    Examples
    --------
    >>> [_says_only_gone(said, "en") for said in ("do delete it after all", "delete the one from last year", "don't delete it")]
    [True, False, False]
    """
    rest = clause.casefold()
    for said in back_in(clause):
        rest = rest.replace(said, " ")
    found = words_of(rest)
    told, marks = lexicon_of(language).concepts(found), words_of_wishes(language).concepts(found)
    for word, one, marked in zip(found, told, marks, strict=True):
        is_led = bool(one & _WITH_IT or marked or said_of_tables(word.text, language))
        is_bare = is_pointer(word.text, "it") or (is_small(word.text) and not one)
        if not (is_led or is_bare) or (one & NEGATING and "delete" not in one):
            return False
    return True


_WITH_IT = frozenset(("delete", "it", "yes", "please", "same", "can", "then", "do"))
"""Concepts of the words with which somebody says that it goes after all."""


def folder_gone(request: Request) -> Step | None:
    """Return that a folder is to go which a request names, where it was taken for a wish to undo: "no, get rid of that archive folder again".

    Examples
    --------
    >>> copied = Context(changed=Step("copy", {"file": ("a.md",), "to": ("old/archive/",)}))
    >>> said = Reading((Step("undo", {}),))
    >>> folder_gone(Request(said, "no, get rid of that archive folder again", copied)).arguments
    {'file': ('old/archive',)}
    >>> folder_gone(Request(said, "undo the new folder", copied))
    """
    own = frozenset[str]().union(*lexicon_of(request.language).concepts(request.words))
    is_gone = request.step.act == "undo" and {"delete", "folder"} <= own and len(request.unexplained) == 1
    if not is_gone or request.is_question or request.names():
        return None
    name, changed = request.unexplained[0], request.context.changed
    spoken = (request.context.file, changed.word("to") if changed is not None else "")
    told = next((one.rstrip("/") for one in spoken if one.rstrip("/").rpartition("/")[2] == name), name)
    return request.instead("delete", file=(told,))


_SOME_ONE = "one"
"""What stands for one of several files, of which nobody has said which."""


def one_of_them(request: Request) -> Step | None:
    """Return that one of the files that were listed is to go, and not said which: "delete one of them".

    Examples
    --------
    >>> listed = Context(Step("list", {}), "letters", shown=("letters/a.txt", "letters/b.txt"))
    >>> one_of_them(Request(Reading((Step("delete", {}),)), "delete one of them", listed)).arguments
    {'file': ('one',)}
    >>> one_of_them(Request(Reading((Step("delete", {}),)), "delete that one", listed))
    >>> said = Reading((Step("rename", {"file": ("them",), "to": ("c.md",)}),))
    >>> one_of_them(Request(said, "rename one of them to c.md", listed)).arguments
    {'file': ('one',), 'to': ('c.md',)}
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
    is_told = any("one_of" in one for one in request.wishes)  # "one of them", whatever was taken for the file
    is_any = is_told or ("one_number" in concepts_of(said) and not is_pointer(said, "it"))
    is_one = (is_any or "one" in said_of_tables(said, request.language)) and len(step.arguments.get("file", ())) < BOTH
    is_placed = any(rank(word.text) and "one_number" not in concepts_of(word.text) for word in request.words)
    is_placed = is_placed and not is_told
    is_bare = is_listed and is_one and not (other or is_placed or context.file in files or context.asked)
    if step.act not in {"delete", "move", "rename"} or not is_bare:
        return None
    return step.with_arguments(file=(_SOME_ONE,))._replace(text=request.text)


_PLAIN = frozenset(("rename", "move", "copy"))
"""Concepts of wishes about a file that ask back which, where only "the file" is said."""


def unsaid_which(request: Request) -> Step | None:
    """Return what is to be done with a file, where it is not said which, and nothing of that was read: "could you rename a file?".

    Examples
    --------
    >>> unsaid_which(Request(Reading((Step("unclear", {}),), language="it"), "rinomina il file", Context())).arguments
    {'file': ('file',)}
    >>> unsaid_which(Request(Reading((Step("talk", {}),)), "how do I rename a file?", Context()))
    """
    told = frozenset[str]().union(*lexicon_of(request.language).concepts(request.words))
    wished = told & _PLAIN
    is_bare = "file" in told and len(wished) == 1 and not (request.unexplained or request.names() or request.place)
    is_other = is_asking(request.text) or request.context.is_open or bool({"folder", "how"} & told)
    is_other = is_other or not request.step.act
    act = next(iter(wished), "")
    is_read = request.step.act == act or bool(request.step.arguments)
    noun = next((word.text for word in request.words if "file" in concepts_of(word.text)), "")
    file = request.context.file or noun
    roles = {"file": (file,)} if file else {}
    return request.instead(act, **roles) if is_bare and not (is_other or is_read) else None


def to_buy(request: Request) -> Step | None:
    """Return that the shopping list is meant, where it is asked what is to be bought: "what do we still have to buy?".

    Examples
    --------
    >>> to_buy(Request(Reading((Step("task.list", {}),)), "what do we still have to buy?", Context())).arguments
    {'file': ('shopping list',)}
    """
    is_it = request.step.act in MAYBE_OPEN | {"task.list"} and "buy" in request.asking and request.is_question
    is_bare = not request.names() and not request.files and len(request.unexplained) <= 1 and request.length <= SHORT
    is_list = request.context.file and calls_list(request.context.file.rpartition("/")[2].rpartition(".")[0])
    name = request.context.file if is_list else "shopping list"
    return request.instead("read", file=(name,)) if is_it and is_bare else None


def wrote(request: Request) -> Step | None:
    """Return that a letter is to be read, where it is asked what was written to somebody: "what did I write to the council?".

    Examples
    --------
    >>> said = Reading((Step("talk", {}),))
    >>> wrote(Request(said, "what did I write to the council?", Context())).arguments
    {'file': ('letter council',)}
    """
    step = request.step
    is_maybe = step.act in MAYBE_OPEN | {"task.list", "exists", "search"} or (bool(step.act) and step.act not in acts())
    is_it = is_maybe and "wrote" in request.asking and request.is_question and not request.names()
    is_it = is_it and not request.concepts & {"where", "who"}
    to_whom = [word.text for word in request.words if word.kind == "word" and not is_small(word.text)][-1:]
    told = request.asking if is_it else frozenset[str]()
    is_named = bool(to_whom) and "wrote" not in said_of_tables(to_whom[0], request.language) and "wrote" in told
    whom = to_whom if is_named else [word for word in request.unexplained if word.isalpha()]
    return request.instead("read", file=(f"letter {whom[0]}",)) if is_it and len(whom) == 1 else None


def still_there(request: Request) -> Step | None:
    """Return that it is asked whether the file that is spoken of exists: "is it still there?".

    Examples
    --------
    >>> kept = Context(Step("delete", {}), "a.txt")
    >>> still_there(Request(Reading((Step("list", {}),)), "so is it still there?", kept)).arguments
    {'file': ('a.txt',)}
    """
    asked = request.context.asked
    spoken = (request.last.word("file") if request.last.act == "delete" else "") or request.context.file
    spoken = asked.steps[0].word("file") if asked is not None and asked.steps else spoken
    is_asked = request.is_question and not request.concepts & (ASKED_OF | {"how", "in"})
    is_it = "still" in request.asking and is_asked and request.length <= SHORT and not request.files
    return request.instead("exists", file=(spoken,)) if is_it and ENDED.search(spoken) else None


def left_on_list(request: Request) -> Step | None:
    """Return that it is asked how many lines a file has still from which one just went: "so how many are left now?".

    Examples
    --------
    >>> gone = Step("line.delete", {"file": ("a.txt",)})
    >>> left_on_list(Request(Reading((Step("rows.count", {}),)), "so how many are left now?", Context(gone, "a.txt", changed=gone)))[:2]
    ('count.rows', {'file': ('a.txt',)})
    """
    changed, file = request.context.changed, request.context.file
    is_gone = changed is not None and changed.act == "line.delete" and changed.word("file") == file
    is_left = any("left" in one for one in request.wishes) or "rest" in request.asking
    is_many = bool(request.concepts & {"many", "count"} or "times" in request.asking)
    is_other = bool(telling_in(request.text, request.language)) or request.length > SHORT
    is_other = is_other or request.names() or is_changing(request.step)
    return request.instead("count.rows", file=(file,)) if is_gone and is_left and is_many and not is_other else None


def left_in_folder(request: Request) -> Step | None:
    """Return that it is asked how many files are left where one just went: "how many are left?".

    Examples
    --------
    >>> gone = Context(Step("delete", {"file": ("letters/a.txt",)}))
    >>> left_in_folder(Request(Reading((Step("count.lines", {}),)), "how many are left?", gone)).arguments
    {'file': ('letters',)}
    """
    folder = request.last.word("file").rpartition("/")[0] if request.last.act in {"delete", "move"} else ""
    is_left = any("left" in one for one in request.wishes) and "many" in request.concepts
    is_it = bool(folder) and is_left and not request.names() and not request.concepts & {"line", "row", "word"}
    return request.instead("count.files", file=(folder,)) if is_it else None
