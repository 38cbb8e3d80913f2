"""What is counted in several places has one definition: a turn, its metrics, its graph and its runs say the same."""

from __future__ import annotations

from pathlib import Path

from lango_nb.core.clock import SteppedClock
from lango_nb.core.ids import CountedIds
from lango_nb.lab import Lab
from tests.cast import Cast, spawn, wait


def played(folder: Path) -> Lab:
    model = Cast(
        {
            "root": [[spawn("operator", "One."), spawn("librarian", "Two.")], wait("arun-1"), wait("arun-2"), "Done."],
            "One.": [("fs_list", {"path": "."}), ("fs_read", {"path": "gone"}), ("task_list", {}), "Done."],
            "Two.": [("nothing_there", {}), "Done."],
        }
    )
    lab = Lab("octet", model=model, workspace=folder, clock=SteppedClock(), ids=CountedIds())
    lab.ask("do both")
    return lab


def test_tool_calls_are_the_same_everywhere(tmp_path: Path) -> None:
    lab = played(tmp_path)
    turn = lab.trace().record.turn
    assert turn.tool_calls == 3, "a listing, a file that is gone, and a tool that is not there; no waits and tasks"
    assert sum(one.tool_calls for one in lab.metrics().record) == turn.tool_calls
    assert sum(node.tool_calls for node in lab.graph().record.nodes) == turn.tool_calls
    assert sum(run.tool_calls for run in lab.engine.runs) == turn.tool_calls
    by_agent = {one.agent: one.tool_calls for one in lab.metrics().record if one.tool_calls}
    assert by_agent == {"operator": 2, "librarian": 1}


def test_the_list_of_agents_counts_the_tools_that_are_an_agents_own(tmp_path: Path) -> None:
    lab = Lab("octet", workspace=tmp_path)
    shown = dict(zip(lab.agents.df["agent"], lab.agents.df["own_tools"], strict=True))
    tree = lab.engine.tree
    assert shown["operator"] == len(tree.partition["operator"]) < len(tree["operator"].tools)
    lines = [line.split() for line in str(lab.agents).splitlines()]
    (operator,) = [line for line in lines if line[:1] == ["operator"]]
    assert operator[2] == str(shown["operator"])


def test_runs_of_one_reply_are_no_path_from_one_to_the_other(tmp_path: Path) -> None:
    root = "lango-orchestrator"
    assert played(tmp_path).trace().record.turn.path == (root, "operator", root, "librarian", root)
