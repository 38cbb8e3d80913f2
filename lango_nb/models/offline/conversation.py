"""The conversation: messages sorted, what may be called, and what was said before, read from requests and answers.

    request, answer, request, answer, …, request
       └─ read ──┴─ what it was about, what was shown, changed, asked ─ the next request is read with it

A model is given messages and nothing else, and so are all that work on a turn: they come to the same. Requests are read
again, answers are our own sentences.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple
from zlib import crc32

from lango_nb.core.masking import MASK
from lango_nb.core.messages import SUMMARY, USER, Message, Reply, ToolCall, ToolSchema
from lango_nb.models.offline.advice import NO_ADVICE, Advice, without_advice
from lango_nb.models.offline.answers import (
    ASKED,
    LONGEST_LINE,
    NOTHING,
    QUESTIONS,
    UNDONE,
    naming,
    said,
    say,
    sentences,
)
from lango_nb.models.offline.arguments import shapes_of
from lango_nb.models.offline.corrections import correction
from lango_nb.models.offline.features import PROGRAMS
from lango_nb.models.offline.followups import (
    CLAUSES,
    ENDED,
    EXACT,
    HALF,
    WISHING,
    behind_no,
    command_again,
    is_work,
    lacks,
    last_of,
    later,
    of_each_file,
    says_more,
)
from lango_nb.models.offline.hints import Exchange, Told, read_hints
from lango_nb.models.offline.itself import asked_of_itself
from lango_nb.models.offline.lexicon import (
    ASK_SIGNS,
    NEGATING,
    REFUSING,
    UNSPACED,
    Word,
    concepts_of,
    is_small_in,
    lexicon,
    lexicon_of,
    likelier_language,
    quotations,
    without_slip,
)
from lango_nb.models.offline.lexicon import words as words_of
from lango_nb.models.offline.lists import (
    FEW_WORDS,
    KEEPING,
    OF_TASKS,
    SHOWING,
    left_over,
    list_in,
    of_boxes,
    of_list,
    of_spoken_list,
    with_left_over,
    words_of_speech,
    words_of_wishes,
)
from lango_nb.models.offline.names import (
    ARTICLES,
    FIRST_WORDS,
    age_in,
    asks,
    back_in,
    begins_with_pointer,
    called_before,
    compared_in,
    counted_up,
    described_both,
    endings,
    here_in,
    is_asking,
    is_here,
    is_part,
    is_pointer,
    is_small,
    nearest_texts,
    not_meant,
    pick,
    plain,
    pointer_in,
    points_back,
    rank,
    says_name,
    trimmed,
    unexplained,
)
from lango_nb.models.offline.operations import in_figures, number, reckon
from lango_nb.models.offline.own_tools import NO_TOOLS, OwnTools, of_own_tools
from lango_nb.models.offline.plan import (
    Context,
    Reading,
    Step,
    acts,
    handed,
    is_change,
    is_talk,
    parse,
    read_order,
    speak_of,
    with_given,
)
from lango_nb.models.offline.queries import TABLES, said_of_tables, says_state, words_of_tables
from lango_nb.models.offline.queries import parse as parse_query
from lango_nb.models.offline.reader import FOLLOWS, as_act, as_line, as_pipe, is_misnamed, reader
from lango_nb.models.offline.wishes import wish_among, wishes_in, without_nothing_else
from lango_nb.routing.router import Router, router_for_prompt
from lango_nb.routing.taught import Taught
from lango_nb.tools.builtin import control_among

# -- what may be called ------------------------------------------------------------------------------------------------

REJECT = "[REJECT]"
TRANSFER = "transfer_to_agent"
SPAWN = "agent_spawn"
WAIT = "agent_wait"
STOP = "agent_stop"
DELEGATE = "delegate"
_HAND_OVERS = tuple(ToolSchema(name=name, role="control") for name in (TRANSFER, DELEGATE))


@dataclass(frozen=True, slots=True)
class Offer:
    """The control calls of an agent."""

    names: frozenset[str]
    """The control tools it is offered: they keep the work going, and no request of a user is met by one of them."""
    targets: tuple[tuple[str, frozenset[str] | None], ...]
    """Each call that hands work over, with the names it takes; ``None`` where the schema does not close the set."""

    @classmethod
    def read(cls, tools: Sequence[ToolSchema]) -> Offer:
        """Read tool schemas."""
        control = control_in(tools)
        by_name = {tool.name: tool for tool in tools if tool.name in control}
        wanted = ((TRANSFER, "agent_name"), (SPAWN, "agent"), (DELEGATE, "agent_name"))
        return cls(
            frozenset(by_name),
            tuple((name, _enum(by_name[name], parameter)) for name, parameter in wanted if name in by_name),
        )

    @property
    def has_runs(self) -> bool:
        """Whether work may be given away in any way but by transfer."""
        return any(name != TRANSFER for name, _ in self.targets)

    def way_to(self, agent: str) -> str:
        """Return the call that reaches an agent; empty when none does.

        Examples
        --------
        >>> Offer(frozenset(), ((TRANSFER, frozenset({"remote"})), (SPAWN, None))).way_to("vault")
        'agent_spawn'
        """
        for name, agents in self.targets:
            if agents is None or agent in agents:
                return name
        return ""


def control_in(tools: Sequence[ToolSchema]) -> frozenset[str]:
    """Return the names that mean control tools, hand-overs among them, where these tools are offered."""
    return control_among((*_HAND_OVERS, *tools))


def _enum(tool: ToolSchema, parameter: str) -> frozenset[str] | None:
    """Return the closed set of values of a parameter."""
    values = shapes_of(tool).get(parameter, {}).get("enum")
    return frozenset(str(value) for value in values) if isinstance(values, list) else None


# -- what was said before ----------------------------------------------------------------------------------------------

MOST_TURNS = 8
"""Exchanges that are looked back on."""
_SHORT = 9
"""Words of an answer that may be the missing word, and nothing else."""
_ASKING = frozenset(("what", "who", "where", "when", "why", "which", "many"))
_THANKING = frozenset(("thanks", "greeting", "farewell"))
_CHATTING = _THANKING | {"you", "joke", "weather"}
_UNREAD = frozenset(("unclear", "no", "refrain", "talk", "fix"))
"""Acts of a request that corrects the one before without saying what is to be done."""
_FEW_SAID = 3
"""Words that an answer with a question mark may have."""
_LEAST_KEPT = 3
"""Words that are left of a request without its politeness: what says little else is an answer."""
_DOUBTFUL = 0.3
"""Confidence of a deletion that was read as a look: it is shown and asked about."""
_SURE = 0.8
"""Confidence from which a short text is a wish of its own, whatever was asked."""
_OF_ADDING = frozenset("append prepend write line row text item list file end first last new it that and along".split())
"""Concepts of words before what is added that are no part of it."""
_SHARED = 2
"""Words that a question shares with what was to be remembered, at least, to be about it."""
_PLACED_IN = frozenset(("in", "into"))
_YEAR = re.compile(r"(?:19|20)\d\d")
_WITHIN = ("に", "里", "中", "上", "裡")
"""What stands behind a file in which something is, where there are no blanks."""
_OF_MONEY = frozenset(("many", "who", "money"))
"""Concepts beside which owing is owing money."""
_ASKED_OF = frozenset(("what", "which", "who"))
_OF_AGENTS = frozenset(("agent", "tool"))
_OF_SYSTEMS = frozenset(("file", "folder", "command", "script", "web", "browser"))
"""Concepts of what agents work with: who can do something with it is no question of what stands in a file."""
_OTHERWISE = frozenset(("move", "rename", "delete", "copy", "replace", "run", "prepend"))
_PLACED_AT = frozenset(("in", "into", "between"))
_PLACING = _PLACED_AT | frozenset("from file change one_number create name please and then move".split())
"""Concepts of a wish to write what was shown that speaks of the file alone: "save to a.txt", "mets-les dans un fichier a.txt"."""
_SHOWN = frozenset(("it", "answer", "print", "line", "row", "name", "number", "list", "value", "sum"))
"""Concepts of a wish to write what was shown, of none, and of what was shown."""
_SHOWN_BY = {"count.matches": "search", "rows.count": "rows.where", "count.files": "list", "query": "query"}
"""What shows the things that an act counts."""
REMEMBERED = frozenset(("remember", "recall"))
"""Concepts of what is kept in mind."""
_THAT = frozenset("that dat dass daß que che że".split())
"""What stands before what is to be remembered."""
_POSSIBLY = 0.1
"""Confidence from which a reading is possible."""
_SAID_BY: Mapping[str, frozenset[str]] = {
    act: frozenset(said.split())
    for act, said in (
        ("talk", "joke greeting thanks farewell weather"), ("refrain", "no not none stop dismiss forget"),
        ("read", "read show open print what who when where many contain search"), ("delete", "delete"),
        ("exists", "file folder have is"), ("date", "when date newest oldest time"), ("size", "size many largest"),
        ("move", "move put"), ("rename", "rename name change"), ("copy", "copy save"), ("summary", "summary"),
        ("compare", "compare same"), ("append", "append put write"), ("replace", "replace change correct"),
        ("recall", "recall remember what who when where"), ("unclear", ""),
    )
}  # fmt: skip
"""Concepts of the words that say what is to be done; acts that are not here may be said in any way."""
_PLACED = frozenset(("file", "folder", "all"))
"""Concepts of a wish to see what is in a folder."""
_ALL = frozenset(("all", "each", "folder"))
"""Concepts of a wish to delete everything."""
_SHOWING_FIRST = frozenset(("show", "read", "open", "print"))
_WRITING = ("write", "append")
_COLONS = (":", "\uff1a")
_ROW_SAID = re.compile(r"[^\s,]+,[^\s,]+,[^\s,]+")
"""A row of a table, as it stands in a request."""
_UNDOING = frozenset(("no", "not", "none", "stop", "should", "put", "in", "into", "it", "then", "undo", "please"))
"""Concepts of the words with which a no may say that something shall be as before."""
_UNSURE_ACTS = frozenset(("rows.where", "cell", "unclear", "talk", "read", "replace", "json.set", "task.done", "task.change", "task.add"))  # fmt: skip
"""Acts that a wish to set a value of a table is taken for."""
_FEW_IN_CELL = 12
"""Words of such a wish."""
_SIMILAR = {"line.tick": "task.done", "line.untick": "task.done"}
"""Acts that nobody labelled requests after, and acts that requests go on from in the same way."""
_OF_A_FILE = {"task.delete": ("delete", "line.delete"), "task.add": ("append", "write")}
"""What wishes about tasks are where no word says that they are about tasks, and a file is meant rather."""
_BOTH = 2
"""Files that are compared."""
_OF_ONE = frozenset(("delete", "move", "copy", "rename"))
"""Acts that the longer, older … of two files may be for."""
_TOLD_BY = {"longer": "count.lines", "shorter": "count.lines", "larger": "size", "smaller": "size"}
"""What tells which of two files is longer, larger …; its date tells the rest."""
_PATH = re.compile(r"[^\s\"“”'`:;,()]*[^\s\"“”'`:;,().]\.[A-Za-z]\w{0,7}(?![\w/])")
_GOING = frozenset(("line.delete", "line.tick", "delete", "task.done", "task.delete"))
"""Acts after which something is gone from a list."""
_MOST_NOTES = 3
"""Lines before the rows of an answer that tells the largest: notes, and the sentence."""
_AFTER = re.compile(r" \([^()]*\)\Z")
_NUMBERED = re.compile(r"\A(?:\d+\. |✓ |- )")
_SHOWS = frozenset(("search", "task.list", "column.distinct", "columns", "recall"))
_SHOWING = ("list", "rows", "read.", "group", "code.list", "json.keys", "column.min", "column.max")
"""Acts, and beginnings of acts, that show several things one after the other."""
_ENDS = ".?!\u3002\uff1f"
"""How a sentence ends: what ends otherwise is a name."""
_LISTED = frozenset(("columns", "json.keys", "code.list", "column.distinct"))
"""Acts that are answered with names behind each other."""
_CHANGES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "appended": ("append", {"file": "file", "lines": "added"}),
    "prepended": ("prepend", {"file": "file", "lines": "added"}),
    "lines_deleted": ("line.delete", {"file": "file", "lines": "lines"}),
    "written": ("write", {"file": "file"}),
    "created": ("write", {"file": "file"}),
    "appended_new": ("write", {"file": "file"}),
    "replaced": ("replace", {"file": "file", "old": "old", "new": "new", "n": "n"}),
    "line_replaced": ("line.replace", {"file": "file", "old": "old", "new": "new", "n": "line"}),
    "json.set": ("json.set", {"file": "file", "old": "old", "new": "new", "name": "key"}),
    "moved": ("move", {"names": "file", "to": "to"}),
    "renamed": ("move", {"names": "file", "to": "to"}),
    "copied": ("copy", {"names": "file", "to": "to"}),
    "folder_made": ("folder.make", {"file": "to"}),
    "deleted.held": ("delete", {"file": "file", "lines": "text"}),
    "deleted": ("delete", {"names": "file"}),
    "task.done": ("task.done", {"names": "text"}),
    "remembered": ("remember", {"text": "text"}),
}
"""Sentences that tell a change: the act, and the role of each hole."""
_PARTED = {("appended", "lines"): "\n", ("prepended", "lines"): "\n", ("lines_deleted", "lines"): "\n",
           ("moved", "names"): ", ", ("copied", "names"): ", ", ("deleted", "names"): ", ", ("task.done", "names"): "; "}  # fmt: skip
"""What stands between several values of a hole."""
_ROLES = ("file to text old new find n line from until column value by key name ending except command").split()


class _Answer(NamedTuple):
    """What was answered, to be read back."""

    text: str
    language: str
    is_one: bool
    """Whether it is the answer to one step."""

    def said(self, key: str) -> dict[str, str] | None:
        return said(key, self.language, self.text, is_one=self.is_one) if key in sentences() else None

    def is_any(self, keys: Iterable[str]) -> bool:
        """Tell whether one of some sentences was said."""
        return any(self.said(key) is not None for key in keys)

    @property
    def is_listing(self) -> bool:
        """Whether it lists what is in a folder, whatever had been read."""
        found = said("entries", self.language, self.text.partition("\n")[0])
        return found is not None and found["n"][:1].isdigit() and not _PATH.fullmatch(found["n"])


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
    request = without_manners(request)
    if context.is_open and (anew := _behind_refusal(request, context)):
        request, context = anew, context._replace(asked=None, missing="", is_open=False)
    last = last_of(context)
    if (shell := as_act(request) or as_pipe(request)) is not None:
        return Reading((shell,), 1.0, language or "en")
    if (shell := _told_to_run(request)) is not None:
        return Reading((shell,), 1.0, reader().read(request).language)
    if line := as_line(request):
        return Reading((as_act(line) or Step("run", {"command": (line,)}, text=request),), 1.0, language or "en")
    if not context.asked and (each := wishes_in(request)):
        return _of_wishes(each, context, language, own)
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
    if (spelt := without_slip(request, reading.language, WISHING)) != request:
        reading, request = reader().read(spelt, before), spelt
    wish = without_greeting(request)
    if wish != request and [step.act for step in reading.steps] == ["talk"]:
        behind = reader().read(wish, before)
        told = frozenset[str]().union(*lexicon_of(behind.language).concepts(words_of(wish)))
        if not any(is_talk(step.act) for step in behind.steps) or (asks(wish) and not told & _CHATTING):
            reading, request = behind, wish
    bare = without_nothing_else(request)
    if bare != request and is_talk(reading.steps[0].act if reading.steps else "talk"):
        behind = reader().read(bare, before)
        if not any(is_talk(step.act) for step in behind.steps):
            reading, request = behind, bare
    if (sentence := wish_among(request, reading, before)) is not None:
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
    is_no = bool(told) and any(one & REFUSING for one in told) and len(found) <= _FEW_SAID
    is_no = is_no and all(
        one & (REFUSING | {"it", "greeting"}) or is_small(word.text) for word, one in zip(found, told, strict=True)
    )
    if not is_no or _length(wish) < 2:  # noqa: PLR2004 - a word may be the answer
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
    if colon and rest.strip() and len(words_of(head)) <= _FEW_SAID and "who" in concepts_of(head):
        return rest.strip()
    named = next((at for at in range(1, min(_FEW_SAID, len(found))) if told[at] & _OF_AGENTS), 0)
    is_named = bool(named) and bool(told[0] & _ASKED_OF) and found[named].kind == "word"
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
    if context.is_open and (first == "undo" or (first in _UNREAD and "kept" in back_in(request).values())):
        return reading._replace(steps=(Step("no", {}, text=request),), others=())
    is_question = request.rstrip()[-1:] in ASK_SIGNS
    is_asked = is_asking(request)
    if first == "refrain" and (is_asked or (is_question and not concepts_of(request) & WISHING)):
        first = "unclear"  # "who eats no nuts?"
        reading = reading._replace(steps=(Step(first, {}, text=request),), others=())
    if first in _UNREAD and _is_undo(request, context):
        reading = Reading((Step("undo", {}, text=request),), 1.0, reading.language)
    reading = behind_no(
        _beside_work(
            _said_rather(_meant(_with_nouns(_of_known_kinds(_of_no_sum(reading, request, context))), request), request)
        ),
        context,
    )
    if (whole := _answering(reading, request, context, first)) is not None:
        return whole
    reading = _of_correction(reading, request, context)
    reading = _written_alike(_of_files(_to_named_file(_rejoined(reading, request), request), request), request)
    if (corrected := correction(reading, request, context)) is not None:
        return corrected
    reading = of_list(of_spoken_list(reading, request, context), request, context)
    if (meant := _meant_instead(reading, request, context)) is not None:
        files = meant.arguments.get("file", ()) if meant.act == "count.lines" else ()
        each = tuple(meant.with_arguments(file=(file,)) for file in files)
        return reading._replace(steps=each or (meant,), confidence=1.0, others=(), each=())
    reading = _of_owed(_of_no_change(reading, request, context), request)
    reading = _of_cell(reading, request, context) or reading
    if reading.steps and reading.steps[0].act == "value.set":
        return _with_others_filled(reading)
    reading = _of_the_file(reading, request, context)
    if context.known and (recalled := _of_memory(reading, request, context)) is not None:
        return recalled
    is_of_asked = context.asked is not None and not context.missing and first in {*FOLLOWS, "no"}
    reading = later(reading, context)
    if context.asked is not None and is_of_asked:  # what was not sure enough to be done is not surer for a word more
        reading = reading._replace(confidence=min(reading.confidence, context.asked.confidence))
    return _with_whole_steps(reading, request, context)


def _meant_instead(reading: Reading, request: str, context: Context) -> Step | None:
    """Return the one step that a request means by its words, or by what was shown before it; ``None`` where it is as read."""
    return (
        _of_lacking(request, reading.language)
        or _of_compared(reading, request, context)
        or _of_folders(reading, request, context)
        or _of_one_shown(reading, request, context)
        or _of_next_shown(reading, request, context)
        or _of_shown_line(reading, request, context)
        or _of_numbered_line(reading, request, context)
        or _of_switch(reading, request, context)
        or _of_sorted(reading, context)
        or of_boxes(reading, request, context)
        or _of_lines_shown(reading, request, context)
        or _of_longest_counted(reading, request, context)
        or _of_program(reading, request, context)
        or _of_row_shown(reading, request, context)
        or _of_repeated(reading, request, context)
        or _of_matches(reading, request, context)
        or _of_count(reading, request, context)
        or _of_difference(reading, request, context)
        or _of_answer(reading, request, context)
    )


def _with_whole_steps(reading: Reading, request: str, context: Context) -> Reading:
    """Fill what the steps of a reading lack from the words beside them; a step for several files becomes one for each."""
    reading = reading._replace(steps=tuple(_into_folder(step, reading.language, context) for step in reading.steps))
    reading = reading._replace(steps=_with_all_quoted(reading.steps, request))
    steps = [_of_two_names(_in_place(_of_ending(_of_that_file(step, context)))) for step in reading.steps]
    steps = [_of_it(_of_last_task(step, reading.language, context), reading.language) for step in steps]
    steps = [
        with_left_over(
            _with_numbers(
                _with_label(
                    _only_text(_of_a_part(_plainly(_whole_text(step, reading.language))), reading.language),
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
    return _with_others_filled(reading._replace(steps=split))


def _of_ending(step: Step) -> Step:
    """Return that files of a kind are to be listed, where their ending was taken for a file: "which .txt files are in letters?".

    Examples
    --------
    >>> _of_ending(Step("list", {"file": (".txt", "letters")})).arguments
    {'file': ('letters',), 'ending': ('.txt',)}
    """
    files = step.arguments.get("file", ())
    ends = tuple(one for one in files if re.fullmatch(r"\*?\.\w{1,5}", one))
    if step.act != "list" or len(ends) != 1:
        return step
    rest = {"file": places} if (places := tuple(one for one in files if one not in ends)) else {}
    return Step("list.ending", {**rest, "ending": ends}, step.destination, step.text)


def _in_place(step: Step) -> Step:
    """Return that a file is to hold its text changed, where that is to be written: "write everything in a.txt in capitals".

    Examples
    --------
    >>> said = "write everything in a.txt in capitals"
    >>> _in_place(Step("read.upper", {"file": ("a.txt",)}, text=said)).destination
    'write'
    """
    is_of_text = step.act in {"read.upper", "read.lower", "read.reversed"} and len(step.arguments.get("file", ())) == 1
    if not is_of_text or step.destination or not concepts_of(step.text) & {"write", "replace"}:
        return step
    return step.with_arguments(to=step.arguments["file"])._replace(destination="write")


def _of_two_names(step: Step) -> Step:
    """Return a copy, or another name, from one name to another, where both were taken for one: "a.txt jako b.txt".

    Examples
    --------
    >>> _of_two_names(Step("copy", {"file": ("a.txt",), "to": ("a.txt jako b.txt",)})).arguments
    {'file': ('a.txt',), 'to': ('b.txt',)}
    """
    said = [[word.text for word in words_of(one) if word.kind == "file"] for one in sum(step.arguments.values(), ())]
    named = next((names for names in said if len(names) == _BOTH), [])
    is_between = step.act in {"copy", "rename", "move"} and len(set(named)) == _BOTH
    return step.with_arguments(file=(named[0],), to=(named[1],)) if is_between else step


def _of_that_file(step: Step, context: Context) -> Step:
    """Return that the file that is spoken of is to go, and no task, where it is called a file.

    Examples
    --------
    >>> said = Step("task.delete", {}, text="I don't need it after all, delete that file")
    >>> _of_that_file(said, Context(file="a.txt"))[:2]
    ('delete', {'file': ('a.txt',)})
    """
    is_file = step.act == "task.delete" and not step.arguments and "file" in concepts_of(step.text) and context.file
    return Step("delete", {"file": (context.file,)}, text=step.text) if is_file else step


def _of_last_task(step: Step, language: str, context: Context) -> Step:
    """Return a step that ticks off what was noted just now, where it does not say what: "done!", "I did that, tick it off".

    Examples
    --------
    >>> noted = Context(last=Step("task.add", {"text": ("buy paint",)}))
    >>> _of_last_task(Step("task.done", {}), "en", noted).word("text")
    'buy paint'
    """
    last = context.last
    is_ended = step.act in {"task.done", "task.delete"} and not (step.arguments or unexplained(step.text, language))
    return step.with_arguments(text=last.arguments["text"]) if is_ended and last and last.act == "task.add" else step


def _answering(reading: Reading, request: str, context: Context, first: str) -> Reading | None:
    """Return what a request makes of the plan that was asked about: it agrees, or says what was missing; else ``None``."""
    if context.asked is None:
        return None
    if first == "yes" and not _is_yes(reading, request):
        return reading._replace(steps=(Step("unclear", {}, text=request),), others=())
    if first == "yes":
        return context.asked._replace(confidence=1.0, language=reading.language, is_certain=True)
    return completed(reading, context, request) if context.missing else None


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
    kept = _without_last(found, "manners")
    if "\n" in request.strip() or len(kept) == len(found) or len(kept) < _LEAST_KEPT:
        return request
    return (
        request[: kept[-1].end].rstrip() if not kept[-1].is_quoted else request[: found[len(kept)].start].rstrip(" ,")
    )


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


def _without_last(found: Sequence[Word], concept: str, language: str = "") -> Sequence[Word]:
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
    kept = _without_last(words_of(new), "everywhere", language)
    kept = kept if step.word("file") else _without_last(kept, "therein", language)
    is_last = step.text.rstrip(" .!").endswith(new) and kept and len(kept) < len(words_of(new))
    return step.with_arguments(new=(new[: kept[-1].end],)) if is_last else step


def _with_others_filled(reading: Reading) -> Reading:
    """Return a reading whose alternatives have the words that are left over, where they lack them."""
    others = (
        one._replace(steps=tuple(with_left_over(step, reading.language) for step in one.steps))
        for one in reading.others
    )
    return reading._replace(others=tuple(others))


def _is_undo(request: str, context: Context) -> bool:
    """Tell whether a no takes the change back that was done: it says that and nothing more, and no question is open.

    Examples
    --------
    >>> done = Step("move", {"file": ("a.txt",), "to": ("old/",)})
    >>> _is_undo("no, not after all", Context(done, changed=done)), _is_undo("no, thanks", Context(done, changed=done))
    (True, False)
    """
    back = back_in(request)
    is_last = context.last is not None and is_change(context.last.act)
    if not back or context.changed is None or context.is_open or not (is_last or "ever" in back.values()):
        return False
    if "kept" in back.values():
        return context.changed.act in {"delete", "line.delete"}
    if len(clauses := CLAUSES.split(request)) > 1:  # "wait, I was wrong, put it back"
        return _says_back(request) or any("ever" in back_in(one).values() and _says_back(one) for one in clauses)
    return _says_back(request)


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


def _said_rather(reading: Reading, request: str) -> Reading:
    """Return the likeliest reading that a request has the words of, where the first is doubtful and it has none of its own.

    Examples
    --------
    >>> other = Reading((Step("delete", {"file": ("the letter",)}),), 0.2)
    >>> _said_rather(Reading((Step("read", {"file": ("the letter",)}),), 0.4, others=(other,)), "delete the letter").steps[0].act
    'delete'
    """
    first = reading.steps[0].act if len(reading.steps) == 1 else ""
    told = frozenset[str]().union(*lexicon_of(reading.language).concepts(words_of(request)))
    is_wrong = first == "refrain" and not told & REFUSING and bool(reading.others)
    is_wrong = is_wrong or (first == "delete.all" and not told & _ALL and bool(reading.others))
    if not first or (reading.confidence >= _SURE and not is_wrong):
        return reading
    least = reading.confidence if first == "talk" else 0.0
    is_shown = first == "talk" and bool(_SHOWING_FIRST.intersection(*lexicon().concepts(words_of(request))[:1]))
    for other in sorted(reading.others, key=lambda one: -one.confidence):
        step = other.steps[0]
        row = acts().get(step.act)
        is_look = row is not None and row.kind == "look" and bool(step.word("file"))
        is_likely = other.confidence > least and (first == "talk" or is_wrong)
        is_said = told & _SAID_BY.get(step.act.partition(".")[0], frozenset()) and other.confidence >= _POSSIBLY
        is_unsaid = reading.confidence < HALF and not told & _SAID_BY.get(first.partition(".")[0], told)
        if is_work(step) and (
            is_likely
            or (is_shown and is_look and other.confidence >= reading.confidence * HALF)
            or (is_said and (is_unsaid or is_wrong))
        ):
            rest = tuple(one for one in reading.others if one is not other)
            return other._replace(others=rest if is_wrong else (reading._replace(others=()), *rest))
    return reading


def _of_the_file(reading: Reading, request: str, context: Context) -> Reading:
    """Look in the file spoken of for what a question that points at it was taken to be remembered: "who is there then?"."""
    asks = request.rstrip()[-1:] in ASK_SIGNS
    is_memory = bool(context.known) or not REMEMBERED.isdisjoint(concepts_of(request))
    acts_read = [step.act for step in reading.steps]
    pointed = [word.text for word in words_of(request) if is_pointer(word.text, "it") or is_pointer(word.text, "those")]
    is_shown = acts_read == ["list"] and bool(context.file) and not reading.steps[0].arguments
    is_listed = context.last is not None and context.last.act in {"append", "line.delete", "line.tick"}
    is_shown = is_shown and (bool(pointed) or is_listed) and not concepts_of(request) & _PLACED
    if is_shown and context.query is None and len(words_of(request)) <= _SHORT:  # "zeig sie mir", "what is on it now?"
        return reading._replace(steps=(Step("read", {"file": (context.file,)}, text=request),))
    is_other = concepts_of(request) & OF_TASKS or any(step.arguments for step in reading.steps)
    if context.query is not None and acts_read in (["task.list"], ["list"]) and not is_other:
        step = context.query._replace(text=request)
        return reading._replace(steps=(step,), others=(reading, *reading.others))
    if not asks or not context.file or is_memory or acts_read != ["recall"] or not points_back(request):
        return reading
    step = reading.steps[0]._replace(act="search").with_arguments(file=(context.file,))
    return reading._replace(steps=(step,), others=(reading, *reading.others))


def _beside_work(reading: Reading) -> Reading:
    """Look for what seems talk beside something to be done, where it asks, and leave it out where it does not: "thanks! now …".

    Examples
    --------
    >>> both = Step("talk", {}, text="tell me how many takes song 4 needed"), Step("append", {}, text="and add it to a.txt")
    >>> [step.act for step in _beside_work(Reading(both)).steps]
    ['unclear', 'append']
    """
    if len(reading.steps) < 2 or not any(is_work(step) for step in reading.steps):  # noqa: PLR2004 - one beside another
        return reading
    kept = [
        (step._replace(act="unclear") if step.act == "talk" else step, sure)
        for step, sure in zip(reading.steps, reading.each or (reading.confidence,) * len(reading.steps), strict=True)
        if step.act != "talk" or asks(step.text)
    ]
    return reading._replace(
        steps=tuple(step for step, _ in kept), each=tuple(sure for _, sure in kept) if len(kept) > 1 else ()
    )


def _with_nouns(reading: Reading) -> Reading:
    """Take a word that could point at something for an article where a word that means nothing else stands behind it.

    Examples
    --------
    >>> said = Reading((Step("delete", {"file": ("die",)}, text="lösch die alten Flyer"),))
    >>> _with_nouns(said).steps[0].arguments["file"]
    ('die alten Flyer',)
    >>> _with_nouns(Reading((Step("delete", {"file": ("it",)}, text="delete it please"),))).steps[0].arguments["file"]
    ('it',)
    >>> said = Reading((Step("move", {"to": ("ahí carta.txt",)}, text="mete ahí carta.txt"),))
    >>> dict(_with_nouns(said).steps[0].arguments)
    {'to': ('ahí',), 'file': ('carta.txt',)}
    """
    steps = tuple(_put_there(_of_quoted(_with_noun(step, reading.language))) for step in reading.steps)
    return _of_lines_with(reading._replace(steps=steps, others=tuple(map(_with_nouns, reading.others))))


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
    head, _, text = step.text.partition(next((sign for sign in _COLONS if sign in step.text), "\0"))
    file, goal = step.word("file"), step.word("to")
    if step.act == "move" and file and goal and file in head and goal in text:
        return Step("append", {"file": step.arguments["file"], "text": (text.strip(),)}, text=step.text)
    if step.act == "rename" and not step.word("file") and (renamed := _with_what_is_renamed(step)) is not step:
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
    if step.act == "rename" and not step.word("to") and len(both) == _BOTH and all(map(ENDED.search, both)):
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
    """
    to = step.word("to")
    found = words_of(to)
    told = lexicon().concepts(found)
    verbs = [word for word, one in zip(found, told, strict=True) if "rename" in one]
    if verbs and found[-1].kind == "file":  # what it is to be called is not said yet
        return step.with_arguments(file=(to[verbs[-1].end :].strip(),), to=())
    before = words_of(step.text.partition(to)[0]) if to else ()
    led = zip(before, lexicon().concepts(before), strict=True)
    is_led = bool(before) and all("rename" in one or (is_small(word.text) and not one) for word, one in led)
    return step.with_arguments(file=step.arguments["to"], to=()) if is_led else step


def _with_noun(step: Step, language: str) -> Step:
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


def _of_no_sum(reading: Reading, request: str, context: Context) -> Reading:
    """Return that a question is to be found out where what was read as a sum is none: how much it is may stand in a file.

    Examples
    --------
    >>> said = Reading((Step("calculate", {"text": ("2024-05-18",)}),))
    >>> _of_no_sum(said, "who is there on 2024-05-18?", Context()).steps[0].act
    'unclear'
    """
    step = reading.steps[0] if len(reading.steps) == 1 else Step("unclear", {})
    if step.act != "calculate" or not asks(request) or "calculate" in concepts_of(request):
        return reading
    before = context.answer.partition("\n")[0]
    ways = (step.word("text"), in_figures(step.word("text"), before), f"{before} {step.word('text')}")
    if any(reckon(way, has_units=has_units) for way in ways for has_units in (False, True)):
        return reading
    return reading._replace(steps=(Step("unclear", {}, text=request),))


def _of_known_kinds(reading: Reading) -> Reading:
    """Take the next reading of the same kind of act where what should be a kind of files is none: "both recipe files".

    Examples
    --------
    >>> said = Reading((Step("copy.ending", {"ending": ("recipe files",)}),), others=(Reading((Step("copy", {}),)),))
    >>> _of_known_kinds(said).steps[0].act
    'copy'
    """
    step = reading.steps[0] if len(reading.steps) == 1 else Step("unclear", {})
    group, _, part = step.act.partition(".")
    if (
        step.act == "run"
        and not _is_line(step)
        and (rather := [one for one in reading.others if is_work(one.steps[0])])
    ):
        return rather[0]._replace(others=tuple(one for one in reading.others if one is not rather[0]))
    if step.act == "task.add" and _only_tells(step, reading):
        return reading._replace(steps=(Step("talk", {}, text=step.text),), others=())
    if is_misnamed(step):  # "put a.txt in a new folder old"
        moved = [
            (place, one)
            for place, one in enumerate(reading.others)
            if one.steps[0].act in {"move", "copy"} and one.steps[0].word("to") and one.steps[0].word("file")
        ]
        for place, other in moved[:1]:
            rest = (*reading.others[:place], *reading.others[place + 1 :])
            return other._replace(confidence=max(reading.confidence, other.confidence), others=rest)
    if step.act == "folder.make" and (put := _put_into(reading)) is not None:
        return put
    if part == "ending" and step.word("ending") and not endings(step.word("ending")):
        for place, other in enumerate(reading.others):
            if other.steps[0].act == group:
                rest = (*reading.others[:place], *reading.others[place + 1 :])
                return other._replace(confidence=max(reading.confidence, other.confidence), others=rest)
    if step.act == "delete" and (cut := _cut_rather(reading)) is not None:
        return cut
    for other in reading.others if step.act in {"list", "delete.all"} and not step.arguments else ():
        if other.steps[0].act == f"{group}.ending" and endings(other.steps[0].word("ending")):
            return other._replace(confidence=max(reading.confidence, other.confidence), others=())  # "all txt files"
    return reading


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
    for place, other in enumerate(reading.others if at < folder else ()):
        one = other.steps[0]
        if one.act in {"move", "copy"} and one.word("file") and one.word("to") == step.word("to"):
            rest = (*reading.others[:place], *reading.others[place + 1 :])
            return other._replace(confidence=max(reading.confidence, other.confidence), others=rest)
    return None


def _meant(reading: Reading, request: str) -> Reading:
    """Leave out a file that a request names behind a negation: what is changed is never that one.

    Where nothing else is left to change, the next reading is taken that does without it.
    """
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


def _without(step: Step, out: Collection[str]) -> Step | None:
    """Return a step without files that are not meant; ``None`` for a change of which nothing is left."""
    kept = {
        role: tuple(word for word in words if trimmed(word) not in out) if role in {"file", "to"} else words
        for role, words in step.arguments.items()
    }
    if all(kept.values()):
        return step.with_arguments(**kept)
    return None if is_change(step.act) or step.destination else step


def _rejoined(reading: Reading, request: str) -> Reading:
    """Return one step where a request was parted within one: between numbers of lines, or before where its result goes.

    Examples
    --------
    >>> parted = Reading((Step("line.delete", {"line": ("2",)}), Step("same", {"n": ("3",)})))
    >>> [step.text for step in _rejoined(parted, "delete lines 2 and 3").steps]
    ['delete lines 2 and 3']
    >>> parted = Reading((Step("list", {}), Step("read", {"to": ("a.txt",)}, "write")), 0.3, each=(0.9, 0.4))
    >>> _rejoined(parted, "list the files and save the list to a.txt").steps[0].destination
    'write'
    """
    first, *rest = reading.steps or (Step("unclear", {}),)
    if not rest and (deleted := _deleted_rather(first, reading.language)) is not first:
        return reading._replace(steps=(deleted,), confidence=min(reading.confidence, _DOUBTFUL))
    if len(rest) == 1 and first.act == "copy" and rest[0].act == "rename" and not first.word("to"):
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
    is_parted = bool(rest) and first.act == "line.delete" and all(step.act in FOLLOWS for step in rest)
    if is_parted and words and all(word.isdecimal() for word in words):
        file = first.arguments.get("file") or next((step.arguments["file"] for step in rest if step.word("file")), ())
        step = first.with_arguments(file=file)._replace(text=request)
        return reading._replace(steps=(step,), confidence=max((reading.confidence, *reading.each[:1])), each=())
    return reading


def _to_named_file(reading: Reading, request: str) -> Reading:
    """Return that a text is added to the list whose file a request names, and not to the tasks.

    Examples
    --------
    >>> more = Reading((Step("append", {"text": ("soap",), "file": ("the list", "shopping.txt")}),), 0.3)
    >>> said = Reading((Step("task.add", {"text": ("shopping.txt",)}),), 0.6, others=(more,))
    >>> _to_named_file(said, "note soap on the list (shopping.txt)").steps[0].arguments
    {'text': ('soap',), 'file': ('shopping.txt',)}
    """
    step = reading.steps[0] if len(reading.steps) == 1 else None
    if step is None or step.act != "task.add" or not any(word.kind == "file" for word in words_of(request)):
        return reading
    fitting = [_plainly(other.steps[0]) for other in reading.others if other.steps[0].act in _WRITING]
    likely = sum(other.confidence for other in reading.others if other.steps[0].act in _WRITING)
    for one in fitting:
        files = tuple(word for word in one.arguments.get("file", ()) if ENDED.search(word))[-1:]
        if files and one.word("text") and files[0] not in one.word("text"):
            sure = min(1.0, likely / max(1 - reading.confidence, likely))
            return Reading((one._replace(act="append").with_arguments(file=files),), sure, reading.language)
    return reading


def _of_files(reading: Reading, request: str) -> Reading:
    """Return the likeliest change of a file where a doubtful reading is about a task and no word of it says so.

    Examples
    --------
    >>> more = (Reading((Step("read", {"file": ("the letter",)}),), 0.35), Reading((Step("delete", {"file": ("the letter",)}),), 0.35))
    >>> _of_files(Reading((Step("task.delete", {"text": ("the letter",)}),), 0.46, others=more), "remove the letter").steps[0].act
    'delete'
    """
    step = reading.steps[0] if len(reading.steps) == 1 else Step("unclear", {})
    about = [one for one in reading.others if one.steps[0].word("file")]
    if step.act == "task.delete" and not step.word("text"):  # "delete the todo list"
        return next((one for one in about if one.steps[0].act == "delete"), reading)
    if step.act not in _OF_A_FILE or concepts_of(request) & OF_TASKS:
        return reading
    sure = _SURE if step.act == "task.delete" else HALF
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
    line = {"read.first": "1", "read.last": "-1"}.get(step.act, step.word("line"))
    rest = step.text.replace(step.word("file") or "\0", " ")
    told = frozenset[str]().union(*lexicon_of(language).concepts(words_of(rest)))
    is_one = bool(line) and step.act in {"read.first", "read.last", "read.line"} and step.word("n") in {"", "1"}
    if not is_one or "delete" not in told or told & (_SHOWING_FIRST | _ASKED_OF) or step.destination or asks(step.text):
        return step
    return Step(
        "line.delete", {"file": step.arguments.get("file", ()), "line": (line,)}, text=step.text
    ).with_arguments()


_MAYBE_ALIKE = frozenset(("exists", "same", "read", "unclear", "talk", "compare", "ask.change"))
"""Acts that are read where it is asked whether two files are the same."""


def _of_compared(reading: Reading, request: str, context: Context) -> Step | None:
    """Return what is wanted of the longer, older … of two files; of both, where it is asked which of them that is.

    Examples
    --------
    >>> both = Context(spoken=("a.md", "b.md"))
    >>> _of_compared(Reading((Step("read.longest", {}),)), "which one is longer?", both).arguments
    {'file': ('a.md', 'b.md')}
    >>> _of_compared(Reading((Step("move", {"to": ("old",)}),)), "move the shorter one to old", both).arguments
    {'file': ('shorter',), 'to': ('old',)}
    >>> _of_compared(Reading((Step("unclear", {}),)), "is the todo list longer than my notes?", Context()).arguments
    {'file': ('todo list', 'notes')}
    """
    step = reading.steps[0] if len(reading.steps) == 1 else Step("unclear", {})
    last = context.last
    is_long = step.act in {"read.longest", "read.shortest"} and not concepts_of(request) & {"line", "row", "word"}
    if is_long and last is not None and last.act == "compare" and len(last.arguments.get("file", ())) == _BOTH:
        return Step("count.lines", {"file": last.arguments["file"]}, text=request)  # "which is the longest?"
    kind, words = compared_in(request, reading.language)
    is_wish = "compare" in frozenset[str]().union(*lexicon_of(reading.language).concepts(words_of(request)[:1]))
    described = described_both(request, reading.language) if (kind and asks(request)) or is_wish else ()
    if described and len(reading.steps) == 1 and (is_wish or not is_change(step.act)) and step.act != "compare":
        return Step("compare" if is_wish else _TOLD_BY.get(kind, "date"), {"file": described}, text=request)
    pair = tuple(word.text for word in words_of(request) if word.kind == "file" and not word.is_quoted)
    if step.act in _MAYBE_ALIKE and asks(request) and "alike" in said_of_tables(request, reading.language):
        both = pair or (context.spoken[-_BOTH:] if _length(request) <= _SHORT else ())
        return Step("compare", {"file": both}, text=request) if len(both) == _BOTH else None  # "are they the same?"
    act = step.act.partition(".")[0]
    is_kept = any(
        words in word for role, said in step.arguments.items() if role in {"to", "text", "new", "old"} for word in said
    )
    if not kind or step.destination or is_kept or (is_change(step.act) and act not in _OF_ONE):
        return None
    rest = request.replace(words, " ").replace(step.word("to") or words, " ")
    if len(pair) != _BOTH and (pair or says_more(rest)):
        return None
    if is_change(step.act):
        return Step(act, {"file": (words,), **({"to": step.arguments["to"]} if step.word("to") else {})}, text=request)
    shown = tuple(name for name in context.shown if ENDED.search(name))
    both = pair or (shown if len(shown) == _BOTH else context.spoken[-_BOTH:])
    if len(both) != _BOTH:
        return None
    is_which = bool(pair) or is_asking(request)
    return Step(
        _TOLD_BY.get(kind, "date") if is_which else "read", {"file": both if is_which else (words,)}, text=request
    )


def _of_lacking(request: str, language: str) -> Step | None:
    """Return that the lines of one file are wanted which another one lacks: "what is in a.txt but not in b.txt?".

    Examples
    --------
    >>> _of_lacking("what is in a.txt that isn't in b.txt?", "en").arguments["file"]
    ('a.txt', 'b.txt')
    >>> _of_lacking("was fehlt in a.txt, was in b.txt steht?", "de").arguments["file"]
    ('b.txt', 'a.txt')
    >>> _of_lacking("show a.txt, not b.txt", "en")
    """
    found = words_of(request)
    told = lexicon().concepts(found)
    marks, asked = words_of_wishes(language).concepts(found), words_of_tables(language).concepts(found)
    named = [at for at, word in enumerate(found) if word.kind == "file"]
    if not named and any("list" in one for one in told):  # "on the 2024 list but not on the 2023 one"
        named = [at for at, word in enumerate(found) if _YEAR.fullmatch(word.text)]
    if len(named) != _BOTH or any(word.is_quoted for word in found) or found[named[0]].text == found[named[1]].text:
        return None
    first, second = named
    is_east = language in {"ja", "zh"}
    is_in = is_east and all(request[found[at].end :].lstrip()[:1] in _WITHIN for at in named)
    if not is_in and not any(one & _ASKED_OF for one in told[:first]):
        return None
    lacking = [
        at
        for at in range(len(found))
        if told[at] & NEGATING or "none" in told[at] or "lacking" in marks[at] or "not" in asked[at]
    ]
    if not lacking:
        return None
    is_turned = any(first < at < second for at in lacking) if is_east else lacking[-1] < first
    both = (found[second].text, found[first].text) if is_turned else (found[first].text, found[second].text)
    return Step("compare.only", {"file": both}, text=request)


def _of_folders(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that several folders are to be made: those that are counted up, inside of the one that was made before.

    Examples
    --------
    >>> said = Reading((Step("folder.make", {"to": ("a1",)}),))
    >>> _of_folders(said, "make folders a1, a2 and a3", Context()).arguments
    {'to': ('a1', 'a2', 'a3')}
    >>> made = Context(changed=Step("folder.make", {"to": ("trip",)}))
    >>> _of_folders(Reading((Step("talk", {}),)), "inside it please create day1 and day2", made).arguments
    {'to': ('trip/day1', 'trip/day2')}
    """
    found = words_of(request)
    if len(reading.steps) != 1 or any(word.kind in {"file", "folder"} or word.is_quoted for word in found):
        return None
    step, changed, told = reading.steps[0], context.changed, concepts_of(request)
    is_inside = (
        changed is not None
        and changed.act == "folder.make"
        and {"create", "in"} <= told
        and points_back(request)
        and context.asked is None
    )
    names = counted_up(request)
    if len(names) < 2 or not (is_inside or step.word("to") in names):  # noqa: PLR2004 - several
        return None
    if not is_inside and step.act != "folder.make":
        return None
    where = f"{changed.word('to')}/" if is_inside and changed is not None else ""
    return Step("folder.make", {"to": tuple(f"{where}{name}" for name in names)}, text=request)


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
    """
    files, to, changed = step.arguments.get("file", ()), step.word("to"), context.changed
    if step.act in {"write", "create"} and len(files) == _BOTH:
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


def _of_one_shown(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that one of the files that were listed is meant, or another one than before, where a request describes it.

    Examples
    --------
    >>> listed = Context(Step("list", {}), shown=("letters/bank.txt", "letters/landlord.txt"))
    >>> _of_one_shown(Reading((Step("read", {}),)), "read me the one to the landlord", listed).arguments
    {'file': ('letters/landlord.txt',)}
    >>> counted = Context(Step("count.words", {"file": ("letters/bank.txt",)}), "letters/bank.txt")
    >>> _of_one_shown(Reading((Step("fix", {"to": ("grandma",)}),)), "no, the one to grandma", counted).act
    'count.words'
    """
    step, last = reading.steps[0], context.last
    row = acts().get(step.act)
    if len(reading.steps) > 1 or any(word.kind in {"file", "folder", "number"} for word in words_of(request)):
        return None
    if step.act == "fix" and last is not None and set(step.arguments) == {"to"} and not is_change(last.act):
        roles = acts()[last.act].roles if last.act in acts() else ()
        is_file = "file" in roles and "to" not in roles and context.file
        return Step(last.act, {**last.arguments, "file": step.arguments["to"]}, text=request) if is_file else None
    files = [name for name in context.shown if ENDED.search(name)]
    left = unexplained(request, reading.language)
    if step.act == "line.delete" and set(step.arguments) == {"file"}:
        step = Step("delete", {}, text=request)  # "delete the one from the bank"
    if row is None or "file" not in row.roles or step.arguments or len(files) < _BOTH or not 0 < len(left) <= _BOTH:
        return None
    found = pick(" ".join(left), files, is_file=True)
    return step.with_arguments(file=(found.name,)) if found.name and not found.is_guess else None


def _of_next_shown(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that another of the files that were listed is to be read, and no line: "and the last one?".

    Examples
    --------
    >>> read = Context(Step("read", {"file": ("b.md",)}), "b.md", shown=("a.md", "b.md", "c.md"))
    >>> _of_next_shown(Reading((Step("read.last", {"n": ("one",)}),)), "and the last one?", read).arguments
    {'file': ('c.md',)}
    """
    step = reading.steps[0] if len(reading.steps) == 1 else Step("unclear", {})
    is_shown = context.last is not None and context.last.act == "read" and context.file in context.shown
    is_line = bool(concepts_of(request) & {"line", "row", "word", "character"})
    if not is_shown or is_line or not step.act.startswith("read.") or _length(request) > FEW_WORDS:
        return None
    said = [
        word.text for word in words_of(request) if word.kind not in {"sign", *UNSPACED} and word.folded not in ARTICLES
    ]
    place = next((found for word in said or [request] if (found := rank(word))), 0)
    if not place or abs(place) > len(context.shown):
        return None
    return Step("read", {"file": (context.shown[place - 1 if place > 0 else place],)}, text=request)


def _of_shown_line(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that the one line or row that was shown is to be deleted, and no file: "delete that row".

    Examples
    --------
    >>> shown = Context(Step("column.min", {"column": ("price",)}), "a.csv", shown=("nail, 1",))
    >>> _of_shown_line(Reading((Step("delete", {"file": ("that row",)}),)), "delete that row", shown).arguments
    {'file': ('a.csv',), 'find': ('nail, 1',)}
    """
    told = concepts_of(request)
    is_one = len(context.shown) == 1 and bool(context.file) and context.shown[0] != context.file
    if not is_one or len(reading.steps) != 1 or reading.steps[0].act not in {"delete", "line.delete"}:
        return None
    if (
        not (told & {"line", "row"} or is_part(request))
        or "word" in told
        or says_more(request)
        or any(sign.isdigit() for sign in request)
    ):
        return None
    return Step("line.delete", {"file": (context.file,), "find": context.shown}, text=request)


def _of_numbered_line(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that a line of the list that is spoken of goes, which is told by its place: "strike the second one".

    Examples
    --------
    >>> shown = Context(Step("read", {"file": ("list.txt",)}), "list.txt")
    >>> said = Reading((Step("task.done", {"text": ("the second one",)}),))
    >>> _of_numbered_line(said, "strike the second one", shown).arguments
    {'file': ('list.txt',), 'line': ('the second one',)}
    """
    step = reading.steps[0] if len(reading.steps) == 1 else Step("unclear", {})
    words = [word for said in step.arguments.values() for word in said]
    told = lexicon().concepts(words_of(request))
    marks = frozenset[str]().union(*words_of_wishes(reading.language).concepts(words_of(request)))
    is_shown = context.last is not None and context.last.act in {"read", "append", "line.delete", "undo", "write"}
    is_file = ENDED.search(context.file) is not None and not context.file.endswith(TABLES)
    is_gone = "off" in marks or (step.act != "delete" and any("delete" in one for one in told))
    if not (is_shown and is_file and is_gone and len(words) == 1 and rank(words[0]) is not None):
        return None
    is_bare = all(is_small(word) or concepts_of(word) or rank(word) is not None for word in words[0].split())
    if context.is_open or context.file in context.shown or not is_bare or step.act not in _GOING or asks(request):
        return None
    return Step("line.delete", {"file": (context.file,), "line": (words[0],)}, text=request)


def _of_sorted(reading: Reading, context: Context) -> Step | None:
    """Return that only the first rows are wanted of those that were just sorted: "only the first three".

    Examples
    --------
    >>> told = Context(last=Step("read.sorted", {"file": ("a.csv",)}, text="sort a.csv by price, dearest first"))
    >>> read = Reading((Step("read.first", {"n": ("three",)}),))
    >>> _of_sorted(read, told).text
    'sort a.csv by price, dearest first, three'
    """
    step, last = reading.steps[0] if len(reading.steps) == 1 else Step("talk", {}), context.last
    is_sorted = last is not None and last.act in {"read.sorted", "rows.sorted"}
    if last is None or not is_sorted or step.act != "read.first" or step.word("file") or not step.word("n"):
        return None
    return last._replace(text=f"{last.text.partition(chr(10))[0]}, {step.word('n')}")


def _of_switch(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that a value of a JSON file is put on or off, and neither said: "turn off the break in a.json", "switch it on".

    Examples
    --------
    >>> said = Reading((Step("json.set", {"file": ("a.json",)}),))
    >>> _of_switch(said, "turn off the break in a.json", Context()).arguments
    {'file': ('a.json',), 'key': ('break',), 'new': ('false',)}
    """
    step = reading.steps[0] if len(reading.steps) == 1 else Step("talk", {})
    found = words_of(request)
    marks = words_of_wishes(reading.language).concepts(found)
    every = frozenset[str]().union(*marks)
    new = "true" if "on" in every else "false" if "stopped" in every else ""
    named = [word.text for word in found if word.kind == "file" and word.text.endswith(".json")]
    last = context.last
    is_said = step.act.startswith(("json.", "value.")) and not step.word("new")
    goes_on = last is not None and last.act.startswith("json.") and last.word("key") and len(found) <= FEW_WORDS
    file = named[0] if len(named) == 1 else context.file if context.file.endswith(".json") else ""
    if not new or not file or asks(request) or not (is_said or named or goes_on):
        return None
    marked = {word.text: () for word, one in zip(found, marks, strict=True) if one & {"on", "stopped"}}
    said = Step(step.act, {"file": (file, *marked)}, text=request)
    is_of_last = goes_on and not step.word("key") and len(found) <= _FEW_SAID
    key = step.word("key") or ("" if is_of_last else left_over(request, said, reading.language))
    if not key and goes_on and last is not None:
        key = last.word("key")
    return Step("json.set", {"file": (file,), "key": (trimmed(key),), "new": (new,)}, text=request) if key else None


def _written_alike(reading: Reading, request: str) -> Reading:
    """Add up readings that write the same text to the same file, anew or at its end: only the verb tells which."""
    step = reading.steps[0] if len(reading.steps) == 1 else None
    if step is None or step.act not in _WRITING:
        return reading
    step = _plainly(step)
    file = next((word for word in step.arguments.get("file", ()) if ENDED.search(word)), "")
    also = [other for other in reading.others if file and _says_alike(step, _plainly(other.steps[0]), file)]
    if also and reading.confidence < HALF and not left_over(request, step, reading.language, is_any=True):
        texts = [text for other in also if (text := other.steps[0].word("text")) and step.word("text").endswith(text)]
        bare = min(texts, key=len, default="")
        if bare and "line" in concepts_of(step.word("text").removesuffix(bare)):  # "with three lines, a, b and c"
            step = step.with_arguments(text=(bare,))
        both = min(1.0, reading.confidence + sum(other.confidence for other in also))
        reading = reading._replace(steps=(step,), confidence=both)
    for other in reading.others:
        alike = _plainly(other.steps[0])
        if alike.act in _WRITING and alike.act != step.act and dict(alike.arguments) == dict(step.arguments):
            told = concepts_of(request.replace(step.word("text"), " "))
            adds = told & {"put", "append"} and not told & {"write", "save", "replace"}
            both = min(1.0, reading.confidence + other.confidence)
            return reading._replace(steps=(step._replace(act="append" if adds else step.act),), confidence=both)
    return reading


def _says_alike(step: Step, other: Step, file: str) -> bool:
    """Tell whether a step may write the same text to the file that another one writes it to, or notes it as a task."""
    if other.act == "task.add":
        return other.word("text") == step.word("text")
    is_part = not other.word("text") or step.word("text").endswith(other.word("text"))
    return other.act in {*_WRITING, "create"} and file in other.arguments.get("file", ()) and is_part


def _only_text(step: Step, language: str) -> Step:
    """Leave out of what is written the words that only say that it follows, and the folder it goes to; keep labels whole.

    Examples
    --------
    >>> _only_text(Step("append", {"text": ("saying we are closed",)}), "en").arguments
    {'text': ('we are closed',)}
    >>> _only_text(Step("append", {"text": ("hello into the folder old",)}), "en").arguments
    {'text': ('hello',), 'file': ('old',)}
    >>> said = "replace Tom: barn by Eva: barn"
    >>> _only_text(Step("replace", {"old": ("barn",), "new": ("Eva",)}, text=said), "en").arguments
    {'old': ('Tom: barn',), 'new': ('Eva: barn',)}
    """
    old, new, text = step.word("old"), step.word("new"), step.word("text")
    if step.act == "replace" and old and new and f"{new}: {old}" in step.text:
        label = re.search(rf"(\S+: ){re.escape(old)}", step.text)
        is_label = label is not None and label[1] != f"{new}: "
        return step.with_arguments(old=(label[1] + old,), new=(f"{new}: {old}",)) if label and is_label else step
    found = words_of(text)
    if step.act not in {*_WRITING, "prepend"} or not found or any(word.is_quoted for word in found):
        return step
    marks, told = words_of_wishes(language).concepts(found), lexicon_of(language).concepts(found)
    led = {"saying"} if step.act not in {"append", "prepend"} else {"saying", "besides"}  # "add milk too"
    begin = next((at for at, one in enumerate(marks) if not one & led), 0)
    at = next((at for at, one in enumerate(told) if at > 1 and "folder" in one), 0)
    start = next((place for place in range(at - 1, max(begin, at - _FEW_SAID), -1) if told[place] & _PLACED_IN), 0)
    if start and at + 1 < len(found) and not step.word("file"):
        return step.with_arguments(text=(text[found[begin].start : found[start - 1].end],), file=(found[-1].text,))
    return step.with_arguments(text=(text[found[begin].start :],)) if begin else step


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
    if step.act not in {*_WRITING, "prepend", "task.add", "remember"} or before[-1:] not in _COLONS:
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
    """
    text, said = step.word("text"), step.text.partition("\n")[0]
    if step.act not in {*_WRITING, "prepend", "task.add", "remember"} or said.count(text) != 1 or not text:
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


def _whole_text(step: Step, language: str) -> Step:
    """Give what is added to a named file the verb back that it begins with, and the place that it ends with.

    Examples
    --------
    >>> said = "apunta en a.txt pegar carteles en la iglesia"
    >>> _whole_text(Step("append", {"file": ("a.txt", "la iglesia"), "text": ("carteles",)}, text=said), "es").arguments
    {'file': ('a.txt',), 'text': ('pegar carteles en la iglesia',)}
    """
    text, (file, *places) = step.word("text"), step.arguments.get("file", ("",))
    said = step.text.partition("\n")[0]
    lead = words_of(said.partition(text)[0]) if said != step.text and said.endswith(text) and text else ()
    if text in {step.text[start:end] for start, end in quotations(step.text)}:
        return step  # what stands behind a quotation is no part of it
    is_led = bool(lead) and all(word.kind == "sign" or not _is_no_adding(word, language) for word in lead[:-1])
    if step.act in {"append", "prepend", "task.add"} and is_led and _is_no_adding(lead[-1], language):
        return step.with_arguments(text=(said[lead[-1].start :],))  # "feed H5" behind "add water H4 to a.txt"
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
    return word.kind == "word" and not (told & (_OF_ADDING | NEGATING | REFUSING) or is_filler)


def _of_answer(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that the last answer is to be written to a file, where a request says nothing else that could be.

    Examples
    --------
    >>> read = Context(last=Step("search", {"find": ("WARN",)}), answer="WARN low battery")
    >>> said = Reading((Step("search", {"to": ("a.txt",)}, "write"),), language="fr")
    >>> _of_answer(said, "enregistre ces lignes dans a.txt", read).arguments
    {'file': ('a.txt',), 'text': ('it',)}
    """
    last = context.last
    if len(reading.steps) != 1 or last is None or not context.answer or context.asked is not None:
        return None
    step = reading.steps[0]
    file = next((word for role in ("to", "file") for word in step.arguments.get(role, ()) if ENDED.search(word)), "")
    if not file or (is_change(last.act) and not last.act.startswith("run")):
        return None
    rest = words_of(request.replace(file, " ", 1))
    every = frozenset[str]().union(*lexicon_of(reading.language).concepts(rest))
    is_bare = every <= KEEPING | _PLACING and bool(every & _PLACED_AT or reading.language in {"ja", "zh"})
    is_other = bool(every & (_OTHERWISE - {"move"} if "put" in every else _OTHERWISE))  # nothing is moved into a file
    is_clear = bool(every & KEEPING) and not is_other and (bool(every & _SHOWN) or is_bare)
    if not is_clear or says_more(request.replace(file, " ", 1)):
        return None
    return Step("append" if "append" in every else "write", {"file": (file,), "text": ("it",)}, text=request)


def _of_owed(reading: Reading, request: str) -> Reading:
    """Return that a table is asked first who owes how much, whatever else was read.

    Examples
    --------
    >>> said = Reading((Step("size", {"file": ("Ann",)}),), 0.3)
    >>> _of_owed(said, "how much does Ann still owe me?").steps[0].act, _of_owed(said, "how large is Ann?").steps[0].act
    ('query', 'size')
    """
    step = reading.steps[0] if len(reading.steps) == 1 else Step("write", {})
    is_owed = "owed" in said_of_tables(request, reading.language) and bool(concepts_of(request) & _OF_MONEY)
    is_named = any(word.kind == "file" for word in words_of(request))
    if not (is_owed and asks(request)) or is_named or step.destination or (step.act in acts() and is_change(step.act)):
        return reading
    return reading._replace(steps=(Step("query", {}, text=request),), others=(reading, *reading.others))


def _of_no_change(reading: Reading, request: str, context: Context) -> Reading:
    """Return that a look is gone on with where no word of a few says that anything is to be changed: "and for a group".

    Examples
    --------
    >>> more = Reading((Step("same", {"key": ("group",)}),), 0.4)
    >>> said = Reading((Step("json.set", {"new": ("group",)}),), 0.8, others=(more,))
    >>> _of_no_change(said, "and for a group", Context(Step("json.get", {"key": ("child",)}))).steps[0].act
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


def _of_cell(reading: Reading, request: str, context: Context) -> Reading | None:
    """Return that a value of a table is to be set, before or behind what was read otherwise: "put Nina in room D".

    Examples
    --------
    >>> said = Reading((Step("json.set", {"key": ("thermometer",), "new": ("12",)}),), 0.4)
    >>> found = _of_cell(said, "set the count of the thermometer to 12", Context(file="equipment.json"))
    >>> found.steps[0].act, found.steps[0].word("new"), found.others[0] == said
    ('value.set', '12', True)
    """
    step = reading.steps[0] if len(reading.steps) == 1 else None
    is_doubtful = step is not None and step.act in _WRITING and reading.confidence < HALF
    is_set = step is not None and _is_setting(step, reading.confidence, request, context)
    acts_of_it = {"json.set", "replace", "line.replace", "move", "task.done"}
    is_set = is_set and not list_in(request, words_of(request), reading.language)
    is_unsaid = step is not None and step.act == "line.delete" and "delete" not in concepts_of(request)
    if step is None or not (is_doubtful or is_set or is_unsaid or step.act in acts_of_it):
        return None
    named = [word.text for word in words_of(request) if word.kind == "file"]
    file = named[0] if len(named) == 1 else context.file if not named else ""
    is_table = file.casefold().endswith((".csv", ".tsv", ".json"))
    is_anywhere = not file and (is_set or (step.act == "json.set" and bool(step.word("new"))))
    is_other = request.rstrip()[-1:] in ASK_SIGNS or any(ENDED.search(word) for word in step.arguments.get("to", ()))
    if not (is_table or is_anywhere) or is_other or any(word.is_quoted for word in words_of(request)):
        return None
    if not request.strip() or (step.act == "task.done" and not named and not is_set):
        return None
    new = (
        ()
        if (is_set and step.act not in {"json.set", "replace", *FOLLOWS})
        or step.act in {"task.done", "move"}
        or "done" in concepts_of(request)
        else _new_of(reading)
    )
    cell = Step("value.set", {"text": (request,)}, text=request).with_arguments(file=(file,) if file else (), new=new)
    found = Reading((cell,), 1.0, reading.language, (reading, *reading.others))
    is_whole = (
        not is_set and step.act in {"move", "replace", "json.set"} and not lacks(step) and reading.confidence >= HALF
    )
    if is_whole and not _ROW_SAID.search(request):  # only where nothing is called what was read
        return reading._replace(others=(found._replace(others=()), *reading.others))
    return found


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
    is_unsure = confidence < _SURE and not is_asking(request)
    marks = words_of_wishes().concepts(found)
    is_begun = "change" in first or any("mark" in one for one in marks[:FIRST_WORDS])
    is_one = step.act in _UNSURE_ACTS or step.act not in acts() or (goes_on and step.act in FOLLOWS)
    is_more = goes_on and (is_unsure or is_change(step.act) or step.act in FOLLOWS)
    return is_one and (is_more or (is_unsure and is_begun)) and len(found) <= _FEW_IN_CELL


def _new_of(reading: Reading) -> tuple[str, ...]:
    """Return the new value that any of the likeliest readings found."""
    return next(
        (new for one in (reading, *reading.others) if one.steps and (new := one.steps[0].arguments.get("new"))), ()
    )


def _of_count(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that what was counted is to be shown: "show me them", "which ones?".

    Examples
    --------
    >>> counted = Context(last=Step("count.matches", {"file": ("a.log",), "find": ("WARN",)}))
    >>> _of_count(Reading((Step("read", {"file": ("them",)}),)), "show me them", counted)
    Step(act='search', arguments={'file': ('a.log',), 'find': ('WARN',)}, destination='', text='show me them')
    """
    last = context.last
    shown = _SHOWN_BY.get(last.act, "") if last is not None else ""
    shown = "" if last is not None and shown == "query" and not last.word("query").startswith("count") else shown
    if last is None or not shown or len(reading.steps) != 1 or context.asked is not None:
        return None
    step = reading.steps[0]
    is_look = not is_change(step.act) and not step.act.startswith(("count", "column", "list."))
    if not is_look or not concepts_of(request) & SHOWING or len(words_of(request)) > _SHORT:
        return None
    if says_more(request) or any(word.kind in {"file", "folder"} for word in words_of(request)):
        return None
    return last._replace(act=shown, text=request)


def _of_lines_shown(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that some lines of the file that was shown are wanted: "only the errors"; or what was counted of it is kept.

    Examples
    --------
    >>> shown = Context(Step("read.last", {"file": ("a.log",)}), "a.log")
    >>> _of_lines_shown(Reading((Step("search", {"find": ("errors",)}),)), "only the errors", shown).arguments
    {'file': ('a.log',), 'find': ('errors',)}
    >>> counted = Context(Step("count.matches", {"file": ("a.log",), "find": ("WARN",)}), "a.log")
    >>> said = Reading((Step("same", {"to": ("b.txt",)}, "write"),))
    >>> _of_lines_shown(said, "save them to b.txt", counted)
    Step(act='search', arguments={'file': ('a.log',), 'find': ('WARN',), 'to': ('b.txt',)}, destination='write', text='save them to b.txt')
    """
    step, last = reading.steps[0], context.last
    if len(reading.steps) > 1 or last is None or not context.file:
        return None
    if (
        last.act == "count.matches"
        and step.act == "same"
        and step.destination in {"write", "append"}
        and step.word("to")
    ):
        return Step("search", {**last.arguments, "to": step.arguments["to"]}, step.destination, request)
    word = step.word("find") or step.word("value")
    is_part = step.act in {"search", "rows.where"} and word and not step.word("file") and "only" in concepts_of(request)
    is_text = last.act.startswith("read") and not context.file.casefold().endswith((".csv", ".tsv", ".json"))
    return Step("search", {"file": (context.file,), "find": (word,)}, text=request) if is_part and is_text else None


def _of_longest_counted(reading: Reading, request: str, context: Context) -> Step | None:
    r"""Return which of several files that were counted has most, or least: "which one is the longest?".

    Examples
    --------
    >>> told = "letters has 52 words.\nletters/a.txt: 28\nletters/b.txt: 24"
    >>> counted = Context(Step("count.words", {"file": ("letters",)}), answer=told)
    >>> _of_longest_counted(Reading((Step("read.longest", {}),)), "which one is the longest?", counted).arguments
    {'file': ('letters/a.txt',)}
    """
    step, last = reading.steps[0], context.last
    if (
        last is None
        or last.act not in {"count.lines", "count.words", "count.chars"}
        or step.arguments.keys() - {"column"}
    ):
        return None
    counts = {one[1]: int(one[2]) for one in _COUNTED_LINE.finditer(context.answer)}
    told = concepts_of(request)
    ends = [
        end
        for end, said in ((max, {"longest", "largest", "max"}), (min, {"shortest", "smallest", "min"}))
        if told & said
    ]
    if len(counts) < _BOTH or len(ends) != 1 or any(word.kind == "file" for word in words_of(request)):
        return None
    return Step(last.act, {"file": (ends[0](counts, key=lambda name: counts[name]),)}, text=request)


_COUNTED_LINE = re.compile(r"^(\S.*): (\d+)$", re.MULTILINE)
_MAYBE_PROGRAM = frozenset(("ask.change", "same", "talk", "unclear", "read", "about.agents", "about.owner", "run", "run.file", "code.show", "exists"))  # fmt: skip
"""Acts that are read where it is asked what a program does."""
_OF_PROGRAM = re.compile(r"[\w./-]+\.(?:py|sh|js|r|rb|pl|bash)\b")


def _of_program(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that a program, or one of its functions that were listed, is to be shown: "what does this script do?".

    Examples
    --------
    >>> ran = Context(Step("run", {"command": ("python3 report.py",)}))
    >>> _of_program(Reading((Step("same", {}),)), "and what does this script do?", ran).arguments
    {'file': ('report.py',)}
    >>> listed = Context(Step("code.list", {"file": ("a.py",)}), "a.py", shown=("load", "save"))
    >>> _of_program(Reading((Step("read.last", {}),)), "what does the last one do?", listed).arguments
    {'file': ('a.py',), 'name': ('save',)}
    """
    step, last = reading.steps[0], context.last
    if (
        len(reading.steps) > 1
        or "does" not in said_of_tables(request, reading.language)
        or is_change(step.act) > asks(request)
    ):
        return None
    if last is not None and last.act == "code.list" and not any(word.kind == "file" for word in words_of(request)):
        place = next((found for word in words_of(request) if (found := rank(word.text))), 0)
        if place and abs(place) <= len(context.shown):
            return Step(
                "code.show", {"file": (context.file,), "name": (context.shown[place - (place > 0)],)}, text=request
            )
    said = last.word("command") if last is not None else ""
    is_short = _length(request) <= FEW_WORDS + _BOTH
    told = _OF_PROGRAM.search(request) or (_OF_PROGRAM.search(f"{said} {context.file}") if is_short else None)
    if told is None or step.act not in _MAYBE_PROGRAM or step.word("name"):
        return None
    return Step("read", {"file": (told[0],)}, text=request)


def _of_row_shown(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that one of the rows that were shown is wanted, told by its place: "who is the second one?".

    Examples
    --------
    >>> shown = Context(Step("query", {"file": ("a.csv",)}), "a.csv", shown=("1,Ann", "2,Bo"))
    >>> _of_row_shown(Reading((Step("talk", {}),)), "who is the second one?", shown).arguments
    {'file': ('a.csv',), 'find': ('2,Bo',)}
    """
    step, last = reading.steps[0], context.last
    is_told = last is not None and last.act in {"query", "rows.where"} and len(context.shown) > 1
    if not is_told or len(reading.steps) > 1 or is_change(step.act) or _length(request) > FEW_WORDS + 1:
        return None
    if any(word.kind in {"file", "folder"} for word in words_of(request)) or unexplained(request, reading.language):
        return None
    place = next((found for word in words_of(request) if (found := rank(word.text))), 0)
    if (
        not place
        or abs(place) > len(context.shown)
        or step.act not in {"json.get", "talk", "read.line", "unclear", "same", "read"}
    ):
        return None
    return Step("search", {"file": (context.file,), "find": (context.shown[place - (place > 0)],)}, text=request)


_MAYBE_REPEATED = frozenset(("exists", "read", "search", "unclear", "talk", "read.unique", "count.matches", "delete", "line.delete"))  # fmt: skip
"""Acts that are read where lines that stand somewhere twice are asked for, or are to go."""


def _of_repeated(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that lines that stand somewhere twice are wanted, or are to go: "are there names that appear twice?".

    Examples
    --------
    >>> named = Context(file="a.txt")
    >>> _of_repeated(Reading((Step("exists", {}),)), "does any name appear twice?", named).act
    'read.repeated'
    >>> _of_repeated(Reading((Step("delete", {"file": ("the duplicates",)}),)), "remove the duplicates", named)
    Step(act='read.unique', arguments={'file': ('a.txt',), 'to': ('a.txt',)}, destination='write', text='remove the duplicates')
    """
    step, named = reading.steps[0], [word.text for word in words_of(request) if word.kind == "file"]
    told = concepts_of(request)
    is_gone = step.act in {"delete", "line.delete"} or ("delete" in told and bool(told & {"line", "row", "word"}))
    file = named[0] if named else context.file
    is_it = len(reading.steps) == 1 and (step.act in _MAYBE_REPEATED or is_gone) and len(named) < _BOTH and bool(file)
    if not is_it or "twice" not in said_of_tables(request, reading.language) or "folder" in told:
        return None
    if is_gone and "file" not in told:
        return Step("read.unique", {"file": (file,), "to": (file,)}, "write", request)
    is_question = is_asking(request) or request.rstrip()[-1:] in ASK_SIGNS
    return Step("read.repeated", {"file": (file,)}, text=request) if is_question and not is_gone else None


_COUNTED = frozenset(("search", "count.lines", "count.files"))
"""Acts that are asked for where lines, or files, with a word are counted."""


def _of_matches(reading: Reading, request: str, context: Context) -> Step | None:
    """Return that lines with a word are to be counted, where they were to be shown, or all lines to be counted.

    Examples
    --------
    >>> read = Reading((Step("search", {"find": ("WARN",)}),))
    >>> _of_matches(read, "and how many of them contain WARN?", Context(file="a.log"))
    Step(act='count.matches', arguments={'file': ('a.log',), 'find': ('WARN',)}, destination='', text='and how many of them contain WARN?')
    """
    step, told = reading.steps[0], concepts_of(request)
    named = [one.text for one in words_of(request) if one.kind == "file"]
    is_maybe = step.act == "count.words" and any(one.steps[0].act == "count.matches" for one in reading.others)
    is_counted = is_maybe or (step.act in _COUNTED and bool(told & {"many", "count"}))
    if len(reading.steps) > 1 or len(named) > 1 or not is_counted:
        return None
    file, word = step.word("file") or context.file, step.word("find")
    if not word and (is_maybe or "contain" in told) and "folder" not in told:  # no "subfolders included"
        left = unexplained(request, reading.language, file if step.act != "count.files" else "")
        word = left[0] if len(left) == 1 else ""
    if not word:
        return None
    if "file" in told and not named:
        return Step("search.files", {"find": (word,)}, text=request)
    return Step("count.matches", {"file": (file,), "find": (word,)}, text=request) if file else None


def _length(request: str) -> float:
    """Return how many words a request has; a character of those that stand without blanks counts half a word."""
    return sum(0.5 if word.kind in UNSPACED else 1 for word in words_of(request))


def _of_difference(reading: Reading, request: str, context: Context) -> Step | None:
    """Return the sum that tells how far the last two results are apart: "what is the difference?".

    Examples
    --------
    >>> both = Context(Step("query", {}), answer="7687", earlier="7645")
    >>> _of_difference(Reading((Step("compare", {}),)), "what's the difference?", both).word("text")
    '7687 - 7645'
    """
    told = (context.earlier.partition("\n")[0], *context.answer.splitlines()[:_BOTH])
    values = [value for line in told if (value := _number_told(line, reading.language)) is not None][-_BOTH:]
    is_other = _length(request) > _SHORT or any(word.kind in {"file", "folder", "number"} for word in words_of(request))
    is_apart = "apart" in said_of_tables(request, "") and not is_change(reading.steps[0].act)
    if is_other or len(values) < _BOTH or not is_apart:
        return None
    return Step("calculate", {"text": (f"{max(values)} - {min(values)}",)}, text=request)


def _number_told(line: str, language: str) -> Decimal | None:
    """Return the number that a line is, or that it says of a file."""
    told = (said(key, language, line) for key in ("count.lines", "count.words", "count.chars", "count.rows"))
    counted = next((one["n"] for one in told if one is not None), line)
    return number(counted.partition(" ")[0])


def _of_memory(reading: Reading, request: str, context: Context) -> Reading | None:
    """Return what a request is about something to be remembered, where it was read as talk: a question, or one thing more.

    Examples
    --------
    >>> known = Context(known=("the code of the lab door is 7319",))
    >>> _of_memory(Reading((Step("talk", {}),)), "what was the door code?", known).steps[0].act
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
    if asks and (is_talk(step.act) or step.act in FOLLOWS or ("recall" in likely and not is_change(step.act))):
        _, shared = nearest_texts(request, context.known)
        if shared >= _SHARED:
            return Reading((Step("recall", {"find": (request.strip(),)}, text=request),), 1.0, reading.language)
    return None


def _of_a_part(step: Step) -> Step:
    """Return what "delete that line" means: what is in a file goes, never the file.

    The word for the part may stand inside of what was read as the file.
    """
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


def _plainly(step: Step) -> Step:
    """Return the act that a shell line means, where it only looks, and a text that is written to its file just once."""
    if step.act in {"write", "append", "prepend"} and step.destination in {"write", "append"} and not step.word("file"):
        return step.with_arguments(file=step.arguments.get("to", ()), to=())._replace(destination="")
    is_told = any(word.is_quoted for word in words_of(step.text)) and "run" in concepts_of(step.text)
    found = as_act(step.word("command")) if step.act == "run" and not is_told else None
    return step if found is None else found._replace(destination=step.destination, text=step.text)


def _is_yes(reading: Reading, request: str) -> bool:
    """Tell whether a yes is one beyond doubt: "ok, never mind" is none."""
    return reading.confidence >= HALF and not concepts_of(request) & REFUSING


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
    if asked is None or not said_now or len(reading.steps) != 1 or len(said_now.split()) > _SHORT:
        return None
    step = reading.steps[0]
    found = words_of(said_now)
    if _begins_anew(step, found, said_now, context.missing):
        return None
    named = [word.text for word in found if word.kind == "file"]
    is_chosen = context.missing == "file" and len(context.shown) > 1 and not (named or _takes_back(said_now))
    is_offered = _is_of(said_now, context.shown)
    if is_chosen and _names_no_act(found, reading.language):
        step = Step("unclear", {"file": (said_now.rstrip(" .!"),)}, text=request)  # "the one that says 19:30"
        asked = asked._replace(confidence=max(asked.confidence, _SURE) if is_offered else asked.confidence)
    if context.missing == "file" and len(named) == 1 and reading.confidence < HALF:
        step = Step("unclear", {"file": (named[0],)}, text=request)  # "the one to Ann, a.txt"
    if _says_itself(step, reading.confidence, found, context):
        return None
    marked = any(step.arguments.values())
    given = step.arguments.get(context.missing) or (next(iter(step.arguments.values())) if marked else (said_now,))
    if context.missing == "text" and not (
        concepts_of(said_now.partition(given[0])[0]) & _OF_ADDING or found[0].is_quoted
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


def _begins_anew(step: Step, found: Sequence[Word], said: str, missing: str) -> bool:
    """Tell whether a text is no answer by how it begins: it asks, refuses, thanks, or is a wish that names its file."""
    told = concepts_of(said)
    asks = is_asking(said) or (said[-1:] in ASK_SIGNS and len(found) > _FEW_SAID)
    is_setting = missing == "file" and "should" in told  # "the first 2 should be 3"
    if asks or is_setting or step.act in {"no", "refrain", "undo"} or told & _THANKING:
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
        or (confidence >= _SURE and not is_only_words)
    )


def _names_no_act(found: Sequence[Word], language: str) -> bool:
    """Tell whether words name nothing that could be done, and describe something: "the old one", "the one to Ann"."""
    told = [
        frozenset[str]() if age_in(word.text, language) else one
        for word, one in zip(found, lexicon_of(language).concepts(found), strict=True)
    ]
    says_more = any(word.kind != "sign" and not one & _THANKING for word, one in zip(found, told, strict=True))
    return says_more and not any(one & WISHING for one in told)


def _of_correction(reading: Reading, request: str, context: Context) -> Reading:
    """Return that the look before is wished for at something else, which a request describes: "no sorry, the 2025 one".

    Examples
    --------
    >>> counted = Context(Step("count.lines", {"file": ("prices_2024.txt",)}))
    >>> _of_correction(Reading((Step("unclear", {}),)), "no sorry, the 2025 one", counted).steps[0].arguments
    {'file': ('the 2025 one',)}
    """
    row = acts().get(context.last.act) if context.last is not None else None
    step = reading.steps[0] if len(reading.steps) == 1 else Step("", {})
    is_unread = step.act in _UNREAD and not step.arguments
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


def _as_told(step: Step, value: str, context: Context, told: _Answer) -> tuple[Step, str]:
    """Return a step as its answer tells it, where that says what was counted or looked up, and what it gave."""
    for act, role in (("count.matches", "find"), ("rows.count", "value")):
        if (counted := told.said(act)) is not None:
            step = Step(act, {"file": (counted["file"],), role: (counted["word"],)}, text=step.text)
            if context.last is not None and context.last.word(role) == counted["word"]:
                value = context.answer  # "them" are still what was shown
    got = told.said("json.get") or {}
    if got.get("file", "").endswith(".json") and " " not in got["name"] and step.act != "json.get":
        step = Step("json.get", {"file": (got["file"],), "key": (got["name"],)}, text=step.text)
    return step, value


def after(context: Context, reading: Reading, answer: str) -> Context:
    """Return what the next request can refer to.

    Parameters
    ----------
    context : Context
        What this one could refer to.
    reading : Reading
        What was carried out.
    answer : str
        What was said then: our own sentences.

    Examples
    --------
    >>> read = Reading((Step("count.lines", {"file": ("my notes",)}),))
    >>> after(Context(), read, "notes.md has 3 lines.").file
    'notes.md'
    """
    told = _Answer(answer, reading.language, len(reading.steps) < 2)  # noqa: PLR2004 - one sentence
    if (found := _queried(context, reading, told)) is not None:
        return found
    reading = _carried_out(reading, told)
    steps = [step for step in reading.steps if is_work(step)]
    asked = _asked(reading, told)
    if not steps and asked is not None:
        return asked._replace(known=context.known, read=context.read)
    if not steps:
        return context._replace(asked=None, missing="", is_open=told.is_any(QUESTIONS))
    step = steps[-1]
    for word in (word for one in steps for word in one.arguments.get("file", ())):
        if ENDED.search(word) and re.search(rf"(?<![\w/]){re.escape(word)}", answer):  # and not the end of another path
            context = context._replace(spoken=speak_of(context, word))
    names = _shown(step, told)
    if len(steps) > 1 and {one.act for one in steps} == {"count.lines"}:  # none of them is "it"
        names, context = tuple(one.word("file") for one in steps), context._replace(file="", is_named=False)
    is_unsettled = told.said("ask.missing_of") is not None and not ENDED.search(step.word("file"))
    is_lacking = asked is not None and (asked.missing == "file" or is_unsettled)
    file = "" if is_lacking or len(names) == len(steps) > 1 else _file(step, context, told)
    settled = step.with_arguments(file=(file,)) if file and len(step.arguments.get("file", ())) == 1 else step
    if asked is not None:
        return _once_asked(asked, context, reading, file, names)
    settled, value = _as_told(settled, _value(step, told), context, told)
    is_listing = bool(names) and not file
    changed = _changed(settled, told) if is_change(step.act) or step.destination else context.changed
    about = file or ("" if is_listing else context.file)
    if changed is not None and settled.act == changed.act and not settled.word("to"):
        settled = settled.with_arguments(to=changed.arguments.get("to", ()))  # "there" is where it went
    known = (*context.known, fact["text"]) if (fact := told.said("remembered")) else context.known
    texts = dict(context.read)
    if is_change(step.act) or step.destination:
        if changed is not None and changed.act == "delete" and (text := texts.get(changed.word("file"))):
            changed = changed.with_arguments(text=(text,))
        texts = {}  # what was changed is told by its answer
    elif (whole := _whole_text_of(step, told)) is not None:
        texts[about] = whole
    return context._replace(
        last=settled,
        file=about,
        is_named=_is_named(about, reading, context),
        shown=names or context.shown,
        answer=value,
        changed=changed,
        asked=None,
        missing="",
        is_open=told.is_any(QUESTIONS),
        known=known,
        spoken=speak_of(context, about),
        query=context.query if about == context.file else None,
        earlier=context.answer,
        read=tuple(texts.items()),
    )


def _once_asked(asked: Context, context: Context, reading: Reading, file: str, names: tuple[str, ...]) -> Context:
    """Return what can be referred to after a question back: what could be before it, and what the question is about."""
    about = file or context.file
    return asked._replace(
        last=context.last,
        file=about,
        shown=names or context.shown,
        answer=context.answer,
        changed=context.changed,
        is_named=_is_named(about, reading, context),
        is_open=True,
        known=context.known,
        spoken=speak_of(context, file),
        query=context.query,
        earlier=context.earlier,
        read=context.read,
    )


def _whole_text_of(step: Step, told: _Answer) -> str | None:
    """Return the text of a file that was read by its name, where the answer shows all of it; else ``None``."""
    found, word = told.said("lines") or {}, step.word("file")
    text, file = found.get("lines", ""), found.get("file", "")
    is_by_name = is_pointer(word, "it") or plain(trimmed(word)) in {plain(file), *map(plain, _names_of(file))}
    is_shortened = _is_cut(text) or MASK in text or any(len(line) > LONGEST_LINE for line in text.splitlines())
    is_filtered = says_state(step.text, told.language) or any(
        not (sign.isprintable() or sign in "\n\t") for sign in text
    )
    is_whole = told.is_one and step.act in {"read", "list"} and len(step.arguments.get("file", ())) == 1
    return text if file and is_whole and is_by_name and not (is_shortened or is_filtered) else None


def _names_of(file: str) -> tuple[str, str]:
    """Return the name of a file without its folder, and without its ending."""
    base = file.rpartition("/")[2]
    return base, base.rpartition(".")[0] or base


def _carried_out(reading: Reading, told: _Answer) -> Reading:
    r"""Return the reading that was carried out: a look, where the answer tells nothing of the change that was likelier.

    Examples
    --------
    >>> look = Reading((Step("read", {}),))
    >>> said = Reading((Step("line.delete", {"find": ("now",)}),), others=(look,))
    >>> _carried_out(said, _Answer("a.txt:\nmilk", "en", True)).steps[0].act
    'read'
    """
    first = reading.steps[0].act if len(reading.steps) == 1 else ""
    if first == "query" and reading.others and not reading.steps[0].arguments:
        return reading.others[0]  # no table explained it, so it was an answer
    row = acts().get(first)
    is_of_kind = row is not None and row.reads in {"table", "json"}
    is_other = first in {"date", "size"}
    if first and (is_of_kind or is_other or not is_work(reading.steps[0])) and (found := told.said("lines")):
        if (is_of_kind and found["file"].endswith(TABLES)) or not ENDED.search(found["file"]):
            return reading
        sought = next(
            (words for role in ("key", "value", "column") if (words := reading.steps[0].arguments.get(role))), ()
        )
        step = Step("search", {"file": (found["file"],)}, text=reading.steps[0].text).with_arguments(find=sought)
        return reading._replace(steps=(step,))  # a question that looked like another was answered from a file
    if first not in {act for act, _ in _CHANGES.values()} or told.is_any((*_CHANGES, *QUESTIONS, *UNDONE)):
        return reading
    looks = (one for one in reading.others if one.steps and not any(_may_change(step) for step in one.steps))
    shown = told.said("lines")
    found_in = Step("search", {"file": (shown["file"],)}, text=reading.steps[0].text) if shown else None
    return next(looks, reading if found_in is None else reading._replace(steps=(found_in,)))


def _may_change(step: Step) -> bool:
    return is_change(step.act) or is_talk(step.act) or bool(step.destination)


def _queried(context: Context, reading: Reading, told: _Answer) -> Context | None:
    """Return what a question about a table leaves; ``None`` where the answer is none to such a question."""
    for key in ("query.both", "query.rows", "query.value"):
        found = told.said(key)
        if found is None or not found["file"].endswith(TABLES) or parse_query(found["query"]) is None:
            continue
        step = Step("query", {"file": (found["file"],), "query": (found["query"],)}, text=reading.steps[-1].text)
        heading = 0 if found["file"].endswith(".log") else 1
        rows = tuple(found.get("lines", "").splitlines()[heading:])
        shown = rows or tuple(found.get("value", "").split("; "))
        values = found.get("value", "").split("; ")
        value = "\n".join(values if len(values) > 1 else filter(None, (found.get("value"), found.get("lines"))))
        is_named = _is_named(found["file"], reading, context)
        spoken = speak_of(context, found["file"])
        return Context(
            step, found["file"], is_named, shown, value, context.changed, known=context.known,
            spoken=spoken, query=step, earlier=context.answer, read=context.read,
        )  # fmt: skip
    return None


def _is_named(file: str, reading: Reading, context: Context) -> bool:
    """Tell whether a file was named by the person, or is what was just made or changed."""
    if file == context.file and context.is_named:
        return True
    base = plain(file.rpartition("/")[2].rpartition(".")[0] or file)
    said = " ".join(plain(word) for step in reading.steps for words in step.arguments.values() for word in words)
    return any(is_change(step.act) or step.destination for step in reading.steps) or bool(base and base in said)


def _changed(step: Step, answer: _Answer) -> Step | None:
    """Return a change with what is needed to take it back, as far as its answer says it."""
    if step.act == "undo" or answer.is_any(UNDONE):
        return None
    for key, (act, roles) in _CHANGES.items():
        if (found := answer.said(key)) is None:
            continue
        told = {role: tuple(found[hole].split(_PARTED.get((key, hole), "\0"))) for hole, role in roles.items()}
        if act == "write":
            told |= {"made": (found.get("n", "0").split()[0],), "text": step.arguments.get("text", ())}
        if act in {"move", "copy"}:
            (to,) = told["to"]
            into = to.endswith("/")
            told["targets"] = tuple(f"{to}{path.rpartition('/')[2]}" if into else to for path in told["file"])
        return Step(act, {role: words for role, words in told.items() if words})
    return step


def _value(step: Step, answer: _Answer) -> str:
    """Return the result that an answer tells, without the words around it."""
    if step.act == "calculate":
        return answer.text.rpartition(" = ")[2]
    if any(answer.said(key) is not None for key in NOTHING | UNDONE):
        return ""
    for key, hole in ((step.act, "value"), ("json.get", "value"), ("lines", "lines"), ("entries", "lines")):
        if (found := answer.said(key)) is not None and hole in found:
            return found[hole]
    return answer.text


def _file(step: Step, context: Context, answer: _Answer) -> str:  # noqa: PLR0911 - from the surest on
    """Return the file that a step turned out to be about; empty where it names several or none."""
    if step.destination in {"write", "append"} and step.word("to"):
        brought = (answer.said(key) for key in ("written", "replaced_all", "appended", "appended_new"))
        return next((told["file"] for told in brought if told is not None), step.word("to"))
    if answer.said("tasks.none") is not None:
        return ""
    if step.act == "undo":
        taken_back = answer.said("undone") or {}
        names = taken_back.get("names", "").split(", ")
        return names[0] if len(names) == 1 else ""
    if (asked := answer.said("ask.delete")) is not None and answer.said("ask.lines") is None:
        names = asked["names"].splitlines()
        return names[0].rstrip("/") if len(names) == 1 else ""
    if step.act in {"move", "copy", "rename"}:
        for key in ("renamed", "moved", "copied"):
            if (found := answer.said(key)) is not None:
                if not found["to"].endswith("/"):
                    return found["to"]
                is_one = key == "moved" and ", " not in found["names"]
                return found["to"] + found["names"].rpartition("/")[2] if is_one else ""
    if step.act == "search.files":
        found = answer.said("search.files") or answer.said("search.files_counted") or {}
        names = found.get("names", ", ").split(", ")
        return names[0] if len(names) == 1 else ""
    head = step.act if step.act in {"column.min", "column.max"} else "summary"  # the rows stand behind the sentence
    for line in answer.text.splitlines()[:_MOST_NOTES]:
        if (found := said(head, answer.language, line)) is not None:
            return found["file"]
    is_list = answer.is_listing or (step.act.startswith("list") and answer.said("lines") is None)
    for key in () if is_list else naming("file", answer.language):
        told = answer.said(key) if key != "listed" or step.act in _LISTED else None
        if told is not None and (" " not in told["file"] or ENDED.search(told["file"])):
            return told["file"]
    words = step.arguments.get("file", ())
    if len(words) > 1:
        return ""
    word = words[0] if words else ""
    text = answer.text
    if text and "\n" not in text and text.rstrip()[-1:] not in _ENDS and (is_list or ENDED.search(text)):
        return _AFTER.sub("", text).rstrip("/")
    for line in text.splitlines():
        if (took := said("note.took", answer.language, line)) is None:
            break
        if took["word"] == word or line == text.rpartition("\n")[0]:
            return took["name"]
    if word and not is_pointer(word, "it") and word in text:
        return next((name for name in _PATH.findall(text) if name.endswith(f"/{word}")), word)
    found_names: list[str] = list(dict.fromkeys(_PATH.findall(text.partition("\n")[0])))
    if len(found_names) == 1 or (found_names and word):
        return found_names[0]
    if EXACT.match(word):
        return word
    return context.file if word and is_pointer(word, "it") else ""


def _shown(step: Step, answer: _Answer) -> tuple[str, ...]:
    """Return names or lines that an answer shows one after the other."""
    listing = (
        ("search.files", "search.files_counted")
        if step.act == "search.files"
        else ("listed",)
        if step.act in _LISTED
        else ()
    )
    for key in ("ask.which", "ask.no_file", *listing):
        if (found := answer.said(key)) is not None:
            return _split(found["names"], answer.language)
    if (found := answer.said("ask.delete")) is not None and answer.said("ask.lines") is None:
        return tuple(name.rstrip("/") for name in found["names"].splitlines())
    if step.act.startswith("list") and answer.said("lines") is not None and not answer.is_listing:
        return ()  # what was listed was a file
    head, _, rest = answer.text.partition("\n")
    is_list = step.act in _SHOWS or step.act.startswith(_SHOWING) or answer.is_listing
    if rest and is_list and head.rstrip().endswith((":", "\uff1a")):
        rows = rest.splitlines()
        if step.act.startswith("rows"):
            rows = rows[1:]
        return tuple(_NUMBERED.sub("", _AFTER.sub("", row)).rstrip("/") for row in rows if row.strip())
    if step.act.startswith("list") and head and not rest and head.rstrip()[-1:] not in _ENDS:
        return (_AFTER.sub("", head).rstrip("/"),)
    if step.act == "search":
        heads = [
            name for line in answer.text.splitlines() if (name := line.partition(": ")[0]) and _PATH.fullmatch(name)
        ]
        return tuple(dict.fromkeys(heads))
    return ()


def _split(names: str, language: str) -> tuple[str, ...]:
    parts = names.strip().split(", ")
    *rest, last = parts
    both = last.split(f" {say('or', language)} ")
    return tuple(name.rstrip("/") for name in (*rest, *both) if name)


def _asked(reading: Reading, answer: _Answer) -> Context | None:
    """Return the plan that an answer asks about, with what a yes would do; ``None`` when it asks nothing.

    What was done before the question is no part of the plan any more.
    """
    for one in (answer._replace(is_one=True), answer)[: 1 if answer.is_one else 2]:
        left = reading.steps if one.is_one else reading.steps[1:] if len(reading.steps) == 2 else reading.steps[-1:]  # noqa: PLR2004
        plan = Reading(left, reading.confidence, reading.language)
        deletes = bool(plan.steps) and plan.steps[0].act.startswith("delete")
        for key, role in ASKED.items():
            if key == "ask.delete" and not deletes:
                continue  # "… of notes.md" is a question about lines
            if (found := one.said(key)) is not None and plan.steps:
                return Context(asked=_agreed(plan, key, found), missing=role, is_open=True)
        for key in ("ask.missing_of", "ask.missing"):
            if (found := one.said(key)) is not None:
                return Context(asked=plan, missing=_role(found["what"], reading.language), is_open=True)
    return None


def _agreed(plan: Reading, key: str, found: Mapping[str, str]) -> Reading:
    """Return the plan that a yes to a question stands for: what was shown, and nothing else."""
    first, *rest = plan.steps
    if key == "shall":
        shown = [parse(line) for line in found["plan"].split("; ")]
        read = [step for step in shown if step is not None]
        if len(read) == len(shown) == len(plan.steps):
            steps = (step._replace(text=old.text) for step, old in zip(read, plan.steps, strict=True))
            return plan._replace(steps=tuple(steps))
    if key == "ask.delete" and first.act.startswith("delete") and not _is_cut(found["names"]):
        gone = _outermost(name.rstrip("/") for name in found["names"].splitlines())
        return plan._replace(steps=(Step("delete", {"file": gone}), *rest))
    if key == "ask.lines" and first.act == "line.delete" and not _is_cut(found["lines"]):
        rows = tuple(found["lines"].splitlines())
        numbers = tuple(row.partition(": ")[0] for row in rows)
        told = {"file": (found["file"],), "line": numbers, "lines": rows}
        return plan._replace(steps=(Step("line.delete", told, text=first.text), *rest))
    if key == "ask.task_delete" and first.act == "task.delete":
        return plan._replace(steps=(Step("task.done", {"text": (found["name"],)}), *rest))
    if key == "ask.mean":
        return _with(plan, "file", found["name"])
    return _with(plan, "file", found["file"]) if key in {"ask.lines", "ask.replace"} else plan


def _with(plan: Reading, role: str, word: str) -> Reading:
    place = next((at for at, step in enumerate(plan.steps) if step.arguments.get(role)), 0)
    steps = list(plan.steps)
    goal = "to" if steps[place].destination in {"write", "append"} and steps[place].word("to") else role
    steps[place] = steps[place].with_arguments(**{goal: (word,)})
    return plan._replace(steps=tuple(steps))


def _role(what: str, language: str) -> str:
    return next((role for role in _ROLES if say(f"role.{role}", language) == what), "*")


def _is_cut(names: str) -> bool:
    return names.rpartition("\n")[2].startswith("… ")


def _outermost(names: Iterable[str]) -> tuple[str, ...]:
    """Return names without those inside a folder that is among them."""
    found: list[str] = []
    for name in names:
        if not any(name.startswith(f"{other}/") for other in found):
            found.append(name)
    return tuple(found)


# -- the messages ------------------------------------------------------------------------------------------------------

_GIVING = frozenset((TRANSFER, "agent_spawn", "delegate"))
"""Tools that give work away."""
_HINT = re.compile(
    r"\A(?P<agent>\S+) failed at this: (?P<detail>.*?)\. Do not give it to (?P=agent) again\b"
    r"|\bDo not repeat it: go another way\b",
    re.DOTALL,
)


def _last_request(messages: Sequence[Message], end: int) -> int:
    """Return the place of the user's request that a work order belongs to; that of the order when there is none."""
    return next((place for place in range(end - 1, -1, -1) if _is_request(messages[place])), end)


def _is_note(messages: Sequence[Message], place: int) -> bool:
    """Tell whether a message comes from whoever is at work on the request already: a note of the runtime, and no order.

    Whoever gives work away has spoken before its later orders as well; a note to it stands below its own prompt.
    """
    said = [
        one
        for one in messages[_last_request(messages, place) : place]
        if one.role == "assistant" and one.author == messages[place].author
    ]
    if not said or read_order(handed(messages[place].content)[0]):
        return False
    gives_away = any(call.name in _GIVING for one in said for call in one.tool_calls)
    return not gives_away or "\n### " in messages[0].content


def _is_request(message: Message) -> bool:
    return message.role == "user" and message.author in {None, USER} and message.conversation != SUMMARY


def _exchanges(messages: Sequence[Message], end: int) -> tuple[Exchange, ...]:
    """Return the latest requests of the user before a place with what was answered last to each."""
    found: list[Exchange] = []
    answer = ""
    for message in (messages[place] for place in range(end - 1, -1, -1)):
        if message.role == "assistant" and message.content and not message.tool_calls and not answer:
            answer = message.content
        elif _is_request(message):
            if answer:
                found.append(Exchange(message.content, answer))
            answer = ""
            if len(found) == MOST_TURNS:
                break
    return tuple(reversed(found))


def _tag(text: str) -> str:
    return f"{crc32(text.encode('utf-8', 'surrogatepass')) & 0xFFFF:04x}-"


@dataclass(frozen=True, slots=True)
class Done:
    """One tool call of this turn with its result."""

    call: ToolCall
    result: Message


@dataclass(frozen=True, slots=True)
class Conversation:
    """A request as the model gets it."""

    system: str
    text: str
    """The last message that asks for something: the user's, or a work order."""
    since: tuple[Message, ...]
    """Everything after it."""
    before: tuple[Exchange, ...] = ()
    """Earlier requests of the user with their answers."""
    request: str = ""
    """What the user asked for; the same as the text unless that is a work order."""
    tag: str = ""
    """Begins the ids of calls made on a work order: the runs of one turn are in one conversation."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """Agents that a hint of the runtime says not to give the request to again, and what happened."""
    taught: Taught | None = None
    """Labelled requests the router has learned from."""
    own: OwnTools = NO_TOOLS
    """Tools that may be meant of which the reader knows nothing: the agent's, or those that the root's prompt tells of."""
    offered: tuple[str, ...] = ()
    """Tools that may be called, where they are called otherwise than the model thinks of them."""
    advice: Advice = NO_ADVICE
    """What is remembered that the request speaks of."""

    @property
    def router(self) -> Router:
        """The router over the table that the prompt holds."""
        return router_for_prompt(self.system, self.taught)

    @property
    def understood(self) -> Understood:
        """The request, or the work order, as it is read in this conversation."""
        order, given = handed(self.text)
        whole = understand(self.before, self.request, self.own)
        if order == self.request and given is None:
            return whole
        if steps := read_order(order):
            if given is not None:
                steps = with_given(steps, given)
            is_certain = whole.reading.is_certain and {step.act for step in steps} <= {
                s.act for s in whole.reading.steps
            }
            return Understood(Reading(steps, 1.0, whole.reading.language, is_certain=is_certain), whole.context)
        reading = resolved(order, whole.context, whole.reading.language, self.own)
        if given is not None and reading.steps:
            reading = reading._replace(steps=with_given(reading.steps, given))
        return Understood(reading, whole.context)

    @classmethod
    def read(
        cls,
        messages: Sequence[Message],
        taught: Taught | None = None,
        own: OwnTools = NO_TOOLS,
        offered: Sequence[str] = (),
    ) -> Conversation:
        """Sort messages; a hint of the runtime is no request."""
        system = messages[0].content if messages and messages[0].role == "system" else ""
        system, advice = without_advice(system)
        failed: dict[str, str] = {}
        for place in range(len(messages) - 1, -1, -1):
            message = messages[place]
            if message.role != "user":
                continue
            is_order = message.author not in {None, USER}
            if is_order and (hint := _HINT.search(message.content)):
                if hint["agent"]:
                    failed.setdefault(hint["agent"], hint["detail"].removeprefix(f"{hint['agent']}: "))
                continue
            if is_order and _is_note(messages, place):
                continue
            text = message.content
            told = read_hints(text) if is_order else Told(text)
            if told.order != text:
                tag = _tag(system + text)
                since, asked_for = tuple(messages[place + 1 :]), told.request or told.order
                return cls(
                    system, told.order, since, told.before, asked_for, tag, failed, taught, own, tuple(offered), advice
                )
            asked = place if not is_order else _last_request(messages, place)
            tag = _tag(system + text) if is_order else ""
            before = _exchanges(messages, asked)
            request = messages[asked].content if asked < place else text
            since = tuple(messages[place + 1 :])
            return cls(system, text, since, before, request, tag, failed, taught, own, tuple(offered), advice)
        return cls(system, "", (), taught=taught, own=own)

    def done(self) -> Iterator[Done]:
        """Iterate over the calls of this turn that have a result.

        Calls and results are joined in order and by author: agents do not know of each other's ids.
        """
        results: dict[tuple[str | None, str], list[Message]] = {}
        for message in self.since:
            if message.role == "tool":
                results.setdefault((message.author, message.tool_call_id or ""), []).append(message)
        for message in self.since:
            for call in message.tool_calls:
                if answers := results.get((message.author, call.id)):
                    yield Done(call, answers.pop(0))

    def worked(self) -> tuple[Done, ...]:
        """Return the calls of the agent at work: those since the request came to it."""
        found: list[Done] = []
        for done in self.done():
            if done.call.name == TRANSFER:
                found.clear()
            else:
                found.append(done)
        return tuple(found)

    def calls(self, *wanted: tuple[str, Mapping[str, Any]], text: str = "") -> Reply:
        """Reply with tool calls, numbered on from those there were before; arguments that are ``None`` are left out."""
        number = sum(len(message.tool_calls) for message in self.since)
        made = [
            ToolCall(
                id=f"call-{self.tag}{number + place}",
                name=tool,
                arguments={name: value for name, value in arguments.items() if value is not None},
            )
            for place, (tool, arguments) in enumerate(wanted, 1)
        ]
        return Reply(text=text, tool_calls=tuple(made))
