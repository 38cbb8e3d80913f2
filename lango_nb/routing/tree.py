"""The agent tree: a root, the specialists that have work, and the remote agents, each with its prompt and its tools."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Literal

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import UnknownNameError
from lango_nb.core.messages import Message, ToolSchema
from lango_nb.routing.partition import Partition
from lango_nb.routing.table import RoutingTable
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.topology import PromptSection, Topology
from lango_nb.tools.tool import Tool

NodeRole = Literal["orchestrator", "specialist", "remote", "single"]


@dataclass(frozen=True)
class AgentNode:
    """One agent of a tree."""

    name: str
    role: NodeRole
    description: str
    spec: AgentSpec | None
    """Its definition; the root of a multi-agent tree has none."""
    tools: tuple[Tool, ...] = ()
    """What it works with, universal tools last."""
    sections: tuple[PromptSection, ...] = ()
    """Its prompt in sections, in order, placeholders filled."""
    delegates: tuple[str, ...] = ()
    """Agents it may delegate to, where work is handed over so."""
    is_attached: bool = True
    """Whether it is a sub-agent of the root, or only a routing target that gets spawned."""

    @cached_property
    def prompt(self) -> str:
        """The system prompt, as the model gets it."""
        from lango_nb.routing.prompts import render_sections

        return render_sections(self.sections)

    @cached_property
    def system_message(self) -> Message:
        """The prompt as the first message of every request."""
        return Message(role="system", content=self.prompt, author=self.name)

    @cached_property
    def tools_by_name(self) -> dict[str, Tool]:
        """Its tools by name."""
        return {tool.name: tool for tool in self.tools}

    @cached_property
    def schemas(self) -> tuple[ToolSchema, ...]:
        """Its tools as a model sees them."""
        return tuple(tool.schema for tool in self.tools)


@dataclass(frozen=True)
class AgentTree:
    """A root and its agents.

    Iterating gives the nodes, the root first.
    """

    topology: Topology
    root: AgentNode
    agents: tuple[AgentNode, ...]
    """Specialists in roster order, then custom agents, then remote ones."""
    partition: Partition
    table: RoutingTable
    skipped: tuple[str, ...] = ()
    """Agents of the roster that were not made, because no tool is theirs."""
    inactive: tuple[str, ...] = ()
    """Agents that are defined but disabled or drafts."""

    def __iter__(self) -> Iterator[AgentNode]:
        """Iterate over all nodes, root first."""
        return iter((self.root, *self.agents))

    def __contains__(self, name: object) -> bool:
        """Tell whether an agent is in the tree."""
        return name in self.by_name

    def __getitem__(self, name: str) -> AgentNode:
        """Node of one agent."""
        found = self.by_name.get(name)
        if found is None:
            raise UnknownNameError("agent", name, self.names, where=self.topology.name)
        return found

    @cached_property
    def by_name(self) -> dict[str, AgentNode]:
        """All nodes by name."""
        return {node.name: node for node in self}

    @cached_property
    def attached(self) -> tuple[str, ...]:
        """Names of the agents that are sub-agents of the root: it hands the request itself to them."""
        return tuple(agent.name for agent in self.agents if agent.is_attached)

    @cached_property
    def teammates(self) -> tuple[str, ...]:
        """Names of the agents that are mere routing targets: they work in runs."""
        return tuple(agent.name for agent in self.agents if not agent.is_attached)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all nodes, root first."""
        return tuple(self.by_name)
