"""A slip of the root that it gets over is no failure of the turn; one that it does not get over is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.events import ToolFinished
from lango_nb.core.ids import CountedIds
from lango_nb.engine import Engine
from lango_nb.records.turns import Trace
from tests.cast import Cast, Line, spawn, stop, transfer, wait

Played = Callable[..., Trace]
SLIPS: dict[str, Line] = {
    "a wrong id": wait("arun-7"),
    "a wrong id to stop": stop("arun-7"),
    "no id": ("agent_wait", {}),
    "a task without its id": ("task_get", {}),
    "a task that is not there": ("task_update", {"task_id": "task-9", "status": "done"}),
    "a direct call": ("fs_list", {"path": "."}),
}


@pytest.fixture
def played(tmp_path: Path) -> Played:
    def play(lines: dict[str, Sequence[Line]], topology: str = "octet", mode: str = "classic") -> Trace:
        agent = {"multiAgent": True, "orchestration": {"mode": mode}}
        engine = Engine(
            Settings.model_validate({"agent": agent, "background": {"enabled": True}}),
            topology=topology,
            model=Cast(lines),
            workspace=tmp_path,
            clock=SteppedClock(),
            ids=CountedIds(),
        )
        return engine.run_sync("list the folder")

    return play


@pytest.mark.parametrize("mode", ["classic", "structured"])
@pytest.mark.parametrize("slip", SLIPS.values(), ids=SLIPS)
def test_a_turn_that_gets_over_a_slip_went_well(played: Played, slip: Line, mode: str) -> None:
    root = [slip, spawn("operator", "List it."), wait("arun-1"), "It is empty."]
    trace = played({"root": root, "operator": [("fs_list", {"path": "."}), "Empty."]}, mode=mode)
    assert any(isinstance(event, ToolFinished) and event.is_error for event in trace.events), "the slip is told"
    assert (trace.turn.outcome, trace.turn.error_code) == ("success", ""), trace.turn.answer


@pytest.mark.parametrize("place", [1, 2])
def test_a_slip_between_a_run_and_its_answer_changes_nothing(played: Played, place: int) -> None:
    root: list[Line] = [spawn("operator", "List it."), wait("arun-1"), "It is empty."]
    root.insert(place, wait("arun-7"))
    trace = played({"root": root, "operator": [("fs_list", {"path": "."}), "Empty."]})
    assert (trace.turn.outcome, trace.turn.error_code) == ("success", "")


def test_a_direct_call_is_got_over_by_a_transfer_too(played: Played) -> None:
    lines = {
        "root": [("fs_list", {"path": "."}), transfer("operator")],
        "operator": [("fs_list", {"path": "."}), "Empty."],
    }
    trace = played(lines, topology="sextet")
    assert (trace.turn.outcome, trace.turn.error_code) == ("success", "")


def test_a_direct_call_that_nothing_comes_of_is_a_failure(played: Played) -> None:
    trace = played({"root": [("fs_list", {"path": "."}), "I cannot."]})
    assert (trace.turn.outcome, trace.turn.error_code) == ("tool_error", "orchestrator_direct_tool_call")


def test_a_run_that_failed_is_a_failure_whatever_came_after(played: Played) -> None:
    root = [spawn("operator", "Read it."), wait("arun-1"), ("task_create", {"title": "later"}), "It is gone."]
    trace = played({"root": root, "operator": [("fs_read", {"path": "gone"}), "It is gone."]})
    assert (trace.turn.outcome, trace.turn.error_code) == ("tool_error", "not_found")
