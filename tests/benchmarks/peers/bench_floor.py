"""The floor: the same model calls in a loop written by hand, with validated messages and arguments. No framework."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import BaseModel
from pydantic_core import SchemaValidator, core_schema

if TYPE_CHECKING:
    from tests.benchmarks.peers.common import ROOT_PROMPT, SPEC_PROMPT, SPECIALISTS, Bench, Probe, tool_functions
else:
    from common import ROOT_PROMPT, SPEC_PROMPT, SPECIALISTS, Bench, Probe, tool_functions


class Call(BaseModel):
    """A tool call as the model writes it."""

    id: str
    name: str
    arguments: str


class Message(BaseModel):
    """An entry of the history."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    calls: list[Call] = []
    call_id: str = ""


History = list[Message]
Model = Callable[[History, list[dict[str, Any]]], Awaitable[dict[str, Any]]]
TYPES: dict[Any, tuple[Any, dict[str, Any]]] = {
    str: (core_schema.str_schema(), {"type": "string"}),
    int: (core_schema.int_schema(), {"type": "integer"}),
    list[str] | None: (
        core_schema.nullable_schema(core_schema.list_schema(core_schema.str_schema())),
        {"type": ["array", "null"], "items": {"type": "string"}},
    ),
}
"""How the types the tools use are checked and described."""


class Tool:
    """A function with what checks its arguments."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.function = function
        parameters = inspect.signature(function, eval_str=True).parameters
        fields, properties = {}, {}
        for key, parameter in parameters.items():
            check, properties[key] = TYPES[parameter.annotation]
            fields[key] = core_schema.typed_dict_field(check, required=parameter.default is parameter.empty)
        self._arguments = SchemaValidator(core_schema.typed_dict_schema(fields, extra_behavior="forbid"))
        self.schema = {
            "name": name,
            "description": inspect.getdoc(function),
            "parameters": {"type": "object", "properties": properties},
        }

    async def call(self, text: str) -> str:
        """Check the arguments and call the function."""
        answer = self.function(**self._arguments.validate_json(text))
        return str(await answer if inspect.isawaitable(answer) else answer)


class Agent:
    """A prompt, a model, tools, and whom it may transfer to."""

    def __init__(self, prompt: str, model: Model, tools: dict[str, Tool]) -> None:
        self.system = Message(role="system", content=prompt)
        self.model, self.tools = model, tools
        self.schemas = [tool.schema for tool in tools.values()]
        self.targets: dict[str, Agent] = {}

    async def run(self, history: History) -> str:
        """Work until there is a text."""
        agent = self
        while True:
            reply = Message.model_validate(await agent.model([agent.system, *history], agent.schemas))
            history.append(reply)
            if not reply.calls:
                return reply.content
            first, *more = reply.calls
            if first.name in agent.targets:
                agent = agent.targets[first.name]
                answers = ["transferred"]
            elif more:
                tools = agent.tools
                answers = await asyncio.gather(*(tools[call.name].call(call.arguments) for call in reply.calls))
            else:
                answers = [await agent.tools[first.name].call(first.arguments)]
            history += [
                Message(role="tool", content=answer, call_id=call.id)
                for call, answer in zip(reply.calls, answers, strict=True)
            ]


def tail(history: History) -> str:
    """Return the last message's text, or those of all the tool results at the end."""
    count = 0
    while history[-1 - count].role == "tool":
        count += 1
    return " ".join(message.content for message in history[-max(count, 1) :])


class Floor(Bench):
    """The floor under both idioms."""

    name = "floor"
    dists: ClassVar[list[str]] = ["pydantic"]
    modes: ClassVar[dict[str, int]] = {"astool": 4, "handoff": 3}
    fanout_modes: ClassVar[dict[str, int]] = {"astool": 4}
    notes = "a loop written by hand, no framework; blocking tools are called on the loop"

    def make_tree(self, probe: Probe, mode: str) -> Agent:
        """Make the root and its specialists."""
        prefix = "transfer_to_" if mode == "handoff" else "ask_"
        specialists = {
            prefix + name: Agent(
                SPEC_PROMPT.format(name=name),
                self._specialist(probe, name),
                {function.__name__: Tool(function.__name__, function) for function in tool_functions(probe, name)},
            )
            for name in SPECIALISTS
        }
        if mode == "handoff":
            root = Agent(ROOT_PROMPT, self._root(probe, prefix), {})
            root.targets = specialists
            return root
        asking = {name: Tool(name, self._ask(agent)) for name, agent in specialists.items()}
        return Agent(ROOT_PROMPT, self._root(probe, prefix), asking)

    @staticmethod
    def _ask(agent: Agent) -> Callable[[str], Awaitable[str]]:
        async def ask(task: str) -> str:
            """Ask the specialist."""
            return await agent.run([Message(role="user", content=task)])

        return ask

    @staticmethod
    def _specialist(probe: Probe, name: str) -> Model:
        async def model(history: History, _schemas: list[dict[str, Any]]) -> dict[str, Any]:
            if probe.sleep:
                await probe.nap()
            kind, said = probe.spec(name, len(history), tail(history))
            return _text(said) if kind == "text" else _calls(probe, ("fs_read", {"path": said}))

        return model

    @staticmethod
    def _root(probe: Probe, prefix: str) -> Model:
        async def model(history: History, _schemas: list[dict[str, Any]]) -> dict[str, Any]:
            if probe.sleep:
                await probe.nap()
            kind, said = probe.root(len(history), tail(history))
            return (
                _text(said) if kind == "text" else _calls(probe, *((prefix + name, {"task": "read"}) for name in said))
            )

        return model

    async def open_session(self, tree: Agent, sid: str, db: str | None = None) -> tuple[Agent, History]:
        """Begin an empty history."""
        return tree, []

    async def turn(self, session: tuple[Agent, History], text: str) -> str:
        """Run one turn."""
        root, history = session
        history.append(Message(role="user", content=text))
        return await root.run(history)


def _text(said: str) -> dict[str, Any]:
    return {"role": "assistant", "content": said}


def _calls(probe: Probe, *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    made = [{"id": probe.call_id(), "name": name, "arguments": json.dumps(given)} for name, given in calls]
    return {"role": "assistant", "calls": made}


BENCH = Floor()
