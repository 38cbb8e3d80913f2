"""Spec 003, "Durable turn traces": what happened can be read after a restart, and the doctor says what went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from lango_nb.core.ids import RandomIds
from lango_nb.core.messages import Message
from lango_nb.doctor import examine
from lango_nb.engine import Engine
from lango_nb.records.packing import pack_message
from lango_nb.stores.opening import open_store
from tests.cast import TeamOf, spawn, wait


def _stored(team: TeamOf, store: Path, **lines: Sequence[object]) -> Engine:
    engine, _ = team(lines, store=store, ids=RandomIds())
    return engine


def _plant(engine: Engine, key: str, history: Sequence[Message] = (), **more: str) -> int:
    """Write a turn like the first one, but for what it left in its session and these fields; return its number."""
    log = engine.store.log
    stored = log.read(engine.traces.get(1).turn.id)
    assert stored is not None
    row = {**stored.row, "id": key, "outcome": "success", **more}
    number = log.begin({name: row[name] for name in ("id", "session_id", "text", "started_at", "topology", "model")})
    log.finish(key, [], {**row, "number": number}, {**stored.body, "history": [*map(pack_message, history)]})
    return number


def test_a_turn_leaves_a_durable_trace(team: TeamOf, tmp_path: Path) -> None:
    store = tmp_path / "store"
    trace = _stored(
        team,
        store,
        root=[spawn("operator", "Read gone.txt"), RuntimeError("rate limit: 429"), "It is not there."],
        operator=[("fs_read", {"path": "gone.txt"}), "There is no such file."],
    ).run_sync("Read gone.txt")
    kinds = [event.kind for event in trace.events]
    assert {"handover", "run.started", "tool.started", "tool.finished", "run.finished", "turn.finished"} <= set(kinds)
    with_fresh_eyes = open_store(store)
    stored = with_fresh_eyes.log.read(trace.turn.id)
    assert stored is not None
    assert [row["kind"] for row in stored.events] == kinds
    assert stored.row["outcome"] == trace.turn.outcome
    with_fresh_eyes.close()


@pytest.mark.parametrize("outcome", ["loop_detected", "empty_after_tool_use"])
def test_the_doctor_shows_failed_turns_and_leaks(team: TeamOf, tmp_path: Path, outcome: str) -> None:
    call = ("fs_list", {"path": "."})
    lines = [call] * 9 if outcome == "loop_detected" else [call, "", "", "", ""]
    engine = _stored(team, tmp_path / "store", root=[spawn("operator", "Look"), wait("run"), "", ""], operator=lines)
    trace = engine.run_sync("Look around")
    leaky = _plant(
        engine,
        "turn-leaky",
        [
            Message(role="assistant", content="vault reports: done", author="lango-orchestrator"),
            Message(role="assistant", content="raw words of a vault", author="vault"),
        ],
    )
    long_ago = "2020-01-02T03:04:05.000000+00:00"
    _plant(engine, "turn-of-long-ago", outcome=outcome, session_id="old", started_at=long_ago)
    report = examine(engine)
    (failed,) = report.by_check()["failed turns"]
    assert (failed.status, failed.turn_number) == ("warn", trace.turn.number), "recent ones only"
    assert str(trace.turn.number) in failed.next_step
    (leak,) = report.by_check()["isolation"]
    assert (leak.status, leak.turn_number, leak.evidence) == ("fail", leaky, ("vault: raw words of a vault",))
