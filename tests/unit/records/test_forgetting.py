"""Turns are forgotten only where a setting says so; it is told, and whoever reads at that moment still sees them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lango_nb.config.settings import TraceStoreSettings
from lango_nb.core.clock import SteppedClock, SystemClock
from lango_nb.core.errors import ForgottenError, StoreError, UnknownNameError, UsageError
from lango_nb.engine import Engine
from lango_nb.frames import events_df
from lango_nb.lab import Lab
from lango_nb.records.history import History
from lango_nb.records.retention import Retention, forgotten
from lango_nb.stores.sql import SqlStore, postgresql_store, sqlite_store
from lango_nb.stores.store import stamp
from lango_nb.stores.turns import BATCH
from tests.postgresql import schema

NOW = datetime(2026, 6, 1, tzinfo=UTC)
DAY = 24 * 3600


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    opened = sqlite_store(tmp_path / "records.db")
    yield opened
    opened.close()


def fill(store: SqlStore, number: int, outcome: str = "success", days: float = 100.0) -> None:
    """Keep closed turns of so many days ago, each with an event and a run that left a message and waited."""
    at = stamp(NOW - timedelta(days=days))
    for place in range(store.log.count() + 1, store.log.count() + number + 1):
        key, run = f"turn-{place}", f"arun-{place}"
        row: dict[str, Any] = {"id": key, "session_id": "main", "text": f"request {place}", "started_at": at}
        event: dict[str, Any] = {
            "kind": "turn.started",
            "turn_id": key,
            "seq": 1,
            "at": at,
            "author": "user",
            "text": "hi",
        }
        store.log.begin(row)
        store.log.finish(
            key, [event], {**row, "outcome": outcome}, {"runs": [{"id": run, "turn_id": key, "completed_at": at}]}
        )
        store.documents("message").put({"id": run, "session_id": "main", "messages": []})
        store.documents("ledger").put({"id": f"{run}/1", "run_id": run, "turn_id": key})


def clean_up(store: SqlStore, **limits: object) -> int:
    settings = TraceStoreSettings.model_validate(limits)
    return Retention(store.log, settings, SteppedClock(NOW)).run(NOW).total


def test_nothing_is_forgotten_unless_a_limit_is_set(store: SqlStore) -> None:
    fill(store, 3, days=10_000)
    assert not TraceStoreSettings().is_limited
    assert clean_up(store) == 0
    assert store.log.count() == 3
    assert forgotten(store.documents("forgotten")) == ""


def test_a_turn_goes_with_all_that_belongs_to_it(store: SqlStore) -> None:
    fill(store, 3)
    assert clean_up(store, maxTraces=1) == 2
    for table in ("events", "runs", "late_messages", "ledger"):
        assert store.database.rows(f"SELECT count(*) FROM {table}") == [(1,)], table
    assert store.check() == []


def test_what_is_gone_is_written_down_by_setting(store: SqlStore) -> None:
    fill(store, 4, days=50)
    fill(store, 2, "timeout", days=90)
    fill(store, 3, days=1)
    assert clean_up(store, maxAge="30d", maxTraces=2) == 7
    rows = {row["id"]: row["turns"] for row in store.documents("forgotten").find()}
    assert rows == {
        "observability.traceStore.maxAge": 4,
        "observability.traceStore.failedTraceMultiplier": 2,
        "observability.traceStore.maxTraces": 1,
    }
    assert forgotten(store.documents("forgotten")).startswith("7 turns up to 2026-05-31 were forgotten: ")
    clean_up(store, maxTraces=1)
    assert sum(int(str(row["turns"])) for row in store.documents("forgotten").find()) == 8, "they add up"


@pytest.mark.parametrize("left", [2, 0])
def test_who_asks_for_a_turn_that_is_gone_is_told_when_and_why(tmp_path: Path, left: int) -> None:
    with closing(sqlite_store(tmp_path / "records.db")) as store:
        fill(store, 5 - left)
        fill(store, left, days=1)
        clean_up(store, maxAge="30d")
    why = f"turn 1 was forgotten: {5 - left} turns up to 2026-02-21 were forgotten: observability.traceStore.maxAge"
    done = f"{why}, last on 2026-06-01; look among those that are left, and raise the setting to keep more"
    with closing(Lab("solo", store=f"sqlite:///{tmp_path / 'records.db'}", workspace=tmp_path)) as lab:
        for look in (lab.trace, lab.messages, lab.events):
            for ref in (1, "1"):
                with pytest.raises(ForgottenError) as raised:
                    look(ref)
                assert str(raised.value) == done
        for ref in (6, "turn-1", -9):
            with pytest.raises((UnknownNameError, UsageError)) as missing:
                lab.trace(ref)
            assert "forgotten" not in str(missing.value)


@pytest.mark.parametrize("what", ["scan", "events", "traces"])
def test_reading_that_began_sees_what_was_there(store: SqlStore, tmp_path: Path, what: str) -> None:
    fill(store, 2 * BATCH + 5)
    with_text = History(store.log).where(text="request") if what == "scan" else History(store.log)
    reading = iter(getattr(with_text, "scan" if what != "events" else "events")())
    next(reading)
    other = sqlite_store(tmp_path / "records.db")  # as another process would
    assert clean_up(other, maxTraces=1) == 2 * BATCH + 4
    other.close()
    assert len(list(reading)) == 2 * BATCH + 4
    assert store.log.count() == 1
    assert store.problems == []


def test_an_events_frame_reads_turns_and_events_at_one_moment(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fill(store, 5)
    other = sqlite_store(tmp_path / "records.db")
    through = store.log._table  # between two statements of one reading

    def table(transaction: Any, name: str, *more: Any) -> Any:
        if name == "turns":
            clean_up(other, maxTraces=1)
        return through(transaction, name, *more)

    monkeypatch.setattr(store.log, "_table", table)
    frame = events_df(History(store.log), columns=["session_id", "turn_id"])
    other.close()
    assert len(frame) == 5
    assert store.log.count() == 1


def test_a_reading_ends_with_the_store_in_one_line(tmp_path: Path) -> None:
    store = sqlite_store(tmp_path / "records.db")
    fill(store, BATCH + 5)
    reading = store.log.scan()
    next(reading)
    store.close()
    with pytest.raises(StoreError, match="was closed while it was read; open it again"):
        list(reading)


def test_lists_of_turns_and_the_doctor_tell_what_is_gone(tmp_path: Path) -> None:
    lab = Lab(store=tmp_path / "records")
    for text in ("one", "two", "three"):
        lab.ask(text)
    lab.engine.records.clean_up(TraceStoreSettings(max_traces=1))
    gone, setting = "2 turns up to ", "were forgotten: observability.traceStore.maxTraces"
    for view in (lab.turns, lab.history, lab.search("nothing fits this"), lab.doctor()):
        text = " ".join(repr(view).split())
        assert gone in text
        assert setting in text
        assert setting in view._repr_html_()
    lab.engine.close()


def test_a_clean_up_in_the_background_tells(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    engine = Engine(topology="solo", store=tmp_path / "records", clock=SystemClock())
    for number in range(3):
        engine.run_sync(f"request {number}")
    engine.records.clean_up_when_due(TraceStoreSettings(max_traces=1))
    engine.close()
    told = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert [line for line in told if "2 turns forgotten" in line and "observability.traceStore" in line] == told != []


def test_the_engine_forgets_nothing_by_itself(tmp_path: Path) -> None:
    engine = Engine(topology="solo", store=tmp_path / "records")
    for number in range(3):
        engine.run_sync(f"request {number}")
    assert engine.records._cleaning is None, "no clean-up was begun"
    engine.close()


def test_on_a_server_too_reading_that_began_sees_what_was_there() -> None:
    with schema() as address:
        store, other = postgresql_store(address), postgresql_store(address)
        fill(store, BATCH + 5)
        reading = store.log.scan()
        next(reading)
        assert clean_up(other, maxTraces=1) == BATCH + 4
        assert len(list(reading)) == BATCH + 4
        assert store.log.count() == 1
        assert forgotten(store.documents("forgotten")).startswith(f"{BATCH + 4} turns")
        store.close()
        other.close()
