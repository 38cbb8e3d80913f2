"""Cards of what may be learned: each is decided on for itself, with what it would change in sight."""

from __future__ import annotations

from pathlib import Path

import ipywidgets
import pytest

from lango_nb import Lab
from lango_nb.core.clock import SteppedClock
from lango_nb.core.ids import CountedIds
from lango_nb.widgets.learning import LearningPanel
from tests.unit.widgets.test_as_live import of_kind


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """A lab whose reader stumbled three times over a file that is not there."""
    made = Lab(workspace=tmp_path, approver="allow", clock=SteppedClock(), ids=CountedIds())
    made.open_genome(tmp_path / "genome")
    for _ in range(3):
        made.ask("read ledger.csv")
    return made


def buttons(panel: LearningPanel) -> dict[str, ipywidgets.Button]:
    return {button.description: button for button in of_kind(panel.widget, ipywidgets.Button)}


def page(panel: LearningPanel) -> str:
    return "".join(page.value for page in of_kind(panel.widget, ipywidgets.HTML))


def test_a_card_shows_what_would_change_and_accept_makes_it(lab: Lab) -> None:
    panel = lab.genome.learn().panel()
    assert "m-new" in page(panel)
    assert list(buttons(panel)) == ["Accept", "Refuse"]
    assert not lab.genome.memories
    buttons(panel)["Accept"].click()
    assert [memory.source for memory in lab.genome.memories] == ["learn"]
    assert buttons(panel) == {}
    assert "pending" in page(panel)


def test_a_click_counts_on_a_card_that_was_shown_anew_meanwhile(lab: Lab) -> None:
    panel = lab.genome.learn().panel()
    button = buttons(panel)["Accept"]
    panel.widget.set_trait("_view_count", 1)
    assert panel._timer is None, "nothing has changed since it was made"
    panel.refresh()
    assert buttons(panel)["Accept"] is button
    assert button.comm is not None
    button.click()
    assert len(lab.genome.memories) == 1


def test_refuse_leaves_everything_as_it_is(lab: Lab) -> None:
    panel = lab.genome.learn().panel()
    buttons(panel)["Refuse"].click()
    assert not lab.genome.memories
    assert "refused: 1" in page(panel)


def test_what_was_decided_elsewhere_meanwhile_is_said_and_not_done_again(lab: Lab) -> None:
    panel = lab.genome.learn().panel()
    button = buttons(panel)["Accept"]
    lab.genome.proposals.refuse(1)
    button.click()
    assert "proposal 1 is refused already" in page(panel)
    assert not lab.genome.memories


def test_without_widgets_the_cards_are_text(lab: Lab) -> None:
    shown = str(lab.genome.learn().panel()._repr_mimebundle_()["text/plain"])
    assert "proposal 1" in shown
    assert "Accept" not in shown
