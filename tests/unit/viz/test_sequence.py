"""Sequence diagrams: everybody takes part once, what went between them keeps its order and direction."""

from __future__ import annotations

import re

import pytest

from lango_nb import viz
from lango_nb.records.turns import Trace
from lango_nb.viz.sequence import document, exchange, to_mermaid
from tests.unit.viz import samples

TRACES = {
    "one step": samples.greeting(),
    "hand-overs": samples.trace(),
    "teammates": samples.teammates(),
    "many steps": samples.long_trace(82),
    "hostile": samples.hostile_trace(),
    "hostile runs": samples.hostile_run_trace(),
}


@pytest.mark.parametrize("name", TRACES)
def test_text_page_and_mermaid_draw_the_same_arrows(name: str) -> None:
    trace = TRACES[name]
    drawn = exchange(trace)
    assert len({(actor.name, actor.beside) for actor in drawn.actors}) == len(drawn.actors)
    assert all(0 <= place < len(drawn.actors) for arrow in drawn.arrows for place in (arrow.sender, arrow.target))
    text = viz.to_text(document(trace)).partition("\n\n")[2]
    assert len(text.split("\n")) == len(drawn.arrows)
    assert len(to_mermaid(trace).split("\n")) == 1 + len(drawn.actors) + len(drawn.arrows)
    page = viz.to_html(document(trace))
    across = sum(arrow.sender != arrow.target for arrow in drawn.arrows)
    assert page.count("border-top:2px") == across


def test_an_arrow_points_to_whom_it_went() -> None:
    first, second, *_ = exchange(samples.trace()).arrows
    names = [actor.name for actor in exchange(samples.trace()).actors]
    assert (names[first.sender], names[first.target], first.kind) == ("user", "orchestrator", "asks")
    assert (names[second.sender], names[second.target]) == ("orchestrator", "librarian")
    page = viz.to_html(document(samples.trace()))
    tips = re.findall("[\N{BLACK LEFT-POINTING POINTER}\N{BLACK RIGHT-POINTING POINTER}]", page)
    drawn = [arrow for arrow in exchange(samples.trace()).arrows if arrow.sender != arrow.target]
    forward, back = "\N{BLACK RIGHT-POINTING POINTER}", "\N{BLACK LEFT-POINTING POINTER}"
    assert tips == [forward if arrow.target > arrow.sender else back for arrow in drawn]


def test_a_run_takes_part_as_itself_and_returns_to_who_asked_for_it() -> None:
    drawn = exchange(samples.teammates())
    runs = {actor.beside: place for place, actor in enumerate(drawn.actors) if actor.beside}
    assert set(runs) == {"run-1", "run-2", "run-3", "run-4"}
    (back,) = [arrow for arrow in drawn.arrows if arrow.sender == runs["run-4"] and arrow.form == "return"]
    assert back.target == runs["run-3"]


def test_a_trace_without_events_has_nobody_in_it() -> None:
    trace = Trace(samples.turn(), (), (), ())
    assert exchange(trace).actors == ()
    assert viz.to_html(document(trace))
    assert viz.to_text(document(trace))
