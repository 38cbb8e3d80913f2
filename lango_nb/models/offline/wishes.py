"""What of a request says what is wanted: each item of a list, or one sentence among several that only tell.

From sales.csv I need: 1. the total per shop 2. the dearest item      → two requests, each with what the list is about
We were up all night, it was a sight. How long is the log, please?     → its last sentence
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from lango_nb.models.offline.followups import CLAUSES, WISHING
from lango_nb.models.offline.lexicon import ASK_SIGNS, NEGATING, UNSPACED, Word, concepts_of, lexicon, quotations, words
from lango_nb.models.offline.lists import words_of_wishes
from lango_nb.models.offline.names import asks, is_asking, is_small
from lango_nb.models.offline.plan import Reading, Step, is_change, is_talk
from lango_nb.models.offline.reader import FOLLOWS, reader
from lango_nb.models.offline.steps import without_last

_LINE = re.compile(
    r"^[ \t]*(?:[-*\u2022\u30fb\u2013]|\(?(?:\d{1,2}|[a-zA-Z])[.):]|[\u2460-\u2473])[ \t]*(?=\S)", re.MULTILINE
)
_INLINE = re.compile(r"(?:(?<=\s)|\A)\(?(?P<sign>\d{1,2}|[a-h])[.)]\s+(?=\S)")
_KEEPING = frozenset("append change create delete move prepend put remember remind rename replace save write".split())
"""Concepts of verbs whose object a list may be: what stands in it is a text then, and no wish."""
_MOST = 8
"""Items that are read as wishes; more are something else."""
_LEAST, _SURELY = 0.1, 0.4
"""How sure each item must be of what it wants, and one of them."""


@lru_cache(maxsize=64)
def wishes_in(request: str) -> tuple[str, ...]:
    r"""Return the requests that a list of wishes holds; none where a request is no such list.

    Parameters
    ----------
    request : str

    Returns
    -------
    tuple of str
        In their order, each with what the list is about where it does not say so itself.

    Examples
    --------
    >>> wishes_in("From sales.csv I need:\n1. the sum of amount per shop\n2. the largest amount")
    ('From sales.csv I need the sum of amount per shop', 'From sales.csv I need the largest amount')
    >>> wishes_in("Two things: (a) count the lines of a.txt, (b) show me b.txt")
    ('count the lines of a.txt', 'show me b.txt')
    >>> wishes_in("put tea on a.txt, and after that show me b.md")
    ('put tea on a.txt', 'show me b.md')
    >>> wishes_in("add to shopping.txt:\n- milk\n- bread"), wishes_in("what is in a.txt?")
    ((), ())
    """
    head, items = _parted(request)
    if not items:
        head, items = "", _told_apart(request)
    if not 1 < len(items) <= _MOST or concepts_of(head) & _KEEPING:
        return ()
    is_about = _names_file(head)
    said = tuple(item if _names_file(item) or not is_about else f"{head} {item}" for item in items)
    read = [reader().read(one) for one in said]
    acts = [step.act for one in read for step in one.steps]
    are_sure = all(one.confidence >= _LEAST for one in read) and any(one.confidence >= _SURELY for one in read)
    are_wishes = are_sure and not any(act in FOLLOWS or act == "unclear" or is_talk(act) for act in acts)
    if not are_wishes or (not head and not all(map(_names_file, said))):
        return ()
    return () if is_about and all(map(is_change, acts)) else said


def _told_apart(request: str) -> Sequence[str]:
    """Return both parts of a request that says what is to be done then, each with a file of its own; none where it was read so."""
    found = words(request)
    told = lexicon().concepts(found)
    at = [at for at, one in enumerate(told) if at > 1 and "then" in one and not found[at].is_quoted]
    if not at or at[-1] - at[0] >= len(at) or at[-1] + 1 >= len(found):
        return ()
    end = at[0]
    while end and (found[end - 1].kind == "sign" or "and" in told[end - 1]):
        end -= 1
    parts = request[: found[end - 1].end], request[found[at[-1] + 1].start :].rstrip(" .")
    is_joined = end < at[0] or len(at) > 1
    if not is_joined or not all(map(_names_file, parts)):
        return ()
    return () if len({step.act for step in reader().read(request).steps}) > 1 else parts


@lru_cache(maxsize=64)
def questions_in(request: str) -> tuple[str, ...]:
    """Return both questions of a request that asks two things; none where it asks one.

    Examples
    --------
    >>> questions_in("how many members are there and which of them have not paid?")
    ('how many members are there', 'which of them have not paid?')
    >>> questions_in("who paid most and when?"), questions_in("what is in a.txt and b.txt?"), questions_in("ls")
    ((), (), ())
    """
    found = words(request)
    if "\n" in request.strip() or len(found) > _MOST_ASKED or any(word.is_quoted or word.text == ":" for word in found):
        return ()
    told = lexicon().concepts(found)
    for at in range(1, len(found) - 1):
        is_east = found[at + 1].kind in UNSPACED
        is_joint = ("and" in told[at] and found[at].text.isascii()) or (is_east and found[at].kind == "sign")  # no "é"
        begin = at + 1
        is_asked = bool(told[begin] & _INTERROGATIVE) or (is_east and asks(request[found[begin].start :]))
        head, rest = request[: found[at - 1].end], request[found[begin].start :]
        least = _LEAST_CHARACTERS if is_east else _LEAST_ASKED
        is_long = sum(word.kind != "sign" for word in found[begin:]) >= least and at >= _LEAST_ASKED
        if is_joint and is_asked and is_long and any(one & _INTERROGATIVE for one in told[: min(at, _BEGINNING)]):
            is_compared = _names_file(head) and _names_file(rest) and bool(NEGATING & concepts_of(rest))
            return () if is_compared else (head, rest)  # "what is in a.txt, and what is not in b.txt?" is one
    return ()


_INTERROGATIVE = frozenset(("what", "who", "which", "many", "when", "where"))
_BEGINNING = 5
"""Words of a request among which its first question begins."""
_LEAST_ASKED, _LEAST_CHARACTERS, _MOST_ASKED = 3, 10, 40
"""Words, or characters, of a question beside another, at least, and words of both."""


def _names_file(text: str) -> bool:
    return any(word.kind in {"file", "folder"} for word in words(text))


def _parted(text: str) -> tuple[str, Sequence[str]]:
    """Return what stands before a list, and its items; a last line that is no item is one more."""
    marks: Sequence[re.Match[str]] = list(_LINE.finditer(text)) if "\n" in text.strip() else []
    if len(marks) < 2:  # noqa: PLR2004 - no list
        marks = _counted(list(_INLINE.finditer(text)))
    if len(marks) < 2:  # noqa: PLR2004 - the same
        return text, ()
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    items = [text[mark.end() : end] for mark, end in zip(marks, ends, strict=True)]
    *items, last = items
    lines = [" ".join(line.split()) for line in last.strip().splitlines() if line.strip()]
    whole = [" ".join(item.split()).rstrip(" ,;") for item in items]
    whole += lines if "\n" in text else [" ".join(lines)]
    whole = [re.sub(r"\s(?:and|und|et|y|e|en|i)$", "", item).rstrip(" ,;.") for item in whole]
    return text[: marks[0].start()].strip().rstrip(":\uff1a-\u2013 ").rstrip(), [item for item in whole if item]


def _counted(marks: Sequence[re.Match[str]]) -> Sequence[re.Match[str]]:
    """Return marks that count up from the first: "(a) … (b) …", "1. … 2. …"; none where they do not."""
    signs = [mark["sign"] for mark in marks]
    are_letters = signs[:1] == ["a"] and signs == [chr(ord("a") + at) for at in range(len(signs))]
    return marks if are_letters or (signs[:1] == ["1"] and signs == [str(at + 1) for at in range(len(signs))]) else ()


# -- the sentence that asks ------------------------------------------------------------------------------------------


class Wish(NamedTuple):
    """The sentence of a request that says what is wanted."""

    text: str
    reading: Reading


_COURTEOUS, _SHORT = 0.8, 5
"""How sure a sentence must be of being small talk, and its most words, to be left out at the beginning."""
_UNSURE, _CLEAR, _CLEARER, _SURE = 0.6, 0.5, 0.15, 0.7
"""How unsure a request must be for one of its sentences to speak for it, and how sure that one, by itself, more than
all, and where it changes something."""


def wish_among(request: str, reading: Reading, before: str | None = None) -> Wish | None:
    """Return the sentence among several that says what is wanted, where the others only tell; ``None`` where none does.

    Examples
    --------
    >>> said = "We were up all night and it was a sight. How many lines are in the kiln log, please?"
    >>> wish_among(said, Reading((Step("talk", {}),), 0.3)).text
    'How many lines are in the kiln log, please?'
    """
    parts = _sentences(request)
    while len(parts) > 1 and len(words(parts[0])) <= _SHORT and _is_courtesy(reader().read(parts[0], before)):
        parts = parts[1:]
    rest = request[request.index(parts[0]) :] if parts else request
    behind = reading if rest == request else reader().read(rest, before)
    is_chat = any(is_talk(step.act) or step.act == "unclear" for step in behind.steps)
    is_doubtful = _is_courtesy(reading) and behind.confidence < _UNSURE
    is_question = asks(rest) and is_doubtful and len(words(rest)) > 2 * _SHORT
    found = Wish(rest, behind) if rest != request and (is_question or not is_chat) else None
    reading = behind if found is not None else reading
    if len(parts) == 1 and reading.confidence < _CLEAR and (last := _told_at_last(rest)):
        return Wish(last, reader().read(last, before))
    if len(parts) == 1 and reading.steps and (begun := _begun(rest, reading, before)) is not None:
        return begun
    if len(parts) == 1 or not reading.steps or (reading.confidence >= _UNSURE and not is_talk(reading.steps[0].act)):
        return found
    read = [reader().read(part, before) for part in parts]
    able = [one for one in read if one.steps and not any(_says_nothing(step) for step in one.steps)]
    best = max(able, key=lambda one: one.confidence, default=None)
    is_changing = best is not None and any(is_change(step.act) or step.destination for step in best.steps)
    if best is None or best.confidence < max(_SURE if is_changing else _CLEAR, reading.confidence + _CLEARER):
        return found
    sentence = parts[read.index(best)]
    rivals = [one for one in able if one is not best and one.confidence >= _CLEAR]
    is_losing = any(step.act.startswith(("delete", "line.delete", "replace", "undo")) for step in best.steps)
    named = {word.text for word in words(rest) if word.kind == "file" or word.is_quoted}
    is_all = named <= {word.text for word in words(sentence) if word.kind == "file" or word.is_quoted}
    is_beside = best.steps[0].act == "read" and len(able) > 1  # "see visitors.csv" only says where to look
    return found if rivals or is_losing or is_beside or not is_all else Wish(sentence, best)


def courteous(request: str, reading: Reading, before: str | None = None) -> Wish | None:
    """Return the wish among courtesy: the one sentence that names something, without what it is asked with; else ``None``.

    Examples
    --------
    >>> said = "Good morning, would you be so kind and count the lines of a.txt? My friend would like that. Thanks!"
    >>> courteous(said, Reading((Step("talk", {}),), 0.8)).text
    'count the lines of a.txt'
    >>> courteous("count the lines of a.txt. And of b.txt.", Reading((Step("talk", {}),), 0.8))
    """
    parts = _sentences(request)
    named = [part for part in parts if any(map(_is_named, words(part)))]
    idle = [part for part in parts if part not in named]
    if (
        len(named) != 1
        or "\n" in request.strip()
        or not all(_is_idle(reader().read(part, before), part) for part in idle)
    ):
        return None
    (sentence,) = named
    if any(step.act.startswith("about.") for step in reading.steps):
        return None  # "which agent would fix a.py?"
    if any(sign in sentence.rstrip(" :\uff1a") for sign in ":\uff1a"):
        return None  # what stands behind a colon may be a text
    options = [sentence, *_behind_courtesy(sentence)]
    if not idle and len(options) == 1:
        return None
    read = [Wish(one, reader().read(one, before)) for one in options]
    able = [one for one in read if not any(_says_nothing(step) for step in one.reading.steps) and one.reading.steps]
    bare = [one for one in able if _is_begun(one.text)]
    best = max(bare or able, key=lambda one: one.reading.confidence, default=None)
    is_vague = not reading.steps or any(is_talk(step.act) or step.act == "unclear" for step in reading.steps)
    least = _LEAST_WISH if is_vague or idle else max(_LEAST_WISH, reading.confidence + _CLEARER)
    is_losing = best is not None and any(step.act.startswith(_LOSING) for step in best.reading.steps)
    if is_losing and "please" not in concepts_of(request):
        return None  # "can I delete a.txt safely?"
    return best if best is not None and best.reading.confidence >= least else None


_LOSING = ("delete", "line.delete", "undo")
"""How acts begin after which something is gone."""
_LEAST_WISH = 0.4
"""How sure the sentence must be that names something, where the others are only courteous."""


def _is_named(word: Word) -> bool:
    return word.kind in {"file", "folder", "number"} or word.is_quoted


def _is_idle(reading: Reading, text: str) -> bool:
    """Tell whether a sentence that names nothing wishes for nothing: it greets, thanks, or only tells."""
    told = lexicon().concepts(words(text)[:2])
    is_begun = any(one & (WISHING - {"please", "can", "yes"}) for one in told)
    is_begun = is_begun or is_asking(text) or text.rstrip()[-1:] in ASK_SIGNS
    is_nothing = all(step.act in {"talk", "unclear", "yes"} for step in reading.steps)
    return (is_nothing and not is_begun) or _is_courtesy(reading) or (not is_begun and reading.confidence < _CLEAR)


def _behind_courtesy(sentence: str) -> list[str]:
    """Return what stands behind words with which somebody asks politely, before anything is named: from each of them on.

    Examples
    --------
    >>> _behind_courtesy("would you be so kind and delete a.txt?"), _behind_courtesy("show me a.txt, would you")
    (['delete a.txt'], [])
    """
    found = without_last(words(sentence), "manners")
    told, marks = lexicon().concepts(found), words_of_wishes().concepts(found)
    first = next((at for at, word in enumerate(found) if _is_named(word)), len(found))
    is_with = [bool(told[at] & _ASKED_WITH or marks[at] & _COURTESY) for at in range(first)]
    starts = [at + 1 for at in range(first) if is_with[at] and not any(is_with[at + 1 : at + 2])]
    for at in tuple(starts):
        begin = at
        while begin < first and (found[begin].kind == "sign" or "and" in told[begin] or is_small(found[begin].text)):
            begin += 1
            starts.append(begin)
    behind = [sentence[found[at].start : found[-1].end] for at in dict.fromkeys(starts) if at < len(found)]
    return [
        one if asks(one.rstrip(" ?\uff1f")) else one.rstrip(" ?\uff1f") for one in behind
    ]  # "could you delete it?" asks nothing


def _is_begun(text: str) -> bool:
    """Tell whether a text begins with what is wished for, or asked."""
    told = frozenset[str]().union(*lexicon().concepts(words(text)[:1]))
    return bool(told & (WISHING - {"please", "can", "yes"}) or told & _INTERROGATIVE)


_COURTESY = frozenset(("courtesy", "preamble", "manners"))
"""What words say with which somebody asks politely."""
_ASKED_WITH = frozenset(("please", "greeting"))
"""Concepts of words with which somebody asks politely."""


def _told_at_last(request: str) -> str:
    """Return the question behind much that is told, from where it says "tell me" on; empty where it does not.

    Examples
    --------
    >>> said = "we had that talk last week and I said it was Bo, could you look at the list and tell me how many hours Bo works"
    >>> _told_at_last(said), _told_at_last("tell me how many hours Bo works")
    ('how many hours Bo works', '')
    """
    found = words(request)
    told, marks = lexicon().concepts(found), words_of_wishes().concepts(found)
    if len(found) < _MOST_SAID or any(word.is_quoted or word.kind == "file" for word in found):
        return ""
    for at in range(len(found) - 2, len(found) // 3, -1):
        begin = at + 1 + ("i" in told[at + 1])
        is_tell = bool(marks[at] & {"tell", "preamble"}) and begin < len(found) and bool(told[begin] & _INTERROGATIVE)
        if is_tell:
            return request[found[begin].start :]
    return ""


_MOST_SAID = 20
"""Words of a request from which it may tell much before it asks."""


def _begun(request: str, reading: Reading, before: str | None) -> Wish | None:
    """Return the first clause of a request where that is a change by itself and nothing is wished behind it.

    Examples
    --------
    >>> said = "rename a.txt to b.txt, it may stay in the same folder if you ask me"
    >>> _begun(said, Reading((Step("move", {}),), 0.2), None).text
    'rename a.txt to b.txt'
    """
    first, *rest = CLAUSES.split(request)
    if not rest or reading.confidence >= _CLEAR or len(words(request)) < _LONG or any(map(_names_file, rest)):
        return None
    if any(word.is_quoted or word.kind in {"number", "time"} for word in words(request)):
        return None
    told = [one for clause in rest for one in lexicon().concepts(words(clause))]
    read = reader().read(first, before)
    is_begun = len(read.steps) == 1 and is_change(read.steps[0].act) and read.steps[0].act not in FOLLOWS
    is_wished = any(one & (WISHING - {"yes"}) for one in told) or any(map(asks, rest))
    step = read.steps[0] if is_begun else Step("unclear", {})
    is_said = step.act in _SAID and step.act in concepts_of(first) and all(map(step.word, ("file", "to")))
    if is_said and read.confidence > reading.confidence:
        read = read._replace(confidence=max(_SURE, read.confidence))
    is_sure = read.confidence >= max(_SURE, reading.confidence + _CLEARER)
    is_cut = bool(step.word("text")) and first.rstrip().endswith(step.word("text"))  # a list goes on behind a comma
    return Wish(first, read) if is_begun and is_sure and not (is_wished or is_cut) and _names_file(first) else None


_SAID = frozenset(("rename", "copy"))
"""Acts that are sure enough where a word says them, and what and where to is said as well."""
_LONG = 8
"""Words of a request that may tell more than it wants."""


def _is_courtesy(reading: Reading) -> bool:
    return [step.act for step in reading.steps] == ["talk"] and reading.confidence >= _COURTEOUS


def _says_nothing(step: Step) -> bool:
    """Tell whether a step is none that somebody tells of so much for: talk, or what could not be read."""
    is_vague = step.act in {"read", "list", "unclear"} and not any(word.kind == "file" for word in words(step.text))
    return is_vague or is_talk(step.act) or step.act in FOLLOWS or step.act in {"remember", "reflect_create"}


def _sentences(request: str) -> list[str]:
    """Return the sentences of a request of one paragraph; what stands before a colon counts as one where it names nothing."""
    if "\n" in request.strip():
        return [request]
    inside = quotations(request)
    found: list[str] = []
    begin = 0
    for mark in _ENDS_SENTENCE.finditer(request):
        is_inside = any(start <= mark.start() < end for start, end in inside)
        head = request[begin : mark.start()]
        is_colon = mark.group().lstrip()[:1] in {":", "\uff1a"}
        is_told = is_colon and (bool(found) or asks(head) or len(words(head)) <= _SHORT or _names_file(head))
        if not is_inside and not is_told:
            found.append(request[begin : mark.end()].strip())
            begin = mark.end()
    return [*found, request[begin:].strip()] if request[begin:].strip() else found


_ENDS_SENTENCE = re.compile(
    r"(?<!\b\w)(?<!\bMr)(?<!\bMrs)(?<!\bDr)(?<!\bSr)(?<!\.)[.!?](?=\s+[^\s(])|[\u3002\uff01\uff1f]|[:\uff1a](?=\s)"
)
