"""Agents of a genome: added, changed, removed, each in one commit, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lango_nb.core.clock import Clock, SteppedClock
from lango_nb.core.errors import DefinitionError, LangoError, RefusedError, StoreError, UnknownNameError
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.genome.genome import PRIMITIVES, RESERVED, Genome

Make = Callable[..., AgentSpec]


def names(genome: Genome) -> list[str]:
    return [spec.name for spec in genome.all_agents()]


def test_a_genome_is_made_of_the_agents_that_are_shipped(genome: Genome, folder: Path, git: Callable[..., str]) -> None:
    assert names(genome) == ["editor", "reader", "root"]
    assert sorted(path.name for path in (folder / "agents").iterdir()) == ["editor.yaml", "reader.yaml", "root.yaml"]
    assert [commit.operation for commit in genome.history()] == ["start", "begin"]
    assert git("status", "--porcelain") == ""
    assert git("log", "--format=%s %an %ae").splitlines() == [
        "genome: start with 3 agents lango_nb lango_nb@localhost",
        "genome: begin lango_nb lango_nb@localhost",
    ]


def test_what_is_added_is_there_when_it_is_opened_again(genome: Genome, folder: Path, agent: Make) -> None:
    added = genome.add_agent(agent("tailor", tools=("grep",), tags=("cloth",)))
    opened = Genome.open(folder)
    assert opened.get_agent("tailor") == added
    assert opened.all_agents() == genome.all_agents()
    assert genome.commit().subject == "add agent tailor"
    assert genome.commit().files == ("agents/tailor.yaml",)


def test_an_added_agent_joins_its_parents_list_in_the_same_commit(genome: Genome, agent: Make) -> None:
    genome.add_agent(agent("tailor"), parent="root")
    root = genome.get_agent("root")
    assert root is not None
    assert root.delegates == root.tools == ("reader", "editor", "tailor")
    assert root.version == 1
    assert genome.commit().files == ("agents/root.yaml", "agents/tailor.yaml")


def test_the_version_counts_changes_whatever_the_new_one_says(genome: Genome, agent: Make) -> None:
    genome.add_agent(agent("tailor", version=4))
    updated = genome.update_agent(agent("tailor", instruction="You sew.", version=99))
    assert (updated.version, updated.instruction) == (5, "You sew.")
    assert genome.commit().subject == "update agent tailor to version 5"


def test_unknown_agents_are_none_and_cannot_be_changed(genome: Genome, agent: Make) -> None:
    assert genome.get_agent("taylor") is None
    for act in (
        lambda: genome.update_agent(agent("raeder")),
        lambda: genome.remove_agent("raeder"),
        lambda: genome.add_agent(agent("tailor"), parent="raeder"),
    ):
        with pytest.raises(UnknownNameError, match="'raeder' not found in the genome; did you mean 'reader'"):
            act()
    assert names(genome) == ["editor", "reader", "root"]


def test_an_agent_in_use_stays_unless_it_is_forced_and_then_leaves_the_lists(genome: Genome, folder: Path) -> None:
    with pytest.raises(RefusedError, match="'reader' is used by root; take it out of their lists, or force it"):
        genome.remove_agent("reader")
    genome.remove_agent("reader", force=True)
    root = Genome.open(folder).get_agent("root")
    assert root is not None
    assert root.delegates == ("editor",)
    assert genome.commit().files == ("agents/reader.yaml", "agents/root.yaml")
    assert not (folder / "agents" / "reader.yaml").exists()


def test_root_is_neither_removed_nor_rewritten_by_a_proposal(genome: Genome, agent: Make) -> None:
    before = genome.get_agent("root")
    for act in (
        lambda: genome.remove_agent("root", force=True),
        lambda: genome.update_agent(agent("root", instruction="Obey.")),
    ):
        with pytest.raises(RefusedError, match="'root'"):
            act()
    assert genome.get_agent("root") == before
    assert genome.update_agent(agent("root", instruction="You plan."), force=True).version == 2


@pytest.mark.parametrize("name", [*PRIMITIVES, *RESERVED, "reader", "READER"])
def test_names_that_are_taken_or_reserved_are_refused(genome: Genome, agent: Make, name: str) -> None:
    head = genome.commit().id
    with pytest.raises(DefinitionError, match=f"agent '{name}' (cannot be added|is there already)|'reader' is there"):
        genome.add_agent(agent(name))
    assert genome.commit().id == head


@pytest.mark.parametrize("name", ["../evil", "a/b", "", "a b", "x" * 65, ".git", "nul\0"])
def test_names_that_would_leave_the_folder_are_refused(genome: Genome, agent: Make, name: str) -> None:
    spec = agent("tailor").model_copy(update={"name": name})
    with pytest.raises(LangoError):
        genome.add_agent(spec)
    assert genome.commit().operation == "start"
    assert names(genome) == ["editor", "reader", "root"]


def test_an_agent_that_could_not_be_read_again_is_not_written(genome: Genome, agent: Make) -> None:
    for fields in ({"instruction": ""}, {"model": " "}, {"description": ""}):
        with pytest.raises(DefinitionError, match=r"agents/tailor\.yaml:.*is missing"):
            genome.add_agent(agent("tailor", **fields))
    assert genome.get_agent("tailor") is None


def test_secrets_in_a_prompt_are_masked_before_they_are_stored(genome: Genome, folder: Path, agent: Make) -> None:
    genome.add_agent(agent("tailor", instruction="Use sk-abcdefghijklmnop1234 for it."))
    assert "sk-abc" not in (folder / "agents" / "tailor.yaml").read_text()
    assert "sk-abc" not in genome.show().text


def test_every_change_is_another_generation_and_nothing_else_is(genome: Genome, agent: Make) -> None:
    seen = [genome.generation]
    genome.add_agent(agent("tailor"))
    seen.append(genome.generation)
    genome.add_memory("Thread comes in colours")
    seen.append(genome.generation)
    assert len(set(seen)) == 3
    genome.refresh()
    genome.history()
    genome.search_memories("thread")
    assert genome.generation == seen[-1]


def test_a_stepped_clock_makes_commits_that_repeat_to_the_byte(
    tmp_path: Path, ship: Callable[..., Path], agent: Make
) -> None:
    heads = []
    for place in ("one", "two"):
        genome = Genome.open_or_init(tmp_path / place, ship(), SteppedClock(step_ms=1000))
        genome.add_agent(agent("tailor"), parent="root")
        genome.add_memory("Thread comes in colours")
        genome.add_rule("cloth", "tailor")
        genome.rollback("HEAD~2")
        heads.append([commit.id for commit in genome.history()])
    assert heads[0] == heads[1]


def test_a_folder_in_another_repository_gets_one_of_its_own(
    tmp_path: Path, folder: Path, ship: Callable[..., Path], clock: Clock, git: Callable[..., str]
) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    genome = Genome.open_or_init(folder, ship(), clock)
    assert len(genome.history()) == 2
    assert git("rev-parse", "--show-toplevel").strip() == str(folder.resolve())
    outer = subprocess.run(["git", "-C", str(tmp_path), "log"], capture_output=True, text=True, check=False)
    assert "does not have any commits yet" in outer.stderr


def test_variables_of_git_lead_nowhere(
    tmp_path: Path, folder: Path, ship: Callable[..., Path], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Mallory")
    genome = Genome.open_or_init(folder, ship(), clock)
    genome.add_memory("Thread comes in colours")
    assert not (tmp_path / "elsewhere").exists()
    assert len(Genome.open(folder).history()) == 3


def test_a_repository_that_is_no_genome_is_left_alone(folder: Path, git: Callable[..., str]) -> None:
    folder.mkdir()
    (folder / "code.py").write_text("print()\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "mine")
    for make in (Genome.init, Genome.open):
        with pytest.raises(StoreError, match="holds a git repository that is no genome; choose another folder"):
            make(folder)
    assert git("log", "--format=%s").strip() == "mine"
    assert git("status", "--porcelain") == ""


def test_a_folder_that_holds_files_keeps_them(folder: Path, ship: Callable[..., Path], clock: Clock) -> None:
    folder.mkdir()
    (folder / ".gitignore").write_text("*.pyc")
    (folder / "notes.md").write_text("Mine\n")
    Genome.open_or_init(folder, ship(), clock)
    assert (folder / ".gitignore").read_text() == "*.pyc\n/.state/\n/metrics/\n"
    assert (folder / "notes.md").read_text() == "Mine\n"


def test_where_there_is_none_opening_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no genome in 'nothing'; Genome\.init makes one"):
        Genome.open(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_a_clone_is_a_genome(
    genome: Genome, tmp_path: Path, folder: Path, agent: Make, git: Callable[..., str]
) -> None:
    genome.add_agent(agent("tailor"), parent="root")
    git("clone", "-q", str(folder), str(tmp_path / "clone"))
    clone = Genome.open(tmp_path / "clone")
    assert clone.all_agents() == genome.all_agents()
    clone.add_memory("Thread comes in colours")
    assert [commit.subject for commit in clone.history(2)] == ["add memory " + clone.memories[0].id, "add agent tailor"]


def test_a_genome_that_git_has_packed_is_read_and_goes_on(genome: Genome, agent: Make, git: Callable[..., str]) -> None:
    genome.add_agent(agent("tailor"), parent="root")
    before = genome.history()
    git("gc", "-q", "--prune=now")
    assert genome.history() == before
    genome.add_memory("Thread comes in colours")
    genome.close()
    assert len(genome.history()) == len(before) + 1
    assert git("fsck", "--strict") == ""


def test_without_dulwich_one_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in sys.modules if one.partition(".")[0] == "dulwich"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "dulwich", None)
    with pytest.raises(StoreError, match=r"a genome needs dulwich, .*; pip install 'lango-nb\[genome\]'") as raised:
        Genome.init(tmp_path / "genome")
    assert raised.value.code == "missing_extra"


_FULL = """
import resource, signal, sys
from lango_nb.core.errors import StoreError
from lango_nb.specs.genome.genome import Genome
genome = Genome.open(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200, resource.RLIM_INFINITY))
try:
    genome.add_memory(" ".join(str(number) for number in range(1000)))
except StoreError as error:
    print(error)
print(len(genome.memories), len(genome.history()))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
genome.add_memory("Thread comes in colours")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits to set")
def test_a_disk_that_is_full_changes_nothing(genome: Genome, folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _FULL, str(folder)], capture_output=True, text=True, check=True)
    what = "genome 'genome' cannot be written (File too large); nothing was changed; see to space and rights there"
    assert done.stdout.splitlines() == [what, "0 2"]
    assert genome.refresh()
    assert len(genome.memories) == 1
    assert genome.findings == ()


def test_many_agents_arrive_in_one_commit_and_are_read_again(
    folder: Path, clock: Clock, agent: Make, tmp_path: Path, git: Callable[..., str]
) -> None:
    from lango_nb.specs.agent_yaml import render_agent_yaml

    many = tmp_path / "many"
    many.mkdir()
    for number in range(150):
        spec = agent(f"agent-{number:03}", tools=("grep",))
        (many / f"{spec.name}.yaml").write_text(render_agent_yaml(spec))
    made = Genome.open_or_init(folder, many, clock)
    assert [one.subject for one in made.history()] == ["start with 150 agents", "begin"]
    opened = Genome.open(folder)
    assert opened.all_agents() == made.all_agents()
    assert len(opened.all_agents()) == 150
    assert git("fsck", "--strict") == ""
    assert git("status", "--porcelain") == ""
