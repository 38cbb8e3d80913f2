"""Messages of turns, one row each, in all conversations there were."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import repeat

from lango_nb.core.messages import USER, ToolCall
from lango_nb.frames.column import Column, Sources, json_text, stored
from lango_nb.frames.frame import Wanted, frame
from lango_nb.frames.stored import message_rows, turn_rows
from lango_nb.records.history import History
from lango_nb.records.rows import rows_in
from lango_nb.records.turns import Trace
from lango_nb.stores.schema import MESSAGES


def _calls(calls: Sequence[ToolCall]) -> str | None:
    if not calls:
        return None
    return json_text([{"id": call.id, "name": call.name, "arguments": call.arguments} for call in calls])


def _agent(author: str) -> str | None:
    return None if author == USER else author


_message = partial(stored, MESSAGES, "message")
IDS = (
    Column("session_id", "turn.session_id", "string", "", "Session of the turn."),
    Column("turn_id", "turn.id", "string", "", "Turn in which it was said."),
    Column("seq", "seq", "Int64", "", "Position among the messages of the turn, from 1."),
    _message("id", as_="message_id"),
    _message("conversation"),
)
WHAT = (
    _message("role"),
    _message("author"),
    Column("agent", "message.author", "string", "", "The author, missing for the user.", convert=_agent),
    _message("content"),
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
    _message("call_id"),
    _message("tool"),
    _message("is_error"),
)
COLUMNS = IDS + WHAT + TOOL


def _stored(history: History, wanted: Wanted) -> Sources:
    messages, turns = message_rows(wanted.get("message", ())), turn_rows(wanted.get("turn", ()))
    places: list[int] = []
    for kept in history.scan(with_events=False):
        found = rows_in(kept.body, "messages")
        messages.extend(found)
        turns.extend(repeat(kept.row, len(found)))
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
