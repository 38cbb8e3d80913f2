"""What a genome costs: opening one of a thousand agents, a commit, a long history, a turn that is delegated in it.

Times of commits are the processor's, so that the wait for the disk is not in them: each forces ten small files and
folders to the disk, see ``fsync`` for what one of those takes.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lango_nb.engine import Engine
    from lango_nb.specs.genome.genome import Genome
    from tests.benchmarks.scenario import Probe

AGENTS = 1000
FEW_AGENTS = 20
COMMITS, SOME_COMMITS = 10_000, 2_000
SAMPLES = 40
TURNS, WARM = 300, 20


def open_many() -> Callable[[], object]:
    """Open a genome of a thousand agents."""
    from lango_nb.specs.genome.genome import Genome

    folder = _many().folder
    return lambda: Genome.open(folder)


def look_at_many() -> Callable[[], object]:
    """Look whether anybody has changed one of a thousand agents, when nobody has."""
    return _many().refresh


def commit_in_many() -> float:
    """Commit a change of one of a thousand agents; processor time in milliseconds."""
    return _commit_ms(_many())


def commit_late() -> float:
    """Commit after ten thousand commits; the processor time over that after ten."""

    early = _commit_ms(_genome(FEW_AGENTS))
    return _commit_ms(_with_commits(FEW_AGENTS, COMMITS)) / early


@cache
def _with_commits(agents: int, commits: int) -> Genome:
    """Make a genome with a long history."""
    from lango_nb.specs.genome.working_tree import agent_path

    genome = _many() if agents == AGENTS else _genome(agents)
    path = agent_path("agent-0001")
    text = (genome.folder / path).read_bytes()
    with _in_memory_only(), genome._repository.lock:  # the files beside it stay as they are until the last
        for number in range(commits):
            genome._repository.commit({path: text + b"# %d\n" % number}, f"genome: number {number}")
        genome._repository.commit({path: text}, "genome: as before")
    genome.refresh()
    return genome


def list_history() -> float:
    """List ten thousand commits; processor time in seconds."""
    from lango_nb.specs.genome.genome import Genome

    genome = Genome.open(_with_commits(FEW_AGENTS, COMMITS).folder)
    began = time.process_time()
    found = len(genome.history(0))
    took_s = time.process_time() - began
    if found <= COMMITS:
        raise AssertionError(f"{found} commits are listed")
    return took_s


def commit_size() -> float:
    """Return what one of many commits among a thousand agents takes on the disk, in kB."""
    before = _size(_many().folder)
    genome = _with_commits(AGENTS, SOME_COMMITS)
    return (_size(genome.folder) - before) / SOME_COMMITS / 1000


def _size(folder: Path) -> int:
    return sum(one.stat().st_size for one in (folder / ".git").rglob("*") if one.is_file())


def delegated_turn(*, is_kept: bool) -> float:
    """Run delegated turns and hand-off turns; processor time of the one over that of the other.

    Parameters
    ----------
    is_kept : bool
        Whether the agents are kept in a genome: their files are looked at before each turn, and how they fared is
        written down after it.
    """
    from tests.benchmarks.scenario import DELEGATE, Probe, make_engine

    handing, delegating = Probe(), Probe("delegate")
    pairs = [(handing, make_engine(handing)), (delegating, (_engine if is_kept else make_engine)(delegating))]

    async def measure() -> float:
        samples: list[list[float]] = [[], []]
        for number in range(TURNS + WARM):
            for (probe, engine), took in zip(pairs, samples, strict=True):
                probe.start("delegate")
                began = time.process_time()
                trace = await engine.run(DELEGATE, f"session-{number}")
                took.append(time.process_time() - began)
                probe.check(trace)
        handed, delegated = (statistics.median(took[WARM:]) for took in samples)
        return delegated / handed

    return asyncio.run(measure())


def book_turn() -> float:
    """Note how the agents of a delegated turn fared, after hundreds of others; processor time in milliseconds."""
    from tests.benchmarks.scenario import DELEGATE, Probe

    probe = Probe("delegate")
    engine = _engine(probe)

    async def measure() -> float:
        for number in range(TURNS):
            probe.start("delegate")
            trace = await engine.run(DELEGATE, f"session-{number}")
        samples = []
        for _ in range(SAMPLES):
            began = time.process_time()
            engine._book(trace)
            samples.append(time.process_time() - began)
        return statistics.median(samples) * 1000

    return asyncio.run(measure())


def _engine(probe: Probe) -> Engine:
    """Put an engine together whose eight specialists are agents of a genome."""
    from lango_nb.engine import Engine
    from lango_nb.specs.genome.genome import Genome
    from tests.benchmarks.scenario import SPECIALISTS, make_tools

    tools = make_tools(probe)
    shipped = _folder() / "shipped"
    shipped.mkdir()
    for name, names in (
        ("root", SPECIALISTS),
        *((one, [tool.name for tool in tools if tool.name.startswith(f"{one}_")]) for one in SPECIALISTS),
    ):
        text = f"name: {name}\ndescription: Does everything about {name}.\nmodel: fast\n"
        text += f"capabilities: [{', '.join(names)}]\nconstraints: {{can_spawn: {str(name == 'root').lower()}}}\n"
        (shipped / f"{name}.yaml").write_text(f"{text}system_prompt: You are {name}. Answer in one sentence.\n")
    engine = Engine(topology="genome", tools=tools, model=probe)
    engine.use_genome(Genome.open_or_init(shipped.parent / "genome", shipped))
    return engine


def _commit_ms(genome: Genome) -> float:
    spec = genome.get_agent("agent-0002")
    if spec is None:
        raise AssertionError("the genome lacks an agent")
    samples = []
    for number in range(SAMPLES):
        new = spec.with_changes(instruction=f"You are number {number} of {time.monotonic_ns()}.")
        began = time.process_time()
        genome.update_agent(new)
        samples.append((time.process_time() - began) * 1000)
    return statistics.median(samples)


@cache
def _many() -> Genome:
    return _genome(AGENTS)


def _genome(agents: int) -> Genome:
    from lango_nb.specs.genome.genome import Genome

    folder = _folder()
    shipped = folder / "shipped"
    shipped.mkdir()
    for number in range(agents):
        name = f"agent-{number:04}" if number else "root"
        text = f"name: {name}\ndescription: Does the things that agent number {number} does\nmodel: fast\n"
        text += "capabilities: [read_file, grep, glob]\ntags: [one, two]\nsystem_prompt: |\n"
        text += f"  You are {name}. Say what is there.\n\n  - Look first.\n  - Then answer in a sentence.\n"
        (shipped / f"{name}.yaml").write_text(text)
    with _in_memory_only():
        return Genome.open_or_init(folder / "genome", shipped)


def _folder() -> Path:
    kept = tempfile.TemporaryDirectory(dir=Path(__file__).parents[2], prefix=".bench-")
    _kept.append(kept)
    return Path(kept.name)


_kept: list[tempfile.TemporaryDirectory[str]] = []
"""Folders that go away with the process."""


@contextmanager
def _in_memory_only() -> Iterator[None]:
    """Prepare without waiting for the disk."""
    fsync = os.fsync
    os.fsync = lambda descriptor: None  # type: ignore[assignment]
    try:
        yield
    finally:
        os.fsync = fsync
