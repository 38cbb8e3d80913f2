"""The doctor's panel: every check with its state, the worst first, what to do next, and looking again."""

from __future__ import annotations

import threading
from dataclasses import replace

import ipywidgets

from lango_nb import Lab
from lango_nb.core.errors import StoreError
from lango_nb.doctor.finding import Finding, Report
from lango_nb.widgets.doctor import DoctorPanel
from tests.unit.viz import samples
from tests.unit.viz.test_views import read
from tests.unit.widgets.test_as_live import of_kind
from tests.unit.widgets.test_listing import listed, shown

TIME_S = 60
FINE = Finding("tree", "ok", "every tool has its owner")
WRONG = Finding("loops", "warn", "4 turns ended in a loop", next_step="%lango trace 3 shows it", evidence=("turn 3",))
BROKEN = Finding("store", "fail", "cannot be written", next_step="make room", evidence=("disk full",))


def test_every_check_of_a_lab_is_there_and_a_click_shows_it() -> None:
    lab = Lab("octet")
    panel = lab.doctor_panel()
    assert len(listed(panel).options) == len(lab.doctor())
    assert panel.report.status == "ok"
    panel.act("record", next(line for line in listed(panel).options if "tree:" in line))
    assert panel.selected is not None
    assert panel.selected.check == "tree"
    assert panel.selected.text in shown(panel)


def test_the_worst_is_first_and_its_next_step_is_there_before_anything_is_clicked() -> None:
    panel = DoctorPanel(lambda: Report((FINE, WRONG, BROKEN)))
    assert [line.split()[1] for line in listed(panel).options] == ["fail", "warn", "ok"]
    assert "make room" in shown(panel)
    assert "%lango trace 3" in shown(panel)
    assert "1 failed, 1 to look at, 1 fine" in shown(panel)
    panel.act("record", listed(panel).options[1])
    assert panel.selected == WRONG
    assert "turn 3" in shown(panel)
    assert "make room" not in shown(panel)


def test_it_looks_again_beside_the_cells_and_once_at_a_time() -> None:
    go, seen = threading.Event(), []

    def examine() -> Report:
        seen.append(threading.current_thread())
        assert go.wait(TIME_S)
        return Report((replace(FINE, text=f"look {len(seen)}"),))

    panel = DoctorPanel(examine)
    panel.look()
    (again,) = of_kind(panel.widget, ipywidgets.Button)
    again.click()
    assert "Looking" in shown(panel)
    go.set()
    panel.wait(TIME_S)
    assert "look 1" in listed(panel).options[0]
    again.click()
    panel.wait(TIME_S)
    assert "look 2" in listed(panel).options[0]
    assert threading.main_thread() not in seen


def test_what_keeps_it_from_looking_is_said_and_it_can_look_again() -> None:
    reports: list[Report | None] = [Report((FINE,)), None, Report((WRONG,))]

    def examine() -> Report:
        report = reports.pop(0)
        if report is None:
            raise StoreError("the records are gone; open them again")
        return report

    panel = DoctorPanel(examine)
    assert panel.widget
    for said in ("the records are gone", ""):
        panel.look()
        panel.wait(TIME_S)
        assert said in panel.said
    assert panel.report.findings == (WRONG,)


def test_elsewhere_it_is_the_report_and_no_word_of_it_is_markup() -> None:
    hostile = Finding(samples.HOSTILE, "fail", samples.HOSTILE, next_step=samples.HOSTILE, evidence=(samples.HOSTILE,))
    panel = DoctorPanel(lambda: Report((FINE, hostile)))
    bundle = panel._repr_mimebundle_(["text/plain", "text/html"])
    assert "every tool has its owner" in str(bundle["text/plain"])
    read(str(bundle["text/html"]))
    panel.act("record", listed(panel).options[0])
    for page in of_kind(panel.widget, ipywidgets.HTML):
        read(page.value)
