"""The root: answers small talk, hands over what belongs to somebody, asks back when it cannot tell."""

from __future__ import annotations

from lango_nb.core.messages import Reply
from lango_nb.models.offline import talk
from lango_nb.models.offline.conversation import REJECT, TRANSFER, Conversation
from lango_nb.routing.route import Route
from lango_nb.routing.router import router_for_prompt

LEAST_AFTER_REJECTION = 0.5
"""Score that is enough to try the next agent once the best one declined."""


def answer_as_root(conversation: Conversation) -> Reply:
    """Hand over, answer, or ask back.

    Parameters
    ----------
    conversation : Conversation
        Its system prompt holds the routing table: nothing else is known of the agents.

    Returns
    -------
    Reply
    """
    router = router_for_prompt(conversation.system)
    out = _out_of_question(conversation)
    route = router.route(conversation.text, exclude=out)
    target = route.chosen or (_next_best(route) if out else None)
    if target is not None:
        return conversation.call(TRANSFER, agent_name=target, reason=_why(route, target))
    if out:
        return Reply(text=talk.nobody(sorted(out)))
    if route.is_conversation:
        return Reply(text=talk.small_talk(conversation.text, router.table))
    return Reply(text=talk.ask_back(route))


def _out_of_question(conversation: Conversation) -> set[str]:
    """Return who declined this request, and the names that were refused."""
    declined = {
        message.author
        for message in conversation.since
        if message.role == "assistant" and message.author and message.content.startswith(REJECT)
    }
    refused = {
        str(done.call.arguments.get("agent_name"))
        for done in conversation.done()
        if done.call.name == TRANSFER and done.result.is_error
    }
    return declined | refused


def _next_best(route: Route) -> str | None:
    for candidate in route.candidates:
        if not candidate.vetoes and candidate.score >= LEAST_AFTER_REJECTION:
            return candidate.agent
    return None


def _why(route: Route, target: str) -> str:
    best = next(candidate for candidate in route.candidates if candidate.agent == target)
    return ", ".join(signal.words for signal in best.signals[:3] if signal.weight > 0)
