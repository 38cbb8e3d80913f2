"""The system that the speed of a turn is measured on: a root, eight specialists with five tools each, an instant model.

The model answers at once at our own seam (:class:`lango_nb.models.model.Model`), so what is measured is the engine. It
is stateless and looks only at the last message, and the final answer holds the turn's nonce only if the tool really
ran, its result reached the specialist's model, and the specialist's answer reached the user:

    hello      root: text                                                        one model call
    delegate   root: transfer → specialist: tool call → specialist: answer       three model calls, one tool call
               by delegate or spawn the root says what came of it: four, or with agent_wait five, model calls
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from lango_nb.config.settings import Settings
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.engine import Engine
from lango_nb.records.turns import Trace
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.topology import PromptSection, Topology
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool

SPECIALISTS = ("files", "mail", "web", "calendar", "shell", "notes", "data", "review")
TOOLS_EACH = 5
HELLO = "Hello, who are you?"
DELEGATE = "Please read the file for this turn and tell me what it says."
Control = Literal["transfer", "delegate", "spawn"]
MODEL_CALLS: dict[Control, int] = {"transfer": 3, "delegate": 4, "spawn": 5}
"""Of a delegated turn."""


@dataclass
class Probe:
    """What really happened in a turn, and the instant model itself."""

    control: Control = "transfer"
    mode: Literal["hello", "delegate"] = "hello"
    nonce: int = 0
    model_calls: int = 0
    tool_runs: int = 0
    root_saw: int = 0
    """Number of messages in the last request of the root."""
    _ids: itertools.count[int] = field(default_factory=itertools.count)

    name = "instant"

    def start(self, mode: Literal["hello", "delegate"]) -> None:
        """Begin a turn."""
        self.mode = mode
        self.nonce += 1
        self.model_calls = self.tool_runs = self.root_saw = 0

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Answer at once."""
        self.model_calls += 1
        author, last = messages[0].author, messages[-1].content
        if author == "root":
            self.root_saw = len(messages)
            if self.mode == "hello":
                return Reply(text="Hello there.")
            if messages[-1].tool_name == "agent_spawn":
                return self._call("agent_wait", agent_id=json.loads(last)["agent_id"])
            if messages[-1].role == "tool":
                return Reply(text=last if self.control == "delegate" else json.loads(last)["result"])
            return self._hand_over(SPECIALISTS[0])
        if "FILE:" in last:
            return Reply(text="ANS:" + last)
        return self._call(f"{author}_read", path=f"/data/{self.nonce}.txt")

    def _hand_over(self, name: str) -> Reply:
        match self.control:
            case "transfer":
                return self._call("transfer_to_agent", agent_name=name)
            case "delegate":
                return self._call("delegate", agent_name=name, goal="read the file")
            case "spawn":
                return self._call("agent_spawn", agent=name, instruction="read the file")

    def _call(self, name: str, **arguments: str) -> Reply:
        return Reply(tool_calls=(ToolCall(id=f"call-{next(self._ids)}", name=name, arguments=dict(arguments)),))

    def check(self, trace: Trace) -> None:
        """See that the turn did what it should have done."""
        turn = trace.turn
        if self.mode == "hello":
            expected = ("success", "Hello there.", 1, 0)
        else:
            expected = ("success", f"ANS:FILE:/data/{self.nonce}.txt:ok", MODEL_CALLS[self.control], 1)
        found = (turn.outcome, turn.answer, self.model_calls, self.tool_runs)
        if found != expected:
            raise AssertionError(f"the turn went wrong: {found}, expected {expected}")


def make_tools(probe: Probe) -> list[Tool]:
    """Make five tools for every specialist from fresh typed functions; only ``read`` does something."""

    def read(path: str) -> str:
        """Read a text file and return its content.

        Parameters
        ----------
        path : str
            The path of the file to read.
        """
        probe.tool_runs += 1
        return f"FILE:{path}:ok"

    def write(path: str, text: str) -> str:
        """Write a text file.

        Parameters
        ----------
        path : str
            The path of the file to write.
        text : str
            The new content.
        """
        return f"{path}: {len(text)} characters"

    def search(query: str, limit: int = 10) -> str:
        """Search for something.

        Parameters
        ----------
        query : str
            What to look for.
        limit : int
            How many results at most.
        """
        return query[:limit]

    def summarize(text: str, words: int = 100) -> str:
        """Summarize a text.

        Parameters
        ----------
        text : str
            The text to shorten.
        words : int
            How long the summary may be.
        """
        return " ".join(text.split()[:words])

    def remember(key: str, value: str, tags: list[str] | None = None) -> str:
        """Keep a value for later.

        Parameters
        ----------
        key : str
            The name to keep it under.
        value : str
            The value to keep.
        tags : list of str, optional
            Optional tags.
        """
        return f"{key}={value} {tags or ''}"

    functions = (read, write, search, summarize, remember)
    return [
        tool(function, name=f"{name}_{function.__name__}", safety="safe")
        for name in SPECIALISTS
        for function in functions
    ]


def make_topology(control: Control = "transfer") -> Topology:
    """Describe the root and its specialists."""
    agents = tuple(
        AgentSpec(
            name=name,
            description=f"Does everything about {name}.",
            instruction=f"You are the {name} specialist. Use your tools, then answer in one sentence.",
            prefixes=(f"{name}_",),
        )
        for name in SPECIALISTS
    )
    text = "You are the root. Answer directly, or hand the request to the right specialist."
    return Topology(
        name="eight",
        root="root",
        agents=agents,
        control=control,
        root_sections=(PromptSection(id="role", text=text),),
    )


def make_engine(probe: Probe, store: Path | None = None) -> Engine:
    """Put the engine together from nothing: 40 tools of functions, nine agents, the instant model."""
    settings = Settings.model_validate({"background": {"enabled": True}}) if probe.control == "spawn" else None
    topology = make_topology(probe.control)
    return Engine(settings, topology=topology, tools=make_tools(probe), model=probe, store=store)


def first_answer() -> Trace:
    """Build everything and run the first delegated request to its answer."""
    probe = Probe()
    engine = make_engine(probe)
    probe.start("delegate")
    trace = asyncio.run(engine.run(DELEGATE))
    probe.check(trace)
    return trace
