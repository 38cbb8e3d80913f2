"""The conversation: messages sorted, what may be called, and what was said before, read from requests and answers.

    request, answer, request, answer, …, request
       └─ read ──┴─ what it was about, what was shown, changed, asked ─ the next request is read with it

A model is given messages and nothing else, and so are all that work on a turn: they come to the same. Requests are read
again, answers are our own sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple
from zlib import crc32

from lango_nb.core.messages import SUMMARY, USER, Message, Reply, ToolCall, ToolSchema
from lango_nb.models.offline.answers import ASKED, naming, said, say, sentences
from lango_nb.models.offline.lexicon import concepts_of
from lango_nb.models.offline.lexicon import words as words_of
from lango_nb.models.offline.names import begins_with_pointer, is_pointer, plain
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
    with_given,
)
from lango_nb.models.offline.reader import FOLLOWS, as_act, reader, roles_of
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


def shapes_of(tool: ToolSchema) -> Mapping[str, Mapping[str, Any]]:
    """Return the schemas of a tool's parameters."""
    properties = tool.parameters.get("properties")
    known = properties if isinstance(properties, dict) else {}
    return {str(name): shape if isinstance(shape, dict) else {} for name, shape in known.items()}


def required_of(tool: ToolSchema) -> list[str]:
    """Return the parameters that a tool cannot do without."""
    needed = tool.parameters.get("required")
    return [str(name) for name in needed] if isinstance(needed, list) else []


def _enum(tool: ToolSchema, parameter: str) -> frozenset[str] | None:
    """Return the closed set of values of a parameter."""
    values = shapes_of(tool).get(parameter, {}).get("enum")
    return frozenset(str(value) for value in values) if isinstance(values, list) else None


# -- what was said before ----------------------------------------------------------------------------------------------

MOST_TURNS = 8
"""Exchanges that are looked back on."""
_SHORT = 9
"""Words of an answer that may be the missing word, and nothing else."""
_REFUSING = frozenset(("no", "not", "none", "stop", "dismiss", "forget"))
"""Concepts that no yes has."""
_HALF = 0.5
"""Confidence from which a text with more in it than the missing word is a wish of its own."""
_FEW_WORDS = 5
"""Words from which a request says itself what language it is in."""
_SURE = 0.8
"""Confidence from which a short text is a wish of its own, whatever was asked."""
_PATH = re.compile(r"[^\s\"“”'`:;,()]*[^\s\"“”'`:;,().]\.[A-Za-z]\w{0,7}(?![\w/])")
_EXACT = re.compile(r"[^\s\"]*(?:[^\s\".]\.[A-Za-z]\w{0,7}|/)\Z")
_AFTER = re.compile(r" \([^()]*\)\Z")
_NUMBERED = re.compile(r"\A(?:\d+\. |✓ |- )")
_CONTENT = ("find", "value", "text", "old", "name", "key", "column", "command")
"""Roles that stand for each other in "and for X?"."""
_SHOWS = frozenset(("search", "task.list", "column.distinct", "columns", "recall"))
_SHOWING = ("list", "rows", "read.", "group", "code.list", "json.keys")
"""Acts, and beginnings of acts, that show several things one after the other."""
_KEPT = frozenset(("find", "column", "by", "key", "value", "name", "ending"))
"""Roles that a later request may leave out."""
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
    "task.done": ("task.done", {"names": "text"}),
    "remembered": ("remember", {"text": "text"}),
}
"""Sentences that tell a change: the act, and the role of each hole."""
_PARTED = {("appended", "lines"): "\n", ("prepended", "lines"): "\n", ("lines_deleted", "lines"): "\n",
           ("moved", "names"): ", ", ("copied", "names"): ", ", ("task.done", "names"): "; "}  # fmt: skip
"""What stands between several values of a hole."""
_ROLES = ("file to text old new find n line from until column value by key name ending except command").split()


class Exchange(NamedTuple):
    """A request and what was answered."""

    request: str
    answer: str


class _Answer(NamedTuple):
    """What was answered, to be read back."""

    text: str
    language: str
    is_one: bool
    """Whether it is the answer to one step."""

    def said(self, key: str) -> dict[str, str] | None:
        return said(key, self.language, self.text, is_one=self.is_one) if key in sentences() else None


class Understood(NamedTuple):
    """A request with what was said before it."""

    reading: Reading
    """Follow-ups and corrections are whole steps in it."""
    context: Context


def understand(before: Sequence[Exchange], request: str) -> Understood:
    """Read a request in its conversation.

    Parameters
    ----------
    before : sequence of Exchange
        Oldest first.
    request : str

    Returns
    -------
    Understood
    """
    return _understood(tuple(before[-MOST_TURNS:]), request)


@lru_cache(maxsize=128)
def _understood(before: tuple[Exchange, ...], request: str) -> Understood:
    context, language = Context(), ""
    for exchange in before:
        reading = resolved(exchange.request, context, language)
        context, language = after(context, reading, exchange.answer), reading.language
    return Understood(resolved(request, context, language), context)


def resolved(request: str, context: Context, language: str = "") -> Reading:
    """Read a request: what answers a question, follows up or corrects becomes whole steps.

    A few words are taken to be in the language that was spoken before.
    """
    last = _last(context)
    if (shell := as_act(request)) is not None:
        return Reading((shell,), 1.0, language or "en")
    reading = reader().read(request, None if last is None else last.act)
    if language and len(words_of(request)) < _FEW_WORDS:
        reading = reading._replace(language=language)
    return settled(reading, request, context)


def settled(reading: Reading, request: str, context: Context) -> Reading:
    """Make whole steps of a reading that answers a question, follows up or corrects."""
    last = _last(context)
    first = reading.steps[0].act if reading.steps else "unclear"
    if context.asked is not None:
        if first == "yes" and not _is_yes(reading, request):
            return reading._replace(steps=(Step("unclear", {}, text=request),), others=())
        if first == "yes":
            return context.asked._replace(confidence=1.0, language=reading.language, is_certain=True)
        if context.missing and (whole := completed(reading, context, request)) is not None:
            return whole
    if last is not None:
        if len(reading.steps) == 1 and first in FOLLOWS:
            more = tuple(
                Reading((step,), reading.confidence, reading.language) for step in _variants(reading.steps[0], last)
            )
            reading = reading._replace(others=(*more, *reading.others))
        reading = reading._replace(steps=tuple(_followed(step, last) for step in reading.steps))
        reading = reading._replace(steps=(*(_completed(step, last) for step in reading.steps[:1]), *reading.steps[1:]))
    return reading._replace(steps=tuple(_plainly(step) for step in reading.steps))


def _completed(step: Step, last: Step) -> Step:
    """Take what a step needs and does not say from the step before: "how many are there?" after a search."""
    row = acts().get(step.act)
    if row is None or row.kind == "talk":
        return step
    taken = {
        role: last.arguments[role]
        for role in row.needed
        if role in last.arguments and _is_left_out(role, step.word(role), is_same=step.act == last.act)
    }
    return step.with_arguments(**taken) if taken else step


def _is_left_out(role: str, word: str, *, is_same: bool) -> bool:
    """Tell whether a role of a step is that of the step before: not said, or a pronoun."""
    if not word:
        return role in _KEPT or (is_same and role == "to")
    return role in {*_KEPT, "line"} and (is_pointer(word, "it") or begins_with_pointer(word))


def _last(context: Context) -> Step | None:
    """Return the step that a follow-up is about: the one that was asked about, or the last one."""
    return context.asked.steps[-1] if context.asked is not None and context.asked.steps else context.last


def _plainly(step: Step) -> Step:
    """Return the act that a shell line means, where it only looks."""
    found = as_act(step.word("command")) if step.act == "run" else None
    return step if found is None else found._replace(destination=step.destination, text=step.text)


def _is_yes(reading: Reading, request: str) -> bool:
    """Tell whether a yes is one beyond doubt: "ok, never mind" is none."""
    return reading.confidence >= _HALF and not concepts_of(request) & _REFUSING


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
    if step.act in {"no", "refrain", "undo"}:
        return None
    is_other = step.act not in {*FOLLOWS, "unclear", "talk"} and step.act not in {one.act for one in asked.steps}
    is_delete = any(one.act.startswith("delete") for one in asked.steps)
    if is_delete and set(step.arguments) - {context.missing}:
        return None
    if is_other and set(step.arguments) - {context.missing} and reading.confidence >= _HALF:
        return None
    marked = sum(len(word) for found in step.arguments.values() for word in found)
    is_only_words = marked >= len(said_now) / 2 or step.act in FOLLOWS or step.act in {"unclear", "talk"}
    if reading.confidence >= _SURE and not is_only_words:
        return None
    given = step.arguments.get(context.missing) or (next(iter(step.arguments.values())) if marked else (said_now,))
    place = next((at for at, one in enumerate(asked.steps) if not one.word(context.missing)), 0)
    steps = list(asked.steps)
    steps[place] = steps[place].with_arguments(**{context.missing: given})
    return asked._replace(steps=tuple(steps), confidence=1.0, language=reading.language, others=())


def _followed(step: Step, last: Step) -> Step:
    """Return the step before with what a follow-up says differently."""
    if step.act not in FOLLOWS:
        return step
    roles = (*roles_of(last.act, last.destination), *last.arguments)
    changed: dict[str, tuple[str, ...]] = {}
    for role, words in step.arguments.items():
        goal = role
        if role not in roles:
            goal = next((one for one in _CONTENT if one in last.arguments), "") if role in _CONTENT else ""
        if goal:
            changed[goal] = words
        elif is_change(last.act):  # something was said that the change has no place for: it is not done without it
            return Step("unclear", {}, text=step.text)
    kept = last.with_arguments(**changed)
    return kept._replace(text=f"{step.text}\n{last.text}", destination=step.destination or kept.destination)


def _variants(step: Step, last: Step) -> list[Step]:
    """Return the step before with a word of a follow-up in the place of each of its other words."""
    said = [words for words in step.arguments.values() if words]
    if len(said) != 1 or _EXACT.match(said[0][0]):
        return []
    roles = [role for role in last.arguments if role in {*_CONTENT, "file"} and role not in step.arguments]
    text = f"{step.text}\n{last.text}"
    return [last.with_arguments(**{role: said[0]})._replace(text=text) for role in roles]


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
    steps = [step for step in reading.steps if _is_work(step)]
    told = _Answer(answer, reading.language, len(reading.steps) < 2)  # noqa: PLR2004 - one sentence
    asked = _asked(reading, told)
    if not steps:
        return context._replace(asked=None, missing="", answer=context.answer) if asked is None else asked
    step = steps[-1]
    names = _shown(step, told)
    is_lacking = asked is not None and asked.missing == "file"
    file = "" if is_lacking else _file(step, context, told)
    settled = step.with_arguments(file=(file,)) if file and len(step.arguments.get("file", ())) == 1 else step
    if asked is not None:
        return asked._replace(
            last=context.last, file=file or context.file, shown=names or context.shown, answer=context.answer,
            changed=context.changed, is_named=_is_named(file or context.file, reading, context),
        )  # fmt: skip
    is_listing = bool(names) and not file
    changed = _changed(settled, told) if is_change(step.act) or step.destination else context.changed
    about = file or ("" if is_listing else context.file)
    return Context(
        settled, about, _is_named(about, reading, context), names or context.shown, _value(step, told), changed
    )


def _is_named(file: str, reading: Reading, context: Context) -> bool:
    """Tell whether a file was named by the person, or is what was just made or changed."""
    if file == context.file and context.is_named:
        return True
    base = plain(file.rpartition("/")[2].rpartition(".")[0] or file)
    said = " ".join(plain(word) for step in reading.steps for words in step.arguments.values() for word in words)
    return any(is_change(step.act) or step.destination for step in reading.steps) or bool(base and base in said)


def _is_work(step: Step) -> bool:
    return not is_talk(step.act) or (step.act == "ask.change" and "file" in step.arguments)


def _changed(step: Step, answer: _Answer) -> Step | None:
    """Return a change with what is needed to take it back, as far as its answer says it."""
    if step.act == "undo":
        return None
    for key, (act, roles) in _CHANGES.items():
        if (found := answer.said(key)) is None:
            continue
        told = {role: tuple(found[hole].split(_PARTED.get((key, hole), "\0"))) for hole, role in roles.items()}
        if act == "write":
            told |= {"made": ("yes",), "text": step.arguments.get("text", ())}
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
    for key, hole in ((step.act, "value"), ("json.get", "value"), ("lines", "lines"), ("entries", "lines")):
        if (found := answer.said(key)) is not None and hole in found:
            return found[hole]
    return answer.text


def _file(step: Step, context: Context, answer: _Answer) -> str:  # noqa: PLR0911 - from the surest on
    """Return the file that a step turned out to be about; empty where it names several or none."""
    if step.destination in {"write", "append"} and step.word("to"):
        return _named(step.word("to"), answer.text) or step.word("to")
    if step.act == "undo":
        taken_back = answer.said("undone") or {}
        names = taken_back.get("names", "").split(", ")
        return names[0] if len(names) == 1 else ""
    if step.act in {"move", "copy", "rename"}:
        for key in ("renamed", "moved", "copied"):
            if (found := answer.said(key)) is not None:
                return found["to"] if not found["to"].endswith("/") else ""
    if step.act == "search.files":
        names = (answer.said("search.files") or {}).get("names", ", ").split(", ")
        return names[0] if len(names) == 1 else ""
    is_list = step.act.startswith("list")
    for key in () if is_list else naming("file", answer.language):
        if (key != "listed" or step.act in _LISTED) and (told := answer.said(key)) is not None:
            return told["file"]
    words = step.arguments.get("file", ())
    if len(words) > 1:
        return ""
    word = words[0] if words else ""
    text = answer.text
    if is_list and text and "\n" not in text and text.rstrip()[-1:] not in _ENDS:
        return _AFTER.sub("", text).rstrip("/")
    for line in text.splitlines():
        if (took := said("note.took", answer.language, line)) is None:
            break
        if took["word"] == word:
            return took["name"]
    if word and not is_pointer(word, "it") and word in text:
        return word
    found_names: list[str] = list(dict.fromkeys(_PATH.findall(text.partition("\n")[0])))
    if len(found_names) == 1 or (found_names and word):
        return found_names[0]
    if _EXACT.match(word):
        return word
    return context.file if word and is_pointer(word, "it") else ""


def _named(word: str, answer: str) -> str:
    return next((name for name in _PATH.findall(answer) if name.endswith(word)), "")


def _shown(step: Step, answer: _Answer) -> tuple[str, ...]:
    """Return names or lines that an answer shows one after the other."""
    listing = ("search.files",) if step.act == "search.files" else ("listed",) if step.act in _LISTED else ()
    for key in ("ask.which", "ask.no_file", *listing):
        if (found := answer.said(key)) is not None:
            return _split(found["names"], answer.language)
    if (found := answer.said("ask.delete")) is not None:
        return tuple(name.rstrip("/") for name in found["names"].splitlines())
    head, _, rest = answer.text.partition("\n")
    is_list = step.act in _SHOWS or step.act.startswith(_SHOWING)
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
        plan = Reading(left, 1.0, reading.language)
        for key, role in ASKED.items():
            if (found := one.said(key)) is not None and plan.steps:
                return Context(asked=_agreed(plan, key, found), missing=role)
        for key in ("ask.missing_of", "ask.missing"):
            if (found := one.said(key)) is not None:
                return Context(asked=plan, missing=_role(found["what"], reading.language))
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


def _exchanges(messages: Sequence[Message]) -> tuple[Exchange, ...]:
    """Return the latest requests of the user with what was answered last to each."""
    found: list[Exchange] = []
    answer = ""
    for message in reversed(messages):
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

    @property
    def router(self) -> Router:
        """The router over the table that the prompt holds."""
        return router_for_prompt(self.system, self.taught)

    @property
    def understood(self) -> Understood:
        """The request, or the work order, as it is read in this conversation."""
        order, given = handed(self.text)
        whole = understand(self.before, self.request)
        if order == self.request and given is None:
            return whole
        if steps := read_order(order):
            if given is not None:
                steps = with_given(steps, given)
            is_certain = whole.reading.is_certain and {step.act for step in steps} <= {
                s.act for s in whole.reading.steps
            }
            return Understood(Reading(steps, 1.0, whole.reading.language, is_certain=is_certain), whole.context)
        reading = resolved(order, whole.context, whole.reading.language)
        if given is not None and reading.steps:
            reading = reading._replace(steps=with_given(reading.steps, given))
        return Understood(reading, whole.context)

    @classmethod
    def read(cls, messages: Sequence[Message], taught: Taught | None = None) -> Conversation:
        """Sort messages; a hint of the runtime is no request."""
        system = messages[0].content if messages and messages[0].role == "system" else ""
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
            asked = place if not is_order else _last_request(messages, place)
            tag = _tag(system + text) if is_order else ""
            before = _exchanges(messages[:asked])
            request = messages[asked].content if asked < place else text
            return cls(system, text, tuple(messages[place + 1 :]), before, request, tag, failed, taught)
        return cls(system, "", (), taught=taught)

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
            ToolCall.model_validate(
                {
                    "id": f"call-{self.tag}{number + place}",
                    "name": tool,
                    "arguments": {name: value for name, value in arguments.items() if value is not None},
                }
            )
            for place, (tool, arguments) in enumerate(wanted, 1)
        ]
        return Reply(text=text, tool_calls=tuple(made))
