"""lango_nb against the others: transfer, delegate and teammates; the trace of typed events is always kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from lango_nb.config.settings import Settings
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.engine import Engine
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.topology import PromptSection, Topology
from lango_nb.stores.opening import open_store
from lango_nb.stores.store import TurnQuery
from lango_nb.tools.decorator import tool

if TYPE_CHECKING:
    from tests.benchmarks.peers.common import ROOT_PROMPT, SPEC_PROMPT, SPECIALISTS, Bench, Probe, tool_functions
else:
    from common import ROOT_PROMPT, SPEC_PROMPT, SPECIALISTS, Bench, Probe, tool_functions

CONTROLS = {"handoff": "transfer", "astool": "delegate", "spawn": "spawn"}


def results(messages: Sequence[Message]) -> list[Message]:
    """Return the tool results the request ends with."""
    count = 0
    while messages[-1 - count].role == "tool":
        count += 1
    return list(messages[len(messages) - count :])


class Instant:
    """The model of all agents: answers at once, from nothing but the last messages."""

    name = "instant"

    def __init__(self, probe: Probe, mode: str) -> None:
        self.probe, self.mode = probe, mode

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Answer as the script says."""
        if self.probe.sleep:
            await self.probe.nap()
        author = messages[0].author or ""
        last = results(messages)
        text = " ".join(message.content for message in last) if last else messages[-1].content
        if author != "root":
            kind, said = self.probe.spec(author, len(messages), text)
            return Reply(text=said) if kind == "text" else self._calls((f"{author}_fs_read", {"path": said}))
        kind, said = self.probe.root(len(messages), text)
        if kind == "text":
            return Reply(text=said)
        if last and last[-1].tool_name == "agent_spawn":
            runs = [json.loads(message.content)["agent_id"] for message in last]
            return self._calls(*(("agent_wait", {"agent_id": run}) for run in runs))
        return self._calls(*(self._order(name) for name in said))

    def _order(self, name: str) -> tuple[str, dict[str, Any]]:
        if self.mode == "handoff":
            return "transfer_to_agent", {"agent_name": name}
        if self.mode == "astool":
            return "delegate", {"agent_name": name, "goal": "read the file"}
        return "agent_spawn", {"agent": name, "instruction": "read the file"}

    def _calls(self, *calls: tuple[str, dict[str, Any]]) -> Reply:
        return Reply(
            tool_calls=tuple(ToolCall(id=self.probe.call_id(), name=name, arguments=given) for name, given in calls)
        )


class LangoNb(Bench):
    """Eight specialists under each of the three controls."""

    name = "lango_nb"
    dists: ClassVar[list[str]] = ["lango-nb", "pydantic"]
    modes: ClassVar[dict[str, int]] = {"handoff": 3, "astool": 4, "spawn": 5}
    fanout_modes: ClassVar[dict[str, int]] = {"astool": 4, "spawn": 4}
    durable = True
    store = "folder of JSON lines: log per session, index, documents; one fsync at the end of every turn"
    tracing = "typed events, always kept: S2 is the same"
    notes = (
        "handoff = control transfer; astool = control delegate; spawn = agent_spawn, then agent_wait: five model "
        "calls, of which the root's second runs beside the specialist's first; blocking tools run in threads"
    )

    def __init__(self) -> None:
        self._engine: Engine | None = None

    def make_tree(self, probe: Probe, mode: str) -> Engine:
        """Make an engine that can run: agents, 40 tools of functions, prompts, the model."""
        agents = tuple(
            AgentSpec(
                name=name,
                description=f"Does everything about {name}.",
                instruction=SPEC_PROMPT.format(name=name),
                prefixes=(f"{name}_",),
            )
            for name in SPECIALISTS
        )
        topology = Topology.model_validate(
            {
                "name": "eight",
                "root": "root",
                "agents": agents,
                "control": CONTROLS[mode],
                "root_sections": (PromptSection(id="role", text=ROOT_PROMPT),),
            }
        )
        tools = [
            tool(function, name=f"{name}_{function.__name__}", safety="safe")
            for name in SPECIALISTS
            for function in tool_functions(probe, name)
        ]
        settings = Settings.model_validate({"background": {"enabled": True}}) if mode == "spawn" else None
        self._engine = Engine(settings, topology=topology, tools=tools, model=Instant(probe, mode))
        return self._engine

    async def open_session(self, tree: Engine, sid: str, db: str | None = None) -> tuple[Engine, str]:
        """Name a session, the engine makes it with its first turn; with a path, keep it in that folder."""
        if db is not None:
            tree.open_store(Path(db))
        return tree, sid

    async def turn(self, session: tuple[Engine, str], text: str) -> str:
        """Run one turn."""
        engine, sid = session
        trace = await engine.run(text, sid)
        if not trace.turn.is_ok:
            raise AssertionError(f"the turn ended as {trace.turn.outcome}: {trace.turn.answer}")
        return trace.turn.answer

    async def stored_count(self, db: str, sid: str, probe: Probe, mode: str) -> int:
        """Open the folder with fresh objects and count the events of a session."""
        store = open_store(Path(db))
        count = sum(len(events) for _, events in store.log.events(TurnQuery(session=sid)))
        store.close()
        return count

    def enable_tracing(self) -> Callable[[], int]:
        """Do nothing: the trace is there; count the events of the last turn."""
        return lambda: len(self._engine.traces.get().events) if self._engine is not None else 0


BENCH = LangoNb()
