"""Turns that are stored: chosen by everything one may know of them, and read no further than asked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import UnknownNameError, UsageError
from lango_nb.records.history import History
from lango_nb.records.packing import pack_event, pack_trace
from lango_nb.stores.sql import memory_store
from lango_nb.stores.store import EVERY_TURN, Row, StoredTurn, TurnQuery, stamp
from lango_nb.stores.turns import Turns
from tests.unit.viz import samples

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
TURNS: tuple[dict[str, Any], ...] = (
    {"session_id": "main", "outcome": "success", "agents": ["root", "vault"], "tools": ["crypto_hash"], "text": "Hash"},
    {"session_id": "main", "outcome": "timeout", "agents": ["root", "vault"], "tools": [], "text": "Wait for it"},
    {"session_id": "other", "outcome": "success", "agents": ["root", "operator"], "tools": ["fs_read"], "text": "Read"},
    {"session_id": "other", "outcome": "tool_error", "agents": ["root"], "tools": [], "text": "read again"},
)


class Watched(Turns):
    """A log that notes what is read of it."""

    def __init__(self, log: Turns) -> None:
        vars(self).update(vars(log))
        self.read_whole: list[str] = []

    def scan(self, query: TurnQuery = EVERY_TURN, *, with_events: bool = True) -> Iterator[StoredTurn]:
        """Note which turns are read whole."""
        for stored in super().scan(query, with_events=with_events):
            self.read_whole.append(str(stored.row["id"]))
            yield stored


def history(**more: Any) -> History:
    log = memory_store().log
    for number, turn in enumerate(TURNS, 1):
        at = NOON + timedelta(hours=number)
        row: Row = {"id": f"turn-{number}", "number": number, "answer": "", "started_at": stamp(at), **turn}
        log.keep([StoredTurn(row, [], {})])
    return History(Watched(log), **more)


def numbers(chosen: History) -> list[int]:
    return [int(str(row["number"])) for row in chosen.rows()]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, [1, 2, 3, 4]),
        ({"session": "main"}, [1, 2]),
        ({"session": "nobody"}, []),
        ({"agent": "vault"}, [1, 2]),
        ({"tool": "fs_read"}, [3]),
        ({"outcome": "timeout"}, [2]),
        ({"outcome": ("timeout", "tool_error", "timeout")}, [2, 4]),
        ({"outcome": []}, [1, 2, 3, 4]),
        ({"text": "READ"}, [3, 4]),
        ({"text": "read", "outcome": "success"}, [3]),
        ({"ids": ["turn-4", "turn-1", "turn-9"]}, [1, 4]),
        ({"ids": []}, []),
        ({"limit": 2}, [1, 2]),
        ({"limit": 2, "newest_first": True}, [4, 3]),
        ({"limit": 0}, []),
        ({"since": NOON + timedelta(hours=3)}, [3, 4]),
        ({"until": NOON + timedelta(hours=3)}, [1, 2]),
        ({"since": "2026-01-02T15:00", "until": "2026-01-02T16:00:00"}, [3]),
        ({"since": "2026-01-02T15:00+01:00"}, [2, 3, 4]),
        ({"since": " 2026-01-03 "}, []),
        ({"since": datetime(2026, 1, 2, 15)}, [3, 4]),  # noqa: DTZ001 - without a zone on purpose
        ({"since": datetime(2026, 1, 2, 15, tzinfo=timezone(timedelta(hours=-1)))}, [4]),
    ],
)
def test_turns_are_chosen_by_everything_one_may_know(asked: dict[str, Any], expected: list[int]) -> None:
    assert numbers(history().where(**asked)) == expected
    assert len(history().where(**asked)) == len(expected)


def test_how_long_ago_is_told_by_the_clock() -> None:
    at = NOON + timedelta(hours=5)
    for text, expected in (("2h", [3, 4]), ("1h30m", [4]), ("90m", [4]), ("1d", [1, 2, 3, 4]), ("1s", [])):
        found = history(clock=SteppedClock(at)).where(since=text)
        assert numbers(found) == expected, text
    assert numbers(history(clock=SteppedClock(at)).where(until="2.5h")) == [1, 2]


def test_without_a_clock_it_is_the_machines() -> None:
    assert numbers(history().where(until="1s")) == [1, 2, 3, 4]
    assert numbers(history().where(since="1s")) == []


@pytest.mark.parametrize("wrong", ["yesterday", "", "12", "2026", "-2h", "24 hours ago", "2026-13-01", 5, b"24h"])
@pytest.mark.parametrize("name", ["since", "until"])
def test_what_is_no_time_is_refused_with_what_is_one(name: str, wrong: Any) -> None:
    with pytest.raises(UsageError, match=rf"^{name}=.* is not a time; give 2026-01-31, .* or 24h for that long ago$"):
        history().where(**{name: wrong})


def test_names_of_outcomes_are_checked() -> None:
    with pytest.raises(UnknownNameError, match="outcome 'timout' not found; did you mean 'timeout'"):
        history().where(outcome=["success", "timout"])
    with pytest.raises(UsageError, match="limit=-1 is not a number of turns"):
        history().where(limit=-1)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ({"session": "main"}, {"outcome": "success"}, [1]),
        ({"outcome": ["success", "timeout"]}, {"outcome": "timeout"}, [2]),
        ({"outcome": "success"}, {"outcome": "timeout"}, []),
        ({"session": "main"}, {"session": "other"}, []),
        ({"session": "main"}, {"session": "main"}, [1, 2]),
        ({"agent": "vault"}, {"agent": "root"}, [1, 2]),
        ({"tool": "fs_read"}, {"tool": "crypto_hash"}, []),
        ({"text": "read"}, {"text": "again"}, [4]),
        ({"ids": ["turn-1", "turn-2"]}, {"ids": ["turn-2", "turn-3"]}, [2]),
        ({"since": NOON + timedelta(hours=2)}, {"since": NOON}, [2, 3, 4]),
        ({"until": NOON + timedelta(hours=2)}, {"until": NOON + timedelta(hours=9)}, [1]),
        ({"limit": 3}, {"outcome": "tool_error"}, []),
        ({"limit": 3, "newest_first": True}, {"outcome": "success"}, [3]),
        ({"newest_first": True}, {"session": "main"}, [2, 1]),
        ({"newest_first": True}, {"newest_first": False}, [1, 2, 3, 4]),
    ],
)
def test_narrowing_twice_narrows_twice(first: dict[str, Any], second: dict[str, Any], expected: list[int]) -> None:
    assert numbers(history().where(**first).where(**second)) == expected


def test_choosing_changes_nothing_about_what_it_is_chosen_from() -> None:
    every = history()
    every.where(session="main")
    assert len(every) == len(TURNS)
    assert every.query is EVERY_TURN


def test_turns_and_sessions_read_no_event() -> None:
    store = memory_store()
    for number, trace in enumerate((samples.trace(), samples.greeting()), 1):
        row, body = pack_trace(trace)
        store.log.keep([StoredTurn({**row, "number": number}, [pack_event(event) for event in trace.events], body)])
    log = Watched(store.log)
    found = History(log)
    assert [turn.text for turn in found.turns()] == [samples.trace().turn.text, "hello"]
    assert [session["title"] for session in found.sessions()] == [samples.trace().turn.text]
    assert len(found) == len(found.rows()) == 2
    assert log.read_whole == []
    traces = found.traces()
    assert next(traces).events == samples.trace().events
    assert log.read_whole == ["turn-1"], "no turn is read before it is asked for"
    assert [trace.turn.id for trace in traces] == ["turn-2"]


def test_sessions_of_some_turns_keep_their_title_and_times() -> None:
    every, some = history().sessions(), history().where(outcome="tool_error").sessions()
    assert [(session["id"], session["turns"]) for session in every] == [("main", 2), ("other", 2)]
    assert some == [{**every[1], "turns": 1}]
    assert history().where(session="nobody").sessions() == []


def test_an_empty_history_is_a_history() -> None:
    empty = History(memory_store().log)
    assert (len(empty), bool(empty), empty.turns(), list(empty.traces()), empty.sessions()) == (0, True, (), [], [])


def test_it_says_what_it_is_narrowed_to_and_reads_nothing_for_that() -> None:
    assert repr(history()) == "History()"
    narrow = history().where(session="main", since=NOON, ids=["a", "b"], outcome="success")
    assert repr(narrow) == "History(session='main', outcomes=('success',), since='2026-01-02T12:00:00+00:00', ids=2)"
