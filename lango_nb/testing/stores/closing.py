"""What is closed says so, and what can still be looked at is looked at."""
# ruff: noqa: D102, S101 - a test's name says which promise is broken

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lango_nb.stores.store import Store
from lango_nb.testing.stores.checks import ids, refuses
from lango_nb.testing.stores.contract import StoreUnderTest, needs
from lango_nb.testing.stores.samples import BODY, begun, ended, event, play, task


class ClosingContract(StoreUnderTest):
    """What ``close`` promises."""

    def test_closing_twice_is_no_error(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        store.documents("task").put(task())
        store.close()
        store.close()

    def test_closing_what_was_never_used_is_no_error(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        store.close()
        store.close()

    def test_a_store_in_memory_can_be_looked_at_when_it_is_closed(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        store.documents("task").put(task())
        play(store.log)
        store.close()
        if self.is_durable:
            store = self.open(tmp_path)
        assert store.documents("task").find() == [task()]
        assert ids(store.log.rows()) == ["turn-1"]

    def closed(self, place: Path) -> Store:
        """Return a store that was closed, with a document and a turn in it."""
        store = self.open(place)
        store.documents("task").put(task())
        play(store.log)
        store.close()
        return store

    def refuse(self, *works: Callable[[], object]) -> None:
        """Make sure that nothing can be done any more."""
        for work in works:
            with refuses("close", code="closed"):
                work()

    @needs("is_durable")
    def test_documents_of_a_closed_store_can_neither_be_read_nor_written(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        tasks = store.documents("task")
        tasks.put(task())
        store.close()
        self.refuse(
            lambda: tasks.get("task-1"),
            lambda: tasks.put(task("a")),
            lambda: tasks.put(task("a"), is_urgent=False),
            lambda: tasks.add(task("a")),
            lambda: tasks.change("task-1", lambda row: row),
            lambda: tasks.remove("task-1"),
            tasks.find,
            lambda: len(tasks),
        )
        assert self.open(tmp_path).documents("task").find() == [task()]

    @needs("is_durable")
    def test_documents_of_a_new_kind_cannot_be_had_of_a_closed_store(self, tmp_path: Path) -> None:
        store = self.closed(tmp_path)
        self.refuse(lambda: store.documents("memory").find(), lambda: store.documents("memory").put(task()))

    @needs("is_durable")
    def test_turns_of_a_closed_store_cannot_be_written(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        store.log.begin(begun("open"))
        store.close()
        log = store.log
        self.refuse(
            lambda: log.begin(begun("new")),
            lambda: log.write("open", [event("open")]),
            lambda: log.write("open", [event("open")], is_urgent=True),
            lambda: log.finish("open", [], ended(begun("open")), BODY),
            lambda: log.complete("open", BODY),
            lambda: log.remove(["open"]),
        )
        assert self.open(tmp_path).log.rows() == [{**begun("open"), "number": 1, "outcome": "running"}]

    @needs("is_durable")
    def test_turns_of_a_closed_store_cannot_be_read(self, tmp_path: Path) -> None:
        log = self.closed(tmp_path).log
        self.refuse(
            log.rows,
            log.count,
            lambda: log.read("turn-1"),
            lambda: list(log.scan()),
            lambda: list(log.events()),
            log.sessions,
            log.unfinished,
        )

    @needs("is_durable")
    def test_a_closed_store_cannot_be_checked_and_gets_no_number(self, tmp_path: Path) -> None:
        self.refuse(self.closed(tmp_path).check)
        store = self.open(tmp_path)
        store.close()
        self.refuse(store.writer)

    @needs("is_durable")
    def test_a_closed_store_opens_no_more_by_being_used(self, tmp_path: Path) -> None:
        store = self.closed(tmp_path)
        for _ in range(2):
            self.refuse(lambda: store.documents("task").find(), store.log.rows)
            store.close()
        assert ids(self.open(tmp_path).log.rows()) == ["turn-1"]

    @needs("is_durable")
    def test_what_a_closed_store_is_can_still_be_asked(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        before = (store.name, store.where, store.is_durable, list(store.problems))
        store.close()
        assert (store.name, store.where, store.is_durable, list(store.problems)) == before
