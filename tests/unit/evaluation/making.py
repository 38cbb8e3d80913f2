"""Judged requests and models for tests of evaluations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from lango_nb.core.json_value import JsonValue
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema, Usage
from lango_nb.engine import Engine
from lango_nb.evaluation.answers import Answer, Judged, judge
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.by_name import spec_families


def judged(right: str, answer: Answer, number: int = 1, language: str = "") -> Judged:
    """Judge an answer."""
    return Judged(number, f"request {number}", right, answer, judge(right, answer), language)


def sent(agent: str, confidence: float | None = None) -> Answer:
    """Make an answer that chooses an agent, or root."""
    leader = "" if confidence is None else agent
    kind = "root" if agent == "root" else "agent"
    return Answer(kind, "" if agent == "root" else agent, "because", leader, confidence)  # type: ignore[arg-type]


def unsure(leader: str, confidence: float) -> Answer:
    """Make an abstention."""
    return Answer("abstained", "", "not sure", leader, confidence)


def engine(topology: str = "octet", *, allow_network: bool = True) -> Engine:
    """Make an engine with all tools."""
    return Engine(topology=topology, tools=(*builtin_tools(), *spec_families()), allow_network=allow_network)


class Mind:
    """A model whose replies follow from the request, however many ask at once."""

    def __init__(self, reply: Callable[[str], Reply], name: str = "mind", waits: Callable[[str], int] | None = None):
        self.reply = reply
        self.name = name
        self.waits = waits or (lambda _text: 0)
        self.asked: list[str] = []
        self.tools: list[tuple[ToolSchema, ...]] = []
        self.messages: list[tuple[Message, ...]] = []
        self.busy = self.busiest = 0

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Answer after letting others go first so many times."""
        text = messages[-1].content
        self.asked.append(text)
        self.messages.append(tuple(messages))
        self.tools.append(tuple(tools))
        self.busy += 1
        self.busiest = max(self.busiest, self.busy)
        for _ in range(self.waits(text)):
            await asyncio.sleep(0)
        self.busy -= 1
        return self.reply(text)


def spawn(agent: str, reason: str = "", usage: Usage | None = None) -> Reply:
    """Make a reply that spawns a teammate."""
    arguments: dict[str, JsonValue] = {
        "agent": agent,
        "instruction": "do it",
        **({"spawn_reason": reason} if reason else {}),
    }
    return Reply(tool_calls=(ToolCall(id="c1", name="agent_spawn", arguments=arguments),), usage=usage or Usage())


def transfer(agent: str, reason: str = "") -> Reply:
    """Make a reply that transfers."""
    arguments: dict[str, JsonValue] = {"agent_name": agent, **({"reason": reason} if reason else {})}
    return Reply(tool_calls=(ToolCall(id="c1", name="transfer_to_agent", arguments=arguments),))
