"""An agent at work: carries out what a request is read into, declines what is not its own, plans where it has no tools.

::

    request or work order ── somebody else's? declined ── one of its own tools? ── carried out (carry_out.py)
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lango_nb.core.messages import Reply, ToolSchema
from lango_nb.models.offline import own_tools, talk
from lango_nb.models.offline.acts import acts, is_change
from lango_nb.models.offline.aims import PLANNING, aim_of
from lango_nb.models.offline.carry_out import CHANGE_LEAST, DELETE_LEAST, LOOK_LEAST, next_reply
from lango_nb.models.offline.conversation import REJECT, TRANSFER, Conversation
from lango_nb.models.offline.dispatch import WORDED
from lango_nb.models.offline.lexicon import lexicon
from lango_nb.models.offline.offer import Offer, control_in
from lango_nb.models.offline.parts import SURE, may_be_found_out, tool_of
from lango_nb.models.offline.plan import Reading, Step
from lango_nb.models.offline.plans import ASKED, plan
from lango_nb.models.offline.words import words
from lango_nb.models.offline.work_orders import handed
from lango_nb.models.offline.work_orders import read as read_order
from lango_nb.routing.capabilities import GENERAL, router_family, tool_capability
from lango_nb.routing.table import RoutingTable

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
        reading = _with_own_tool(reading, own, conversation.text)
        if (domain := _foreign(conversation, reading, own)) is not None:
            return _decline(conversation, tools, own, domain)
    if reading.steps and reading.steps[0].act in WORDED:
        return _talk(conversation, reading, tools)
    reply, _ = next_reply(conversation, reading, context, tools)
    return reply


def _with_own_tool(reading: Reading, own: Sequence[ToolSchema], text: str) -> Reading:
    """Put a tool of the agent's own, of which the reader knows nothing, in the place of what a reading is unsure of."""
    names = {tool.name for tool in own}
    unknown = [tool for tool in own if not _is_read(tool.name)]
    choice = own_tools.choose(unknown, text)
    if choice is None or len(reading.steps) > 1:
        return reading
    first = reading.steps[0] if reading.steps else Step("unclear", {})
    is_doable = tool_of(first) in names
    is_talk = (row := acts().get(first.act)) is not None and row.kind == "talk"
    least = CHANGE_LEAST if is_doable else DELETE_LEAST
    if is_change(first.act) and reading.confidence >= least and choice.score < 2 * _CLEARLY_OWN:
        return reading  # something else is to be changed: to look instead would be no answer
    if is_doable and reading.confidence >= SURE and choice.score < _CLEARLY_OWN:
        return reading
    if is_talk and first.act != "unclear" and reading.confidence >= SURE and choice.score < _CLEARLY_OWN:
        return reading
    return Reading((own_tools.step_for(choice.tool, text),), 1.0, reading.language)


def _is_read(tool: str) -> bool:
    """Tell whether requests for a tool were learned from."""
    return bool(router_family(tool))


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
    aim = aim_of(conversation.text, families)
    return None if aim.is_talk else aim.domain or None


def _talk(conversation: Conversation, reading: Reading, tools: Sequence[ToolSchema]) -> Reply:
    """Answer talk; a question may have its answer in a file, which is looked for first."""
    step = reading.steps[0]
    if may_be_found_out(step) and not aim_of(conversation.text, frozenset()).is_talk:
        looked_for = reading._replace(steps=(step._replace(act="unclear"),), confidence=1.0)
        reply, answer = next_reply(conversation, looked_for, conversation.understood.context, tools)
        if answer is None or not answer.is_question:
            return reply
    return Reply(text=talk.reply(step, reading.language, RoutingTable(), None, conversation.before))


# -- not its own -------------------------------------------------------------------------------------------------------


def _without_tools(conversation: Conversation, reading: Reading) -> Reply:
    if not _PLANS.search(conversation.system.partition("\n## ")[0]):
        step = reading.steps[0] if reading.steps and reading.steps[0].act in WORDED else Step("talk", {})
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
