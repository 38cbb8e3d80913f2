"""A request as data: what can be wanted, what a request is read into, what is known from before, what carrying it out gives.

A step is written as one line that a person understands, and read back from it; a work order is such lines:

    read notes.md → count words
    in todo.txt replace milk by "oat milk"
    search ERROR in server.log → write to errors.txt
    cron_add: schedule "monday at 9", prompt report
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

# -- acts --------------------------------------------------------------------------------------------------------------

READING = Path(__file__).resolve().parents[2] / "data" / "reading"
"""Folder of the tables that requests are read and answered with."""
Kind = Literal["look", "change", "talk"]


class Act(NamedTuple):
    """One thing that can be wanted."""

    name: str
    needed: tuple[str, ...]
    """Roles without which it cannot be done."""
    optional: tuple[str, ...]
    kind: Kind
    """Whether it only looks, changes something, or is about the conversation."""
    tool: str
    """The tool without which it cannot be done; empty when it needs none."""
    reads: str
    """What sort of file it is about (``table``, ``json``, ``code``); empty for any."""
    shown: str
    """How a plan with it is written; ``[…]`` may be left out."""
    meaning: str

    @property
    def roles(self) -> tuple[str, ...]:
        """All its roles."""
        return (*self.needed, *self.optional)


@cache
def acts() -> Mapping[str, Act]:
    """Read the table of acts.

    Returns
    -------
    mapping of str to Act

    Examples
    --------
    >>> acts()["replace"].needed, acts()["replace"].kind
    (('file', 'old', 'new'), 'change')
    """
    found = {}
    for name, needed, optional, kind, tool, reads, shown, meaning in read_rows("acts.tsv"):
        act = Act(name, tuple(needed.split()), tuple(optional.split()), _kind(kind), tool, reads, shown, meaning)
        found[name] = act
    return found


def is_change(name: str) -> bool:
    """Tell whether an act, or a tool that is none of ours, may change something."""
    act = acts().get(name)
    return act is None or act.kind == "change"


def is_talk(name: str) -> bool:
    """Tell whether an act is about the conversation, and nothing to be done."""
    return (act := acts().get(name)) is not None and act.kind == "talk"


def read_rows(name: str) -> list[list[str]]:
    """Read the rows of a table of the reading: tab-separated, ``#`` begins a comment."""
    text = (READING / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]


def _kind(written: str) -> Kind:
    match written:
        case "look" | "change" | "talk":
            return written
        case _:
            raise ValueError(written)


# -- plans as lines ----------------------------------------------------------------------------------------------------

Arguments = Mapping[str, tuple[str, ...]]


class Step(NamedTuple):
    """One thing that is wanted."""

    act: str
    """A row of ``data/reading/acts.tsv``, or the name of a tool."""
    arguments: Arguments
    """Role to words as they stand in the request (several files: several words): roles of the act, parameters of the tool."""
    destination: str = ""
    """What becomes of the result: nothing, ``write`` or ``append`` (to the file in ``to``), ``remember``, ``task``."""
    text: str = ""
    """The piece of the request it was read from."""

    def word(self, role: str) -> str:
        """Return the first word of a role; empty when there is none."""
        return next(iter(self.arguments.get(role, ())), "")

    def with_arguments(self, **roles: tuple[str, ...]) -> Step:
        """Return the same with other arguments; an empty tuple takes a role out."""
        merged = {**self.arguments, **roles}
        return self._replace(arguments={role: words for role, words in merged.items() if words})


class Reading(NamedTuple):
    """What a request was read into."""

    steps: tuple[Step, ...]
    confidence: float = 1.0
    """0 to 1: that these are the right acts and destinations."""
    language: str = "en"
    others: tuple[Reading, ...] = ()
    """Next likeliest readings."""
    is_certain: bool = False
    """Whether the person has said yes to it."""
    each: tuple[float, ...] = ()
    """How sure each of several steps is by itself, wherever one ends and the next begins."""
    are_apart: bool = False
    """Whether the steps are the wishes of a list: one that cannot be carried out stops none of the others."""


class Context(NamedTuple):
    """What was said before."""

    last: Step | None = None
    """The last step carried out, with its settled arguments."""
    file: str = ""
    """The file that was last spoken of."""
    is_named: bool = False
    """Whether the person named it, or it was just made: what is only known from a result is not deleted as "it"."""
    shown: tuple[str, ...] = ()
    """Names or lines of the last listing, in order."""
    answer: str = ""
    """The last result."""
    changed: Step | None = None
    """The last step that changed something, to be taken back."""
    asked: Reading | None = None
    """What the last answer asked back about."""
    missing: str = ""
    """The role that it asked for, ``*`` for the first argument a tool lacks; empty when it asked for a yes."""
    is_open: bool = False
    """Whether the last answer was a question, of whatever sort: "undo that" is a no to it, and takes back nothing older."""
    known: tuple[str, ...] = ()
    """What was to be remembered."""
    spoken: tuple[str, ...] = ()
    """Files that were spoken of, each once, the latest last."""
    query: Step | None = None
    """What was asked last of the table that is spoken of."""
    earlier: str = ""
    """The result before the last one."""
    read: tuple[tuple[str, str], ...] = ()
    """Files whose whole text was shown, and is in them still, each with it."""
    tasks: tuple[str, ...] = ()
    """Tasks that were noted or listed, and are open still."""


def speak_of(context: Context, file: str) -> tuple[str, ...]:
    """Return the files spoken of once another one was.

    Examples
    --------
    >>> speak_of(Context(spoken=("a.md", "b.md")), "a.md")
    ('b.md', 'a.md')
    """
    return (*(name for name in context.spoken if name != file), *([file] if file else []))


class Call(NamedTuple):
    """A tool call."""

    tool: str
    arguments: Mapping[str, Any]
    says: str = ""
    """What is said along with it: what will be lost."""


class Got(NamedTuple):
    """What a call gave."""

    text: str
    is_error: bool = False


class Answer(NamedTuple):
    """What is said when a reading was carried out, or cannot be yet."""

    text: str
    is_question: bool = False
    plan: tuple[Step, ...] = ()
    """The steps with their settled arguments."""
    is_dead_end: bool = False
    """Whether it cannot work in this folder, and another reading may."""


_DESTINATIONS = {
    "write": " → write to ",
    "append": " → append to ",
    "remember": " → remember",
    "task": " → note as tasks",
}
_VALUE = r'"(?:[^"\\]|\\.)*"|[^\s"+,()…]+'
_VALUES = rf"(?:{_VALUE})(?: \+ (?:{_VALUE}))*|…"
_ONE = re.compile(_VALUE)
_PART = re.compile(r"\[([^\]]*)\]|\{(\w+)\}")
_ROLE = re.compile(r"(\[)|(\])|\{(\w+)\}")
_PAIR = re.compile(rf"(\w+) ({_VALUES})")
_MORE = re.compile(rf" \(((?:\w+ (?:{_VALUES}))(?:, \w+ (?:{_VALUES}))*)\)$")
_TOOL = re.compile(rf"([\w.-]+)(?:: (\w+ (?:{_VALUES})(?:, \w+ (?:{_VALUES}))*))?$")
_BARE = re.compile(r"[\w./-]+\Z")
_END = re.compile(rf"(?: → (?:(write|append) to ({_VALUES})|(remember)|(note as tasks)))$")


def show(step: Step) -> str:
    """Write a step as one line.

    Parameters
    ----------
    step : Step

    Returns
    -------
    str

    Examples
    --------
    >>> show(Step("count.words", {"file": ("notes.md",)}))
    'read notes.md → count words'
    >>> show(Step("search", {"find": ("no way",), "to": ("hits.txt",)}, "write"))
    'search "no way" → write to hits.txt'
    >>> show(Step("append", {"text": ("milk",)}))
    'append milk to …'
    """
    line = _written(step, is_bare=True)
    return line if _is_same(parse(line), step) else _written(step, is_bare=False)


@lru_cache(maxsize=256)
def parse(line: str) -> Step | None:
    r"""Read a step from its line; ``None`` when it is none.

    Examples
    --------
    >>> parse("in todo.txt replace milk by \"oat milk\"").arguments
    {'file': ('todo.txt',), 'old': ('milk',), 'new': ('oat milk',)}
    >>> parse("well, well")
    """
    body, destination, arguments = line.strip(), "", {}
    if (end := _END.search(body)) is not None:
        body = body[: end.start()]
        destination = end[1] or ("remember" if end[3] else "task")
        if end[2] and (goal := _read(end[2])):  # "…" where the act has a "to" of its own
            arguments["to"] = goal
    if (more := _MORE.search(body)) is not None:
        body = body[: more.start()]
        arguments |= {role: _read(words) for role, words in _PAIR.findall(more[1])}
    fits = [
        (name, found.groupdict(""))
        for name in acts()
        if _may_be(name, body) and (found := _pattern(name).fullmatch(body))
    ]
    if fits:  # the one of which most is said by the plan's own words: "list newest" is no file called newest
        name, said = min(fits, key=lambda fit: sum(map(len, fit[1].values())))
        given = {role: _read(words) for role, words in said.items() if words}
        return _step(name, {**given, **arguments}, destination)
    if (tool := _TOOL.match(body)) is not None and (tool[2] or "_" in tool[1]):
        given = {role: _read(words) for role, words in _PAIR.findall(tool[2] or "")}
        return _step(tool[1], {**given, **arguments}, destination)
    return None


def _step(act: str, arguments: Arguments, destination: str) -> Step:
    return Step(act, {role: words for role, words in arguments.items() if words}, destination)


def _is_same(read: Step | None, step: Step) -> bool:
    given = {role: words for role, words in step.arguments.items() if words}
    return (
        read is not None
        and read.act == step.act
        and read.destination == step.destination
        and dict(read.arguments) == given
    )


def _written(step: Step, *, is_bare: bool) -> str:
    act = acts().get(step.act)
    left = {role: _write(words, is_bare=is_bare) for role, words in step.arguments.items() if words}
    end = _DESTINATIONS.get(step.destination, "")
    if end.endswith(" "):
        end += left.pop("to", "…") if act is None or "to" not in act.roles else "…"
    if act is None:
        pairs = ", ".join(f"{role} {words}" for role, words in left.items())
        return (f"{step.act}: {pairs}" if pairs else step.act) + end
    line = _filled(act, left)
    rest = ", ".join(f"{role} {words}" for role, words in left.items() if role not in act.roles)
    return line + (f" ({rest})" if rest else "") + end


def _filled(act: Act, words: Mapping[str, str]) -> str:
    def part(mark: re.Match[str]) -> str:
        if mark[2]:
            return words.get(mark[2], "…")
        is_said = any(role in words for role in re.findall(r"\{(\w+)\}", mark[1]))
        return _PART.sub(part, mark[1]) if is_said else ""

    return _PART.sub(part, act.shown)


def _write(words: tuple[str, ...], *, is_bare: bool) -> str:
    return " + ".join(word if is_bare and _BARE.match(word) else _quoted(word) for word in words)


def _quoted(word: str) -> str:
    written = json.dumps(word, ensure_ascii=False)
    if written.isprintable():
        return written
    return "".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in written)


def _read(words: str) -> tuple[str, ...]:
    if words == "…":
        return ()
    return tuple(json.loads(word) if word.startswith('"') else word for word in _ONE.findall(words))


@cache
def _pattern(act: str) -> re.Pattern[str]:
    pattern, shown, at = "", acts()[act].shown, 0
    for mark in _ROLE.finditer(shown):
        pattern += re.escape(shown[at : mark.start()])
        pattern += "(?:" if mark[1] else ")?" if mark[2] else f"(?P<{mark[3]}>{_VALUES})"
        at = mark.end()
    return re.compile(pattern + re.escape(shown[at:]))


def _may_be(act: str, line: str) -> bool:
    """Tell whether a line holds the words that every plan with an act has: patterns of the others are not needed."""
    lead, *others = _fixed(act)
    return line.startswith(lead) and all(map(line.__contains__, others))


@cache
def _fixed(act: str) -> tuple[str, ...]:
    """Return the words that every plan with an act has, beginning with those it begins with."""
    return tuple(re.split(r"\[[^\]]*\]|\{\w+\}", acts()[act].shown))


# -- work orders -------------------------------------------------------------------------------------------------------

HANDED = "\n\nUse this text:\n"
"""Parts a work order from the result of the step before that goes with it."""


def write_order(steps: Sequence[Step]) -> str:
    r"""Write steps as a work order, a line for each.

    Examples
    --------
    >>> write_order([Step("read", {"file": ("a.md",)}), Step("delete", {"file": ("b.md",)})])
    'read a.md\ndelete b.md'
    """
    return "\n".join(show(step) for step in steps)


def read_order(order: str) -> tuple[Step, ...]:
    r"""Read the steps of a work order; none when any line of it is no plan.

    Examples
    --------
    >>> [step.act for step in read_order("read a.md\ndelete b.md")], read_order("please read a.md")
    (['read', 'delete'], ())
    """
    steps = [parse(line) for line in order.splitlines()]
    return tuple(step for step in steps if step is not None) if None not in steps else ()


def hand_on(order: str, text: str) -> str:
    """Write a work order that goes with a text."""
    return f"{order}{HANDED}{text}"


def handed(text: str) -> tuple[str, str | None]:
    r"""Part a work order from the text that goes with it.

    Examples
    --------
    >>> handed(hand_on("save to b.md", "a\nb")), handed("save to b.md")
    (('save to b.md', 'a\nb'), ('save to b.md', None))
    """
    order, mark, given = text.partition(HANDED)
    return (order, given) if mark else (text, None)


def with_given(steps: Sequence[Step], given: str) -> tuple[Step, ...]:
    """Put a text that goes with an order where the first step lacks one.

    Examples
    --------
    >>> [dict(with_given((Step(act, {}),), "milk")[0].arguments) for act in ("append", "search", "mail_send")]
    [{'text': ('milk',)}, {'find': ('milk',)}, {'text': ('milk',)}]
    """
    first, *rest = steps
    row = acts().get(first.act)
    role = "text"
    if row is not None and "text" not in row.roles:
        role = next((one for one in row.needed if one not in first.arguments), "text")
    return first.with_arguments(**{role: (given,)}), *rest
