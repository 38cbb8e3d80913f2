"""Turns are found by session, agent, tool, outcome, time, text, id and number, alone and together."""
# ruff: noqa: D102, PLR2004, S101 - a test's name says which promise is broken

from __future__ import annotations

from datetime import timedelta, timezone
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from lango_nb.stores.store import EVERY_TURN, Row, TurnLog, TurnQuery
from lango_nb.testing.stores.checks import ids
from lango_nb.testing.stores.contract import StoreUnderTest
from lango_nb.testing.stores.samples import START, begun, ended, events, play

if TYPE_CHECKING:
    from pydantic import JsonValue

_TURNS: tuple[tuple[str, str, str, str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("t1", "main", "Water the plants", "Done.", "success", ("operator",), ()),
    ("t2", "main", "read notes.md", "It has 3 lines.", "success", ("operator", "librarian"), ("fs_read",)),
    (
        "t3",
        "other",
        "READ the Straße map",
        "ΣΊΣΥΦΟΣ was here",
        "timeout",
        ("operator", "navigator"),
        ("geo_find", "fs_read"),
    ),
    ("t4", "main", "encrypt 100% of a_b", "no", "tool_error", ("operator", "vault", "vault-2"), ("crypto_encrypt",)),
    ("t5", "Main", "C:\\notes 'quoted' \"twice\"", "a*b [x] (y)", "success", ("vault-2",), ("fs_read_all",)),
    ("t6", "other", "two\nlines", "naïve", "cancelled", (), ()),
)
"""Id, session, text, answer, outcome, agents, tools; started ten seconds apart. The seventh is still open."""


def _played(log: TurnLog) -> None:
    for place, (key, session, text, answer, outcome, agents, tools) in enumerate(_TURNS):
        more: dict[str, JsonValue] = {"answer": answer, "outcome": outcome, "agents": [*agents], "tools": [*tools]}
        row = begun(key, session, text, 10 * place)
        log.begin(row, events(key, 1, 1))
        log.finish(key, events(key, 2, 3), ended(row, **more), {"of": key})
    log.begin(begun("t7", "main", "still running", 60), events("t7", 1, 1))


class QueriesContract(StoreUnderTest):
    """What a :class:`~lango_nb.stores.store.TurnQuery` finds."""

    def played(self, place: Path) -> TurnLog:
        """Open a store with seven turns in it."""
        log = self.open(place).log
        _played(log)
        return log

    def found(self, log: TurnLog, query: TurnQuery) -> str:
        """Return the numbers of the turns that are found; every way to look has to find the same."""
        rows = log.rows(query)
        keys = ids(rows)
        assert [row["number"] for row in rows] == [int(key[1:]) for key in keys]
        assert log.count(query) == len(keys)
        scanned = list(log.scan(query))
        assert [turn.row for turn in scanned] == rows
        assert [turn.events for turn in scanned] == [_written(row) for row in rows]
        assert [turn.body for turn in scanned] == [{} if key == "t7" else {"of": key} for key in keys]
        assert [turn.body for turn in log.scan(query, with_events=False)] == [turn.body for turn in scanned]
        assert list(log.events(query)) == [(row, _written(row)) for row in rows]
        return "".join(key[1:] for key in keys)

    def test_every_turn_by_number(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        assert self.found(log, EVERY_TURN) == "1234567"
        assert self.found(log, TurnQuery()) == "1234567"
        assert ids(log.rows()) == ids(log.rows(EVERY_TURN))
        assert log.count() == 7
        assert len(list(log.scan())) == len(list(log.events())) == 7

    def test_by_session(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        assert self.found(log, TurnQuery(session="main")) == "1247"
        assert self.found(log, TurnQuery(session="Main")) == "5"
        assert self.found(log, TurnQuery(session="mai")) == ""
        assert self.found(log, TurnQuery(session="%")) == ""

    def test_by_agent_teammates_included(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        assert self.found(log, TurnQuery(agent="operator")) == "1234"
        assert self.found(log, TurnQuery(agent="librarian")) == "2"
        assert self.found(log, TurnQuery(agent="nobody")) == ""

    def test_agents_are_named_exactly(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        assert self.found(log, TurnQuery(agent="vault")) == "4"
        assert self.found(log, TurnQuery(agent="vault-2")) == "45"
        assert self.found(log, TurnQuery(agent="Vault")) == ""
        assert self.found(log, TurnQuery(agent="vaul%")) == ""
        assert self.found(log, TurnQuery(agent='operator","vault')) == ""

    def test_by_tool(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        assert self.found(log, TurnQuery(tool="fs_read")) == "23"
        assert self.found(log, TurnQuery(tool="geo_find")) == "3"
        assert self.found(log, TurnQuery(tool="fs")) == ""
        assert self.found(log, TurnQuery(tool="fs_read%")) == ""
        assert self.found(log, TurnQuery(tool="operator")) == ""

    def test_by_one_of_several_outcomes(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        assert self.found(log, TurnQuery(outcomes=("success",))) == "125"
        assert self.found(log, TurnQuery(outcomes=["timeout", "tool_error"])) == "34"
        assert self.found(log, TurnQuery(outcomes={"cancelled", "unheard of"})) == "6"
        assert self.found(log, TurnQuery(outcomes=("running",))) == "7"
        assert self.found(log, TurnQuery(outcomes=())) == "1234567"

    def test_since_includes_its_moment(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        assert self.found(log, TurnQuery(since=START)) == "1234567"
        assert self.found(log, TurnQuery(since=START + timedelta(seconds=30))) == "4567"
        assert self.found(log, TurnQuery(since=START + timedelta(seconds=30, microseconds=1))) == "567"
        assert self.found(log, TurnQuery(since=START + timedelta(days=1))) == ""

    def test_until_excludes_its_moment(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        assert self.found(log, TurnQuery(until=START)) == ""
        assert self.found(log, TurnQuery(until=START + timedelta(seconds=30))) == "123"
        assert self.found(log, TurnQuery(until=START + timedelta(seconds=30, microseconds=1))) == "1234"

    def test_between_two_times(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        first, last = START + timedelta(seconds=10), START + timedelta(seconds=40)
        assert self.found(log, TurnQuery(since=first, until=last)) == "234"
        assert self.found(log, TurnQuery(since=first, until=first)) == ""
        assert self.found(log, TurnQuery(since=last, until=first)) == ""

    def test_a_time_is_the_same_in_every_zone(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        for hours in (-11, 5.5, 14):
            there = (START + timedelta(seconds=30)).astimezone(timezone(timedelta(hours=hours)))
            assert self.found(log, TurnQuery(since=there)) == "4567"
            assert self.found(log, TurnQuery(until=there)) == "123"

    def test_text_is_part_of_the_request_or_the_answer(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        assert self.found(log, TurnQuery(text="plants")) == "1"
        assert self.found(log, TurnQuery(text="3 lines")) == "2"
        assert self.found(log, TurnQuery(text="lines")) == "26"
        assert self.found(log, TurnQuery(text="two\nlines")) == "6"
        assert self.found(log, TurnQuery(text="still")) == "7"
        assert self.found(log, TurnQuery(text="nowhere")) == ""
        assert self.found(log, TurnQuery(text="")) == "1234567"

    def test_upper_and_lower_case_are_alike(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        assert self.found(log, TurnQuery(text="READ")) == "23"
        assert self.found(log, TurnQuery(text="read")) == "23"
        assert self.found(log, TurnQuery(text="STRASSE")) == "3"
        assert self.found(log, TurnQuery(text="straße")) == "3"
        assert self.found(log, TurnQuery(text="σίσυφος")) == "3"
        assert self.found(log, TurnQuery(text="NAÏVE")) == "6"

    def test_text_is_no_pattern(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        assert self.found(log, TurnQuery(text="%")) == "4"
        assert self.found(log, TurnQuery(text="_")) == "4"
        assert self.found(log, TurnQuery(text="\\")) == "5"
        assert self.found(log, TurnQuery(text="\\n")) == "5"
        assert self.found(log, TurnQuery(text="a*b [x] (y)")) == "5"
        assert self.found(log, TurnQuery(text="'")) == "5"
        assert self.found(log, TurnQuery(text='"twice"')) == "5"
        assert self.found(log, TurnQuery(text=".*")) == ""
        assert self.found(log, TurnQuery(text="naive")) == ""

    def test_text_is_not_looked_for_elsewhere(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        for text in ("operator", "fs_read", "timeout", "other", "octet", "t1", "2026", "Done.read", "null", "answer"):
            assert self.found(log, TurnQuery(text=text)) == "", text

    def test_by_id(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        assert self.found(log, TurnQuery(ids=["t5", "t2", "t9"])) == "25"
        assert self.found(log, TurnQuery(ids={"t7"})) == "7"
        assert self.found(log, TurnQuery(ids=frozenset({"T1", "", "t"}))) == ""

    def test_of_no_ids_there_is_no_turn(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        assert self.found(log, TurnQuery(ids=())) == ""
        assert self.found(log, TurnQuery(ids=set(), session="main")) == ""

    def test_of_forty_thousand_ids(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        wanted = [f"t{number}" for number in range(3, 40_000)]
        assert ids(log.rows(TurnQuery(ids=wanted))) == ["t3", "t4", "t5", "t6", "t7"]
        assert log.count(TurnQuery(ids=frozenset(wanted), session="main")) == 2
        assert [row["id"] for row, _ in log.events(TurnQuery(ids=wanted, limit=2, newest_first=True))] == ["t7", "t6"]

    def test_after_a_number(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        assert self.found(log, TurnQuery(after=0)) == "1234567"
        assert self.found(log, TurnQuery(after=5)) == "67"
        assert self.found(log, TurnQuery(after=7)) == ""

    def test_turns_newest_first(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        assert self.found(log, TurnQuery(newest_first=True)) == "7654321"
        assert self.found(log, TurnQuery(newest_first=True, session="main")) == "7421"

    def test_a_limit_counts_the_turns_that_are_found(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        assert self.found(log, TurnQuery(limit=3)) == "123"
        assert self.found(log, TurnQuery(limit=3, session="main")) == "124"
        assert self.found(log, TurnQuery(limit=2, newest_first=True)) == "76"
        assert self.found(log, TurnQuery(limit=1, text="vault", agent="vault")) == ""
        assert self.found(log, TurnQuery(limit=1, agent="vault-2", newest_first=True)) == "5"

    def test_a_limit_of_none_or_of_many_limits_no_turns(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        assert self.found(log, TurnQuery(limit=None)) == "1234567"
        assert self.found(log, TurnQuery(limit=7)) == "1234567"
        assert self.found(log, TurnQuery(limit=10**9)) == "1234567"

    def test_a_limit_of_zero_finds_no_turn(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        assert self.found(log, TurnQuery(limit=0)) == ""
        assert self.found(log, TurnQuery(limit=0, newest_first=True, session="main")) == ""
        assert self.found(log, TurnQuery(limit=-1)) == ""

    def test_page_by_page(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        pages, after = [], 0
        while rows := log.rows(TurnQuery(after=after, limit=3)):
            pages.append("".join(key[1:] for key in ids(rows)))
            after = int(str(rows[-1]["number"]))
        assert pages == ["123", "456", "7"]

    def test_every_condition_has_to_hold(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        assert self.found(log, TurnQuery(session="main", tool="fs_read")) == "2"
        assert self.found(log, TurnQuery(session="main", outcomes=("timeout",))) == ""
        assert self.found(log, TurnQuery(agent="operator", tool="fs_read", text="read", outcomes=("timeout",))) == "3"
        assert self.found(log, TurnQuery(ids=("t1", "t3", "t5"), session="main")) == "1"
        assert self.found(log, TurnQuery(after=2, agent="operator", until=START + timedelta(seconds=30))) == "3"

    def test_everything_together(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        query = TurnQuery(
            session="main",
            agent="operator",
            tool="fs_read",
            outcomes=("success", "timeout"),
            since=START,
            until=START + timedelta(seconds=50),
            text="NOTES",
            ids=("t1", "t2", "t3"),
            after=1,
            newest_first=True,
            limit=5,
        )
        assert self.found(log, query) == "2"

    def test_an_open_turn_has_neither_agents_nor_an_answer(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        assert self.found(log, TurnQuery(ids=("t7",), agent="operator")) == ""
        assert self.found(log, TurnQuery(ids=("t7",), tool="fs_read")) == ""
        assert self.found(log, TurnQuery(ids=("t7",), text="none")) == ""
        assert self.found(log, TurnQuery(session="main", text="running")) == "7"

    def test_what_is_known_at_the_beginning_is_found_already(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun("t1", agents=["operator"], tools=["fs_read"], answer="So far"))
        for query in (TurnQuery(agent="operator"), TurnQuery(tool="fs_read"), TurnQuery(text="so far")):
            assert ids(log.rows(query)) == ["t1"]

    def test_a_turn_is_found_by_how_it_ended_not_how_it_began(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        row = begun("t7", "main", "another text", 60)
        log.finish("t7", [], ended(row, agents=["vault"], tools=["fs_read"], outcome="timeout"), {"of": "t7"})
        assert ids(log.rows(TurnQuery(outcomes=("running",)))) == []
        assert ids(log.rows(TurnQuery(text="still running"))) == []
        assert ids(log.rows(TurnQuery(text="another text", agent="vault", tool="fs_read"))) == ["t7"]

    def test_without_events_only_rows_and_bodies_are_read(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        turns = list(log.scan(with_events=False))
        assert [turn.events for turn in turns] == [[]] * 7
        assert [turn.row for turn in turns] == log.rows()

    def test_whoever_goes_through_turns_may_stop_and_write(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        scanned, gone_through = log.scan(), log.events(TurnQuery(session="main"))
        assert next(scanned).row["id"] == "t1"
        assert next(gone_through)[0]["id"] == "t1"
        play(log, "t8")
        log.write("t7", events("t7", 2, 2))
        assert [turn.row["id"] for turn in islice(scanned, 5)] == ["t2", "t3", "t4", "t5", "t6"]
        assert next(gone_through)[0]["id"] == "t2"
        assert log.count() == 8

    def test_turns_can_be_forgotten_while_somebody_goes_through_them(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        gone = [log.remove([str(turn.row["id"])]) for turn in log.scan(with_events=False)]
        assert gone == [1, 1, 1, 1, 1, 1, 0]
        assert ids(log.rows()) == ["t7"]

    def test_whoever_goes_through_turns_and_begins_new_ones_comes_to_an_end(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        seen = []
        for place, turn in enumerate(islice(log.scan(), 30)):
            seen.append(str(turn.row["id"]))
            log.begin(begun(f"new-{place}", "new"))
        assert seen[:7] == [f"t{number}" for number in range(1, 8)]
        assert len(seen) < 30
        assert len(seen) == len(set(seen))


def _written(row: Row) -> list[Row]:
    return events(str(row["id"]), 1, 1 if row["id"] == "t7" else 3)
