"""Lists of agents, turns and runs: filtered and chosen, as they are now, and runs can be stopped."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import ipywidgets
import pytest

from lango_nb import Lab
from lango_nb.runtime.loop import call_in_loop
from lango_nb.viz.runs import line, run_document
from lango_nb.widgets.listing import ListPanel
from tests.unit.viz import samples
from tests.unit.viz.test_views import read
from tests.unit.widgets.test_as_live import of_kind, own_buttons

TIME_S = 60


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    (tmp_path / "notes.md").write_text("one\ntwo\n")
    return Lab("octet", workspace=tmp_path, approver="hold")


def shown(panel: ListPanel[Any]) -> str:
    return "".join(page.value for page in of_kind(panel.widget, ipywidgets.HTML))


def listed(panel: ListPanel[Any]) -> ipywidgets.Select:
    (found,) = of_kind(panel.widget, ipywidgets.Select)
    assert isinstance(found, ipywidgets.Select)
    return found


def choose(panel: ListPanel[Any], word: str) -> None:
    listed(panel).value = next(option for option in listed(panel).options if option.startswith(f"{word} "))


def drawn() -> None:
    """Wait until what was told meanwhile is shown."""
    call_in_loop(lambda: None)
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join()


def test_a_click_on_an_agent_shows_its_definition_and_its_tools(lab: Lab) -> None:
    panel = lab.tree_panel()
    assert [option.split()[0] for option in listed(panel).options] == list(lab.tree.record.names)
    choose(panel, "vault")
    assert panel.selected is lab.tree.record["vault"]
    assert all(tool in shown(panel) for tool in lab.partition["vault"])
    assert lab.tree.record["vault"].prompt[:30] in shown(panel)
    panel.act("query", "exec")
    assert "vault" not in " ".join(listed(panel).options)
    assert panel.selected is lab.tree.record["vault"]
    lab.use("quartet")
    panel.act("query", "")
    assert len(listed(panel).options) == len(lab.tree.record.names)


def test_turns_come_by_themselves_and_a_click_shows_the_trace(lab: Lab) -> None:
    panel = lab.history_panel()
    assert "No turn yet" in shown(panel)
    lab.ask("how many lines does notes.md have?")
    lab.ask("hello")
    drawn()
    assert [option.split()[0] for option in listed(panel).options] == ["2", "1"]
    choose(panel, "1")
    assert panel.selected == lab.trace(1).record.turn
    assert "notes.md has 2 lines." in shown(panel)
    panel.act("query", "HELLO")
    assert [option.split()[0] for option in listed(panel).options] == ["2"]
    assert panel.selected == lab.trace(1).record.turn


def test_a_run_at_work_is_waited_for_and_stopped_with_a_click(lab: Lab) -> None:
    panel = lab.runs_panel()
    assert "No run yet" in shown(panel)
    asked = threading.Event()
    lab.engine.approvals.changes.subscribe(lambda *_: asked.set(), "opened")
    asking = threading.Thread(target=lambda: lab.ask("delete notes.md"))
    asking.start()
    assert asked.wait(TIME_S)
    drawn()
    (run,) = lab.runs.record
    choose(panel, run.id)
    wait, stop = own_buttons(panel.widget)
    wait.click()
    while f"waiting for {run.id}" not in shown(panel):
        assert panel._thread is not None
        assert panel._thread.is_alive()
        drawn()
    stop.click()
    panel.wait(TIME_S)
    assert panel.told == f"{run.id} has ended: cancelled"
    asking.join(TIME_S)
    assert not asking.is_alive()
    assert lab.runs.record[0].status == "cancelled"
    panel.refresh()
    assert "cancelled" in shown(panel)
    assert own_buttons(panel.widget) == []
    stop.click()
    assert lab.runs.record[0].status == "cancelled"


def test_words_of_models_stay_words() -> None:
    runs = (samples.hostile_run(), *samples.runs())
    panel = ListPanel(lambda: runs, line, run_document, "runs", "none")
    for option in listed(panel).options:
        panel.act("record", option)
        for page in of_kind(panel.widget, ipywidgets.HTML):
            read(page.value)
            assert "<script" not in page.value
    assert "<script" not in str(panel._repr_mimebundle_(["text/html"])["text/html"])


def test_a_closed_panel_hears_nothing_more_and_is_a_still_picture(lab: Lab) -> None:
    panel = lab.history_panel()
    assert panel.widget
    panel.close()
    assert lab.engine.listeners == []
    assert set(panel._repr_mimebundle_()) == {"text/plain", "text/html"}
