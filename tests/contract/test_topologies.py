"""Every topology folder holds what its document says: roster, order, prefixes, keywords, limits, prompt facts."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from lango_nb.routing.build import build_agent_tree
from lango_nb.routing.partition import Prefix, matching_order
from lango_nb.routing.router import Router
from lango_nb.routing.tree import AgentTree
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.simple_yaml import read_simple
from lango_nb.specs.sources import PACKAGE, EmbeddedStore, FileStore
from lango_nb.specs.topologies import load_prompt_sections, load_topology, read_topology, topology_names
from lango_nb.specs.topology import PromptSection, Topology
from lango_nb.specs.yaml_text import read_document
from lango_nb.tools.by_name import sample_tools
from lango_nb.tools.tool import Tool

MULTI = ("quartet", "sextet", "octet")
PLACEHOLDERS = {"max_rounds", "agent_names", "root", "control_tool", "attached", "unmatched"}
CONTROL_WORDS = {"agent_spawn", "agent_wait", "agent_stop", "transfer_to_agent"}
AGENT_FIELDS = {"spawn_reason", "allowed_tools", "agent_id"}
OUTCOMES = {"loop_detected", "empty_after_tool_use"}
UNDERSCORED = re.compile(r"(?<![\w{])[A-Za-z]+(?:_\w+)+(?![\w}])")
"""A word with an underscore inside: the shape of every tool name but ``exec``."""


class Shape(NamedTuple):
    """A column of the design's table of topologies."""

    root: str
    roster: tuple[str, ...]
    match_order: tuple[str, ...]
    unmatched_to: str | None
    control: str
    decline: str
    max_rounds: int
    max_steps: int


SHAPES = {
    "solo": Shape("lango-agent", (), (), None, "none", "none", 0, 50),
    "quartet": Shape(
        "lango-orchestrator",
        ("executor", "researcher", "planner", "memory-manager"),
        ("researcher", "memory-manager", "executor"),
        "executor",
        "transfer",
        "none",
        5,
        75,
    ),
    "sextet": Shape(
        "lango-orchestrator",
        ("operator", "navigator", "vault", "librarian", "planner", "chronicler"),
        ("librarian", "chronicler", "navigator", "vault", "operator"),
        None,
        "transfer",
        "reject",
        5,
        75,
    ),
    "octet": Shape(
        "lango-orchestrator",
        ("operator", "navigator", "vault", "librarian", "automator", "planner", "chronicler", "ontologist"),
        ("librarian", "chronicler", "automator", "navigator", "vault", "ontologist", "operator"),
        None,
        "spawn",
        "escalate",
        10,
        75,
    ),
}

PREFIXES = {
    ("quartet", "executor"): "exec fs_ browser_ crypto_ skill_ payment_",
    ("quartet", "researcher"): "search_ rag_ graph_ save_knowledge save_learning",
    ("quartet", "planner"): "",
    ("quartet", "memory-manager"): "memory_ observe_ reflect_",
    ("sextet", "operator"): "exec fs_ skill_",
    ("sextet", "navigator"): "browser_",
    ("sextet", "vault"): "crypto_ secrets_ payment_",
    ("sextet", "librarian"): "search_ rag_ graph_ save_knowledge save_learning create_skill list_skills",
    ("sextet", "planner"): "",
    ("sextet", "chronicler"): "memory_ observe_ reflect_",
    ("octet", "operator"): "exec_* fs_* skill_*",
    ("octet", "navigator"): "browser_*",
    ("octet", "vault"): "crypto_* secrets_* payment_*",
    ("octet", "librarian"): (
        "search_* rag_* graph_* save_knowledge save_learning learning_* create_skill list_skills import_skill "
        "librarian_* web_* view_skill get_knowledge"
    ),
    ("octet", "automator"): "cron_* bg_* workflow_*",
    ("octet", "planner"): "",
    ("octet", "chronicler"): "memory_* observe_* reflect_*",
    ("octet", "ontologist"): "ontology_*",
}

_KEYWORDS = {
    "operator": "run, execute, command, shell, file, read, write, edit, delete, skill",
    "navigator": "browse, web, url, page, navigate, click, screenshot, website",
    "vault": "encrypt, decrypt, sign, hash, secret, password, payment, wallet, USDC",
    "librarian": "search, find, lookup, knowledge, learning, retrieve, graph, RAG, inquiry, question, gap",
    "automator": "schedule, cron, every, recurring, background, async, later, workflow, pipeline, automate, timer",
    "planner": "plan, decompose, steps, strategy, how to, break down",
    "chronicler": "remember, recall, observation, reflection, memory, history",
    "ontologist": "ontology, type, entity, fact, conflict, ingest, schema, taxonomy",
}
KEYWORDS = {
    **{("quartet", name): "" for name in SHAPES["quartet"].roster},
    **{("sextet", name): _KEYWORDS[name] for name in SHAPES["sextet"].roster},
    ("sextet", "librarian"): "search, find, lookup, knowledge, learning, retrieve, graph, RAG",
    **{("octet", name): _KEYWORDS[name] for name in SHAPES["octet"].roster},
}

CANNOT = {
    "operator": "web browsing, cryptographic operations, payment transactions, knowledge search, memory management",
    "navigator": "shell commands, file operations, cryptographic operations, payment transactions, knowledge search",
    "vault": "shell commands, web browsing, file operations, knowledge search, memory management",
    "librarian": "shell commands, web browsing, cryptographic operations, memory management (observations/reflections)",
    "automator": "shell commands, file operations, web browsing, cryptographic operations, knowledge search",
    "planner": "executing commands, web browsing, file operations, any tool-based operations",
    "chronicler": "shell commands, web browsing, file operations, knowledge search, cryptographic operations",
    "ontologist": "shell commands, web browsing, file operations, cryptographic operations, memory management",
}

DETAILS = {
    "operator": ["raw result", "exit code", "shell commands, files and installed skills"],
    "navigator": [
        "search once with browser_search and work from the current results page",
        "only when the first search came back empty or clearly irrelevant, and then exactly once",
        "what can be clicked",
        "structured data",
        "current URL and title",
        "browser_screenshot",
    ],
    "vault": [
        "Never print",
        "secret values, passwords, private keys",
        "decrypted plaintext",
        "cryptography, secrets and blockchain payments (USDC on Base)",
    ],
    "librarian": [
        "web_search",
        "web_fetch",
        "graph_traverse: start_node\n",
        "graph_query: subject or object",
        "librarian_dismiss_inquiry: inquiry_id\n",
        "Interactive browsing, screenshots and DOM actions still belong to the browsing specialist",
        "at most one",
    ],
    "automator": [
        "cron_add: name, schedule_type, schedule, prompt\n",
        "cron_pause, cron_resume, cron_remove: id\n",
        "bg_submit: prompt\n",
        "bg_status, bg_result, bg_cancel: task_id\n",
        "workflow_status, workflow_cancel: run_id\n",
        "workflow_save: name, yaml_content\n",
        "Never run shell commands",
    ],
    "planner": [
        "clear, actionable steps",
        "you have no tools",
        "[PLAN: <summary in one line>]\nStep 1: <action> → agent: <name>\n",
        "\nStep 2: <action> → agent: <name> | depends_on: Step 1\n",
    ],
    "chronicler": [
        "memory_agent_save: key, content\n",
        "memory_agent_recall: query\n",
        "memory_agent_forget: key\n",
        "with its context and timestamp",
        "observations, reflections and recall",
    ],
    "ontologist": ["types, entities, facts, relationships, conflicts and ingestion", "look for conflicts", "Ingestion"],
}

REPORTING = {
    "executor": "provide results clearly",
    "researcher": "summarize findings clearly",
    "planner": "resent the plan for review",
    "memory-manager": "report what was stored or retrieved",
    "operator": "Give the raw result clearly",
    "navigator": "Report clearly",
    "vault": "Report",
    "librarian": "Summarize the findings clearly",
    "automator": "Report clearly what now exists",
    "chronicler": "Report clearly what was stored or retrieved",
    "ontologist": "Report clearly",
}

QUARTET_RULES = {
    "executor": "For actions.",
    "researcher": "For information lookup.",
    "planner": "For multi-step planning.",
    "memory-manager": "For memory operations.",
}

EVERY_AGENT = [(name, agent) for name in MULTI for agent in SHAPES[name].roster]
WITH_TABLE = [(name, agent) for name, agent in EVERY_AGENT if name != "quartet"]


def spec_of(topology: str, agent: str) -> AgentSpec:
    return next(spec for spec in load_topology(topology).agents if spec.name == agent)


def embedded() -> list[AgentSpec]:
    return list(EmbeddedStore().load())


def every_name() -> set[str]:
    names = {agent for _, agent in EVERY_AGENT} | {spec.name for spec in embedded()}
    return names | {load_topology(name).root for name in SHAPES}


def names_in(text: str) -> set[str]:
    """Agents' names in a text, whatever their case; a name inside a longer word or a tool name does not count."""
    return {name for name in every_name() if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE)}


def tool_names_in(text: str) -> set[str]:
    bare = set(re.findall(r"(?<!\w)exec(?!\w)", text, re.IGNORECASE))
    return bare | set(UNDERSCORED.findall(text))


def section_text(sections: tuple[PromptSection, ...], wanted: str) -> str:
    return next(section.text for section in sections if section.id == wanted)


def own_sections(topology: Topology) -> tuple[PromptSection, ...]:
    return (*topology.root_sections, *topology.specialist_sections, *topology.planner_sections)


def fields_of_the_table(spec: AgentSpec) -> dict[str, str]:
    return {
        "description": spec.description,
        "keywords": "; ".join(spec.keywords),
        "capabilities": "; ".join(spec.capabilities),
        "accepts": spec.accepts,
        "returns": spec.returns,
        "cannot_do": "; ".join(spec.cannot_do),
        "example_requests": "; ".join(spec.example_requests),
        "disambiguation": spec.disambiguation,
    }


def one_tool_per_prefix(topology: Topology) -> list[Tool]:
    tools = {f"{Prefix.parse(p).start.removesuffix('_')}_x" for spec in topology.agents for p in spec.prefixes}
    return [*(Tool(name) for name in [*sorted(tools), "zebra_x"]), Tool("tool_output_x", role="control")]


def full_tree(topology: str, tools: list[Tool] | None = None) -> AgentTree:
    loaded = load_topology(topology)
    return build_agent_tree(tools or one_tool_per_prefix(loaded), loaded, shared_sections=load_prompt_sections())


# -- shape -------------------------------------------------------------------------------------------------------------


def test_the_topologies_of_this_part_are_there() -> None:
    assert set(SHAPES) <= set(topology_names())


@pytest.mark.parametrize("name", SHAPES)
def test_topology_has_the_shape_the_design_gives_it(name: str) -> None:
    topology = load_topology(name)
    roster = tuple(spec.name for spec in topology.agents)
    assert topology.name == name
    assert SHAPES[name] == Shape(
        topology.root,
        roster,
        topology.match_order,
        topology.unmatched_to,
        topology.control,
        topology.decline,
        topology.max_rounds,
        topology.max_steps,
    )
    assert topology.title
    assert topology.description
    assert topology.source.startswith("spec 00")


@pytest.mark.parametrize("name", topology_names())
def test_order_names_nobody_without_a_claim_and_the_roster_orders_the_others(name: str) -> None:
    topology = load_topology(name)
    claimants = {spec.name for spec in topology.agents if spec.prefixes}
    assert len(topology.match_order) == len(set(topology.match_order))
    assert set(topology.match_order) <= claimants
    without = topology.model_copy(update={"match_order": ()})
    assert matching_order(without, topology.agents) == list(topology.agents)
    assert topology.unmatched_to is None or topology.unmatched_to in claimants


@pytest.mark.parametrize("name", topology_names())
def test_what_the_package_takes_unchecked_passes_the_check(name: str, tmp_path: Path) -> None:
    copied = shutil.copytree(PACKAGE / "topologies" / name, tmp_path / name)
    checked = read_topology(copied, shown_as=f"lango_nb/topologies/{name}")
    assert repr(checked) == repr(load_topology(name))
    assert checked == load_topology(name)


def definitions() -> list[Path]:
    return [file for name in ("AGENT.md", "topology.yaml") for file in sorted(PACKAGE.rglob(name))]


@pytest.mark.parametrize("file", definitions(), ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_definitions_of_the_package_are_simple_and_mean_what_pyyaml_reads(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    text = text.split("---\n")[1] if file.name == "AGENT.md" else text
    assert repr(read_simple(text)) == repr(read_document(text, file.name).values)


def test_the_bundled_agents_pass_the_check_too(tmp_path: Path) -> None:
    copied = shutil.copytree(PACKAGE / "data" / "agents", tmp_path / "agents")
    checked = FileStore(copied, Source.EMBEDDED, shown_as="lango_nb/data/agents").load()
    assert repr(checked) == repr(EmbeddedStore().load())


@pytest.mark.parametrize("name", topology_names())
def test_agents_are_active_built_in_and_named_once(name: str) -> None:
    agents = load_topology(name).agents
    assert len({spec.name for spec in agents}) == len(agents)
    for spec in agents:
        assert spec.source is Source.BUILTIN
        assert spec.is_active
        assert spec.description
        assert spec.instruction.startswith(f"You are {spec.name}")
        assert not spec.extra


def test_orchestrators_carry_the_description_of_the_original() -> None:
    assert {load_topology(name).root_description for name in MULTI} == {"Lango Assistant Orchestrator"}


def test_solo_is_the_whole_shared_prompt_and_nothing_else() -> None:
    solo = load_topology("solo")
    assert solo.is_single
    assert own_sections(solo) == ()
    tree = build_agent_tree([Tool("exec")], solo, shared_sections=load_prompt_sections())
    assert [section.id for section in tree.root.sections] == [section.id for section in load_prompt_sections()]


@pytest.mark.parametrize("name", MULTI)
def test_planner_alone_is_always_included(name: str) -> None:
    assert [spec.name for spec in load_topology(name).agents if spec.always_include] == ["planner"]


def test_octet_isolates_all_but_planner_and_chronicler() -> None:
    shared = {spec.name for spec in load_topology("octet").agents if not spec.session_isolation}
    assert shared == {"planner", "chronicler"}
    assert not any(spec.session_isolation for name in ("quartet", "sextet") for spec in load_topology(name).agents)


# -- agents ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("topology", "agent"), EVERY_AGENT)
def test_prefixes_are_those_of_the_specification(topology: str, agent: str) -> None:
    assert spec_of(topology, agent).prefixes == tuple(PREFIXES[topology, agent].split())


@pytest.mark.parametrize(("topology", "agent"), EVERY_AGENT)
def test_keywords_are_those_of_the_specification(topology: str, agent: str) -> None:
    assert ", ".join(spec_of(topology, agent).keywords) == KEYWORDS[topology, agent]


@pytest.mark.parametrize(("topology", "agent"), WITH_TABLE)
def test_what_an_agent_cannot_do_is_declared_and_told_to_it(topology: str, agent: str) -> None:
    spec = spec_of(topology, agent)
    wanted = CANNOT[agent].split(", ")
    assert sorted(spec.cannot_do) == sorted(wanted)
    assert topology != "octet" or list(spec.cannot_do) == wanted
    told = spec.instruction.partition("**Not yours**: ")[2]
    assert told.rstrip(".").split("; ") == list(spec.cannot_do)


@pytest.mark.parametrize("agent", SHAPES["octet"].roster)
def test_octet_instruction_keeps_the_agent_details(agent: str) -> None:
    text = spec_of("octet", agent).instruction
    assert [fact for fact in DETAILS[agent] if fact not in text] == []


@pytest.mark.parametrize(("topology", "agent"), EVERY_AGENT)
def test_instruction_guides_the_agent_to_report(topology: str, agent: str) -> None:
    report = spec_of(topology, agent).instruction.partition("**Report**\n")[2]
    assert REPORTING[agent] in report


@pytest.mark.parametrize(("topology", "agent"), WITH_TABLE)
def test_routing_fields_are_filled_in(topology: str, agent: str) -> None:
    spec = spec_of(topology, agent)
    assert spec.accepts
    assert spec.returns
    assert spec.disambiguation
    assert 3 <= len(spec.example_requests) <= 5
    assert len(set(spec.example_requests)) == len(spec.example_requests)


def test_quartet_chooses_by_capability_alone() -> None:
    for spec in load_topology("quartet").agents:
        rest = {**fields_of_the_table(spec), "description": ""}
        assert not any(text.strip() for text in rest.values()), spec.name


@pytest.mark.parametrize("topology", ["sextet", "octet"])
def test_every_example_request_goes_to_its_own_agent(topology: str) -> None:
    router = Router(full_tree(topology).table)
    misled = {
        request: router.route(request).chosen
        for spec in load_topology(topology).agents
        for request in spec.example_requests
        if router.route(request).chosen != spec.name
    }
    assert misled == {}


# -- prompts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("topology", "agent"), EVERY_AGENT)
def test_what_a_root_reads_of_an_agent_names_no_tool(topology: str, agent: str) -> None:
    found = {field: tool_names_in(text) for field, text in fields_of_the_table(spec_of(topology, agent)).items()}
    assert {field: names for field, names in found.items() if names} == {}


@pytest.mark.parametrize("name", MULTI)
def test_root_sections_name_no_tool_but_the_controls(name: str) -> None:
    allowed = CONTROL_WORDS | AGENT_FIELDS | OUTCOMES if name == "octet" else set()
    found = {section.id: tool_names_in(section.text) - allowed for section in load_topology(name).root_sections}
    assert {section: names for section, names in found.items() if names} == {}


@pytest.mark.parametrize(("topology", "agent"), EVERY_AGENT)
def test_an_agents_definition_names_no_other_agent(topology: str, agent: str) -> None:
    spec = spec_of(topology, agent)
    text = "\n".join([spec.instruction, *fields_of_the_table(spec).values()])
    assert names_in(text) <= {agent}


@pytest.mark.parametrize("name", topology_names())
def test_sections_name_no_agent(name: str) -> None:
    sections = own_sections(load_topology(name))
    assert [section.id for section in sections if names_in(f"{section.title}\n{section.text}")] == []


@pytest.mark.parametrize("name", topology_names())
def test_sections_hold_known_placeholders_and_ids_once(name: str) -> None:
    topology = load_topology(name)
    for group in (topology.root_sections, topology.specialist_sections, topology.planner_sections):
        assert len({section.id for section in group}) == len(group)
    for section in own_sections(topology):
        assert set(re.findall(r"\{([^}]*)\}", section.text)) <= PLACEHOLDERS, section.id


@pytest.mark.parametrize("name", SHAPES)
def test_built_prompts_have_every_placeholder_filled(name: str) -> None:
    for node in full_tree(name, [Tool("exec"), Tool("zebra")]):
        assert re.findall(r"\{\w*\}", node.prompt) == [], node.name


@pytest.mark.parametrize("name", MULTI)
def test_built_prompts_name_only_agents_of_the_tree(name: str) -> None:
    tree = full_tree(name, [Tool("memory_x")])
    assert len(tree.agents) == 2
    for node in tree:
        assert names_in(node.prompt) <= set(tree.names), node.name


@pytest.mark.parametrize("name", MULTI)
def test_root_prompt_holds_the_limit_the_names_and_the_short_circuit(name: str) -> None:
    tree = full_tree(name)
    prompt = tree.root.prompt
    assert f"Maximum {SHAPES[name].max_rounds} delegation rounds per user turn" in prompt
    assert "NEVER invent or abbreviate agent names" in prompt
    assert f"The only valid names are: {', '.join(spec.name for spec in load_topology(name).agents)}." in prompt
    assert re.search(
        r"Greetings, opinions, small talk and general knowledge(?:: answer| are answered) directly", prompt
    )
    assert "NEVER" in prompt.rpartition("## ")[2]


def test_quartet_root_delegates_and_holds_no_word_like_an_agents_name() -> None:
    topology = load_topology("quartet")
    text = "\n".join(f"{section.title}\n{section.text}" for section in topology.root_sections)
    shared = "\n".join(s.text for s in load_prompt_sections() if s.id not in {"identity", "tool_usage"})
    assert "You have no tools of your own" in text
    assert "MUST be delegated to one of these agents through {control_tool}" in text
    descriptions = "\n".join(spec.description for spec in topology.agents)
    confusable = r"(?i)\b(?:exec|browser|crypto|search|memory|plan|file|shell|payment|skill)\b"
    assert re.findall(confusable, text + shared) == []
    assert re.findall(r"(?i)\b(?:exec|browser|crypto)\b", descriptions) == []


@pytest.mark.parametrize("agent", QUARTET_RULES)
def test_quartet_delegation_rule_comes_and_goes_with_its_agent(agent: str) -> None:
    rule = f'- "{agent}": {QUARTET_RULES[agent]} '
    assert rule in full_tree("quartet").root.prompt
    without = full_tree("quartet", [Tool("search_x") if agent != "researcher" else Tool("exec")]).root.prompt
    assert (rule in without) == (agent == "planner")


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("sextet", ["1. CLASSIFY", "2. MATCH", "3. SELECT", "4. VERIFY", "5. DELEGATE"]),
        ("octet", ["ASSESS", "1. CLASSIFY", "2. MATCH", "3. SELECT", "4. SCOPE", "5. EXECUTE"]),
    ],
)
def test_decision_protocol_has_its_steps_in_order(name: str, steps: list[str]) -> None:
    text = section_text(load_topology(name).root_sections, "decision_protocol")
    places = [text.find(step) for step in steps]
    assert -1 not in places
    assert places == sorted(places)


@pytest.mark.parametrize("name", ["sextet", "octet"])
def test_unmatched_tools_are_shown_only_while_there_are_some(name: str) -> None:
    with_some = full_tree(name, [Tool("exec"), Tool("zebra_x")]).root.prompt
    without = full_tree(name, [Tool("exec")]).root.prompt
    assert "## Unmatched Tools\n" in with_some
    assert "zebra_x" in with_some
    assert "Unmatched" not in without


def test_sextet_declines_by_marker_and_the_root_knows_what_to_do() -> None:
    sextet = load_topology("sextet")
    for sections in (sextet.specialist_sections, sextet.planner_sections):
        answer = section_text(sections, "reject_protocol")
        assert re.search(r"^\[REJECT\] This request is about <its domain>\. I handle ", answer, re.MULTILINE)
        assert "exactly one line that begins with [REJECT]" in answer
    rejection = section_text(sextet.root_sections, "rejection")
    assert "begins with [REJECT]" in rejection
    assert "next best agent" in rejection


def test_octet_declines_in_a_sentence_and_never_by_marker() -> None:
    octet = load_topology("octet")
    everything = "\n".join(
        [*(section.text for section in own_sections(octet)), *(spec.instruction for spec in octet.agents)]
    )
    assert "REJECT]" not in everything
    for sections in (octet.specialist_sections, octet.planner_sections):
        answer = section_text(sections, "escalation")
        assert "one short visible sentence" in answer
        assert "control returns to {root}" in answer
    assert "only evidence gathered in this turn" in section_text(octet.root_sections, "rejection")


def test_octet_root_knows_the_teammate_rules() -> None:
    text = section_text(load_topology("octet").root_sections, "teammates")
    for fact in (
        "instruction is required",
        "spawn_reason says in one short clause",
        "allowed_tools narrows the run: give the narrowest list",
        "It can never widen what the role may use",
        "agent_wait collects a run and needs its agent_id. A timeout is not a failure",
        "agent_stop cancels a run that is no longer wanted and needs its agent_id",
        "Never use transfer_to_agent for a teammate",
    ):
        assert fact in text


def test_octet_root_knows_when_a_turn_is_complete() -> None:
    text = section_text(load_topology("octet").root_sections, "completion")
    for way in (
        "visible response",
        "visible escalation",
        "remote agent",
        "loop_detected",
        "empty_after_tool_use",
        "timeout",
    ):
        assert way in text


def test_octet_specialists_handle_large_outputs_and_never_end_on_a_tool_call() -> None:
    octet = load_topology("octet")
    output = section_text(octet.specialist_sections, "output_handling")
    assert "_meta" in output
    assert "storedRef" in output
    rules = section_text(octet.specialist_sections, "response_rules")
    assert "at least one visible sentence" in rules
    assert "Never end a turn with a tool call alone" in rules
    without_tools = {section.id for section in octet.planner_sections}
    assert without_tools.isdisjoint({"output_handling", "response_rules"})


# -- shared prompt and bundled agents ----------------------------------------------------------------------------------


def test_shared_sections_have_their_ids_and_priorities() -> None:
    assert {section.id: (section.title, section.priority) for section in load_prompt_sections()} == {
        "identity": ("Identity", 100),
        "safety": ("Safety", 200),
        "conversation_rules": ("Conversation Rules", 300),
        "output_principles": ("Output Principles", 350),
        "tool_usage": ("Tool Usage", 400),
    }


@pytest.mark.parametrize("section", load_prompt_sections(), ids=lambda section: section.id)
def test_shared_sections_are_short_and_name_nobody(section: PromptSection) -> None:
    assert 5 <= len(section.text.splitlines()) <= 10
    assert names_in(section.text) == set()
    assert tool_names_in(section.text) <= ({"Exec"} if section.id in {"identity", "tool_usage"} else set())


@pytest.mark.parametrize("section_id", ["identity", "tool_usage"])
def test_sections_kept_from_orchestrators_describe_tool_categories(section_id: str) -> None:
    text = section_text(load_prompt_sections(), section_id)
    assert [category for category in ("Exec", "Filesystem", "Browser", "Crypto") if category not in text] == []
    for name in MULTI:
        tree = full_tree(name)
        assert section_id not in {s.id for node in tree.agents for s in node.sections}
        assert text not in tree.root.prompt


def test_bundled_agents_claim_their_prefixes() -> None:
    assert {spec.name: spec.prefixes for spec in embedded()} == {
        "code-reviewer": ("review_*", "lint_*"),
        "translator": ("translate_*",),
        "data-analyst": ("table_*", "chart_*"),
    }


@pytest.mark.parametrize("spec", embedded(), ids=lambda spec: spec.name)
def test_bundled_agents_are_complete_and_join_any_topology(spec: AgentSpec) -> None:
    assert spec.source is Source.EMBEDDED
    assert spec.is_active
    assert all(fields_of_the_table(spec).values())
    assert "**Report**" in spec.instruction
    assert names_in("\n".join([spec.instruction, *fields_of_the_table(spec).values()])) <= {spec.name}
    assert not any(tool_names_in(text) for text in fields_of_the_table(spec).values())
    for name in MULTI:
        loaded = load_topology(name)
        tool = Tool(f"{Prefix.parse(spec.prefixes[0]).start}x")
        tree = build_agent_tree([*one_tool_per_prefix(loaded), tool], loaded, agents=embedded())
        assert tree.names[-1] == spec.name
        if name != "quartet":
            routes = {request: Router(tree.table).route(request).chosen for request in spec.example_requests}
            assert set(routes.values()) == {spec.name}, routes


def test_bundled_agents_take_no_tool_of_the_sample_table() -> None:
    octet = load_topology("octet")
    tree = build_agent_tree(sample_tools(), octet, agents=embedded())
    assert {spec.name: tree.partition[spec.name] for spec in embedded()} == {spec.name: () for spec in embedded()}
