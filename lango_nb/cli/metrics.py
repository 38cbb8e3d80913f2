"""``lango metrics``: how agents and tools did over the turns that are stored."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lango_nb.cli.output import say_json, say_table
from lango_nb.cli.parser import add_common
from lango_nb.cli.stored import add_since, history_of, open_records
from lango_nb.cli.trace import duration_text
from lango_nb.core.errors import UnknownNameError

if TYPE_CHECKING:
    from lango_nb.records.metrics import AgentMetrics, ToolMetrics


def fill(parser: argparse.ArgumentParser) -> None:
    """Describe ``lango metrics``."""
    parser.add_argument("--agent", metavar="NAME", help="only this agent")
    parser.add_argument("--session", metavar="NAME", help="only turns of this session")
    add_since(parser)
    parser.add_argument("--tools", action="store_true", help="tools instead of agents")
    add_common(parser)
    parser.epilog = "A turn counts for the agent it was first handed to; calls and delegations for whoever made them."
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Show the metrics.

    Raises
    ------
    UnknownNameError
        No turn knows that session or agent.
    UsageError
        ``--since`` is no time.
    """
    from lango_nb.records.metrics import agent_metrics, tool_metrics

    wanted = argparse.Namespace(session=args.session, since=args.since)  # what --agent means here are rows, not turns
    with open_records(args) as store:
        turns = history_of(store, wanted).events()
        tools = tool_metrics(turns) if args.tools else ()
        agents = () if args.tools else agent_metrics(turns)
    if args.agent is not None:
        names = {name for tool in tools for name in tool.agents} | {agent.agent for agent in agents}
        if args.agent not in names:
            raise UnknownNameError("agent", args.agent, sorted(names), where="the turns that are stored")
        tools = tuple(tool for tool in tools if args.agent in tool.agents)
        agents = tuple(agent for agent in agents if agent.agent == args.agent)
    if args.output == "json":
        say_json([agent_data(agent) for agent in agents] or [dataclasses.asdict(tool) for tool in tools])
    elif args.tools:
        _show_tools(tools)
    else:
        _show_agents(agents)
    return 0


def agent_data(agent: AgentMetrics) -> dict[str, Any]:
    """Return the metrics of an agent as plain data."""
    return {**dataclasses.asdict(agent), "success_rate": agent.success_rate}


def _show_agents(agents: Iterable[AgentMetrics]) -> None:
    say_table(
        "Agents",
        ("agent", "turns", "success", "failure", "rate", "tool calls", "in", "out", "p50", "p95", "p99"),
        (
            (
                agent.agent,
                agent.turns,
                agent.success,
                agent.failure,
                f"{agent.success_rate:.0%}" if agent.success_rate is not None else "",
                agent.tool_calls,
                agent.delegations_in,
                agent.delegations_out,
                duration_text(agent.p50_ms),
                duration_text(agent.p95_ms),
                duration_text(agent.p99_ms),
            )
            for agent in agents
        ),
    )


def _show_tools(tools: Iterable[ToolMetrics]) -> None:
    say_table(
        "Tools",
        ("tool", "calls", "errors", "unfinished", "mean", "p95", "called by"),
        (
            (
                tool.tool,
                tool.calls,
                tool.errors,
                tool.unfinished,
                duration_text(tool.mean_ms),
                duration_text(tool.p95_ms),
                ", ".join(tool.agents),
            )
            for tool in tools
        ),
    )
