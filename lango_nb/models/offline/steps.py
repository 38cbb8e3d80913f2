"""One step made whole: what it lacks is filled from the words beside it, what is no part of it is left out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lango_nb.models.offline.followups import CLAUSES, ENDED, EXACT, last_of, of_each_file
from lango_nb.models.offline.lexicon import (
    NEGATING,
    REFUSING,
    Word,
    concepts_of,
    is_small_in,
    lexicon,
    lexicon_of,
    quotations,
)
from lango_nb.models.offline.lexicon import words as words_of
from lango_nb.models.offline.lists import with_left_over, words_of_wishes
from lango_nb.models.offline.names import (
    begins_with_pointer,
    called_before,
    here_in,
    how_many,
    is_here,
    is_part,
    is_pointer,
    is_small,
    kind_of_file,
    pointer_in,
    rank,
    says_name,
    table_of,
    trimmed,
    unexplained,
)
from lango_nb.models.offline.plan import Context, Reading, Step, acts
from lango_nb.models.offline.question import said_of_tables
from lango_nb.models.offline.reader import as_act
from lango_nb.models.offline.request import telling_in

FEW_SAID = 3
"""Words that an answer with a question mark may have."""
OF_ADDING = frozenset("append prepend write line row text item list file end first last new it that and along".split())
"""Concepts of words before what is added that are no part of it."""
_PLACED_IN = frozenset(("in", "into"))
_PUTTING = frozenset(("put", "move", "copy"))
_THAT = frozenset("that dat dass daß que che że żeby".split())
"""What stands before what is to be remembered."""
WRITING = ("write", "append")
COLONS = (":", "\uff1a")
BOTH = 2
"""Files that are compared."""


def with_whole_steps(reading: Reading, request: str, context: Context) -> Reading:
    """Fill what the steps of a reading lack from the words beside them; a step for several files becomes one for each."""
    reading = reading._replace(steps=tuple(_into_folder(step, reading.language, context) for step in reading.steps))
    reading = reading._replace(steps=_with_all_quoted(reading.steps, request))
    steps = [_of_new_name(_in_place(_of_both_lists(_of_kind(_of_that_file(step, context))))) for step in reading.steps]
    steps = [_of_it(_of_last_task(step, reading.language, context), reading.language) for step in steps]
    steps = [
        with_left_over(
            _with_numbers(
                _with_label(
                    _only_text(
                        _of_a_part(
                            plainly(
                                _remembered_whole(_whole_text(_with_both(step, reading.language), reading.language))
                            )
                        ),
                        reading.language,
                    ),
                    reading.language,
                )
            ),
            reading.language,
        )
        for step in steps
    ]
    if any(
        step.word("file") and not old.word("file") and old.word("text").endswith(step.word("file"))
        for step, old in zip(steps, reading.steps, strict=True)
    ):
        reading = reading._replace(others=())  # "write hello into the folder old"
    split = of_each_file(steps[0]) if len(steps) == 1 else tuple(steps)
    return with_others_filled(reading._replace(steps=split))


_WHOLE = frozenset(("read.upper", "read.lower", "read.reversed", "read.sorted", "read.unique"))
"""Acts whose result a file may hold instead of its text."""


def _in_place(step: Step) -> Step:
    """Return that a file is to hold its text changed, where that is to be written: "write everything in a.txt in capitals".

    Examples
    --------
    >>> said = "write everything in a.txt in capitals"
    >>> _in_place(Step("read.upper", {"file": ("a.txt",)}, text=said)).destination
    'write'
    """
    is_of_text = step.act in _WHOLE and len(step.arguments.get("file", ())) == 1
    is_it = (
        step.destination == "write" and not step.word("to") and "save" in concepts_of(step.text)
    )  # "sort it and save it"
    if not is_of_text or not (is_it or (not step.destination and concepts_of(step.text) & {"write", "replace"})):
        return step
    return step.with_arguments(to=step.arguments["file"])._replace(destination="write")


def _of_both_lists(step: Step) -> Step:
    """Give a step the two things that end in one word: "copy the costume and the prop list" is "Kostüm- und Requisitenliste".

    Examples
    --------
    >>> _of_both_lists(Step("copy", {}, text="kopier Kostüm- und Requisitenliste dorthin")).arguments
    {'file': ('Kostümliste', 'Requisitenliste')}
    """
    found = words_of(step.text.partition("\n")[0])
    row = acts().get(step.act)
    for at in range(1, len(found) - BOTH if row is not None and row.needed[:1] == ("file",) else 0):
        part, sign, and_, whole = found[at - 1 : at + 3]
        end = max((one for one in table_of("compound") if whole.folded.endswith(one)), key=len, default="")
        is_both = sign.text == "-" and sign.start == part.end and "and" in concepts_of(and_.text)
        if is_both and end and not step.word("file"):
            return step.with_arguments(file=(part.text + whole.text[-len(end) :], whole.text))
    return step


def _of_kind(step: Step) -> Step:
    """Return that files of a kind are copied, where their kind was taken for the place: "copy both csv tables there".

    Examples
    --------
    >>> _of_kind(Step("copy.ending", {"to": ("tabelki csv",)}, text="skopiuj tam obie tabelki csv")).arguments
    {'ending': ('.csv',)}
    >>> _of_kind(Step("copy", {"file": ("both csv",), "to": ("old",)}, text="copy both csv to old"))[:2]
    ('copy.ending', {'to': ('old',), 'ending': ('.csv',)})
    """
    file = step.word("file")
    if step.act in {"copy", "move"} and how_many(file) > 1 and (kinds := kind_of_file(file.rpartition(" ")[2])):
        step = step._replace(act=f"{step.act}.ending").with_arguments(ending=kinds[:1], file=())
    kinds = kind_of_file(step.word("to").rpartition(" ")[2]) if step.word("to") else ()
    is_kind = step.act in {"copy.ending", "move.ending"} and not step.word("ending") and bool(kinds)
    return step.with_arguments(ending=kinds[:1], to=()) if is_kind else step


def _of_new_name(step: Step) -> Step:
    """Return a copy that gets a name and goes into a folder with both, where the name was taken for a file: "copy it as b.md to old".

    Examples
    --------
    >>> _of_new_name(Step("copy", {"file": ("it", "b.md"), "to": ("old",)})).arguments
    {'file': ('it',), 'to': ('old/b.md',)}
    """
    files, to = step.arguments.get("file", ()), step.word("to")
    is_name = (
        step.act == "copy" and len(files) == BOTH and is_pointer(files[0], "it") and EXACT.fullmatch(files[1]) and to
    )
    return step.with_arguments(file=files[:1], to=(f"{to.rstrip('/')}/{files[1]}",)) if is_name else step


def _of_that_file(step: Step, context: Context) -> Step:
    """Return that the file that is spoken of is to go, and no task, where it is called a file; or that its text is to change.

    Examples
    --------
    >>> said = Step("task.delete", {}, text="I don't need it after all, delete that file")
    >>> _of_that_file(said, Context(file="a.txt"))[:2]
    ('delete', {'file': ('a.txt',)})
    >>> wrote = Context(changed=Step("write", {"file": ("a.txt",), "text": ("we are closed tomorrow",)}))
    >>> _of_that_file(Step("task.change", {"old": ("tomorrow",), "new": ("on Monday",)}), wrote).act
    'replace'
    """
    changed = context.changed.arguments if context.changed is not None else {}
    written = [word for role in ("text", "added", "new") for word in changed.get(role, ())]
    if step.act == "task.change" and changed.get("file") and any(step.word("old") in one for one in written):
        return step._replace(act="replace").with_arguments(file=changed["file"]) if step.word("old") else step
    is_file = step.act == "task.delete" and not step.arguments and "file" in concepts_of(step.text) and context.file
    return Step("delete", {"file": (context.file,)}, text=step.text) if is_file else step


def _of_last_task(step: Step, language: str, context: Context) -> Step:
    """Return a step that ticks off what was noted just now, where it does not say what: "done!", "I did that, tick it off".

    Examples
    --------
    >>> noted = Context(last=Step("task.add", {"text": ("buy paint",)}))
    >>> _of_last_task(Step("task.done", {}), "en", noted).word("text")
    'buy paint'
    >>> _of_last_task(Step("task.done", {"text": ("Ines",)}, text="Ines did it, tick off that task"), "en", noted).word("text")
    'buy paint'
    """
    last = context.last
    is_it = (
        step.act == "delete" and last is not None and last.act == "task.add" and not unexplained(step.text, language)
    )
    if is_it and "task" in concepts_of(step.text):  # "delete that task"
        step = Step("task.delete", {}, text=step.text)
    is_ended = step.act in {"task.done", "task.delete"} and not (step.arguments or unexplained(step.text, language))
    clauses = CLAUSES.split(step.text) if step.act == "task.done" and not is_ended else []
    is_ended = is_ended or any("task" in concepts_of(one) and not telling_in(one, language) for one in clauses)
    return step.with_arguments(text=last.arguments["text"]) if is_ended and last and last.act == "task.add" else step


def without_last(found: Sequence[Word], concept: str, language: str = "") -> Sequence[Word]:
    """Return words without those at the end that mean something, and the signs before them."""
    told = words_of_wishes(language).concepts(found)
    end = len(found)
    while end and (found[end - 1].kind == "sign" or (concept in told[end - 1] and not found[end - 1].is_quoted)):
        end -= 1
    return found[:end] if any(concept in one for one in told[end:]) else found


def _of_it(step: Step, language: str) -> Step:
    """Take words for the file that is spoken of, and for all its places, from what is put in: "troca a por b nele".

    Examples
    --------
    >>> said = Step("replace", {"old": ("a",), "new": ("b nele",)}, text="troca a por b nele")
    >>> _of_it(said, "pt").word("new")
    'b'
    >>> said = Step("replace", {"old": ("a",), "new": ("b everywhere",), "file": ("c.txt",)}, text="in c.txt replace a by b everywhere")
    >>> _of_it(said, "en").word("new")
    'b'
    """
    new = step.word("new")
    if step.act not in {"replace", "line.replace", "json.set", "value.set"} or not new:
        return step
    kept = without_last(words_of(new), "everywhere", language)
    kept = kept if step.word("file") else without_last(kept, "therein", language)
    is_last = step.text.rstrip(" .!").endswith(new) and kept and len(kept) < len(words_of(new))
    return step.with_arguments(new=(new[: kept[-1].end],)) if is_last else step


def with_others_filled(reading: Reading) -> Reading:
    """Return a reading whose alternatives have the words that are left over, where they lack them."""
    others = (
        one._replace(steps=tuple(with_left_over(step, reading.language) for step in one.steps))
        for one in reading.others
    )
    return reading._replace(others=tuple(others))


def with_agreeing(reading: Reading) -> Reading:
    """Add up readings that come to the same: the same step read twice, or the folder made that something goes into.

    Examples
    --------
    >>> step = Step("rename", {"file": ("a.txt",), "to": ("b.txt",)})
    >>> with_agreeing(Reading((step,), 0.25, others=(Reading((step,), 0.5),))).confidence
    0.75
    >>> made = Reading((Step("folder.make", {"to": ("old",)}),), 0.5)
    >>> with_agreeing(Reading((Step("copy", {"file": ("a.txt",), "to": ("old/",)}),), 0.25, others=(made,))).confidence
    0.75
    """
    step = reading.steps[0] if len(reading.steps) == 1 else None
    same = [one for one in reading.others if step is not None and _comes_to(one.steps, step, reading.language)]
    if not same:
        return reading
    both = min(1.0, reading.confidence + sum(one.confidence for one in same))
    return reading._replace(confidence=both, others=tuple(one for one in reading.others if one not in same))


def _comes_to(steps: Sequence[Step], step: Step, language: str) -> bool:
    """Tell whether other steps do what one does, or the first half of it."""
    other = _into_folder(steps[0], language, Context()) if len(steps) == 1 else Step("", {})
    is_made = other.act == "folder.make" and step.act in {"copy", "move"} and len(step.arguments.get("file", ())) == 1
    if is_made and other.word("to").rstrip("/") == step.word("to").rstrip("/") != "":
        return True
    is_noted = step.act == "task.add" and other.act in {"append", "remember"} and not ENDED.search(other.word("file"))
    is_noted = is_noted and bool(concepts_of(step.text) & _OF_NOTING)
    if is_noted and other.word("text").rstrip(".") == step.word("text").rstrip(".") != "":
        return True  # on a list that is no file
    return (other.act, other.destination, dict(other.arguments)) == (step.act, step.destination, dict(step.arguments))


def _into_folder(step: Step, language: str, context: Context) -> Step:
    """Return a step with the folder that its request names, or that was just made, as the place where something goes.

    Examples
    --------
    >>> said = "crea una carpeta figuras dentro de draft"
    >>> _into_folder(Step("folder.make", {"to": ("draft",)}, text=said), "es", Context()).word("to")
    'draft/figuras'
    >>> _into_folder(Step("write", {"file": ("the folder letters", "ann.txt")}), "en", Context()).word("file")
    'letters/ann.txt'
    >>> made = Context(changed=Step("folder.make", {"to": ("old",)}))
    >>> _into_folder(Step("copy", {"to": ("a.txt",)}, text="copy into it a.txt"), "en", made).arguments
    {'to': ('old',), 'file': ('a.txt',)}
    >>> _into_folder(Step("move", {"to": ("mets-y",), "file": ("a.txt",)}, text="et mets-y a.txt"), "fr", made).arguments
    {'file': ('a.txt',)}
    """
    if step.act in {"copy", "move"} and "-" in step.word("to") and concepts_of(step.word("to")) & _PUTTING:
        step = step.with_arguments(to=())  # a verb with "there" is no place
    files, to, changed = step.arguments.get("file", ()), step.word("to"), context.changed
    if step.act in {"write", "create"} and len(files) == BOTH:
        folders = re.compile(r"(\S+)\s+(?:" + "|".join(map(re.escape, files)) + ")")
        said = {found[0].removeprefix(found[1]).strip(): found[1] for found in folders.finditer(step.text)}
        places = [
            word
            for word in files
            if not ENDED.search(word) and "folder" in concepts_of(word) | concepts_of(said.get(word, ""))
        ]
        names = [word for word in files if ENDED.search(word)]
        if len(places) == len(names) == 1 and (place := trimmed(places[0])) and not is_here(places[0]):
            return step.with_arguments(file=(f"{place.rstrip('/')}/{names[0]}",))
    if (given := _named_there(step, language) or _into_made(step, language, context)) is not None:
        return given
    if step.act == "folder.make" and to and len(step.arguments["to"]) == 1 and "/" not in to:
        before = words_of(step.text.partition(to)[0])
        told = lexicon().concepts(before)
        at = max((at for at, one in enumerate(told) if "folder" in one), default=len(told))
        named = [
            word.text for word in before[at + 1 :] if not (is_small(word.text) or is_small_in(word.folded, language))
        ]
        is_placed = any(one & _PLACED_IN for one in told[at + 2 :])
        named = [name for name in named if not concepts_of(name) & _PLACED_IN]
        return step.with_arguments(to=(f"{to}/{named[0]}",)) if is_placed and len(named) == 1 else step
    is_new = step.act in {"copy", "move"} and {"create", "folder"} <= concepts_of(step.text.rpartition(to or "\0")[0])
    if is_new and to and not (ENDED.search(to) or to.endswith("/")):
        return step.with_arguments(to=(f"{trimmed(to)}/",))
    is_last = changed is not None and changed.act == step.act and "and" in concepts_of(step.text)
    if step.act not in {"copy", "move"} or changed is None:
        return step
    if not files and ENDED.search(to) and changed.act == "folder.make":
        return step.with_arguments(file=(to,), to=(changed.word("to"),))
    if files and not to and is_last and changed.word("to").endswith("/"):  # "and poster_b too"
        return step.with_arguments(to=changed.arguments["to"])
    return step


def _into_made(step: Step, language: str, context: Context) -> Step | None:
    """Return a file that is to be in the folder that was made just now: "put a file list.txt in there".

    Examples
    --------
    >>> made = Context(Step("folder.make", {"to": ("photos",)}), changed=Step("folder.make", {"to": ("photos",)}))
    >>> said = Step("create", {"file": ("list.txt",)}, text="put an empty file list.txt in there")
    >>> _into_made(said, "en", made).word("file")
    'photos/list.txt'
    """
    files, changed = step.arguments.get("file", ()), context.changed
    is_made = changed is not None and changed.act == "folder.make" and last_of(context) == context.last
    is_new = step.act in {"write", "create"} and len(files) == 1 and "/" not in files[0]
    rest = step.text.replace(step.word("text") or "\0", " ")
    if changed is None or not (is_made and is_new) or "inside" not in said_of_tables(rest, language):
        return None
    return step.with_arguments(file=(f"{changed.word('to').rstrip('/')}/{files[0]}",))


def _named_there(step: Step, language: str) -> Step | None:
    """Return a folder, or a copy of what is spoken of, with the name that a request gives it: "copy this as b.txt into the folder old".

    Examples
    --------
    >>> said = Step("copy", {"file": ("mails",), "to": ("b.txt",)}, text="これをb.txtという名前でmailsフォルダにコピーして")
    >>> _named_there(said, "ja").arguments
    {'file': ('これ',), 'to': ('mails/b.txt',)}
    """
    files, to = step.arguments.get("file", ()), step.word("to")
    if step.act == "folder.make" and not to and language == "ja" and (name := called_before(step.text)):
        return step.with_arguments(to=(name,))
    both = (*files, to)
    names, places = [one for one in both if ENDED.search(one)], [one for one in both if not ENDED.search(one)]
    pointed = pointer_in(step.text)
    is_named = step.act in {"copy", "move"} and len(names) == len(places) == 1 and says_name(step.text) and pointed
    if not is_named or "/" in names[0] or is_pointer(places[0], "it"):
        return None
    if begins_with_pointer(places[0]) and not here_in(step.text):
        return None
    where = "" if here_in(step.text) else f"{trimmed(places[0]).rstrip('/')}/"
    return step.with_arguments(file=(pointed,), to=(where + names[0],))


def _only_text(step: Step, language: str) -> Step:
    """Leave out of what is written the words that only say that it follows, and the folder it goes to; keep labels whole.

    Examples
    --------
    >>> _only_text(Step("append", {"text": ("saying we are closed",)}), "en").arguments
    {'text': ('we are closed',)}
    >>> _only_text(Step("append", {"text": ("hello into the folder old",)}), "en").arguments
    {'text': ('hello',), 'file': ('old',)}
    >>> _only_text(Step("append", {"text": ("Butter hinzu",)}, text="füge Butter hinzu"), "de").arguments
    {'text': ('Butter',)}
    >>> said = "replace Tom: barn by Eva: barn"
    >>> _only_text(Step("replace", {"old": ("barn",), "new": ("Eva",)}, text=said), "en").arguments
    {'old': ('Tom: barn',), 'new': ('Eva: barn',)}
    """
    old, text = step.word("old"), step.word("text")
    if step.act == "replace" and (both := _labelled(step.text)) is not None:
        return step.with_arguments(old=both[:1], new=both[1:])
    if step.act == "replace" and (bare := _without_word(old)) != old:
        return step.with_arguments(old=(bare,))
    found = words_of(text)
    if step.act not in {*WRITING, "prepend"} or not found or any(word.is_quoted for word in found):
        return step
    marks, told = words_of_wishes(language).concepts(found), lexicon_of(language).concepts(found)
    is_verb = step.text.rstrip(" .!").endswith(text) and "append" in concepts_of(step.text.partition(" ")[0])
    if is_verb and len(found) > 1 and "added" in marks[-1]:
        end = max(at for at, one in enumerate(marks) if "added" not in one) + 1
        return step.with_arguments(text=(text[: found[end - 1].end],))
    led = {"saying"} if step.act not in {"append", "prepend"} else {"saying", "besides"}  # "add milk too"
    begin = next((at for at, one in enumerate(marks) if not one & led), 0)
    if (
        step.act in WRITING
        and len(found) > BOTH
        and rank(found[0].text)
        and "line" in told[1]
        and found[2].kind == "sign"
    ):
        return step.with_arguments(text=(text[found[2].end :].strip(),))  # "with three lines, a, b and c"
    at = next((at for at, one in enumerate(told) if at > 1 and "folder" in one), 0)
    start = next((place for place in range(at - 1, max(begin, at - FEW_SAID), -1) if told[place] & _PLACED_IN), 0)
    if start and at + 1 < len(found) and not step.word("file"):
        return step.with_arguments(text=(text[found[begin].start : found[start - 1].end],), file=(found[-1].text,))
    return step.with_arguments(text=(text[found[begin].start :],)) if begin else step


def _without_word(text: str) -> str:
    """Leave out what only says that a word stands behind it: "le mot Nora".

    Examples
    --------
    >>> _without_word("a palavra Nora"), _without_word("the word"), _without_word("word for word")
    ('Nora', 'the word', 'word for word')
    """
    found = words_of(text)
    at = next((at for at, word in enumerate(found) if not is_small(word.text)), len(found))
    is_led = at + 2 == len(found) and "word" in concepts_of(found[at].text)  # one word behind it
    return text[found[-1].start :] if is_led else text


_LABELLED = re.compile(r"(?<!\S)(\w+: \S+) \w+ (\w+: \S+)(?!\S)")
"""Two values with their labels, and a word between them."""


def _labelled(text: str) -> tuple[str, str] | None:
    """Return what is to be replaced by what, where both stand behind a label: "replace Tom: barn by Eva: barn".

    Examples
    --------
    >>> _labelled("replace Tom: barn by Eva: hall in a.txt"), _labelled("replace Tom by Eva")
    (('Tom: barn', 'Eva: hall'), None)
    """
    found = _LABELLED.search(text)
    return (found[1], found[2]) if found is not None else None


def _with_label(step: Step, language: str) -> Step:
    """Give a text the word back that stands before its colon where that belongs to it: "Tuesday: all there".

    Examples
    --------
    >>> said = "append Tuesday: all there to a.txt"
    >>> _with_label(Step("append", {"text": ("all there",)}, text=said), "en").word("text")
    'Tuesday: all there'
    """
    text = step.word("text")
    before = step.text.partition(text)[0].rstrip() if text else ""
    if step.act not in {*WRITING, "prepend", "task.add", "remember"} or before[-1:] not in COLONS:
        return step
    *rest, label = words_of(before[:-1]) or (None,)
    if not rest or label is None or label.kind not in {"word", "character", "number"}:
        return step
    if any(label.text in file for file in step.arguments.get("file", ())):
        return step
    told = concepts_of(label.text)
    is_name = not told and label.text[:1].isupper() and language != "de"
    return (
        step.with_arguments(text=(step.text[label.start : step.text.find(text)] + text,))
        if "day" in told or is_name
        else step
    )


def _with_numbers(step: Step) -> Step:
    """Give a text the numbers and the words behind "that" back that stand right before it: "22 June: excursion".

    Examples
    --------
    >>> _with_numbers(Step("append", {"text": ("juni: uit",)}, text="voeg toe: 22 juni: uit")).word("text")
    '22 juni: uit'
    >>> _with_numbers(Step("task.add", {"text": ("nakijken",)}, text="denk eraan dat ik de pomp moet nakijken")).word("text")
    'ik de pomp moet nakijken'
    >>> _with_numbers(Step("task.add", {}, text="put on my list that the labels must be printed")).word("text")
    'the labels must be printed'
    """
    text, said = step.word("text"), step.text.partition("\n")[0]
    if step.act in {"task.add", "remember"} and not text:
        told = told_that(said)
        return step.with_arguments(text=(told,)) if told else step
    if step.act not in {*WRITING, "prepend", "task.add", "remember"} or said.count(text) != 1 or not text:
        return step
    begin = said.find(text)
    found = [word for word in words_of(said) if word.end <= begin]
    taken = {word for role, words in step.arguments.items() if role != "text" for word in words}
    start = begin
    for word in reversed(found):
        if word.kind not in {"number", "measure"} or word.text in taken:
            break
        start = word.start
    if step.act in {"task.add", "remember"} and len(found) > 1:
        behind = [word.end for word in found if word.folded in _THAT and word.end < begin]
        start = min([start, *(end + 1 for end in behind)])
    return step.with_arguments(text=(said[start : begin + len(text)].strip(),)) if start < begin else step


def _remembered_whole(step: Step) -> Step:
    """Give what is remembered all words back that stand between it and the word for that: "记住我的车停在B2层".

    Examples
    --------
    >>> _remembered_whole(Step("remember", {"text": ("B2层",)}, text="记住我的车停在B2层")).word("text")
    '我的车停在B2层'
    >>> _remembered_whole(Step("remember", {"text": ("my code is 4",)}, text="remember: my code is 4")).word("text")
    'my code is 4'
    """
    text, said = step.word("text"), step.text.partition("\n")[0]
    if step.act != "remember" or not text or said.count(text) != 1 or not said.rstrip(" .!\u3002\uff01").endswith(text):
        return step
    begin = said.find(text)
    before = [word for word in words_of(said) if word.end <= begin]
    told = lexicon().concepts(before)
    at = max((at for at, one in enumerate(told) if "remember" in one), default=len(before))
    left = [word for word in before[at + 1 :] if word.kind != "sign" and word.folded not in _THAT]
    is_led = any(word.kind == "sign" or word.folded in _THAT for word in before[at + 1 :])
    bare = all(is_small(word.text) or told for word, told in zip(left, lexicon().concepts(left), strict=True))
    return step if is_led or bare else step.with_arguments(text=(said[left[0].start : begin + len(text)],))


def told_that(text: str) -> str:
    """Return what is to be done, where a text says it behind "that"; empty where it does not.

    Examples
    --------
    >>> told_that("put on my list that the labels must be printed"), told_that("put a broom on that line too")
    ('the labels must be printed', '')
    """
    found = words_of(text)
    for at in range(1, len(found) - FEW_SAID):
        before = found[max(0, at - FEW_SAID) : at]
        is_led = before[-1].kind == "sign" or concepts_of(text[before[0].start : before[-1].end]) & _OF_NOTING
        if found[at].folded in _THAT and is_led:
            return text[found[at].end :].strip(" ,.!")
    return ""


_OF_NOTING = frozenset(("task", "list", "note", "remind", "remember"))
"""Concepts of words behind which it is told what is to be done."""


def _with_both(step: Step, language: str) -> Step:
    """Give what is written what stands behind it with an "and", where that was taken for a file, or for nothing.

    Examples
    --------
    >>> said = "make a.txt with the lines tea, milk and butter"
    >>> _with_both(Step("write", {"file": ("a.txt", "butter"), "text": ("tea, milk",)}, text=said), "en").arguments
    {'file': ('a.txt',), 'text': ('tea, milk and butter',)}
    >>> said = "put velcro and gaffa at the end of the list"
    >>> _with_both(Step("append", {"file": ("the list",), "text": ("velcro",)}, text=said), "en").word("text")
    'velcro and gaffa'
    >>> said = "note on my list: answer the school and pay the shop"
    >>> _with_both(Step("task.add", {"text": ("pay the shop",)}, text=said), "en").word("text")
    'answer the school and pay the shop'
    """
    text, said = step.word("text"), step.text.partition("\n")[0]
    if step.act not in {*WRITING, "prepend", "task.add"} or not text or said.count(text) != 1:
        return step
    begin, end = said.find(text), said.find(text) + len(text)
    if any(first <= begin < last for first, last in quotations(said)):
        return step
    found = words_of(said)
    told = lexicon_of(language).concepts(found)
    before = [at for at, word in enumerate(found) if word.end <= begin][-1:]
    *_, rest = re.split(r"[:\uff1a] ", said[:begin])
    if step.act == "task.add" and rest.strip() and rest != said[:begin] and before and "and" in told[before[0]]:
        return step.with_arguments(text=(said[begin - len(rest) :].strip(" ."),))
    at = next((place for place, word in enumerate(found) if word.start >= end), len(found))
    if at + 1 >= len(found) or "and" not in told[at] or not found[at].text.isalpha():
        return step
    first = found[at + 1].start
    files = step.arguments.get("file", ())
    other = next((word for word in files[1:] if said[first:].startswith(word) and not ENDED.search(word)), "")
    last = at + 1
    while last < len(found) and found[last].kind == "word" and not (told[last] or _is_little(found[last], language)):
        last += 1
    if not other and (len(step.arguments) < BOTH or last == at + 1):
        return step
    end = first + len(other) if other else found[last - 1].end
    return step.with_arguments(text=(said[begin:end],), file=tuple(word for word in files if word != other))


def _is_little(word: Word, language: str) -> bool:
    """Tell whether a word is a small one, or says where on a list something goes."""
    is_placed = any(words_of_wishes(language).concepts([word]))
    return is_placed or is_small(word.text) or is_small_in(word.folded, language)


def _whole_text(step: Step, language: str) -> Step:
    """Give what is added to a named file the verb back that it begins with, and the place that it ends with.

    Examples
    --------
    >>> said = "apunta en a.txt pegar carteles en la iglesia"
    >>> _whole_text(Step("append", {"file": ("a.txt", "la iglesia"), "text": ("carteles",)}, text=said), "es").arguments
    {'file': ('a.txt',), 'text': ('pegar carteles en la iglesia',)}
    >>> said = "put at the end of the log: 10:05 INFO tape in printer"
    >>> _whole_text(Step("append", {"file": ("the log", "printer"), "text": ("10:05 INFO",)}, text=said), "en").arguments
    {'file': ('the log',), 'text': ('10:05 INFO tape in printer',)}
    """
    text, (file, *places) = step.word("text"), step.arguments.get("file", ("",))
    said = step.text.partition("\n")[0]
    lead = words_of(said.partition(text)[0]) if said != step.text and said.endswith(text) and text else ()
    if text in {step.text[start:end] for start, end in quotations(step.text)}:
        return step  # what stands behind a quotation is no part of it
    is_led = bool(lead) and all(word.kind == "sign" or not _is_no_adding(word, language) for word in lead[:-1])
    if step.act in {"append", "prepend", "task.add"} and is_led and _is_no_adding(lead[-1], language):
        return step.with_arguments(text=(said[lead[-1].start :],))  # "feed H5" behind "add water H4 to a.txt"
    head, colon, rest = step.text.partition(next((sign for sign in COLONS if f"{sign} " in step.text), "\0"))
    is_behind = bool(colon) and rest.lstrip().startswith(text) and file in head and all(one in rest for one in places)
    if step.act in {"append", "prepend"} and text and file and is_behind and len(words_of(head)) > 1:
        return step.with_arguments(file=(file,), text=(rest.strip(),))  # a line is what stands behind the colon
    named = [word for word in words_of(step.text) if word.kind == "file"]
    begin, last = step.text.find(text), named[0].end if len(named) == 1 and not named[0].is_quoted else 0
    if step.act not in {"append", "prepend"} or not text or step.text.count(text) != 1 or not 0 < last <= begin:
        return step
    end = max([begin + len(text), *(step.text.find(place) + len(place) for place in places)])
    if places and (not file.endswith(named[0].text) or end != len(step.text.rstrip(" .!"))):
        return step
    between = words_of(step.text[last:begin])
    is_verb = len(between) == 1 and step.text[last:begin].strip() == between[0].text
    if is_verb and _is_no_adding(between[0], language):
        begin = last + between[0].start
    return step.with_arguments(file=(file,), text=(step.text[begin:end],))


def _with_all_quoted(steps: tuple[Step, ...], request: str) -> tuple[Step, ...]:
    """Give what is written all texts in quotation marks that stand in a row, each for a line of its own.

    Examples
    --------
    >>> said = 'write "two teas" and "a bun" into a.txt'
    >>> read = Step("write", {"text": ("two teas",)}, text=said), Step("append", {"text": ("a bun",), "file": ("a.txt",)})
    >>> _with_all_quoted(read, said)[0].arguments
    {'text': ('two teas', 'a bun'), 'file': ('a.txt',)}
    """
    row: list[tuple[int, int]] = []
    act = steps[0].act if steps else ""
    for start, end in quotations(request):
        between = words_of(request[row[-1][1] : start]) if row else ()
        first = next((word for word in between if word.kind not in {"sign", "quote"}), None)
        is_name = ENDED.search(request[start:end]) is not None
        if is_name or (row and first is not None and "and" not in concepts_of(first.text)):
            if len(row) > 1:
                break
            row = []
        if not is_name:
            row.append((start, end))
    texts = tuple(request[start:end] for start, end in row)
    is_writing = act in {"write", "append", "create"} and all(one.act in {"write", "append", "create"} for one in steps)
    said = {word for one in steps for word in (*one.arguments.get("text", ()), *one.arguments.get("file", ()))}
    if len(texts) < 2 or not is_writing or not said & {*texts}:  # noqa: PLR2004 - one is read right
        return steps
    files = tuple(dict.fromkeys(word for one in steps for word in one.arguments.get("file", ()) if word not in texts))
    act = "write" if act == "create" or "create" in concepts_of(request) else act
    step = steps[0].with_arguments(text=texts, file=files)
    return (step._replace(act=act, text=request),)


def _is_no_adding(word: Word, language: str) -> bool:
    """Tell whether a word before what is added belongs to that, and does not say that it is added."""
    told = concepts_of(word.text) | words_of_wishes(language).concepts([word])[0]
    is_filler = is_small(word.text) or is_small_in(word.folded, language)
    return word.kind == "word" and not (told & (OF_ADDING | NEGATING | REFUSING) or is_filler)


def _of_a_part(step: Step) -> Step:
    """Return what "delete that line" means: what is in a file goes, never the file.

    The word for the part may stand inside of what was read as the file.
    """
    is_line = bool(concepts_of(step.text) & {"line", "row"}) or any(sign.isdigit() for sign in step.word("line"))
    if step.act == "line.delete" and step.word("find") and step.word("line") and not is_line:
        return step.with_arguments(line=())  # no number of a line
    if step.act != "delete":
        return step
    said = step.arguments.get("file", ())
    names = tuple(word for word in said if _is_name(word))
    rest = step.text.partition("\n")[0]
    for name in names:
        rest = rest.replace(name, " ")
    if not is_part(rest):
        return step
    lines = tuple(word for word in said if word not in names)
    return step._replace(act="line.delete", arguments={"file": names, "line": lines}).with_arguments()


def _is_name(words: str) -> bool:
    """Tell whether words are the name of a file, blanks and all: "word list.txt", and not "the line in notes.txt"."""
    *before, last = words.split() or [""]
    return EXACT.match(last) is not None and not any(map(is_small, before))


def plainly(step: Step) -> Step:
    """Return the act that a shell line means, where it only looks, and a text that is written to its file just once."""
    if step.act in {"write", "append", "prepend"} and step.destination in {"write", "append"} and not step.word("file"):
        return step.with_arguments(file=step.arguments.get("to", ()), to=())._replace(destination="")
    is_told = any(word.is_quoted for word in words_of(step.text)) and "run" in concepts_of(step.text)
    line = step.word("command")
    if step.act == "run" and not is_told and EXACT.match(line) and not line.endswith("/") and line != step.text.strip():
        return Step("run.file", {"file": (line,)}, step.destination, step.text)  # "run tools/weigh.py for me"
    found = as_act(line) if step.act == "run" and not is_told else None
    return step if found is None else found._replace(destination=step.destination, text=step.text)
