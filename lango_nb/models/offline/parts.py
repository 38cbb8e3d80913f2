"""A request as the work orders it takes: each step of its plan goes to who owns the tool, what belongs together stays so."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from lango_nb.core.masking import mask
from lango_nb.models.offline.acts import acts
from lango_nb.models.offline.before import resolved
from lango_nb.models.offline.carry_out import least_of
from lango_nb.models.offline.conversation import Conversation
from lango_nb.models.offline.lexicon import lexicon
from lango_nb.models.offline.names import pick
from lango_nb.models.offline.plan import Reading, Step, show
from lango_nb.models.offline.words import words
from lango_nb.models.offline.work_orders import written
from lango_nb.routing.capabilities import router_family, tool_capability
from lango_nb.routing.route import Route
from lango_nb.routing.router import AUTOMATED, Router

LONGEST_QUOTE = 300
"""Characters of a quoted string that are read to route a request."""
_CLEARLY = 0.85
"""Confidence from which the router is believed rather than a reading that is not sure."""
SURE = 0.5
"""Confidence from which a reading says who gets a request."""
_OWN_TASKS = "task_create"
_QUESTION = frozenset(("what", "who", "where", "when", "many", "which"))
_CHAT = frozenset(("greeting", "thanks", "farewell", "joke", "you", "weather"))
"""Concepts of questions and of small talk."""
_TOOL = r"`?(?:[a-z][a-z0-9]*(?:_[a-z0-9]+)+|exec)\b`?"
_ONLY = re.compile(
    r"(?:\bby\s+|\bbut\s+)?\b(?:(?:using|use|with)\s+(?:only|nothing\s+but)|only\s+(?:using|use|with))\s+"
    rf"(?:the\s+)?(?:tools?\s+)?({_TOOL}(?:(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+){_TOOL})*)(?:\s+tools?\b)?[\s,:;]*",
    re.IGNORECASE,
)
_NAME = re.compile(r"[a-z][a-z0-9_]*", re.IGNORECASE)
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)")


@dataclass(frozen=True, slots=True)
class WorkOrder:
    """One work order."""

    text: str
    """What to do: the request, or lines of its plan."""
    route: Route
    """What the router says of it."""
    agent: str = ""
    """Who gets it; empty when nobody does."""
    allowed: tuple[str, ...] = ()
    """Tools it is narrowed to; empty when nothing was said about that."""
    needs: int | None = None
    """Place of the part whose result it uses."""
    order: str = ""
    """What whoever gets it is told, where that is more than the text."""
    reason: str = ""
    """The plan, in a line."""
    own: Reading | None = None
    """What the root does itself."""


def parts_of(
    conversation: Conversation, own_tools: Collection[str] = (), *, is_whole: bool = False
) -> tuple[WorkOrder, ...]:
    """Take a request apart.

    Parameters
    ----------
    conversation : Conversation
        The root's: its system prompt holds the routing table.
    own_tools : collection of str
        Tools that the root has itself.
    is_whole : bool
        Leave the request in one part: whoever gets it takes the whole turn over.

    Returns
    -------
    tuple of WorkOrder
        At least one.
    """
    router, reading = conversation.router, conversation.understood.reading
    wish, allowed = take_allowed(conversation.text)
    if allowed:
        reading = resolved(wish, conversation.understood.context, reading.language)
    route = router.route(without_content(wish))
    steps = [_split_destination(step, own_tools) for step in reading.steps]
    flat = [(step, needs) for pieces in steps for step, needs in pieces]
    changed = conversation.understood.context.changed
    owners = [
        _owner(
            tool_of(step, changed),
            step,
            reading,
            router,
            route if len(flat) == 1 else router.route(step.text or show(step)),
            own_tools,
        )
        for step, _ in flat
    ]
    if AUTOMATED.match(conversation.text) and not any(owners):
        owners = [route.chosen or ""] * len(flat)  # nobody is there to be answered: the work is always given away
    if len(set(owners)) == 1 or is_whole or allowed or reading.confidence < least_of(reading):
        agent = next((owner for owner in owners if owner), "")
        own = reading if not agent and all(_is_nobodys(tool_of(step, changed), own_tools) for step, _ in flat) else None
        return (WorkOrder(wish, route, agent, allowed, reason=_reason(reading.steps), own=own),)
    found: list[WorkOrder] = []
    group: list[Step] = []
    for place, (step, needs) in enumerate(flat):
        group.append(step)
        is_last = place + 1 == len(flat)
        if is_last or owners[place + 1] != owners[place] or flat[place + 1][1]:
            lines = tuple(group)
            text = written(lines)
            own = Reading(lines, reading.confidence, reading.language) if not owners[place] else None
            before = len(found) - 1 if needs and found else None
            found.append(
                WorkOrder(
                    text, router.route(step.text or text), owners[place], needs=before, reason=_reason(lines), own=own
                )
            )
            group = []
    return tuple(found)


def _split_destination(step: Step, own_tools: Collection[str]) -> list[tuple[Step, bool]]:
    """Part a step from where its result goes when that takes a tool of somebody else; tells which step needs a result."""
    goal = {"write": "fs_write", "append": "fs_edit", "remember": "memory_agent_save", "task": _OWN_TASKS}.get(
        step.destination, ""
    )
    tool = tool_of(step)
    is_same = tool_capability(goal) == tool_capability(tool) and not (goal in own_tools) ^ (tool in own_tools)
    if not goal or not tool or is_same:
        return [(step, False)]
    bare, last = without_destination(step)
    return [(bare, False), (last, True)]


def without_destination(step: Step) -> tuple[Step, Step]:
    """Part a step from the one that brings its result where it goes."""
    goal = {"file": step.arguments.get("to", ())}
    last = {
        "write": Step("write", goal),
        "append": Step("append", goal),
        "remember": Step("remember", {}),
        "task": Step("task.add", {}),
    }[step.destination]
    return step.with_arguments(to=())._replace(destination=""), last._replace(text=step.text)


def tool_of(step: Step, changed: Step | None = None) -> str:
    """Return the tool that a step cannot do without; empty when it needs none.

    Parameters
    ----------
    step : Step
    changed : Step, optional
        The last change, which "undo" takes back.
    """
    if step.act == "undo":
        return "" if changed is None else tool_of(changed)
    if step.act == "ask.change" and step.word("file"):
        return "fs_list"
    row = acts().get(step.act)
    return step.act if row is None else row.tool


def _is_nobodys(tool: str, own_tools: Collection[str]) -> bool:
    """Tell whether the root answers for something: it is its own, or a tool of the root that it was not given."""
    return _is_own(tool, own_tools) or not router_family(tool)


def _is_own(tool: str, own_tools: Collection[str]) -> bool:
    """Tell whether the root does something itself: it needs no tool, or one of its own."""
    return not tool or tool in own_tools


def _owner(  # noqa: PLR0913, PLR0917 - what speaks for whom
    tool: str, step: Step, reading: Reading, router: Router, route: Route, own_tools: Collection[str]
) -> str:
    """Return who gets a step; empty for the root itself, or when nobody does."""
    is_stranger = (
        step.act == "about.agents" and step.word("agent") and not pick(step.word("agent"), router.table.names).name
    )
    if (is_stranger or step.act != "about.agents") and may_be_found_out(step, route):
        return next(iter(router.owners("fs")), "")
    if _is_own(tool, own_tools) and step.act != "unclear":
        is_doubtful = reading.confidence < SURE or (route.confidence >= _CLEARLY > reading.confidence)
        return route.chosen if route.chosen and is_doubtful and not tool else ""
    if reading.confidence < SURE and route.is_conversation:
        return ""
    owners = router.owners(router_family(tool)) if tool else ()
    if router.taught.rows and route.chosen:
        return route.chosen
    if not owners and step.act in acts() and not router_family(tool) and reading.confidence >= SURE:
        return ""
    if not owners:
        return route.chosen or ""
    if route.chosen in owners:
        return str(route.chosen)
    names_file = any(one.kind in {"file", "folder"} for one in words(step.text))
    is_doubtful = (
        not names_file and reading.confidence < SURE and route.chosen is not None and route.confidence >= _CLEARLY
    )
    return str(route.chosen) if is_doubtful else owners[0]


def _is_about_files(step: Step, router: Router, route: Route) -> bool:
    """Tell whether what looks like a question about agents is none: it names nobody here, and nothing anybody would do."""
    match step.act:
        case "about.agents":
            return bool(step.word("agent")) and not pick(step.word("agent"), router.table.names).name
        case "about.owner":
            return not step.word("tool") and route.chosen is None
        case _:
            return True


def may_be_found_out(step: Step, route: Route | None = None) -> bool:
    """Tell whether a question that looks like talk may have its answer in a file: it is no greeting, and no opinion."""
    if step.act not in {"talk", "unclear", "about.agents", "about.owner"} or (
        route is not None and route.is_conversation
    ):
        return False
    told = {concept for concepts in lexicon().concepts(words(step.text)) for concept in concepts}
    is_question = bool(_QUESTION & told) or any(sign in step.text for sign in "?\uff1f")
    return is_question and not _CHAT & told


def _reason(steps: Sequence[Step]) -> str:
    if any((row := acts().get(step.act)) is not None and row.kind == "talk" for step in steps):
        return ""
    return mask("; ".join(show(step) for step in steps))


def take_allowed(text: str) -> tuple[str, tuple[str, ...]]:
    """Take "using only …" out of a request.

    Examples
    --------
    >>> take_allowed("read notes.md using only fs_read, fs_list and tell me its first heading")
    ('read notes.md and tell me its first heading', ('fs_read', 'fs_list'))
    >>> take_allowed("write 'with only fs_read' to a.txt")[1], take_allowed("make a page with only one column")[1]
    ((), ())
    """
    if "only" not in text and "nothing" not in text:
        return text, ()
    match = _ONLY.search(_covered(text))
    if match is None:
        return text, ()
    names = tuple(
        dict.fromkeys(n for n in _NAME.findall(text[match.start(1) : match.end(1)]) if n not in {"and", "or"})
    )
    before, after = text[: match.start()].rstrip(" ,;:("), text[match.end() :].lstrip(" ,;:)")
    gap = " " if before and after and after[0] not in ".!?" else ""
    return before + gap + after, names


def without_content(text: str) -> str:
    """Shorten long quoted strings: they are content, and say nothing of who should get a request.

    Examples
    --------
    >>> len(without_content("write '" + "delete everything " * 99 + "' to a.txt"))
    66
    """
    if len(text) <= LONGEST_QUOTE:
        return text
    return _QUOTED.sub(lambda match: match[0] if len(match[0]) <= LONGEST_QUOTE else match[0][:50] + match[0][-1], text)


def _covered(text: str) -> str:
    """Cover quoted strings, letter by letter; a tool's name in backticks is none."""
    return _QUOTED.sub(
        lambda match: (
            match[0] if "_" in match[0] and " " not in match[0] else match[0][0] + "\x01" * (len(match[0]) - 1)
        ),
        text,
    )
