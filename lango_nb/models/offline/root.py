"""The root: answers small talk, gives away what belongs to somebody, asks back when it cannot tell."""

from __future__ import annotations

from lango_nb.core.messages import Reply
from lango_nb.models.offline import talk
from lango_nb.models.offline.aims import PLANNING
from lango_nb.models.offline.arithmetic import reckon
from lango_nb.models.offline.conversation import REJECT, TRANSFER, Conversation
from lango_nb.models.offline.dispatch import MANY, dispatch, last_word, next_best, why
from lango_nb.models.offline.offer import Offer
from lango_nb.models.offline.parts import parts_of, without_content


def answer_as_root(conversation: Conversation, offer: Offer) -> Reply:
    """Hand over, answer, or ask back.

    Parameters
    ----------
    conversation : Conversation
        Its system prompt holds the routing table: nothing else is known of the agents.
    offer : Offer
        What it may do about a request.

    Returns
    -------
    Reply
    """
    if not offer.targets:
        return last_word(conversation)
    if not conversation.since and (answer := talk.plain(conversation.text, conversation.router.table)):
        return Reply(text=answer)
    return dispatch(conversation, offer) if offer.has_runs else _transfer(conversation)


def _transfer(conversation: Conversation) -> Reply:
    """Hand the request over, where whoever gets it answers the user."""
    router = conversation.router
    out = _out_of_question(conversation)
    route = router.route(without_content(conversation.text), exclude=out)
    planner = "" if out or route.chosen else _planner(conversation)
    target = planner or (next_best(route) if out else route.chosen)
    if target is not None:
        return conversation.call(TRANSFER, agent_name=target, reason=why(route, target))
    if out:
        return Reply(text=talk.nobody(sorted(out), conversation.failed))
    if answer := reckon(conversation.text):
        return Reply(text=answer)
    if route.is_conversation:
        return Reply(text=talk.small_talk(conversation.text, router.table))
    return Reply(text=talk.ask_back(route))


def _planner(conversation: Conversation) -> str:
    """Return who plans, where a request nobody clearly gets as a whole is for so many agents that it needs a plan."""
    parts = parts_of(conversation.system, conversation.text, conversation.earlier, taught=conversation.taught)
    return next(iter(conversation.router.owners(PLANNING)), "") if len(parts) >= MANY else ""


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
