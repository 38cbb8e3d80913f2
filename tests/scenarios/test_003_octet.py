"""Spec 003, as far as it is about who is there, who owns what, and what everybody is told.

Eight built-in agents, custom and remote ones, partition, keywords, protocol, AGENT.md, registry, settings, terminal
commands. What happens when teammates are spawned is the turn engine's, see ``coverage.csv``.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lango_nb.commands.terminal.main import main
from lango_nb.config.settings import RemoteAgentSettings, Settings
from lango_nb.core.errors import DefinitionError, ToolError, UnknownNameError
from lango_nb.engine import Engine
from lango_nb.models.scripted import ScriptedModel
from lango_nb.routing.build import build_agent_tree
from lango_nb.routing.partition import partition_tools_dynamic
from lango_nb.routing.router import Router
from lango_nb.routing.tree import AgentTree
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.agent_md import parse_agent_md
from lango_nb.specs.registry import AgentRegistry
from lango_nb.specs.remotes import load_remote_agents
from lango_nb.specs.sources import EmbeddedStore, FileStore
from lango_nb.specs.topologies import load_topology
from lango_nb.tools.arguments import check_arguments
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.by_name import spec_families
from lango_nb.tools.tool import Tool

TreeOf = Callable[..., AgentTree]
EngineOn = Callable[..., Engine]

PREFIXES: dict[str, tuple[str, ...]] = {
    "operator": ("exec_*", "fs_*", "skill_*"),
    "navigator": ("browser_*",),
    "vault": ("crypto_*", "secrets_*", "payment_*"),
    "librarian": (
        "search_*",
        "rag_*",
        "graph_*",
        "save_knowledge",
        "save_learning",
        "learning_*",
        "create_skill",
        "list_skills",
        "import_skill",
        "librarian_*",
        "web_*",
    ),
    "automator": ("cron_*", "bg_*", "workflow_*"),
    "planner": (),
    "chronicler": ("memory_*", "observe_*", "reflect_*"),
    "ontologist": ("ontology_*",),
}
ROSTER = tuple(PREFIXES)
ROLES: dict[str, str] = {
    "operator": "shell commands|files|skills",
    "navigator": "search|navigat|observ|extract|screenshot",
    "vault": "encrypt|secrets|sign|payments",
    "librarian": "search|retriev|saves|graph|skills|inquir",
    "automator": "recurring|background|workflow",
    "planner": "decompos|steps|plan",
    "chronicler": "observations|reflections|recall",
    "ontologist": "types|entities|facts|relation|conflicts|ingest",
}
"""What a description has to speak of."""
CANNOT: dict[str, tuple[str, ...]] = {
    "operator": (
        "web browsing",
        "cryptographic operations",
        "payment transactions",
        "knowledge search",
        "memory management",
    ),
    "navigator": (
        "shell commands",
        "file operations",
        "cryptographic operations",
        "payment transactions",
        "knowledge search",
    ),
    "vault": ("shell commands", "web browsing", "file operations", "knowledge search", "memory management"),
    "librarian": (
        "shell commands",
        "web browsing",
        "cryptographic operations",
        "memory management (observations/reflections)",
    ),
    "automator": (
        "shell commands",
        "file operations",
        "web browsing",
        "cryptographic operations",
        "knowledge search",
    ),
    "planner": ("executing commands", "web browsing", "file operations", "any tool-based operations"),
    "chronicler": (
        "shell commands",
        "web browsing",
        "file operations",
        "knowledge search",
        "cryptographic operations",
    ),
    "ontologist": (
        "shell commands",
        "web browsing",
        "file operations",
        "cryptographic operations",
        "memory management",
    ),
}
KEYWORDS: dict[str, str] = {
    "operator": "run, execute, command, shell, file, read, write, edit, delete, skill",
    "navigator": "browse, web, url, page, navigate, click, screenshot, website",
    "vault": "encrypt, decrypt, sign, hash, secret, password, payment, wallet, USDC",
    "librarian": "search, find, lookup, knowledge, learning, retrieve, graph, RAG, inquiry, question, gap",
    "automator": "schedule, cron, every, recurring, background, async, later, workflow, pipeline, automate, timer",
    "planner": "plan, decompose, steps, strategy, how to, break down",
    "chronicler": "remember, recall, observation, reflection, memory, history",
    "ontologist": "ontology, type, entity, fact, conflict, ingest, schema, taxonomy",
}
ORDER = ("librarian", "chronicler", "automator", "navigator", "vault", "ontologist", "operator")
SAMPLE: dict[str, str] = {
    "operator": "fs_read",
    "navigator": "browser_navigate",
    "vault": "secrets_get",
    "librarian": "search_knowledge",
    "automator": "cron_add",
    "chronicler": "memory_list_observations",
    "ontologist": "ontology_get_entity",
}
"""One tool of every agent that has tools."""
REVIEWER = """\
---
name: code-reviewer
description: Reviews code for quality, security, and best practices
prefixes:
  - review_*
  - lint_*
keywords:
  - review
  - code quality
  - security audit
capabilities:
  - code-review
  - security-analysis
---

You are a code review specialist. Analyze code for...
"""
"""The file that the document shows."""


def spec_of(name: str) -> AgentSpec:
    (spec,) = [spec for spec in load_topology("octet").agents if spec.name == name]
    return spec


def told(name: str) -> str:
    """Return what an agent is told about itself, in one line."""
    spec = spec_of(name)
    return " ".join(f"{spec.description} {spec.accepts} {spec.returns} {spec.instruction}".split())


@pytest.fixture
def full(tree_of: TreeOf) -> AgentTree:
    """Build the octet over one tool of each agent."""
    return tree_of("octet", *SAMPLE.values())


def write_agent(folder: Path, name: str, text: str) -> Path:
    path = folder / name / "AGENT.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# -- architecture ------------------------------------------------------------------------------------------------------


def test_architecture_root_and_its_eight_targets(tree_of: TreeOf) -> None:
    remote = AgentSpec(name="weather", description="Knows the forecast.", source=Source.REMOTE)
    tree = tree_of("octet", *SAMPLE.values(), remote_agents=[remote])
    assert tree.root.name == "lango-orchestrator"
    assert set(tree.table.names) == {*ROSTER, "weather"}
    assert tree.table.names[-1] == "weather"


def test_roster_is_the_eight_built_in_agents() -> None:
    octet = load_topology("octet")
    assert {spec.name for spec in octet.agents} == set(ROSTER)
    assert {spec.source for spec in octet.agents} == {Source.BUILTIN}
    assert all(spec.is_active for spec in octet.agents)


def test_router_can_choose_every_built_in_type(full: AgentTree) -> None:
    router = Router(full.table)
    texts = {
        "operator": "Read the file notes.md and show me its lines",
        "navigator": "Open the website https://example.org and take a screenshot",
        "vault": "Encrypt this text and store the password as a secret",
        "librarian": "Search our knowledge base for what we know about billing",
        "automator": "Schedule a recurring backup job every night",
        "planner": "Make a plan and break it down into steps",
        "chronicler": "Do you remember what we discussed last time? Recall it from memory",
        "ontologist": "Define a new entity type in the ontology schema",
    }
    assert {name: router.route(text).chosen for name, text in texts.items()} == {name: name for name in ROSTER}


def test_built_in_types_are_targets_and_not_attached(full: AgentTree) -> None:
    assert {node.name for node in full.agents} == set(ROSTER)
    assert [node.name for node in full.agents if node.is_attached] == []


def test_only_remote_and_custom_agents_are_attached(tree_of: TreeOf) -> None:
    remote = AgentSpec(name="weather", description="Knows the forecast.", source=Source.REMOTE)
    custom = parse_agent_md(REVIEWER)
    tree = tree_of("octet", *SAMPLE.values(), "review_code", agents=[custom], remote_agents=[remote])
    assert {node.name for node in tree.agents if node.is_attached} == {"code-reviewer", "weather"}


# -- roles, prefixes, details ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(PREFIXES))
def test_role_row(tree_of: TreeOf, name: str) -> None:
    spec = spec_of(name)
    assert set(PREFIXES[name]) <= set(spec.prefixes)
    assert set(spec.prefixes) - set(PREFIXES[name]) <= {"view_skill", "get_knowledge"}
    claimed = [prefix.replace("*", "x") for prefix in PREFIXES[name]]
    stems = [prefix.removesuffix("_*") for prefix in PREFIXES[name] if prefix.endswith("_*")]
    partition = tree_of("octet", *claimed, *stems).partition
    assert set(partition[name]) == {*claimed, *stems}
    near_misses = [f"{stem}ute_x" for stem in stems]
    assert tree_of("octet", *near_misses).partition[name] == ()


@pytest.mark.parametrize("name", list(ROLES))
def test_what_each_agent_does(full: AgentTree, name: str) -> None:
    description = spec_of(name).description
    for word in ROLES[name].split("|"):
        assert re.search(word, description, re.IGNORECASE), (word, description)
    assert full.table[name].role.startswith(" ".join(description.split()))


@pytest.mark.parametrize("name", list(CANNOT))
def test_cannot_list(full: AgentTree, name: str) -> None:
    assert spec_of(name).cannot_do == CANNOT[name]
    assert full.table[name].cannot == CANNOT[name]
    for item in CANNOT[name]:
        assert item in full[name].prompt


def test_operator_reports_raw_results_and_exit_codes() -> None:
    assert re.search(r"\braw\b", told("operator"))
    assert re.search(r"\bexit codes?\b", told("operator"))


def test_navigator_searches_once_and_reformulates_once() -> None:
    text = told("navigator")
    assert re.search(r"search once", text)
    assert re.search(r"current results page", text)
    assert re.search(r"empty or clearly irrelevant", text)


def test_navigator_returns_url_and_title() -> None:
    assert re.search(r"structured", told("navigator"), re.IGNORECASE)
    assert re.search(r"current URL and title", told("navigator"))


def test_librarian_does_light_web_retrieval(tree_of: TreeOf) -> None:
    partition = tree_of("octet", "web_search", "web_fetch", "browser_navigate").partition
    assert partition["librarian"] == ("web_search", "web_fetch")
    assert {"web_search", "web_fetch"} <= set(re.findall(r"\w+", told("librarian")))


def test_librarian_leaves_interactive_browsing_to_the_navigator() -> None:
    assert re.search(r"interactive browsing, screenshots,? and DOM actions", told("librarian"), re.IGNORECASE)


REQUIRED: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "graph_traverse": (("graph_traverse",), ("start_node",)),
    "librarian_dismiss_inquiry": (("librarian_dismiss_inquiry",), ("inquiry_id",)),
    "cron_add": (("cron_add",), ("name", "schedule_type", "schedule", "prompt")),
    "cron_pause": (("cron_pause", "cron_resume", "cron_remove"), ("id",)),
    "bg_submit": (("bg_submit",), ("prompt",)),
    "bg_status": (("bg_status", "bg_result", "bg_cancel"), ("task_id",)),
    "workflow_status": (("workflow_status", "workflow_cancel"), ("run_id",)),
    "workflow_save": (("workflow_save",), ("name", "yaml_content")),
    "memory_agent_save": (("memory_agent_save",), ("key", "content")),
    "memory_agent_recall": (("memory_agent_recall",), ("query",)),
    "memory_agent_forget": (("memory_agent_forget",), ("key",)),
}
"""Tools and what a call of each must hold."""


@pytest.mark.parametrize("case", list(REQUIRED))
def test_required_arguments(tree_of: TreeOf, case: str) -> None:
    names, required = REQUIRED[case]
    known = {tool.name: tool for tool in (*builtin_tools(), *spec_families())}
    for name in names:
        tool = known[name]
        assert set(tool.required) == set(required)
        for left_out in required:
            given = {argument: "x" for argument in required if argument != left_out}
            with pytest.raises(ToolError, match=rf"missing {left_out} parameter"):
                check_arguments(tool, given)
        owner = tree_of("octet", name).partition.owner(name)
        assert owner is not None
        assert all(word in told(owner) for word in (name, *required))


def test_librarian_knows_that_graph_query_needs_subject_or_object(tree_of: TreeOf) -> None:
    (tool,) = [tool for tool in spec_families() if tool.name == "graph_query"]
    assert {"subject", "object"} <= set(tool.parameters["properties"])  # type: ignore[arg-type]  # a JSON object
    assert re.search(r"subject or object", tool.description)
    assert re.search(r"graph_query: subject or object", tree_of("octet", "graph_query")["librarian"].prompt)


def test_chronicler_returns_memories_with_context_and_time() -> None:
    assert re.search(r"context and timestamps?", told("chronicler"))


def test_planner_has_no_tools(tree_of: TreeOf) -> None:
    tree = tree_of("octet", *SAMPLE.values(), "tool_output_get", "task_create", "plan_route")
    assert tree["planner"].tools == ()
    assert re.search(r"no tools", told("planner"))


def test_planner_is_always_in_the_tree(tree_of: TreeOf) -> None:
    assert [node.name for node in tree_of("octet").agents] == ["planner"]
    assert "planner" in tree_of("octet", "zebra_paint")


# -- tool partitioning -------------------------------------------------------------------------------------------------


def test_matching_order_is_the_published_one(full: AgentTree) -> None:
    assert load_topology("octet").match_order == ORDER
    assert full.partition.order == (*ORDER, "planner")


@pytest.mark.parametrize("name", list(PREFIXES))
def test_matching_step(name: str) -> None:
    """Every agent claims one made-up prefix besides its own: who comes first in the order gets the tool."""
    octet = load_topology("octet")
    place = ORDER.index(name) if name in ORDER else len(ORDER)
    later = {*ORDER[place:], name}
    agents = tuple(
        spec.with_changes(prefixes=(*spec.prefixes, "both_*")) if spec.name in later else spec for spec in octet.agents
    )
    tools = [Tool("both_ways"), Tool("fs_read")]
    assert build_agent_tree(tools, octet.model_copy(update={"agents": agents})).partition.owner("both_ways") == name
    backwards = octet.model_copy(update={"agents": agents, "match_order": ORDER[::-1]})
    expected = "operator" if name != "planner" else "planner"
    assert build_agent_tree(tools, backwards).partition.owner("both_ways") == expected


def test_unmatched_tools_are_tracked_and_listed_in_the_prompt(tree_of: TreeOf) -> None:
    tree = tree_of("octet", *SAMPLE.values(), "zebra_paint", "execute_x")
    assert [tool.name for tool in tree.partition.unmatched] == ["zebra_paint", "execute_x"]
    assert re.search(r"\bzebra_paint\b.*\bexecute_x\b", tree.root.prompt)
    assert [name for name in SAMPLE.values() if re.search(rf"\b{name}\b", tree.root.prompt)] == []


@pytest.mark.parametrize("name", list(SAMPLE))
def test_agents_without_tools_are_skipped(tree_of: TreeOf, name: str) -> None:
    tree = tree_of("octet", SAMPLE[name], "builtin_search", "tool_output_get", "agent_spawn")
    assert {node.name for node in tree.agents} == {name, "planner"}
    assert set(tree.skipped) == {spec.name for spec in load_topology("octet").agents} - {name, "planner"}
    assert set(tree.table.names) == {name, "planner"}


# -- routing protocol --------------------------------------------------------------------------------------------------

STEPS: dict[str, str] = {
    "CLASSIFY": r"domain",
    "MATCH": r"keywords.*routing table",
    "SELECT": r"best",
    "SCOPE": r"allowed_tools",
    "EXECUTE": r"agent_spawn.*transfer_to_agent",
}


def protocol(tree: AgentTree) -> str:
    (section,) = [section for section in tree.root.sections if "CLASSIFY" in section.text]
    return section.text


def test_decision_protocol_has_five_steps_in_order(full: AgentTree) -> None:
    numbered = re.findall(r"^(\d)\. \W*([A-Z]+)\b", protocol(full), re.MULTILINE)
    assert numbered == [(str(number), step) for number, step in enumerate(STEPS, 1)]


@pytest.mark.parametrize("step", list(STEPS))
def test_decision_protocol_step(full: AgentTree, step: str) -> None:
    (line,) = [line for line in protocol(full).splitlines() if re.match(rf"\d\. \W*{step}\b", line)]
    assert re.search(STEPS[step], line, re.IGNORECASE)


def test_every_agent_has_keywords_in_the_routing_table(full: AgentTree) -> None:
    for row in full.table:
        assert row.keywords, row.name
        assert "- **Keywords**: " in full.root.prompt.split(f"### {row.name}\n")[1].split("###")[0]


@pytest.mark.parametrize("name", list(KEYWORDS))
def test_keywords_row(full: AgentTree, name: str) -> None:
    assert ", ".join(spec_of(name).keywords) == KEYWORDS[name]
    assert ", ".join(full.table[name].keywords) == KEYWORDS[name]


# -- rejection, limits, remote agents ----------------------------------------------------------------------------------


def test_teammates_have_no_textual_reject_marker(full: AgentTree) -> None:
    assert [node.name for node in full if "[REJECT]" in node.prompt] == []


def test_teammates_are_told_to_escalate_in_one_visible_sentence(full: AgentTree) -> None:
    for node in full.agents:
        assert re.search(r"\bone (short |visible )+sentence\b", node.prompt, re.IGNORECASE), node.name
        assert re.search(r"\blango-orchestrator\b|\broot\b", node.prompt), node.name


def test_delegation_rounds_default_to_ten(tree_of: TreeOf, engine_on: EngineOn) -> None:
    assert load_topology("octet").max_rounds == 10
    assert re.search(r"\b10\b", rounds_section(tree_of("octet", "fs_read")))
    settings = Settings.model_validate({"agent": {"multiAgent": True, "maxDelegationRounds": 4}})
    assert re.search(r"\b4\b", rounds_section(engine_on("octet", settings=settings).tree))


def rounds_section(tree: AgentTree) -> str:
    (line,) = [line for line in tree.root.prompt.splitlines() if re.search(r"rounds per user turn", line)]
    return line


def test_root_prompt_answers_conversation_directly(full: AgentTree) -> None:
    prompt = full.root.prompt.casefold()
    for topic in ("greeting", "opinion", "general knowledge"):
        assert topic in prompt


def test_remote_agents_join_sub_agents_and_routing_table(tree_of: TreeOf) -> None:
    remote = AgentSpec(name="weather", description="Knows the forecast.", source=Source.REMOTE)
    tree = tree_of("octet", "fs_read", remote_agents=[remote])
    assert tree["weather"].is_attached
    assert tree["weather"].role == "remote"
    assert tree.table["weather"].is_remote
    assert tree.table["weather"].role == "Knows the forecast."
    assert re.search(r"^### weather$", tree.root.prompt, re.MULTILINE)


# -- custom agents -----------------------------------------------------------------------------------------------------


def test_custom_agent_joins_the_eight(tree_of: TreeOf) -> None:
    tree = tree_of("octet", *SAMPLE.values(), "review_code", "lint_all", agents=[parse_agent_md(REVIEWER)])
    assert {node.name for node in tree.agents} == {*ROSTER, "code-reviewer"}
    assert tree.partition["code-reviewer"] == ("review_code", "lint_all")
    assert re.search(r"^### code-reviewer$", tree.root.prompt, re.MULTILINE)


def test_agents_dir_holds_one_folder_per_agent(engine_on: EngineOn, tmp_path: Path) -> None:
    folder = tmp_path / "agents"
    names = ("code-reviewer", "translator", "data-analyst")
    for name in names:
        write_agent(folder, name, REVIEWER.replace("code-reviewer", name).replace("review_*", f"{name}_*"))
    (folder / "README.md").write_text("not an agent", encoding="utf-8")
    (folder / "empty").mkdir()
    assert {spec.name for spec in FileStore(folder).load()} == set(names)
    settings = Settings.model_validate({"agent": {"multiAgent": True, "agentsDir": str(folder)}})
    engine = engine_on(
        "octet", settings=settings, tools=[Tool(name) for name in ("fs_read", *(f"{name}_x" for name in names))]
    )
    assert {node.name for node in engine.tree.agents} == {"operator", "planner", *names}
    assert {engine.registry.get(name).source for name in names} == {Source.USER}


def test_agent_md_example_is_read_field_by_field() -> None:
    spec = parse_agent_md(REVIEWER)
    assert spec.name == "code-reviewer"
    assert spec.description == "Reviews code for quality, security, and best practices"
    assert spec.prefixes == ("review_*", "lint_*")
    assert spec.keywords == ("review", "code quality", "security audit")
    assert spec.capabilities == ("code-review", "security-analysis")
    assert spec.source is Source.USER
    assert spec.is_active
    flush_left = REVIEWER.replace("  - ", "- ")
    assert parse_agent_md(flush_left) == spec


def test_agent_md_body_is_the_system_instruction(tree_of: TreeOf) -> None:
    spec = parse_agent_md(REVIEWER)
    assert spec.instruction == "You are a code review specialist. Analyze code for..."
    tree = tree_of("octet", "review_code", agents=[spec])
    assert spec.instruction in tree["code-reviewer"].prompt


def test_loading_priority(engine_on: EngineOn, tmp_path: Path) -> None:
    write_agent(tmp_path / "agents", "code-reviewer", REVIEWER)
    settings = Settings.model_validate({"agent": {"multiAgent": True, "agentsDir": str(tmp_path / "agents")}})
    engine = engine_on("octet", settings=settings, tools=[Tool("fs_read"), Tool("review_code")])
    sources = [spec.source for spec in engine.registry.all()]
    assert sources == sorted(sources)
    built_in = [spec.name for spec in load_topology("octet").agents]
    assert [spec.name for spec in engine.registry.all()][: len(built_in)] == built_in
    remote = AgentSpec(name="aaa-remote", description="From afar.", source=Source.REMOTE)
    tree = build_agent_tree(
        [Tool("fs_read"), Tool("review_code")],
        load_topology("octet"),
        agents=[engine.registry.get("code-reviewer")],
        remote_agents=[remote],
    )
    assert [node.name for node in tree.agents] == ["operator", "planner", "code-reviewer", "aaa-remote"]


def test_user_agent_cannot_replace_a_built_in_one(engine_on: EngineOn, tmp_path: Path) -> None:
    path = write_agent(tmp_path / "agents", "mine", REVIEWER.replace("code-reviewer", "operator"))
    settings = Settings.model_validate({"agent": {"multiAgent": True, "agentsDir": str(tmp_path / "agents")}})
    with pytest.raises(DefinitionError) as caught:
        engine_on("octet", settings=settings)
    assert "operator" in str(caught.value)
    assert str(path) in str(caught.value)
    assert re.search(r"built-?in", str(caught.value))


# -- dynamic tool routing ----------------------------------------------------------------------------------------------


def custom_agents() -> list[AgentSpec]:
    painter = AgentSpec(
        name="painter",
        prefixes=("paint_*",),
        capabilities=("wall-decoration",),
        keywords=("fresco",),
        source=Source.USER,
    )
    return [*load_topology("octet").agents, painter, parse_agent_md(REVIEWER)]


def test_dynamic_routing_prefix_match(tree_of: TreeOf) -> None:
    partition = tree_of("octet", "browser_open").partition
    assert partition.owner("browser_open") == "navigator"
    tools = [Tool("review_code"), Tool("browser_review")]
    dynamic = partition_tools_dynamic(tools, load_topology("octet"), custom_agents())
    assert dynamic.owner("review_code") == "code-reviewer"
    assert dynamic.owner("browser_review") == "navigator"
    assert dynamic.why("browser_review").rule == "prefix"


def test_dynamic_routing_capability_match() -> None:
    tools = [Tool("do_security_analysis"), Tool("brush", "Adds decoration to a wall")]
    partition = partition_tools_dynamic(tools, load_topology("octet"), custom_agents())
    why = partition.why("do_security_analysis")
    assert (why.agent, why.rule) == ("code-reviewer", "capability")
    assert "security-analysis" in why.reason
    assert partition.owner("brush") == "painter"


def test_dynamic_routing_uses_prefix_then_capability_then_keyword() -> None:
    octet = load_topology("octet")
    text = "A fresco that is also wall decoration"
    by_prefix = partition_tools_dynamic([Tool("fs_wall_decoration", text)], octet, custom_agents())
    assert (by_prefix.owner("fs_wall_decoration"), by_prefix.why("fs_wall_decoration").rule) == ("operator", "prefix")
    by_capability = partition_tools_dynamic([Tool("zz", text)], octet, custom_agents()).why("zz")
    assert (by_capability.agent, by_capability.rule) == ("painter", "capability")
    by_keyword = partition_tools_dynamic([Tool("zz", "Makes a fresco")], octet, custom_agents()).why("zz")
    assert (by_keyword.agent, by_keyword.rule) == ("painter", "keyword")
    tie = partition_tools_dynamic([Tool("zz", "Code review and wall decoration")], octet, custom_agents()).why("zz")
    assert (tie.agent, tie.rule) == (None, "unmatched")


def test_dynamic_routing_maps_every_agent_to_its_tools() -> None:
    tools = [Tool(name) for name in (*SAMPLE.values(), "review_code", "paint_wall")]
    partition = partition_tools_dynamic(tools, load_topology("octet"), custom_agents())
    expected: dict[str, tuple[str, ...]] = {spec.name: () for spec in load_topology("octet").agents}
    expected |= {name: (tool,) for name, tool in SAMPLE.items()}
    expected |= {"code-reviewer": ("review_code",), "painter": ("paint_wall",)}
    assert {name: partition[name] for name in partition} == expected


def test_dynamic_routing_keeps_unmatched_tools_apart(tree_of: TreeOf) -> None:
    tree = tree_of("octet", "review_code", "zebra_run", agents=[parse_agent_md(REVIEWER)])
    assert [tool.name for tool in tree.partition.unmatched] == ["zebra_run"]
    assert re.search(r"\bzebra_run\b", tree.root.prompt)


def test_ambiguous_request_is_routed_by_keywords(tree_of: TreeOf) -> None:
    tree = tree_of("octet", *SAMPLE.values(), "review_code", agents=[parse_agent_md(REVIEWER)])
    route = Router(tree.table).route("Give this a security audit and a review of its code quality")
    assert route.chosen == "code-reviewer"
    (best,) = [candidate for candidate in route.candidates if candidate.agent == "code-reviewer"]
    assert {"security audit", "review", "code quality"} <= {
        signal.term for signal in best.signals if signal.kind == "keyword"
    }


# -- isolation and traces ----------------------------------------------------------------------------------------------


def test_isolated_agents_by_default() -> None:
    isolated = {spec.name for spec in load_topology("octet").agents if spec.session_isolation}
    assert isolated == {"operator", "navigator", "vault", "librarian", "automator", "ontologist"}


def test_trace_holds_hand_overs_calls_results_and_outcome(engine_on: EngineOn, folder: Path) -> None:
    model = ScriptedModel(
        [
            ("transfer_to_agent", {"agent_name": "operator"}),
            ("fs_read", {"path": "notes.md"}),
            ("fs_read", {"path": "gone.md"}),
            "One was there, the other was not.",
        ]
    )
    settings = Settings.model_validate({"agent": {"multiAgent": True}})
    trace = engine_on("sextet", settings=settings, model=model).run_sync("Read two files")
    assert [event.kind for event in trace.events] == [
        "turn.started",
        "handover",
        "tool.started",
        "tool.finished",
        "tool.started",
        "tool.finished",
        "text",
        "turn.finished",
    ]
    results = [event for event in trace.events if event.kind == "tool.finished"]
    assert [event.is_error for event in results] == [False, True]
    assert "second" in results[0].result
    (finished,) = [event for event in trace.events if event.kind == "turn.finished"]
    assert finished.outcome == trace.turn.outcome
    assert (finished.rounds, finished.steps, finished.tool_calls) == (1, 4, 2)


# -- settings ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command of the terminal in an empty folder with an empty home; return what it prints."""
    home, work = tmp_path / "home", tmp_path / "work"
    for path in (home, work):
        path.mkdir()
    monkeypatch.setenv("LANGO_HOME", str(home))
    monkeypatch.chdir(work)

    def run(*arguments: str, settings: dict[str, Any] | None = None, code: int = 0) -> str:
        if settings is not None:
            (home / "lango.json").write_text(json.dumps(settings), encoding="utf-8")
        assert main(list(arguments)) == code
        captured = capsys.readouterr()
        return captured.out if code == 0 else captured.err

    return run


def test_settings_command_shows_multi_agent_settings(terminal: Callable[..., str]) -> None:
    shown = terminal("settings")
    for key in ("agent.multiAgent", "agent.maxDelegationRounds", "agent.agentsDir"):
        assert key in shown


def test_published_settings_file_switches_multi_agent_on(terminal: Callable[..., str]) -> None:
    published = {"agent": {"multiAgent": True}}
    assert Settings.model_validate(published).agent.multi_agent
    assert json.loads(terminal("agent", "status", "--output", "json", settings=published))["multi_agent"] is True


SETTINGS: dict[str, tuple[str, Any]] = {
    "agent.multiAgent": ("multi_agent", False),
    "agent.maxDelegationRounds": ("max_delegation_rounds", 10),
    "agent.agentsDir": ("agents_dir", ""),
}


@pytest.mark.parametrize("key", list(SETTINGS))
def test_setting_row(tree_of: TreeOf, key: str) -> None:
    field, default = SETTINGS[key]
    value = getattr(Settings().agent, field)
    if key == "agent.maxDelegationRounds" and value == 0:  # nothing set: the topology's number counts
        value = load_topology("octet").max_rounds
    assert value == default


def test_single_agent_with_all_tools_by_default(engine_on: EngineOn) -> None:
    engine = engine_on()
    assert engine.topology.name == "solo"
    assert engine.tree.agents == ()
    assert {tool.name for tool in engine.tree.root.tools} == set(engine.catalog.names)


# -- registry ----------------------------------------------------------------------------------------------------------


def agent(name: str, source: Source = Source.USER, **fields: Any) -> AgentSpec:
    return AgentSpec(name=name, source=source, **fields)


def test_registry_sources_and_priorities(engine_on: EngineOn, tmp_path: Path) -> None:
    write_agent(tmp_path / "agents", "code-reviewer", REVIEWER)
    settings = Settings.model_validate({"agent": {"multiAgent": True, "agentsDir": str(tmp_path / "agents")}})
    registry = engine_on("octet", settings=settings).registry
    assert [spec.source for spec in registry.all()] == [
        *(spec.source for spec in load_topology("octet").agents),
        Source.USER,
    ]
    with pytest.raises(DefinitionError):
        registry.register(agent("vault"))
    with pytest.raises(DefinitionError):
        registry.register(agent("vault", Source.REMOTE))


PRIORITY: dict[str, int] = {"BUILTIN": 0, "EMBEDDED": 1, "USER": 2, "REMOTE": 3}


@pytest.mark.parametrize("source", list(PRIORITY))
def test_source_row(source: str) -> None:
    assert Source[source] == PRIORITY[source]
    match Source[source]:
        case Source.BUILTIN:
            specs = load_topology("octet").agents
        case Source.EMBEDDED:
            specs = EmbeddedStore().load()
        case Source.USER:
            specs = (parse_agent_md(REVIEWER),)
        case Source.REMOTE:
            remote = RemoteAgentSettings(name="weather", agent_card_url="https://one.example/card")
            specs, _ = load_remote_agents([remote], lambda _url: {"description": "From afar."})
    assert {spec.source for spec in specs} == {Source[source]}


def test_registry_is_safe_under_threads() -> None:
    registry = AgentRegistry()
    errors: list[BaseException] = []
    start = threading.Barrier(9)

    def write(worker: int) -> None:
        start.wait()
        for number in range(200):
            registry.register(agent(f"agent-{worker}-{number}"))

    def read() -> None:
        start.wait()
        for _ in range(200):
            names = [spec.name for spec in registry.active()]
            assert names == sorted(names)

    def guarded(work: Callable[..., None], *arguments: int) -> None:
        try:
            work(*arguments)
        except BaseException as error:  # noqa: BLE001 - a thread's failure has to reach the test
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(write, worker)) for worker in range(6)]
    threads += [threading.Thread(target=guarded, args=(read,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert errors == []
    assert len(registry.all()) == 1200


def test_registry_register_adds_or_overwrites() -> None:
    registry = AgentRegistry()
    for spec in (agent("b"), agent("a"), agent("b", description="newer")):
        registry.register(spec)
    assert [(spec.name, spec.description) for spec in registry.all()] == [("b", "newer"), ("a", "")]


def test_registry_get() -> None:
    registry = AgentRegistry()
    registry.register(agent("painter", description="Paints."))
    assert registry.get("painter").description == "Paints."
    with pytest.raises(UnknownNameError, match="did you mean 'painter'"):
        registry.get("paintr")


def test_registry_active_is_sorted_by_name() -> None:
    registry = AgentRegistry()
    for name, status in {"c": "active", "a": "active", "b": "disabled", "d": "draft", "e": "odd"}.items():
        registry.register(agent(name, status=status))
    assert [spec.name for spec in registry.active()] == ["a", "c"]


def test_registry_all_keeps_insertion_order() -> None:
    registry = AgentRegistry()
    for spec in (agent("c"), agent("a"), agent("b", status="disabled")):
        registry.register(spec)
    assert [spec.name for spec in registry.all()] == ["c", "a", "b"]


def test_registry_specs_are_ready_for_the_tree() -> None:
    registry = AgentRegistry()
    for spec in (agent("c", prefixes=("c_*",)), agent("a", prefixes=("a_*",)), agent("b", status="draft")):
        registry.register(spec)
    specs = list(registry.specs())
    assert {spec.name for spec in specs} == {spec.name for spec in registry.active()} == {"a", "c"}
    tree = build_agent_tree([Tool("a_x"), Tool("c_x")], load_topology("octet"), agents=specs)
    assert {node.name for node in tree.agents} == {"planner", "a", "c"}
    assert tree.partition["a"] == ("a_x",)


def test_registry_loads_from_a_store(tmp_path: Path) -> None:
    for name in ("zeta", "alpha"):
        write_agent(tmp_path, name, REVIEWER.replace("code-reviewer", name))
    registry = AgentRegistry()
    registry.load_from_store(FileStore(tmp_path))
    assert {spec.name for spec in registry.all()} == {"zeta", "alpha"}
    write_agent(tmp_path, "broken", "no front matter")
    untouched = AgentRegistry()
    with pytest.raises(DefinitionError):
        untouched.load_from_store(FileStore(tmp_path))
    assert list(untouched.all()) == []


def test_file_store_reads_one_sub_folder_per_agent(tmp_path: Path) -> None:
    path = write_agent(tmp_path, "code-reviewer", REVIEWER)
    (spec,) = FileStore(tmp_path).load()
    assert (spec.name, spec.source, spec.path) == ("code-reviewer", Source.USER, str(path))
    write_agent(tmp_path / "deeper", "inner", REVIEWER.replace("code-reviewer", "inner"))
    assert len(FileStore(tmp_path).load()) == 1
    assert list(FileStore(tmp_path / "nowhere").load()) == []


def test_embedded_store_is_bundled() -> None:
    bundled = EmbeddedStore().load()
    assert bundled
    for spec in bundled:
        assert spec.source is Source.EMBEDDED
        assert spec.description
        assert spec.instruction
    built_in = {spec.name for name in ("quartet", "sextet", "octet") for spec in load_topology(name).agents}
    assert not built_in & {spec.name for spec in bundled}


def test_embedded_agents_are_a_fallback(engine_on: EngineOn, tmp_path: Path) -> None:
    multi = {"multiAgent": True}
    alone = engine_on("octet", settings=Settings.model_validate({"agent": multi})).registry
    bundled = {spec.name for spec in EmbeddedStore().load()}
    assert bundled <= {spec.name for spec in alone.all()}
    write_agent(tmp_path / "agents", "mine", REVIEWER.replace("code-reviewer", "mine"))
    settings = Settings.model_validate({"agent": {**multi, "agentsDir": str(tmp_path / "agents")}})
    own = engine_on("octet", settings=settings).registry
    assert {spec.name for spec in own.all() if spec.source is not Source.BUILTIN} == {"mine"}


# -- terminal commands -------------------------------------------------------------------------------------------------


def test_status_shows_mode_model_switches_and_counts(terminal: Callable[..., str], tmp_path: Path) -> None:
    write_agent(tmp_path / "agents", "code-reviewer", REVIEWER)
    settings = {"agent": {"multiAgent": True, "agentsDir": str(tmp_path / "agents")}, "p2p": {"enabled": True}}
    status = json.loads(terminal("agent", "status", "--output", "json", settings=settings))
    assert status["mode"] == "multi"
    assert {"provider", "model"} <= set(status)
    assert (status["a2a_enabled"], status["p2p_enabled"], status["hooks_enabled"]) == (False, True, False)
    assert status["registry"]["user"] == 1
    assert status["registry"]["builtin"] >= 6
    assert status["registry"]["active"] == status["registry"]["builtin"] + 1
    table = terminal("agent", "status")
    for label in ("Mode", "Provider", "Model", "A2A", "P2P", "Hooks", "Builtin Agents", "User Agents", "Active Agents"):
        assert label in table
    assert json.loads(terminal("agent", "status", "--output", "json", settings={}))["mode"] == "single"


def test_status_hints_at_background_enabled(terminal: Callable[..., str]) -> None:
    shown = terminal("agent", "status", settings={"agent": {"multiAgent": True}})
    assert re.search(r"unavailable", shown)
    assert re.search(r"set background\.enabled to true", shown)
    runtime = json.loads(terminal("agent", "status", "--output", "json"))["teammate_runtime"]
    assert (runtime["available"], "background.enabled" in runtime["hint"]) == (False, True)


def test_status_names_the_teammate_runtime(terminal: Callable[..., str]) -> None:
    both = {"agent": {"multiAgent": True}, "background": {"enabled": True}}
    assert re.search(r"Teammate Runtime +dynamic-v1\b", terminal("agent", "status", settings=both))
    runtime = json.loads(terminal("agent", "status", "--output", "json"))["teammate_runtime"]
    assert runtime == {"name": "dynamic-v1", "available": True, "missing": [], "hint": ""}
    for one in ({"agent": {"multiAgent": True}}, {"background": {"enabled": True}}):
        assert "dynamic-v1" not in terminal("agent", "status", settings=one)


def test_status_fails_on_a_broken_user_agent(terminal: Callable[..., str], tmp_path: Path) -> None:
    path = write_agent(tmp_path / "agents", "broken", "---\nname: [\n---\n")
    settings = {"agent": {"multiAgent": True, "agentsDir": str(tmp_path / "agents")}}
    said = terminal("agent", "status", settings=settings, code=3)
    assert str(path) in said


def test_list_shows_registered_agents(terminal: Callable[..., str], tmp_path: Path) -> None:
    write_agent(tmp_path / "agents", "code-reviewer", REVIEWER)
    settings = {"agent": {"multiAgent": True, "agentsDir": str(tmp_path / "agents")}}
    listed = json.loads(terminal("agent", "list", "--output", "json", settings=settings))
    sources = {item["name"]: item["source"] for item in listed}
    assert sources["code-reviewer"] == "user"
    assert sources["librarian"] == "builtin"
    table = terminal("agent", "list")
    assert all(name in table for name in sources)


def test_list_shows_no_runs(terminal: Callable[..., str]) -> None:
    settings = {"agent": {"multiAgent": True}, "background": {"enabled": True}}
    listed = json.loads(terminal("agent", "list", "--output", "json", settings=settings))
    assert [key for item in listed for key in item if "run" in key] == []
    assert not re.search(r"\b(spawned|running|arun-)", terminal("agent", "list"))


def test_list_accepts_a_missing_agents_dir(terminal: Callable[..., str], tmp_path: Path) -> None:
    settings = {"agent": {"multiAgent": True, "agentsDir": str(tmp_path / "nowhere")}}
    listed = json.loads(terminal("agent", "list", "--output", "json", settings=settings))
    assert "user" not in {item["source"] for item in listed}
    assert {item["name"] for item in listed}


def test_list_fails_on_a_broken_user_agent(terminal: Callable[..., str], tmp_path: Path) -> None:
    path = write_agent(tmp_path / "agents", "broken", "no front matter at all")
    write_agent(tmp_path / "agents", "code-reviewer", REVIEWER)
    settings = {"agent": {"multiAgent": True, "agentsDir": str(tmp_path / "agents")}}
    assert str(path) in terminal("agent", "list", settings=settings, code=3)


def test_tools_shows_categories_switched_on_and_off(terminal: Callable[..., str]) -> None:
    listed = json.loads(terminal("agent", "tools", "--output", "json", settings={"graph": {"enabled": True}}))
    enabled = {item["name"]: item["enabled"] for item in listed}
    assert enabled["graph"] is True
    assert enabled["cron"] is False
    assert len(enabled) >= 10
    table = terminal("agent", "tools")
    assert all(name in table for name in enabled)


def test_tools_shows_no_owners(terminal: Callable[..., str]) -> None:
    table = terminal("agent", "tools", settings={"agent": {"multiAgent": True}, "graph": {"enabled": True}})
    agents = [name for name in ROSTER if name != "librarian"]
    assert [name for name in agents if re.search(rf"\b{name}\b", table)] == []
    listed = json.loads(terminal("agent", "tools", "--output", "json"))
    assert not {"agent", "owner", "agents"} & {key for item in listed for key in item}


def test_hooks_shows_the_chain(terminal: Callable[..., str]) -> None:
    settings = {"hooks": {"enabled": True, "accessControl": True}}
    chain = json.loads(terminal("agent", "hooks", "--output", "json", settings=settings))["registry"]
    before = [(row["name"], row["wired"]) for row in chain["before"]]
    assert before == [("security_filter", True), ("access_control", True), ("approval_gate", True)]
    after = [row["name"] for row in chain["after"]]
    assert [name for name in after if name in {"learning_observer", "knowledge_saver", "event_publisher"}] == [
        "learning_observer",
        "knowledge_saver",
        "event_publisher",
    ]
    assert all(row["why"] for row in (*chain["before"], *chain["after"]))
    table = terminal("agent", "hooks")
    assert [name for name in (*(name for name, _ in before), *after) if name not in table] == []
