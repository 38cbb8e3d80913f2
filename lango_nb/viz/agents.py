"""The agent tree: a root on the left, its agents on the right, what each works with, and who is not there."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.routing.tree import AgentNode, AgentTree
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.tools.tool import Tool
from lango_nb.viz import html, text
from lango_nb.viz.colours import SAFETIES, agent_colours
from lango_nb.viz.escape import count, esc, one_line
from lango_nb.viz.families import family_line
from lango_nb.viz.mermaid import label
from lango_nb.viz.renderer import Renderer
from lango_nb.viz.svg import Card, tree_drawing

_CONTROL = {
    "none": "works alone",
    "transfer": "hands requests over by transfer",
    "spawn": "hands requests over by spawning teammates",
    "delegate": "hands requests over by delegation",
}
_NAME_COLUMNS = 28
_MOST_CHIPS = 300
_ALT = 2000
"""Characters of the words that stand in for the picture."""


def _own(tree: AgentTree, node: AgentNode) -> tuple[Tool, ...]:
    return tree.partition.owned[node.name] if node.name in tree.partition else node.tools


def _facts(tree: AgentTree) -> list[str]:
    partition = tree.partition
    said = [
        one_line(tree.topology.title, 80),
        count(1 + len(tree.agents), "agent"),
        count(len(partition), "tool"),
        f"{len(partition.unmatched):,} of nobody" if partition.unmatched else "",
    ]
    return [fact for fact in said if fact]


def _tools_line(tree: AgentTree, node: AgentNode) -> str:
    if node.role == "remote":
        return "works elsewhere, its tools are its own"
    own = _own(tree, node)
    if not own:
        return "owns no tool" if node.role == "orchestrator" else "no tools"
    return f"{count(len(own), 'tool')}: {family_line(own)}"


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


def to_text(tree: AgentTree) -> str:
    """Draw the tree with lines."""
    root = tree.root
    lines = [text.facts([one_line(tree.topology.name, 64), *_facts(tree)]), ""]
    lines += text.wrap(f"{root.name}  {_tools_line(tree, root)}; {_CONTROL[tree.topology.control]}", text.WIDTH)
    size = min(_NAME_COLUMNS, max((text.width(node.name) for node in tree.agents), default=0)) + 2
    for place, node in enumerate(tree.agents, 1):
        stem, below = ("└─ ", "   ") if place == len(tree.agents) else ("├─ ", "│  ")
        said = [_tools_line(tree, node) + "".join(f" [{mark}]" for mark in _marks(node)), one_line(node.description)]
        parts = [part for sentence in said if sentence for part in text.wrap(sentence, text.WIDTH - size - 3)]
        if text.width(node.name) + 2 > size:
            parts.insert(0, "")
        lines.append(stem + text.pad(node.name, size) + parts[0])
        lines += [below + " " * size + part for part in parts[1:]]
    for what, names in _others(tree):
        lines += ["", f"{what}:", text.listing(names, "  ")]
    return "\n".join(lines)


def to_html(tree: AgentTree) -> str:
    """Draw the tree as a picture, with every agent's definition folded under it."""
    colours = agent_colours(tree.names, tree.root.name)
    root = Card(
        tree.root.name, (_tools_line(tree, tree.root), _CONTROL[tree.topology.control]), colours[tree.root.name]
    )
    cards = [
        Card(
            node.name,
            (_tools_line(tree, node),),
            colours[node.name],
            beside=", ".join(_marks(node)),
            dashed=_is_dashed(node),
        )
        for node in tree.agents
    ]
    drawing, width = tree_drawing(root, cards, root_most=280 if cards else 520)
    others = _others(tree)
    return html.view(
        html.header(tree.topology.name, _facts(tree)),
        html.picture(drawing, alt=to_text(tree)[:_ALT], width=width),
        html.note(_dashes(tree)),
        html.heading("Agents"),
        *(_agent(tree, node, colours[node.name]) for node in tree),
        html.heading("Others") if others else "",
        html.fields((what, esc(", ".join(names))) for what, names in others),
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


def _agent(tree: AgentTree, node: AgentNode, colour: str) -> str:
    own = _own(tree, node)
    facts = [count(len(own), "tool"), f"prompt of {count(len(node.prompt), 'character')}", *_marks(node)]
    pairs = [("description", esc(node.description)), ("tools", tool_chips(own))]
    if node.spec is not None:
        pairs += _definition(node.spec)
    return html.details(f"{html.named(node.name, colour)} &nbsp;{html.muted(' · '.join(facts))}", html.fields(pairs))


def _definition(spec: AgentSpec) -> list[tuple[str, str]]:
    return [
        ("prefixes", html.chips(spec.prefixes)),
        ("keywords", html.chips(spec.keywords)),
        ("capabilities", esc("; ".join(spec.capabilities))),
        ("accepts", esc(spec.accepts)),
        ("returns", esc(spec.returns)),
        ("cannot do", esc("; ".join(spec.cannot_do))),
        ("when not", esc(spec.disambiguation)),
        ("for instance", esc("; ".join(spec.example_requests))),
    ]


def tool_chips(tools: Sequence[Tool]) -> str:
    """Write tools as chips: the edge tells how dangerous one is, dashes that it is known by name only."""
    hidden = len(tools) - _MOST_CHIPS
    rest = html.note(f"and {count(hidden, 'tool')} more; the frame has them all") if hidden > 0 else ""
    return "".join(_tool_chip(tool) for tool in tools[:_MOST_CHIPS]) + rest


def _tool_chip(tool: Tool) -> str:
    said = f"{tool.safety}{', known by name only' if tool.is_by_name else ''}"
    hint = f"{said}: {one_line(tool.description, 200)}" if tool.description else said
    return html.chip(tool.name, edge=SAFETIES[tool.safety], dashed=tool.is_by_name, hint=hint)


def chips_legend(tools: Sequence[Tool]) -> str:
    """Say what the edges of tool chips mean."""
    kinds = [(safety, colour) for safety, colour in SAFETIES.items() if any(tool.safety == safety for tool in tools)]
    by_name = any(tool.is_by_name for tool in tools)
    return html.legend(kinds) + (html.note("dashed: known by name only, can be routed but not run") if by_name else "")


def to_mermaid(tree: AgentTree) -> str:
    """Write the tree as a mermaid flow chart."""
    lines = ["flowchart LR", f'  root["{label(tree.root.name)}"]']
    for place, node in enumerate(tree.agents):
        arrow = "-.->" if _is_dashed(node) else "-->"
        lines.append(f'  root {arrow} a{place}["{label(node.name)}<br/>{label(_tools_line(tree, node))}"]')
    return "\n".join(lines)


RENDERER = Renderer(line, to_text, to_html, to_mermaid)
