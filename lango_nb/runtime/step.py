"""One step: one model call, and what its reply asks for, as a value that the loop matches on."""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import AsyncGenerator, Callable, Container, Sequence
from operator import is_
from typing import NamedTuple, get_args

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import LangoError, ModelError, shorten
from lango_nb.core.masking import mask
from lango_nb.core.messages import NO_USAGE, FinishReason, Message, Reply, ToolCall, ToolSchema, Usage
from lango_nb.models.model import Model, StreamingModel
from lango_nb.runtime.control.protocol import Control
from lango_nb.runtime.foreign_errors import text_of
from lango_nb.specs.topology import Decline

LONGEST_REPLY = 1_000_000
"""Characters of a reply's text; no one reads more, and a trace could not be shown."""
MOST_CALLS = 128
"""Calls of one reply."""
LONGEST_NAME = 128
"""Characters of a tool's name in a call; what is longer names nothing, and is cut before it is kept."""
LONGEST_ERROR = 300
"""Characters of what is wrong with a call's arguments."""
LONGEST_WRITTEN = 20_000
"""Characters of a text that is looked at for being a call."""
_WRAPPED = re.compile(r"(?:```\w*\s*|<(?P<tag>\w+)>\s*)(?P<call>.*?)(?:\s*```|\s*</(?P=tag)>)", re.DOTALL)
DEEPEST = 100
"""Levels of nested arguments."""
_LARGEST_BITS = 1023
"""Bits of a whole number in arguments: what is larger is no floating-point number, and cannot be written."""
_MOST_TOKENS = 2**63
_FINISH_REASONS = get_args(FinishReason)
REJECT = "[REJECT]"
"""How a specialist of the sextet says that a request is not its own, wherever it stands in a reply."""


class Final(NamedTuple):
    """The answer."""

    text: str
    reason: FinishReason = "stop"


class HandOver(NamedTuple):
    """Work goes to another agent; ``others`` are calls of tools in the same reply."""

    calls: tuple[ToolCall, ...]
    others: tuple[ToolCall, ...]


class ToolCalls(NamedTuple):
    """Tools are to be called."""

    calls: tuple[ToolCall, ...]


class Declined(NamedTuple):
    """The specialist says the request is not its own; calls in the same reply do not run."""

    text: str
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Empty:
    """Neither text nor call."""


class CallInText(NamedTuple):
    """A call that was written into the text instead of being made: no answer, and nothing that may run."""

    name: str


NextStep = Final | HandOver | ToolCalls | Declined | Empty | CallInText


def read_reply(  # noqa: PLR0913 - what a reply is read against
    reply: Reply,
    control: Control,
    decline: Decline,
    offered: Container[str],
    *,
    is_root: bool,
    names: Container[str] = (),
) -> NextStep:
    """Classify a reply.

    Parameters
    ----------
    reply : Reply
    control : Control
        Knows which calls hand work over.
    decline : {"none", "reject", "escalate", "fail"}
        How the topology's specialists decline.
    offered : container of str
        Names of the control tools that the agent was offered; a hand-over it was not offered is an unknown tool.
    is_root : bool
        Whether the root said it; a root does not decline.
    names : container of str
        Names of all tools that the agent was offered.

    Returns
    -------
    Final or HandOver or ToolCalls or Declined or Empty or CallInText

    Examples
    --------
    >>> from lango_nb.runtime.control.none import NoControl
    >>> read_reply(Reply(text="**[REJECT]** not mine"), NoControl(), "reject", (), is_root=False)
    Declined(text='**[REJECT]** not mine', calls=())
    """
    text = reply.text.strip()
    if decline == "reject" and not is_root and REJECT in text:
        return Declined(text, reply.tool_calls)
    if reply.tool_calls:
        handing: list[ToolCall] = []
        others: list[ToolCall] = []
        for call in reply.tool_calls:
            (handing if call.name in offered and control.owns(call.name) else others).append(call)
        if handing:
            return HandOver(tuple(handing), tuple(others))
        return ToolCalls(reply.tool_calls)
    if name := called_in_text(text, names):
        return CallInText(name)
    return Final(text, reply.finish_reason) if text else Empty()


def called_in_text(text: str, names: Container[str]) -> str:
    r"""Return the tool that a text calls which is nothing but a call written as JSON; empty for any other text.

    Models that were not trained to call tools, or that are served without, write calls so. Only a text that is a call
    as a whole counts, in a code fence or a tag or bare, and only of a tool that was offered.

    Examples
    --------
    >>> called_in_text('```json\n{"name": "fs_read", "arguments": {"path": "a"}}\n```', {"fs_read"})
    'fs_read'
    >>> called_in_text('{"name": "Ada", "arguments": {}}', {"fs_read"})
    ''
    """
    found = _WRAPPED.fullmatch(text)
    bare = found["call"].strip() if found else text
    if not bare.startswith(("{", "[")) or len(bare) > LONGEST_WRITTEN:
        return ""
    try:
        value: object = json.loads(bare)
    except (ValueError, RecursionError):
        return ""
    calls = value if isinstance(value, list) else [value]
    called = [_written_name(call) for call in calls]
    return called[0] if called and all(name and name in names for name in called) else ""


def _written_name(call: object) -> str:
    """Return the tool that a value calls in one of the ways in which calls are written."""
    if not isinstance(call, dict):
        return ""
    if isinstance(inner := call.get("function", call.get("tool_call")), dict):
        call = inner
    name = call.get("name", call.get("tool", call.get("function")))
    is_call = any(key in call for key in ("arguments", "parameters", "args", "input", "tool_input"))
    return name if is_call and isinstance(name, str) else ""


# -- asking the model --------------------------------------------------------------------------------------------------


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
    if type(calls) is tuple and all(map(is_, mended, calls)):
        return reply
    return reply.model_copy(update={"tool_calls": mended})


def _problem(reply: Reply) -> str:
    """Say which field of a reply holds what it cannot hold; empty when none does."""
    if not isinstance(reply.text, str):
        return f"whose text is a {type(reply.text).__name__}"
    if reply.usage is not NO_USAGE and not _is_usage(reply.usage):
        return "whose usage holds something else than counts of tokens and a cost"
    if reply.finish_reason not in _FINISH_REASONS:
        return f"whose finish_reason is none of {', '.join(_FINISH_REASONS)}"
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
    """Name what JSON cannot say, or no one can read, in a value; empty when there is nothing."""
    if not isinstance(value, dict | list):
        return _odd_scalar(value)
    if depth > DEEPEST:
        return f"values in more than {DEEPEST} levels"
    if isinstance(value, dict):
        for name in value:
            if not isinstance(name, str):
                return "a key that is no text"
        value = list(value.values())
    for item in value:
        if odd := _odd(item, depth + 1):
            return odd
    return ""


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
