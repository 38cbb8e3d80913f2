"""A trace: lanes and rows, in order or in time, with everything to unfold."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from lango_nb import viz
from lango_nb.viz.colours import BAD, PALETTE, WARN
from lango_nb.viz.spans import KINDS
from tests.calls import calls_of
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


def test_ten_thousand_events_show_five_hundred_rows_and_count_the_rest_with_few_calls() -> None:
    trace = samples.long_trace(10_000)
    made = viz.to_html(trace)
    assert calls_of(lambda: viz.to_html(trace)) < 1_500_000
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


class TestRuns:
    text = viz.to_text(samples.teammates())
    html = viz.to_html(samples.teammates())

    def test_two_runs_of_an_agent_are_two_lanes_under_the_root(self) -> None:
        lines = self.text.split("\n")
        start = lines.index("user                 ●")
        assert [line[:20].rstrip() for line in lines[start + 1 : start + 6]] == [
            "orchestrator",
            " └ operator run-1",
            " └ operator run-2",
            " └ librarian run-3",
            "   └ operator run-4",
        ]

    def test_a_lane_shows_how_long_its_run_lived_and_how_it_ended(self) -> None:
        lines = {line[:20].strip(" └"): line[21:].rstrip() for line in self.text.split("\n")}
        assert lines["operator run-1"].strip() == "▸┌········▬▬▬▬▬▬········■◂┘"
        assert lines["operator run-2"].strip() == "▸┌······§?‖‖‖‖‖‖‖‖‖‖‖‖‖‖‖‖‖‖‖‖‖‖‖"
        assert lines["librarian run-3"].strip() == "▸┌······✗✗✗→·········↻⊗⊖⌁"
        assert lines["operator run-4"].strip() == "▸▬¤▬■◂"

    def test_rows_say_whose_run_it_is_and_what_became_of_it(self) -> None:
        assert re.search(r"3  orchestrator +→ operator run-1 +it works on files", self.text)
        assert re.search(r"15  operator run-2 +policy fs_delete +fs_delete is dangerous and outside", self.text)
        assert re.search(r"17  operator run-2 +blocked fs_delete +fs_delete is dangerous \[pending\]", self.text)
        assert re.search(r"32  librarian run-3 +run fails +the model is busy \[provider_transient\]", self.text)
        assert re.search(r"34  librarian run-3 +breaker librarian +3 failures in a row \[open\]", self.text)

    def test_the_head_counts_runs_and_puts_neighbours_of_the_path_together(self) -> None:
        assert "orchestrator → operator \N{MULTIPLICATION SIGN}2 → librarian → orchestrator" in self.text
        assert "4 runs (2 completed, 1 blocked, 1 failed)" in self.text
        assert "4 runs (2 completed, 1 blocked, 1 failed)" in self.html

    def test_html_unfolds_what_a_run_was_asked_and_may_use(self) -> None:
        for said in (
            "Read notes.md and count its lines.",
            "main:child:operator:run-1",
            "grant-run-2-fs_delete",
            "300 s",
        ):
            assert said in self.html
        assert self.html.count(">may use</div>") == 2  # one is narrowed to a tool, one to nothing at all
        assert "the router agrees" in self.html

    def test_the_states_of_runs_have_their_colours(self) -> None:
        for word, colour in (("needs_approval", WARN), ("open", BAD), ("pending", WARN), ("provider_transient", BAD)):
            assert re.search(rf"background:{colour};[^>]*>{word}</span>", self.html), word

    def test_real_time_shows_runs_beside_each_other(self) -> None:
        made = viz.to_html(samples.teammates(), timing=True)
        assert "180.0 ms" in made
        assert "run-4" in made

    def test_mermaid_lets_every_run_take_part(self) -> None:
        made = viz.to_mermaid(samples.teammates())
        assert "participant p2 as operator run-1" in made
        assert "participant p3 as operator run-2" in made
        assert "  p1->>p2: it works on files" in made
        assert "  p4->>p5: hands over" in made
        assert "  p5-->>p4: completed" in made
        assert "  p4-->>p1: failed" in made


_BAR = re.compile(
    r'<div style="position:absolute;[^"]*top:2px;[^"]*background:([^;]+);[^"]*"[^>]*>(?:<div [^>]*>)?([^<]*)</div>'
)


@pytest.mark.parametrize("name", ["trace", "teammates", "long_trace"])
def test_bars_on_a_page_carry_signs_and_no_colour_of_an_agent(name: str) -> None:
    bars = _BAR.findall(viz.to_html(getattr(samples, name)()))
    assert bars
    signs = {kind.sign for kind in KINDS.values()}
    for fill, said in bars:
        assert fill not in PALETTE
        assert said[:1] in signs


def test_agents_have_one_colour_in_lanes_rows_and_decisions() -> None:
    trace = samples.teammates()
    by_run = [replace(decision, author="operator", run_id="run-1") for decision in trace.decisions]
    made = viz.to_html(replace(trace, decisions=tuple(by_run)))
    colours = re.findall(r'background:(#\w{6});margin-right:6px;flex:0 0 auto"></span>(?:<span[^>]*>)?operator', made)
    assert by_run
    assert len(colours) > len(by_run)
    assert len(set(colours)) == 1


def test_signs_of_lanes_are_explained_and_none_is_torn_apart() -> None:
    made = viz.to_text(samples.teammates())
    for words in ("◂ run ends", "↩ returns", "· a run is at work or waits", "‖ blocked"):
        assert words in made
    assert "a run is at work" not in viz.to_text(samples.trace())


def test_what_runs_did_after_the_end_is_counted_and_where_it_is_shown_is_named() -> None:
    trace = samples.trace()
    late = [
        event.model_copy(update={"seq": 90 + place, "run_id": "arun-1"}) for place, event in enumerate(trace.events)
    ]
    gone_on = replace(trace, late=tuple(late[:2]))
    said = "after its end its runs went on for 2 events: %lango run arun-1"
    assert said in viz.to_text(gone_on)
    assert said in viz.to_html(gone_on)
    assert "after its end" not in viz.to_text(trace) + viz.to_html(trace)
