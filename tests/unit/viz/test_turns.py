"""Turns: the answer first; lists with a row each."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from lango_nb import Lab, viz
from lango_nb.viz.turns import document, turns_document
from tests.unit.viz import samples


def test_the_answer_comes_first_word_for_word() -> None:
    turn = replace(samples.turn(), answer="first line\n  second <line>")
    assert viz.to_text(turn).startswith("first line\n  second <line>\n\nturn 1 · success")
    made = viz.to_html(turn)
    assert made.index("second &lt;line&gt;") < made.index("success")


def test_a_turn_without_an_answer_says_so_and_why() -> None:
    failed = replace(samples.turn("tool_error"), error_code="not_found")
    assert viz.to_text(failed).startswith("(no answer)\n\nturn 1 · tool_error (not_found)")
    assert "not_found" in viz.to_html(failed)


def test_tokens_that_are_not_known_are_not_shown() -> None:
    assert "tokens" not in viz.to_text(samples.greeting().turn)
    assert "840 tokens read · 98 written" in viz.to_text(samples.turn())


def test_lists_show_the_last_ones_and_say_so() -> None:
    many = turns_document(tuple(replace(samples.turn(), number=n, text=f"request {n}") for n in range(1, 701)))
    made = viz.to_text(many)
    assert made.startswith("700 turns, the last 500 shown")
    assert "request 700" in made
    assert "request 200 " not in made
    assert viz.to_html(many).count("<tr") == 501


def test_an_empty_list_says_what_to_do() -> None:
    assert viz.to_text(turns_document(())) == "no turn yet; ask something"
    assert "no turn yet" in viz.to_html(turns_document(()))
    assert viz.to_text(turns_document((), "no turn fits")) == "no turn fits"
    assert "no turn fits" in viz.to_html(turns_document((), "no turn fits"))


class TestCard:
    card = document(samples.teammates().turn, samples.runs())

    def test_it_says_how_many_runs_there_were_and_how_they_came_out(self) -> None:
        for made in (viz.to_text(self.card), viz.to_html(self.card)):
            assert "4 runs (2 completed, 1 blocked, 1 failed)" in made

    def test_the_path_can_be_read_however_many_runs_stand_beside_each_other(self) -> None:
        path = "orchestrator → operator \N{MULTIPLICATION SIGN}2 → librarian → orchestrator"
        assert path in viz.to_text(self.card)
        assert path in re.sub("<[^>]+>", "", viz.to_html(self.card))

    def test_it_names_the_runs_that_go_on_and_what_they_need(self) -> None:
        assert viz.to_text(self.card).endswith("\nwaiting for your answer (see %lango approvals): run-2")
        working = replace(samples.runs()[1], id="run-9", runtime_condition="")
        made = viz.to_text(document(samples.teammates().turn, (*samples.runs(), working)))
        assert made.endswith("\nstill at work: run-9; waiting for your answer (see %lango approvals): run-2")

    def test_without_runs_it_is_the_turn(self) -> None:
        turn = samples.turn()
        assert viz.mimebundle(document(turn)) == viz.mimebundle(turn)
        assert "run" not in viz.to_text(turn).replace("turn", "")


def test_a_reply_that_hands_over_twice_is_one_round_of_two_hand_overs(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("milk", encoding="utf-8")
    lab = Lab(workspace=tmp_path, approver="deny")
    answer = lab.ask("read notes.md and encrypt the word tulip")
    assert " · 1 round · 2 runs · " in str(answer)
    assert "3 agents, 2 hand-overs" in str(lab.graph())
    assert "1 hand-over" not in str(answer) + str(lab.trace())
