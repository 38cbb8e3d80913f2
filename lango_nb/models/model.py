"""The seam between a turn and whatever answers: one coroutine from messages and tool schemas to a reply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from lango_nb.core.messages import Message, Reply, ToolSchema


@runtime_checkable
class Model(Protocol):
    """Anything that can answer a conversation."""

    @property
    def name(self) -> str:
        """What the model is called in settings, traces and frames."""
        ...

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Answer a conversation.

        Parameters
        ----------
        messages : sequence of Message
            System prompt first, then history, then the current turn.
        tools : sequence of ToolSchema
            What the answer may call.

        Returns
        -------
        Reply
            Text, tool calls, or both.

        Raises
        ------
        ModelError
            The model cannot answer.
        """
        ...
