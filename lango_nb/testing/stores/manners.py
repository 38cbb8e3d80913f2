"""What a store says about itself, and how its errors read."""
# ruff: noqa: D102, S101 - a test's name says which promise is broken

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lango_nb.stores.store import Problem
from lango_nb.testing.stores.checks import ids, refuses
from lango_nb.testing.stores.contract import StoreUnderTest
from lango_nb.testing.stores.samples import BODY, begun, ended, event, play, task


class MannersContract(StoreUnderTest):
    """What a store says."""

    def test_a_store_has_a_name_and_a_place(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        assert store.name
        assert store.name == store.name.lower().strip()
        assert store.where
        assert len(store.where.splitlines()) == 1

    def test_a_store_says_whether_it_lasts(self, tmp_path: Path) -> None:
        assert self.open(tmp_path).is_durable is self.is_durable

    def test_the_home_folder_is_not_spelled_out(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        home = str(Path.home())
        assert home == "/" or home not in store.where

    def test_a_new_store_has_no_problems(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        assert store.problems == []
        assert store.check() == []

    def test_checking_changes_nothing(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        store.documents("task").put(task("a"), task("b"))
        play(store.log, "a")
        store.log.begin(begun("b"), [event("b")])
        found = store.check()
        assert all(isinstance(problem, Problem) and problem.code == "unfinished" for problem in found)
        assert ids(store.documents("task").find()) == ["a", "b"]
        store.log.finish("b", [], ended(begun("b")), BODY)
        assert store.check() == []

    def test_syncing_is_never_an_error(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        store.sync()
        store.documents("task").put(task(), is_urgent=False)
        store.log.begin(begun(), [event()])
        store.sync()
        store.sync()
        assert store.documents("task").find() == [task()]

    def test_two_stores_have_nothing_to_do_with_each_other(self, tmp_path: Path) -> None:
        places = [tmp_path / "one", tmp_path / "other"]
        for place in places:
            place.mkdir()
        one, other = map(self.open, places)
        one.documents("task").put(task())
        play(one.log)
        assert other.documents("task").find() == []
        assert other.log.rows() == []
        assert other.log.begin(begun()) == 1

    def test_errors_name_the_thing_and_say_what_to_do(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        store.documents("task").add(task("task-7"))
        play(store.log, "turn-7")
        works: tuple[tuple[str, Callable[[], object]], ...] = (
            ("task-7", lambda: store.documents("task").add(task("task-7"))),
            ("turn-7", lambda: store.log.begin(begun("turn-7"))),
            ("turn-7", lambda: store.log.finish("turn-7", [], ended(begun("turn-7")), {})),
            ("turn-8", lambda: store.log.write("turn-8", [])),
            ("turn-8", lambda: store.log.finish("turn-8", [], ended(begun("turn-8")), {})),
        )
        for name, work in works:
            with refuses(name, "; "):
                work()
