"""The partition panel: what is filtered, sorted and clicked is what is shown, and a tool tells its rule."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path

import ipywidgets
import pytest

from lango_nb import Lab
from lango_nb.widgets.partition import PartitionPanel
from tests.unit.viz import samples
from tests.unit.widgets.test_as_live import of_kind


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab("octet", workspace=tmp_path)


def test_a_click_shows_the_rule_of_a_tool_and_who_else_would_match(lab: Lab) -> None:
    panel = lab.partition_panel()
    (tools,) = of_kind(panel.widget, ipywidgets.Select)
    assert len(tools.options) == len(lab.partition.record.assignments)
    tools.value = next(option for option in tools.options if option.startswith("fs_read "))
    assert panel.tool == "fs_read"
    page = of_kind(panel.widget, ipywidgets.HTML)[-1].value
    (one,) = [one for one in lab.partition.record.assignments if one.tool == "fs_read"]
    assert "operator" in page
    assert "would match too" in page
    assert one.reason.split("'")[0] in page
    assert of_kind(panel.widget, ipywidgets.Select) == [tools], "the list is not taken away from who clicks in it"


def test_the_filter_narrows_the_list_and_keeps_the_chosen_tool(lab: Lab) -> None:
    panel = lab.partition_panel()
    panel.act("tool", "crypto_hash → vault")
    (entry,) = of_kind(panel.widget, ipywidgets.Text)
    entry.value = "vault crypto"
    assert {one.agent for one in panel.assignments} == {"vault"}
    (tools,) = of_kind(panel.widget, ipywidgets.Select)
    assert [str(option).partition(" ")[0] for option in tools.options] == [one.tool for one in panel.assignments]
    assert tools.value == "crypto_hash → vault"
    entry.value = "no such tool"
    assert of_kind(panel.widget, ipywidgets.Select)[0].options == ()
    assert of_kind(panel.widget, ipywidgets.Text) == [entry]


@pytest.mark.parametrize("order", ["tool", "agent", "rule", "as they came"])
def test_the_list_is_sorted_as_chosen(lab: Lab, order: str) -> None:
    panel = lab.partition_panel()
    (dropdown,) = of_kind(panel.widget, ipywidgets.Dropdown)
    dropdown.value = "agent"
    dropdown.value = order
    given = lab.partition.record.assignments
    if order == "as they came":
        assert panel.assignments == given
    else:
        keys = attrgetter(order)
        shown = [keys(one) for one in panel.assignments if keys(one) is not None]
        assert shown == sorted(shown)
        assert set(panel.assignments) == set(given)


def test_what_is_not_shown_any_more_is_let_go_of(lab: Lab) -> None:
    panel = lab.partition_panel()
    assert of_kind(panel.widget, ipywidgets.Select)
    texts = [name[:length] for name in ("operator", "navigator", "librarian") for length in range(1, 6)]

    def live() -> int:
        for text in texts:
            panel.act("filter", text)
        return len(ipywidgets.widgets.widget._instances)

    first = live()
    assert live() == first


def test_a_click_counts_that_was_made_on_a_list_before_the_last_letters_came(lab: Lab) -> None:
    panel = lab.partition_panel()
    (entry,) = of_kind(panel.widget, ipywidgets.Text)
    entry.value = "v"
    (seen,) = of_kind(panel.widget, ipywidgets.Select)
    entry.value = "vau"
    entry.value = "vault"
    seen.value = "crypto_hash → vault"
    assert panel.tool == "crypto_hash"
    (shown,) = of_kind(panel.widget, ipywidgets.Select)
    assert shown is not seen
    assert shown.value == "crypto_hash → vault"
    assert "crypto_hash" in of_kind(panel.widget, ipywidgets.HTML)[-1].value


def test_names_of_tools_are_words_and_elsewhere_it_is_what_is_chosen(lab: Lab) -> None:
    partition = samples.hostile_tree().partition
    panel = PartitionPanel(lambda: partition)
    for one in partition.assignments:
        panel.act("tool", f"{one.tool} → x")
        for page in of_kind(panel.widget, ipywidgets.HTML):
            assert "<script" not in page.value
        bundle = panel._repr_mimebundle_(["text/html", "text/plain"])
        assert "<script" not in str(bundle["text/html"])
