"""What tools give back that is no result, and raise that is no ordinary error: the model reads one sentence."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import ToolError
from lango_nb.core.events import ToolFinished
from lango_nb.core.ids import CountedIds
from lango_nb.engine import Engine
from lango_nb.hooks.decorator import after_call
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool, ToolResult
from tests.cast import Cast, Line, spawn, wait


class UnspeakableError(Exception):
    """An error that cannot even be told."""

    def __str__(self) -> str:
        raise ValueError("no words")


def octet(tmp_path: Path, *tools: Tool, **settings: Any) -> Engine:
    lines: dict[str, list[Line]] = {
        "root": [spawn("operator", "Go."), wait("arun-1", 1), "Done."],
        "operator": [("fs_odd", {}), "I tried."],
    }
    return Engine(
        Settings.model_validate({"agent": {"multiAgent": True, **settings}, "background": {"enabled": True}}),
        topology="octet",
        tools=tools,
        model=Cast(lines),
        workspace=tmp_path,
        clock=SteppedClock(),
        ids=CountedIds(),
    )


def finished(engine: Engine) -> ToolFinished:
    trace = asyncio.run(engine.run("hello"))
    assert trace.turn.answer == "Done."
    (event,) = [event for event in trace.events if isinstance(event, ToolFinished) and event.tool == "fs_odd"]
    return event


def giving(answer: object) -> Tool:
    async def handle(_arguments: object, _context: object) -> Any:
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return Tool("fs_odd", safety="safe", handler=handle)


@pytest.mark.parametrize(
    ("answer", "code", "told"),
    [
        (ToolResult(5), "tool_failed", "fs_odd gave a result whose content is of type int, not text"),  # type: ignore[arg-type]
        (ToolResult(None), "tool_failed", "fs_odd gave a result whose content is of type NoneType, not text"),  # type: ignore[arg-type]
        (None, "tool_failed", "fs_odd gave a value of type NoneType instead of a ToolResult"),
        ("text", "tool_failed", "fs_odd gave a value of type str instead of a ToolResult"),
        (ToolResult("x", is_error=True, code=None), "tool_error", "x"),  # type: ignore[arg-type]
        (ToolResult("x", is_error=1, code=5), "tool_error", "x"),  # type: ignore[arg-type]
        (ToolError("x", None), "tool_error", "x"),  # type: ignore[arg-type]
        (UnspeakableError(), "tool_failed", "fs_odd failed: UnspeakableError"),
        (TimeoutError("timed out"), "tool_failed", "fs_odd failed: TimeoutError: timed out"),
        (TimeoutError(), "tool_failed", "fs_odd failed: TimeoutError"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_is_no_result_becomes_one_the_model_can_read(tmp_path: Path, answer: object, code: str, told: str) -> None:
    event = finished(octet(tmp_path, giving(answer)))
    assert (event.is_error, event.code, event.result) == (True, code, told)


def test_a_code_of_a_hook_that_is_none_is_left_out(tmp_path: Path) -> None:
    @after_call
    def odd(call: object, result: ToolResult) -> ToolResult:
        return ToolResult("replaced", is_error=True, code=7)  # type: ignore[arg-type]

    engine = octet(tmp_path, giving(ToolResult("fine")))
    engine.add_hook(odd)
    event = finished(engine)
    assert (event.is_error, event.code, event.result) == (True, "tool_error", "replaced")


def test_a_tool_that_is_late_is_told_from_one_that_raises_a_time_out_itself(tmp_path: Path) -> None:
    @tool(name="fs_odd", safety="safe")
    async def odd() -> str:
        """Take too long."""
        await asyncio.sleep(5)
        return "at last"

    event = finished(octet(tmp_path, odd, toolTimeout=0.02))
    assert event.code == "tool_timeout"
    assert event.result == "fs_odd did not answer within 0.02 s and was abandoned; it may still be running"


@pytest.mark.parametrize("stop", [GeneratorExit, type("Odd", (BaseException,), {})])
def test_a_run_whose_tool_tears_its_task_down_has_ended(tmp_path: Path, stop: type[BaseException]) -> None:
    """Neither an error nor a cancellation: whatever ends the task of a run, the run has a record of it."""
    engine = octet(tmp_path, giving(stop()))
    trace = asyncio.run(engine.run("hello"))
    (run,) = engine.runs
    assert (run.status, run.error_code) == ("failed", "internal")
    assert "operator" not in run.error
    assert engine.teammates.children.active() == ()
    assert trace.runs == (run,)
    assert [event.status for event in trace.events if event.kind == "run.finished"] == ["failed"]
