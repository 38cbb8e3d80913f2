"""Messages as they are kept hold no secret, and are the very same when there was none."""

from __future__ import annotations

import pytest

from lango_nb.core.messages import Message, ToolCall
from lango_nb.records.masked import masked

SECRET = "sk-" + "a1B2" * 10


@pytest.mark.parametrize(
    "message",
    [
        Message(role="user", content=f"my key is {SECRET}", author="user"),
        Message(role="tool", content=SECRET, tool_call_id=SECRET, tool_name=SECRET, author="operator"),
        Message(
            role="assistant",
            content="",
            author="operator",
            tool_calls=(ToolCall(id=SECRET, name=SECRET, arguments={"api_key": "x1y2z3", "deep": [{"a": SECRET}]}),),
        ),
        Message(
            role="assistant",
            content="",
            author="operator",
            tool_calls=(ToolCall(id="call-1", name="exec", arguments={}, error=f"unreadable: {SECRET}"),),
        ),
    ],
)
def test_no_secret_is_left_wherever_it_stands(message: Message) -> None:
    clean = masked(message)
    assert SECRET not in clean.model_dump_json()
    assert "x1y2z3" not in clean.model_dump_json()
    assert (clean.role, clean.author, len(clean.tool_calls)) == (message.role, message.author, len(message.tool_calls))
    assert masked(clean) == clean


def test_a_clean_message_is_given_back_as_it_is() -> None:
    call = ToolCall(id="call-1", name="fs_read", arguments={"path": "notes.md"})
    message = Message(role="assistant", content="Reading.", author="operator", tool_calls=(call,))
    assert masked(message) is message
