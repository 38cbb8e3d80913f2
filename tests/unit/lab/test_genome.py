"""A lab with a genome: made, looked at, changed, taken back, from Python and with ``%lango genome``."""

from __future__ import annotations

from pathlib import Path

import pytest

from lango_nb import AgentSpec, Lab
from lango_nb.commands.genome import genome as command
from lango_nb.commands.genome import genome_words
from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import DefinitionError, RefusedError, UnknownNameError, UsageError
from lango_nb.viz.view import View
from tests.unit.viz.test_views import read


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk" / "notes.md").write_text("one\ntwo\n")
    lab = Lab("octet", workspace=tmp_path / "desk", clock=SteppedClock(), approver="allow")
    lab.open_genome(tmp_path / "genes")
    return lab


def run(lab: Lab, *words: str, limit: int = 20) -> View[object]:
    """Carry out ``%lango genome WORDS``."""
    shown: View[object] = command.carry_out(lab, {"words": words, "limit": limit})
    return shown


POET = AgentSpec(
    name="poet", description="Writes poems", instruction="You are poet.", model="fast", tools=("read_file",)
)


def test_a_lab_without_a_genome_says_how_to_get_one() -> None:
    with pytest.raises(UsageError, match=r"no genome is open; %lango genome init FOLDER makes one"):
        _ = Lab("octet").genome


def test_a_genome_is_opened_and_its_topology_used(lab: Lab) -> None:
    assert lab.topology == "genome"
    shipped = ["root", "command-runner", "editor", "note-keeper", "reader", "web-reader"]
    assert lab.genome.df["agent"].tolist() == shipped
    assert lab.ask("count the lines of notes.md").path == ("root", "reader", "root")


def test_an_agent_is_added_below_a_parent_and_in_the_tree_at_once(lab: Lab) -> None:
    lab.genome.add(POET, "root")
    assert "poet" in lab.tree.record.root.delegates
    frame = lab.genome.df.set_index("agent")
    assert [frame.at["poet", name] for name in ("version", "tools", "listed_by")] == [1, "read_file", "root"]
    assert "poet" in str(frame.at["root", "delegates"])


def test_a_change_is_shown_and_taken_back_alone(lab: Lab) -> None:
    lab.genome.add(POET, "root")
    lab.genome.remember("poems are kept in poems.md")
    (added,) = [commit for commit in lab.genome.log().record if commit.name == "poet"]
    shown = lab.genome.diff(added.short_id)
    assert {(item.noun, item.name, item.action) for item in shown.record.items} == {
        ("agent", "poet", "added"),
        ("agent", "root", "changed"),
    }
    assert "+- poet" in shown.text
    lab.genome.rollback(added.short_id)
    assert "poet" not in lab.tree.names
    assert [memory.content for memory in lab.genome.memories] == ["poems are kept in poems.md"]
    assert lab.genome.log().df["operation"].tolist()[:3] == ["rollback", "add", "add"]


def test_what_may_not_be_done_changes_nothing(lab: Lab) -> None:
    before = lab.genome.log().record
    with pytest.raises(UnknownNameError, match="nobody"):
        lab.genome.add(POET, "nobody")
    with pytest.raises(DefinitionError):
        lab.genome.add(POET.with_changes(name="read_file"))
    with pytest.raises(RefusedError, match="is used by root"):
        lab.genome.remove("reader")
    with pytest.raises(UnknownNameError):
        lab.genome.rollback("1234567")
    assert lab.genome.log().record == before


def test_the_command_shows_lists_compares_and_takes_back(lab: Lab) -> None:
    lab.genome.add(POET, "root")
    assert "poet" in run(lab).text
    assert run(lab, "log", limit=1).df["name"].tolist() == ["poet"]
    assert "agent poet" in " ".join(read(run(lab, "diff").html).words)
    assert "agent poet" in run(lab, "rollback", "HEAD").text
    assert "nothing new" in run(lab, "sync").text
    assert set(genome_words(lab)) >= {"log", "rollback", lab.genome.log().record[0].short_id}


def test_the_command_refuses_what_it_does_not_know(lab: Lab) -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean 'log'"):
        run(lab, "lgo")
    with pytest.raises(UsageError, match="takes 2 words at most, not 3"):
        run(lab, "diff", "a", "b", "c")


def test_init_opens_the_genome_that_is_there(lab: Lab, tmp_path: Path) -> None:
    lab.genome.add(POET, "root")
    other = Lab("octet", workspace=tmp_path / "desk", clock=SteppedClock())
    run(other, "init", str(tmp_path / "genes"))
    assert "poet" in other.tree.names


def test_texts_of_a_genome_are_shown_and_do_nothing(lab: Lab) -> None:
    lab.genome.add(POET.with_changes(description="<script>alert(1)</script> **bold**"), "root")
    lab.genome.remember("<img src=x onerror=alert(1)>")
    for view in (lab.genome, lab.genome.log(), lab.genome.diff(), lab.tree):
        assert "<script" not in view.html
        assert "<img src=x" not in view.html


def test_a_model_that_a_file_names_is_not_asked_until_a_person_has_chosen_a_live_one(
    lab: Lab, caplog: pytest.LogCaptureFixture
) -> None:
    reader = next(one for one in lab.genome.agents if one.name == "reader")
    lab.genome.update(reader.with_changes(model="openai:gpt-5"))
    assert lab.ask("count the lines of notes.md").answer == "notes.md has 2 lines."
    assert "agent 'reader' names the model 'openai:gpt-5'; offline answers" in caplog.text
