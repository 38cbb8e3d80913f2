"""``lango graph``: who handed work to whom in a session."""

from __future__ import annotations

import argparse

from lango_nb.cli.output import say, say_json, say_table
from lango_nb.cli.parser import add_common
from lango_nb.cli.stored import find_session, open_records
from lango_nb.core.errors import shorten
from lango_nb.stores.store import TurnQuery

_WIDTH = 60


def fill(parser: argparse.ArgumentParser) -> None:
    """Describe ``lango graph``."""
    parser.add_argument("session", metavar="SESSION", help="name of the session, main for instance")
    add_common(parser, "mermaid")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Show agents and delegations.

    Raises
    ------
    UnknownNameError
        There is no such session.
    """
    from lango_nb.records.graph import delegation_graph

    with open_records(args) as store:
        graph = delegation_graph(store.log.events(TurnQuery(session=find_session(store, args.session))))
    if args.output == "json":
        say_json({"session": args.session, **graph.to_data()})
        return 0
    if args.output == "mermaid":
        say(graph.to_mermaid())
        return 0
    say_table(
        f"Agents of session {args.session}",
        ("agent", "in", "out", "tool calls"),
        ((node.name, node.delegations_in, node.delegations_out, node.tool_calls) for node in graph.nodes),
    )
    say("")
    say_table(
        "Delegations",
        ("from", "to", "time", "kind", "reason"),
        (
            (edge.sender, edge.target, edge.at[:19].replace("T", " "), edge.kind, shorten(edge.reason, _WIDTH))
            for edge in graph.edges
        ),
        note=graph.to_text().replace("\n", "; ") if graph.edges else "",
    )
    return 0
