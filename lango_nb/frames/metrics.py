"""How agents did, one row per agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.records.metrics import AgentMetrics

_TYPES = {
    "agent": "string",
    "turns": "Int64",
    "success": "Int64",
    "failure": "Int64",
    "success_rate": "float64",
    "tool_calls": "Int64",
    "delegations_in": "Int64",
    "delegations_out": "Int64",
    "p50_ms": "float64",
    "p95_ms": "float64",
    "p99_ms": "float64",
}


def metrics_df(metrics: Sequence[AgentMetrics]) -> pd.DataFrame:
    """Make a frame of what agents were measured at.

    Parameters
    ----------
    metrics : sequence of AgentMetrics

    Returns
    -------
    pandas.DataFrame
        Durations of whole turns in milliseconds; ``success_rate`` from 0 to 1.
    """
    import pandas as pd

    rows = [{**asdict(one), "success_rate": one.success_rate} for one in metrics]
    return pd.DataFrame(rows, columns=list(_TYPES)).astype(_TYPES)
