"""Teammate runs, one row each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from lango_nb.frames.column import Column, Sources
from lango_nb.frames.frame import Wanted, frame
from lango_nb.frames.stored import rows_in, run_rows
from lango_nb.records.agent_run import TERMINAL, AgentRun
from lango_nb.records.history import History
from lango_nb.records.packing import unpack_run
from lango_nb.records.turns import Trace


def _is_terminal(status: str) -> bool:
    return status in TERMINAL


def _duration_ms(created_at: datetime, completed_at: datetime | None) -> float | None:
    return None if completed_at is None else (completed_at - created_at).total_seconds() * 1000


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
    Column(
        "allowed_tools",
        "run.allowed_tools",
        "string",
        "",
        "What it is narrowed to; missing when to nothing.",
        convert=", ".join,
    ),
    Column("child_session", "run.child_session", "string", "", "Its own session; empty when it works in its parent's."),
    Column("timeout_s", "run.timeout_s", "float64", "s", "How long it may take."),
)
OUTCOME = (
    Column("status", "run.status", "string", "", "spawned, running, completed, failed or cancelled."),
    Column("is_terminal", "run.status", "boolean", "", "Whether it has ended.", convert=_is_terminal),
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


def _stored(history: History, wanted: Wanted) -> Sources:
    found = [row for stored in history.scan(with_events=False) for row in rows_in(stored.body, "runs")]
    runs = run_rows(wanted.get("run", ()))
    runs.extend(found)
    times = [unpack_run(row) for row in found] if "created_at" in wanted else []
    return {
        "run": runs,
        "created_at": [run.created_at for run in times],
        "completed_at": [run.completed_at for run in times],
    }


@frame("runs", COLUMNS, AgentRun, Trace, stored=_stored)
def runs_df(runs: Sequence[AgentRun | Trace]) -> Sources:
    """List teammate runs.

    Parameters
    ----------
    runs : AgentRun, Trace, or iterable of them; or History
        A trace and a history have runs as they were when their turn ended.
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order; nothing else is read.

    Returns
    -------
    DataFrame
        One row per run; join by ``run_id``, ``turn_id``, ``session_id`` or ``agent``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.
    """
    found = [run for item in runs for run in (item.runs if isinstance(item, Trace) else (item,))]
    return {
        "run": found,
        "created_at": [run.created_at for run in found],
        "completed_at": [run.completed_at for run in found],
    }
