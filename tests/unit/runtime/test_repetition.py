"""With a stepped clock and counted ids a turn repeats to the letter, however many agents are at work in it at once."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock, SystemClock
from lango_nb.core.ids import CountedIds
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.engine import Engine
from lango_nb.tools.decorator import tool
from lango_nb.tools.workers import GRACE_S
from tests.cast import Cast, Line, spawn, wait

SLOW_S = 20 * GRACE_S or 0.006
"""Longer than the loop waits for a thread of itself; as long as a busy machine may take to wake one."""


@tool(name="fs_look", safety="safe")
def look(number: int) -> str:
    """Look, now quickly and now slowly."""
    if number == look_slowly[0]:
        time.sleep(SLOW_S)
    return f"looked {number}"


look_slowly = [0]


class ThreeAtOnce:
    """A root that has three runs look four times each, and waits for them."""

    name = "three"

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        del tools
        order = max(place for place, message in enumerate(messages) if message.role == "user")
        since = messages[order + 1 :]
        said = [message for message in since if message.role == "tool"]
        if messages[0].author != "lango-orchestrator":
            if len(said) == 4:
                return Reply(text="I looked.")
            return _calls(("fs_look", {"number": len(said)}))
        if not said:
            return _calls(*(spawn("operator", f"Look {number}.") for number in range(3)))
        if len(said) == 3:
            return _calls(*(wait(f"arun-{number}") for number in (1, 2, 3)))
        return Reply(text="Done.")


def _calls(*calls: tuple[str, object]) -> Reply:
    return Reply(
        tool_calls=tuple(
            ToolCall.model_validate({"id": f"c{number}", "name": name, "arguments": arguments})
            for number, (name, arguments) in enumerate(calls)
        )
    )


def octet(tmp_path: Path, model: object, **more: object) -> Engine:
    return Engine(
        Settings.model_validate({"agent": {"multiAgent": True}, "background": {"enabled": True}}),
        topology="octet",
        tools=(look,),
        model=model,  # type: ignore[arg-type]
        workspace=tmp_path,
        **{"clock": SteppedClock(), "ids": CountedIds(), **more},  # type: ignore[arg-type]
    )


def test_runs_at_once_whose_tools_block_give_the_same_trace_every_time(tmp_path: Path) -> None:
    """How fast threads are woken is no part of what happened."""
    seen = set()
    for slowly in (-1, 0, 1, 2, 3, -1):
        look_slowly[0] = slowly
        engine = octet(tmp_path, ThreeAtOnce())
        trace = asyncio.run(engine.run("look"))
        seen.add((repr(trace.events), repr(trace.turn), repr(engine.session().messages), repr(engine.runs.list())))
    assert len(seen) == 1


def test_a_real_clock_lets_others_go_on_while_a_tool_blocks(tmp_path: Path) -> None:
    """Nothing repeats there, so nobody waits for the sake of it."""
    look_slowly[0] = 0
    engine = octet(tmp_path, ThreeAtOnce(), clock=SystemClock())
    trace = asyncio.run(engine.run("look"))
    assert trace.turn.outcome == "success"
    kinds = [(event.kind, event.run_id) for event in trace.events if event.kind.startswith("tool.") and event.run_id]
    assert kinds[:3] == [("tool.started", f"arun-{number}") for number in (1, 2, 3)]


def test_a_tool_that_blocks_for_long_holds_nobody_up_for_long(tmp_path: Path) -> None:
    release = threading.Event()

    @tool(name="fs_hang", safety="safe")
    def hang() -> str:
        """Hang."""
        release.wait(300)
        return "at last"

    lines: dict[str, list[Line]] = {
        "root": [spawn("operator", "Hang."), wait("arun-1", 5), "Done."],
        "operator": [("fs_hang", {}), "It hung."],
    }
    engine = octet(tmp_path, Cast(lines))
    engine.add_tools(hang)

    async def cancelled() -> None:
        turn = asyncio.ensure_future(engine.run("hang"))
        await asyncio.sleep(0)
        turn.cancel()
        await asyncio.gather(turn, return_exceptions=True)
        assert not release.is_set(), "the turn is over while the tool still hangs"

    try:
        asyncio.run(asyncio.wait_for(cancelled(), 60))
    finally:
        release.set()
