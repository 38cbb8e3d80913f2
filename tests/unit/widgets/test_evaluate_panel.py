"""The panel that measures: run a set beside the cells, stop it, click a number of the matrix, then a mistake."""

from __future__ import annotations

import threading
from collections.abc import Callable
from html import unescape
from typing import Any

import ipywidgets
import pandas as pd
import pytest

from lango_nb import Lab
from lango_nb.widgets.evaluate import EvaluatePanel
from tests.unit.viz import samples
from tests.unit.viz.test_views import read
from tests.unit.widgets.test_as_live import inside, of_kind

TIME_S = 60
ROWS = pd.DataFrame(
    [
        ("encrypt the word tulip", "vault"),
        ("how many lines does notes.md have?", "operator"),
        ("take a screenshot of example.org", "vault"),
        ("sign this text", "operator"),
        ("good morning!", "root"),
    ],
    columns=["text", "agent"],
)


@pytest.fixture
def lab() -> Lab:
    return Lab("octet")


def shown(panel: EvaluatePanel) -> str:
    return "".join(page.value for page in of_kind(panel.widget, ipywidgets.HTML))


def button(panel: EvaluatePanel, name: str) -> ipywidgets.Button:
    found: ipywidgets.Button = next(
        one for one in of_kind(panel.widget, ipywidgets.Button) if name in {one.description, one.tooltip}
    )
    return found


def run(panel: EvaluatePanel) -> None:
    button(panel, "Measure").click()
    panel.wait(TIME_S)
    assert not panel.is_running


def mistakes(panel: EvaluatePanel) -> ipywidgets.Select:
    (found,) = of_kind(panel.widget, ipywidgets.Select)
    assert isinstance(found, ipywidgets.Select)
    return found


def test_a_number_of_the_matrix_is_clicked_for_its_requests_and_a_request_for_its_why(lab: Lab) -> None:
    panel = lab.evaluate_panel(ROWS)
    assert "Nothing is measured yet" in shown(panel)
    assert panel.result is None
    run(panel)
    assert panel.result is not None
    assert panel.result.record["octet"].accuracy.count == 3
    assert list(panel.result.df["topology"]) == ["octet"]
    assert [line.split()[0] for line in mistakes(panel).options] == ["3", "4"]
    button(panel, "vault → navigator").click()
    (line,) = mistakes(panel).options
    mistakes(panel).value = line
    assert panel.selected is not None
    assert (panel.selected.text, panel.selected.right) == ("take a screenshot of example.org", "vault")
    route = lab.route("take a screenshot of example.org")
    assert "went to navigator; it belongs to vault" in shown(panel)
    assert route.reason in unescape(shown(panel))
    button(panel, "vault → navigator").click()
    assert len(mistakes(panel).options) == 2


def test_stop_ends_it_at_once_and_shows_what_was_answered_by_then(lab: Lab) -> None:
    begun, go = threading.Event(), threading.Event()

    def measure(*given: Any, is_stopped: Callable[[], bool], on_progress: Any, **chosen: Any) -> Any:
        def watched(done: int, of: int) -> None:
            on_progress(done, of)
            if done == 40:
                begun.set()
                assert go.wait(TIME_S)

        return lab.evaluate(*given, is_stopped=is_stopped, on_progress=watched, **chosen)

    panel = EvaluatePanel(
        measure, lambda: ["octet", "quartet"], lambda: ["router"], lambda _, text: lab.route(text).record
    )
    panel.act("topology", "all, side by side")
    assert panel.widget
    panel.run()
    assert begun.wait(TIME_S)
    panel.refresh()
    assert "40 of 2,000 requests" in shown(panel)
    panel.act("run", "run")
    assert "it is being measured" in panel.said
    button(panel, "Stop").click()
    assert "stopping" in shown(panel)
    go.set()
    panel.wait(TIME_S)
    assert panel.result is not None
    assert [(one.topology, one.n) for one in panel.result.record] == [("octet", 40)]
    assert panel.result.record.is_stopped
    assert "stopped after 40 answers" in shown(panel)
    assert button(panel, "Measure")


def test_several_topologies_stand_side_by_side_and_each_has_its_matrix(lab: Lab) -> None:
    panel = lab.evaluate_panel(ROWS.assign(agent=["crypto", "fs", "browser", "crypto", "conversation"]))
    panel.act("topology", "all, side by side")
    run(panel)
    assert panel.result is not None
    (of,) = (one for one in of_kind(panel.widget, ipywidgets.Dropdown) if one.description == "matrix of")
    assert list(of.options) == [one.topology for one in panel.result.record]
    of.value = "quartet"
    assert button(panel, "executor → executor")
    panel.act("request", "1 ")
    panel.act("field", "executor → executor")
    assert panel.selected is not None


def test_a_topology_that_was_changed_by_hand_is_measured_too_when_another_is_in_use(lab: Lab) -> None:
    lab.edit_agent("vault", name="safe")
    lab.use("sextet")
    panel = lab.evaluate_panel([("encrypt the word tulip", "safe")])
    panel.act("topology", "octet-edited")
    run(panel)
    assert panel.said == ""
    assert panel.result is not None
    assert panel.result.record["octet-edited"].accuracy.count == 1


def test_what_cannot_be_measured_is_said_and_the_next_one_runs(lab: Lab) -> None:
    panel = lab.evaluate_panel([("encrypt this", "nobody at all")])
    run(panel)
    assert "neither an agent" in panel.said
    panel.act("set", "judge")
    panel.act("sample", "100")
    panel.act("set", "no such set")
    assert "set is one of" in panel.said
    run(panel)
    assert panel.said == ""
    assert panel.result is not None
    assert panel.result.record.n == 100


def test_its_state_gives_the_same_again(lab: Lab) -> None:
    first = lab.evaluate_panel(ROWS)
    first.act("subject", "keywords")
    run(first)
    first.act("field", next(f"{one.belongs} → {one.answer.got}" for one in first.listed))
    first.act("request", f"{first.listed[0].number} ")
    second = lab.evaluate_panel(ROWS)
    for key, value in first.state.items():
        second.act(key, value)
    second.wait(TIME_S)
    assert second.state == first.state
    assert second.selected is not None
    assert second.selected.text == first.listed[0].text


def test_no_word_of_a_request_is_markup_and_elsewhere_it_is_a_still_picture(lab: Lab) -> None:
    panel = lab.evaluate_panel([(f"encrypt {samples.HOSTILE}", "operator"), ("sign this", "operator")])
    run(panel)
    panel.act("request", f"{panel.listed[0].number} ")
    for page in of_kind(panel.widget, ipywidgets.HTML):
        read(page.value)
    assert not any(getattr(one, "description_allow_html", False) for one in inside(panel.widget))
    bundle = panel._repr_mimebundle_(["text/plain", "text/html"])
    read(str(bundle["text/html"]))
    assert "evaluation of router" in str(bundle["text/plain"])


def test_closing_stops_it_and_leaves_nothing(lab: Lab) -> None:
    before = len(ipywidgets.widgets.widget._instances)
    panel = lab.evaluate_panel()
    panel.act("sample", "all")
    assert panel.widget
    panel.run()
    panel.close()
    panel.wait(TIME_S)
    assert len(ipywidgets.widgets.widget._instances) == before
