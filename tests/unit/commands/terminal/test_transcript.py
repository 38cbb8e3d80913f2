"""A long session of ``lango`` as its reader sees it: exit codes, output and errors against what is committed."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lango_nb import __version__
from lango_nb.commands.terminal import records
from lango_nb.stores.sql import SqlStore, memory_store
from tests.expected import same_as_expected, sessions
from tests.unit.doctor.cases import ROOT, keep

SESSIONS = sessions("terminal.txt")
FILES = {
    "notes.md": "# Shopping\n\n- milk\n- bread\n",
    "mine.csv": "text,agent\nread notes.md,operator\nremember that I like tea,chronicler\nhello,root\n",
}
CALL = {"author": "operator", "step": 2, "call_id": "call-1", "tool": "fs_read"}


@pytest.fixture
def store(here: Path, monkeypatch: pytest.MonkeyPatch) -> SqlStore:
    """Return records in memory with turns of several kinds, opened in place of those the settings name."""
    store = memory_store()
    monkeypatch.setattr(records, "open_store", lambda *_, **__: store)
    handed = {"kind": "handover", "author": ROOT, "step": 1, "target": "operator", "reason": "it reads files"}
    ended = {"kind": "turn.finished", "author": ROOT, "outcome": "success", "steps": 3}
    keep(
        store.log,
        text="read notes.md",
        answer="It lists milk and bread.",
        path=[ROOT, "operator"],
        agents=[ROOT, "operator"],
        tools=["fs_read"],
        events=(
            {"kind": "turn.started", "author": "user", "text": "read notes.md"},
            handed,
            {"kind": "tool.started", **CALL, "arguments": {"path": "notes.md", "à": "é"}, "safety": "safe"},
            {"kind": "tool.finished", **CALL, "result": "- milk\n- bread", "is_error": False, "latency_ms": 2.5},
            {"kind": "text", "author": "operator", "step": 3, "text": "It lists milk and bread."},
            ended,
        ),
    )
    keep(
        store.log,
        "tool_error",
        session="shed",
        error_code="not_found",
        answer="",
        events=(
            {
                "kind": "tool.finished",
                **CALL,
                "result": "gone.md does not exist",
                "is_error": True,
                "code": "not_found",
            },
            {"kind": "error", "author": "operator", "code": "not_found", "text": "gone.md does not exist"},
        ),
    )
    keep(store.log, "timeout", session="shed", agents=[ROOT, "vault"], path=[ROOT, "vault"], hours_ago=0.5)
    keep(store.log, "running", session="main", hours_ago=0.1)
    return store


def clean(text: str, folder: Path) -> str:
    """Leave out what differs from run to run: folders, times of now, the version."""
    text = text.replace(str(folder), "«folder»").replace(__version__, "«version»")
    text = re.sub(r"\b(?!2026-03-01)\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:\+00:00|Z)?", "«time»", text)
    text = re.sub(r"\b[\d,]+(?:\.\d+)? (m?s\b) *", r"«n» \1 ", text)
    text = re.sub(r"(?<=_ms\": )\d+(?:\.\d+)?|(?<=\+)\d+\.\d+(?= s )", "«n»", text)
    if len(text) > 12_000:
        return f"{text[:2000]}… {len(text)} characters, {hashlib.sha256(text.encode()).hexdigest()[:12]}\n"
    return text


def transcript(lango: Callable[..., Any], here: Path, lines: list[str]) -> str:
    """Return what is typed, with what comes of each line."""
    for name, text in FILES.items():
        (here / name).write_text(text, encoding="utf-8")
    parts = []
    for line in lines:
        done = lango(*shlex.split(line))
        parts.append(f"━━━ lango {line}   [{done.code}]\n{clean(done.out, here.parent)}{clean(done.err, here.parent)}")
    return "".join(parts)


def test_records_are_shown_as_expected(lango: Callable[..., Any], here: Path, store: SqlStore) -> None:
    same_as_expected("sessions/terminal_records.txt", transcript(lango, here, SESSIONS["records"]))


def test_what_is_asked_is_shown_as_expected(lango: Callable[..., Any], here: Path) -> None:
    same_as_expected("sessions/terminal_asked.txt", transcript(lango, here, SESSIONS["asked"]))


def test_what_a_folder_wants_is_shown_as_expected(lango: Callable[..., Any], here: Path) -> None:
    wanted = {
        "agent": {"multiAgent": True, "maxTurns": 3, "requestTimeout": "10m", "agentsDir": "agents"},
        "security": {"interceptor": {"enabled": False, "exemptTools": ["exec"]}, "masking": {"keys": ["badge"]}},
        "hooks": {"enabled": True, "blockedCommands": ["rm"], "deniedTools": ["*: exec"]},
        "models": {"allowNetwork": True},
        "store": {"url": "sqlite:///elsewhere.db", "durability": "none"},
        "tools": {"exec": {"environment": ["HOME"]}},
    }
    (here / "lango.json").write_text(json.dumps(wanted), encoding="utf-8")
    (here / "pyproject.toml").write_text("[tool.lango.agent]\nmodel = 'openai:gpt-5'\n", encoding="utf-8")
    (here / "agents" / "tailor").mkdir(parents=True)
    (here / "agents" / "tailor" / "AGENT.md").write_text("---\nname: tailor\n---\nYou sew.", encoding="utf-8")
    same_as_expected("sessions/terminal_trust.txt", transcript(lango, here, SESSIONS["trust"]))
