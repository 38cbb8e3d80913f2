"""An agent at work: picks a tool and its arguments, takes two steps where two are wished, declines what is not its own.

two steps (chains.py) ─┐
files, commands (local.py) ─┼─ a call ── its result in words (wording.py)
any other tool (cues.py, arguments.py) ─┘
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from lango_nb.core.messages import Reply, ToolSchema
from lango_nb.models.offline import talk
from lango_nb.models.offline.aims import PLANNING, Aim, aim_of
from lango_nb.models.offline.arguments import ask_for, fill
from lango_nb.models.offline.arithmetic import reckon
from lango_nb.models.offline.chains import LONGEST_HANDED, Chain, handed, read_chain, summary_of
from lango_nb.models.offline.conversation import REJECT, TRANSFER, Conversation, Done
from lango_nb.models.offline.cues import Choice, choose, is_known
from lango_nb.models.offline.fill import paths
from lango_nb.models.offline.intents import understand
from lango_nb.models.offline.large import work_on_large
from lango_nb.models.offline.local import Local, is_absent, keep, look_first, needs, work_locally
from lango_nb.models.offline.offer import Offer, control_in
from lango_nb.models.offline.orders import says
from lango_nb.models.offline.phrases import CHANGING
from lango_nb.models.offline.plans import plan
from lango_nb.models.offline.stored import Worked, read_results
from lango_nb.models.offline.wording import worded
from lango_nb.routing.capabilities import router_family, tool_capability
from lango_nb.routing.table import RoutingTable

_PLANS = re.compile(r"\bplan(?:s|ner|ning)?\b", re.IGNORECASE)
_WANTS_PLAN = re.compile(r"^\W*(?:please\s+)?plan\b", re.IGNORECASE)
ESCALATION = "Escalation Protocol"
"""Heading under which a prompt says how what is not the agent's own goes back."""
MOST_NAMED = 5
"""Capabilities an agent names when it declines."""
_MOST_ASKED = 8
"""Tools that are named when it is not clear which one is meant."""
_HANDLED = frozenset({"fs", "exec"})
"""Families that :mod:`lango_nb.models.offline.local` handles: what it does not understand is not guessed at."""
_LOOKS = frozenset({"fs_read", "fs_list", "fs_stat", "exec_status"})
"""Of those, the tools that change nothing."""
_SAID = 2.0
"""Weight of cues from which a request says a tool, unless it is most likely talk."""
_SAID_CLEARLY = 3.0
"""The same, whatever the router holds of it."""
_MOSTLY_TALK = 0.8
"""Probability of conversation from which cues have to be clear."""
_CONTENT = (
    "content",
    "value",
    "data",
    "text",
    "prompt",
    "observation",
    "body",
    "yaml_content",
    "ciphertext",
    "message",
)
"""Parameters that take what another tool gave, the likeliest first."""
_SAID_IN_WORDS = frozenset({"count", "ask", "find", "stat"})
"""Wishes whose result is the answer, not what the tool gave."""
_CHANGES = CHANGING - {"run"} | {"unsure"}
"""Wishes that give nothing to a second step."""
_KEEPS = re.compile(r"^\W*(?:save|store|write|put|keep|export|remember|record|note)\b", re.IGNORECASE)
_WORKS = re.compile(r"encrypt|decrypt|sign|hash|send|import|submit")
"""Tools that do not keep what they are given."""
_ADDS = re.compile(r"^\W*(?:append|add)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Desk:
    """What an agent has before it."""

    conversation: Conversation
    own: tuple[ToolSchema, ...]
    """Its tools, without those of control."""
    offered: Sequence[ToolSchema]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its own tools."""
        return tuple(tool.name for tool in self.own)

    def with_text(self, text: str) -> Desk:
        """Return the same with another request."""
        return replace(self, conversation=replace(self.conversation, text=text))


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
    control = control_in(tools)
    desk = Desk(conversation, tuple(tool for tool in tools if tool.name not in control), tools)
    worked = read_results(conversation.worked(), control)
    if worked.done and worked.done[-1].result.is_error and not _may_go_on(desk, worked.done[-1]):
        return Reply(text=worded(worked.done[-1]))
    if not desk.own and not worked.done:
        return _without_tools(desk)
    order, given = handed(conversation.text)
    if given is not None:
        return _use(desk, order, given, worked.done)
    if (chain := read_chain(conversation.text)) is not None and _is_feasible(desk, chain):
        return _in_two_steps(desk, chain, worked)
    return _in_one_step(desk, worked)


def _may_go_on(desk: Desk, done: Done) -> bool:
    """Tell whether a call failed because there is no such file yet, and the request is to write it."""
    if not is_absent(done):
        return False
    text = desk.conversation.text
    order, given = handed(text)
    chain = None if given is not None else read_chain(text)
    if given is not None or chain is not None:
        _, arguments, _ = _second(desk, chain.second if chain is not None else order)
        return bool(done.call.arguments.get("path") == arguments.get("path"))
    return _verb(text) == "write"


def _in_one_step(desk: Desk, worked: Worked) -> Reply:
    """Take the next call of one wish, or word what it came to."""
    if worked.was_cut:
        step = work_on_large(desk.conversation, worked, frozenset(tool.name for tool in desk.offered))
        if step is not None:
            return step
    reply = work_locally(Local(desk.conversation, frozenset(desk.names), worked.done))
    if reply is not None:
        return reply
    return Reply(text=worded(worked.done[-1])) if worked.done else _choose(desk)


# -- two steps ---------------------------------------------------------------------------------------------------------


def _is_feasible(desk: Desk, chain: Chain) -> bool:
    """Tell whether the agent has the tools for both steps, and the request says what the second one needs."""
    if _verb(chain.first) in _CHANGES:
        return False
    tool, _, missing = _second(desk, chain.second)
    return tool is not None and not missing


def _verb(text: str) -> str:
    """Return what a request wants with files or commands; empty for any other."""
    intent = understand(text)
    return intent.verb if intent is not None else ""


def _in_two_steps(desk: Desk, chain: Chain, worked: Worked) -> Reply:
    """Take the first step to its end, then give what it gave to the second."""
    first = desk.with_text(chain.first)
    if not worked.done:
        return _in_one_step(first, worked)
    for count in range(1, len(worked.done) + 1):
        so_far = replace(worked, done=worked.done[:count])
        answer = _in_one_step(first, so_far)
        if not answer.tool_calls:
            break
    else:
        return _in_one_step(first, worked)
    if worked.is_cut and count == len(worked.done):
        return Reply(text="What came back is too long to be handed on: I saw a part of it only, so nothing was saved.")
    given = answer.text if _verb(chain.first) in _SAID_IN_WORDS else worked.done[count - 1].result.content
    return _use(desk, chain.second, summary_of(given) if chain.is_summary else given, worked.done[count:])


def _use(desk: Desk, order: str, given: str, done: Sequence[Done]) -> Reply:
    """Do something with a text that another step gave."""
    has_looked = bool(done) and done[-1].call.name in _LOOKS
    if done and not has_looked:
        return Reply(text=f"Done: {worded(done[-1])}")
    if len(given) > LONGEST_HANDED:
        return Reply(
            text=f"What came back is too long to be handed on ({len(given):,} characters), so nothing was done."
        )
    tool, arguments, missing = _second(desk, order)
    if tool is None:
        return _decline(desk, _aim(desk.with_text(order)).domain)
    if missing:
        return Reply(text=ask_for(tool, missing))
    if has_looked and (kept := keep(done[-1])):
        return kept
    if tool.name == "fs_write" and not has_looked and not says(order, "replace", "over"):
        return look_first(desk.conversation, desk.names, arguments["path"])
    content = _content_of(tool)
    text = given if given.endswith("\n") or tool.name != "fs_write" else given + "\n"
    return desk.conversation.call(tool.name, **{**arguments, content: text})


def _second(desk: Desk, order: str) -> tuple[ToolSchema | None, dict[str, Any], list[str]]:
    """Return the tool of a second step with its arguments, and what the request does not say."""
    keeps = _KEEPS.match(order) is not None
    able = [tool for tool in desk.own if _content_of(tool) and not (keeps and _WORKS.search(tool.name))]
    if not able or _ADDS.match(order):
        return None, {}, []
    best = choose(able, order, _aim(desk.with_text(order)).likely)[0]
    if best.cues < 1:
        return None, {}, []
    arguments, missing = fill(best.tool, order)
    content = _content_of(best.tool)
    return best.tool, arguments, [name for name in missing if name != content]


def _content_of(tool: ToolSchema) -> str:
    """Return the parameter that takes what another tool gave; empty when there is none."""
    properties = tool.parameters.get("properties")
    return next((name for name in _CONTENT if isinstance(properties, dict) and name in properties), "")


# -- one tool ----------------------------------------------------------------------------------------------------------


def _aim(desk: Desk) -> Aim:
    return aim_of(desk.conversation.text, frozenset(family for name in desk.names if (family := router_family(name))))


def _choose(desk: Desk) -> Reply:
    """Choose among tools that have no handling of their own."""
    text = desk.conversation.text
    aim = _aim(desk)
    if (answer := talk.plain(text, RoutingTable())) or (answer := reckon(text) or ""):
        return Reply(text=answer)
    rated = choose(desk.own, text, aim.likely)
    best = rated[0]
    is_said = best.cues >= (_SAID_CLEARLY if aim.talk > _MOSTLY_TALK else _SAID)
    if not is_said and aim.is_talk:
        return Reply(text=talk.small_talk(text, RoutingTable()))
    domain = _not_own(desk, aim, best)
    if domain == PLANNING and not _declines(desk.conversation):
        return Reply(text=plan(desk.conversation.system, text))
    if domain or (not is_said and not aim.family):
        return _decline(desk, domain)
    return _call(desk, best, rated, aim)


def _not_own(desk: Desk, aim: Aim, best: Choice) -> str:
    """Return the family of somebody else that a request is about; empty when it is the agent's own."""
    if best.cues >= _SAID_CLEARLY:
        return ""
    needed = needs(desk.conversation.text)
    if needed and router_family(needed) not in {family for family, _ in aim.own}:
        return router_family(needed)
    return aim.domain


def _call(desk: Desk, best: Choice, rated: Sequence[Choice], aim: Aim) -> Reply:
    """Call a tool with what the request says, or ask for what it does not say."""
    tool, text = best.tool, desk.conversation.text
    if best.cues < 1 and is_known(tool.name):
        return _unsaid(desk, rated, aim)
    arguments, missing = fill(tool, text)
    if router_family(tool.name) in _HANDLED and (missing or tool.name not in _LOOKS or len(paths(text)) > 1):
        return Reply(text=_not_handled(desk))
    if missing:
        return Reply(text=ask_for(tool, missing))
    return desk.conversation.call(tool.name, **arguments)


def _unsaid(desk: Desk, rated: Sequence[Choice], aim: Aim) -> Reply:
    """Take the only tool of the family, or ask which one is meant."""
    family = aim.family or router_family(rated[0].tool.name)
    if family in _HANDLED:
        return Reply(text=_not_handled(desk))
    mine = [choice.tool for choice in rated if router_family(choice.tool.name) == family] or [one.tool for one in rated]
    if len(mine) == 1:
        arguments, missing = fill(mine[0], desk.conversation.text)
        return Reply(text=ask_for(mine[0], missing)) if missing else desk.conversation.call(mine[0].name, **arguments)
    return Reply(text=f"Which of these do you mean: {', '.join(tool.name for tool in mine[:_MOST_ASKED])}?")


def _not_handled(desk: Desk) -> str:
    """Say what a request about files or commands lacks: clear words, or a tool."""
    needed = needs(desk.conversation.text)
    if not needed or needed in desk.names:
        return talk.FILES_AND_COMMANDS
    return f"This needs {needed}, which I was not given; I have {', '.join(desk.names)}."


# -- not its own -------------------------------------------------------------------------------------------------------


def _without_tools(desk: Desk) -> Reply:
    conversation = desk.conversation
    if _PLANS.search(conversation.system.partition("\n## ")[0]):
        domain = aim_of(conversation.text, frozenset({PLANNING})).domain
        if ESCALATION in conversation.system and domain and not _WANTS_PLAN.match(conversation.text):
            return _give_back(desk, talk.out_of_scope(domain, PLANNING))
        return Reply(text=plan(conversation.system, conversation.text))
    text = conversation.text
    return Reply(text=reckon(text) or talk.small_talk(text, RoutingTable()))


def _declines(conversation: Conversation) -> bool:
    """Tell whether what is not the agent's own goes back to the root."""
    return REJECT in conversation.system or ESCALATION in conversation.system


def _decline(desk: Desk, domain: str) -> Reply:
    mine = list(dict.fromkeys(tool_capability(name) or "general actions" for name in desk.names))
    more = f" and {len(mine) - MOST_NAMED} more" if len(mine) > MOST_NAMED else ""
    handles = ", ".join(mine[:MOST_NAMED]) + more
    if REJECT in desk.conversation.system:
        return Reply(text=f"{REJECT} This request is about {domain or 'something else'}. I handle {handles}.")
    if not domain:
        return Reply(text=f"I cannot tell which of my tools this needs. I handle {handles}.")
    return _give_back(desk, talk.out_of_scope(domain, handles))


def _give_back(desk: Desk, sentence: str) -> Reply:
    """Decline in words, and with a call where the request was transferred."""
    roots = dict(Offer.read(desk.offered).targets).get(TRANSFER)
    if not roots:
        return Reply(text=sentence)
    return desk.conversation.calls((TRANSFER, {"agent_name": min(roots), "reason": sentence}), text=sentence)
