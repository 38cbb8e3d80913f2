"""Turns that did not go as they should are named, each with the next step."""

import pytest

from lango_nb.core.errors import StoreError
from lango_nb.doctor.turns import FAILED, place_of_failure
from lango_nb.records.resume import Interrupted
from lango_nb.stores.sql import memory_store
from lango_nb.stores.store import Row, StoredTurn, TurnQuery
from tests.unit.doctor.cases import ROOT, DiskStore, engine_on, keep, looked, report_of


def test_a_failed_turn_is_told_with_outcome_code_agent_tool_and_next_step() -> None:
    store = memory_store()
    keep(store.log)
    ended = {"kind": "tool.finished", "author": "vault", "tool": "crypto_sign", "is_error": True, "code": "no_key"}
    keep(store.log, "tool_error", session="s2", error_code="no_key", events=({**ended, "result": "no key is there"},))
    (found,) = looked(engine_on(store), "failed turns")
    assert (found.status, found.turn, found.turn_number, found.session) == ("warn", "turn-2", 2, "s2")
    assert found.text == "turn 2 ended with tool_error: vault called crypto_sign and got no_key: no key is there"
    assert found.next_step.startswith("%lango trace 2: ")
    assert found.evidence[0] == "request: request 2"


def test_a_turn_that_used_up_its_tokens_is_no_reason_to_change_an_agent() -> None:
    store = memory_store()
    keep(store.log, "limit_reached", error_code="token_limit_exceeded")
    (found,) = looked(engine_on(store), "failed turns")
    assert "AGENT.md" not in found.next_step
    assert "budget.maxTokens" in found.next_step


def test_the_latest_five_are_told_the_rest_is_counted() -> None:
    store = memory_store()
    for _ in range(8):
        keep(store.log, "model_error", error_code="E9")
    found = looked(engine_on(store), "failed turns")
    assert [finding.turn_number for finding in found] == [8, 7, 6, 5, 4, None]
    assert found[0].text == "turn 8 ended with model_error (E9)"
    assert found[-1].text == "3 more turns failed in the last 24 hours"


def test_old_failures_are_no_warning_and_not_hidden() -> None:
    store = memory_store()
    keep(store.log, "timeout", hours_ago=30)
    (found,) = looked(engine_on(store), "failed turns")
    assert (found.status, found.text) == ("ok", "no turn failed in the last 24 hours; 1 did before that")
    keep(store.log, "timeout")
    assert [finding.turn_number for finding in looked(engine_on(store), "failed turns")] == [2]


def test_a_turn_that_was_stopped_is_no_failure() -> None:
    assert set(FAILED).isdisjoint({"cancelled", "success", "running"})
    store = memory_store()
    keep(store.log, "cancelled", error_code="cancelled")
    assert [finding.status for finding in looked(engine_on(store), "failed turns")] == ["ok"]


def test_secrets_do_not_get_into_a_finding() -> None:
    store = memory_store()
    said = {"kind": "error", "author": ROOT, "code": "x", "text": "password = hunter2"}
    keep(store.log, "internal_error", text="use sk-abcdefghijklmnop1234", events=(said,))
    shown = str(report_of(engine_on(store)))
    assert "hunter2" not in shown
    assert "sk-abcdef" not in shown


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({"kind": "run.finished", "author": "vault", "status": "failed", "error": "no key"}, "the run of vault failed"),
        ({"kind": "limit.reached", "author": ROOT, "limit": "idle", "detail": "silence"}, "limit: idle: silence"),
        ({"kind": "error", "author": ROOT, "code": "E1", "text": "gone"}, f"{ROOT} failed: E1: gone"),
        ({"kind": "error", "author": ROOT}, "no reason given"),
        ({"kind": "handover.refused", "author": ROOT, "target": "x", "code": "cycle", "detail": "d"}, "hand over to x"),
        ({"kind": "tool.finished", "author": "vault", "tool": "t", "result": "fine"}, ""),
        ({"kind": "run.finished", "author": "vault", "status": "completed"}, ""),
    ],
)
def test_where_a_turn_failed_is_read_from_its_events(event: Row, said: str) -> None:
    where, _ = place_of_failure([event, {"kind": "turn.finished", "author": ROOT}])
    assert said in where
    assert bool(said) == bool(where)


@pytest.mark.parametrize(
    ("check", "outcome", "fine", "many"), [("loops", "loop_detected", 3, 4), ("time-outs", "timeout", 5, 6)]
)
def test_loops_and_time_outs_warn_above_their_limit_and_name_the_turns(
    check: str, outcome: str, fine: int, many: int
) -> None:
    store = memory_store()
    keep(store.log, outcome, hours_ago=25)
    for _ in range(fine):
        keep(store.log, outcome)
    (found,) = looked(engine_on(store), check)
    assert (found.status, len(found.evidence)) == ("ok", fine)
    for _ in range(many - fine):
        keep(store.log, outcome)
    (found,) = looked(engine_on(store), check)
    assert (found.status, found.turn_number) == ("warn", many + 1)
    assert found.text.startswith(f"{many} turns ")
    assert found.evidence[0] == f"turn {many + 1} (session main): request {many + 1}"
    assert f"%lango trace {many + 1}" in found.next_step


def test_an_interrupted_turn_says_what_had_begun() -> None:
    store = memory_store()
    lost = {"kind": "tool.finished", "author": "operator", "tool": "exec", "is_error": True, "code": "interrupted"}
    keep(store.log, "cancelled", error_code="interrupted", events=(lost,))
    keep(store.log, "cancelled", error_code="interrupted")
    keep(store.log, "cancelled", error_code="cancelled")
    (found,) = looked(engine_on(store), "interrupted turns")
    assert (found.status, found.turn_number) == ("warn", 2)
    assert found.evidence == ("turn 2 (session main): no call was under way", "turn 1 (session main): exec had begun")


def test_a_turn_that_was_closed_just_now_is_told_however_old_it_is() -> None:
    store = DiskStore()
    keep(store.log, "cancelled", hours_ago=500, error_code="interrupted")
    engine = engine_on(store)
    assert looked(engine, "interrupted turns")[0].status == "ok"
    engine.records.found = (Interrupted(1, "turn-1", "main", "request 1", ()),)
    assert [finding.turn_number for finding in looked(engine, "interrupted turns")] == [1]


def test_a_turn_whose_process_is_gone_is_named_one_at_work_is_not() -> None:
    store = DiskStore()
    engine = engine_on(store)
    keep(store.log, "running")
    (found,) = looked(engine, "unfinished turns")
    assert (found.status, found.text) == ("ok", "1 turn at work, none left behind")
    left = keep(store.log, "running", session="s2")
    store.left_open = [{**left, "number": 2}]
    (found,) = looked(engine, "unfinished turns")
    assert (found.status, found.turn, found.session) == ("warn", "turn-2", "s2")


def test_nearly_full_records_warn_before_the_oldest_are_forgotten() -> None:
    store = memory_store()
    for _ in range(8):
        keep(store.log)
    engine = engine_on(store)
    limits = engine.settings.observability.trace_store.model_copy(update={"max_traces": 10})
    kept = engine.settings.observability.model_copy(update={"trace_store": limits})
    engine.settings = engine.settings.model_copy(update={"observability": kept})
    assert looked(engine, "amount")[0].status == "ok"
    keep(store.log)
    (found,) = looked(engine, "amount")
    assert (found.status, found.text) == ("warn", "9 turns of at most 10 kept: the oldest will be forgotten")


def test_slow_successes_warn_and_name_the_slowest() -> None:
    store = memory_store()
    assert looked(engine_on(store), "duration")[0].status == "skip"
    keep(store.log, duration_ms=100_000.0)
    keep(store.log, "timeout", duration_ms=9_000_000.0)
    assert looked(engine_on(store), "duration")[0].status == "ok"
    keep(store.log, duration_ms=200_000.0)
    (found,) = looked(engine_on(store), "duration")
    assert (found.status, found.turn_number) == ("warn", 3)
    assert "150 s" in found.text


def test_counting_reads_no_body_and_few_events(monkeypatch: pytest.MonkeyPatch) -> None:
    store = DiskStore()
    for number in range(60):
        keep(
            store.log, "timeout" if number % 2 else "success", session=f"s{number}", hours_ago=48 if number < 50 else 1
        )
    read: list[str] = []
    scanned: list[StoredTurn] = []
    original, scan = store.log.read, store.log.scan

    def counting_read(turn_id: str) -> StoredTurn | None:
        read.append(turn_id)
        return original(turn_id)

    def counting_scan(query: TurnQuery, *, with_events: bool = True) -> list[StoredTurn]:
        assert not with_events
        found = list(scan(query, with_events=with_events))
        scanned.extend(found)
        return found

    monkeypatch.setattr(store.log, "read", counting_read)
    monkeypatch.setattr(store.log, "scan", counting_scan)
    report_of(engine_on(store))
    assert len(read) == 5
    assert len(scanned) == 10


def test_a_check_that_fails_itself_is_a_finding_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    store = memory_store()
    keep(store.log, "loop_detected")
    engine = engine_on(store)

    def broken(*_: object, **__: object) -> int:
        raise StoreError("the index cannot be read; remove it, it is made again", "damaged")

    monkeypatch.setattr(store.log, "unfinished", broken)
    report = report_of(engine)
    (found,) = report.by_check()["unfinished turns"]
    assert found.status == "fail"
    assert "the index cannot be read" in found.text
    assert not report.is_healthy
    assert report.by_check()["loops"][0].text == "1 turn ended in a loop in the last 24 hours"


def test_the_examination_changes_nothing() -> None:
    store = memory_store()
    keep(store.log, "timeout")
    keep(store.log, "running")
    engine = engine_on(store)
    before = store.log.rows()
    assert report_of(engine) == report_of(engine)
    assert store.log.rows() == before
