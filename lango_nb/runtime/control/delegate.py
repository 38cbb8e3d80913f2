"""Delegate: one tool with a closed list of names; the delegate works in a run of its own, its answer is the result.

    root ── delegate(agent_name="reader", goal="…") ──▶ a fresh run of reader
      ◀───────────────── its answer ─────────────────────┘

Several calls in one reply run at the same time. A delegate may delegate further where its definition says so
(``constraints.can_spawn`` and ``delegates``).
"""

from __future__ import annotations

from functools import lru_cache

from lango_nb.core.messages import ToolCall, ToolSchema
from lango_nb.routing.build import CONTROL_TOOLS
from lango_nb.routing.tree import AgentNode, AgentTree
from lango_nb.runtime.control.protocol import Refusal, Target, refuse_arguments, refuse_name
from lango_nb.tools.tool import Tool

DELEGATE = CONTROL_TOOLS["delegate"]


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
        return _schemas(node.delegates) if node.delegates else ()

    def read(self, call: ToolCall, author: AgentNode, tree: AgentTree) -> Target | Refusal:
        """Check name and goal."""
        names = author.delegates
        given = call.arguments
        name, goal = given.get("agent_name"), given.get("goal")
        if call.error or not isinstance(name, str) or not name:
            return refuse_arguments(call, "agent_name and goal", names, name)
        if name not in names:
            return refuse_name(call, name, author.name, names)
        if not isinstance(goal, str) or not goal.strip():
            return refuse_arguments(call, f"goal: say what {name} has to do", names, name)
        if tree[name].role == "remote":
            detail = f"{name} is a remote agent, and none can be reached in this version; choose another agent"
            return Refusal(call, name, "unavailable", detail)
        hints = given.get("hints")
        lines = "\n".join(_as_item(hint) for hint in hints) if isinstance(hints, list) and hints else ""
        instruction = f"{goal}\n\nHints:\n{lines}" if lines else goal
        return Target(call, tree[name], str(given.get("reason") or ""), "delegate", instruction)


def _as_item(hint: object) -> str:
    """Write a hint as an item of a list, its further lines indented."""
    return "- " + str(hint).replace("\n", "\n  ")


@lru_cache(maxsize=64)
def _schemas(names: tuple[str, ...]) -> tuple[ToolSchema, ...]:
    schema = ToolSchema(
        name=DELEGATE,
        role="control",
        description="Give a goal to another agent. It works on its own; what it answers is this call's result.",
        parameters={
            "type": "object",
            "properties": {
                "agent_name": {"type": "string", "enum": list(names), "description": "Exact name of the agent."},
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
    return (schema,)
