"""A reading looked at again beside the words of its request: which of the likeliest it is, and what belongs together."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from itertools import pairwise

from lango_nb.models.offline.columns import names_column
from lango_nb.models.offline.features import PROGRAMS
from lango_nb.models.offline.followups import CLAUSES, DEEDS, ENDED, EXACT, HALF, WISHING, deed_of, is_work, lacks
from lango_nb.models.offline.keyed import TABULAR
from lango_nb.models.offline.lexicon import (
    ASK_SIGNS,
    NEGATING,
    REFUSING,
    UNSPACED,
    concepts_of,
    is_small_in,
    lexicon,
    lexicon_of,
)
from lango_nb.models.offline.lexicon import words as words_of
from lango_nb.models.offline.lists import (
    FEW_WORDS,
    KEEPING,
    OF_TASKS,
    SURE,
    left_over,
    list_in,
    words_of_speech,
    words_of_wishes,
)
from lango_nb.models.offline.names import (
    EAST,
    FIRST_WORDS,
    asks,
    begins_with_pointer,
    endings,
    is_asking,
    is_noun_of_file,
    is_pointer,
    is_ruled_out,
    is_small,
    not_meant,
    points_back,
    says_name,
    table_of,
    trimmed,
    unexplained,
)
from lango_nb.models.offline.plan import Context, Reading, Step, acts, is_change, is_talk
from lango_nb.models.offline.question import said_of_tables
from lango_nb.models.offline.reader import FOLLOWS, is_misnamed
from lango_nb.models.offline.request import ASKED_OF, SHORT, is_key_said
from lango_nb.models.offline.steps import BOTH, COLONS, FEW_SAID, WRITING, plainly
from lango_nb.models.offline.table_query import parse as parse_query

_DOUBTFUL = 0.3
"""Confidence of a deletion that was read as a look: it is shown and asked about."""
_OF_MONEY = frozenset(("many", "who", "money"))
"""Concepts beside which owing is owing money."""
REMEMBERED = frozenset(("remember", "recall"))
"""Concepts of what is kept in mind."""
_POSSIBLY = 0.1
"""Confidence from which a reading is possible."""
_SAID_BY: Mapping[str, frozenset[str]] = {
    act: frozenset(said.split())
    for act, said in (
        ("talk", "joke greeting thanks farewell weather"), ("refrain", "no not none stop dismiss forget"),
        ("read", "read show open print what who when where many contain search"), ("delete", "delete"),
        ("exists", "file folder have is"), ("date", "when date newest oldest time"), ("size", "size many largest"),
        ("move", "move put"), ("rename", "rename name change"), ("copy", "copy save"), ("summary", "summary"),
        ("compare", "compare same"), ("append", "append put write"),
        ("write", "write append put save create export file"), ("replace", "replace change correct"),
        ("recall", "recall remember what who when where"), ("unclear", ""),
    )
}  # fmt: skip
"""Concepts of the words that say what is to be done; acts that are not here may be said in any way."""
_COUNTING = frozenset(("count", "many", "how", "number", "size"))
"""Concepts of the words that say that something is counted: "change the word a to b" does not."""
_PLACED = frozenset(("file", "folder", "all"))
"""Concepts of a wish to see what is in a folder."""
_ALL = frozenset(("all", "each", "folder"))
"""Concepts of a wish to delete everything."""
_SHOWING_FIRST = frozenset(("show", "read", "open", "print"))
_ROW_SAID = re.compile(r"[^\s,]+,[^\s,]+,[^\s,]+")
"""A row of a table, as it stands in a request."""
_ROW_TEXT = re.compile(r"[^,;]+(?:[,;][^,;]*){2,}")
"""A whole row, as it is written below others."""
_UNSURE_ACTS = frozenset(("rows.where", "cell", "unclear", "talk", "read", "replace", "json.set", "task.done", "task.change", "task.add"))  # fmt: skip
"""Acts that a wish to set a value of a table is taken for."""
_FEW_IN_CELL = 12
"""Words of such a wish."""
_OF_A_FILE = {"task.delete": ("delete", "line.delete"), "task.add": ("append", "write")}
"""What wishes about tasks are where no word says that they are about tasks, and a file is meant rather."""


def said_rather(reading: Reading, request: str) -> Reading:
    """Return the likeliest reading that a request has the words of, where the first is doubtful and it has none of its own.

    Examples
    --------
    >>> other = Reading((Step("delete", {"file": ("the letter",)}),), 0.2)
    >>> said_rather(Reading((Step("read", {"file": ("the letter",)}),), 0.4, others=(other,)), "delete the letter").steps[0].act
    'delete'
    >>> copied = Reading((Step("copy", {}),), 0.6, "fr", others=(Reading((Step("read", {}),), 0.3),))
    >>> said_rather(copied, "montre la copie").steps[0].act
    'read'
    """
    if (rather := _begun_rather(reading, request)) is not None:
        return rather
    first = reading.steps[0].act if len(reading.steps) == 1 else ""
    told = frozenset[str]().union(*lexicon_of(reading.language).concepts(words_of(request)))
    is_wrong = first == "refrain" and not told & REFUSING and bool(reading.others)
    is_wrong = is_wrong or (first == "delete.all" and not told & _ALL and bool(reading.others))
    if (rather := _by_words(reading, request, told)) is not None:
        return rather
    if first == "refrain" and not told & REFUSING and not reading.others:
        return reading._replace(steps=(Step("unclear", {}, text=request),))
    if not first or (reading.confidence >= SURE and not is_wrong):
        return reading
    least = reading.confidence if first == "talk" else 0.0
    begins_shown = bool(_SHOWING_FIRST.intersection(*lexicon().concepts(words_of(request))[:1]))
    if begins_shown and is_change(first):  # "montre la copie" makes none
        looks = [one for one in reading.others if len(one.steps) == 1 and one.steps[0].act.startswith("read")]
        return looks[0]._replace(others=(reading._replace(others=()),)) if looks else reading
    is_shown = first == "talk" and begins_shown
    own = _COUNTING if first.startswith("count.") else _SAID_BY.get(first.partition(".")[0], told)
    for other in sorted(reading.others, key=lambda one: -one.confidence):
        step = other.steps[0]
        if step.act == "ask.change" and not _says_change(request, reading.language):
            continue
        row = acts().get(step.act)
        is_look = row is not None and row.kind == "look" and bool(step.word("file"))
        of_agents = sum(one.confidence for one in reading.others if one.steps[0].act.startswith("about."))
        is_empty = _is_of_rows(step.act) and lacks(step) and of_agents > other.confidence
        is_likely = other.confidence > least and (first == "talk" or is_wrong) and not is_empty
        is_said = told & _SAID_BY.get(step.act.partition(".")[0], frozenset()) and other.confidence >= _POSSIBLY
        is_unsaid = reading.confidence < HALF and not told & own
        is_clearer = is_change(step.act) and not (is_change(first) or asks(request))
        is_clearer = is_clearer and other.confidence >= max(HALF, reading.confidence)  # what it needs is not said
        if is_work(step) and (
            is_likely
            or (is_said and is_clearer)
            or (is_shown and is_look and other.confidence >= reading.confidence * HALF)
            or (is_said and (is_unsaid or is_wrong))
        ):
            rest = tuple(one for one in reading.others if one is not other)
            is_lacking = first == "unclear" and is_change(step.act) and lacks(step)  # "rename that file": to what?
            sure = min(1.0, other.confidence + reading.confidence * is_lacking)
            return other._replace(confidence=sure, others=rest if is_wrong else (reading._replace(others=()), *rest))
    return reading


def _is_of_rows(act: str) -> bool:
    """Tell whether an act looks at the rows of a table, or at a value in one."""
    row = acts().get(act)
    return row is not None and row.reads == "table" and row.kind == "look"


def _by_words(reading: Reading, request: str, told: Collection[str]) -> Reading | None:
    """Return what a request means by single words that leave no doubt: a kind of files, the weather, whether something is, an order.

    Examples
    --------
    >>> more = Reading((Step("rows.sorted", {"column": ("price",)}),), 0.3)
    >>> _by_words(Reading((Step("column.max", {}),), 0.5, others=(more,)), "sorted by price", {"sort"}).steps[0].act
    'rows.sorted'
    """
    first = reading.steps[0].act if len(reading.steps) == 1 else ""
    if first == "delete.all":
        kinds = [one for one in reading.others if _goes_by_kind(one.steps[0])]
        if kinds:
            return kinds[0]._replace(others=())  # "delete all letters"
        is_one = "file" in told and _ALL.isdisjoint(told) and not reading.others
        return reading._replace(steps=(Step("delete", {}, text=request),)) if is_one else None  # "the old file": which?
    is_named = any(word.kind in {"file", "folder"} for word in words_of(request))
    if first == "talk" and not _CHATTING.isdisjoint(told) and not is_named:
        return reading._replace(confidence=max(reading.confidence, HALF), others=())
    is_doubtful = bool(first) and reading.confidence < HALF and is_change(first)
    if is_doubtful and any(_asks_whether(one, reading.language) for one in CLAUSES.split(request)):
        return reading._replace(steps=(Step("unclear", {}, text=request),), others=())
    if first in {"column.max", "column.min"} and "sort" in told and reading.confidence < SURE:
        rows = (one for one in reading.others if one.steps[0].act == "rows.sorted" and one.confidence >= _POSSIBLY)
        return next(rows, None)
    return None


def _goes_by_kind(step: Step) -> bool:
    """Tell whether files that are described are to go, and not simply all: "all letters", and not "all files".

    Examples
    --------
    >>> _goes_by_kind(Step("delete", {"file": ("all letters",)})), _goes_by_kind(Step("delete", {"file": ("all files",)}))
    (True, False)
    """
    last = step.word("file").rpartition(" ")[2]
    return step.act == "delete" and is_noun_of_file(last) and not concepts_of(last) & {"file", "folder"}


_CHATTING = frozenset(("joke", "weather"))
"""Concepts of what is talked about, and stands in no file."""


def _begun_rather(reading: Reading, request: str) -> Reading | None:
    """Return the reading that does what a request begins with, where it was read as a look, or as more of what was said before.

    Examples
    --------
    >>> more = Reading((Step("json.set", {"key": ("open",), "new": ("true",)}),), 0.5)
    >>> said = Reading((Step("json.get", {"key": ("open",)}),), 0.7, others=(more,))
    >>> _begun_rather(said, "set open to true").steps[0].act, _begun_rather(said, "is open set to true?")
    ('json.set', None)
    """
    step = reading.steps[0] if len(reading.steps) == 1 else None
    if step is None or step.destination or is_change(step.act) or step.act in {"refrain", "ask.change", "fix"}:
        return None
    deeds = {act for deed in deed_of(request, reading.language) for act in DEEDS[deed]}
    if "create" in deed_of(request, reading.language) and any(word.kind == "file" for word in words_of(request)):
        deeds |= {"write", "create"}  # "erstelle a.txt mit …"
    is_unclear = step.act == "unclear" and reading.confidence >= HALF
    if not deeds or is_unclear or is_asking(request) or request.rstrip()[-1:] in ASK_SIGNS:
        return None
    likely = [one for one in reading.others if one.confidence >= _POSSIBLY and one.steps[0].act in deeds]
    told = [one for one in likely if one.steps[0].arguments]
    chosen = next((one for one in told if not lacks(one.steps[0])), next(iter(told), None))
    if chosen is None:
        return None
    rest = tuple(one for one in reading.others if one is not chosen)
    is_gone = chosen.steps[0].act in DEEDS["delete"] and chosen.confidence < HALF  # it is shown, and asked about
    both = min(_DOUBTFUL if is_gone else 1.0, chosen.confidence + reading.confidence)
    return chosen._replace(confidence=both, others=() if is_gone else rest)


def of_the_file(reading: Reading, request: str, context: Context) -> Reading:
    """Look in the file spoken of for what a question that points at it was taken to be remembered: "who is there then?"."""
    asks = request.rstrip()[-1:] in ASK_SIGNS
    is_memory = bool(context.known) or not REMEMBERED.isdisjoint(concepts_of(request))
    acts_read = [step.act for step in reading.steps]
    pointed = [word.text for word in words_of(request) if is_pointer(word.text, "it") or is_pointer(word.text, "those")]
    is_many = "many" in concepts_of(request)
    is_shown = acts_read == ["list"] or (is_many and acts_read in (["count.files"], ["size"]))
    is_shown = is_shown and bool(context.file) and not reading.steps[0].arguments
    is_listed = context.last is not None and context.last.act in {"append", "line.delete", "line.tick"}
    is_shown = is_shown and (bool(pointed) or is_listed) and not concepts_of(request) & _PLACED
    if is_shown and context.query is None and len(words_of(request)) <= SHORT:  # "zeig sie mir", "what is on it now?"
        act = "count.lines" if is_many else "read"  # "how many things are on the list?"
        return reading._replace(steps=(Step(act, {"file": (context.file,)}, text=request),))
    is_other = concepts_of(request) & OF_TASKS or any(step.arguments for step in reading.steps)
    if context.query is not None and acts_read in (["task.list"], ["list"]) and not is_other:
        step = context.query._replace(text=request)
        return reading._replace(steps=(step,), others=(reading, *reading.others))
    if not asks or not context.file or is_memory or acts_read != ["recall"] or not points_back(request):
        return reading
    step = reading.steps[0]._replace(act="search").with_arguments(file=(context.file,))
    return reading._replace(steps=(step,), others=(reading, *reading.others))


def beside_work(reading: Reading) -> Reading:
    """Look for what seems talk beside something to be done, where it asks, and leave it out where it does not: "thanks! now …".

    Examples
    --------
    >>> both = Step("talk", {}, text="tell me how many takes song 4 needed"), Step("append", {}, text="and add it to a.txt")
    >>> [step.act for step in beside_work(Reading(both)).steps]
    ['unclear', 'append']
    """
    is_any = any(is_work(step) or step.act in FOLLOWS for step in reading.steps)
    if len(reading.steps) < 2 or not is_any:  # noqa: PLR2004 - one beside another
        return reading
    kept = [  # "thanks. and for June?"
        (step._replace(act="unclear", arguments={}) if step.act == "talk" or _only_asks(step) else step, sure)
        for step, sure in zip(reading.steps, reading.each or (reading.confidence,) * len(reading.steps), strict=True)
        if (step.act not in {"talk", "yes", "no"} or asks(step.text)) and not _says_nothing(step, reading.language)
    ]
    steps = tuple(step for step, _ in kept)
    if steps[0].act == "unclear" and steps[0] not in reading.steps and all(one.act in _ASKING_ONLY for one in steps):
        whole = Step("unclear", {}, text=" ".join(step.text for step in reading.steps))
        return reading._replace(steps=(whole,), each=(), others=())  # "look in a.json and tell me who has a key"
    least = min(sure for _, sure in kept)
    done = [sure for (step, sure) in kept if step.act != "unclear"]
    rise = min(done) / least if done and least else 1.0  # how sure it was that it is talk says nothing
    return reading._replace(
        steps=steps,
        confidence=min(1.0, reading.confidence * rise),
        each=tuple(sure for _, sure in kept) if len(kept) > 1 else (),
    )


def _only_asks(step: Step) -> bool:
    """Tell whether a part of a request asks, where it was read as a change that lacks something: "tell me how many are in it".

    Examples
    --------
    >>> _only_asks(Step("replace", {"new": ("it",)}, text="and tell me how many are in it")), _only_asks(Step("replace", {}, text="replace it"))
    (True, False)
    """
    is_begun = step.act in acts() and is_change(step.act) and lacks(step)
    return is_begun and bool(step.text) and asks(step.text) and not deed_of(step.text, "")


def _says_nothing(step: Step, language: str) -> bool:
    """Tell whether a step that goes on was read from words that only lead to another: "では、"."""
    is_bare = step.act in FOLLOWS and not (step.arguments or step.destination)
    return is_bare and not (concepts_of(step.text) - {"it"} or unexplained(step.text, language))


_HARDLY = 0.5
"""Confidence below which one of several questions is read for nothing by itself."""
_ASKING_ONLY = frozenset(("cell", "recall", "talk", "unclear", "date", "read", "list", "count.rows", "count.matches", "about.owner", "about.agents", "same"))  # fmt: skip
"""Acts that parts of one question are read as."""


def as_one(reading: Reading, request: str) -> Reading:
    """Return one question where a request was parted into several that were hardly understood, and none names a file.

    Examples
    --------
    >>> both = Step("recall", {"find": ("tuesday",)}), Step("about.owner", {})
    >>> [step.act for step in as_one(Reading(both, 0.2), "what is on on tuesday and who does it").steps]
    ['unclear']
    """
    step = reading.steps[0] if len(reading.steps) == 1 else None
    if (
        step is not None
        and step.act in {"about.agents", "about.owner"}
        and _is_of_things(request, reading.language, is_whose=step.act == "about.owner")
    ):
        is_of_one = step.act == "about.agents" and bool(step.arguments)
        return reading if is_of_one else reading._replace(steps=(Step("unclear", {}, text=request),))
    acts_read = [step.act for step in reading.steps]
    if acts_read == ["read", "task.list"] and reading.steps[0].word("file") and not reading.steps[1].arguments:
        return reading._replace(steps=(reading.steps[1]._replace(text=request),), each=())  # what is open in that file
    each = reading.each or (reading.confidence,) * len(reading.steps)
    if len(acts_read) == BOTH and _is_said_again(*reading.steps):
        return reading._replace(steps=(reading.steps[0]._replace(text=request),), confidence=each[0], each=())
    is_parted = len(reading.steps) > 1 and all(step.act in _ASKING_ONLY for step in reading.steps)
    is_parted = is_parted and not any(step.destination for step in reading.steps) and min(each) < _HARDLY
    is_named = any(word.kind in {"file", "folder"} for word in words_of(request))
    if not is_parted or is_named or not asks(request):
        return reading
    return reading._replace(steps=(Step("unclear", {}, text=request),), each=(), others=())


def _is_said_again(step: Step, more: Step) -> bool:
    """Tell whether what follows is no step: what a program says that is run, or more of the rows that are asked for.

    Examples
    --------
    >>> ran = Step("run", {"command": ("ls",)}, text="run ls")
    >>> _is_said_again(ran, Step("list", {}, text="and tell me what comes out")), _is_said_again(ran, Step("list", {}, text="and list the files"))
    (True, False)
    >>> _is_said_again(Step("rows.count", {"value": ("cats",)}), Step("same", {}, text="and what are they called"))
    True
    """
    if more.arguments or more.destination or is_change(more.act):
        return False
    if step.act in {"run", "run.file"}:
        return asks(more.text) and not concepts_of(more.text) & {"file", "folder", "line", "list"}
    return _is_of_rows(step.act) and more.act in FOLLOWS and (asks(more.text) or "how" in concepts_of(more.text))


def with_nouns(reading: Reading) -> Reading:
    """Take a word that could point at something for an article where a word that means nothing else stands behind it.

    Examples
    --------
    >>> said = Reading((Step("delete", {"file": ("die",)}, text="lösch die alten Flyer"),))
    >>> with_nouns(said).steps[0].arguments["file"]
    ('die alten Flyer',)
    >>> with_nouns(Reading((Step("delete", {"file": ("it",)}, text="delete it please"),))).steps[0].arguments["file"]
    ('it',)
    >>> said = Reading((Step("move", {"to": ("ahí carta.txt",)}, text="mete ahí carta.txt"),))
    >>> dict(with_nouns(said).steps[0].arguments)
    {'to': ('ahí',), 'file': ('carta.txt',)}
    """
    steps = tuple(
        _put_there(_of_quoted(_with_noun(_into_second(_behind_colon(_whole_names(step))), reading.language)))
        for step in reading.steps
    )
    return _of_lines_with(reading._replace(steps=steps, others=tuple(map(with_nouns, reading.others))))


_BRACKETED = re.compile(r"[(\uff08]\s*([^()\uff08\uff09]*[^\s.]\.[A-Za-z]\w{0,7})\s*[)\uff09]")
"""The name of a file behind words for it."""


def _whole_names(step: Step) -> Step:
    """Return a step with the file that stands in brackets behind words for it, and without what only points at the one that is described.

    Examples
    --------
    >>> _whole_names(Step("read", {"file": ("the list", "x (my list.txt")}, text="read the list (my list.txt)")).word("file")
    'my list.txt'
    >>> _whole_names(Step("delete", {"file": ("the old folder", "it")})).arguments, _whole_names(Step("delete", {"file": ("just", "that file")})).arguments
    ({'file': ('the old folder',)}, {'file': ('that file',)})
    """
    files, named = step.arguments.get("file", ()), _BRACKETED.search(step.text)
    if named is not None and files and not any(map(EXACT.match, files[:1])):
        inside = words_of(named[1])
        told = lexicon().concepts(inside)
        is_other = any(one & NEGATING for one in told)  # "(not in a.txt)"
        begin = next((word.start for word, one in zip(inside, told, strict=True) if not one & {"in", "into"}), 0)
        return step if is_other else step.with_arguments(file=(named[1][begin:],))
    if step.act not in {"delete", "ask.change"} or len(files) != BOTH:
        return step
    kept = tuple(word for word in files if not (is_pointer(word, "it") or is_pointer(word, "those")))
    that = tuple(word for word in files if begins_with_pointer(word) and "file" in concepts_of(word))
    is_that = len(that) == 1 and not any(
        ENDED.search(word) or is_noun_of_file(word) for word in files if word not in that
    )
    return step.with_arguments(file=that if is_that else kept) if is_that or len(kept) == 1 else step


def _behind_colon(step: Step) -> Step:
    """Take what stands behind a colon for what is added, where only a word that points at it was taken: "add these at the top: hat".

    Examples
    --------
    >>> _behind_colon(Step("prepend", {"text": ("these",)}, text="add these at the top: hat")).word("text")
    'hat'
    """
    text = step.word("text")
    is_it = not text or is_pointer(text, "it") or is_pointer(text, "those")
    head, _, rest = step.text.partition(next((sign for sign in COLONS if sign in step.text), "\0"))
    if step.act not in {"append", "prepend"} or not is_it or not rest.strip() or text not in head:
        return step
    return step.with_arguments(text=(rest.strip(),))


def _into_second(step: Step) -> Step:
    """Return that what a look finds in one file goes to the other, where a verb for that stands before it.

    Examples
    --------
    >>> said = "search a.log for WARN and append it to b.txt"
    >>> _into_second(Step("search", {"file": ("a.log", "b.txt"), "find": ("WARN",)}, text=said))[1:3]
    ({'file': ('a.log',), 'find': ('WARN',), 'to': ('b.txt',)}, 'append')
    """
    files = step.arguments.get("file", ())
    is_look = step.act in acts() and acts()[step.act].kind == "look" and not step.destination
    if not is_look or len(files) != BOTH or not all(map(EXACT.match, files)):
        return step
    between = step.text.partition(files[0])[2].partition(files[1])[0]
    found = words_of(between)
    told = lexicon().concepts(found)
    verb = next((one for one in told if one & KEEPING and not one & {"in", "into", "and"}), frozenset[str]())
    if not verb or not any(is_pointer(word.text, "it") or is_pointer(word.text, "those") for word in found):
        return step
    kept = step.with_arguments(file=files[:1], to=files[1:])
    return kept._replace(destination="append" if "append" in verb else "write")


def _of_lines_with(reading: Reading) -> Reading:
    """Take what lines are to contain, and was read as a file, for words of the file: at once beside one, else if there is no such file.

    Examples
    --------
    >>> both = Step("count.lines", {"file": ("it", "room 4")}, text="how many lines in it mention room 4?")
    >>> _of_lines_with(Reading((both,))).steps[0].arguments
    {'file': ('it',), 'find': ('room 4',)}
    """
    step = reading.steps[0] if len(reading.steps) == 1 else Step("unclear", {})
    told = [(word, concepts_of(word.text)) for word in words_of(step.text)]
    contains = [word for word, means in told if "contain" in means]
    if step.act != "count.lines" or not contains:
        return reading
    files = tuple(word for word in step.arguments.get("file", ()) if EXACT.match(word) or is_pointer(word, "it"))
    sought = tuple(word for word in step.arguments.get("file", ()) if word not in files)
    if not sought and files and all(is_pointer(word, "it") for word in files):
        sought = (step.text[contains[-1].end :].strip(" .?!\uff1f"),)
    if len(sought) != 1:
        return reading
    kept = [word for word in words_of(sought[0]) if "contain" not in concepts_of(word.text)]
    find = sought[0][kept[0].start :] if kept else ""
    meant = step._replace(act="count.matches").with_arguments(file=files, find=(find,) if find else ())
    if files and find:
        return reading._replace(steps=(meant,))
    return reading._replace(others=(reading._replace(steps=(meant,), others=()), *reading.others)) if find else reading


def _of_quoted(step: Step) -> Step:
    """Return that what stands in quotation marks is counted, where lines were: "how many "absent" are there in a.log?".

    Examples
    --------
    >>> _of_quoted(Step("count.lines", {"file": ("a.log",)}, text='how many "absent" are there in a.log?')).word("find")
    'absent'
    """
    quoted = [word for word in words_of(step.text) if word.is_quoted and word.kind != "file"]
    if step.act not in {"count.lines", "count.rows"} or not quoted or not step.word("file") or step.destination:
        return step
    find = step.text[quoted[0].start : quoted[-1].end]
    return step if find in step.word("file") else step._replace(act="count.matches").with_arguments(find=(find,))


def _put_there(step: Step) -> Step:
    """Part a place that is only pointed at from the file behind it: "put there a.txt"; and put a text into a file.

    Examples
    --------
    >>> said = Step("move", {"file": ("the minutes",), "to": ("Kim",)}, text="put in the minutes: Kim is new")
    >>> _put_there(said).act, _put_there(said).word("text")
    ('append', 'Kim is new')
    """
    head, _, text = step.text.partition(next((sign for sign in COLONS if sign in step.text), "\0"))
    file, goal = step.word("file"), step.word("to")
    if step.act == "move" and file and goal and file in head and goal in text:
        return Step("append", {"file": step.arguments["file"], "text": (text.strip(),)}, text=step.text)
    is_article = (
        step.word("file") != "" and is_pointer(step.word("file"), "it") and not begins_with_pointer(step.word("file"))
    )
    if (
        step.act == "rename"
        and (is_article or not step.word("file"))
        and (renamed := _with_what_is_renamed(step)) is not step
    ):
        return renamed
    if step.act == "copy" and "put" in concepts_of(step.text) and not concepts_of(step.text) & {"copy", "save"}:
        step = step._replace(act="move")
    if step.act == "search" and step.word("file") and "many" in concepts_of(step.text) and not step.destination:
        return step._replace(act="count.matches")
    if step.act == "copy" and not step.arguments and "delete" in concepts_of(step.text):
        copies = [word.text for word in words_of(step.text) if is_pointer(word.text, "copy")]
        return Step("delete", {"file": tuple(copies[:1])}, text=step.text) if copies else step  # "a kopię usuń"
    if step.act in {"move", "copy"} and not step.word("to") and step.word("file"):
        first, _, rest = step.word("file").partition(" ")
        files = tuple(
            word for word in (rest, *step.arguments["file"][1:]) if word and (word is rest or word not in rest)
        )
        if files and begins_with_pointer(first):  # "copia ahí los dos archivos"
            return step.with_arguments(file=files, to=(first,))
    both = step.arguments.get("file", ())
    if step.act == "rename" and not step.word("to") and len(both) == BOTH and all(map(ENDED.search, both)):
        return step.with_arguments(file=both[:1], to=both[1:])
    place, _, name = step.word("to").partition(" ")
    is_file = [word.kind for word in words_of(name)][-1:] == ["file"]
    if step.act not in {"move", "copy"} or step.word("file") or not (is_file and begins_with_pointer(place)):
        return step
    return step.with_arguments(to=(place,), file=(name,))


def _with_what_is_renamed(step: Step) -> Step:
    """Take for the file what was read as its new name, where no word says that something becomes that: "rename the letter".

    Examples
    --------
    >>> _with_what_is_renamed(Step("rename", {"to": ("letter",)}, text="rename the letter")).arguments
    {'file': ('letter',)}
    >>> _with_what_is_renamed(Step("rename", {"to": ("school letter b.txt",)}, text="call the school letter b.txt")).arguments
    {'to': ('b.txt',), 'file': ('school letter',)}
    """
    to = step.word("to")
    found = words_of(to)
    told = lexicon().concepts(found)
    first = [word.folded for word in words_of(step.text.partition(to)[0]) if not is_small(word.text)] if to else []
    is_called = len(first) == 1 and "into" not in concepts_of(first[0])  # a verb, and no "to"
    if is_called and len(found) > 1 and found[-1].kind == "file" and is_noun_of_file(found[-2].folded):
        return step.with_arguments(file=(to[: found[-1].start].strip(),), to=(found[-1].text,))
    verbs = [word for word, one in zip(found, told, strict=True) if "rename" in one]
    if verbs and found[-1].kind == "file":  # what it is to be called is not said yet
        return step.with_arguments(file=(to[verbs[-1].end :].strip(),), to=())
    before = words_of(step.text.partition(to)[0]) if to else ()
    led = zip(before, lexicon().concepts(before), strict=True)
    is_led = bool(before) and all("rename" in one or (is_small(word.text) and not one) for word, one in led)
    return step.with_arguments(file=step.arguments["to"], to=()) if is_led else step


def _bare(words: str) -> str:
    """Take the word for a file or a folder from behind a name that it stands beside without a blank.

    Examples
    --------
    >>> _bare("lettersフォルダ"), _bare("letters文件夹"), _bare("パン屋のフォルダ"), _bare("the letters folder")
    ('letters', 'letters', 'パン屋のフォルダ', 'the letters folder')
    """
    found = words_of(words)
    at = next((place for place, word in enumerate(found) if word.kind in UNSPACED), 0)
    told = lexicon().concepts(found)[at:]
    is_kind = at and not found[at - 1].is_quoted and all(one & {"folder", "file"} for one in told)
    return words[: found[at - 1].end] if is_kind and all(one.kind in UNSPACED for one in found[at:]) else words


def _behind_article(step: Step) -> Step:
    """Take the words that a request ends with for a file, where only the article before them was taken: "the to do".

    Examples
    --------
    >>> said = Step("append", {"text": ("tea",), "file": ("the",)}, text="put tea at the end of the to do")
    >>> _behind_article(said).word("file")
    'the to do'
    """
    word, text = step.word("file"), step.text.partition("\n")[0]
    *_, rest = text.rpartition(f" {word} ") if word else ("",)
    is_article = word.casefold() in table_of("small") and not is_pointer(word, "it") and not is_pointer(word, "those")
    if not is_article or not 0 < len(rest.split()) <= FEW_SAID or any(one.kind == "sign" for one in words_of(rest)):
        return step
    return step.with_arguments(file=tuple(f"{one} {rest}" if one == word else one for one in step.arguments["file"]))


def _with_noun(step: Step, language: str) -> Step:
    named = {role: tuple(map(_bare, step.arguments[role])) for role in ("file", "to") if role in step.arguments}
    step = _of_the_other(step.with_arguments(**named) if language in EAST else _behind_article(step))
    pointers = [word for word in step.arguments.get("file", ()) if is_pointer(word, "it") or is_pointer(word, "those")]
    if not pointers or not is_change(step.act):
        return step
    taken = {word for role, said in step.arguments.items() if role != "file" for one in said for word in one.split()}
    found = words_of(step.text.partition("\n")[0])
    told = lexicon().concepts(found)
    for pointer in pointers:
        at = next((place for place, word in enumerate(found) if word.text == pointer), len(found))
        last = at
        for place in range(at + 1, len(found)):
            word = found[place]
            if word.kind != "word" or word.is_quoted or word.text in taken:
                break
            if not (told[place] or is_small(word.text) or is_small_in(word.folded, language)):
                last = place
        if at < last:
            noun = step.text[found[at].start : found[last].end]
            files = tuple(noun if word == pointer else word for word in step.arguments["file"])
            return step.with_arguments(file=files)
    return step


def _of_the_other(step: Step) -> Step:
    """Take the other one for the file, where only its article was taken: "when is der andere from".

    Examples
    --------
    >>> _of_the_other(Step("date", {"file": ("der",)}, text="von wann ist der andere")).word("file")
    'der andere'
    """
    files = step.arguments.get("file", ())
    found = words_of(step.text.partition("\n")[0])
    both = {one.text: step.text[one.start : other.end] for one, other in pairwise(found) if one.text in files}
    others = {one: said for one, said in both.items() if is_pointer(said, "other") and said not in files}
    return step.with_arguments(file=tuple(others.get(word, word) for word in files)) if others else step


def of_known_kinds(reading: Reading) -> Reading:
    """Take the next reading of the same kind of act where what should be a kind of files is none: "both recipe files".

    Examples
    --------
    >>> said = Reading((Step("copy.ending", {"ending": ("recipe files",)}),), others=(Reading((Step("copy", {}),)),))
    >>> of_known_kinds(said).steps[0].act
    'copy'
    """
    reading = _with_whole_new(reading)
    step = reading.steps[0] if len(reading.steps) == 1 else Step("unclear", {})
    group, _, part = step.act.partition(".")
    if step.act.startswith("about.") or step.act == "ask.change":
        return _of_change_asked(reading)
    if (rather := _of_kind_instead(reading)) is not None:
        return rather
    if is_misnamed(step):  # "put a.txt in a new folder old"
        moved = [
            (place, one)
            for place, one in enumerate(reading.others)
            if one.steps[0].act in {"move", "copy"} and one.steps[0].word("to") and one.steps[0].word("file")
        ]
        for place, other in moved[:1]:
            rest = (*reading.others[:place], *reading.others[place + 1 :])
            return other._replace(confidence=max(reading.confidence, other.confidence), others=rest)
    if part == "ending" and step.word("ending") and not endings(step.word("ending")):
        for place, other in enumerate(reading.others):
            if other.steps[0].act == group:
                rest = (*reading.others[:place], *reading.others[place + 1 :])
                return other._replace(confidence=max(reading.confidence, other.confidence), others=rest)
    if (otherwise := _OTHERWISE.get(step.act)) is not None and (meant := otherwise(reading)) is not None:
        return meant
    for other in reading.others if step.act in {"list", "delete.all"} and not step.arguments else ():
        if other.steps[0].act == f"{group}.ending" and endings(other.steps[0].word("ending")):
            return other._replace(confidence=max(reading.confidence, other.confidence), others=())  # "all txt files"
    return reading


_OF_CHANGES = frozenset(
    "delete move rename copy replace write append prepend put save create change sort run print".split()
)
"""Concepts of one of which a question about a change has a verb."""


def _of_change_asked(reading: Reading) -> Reading:
    """Return that it is asked what a change would do, where a verb says so and a file is told, and only there.

    Examples
    --------
    >>> asked = Step("ask.change", {"file": ("the old note",)}, text="do you think I should delete the old note?")
    >>> both = Reading((Step("about.you", {}, text=asked.text),), 0.6, others=(Reading((asked,), 0.6),))
    >>> _of_change_asked(both).steps[0].act
    'ask.change'
    >>> asked = Step("ask.change", {"file": ("Bo",)}, text="who delivers faster, Ann or Bo?")
    >>> _of_change_asked(Reading((asked,), 0.2, others=(Reading((Step("talk", {}),)),))).steps[0].act
    'talk'
    """
    step, is_said = reading.steps[0], _says_change(reading.steps[0].text, reading.language)
    likely = [one for one in reading.others if one.steps[0].act == "ask.change" and one.steps[0].word("file")]
    if step.act != "ask.change":
        is_it = is_said and bool(likely) and likely[0].confidence >= HALF
        return likely[0]._replace(others=(reading._replace(others=()),)) if is_it else reading
    if is_said or not reading.others or reading.confidence >= HALF:
        return reading
    return reading.others[0]._replace(others=reading.others[1:])


def _says_change(text: str, language: str) -> bool:
    """Tell whether a text has a verb that changes something."""
    marks = frozenset[str]().union(*words_of_wishes(language).concepts(words_of(text)))
    told = frozenset[str]().union(*lexicon_of(language).concepts(words_of(text)))
    return bool(told & _OF_CHANGES or marks & {"off", "taking", "tick"})


def taking_back(reading: Reading, context: Context) -> Reading:
    """Add a no to a wish to undo, where something was just changed: both take that back; nothing is where nothing was changed.

    Examples
    --------
    >>> said = Reading((Step("undo", {}),), 0.25, others=(Reading((Step("no", {}),), 0.5),))
    >>> done = Step("move", {"file": ("a.txt",)})
    >>> taking_back(said, Context(done, changed=done)).confidence, taking_back(said, Context()).confidence
    (0.75, 0.25)
    >>> other = Reading((Step("task.done", {"text": ("the first",)}),), 0.6)
    >>> taking_back(said._replace(others=(other,)), Context()).steps[0].act
    'task.done'
    """
    first = reading.others[0] if reading.others else Reading(())
    is_nothing = context.changed is None and [step.act for step in reading.steps] == ["undo"] and not context.is_open
    if is_nothing and first.steps and first.confidence >= HALF and all(step.arguments for step in first.steps):
        return first._replace(others=(reading._replace(others=()), *reading.others[1:]))
    is_done = context.changed is not None and context.last is not None and is_change(context.last.act)
    if not is_done or context.is_open or [step.act for step in reading.steps] != ["undo"]:
        return reading
    denied = sum(one.confidence for one in reading.others if one.steps[0].act == "no")
    return reading._replace(confidence=min(1.0, reading.confidence + denied))


def _of_kind_instead(reading: Reading) -> Reading | None:
    """Return the next reading where the first is none of its kind: no line to run, no file that would change, no text to write below.

    Examples
    --------
    >>> more = Reading((Step("json.set", {"file": ("a.json",), "key": ("b",), "new": ("1",)}),), 0.4)
    >>> said = Step("append", {"file": ("a.json",), "text": ("b to 1",)})
    >>> _of_kind_instead(Reading((said,), 0.6, others=(more,))).steps[0].act
    'json.set'
    """
    step = reading.steps[0] if len(reading.steps) == 1 else Step("unclear", {})
    if step.act == "run" and not _is_line(step):
        rather = [one for one in reading.others if is_work(one.steps[0])]
    elif step.act in WRITING and step.word("file").endswith(".json"):  # nothing is written below a text of keys
        same = {"file": step.arguments["file"]}
        rather = [one for one in reading.others if one.steps[0].act == "json.set" and not lacks(one.steps[0])]
        rather = [one for one in rather if one.steps[0].arguments.items() >= same.items()]
        rather = [one._replace(confidence=min(1.0, reading.confidence + one.confidence)) for one in rather]
    elif step.act == "task.add" and _only_tells(step, reading):
        rather = [reading._replace(steps=(Step("talk", {}, text=step.text),), others=())]
    else:
        rather = []
    rest = tuple(one for one in reading.others if one.steps != rather[0].steps) if rather else ()
    return rather[0]._replace(others=() if rather[0].steps[0].act == "talk" else rest) if rather else None


def _with_whole_new(reading: Reading) -> Reading:
    """Return what is to stand there whole, where it was cut into what is replaced and what by: "make it call Ann on Monday".

    Examples
    --------
    >>> rather = Reading((Step("task.change", {"old": ("it",), "new": ("call Ann on Monday",)}),), 0.5)
    >>> said = Reading((Step("replace", {"file": ("it",), "old": ("call Ann",), "new": ("Monday",)}),), 0.5, others=(rather,))
    >>> _with_whole_new(said).steps[0].word("new")
    'call Ann on Monday'
    """
    step = reading.steps[0] if len(reading.steps) == 1 else Step("unclear", {})
    old, new, file = step.word("old"), step.word("new"), step.word("file")
    if step.act != "replace" or not (old and new and file and is_pointer(file, "it")):
        return reading
    told = [one.steps[0] for one in reading.others if is_pointer(one.steps[0].word("old") or "\0", "it")]
    whole = next(
        (one.word("new") for one in told if one.word("new").startswith(old) and one.word("new").endswith(new)), ""
    )
    return reading._replace(steps=(step.with_arguments(new=(whole,)),)) if whole else reading


def _is_of_things(text: str, language: str, *, is_whose: bool = False) -> bool:
    """Tell whether a question is about something that it names, and says nothing of who is here, or of who would do it.

    Examples
    --------
    >>> _is_of_things("what else is in the cupboard", "en"), _is_of_things("which agents are there", "en")
    (True, False)
    >>> _is_of_things("who is the red bike from", "en", is_whose=True), _is_of_things("who runs commands", "en", is_whose=True)
    (True, False)
    """
    of_agents = {"agent", "tool", "you", "can", "help", "run"} | (WISHING - {"many", "show"} if is_whose else {"who"})
    return asks(text) and not concepts_of(text) & of_agents and bool(unexplained(text, language))


def _only_tells(step: Step, reading: Reading) -> bool:
    """Tell whether a request only says how somebody is, and wishes for nothing: no task is made of "I need a coffee first".

    Examples
    --------
    >>> said = [Step("task.add", {}, text=text) for text in ("ik moet eerst koffie", "remind me that I need coffee", "buy coffee")]
    >>> [_only_tells(one, Reading((one,), 0.78, "nl")) for one in said]
    [True, False, False]
    """
    found = words_of(step.text)
    own = words_of_speech(reading.language).concepts(found[:FIRST_WORDS])
    is_east = any(word.kind in UNSPACED for word in found)
    told = frozenset[str]().union(*lexicon().concepts(found))
    is_wish = bool(told & (KEEPING | OF_TASKS | REMEMBERED | {"remind", "please"})) or bool(step.word("file"))
    return any("own" in one for one in own) and not (is_wish or is_east)


def _is_line(step: Step) -> bool:
    """Tell whether what is to be run looks like a line for a shell, or the request says that it is to be run.

    Examples
    --------
    >>> _is_line(Step("run", {"command": ("letters",)}, text="list the letters"))
    False
    """
    program = step.word("command").partition(" ")[0]
    is_said = "run" in frozenset[str]().union(*lexicon().concepts(words_of(step.text)))
    return is_said or program in PROGRAMS or not program.isalpha() or program == step.text.partition(" ")[0]


def _cut_rather(reading: Reading) -> Reading | None:
    """Return that a line goes out of a file, where words that a request has beside its name tell which: "delete the milk from a.txt".

    Examples
    --------
    >>> cut = Reading((Step("line.delete", {"file": ("a.txt",), "find": ("milk",)}),), 0.2)
    >>> said = Step("delete", {"file": ("a.txt",)}, text="delete the milk from a.txt")
    >>> _cut_rather(Reading((said,), 0.7, others=(cut,))).steps[0].act
    'line.delete'
    """
    step = reading.steps[0]
    for place, other in enumerate(reading.others):
        one = other.steps[0]
        if one.act == "line.delete" and one.word("find") and one.arguments.get("file") == step.arguments.get("file"):
            rest = (*reading.others[:place], *reading.others[place + 1 :])
            return other._replace(confidence=max(HALF, other.confidence), others=rest)
    return None


def _with_that_text(reading: Reading) -> Reading | None:
    """Return that a file is written, where a text is said for it, and a word of that was taken for a place.

    Examples
    --------
    >>> said = "put there a file a.txt with the text blue jug"
    >>> write = Reading((Step("write", {"file": ("a.txt",), "text": ("blue jug",)}, text=said),), 0.25)
    >>> _with_that_text(Reading((Step("move", {"file": ("a.txt",), "to": ("jug",)}, text=said),), 0.5, others=(write,))).confidence
    0.75
    """
    step = reading.steps[0]
    for other in reading.others:
        one = other.steps[0]
        text, to = one.word("text"), step.word("to")
        *_, before = words_of(one.text.partition(text or "\0")[0]) or (None,)
        is_text = before is not None and bool(concepts_of(before.text) & {"text", "line", "word"})
        if (
            one.act in WRITING
            and to
            and text.endswith(to)
            and one.word("file") in step.arguments.get("file", ())
            and is_text
        ):
            rest = tuple(each for each in reading.others if each is not other)
            return other._replace(confidence=min(1.0, reading.confidence + other.confidence), others=rest)
    return None


def _put_into(reading: Reading) -> Reading | None:
    """Return that something goes into a folder where a request begins with that: "move a.txt to a new folder called b".

    Examples
    --------
    >>> move = Step("move", {"file": ("a.txt",), "to": ("b",)})
    >>> said = Step("folder.make", {"to": ("b",)}, text="move a.txt to a new folder called b")
    >>> _put_into(Reading((said,), 0.8, others=(Reading((move,), 0.4),))).steps[0].act
    'move'
    """
    step = reading.steps[0]
    told = lexicon().concepts(words_of(step.text))
    at = next((at for at, one in enumerate(told) if one & {"move", "copy", "put"}), len(told))
    folder = next((at for at, one in enumerate(told) if "folder" in one), 0)
    for place, other in enumerate(reading.others):
        one = other.steps[0]
        name, is_cut = one.word("to"), ENDED.search(step.word("to")) is not None
        is_it = step.word("to").partition(" ")[0] == name if is_cut else at < folder and step.word("to") == name
        if one.act in {"move", "copy"} and one.word("file") and is_it:
            rest = (*reading.others[:place], *reading.others[place + 1 :])
            return other._replace(confidence=max(reading.confidence, other.confidence), others=rest)
    return None


_OTHERWISE: Mapping[str, Callable[[Reading], Reading | None]] = {
    "folder.make": _put_into, "move": _with_that_text, "copy": _with_that_text, "delete": _cut_rather
}  # fmt: skip
"""What an act means rather by another of its readings; ``None`` where it means itself."""


def without_refused(reading: Reading, request: str) -> Reading:
    """Leave out a file that a request names behind a negation: what is changed is never that one.

    Where nothing else is left to change, the next reading is taken that does without it.
    """
    reading = reading._replace(steps=tuple(_undescribed(step, request, reading.language) for step in reading.steps))
    out = not_meant(request, reading.language)
    if not out:
        return reading
    others = tuple(other for other in reading.others if not any(_without(step, out) is None for step in other.steps))
    left = [_without(step, out) for step in reading.steps]
    steps = tuple(step for step in left if step is not None)
    if len(steps) == len(left):
        return reading._replace(steps=steps, others=others)
    if others and not is_talk(others[0].steps[0].act):
        confidence = max(reading.confidence, others[0].confidence)
        return others[0]._replace(others=others[1:], confidence=confidence)
    return reading._replace(steps=(Step("refrain", {}, text=request),), others=())


def _undescribed(step: Step, request: str, language: str) -> Step:
    """Return a step without files that are described behind a negation: "in your own list, not in the todo file"."""
    kept = {
        role: tuple(word for word in step.arguments[role] if not is_ruled_out(word, request, language))
        for role in ("file", "to")
        if role in step.arguments
    }
    return step.with_arguments(**kept)


def _without(step: Step, out: Collection[str]) -> Step | None:
    """Return a step without files that are not meant; ``None`` for a change of which nothing is left."""
    kept = {
        role: tuple(word for word in words if trimmed(word) not in out) if role in {"file", "to"} else words
        for role, words in step.arguments.items()
    }
    if all(kept.values()):
        return step.with_arguments(**kept)
    return None if is_change(step.act) or step.destination else step


def rejoined(reading: Reading, request: str) -> Reading:
    """Return one step where a request was parted within one: between numbers of lines, or before where its result goes.

    Examples
    --------
    >>> parted = Reading((Step("line.delete", {"line": ("2",)}), Step("same", {"n": ("3",)})))
    >>> [step.text for step in rejoined(parted, "delete lines 2 and 3").steps]
    ['delete lines 2 and 3']
    >>> parted = Reading((Step("list", {}), Step("read", {"to": ("a.txt",)}, "write")), 0.3, each=(0.9, 0.4))
    >>> rejoined(parted, "list the files and save the list to a.txt").steps[0].destination
    'write'
    """
    first, *rest = reading.steps or (Step("unclear", {}),)
    if not rest and (deleted := _deleted_rather(first, reading.language)) is not first:
        return reading._replace(steps=(deleted,), confidence=min(reading.confidence, _DOUBTFUL))
    if len(rest) == BOTH and first.act == "folder.make" and not first.arguments and set(rest[0].arguments) == {"to"}:
        made = first._replace(arguments=rest[0].arguments)  # 建个letters文件夹,把信挪进去
        return reading._replace(steps=(made, rest[1]), confidence=max((reading.confidence, *reading.each[2:])), each=())
    is_named = says_name(request) or "rename" in frozenset[str]().union(*lexicon().concepts(words_of(request)))
    acts_named = ("rename", "move") if is_named else ("rename",)
    if len(rest) == 1 and first.act == "copy" and rest[0].act in acts_named and not first.word("to"):
        names = [word for role in ("to", "file") for word in rest[0].arguments.get(role, ())]
        ends = [word for word in names if ENDED.search(word)]
        places = [word for word in names if word not in ends and not is_pointer(word, "it")]
        if len(ends) == 1 and len(places) <= 1:  # "make a copy of a.txt and call it b.txt, in the folder old"
            where = f"{trimmed(places[0]).rstrip('/')}/" if places and "/" not in ends[0] else ""
            step = first.with_arguments(to=(where + ends[0],))._replace(text=request)
            return reading._replace(steps=(step,), confidence=max((reading.confidence, *reading.each[:1])), each=())
    if len(rest) == 1 and rest[0].destination and not first.destination:
        is_result = set(rest[0].arguments) <= {"to"} and rest[0].word("to") and not is_change(rest[0].act)
        if is_result and not (is_change(first.act) or is_talk(first.act)):
            kept = first.with_arguments(to=rest[0].arguments["to"])._replace(destination=rest[0].destination)
            return reading._replace(steps=(kept,), confidence=max((reading.confidence, *reading.each[:1])), each=())
    words = [word for step in rest for role, said in step.arguments.items() if role != "file" for word in said]
    is_parted = bool(rest) and first.act == "line.delete" and all(step.act in {*FOLLOWS, "read.line"} for step in rest)
    if is_parted and words and all(word.isdecimal() for word in words):
        file = first.arguments.get("file") or next((step.arguments["file"] for step in rest if step.word("file")), ())
        step = first.with_arguments(file=file)._replace(text=request)
        return reading._replace(steps=(step,), confidence=max((reading.confidence, *reading.each[:1])), each=())
    return reading


def to_named_file(reading: Reading, request: str) -> Reading:
    """Return that a text is added to the list whose file a request names, and not to the tasks.

    Examples
    --------
    >>> more = Reading((Step("append", {"text": ("soap",), "file": ("the list", "shopping.txt")}),), 0.3)
    >>> said = Reading((Step("task.add", {"text": ("shopping.txt",)}),), 0.6, others=(more,))
    >>> to_named_file(said, "note soap on the list (shopping.txt)").steps[0].arguments
    {'text': ('soap',), 'file': ('shopping.txt',)}
    """
    step = reading.steps[0] if len(reading.steps) == 1 else None
    if step is None or step.act != "task.add" or not any(word.kind == "file" for word in words_of(request)):
        return reading
    fitting = [plainly(other.steps[0]) for other in reading.others if other.steps[0].act in WRITING]
    likely = sum(other.confidence for other in reading.others if other.steps[0].act in WRITING)
    for one in fitting:
        files = tuple(word for word in one.arguments.get("file", ()) if ENDED.search(word))[-1:]
        is_meant = bool(files) and files[0] not in not_meant(request, reading.language)
        if is_meant and one.word("text") and files[0] not in one.word("text"):
            sure = min(1.0, likely / max(1 - reading.confidence, likely))
            return Reading((one._replace(act="append").with_arguments(file=files),), sure, reading.language)
    return reading


def of_files(reading: Reading, request: str) -> Reading:
    """Return the likeliest change of a file where a doubtful reading is about a task and no word of it says so.

    Examples
    --------
    >>> more = (Reading((Step("read", {"file": ("the letter",)}),), 0.35), Reading((Step("delete", {"file": ("the letter",)}),), 0.35))
    >>> of_files(Reading((Step("task.delete", {"text": ("the letter",)}),), 0.46, others=more), "remove the letter").steps[0].act
    'delete'
    """
    step = reading.steps[0] if len(reading.steps) == 1 else Step("unclear", {})
    about = [one for one in reading.others if one.steps[0].word("file")]
    if step.act == "task.delete" and not step.word("text"):
        left = left_over(request, step, reading.language) if concepts_of(request) & OF_TASKS else ""
        if left:  # "delete the task about the smoker"
            return reading._replace(steps=(step.with_arguments(text=(left,)),))
        return next((one for one in about if one.steps[0].act == "delete"), reading)  # the todo list
    if step.act not in _OF_A_FILE or concepts_of(request) & OF_TASKS:
        return reading
    text = step.arguments.get("text", ("",))
    if step.act == "task.delete" and reading.confidence < HALF and not about and is_noun_of_file(text[0].split(" ")[0]):
        return reading._replace(steps=(Step("delete", {"file": text}, text=request),))  # "the letter to the landlord"
    sure = SURE if step.act == "task.delete" else HALF
    if reading.confidence >= sure or sum(one.confidence for one in about) <= reading.confidence:
        return reading
    chosen = next((one for one in about if one.steps[0].act in _OF_A_FILE.get(step.act, ())), None)
    return reading if chosen is None else chosen._replace(others=tuple(o for o in reading.others if o is not chosen))


def _deleted_rather(step: Step, language: str) -> Step:
    """Return that a line is to be deleted where it was read as one to be shown, and the request says nothing of showing.

    Examples
    --------
    >>> said = Step("read.last", {"file": ("a.txt",)}, text="delete the last line of a.txt")
    >>> _deleted_rather(said, "en").arguments
    {'file': ('a.txt',), 'line': ('-1',)}
    """
    line = {"read.first": "1", "read.last": "-1"}.get(step.act, step.word("line") or step.word("from"))
    rest = step.text.replace(step.word("file") or "\0", " ")
    told = frozenset[str]().union(*lexicon_of(language).concepts(words_of(rest)))
    is_one = (
        bool(line)
        and step.act in {"read.first", "read.last", "read.line", "read.lines"}
        and step.word("n") in {"", "1"}
    )
    if not is_one or "delete" not in told or told & (_SHOWING_FIRST | ASKED_OF) or step.destination or asks(step.text):
        return step
    return Step(
        "line.delete", {"file": step.arguments.get("file", ()), "line": (line,)}, text=step.text
    ).with_arguments()


def written_alike(reading: Reading, request: str) -> Reading:
    """Add up readings that write the same text to the same file, anew or at its end: only the verb tells which."""
    step = reading.steps[0] if len(reading.steps) == 1 else None
    if step is None or step.act not in WRITING:
        return reading
    step = plainly(step)
    file = next((word for word in step.arguments.get("file", ()) if ENDED.search(word)), "")
    is_begun = step.act == "append" and "append" in deed_of(request, reading.language)
    if is_begun and file and step.word("text") and not left_over(request, step, reading.language, is_any=True):
        return reading._replace(steps=(step,), confidence=max(reading.confidence, HALF))
    also = [other for other in reading.others if file and _says_alike(step, plainly(other.steps[0]), file)]
    if also and reading.confidence < HALF and not left_over(request, step, reading.language, is_any=True):
        texts = [text for other in also if (text := other.steps[0].word("text")) and step.word("text").endswith(text)]
        bare = min(texts, key=len, default="")
        if bare and "line" in concepts_of(step.word("text").removesuffix(bare)):  # "with three lines, a, b and c"
            step = step.with_arguments(text=(bare,))
        both = min(1.0, reading.confidence + sum(other.confidence for other in also))
        reading = reading._replace(steps=(step,), confidence=both)
    for other in reading.others:
        alike = plainly(other.steps[0])
        if alike.act in WRITING and alike.act != step.act and dict(alike.arguments) == dict(step.arguments):
            told = lexicon_of(reading.language).concepts(words_of(request.replace(step.word("text"), " ")))
            is_anew = any(one & {"write", "save", "replace", "create"} and not one & {"put", "note"} for one in told)
            adds = any(one & {"put", "append", "note"} for one in told) and not is_anew
            both = min(1.0, reading.confidence + other.confidence)
            return reading._replace(steps=(step._replace(act="append" if adds else step.act),), confidence=both)
    return reading


def wholly_said(reading: Reading, request: str) -> Reading:
    """Return a replacement as likely where a request names its file, and says what goes, what comes and that it is changed.

    Examples
    --------
    >>> step = Step("replace", {"file": ("a.txt",), "old": ("tea",), "new": ("juice",)})
    >>> wholly_said(Reading((step,), 0.3), "it would be lovely to change tea to juice in a.txt").confidence
    0.5
    >>> wholly_said(Reading((step,), 0.3), "who wants tea, who juice? see a.txt").confidence
    0.3
    """
    step = reading.steps[0] if len(reading.steps) == 1 else None
    if step is None or step.act != "replace" or reading.confidence >= HALF:
        return reading
    said = [step.word(role) for role in ("file", "old", "new")]
    found = words_of(request)
    told = frozenset[str]().union(*lexicon_of(reading.language).concepts(found))
    is_whole = all(word and word in request for word in said) and any(word.text == said[0] for word in found)
    is_wish = bool(told & {"change", "replace", "correct"}) and not told & REFUSING
    return reading._replace(confidence=HALF) if is_whole and is_wish else reading


def _says_alike(step: Step, other: Step, file: str) -> bool:
    """Tell whether a step may write the same text to the file that another one writes it to, or notes it as a task."""
    if other.act == "task.add":
        return other.word("text") == step.word("text")
    is_part = not other.word("text") or step.word("text").endswith(other.word("text"))
    return other.act in {*WRITING, "create"} and file in other.arguments.get("file", ()) and is_part


def of_owed(reading: Reading, request: str) -> Reading:
    """Return that a table is asked first who owes how much, whatever else was read.

    Examples
    --------
    >>> said = Reading((Step("size", {"file": ("Ann",)}),), 0.3)
    >>> of_owed(said, "how much does Ann still owe me?").steps[0].act, of_owed(said, "how large is Ann?").steps[0].act
    ('query', 'size')
    """
    step = reading.steps[0] if len(reading.steps) == 1 else Step("write", {})
    is_owed = "owed" in said_of_tables(request, reading.language) and bool(concepts_of(request) & _OF_MONEY)
    is_named = any(word.kind == "file" for word in words_of(request))
    if not (is_owed and asks(request)) or is_named or step.destination or (step.act in acts() and is_change(step.act)):
        return reading
    return reading._replace(steps=(Step("query", {}, text=request),), others=(reading, *reading.others))


def of_no_change(reading: Reading, request: str, context: Context) -> Reading:
    """Return that a look is gone on with where no word of a few says that anything is to be changed: "and for a group".

    Examples
    --------
    >>> more = Reading((Step("same", {"key": ("group",)}),), 0.4)
    >>> said = Reading((Step("json.set", {"new": ("group",)}),), 0.8, others=(more,))
    >>> of_no_change(said, "and for a group", Context(Step("json.get", {"key": ("child",)}))).steps[0].act
    'same'
    """
    step, found = reading.steps[0] if len(reading.steps) == 1 else Step("unclear", {}), words_of(request)
    is_look = context.last is not None and not is_change(context.last.act) and not context.is_open
    told = lexicon_of(reading.language).concepts(found)
    is_more = bool(told) and "and" in told[0] and len(found) <= FEW_WORDS
    is_said = any(one & WISHING for one in told)
    if not (is_look and is_more) or is_said or step.act not in {"json.set", "replace", "line.replace", "task.change"}:
        return reading
    look = next(
        (one for one in reading.others if not is_change(one.steps[0].act) and not one.steps[0].destination), None
    )
    return reading if look is None else look._replace(confidence=max(look.confidence, HALF))


def of_cell(reading: Reading, request: str, context: Context) -> Reading | None:
    """Return that a value of a table is to be set, before or behind what was read otherwise: "put Nina in room D".

    Examples
    --------
    >>> said = Reading((Step("json.set", {"key": ("thermometer",), "new": ("12",)}),), 0.4)
    >>> found = of_cell(said, "set the count of the thermometer to 12", Context(file="equipment.json"))
    >>> found.steps[0].act, found.steps[0].word("new"), found.others[0] == said
    ('value.set', '12', True)
    """
    step = reading.steps[0] if len(reading.steps) == 1 else None
    if step is not None and _tells_state(step, request, context, reading.language):
        cell = Step("value.set", {"text": (request,), "file": (context.file,)}, text=request)
        marks = words_of_wishes(reading.language).concepts(words_of(request))
        is_wish = bool((WISHING | {"change"}) & concepts_of(request)) or any("mark" in one for one in marks)
        return Reading((cell,), 1.0 if is_wish else _DOUBTFUL, reading.language)
    is_doubtful = step is not None and step.act in WRITING and reading.confidence < HALF
    is_set = step is not None and _is_setting(step, reading.confidence, request, context)
    acts_of_it = {"json.set", "replace", "line.replace", "move", "task.done"}
    is_set = is_set and not list_in(request, words_of(request), reading.language)
    is_unsaid = step is not None and step.act == "line.delete" and "delete" not in concepts_of(request)
    if step is None or not (is_doubtful or is_set or is_unsaid or step.act in acts_of_it):
        return None
    last = context.last
    is_told = last is not None and last.act in {"json.get", "json.set"} and bool(last.word("key"))
    is_bare = step.act == "json.set" and step.arguments.keys() <= {"new"} and points_back(request)
    is_of_last = last is not None and is_told and is_key_said(last, reading.language)
    if is_of_last and is_bare and set(unexplained(request, reading.language)) <= set(step.word("new").split()):
        return None  # "make that 05:30"
    named = [word.text for word in words_of(request) if word.kind == "file"]
    file = named[0] if len(named) == 1 else context.file if not named else ""
    is_table = file.casefold().endswith(TABULAR)
    is_anywhere = not file and (is_set or (step.act == "json.set" and bool(step.word("new"))))
    is_row = step.act in WRITING and _ROW_TEXT.fullmatch(step.word("text")) is not None and bool(named)
    is_other = is_row or any(is_asking(one) or _asks_whether(one, reading.language) for one in CLAUSES.split(request))
    is_other = is_other or request.rstrip()[-1:] in ASK_SIGNS
    is_other = is_other or any(ENDED.search(word) for word in step.arguments.get("to", ()))
    if not (is_table or is_anywhere) or is_other or any(word.is_quoted for word in words_of(request)):
        return None
    if not request.strip() or (step.act == "task.done" and not named and not is_set):
        return None
    new = (
        ()
        if (is_set and step.act not in {"json.set", "replace", *FOLLOWS})
        or step.act in {"task.done", "move"}
        or "done" in concepts_of(request)
        else _new_of(reading, request)
    )
    cell = Step("value.set", {"text": (request,)}, text=request).with_arguments(file=(file,) if file else (), new=new)
    found = Reading((cell,), 1.0, reading.language, (reading, *reading.others))
    is_whole = (
        not is_set and step.act in {"move", "replace", "json.set"} and not lacks(step) and reading.confidence >= HALF
    )
    left = left_over(request, step, reading.language, is_any=True) if step.act == "json.set" and not named else ""
    if left and not context.file:  # "bens midterm is wrong, should be 66": the row is told, and no key
        reading = reading._replace(others=tuple(one for one in reading.others if one.steps[0].act != "json.set"))
        return found._replace(others=reading.others)
    is_whole = is_whole and not left
    if _is_row_pointed_at(step, request, context, reading.language):
        found = found._replace(others=())  # "set that one to paid" behind a question moves no file
    elif is_whole and not _ROW_SAID.search(request):  # only where nothing is called what was read
        return reading._replace(others=(found._replace(others=()), *reading.others))
    return found


def _is_row_pointed_at(step: Step, request: str, context: Context, language: str = "en") -> bool:
    """Tell whether what is moved is the row that a table was just asked for, and not its file: "put that one on paid".

    Examples
    --------
    >>> row = Step("query", {"file": ("a.csv",), "query": ("max amount",)})
    >>> moved, shown = Step("move", {"file": ("that one",), "to": ("paid",)}), Context(row, "a.csv", shown=("gas,9,no",))
    >>> _is_row_pointed_at(moved, "put that one on paid", shown)
    True
    >>> _is_row_pointed_at(moved, "put that one into the folder paid", shown)
    False
    """
    is_of_row = context.last is not None and context.last.act in {"query", "value.set"} and len(context.shown) == 1
    is_of_row = is_of_row and not any(map(ENDED.search, context.shown))
    goal = step.word("to")
    is_bare = bool(goal) and "/" not in goal and not concepts_of(request) & {"file", "folder"}
    pointed = step.word("file")
    is_it = is_pointer(pointed, "it") if pointed else set(unexplained(request, language)) <= set(goal.split())
    return step.act == "move" and is_of_row and is_bare and is_it


def _asks_whether(clause: str, language: str) -> bool:
    """Tell whether a clause wants to have it looked up whether something is so: "can you look whether it's marked".

    Examples
    --------
    >>> [_asks_whether(text, "en") for text in ("can you look in a.csv whether it is marked as done", "and put it there if you can")]
    [True, False]
    """
    found = words_of(clause)
    told, marks = lexicon_of(language).concepts(found), words_of_wishes(language).concepts(found)
    at = next((at for at, one in enumerate(told) if "if" in one), 0)
    is_wish = any(one & {*DEEDS, *KEEPING, "correct"} for one in told) or any({"off", "tick"} & one for one in marks)
    return at > FEW_SAID and not is_wish


_STATING = frozenset(
    ("talk", "unclear", "remember", "task.done", "about.owner", "undo", "about.agents", "cell", "replace")
)
"""Acts that are read where it is told that something has become true."""


def _tells_state(step: Step, request: str, context: Context, language: str) -> bool:
    """Tell whether it is told of somebody what was just asked of a table: "Piet has paid now" behind "who hasn't paid?".

    Examples
    --------
    >>> asked = Context(Step("query", {}), "a.csv", query=Step("query", {"query": ("rows where paid is no",)}))
    >>> _tells_state(Step("talk", {}), "Piet has paid now", asked, "en"), _tells_state(Step("talk", {}), "thanks!", asked, "en")
    (True, False)
    """
    told = parse_query(context.query.word("query")) if context.query is not None else None
    words = [word.text for word in words_of(request) if word.kind not in {"sign", "file"}]
    first = frozenset[str]().union(*lexicon().concepts(words_of(request))[:1])
    is_sentence = len(words) > BOTH and not first & {"and", "only", "show", "it"}
    is_maybe = step.act in _STATING or step.act not in {*acts(), *FOLLOWS} or (step.act in FOLLOWS and is_sentence)
    if told is None or not is_maybe or asks(request) or is_asking(request) or request.rstrip()[-1:] in ASK_SIGNS:
        return False
    columns = {one.column for one in told.where}
    is_named = any(names_column(word, column, language) for word in words for column in columns)
    is_table = context.file.endswith((".csv", ".tsv")) and len(words) <= _FEW_IN_CELL
    return is_named and is_table and 0 < len(unexplained(request, language)) <= FEW_SAID


def _is_setting(step: Step, confidence: float, request: str, context: Context) -> bool:
    """Tell whether a request that was hardly understood begins with setting something, or goes on with that: "and K2 to ready"."""
    found = words_of(request)
    first = frozenset().union(*lexicon().concepts(found)[:FIRST_WORDS])
    acts_before = {one.act for one in (context.last, context.changed) if one is not None}
    goes_on = "and" in first and acts_before in (
        {"value.set", "line.replace"},
        {"value.set", "json.set"},
        {"line.replace"},
    )
    is_unsure = (confidence < SURE or "change" in deed_of(request, "")) and not is_asking(request)
    marks = words_of_wishes().concepts(found)
    is_begun = "change" in first or any("mark" in one for one in marks[:FIRST_WORDS])
    is_one = step.act in _UNSURE_ACTS or step.act not in acts() or (goes_on and step.act in FOLLOWS)
    is_more = goes_on and (is_unsure or is_change(step.act) or step.act in FOLLOWS)
    return is_one and (is_more or (is_unsure and is_begun)) and len(found) <= _FEW_IN_CELL


def _new_of(reading: Reading, request: str) -> tuple[str, ...]:
    """Return the new value that any of the likeliest readings found: none that something else shall stand instead of.

    Examples
    --------
    >>> said = Reading((Step("replace", {"old": ("2 pounds",), "new": ("1.50",)}),))
    >>> _new_of(said, "late is 2 pounds a day instead of 1.50"), _new_of(said, "late is 1.50 instead of 1.20")
    (('2',), ('1.50',))
    """
    found = words_of(request)
    marks = words_of_wishes(reading.language).concepts(found)
    at = next((word.end for word, one in zip(found, marks, strict=True) if "instead" in one), len(request))
    steps = [one.steps[0] for one in (reading, *reading.others) if one.steps]
    given = [words for role in ("new", "old") for step in steps if (words := step.arguments.get(role))]
    first = [words[0] for words in given if words[0] in request[:at]] if at < len(request) else []
    if first and any(word[0].replace(",", "").replace(".", "").isdigit() for word in given):
        numbers = [word.text for word in words_of(first[0]) if word.kind == "number"]
        first = numbers if len(numbers) == 1 else first  # "2 pounds instead of 1.50"
    return (first[0],) if first else next((words for step in steps if (words := step.arguments.get("new"))), ())
