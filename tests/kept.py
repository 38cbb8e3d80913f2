"""Engines that keep their records in a store: how they are made, how their disk fills up, and how they die.

    python -m tests.kept SCENE ADDRESS EFFECTS [DURABILITY]

plays a scene of :data:`SCENES` on the store at an address and dies in the middle of it, without any farewell: as if the
machine had lost its power, except that what was written stays. Tools with effects write them to the file EFFECTS.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.ids import RandomIds
from lango_nb.core.messages import Message
from lango_nb.engine import Engine
from lango_nb.records.packing import late_events
from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest, Approver
from lango_nb.stores.disk import Disk
from lango_nb.tools.builtin.memory import MEMORY_TOOLS
from lango_nb.tools.builtin.tasks import TASK_TOOLS
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool
from tests.cast import Call, Cast, Gate, Line, merged, spawn, wait

ROOT = Path(__file__).parents[1]
DIED = 9
"""How a process ends that dies in the middle of its work."""
MARK: Call = ("exec_mark", {"text": "a"})
"""A dangerous call whose effect is counted."""
KINDS = ("folder", "sqlite")


def address(kind: str, place: Path, name: str = "records") -> str:
    """Return the address of a store of a kind at a place."""
    return str(place / name) if kind == "folder" else f"sqlite:///{place / name}.db"


async def wait_for_it(messages: Sequence[Message]) -> Call:
    """Wait for the run that was just started."""
    return wait(json.loads(messages[-1].content)["agent_id"])


def team_of_two(*operator: Line, answer: str = "Fine.") -> dict[str, list[Line]]:
    """Let a root spawn the operator, wait for it, and answer."""
    return {"root": [spawn("operator", "Do it"), wait_for_it, answer], "operator": [*operator, "done"]}


def tools(effects: Path | None = None) -> tuple[Tool, ...]:
    """Make a safe and a dangerous tool; the effects of the second are counted in a file."""

    @tool(safety="dangerous", family="exec")
    def exec_mark(text: str) -> str:
        """Mark something."""
        if effects is not None:
            with effects.open("a") as file:
                file.write(f"{text}\n")
        return f"marked {text}"

    @tool(safety="dangerous", family="exec")
    def exec_die(text: str) -> str:
        """Mark something and die."""
        if effects is not None:
            with effects.open("a") as file:
                file.write(f"{text}\n")
        os._exit(DIED)

    @tool(safety="safe", family="fs")
    def fs_die() -> str:
        """Die."""
        os._exit(DIED)

    @tool(safety="safe", family="crypto")
    def crypto_look() -> str:
        """Look."""
        return "seen"

    return (exec_mark, exec_die, fs_die, crypto_look, *TASK_TOOLS, *MEMORY_TOOLS)


def marked(effects: Path) -> list[str]:
    """Return what was marked, in order."""
    return effects.read_text(encoding="utf-8").split() if effects.exists() else []


def kept_engine(
    store: object, lines: Mapping[str, Iterable[Line]] | None = None, effects: Path | None = None, **options: Any
) -> Engine:
    """Make an octet on a store, with the teammate runtime on and a cast that plays its agents."""
    settings = {
        "agent": {"multiAgent": True},
        "background": {"enabled": True},
        "agentMemory": {"enabled": True},
        "observability": {"traceStore": {"cleanupInterval": 0}},
    }
    given = options.pop("settings", {})
    defaults: dict[str, Any] = {
        "settings": Settings.model_validate(merged(settings, given)),
        "topology": "octet",
        "tools": tools(effects),
        "model": Cast(lines or {}),
        "approver": "allow",
        "ids": RandomIds(),
    }
    return Engine(store=store, **{**defaults, **options})  # type: ignore[arg-type]  # an address, a store, or nothing


def late_of(engine: Engine, turn_id: str) -> list[Any]:
    """Return what runs of a turn did after its end, as it is stored."""
    stored = engine.store.log.read(turn_id)
    assert stored is not None
    return late_events(stored)


# -- a disk that fills up ----------------------------------------------------------------------------------------------


@dataclass
class Room:
    """Whether there is room on the disk."""

    is_full: bool = False

    def filling(self, line: Line) -> Callable[[Sequence[Message]], Any]:
        """Fill the disk, then say a line."""

        async def play(_messages: Sequence[Message]) -> Line:
            self.is_full = True
            return line

        return play

    def freeing(self, line: Line) -> Callable[[Sequence[Message]], Any]:
        """Make room, then say a line."""

        async def play(_messages: Sequence[Message]) -> Line:
            self.is_full = False
            return line

        return play


@contextmanager
def filling_disk() -> Iterator[Room]:
    """Give a disk to all stores in folders that can be filled and freed."""
    room = Room()
    write = Disk.write_some

    def write_some(self: Disk, descriptor: int, data: memoryview) -> int:
        if room.is_full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(self, descriptor, data)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Disk, "write_some", write_some)
        yield room


# -- processes that die ------------------------------------------------------------------------------------------------


async def _die(_messages: Sequence[Message]) -> Line:
    os._exit(DIED)


def _die_after(gate: Gate) -> Callable[[Sequence[Message]], Any]:
    async def play(_messages: Sequence[Message]) -> Line:
        await gate.opened.wait()
        await asyncio.sleep(0.05)  # whoever opened it comes to its end
        os._exit(DIED)

    return play


class _Dead:
    """Somebody in whose hands the process dies while a question is open."""

    name = "dead"

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer | None:
        os._exit(DIED)


def _play(engine: Engine) -> None:
    engine.run_sync("Please do it")


def _outlive(engine: Engine, gate: Gate) -> None:
    async def main() -> None:
        trace = await engine.run("Please do it")
        gate.opened.set()
        await engine.runs.wait(trace.runs[0].id, 60)

    asyncio.run(main())


def _scene(name: str) -> tuple[Mapping[str, Iterable[Line]], Approver | str, Callable[[Engine], None]]:
    """Return who says what, who answers, and what is asked."""
    gate = Gate()
    die: Call = ("exec_die", {"text": "a"})
    scenes: dict[str, tuple[Mapping[str, Iterable[Line]], Approver | str, Callable[[Engine], None]]] = {
        "dangerous call": (team_of_two(die), "allow", _play),
        "safe call": (team_of_two(("fs_die", {})), "allow", _play),
        "model call": (team_of_two(_die), "allow", _play),
        "after a dangerous call": (team_of_two(MARK, _die), "allow", _play),
        "open question": (team_of_two(MARK), _Dead(), _play),
        "root": ({"root": [_die]}, "allow", _play),
        "run that outlives its turn": (
            {"root": [spawn("operator", "Do it"), "Going on."], "operator": [gate.then(die)]},
            "allow",
            lambda engine: _outlive(engine, gate),
        ),
        "quiet run that outlives its turn": (
            {"root": [spawn("operator", "Do it"), "Going on."], "operator": [gate.then(("fs_die", {}))]},
            "allow",
            lambda engine: _outlive(engine, gate),
        ),
        "two teammates": (
            {
                "root": [[spawn("operator", "Do it"), spawn("vault", "Hash it")], wait_for_it, "Fine."],
                "operator": [gate.opening("done")],
                "vault": [_die_after(gate)],
            },
            "allow",
            _play,
        ),
        "killed": (team_of_two(MARK, _killed), "allow", _play),
    }
    return scenes[name]


async def _killed(_messages: Sequence[Message]) -> Line:
    os.kill(os.getpid(), signal.SIGKILL)
    await asyncio.sleep(60)
    return ""


SCENES = (
    "dangerous call",
    "safe call",
    "model call",
    "after a dangerous call",
    "open question",
    "root",
    "run that outlives its turn",
    "quiet run that outlives its turn",
    "two teammates",
    "killed",
)


def die_in(scene: str, store: str, effects: Path, durability: str = "turn") -> None:
    """Play a scene in a process of its own, which dies in the middle of it."""
    command = [sys.executable, "-m", "tests.kept", scene, store, str(effects), durability]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode in {DIED, -signal.SIGKILL}, done.stderr


def main(scene: str, store: str, effects: str, durability: str = "turn") -> None:
    """Play a scene and die."""
    lines, approver, play = _scene(scene)
    settings = {"store": {"durability": durability}}
    play(kept_engine(store, lines, Path(effects), approver=approver, settings=settings))


if __name__ == "__main__":
    main(*sys.argv[1:])
