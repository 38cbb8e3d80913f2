"""Decides whose turn it is: a root that hands over, or an agent that works."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lango_nb.core.messages import Message, Reply, ToolSchema

if TYPE_CHECKING:
    from lango_nb.routing.table import RoutingTable
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
        from lango_nb.models.proposals import asks_for_proposal

        if asks_for_proposal(messages):
            from lango_nb.models.offline.learning import propose

            return Reply(text=propose(messages))
        from lango_nb.models.offline.conversation import Conversation, Offer, control_in
        from lango_nb.models.offline.own_tools import own_among, own_in

        offer = Offer.read(tools)
        table = _table_in(messages) if offer.targets or not tools else None
        if table:
            from lango_nb.models.offline.root import answer_as_root

            reply = answer_as_root(
                conversation := Conversation.read(messages, self.taught, own_in(table)), offer, tools
            )
        else:
            from lango_nb.models.offline.primitives import under_known_names
            from lango_nb.models.offline.worker import answer_as_worker

            offered, tools = [tool.name for tool in tools], under_known_names(tools)
            control = control_in(tools)
            own = own_among([tool for tool in tools if tool.name not in control])
            reply = answer_as_worker(conversation := Conversation.read(messages, self.taught, own, offered), tools)
        if reply.tool_calls or reply.finish_reason != "stop":
            return reply
        from lango_nb.models.offline.talk import finish_reason_of

        reason = finish_reason_of(reply.text, conversation.understood.reading.language)
        return reply if reason == "stop" else reply.model_copy(update={"finish_reason": reason})


def _table_in(messages: Sequence[Message]) -> RoutingTable | None:
    """Return the agents to hand work to that a prompt names: only a root's does."""
    from lango_nb.models.offline.advice import without_advice
    from lango_nb.routing.router import router_for_prompt

    prompt = messages[0].content if messages and messages[0].role == "system" else ""
    prompt, _ = without_advice(prompt)
    has_agents = "\n### " in prompt or '\n- "' in prompt or "\n<agent " in prompt
    return router_for_prompt(prompt).table if has_agents else None
