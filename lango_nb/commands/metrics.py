"""How agents and tools did, and who handed work to whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lango_nb.commands.command import DRAWING, Command, Option, Output, Word
from lango_nb.commands.history import SINCE
from lango_nb.commands.text import table_text
from lango_nb.core.errors import UnknownNameError, shorten

if TYPE_CHECKING:
    from lango_nb.commands.terminal.session import Terminal
    from lango_nb.lab import Lab
    from lango_nb.records.metrics import AgentMetrics, ToolMetrics
    from lango_nb.viz.view import ListView, View

_WIDTH = 60


@Command(
    "metrics",
    "measure the agents over all stored turns: success, calls, p50, p95, p99; with a name, over that session",
    "%lango metrics main",
    Word("session", "SESSION", "session", "only turns of this session"),
    options=(
        Option("--agent", "only this agent", "NAME", kind="agent", where="terminal"),
        Option("--session", "the same as SESSION", "NAME", where="terminal", parameter="same_session"),
        SINCE._replace(where="terminal"),
        Option("--tools", "tools instead of agents", where="terminal"),
    ),
    note="A turn counts for the agent it was first handed to; calls and delegations for whoever made them.",
    group="keep and check",
)
def metrics(lab: Lab, session: str | None = None) -> ListView[AgentMetrics]:
    """Measure agents."""
    return lab.metrics(session)


@metrics.in_terminal
def _metrics_in_terminal(  # noqa: PLR0913 - what one may ask for
    terminal: Terminal,
    session: str | None = None,
    *,
    same_session: str | None = None,
    since: str | None = None,
    agent: str | None = None,
    tools: bool = False,
) -> Output:
    from dataclasses import asdict

    from lango_nb.records.metrics import agent_metrics, tool_metrics

    with terminal.records() as records:
        turns = records.history(session or same_session).where(since=since).events()
        of_tools = tool_metrics(turns) if tools else ()
        of_agents = () if tools else agent_metrics(turns)
    if agent is not None:
        names = {name for tool in of_tools for name in tool.agents} | {one.agent for one in of_agents}
        if agent not in names:
            raise UnknownNameError("agent", agent, sorted(names), where="the turns that are stored")
        of_tools = tuple(tool for tool in of_tools if agent in tool.agents)
        of_agents = tuple(one for one in of_agents if one.agent == agent)
    data = [{**asdict(one), "success_rate": one.success_rate} for one in of_agents]
    data += [asdict(tool) for tool in of_tools]
    return Output(lambda: _tools_text(of_tools) if tools else _agents_text(of_agents), lambda: data)


def _agents_text(agents: tuple[AgentMetrics, ...]) -> str:
    return table_text(
        "Agents",
        (
            "agent",
            "turns",
            "success",
            "asks",
            "failure",
            "at a limit",
            "rate",
            "tool calls",
            "in",
            "out",
            "p50",
            "p95",
            "p99",
        ),
        (
            (
                agent.agent,
                agent.turns,
                agent.success,
                agent.input_required,
                agent.failure,
                agent.limit_reached,
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


def _tools_text(tools: tuple[ToolMetrics, ...]) -> str:
    return table_text(
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


def duration_text(milliseconds: object) -> str:
    """Write how long something took.

    Examples
    --------
    >>> duration_text(0.84), duration_text(1234.5), duration_text(75_000), duration_text(None)
    ('0.8 ms', '1.2 s', '75 s', '')
    """
    if not isinstance(milliseconds, int | float):
        return ""
    seconds = milliseconds / 1000
    if seconds < 1:
        return f"{milliseconds:,.1f} ms"
    return f"{seconds:,.1f} s" if seconds < 60 else f"{seconds:,.0f} s"  # noqa: PLR2004 - a minute


@Command(
    "graph",
    "show who handed work to whom in a session; without a name, in the present one",
    "%lango graph main",
    Word(
        "session", "SESSION", "session", "name of the session; the present one, in a terminal the latest, when absent"
    ),
    formats=DRAWING,
    group="keep and check",
)
def graph(lab: Lab, session: str | None = None) -> View[Any]:
    """Show who handed work to whom."""
    return lab.graph(session)


@graph.in_terminal
def _graph_in_terminal(terminal: Terminal, session: str | None = None) -> Output:
    from lango_nb.records.graph import delegation_graph
    from lango_nb.viz import to_text

    with terminal.records() as records:
        name = session or records.latest_session
        found = delegation_graph(records.history(name).events())

    def text() -> str:
        rows = (
            (edge.sender, edge.target, edge.at[:19].replace("T", " "), edge.kind, shorten(edge.reason, _WIDTH))
            for edge in found.edges
        )
        edges = table_text("Delegations", ("from", "to", "time", "kind", "reason"), rows)
        return f"{to_text(found)}\n\n{edges}"

    return Output(text, lambda: {"session": name, **found.to_data()}, found.to_mermaid)
