"""What every panel ends with: its code makes the same view, its rows are a DataFrame, and help says what it is for."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ipywidgets
import pandas as pd
import pytest

from lango_nb import Lab
from lango_nb.lab.panels import ABOUT, PANELS
from lango_nb.viz import register
from tests.unit.widgets.test_as_live import of_kind


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    (tmp_path / "notes.md").write_text("one\ntwo\n")
    lab = Lab("octet", workspace=tmp_path)
    lab.ask("how many lines does notes.md have?")
    return lab


def press(panel: Any, label: str) -> None:
    next(one for one in of_kind(panel.widget, ipywidgets.Button) if one.description == label).click()


def shown(panel: Any) -> str:
    """Return what stands below the buttons."""
    return "".join(widget.value for widget in panel.widget.children[-1].children[1:])


@pytest.mark.parametrize("name", PANELS)
def test_every_panel_offers_its_code_its_rows_and_help(lab: Lab, name: str) -> None:
    panel = getattr(lab, f"{name}_panel")()
    press(panel, "Help")
    assert ABOUT[name].split(". Lesson")[0][:40] in shown(panel)
    press(panel, "Code")
    assert eval(panel.code.splitlines()[0].partition("= ")[2] or panel.code, {"lab": lab}) is not panel
    press(panel, "Code")
    assert shown(panel) == ""
    press(panel, "DataFrame")
    if name in {"route", "evaluate", "genome"}:
        assert any(said in panel.said for said in ("first: its", "nothing is measured", "no genome is open"))
    else:
        assert isinstance(panel.df, pd.DataFrame)
        assert f"{len(panel.df)} row" in shown(panel)
        assert "panel.df" in shown(panel), "outside of a notebook there are no variables"


def test_the_rows_are_those_that_the_filter_leaves_in_the_order_of_the_list(lab: Lab) -> None:
    panel = lab.partition_panel()
    panel.act("filter", "vault")
    panel.act("order", "tool")
    press(panel, "DataFrame")
    assert panel.df is not None
    assert panel.df["tool"].tolist() == sorted(lab.partition["vault"])
    assert set(panel.df["agent"]) == {"vault"}


def test_the_code_of_a_panel_gives_the_same_view(lab: Lab) -> None:
    panel = lab.route_panel()
    panel.act("text", "encrypt this with 'aes'")
    names: dict[str, Any] = {"lab": lab}
    exec(panel.code, names)
    assert names["panel"].text == panel.text


def test_the_code_of_the_tree_is_the_cell_that_makes_the_same_changes(lab: Lab, tmp_path: Path) -> None:
    panel = lab.tree_panel()
    panel.act("record", "operator ")
    panel.act("tool", "exec_bg")
    panel.act("to", "automator")
    panel.act("press", "send")
    press(panel, "Code")
    code = shown(panel)
    other = Lab("solo", workspace=tmp_path)
    exec(code, {"lab": other})
    assert other.partition.why("exec_bg").agent == "automator"


def test_a_frame_is_put_into_a_variable_and_never_over_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[str, Any] = {"tree_df": "something of the user"}
    ipython = SimpleNamespace(get_ipython=lambda: SimpleNamespace(user_ns=names))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    assert [register.keep_frame("tree_df", pd.DataFrame({"a": [n]})) for n in (1, 2)] == ["tree_df2", "tree_df2"]
    assert names["tree_df"] == "something of the user"
    assert names["tree_df2"]["a"].tolist() == [2], "one made earlier is replaced"


def test_without_a_front_end_a_panel_whose_comm_is_gone_is_a_still_picture(lab: Lab) -> None:
    board = lab.dashboard("run")
    panel = board["run"]
    assert board.widget
    ipywidgets.Widget.close_all()
    panel.act("text", "how many words does notes.md have?")
    panel.act("send", "send")
    panel.wait(60)
    bundle = board._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    assert "notes.md has 2 words." in str(bundle["text/plain"])
