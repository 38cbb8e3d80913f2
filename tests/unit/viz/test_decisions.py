"""Decisions: the model's choice beside the router's."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from lango_nb import Lab, viz
from lango_nb.viz.colours import ROOT
from lango_nb.viz.routing import decisions_document
from tests.unit.viz import samples


def test_choice_reason_and_agreement_are_told() -> None:
    text, source = viz.to_text(samples.decision()), viz.to_html(samples.decision())
    assert text.startswith("orchestrator → operator · the router agrees\nbecause: it has to read a file")
    assert "out of the question: vault, already declined this request" in text
    assert "the router agrees" in source


def test_disagreement_names_the_routers_choice() -> None:
    other = replace(samples.decision(), chosen="librarian", reason="")
    assert "the router would take operator" in viz.to_text(other)
    assert "the model gave no reason" in viz.to_html(other)
    assert "the router would not say" in viz.to_text(samples.disagreement())


def test_the_one_that_got_it_is_marked_not_the_routers_favourite() -> None:
    other = replace(samples.decision(), chosen="librarian")
    rows = viz.to_html(other).split('<div style="margin:0 0 6px 0;padding:4px 8px;')[1:]
    strong = [row for row in rows if "font-weight:600" in row.split("</span></span>")[0]]
    assert len(strong) == 1
    assert "librarian" in strong[0].split("</span></span>")[0]


def test_a_turn_without_a_decision_says_why() -> None:
    assert viz.to_text(decisions_document(())) == "no hand-over in this turn: the root answered itself"
    assert "cancelled first" in viz.to_html(decisions_document((), note="cancelled first"))


def test_several_are_numbered() -> None:
    made = decisions_document((samples.decision(), samples.disagreement()))
    assert "decision 2 of 2" in viz.to_text(made)
    assert "Decision 1 of 2" in viz.to_html(made)


@pytest.mark.parametrize("topology", ["octet", "sextet"], ids=["spawn", "transfer"])
def test_the_root_has_its_own_colour_however_it_hands_over(tmp_path: Path, topology: str) -> None:
    (tmp_path / "notes.md").write_text("one\ntwo\n")
    lab = Lab(topology, workspace=tmp_path)
    lab.ask("how many lines does notes.md have?")
    (decision,) = lab.trace().record.decisions
    for shown in (viz.to_html([decision]), viz.to_html(decision)):
        before = shown[: shown.index("lango-orchestrator")]
        assert re.findall(r"background:(#\w{6})", before)[-1] == ROOT
