"""A request in its conversation: read, with what was said before, into whole steps.

    request, answer, request, answer, …, request
       └─ read ──┴─ what it was about, what was shown, changed, asked ─ the next request is read with it

A model is given messages and nothing else, and so are all that work on a turn: they come to the same. Requests are read
again, answers are our own sentences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from lango_nb.models.offline.answered import after
from lango_nb.models.offline.answering import (
    THANKING,
    UNREAD,
    answered_with,
    is_undo,
    of_correction,
    of_memory,
    undo_told,
)
from lango_nb.models.offline.corrections import correction
from lango_nb.models.offline.followups import (
    CLAUSES,
    WISHING,
    behind_no,
    command_again,
    is_work,
    lacks,
    last_of,
    later,
    says_more,
)
from lango_nb.models.offline.hints import Exchange
from lango_nb.models.offline.itself import asked_of_itself
from lango_nb.models.offline.lexicon import (
    ASK_SIGNS,
    REFUSING,
    concepts_of,
    lexicon,
    lexicon_of,
    likelier_language,
    without_slip,
    without_swap,
)
from lango_nb.models.offline.lexicon import words as words_of
from lango_nb.models.offline.lists import FEW_WORDS, of_list, of_spoken_list, of_tidying, words_of_wishes
from lango_nb.models.offline.meant import meant_instead, or_else
from lango_nb.models.offline.names import asks, back_in, is_asking, is_pointer, is_small
from lango_nb.models.offline.own_tools import NO_TOOLS, OwnTools, of_own_tools
from lango_nb.models.offline.plan import Context, Reading, Step, is_talk
from lango_nb.models.offline.question import said_of_tables
from lango_nb.models.offline.reader import FOLLOWS, as_act, as_line, as_pipe, reader
from lango_nb.models.offline.refining import (
    as_one,
    beside_work,
    of_cell,
    of_files,
    of_known_kinds,
    of_no_change,
    of_owed,
    of_the_file,
    rejoined,
    said_rather,
    taking_back,
    to_named_file,
    wholly_said,
    with_nouns,
    without_refused,
    written_alike,
)
from lango_nb.models.offline.request import ASKED_OF, length
from lango_nb.models.offline.steps import (
    COLONS,
    FEW_SAID,
    with_agreeing,
    with_others_filled,
    with_whole_steps,
    without_last,
)
from lango_nb.models.offline.wishes import courteous, questions_in, wish_among, wishes_in

MOST_TURNS = 8
"""Exchanges that are looked back on."""
_CHATTING = THANKING | {"you", "joke", "weather"}
_LEAST_KEPT = 3
"""Words that are left of a request without its politeness: what says little else is an answer."""
_SETTING = frozenset(("json.set", "value.set", "replace", "line.replace", "json.get", "cell", "query", "same"))
"""Acts that are read where a value is to be what it was: "set it back to what it was", "and now back to the old value"."""
_OF_AGENTS = frozenset(("agent", "tool"))
_OF_SYSTEMS = frozenset(("file", "folder", "command", "script", "web", "browser"))
"""Concepts of what agents work with: who can do something with it is no question of what stands in a file."""
_SIMILAR = {"line.tick": "task.done", "line.untick": "task.done"}
"""Acts that nobody labelled requests after, and acts that requests go on from in the same way."""


class Understood(NamedTuple):
    """A request with what was said before it."""

    reading: Reading
    """Follow-ups and corrections are whole steps in it."""
    context: Context


def understand(before: Sequence[Exchange], request: str, own: OwnTools = NO_TOOLS) -> Understood:
    """Read a request in its conversation.

    Parameters
    ----------
    before : sequence of Exchange
        Oldest first.
    request : str
    own : OwnTools
        Tools that may be meant of which the reader knows nothing.

    Returns
    -------
    Understood
    """
    return _understood(tuple(before[-MOST_TURNS:]), request, own)


@lru_cache(maxsize=128)
def _understood(before: tuple[Exchange, ...], request: str, own: OwnTools) -> Understood:
    context, language = _told_before(before, request, own)
    return Understood(resolved(request, context, language, own), context)


def _told_before(before: tuple[Exchange, ...], request: str, own: OwnTools) -> tuple[Context, str]:
    """Return what was said before a request: who only says it again does not say what was missing."""
    context, language = _told(before, own)
    is_again = bool(context.missing) and before[-1].request == request
    return _told(before[:-1], own) if is_again else (context, language)


@lru_cache(maxsize=128)
def _told(before: tuple[Exchange, ...], own: OwnTools) -> tuple[Context, str]:
    """Return what was said, and in which language: a turn that follows reads its last exchange alone."""
    if not before:
        return Context(), ""
    context, language = _told_before(before[:-1], before[-1].request, own)
    reading = resolved(before[-1].request, context, language, own)
    return after(context, reading, before[-1].answer), reading.language


def resolved(request: str, context: Context, language: str = "", own: OwnTools = NO_TOOLS) -> Reading:
    """Read a request: what answers a question, follows up or corrects becomes whole steps.

    A few words are taken to be in the language that was spoken before.
    """
    request = without_hint(without_preamble(without_manners(without_thanks(request))))
    if context.is_open and (anew := _behind_refusal(request, context)):
        request, context = anew, context._replace(asked=None, missing="", is_open=False)
    last = last_of(context)
    if (shell := as_act(request) or as_pipe(request)) is not None:
        return Reading((shell,), 1.0, language or "en")
    if (shell := _told_to_run(request)) is not None:
        return Reading((shell,), 1.0, reader().read(request).language)
    if line := as_line(request):  # what is to be run is run, and not done in another way
        is_it = is_pointer(line, "it") and bool(context.file)  # "to go odpal"
        run = Step("run.file", {"file": (context.file,)}) if is_it else Step("run", {"command": (line,)})
        return Reading((run._replace(text=request),), 1.0, language or reader().read(request).language)
    if not context.asked and (each := wishes_in(request) or questions_in(request)):
        apart = _of_wishes(each, context, language, own)
        return as_one(apart, request) if {step.act for step in apart.steps} == {"read"} else apart  # who, and no file
    if asked_of_itself(request):
        spoken = reader().read(request).language
        return Reading(
            (Step("about.you", {}, text=request),), 1.0, likelier_language(request, language or spoken, spoken)
        )
    if (wish := _asked_of_agents(request)) is not None:
        step = Step("about.owner", {"text": (wish,)}, text=request)
        return Reading((step,), 1.0, likelier_language(request, language or "en", reader().read(request).language))
    before = None if last is None else _SIMILAR.get(last.act, last.act)
    reading = reader().read(request, before)
    if own and (meant := of_own_tools(own, reading, request, context)) is not None:
        return meant
    spelt = without_swap(without_slip(request, reading.language, WISHING), reading.language)
    if spelt != request:
        reading, request = reader().read(spelt, before), spelt
    wish = without_greeting(request)
    if wish != request and [step.act for step in reading.steps] == ["talk"]:
        behind = reader().read(wish, before)
        told = frozenset[str]().union(*lexicon_of(behind.language).concepts(words_of(wish)))
        if not any(is_talk(step.act) for step in behind.steps) or (asks(wish) and not told & _CHATTING):
            reading, request = behind, wish
    if (sentence := courteous(request, reading, before) or wish_among(request, reading, before)) is not None:
        reading, request = sentence.reading, sentence.text
    if language and reading.language != language:
        reading = reading._replace(language=likelier_language(request, language, reading.language))
    return settled(reading, request, context)


def _behind_refusal(request: str, context: Context) -> str:
    """Return the wish behind a clause that only refuses what was asked; empty where that is all, or what is corrected.

    Examples
    --------
    >>> asked = Context(asked=Reading((Step("delete", {}),)), missing="file", is_open=True)
    >>> _behind_refusal("forget it, list the letters", asked), _behind_refusal("no, the second one", asked)
    ('list the letters', '')
    >>> _behind_refusal("vergiss es, zeig mir die Einkaufsliste", asked), _behind_refusal("no, thanks", asked)
    ('zeig mir die Einkaufsliste', '')
    """
    first, *rest = CLAUSES.split(request.strip(), maxsplit=1)
    wish = rest[0].strip() if rest else ""
    found = words_of(first)
    told = lexicon().concepts(found)
    is_no = bool(told) and any(one & REFUSING for one in told) and len(found) <= FEW_SAID
    is_no = is_no and all(
        one & (REFUSING | {"it", "greeting"}) or is_small(word.text) for word, one in zip(found, told, strict=True)
    )
    if not is_no or length(wish) < 2:  # noqa: PLR2004 - a word may be the answer
        return ""
    steps = reader().read(wish).steps
    asked = {step.act for step in context.asked.steps} if context.asked is not None else frozenset[str]()
    is_begun = bool(WISHING & frozenset[str]().union(*lexicon().concepts(words_of(wish))[:1])) or asks(wish)
    return wish if is_begun and all(is_work(step) and step.act not in asked for step in steps) else ""


def _of_wishes(each: Sequence[str], context: Context, language: str, own: OwnTools) -> Reading:
    """Read the wishes of a list, each by itself."""
    found: list[Reading] = []
    for wish in each:
        found.append(resolved(wish, context, language, own))
        language = found[-1].language
    steps = tuple(step for one in found for step in one.steps)
    sure = tuple(one.confidence for one in found for _ in one.steps)
    return Reading(steps, min(sure), found[0].language, each=sure, are_apart=True)


def _asked_of_agents(request: str) -> str | None:
    """Return the wish of which a question only wants to know who would get it, or with which tool it would be done.

    Examples
    --------
    >>> _asked_of_agents("which tool would copy a.txt?"), _asked_of_agents("who can run commands?"), _asked_of_agents("who would get: a wish")
    ('copy a.txt', 'run commands', 'a wish')
    >>> _asked_of_agents("who can drive on Friday?"), _asked_of_agents("which tool is in the shed?"), _asked_of_agents("who are you?")
    (None, None, None)
    """
    head, colon, rest = request.partition(":")
    found = [word for word in words_of(request) if not word.is_quoted]
    told = lexicon().concepts(found)
    if colon and rest.strip() and len(words_of(head)) <= FEW_SAID and "who" in concepts_of(head):
        return rest.strip()
    named = next((at for at in range(1, min(FEW_SAID, len(found))) if told[at] & _OF_AGENTS), 0)
    is_named = bool(named) and bool(told[0] & ASKED_OF) and found[named].kind == "word"
    if not (is_named or "who" in frozenset[str]().union(*told[:1])):
        return None
    behind = (named or 0) + 1
    would = words_of_wishes().concepts(found)
    is_would = behind < len(found) and "would" in would[behind]
    wish = found[behind + is_would :]
    told_of_it = frozenset[str]().union(*told[behind + is_would :])
    is_wish = bool(wish) and (bool(told[behind] & WISHING) if is_named and not is_would else is_would)
    is_of_files = any(word.kind in {"file", "folder"} for word in wish) or bool(told_of_it & _OF_SYSTEMS)
    if not is_wish or "you" in told_of_it or not (told_of_it & WISHING and is_of_files):
        return None
    return request[wish[0].start :].rstrip(" ?!.\uff1f")


def _told_to_run(request: str) -> Step | None:
    """Return that a shell line in quotation marks is to be run, where nothing else is said of it: "führ mal 'ls -l' aus".

    Examples
    --------
    >>> _told_to_run("führ mal 'wc -l a.txt' aus").word("command"), _told_to_run("write 'wc -l a.txt' to b.txt")
    ('wc -l a.txt', None)
    """
    found = words_of(request)
    quoted = [word for word in found if word.is_quoted]
    rest = [word for word in found if not word.is_quoted]
    if not quoted or not 0 < len(rest) <= FEW_WORDS:
        return None
    line = request[quoted[0].start : quoted[-1].end]
    verb = f"{rest[0].text} {rest[-1].text}"  # "führ … aus"
    is_run = "run" in frozenset[str]().union(*lexicon().concepts(rest)) | concepts_of(verb)
    is_line = " " in line and (as_act(line) or as_pipe(line)) is not None
    return Step("run", {"command": (line,)}, text=request) if is_run and is_line and not asks(request) else None


def settled(reading: Reading, request: str, context: Context) -> Reading:
    """Make whole steps of a reading that answers a question, follows up or corrects."""
    first = reading.steps[0].act if reading.steps else "unclear"
    if first in FOLLOWS and (again := command_again(request, last_of(context))) is not None:
        return Reading((again,), 1.0, reading.language)
    is_kept = first in UNREAD and bool({"kept", "ever"} & set(back_in(request).values())) and not context.missing
    if context.is_open and (first == "undo" or is_kept):
        return reading._replace(steps=(Step("no", {}, text=request),), others=())
    is_question = request.rstrip()[-1:] in ASK_SIGNS
    is_asked = is_asking(request)
    is_no_wish = is_asked or (is_question and not concepts_of(request) & WISHING)
    is_told = says_more(request) and not any(step.arguments for step in reading.steps)
    is_undone = first == "undo" and (is_question or (is_asked and is_told))
    is_how = asks(request) or "lasts" in said_of_tables(request, reading.language)
    is_noted = first in {"task.add", "append"} and is_told and is_how  # "and by when do we have to answer?"
    if (is_no_wish and (first == "refrain" or is_undone)) or is_noted:
        first = "unclear"  # "who eats no nuts?", "which books are not back?"
        reading = reading._replace(steps=(Step(first, {}, text=request),), others=())
    may_undo = any(one.steps[0].act == "undo" for one in reading.others) and context.changed is not None
    is_back = may_undo and len(reading.steps) == 1 and lacks(reading.steps[0]) and bool(back_in(request))
    if (first in UNREAD or first in _SETTING or first == "yes") and (
        is_undo(request, context) or (is_back and not context.is_open)
    ):
        reading = Reading((Step("undo", {}, text=request),), 1.0, reading.language)
    reading = as_one(taking_back(reading, context), request)
    reading = behind_no(
        beside_work(said_rather(without_refused(with_nouns(of_known_kinds(reading)), request), request)),
        context,
    )
    if (whole := answered_with(reading, request, context, first)) is not None:
        return whole
    reading = of_correction(reading, request, context)
    reading = wholly_said(
        written_alike(of_files(to_named_file(rejoined(reading, request), request), request), request), request
    )
    if (corrected := correction(reading, request, context) or of_tidying(reading, request, context)) is not None:
        return corrected
    reading = undo_told(reading, request, context)
    reading = of_list(of_spoken_list(with_agreeing(reading), request, context), request, context)
    if (meant := meant_instead(reading, request, context)) is not None:
        files = meant.arguments.get("file", ()) if meant.act == "count.lines" else ()
        each = tuple(meant.with_arguments(file=(file,)) for file in files)
        others = or_else(meant, reading, request, context)
        return reading._replace(steps=each or (meant,), confidence=1.0, others=others, each=())
    reading = of_owed(of_no_change(reading, request, context), request)
    reading = of_cell(reading, request, context) or reading
    if reading.steps and reading.steps[0].act == "value.set":
        return with_others_filled(reading)
    reading = of_the_file(reading, request, context)
    if context.known and (recalled := of_memory(reading, request, context)) is not None:
        return recalled
    is_of_asked = context.asked is not None and not context.missing and first in {*FOLLOWS, "no"}
    reading = later(reading, context)
    if context.asked is not None and is_of_asked:  # what was not sure enough to be done is not surer for a word more
        reading = reading._replace(confidence=min(reading.confidence, context.asked.confidence))
    whole = with_whole_steps(reading, request, context)
    return whole if is_of_asked else with_agreeing(whole)


_OF_TEXT = frozenset(("write", "append", "prepend", "save", "remember"))
"""Concepts of wishes in which thanks may be part of what is written."""


def without_thanks(request: str) -> str:
    """Leave out a last sentence that only thanks.

    Examples
    --------
    >>> without_thanks("replace tea by juice in a.txt. Thank you very much!"), without_thanks("show a.txt! Vielen Dank")
    ('replace tea by juice in a.txt', 'show a.txt')
    >>> without_thanks("write to a.txt: it was fun. Thank you all!"), without_thanks("ok. thanks a lot")
    ('write to a.txt: it was fun. Thank you all!', 'ok. thanks a lot')
    """
    *rest, last = _SENTENCE_ENDS.split(request.strip().rstrip(" .!\u3002\uff01"))
    head = request[: request.rindex(last)].rstrip(" .!\u3002\uff01") if rest else ""
    found, told = words_of(head), concepts_of(last)
    is_thanks = "thanks" in told and not told & (WISHING - {"many"}) and length(last) <= FEW_WORDS
    is_text = any(word.is_quoted or word.text in COLONS for word in found) or bool(concepts_of(head) & _OF_TEXT)
    return head if is_thanks and len(found) > 1 and not (is_text or "\n" in request.strip()) else request


_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])")


def without_manners(request: str) -> str:
    """Leave out words of politeness at the end of a request of one line: they are no part of what is written.

    Examples
    --------
    >>> without_manners("en todo.txt cambia Hendrix por Müller porfa"), without_manners("yes please")
    ('en todo.txt cambia Hendrix por Müller', 'yes please')
    >>> without_manners("voeg toe aan a.txt: bel Anna, aub!"), without_manners('write "two teas please" to a.txt')
    ('voeg toe aan a.txt: bel Anna', 'write "two teas please" to a.txt')
    """
    found = words_of(request)
    kept = without_last(found, "manners")
    if "\n" in request.strip() or len(kept) == len(found) or len(kept) < _LEAST_KEPT:
        return request
    return (
        request[: kept[-1].end].rstrip() if not kept[-1].is_quoted else request[: found[len(kept)].start].rstrip(" ,")
    )


def without_preamble(request: str) -> str:
    """Leave out what is said before a wish: greetings, and "could you please tell me".

    Examples
    --------
    >>> without_preamble("hi, sorry to bother you, could you tell me how many members live here?")
    'how many members live here?'
    >>> without_preamble("excuse me"), without_preamble("tell me a joke")
    ('excuse me', 'tell me a joke')
    """
    found = words_of(request.partition("\n")[0])
    told, marks = lexicon().concepts(found), words_of_wishes().concepts(found)
    end = 0
    while end < len(found) and (found[end].kind == "sign" or "greeting" in told[end] or "preamble" in marks[end]):
        end += 1
    is_led = any("preamble" in one for one in marks[:end]) and not any(word.is_quoted for word in found[:end])
    rest = request[found[end].start :] if is_led and len(found) - end > _LEAST_KEPT else ""
    return rest if rest and (asks(rest) or bool(WISHING & told[end])) else request


_HINTED = re.compile(r"(?P<question>[^?\uff1f]{8,}[?\uff1f])\s*(?P<hint>[^?\uff1f:]{3,80})")
"""A question, and a sentence behind it."""


def without_hint(request: str) -> str:
    """Leave out a sentence behind a question that names no file and only says where the answer may stand.

    Examples
    --------
    >>> without_hint("how much do we get for the heating? I think it is in one of the letters")
    'how much do we get for the heating?'
    >>> without_hint("what's in the notes? show me the first line"), without_hint("when do we open? see a.txt")
    ("what's in the notes? show me the first line", 'when do we open? see a.txt')
    """
    found = _HINTED.fullmatch(request.strip())
    if found is None or any(word.is_quoted or word.kind in {"file", "number"} for word in words_of(found["hint"])):
        return request
    is_hint = any("hint" in one for one in words_of_wishes().concepts(words_of(found["hint"])))
    return found["question"] if is_hint else request


def without_greeting(request: str) -> str:
    """Leave out a greeting that a request begins with: it says nothing of what is wanted.

    Examples
    --------
    >>> without_greeting("Bom dia, quem vendeu mais?"), without_greeting("hello there!"), without_greeting("Hi! ls")
    ('quem vendeu mais?', 'hello there!', 'ls')
    """
    found = words_of(request.partition("\n")[0])
    told = lexicon().concepts(found)
    sign = next((at for at, word in enumerate(found[: FEW_WORDS + 1]) if word.kind == "sign"), 0)
    is_greeting = sign and all("greeting" in one for one in told[:sign]) and not found[0].is_quoted
    rest = request[found[sign].end :].lstrip(" ,!.\u3001\u3002\uff0c\uff01") if is_greeting else ""
    return rest or request
