"""Control tools are those that say so: a tool of one's own is ordinary work, whatever it is called."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lango_nb.engine import Engine
from lango_nb.models.cassette import Cassette
from lango_nb.models.scripted import ScriptedModel
from lango_nb.routing.partition import partition_tools
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.topologies import load_topology, topology_names
from lango_nb.tools.builtin import builtin_tools, control_names
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


@pytest.mark.parametrize("name", MULTI)
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
