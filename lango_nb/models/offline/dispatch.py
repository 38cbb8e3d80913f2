"""A root whose agents work in runs: gives work away, waits for it, and answers with what it came to.

small talk ── answered
about runs and tasks ── upkeep.py
anything else ── parts.py ── a run for each part, together ── waited for ── done, or the next best agent
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from lango_nb.core.errors import shorten
from lango_nb.core.messages import Reply, ToolSchema
from lango_nb.models.offline import talk
from lango_nb.models.offline.aims import PLANNING
from lango_nb.models.offline.attempts import MOST_WAITS, UNDONE, Attempt, Call, attempts, only_waited_for, wait_for
from lango_nb.models.offline.carry_out import next_reply
from lango_nb.models.offline.conversation import TRANSFER, Conversation
from lango_nb.models.offline.offer import DELEGATE, SPAWN, Offer
from lango_nb.models.offline.parts import SURE, WorkOrder, parts_of
from lango_nb.models.offline.plan import Reading, Step
from lango_nb.models.offline.plans import ASKED, read_plan
from lango_nb.models.offline.upkeep import about_runs, upkeep
from lango_nb.models.offline.work_orders import hand_on, handed, with_given
from lango_nb.routing.route import Route
from lango_nb.routing.router import Router

MANY = 3
"""Parts from which a request is planned first."""
LEAST_AFTER_REJECTION = 3.0
"""Score, in log-odds, that is enough to try the next agent once the best one declined."""
WORDED = frozenset(("talk", "about.you", "about.agents", "about.owner", "about.why", "about.switch"))
"""Acts that are answered from what is known of the system."""
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
    if any(part.agent and offer.way_to(part.agent) not in {SPAWN, DELEGATE} for part in parts) and len(parts) > 1:
        parts = parts_of(conversation, own_tools, is_whole=True)
    made = attempts(conversation, router.table.names)
    if len(parts) >= MANY and (planner := _planner(router, offer)):
        planned = [one for one in made if one.agent == planner and one.goal.startswith(ASKED)]
        if not made:
            return conversation.calls(_given(planner, ASKED + conversation.text, PLANNING, offer))
        if planned and planned[-1].state in {"working", "blocked"} and planned[-1].waits < MOST_WAITS:
            return conversation.calls(wait_for(planned[-1]))
        made = tuple(one for one in made if one not in planned)
        parts = _by_plan(planned[-1].text if planned else "", router, offer) or parts
    if not made and len(parts) == 1 and not parts[0].agent:
        return answer_itself(conversation, parts[0], tools)
    return _go_on(conversation, offer, tools, parts, made)


def answer_itself(conversation: Conversation, part: WorkOrder, tools: Sequence[ToolSchema]) -> Reply:
    """Answer without any agent: talk, sums, the list of tasks, or a question back."""
    reading, context = conversation.understood
    language = reading.language
    first = reading.steps[0] if reading.steps else Step("unclear", {})
    if part.own is not None and first.act not in WORDED:
        reply, _ = next_reply(conversation, part.own, context, tools)
        return reply
    is_doubtful = first.act == "talk" and reading.confidence < SURE
    if (part.own is None or is_doubtful) and not part.route.is_conversation:
        return Reply(text=talk.ask_back(part.route, language))
    step = first if first.act in WORDED else Step("talk", {}, text=conversation.text)
    return Reply(text=talk.reply(step, language, conversation.router.table, conversation.router, conversation.before))


def last_word(conversation: Conversation) -> Reply:
    """Answer with what was gathered: nothing more is offered."""
    made = attempts(conversation, conversation.router.table.names)
    said = [about_runs(attempt) for attempt in made if attempt.state in {"done", "working", "blocked"}]
    return Reply(text="\n\n".join(said) or "I came to no result: everything that was tried failed.")


def why(route: Route, target: str) -> str:
    """Say in a short clause what speaks for an agent."""
    best = next((candidate for candidate in route.candidates if candidate.agent == target), None)
    return best.leading if best else ""


def next_best(route: Route) -> str | None:
    """Return whom to try when the first choice is out."""
    for candidate in route.candidates:
        if not candidate.vetoes and candidate.score >= LEAST_AFTER_REJECTION:
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
    for part, mine in zip(parts, tried, strict=True):
        before = None if part.needs is None else tried[part.needs][-1:]
        if before is not None and not mine and not (before and _has_result(before[0], conversation)):
            said += _held_up(part, before)
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
        calls += step
    if calls:
        return conversation.calls(*calls)
    last = [mine[-1] for mine in tried if mine]
    working = [attempt for attempt in last if attempt.state == "working" and attempt.waits < MOST_WAITS]
    blocked = [attempt for attempt in last if attempt.state == "blocked"]
    if not working and blocked and not only_waited_for(conversation, [attempt.run_id for attempt in blocked]):
        working = blocked
    if working:
        return conversation.calls(*(wait_for(attempt) for attempt in working))
    return Reply(text="\n\n".join(said))


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
    target = next_best(route)
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
