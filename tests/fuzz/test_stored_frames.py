"""Whatever happened, a frame of the stored rows is the frame of the records they were made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lango_nb import frames
from lango_nb.core.events import Event
from lango_nb.records.history import History
from lango_nb.records.packing import pack_event, pack_trace
from lango_nb.records.turns import Trace
from lango_nb.stores.lines import decode, encode
from lango_nb.stores.memory import MemoryStore
from lango_nb.stores.store import StoredTurn
from tests.unit.records.strategies import KINDS, record, traces

MAKERS: dict[str, Any] = {
    "sessions": frames.sessions_df,
    "turns": frames.turns_df,
    "events": frames.events_df,
    "messages": frames.messages_df,
    "decisions": frames.decisions_df,
    "delegations": frames.delegations_df,
    "runs": frames.runs_df,
    "approvals": frames.approvals_df,
    "visibility": frames.visibility_df,
}


def stored(given: Sequence[Trace]) -> History:
    """Store traces as lines of a file would be, and read them back."""
    store = MemoryStore()
    for trace in given:
        row, body = (decode(encode(part)) for part in pack_trace(trace))
        store.log.keep(StoredTurn(row, [decode(encode(pack_event(event))) for event in trace.events], body))
    return History(store.log)


def numbered(given: Sequence[Trace]) -> list[Trace]:
    """Give turns ids and numbers of their own, as an engine does."""
    return [
        replace(trace, turn=replace(trace.turn, id=f"turn-{number}", number=number))
        for number, trace in enumerate(given, 1)
    ]


@pytest.mark.parametrize("noun", MAKERS)
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], max_examples=25, deadline=None)
@given(st.lists(traces(), max_size=3).map(numbered))
def test_rows_give_the_frame_that_records_give(noun: str, given: list[Trace]) -> None:
    make = MAKERS[noun]
    expected, expected_errors = make(given, strict=False)
    found, errors = make(stored(given), strict=False)
    pd.testing.assert_frame_equal(found, expected)
    assert errors == expected_errors


@pytest.mark.parametrize("kind", sorted(KINDS))
@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=15, deadline=None)
@given(st.data())
def test_every_kind_of_event_is_read_alike(kind: str, data: st.DataObject) -> None:
    events: list[Event] = data.draw(st.lists(record(KINDS[kind]), min_size=1, max_size=3))
    trace = numbered([replace(data.draw(traces()), events=tuple(events))])
    expected, expected_errors = frames.events_df(trace, strict=False)
    found, errors = frames.events_df(stored(trace), strict=False)
    pd.testing.assert_frame_equal(found, expected)
    assert errors == expected_errors
