"""Who gave work to whom: the delegations of some turns as a graph.

    handover, run.started    the author gives work to another agent      an edge, counted
    returned, declined       the author gives control back               an edge, not counted

A teammate run is announced by two events, ``handover`` and ``run.started``: together they are one delegation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from lango_nb.core.messages import USER
from lango_nb.records.fields import value
from lango_nb.records.turns import Trace
from lango_nb.stores.store import Row, stamp
from lango_nb.tools.builtin import was_control

if TYPE_CHECKING:
    from lango_nb.core.events import Event
    from lango_nb.core.json_value import JsonValue

ToldTurn = Trace | tuple[Row, Sequence[Row]]
"""A turn with its events: a trace, or what :meth:`~lango_nb.stores.store.TurnLog.events` yields."""
EdgeKind = Literal["delegation", "return"]


@dataclass(frozen=True, slots=True)
class Edge:
    """Work that went from one agent to another."""

    sender: str
    target: str
    reason: str
    """The model's own words for why; of a return, what was said."""
    at: str
    """When, as :func:`~lango_nb.stores.store.stamp` writes it."""
    turn_id: str
    kind: EdgeKind = "delegation"
    run_id: str = ""
    """The teammate run it made; empty for a transfer and for a return."""


@dataclass(frozen=True, slots=True)
class Node:
    """One agent, and how often it gave and got work."""

    name: str
    delegations_in: int = 0
    delegations_out: int = 0
    tool_calls: int = 0
    """As a turn counts them: those that ended, refused ones too, control tools left out."""
    first_seen: str = ""
    last_seen: str = ""


@dataclass(frozen=True, slots=True)
class DelegationGraph:
    """Agents in the order in which they were first seen, and every edge in the order of time.

    Examples
    --------
    >>> row = {"id": "turn-1", "started_at": "2026-01-01T00:00:00"}
    >>> event = {"kind": "handover", "at": "2026-01-01T00:00:01", "author": "root", "target": "vault"}
    >>> graph = delegation_graph([(row, [event])])
    >>> graph.pairs()
    {('root', 'vault', 'delegation'): 1}
    >>> print(graph.to_mermaid())
    flowchart LR
      n0["root"]
      n1["vault"]
      n0 -->|1| n1
    """

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()

    def pairs(self) -> dict[tuple[str, str, EdgeKind], int]:
        """Count the edges of each pair of agents, delegations first, in the order in which they first happened."""
        counted: dict[tuple[str, str, EdgeKind], int] = {}
        for edge in sorted(self.edges, key=lambda edge: edge.kind):
            key = (edge.sender, edge.target, edge.kind)
            counted[key] = counted.get(key, 0) + 1
        return counted

    def to_mermaid(self) -> str:
        """Write the graph as a mermaid flowchart; a return is a dotted line."""
        places = {node.name: f"n{place}" for place, node in enumerate(self.nodes)}
        lines = ["flowchart LR", *(f'  {place}["{_label(name)}"]' for name, place in places.items())]
        arrows = {"delegation": "-->", "return": "-.->"}
        lines += [
            f"  {places[sender]} {arrows[kind]}|{number}| {places[target]}"
            for (sender, target, kind), number in self.pairs().items()
        ]
        return "\n".join(lines)

    def to_data(self) -> dict[str, JsonValue]:
        """Return the graph as plain data, with the names of the original."""
        return {
            "nodes": [
                {
                    "name": node.name,
                    "delegations_in": node.delegations_in,
                    "delegations_out": node.delegations_out,
                    "tool_calls": node.tool_calls,
                    "first_seen": node.first_seen,
                    "last_seen": node.last_seen,
                }
                for node in self.nodes
            ],
            "edges": [
                {
                    "from": edge.sender,
                    "to": edge.target,
                    "reason": edge.reason,
                    "timestamp": edge.at,
                    "trace_id": edge.turn_id,
                    "kind": edge.kind,
                    "run_id": edge.run_id,
                }
                for edge in self.edges
            ],
        }


@dataclass(slots=True)
class _Count:
    """A node in the making."""

    delegations_in: int = 0
    delegations_out: int = 0
    tool_calls: int = 0
    times: list[str] = field(default_factory=list)

    def see(self, at: str) -> None:
        self.times = [min(self.times[0], at), max(self.times[-1], at)] if self.times else [at, at]


def delegation_graph(turns: Iterable[ToldTurn]) -> DelegationGraph:
    """Draw who gave work to whom.

    Parameters
    ----------
    turns : iterable of Trace or of (row, events)
        In the order in which they began; of one session, or of as many as are wanted.

    Returns
    -------
    DelegationGraph
        Everybody who said, did or got something is a node; the person who asks is none.

    Notes
    -----
    Source: reference §10, "Delegation graph".
    """
    counts: dict[str, _Count] = {}
    edges: list[Edge] = []
    for turn in turns:
        _, events = parts(turn)
        for event in events:
            author, at = str(value(event, "author", "")), _time(value(event, "at"))
            if author and author != USER:
                seen = counts.setdefault(author, _Count())
                seen.see(at)
                seen.tool_calls += is_tool_call(event)
        for edge in edges_of(turn):
            edges.append(edge)
            sender, target = counts.setdefault(edge.sender, _Count()), counts.setdefault(edge.target, _Count())
            target.see(edge.at)
            if edge.kind == "delegation":
                sender.delegations_out += 1
                target.delegations_in += 1
    nodes = sorted(
        (
            Node(name, count.delegations_in, count.delegations_out, count.tool_calls, count.times[0], count.times[-1])
            for name, count in counts.items()
        ),
        key=lambda node: node.first_seen,
    )
    return DelegationGraph(tuple(nodes), tuple(edges))


def edges_of(turn: ToldTurn) -> Iterator[Edge]:
    """Return what was handed over and given back in one turn, in the order in which it happened.

    Parameters
    ----------
    turn : Trace or (row, events)

    Yields
    ------
    Edge
        One per delegation, however many events announced it.
    """
    row, events = parts(turn)
    turn_id = str(value(row, "id", ""))
    announced: dict[tuple[str, str], int] = {}
    runs = _runs_by_handover(events)
    for place, event in enumerate(events):
        kind, author = value(event, "kind"), str(value(event, "author", ""))
        at, reason = _time(value(event, "at")), str(value(event, "reason", ""))
        match kind:
            case "handover":
                target = str(value(event, "target", ""))
                announced[author, target] = announced.get((author, target), 0) + 1
                yield Edge(author, target, reason, at, turn_id, run_id=runs.get(place, ""))
            case "run.started":
                target = str(value(event, "agent", ""))
                if announced.get((author, target), 0):
                    announced[author, target] -= 1
                else:
                    yield Edge(author, target, reason, at, turn_id, run_id=str(value(event, "run_id", "")))
            case "returned" | "declined":
                said = reason or str(value(event, "text", ""))
                yield Edge(author, str(value(event, "target", "")), said, at, turn_id, "return")


def parts(turn: ToldTurn) -> tuple[object, Sequence[Event] | Sequence[Row]]:
    """Take a turn apart into what is known of it and its events."""
    return (turn.turn, turn.events) if isinstance(turn, Trace) else turn


def is_tool_call(event: object) -> bool:
    """Tell whether an event is the end of a call that turns, runs and agents count: refused ones too, no control tools.

    Examples
    --------
    >>> [is_tool_call({"kind": "tool.finished", "tool": name}) for name in ("fs_read", "agent_wait")]
    [True, False]
    """
    return value(event, "kind") == "tool.finished" and not was_control(
        str(value(event, "tool", "")), value(event, "role")
    )


def _runs_by_handover(events: Sequence[Event] | Sequence[Row]) -> dict[int, str]:
    """Return the run that each hand-over made, by the hand-over's place."""
    open_places: dict[tuple[str, str], list[int]] = {}
    found: dict[int, str] = {}
    for place, event in enumerate(events):
        author = str(value(event, "author", ""))
        if value(event, "kind") == "handover":
            open_places.setdefault((author, str(value(event, "target", ""))), []).append(place)
        elif value(event, "kind") == "run.started":
            waiting = open_places.get((author, str(value(event, "agent", ""))))
            if waiting:
                found[waiting.pop(0)] = str(value(event, "run_id", ""))
    return found


def _time(at: object) -> str:
    return stamp(at) if isinstance(at, datetime) else str(at or "")


def _label(name: str) -> str:
    """Write a name so that mermaid reads nothing into it."""
    return "".join(char if char.isalnum() or char in " _.-" else f"#{ord(char)};" for char in name)
