"""Folders of agents that lie, and genomes that were left half done: one clear line, nothing made, nothing lost."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lango_nb import AgentSpec, Lab
from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import DefinitionError, RefusedError
from lango_nb.specs.genome.genome import Genome
from tests.scenarios.test_004_genome import BOOTSTRAP

WHOLE = "name: {}\ndescription: Does x\nmodel: fast\nsystem_prompt: You do x.\n"
BOMB = "a: &a [x, x, x]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b]\n"
TAG = "tags: !!python/object/apply:os.system ['touch pwned']\n"


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the agents that come along, in a folder where nothing else is."""
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "shipped"
    shutil.copytree(BOOTSTRAP, place)
    return place


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.yaml", "", "a.yaml:1: name: is missing"),
        ("a.yaml", "# nothing\n", "a.yaml:1: name: is missing"),
        ("a.yaml", "- x\n- y\n", "a.yaml:1: file: has to be lines of 'key: value', not a list"),
        ("a.yaml", "hello", "a.yaml:1: file: has to be lines"),
        ("a.yaml", WHOLE.format("x") + "capabilities: 5\n", "a.yaml:5: capabilities: has to be a list, not 5"),
        ("a.yaml", WHOLE.format("x") + "capabilities: [[a]]\n", "a.yaml:5: capabilities"),
        ("a.yaml", WHOLE.format("x") + "constraints: [1]\n", "a.yaml:5: constraints: has to be a mapping"),
        ("a.yaml", WHOLE.format("x") + "constraints:\n  max_turns: many\n", "a.yaml:6: constraints.max_turns"),
        ("a.yaml", WHOLE.format("x") + "constraints: {can_spawn: 1}\n", "a.yaml:5: constraints.can_spawn"),
        ("a.yaml", WHOLE.format("[x]"), "a.yaml:1: name: has to be text, not a list"),
        ("a.yaml", WHOLE.format("x") + "version: 0\n", "a.yaml:5: version: has to be 1 or more"),
        ("a.yaml", WHOLE.format("x") + "name: y\n", "a.yaml:5: name: stands here and in line 1"),
        ("a.yaml", WHOLE.format("reader"), "reader.yaml: name: 'reader' is taken by shipped/a.yaml"),
        ("a.yml", WHOLE.format("READER"), "reader.yaml: name: 'reader' is taken by shipped/a.yml"),
        ("a.yaml", WHOLE.format("../x"), "a.yaml:1: name: '../x' is not a name"),
        ("a.yaml", WHOLE.format("a/b"), "a.yaml:1: name: 'a/b' is not a name"),
        ("a.yaml", WHOLE.format("/etc/x"), "a.yaml:1: name: '/etc/x' is not a name"),
        ("a.yaml", WHOLE.format("'..'"), "a.yaml:1: name: '..' is not a name"),
        ("a.yaml", WHOLE.format("'a\\b'"), "is not a name"),
        ("a.yaml", WHOLE.format("x" * 70), "is not a name"),
        ("a.yaml", WHOLE.format("read_file"), "a.yaml: name: 'read_file' means something else here"),
        ("a.yaml", WHOLE.format("delegate"), "a.yaml: name: 'delegate' means something else here"),
        ("a.yaml", BOMB, "a.yaml:1: a: the anchor &a is not read here"),
        ("a.yaml", WHOLE.format("x") + TAG, "a.yaml:5: tags: the tag"),
        ("a.yaml", WHOLE.format("x") + "tags: " + "[" * 5000 + "]" * 5000, "is nested more than 20 levels deep"),
        ("a.yaml", WHOLE.format("x") + "note: " + "a" * 2_000_000, "at most 1,000,000 are read"),
        ("a.yaml", WHOLE.format("x") + "\0", "holds the character U+0000"),
        ("a.yaml", b"name: caf\xe9\n", "a.yaml:1: file: byte 0xe9 is not UTF-8"),
    ],
)
def test_a_file_that_lies_is_one_line_and_nothing_is_made(
    name: str, text: str | bytes, said: str, shipped: Path, tmp_path: Path
) -> None:
    (shipped / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    lab = Lab(workspace=tmp_path)
    with pytest.raises(DefinitionError) as error:
        lab.open_genome(tmp_path / "genome", shipped)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "genome").exists()
    assert not (tmp_path / "pwned").exists()
    assert lab.topology == "octet"
    good = lab.open_genome(tmp_path / "genome")
    with pytest.raises(DefinitionError):
        good.sync(shipped)
    assert len(good.log()) == 2, "a sync of it changes nothing either"


def test_agents_that_may_call_each_other_are_drawn_and_asked(shipped: Path, tmp_path: Path) -> None:
    for name, other in (("ping", "pong"), ("pong", "ping")):
        (shipped / f"{name}.yaml").write_text(WHOLE.format(name) + f"capabilities: [{other}, {name}, root]\n")
    root = (shipped / "root.yaml").read_text().replace("note-keeper]", "note-keeper, ping, root]")
    (shipped / "root.yaml").write_text(root)
    (tmp_path / "notes.md").write_text("one\n")
    lab = Lab(workspace=tmp_path, approver="allow")
    view = lab.open_genome(tmp_path / "genome", shipped)
    assert "[depth 2] [below ping]" in view.text
    assert "root" not in lab.tree.record.root.delegates
    assert lab.ask("count the lines of notes.md").answer == "notes.md has 1 line."


def test_a_thousand_agents_are_opened_shown_and_asked(shipped: Path, tmp_path: Path) -> None:
    for number in range(1000):
        (shipped / f"agent-{number}.yaml").write_text(WHOLE.format(f"agent-{number}"))
    (tmp_path / "notes.md").write_text("one\n")
    lab = Lab(workspace=tmp_path, approver="allow")
    view = lab.open_genome(tmp_path / "genome", shipped)
    assert len(view.agents) == len(view.df) == 1006
    assert "and 945 more agents" in view.text
    assert len(view.html) < 200_000
    assert lab.ask("count the lines of notes.md").answer == "notes.md has 1 line."


def test_inside_another_repository_it_is_one_of_its_own(tmp_path: Path) -> None:
    run = [shutil.which("git") or "", "-C", str(tmp_path)]
    if not run[0]:
        pytest.skip("git is not installed")
    subprocess.run([*run, "init", "-q"], check=True)
    Lab(workspace=tmp_path).open_genome(tmp_path / "genome")
    outer = subprocess.run([*run, "rev-list", "--all"], check=True, capture_output=True, text=True)
    assert outer.stdout == ""
    assert len(Genome.open(tmp_path / "genome").history(0)) == 2


def test_a_half_written_file_does_not_keep_a_genome_from_opening(tmp_path: Path) -> None:
    Lab(workspace=tmp_path).open_genome(tmp_path / "genome")
    place = tmp_path / "genome" / "agents" / "reader.yaml"
    place.write_text("name: reader\ndescr")
    (tmp_path / "genome" / "agents" / "stray.tmp").write_text("x")
    view = Lab(workspace=tmp_path).open_genome(tmp_path / "genome")
    assert "system_prompt" in place.read_text()
    assert ".state/set-aside/reader-1.yaml" in " ".join(view.text.split())
    assert "descr" in (tmp_path / "genome" / ".state" / "set-aside" / "reader-1.yaml").read_text()


WRITER = """import sys
from lango_nb import AgentSpec, Lab
lab = Lab()
lab.open_genome(sys.argv[1])
for number in range(10):
    spec = AgentSpec(name=f"{sys.argv[2]}-{number}", description="New", model="fast", instruction="You help.")
    lab.genome.add(spec, "root")
"""


def test_two_kernels_that_commit_at_once_lose_nothing(tmp_path: Path) -> None:
    lab = Lab(workspace=tmp_path)
    lab.open_genome(tmp_path / "genome")
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path / "genome"), name], cwd=tmp_path)
        for name in ("one", "two")
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    names = {f"{kernel}-{number}" for kernel in ("one", "two") for number in range(10)}
    assert names <= {agent.name for agent in lab.genome.agents}
    lab.ask("hello")
    assert names <= set(lab.tree.record.root.delegates)


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda lab, first: lab.genome.rollback(first), "has changed since"),
        (lambda lab, _first: lab.genome.remove("root"), "cannot be removed"),
        (lambda lab, _first: lab.genome.remove("reader"), "is used by root"),
        (lambda lab, _first: lab.genome.update(lab.genome.agents[-2].with_changes(name="root")), "is not rewritten"),
    ],
)
def test_what_would_break_it_is_refused_and_changes_nothing(
    act: Callable[[Lab, str], object], said: str, tmp_path: Path
) -> None:
    lab = Lab(workspace=tmp_path, clock=SteppedClock())
    lab.open_genome(tmp_path / "genome")
    first = lab.genome.log().record[0].id
    lab.genome.add(AgentSpec(name="poet", description="Writes", model="fast", instruction="You write."), "root")
    before = lab.genome.log().record, lab.tree.names
    with pytest.raises(RefusedError, match=said):
        act(lab, first)
    assert (lab.genome.log().record, lab.tree.names) == before
