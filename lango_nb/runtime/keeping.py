"""What of a turn's conversation is kept for later turns: everything but bookkeeping."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lango_nb.core.messages import USER, Message, ToolCall
from lango_nb.runtime.control.protocol import Control
from lango_nb.runtime.control.transfer import TRANSFER
from lango_nb.tools.builtin.agents import AGENT_TOOLS

_ABOUT_RUNS = frozenset(tool.name for tool in AGENT_TOOLS)


def for_the_session(messages: Sequence[Message], merged: Sequence[Message], control: Control) -> list[Message]:
    """Return what later turns see of a turn: no raw word of a teammate, no bookkeeping of runs.

    Parameters
    ----------
    messages : sequence of Message
        The turn's own conversation.
    merged : sequence of Message
        What its runs left: one message each. They stand before the answer, because the answer is made of them.
    control : Control
        Knows which calls made runs.

    Returns
    -------
    list of Message
        Calls that made, watched or stopped runs are left out together with their answers (they hold what a teammate
        said, and the merged message says what came of it); notes of the runtime to the root as well.
    """
    left_out: set[str] = set()
    kept: list[Message] = []
    for message in messages:
        if message.role == "tool" and message.tool_call_id in left_out:
            continue
        if message.role == "user" and message.author != USER:
            continue
        if message.tool_calls and (calls := _own_calls(message.tool_calls, control)) != message.tool_calls:
            left_out.update(call.id for call in message.tool_calls if call not in calls)
            if not calls and not message.content.strip():
                continue
            kept.append(message.model_copy(update={"tool_calls": calls}))
            continue
        kept.append(message)
    return with_merged(kept, merged)


def with_merged(messages: Sequence[Message], merged: Sequence[Message]) -> list[Message]:
    """Return messages with what runs left before the answer: the answer is made of it.

    Parameters
    ----------
    messages : sequence of Message
    merged : sequence of Message

    Returns
    -------
    list of Message
    """
    is_answered = bool(messages) and messages[-1].role == "assistant" and not messages[-1].tool_calls
    place = len(messages) - 1 if is_answered else len(messages)
    return [*messages[:place], *merged, *messages[place:]]


def _own_calls(calls: Iterable[ToolCall], control: Control) -> tuple[ToolCall, ...]:
    return tuple(
        call for call in calls if call.name == TRANSFER or not (call.name in _ABOUT_RUNS or control.owns(call.name))
    )
