"""The genome's panel: agents and who may call whom, cards, changes compared, a rollback after a question."""

from __future__ import annotations

from pathlib import Path

import ipywidgets
import pytest

from lango_nb import AgentSpec, Lab
from lango_nb.core.clock import SteppedClock
from lango_nb.core.ids import CountedIds
from lango_nb.specs.genome.genome import Genome
from lango_nb.widgets.genome import GenomePanel
from tests.unit.viz import samples
from tests.unit.viz.test_views import read
from tests.unit.widgets.test_as_live import of_kind
from tests.unit.widgets.test_listing import listed, shown

TIME_S = 60
POET = AgentSpec(name="poet", description="Writes poems", instruction="You are poet.", model="fast", tools=("grep",))


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """A lab whose genome has an agent and a memory of its own."""
    made = Lab(workspace=tmp_path, approver="allow", clock=SteppedClock(), ids=CountedIds())
    made.open_genome(tmp_path / "genome")
    made.genome.add(POET, "root")
    made.genome.remember("Ada has the key")
    return made


def press(panel: GenomePanel, label: str) -> None:
    next(one for one in of_kind(panel.widget, ipywidgets.Button) if one.description == label).click()


def labels(panel: GenomePanel) -> list[str]:
    return [one.description for one in of_kind(panel.widget, ipywidgets.Button)]


def choose(panel: GenomePanel, words: str) -> None:
    choice = listed(panel)
    choice.value = next(line for line in choice.options if words in line)


def text(panel: GenomePanel) -> str:
    return " ".join(" ".join(read(page.value).words) for page in of_kind(panel.widget, ipywidgets.HTML))


def test_without_a_genome_it_says_how_to_get_one_and_fills_as_soon_as_there_is_one(tmp_path: Path) -> None:
    lab = Lab(workspace=tmp_path)
    panel = lab.genome_panel()
    assert "%lango genome init FOLDER" in shown(panel)
    assert "%lango genome init FOLDER" in str(panel._repr_mimebundle_()["text/plain"])
    lab.open_genome(tmp_path / "genome")
    panel.on_shown()
    assert "web-reader" in shown(panel)


def test_agents_are_drawn_and_listed_with_who_may_call_whom(lab: Lab) -> None:
    lab.genome.add(POET.with_changes(name="critic"), "poet")
    poet = next(one for one in lab.genome.agents if one.name == "poet")
    spawning = poet.constraints.model_copy(update={"can_spawn": True, "max_depth": 3})
    lab.genome.update(poet.model_copy(update={"constraints": spawning}))
    plain = str(lab.genome_panel()._repr_mimebundle_()["text/plain"])
    table = plain[plain.index("may be called by") :]
    rows = {line.split()[0]: line.split() for line in table.splitlines() if line.split()[:1] in (["poet"], ["critic"])}
    assert rows["poet"] == ["poet", "2", "made", "here", "1", "critic", "root"]
    assert rows["critic"] == ["critic", "1", "made", "here", "2", "poet"]
    assert "[depth 2]" in plain


def test_a_click_on_a_change_shows_what_it_changed_and_another_is_compared_with_it(lab: Lab) -> None:
    panel = lab.genome_panel()
    choose(panel, "add agent poet")
    assert "+- poet" in text(panel)
    assert "Ada has the key" not in text(panel).split("what changed")[1]
    (since,) = of_kind(panel.widget, ipywidgets.Dropdown)
    since.value = next(line for line in since.options if "add memory" in line)
    assert "Ada has the key" in text(panel).split("what changed")[1], "the later one's text is the new one"
    assert "+- poet" not in text(panel), "both have it"
    other = lab.genome_panel()
    for key, value in panel.state.items():
        other.act(key, value)
    assert text(other) == text(panel), "code brings back what was chosen"
    choose(panel, "add memory")
    assert panel.since == ""


def test_changes_are_found_by_their_words(lab: Lab) -> None:
    panel = lab.genome_panel()
    panel.act("query", "poet")
    assert [line.split(maxsplit=1)[1] for line in listed(panel).options] == ["add agent poet"]


def test_a_change_is_rolled_back_after_a_question_and_not_before(lab: Lab) -> None:
    panel = lab.genome_panel()
    choose(panel, "add agent poet")
    press(panel, "Roll back …")
    assert "Roll back" in text(panel)
    assert "poet" in lab.tree.names
    press(panel, "Leave it")
    assert "Roll it back" not in labels(panel)
    assert "poet" in lab.tree.names
    press(panel, "Roll back …")
    press(panel, "Roll it back")
    assert "poet" not in lab.tree.names
    assert [memory.content for memory in lab.genome.memories] == ["Ada has the key"]
    assert "roll back" in (listed(panel).value or "")
    assert "is rolled back" in text(panel)


def test_another_choice_takes_the_question_back(lab: Lab) -> None:
    panel = lab.genome_panel()
    choose(panel, "add agent poet")
    press(panel, "Roll back …")
    choose(panel, "add memory")
    assert "Roll it back" not in labels(panel)


def test_a_rollback_that_conflicts_is_refused_in_one_line(lab: Lab) -> None:
    lab.genome.add(POET.with_changes(name="critic"), "poet")
    panel = lab.genome_panel()
    choose(panel, "start with")
    press(panel, "Roll back …")
    press(panel, "Roll it back")
    assert "agent 'root' has changed since" in panel.said
    assert panel.said in text(panel)
    assert len(lab.genome.agents) == 8


def test_stumbles_become_cards_and_what_is_accepted_is_the_latest_change(lab: Lab) -> None:
    for _ in range(3):
        lab.ask("read ledger.csv")
    panel = lab.genome_panel()
    press(panel, "Look for stumbles")
    panel.wait(TIME_S)
    card = next(one for one in of_kind(panel.widget, ipywidgets.Button) if one.description == "Accept")
    panel.refresh()
    assert card in of_kind(panel.widget, ipywidgets.Button), "a button stays that somebody is about to press"
    card.click()
    assert [memory.source for memory in lab.genome.memories] == ["user", "learn"]
    assert "add memory" in listed(panel).options[0]
    assert "Accept" not in labels(panel)


def test_what_another_kernel_changes_is_seen_at_the_next_look(lab: Lab, tmp_path: Path) -> None:
    panel = lab.genome_panel()
    assert panel.widget
    Genome.open(tmp_path / "genome").add_agent(POET.with_changes(name="critic"), "root")
    panel.on_shown()
    assert "add agent critic" in listed(panel).options[0]
    assert "critic" in text(panel)


def test_of_very_many_agents_some_are_drawn_and_the_rest_counted(lab: Lab, tmp_path: Path) -> None:
    place = tmp_path / "many"
    place.mkdir()
    for number in range(200):
        (place / f"a{number}.yaml").write_text(
            f"name: a{number}\ndescription: Does {number}\nmodel: fast\nsystem_prompt: You are {number}.\n"
        )
    lab.genome.sync(place)
    panel = lab.genome_panel()
    choose(panel, "sync")
    assert "and 147 more agents" in text(panel)
    assert "and 141 more things" in text(panel)
    assert len(text(panel)) < 120_000


def test_a_genome_that_is_damaged_meanwhile_is_said(lab: Lab, tmp_path: Path) -> None:
    panel = lab.genome_panel()
    assert panel.widget
    (tmp_path / "genome" / ".git" / "HEAD").write_text("nonsense")
    panel.act("query", "poet")
    assert "is on no branch" in shown(panel)


def test_its_texts_do_nothing(lab: Lab) -> None:
    hostile = samples.HOSTILE.encode("utf-8", "replace").decode()  # half a character is refused
    lab.genome.add(POET.with_changes(name="critic", description=hostile), "root")
    lab.genome.remember(hostile)
    panel = lab.genome_panel()
    choose(panel, "add memory")
    for page in of_kind(panel.widget, ipywidgets.HTML):
        read(page.value)
