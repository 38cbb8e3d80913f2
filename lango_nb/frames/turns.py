"""Turns, one row each."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.frames.column import Column, Sources
from lango_nb.frames.frame import Wanted, frame
from lango_nb.frames.stored import turn_rows, whole_turn
from lango_nb.records.history import History
from lango_nb.records.turns import Trace, Turn


def _last(path: Sequence[str]) -> str | None:
    return path[-1] if path else None


def _is_ok(outcome: str) -> bool:
    return outcome == "success"


IDS = (
    Column("session_id", "turn.session_id", "string", "", "Session the turn belongs to."),
    Column("turn_id", "turn.id", "string", "", "Id of the turn."),
    Column("number", "turn.number", "Int64", "", "Number among all turns, from 1: what lab.trace(2) takes."),
)
WHAT = (
    Column("topology", "turn.topology", "string", "", "Topology of the tree that answered."),
    Column("model", "turn.model", "string", "", "Model that answered."),
    Column("text", "turn.text", "string", "", "What the user wrote, byte for byte."),
    Column("answer", "turn.answer", "string", "", "What the user got; empty when the turn ended without."),
    Column("agent", "turn.path", "string", "", "Agent that worked last.", convert=_last),
    Column(
        "path",
        "turn.path",
        "string",
        "",
        "Agents in the order in which they worked, joined by arrows.",
        convert=" → ".join,
    ),
)
OUTCOME = (
    Column("outcome", "turn.outcome", "string", "", "How the turn ended."),
    Column("error_code", "turn.error_code", "string", "", "Short word for what went wrong; empty when nothing did."),
    Column("is_ok", "turn.outcome", "boolean", "", "Whether the outcome is success.", convert=_is_ok),
)
COUNTS = (
    Column("rounds", "turn.rounds", "Int64", "", "Replies that handed the request over."),
    Column("steps", "turn.steps", "Int64", "", "Model calls."),
    Column("tool_calls", "turn.tool_calls", "Int64", "", "Tool calls."),
    Column("input_tokens", "turn.input_tokens", "Int64", "tokens", "Tokens read; missing when the model does not say."),
    Column("output_tokens", "turn.output_tokens", "Int64", "tokens", "Tokens written; missing when it does not say."),
)
TIME = (
    Column("started_at", "turn.started_at", "datetime64[ns, UTC]", "", "When the message came in."),
    Column("ended_at", "turn.ended_at", "datetime64[ns, UTC]", "", "When the turn was over."),
    Column("duration_ms", "turn.duration_ms", "float64", "ms", "How long it took."),
)
COLUMNS = IDS + WHAT + OUTCOME + COUNTS + TIME


def _stored(history: History, wanted: Wanted) -> Sources:
    turns = turn_rows(wanted.get("turn", ()))
    turns.extend(map(whole_turn, history.rows()))
    return {"turn": turns}


@frame("turns", COLUMNS, Turn, Trace, stored=_stored)
def turns_df(turns: Sequence[Turn | Trace]) -> Sources:
    """List turns with their outcome and counts.

    Parameters
    ----------
    turns : Turn, Trace, or iterable of them; or History
        Of a history no event is read.
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order; nothing else is read.

    Returns
    -------
    DataFrame
        One row per turn; join by ``turn_id``, ``session_id`` or ``agent``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.
    """
    return {"turn": [item.turn if isinstance(item, Trace) else item for item in turns]}
