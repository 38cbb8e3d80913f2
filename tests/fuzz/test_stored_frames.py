"""Whatever happened, a frame of the stored rows is the frame of the records they were made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lango_nb import frames
from lango_nb.core.events import Event
from lango_nb.records.history import History
from lango_nb.records.lines import decode, encode
from lango_nb.records.packing import pack_event, pack_trace
from lango_nb.records.turns import Trace
from lango_nb.stores.sql import memory_store
from lango_nb.stores.store import StoredTurn
from tests.unit.records.strategies import KINDS, record, traces

MAKERS: dict[str, Any] = {
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


def stored(given: Sequence[Trace]) -> History:
    """Store traces as lines of a file would be, and read them back."""
    store = memory_store()
    for trace in given:
        row, body = (decode(encode(part)) for part in pack_trace(trace))
        store.log.keep([StoredTurn(row, [decode(encode(pack_event(event))) for event in trace.events], body)])
    return History(store.log)


def numbered(given: Sequence[Trace]) -> list[Trace]:
    """Give turns ids and numbers of their own, as an engine does."""
    return [
        replace(trace, turn=replace(trace.turn, id=f"turn-{number}", number=number))
        for number, trace in enumerate(given, 1)
    ]


def assert_alike(noun: str, given: Sequence[Trace], history: History) -> None:
    """Read both strictly enough that nothing which is wrong with a value is lost."""
    expected, expected_errors = MAKERS[noun](given, strict=False)
    found, errors = MAKERS[noun](history, strict=False)
    pd.testing.assert_frame_equal(found, expected)
    assert errors == expected_errors


@settings(suppress_health_check=list(HealthCheck), max_examples=25)
@given(st.lists(traces(), max_size=3).map(numbered))
def test_rows_give_the_frames_that_records_give(given: list[Trace]) -> None:
    history = stored(given)
    for noun in MAKERS:
        assert_alike(noun, given, history)


@settings(suppress_health_check=list(HealthCheck), max_examples=10)
@given(traces(), st.tuples(*(record(kind) for kind in KINDS.values())))
def test_every_kind_of_event_is_read_alike(trace: Trace, events: tuple[Event, ...]) -> None:
    given = numbered([replace(trace, events=events)])
    assert_alike("events", given, stored(given))
