"""messages_df: authors, tool calls and their answers."""

from __future__ import annotations

import json
from typing import Any

from lango_nb.frames import events_df, messages_df
from tests.unit.viz import samples


def test_calls_join_with_their_answers() -> None:
    df: Any = messages_df(samples.trace())
    calls = json.loads(df.loc[1, "calls"])
    assert calls == [{"id": "call-5", "name": "fs_read", "arguments": {"path": "notes.md"}}]
    assert df.loc[2, "call_id"] == calls[0]["id"]
    assert df.loc[2, "tool"] == "fs_read"


def test_messages_without_an_author_have_a_missing_one() -> None:
    df: Any = messages_df(samples.trace())
    assert df["author"].isna().tolist() == [False, False, False, False, True]
    assert df["agent"].isna().tolist() == [True, False, False, False, True]


def test_positions_count_per_turn() -> None:
    df: Any = messages_df([samples.trace(), samples.greeting()])
    assert df["seq"].tolist() == [1, 2, 3, 4, 5, 1]
    assert df["turn_id"].tolist() == ["turn-1"] * 5 + ["turn-2"]
    assert df["chars"].tolist()[0] == len("Read notes.md")


def test_every_conversation_of_a_turn_is_there_and_events_join_by_message() -> None:
    trace = samples.teammates()
    df: Any = messages_df(trace)
    counts = df["conversation"].value_counts()
    assert counts["main:child:operator:run-1"] == 4
    assert counts["run-4"] == 4
    joined: Any = df.merge(events_df(trace), on="message_id")
    texts = joined[joined["kind"] == "text"]
    assert (texts["content"] == texts["text"]).all()
    assert len(texts) == 3
