"""runs_df: one row per teammate run, as it was."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pandas as pd

from lango_nb.frames import runs_df
from lango_nb.frames.runs import RUN_COLUMNS
from lango_nb.records.agent_run import AgentRun
from tests.unit.viz import samples

_NAMED = {"id": "run_id", "parent_id": "session_id", "requested_agent": "agent"}


def test_every_field_of_a_run_has_a_column_with_its_value() -> None:
    df: Any = runs_df(samples.runs())
    for field in fields(AgentRun):
        values = df[_NAMED.get(field.name, field.name)]
        for run, value in zip(samples.runs(), values, strict=True):
            expected = getattr(run, field.name)
            expected = ", ".join(expected) if isinstance(expected, tuple) else expected
            assert (None if pd.isna(value) else value) == expected, field.name


def test_all_tools_and_no_tools_are_told_apart() -> None:
    df: Any = runs_df(samples.runs()).set_index("run_id")
    assert df["allowed_tools"].isna().tolist() == [True, False, True, False]
    assert df.loc["run-4", "allowed_tools"] == ""


def test_a_run_that_lives_has_no_end() -> None:
    df: Any = runs_df(samples.runs()).set_index("run_id")
    assert df["is_terminal"].tolist() == [True, False, True, True]
    assert df["duration_ms"].isna().tolist() == [False, True, False, False]
    assert df.loc["run-1", "duration_ms"] == 80.0


def test_a_trace_gives_its_runs_and_one_without_gives_none() -> None:
    pd.testing.assert_frame_equal(runs_df(samples.teammates()), runs_df(samples.runs()))
    assert runs_df(samples.trace()).empty


def test_columns_have_different_names() -> None:
    assert len({column.name for column in RUN_COLUMNS}) == len(RUN_COLUMNS)
