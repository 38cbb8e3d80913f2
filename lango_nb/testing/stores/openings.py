"""A store that is open twice at the same time, in one process: each sees what the other wrote."""
# ruff: noqa: D102, PLR2004, S101 - a test's name says which promise is broken

from __future__ import annotations

from functools import partial
from pathlib import Path

from lango_nb.stores.store import Documents
from lango_nb.testing.stores.checks import at_once, ids, parts, refuses
from lango_nb.testing.stores.contract import StoreUnderTest, needs
from lango_nb.testing.stores.samples import BODY, begun, ended, event, play, task
from lango_nb.testing.stores.threads import more


class OpeningsContract(StoreUnderTest):
    """What two openings promise each other."""

    @needs("is_durable", "processes")
    def test_each_opening_sees_the_documents_of_the_other(self, tmp_path: Path) -> None:
        one, other = self.open(tmp_path).documents("task"), self.open(tmp_path).documents("task")
        one.put(task("a"))
        assert other.get("a") == task("a")
        other.put(task("b"), task("a", "changed"))
        assert one.find() == [task("a", "changed"), task("b")]
        assert one.remove("a") == 1
        assert other.get("a") is None
        assert (len(one), len(other)) == (1, 1)
        other.change("b", lambda row: {**row, "status": "done"})
        assert ids(one.find({"status": "done"})) == ["b"]

    @needs("is_durable", "processes")
    def test_what_is_not_urgent_is_seen_by_the_other_too(self, tmp_path: Path) -> None:
        one, other = self.open(tmp_path).documents("task"), self.open(tmp_path).documents("task")
        one.put(task("a"), is_urgent=False)
        assert other.get("a") == task("a")

    @needs("is_durable", "processes")
    def test_an_id_is_taken_whoever_added_it(self, tmp_path: Path) -> None:
        one, other = self.open(tmp_path), self.open(tmp_path)
        other.documents("task").find()
        one.documents("task").add(task("a"))
        with refuses("a", code="conflict"):
            other.documents("task").add(task("a", "another"))
        one.log.begin(begun())
        with refuses("turn-1", code="conflict"):
            other.log.begin(begun())
        assert one.documents("task").find() == other.documents("task").find() == [task("a")]

    @needs("is_durable", "processes")
    def test_a_change_is_made_to_what_the_other_wrote_last(self, tmp_path: Path) -> None:
        one, other = self.open(tmp_path).documents("task"), self.open(tmp_path).documents("task")
        one.put({"id": "counter", "count": 0})
        for _ in range(10):
            one.change("counter", more)
            other.change("counter", more)
        assert one.get("counter") == other.get("counter") == {"id": "counter", "count": 20}

    @needs("is_durable", "processes")
    def test_openings_used_by_threads_lose_no_change(self, tmp_path: Path) -> None:
        one, other = self.open(tmp_path).documents("task"), self.open(tmp_path).documents("task")
        one.put({"id": "counter", "count": 0})

        def count(documents: Documents) -> None:
            for _ in range(25):
                documents.change("counter", more, is_urgent=False)

        at_once(*(partial(count, documents) for documents in (one, other, one, other)))
        assert one.get("counter") == other.get("counter") == {"id": "counter", "count": 100}

    @needs("is_durable", "processes")
    def test_turns_are_numbered_together(self, tmp_path: Path) -> None:
        one, other = self.open(tmp_path).log, self.open(tmp_path).log
        numbers = [log.begin(begun(f"turn-{place}")) for place, log in enumerate((one, other, other, one))]
        assert numbers == [1, 2, 3, 4]
        assert one.rows() == other.rows()
        assert len(one.rows()) == 4

    @needs("is_durable", "processes")
    def test_an_open_turn_is_seen_while_it_is_written(self, tmp_path: Path) -> None:
        one, other = self.open(tmp_path).log, self.open(tmp_path).log
        assert other.rows() == []
        one.begin(begun(), [event(seq=1)])
        for seq in (2, 3):
            one.write("turn-1", [event(seq=seq)])
            turn = other.read("turn-1")
            assert turn is not None
            assert [row["seq"] for row in turn.events] == list(range(1, seq + 1))
            assert turn.row["outcome"] == "running"
        one.finish("turn-1", [event(seq=4)], ended(begun()), BODY)
        assert parts(other.read("turn-1")) == parts(one.read("turn-1"))
        assert other.rows() == one.rows()
        assert other.sessions() == one.sessions()

    @needs("is_durable", "processes")
    def test_two_openings_write_to_one_session(self, tmp_path: Path) -> None:
        one, other = self.open(tmp_path).log, self.open(tmp_path).log
        one.begin(begun("a"), [event("a", 1)])
        other.begin(begun("b"), [event("b", 1)])
        for seq in range(2, 6):
            one.write("a", [event("a", seq)])
            other.write("b", [event("b", seq)], is_urgent=True)
        other.finish("b", [event("b", 6)], ended(begun("b")), {"of": "b"})
        one.finish("a", [event("a", 6)], ended(begun("a")), {"of": "a"})
        for log in (one, other):
            for key in ("a", "b"):
                turn = log.read(key)
                assert turn is not None
                assert turn.events == [event(key, seq) for seq in range(1, 7)]
                assert turn.body == {"of": key}

    @needs("is_durable", "processes")
    def test_a_turn_can_be_written_to_and_closed_by_the_other(self, tmp_path: Path) -> None:
        one, other = self.open(tmp_path).log, self.open(tmp_path).log
        one.begin(begun(), [event(seq=1)])
        other.write("turn-1", [event(seq=2)])
        one.write("turn-1", [event(seq=3)])
        other.finish("turn-1", [event(seq=4)], ended(begun()), BODY)
        with refuses("turn-1", code="closed"):
            one.finish("turn-1", [], ended(begun()), {})
        one.write("turn-1", [event(seq=5)])
        for log in (one, other):
            turn = log.read("turn-1")
            assert turn is not None
            assert [row["seq"] for row in turn.events] == [1, 2, 3, 4, 5]
            assert turn.body == BODY

    @needs("is_durable", "processes")
    def test_a_turn_removed_by_the_other_is_gone(self, tmp_path: Path) -> None:
        one, other = self.open(tmp_path).log, self.open(tmp_path).log
        play(one, "a")
        play(one, "b")
        kept = parts(other.read("b"))
        assert other.remove(["a"]) == 1
        assert one.read("a") is None
        assert ids(one.rows()) == ["b"]
        assert [turn.row["id"] for turn in one.scan()] == ["b"]
        assert parts(one.read("b")) == kept
        with refuses("a", code="unknown"):
            one.write("a", [event("a", 9)])
        play(one, "c")
        assert ids(other.rows()) == ["b", "c"]

    @needs("is_durable", "processes")
    def test_closing_one_leaves_the_other_open(self, tmp_path: Path) -> None:
        one, other = self.open(tmp_path), self.open(tmp_path)
        one.documents("task").put(task("a"))
        other.log.begin(begun())
        one.close()
        other.documents("task").put(task("b"))
        other.log.finish("turn-1", [event(seq=1)], ended(begun()), BODY)
        assert ids(other.documents("task").find()) == ["a", "b"]
        again = self.open(tmp_path)
        assert ids(again.documents("task").find()) == ["a", "b"]
        assert again.log.rows() == other.log.rows()

    @needs("is_durable", "processes")
    def test_a_store_that_is_open_twice_is_in_order(self, tmp_path: Path) -> None:
        one, other = self.open(tmp_path), self.open(tmp_path)
        for number in range(5):
            play(one.log, f"a-{number}")
            play(other.log, f"b-{number}")
            one.documents("task").put(task(f"a-{number}"))
            other.documents("task").put(task(f"b-{number}"))
        for store in (one, other):
            assert store.check() == []
            assert store.problems == []
