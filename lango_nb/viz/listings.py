"""Nouns that are shown as a plain listing: one function per noun, from records to a :class:`Table`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from lango_nb.core.text import counted
from lango_nb.viz.table import Table

if TYPE_CHECKING:
    from lango_nb.core.messages import Message
    from lango_nb.evaluation.learning import LearningCurve
    from lango_nb.hooks.chain import HookChain
    from lango_nb.models.usable import ModelRow
    from lango_nb.records.ledger import LedgerEntry
    from lango_nb.records.memories import Memory
    from lango_nb.records.metrics import AgentMetrics
    from lango_nb.records.tasks import Task
    from lango_nb.routing.partition import Assignment
    from lango_nb.routing.tree import AgentNode, AgentTree
    from lango_nb.tools.tool import Tool

_LARGE = 100
_BEGINNING = 100
"""Characters of the first request of a session, and of its name."""


# -- agents and tools --------------------------------------------------------------------------------------------------


def agents_table(tree: AgentTree) -> Table:
    """List agents: role, tools, where the definition came from."""
    own = tree.partition.owned
    rows = tuple(
        (node.name, node.role, len(own.get(node.name, node.tools)), _source_of(node), node.description or "")
        for node in tree
    )
    note = f"left out, because no tool is theirs: {', '.join(tree.skipped)}" if tree.skipped else ""
    return Table(f"agents of {tree.topology.name}", ("agent", "role", "own_tools", "source", "description"), rows, note)


def _source_of(node: AgentNode) -> str:
    return node.spec.source.name.lower() if node.spec is not None else "builtin"


def tools_table(tools: Sequence[Tool], tree: AgentTree, query: str | None) -> Table:
    """List tools with their owners; ``query`` is what they were searched for by."""
    rows = tuple(
        (
            tool.name,
            _owner_of(tree.partition.why(tool.name)),
            tool.family,
            tool.safety,
            "yes" if tool.is_by_name else "",
        )
        for tool in tools
    )
    by_name = sum(tool.is_by_name for tool in tools)
    title = counted(len(tools), "tool") + (f" for {query!r}" if query else "")
    note = f"{len(tools) - by_name} run here, {by_name} are known by name only"
    return Table(title, ("tool", "agent", "family", "safety", "by_name"), rows, note)


def landed_table(landed: Sequence[Assignment]) -> Table:
    """Say who works with tools that are new."""
    rows = tuple((item.tool, _owner_of(item), item.reason) for item in landed)
    return Table(f"{counted(len(landed), 'tool')} joined", ("tool", "agent", "reason"), rows)


def _owner_of(item: Assignment) -> str:
    """Name who has a tool, in the words of the pictures."""
    return item.agent or {"universal": "everybody", "dropped": "root only"}.get(item.rule, "nobody")


def hooks_table(chain: HookChain) -> Table:
    """List the hooks around every tool call."""
    rows = tuple(
        (row.name, row.phase, row.priority, row.source, "yes" if row.is_wired else "no", row.why) for row in chain
    )
    return Table("hooks around a tool call", ("hook", "phase", "priority", "source", "is_wired", "why"), rows)


def models_table(models: Iterable[ModelRow], note: str) -> Table:
    """List models that can be used, and what is missing for the rest."""
    rows = tuple(
        (row.provider, row.example, row.state.replace(" ", "\N{NO-BREAK SPACE}"), row.key, row.missing)
        for row in models
    )
    return Table("models", ("provider", "example", "state", "key", "missing"), rows, note)


# -- records -----------------------------------------------------------------------------------------------------------


def sessions_table(sessions: Sequence[Mapping[str, object]], present: str = "") -> Table:
    """List conversations in order of creation.

    Parameters
    ----------
    sessions : sequence of mapping
        As :meth:`~lango_nb.stores.store.TurnLog.sessions` gives them.
    present : str
        The one that goes on with the next request.

    Returns
    -------
    Table
        Without times, so that the same history always looks the same; the frame has them.
    """
    from lango_nb.viz.escape import one_line

    rows = tuple(
        (
            row["id"],
            row["turns"],
            one_line(str(row.get("title") or ""), _BEGINNING),
        )
        for row in sessions
    )
    name = one_line(present, _BEGINNING)
    goes_on = any(row["id"] == present for row in sessions)
    note = f"the next request {'goes on in' if goes_on else 'begins'} {name}" if present and sessions else ""
    empty = "no session has a turn yet" + (f"; the next request goes to {name}" if present else "")
    return Table("sessions", ("session_id", "turns", "title"), rows, note, empty=empty)


def messages_table(numbered: Iterable[tuple[int, Message]], title: str) -> Table:
    """List messages of a turn, each with its number in the turn."""
    rows = tuple(
        (number, message.role, message.author or "", message.content, ", ".join(c.name for c in message.tool_calls))
        for number, message in numbered
    )
    return Table(title, ("seq", "role", "author", "content", "calls"), rows)


def ledger_table(entries: Iterable[LedgerEntry]) -> Table:
    """List what teammate runs waited for."""
    columns = ("run_id", "agent", "kind", "grant_request_id", "grant_attempt", "grant_state", "blocked_reason")
    rows = tuple(
        (e.run_id, e.agent, e.kind, e.grant_request_id, e.grant_attempt or None, e.grant_state, e.blocked_reason)
        for e in entries
    )
    empty = "nothing was noted; runLedger.enabled and runLedger.writeThrough note who waits for an approval"
    return Table("run ledger", columns, rows, empty=empty)


def tasks_table(tasks: Sequence[Task]) -> Table:
    """List tasks of root and agents in the order in which they were noted."""
    rows = tuple(
        (task.id, task.status.replace("_", " "), task.title, task.description, task.parent_id) for task in tasks
    )
    states = Counter(task.status.replace("_", " ") for task in tasks)
    note = ", ".join(f"{number:,} {state}" for state, number in states.items())
    columns = ("task_id", "status", "title", "description", "parent_id")
    return Table("tasks", columns, rows, note, empty="no task yet; agents note them with task_create")


def memories_table(memories: Iterable[Memory], agent: str | None = None, *, is_kept: bool = True) -> Table:
    """List what agents remember, the entries of an agent together.

    Parameters
    ----------
    memories : iterable of Memory
    agent : str, optional
        Whose they are; all agents' when absent.
    is_kept : bool
        Whether agents have the tools to remember anything.
    """
    columns = ("agent", "key", "content", "scope", "kind", "confidence", "use_count", "tags")
    rows = tuple(
        (m.agent, m.key, m.content, m.scope, m.kind or "", m.confidence, m.use_count, ", ".join(m.tags))
        for m in memories
    )
    whose = f"{agent} remembers nothing yet" if agent else "no agent remembers anything yet"
    switch = "" if is_kept else "; the setting agentMemory.enabled lets agents remember"
    return Table(f"memories of {agent}" if agent else "memories", columns, rows, empty=whose + switch)


# -- measures ----------------------------------------------------------------------------------------------------------

_METRICS = (
    "agent",
    "turns",
    "success",
    "input_required",
    "failure",
    "success_rate",
    "tool_calls",
    "p50_ms",
    "p95_ms",
    "p99_ms",
)


def metrics_table(metrics: Sequence[AgentMetrics]) -> Table:
    """List how agents did: durations of whole turns; a turn counts for the agent that it was first handed to."""
    rows = tuple(
        (
            one.agent,
            one.turns,
            one.success,
            one.input_required,
            one.failure,
            None if one.success_rate is None else round(one.success_rate, 2),
            one.tool_calls,
            *map(_rounded, (one.p50_ms, one.p95_ms, one.p99_ms)),
        )
        for one in metrics
    )
    note = "a turn counts for the agent that it was first handed to"
    if limited := sum(one.limit_reached for one in metrics):
        note = f"{note}; {counted(limited, 'turn')} of those that failed ended at a limit of tokens, cost or turns"
    return Table("how agents did", _METRICS, rows, note if rows else "", empty="no turn has ended yet")


def _rounded(value: float | None) -> float | None:
    """Write three digits of a small number, and every digit before the point of a large one."""
    if value is None:
        return None
    return round(value) if value >= _LARGE else float(f"{value:.3g}")


# -- lessons -----------------------------------------------------------------------------------------------------------


def learning_table(curve: LearningCurve) -> Table:
    """List how often a router is right after more and more lessons."""
    rows = tuple(
        (
            point.number,
            f"{100 * (point.accuracy.value or 0):.1f} %",
            f"{100 * point.accuracy.low:.1f} to {100 * point.accuracy.high:.1f}",
            point.accuracy.of,
        )
        for point in curve.points
    )
    return Table(
        f"learning curve of {curve.topology} with {curve.data}",
        ("lessons", "right", "95 % interval", "left out"),
        rows,
        "; ".join(filter(None, ("measured on the requests that were left out, a third of them", curve.part)))
        if rows
        else "",
        "too few labelled requests: six or more are needed; %lango label AGENT TEXT keeps one",
    )
