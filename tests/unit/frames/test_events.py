"""events_df: every kind in one frame; what a kind does not have is missing."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pandas as pd
import pytest

from lango_nb.core import events
from lango_nb.core.events import BaseEvent
from lango_nb.frames import events_df
from lango_nb.frames.events import COLUMNS
from lango_nb.records.turns import Trace
from tests.unit.viz import samples

PATHS = {
    column.name: frozenset(
        name for name in str(column.path).removeprefix("event.").split("|") if "." not in name and name != "turn"
    )
    for column in COLUMNS
}
"""Fields of events that columns are made of; none where it is something within a field."""


@pytest.mark.parametrize("trace", [samples.trace("delegation_limit"), samples.teammates()], ids=["turn", "teammates"])
def test_values_are_those_of_the_events(trace: Trace) -> None:
    df: Any = events_df(trace)
    assert df["seq"].tolist() == [event.seq for event in trace.events]
    assert df["kind"].tolist() == [event.kind for event in trace.events]
    assert [time.to_pydatetime() for time in df["at"]] == [event.at for event in trace.events]
    for column in COLUMNS:
        names = PATHS[column.name]
        if not names or column.name == "at":
            continue
        for event, value in zip(trace.events, df[column.name], strict=True):
            found = next((getattr(event, name) for name in names if hasattr(event, name)), None)
            expected = column.convert(found) if column.convert is not None and found is not None else found
            assert (None if pd.isna(value) else value) == expected, (column.name, event.kind)


def test_every_path_exists_on_some_kind_of_event() -> None:
    kinds = tuple(events.event_kinds().values())
    known = {one.name for kind in kinds for one in fields(kind)}
    for column, names in PATHS.items():
        assert names <= known, column


def test_every_field_of_every_kind_has_a_column() -> None:
    kinds = tuple(events.event_kinds().values())
    known = {column.name for column in COLUMNS} | {"usage", "child"}  # spread, and in child_session
    for kind in kinds:
        assert {one.name for one in fields(kind)} <= known, kind.__name__


def test_the_user_is_an_author_and_no_agent() -> None:
    df: Any = events_df(samples.greeting())
    assert df["author"].tolist() == ["user", "orchestrator", "orchestrator"]
    assert df["agent"].isna().tolist() == [True, False, False]


def test_events_of_a_run_carry_its_id_and_the_turns_own_none() -> None:
    df: Any = events_df(samples.teammates())
    assert df["run_id"].tolist() == [event.run_id for event in samples.teammates().events]
    started = df[df["kind"] == "run.started"].set_index("run_id")
    assert started["run_agent"].tolist() == ["operator", "operator", "librarian", "operator"]
    assert started["author"].tolist() == ["orchestrator", "orchestrator", "orchestrator", "librarian"]
    assert (started.loc["run-2", "allowed_tools"], started.loc["run-4", "allowed_tools"]) == ("fs_read", "")
    assert pd.isna(started.loc["run-1", "allowed_tools"])


def test_a_session_of_its_own_is_found_from_its_beginning_to_its_end() -> None:
    df: Any = events_df(samples.teammates())
    mine = df[df["child_session"] == "main:child:operator:run-1"]
    assert mine["kind"].tolist() == ["run.started", "child.forked", "child.merged"]
    assert df[df["child_session"] == "main:child:librarian:run-3"]["kind"].tolist()[-1] == "child.discarded"


def test_what_was_decided_and_why_can_be_counted() -> None:
    df: Any = events_df(samples.teammates()).set_index("kind")
    assert df.loc["policy.decided", ["tool", "decision"]].tolist() == ["fs_delete", "needs_approval"]
    assert df.loc["hook.decided", ["hook", "phase", "action"]].tolist() == ["output_manager", "after", "modify"]
    assert df.loc["breaker.changed", ["circuit", "state", "failures"]].tolist() == ["librarian", "open", 3]
    assert df.loc["budget.warning", ["limit", "used", "of"]].tolist() == ["delegations", 12.0, 15.0]
    assert df.loc["budget.expanded", ["before", "after"]].tolist() == [15.0, 22.0]
    assert df.loc["recovery", ["action", "error_class", "attempt", "wait_s"]].tolist() == ["retry", "transient", 1, 2.0]
    assert df.loc["run.blocked", ["condition", "grant_attempt", "grant_state"]].tolist() == [
        "blocked_waiting_approval", 1, "pending",
    ]  # fmt: skip
    failed = df[df["status"] == "failed"].iloc[0]
    assert failed[["error", "error_code", "steps", "tool_calls"]].tolist() == [
        "the model is busy", "provider_transient", 2, 1,
    ]  # fmt: skip


def test_a_limit_may_be_a_part_of_a_dollar() -> None:
    said: dict[str, Any] = {"turn_id": "t", "seq": 1, "at": samples.START, "author": "root", "detail": "dear"}
    df: Any = events_df([events.LimitReached(limit="cost", value=0.25, **said)])
    assert df["value"].tolist() == [0.25]


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
