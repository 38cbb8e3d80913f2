"""partition_df: one row per tool, with the reason."""

from __future__ import annotations

from typing import Any

import pandas as pd

from lango_nb.frames import partition_df
from lango_nb.routing.partition import partition_tools
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.topology import Topology
from lango_nb.tools.tool import Tool
from tests.unit.viz import samples


def test_one_row_per_tool_in_the_order_given() -> None:
    df: Any = partition_df(samples.tree().partition)
    assert df["tool"].tolist() == [tool.name for tool in samples.tools()]


def test_a_tree_stands_for_its_partition() -> None:
    pd.testing.assert_frame_equal(partition_df(samples.tree()), partition_df(samples.tree().partition))


def test_rows_agree_with_the_partition() -> None:
    partition = samples.tree().partition
    df: Any = partition_df(partition)
    for row in df.itertuples():
        why = partition.why(row.tool)
        assert (row.rule, row.reason) == (why.rule, why.reason)
        assert (None if pd.isna(row.agent) else row.agent) == why.agent


def test_who_else_would_have_matched_is_told() -> None:
    topology = Topology(
        name="t",
        root="root",
        control="transfer",
        agents=(AgentSpec(name="a", prefixes=("x_*",)), AgentSpec(name="b", prefixes=("x_y_*",))),
        match_order=("b", "a"),
    )
    row = partition_df(partition_tools([Tool("x_y_z", safety="moderate")], topology)).iloc[0]
    assert (row["agent"], row["prefix"], row["rank"], row["also"]) == ("b", "x_y_*", 1, "a (x_*)")
    assert (row["safety"], row["by_name"]) == ("moderate", True)
    assert pd.isna(row["family"])
