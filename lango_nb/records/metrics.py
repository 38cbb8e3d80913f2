"""How agents and tools did over many turns: counts, success, and how long it took.

A turn belongs to one agent: to the first that work was handed to, else to the first that said or did something. Calls
and delegations are counted for whoever made them, in whatever turn.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lango_nb.core.messages import USER
from lango_nb.records.fields import value
from lango_nb.records.graph import ToldTurn, edges_of, is_tool_call, parts


@dataclass(frozen=True, slots=True)
class AgentMetrics:
    """How one agent did."""

    agent: str
    turns: int = 0
    """Finished turns that belong to it."""
    success: int = 0
    failure: int = 0
    """Those that ended in another way than ``success`` and ``input_required``."""
    tool_calls: int = 0
    delegations_in: int = 0
    delegations_out: int = 0
    p50_ms: float | None = None
    """Half of its turns took no longer; ``None`` when it has none."""
    p95_ms: float | None = None
    p99_ms: float | None = None
    input_required: int = 0
    """Its turns that leave the next word to the person: asked back, not understood, waiting for an answer."""
    limit_reached: int = 0
    """Those of the failures that a limit of tokens, cost or turns ended."""

    @property
    def success_rate(self) -> float | None:
        """Share of its turns that went well, 0 to 1; ``None`` when it has none."""
        return self.success / self.turns if self.turns else None


@dataclass(frozen=True, slots=True)
class ToolMetrics:
    """How one tool did."""

    tool: str
    calls: int = 0
    errors: int = 0
    unfinished: int = 0
    """Calls that began and of which no end is known."""
    mean_ms: float | None = None
    """Of the calls that ended; ``None`` when none did."""
    p95_ms: float | None = None
    agents: tuple[str, ...] = ()
    """Who called it, in the order in which they first did."""


@dataclass(slots=True)
class _Agent:
    durations: list[float] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    tool_calls: int = 0
    delegations_in: int = 0
    delegations_out: int = 0


@dataclass(slots=True)
class _Tool:
    calls: int = 0
    errors: int = 0
    latencies: list[float] = field(default_factory=list)
    agents: dict[str, None] = field(default_factory=dict)


def agent_metrics(turns: Iterable[ToldTurn]) -> tuple[AgentMetrics, ...]:
    """Measure every agent.

    Parameters
    ----------
    turns : iterable of Trace or of (row, events)
        Turns that still run are left out.

    Returns
    -------
    tuple of AgentMetrics
        Those with the most turns first, then by name.

    Notes
    -----
    Source: reference §10, "Agent metrics".

    Examples
    --------
    >>> row = {"id": "turn-1", "outcome": "success", "duration_ms": 12.0}
    >>> events = [{"kind": "handover", "author": "root", "target": "vault"}]
    >>> [(found.agent, found.turns, found.p95_ms) for found in agent_metrics([(row, events)])]
    [('vault', 1, 12.0), ('root', 0, None)]
    """
    found: dict[str, _Agent] = defaultdict(_Agent)
    for turn in turns:
        row, events = parts(turn)
        if value(row, "outcome") == "running":
            continue
        for event in events:
            author = str(value(event, "author", ""))
            if author and author != USER:
                found[author].tool_calls += is_tool_call(event)
        delegations = [edge for edge in edges_of(turn) if edge.kind == "delegation"]
        for edge in delegations:
            found[edge.sender].delegations_out += 1
            found[edge.target].delegations_in += 1
        owner = delegations[0].target if delegations else _first_author(events)
        if owner:
            found[owner].durations.append(float(value(row, "duration_ms") or 0.0))
            found[owner].outcomes[str(value(row, "outcome"))] += 1
    return tuple(
        sorted((_measured(name, agent) for name, agent in found.items()), key=lambda item: (-item.turns, item.agent))
    )


def tool_metrics(turns: Iterable[ToldTurn]) -> tuple[ToolMetrics, ...]:
    """Measure every tool.

    Parameters
    ----------
    turns : iterable of Trace or of (row, events)

    Returns
    -------
    tuple of ToolMetrics
        Those with the most calls first, then by name.
    """
    found: dict[str, _Tool] = defaultdict(_Tool)
    for turn in turns:
        _, events = parts(turn)
        begun: set[tuple[str, str]] = set()
        for event in events:
            kind = value(event, "kind")
            if kind not in {"tool.started", "tool.finished"}:
                continue
            tool = found[str(value(event, "tool", ""))]
            call = (str(value(event, "run_id", "")), str(value(event, "call_id", "")))
            tool.agents.setdefault(str(value(event, "author", "")))
            if kind == "tool.started":
                begun.add(call)
                tool.calls += 1
                continue
            tool.calls += call not in begun  # refused before it began
            tool.errors += bool(value(event, "is_error", False))
            tool.latencies.append(float(value(event, "latency_ms") or 0.0))
    measured = (
        ToolMetrics(
            name,
            tool.calls,
            tool.errors,
            tool.calls - len(tool.latencies),
            sum(tool.latencies) / len(tool.latencies) if tool.latencies else None,
            percentile(tool.latencies, 0.95),
            tuple(tool.agents),
        )
        for name, tool in found.items()
    )
    return tuple(sorted(measured, key=lambda item: (-item.calls, item.tool)))


def percentile(values: Sequence[float], share: float) -> float | None:
    """Return the value that a share of all values does not pass: the one at ``int((n - 1) * share)``.

    Parameters
    ----------
    values : sequence of float
        In any order.
    share : float
        Between 0 and 1.

    Returns
    -------
    float or None
        ``None`` when there are no values.

    Examples
    --------
    >>> percentile([30.0, 10.0, 20.0], 0.5), percentile([10.0, 20.0], 0.95), percentile([], 0.5)
    (20.0, 10.0, None)
    """
    return sorted(values)[int((len(values) - 1) * share)] if values else None


def _measured(name: str, agent: _Agent) -> AgentMetrics:
    times, turns = agent.durations, len(agent.durations)
    success, asked = agent.outcomes["success"], agent.outcomes["input_required"]
    return AgentMetrics(
        name,
        turns,
        success,
        turns - success - asked,
        agent.tool_calls,
        agent.delegations_in,
        agent.delegations_out,
        percentile(times, 0.5),
        percentile(times, 0.95),
        percentile(times, 0.99),
        asked,
        agent.outcomes["limit_reached"],
    )


def _first_author(events: Iterable[object]) -> str:
    authors = (str(value(event, "author", "")) for event in events)
    return next((author for author in authors if author and author != USER), "")
