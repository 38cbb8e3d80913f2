"""What an agent is offered for control: which calls, and the closed sets of names they take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lango_nb.core.messages import ToolSchema
from lango_nb.models.offline.conversation import TRANSFER
from lango_nb.tools.builtin import control_among

SPAWN = "agent_spawn"
WAIT = "agent_wait"
STOP = "agent_stop"
DELEGATE = "delegate"
OUTPUT = "tool_output_get"
_HAND_OVERS = tuple(ToolSchema(name=name, role="control") for name in (TRANSFER, DELEGATE))


@dataclass(frozen=True, slots=True)
class Offer:
    """The control calls of an agent."""

    names: frozenset[str]
    """The control tools it is offered: they keep the work going, and no request of a user is met by one of them."""
    targets: tuple[tuple[str, frozenset[str] | None], ...]
    """Each call that hands work over, with the names it takes; ``None`` where the schema does not close the set."""

    @classmethod
    def read(cls, tools: Sequence[ToolSchema]) -> Offer:
        """Read tool schemas."""
        control = control_in(tools)
        by_name = {tool.name: tool for tool in tools if tool.name in control}
        wanted = ((TRANSFER, "agent_name"), (SPAWN, "agent"), (DELEGATE, "agent_name"))
        return cls(
            frozenset(by_name),
            tuple((name, _enum(by_name[name], parameter)) for name, parameter in wanted if name in by_name),
        )

    @property
    def has_runs(self) -> bool:
        """Whether work may be given away in any way but by transfer."""
        return any(name != TRANSFER for name, _ in self.targets)

    def way_to(self, agent: str) -> str:
        """Return the call that reaches an agent; empty when none does.

        Examples
        --------
        >>> Offer(frozenset(), ((TRANSFER, frozenset({"remote"})), (SPAWN, None))).way_to("vault")
        'agent_spawn'
        """
        for name, agents in self.targets:
            if agents is None or agent in agents:
                return name
        return ""


def control_in(tools: Sequence[ToolSchema]) -> frozenset[str]:
    """Return the names that mean control tools, hand-overs among them, where these tools are offered."""
    return control_among((*_HAND_OVERS, *tools))


def _enum(tool: ToolSchema, parameter: str) -> frozenset[str] | None:
    """Return the closed set of values of a parameter."""
    properties = tool.parameters.get("properties")
    shape = properties.get(parameter) if isinstance(properties, dict) else None
    values = shape.get("enum") if isinstance(shape, dict) else None
    return frozenset(str(value) for value in values) if isinstance(values, list) else None
