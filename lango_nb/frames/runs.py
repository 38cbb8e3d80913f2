"""Teammate runs: what they did and waited for, the tasks they noted, what agents remember."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from lango_nb.frames.column import Column, Sources, stored
from lango_nb.frames.frame import Wanted, frame
from lango_nb.frames.stored import run_rows
from lango_nb.records.agent_run import TERMINAL, AgentRun
from lango_nb.records.history import History
from lango_nb.records.ledger import LedgerEntry
from lango_nb.records.memories import Memory
from lango_nb.records.packing import unpack_run
from lango_nb.records.rows import rows_in
from lango_nb.records.tasks import Task
from lango_nb.records.turns import Trace
from lango_nb.stores.schema import LEDGER, MEMORIES, RUNS, TASKS

# -- runs --------------------------------------------------------------------------------------------------------------


def _is_terminal(status: str) -> bool:
    return status in TERMINAL


def _duration_ms(created_at: datetime, completed_at: datetime | None) -> float | None:
    return None if completed_at is None else (completed_at - created_at).total_seconds() * 1000


_run = partial(stored, RUNS, "run")
RUN_COLUMNS = (
    _run("session_id"),
    _run("turn_id"),
    _run("id", as_="run_id"),
    _run("parent_run_id"),
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
    _run("status"),
    Column("is_terminal", "run.status", "boolean", "", "Whether it has ended.", convert=_is_terminal),
    _run("result"),
    _run("error"),
    _run("error_code"),
    _run("steps"),
    _run("tool_calls"),
    _run("runtime_condition"),
    Column("blocked_reason", "run.blocked_reason", "string", "", "Why it is blocked."),
    Column("grant_request_id", "run.grant_request_id", "string", "", "The grant it asks for."),
    Column("grant_attempt", "run.grant_attempt", "Int64", "", "How often it asked, from 1; 0 when it never did."),
    Column("grant_state", "run.grant_state", "string", "", "pending, granted, denied, or empty."),
    Column("waiting_on_run_id", "run.waiting_on_run_id", "string", "", "Run it waits for."),
    Column("recovery_state", "run.recovery_state", "string", "", "How far it is with mending a failure."),
    _run("created_at"),
    _run("completed_at"),
    Column("duration_ms", _duration_ms, "float64", "ms", "From being asked for to its end; missing while it lives."),
)


def _stored_runs(history: History, wanted: Wanted) -> Sources:
    found = [row for stored in history.scan(with_events=False) for row in rows_in(stored.body, "runs")]
    runs = run_rows(wanted.get("run", ()))
    runs.extend(found)
    times = [unpack_run(row) for row in found] if "created_at" in wanted else []
    return {
        "run": runs,
        "created_at": [run.created_at for run in times],
        "completed_at": [run.completed_at for run in times],
    }


@frame("runs", RUN_COLUMNS, AgentRun, Trace, stored=_stored_runs)
def runs_df(runs: Sequence[AgentRun | Trace]) -> Sources:
    """List teammate runs.

    Parameters
    ----------
    runs : AgentRun, Trace, or iterable of them; or History
        A trace and a history have runs as they were when their turn ended.

    Returns
    -------
    DataFrame
        One row per run; join by ``run_id``, ``turn_id``, ``session_id`` or ``agent``.
    """
    found = [run for item in runs for run in (item.runs if isinstance(item, Trace) else (item,))]
    return {
        "run": found,
        "created_at": [run.created_at for run in found],
        "completed_at": [run.completed_at for run in found],
    }


# -- ledger ------------------------------------------------------------------------------------------------------------

_entry = partial(stored, LEDGER, "entry")
LEDGER_COLUMNS = (
    _entry("session_id"),
    _entry("turn_id"),
    _entry("run_id"),
    _entry("agent"),
    _entry("kind"),
    _entry("at"),
    _entry("runtime_condition"),
    _entry("blocked_reason"),
    _entry("grant_request_id"),
    _entry("grant_attempt"),
    _entry("grant_state"),
)


@frame("ledger", LEDGER_COLUMNS, LedgerEntry)
def ledger_df(entries: Sequence[LedgerEntry]) -> Sources:
    """List what runs waited for, and when they went on.

    Parameters
    ----------
    entries : LedgerEntry or iterable of LedgerEntry
        A :class:`~lango_nb.records.ledger.Ledger` is one.

    Returns
    -------
    DataFrame
        One row per entry, oldest first; join by ``run_id`` or ``turn_id``.
    """
    return {"entry": list(entries)}


# -- tasks -------------------------------------------------------------------------------------------------------------

_task = partial(stored, TASKS, "task")
TASK_COLUMNS = (
    _task("id", as_="task_id"),
    _task("parent_id"),
    _task("status"),
    _task("title"),
    _task("description"),
    _task("created_at"),
    _task("updated_at"),
)


@frame("tasks", TASK_COLUMNS, Task)
def tasks_df(tasks: Sequence[Task]) -> Sources:
    """List tasks.

    Parameters
    ----------
    tasks : Task or iterable of Task

    Returns
    -------
    DataFrame
        One row per task; join with itself by ``task_id`` and ``parent_id``.
    """
    return {"task": list(tasks)}


# -- memories ----------------------------------------------------------------------------------------------------------


def _tags(memory: Memory) -> str:
    return ", ".join(memory.tags)


_memory = partial(stored, MEMORIES, "memory")
MEMORY_COLUMNS = (
    Column("memory_id", "memory.id", "string", "", "Id of the entry."),
    _memory("agent"),
    _memory("key"),
    _memory("content"),
    _memory("scope"),
    _memory("kind"),
    _memory("confidence"),
    _memory("use_count"),
    Column("tags", _tags, "string", "", "Tags, separated by commas."),
    _memory("created_at"),
    _memory("updated_at"),
)


@frame("memories", MEMORY_COLUMNS, Memory)
def memories_df(memories: Sequence[Memory]) -> Sources:
    """List what agents remember.

    Parameters
    ----------
    memories : Memory or iterable of Memory

    Returns
    -------
    DataFrame
        One row per entry; join by ``agent``.
    """
    return {"memory": list(memories)}
