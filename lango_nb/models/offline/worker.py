"""An agent at work: carries out what a request is read into, declines what is not its own, plans where it has no tools.

::

    request or work order ── somebody else's? declined ── one of its own tools? ── carried out (carry_out.py)

Which of its own tools is meant that nobody has labelled requests for, and what it is called with, is told by what the
author of the tool wrote.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from lango_nb.core.messages import Reply, ToolSchema
from lango_nb.models.offline import talk
from lango_nb.models.offline.carry_out import CHANGE_LEAST, DELETE_LEAST, LOOK_LEAST, is_doable, next_reply
from lango_nb.models.offline.conversation import (
    REJECT,
    TRANSFER,
    Conversation,
    Offer,
    control_in,
    required_of,
    shapes_of,
)
from lango_nb.models.offline.lexicon import Word, concepts_of, lexicon, words
from lango_nb.models.offline.names import is_small, plain
from lango_nb.models.offline.parts import ASKED, CHATTY, PLANNING, SURE, aim_of, may_be_found_out, plan, tool_of
from lango_nb.models.offline.plan import Reading, Step, handed, is_change, is_talk, read_order
from lango_nb.models.offline.reader import reader
from lango_nb.routing.capabilities import GENERAL, router_family, tool_capability
from lango_nb.routing.table import RoutingTable
from lango_nb.routing.words import stems

_PLANS = re.compile(r"\bplan(?:s|ner|ning)?\b", re.IGNORECASE)
ESCALATION = "Escalation Protocol"
"""Heading under which a prompt says how what is not the agent's own goes back."""
MOST_NAMED = 5
"""Capabilities an agent names when it declines."""
_FIRST_WORDS = 4
"""Words in which a request says that it is for a plan."""
_CLEARLY_OWN = 2.0
"""Score from which a tool of the agent's own is taken rather than what a doubtful reading says."""


def answer_as_worker(conversation: Conversation, tools: Sequence[ToolSchema]) -> Reply:
    """Use tools, decline, plan, or talk.

    Parameters
    ----------
    conversation : Conversation
    tools : sequence of ToolSchema
        What the agent may call.

    Returns
    -------
    Reply
    """
    control = control_in(tools)
    own = [tool for tool in tools if tool.name not in control]
    reading, context = conversation.understood
    if not own:
        return _without_tools(conversation, reading)
    is_ordered = bool(read_order(handed(conversation.text)[0]))
    if not is_ordered:
        reading = _with_own_tool(_own_reading(reading, {tool.name for tool in own}), own, conversation.text)
        domain = _foreign(conversation, reading, own)
        is_talk = bool(reading.steps) and reading.steps[0].act in talk.WORDED
        if (domain is not None or is_talk) and (found := _found_out(conversation, reading, tools)) is not None:
            return found
        if domain is None and is_talk and _is_for_the_root(conversation, reading):
            domain = "the agents or the world"
        if domain is not None:
            return _decline(conversation, tools, own, domain)
    if reading.steps and reading.steps[0].act in talk.WORDED:
        return Reply(text=talk.reply(reading.steps[0], reading.language, RoutingTable(), None, conversation.before))
    reply, _ = next_reply(conversation, reading, context, tools)
    return reply


def _own_reading(reading: Reading, names: Collection[str]) -> Reading:
    """Return the likeliest reading that the agent has the tools for, where the first is not sure."""
    if reading.confidence >= SURE or is_doable(reading, names):
        return reading
    fitting = [
        other
        for other in reading.others
        if any(map(tool_of, other.steps)) and is_doable(other, names) and other.confidence >= LOOK_LEAST
    ]
    return next((other for other in fitting if _is_change(reading) or not _is_change(other)), reading)


def _is_change(reading: Reading) -> bool:
    return any(is_change(step.act) or step.destination for step in reading.steps)


def _with_own_tool(reading: Reading, own: Sequence[ToolSchema], text: str) -> Reading:
    """Put a tool of the agent's own, of which the reader knows nothing, in the place of what a reading is unsure of."""
    names = {tool.name for tool in own}
    unknown = [tool for tool in own if not router_family(tool.name)]
    choice = choose(unknown, text)
    if choice is None or len(reading.steps) > 1:
        return reading
    first = reading.steps[0] if reading.steps else Step("unclear", {})
    is_doable = tool_of(first) in names
    least = CHANGE_LEAST if is_doable else DELETE_LEAST
    if is_change(first.act) and reading.confidence >= least and choice.score < 2 * _CLEARLY_OWN:
        return reading  # something else is to be changed: to look instead would be no answer
    if is_doable and reading.confidence >= SURE and choice.score < _CLEARLY_OWN:
        return reading
    if is_talk(first.act) and first.act != "unclear" and reading.confidence >= SURE and choice.score < _CLEARLY_OWN:
        return reading
    return Reading((step_for(choice.tool, text),), 1.0, reading.language)


def _foreign(conversation: Conversation, reading: Reading, own: Sequence[ToolSchema]) -> str | None:
    """Return the family of somebody else that a request is about; ``None`` when it may be the agent's own."""
    if not _declines(conversation):
        return None
    names = {tool.name for tool in own}
    families = frozenset(family for name in names if (family := router_family(name)))
    changed = conversation.understood.context.changed
    wanted = [tool for step in reading.steps if (tool := tool_of(step, changed))]
    if wanted and reading.confidence >= SURE:
        foreign = [tool for tool in wanted if tool not in names and router_family(tool) not in families]
        return router_family(foreign[0]) if foreign else None
    if wanted and all(tool in names for tool in wanted) and reading.confidence >= LOOK_LEAST:
        return None
    if (
        wanted
        and not is_doable(reading, names)
        and (foreign := [f for tool in wanted if (f := router_family(tool)) and f not in families])
    ):
        return foreign[0]  # it could not be done here, whoever else has it
    aim = aim_of(conversation.text, families)
    return None if aim.is_talk else aim.domain or None


def _is_for_the_root(conversation: Conversation, reading: Reading) -> bool:
    """Tell whether a question that nothing answers goes back: the root knows who is there."""
    return _declines(conversation) and may_be_found_out(reading.steps[0], reading.confidence)


def _found_out(conversation: Conversation, reading: Reading, tools: Sequence[ToolSchema]) -> Reply | None:
    """Look for the answer to a question in the files, before it is declined or talked about; ``None`` where none is found."""
    if len(reading.steps) != 1 or not may_be_found_out(reading.steps[0], reading.confidence):
        return None
    is_talk = reading.steps[0].act == "talk" and reading.confidence >= CHATTY
    if is_talk and aim_of(conversation.text, frozenset()).is_talk:
        return None
    looked_for = reading._replace(steps=(reading.steps[0]._replace(act="unclear"),), confidence=1.0, others=())
    reply, answer = next_reply(conversation, looked_for, conversation.understood.context, tools)
    return None if answer is not None and (answer.is_question or not answer.plan) else reply


# -- not its own -------------------------------------------------------------------------------------------------------


def _without_tools(conversation: Conversation, reading: Reading) -> Reply:
    if not _PLANS.search(conversation.system.partition("\n## ")[0]):
        step = reading.steps[0] if reading.steps and reading.steps[0].act in talk.WORDED else Step("talk", {})
        return Reply(text=talk.reply(step, reading.language, RoutingTable(), None, conversation.before))
    if ESCALATION in conversation.system and not _asks_for_plan(conversation.text):
        domain = aim_of(conversation.text, frozenset({PLANNING})).domain
        if domain:
            return Reply(text=talk.out_of_scope(domain, PLANNING))
    return Reply(text=plan(conversation.system, conversation.text))


def _asks_for_plan(text: str) -> bool:
    """Tell whether a request is for a plan: one of its first words says so."""
    found = words(text)[:_FIRST_WORDS]
    return text.startswith(ASKED) or any("plan" in told for told in lexicon().concepts(found))


def _declines(conversation: Conversation) -> bool:
    """Tell whether what is not the agent's own goes back to the root."""
    return REJECT in conversation.system or ESCALATION in conversation.system


def _decline(
    conversation: Conversation, offered: Sequence[ToolSchema], own: Sequence[ToolSchema], domain: str
) -> Reply:
    mine = list(dict.fromkeys(tool_capability(tool.name) or GENERAL for tool in own))
    more = f" and {len(mine) - MOST_NAMED} more" if len(mine) > MOST_NAMED else ""
    handles = ", ".join(mine[:MOST_NAMED]) + more
    if REJECT in conversation.system:
        return Reply(text=f"{REJECT} This request is about {domain or 'something else'}. I handle {handles}.")
    sentence = talk.out_of_scope(domain, handles)
    roots = dict(Offer.read(offered).targets).get(TRANSFER)
    if not roots:
        return Reply(text=sentence)
    return conversation.calls((TRANSFER, {"agent_name": min(roots), "reason": sentence}), text=sentence)


# -- tools of its own that nobody labelled requests for ----------------------------------------------------------------

LEAST = 1.0
"""Score from which a tool is meant at all."""
_NAME = 2.0
"""Weight of a word of a tool's name, beside one of its description."""
_CONCEPT = 0.7
"""Weight of a concept that a request and a tool share, beside a word."""
_FEW = 4
"""Words that an argument may have that nobody asked for."""
_STOP = frozenset(
    stems(
        "a an the of to in on for from with by and or it its is are be this that what which all any one as at me my our "
        "your i we you please can could would give get do does did has have tool name value"
    )
)
_SPLIT = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\W]+")
_SHAPED: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = (
    (re.compile(r"ur[li]|link|site|web"), frozenset(("url",))),
    (re.compile(r"mail|recipient"), frozenset(("mail",))),
    (re.compile(r"path|file|folder|directory"), frozenset(("file", "folder"))),
    (re.compile(r"(?:^|[_ ])(?:id|code|ref|reference|number|nr|no|key)$"), frozenset(("id", "number"))),
    (re.compile(r"date|day|when|from|until|since"), frozenset(("number",))),
)
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?\Z|\d{1,2}[./:]\d{1,2}(?:[./]\d{2,4})?\Z")
_NUMERIC = frozenset(("integer", "number"))


class Choice(NamedTuple):
    """Which tool a request means."""

    tool: ToolSchema
    score: float


def choose(tools: Sequence[ToolSchema], text: str) -> Choice | None:
    """Choose the tool whose name and description a request speaks of.

    Parameters
    ----------
    tools : sequence of ToolSchema
    text : str

    Returns
    -------
    Choice or None
        ``None`` when the request speaks of none.

    Examples
    --------
    >>> tools = [ToolSchema(name="table_book", description="Book a table."), ToolSchema(name="menu_show", description="The menu.")]
    >>> choose(tools, "please book us something").tool.name, choose(tools, "what time is it")
    ('table_book', None)
    """
    if not tools:
        return None
    asked, meant = _heard(text)
    told = [_told(tool.name, tool.description, tuple(shapes_of(tool))) for tool in tools]
    rated = [(_score(asked, meant, one, told), place) for place, one in enumerate(told)]
    best, place = max(rated, key=lambda pair: (pair[0], -pair[1]))
    if best < LEAST:
        return None
    return Choice(tools[place], best)


class _Told(NamedTuple):
    name: frozenset[str]
    words: frozenset[str]
    concepts: frozenset[str]


def _score(asked: frozenset[str], meant: frozenset[str], one: _Told, every: Sequence[_Told]) -> float:
    """Add up the words that a request shares with a tool; those that every tool has say nothing."""
    total = 0.0
    for word in asked & one.words:
        total += _rarity(sum(word in other.words for other in every), len(every)) * (_NAME if word in one.name else 1.0)
    for concept in meant & one.concepts:
        total += _CONCEPT * _rarity(sum(concept in other.concepts for other in every), len(every))
    return total


def _rarity(having: int, count: int) -> float:
    return 1.0 if count == 1 else math.log(1 + count / having) / math.log(1 + count)


def _heard(text: str) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(stems(text)) - _STOP, concepts_of(text)


@lru_cache(maxsize=1024)
def _told(name: str, description: str, parameters: tuple[str, ...]) -> _Told:
    spoken = " ".join(part for part in _SPLIT.split(name) if part)
    text = f"{spoken} {description} {' '.join(parameters)}".replace("_", " ")
    named, (every, concepts) = frozenset(stems(spoken)) - _STOP, _heard(text)
    return _Told(named, every | named, concepts)


def step_for(tool: ToolSchema, text: str) -> Step:
    """Read what a tool is to be called with.

    Parameters
    ----------
    tool : ToolSchema
    text : str
        The request.

    Returns
    -------
    Step
        Only what the request says is in its arguments.

    Examples
    --------
    >>> shape = {"properties": {"table": {"type": "integer"}, "guest": {"type": "string"}}, "required": ["table"]}
    >>> dict(step_for(ToolSchema(name="book", description="", parameters=shape), "book table 5, guest: Ann").arguments)
    {'guest': ('Ann',), 'table': ('5',)}
    """
    shapes = shapes_of(tool)
    required = required_of(tool)
    found = _named_in(shapes, text)
    free = [word for word in words(text) if not any(word.text in value for value in found.values())]
    order = sorted(shapes, key=lambda name: name not in required)
    for name in order:
        if name not in found and (value := _by_shape(name, shapes[name], free, text)):
            found[name] = value
            free = [word for word in free if word.text not in value]
    lacking = [name for name in required if name in shapes and name not in found]
    found |= _as_labelled(lacking, text, taken=found.values())
    lacking = [name for name in lacking if name not in found and shapes[name].get("type", "string") == "string"]
    if not (lacking or found):
        texts = [
            name for name, shape in shapes.items() if shape.get("type", "string") == "string" and "enum" not in shape
        ]
        lacking = texts if len(texts) == 1 else []
    if (
        len(lacking) == 1
        and (rest := _rest(tool, free, text))
        and (lacking[0] in required or len(rest.split()) <= _FEW)
    ):
        found[lacking[0]] = rest
    return Step(tool.name, {name: (value,) for name, value in found.items()}, text=text)


def _named_in(shapes: Iterable[str], text: str) -> dict[str, str]:
    """Return what stands behind the names of parameters: ``colour: red``, ``max rows = 5``."""
    found: dict[str, str] = {}
    for name in shapes:
        spoken = r"[\s_-]*".join(re.escape(part) for part in _SPLIT.split(name) if part)
        match = re.search(
            rf"(?<!\w){spoken}\s*[:=]\s*(?:\"([^\"]+)\"|“([^”]+)”|'([^']+)'|([^,;\n]+))", text, re.IGNORECASE
        )
        if match is not None:
            found[name] = next(part for part in match.groups() if part).strip()
    return found


def _by_shape(name: str, shape: Mapping[str, Any], free: Sequence[Word], text: str) -> str:
    """Return a word that is what a parameter wants by its shape; empty when there is none."""
    if isinstance(options := shape.get("enum"), list):
        said = f" {plain(text)} "
        return next((str(one) for one in options if f" {plain(str(one))} " in said), "")
    kind = shape.get("type")
    if kind in _NUMERIC:
        return next((word.text for word in free if word.kind == "number" and not _DATE.match(word.text)), "")
    if kind not in {None, "string"}:
        return ""
    folded = "_".join(_SPLIT.split(name)).casefold()
    for pattern, kinds in _SHAPED:
        if pattern.search(folded):
            wants_date = "date" in pattern.pattern
            fits = (one.text for one in free if one.kind in kinds and (not wants_date or _DATE.match(one.text)))
            return next(fits, "")
    return ""


def _as_labelled(names: Sequence[str], text: str, taken: Iterable[str]) -> dict[str, str]:
    """Return what the learned reader takes for parameters whose names it knows from other tools."""
    known = [name for name in names if name in reader().roles]
    if not known:
        return {}
    found = reader().arguments(text, "", known)
    used = set(taken)
    return {name: values[0] for name, values in found.items() if values and values[0] not in used}


def _rest(tool: ToolSchema, free: Sequence[Word], text: str) -> str:
    """Return a quotation, else what a request says behind the words that name the tool."""
    quoted = [word for word in free if word.is_quoted]
    if quoted:
        return text[quoted[0].start : quoted[-1].end]
    told = _told(tool.name, tool.description, tuple(shapes_of(tool)))
    left = [word for word in free if word.kind != "sign"]
    said = [place for place, word in enumerate(left) if set(stems(word.text)) & told.words]
    rest = left[said[-1] + 1 :] if said else []
    while rest and (is_small(rest[0].text) or set(stems(rest[0].text)) <= _STOP):
        rest = rest[1:]
    rest = rest or _unheard([word for place, word in enumerate(left) if place not in said])
    return text[rest[0].start : rest[-1].end].strip(" ?.!") if rest else ""


def _unheard(left: Sequence[Word]) -> list[Word]:
    """Return the first words behind each other that mean nothing the lexicon knows: what a tool is asked about."""
    run: list[Word] = []
    for word, known in zip(left, lexicon().concepts(left), strict=True):
        if not known and not is_small(word.text):
            run.append(word)
        elif run:
            break
    return run
