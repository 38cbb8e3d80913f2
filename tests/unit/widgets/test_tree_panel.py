"""The tree is changed in a form: what is wrong stands below its field, what a change does is seen before it is made."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import ipywidgets
import pytest

from lango_nb import Lab
from lango_nb.specs.topologies import read_topology
from lango_nb.widgets.tree import TreePanel
from tests.unit.viz import samples
from tests.unit.viz.test_views import read
from tests.unit.widgets.test_as_live import inside, of_kind


@pytest.fixture
def lab() -> Lab:
    return Lab("octet")


@pytest.fixture
def panel(lab: Lab) -> TreePanel:
    return lab.tree_panel()


def shown(panel: TreePanel) -> str:
    """Return what is shown when everything is worked out."""
    while panel._timer is not None:
        panel._timer.join()
    return unescape("".join(page.value for page in of_kind(panel.widget, ipywidgets.HTML)))


def press(panel: TreePanel, label: str) -> None:
    next(one for one in of_kind(panel.widget, ipywidgets.Button) if one.description == label).click()


def field(panel: TreePanel, label: str) -> ipywidgets.Widget:
    return next(one for one in inside(panel.widget) if getattr(one, "description", "") == label)


def choose(panel: TreePanel, name: str) -> None:
    panel.act("record", f"{name} ")


def test_a_change_is_seen_before_it_is_applied_and_taken_back_after(lab: Lab, panel: TreePanel) -> None:
    lab.label("ask strongroom to polish the sapphires", "crypto")
    lab.label("how many lines does notes.md have?", "operator")
    choose(panel, "vault")
    name = field(panel, "name")
    name.value = "strongroom"
    assert "What this would do" in shown(panel)
    assert "1 request of 2 requests of yours go to somebody else, 1 of them where they belong" in shown(panel)
    assert lab.topology == "octet"
    assert field(panel, "name") is name, "the field is not taken away from who types in it"
    press(panel, "Apply")
    assert lab.route("ask strongroom to polish the sapphires").chosen == "strongroom"
    assert "What the last change did" in shown(panel)
    press(panel, "Undo")
    assert lab.topology == "octet"
    assert (panel.chosen, name.value) == ("vault", "vault")


def test_what_is_wrong_stands_below_its_field_and_is_not_applied(lab: Lab, panel: TreePanel) -> None:
    choose(panel, "vault")
    field(panel, "name").value = "operator"
    below = panel._form.widget.children[1]
    assert "'operator' is there already" in unescape(below.value)
    press(panel, "Apply")
    assert "vault" in lab.tree
    field(panel, "name").value = "no name"
    assert "a name is a letter" in below.value
    press(panel, "Reset")
    assert below.value == ""
    assert field(panel, "name").value == "vault"


def test_a_tool_is_sent_and_the_code_makes_the_same(lab: Lab, panel: TreePanel) -> None:
    choose(panel, "operator")
    field(panel, "tool").value = "exec_bg"
    field(panel, "to").value = "automator"
    assert "1 tool moved" in shown(panel)
    assert lab.partition.owner("exec_bg") == "operator"
    press(panel, "Send")
    assert lab.partition.owner("exec_bg") == "automator"
    choose(panel, "vault")
    field(panel, "name").value = "safe"
    field(panel, "description").value = 'Keeps "what is\nsafe".'
    press(panel, "Apply")
    assert panel.chosen == "safe"
    press(panel, "Drop agent")
    press(panel, "Undo")
    press(panel, "New agent")
    field(panel, "name").value = "tailor"
    field(panel, "prefixes").value = "crypto_hash,sew_*"
    field(panel, "examples").value = "hem the trousers\nsew on a button"
    press(panel, "Apply")
    again = Lab("sextet")
    exec(panel.code, {"lab": again})
    assert again.engine.shape == lab.engine.shape
    assert lab.engine.shape.agent("tailor").example_requests == ("hem the trousers", "sew on a button")


def test_a_new_agent_waits_in_the_list_until_a_tool_is_its_own(lab: Lab, panel: TreePanel) -> None:
    press(panel, "New agent")
    press(panel, "Apply")
    (line,) = (line for line in of_kind(panel.widget, ipywidgets.Select)[0].options if "new-agent" in line)
    assert "no tool is its own" in line
    choose(panel, "operator")
    field(panel, "tool").value = "exec_bg"
    field(panel, "to").value = "new-agent"
    press(panel, "Send")
    assert lab.partition["new-agent"] == ("exec_bg",)


def test_it_is_saved_and_what_is_there_is_replaced_after_a_question(
    lab: Lab, panel: TreePanel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    press(panel, "Save topology")
    assert "say where to save" in panel.said
    field(panel, "folder").value = "mine"
    press(panel, "Save topology")
    assert "saved to mine" in shown(panel)
    choose(panel, "vault")
    press(panel, "Drop agent")
    press(panel, "Save topology")
    assert "there is one in 'mine' already" in panel.said
    assert "vault" in [spec.name for spec in read_topology(tmp_path / "mine").agents]
    press(panel, "Replace")
    assert "vault" not in [spec.name for spec in read_topology(tmp_path / "mine").agents]
    assert not [one for one in of_kind(panel.widget, ipywidgets.Button) if one.description == "Replace"]
    press(panel, "Save AGENT.md")
    assert "choose an agent first" in panel.said


def test_the_root_and_an_agent_that_is_gone_have_no_form(lab: Lab, panel: TreePanel) -> None:
    choose(panel, "lango-orchestrator")
    assert "The root belongs to the topology" in shown(panel)
    choose(panel, "vault")
    lab.use("quartet")
    panel.refresh()
    assert panel.spec is None
    panel.act("press", "apply")
    assert "choose an agent first" in panel.said


def test_no_word_that_is_typed_is_markup_and_elsewhere_it_is_a_still_picture(panel: TreePanel) -> None:
    choose(panel, "vault")
    for label in ("description", "prefixes", "keywords", "examples", "name"):
        field(panel, label).value = samples.HOSTILE
        shown(panel)
        for page in of_kind(panel.widget, ipywidgets.HTML):
            read(page.value)
    bundle = panel._repr_mimebundle_(["text/plain", "text/html"])
    read(str(bundle["text/html"]))
    assert "vault" in str(bundle["text/plain"])


def test_closing_leaves_nothing(lab: Lab) -> None:
    before = len(ipywidgets.widgets.widget._instances)
    panel = lab.tree_panel()
    choose(panel, "vault")
    press(panel, "New agent")
    panel.close()
    assert len(ipywidgets.widgets.widget._instances) == before
