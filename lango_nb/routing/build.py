"""Build the agent tree from tools and a topology: partition, then only the agents that have work, then the prompts."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lango_nb.core.errors import DefinitionError, shorten
from lango_nb.core.text import folded
from lango_nb.routing.capabilities import action, capabilities, is_of_package, router_family, tool_capability
from lango_nb.routing.partition import Partition, partition_tools, partition_tools_dynamic
from lango_nb.routing.prompts import merge_sections, orchestrator_sections, specialist_sections
from lango_nb.routing.table import RoutingRow, RoutingTable
from lango_nb.routing.tree import AgentNode, AgentTree
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.topology import PromptSection, Topology
from lango_nb.tools.tool import Tool

CONTROL_TOOLS = {"none": "", "transfer": "transfer_to_agent", "spawn": "agent_spawn", "delegate": "delegate"}
"""The tool that hands work over, by control."""
_MOST_TOLD = 240
"""Characters of an instruction that stand in the routing table."""


def build_agent_tree(  # noqa: PLR0913 - the keywords are the tree's whole configuration
    tools: Sequence[Tool],
    topology: Topology,
    *,
    agents: Sequence[AgentSpec] = (),
    remote_agents: Sequence[AgentSpec] = (),
    shared_sections: Sequence[PromptSection] = (),
    max_rounds: int = 0,
) -> AgentTree:
    """Build the tree of agents that a topology makes of a set of tools.

    Parameters
    ----------
    tools : sequence of Tool, length n
    topology : Topology
        A single-agent topology gives one node with all tools.
    agents : sequence of AgentSpec
        User and embedded agents that join the topology's own; disabled ones are left out.
    remote_agents : sequence of AgentSpec
        Appended after the local ones; they need no tools here.
    shared_sections : sequence of PromptSection
        What every agent is told; the orchestrator and the specialists see a part of them.
    max_rounds : int
        Replies of one turn that may hand work over; 0 or less takes the topology's number.

    Returns
    -------
    AgentTree
        Only agents that own a tool, or that say ``always_include``; the root of a multi-agent tree has no tools.

    Raises
    ------
    DefinitionError
        A tool has no name, two tools or two agents have the same name, or an agent has the root's name.

    Notes
    -----
    Source: spec 000 "Hierarchical agent tree", "Conditional Sub-Agent Creation"; spec 001 D3, D5; spec 003.
    """
    if topology.is_single:
        return _single(tools, topology, shared_sections)
    roster = [spec for spec in (*topology.agents, *agents) if spec.is_active]
    remotes = [spec for spec in remote_agents if spec.is_active]
    _check_names([*topology.agents, *agents, *remote_agents], topology)
    partition = (partition_tools_dynamic if agents else partition_tools)(tools, topology, roster)
    rounds = max_rounds if max_rounds > 0 else topology.max_rounds
    is_listed = topology.ownership == "listed"
    own = {spec.name for spec in topology.agents} if is_listed else set()
    made = [spec for spec in roster if partition.tools_of(spec.name) or spec.always_include or spec.name in own]
    whole = RoutingTable(
        (*(_row(spec, partition) for spec in made), *(_row(spec, partition, is_remote=True) for spec in remotes))
    )
    nodes = [_specialist(spec, topology, partition, shared_sections, whole) for spec in made]
    nodes += [AgentNode(spec.name, "remote", spec.description, spec) for spec in remotes]
    table = whole if topology.root_spec is None else _reached(topology.root_spec, topology, whole, made, remotes)
    sections = orchestrator_sections(
        topology,
        shared_sections,
        table,
        unmatched=[tool.name for tool in partition.unmatched],
        max_rounds=rounds,
        control_tool=CONTROL_TOOLS[topology.control],
        attached=[node.name for node in nodes if node.is_attached],
    )
    root = AgentNode(
        topology.root,
        "orchestrator",
        topology.root_description,
        topology.root_spec,
        () if table.names or not is_listed else _listed(topology.root_spec, tools),
        sections,
        table.names if topology.control == "delegate" else (),
    )
    made_names = {spec.name for spec in made}
    return AgentTree(
        topology=topology,
        root=root,
        agents=tuple(nodes),
        partition=partition,
        table=table,
        skipped=tuple(
            spec.name
            for spec in roster
            if spec.name not in made_names and not (is_listed and spec.source is Source.EMBEDDED)
        ),
        inactive=tuple(spec.name for spec in (*topology.agents, *agents, *remote_agents) if not spec.is_active),
    )


def _single(tools: Sequence[Tool], topology: Topology, shared: Sequence[PromptSection]) -> AgentTree:
    partition = partition_tools(tools, topology)
    sections = merge_sections(shared, topology.root_sections)
    root = AgentNode(topology.root, "single", topology.root_description, None, tuple(tools), sections)
    return AgentTree(topology, root, (), partition, RoutingTable())


def _reached(
    root: AgentSpec,
    topology: Topology,
    whole: RoutingTable,
    made: Sequence[AgentSpec],
    remotes: Sequence[AgentSpec],
) -> RoutingTable:
    """Return the rows of those the root may hand work to: whom it lists, and whoever has joined."""
    joined = (spec.name for spec in (*made, *remotes) if spec.source is not Source.BUILTIN)
    names = dict.fromkeys((*_delegates(root, topology, whole.names), *joined))
    return RoutingTable(tuple(whole[name] for name in names))


def _delegates(spec: AgentSpec, topology: Topology, names: Collection[str]) -> tuple[str, ...]:
    """Return the agents of a tree that one of them may delegate to: those it lists, itself never."""
    if topology.control != "delegate" or not spec.constraints.can_spawn:
        return ()
    return tuple(name for name in dict.fromkeys(spec.delegates) if name != spec.name and name in names)


def _listed(spec: AgentSpec | None, tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """Return the tools that a definition lists: a root without agents works itself."""
    by_name = {tool.name: tool for tool in tools}
    return () if spec is None else tuple(by_name[name] for name in dict.fromkeys(spec.tools) if name in by_name)


def _specialist(
    spec: AgentSpec, topology: Topology, partition: Partition, shared: Sequence[PromptSection], whole: RoutingTable
) -> AgentNode:
    delegates = _delegates(spec, topology, whole.names)
    is_listed = topology.ownership == "listed"
    tools = () if is_listed and delegates else partition.tools_of(spec.name)  # whoever delegates has no tools
    if tools:
        others = (tool for tool in partition.tools if tool.name.startswith(topology.shared_prefixes))
        tools = (*tools, *(tool for tool in others if tool not in tools))
    is_attached = topology.control != "spawn" or spec.source is not Source.BUILTIN
    agents = RoutingTable(tuple(whole[name] for name in delegates)) if delegates else whole
    sections = specialist_sections(topology, shared, spec, has_tools=bool(tools), agents=agents)
    return AgentNode(spec.name, "specialist", spec.description, spec, tools, sections, delegates, is_attached)


def _row(spec: AgentSpec, partition: Partition, *, is_remote: bool = False) -> RoutingRow:
    tools = () if is_remote else partition.worked_with(spec.name)
    told = [tool for tool in tools if not tool_capability(tool.name) or _is_described_elsewhere(tool)]
    is_learned = any(router_family(tool.name) for tool in tools if tool not in told)
    own = capabilities([tool for tool in tools if is_learned or tool not in told or not tool_capability(tool.name)])
    return RoutingRow(
        name=spec.name,
        role=folded(spec.description),
        keywords=_lines(spec.keywords),
        capabilities=_lines((*spec.capabilities, *own)),
        actions=_lines([action(tool.schema) for tool in told if tool.description or not is_learned]),
        told=_told(spec) if told and not is_learned else "",
        accepts=folded(spec.accepts or ("what the remote agent takes" if is_remote else "")),
        returns=folded(spec.returns or ("what the remote agent answers" if is_remote else "")),
        cannot=_lines(spec.cannot_do),
        examples=_lines(spec.example_requests),
        not_for=folded(spec.disambiguation),
        is_remote=is_remote,
    )


def _told(spec: AgentSpec) -> str:
    """Return how an agent's instruction begins; that it is itself would only confuse whoever else reads it."""
    return shorten(folded(spec.instruction).removeprefix(f"You are {spec.name}").lstrip(",. "), _MOST_TOLD)


def _is_described_elsewhere(tool: Tool) -> bool:
    """Tell whether a tool of somebody else is called like those of a learned family: its own words say more."""
    return bool(tool.description) and not is_of_package(tool)


def _lines(items: Sequence[str]) -> tuple[str, ...]:
    """Fold each item into one line, so that no definition can write a row of its own; empty and repeated ones go."""
    return tuple(dict.fromkeys(line for item in items if (line := folded(item))))


def _check_names(specs: Sequence[AgentSpec], topology: Topology) -> None:
    seen: dict[str, AgentSpec] = {}
    for spec in specs:
        if spec.name == topology.root:
            raise DefinitionError(f"agent {spec.name!r} has the name of the root; rename it")
        if spec.name in seen:
            places = " and ".join(_place(s) for s in (seen[spec.name], spec))
            raise DefinitionError(f"two agents are called {spec.name!r} ({places}); rename or remove one")
        seen[spec.name] = spec


def _place(spec: AgentSpec) -> str:
    return spec.path or f"{spec.source.name.lower()} definition"
