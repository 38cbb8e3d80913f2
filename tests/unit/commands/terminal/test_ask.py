"""``lango ask`` runs one request on real files; its exit code says how it ended."""

import builtins
import io
import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lango_nb.commands.asking import exit_code, summary
from lango_nb.commands.terminal import output
from lango_nb.commands.terminal.main import main
from lango_nb.core.events import ApprovalDecided, Event, Outcome, ToolFinished
from lango_nb.records.turns import Trace, Turn

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Terminal:
    """Standard input with a person at it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def files(here: Path) -> Path:
    (here / "notes.md").write_text("one\ntwo\nthree\n", encoding="utf-8")
    return here


def test_the_answer_goes_to_standard_output_alone(lango: Callable[..., Any], files: Path) -> None:
    done = lango("ask", "read notes.md")
    assert done.code == 0
    assert "three" in done.out
    assert "operator" not in done.out
    assert done.err.startswith("lango: lango-orchestrator → operator → lango-orchestrator · success · 1 round · ")
    assert done.err.count("\n") == 1


def test_json_holds_turn_events_and_decisions(lango: Callable[..., Any], files: Path) -> None:
    done = lango("ask", "read notes.md", "--output", "json")
    assert (done.code, done.err) == (0, "")
    data = json.loads(done.out)
    assert data["turn"]["text"] == "read notes.md"
    assert data["turn"]["path"] == ["lango-orchestrator", "operator", "lango-orchestrator"]
    kinds = [event["kind"] for event in data["events"]]
    assert (kinds[0], kinds[-1]) == ("turn.started", "turn.finished")
    assert {"handover", "run.started", "tool.started", "tool.finished", "run.finished"} <= set(kinds)
    assert data["decisions"][0]["chosen"] == "operator"
    assert data["decisions"][0]["route"]["candidates"]


def test_a_greeting_is_answered_by_the_root(lango: Callable[..., Any]) -> None:
    events = json.loads(lango("ask", "hello", "--output", "json").out)["events"]
    assert [event["kind"] for event in events] == ["turn.started", "text", "turn.finished"]


def test_a_dangerous_call_with_nobody_there_is_refused_with_4(lango: Callable[..., Any], files: Path) -> None:
    for words in ((), ("--approve", "deny")):
        done = lango("ask", "delete notes.md", *words)
        assert done.code == 4
        assert (files / "notes.md").exists()


def test_a_dangerous_call_that_is_allowed_runs(lango: Callable[..., Any], files: Path) -> None:
    assert lango("ask", "delete notes.md", "--approve", "allow").code == 0
    assert not (files / "notes.md").exists()


@pytest.mark.parametrize(("answer", "code"), [("y", 0), (" YES ", 0), ("n", 4), ("", 4), ("whatever", 4)])
def test_a_person_is_asked_on_standard_error(
    lango: Callable[..., Any], files: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(builtins, "input", lambda *prompt: answer if not prompt else "prompt on standard output")
    done = lango("ask", "delete notes.md")
    assert done.code == code
    assert (files / "notes.md").exists() is (code == 4)
    assert "wants to call fs_delete" in done.err
    assert "wants to call" not in done.out


class TestLiveLine:
    @staticmethod
    def screen(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
        screen = io.StringIO()
        monkeypatch.setattr(screen, "isatty", lambda: True)
        monkeypatch.setattr(sys, "stderr", screen)
        monkeypatch.setenv("LANGO_NB_PROGRESS", "1")
        return screen

    def test_says_what_a_long_turn_is_doing_and_leaves_nothing(
        self, files: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        screen = self.screen(monkeypatch)
        monkeypatch.setattr(output, "QUIET_S", 0.0)
        assert main(["ask", "read notes.md"]) == 0
        line, _, rest = screen.getvalue().rpartition("\r\x1b[K")
        assert "lango-orchestrator → operator" in line
        assert "operator: fs_read done" in line
        assert "\n" not in line
        assert rest.startswith("lango: lango-orchestrator → operator")

    def test_a_question_takes_its_place(self, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        screen = self.screen(monkeypatch)
        monkeypatch.setattr(output, "QUIET_S", 0.0)
        monkeypatch.setattr(sys, "stdin", Terminal())
        monkeypatch.setattr(builtins, "input", lambda *_: "n")
        assert main(["ask", "delete notes.md"]) == 4
        before, asked, _ = screen.getvalue().partition("wants to call fs_delete")
        line, cleared, question = before.rpartition("\r\x1b[K")
        assert (bool(asked), bool(cleared), "→" in line, "→" in question) == (True, True, True, False)

    def test_a_quick_turn_and_a_file_show_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        screen = self.screen(monkeypatch)
        live = output.LiveLine(lambda: 0.0)
        live(SimpleNamespace(kind="handover", author="root", target="operator"))
        monkeypatch.setattr(output, "QUIET_S", 0.0)
        monkeypatch.setattr(screen, "isatty", lambda: False)
        output.LiveLine()(SimpleNamespace(kind="handover", author="root", target="operator"))
        assert screen.getvalue() == ""


def test_an_input_that_ends_is_a_no(lango: Callable[..., Any], files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended() -> str:
        raise EOFError

    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(builtins, "input", ended)
    assert lango("ask", "delete notes.md").code == 4
    assert (files / "notes.md").exists()


def test_ctrl_c_closes_the_turn_and_ends_with_130(
    lango: Callable[..., Any], files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted() -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(builtins, "input", interrupted)
    done = lango("ask", "delete notes.md", "--output", "json")
    assert done.code == 130
    data = json.loads(done.out)
    assert data["turn"]["outcome"] == "cancelled"
    assert data["events"][-1]["kind"] == "turn.finished"
    assert (files / "notes.md").exists()


def test_a_path_outside_the_workspace_is_refused_with_4(lango: Callable[..., Any], here: Path) -> None:
    (here.parent / "secret.txt").write_text("secret words", encoding="utf-8")
    done = lango("ask", "read ../secret.txt")
    assert done.code == 4
    assert "secret words" not in done.out


def test_a_limit_of_the_settings_is_kept(lango: Callable[..., Any], files: Path) -> None:
    words = ("ask", "run `sleep 20`", "--approve", "allow", "--settings", "tools.exec.defaultTimeout=200ms")
    data = json.loads(lango(*words, "--output", "json").out)
    (finished,) = (
        event for event in data["events"] if event.get("tool") == "exec" and event["kind"] == "tool.finished"
    )
    assert finished["is_error"]
    assert finished["latency_ms"] < 10_000
    assert data["turn"]["outcome"] == "tool_error"
    assert lango(*words).code == 1


@pytest.mark.parametrize("topology", ["solo", "quartet", "sextet", "octet"])
def test_every_topology_reads_a_file(lango: Callable[..., Any], files: Path, topology: str) -> None:
    done = lango("ask", "how many lines does notes.md have?", "--topology", topology)
    assert (done.code, done.out) == (0, "notes.md has 3 lines.\n")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["ask", ""], 2, "lango: the request is empty"),
        (["ask", " \n"], 2, "lango: the request is empty"),
        (["ask", "x" * 300_000], 2, "lango: the request has 300,000 characters"),
        (["ask", "hello", "--topology", "octett"], 2, "lango: topology 'octett' not found; did you mean 'octet'?"),
    ],
)
def test_what_cannot_start_is_one_line(lango: Callable[..., Any], words: list[str], code: int, said: str) -> None:
    done = lango(*words)
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith(said)
    assert done.err.count("\n") == 1


def trace(outcome: Outcome, *events: Event) -> Trace:
    turn = Turn(
        id="turn-1",
        number=1,
        session_id="main",
        topology="sextet",
        model="offline",
        text="x",
        answer="",
        outcome=outcome,
        error_code="",
        path=("root", "worker"),
        rounds=1,
        steps=2,
        tool_calls=0,
        started_at=NOON,
        ended_at=NOON,
        duration_ms=0.0,
    )
    return Trace(turn, events, (), ())


def decided(*, allowed: bool) -> Event:
    return ApprovalDecided(
        turn_id="turn-1",
        seq=1,
        at=NOON,
        author="worker",
        call_id="c",
        tool="t",
        arguments_hash="h",
        allowed=allowed,
        by="me",
    )


def finished(code: str) -> Event:
    return ToolFinished(
        turn_id="turn-1", seq=2, at=NOON, author="worker", call_id="c", tool="t", result="r", is_error=True, code=code
    )


@pytest.mark.parametrize(
    ("outcome", "events", "code"),
    [
        ("success", [], 0),
        ("success", [decided(allowed=True), finished("missing_argument")], 0),
        ("success", [decided(allowed=False)], 4),
        ("success", [finished("approval_denied")], 4),
        ("tool_error", [finished("refused")], 4),
        ("timeout", [], 1),
        ("model_error", [], 1),
        ("delegation_limit", [decided(allowed=True)], 1),
        ("cancelled", [decided(allowed=False)], 130),
    ],
)
def test_the_exit_code_follows_from_the_trace(outcome: Outcome, events: list[Event], code: int) -> None:
    assert exit_code(trace(outcome, *events)) == code


def test_the_summary_counts_in_words() -> None:
    assert summary(trace("timeout").turn) == "root → worker · timeout · 1 round · 2 steps · 0 tool calls"
