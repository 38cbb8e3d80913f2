"""Turns: begun with a number, filled with events, closed once, and read again."""
# ruff: noqa: D102, PLR2004, S101 - a test's name says which promise is broken

from __future__ import annotations

from pathlib import Path
from typing import cast

from lango_nb.stores.store import Row
from lango_nb.testing.stores.checks import ids, letters, parts, refuses
from lango_nb.testing.stores.contract import StoreUnderTest, needs
from lango_nb.testing.stores.samples import BODY, begun, ended, event, events, play


class _OwnError(Exception):
    """Something that went wrong outside of the store."""


class TurnsContract(StoreUnderTest):
    """What ``begin``, ``write``, ``finish`` and ``read`` promise."""

    def test_turns_are_numbered_from_one_whatever_their_session(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        assert log.begin(begun("a", "one")) == 1
        assert log.begin(begun("b", "two")) == 2
        assert log.begin(begun("c", "one")) == 3
        log.finish("b", [], ended(begun("b", "two")), {})
        assert log.begin(begun("d", "three")) == 4
        assert [(row["id"], row["number"]) for row in log.rows()] == [("a", 1), ("b", 2), ("c", 3), ("d", 4)]

    def test_a_turn_that_begins_is_running(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun(note="what else is known"))
        assert log.rows() == [{**begun(note="what else is known"), "number": 1, "outcome": "running"}]

    def test_what_happened_before_the_beginning_is_kept(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun(), events("turn-1", 1, 3))
        turn = log.read("turn-1")
        assert turn is not None
        assert turn.events == events("turn-1", 1, 3)

    def test_a_turn_begins_once(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun(), [event(seq=1)])
        before = parts(log.read("turn-1"))
        with refuses("turn-1", code="conflict"):
            log.begin(begun(text="another", session="another"), [event(seq=9)])
        assert parts(log.read("turn-1")) == before
        assert log.count() == 1
        assert ids(log.sessions()) == ["main"]

    def test_a_turn_that_has_ended_does_not_begin_again(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        play(log)
        before = parts(log.read("turn-1"))
        with refuses("turn-1", code="conflict"):
            log.begin(begun())
        assert parts(log.read("turn-1")) == before
        assert log.begin(begun("turn-2")) > 1

    def test_a_turn_without_an_id_is_refused(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        row = begun()
        del row["id"]
        with refuses("turn", "id", code="bad_row"):
            log.begin(row, [event()])
        with refuses("turn", code="bad_row"):
            log.begin({**row, "id": ""})
        assert log.count() == 0
        assert log.begin(begun()) >= 1

    def test_a_turn_without_a_session_is_refused(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        row = begun("turn-1")
        del row["session_id"]
        for session in ({}, {"session_id": None}, {"session_id": 7}):
            with refuses("session", code="bad_row"):
                log.begin({**row, **session}, [event()])
        assert log.rows() == []
        assert log.sessions() == []
        assert log.read("turn-1") is None
        log.begin(begun("turn-1"))

    def test_a_turn_does_not_end_as_another(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun(), [event(seq=1)])
        log.begin(begun("turn-2"))
        without_id, without_session = ended(begun()), ended(begun())
        del without_id["id"], without_session["session_id"]
        elsewhere = ended(begun("turn-1", "elsewhere"))
        for row in (ended(begun("turn-2")), ended(begun("turn-3")), without_id, without_session, elsewhere):
            with refuses(code="bad_row"):
                log.finish("turn-1", [event(seq=2)], row, BODY)
        assert [row["outcome"] for row in log.rows()] == ["running", "running"]
        log.finish("turn-1", [event(seq=3)], ended(begun()), BODY)
        turn = log.read("turn-1")
        assert turn is not None
        assert [row["seq"] for row in turn.events] == [1, 3]

    def test_events_come_in_the_order_in_which_they_were_written(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun(), events("turn-1", 1, 2))
        log.write("turn-1", events("turn-1", 3, 3))
        log.write("turn-1", events("turn-1", 4, 6), is_urgent=True)
        log.write("turn-1", events("turn-1", 7, 8))
        log.finish("turn-1", events("turn-1", 9, 10), ended(begun()), BODY)
        turn = log.read("turn-1")
        assert turn is not None
        assert turn.events == events("turn-1", 1, 10)

    def test_the_order_is_that_of_writing_whatever_the_events_say(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        written = [event(seq=seq) for seq in (5, 3, 3, 9, 1)]
        log.begin(begun(), written[:1])
        log.write("turn-1", written[1:3])
        log.finish("turn-1", written[3:], ended(begun()), {})
        turn = log.read("turn-1")
        assert turn is not None
        assert turn.events == written, "and one that was written twice is there twice"

    def test_events_of_an_open_turn_can_be_read(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun(), [event(seq=1)])
        log.write("turn-1", [event(seq=2)])
        turn = log.read("turn-1")
        assert turn is not None
        assert turn.events == [event(seq=1), event(seq=2)]
        assert turn.row["outcome"] == "running"
        assert turn.body == {}

    def test_lists_of_a_turn_are_replaced_when_its_runs_went_on(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        row, other = play(log), play(log, "turn-2")
        later: Row = {
            "messages": [*cast("list[Row]", BODY["messages"]), {"role": "assistant", "content": "Late."}],
            "steps": [{"step": 1, "agent": "vault", "given": [["", 1, 2]]}],
        }
        log.complete("turn-1", later)
        log.complete("turn-1", later)
        turn, untouched = log.read("turn-1"), log.read("turn-2")
        assert turn is not None
        assert untouched is not None
        assert (turn.row, turn.events, turn.body, turn.lost) == (row, events("turn-1", 1, 4), {**BODY, **later}, ())
        assert (untouched.row, untouched.body) == (other, BODY)

    def test_nothing_is_replaced_of_a_turn_that_is_open_or_unknown(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun(), [event(seq=1)])
        log.complete("turn-1", {"messages": [{"role": "user", "content": "early"}]})
        log.finish("turn-1", [], ended(begun()), BODY)
        turn = log.read("turn-1")
        assert turn is not None
        assert turn.body == BODY
        with refuses("turn-2", code="unknown"):
            log.complete("turn-2", BODY)

    def test_writing_nothing_is_allowed(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun())
        log.write("turn-1", [])
        log.write("turn-1", (), is_urgent=True)
        log.finish("turn-1", (), ended(begun()), {})
        turn = log.read("turn-1")
        assert turn is not None
        assert (turn.events, turn.body) == ([], {})

    def test_an_unknown_turn_cannot_be_written_to(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun("turn-1"))
        with refuses("turn-2", code="unknown"):
            log.write("turn-2", [event("turn-2")])
        with refuses("turn-2", code="unknown"):
            log.write("turn-2", [], is_urgent=True)
        assert ids(log.rows()) == ["turn-1"]

    def test_an_unknown_turn_cannot_be_finished(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        with refuses("turn-2", code="unknown"):
            log.finish("turn-2", [event("turn-2")], ended(begun("turn-2")), BODY)
        assert log.rows() == []

    def test_an_unknown_turn_reads_as_none(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        play(log)
        assert log.read("turn-2") is None
        assert log.read("") is None
        assert log.read("TURN-1") is None

    def test_a_turn_that_has_ended_has_its_last_row_events_and_body(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        row = play(log)
        turn = log.read("turn-1")
        assert turn is not None
        assert turn.row == row
        assert turn.events == events("turn-1", 1, 4)
        assert turn.body == BODY
        assert log.rows() == [row]

    def test_the_last_row_replaces_the_first_as_a_whole(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun(note="only at first"))
        log.finish("turn-1", [], ended(begun(text="changed")), {})
        assert log.rows() == [{**ended(begun(text="changed")), "number": 1}]

    def test_a_turn_keeps_its_number(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        for number in (1, 2, 3):
            log.begin(begun(f"turn-{number}"))
        log.finish("turn-3", [], ended(begun("turn-3")), {})
        log.finish("turn-1", [], ended(begun("turn-1"), number=1), {})
        log.finish("turn-2", [], ended(begun("turn-2"), number=99), {})
        assert [(row["id"], row["number"]) for row in log.rows()] == [("turn-1", 1), ("turn-2", 2), ("turn-3", 3)]

    def test_a_turn_ends_once(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        play(log)
        before = parts(log.read("turn-1"))
        body: Row = {"messages": [{"role": "user", "content": "another"}]}
        with refuses("turn-1", code="closed"):
            log.finish("turn-1", [event(seq=9)], ended(begun(), answer="another"), body)
        assert parts(log.read("turn-1")) == before

    def test_what_happens_after_the_end_comes_last(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        row = play(log)
        log.write("turn-1", [event(seq=5, kind="run.finished")])
        log.write("turn-1", [event(seq=6), event(seq=7)], is_urgent=True)
        turn = log.read("turn-1")
        assert turn is not None
        assert turn.events == [*events("turn-1", 1, 4), event(seq=5, kind="run.finished"), event(seq=6), event(seq=7)]
        assert turn.row == row
        assert turn.body == BODY

    def test_what_happens_after_the_end_does_not_open_the_turn(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        play(log)
        log.write("turn-1", [event(seq=5)])
        with refuses("turn-1", code="closed"):
            log.finish("turn-1", [], ended(begun()), {})
        assert log.unfinished() == []
        assert log.remove(["turn-1"]) == 1

    @needs("is_durable")
    def test_turns_at_the_same_time_do_not_mix(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        keys = ("a", "b", "c")
        for key in keys:
            log.begin(begun(key, "main" if key != "b" else "other"), events(key, 1, 1))
        for seq in range(2, 6):
            for key in keys:
                log.write(key, events(key, seq, seq))
        for key in reversed(keys):
            log.finish(key, events(key, 6, 6), ended(begun(key, "main" if key != "b" else "other")), {"of": key})
        for key in keys:
            turn = log.read(key)
            assert turn is not None
            assert turn.events == events(key, 1, 6)
            assert turn.body == {"of": key}
        assert [[row["id"], written] for row, written in log.events()] == [[key, events(key, 1, 6)] for key in keys]

    def test_what_was_given_is_not_changed(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        first, last, body, written = begun(), ended(begun()), dict(BODY), events("turn-1", 1, 3)
        before = letters([first, last, body, written])
        log.begin(first, written[:1])
        log.write("turn-1", written[1:2])
        log.finish("turn-1", written[2:], last, body)
        log.read("turn-1"), log.rows(), list(log.scan()), list(log.events())
        assert letters([first, last, body, written]) == before

    def test_a_list_that_was_given_may_be_used_again(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        written = [event(seq=1)]
        log.begin(begun(), written)
        written[:] = [event(seq=2), event(seq=3)]
        log.write("turn-1", written)
        written.clear()
        written.append(event(seq=4))
        log.finish("turn-1", written, ended(begun()), {})
        written.clear()
        turn = log.read("turn-1")
        assert turn is not None
        assert [found["seq"] for found in turn.events] == [1, 2, 3, 4]

    def test_what_was_read_does_not_change_later(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun(), [event(seq=1)])
        turn, rows, sessions = log.read("turn-1"), log.rows(), log.sessions()
        before = letters([parts(turn), rows, sessions])
        log.write("turn-1", [event(seq=2)])
        log.finish("turn-1", [event(seq=3)], ended(begun()), BODY)
        log.begin(begun("turn-2"))
        assert letters([parts(turn), rows, sessions]) == before

    def test_a_turn_of_ten_thousand_events(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun(), events("turn-1", 1, 10))
        log.write("turn-1", events("turn-1", 11, 9_000))
        log.finish("turn-1", events("turn-1", 9_001, 10_000), ended(begun()), BODY)
        turn = log.read("turn-1")
        assert turn is not None
        assert turn.events == events("turn-1", 1, 10_000)
        assert [len(written) for _, written in log.events()] == [10_000]

    def test_three_hundred_turns(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        rows = []
        for number in range(1, 301):
            key = f"turn-{number}"
            row = begun(key, f"session-{number % 7}", f"wish {number}", number)
            log.begin(row)
            if number % 3:
                log.finish(key, events(key, 1, 2), ended(row), BODY)
            rows.append({**(ended(row) if number % 3 else {**row, "outcome": "running"}), "number": number})
        assert log.rows() == rows
        assert [turn.row for turn in log.scan()] == rows
        assert [len(turn.events) for turn in log.scan()] == [2 if number % 3 else 0 for number in range(1, 301)]
