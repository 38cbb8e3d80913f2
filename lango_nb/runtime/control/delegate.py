"""Delegate: one tool with a closed list of names; the delegate works in a run of its own, its answer is the result.

    root ── delegate(agent_name="reader", goal="…") ──▶ a fresh run of reader
      ◀───────────────── its answer ─────────────────────┘

Several calls in one reply run at the same time. A delegate may delegate further where its definition says so
(``constraints.can_spawn`` and ``delegates``).

Notes
-----
Source: Quick Start: Agent Delegation Architecture (spec 004), "Delegate Tool Definition", "LLM Response & Parsing".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from lango_nb.core.json_value import JsonValue
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.routing.build import CONTROL_TOOLS
from lango_nb.routing.tree import AgentNode, AgentTree
from lango_nb.runtime.control.protocol import Refusal, Target, refuse_arguments, refuse_name
from lango_nb.specs.agent import AgentSpec
from lango_nb.tools.tool import Tool

DELEGATE = CONTROL_TOOLS["delegate"]


class Delegation(NamedTuple):
    """A goal for an agent, as a model gave it."""

    call: ToolCall
    agent_name: str
    goal: str
    hints: tuple[str, ...] = ()
    """What helps: exact names, values, earlier results."""

    @property
    def instruction(self) -> str:
        """What the agent is told: the goal, and the hints as a list below it.

        Examples
        --------
        >>> call = ToolCall(id="c", name="delegate")
        >>> print(Delegation(call, "reader", "count", ("in a.md", "words, not lines")).instruction)
        count
        <BLANKLINE>
        Hints:
        - in a.md
        - words, not lines
        """
        lines = ("- " + hint.replace("\n", "\n  ") for hint in self.hints)
        return "\n".join((f"{self.goal}\n\nHints:", *lines)) if self.hints else self.goal


class Plan(NamedTuple):
    """What the calls of one reply ask for; each call is in exactly one of the three."""

    delegations: tuple[Delegation, ...]
    others: tuple[ToolCall, ...]
    """Calls of other tools."""
    refused: tuple[Refusal, ...]
    """Calls that delegate but cannot be carried out, with what was wrong."""


class Delegating:
    """A root that delegates one goal and passes on what comes back: the model of a turn that begins with a delegation.

    Parameters
    ----------
    delegation : Delegation
    """

    name = "delegation"

    def __init__(self, delegation: Delegation) -> None:
        self._delegation = delegation

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:  # noqa: ARG002 - a Model
        """Delegate, then answer with the result."""
        last = messages[-1]
        return Reply(text=last.content) if last.role == "tool" else Reply(tool_calls=(self._delegation.call,))


class DelegateControl:
    """The control of trees whose agents are one tool away."""

    def owns(self, tool: str) -> bool:
        """Tell whether a call delegates."""
        return tool == DELEGATE

    def tools(self, node: AgentNode, tree: AgentTree) -> tuple[Tool, ...]:  # noqa: ARG002 - none for anybody
        """Return nothing: the answer comes with the call."""
        return ()

    def schemas(self, node: AgentNode, tree: AgentTree) -> tuple[ToolSchema, ...]:  # noqa: ARG002 - the node says it
        """Offer the one tool, with the names as a closed set; nothing where there is no agent to delegate to."""
        return (_tool_for(node.delegates),) if node.delegates else ()

    def read(self, call: ToolCall, author: AgentNode, tree: AgentTree) -> Target | Refusal:
        """Check name and goal."""
        found = _read(call, author.delegates, author.name)
        if isinstance(found, Refusal):
            return found
        node = tree[found.agent_name]
        if node.role == "remote":
            detail = f"{node.name} is a remote agent, and none can be reached in this version; choose another agent"
            return Refusal(call, node.name, "unavailable", detail)
        return Target(
            call, node, str(call.arguments.get("reason") or ""), "delegate", found.instruction, goal=found.goal
        )


def build_delegate_tool(agents: Iterable[AgentSpec]) -> ToolSchema:
    """Return the tool that delegates to some agents.

    Parameters
    ----------
    agents : iterable of AgentSpec
        Whom it may name, in order.

    Returns
    -------
    ToolSchema
        ``agent_name`` is a closed set; without agents any text.

    Examples
    --------
    >>> tool = build_delegate_tool([AgentSpec(name="reader"), AgentSpec(name="editor")])
    >>> tool.parameters["properties"]["agent_name"]["enum"], tool.parameters["required"]
    (['reader', 'editor'], ['agent_name', 'goal'])
    """
    return _tool_for(tuple(dict.fromkeys(agent.name for agent in agents)))


def parse_plan_response(calls: Sequence[ToolCall], agents: Sequence[str], author: str = "") -> Plan:
    """Read what the calls of a reply ask for; nothing in them raises an error.

    Parameters
    ----------
    calls : sequence of ToolCall
    agents : sequence of str
        Names that may be delegated to.
    author : str
        Whose reply it is.

    Returns
    -------
    Plan
        A call is refused that names nobody or somebody else, or that has no goal. Hints that are no list are dropped.

    Examples
    --------
    >>> call = ToolCall(id="c", name="delegate", arguments={"agent_name": "raeder", "goal": "count"})
    >>> parse_plan_response([call], ["reader"]).refused[0].detail
    "there is no agent 'raeder'; did you mean 'reader'? valid names: reader"
    """
    names = tuple(agents)
    read = [_read(call, names, author) for call in calls if call.name == DELEGATE]
    return Plan(
        tuple(one for one in read if isinstance(one, Delegation)),
        tuple(call for call in calls if call.name != DELEGATE),
        tuple(one for one in read if isinstance(one, Refusal)),
    )


def resolved_tools(node: AgentNode, tree: AgentTree) -> tuple[ToolSchema, ...]:
    """Return everything an agent of a tree is offered: the tool that delegates, then its own."""
    return (*DelegateControl().schemas(node, tree), *node.schemas)


def _read(call: ToolCall, names: tuple[str, ...], author: str) -> Delegation | Refusal:
    given = call.arguments
    name, goal = given.get("agent_name"), given.get("goal")
    if call.error or not isinstance(name, str) or not name:
        return refuse_arguments(call, "agent_name and goal", names, name)
    if name not in names:
        return refuse_name(call, name, author, names)
    if not isinstance(goal, str) or not goal.strip():
        return refuse_arguments(call, f"goal: say what {name} has to do", names, name)
    hints = given.get("hints")
    return Delegation(call, name, goal, tuple(map(str, hints)) if isinstance(hints, list) else ())


@lru_cache(maxsize=64)
def _tool_for(names: tuple[str, ...]) -> ToolSchema:
    chosen: dict[str, JsonValue] = {"enum": list(names)} if names else {}
    return ToolSchema(
        name=DELEGATE,
        role="control",
        description="Give a goal to another agent. It works on its own; what it answers is this call's result.",
        parameters={
            "type": "object",
            "properties": {
                "agent_name": {"type": "string", **chosen, "description": "Exact name of the agent."},
                "goal": {"type": "string", "description": "What it has to reach; it sees nothing but this and hints."},
                "hints": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "What helps: exact names, values, earlier results.",
                },
            },
            "required": ["agent_name", "goal"],
        },
    )
