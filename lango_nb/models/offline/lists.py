"""Lists that are files: what a request puts onto them, takes off, ticks, and asks of their boxes.

    "add bread", "cross off the soap", "tick the form", "which are left?" ── which list? ── what is left of the words ── a step

Words of such wishes are in ``data/reading/listed.tsv``; what neither an act nor an argument explains is the item.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache

from lango_nb.models.offline.followups import CLAUSES, DONE_WITH, ENDED, EXACT, HALF, WISHING, lacks
from lango_nb.models.offline.keyed import KEYED, TABULAR
from lango_nb.models.offline.lexicon import (
    ASK_SIGNS,
    NEGATING,
    REFUSING,
    UNSPACED,
    Lexicon,
    Word,
    concepts_of,
    is_small_in,
    lexicon,
    lexicon_of,
    tongues,
)
from lango_nb.models.offline.lexicon import words as words_of
from lango_nb.models.offline.names import (
    EAST,
    calls_list,
    how_many,
    is_asking,
    is_noun_of_file,
    is_pointer,
    is_ruled_out,
    is_small,
    list_named,
    nearest_texts,
    not_meant,
    points_back,
    rank,
    table_of,
    unexplained,
)
from lango_nb.models.offline.operations import BOX
from lango_nb.models.offline.plan import Context, Reading, Step, acts, is_change, is_talk, read_rows
from lango_nb.models.offline.question import said_of_tables, says_state
from lango_nb.models.offline.reader import reader

_OF_A_LIST = {"task.list": "read", "task.add": "append", "append": "append", "task.done": "line.delete", "task.delete": "line.delete", "delete": "line.delete"}  # fmt: skip
"""What wishes about tasks, or without a file, are about a list that is a file."""
_FILLED = frozenset(("find", "text", "old", "new"))
"""Roles that words may have that nothing else explains."""
_OF_TALK = frozenset(("joke",))
"""Concepts of what is only talked about, and may be a file: a poem, a riddle."""
_OPEN_BOX = "[ ]"
_DOUBTFUL = 0.3
"""Confidence of what is asked about before it is done."""
SURE = 0.8
"""Confidence from which a text is taken for what was read, whatever was asked, and what goes is not asked about."""
_BOX_SAID = re.compile(r"\[[ xX✓✔]\]")
BETWEEN = 3
"""Letters, at least, of a word between how it begins and how it ends."""
FEW_WORDS = 5
"""Words that an addition to what is remembered has more of."""
_GOING = frozenset(("delete", "line.delete", "task.delete", "task.done"))
"""Acts after which something is gone from a list."""
OF_TASKS = frozenset(("task", "remind", "remember"))
"""Concepts of what is to be done, and on no other list."""
SHOWING = frozenset(("show", "list", "read", "print", "which", "who", "what", "open"))
KEEPING = frozenset(("save", "write", "put", "append", "export"))


def of_list(reading: Reading, request: str, context: Context) -> Reading:
    """Return that a wish about tasks, or a listing, may be about the file of a list, where a request says which list.

    Examples
    --------
    >>> said = Reading((Step("task.add", {}),))
    >>> of_list(said, "put sunscreen on the packing list", Context()).steps[0].arguments
    {'text': ('sunscreen',), 'file': ('the packing list',)}
    """
    reading = _of_verb(reading, request)
    step = reading.steps[0] if len(reading.steps) == 1 else Step("unclear", {})
    if step.act == "task.add" and not step.arguments:
        step = step.with_arguments(text=_behind_colon(request))
        reading = reading._replace(steps=(step,), others=() if step.word("text") else reading.others)
    if step.act == "move" and not step.word("file") and [w.kind for w in words_of(step.word("to"))][-1:] == ["file"]:
        step = Step("append", {"file": step.arguments["to"]}, text=step.text)  # nothing goes into a file but lines
        return reading._replace(steps=(with_left_over(step, reading.language),))
    if (off := _of_removal(step, request, reading.language)) is not None:
        return reading._replace(steps=(off,), confidence=max(reading.confidence, HALF))
    if step.act == "move" and lacks(step):  # "metti candele nella lista della spesa": to put something on it
        likely = [one for one in reading.others if one.steps[0].act in {"task.add", "append"}]
        both = min(1.0, sum(one.confidence for one in likely))  # the same, where the list is a file
        adding = next((one.steps[0] for one in likely if one.steps[0].act == "task.add"), None)
        reading, step = (reading._replace(confidence=both), adding) if adding is not None else (reading, step)
    if step.act == "append" and not step.word("file"):  # "aggiungi pane alla lista della spesa"
        said = step.word("text").split()
        at = next(
            (
                at
                for at in range(1, len(said) - 1)
                if is_small_in(said[at], reading.language) and calls_list(" ".join(said[at + 1 :]))
            ),
            0,
        )
        text, file = " ".join(said[:at]), " ".join(said[at + 1 :])
        return reading._replace(steps=(step.with_arguments(text=(text,), file=(file,)),)) if at else reading
    if step.act not in {"task.add", "task.list", "list"} or step.destination or step.word("file"):
        return reading
    found = words_of(request)
    if any(word.kind in {"file", "folder"} for word in found):
        return reading
    if step.act == "task.add":
        given = reader().arguments(request, "append", ("text", "file"))
        if not given.get("text") and (name := list_in(request, found, reading.language)):
            left = left_over(request, Step("append", {"file": (name,)}), reading.language)
            given = {"text": (left,), "file": (name,)} if left else {}  # "setz mal Saft auf die Einkaufsliste"
            reading = reading._replace(confidence=max(reading.confidence, HALF))
        if not given.get("text"):
            return reading
    else:
        given = {"file": _lists_said(request, found, reading.language)}
    is_named = calls_list if step.act == "list" else list_named
    named = next((words for words in given.get("file", ()) if is_named(words)), "")
    is_part = named in step.word("text") and not calls_list(named)  # "de plantjes water geven": of no list
    if not named or is_part or is_ruled_out(named, request, reading.language):
        return reading
    last = context.last
    is_more = step.act == "task.list" and "and" in concepts_of(found[0].text)
    if is_more and last is not None and last.word("file") and not (is_change(last.act) or is_talk(last.act)):
        step = last._replace(text=request, destination="")
    return reading._replace(steps=(step.with_arguments(**{**given, "file": (named,)}),), others=())


def _lists_said(request: str, found: Sequence[Word], language: str) -> tuple[str, ...]:
    """Return the words that a request has for a list: those that were read, or the whole of what it calls one.

    Examples
    --------
    >>> said = "cosa c'è sulla lista della spesa?"
    >>> _lists_said(said, words_of(said), "it")[0].endswith("lista della spesa")
    True
    """
    told = lexicon().concepts(found)
    lists = tuple(word.text for word, meant in zip(found, told, strict=True) if meant & {"list", "task"})
    read = reader().arguments(request, "read", ("file",)).get("file") or lists
    whole = list_in(request, found, language)
    return read if any(map(calls_list, read)) or not calls_list(whole) else (whole,)


def of_tidying(reading: Reading, request: str, context: Context) -> Reading | None:
    """Return that what stands on a list twice goes from it, and that it is put in order where that is said as well.

    Examples
    --------
    >>> said = Reading((Step("read.unique", {}),))
    >>> [step[:3] for step in of_tidying(said, "kick out the duplicates on the shopping list", Context()).steps]
    [('read.unique', {'file': ('shopping list',), 'to': ('shopping list',)}, 'write')]
    >>> of_tidying(said, "what is on the shopping list twice?", Context())
    """
    found, language = words_of(request), reading.language
    told = frozenset[str]().union(*lexicon_of(language).concepts(found))
    marks = frozenset[str]().union(*words_of_wishes(language).concepts(found))
    is_twice = "twice" in said_of_tables(request, language) or "unique" in told
    is_gone = bool({"off", "out"} & marks or "delete" in told)
    is_other = bool(told & {"file", "folder"}) or any(word.is_quoted or word.kind == "folder" for word in found)
    if not is_twice or not is_gone or is_other or is_asking(request) or request.rstrip()[-1:] in ASK_SIGNS:
        return None
    named = [word.text for word in found if word.kind == "file"]
    said = (word for one in (reading, *reading.others) for word in one.steps[0].arguments.get("file", ()))
    listed = list_in(request, found, language) or next((word for word in said if list_named(word)), "")
    file = named[0] if len(named) == 1 else listed or context.file
    if len(named) > 1 or not file or file.casefold().endswith(KEYED):
        return None
    acts_meant = ("read.unique", "read.sorted") if "sort" in told else ("read.unique",)
    steps = tuple(Step(act, {"file": (file,), "to": (file,)}, "write", request) for act in acts_meant)
    return reading._replace(steps=steps, confidence=1.0, others=(), each=())


_PARTED = re.compile(r"\s*[,;\u3001\uff0c\uff1b]\s*")


def _behind_colon(request: str) -> tuple[str, ...]:
    """Return what stands behind a colon, in as many parts as are said before it: "two tasks: call Ann, and write to Bo".

    Examples
    --------
    >>> _behind_colon("two tasks for my list: call Ann, and write to Bo"), _behind_colon("new: call Ann, Bo and Cy")
    (('call Ann', 'write to Bo'), ('call Ann, Bo and Cy',))
    """
    head, _, rest = request.strip().partition(":")
    parts = [part for part in _PARTED.split(rest.strip()) if part]
    for at, part in enumerate(parts):
        first, _, more = part.partition(" ")
        parts[at] = more if at and more and "and" in concepts_of(first) else part
    many = {rank(word.text) for word in words_of(head)} - {None}
    is_each = len(parts) > 1 and (len(parts) in many or how_many(head) == len(parts))
    return tuple(parts) if is_each else (rest.strip(),) if rest.strip() else ()


def _of_removal(step: Step, request: str, language: str) -> Step | None:
    """Return that something comes off the list that a request names, or that it is ticked off where the file is named.

    Examples
    --------
    >>> _of_removal(Step("task.delete", {}), "take the milk off the shopping list", "en").arguments
    {'file': ('shopping list',), 'find': ('milk',)}
    """
    found = words_of(request)
    marks = words_of_wishes(language).concepts(words_of(without_text(step, request)))
    if not any("off" in one for one in marks) or step.act in {"line.delete", "line.tick"}:
        return None
    files = [word.text for word in found if word.kind == "file" and not word.is_quoted]
    named = files[0] if len(files) == 1 else list_in(request, found, language)
    if not named:
        return None
    rest = Step("line.tick", {"file": (named,)}, text=request)
    verb = found[0].end if found[0].kind == "word" else 0
    left = _between(request, language) or left_over(request[verb:], rest, language)
    return rest._replace(act="line.delete" if not files else "line.tick").with_arguments(find=(left,)) if left else None


def _between(request: str, language: str) -> str:
    """Return what stands between a verb of ticking off, its second half and the one file that is named; empty where that is not so.

    Examples
    --------
    >>> _between("vink repair shelf C af in a.md", "nl"), _between("hak in der a.md call the school ab", "de")
    ('repair shelf C', 'call the school')
    >>> _between("tick off the door in a.md", "en"), _between("show me what to tick in a.md", "en")
    ('the door', '')
    """
    found, marks = words_of(request), words_of_wishes(language).concepts(words_of(request))
    files = [at for at, word in enumerate(found) if word.kind == "file"]
    if not found or not marks[0] >= _TICKING or len(files) != 1 or "\n" in request.strip():
        return ""
    begin, end = 1, len(found)
    while begin < end and marks[begin] >= _TICKING:
        begin += 1
    lead = files[0]
    while lead > begin and (is_small(found[lead - 1].text) or is_small_in(found[lead - 1].folded, language)):
        lead -= 1
    begin, end = (files[0] + 1, end) if lead == begin else (begin, lead)
    end -= begin < end and bool(marks[end - 1] & {"off", "along"})
    return request[found[begin].start : found[end - 1].end] if begin < end else ""


_TICKING = frozenset(("off", "tick"))
"""What verbs say with which something is ticked off."""


def _of_verb(reading: Reading, request: str) -> Reading:
    """Return a reading in the language of the verb of ticking off that it begins with: what is ticked off may be in another.

    Examples
    --------
    >>> [_of_verb(Reading(()), one).language for one in ("vink paint the door af in a.md", "tick off the door in a.md")]
    ['nl', 'en']
    """
    first = words_of(request)[:1]
    said = {one: frozenset[str]().union(*words_of_wishes(one).concepts(first)) >= _TICKING for one in tongues()}
    other = next((one for one, is_said in said.items() if is_said), "")
    return reading._replace(language=other) if other and not said.get(reading.language) else reading


def without_text(step: Step, request: str) -> str:
    """Return a request without what is to be written: its words say nothing of what is to be done.

    Examples
    --------
    >>> without_text(Step("write", {"text": ("Sem is off",)}), "make a.txt: Sem is off")
    'make a.txt:  '
    """
    text = step.word("text") if step.act in {"write", "append", "prepend"} else ""
    return request.replace(text, " ") if text else request


def list_in(request: str, found: Sequence[Word], language: str) -> str:
    """Return the words by which a request names a list: "shopping list", "lista de la compra"; empty where it names none."""
    ends = tuple(table_of("compound"))
    at = next((at for at, word in enumerate(found) if _is_list(word, ends)), -1)
    if at < 1:
        return ""
    is_small_at = [is_small(word.text) or is_small_in(word.folded, language) for word in found]
    marks = words_of_wishes(language).concepts(found)
    begin = at - (found[at].folded == "list" and not is_small_at[at - 1])
    end = behind = at + 1
    told = lexicon_of(language).concepts(found)
    while behind < len(found) and is_small_at[behind] and not marks[behind] and "and" not in told[behind]:
        behind += 1
    if (
        behind < len(found)
        and not (marks[behind] or "and" in told[behind])
        and found[behind].kind == "word"
        and (behind > end or language == "pl")
    ):
        end = behind + 1
    name = request[found[begin].start : found[end - 1].end]
    return name if calls_list(name) or "list" not in concepts_of(found[at].text) else ""


def _is_list(word: Word, ends: tuple[str, ...]) -> bool:
    """Tell whether a word is one for a list, or for a list of something."""
    is_compound = word.folded.endswith(ends) and "list" in concepts_of(next(e for e in ends if word.folded.endswith(e)))
    return word.kind in {"word", "character"} and ("list" in concepts_of(word.text) or is_compound)


_QUOTES = re.compile('["\u00ab\u00bb\u201c\u201d\u201e]')


def with_left_over(step: Step, language: str) -> Step:
    """Give a step the one word that it lacks, where one is left over: "in which files does Els stand?".

    Examples
    --------
    >>> said = Step("append", {"file": ("het recept",)}, text="voeg zout toe aan het recept")
    >>> with_left_over(said, "nl").word("text")
    'zout'
    """
    head, colon, _ = step.text.partition(":")
    if step.act in {"append", "prepend"} and colon and step.word("text") and not step.word("file"):
        file = reader().arguments(head, "read", ("file",)).get("file", ())
        if len(file) == 1 and " " in file[0] and not concepts_of(file[0]) & KEEPING:
            return step.with_arguments(file=file)  # "add at the end of the soup recipe: salt"
    if step.act in {"append", "prepend"} and step.word("text") and not (step.word("file") or step.destination):
        left = left_over(_QUOTES.sub(" ", step.text.replace(step.word("text"), " ")), step, language)
        before = step.text.partition(left)[0].split()[-1:] if left else []
        is_named = any(is_small(word) or is_small_in(word.casefold(), language) for word in before)
        is_file = is_named and (is_noun_of_file(left) or is_pointer(left, "original") or is_pointer(left, "copy"))
        return step.with_arguments(file=(left,)) if is_file else step  # "… an die Notizen … dran"
    is_bare = step.act == "read" and not (step.arguments or step.destination or points_back(step.text))
    is_bare = is_bare and not (
        step.text.rstrip()[-1:] in ASK_SIGNS and concepts_of(step.text) & {"what", "who", "when"}
    )
    if is_bare and "\n" not in step.text and language not in {"ja", "zh"}:
        left = left_over(step.text, step, language)
        return step.with_arguments(file=(left,)) if left else step  # "read the poem"
    if step.act in {"rename", "move", "copy"} and step.word("to") and not step.word("file"):
        is_file = "file" in concepts_of(step.text) and not points_back(step.text)
        left = left_over(step.text, step, language) if is_file else ""
        return step.with_arguments(file=(left,)) if left else step  # "rename the file with the rules to b.txt"
    row = acts().get(step.act)
    lacking = [role for role in row.needed if role in _FILLED and not step.word(role)] if row is not None else []
    if len(lacking) != 1 or step.destination or step.act in {"write", "task.add", "remember"} or "\n" in step.text:
        return step  # what is to be written is not made up
    left = left_over(step.text, step, language)
    return step.with_arguments(**{lacking[0]: (left,)}) if left else step


def left_over(request: str, step: Step, language: str, *, is_any: bool = False) -> str:
    """Return the words of a request, standing together, that neither an act nor an argument explains; empty where there are none.

    With ``is_any`` they need not stand together.
    """
    found = words_of(request)
    told = lexicon().concepts(found)
    marks = words_of_wishes(language).concepts(found)
    taken = {word.text for words in step.arguments.values() for said in words for word in words_of(said)}
    quoted = [word for word in found if word.is_quoted and word.text not in taken]
    if quoted:
        return request[quoted[0].start : quoted[-1].end]
    free = [
        at
        for at, word in enumerate(found)
        if not (
            told[at] - _OF_TALK
            or marks[at]
            or word.text in taken
            or word.kind in {"sign", *(UNSPACED if is_any else ())}
        )
        and not (is_small(word.text) or is_small_in(word.folded, language))
    ]
    between = set(range(free[0], free[-1])) - set(free) if free else set[int]()
    is_joined = all("and" in told[at] or found[at].kind == "sign" for at in between)  # "screws and nails"
    is_one = bool(free) and (is_any or is_joined)
    return request[found[free[0]].start : found[free[-1]].end] if is_one else ""


def of_spoken_list(reading: Reading, request: str, context: Context) -> Reading:
    """Return that what was read as a wish about tasks is about the list spoken of: "add bread", "cross off the soap".

    Examples
    --------
    >>> spoken, said = Context(file="shopping list.txt"), Reading((Step("task.done", {}),))
    >>> of_spoken_list(said, "cross off the soap", spoken).steps[0].arguments
    {'file': ('shopping list.txt',), 'find': ('soap',)}
    >>> of_spoken_list(said, "that task is done", spoken) == said
    True
    """
    step, file = reading.steps[0] if len(reading.steps) == 1 else Step("unclear", {}), context.file
    has_boxes = BOX.search(context.answer) is not None
    is_list = ENDED.search(file) is not None and (
        has_boxes
        or calls_list(stem := file.rpartition("/")[2].rpartition(".")[0])
        or _shows_list(context)
        or (concepts_of(stem) & OF_TASKS and not stem.isascii())  # 待办.txt
    )
    is_file = any(word.kind in {"file", "folder"} for word in words_of(request)) or bool(step.destination)
    is_numbered = bool(concepts_of(request) & {"line", "row"})
    if (
        not is_list
        or is_file
        or is_numbered
        or concepts_of(request) & OF_TASKS
        or (has_boxes and not _adds_more(step, request))
        or not request.strip()
        or (step.act == "undo" and reading.confidence >= HALF)
        or (step.act == "prepend" and step.word("text"))
    ):
        return reading
    found = words_of(request)
    told, told_all = words_of_wishes(reading.language).concepts(found), lexicon().concepts(found)
    comes_off = any("off" in one for one in told)
    last = found[-1].text if "along" in told[-1] else ""
    is_put = bool(KEEPING.intersection(*told_all[:1])) and (points_back(request) or any("along" in one for one in told))
    is_added = context.last is not None and context.last.act in {"append", "task.add"} and context.last.word("file")
    is_kept = bool(KEEPING & frozenset[str]().union(*told_all[1:2]))  # "and put cinnamon too"
    is_more = bool(is_added) and any("besides" in one for one in told)  # "kekse auch noch"
    is_more = is_more or ((bool(is_added) or is_kept) and "and" in frozenset[str]().union(*told_all[:1]))
    is_lacking = any("lacking" in one for one in told) and not any(
        one & KEEPING or one & {"append"} for one in told_all
    )
    is_more = is_more or (is_lacking and not any(sign in request for sign in (":", "\uff1a")))  # "käse fehlt noch"
    is_asked = request.rstrip()[-1:] in ASK_SIGNS or is_asking(request) or "how" in concepts_of(request)
    is_done_with = reading.confidence >= SURE and bool(concepts_of(request) & DONE_WITH)  # "and now sort it"
    is_put = is_put or (is_more and len(found) <= FEW_WORDS and not (is_asked or is_done_with))  # no "and how long now"
    is_gone = any("delete" in one for one in told_all) and not any(one & KEEPING for one in told_all)
    if is_gone and _OF_A_LIST.get(step.act) == "append":
        return reading._replace(confidence=min(reading.confidence, _DOUBTFUL))
    act = "line.delete" if comes_off else "append" if is_put else _OF_A_LIST.get(step.act, "")
    if not act or any(is_pointer(word, "it") for word in step.arguments.get("file", ())):
        return reading
    bare = [word for word in step.arguments.get("file", ()) if step.act == "delete" or list_named(word)]
    if bare and step.act != "delete" and not comes_off:
        return reading
    role = {"append": "text", "line.delete": "find"}.get(act, "")
    given = reader().arguments(request, act, (role, "file")) if role else {}
    if any(map(list_named, given.get("file", ()))) and not (comes_off or is_put):
        return reading  # another list
    said = (step.arguments.get("text") if step.act == act else None) or given.get(role) or step.arguments.get("text")
    left = _left_in_clause(request, "off", Step(act, {}), reading.language) if comes_off else ""
    item = thing_said(request, reading.language) if is_more and act == "append" else ""
    if item:
        said = (item,)
    elif (comes_off or is_put) and (left := left or left_over(request, Step(act, {}), reading.language)):
        *_, before = request.partition(left)[0].split() or [""]
        said = (f"{before} {left}" if is_put and rank(before) is not None else left,)  # "and two lemons"
    said = said or tuple(bare)
    said = tuple(word.removesuffix(last).rstrip() for word in said)  # "zet brood erbij"
    is_numbered = act == "line.delete" and bool(said) and rank(said[0]) is not None  # "strike the second one"
    if role and (is_numbered or not any(said)):
        return reading
    meant = Step(act, {"file": (file,)}, text=request).with_arguments(**({role: said} if role else {}))
    if step.act == "delete" and not comes_off:  # a file, where there is one that is called so
        return reading._replace(others=(reading._replace(steps=(meant,), others=()), *reading.others))
    is_there = comes_off and any(one and one in context.answer for one in said)
    least = SURE if is_there or (comes_off and "list" in concepts_of(request)) else HALF
    sure = max(reading.confidence, least) if comes_off or is_put else reading.confidence
    return reading._replace(steps=(meant,), others=() if comes_off else reading.others, confidence=sure)


def thing_said(request: str, language: str) -> str:
    """Return the thing that a few words want on a list, whole, whatever its words mean elsewhere: "and flip flops too".

    Examples
    --------
    >>> thing_said("and flip flops", "en"), thing_said("Käse fehlt noch", "de"), thing_said("あとクッキーも", "ja")
    ('flip flops', 'Käse', 'クッキー')
    >>> thing_said("and show it", "en"), thing_said("and two lemons", "en")
    ('', 'two lemons')
    """
    found = words_of(request)
    told, marks = lexicon_of(language).concepts(found), words_of_wishes(language).concepts(found)
    sides = {"besides", "lacking", "left", "added", "manners", "therein"}
    begin, end = 0, len(found)
    while begin < end and (
        found[begin].kind == "sign"
        or "and" in told[begin]
        or marks[begin] & sides
        or (is_small(found[begin].text) and rank(found[begin].text) is None)
    ):
        begin += 1
    while end > begin and (
        found[end - 1].kind == "sign" or marks[end - 1] & {*sides, "along"} or is_small(found[end - 1].text)
    ):
        end -= 1
    is_other = any(word.kind in {"file", "folder"} or word.text == "," for word in found[begin:end])
    is_wish = begin < end and bool(told[begin] & (_WISHES | {"it"}))
    return "" if is_other or is_wish or begin == end else request[found[begin].start : found[end - 1].end]


_WISHES = WISHING | {"what", "who", "where", "when", "which", "how", "i", "you", "not", "no"}
"""Concepts of what begins something else than a thing of a list."""
_OF_LINES = frozenset(("append", "task.add", "line.delete", "line.tick", "write"))
"""Acts behind which something comes off a list."""


def _adds_more(step: Step, request: str) -> bool:
    """Tell whether something more is to be put onto the boxes that were shown: "add one more: …"."""
    return step.act in {"task.add", "append"} and bool(concepts_of(request) & {"append", "put"})


_FEW_ITEMS, _SHORT_ITEM = 3, 3
"""Lines of a text that is a list by its looks, at least, and words of each, at most."""


def _shows_list(context: Context) -> bool:
    """Tell whether the file that is spoken of was shown as a list, or a line was just put onto it or taken off it."""
    lines = context.answer.splitlines()
    done = (context.last, context.changed) if context.file else (context.last,)
    is_changed = any(one is not None and one.act in _OF_LINES and one.word("file") == context.file for one in done)
    is_short = len(lines) >= _FEW_ITEMS and all(
        0 < len(line.split()) <= _SHORT_ITEM and line[-1:] not in ".!?:" for line in lines
    )
    is_read = (
        is_short
        and context.last is not None
        and context.last.act in {"read", "list"}
        and not context.file.endswith((".csv", ".tsv", ".log"))
    )
    return (
        is_changed
        or is_read
        or (len(lines) > 1 and all(line.lstrip().startswith(("- ", "* ", "• ")) for line in lines))
    )


@cache
def words_of_wishes(language: str = "") -> Lexicon:
    """Return the words of wishes about lists (``data/reading/listed.tsv``) in a language, or in all."""
    return Lexicon([row for row in read_rows("listed.tsv") if language in {"", row[1]}])


def tells_done(text: str, language: str, task: str = "") -> bool:
    """Tell whether a text says that a task was done: by a word for that, or by the form of a verb that is no word of the task.

    Examples
    --------
    >>> tells_done("the plants are watered", "en", "water the plants"), tells_done("de huur heb ik overgemaakt", "nl")
    (True, True)
    >>> tells_done("牛乳は買ったよ", "ja"), tells_done("le café est cher", "fr", "acheter le café"), tells_done("I need milk", "en")
    (True, False, False)
    """
    own = frozenset(word.folded for word in words_of(task))
    said = [word for word in words_of(text) if word.folded not in own]
    if any("tick" in one for one in words_of_wishes(language).concepts(said)):
        return True
    if "already" in said_of_tables(text, language) or any("done" in one for one in lexicon_of(language).concepts(said)):
        return True
    if language in EAST:
        whole = text.strip(" .!\u3002\uff01よねわ")
        return any(whole.endswith(end) if language == "ja" else end in whole for _, end in _forms_of_done(language))
    return any(
        len(word.text) >= len(begin) + len(end) + BETWEEN * bool(end)
        and begin in word.text.casefold()[: -len(end) or None]
        and word.text.casefold().endswith(end)
        and (bool(end) or word.text.casefold() == begin)
        for word in said
        for begin, end in _forms_of_done(language)
    )


@cache
def _forms_of_done(language: str) -> tuple[tuple[str, str], ...]:
    """Return how words of a language begin and end that tell that something was done; a whole word has no end."""
    rows = (row for row in read_rows("listed.tsv") if row[:2] == ["happened", language])
    forms = [word.strip().partition("-") for row in rows for word in row[2].split(",")]
    return tuple(("", begin) if language in EAST else (begin, end) for begin, _, end in forms)


@cache
def words_of_speech(language: str = "") -> Lexicon:
    """Return the words of reported speech (``data/reading/speech.tsv``) in a language, or in all."""
    return Lexicon([row for row in read_rows("speech.tsv") if language in {"", row[1]}])


def of_boxes(reading: Reading, request: str, context: Context) -> Step | None:
    """Return what is to be done with a list of boxes in a file, where it was read as a wish about tasks.

    Examples
    --------
    >>> said = "tick off the insurance form in todo.txt"
    >>> step = of_boxes(Reading((Step("task.done", {"text": ("todo.txt",)}),)), said, Context())
    >>> step.act, step.word("file")
    ('line.tick', 'todo.txt')
    """
    if len(reading.steps) != 1:
        return None
    step, last = reading.steps[0], context.last
    ruled_out = not_meant(request, reading.language)
    named = [word.text for word in words_of(request) if word.kind == "file" and not word.is_quoted]
    named = [name for name in named if name not in ruled_out]
    has_boxes = _speaks_of_boxes(context)
    file = named[0] if len(named) == 1 else context.file if has_boxes and not named else ""
    in_notes = None if file else _asked_of_notes(reading, request)
    is_left = bool(ruled_out) and not named and step.act in {"search", "read"} and says_state(request, reading.language)
    is_other = not (EXACT if named else ENDED).search(file) or file.casefold().endswith(TABULAR)
    if in_notes is not None or is_other or is_left:
        return Step("task.list", {}, text=request) if is_left else in_notes  # "only your list, not a.md"
    told, mark = concepts_of(request), _BOX_SAID.search(request)
    marks = frozenset[str]().union(*words_of_wishes(reading.language).concepts(words_of(without_text(step, request))))
    act = "count.matches" if step.act == "task.list" and "many" in told else "search"
    is_marked = mark is not None and step.act in {"task.list", "read", "search"}
    asked = None if is_marked else _all_gone(reading, request, context, marks)
    if asked is None and not is_marked:
        is_more = _goes_on(step, last, request)
        asked = _asked_of_boxes(request, marks, reading.language, has_boxes=has_boxes, is_more=is_more)
    if asked is None and (is_marked or step.act == "task.list"):
        asked = Step(act, {"find": (mark[0] if mark is not None else _OPEN_BOX,)}, text=request)
    if asked is not None:
        return asked.with_arguments(file=(file,))._replace(destination=step.destination)
    if has_boxes and "tick" in marks and (line := _ticked(request, context, reading.language)):
        return Step("line.tick", {"file": (file,), "find": (line,)}, text=request)
    bare = Step("line.tick", {"file": (file,)})
    keys = (one.steps[0].word("key") for one in (reading, *reading.others))  # "vink de sleutel af": the key of nothing
    left = left_over(request, bare, reading.language) or next(filter(None, keys), "")
    if "off" in marks and left:
        act = "line.delete" if "line" in told and not {"tick"} & marks else "line.tick"
        return Step(act, {"file": (file,), "find": (left,)}, text=request)
    if "done" not in told or not (step.act == "task.done" or (step.act in {"replace", "line.replace"} and lacks(step))):
        return None
    found = words_of(request.replace(file, " ", 1))
    kept = [
        word.text for word, concepts in zip(found, lexicon().concepts(found), strict=True) if "done" not in concepts
    ]
    rest = " ".join(kept)
    said = (
        step.arguments.get("old")
        or reader().arguments(" ".join(request.replace(file, " ", 1).split()), "task.done", ("text",)).get("text")
        or (rest,)
    )
    act = "line.untick" if told & REFUSING else "line.tick"
    return Step(act, {"file": (file,), "find": said}, text=request)


def _speaks_of_boxes(context: Context) -> bool:
    """Tell whether boxes were shown, ticked, put back or added just now."""
    last, changed = context.last, context.changed
    is_last = last is not None and (last.act in {"line.tick", "line.untick"} or last.word("find") == _OPEN_BOX)
    is_last = is_last or (last is not None and last.act == "undo" and bool(last.word("lines")))
    is_added = changed is not None and any(map(BOX.match, changed.arguments.get("added", ())))
    return BOX.search(context.answer) is not None or is_last or is_added


def _asked_of_notes(reading: Reading, request: str) -> Step | None:
    """Return what is asked of the boxes in the file that a request describes: "how many are ticked off in my notes?".

    Examples
    --------
    >>> notes = Reading((Step("search", {"file": ("my notes",)}),))
    >>> _asked_of_notes(notes, "how many are ticked off in my notes?")[:2]
    ('count.matches', {'find': ('[x]',), 'file': ('my notes',)})
    """
    file = reading.steps[0].word("file")
    is_notes = bool(file) and is_noun_of_file(file.rpartition(" ")[2]) and not ENDED.search(file)
    marks = frozenset[str]().union(*words_of_wishes(reading.language).concepts(words_of(request)))
    if not is_notes or is_change(reading.steps[0].act) or not marks & {"ticked", "unticked"}:
        return None
    asked = _asked_of_boxes(request, marks, reading.language, has_boxes=False)
    return None if asked is None else asked.with_arguments(file=(file,))


def _ticked(request: str, context: Context, language: str) -> str:
    """Return what is to be ticked off: what is told beside the verb, the one line that was shown, or what was told before.

    Examples
    --------
    >>> _ticked("the blankets are washed, tick them off", Context(), "en")
    'blankets washed'
    """
    rows = list(dict.fromkeys(line for line in (*context.shown, *context.answer.splitlines()) if BOX.match(line)))
    placed = [word.text for word in words_of(request) if "one_number" not in concepts_of(word.text)]
    place = next((found for word in placed if (found := rank(word))), 0)
    if place and -len(rows) <= place <= len(rows):
        return BOX.sub(r"\4", rows[place - (place > 0)])
    near, shared = nearest_texts(request, [BOX.sub(r"\4", row) for row in rows], language)
    if shared and len(near) == 1:
        return near[0]
    if left := _left_in_clause(request, "tick", Step("line.tick", {}), language):
        return left
    if len(rows) == 1 and points_back(request):
        return BOX.sub(r"\4", rows[0])
    unsaid = [word for clause in CLAUSES.split(request) for word in unexplained(clause, language)]
    told = [word for word in unsaid if not any(words_of_wishes(language).concepts(words_of(word)))]
    return " ".join(told) if len(told) <= _FEW_ITEMS else ""


def says_tick(text: str, language: str) -> bool:
    """Tell whether a text says that something is ticked off.

    Examples
    --------
    >>> says_tick("vink de koelkast af", "nl"), says_tick("the fridge", "en")
    (True, False)
    """
    return any("tick" in one for one in words_of_wishes(language).concepts(words_of(text)))


def what_is_ticked(step: Step, language: str) -> str:
    """Return the words that say what is ticked off: what was read, or what is left over in its clause; empty where there are none.

    Examples
    --------
    >>> what_is_ticked(Step("task.done", {}, text="the fridge is clean, tick it off"), "en")
    'fridge clean'
    """
    told = [word for word in unexplained(step.text, language) if not says_tick(word, language)]
    return step.word("text") or _left_in_clause(step.text, "tick", Step("line.tick", {}), language) or " ".join(told)


def _all_gone(reading: Reading, request: str, context: Context, marks: Collection[str]) -> Step | None:
    """Return that all lines with a tick, or all without, are to go from a list: "take out what is done already"."""
    is_gone = reading.steps[0].act in _GOING and ("delete" in concepts_of(request) or "off" in marks)
    is_bare = is_gone and not unexplained(request, reading.language)
    state = (says_state(request, reading.language) or _state_shown(context, request)) if is_bare else ""
    find = "[x]" if state == "done" else _OPEN_BOX
    return Step("line.delete", {"find": (find,)}, text=request) if state else None


def _state_shown(context: Context, request: str) -> str:
    """Return whether all boxes that were shown, and are pointed at, are done or open: "delete them from the file"."""
    boxes = [BOX.match(line) for line in context.answer.splitlines()]
    states = {"open" if found[2] == " " else "done" for found in boxes if found is not None}
    is_those = points_back(request) or any(is_pointer(word.text, "it") for word in words_of(request))
    return states.pop() if len(states) == 1 and len(boxes) > 1 and all(boxes) and is_those else ""


def _goes_on(step: Step, last: Step | None, request: str) -> bool:
    """Tell whether a request goes on with a look: "and those that are done"."""
    is_and = "and" in frozenset[str]().union(*lexicon().concepts(words_of(request)[:1]))
    is_look = step.act == "same" or (is_and and not is_change(step.act) and not is_talk(step.act))
    return is_look and last is not None and not is_change(last.act)


def _asked_of_boxes(
    request: str, marks: Collection[str], language: str, *, has_boxes: bool, is_more: bool = False
) -> Step | None:
    """Return what is asked about the boxes of a list: which are ticked, which are left, or how many."""
    told = concepts_of(request)
    own = frozenset[str]().union(*lexicon_of(language).concepts(words_of(request)))
    is_counted = bool(own & {"many", "count"}) or "pieces" in said_of_tables(request, language)
    is_asked = is_asking(request) or request.rstrip()[-1:] in ASK_SIGNS or bool(own & SHOWING) or is_counted
    is_asked = is_asked or is_more
    left = [word for word in unexplained(request, language) if not says_state(word, language)]
    state = says_state(request, language) if has_boxes and not left else ""
    is_left = "unticked" in marks or state == "open" or ("left" in marks and (has_boxes or "task" in told))
    if not is_asked or not ("ticked" in marks or is_left or state):
        return None
    is_open = is_left or bool(told & NEGATING) or "not" in said_of_tables(request, "")
    find = _OPEN_BOX if is_open else "[x]"
    is_counted = is_counted or bool(told & {"many", "count"})
    return Step("count.matches" if is_counted else "search", {"find": (find,)}, text=request)


def _left_in_clause(request: str, mark: str, step: Step, language: str) -> str:
    """Return what is left over in the clause with a mark, or in the one before: "I finished Peig 2009, tick it"."""
    clauses = [clause for clause in re.split(r"[,;:.!\u3001\uff0c\u3002]\s+|[\u3001\uff0c\u3002]", request) if clause]
    marked = words_of_wishes(language)
    at = next((at for at, one in enumerate(clauses) if any(mark in told for told in marked.concepts(words_of(one)))), 0)
    return next((left for one in clauses[at::-1] if (left := left_over(one, step, language))), "")
