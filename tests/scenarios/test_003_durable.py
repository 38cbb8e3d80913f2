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


def _plant(engine: Engine, message: Message) -> None:
    """Write a turn whose history holds what it must not."""
    log = engine.store.log
    stored = log.read(engine.traces.get(1).turn.id)
    assert stored is not None
    row = {**stored.row, "id": "turn-leaky", "outcome": "success"}
    log.begin({name: row[name] for name in ("id", "session_id", "text", "started_at", "topology", "model")})
    log.finish("turn-leaky", [], row, {**stored.body, "history": [pack_message(message)]})


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
    _plant(engine, Message(role="assistant", content="raw words of a vault", author="vault"))
    report = examine(engine)
    (failed,) = report.by_check()["failed turns"]
    assert failed.status == "warn"
    assert str(trace.turn.number) in failed.next_step
    leaks = report.by_check()["isolation"]
    assert any("raw words of a vault" in "".join(finding.evidence) for finding in leaks)
