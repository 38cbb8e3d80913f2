"""Whatever is saved, searched, recalled, forgotten and pruned: an agent never reads another's instance memory."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from lango_nb.core.clock import SteppedClock
from lango_nb.core.ids import CountedIds
from lango_nb.records.memories import LocalMemoryService, Memories, Memory, MemoryQuery
from lango_nb.tools.builtin.memory import MEMORY_TOOLS
from lango_nb.tools.context import ToolContext
from lango_nb.tools.services import MemoryService

AGENTS = ("vault", "vault-2", "vaul", "planner", "Vault")
"""Alike on purpose; the first two are of one type."""
KEYS = ("a", "b", "A", "vault", "instance")
SCOPES = ("instance", "type", "global")
WORDS = ("alpha", "beta", "ALPHA", "a", "", "%", "*", ".*", "_", "' or 1=1")

agents, keys, scopes = st.sampled_from(AGENTS), st.sampled_from(KEYS), st.sampled_from(SCOPES)
queries = st.builds(
    MemoryQuery,
    text=st.sampled_from(WORDS) | st.text(max_size=3),
    scope=st.sampled_from(("", *SCOPES)),
    kind=st.sampled_from(("", "fact", "skill")),
    tags=st.sets(st.sampled_from(("x", "y")), max_size=2),
    min_confidence=st.floats(0, 1),
)


def type_of(agent: str) -> str:
    return agent.partition("-")[0]


class MemoriesOfMany(RuleBasedStateMachine):
    """Agents at work on one store, beside a plain model of what each of them last saved."""

    def __init__(self) -> None:
        super().__init__()
        self.memories = Memories(CountedIds(), SteppedClock(), type_of=type_of)
        self.saved: dict[tuple[str, str], tuple[str, str, float]] = {}
        """Content, scope and confidence by agent and key."""

    def may_read(self, reader: str, memory: Memory) -> bool:
        _, scope, _ = self.saved[memory.agent, memory.key]
        is_of_type = scope == "type" and type_of(memory.agent) == type_of(reader)
        return memory.agent == reader or scope == "global" or is_of_type

    @rule(agent=agents, key=keys, scope=scopes, kind=st.sampled_from(("", "fact")), confidence=st.floats(0, 1))
    def save(self, agent: str, key: str, scope: str, kind: str, confidence: float) -> None:
        content = f"canary of {agent} {len(self.saved)} alpha"
        memory = self.memories.save(agent, key, content, scope=scope, kind=kind, confidence=confidence, tags=("x",))
        assert memory.agent == agent
        self.saved[agent, key] = (content, scope, confidence)

    @rule(reader=agents, query=queries, limit=st.integers(-1, 60))
    def recall(self, reader: str, query: MemoryQuery, limit: int) -> None:
        found = self.memories.recall(reader, query, limit)
        assert all(self.may_read(reader, memory) and query.matches(memory) for memory in found)
        assert len(found) <= max(limit, 0)
        own = [memory.agent == reader for memory in found]
        assert own == sorted(own, reverse=True), "what is its own comes first"

    @rule(reader=agents, query=queries)
    def search(self, reader: str, query: MemoryQuery) -> None:
        assert all(memory.agent == reader for memory in self.memories.search(reader, query))

    @rule(reader=agents)
    def recall_everything(self, reader: str) -> None:
        found = {(memory.agent, memory.key) for memory in self.memories.recall(reader, limit=1000)}
        readable = {
            place
            for place, (_, scope, _) in self.saved.items()
            if place[0] == reader or scope == "global" or (scope == "type" and type_of(place[0]) == type_of(reader))
        }
        assert found == readable, "and what it may read, it finds"

    @rule(agent=agents, key=keys)
    def forget(self, agent: str, key: str) -> None:
        assert self.memories.forget(agent, key) is (self.saved.pop((agent, key), None) is not None)

    @precondition(lambda self: self.saved)
    @rule(least=st.floats(0, 1), agent=st.none() | agents)
    def prune(self, least: float, agent: str | None) -> None:
        weak = [
            place
            for place, (_, _, confidence) in self.saved.items()
            if confidence < least and agent in {None, place[0]}
        ]
        assert self.memories.prune(least, agent) == len(weak)
        for place in weak:
            del self.saved[place]

    @invariant()
    def every_agent_has_what_it_saved_last(self) -> None:
        for agent in AGENTS:
            own = {memory.key: memory.content for memory in self.memories.search(agent)}
            assert own == {key: content for (who, key), (content, _, _) in self.saved.items() if who == agent}


MemoriesOfMany.TestCase.settings = settings(max_examples=25, stateful_step_count=25)
TestMemoriesOfMany = MemoriesOfMany.TestCase


@given(st.data())
def test_through_the_tools_no_agent_reads_what_another_keeps_for_itself(data: st.DataObject) -> None:
    service = LocalMemoryService(Memories(CountedIds(), SteppedClock()))
    tools = {tool.name: tool for tool in MEMORY_TOOLS}

    def call(name: str, agent: str, **arguments: Any) -> str:
        context = ToolContext(Path("/nowhere"), agent=agent, services={MemoryService: service})
        return asyncio.run(tools[name].call(arguments, context)).content

    for number in range(data.draw(st.integers(1, 8))):
        agent = data.draw(agents)
        call("memory_agent_save", agent, key=data.draw(keys), content=f"<{agent}> {number}")
    reader = data.draw(agents)
    for text in ("<", data.draw(agents), data.draw(st.text(min_size=1, max_size=3))):
        told = call("memory_agent_recall", reader, query=text, limit=100)
        assert all(f"<{other}>" not in told for other in AGENTS if other != reader)
        if text == "<":
            assert json.loads(told)["count"] == told.count(f"<{reader}>")
