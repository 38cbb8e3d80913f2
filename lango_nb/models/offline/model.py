"""Decides whose turn it is: a root that hands over, or an agent that works."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lango_nb.core.messages import Message, Reply, ToolSchema

if TYPE_CHECKING:
    from lango_nb.routing.taught import Taught


class OfflineModel:
    """A deterministic demo model that needs no key and no network.

    Parameters
    ----------
    taught : Taught, optional
        Labelled requests of your own that its router has learned from.

    Examples
    --------
    >>> import asyncio
    >>> hello = [Message(role="system", content=""), Message(role="user", content="hello")]
    >>> asyncio.run(OfflineModel().complete(hello, [])).text.split("!")[0]
    'Hello'
    """

    def __init__(self, taught: Taught | None = None) -> None:
        self.taught = taught

    @property
    def name(self) -> str:
        """What the model is called."""
        return "offline"

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Answer a conversation from its words alone."""
        from lango_nb.models.summaries import asks_for_summary

        if asks_for_summary(messages):
            from lango_nb.models.offline.talk import extract

            return Reply(text=extract(messages))
        from lango_nb.models.offline.conversation import Conversation, Offer

        conversation = Conversation.read(messages, self.taught)
        offer = Offer.read(tools)
        if (offer.targets or not tools) and _holds_table(conversation.system):
            from lango_nb.models.offline.root import answer_as_root

            reply = answer_as_root(conversation, offer, tools)
        else:
            from lango_nb.models.offline.worker import answer_as_worker

            reply = answer_as_worker(conversation, tools)
        if reply.tool_calls or reply.finish_reason != "stop":
            return reply
        from lango_nb.models.offline.talk import finish_reason_of

        reason = finish_reason_of(reply.text, conversation.understood.reading.language)
        return reply if reason == "stop" else reply.model_copy(update={"finish_reason": reason})


def _holds_table(prompt: str) -> bool:
    """Tell whether a prompt names agents to hand work to: only a root's does."""
    from lango_nb.routing.router import router_for_prompt

    return ("\n### " in prompt or '\n- "' in prompt) and len(router_for_prompt(prompt).table) > 0
