"""Spans laid out in lanes: one per author, one per run."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from lango_nb.core.events import Event, RunStarted, TextSaid
from lango_nb.viz.lanes import Lane, find_lanes, lane_bars, lives, step_bars, timed_bars, timed_lives
from lango_nb.viz.spans import spans
from tests.unit.viz import samples

START = samples.START
MADE = spans(samples.teammates().events)
SLOTS = len(samples.teammates().events)
PARENTS = {run.id: run.parent_run_id for run in samples.runs()}


def test_runs_are_lanes_of_their_own_under_whoever_asked_for_them() -> None:
    assert list(find_lanes(MADE, PARENTS).values()) == [
        Lane("user"),
        Lane("orchestrator"),
        Lane("operator", "run-1", 1),
        Lane("operator", "run-2", 1),
        Lane("librarian", "run-3", 1),
        Lane("operator", "run-4", 2),
    ]


def test_without_the_records_the_latest_work_of_the_asker_counts() -> None:
    assert find_lanes(MADE) == find_lanes(MADE, PARENTS)


def test_the_parent_that_is_known_counts_more_than_the_name() -> None:
    said: dict[str, Any] = {"turn_id": "t", "at": START}
    events: list[Event] = [
        RunStarted(seq=1, author="root", run_id="a", agent="vault", instruction="x", **said),
        RunStarted(seq=2, author="root", run_id="b", agent="vault", instruction="x", **said),
        RunStarted(seq=3, author="vault", run_id="c", agent="painter", instruction="x", **said),
    ]
    assert list(find_lanes(spans(events), {"c": "a"})) == [("", "a"), ("", "c"), ("", "b")]
    assert list(find_lanes(spans(events))) == [("", "a"), ("", "b"), ("", "c")]


def test_runs_that_claim_each_other_are_shown_all_the_same() -> None:
    said: dict[str, Any] = {"turn_id": "t", "at": START, "author": "vault"}
    events: list[Event] = [
        RunStarted(seq=1, run_id="a", agent="vault", instruction="x", **said),
        RunStarted(seq=2, run_id="b", agent="vault", instruction="x", **said),
    ]
    assert set(find_lanes(spans(events), {"a": "b", "b": "a"})) == {("", "a"), ("", "b")}


def test_an_agent_may_be_called_like_a_run() -> None:
    said: dict[str, Any] = {"turn_id": "t", "at": START, "author": "run-1", "text": "x"}
    made = spans([TextSaid(seq=1, **said), TextSaid(seq=2, run_id="run-1", **said)])
    assert len(find_lanes(made)) == 2


def test_a_run_lives_from_its_start_to_its_end_and_a_blocked_one_on() -> None:
    found = lives(MADE, SLOTS)
    assert set(found) == {("", "run-1"), ("", "run-2"), ("", "run-3"), ("", "run-4")}
    assert found["", "run-1"] == pytest.approx((3 / SLOTS, 26 / SLOTS))  # events 4 to 29
    assert found["", "run-2"] == pytest.approx((6 / SLOTS, (SLOTS - 6) / SLOTS))
    timed = timed_lives(MADE)
    total = (MADE[-1].end - MADE[0].start) / timedelta(milliseconds=1)
    assert timed["", "run-1"] == pytest.approx((15 / total, 125 / total))
    assert sum(timed["", "run-2"]) == pytest.approx(1)


def test_what_is_still_blocked_reaches_to_the_end() -> None:
    (bar,) = (bar for bar in lane_bars(MADE, SLOTS, 160)["", "run-2"] if bar.kind == "blocked")
    assert bar.left + bar.size == pytest.approx(1)
    bars, _ = timed_bars(MADE, 500)
    (bar,) = (bar for bar in bars["", "run-2"] if bar.kind == "blocked")
    assert bar.left + bar.size == pytest.approx(1)


def test_a_run_that_failed_is_seen_however_many_events_share_its_piece() -> None:
    kinds = {bar.kind for bar in lane_bars(MADE, SLOTS, 3)["", "run-3"]}
    assert kinds & {"failed", "run fails"}
    assert "blocked" in {bar.kind for bar in lane_bars(MADE, SLOTS, 3)["", "run-2"]}


def test_a_model_call_belongs_to_the_run_that_made_it_and_not_to_what_frames_it() -> None:
    steps = step_bars(MADE, SLOTS, 160)
    assert [bar.label for bar in steps["", "run-1"]] == ["model call 3", "model call 9"]
    assert [bar.size for bar in steps["", "run-1"]] == pytest.approx([6 / SLOTS, 1 / SLOTS])


def test_bars_lie_where_their_events_are() -> None:
    trace = samples.trace()
    bars = lane_bars(spans(trace.events), 15, 160)
    assert list(bars) == [("user", ""), ("orchestrator", ""), ("librarian", ""), ("operator", "")]
    exec_bar = next(bar for bar in bars["operator", ""] if bar.label == "exec")
    assert exec_bar.left == pytest.approx(9 / 15)
    assert exec_bar.size == pytest.approx(4 / 15)


@pytest.mark.parametrize("events", [15, 200, 10_000])
def test_bars_of_a_lane_never_overlap_or_leave_it(events: int) -> None:
    trace = samples.trace() if events == 15 else samples.long_trace(events)
    for bars in lane_bars(spans(trace.events), len(trace.events), 160).values():
        assert len(bars) <= 160
        end = 0.0
        for bar in bars:
            assert bar.left >= end - 1e-9
            end = bar.left + bar.size
        assert end <= 1 + 1e-9


def test_a_failure_is_seen_however_many_calls_share_its_piece() -> None:
    trace = samples.long_trace(10_000)
    kinds = {bar.kind for bars in lane_bars(spans(trace.events), len(trace.events), 160).values() for bar in bars}
    assert "failed" in kinds


def test_a_kind_that_is_not_known_gives_way_to_those_that_are() -> None:
    made = [replace(span, kind="made up" if span.kind == "asks" else span.kind) for span in MADE]
    kinds = {bar.kind for bars in lane_bars(made, SLOTS, 3).values() for bar in bars}
    assert {"made up", "failed"} <= kinds


def test_a_model_call_reaches_over_what_it_led_to() -> None:
    trace = samples.trace()
    steps = step_bars(spans(trace.events), 15, 160)
    first = steps["orchestrator", ""][0]
    assert first.label == "model call 1"
    assert [first.left, first.size] == pytest.approx([1 / 15, 2 / 15])
    assert sum(map(len, steps.values())) == 7
    assert step_bars(spans(trace.events), 500, 160)["orchestrator", ""] == []


def test_timed_bars_are_as_long_as_they_took() -> None:
    made = spans(samples.trace().events)
    bars, calls = timed_bars(made, 500)
    total = (made[-1].end - made[0].start) / timedelta(milliseconds=1)
    exec_bar = next(bar for bar in bars["operator", ""] if bar.label.startswith("exec"))
    assert exec_bar.size == pytest.approx(21 / total)
    assert exec_bar.label == "exec 11.0 ms"
    assert calls["operator", ""][0].size == pytest.approx(3.5 / total)
    for lane in (*bars.values(), *calls.values()):
        assert all(bar.left >= 0 and bar.left + bar.size <= 1 + 1e-9 for bar in lane)
