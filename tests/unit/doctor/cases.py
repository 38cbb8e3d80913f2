"""Turns as stores hold them, for whoever looks through records."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from lango_nb.core.clock import SteppedClock
from lango_nb.core.ids import CountedIds
from lango_nb.doctor import Finding, Report, examine
from lango_nb.engine import Engine
from lango_nb.stores.sql import SqlStore, memory_store
from lango_nb.stores.sqlite import SqliteDatabase
from lango_nb.stores.store import Problem, Row, Store, TurnLog, stamp

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ROOT = "lango-orchestrator"


class DiskStore(SqlStore):
    """A store that says it lies on a disk, and has what problems a test wants."""

    def __init__(self, where: str = "~/records", found: tuple[Problem, ...] = (), checked: tuple[Problem, ...] = ()):
        super().__init__(SqliteDatabase(None))
        self.name, self.where, self.is_durable = "sqlite", where, True
        self.problems = list(found)
        self.checked = list(checked)
        self.left_open: list[Row] = []
        self.log.unfinished = lambda: self.left_open  # type: ignore[method-assign]

    def check(self) -> list[Problem]:
        return self.checked


def keep(  # noqa: PLR0913 - what turns differ in
    log: TurnLog,
    outcome: str = "success",
    *,
    hours_ago: float = 1.0,
    session: str = "main",
    events: tuple[dict[str, Any], ...] = (),
    messages: tuple[dict[str, Any], ...] = (),
    **values: Any,
) -> Row:
    """Begin a turn and, unless it is to be running, finish it."""
    number = log.count() + 1
    at = NOW - timedelta(hours=hours_ago)
    turn_id = values.pop("id", f"turn-{number}")
    begun: Row = {
        "id": turn_id,
        "session_id": session,
        "text": values.pop("text", f"request {number}"),
        "topology": values.pop("topology", "octet"),
        "model": "offline",
        "started_at": stamp(at),
    }
    rows = [{"turn_id": turn_id, "seq": seq, "at": stamp(at), **event} for seq, event in enumerate(events, 1)]
    log.begin(begun)
    if outcome == "running":
        log.write(turn_id, rows)
        return begun
    row: Row = {
        **begun,
        "outcome": outcome,
        "answer": "",
        "error_code": "",
        "path": [ROOT],
        "agents": [ROOT],
        "tools": [],
        "duration_ms": 5.0,
        "ended_at": stamp(at),
        **values,
    }
    log.finish(turn_id, rows, row, {"messages": list(messages), "decisions": [], "runs": []})
    return {**row, "number": number}


def engine_on(store: Store | None = None, **options: Any) -> Engine:
    """Make an engine over a store, with a clock and ids that repeat."""
    options.setdefault("topology", "octet")
    return Engine(store=store or memory_store(), clock=SteppedClock(NOW), ids=CountedIds(), **options)


def looked(engine: Engine, check: str) -> tuple[Finding, ...]:
    """Examine an engine and return the findings of one check."""
    return report_of(engine).by_check()[check]


def report_of(engine: Engine) -> Report:
    return examine(engine, now=NOW)
