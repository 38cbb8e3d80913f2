"""Control tools are those that say so: a tool of one's own is ordinary work, whatever it is called."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lango_nb.core.events import ToolFinished
from lango_nb.core.messages import Message, ToolCall, ToolRole
from lango_nb.engine import Engine
from lango_nb.models.cassette import Cassette
from lango_nb.models.cassette_form import form_of
from lango_nb.models.offline.conversation import Offer
from lango_nb.models.offline.model import OfflineModel
from lango_nb.models.scripted import ScriptedModel
from lango_nb.records.closing import Closing
from lango_nb.records.packing import pack_event
from lango_nb.routing.partition import partition_tools
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.topologies import load_topology, topology_names
from lango_nb.stores.opening import open_store
from lango_nb.stores.store import Row, StoredTurn
from lango_nb.tools.builtin import builtin_tools, control_names
from lango_nb.tools.builtin.tasks import TASK_TOOLS
from lango_nb.tools.by_name import sample_tools, spec_families, tools_by_name
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool

LOOKALIKES = ("task_wipe", "agent_x", "tool_output_y", "builtin_z")
MULTI = [name for name in topology_names() if not load_topology(name).is_single]


def act() -> str:
    """Act."""
    return "done"


OWN: tuple[Tool, ...] = tuple(tool(act, name=name, safety="safe") for name in LOOKALIKES)


@pytest.mark.parametrize("name", MULTI)
def test_a_lookalike_belongs_to_the_agent_that_claims_it_and_to_no_other(name: str) -> None:
    topology = load_topology(name)
    mine = AgentSpec(name="mine", prefixes=("task_", "agent_"), source=Source.USER)
    partition = partition_tools([*builtin_tools(), *OWN], topology, (*topology.agents, mine))
    assert partition["mine"] == ("task_wipe", "agent_x")
    rest = partition[topology.unmatched_to] if topology.unmatched_to else [tool.name for tool in partition.unmatched]
    assert set(rest) >= {"tool_output_y", "builtin_z"}
    assert not {tool.name for tool in (*partition.universal, *partition.dropped)} & set(LOOKALIKES)


@pytest.mark.parametrize("name", [name for name in MULTI if load_topology(name).ownership == "prefix"])
def test_control_tools_go_to_every_role_that_has_tools_or_stay_with_the_root(name: str) -> None:
    topology = load_topology(name)
    partition = partition_tools((*builtin_tools(), *spec_families()), topology)
    apart = {tool.name for tool in (*partition.universal, *partition.dropped)}
    assert apart == control_names()
    for agent in partition:
        shared = {tool.name for tool in partition.tools_of(agent)} & control_names()
        assert shared == ({tool.name for tool in partition.universal} if partition[agent] else set())


def test_only_tools_that_come_along_are_control_tools() -> None:
    assert {tool.name for tool in sample_tools() if tool.is_control} == control_names()
    assert not any(tool.is_control for tool in tools_by_name(["agent_spawn", {"name": "task_create"}]))


def test_calls_of_lookalikes_are_counted_and_those_of_control_tools_are_not(tmp_path: Path) -> None:
    calls = [*((name, {}) for name in LOOKALIKES), ("task_list", {}), ("agent_wait", {"agent_id": "arun-9"})]
    model = ScriptedModel([*calls, "Done."])
    engine = Engine(tools=[*builtin_tools(), *OWN], topology="solo", model=model, workspace=tmp_path)
    trace = asyncio.run(engine.run("Go on"))
    assert trace.turn.tool_calls == len(LOOKALIKES)


def test_calls_of_lookalikes_are_kept_on_tape(tmp_path: Path) -> None:
    wrapped = Cassette(tmp_path / "tape.json").tools((*builtin_tools(), *OWN), live=True)
    same = {after.name for before, after in zip((*builtin_tools(), *OWN), wrapped, strict=True) if after is before}
    assert same == {tool.name for tool in builtin_tools() if tool.is_control}


NAMESAKES: tuple[Tool, ...] = tuple(tool(act, name=name, safety="safe") for name in sorted(control_names()))
"""Tools of one's own that are called what a control tool is called that comes along."""


def test_calls_of_namesakes_are_work_that_later_turns_see(tmp_path: Path) -> None:
    model = ScriptedModel([*((one.name, {}) for one in NAMESAKES), "Done."])
    engine = Engine(tools=NAMESAKES, topology="solo", model=model, workspace=tmp_path)
    trace = asyncio.run(engine.run("Go on"))
    assert trace.turn.tool_calls == len(NAMESAKES)
    kept = [call.name for message in engine.session().messages for call in message.tool_calls]
    assert kept == [one.name for one in NAMESAKES]


def test_a_specialist_may_have_a_namesake_of_what_starts_runs(tmp_path: Path) -> None:
    own = tool(act, name="agent_spawn", safety="safe")
    mine = AgentSpec(name="mine", description="acts", prefixes=("agent_",), source=Source.USER)
    model = ScriptedModel(
        {"lango-orchestrator": [("transfer_to_agent", {"agent_name": "mine"})], "mine": [("agent_spawn", {}), "Done."]}
    )
    engine = Engine(tools=[own], agents=[mine], topology="octet", model=model, workspace=tmp_path)
    trace = asyncio.run(engine.run("Go on"))
    assert (trace.turn.outcome, trace.turn.tool_calls) == ("success", 1), trace.turn.error_code


def finished(name: str, seq: int, role: ToolRole | None) -> ToolFinished:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return ToolFinished(
        turn_id="turn-1", seq=seq, at=now, author="root", call_id=f"c{seq}", tool=name, result="", role=role
    )


@pytest.mark.parametrize(("role", "calls"), [("work", 2), ("control", 0), (None, 1)])
def test_an_interrupted_turn_counts_what_was_recorded_as_work(role: ToolRole | None, calls: int) -> None:
    """Records from before tools had roles know names only."""
    events = [finished("task_list", 1, role), finished("task_wipe", 2, role)]
    row: Row = {
        "id": "turn-1",
        "number": 1,
        "session_id": "s",
        "text": "Go on",
        "started_at": "2026-01-01T00:00:00+00:00",
    }
    store = open_store("memory")
    store.log.begin(row, [])
    closing = Closing(StoredTurn(row, [pack_event(event) for event in events], {}), (), events[0].at, "root")
    closing.write(store)
    assert [row["tool_calls"] for row in store.log.rows()] == [calls]


def test_a_recording_knows_a_namesake_by_its_schema() -> None:
    """What a tool of one's own gave is compared as it is: only what the engine makes up has ids that are numbered."""

    def key(tools: Sequence[Tool], task: str) -> str:
        call = ToolCall(id="c", name="task_create", arguments={})
        answer = Message(role="tool", content=f'{{"task_id":"{task}"}}', tool_call_id="c", tool_name="task_create")
        said = [Message(role="user", content="Go on"), Message(role="assistant", tool_calls=(call,)), answer]
        return form_of(said, [one.schema for one in tools])[0].key

    same, other = ("task-3", "task-4")
    assert key(TASK_TOOLS, same) == key(TASK_TOOLS, other)
    assert key(NAMESAKES, same) != key(NAMESAKES, other)


def test_the_offline_model_calls_a_namesake_for_what_it_does_and_reports_what_it_gave() -> None:
    said = [Message(role="user", content="list my tasks", author="user")]
    note = Tool("task_list", "Print the notes of a project.", role="work")
    offer = Offer.read([note.schema])
    assert not offer.names
    assert not offer.targets
    call = ToolCall(id="c", name="task_list", arguments={})
    answer = Message(role="tool", content="three notes", tool_call_id="c", tool_name="task_list")
    said += [Message(role="assistant", tool_calls=(call,)), answer]
    assert "three notes" in asyncio.run(OfflineModel().complete(said, [note.schema])).text
