"""agents_df: the root first, own and shared tools apart, definitions as text."""

from __future__ import annotations

from typing import Any

from lango_nb.frames import agents_df
from tests.unit.viz import samples


def test_the_root_comes_first_and_has_no_definition() -> None:
    df: Any = agents_df(samples.tree()).set_index("agent")
    assert list(df.index) == list(samples.tree().names)
    root = df.loc["orchestrator"]
    assert (root["role"], root["own_tools"], root["tools"]) == ("orchestrator", 0, 0)
    assert root[["source", "prefixes", "keywords", "rank"]].isna().all()


def test_own_tools_and_shared_ones_are_told_apart() -> None:
    df: Any = agents_df(samples.tree()).set_index("agent")
    assert (df.loc["operator", "own_tools"], df.loc["operator", "tools"]) == (11, 14)
    assert (df.loc["planner", "own_tools"], df.loc["planner", "tools"]) == (0, 0)
    assert df.loc["operator", "families"] == "exec, fs"
    assert df.loc["operator", "prefixes"] == "exec_*, fs_*"
    assert df.loc["operator", "by_name"] == 3  # the shared ones


def test_rank_is_the_place_in_the_matching_order() -> None:
    df: Any = agents_df(samples.tree()).set_index("agent")
    assert (df.loc["librarian", "rank"], df.loc["operator", "rank"]) == (1, 7)


def test_prompt_sizes_are_those_of_the_prompt() -> None:
    df: Any = agents_df(samples.tree()).set_index("agent")
    for node in samples.tree():
        assert df.loc[node.name, "prompt_chars"] == len(node.prompt)
        assert df.loc[node.name, "prompt_tokens_estimate"] == -(-len(node.prompt) // 4)


def test_a_root_that_works_alone_owns_its_tools() -> None:
    row = agents_df(samples.single_tree()).iloc[0]
    assert (row["role"], row["own_tools"]) == ("single", len(samples.tools()))


def test_the_source_of_a_custom_agent_is_named() -> None:
    df: Any = agents_df(samples.other_tree()).set_index("agent")
    assert (df.loc["painter", "source"], df.loc["operator", "source"]) == ("user", "builtin")
