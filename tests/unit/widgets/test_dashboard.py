"""The dashboard: a panel is made when its tab is first shown, its code gives the same state, closing leaves nothing."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import ipywidgets
import pytest

from lango_nb import Lab
from lango_nb.core.errors import UnknownNameError
from lango_nb.lab.panels import PANELS
from lango_nb.widgets.dashboard import Dashboard
from lango_nb.widgets.trace import TracePanel
from tests.unit.viz.test_views import read
from tests.unit.widgets.test_as_live import inside, of_kind
from tests.waiting import until


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    (tmp_path / "notes.md").write_text("one\ntwo\n")
    return Lab("octet", workspace=tmp_path)


def tabs(dashboard: Dashboard) -> ipywidgets.ToggleButtons:
    (found,) = of_kind(dashboard.widget, ipywidgets.ToggleButtons)
    assert isinstance(found, ipywidgets.ToggleButtons)
    return found


def pages(dashboard: Dashboard) -> dict[str, ipywidgets.VBox]:
    """Return what is on each tab; empty where it was not shown yet."""
    return dict(zip(dashboard, dashboard.widget.children[2:], strict=True))


def click(dashboard: Dashboard, name: str) -> None:
    tabs(dashboard).value = name


def test_a_panel_is_made_when_its_tab_is_first_shown_and_stays(lab: Lab) -> None:
    dashboard = lab.dashboard()
    assert [title.lower() for title, _ in tabs(dashboard).options] == list(PANELS)
    filled = [bool(page.children) for page in pages(dashboard).values()]
    assert filled == [True] + [False] * (len(PANELS) - 1)
    click(dashboard, "route")
    assert dashboard.tab == "route"
    (field,) = of_kind(pages(dashboard)["route"], ipywidgets.Text)
    field.value = "encrypt this with aes"
    click(dashboard, "partition")
    click(dashboard, "route")
    assert of_kind(pages(dashboard)["route"], ipywidgets.Text) == [field]
    assert sum(bool(page.children) for page in pages(dashboard).values()) == 3
    assert [name for name, page in pages(dashboard).items() if page.layout.display is None] == ["route"]


def test_every_tab_shows_the_panel_that_also_stands_alone(lab: Lab) -> None:
    lab.ask("how many lines does notes.md have?")
    dashboard = lab.dashboard()
    for name in dashboard:
        click(dashboard, name)
        assert type(dashboard[name]) is type(getattr(lab, f"{name}_panel")())
        assert dashboard.said == ""
        bundle = dashboard._repr_mimebundle_(["text/plain", "text/html"])
        read(str(bundle["text/html"]))
        assert "octet" in str(bundle["text/plain"])


def test_traces_wait_for_a_turn_and_go_on_with_the_latest_unless_one_is_chosen(lab: Lab) -> None:
    dashboard = lab.dashboard("trace")
    assert "no turn" in "".join(page.value for page in of_kind(dashboard.widget, ipywidgets.HTML)).lower()
    for number, text in enumerate(("how many lines does notes.md have?", "hello"), 1):
        lab.ask(text)
        click(dashboard, "tree")
        click(dashboard, "trace")
        panel = dashboard["trace"]
        assert isinstance(panel, TracePanel)
        assert panel.trace.turn.number == number
    click(dashboard, "history")
    history = dashboard["history"]
    history.act("record", "1  ")
    history.act("press", "steps")
    assert dashboard.tab == "trace"
    panel = dashboard["trace"]
    assert isinstance(panel, TracePanel)
    assert panel.trace.turn.number == 1
    assert tabs(dashboard).value == "trace"


def test_its_code_gives_the_same_state(lab: Lab) -> None:
    lab.ask("how many lines does notes.md have?")
    dashboard = lab.dashboard("partition")
    assert dashboard.code == "dashboard = lab.dashboard('partition')\ndashboard"
    dashboard["route"].act("text", 'it\'s "quoted"\n')
    dashboard["partition"].act("filter", "vault")
    dashboard["partition"].act("tool", "crypto_hash → vault")
    dashboard["trace"].act("kind", "tool")
    dashboard["trace"].act("step", "2")
    dashboard["tree"].act("record", "vault ")
    names = {"lab": lab}
    exec(dashboard.code, names)
    again = names["dashboard"]
    assert isinstance(again, Dashboard)
    assert again.code == dashboard.code
    assert {name: again[name].state for name in again} == {name: dashboard[name].state for name in dashboard}
    assert again.tab == "partition"


def test_its_title_tells_what_a_panel_has_changed(lab: Lab) -> None:
    dashboard = lab.dashboard("run")
    title = dashboard.widget.children[0]
    dashboard["run"].act("topology", "sextet")
    assert "sextet" in title.value
    dashboard["tree"].act("record", "vault ")
    dashboard["tree"].act("press", "drop")
    assert "sextet-edited" in title.value


def test_its_code_goes_to_the_turn_that_was_chosen(lab: Lab) -> None:
    for text in ("how many lines does notes.md have?", "hello"):
        lab.ask(text)
    dashboard = lab.dashboard("history")
    dashboard["history"].act("record", "1  ")
    dashboard["history"].act("press", "steps")
    names = {"lab": lab}
    exec(dashboard.code, names)
    again = names["dashboard"]
    assert isinstance(again, Dashboard)
    panel = again["trace"]
    assert isinstance(panel, TracePanel)
    assert (again.tab, panel.trace.turn.number) == ("trace", 1)


def test_nothing_listens_while_nobody_can_see_it_and_what_is_seen_again_is_what_there_is_now(lab: Lab) -> None:
    panel = lab.history_panel()
    listened = len(lab.engine.listeners)
    for count in (1, 2, 1):  # shown, shown elsewhere too, one of the two taken away
        panel.widget.set_trait("_view_count", count)
        assert len(lab.engine.listeners) == listened == 1
    panel.widget.set_trait("_view_count", 0)
    assert lab.engine.listeners == []
    lab.ask("hello")
    panel.widget.set_trait("_view_count", 1)
    assert len(lab.engine.listeners) == 1
    while panel._timer is not None:
        panel._timer.join()
    (listed,) = of_kind(panel.widget, ipywidgets.Select)
    assert len(listed.options) == 1
    cards = lab.approvals_panel()
    cards.widget.set_trait("_view_count", 1)
    assert lab.engine.approvals.changes.has_subscribers
    cards.widget.set_trait("_view_count", 0)
    assert not lab.engine.approvals.changes.has_subscribers
    panel.close()
    assert lab.engine.listeners == []


def test_two_dashboards_are_each_for_itself_and_closing_leaves_nothing_behind(lab: Lab) -> None:
    lab.ask("how many lines does notes.md have?")

    def opened() -> Dashboard:
        dashboard = lab.dashboard()
        for name in dashboard:
            click(dashboard, name)
        return dashboard

    opened().close()
    gc.collect()
    before = len(ipywidgets.widgets.widget._instances)
    first = opened()
    listening = len(lab.engine.listeners)
    second = opened()
    first["route"].act("text", "hello")
    assert second["route"].state["text"] == ""
    first.close()
    assert len(lab.engine.listeners) == listening
    second.close()
    assert lab.engine.listeners == []
    assert not lab.engine.approvals.changes.has_subscribers
    gone = weakref.ref(first)
    del first, second
    until(lambda: gc.collect() >= 0 and gone() is None)  # a thread that draws may have to end first
    assert len(ipywidgets.widgets.widget._instances) == before
    assert all(page.children for page in pages(opened()).values())


def test_no_word_of_a_tab_is_markup_and_an_unknown_one_is_refused(lab: Lab) -> None:
    dashboard = lab.dashboard()
    assert not any(getattr(widget, "description_allow_html", False) for widget in inside(dashboard.widget))
    with pytest.raises(UnknownNameError, match="trace"):
        lab.dashboard("trase")
    dashboard.act("tab", "trase")
    assert "trase" in dashboard.said
