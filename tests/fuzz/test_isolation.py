"""What an isolated teammate says and reads stays with it: random turns, with words that may be seen nowhere else.

Every raw word of a run is a canary: what it says along the way, what it calls its tool with, what the tool answers. Its
last words are its summary and may be seen by whoever asked, and by later turns. The model is a plan that hypothesis
draws; it looks only at who is asked and how far that one is, and writes down every request it gets.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.ids import CountedIds
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.engine import Engine
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool

ISOLATED = ("operator", "navigator", "vault", "librarian", "automator", "ontologist")
PARENT = ("planner", "chronicler")
TOOLS = {
    "operator": "fs_look",
    "navigator": "browser_look",
    "vault": "crypto_look",
    "librarian": "search_look",
    "automator": "cron_look",
    "ontologist": "ontology_look",
    "chronicler": "memory_look",
}
RAW = re.compile(r"raw-(\w+)-(\w+)")
"""A canary: the run's word order, and where it was said."""

Outcome = Literal["answers", "says nothing", "raises"]


@dataclass(frozen=True)
class Child:
    """What one teammate does."""

    agent: str
    calls: int
    outcome: Outcome


@dataclass
class Plan:
    """A model that follows turns drawn at random."""

    turns: Sequence[Sequence[Child]]
    waits: bool
    pace: int
    """How far children get between two replies of the root."""
    name: str = "plan"
    requests: list[tuple[int, str, str, str]] = field(default_factory=list)
    """Turn, agent, the order it works on (empty for the root), everything it was shown."""
    turn: int = 0

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        agent = str(messages[0].author)
        if agent == "lango-orchestrator":
            self._note(agent, "", messages)
            for _ in range(self.pace):  # let the children go on: their words are there when the next ones are made
                await asyncio.sleep(0)
            return self._root(messages)
        asked = (message.content for message in reversed(messages) if message.role == "user")
        order = next(text for text in asked if text.startswith("order"))  # not that a reply was empty
        self._note(agent, order, messages)
        await asyncio.sleep(0)  # let the others go first: their words are there now
        return self._child(order, messages)

    def _note(self, agent: str, order: str, messages: Sequence[Message]) -> None:
        self.requests.append((self.turn, agent, order, "\n".join(map(str, messages[1:]))))

    def _root(self, messages: Sequence[Message]) -> Reply:
        children = self.turns[self.turn]
        last = messages[-1]
        asked = [message for message in messages if message.role == "user"][-1]
        since = messages[list(messages).index(asked) + 1 :]
        spawned = sum(call.name == "agent_spawn" for message in since for call in message.tool_calls)
        if spawned < len(children):
            some = list(enumerate(children))[spawned : spawned + 2]
            return Reply(
                tool_calls=tuple(
                    _call(f"s{number}", "agent_spawn", agent=child.agent, instruction=f"order{self.turn}x{number}")
                    for number, child in some
                )
            )
        if self.waits and last.tool_name == "agent_spawn":
            runs = re.findall(r'"agent_id":"(arun-\d+)"', "\n".join(message.content for message in since))
            return Reply(tool_calls=tuple(_call(f"w{run}", "agent_wait", agent_id=run, timeout=5) for run in runs))
        return Reply(text="all done")

    def _child(self, order: str, messages: Sequence[Message]) -> Reply:
        place = order.removeprefix("order")
        turn, number = map(int, place.split("x"))
        child = self.turns[turn][number]
        done = sum(len(message.tool_calls) for message in messages if message.author == child.agent)
        tag = place.replace("x", "_")
        if done < child.calls and child.agent in TOOLS:
            call = _call(f"{tag}c{done}", TOOLS[child.agent], word=f"raw-{tag}-argument{done}")
            return Reply(text=f"raw-{tag}-thought{done}", tool_calls=(call,))
        if child.outcome == "raises":
            raise RuntimeError("out of order")
        return Reply(text="" if child.outcome == "says nothing" else f"summary {tag}")


def _call(call_id: str, name: str, **arguments: object) -> ToolCall:
    return ToolCall.model_validate({"id": call_id, "name": name, "arguments": arguments})


def _tools() -> list[Tool]:
    async def look(word: str) -> str:
        """Look."""
        return f"{word} {word.replace('argument', 'result')}"

    return [tool(look, name=name, safety="safe") for name in TOOLS.values()]


children = st.builds(
    Child,
    agent=st.sampled_from((*ISOLATED, *PARENT)),
    calls=st.integers(0, 2),
    outcome=st.sampled_from(("answers", "answers", "says nothing", "raises")),
)
plans = st.lists(st.lists(children, max_size=4), min_size=2, max_size=4)


@settings(max_examples=25)
@given(turns=plans, waits=st.booleans(), pace=st.integers(0, 8))
def test_no_raw_word_of_a_child_reaches_anybody_else(turns: list[list[Child]], waits: bool, pace: int) -> None:
    plan = Plan(turns, waits, pace)
    engine = Engine(
        Settings.model_validate(
            {
                "background": {"enabled": True},
                "agent": {"orchestration": {"circuitBreaker": {"failureThreshold": 99}}},
            }
        ),
        topology="octet",
        tools=_tools(),
        model=plan,
        clock=SteppedClock(),
        ids=CountedIds(),
    )

    async def run() -> None:
        for number in range(len(turns)):
            plan.turn = number
            await engine.run(f"request {number}")
            for made in engine.runs:
                await engine.runs.wait(made.id, 5)
        plan.turn = len(turns) - 1

    asyncio.run(run())
    made = {child.instruction: child for child in engine.runs}
    isolated = {order.removeprefix("order").replace("x", "_") for order, child in made.items() if child.child_session}
    assert len(made) == sum(len(turn) for turn in turns if turn)
    for _, agent, order, seen in plan.requests:
        own = order.removeprefix("order").replace("x", "_")
        foreign = {tag for tag, _ in RAW.findall(seen) if tag != own and tag in isolated}
        assert not foreign, f"{agent} on {order or 'the request'} saw raw words of {foreign}"
        if order:
            brothers = {f"summary {tag}" for tag in isolated if tag != own and tag.split("_")[0] == own.split("_")[0]}
            assert not [word for word in brothers if word in seen], f"{agent} on {order} saw a brother's summary"
    assert engine.teammates.children.active() == ()
    kept = "\n".join(map(str, engine.session().messages))
    assert not {tag for tag, _ in RAW.findall(kept) if tag in isolated}
    for order, child in made.items():
        tag = order.removeprefix("order").replace("x", "_")
        if child.child_session:
            told = [m for m in engine.session().messages if m.content.startswith(f"{child.requested_agent} ")]
            assert told, f"nothing is left of {child.id}"
            assert all(message.author == "lango-orchestrator" for message in told)
            if child.status == "completed" and child.result:
                assert kept.count(f"reports: summary {tag}'") == 1
