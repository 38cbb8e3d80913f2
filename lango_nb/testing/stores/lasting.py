"""What a store says of itself, what lasts when it is closed, and what it does when its files are not in order."""
# ruff: noqa: D102, PLR2004, S101 - a test's name says which promise is broken

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path

from lango_nb.stores.store import Store, TurnQuery
from lango_nb.testing.stores.checks import ids, is_refused, letters, parts, refuses, whole
from lango_nb.testing.stores.children import Child, Line
from lango_nb.testing.stores.contract import StoreUnderTest, needs
from lango_nb.testing.stores.samples import BODY, START, begun, ended, event, events, play, task

MARK = "here-is-the-damage"
QUERIES = (
    TurnQuery(),
    TurnQuery(session="two"),
    TurnQuery(agent="vault"),
    TurnQuery(tool="fs_read"),
    TurnQuery(outcomes=("timeout", "running")),
    TurnQuery(since=START + timedelta(seconds=3), until=START + timedelta(seconds=9)),
    TurnQuery(text="WISH 1"),
    TurnQuery(text="straSSE"),
    TurnQuery(ids=("turn-3", "turn-4")),
    TurnQuery(after=7, newest_first=True, limit=2),
)


def _fill(store: Store) -> None:
    """Do a bit of everything."""
    tasks = store.documents("task")
    tasks.put(*(task(f"t{number}", f"title {number}", odd=number % 2) for number in range(10)))
    tasks.change("t3", lambda row: {**row, "status": "done"})
    tasks.remove("t0", "t5")
    tasks.put(task("t0", "again"), task("t4", "replaced"), is_urgent=False)
    store.documents("memory").add({"id": "m", "content": "Grüße 😀", "tags": ["a", None, 1.5]})
    for number in range(12):
        key, session = f"turn-{number}", ("one", "two", "three")[number % 3]
        row = begun(key, session, f"wish {number}", number)
        store.log.begin(row, [event(key, 1)])
        store.log.write(key, [event(key, 2), event(key, 3)], is_urgent=number == 2)
        if number != 11:
            last = ended(
                row,
                outcome="timeout" if number == 4 else "success",
                answer=f"Straße {number}",
                agents=["operator", "vault"] if number % 4 == 0 else ["operator"],
                tools=["fs_read"] if number % 5 == 0 else [],
            )
            store.log.finish(key, [event(key, 4)], last, {**BODY, "of": key})
    store.log.write("turn-2", [event("turn-2", 9)])
    store.log.remove(["turn-1", "turn-6"])


def _everything(store: Store) -> list[str]:
    """Write all that can be seen of a store, to the letter."""
    tasks, memories, log = store.documents("task"), store.documents("memory"), store.log
    found: list[object] = [tasks.find(), memories.find(), tasks.find({"odd": 1}, newest_first=True), log.sessions()]
    found += [[list(log.scan(query)), list(log.events(query)), log.count(query)] for query in QUERIES]
    found += [log.read(f"turn-{number}") for number in range(13)]
    return [letters(part) for part in found]


def _codes(store: Store) -> set[str]:
    """Return what a store has found so far, and what it finds now."""
    found = [*store.problems, *store.check()]
    for problem in found:
        assert problem.where, problem
        assert len(problem.detail.splitlines()) == 1, problem
    return {problem.code for problem in found}


def _bytes(place: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}


def _reads(store: Store) -> tuple[Callable[[], object], ...]:
    """Return every way to look."""
    tasks, log = store.documents("task"), store.log
    return (
        tasks.find,
        lambda: tasks.get("a"),
        lambda: len(tasks),
        log.rows,
        log.count,
        log.numbers,
        lambda: log.read("turn-1"),
        lambda: list(log.scan()),
        lambda: list(log.events()),
        lambda: list(log.histories([1])),
        lambda: log.tables({"turns": ["id"]}),
        log.sessions,
        log.unfinished,
        store.check,
    )


def _writes(store: Store) -> tuple[Callable[[], object], ...]:
    """Return every way to write, for a store with a document ``a``, a turn ``turn-1`` and an open one."""
    tasks, log = store.documents("task"), store.log
    return (
        lambda: tasks.put(task("d")),
        lambda: tasks.put(task("d"), is_urgent=False),
        lambda: tasks.add(task("d")),
        lambda: tasks.change("a", lambda row: {**row, "status": "done"}),
        lambda: tasks.remove("a"),
        lambda: log.begin(begun("turn-3")),
        lambda: log.write("open", [event("open", 2)]),
        lambda: log.write("open", [event("open", 2)], is_urgent=True),
        lambda: log.finish("open", [], ended(begun("open")), BODY),
        lambda: log.complete("turn-1", BODY),
        lambda: log.remove(["turn-1"]),
    )


class LastingContract(StoreUnderTest):
    """What lasts, and what is said when something does not."""

    def filled(self, place: Path) -> Store:
        """Open a store with three documents, two turns that have ended and one that has not."""
        store = self.open(place)
        store.documents("task").put(task("a"), task("b"), task("c"))
        play(store.log, "turn-1")
        play(store.log, "turn-2", "other")
        store.log.begin(begun("open"), [event("open", 1)])
        return store

    def is_as_filled(self, store: Store) -> None:
        """Make sure that nothing has changed since."""
        assert store.documents("task").find() == [task("a"), task("b"), task("c")]
        assert [(row["id"], row["outcome"]) for row in store.log.rows()] == [
            ("turn-1", "success"), ("turn-2", "success"), ("open", "running"),
        ]  # fmt: skip
        assert [written for _, written in store.log.events()] == [
            events("turn-1", 1, 4), events("turn-2", 1, 4), [event("open", 1)],
        ]  # fmt: skip

    # -- what a store says ---------------------------------------------------------------------------------------------

    def test_a_store_says_what_it_is_also_when_it_is_closed(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        for _ in ("open", "closed"):
            assert store.name == store.name.lower().strip() != ""
            assert len(store.where.splitlines()) == 1
            assert str(Path.home()) in ("/", "") or str(Path.home()) not in store.where, "the home folder is ~"
            assert store.is_durable is self.is_durable
            assert store.problems == []
            store.close()

    def test_checking_changes_nothing(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        assert store.check() == []
        store = self.filled(tmp_path / "filled")
        assert _codes(store) <= {"unfinished"}
        self.is_as_filled(store)
        store.log.finish("open", [], ended(begun("open")), BODY)
        assert store.check() == []

    def test_syncing_is_never_an_error(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        store.sync()
        store.documents("task").put(task(), is_urgent=False)
        store.sync()
        for opened in self.now_and_later(tmp_path, store):
            assert opened.documents("task").find() == [task()]
            opened.sync()

    def test_two_stores_have_nothing_to_do_with_each_other(self, tmp_path: Path) -> None:
        one, other = self.filled(tmp_path / "one"), self.open(tmp_path / "other")
        assert other.documents("task").find() == other.log.rows() == []
        assert other.log.begin(begun()) == 1
        self.is_as_filled(one)

    def test_errors_name_the_thing_and_say_what_to_do(self, tmp_path: Path) -> None:
        store = self.filled(tmp_path)
        works: tuple[tuple[str, Callable[[], object]], ...] = (
            ("a", lambda: store.documents("task").add(task("a"))),
            ("turn-1", lambda: store.log.begin(begun("turn-1"))),
            ("turn-1", lambda: store.log.finish("turn-1", [], ended(begun("turn-1")), {})),
            ("turn-8", lambda: store.log.write("turn-8", [])),
            ("turn-8", lambda: store.log.finish("turn-8", [], ended(begun("turn-8")), {})),
        )
        for name, work in works:
            with refuses(name, "; "):
                work()

    # -- closed and opened again ---------------------------------------------------------------------------------------

    @needs("is_durable")
    def test_everything_is_as_it_was(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        _fill(store)
        before = _everything(store)
        for _ in range(3):
            store = self.reopen(tmp_path)
            assert _everything(store) == before
        play(store.log, "new", "two")
        store.documents("task").add(task("t5"))
        assert _codes(store) == {"unfinished"}
        store = self.reopen(tmp_path)
        assert [*ids(store.log.rows())][-2:] == ["turn-11", "new"]
        assert ids(store.documents("task").find())[-3:] == ["t9", "t0", "t5"], "the order goes on"

    @needs("is_durable", "processes")
    def test_a_second_opening_sees_everything_the_first_sees(self, tmp_path: Path) -> None:
        store, early = self.open(tmp_path), self.open(tmp_path)
        early.documents("task").find(), early.log.rows()
        _fill(store)
        before = _everything(store)
        assert _everything(early) == before, "one that was open already"
        assert _everything(self.open(tmp_path)) == before, "and one that was not"

    @needs("is_durable")
    def test_looking_writes_nothing(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        for look in _reads(store):
            look()
        store.close()
        assert list(tmp_path.rglob("*")) == []

    def test_what_is_closed_can_be_looked_at_in_memory_and_opened_again_elsewhere(self, tmp_path: Path) -> None:
        store = self.filled(tmp_path)
        for _ in range(2):
            store.close()
        self.is_as_filled(self.open(tmp_path) if self.is_durable else store)

    @needs("is_durable")
    def test_a_closed_store_is_neither_read_nor_written_and_does_not_open_by_being_used(self, tmp_path: Path) -> None:
        store = self.filled(tmp_path)
        works = [*_reads(store), *_writes(store)]
        works += [lambda: store.documents("memory").find(), lambda: store.documents("memory").put(task())]
        store.close()
        for work in works:
            with refuses("close", code="closed"):
                work()
        self.is_as_filled(self.open(tmp_path))
        fresh = self.open(tmp_path / "fresh")
        fresh.close()
        with refuses("close", code="closed"):
            fresh.writer()

    # -- newer, damaged, missing, full, read-only ----------------------------------------------------------------------

    @needs("is_durable", "make_newer")
    def test_what_a_newer_version_wrote_is_refused_and_left_as_it_is(self, tmp_path: Path) -> None:
        self.filled(tmp_path)
        self.close_all()
        self.make_newer(tmp_path)
        before = _bytes(tmp_path)
        for number in range(10):
            for uses in (_reads, _writes):
                with refuses("newer", "upgrade", code="newer_schema"):
                    uses(self.open(tmp_path))[number]()
                self.close_all()
        after = _bytes(tmp_path)
        assert {path: after.get(path) for path in before} == before

    @needs("is_durable", "damage")
    def test_a_damaged_document_is_reported_and_everything_else_goes_on(self, tmp_path: Path) -> None:
        self.filled(tmp_path).documents("task").put(task("d", MARK), task("e"))
        self.close_all()
        self.damage(tmp_path, MARK)
        store = self.open(tmp_path)
        assert ids(store.documents("task").find()) == ["a", "b", "c", "e"]
        assert "damaged" in _codes(store)
        store.documents("task").change("a", lambda row: {**row, "status": "done"})
        store.documents("task").put(task("d", "anew"))
        play(store.log, "turn-3")
        assert store.log.remove(["turn-1"]) == 1
        store = self.reopen(tmp_path)
        assert sorted(ids(store.documents("task").find())) == ["a", "b", "c", "d", "e"]
        assert store.documents("task").get("a") == task("a", status="done")
        assert ids(store.log.rows()) == ["turn-2", "open", "turn-3"]

    @needs("is_durable", "damage")
    def test_a_damaged_event_is_reported_and_no_other_is_lost(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        play(log, "before")
        log.begin(begun("turn-1"), [event(seq=1)])
        log.write("turn-1", [event(seq=2, text=MARK)])
        log.finish("turn-1", [event(seq=3)], ended(begun("turn-1")), BODY)
        play(log, "after")
        kept = {key: parts(log, key) for key in ("before", "after")}
        self.close_all()
        self.damage(tmp_path, MARK)
        store = self.open(tmp_path)
        turn = store.log.read("turn-1")
        assert turn is not None
        assert turn[1:3] == ([event(seq=1), event(seq=3)], BODY)
        assert turn.lost
        assert "damaged" in _codes(store)
        assert ids(store.log.rows()) == ["before", "turn-1", "after"]
        assert {key: parts(store.log, key) for key in kept} == kept

    @needs("is_durable", "lose")
    def test_what_was_taken_away_while_closed_is_a_clear_error_or_a_new_store(self, tmp_path: Path) -> None:
        self.filled(tmp_path)
        self.close_all()
        self.lose(tmp_path)

        def use() -> None:
            store = self.open(tmp_path)
            assert store.documents("task").find() == store.log.rows() == []
            store.documents("task").put(task("new"))
            play(store.log, "new")
            assert ids(self.reopen(tmp_path).documents("task").find()) == ["new"]
            assert ids(self.open(tmp_path).log.rows()) == ["new"]

        is_refused(use)

    @needs("is_durable", "lose")
    def test_what_is_written_to_files_taken_away_is_an_error_or_kept(self, tmp_path: Path) -> None:
        store = self.filled(tmp_path)
        self.lose(tmp_path)
        if not is_refused(lambda: store.documents("task").put(task("d"))):
            assert store.documents("task").get("d") == task("d")
            assert self.open(tmp_path).documents("task").get("d") == task("d")
        is_lost = is_refused(lambda: store.log.write("open", [event("open", 2)], is_urgent=True))
        is_lost = (
            is_refused(lambda: store.log.finish("open", [event("open", 3)], ended(begun("open")), BODY)) or is_lost
        )
        if not is_lost:
            turn = whole(self.open(tmp_path).log, "open")
            assert [row["seq"] for row in turn.events][-2:] == [2, 3]
            assert turn.row["outcome"] == "success"
        if not is_refused(lambda: play(store.log, "after")):
            assert whole(self.open(tmp_path).log, "after").events == events("after", 1, 4)
        for look in (*_reads(store), store.sync, store.close):
            is_refused(look)

    def _write_until_full(self, place: Path, line: Line) -> None:
        store = self.filled(place)
        tasks, log, kept = store.documents("task"), store.log, 0
        log.begin(begun("large"), [event("large", 1)])
        large = [event("large", 2, "x" * 400_000)]
        with self.fill(place):
            while kept < 500 and not is_refused(partial(tasks.put, task(f"t{kept}", "x" * 5000))):
                kept += 1
            assert is_refused(lambda: tasks.put(task("one more", "x" * 400_000)))
            assert is_refused(lambda: log.finish("large", large, ended(begun("large")), BODY))
            assert is_refused(lambda: log.write("open", [event("open", 2, "x" * 400_000)], is_urgent=True))
            assert is_refused(lambda: log.begin(begun("none", text="x" * 400_000)))
            assert ids(tasks.find()) == ["a", "b", "c", *(f"t{number}" for number in range(kept))]
        tasks.put(task("after"))
        log.write("open", [event("open", 3)])
        log.finish("open", [], ended(begun("open")), BODY)
        log.finish("large", large, ended(begun("large")), BODY)
        play(log, "after")
        line.say(kept)

    @needs("is_durable", "processes", "fill")
    def test_what_there_is_no_room_for_is_an_error_and_nothing_acknowledged_is_lost(self, tmp_path: Path) -> None:
        with Child(partial(self._write_until_full, tmp_path)) as child:
            kept = child.hear()
        assert 0 < kept < 500
        store = self.open(tmp_path)
        assert ids(store.documents("task").find())[3:] == [*(f"t{number}" for number in range(kept)), "after"]
        assert [(row["id"], row["outcome"]) for row in store.log.rows()] == [
            (key, "success") for key in ("turn-1", "turn-2", "open", "large", "after")
        ]
        assert [[row["seq"] for row in written] for _, written in store.log.events()][2:] == [
            [1, 3],
            [1, 2],
            [1, 2, 3, 4],
        ]
        assert _codes(store) <= {"damaged"}

    def _look_only(self, place: Path, line: Line) -> None:
        with self.protect(place):
            store = self.make(place)
            self.is_as_filled(store)
            for look in _reads(store):
                look()
            for write in _writes(store):
                with refuses():
                    write()
            self.is_as_filled(store)
            store.close()
        line.say("done")

    @needs("is_durable", "processes", "protect")
    def test_what_can_only_be_read_is_read_and_writing_is_an_error(self, tmp_path: Path) -> None:
        self.filled(tmp_path)
        self.close_all()
        with Child(partial(self._look_only, tmp_path)) as child:
            assert child.hear() == "done"
        self.is_as_filled(self.open(tmp_path))
