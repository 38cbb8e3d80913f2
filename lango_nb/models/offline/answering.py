"""Requests that answer: yes, the word that was asked for, a correction, "put it back", and what is remembered."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.models.offline.followups import CLAUSES, ENDED, HALF, WISHING, lacks
from lango_nb.models.offline.lexicon import (
    ASK_SIGNS,
    NEGATING,
    REFUSING,
    Word,
    concepts_of,
    lexicon,
    lexicon_of,
    quotations,
)
from lango_nb.models.offline.lexicon import words as words_of
from lango_nb.models.offline.lists import FEW_WORDS, SURE, words_of_wishes
from lango_nb.models.offline.names import (
    FIRST_WORDS,
    age_in,
    back_in,
    begins_with_pointer,
    is_asking,
    is_pointer,
    is_small,
    nearest_texts,
    pick,
    rank,
    unexplained,
)
from lango_nb.models.offline.plan import Context, Reading, Step, acts, is_change, is_talk
from lango_nb.models.offline.question import said_of_tables
from lango_nb.models.offline.reader import FOLLOWS
from lango_nb.models.offline.request import SHORT, says_gone
from lango_nb.models.offline.steps import FEW_SAID, OF_ADDING

_ASKING = frozenset(("what", "who", "where", "when", "why", "which", "many"))
THANKING = frozenset(("thanks", "greeting", "farewell"))
UNREAD = frozenset(("unclear", "no", "refrain", "talk", "fix"))
"""Acts of a request that corrects the one before without saying what is to be done."""
_SHARED = 2
"""Words that a question shares with what was to be remembered, at least, to be about it."""
_UNDOING = frozenset(
    ("no", "not", "none", "stop", "should", "put", "change", "in", "into", "it", "then", "undo", "please", "and")
)
"""Concepts of the words with which a no may say that something shall be as before."""


def answered_with(reading: Reading, request: str, context: Context, first: str) -> Reading | None:
    """Return what a request makes of the plan that was asked about: it agrees, or says what was missing; else ``None``."""
    if context.asked is None:
        return None
    if first == "yes" and not _is_yes(reading, request):
        return reading._replace(steps=(Step("unclear", {}, text=request),), others=())
    if first == "yes":
        return context.asked._replace(confidence=1.0, language=reading.language, is_certain=True)
    return completed(reading, context, request) if context.missing else None


def is_undo(request: str, context: Context) -> bool:
    """Tell whether a no takes the change back that was done: it says that and nothing more, and no question is open.

    Examples
    --------
    >>> done = Step("move", {"file": ("a.txt",), "to": ("old/",)})
    >>> is_undo("no, not after all", Context(done, changed=done)), is_undo("no, thanks", Context(done, changed=done))
    (True, False)
    """
    back = back_in(request)
    is_last = context.last is not None and (is_change(context.last.act) or bool(context.last.destination))
    if not back or context.changed is None or context.is_open or not (is_last or "ever" in back.values()):
        return False
    if "kept" in back.values():
        return context.changed.act in {"delete", "line.delete"}
    if len(clauses := CLAUSES.split(request)) > 1:  # "wait, I was wrong, put it back"
        return _says_back(request) or any("ever" in back_in(one).values() and _says_back(one) for one in clauses)
    return _says_back(request)


_UNSURE_UNDO = 0.3
"""Confidence of an undo that says more than that something is to be as before."""


def undo_told(reading: Reading, request: str, context: Context) -> Reading:
    """Doubt an undo that names something which is no part of the change before, and has no word for undoing: "nee, doe maar thee erbij".

    Examples
    --------
    >>> done = Step("append", {"file": ("a.txt",), "added": ("milk",)})
    >>> said = Reading((Step("undo", {}),), 0.7)
    >>> [undo_told(said, one, Context(done, changed=done)).confidence for one in ("no, put cookies there", "no, not the milk")]
    [0.3, 0.7]
    >>> undo_told(said._replace(confidence=1.0), "take milk back out and add tea", Context(done, changed=done)).confidence
    0.3
    """
    changed = context.changed
    if [step.act for step in reading.steps] != ["undo"] or changed is None:
        return reading
    known = " ".join(word for words in changed.arguments.values() for word in words).casefold()
    parts = _wishes_apart(request, reading.language)
    is_more = len(parts) > 1 and any(
        _says_more_than_back(part, known, reading.language) for part in parts if _is_of_writing(part, reading.language)
    )
    is_told = reading.confidence < SURE and _says_more_than_back(request, known, reading.language)
    return reading._replace(confidence=min(reading.confidence, _UNSURE_UNDO)) if is_told or is_more else reading


_WRITING = frozenset(("put", "write", "append", "create", "replace", "change"))
"""Concepts of verbs with which something is written."""


def _wishes_apart(request: str, language: str) -> list[str]:
    """Return the parts of a request between its clauses, and between its words for "and".

    Examples
    --------
    >>> _wishes_apart("no, put milk back and add tea", "en")
    ['no', 'put milk back', 'add tea']
    """
    parts: list[str] = []
    for clause in CLAUSES.split(request):
        found = words_of(clause)
        told = lexicon_of(language).concepts(found)
        ends = [0, *(word.end for word, one in zip(found, told, strict=True) if "and" in one), len(clause)]
        begins = [*(word.start for word, one in zip(found, told, strict=True) if "and" in one), len(clause)]
        parts += [clause[end:begin].strip() for end, begin in zip(ends, begins, strict=False)]
    return [part for part in parts if part]


def _is_of_writing(part: str, language: str) -> bool:
    """Tell whether a part of a request begins, or ends, with a verb with which something is written."""
    told = lexicon_of(language).concepts(words_of(part))
    return any(one & _WRITING for one in (*told[:1], *told[-1:]))


def _says_more_than_back(text: str, known: str, language: str) -> bool:
    """Tell whether a text wants something written that is no part of what was changed, and does not say that anything is to be as before."""
    left = [word for word in unexplained(text, language) if word.casefold() not in known]
    told = frozenset[str]().union(*lexicon_of(language).concepts(words_of(text)))
    is_back = "undo" in told or bool({"ever", "kept"} & set(back_in(text).values()))
    return bool(left) and bool(told & _WRITING) and not is_back


def _says_back(text: str) -> bool:
    """Tell whether a text says that something shall be as before, and nothing more."""
    back = back_in(text)
    rest = text.casefold()
    for words in back:
        rest = rest.replace(words, " ")
    found = [word for word in words_of(rest) if word.kind != "sign"]
    return all(
        told & _UNDOING or (is_small(word.text) and not told) or is_pointer(word.text, "it")
        for word, told in zip(found, lexicon().concepts(found), strict=True)
    )


def of_memory(reading: Reading, request: str, context: Context) -> Reading | None:
    """Return what a request is about something to be remembered, where it was read as talk: a question, or one thing more.

    Examples
    --------
    >>> known = Context(known=("the code of the lab door is 7319",))
    >>> of_memory(Reading((Step("talk", {}),)), "what was the door code?", known).steps[0].act
    'recall'
    """
    found = words_of(request)
    if len(reading.steps) != 1 or any(word.kind in {"file", "folder"} for word in found):
        return None
    step, last = reading.steps[0], context.last
    is_more = reading.confidence < HALF or step.act in {*FOLLOWS, "remember"}
    if last is not None and last.act == "remember" and is_more:
        before = last.text.partition(last.word("text"))[0]
        *_, lead = before.casefold().split() or [""]
        told = lexicon().concepts(found[:1])
        if lead and len(found) > FEW_WORDS and "and" in told[0] and found[1].text.casefold() == lead:
            text = request[found[1].end :].strip()
            return Reading((Step("remember", {"text": (text,)}, text=before + text),), 1.0, reading.language)
    asks = request.rstrip()[-1:] in ASK_SIGNS or bool(_ASKING & concepts_of(request))
    likely = {one.act for other in (reading, *reading.others) for one in other.steps}
    is_listed = step.act == "list" and "recall" in likely and not (step.arguments or step.destination)
    if is_listed and {"remember", "recall"} & concepts_of(request):  # "was hast du dir alles gemerkt?"
        return Reading((Step("recall", {}, text=request),), 1.0, reading.language)
    if asks and (is_talk(step.act) or step.act in FOLLOWS or ("recall" in likely and not is_change(step.act))):
        _, shared = nearest_texts(request, context.known)
        is_again = step.act == "recall" or "again" in said_of_tables(request, reading.language)
        if shared >= _SHARED - is_again:  # "when was her holiday again?"
            return Reading((Step("recall", {"find": (request.strip(),)}, text=request),), 1.0, reading.language)
    return None


def _is_yes(reading: Reading, request: str) -> bool:
    """Tell whether a yes is one beyond doubt: "ok, never mind" is none, nor what is as likely another wish.

    Examples
    --------
    >>> said = Reading((Step("yes", {}),), 0.7)
    >>> other = Reading((Step("task.done", {}),), 0.6)
    >>> _is_yes(said, "yes, go ahead"), _is_yes(said, "ok, never mind"), _is_yes(said._replace(others=(other,)), "I did, tick it")
    (True, False, False)
    """
    is_other = any(is_change(one.steps[0].act) and one.confidence >= HALF for one in reading.others)
    is_doubtful = is_other and reading.confidence < SURE
    return reading.confidence >= HALF and not (concepts_of(request) & REFUSING or is_doubtful)


def _takes_back(text: str) -> bool:
    """Tell whether the first words of a text say no: "never mind, just show it to me" is no name."""
    return bool(frozenset().union(*lexicon().concepts(words_of(text))[:FIRST_WORDS]) & REFUSING)


def completed(reading: Reading, context: Context, request: str) -> Reading | None:
    """Put the word that was asked for into the plan it was missing in; ``None`` where something else was said.

    Examples
    --------
    >>> asked = Reading((Step("read", {}),))
    >>> said = Reading((Step("unclear", {}, text="notes.md"),))
    >>> completed(said, Context(asked=asked, missing="file"), "notes.md").steps[0].arguments
    {'file': ('notes.md',)}
    """
    asked, said_now = context.asked, request.strip()
    if asked is not None and context.missing == "file" and (only := _only_named(reading, said_now)):
        step = asked.steps[0].with_arguments(file=(only,))
        return asked._replace(steps=(step, *asked.steps[1:]), language=reading.language, others=())
    if asked is None or not said_now or len(reading.steps) != 1 or len(said_now.split()) > SHORT:
        return None
    step = reading.steps[0]
    found = words_of(said_now)
    if _begins_anew(step, found, said_now, context.missing, asked.steps[0].act):
        return None
    named = [word.text for word in found if word.kind == "file"]
    is_chosen = context.missing == "file" and len(context.shown) > 1 and not (named or _takes_back(said_now))
    is_offered = _is_of(said_now, context.shown)
    if is_chosen and (cell := _cell_chosen(asked.steps[0], said_now, context.shown)) is not None:
        return asked._replace(steps=(cell,), confidence=1.0, language=reading.language, others=())
    if is_chosen and _names_no_act(found, reading.language):
        step = Step("unclear", {"file": (said_now.rstrip(" .!"),)}, text=request)  # "the one that says 19:30"
        asked = asked._replace(confidence=max(asked.confidence, SURE) if is_offered else asked.confidence)
    if context.missing == "file" and len(named) == 1 and reading.confidence < HALF:
        step = Step("unclear", {"file": (named[0],)}, text=request)  # "the one to Ann, a.txt"
    if context.missing == "to" and len(found) == 1 and ENDED.search(said_now.rstrip(" .!")):
        step = Step("unclear", {"to": (said_now.rstrip(" .!"),)}, text=request)  # only its new name
    if _says_itself(step, reading.confidence, found, context):
        return None
    marked = any(step.arguments.values())
    given = step.arguments.get(context.missing) or (next(iter(step.arguments.values())) if marked else (said_now,))
    if context.missing == "text" and not (
        concepts_of(said_now.partition(given[0])[0]) & OF_ADDING or found[0].is_quoted
    ):
        given = (said_now,)  # "feed H5"
    place = next((at for at, one in enumerate(asked.steps) if not one.word(context.missing)), 0)
    steps = list(asked.steps)
    answered = steps[place].with_arguments(**{**_said_along(step, steps[place]), context.missing: given})
    steps[place] = answered._replace(text=f"{answered.text}\n{said_now}")
    answered_plan = asked._replace(steps=tuple(steps), language=reading.language, others=())
    of_tables = Reading((Step("query", {}, text=said_now),), reading.confidence, reading.language)  # "revenue per shop"
    is_doing = step.act in acts() and is_change(step.act)
    if context.missing == "file" and not (is_offered or named or len(found) == 1 or is_doing):
        return of_tables._replace(others=(answered_plan,))
    return answered_plan._replace(others=(of_tables,))


def _cell_chosen(step: Step, said: str, shown: Sequence[str]) -> Step | None:
    """Return a value to be set with the one of several columns or rows that was chosen for it; ``None`` where none was.

    Examples
    --------
    >>> asked = Step("value.set", {"text": ("set the mark of Ann to 20",), "new": ("20",)})
    >>> _cell_chosen(asked, "the second one", ("hw1", "hw2")).word("text"), _cell_chosen(asked, "a.csv", ("a.csv", "b.csv"))
    ('set the mark of Ann to 20 hw2', None)
    """
    if step.act != "value.set" or any(map(ENDED.search, shown)):
        return None
    place = rank(said) or 0
    chosen = shown[place - (place > 0)] if 0 < abs(place) <= len(shown) else pick(said, shown).name
    return step.with_arguments(text=(f"{step.word('text')} {chosen}",)) if chosen else None


def _only_named(reading: Reading, said: str) -> str:
    r"""Return the file that a long answer, or one that refuses all others, names as the one that is meant; else empty.

    Examples
    --------
    >>> refused = Reading((Step("refrain", {}),))
    >>> _only_named(refused, 'just "a b.txt", please leave the others'), _only_named(refused, "don't delete a.txt")
    ('a b.txt', '')
    """
    quoted = [said[start:end] for start, end in quotations(said) if ENDED.search(said[start:end])]
    named = quoted or [word.text for word in words_of(said) if word.kind == "file"]
    is_long = len(said.split()) > SHORT or len(reading.steps) != 1 or reading.steps[0].act in {"refrain", "no", "talk"}
    marks = frozenset[str]().union(*words_of_wishes().concepts(words_of(said)))
    is_only = "only" in concepts_of(said) or "sorry" in marks
    return named[0] if is_long and is_only and len(named) == 1 else ""


def _said_along(step: Step, asked: Step) -> dict[str, tuple[str, ...]]:
    """Return what an answer says beside what was asked for: which file goes, or where it goes, "a.csv to b.csv".

    Examples
    --------
    >>> _said_along(Step("move", {"file": ("a.csv",), "to": ("b.csv",)}), Step("rename", {"file": ("that file",)}))
    {'file': ('a.csv',), 'to': ('b.csv',)}
    """
    if asked.act not in {"rename", "move", "copy"} or set(step.arguments) != {"file", "to"}:
        return {}
    return {role: words for role, words in step.arguments.items() if not ENDED.search(asked.word(role))}


def _is_of(said: str, names: Sequence[str]) -> bool:
    """Tell whether an answer is one of the names that were offered: their words, a place among them, or a pronoun for one.

    Examples
    --------
    >>> [_is_of(said, ("a/tax.txt", "a/rent.txt")) for said in ("the second", "the rent one", "that one", "sales per day")]
    [True, True, True, False]
    """
    is_pointing = is_pointer(said, "it") or is_pointer(said, "other") or begins_with_pointer(said)
    return (
        rank(said) is not None
        or is_pointing
        or (found := pick(said, names, is_file=True)).name != ""
        or bool(found.rivals)
    )


def _begins_anew(step: Step, found: Sequence[Word], said: str, missing: str, act: str) -> bool:
    """Tell whether a text is no answer by how it begins: it asks, refuses, thanks, or is a wish that names its file."""
    told = concepts_of(said)
    asks = is_asking(said) or (said[-1:] in ASK_SIGNS and len(found) > FEW_SAID)
    is_setting = missing == "file" and "should" in told  # "the first 2 should be 3"
    is_other = missing == "file" and says_gone(said, "") and not act.startswith(("delete", "line.delete", "task"))
    if asks or is_setting or is_other or step.act in {"no", "refrain", "undo"} or told & THANKING:
        return True
    is_named = is_change(step.act) and any(map(ENDED.search, step.arguments.get("file", ())))
    is_wish = bool(WISHING & frozenset[str]().union(*lexicon().concepts(found)[:1])) and found[0].kind == "word"
    return missing in {"file", "to"} and is_named and is_wish  # "rename b.txt"


def _says_itself(step: Step, confidence: float, found: Sequence[Word], context: Context) -> bool:
    """Tell whether a text says by itself what is to be done, more than the word that was asked for."""
    asked, missing = (
        {one.act for one in context.asked.steps} if context.asked is not None else set[str](),
        context.missing,
    )
    said = " ".join(word.text for word in found)
    is_other = step.act not in {*FOLLOWS, "unclear", "talk"} and step.act not in asked
    taken = {one.text for words in step.arguments.values() for word in words for one in words_of(word)}
    told = zip(found, lexicon().concepts(found), strict=True)
    telling = [one for one, means in told if means and one.text not in taken and not is_small(one.text)]
    is_delete = any(act.startswith("delete") for act in asked)
    is_whole = step.act in acts() and is_change(step.act) and not lacks(step)  # another wish of the same sort
    marked = sum(len(word) for words in step.arguments.values() for word in words)
    is_only_words = marked >= len(said) / 2 or step.act in {*FOLLOWS, "unclear", "talk"}
    return (
        (is_other and len(telling) > (confidence < HALF))
        or ((is_delete or is_whole) and bool(set(step.arguments) - {missing}))
        or (is_other and set(step.arguments) != {missing} and confidence >= HALF)
        or (not step.arguments.get(missing) and _takes_back(said))
        or (confidence >= SURE and not is_only_words)
    )


def _names_no_act(found: Sequence[Word], language: str) -> bool:
    """Tell whether words name nothing that could be done, and describe something: "the old one", "the one to Ann"."""
    told = [
        frozenset[str]() if age_in(word.text, language) else one
        for word, one in zip(found, lexicon_of(language).concepts(found), strict=True)
    ]
    says_more = any(word.kind != "sign" and not one & THANKING for word, one in zip(found, told, strict=True))
    return says_more and not any(one & WISHING for one in told)


def of_correction(reading: Reading, request: str, context: Context) -> Reading:
    """Return that the look before is wished for at something else, which a request describes: "no sorry, the 2025 one".

    Examples
    --------
    >>> counted = Context(Step("count.lines", {"file": ("prices_2024.txt",)}))
    >>> of_correction(Reading((Step("unclear", {}),)), "no sorry, the 2025 one", counted).steps[0].arguments
    {'file': ('the 2025 one',)}
    """
    row = acts().get(context.last.act) if context.last is not None else None
    step = reading.steps[0] if len(reading.steps) == 1 else Step("", {})
    is_unread = step.act in UNREAD and not step.arguments
    if context.last is None or row is None or row.kind != "look" or context.is_open or not is_unread:
        return reading
    found = words_of(request)
    sorry, told = words_of_wishes(reading.language).concepts(found), lexicon_of(reading.language).concepts(found)
    begin = 0
    while begin < len(found) and (found[begin].kind == "sign" or "sorry" in sorry[begin] or told[begin] & NEGATING):
        begin += 1
    rest = found[begin:]
    is_named = any(not (is_small(word.text) or one) for word, one in zip(rest, told[begin:], strict=True))
    if (
        not 0 < begin <= len(found) - len(rest)
        or not is_named
        or len(rest) > FEW_WORDS
        or request.rstrip()[-1:] in ASK_SIGNS
    ):
        return reading
    if not _names_no_act(rest, reading.language):
        return reading
    said = {} if context.last.act == "query" else {"file": (request[rest[0].start : rest[-1].end].rstrip(" .!"),)}
    return reading._replace(steps=(Step("fix", said, text=request),), confidence=HALF, others=())
