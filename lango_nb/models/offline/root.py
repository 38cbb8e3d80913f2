"""The root: answers small talk, gives away what belongs to somebody, asks back when it cannot tell.

small talk ── answered
about runs ── looked at, waited for, stopped
anything else ── parts.py ── handed over whole, or a run for each part, together ── waited for ── done, or the next best agent

agent_spawn ── working ── agent_wait ─┬─ done · declined · failed · cancelled
                                      └─ blocked: waits for somebody's answer
delegate, transfer_to_agent ─────────── the same, without the waiting
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from lango_nb.core.errors import shorten
from lango_nb.core.masking import mask
from lango_nb.core.messages import Reply, ToolSchema
from lango_nb.models.offline import talk
from lango_nb.models.offline.advice import Rule
from lango_nb.models.offline.answers import NOTHING, ends_with, said, say
from lango_nb.models.offline.carry_out import next_reply
from lango_nb.models.offline.conversation import (
    DELEGATE,
    REJECT,
    SPAWN,
    STOP,
    TRANSFER,
    WAIT,
    Conversation,
    Done,
    Offer,
)
from lango_nb.models.offline.hints import hints_for
from lango_nb.models.offline.lists import says_tick, what_is_ticked
from lango_nb.models.offline.parts import (
    ASKED,
    CLEARLY,
    PLANNING,
    SURE,
    WorkOrder,
    addressed,
    parts_of,
    read_plan,
    take_allowed,
    tool_of,
    who_has,
    without_content,
)
from lango_nb.models.offline.plan import Reading, Step, hand_on, handed, is_change, show, with_given
from lango_nb.models.offline.question import says_state
from lango_nb.models.offline.talk import is_out_of_scope
from lango_nb.routing.route import Route
from lango_nb.routing.router import Router


def answer_as_root(conversation: Conversation, offer: Offer, tools: Sequence[ToolSchema]) -> Reply:
    """Hand over, answer, or ask back.

    Parameters
    ----------
    conversation : Conversation
        Its system prompt holds the routing table: nothing else is known of the agents.
    offer : Offer
        What it may do about a request.
    tools : sequence of ToolSchema
        What it may call itself.

    Returns
    -------
    Reply
    """
    if not offer.targets:
        return last_word(conversation)
    return dispatch(conversation, offer, tools) if offer.has_runs else _transfer(conversation, tools)


def _transfer(conversation: Conversation, tools: Sequence[ToolSchema]) -> Reply:
    """Hand the request over, where whoever gets it answers the user."""
    router = conversation.router
    out = _out_of_question(conversation)
    (part,) = parts_of(conversation, is_whole=True)
    if not out:
        parts = parts_of(conversation)
        planner = next(iter(router.owners(PLANNING)), "") if len(parts) >= MANY else ""
        if chosen := planner or part.agent:
            return conversation.calls(
                (TRANSFER, {"agent_name": chosen, "reason": part.reason or why(part.route, chosen)})
            )
        return answer_itself(conversation, part, tools)
    route = router.route(without_content(conversation.text), exclude=out)
    if target := next_best(route, [name for name in part.owners if name not in out]):
        return conversation.calls((TRANSFER, {"agent_name": target, "reason": part.reason or why(route, target)}))
    language = conversation.understood.reading.language
    return Reply(text=talk.nobody(sorted(out), conversation.failed, language))


def _out_of_question(conversation: Conversation) -> set[str]:
    """Return who declined this request or failed at it, and the names that were refused."""
    declined = {
        message.author
        for message in conversation.since
        if message.role == "assistant" and message.author and _is_declining(message.content)
    }
    refused = {
        str(done.call.arguments.get("agent_name"))
        for done in conversation.done()
        if done.call.name == TRANSFER and done.result.is_error
    }
    return declined | refused | set(conversation.failed)


def _is_declining(text: str) -> bool:
    """Tell whether an agent said, in whatever way its topology has for it, that the request is not its own."""
    return REJECT in text or talk.is_out_of_scope(text)


# -- agents that work in runs ------------------------------------------------------------------------------------------

MANY = 3
"""Parts from which a request is planned first."""
LEAST_AFTER_REJECTION = 3.0
"""Score, in log-odds, that is enough to try the next agent once the best one declined."""
MOST_TRIES = 2
"""Tries after which a part is given up."""


def dispatch(conversation: Conversation, offer: Offer, tools: Sequence[ToolSchema]) -> Reply:
    """Give work away, wait for it, or answer.

    Parameters
    ----------
    conversation : Conversation
        Its system prompt holds the routing table: nothing else is known of the agents.
    offer : Offer
        Which of them can be reached, and how.
    tools : sequence of ToolSchema
        What the root may call.

    Returns
    -------
    Reply
    """
    if (answer := upkeep(conversation, offer)) is not None:
        return answer
    router = conversation.router
    own_tools = frozenset(tool.name for tool in tools)
    parts: Sequence[WorkOrder] = parts_of(conversation, own_tools)
    if len(parts) > 1 and (
        _takes_turns(parts[0], offer) or all(_takes_turns(one, offer) for one in parts if one.agent)
    ):
        parts = parts_of(conversation, own_tools, is_whole=True)
    advised = _by_rules(conversation, parts, offer)
    if advised != parts and len({part.agent for part in advised}) < len(advised):
        advised = _by_rules(conversation, parts_of(conversation, own_tools, is_whole=True), offer)
    parts = advised
    made = attempts(conversation, router.table.names)
    if len(parts) >= MANY and (planner := _planner(router, offer)):
        planned = [one for one in made if one.agent == planner and one.goal.startswith(ASKED)]
        if not made:
            return conversation.calls(_given(planner, ASKED + conversation.text, PLANNING, offer))
        if planned and planned[-1].state in {"working", "blocked"} and planned[-1].waits < MOST_WAITS:
            return conversation.calls(wait_for(planned[-1]))
        made = tuple(one for one in made if one not in planned)
        parts = _by_plan(planned[-1].text if planned else "", router, offer) or parts
    steps = conversation.understood.reading.steps
    if len(parts) == 1 and not parts[0].agent and [step.act for step in steps] in (["task.list"], ["task.done"]):
        return _of_tasks(conversation, parts[0], offer, tools, made)
    if not made and len(parts) == 1 and not parts[0].agent:
        return answer_itself(conversation, parts[0], tools)
    if made and len(parts) == 1 and _is_talk(conversation) and all(one.state == "declined" for one in made):
        return answer_itself(conversation, replace(parts[0], agent="", own=conversation.understood.reading), tools)
    return _go_on(conversation, offer, tools, parts, made)


def _by_rules(conversation: Conversation, parts: Sequence[WorkOrder], offer: Offer) -> Sequence[WorkOrder]:
    """Give parts to the agents that rules name for them, of those that can be reached; whom a person asks for stays."""
    agents = [name for name in conversation.router.table.names if offer.way_to(name) == DELEGATE]
    wish, _ = take_allowed(conversation.text)
    if not (conversation.advice.rules and agents) or _is_talk(conversation) or addressed(wish, agents):
        return parts
    steps = conversation.understood.reading.steps if len(parts) == 1 else ()
    changes = [step for step in steps if is_change(step.act)] if len(steps) > 1 else []
    able = [name for name in agents if all(_may_be_able(name, step, conversation.router) for step in changes)]
    return tuple(_by_rule(part, conversation.advice.rules, able) for part in parts)


def _may_be_able(agent: str, step: Step, router: Router) -> bool:
    """Tell whether nothing in the table speaks against an agent doing a step."""
    tool = tool_of(step)
    able = who_has(router, tool, ()) if tool else ()
    return not able or agent in able


def _by_rule(part: WorkOrder, rules: Sequence[Rule], agents: Collection[str]) -> WorkOrder:
    """Give a part to the agent that the first fitting rule names; who would have got it is tried next."""
    for rule in rules:
        if agent := rule.chosen(part.text, agents):
            owners = tuple(name for name in dict.fromkeys((part.agent, *part.owners)) if name)
            return replace(part, agent=agent, owners=owners, own=None, rule=rule.said)
    return part


def _takes_turns(part: WorkOrder, offer: Offer) -> bool:
    """Tell whether whoever a part is for takes whole turns over, and no work orders."""
    return bool(part.agent) and offer.way_to(part.agent) not in {SPAWN, DELEGATE}


def _is_talk(conversation: Conversation) -> bool:
    steps = conversation.understood.reading.steps
    return bool(steps) and steps[0].act in talk.WORDED


def answer_itself(conversation: Conversation, part: WorkOrder, tools: Sequence[ToolSchema]) -> Reply:
    """Answer without any agent: talk, sums, the list of tasks, or a question back."""
    reading, context = conversation.understood
    language = reading.language
    first = reading.steps[0] if reading.steps else Step("unclear", {})
    if first.act == "unclear" and not conversation.router.owners("fs"):
        return Reply(text=talk.ask_back(part.route, language))  # nobody here has files to ask about
    if part.own is not None and first.act not in talk.WORDED:
        reply, _ = next_reply(conversation, part.own, context, tools)
        return reply
    least = (
        CLEARLY if any(row.actions for row in conversation.router.table) else SURE
    )  # it may be theirs, in other words
    is_doubtful = first.act == "talk" and reading.confidence < least
    if (part.own is None or is_doubtful) and not part.route.is_conversation:
        return Reply(text=talk.ask_back(part.route, language))
    step = first if first.act in talk.WORDED else Step("talk", {}, text=conversation.text)
    return Reply(text=talk.reply(step, language, conversation.router.table, conversation.router, conversation.before))


def _of_tasks(
    conversation: Conversation, part: WorkOrder, offer: Offer, tools: Sequence[ToolSchema], made: Sequence[Attempt]
) -> Reply:
    """Answer what is left to do, or tick it off, in the root's own list, or in boxes of files where that has no such task."""
    own = answer_itself(conversation, part, tools)
    reading = conversation.understood.reading
    owner = next(iter(conversation.router.owners("fs")), "")
    order = None if own.tool_calls else _of_boxes(reading, own.text)
    if order is None or offer.way_to(owner) not in {SPAWN, DELEGATE}:
        return own
    if not made:
        return conversation.calls(_with_hints(conversation, *_given(owner, show(order), "", offer)))
    if made[-1].state == "working" and made[-1].waits < MOST_WAITS:
        return conversation.calls(wait_for(made[-1]))
    is_found = _has_result(made[-1], conversation) and not ends_with(NOTHING, made[-1].text, reading.language)
    return Reply(text=about_runs(made[-1])) if is_found else own


def _of_boxes(reading: Reading, text: str) -> Step | None:
    """Return what is asked of boxes in files once the own list gave nothing: which are left, or that one is ticked.

    Examples
    --------
    >>> said = Reading((Step("task.done", {"text": ("the fridge",)}, text="tick off the fridge"),))
    >>> _of_boxes(said, "There are no tasks."), _of_boxes(said, "Done: clean the fridge.")
    (Step(act='line.tick', arguments={'find': ('the fridge',)}, destination='', text=''), None)
    """
    (step,) = reading.steps
    if step.act == "task.done":
        is_done = said("task.done", reading.language, text) is not None
        find = "" if is_done or not says_tick(step.text, reading.language) else what_is_ticked(step, reading.language)
        return Step("line.tick", {"find": (find,)}) if find else None
    is_empty = said("tasks.none", reading.language, text) is not None
    state = says_state(step.text, reading.language) if is_empty else ""
    return Step("search", {"find": ("[x]" if state == "done" else "[ ]",)}) if state else None


def last_word(conversation: Conversation) -> Reply:
    """Answer with what was gathered: nothing more is offered."""
    made = attempts(conversation, conversation.router.table.names)
    said = [about_runs(attempt) for attempt in made if attempt.state in {"done", "working", "blocked"}]
    return Reply(text="\n\n".join(said) or "I came to no result: everything that was tried failed.")


def why(route: Route, target: str) -> str:
    """Say in a short clause what speaks for an agent."""
    best = next((candidate for candidate in route.candidates if candidate.agent == target), None)
    return best.leading if best else ""


def next_best(route: Route, owners: Sequence[str] = ()) -> str | None:
    """Return whom to try when the first choice is out: who has the tools for it, before who comes near.

    That words only lie near an agent's own is not enough.
    """
    if owners:
        return owners[0]
    for candidate in route.candidates:
        speaks = any(signal.kind not in {"prior", "related"} for signal in candidate.signals)
        if not candidate.vetoes and speaks and candidate.score >= LEAST_AFTER_REJECTION:
            return candidate.agent
    return None


def _planner(router: Router, offer: Offer) -> str:
    """Return who plans, where the work stays the root's meanwhile."""
    return next((name for name in router.owners(PLANNING) if offer.way_to(name) in {SPAWN, DELEGATE}), "")


def _by_plan(text: str, router: Router, offer: Offer) -> Sequence[WorkOrder]:
    """Read a plan as parts; none unless every step has somebody who can be given it."""
    parts = []
    for step in read_plan(text):
        route = router.route(step.text)
        named = step.agent if step.agent in router.table.names else route.chosen
        if named is None or offer.way_to(named) not in {SPAWN, DELEGATE}:
            return ()
        parts.append(WorkOrder(step.text, route, named, needs=step.needs))
    return parts


def _go_on(
    conversation: Conversation,
    offer: Offer,
    tools: Sequence[ToolSchema],
    parts: Sequence[WorkOrder],
    made: Sequence[Attempt],
) -> Reply:
    """Take the next step of every part; hand-overs come before waiting, and the answer when nothing is left to do."""
    router = conversation.router
    tried = _by_part(parts, made)
    used = {attempt.agent for attempt in made} | set(conversation.failed)
    calls: list[Call] = []
    said: list[str] = []
    rules: list[str] = []
    for part, mine in zip(parts, tried, strict=True):
        before = None if part.needs is None else tried[part.needs][-1:]
        if before is not None and not mine and not (before and _has_result(before[0], conversation)):
            said += _held_up(part, before)
            continue
        if len(parts) > 1 and _takes_turns(part, offer):
            said.append(say("not_done", conversation.understood.reading.language, what=mask(part.text)))
            continue
        if part.own is not None:
            step = _own_step(conversation, part, before[0].text if before else None, tools)
        else:
            ready = replace(part, order=hand_on(part.text, before[0].text.strip())) if before else part
            step = _next_step(ready, mine, router, offer, used, conversation.understood.reading.language)
        if isinstance(step, str):
            said.append(step)
            continue
        if part.own is None:
            used.add(str(step[0][1].get("agent") or step[0][1].get("agent_name")))
        rules += [f"By the rule “{part.rule}”."] * bool(part.rule and not mine)
        calls += step
    if calls:
        return conversation.calls(*(_with_hints(conversation, *call) for call in calls), text=" ".join(rules))
    last = [mine[-1] for mine in tried if mine]
    working = [attempt for attempt in last if attempt.state == "working" and attempt.waits < MOST_WAITS]
    blocked = [attempt for attempt in last if attempt.state == "blocked"]
    if not working and blocked and not only_waited_for(conversation, [attempt.run_id for attempt in blocked]):
        working = blocked
    if working:
        return conversation.calls(*(wait_for(attempt) for attempt in working))
    return Reply(text="\n\n".join(said))


def _with_hints(conversation: Conversation, tool: str, arguments: Mapping[str, Any]) -> Call:
    """Tell an agent that begins anew what was said before."""
    if tool != DELEGATE:
        return tool, arguments
    hints = hints_for(conversation.before, conversation.request, str(arguments.get("goal")))
    return tool, {**arguments, "hints": hints or None}


def _own_step(
    conversation: Conversation, part: WorkOrder, given: str | None, tools: Sequence[ToolSchema]
) -> str | list[Call]:
    """Take the next step of a part that the root does itself."""
    reading = part.own or Reading(())
    if given is not None:
        reading = reading._replace(steps=with_given(reading.steps, given))
    reply, _ = next_reply(conversation, reading, conversation.understood.context, tools)
    return [(call.name, call.arguments) for call in reply.tool_calls] or reply.text


def _by_part(parts: Sequence[WorkOrder], made: Sequence[Attempt]) -> list[list[Attempt]]:
    """Sort attempts by what they were given."""
    goals = [part.text for part in parts]
    tried: list[list[Attempt]] = [[] for _ in parts]
    for place, attempt in enumerate(made):
        goal = handed(attempt.goal)[0]
        tried[goals.index(goal) if goal in goals else min(place, len(parts) - 1)].append(attempt)
    return tried


def _has_result(attempt: Attempt, conversation: Conversation) -> bool:
    """Tell whether an attempt gave something that a further step can use."""
    language = conversation.understood.reading.language
    return attempt.state == "done" and not talk.is_no_result(attempt.text, language)


def _held_up(part: WorkOrder, before: Sequence[Attempt]) -> list[str]:
    """Say that a part was not begun because the one it needs came to nothing."""
    if not before or before[0].state in {"working", "blocked"}:
        return []
    return [f"Not begun: {shorten(part.text, 120)}; it needs the result of the step before."]


def _next_step(  # noqa: PLR0913, PLR0917 - who was tried, and who is left
    part: WorkOrder, tried: Sequence[Attempt], router: Router, offer: Offer, used: Collection[str], language: str
) -> str | list[Call]:
    """Return the hand-over that a part needs next, or what is to be said about it."""
    if tried and tried[-1].state not in UNDONE:
        return about_runs(tried[-1])
    if tried and (tried[-1].is_settled or len(tried) >= MOST_TRIES):
        return _undone(part, tried, language)
    order, reason = part.order or part.text, part.reason
    if not tried and not part.agent:
        return talk.ask_back(part.route, language)
    if not tried and part.agent not in used and offer.way_to(part.agent):
        return [_given(part.agent, order, reason or why(part.route, part.agent), offer, part.allowed)]
    out = {name: "cannot be reached from here" for name in router.table.names if not offer.way_to(name)}
    out |= dict.fromkeys(used, "was given this already")
    route = router.route(part.text, exclude=out)
    target = next_best(route, [name for name in part.owners if name not in out])
    if target is None:
        return (
            _undone(part, tried, language)
            if tried
            else talk.out_of_reach(replace(part.route, chosen=part.agent), language)
        )
    return [_given(target, order, reason or why(route, target), offer, part.allowed)]


def _given(agent: str, order: str, reason: str, offer: Offer, allowed: Sequence[str] = ()) -> Call:
    """Return the call that gives work to an agent."""
    match offer.way_to(agent):
        case "agent_spawn":
            more = {"spawn_reason": reason, "allowed_tools": list(allowed) or None}
            return SPAWN, {"agent": agent, "instruction": order, **more}
        case "delegate":
            return DELEGATE, {"agent_name": agent, "goal": order}
        case _:
            return TRANSFER, {"agent_name": agent, "reason": reason}


def _undone(part: WorkOrder, tried: Sequence[Attempt], language: str) -> str:
    """Say what is missing, and why."""
    if all(attempt.state == "declined" for attempt in tried):
        return talk.nobody([attempt.agent for attempt in tried], language=language)
    verbs = {"declined": "declined", "refused": "could not be given it"}
    causes = [f"{a.agent} {verbs.get(a.state, 'failed')}{_because(a)}" for a in tried]
    return f"Not done: {shorten(part.text, 120).rstrip('.?! ')}. {'; '.join(causes)}."


def _because(attempt: Attempt) -> str:
    text = attempt.text.strip().rstrip(".") if attempt.state != "declined" else ""
    return f" ({shorten(text, 300)})" if text else ""


# -- what became of work given away ------------------------------------------------------------------------------------

Call = tuple[str, Mapping[str, Any]]
"""A tool and its arguments."""
State = Literal["working", "blocked", "done", "declined", "failed", "cancelled", "refused"]
UNDONE: frozenset[State] = frozenset({"declined", "failed", "refused"})
"""Somebody else may be tried."""
MOST_WAITS = 10
"""Waits for one run: the last is for 512 seconds, longer than a run may take."""
_STATUS = re.compile(r'"status"\s*:\s*"(\w+)"')
_SETTLED = re.compile(
    r"\bapproval\b|\bdenied\b|\bnot approved\b|\bbackground\.enabled\b|\boutside the scope\b|\boutside role\b",
    re.IGNORECASE,
)
"""Somebody said no, or no other agent would change it."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One agent's try at one work order."""

    agent: str
    goal: str
    """The work order; empty where the request itself was handed over."""
    state: State
    text: str = ""
    """What it said, or why it did not come to that."""
    run_id: str = ""
    waits: int = 0
    """How often it was waited for."""
    view: Mapping[str, Any] | None = None
    """The run as it was seen last."""

    @property
    def is_settled(self) -> bool:
        """Whether trying somebody else would be wrong or no use."""
        return self.state in UNDONE and _SETTLED.search(self.text) is not None


def view_of(text: str) -> Mapping[str, Any]:
    """Read what a control call said of a run.

    A long result may have been cut in the middle, and is no JSON any more; its status can still be read.

    Examples
    --------
    >>> view_of('{"agent_id": "arun-1", "status": "running"}')["status"]
    'running'
    >>> view_of('{"result": "cut …", "status": "completed"')["status"], view_of("nonsense")
    ('completed', {})
    """
    try:
        read = json.loads(text)
    except ValueError:
        status = _STATUS.search(text)
        return {"status": status[1], "result": text} if status else {}
    return read if isinstance(read, dict) else {}


def attempts(conversation: Conversation, agents: Collection[str]) -> tuple[Attempt, ...]:
    """Read everything that was given away in this turn, in order.

    Parameters
    ----------
    conversation : Conversation
    agents : collection of str
        Whom work can be given to; a transfer to anybody else gave it back.

    Returns
    -------
    tuple of Attempt
    """
    found: dict[str, Attempt] = {}
    for place, done in enumerate(conversation.done()):
        given = done.call.arguments
        match done.call.name:
            case "agent_spawn":
                attempt = _spawned(done)
                found[attempt.run_id or str(place)] = attempt
            case "delegate":
                agent, goal = str(given.get("agent_name")), str(given.get("goal") or "")
                state = _said(done.result.content, is_error=done.result.is_error)
                found[str(place)] = Attempt(agent, goal, state, done.result.content)
            case "transfer_to_agent" if given.get("agent_name") in agents:
                found[str(place)] = _transferred(conversation, done)
            case "agent_wait" | "agent_stop":
                run_id = str(given.get("agent_id"))
                if run_id in found:
                    found[run_id] = look(found[run_id], done)
    return tuple(found.values())


def look(attempt: Attempt, done: Done) -> Attempt:
    """Return an attempt as a call about its run shows it."""
    waits = attempt.waits + (done.call.name == WAIT)
    if done.result.is_error:
        return replace(attempt, state="failed", text=done.result.content, waits=waits)
    view = view_of(done.result.content)
    said = str(view.get("result") or "")
    match view.get("status"):
        case "completed":
            state: State = _said(said)
        case "failed":
            state, said = "failed", str(view.get("error") or said)
        case "cancelled":
            state, said = "cancelled", str(view.get("error") or "")
        case _:
            state = "blocked" if str(view.get("condition") or "").startswith("blocked_") else "working"
    return replace(attempt, state=state, text=said, waits=waits, view=view)


def wait_for(attempt: Attempt) -> Call:
    """Wait for a run, twice as long each time."""
    return WAIT, {"agent_id": attempt.run_id, "timeout": 2**attempt.waits}


def only_waited_for(conversation: Conversation, run_ids: Iterable[str]) -> bool:
    """Tell whether the last reply waited for these runs and nothing else: what it saw is new."""
    last = next((message.tool_calls for message in reversed(conversation.since) if message.tool_calls), ())
    waited = {str(call.arguments.get("agent_id")) for call in last if call.name == WAIT}
    return len(waited) == len(last) and waited == set(run_ids)


def _said(text: str, *, is_error: bool = False) -> State:
    if is_error:
        return "failed"
    return "declined" if is_out_of_scope(text) else "done"


def _spawned(done: Done) -> Attempt:
    given, content = done.call.arguments, done.result.content
    agent, goal = str(given.get("agent") or ""), str(given.get("instruction") or "")
    run_id = "" if done.result.is_error else str(view_of(content).get("agent_id") or "")
    return Attempt(agent, goal, "working" if run_id else "refused", content if not run_id else "", run_id)


def _transferred(conversation: Conversation, done: Done) -> Attempt:
    """Read a hand-over that came back: it was refused, declined, or failed."""
    agent = str(done.call.arguments.get("agent_name"))
    if done.result.is_error:
        return Attempt(agent, "", "refused", done.result.content)
    said = next((m.content for m in reversed(conversation.since) if m.role == "assistant" and m.author == agent), "")
    return Attempt(agent, "", "failed" if agent in conversation.failed else "declined", said)


# -- questions about runs ----------------------------------------------------------------------------------------------

_NUMBER = r"\w+(?:-\d+)?"
"""The end of an id: in a home it begins with the number of the process, ``arun-7-1``."""
_RUN = re.compile(rf"\barun-{_NUMBER}\b", re.IGNORECASE)
_STOPS = re.compile(r"\b(?:stop|cancel|kill|abort|terminate|end)\b", re.IGNORECASE)
_WAITS = re.compile(r"\bwait\b|\bawait\b|\bcollect\b|\buntil\b", re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:don.?t|do not|never|should(?: i| we)?|can i|may i)\b", re.IGNORECASE)
_ASKS = re.compile(
    r"\b(?:what|how|is|are|has|did|does|status|state|done|finished|ready|show|check|result|progress|still|about|look)\b"
    rf"|^\W*arun-{_NUMBER}\W*$",
    re.IGNORECASE,
)


def upkeep(conversation: Conversation, offer: Offer) -> Reply | None:
    """Take the next step of a request about runs.

    Parameters
    ----------
    conversation : Conversation
    offer : Offer

    Returns
    -------
    Reply or None
        ``None`` when the request is about something else, or what it needs is not offered.
    """
    text = conversation.text
    if "arun-" not in text.casefold() or WAIT not in offer.names:
        return None
    ids = tuple(dict.fromkeys(run_id.lower() for run_id in _RUN.findall(text)))
    if _STOPS.search(text):
        if _NEGATED.search(text) or STOP not in offer.names:
            return Reply(text=f"I stopped nothing. If you want that, say: stop {ids[0]}.")
        return _stop(conversation, ids)
    if not (is_wait := bool(_WAITS.search(text))) and not _ASKS.search(text):
        return None
    seen = {run_id: Attempt("", "", "working", run_id=run_id) for run_id in ids}
    for done in conversation.done():
        run_id = str(done.call.arguments.get("agent_id"))
        if done.call.name == WAIT and run_id in seen:
            seen[run_id] = look(seen[run_id], done)
    if waiting := [one for one in seen.values() if _is_to_wait_for(one, is_wait=is_wait)]:
        return conversation.calls(
            *(wait_for(one) if is_wait else (WAIT, {"agent_id": one.run_id, "timeout": 0}) for one in waiting)
        )
    return Reply(text="\n\n".join(_looked_at(one) for one in seen.values()))


def about_runs(attempt: Attempt) -> str:
    """Say how a run is doing, or what it came to.

    Parameters
    ----------
    attempt : Attempt

    Returns
    -------
    str
        The result itself where there is one.
    """
    view = attempt.view or {}
    who = f"{attempt.run_id} ({attempt.agent})" if attempt.agent and attempt.run_id else attempt.run_id or attempt.agent
    match attempt.state:
        case "done":
            return attempt.text.strip() or f"{who} finished without saying anything."
        case "declined":
            return f"{who} declined: {attempt.text.strip()}"
        case "failed" | "refused":
            return f"{who} failed: {attempt.text.strip() or 'nobody said why'}"
        case "cancelled":
            return f"{who} was cancelled."
        case "blocked":
            return _waiting(attempt)
        case _:
            behind = f" It waits for {view['waiting_on_run_id']}." if view.get("waiting_on_run_id") else ""
            return f"{who} is still at work.{behind} Ask me about {attempt.run_id} later, or let me stop it."


def _waiting(attempt: Attempt) -> str:
    """Say what a blocked run waits for."""
    view = attempt.view or {}
    who = f"{attempt.run_id} ({attempt.agent})" if attempt.agent else attempt.run_id
    request = str(view.get("grant_request_id") or "")
    tool = request.removeprefix(f"grant-{attempt.run_id}-")
    reason = str(view.get("blocked_reason") or "").strip().rstrip(".")
    because = f" ({reason})" if reason else ""
    if not request:
        return f"{who} is waiting for an answer{because}. It goes on once it has one."
    return (
        f"{who} is waiting for an answer: may it use {tool}?{because} The request is {request}; the run goes on once it is "
        f"answered. Ask me about {attempt.run_id} then."
    )


def _is_to_wait_for(attempt: Attempt, *, is_wait: bool) -> bool:
    """Tell whether a run is looked at once more; a look is enough unless waiting was asked for."""
    return not attempt.waits or (is_wait and attempt.state == "working" and attempt.waits < MOST_WAITS)


def _looked_at(attempt: Attempt) -> str:
    if attempt.state == "failed" and attempt.view is None:
        return f"I cannot say how {attempt.run_id} is doing: {attempt.text}"
    said = about_runs(attempt)
    if attempt.state != "done":
        return said
    return f"{attempt.run_id}: {said}" if said.startswith("Done") else f"{attempt.run_id} is done: {said}"


def _stop(conversation: Conversation, ids: Sequence[str]) -> Reply:
    done = [done for done in conversation.done() if done.call.name == STOP]
    if not done:
        return conversation.calls(*((STOP, {"agent_id": run_id}) for run_id in ids))
    return Reply(text="\n".join(_stopped(one) for one in done))


def _stopped(done: Done) -> str:
    run_id = done.call.arguments.get("agent_id")
    if done.result.is_error:
        return f"I did not stop {run_id}: {done.result.content}"
    return f"{run_id} was stopped."
