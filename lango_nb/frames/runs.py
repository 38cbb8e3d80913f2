"""Teammate runs, one row each."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.frames.column import Column, Sources
from lango_nb.frames.frame import frame
from lango_nb.records.agent_run import AgentRun
from lango_nb.records.turns import Trace


def _allowed_tools(run: AgentRun) -> str | None:
    return None if run.allowed_tools is None else ", ".join(run.allowed_tools)


def _duration_ms(run: AgentRun) -> float | None:
    return None if run.completed_at is None else (run.completed_at - run.created_at).total_seconds() * 1000


IDS = (
    Column("session_id", "run.parent_id", "string", "", "Session that asked for it."),
    Column("turn_id", "run.turn_id", "string", "", "Turn that asked for it."),
    Column("run_id", "run.id", "string", "", "Id of the run."),
    Column(
        "parent_run_id", "run.parent_run_id", "string", "", "Run that asked for it; empty when the turn itself did."
    ),
)
WHAT = (
    Column("agent", "run.requested_agent", "string", "", "The teammate."),
    Column("spawned_by", "run.spawned_by", "string", "", "Agent that asked for it."),
    Column("spawn_depth", "run.spawn_depth", "Int64", "", "How many runs it is below the root."),
    Column("instruction", "run.instruction", "string", "", "What it is asked to do."),
    Column("spawn_reason", "run.spawn_reason", "string", "", "Why, in the words of whoever asked."),
    Column("allowed_tools", _allowed_tools, "string", "", "What it is narrowed to; missing when to nothing."),
    Column("child_session", "run.child_session", "string", "", "Its own session; empty when it works in its parent's."),
    Column("timeout_s", "run.timeout_s", "float64", "s", "How long it may take."),
)
OUTCOME = (
    Column("status", "run.status", "string", "", "spawned, running, completed, failed or cancelled."),
    Column("is_terminal", "run.is_terminal", "boolean", "", "Whether it has ended."),
    Column("result", "run.result", "string", "", "What it came to."),
    Column("error", "run.error", "string", "", "Why it did not end well."),
    Column("error_code", "run.error_code", "string", "", "Short word for what went wrong; empty when nothing did."),
    Column("steps", "run.steps", "Int64", "", "Model calls."),
    Column("tool_calls", "run.tool_calls", "Int64", "", "Tool calls."),
)
CONDITION = (
    Column("runtime_condition", "run.runtime_condition", "string", "", "What it waits for; empty when it works."),
    Column("blocked_reason", "run.blocked_reason", "string", "", "Why it is blocked."),
    Column("grant_request_id", "run.grant_request_id", "string", "", "The grant it asks for."),
    Column("grant_attempt", "run.grant_attempt", "Int64", "", "How often it asked, from 1; 0 when it never did."),
    Column("grant_state", "run.grant_state", "string", "", "pending, granted, denied, or empty."),
    Column("waiting_on_run_id", "run.waiting_on_run_id", "string", "", "Run it waits for."),
    Column("recovery_state", "run.recovery_state", "string", "", "How far it is with mending a failure."),
)
TIME = (
    Column("created_at", "run.created_at", "datetime64[ns, UTC]", "", "When it was asked for."),
    Column("completed_at", "run.completed_at", "datetime64[ns, UTC]", "", "When it ended; missing while it lives."),
    Column("duration_ms", _duration_ms, "float64", "ms", "From being asked for to its end; missing while it lives."),
)
COLUMNS = IDS + WHAT + OUTCOME + CONDITION + TIME


@frame("runs", COLUMNS, AgentRun, Trace)
def runs_df(runs: Sequence[AgentRun | Trace]) -> Sources:
    """List teammate runs.

    Parameters
    ----------
    runs : AgentRun, Trace, or iterable of them
        A trace has its runs as they were when the turn ended.
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.

    Returns
    -------
    DataFrame
        One row per run; join by ``run_id``, ``turn_id``, ``session_id`` or ``agent``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    """
    return {"run": [run for item in runs for run in (item.runs if isinstance(item, Trace) else (item,))]}
