"""A genome in a folder of its own, and agents that are shipped to it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.clock import SteppedClock
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.genome.genome import Genome

SHIPPED: dict[str, list[str]] = {
    "root": ["reader", "editor"],
    "reader": ["read_file", "grep"],
    "editor": ["write_file", "edit_file"],
}
Ship = Callable[..., Path]


class HandClock(SteppedClock):
    """A clock that a test turns."""

    def __init__(self) -> None:
        super().__init__(step_ms=1000)
        self._later = timedelta()

    def turn(self, **by: float) -> None:
        self._later += timedelta(**by)

    def now(self) -> datetime:
        return super().now() + self._later


def agent(name: str, **fields: Any) -> AgentSpec:
    values = {"description": f"The {name}", "model": "fast", "instruction": f"You are {name}.", **fields}
    return AgentSpec.model_validate({"name": name, **values})


@pytest.fixture(name="agent")
def agent_() -> Callable[..., AgentSpec]:
    return agent


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def ship(tmp_path: Path) -> Ship:
    """Write the folder of shipped agents anew: ``ship({"root": [...]}, without=("editor",), reader="You read.")``."""

    def write(lists: dict[str, list[str]] | None = None, without: tuple[str, ...] = (), **prompts: str) -> Path:
        folder = tmp_path / "shipped"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, capabilities in {**SHIPPED, **(lists or {})}.items():
            if name in without:
                continue
            prompt = prompts.get(name, f"You are {name}.")
            text = f"name: {name}\ndescription: The {name}\nmodel: fast\ncapabilities: [{', '.join(capabilities)}]\n"
            (folder / f"{name}.yaml").write_text(f"# shipped\n{text}system_prompt: {prompt}\n")
        return folder

    return write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "genome"


@pytest.fixture
def genome(folder: Path, ship: Ship, clock: HandClock) -> Genome:
    return Genome.open_or_init(folder, ship(), clock)


def run_git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@localhost", "-C", str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def git(folder: Path) -> Callable[..., str]:
    """Run git on the genome; where git is missing, what it would say is not tested."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    return lambda *arguments: run_git(folder, *arguments)
