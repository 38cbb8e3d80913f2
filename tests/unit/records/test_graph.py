"""Who gave work to whom: one edge per delegation, however many events tell it; what came back is not counted."""

from typing import Any

from lango_nb.lab import Lab
from lango_nb.records.graph import Edge, Node, delegation_graph
from lango_nb.stores.store import Row

ROOT = "root"


def turn(*events: dict[str, Any], number: int = 1) -> tuple[Row, list[Row]]:
    rows = [
        {"at": f"2026-01-01T00:00:{number:02}.{seq:03}", "seq": seq, **event} for seq, event in enumerate(events, 1)
    ]
    return {"id": f"turn-{number}", "number": number}, rows


def handover(sender: str, target: str, reason: str = "") -> dict[str, Any]:
    return {"kind": "handover", "author": sender, "target": target, "reason": reason}


def started(sender: str, agent: str, run: str) -> dict[str, Any]:
    return {"kind": "run.started", "author": sender, "agent": agent, "run_id": run}


def call(author: str, tool: str = "t") -> dict[str, Any]:
    return {"kind": "tool.finished", "author": author, "tool": tool, "call_id": "c"}


def test_a_hand_over_and_the_run_it_makes_are_one_delegation() -> None:
    graph = delegation_graph([turn(handover(ROOT, "vault", "keys"), started(ROOT, "vault", "arun-1"))])
    assert graph.edges == (Edge(ROOT, "vault", "keys", "2026-01-01T00:00:01.001", "turn-1", "delegation", "arun-1"),)
    assert [(node.name, node.delegations_in, node.delegations_out) for node in graph.nodes] == [
        (ROOT, 0, 1),
        ("vault", 1, 0),
    ]


def test_runs_are_paired_with_hand_overs_of_the_same_two_in_order() -> None:
    events = [
        handover(ROOT, "vault"),
        handover(ROOT, "vault"),
        started(ROOT, "vault", "arun-1"),
        started(ROOT, "vault", "arun-2"),
        started(ROOT, "vault", "arun-3"),
        started("vault", "vault", "arun-4"),
    ]
    edges = delegation_graph([turn(*events)]).edges
    assert [(edge.sender, edge.run_id) for edge in edges] == [
        (ROOT, "arun-1"),
        (ROOT, "arun-2"),
        (ROOT, "arun-3"),
        ("vault", "arun-4"),
    ]


def test_a_hand_over_of_an_earlier_turn_announces_nothing_later() -> None:
    graph = delegation_graph([turn(handover(ROOT, "vault")), turn(started(ROOT, "vault", "arun-1"), number=2)])
    assert [edge.turn_id for edge in graph.edges] == ["turn-1", "turn-2"]


def test_what_comes_back_is_an_edge_and_no_delegation() -> None:
    graph = delegation_graph(
        [
            turn(
                handover(ROOT, "vault"),
                {"kind": "returned", "author": "vault", "target": ROOT, "reason": "done"},
                handover(ROOT, "operator"),
                {"kind": "declined", "author": "operator", "target": ROOT, "text": "not mine"},
            )
        ]
    )
    assert [(edge.kind, edge.sender, edge.target, edge.reason) for edge in graph.edges] == [
        ("delegation", ROOT, "vault", ""),
        ("return", "vault", ROOT, "done"),
        ("delegation", ROOT, "operator", ""),
        ("return", "operator", ROOT, "not mine"),
    ]
    assert {node.name: (node.delegations_in, node.delegations_out) for node in graph.nodes} == {
        ROOT: (0, 2),
        "vault": (1, 0),
        "operator": (1, 0),
    }
    assert list(graph.pairs()) == [
        (ROOT, "vault", "delegation"),
        (ROOT, "operator", "delegation"),
        ("vault", ROOT, "return"),
        ("operator", ROOT, "return"),
    ]


def test_nodes_count_calls_and_know_when_they_were_seen() -> None:
    first = turn({"kind": "turn.started", "author": "user"}, handover(ROOT, "vault"), call("vault"), call("vault"))
    graph = delegation_graph([first, turn(call("vault"), number=2)])
    assert graph.nodes == (
        Node(ROOT, 0, 1, 0, "2026-01-01T00:00:01.002", "2026-01-01T00:00:01.002"),
        Node("vault", 1, 0, 3, "2026-01-01T00:00:01.002", "2026-01-01T00:00:02.001"),
    )


def test_nobody_is_no_graph() -> None:
    graph = delegation_graph([])
    assert (graph.nodes, graph.edges) == ((), ())
    assert graph.to_mermaid() == "flowchart LR"


def test_mermaid_reads_nothing_into_names() -> None:
    graph = delegation_graph([turn(handover('a"]; click b "x', "日本-1"), handover("a", "b"), handover("a", "b"))])
    shown = graph.to_mermaid()
    assert 'n0["a#34;#93;#59; click b #34;x"]' in shown
    assert '["日本-1"]' in shown
    assert "-->|2|" in shown
    assert shown.count('"') == 2 * len(graph.nodes)


def test_the_data_has_the_originals_names() -> None:
    data = delegation_graph([turn(handover(ROOT, "vault", "keys"))]).to_data()
    assert data["edges"] == [
        {
            "from": ROOT,
            "to": "vault",
            "reason": "keys",
            "timestamp": "2026-01-01T00:00:01.001",
            "trace_id": "turn-1",
            "kind": "delegation",
            "run_id": "",
        }
    ]
    nodes = data["nodes"]
    assert isinstance(nodes, list)
    assert isinstance(nodes[0], dict)
    assert set(nodes[0]) == {"name", "delegations_in", "delegations_out", "tool_calls", "first_seen", "last_seen"}


def test_traces_and_stored_rows_make_the_same_graph() -> None:
    lab = Lab("octet", approver="allow")
    lab.ask("list the files and encrypt the word hello")
    traces = tuple(lab.engine.traces)
    graph = delegation_graph(traces)
    assert graph == delegation_graph(lab.engine.store.log.events())
    decisions = [decision for trace in traces for decision in trace.decisions]
    assert [(edge.target, edge.run_id) for edge in graph.edges] == [(one.chosen, one.run_id) for one in decisions]
    assert len(decisions) > 1
    lab.engine.close()
