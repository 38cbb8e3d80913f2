"""Model calls of turns, one row each: who was asked, in which conversation, and what it was given."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import repeat

from lango_nb.frames.column import Column, Sources, json_text, stored
from lango_nb.frames.frame import Wanted, frame
from lango_nb.frames.stored import step_rows, turn_rows
from lango_nb.records.history import History
from lango_nb.records.rows import rows_in
from lango_nb.records.turns import Trace
from lango_nb.stores.schema import STEPS

_step = partial(stored, STEPS, "step")
IDS = (
    Column("session_id", "turn.session_id", "string", "", "Session of the turn."),
    Column("turn_id", "turn.id", "string", "", "Turn in which the model was asked."),
    _step("step"),
    _step("run_id"),
    _step("agent"),
    _step("conversation"),
)
GIVEN = (_step("messages"), _step("earlier"), _step("given", convert=json_text))
USAGE = tuple(
    _step(name, required=False) for name in ("model", "input_tokens", "output_tokens", "latency_ms", "cost_usd")
)
COLUMNS = IDS + GIVEN + USAGE


def _stored(history: History, wanted: Wanted) -> Sources:
    steps, turns = step_rows(wanted.get("step", ())), turn_rows(wanted.get("turn", ()))
    for kept in history.scan(with_events=False):
        found = rows_in(kept.body, "steps")
        steps.extend(found)
        turns.extend(repeat(kept.row, len(found)))
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
