"""Agents that are shipped: what is new arrives, what was changed here stays, what was removed here stays away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.errors import DefinitionError, UsageError
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.genome.genome import Genome
from lango_nb.specs.genome.sync import Sync

Make = Callable[..., AgentSpec]
Ship = Callable[..., Path]


def of(genome: Genome, name: str) -> AgentSpec:
    found = genome.get_agent(name)
    assert found is not None
    return found


def test_a_genome_that_has_agents_is_not_filled_again(genome: Genome, ship: Ship) -> None:
    with pytest.raises(UsageError, match="'genome' has 3 agents already"):
        genome.init_from_bootstrap(ship())


def test_nothing_new_makes_no_commit(genome: Genome, ship: Ship) -> None:
    head, generation = genome.commit(), genome.generation
    assert genome.sync_bootstrap(ship()) == Sync()
    assert not genome.sync_bootstrap(ship())
    assert (genome.commit(), genome.generation) == (head, generation)


def test_a_new_agent_arrives_and_joins_roots_list(genome: Genome, ship: Ship) -> None:
    lists = {"root": ["reader", "editor", "command-runner"], "command-runner": ["exec"]}
    sync = genome.sync_bootstrap(ship(lists))
    assert sync == Sync(added=("command-runner",), merged=("root",))
    assert of(genome, "root").delegates == ("reader", "editor", "command-runner")
    commit = genome.commit()
    assert (commit.operation, commit.subject) == ("sync", "sync: 1 added, 1 merged")
    assert commit.files == ("agents/command-runner.yaml", "agents/root.yaml", "bootstrap-manifest.json")


def test_a_shipped_fix_reaches_an_agent_that_nobody_has_changed(genome: Genome, ship: Ship) -> None:
    assert genome.sync_bootstrap(ship(reader="You read well.")) == Sync(updated=("reader",))
    assert of(genome, "reader").instruction == "You read well."
    assert genome.sync_bootstrap(ship(reader="You read very well.")) == Sync(updated=("reader",))


def test_a_fix_reaches_an_agent_whose_list_has_grown_and_the_list_stays(
    genome: Genome, ship: Ship, agent: Make
) -> None:
    genome.add_agent(agent("tailor"), parent="root")
    genome.add_agent(agent("index"), parent="reader")
    assert genome.sync_bootstrap(ship(root="You plan.", reader="You read well.")).updated == ("reader", "root")
    assert of(genome, "root").instruction == "You plan."
    assert of(genome, "root").delegates == ("reader", "editor", "tailor")
    assert of(genome, "reader").tools == ("read_file", "grep", "index")


def test_what_has_been_learned_is_never_overwritten(genome: Genome, ship: Ship, agent: Make) -> None:
    learned = genome.update_agent(of(genome, "reader").with_changes(instruction="You have learned to read."))
    for prompt in ("You read well.", "You read very well.", "You read best."):
        assert genome.sync_bootstrap(ship(reader=prompt)) == Sync(conflicts=("reader",))
        assert genome.sync_bootstrap(ship(reader=prompt)) == Sync()
        assert of(genome, "reader") == learned
    mine = genome.add_agent(agent("web-reader", instruction="Mine."))
    assert genome.sync_bootstrap(ship({"web-reader": ["fetch"]}, reader="You read best.")) == Sync()
    assert genome.sync_bootstrap(ship({"web-reader": ["fetch"]}, **{"web-reader": "Theirs."})).updated == ()
    assert of(genome, "web-reader") == mine


def test_where_an_agent_comes_from_is_told(genome: Genome, agent: Make, folder: Path) -> None:
    genome.add_agent(agent("tailor"), parent="root")
    genome.update_agent(of(genome, "reader").with_changes(instruction="You have learned to read."))
    origins = {spec.name: Genome.open(folder).origin(spec.name) for spec in genome.all_agents()}
    assert origins == {"editor": "shipped", "reader": "changed", "root": "shipped", "tailor": "own"}


def test_an_agent_is_untouched_again_when_what_was_learned_is_rolled_back(genome: Genome, ship: Ship) -> None:
    genome.update_agent(of(genome, "reader").with_changes(instruction="You have learned to read."))
    genome.rollback("HEAD")
    assert genome.sync_bootstrap(ship(reader="You read well.")) == Sync(updated=("reader",))


def test_an_agent_that_was_removed_here_does_not_come_back(genome: Genome, ship: Ship, folder: Path) -> None:
    genome.remove_agent("editor", force=True)
    steps: tuple[dict[str, Any], ...] = ({}, {"editor": "You edit well."}, {"without": ("editor",)}, {})
    for step in steps:
        opened = Genome.open_or_init(folder, ship(**step))
        assert opened.get_agent("editor") is None
        assert "editor" not in of(opened, "root").delegates


def test_names_that_are_shipped_no_longer_leave_roots_list_and_own_ones_stay(
    genome: Genome, ship: Ship, agent: Make
) -> None:
    genome.add_agent(agent("tailor"), parent="root")
    genome.update_agent(of(genome, "root").with_changes(instruction="You have learned to plan."), force=True)
    lists = {"root": ["reader", "web-reader"], "web-reader": ["fetch"]}
    sync = genome.sync_bootstrap(ship(lists, without=("editor",)))
    assert sync == Sync(added=("web-reader",), merged=("root",), conflicts=("root",))
    assert of(genome, "root").delegates == ("reader", "tailor", "web-reader")
    assert of(genome, "root").instruction == "You have learned to plan."
    assert genome.get_agent("editor") is not None


def test_a_name_that_was_taken_off_roots_list_here_stays_off(genome: Genome, ship: Ship) -> None:
    root = of(genome, "root")
    genome.update_agent(root.with_changes(tools=("reader",), delegates=("reader",)), force=True)
    genome.sync_bootstrap(ship({"root": ["reader", "editor", "web-reader"], "web-reader": ["fetch"]}))
    assert of(genome, "root").delegates == ("reader", "web-reader")


def test_a_sync_that_was_rolled_back_is_not_made_again(genome: Genome, ship: Ship, folder: Path) -> None:
    lists = {"root": ["reader", "editor", "command-runner"], "command-runner": ["exec"]}
    before = genome.all_agents()
    genome.sync_bootstrap(ship(lists))
    genome.rollback("HEAD")
    assert genome.all_agents() == before
    assert not genome.sync_bootstrap(ship(lists))
    assert Genome.open(folder).all_agents() == before


def test_hand_edits_count_as_changes_of_ones_own(genome: Genome, ship: Ship, folder: Path) -> None:
    path = folder / "agents" / "reader.yaml"
    path.write_text(path.read_text().replace("You are reader.", "By hand."))
    assert genome.sync_bootstrap(ship(reader="You read well.")) == Sync(conflicts=("reader",))
    assert of(genome, "reader").instruction == "By hand."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "new.yaml:1: name: is missing"),
        ("- a\n- b\n", "new.yaml:1: file: has to be lines of 'key: value', not a list"),
        ("name: reader\ndescription: x\nmodel: fast\nsystem_prompt: x\n", "name: 'reader' is taken by"),
        ("name: ../x\ndescription: x\nmodel: fast\nsystem_prompt: x\n", "'../x' is not a name"),
        (
            "name: new\ndescription: x\nmodel: fast\nsystem_prompt: x\ncapabilities: {a: 1}\n",
            "new.yaml:5: capabilities:",
        ),
        ("a: &a [x, x]\nb: &b [*a, *a]\n", "is not read here"),
        ("name: !!python/object:os.system x\n", "is not read here"),
    ],
)
def test_a_shipped_file_that_is_wrong_changes_nothing(genome: Genome, ship: Ship, text: str, said: str) -> None:
    shipped, head, before = ship(reader="You read well."), genome.commit(), genome.all_agents()
    (shipped / "new.yaml").write_text(text)
    with pytest.raises(DefinitionError) as raised:
        genome.sync_bootstrap(shipped)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert (genome.commit(), genome.all_agents()) == (head, before)


def test_a_folder_that_is_not_there_is_one_line(genome: Genome, tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="nowhere: cannot be read"):
        genome.sync_bootstrap(tmp_path / "nowhere")


def test_a_manifest_that_is_damaged_is_put_back(genome: Genome, ship: Ship, folder: Path) -> None:
    (folder / "bootstrap-manifest.json").write_text("{")
    opened = Genome.open(folder)
    assert [one.kind for one in opened.findings] == ["set_aside"]
    assert not opened.sync_bootstrap(ship())
