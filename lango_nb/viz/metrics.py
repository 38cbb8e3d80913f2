"""How agents did, as a listing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lango_nb.core.text import counted
from lango_nb.viz.table import Table

if TYPE_CHECKING:
    from lango_nb.records.metrics import AgentMetrics

_COLUMNS = (
    "agent",
    "turns",
    "success",
    "asks",
    "failed",
    "rate %",
    "tool calls",
    "in",
    "out",
    "p50 ms",
    "p95 ms",
    "p99 ms",
)
_LARGE = 100


def metrics_table(metrics: Sequence[AgentMetrics]) -> Table:
    """List how agents did.

    Parameters
    ----------
    metrics : sequence of AgentMetrics

    Returns
    -------
    Table
        Durations of whole turns in milliseconds; a turn counts for the agent that it was first handed to.
    """
    rows = tuple(
        (
            one.agent,
            one.turns,
            one.success,
            one.input_required,
            one.failure,
            None if one.success_rate is None else round(100 * one.success_rate),
            one.tool_calls,
            one.delegations_in,
            one.delegations_out,
            _rounded(one.p50_ms),
            _rounded(one.p95_ms),
            _rounded(one.p99_ms),
        )
        for one in metrics
    )
    note = "a turn counts for the agent that it was first handed to; in and out are hand-overs"
    if limited := sum(one.limit_reached for one in metrics):
        note = f"{note}; {counted(limited, 'turn')} of those that failed ended at a limit of tokens, cost or turns"
    return Table("how agents did", _COLUMNS, rows, note if rows else "", empty="no turn has ended yet")


def _rounded(value: float | None) -> float | None:
    """Write three digits of a small number, and every digit before the point of a large one."""
    if value is None:
        return None
    return round(value) if value >= _LARGE else float(f"{value:.3g}")
