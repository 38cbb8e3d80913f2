"""Kill a process that runs turns, again and again, at random moments, and look whether anything is lost.

    python -m tests.endurance.kill --kills 200 --store sqlite
    LANGO_TEST_POSTGRESQL=postgresql://USER@HOST/NAME python -m tests.endurance.kill --store postgresql

A writer runs turns whose specialist calls a tool with an effect that is counted, notes tasks, saves memories, moves the
write-ahead log into the file and forgets old turns. It says of every turn, task and memory when it is done. After
SIGKILL a reader opens the same records and checks:

- everything can be read, and nothing in it is damaged;
- every turn, task and memory that was said to be done is there, the same as it was said;
- every effect happened once, and belongs to a call that was written down before it began;
- every turn that was interrupted is closed, and opening again finds nothing more to close.

Only POSIX systems: writer and reader are forked, so that a kill costs milliseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lango_nb.config.settings import Settings
from lango_nb.core.events import ToolStarted
from lango_nb.core.ids import RandomIds
from lango_nb.core.messages import USER, Message, Reply, ToolCall, ToolSchema
from lango_nb.engine import Engine
from lango_nb.models.model import Model
from lango_nb.models.scripted import ScriptedModel
from lango_nb.records.tasks import Task
from lango_nb.stores.sql import SqlStore
from lango_nb.stores.store import Durability
from lango_nb.tools.context import ToolContext
from lango_nb.tools.decorator import tool

ROOT = "lango-orchestrator"
SESSIONS = ("main", "other", "third")
MOST_TURNS = 40
"""Turns that are kept: what is older may be gone."""
EARLY, EARLY_S = 0.2, 0.1
"""Share of writers that are killed while they begin, and how long that takes at most."""


class Pair:
    """A root that spawns a teammate and waits, and a teammate that calls the tool."""

    name = "pair"

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Answer the root or the teammate."""
        last = messages[-1]
        calls = RandomIds()
        if messages[0].author != ROOT:
            if last.role == "tool":
                return Reply(text=f"marked {last.content}")
            arguments: dict[str, Any] = {"text": last.content}
            return Reply(tool_calls=(ToolCall(id=calls.new("call"), name="exec_mark", arguments=arguments),))
        if last.role == "user" and last.author == USER:
            arguments = {"agent": "operator", "instruction": last.content}
            return Reply(tool_calls=(ToolCall(id=calls.new("call"), name="agent_spawn", arguments=arguments),))
        said = json.loads(last.content)
        if "result" not in said:
            arguments = {"agent_id": said["agent_id"], "timeout": 10}
            return Reply(tool_calls=(ToolCall(id=calls.new("call"), name="agent_wait", arguments=arguments),))
        return Reply(text=f"answer: {said['result']}")


def make_engine(store: str, effects: Path, durability: Durability, model: Model | None = None) -> Engine:
    """Return an engine on a store whose one tool has an effect that is counted."""

    @tool(safety="dangerous", family="exec")
    def exec_mark(text: str, context: ToolContext) -> str:
        """Append a line to a file."""
        handle = os.open(effects, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(handle, f"{context.call_id} {context.turn_id}\n".encode())
        os.close(handle)
        return text

    settings = Settings.model_validate(
        {
            "agent": {"multiAgent": True},
            "background": {"enabled": True},
            "store": {"durability": durability},
            "observability": {"traceStore": {"maxTraces": MOST_TURNS, "cleanupInterval": 0}},
        }
    )
    return Engine(settings, topology="octet", tools=(exec_mark,), model=model or Pair(), approver="allow", store=store)


def write(store: str, effects: Path, done: int, durability: Durability) -> None:
    """Run turns until somebody kills this process; say of everything when it is done."""
    engine = make_engine(store, effects, durability)
    choose = random.Random(os.getpid())
    number = 0
    while True:
        number += 1
        trace = engine.run_sync(f"do {number}", session=choose.choice(SESSIONS))
        turn = trace.turn
        _say(done, turn=turn.id, number=turn.number, answer=turn.answer, events=len(trace.events))
        if number % 2 == 0:
            now = engine.clock.now()
            task = Task(id=engine.ids.new("task"), title=f"{number}", created_at=now, updated_at=now)
            engine.tasks.add(task)
            _say(done, task=task.id)
            engine.tasks.update(task.id, "done", at=now)
            _say(done, ended=task.id)
        if number % 3 == 0:
            key = f"{os.getpid()}-{number}"
            engine.memories.save("operator", key, "x" * choose.randint(1, 3000))
            _say(done, memory=key)
        if choose.random() < 0.3:
            _move_log(engine)
        if choose.random() < 0.2:
            engine.records.clean_up(engine.settings.observability.trace_store)


def _move_log(engine: Engine) -> None:
    """Move the write-ahead log into the file, as SQLite does once per four megabytes."""
    if isinstance(engine.store, SqlStore) and engine.store.name == "sqlite":
        connection = sqlite3.connect(engine.store.where)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        connection.close()


def _say(done: int, **what: object) -> None:
    os.write(done, json.dumps(what).encode() + b"\n")


@dataclass
class Said:
    """What writers said to be done, over all of them."""

    turns: dict[str, dict[str, Any]] = field(default_factory=dict)
    tasks: dict[str, str] = field(default_factory=dict)
    memories: set[str] = field(default_factory=set)

    def take(self, lines: bytes) -> None:
        """Add what one writer said."""
        for line in lines.splitlines(keepends=True):
            if not line.endswith(b"\n"):
                continue
            said = json.loads(line)
            if "turn" in said:
                self.turns[said["turn"]] = said
            elif "task" in said:
                self.tasks.setdefault(said["task"], "todo")
            elif "ended" in said:
                self.tasks[said["ended"]] = "done"
            else:
                self.memories.add(said["memory"])


def check(store: str, effects: Path, said: Said, durability: Durability) -> dict[str, Any]:
    """Open the records as the next process does, and return what is wrong, and what was found."""
    engine = make_engine(store, effects, durability)
    wrong: list[str] = []
    interrupted = [item.sentence for item in engine.records.found]
    problems = [f"{problem.code}: {problem.where}: {problem.detail}" for problem in engine.store.problems]
    wrong += [problem for problem in problems if not problem.startswith("unfinished")]
    wrong += [f"check: {problem.code}: {problem.where}: {problem.detail}" for problem in engine.store.check()]
    turns = {turn.id: turn for turn in engine.traces.turns()}
    wrong += [f"still open: {row['id']}" for row in engine.store.log.rows() if row["outcome"] == "running"]
    numbers = Counter(turn.number for turn in turns.values())
    wrong += [f"number {number} was given {times} times" for number, times in numbers.items() if times > 1]
    newest = sorted((turn["number"] for turn in said.turns.values()), reverse=True)
    border = newest[MOST_TURNS // 2] if len(newest) > MOST_TURNS // 2 else 0
    for turn_id, told in said.turns.items():
        if turn_id not in turns:
            if told["number"] > border:
                wrong.append(f"turn {told['number']} is lost")
            continue
        trace = engine.traces.get(turn_id)
        if (trace.turn.answer, len(trace.events), trace.turn.outcome) != (told["answer"], told["events"], "success"):
            wrong.append(f"turn {told['number']} is not what it was: {trace.turn}")
    kept = {task.id: task.status for task in engine.tasks.list()}
    wrong += [f"task {task} is {kept.get(task)}" for task, status in said.tasks.items() if not _is(status, kept, task)]
    keys = {memory.key for memory in engine.memories.search("operator", limit=10**6)}
    wrong += [f"memory {key} is lost" for key in said.memories - keys]
    wrong += _check_effects(engine, effects, set(turns))
    engine.close()
    again = make_engine(store, effects, durability)
    wrong += [f"found again: {item.sentence}" for item in again.records.found]
    again.close()
    return {"wrong": wrong, "interrupted": interrupted, "turns": len(turns)}


def _is(status: str, kept: Mapping[str, str], task: str) -> bool:
    """A task may be further than what was said: the writer was killed before it could say so."""
    return kept.get(task) in {status, "done"}


def _check_effects(engine: Engine, effects: Path, turns: set[str]) -> list[str]:
    lines = effects.read_text(encoding="utf-8").splitlines() if effects.exists() else []
    wrong = [f"{line} happened {times} times" for line, times in Counter(lines).items() if times > 1]
    for turn_id in {line.split()[1] for line in lines} & turns:
        started = {event.call_id for event in engine.traces.get(turn_id).events if isinstance(event, ToolStarted)}
        wrong += [
            f"{line} happened and was not written down"
            for line in lines
            if line.split()[1] == turn_id and line.split()[0] not in started
        ]
    return wrong


def _fork(work: Callable[[], None]) -> int:
    child = os.fork()
    if child:
        return child
    try:
        work()
    except BaseException:  # noqa: BLE001 - whatever it is, the child says it and ends
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)


def warm_up(folder: Path) -> None:
    """Load what a turn loads late, so that not each process that is forked has to."""
    arguments = {"agent": "operator", "instruction": "do nothing"}
    model = ScriptedModel([("agent_spawn", arguments), "nothing", "nothing"])
    engine = make_engine(f"sqlite:///{folder}/warm.db", folder / "none.txt", "turn", model)
    asyncio.run(engine.run("do nothing"))
    engine.close()


def kill_once(store: str, effects: Path, said: Said, moments: random.Random, durability: Durability) -> None:
    """Let a writer run for a while, kill it, and take what it had said.

    Most are killed some time after their first turn, the others while they open the store or run that turn.
    """
    reader, writer = os.pipe()

    def work() -> None:
        os.close(reader)
        write(store, effects, writer, durability)

    child = _fork(work)
    os.close(writer)
    is_early = moments.random() < EARLY
    first = b"" if is_early else os.read(reader, 1 << 16)  # it is at work
    time.sleep(moments.uniform(0, EARLY_S if is_early else 0.25))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    heard = [first]
    while piece := os.read(reader, 1 << 20):
        heard.append(piece)
    os.close(reader)
    if not first and not is_early:
        raise AssertionError("the writer ended before it had done anything")
    said.take(b"".join(heard))


def check_in_child(store: str, effects: Path, said: Said, durability: Durability) -> dict[str, Any]:
    """Check in a process of its own: the reader's locks and threads end with it."""
    reader, writer = os.pipe()

    def work() -> None:
        os.close(reader)
        os.write(writer, json.dumps(check(store, effects, said, durability)).encode())

    child = _fork(work)
    os.close(writer)
    heard = b"".join(iter(lambda: os.read(reader, 1 << 20), b""))
    os.close(reader)
    os.waitpid(child, 0)
    if not heard:
        return {"wrong": ["the store cannot be opened"], "interrupted": [], "turns": 0}
    found: dict[str, Any] = json.loads(heard)
    return found


def run(kills: int, seed: int, store: str, folder: Path, durability: Durability = "turn") -> dict[str, Any]:
    """Kill and look, as often as wanted.

    Parameters
    ----------
    kills : int
    seed : int
        Of the moments of the kills.
    store : str
        Address of a store; nothing is there yet.
    folder : Path
        For the effects.
    durability : {"turn", "event", "none"}

    Returns
    -------
    dict
        ``wrong`` is a list of everything that is not as it should be.
    """
    effects = folder / "effects.txt"
    said, moments = Said(), random.Random(seed)
    warm_up(folder)
    total: dict[str, Any] = {"kills": 0, "interrupted": 0, "wrong": []}
    for number in range(1, kills + 1):
        kill_once(store, effects, said, moments, durability)
        found = check_in_child(store, effects, said, durability)
        total["kills"] = number
        total["interrupted"] += len(found["interrupted"])
        total["wrong"] += [f"after kill {number}: {item}" for item in found["wrong"]]
        if found["wrong"]:
            break
    effected = effects.read_text(encoding="utf-8").count("\n") if effects.exists() else 0
    return {
        **total,
        "acknowledged turns": len(said.turns),
        "acknowledged tasks": len(said.tasks),
        "acknowledged memories": len(said.memories),
        "effects": effected,
    }


@contextmanager
def _address(kind: str, folder: Path) -> Iterator[str]:
    """Give the address of a store of a kind; what is on a server is dropped at the end."""
    if kind == "sqlite":
        yield f"sqlite:///{folder}/records.db"
        return
    from tests.postgresql import schema

    with schema() as address:
        yield address


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; the exit code is 1 when anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--durability", choices=("turn", "event", "none"), default="turn")
    given = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp())
    began = time.monotonic()
    with _address(given.store, folder) as store:
        found = run(given.kills, given.seed, store, folder, given.durability)
    sys.stdout.write(json.dumps({**found, "seconds": round(time.monotonic() - began)}, indent=2) + "\n")
    if not found["wrong"]:
        shutil.rmtree(folder)
    else:
        sys.stderr.write(f"the files are kept in {folder}\n")
    return bool(found["wrong"])


if __name__ == "__main__":
    sys.exit(main())
