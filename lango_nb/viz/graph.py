"""Who handed work to whom: an arrow per pair, and a bar as long as often."""

from __future__ import annotations

from lango_nb.core.text import counted
from lango_nb.records.graph import DelegationGraph
from lango_nb.viz import Renderer
from lango_nb.viz import document as doc
from lango_nb.viz.colours import agent_colours

_ARROWS = {"delegation": "→", "return": "⇢"}
_RETURNS = "⇢ is control that went back"
_NOBODY = "nobody handed anything over yet"
_PAIRS = ("from_agent", "", "to_agent", "times", "")
_NAME = 60
"""Characters of a name that are shown."""
_MOST = 200
"""Pairs and agents that are shown."""
_COLUMNS = 24
"""Of the bar of the most frequent pair."""


def line(graph: DelegationGraph) -> str:
    """Write the graph in one line."""
    delegations = sum(edge.kind == "delegation" for edge in graph.edges)
    return f"{counted(len(graph.nodes), 'agent')}, {counted(delegations, 'hand-over')}"


def document(graph: DelegationGraph) -> doc.Document:
    """List pairs of agents with bars, then what each agent did."""
    if not graph.nodes:
        return (doc.Title("delegations"), doc.GAP, doc.Paragraph(doc.Muted(_NOBODY)))
    colours = agent_colours([node.name for node in graph.nodes], graph.nodes[0].name)
    names = {name: doc.Name(name, colour, plain=_NAME, most=_NAME) for name, colour in colours.items()}
    pairs = graph.pairs()
    most = max(pairs.values(), default=1)
    rows = tuple(
        (
            names[sender],
            _ARROWS[kind],
            names[target],
            f"{number:,}",
            doc.Bar(((number / most, colours[target], ""),), "160px", 10, _COLUMNS),
        )
        for (sender, target, kind), number in [*pairs.items()][:_MOST]
    )
    agents = tuple(
        (names[node.name], f"{node.delegations_in:,}", f"{node.delegations_out:,}", f"{node.tool_calls:,}")
        for node in graph.nodes[:_MOST]
    )
    return (
        doc.Title("delegations", [line(graph)]),
        doc.GAP,
        doc.Rows(("from_agent", "", "to_agent", "times", ""), rows, "<<<><")
        if rows
        else doc.Paragraph(doc.Muted(_NOBODY)),
        doc.GAP,
        doc.Heading("agents"),
        doc.Rows(("agent", "delegations_in", "delegations_out", "tool_calls"), agents, "<>>>"),
        doc.GAP,
        doc.Note(_note(graph)),
    )


def _note(graph: DelegationGraph) -> str:
    pairs, agents = len(graph.pairs()) - _MOST, len(graph.nodes) - _MOST
    said = [
        _RETURNS if any(edge.kind == "return" for edge in graph.edges) else "",
        f"{pairs:,} more pairs are in the record" if pairs > 0 else "",
        f"{agents:,} more agents are in the record" if agents > 0 else "",
    ]
    return "; ".join(filter(None, said))


RENDERER = Renderer(line, document, DelegationGraph.to_mermaid)
