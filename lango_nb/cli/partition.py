"""``lango partition``: who owns which tool, and by which rule."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from lango_nb.cli.door import open_lab
from lango_nb.cli.output import say_json, say_record
from lango_nb.cli.parser import add_common

if TYPE_CHECKING:
    from lango_nb.routing.tree import AgentTree


def fill(parser: argparse.ArgumentParser) -> None:
    """Describe ``lango partition``."""
    add_common(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Show the owner of every tool."""
    tree = open_lab(args).tree.record
    if args.output == "json":
        say_json(partition_data(tree))
    else:
        say_record(tree.partition)
    return 0


def partition_data(tree: AgentTree) -> dict[str, Any]:
    """Return a tree's partition as plain data."""
    partition = tree.partition
    by_name = {tool.name: tool for tool in partition.tools}
    return {
        "topology": tree.topology.name,
        "root": tree.root.name,
        "order": list(partition.order),
        "agents": {agent: list(partition[agent]) for agent in partition},
        "unmatched": [tool.name for tool in partition.unmatched],
        "universal": [tool.name for tool in partition.universal],
        "dropped": [tool.name for tool in partition.dropped],
        "tools": [
            {
                "tool": assignment.tool,
                "family": by_name[assignment.tool].family,
                "agent": assignment.agent,
                "rule": assignment.rule,
                "prefix": assignment.prefix,
                "rank": assignment.rank,
                "also": [{"agent": agent, "prefix": prefix} for agent, prefix in assignment.also],
                "reason": assignment.reason,
                "by_name_only": by_name[assignment.tool].is_by_name,
            }
            for assignment in partition.assignments
        ],
    }
