"""The agent tree: a root on the left, its agents on the right, what each works with, and who is not there."""

from __future__ import annotations

from lango_nb.routing.tree import AgentNode, AgentTree
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


def _own(tree: AgentTree, node: AgentNode) -> tuple[Tool, ...]:
    return tree.partition.owned[node.name] if node.name in tree.partition else node.tools


def _facts(tree: AgentTree) -> list[str]:
    partition = tree.partition
    return [
        one_line(tree.topology.title, 80),
        count(1 + len(tree.agents), "agent"),
        count(len(partition), "tool"),
        f"{len(partition.unmatched):,} of nobody" if partition.unmatched else "",
    ]


def _tools_line(tree: AgentTree, node: AgentNode) -> str:
    if node.role == "remote":
        return "works elsewhere, its tools are its own"
    own = _own(tree, node)
    if not own:
        return "no tools" if node.role != "orchestrator" else "owns no tool"
    return f"{count(len(own), 'tool')}: {family_line(own)}"


def _marks(node: AgentNode) -> list[str]:
    spec = node.spec
    return [
        mark
        for mark, holds in (
            ("remote", node.role == "remote"),
            ("own session", spec is not None and spec.session_isolation),
            (spec.source.name.lower() if spec is not None else "", spec is not None and spec.source.value in {1, 2}),
        )
        if holds
    ]


def _everybody(tree: AgentTree) -> list[tuple[str, str]]:
    """Say where tools are that no agent owns, and which agents are not there."""
    partition = tree.partition
    said = [
        ("every agent with tools also gets", ", ".join(tool.name for tool in partition.universal)),
        ("stays with the root", ", ".join(tool.name for tool in partition.dropped)),
        ("nobody owns", ", ".join(tool.name for tool in partition.unmatched)),
        ("not in the tree, no tool is theirs", ", ".join(tree.skipped)),
        ("not in the tree, not active", ", ".join(tree.inactive)),
    ]
    return [(what, names) for what, names in said if names]


def line(tree: AgentTree) -> str:
    """Write the tree in one line."""
    return ", ".join(fact for fact in (one_line(tree.topology.name, 64), *_facts(tree)[1:]) if fact)


def to_text(tree: AgentTree) -> str:
    """Draw the tree with lines."""
    root = tree.root
    facts = " · ".join(fact for fact in (one_line(tree.topology.name, 64), *_facts(tree)) if fact)
    lines = [
        facts,
        "",
        f"{root.name}  {_tools_line(tree, root)}; {_CONTROL[tree.topology.control]}",
    ]
    longest = min(28, max((text.width(node.name) for node in tree.agents), default=0))
    for place, node in enumerate(tree.agents, 1):
        is_last = place == len(tree.agents)
        stem, below = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
        marks = "".join(f" [{mark}]" for mark in _marks(node))
        said = [_tools_line(tree, node) + marks, *([one_line(node.description)] if node.description else [])]
        parts = [part for sentence in said for part in text.wrap(sentence, text.WIDTH - longest - 5)]
        if text.width(node.name) > longest:
            lines.append(stem + node.name)
            lines += [(below + " " * (longest + 2) + part).rstrip() for part in parts]
        else:
            lines.append((stem + text.pad(node.name, longest + 2) + parts[0]).rstrip())
            lines += [(below + " " * (longest + 2) + part).rstrip() for part in parts[1:]]
    for what, names in _everybody(tree):
        lines += ["", f"{what}:", text.listing(names.split(", "), "  ")]
    return "\n".join(lines)


def to_html(tree: AgentTree) -> str:
    """Draw the tree as a picture, with every agent's definition folded under it."""
    colours = agent_colours(tree.names, tree.root.name)
    drawing, width = tree_drawing(
        Card(tree.root.name, (_tools_line(tree, tree.root), _CONTROL[tree.topology.control]), colours[tree.root.name]),
        [
            Card(
                node.name,
                (_tools_line(tree, node) + "".join(f" · {mark}" for mark in _marks(node)),),
                colours[node.name],
                not node.is_attached or node.role == "remote",
            )
            for node in tree.agents
        ],
    )
    notes = [
        f"dashed: {kind}"
        for kind, holds in (
            ("spawned, not attached to the root", any(not node.is_attached for node in tree.agents)),
            ("remote", any(node.role == "remote" for node in tree.agents)),
        )
        if holds
    ]
    return html.view(
        html.header(tree.topology.name, _facts(tree)),
        html.picture(drawing, alt=to_text(tree), width=width),
        html.note("; ".join(notes)),
        html.heading("Agents"),
        *(_agent_html(tree, node, colours[node.name]) for node in tree),
        html.heading("Others") if _everybody(tree) else "",
        html.fields((what, esc(names)) for what, names in _everybody(tree)),
    )


def _agent_html(tree: AgentTree, node: AgentNode, colour: str) -> str:
    spec = node.spec
    own = _own(tree, node)
    pairs = [
        ("tools", tool_chips(own)),
        ("description", esc(node.description)),
    ]
    if spec is not None:
        pairs += [
            ("prefixes", "".join(map(html.chip, spec.prefixes))),
            ("keywords", "".join(map(html.chip, spec.keywords))),
            ("capabilities", esc("; ".join(spec.capabilities))),
            ("accepts", esc(spec.accepts)),
            ("returns", esc(spec.returns)),
            ("cannot do", esc("; ".join(spec.cannot_do))),
            ("when not", esc(spec.disambiguation)),
            ("for instance", esc("; ".join(spec.example_requests))),
        ]
    summary = f"{html.named(node.name, colour)} &nbsp;" + html.muted(
        " · ".join((count(len(own), "tool"), f"prompt of {len(node.prompt):,} characters", *_marks(node)))
    )
    return html.details(summary, html.fields(pairs))


def tool_chips(tools: tuple[Tool, ...]) -> str:
    """Write tools as chips: a red edge for dangerous ones, a hollow one for those known by name only."""
    return "".join(_tool_chip(tool) for tool in tools)


def _tool_chip(tool: Tool) -> str:
    edge = f"border:1px dashed {html.EDGE};background:transparent" if tool.is_by_name else f"background:{html.SURFACE}"
    said = f"{tool.safety}{', known by name only' if tool.is_by_name else ''}"
    return html.tag(
        "span",
        "display:inline-block;max-width:100%;box-sizing:border-box;padding:0 6px;margin:1px 4px 1px 0;border-radius:4px;"
        f"border:1px solid transparent;{edge};border-left:3px solid {SAFETIES[tool.safety]};font-size:12px;line-height:18px;"
        "overflow-wrap:break-word;vertical-align:top",
        esc(tool.name),
        title=f"{said}: {one_line(tool.description, 200)}" if tool.description else said,
    )


def chips_legend(tools: tuple[Tool, ...]) -> str:
    """Say what the edges of tool chips mean."""
    kinds = [(safety, colour) for safety, colour in SAFETIES.items() if any(tool.safety == safety for tool in tools)]
    by_name = any(tool.is_by_name for tool in tools)
    return html.legend(kinds) + (html.note("dashed: known by name only, can be routed but not run") if by_name else "")


def to_mermaid(tree: AgentTree) -> str:
    """Write the tree as a mermaid flow chart."""
    lines = ["flowchart LR", f'  root["{label(tree.root.name)}"]']
    for place, node in enumerate(tree.agents):
        arrow = "-.->" if not node.is_attached or node.role == "remote" else "-->"
        lines.append(f'  root {arrow} a{place}["{label(node.name)}<br/>{label(_tools_line(tree, node))}"]')
    return "\n".join(lines)


RENDERER = Renderer(line, to_text, to_html, to_mermaid)
