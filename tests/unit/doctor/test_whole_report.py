"""The whole report over records with something wrong of every kind, compared with what is committed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lango_nb import viz
from lango_nb.config.settings import Settings
from lango_nb.stores.store import Problem
from tests.expected import same_as_expected
from tests.unit.doctor.cases import ROOT, DiskStore, engine_on, keep, report_of

CALL = {"author": "operator", "tool": "fs_read", "call_id": "c", "step": 1}
OUTCOMES = (
    "tool_error", "model_error", "internal_error", "timeout", "loop_detected", "delegation_limit",
    "empty_after_tool_use", "cancelled", "input_required", "turn_limit",
)  # fmt: skip


def fill(store: DiskStore) -> None:
    """Keep turns of every outcome, recent and old, quick and slow, and some that nobody ended."""
    for number, outcome in enumerate(OUTCOMES * 2):
        keep(
            store.log,
            outcome,
            hours_ago=1 + number * 2.5,
            error_code=("", "not_found", "tokens", "idle")[number % 4],
            agents=[ROOT, "operator"],
            path=[ROOT, "operator", ROOT],
            tools=["fs_read"],
            duration_ms=1000.0 * number,
            events=(
                {"kind": "tool.started", **CALL, "arguments": {"path": "gone.md"}},
                {"kind": "tool.finished", **CALL, "is_error": True, "code": "not_found", "result": "gone.md is gone"},
                {"kind": "error", "author": "operator", "code": "not_found", "text": "gone.md does not exist"},
            ),
        )
    for minutes in range(6):
        keep(store.log, hours_ago=minutes / 60, duration_ms=90_000.0 * minutes)
    keep(store.log, "running", hours_ago=30)


SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "everything on": {
        "agent": {"multiAgent": True, "maxTurns": 1, "orchestration": {"mode": "structured"}},
        "background": {"enabled": True}, "hooks": {"enabled": True, "accessControl": True}, "a2a": {"enabled": True},
        "observability": {"traceStore": {"maxTraces": 30}}, "agentMemory": {"enabled": True},
        "models": {"allowNetwork": True},
    },
    "nothing asked": {"security": {"interceptor": {"enabled": False}}, "hooks": {"blockedCommands": ["x"]}},
    "wrong folder": {"agent": {"agentsDir": "/no/such/folder", "promptsDir": "/no/such/folder"}},
}  # fmt: skip


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("topology", ["octet", "solo"])
def test_the_report_is_as_expected(name: str, topology: str, tmp_path: Path) -> None:
    store = DiskStore(
        found=(Problem("damaged", "events", "2 rows are not what was written", "copy them from a backup"),),
        checked=(Problem("unfinished", "turns", "turn 27 is open"), Problem("full", "disk", "no room is left")),
    )
    fill(store)
    settings = Settings.model_validate(SETTINGS[name])
    report = report_of(engine_on(store, settings=settings, topology=topology, workspace=tmp_path))
    whole = f"{viz.to_line(report)}\n{viz.to_text(report)}\n{report!r}"
    found = whole.replace(str(tmp_path), "«folder»")
    same_as_expected(f"doctor/{topology}_{name.replace(' ', '_')}.txt", found)
