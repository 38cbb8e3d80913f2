"""A durable store used by several processes at once, which may die at any moment."""
# ruff: noqa: D102, PLR2004, S101 - a test's name says which promise is broken

from __future__ import annotations

import os
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from lango_nb.stores.store import Row, TurnQuery
from lango_nb.testing.stores.checks import ids, is_refused, refuses
from lango_nb.testing.stores.children import Child, Line
from lango_nb.testing.stores.contract import StoreUnderTest, needs
from lango_nb.testing.stores.samples import BODY, begun, ended, event, events, play, task
from lango_nb.testing.stores.threads import more


class ProcessesContract(StoreUnderTest):
    """What a store promises to several processes."""

    def run_two(self, place: Path, work: str) -> list[object]:
        """Let two processes do what a method of this class does, at the same time, and return what they say."""
        with ExitStack() as stack:
            children = [stack.enter_context(Child(partial(self._ready, place, work))) for _ in range(2)]
            for child in children:
                child.hear()
            for name, child in zip("ab", children, strict=True):
                child.say(name)
            return [said for child in children for said in child.rest()]

    def _ready(self, place: Path, work: str, line: Line) -> None:
        line.say("ready")
        name = line.hear()
        getattr(self, work)(place, name, line)

    def _put_rows(self, place: Path, name: str, _: Line) -> None:
        tasks = self.make(place).documents("task")
        for number in range(200):
            tasks.put(task(f"{name}-{number}", by=name), is_urgent=number % 20 == 0)

    @needs("is_durable", "processes")
    def test_two_processes_put_four_hundred_rows(self, tmp_path: Path) -> None:
        self.run_two(tmp_path, "_put_rows")
        store = self.open(tmp_path)
        tasks = store.documents("task")
        assert len(tasks) == 400
        for name in "ab":
            assert ids(tasks.find({"by": name})) == [f"{name}-{number}" for number in range(200)]
        assert store.check() == []

    def _open_often(self, place: Path, name: str, _: Line) -> None:
        for number in range(15):
            store = self.make(place)
            store.documents("task").put(task(f"{name}-{number}", by=name))
            store.close()

    @needs("is_durable", "processes")
    def test_two_processes_open_and_close_a_new_store_again_and_again(self, tmp_path: Path) -> None:
        self.run_two(tmp_path, "_open_often")
        store = self.open(tmp_path)
        for name in "ab":
            found = ids(store.documents("task").find({"by": name}))
            assert found == [f"{name}-{number}" for number in range(15)]
        assert store.check() == []

    def _count(self, place: Path, _name: str, _: Line) -> None:
        tasks = self.make(place).documents("task")
        for number in range(100):
            tasks.change("counter", more, is_urgent=number % 10 == 0)

    @needs("is_durable", "processes")
    def test_a_counter_changed_by_two_processes_counts_every_change(self, tmp_path: Path) -> None:
        self.open(tmp_path).documents("task").put({"id": "counter", "count": 0})
        self.close_all()
        self.run_two(tmp_path, "_count")
        assert self.open(tmp_path).documents("task").find() == [{"id": "counter", "count": 200}]

    def _add(self, place: Path, name: str, line: Line) -> None:
        tasks = self.make(place).documents("task")
        for number in range(60):
            add = partial(tasks.add, task(f"t{number}", by=name), is_urgent=False)
            if not is_refused(add, code="conflict"):
                line.say(f"t{number} {name}")

    @needs("is_durable", "processes")
    def test_of_two_processes_that_add_one_id_one_succeeds(self, tmp_path: Path) -> None:
        said = self.run_two(tmp_path, "_add")
        rows = self.open(tmp_path).documents("task").find()
        assert sorted(str(word) for word in said) == sorted(f"{row['id']} {row['by']}" for row in rows)
        assert len(rows) == 60

    def _begin(self, place: Path, name: str, line: Line) -> None:
        log = self.make(place).log
        line.say([log.begin(begun(f"{name}-{number}", f"session-{number % 3}")) for number in range(50)])

    @needs("is_durable", "processes")
    def test_numbers_of_turns_are_given_once_in_all_processes(self, tmp_path: Path) -> None:
        given = self.run_two(tmp_path, "_begin")
        assert len(given) == 2
        assert all(isinstance(numbers, list) and numbers == sorted(numbers) for numbers in given)
        numbers = sorted(number for some in given if isinstance(some, list) for number in some)
        assert numbers == list(range(1, 101))
        log = self.open(tmp_path).log
        assert [row["number"] for row in log.rows()] == numbers
        for name, some in zip("ab", given, strict=True):
            assert [row["number"] for row in log.rows() if str(row["id"]).startswith(name)] == some

    def _play(self, place: Path, name: str, _: Line) -> None:
        log = self.make(place).log
        for number in range(30):
            key = f"{name}-{number}"
            log.begin(begun(key, text=f"wish {name}"), [event(key, 1)])
            for seq in (2, 3):
                log.write(key, [event(key, seq)])
            log.finish(key, [event(key, 4)], ended(begun(key, text=f"wish {name}")), {"of": key})

    @needs("is_durable", "processes")
    def test_two_processes_write_to_one_session(self, tmp_path: Path) -> None:
        self.run_two(tmp_path, "_play")
        store = self.open(tmp_path)
        turns = list(store.log.scan(TurnQuery(session="main")))
        assert [turn.row["number"] for turn in turns] == list(range(1, 61))
        for turn in turns:
            key = str(turn.row["id"])
            assert turn.events == [event(key, seq) for seq in range(1, 5)]
            assert turn.body == {"of": key}
            assert turn.row["outcome"] == "success"
        for name in "ab":
            found = ids(store.log.rows(TurnQuery(text=f"wish {name}")))
            assert found == [f"{name}-{number}" for number in range(30)]
        assert store.log.sessions()[0]["turns"] == 60
        assert store.check() == []

    def _finish(self, place: Path, name: str, line: Line) -> None:
        log = self.make(place).log
        for number in range(30):
            key = f"turn-{number}"
            row = ended(begun(key), answer=name)
            finish = partial(log.finish, key, [event(key, 1, name)], row, {"of": name})
            if not is_refused(finish, code="closed"):
                line.say([key, name])

    @needs("is_durable", "processes")
    def test_of_two_processes_that_finish_one_turn_one_succeeds(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        for number in range(30):
            log.begin(begun(f"turn-{number}"))
        self.close_all()
        said = self.run_two(tmp_path, "_finish")
        turns = list(self.open(tmp_path).log.scan())
        assert sorted(map(str, said)) == sorted(str([turn.row["id"], turn.row["answer"]]) for turn in turns)
        assert all(turn.body == {"of": turn.row["answer"]} for turn in turns)
        assert all([row["text"] for row in turn.events] == [turn.row["answer"]] for turn in turns)

    def _forget(self, place: Path, name: str, line: Line) -> None:
        log = self.make(place).log
        if name == "a":
            line.say(sum(log.remove([f"old-{number}", f"old-{number + 1}"]) for number in range(0, 30, 2)))
        else:
            line.say(len([play(log, f"new-{number}") for number in range(30)]))

    @needs("is_durable", "processes")
    def test_one_process_forgets_turns_while_another_writes_some(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        for number in range(30):
            play(log, f"old-{number}")
        self.close_all()
        assert self.run_two(tmp_path, "_forget") == [30, 30]
        store = self.open(tmp_path)
        assert ids(store.log.rows()) == [f"new-{number}" for number in range(30)]
        assert all(written == events(str(row["id"]), 1, 4) for row, written in store.log.events())
        assert store.check() == []

    @needs("is_durable", "processes")
    def test_a_reader_sees_what_another_process_writes(self, tmp_path: Path) -> None:
        def write(line: Line) -> None:
            store = self.make(tmp_path)
            for step in (
                lambda: store.documents("task").put(task("a")),
                lambda: store.log.begin(begun(), [event(seq=1)]),
                lambda: store.log.write("turn-1", [event(seq=2)]),
                lambda: store.log.finish("turn-1", [event(seq=3)], ended(begun()), BODY),
            ):
                line.hear()
                step()
                line.say("done")
            line.hear()

        with Child(write) as child:
            store = self.open(tmp_path)

            def step() -> None:
                child.say()
                assert child.hear() == "done"

            assert store.documents("task").find() == []
            step()
            assert store.documents("task").find() == [task("a")]
            for seq in (1, 2, 3):
                step()
                turn = store.log.read("turn-1")
                assert turn is not None
                assert [row["seq"] for row in turn.events] == list(range(1, seq + 1))
                assert turn.row["outcome"] == ("success" if seq == 3 else "running")
                assert turn.body == (BODY if seq == 3 else {})

    @needs("is_durable", "processes")
    def test_what_was_written_survives_a_process_that_ends_without_closing(self, tmp_path: Path) -> None:
        def write(_: Line) -> None:
            store = self.make(tmp_path)
            store.documents("task").put(task("a"), is_urgent=False)
            store.documents("task").add(task("b"), is_urgent=False)
            store.documents("task").change("a", lambda row: {**row, "status": "done"}, is_urgent=False)
            store.log.begin(begun(), [event(seq=1)])
            store.log.write("turn-1", [event(seq=2)])
            os._exit(1)

        with Child(write) as child:
            assert child.rest() == []
        store = self.open(tmp_path)
        assert store.documents("task").find() == [task("a", status="done"), task("b")]
        turn = store.log.read("turn-1")
        assert turn is not None
        assert [row["seq"] for row in turn.events] == [1, 2]
        assert ids(store.log.unfinished()) == ["turn-1"]

    @needs("is_durable", "processes")
    def test_what_was_acknowledged_survives_a_kill(self, tmp_path: Path) -> None:
        for attempt in range(3):
            place = tmp_path / str(attempt)
            place.mkdir()
            with Child(partial(self._write_for_ever, place)) as child:
                for _ in range(5 + 3 * attempt):
                    acknowledged = child.hear()
                acknowledged = [acknowledged, *child.kill()][-1]
            store = self.open(place)
            tasks = store.documents("task").find()
            assert ids(tasks)[: acknowledged + 1] == [f"t{number}" for number in range(acknowledged + 1)]
            assert len(tasks) <= acknowledged + 2
            turns = [turn for turn in store.log.scan() if turn.row["outcome"] == "success"]
            assert [turn.row["id"] for turn in turns][: acknowledged + 1] == [
                f"turn-{number}" for number in range(acknowledged + 1)
            ]
            assert all(turn.events == events(str(turn.row["id"]), 1, 4) for turn in turns)
            assert all(turn.body == BODY for turn in turns)
            store.documents("task").put(task("after"))
            play(store.log, "after")
            assert [problem for problem in store.check() if problem.code not in {"unfinished", "torn"}] == []

    def _write_for_ever(self, place: Path, line: Line) -> None:
        store = self.make(place)
        for number in range(100_000):
            store.documents("task").put(task(f"t{number}", number=number), is_urgent=False)
            play(store.log, f"turn-{number}")
            line.say(number)

    def _change_slowly(self, place: Path, line: Line) -> None:
        def hold(row: Row) -> Row:
            line.say("inside")
            line.hear()
            return {**row, "status": "done by the child"}

        self.make(place).documents("task").change("a", hold)
        line.say("changed")

    @needs("is_durable", "processes")
    def test_a_process_killed_within_a_change_keeps_nobody_out(self, tmp_path: Path) -> None:
        self.open(tmp_path).documents("task").put(task("a"), task("b"))
        self.close_all()
        with Child(partial(self._change_slowly, tmp_path)) as child:
            assert child.hear() == "inside"
            child.kill()
        store = self.open(tmp_path)
        assert store.documents("task").find() == [task("a"), task("b")]
        store.documents("task").change("a", lambda row: {**row, "status": "done"})
        assert ids(store.documents("task").find({"status": "done"})) == ["a"]
        play(store.log)

    @needs("is_durable", "processes")
    def test_who_changes_a_row_waits_for_another_who_does(self, tmp_path: Path) -> None:
        self.open(tmp_path).documents("task").put({"id": "counter", "count": 0})
        self.close_all()

        def hold(line: Line) -> None:
            def count(row: Row) -> Row:
                line.say("inside")
                line.hear()
                return more(row)

            self.make(tmp_path).documents("task").change("counter", count)

        def follow(line: Line) -> None:
            tasks = self.make(tmp_path).documents("task")
            line.say("about to")
            tasks.change("counter", more)

        with Child(hold) as first, Child(follow) as last:
            assert first.hear() == "inside"
            assert last.hear() == "about to"
            first.say()
            assert first.rest() == []
            assert last.rest() == []
        assert self.open(tmp_path).documents("task").find() == [{"id": "counter", "count": 2}]

    @needs("is_durable", "processes", "make_impatient")
    def test_whoever_meets_a_lock_is_told_so(self, tmp_path: Path) -> None:
        self.open(tmp_path).documents("task").put(task("a"))
        self.close_all()
        with Child(partial(self._change_slowly, tmp_path)) as child:
            assert child.hear() == "inside"
            store = self.make_impatient(tmp_path)
            self._opened.append((tmp_path, store))
            with refuses(code="locked"):
                store.documents("task").put(task("a", status="done by the test"))
            with refuses(code="locked"):
                store.documents("task").change("a", lambda row: {**row, "status": "done by the test"})
            child.say()
            assert child.hear() == "changed"
        assert store.documents("task").find() == [task("a", status="done by the child")]
        store.documents("task").put(task("a", status="done by the test"))
        assert self.reopen(tmp_path).documents("task").find() == [task("a", status="done by the test")]
