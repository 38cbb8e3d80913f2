"""Messages of turns, one row each, in all conversations there were."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

from lango_nb.core.messages import USER, ToolCall
from lango_nb.frames.column import Column, Sources, json_text
from lango_nb.frames.frame import Wanted, frame
from lango_nb.frames.stored import message_rows, rows_in, turn_rows
from lango_nb.records.history import History
from lango_nb.records.turns import Trace


def _calls(calls: Sequence[ToolCall]) -> str | None:
    if not calls:
        return None
    return json_text([{"id": call.id, "name": call.name, "arguments": call.arguments} for call in calls])


def _agent(author: str) -> str | None:
    return None if author == USER else author


IDS = (
    Column("session_id", "turn.session_id", "string", "", "Session of the turn."),
    Column("turn_id", "turn.id", "string", "", "Turn in which it was said."),
    Column("seq", "seq", "Int64", "", "Position among the messages of the turn, from 1."),
    Column("message_id", "message.id", "string", "", "Joins it with events; empty in turns without ids."),
    Column(
        "conversation",
        "message.conversation",
        "string",
        "",
        "Child session or run it belongs to; empty for the turn's own, session for what a run left to later turns.",
    ),
)
WHAT = (
    Column("role", "message.role", "string", "", "system, user, assistant or tool."),
    Column("author", "message.author", "string", "", "user or an agent; missing in messages older than authors."),
    Column("agent", "message.author", "string", "", "The author, missing for the user.", convert=_agent),
    Column("content", "message.content", "string", "", "What it says."),
    Column("chars", "message.content", "Int64", "chars", "Length of the content.", convert=len),
)
TOOL = (
    Column(
        "calls",
        "message.tool_calls",
        "string",
        "JSON",
        "Tool calls that an assistant message asks for: id, name, arguments.",
        convert=_calls,
    ),
    Column("call_id", "message.tool_call_id", "string", "", "Call that a tool message answers."),
    Column("tool", "message.tool_name", "string", "", "Tool that a tool message comes from."),
    Column("is_error", "message.is_error", "boolean", "", "Whether a tool message reports a failure."),
)
COLUMNS = IDS + WHAT + TOOL


def _stored(history: History, wanted: Wanted) -> Sources:
    messages, turns = message_rows(wanted.get("message", ())), turn_rows(wanted.get("turn", ()))
    places: list[int] = []
    for stored in history.scan(with_events=False):
        found = rows_in(stored.body, "messages")
        messages.extend(found)
        turns.extend(repeat(stored.row, len(found)))
        places += range(1, len(found) + 1)
    return {"seq": places, "message": messages, "turn": turns}


@frame("messages", COLUMNS, Trace, stored=_stored)
def messages_df(traces: Sequence[Trace]) -> Sources:
    """List the messages of one turn or of many, in order, those of isolated agents and teammates among them.

    Parameters
    ----------
    traces : Trace or iterable of Trace; or History
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order; nothing else is read.

    Returns
    -------
    DataFrame
        One row per message; join by ``message_id``, ``turn_id``, ``conversation``, ``call_id``, ``agent`` or ``tool``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.
    """
    return {
        "turn": [trace.turn for trace in traces for _ in trace.messages],
        "message": [message for trace in traces for message in trace.messages],
        "seq": [place for trace in traces for place in range(1, len(trace.messages) + 1)],
    }
