"""turns_df: one row per turn, from turns or from traces."""

from __future__ import annotations

import pandas as pd

from lango_nb.frames import turns_df
from tests.unit.viz import samples


def test_turns_and_traces_give_the_same() -> None:
    trace = samples.trace()
    pd.testing.assert_frame_equal(turns_df(trace), turns_df(trace.turn))


def test_values_are_those_of_the_turn() -> None:
    row = turns_df([samples.turn(), samples.greeting()]).iloc[0]
    assert (row["turn_id"], row["session_id"], row["number"]) == ("turn-1", "main", 1)
    assert row["path"] == "orchestrator → librarian → orchestrator → operator"
    assert (row["agent"], row["is_ok"], row["tool_calls"]) == ("operator", True, 3)
    assert row["started_at"].to_pydatetime() == samples.START


def test_unknown_tokens_are_missing_not_zero() -> None:
    df = turns_df([samples.turn(), samples.greeting()])
    assert df["input_tokens"].isna().tolist() == [False, True]
