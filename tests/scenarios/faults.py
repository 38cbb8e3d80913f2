"""What the table of faults is played with: four trees, a model that plays every agent, and what holds for every trace.

    a fault's row ── root's lines ──┐
                  ── worker's lines ┼─▶ Players ─▶ Engine on a stage ─▶ Trace ─▶ closed(), words()
                  ── its tool ──────┘

The same row is played on every stage: a line like ``Give("A")`` becomes the hand-over of the stage's control.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.events import Event
from lango_nb.core.ids import CountedIds
from lango_nb.core.messages import USER, Message, Reply, ToolCall, ToolSchema, Usage
from lango_nb.engine import Engine
from lango_nb.records.turns import Trace
from lango_nb.specs.agent import Constraints
from lango_nb.specs.topologies import load_topology
from lango_nb.specs.topology import Topology
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool

# -- the stages --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stage:
    """A tree, and who is who in it."""

    name: str
    control: str
    agents: Mapping[str, str]
    """Names by part: ``A`` is the worker, the others are there to be handed to."""
    settings: Mapping[str, Any]

    def __str__(self) -> str:
        return self.name

    def topology(self) -> str | Topology:
        return _delegating() if self.control == "delegate" else self.name


def _delegating() -> Topology:
    """Make the sextet's agents work by delegation: they may hand on to each other, in a ring if they like."""
    sextet = load_topology("sextet")
    names = [spec.name for spec in sextet.agents]
    agents = tuple(
        spec.with_changes(
            constraints=Constraints(can_spawn=True), delegates=tuple(name for name in names if name != spec.name)
        )
        for spec in sextet.agents
    )
    return sextet.model_copy(
        update={"name": "made-up", "control": "delegate", "decline": "fail", "max_rounds": 10, "agents": agents}
    )


_NARROW = {"A": "operator", "B": "vault", "C": "navigator", "D": "librarian"}
STAGES = {
    stage.name: stage
    for stage in (
        Stage(
            "quartet",
            "transfer",
            {"A": "executor", "B": "researcher", "C": "memory-manager", "D": "planner"},
            {},
        ),
        Stage("sextet", "transfer", _NARROW, {}),
        Stage("octet", "spawn", _NARROW, {"background": {"enabled": True}}),
        Stage("made-up", "delegate", _NARROW, {}),
    )
}
ROOT = "lango-orchestrator"


# -- lines -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Give:
    """A hand-over to a part, or to a name that may be anything; with further arguments as they are."""

    to: str
    goal: str = "look at it"
    more: Mapping[str, Any] | None = None
    error: str = ""


@dataclass(frozen=True)
class Call:
    """A call of a tool, with any arguments."""

    tool: str
    arguments: Any = None
    error: str = ""


@dataclass(frozen=True)
class Both:
    """One reply with a text, and several calls."""

    calls: Sequence[Give | Call]
    text: str = ""


@dataclass(frozen=True)
class Priced:
    """A line that costs something."""

    line: Any
    usage: Usage


Play = Callable[[Sequence[Message]], Awaitable[Any]]
Line = str | Give | Call | Both | Reply | BaseException | Play | object


class Always:
    """The end of a script: these lines in turn, for ever."""

    def __init__(self, *lines: Line) -> None:
        self.lines = lines


Script = Sequence[Line | Always]


def _lines(script: Script) -> Iterator[Line]:
    for line in script:
        if isinstance(line, Always):
            yield from itertools.cycle(line.lines)
        else:
            yield line


class Players:
    """A model that plays every agent from lines of its own; after its last line an agent has no more to say.

    Under spawn the root waits for the runs it started before it says its next line, unless it is told not to. Every
    answer lets others go first so many times.
    """

    name = "players"

    def __init__(self, stage: Stage, lines: Mapping[str, Script], *, is_waiting: bool = True, pauses: int = 0) -> None:
        self.stage = stage
        self._pauses = pauses
        self._is_waiting = is_waiting and stage.control == "spawn"
        self.calls = 0
        self.seen: list[tuple[str, tuple[Message, ...]]] = []
        self._ids = itertools.count(1)
        self._waited: set[str] = set()
        named = {ROOT if part == "root" else stage.agents.get(part, part): script for part, script in lines.items()}
        self._lines = {name: _lines(script) for name, script in named.items()}

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Any:
        me = messages[0].author or ""
        self.calls += 1
        self.seen.append((me, tuple(messages)))
        for _ in range(self._pauses):
            await asyncio.sleep(0)
        waits = self._waits(messages) if me == ROOT and self._is_waiting else ()
        if waits:
            return Reply(tool_calls=waits)
        line = next(self._lines.get(me, iter(())), "nothing more to say")
        return await self._play(line, messages)

    async def _play(self, line: Line, messages: Sequence[Message]) -> Any:
        if isinstance(line, BaseException):
            raise line
        match line:
            case str():
                return Reply(text=line)
            case Priced(inner, usage):
                return (await self._play(inner, messages)).model_copy(update={"usage": usage})
            case Give() | Call():
                return Reply(tool_calls=(self._call(line),))
            case Both(calls, text):
                return Reply(text=text, tool_calls=tuple(self._call(call) for call in calls))
        if callable(line):
            return await self._play(await line(messages), messages)
        return line

    def _call(self, line: Give | Call) -> ToolCall:
        name = f"call-{next(self._ids)}"
        if isinstance(line, Call):
            return ToolCall.model_construct(  # unchecked: arguments may be anything
                id=name, name=line.tool, arguments=line.arguments or {}, error=line.error or None
            )
        agent = self.stage.agents.get(line.to, line.to)
        tool_name, arguments = {
            "transfer": ("transfer_to_agent", {"agent_name": agent, "reason": "because"}),
            "spawn": ("agent_spawn", {"agent": agent, "instruction": line.goal, "spawn_reason": "because"}),
            "delegate": ("delegate", {"agent_name": agent, "goal": line.goal}),
        }[self.stage.control]
        given = {} if line.error else {**arguments, **(line.more or {})}
        return ToolCall(id=name, name=tool_name, arguments=given, error=line.error or None)

    def _waits(self, messages: Sequence[Message]) -> tuple[ToolCall, ...]:
        started = [
            json.loads(message.content)["agent_id"]
            for message in messages
            if message.role == "tool" and message.tool_name == "agent_spawn" and not message.is_error
        ]
        due = [run_id for run_id in started if run_id not in self._waited]
        self._waited.update(due)
        return tuple(
            ToolCall(id=f"wait-{run_id}", name="agent_wait", arguments={"agent_id": run_id, "timeout": 5})
            for run_id in due
        )


# -- the engine --------------------------------------------------------------------------------------------------------


def plain_tools() -> tuple[Tool, ...]:
    """Return one harmless tool for every part, so that everybody is there."""

    def look() -> str:
        """Look."""
        return "seen"

    names = ("fs_look", "crypto_look", "browser_look", "search_look", "memory_look")
    return tuple(tool(look, name=name, safety="safe") for name in names)


def engine_on(
    stage: Stage, model: object, *tools: Tool, settings: Mapping[str, Any] | None = None, **options: Any
) -> Engine:
    """Make an engine on a stage: stepped clock, counted ids, everything allowed."""
    defaults: dict[str, Any] = {"clock": SteppedClock(), "ids": CountedIds(), "approver": "allow"}
    return Engine(
        Settings.model_validate(merged(stage.settings, settings or {})),
        topology=stage.topology(),
        tools=(*plain_tools(), *tools),
        model=model,  # type: ignore[arg-type]  # a model that misbehaves is no Model
        **{**defaults, **options},
    )


def merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Lay one tree of settings over another."""
    both = dict(one)
    for key, value in other.items():
        both[key] = merged(both.get(key, {}), value) if isinstance(value, Mapping) else value
    return both


# -- what holds for every trace ----------------------------------------------------------------------------------------


def words(events: Iterable[Event]) -> set[str]:
    """Name events by kind, and by kind and what they say: ``recovery``, ``recovery:retry``."""
    found: set[str] = set()
    for event in events:
        found.add(event.kind)
        for name in ("code", "action", "limit", "state", "status", "decision", "error_code"):
            value = getattr(event, name, "")
            if value:
                found.add(f"{event.kind}:{value}")
        if event.kind == "tool.started":
            found.add(f"{event.kind}:{event.tool}")
    return found


def closed(engine: Engine, trace: Trace, *, living: bool = False) -> None:
    """Check what holds for every trace, however the turn went."""
    events, root = trace.events, engine.tree.root.name
    kinds = [event.kind for event in events]
    assert kinds[0] == "turn.started"
    assert kinds.count("turn.finished") == 1
    assert kinds[-1] == "turn.finished"
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert {event.turn_id for event in events} == {trace.turn.id}
    assert {event.author for event in events} <= {USER, *engine.tree.names}
    finished = events[-1]
    assert (finished.outcome, finished.error_code) == (trace.turn.outcome, trace.turn.error_code)  # type: ignore[union-attr]
    assert trace.turn.outcome not in {"internal_error", "running"}, trace.turn
    assert trace.turn.answer or trace.turn.outcome == "cancelled", "the user saw nothing"
    kept = engine.traces.get(trace.turn.id)  # with what its runs did since
    assert (kept.turn, kept.events) == (trace.turn, trace.events)
    _every_call_ended(events)
    _every_call_is_answered(trace.messages)
    _every_call_is_answered(engine.session(trace.turn.session_id).messages)
    assert {message.author for message in engine.session(trace.turn.session_id).messages} <= {USER, *engine.tree.names}
    assert root in trace.turn.path
    for run in trace.runs:
        now = engine.runs.get(run.id)
        assert living or (now.is_terminal and now.completed_at is not None), now
        own = [event.kind for event in engine.runs.events(run.id)]
        assert own.count("run.started") == 1
        assert own.count("run.finished") == (1 if now.is_terminal else 0), own
        if now.is_terminal:
            assert own[-1] in {"run.finished", "child.merged", "child.discarded"}, own
            assert own.count("child.forked") == own.count("child.merged") + own.count("child.discarded")
    assert living or not engine.teammates.children.active()
    assert not engine.approvals.pending or living
    small = [event for event in events if len(getattr(event, "result", "")) < 100_000]
    assert [_reader().validate_json(event.model_dump_json()) for event in small] == small


@cache
def _reader() -> TypeAdapter[Event]:
    return TypeAdapter(Event)


def _every_call_ended(events: Sequence[Event]) -> None:
    open_calls: Counter[tuple[str, str]] = Counter()
    for event in events:
        if event.kind == "tool.started":
            open_calls[event.run_id, event.call_id] += 1
            assert open_calls[event.run_id, event.call_id] == 1, event
        elif event.kind == "tool.finished" and open_calls[event.run_id, event.call_id]:
            open_calls[event.run_id, event.call_id] -= 1
    assert not +open_calls, open_calls


def _every_call_is_answered(messages: Sequence[Message]) -> None:
    waiting: list[str] = []
    for message in messages:
        waiting.extend(call.id for call in message.tool_calls)
        if message.role == "tool":
            assert message.tool_call_id in waiting, message
            waiting.remove(str(message.tool_call_id))
    assert not waiting, waiting


def nothing_is_left_running() -> None:
    """Check, inside a loop, that no task outlived its turn."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    assert not others, others
