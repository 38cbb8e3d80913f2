"""Whatever somebody writes, wherever it is shown: it does nothing, leaves its place for nothing, and is bounded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from lango_nb import viz
from lango_nb.doctor.finding import Finding, Report
from lango_nb.routing.diff import diff
from lango_nb.viz.approvals import questions_document
from lango_nb.viz.events import events_document
from lango_nb.viz.path import document as path_document
from lango_nb.viz.runs import run_document, runs_document
from lango_nb.viz.sequence import document as sequence_document
from lango_nb.viz.shelf import shelf_document
from lango_nb.viz.table import Table
from lango_nb.viz.turns import document as turn_document
from lango_nb.viz.turns import turns_document
from tests.unit.viz import samples
from tests.unit.viz.hostile import LARGE, TEXTS
from tests.unit.viz.test_evaluation import hostile as hostile_evaluation
from tests.unit.viz.test_views import ATTRIBUTES, STYLES, TAGS, read

_ACTIVE = re.compile(r'style="[^"]*(url\(|expression|@import|position:\s*fixed|<|>)', re.IGNORECASE)
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def _tree() -> Any:
    return samples.hostile_tree.__wrapped__()


VIEWS: dict[str, Callable[[], Any]] = {
    "tree": _tree,
    "prompt": lambda: _tree()["b"],
    "partition": lambda: _tree().partition,
    "diff": lambda: diff(samples.tree(), _tree()),
    "route": samples.hostile_route,
    "trace": samples.hostile_trace,
    "trace of a run": samples.hostile_run_trace,
    "events": lambda: events_document(samples.hostile_trace().events),
    "sequence": lambda: sequence_document(samples.hostile_run_trace()),
    "path": lambda: path_document(samples.hostile_trace(), _tree().names),
    "turn": lambda: turn_document(samples.hostile_trace().turn, (samples.hostile_run(),)),
    "turns": lambda: turns_document((samples.hostile_trace().turn,), note=samples.HOSTILE),
    "run": lambda: run_document(samples.hostile_run(), samples.hostile_run_trace().events[1:-1]),
    "runs": lambda: runs_document((samples.hostile_run(),)),
    "question": lambda: questions_document((samples.hostile_question(),)),
    "report": samples.hostile_report,
    "evaluation": hostile_evaluation,
    "shelf": lambda: shelf_document(samples.hostile_shelf_items(), samples.HOSTILE, samples.HOSTILE),
    "graph": samples.hostile_graph,
    "table": lambda: Table(samples.HOSTILE, (samples.HOSTILE, "b"), ((samples.HOSTILE, True),), samples.HOSTILE),
}
"""What is shown, made of whatever text stands in ``samples.HOSTILE``."""


def check(source: str) -> None:
    """Refuse HTML in which something acts, hides, or stands outside its element."""
    found = read(source)
    assert found.tags <= TAGS
    assert found.attributes <= ATTRIBUTES
    assert found.styles <= STYLES
    assert all(one.startswith("data:image/svg+xml;base64,") for one in found.sources)
    assert not _ACTIVE.search(source)
    assert not UNSEEN.search(source)
    source.encode()


def everywhere(places: Iterable[str], every: int = 10) -> Iterator[ParameterSet]:
    """Take every text to every place; the suite takes one of so many there, ``-m slow`` the others."""
    for place, name in enumerate(places):
        few = {number: text for number, text in enumerate(TEXTS) if (place + number) % every == 0}
        yield from (pytest.param((text,), name, id=f"{name}-{number}") for number, text in few.items())
        others = tuple(text for number, text in enumerate(TEXTS) if number not in few)
        yield pytest.param(others, name, id=f"{name}-others", marks=pytest.mark.slow)


@pytest.mark.parametrize(("texts", "name"), [*everywhere(VIEWS)])
def test_no_text_does_anything_in_any_view(texts: tuple[str, ...], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in texts:
        monkeypatch.setattr(samples, "HOSTILE", text)
        record = VIEWS[name]()
        check(viz.to_html(record))
        said = viz.to_text(record)
        assert not UNSEEN.search(said)
        assert not UNSEEN.search(viz.to_line(record))
        said.encode()


@pytest.mark.parametrize("text", LARGE, ids=["word", "markup", "words", "lines", "unseen"])
def test_a_megabyte_is_shown_in_part(text: str) -> None:
    records = (
        Report((Finding("x", "fail", text, next_step=text, evidence=(text,)),)),
        replace(samples.small_talk(), text=text),
        Table("t", ("a", "b"), ((text, True),)),
        replace(samples.turn(), text=text, answer=text),
    )
    for record in records:
        source = viz.to_html(record)
        check(source)
        assert len(source) < 500_000, type(record).__name__
