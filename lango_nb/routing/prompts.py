"""Prompts in sections: what every agent is told, and what is kept from the orchestrator.

    shared sections   identity 100 · safety 200 · conversation rules 300 · output principles 350 · tool usage 400
    orchestrator      shared, without tool usage, identity replaced by its own, plus the topology's root sections
    specialist        shared, without identity and tool usage, plus its instruction (agent identity 150)
    single agent      shared, everything kept

Identity and tool usage name tool categories that a model could take for agents' names; that is why an orchestrator
never sees them (spec 000 "Orchestrator system prompt isolation").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from lango_nb.core.text import folded
from lango_nb.routing.table import RoutingRow, RoutingTable, join_items
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.topology import Control, PromptSection, Topology

IDENTITY = "identity"
AGENT_IDENTITY = "agent_identity"
TOOL_USAGE = "tool_usage"
AGENT_IDENTITY_PRIORITY = 150
NOBODY = RoutingTable()
_KEPT_FROM_ORCHESTRATOR = {TOOL_USAGE, IDENTITY}
_KEPT_FROM_SPECIALISTS = {TOOL_USAGE, IDENTITY}
_CONTROLS: dict[str, str] = {
    "transfer": (
        "A request that needs a specialist is handed over with {control_tool}: agent_name takes the exact name. The"
        " specialist answers the user. Only the first hand-over of a reply counts. Agents: {agent_names}."
    ),
    "spawn": (
        "Work that needs a teammate is started with {control_tool}: agent takes the exact name, instruction has to"
        " stand alone. agent_wait collects a run by its agent_id, agent_stop cancels it. Runs that do not need each"
        " other are started in one reply. Teammates and agents: {agent_names}."
    ),
    "delegate": (
        "Work that needs another agent is given away with {control_tool}: agent_name takes the exact name, goal says"
        " what it has to reach. It sees nothing but goal and hints; its answer is the result of the call. Goals that do"
        " not need each other go into one reply and are worked on at the same time. A failed result is no answer: go"
        " another way or say what is missing. Agents: {agent_names}."
    ),
}
"""What a root is told about its way to hand work over, where the sections of the topology do not say it."""


def render_sections(sections: Iterable[PromptSection]) -> str:
    """Join sections into one prompt.

    Parameters
    ----------
    sections : iterable of PromptSection
        In order.

    Returns
    -------
    str
        ``## Title`` and text of each, a blank line between two; empty sections are left out.

    Examples
    --------
    >>> route, rules = PromptSection(id="a", text="You route."), PromptSection(id="b", title="Rules", text="1.")
    >>> print(render_sections([route, rules]))
    You route.
    <BLANKLINE>
    ## Rules
    1.
    """
    parts = []
    for section in sections:
        text = section.text.strip()
        if text:
            parts.append(f"## {section.title}\n{text}" if section.title else text)
    return "\n\n".join(parts)


def merge_sections(*groups: Iterable[PromptSection]) -> tuple[PromptSection, ...]:
    """Put sections together: a later one replaces an earlier one of the same id; sorted by priority.

    Parameters
    ----------
    *groups : iterables of PromptSection

    Returns
    -------
    tuple of PromptSection
        Sections of equal priority keep the order in which they came.
    """
    by_id: dict[str, PromptSection] = {}
    for group in groups:
        for section in group:
            by_id[section.id] = section
    return tuple(sorted(by_id.values(), key=lambda section: section.priority))


def orchestrator_sections(  # noqa: PLR0913 - what an orchestrator knows
    topology: Topology,
    shared: Sequence[PromptSection],
    table: RoutingTable,
    *,
    unmatched: Sequence[str],
    max_rounds: int,
    control_tool: str,
    attached: Sequence[str] = (),
) -> tuple[PromptSection, ...]:
    """Write the sections of a tool-less root.

    Parameters
    ----------
    topology : Topology
        Gives the root's own sections.
    shared : sequence of PromptSection
        Sections of every agent; identity and tool usage are kept out.
    table : RoutingTable
        One row per agent that exists.
    unmatched : sequence of str
        Names of tools that nobody owns.
    max_rounds : int
        Replies of one turn that may hand work over.
    control_tool : str
        Name of the tool that hands work over.
    attached : sequence of str
        Agents that are sub-agents rather than mere routing targets.

    Returns
    -------
    tuple of PromptSection
        Placeholders filled, in order.
    """
    words = {
        "max_rounds": str(max_rounds),
        "agent_names": ", ".join(table.names),
        "root": topology.root,
        "control_tool": control_tool,
        "unmatched": ", ".join(unmatched),
        "attached": ", ".join(attached) or "none",
    }
    sections = topology.root_sections
    if table.names and not any("{control_tool}" in section.text for section in sections):
        sections = (*sections, *control_sections(topology.control))
    own = [
        _fill(section, words, table, unmatched) for section in sections if section.render != "unmatched" or unmatched
    ]
    kept = [section for section in shared if section.id not in _KEPT_FROM_ORCHESTRATOR]
    defined = [] if topology.root_spec is None else [_identity(topology.root_spec)]
    return merge_sections(kept, defined, own)


def specialist_sections(
    topology: Topology,
    shared: Sequence[PromptSection],
    spec: AgentSpec,
    *,
    has_tools: bool,
    agents: RoutingTable = NOBODY,
) -> tuple[PromptSection, ...]:
    """Write the sections of a specialist: its instruction, and what every specialist of the topology is told.

    Parameters
    ----------
    topology : Topology
    shared : sequence of PromptSection
        Sections of every agent; identity and tool usage are kept out.
    spec : AgentSpec
        Its instruction becomes the section ``agent_identity``.
    has_tools : bool
        Chooses between the sections for specialists with and without tools.
    agents : RoutingTable
        Whom it may delegate to, or every agent of the tree for a planner that assigns steps.

    Returns
    -------
    tuple of PromptSection
    """
    words = {"root": topology.root, "name": spec.name, "agent_names": ", ".join(agents.names)}
    tail = topology.specialist_sections if has_tools else topology.planner_sections
    own = _identity(spec)
    kept = [section for section in shared if section.id not in _KEPT_FROM_SPECIALISTS]
    return merge_sections(kept, [own], [_fill(section, words, agents, ()) for section in tail])


def render_agents_for_prompt(agents: Iterable[AgentSpec | RoutingRow]) -> str:
    """Write the agents that may be delegated to, as a prompt holds them.

    Parameters
    ----------
    agents : iterable of AgentSpec or RoutingRow
        A row also says what the agent's tools can do.

    Returns
    -------
    str
        An ``<agents>`` block, every text in one line and without signs that would end it; empty without agents.

    Notes
    -----
    Source: Quick Start: Agent Delegation Architecture (spec 004), "LLM Prompt Rendering".

    Examples
    --------
    >>> print(render_agents_for_prompt([AgentSpec(name="reader", description="Reads files & folders")]))
    <agents>
    <agent name="reader">Reads files &amp; folders</agent>
    </agents>
    """
    lines = [f'<agent name="{escape(one.name)}">{escape(_told_of(one), quote=False)}</agent>' for one in agents]
    return "\n".join(["<agents>", *lines, "</agents>"]) if lines else ""


def _told_of(agent: AgentSpec | RoutingRow) -> str:
    if isinstance(agent, AgentSpec):
        return folded(agent.description)
    return _with_capabilities(folded(agent.role), agent.capabilities, agent.actions)


def _identity(spec: AgentSpec) -> PromptSection:
    """Return what an agent is told about itself."""
    return PromptSection.model_construct(  # of a checked definition; see Document.check for what a validator costs
        id=AGENT_IDENTITY, text=spec.instruction or spec.description, priority=AGENT_IDENTITY_PRIORITY
    )


def agent_line(
    name: str, description: str, capabilities: Sequence[str], *, actions: Sequence[str] = (), is_remote: bool
) -> str:
    """Write one agent for a root prompt that has no routing table.

    Examples
    --------
    >>> agent_line("executor", "Runs things.", ("command execution", "file operations"), is_remote=False)
    '- "executor": Runs things. Capabilities: command execution, file operations'
    """
    text = _with_capabilities(folded(description), capabilities, actions)
    return f'- "{name}": {text}' + (" (remote A2A agent)" if is_remote else "")


def _with_capabilities(text: str, capabilities: Sequence[str], actions: Sequence[str]) -> str:
    if capabilities:
        text = f"{text} Capabilities: {', '.join(capabilities)}".strip()
    return f"{text} Actions: {join_items(actions)}".strip() if actions else text


def _fill(
    section: PromptSection, words: Mapping[str, str], table: RoutingTable, unmatched: Sequence[str]
) -> PromptSection:
    """Fill placeholders and add what the section renders."""
    text = section.text.strip()
    for word, value in words.items():
        text = text.replace("{" + word + "}", value)
    rendered = ""
    match section.render:
        case "agents":
            rendered = "\n".join(
                agent_line(row.name, row.role, row.capabilities, actions=row.actions, is_remote=row.is_remote)
                for row in table
            )
        case "routing_table":
            rendered = table.to_markdown()
        case "delegates":
            rendered = render_agents_for_prompt(table)
        case "unmatched":
            rendered = ", ".join(unmatched) if "{unmatched}" not in section.text else ""
        case "text":
            pass
    return section.model_copy(update={"text": "\n\n".join(part for part in (text, rendered) if part)})


def control_sections(control: Control) -> tuple[PromptSection, ...]:
    """Return the section about a control; none for an agent that works alone.

    Examples
    --------
    >>> [section.id for section in control_sections("delegate")], control_sections("none")
    (['control'], ())
    """
    text = _CONTROLS.get(control)
    if text is None:
        return ()
    return (PromptSection.model_construct(id="control", title="Handing Work Over", text=text, priority=520),)
