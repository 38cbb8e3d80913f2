"""Turns: begun with a number, filled with events, closed once, read as they are, told as sessions, and forgotten."""
# ruff: noqa: D102, PLR2004, S101 - a test's name says which promise is broken

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from lango_nb.stores.store import Group, Row, StoredTurn, TurnQuery
from lango_nb.testing.stores.checks import ids, letters, parts, refuses, whole
from lango_nb.testing.stores.contract import StoreUnderTest, needs
from lango_nb.testing.stores.samples import BODY, at, begun, ended, event, events, play

if TYPE_CHECKING:
    from lango_nb.core.json_value import JsonValue

LATER: Row = {
    "messages": [*cast("list[Row]", BODY["messages"]), {"role": "assistant", "content": "Late."}],
    "steps": [{"step": 1, "agent": "vault", "given": [["", 1, 2]]}],
}


def _without(row: Row, *fields: str) -> Row:
    return {name: value for name, value in row.items() if name not in fields}


class TurnsContract(StoreUnderTest):
    """What ``store.log`` promises, queries aside."""

    def test_turns_are_numbered_from_one_whatever_their_session(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        assert [log.begin(begun(key, f"of {key}")) for key in ("a", "b", "c")] == [1, 2, 3]
        log.finish("c", [], ended(begun("c", "of c"), number=99), {})
        log.finish("b", [], ended(begun("b", "of b"), number=2), {})
        assert log.begin(begun("d", "of a")) == 4
        assert [(row["id"], row["number"]) for row in log.rows()] == [("a", 1), ("b", 2), ("c", 3), ("d", 4)]

    def test_a_turn_that_begins_is_running(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun(note="what else is known"), events("turn-1", 1, 2))
        log.write("turn-1", events("turn-1", 3, 3))
        row = {**begun(note="what else is known"), "number": 1, "outcome": "running"}
        assert log.rows() == [row]
        assert whole(log) == StoredTurn(row, events("turn-1", 1, 3), {})

    def test_a_turn_begins_once(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun(), [event(seq=1)])
        for _ in ("open", "closed"):
            before = parts(log)
            with refuses("turn-1", code="conflict"):
                log.begin(begun(text="another", session="another"), [event(seq=9)])
            assert parts(log) == before
            assert ids(log.sessions()) == ["main"]
            if whole(log).row["outcome"] == "running":
                log.finish("turn-1", [], ended(begun()), BODY)

    def test_a_turn_needs_an_id_and_a_session(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        for named, row in (
            ("turn", _without(begun(), "id")),
            ("turn", {**begun(), "id": ""}),
            ("session", _without(begun(), "session_id")),
            ("session", {**begun(), "session_id": None}),
            ("session", {**begun(), "session_id": 7}),
        ):
            with refuses(named, code="bad_row"):
                log.begin(row, [event()])
        assert log.rows() == log.sessions() == []
        assert log.read("turn-1") is None
        assert log.begin(begun()) >= 1

    def test_a_turn_does_not_end_as_another(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun(), [event(seq=1)])
        log.begin(begun("turn-2"))
        others = [ended(begun("turn-2")), ended(begun("turn-3")), ended(begun("turn-1", "elsewhere"))]
        for row in (*others, _without(ended(begun()), "id"), _without(ended(begun()), "session_id")):
            with refuses(code="bad_row"):
                log.finish("turn-1", [event(seq=2)], row, BODY)
        assert [row["outcome"] for row in log.rows()] == ["running", "running"]
        log.finish("turn-1", [event(seq=3)], ended(begun()), BODY)
        assert [row["seq"] for row in whole(log).events] == [1, 3]

    def test_events_come_in_the_order_in_which_they_were_written_whatever_they_say(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        written = [event(seq=seq) for seq in (5, 3, 3, 9, 1, 8, 2, 7)]
        log.begin(begun(), written[:1])
        log.write("turn-1", written[1:3])
        log.write("turn-1", [])
        log.write("turn-1", written[3:4], is_urgent=True)
        log.write("turn-1", (), is_urgent=True)
        log.finish("turn-1", written[4:5], ended(begun()), BODY)
        log.write("turn-1", written[5:6])
        log.write("turn-1", written[6:], is_urgent=True)
        assert whole(log).events == written, "what happens after the end comes last; what was written twice is twice"
        assert whole(log).body == BODY

    def test_a_turn_that_has_ended_has_its_last_row_as_a_whole(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun(note="only at first"), [event()])
        log.finish("turn-1", [], ended(begun(text="changed")), {})
        row = {**ended(begun(text="changed")), "number": 1}
        assert log.rows() == [row]
        assert whole(log) == StoredTurn(row, [event()], {})

    def test_a_turn_ends_once(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        play(log)
        log.write("turn-1", [event(seq=5)])
        before = parts(log)
        with refuses("turn-1", code="closed"):
            log.finish("turn-1", [event(seq=9)], ended(begun(), answer="another"), LATER)
        assert parts(log) == before
        assert log.unfinished() == []

    def test_lists_of_a_closed_turn_are_replaced_when_its_runs_went_on(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun())
        log.complete("turn-1", LATER)
        log.finish("turn-1", events("turn-1", 1, 4), ended(begun()), BODY)
        assert whole(log).body == BODY, "nothing of an open turn is replaced"
        row, other = whole(log).row, play(log, "turn-2")
        for _ in range(2):
            log.complete("turn-1", LATER)
        assert whole(log) == StoredTurn(row, events("turn-1", 1, 4), {**BODY, **LATER})
        assert whole(log, "turn-2") == StoredTurn(other, events("turn-2", 1, 4), BODY)

    def test_an_unknown_turn_is_not_written_to_and_reads_as_none(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        play(log, "turn-1")
        play(log, "turn-2")
        log.remove(["turn-2"])
        works: tuple[Callable[[], None], ...] = (
            lambda: log.write("turn-2", [event("turn-2")]),
            lambda: log.write("turn-2", [], is_urgent=True),
            lambda: log.finish("turn-2", [event("turn-2")], ended(begun("turn-2")), BODY),
            lambda: log.complete("turn-2", BODY),
        )
        for work in works:
            with refuses("turn-2", code="unknown"):
                work()
        assert [log.read(key) for key in ("turn-2", "", "TURN-1")] == [None] * 3
        assert ids(log.rows()) == ["turn-1"]

    def test_what_was_given_or_read_does_not_change_later(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        first, last, body, written = begun(), ended(begun()), dict(BODY), events("turn-1", 1, 1)
        given = letters([first, last, body])
        log.begin(first, written)
        turn, rows, sessions = whole(log), log.rows(), log.sessions()
        before = letters([turn, rows, sessions])
        written[:] = events("turn-1", 2, 3)
        log.write("turn-1", written)
        written[:] = events("turn-1", 4, 4)
        log.finish("turn-1", written, last, body)
        written.clear()
        log.begin(begun("turn-2"))
        assert letters([turn, rows, sessions]) == before
        assert letters([first, last, body]) == given
        assert whole(log).events == events("turn-1", 1, 4), "a list may be used again"

    def test_a_turn_of_ten_thousand_events(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun(), events("turn-1", 1, 10))
        log.write("turn-1", events("turn-1", 11, 9_000))
        log.finish("turn-1", events("turn-1", 9_001, 10_000), ended(begun()), BODY)
        assert whole(log).events == events("turn-1", 1, 10_000)
        assert [len(written) for _, written in log.events()] == [10_000]

    @needs("is_durable")
    def test_turns_at_the_same_time_do_not_mix(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        sessions = {"a": "main", "b": "other", "c": "main"}
        for key, session in sessions.items():
            log.begin(begun(key, session), events(key, 1, 1))
        for seq in range(2, 6):
            for key in sessions:
                log.write(key, events(key, seq, seq))
        for key, session in reversed(sessions.items()):
            log.finish(key, events(key, 6, 6), ended(begun(key, session)), {"of": key})
        assert [turn[1:3] for turn in log.scan()] == [(events(key, 1, 6), {"of": key}) for key in sessions]

    def test_turns_that_have_their_numbers_are_kept_with_them(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        turns = [
            StoredTurn({**ended(begun(key)), "number": number}, events(key, 1, 3), BODY)
            for number, key in ((2, "a"), (7, "b"))
        ]
        log.keep(turns)
        assert list(log.scan()) == turns
        assert log.begin(begun("next")) > 7

    def test_histories_are_what_later_turns_see(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        said: list[JsonValue] = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "Grüße 😀"}]
        for key, history in (("a", said), ("b", said[:1])):
            log.begin(begun(key))
            log.finish(key, [], ended(begun(key)), {**BODY, "history": history})
        log.begin(begun("open"))
        found = [(number, json.loads(text)) for number, text in log.histories([1, 2, 9])]
        assert found == [(1, said), (2, said[:1])]

    def test_columns_are_given_for_many_turns_at_once(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        for key in ("a", "b", "c"):
            play(log, key)
        wanted = {"turns": ["id", "started_at"], "events": ["at", "kind"]}
        tables = log.tables(wanted, TurnQuery(ids=("a", "c")))
        assert tables is not None
        assert _values(tables["turns"]) == [("a", at(0)), ("c", at(0))]
        assert list(tables["events"]) == ["text"], "by their kind"
        assert _values(tables["events"]) == [(at(seq), "text") for _ in "ac" for seq in (1, 2, 3, 4)]
        assert log.tables(wanted, TurnQuery(ids=())) == {"turns": {}, "events": {}}

    # -- sessions ------------------------------------------------------------------------------------------------------

    def test_without_turns_there_is_nothing(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        for found in (log.sessions(), log.rows(), log.numbers(), log.unfinished()):
            assert found == []
        for gone_through in (log.scan(), log.events(), log.histories([1])):
            assert list(gone_through) == []
        assert log.count() == 0

    def test_a_session_is_told_by_its_first_and_latest_turn(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        for place, session in enumerate(("x", "y", "x", "y", "x")):
            play(log, f"turn-{place}", session, f"wish {place}", (50, 10, 20, 30, 40)[place])
        log.begin(begun("open", "z", "still at it", 7))
        z = {"id": "z", "turns": 1, "created_at": at(7), "last_at": at(7), "title": "still at it"}
        y = {"id": "y", "turns": 2, "created_at": at(10), "last_at": at(30), "title": "wish 1"}
        assert log.sessions() == [
            {"id": "x", "turns": 3, "created_at": at(50), "last_at": at(40), "title": "wish 0"}, y, z,
        ]  # fmt: skip
        log.remove(["turn-0", "turn-4"])
        assert log.sessions() == [
            y, {"id": "x", "turns": 1, "created_at": at(20), "last_at": at(20), "title": "wish 2"}, z,
        ]  # fmt: skip
        log.remove(["turn-1", "turn-2", "turn-3"])
        assert log.sessions() == [z]

    def test_changes_tell_whether_a_session_has_to_be_read_again(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        play(log, "a")
        before = log.changes("main")
        play(log, "b", "other")
        assert log.changes("main")[1] == before[1]
        play(log, "c")
        assert log.changes("main")[1] == before[1] + 1

    @needs("is_durable", "processes")
    def test_changes_tell_what_another_opening_wrote(self, tmp_path: Path) -> None:
        one, other = self.open(tmp_path).log, self.open(tmp_path).log
        play(one, "a")
        before = one.changes("main")
        play(other, "b")
        assert one.changes("main")[0] != before[0]

    # -- forgotten -----------------------------------------------------------------------------------------------------

    def test_removed_turns_are_gone_with_all_that_belongs_to_them(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        keys = [f"turn-{number}" for number in range(40)]
        for number, key in enumerate(keys):
            play(log, key, f"session-{number % 3}", seconds=number)
        kept = {key: parts(log, key) for key in keys[::4]}
        assert log.remove({key for key in keys if key not in kept}) == 30
        assert {str(row["id"]): parts(log, str(row["id"])) for row in log.rows()} == kept
        assert [written for _, written in log.events()] == [events(key, 1, 4) for key in kept]
        assert [turn.row["id"] for turn in log.scan()] == list(kept)
        assert log.read("turn-1") is None

    def test_each_closed_turn_that_is_named_is_removed_and_counted_once(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        for key in ("a", "b", "c", "turn-7", "turn-39999"):
            play(log, key)
        log.begin(begun("open"), [event("open")])
        assert log.remove(["a", "a", "open", "d", ""]) == 1
        assert log.remove(["a"]) == log.remove([]) == 0
        assert log.remove(("b",), setting="records.maxTurns", at=at(1)) == log.remove({"c": 1}.keys()) == 1
        assert log.remove([f"turn-{number}" for number in range(40_000)]) == 2
        log.finish("open", [event("open", 2)], ended(begun("open")), BODY)
        assert len(whole(log, "open").events) == 2
        assert log.remove(["open"]) == 1

    def test_a_number_is_never_given_again_and_an_id_with_nothing_of_before(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        for key in ("a", "b", "c"):
            play(store.log, key)
        store.log.remove(["b", "c"])
        given = 3
        for opened in self.now_and_later(tmp_path, store):
            assert ids(opened.log.rows()) == ["a"]
            number = opened.log.begin(begun("c", text="anew"), [event("c", 1, "anew")])
            assert number > given
            assert whole(opened.log, "c")[1:3] == ([event("c", 1, "anew")], {})
            opened.log.finish("c", [], ended(begun("c", text="anew")), {})
            opened.log.remove(["c"])
            given = number
        opened.log.remove(["a"])
        for emptied in self.now_and_later(tmp_path, opened):
            assert emptied.log.rows() == emptied.log.sessions() == []
        assert emptied.log.begin(begun("d")) > given

    # -- openings and what they left open ------------------------------------------------------------------------------

    def test_a_turn_of_an_open_store_is_not_unfinished(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        number = store.writer()
        assert number == store.writer() >= 1
        store.log.begin(begun(), [event()])
        assert store.log.unfinished() == []
        store.log.finish("turn-1", [], ended(begun()), BODY)
        assert store.log.unfinished() == []
        assert store.is_gone(number) is False

    @needs("is_durable")
    def test_what_a_closed_opening_left_open_is_unfinished_until_it_is_closed(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        play(log, "a")
        log.begin(begun("b"), [event("b", 1)])
        log.begin(begun("c"))
        log = self.reopen(tmp_path).log
        log.begin(begun("d"))
        left: list[Row] = [{**begun(key), "number": place, "outcome": "running"} for place, key in ((2, "b"), (3, "c"))]
        assert log.unfinished() == left
        assert log.remove(["b", "c"]) == 0, "it is not forgotten"
        log.write("b", [event("b", 2)], is_urgent=True)
        row = ended(begun("b"), outcome="cancelled", error_code="interrupted")
        log.finish("b", [event("b", 3)], row, BODY)
        log = self.reopen(tmp_path).log
        assert ids(log.unfinished()) == ["c", "d"]
        assert whole(log, "b") == StoredTurn({**row, "number": 2}, [event("b", seq) for seq in (1, 2, 3)], BODY)

    @needs("is_durable")
    def test_an_opening_has_a_number_of_its_own_and_is_gone_when_it_is_closed(self, tmp_path: Path) -> None:
        numbers: list[int] = []
        for _ in range(4):
            store = self.reopen(tmp_path)
            numbers.append(store.writer())
            assert [store.is_gone(number) for number in numbers] == [True] * (len(numbers) - 1) + [False]
        assert len(set(numbers)) == 4

    @needs("is_durable", "processes")
    def test_an_opening_is_not_gone_while_another_is_closed(self, tmp_path: Path) -> None:
        one, other, third = self.open(tmp_path), self.open(tmp_path), self.open(tmp_path)
        one.log.begin(begun("a"))
        other.log.begin(begun("b"))
        numbers = [one.writer(), other.writer(), third.writer()]
        assert len(set(numbers)) == 3
        assert [third.is_gone(number) for number in numbers] == [False, False, False]
        assert third.log.unfinished() == []
        one.close()
        for store in (other, third, self.open(tmp_path)):
            assert [store.is_gone(number) for number in numbers] == [True, False, False]
            assert ids(store.log.unfinished()) == ["a"]


def _values(groups: Mapping[object, Group]) -> list[tuple[object, ...]]:
    """Return the rows of a table in order, each with its columns."""
    places = [place for group in groups.values() for place in group.places]
    rows = [row for group in groups.values() for row in zip(*group.columns, strict=True)]
    return [row for _, row in sorted(zip(places, rows, strict=True))]
