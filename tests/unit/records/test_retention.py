"""Old turns are forgotten by three rules; a turn that runs never is."""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta

import pytest

from lango_nb.config.settings import TraceStoreSettings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import StoreError
from lango_nb.records.retention import BATCH, Purged, Retention
from lango_nb.stores.sql import memory_store
from lango_nb.stores.store import Row, stamp
from lango_nb.stores.turns import Turns

NOW = datetime(2026, 6, 1, tzinfo=UTC)
DAY = 24 * 3600.0


def keep(log: Turns, name: str, days: float, outcome: str = "success") -> None:
    row: Row = {"id": name, "session_id": "s", "text": "", "started_at": stamp(NOW - timedelta(days=days))}
    log.begin(row)
    if outcome != "running":
        log.finish(name, [], {**row, "outcome": outcome}, {})


def names(log: Turns) -> list[object]:
    return [row["id"] for row in log.rows()]


def retention(log: Turns, step_ms: float = 1.0, **limits: float) -> Retention:
    settings = TraceStoreSettings.model_validate({"maxAge": 30 * DAY, **limits})
    return Retention(log, settings, SteppedClock(NOW, step_ms))


def test_successful_turns_go_after_max_age_others_after_twice_that() -> None:
    log = memory_store().log
    for days in (29, 31, 59, 61):
        keep(log, f"good-{days}", days)
        keep(log, f"bad-{days}", days, "timeout")
    assert retention(log).run(NOW) == Purged(successful=3, any_outcome=1)
    assert names(log) == ["good-29", "bad-29", "bad-31", "bad-59"]


def test_the_oldest_go_when_there_are_too_many_whatever_their_outcome() -> None:
    log = memory_store().log
    for number in range(6):
        keep(log, f"turn-{number}", 6 - number, "timeout" if number == 1 else "success")
    found = retention(log, maxTraces=4).run(NOW)
    assert (found.excess, found.total, names(log)) == (2, 2, ["turn-2", "turn-3", "turn-4", "turn-5"])


def test_a_turn_that_runs_is_never_forgotten() -> None:
    log = memory_store().log
    keep(log, "open", 400, "running")
    keep(log, "old", 400)
    keep(log, "one", 2)
    keep(log, "two", 1)
    found = retention(log, maxTraces=1).run(NOW)
    assert found == Purged(successful=1, excess=2)
    assert names(log) == ["open"]


def test_more_than_one_batch_goes() -> None:
    log = memory_store().log
    for number in range(BATCH + 7):
        keep(log, f"turn-{number}", 40)
    keep(log, "young", 1)
    assert retention(log).run(NOW).successful == BATCH + 7
    assert names(log) == ["young"]


def test_batches_are_no_larger_than_they_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    log = memory_store().log
    keep(log, "open", 400, "running")
    for number in range(BATCH + 7):
        keep(log, f"turn-{number}", 40)
    sizes: list[int] = []
    remove = log.remove

    def counting(turn_ids: Collection[str], **more: str) -> int:
        assert "open" not in turn_ids
        sizes.append(len(turn_ids))
        return remove(turn_ids, **more)

    monkeypatch.setattr(log, "remove", counting)
    retention(log, maxTraces=1).run(NOW)
    assert sizes == [BATCH, 7]


def test_when_time_is_over_the_rest_waits() -> None:
    log = memory_store().log
    for number in range(2 * BATCH):
        keep(log, f"turn-{number}", 40)
    slow = retention(log, step_ms=20_000)  # every look at the clock takes 20 s of the 30 there are
    assert slow.run(NOW) == Purged(successful=BATCH, is_complete=False)
    assert len(log.rows()) == BATCH
    assert "time was over" in str(Purged(successful=BATCH, is_complete=False))
    assert retention(log).run(NOW) == Purged(successful=BATCH)


def test_what_somebody_else_removed_meanwhile_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    log = memory_store().log
    for number in range(3):
        keep(log, f"turn-{number}", 40)
    remove = log.remove

    def late(turn_ids: Collection[str], **more: str) -> int:
        remove(["turn-0"])
        return remove(turn_ids, **more)

    monkeypatch.setattr(log, "remove", late)
    assert retention(log).run(NOW) == Purged(successful=2)


def test_a_store_that_removes_nothing_does_not_keep_it_going_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    log = memory_store().log
    for number in range(3):
        keep(log, f"turn-{number}", 40)
    monkeypatch.setattr(log, "remove", lambda turn_ids, **more: 0)
    assert retention(log, maxTraces=1).run(NOW).total == 0


def test_an_error_of_the_store_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    log = memory_store().log
    keep(log, "old", 40)

    def full(turn_ids: Collection[str], **more: str) -> int:
        raise StoreError("the disk is full; make room", "full")

    monkeypatch.setattr(log, "remove", full)
    with pytest.raises(StoreError, match="make room"):
        retention(log).run(NOW)


def test_an_age_of_zero_and_one_beyond_the_calendar_keep_all() -> None:
    log = memory_store().log
    keep(log, "day", 1)
    keep(log, "old", 31)
    for max_age, left in ((1e12, ["day", "old"]), (0.0, ["day", "old"]), (30 * DAY, ["day"])):
        retention(log, maxAge=max_age).run(NOW)
        assert names(log) == left


def test_a_clean_up_of_nothing_comes_to_nothing() -> None:
    found = retention(memory_store().log).run(NOW)
    assert (found.successful, found.any_outcome, found.excess, found.is_complete) == (0, 0, 0, True)
    assert found == Purged()
