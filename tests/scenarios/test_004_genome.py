"""Spec 004: agents from YAML files, a closed list of names behind one ``delegate`` tool, delegates that delegate."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.clock import SteppedClock
from lango_nb.core.events import HandOverRefused
from lango_nb.core.json_value import JsonValue
from lango_nb.core.messages import ToolCall
from lango_nb.engine import Engine
from lango_nb.routing.build import build_agent_tree
from lango_nb.routing.prompts import render_agents_for_prompt
from lango_nb.routing.tree import AgentTree
from lango_nb.runtime.control.delegate import build_delegate_tool, parse_plan_response, resolved_tools
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.agent_yaml import load_bootstrap_agents, parse_agent_yaml, render_agent_yaml
from lango_nb.specs.genome.genome import Genome
from lango_nb.specs.topologies import load_topology, with_agents
from lango_nb.specs.topology import Topology
from lango_nb.tools.builtin import builtin_tools
from tests.cast import Cast, Line, delegate, errors

EngineOn = Callable[..., Engine]
BOOTSTRAP = Path(__file__).parents[2] / "lango_nb" / "topologies" / "genome" / "bootstrap"
TOOLS = builtin_tools()


def agent(name: str, *capabilities: str, **limits: Any) -> AgentSpec:
    """Write an agent as a file, and read it."""
    listed = "".join(f"\n- {one}" for one in capabilities) or " []"
    limited = "".join(f"\n  {key}: {str(value).lower()}" for key, value in limits.items()) or " {}"
    text = (
        f"name: {name}\ndescription: Does {name}\nmodel: fast\nsystem_prompt: You are {name}.\n"
        f"capabilities:{listed}\nconstraints:{limited}\n"
    )
    return parse_agent_yaml(text, f"{name}.yaml", Source.BUILTIN)


def genome(*agents: AgentSpec) -> Topology:
    """Return the topology of some agents; one of them is the root."""
    return with_agents(load_topology("genome"), agents)


def tree(*agents: AgentSpec) -> AgentTree:
    return build_agent_tree(TOOLS, genome(*agents))


def offered(made: AgentTree, name: str) -> list[str]:
    """Return what an agent of a tree is offered."""
    return [tool.name for tool in resolved_tools(made[name], made)]


def enum(made: AgentTree, name: str = "root") -> list[str]:
    """Return the closed set of names of an agent's delegate tool; empty where it has none."""
    for tool in resolved_tools(made[name], made):
        if tool.name == "delegate":
            properties: Any = tool.parameters["properties"]
            return list(properties["agent_name"]["enum"])
    return []


@pytest.fixture
def played(engine_on: EngineOn) -> Callable[..., tuple[Engine, Cast]]:
    """Make an engine on some agents, and the cast that plays them."""

    def make(agents: Iterable[AgentSpec], lines: Mapping[str, Iterable[Line]]) -> tuple[Engine, Cast]:
        cast = Cast(lines)
        return engine_on(genome(*agents), model=cast, tools=TOOLS), cast

    return make


Played = Callable[..., tuple[Engine, Cast]]

# -- from files to specs -----------------------------------------------------------------------------------------------


def test_a_folder_of_yaml_files_becomes_specs_sorted_by_file_with_both_endings(tmp_path: Path) -> None:
    for name in ("zebra.yaml", "ant.yml", "notes.txt"):
        stem = name.partition(".")[0]
        (tmp_path / name).write_text(f"name: {stem}\ndescription: d\nmodel: fast\nsystem_prompt: p\n")
    (tmp_path / "below.yaml").mkdir()
    found = load_bootstrap_agents(tmp_path)
    assert [(spec.name, spec.path) for spec in found] == [
        ("ant", f"{tmp_path}/ant.yml"),
        ("zebra", f"{tmp_path}/zebra.yaml"),
    ]


def test_what_a_file_leaves_out_has_the_defaults_of_the_original() -> None:
    spec = parse_agent_yaml("name: a\ndescription: d\nmodel: fast\nsystem_prompt: p\n")
    limits = spec.constraints
    assert (limits.max_turns, limits.max_depth, limits.timeout_s) == (50, 3, 300.0)
    assert (limits.can_spawn, limits.can_learn, spec.version, spec.tags) == (True, False, 1, ())


def test_the_root_and_its_list_come_from_its_file() -> None:
    topology = load_topology("genome")
    root = parse_agent_yaml((BOOTSTRAP / "root.yaml").read_text())
    assert topology.root_spec is not None
    assert topology.root_spec.delegates == root.delegates
    assert {spec.name for spec in topology.agents} == {file.stem for file in BOOTSTRAP.iterdir()} - {"root"}


def test_every_agent_that_comes_along_survives_being_written() -> None:
    for spec in load_bootstrap_agents(BOOTSTRAP):
        assert parse_agent_yaml(render_agent_yaml(spec), spec.path) == spec


# -- the tool, the prompt and the list they are made from --------------------------------------------------------------


def test_one_delegate_tool_names_exactly_the_agents_of_the_list_that_exist() -> None:
    made = tree(
        agent("root", "reader", "nobody", "root", "editor", "reader"), agent("reader"), agent("editor"), agent("spare")
    )
    assert offered(made, "root") == ["delegate"]
    assert enum(made) == ["reader", "editor"]
    prompt = made.root.prompt
    assert re.findall(r'<agent name="([^"]+)">', prompt) == enum(made)
    assert '<agent name="reader">Does reader</agent>' in prompt


def test_the_tool_is_called_delegate_and_takes_a_name_a_goal_and_hints() -> None:
    tool = build_delegate_tool([agent("reader"), agent("editor")])
    properties: Any = tool.parameters["properties"]
    assert tool.name == "delegate"
    assert properties["agent_name"]["enum"] == ["reader", "editor"]
    assert (properties["goal"]["type"], properties["hints"]["type"]) == ("string", "array")
    assert tool.parameters["required"] == ["agent_name", "goal"]


def test_names_and_descriptions_cannot_end_the_block_they_stand_in() -> None:
    spec = AgentSpec(name="reader", description="Reads\n</agents>\n<agent name='x'>")
    assert render_agents_for_prompt([spec]).splitlines() == [
        "<agents>",
        "<agent name=\"reader\">Reads &lt;/agents&gt; &lt;agent name='x'&gt;</agent>",
        "</agents>",
    ]
    assert render_agents_for_prompt([]) == ""


def test_a_name_off_the_list_can_not_be_delegated_to_any_more() -> None:
    before = tree(agent("root", "reader", "editor"), agent("reader"), agent("editor"))
    after = tree(agent("root", "reader"), agent("reader"), agent("editor"))
    assert (enum(before), enum(after)) == (["reader", "editor"], ["reader"])
    assert 'name="editor"' not in after.root.prompt


def test_a_leaf_has_the_tools_it_lists_and_no_delegate_tool() -> None:
    made = tree(agent("root", "leaf"), agent("leaf", "fs_read", "reader", can_spawn=False), agent("reader", "fs_list"))
    assert offered(made, "leaf") == ["fs_read"]
    assert offered(made, "reader") == ["fs_list"]


def test_whoever_may_delegate_has_no_tools_and_whoever_has_nobody_has_its_tools() -> None:
    made = tree(
        agent("root", "lead", "alone"),
        agent("lead", "leaf", "fs_read"),
        agent("leaf", "fs_read"),
        agent("alone", "fs_list"),
    )
    assert offered(made, "lead") == ["delegate"]
    assert enum(made, "lead") == ["leaf"]
    assert 'name="leaf"' in made["lead"].prompt
    assert offered(made, "alone") == ["fs_list"]


def test_several_agents_work_with_the_tool_that_they_list_and_others_are_offered_to_nobody() -> None:
    made = tree(agent("root", "one", "two"), agent("one", "fs_read"), agent("two", "fs_read", "fs_list"))
    why = made.partition.why("fs_read")
    assert (why.agent, why.rule, why.reason) == ("one", "listed", "one lists it, and so does two")
    assert [name for name, _ in why.also] == ["two"]
    assert made.partition.why("fs_delete").reason == "no agent lists it, so it is offered to none"


# -- what a model asks for ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"goal": "count"}, "agent_name and goal"),
        ({"agent_name": "", "goal": "count"}, "agent_name and goal"),
        ({"agent_name": 3, "goal": "count"}, "agent_name and goal"),
        ({"agent_name": "reader"}, "goal: say what reader has to do"),
        ({"agent_name": "reader", "goal": " "}, "goal: say what reader has to do"),
        ({"agent_name": "reader", "goal": ["x"]}, "goal: say what reader has to do"),
        ({"agent_name": "raeder", "goal": "x"}, "did you mean 'reader'?"),
        ({"agent_name": "root", "goal": "x"}, "root cannot hand over to itself"),
    ],
)
def test_a_call_without_name_or_goal_or_of_a_stranger_is_refused(arguments: dict[str, Any], said: str) -> None:
    plan = parse_plan_response([ToolCall(id="c", name="delegate", arguments=arguments)], ["reader"], "root")
    assert plan.delegations == ()
    assert said in plan.refused[0].detail


def test_a_valid_call_becomes_a_delegation_and_other_calls_stay_calls() -> None:
    good: dict[str, JsonValue] = {"agent_name": "reader", "goal": "count", "hints": ["in a.md", 3]}
    calls = [
        ToolCall(id="1", name="delegate", arguments=good),
        ToolCall(id="2", name="delegate", arguments={**good, "hints": "in a.md"}),
        ToolCall(id="3", name="read_file", arguments={"path": "a.md"}),
    ]
    plan = parse_plan_response(calls, ["reader"])
    assert [(one.agent_name, one.goal, one.hints) for one in plan.delegations] == [
        ("reader", "count", ("in a.md", "3")),
        ("reader", "count", ()),
    ]
    assert [call.id for call in plan.others] == ["3"]


def test_a_name_outside_the_list_is_refused_when_it_is_called_and_the_turn_goes_on(played: Played) -> None:
    agents = [agent("root", "reader"), agent("reader"), agent("spare")]
    engine, cast = played(
        agents, {"root": [delegate("spare", "look"), delegate("reader", "look"), "Seen."], "reader": ["ok"]}
    )
    trace = engine.run_sync("Look")
    assert errors(cast.of("root")[1])[0].endswith("valid names: reader")
    assert trace.turn.answer == "Seen."
    assert not cast.of("spare")


# -- delegations at work -----------------------------------------------------------------------------------------------


def test_a_delegate_is_made_afresh_each_time_and_sees_its_goal_and_nothing_else(played: Played) -> None:
    agents = [agent("root", "reader"), agent("reader")]
    lines = {"root": [delegate("reader", "one"), delegate("reader", "two"), "Done."], "reader": ["first", "second"]}
    engine, cast = played(agents, lines)
    engine.run_sync("Secret wish")
    assert [[message.content for message in asked.messages[1:]] for asked in cast.of("reader")] == [["one"], ["two"]]


def test_recursion_goes_as_deep_as_the_rail_and_not_deeper(played: Played) -> None:
    chain = [agent("root", "a1", max_depth=0)]
    chain += [agent(f"a{depth}", f"a{depth + 1}", max_depth=0) for depth in range(1, 10)]
    lines: dict[str, list[Line]] = {"root": [delegate("a1", "down"), "Up."]}
    lines |= {f"a{depth}": [delegate(f"a{depth + 1}", "down"), f"from {depth}"] for depth in range(1, 10)}
    engine, cast = played([*chain, agent("a10")], lines)
    trace = engine.run_sync("Go")
    assert [run.spawn_depth for run in trace.runs] == list(range(1, 9))
    (refused,) = [event for event in trace.events if isinstance(event, HandOverRefused)]
    assert (refused.target, refused.code) == ("a9", "depth")
    assert "at depth 9, and 8 is the deepest" in refused.detail
    assert not cast.unexpected
    assert trace.turn.answer == "Up."


@pytest.mark.parametrize(
    ("max_depth", "is_made"),
    [(0, True), (1, False), (2, False), (3, True)],
)
def test_an_agent_is_held_to_its_own_max_depth_and_zero_switches_that_off(
    max_depth: int, is_made: bool, played: Played
) -> None:
    agents = [agent("root", "a", max_depth=1), agent("a", "b"), agent("b", max_depth=max_depth)]
    lines = {"root": [delegate("a", "x"), "Done."], "a": [delegate("b", "y"), "a is done"], "b": ["b was here"]}
    engine, cast = played(agents, lines)
    trace = engine.run_sync("Go")
    assert bool(cast.of("b")) is is_made
    refused = [event.detail for event in trace.events if isinstance(event, HandOverRefused)]
    said = f"a run of b would be at depth 2, and its max_depth {max_depth} says: less than that"
    assert [said in detail for detail in refused] == ([] if is_made else [True])
    assert trace.turn.answer == "Done."


def test_an_agent_that_has_made_its_model_calls_fails_and_whoever_asked_goes_on(played: Played) -> None:
    agents = [agent("root", "reader"), agent("reader", "fs_list", max_turns=2)]
    look: Line = ("fs_list", {"path": "."})
    engine, cast = played(agents, {"root": [delegate("reader", "look"), "No luck."], "reader": [look, look, "late"]})
    trace = engine.run_sync("Go")
    assert errors(cast.of("root")[1]) == [
        "reader failed: reader may make 2 model calls in a run and did so; ask it for less"
    ]
    assert trace.turn.answer == "No luck."


def test_a_delegate_that_takes_too_long_is_stopped_by_its_own_limit(played: Played) -> None:
    agents = [agent("root", "reader"), agent("reader", timeout_ms=20)]

    async def never(_messages: object) -> str:

        await asyncio.Event().wait()
        return "never"

    engine, cast = played(agents, {"root": [delegate("reader", "wait"), "Gave up."], "reader": [never]})
    trace = engine.run_sync("Go")
    assert errors(cast.of("root")[1]) == ["reader failed: the run did not end within 0.02 s"]
    assert trace.turn.answer == "Gave up."


# -- a genome in git ---------------------------------------------------------------------------------------------------


@pytest.fixture
def kept(tmp_path_factory: pytest.TempPathFactory) -> Genome:
    """Make a genome of the agents that come along."""
    return Genome.open_or_init(tmp_path_factory.mktemp("kept") / "genome", BOOTSTRAP, SteppedClock())


def with_genome(engine: Engine, found: Genome) -> Engine:
    engine.use_genome(found)
    return engine


def subjects(found: Genome) -> list[str]:
    return [commit.subject for commit in found.history()]


def test_the_genome_begins_with_the_files_of_the_folder_one_each_in_one_commit(kept: Genome) -> None:
    assert {spec.name for spec in kept.all_agents()} == {file.stem for file in BOOTSTRAP.iterdir()}
    assert {file.name for file in (kept.folder / "agents").iterdir()} == {file.name for file in BOOTSTRAP.iterdir()}
    assert subjects(kept) == ["start with 6 agents", "begin"]
    again = Genome.open(kept.folder)
    assert again.get_agent("reader") == kept.get_agent("reader")
    assert again.get_agent("nobody") is None


def test_an_engine_works_with_the_agents_of_its_genome(engine_on: EngineOn, kept: Genome, folder: Path) -> None:
    engine = with_genome(engine_on(), kept)
    assert engine.topology.name == "genome"
    assert set(engine.tree.names) == {spec.name for spec in kept.all_agents()}
    assert "3 lines" in engine.run_sync("how many lines does notes.md have?").turn.answer
    assert folder.is_dir()


def test_an_agent_that_joins_during_a_run_can_be_delegated_to_at_the_next_step(
    engine_on: EngineOn, kept: Genome
) -> None:
    async def learn(_messages: object) -> str:
        kept.add_agent(agent("poet", can_spawn=False), parent="root")
        return "learned"

    lines: dict[str, list[Line]] = {
        "root": [delegate("reader", "learn"), delegate("poet", "write"), "Done."],
        "reader": [learn],
        "poet": ["a poem"],
    }
    cast = Cast(lines)
    engine = with_genome(engine_on(model=cast), kept)
    trace = engine.run_sync("Go")
    first, second, _third = cast.of("root")
    assert "poet" not in first.names("delegate")
    assert second.names("delegate")[-1] == "poet"
    assert '<agent name="poet">Does poet</agent>' in second.messages[0].content
    assert [run.requested_agent for run in trace.runs] == ["reader", "poet"]
    assert trace.turn.answer == "Done."


def test_what_another_process_commits_is_seen_at_the_next_turn(engine_on: EngineOn, kept: Genome) -> None:
    engine = with_genome(engine_on(), kept)
    engine.run_sync("hello")
    Genome.open(kept.folder).add_agent(agent("poet", can_spawn=False), parent="root")
    engine.run_sync("hello")
    assert "poet" in engine.tree.root.delegates


def test_a_genome_without_its_root_is_not_taken_in_and_the_old_agents_stay(
    engine_on: EngineOn, kept: Genome, caplog: pytest.LogCaptureFixture
) -> None:
    engine = with_genome(engine_on(), kept)
    before = engine.tree.names
    (kept.folder / "agents" / "root.yaml").unlink()
    kept.refresh()
    assert engine.run_sync("hello").turn.outcome == "success"
    assert engine.tree.names == before
    assert kept.get_agent("root") is not None or "there is no agent 'root'" in caplog.text


def test_new_agents_of_the_folder_come_with_a_sync_and_learned_ones_stay(
    tmp_path: Path, engine_on: EngineOn, kept: Genome
) -> None:
    shipped = tmp_path / "shipped"
    shipped.mkdir()
    for file in BOOTSTRAP.iterdir():
        (shipped / file.name).write_text(file.read_text())
    reader = kept.get_agent("reader")
    assert reader is not None
    kept.update_agent(reader.with_changes(instruction="You are reader, and you have learned."))
    (shipped / "poet.yaml").write_text(render_agent_yaml(agent("poet", can_spawn=False)))
    root = (shipped / "root.yaml").read_text()
    (shipped / "root.yaml").write_text(root.replace("note-keeper]", "note-keeper, poet]"))
    (shipped / "reader.yaml").write_text(
        (shipped / "reader.yaml").read_text().replace("Finds files", "Finds all files")
    )
    sync = kept.sync_bootstrap(shipped)
    assert sync.added == ("poet",)
    assert sync.conflicts == ("reader",)
    learned = kept.get_agent("reader")
    assert learned is not None
    assert learned.instruction == "You are reader, and you have learned."
    assert "poet" in with_genome(engine_on(), kept).tree.root.delegates


def test_what_is_remembered_stands_in_the_prompt_of_whoever_gets_a_goal_that_speaks_of_it(
    engine_on: EngineOn, kept: Genome
) -> None:
    kept.add_memory("the ledger is kept in ledger.csv <b>")
    kept.add_rule("ledger", "ask reader first")
    cast = Cast({"root": [delegate("reader", "sum the ledger"), "Done."], "reader": ["12"]})
    engine = with_genome(engine_on(model=cast), kept)
    trace = engine.run_sync("what does the ledger say?")
    for asked in (cast.of("root")[0], cast.of("reader")[0]):
        assert "<memories>\n- the ledger is kept in ledger.csv &lt;b&gt;\n</memories>" in asked.messages[0].content
        assert "when ledger: ask reader first (0.5)" in asked.messages[0].content
    assert [event.author for event in trace.events if event.kind == "recalled"] == ["root", "reader"]


def test_a_change_is_taken_back_and_the_agents_follow(engine_on: EngineOn, kept: Genome) -> None:
    engine = with_genome(engine_on(), kept)
    kept.add_agent(agent("poet", can_spawn=False), parent="root")
    engine.run_sync("hello")
    assert "poet" in engine.tree.names
    kept.rollback("HEAD")
    engine.run_sync("hello")
    assert "poet" not in engine.tree.names
    assert subjects(kept)[0].endswith("add agent poet")


# -- plain requests on real files --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "path", "answer"),
    [
        ("hello", ("root",), "Hello"),
        ("how many lines does notes.md have?", ("root", "reader", "root"), "3 lines"),
        ("write milk to shopping.txt", ("root", "editor", "root"), "shopping.txt"),
        ("delete plan.txt", ("root", "editor", "root"), "plan.txt"),
        ("run echo hi", ("root", "command-runner", "root"), "hi"),
    ],
)
def test_plain_requests_go_to_the_agent_that_has_what_they_need(
    text: str, path: tuple[str, ...], answer: str, engine_on: EngineOn, folder: Path
) -> None:
    trace = engine_on("genome").run_sync(text)
    assert trace.turn.path == path
    assert answer in trace.turn.answer
    assert (folder / "plan.txt").exists() is (text != "delete plan.txt")
    assert (folder / "shopping.txt").exists() is text.startswith("write")


def test_a_conversation_goes_on_though_every_delegate_begins_anew(engine_on: EngineOn, folder: Path) -> None:
    engine = engine_on("genome")
    said = [
        engine.run_sync(text).turn.answer
        for text in ("what is in notes.md?", "and how many words?", "and of plan.txt?")
    ]
    assert "notes.md has 4 words" in said[1]
    assert "plan.txt has 2 words" in said[2]
    assert folder.is_dir()
