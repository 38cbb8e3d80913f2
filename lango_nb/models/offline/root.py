"""The root: answers small talk, gives away what belongs to somebody, asks back when it cannot tell."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.core.messages import Reply, ToolSchema
from lango_nb.models.offline import talk
from lango_nb.models.offline.aims import PLANNING
from lango_nb.models.offline.conversation import REJECT, TRANSFER, Conversation
from lango_nb.models.offline.dispatch import MANY, answer_itself, dispatch, last_word, next_best, why
from lango_nb.models.offline.offer import Offer
from lango_nb.models.offline.parts import parts_of, without_content


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
            return conversation.call(TRANSFER, agent_name=chosen, reason=part.reason or why(part.route, chosen))
        return answer_itself(conversation, part, tools)
    route = router.route(without_content(conversation.text), exclude=out)
    if target := next_best(route):
        return conversation.call(TRANSFER, agent_name=target, reason=part.reason or why(route, target))
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
