"""An agent at work: picks a tool family, then a tool, then its arguments; declines what is not its own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lango_nb.core.messages import Reply, ToolSchema
from lango_nb.models.offline import talk
from lango_nb.models.offline.aims import PLANNING, aim_of, family_of
from lango_nb.models.offline.conversation import REJECT, TRANSFER, Conversation, Done
from lango_nb.models.offline.arguments import ask_for, fill
from lango_nb.models.offline.large import work_on_large
from lango_nb.models.offline.local import Local, needs, work_locally
from lango_nb.models.offline.offer import CONTROL, Offer
from lango_nb.models.offline.stored import read_results
from lango_nb.routing.capabilities import tool_capability
from lango_nb.routing.table import RoutingTable
from lango_nb.routing.words import stem, stems

_LOOKING = frozenset("search get list query retrieve recall status balance find stats hash observe".split())
_PLANS = re.compile(r"\bplan(?:s|ner|ning)?\b", re.IGNORECASE)
ESCALATION = "Escalation Protocol"
"""Heading under which a prompt says how what is not the agent's own goes back."""
MOST_NAMED = 5
"""Capabilities an agent names when it declines."""
_HANDLED = frozenset({"fs", "exec"})
"""Families that :mod:`lango_nb.models.offline.local` handles: what it does not understand is not guessed at."""
_SAME = {
    stem(word): stem(meant)
    for word, meant in {
        "show": "list",
        "all": "list",
        "which": "list",
        "create": "add",
        "new": "add",
        "schedule": "add",
        "remind": "add",
        "every": "add",
        "store": "save",
        "keep": "save",
        "remember": "save",
        "remove": "delete",
        "cancel": "stop",
        "open": "navigate",
        "visit": "navigate",
        "go": "navigate",
        "look": "search",
        "find": "search",
        "pay": "send",
        "transfer": "send",
        "money": "balance",
        "know": "search",
        "forget": "forget",
        "did": "recall",
        "talk": "recall",
    }.items()
}


def answer_as_worker(conversation: Conversation, tools: Sequence[ToolSchema]) -> Reply:
    """Use a tool, report what tools found, decline, plan, or talk.

    Parameters
    ----------
    conversation : Conversation
    tools : sequence of ToolSchema
        What the agent may call.

    Returns
    -------
    Reply
    """
    own = [tool for tool in tools if tool.name not in CONTROL]
    worked = read_results(conversation.worked())
    done = worked.done
    names = tuple(tool.name for tool in own)
    if done and (stopped := _not_run(done[-1])) is not None:
        return Reply(text=stopped)
    if worked.was_cut:
        step = work_on_large(conversation, worked, frozenset(tool.name for tool in tools))
        if step is not None:
            return step
    reply = work_locally(Local(conversation, frozenset(names), done))
    if reply is not None:
        return reply
    if done:
        return Reply(text=done[-1].result.content.strip() or "Done.")
    if not own:
        return _without_tools(conversation, tools)
    return _with_other_tools(conversation, tools, own, names)


def _not_run(last: Done) -> str | None:
    """Word a call that could not run at all."""
    if not last.result.is_error:
        return None
    text = last.result.content
    if "known by name only" in text:
        given = ", ".join(f"{name} = {value!r}" for name, value in last.call.arguments.items())
        return f"I would call {last.call.name}({given}), but here it is known by name only, so nothing was run."
    return f"I could not do that: {text}"


def _without_tools(conversation: Conversation, tools: Sequence[ToolSchema]) -> Reply:
    if _PLANS.search(conversation.system.partition("\n## ")[0]):
        domain = aim_of(conversation.text, (PLANNING,)).domain
        if ESCALATION in conversation.system and domain:
            return _give_back(conversation, talk.out_of_scope(domain, PLANNING), tools)
        return Reply(text=talk.plan(conversation.text))
    return Reply(text=talk.small_talk(conversation.text, RoutingTable()))


def _with_other_tools(
    conversation: Conversation, offered: Sequence[ToolSchema], tools: Sequence[ToolSchema], names: tuple[str, ...]
) -> Reply:
    """Choose among tools that have no handling of their own."""
    own_kind = [tool for tool in tools if not tool_capability(tool.name)]
    named = max(own_kind, key=lambda candidate: _fit(candidate, conversation.text), default=None)
    if named is not None and _fit(named, conversation.text)[0] >= 1.0:
        return _call(conversation, named)
    aim = aim_of(conversation.text, {family_of(name) for name in names})
    if aim.is_talk:
        return Reply(text=talk.small_talk(conversation.text, RoutingTable()))
    if aim.domain == PLANNING and not _declines(conversation):
        return Reply(text=talk.plan(conversation.text))
    if aim.domain or not aim.family:
        return _decline(conversation, names, (aim.domain,) if aim.domain else (), offered)
    if aim.family in _HANDLED:
        return Reply(text=_not_handled(conversation, names))
    family_tools = [tool for tool in tools if family_of(tool.name) == aim.family] or list(tools)
    tool = _choose(family_tools, conversation.text)
    if tool is None:
        return Reply(text=f"Which of these do you mean: {', '.join(tool.name for tool in family_tools)}?")
    return _call(conversation, tool)


def _call(conversation: Conversation, tool: ToolSchema) -> Reply:
    """Call a tool with what the request says, or ask for what it does not say."""
    arguments, missing = fill(tool, conversation.text)
    if missing:
        return Reply(text=ask_for(tool, missing))
    return conversation.call(tool.name, **arguments)


def _declines(conversation: Conversation) -> bool:
    """Tell whether what is not the agent's own goes back to the root."""
    return REJECT in conversation.system or ESCALATION in conversation.system


def _decline(
    conversation: Conversation, names: tuple[str, ...], domains: Sequence[str], offered: Sequence[ToolSchema]
) -> Reply:
    mine = list(dict.fromkeys(tool_capability(name) or "general actions" for name in names))
    more = f" and {len(mine) - MOST_NAMED} more" if len(mine) > MOST_NAMED else ""
    handles = ", ".join(mine[:MOST_NAMED]) + more
    if REJECT in conversation.system:
        return Reply(
            text=f"{REJECT} This request is about {domains[0] if domains else 'something else'}. I handle {handles}."
        )
    if not domains:
        return Reply(text=f"I cannot tell which of my tools this needs. I handle {handles}.")
    return _give_back(conversation, talk.out_of_scope(domains[0], handles), offered)


def _give_back(conversation: Conversation, sentence: str, offered: Sequence[ToolSchema]) -> Reply:
    """Decline in words, and with a call where the request was transferred."""
    roots = dict(Offer.read(offered).targets).get(TRANSFER)
    if not roots:
        return Reply(text=sentence)
    return conversation.calls((TRANSFER, {"agent_name": min(roots), "reason": sentence}), text=sentence)


def _not_handled(conversation: Conversation, names: tuple[str, ...]) -> str:
    """Say what a request about files or commands lacks: clear words, or a tool."""
    needed = needs(conversation.text)
    if not needed or needed in names:
        return talk.FILES_AND_COMMANDS
    return f"This needs {needed}, which I was not given; I have {', '.join(names)}."


def _choose(tools: Sequence[ToolSchema], text: str) -> ToolSchema | None:
    """Return the tool that the request names by its verb, or the only one, or one that only looks something up.

    Anything else is asked back: what a tool does shows in its verb, and words of a description are no wish.
    """
    best = max(tools, key=lambda candidate: _fit(candidate, text))
    if _fit(best, text)[0] >= 1.0 or len(tools) == 1:
        return best
    looking = [tool for tool in tools if _LOOKING.intersection(tool.name.split("_"))]
    return max(looking, key=lambda candidate: _fit(candidate, text), default=None)


def _fit(tool: ToolSchema, text: str) -> tuple[float, int]:
    """Rate how well a tool's own words fit a request; short names win ties."""
    said = stems(text)
    heard = {*said, *(_SAME[word] for word in said if word in _SAME)}
    verbs = stems(tool.name.replace("_", " "))
    described = set(stems(tool.description))
    return 1.0 * sum(verb in heard for verb in verbs[1:] or verbs) + min(0.05 * len(described & set(said)), 0.5), -len(
        tool.name
    )
