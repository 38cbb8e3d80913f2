"""A turn costs the same whatever was said before it, whatever way work is handed over: what it looks at is counted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, SupportsIndex

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.engine import Engine
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.topology import PromptSection, Topology
from lango_nb.tools.decorator import tool
from tests.calls import calls_of

Way = Literal["transfer", "delegate", "spawn"]
EARLIER, LATER = 12, 60
"""Turns of a session after which one more is looked at."""


class Looked(list[Message]):
    """The messages of a session; counts those that anybody looks at."""

    def __init__(self, messages: Iterable[Message]) -> None:
        super().__init__(messages)
        self.looks = 0

    def __iter__(self) -> Iterator[Message]:
        for message in super().__iter__():
            self.looks += 1
            yield message

    def __reversed__(self) -> Iterator[Message]:
        for message in super().__reversed__():
            self.looks += 1
            yield message

    def __getitem__(self, place: SupportsIndex | slice) -> Any:
        found = super().__getitem__(place)
        self.looks += len(found) if isinstance(found, list) else 1
        return found


class Model:
    """A root that gives every request to the worker, who looks once and answers."""

    name = "quick"

    def __init__(self, way: Way) -> None:
        self.way = way
        self.calls = 0

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        last = messages[-1]
        if messages[0].author == "worker":
            return (
                Reply(text="Done.")
                if last.role == "tool" and last.tool_name == "work_look"
                else self._call("work_look")
            )
        if last.role != "tool":
            return {
                "transfer": self._call("transfer_to_agent", agent_name="worker"),
                "delegate": self._call("delegate", agent_name="worker", goal="look"),
                "spawn": self._call("agent_spawn", agent="worker", instruction="look"),
            }[self.way]
        if last.tool_name == "agent_spawn":
            return self._call("agent_wait", agent_id=json.loads(last.content)["agent_id"])
        return Reply(text="It is done.")

    def _call(self, name: str, **arguments: str) -> Reply:
        self.calls += 1
        return Reply(tool_calls=(ToolCall(id=f"call-{self.calls}", name=name, arguments=dict(arguments)),))


def work_look() -> str:
    """Look."""
    return "nothing new"


def one_worker(way: Way, store: Path | None, *, is_isolated: bool) -> Engine:
    worker = AgentSpec(name="worker", description="Works.", prefixes=("work_",), session_isolation=is_isolated)
    topology = Topology(
        name="pair",
        root="root",
        agents=(worker,),
        control=way,
        root_sections=(PromptSection(id="role", text="You are the root."),),
    )
    settings = Settings.model_validate({"background": {"enabled": True}})
    tools = [tool(work_look, safety="safe")]
    return Engine(settings, topology=topology, tools=tools, model=Model(way), store=store)


@pytest.mark.parametrize("is_durable", [False, True])
@pytest.mark.parametrize(
    ("way", "is_isolated"),
    [("transfer", False), ("transfer", True), ("delegate", True), ("spawn", False), ("spawn", True)],
)
def test_no_turn_looks_at_all_that_was_said_before(
    tmp_path: Path, way: Way, *, is_isolated: bool, is_durable: bool
) -> None:
    engine = one_worker(way, tmp_path if is_durable else None, is_isolated=is_isolated)
    session = engine.sessions.open("long")
    found: list[tuple[int, int]] = []

    def one() -> tuple[int, int]:
        session.messages = looked = Looked(session.messages)
        calls = calls_of(lambda: asyncio.run(engine.run("Look again", "long")))
        looks = looked.looks
        session.messages = [*looked]
        return looks, calls

    def measure() -> None:
        """Measure three turns: how often an event loop goes round while it waits for a thread is no cost of a turn."""
        looks, calls = zip(*(one() for _ in range(3)), strict=True)
        found.append((max(looks), min(calls)))

    for after in (EARLIER, LATER):
        for _ in range(after - len(engine.traces)):
            assert asyncio.run(engine.run("Look again", "long")).turn.is_ok
        measure()
    (earlier, calls), (later, more_calls) = found
    engine.close()
    assert later <= earlier, f"{earlier} messages were looked at after {EARLIER} turns, {later} after {LATER}"
    assert more_calls <= 1.05 * calls, (
        f"{calls} functions were called after {EARLIER} turns, {more_calls} after {LATER}"
    )
