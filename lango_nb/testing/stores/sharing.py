"""A store is used by many at once, threads and processes: nothing is lost, counted twice, or seen half done."""
# ruff: noqa: D102, PLR2004, S101 - a test's name says which promise is broken

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from lango_nb.stores.store import Row, Store, TurnQuery
from lango_nb.testing.stores.checks import at_once, ids, is_refused, parts, refuses, whole
from lango_nb.testing.stores.children import Child, Line
from lango_nb.testing.stores.contract import StoreUnderTest, has, needs
from lango_nb.testing.stores.samples import BODY, begun, document, ended, event, events, play, task

THREADS = "abcdefgh"
OPENINGS = "abcd"
PROCESSES = "ab"
Work = Callable[[Store, str], Any]
"""What each of several does with the store, by its name; returns JSON."""


def more(row: Row) -> Row:
    """Count one more."""
    return {**row, "count": int(str(row["count"])) + 1}


def _nothing(_: Store) -> None:
    """Prepare nothing."""


class SharingContract(StoreUnderTest):
    """What a store promises to threads, to several openings, and to processes that may die at any moment."""

    def shared(
        self, place: Path, work: Work, before: Callable[[Store], object] = _nothing
    ) -> Iterator[tuple[Store, dict[str, Any]]]:
        """Let several do the same at the same time, and give the store as it is then, and what each of them returned.

        First threads with one opening, then threads with an opening each, then processes; every time with a new store,
        in which `before` was done.
        """
        threads, openings, processes = (place / name for name in ("threads", "openings", "processes"))
        for folder in (threads, openings, processes):
            folder.mkdir()
        store = self.open(threads)
        before(store)
        yield store, dict(zip(THREADS, at_once(*(partial(work, store, name) for name in THREADS)), strict=True))
        if not (self.is_durable and has(type(self), "processes")):
            return
        self.close_all()  # connections of databases do not survive that a process is copied
        with ExitStack() as stack:
            children = {name: stack.enter_context(Child(partial(self._child, processes, work))) for name in PROCESSES}
            before(self.open(processes))
            for name, child in children.items():
                child.say(name)
            returned = {name: child.hear() for name, child in children.items()}
            yield self.open(processes), returned
        stores = [self.open(openings) for _ in OPENINGS]
        before(stores[0])
        works = [partial(work, store, name) for store, name in zip(stores, OPENINGS, strict=True)]
        returned = dict(zip(OPENINGS, at_once(*works), strict=True))
        yield from ((store, returned) for store in stores)

    def _child(self, place: Path, work: Work, line: Line) -> None:
        name = line.hear()
        line.say(work(self.make(place), name))

    def test_rows_that_many_add_are_all_there(self, tmp_path: Path) -> None:
        def add(store: Store, name: str) -> None:
            for number in range(25):
                store.documents("task").add(task(f"{name}-{number}", by=name), is_urgent=number % 10 == 0)

        for store, added in self.shared(tmp_path, add):
            assert len(store.documents("task")) == len(added) * 25
            for name in added:
                found = ids(store.documents("task").find({"by": name}))
                assert found == [f"{name}-{number}" for number in range(25)]

    def test_of_many_that_add_one_id_one_succeeds(self, tmp_path: Path) -> None:
        def add(store: Store, name: str) -> list[str]:
            tasks, keys = store.documents("task"), [f"t{number}" for number in range(20)]
            return [
                key
                for key in keys
                if not is_refused(partial(tasks.add, task(key, by=name), is_urgent=False), code="conflict")
            ]

        for store, added in self.shared(tmp_path, add):
            rows = store.documents("task").find()
            assert sorted((key, name) for name in added for key in added[name]) == sorted(
                (str(row["id"]), str(row["by"])) for row in rows
            )
            assert len(rows) == 20

    def test_every_change_counts_and_disturbs_no_other_row(self, tmp_path: Path) -> None:
        def count(store: Store, name: str) -> None:
            for number in range(25):
                store.documents("task").change("counter", more, is_urgent=number % 10 == 0)
                store.documents("task").change(name, more, is_urgent=False)

        def before(store: Store) -> None:
            store.documents("task").put(*(document(key, count=0) for key in ("counter", *THREADS)))

        for store, counted in self.shared(tmp_path, count, before):
            counts = {row["id"]: row["count"] for row in store.documents("task").find() if row["count"]}
            assert counts == {"counter": 25 * len(counted), **dict.fromkeys(counted, 25)}

    def test_rows_put_together_are_seen_together(self, tmp_path: Path) -> None:
        def put_or_look(store: Store, name: str) -> int:
            tasks, torn = store.documents("task"), 0
            for number in range(1, 101):
                if name == "a":
                    tasks.put({"id": "a", "count": number}, {"id": "b", "count": number}, is_urgent=False)
                else:
                    first, last = tasks.find()
                    torn += first["count"] != last["count"]
            return torn

        def before(store: Store) -> None:
            store.documents("task").put({"id": "a", "count": 0}, {"id": "b", "count": 0})

        for _, torn in self.shared(tmp_path, put_or_look, before):
            assert set(torn.values()) == {0}

    def test_a_row_that_many_remove_is_counted_once(self, tmp_path: Path) -> None:
        keys = [f"t{number}" for number in range(40)]

        def before(store: Store) -> None:
            store.documents("task").put(*map(task, keys))

        for store, counts in self.shared(tmp_path, lambda store, _: store.documents("task").remove(*keys), before):
            assert sum(counts.values()) == 40
            assert len(store.documents("task")) == 0

    def test_turns_have_numbers_of_their_own_that_grow(self, tmp_path: Path) -> None:
        def begin(store: Store, name: str) -> list[int]:
            return [store.log.begin(begun(f"{name}-{number}", f"session-{number % 3}")) for number in range(15)]

        for store, given in self.shared(tmp_path, begin):
            numbers = {f"{name}-{place}": number for name in given for place, number in enumerate(given[name])}
            assert sorted(numbers.values()) == list(range(1, 15 * len(given) + 1))
            assert all(some == sorted(some) for some in given.values())
            assert {row["id"]: row["number"] for row in store.log.rows()} == numbers

    def test_of_many_that_begin_or_finish_one_turn_one_succeeds(self, tmp_path: Path) -> None:
        def play_all(store: Store, name: str) -> list[list[str]]:
            done: list[list[str]] = [[], []]
            for key in (f"turn-{number}" for number in range(10)):
                begin = partial(store.log.begin, begun(key), [event(key, 1, name)])
                finish = partial(
                    store.log.finish, key, [event(key, 2, name)], ended(begun(key), answer=name), {"of": name}
                )
                for work, code, mine in ((begin, "conflict", done[0]), (finish, "closed", done[1])):
                    if not is_refused(work, code=code):
                        mine.append(key)
            return done

        for store, done in self.shared(tmp_path, play_all):
            begun_by, ended_by = ({key: name for name in done for key in done[name][part]} for part in (0, 1))
            assert sum(len(keys) for some in done.values() for keys in some) == 20
            for turn in store.log.scan():
                key = str(turn.row["id"])
                assert [row["text"] for row in turn.events] == [begun_by[key], ended_by[key]]
                assert (turn.row["answer"], turn.body) == (ended_by[key], {"of": ended_by[key]})

    def test_events_that_many_write_are_all_there_in_order_and_together(self, tmp_path: Path) -> None:
        def write(store: Store, name: str) -> None:
            for number in range(10):
                store.log.write("turn-1", [event(seq=2 * number + part, author=name) for part in (0, 1)])

        for store, written in self.shared(tmp_path, write, lambda store: store.log.begin(begun())):
            found = whole(store.log).events
            assert len(found) == 20 * len(written)
            for name in written:
                assert [row["seq"] for row in found if row["author"] == name] == list(range(20))
            pairs = zip(found[::2], found[1::2], strict=True)
            assert all(first["author"] == last["author"] for first, last in pairs)

    def test_turns_that_many_play_are_whole(self, tmp_path: Path) -> None:
        def work(store: Store, name: str) -> None:
            for key in (f"{name}-{number}" for number in range(8)):
                store.documents("run").put({"id": key, "status": "running"}, is_urgent=False)
                play(store.log, key, text=f"wish {name}")
                store.documents("run").change(key, lambda row: {**row, "status": "completed"}, is_urgent=False)

        for store, played in self.shared(tmp_path, work):
            assert len(store.documents("run").find({"status": "completed"})) == 8 * len(played)
            assert [row["turns"] for row in store.log.sessions()] == [8 * len(played)]
            turns = list(store.log.scan(TurnQuery(session="main")))
            assert [turn[1:3] for turn in turns] == [(events(str(turn.row["id"]), 1, 4), BODY) for turn in turns]
            for name in played:
                assert ids(store.log.rows(TurnQuery(text=f"wish {name}"))) == [
                    f"{name}-{number}" for number in range(8)
                ]

    def test_turns_are_seen_whole_or_running_while_others_are_written_and_forgotten(self, tmp_path: Path) -> None:
        def work(store: Store, name: str) -> Any:
            if name == "a":
                return len([play(store.log, f"new-{number}") for number in range(12)])
            half = []
            for number in range(0, 12, 2):
                store.log.remove([f"old-{number}", f"old-{number + 1}"])
                half += [
                    str(turn.row["id"]) for turn in store.log.scan() if not _is_right(turn.row, turn.events, turn.body)
                ]
            return half

        def before(store: Store) -> None:
            for number in range(12):
                play(store.log, f"old-{number}")

        for store, returned in self.shared(tmp_path, work, before):
            assert returned == {name: 12 if name == "a" else [] for name in returned}
            assert ids(store.log.rows()) == [f"new-{number}" for number in range(12)]
            assert store.check() == []
            assert all(written == events(str(row["id"]), 1, 4) for row, written in store.log.events())

    def test_many_openings_have_numbers_of_their_own(self, tmp_path: Path) -> None:
        for store, numbers in self.shared(tmp_path, lambda store, _: store.writer()):
            mine = store.writer()
            assert mine in numbers.values() or len(numbers) == len(PROCESSES)
            if len(numbers) != len(THREADS):
                assert len(set(numbers.values())) == len(numbers)

    @needs("is_durable", "processes")
    def test_two_processes_open_and_close_a_new_store_again_and_again(self, tmp_path: Path) -> None:
        def work(line: Line) -> None:
            name, numbers = line.hear(), []
            for number in range(10):
                store = self.make(tmp_path)
                store.documents("task").put(task(f"{name}-{number}", by=name))
                numbers.append(store.writer())
                store.close()
            line.say(numbers)

        with Child(work) as one, Child(work) as other:
            one.say("a")
            other.say("b")
            assert len({*one.hear(), *other.hear()}) == 20, "every opening has a number of its own"
        store = self.open(tmp_path)
        for name in "ab":
            assert ids(store.documents("task").find({"by": name})) == [f"{name}-{number}" for number in range(10)]
        assert store.check() == []

    @needs("is_durable", "processes")
    def test_each_opening_sees_what_the_other_wrote(self, tmp_path: Path) -> None:
        one, other = self.open(tmp_path), self.open(tmp_path)
        one.documents("task").put(task("a"), is_urgent=False)
        assert other.documents("task").get("a") == task("a")
        other.documents("task").put(task("b"), task("a", "changed"))
        assert one.documents("task").find() == [task("a", "changed"), task("b")]
        with refuses("a", code="conflict"):
            one.documents("task").add(task("a", "another"))
        assert one.documents("task").remove("a") == 1
        assert other.documents("task").find() == [task("b")]
        assert other.log.rows() == []
        assert one.log.begin(begun(), [event(seq=1)]) == 1
        with refuses("turn-1", code="conflict"):
            other.log.begin(begun())
        other.log.write("turn-1", [event(seq=2)])
        assert parts(one.log) == parts(other.log)
        one.log.write("turn-1", [event(seq=3)])
        assert whole(other.log).events == [event(seq=seq) for seq in (1, 2, 3)]
        other.log.finish("turn-1", [event(seq=4)], ended(begun()), BODY)
        with refuses("turn-1", code="closed"):
            one.log.finish("turn-1", [], ended(begun()), {})
        one.log.write("turn-1", [event(seq=5)])
        assert parts(one.log) == parts(other.log)
        assert one.log.rows() == other.log.rows()
        assert one.log.sessions() == other.log.sessions()
        assert one.log.remove(["turn-1"]) == 1
        with refuses("turn-1", code="unknown"):
            other.log.write("turn-1", [event(seq=6)])
        assert other.log.read("turn-1") is None
        one.close()
        other.documents("task").put(task("c"))
        assert ids(self.open(tmp_path).documents("task").find()) == ["b", "c"]

    @needs("is_durable", "processes")
    def test_a_process_that_ends_without_closing_leaves_what_it_wrote(self, tmp_path: Path) -> None:
        def work(line: Line) -> None:
            store = self.make(tmp_path)
            store.documents("task").put(task("a"), is_urgent=False)
            store.documents("task").change("a", lambda row: {**row, "status": "done"}, is_urgent=False)
            play(store.log, "whole")
            store.log.begin(begun("open"), [event("open", 1)])
            store.log.write("open", [event("open", 2)])
            line.say(store.writer())
            line.hear()

        with Child(work) as child:
            number = child.hear()
            store = self.open(tmp_path)
            store.log.begin(begun("own"))
            assert ids(store.log.rows()) == ["whole", "open", "own"]
            assert store.log.unfinished() == []
            assert store.is_gone(number) is False
            child.kill()
        for opened in (store, self.open(tmp_path)):
            assert opened.is_gone(number) is True
            assert ids(opened.log.unfinished()) == ["open"]
            assert opened.documents("task").find() == [task("a", status="done")]
            assert whole(opened.log, "open").events == [event("open", 1), event("open", 2)]
        store.log.finish("open", [event("open", 3)], ended(begun("open"), outcome="cancelled"), BODY)
        assert store.log.unfinished() == []

    @needs("is_durable", "processes")
    def test_what_was_acknowledged_survives_a_kill(self, tmp_path: Path) -> None:
        def write_for_ever(place: Path, line: Line) -> None:
            store = self.make(place)
            for number in range(100_000):
                store.documents("task").put(task(f"t{number}", number=number), is_urgent=False)
                play(store.log, f"turn-{number}")
                line.say(number)

        for attempt in range(3):
            place = tmp_path / str(attempt)
            place.mkdir()
            with Child(partial(write_for_ever, place)) as child:
                for _ in range(5 + 3 * attempt):
                    child.hear()
                acknowledged = [4 + 3 * attempt, *child.kill()][-1] + 1
            store = self.open(place)
            tasks = ids(store.documents("task").find())
            assert tasks[:acknowledged] == [f"t{number}" for number in range(acknowledged)]
            assert len(tasks) <= acknowledged + 1
            turns = list(store.log.scan(TurnQuery(outcomes=("success",))))
            assert [turn.row["id"] for turn in turns][:acknowledged] == [f"turn-{n}" for n in range(acknowledged)]
            assert all(turn[1:3] == (events(str(turn.row["id"]), 1, 4), BODY) for turn in turns)
            play(store.log, "after")
            assert {problem.code for problem in store.check()} <= {"unfinished"}

    def _change_slowly(self, place: Path, line: Line) -> None:
        def hold(row: Row) -> Row:
            line.say("inside")
            line.hear()
            return more(row)

        self.make(place).documents("task").change("counter", hold)
        line.say("changed")

    @needs("is_durable", "processes")
    def test_a_process_killed_within_a_change_keeps_nobody_out(self, tmp_path: Path) -> None:
        self.open(tmp_path).documents("task").put({"id": "counter", "count": 0})
        self.close_all()
        with Child(partial(self._change_slowly, tmp_path)) as child:
            assert child.hear() == "inside"
            child.kill()
        store = self.open(tmp_path)
        assert store.documents("task").find() == [{"id": "counter", "count": 0}]
        assert store.documents("task").change("counter", more) == {"id": "counter", "count": 1}
        play(store.log)

    @needs("is_durable", "processes")
    def test_who_changes_a_row_waits_for_another_who_does(self, tmp_path: Path) -> None:
        self.open(tmp_path).documents("task").put({"id": "counter", "count": 0})
        self.close_all()

        def follow(line: Line) -> None:
            tasks = self.make(tmp_path).documents("task")
            line.say("about to")
            tasks.change("counter", more)

        with Child(partial(self._change_slowly, tmp_path)) as first, Child(follow) as last:
            assert first.hear() == "inside"
            assert last.hear() == "about to"
            first.say()
            assert first.rest() == ["changed"]
            assert last.rest() == []
        assert self.open(tmp_path).documents("task").find() == [{"id": "counter", "count": 2}]

    @needs("is_durable", "processes", "make_impatient")
    def test_whoever_meets_a_lock_is_told_so(self, tmp_path: Path) -> None:
        self.open(tmp_path).documents("task").put({"id": "counter", "count": 0})
        self.close_all()
        with Child(partial(self._change_slowly, tmp_path)) as child:
            assert child.hear() == "inside"
            store = self.make_impatient(tmp_path)
            self._opened.append((tmp_path, store))
            with refuses(code="locked"):
                store.documents("task").put({"id": "counter", "count": 9})
            with refuses(code="locked"):
                store.documents("task").change("counter", more)
            child.say()
            assert child.hear() == "changed"
        assert store.documents("task").find() == [{"id": "counter", "count": 1}]


def _is_right(row: Row, written: list[Row], body: Row) -> bool:
    if row["outcome"] == "running":
        return body == {} and len(written) < 4
    return body == BODY and written == events(str(row["id"]), 1, 4)
