"""Everything may be called from any thread: nothing is lost, counted twice, or seen half done."""
# ruff: noqa: D102, PLR2004, S101 - a test's name says which promise is broken

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from lango_nb.stores.store import Row, Store, TurnQuery
from lango_nb.testing.stores.checks import at_once, ids, is_refused
from lango_nb.testing.stores.contract import StoreUnderTest
from lango_nb.testing.stores.samples import begun, document, ended, event, events, play, task

THREADS = 8


def more(row: Row) -> Row:
    """Count one more."""
    return {**row, "count": int(str(row["count"])) + 1}


def each(work: Callable[[int], object]) -> list[Callable[[], object]]:
    """Return one piece of work for each thread."""
    return [partial(work, thread) for thread in range(THREADS)]


class ThreadsContract(StoreUnderTest):
    """What a store promises to many threads at once."""

    def test_rows_added_by_many_threads_are_all_there(self, tmp_path: Path) -> None:
        tasks = self.open(tmp_path).documents("task")

        def add(thread: int) -> None:
            for number in range(25):
                tasks.add(task(f"{thread}-{number}", thread=thread), is_urgent=False)

        at_once(*each(add))
        assert len(tasks) == THREADS * 25
        for thread in range(THREADS):
            assert ids(tasks.find({"thread": thread})) == [f"{thread}-{number}" for number in range(25)]

    def test_of_threads_that_add_one_id_one_succeeds(self, tmp_path: Path) -> None:
        tasks = self.open(tmp_path).documents("task")
        for number in range(10):
            refused = at_once(
                *each(lambda thread: is_refused(lambda: tasks.add(task(f"t{number}", thread=thread))))  # noqa: B023
            )
            assert refused.count(False) == 1
            found = tasks.get(f"t{number}")
            assert found is not None
            assert found["thread"] == refused.index(False)
        assert len(tasks) == 10

    def test_a_counter_changed_by_many_threads_counts_every_change(self, tmp_path: Path) -> None:
        tasks = self.open(tmp_path).documents("task")
        tasks.put({"id": "counter", "count": 0}, {"id": "other", "count": 0})

        def count(_: int) -> None:
            for _ in range(50):
                tasks.change("counter", more)

        at_once(*each(count))
        assert tasks.get("counter") == {"id": "counter", "count": 400}
        assert tasks.get("other") == {"id": "other", "count": 0}

    def test_changes_of_different_rows_do_not_disturb_each_other(self, tmp_path: Path) -> None:
        tasks = self.open(tmp_path).documents("task")
        tasks.put(*(document(f"t{thread}", count=0) for thread in range(THREADS)))

        def count(thread: int) -> None:
            for _ in range(25):
                tasks.change(f"t{thread}", more, is_urgent=False)

        at_once(*each(count))
        assert tasks.find() == [{"id": f"t{thread}", "count": 25} for thread in range(THREADS)]

    def test_rows_put_together_are_seen_together(self, tmp_path: Path) -> None:
        tasks = self.open(tmp_path).documents("task")
        tasks.put({"id": "a", "count": 0}, {"id": "b", "count": 0})

        def put() -> list[Row]:
            for number in range(1, 101):
                tasks.put({"id": "a", "count": number}, {"id": "b", "count": number}, is_urgent=False)
            return []

        def look() -> list[Row]:
            torn = []
            for _ in range(200):
                first, last = tasks.find()
                torn += [] if first["count"] == last["count"] else [first, last]
            return torn

        assert at_once(put, look, look) == [[], [], []]

    def test_a_row_removed_by_many_threads_is_counted_once(self, tmp_path: Path) -> None:
        tasks = self.open(tmp_path).documents("task")
        keys = [f"t{number}" for number in range(40)]
        tasks.put(*map(task, keys))
        counts = at_once(*(partial(tasks.remove, *keys) for _ in range(4)))
        assert sum(counts) == 40
        assert len(tasks) == 0

    def test_documents_of_a_kind_are_one_object_for_all_threads(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        found = at_once(*each(lambda _: store.documents("task")))
        assert all(documents is found[0] for documents in found)

    def test_turns_begun_by_many_threads_have_numbers_of_their_own(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log

        def begin(thread: int) -> list[int]:
            return [log.begin(begun(f"{thread}-{number}", f"session-{number % 3}")) for number in range(15)]

        given = at_once(*(partial(begin, thread) for thread in range(THREADS)))
        numbers = sorted(number for some in given for number in some)
        assert numbers == list(range(1, THREADS * 15 + 1))
        assert all(some == sorted(some) for some in given), "they grow"
        assert [row["number"] for row in log.rows()] == numbers
        by_id = {str(row["id"]): row["number"] for row in log.rows()}
        assert [[by_id[f"{thread}-{number}"] for number in range(15)] for thread in range(THREADS)] == given

    def test_of_threads_that_begin_one_turn_one_succeeds(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        for number in range(10):
            key = f"turn-{number}"
            refused = at_once(*each(partial(self._is_begin_refused, log.begin, key)))
            assert refused.count(False) == 1
        assert log.count() == 10
        assert [len(written) for _, written in log.events()] == [1] * 10

    @staticmethod
    def _is_begin_refused(begin: Callable[[Row, list[Row]], int], key: str, thread: int) -> bool:
        return is_refused(lambda: begin(begun(key, f"session-{thread}"), [event(key, thread)]))

    def test_events_written_by_many_threads_are_all_there_and_in_order(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun())

        def write(thread: int) -> None:
            for number in range(20):
                log.write("turn-1", [event(seq=2 * number + part, author=f"a{thread}") for part in (0, 1)])

        at_once(*each(write))
        turn = log.read("turn-1")
        assert turn is not None
        assert len(turn.events) == THREADS * 40
        for thread in range(THREADS):
            assert [row["seq"] for row in turn.events if row["author"] == f"a{thread}"] == list(range(40))
        pairs = zip(turn.events[::2], turn.events[1::2], strict=True)
        assert all(first["author"] == last["author"] for first, last in pairs), "what is written at once stays together"

    def test_of_threads_that_finish_one_turn_one_succeeds(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        for number in range(10):
            key = f"turn-{number}"
            log.begin(begun(key))
            refused = at_once(*each(partial(self._is_finish_refused, log.finish, key)))
            assert refused.count(False) == 1
            winner, turn = refused.index(False), log.read(key)
            assert turn is not None
            assert turn.row["answer"] == f"of {winner}"
            assert turn.body == {"of": winner}
            assert [row["seq"] for row in turn.events] == [winner]

    @staticmethod
    def _is_finish_refused(finish: Callable[..., None], key: str, thread: int) -> bool:
        row = ended(begun(key), answer=f"of {thread}")
        return is_refused(lambda: finish(key, [event(key, thread)], row, {"of": thread}))

    def test_turns_of_one_session_played_by_many_threads(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        at_once(*each(lambda thread: [play(log, f"{thread}-{number}") for number in range(6)]))
        assert log.count(TurnQuery(session="main")) == THREADS * 6
        assert log.sessions()[0]["turns"] == THREADS * 6
        for row, written in log.events():
            assert written == events(str(row["id"]), 1, 4)

    def test_a_reader_sees_turns_whole_or_still_running(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log

        def write() -> list[str]:
            for number in range(40):
                play(log, f"turn-{number}")
            return []

        def look() -> list[str]:
            return [
                found
                for _ in range(12)
                for turn in log.scan()
                if (found := _half(turn.row, len(turn.events), turn.body))
            ]

        assert at_once(write, look, look) == [[], [], []]

    def test_writing_goes_on_while_turns_are_forgotten(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        for number in range(40):
            play(log, f"old-{number}")

        def forget() -> int:
            return sum(log.remove([f"old-{number}"]) for number in range(40))

        def write() -> int:
            return len([play(log, f"new-{number}") for number in range(30)])

        assert at_once(forget, write) == [40, 30]
        assert ids(log.rows()) == [f"new-{number}" for number in range(30)]
        assert all(written == events(str(row["id"]), 1, 4) for row, written in log.events())

    def test_documents_and_turns_at_the_same_time(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)

        def work(thread: int) -> None:
            for number in range(6):
                key = f"{thread}-{number}"
                store.log.begin(begun(key, f"session-{thread % 2}"))
                store.documents("run").put({"id": key, "status": "running"}, is_urgent=False)
                store.log.write(key, [event(key, 1)], is_urgent=number % 2 == 0)
                store.documents("run").change(key, lambda row: {**row, "status": "completed"}, is_urgent=False)
                store.log.finish(key, [event(key, 2)], ended(begun(key, f"session-{thread % 2}")), {"of": key})

        at_once(*each(work))
        _holds_everything(store, THREADS * 6)
        if self.is_durable:
            _holds_everything(self.reopen(tmp_path), THREADS * 6)


def _half(row: Row, events_there: int, body: Row) -> str:
    if row["outcome"] == "running":
        return "" if not body and events_there < 4 else f"{row['id']} is open with {events_there} events and {body}"
    return "" if body and events_there == 4 else f"{row['id']} has ended with {events_there} events and {body}"


def _holds_everything(store: Store, count: int) -> None:
    assert len(store.documents("run").find({"status": "completed"})) == count
    turns = list(store.log.scan(TurnQuery(outcomes=("success",))))
    assert len(turns) == count
    assert all([row["seq"] for row in turn.events] == [1, 2] for turn in turns)
    assert all(turn.body == {"of": turn.row["id"]} for turn in turns)
