"""Engines that keep their records in a store: how they are made, how their disk fills up, and how they die.

A scene of :data:`SCENES` is played in a forked process that dies in the middle of it, without any farewell: as if the
machine had lost its power, except that what was written stays. Tools with effects write them to a file.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import resource
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lango_nb.config.settings import Settings
from lango_nb.core.events import Event
from lango_nb.core.ids import RandomIds
from lango_nb.core.messages import Message
from lango_nb.engine import Engine
from lango_nb.records.packing import late_events
from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest, Approver
from lango_nb.tools.builtin.memory import MEMORY_TOOLS
from lango_nb.tools.builtin.tasks import TASK_TOOLS
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool
from tests.cast import Call, Cast, Gate, Line, merged, spawn, wait
from tests.postgresql import VARIABLE, in_schema, need_postgresql, run_sql
from tests.stores import drop_schema, schema_of

DIED = 9
"""How a process ends that dies in the middle of its work."""
MARK: Call = ("exec_mark", {"text": "a"})
"""A dangerous call whose effect is counted."""
KINDS = ("sqlite", "postgresql") if VARIABLE in os.environ else ("sqlite",)


def address(kind: str, place: Path, name: str = "records") -> str:
    """Return the address of a store of a kind at a place; on a server it is a schema, which goes with this process."""
    if kind == "sqlite":
        return f"sqlite:///{place / name}.db"
    server, schema = need_postgresql(), schema_of(place / name)
    run_sql(server, f"CREATE SCHEMA IF NOT EXISTS {schema}")
    atexit.register(drop_schema, place / name)
    return in_schema(server, schema)


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


_MARKS = 100
"""Bytes of the files in which tools mark what they did."""


class Room:
    """How much room there is on the disk for the files of SQLite at a place.

    The system itself refuses what is too much: the log of the database is emptied, and no file of this process may
    become larger than what is left, and a few bytes for tools that mark what they did.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        self._limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        self._open: list[sqlite3.Connection] = []

    def fill(self, left: int = 0) -> None:
        """Leave room for so many bytes."""
        for path in self._place.rglob("*.db"):
            connection = sqlite3.connect(path, check_same_thread=False)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            self._open.append(connection)  # or else SQLite takes its log and index away, and cannot make them again
        size = max((path.stat().st_size for path in self._place.rglob("*-wal")), default=0)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + left + _MARKS, self._limits[1]))

    def free(self) -> None:
        """Make room."""
        resource.setrlimit(resource.RLIMIT_FSIZE, self._limits)
        while self._open:
            self._open.pop().close()

    def filling(self, line: Line) -> Callable[[Sequence[Message]], Any]:
        """Fill the disk, then say a line."""

        async def play(_messages: Sequence[Message]) -> Line:
            self.fill()
            return line

        return play

    def freeing(self, line: Line) -> Callable[[Sequence[Message]], Any]:
        """Make room, then say a line."""

        async def play(_messages: Sequence[Message]) -> Line:
            self.free()
            return line

        return play


@contextmanager
def filling_disk(place: Path) -> Iterator[Room]:
    """Give a disk that can be filled and freed to the databases in a folder."""
    room = Room(place)
    try:
        yield room
    finally:
        room.free()


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

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        os._exit(DIED)


def _play(engine: Engine) -> None:
    asyncio.run(engine.run("Please do it"))


def _outlive(engine: Engine, gate: Gate) -> None:
    async def main() -> None:
        trace = await engine.run("Please do it")
        gate.opened.set()
        await engine.runs.wait(trace.runs[0].id, 60)

    asyncio.run(main())


async def _one_of_several(messages: Sequence[Message]) -> Line:
    """Give the request to the operator; wait for it unless it may outlive the turn."""
    last, asked = messages[-1], next(message.content for message in messages if message.role == "user")
    if last.role == "user":
        return spawn("operator", last.content)
    return "Going on." if asked.startswith("Outlive") else await wait_for_it(messages)


def _several(engine: Engine, gate: Gate) -> None:
    """Die in the middle of two turns and of two runs that outlived theirs."""

    is_marked = asyncio.Event()

    def hear(event: Event) -> None:
        if event.kind == "tool.finished" and event.tool == MARK[0]:
            is_marked.set()

    async def main() -> None:
        engine.listeners.append(hear)
        await engine.run("Outlive one", "a")
        await engine.run("Outlive two", "b")
        others = asyncio.gather(engine.run("Wait", "c"), engine.run("Die", "d"))
        for _ in range(200):
            await asyncio.sleep(0)
        await is_marked.wait()  # it runs in a thread of its own
        gate.opened.set()
        await others

    asyncio.run(main())


Scene = tuple[Mapping[str, Iterable[Line]], Approver | str, Callable[[Engine], None]]
"""Who says what, who answers, and what is asked."""


def _scene(name: str) -> Scene:
    gate = Gate()
    die: Call = ("exec_die", {"text": "a"})
    scenes: dict[str, Scene] = {
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
        "several": (
            {
                "root": [_one_of_several] * 9,
                "Outlive one": [MARK, _forever],
                "Outlive two": [_forever],
                "Wait": [_forever],
                "Die": [gate.then(die)],
            },
            "allow",
            lambda engine: _several(engine, gate),
        ),
        "killed": (team_of_two(MARK, _killed), "allow", _play),
    }
    return scenes[name]


async def _forever(_messages: Sequence[Message]) -> Line:
    await asyncio.sleep(60)
    return ""


async def _killed(_messages: Sequence[Message]) -> Line:
    os.kill(os.getpid(), signal.SIGKILL)
    return await _forever(_messages)


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
    "several",
    "killed",
)


def die_in(scene: str, store: str, effects: Path, durability: str = "turn", tee: str = "") -> None:
    """Play a scene in a process of its own, which dies in the middle of it."""
    lines, approver, play = _scene(scene)
    settings = {"store": {"durability": durability, "tee": tee}}

    def work() -> None:
        play(kept_engine(store, lines, effects, approver=approver, settings=settings))

    assert in_child(work) in {DIED, -signal.SIGKILL}


def in_child(work: Callable[[], None]) -> int:
    """Do something in a forked process, and return how it ended."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        work()
    except BaseException:  # noqa: BLE001 - whatever it is, the child says it and ends
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)


def race(*works: Callable[[], object]) -> list[Any]:
    """Let processes begin at the same moment, and return what each came to, as JSON has it."""
    gate, opener = os.pipe()
    pipes: list[int] = []
    children: list[int] = []
    for work in works:
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            _be_one(work, gate, opener, writer)
        os.close(writer)
        pipes.append(reader)
        children.append(child)
    os.close(gate)
    os.write(opener, b"!" * len(works))
    os.close(opener)
    said = [b"".join(iter(lambda: os.read(pipe, 1 << 16), b"")) for pipe in pipes]  # noqa: B023 - read at once
    for pipe in pipes:
        os.close(pipe)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert codes == [0] * len(works), codes
    return [json.loads(one) for one in said]


def _be_one(work: Callable[[], object], gate: int, opener: int, writer: int) -> None:
    """Be one of the processes, to its end."""
    try:
        os.close(opener)
        os.read(gate, 1)
        data = json.dumps(work()).encode()
        while data:
            data = data[os.write(writer, data) :]
    except BaseException:  # noqa: BLE001 - whatever it is, the child says it and ends
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)
