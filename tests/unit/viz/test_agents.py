"""The tree: who is there with what, and who is not."""

from __future__ import annotations

import subprocess
import sys

from lango_nb import viz
from lango_nb.routing.build import build_agent_tree
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.tools.tool import Tool
from lango_nb.viz.agents import tool_chips
from lango_nb.viz.as_html import inline
from tests.unit.viz import samples


def test_a_tree_is_shown_without_the_frames() -> None:
    code = "import sys, lango_nb.viz.agents; sys.exit(any(name.startswith('lango_nb.frames') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_text_names_every_agent_family_and_leftover_tool() -> None:
    made = viz.to_text(samples.tree())
    for node in samples.tree():
        assert node.name in made
    assert "├─ operator    11 tools: exec 4, fs 7" in made
    assert "├─ planner     no tools" in made
    assert "nobody owns:\n  p2p_connect, p2p_peers, p2p_query" in made
    assert "stays with the root:\n  builtin_search" in made
    assert "hands requests over by transfer" in made
    assert made.split("\n")[0] == "sample-eight · eight specialists · 9 agents · 63 tools · 3 of nobody"


def test_the_last_agent_closes_the_drawing() -> None:
    lines = [line for line in viz.to_text(samples.tree()).split("\n") if line.startswith(("├─", "└─"))]
    assert [line[:2] for line in lines] == ["├─"] * 7 + ["└─"]


def test_agents_that_were_not_made_are_named_with_the_reason() -> None:
    assert "not in the tree, no tool is theirs:\n  idle" in viz.to_text(samples.empty_tree())
    shape = samples.topology()
    asleep = AgentSpec(name="asleep", status="disabled", source=Source.USER)
    tree = build_agent_tree(samples.tools(), shape, agents=[asleep])
    assert "not in the tree, not active:\n  asleep" in viz.to_text(tree)
    assert "asleep" in viz.to_html(tree)


def test_the_drawing_shows_all_agents_once() -> None:
    cards = viz.to_html(samples.tree()).partition("Agents")[0]
    for node in samples.tree():
        assert cards.count(f">{node.name}<") == 1


def test_remote_agents_and_targets_that_are_not_attached_are_dashed() -> None:
    shape = samples.topology().model_copy(update={"control": "spawn"})
    far = AgentSpec(name="far", source=Source.REMOTE)
    made = viz.to_html(build_agent_tree(samples.tools(), shape, remote_agents=[far]))
    assert made.count("2px dashed") == 9
    assert "dashed: spawned, not attached to the root or remote" in made
    assert "2px dashed" not in viz.to_html(samples.tree())


def test_custom_agents_say_where_they_come_from() -> None:
    assert "painter     no tools [user]" in viz.to_text(samples.other_tree())


def test_chips_tell_danger_and_names_without_a_handler() -> None:
    made = inline(tool_chips([Tool("a", safety="safe"), Tool("b", "what it does", safety="dangerous")]))
    assert 'title="safe, known by name only"' in made
    assert 'title="dangerous, known by name only: what it does"' in made
    assert made.count("dashed") == 2


def test_very_many_chips_are_counted() -> None:
    made = inline(tool_chips([Tool(f"t{number}") for number in range(1000)]))
    assert "and 700 more" in made


def test_mermaid_joins_root_and_agents() -> None:
    made = viz.to_mermaid(samples.tree()).split("\n")
    assert made[0] == "flowchart LR"
    assert len(made) == 2 + 8
    assert made[2] == '  root --> a0["operator<br/>11 tools#58; exec 4, fs 7"]'
