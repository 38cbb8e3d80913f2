"""A trace: lanes and rows, in order or in time, with everything to unfold."""

from __future__ import annotations

import re
import time

from lango_nb import viz
from tests.unit.viz import samples


def test_text_shows_lanes_rows_and_the_whole_answer() -> None:
    made = viz.to_text(samples.trace())
    lines = made.split("\n")
    assert lines[0] == "turn 1 · success"
    assert "orchestrator → librarian → orchestrator → operator" in made
    assert "operator           ✗✗▬▬▬▬▬▬■" in lines
    assert re.search(r"6-7  operator +fs_read +path: \"note.md\" ✗ no such file: note.md", made)
    assert made.endswith("answer:\n  notes.md has 42 lines.")


def test_lanes_are_in_the_order_of_first_appearance() -> None:
    made = viz.to_text(samples.trace()).split("\n")
    start = made.index("user          ●")
    assert [line.split()[0] for line in made[start : start + 4]] == ["user", "orchestrator", "librarian", "operator"]


def test_html_unfolds_arguments_results_and_decisions() -> None:
    made = viz.to_html(samples.trace())
    assert "command: wc -l notes.md" in made
    assert "42 notes.md\nexit code 0" in made
    assert "line 42" in made
    assert "the router agrees" in made
    assert "allowed by ask" in made


def test_real_time_is_shown_only_when_asked_for() -> None:
    trace = samples.trace()
    assert not re.search(r"\d ms", viz.to_html(trace) + viz.to_text(trace))
    assert "105.0 ms" in viz.to_html(trace, timing=True)
    assert "11.0 ms" in viz.to_html(trace, timing=True)
    assert "11.0 ms" in viz.to_text(trace, timing=True)


def test_outcomes_are_named_with_their_code() -> None:
    assert viz.to_text(samples.trace("delegation_limit")).startswith("turn 1 · delegation_limit")
    assert "5 rounds are used up" in viz.to_html(samples.trace("delegation_limit"))
    assert "KeyError" in viz.to_text(samples.trace("internal_error"))


def test_ten_thousand_events_show_five_hundred_rows_and_count_the_rest_within_a_second() -> None:
    trace = samples.long_trace(10_000)
    took = []
    for _ in range(3):
        start = time.perf_counter()
        made = viz.to_html(trace)
        took.append(time.perf_counter() - start)
    assert min(took) < 1
    assert made.count("<details") == 500
    assert "4,501 more rows not shown: tool 4,410, failed 90, ends 1" in made
    assert "4,501 more rows not shown" in viz.to_text(trace)
    assert len(made) < 2_500_000


def test_results_of_megabytes_do_not_fill_the_page() -> None:
    trace = samples.hostile_trace()
    assert len(viz.to_html(trace)) < 250_000
    assert len(viz.to_text(trace)) < 30_000


def test_a_turn_that_has_only_begun_can_be_shown() -> None:
    from lango_nb.records.turns import Trace

    begun = Trace(samples.turn("running"), samples.trace().events[:1], (), ())
    nothing = Trace(samples.turn("running"), (), (), ())
    assert "running" in viz.to_html(begun)
    assert "nothing has happened yet" in viz.to_html(nothing)
    assert viz.to_text(nothing).startswith("turn 1 · running")


def test_mermaid_shows_who_spoke_to_whom() -> None:
    made = viz.to_mermaid(samples.trace())
    assert "participant p1 as orchestrator" in made
    assert "  p1->>p2: it knows things" in made
    assert "  p2-->>p1: declines" in made
