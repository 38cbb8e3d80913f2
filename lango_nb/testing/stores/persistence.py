"""A durable store that is closed and opened again holds everything as it was."""
# ruff: noqa: D102, PLR2004, S101 - a test's name says which promise is broken

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from lango_nb.stores.store import Store, TurnQuery
from lango_nb.testing.stores.checks import ids, letters, refuses
from lango_nb.testing.stores.contract import StoreUnderTest, needs
from lango_nb.testing.stores.samples import BODY, START, begun, ended, event, events, play, task

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
    found: list[object] = [
        tasks.find(),
        memories.find(),
        len(tasks),
        tasks.find({"odd": 1}),
        tasks.find(newest_first=True),
    ]
    found += [log.sessions(), log.count()]
    for query in QUERIES:
        turns = list(log.scan(query))
        found.append([[log.rows(query), log.count(query)], [[turn.row, turn.events, turn.body] for turn in turns]])
        found.append([[row, written] for row, written in log.events(query)])
    for number in range(13):
        turn = log.read(f"turn-{number}")
        found.append([turn.row, turn.events, turn.body] if turn else None)
    return [letters(part) for part in found]


class PersistenceContract(StoreUnderTest):
    """What a durable store promises to whoever opens it again."""

    @needs("is_durable")
    def test_everything_is_as_it_was(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        _fill(store)
        before = _everything(store)
        for _ in range(3):
            store = self.reopen(tmp_path)
            assert _everything(store) == before

    @needs("is_durable", "processes")
    def test_a_second_opening_sees_everything_the_first_sees(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        early = self.open(tmp_path)
        early.documents("task").find(), early.log.rows()
        _fill(store)
        before = _everything(store)
        assert _everything(early) == before, "one that was open already"
        assert _everything(self.open(tmp_path)) == before, "and one that was not"

    @needs("is_durable")
    def test_a_store_that_was_closed_in_order_has_no_problems(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        _fill(store)
        store.log.finish("turn-11", [], ended(begun("turn-11", "three")), {})
        assert store.check() == []
        store = self.reopen(tmp_path)
        assert store.problems == []
        assert store.check() == []
        assert store.log.unfinished() == []

    @needs("is_durable")
    def test_an_empty_store_can_be_opened_again(self, tmp_path: Path) -> None:
        self.open(tmp_path)
        store = self.reopen(tmp_path)
        assert store.documents("task").find() == []
        assert store.log.rows() == []
        assert store.problems == []
        store.documents("task").put(task("a"))
        store.documents("task").remove("a")
        assert self.reopen(tmp_path).documents("task").find() == []

    @needs("is_durable")
    def test_looking_writes_nothing(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        store.documents("task").find(), store.documents("task").get("a"), len(store.documents("task"))
        store.log.rows(), store.log.read("a"), list(store.log.scan()), list(store.log.events()), store.log.count()
        store.log.sessions(), store.log.unfinished(), store.check()
        store.close()
        assert list(tmp_path.rglob("*")) == []

    @needs("is_durable")
    def test_what_was_written_is_there_after_closing_urgent_or_not(self, tmp_path: Path) -> None:
        for number in range(6):
            store = self.open(tmp_path)
            store.documents("task").put(task(f"t{number}"), is_urgent=number % 2 == 0)
            store.log.begin(begun(f"turn-{number}"), [event(f"turn-{number}")])
            store.log.write(f"turn-{number}", [event(f"turn-{number}", 2)])
            store.close()
        store = self.open(tmp_path)
        assert ids(store.documents("task").find()) == [f"t{number}" for number in range(6)]
        assert [len(written) for _, written in store.log.events()] == [2] * 6

    @needs("is_durable")
    def test_what_was_synced_is_there(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        store.sync()
        store.documents("task").put(task("a"), is_urgent=False)
        store.log.begin(begun(), [event()])
        store.sync()
        store = self.reopen(tmp_path)
        assert store.documents("task").find() == [task("a")]
        assert ids(store.log.rows()) == ["turn-1"]

    @needs("is_durable")
    def test_numbering_goes_on(self, tmp_path: Path) -> None:
        numbers = []
        for number in range(5):
            log = self.reopen(tmp_path).log
            numbers.append(log.begin(begun(f"turn-{number}")))
            if number % 2:
                log.finish(f"turn-{number}", [], ended(begun(f"turn-{number}")), {})
        assert numbers == [1, 2, 3, 4, 5]

    @needs("is_durable")
    def test_the_order_of_rows_goes_on(self, tmp_path: Path) -> None:
        for key in ("c", "a", "d", "b"):
            self.reopen(tmp_path).documents("task").put(task(key))
        self.reopen(tmp_path).documents("task").put(task("a", "replaced"))
        self.reopen(tmp_path).documents("task").remove("c")
        self.reopen(tmp_path).documents("task").add(task("c"))
        tasks = self.reopen(tmp_path).documents("task")
        assert ids(tasks.find()) == ["a", "d", "b", "c"]
        assert ids(tasks.find(newest_first=True, limit=2)) == ["c", "b"]

    @needs("is_durable")
    def test_an_open_turn_can_be_closed_by_the_next_opening(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun(), [event(seq=1)])
        log.write("turn-1", [event(seq=2)])
        log = self.reopen(tmp_path).log
        assert log.rows() == [{**begun(), "number": 1, "outcome": "running"}]
        log.write("turn-1", [event(seq=3)], is_urgent=True)
        log.finish("turn-1", [event(seq=4)], ended(begun(), outcome="cancelled"), BODY)
        turn = self.reopen(tmp_path).log.read("turn-1")
        assert turn is not None
        assert [row["seq"] for row in turn.events] == [1, 2, 3, 4]
        assert turn.row == {**ended(begun(), outcome="cancelled"), "number": 1}
        assert turn.body == BODY

    @needs("is_durable")
    def test_what_ended_stays_ended(self, tmp_path: Path) -> None:
        play(self.open(tmp_path).log)
        log = self.reopen(tmp_path).log
        with refuses("turn-1", code="closed"):
            log.finish("turn-1", [], ended(begun()), {})
        with refuses("turn-1", code="conflict"):
            log.begin(begun())
        log.write("turn-1", [event(seq=5)])
        turn = self.reopen(tmp_path).log.read("turn-1")
        assert turn is not None
        assert turn.events == [*events("turn-1", 1, 4), event(seq=5)]

    @needs("is_durable")
    def test_ids_stay_taken(self, tmp_path: Path) -> None:
        self.open(tmp_path).documents("task").add(task("a"))
        tasks = self.reopen(tmp_path).documents("task")
        with refuses("a", code="conflict"):
            tasks.add(task("a", "another"))
        assert self.reopen(tmp_path).documents("task").find() == [task("a")]

    @needs("is_durable")
    def test_many_changes_and_removals_leave_the_last(self, tmp_path: Path) -> None:
        tasks = self.open(tmp_path).documents("task")
        for number in range(400):
            tasks.put(task(f"t{number % 20}", "x" * 300, number=number), is_urgent=False)
            if number % 3 == 0:
                tasks.remove(f"t{number % 20}")
        before = letters(tasks.find())
        tasks = self.reopen(tmp_path).documents("task")
        assert letters(tasks.find()) == before
        tasks.put(task("new"))
        assert ids(self.reopen(tmp_path).documents("task").find())[-1] == "new"

    @needs("is_durable")
    def test_ten_thousand_rows_and_a_megabyte(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        rows = [task(f"t{number}", number=number) for number in range(10_000)]
        store.documents("task").put(*rows)
        store.documents("memory").put({"id": "large", "text": "0123456789abcdef" * 65_536})
        store = self.reopen(tmp_path)
        assert store.documents("task").find() == rows
        found = store.documents("memory").get("large")
        assert found is not None
        assert found["text"] == "0123456789abcdef" * 65_536

    @needs("is_durable")
    def test_other_openings_before_and_after_do_not_matter(self, tmp_path: Path) -> None:
        _fill(self.open(tmp_path))
        log = self.reopen(tmp_path).log
        log.remove([f"turn-{number}" for number in range(0, 11, 2)])
        play(log, "new", "two")
        store = self.reopen(tmp_path)
        assert ids(store.log.rows()) == ["turn-3", "turn-5", "turn-7", "turn-9", "turn-11", "new"]
        assert [(row["id"], row["turns"]) for row in store.log.sessions()] == [("one", 2), ("three", 2), ("two", 2)]
        assert [len(written) for _, written in store.log.events()] == [4, 4, 4, 4, 3, 4]
        assert store.check() == [problem for problem in store.check() if problem.code == "unfinished"]
