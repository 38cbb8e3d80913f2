"""How agents did, one row per agent."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.frames.column import Column, Sources, some
from lango_nb.frames.frame import frame
from lango_nb.records.metrics import AgentMetrics

COLUMNS = (
    Column("agent", "it.agent", "string", "", "The agent."),
    Column("turns", "it.turns", "Int64", "", "Finished turns that belong to it: it was the first they were handed to."),
    Column("success", "it.success", "Int64", "", "Those that ended with success."),
    Column("failure", "it.failure", "Int64", "", "Those that failed: all others but those that ask something of you."),
    Column("limit_reached", "it.limit_reached", "Int64", "", "Failures at a limit of tokens, cost or turns."),
    Column("input_required", "it.input_required", "Int64", "", "Turns that asked back, understood nothing, or wait."),
    some("success_rate", "it.success_rate", "float64", "0 to 1", "Share that ended well; missing without turns."),
    Column(
        "tool_calls",
        "it.tool_calls",
        "Int64",
        "",
        "Calls that ended, refused ones too; control tools are none.",
    ),
    Column("delegations_in", "it.delegations_in", "Int64", "", "How often it got work."),
    Column("delegations_out", "it.delegations_out", "Int64", "", "How often it gave work."),
    some("p50_ms", "it.p50_ms", "float64", "ms", "Half of its turns took no longer; missing without turns."),
    some("p95_ms", "it.p95_ms", "float64", "ms", "95 of 100 took no longer."),
    some("p99_ms", "it.p99_ms", "float64", "ms", "99 of 100 took no longer."),
)


@frame("metrics", COLUMNS, AgentMetrics)
def metrics_df(metrics: Sequence[AgentMetrics]) -> Sources:
    """List what agents were measured at.

    Parameters
    ----------
    metrics : AgentMetrics or iterable of AgentMetrics
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order; nothing else is read.

    Returns
    -------
    DataFrame
        One row per agent; durations are those of whole turns. Join by ``agent``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.
    """
    return {"it": list(metrics)}
