"""Frames of a history: rows as they are stored, only what is asked for, wrong ones named."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import pandas as pd
import pytest

from lango_nb import frames
from lango_nb.core.errors import DefinitionError, StoreError
from lango_nb.frames.column import Column
from lango_nb.frames.reading import Reader
from lango_nb.frames.stored import turn_rows
from lango_nb.records.history import History
from lango_nb.records.packing import pack_event, pack_trace
from lango_nb.records.turns import Trace
from lango_nb.stores.sql import memory_store
from lango_nb.stores.store import EVERY_TURN, Group, Row, StoredTurn, TurnQuery
from lango_nb.stores.turns import Turns
from tests.unit.viz import samples

NOUNS: dict[str, Any] = {
    "sessions": frames.sessions_df,
    "turns": frames.turns_df,
    "events": frames.events_df,
    "messages": frames.messages_df,
    "steps": frames.steps_df,
    "decisions": frames.decisions_df,
    "delegations": frames.delegations_df,
    "runs": frames.runs_df,
    "approvals": frames.approvals_df,
    "visibility": frames.visibility_df,
}
nouns = pytest.mark.parametrize("noun", NOUNS)
TRACES = (samples.trace(), samples.greeting(), samples.teammates())


class Asked(Turns):
    """A log that notes how it is read."""

    def __init__(self, log: Turns) -> None:
        vars(self).update(vars(log))
        self.how: list[str] = []

    def rows(self, query: TurnQuery = EVERY_TURN) -> list[Row]:
        self.how.append("rows")
        return super().rows(query)

    def scan(self, query: TurnQuery = EVERY_TURN, *, with_events: bool = True) -> Iterator[StoredTurn]:
        self.how.append("bodies and events" if with_events else "bodies")
        return super().scan(query, with_events=with_events)

    def events(self, query: TurnQuery = EVERY_TURN) -> Iterator[tuple[Row, list[Row]]]:
        self.how.append("events")
        return super().events(query)

    def tables(
        self, wanted: Mapping[str, Sequence[str] | None], query: TurnQuery = EVERY_TURN
    ) -> dict[str, dict[Any, Group]] | None:
        self.how += [f"table {name}" for name in wanted]
        return super().tables(wanted, query)

    def sessions(self) -> list[Row]:
        self.how.append("sessions")
        return super().sessions()


def history(*traces: Trace) -> History:
    store = memory_store()
    for trace in traces:
        row, body = pack_trace(trace)
        store.log.keep([StoredTurn(row, [pack_event(event) for event in trace.events], body)])
    return History(Asked(store.log))


def how(found: History) -> Collection[str]:
    assert isinstance(found.log, Asked)
    return found.log.how


@nouns
def test_a_history_gives_the_frame_of_its_traces(noun: str) -> None:
    pd.testing.assert_frame_equal(NOUNS[noun](history(*TRACES)), NOUNS[noun](TRACES))


@nouns
def test_an_empty_history_gives_columns_and_dtypes(noun: str) -> None:
    empty = NOUNS[noun](history())
    assert len(empty) == 0
    pd.testing.assert_frame_equal(empty, NOUNS[noun]([]))


@nouns
def test_some_columns_of_a_history_are_those_of_the_whole(noun: str) -> None:
    whole = NOUNS[noun](history(*TRACES))
    for name in whole.columns:
        pd.testing.assert_frame_equal(NOUNS[noun](history(*TRACES), columns=[name]), whole[[name]])
    assert NOUNS[noun](history(*TRACES), columns=[]).shape == (len(whole), 0)


@pytest.mark.parametrize(
    ("noun", "columns", "expected"),
    [
        ("turns", None, ["rows"]),
        ("sessions", None, ["sessions", "rows"]),
        ("sessions", ["session_id", "title"], ["sessions"]),
        ("events", None, ["table events", "table turns"]),
        ("messages", None, ["bodies"]),
        ("steps", None, ["bodies"]),
        ("runs", None, ["bodies"]),
        ("decisions", None, ["bodies"]),
        ("approvals", None, ["events"]),
        ("delegations", None, ["bodies and events"]),
        ("visibility", None, ["bodies and events"]),
    ],
)
def test_no_more_is_read_than_the_columns_are_made_of(noun: str, columns: Any, expected: list[str]) -> None:
    found = history(*TRACES)
    NOUNS[noun](found, columns=columns)
    assert how(found) == expected


@nouns
def test_a_narrowed_history_gives_fewer_rows(noun: str) -> None:
    narrow = history(*TRACES).where(ids=["turn-3"])
    found, expected = NOUNS[noun](narrow), NOUNS[noun](samples.teammates())
    if noun == "sessions":
        assert found["title"].tolist() == [samples.trace().turn.text], "the title is the whole session's"
        found, expected = found.drop(columns="title"), expected.drop(columns="title")
    pd.testing.assert_frame_equal(found, expected)


def test_events_after_the_end_of_a_turn_are_in_a_history() -> None:
    found = history(samples.teammates())
    late = samples.events_of("run-2")[-4:]
    found.log.write("turn-3", [pack_event(event) for event in late])
    df: Any = frames.events_df(found)
    assert df["seq"].tolist() == [event.seq for event in (*samples.teammates().events, *late)]
    assert df["kind"].tolist()[-1] == "run.finished"


def test_a_turn_that_still_runs_is_a_row_without_an_end() -> None:
    store = memory_store()
    at = "2026-01-01T00:00:00.000000+00:00"
    begun: Row = {"id": "t", "session_id": "s", "text": "hi", "topology": "octet", "model": "offline", "started_at": at}
    started: Row = {"kind": "turn.started", "turn_id": "t", "seq": 1, "at": at, "author": "user", "text": "hi"}
    store.log.begin(begun, [started])
    df: Any = frames.turns_df(History(store.log))
    assert df.loc[0, ["turn_id", "outcome", "answer", "is_ok", "steps"]].tolist() == ["t", "running", "", False, 0]
    assert frames.events_df(History(store.log))["session_id"].tolist() == ["s"]
    for noun in ("messages", "steps", "runs", "decisions"):
        assert NOUNS[noun](History(store.log)).empty


def wrong(**changes: Any) -> History:
    """Store the greeting with its second event changed."""
    trace = samples.greeting()
    row, body = pack_trace(trace)
    events = [pack_event(event) for event in trace.events]
    events[1] = {name: value for name, value in {**events[1], **changes}.items() if value != "gone"}
    store = memory_store()
    store.log.keep([StoredTurn(row, events, body)])
    return History(store.log)


@pytest.mark.parametrize(
    ("changes", "column", "message"),
    [
        ({"text": 5}, "text", "expected string, got int 5"),
        ({"text": "gone"}, "text", "text is missing"),
        ({"seq": "gone"}, "seq", "seq is missing"),
        ({"seq": "2"}, "seq", "expected Int64, got str '2'"),
        ({"at": "yesterday"}, "at", "ValueError: Invalid isoformat string: 'yesterday'"),
        ({"at": "gone"}, "at", "at is missing"),
        ({"at": "2026-01-01T00:00:00"}, "at", "2026-01-01T00:00:00 has no time zone"),
        ({"at": 7}, "at", "TypeError: fromisoformat: argument must be str"),
        ({"usage": {"input_tokens": "many"}}, "input_tokens", "expected Int64, got str 'many'"),
        ({"kind": "text.sung"}, "event", "there is no kind 'text.sung'; a newer lango_nb may know it"),
    ],
)
def test_a_row_that_is_wrong_is_named(changes: dict[str, Any], column: str, message: str) -> None:
    with pytest.raises(DefinitionError, match=rf"events_df: row 1, column '{column}': "):
        frames.events_df(wrong(**changes))
    df, errors = frames.events_df(wrong(**changes), strict=False)
    assert [(error.row, error.column, error.message) for error in errors] == [(1, column, message)]
    assert len(df) == 3
    if column in df.columns:
        assert df[column].isna().tolist()[1]


def test_what_is_wrong_with_a_column_nobody_asks_for_is_not_read() -> None:
    assert frames.events_df(wrong(text=5), columns=["kind"])["kind"].tolist()[1] == "text"
    with pytest.raises(DefinitionError, match="there is no kind"):
        frames.events_df(wrong(kind="text.sung"), columns=["seq"])


def test_a_body_that_is_wrong_is_refused() -> None:
    store = memory_store()
    row, _ = pack_trace(samples.greeting())
    store.log.keep([StoredTurn(row, [], {"messages": "none"})])
    with pytest.raises(StoreError, match="its field 'messages' is not a list of records"):
        frames.messages_df(History(store.log))


FORMS = [
    "2026-01-02T03:04:05.000006+00:00",
    "2026-01-02T04:04:05.000006+01:00",
    "1931-05-04T03:02:01.000007+00:00",
    "2026-01-02T03:04:05+00:00",
]


@pytest.mark.parametrize("texts", [FORMS[:1], FORMS[:2], FORMS[2:3], FORMS, [FORMS[0], FORMS[3]]])
def test_times_of_any_form_are_read(texts: list[str]) -> None:
    trace = samples.greeting()
    row, body = pack_trace(trace)
    event = pack_event(trace.events[0])
    store = memory_store()
    store.log.keep([StoredTurn(row, [{**event, "at": text} for text in texts], body)])
    found: Any = frames.events_df(History(store.log))["at"]
    assert [at.to_pydatetime() for at in found] == [datetime.fromisoformat(text) for text in texts]
    assert str(found.dtype) == "datetime64[ns, UTC]"


def test_a_kind_that_is_no_text_is_of_no_kind() -> None:
    df, errors = frames.events_df(wrong(kind=["text"]), strict=False)
    assert [(error.row, error.column) for error in errors] == [(1, "event"), (1, "kind")]
    assert "there is no kind" in errors[0].message
    assert df["seq"].tolist() == [1, 2, 3]


def test_nouns_that_are_not_about_turns_take_no_history() -> None:
    with pytest.raises(DefinitionError, match="agents_df takes AgentTree, not a History; give it trees"):
        frames.agents_df(history(*TRACES))
    with pytest.raises(DefinitionError, match="record 1: expected Turn or Trace, got History"):
        frames.turns_df([samples.trace(), history()])


def test_a_source_of_rows_is_read_by_path_only() -> None:
    rows = turn_rows([])
    rows.extend([{"id": "t"}])
    with pytest.raises(TypeError, match="the rows of 'turn' are read by path only"):
        Reader({"turn": rows}, []).read(Column("turn", "turn", "string", "", "Everything."))


def test_many_rows_are_taken_a_few_at_a_time_and_stay_in_order() -> None:
    trace = samples.teammates()
    many = [
        replace(
            trace,
            turn=replace(trace.turn, id=f"turn-{number}", number=number),
            events=tuple(event.model_copy(update={"turn_id": f"turn-{number}"}) for event in trace.events),
        )
        for number in range(1, 41)
    ]
    pd.testing.assert_frame_equal(frames.events_df(history(*many)), frames.events_df(many))
