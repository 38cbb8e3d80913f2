"""Hand-overs, one row each: who gave work to whom, how, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.frames.column import Column, Sources, some
from lango_nb.frames.frame import Wanted, frame
from lango_nb.records.delegations import delegations
from lango_nb.records.history import History
from lango_nb.records.turns import Trace

IDS = (
    Column("session_id", "it.session_id", "string", "", "Session of the turn."),
    Column("turn_id", "it.turn_id", "string", "", "Turn in which it happened."),
    Column("seq", "it.seq", "Int64", "", "Position in the turn, from 1."),
    Column("decision_id", "it.decision_id", "string", "", "Joins it with the candidates in decisions_df."),
    Column("call_id", "it.call_id", "string", "", "Call that handed over."),
    Column("by_run_id", "it.by_run_id", "string", "", "Run in which it was decided; empty for the turn's own work."),
    Column("run_id", "it.run_id", "string", "", "Teammate run it made; empty for a transfer."),
)
WHAT = (
    Column("from_agent", "it.from_agent", "string", "", "Agent that handed over."),
    Column("to_agent", "it.to_agent", "string", "", "Agent that got the work."),
    Column("control", "it.control", "string", "", "transfer, spawn or delegate; missing where it is not recorded."),
    Column("reason", "it.reason", "string", "", "Why, in the words of whoever handed over."),
    Column("instruction", "it.instruction", "string", "", "Work order of the run; empty for a transfer."),
    Column("round", "it.round", "Int64", "", "Number of the delegation round, from 1."),
)
OUTCOME = (
    Column("started_at", "it.started_at", "datetime64[ns, UTC]", "", "When it happened."),
    Column("duration_ms", "it.duration_ms", "float64", "ms", "Until the work ended or came back; missing before."),
    Column(
        "outcome",
        "it.outcome",
        "string",
        "",
        "running, completed, failed, cancelled; of a transfer also declined and returned.",
    ),
    Column("error_code", "it.error_code", "string", "", "Short word for what went wrong; empty when nothing did."),
)
ROUTER = (
    some("router_choice", "it.router_choice", "string", "", "Whom the router would have taken."),
    some("margin", "it.margin", "float64", "score", "The router's best score minus its second."),
    some("agrees", "it.agrees", "boolean", "", "Whether model and router chose the same; missing without a decision."),
)
COLUMNS = IDS + WHAT + OUTCOME + ROUTER


def _stored(history: History, wanted: Wanted) -> Sources:  # noqa: ARG001 - a hand-over is read as a whole
    return {"it": [one for stored in history.scan() for one in delegations(stored)]}


@frame("delegations", COLUMNS, Trace, stored=_stored)
def delegations_df(traces: Sequence[Trace]) -> Sources:
    """List hand-overs with what came of them, and what the router would have done.

    Parameters
    ----------
    traces : Trace or iterable of Trace; or History
        Of a history, a run that went on after its turn has the end it came to later.
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order.

    Returns
    -------
    DataFrame
        One row per hand-over; join by ``turn_id``, ``decision_id``, ``run_id`` or ``call_id``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.
    """
    return {"it": [one for trace in traces for one in delegations(trace)]}
