"""An agent at work: picks a tool family, then a tool, then its arguments; declines what is not its own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from lango_nb.core.messages import Reply, ToolSchema
from lango_nb.models.offline import talk
from lango_nb.models.offline.conversation import REJECT, Conversation, Done
from lango_nb.models.offline.fill import fill
from lango_nb.models.offline.local import Local, work_locally
from lango_nb.routing.capabilities import tool_capability
from lango_nb.routing.families import by_capability
from lango_nb.routing.router import Router
from lango_nb.routing.table import RoutingRow, RoutingTable
from lango_nb.routing.words import stems

OWN_LEAST = 0.4
"""Score from which a family of the agent's own tools is worth a try."""
FOREIGN_LEAD = 1.0
"""Lead of somebody else's family over the agent's own from which a request is declined."""
_SAME = {
    "show": "list",
    "all": "list",
    "which": "list",
    "create": "add",
    "new": "add",
    "schedul": "add",
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
    done = list(conversation.done())
    names = tuple(tool.name for tool in tools)
    local = Local(conversation, frozenset(names), tuple(done))
    if done and (stopped := _not_run(done[-1])) is not None:
        return Reply(text=stopped)
    reply = work_locally(local)
    if reply is not None:
        return reply
    if done:
        return Reply(text=done[-1].result.content.strip() or "Done.")
    if not tools:
        return _without_tools(conversation)
    return _with_other_tools(conversation, tools, names)


def _not_run(last: Done) -> str | None:
    """Word a call that could not run at all."""
    if not last.result.is_error:
        return None
    text = last.result.content
    if "known by name only" in text:
        given = ", ".join(f"{name} = {value!r}" for name, value in last.call.arguments.items())
        return f"I would call {last.call.name}({given}), but here it is known by name only, so nothing was run."
    return f"I could not do that: {text}"


def _without_tools(conversation: Conversation) -> Reply:
    if "plan" in conversation.system.casefold():
        return Reply(text=talk.plan(conversation.text))
    return Reply(text=talk.small_talk(conversation.text, RoutingTable()))


def _with_other_tools(conversation: Conversation, tools: Sequence[ToolSchema], names: tuple[str, ...]) -> Reply:
    """Choose among tools that have no handling of their own."""
    route = _family_router(names).route(conversation.text)
    own = [candidate for candidate in route.candidates if candidate.score >= OWN_LEAST]
    if route.is_conversation and (not own or own[0].score < route.threshold):
        return Reply(text=talk.small_talk(conversation.text, RoutingTable()))
    is_foreign = bool(route.domains) and route.domains[0] not in {candidate.agent for candidate in own}
    if not own or (is_foreign and own[0].score < FOREIGN_LEAD):
        return _decline(conversation, names, route.domains)
    best = own[0]
    family_tools = [tool for tool in tools if _family_name(tool.name) == best.agent] or list(tools)
    tool = max(family_tools, key=lambda candidate: _fit(candidate, conversation.text))
    arguments, missing = fill(tool, conversation.text)
    if missing:
        needs = ", ".join(missing)
        return Reply(text=f"To use {tool.name} I need: {needs}. Please say {'it' if len(missing) == 1 else 'them'}.")
    return conversation.call(tool.name, **arguments)


def _decline(conversation: Conversation, names: tuple[str, ...], domains: Sequence[str]) -> Reply:
    mine = ", ".join(dict.fromkeys(tool_capability(name) or "general actions" for name in names))
    about = f"this is about {domains[0]}" if domains else "this names nothing that I can do"
    mark = f"{REJECT} " if REJECT in conversation.system else ""
    return Reply(text=f"{mark}This is not mine: {about}; I handle {mine}.")


def _fit(tool: ToolSchema, text: str) -> tuple[float, int]:
    """Rate how well a tool's own words fit a request; short names win ties."""
    said = stems(text)
    heard = {*said, *(_SAME[word] for word in said if word in _SAME)}
    verbs = stems(tool.name.replace("_", " "))
    described = set(stems(tool.description))
    return 2.0 * sum(verb in heard for verb in verbs[1:] or verbs) + 0.25 * len(described & set(said)), -len(tool.name)


def _family_name(tool: str) -> str:
    family = by_capability().get(tool_capability(tool))
    return family.name if family else "general"


@lru_cache(maxsize=64)
def _family_router(names: tuple[str, ...]) -> Router:
    """Return a router over the tool families behind a set of tools."""
    by_family: dict[str, list[str]] = {}
    for name in names:
        by_family.setdefault(_family_name(name), []).append(tool_capability(name))
    rows = [
        RoutingRow(name=family, capabilities=tuple(dict.fromkeys(text for text in texts if text)))
        for family, texts in by_family.items()
    ]
    return Router(RoutingTable(tuple(rows)), min_margin=0.0)
