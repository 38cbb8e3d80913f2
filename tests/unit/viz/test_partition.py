"""The partition: counts that add up, what nobody owns, reasons where they are needed."""

from __future__ import annotations

import re

from lango_nb import viz
from lango_nb.routing.partition import partition_tools
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.topology import Topology
from lango_nb.tools.tool import Tool
from lango_nb.viz.colours import ROOT
from tests.unit.viz import samples


def rows(source: str) -> list[list[str]]:
    table = source[source.index("<table") : source.index("</table>")]
    return [
        [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row)]
        for row in re.findall(r"<tr[^>]*>(.*?)</tr>", table)
    ]


def test_the_matrix_adds_up() -> None:
    partition = samples.tree().partition
    head, *body = rows(viz.to_html(partition))
    *families, sums = body
    owners = [name for name in partition if partition[name]]
    assert head == ["family", *owners, "everybody", "root only", "nobody", "all"]
    for row in body:
        assert sum(int(cell or 0) for cell in row[1:-1]) == int(row[-1])
    for column in range(1, len(head)):
        assert sum(int(row[column] or 0) for row in families) == int(sums[column])
    assert int(sums[-1]) == len(partition)


def test_text_lists_every_tool_once_with_names_only_marked() -> None:
    made = viz.to_text(samples.tree().partition).split("operator:", 1)[1]
    for tool in samples.tools():
        marked = tool.name + ("°" if tool.is_by_name else "")
        assert len(re.findall(rf"(?<![\w]){re.escape(marked)}(?![\w°])", made)) == 1, tool.name
    assert "° known by name only" in made


def test_what_nobody_owns_is_open_at_once() -> None:
    made = viz.to_html(samples.tree().partition)
    opened = re.findall(r"<details[^>]* open>(.*?)</details>", made)
    assert len(opened) == 1
    assert "nobody" in opened[0]
    assert "p2p_query" in opened[0]


def test_only_tools_that_need_it_are_explained() -> None:
    overlapping = Topology(
        name="t",
        root="root",
        control="transfer",
        agents=(AgentSpec(name="a", prefixes=("x_*",)), AgentSpec(name="b", prefixes=("x_y_*",))),
        match_order=("b", "a"),
    )
    partition = partition_tools([Tool("x_y_z"), Tool("x_1")], overlapping)
    reason = partition.why("x_y_z").reason
    assert reason in viz.to_text(partition)
    assert partition.why("x_1").reason not in viz.to_text(partition)
    assert "and is asked before a" in viz.to_html(partition)


def test_the_order_is_told_where_there_is_one() -> None:
    assert "librarian → chronicler → automator" in viz.to_html(samples.tree().partition)
    assert "asked in this order" not in viz.to_html(samples.single_tree().partition)
    assert "asked in this order" not in viz.to_text(samples.single_tree().partition)


def test_very_many_families_are_counted() -> None:
    shape = Topology(name="t", root="root", control="transfer", agents=(AgentSpec(name="a"),))
    made = viz.to_html(partition_tools([Tool(f"f{n}_x") for n in range(500)], shape))
    assert "and 440 families more" in made
    assert len(rows(made)) == 1 + 60 + 1
    assert rows(made)[-1][-1] == "500"


def test_mermaid_counts_families() -> None:
    made = viz.to_mermaid(samples.tree().partition)
    assert 'o0["operator"]' in made
    assert '"exec: 4"' in made


def test_the_one_agent_of_a_single_topology_has_the_colour_of_a_root() -> None:
    tree = samples.single_tree()
    dot = re.compile(rf'background:(#\w{{6}});margin-right:6px;flex:0 0 auto"></span>(?:<span[^>]*>)?{tree.root.name}')
    assert set(dot.findall(viz.to_html(tree.partition))) == set(dot.findall(viz.to_html(tree))) == {ROOT}


def test_the_order_is_said_where_there_is_one() -> None:
    def shown(*names: str) -> str:
        agents = tuple(AgentSpec(name=name, prefixes=(f"{name}_",)) for name in names)
        topology = Topology(name="t", root="root", agents=agents, control="transfer", match_order=names)
        return viz.to_text(partition_tools([Tool(f"{name}_x") for name in names], topology))

    assert "asked in this order" not in shown("a")
    assert "asked in this order:\n  a, b" in shown("a", "b")
