"""``lango route``: who would get a request, and why; nothing runs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from lango_nb.cli.door import open_lab, read_text
from lango_nb.cli.output import say_json, say_record
from lango_nb.cli.parser import add_common, add_text

if TYPE_CHECKING:
    from lango_nb.routing.route import Route


def fill(parser: argparse.ArgumentParser) -> None:
    """Describe ``lango route``."""
    add_text(parser)
    add_common(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Score the request against the routing table and show every candidate."""
    route = open_lab(args).route(read_text(args.text)).record
    if args.output == "json":
        say_json(route_data(route))
    else:
        say_record(route)
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
        "confidence": route.confidence,
        "root_confidence": route.root_confidence,
        "domains": list(route.domains),
        "candidates": [
            {
                "agent": candidate.agent,
                "score": candidate.score,
                "confidence": candidate.confidence,
                "vetoes": list(candidate.vetoes),
                "signals": [
                    {"kind": signal.kind, "term": signal.term, "weight": signal.weight} for signal in candidate.signals
                ],
            }
            for candidate in route.candidates
        ],
    }
