"""Teammate runs: a row each, or one with everything that happened in it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from lango_nb import viz
from lango_nb.viz.colours import BAD, GOOD
from lango_nb.viz.runs import run_document, runs_document
from tests.unit.viz import samples

FIRST, BLOCKED, FAILED, INNER = samples.runs()


class TestList:
    text = viz.to_text(runs_document(samples.runs()))
    html = viz.to_html(runs_document(samples.runs()))

    def test_every_run_has_a_row_and_the_head_counts_them(self) -> None:
        assert self.text.startswith("4 runs (2 completed, 1 blocked, 1 failed)\n")
        assert self.html.count("<tr") == 5
        assert [line.split()[:3] for line in self.text.split("\n") if line.startswith("run-")] == [
            ["run-1", "operator", "completed"],
            ["run-2", "operator", "running"],
            ["run-3", "librarian", "failed"],
            ["run-4", "operator", "completed"],
        ]

    def test_what_it_waits_for_and_what_it_came_to_are_told(self) -> None:
        flat = " ".join(self.text.split())
        assert "blocked waiting" in flat
        assert "✗ the model is busy [provider_transient]" in self.html
        assert "There is notes.md." in flat
        assert "blocked waiting approval" in self.html

    def test_the_status_has_its_colour(self) -> None:
        assert re.search(rf"background:{BAD};[^>]*>failed</span>", self.html)
        assert len(re.findall(rf"background:{GOOD};[^>]*>completed</span>", self.html)) == 2

    def test_long_instructions_and_results_are_cut_and_can_be_read_in_full(self) -> None:
        long = replace(FIRST, instruction="word " * 100, result="result " * 100)
        assert len(viz.to_text([long])) < 1500
        assert "word " * 100 in viz.to_html([long])

    def test_a_list_of_runs_is_shown_as_such(self) -> None:
        assert viz.to_text(list(samples.runs())) == self.text

    def test_very_many_show_the_last_ones_and_say_so(self) -> None:
        many = runs_document(tuple(replace(FIRST, id=f"run-{number}") for number in range(1, 701)))
        made = viz.to_text(many)
        assert made.startswith("700 runs, the last 500 shown")
        assert "run-700 " in made
        assert "run-200 " not in made

    def test_none_says_where_they_come_from(self) -> None:
        assert viz.to_text(runs_document(())).startswith("no run yet; ")
        assert "no run yet; " in viz.to_html(runs_document(()))


class TestOne:
    def test_every_field_that_says_something_is_there(self) -> None:
        made = viz.to_text(BLOCKED)
        lines = dict(re.split(r"  +", line, maxsplit=1) for line in made.split("\n")[1:])
        assert made.startswith("run run-2 · operator · running\n")
        assert lines == {
            "instruction": "Delete old.md.",
            "asked for by": "orchestrator",
            "condition": "blocked waiting approval",
            "blocked because": "fs_delete is dangerous",
            "asks for": "grant-run-2-fs_delete",
            "attempt": "1",
            "grant": "pending",
            "may use": "fs_read",
            "own session": "main:child:operator:run-2",
            "depth": "1",
            "may take": "300 s",
        }

    @pytest.mark.parametrize(
        ("allowed", "said"), [(None, "all its role has"), ((), "none"), (("fs_read", "exec"), "fs_read, exec")]
    )
    def test_what_it_may_use_is_never_left_open(self, allowed: tuple[str, ...] | None, said: str) -> None:
        assert re.search(rf"may use +{said}\n", viz.to_text(replace(FIRST, allowed_tools=allowed)))

    def test_who_asked_names_the_run_if_it_was_one(self) -> None:
        assert re.search(r"asked for by +librarian run-3\n", viz.to_text(INNER))
        assert "none: it works in that of its parent" in viz.to_text(INNER)

    def test_long_results_keep_their_lines_under_their_name(self) -> None:
        lines = viz.to_text(replace(FIRST, result="one\ntwo")).split("\n")
        place = next(number for number, line in enumerate(lines) if line.startswith("result"))
        assert lines[place + 1].strip() == "two"
        assert lines[place].index("one") == lines[place + 1].index("two")


class TestHistory:
    history = run_document(BLOCKED, samples.events_of("run-2"), len(samples.teammates().events))

    def test_it_shows_the_run_and_every_event_also_after_its_turn(self) -> None:
        made = viz.to_text(self.history)
        assert made.startswith(viz.to_text(BLOCKED) + "\n\n")
        assert re.search(r"16-42  operator run-2 +fs_delete .*allowed for this turn by person", made)
        assert re.search(r"43  operator run-2 +run ends +old.md is gone.", made)
        assert made.endswith("from event 40 on, its turn was over: 4 events")
        assert "from event 40 on" in viz.to_html(self.history)

    def test_while_its_turn_goes_on_nothing_is_said_of_that(self) -> None:
        assert "its turn was over" not in viz.to_text(run_document(BLOCKED, samples.events_of("run-2")))
        assert "its turn was over" not in viz.to_text(run_document(FIRST, samples.events_of("run-1"), 39))

    def test_a_run_that_has_only_been_asked_for(self) -> None:
        begun = run_document(replace(FIRST, status="spawned", result="", completed_at=None))
        assert viz.to_text(begun).endswith("\n\nnothing has happened in it yet")
        assert "nothing has happened in it yet" in viz.to_html(begun)

    def test_a_line_names_it(self) -> None:
        assert viz.to_line(BLOCKED) == "run-2 operator, running: Delete old.md."
        assert viz.to_line(self.history) == "run run-2 · operator · running"
