"""Looking at agents and tools: who is there, who owns what, what an agent is told, who would get a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lango_nb.commands.command import DRAWING, Command, Option, Output, Word
from lango_nb.commands.text import picked
from lango_nb.core.errors import UsageError

if TYPE_CHECKING:
    from lango_nb.commands.command import Notebook
    from lango_nb.commands.terminal.session import Terminal
    from lango_nb.lab import Lab
    from lango_nb.routing.diff import TreeDiff
    from lango_nb.routing.partition import Partition
    from lango_nb.routing.route import Route
    from lango_nb.routing.tree import AgentNode, AgentTree
    from lango_nb.specs.topology import Topology
    from lango_nb.tools.tool import Tool
    from lango_nb.viz.view import ListView, View


def _is_lab_or_topology(value: object) -> bool:
    from lango_nb.lab import Lab
    from lango_nb.specs.topology import Topology

    return isinstance(value, Lab | Topology)


def _is_comparable(value: object) -> bool:
    from lango_nb.routing.tree import AgentTree
    from lango_nb.viz.view import View

    return _is_lab_or_topology(value) or isinstance(value.record if isinstance(value, View) else value, AgentTree)


@Command(
    "use",
    "switch to another topology, or to another Lab; without a name, list the topologies",
    "%lango use octet",
    Word("topology", "TOPOLOGY", "topology", "or a variable that holds a Lab", is_variable=_is_lab_or_topology),
    group="change",
    acts=True,
).in_notebook
def use(notebook: Notebook, topology: str | Topology | Lab | None = None) -> View[Any]:
    """List the topologies, or go on with another topology or Lab."""
    from lango_nb.lab import Lab

    if topology is None:
        return _topologies(notebook.lab)
    if not isinstance(topology, Lab):
        return notebook.lab.use(topology)
    notebook.go_on_with(topology)
    return topology.status


def _topologies(lab: Lab) -> View[tuple[Topology, ...]]:
    from lango_nb.lab.view_types import listing
    from lango_nb.viz.table import Table

    found = lab.topologies
    rows = tuple(
        (one.name, "yes" if one.name == lab.topology else "", str(len(one.agents) + 1), one.control, one.title)
        for one in found
    )
    columns = ("topology", "in use", "agents", "control", "what it is")
    return listing(found, Table("topologies", columns, rows, "%lango use NAME goes on with another one"))


@Command("status", "show what is loaded: topology, agents, tools, model, workspace, turns", where="notebook")
def status(lab: Lab) -> View[Any]:
    """Show what is loaded."""
    return lab.status


@Command("tree", "show the agent tree", formats=DRAWING)
def tree(lab: Lab) -> View[AgentTree]:
    """Show the tree."""
    return lab.tree


@Command("agents", "list the agents and what each is for")
def agents(lab: Lab) -> View[AgentTree]:
    """List the agents."""
    return lab.agents


@Command(
    "tools",
    "list the tools with their owners; with words, those that fit",
    "%lango tools file",
    Word("words", "WORD", "tool", "in a name or a description", is_many=True),
)
def tools(lab: Lab, words: tuple[str, ...] = ()) -> ListView[Tool]:
    """List the tools, or those that fit."""
    return lab.tools(" ".join(words) or None)


@Command("hooks", "list the hooks around every tool call, and why each is wired or not", where="notebook")
def hooks(lab: Lab) -> View[Any]:
    """List the hooks."""
    return lab.hooks


def _partition_data(tree: AgentTree) -> dict[str, Any]:
    partition = tree.partition
    by_name = {tool.name: tool for tool in partition.tools}
    tools = [
        {
            "tool": one.tool,
            "family": by_name[one.tool].family,
            **picked(one, "agent rule prefix rank"),
            "also": [{"agent": agent, "prefix": prefix} for agent, prefix in one.also],
            "reason": one.reason,
            "by_name_only": by_name[one.tool].is_by_name,
        }
        for one in partition.assignments
    ]
    return {
        "topology": tree.topology.name,
        "root": tree.root.name,
        "order": partition.order,
        "agents": {agent: partition[agent] for agent in partition},
        **{name: [tool.name for tool in getattr(partition, name)] for name in ("unmatched", "universal", "dropped")},
        "tools": tools,
    }


@Command("partition", "show which agent owns which tool, and why", "p = %lango partition", formats=DRAWING)
def partition(lab: Lab) -> View[Partition]:
    """Show who owns what."""
    return lab.partition


@partition.in_terminal
def _partition_in_terminal(terminal: Terminal) -> Output:
    lab = terminal.lab()
    return Output.of(lab.partition, lambda: _partition_data(lab.tree.record))


@Command(
    "diff",
    "compare with another tree, or a topology as it ships: which tools change owner, which agents come and go",
    "%lango diff quartet",
    Word(
        "other",
        "OTHER",
        "topology",
        "a topology; in a notebook also a variable that holds a Lab or a tree",
        is_required=True,
        is_variable=_is_comparable,
    ),
    options=(Option("--before", "show what the last change did", where="notebook", stands_alone=True),),
)
def diff(lab: Lab, other: Any = None, before: bool = False) -> View[TreeDiff]:
    """Compare with another tree, or with the one before the last change."""
    if before and other is not None:
        raise UsageError("--before compares with the last state and takes no name; keep one of the two")
    return lab.diff(other)


@Command(
    "prompt",
    "show an agent's prompt by section; without a name, the root's",
    "%lango prompt librarian",
    Word("agent", "AGENT", "agent", "whose prompt; the root's when absent"),
)
def prompt(lab: Lab, agent: str | None = None) -> View[AgentNode]:
    """Show a prompt."""
    return lab.prompt(agent)


def route_data(route: Route) -> dict[str, Any]:
    """Return a route as plain data."""
    decided = "text chosen reason is_conversation is_abstention runner_up margin threshold"
    candidates = [
        {
            **picked(one, "agent score confidence vetoes"),
            "signals": [picked(signal, "kind term weight") for signal in one.signals],
        }
        for one in route.candidates
    ]
    return {
        **picked(route, decided),
        **picked(route, "confidence root_confidence domains"),
        "candidates": candidates,
    }


@Command(
    "route",
    "show who would get a request, and why no other agent; no model is asked",
    "%lango route who reads the files here?",
    has_text=True,
    cell="text",
    formats=DRAWING,
    data=route_data,
    group="ask",
)
def route(lab: Lab, text: str) -> View[Route]:
    """Say who would get a request."""
    return lab.route(text)
