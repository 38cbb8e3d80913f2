"""Messages that turns added to their sessions, one row each."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.core.messages import USER, Message
from lango_nb.frames.column import Column, Sources, json_text
from lango_nb.frames.frame import frame
from lango_nb.records.turns import Trace


def _calls(message: Message) -> str | None:
    if not message.tool_calls:
        return None
    return json_text([{"id": c.id, "name": c.name, "arguments": c.arguments} for c in message.tool_calls])


def _agent(message: Message) -> str | None:
    return None if message.author == USER else message.author


IDS = (
    Column("session_id", "turn.session_id", "string", "", "Session the message was added to."),
    Column("turn_id", "turn.id", "string", "", "Turn that added it."),
    Column("seq", "seq", "Int64", "", "Position among the messages of the turn, from 1."),
)
WHAT = (
    Column("role", "message.role", "string", "", "system, user, assistant or tool."),
    Column("author", "message.author", "string", "", "user or an agent; missing in messages older than authors."),
    Column("agent", _agent, "string", "", "The author, missing for the user."),
    Column("content", "message.content", "string", "", "What it says."),
    Column("chars", lambda message: len(message.content), "Int64", "chars", "Length of the content."),
)
TOOL = (
    Column("calls", _calls, "string", "JSON", "Tool calls that an assistant message asks for: id, name, arguments."),
    Column("call_id", "message.tool_call_id", "string", "", "Call that a tool message answers."),
    Column("tool", "message.tool_name", "string", "", "Tool that a tool message comes from."),
    Column("is_error", "message.is_error", "boolean", "", "Whether a tool message reports a failure."),
)
COLUMNS = IDS + WHAT + TOOL


@frame("messages", COLUMNS, Trace)
def messages_df(traces: Sequence[Trace]) -> Sources:
    """List the messages of one turn or of many, in order.

    Parameters
    ----------
    traces : Trace or iterable of Trace
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.

    Returns
    -------
    DataFrame
        One row per message; join by ``turn_id``, ``call_id``, ``agent`` or ``tool``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    """
    return {
        "turn": [trace.turn for trace in traces for _ in trace.messages],
        "message": [message for trace in traces for message in trace.messages],
        "seq": [place for trace in traces for place in range(1, len(trace.messages) + 1)],
    }
