"""Kill a process that changes a genome, again and again, at random moments, and look whether anything is lost.

    python -m tests.endurance.genome --kills 200

A writer adds, changes and removes agents, memories and rules and rolls changes back; it says of every change when it is
done. After SIGKILL a reader opens the same genome and checks:

- it opens, and no file had to be set aside;
- every change that was said to be done is in the history, and at most one more;
- what is in use, the files and the newest commit are the same;
- git, where it is installed, finds nothing wrong with the repository and nothing that is not committed.

Only POSIX systems: writers are forked, so that a kill costs milliseconds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from lango_nb.core.errors import LangoError
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.agent_yaml import parse_agent_yaml
from lango_nb.specs.genome import packs
from lango_nb.specs.genome.genome import Genome

LONGEST_S = 0.3
"""How long a writer lives at most."""


def ship(folder: Path) -> Path:
    """Make a folder of agents that are shipped."""
    folder.mkdir()
    for name, capabilities in (("root", "[reader]"), ("reader", "[read_file, grep]")):
        text = f"name: {name}\ndescription: The {name}\nmodel: fast\ncapabilities: {capabilities}\n"
        (folder / f"{name}.yaml").write_text(f"{text}system_prompt: You are {name}.\n")
    return folder


def change(genome: Genome, chance: random.Random) -> None:
    """Make one change; one that is refused counts as none."""
    number = chance.randrange(10**6)
    learned = [one.name for one in genome.all_agents() if one.name.startswith("agent-")]
    acts: list[Callable[[], object]] = [
        lambda: genome.add_agent(
            AgentSpec(name=f"agent-{number}", description="New", model="fast", instruction="You help."), parent="root"
        ),
        lambda: genome.update_agent(
            genome.all_agents()[0].with_changes(instruction=f"You are number {number}."), force=True
        ),
        lambda: genome.add_memory(f"Number {number} is worth remembering"),
        lambda: genome.add_rule(f"requests about {number}", "reader", 0.5),
        lambda: genome.rollback(f"HEAD~{chance.randrange(4)}"),
        lambda: genome.remove_agent(chance.choice(learned), force=True) if learned else None,
    ]
    with suppress(LangoError):
        chance.choice(acts)()


def write(folder: Path, done: Path, seed: int) -> None:
    """Change a genome until the process is killed, and write down every commit that is done."""
    chance = random.Random(seed)
    packs._LOOSE, packs._PACKS = 60, 4  # so that kills meet packing
    with done.open("ab", buffering=0) as file:
        genome = Genome.open(folder)
        while True:
            change(genome, chance)
            file.write(genome.commit().id.encode() + b"\n")


def kill_one(folder: Path, done: Path, seed: int) -> None:
    """Let a writer run for a while, and kill it."""
    pid = os.fork()
    if not pid:
        try:
            write(folder, done, seed)
        finally:
            os._exit(1)
    time.sleep(random.Random(seed).uniform(0.01, LONGEST_S))
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if not os.WIFSIGNALED(status):
        raise AssertionError(f"the writer of seed {seed} ended by itself")


def look(folder: Path, done: Path, seen: list[str]) -> list[str]:
    """Say what is wrong with a genome after a kill; ``seen``: the commits before, renewed."""
    wrong = []
    genome = Genome.open(folder)
    wrong += [f"found: {one.what}" for one in genome.findings]
    commits = [one.id for one in genome.history(0)]
    said = list(dict.fromkeys(done.read_text().split())) if done.exists() else []
    lost = [one for one in said if one not in commits]
    if lost:
        wrong.append(f"{len(lost)} commits are lost: {lost[-1][:7]}")
    unsaid = set(commits) - set(said) - set(seen)
    if len(unsaid) > 1:
        wrong.append(f"{len(unsaid)} commits of one writer were never said to be done")
    seen[:] = commits
    on_disk = {one.stem: parse_agent_yaml(one.read_text()) for one in (folder / "agents").glob("*.yaml")}
    in_use = {one.name: one.with_changes(path="agent.yaml") for one in genome.all_agents()}
    if on_disk != in_use:
        wrong.append(f"files and what is in use differ: {sorted(on_disk.keys() ^ in_use.keys())}")
    if shutil.which("git"):
        for command in (["fsck", "--strict"], ["status", "--porcelain"]):
            ran = subprocess.run(["git", *command], cwd=folder, capture_output=True, text=True, check=False)
            said_by_git = [line for line in (ran.stdout + ran.stderr).splitlines() if not line.startswith("dangling")]
            if ran.returncode or said_by_git:
                wrong.append(f"git {command[0]}: {' | '.join(said_by_git)}")
    return wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill writers, and print what was found as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    place = Path(tempfile.mkdtemp())
    wrong: list[str] = []
    try:
        folder, done = place / "genome", place / "done"
        Genome.open_or_init(folder, ship(place / "shipped")).close()
        seen: list[str] = [one.id for one in Genome.open(folder).history(0)]
        for kill in range(given.kills):
            kill_one(folder, done, given.seed * 100_000 + kill)
            wrong += [f"kill {kill}: {one}" for one in look(folder, done, seen)]
        said = len(set(done.read_text().split())) if done.exists() else 0
        found = {"kills": given.kills, "acknowledged commits": said, "wrong": wrong}
        sys.stdout.write(json.dumps(found) + "\n")
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
