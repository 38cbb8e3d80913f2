"""One step: one model call, and what its reply means."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from lango_nb.core.errors import LangoError, ModelError, shorten
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
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
    except (Exception, SystemExit) as error:  # leaving is not for a model: it would end the loop and all turns on it
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
    if all(isinstance(call.arguments, dict) for call in reply.tool_calls):
        return reply
    return reply.model_copy(update={"tool_calls": tuple(map(_with_an_object, reply.tool_calls))})


def _with_an_object(call: ToolCall) -> ToolCall:
    """Say of a call whose arguments are no object that they are none; a model may have built it unchecked."""
    if isinstance(call.arguments, dict):
        return call
    kind = type(call.arguments).__name__
    return call.model_copy(update={"arguments": {}, "error": f"arguments are a {kind}, not an object"})


def _error(code: str, text: str) -> ModelError:
    error = ModelError(text)
    error.code = code
    return error
