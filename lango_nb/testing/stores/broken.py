"""Torn, damaged, missing, full, read-only, newer: a clear error or success, never silence, and nothing else is lost."""
# ruff: noqa: D102, PLR2004, S101 - a test's name says which promise is broken

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from lango_nb.stores.store import Store, TurnQuery
from lango_nb.testing.stores.checks import ids, is_refused, parts, refuses
from lango_nb.testing.stores.children import Child, Line
from lango_nb.testing.stores.contract import StoreUnderTest, needs
from lango_nb.testing.stores.samples import BODY, begun, ended, event, events, play, task

MARK = "here-is-the-damage"


def _codes(store: Store) -> set[str]:
    """Return what a store has found so far, and what it finds now."""
    found = [*store.problems, *store.check()]
    for problem in found:
        assert problem.where, problem
        assert len(problem.detail.splitlines()) == 1, problem
    return {problem.code for problem in found}


def _bytes(place: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}


class BrokenContract(StoreUnderTest):
    """What a store promises when something is wrong with what lies there."""

    def filled(self, place: Path) -> None:
        """Leave a store with three documents and two turns, closed."""
        store = self.open(place)
        store.documents("task").put(task("a"), task("b"))
        play(store.log, "turn-1")
        play(store.log, "turn-2", "other")
        store.documents("task").put(task("c"))
        self.close_all()

    @needs("is_durable", "make_newer")
    def test_what_a_newer_version_wrote_is_refused(self, tmp_path: Path) -> None:
        self.filled(tmp_path)
        self.make_newer(tmp_path)
        works: tuple[Callable[[Store], object], ...] = (
            lambda store: store.documents("task").find(),
            lambda store: store.documents("task").put(task("d")),
            lambda store: store.log.rows(),
            lambda store: store.log.read("turn-1"),
            lambda store: store.log.begin(begun("turn-3")),
            lambda store: list(store.log.scan()),
        )
        for work in works:
            with refuses("newer", "upgrade", code="newer_schema"):
                work(self.open(tmp_path))
            self.close_all()

    @needs("is_durable", "make_newer")
    def test_what_a_newer_version_wrote_is_left_as_it_is(self, tmp_path: Path) -> None:
        self.filled(tmp_path)
        self.make_newer(tmp_path)
        before = _bytes(tmp_path)
        for work in (
            lambda store: store.documents("task").put(task("d")),
            lambda store: store.log.begin(begun("turn-3")),
        ):
            assert is_refused(partial(self._opened_and, tmp_path, work))
            self.close_all()
        after = _bytes(tmp_path)
        assert {path: after.get(path) for path in before} == before

    def _opened_and(self, place: Path, work: Callable[[Store], object]) -> None:
        work(self.open(place))

    @needs("is_durable", "damage")
    def test_a_damaged_document_is_reported_and_no_other_is_lost(self, tmp_path: Path) -> None:
        tasks = self.open(tmp_path).documents("task")
        for key in ("a", "b", "c"):
            tasks.put(task(key, MARK if key == "b" else key))
        self.close_all()
        self.damage(tmp_path, MARK)
        store = self.open(tmp_path)
        assert store.documents("task").find() == [task("a", "a"), task("c", "c")]
        assert "damaged" in _codes(store)
        store.documents("task").put(task("b", "anew"))
        assert sorted(ids(self.reopen(tmp_path).documents("task").find())) == ["a", "b", "c"]

    @needs("is_durable", "damage")
    def test_a_damaged_event_is_reported_and_no_other_is_lost(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        play(log, "before")
        log.begin(begun("turn-1"), [event(seq=1)])
        log.write("turn-1", [event(seq=2, text=MARK)])
        log.finish("turn-1", [event(seq=3)], ended(begun("turn-1")), BODY)
        play(log, "after")
        kept = {key: parts(log.read(key)) for key in ("before", "after")}
        self.close_all()
        self.damage(tmp_path, MARK)
        store = self.open(tmp_path)
        turn = store.log.read("turn-1")
        assert turn is not None
        assert turn.events == [event(seq=1), event(seq=3)]
        assert turn.body == BODY
        assert "damaged" in _codes(store)
        assert ids(store.log.rows()) == ["before", "turn-1", "after"]
        assert {key: parts(store.log.read(key)) for key in kept} == kept

    @needs("is_durable", "damage")
    def test_after_damage_everything_goes_on(self, tmp_path: Path) -> None:
        self.filled(tmp_path)
        store = self.open(tmp_path)
        store.documents("task").put(task("d", MARK))
        store.documents("task").put(task("e"))
        self.close_all()
        self.damage(tmp_path, MARK)
        store = self.open(tmp_path)
        store.documents("task").change("a", lambda row: {**row, "status": "done"})
        play(store.log, "turn-3")
        assert store.log.remove(["turn-1"]) == 1
        store = self.reopen(tmp_path)
        assert store.documents("task").find() == [task("a", status="done"), task("b"), task("c"), task("e")]
        assert ids(store.log.rows()) == ["turn-2", "turn-3"]
        assert [len(written) for _, written in store.log.events(TurnQuery(text="hello"))] == [4, 4]

    @needs("is_durable", "lose")
    def test_what_was_taken_away_while_closed_is_a_clear_error_or_a_new_store(self, tmp_path: Path) -> None:
        self.filled(tmp_path)
        self.lose(tmp_path)

        def use() -> None:
            store = self.open(tmp_path)
            assert store.documents("task").find() == []
            assert store.log.rows() == []
            store.documents("task").put(task("new"))
            play(store.log, "new")
            assert ids(self.reopen(tmp_path).documents("task").find()) == ["new"]
            assert ids(self.open(tmp_path).log.rows()) == ["new"]

        is_refused(use)

    @needs("is_durable", "lose")
    def test_a_document_written_to_files_taken_away_is_an_error_or_kept(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        store.documents("task").put(task("a"))
        self.lose(tmp_path)
        if not is_refused(lambda: store.documents("task").put(task("b"))):
            assert store.documents("task").get("b") == task("b")
            assert self.open(tmp_path).documents("task").get("b") == task("b")
        for look in (lambda: store.documents("task").find(), store.check, store.sync, store.close):
            is_refused(look)

    @needs("is_durable", "lose")
    def test_a_turn_written_to_files_taken_away_is_an_error_or_kept(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        play(store.log, "before")
        store.log.begin(begun(), [event(seq=1)])
        self.lose(tmp_path)
        is_lost = is_refused(lambda: store.log.write("turn-1", [event(seq=2)], is_urgent=True))
        is_lost = is_refused(lambda: store.log.finish("turn-1", [event(seq=3)], ended(begun()), BODY)) or is_lost
        if not is_lost:
            turn = self.open(tmp_path).log.read("turn-1")
            assert turn is not None
            assert [row["seq"] for row in turn.events][-2:] == [2, 3]
            assert turn.row["outcome"] == "success"
        if not is_refused(lambda: play(store.log, "after")):
            turn = self.open(tmp_path).log.read("after")
            assert turn is not None
            assert turn.events == events("after", 1, 4)
        for look in (store.log.rows, lambda: store.log.read("before"), lambda: list(store.log.scan()), store.close):
            is_refused(look)

    def _write_until_full(self, place: Path, line: Line) -> None:
        store = self.make(place)
        tasks, kept = store.documents("task"), []
        with self.fill(place):
            for number in range(500):
                row = task(f"t{number}", "x" * 5000)
                if is_refused(partial(tasks.put, row)):
                    break
                kept.append(row)
            line.say(len(kept))
            assert is_refused(partial(tasks.put, task("one more", "x" * 400_000)))
            assert tasks.find() == kept, "what was acknowledged can be read"
        tasks.put(task("after"))
        assert tasks.find() == [*kept, task("after")], "as soon as there is room everything goes on"
        line.say("done")

    @needs("is_durable", "processes", "fill")
    def test_a_document_for_which_there_is_no_room_is_an_error(self, tmp_path: Path) -> None:
        with Child(partial(self._write_until_full, tmp_path)) as child:
            kept = child.hear()
            assert child.hear() == "done"
        assert 0 < kept < 500
        store = self.open(tmp_path)
        assert ids(store.documents("task").find()) == [*(f"t{number}" for number in range(kept)), "after"]
        assert _codes(store) <= {"damaged"}

    def _play_until_full(self, place: Path, line: Line) -> None:
        log = self.make(place).log
        for key in ("open", "large"):
            log.begin(begun(key), [event(key, 1)])
        with self.fill(place):
            large = [event("large", 2, "x" * 400_000)]
            assert is_refused(lambda: log.finish("large", large, ended(begun("large")), BODY))
            assert is_refused(lambda: log.write("open", [event("open", 2, "x" * 400_000)], is_urgent=True))
            assert is_refused(lambda: log.begin(begun("none", text="x" * 400_000)))
        log.write("open", [event("open", 3)])
        log.finish("open", [event("open", 4)], ended(begun("open")), BODY)
        log.finish("large", large, ended(begun("large")), BODY)
        play(log, "after")
        line.say("done")

    @needs("is_durable", "processes", "fill")
    def test_a_turn_for_which_there_is_no_room_stays_open(self, tmp_path: Path) -> None:
        with Child(partial(self._play_until_full, tmp_path)) as child:
            assert child.hear() == "done"
        store = self.open(tmp_path)
        assert [(row["id"], row["outcome"]) for row in store.log.rows()] == [
            ("open", "success"),
            ("large", "success"),
            ("after", "success"),
        ]
        assert [[row["seq"] for row in turn.events] for turn in store.log.scan()] == [[1, 3, 4], [1, 2], [1, 2, 3, 4]]
        assert _codes(store) <= {"damaged"}

    def _look_only(self, place: Path, line: Line) -> None:
        with self.protect(place):
            store = self.make(place)
            assert store.documents("task").find() == [task("a"), task("b"), task("c")]
            assert ids(store.log.rows()) == ["turn-1", "turn-2", "open"]
            turn = store.log.read("turn-2")
            assert turn is not None
            assert turn.events == events("turn-2", 1, 4)
            assert turn.body == BODY
            assert len(list(store.log.scan())) == len(list(store.log.events())) == 3
            assert len(store.log.sessions()) == 2
            for work in (
                lambda: store.documents("task").put(task("d")),
                lambda: store.documents("task").change("a", lambda row: {**row, "status": "done"}),
                lambda: store.documents("task").remove("a"),
                lambda: store.log.begin(begun("turn-3")),
                lambda: store.log.write("open", [event("open", 2)], is_urgent=True),
                lambda: store.log.finish("open", [], ended(begun("open")), BODY),
                lambda: store.log.remove(["turn-1"]),
            ):
                with refuses():
                    work()
            assert store.documents("task").find() == [task("a"), task("b"), task("c")]
            assert store.log.count(TurnQuery(outcomes=("success",))) == 2
            store.close()
        line.say("done")

    @needs("is_durable", "processes", "protect")
    def test_what_can_only_be_read_is_read_and_writing_is_an_error(self, tmp_path: Path) -> None:
        self.filled(tmp_path)
        self.open(tmp_path).log.begin(begun("open"), [event("open", 1)])
        self.close_all()
        with Child(partial(self._look_only, tmp_path)) as child:
            assert child.hear() == "done"
        store = self.open(tmp_path)
        assert store.documents("task").find() == [task("a"), task("b"), task("c")]
        assert [len(turn.events) for turn in store.log.scan()] == [4, 4, 1]
