from __future__ import annotations

import threading

import pytest

from lango_nb.core.bus import Bus


def test_listeners_hear_their_topic_or_everything_in_the_order_they_came() -> None:
    bus, heard = Bus(), list[str]()
    bus.subscribe(lambda topic, value: heard.append(f"all {topic} {value}"))
    bus.subscribe(lambda topic, value: heard.append(f"a {value}"), "a")
    bus.publish("a", 1)
    bus.publish("b", 2)
    assert heard == ["all a 1", "a 1", "all b 2"]


def test_a_listener_that_fails_is_logged_once_and_taken_off(caplog: pytest.LogCaptureFixture) -> None:
    bus, heard = Bus(), list[object]()

    def broken(topic: str, value: object) -> None:
        raise ValueError("no")

    bus.subscribe(broken)
    bus.subscribe(lambda topic, value: heard.append(value))
    bus.publish("a", 1)
    bus.publish("a", 2)
    assert heard == [1, 2]
    assert [record.message for record in caplog.records] == ["a subscriber failed on a and was taken off the bus"]


def test_ending_a_subscription_twice_and_inside_a_call_is_fine() -> None:
    bus, heard = Bus(), list[object]()

    def once(topic: str, value: object) -> None:
        heard.append(value)
        stop()

    stop = bus.subscribe(once)
    again = bus.subscribe(once)
    bus.publish("a", 1)
    stop()
    bus.publish("a", 2)
    assert heard == [1, 1, 2]  # the second subscription of the same function goes on
    again()
    assert not bus.has_subscribers


def test_any_thread_may_publish_and_subscribe() -> None:
    bus, heard, lock = Bus(), list[object](), threading.Lock()

    def listen(topic: str, value: object) -> None:
        with lock:
            heard.append(value)

    def work(number: int) -> None:
        for _ in range(50):
            bus.subscribe(lambda topic, value: None)()
            bus.publish("a", number)

    bus.subscribe(listen)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, heard)) == sorted(str(number) for number in range(8) for _ in range(50))
