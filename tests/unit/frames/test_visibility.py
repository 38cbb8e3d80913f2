"""visibility_df: one row per thing that was said and agent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lango_nb.frames import events_df, visibility_df
from tests.unit.viz import samples


def test_every_agent_has_a_row_for_everything_that_was_said() -> None:
    df: Any = visibility_df(samples.teammates())
    assert df["agent"].drop_duplicates().tolist() == ["orchestrator", "operator", "librarian"]
    assert df.groupby("seq")["agent"].nunique().unique().tolist() == [3]
    assert df["seq"].is_monotonic_increasing
    assert set(df["turn_id"]) == {"turn-3"}


def test_it_makes_a_matrix() -> None:
    df: Any = visibility_df(samples.teammates())
    matrix = df[df["kind"] == "instruction"].pivot(index="run_id", columns="agent", values="could_see")
    assert matrix.loc["run-1"].tolist() == [False, True, True]  # librarian, operator, orchestrator
    assert matrix.loc["run-3"].tolist() == [True, True, True], "operator works in the librarian's session, as run-4"


def test_rows_join_with_the_events_they_were_told_by() -> None:
    trace = samples.teammates()
    joined: Any = visibility_df(trace).merge(events_df(trace), left_on="event_seq", right_on="seq")
    texts = joined[joined["kind_y"] == "text"]
    assert len(texts) == 3 * sum(event.kind == "text" for event in trace.events)
    assert (texts["text_x"] == texts["text_y"]).all()


def test_leaks_are_the_rows_that_should_not_be() -> None:
    trace = samples.teammates()
    raw = trace.messages[9].model_copy(update={"content": "the key is 4711", "author": "librarian", "tool_calls": ()})
    df: Any = visibility_df(replace(trace, messages=(*trace.messages[:9], raw, *trace.messages[10:])))
    leaks = df[df["should_not"].fillna(value=False)]
    assert leaks[["author", "text", "agent", "message_seq"]].values.tolist() == [
        ["librarian", "the key is 4711", "orchestrator", 10],
    ]
    assert not visibility_df(samples.teammates())["should_not"].any()


def test_what_the_records_do_not_tell_is_missing() -> None:
    df: Any = visibility_df(samples.trace())
    assert len(df) == 3 * len(samples.trace().messages)
    assert df[["could_see", "did_see", "should_not"]].isna().all(axis=None), "its messages have no ids"
