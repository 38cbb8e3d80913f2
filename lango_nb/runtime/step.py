"""One step: one model call, and what its reply means."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, Callable, Sequence

from lango_nb.core.errors import LangoError, ModelError, shorten
from lango_nb.core.masking import mask
from lango_nb.core.messages import NO_USAGE, Message, Reply, ToolCall, ToolSchema, Usage
from lango_nb.models.model import Model, StreamingModel
from lango_nb.runtime.causes import text_of

LONGEST_REPLY = 1_000_000
"""Characters of a reply's text; nobody reads more, and a trace could not be shown."""
MOST_CALLS = 128
"""Calls of one reply."""
LONGEST_NAME = 128
"""Characters of a tool's name in a call; what is longer names nothing, and is cut before it is kept."""
LONGEST_ERROR = 300
"""Characters of what is wrong with a call's arguments."""
DEEPEST = 100
"""Levels of nested arguments."""
_LARGEST_BITS = 1023
"""Bits of a whole number in arguments: what is larger is no floating-point number, and nobody can write it."""
_MOST_TOKENS = 2**63


async def call_model(
    model: Model,
    messages: Sequence[Message],
    tools: Sequence[ToolSchema],
    on_text: Callable[[str], None] | None = None,
) -> Reply:
    """Ask a model; translate whatever it raises, and refuse what is no reply.

    Parameters
    ----------
    model : Model
    messages : sequence of Message
        System prompt first.
    tools : sequence of ToolSchema
    on_text : callable, optional
        Gets the text so far each time a piece of it came, where the model can say it in pieces.

    Returns
    -------
    Reply

    Raises
    ------
    ModelError
        The model failed, for whatever reason; the cause says which.
    """
    try:
        if on_text is not None and isinstance(model, StreamingModel):
            reply: object = await _streamed(model, messages, tools, on_text)
        else:
            reply = await model.complete(messages, tools)
    except LangoError:
        raise
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise ModelError(f"model {model.name!r} cancelled its own call; try again") from error
    except (Exception, SystemExit) as error:  # leaving is not for a model: it would end the loop and all turns on it
        told = ": ".join(part for part in (type(error).__name__, shorten(mask(text_of(error)), 300)) if part)
        raise ModelError(f"model {model.name!r} failed: {told}") from error
    return _checked(model.name, reply)


async def _streamed(
    model: StreamingModel, messages: Sequence[Message], tools: Sequence[ToolSchema], on_text: Callable[[str], None]
) -> object:
    """Listen to an answer until it is whole."""
    text, whole = "", None
    stream = model.stream(messages, tools)
    try:
        async for piece in stream:
            if isinstance(piece, str):
                text += piece
                if len(text) <= LONGEST_REPLY:
                    on_text(text)
            else:
                whole = piece
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()
    if whole is None:
        raise _error("provider_cut_stream", f"model {model.name!r} stopped before its answer was whole; ask again")
    return whole


def _checked(name: str, reply: object) -> Reply:
    """Refuse what is no reply, and mend its calls: a model may have built it unchecked."""
    if not isinstance(reply, Reply):
        raise _error("bad_reply", f"model {name!r} answered with {type(reply).__name__} instead of a Reply")
    calls = reply.tool_calls
    problem = _problem(reply)
    if problem:
        raise _error("bad_reply", f"model {name!r} answered with a Reply {problem}")
    if len(reply.text) > LONGEST_REPLY:
        raise _error(
            "reply_too_large",
            f"model {name!r} answered with {len(reply.text):,} characters; {LONGEST_REPLY:,} are the most",
        )
    if len(calls) > MOST_CALLS:
        raise _error(
            "reply_too_large", f"model {name!r} asked for {len(calls)} calls at once; {MOST_CALLS} are the most"
        )
    mended = tuple(map(_mended, calls))
    if type(calls) is tuple and all(one is other for one, other in zip(mended, calls, strict=True)):
        return reply
    return reply.model_copy(update={"tool_calls": mended})


def _problem(reply: Reply) -> str:
    """Say which field of a reply holds what it cannot hold; empty when none does."""
    if not isinstance(reply.text, str):
        return f"whose text is a {type(reply.text).__name__}"
    if reply.usage is not NO_USAGE and not _is_usage(reply.usage):
        return "whose usage holds something else than counts of tokens and a cost"
    if not isinstance(reply.tool_calls, tuple | list):
        return f"whose tool_calls are a {type(reply.tool_calls).__name__}"
    for call in reply.tool_calls:
        if not isinstance(call, ToolCall):
            return f"that calls a {type(call).__name__} instead of a ToolCall"
        if not isinstance(call.id, str) or not isinstance(call.name, str) or not isinstance(call.error, str | None):
            return "with a call whose id, name or error is no text"
    return ""


def _is_usage(usage: object) -> bool:
    if not isinstance(usage, Usage) or not isinstance(usage.model, str):
        return False
    counts, cost = (usage.input_tokens, usage.output_tokens), usage.cost_usd
    if not all(count is None or (isinstance(count, int) and 0 <= count < _MOST_TOKENS) for count in counts):
        return False
    return cost is None or (isinstance(cost, int | float) and math.isfinite(cost) and cost >= 0)


def _mended(call: ToolCall) -> ToolCall:
    """Cut a name without end, and say of arguments that JSON cannot say that they are none."""
    arguments: object = call.arguments
    if isinstance(arguments, dict):
        odd = _odd(arguments)
        error = f"arguments hold {odd}" if odd else call.error or ""
    else:
        error = f"arguments are a {type(arguments).__name__}, not an object"
    if (not error or (error == call.error and len(error) <= LONGEST_ERROR)) and len(call.name) <= LONGEST_NAME:
        return call
    changes: dict[str, object] = {"name": shorten(call.name, LONGEST_NAME)}
    if error:
        changes.update(arguments={}, error=shorten(mask(error), LONGEST_ERROR))
    return call.model_copy(update=changes)


def _odd(value: object, depth: int = 0) -> str:
    """Name what JSON cannot say, or nobody can read, in a value; empty when there is nothing."""
    if not isinstance(value, dict | list):
        return _odd_scalar(value)
    if depth > DEEPEST:
        return f"values in more than {DEEPEST} levels"
    if isinstance(value, dict):
        if not all(isinstance(name, str) for name in value):
            return "a key that is no text"
        value = list(value.values())
    return next((odd for item in value if (odd := _odd(item, depth + 1))), "")


def _odd_scalar(value: object) -> str:
    if isinstance(value, str):
        return f"a text of {len(value):,} characters" if len(value) > LONGEST_REPLY else ""
    if value is None or isinstance(value, bool | float):  # whether a number is finite is the schema's business
        return ""
    if isinstance(value, int):
        return "a whole number that is too large" if value.bit_length() > _LARGEST_BITS else ""
    return f"a value of type {type(value).__name__}"


def _error(code: str, text: str) -> ModelError:
    error = ModelError(text)
    error.code = code
    return error
