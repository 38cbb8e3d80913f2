"""Several processes and threads at one genome, and a process that ends between any two of its steps."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lango_nb.core.errors import StoreError
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.genome.genome import Genome

Make = Callable[..., AgentSpec]


def test_anothers_change_is_seen_at_the_next_look(genome: Genome, folder: Path, agent: Make) -> None:
    other = Genome.open(folder)
    generation = genome.generation
    other.add_agent(agent("tailor"), parent="root")
    other.add_memory("Thread comes in colours")
    assert genome.get_agent("tailor") is None
    assert genome.refresh()
    assert genome.generation > generation
    assert genome.all_agents() == other.all_agents()
    assert genome.memories == other.memories
    assert genome.findings == ()
    other.remove_agent("tailor", force=True)
    genome.add_rule("cloth", "reader")
    assert genome.get_agent("tailor") is None
    assert not genome.refresh()


_WRITER = """
import sys
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.genome.genome import Genome
genome = Genome.open(sys.argv[1])
for number in range(10):
    name = f"{sys.argv[2]}-{number}"
    spec = AgentSpec(name=name, description="One of many", model="fast", instruction="You help.")
    genome.add_agent(spec, parent="root")
    genome.add_memory(f"Remember {name}")
"""


_COUNTER = """
import sys
from lango_nb.specs.genome.genome import Genome
from lango_nb.specs.genome.metrics import Action, Stumble
genome = Genome.open(sys.argv[1])
for _ in range(300):
    genome.record(Action(sys.argv[2]), Stumble(sys.argv[2], "error"))
"""


def test_processes_that_note_how_agents_fared_at_once_lose_nothing(genome: Genome, folder: Path) -> None:
    names = ("reader", "editor", "root")
    counters = [subprocess.Popen([sys.executable, "-c", _COUNTER, str(folder), name]) for name in names]
    assert [counter.wait(timeout=120) for counter in counters] == [0, 0, 0]
    counts = [genome.metrics.count(kind, name) for name in names for kind in ("action", "stumble")]
    assert (counts, genome.metrics.unreadable) == ([300] * 6, 0)


def test_two_processes_that_commit_at_once_lose_nothing(genome: Genome, folder: Path, git: Callable[..., str]) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", _WRITER, str(folder), name]) for name in ("one", "two")]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0]
    genome.refresh()
    names = {f"{writer}-{number}" for writer in ("one", "two") for number in range(10)}
    root = genome.get_agent("root")
    assert root is not None
    assert {spec.name for spec in genome.all_agents()} == {*names, "root", "reader", "editor"}
    assert {*root.delegates} == {*names, "reader", "editor"}
    assert {one.content for one in genome.memories} == {f"Remember {name}" for name in names}
    assert len(genome.history(0)) == 2 + 40
    assert git("fsck", "--strict") == ""
    assert git("status", "--porcelain") == ""


def test_threads_share_one_genome(genome: Genome, folder: Path, agent: Make) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: genome.add_agent(agent(f"agent-{number}"), parent="root"), range(12)))
    root = Genome.open(folder).get_agent("root")
    assert root is not None
    assert len(root.delegates) == 14
    assert genome.get_agent("root") == root


_STEPS = """
import os, shutil, sys
from pathlib import Path
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.genome.genome import Genome
import dulwich.index, dulwich.object_store, yaml
folder, act = Path(sys.argv[1]), sys.argv[2]
left = -1
def step(event, arguments):
    global left
    writes = event in ("os.rename", "os.remove", "os.mkdir", "os.chmod", "os.link") or (
        event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    )
    if writes and left >= 0:
        left -= 1
        if left < 0:
            os._exit(9)
sys.addaudithook(step)
def change(genome, number):
    global left
    left = number
    if act == "add":
        spec = AgentSpec(name="tailor", description="Sews", model="fast", instruction="You sew.")
        genome.add_agent(spec, parent="root")
    elif act == "remove":
        genome.remove_agent("reader", force=True)
    else:
        genome.rollback("HEAD")
    os._exit(0)
for number in range(0, 200, int(sys.argv[3])):
    place = folder.with_name(f"copy-{number:03}")
    shutil.copytree(folder, place, symlinks=True)
    pid = os.fork()
    if not pid:
        genome = Genome.open(place)
        genome.commit()
        change(genome, number)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code != 9:
        sys.exit(code)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked; needs a POSIX system")
@pytest.mark.parametrize(
    ("act", "stride"),
    [("add", 3), *(pytest.param(act, 1, marks=pytest.mark.slow) for act in ("add", "remove", "rollback"))],
)
def test_a_process_may_end_between_any_two_steps_of_a_change(
    genome: Genome, folder: Path, act: str, stride: int, git: Callable[..., str]
) -> None:
    """Each write, rename and removal is where one process ends; then all of the change is there, or nothing."""
    genome.add_memory("Thread comes in colours")
    subprocess.run([sys.executable, "-c", _STEPS, str(folder), act, str(stride)], check=True)
    outcomes = []
    after = {"add": ["editor", "reader", "root", "tailor"], "remove": ["editor", "root"]}
    for place in sorted(folder.parent.glob("copy-*")):
        opened = Genome.open(place)
        assert opened.findings == ()
        assert not opened.refresh()
        is_done = len(opened.history()) == 4
        root = opened.get_agent("root")
        assert root is not None
        expected = after.get(act) if is_done else None
        assert [spec.name for spec in opened.all_agents()] == (expected or ["editor", "reader", "root"])
        assert ("tailor" in root.delegates, "reader" not in root.delegates) == (
            is_done and act == "add",
            is_done and act == "remove",
        )
        assert len(opened.memories) == (not is_done or act != "rollback")
        said = subprocess.run(["git", "-C", str(place), "status", "--porcelain"], capture_output=True, check=True)
        assert said.stdout == b""
        outcomes.append(is_done)
        if is_done or len(outcomes) % 8 == 0:
            opened.add_rule("cloth", "reader")
    assert outcomes == sorted(outcomes)
    assert outcomes.count(False) * stride > 8
    assert outcomes.count(True) * stride > 4


@pytest.mark.skipif(sys.platform != "linux", reason="names of open files are asked of the system")
def test_all_that_a_change_needs_is_on_the_disk_before_the_branch_moves(
    genome: Genome, folder: Path, monkeypatch: pytest.MonkeyPatch, agent: Make
) -> None:
    """A machine that loses its power right after the call loses nothing of it."""
    synced: list[str] = []
    fsync = os.fsync

    def watch(descriptor: int) -> None:
        synced.append(str(os.stat(descriptor).st_ino))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", watch)
    before = {path for path in (folder / ".git" / "objects").rglob("*") if path.is_file()}
    genome.add_agent(agent("tailor"), parent="root")
    monkeypatch.undo()
    branch = folder / ".git" / "refs" / "heads" / "main"
    objects = {path for path in (folder / ".git" / "objects").rglob("*") if path.is_file()} - before
    assert len(objects) == 5
    needed = {str(path.stat().st_ino) for path in objects | {path.parent for path in objects}}
    moved = synced.index(str(branch.stat().st_ino))
    assert needed <= set(synced[:moved])
    assert str(branch.parent.stat().st_ino) in synced[moved:]


def test_a_lock_of_git_is_waited_for_and_then_said(
    genome: Genome, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lango_nb.specs.genome.refs._TIMEOUT_S", 0.05)
    lock = folder / ".git" / "refs" / "heads" / "main.lock"
    lock.write_text("0" * 40)
    with pytest.raises(StoreError, match=r"is locked by git; wait for it, or remove \.git/refs/heads/main\.lock"):
        genome.add_memory("Thread comes in colours")
    assert genome.memories == ()
    lock.unlink()
    genome.add_memory("Thread comes in colours")
    assert len(Genome.open(folder).memories) == 1


def test_an_index_that_git_holds_is_brought_up_to_date_later(
    genome: Genome, folder: Path, git: Callable[..., str]
) -> None:
    lock = folder / ".git" / "index.lock"
    lock.write_text("x")
    genome.add_memory("Thread comes in colours")
    lock.unlink()
    genome.add_rule("cloth", "reader")
    assert git("status", "--porcelain") == ""


def test_what_people_have_staged_stays_staged(genome: Genome, folder: Path, git: Callable[..., str]) -> None:
    (folder / "notes.md").write_text("Mine\n")
    git("add", "notes.md")
    genome.add_memory("Thread comes in colours")
    assert git("status", "--porcelain") == "A  notes.md\n"
    assert genome.commit().files == ("memories/memories.jsonl",)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a POSIX system")
def test_a_lock_ends_with_its_process(genome: Genome, folder: Path) -> None:
    code = "import os, sys, lango_nb.specs.genome.genome as g\n"
    code += "with g.Genome.open(sys.argv[1])._changing():\n    os._exit(9)\n"
    subprocess.run([sys.executable, "-c", code, str(folder)], check=False)
    began = time.monotonic()
    genome.add_memory("Thread comes in colours")
    assert time.monotonic() - began < 5
