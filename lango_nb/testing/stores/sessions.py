"""Sessions as their turns make them, tokens that tell whether somebody wrote, and turns that are forgotten."""
# ruff: noqa: D102, PLR2004, S101 - a test's name says which promise is broken

from __future__ import annotations

from pathlib import Path

from lango_nb.stores.store import TurnQuery
from lango_nb.testing.stores.checks import ids, parts, refuses
from lango_nb.testing.stores.contract import StoreUnderTest, needs
from lango_nb.testing.stores.samples import BODY, at, begun, ended, event, events, play

NAMES = (
    "main", "Main", "MAIN", "a/b", "../a", "..", ".", "a\\b", "/etc/passwd", "con", "a b", " a", "a ", "a.b", "a.jsonl",
    "ä", "a\u0308", "漢字", "😀", "a\nb", "%", "'", '"', "*", "index", "documents", "s" * 300, "ß" * 200, "~", "$HOME",
    "a%2Fb", "-rf", "NUL", "turns", "writers", "x.lock",
)  # fmt: skip
"""Names of sessions a person may think of, alike on purpose."""


class SessionsContract(StoreUnderTest):
    """What ``sessions``, ``version`` and ``remove`` promise."""

    def test_without_turns_there_are_no_sessions(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        assert log.sessions() == []
        assert log.rows() == []
        assert log.count() == 0
        assert list(log.scan()) == []
        assert list(log.events()) == []
        assert log.unfinished() == []

    def test_a_session_is_told_by_its_first_and_latest_turn(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        play(log, "a", text="Water the plants", seconds=1)
        play(log, "b", text="and the trees", seconds=2)
        play(log, "c", text="that is all", seconds=3)
        assert log.sessions() == [
            {"id": "main", "turns": 3, "created_at": at(1), "last_at": at(3), "title": "Water the plants"}
        ]

    def test_sessions_come_in_the_order_of_their_creation(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        for place, session in enumerate(("b", "a", "c", "a", "b", "b")):
            play(log, f"turn-{place}", session, seconds=place)
        assert [(row["id"], row["turns"], row["created_at"], row["last_at"]) for row in log.sessions()] == [
            ("b", 3, at(0), at(5)),
            ("a", 2, at(1), at(3)),
            ("c", 1, at(2), at(2)),
        ]

    def test_first_and_latest_are_those_of_the_lowest_and_highest_number(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        for key, session, seconds in (("a", "x", 50), ("b", "y", 10), ("c", "x", 20), ("d", "x", 30)):
            log.begin(begun(key, session, f"title {key}", seconds))
        assert log.sessions() == [
            {"id": "x", "turns": 3, "created_at": at(50), "last_at": at(30), "title": "title a"},
            {"id": "y", "turns": 1, "created_at": at(10), "last_at": at(10), "title": "title b"},
        ]

    def test_an_open_turn_counts(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun(text="still at it", seconds=7))
        assert log.sessions() == [
            {"id": "main", "turns": 1, "created_at": at(7), "last_at": at(7), "title": "still at it"}
        ]

    def test_sessions_may_have_any_name_and_do_not_mix(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        for place, session in enumerate(NAMES):
            play(store.log, f"turn-{place}", session, text=f"wish {place}")
        for opened in self.now_and_later(tmp_path, store):
            assert ids(opened.log.sessions()) == list(NAMES)
            assert [row["title"] for row in opened.log.sessions()] == [f"wish {place}" for place in range(len(NAMES))]
            for place, session in enumerate(NAMES):
                found = list(opened.log.events(TurnQuery(session=session)))
                assert [row["id"] for row, _ in found] == [f"turn-{place}"], session
                assert found[0][1] == events(f"turn-{place}", 1, 4)
                turn = opened.log.read(f"turn-{place}")
                assert turn is not None
                assert turn.events == events(f"turn-{place}", 1, 4)

    def test_nothing_is_written_outside_of_the_place(self, tmp_path: Path) -> None:
        beside = tmp_path / "beside"
        inside = tmp_path / "a" / "b" / "c"
        beside.mkdir()
        inside.mkdir(parents=True)
        store = self.open(inside)
        for place, session in enumerate(("../../beside/x", str(beside / "y"), "..", "../..", "../x")):
            play(store.log, f"turn-{place}", session)
        store.close()
        outside = [path for path in tmp_path.rglob("*") if inside not in (path, *path.parents)]
        assert sorted(outside) == [tmp_path / "a", tmp_path / "a" / "b", beside]

    def test_removed_turns_are_gone_with_all_their_events(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        for key in ("a", "b", "c"):
            play(log, key)
        kept = parts(log.read("b"))
        assert log.remove(["a", "c"]) == 2
        assert log.read("a") is None
        assert ids(log.rows()) == ["b"]
        assert log.count() == 1
        assert [(row["id"], written) for row, written in log.events()] == [("b", events("b", 1, 4))]
        assert [turn.row["id"] for turn in log.scan()] == ["b"]
        assert parts(log.read("b")) == kept

    def test_open_and_unknown_turns_are_left_alone(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        play(log, "a")
        log.begin(begun("b"), [event("b")])
        assert log.remove(["a", "b", "c", ""]) == 1
        assert log.remove(["a"]) == 0
        assert log.remove([]) == 0
        log.finish("b", [event("b", 2)], ended(begun("b")), BODY)
        turn = log.read("b")
        assert turn is not None
        assert len(turn.events) == 2
        assert log.remove(["b"]) == 1

    def test_a_turn_named_twice_is_removed_and_counted_once(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        play(log, "a")
        play(log, "b")
        assert log.remove(["a", "a", "a"]) == 1
        assert ids(log.rows()) == ["b"]

    def test_any_collection_names_turns(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        for key in ("a", "b", "c", "d", "e"):
            play(log, key)
        assert log.remove({"a"}) == 1
        assert log.remove(("b",)) == 1
        assert log.remove({"c": 1}.keys()) == 1
        assert log.remove(frozenset("d")) == 1
        assert ids(log.rows()) == ["e"]

    def test_forty_thousand_turns_can_be_named_at_once(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        for key in ("a", "turn-7", "turn-39999"):
            play(log, key)
        assert log.remove([f"turn-{number}" for number in range(40_000)]) == 2
        assert ids(log.rows()) == ["a"]

    def test_a_removed_turn_cannot_be_written_to(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        play(log)
        log.remove(["turn-1"])
        with refuses("turn-1", code="unknown"):
            log.write("turn-1", [event(seq=5)])
        with refuses("turn-1", code="unknown"):
            log.finish("turn-1", [], ended(begun()), {})

    def test_a_number_is_never_given_again(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        for key in ("a", "b", "c"):
            play(log, key)
        log.remove(["b", "c"])
        assert log.begin(begun("d")) > 3
        log.finish("d", [], ended(begun("d")), {})
        log.remove(["a", "d"])
        assert log.begin(begun("e")) > 4

    def test_a_removed_id_may_begin_again_with_nothing_of_before(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        play(log, "a")
        log.remove(["a"])
        log.begin(begun("a", text="anew"), [event("a", 1, "anew")])
        turn = log.read("a")
        assert turn is not None
        assert turn.events == [event("a", 1, "anew")]
        assert turn.body == {}
        assert turn.row["text"] == "anew"

    def test_sessions_are_told_by_the_turns_that_are_left(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        for place, session in enumerate(("x", "y", "x", "y", "x")):
            play(log, f"turn-{place}", session, f"wish {place}", place)
        log.remove(["turn-0", "turn-4"])
        assert log.sessions() == [
            {"id": "y", "turns": 2, "created_at": at(1), "last_at": at(3), "title": "wish 1"},
            {"id": "x", "turns": 1, "created_at": at(2), "last_at": at(2), "title": "wish 2"},
        ]
        log.remove(["turn-1", "turn-3"])
        assert ids(log.sessions()) == ["x"]
        log.remove(["turn-2"])
        assert log.sessions() == []

    def test_many_turns_can_be_forgotten_and_the_others_stay_whole(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        for number in range(120):
            play(log, f"turn-{number}", f"session-{number % 3}", seconds=number)
        kept = {f"turn-{number}": parts(log.read(f"turn-{number}")) for number in range(0, 120, 4)}
        assert log.remove([f"turn-{number}" for number in range(120) if number % 4]) == 90
        assert ids(log.rows()) == list(kept)
        assert {key: parts(log.read(key)) for key in kept} == kept
        assert [written for _, written in log.events()] == [events(key, 1, 4) for key in kept]

    @needs("is_durable")
    def test_removed_turns_stay_removed_and_their_numbers_taken(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        for key in ("a", "b", "c"):
            play(log, key)
        log.remove(["b", "c"])
        log = self.reopen(tmp_path).log
        assert ids(log.rows()) == ["a"]
        assert log.read("c") is None
        assert [written for _, written in log.events()] == [events("a", 1, 4)]
        assert log.begin(begun("d")) > 3
        log = self.reopen(tmp_path).log
        assert ids(log.rows()) == ["a", "d"]

    @needs("is_durable")
    def test_an_emptied_store_goes_on_numbering(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        play(log, "a")
        play(log, "b")
        log.remove(["a", "b"])
        for _ in range(2):
            log = self.reopen(tmp_path).log
            assert log.rows() == []
            assert log.sessions() == []
        assert log.begin(begun("c")) > 2
