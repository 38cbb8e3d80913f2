"""Agents and tools are measured as the reference says: whose turn it was, how it ended, how long it took."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lango_nb.records.metrics import AgentMetrics, ToolMetrics, agent_metrics, percentile, tool_metrics
from lango_nb.stores.store import Row
from tests.unit.records.test_graph import ROOT, call, handover, started

Told = tuple[Row, list[Row]]


def turn(*events: dict[str, Any], outcome: str = "success", ms: float = 10.0) -> Told:
    return {"id": "t", "outcome": outcome, "duration_ms": ms}, [{"at": "", **event} for event in events]


def by_agent(*turns: Told) -> dict[str, AgentMetrics]:
    return {found.agent: found for found in agent_metrics(turns)}


def test_a_turn_belongs_to_whom_it_was_first_handed_to() -> None:
    found = by_agent(
        turn({"kind": "turn.started", "author": "user"}, handover(ROOT, "vault"), handover(ROOT, "operator"), ms=30.0)
    )
    assert (found["vault"].turns, found["vault"].p50_ms) == (1, 30.0)
    assert (found["operator"].turns, found["operator"].p50_ms, found["operator"].success_rate) == (0, None, None)
    assert found[ROOT].turns == 0
    assert "user" not in found


def test_a_turn_of_nobody_else_belongs_to_the_first_who_is_not_the_user() -> None:
    found = by_agent(turn({"kind": "turn.started", "author": "user"}, {"kind": "text", "author": ROOT}))
    assert (found[ROOT].turns, found[ROOT].success) == (1, 1)


def test_success_failure_and_rate() -> None:
    turns = [
        turn(handover(ROOT, "vault"), outcome=outcome) for outcome in ("success", "timeout", "cancelled", "success")
    ]
    vault = by_agent(*turns)["vault"]
    assert (vault.turns, vault.success, vault.failure, vault.success_rate) == (4, 2, 2, 0.5)


def test_a_turn_that_runs_is_not_counted() -> None:
    assert agent_metrics([turn(handover(ROOT, "vault"), call("vault"), outcome="running")]) == ()


def test_delegations_are_counted_once_and_calls_for_whoever_made_them() -> None:
    back = {"kind": "declined", "author": "vault", "target": ROOT, "text": "no"}
    found = by_agent(
        turn(handover(ROOT, "vault"), started(ROOT, "vault", "arun-1"), call("vault"), call("vault"), back, call(ROOT)),
    )
    assert (found["vault"].delegations_in, found["vault"].delegations_out, found["vault"].tool_calls) == (1, 0, 2)
    assert (found[ROOT].delegations_in, found[ROOT].delegations_out, found[ROOT].tool_calls) == (0, 1, 1)


def test_percentiles_stand_at_the_references_place() -> None:
    turns = [turn(handover(ROOT, "vault"), ms=float(number)) for number in range(100, 0, -1)]
    vault = by_agent(*turns)["vault"]
    assert (vault.p50_ms, vault.p95_ms, vault.p99_ms) == (50.0, 95.0, 99.0)
    two = by_agent(*turns[:2])["vault"]
    assert (two.p50_ms, two.p95_ms, two.p99_ms) == (99.0, 99.0, 99.0)


def test_agents_stand_by_number_of_turns_then_name() -> None:
    turns = [turn(handover("r", name)) for name in ("b", "a", "c", "c")]
    assert [found.agent for found in agent_metrics(turns)] == ["c", "a", "b", "r"]


def ended(author: str, call_id: str, ms: float, **values: Any) -> dict[str, Any]:
    return {"kind": "tool.finished", "author": author, "tool": "t", "call_id": call_id, "latency_ms": ms, **values}


def begun(author: str, call_id: str, run_id: str = "") -> dict[str, Any]:
    return {"kind": "tool.started", "author": author, "tool": "t", "call_id": call_id, "run_id": run_id}


def test_tools_count_calls_errors_and_what_never_ended() -> None:
    found = tool_metrics(
        [
            turn(begun("a", "1"), ended("a", "1", 10.0), begun("b", "2"), ended("b", "2", 30.0, is_error=True)),
            turn(begun("a", "1"), ended("c", "9", 2.0, is_error=True)),
        ]
    )
    assert found == (ToolMetrics("t", 4, 2, 1, 14.0, 10.0, ("a", "b", "c")),)


def test_calls_of_one_id_in_two_runs_are_two() -> None:
    one, two = begun("a", "1", "arun-1"), begun("a", "1", "arun-2")
    ends = [ended("a", "1", 1.0, run_id=run) for run in ("arun-1", "arun-2")]
    (found,) = tool_metrics([turn(one, two, *ends)])
    assert (found.calls, found.unfinished) == (2, 0)
    (found,) = tool_metrics([turn(one, *ends)])  # the second was refused before it began
    assert (found.calls, found.unfinished) == (2, 0)


def test_a_tool_that_never_ended_has_no_times() -> None:
    assert tool_metrics([turn(begun("a", "1"))]) == (ToolMetrics("t", 1, 0, 1, None, None, ("a",)),)


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0, 1))
def test_a_percentile_is_one_of_the_values_and_grows_with_the_share(values: list[float], share: float) -> None:
    found = percentile(values, share)
    assert found in values
    assert min(values) <= (percentile(values, share / 2) or 0.0) <= (found or 0.0) <= max(values)
