"""A model that plays every agent from lines of its own, for tests in which several agents are at work at once.

A script would have to know who is asked next; here nobody does. Lines belong to an agent, or to one work order: two
runs of the same agent then say different things. What anybody is asked is written down.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lango_nb.core.messages import USER, Message, Reply, ToolCall, ToolSchema
from lango_nb.engine import Engine
from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest, Scope
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool

ROOT = "lango-orchestrator"
Call = tuple[str, Mapping[str, Any]]
"""One call of a tool: its name and arguments."""
Play = Callable[[Sequence[Message]], Awaitable[Any]]
"""Waits for something, or looks at what was said, and returns the line."""
Line = str | Reply | BaseException | Call | Sequence[Call] | Play


def spawn(agent: str, instruction: str, **more: Any) -> Call:
    """Make the call that starts a run."""
    return "agent_spawn", {"agent": agent, "instruction": instruction, **more}


def wait(run_id: str, seconds: int = 5) -> Call:
    """Make the call that waits for a run."""
    return "agent_wait", {"agent_id": run_id, "timeout": seconds}


def stop(run_id: str) -> Call:
    """Make the call that stops a run."""
    return "agent_stop", {"agent_id": run_id}


def transfer(agent: str, **more: Any) -> Call:
    """Make the call that transfers the request."""
    return "transfer_to_agent", {"agent_name": agent, **more}


def delegate(agent: str, goal: str, **more: Any) -> Call:
    """Make the call that delegates a goal."""
    return "delegate", {"agent_name": agent, "goal": goal, **more}


@dataclass(frozen=True)
class Asked:
    """One request to the model."""

    agent: str
    order: str
    """The work order of the run; empty outside of runs."""
    messages: tuple[Message, ...]
    schemas: tuple[ToolSchema, ...]

    @property
    def tools(self) -> tuple[str, ...]:
        """Names of what the agent was offered."""
        return tuple(schema.name for schema in self.schemas)

    def names(self, tool_name: str) -> list[str]:
        """Return the closed set of agents that a control tool names in its schema."""
        (schema,) = [schema for schema in self.schemas if schema.name == tool_name]
        properties: Any = schema.parameters["properties"]
        return list(properties["agent" if tool_name == "agent_spawn" else "agent_name"]["enum"])

    @property
    def text(self) -> str:
        """Everything the agent could read except its system prompt."""
        return "\n".join(map(str, self.messages[1:]))


@dataclass
class Cast:
    """Agents and their lines; after its last line nobody may be asked again.

    Parameters
    ----------
    lines : mapping of str to iterable
        By agent, ``root`` for the root, or by work order, which comes first.
    """

    lines: Mapping[str, Iterable[Line]]
    name: str = "cast"
    asked: list[Asked] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._ids = itertools.count(1)
        self._lines = {who: iter(lines) for who, lines in self.lines.items()}

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Say the next line of whoever is asked."""
        agent = str(messages[0].author)
        order = next((m.content for m in reversed(messages) if m.role == "user" and m.author not in {USER, agent}), "")
        self.asked.append(Asked(agent, order, tuple(messages), tuple(tools)))
        own = self._lines.get(order) or self._lines.get("root" if agent == ROOT else agent) or iter(())
        line = next(own, None)
        while callable(line):
            line = await line(messages)
        match line:
            case None:
                self.unexpected.append(f"{agent} on {order!r}")
                return Reply()
            case BaseException():
                raise line
            case str():
                return Reply(text=line)
            case Reply():
                return line
            case (str() as tool_name, Mapping() as arguments):
                return Reply(tool_calls=(self._call((tool_name, arguments)),))
        return Reply(tool_calls=tuple(self._call(call) for call in line))

    def _call(self, call: Call) -> ToolCall:
        return ToolCall(id=f"call-{next(self._ids)}", name=call[0], arguments=dict(call[1]))

    def of(self, agent: str) -> list[Asked]:
        """Return what an agent was asked, in order."""
        names = {ROOT, agent} if agent == "root" else {agent}
        return [asked for asked in self.asked if asked.agent in names]


TeamOf = Callable[..., tuple[Engine, Cast]]
"""Makes an octet and the cast that plays it: the fixture ``team``."""


@dataclass
class Gate:
    """Holds whoever comes until it is opened, and tells when somebody is there."""

    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    opened: asyncio.Event = field(default_factory=asyncio.Event)

    async def pass_through(self) -> None:
        """Wait for the gate to open."""
        self.arrived.set()
        await self.opened.wait()

    def then(self, line: Line) -> Play:
        """Say a line once the gate is open."""

        async def play(_messages: Sequence[Message]) -> Line:
            await self.pass_through()
            return line

        return play

    def opening(self, line: Line) -> Play:
        """Open the gate and say a line."""

        async def play(_messages: Sequence[Message]) -> Line:
            self.opened.set()
            return line

        return play

    def tool(self, name: str, **options: Any) -> Tool:
        """Make a tool that waits at the gate."""

        async def hold() -> str:
            """Wait."""
            await self.pass_through()
            return f"{name} is through"

        return tool(hold, name=name, **{"safety": "safe", **options})


@dataclass
class Person:
    """Somebody who answers every question the same way, in his own time."""

    allows: bool = True
    name: str = "person"
    scope: Scope = "once"
    asked: list[ApprovalRequest] = field(default_factory=list)

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Think for a moment."""
        self.asked.append(request)
        await asyncio.sleep(0)
        return ApprovalAnswer(self.allows, self.name, "" if self.allows else "I would rather not", self.scope)


async def until(is_so: Callable[[], bool]) -> None:
    """Let others go on until something is so; the limit only ends a hang."""
    async with asyncio.timeout(60):
        while not is_so():  # noqa: ASYNC110 - what is waited for is no event
            await asyncio.sleep(0)


def answers(asked: Asked, tool_name: str) -> list[dict[str, Any]]:
    """Return what calls of a control tool were answered with."""
    return [
        json.loads(message.content)
        for message in asked.messages
        if message.role == "tool" and message.tool_name == tool_name and not message.is_error
    ]


def errors(asked: Asked) -> list[str]:
    """Return the errors that calls were answered with."""
    return [message.content for message in asked.messages if message.role == "tool" and message.is_error]


def merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Lay one tree of settings over another."""
    both = dict(one)
    for key, value in other.items():
        both[key] = merged(both.get(key, {}), value) if isinstance(value, Mapping) else value
    return both
