"""Who handed work to whom: an arrow per pair, as thick as often."""

from __future__ import annotations

from lango_nb.records.graph import DelegationGraph
from lango_nb.viz import html, text
from lango_nb.viz.colours import agent_colours
from lango_nb.viz.escape import count, one_line
from lango_nb.viz.renderer import Renderer

_HEADS = ("from", "", "to", "times")
_WIDEST = 160
"""Pixels of the bar of the most frequent pair."""


def line(graph: DelegationGraph) -> str:
    """Write the graph in one line."""
    delegations = sum(edge.kind == "delegation" for edge in graph.edges)
    return f"{count(len(graph.nodes), 'agent')}, {count(delegations, 'hand-over')}"


def to_text(graph: DelegationGraph) -> str:
    """List pairs of agents, then what each agent did."""
    if not graph.nodes:
        return "delegations\n\nnobody handed anything over yet"
    rows = [
        [one_line(node.name, 40), f"{node.delegations_in}", f"{node.delegations_out}", f"{node.tool_calls}"]
        for node in graph.nodes
    ]
    table = text.table(("agent", "in", "out", "tool calls"), rows, "<>>>")
    return f"delegations · {line(graph)}\n\n{graph.to_text()}\n\n{table}"


def to_html(graph: DelegationGraph) -> str:
    """Show pairs of agents with bars, then what each agent did."""
    if not graph.nodes:
        return html.view(html.header("delegations"), html.div(html.muted("nobody handed anything over yet")))
    colours = agent_colours([node.name for node in graph.nodes], graph.nodes[0].name)
    pairs = graph.pairs()
    most = max(pairs.values(), default=1)
    rows = [
        [
            html.named(sender, colours[sender]),
            "→" if kind == "delegation" else "⇢",
            html.named(target, colours[target]),
            html.line(
                html.span(
                    "",
                    display="inline-block",
                    width=f"{max(4, round(_WIDEST * number / most))}px",
                    height="10px",
                    background=colours[target],
                    border_radius="2px",
                ),
                f"{number:,}",
                margin="0",
            ),
        ]
        for (sender, target, kind), number in pairs.items()
    ]
    agents = [
        [
            html.named(node.name, colours[node.name]),
            f"{node.delegations_in:,}",
            f"{node.delegations_out:,}",
            f"{node.tool_calls:,}",
        ]
        for node in graph.nodes
    ]
    return html.view(
        html.header("delegations", [line(graph)]),
        html.listing(_HEADS, rows, "<<<<"),
        html.heading("agents"),
        html.listing(("agent", "in", "out", "tool calls"), agents, "<>>>"),
        html.note("⇢ is control that went back"),
    )


RENDERER = Renderer(line, to_text, to_html, DelegationGraph.to_mermaid)
