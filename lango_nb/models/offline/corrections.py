"""Corrections: a request that says something else should have been written, or another name given, than just was.

    add 6 bottles of milk to shopping.txt ── added ── "oops, 8 bottles" ── in shopping.txt replace 6 bottles of milk by 8 bottles of milk
    rename a.txt to b.txt ────────────────── done ─── "no, c d.txt" ────── rename b.txt to "c d.txt"

What is said now is laid beside what was written: the words that agree, and values of the same form, show its place. Where
nothing agrees, the plan is asked about.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import NamedTuple

from lango_nb.models.offline.followups import ENDED, HALF, WISHING
from lango_nb.models.offline.lexicon import (
    ASK_SIGNS,
    NEGATING,
    REFUSING,
    UNSPACED,
    Concepts,
    Word,
    concepts_of,
    is_small_in,
    lexicon,
    lexicon_of,
    quotations,
)
from lango_nb.models.offline.lexicon import words as words_of
from lango_nb.models.offline.lists import FEW_WORDS, words_of_speech, words_of_wishes
from lango_nb.models.offline.names import (
    back_in,
    begins_with_pointer,
    compared_in,
    is_asking,
    is_pointer,
    is_small,
    likeness,
    plain,
    rank,
    table_of,
    trimmed,
    unaccented,
    unexplained,
)
from lango_nb.models.offline.operations import BOX
from lango_nb.models.offline.plan import Context, Reading, Step
from lango_nb.models.offline.question import is_word_of, said_of_tables, words_of_tables

_WRITTEN = ("append", "prepend", "write", "replace", "line.replace", "json.set")
"""Changes whose answer tells what was written."""
_ALIKE = 0.6
"""How alike a word must be to the one it is written instead of."""
_DOUBTFUL = 0.3
"""Confidence of a correction that agrees with nothing that was written: it is asked about."""
_LEADING = 4
"""Words among which a request says that it corrects something."""
_FEW = 4
"""Words that may stand for all that was written."""
_SPARE = 2
"""Words beside a value that need not agree: "15 degrees it was"."""
_SHORTEST = 3
_DONE = frozenset(("undo", "yes", "delete", "delete.all", "move", "copy", "run", "run.file", "task.list", "list"))
"""Acts of a request that is no correction, whatever it begins with."""
_CLAUSES = re.compile(r"[,;!?:、。，！]+\s*|(?<=[^\W\d])\.\s+")  # noqa: RUF001 - signs that people type
_VALUE = re.compile(r"\d+")
_EDGES = " .,;:!?\"'“”„«»()[]-*•"


def correction(reading: Reading, request: str, context: Context) -> Reading | None:
    """Read what a request corrects of the change that was just made; ``None`` where it corrects none.

    Parameters
    ----------
    reading : Reading
        What else it was read into.
    request : str
    context : Context

    Examples
    --------
    >>> written = Step("append", {"file": ("a.txt",), "added": ("Tuesday: Favre is away",)})
    >>> said = Reading((Step("unclear", {}),))
    >>> correction(said, "sorry, not Favre but Zanetti", Context(written, changed=written)).steps[0].word("new")
    'Tuesday: Zanetti is away'
    >>> written = Step("append", {"file": ("a.txt",), "added": ("6 bottles of milk",)})
    >>> correction(said, "oops, 8 bottles", Context(written, changed=written)).steps[0].word("new")
    '8 bottles of milk'
    >>> moved = Step("move", {"file": ("a.md",), "to": ("b.md",), "targets": ("b.md",)})
    >>> correction(said, "no, tour c.md after all", Context(moved, changed=moved)).steps[0].arguments
    {'file': ('b.md',), 'to': ('tour c.md',)}
    """
    changed = context.changed
    if context.is_open and (other := _of_other_file(reading, request, context)) is not None:
        return other
    if changed is None or context.is_open or len(reading.steps) != 1 or request.rstrip()[-1:] in ASK_SIGNS:
        return None
    begin = _begin(request, reading.language)
    is_last = context.last is not None and context.last.act.partition(".")[0] in {changed.act.partition(".")[0], *_SAME}
    step = _of_other_word(request, changed)
    if step is None and is_last:
        step = _of_other_line(request, changed, reading.language) or _told_instead(request, changed, reading.language)
    boxes = () if is_asking(request) else _of_other_box(reading, request, begin, context)
    words = () if is_asking(request) or not is_last else _of_other_old(request, changed, reading.language)
    several = boxes or words or _of_fact(request, begin, context, reading.language)
    if steps := several or (() if step is None else (step,)):
        return reading._replace(steps=steps, confidence=1.0, each=(), others=())
    is_done = reading.steps[0].act in _DONE or (
        reading.steps[0].act == "line.delete" and not reading.steps[0].arguments
    )
    if not begin or not is_last or is_asking(request) or is_done:
        return None
    if changed.act == "move":
        step = _of_other_name(request, request[begin:], changed)
        return None if step is None else reading._replace(steps=(step,), confidence=1.0, others=())
    if changed.act not in _WRITTEN or any(word.kind == "file" for word in words_of(request)):
        return None
    if (step := _of_what_was_written(request, changed, _clauses(request, begin), reading.language)) is not None:
        return reading._replace(steps=(step,), confidence=1.0, others=())
    return _asked(reading, request, changed, begin)


def _of_fact(request: str, begin: int, context: Context, language: str) -> tuple[Step, ...]:
    """Return that a fact that was remembered, or recalled, is forgotten, and what is said now remembered: "no, Bo has it now".

    Examples
    --------
    >>> fact = "Ann has the key of the shed"
    >>> told = Context(Step("recall", {"find": ("key",)}), answer=fact, known=(fact,))
    >>> [step.arguments for step in _of_fact("no, Bo has it now", 3, told, "en")]
    [{'find': ('Ann has the key of the shed',)}, {'text': ('Bo has the key of the shed',)}]
    >>> _of_fact("no, what else?", 3, told, "en")
    ()
    """
    last = context.last
    if not begin or last is None or last.act not in {"remember", "recall"} or is_asking(request):
        return ()
    told = [last.word("text")] if last.act == "remember" else [one for one in context.known if one in context.answer]
    fact = told[0] if len(set(told)) == 1 else ""
    new = next((found for clause in _clauses(request, begin) if (found := _retold(fact, clause, language))), "")
    if not fact or new in {"", fact} or any(word.kind == "file" for word in words_of(request)):
        return ()
    return Step("forget", {"find": (fact,)}, text=request), Step("remember", {"text": (new,)}, text=request)


def _retold(fact: str, said: str, language: str) -> str:
    """Return a fact with another name in it, or with what is said now in the place of what it agrees with; else empty.

    Examples
    --------
    >>> _retold("la llave la tiene Olga", "ahora la tiene Bram", "es"), _retold("the code is 47", "the code is 48", "en")
    ('la llave la tiene Bram', 'the code is 48')
    """
    new, old = (_names_in(text, language) for text in (said, fact))
    new, old = [name for name in new if name not in old], [name for name in old if name not in new]
    if len(new) == len(old) == 1:
        found = next(word for word in words_of(fact) if word.text == old[0])
        return fact[: found.start] + new[0] + fact[found.end :]
    return _beside(fact, said, language)


def _names_in(text: str, language: str) -> list[str]:
    """Return the words of a text that begin with a capital letter, and are not known otherwise."""
    return [
        word.text
        for word in words_of(text)
        if word.kind == "word" and word.text.istitle() and not is_word_of(word, language)
    ]


def _of_other_box(reading: Reading, request: str, begin: int, context: Context) -> tuple[Step, ...]:
    """Return that a box is as it was before, and another one is ticked: "no, I meant the posters"; empty where none is said.

    Examples
    --------
    >>> ticked = Step("line.replace", {"file": ("a.md",), "old": ("- [ ] lamp",), "new": ("- [x] lamp",)})
    >>> said = Reading((Step("fix", {"file": ("the soil",)}),))
    >>> both = _of_other_box(said, "no, the soil", 4, Context(Step("line.tick", {}), changed=ticked))
    >>> [(step.act, step.word("find")) for step in both]
    [('line.untick', 'lamp'), ('line.tick', 'the soil')]
    """
    last, changed = context.last, context.changed
    if not begin or last is None or changed is None or last.act not in _BACK or reading.steps[0].act in _DONE:
        return ()
    box = BOX.match(changed.word("old"))
    before = "" if box is None else box[4]
    told = {word.folded for word in words_of(before)}
    read = next((said for said in reading.steps[0].arguments.values() if said), ())
    left = [word for word in unexplained(request[begin:], reading.language) if plain(word) not in told]
    find = read[0] if len(read) == 1 and plain(read[0]) not in told else " ".join(left)
    file = changed.arguments["file"]
    if not find or not before or is_pointer(find, "other"):
        return ()
    return Step(_BACK[last.act], {"file": file, "find": (before,)}), Step(last.act, {"file": file, "find": (find,)})


_BACK = {"line.tick": "line.untick", "line.untick": "line.tick"}


def _of_other_old(request: str, changed: Step, language: str) -> tuple[Step, ...]:
    """Return that what was just replaced stands there again, and another word is replaced that a request names beside the new one.

    Examples
    --------
    >>> done = Step("replace", {"file": ("a.txt",), "old": ("tea",), "new": ("rum",)})
    >>> both = _of_other_old("oh no, i meant the milk. put tea back and turn milk into rum", done, "en")
    >>> [(step.act, step.word("old"), step.word("new")) for step in both]
    [('undo', '', ''), ('replace', 'milk', 'rum')]
    >>> _of_other_old("put the tea back", done, "en"), _of_other_old("make it milk, not rum", done, "en")
    ((), ())
    """
    old, new, file = changed.word("old"), changed.word("new"), changed.arguments.get("file", ())
    found = words_of(request)
    told, marks = lexicon_of(language).concepts(found), words_of_wishes(language).concepts(found)
    is_wrong = any("sorry" in mark or one & REFUSING for mark, one in zip(marks, told, strict=True))
    is_wrong = is_wrong or "ever" in back_in(request).values()
    places = [at for at, word in enumerate(found) if word.folded == plain(new)]
    is_about = changed.act == "replace" and bool(old and file and places) and is_wrong
    begin = max((at for at in range(places[-1]) if found[at].kind == "sign"), default=0) if is_about else 0
    if not is_about or any("not" in one for one in told[begin + 1 : places[-1]]):
        return ()
    before = [at for at in range(begin, places[-1]) if not (told[at] or marks[at] or is_small(found[at].text))]
    other = found[before[-1]] if before else None
    if other is None or other.kind == "sign" or plain(other.text) in {plain(old), *back_in(request)}:
        return ()
    return Step("undo", {}, text=request), Step(
        "replace", {"file": file, "old": (other.text,), "new": (new,)}, text=request
    )


def _of_what_was_written(request: str, changed: Step, clauses: Sequence[str], language: str) -> Step | None:
    """Return the correction of a value, or of words that agree with what was written."""
    if len(clauses) == 1 and _is_of_cell(changed, clauses[0]):  # "no, 44"
        said = {"file": changed.arguments["file"], "text": (request,), "new": (clauses[0].strip(" .!"),)}
        return Step("value.set", said, text=request)
    found = ((text, _beside(text, clause, language)) for text in _written(changed) for clause in clauses)
    return next((_instead(changed, text, new, request) for text, new in found if new), None)


_SAME = frozenset(("move", "rename", "append", "write", "create", "replace", "value", "json", "line", "prepend"))
"""First parts of acts whose changes are told by another act's name."""


def _of_other_file(reading: Reading, request: str, context: Context) -> Reading | None:
    """Return what was asked about, with the file that was meant: "I meant the minutes" behind "shall I delete 13 entries?"."""
    asked = context.asked
    found = words_of(request)
    marks = words_of_wishes().concepts(found)
    if asked is None or context.missing or len(asked.steps) != 1 or not any("sorry" in one for one in marks[:_SPARE]):
        return None
    *_, rest = _clauses(request, _begin(request, reading.language)) or [""]
    if not rest or concepts_of(rest) & (WISHING | REFUSING) or "file" not in asked.steps[0].arguments:
        return None
    step = asked.steps[0].with_arguments(file=(rest,))._replace(text=f"{request}\n{asked.steps[0].text}")
    return asked._replace(steps=(step,), confidence=min(asked.confidence, HALF), language=reading.language, others=())


def _is_of_cell(changed: Step, said: str) -> bool:
    """Tell whether a row of a table was just changed in one value, and a word says which it is to be.

    Examples
    --------
    >>> changed = Step("line.replace", {"file": ("a.csv",), "old": ("Tom,2,40",), "new": ("Tom,2,45",), "line": ("3",)})
    >>> _is_of_cell(changed, "44"), _is_of_cell(changed, "that was the wrong one")
    (True, False)
    """
    old, new = (re.split(r"[,;\t]", changed.word(role)) for role in ("old", "new"))
    is_row = changed.act == "line.replace" and changed.word("file").endswith((".csv", ".tsv"))
    is_one = len(old) == len(new) and sum(cell != other for cell, other in zip(old, new, strict=True)) == 1
    return is_row and is_one and len(said.split()) <= _SPARE


def _asked(reading: Reading, request: str, changed: Step, begin: int) -> Reading | None:
    """Return that few words may stand for all that was written, to be asked about."""
    *_, rest = _clauses(request, begin) or [""]
    found = [word for word in words_of(rest) if word.kind != "sign"]
    is_wish = bool((concepts_of(rest) & (WISHING | REFUSING)) or any(is_pointer(word.text, "it") for word in found))
    written = _written(changed)
    if is_wish or len(written) != 1 or not 0 < len(found) <= _FEW or changed.act not in {"append", "write", "replace"}:
        return None
    old = written[0]
    step = _instead(changed._replace(act="replace"), old, _lead(old) + rest.strip(" .!"), request)
    return reading._replace(steps=(step,), confidence=_DOUBTFUL, others=())


def _written(changed: Step) -> list[str]:
    """Return the lines, or the value, that a change has written."""
    given = next((said for role in ("added", "text", "new") if (said := changed.arguments.get(role))), ())
    return [line for text in given for line in text.splitlines() if line.strip()]


def _instead(changed: Step, old: str, new: str, request: str) -> Step:
    if changed.act == "json.set":
        return Step(
            "json.set",
            {"file": changed.arguments["file"], "key": changed.arguments["key"], "new": (new,)},
            text=request,
        )
    place = changed.arguments.get("line") if changed.act == "line.replace" else ("-1",) * (changed.act == "append")
    if place and len(_written(changed)) == 1:  # that line, wherever else its words stand
        return Step("line.replace", {"file": changed.arguments["file"], "line": place, "new": (new,)}, text=request)
    return Step("replace", {"file": changed.arguments["file"], "old": (old,), "new": (new,)}, text=request)


def _lead(line: str) -> str:
    """Return the mark of a list that a line begins with."""
    found = re.match(r"\s*(?:[-*•]\s+(?:\[[ xX]\]\s*)?)?", line)
    return found[0] if found else ""


# -- how it is said ----------------------------------------------------------------------------------------------------


def _begin(request: str, language: str) -> int:
    """Return where a request goes on behind the words that say that something was wrong; 0 where none do.

    Examples
    --------
    >>> _begin("oops make that three", "en"), _begin("three please", "en"), _begin("põe no fim: leite", "pt")
    (14, 0, 0)
    """
    found = words_of(request)
    marks, told = words_of_wishes().concepts(found), lexicon_of(language).concepts(found)
    back = {word for word, far in table_of("back").items() if far == "last"}
    end = 0
    for at, word in enumerate(found[: _LEADING * 2 if any(one.kind in UNSPACED for one in found) else _LEADING]):
        if "sorry" in marks[at] or "no" in told[at] or word.folded in back:
            end = at + 1
    while 0 < end < len(found) and ("sorry" in marks[end] or found[end].kind == "sign"):
        end += 1
    return found[end - 1].end if end else 0


def _clauses(request: str, begin: int) -> list[str]:
    """Return what a correction says, clause by clause."""
    return [clause for part in _CLAUSES.split(request[begin:]) if (clause := part.strip())]


def _of_other_word(request: str, changed: Step) -> Step | None:
    """Return the correction of a word that stands in what was written: "not Favre but Zanetti", "緑茶じゃなくて麦茶"."""
    if changed.act not in _WRITTEN or not changed.word("file"):
        return None
    texts = _written(changed)
    found = words_of(request)
    told, marks = lexicon().concepts(found), words_of_wishes().concepts(found)
    for place in range(len(found)):
        is_behind = "instead" in marks[place] and found[place].kind in UNSPACED
        if is_behind:
            step = _turned(request, found, place, changed)
            if step is not None:
                return step
        if not told[place] & NEGATING or place + 1 == len(found) or found[place + 1].kind == "sign":
            continue
        behind = [at for at in range(place + 1, len(found)) if not is_small(found[at].text) or found[at].is_quoted]
        if not behind:
            continue
        old = found[behind[0]]
        line = next((line for line in texts if _stands_in(old, line)), None)
        if line is None:
            continue
        after_it = [at for at in range(behind[0] + 1, len(found)) if _is_new(found[at], told[at])]
        before_it = [at for at in range(place) if _is_new(found[at], told[at])][-1:]
        if after_it or before_it:
            first, last = (after_it[0], len(found) - 1) if after_it else (before_it[0], before_it[0])
            new = request[found[first].start : found[last].end].rstrip(" .!")
            return _instead(changed, line, _with_word(line, old, new), request)
    return None


def _of_other_line(request: str, changed: Step, language: str) -> Step | None:
    """Return the correction of a word that may stand elsewhere in the file that was just changed: "no, not tea but coffee".

    Examples
    --------
    >>> added = Step("append", {"file": ("a.txt",), "added": ("bread",)})
    >>> [_of_other_line(one, added, "en") for one in ("not now", "no, not that, undo it", "not a.txt, b.txt")]
    [None, None, None]
    >>> _of_other_line("oh not the tea, coffee", added, "en").arguments
    {'file': ('a.txt',), 'old': ('tea',), 'new': ('coffee',)}
    """
    old, new = _not_but(request, language) if changed.act in _WRITTEN and changed.word("file") else ("", "")
    pair = words_of(f"{old}\n{new}")
    told = frozenset[str]().union(*lexicon_of(language).concepts(pair))
    is_other = bool(told & (_SAID_OF_TEXT | REFUSING | WISHING)) or any(rank(word.text) is not None for word in pair)
    is_other = is_other or bool(said_of_tables(old, language)) or is_pointer(old, "it") or is_pointer(new, "other")
    is_opened = any("sorry" in one for one in words_of_wishes(language).concepts(words_of(old)))  # "no wait, 12:00"
    is_other = is_other or begins_with_pointer(new) or is_opened
    is_other = is_other or any(word.kind == "file" or word.is_quoted for word in words_of(request))
    if not (old and new) or is_other or max(len(old.split()), len(new.split())) > _FEW:
        return None
    return Step("replace", {"file": changed.arguments["file"], "old": (old,), "new": (new,)}, text=request)


def _not_but(request: str, language: str) -> tuple[str, str]:
    """Return what a request says that it is not, and what it is instead; empty where it says no such thing.

    Examples
    --------
    >>> _not_but("ach nee, nicht Milch sondern Sahne", "de"), _not_but("não, leite não, chá", "pt")
    (('Milch', 'Sahne'), ('leite', 'chá'))
    >>> _not_but("いや、牛乳じゃなくてお茶", "ja"), _not_but("不对,不是bread,是rice", "zh"), _not_but("no, coffee", "en")
    (('牛乳', 'お茶'), ('bread', 'rice'), ('', ''))
    """
    found = words_of(request)
    told, marks = lexicon_of(language).concepts(found), words_of_wishes(language).concepts(found)
    aside = words_of_tables(language).concepts(found)
    but = ["contrast" in one for one in words_of_speech(language).concepts(found)]
    clauses: list[tuple[bool, str]] = []
    at = 0
    while at < len(found):
        end = next((one for one in range(at, len(found)) if found[one].kind == "sign" or but[one]), len(found))
        no = [one for one in range(at, end) if told[one] & NEGATING]
        is_ahead = bool(no) and no[-1] + 1 == end  # "leite não": behind another clause, and no "ah non"
        begin, stop = (at, no[0] if at else at) if is_ahead else (no[-1] + 1 if no else at, end)
        while begin < stop - 1 and (
            "sorry" in marks[begin] or "aside" in aside[begin] or _is_small(found[begin], language)
        ):
            begin += 1
        while begin < stop and "rather" in marks[stop - 1]:
            stop -= 1
        is_led = is_ahead or not no or no[0] <= at + 1  # "ah non pas de café", and no "the door isn't painted"
        is_not = (bool(no) and is_led) or (end < len(found) and but[end] and found[end].kind in UNSPACED)
        stop = stop if is_led else begin
        clauses += [(is_not, request[found[begin].start : found[stop - 1].end])] if begin < stop else []
        at = next((one for one in range(end, len(found)) if found[one].kind != "sign" and not but[one]), len(found))
    *before, (is_denied, old), (is_no, new) = [(False, ""), (False, ""), *clauses]
    is_pair = is_denied and not is_no and all(is_it or len(words_of(one)) <= _SPARE for is_it, one in before)
    return (old, new) if is_pair else ("", "")


def _is_small(word: Word, language: str) -> bool:
    """Tell whether a word only holds sentences together."""
    return is_small(word.text) or is_small_in(word.folded, language)


_SAID_OF_TEXT = frozenset(
    "folder file line row list command all word delete undo sort reverse upper lower title count many upmost downmost therein".split()
)
"""Concepts of words that say what is to be done with what was written, and not what shall stand there."""


def _told_instead(request: str, changed: Step, language: str) -> Step | None:
    """Return that what was just written becomes something else that a request names: "make that rolls", "nee, doe toch maar vis".

    Examples
    --------
    >>> written = Step("write", {"file": ("a.txt",), "text": ("Vandaag appeltaart",)})
    >>> _told_instead("nee, doe toch maar kaneeltaart", written, "nl").word("new")
    'Vandaag kaneeltaart'
    >>> _told_instead("nee, toch maar niet", written, "nl"), _told_instead("doe er kaneeltaart bij", written, "nl")
    (None, None)
    """
    written = _written(changed) if changed.act in _WRITTEN and changed.word("file") else []
    new = _new_text(request, language) if len(written) == 1 else ""
    if not new:
        return None
    if _is_of_cell(changed, new):
        said = {"file": changed.arguments["file"], "text": (request,), "new": (new,)}
        return Step("value.set", said, text=request)
    (old,) = written
    new = _without_old(new, old, language)
    is_value = _VALUE.search(new) is not None and len(new.split()) == 1
    is_short = len(new.split()) * _FEW >= len(old.split())
    line = _beside(old, new, language)
    if not line and (not is_short or (is_value and _VALUE.search(old) is None)):
        return None  # "make it 2", where milk was written
    return _instead(changed, old, line or _lead(old) + new, request)


def _without_old(new: str, old: str, language: str) -> str:
    """Leave out of a new text what it is written instead of, where that is what stands there.

    Examples
    --------
    >>> _without_old("tea instead of coffee", "coffee", "en"), _without_old("thee ipv koffie", "2 koffie", "nl")
    ('tea', 'thee')
    >>> _without_old("tea instead of lunch", "coffee", "en")
    'tea instead of lunch'
    """
    found = words_of(new)
    at = [place for place, one in enumerate(words_of_wishes(language).concepts(found)) if "instead" in one]
    behind = [word for word in found[at[-1] + 1 :] if not is_small(word.text)] if at and at[0] else []
    is_there = bool(behind) and all(_stands_in(word, old) for word in behind if word.kind != "sign")
    return new[: found[at[0]].start].strip() if is_there else new


def _new_text(request: str, language: str) -> str:
    """Return what a request wants to stand in the place of what was just written; empty where it says no such thing.

    Examples
    --------
    >>> _new_text("no, make that cinnamon cake", "en"), _new_text("finalement mets plutôt des croissants", "fr")
    ('cinnamon cake', 'des croissants')
    >>> _new_text("mach doch Sandalen draus", "de"), _new_text("やっぱりクッキーにして", "ja"), _new_text("还是换成饼干吧", "zh")
    ('Sandalen', 'クッキー', '饼干')
    >>> _new_text("put rolls on it", "en"), _new_text("make it uppercase", "en"), _new_text("no, move it to old", "en")
    ('', '', '')
    """
    found = words_of(request)
    told, marks = lexicon_of(language).concepts(found), words_of_wishes(language).concepts(found)
    is_back = bool({"ever", "kept"} & set(back_in(request).values()))  # "no, put it back"
    if "\n" in request.strip() or is_back or any(word.kind == "file" for word in found) or is_asking(request):
        return ""
    begin, end = _around_new(found, told, marks, language)
    beside = [*range(begin), *range(end, len(found))]
    said = frozenset[str]().union(*(marks[at] for at in beside), *(told[at] for at in beside))
    is_put = any(told[at] & _PUTTING for at in range(begin))
    is_bare = {"rather", "no"} <= said and found[0].kind not in UNSPACED  # やっぱり is a no as well
    is_more = bool(said & {"added", "besides", "append"})  # "doe er ook kaas bij"
    if is_more or not ("swap" in said or (is_put and said & {"rather", "sorry", "no"}) or is_bare):
        return ""
    if quoted := [word for word in found if word.is_quoted]:
        said_whole = request[quoted[0].start : quoted[-1].end]
        return said_whole if len(quotations(request)) == 1 else ""  # 「明日」を「月曜日」に
    new, about = found[begin:end], frozenset[str]().union(*told[begin:end], *marks[begin:end])
    is_led = bool(new) and is_small(new[0].text) and trimmed(request[new[0].start :]) == request[new[0].start :]
    is_other = bool(about & (_SAID_OF_TEXT | REFUSING)) or is_led or bool(compared_in(request, language)[0])
    is_other = is_other or "swap" in about or (not ("swap" in said or is_put) and bool(about & WISHING))
    if is_other or not new or sum(0.5 if word.kind in UNSPACED else 1 for word in new) > _MOST_NEW:
        return ""
    return _CLAUSES.split(request[new[0].start : new[-1].end])[0].strip(" .!\u3002")


_PUTTING = frozenset(("put", "write", "create", "change", "replace", "correct"))
"""Concepts of verbs with which something is put in the place of what was written, where a request says that it corrects."""
_MOST_NEW = 8
"""Words of what is to stand there."""


def _around_new(
    found: Sequence[Word], told: Sequence[Concepts], marks: Sequence[Concepts], language: str
) -> tuple[int, int]:
    """Return where the words begin and end that stand between those which say that something is written instead.

    Examples
    --------
    >>> said = words_of("non, mets plutôt des croissants")
    >>> _around_new(said, lexicon_of("fr").concepts(said), words_of_wishes("fr").concepts(said), "fr")
    (4, 6)
    """
    asking = words_of_tables(language).concepts(found)
    begin = at = 0
    while at < len(found) and not found[at].is_quoted:
        word = found[at]
        is_mark = bool(marks[at] & {"rather", "swap", "sorry"} or told[at] & (_PUTTING | REFUSING))
        is_mark = is_mark and not told[at] & {"delete", "undo"}
        is_between = word.kind == "sign" or is_pointer(word.text, "it") or "aside" in asking[at]
        is_between = is_between or bool(told[at] & _TOWARDS) or is_small(word.text)
        if not (is_mark or is_between):
            break
        at += 1
        begin = at
    while begin and begin < len(found) and _is_article(found[begin - 1], marks[begin - 1], told[begin - 1]):
        begin -= 1
    end = len(found)
    while end > begin and not found[end - 1].is_quoted:
        word = found[end - 1]
        is_end = word.kind == "sign" or bool(marks[end - 1] & {"rather", "swap", "manners", "therein", "along"})
        is_end = is_end or "aside" in asking[end - 1]
        if not (
            is_end or (is_small(word.text) and word.kind in {"word", "character"} and "number" not in told[end - 1])
        ):
            break
        end -= 1
    return begin, end


def _is_article(word: Word, mark: Concepts, told: Concepts) -> bool:
    """Tell whether a word is an article, and none of the words that say that something is written instead."""
    is_mark = bool(mark & {"rather", "swap", "sorry"} or told & (_TOWARDS | _PUTTING))
    return not is_mark and word.kind == "word" and trimmed(f"{word.text} x") == "x"


_TOWARDS = frozenset(("into", "replace"))


def _day_of(number: str) -> re.Pattern[str]:
    return re.compile(rf"(?<=\d-){number.zfill(2)}(?![\d-])")


def _with_word(line: str, old: Word, new: str) -> str:
    """Return a line with a word in the place of another; a number may be the day of a date, or the end of a word.

    Examples
    --------
    >>> four, six = words_of("4 6")
    >>> _with_word("2024-08-04 fog", four, "5"), _with_word("from 6 to 8", six, "7")
    ('2024-08-05 fog', 'from 7 to 8')
    """
    if old.text.isdecimal() and new.isdecimal() and (day := _day_of(old.text)).search(line):
        return day.sub(new.zfill(2), line)
    whole = re.sub(rf"(?<![\w.]){re.escape(old.text)}(?![\w.])", new.replace("\\", ""), line)
    ended = next((one.text for one in words_of(line) if one.text.endswith(old.text)), old.text)
    return whole if whole != line else line.replace(ended, ended.removesuffix(old.text) + new)


def _stands_in(word: Word, line: str) -> bool:
    """Tell whether a word stands in a line, or a number at the end of one: "it ends in 29, not 28"."""
    ends = word.text.isdecimal() and sum(one.text.endswith(word.text) for one in words_of(line)) == 1
    if word.text.isdecimal() and _day_of(word.text).search(line):
        return True
    return ends or re.search(rf"(?<![\w.]){re.escape(word.text)}(?![\w.])", line) is not None


def _turned(request: str, found: Sequence[Word], place: int, changed: Step) -> Step | None:
    """Return the correction where the wrong word stands before the mark and the right one behind it."""
    mark = re.search(r"(?:じゃなくて|ではなくて?|でなくて?|而是)[、，]?", request[found[place].start - 1 :])  # noqa: RUF001
    head = request[: found[place].start - 1 + mark.start()] if mark else ""
    new = _CLAUSES.split(request[len(head) + len(mark[0]) :])[0] if mark else ""
    new = re.sub(r"(?:です|だった|でした|だよ|だ|ね|よ)+$", "", new.strip())
    for line in _written(changed):
        old = next((head[at:] for at in range(len(head)) if head[at:] in line), "")
        if old and new:
            return _instead(changed, line, line.replace(old, new), request)
    return None


def _is_new(word: Word, told: frozenset[str]) -> bool:
    """Tell whether a word is no small word, no sign and none of those that requests are made of."""
    return word.kind != "sign" and not is_small(word.text) and (not told or word.kind in {"number", "measure", "id"})


def _of_other_name(request: str, rest: str, changed: Step) -> Step | None:
    """Return that what was just given a name is to have another."""
    target = changed.word("targets")
    names = [word for word in words_of(rest) if word.kind == "file"]
    spaced = [word for word in words_of(request) if word.kind not in UNSPACED]
    if len(changed.arguments.get("targets", ())) != 1 or len(names) != 1 or len(spaced) > 2 * FEW_WORDS:
        return None
    is_renamed = changed.word("file").rpartition("/")[0] == target.rpartition("/")[0] and ENDED.search(target)
    begin = names[0].start
    lead = [word for word in words_of(rest[:begin]) if word.kind == "word"]
    for word in reversed(lead):  # "inkoop bar.txt"
        if not is_renamed or is_small(word.text) or concepts_of(word.text) or is_pointer(word.text, "it"):
            break
        begin = word.start
    return Step("rename", {"file": (target,), "to": (rest[begin : names[0].end],)}, text=request)


# -- what was written, and what is said now ----------------------------------------------------------------------------


class _Part(NamedTuple):
    text: str
    key: str
    """What parts are compared by: values of one form are alike, whatever they are."""

    def is_like(self, other: _Part) -> bool:
        """Tell whether two words are the same, but for a slip, or values of the same form."""
        if self.key == other.key:
            return True
        is_long = min(len(self.key), len(other.key)) >= _SHORTEST
        return is_long and not (_VALUE.search(self.key + other.key)) and likeness(self.key, other.key) >= _ALIKE


_Rest = tuple[Sequence[_Part], Sequence[_Part]]
"""The words before and behind those that agree."""


def _parts(text: str) -> list[_Part]:
    found = []
    for one in text.split():
        bare = one.strip(_EDGES)
        if bare:
            found.append(_Part(one, _key(bare)))
    return found


def _key(word: str) -> str:
    if _VALUE.search(word):
        return _VALUE.sub("9", unaccented(plain(word)))
    return "<day>" if "day" in concepts_of(word) else "<month>" if plain(word) in table_of("month") else plain(word)


def _beside(line: str, said: str, language: str) -> str:
    r"""Return a line with what is said now in the place of what it agrees with; empty where it agrees with nothing.

    Examples
    --------
    >>> _beside("East 4, 16 Grad.", "15 grad warns", "de"), _beside("pile AA", "AAA", "it"), _beside("milk", "bread", "en")
    ('East 4, 15 Grad.', 'pile AAA', '')
    >>> _beside("cal the plumer", "call the plumber", "en"), _beside("at 16:00", "15:45 moet het zijn", "nl")
    ('call the plumber', 'at 15:45')
    >>> _beside("nourrir les abeilles", "nourrir H5", "fr"), _beside("- call Ann", "call Ann at noon", "en")
    ('nourrir H5', '- call Ann at noon')
    """
    old, new = _parts(line), _parts(said)
    block = _longest(old, new)
    if block is None:
        return ""
    at, of, size = block
    before, behind = new[:of], new[of + size :]
    changed = [one for one, other in zip(new[of : of + size], old[at : at + size], strict=True) if _differs(one, other)]
    if not changed and size == len(old) and behind and not before:
        return said.strip() if _lead(said) else _lead(line) + said.strip()  # the same, and more
    if not changed:
        return _with_rest(line, old, (at, size), (before, behind), language)
    strange = [one for one in (*before, *behind) if not _is_filler(one.text, language)]
    if len(strange) > _SPARE or (strange and not any(_VALUE.search(one.key) for one in changed)):
        return ""
    kept = [
        one if _differs(one, other) else other
        for one, other in zip(new[of : of + size], old[at : at + size], strict=True)
    ]
    return _joined(line, old[at : at + size], kept)


def _with_rest(line: str, old: Sequence[_Part], place: tuple[int, int], rest: _Rest, language: str) -> str:
    """Return a line whose rest is another: behind the words that agree, or the one word before them."""
    at, size = place
    before, behind = rest
    if behind and not before and at + size < len(old) and not all(_is_filler(one.text, language) for one in behind):
        return _joined(line, old[at + size :], behind)
    if len(before) == 1 and not behind and at > 0 and not _is_filler(before[0].text, language):
        return _joined(line, old[at - 1 : at], before)
    return ""


def _longest(old: Sequence[_Part], new: Sequence[_Part]) -> tuple[int, int, int] | None:
    """Return where the longest run of words agrees: in the line, in what is said now, and how long it is; ``None`` where unclear."""
    runs = []
    for at in range(len(old)):
        for of in range(len(new)):
            size = 0
            while at + size < len(old) and of + size < len(new) and old[at + size].is_like(new[of + size]):
                size += 1
            if size and not all(is_small(one.text) for one in new[of : of + size]):
                runs.append((size, at, of))
    if not runs and len(new) == 1:  # "AAA" for "AA"
        near = [at for at, one in enumerate(old) if _is_kindred(one.key, new[0].key)]
        runs = [(1, at, 0) for at in near]
    most = max((run[0] for run in runs), default=0)
    best = [run for run in runs if run[0] == most]
    places = {at for _, at, _ in best}
    if len(places) != 1:
        return None
    size, at, of = best[0]
    return at, of, size


def _is_kindred(word: str, other: str) -> bool:
    """Tell whether two words are alike, or compounds with the same end: "Apfelkuchen" and "Zimtkuchen"."""
    shared = len(posixpath.commonprefix((word[::-1], other[::-1])))
    is_compound = min(len(word), len(other)) > shared > _SHORTEST and 2 * shared >= min(len(word), len(other))
    return is_compound or likeness(word, other) >= _ALIKE


def _differs(one: _Part, other: _Part) -> bool:
    return one.text.strip(_EDGES).casefold() != other.text.strip(_EDGES).casefold()


def _is_filler(word: str, language: str) -> bool:
    bare = word.strip(_EDGES).casefold()
    return is_small(bare) or is_small_in(bare, language) or bool(concepts_of(bare) & {"should", "change", "please"})


def _joined(line: str, old: Sequence[_Part], new: Sequence[_Part]) -> str:
    """Put words in the place of others, with the signs that stood behind those."""
    gone = r"\s+".join(re.escape(one.text) for one in old)
    found = re.search(rf"(?<!\S){gone}(?!\S)", line)
    if found is None:
        return ""
    tail = found[0][len(found[0].rstrip(".,;:!?)")) :]
    text = " ".join(one.text for one in new).rstrip(".,;:!?")
    return line[: found.start()] + text + tail + line[found.end() :]
