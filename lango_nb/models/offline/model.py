"""Decides whose turn it is: a root that hands over, or an agent that works."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.core.messages import Message, Reply, ToolSchema


class OfflineModel:
    """A deterministic demo model that needs no key and no network.

    Examples
    --------
    >>> import asyncio
    >>> hello = [Message(role="system", content=""), Message(role="user", content="hello")]
    >>> asyncio.run(OfflineModel().complete(hello, [])).text.split("!")[0]
    'Hello'
    """

    @property
    def name(self) -> str:
        """What the model is called."""
        return "offline"

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Answer a conversation from its words alone."""
        from lango_nb.models.offline.conversation import TRANSFER, Conversation

        conversation = Conversation.read(messages)
        if any(tool.name == TRANSFER for tool in tools):
            from lango_nb.models.offline.root import answer_as_root

            return answer_as_root(conversation)
        from lango_nb.models.offline.worker import answer_as_worker

        return answer_as_worker(conversation, tools)
