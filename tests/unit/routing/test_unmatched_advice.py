"""A tool that nobody owns can be called by nobody, so no prompt sends its requests to an agent."""

from __future__ import annotations

import re

import pytest

from lango_nb.routing.build import build_agent_tree
from lango_nb.specs.topologies import load_topology, topology_names
from lango_nb.tools.by_name import tools_by_name

KEPT = [
    topology.name
    for topology in map(load_topology, topology_names())
    if topology.unmatched_to is None and not topology.is_single and topology.ownership == "prefix"
]


@pytest.mark.parametrize("name", KEPT)
def test_the_prompt_names_the_tool_and_says_what_gives_it_an_owner(name: str) -> None:
    tree = build_agent_tree(tools_by_name(["fs_read", "zebra_paint"]), load_topology(name))
    assert [tool.name for tool in tree.partition.unmatched] == ["zebra_paint"]
    assert not any("zebra_paint" in node.tools_by_name for node in tree.agents)
    section = tree.root.prompt.partition("## Unmatched Tools")[2].partition("\n## ")[0]
    assert "zebra_paint" in section
    assert "AGENT.md" in section
    assert not re.search(r"(give it|delegate|hand it) to", section)
