"""A genome at work as a whole: folders of others, notes and tasks, delegates side by side, one that is interrupted."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from lango_nb import Lab
from lango_nb.core.errors import DefinitionError, UsageError
from lango_nb.core.json_value import JsonValue
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.engine import Engine
from lango_nb.runtime.control.delegate import parse_plan_response
from lango_nb.specs.agent_yaml import load_bootstrap_agents
from tests.cast import Cast
from tests.scenarios.test_004_genome import TOOLS, EngineOn, agent, genome

ORIGINAL = Path(__file__).parents[1] / "data" / "bootstrap"
"""Agents as the original's author writes them: its fields, both endings, names of its own tools."""


def test_a_folder_written_for_the_original_is_taken_over_and_what_is_not_here_is_a_line_each(tmp_path: Path) -> None:
    agents = {spec.name: spec for spec in load_bootstrap_agents(ORIGINAL)}
    root, planner = agents["root"], agents["qm-planner"]
    assert (len(agents), root.version, root.model) == (10, 2, "best")
    assert (root.constraints.max_turns, root.constraints.timeout_s, root.constraints.can_learn) == (200, 0, True)
    assert (root.constraints.can_spawn, planner.constraints.can_spawn, planner.constraints.timeout_s) == (
        True,
        False,
        60,
    )
    assert agents["reader"].tools == ("read_file", "grep", "glob")
    (tmp_path / "notes.md").write_text("one\ntwo\n")
    lab = Lab(workspace=tmp_path, approver="allow")
    shown = " ".join(lab.open_genome(tmp_path / "genome", ORIGINAL).text.split())
    gone = "is no agent of this genome and no tool here; it is left out"
    write = "holds nobody back here: agents write wherever the workspace allows it; take the tools away"
    assert [found.what.removeprefix("agents/") for found in lab.genome.strange] == [
        f"mcp.yaml:7: capabilities, item 3: 'mcp_call' {gone}",
        f"qm-fabricator.yaml:8: capabilities, item 4: 'save_tool' {gone}",
        f"qm-fabricator.yaml:9: capabilities, item 5: 'save_file' {gone}",
        f"qm-fabricator.yaml:16: constraints.allowed_write_paths: {write}",
        "qm-planner.yaml:19: thinking: is kept and not read by this version",
    ]
    assert all(found.what in shown for found in lab.genome.strange)
    assert lab.ask("count the lines of notes.md").answer == "notes.md has 2 lines."
    assert lab.tree.record["quartermaster"].delegates == ("qm-indexer", "qm-planner", "qm-fabricator")
    assert (tmp_path / "genome" / "agents" / "qm-planner.yaml").read_text().count("budget_tokens: 4000") == 1


def test_what_is_to_be_remembered_and_done_is_noted_by_the_agent_that_lists_the_tools(tmp_path: Path) -> None:
    lab = Lab("genome", workspace=tmp_path, approver="allow")
    said = [
        lab.ask(text)
        for text in (
            "remember that the shed code is 4711",
            "what is the shed code?",
            "add a task: water the basil",
            "what is left to do?",
            "mark water the basil as done",
        )
    ]
    assert {result.path for result in said} == {("root", "note-keeper", "root")}
    assert "4711" in said[1].answer
    assert "water the basil" in said[3].answer
    assert [task.status for task in lab.tasks] == ["done"]


@pytest.mark.parametrize("kind", ["memory", "task", "command", "edit", pytest.param(None, marks=pytest.mark.slow)])
def test_tasks_are_done_as_often_as_in_octet(kind: str | None, tmp_path: Path) -> None:
    done = Lab(workspace=tmp_path).evaluate_tasks("tasks", topologies=["octet", "genome"], kind=kind).df
    octet, genome_done = done.set_index("topology")["done"][["octet", "genome"]]
    assert done["turns"].min() >= 5
    assert genome_done >= octet - 0.05


def test_init_with_a_folder_that_holds_no_genome_says_so_and_makes_nothing(tmp_path: Path) -> None:
    lab = Lab(workspace=tmp_path)
    later, rootless = tmp_path / "later", tmp_path / "rootless"
    for place in (later, rootless):
        place.mkdir()
    (later / "root.md").write_text("---\nname: root\n---\nYou are root.\n")
    (rootless / "reader.yaml").write_text((ORIGINAL / "reader.yaml").read_text())
    for place, said in (
        (later, r"later: holds no agent \(root.md is Markdown\)"),
        (rootless, "there is no agent 'root'"),
    ):
        with pytest.raises(DefinitionError, match=said):
            lab.open_genome(tmp_path / "genome", place)
    assert not (tmp_path / "genome").exists()
    assert lab.topology == "octet"


def test_a_delegation_that_was_read_is_executed_by_a_fresh_agent_one_level_deeper(engine_on: EngineOn) -> None:
    cast = Cast({"reader": ["three", "four"]})
    engine = engine_on(genome(agent("root", "reader"), agent("reader", can_spawn=False)), model=cast, tools=TOOLS)
    goals: list[dict[str, JsonValue]] = [
        {"agent_name": "reader", "goal": "count", "hints": ["in a.md"]},
        {"agent_name": "reader", "goal": "again"},
        {"agent_name": "stranger", "goal": "count"},
    ]
    calls = [ToolCall(id=str(place), name="delegate", arguments=goal) for place, goal in enumerate(goals)]
    plan = parse_plan_response(calls, ["reader"])
    first, second = (asyncio.run(engine.execute_delegation(one, "mine")) for one in plan.delegations)
    assert (first.turn.answer, second.turn.answer) == ("three", "four")
    assert [run.requested_agent for run in (*first.runs, *second.runs)] == ["reader", "reader"]
    assert first.runs[0].instruction == "count\n\nHints:\n- in a.md"
    assert {run.spawn_depth for run in (*first.runs, *second.runs)} == {1}
    assert "count" not in str(cast.of("reader")[-1].messages[1:])
    strange = asyncio.run(engine.execute_delegation(plan.delegations[0]._replace(call=calls[2]), "mine"))
    assert "valid names: reader" in strange.turn.answer
    assert not strange.runs
    with pytest.raises(UsageError, match="use the topology genome"):
        asyncio.run(Engine(topology="octet").execute_delegation(plan.delegations[0]))


class Together:
    """A model whose agents meet: each goal is answered only once all of them are worked on, the last one first."""

    name = "together"

    def __init__(self, *goals: str) -> None:
        self._goals, self._begun = goals, 0
        self._ended: dict[str, asyncio.Event] = {}
        self.results: list[str] = []
        self.is_at_work, self._all = asyncio.Event(), asyncio.Event()

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        if messages[0].author != "root":
            return await self._work(messages[-1].content)
        if messages[-1].role == "tool":
            self.results = [message.content for message in messages if message.role == "tool"]
            return Reply(text="Done.")
        calls = [
            ToolCall(id=f"call-{goal}", name="delegate", arguments={"agent_name": "reader", "goal": goal})
            for goal in self._goals
        ]
        return Reply(tool_calls=tuple(calls))

    async def _work(self, goal: str) -> Reply:
        self._ended.setdefault(goal, asyncio.Event())
        self._begun += 1
        self.is_at_work.set()
        if self._begun == len(self._goals):
            self._all.set()
        await self._all.wait()
        later = self._goals[self._goals.index(goal) + 1 :]
        for other in later:
            await self._ended[other].wait()
        self._ended[goal].set()
        return Reply(text=f"answer to {goal}")


def test_goals_of_one_reply_are_worked_on_at_the_same_time_and_answered_in_their_order(engine_on: EngineOn) -> None:
    model = Together("first", "second", "third")
    made = genome(agent("root", "reader"), agent("reader", can_spawn=False))
    engine = engine_on(made, model=model, tools=TOOLS)
    trace = asyncio.run(asyncio.wait_for(engine.run("Go"), 20))
    assert trace.turn.answer == "Done."
    assert model.results == ["answer to first", "answer to second", "answer to third"]
    assert [run.requested_agent for run in trace.runs] == ["reader"] * 3


def test_a_turn_that_is_interrupted_ends_its_delegates_and_the_next_one_works(engine_on: EngineOn) -> None:
    model = Together("alone")
    made = genome(agent("root", "reader"), agent("reader", can_spawn=False))
    engine = engine_on(made, model=model, tools=TOOLS)

    async def interrupted() -> None:
        model._begun = -5  # it waits for others that never come
        turn = asyncio.ensure_future(engine.run("Go"))
        await model.is_at_work.wait()
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn

    asyncio.run(asyncio.wait_for(interrupted(), 20))
    (left,) = engine.traces.turns()
    assert left.outcome == "cancelled"
    assert [run.status for run in engine.traces.get(left.id).runs] == ["cancelled"]
    model._begun = 0
    assert engine.run_sync("Go").turn.answer == "Done."
