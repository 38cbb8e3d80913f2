"""An agent at work: carries out what a request is read into, declines what is not its own, plans where it has no tools.

::

    request or work order ── somebody else's? declined ── one of its own tools? ── carried out (carry_out.py)

Which of its own tools is meant that nobody has labelled requests for is told by what their authors wrote (own_tools.py).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from lango_nb.core.masking import mask
from lango_nb.core.messages import Reply, ToolSchema
from lango_nb.models.offline import talk
from lango_nb.models.offline.answers import say
from lango_nb.models.offline.carry_out import BY_WRITING, LOOK_LEAST, is_doable, next_reply
from lango_nb.models.offline.conversation import (
    REJECT,
    TRANSFER,
    Conversation,
    Offer,
    control_in,
)
from lango_nb.models.offline.lexicon import lexicon, words
from lango_nb.models.offline.looking import state_of_boxes
from lango_nb.models.offline.parts import (
    ASKED,
    CHATTY,
    PLANNING,
    SURE,
    SURELY,
    aim_of,
    may_be_found_out,
    plan,
    tool_of,
    without_destination,
)
from lango_nb.models.offline.plan import Reading, Step, handed, is_change, read_order, show
from lango_nb.routing.capabilities import GENERAL, router_family, tool_capability
from lango_nb.routing.families import CONVERSATION
from lango_nb.routing.table import RoutingTable

_PLANS = re.compile(r"\bplan(?:s|ner|ning)?\b", re.IGNORECASE)
ESCALATION = "Escalation Protocol"
"""Heading under which a prompt says how what is not the agent's own goes back."""
MOST_NAMED = 5
"""Capabilities an agent names when it declines."""
_FIRST_WORDS = 4
"""Words in which a request says that it is for a plan."""


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
    left: tuple[Step, ...] = ()
    if not is_ordered:
        reading, left = _own_part(_own_reading(reading, {tool.name for tool in own}), conversation, own)
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
    reply, answer = next_reply(conversation, reading, context, tools)
    if answer is None or not left:
        return reply
    what = mask("; ".join(step.text for step in left))
    return reply.model_copy(update={"text": f"{reply.text}\n{say('not_done', reading.language, what=what)}"})


def _own_part(
    reading: Reading, conversation: Conversation, own: Sequence[ToolSchema]
) -> tuple[Reading, tuple[Step, ...]]:
    """Part what tools of one's own are wanted for from steps that the agent has no tools for."""
    names = {tool.name for tool in own}
    mine: list[Step] = []
    left: list[Step] = []
    for step in reading.steps:
        bare, last = without_destination(step) if step.destination else (step, None)
        is_mine = is_doable(Reading((bare,)), names)
        if is_mine and last is not None and not is_doable(Reading((last,)), names):
            mine.append(bare)
            left.append(last._replace(text=show(last)))
        else:
            (mine if is_mine else left).append(step)
    if not left or not any(conversation.own.get(step.act) for step in mine):
        return reading, ()
    return Reading(tuple(mine), 1.0, reading.language), tuple(left)


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


def _foreign(conversation: Conversation, reading: Reading, own: Sequence[ToolSchema]) -> str | None:
    """Return the family of somebody else that a request is about; ``None`` when it may be the agent's own."""
    if not _declines(conversation):
        return None
    names = {tool.name for tool in own}
    families = frozenset(family for name in names if (family := router_family(name)))
    changed = conversation.understood.context.changed
    wanted = [
        tool if tool in names else _other_way(step, tool, names, reading.language)
        for step in reading.steps
        if (tool := tool_of(step, changed))
    ]
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


def _other_way(step: Step, tool: str, names: Collection[str], language: str) -> str:
    """Return the tool with which an agent does a step whose usual tool it lacks: that one where there is none."""
    is_of_boxes = step.act == "task.list" and bool(state_of_boxes(step.text, language))
    other = "fs_write" if step.act in BY_WRITING else "fs_read" if is_of_boxes else tool
    return other if other in names else tool


def _is_for_the_root(conversation: Conversation, reading: Reading) -> bool:
    """Tell whether a question that nothing answers goes back: the root knows who is there."""
    step = reading.steps[0]
    is_about_agents = step.act in {"about.agents", "about.owner", "about.why"}
    return _declines(conversation) and (is_about_agents or may_be_found_out(step, reading.confidence, reading.language))


def _found_out(conversation: Conversation, reading: Reading, tools: Sequence[ToolSchema]) -> Reply | None:
    """Look for the answer to a question in the files, before it is declined or talked about; ``None`` where none is found."""
    if len(reading.steps) != 1 or not may_be_found_out(reading.steps[0], reading.confidence, reading.language):
        return None
    is_begun = conversation.understood.context.last is not None
    is_talk = reading.steps[0].act == "talk" and reading.confidence >= CHATTY and not is_begun
    if is_talk and aim_of(conversation.text, frozenset()).likely.get(CONVERSATION, 0.0) >= SURELY:
        return None  # the same as for the root
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
