"""A topology as data: who is in the tree, in which order tools are matched, and how work is handed over.

A topology is a folder ``lango_nb/topologies/<name>`` with a ``topology.yaml`` and one ``agents/<agent>/AGENT.md`` per
agent. Nothing in the code asks for a topology's name: a difference between two of them is a field here.
"""

from __future__ import annotations

from typing import Literal

from lango_nb.core.frozen import Checked
from lango_nb.specs.agent import AgentSpec

Control = Literal["none", "transfer", "spawn", "delegate"]
Decline = Literal["none", "reject", "escalate", "fail"]
Ownership = Literal["prefix", "listed"]


class PromptSection(Checked):
    """One section of a prompt."""

    id: str
    """Unique within a prompt; adding a section with the same id replaces it."""
    title: str = ""
    """Heading; none when empty."""
    text: str = ""
    """Body. May hold ``{max_rounds}``, ``{agent_names}``, ``{root}``, ``{control_tool}``, ``{attached}`` and
    ``{unmatched}``."""
    render: Literal["text", "agents", "routing_table", "unmatched", "delegates"] = "text"
    """What follows the text: nothing, a line per agent, the routing table, the unmatched tools, or the agents that the
    reader may delegate to.

    A section rendering ``unmatched`` is left out while there are none.
    """
    priority: int = 500
    """Sections are sorted by this, lowest first."""


class Topology(Checked):
    """One shape of a multi-agent system."""

    name: str
    title: str = ""
    """A few words for lists."""
    description: str = ""
    """One paragraph."""
    source: str = ""
    """The document it follows."""
    root: str
    """Name of the root agent."""
    root_description: str = ""
    root_spec: AgentSpec | None = None
    """The root's own definition, where it has one like any other agent."""
    ownership: Ownership = "prefix"
    """Whether a tool belongs to the one agent that claims its prefix, or to all that list it by name."""
    agents: tuple[AgentSpec, ...] = ()
    """The roster, in the order in which trees and tables show it."""
    match_order: tuple[str, ...] = ()
    """Who is asked first when a tool looks for its owner; agents not named are asked last, in the roster's order."""
    unmatched_to: str | None = None
    """Agent that takes tools nobody claims; ``None`` keeps them in a bucket of their own."""
    root_prefixes: tuple[str, ...] = ("builtin_",)
    """Control tools that stay with the root and are in no partition; every role that has tools gets the others."""
    shared_prefixes: tuple[str, ...] = ()
    """Tools that have an owner, and that every other agent with tools of its own works with too."""
    control: Control = "none"
    """How the root hands work over."""
    decline: Decline = "none"
    """How a specialist says that a request is not its own."""
    max_rounds: int = 5
    """Replies of one turn that may hand work over."""
    max_steps: int = 75
    """Model calls of one turn."""
    max_depth: int = 3
    """How many runs may hang below each other; the root's own are at depth 1."""
    root_sections: tuple[PromptSection, ...] = ()
    """The root's own sections; they replace identity and tool usage of the shared prompt."""
    specialist_sections: tuple[PromptSection, ...] = ()
    """Sections added to every specialist that has tools."""
    planner_sections: tuple[PromptSection, ...] = ()
    """Sections added to every specialist that has none."""

    @property
    def is_single(self) -> bool:
        """Whether the root works alone."""
        return self.control == "none"
