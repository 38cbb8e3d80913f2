"""A lab's plots: each from what it is about, by name, and one line where there is nothing to draw."""

from __future__ import annotations

from pathlib import Path

import pytest

from lango_nb import Lab, plots
from lango_nb.core.errors import UnknownNameError, UsageError
from lango_nb.evaluation.learning import LEAST
from lango_nb.lab.plotting import OF_EVALUATIONS, OF_TURNS, PLOTS
from lango_nb.viz.colours import ROOT

REQUESTS = [
    ("encrypt this with aes", "vault"), ("sign the letter", "vault"), ("list the files here", "operator"),
    ("run ls", "operator"), ("open example.org in the browser", "navigator"),
    ("remember that I like tea", "chronicler"),
    ("every day at nine, say hello", "automator"), ("hash this word", "vault"), ("read notes.md", "operator"),
]  # fmt: skip


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    (tmp_path / "notes.md").write_text("one\ntwo\n")
    return Lab(workspace=tmp_path)


def test_every_plot_of_the_package_is_one_of_a_lab() -> None:
    assert sorted(PLOTS) == plots.__all__


def test_an_evaluation_is_drawn_where_it_is_and_from_the_lab_the_latest(lab: Lab) -> None:
    with pytest.raises(UsageError, match="nothing was evaluated yet"):
        lab.plot("confusion")
    found = lab.evaluate(REQUESTS)
    for name, frame in OF_EVALUATIONS.items():
        plot = found.plot(name)
        assert plot.svg == lab.plot(name).svg
        assert plot.df.equals(found.frame(frame))
    lab.route("hello")
    assert lab.plot("confusion").svg == found.plot().svg, "a route in between changes nothing"
    assert f"threshold {found.results[0].threshold:.0%}" in found.plot("abstention").svg


def test_requests_can_be_given_with_the_plot(lab: Lab) -> None:
    assert lab.plot("confusion", REQUESTS, sample=5).record.facts[0] == "5 answers"
    with pytest.raises(UsageError, match="latency draws the turns that are stored and takes no requests"):
        lab.plot("latency", REQUESTS)


@pytest.mark.parametrize("name", OF_TURNS)
def test_turns_are_drawn_and_can_be_narrowed(lab: Lab, name: str) -> None:
    assert lab.plot(name).svg == ""
    lab.ask("how many lines does notes.md have?")
    plot = lab.plot(name)
    assert bool(plot.svg) is (name in {"latency", "handoffs"}), "the offline model has no tokens and no price"
    assert plot.svg == lab.history.plot(name).svg
    assert ROOT in plot.svg or not plot.svg
    assert lab.history.where(text="nothing of the kind").plot(name).svg == ""


def test_what_lessons_bring_is_measured_on_requests_that_were_left_out(lab: Lab) -> None:
    view = lab.learning(REQUESTS)
    assert view.df["lessons"].tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert set(view.df["requests"]) == {3}
    assert view.plot().svg == lab.plot("learning", REQUESTS).svg
    assert lab.router.taught.rows == (), "the router in use learned nothing"


def test_a_large_set_is_learned_from_in_part_and_that_is_said(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    many = [(f"{text} {number}", agent) for number in range(3) for text, agent in REQUESTS]
    assert lab.learning(many, sample=9).part == "9 of 27 requests, taken at random; sample=27 takes all"
    monkeypatch.setattr("lango_nb.evaluation.learning.MOST", 12)
    view = lab.learning(many)
    assert "12 of 27 requests, taken at random" in " ".join(view.text.split())
    assert "12 of 27 requests, taken at random" in " ".join(view.plot().text.split())
    assert lab.learning(many, sample=27).part == ""


def test_lessons_of_an_agent_of_ones_own_bring_something(lab: Lab) -> None:
    odd = [(f"zorp the {word} quux", "vault") for word in "red green blue black white pink grey brown gold".split()]
    points = lab.learning(odd).points
    assert points[0].accuracy.count == 0
    assert points[-1].accuracy.count == points[-1].accuracy.of == 3


def test_few_requests_are_no_curve_and_those_on_the_shelf_are_taken(lab: Lab) -> None:
    assert "too few labelled requests" in lab.learning().text
    assert "there is nothing to learn from" in lab.plot("learning").text
    assert lab.learning(REQUESTS[: LEAST - 1]).points == ()
    for text, agent in REQUESTS:
        lab.label(text, agent)
    assert lab.learning().df["lessons"].max() == 6


def test_a_plot_that_there_is_not_is_named(lab: Lab) -> None:
    with pytest.raises(UnknownNameError, match="plot 'confusoin' not found; did you mean 'confusion'"):
        lab.plot("confusoin")
    with pytest.raises(UnknownNameError, match="plot 'latency' not found in an evaluation"):
        lab.evaluate(REQUESTS).plot("latency")
    with pytest.raises(UnknownNameError, match="plot 'confusion' not found in turns"):
        lab.history.plot("confusion")
