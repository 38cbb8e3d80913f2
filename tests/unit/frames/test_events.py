"""events_df: every kind in one frame; what a kind does not have is missing."""

from __future__ import annotations

import json
from typing import Any, get_args

import pandas as pd

from lango_nb.core import events
from lango_nb.core.events import BaseEvent
from lango_nb.frames import events_df
from lango_nb.frames.events import COLUMNS
from tests.unit.viz import samples


def test_values_are_those_of_the_events() -> None:
    trace = samples.trace("delegation_limit")
    df: Any = events_df(trace)
    assert df["seq"].tolist() == [event.seq for event in trace.events]
    assert df["kind"].tolist() == [event.kind for event in trace.events]
    assert [time.to_pydatetime() for time in df["at"]] == [event.at for event in trace.events]
    for column in COLUMNS:
        if not isinstance(column.path, str) or not column.path.startswith("event.") or column.path.count(".") > 1:
            continue
        for event, value in zip(trace.events, df[column.name], strict=True):
            expected = getattr(event, column.path.removeprefix("event."), None)
            assert (None if pd.isna(value) else value) == expected or column.name == "at", (column.name, event.kind)


def test_every_path_exists_on_some_kind_of_event() -> None:
    kinds = get_args(get_args(events.Event)[0])
    known = {name for kind in kinds for name in kind.model_fields}
    for column in COLUMNS:
        if isinstance(column.path, str) and column.path.startswith("event."):
            assert column.path.split(".")[1] in known, column.name


def test_every_field_of_every_kind_has_a_column() -> None:
    kinds = get_args(get_args(events.Event)[0])
    known = {column.name for column in COLUMNS} | {"usage"}
    for kind in kinds:
        assert set(kind.model_fields) <= known, kind.__name__


def test_the_user_is_an_author_and_no_agent() -> None:
    df: Any = events_df(samples.greeting())
    assert df["author"].tolist() == ["user", "orchestrator", "orchestrator"]
    assert df["agent"].isna().tolist() == [True, False, False]


def test_arguments_are_json_and_usage_is_spread() -> None:
    df: Any = events_df(samples.trace()).set_index("seq")
    assert json.loads(df.loc[6, "arguments"]) == {"path": "note.md"}
    assert df.loc[7, ["arguments", "input_tokens"]].isna().all()
    assert (df.loc[14, "model"], df.loc[14, "input_tokens"], df.loc[14, "model_latency_ms"]) == ("offline", 120, 3.5)


def test_events_alone_do_not_know_their_session() -> None:
    trace = samples.trace()
    alone, whole = events_df(trace.events), events_df(trace)
    assert alone["session_id"].isna().all()
    assert set(whole["session_id"]) == {"main"}
    pd.testing.assert_frame_equal(alone.drop(columns="session_id"), whole.drop(columns="session_id"))


def test_a_kind_that_is_nowhere_leaves_its_columns_empty_with_their_dtype() -> None:
    df: Any = events_df(samples.greeting())
    assert df["tool"].isna().all()
    assert str(df["is_error"].dtype) == "boolean"


def test_a_bare_event_is_refused_with_its_column() -> None:
    bare = BaseEvent(turn_id="t", seq=1, at=samples.START, author="user")
    df, errors = events_df([bare], strict=False)
    assert [error.column for error in errors] == ["kind"]
    assert df["seq"].tolist() == [1]
