"""Model calls of turns, one row each: who was asked, in which conversation, and what it was given."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

from lango_nb.frames.column import Column, Sources, json_text, some
from lango_nb.frames.frame import Wanted, frame
from lango_nb.frames.stored import rows_in, step_rows, turn_rows
from lango_nb.records.history import History
from lango_nb.records.turns import Trace

IDS = (
    Column("session_id", "turn.session_id", "string", "", "Session of the turn."),
    Column("turn_id", "turn.id", "string", "", "Turn in which the model was asked."),
    Column("step", "step.step", "Int64", "", "Number of the model call in the turn, from 1, as in events_df."),
    Column("run_id", "step.run_id", "string", "", "Teammate run it was made in; empty for the turn's own work."),
    Column("agent", "step.agent", "string", "", "Agent that the model spoke for."),
    Column("conversation", "step.conversation", "string", "", "Conversation it answered in, as in messages_df."),
)
GIVEN = (
    Column("messages", "step.messages", "Int64", "messages", "How many it was given beside the system prompt."),
    Column("earlier", "step.earlier", "Int64", "messages", "How many of them are of earlier turns."),
    Column(
        "given",
        "step.given",
        "string",
        "JSON",
        "The others: conversation, first and last seq in messages_df, of each conversation it was given a part of.",
        convert=json_text,
    ),
)
USAGE = (
    some("model", "step.usage.model", "string", "", "Model that answered; empty when none did."),
    some("input_tokens", "step.usage.input_tokens", "Int64", "tokens", "Tokens read; missing when not said."),
    some("output_tokens", "step.usage.output_tokens", "Int64", "tokens", "Tokens written; missing likewise."),
    some("latency_ms", "step.usage.latency_ms", "float64", "ms", "How long the model took."),
    some("cost_usd", "step.usage.cost_usd", "float64", "USD", "What it cost; missing when nobody knows the price."),
)
COLUMNS = IDS + GIVEN + USAGE


def _stored(history: History, wanted: Wanted) -> Sources:
    steps, turns = step_rows(wanted.get("step", ())), turn_rows(wanted.get("turn", ()))
    for stored in history.scan(with_events=False):
        found = rows_in(stored.body, "steps")
        steps.extend(found)
        turns.extend(repeat(stored.row, len(found)))
    return {"step": steps, "turn": turns}


@frame("steps", COLUMNS, Trace, stored=_stored)
def steps_df(traces: Sequence[Trace]) -> Sources:
    """List the model calls of one turn or of many, in order.

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
        One row per model call; join by ``turn_id`` and ``step``, ``run_id``, ``agent`` or ``conversation``. Turns that
        were recorded before steps were have none; those of a run that outlives its turn come when it has ended.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.
    """
    return {
        "turn": [trace.turn for trace in traces for _ in trace.steps],
        "step": [step for trace in traces for step in trace.steps],
    }
