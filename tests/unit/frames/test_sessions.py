"""sessions_df: what the turns of every session came to."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pandas as pd

from lango_nb.frames import sessions_df
from lango_nb.records.history import History
from lango_nb.records.packing import pack_trace
from lango_nb.stores.sql import memory_store
from lango_nb.stores.store import StoredTurn
from tests.unit.viz import samples

OTHER = replace(
    samples.greeting().turn,
    id="turn-3",
    number=3,
    session_id="other",
    outcome="timeout",
    started_at=samples.START + timedelta(hours=1),
)
TRACES = (samples.trace(), samples.greeting(), replace(samples.greeting(), turn=OTHER))


def history() -> History:
    store = memory_store()
    for trace in TRACES:
        row, body = pack_trace(trace)
        store.log.keep([StoredTurn(row, [], body)])
    return History(store.log)


def test_turns_are_counted_and_summed_by_session() -> None:
    df: Any = sessions_df(TRACES).set_index("session_id")
    assert df.index.tolist() == ["main", "other"]
    assert df.loc["main", ["turns", "ok", "outcomes", "last_outcome"]].tolist() == [2, 2, "success 2", "success"]
    assert df.loc["other", ["turns", "ok", "outcomes", "last_outcome"]].tolist() == [1, 0, "timeout 1", "timeout"]
    assert df.loc["main", ["rounds", "steps", "tool_calls", "duration_ms"]].tolist() == [2, 8, 3, 107.0]
    assert df.loc["main", "agents"] == "orchestrator, librarian, operator"
    assert df.loc["main", "title"] == samples.trace().turn.text


def test_tokens_nobody_counted_are_missing_and_not_zero() -> None:
    df: Any = sessions_df(TRACES).set_index("session_id")
    assert df.loc["main", "input_tokens"] == 840
    assert pd.isna(df.loc["other", "input_tokens"])


def test_turns_traces_and_a_history_give_the_same() -> None:
    expected = sessions_df(TRACES)
    pd.testing.assert_frame_equal(sessions_df([trace.turn for trace in TRACES]), expected)
    pd.testing.assert_frame_equal(sessions_df(history()), expected)


def test_of_some_turns_only_these_are_summed() -> None:
    df: Any = sessions_df(history().where(text="hello")).set_index("session_id")
    assert df["turns"].tolist() == [1, 1]
    assert df.loc["main", "title"] == samples.trace().turn.text
    assert df.loc["main", "steps"] == 1


def test_a_session_whose_only_turn_still_runs_has_one() -> None:
    store = memory_store()
    store.log.begin({"id": "t", "session_id": "s", "text": "hi", "started_at": "2026-01-01T00:00:00.000000+00:00"})
    df: Any = sessions_df(History(store.log))
    assert df.loc[0, ["session_id", "title", "turns", "outcomes", "steps"]].tolist() == ["s", "hi", 1, "running 1", 0]
