"""delegations_df: one row per hand-over, joined with its run and its decision."""

from __future__ import annotations

from typing import Any

from lango_nb.frames import decisions_df, delegations_df, runs_df
from tests.unit.viz import samples


def test_a_row_tells_who_gave_what_to_whom_and_what_came_of_it() -> None:
    df: Any = delegations_df(samples.trace())
    assert df[["from_agent", "to_agent", "outcome"]].values.tolist() == [
        ["orchestrator", "librarian", "declined"],
        ["orchestrator", "operator", "completed"],
    ]
    assert df["control"].tolist() == ["transfer", "transfer"]
    assert df["run_id"].tolist() == ["", ""]


def test_rows_join_with_runs_and_decisions() -> None:
    df: Any = delegations_df(samples.teammates())
    runs = runs_df(samples.teammates())
    assert df["run_id"].tolist() == runs["run_id"].tolist()
    assert df.merge(runs, on="run_id")["outcome"].tolist() == ["completed", "running", "failed", "completed"]
    assert set(decisions_df(samples.teammates())["decision_id"]) <= set(df["decision_id"])


def test_what_is_not_recorded_is_missing() -> None:
    df: Any = delegations_df(samples.teammates())
    assert df["duration_ms"].isna().tolist() == [False, True, False, False]
    assert df["agrees"].isna().tolist() == [False, True, True, True], "one decision is recorded"
