"""Spec 002: six agents as data, a fixed matching order, a bucket for tools of nobody, a routing table, ``[REJECT]``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from lango_nb.config.settings import Settings
from lango_nb.core.messages import Message, Reply, ToolSchema
from lango_nb.engine import Engine
from lango_nb.models.offline.model import OfflineModel
from lango_nb.models.scripted import ScriptedModel
from lango_nb.routing.build import build_agent_tree
from lango_nb.routing.partition import partition_tools
from lango_nb.routing.table import RoutingTable
from lango_nb.routing.tree import AgentTree
from lango_nb.runtime.control.transfer import TransferControl
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.topologies import load_topology
from lango_nb.specs.topology import Topology
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool

TreeOf = Callable[..., AgentTree]
EngineOn = Callable[..., Engine]
MULTI = Settings.model_validate({"agent": {"multiAgent": True}})

FAMILIES = {
    "operator": ("exec_shell", "fs_read", "skill_greet"),
    "navigator": ("browser_navigate",),
    "vault": ("crypto_hash", "secrets_get", "payment_send"),
    "librarian": (
        "search_docs",
        "rag_retrieve",
        "graph_query",
        "save_knowledge",
        "save_learning",
        "create_skill",
        "list_skills",
    ),
    "chronicler": ("memory_recall", "observe_now", "reflect_now"),
}
"""Tools of every prefix, by owner."""
ALL = tuple(tool for tools in FAMILIES.values() for tool in tools)
ROSTER = ("operator", "navigator", "vault", "librarian", "planner", "chronicler")


def overlapping(order: Sequence[str]) -> Topology:
    """Let the operator claim ``save_`` too, which covers two names of the librarian."""
    sextet = load_topology("sextet")
    agents = tuple(
        spec.with_changes(prefixes=(*spec.prefixes, "save_")) if spec.name == "operator" else spec
        for spec in sextet.agents
    )
    return sextet.model_copy(update={"agents": agents, "match_order": tuple(order)})


# -- 1: agents are data ------------------------------------------------------------------------------------------------


def test_1_agents_are_data(tree_of: TreeOf) -> None:
    sextet = load_topology("sextet")
    assert tuple(spec.name for spec in sextet.agents) == ROSTER
    assert all(isinstance(spec, AgentSpec) for spec in sextet.agents)
    tree = tree_of("sextet", *ALL)
    assert [node.spec for node in tree.agents] == list(sextet.agents)
    renamed = sextet.model_copy(
        update={"agents": tuple(spec.with_changes(name=f"x-{spec.name}") for spec in sextet.agents), "match_order": ()}
    )
    other = build_agent_tree([Tool(name) for name in ALL], renamed)
    assert [node.name for node in other.agents] == [f"x-{name}" for name in ROSTER]
    assert other.agents[0].tools[0].name == "exec_shell"


def test_1_one_change_of_data_adds_and_removes_an_agent() -> None:
    sextet = load_topology("sextet")
    painter = AgentSpec(name="painter", description="Paints.", prefixes=("paint_*",))
    tools = [Tool(name) for name in (*ALL, "paint_wall")]
    wider = build_agent_tree(tools, sextet.model_copy(update={"agents": (*sextet.agents, painter)}))
    assert [node.name for node in wider.agents] == [*ROSTER, "painter"]
    assert "painter" in wider.root.prompt
    assert wider.partition["painter"] == ("paint_wall",)
    rest = tuple(spec for spec in sextet.agents if spec.name != "vault")
    narrower = build_agent_tree(tools, sextet.model_copy(update={"agents": rest}))
    assert "vault" not in narrower
    assert "vault" not in narrower.root.prompt
    assert {tool.name for tool in narrower.partition.unmatched} == {*FAMILIES["vault"], "paint_wall"}


# -- 2: six agents -----------------------------------------------------------------------------------------------------


def test_2_executor_is_split_into_operator_navigator_vault(tree_of: TreeOf) -> None:
    before, after = tree_of("quartet", *ALL).partition, tree_of("sextet", *ALL).partition
    heirs = ("operator", "navigator", "vault")
    moved = {tool for name in heirs for tool in after[name]}
    assert moved <= set(before["executor"])
    assert {name: after[name] for name in heirs} == {name: FAMILIES[name] for name in heirs}
    assert "executor" not in after


def test_2_researcher_and_memory_manager_are_renamed(tree_of: TreeOf) -> None:
    before, after = tree_of("quartet", *ALL).partition, tree_of("sextet", *ALL).partition
    assert set(before["researcher"]) <= set(after["librarian"])
    assert before["memory-manager"] == after["chronicler"]
    assert "researcher" not in after
    assert "memory-manager" not in after


def test_2_each_agent_owns_its_families_and_no_other(tree_of: TreeOf) -> None:
    partition = tree_of("sextet", *ALL).partition
    assert {name: partition[name] for name in ROSTER} == {**FAMILIES, "planner": ()}


# -- 3: the order of matching ------------------------------------------------------------------------------------------


def test_3_matching_order(tree_of: TreeOf) -> None:
    order = ("librarian", "chronicler", "navigator", "vault", "operator")
    assert load_topology("sextet").match_order == order
    assert tree_of("sextet", *ALL).partition.order[: len(order)] == order


def test_3_librarian_first_decides_between_overlapping_prefixes() -> None:
    tools = [Tool("save_knowledge"), Tool("save_draft"), Tool("save_learning")]
    order = load_topology("sextet").match_order
    first = partition_tools(tools, overlapping(order))
    assert first["librarian"] == ("save_knowledge", "save_learning")
    assert first["operator"] == ("save_draft",)
    assert first.why("save_knowledge").also == (("operator", "save_"),)
    last = partition_tools(tools, overlapping(order[::-1]))
    assert last["librarian"] == ()
    assert last["operator"] == ("save_knowledge", "save_draft", "save_learning")


def test_3_named_tools_are_the_librarians(tree_of: TreeOf) -> None:
    partition = tree_of("sextet", "save_knowledge", "create_skill", "list_skills", "skill_greet").partition
    assert partition["librarian"] == ("save_knowledge", "create_skill", "list_skills")
    assert partition["operator"] == ("skill_greet",)


# -- 4: tools of nobody ------------------------------------------------------------------------------------------------


def test_4_unmatched_tools_have_a_bucket_of_their_own(tree_of: TreeOf) -> None:
    tree = tree_of("sextet", *ALL, "zebra_paint", "yak_shave")
    assert [tool.name for tool in tree.partition.unmatched] == ["zebra_paint", "yak_shave"]
    assert tree.partition.owner("zebra_paint") is None
    assert not {"zebra_paint", "yak_shave"} & {tool.name for node in tree for tool in node.tools}


def test_4_root_prompt_names_unmatched_tools(tree_of: TreeOf) -> None:
    prompt = tree_of("sextet", *ALL, "zebra_paint", "yak_shave").root.prompt
    assert re.search(r"\bzebra_paint\b", prompt)
    assert re.search(r"\byak_shave\b", prompt)
    with_none = {section.id for section in tree_of("sextet", *ALL).root.sections}
    with_some = {section.id for section in tree_of("sextet", *ALL, "zebra_paint").root.sections}
    assert len(with_some - with_none) == 1


# -- 5: the routing table ----------------------------------------------------------------------------------------------


def test_5_routing_table_in_the_root_prompt(tree_of: TreeOf) -> None:
    tree = tree_of("sextet", *ALL)
    assert tree.table.names == ROSTER
    assert tree.table.to_markdown() in tree.root.prompt
    for row in tree.table:
        assert row.keywords, row.name
        assert row.accepts, row.name
        assert row.returns, row.name
        assert row.cannot, row.name
        assert f"### {row.name}\n" in tree.root.prompt


def test_5_routing_table_reads_back(tree_of: TreeOf) -> None:
    for tools in (ALL, FAMILIES["vault"], ()):
        tree = tree_of("sextet", *tools)
        assert RoutingTable.from_markdown(tree.root.prompt) == tree.table


def test_5_routing_table_stays_short(tree_of: TreeOf) -> None:
    lines = [line for line in tree_of("sextet", *ALL).table.to_markdown().splitlines() if line]
    assert len(lines) <= 12 * len(ROSTER)


def test_decision_protocol_in_the_root_prompt(tree_of: TreeOf) -> None:
    prompt = tree_of("sextet", *ALL).root.prompt
    places = [prompt.find(step) for step in ("CLASSIFY", "MATCH", "SELECT", "VERIFY", "DELEGATE")]
    assert -1 not in places
    assert places == sorted(places)


# -- 6: rejecting ------------------------------------------------------------------------------------------------------


def test_6_every_specialist_knows_the_reject_format(tree_of: TreeOf) -> None:
    tree = tree_of("sextet", *ALL)
    assert [node.name for node in tree.agents if "[REJECT]" not in node.prompt] == []
    assert [node.name for node in tree_of("quartet", *ALL).agents if "[REJECT]" in node.prompt] == []


def test_6_root_prompt_says_what_to_do_on_a_rejection(tree_of: TreeOf) -> None:
    (section,) = [section for section in tree_of("sextet", *ALL).root.sections if "[REJECT]" in section.text]
    assert re.search(r"next|another|other", section.text)


@tool(safety="safe", family="knowledge")
def search_knowledge(query: str) -> str:
    """Search what is known.

    Parameters
    ----------
    query : str
        What to look for.
    """
    return f"What is known of {query}: the first line says Notes."


class Refusing:
    """The offline model, except that some specialists find that nothing is theirs."""

    name = "refusing"

    def __init__(self, *refusing: str, willing: str) -> None:
        self._model = OfflineModel()
        self._refusing = refusing
        self._willing = willing
        self.asked: list[str] = []

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        prompt = messages[0].content
        for name in self._refusing:
            if f"You are {name}" in prompt:
                self.asked.append(name)
                return Reply(text=f"[REJECT] {name} does not do this.")
        if f"You are {self._willing}" in prompt:
            return Reply(text="notes.md says: one.")
        return await self._model.complete(messages, tools)


def test_6_rejection_moves_the_request_to_the_next_best_agent(engine_on: EngineOn, folder: Path) -> None:
    text = "Search our knowledge for the file notes.md and read it"
    tools = (*builtin_tools(), search_knowledge)
    engine = engine_on("sextet", settings=MULTI, tools=tools)
    ranked = [candidate.agent for candidate in engine.route(text).candidates if candidate.score > 0]
    assert len(ranked) >= 2
    first, second = ranked[:2]
    model = Refusing(first, willing=second)
    trace = engine_on("sextet", settings=MULTI, tools=tools, model=model).run_sync(text)
    assert model.asked == [first]
    declined = [event for event in trace.events if event.kind == "declined"]
    assert [(event.author, event.target) for event in declined] == [(first, "lango-orchestrator")]
    assert [event.target for event in trace.events if event.kind == "handover"] == [first, second]
    assert trace.turn.rounds == 2
    assert trace.turn.outcome == "success"
    assert "[REJECT]" not in trace.turn.answer
    assert not any(event.kind == "text" and "[REJECT]" in event.text for event in trace.events)
    again = trace.decisions[1]
    assert first in {agent for agent, _ in again.excluded}
    assert again.chosen == second


def test_specialists_cannot_hand_over_to_each_other(tree_of: TreeOf, engine_on: EngineOn) -> None:
    tree = tree_of("sextet", *ALL)
    assert [node.name for node in tree if TransferControl().schemas(node, tree)] == ["lango-orchestrator"]
    model = ScriptedModel(
        [
            ("transfer_to_agent", {"agent_name": "operator"}),
            ("transfer_to_agent", {"agent_name": "planner"}),
            "I do it myself.",
        ]
    )
    trace = engine_on("sextet", settings=MULTI, model=model).run_sync("Do something")
    assert [event.author for event in trace.events if event.kind == "handover"] == ["lango-orchestrator"]
    assert all(event.author != "planner" for event in trace.events)


# -- what follows ------------------------------------------------------------------------------------------------------


def test_agents_without_tools_are_skipped(tree_of: TreeOf) -> None:
    for owner, tools in FAMILIES.items():
        tree = tree_of("sextet", *tools)
        assert {node.name for node in tree.agents} == {owner, "planner"}
        assert set(tree.skipped) == set(ROSTER) - {owner, "planner"}


def test_history_of_renamed_agents_does_not_break_a_turn(engine_on: EngineOn, folder: Path) -> None:
    old = engine_on("quartet", settings=MULTI)
    old.run_sync("List the files in this folder")
    told = old.sessions.get("main").messages
    assert "executor" in {item.author for item in told}
    new = engine_on("sextet", settings=MULTI)
    new.sessions.open("main").messages += told
    trace = new.run_sync("Read the file notes.md")
    assert trace.turn.outcome == "success"
    assert "second" in trace.turn.answer
    assert {event.author for event in trace.events} <= {"user", *new.tree.names}
