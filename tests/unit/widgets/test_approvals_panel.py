"""Approval cards: they appear while a turn runs, each is answered for itself, and what was answered stays answered."""

from __future__ import annotations

import gc
import threading
import weakref
from pathlib import Path

import ipywidgets
import pytest

from lango_nb import Lab
from lango_nb.runtime.approval_types import ApprovalRequest
from lango_nb.widgets.approvals import ApprovalsPanel
from tests.unit.viz import samples
from tests.unit.widgets.test_as_live import inside, of_kind, own_buttons


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """A lab whose calls wait for somebody who answers."""
    for name in ("old.txt", "older.txt"):
        (tmp_path / name).write_text("Last year's plan.\n")
    (tmp_path / "todo.txt").write_text("call the dentist\n")
    return Lab("quartet", workspace=tmp_path, approver="hold")


class Asking:
    """A turn at work on a thread of its own, and what waits for its questions."""

    def __init__(self, lab: Lab, text: str) -> None:
        self._lab = lab
        self._asked = threading.Event()
        self._stop = lab.engine.approvals.changes.subscribe(lambda *_: self._asked.set(), "opened")
        self.thread = threading.Thread(target=lambda: lab.ask(text))
        self.thread.start()
        assert self._asked.wait(60)
        self._stop()

    def ended(self) -> Lab:
        """Wait for the end of the turn."""
        self.thread.join(60)
        assert not self.thread.is_alive()
        return self._lab


def buttons(panel: ApprovalsPanel) -> dict[str, ipywidgets.Button]:
    """Return the buttons by what stands on them; of several cards those of the last."""
    return {button.description: button for button in own_buttons(panel.widget)}


def pages(panel: ApprovalsPanel) -> str:
    """Return the HTML that is shown."""
    return "".join(page.value for page in of_kind(panel.widget, ipywidgets.HTML))


@pytest.mark.parametrize(
    ("label", "is_run"), [("Once", True), ("This turn", True), ("This session", True), ("No", False)]
)
def test_a_card_appears_while_the_turn_runs_and_its_button_answers(
    lab: Lab, tmp_path: Path, label: str, is_run: bool
) -> None:
    panel = lab.approvals_panel()
    assert "Nothing waits for an answer" in pages(panel)
    asking = Asking(lab, "delete old.txt")
    assert "fs_delete" in pages(panel)
    assert "old.txt" in pages(panel)
    assert list(buttons(panel)) == ["Once", "This turn", "This session", "No"]
    assert (tmp_path / "old.txt").exists()
    buttons(panel)[label].click()
    trace = asking.ended().trace()
    assert (tmp_path / "old.txt").exists() is not is_run
    (decided,) = [event for event in trace.events if event.kind == "approval.decided"]
    assert (decided.allowed, decided.by) == (is_run, "person")
    assert buttons(panel) == {}
    assert ("fs_delete: allowed" if is_run else "fs_delete: refused") in pages(panel)


def test_a_file_write_shows_what_would_change(lab: Lab) -> None:
    panel = lab.approvals_panel()
    asking = Asking(lab, "replace 'dentist' with 'doctor' in todo.txt")
    shown = pages(panel)
    assert "replaces 1 of 1 line" in shown or "todo.txt" in shown
    assert "-call the dentist" in shown
    assert "+call the doctor" in shown
    buttons(panel)["No"].click()
    asking.ended()


def test_a_card_stays_the_same_when_another_question_comes_and_each_is_answered_for_itself(lab: Lab) -> None:
    panel = lab.approvals_panel()
    approvals = lab.engine.approvals
    questions = [approvals._opened(_request(name)) for name in ("a.txt", "b.txt")]
    first, second = panel.widget.children[:2]
    of_kind(second, ipywidgets.Button)[0].click()
    assert [question.outcome is not None for question in questions] == [False, True]
    assert panel.widget.children[0] is first
    of_kind(first, ipywidgets.Button)[-1].click()
    assert questions[0].outcome is not None
    assert not questions[0].outcome.allowed
    assert len(panel.answered) == 2


def test_a_click_that_comes_too_late_says_so_and_the_next_one_works(lab: Lab) -> None:
    panel = lab.approvals_panel()
    question = lab.engine.approvals._opened(_request("a.txt"))
    late = buttons(panel)["Once"]
    lab.approvals.deny(question.id)
    late.click()
    assert "already answered" in pages(panel)
    other = lab.engine.approvals._opened(_request("b.txt"))
    buttons(panel)["Once"].click()
    assert other.outcome is not None
    assert other.outcome.allowed
    assert "already answered" not in pages(panel)


def test_a_question_that_is_answered_elsewhere_leaves_every_panel(lab: Lab) -> None:
    panels = [lab.approvals_panel(), lab.approvals_panel()]
    assert all(not buttons(panel) for panel in panels)
    asking = Asking(lab, "delete old.txt")
    assert all(buttons(panel) for panel in panels)
    lab.approvals.deny()
    asking.ended()
    assert all(not buttons(panel) for panel in panels)


def test_a_card_says_which_request_the_call_is_made_for(lab: Lab) -> None:
    panel = lab.approvals_panel()
    asking = Asking(lab, "delete old.txt")
    assert "For the request: “delete old.txt”" in pages(panel)
    lab.approvals.deny()
    asking.ended()


def test_a_protected_call_offers_no_lasting_answer(lab: Lab) -> None:
    panel = lab.approvals_panel()
    lab.engine.approvals._opened(_request("a.txt", is_once=True))
    assert list(buttons(panel)) == ["Once", "No"]


def test_without_widgets_it_is_the_list_of_questions_and_hostile_words_stay_words(lab: Lab) -> None:
    panel = lab.approvals_panel()
    assert "nothing waits for an answer" in str(panel._repr_mimebundle_(["text/plain"])["text/plain"])
    bad = samples.HOSTILE
    lab.engine.approvals._opened(ApprovalRequest("c", bad, {bad: bad}, "9f", bad, bad))
    bundle = panel._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", "application/vnd.jupyter.widget-view+json"}
    for page in (str(bundle["text/html"]), pages(panel)):
        assert "<script" not in page
        assert "alert" in page
    assert all(not getattr(widget, "description_allow_html", False) for widget in inside(panel.widget))


def test_a_panel_that_nobody_holds_is_let_go_of_and_hears_nothing_more(lab: Lab) -> None:
    gone = weakref.ref(lab.approvals_panel())
    gc.collect()
    assert gone() is None
    assert not lab.engine.approvals.changes.has_subscribers


def _request(path: str, **more: bool) -> ApprovalRequest:
    return ApprovalRequest(f"call-{path}", "fs_delete", {"path": path}, path, "executor", "dangerous", **more)  # type: ignore[arg-type]  # flags
