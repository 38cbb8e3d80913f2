"""Agents: the tree with what each works with and who is not there; and what one of them is told, section by section."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from lango_nb.core.text import counted, estimate_tokens
from lango_nb.routing.prompts import render_sections
from lango_nb.routing.tree import AgentNode, AgentTree
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.topology import PromptSection
from lango_nb.tools.definitions import family_of
from lango_nb.tools.tool import Tool
from lango_nb.viz import Renderer
from lango_nb.viz import document as doc
from lango_nb.viz.colours import PALETTE, SAFETIES, agent_colours
from lango_nb.viz.escape import label, one_line

_CONTROL = {
    "none": "works alone",
    "transfer": "hands requests over by transfer",
    "spawn": "hands requests over by spawning teammates",
    "delegate": "hands requests over by delegation",
}
_MOST_CHIPS = 300


def _own(tree: AgentTree, node: AgentNode) -> tuple[Tool, ...]:
    return tree.partition.worked_with(node.name) if node.name in tree.partition and node.tools else node.tools


def _facts(tree: AgentTree) -> list[str]:
    partition = tree.partition
    said = [
        one_line(tree.topology.title, 80),
        counted(1 + len(tree.agents), "agent"),
        counted(len(partition), "tool"),
        f"{len(partition.unmatched):,} of nobody" if partition.unmatched else "",
    ]
    return [fact for fact in said if fact]


def tools_line(tree: AgentTree, node: AgentNode) -> str:
    """Say in a line which families of tools an agent works with."""
    if node.role == "remote":
        return "works elsewhere, its tools are its own"
    own = _own(tree, node)
    if node.delegates and node is not tree.root:
        return f"delegates to {', '.join(node.delegates)}"
    if not own:
        return "owns no tool" if node.role == "orchestrator" else "no tools"
    return f"{counted(len(own), 'tool')}: {family_line(own)}"


def _marks(node: AgentNode) -> list[str]:
    if node.spec is None:
        return []
    marks = ["remote"] if node.role == "remote" else []
    marks += ["own session"] if node.spec.session_isolation else []
    return marks + ([node.spec.source.name.lower()] if node.spec.source in {Source.EMBEDDED, Source.USER} else [])


def _others(tree: AgentTree) -> list[tuple[str, tuple[str, ...]]]:
    """Say where tools are that no agent owns, and which agents are not there."""
    partition = tree.partition
    said = [
        ("every agent with tools also gets", tuple(tool.name for tool in partition.universal)),
        ("stays with the root", tuple(tool.name for tool in partition.dropped)),
        ("nobody owns", tuple(tool.name for tool in partition.unmatched)),
        ("not in the tree, no tool is theirs", tree.skipped),
        ("not in the tree, not active", tree.inactive),
    ]
    return [(what, names) for what, names in said if names]


def line(tree: AgentTree) -> str:
    """Write the tree in one line."""
    title = one_line(tree.topology.title, 80)
    return ", ".join([one_line(tree.topology.name, 64), *(fact for fact in _facts(tree) if fact != title)])


def document(tree: AgentTree) -> doc.Document:
    """Draw the tree; a page folds every agent's definition under it."""
    colours = agent_colours(tree.names, tree.root.name)
    root = doc.Node(
        tree.root.name, (tools_line(tree, tree.root), _CONTROL[tree.topology.control]), colours[tree.root.name]
    )
    nodes = tuple(
        doc.Node(
            node.name,
            (tools_line(tree, node),),
            colours[node.name],
            one_line(node.description),
            tuple(_marks(node)),
            is_dashed=_is_dashed(node),
        )
        for node in tree.agents
    )
    others = tuple((what, ", ".join(names)) for what, names in _others(tree))
    return (
        doc.Title(one_line(tree.topology.name, 64), _facts(tree)),
        doc.GAP,
        doc.Tree(root, nodes),
        doc.rich(
            doc.Note(_dashes(tree)),
            doc.Heading("Agents"),
            *(_agent(tree, node, colours[node.name]) for node in tree),
        ),
        doc.Heading("Others") if others else doc.GAP,
        doc.GAP,
        doc.Fields(others, "stacked"),
    )


def _is_dashed(node: AgentNode) -> bool:
    return not node.is_attached or node.role == "remote"


def _dashes(tree: AgentTree) -> str:
    kinds = []
    if any(not node.is_attached for node in tree.agents):
        kinds.append("spawned, not attached to the root")
    if any(node.role == "remote" for node in tree.agents):
        kinds.append("remote")
    return f"dashed: {' or '.join(kinds)}" if kinds else ""


def _agent(tree: AgentTree, node: AgentNode, colour: str) -> doc.Block:
    head = doc.Words((doc.Name(node.name, colour), doc.Muted(" · ".join(_counts(tree, node)))))
    return doc.Fold(head, (_known(tree, node),))


def _counts(tree: AgentTree, node: AgentNode) -> list[str]:
    prompt = f"prompt of {counted(len(node.prompt), 'character')}"
    return [counted(len(_own(tree, node)), "tool"), prompt, *_marks(node)]


def _known(tree: AgentTree, node: AgentNode) -> doc.Fields:
    """Write the definition of an agent, with its tools."""
    fields: list[tuple[str, doc.Inline]] = [
        ("description", node.description),
        ("tools", tool_chips(_own(tree, node))),
        *(_definition(node.spec) if node.spec is not None else []),
    ]
    return doc.Fields(tuple(fields))


def agent_blocks(tree: AgentTree, node: AgentNode) -> doc.Document:
    """Write everything about an agent of a tree: its definition, its tools, its prompt."""
    colour = agent_colours(tree.names, tree.root.name)[node.name]
    prompt = (doc.Fold("prompt", (doc.Code(node.prompt),)),) if node.prompt else ()
    return (
        doc.Line((doc.Name(node.name, colour), doc.Muted(" · ".join(_counts(tree, node))))),
        _known(tree, node),
        *chips_legend(_own(tree, node)),
        *prompt,
    )


def _definition(spec: AgentSpec) -> list[tuple[str, doc.Inline]]:
    return [
        ("prefixes", doc.Chips.of(spec.prefixes)),
        ("keywords", doc.Chips.of(spec.keywords)),
        ("capabilities", "; ".join(spec.capabilities)),
        ("accepts", spec.accepts),
        ("returns", spec.returns),
        ("cannot do", "; ".join(spec.cannot_do)),
        ("when not", spec.disambiguation),
        ("for instance", "; ".join(spec.example_requests)),
    ]


def tool_chips(tools: Sequence[Tool]) -> doc.Chips:
    """Write tools as chips: the edge tells how dangerous one is, dashes that it is known by name only."""
    return doc.Chips(tuple(map(_tool_chip, tools)), _MOST_CHIPS)


def _tool_chip(tool: Tool) -> doc.Chip:
    said = f"{tool.safety}{', known by name only' if tool.is_by_name else ''}"
    hint = f"{said}: {one_line(tool.description, 200)}" if tool.description else said
    return doc.Chip(tool.name, edge=SAFETIES[tool.safety], is_hollow=tool.is_by_name, hint=hint)


def chips_legend(tools: Sequence[Tool]) -> doc.Document:
    """Say what the edges of tool chips mean."""
    kinds = [(safety, colour) for safety, colour in SAFETIES.items() if any(tool.safety == safety for tool in tools)]
    by_name = any(tool.is_by_name for tool in tools)
    return (doc.Legend(kinds), doc.Note("dashed: known by name only, can be routed but not run" if by_name else ""))


def to_mermaid(tree: AgentTree) -> str:
    """Write the tree as a mermaid flow chart."""
    lines = ["flowchart LR", f'  root["{label(tree.root.name)}"]']
    for place, node in enumerate(tree.agents):
        arrow = "-.->" if _is_dashed(node) else "-->"
        lines.append(f'  root {arrow} a{place}["{label(node.name)}<br/>{label(tools_line(tree, node))}"]')
    return "\n".join(lines)


TREE = Renderer(line, document, to_mermaid)


# -- families of tools: what a tool says, or else the first part of its name -------------------------------------------


def shown_family(tool: Tool) -> str:
    """Return a tool's family for showing.

    Examples
    --------
    >>> shown_family(Tool("fs_read")), shown_family(Tool("spawn", family="agent"))
    ('fs', 'agent')
    """
    return tool.family or family_of(tool.name)


def count_families(tools: Iterable[Tool]) -> Counter[str]:
    """Count tools by family, in the order of first appearance."""
    return Counter(map(shown_family, tools))


def family_line(tools: Iterable[Tool]) -> str:
    """Write families with their counts.

    Examples
    --------
    >>> family_line([Tool("fs_read"), Tool("fs_list"), Tool("exec")])
    'fs 2, exec 1'
    """
    return ", ".join(f"{family} {number}" for family, number in count_families(tools).items())


# -- a prompt ----------------------------------------------------------------------------------------------------------

_BAR = 20
_HEADS = ("position", "title", "section", "chars", "tokens_estimate", "share", "")
_WIDTHS = ("56px", "minmax(0,1fr)", "minmax(60px,160px)", "64px", "108px", "46px", "120px")
ESTIMATE = "tokens are estimated: a quarter of the characters"


def _prompt_facts(node: AgentNode) -> list[str]:
    chars = len(node.prompt)
    return [
        node.role,
        counted(len(node.sections), "section"),
        counted(chars, "character"),
        f"about {counted(estimate_tokens(chars), 'token')}",
        counted(len(node.tools), "tool"),
    ]


def _title(section: PromptSection) -> str:
    return one_line(section.title or section.id)


def _prompt_line(node: AgentNode) -> str:
    """Write the agent in one line."""
    return f"{node.name}: {', '.join(_prompt_facts(node))}"


def _prompt_document(node: AgentNode) -> doc.Document:
    """List the sections with their sizes, and the prompt word for word; a page folds it, section by section."""
    names = ", ".join(tool.name for tool in node.tools)
    return (
        doc.Title(node.name, _prompt_facts(node)),
        doc.Rich((doc.Paragraph(node.description),) if node.description else ()),
        doc.GAP,
        *_sizes(node),
        doc.GAP,
        doc.plain(doc.Fields((("tools", names),), "stacked")),
        doc.Rich(
            (doc.Heading("Tools"), doc.Paragraph(tool_chips(node.tools)), *chips_legend(node.tools)) if names else ()
        ),
        doc.GAP,
        doc.Plain((doc.RULE, doc.Paragraph(node.prompt)) if node.prompt else ()),
    )


def _sizes(node: AgentNode) -> doc.Document:
    sections = [(section, render_sections([section])) for section in node.sections]
    if not sections:
        return (doc.rich(doc.Note("this agent has no prompt here")),)
    total = sum(len(said) for _, said in sections) or 1
    shares = [(len(said) / total, PALETTE[place % len(PALETTE)], _title(s)) for place, (s, said) in enumerate(sections)]
    whole = doc.Bar(tuple((share, colour, f"{title}: {share:.0%}") for share, colour, title in shares), height=16)
    rows = tuple(
        (
            doc.Muted(str(place)),
            doc.Name(title, colour),
            doc.Muted(section.id),
            f"{len(said):,}",
            f"{estimate_tokens(len(said)):,}",
            f"{share:.0%}",
            doc.Bar(((share, colour, ""),), columns=_BAR),
        )
        for place, ((section, said), (share, colour, title)) in enumerate(zip(sections, shares, strict=True), 1)
    )
    folds = tuple((doc.Code(said),) for _, said in sections)
    return (
        doc.rich(doc.Paragraph(whole)),
        doc.Rows(_HEADS, rows, "><<>>><", _WIDTHS, folds),
        doc.GAP,
        doc.Note(ESTIMATE),
    )


PROMPT = Renderer(_prompt_line, _prompt_document)
