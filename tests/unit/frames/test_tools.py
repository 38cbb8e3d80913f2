"""tools_df: from a tree, a partition, or tools alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lango_nb.core.errors import DefinitionError
from lango_nb.frames import tools_df
from lango_nb.tools.tool import Tool
from tests.unit.viz import samples


def test_a_tree_knows_owners_and_users() -> None:
    df: Any = tools_df(samples.tree()).set_index("tool")
    assert (df.loc["fs_read", "agent"], df.loc["fs_read", "used_by"]) == ("operator", "operator")
    assert df.loc["tool_output_get", ["agent"]].isna().all()
    assert "planner" not in df.loc["tool_output_get", "used_by"]
    assert df.loc["tool_output_get", "used_by"].count(",") == 6  # the seven agents with tools
    assert df.loc["p2p_query", "used_by"] == ""
    assert df.loc["p2p_query", "rule"] == "unmatched"


def test_a_partition_knows_owners_only() -> None:
    df: Any = tools_df(samples.tree().partition).set_index("tool")
    assert df.loc["fs_read", "agent"] == "operator"
    assert df["used_by"].isna().all()


def test_tools_alone_have_no_owner() -> None:
    df: Any = tools_df([Tool("a"), Tool("b", family="f", safety="safe")])
    assert df["agent"].isna().all()
    assert df["by_name"].all()
    assert df["family"].isna().tolist() == [True, False]


def test_schemas_are_json_and_required_arguments_are_listed() -> None:
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    row = tools_df(Tool("a", schema_source=lambda: schema)).iloc[0]  # type: ignore[arg-type, return-value]
    assert json.loads(row["parameters"]) == schema
    assert row["required"] == "path"


def test_a_schema_that_cannot_be_made_names_the_tools_row() -> None:
    def fails() -> dict[str, object]:
        raise RuntimeError("no schema today")

    tools = [Tool("a"), Tool("b", schema_source=fails)]  # type: ignore[arg-type]
    with pytest.raises(DefinitionError, match=r"tools_df: row 1, column 'required': RuntimeError: no schema today"):
        tools_df(tools)
    df, errors = tools_df(tools, strict=False)
    assert [(error.row, error.column) for error in errors] == [(1, "required"), (1, "parameters")]
    assert df["tool"].tolist() == ["a", "b"]
