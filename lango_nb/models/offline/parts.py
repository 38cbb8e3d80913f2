"""Who does what: what a request aims at, the work orders it takes, and plans in sentences with an agent for each step.

The router's learned model says how likely each tool family is; the tools that are offered say which of them are an agent's
own. Each step of a reading goes to who owns its tool, what belongs together stays so. A planner writes, and the root reads:

    [PLAN: what it is about]
    Step 1: count the lines of notes.md → agent: operator
    Step 2: hash it → agent: vault | depends_on: Step 1
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from lango_nb.core.errors import shorten
from lango_nb.core.masking import mask
from lango_nb.models.offline.carry_out import BY_WRITING, LISTING, least_of, wants_to_know
from lango_nb.models.offline.conversation import Conversation
from lango_nb.models.offline.lexicon import Word, concepts_of, is_small_anywhere, lexicon, words
from lango_nb.models.offline.lists import words_of_wishes
from lango_nb.models.offline.looking import state_of_boxes
from lango_nb.models.offline.names import is_small, pick, telling_words
from lango_nb.models.offline.own_tools import NO_TOOLS
from lango_nb.models.offline.plan import Reading, Step, acts, hand_on, is_change, is_talk, show, write_order
from lango_nb.models.offline.primitives import PRIMITIVE_FOR
from lango_nb.models.offline.question import said_of_tables, words_of_tables
from lango_nb.models.offline.reader import reader
from lango_nb.models.offline.refining import REMEMBERED
from lango_nb.models.offline.understanding import resolved
from lango_nb.routing.capabilities import router_family, tool_capability
from lango_nb.routing.families import CONVERSATION
from lango_nb.routing.route import Route
from lango_nb.routing.router import AUTOMATED, Router, router_for
from lango_nb.routing.table import RoutingTable

# -- what a request is about -------------------------------------------------------------------------------------------

PLANNING = "planning"
"""A family without tools."""
_FOREIGN_LEAST = 0.05
"""Probability from which a request may be about somebody else's family."""
_FOREIGN_LEAD = 3.0
"""How many times likelier somebody else's family must be for the request to be declined."""


class Aim(NamedTuple):
    """What a request is likely to be about."""

    likely: Mapping[str, float]
    """The probability of every family."""
    domain: str
    """The family of somebody else that it is about; empty when it may be the agent's own."""
    is_talk: bool
    """Whether it is conversation rather than anything the agent has tools for."""


@lru_cache(maxsize=512)
def aim_of(text: str, families: frozenset[str]) -> Aim:
    """Tell what a request is about, seen from an agent with tools of some families.

    Parameters
    ----------
    text : str
        The request.
    families : frozenset of str
        Of the tools that are offered.

    Returns
    -------
    Aim
    """
    router = _nobodys()
    likely = router.family_scores(text)
    own = [part for name, part in likely.items() if name in families]
    foreign = [(name, part) for name, part in likely.items() if name not in families and name != CONVERSATION]
    nearest, chance = foreign[0] if foreign else ("", 0.0)
    is_foreign = chance >= _FOREIGN_LEAST and chance > _FOREIGN_LEAD * sum(own)
    talk = likely.get(CONVERSATION, 0.0)
    is_talk = talk > (own[0] if own else 0.0) and talk >= router.calibration.root_threshold
    return Aim(likely, nearest if is_foreign else "", is_talk)


@lru_cache(maxsize=1)
def _nobodys() -> Router:
    """Return the router over no agents: only what it says of families is asked."""
    return router_for(RoutingTable())


# -- who gets which step -----------------------------------------------------------------------------------------------

LONGEST_QUOTE = 300
"""Characters of a quoted string that are read to route a request."""
CLEARLY = 0.85
"""Confidence from which the router is believed rather than a reading that is not sure."""
SURE = 0.5
"""Confidence from which a reading says who gets a request."""
LOOKS = 0.3
"""Confidence from which a question is a look at something rather than small talk, whatever the router says."""
CHATTY, SURELY = 0.8, 0.97
"""Confidence of a reading, and of the router, from which a question is small talk and not looked for in files."""
_OWN_TASKS = "task_create"
_ADDRESSED_IN = 5
"""Words among which a request names the agent that is to do it."""
_POLITE = frozenset(("please", "you", "can"))
_UNSPACED = frozenset(("ja", "zh"))
"""Languages whose requests are read with less confidence, whatever they are about."""
_FILED = frozenset(("write", "append"))
"""Destinations that are files."""
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
    owners: tuple[str, ...] = ()
    """Who has the tools of the plan: tried next where the first choice declines."""
    own: Reading | None = None
    """What the root does itself."""
    rule: str = ""
    """The routing rule that chose the agent."""


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
        meant = conversation.own if any(map(conversation.own.get, allowed)) else NO_TOOLS
        reading = resolved(wish, conversation.understood.context, reading.language, meant)
    if named := addressed(wish, router.table.names):
        meant_steps = resolved(named[1], conversation.understood.context, reading.language, conversation.own).steps
        return (WorkOrder(named[1], router.route(named[1]), named[0], allowed, reason=_reason(meant_steps)),)
    route = router.route(without_content(wish))
    steps = [_split_destination(step, own_tools) for step in reading.steps]
    flat = [(step, needs) for pieces in steps for step, needs in pieces]
    each = reading.each or (reading.confidence,) * len(steps)
    sure = [confidence for confidence, pieces in zip(each, steps, strict=True) for _ in pieces]
    changed = conversation.understood.context.changed
    is_going_on = len(flat) == 1 and conversation.understood.context.last is not None
    owners = [
        next(iter(router.owners("fs")), "")
        if is_going_on and may_be_found_out(step, confidence, reading.language)
        else _owner(
            tool_of(step, changed),
            step,
            confidence,
            reading.language,
            router,
            route if len(flat) == 1 else router.route(step.text or show(step)),
            own_tools,
        )
        for (step, _), confidence in zip(flat, sure, strict=True)
    ]
    if len(set(owners)) > 1 and (one_for_all := _able_to_all(router, [step for step, _ in flat], changed)):
        owners = [one_for_all] * len(flat)
    if AUTOMATED.match(conversation.text) and not any(owners):
        owners = [route.chosen or ""] * len(flat)  # nobody is there to be answered: the work is always given away
    if len(set(owners)) == 1 or is_whole or allowed or reading.confidence < least_of(reading):
        agent = next((owner for owner in owners if owner), "")
        own = reading if not agent and all(_is_nobodys(tool_of(step, changed), own_tools) for step, _ in flat) else None
        able = tuple(
            name for step, _ in flat if (tool := tool_of(step, changed)) for name in router.owners(router_family(tool))
        )
        order = _with_answer(conversation, wish, agent)
        return (WorkOrder(wish, route, agent, allowed, None, order, _reason(reading.steps), able, own),)
    found: list[WorkOrder] = []
    group: list[Step] = []
    for place, (step, needs) in enumerate(flat):
        group.append(step)
        is_last = place + 1 == len(flat)
        if is_last or owners[place + 1] != owners[place] or flat[place + 1][1]:
            lines = tuple(group)
            text = _in_words(lines) if any(conversation.own.get(one.act) for one in lines) else write_order(lines)
            own = Reading(lines, reading.confidence, reading.language) if not owners[place] else None
            before = len(found) - 1 if needs and found else None
            found.append(
                WorkOrder(
                    text, router.route(step.text or text), owners[place], needs=before, reason=_reason(lines), own=own
                )
            )
            group = []
    return tuple(found)


def _with_answer(conversation: Conversation, wish: str, agent: str) -> str:
    """Return what an agent is told that is to write the last answer where somebody else gave that; empty where it knows it."""
    (reading, context), router = conversation.understood, conversation.router
    step = reading.steps[0] if len(reading.steps) == 1 else Step("", {})
    is_answer = step.act in {"write", "append", "prepend"} and step.arguments.get("text") == ("it",)
    if not (agent and is_answer and context.answer) or context.last is None:
        return ""
    tool = tool_of(context.last)
    is_known = not tool or agent in router.owners(router_family(tool))
    return "" if is_known else hand_on(wish, context.answer)


def addressed(text: str, agents: Collection[str]) -> tuple[str, str] | None:
    """Return the agent that a request names as the one to do it, and what it is to do; ``None`` where it names none.

    Examples
    --------
    >>> addressed("ask the librarian to find my notes", ("librarian",)), addressed("vault: hash abc", ("vault",))
    (('librarian', 'find my notes'), ('vault', 'hash abc'))
    >>> addressed("what does the vault do?", ("vault",)), addressed("ask me", ("vault",))
    (None, None)
    """
    found = words(text)
    at = next((place for place, word in enumerate(found[:_ADDRESSED_IN]) if word.folded in agents), -1)
    if at < 0 or at + 1 >= len(found) or found[at].is_quoted:
        return None
    told, marks = lexicon().concepts(found), words_of_wishes().concepts(found)
    before, behind = range(at), at + 1
    is_asked = any("ask" in told[place] or "tell" in marks[place] for place in before)
    is_called = at == 0 and found[behind].text in {",", ":"}
    is_lead = all(
        "ask" in told[one] or "tell" in marks[one] or told[one] & _POLITE or _is_little(found[one]) for one in before
    )
    if not (is_called or (is_asked and is_lead)):
        return None
    while behind < len(found) and (found[behind].kind == "sign" or _is_little(found[behind])):
        behind += 1
    wish = text[found[behind].start :] if behind < len(found) else ""
    return (found[at].folded, wish) if wish and any(told[behind:]) else None


def _is_little(word: Word) -> bool:
    return is_small(word.text) or is_small_anywhere(word.text.casefold())


def _in_words(steps: Sequence[Step]) -> str:
    """Write steps for an agent that has tools of one's own: only that knows what they take, so it reads the words."""
    return "; ".join(step.text or show(step) for step in steps)


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
    if step.act in LISTING and step.act != "list" and step.word("file"):
        return "fs_edit" if is_change(step.act) else "fs_read"  # a list that may be a file
    row = acts().get(step.act)
    return step.act if row is None else row.tool


def _acting(router: Router, tool: str) -> tuple[str, ...]:
    """Return who has a tool by the names of what agents of one's own do."""
    words_of_it = tool.replace("_", " ")
    return tuple(row.name for row in router.table if any(one.partition(":")[0] == words_of_it for one in row.actions))


def _keeping(router: Router, tool: str) -> tuple[str, ...]:
    """Return who has a tool that no family of the router holds, as the table says it, where agents list theirs."""
    if not tool or router_family(tool):
        return ()
    need = tool_capability(tool)
    return tuple(row.name for row in router.table if need in row.capabilities)


def who_has(router: Router, tool: str, owners: Sequence[str]) -> Sequence[str]:
    """Return those of the owners of a family whose own tools do what is wanted, where a table tells them apart."""
    need = tool_capability(PRIMITIVE_FOR.get(tool, ""))
    return [name for name in owners or router.table.names if need in router.table[name].capabilities] or owners


def _writer(router: Router, tool: str, step: Step) -> str:
    """Return who writes files and does the rest of a step as well, where tables tell readers and writers apart."""
    writers = who_has(router, "fs_write", ())
    if step.act in BY_WRITING:
        return next(iter(writers), "")
    able = who_has(router, tool, router.owners(router_family(tool))) if step.destination in _FILED else ()
    return next((name for name in writers if name in able), "")


def _able_to_all(router: Router, steps: Sequence[Step], changed: Step | None) -> str:
    """Return who can do all steps where tables tell agents apart by what their tools do; empty when nobody can."""
    able = router.table.names
    for step in steps:
        wanted = "fs_write" if step.act in BY_WRITING or step.destination in _FILED else tool_of(step, changed)
        can = who_has(router, wanted, ()) if wanted else able
        able = tuple(name for name in able if name in can)
    return next(iter(able), "")


def _is_nobodys(tool: str, own_tools: Collection[str]) -> bool:
    """Tell whether the root answers for something: it is its own, or a tool of the root that it was not given."""
    return _is_own(tool, own_tools) or not router_family(tool)


def _is_own(tool: str, own_tools: Collection[str]) -> bool:
    """Tell whether the root does something itself: it needs no tool, or one of its own."""
    return not tool or tool in own_tools


_OF_THE_WORLD = frozenset(("weather", "joke"))
_OF_ONE = frozenset(("who", "when", "many"))
"""Concepts of words that ask for something which more often stands in a file than in the world: "who wrote it?"."""
_CHATTED = frozenset(("thanks", "greeting", "farewell", "you", "joke", "weather"))
_TELLING = 2
"""Words of such a question that say what it is about."""


def _owner(  # noqa: PLR0913, PLR0917 - what speaks for whom
    tool: str, step: Step, confidence: float, language: str, router: Router, route: Route, own_tools: Collection[str]
) -> str:
    """Return who gets a step; empty for the root itself, or when nobody does."""
    is_stranger = (
        step.act == "about.agents" and step.word("agent") and not pick(step.word("agent"), router.table.names).name
    )
    is_of_file = step.act in {"unclear", "talk"} and any(one.kind == "file" for one in words(step.text))
    may_be_found = may_be_found_out(step, confidence, language, route)
    with_files = next(iter(router.owners("fs")), "")
    is_kept = tool in own_tools or bool(_acting(router, tool) or _keeping(router, tool))
    is_of_boxes = step.act == "task.list" and not is_kept and bool(state_of_boxes(step.text, language))
    if with_files and (
        is_of_file
        or is_of_boxes
        or ((is_stranger or step.act != "about.agents" or _speaks_of_a_day(step.text)) and may_be_found)
    ):
        return with_files
    if writer := _writer(router, tool, step):
        return writer
    if _is_own(tool, own_tools) and step.act != "unclear":
        is_doubtful = confidence < SURE or (route.confidence >= CLEARLY > confidence)
        is_doubtful = is_doubtful and not _OF_THE_WORLD & concepts_of(
            step.text
        )  # what the weather is stands in no file
        return route.chosen if route.chosen and is_doubtful and not tool else ""
    if confidence < (LOOKS if step.arguments and tool.startswith("fs_") else SURE) and route.is_conversation:
        return ""
    known = (router.owners(router_family(tool)) or _acting(router, tool) or _keeping(router, tool)) if tool else ()
    owners = who_has(router, tool, known) if tool else ()
    if router.taught.rows and route.chosen:
        return route.chosen
    if not owners and step.act in acts() and not router_family(tool) and confidence >= SURE:
        return ""
    if not owners or route.chosen in owners:
        return route.chosen or ""
    names_file = any(one.kind in {"file", "folder"} for one in words(step.text))
    is_doubtful = not names_file and confidence < SURE and route.chosen is not None and route.confidence >= CLEARLY
    return str(route.chosen) if is_doubtful else owners[0]


def may_be_found_out(step: Step, confidence: float, language: str, route: Route | None = None) -> bool:
    """Tell whether a question that looks like talk, or was hardly understood, may have its answer in a file.

    Parameters
    ----------
    step : Step
    confidence, language
        Those of its reading.
    route : Route, optional
        Who else it may be for.
    """
    if not wants_to_know(step.text, language):
        return False
    if step.act in acts() and is_change(step.act):
        return step.act == "remember" and least_of(Reading((step,))) > 1  # it is a question
    other = 0.0 if route is None else route.confidence
    match step.act:
        case "talk" | "unclear":
            is_sure = confidence >= SURELY and step.act == "talk"
            is_talk_surely = is_sure or (other >= SURELY and confidence >= CHATTY)
            told = concepts_of(step.text)
            is_of_one = bool(told & _OF_ONE) and not told & _CHATTED and len(telling_words(step.text)) >= _TELLING
            return route is None or not route.is_conversation or not is_talk_surely or is_of_one
        case "recall":
            return confidence < SURE or (confidence < 1 and not _is_of_memory(step.text, language))
        case "about.agents" if step.word("agent"):
            return True  # there is nobody who is called so
        case "about.agents" | "about.why" if _speaks_of_a_day(step.text):
            return True  # "who is there on Friday?"
        case "about.agents" | "about.owner":
            is_nobody = route is None or route.chosen is None
            is_talk = route is not None and route.is_conversation
            is_of_rows = bool(said_of_tables(step.text, language) & {"yet", "owed", "spent"})  # "who hasn't paid yet?"
            is_nobody = is_nobody or is_of_rows or _speaks_of_a_day(step.text)
            return is_nobody and confidence < 1 and (confidence < CLEARLY or is_talk)
        case _:
            is_likely = confidence >= LOOKS or language in _UNSPACED
            is_look = step.act in acts() and is_likely and route is not None and route.is_conversation
            is_owed = router_family(step.act) == "payment" and confidence < CHATTY  # what is paid may stand in a table
            is_owed = is_owed or (confidence < SURE and bool(said_of_tables(step.text, language) & {"spent", "owed"}))
            return is_owed or (confidence < SURE and (other < CLEARLY or is_look))


def _speaks_of_a_day(text: str) -> bool:
    """Tell whether a question has a number, a day or a file in it: it is none about the agents."""
    found = words(text)
    told = lexicon().concepts(found)
    return any(
        one.kind in {"number", "measure", "file"} or ("day" in means and "question" not in means)
        for one, means in zip(found, told, strict=True)
    )


def _is_of_memory(text: str, language: str) -> bool:
    """Tell whether a question says that something was to be remembered: "what was it again?" does not."""
    found = words(text)
    both = zip(lexicon().concepts(found), words_of_tables(language).concepts(found), strict=True)
    return any(told & REMEMBERED and "again" not in one for told, one in both)


def _reason(steps: Sequence[Step]) -> str:
    if any(is_talk(step.act) for step in steps):
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


# -- plans in sentences ------------------------------------------------------------------------------------------------

ASKED = "Plan this: "
"""Begins the work order that asks for a plan."""
MOST_STEPS = 12
_NAMES = re.compile(r"^A step's agent is one of these names[^:\n]*: ([^\n]+?)\.?$", re.MULTILINE)
_STEP = re.compile(r"^Step (\d+): (.+?)(?:\s+→ agent: (\S+))?(?:\s*\| depends_on: Step (\d+))?\s*$", re.MULTILINE)
_CUT = re.compile(r",|;|\n|\. +(?=[A-Z])|\band then\b|\bthen\b|\band\b")
_LEAD = re.compile(r"^(?:and|then|also|finally|please)\s+", re.IGNORECASE)
_LIKELY = 0.3
"""Probability from which a step is said to be some family's."""
_USUAL = {
    "operator": ("exec", "fs", "skill"),
    "executor": ("exec", "fs", "skill", "browser", "crypto", "secrets", "payment"),
    "navigator": ("browser",),
    "vault": ("crypto", "secrets", "payment"),
    "librarian": (
        "knowledge",
        "knowledge_save",
        "rag",
        "graph",
        "learning",
        "learning_data",
        "inquiry",
        "skills",
        "web",
    ),
    "researcher": ("knowledge", "knowledge_save", "rag", "graph", "web"),
    "automator": ("cron", "bg", "workflow"),
    "chronicler": ("memory",),
    "ontologist": ("ontology",),
}
"""What agents of these names usually do: a prompt that lists names for a plan says no more."""


class PlannedStep(NamedTuple):
    """One step of a plan."""

    text: str
    agent: str = ""
    """Whom the plan names; empty when it names nobody."""
    needs: int | None = None
    """Place of the step, from 0, whose result it uses."""


def plan(prompt: str, text: str) -> str:
    """Break a request into numbered steps.

    Parameters
    ----------
    prompt : str
        The planner's: names the agents, where it names any.
    text : str
        The request.

    Returns
    -------
    str

    Examples
    --------
    >>> print(plan("", "plan a release: write notes, tag the commit and tell the team"))
    [PLAN: plan a release]
    Step 1: write notes
    Step 2: tag the commit
    Step 3: tell the team
    """
    body = text.strip().removeprefix(ASKED)
    head, colon, tail = body.partition(": ")
    is_headed = bool(colon and tail.strip()) and "http" not in head
    steps = _steps(tail if is_headed else body)
    if len(steps) < 2:  # noqa: PLR2004 - one part is no plan
        goal = steps[0].text if steps else "the goal"
        steps = [
            PlannedStep(f"say what a good result looks like: {shorten(goal, 100)}"),
            PlannedStep("do the smallest part first"),
            PlannedStep("check it"),
        ]
    names = _names(prompt)
    lines = [_line(number, step, names) for number, step in enumerate(steps[:MOST_STEPS], 1)]
    return "\n".join([f"[PLAN: {shorten((head if is_headed else body).strip(), 80)}]", *lines])


def read_plan(text: str) -> tuple[PlannedStep, ...]:
    r"""Read the steps of a plan.

    Examples
    --------
    >>> read_plan("[PLAN: x]\nStep 1: hash a → agent: vault\nStep 2: keep it → agent: filer | depends_on: Step 1")
    (PlannedStep(text='hash a', agent='vault', needs=None), PlannedStep(text='keep it', agent='filer', needs=0))
    """
    steps: list[PlannedStep] = []
    for match in _STEP.finditer(text):
        needs = int(match[4]) - 1 if match[4] else None
        is_before = needs is not None and 0 <= needs < len(steps)
        steps.append(PlannedStep(match[2].strip(), match[3] or "", needs if is_before else None))
    return tuple(steps[:MOST_STEPS])


def _steps(body: str) -> list[PlannedStep]:
    found: list[PlannedStep] = []
    for piece in _pieces(body):
        (first, *more) = reader().read(piece).steps or (None,)
        if first is None or more or not first.destination:
            found.append(PlannedStep(piece))
            continue
        bare, last = without_destination(first)
        found += [PlannedStep(show(bare)), PlannedStep(show(last), needs=len(found))]
    return found


def _pieces(body: str) -> list[str]:
    covered = _QUOTED.sub(lambda match: "\x01" * len(match[0]), body)
    begins, ends = [0], []
    for cut in _CUT.finditer(covered):
        ends.append(cut.start())
        begins.append(cut.end())
    ends.append(len(body))
    pieces = [_LEAD.sub("", body[a:b].strip(" .!?\n,;")).strip() for a, b in zip(begins, ends, strict=True)]
    return [piece for piece in pieces if piece]


def _line(number: int, step: PlannedStep, names: tuple[str, ...]) -> str:
    agent = _agent_of(step.text, names)
    named = f" → agent: {agent}" if agent else ""
    return f"Step {number}: {step.text}{named}" + (
        "" if step.needs is None else f" | depends_on: Step {step.needs + 1}"
    )


def _agent_of(text: str, names: tuple[str, ...]) -> str:
    """Return the agent whose name stands for what a step is about; empty when none clearly does."""
    if not names:
        return ""
    likely = aim_of(text, frozenset()).likely
    chances = {name: sum(likely.get(family, 0.0) for family in _USUAL.get(name, ())) for name in names}
    best = max(chances, key=lambda name: chances[name])
    return best if chances[best] >= _LIKELY else ""


def _names(prompt: str) -> tuple[str, ...]:
    match = _NAMES.search(prompt)
    return tuple(name.strip() for name in match[1].split(",")) if match else ()
