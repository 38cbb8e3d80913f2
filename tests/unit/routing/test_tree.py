"""From tools and a topology to a tree with prompts, and what changes between two of them."""

from __future__ import annotations

import pytest

from lango_nb.core.errors import DefinitionError, UnknownNameError
from lango_nb.routing.build import build_agent_tree
from lango_nb.routing.diff import diff
from lango_nb.routing.partition import partition_tools
from lango_nb.routing.table import RoutingRow, RoutingTable
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.topologies import load_prompt_sections, load_topology
from lango_nb.specs.topology import Topology
from lango_nb.tools.by_name import spec_families
from lango_nb.tools.tool import Tool

NAMES = ("exec", "fs_read", "browser_click", "crypto_sign", "search_x", "memory_a", "zebra")
TOOLS = tuple(Tool(name) for name in NAMES)


def overlapping(order: tuple[str, ...]) -> Topology:
    return Topology(
        name="made-up",
        root="root",
        control="transfer",
        agents=(AgentSpec(name="wide", prefixes=("data",)), AgentSpec(name="narrow", prefixes=("data_cube_*",))),
        match_order=order,
    )


def test_the_order_decides_between_overlapping_prefixes_and_the_reason_names_both() -> None:
    tool = Tool("data_cube_roll")
    first = partition_tools([tool], overlapping(("wide", "narrow")))
    second = partition_tools([tool], overlapping(("narrow", "wide")))
    assert (first.owner(tool.name), second.owner(tool.name)) == ("wide", "narrow")
    why = second.why(tool.name)
    assert (why.prefix, why.rank, why.also) == ("data_cube_*", 1, (("wide", "data"),))
    assert why.reason == "narrow claims the prefix 'data_cube_*' and is asked before wide"


def test_a_prefix_that_ends_in_an_underscore_claims_the_bare_stem() -> None:
    octet = load_topology("octet")
    partition = partition_tools([Tool("exec"), Tool("exec_bg"), Tool("execute_x"), Tool("fs")], octet)
    assert partition["operator"] == ("exec", "exec_bg", "fs")
    assert [tool.name for tool in partition.unmatched] == ["execute_x"]


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ([Tool("")], "tool 1 of 1 has no name"),
        ([Tool("a", source="x.csv"), Tool("a", source="cell")], "two tools are called 'a' (from 'x.csv' and 'cell')"),
    ],
)
def test_tools_without_a_name_or_with_the_same_one_are_refused(tools: list[Tool], said: str) -> None:
    with pytest.raises(DefinitionError, match=said.replace("(", r"\(").replace(")", r"\)")):
        partition_tools(tools, load_topology("sextet"))


def test_only_agents_with_tools_are_made_and_the_planner_always() -> None:
    tree = build_agent_tree([Tool("crypto_sign")], load_topology("sextet"))
    assert tree.names == ("lango-orchestrator", "vault", "planner")
    assert set(tree.skipped) == {"operator", "navigator", "librarian", "chronicler"}
    assert tree.root.tools == ()


def test_universal_tools_go_to_every_role_that_has_tools_and_to_no_planner() -> None:
    tools = [*TOOLS, *(Tool(name, role="control") for name in ("tool_output_get", "task_list", "builtin_list"))]
    tree = build_agent_tree(tools, load_topology("octet"))
    for node in tree.agents:
        extra = {tool.name for tool in node.tools} & {"tool_output_get", "task_list"}
        assert extra == (set() if node.name == "planner" else {"tool_output_get", "task_list"}), node.name
        assert "builtin_list" not in node.tools_by_name


def test_single_agent_keeps_identity_tool_usage_and_all_tools() -> None:
    tree = build_agent_tree(TOOLS, load_topology("solo"), shared_sections=load_prompt_sections())
    assert tree.names == ("lango-agent",)
    assert {tool.name for tool in tree.root.tools} == set(NAMES)
    assert {"identity", "tool_usage"} <= {section.id for section in tree.root.sections}


@pytest.mark.parametrize("topology", ["quartet", "sextet", "octet"])
def test_the_orchestrator_never_sees_the_shared_identity_or_tool_usage(topology: str) -> None:
    shared = load_prompt_sections()
    hidden = [section.text.strip() for section in shared if section.id in {"identity", "tool_usage"}]
    tree = build_agent_tree(spec_families(), load_topology(topology), shared_sections=shared)
    assert len(hidden) == 2
    for node in tree:
        assert not any(text in node.prompt for text in hidden), node.name


def test_octet_built_ins_are_targets_and_custom_agents_are_attached() -> None:
    custom = AgentSpec(name="reviewer", prefixes=("review_*",), source=Source.USER)
    remote = AgentSpec(name="far", description="Far away.", source=Source.REMOTE)
    tree = build_agent_tree([*TOOLS, Tool("review_a")], load_topology("octet"), agents=[custom], remote_agents=[remote])
    attached = {node.name for node in tree.agents if node.is_attached}
    assert attached == {"reviewer", "far"}
    assert tree.names[-1] == "far"
    assert tree.table["far"].is_remote


@pytest.mark.parametrize("name", ["lango-orchestrator", "vault"])
def test_an_agent_may_not_take_a_name_that_is_there(name: str) -> None:
    with pytest.raises(DefinitionError, match=name):
        build_agent_tree(TOOLS, load_topology("sextet"), agents=[AgentSpec(name=name, source=Source.USER)])


def test_disabled_agents_are_left_out_and_named() -> None:
    draft = AgentSpec(name="drafty", prefixes=("zebra",), status="draft", source=Source.USER)
    tree = build_agent_tree(TOOLS, load_topology("sextet"), agents=[draft])
    assert "drafty" not in tree
    assert tree.inactive == ("drafty",)
    assert tree.partition.owner("zebra") is None


def test_an_unknown_agent_is_named_with_the_nearest() -> None:
    tree = build_agent_tree(TOOLS, load_topology("sextet"))
    with pytest.raises(UnknownNameError, match="agent 'volt' not found in sextet; did you mean 'vault'"):
        tree["volt"]


def test_diff_tells_moved_tools_agents_and_prompts() -> None:
    sextet = build_agent_tree(TOOLS, load_topology("sextet"))
    quartet = build_agent_tree(TOOLS, load_topology("quartet"))
    found = diff(quartet, sextet)
    moved = {change.tool: (change.before, change.after) for change in found.tools}
    assert moved["browser_click"] == ("executor", "navigator")
    assert moved["zebra"] == ("executor", None)
    assert set(found.appeared) == {"operator", "navigator", "vault", "librarian", "chronicler"}
    assert set(found.vanished) == {"executor", "researcher", "memory-manager"}
    assert {change.agent for change in found.prompts} >= {"lango-orchestrator"}
    assert diff(sextet, sextet).is_empty


def test_diff_tells_a_renamed_and_a_new_tool() -> None:
    topology = load_topology("sextet")
    renamed = [Tool("net_click") if tool.name == "browser_click" else tool for tool in TOOLS]
    found = diff(build_agent_tree(TOOLS, topology), build_agent_tree([*renamed, Tool("fs_new")], topology))
    changes = {change.tool: change.change for change in found.tools}
    assert changes == {"browser_click": "removed", "net_click": "added", "fs_new": "added"}
    assert found.vanished == ("navigator",)


def test_a_table_with_two_rows_of_one_name_is_refused() -> None:
    row = RoutingRow("a", "does").name
    text = RoutingTable((RoutingRow(row, "does"),)).to_markdown()
    with pytest.raises(DefinitionError, match="two rows for 'a'"):
        RoutingTable.from_markdown(f"{text}\n\n{text}")


def test_a_table_is_read_back_from_the_prompt_that_holds_it() -> None:
    for name in ("sextet", "octet"):
        tree = build_agent_tree(spec_families(), load_topology(name), shared_sections=load_prompt_sections())
        assert RoutingTable.from_markdown(tree.root.prompt) == tree.table


def test_quartet_lists_agents_in_lines_that_can_be_read_back() -> None:
    tree = build_agent_tree(spec_families(), load_topology("quartet"))
    read = RoutingTable.from_markdown(tree.root.prompt)
    assert read.names == tree.table.names
    assert [row.capabilities for row in read] == [row.capabilities for row in tree.table]


def test_a_row_of_nobody_is_refused_with_who_there_is() -> None:
    table = build_agent_tree((Tool("fs_read"), Tool("exec")), load_topology("quartet")).table
    assert table["executor"].name == "executor"
    with pytest.raises(UnknownNameError, match="agent 'executer' not found in the routing table; did you mean"):
        table["executer"]
