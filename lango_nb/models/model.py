"""The seam between a turn and whatever answers: one coroutine from messages and tool schemas to a reply."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextvars import ContextVar
from typing import Protocol, runtime_checkable

from lango_nb.core.messages import Message, Reply, ToolSchema

OnRetry = Callable[[str, str, int, float], None]
"""Hears that a request is sent again: code, what the provider said, which attempt failed, and seconds until then."""
on_retry: ContextVar[OnRetry | None] = ContextVar("lango_on_retry", default=None)
"""Who hears of it while a model is asked; a model that sends again by itself says so here."""


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


@runtime_checkable
class StreamingModel(Model, Protocol):
    """A model that can say its answer piece by piece; it is asked to where somebody listens."""

    def stream(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> AsyncIterator[str | Reply]:
        """Answer a conversation as it comes.

        Parameters
        ----------
        messages, tools
            As for :meth:`complete`.

        Yields
        ------
        str or Reply
            Pieces of the text in order, and at last the whole reply; whoever stops early closes the iterator.

        Raises
        ------
        ModelError
            The model cannot answer, or the answer was cut.
        """
        ...


def window_tokens(model: object) -> int | None:
    """Return how many tokens a model can read at once, where it says so by ``window_tokens``; ``None`` elsewhere."""
    window = getattr(model, "window_tokens", None)
    return window if isinstance(window, int) and window > 0 else None


def is_live(model: object) -> bool:
    """Tell whether asking a model leaves this machine or costs money: it says so by a true ``is_live``."""
    return bool(getattr(model, "is_live", False))
