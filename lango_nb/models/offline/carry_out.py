"""A reading is carried out: calls, what they gave, and an answer, replayed from the messages at every step of a turn.

    settle the words → is it sure enough? → look or change (looking.py, changing.py), or a tool by its schema → destination → answer
                          no: the plan is shown and asked

Whoever drives it (:func:`next_reply`) gives it the results there are; the first call without one is the reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Generator, Mapping, Sequence
from itertools import accumulate, zip_longest
from typing import Any

from lango_nb.core.masking import mask
from lango_nb.core.messages import Reply, ToolSchema
from lango_nb.models.offline import answers
from lango_nb.models.offline.advice import NO_ADVICE, Advice
from lango_nb.models.offline.answers import quoted, said_of, shorten_text, shown_arguments
from lango_nb.models.offline.arguments import mapped, read_value, required_of, shapes_of
from lango_nb.models.offline.changing import CHANGES, add_tasks, append_to, given_text, merge, remember, write_to
from lango_nb.models.offline.conversation import Conversation, Done
from lango_nb.models.offline.folder import Absent, Ask, CannotWork, Desk, Failed, Folder, Outcome, TooLarge, Work
from lango_nb.models.offline.followups import ENDED, says_operation
from lango_nb.models.offline.lexicon import (
    UNSPACED,
    Word,
    concepts_of,
    is_small_in,
    lexicon,
    lexicon_of,
    words,
)
from lango_nb.models.offline.lists import FEW_WORDS, KEEPING, words_of_speech, words_of_wishes
from lango_nb.models.offline.looking import (
    ask_tables,
    find_out,
    is_unsaid,
    look,
    recall_of,
    rows_described,
    show_spoken,
)
from lango_nb.models.offline.names import (
    asks,
    begins_with_pointer,
    calls_list,
    is_asking,
    is_noun_of_file,
    is_pointer,
    is_small,
    plain,
    points_back,
    rank,
    says_merge,
    tells_past,
    trimmed,
    unexplained,
    unquoted,
    whole_new_name,
)
from lango_nb.models.offline.operations import Entry, clock, files_of, lines
from lango_nb.models.offline.plan import (
    Answer,
    Call,
    Context,
    Got,
    Reading,
    Step,
    acts,
    is_change,
    is_talk,
    show,
    speak_of,
)
from lango_nb.models.offline.primitives import Wording
from lango_nb.models.offline.question import said_of_tables
from lango_nb.models.offline.reader import is_misnamed, reader
from lango_nb.routing.capabilities import router_family, tool_capability

CHANGE_LEAST = 0.45
"""How sure a reading must be that changes something."""
DELETE_LEAST = 0.8
"""How sure one must be that deletes."""
NAMED_LEAST = 0.7
"""How sure one must be that deletes a file by its very name."""
LOOK_LEAST = 0.1
"""How sure one must be that only looks."""
WISH_LEAST = 0.4
"""How sure one must be that only looks, where a request names a file and speaks of changing it."""
_NEVER = 2.0
_MOST_NEAR = 8
"""Files that a question names to choose from."""
_UNREAD = frozenset(("unclear", "same", "fix"))
"""Acts of what could not be read as anything to be done."""
_GENTLE = frozenset(("folder.make", "create", "copy", "copy.ending", "move", "move.ending", "rename"))
"""Acts that make something or put it elsewhere, never over anything: each can be taken back."""
BY_WRITING = frozenset(("copy", "copy.ending", "move", "move.ending", "rename"))
"""Acts that take a command, and can be done by reading and writing too."""
_ON_ONE = frozenset(("write", "append", "prepend", "create"))
"""Acts that are on one file."""
_GOES_ON = ("|", ";", "&")
"""Signs behind which a shell line goes on."""
_CHAT = frozenset(("greeting", "thanks", "farewell", "joke", "you", "weather"))
"""Concepts of small talk."""
_OPEN = (
    "unclear",
    "ask.which",
    "ask.missing",
    "ask.missing_of",
    "ask.no_file",
    "ask.sum",
    "is_folder",
    "no_column",
    "no_text",
)
"""Questions that want more than a yes."""
_SIZES = frozenset(("count.lines", "count.words", "count.chars"))
"""Acts that tell how long a file is."""
_PARTS = frozenset(("text", "line", "word"))
"""Concepts of what is in a file."""
LISTING: Mapping[str, str] = {"task.list": "read", "list": "read", "task.add": "append", "append": "append"}
"""Acts on the tasks or the folder, and what they mean where a list is named that is a file."""
_LOSING = ("delete", "move", "rename", "copy", "replace", "line.", "json.set")
"""Acts, and beginnings of acts, after which something is no longer where or what it was."""
_PUTTING = frozenset(("write", "append", "put", "save", "create", "want"))
"""Concepts of words that want something to be in a file."""
_CHANGING = frozenset(("delete", "move", "rename", "copy", "replace", "write", "append", "prepend", "put", "save", "create", "remember", "remind", "run", "change", "done"))  # fmt: skip
"""Concepts of verbs that change something."""
_SAID_WITH: Mapping[str, frozenset[str]] = {
    "line.delete": frozenset(("delete",)),
    "move": frozenset(("move", "put", "it")),
}
"""Acts that have to be very sure where none of these concepts is said."""
_REFUSED = frozenset(("no", "not", "none", "stop", "undo"))
"""Concepts of what is not to be done."""
_PAUSES = (",", ";", ".", "!", "\uff0c", "\u3001", "\u3002", "\uff1b")
_SUBJECT = 4
"""Words among which a request says that the person speaks."""
_SPOKEN_LAST = 8
"""Characters at the end of a Japanese request that say that it is reported."""
_SPOKEN_BEHIND = 5
_MOST_LED = 5
"""Words that a name may have before the last one."""
_NO_APPROVAL = ("was not run:", "approval", "denied", "not approved")
_BY_NAME_ONLY = "known by name only"
Carrying = Generator[tuple[Call, ...], tuple[Got, ...], Answer]


def carry_out(
    reading: Reading, context: Context, tools: Mapping[str, ToolSchema], advice: Advice = NO_ADVICE
) -> Carrying:
    """Carry a reading out.

    Parameters
    ----------
    reading : Reading
    context : Context
        What was said before.
    tools : mapping of str to ToolSchema
        What may be called, by name.
    advice : Advice
        What is remembered of where things are.

    Yields
    ------
    tuple of Call
        Calls that may run side by side; it wants what they gave, in their order.

    Returns
    -------
    Answer
    """
    tried = [reading, *(other for other in reading.others if _may_replace(other, reading) and is_doable(other, tools))]
    question: Answer | None = None
    folder = Folder(tools, advice)  # what one of them looked at is there for the next
    for one in tried:
        answer = yield from _carried(one, context, folder)
        if question is not None and answer.is_question and answers.said("shall", reading.language, question.text):
            continue  # a plan was found that only wants a yes
        if one is not reading and answer.is_question and not (_changes(reading) or _changes(one)):
            question = question or answer
            continue  # another way to look that leads to a question is no better than the first
        if not answer.is_dead_end:
            is_sought = any(step.act in _UNREAD for step in one.steps)  # all files were looked through for it
            is_look = not (is_sought or _changes(one) or any(step.word("file") for step in one.steps))
            is_look = is_look and not any(map(_is_of_ones_own, one.steps))
            lacks = answer.is_question and is_look and not any(step.word("line") for step in one.steps)
            is_search = [step.act for step in one.steps] == ["search"] and not one.steps[0].word("file")
            lacks = lacks or (is_search and answers.ends_with(answers.NOTHING, answer.text, reading.language))
            looked: Answer | None = (yield from _found_out(reading, context, folder)) if lacks else None
            return looked or answer
        question = question or answer
    meant = tried[-1] if _is_answer(tried[-1], reading) else reading
    found: Answer | None = yield from _found_out(meant, context, folder)
    return found or question or Answer("")


def _found_out(reading: Reading, context: Context, folder: Folder) -> Work:
    """Look in all files for what a question asks whose plan led nowhere; ``None`` where it is none, or nothing is found."""
    text = " ".join(step.text.partition("\n")[0] for step in reading.steps)
    is_question = asks(text) or _goes_on(reading, text, context)
    if not is_question or any(step.destination for step in reading.steps):
        return None
    is_several = len(reading.steps) > 1
    named = [step for step in reading.steps if _is_begun_change(step)]
    if named and (is_several or (all(map(_is_whole_change, named)) and not is_asking(text))):
        return None  # the plan is shown, and asked about
    desk = Desk(folder, context, reading.language)
    step = Step("unclear", {}, text=text)
    try:
        outcome: Outcome | None = yield from ask_tables(desk, step)
        if outcome is None:
            outcome = yield from find_out(desk, text)
        if outcome is None and len(reading.steps) == 1:
            outcome = yield from show_spoken(desk, reading.steps[0])
    except (Failed, Absent, TooLarge, Ask, CannotWork):  # the plan's own answer stands
        return None
    return None if outcome is None else Answer(outcome.text, False, () if outcome.step is None else (outcome.step,))


def _goes_on(reading: Reading, text: str, context: Context) -> bool:
    """Tell whether a few words go on from what was looked for before: "and Sunday then"."""
    told = lexicon_of(reading.language).concepts(words(text))
    is_look = context.last is not None and context.last.act in {"search", "read", "recall"}
    return is_look and not _changes(reading) and 1 < len(told) <= FEW_WORDS and "and" in told[0]


def _is_begun_change(step: Step) -> bool:
    """Tell whether a step changes something that it names."""
    is_of_ours = step.act in acts() and step.act not in {"remember", "forget"}
    return is_of_ours and is_change(step.act) and any(step.arguments.values())


def _is_whole_change(step: Step) -> bool:
    """Tell whether a step changes something and says all that it needs, so that it was hardly a question."""
    row = acts().get(step.act)
    return is_change(step.act) and (row is None or all(step.word(role) for role in row.needed))


def next_reply(
    conversation: Conversation, reading: Reading, context: Context, tools: Sequence[ToolSchema]
) -> tuple[Reply, Answer | None]:
    """Return the next reply of a turn, and the answer once there is one.

    Parameters
    ----------
    conversation : Conversation
        Holds the calls that were made already, and their results.
    reading, context
        What is to be done, and what was said before the turn.
    tools : sequence of ToolSchema

    Returns
    -------
    tuple of Reply and Answer or None
    """
    work = carry_out(reading, context, {tool.name: tool for tool in tools}, conversation.advice)
    wording = Wording(conversation.offered or [tool.name for tool in tools])
    outcome = replay(work, conversation.worked(), wording)
    if isinstance(outcome, Answer):
        return Reply(text=outcome.text, finish_reason="asked_back" if outcome.is_question else "stop"), outcome
    says = " ".join(dict.fromkeys(call.says for call in outcome if call.says))
    return conversation.calls(*((call.tool, call.arguments) for call in outcome), text=says), None


def replay(work: Carrying, done: Sequence[Done], wording: Wording) -> Answer | tuple[Call, ...]:
    """Feed what calls gave; return the first calls that have no result yet, or the answer."""
    at = 0
    try:
        calls = next(work)
        while True:
            results: list[Got] = []
            said = [wording.of(call) for call in calls]
            for call, as_said in zip(calls, said, strict=True):
                found = next((place for place in range(at, len(done)) if _is_call(done[place], as_said)), None)
                if found is None:
                    break
                results.append(wording.read(call, Got(done[found].result.content, done[found].result.is_error)))
                at = found + 1
            if len(results) < len(calls):
                return tuple(said[len(results) :])
            calls = work.send(tuple(results))
    except StopIteration as end:
        answer: Answer = end.value
        return answer


def _is_call(done: Done, call: Call) -> bool:
    given = {name: value for name, value in call.arguments.items() if value is not None}
    return done.call.name == call.tool and dict(done.call.arguments) == given


def is_doable(reading: Reading, tools: Collection[str]) -> bool:
    """Tell whether there is a tool for every step of a reading that cannot do without one."""
    wanted = [row.tool if (row := acts().get(step.act)) is not None else step.act for step in reading.steps]
    return all(
        not tool or tool in tools or (step.act in BY_WRITING and "fs_write" in tools)
        for step, tool in zip(reading.steps, wanted, strict=True)
    )


def _may_replace(other: Reading, reading: Reading) -> bool:
    """Tell whether another reading may be tried: never a change for a look, nor a look for what is surely a change."""
    if not other.steps or other.confidence < LOOK_LEAST or any(is_talk(step.act) for step in other.steps):
        return False
    moved = {step.act.partition(".")[0] for step in other.steps} & {"move", "rename"}
    is_kept = bool(moved) and all(step.destination for step in reading.steps)  # the file it is in goes nowhere
    if is_kept or any(step.act == "folder.make" and "folder" not in concepts_of(step.text) for step in other.steps):
        return False  # "make it 20 minutes"
    if any(step.act in _SIZES and not says_operation(step.text, step.act, other.language) for step in other.steps):
        return False  # nobody spoke of words, or of lines
    if (
        _takes_more(other, reading)
        or any(map(_loses_exception, other.steps))
        or (_deletes(reading) and _changes(other) and not _deletes(other))
    ):
        return False  # what is to go is not copied, and nothing is written instead
    if _is_answer(other, reading) or _is_answer(reading, other):
        return True
    is_sure = reading.confidence >= NAMED_LEAST and not any(asks(step.text) for step in reading.steps)
    if is_sure and _changes(reading) and any(step.act == "write" for step in other.steps):
        return False  # what is not there to be replaced is no reason to write over all of it
    return _changes(other) == _changes(reading) or (_changes(reading) and not is_sure)


def _takes_more(other: Reading, reading: Reading) -> bool:
    """Tell whether another reading would delete more: a file for a line, or all of them for one that was not spoken of."""
    is_it = any(_points(word) for step in reading.steps for word in step.arguments.get("file", ()))
    is_of_line = all(step.act == "line.delete" for step in reading.steps)
    wider = "delete" if is_of_line else "delete." if is_it and _deletes(reading) else "\0"
    return any(step.act.startswith(wider) for step in other.steps)


def _deletes(reading: Reading) -> bool:
    return any(step.act.startswith(("delete", "line.delete")) for step in reading.steps)


def _is_answer(one: Reading, other: Reading) -> bool:
    """Tell whether a plan was completed with what the other reading takes for a question of its own."""
    said = f"\n{other.steps[0].text}"
    return other.steps[0].act == "query" and any(step.text.endswith(said) for step in one.steps)


def _loses_exception(step: Step) -> bool:
    """Tell whether everything is to go although a request says what is to stay."""
    return step.act == "delete.all" and "except" in concepts_of(step.text)


def least_of(reading: Reading) -> float:
    """Return how sure a reading must be to be carried out: a question that was read as a change never is."""
    if not _changes(reading):
        is_wish = all(_wishes_change(step, reading.language) for step in reading.steps)
        return WISH_LEAST if is_wish else LOOK_LEAST
    if any(_may_change(step) and _is_question(step) for step in reading.steps):
        return _NEVER
    is_cut = len(reading.steps) == 1 and _is_cut_short(reading.steps[0], reading.language)
    doubts = (
        is_misnamed,
        _adds_what_goes,
        _adds_to_a_line,
        _is_of_its_name,
        _tells_a_text,
        _wants_to_be_asked,
        _moves_what_it_is_put_in,
        _only_describes,
        _makes_no_folder,
    )
    if is_cut or any(doubt(step) for step in reading.steps for doubt in doubts):
        return _NEVER
    if any(_is_about_a_part(step) or _goes_from(step, reading.language) for step in reading.steps):
        return _NEVER
    if any(map(_loses_exception, reading.steps)):
        return _NEVER
    before = accumulate((_around(step) for step in reading.steps), lambda said, more: f"{said} {more}", initial="")
    if any(_is_told(step, said, reading.language) for step, said in zip(reading.steps, before, strict=False)):
        return _NEVER
    deletes = [step for step in reading.steps if step.act.startswith("delete")]
    names = [word for step in deletes for word in step.arguments.get("file", ())]
    is_named = all(step.act == "delete" for step in deletes) and bool(names) and all(map(Desk.is_path, names))
    if any(step.act in _SAID_WITH and not _is_said(step, reading.language) for step in reading.steps):
        return DELETE_LEAST
    return CHANGE_LEAST if not deletes else NAMED_LEAST if is_named else DELETE_LEAST


def _is_said(step: Step, language: str) -> bool:
    """Tell whether a request has a word for what it was read as: "the sugar off again" is one for lines that go."""
    marks = frozenset[str]().union(*words_of_wishes(language).concepts(words(step.text.partition("\n")[0])))
    is_gone = step.act == "line.delete" and bool(marks & {"off", "out"})
    return is_gone or bool(_SAID_WITH[step.act] & concepts_of(step.text))


_WRITTEN = frozenset(("append", "prepend", "write"))


def _is_cut_short(step: Step, language: str) -> bool:
    """Tell whether a text to be written lacks the word before it, or a number that is said, so that it is hardly all of it.

    Examples
    --------
    >>> said = "add a line that we use the blue tubs"
    >>> _is_cut_short(Step("append", {"text": ("tubs",)}, text=said), "en")
    True
    >>> _is_cut_short(Step("append", {"text": ("we use the blue tubs",)}, text=said), "en")
    False
    """
    text = step.word("text")
    said = next((line for line in step.text.splitlines() if text and text in line), "")
    found = words(said)
    if step.act not in _WRITTEN or not said or ":" in said or any(word.is_quoted for word in found):
        return False
    guessed = {
        word
        for word in step.arguments.get("file", ())
        if not (Desk.is_path(word) or is_noun_of_file(word) or _points(word))
    }
    shown = " ".join(word for given in step.arguments.values() for word in given if word not in guessed)
    left = [word for phrase in unexplained(said, language, shown) for word in phrase.split()]
    *_, article, before = ["", "", *said.partition(text)[0].split()]
    is_begun = before in left and (is_small(article) or is_small_in(article, language)) and not text[:1].isdigit()
    return is_begun or any(word.kind == "number" and word.text not in shown for word in found)


def _points(word: str) -> bool:
    """Tell whether a word stands for a file that was spoken of: "the original"."""
    return any(is_pointer(one, kind) for one in (word, trimmed(word)) for kind in ("it", "other", "original", "copy"))


def _tells_a_text(step: Step) -> bool:
    """Tell whether a text stands behind a colon, which no file is moved or renamed to: "put into a.md: Kim is new".

    Examples
    --------
    >>> _tells_a_text(Step("move", {"file": ("a.md",), "to": ("Kim",)}, text="put into a.md: Kim is new"))
    True
    >>> _tells_a_text(Step("move", {"file": ("a.md",), "to": ("old",)}, text="move these to old: a.md and b.md"))
    False
    """
    head, _, tail = step.text.partition(": ")
    behind = words(tail)
    is_text = len(behind) > 1 and not any(word.is_quoted or word.kind in {"file", "folder"} for word in behind)
    return step.act in {"move", "rename"} and is_text and any(word.kind == "file" for word in words(head))


def _wants_to_be_asked(step: Step) -> bool:
    """Tell whether a request says that it shall be asked about a change: "delete the draft, but ask me first".

    Examples
    --------
    >>> said = Step("write", {"file": ("a.txt",), "text": ("tea",)}, text="write tea to a.txt, but ask me first")
    >>> _wants_to_be_asked(said), _wants_to_be_asked(said._replace(text="write tea to a.txt first"))
    (True, False)
    """
    said = [word for word in words(_around(step).replace("-", " ")) if not word.is_quoted]  # "pergunta-me antes"
    return _may_change(step) and any("ask_me" in one for one in words_of_wishes().concepts(said))


def _moves_what_it_is_put_in(step: Step) -> bool:
    """Tell whether a file is to be moved in which something is put, or to a time: "zet in a.md een regel met tot morgen".

    Examples
    --------
    >>> said = Step("move", {"file": ("a.md",), "to": ("morgen",)}, text="zet in a.md een regel met tot morgen")
    >>> _moves_what_it_is_put_in(said), _moves_what_it_is_put_in(said._replace(text="zet a.md in morgen"))
    (True, False)
    >>> said = Step("move", {"file": ("a.md",)}, text="e mettici dentro a.md")
    >>> _moves_what_it_is_put_in(said), _moves_what_it_is_put_in(Step("move", {"to": ("14:45",)}, text="move it to 14:45"))
    (False, True)
    """
    file, to = step.word("file"), step.word("to")
    led = words(step.text.partition(file)[0])[-1:] if ENDED.search(file) and file in step.text else ()
    is_there = bool(led) and to in {"", led[0].text} and "therein" in words_of_wishes().concepts(led)[0]
    is_put = bool(led) and "in" in concepts_of(led[0].text) and not is_there
    return step.act == "move" and (is_put or clock(to) is not None)


def _only_describes(step: Step) -> bool:
    """Tell whether what is to be written only says of which things, and of how many: "write a.md, the two new ones and the old one".

    Examples
    --------
    >>> said = Step("write", {"file": ("a.md",), "text": ("two new ones",)}, text="write a.md, the two new ones")
    >>> _only_describes(said), _only_describes(said._replace(text="write to a.md: two new ones"))
    (True, False)
    """
    text = step.word("text")
    before, found = words(step.text.partition(text or "\0")[0])[-1:], words(text)[:1]
    is_text = step.act in {"write", "append"} and bool(text) and text in step.text
    is_led = bool(before) and is_small(before[0].text) and before[0].text.isalpha()
    is_several = bool(found) and ((rank(found[0].text) or 0) > 1 or "all" in concepts_of(found[0].text))
    return is_text and is_led and found[0].kind == "word" and is_several


def _makes_no_folder(step: Step) -> bool:
    """Tell whether a folder would be made of words behind a "make" that speaks of none: "make the helper better".

    Examples
    --------
    >>> _makes_no_folder(Step("folder.make", {"to": ("helper better",)}, text="make the helper better"))
    True
    >>> _makes_no_folder(Step("folder.make", {"to": ("old stuff",)}, text="make a folder old stuff"))
    False
    """
    to = step.word("to")
    is_bare = (
        step.act == "folder.make" and " " in to and "/" not in to and not any(w.is_quoted for w in words(step.text))
    )
    return is_bare and not concepts_of(step.text) & {"folder", "run"}


def _adds_what_goes(step: Step) -> bool:
    """Tell whether a text is to be added although the request ends with a verb that takes something away, and adds nothing."""
    found = [word for word in words(step.text.partition("\n")[0]) if word.kind != "sign"]
    told = lexicon().concepts(found)
    is_added = (
        step.act in {"append", "prepend", "task.add"} and len(found) > 1 and not any(word.is_quoted for word in found)
    )
    return is_added and "delete" in told[-1] and not any(one & KEEPING for one in told)


def _adds_to_a_line(step: Step) -> bool:
    """Tell whether something is to be added to a line that is only pointed at, which is no line of its own.

    Examples
    --------
    >>> said = Step("append", {"text": ("a broom",)}, text="put a broom on that line too")
    >>> _adds_to_a_line(said), _adds_to_a_line(said._replace(text="add that line: a broom"))
    (True, False)
    """
    found = words(step.text.partition("\n")[0])
    told = lexicon().concepts(found)
    lines = [at for at, one in enumerate(told) if at > 1 and one & {"line", "row"} and not found[at].is_quoted]
    is_added = step.act in {"append", "prepend"} and ":" not in step.text
    return is_added and any(
        (is_pointer(found[at - 1].text, "it") or begins_with_pointer(found[at - 1].text))
        and told[at - 2] & {"in", "into", "about"}
        for at in lines
    )


_YEAR = re.compile(r"(?:19|20)\d\d")


def _is_of_its_name(step: Step) -> bool:
    """Tell whether a new value is a year that stands behind words for a file, and so is a part of its name.

    Examples
    --------
    >>> said = Step("json.set", {"file": ("the settings",), "new": ("2025",)}, text="put the channel of the settings 2025")
    >>> _is_of_its_name(said), _is_of_its_name(said._replace(text="put 2025 into the settings"))
    (True, False)
    """
    new = step.word("new")
    described = (word for word in step.arguments.get("file", ()) if not Desk.is_path(word))
    return _YEAR.fullmatch(new) is not None and any(f"{word} {new}" in step.text for word in described)


def _wishes_change(step: Step, language: str) -> bool:
    """Tell whether a look was read where a request speaks of changing a file that it names, and asks nothing."""
    found = words(step.text)
    told = frozenset[str]().union(*lexicon_of(language).concepts(found))
    is_named = any(word.kind == "file" and not word.is_quoted for word in found)
    is_left = bool(told & _REFUSED) or is_talk(step.act) or step.act == "query"
    return (
        is_named
        and bool(told & (_CHANGING - {"remember", "remind", "run"}))
        and not (is_left or asks(step.text) or step.destination)
    )


def _is_gentle(reading: Reading) -> bool:
    """Tell whether several steps, each sure enough by itself, only look, make something or put it elsewhere."""
    return (
        1 < len(reading.steps) == len(reading.each)
        and reading.confidence >= LOOK_LEAST
        and least_of(reading) < _NEVER
        and all(
            not step.destination
            and (step.act in _GENTLE or not (is_change(step.act) or (is_talk(step.act) and not _only_asks(step))))
            and sure >= (CHANGE_LEAST if step.act in _GENTLE else LOOK_LEAST)
            for step, sure in zip(reading.steps, reading.each, strict=True)
        )
    )


def _only_asks(step: Step) -> bool:
    return step.act == "unclear" and asks(step.text)


_HOW_IN = 3
"""Words among which a question says how."""
_QUALITIES = frozenset(("length", "age", "height", "depth", "weight", "hours", "often"))
"""What is asked of how something is (``data/reading/asked.tsv``)."""


def wants_to_know(text: str, language: str) -> bool:
    """Tell whether a text asks something that may stand in a file: it has a word or a sign that asks, and is no chat.

    Examples
    --------
    >>> wants_to_know("how long is the night playlist", "en"), wants_to_know("how are you doing", "en")
    (True, False)
    """
    is_how = "how" in frozenset[str]().union(*lexicon().concepts(words(text)[:_HOW_IN]))
    told = said_of_tables(text, language)
    is_asked = asks(text) or (is_how and bool(told & _QUALITIES)) or "lasts" in told
    return is_asked and not _CHAT.intersection(*lexicon_of(language).concepts(words(text)))


def _is_question(step: Step) -> bool:
    """Tell whether a step asks; behind "remember" a word that asks only says that something follows: "retiens que"."""
    told = lexicon().concepts(words(step.text)[:1])
    is_told = step.act == "remember" and "remember" in concepts_of(step.text) and not (told and "what" in told[0])
    return is_asking(step.word("text") if is_told else step.text)


def _is_about_a_part(step: Step) -> bool:
    """Tell whether a request speaks of what is in a file: "erase the contents of notes.md" is no wish to lose the file.

    A word that is to go is no line.
    """
    told = concepts_of(_around(step))
    is_word = (
        step.act == "line.delete"
        and bool(step.word("find"))
        and "word" in told
        and not told & {"line", "row", "contain", "with"}
    )
    return is_word or (step.act == "delete" and bool(told & _PARTS))


def _goes_from(step: Step, language: str) -> bool:
    """Tell whether something is to go out of the file that a request names, and not the file.

    Examples
    --------
    >>> said = Step("delete", {"file": ("a.csv",)}, text="delete the totals in a.csv")
    >>> _goes_from(said, "en"), _goes_from(said._replace(text="please delete the file a.csv"), "en")
    (True, False)
    """
    found = words(step.text.partition("\n")[0])
    told = lexicon_of(language).concepts(found)
    at = next((place for place, word in enumerate(found) if word.text == step.word("file")), 0)
    if step.act != "delete" or len(step.arguments.get("file", ())) != 1 or found[at : at + 1] == ():
        return False
    is_east = at + 1 < len(found) and found[at + 1].kind in UNSPACED
    before = [
        word
        for word, one in zip(found[:at], told[:at], strict=True)
        if word.kind == "word" and not one & _OF_THE_FILE and not _is_filler(word, language)
    ]
    led = at + 1 if is_east else at - 1
    return 0 <= led < len(found) and bool(told[led] & {"from", "in"}) and (is_east or (at > 1 and bool(before)))


_OF_THE_FILE = frozenset(
    ("delete", "file", "copy", "folder", "please", "i", "you", "can", "want", "should", "no", "yes")
)
"""Concepts of words beside the name of a file that is to go."""


def _is_filler(word: Word, language: str) -> bool:
    """Tell whether a word is a small one, or only points."""
    return is_small(word.text) or is_small_in(word.folded, language) or is_pointer(word.text, "it")


def _is_told(step: Step, before: str, language: str) -> bool:
    """Tell whether a request tells what others did, said or want rather than wishing it: "Marco deleted notes.md"."""
    if _is_of_ones_own(step) or not (is_change(step.act) or step.destination):
        return False
    around, loses = _around(step), step.act.startswith(_LOSING)
    return (loses and tells_past(around)) or is_reported(f"{before} {around}".lstrip(), language, is_strict=loses)


def is_reported(text: str, language: str = "en", *, is_strict: bool = False) -> bool:
    """Tell whether what is to be changed is what somebody else said, asked or wants.

    Parameters
    ----------
    text : str
        A request without the words of its arguments.
    language : str
    is_strict : bool
        Whether it stays so behind a comma: "Marco says it is old, delete it" is better asked about, "we need milk, Ann
        said, add it" is a wish.

    Examples
    --------
    >>> is_reported("Marco said: delete"), is_reported("I said: delete"), is_reported("Anna fragt, ob wir das löschen", "de")
    (True, False, True)
    >>> is_reported("Ann said we need milk, so put it on"), is_reported("Ann said it is old, delete it", is_strict=True)
    (False, True)
    """
    found = words(text)
    if any("own" in one for one in words_of_speech(language).concepts(found)[:_SUBJECT]):
        return False
    meant = lexicon().concepts(found)
    foreign = words_of_speech().concepts(found)
    said = [
        ("said" in one and "please" not in told)
        or ("said" in other and not (told or word.kind in UNSPACED or is_small_in(word.text.casefold(), language)))
        for word, one, other, told in zip(found, words_of_speech(language).concepts(found), foreign, meant, strict=True)
    ]
    wished = (at for at, told in enumerate(meant) if told & _CHANGING and not said[at])
    wish = next(wished, len(found))
    if True not in said[:wish]:
        is_last = any(word.kind in UNSPACED for word in found) and any(said[-_SPOKEN_LAST:])
        commas = [at for at, word in enumerate(found[:-1]) if word.text in _PAUSES][-1:]
        return is_last or any(len(found) - at <= _SPOKEN_BEHIND and any(said[at:]) for at in commas)
    own = words_of_speech(language).concepts(found)
    pauses = (at for at in range(said.index(True), wish) if found[at].text in _PAUSES)
    return is_strict or all("that" in own[at + 1] for at in pauses if at + 1 < len(own))


def _around(step: Step) -> str:
    """Return what a request says beside the words of a step."""
    rest = step.text.partition("\n")[0]
    for said in step.arguments.values():
        for word in said:
            rest = rest.replace(word, " ")
    return rest


def _changes(reading: Reading) -> bool:
    return any(_may_change(step) or step.destination for step in reading.steps)


def _may_change(step: Step) -> bool:
    """Tell whether a step may change something; of tools of one's own nobody can tell, so a person is asked before they do."""
    return is_change(step.act) and not _is_of_ones_own(step)


def _is_of_ones_own(step: Step) -> bool:
    return step.act not in acts() and not router_family(step.act)


def _carried(reading: Reading, context: Context, folder: Folder) -> Carrying:
    """Carry one reading out; what stands in its way becomes a sentence or a question."""
    desk = Desk(folder, context, reading.language, is_certain=reading.is_certain)
    said: list[str] = []
    settled: list[Step] = []
    talk = [step for step in reading.steps if is_talk(step.act)]
    is_sure = reading.is_certain or len(talk) == len(reading.steps) or reading.confidence >= least_of(reading)
    if not is_sure:
        found: Answer | None = yield from _found_out(reading, context, folder)
        if found is not None:
            return found
    steps: list[Step] = yield from _with_names(desk, reading.steps)
    if len(steps) == 1 and (rows := (yield from _described(desk, steps[0]))) is not None:
        steps, is_sure = [rows], True
    for step, following in zip_longest(steps, steps[1:]):
        is_dead_end = not desk.has_changed
        try:
            if not is_sure:
                yield from _shown_plan(desk, reading._replace(steps=tuple(map(repaired, steps))))
                is_sure = True
            outcome: Outcome = yield from _step(desk, step)
        except Ask as ask:
            if ask.text == desk.lacks("file").text:
                ask = yield from _which_file(desk, step, ask)
            if reading.are_apart and not is_change(step.act):
                alone: Answer | None = yield from _found_out(reading._replace(steps=(step,)), desk.context, folder)
                if alone is not None or following is not None:
                    desk.notes.clear()
                    said.append(ask.text if alone is None else alone.text)
                    settled.append(step)
                    continue
            if said and step.act in _UNREAD and settled and settled[-1].act == "query":
                return Answer(_joined(desk, said), False, tuple(settled))  # the rows that were shown say the rest
            _say_what_is_unclear(desk, step, ask.text)
            return Answer(_joined(desk, [*said, ask.text]), True, tuple(settled), is_dead_end and ask.can_try_others)
        except CannotWork as no:
            are_apart = reading.are_apart or _are_apart(steps[len(settled) + 1 :])
            if following is not None and not is_change(step.act) and are_apart:
                said.append(no.text)
                settled.append(step)
                continue
            return Answer(_joined(desk, [*said, no.text]), False, tuple(settled), is_dead_end)
        except Absent as absent:
            text = _joined(desk, [*said, desk.say("no_file", name=absent.path)])
            return Answer(text, True, tuple(settled), is_dead_end)
        except TooLarge as large:
            return Answer(_joined(desk, [*said, desk.say("too_large", file=large.path)]), False, tuple(settled))
        except Failed as failed:
            return Answer(_joined(desk, [*said, _failure(desk, failed)]), False, tuple(settled))
        said.append(outcome.text)
        if outcome.step is not None:
            settled.append(outcome.step)
        spoken_of = desk.context.file
        desk.context = _after(desk.context, outcome)
        if step.act == "folder.make" and spoken_of and following is not None and following.act in {"move", "copy"}:
            desk.context = desk.context._replace(file=spoken_of)  # "make a folder done and move it there"
        desk.has_result = bool(outcome.value)
    return Answer(_joined(desk, said), False, tuple(settled))


def _with_names(desk: Desk, steps: Sequence[Step]) -> Work:
    """Return steps with the files of lists, and with whole names of files, where there are some that are called so."""
    ready: list[Step] = []
    for step in steps:
        bare = step._replace(arguments={role: tuple(map(unquoted, given)) for role, given in step.arguments.items()})
        ready.append((yield from _of_list(desk, (yield from _with_whole_name(desk, bare)))))
    return ready


def _say_what_is_unclear(desk: Desk, step: Step, question: str) -> None:
    """Name the words of a request that nothing explains, where a question that wants more than a yes speaks of none of its words."""
    asked = next((key for key in _OPEN if answers.said(key, desk.language, question) is not None), "")
    before = desk.context.asked
    if before is not None and any(one.text == step.text for one in before.steps):
        return  # its words are those of the request before
    taken = [word for said in step.arguments.values() for word in said if desk.is_path(word)]
    shown = "\n".join((question, *desk.notes, *taken))
    every = unexplained(step.text, desk.language, is_all=True)
    is_bare = asked in {"unclear", "ask.missing"} or every == unexplained(step.text, desk.language, shown, is_all=True)
    if asked and (left := unexplained(step.text, desk.language, shown, is_all=is_bare)):
        desk.notes.append(desk.say("note.unclear", what=", ".join(left)))


def _are_apart(steps: Sequence[Step]) -> bool:
    """Tell whether steps are about files they name, whatever the step before them gave."""
    return all(not step.destination and any(map(Desk.is_path, step.arguments.get("file", ()))) for step in steps)


def _with_whole_name(desk: Desk, step: Step) -> Work:
    """Give a file the words back that its name begins with, where there is a file called so: "old" of "old notes.md"."""
    said = step.text.partition("\n")[0]
    named = [(role, name) for role in ("file", "to") for name in step.arguments.get(role, ()) if desk.is_path(name)]
    for role, name in named if desk.folder.has("fs_list") else ():
        before = words(said.partition(name)[0]) if name in said else ()
        begins = [word.start for word in before[-_MOST_LED:]]
        last = before[-1] if before else None
        is_led = last is not None and last.kind in {"word", "number"} and not last.is_quoted
        if (
            last is None
            or not is_led
            or (is_small(last.text) or is_small_in(last.folded, desk.language))
            or said[last.end :].partition(name)[0] != " "
        ):
            continue
        told = lexicon().concepts(before)
        if "file" in told[-1] or (len(before) == 1 and told[0]):
            continue  # "the file notes.md"; the verb
        for begin in begins:
            whole = said[begin : said.find(name) + len(name)]
            if (yield from desk.folder.find(whole)) is not None:
                return _called(step, role, name, whole)
    return step


def _called(step: Step, role: str, name: str, whole: str) -> Step:
    """Return a step with a longer name for one of its files, and its other words read anew where some were part of the name."""
    files = tuple(whole if one == name else one for one in step.arguments[role])
    lead = whole.removesuffix(name)
    taken = any(word in lead for one, words_of in step.arguments.items() if one != role for word in words_of)
    if not taken:
        return step.with_arguments(**{role: files})
    row = acts().get(step.act)
    roles = (*row.needed, *row.optional) if row is not None else ("file",)
    given = reader().arguments(step.text.replace(whole, "file.txt"), step.act, roles)
    return step.with_arguments(**{**dict.fromkeys(step.arguments, ()), **given, role: files})


def _of_list(desk: Desk, step: Step) -> Work:
    """Return a wish about a list as one about the file of that list, where there is one."""
    word = step.word("file")
    is_task = step.act.startswith("task")
    if step.act not in LISTING or not word or not (is_task or calls_list(word)):
        return step
    name: str = yield from desk.list_file(word)
    if name:
        return step.with_arguments(file=(name,))._replace(act=LISTING[step.act])
    return step._replace(act="task.add" if step.act == "append" else step.act).with_arguments(file=())


def _step(desk: Desk, step: Step) -> Work:
    """Carry out one step, and bring its result where it belongs."""
    step = repaired(step)
    desk.begin(step)
    if (
        step.act == "read"
        and step.destination == "write"
        and says_merge(step.text)
        and len(step.arguments.get("file", ())) != 1
    ):
        return (yield from merge(desk, step))
    act = acts().get(step.act)
    asked: Outcome | None = yield from ask_tables(desk, step)
    if asked is None and is_unsaid(step):
        asked = (yield from find_out(desk, step.text)) or (yield from show_spoken(desk, step))
    if asked is not None:
        outcome: Outcome = asked
    elif act is None:
        outcome = yield from use_tool(desk, step)
    elif act.kind == "talk":
        outcome = yield from _talk(desk, step)
    else:
        if act.tool and not desk.folder.has(act.tool) and not _has_other_way(desk, act.tool):
            raise CannotWork(not_offered(desk, Step(act.tool, step.arguments)))
        outcome = yield from (CHANGES[step.act](desk, step) if act.kind == "change" else look(desk, step))
    if not step.destination:
        return outcome
    try:
        return (yield from _delivered(desk, step, outcome))
    except CannotWork as no:  # what was found is told all the same
        raise CannotWork(f"{outcome.text}\n{no.text}") from no


def _described(desk: Desk, step: Step) -> Work:
    """Return a text that is to be written as the rows of a table that it describes: "write the names of all guests to a.txt".

    Returns
    -------
    Step or None
        A question of that table with its destination; ``None`` where the text describes nothing.
    """
    said = step.text.partition("\n")[0]
    found = words(said)
    names = [word.text for word in found if word.kind == "file"]
    text = step.word("text")
    is_written = step.act in {"write", "append"} and bool(text) and len(names) == 1
    is_written = is_written and not any(word.text in _PAUSES for word in words(text))  # a list is written as it is
    if not is_written or any(word.is_quoted for word in found) or ":" in said or text not in said or points_back(said):
        return None
    told = lexicon().concepts(found)
    kept = [word.text for word, one in zip(found, told, strict=True) if word.kind != "file" and not one & _PUTTING]
    line: Step | None = yield from rows_described(desk, " ".join(kept))
    return None if line is None else line.with_arguments(to=(names[0],))._replace(destination=step.act, text=step.text)


def repaired(step: Step) -> Step:
    """Take the one file that a request names where something else was taken for the file.

    Examples
    --------
    >>> repaired(Step("write", {"file": ("一个",), "text": ("x",)}, text="新建一个文件叫 a.txt,写 x")).word("file")
    'a.txt'
    >>> repaired(Step("run", {"command": ("wc -c",)}, text="run: echo a | wc -c")).word("command")
    'echo a | wc -c'
    >>> repaired(Step("move", {"file": ("the mail (a.txt",)}, text="move the mail (a.txt) to b")).word("file")
    'a.txt'
    """
    if step.act in {"run", "run.background"} and step.word("command"):
        return step.with_arguments(command=(whole_line(step.word("command"), step.text),))
    if "file" in step.arguments:
        files = tuple(_bare(_unled(_bracketed(file)), step.text) for file in step.arguments["file"])
        names = tuple(file for file in files if not is_pointer(file, "it"))
        step = step.with_arguments(file=names if any(map(Desk.is_path, names)) else files)  # "a.csv … the file"
        ended = tuple(name for name in names if ENDED.search(name))
        if step.act in _ON_ONE and len(names) > len(ended) == 1:  # "write an answer to answer to Ann.txt"
            step = step.with_arguments(file=ended)
        paths = tuple(filter(Desk.is_path, names))
        if len(names) > len(paths) == 1 and re.search(
            rf"[(\uff08][^()\uff08\uff09]*{re.escape(paths[0])}\s*[)\uff09]", step.text
        ):
            step = step.with_arguments(file=paths)  # "the recipe (apple pie.md)"
    row = acts().get(step.act)
    if (
        row is None
        or "file" not in row.roles
        or any(one.kind in {"file", "folder"} for word in step.arguments.get("file", ()) for one in words(word))
        or any(map(ENDED.search, step.arguments.get("file", ())))
    ):
        return step
    used = [word for role, said in step.arguments.items() for word in said if role != "file" or is_pointer(word, "it")]
    said = step.text.partition("\n")[0]
    named = [whole_new_name(word.text, said) for word in words(said) if word.kind in {"file", "ending"}]
    named = [name for name in named if not name.startswith(".")]
    ends = tuple(filter(ENDED.search, used))  # 抜き出してa.txt
    free = [name for name in dict.fromkeys(named) if not (any(name in word for word in used) or name.endswith(ends))]
    return step.with_arguments(file=(free[0],)) if len(free) == 1 else step


def _unled(word: str) -> str:
    """Return the name of a file without the words that say that something is so by it.

    Examples
    --------
    >>> _unled("segundo vendas.csv"), _unled("zwei Briefe.txt")
    ('vendas.csv', 'zwei Briefe.txt')
    """
    found = words(word)
    marks = words_of_wishes().concepts(found)
    begin = next((at for at, one in enumerate(marks) if "according" not in one), 0)
    return word[found[begin].start :] if begin and found[-1].kind == "file" else word


def _bare(word: str, text: str) -> str:
    """Return the name of a file without the words that stand before it without a blank, as in Japanese and Chinese.

    Examples
    --------
    >>> _bare("把这些整理成plan.md", "把这些整理成plan.md"), _bare("当番規則.md", "当番規則.mdに変更して"), _bare("świąteczne.txt", "")
    ('plan.md', '当番規則.md', 'świąteczne.txt')
    """
    tail = _ASCII_NAME.search(word)
    whole = whole_new_name(tail[0], text) if tail is not None and tail.start() else word
    return whole if len(whole) < len(word) else word


_ASCII_NAME = re.compile(r"(?<=[\u3040-\u30ff\u3400-\u9fff])[A-Za-z0-9][\w.-]*\.[A-Za-z]\w{0,7}\Z", re.ASCII)


def _bracketed(word: str) -> str:
    """Return the name of a file that stands in brackets behind its description."""
    before, _, name = word.rstrip(" )").rpartition("(")
    return name if before.strip() and [one.kind for one in words(name)] == ["file"] else word


def whole_line(command: str, text: str) -> str:
    """Return a shell line whole where only its end was taken; empty when it is not clear where it begins."""
    before, found, _ = text.partition(command)
    if not found or before.rstrip()[-1:] not in _GOES_ON:
        return command
    line = before.partition(":")[2].strip()
    return f"{line} {command}" if line else ""


def _has_other_way(desk: Desk, tool: str) -> bool:
    """Tell whether something can be done without its usual tool."""
    others = {"exec": "fs_write", "fs_list": "fs_read", "fs_edit": "fs_write", "task_list": "fs_read"}
    return tool in others and desk.folder.has(others[tool])


def _delivered(desk: Desk, step: Step, outcome: Outcome) -> Work:
    """Bring a result to its destination."""
    found = outcome.value
    if isinstance(found, list) and step.destination == "task" and step.act.startswith("rows"):
        found = found[1:]  # the heading is no task
    value = "\n".join(found if isinstance(found, list) else str(found).split("; " if step.act == "query" else "\n"))
    if not value and (row := acts().get(step.act)) is not None and row.kind == "change" and "text" in row.roles:
        value = "\n".join(step.arguments.get("text", ()))  # what was written is what there is to bring
    if step.destination in {"write", "append"}:
        word = step.word("to")
        if not word:
            raise desk.missing(step, "to")
        word = outcome.file if outcome.file and word == step.word("file") else word  # the list that is described
        bring = write_to if step.destination == "write" else append_to
        goal = Step(step.destination, {"file": (word,)}, text=step.text)
        brought: Outcome = yield from bring(desk, goal, word, value)
    elif step.destination == "remember":
        brought = yield from remember(desk, Step("remember", {"text": (value,)}), value)
    else:
        titles = [line.strip(" -*•\t") for line in value.splitlines() if line.strip()]
        brought = yield from add_tasks(desk, Step("task.add", {"text": tuple(titles)}), titles)
    return brought._replace(value=value, shown=outcome.shown)


def _talk(desk: Desk, step: Step) -> Work:
    """Answer what needs no tool and is about carrying out; the rest of talk is worded elsewhere."""
    match step.act:
        case "refrain":
            yield from ()
            return Outcome(desk.say("refrain"), "", None)
        case "no":
            return Outcome(desk.say("no" if desk.context.asked else "no.idle"), "", None)
        case "yes":
            return Outcome(desk.say("yes"), "", None)
        case "ask.change" if not concepts_of(step.text) & {"many", "money"}:  # no "what do they want us to pay?"
            return (yield from _what_if(desk, step))
        case act if act in _UNREAD or act == "ask.change":
            found: Outcome | None = yield from find_out(desk, step.text)
            if found is None:
                found = yield from recall_of(desk, step.text)
            if found is None:
                raise (yield from _which(desk, step))
            return found
        case _:
            return Outcome("", "", None)


def _which_file(desk: Desk, step: Step, ask: Ask) -> Work:
    """Name the files that may be meant where one is missing: those with words of the request, else all if they are few."""
    near: tuple[str, ...] = yield from desk.files_near(step.text.partition("\n")[0])
    if not near and desk.folder.has("fs_list"):
        upper: list[Entry] = yield from desk.folder.list()
        near = tuple(one.name for one in files_of(upper))
    is_few = 1 < len(near) <= _MOST_NEAR
    return Ask(desk.say("ask.which", names=desk.either(near)), can_try_others=ask.can_try_others) if is_few else ask


def _which(desk: Desk, step: Step) -> Work:
    """Make the question for what nobody could read: about the file whose name a request has words of, if there is one."""
    near: tuple[str, ...] = yield from desk.files_near(step.text.partition("\n")[0])
    if len(near) == 1:
        return Ask(desk.say("shall", plan=show(Step("read", {"file": near}))))
    return Ask(desk.say("ask.which", names=desk.either(near)) if 0 < len(near) <= _MOST_NEAR else desk.say("unclear"))


def _what_if(desk: Desk, step: Step) -> Work:
    """Say what a change would cost; nothing is changed."""
    if not step.word("file") and not desk.context.file:
        raise Ask(desk.say("what_if.nothing"))
    (path, *_) = yield from desk.files(step)
    entry = yield from desk.folder.find(path)
    if entry is not None and entry.is_folder:
        below = yield from desk.folder.everything(path)
        raise Ask(desk.say("what_if.folder", file=path, n=len(below)))
    try:
        text: str = yield from desk.folder.read(path)
    except Failed:
        text = ""
    raise Ask(desk.say("what_if", file=path, n=len(text.splitlines())))


def _shown_plan(desk: Desk, reading: Reading) -> Work:
    """Show a plan that is not sure enough, with what is there in the place of its words, and ask.

    Steps that only make something or put it elsewhere are carried out where they name exactly what is there.
    """
    before = desk.context
    desk.asks_first = True
    shown: list[Step] = []
    for step in reading.steps:
        desk.begin(step)
        schema = desk.folder.tools.get(step.act) if _is_of_ones_own(step) else None
        if schema is not None:
            fill(desk, schema, mapped(schema, step, desk.language))  # asks for what is missing rather than for a yes
        if len(reading.steps) == 1 and step.act.startswith(("delete", "line.delete", "value.set")):
            yield from CHANGES[step.act](desk, step)  # asks with all that would go
        if len(reading.steps) == 1 and step.act == "replace":
            try:
                yield from CHANGES[step.act](desk, step)
            except (Ask, Absent, Failed, CannotWork) as ask:
                if isinstance(ask, Ask) and answers.said("shall", reading.language, ask.text):
                    raise
        try:
            shown.append((yield from desk.looked_up(step)))
        except (Ask, Absent, Failed):
            if not shown:
                raise
            shown.append(step)  # it is about what the steps before make
        is_look = not is_change(shown[-1].act)
        desk.context = _after(desk.context, Outcome("", "", shown[-1], shown[-1].word("file") if is_look else ""))
    is_exact = not desk.notes and all(desk.is_exact(*both) for both in zip(reading.steps, shown, strict=True))
    desk.notes.clear()
    if is_exact and _is_gentle(reading):
        desk.context, desk.asks_first = before, False
        return
    if len(shown) == 1 and shown[0].act == "write" and shown[0].word("text"):
        yield from _ask_about_loss(desk, shown[0])
    raise Ask(desk.say("shall", plan=mask("; ".join(show(step) for step in shown))))


def _ask_about_loss(desk: Desk, step: Step) -> Work:
    """Ask with what a file holds before a text is written in its place."""
    entry = yield from desk.folder.find(step.word("file"))
    if entry is None or entry.is_folder:
        return
    old: str = yield from desk.folder.read(entry.name)
    if old.strip():
        new = quoted(lines(step.word("text")), desk.language)
        raise Ask(desk.say("ask.replace", file=entry.name, n=len(lines(old)), new=new))


def _after(context: Context, outcome: Outcome) -> Context:
    """Return what the next step, or the next turn, can refer to."""
    if outcome.step is None:
        return context._replace(asked=None, missing="")
    value = "\n".join(outcome.value) if isinstance(outcome.value, list) else str(outcome.value)
    is_listing = bool(outcome.shown)
    return context._replace(
        last=outcome.step,
        file=outcome.file or ("" if is_listing else context.file),
        is_named=True,
        shown=outcome.shown or context.shown,
        answer=value or context.answer,
        changed=outcome.step if is_change(outcome.step.act) else context.changed,
        asked=None,
        missing="",
        is_open=False,
        spoken=speak_of(context, outcome.file),
        earlier="",
    )


def _joined(desk: Desk, said: Sequence[str]) -> str:
    notes, desk.notes = desk.notes, []
    return "\n".join(dict.fromkeys(text for text in [*notes, *said] if text))


def _failure(desk: Desk, failed: Failed) -> str:
    """Say in a sentence what a tool said no to."""
    if failed.is_missing:
        return not_offered(desk, Step(failed.tool, {name: (str(value),) for name, value in failed.arguments.items()}))
    if _BY_NAME_ONLY in failed.said:
        shown = shown_arguments(failed.tool, failed.arguments)
        return desk.say("by_name_only", tool=failed.tool, what=f" ({shown})" if shown else "")
    first = mask(failed.said.strip()).splitlines()[0] if failed.said.strip() else failed.tool
    if any(sign in failed.said for sign in _NO_APPROVAL):
        return desk.say("refused", what=first)
    return desk.say("tool_failed", what=first)


# -- tools without an act ----------------------------------------------------------------------------------------------

_LABELS = frozenset(("name", "key", "title"))
"""Parameters that label what is kept."""
_LABEL_WORDS = 5
_CONTENT = frozenset(
    ("content", "value", "data", "text", "body", "observation", "message", "ciphertext", "yaml_content")
)
"""Parameters that take what the step before gave."""


def use_tool(desk: Desk, step: Step) -> Work:
    """Call a tool with what the request says.

    Returns
    -------
    Outcome
    """
    schema = desk.folder.tools.get(step.act)
    if schema is None:
        raise CannotWork(not_offered(desk, step))
    step = mapped(schema, step, desk.language)
    arguments = fill(desk, schema, step)
    desk.has_changed = True
    text: str = yield from desk.folder.whole(step.act, **arguments)
    return Outcome(_worded(desk, text), text, step)


def not_offered(desk: Desk, step: Step) -> str:
    """Say which tool would have done it, with what."""
    said = {role: ", ".join(words) for role, words in step.arguments.items()}
    shown = shown_arguments(step.act, said)
    return desk.say("no_tool", tool=step.act, what=f" ({shown})" if shown else "")


def fill(desk: Desk, schema: ToolSchema, step: Step) -> dict[str, Any]:
    """Turn words into arguments; ask for those that are needed and missing, in words.

    Raises
    ------
    folder.Ask
        Something that is needed is missing, or is not what it has to be.
    """
    shapes = shapes_of(schema)
    found: dict[str, Any] = {}
    answered = step.arguments.get("*", ())  # what was said when asked
    for name, given in step.arguments.items():
        if name in shapes and given:
            shape = shapes[name]
            if len(given) == 1 and is_pointer(given[0], "answer") and desk.context.answer:
                value = read_value((given_text(desk, step, name),), shape)
            else:
                value = read_value(given, shape)
            if value is None and answered:
                value, answered = read_value(answered, shape), ()
            if value is None:
                raise Ask(
                    desk.say("ask.value", what=_spoken(name, shape), word=", ".join(given), options=_options(shape)),
                )
            found[name] = value
    lacking = [name for name in required_of(schema) if name not in found and "default" not in shapes.get(name, {})]
    if lacking and answered:
        shape = shapes.get(lacking[0], {})
        if (value := read_value(answered, shape)) is not None:
            found[lacking.pop(0)] = value
    if desk.has_result and (taken := next((name for name in lacking if name in _CONTENT), "")):
        found[taken] = desk.context.answer
        lacking.remove(taken)
    for name in list(lacking):
        if (made := _made_up(name, shapes.get(name, {}), found)) is not None:
            found[name] = made
            lacking.remove(name)
    if lacking:
        what = desk.say("and").join(_spoken(name, shapes.get(name, {})) for name in lacking)
        purpose = tool_capability(step.act) or step.act.replace("_", " ")
        raise Ask(desk.say("ask.for_tool", what=what, purpose=purpose))
    return found


def _made_up(name: str, shape: Mapping[str, Any], found: Mapping[str, Any]) -> Any:
    """Return what nobody says by themselves: a label, made of what is kept under it, or which kind of value another is."""
    texts = [value for key, value in found.items() if key != name and isinstance(value, str) and value]
    if name in _LABELS and texts:
        return "-".join(plain(texts[-1]).split()[:_LABEL_WORDS]) or None
    options = shape.get("enum")
    if name.endswith("_type") and isinstance(options, list) and texts:
        return next((one for one in options if str(one) in plain(" ".join(texts)).split()), options[0])
    return None


def _spoken(name: str, shape: Mapping[str, Any]) -> str:
    """Name a parameter the way its author describes it."""
    described = str(shape.get("description") or "")
    first = re.split(r"[.;:(,]", described)[0].strip()
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").lower()
    if not first or len(first) > 60:  # noqa: PLR2004 - a sentence
        return plain
    return (
        f"{plain} ({first[0].lower()}{first[1:]})" if plain not in first.lower() else f"{first[0].lower()}{first[1:]}"
    )


def _options(shape: Mapping[str, Any]) -> str:
    options = shape.get("enum")
    if isinstance(options, list):
        return ", ".join(map(str, options))
    return {"integer": "1, 2, 3 …", "number": "1, 2.5 …", "boolean": "yes, no"}.get(str(shape.get("type")), "…")


def _worded(desk: Desk, text: str) -> str:
    body = text.strip()
    if body[:1] in {"{", "["}:
        try:
            return said_of(json.loads(body)) or desk.say("done")
        except (ValueError, RecursionError):
            pass
    return quoted(lines(shorten_text(body)), desk.language) or desk.say("done")
