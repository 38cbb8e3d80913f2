"""What a turn needs to know about a way to hand work over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from lango_nb.core.messages import ToolCall, ToolSchema
from lango_nb.routing.tree import AgentNode, AgentTree

RefusalCode = Literal[
    "unknown_agent", "second_target", "self", "round_limit", "already_declined", "bad_arguments", "unavailable"
]


@dataclass(frozen=True, slots=True)
class Target:
    """A hand-over that may happen."""

    call: ToolCall
    node: AgentNode
    reason: str
    """The model's own words for why; may be empty."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A hand-over that may not."""

    call: ToolCall
    name: str
    """The name the model gave."""
    code: RefusalCode
    detail: str
    """What was wrong and which names are valid; the model reads it."""


class Control(Protocol):
    """One way to hand work over."""

    def owns(self, tool: str) -> bool:
        """Tell whether a call of this tool hands work over."""
        ...

    def schemas(self, node: AgentNode, tree: AgentTree) -> tuple[ToolSchema, ...]:
        """Return the tools with which an agent hands work over; none for most specialists."""
        ...

    def read(self, call: ToolCall, author: AgentNode, tree: AgentTree) -> Target | Refusal:
        """Check one call: the name must be in the closed set of valid names."""
        ...
