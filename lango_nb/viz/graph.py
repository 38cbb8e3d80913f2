"""Who handed work to whom: an arrow per pair, and a bar as long as often."""

from __future__ import annotations

from collections.abc import Mapping

from lango_nb.records.graph import DelegationGraph
from lango_nb.viz import html, text
from lango_nb.viz.colours import agent_colours
from lango_nb.viz.escape import count, one_line
from lango_nb.viz.renderer import Renderer

_ARROWS = {"delegation": "→", "return": "⇢"}
_RETURNS = "⇢ is control that went back"
_NOBODY = "nobody handed anything over yet"
_NAME = 60
"""Characters of a name that are shown."""
_MOST = 200
"""Pairs and agents that are shown."""
_WIDEST = 160
"""Pixels of the bar of the most frequent pair."""
_WIDEST_TEXT = 24


def line(graph: DelegationGraph) -> str:
    """Write the graph in one line."""
    delegations = sum(edge.kind == "delegation" for edge in graph.edges)
    return f"{count(len(graph.nodes), 'agent')}, {count(delegations, 'hand-over')}"


def to_text(graph: DelegationGraph) -> str:
    """List pairs of agents, then what each agent did."""
    if not graph.nodes:
        return f"delegations\n\n{_NOBODY}"
    pairs = graph.pairs()
    most = max(pairs.values(), default=1)
    rows = [
        [
            one_line(sender, _NAME),
            _ARROWS[kind],
            one_line(target, _NAME),
            f"{number:,}",
            text.bar(number, most, _WIDEST_TEXT),
        ]
        for (sender, target, kind), number in [*pairs.items()][:_MOST]
    ]
    agents = [
        [one_line(node.name, _NAME), f"{node.delegations_in:,}", f"{node.delegations_out:,}", f"{node.tool_calls:,}"]
        for node in graph.nodes[:_MOST]
    ]
    parts = [
        f"delegations · {line(graph)}",
        text.table(("from", "", "to", "times", ""), rows, "<<<><") if rows else _NOBODY,
        text.table(("agent", "in", "out", "tool calls"), agents, "<>>>"),
    ]
    return "\n\n".join([*parts, *([note] if (note := _note(graph)) else [])])


def _note(graph: DelegationGraph) -> str:
    pairs, agents = len(graph.pairs()) - _MOST, len(graph.nodes) - _MOST
    said = [
        _RETURNS if any(edge.kind == "return" for edge in graph.edges) else "",
        f"{pairs:,} more pairs are in the record" if pairs > 0 else "",
        f"{agents:,} more agents are in the record" if agents > 0 else "",
    ]
    return "; ".join(filter(None, said))


def to_html(graph: DelegationGraph) -> str:
    """Show pairs of agents with bars, then what each agent did."""
    if not graph.nodes:
        return html.view(html.header("delegations"), html.div(html.muted(_NOBODY)))
    colours = agent_colours([node.name for node in graph.nodes], graph.nodes[0].name)
    pairs = graph.pairs()
    most = max(pairs.values(), default=1)
    rows = [
        [
            _named(sender, colours),
            _ARROWS[kind],
            _named(target, colours),
            f"{number:,}",
            html.span(
                display="inline-block",
                width=f"{max(3, round(_WIDEST * number / most))}px",
                height="10px",
                background=colours[target],
                border_radius="2px",
            ),
        ]
        for (sender, target, kind), number in [*pairs.items()][:_MOST]
    ]
    agents = [
        [_named(node.name, colours), f"{node.delegations_in:,}", f"{node.delegations_out:,}", f"{node.tool_calls:,}"]
        for node in graph.nodes[:_MOST]
    ]
    return html.view(
        html.header("delegations", [line(graph)]),
        html.listing(("from", "", "to", "times", ""), rows, "<<<><") if rows else html.div(html.muted(_NOBODY)),
        html.heading("agents"),
        html.listing(("agent", "in", "out", "tool calls"), agents, "<>>>"),
        html.note(_note(graph)),
    )


def _named(name: str, colours: Mapping[str, str]) -> str:
    short = one_line(name, _NAME)
    named = html.named(short, colours[name])
    return named if short == name else html.span(named, title=name[:2000])


RENDERER = Renderer(line, to_text, to_html, DelegationGraph.to_mermaid)
