"""Transfer: the root gives a request away with ``transfer_to_agent``, and the specialist answers the user itself.

    root ── transfer_to_agent(agent_name="vault") ──▶ vault ── answer ──▶ user
      ▲                                                │
      └───────────────── [REJECT] … ───────────────────┘

The name is checked when the call comes in, not only in the schema: a model that invents or abbreviates one gets a typed
refusal with the valid names, and is never guessed at.
"""

from __future__ import annotations

from functools import lru_cache

from lango_nb.core.errors import closest, shorten
from lango_nb.core.messages import ToolCall, ToolSchema
from lango_nb.routing.build import CONTROL_TOOLS
from lango_nb.routing.tree import AgentNode, AgentTree
from lango_nb.runtime.control.protocol import Refusal, Target

TRANSFER = CONTROL_TOOLS["transfer"]


class TransferControl:
    """The control of quartet and sextet."""

    def owns(self, tool: str) -> bool:
        """Tell whether a call is a transfer."""
        return tool == TRANSFER

    def schemas(self, node: AgentNode, tree: AgentTree) -> tuple[ToolSchema, ...]:
        """Return the transfer tool for the root, with a closed list of names; nothing for specialists."""
        if node.role != "orchestrator" or not tree.agents:
            return ()
        return _schemas(tuple(agent.name for agent in tree.agents))

    def read(self, call: ToolCall, author: AgentNode, tree: AgentTree) -> Target | Refusal:
        """Check the name, spelling and all."""
        names = [agent.name for agent in tree.agents]
        name = call.arguments.get("agent_name")
        if call.error or not isinstance(name, str) or not name:
            detail = call.error or f"{TRANSFER} needs agent_name, one of: {', '.join(names)}"
            return Refusal(call, str(name or ""), "bad_arguments", detail)
        if name == author.name:
            return Refusal(call, name, "self", f"{name} cannot hand over to itself; choose one of: {', '.join(names)}")
        if name not in names:
            near = closest(name, names)
            hint = f"did you mean {near!r}? " if near else ""
            detail = f"there is no agent {shorten(name)!r}; {hint}valid names: {', '.join(names)}"
            return Refusal(call, name, "unknown_agent", detail)
        if tree[name].role == "remote":
            detail = f"{name} is a remote agent, and none can be reached in this version; choose another agent"
            return Refusal(call, name, "unavailable", detail)
        return Target(call, tree[name], str(call.arguments.get("reason") or ""))


@lru_cache(maxsize=64)
def _schemas(names: tuple[str, ...]) -> tuple[ToolSchema, ...]:
    schema = ToolSchema(
        name=TRANSFER,
        description="Hand the request to the specialist that owns it. The specialist answers the user.",
        parameters={
            "type": "object",
            "properties": {
                "agent_name": {"type": "string", "enum": list(names), "description": "Exact name of the specialist."},
                "reason": {"type": "string", "description": "Why this specialist, in one short sentence."},
            },
            "required": ["agent_name"],
        },
    )
    return (schema,)
