"""Openings have numbers of their own, and turns whose opening is gone are told from those that go on."""
# ruff: noqa: D102, PLR2004, S101 - a test's name says which promise is broken

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from lango_nb.testing.stores.checks import at_once, ids
from lango_nb.testing.stores.children import Child, Line
from lango_nb.testing.stores.contract import StoreUnderTest, needs
from lango_nb.testing.stores.samples import BODY, begun, ended, event, play


class WritersContract(StoreUnderTest):
    """What ``writer`` and ``unfinished`` promise."""

    def test_an_opening_has_one_number(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        assert store.writer() >= 1
        assert store.writer() == store.writer()
        assert len(set(at_once(*[store.writer] * 8))) == 1

    def test_a_turn_of_an_open_store_is_not_unfinished(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        store.log.begin(begun(), [event()])
        assert store.log.unfinished() == []
        store.log.write("turn-1", [event(seq=2)])
        assert store.log.unfinished() == []
        store.log.finish("turn-1", [], ended(begun()), BODY)
        assert store.log.unfinished() == []

    def test_an_open_store_is_not_gone(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        number = store.writer()
        assert store.is_gone(number) is False
        play(store.log)
        assert store.is_gone(number) is False

    @needs("is_durable")
    def test_an_opening_is_gone_when_it_is_closed(self, tmp_path: Path) -> None:
        first = self.open(tmp_path).writer()
        store = self.reopen(tmp_path)
        assert store.is_gone(first) is True
        second = store.writer()
        assert store.is_gone(second) is False
        store = self.reopen(tmp_path)
        assert [store.is_gone(number) for number in (first, second, store.writer())] == [True, True, False]

    @needs("is_durable", "processes")
    def test_an_opening_is_not_gone_while_another_is_closed(self, tmp_path: Path) -> None:
        one, other, third = self.open(tmp_path), self.open(tmp_path), self.open(tmp_path)
        numbers = [one.writer(), other.writer(), third.writer()]
        assert [third.is_gone(number) for number in numbers] == [False, False, False]
        one.close()
        assert [third.is_gone(number) for number in numbers] == [True, False, False]
        assert [other.is_gone(number) for number in numbers] == [True, False, False]

    @needs("is_durable")
    def test_no_two_openings_have_one_number(self, tmp_path: Path) -> None:
        numbers = [self.reopen(tmp_path).writer() for _ in range(6)]
        assert len(set(numbers)) == 6
        assert all(number >= 1 for number in numbers)

    @needs("is_durable", "processes")
    def test_no_two_openings_at_once_have_one_number(self, tmp_path: Path) -> None:
        stores = [self.open(tmp_path) for _ in range(4)]
        numbers = at_once(*(store.writer for store in stores))
        assert len(set(numbers)) == 4
        stores[0].close()
        assert self.open(tmp_path).writer() not in numbers

    def _number(self, place: Path, line: Line) -> None:
        line.say("ready")
        line.hear()
        line.say([self._closed_again(place) for _ in range(5)])

    def _closed_again(self, place: Path) -> int:
        store = self.make(place)
        number = store.writer()
        store.close()
        return number

    @needs("is_durable", "processes")
    def test_no_two_processes_have_one_number(self, tmp_path: Path) -> None:
        with Child(partial(self._number, tmp_path)) as one, Child(partial(self._number, tmp_path)) as other:
            for child in (one, other):
                assert child.hear() == "ready"
            for child in (one, other):
                child.say()
            numbers = [number for child in (one, other) for number in child.hear()]
        assert len(set(numbers)) == 10
        assert self.open(tmp_path).writer() not in numbers

    @needs("is_durable")
    def test_a_turn_left_open_by_an_opening_that_was_closed_is_unfinished(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        play(log, "a")
        log.begin(begun("b"), [event("b")])
        log.begin(begun("c"))
        log = self.reopen(tmp_path).log
        log.begin(begun("d"))
        assert log.unfinished() == [
            {**begun(key), "number": place, "outcome": "running"} for place, key in ((2, "b"), (3, "c"))
        ]

    @needs("is_durable")
    def test_a_turn_that_is_closed_later_is_unfinished_no_more(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun("a"))
        log.begin(begun("b"))
        log = self.reopen(tmp_path).log
        log.finish("a", [event("a")], ended(begun("a"), outcome="cancelled", error_code="interrupted"), BODY)
        assert ids(log.unfinished()) == ["b"]
        log = self.reopen(tmp_path).log
        assert ids(log.unfinished()) == ["b"]
        log.finish("b", [], ended(begun("b")), BODY)
        assert log.unfinished() == []
        assert self.reopen(tmp_path).log.unfinished() == []

    @needs("is_durable")
    def test_what_is_unfinished_is_not_forgotten(self, tmp_path: Path) -> None:
        self.open(tmp_path).log.begin(begun("a"))
        log = self.reopen(tmp_path).log
        assert log.remove(["a"]) == 0
        assert ids(log.unfinished()) == ["a"]

    @needs("is_durable", "processes")
    def test_a_turn_of_another_opening_is_not_unfinished_until_that_is_closed(self, tmp_path: Path) -> None:
        one, other = self.open(tmp_path), self.open(tmp_path)
        one.log.begin(begun("a"))
        other.log.begin(begun("b"))
        assert one.log.unfinished() == other.log.unfinished() == []
        one.close()
        assert ids(other.log.unfinished()) == ["a"]
        assert ids(self.open(tmp_path).log.unfinished()) == ["a"]

    def _leave_open(self, place: Path, line: Line) -> None:
        store = self.make(place)
        play(store.log, "whole")
        store.log.begin(begun("child"), [event("child")])
        line.say("begun")
        line.say(store.writer())
        if line.hear() == "die":
            os._exit(1)

    @needs("is_durable", "processes")
    def test_a_turn_of_a_process_that_died_is_unfinished(self, tmp_path: Path) -> None:
        with Child(partial(self._leave_open, tmp_path)) as child:
            assert child.hear() == "begun"
            child.say("die")
            child.rest()
        store = self.open(tmp_path)
        assert ids(store.log.unfinished()) == ["child"]
        store.log.finish("child", [event("child", 2)], ended(begun("child"), outcome="cancelled"), BODY)
        assert store.log.unfinished() == []

    @needs("is_durable", "processes")
    def test_a_turn_of_a_process_that_was_killed_is_unfinished(self, tmp_path: Path) -> None:
        with Child(partial(self._leave_open, tmp_path)) as child:
            assert child.hear() == "begun"
            store = self.open(tmp_path)
            store.log.begin(begun("own"))
            number = child.hear()
            assert store.is_gone(number) is False
            child.kill()
        assert store.is_gone(number) is True
        assert ids(store.log.unfinished()) == ["child"], "for a store that was open all the time"
        assert ids(self.open(tmp_path).log.unfinished()) == ["child"], "and for one that was not"

    @needs("is_durable", "processes")
    def test_a_turn_of_a_process_that_lives_is_not_unfinished(self, tmp_path: Path) -> None:
        with Child(partial(self._leave_open, tmp_path)) as child:
            assert child.hear() == "begun"
            store = self.open(tmp_path)
            assert ids(store.log.rows()) == ["whole", "child"]
            assert store.log.unfinished() == []
            assert store.writer() > 0
            assert store.log.unfinished() == []
            child.kill()
            assert ids(store.log.unfinished()) == ["child"]
