"""``lango route``: who would get a request, and why; nothing runs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from lango_nb.cli.door import open_engine, read_text
from lango_nb.cli.output import say, say_json
from lango_nb.cli.parser import add_common, add_text

if TYPE_CHECKING:
    from lango_nb.routing.route import Route


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``lango route``."""
    parser = commands.add_parser(
        "route", help="who would get a request, and why", description=__doc__, allow_abbrev=False
    )
    add_text(parser)
    add_common(parser)
    parser.set_defaults(run=run, parser=parser)


def run(args: argparse.Namespace) -> int:
    """Score the request against the routing table and show every candidate."""
    route = open_engine(args).route(read_text(args.text))
    if args.output == "json":
        say_json(route_data(route))
        return 0
    from lango_nb.viz import to_text

    say(to_text(route))
    return 0


def route_data(route: Route) -> dict[str, Any]:
    """Return a route as plain data."""
    return {
        "text": route.text,
        "chosen": route.chosen,
        "reason": route.reason,
        "is_conversation": route.is_conversation,
        "is_abstention": route.is_abstention,
        "runner_up": route.runner_up,
        "margin": route.margin,
        "threshold": route.threshold,
        "min_margin": route.min_margin,
        "domains": list(route.domains),
        "candidates": [
            {
                "agent": candidate.agent,
                "score": candidate.score,
                "vetoes": list(candidate.vetoes),
                "signals": [
                    {"kind": signal.kind, "term": signal.term, "weight": signal.weight} for signal in candidate.signals
                ],
            }
            for candidate in route.candidates
        ],
    }
