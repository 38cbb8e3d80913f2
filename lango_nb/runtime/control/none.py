"""No hand-over at all: one agent works alone."""

from __future__ import annotations

from lango_nb.core.messages import ToolCall, ToolSchema
from lango_nb.routing.tree import AgentNode, AgentTree
from lango_nb.runtime.control.protocol import Refusal
from lango_nb.tools.tool import Tool


class NoControl:
    """The control of a single agent."""

    def owns(self, tool: str) -> bool:  # noqa: ARG002 - no tool hands over
        """Tell that no call hands work over."""
        return False

    def tools(self, node: AgentNode, tree: AgentTree) -> tuple[Tool, ...]:  # noqa: ARG002 - none for anybody
        """Return nothing."""
        return ()

    def schemas(self, node: AgentNode, tree: AgentTree) -> tuple[ToolSchema, ...]:  # noqa: ARG002 - none for anybody
        """Return nothing."""
        return ()

    def read(self, call: ToolCall, author: AgentNode, tree: AgentTree) -> Refusal:  # noqa: ARG002 - there is no other agent
        """Refuse: there is no other agent."""
        return Refusal(call, call.name, "unknown_agent", "this agent works alone")
