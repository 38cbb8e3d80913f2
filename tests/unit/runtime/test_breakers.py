"""Circuit breakers: closed, open, half open, one probe."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from lango_nb.config.settings import BreakerSettings
from lango_nb.core.clock import SystemClock
from lango_nb.runtime.breakers import Breakers, Change, provider_circuit


class Clock(SystemClock):
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def monotonic_s(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breakers(clock: Clock) -> Breakers:
    return Breakers(BreakerSettings(failure_threshold=3, reset_timeout_s=30), clock)


def trip(breakers: Breakers, circuit: str = "vault") -> Change | None:
    return [breakers.record_failure(circuit, f"failure {number}") for number in (1, 2, 3)][-1]


def test_three_failures_in_a_row_open_a_circuit(breakers: Breakers) -> None:
    assert breakers.record_failure("vault", "one") is None
    assert breakers.record_failure("vault", "two") is None
    assert not breakers.is_open("vault")
    assert breakers.record_failure("vault", "three") == Change("vault", "open", 3, "three")
    assert breakers.is_open("vault")
    assert not breakers.is_open("operator")
    assert breakers.open_agents() == {"vault": "failed 3 times in a row, last: three"}
    refused = breakers.admit("vault")
    assert (refused.is_allowed, refused.reason, refused.change) == (False, breakers.open_agents()["vault"], None)


def test_a_success_between_starts_the_count_again(breakers: Breakers) -> None:
    for _ in range(5):
        breakers.record_failure("vault", "one")
        breakers.record_failure("vault", "two")
        assert breakers.record_success("vault") is None, "a circuit that was closed does not change"
    assert not breakers.is_open("vault")


def test_a_failure_of_work_begun_before_it_opened_does_not_keep_it_open_longer(
    breakers: Breakers, clock: Clock
) -> None:
    trip(breakers)
    clock.seconds += 20
    assert breakers.record_failure("vault", "late") is None
    clock.seconds += 10
    assert not breakers.is_open("vault")
    assert breakers.admit("vault").is_allowed


def test_after_a_while_exactly_one_probe_passes(breakers: Breakers, clock: Clock) -> None:
    trip(breakers)
    clock.seconds += 29.9
    assert not breakers.admit("vault").is_allowed
    clock.seconds += 0.2
    assert not breakers.is_open("vault")
    assert breakers.open_agents() == {}
    admitted = breakers.admit("vault")
    assert (admitted.is_allowed, admitted.change) == (True, Change("vault", "half_open", 3, "failure 3"))
    assert breakers.is_open("vault")
    again = breakers.admit("vault")
    assert (again.is_allowed, again.reason) == (False, "failed 3 times in a row; one probe is under way")
    assert breakers.open_agents() == {"vault": again.reason}


def test_asking_whether_it_is_open_takes_no_probe(breakers: Breakers, clock: Clock) -> None:
    trip(breakers)
    clock.seconds += 31
    for _ in range(5):
        assert not breakers.is_open("vault")
        assert breakers.open_agents() == {}
    assert breakers.admit("vault").change is not None


def test_a_probe_that_succeeds_closes_the_circuit(breakers: Breakers, clock: Clock) -> None:
    trip(breakers)
    clock.seconds += 31
    breakers.admit("vault")
    assert breakers.record_success("vault") == Change("vault", "closed")
    assert breakers.record_success("vault") is None
    assert breakers.states() == ()
    assert [breakers.record_failure("vault", "new") for _ in range(2)] == [None, None]


def test_a_probe_that_fails_opens_it_again_for_the_whole_time(breakers: Breakers, clock: Clock) -> None:
    trip(breakers)
    clock.seconds += 31
    breakers.admit("vault")
    assert breakers.record_failure("vault", "still") == Change("vault", "open", 4, "still")
    clock.seconds += 29
    assert breakers.is_open("vault")
    clock.seconds += 1
    assert not breakers.is_open("vault")


def test_a_failure_without_having_asked_opens_it_again(breakers: Breakers, clock: Clock) -> None:
    trip(breakers)
    clock.seconds += 31
    change = breakers.record_failure("vault", "still")
    assert change is not None
    assert change.state == "open"
    assert breakers.is_open("vault")


def test_a_probe_that_came_to_no_end_is_given_back_or_given_up(breakers: Breakers, clock: Clock) -> None:
    trip(breakers)
    clock.seconds += 31
    breakers.admit("vault")
    breakers.release("vault")
    assert breakers.admit("vault").change is not None
    clock.seconds += 29
    assert not breakers.admit("vault").is_allowed
    clock.seconds += 1
    assert breakers.admit("vault").is_allowed, "nobody heard of the probe"
    breakers.record_success("vault")
    breakers.release("vault")
    assert breakers.admit("vault").change is None


def test_giving_back_what_is_open_changes_nothing(breakers: Breakers) -> None:
    trip(breakers)
    breakers.release("vault")
    assert breakers.is_open("vault")


def test_a_clock_that_goes_backwards_does_not_keep_a_circuit_open_for_ever(breakers: Breakers, clock: Clock) -> None:
    trip(breakers)
    clock.seconds = 5.0
    assert breakers.is_open("vault")
    clock.seconds = 35.0
    assert not breakers.is_open("vault")


def test_providers_are_no_agents(breakers: Breakers) -> None:
    circuit = provider_circuit("openai:gpt-5")
    assert circuit == "provider:openai"
    trip(breakers, circuit)
    assert breakers.is_open(circuit)
    assert breakers.open_agents() == {}
    assert breakers.states() == (Change(circuit, "open", 3, "failure 3"),)


def test_one_failure_is_enough_where_the_setting_says_so(clock: Clock) -> None:
    breakers = Breakers(BreakerSettings(failure_threshold=1, reset_timeout_s=0), clock)
    change = breakers.record_failure("vault", "no key")
    assert change is not None
    assert change.state == "open"
    assert breakers.admit("vault").is_allowed, "no time to wait"


def test_of_many_threads_one_opens_it_and_one_gets_the_probe(clock: Clock) -> None:
    for _ in range(20):
        breakers = Breakers(BreakerSettings(failure_threshold=8, reset_timeout_s=30), clock)
        with ThreadPoolExecutor(8) as pool:
            changes = list(pool.map(breakers.record_failure, ["vault"] * 32, map(str, range(32))))
            assert sum(change is not None for change in changes) == 1
            assert breakers.states()[0].failures == 32
            clock.seconds += 31
            assert sum(admitted.is_allowed for admitted in pool.map(breakers.admit, ["vault"] * 32)) == 1
            closed = list(pool.map(breakers.record_success, ["vault"] * 32))
            assert sum(change is not None for change in closed) == 1
