"""One step: one model call, and what its reply means."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from lango_nb.core.errors import LangoError, ModelError, shorten
from lango_nb.core.messages import Message, Reply, ToolSchema
from lango_nb.models.model import Model

LONGEST_REPLY = 1_000_000
"""Characters of a reply's text; nobody reads more, and a trace could not be shown."""
MOST_CALLS = 128
"""Calls of one reply."""


async def call_model(model: Model, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
    """Ask a model; translate whatever it raises, and refuse what is no reply.

    Parameters
    ----------
    model : Model
    messages : sequence of Message
        System prompt first.
    tools : sequence of ToolSchema

    Returns
    -------
    Reply

    Raises
    ------
    ModelError
        The model failed, for whatever reason; the cause says which.
    """
    try:
        reply = await model.complete(messages, tools)
    except LangoError:
        raise
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise ModelError(f"model {model.name!r} cancelled its own call; try again") from error
    except Exception as error:
        raise ModelError(f"model {model.name!r} failed: {type(error).__name__}: {shorten(str(error), 300)}") from error
    if not isinstance(reply, Reply):
        raise _error("bad_reply", f"model {model.name!r} answered with {type(reply).__name__} instead of a Reply")
    if len(reply.text) > LONGEST_REPLY:
        raise _error(
            "reply_too_large",
            f"model {model.name!r} answered with {len(reply.text):,} characters; {LONGEST_REPLY:,} are the most",
        )
    if len(reply.tool_calls) > MOST_CALLS:
        raise _error(
            "reply_too_large",
            f"model {model.name!r} asked for {len(reply.tool_calls)} calls at once; {MOST_CALLS} are the most",
        )
    return reply


def _error(code: str, text: str) -> ModelError:
    error = ModelError(text)
    error.code = code
    return error
