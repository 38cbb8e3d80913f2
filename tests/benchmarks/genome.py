"""What a genome costs: opening one of a thousand agents, a commit, a commit after ten thousand others.

Times of commits are the processor's, so that the wait for the disk is not in them: each forces ten small files and
folders to the disk, see ``fsync`` for what one of those takes.
"""

from __future__ import annotations

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
    from lango_nb.specs.genome.genome import Genome

AGENTS = 1000
FEW_AGENTS = 20
COMMITS = 10_000
SAMPLES = 40


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
    from lango_nb.specs.genome.working_tree import agent_path

    genome = _genome(FEW_AGENTS)
    early = _commit_ms(genome)
    path = agent_path("agent-0001")
    text = (genome.folder / path).read_bytes()
    with _in_memory_only(), genome._repository.lock:  # the files beside it stay as they are until the last
        for number in range(COMMITS):
            genome._repository.commit({path: text + b"# %d\n" % number}, f"genome: number {number}")
        genome._repository.commit({path: text}, "genome: as before")
    genome.refresh()
    return _commit_ms(genome) / early


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

    kept = tempfile.TemporaryDirectory(dir=Path(__file__).parents[2], prefix=".bench-")
    _kept.append(kept)
    shipped = Path(kept.name) / "shipped"
    shipped.mkdir()
    for number in range(agents):
        name = f"agent-{number:04}" if number else "root"
        text = f"name: {name}\ndescription: Does the things that agent number {number} does\nmodel: fast\n"
        text += "capabilities: [read_file, grep, glob]\ntags: [one, two]\nsystem_prompt: |\n"
        text += f"  You are {name}. Say what is there.\n\n  - Look first.\n  - Then answer in a sentence.\n"
        (shipped / f"{name}.yaml").write_text(text)
    with _in_memory_only():
        return Genome.open_or_init(Path(kept.name) / "genome", shipped)


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
