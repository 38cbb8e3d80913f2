"""Tab where there is nothing to name offers what is ours: options, files and folders, and never IPython's magics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


def offered(session: Any, line: str) -> list[str]:
    """Press Tab at the end of a line."""
    _, found = session.shell.complete("", line, len(line))
    return [str(one) for one in found]


@pytest.mark.parametrize("command", ["trace", "why", "events", "run", "allow"])
def test_without_turns_runs_and_questions_there_are_the_options(session: Any, command: str) -> None:
    found = offered(session, f"%lango {command} ")
    assert "--help" in found
    assert all(one.startswith("--") for one in found)


def test_open_offers_sessions_files_and_folders(session: Any, tmp_path: Path) -> None:
    (tmp_path / "records").mkdir(exist_ok=True)
    (tmp_path / "records" / "old.jsonl").write_text("", encoding="utf-8")
    (tmp_path / ".hidden").mkdir()
    session.run("%lango ask hello;")
    found = offered(session, "%lango open ")
    assert {"main", "records/"} <= set(found)
    assert not [one for one in found if one.startswith(("%", "."))]
    assert offered(session, "%lango open records/") == ["records/old.jsonl"]
    assert offered(session, "%lango open .hi") == [".hidden/"]


def test_a_file_is_offered_where_one_is_named(session: Any, tmp_path: Path) -> None:
    (tmp_path / "turn.html").write_text("", encoding="utf-8")
    assert offered(session, "%lango export tu") == ["turn.html"]
    assert not [one for one in offered(session, "%lango open nowhere/at/all/") if one.startswith("%")]
