"""Spec 000: four agents below an orchestrator, and the single agent that works alone.

Every ``#### Scenario`` of the document is a test of its name; ``test_requirement_*`` check what the paragraphs above
the scenarios promise. Scenarios about the graph, retrieval, memory and remote agents run on tools known by name,
switches and a fake network.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.messages import Message
from lango_nb.engine import Engine
from lango_nb.models.scripted import ScriptedModel
from lango_nb.records.sessions import author_of
from lango_nb.routing.capabilities import capability_description, tool_capability
from lango_nb.routing.tree import AgentTree
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.remotes import load_remote_agents
from lango_nb.specs.topologies import load_topology
from lango_nb.tools.by_name import spec_families
from lango_nb.tools.tool import Tool

TreeOf = Callable[..., AgentTree]
EngineOn = Callable[..., Engine]

FAMILIES = {
    "executor": ("exec_shell", "fs_read", "browser_navigate", "crypto_hash", "skill_greet", "payment_send"),
    "researcher": ("search_docs", "rag_retrieve", "graph_query", "save_knowledge", "save_learning"),
    "memory-manager": ("memory_list_observations", "observe_now", "reflect_now"),
}
"""Tools of every prefix the requirement names, by owner."""
ALL = tuple(tool for tools in FAMILIES.values() for tool in tools)
EVERY_NAME = ("executor", "researcher", "planner", "memory-manager")


def names_in(prompt: str) -> set[str]:
    """Return which of the four names a prompt mentions as whole words."""
    return {name for name in EVERY_NAME if re.search(rf"(?<![\w-]){name}(?![\w-])", prompt)}


def mentions(prompt: str, word: str) -> bool:
    """Tell whether a word stands in a prompt, whatever its case."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", prompt, re.IGNORECASE) is not None


def entry(tree: AgentTree, name: str) -> str:
    """Return what the root's prompt says of an agent in its list."""
    (line,) = [line for line in tree.root.prompt.splitlines() if line.startswith(f'- "{name}":')]
    return line


def section_ids(tree: AgentTree) -> set[str]:
    return {section.id for section in tree.root.sections}


# -- Hierarchical agent tree with sub-agents ---------------------------------------------------------------------------


def test_multi_agent_mode_enabled(tree_of: TreeOf, engine_on: EngineOn) -> None:
    tree = tree_of("quartet", *ALL)
    assert tree.root.name == "lango-orchestrator"
    assert tree.root.role == "orchestrator"
    assert [node.name for node in tree.agents] == list(EVERY_NAME)
    switched_on = engine_on(settings=Settings.model_validate({"agent": {"multiAgent": True}})).tree
    assert switched_on.root.role == "orchestrator"
    assert switched_on.agents


def test_orchestrator_has_no_direct_tools(tree_of: TreeOf) -> None:
    tree = tree_of("quartet", *ALL, "something_odd")
    assert tree.root.tools == ()
    given = [tool.name for node in tree for tool in node.tools]
    assert sorted(given) == sorted([*ALL, "something_odd"])


def test_single_agent_fallback(engine_on: EngineOn) -> None:
    engine = engine_on(settings=Settings.model_validate({"agent": {"multiAgent": False}}))
    assert engine.tree.agents == ()
    assert {tool.name for tool in engine.tree.root.tools} == set(engine.catalog.names)
    assert engine.catalog.names


# -- Tool partitioning by prefix ---------------------------------------------------------------------------------------


def test_requirement_prefixes_of_each_agent(tree_of: TreeOf) -> None:
    tree = tree_of("quartet", *ALL, "zebra_paint")
    for name, tools in FAMILIES.items():
        rest = ("zebra_paint",) if name == "executor" else ()
        assert tree.partition[name] == (*tools, *rest)
    assert tree.partition["planner"] == ()
    assert tree.partition.unmatched == ()


def test_graph_tools_routed_to_researcher(tree_of: TreeOf) -> None:
    partition = tree_of("quartet", "graph_traverse", "graph_query").partition
    assert partition["researcher"] == ("graph_traverse", "graph_query")
    assert partition.why("graph_traverse").prefix == "graph_"


def test_unmatched_tools_default_to_executor(tree_of: TreeOf) -> None:
    tree = tree_of("quartet", "zebra_paint", "search_docs")
    why = tree.partition.why("zebra_paint")
    assert (why.agent, why.rule) == ("executor", "fallback")
    assert "zebra_paint" in tree["executor"].tools_by_name
    assert tree.partition["researcher"] == ("search_docs",)


def test_payment_tools_routed_to_executor(tree_of: TreeOf) -> None:
    tree = tree_of("quartet", "payment_send", "payment_balance")
    assert tree.partition["executor"] == ("payment_send", "payment_balance")
    assert tree.partition.why("payment_send").rule == "prefix"
    assert tool_capability("payment_send") == "blockchain payments (USDC on Base)"
    assert "blockchain payments (USDC on Base)" in entry(tree, "executor")


# -- Graph, RAG, and Memory agent tools --------------------------------------------------------------------------------


def test_requirement_dedicated_tools_exist() -> None:
    families = {tool.name: tool.family for tool in spec_families()}
    dedicated = {"graph_traverse", "graph_query", "rag_retrieve", "memory_list_observations", "memory_list_reflections"}
    assert dedicated <= set(families)


@pytest.fixture
def catalog_with(engine_on: EngineOn) -> Callable[[dict[str, Any]], set[str]]:
    def names(switches: dict[str, Any]) -> set[str]:
        settings = Settings.model_validate({"agent": {"multiAgent": True}, **switches})
        return set(engine_on("quartet", settings=settings).catalog.names)

    return names


def test_graph_tools_available_when_graph_enabled(catalog_with: Callable[[dict[str, Any]], set[str]]) -> None:
    expected = {"graph_traverse", "graph_query"}
    assert expected <= catalog_with({"graph": {"enabled": True}})
    assert not expected & catalog_with({"graph": {"enabled": False}})


def test_rag_tool_available_when_embedding_configured(catalog_with: Callable[[dict[str, Any]], set[str]]) -> None:
    assert "rag_retrieve" in catalog_with({"embedding": {"provider": "local"}})
    assert "rag_retrieve" not in catalog_with({})


def test_memory_tools_available_when_observational_memory_enabled(
    catalog_with: Callable[[dict[str, Any]], set[str]],
) -> None:
    expected = {"memory_list_observations", "memory_list_reflections"}
    assert expected <= catalog_with({"observationalMemory": {"enabled": True}})
    assert not expected & catalog_with({"observationalMemory": {"enabled": False}})


# -- Remote agents as sub-agents ---------------------------------------------------------------------------------------

CARDS = {
    "https://one.example/card": {"name": "weather", "description": "Knows the forecast for any place."},
    "https://two.example/card": {"name": "translator", "description": "Translates between forty languages."},
}


def fetch(url: str) -> Mapping[str, Any]:
    """Stand in for the network: two cards lie there, anything else cannot be reached."""
    if url not in CARDS:
        raise OSError(f"no route to {url}")
    return CARDS[url]


def remote_settings(**cards: str) -> Settings:
    remote = [{"name": name, "agentCardUrl": url} for name, url in cards.items()]
    return Settings.model_validate(
        {"agent": {"multiAgent": True}, "a2a": {"enabled": True, "remoteAgents": remote}},
    )


def test_remote_agents_loaded_and_wired(tree_of: TreeOf, engine_on: EngineOn) -> None:
    settings = remote_settings(weather="https://one.example/card", translator="https://two.example/card")
    specs, warnings = load_remote_agents(settings.a2a.remote_agents, fetch)
    assert warnings == ()
    assert {spec.source for spec in specs} == {Source.REMOTE}
    tree = tree_of("quartet", *ALL, remote_agents=specs)
    assert [node.name for node in tree.agents] == [*EVERY_NAME, "weather", "translator"]
    assert [node.role for node in tree.agents][-2:] == ["remote", "remote"]
    assert "Knows the forecast for any place." in entry(tree, "weather")
    assert "Translates between forty languages." in entry(tree, "translator")
    engine = engine_on("quartet", settings=settings, card_loader=fetch)
    assert [node.name for node in engine.tree.agents][-2:] == ["weather", "translator"]
    assert "Knows the forecast for any place." in entry(engine.tree, "weather")
    switched_off = settings.model_copy(update={"a2a": settings.a2a.model_copy(update={"enabled": False})})
    assert "weather" not in engine_on("quartet", settings=switched_off, card_loader=fetch).tree


def test_remote_agent_load_failure(tree_of: TreeOf, engine_on: EngineOn, caplog: pytest.LogCaptureFixture) -> None:
    settings = remote_settings(weather="https://gone.example/card", translator="https://two.example/card")
    specs, warnings = load_remote_agents(settings.a2a.remote_agents, fetch)
    assert [spec.name for spec in specs] == ["translator"]
    assert len(warnings) == 1
    assert "weather" in warnings[0]
    assert "https://gone.example/card" in warnings[0]
    tree = tree_of("quartet", *ALL, remote_agents=specs)
    assert [node.name for node in tree.agents] == [*EVERY_NAME, "translator"]
    assert not mentions(tree.root.prompt, "weather")
    caplog.clear()
    engine = engine_on("quartet", settings=settings, card_loader=fetch)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "weather" in caplog.text
    assert list(engine.warnings) == list(warnings)
    assert {"executor", "planner", "translator"} <= set(engine.tree.names)
    assert engine.run_sync("hello").turn.outcome == "success"


# -- Capability-based sub-agent descriptions ---------------------------------------------------------------------------


def test_requirement_capability_of_each_prefix() -> None:
    expected = {
        "exec_shell": "command execution",
        "fs_read": "file operations",
        "browser_navigate": "web browsing",
        "crypto_hash": "cryptography",
        "payment_send": "blockchain payments (USDC on Base)",
        "search_docs": "information search",
        "rag_retrieve": "knowledge retrieval (RAG)",
        "graph_query": "knowledge graph traversal",
        "memory_list_observations": "memory storage and recall",
    }
    assert {name: tool_capability(name) for name in expected} == expected


def test_executor_description_uses_capabilities(tree_of: TreeOf) -> None:
    tree = tree_of("quartet", "exec_shell", "fs_read", "browser_navigate")
    line = entry(tree, "executor")
    assert "command execution, file operations, web browsing" in line
    for raw in ("exec_shell", "fs_read", "browser_navigate"):
        assert raw not in tree.root.prompt


def test_duplicate_capabilities_are_deduplicated(tree_of: TreeOf) -> None:
    assert capability_description([Tool("exec_shell"), Tool("exec_run")]) == "command execution"
    assert entry(tree_of("quartet", "exec_shell", "fs_read", "exec_run"), "executor").count("command execution") == 1


def test_unknown_tool_prefix_falls_back_to_general_actions(tree_of: TreeOf) -> None:
    assert capability_description([Tool("zebra_paint"), Tool("yak_shave")]) == "general actions"
    assert entry(tree_of("quartet", "zebra_paint", "fs_read"), "executor").endswith("general actions, file operations")


# -- Orchestrator instruction guides delegation-only execution ---------------------------------------------------------


def test_tool_requiring_task(engine_on: EngineOn, folder: Path) -> None:
    engine = engine_on("quartet")
    trace = engine.run_sync("List the files in this folder")
    handovers = [event for event in trace.events if event.kind == "handover"]
    assert [event.target for event in handovers] == ["executor"]
    assert handovers[0].author == "lango-orchestrator"
    started = [event for event in trace.events if event.kind == "tool.started"]
    assert started
    assert {event.author for event in started} == {"executor"}
    assert trace.turn.outcome == "success"
    assert all(file.name in trace.turn.answer for file in folder.iterdir())


@pytest.mark.parametrize("name", ["exec", "browser", "Executor", "executor ", "researchers", "execútor"])
def test_agent_name_exactness(engine_on: EngineOn, name: str) -> None:
    model = ScriptedModel(
        [
            ("transfer_to_agent", {"agent_name": name}),
            ("transfer_to_agent", {"agent_name": "executor"}),
            "done",
        ]
    )
    trace = engine_on("quartet", model=model).run_sync("Do something with a tool")
    refused = [event for event in trace.events if event.kind == "handover.refused"]
    assert [(event.target, event.code) for event in refused] == [(name, "unknown_agent")]
    assert "executor" in refused[0].detail
    assert [event.target for event in trace.events if event.kind == "handover"] == ["executor"]
    assert trace.turn.path == ("lango-orchestrator", "executor")
    assert trace.turn.rounds == 1
    model.check_finished()


def test_delegation_rules_by_sub_agent_role(tree_of: TreeOf) -> None:
    tree = tree_of("quartet", *ALL)
    purpose = {
        "executor": "actions",
        "researcher": "information lookup",
        "planner": "multi-step planning",
        "memory-manager": "memory operations",
    }
    for name, words in purpose.items():
        assert words in entry(tree, name)
    assert re.search(r"\b(must|always)\b.{0,60}\b(hand|delegat|transfer)", tree.root.prompt, re.IGNORECASE | re.DOTALL)


def test_invalid_agent_name_prevention(tree_of: TreeOf) -> None:
    for tools in (ALL, FAMILIES["researcher"], ("fs_read", "memory_recall"), ()):
        tree = tree_of("quartet", *tools)
        assert "NEVER invent or abbreviate agent names" in tree.root.prompt
        assert names_in(tree.root.prompt) == {node.name for node in tree.agents}


def test_requirement_instruction_says_the_root_has_no_tools(tree_of: TreeOf) -> None:
    assert re.search(r"\bno tools\b", tree_of("quartet", *ALL).root.prompt, re.IGNORECASE)


def test_requirement_instruction_avoids_words_like_agent_names(tree_of: TreeOf) -> None:
    prompt = tree_of("quartet", *ALL).root.prompt
    families = (
        "exec",
        "fs",
        "filesystem",
        "browser",
        "crypto",
        "payment",
        "rag_retrieve",
        "reflect",
        "observe",
    )
    assert [word for word in families if mentions(prompt, word)] == []
    others = ("operator", "navigator", "vault", "librarian", "automator", "chronicler", "ontologist")
    assert [name for name in others if mentions(prompt, name)] == []


def test_sub_agent_descriptions_use_capabilities_not_tool_names(tree_of: TreeOf) -> None:
    tree = tree_of("quartet", *ALL)
    assert "command execution, file operations" in entry(tree, "executor")
    assert "information search, knowledge retrieval (RAG), knowledge graph traversal" in entry(tree, "researcher")
    assert "memory storage and recall" in entry(tree, "memory-manager")
    assert [tool for tool in ALL if mentions(tree.root.prompt, tool)] == []


# -- Orchestrator system prompt isolation ------------------------------------------------------------------------------


def test_orchestrator_prompt_construction(tree_of: TreeOf) -> None:
    tree, alone = tree_of("quartet", *ALL), tree_of("solo", *ALL)
    shared = {section.id: section.text for section in alone.root.sections}
    own = {section.id: section.text for section in tree.root.sections}
    assert "tool_usage" not in own
    assert shared["tool_usage"].strip() not in tree.root.prompt
    assert own["identity"] != shared["identity"]
    assert shared["identity"].strip() not in tree.root.prompt
    assert re.search(r"\bhand|delegat|transfer", own["identity"], re.IGNORECASE)
    assert {"safety", "conversation_rules", "output_principles"} <= set(own)


def test_single_agent_prompt_unaffected(tree_of: TreeOf) -> None:
    tree = tree_of("solo", *ALL)
    assert {"identity", "safety", "conversation_rules", "output_principles", "tool_usage"} <= section_ids(tree)
    for section in tree.root.sections:
        assert section.text.strip() in tree.root.prompt
    assert "NEVER invent or abbreviate" not in tree.root.prompt


# -- Event Author Identity ---------------------------------------------------------------------------------------------


def test_requirement_author_is_not_hardcoded() -> None:
    unsigned = Message(role="assistant", content="hi")
    assert {author_of(unsigned, root) for root in ("lango-orchestrator", "lango-agent", "boss")} == {
        "lango-orchestrator",
        "lango-agent",
        "boss",
    }


def test_multi_agent_mode_with_stored_author(engine_on: EngineOn) -> None:
    message = Message(role="assistant", content="Hello there.", author="lango-orchestrator")
    assert author_of(message, "another-root") == "lango-orchestrator"
    engine = engine_on("quartet", model=ScriptedModel(["And hello again."]))
    engine.run_sync("hello")
    stored = [item for item in engine.sessions.get("main").messages if item.role == "assistant"]
    assert [author_of(item, "another-root") for item in stored] == ["lango-orchestrator"]


def test_multi_agent_mode_without_stored_author_legacy_messages(engine_on: EngineOn) -> None:
    legacy = Message(role="assistant", content="From before authors were kept.")
    assert legacy.author is None
    assert author_of(legacy, "lango-orchestrator") == "lango-orchestrator"
    engine = engine_on("quartet", model=ScriptedModel(["Still here."]))
    engine.sessions.open("main").messages += [Message(role="user", content="Hi", author="user"), legacy]
    trace = engine.run_sync("hello")
    assert trace.turn.outcome == "success"
    assert {event.author for event in trace.events} == {"user", "lango-orchestrator"}


def test_single_agent_mode(engine_on: EngineOn) -> None:
    engine = engine_on(settings=Settings(), model=ScriptedModel(["Hello."]))
    assert engine.tree.root.name == "lango-agent"
    trace = engine.run_sync("hello")
    assert [event.author for event in trace.events if event.kind == "text"] == ["lango-agent"]
    assert author_of(Message(role="assistant", content="old"), engine.tree.root.name) == "lango-agent"


# -- Conditional Sub-Agent Creation ------------------------------------------------------------------------------------


def test_all_tool_categories_have_tools(tree_of: TreeOf) -> None:
    tree = tree_of("quartet", "fs_read", "search_docs", "memory_recall")
    assert [node.name for node in tree.agents] == ["executor", "researcher", "planner", "memory-manager"]
    assert tree.skipped == ()


def test_no_memory_tools_assigned(tree_of: TreeOf) -> None:
    tree = tree_of("quartet", "fs_read", "search_docs")
    assert "memory-manager" not in tree
    assert tree.skipped == ("memory-manager",)
    assert [node.name for node in tree.agents] == ["executor", "researcher", "planner"]


def test_no_tools_at_all(tree_of: TreeOf) -> None:
    tree = tree_of("quartet")
    assert [node.name for node in tree.agents] == ["planner"]
    assert tree["planner"].tools == ()


# -- Orchestrator Short-Circuit for Simple Queries ---------------------------------------------------------------------


def test_requirement_instruction_short_circuits_conversation(tree_of: TreeOf) -> None:
    prompt = tree_of("quartet", *ALL).root.prompt
    for topic in ("greeting", "opinion", "general knowledge"):
        assert topic in prompt.casefold()
    assert "directly" in prompt


@pytest.mark.parametrize("text", ["hello", "Hi there!", "Good morning", "thanks"])
def test_simple_greeting(engine_on: EngineOn, text: str) -> None:
    trace = engine_on("quartet").run_sync(text)
    assert [event.kind for event in trace.events] == ["turn.started", "text", "turn.finished"]
    assert trace.turn.path == ("lango-orchestrator",)
    assert trace.turn.rounds == 0
    assert trace.turn.answer


@pytest.mark.parametrize(
    ("text", "agent", "tool"),
    [
        ("Read the file notes.md", "executor", "fs_read"),
        ("Run the command `echo hello` and report its exit code", "executor", "exec"),
        ("Make a folder called reports", "executor", "fs_mkdir"),
    ],
)
def test_task_requiring_tools(engine_on: EngineOn, folder: Path, text: str, agent: str, tool: str) -> None:
    trace = engine_on("quartet").run_sync(text)
    assert [event.target for event in trace.events if event.kind == "handover"] == [agent]
    started = [event for event in trace.events if event.kind == "tool.started"]
    assert [(event.author, event.tool) for event in started] == [(agent, tool)]
    assert trace.turn.outcome == "success"


# -- Max Delegation Rounds ---------------------------------------------------------------------------------------------


def rounds_said(tree: AgentTree) -> int:
    (number,) = re.findall(r"Maximum (\d+) delegation rounds per user turn", tree.root.prompt)
    return int(number)


def test_default_max_rounds(tree_of: TreeOf, engine_on: EngineOn) -> None:
    assert rounds_said(tree_of("quartet", *ALL)) == 5
    assert rounds_said(tree_of("quartet", *ALL, max_rounds=0)) == 5
    assert rounds_said(engine_on("quartet", settings=Settings()).tree) == 5


def test_requirement_round_limit_can_be_set(tree_of: TreeOf, engine_on: EngineOn) -> None:
    assert rounds_said(tree_of("quartet", *ALL, max_rounds=3)) == 3
    settings = Settings.model_validate({"agent": {"multiAgent": True, "maxDelegationRounds": 7}})
    assert rounds_said(engine_on("quartet", settings=settings).tree) == 7


# -- Dynamic Orchestrator Instruction ----------------------------------------------------------------------------------


def test_only_executor_and_planner_created(tree_of: TreeOf) -> None:
    tree = tree_of("quartet", "fs_read", "zebra_paint")
    assert [node.name for node in tree.agents] == ["executor", "planner"]
    assert names_in(tree.root.prompt) == {"executor", "planner"}


# -- Sub-Agent Result Reporting ----------------------------------------------------------------------------------------


def instruction(name: str) -> str:
    (spec,) = [spec for spec in load_topology("quartet").agents if spec.name == name]
    return " ".join(spec.instruction.split())


def test_requirement_every_sub_agent_reports_its_result(tree_of: TreeOf) -> None:
    tree = tree_of("quartet", *ALL)
    for node in tree.agents:
        assert re.search(r"\bwhen you are done\b", node.prompt, re.IGNORECASE), node.name
        assert isinstance(node.spec, AgentSpec)
        assert node.spec.instruction.strip() in node.prompt


def test_executor_result_reporting() -> None:
    assert re.search(r"provide (the |your )?results clearly", instruction("executor"))


def test_researcher_result_reporting() -> None:
    assert re.search(r"summari[sz]e (your |the )?findings clearly", instruction("researcher"))


def test_planner_result_reporting() -> None:
    assert re.search(r"present the plan for review", instruction("planner"))


def test_memory_manager_result_reporting() -> None:
    assert re.search(r"report what was stored or retrieved", instruction("memory-manager"))
