"""Turns that end at a limit, or leave the next word to a person, say so: in turn, metrics, doctor and terminal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lango_nb.commands.terminal.main import main
from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.events import LimitReached
from lango_nb.core.ids import CountedIds
from lango_nb.core.messages import Reply, ToolCall, Usage
from lango_nb.engine import Engine
from lango_nb.lab import Lab
from lango_nb.models.scripted import Line, ScriptedModel
from tests.cast import spawn, wait

LabOf = Callable[..., Lab]
LIST: Line = Reply(
    tool_calls=(ToolCall(id="c", name="fs_list", arguments={}),),
    usage=Usage(input_tokens=400, output_tokens=200, cost_usd=0.5),
)
STATS: tuple[Line, ...] = tuple(("fs_stat", {"path": str(number)}) for number in range(9))


@pytest.fixture
def lab_of(tmp_path: Path) -> Iterator[LabOf]:
    made: list[Lab] = []

    def make(model: object, topology: str = "solo", **agent: object) -> Lab:
        (tmp_path / "home").mkdir(exist_ok=True)
        settings = {"agent": agent} if agent else None
        lab = Lab(
            topology,
            model=model,  # type: ignore[arg-type]  # a scripted model or the name of one
            workspace=tmp_path,
            settings=settings,
            approver="hold",
            clock=SteppedClock(),
            ids=CountedIds(),
        )
        made.append(lab)
        return lab

    yield make
    for lab in made:
        lab.close()


LIMITED: dict[str, tuple[dict[str, object], tuple[Line, ...], str, str]] = {
    "tokens": (
        {"orchestration": {"budget": {"maxTokens": 500}}},
        (LIST, "never said"),
        "token_limit_exceeded",
        "this turn may use 500 tokens and used 600",
    ),
    "cost": (
        {"orchestration": {"budget": {"maxCostUsd": 0.25}}},
        (LIST, "never said"),
        "cost_limit_exceeded",
        "this turn may cost $0.25 and cost $0.5",
    ),
    "steps": ({"maxTurns": 3}, STATS, "turn_limit_exceeded", "this turn may call tools in 3 replies"),
}


@pytest.mark.parametrize(("agent", "lines", "code", "detail"), LIMITED.values(), ids=LIMITED)
def test_a_limit_is_no_loop_and_has_its_name_and_number(
    lab_of: LabOf, agent: dict[str, object], lines: tuple[Line, ...], code: str, detail: str
) -> None:
    lab = lab_of(ScriptedModel(lines), **agent)
    trace = lab.ask("list the folder").record
    assert (trace.turn.outcome, trace.turn.error_code) == ("limit_reached", code)
    assert detail in trace.turn.answer
    (reached,) = [event for event in trace.events if isinstance(event, LimitReached)]
    assert detail in reached.detail
    assert trace.turn.answer.count(" or raise ") <= 1, "advice is given once"

    (measured,) = lab.metrics().record
    assert (measured.success, measured.failure, measured.limit_reached, measured.input_required) == (0, 1, 1, 0)
    (found,) = lab.doctor().record.by_check()["failed turns"]
    assert (detail in found.text, "repeated" in found.next_step) == (True, False)
    assert lab.doctor().record.by_check()["loops"][0].status == "ok"
    assert f"limit_reached ({code})" in repr(lab.trace())


@pytest.mark.parametrize("topology", ["octet", "sextet"])
@pytest.mark.parametrize(
    ("request_text", "code"),
    [
        ("frobnicate the quux", "asked_back"),
        ("delete the file", "asked_back"),
        ("hello", ""),
    ],
)
def test_asking_back_is_no_plain_success(lab_of: LabOf, topology: str, request_text: str, code: str) -> None:
    lab = lab_of("offline", topology)
    turn = lab.ask(request_text).record.turn
    assert (turn.outcome, turn.error_code) == ("input_required" if code else "success", code), turn.answer
    assert not any(event.kind == "recovery" for event in lab.trace().record.events)
    (found,) = lab.doctor().record.by_check()["open requests"]
    if code:
        assert (found.status, found.text) == (
            "warn",
            f"1 turn of the last 24 hours ended with a question to you: {code} 1",
        )
        assert sum(one.input_required for one in lab.metrics().record) == 1
        assert sum(one.failure for one in lab.metrics().record) == 0
    else:
        assert found.status == "ok"
    assert lab.doctor().record.by_check()["failed turns"][0].status == "ok"


def test_a_blocked_run_is_waited_for_and_not_a_success(lab_of: LabOf, tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("x\n")
    model = ScriptedModel(
        {
            "lango-orchestrator": [spawn("operator", "delete old.txt"), wait("arun-1", 1), "It waits for you."],
            "operator": [("fs_delete", {"path": "old.txt"}), "Deleted."],
        }
    )
    lab = lab_of(model, "octet")
    turn = lab.ask("delete old.txt").record.turn
    assert (turn.outcome, turn.error_code) == ("input_required", "waiting")
    assert (tmp_path / "old.txt").exists()
    (found,) = lab.doctor().record.by_check()["open requests"]
    assert "%lango approvals" in found.next_step


def test_a_failure_weighs_more_than_a_question(lab_of: LabOf) -> None:
    model = ScriptedModel([("fs_read", {"path": "gone"}), Reply(text="Which file?", finish_reason="asked_back")])
    turn = lab_of(model).ask("read it").record.turn
    assert (turn.outcome, turn.error_code) == ("tool_error", "not_found")


def test_a_model_of_ones_own_says_that_it_asks(tmp_path: Path) -> None:
    model = ScriptedModel([Reply(text="Which file?", finish_reason="asked_back"), "Done."])
    engine = Engine(Settings(), model=model, workspace=tmp_path, clock=SteppedClock(), ids=CountedIds())
    assert [engine.run_sync(text).turn.error_code for text in ("read it", "a.txt")] == ["asked_back", ""]


@pytest.mark.parametrize(
    ("text", "status"),
    [("delete the file", 6), ("frobnicate the quux", 6), ("hello", 0)],
)
def test_the_terminal_tells_them_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str, status: int
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["ask", text]) == status
    assert ("input_required" in capsys.readouterr().err) == bool(status)
    assert main(["ask", text, "--output", "json"]) == status
    assert json.loads(capsys.readouterr().out)["turn"]["outcome"] == ("input_required" if status else "success")
