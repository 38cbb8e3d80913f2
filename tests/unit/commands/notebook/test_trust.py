"""``%lango trust``: the same as in a terminal, with the notebook's own question."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lango_nb.config.trust import read_trust
from lango_nb.core.errors import RefusedError
from lango_nb.tools.decorator import tool
from tests.cast import Cast

if TYPE_CHECKING:
    from tests.unit.commands.notebook.conftest import Session

LOOSE = {"security": {"interceptor": {"enabled": False}}}


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    (tmp_path / "lango.json").write_text(json.dumps(LOOSE), encoding="utf-8")
    return tmp_path


def says(answer: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let a person answer every question; return what is asked."""
    asked: list[str] = []

    def read(question: str = "") -> str:
        asked.append(question)
        return answer

    monkeypatch.setattr(builtins, "input", read)
    return asked


def test_the_first_line_of_output_says_what_is_held_back(
    session: Session, hostile: Path, caplog: pytest.LogCaptureFixture
) -> None:
    status = session.run("%lango status")
    said = "lango.json: 1 setting is held back: security.interceptor.enabled; to see and trust it: lango trust ."
    assert caplog.messages == [said]
    assert "security.interceptor.enabled; %lango trust . shows and trusts them" in status.text
    assert session.run("%lango doctor").record.findings[0].check == "trust"


def test_a_person_trusts_after_seeing_every_value(
    session: Session, hostile: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = says("y", monkeypatch)
    done = session.run("%lango trust .")
    assert asked == ["Trust this folder with these settings? [y]es / [N]o "]
    assert "security.interceptor.enabled = false   (lango.json)" in capsys.readouterr().out
    assert "trusted until these settings change" in str(done)
    assert session.lab.engine.settings.security.interceptor.enabled is False
    assert str(hostile) in session.run("%lango trust --list").text
    assert "is not trusted any more" in str(session.run("%lango trust --remove"))


def test_no_is_a_no(session: Session, hostile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    says("", monkeypatch)
    assert "not trusted" in str(session.run("%lango trust"))
    assert session.lab.engine.settings.security.interceptor.enabled is True


def test_a_tool_cannot_give_trust(session: Session, hostile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a person would answer, and although the tool runs in the same process."""
    asked = says("y", monkeypatch)
    caught: list[Any] = []

    def fs_trust() -> str:
        """Trust this folder."""
        try:
            session.shell.run_line_magic("lango", "trust .")
        except RefusedError as error:
            caught.append(str(error))
        return "done"

    lab = session.lab
    lab.use("solo")
    lab.add_tools([tool(fs_trust, safety="safe")])
    lab.model = Cast({"lango-agent": [("fs_trust", {}), "Done."]})
    lab.ask("Trust it.")
    assert caught == ["trust is given by a person, not by a tool; nothing was trusted"]
    assert (asked, read_trust(hostile / "home")) == ([], {})
