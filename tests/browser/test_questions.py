"""A question where people meet it: at the prompt of a cell, answered after a while by somebody who types."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.browser.harness import Browser, write_notebook

THINKS_S = 3.0
"""How long a person takes to answer: longer than the offline root waits for a run."""
SETUP = """%load_ext lango_nb
from pathlib import Path
from lango_nb import Lab
Path("old.txt").write_text("Last year's plan.")
lab = Lab("octet", home=Path("records").absolute())
%lango use lab;"""
FACTS = """import json
def told(trace):
    turn = trace.turn
    answers = [event.allowed for event in trace.events if event.kind == "approval.decided"]
    runs = [(run.status, run.runtime_condition) for run in trace.runs]
    return [turn.answer, turn.outcome, turn.error_code, answers, runs, trace.events[-1].kind]
other = Lab("octet", home=Path("records").absolute())
kept = other.trace(1).record
print(json.dumps({"exists": Path("old.txt").exists(), "now": told(lab.trace().record), "kept": told(kept)}))"""
CELLS = [SETUP, "%lango ask delete old.txt", "%lango approvals", FACTS]


@pytest.mark.parametrize(("typed", "after_s"), [("y", THINKS_S), ("t", 0), ("s", 0), ("n", THINKS_S)])
def test_after_an_answer_everything_says_what_happened_however_long_it_took(
    lab: tuple[str, Path], window: Browser, shots: Path, typed: str, after_s: float
) -> None:
    is_run = typed != "n"
    base, folder = lab
    place = folder / typed
    place.mkdir()
    write_notebook(place / "ask.ipynb", [(cell, ()) for cell in CELLS])
    window.open_notebook(base, f"{typed}/ask.ipynb")
    window.start_all()
    question = window.question()
    assert "operator wants to call fs_delete" in question
    assert 'path = "old.txt"' in question
    assert "exactly this call" in question
    window.page.wait_for_timeout(after_s * 1000)
    window.screenshot(shots / f"question-{typed}-asked.png")
    assert (place / "old.txt").exists()
    window.answer(typed)
    window.screenshot(shots / f"question-{typed}-answered.png")
    assert window.errors() == []
    assert window.complaints == []
    _, asked, listed, facts = (said(cell["outputs"]) for cell in window.cells())
    told = json.loads(facts)
    answer, outcome, code, answers, runs, last = told["now"]
    assert told["kept"] == told["now"]
    assert told["exists"] is not is_run
    assert (outcome, code) == (("success", "") if is_run else ("tool_error", "approval_denied"))
    assert (answers, runs, last) == ([is_run], [["completed", ""]], "turn.finished")
    assert ("Deleted old.txt" in answer, "waiting" in answer) == (is_run, False)
    assert answer in asked
    assert "blocked" not in asked
    assert "nothing waits for an answer" in listed


def said(outputs: list[dict[str, Any]]) -> str:
    """Return the text of a cell's outputs."""
    return "\n".join(str(out.get("text") or out.get("data", {}).get("text/plain", "")) for out in outputs)
