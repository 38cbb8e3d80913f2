"""Transfer: the root gives a request away with ``transfer_to_agent``, and the specialist answers the user itself.

    root ── transfer_to_agent(agent_name="vault") ──▶ vault ── answer ──▶ user
      ▲                                                │
      ├───────────────── [REJECT] … ───────────────────┤   sextet: in words
      └── transfer_to_agent(agent_name=<the root>) ────┘   where the topology escalates: with a call

The first hand-over of a reply wins. The name is checked when the call comes in, not only in the schema: a model that
invents or abbreviates one gets a typed refusal with the valid names, and is never guessed at.
"""

from __future__ import annotations

from functools import lru_cache

from lango_nb.core.messages import ToolCall, ToolSchema
from lango_nb.routing.build import CONTROL_TOOLS
from lango_nb.routing.tree import AgentNode, AgentTree
from lango_nb.runtime.control.protocol import Refusal, Target, refuse_arguments, refuse_name
from lango_nb.tools.tool import Tool

TRANSFER = CONTROL_TOOLS["transfer"]


class TransferControl:
    """The control of quartet and sextet; in octet what reaches attached agents."""

    def owns(self, tool: str) -> bool:
        """Tell whether a call is a transfer."""
        return tool == TRANSFER

    def tools(self, node: AgentNode, tree: AgentTree) -> tuple[Tool, ...]:  # noqa: ARG002 - none for anybody
        """Return nothing: a transfer needs no other tool."""
        return ()

    def schemas(self, node: AgentNode, tree: AgentTree) -> tuple[ToolSchema, ...]:
        """Offer the root every attached agent, and a specialist the way back where the topology escalates."""
        names = self.targets(node, tree)
        return _schemas(names, is_return=node is not tree.root) if names else ()

    def targets(self, node: AgentNode, tree: AgentTree) -> tuple[str, ...]:
        """Return the names an agent may hand over to."""
        if node is tree.root:
            return tree.attached
        is_theirs = tree.topology.decline == "escalate" and node.is_attached
        return (tree.root.name,) if is_theirs else ()

    def read(self, call: ToolCall, author: AgentNode, tree: AgentTree) -> Target | Refusal:
        """Check the name, spelling and all."""
        names = self.targets(author, tree)
        name = call.arguments.get("agent_name")
        if call.error or not isinstance(name, str) or not name:
            return refuse_arguments(call, "agent_name", names, name)
        if name not in names:
            return refuse_name(call, name, author.name, names)
        if tree[name].role == "remote":
            detail = f"{name} is a remote agent, and none can be reached in this version; choose another agent"
            return Refusal(call, name, "unavailable", detail)
        reason = str(call.arguments.get("reason") or "")
        return Target(call, tree[name], reason, "return" if name == tree.root.name else "transfer")


@lru_cache(maxsize=64)
def _schemas(names: tuple[str, ...], *, is_return: bool) -> tuple[ToolSchema, ...]:
    does = (
        "Give control back when the request is not yours. Say in one visible sentence why before you call it."
        if is_return
        else "Hand the request to the specialist that owns it. The specialist answers the user."
    )
    schema = ToolSchema(
        name=TRANSFER,
        role="control",
        description=does,
        parameters={
            "type": "object",
            "properties": {
                "agent_name": {"type": "string", "enum": list(names), "description": "Exact name of the agent."},
                "reason": {"type": "string", "description": "Why this agent, in one short sentence."},
            },
            "required": ["agent_name"],
        },
    )
    return (schema,)
