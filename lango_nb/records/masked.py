"""Messages as they are kept and shown: without secrets."""

from __future__ import annotations

from typing import Any

from lango_nb.core.masking import mask, mask_arguments
from lango_nb.core.messages import Message, ToolCall


def masked(message: Message) -> Message:
    """Return a message as it is shown: without secrets in its text, its names and the arguments of its calls."""
    changes: dict[str, Any] = {}
    if (content := mask(message.content)) != message.content:
        changes["content"] = content
    if message.tool_calls and (calls := tuple(_masked_call(call) for call in message.tool_calls)) != message.tool_calls:
        changes["tool_calls"] = calls
    for name in ("tool_name", "tool_call_id"):
        value = getattr(message, name)
        if value is not None and (clean := mask(value)) != value:
            changes[name] = clean
    return message.model_copy(update=changes) if changes else message


def _masked_call(call: ToolCall) -> ToolCall:
    changes: dict[str, Any] = {}
    for name in ("id", "name", "error"):
        value = getattr(call, name)
        if value is not None and (clean := mask(value)) != value:
            changes[name] = clean
    if call.arguments and (arguments := mask_arguments(call.arguments)) != call.arguments:
        changes["arguments"] = arguments
    return call.model_copy(update=changes) if changes else call
