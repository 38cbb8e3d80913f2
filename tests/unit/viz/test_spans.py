"""Events put together to spans, and spans laid out in lanes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from lango_nb.core.events import ApprovalAsked, ApprovalDecided, Event, ToolFinished, ToolStarted
from lango_nb.viz.colours import EVENTS
from lango_nb.viz.spans import arguments_block, arguments_text, lane_bars, spans, step_bars, timed_bars
from tests.unit.viz import samples

START = samples.START


def test_a_call_with_its_approval_and_result_is_one_span() -> None:
    made = spans(samples.trace().events)
    assert [(span.kind, span.seqs) for span in made] == [
        ("asks", "1"),
        ("hands over", "2"),
        ("refused", "3"),
        ("declines", "4"),
        ("hands over", "5"),
        ("failed", "6-7"),
        ("tool", "8-9"),
        ("tool", "10-13"),
        ("says", "14"),
        ("ends", "15"),
    ]
    assert [name for name, _ in made[7].parts] == [
        "arguments", "asked because", "approval", "safety", "tokens", "result",
    ]  # fmt: skip


def test_calls_that_overlap_are_told_apart() -> None:
    said = {"turn_id": "t", "at": START, "author": "a"}
    events: list[Event] = [
        ToolStarted(seq=1, call_id="x", tool="one", arguments={}, safety="safe", **said),
        ToolStarted(seq=2, call_id="y", tool="two", arguments={}, safety="safe", **said),
        ToolFinished(seq=3, call_id="x", tool="one", result="1", **said),
        ToolFinished(seq=4, call_id="y", tool="two", result="2", is_error=True, **said),
    ]
    made = spans(events)
    assert [(span.what, span.seqs, span.kind) for span in made] == [("one", "1-3", "tool"), ("two", "2-4", "failed")]


def test_the_same_id_twice_is_two_calls() -> None:
    said = {"turn_id": "t", "at": START, "author": "a", "call_id": "x", "tool": "one"}
    events: list[Event] = []
    for seq in (1, 3):
        events.append(ToolStarted(seq=seq, arguments={}, safety="safe", **said))
        events.append(ToolFinished(seq=seq + 1, result="", **said))
    assert [span.seqs for span in spans(events)] == ["1-2", "3-4"]


def test_a_denied_call_says_who_denied_it() -> None:
    said = {"turn_id": "t", "at": START, "author": "a", "call_id": "x", "tool": "exec", "arguments_hash": "0"}
    events: list[Event] = [
        ApprovalAsked(seq=1, arguments={"command": "rm"}, reason="dangerous", **said),
        ApprovalDecided(seq=2, allowed=False, by="deny", detail="nobody is there", **said),
    ]
    (span,) = spans(events)
    assert (span.kind, span.status) == ("approval", "denied")
    assert ("approval", "denied by deny: nobody is there") in span.parts


def test_every_kind_has_a_colour() -> None:
    for trace in samples.all_outcomes():
        assert {span.kind for span in spans(trace.events)} <= set(EVENTS)


def test_bars_lie_where_their_events_are() -> None:
    trace = samples.trace()
    bars = lane_bars(spans(trace.events), 15, 160)
    assert list(bars) == ["user", "orchestrator", "librarian", "operator"]
    exec_bar = next(bar for bar in bars["operator"] if bar.label == "exec")
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


def test_a_model_call_reaches_over_what_it_led_to() -> None:
    trace = samples.trace()
    steps = step_bars(spans(trace.events), 15, 160)
    first = steps["orchestrator"][0]
    assert first.label == "model call 1"
    assert [first.left, first.size] == pytest.approx([1 / 15, 2 / 15])
    assert sum(map(len, steps.values())) == 7
    assert step_bars(spans(trace.events), 500, 160)["orchestrator"] == []


def test_timed_bars_are_as_long_as_they_took() -> None:
    made = spans(samples.trace().events)
    bars, calls = timed_bars(made, 500)
    total = (made[-1].end - made[0].start) / timedelta(milliseconds=1)
    exec_bar = next(bar for bar in bars["operator"] if bar.label.startswith("exec"))
    assert exec_bar.size == pytest.approx(21 / total)
    assert exec_bar.label == "exec 11.0 ms"
    assert calls["operator"][0].size == pytest.approx(3.5 / total)
    for lane in (*bars.values(), *calls.values()):
        assert all(bar.left >= 0 and bar.left + bar.size <= 1 + 1e-9 for bar in lane)


def test_arguments_are_readable_on_a_line_and_as_a_block() -> None:
    arguments = {"path": "a b.md", "lines": [1, 2], "text": "two\nlines"}
    assert arguments_text(arguments) == 'path: "a b.md", lines: [1, 2], text: "two\\nlines"'
    assert arguments_block(arguments) == "path: a b.md\nlines: [1, 2]\ntext: two\nlines"
