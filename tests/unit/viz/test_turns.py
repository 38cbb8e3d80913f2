"""Turns: the answer first; lists with a row each."""

from __future__ import annotations

from dataclasses import replace

from lango_nb import viz
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
    many = viz.Turns(tuple(replace(samples.turn(), number=n, text=f"request {n}") for n in range(1, 701)))
    made = viz.to_text(many)
    assert made.startswith("700 turns, the last 500 shown")
    assert "request 700" in made
    assert "request 200 " not in made
    assert viz.to_html(many).count("<tr") == 501


def test_an_empty_list_says_what_to_do() -> None:
    assert viz.to_text(viz.Turns()) == "no turn yet; ask something"
    assert "no turn yet" in viz.to_html(viz.Turns())
