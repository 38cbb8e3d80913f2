"""Teammate runs, one row each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from lango_nb.frames.column import Column, Sources, stored
from lango_nb.frames.frame import Wanted, frame
from lango_nb.frames.stored import run_rows
from lango_nb.records.agent_run import TERMINAL, AgentRun
from lango_nb.records.history import History
from lango_nb.records.packing import unpack_run
from lango_nb.records.rows import rows_in
from lango_nb.records.turns import Trace
from lango_nb.stores.schema import RUNS


def _is_terminal(status: str) -> bool:
    return status in TERMINAL


def _duration_ms(created_at: datetime, completed_at: datetime | None) -> float | None:
    return None if completed_at is None else (completed_at - created_at).total_seconds() * 1000


_run = partial(stored, RUNS, "run")
IDS = (
    _run("session_id"),
    _run("turn_id"),
    _run("id", as_="run_id"),
    _run("parent_run_id"),
)
WHAT = (
    _run("agent"),
    _run("spawned_by"),
    Column("spawn_depth", "run.spawn_depth", "Int64", "", "How many runs it is below the root."),
    _run("instruction"),
    Column("spawn_reason", "run.spawn_reason", "string", "", "Why, in the words of whoever asked."),
    Column(
        "allowed_tools",
        "run.allowed_tools",
        "string",
        "",
        "What it is narrowed to; missing when to nothing.",
        convert=", ".join,
    ),
    _run("child_session"),
    Column("timeout_s", "run.timeout_s", "float64", "s", "How long it may take."),
)
OUTCOME = (
    _run("status"),
    Column("is_terminal", "run.status", "boolean", "", "Whether it has ended.", convert=_is_terminal),
    _run("result"),
    _run("error"),
    _run("error_code"),
    _run("steps"),
    _run("tool_calls"),
)
CONDITION = (
    _run("runtime_condition"),
    Column("blocked_reason", "run.blocked_reason", "string", "", "Why it is blocked."),
    Column("grant_request_id", "run.grant_request_id", "string", "", "The grant it asks for."),
    Column("grant_attempt", "run.grant_attempt", "Int64", "", "How often it asked, from 1; 0 when it never did."),
    Column("grant_state", "run.grant_state", "string", "", "pending, granted, denied, or empty."),
    Column("waiting_on_run_id", "run.waiting_on_run_id", "string", "", "Run it waits for."),
    Column("recovery_state", "run.recovery_state", "string", "", "How far it is with mending a failure."),
)
TIME = (
    _run("created_at"),
    _run("completed_at"),
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
