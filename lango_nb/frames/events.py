"""Events of turns, one row each, whatever their kind."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

from lango_nb.core.events import BaseEvent, ToolStarted
from lango_nb.core.messages import USER
from lango_nb.frames.column import Column, Sources, json_text, some
from lango_nb.frames.frame import frame
from lango_nb.records.turns import Trace


def _arguments(event: ToolStarted) -> str:
    return json_text(event.arguments)


def _agent(author: str) -> str | None:
    return None if author == USER else author


IDS = (
    some("session_id", "turn.session_id", "string", "", "Session; missing for events without their trace."),
    Column("turn_id", "event.turn_id", "string", "", "Turn the event belongs to."),
    Column("seq", "event.seq", "Int64", "", "Position in the turn, from 1."),
)
INFO = (
    Column("kind", "event.kind", "string", "", "What happened: turn.started, handover, text and so on."),
    Column("at", "event.at", "datetime64[ns, UTC]", "", "When it happened."),
    Column("author", "event.author", "string", "", "user, or the agent it comes from."),
    Column("agent", _agent, "string", "", "The author, missing for the user."),
    Column("step", "event.step", "Int64", "", "Number of the model call it belongs to, from 1; 0 before the first."),
)
TEXT = (
    some("text", "event.text", "string", "", "What was said, asked or reported."),
    some("detail", "event.detail", "string", "", "More about a refusal, a limit or an approval."),
    some("code", "event.code", "string", "", "Short word for what went wrong."),
)
HANDOVER = (
    some("target", "event.target", "string", "", "Agent that takes over, or gets control back."),
    some("reason", "event.reason", "string", "", "Why, in the model's words or the policy's."),
    some("decision_id", "event.decision_id", "string", "", "Decision behind a hand-over."),
    some("round", "event.round", "Int64", "", "Number of the delegation round, from 1."),
)
TOOL = (
    some("call_id", "event.call_id", "string", "", "Joins a call with its result and its approval."),
    some("tool", "event.tool", "string", "", "Tool that was called."),
    some("arguments", _arguments, "string", "JSON", "Arguments of the call."),
    some("arguments_hash", "event.arguments_hash", "string", "", "What an approval was bound to."),
    some("safety", "event.safety", "string", "", "safe, moderate or dangerous."),
    some("result", "event.result", "string", "", "What the tool answered."),
    some("is_error", "event.is_error", "boolean", "", "Whether the answer reports a failure."),
    some("latency_ms", "event.latency_ms", "float64", "ms", "How long the tool took."),
)
APPROVAL = (
    some("allowed", "event.allowed", "boolean", "", "Answer to a call that needed one."),
    some("by", "event.by", "string", "", "Who answered."),
)
LIMIT = (
    some("limit", "event.limit", "string", "", "Limit that was reached: rounds or steps."),
    some("value", "event.value", "Int64", "", "Its value."),
)
USAGE = (
    some("model", "event.usage.model", "string", "", "Model behind the event."),
    some("input_tokens", "event.usage.input_tokens", "Int64", "tokens", "Tokens read; missing when not said."),
    some("output_tokens", "event.usage.output_tokens", "Int64", "tokens", "Tokens written; missing likewise."),
    some("model_latency_ms", "event.usage.latency_ms", "float64", "ms", "How long the model took."),
)
CLOSING = (
    some("outcome", "event.outcome", "string", "", "How the turn ended."),
    some("error_code", "event.error_code", "string", "", "Short word for why, empty when it ended well."),
    some("rounds", "event.rounds", "Int64", "", "Replies of the turn that handed over."),
    some("steps", "event.steps", "Int64", "", "Model calls of the turn."),
    some("tool_calls", "event.tool_calls", "Int64", "", "Tool calls of the turn."),
    some("duration_ms", "event.duration_ms", "float64", "ms", "How long the turn took."),
)
COLUMNS = IDS + INFO + TEXT + HANDOVER + TOOL + APPROVAL + LIMIT + USAGE + CLOSING


@frame("events", COLUMNS, Trace, BaseEvent)
def events_df(traces: Sequence[Trace | BaseEvent]) -> Sources:
    """List the events of one turn or of many, in order.

    Parameters
    ----------
    traces : Trace, event, or iterable of them
        Events alone do not know their session.
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.

    Returns
    -------
    DataFrame
        One row per event; what a kind does not have is missing. Join by ``turn_id``, ``decision_id``, ``call_id``,
        ``agent`` or ``tool``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    """
    turns: list[object] = []
    events: list[object] = []
    for item in traces:
        if isinstance(item, Trace):
            events += item.events
            turns += repeat(item.turn, len(item.events))
        else:
            events.append(item)
            turns.append(None)
    return {"turn": turns, "event": events, "author": [event.author for event in events]}  # type: ignore[attr-defined]
