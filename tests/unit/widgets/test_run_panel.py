"""The run panel: what is asked runs beside the cell, is shown as it comes, asks with cards, and can be stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import ipywidgets
import pytest

from lango_nb import Lab
from lango_nb.core.events import TextSoFar
from lango_nb.core.messages import Reply, Usage
from lango_nb.models.scripted import ScriptedModel
from lango_nb.widgets.run import RunPanel
from tests.unit.viz import samples
from tests.unit.viz.test_views import read
from tests.unit.widgets.test_as_live import of_kind, own_buttons
from tests.waiting import until

TIME_S = 60


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    (tmp_path / "notes.md").write_text("one\ntwo\n")
    return Lab("octet", workspace=tmp_path)


@pytest.fixture
def waiting(tmp_path: Path) -> Lab:
    """A lab whose turns wait for answers: nobody works beside them."""
    (tmp_path / "notes.md").write_text("one\ntwo\n")
    return Lab("quartet", workspace=tmp_path)


def shown(panel: RunPanel) -> str:
    return "".join(page.value for page in of_kind(panel.widget, ipywidgets.HTML))


def buttons(panel: RunPanel) -> dict[str, ipywidgets.Button]:
    return {button.description: button for button in own_buttons(panel.widget)}


def chooser(panel: RunPanel, name: str) -> ipywidgets.Dropdown:
    (found,) = (one for one in of_kind(panel.widget, ipywidgets.Dropdown) if one.description == name)
    assert isinstance(found, ipywidgets.Dropdown)
    return found


def ended(panel: RunPanel) -> None:
    panel.wait(TIME_S)
    assert not panel.is_running


def test_what_is_typed_is_sent_with_enter_and_the_answer_and_the_trace_are_shown(lab: Lab) -> None:
    panel = lab.run_panel()
    (field,) = of_kind(panel.widget, ipywidgets.Text)
    assert "No turn yet" in shown(panel)
    field.value = "how many lines does notes.md have?"
    field._handle_custom_msg({"event": "submit"}, [])
    ended(panel)
    assert [trace.turn.answer for trace in panel.traces] == ["notes.md has 2 lines."]
    assert "notes.md has 2 lines." in shown(panel)
    assert "fs_read" in shown(panel)
    assert field.value == panel.text == ""
    assert of_kind(panel.widget, ipywidgets.Text) == [field]
    assert lab.trace().record.turn.id == panel.traces[-1].turn.id
    field.value = "and how many words?"
    buttons(panel)["Send"].click()
    ended(panel)
    assert [trace.turn.number for trace in panel.traces] == [1, 2]


def test_without_a_text_nothing_runs_and_it_is_said(lab: Lab) -> None:
    panel = lab.run_panel()
    buttons(panel)["Send"].click()
    assert "type a request first" in shown(panel)
    assert not panel.is_running
    assert len(lab.turns) == 0


def test_another_topology_is_chosen_and_answers(lab: Lab) -> None:
    panel = lab.run_panel()
    choice = chooser(panel, "topology")
    assert choice.value == "octet"
    choice.value = "solo"
    assert lab.topology == "solo"
    panel.send("how many lines does notes.md have?")
    ended(panel)
    assert panel.traces[-1].turn.topology == "solo"
    lab.use("quartet")
    panel.refresh()
    assert choice.value == "quartet"


def test_a_question_is_a_card_in_the_panel_and_a_click_lets_the_turn_go_on(waiting: Lab, tmp_path: Path) -> None:
    panel = waiting.run_panel()
    assert panel.widget
    asked = threading.Event()
    stop = waiting.engine.approvals.changes.subscribe(lambda *_: asked.set(), "opened")
    panel.send("delete notes.md")
    assert asked.wait(TIME_S)
    stop()
    assert (tmp_path / "notes.md").exists()
    assert "fs_delete" in shown(panel)
    assert {"Once", "This turn", "This session", "No", "Stop"} <= set(buttons(panel))
    buttons(panel)["Once"].click()
    ended(panel)
    assert not (tmp_path / "notes.md").exists()
    assert set(buttons(panel)) == {"Send"}


def test_the_card_of_a_run_stays_when_its_turn_has_ended(lab: Lab, tmp_path: Path) -> None:
    panel = lab.run_panel()
    assert panel.widget
    panel.send("delete notes.md")
    ended(panel)
    assert panel.traces[-1].turn.outcome == "input_required"
    assert {"Once", "No", "Send"} <= set(buttons(panel))
    buttons(panel)["Once"].click()
    lab.engine.wait()
    assert not (tmp_path / "notes.md").exists()
    assert set(buttons(panel)) == {"Send"}


def test_stop_ends_the_turn_and_the_next_one_runs(waiting: Lab) -> None:
    panel = waiting.run_panel()
    asked = threading.Event()
    waiting.engine.approvals.changes.subscribe(lambda *_: asked.set(), "opened")
    panel.send("delete notes.md")
    assert panel.is_running
    assert asked.wait(TIME_S)
    panel.act("send", "another one")
    assert "still at work" in shown(panel)
    panel.act("topology", "solo")
    assert waiting.topology == "quartet"
    buttons(panel)["Stop"].click()
    ended(panel)
    assert [trace.turn.outcome for trace in panel.traces] == ["cancelled"]
    assert "cancelled" in shown(panel)
    panel.send("how many lines does notes.md have?")
    ended(panel)
    assert panel.traces[-1].turn.is_ok


def test_stop_before_it_has_begun_stops_it_too(lab: Lab) -> None:
    panel = lab.run_panel()
    with panel._lock:
        panel.send("how many lines does notes.md have?")
        panel.stop()
    ended(panel)
    assert not any(trace.turn.is_ok for trace in panel.traces)


def test_what_is_said_so_far_and_every_event_is_shown_before_the_turn_ends(lab: Lab) -> None:
    panel = lab.run_panel()
    panel._asked = samples.HOSTILE
    for event in samples.hostile_trace().events:
        panel._hear(event)
        panel.refresh()
    lanes = shown(panel)
    assert "order of events" in lanes
    panel._hear(TextSoFar(turn_id="t", author=samples.HOSTILE, text=f"so far {samples.HOSTILE}"))
    panel.refresh()
    assert "so far" in shown(panel)
    read(of_kind(panel.widget, ipywidgets.HTML)[-1].value)
    assert "<script" not in shown(panel)
    panel._hear(samples.trace().events[0])
    panel.refresh()
    assert "so far" not in shown(panel)


def test_many_changes_in_one_go_are_shown_once_and_earlier_turns_stay_as_they_are(lab: Lab) -> None:
    panel = lab.run_panel()
    panel.send("how many lines does notes.md have?")
    ended(panel)
    assert panel.widget
    panel._asked = "x"
    panel._events = []
    changed: list[str] = []
    for page in of_kind(panel.widget, ipywidgets.HTML):
        page.observe(lambda change: changed.append(change["new"]), "value")
    panel.refresh_soon()
    for event in samples.long_trace(1000).events:
        panel._hear(event)
    until(lambda: any("1,000 events" in text for text in changed))
    assert 1 <= len(changed) < 40
    assert not any("notes.md has 2 lines." in text for text in changed)
    panel._asked = ""
    until(lambda: panel._timer is None)


def test_what_takes_long_to_draw_is_drawn_less_often(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = lab.run_panel()
    assert panel.widget
    pauses: list[float] = []

    class Timer(threading.Timer):
        def __init__(self, interval: float, function: Callable[[], None]) -> None:
            pauses.append(interval)
            super().__init__(0, function)

        def start(self) -> None:
            """Begin at once, on this thread, as often as is asked."""

    monkeypatch.setattr("lango_nb.widgets.panel.threading.Timer", Timer)
    panel._asked = "x"
    for drawing_s in (0.001, 0.2, 0.001):
        moments = iter((0.0, drawing_s))
        monkeypatch.setattr("lango_nb.widgets.panel.time", SimpleNamespace(monotonic=moments.__next__))
        panel._refresh_now()
    panel._asked = ""
    often, seldom, again = pauses
    assert often == again <= 0.1
    assert seldom >= 20 * 0.2, "a view takes a twentieth of the time at most"


def test_turns_that_were_asked_for_in_a_cell_are_in_the_conversation_too(lab: Lab) -> None:
    lab.ask("how many lines does notes.md have?")
    panel = lab.run_panel()
    assert "notes.md has 2 lines." in shown(panel)
    lab.ask("and how many words?")
    until(lambda: "notes.md has 2 words." in shown(panel))
    lab.new()
    panel.on_shown()
    assert "No turn yet" in shown(panel), "a new conversation begins empty"


def test_a_cell_that_is_run_again_while_its_turn_runs_shows_the_same_turn(waiting: Lab, tmp_path: Path) -> None:
    first = waiting.run_panel()
    assert first.widget
    first.send("delete notes.md")
    again = waiting.run_panel()
    until(lambda: "Once" in buttons(again))
    first.close()  # what JupyterLab showed before is gone
    buttons(again)["Once"].click()
    first.wait(TIME_S)
    until(lambda: "Deleted notes.md" in shown(again))
    assert not (tmp_path / "notes.md").exists()


def test_while_a_turn_runs_its_tokens_and_what_they_cost_are_told(lab: Lab) -> None:
    panel = lab.run_panel()
    panel._asked = "x"
    usage = Usage(input_tokens=1200, output_tokens=34, cost_usd=0.0021)
    said = next(event for event in samples.trace().events if event.kind == "text")
    panel._hear(said.model_copy(update={"usage": usage}))
    page = shown(panel)
    panel._asked = ""
    assert "1,234 tokens" in page
    assert "0.0021 USD" in page


def test_clicks_on_many_threads_come_in_one_after_the_other(lab: Lab) -> None:
    panel = lab.run_panel()
    assert panel.widget
    threads = [
        threading.Thread(target=panel.act, args=(key, value))
        for key, value in [("text", "how many lines does notes.md have?"), ("send", "send")] * 8
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIME_S)
    ended(panel)
    assert panel.traces
    assert all(trace.turn.answer == "notes.md has 2 lines." for trace in panel.traces)
    assert "notes.md has 2 lines." in shown(panel)


def test_elsewhere_it_is_the_latest_turn(lab: Lab) -> None:
    panel = lab.run_panel()
    panel.send("how many lines does notes.md have?")
    ended(panel)
    bundle = panel._repr_mimebundle_(["text/plain", "text/html"])
    assert "notes.md has 2 lines." in str(bundle["text/plain"])
    read(str(bundle["text/html"]))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_after_an_error_that_nobody_expected_another_turn_can_be_asked_for(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = lab.run_panel()

    async def break_down(*_given: object, **_options: object) -> None:
        raise ZeroDivisionError("a bug")

    with monkeypatch.context() as patch:
        patch.setattr(lab.engine, "run", break_down)
        panel.send("hello")
        ended(panel)
    assert "an error that nobody expected" in panel.said
    panel.send("hello")
    ended(panel)
    assert panel.said == ""
    assert len(panel.traces) == 1


def test_another_model_is_chosen_and_only_those_that_can_be_used_are_offered(lab: Lab) -> None:
    panel = lab.run_panel()
    choice = chooser(panel, "model")
    assert (choice.value, choice.options) == ("offline", ("offline",))
    lab.model = ScriptedModel([Reply(text="Hello.", usage=Usage(model="scripted", input_tokens=7, cost_usd=0.25))])
    panel.refresh()
    assert (choice.value, choice.options) == ("scripted", ("offline", "scripted"))
    panel.send("hello")
    ended(panel)
    assert "0.2500 USD" in shown(panel)
    assert "7 tokens read" in shown(panel)
    choice.value = "offline"
    assert lab.model.name == "offline"
    panel.act("model", "no such model")
    assert "no such model" in panel.said
    assert lab.model.name == "offline"


def test_the_plan_that_was_read_stands_below_the_answer_in_a_line(lab: Lab) -> None:
    panel = lab.run_panel()
    panel.send("how many lines does notes.md have?")
    ended(panel)
    assert "read as: read notes.md → count lines" in shown(panel)
    assert "USD" not in shown(panel)
