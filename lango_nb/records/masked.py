"""Messages as they are kept and shown: without secrets."""

from __future__ import annotations

from typing import Any

from lango_nb.core.masking import mask, mask_arguments
from lango_nb.core.messages import Message, ToolCall


def masked(message: Message) -> Message:
    """Return a message as it is shown: without secrets in its text, its names and the arguments of its calls."""
    if not message.tool_calls and message.tool_call_id is None and message.tool_name is None:
        text = message.content
        return message if (clean := mask(text)) == text else message.model_copy(update={"content": clean})
    changes = _masked_texts(message, ("content", "tool_name", "tool_call_id"))
    if message.tool_calls and (calls := tuple(map(_masked_call, message.tool_calls))) != message.tool_calls:
        changes["tool_calls"] = calls
    return message.model_copy(update=changes) if changes else message


def _masked_call(call: ToolCall) -> ToolCall:
    changes = _masked_texts(call, ("id", "name", "error"))
    if call.arguments and (arguments := mask_arguments(call.arguments)) != call.arguments:
        changes["arguments"] = arguments
    return call.model_copy(update=changes) if changes else call


def _masked_texts(record: Message | ToolCall, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the texts of a record that hold secrets, without them."""
    values, changes = vars(record), {}
    for name in names:
        if (text := values[name]) and (clean := mask(text)) != text:
            changes[name] = clean
    return changes
