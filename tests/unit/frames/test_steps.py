"""steps_df: one row per model call, with references to what it was given."""

from __future__ import annotations

import json
from typing import Any

from lango_nb.frames import messages_df, steps_df
from tests.unit.viz import samples


def test_a_row_says_who_was_asked_where_and_what_it_cost() -> None:
    df: Any = steps_df(samples.teammates()).set_index("step")
    assert df.loc[3, ["run_id", "agent", "conversation"]].tolist() == ["run-1", "operator", "main:child:operator:run-1"]
    assert df.loc[3, ["model", "input_tokens", "output_tokens", "latency_ms"]].tolist() == ["offline", 90, 9, 2.5]
    assert df["earlier"].tolist() == [0] * 12


def test_what_a_step_was_given_is_found_among_the_messages() -> None:
    df: Any = steps_df(samples.teammates()).set_index("step")
    said: Any = messages_df(samples.teammates())
    ranges = json.loads(df.loc[9, "given"])
    given = [
        said[(said["conversation"] == name) & said["seq"].between(first, last)]["content"].tolist()
        for name, first, last in ranges
    ]
    assert given[-1] == ["Read notes.md and count its lines.", "", "milk\nbread"]
    assert sum(map(len, given)) == df.loc[9, "messages"]
