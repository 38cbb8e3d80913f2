"""Turns are found by session, agent, tool, outcome, time, text, id and number, alone and together."""
# ruff: noqa: D102, PLR2004, S101 - a test's name says which promise is broken

from __future__ import annotations

from datetime import timedelta, timezone
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from lango_nb.stores.store import Row, TurnLog, TurnQuery
from lango_nb.testing.stores.checks import ids
from lango_nb.testing.stores.contract import StoreUnderTest
from lango_nb.testing.stores.samples import START, begun, ended, events, play

if TYPE_CHECKING:
    from lango_nb.core.json_value import JsonValue

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


def _at(seconds: float) -> timedelta:
    return timedelta(seconds=seconds)


BY_NAME = (
    (TurnQuery(), "1234567"),
    (TurnQuery(session="main"), "1247"),
    (TurnQuery(session="Main"), "5"),
    (TurnQuery(session="mai"), ""),
    (TurnQuery(session="%"), ""),
    (TurnQuery(agent="operator"), "1234"),
    (TurnQuery(agent="librarian"), "2"),
    (TurnQuery(agent="vault"), "4"),
    (TurnQuery(agent="vault-2"), "45"),
    (TurnQuery(agent="Vault"), ""),
    (TurnQuery(agent="vaul%"), ""),
    (TurnQuery(agent='operator","vault'), ""),
    (TurnQuery(tool="fs_read"), "23"),
    (TurnQuery(tool="fs_read_all"), "5"),
    (TurnQuery(tool="fs"), ""),
    (TurnQuery(tool="fs_read%"), ""),
    (TurnQuery(tool="operator"), ""),
    (TurnQuery(outcomes=("success",)), "125"),
    (TurnQuery(outcomes=["timeout", "tool_error"]), "34"),
    (TurnQuery(outcomes={"cancelled", "unheard of"}), "6"),
    (TurnQuery(outcomes=("running",)), "7"),
    (TurnQuery(ids=["t5", "t2", "t9"]), "25"),
    (TurnQuery(ids={"t7"}), "7"),
    (TurnQuery(ids=frozenset({"T1", "", "t"})), ""),
    (TurnQuery(ids=()), ""),
    (TurnQuery(ids=[f"t{number}" for number in range(3, 40_000)]), "34567"),
)
BY_TIME_AND_NUMBER = (
    (TurnQuery(since=START), "1234567"),
    (TurnQuery(since=START + _at(30)), "4567"),
    (TurnQuery(since=(START + _at(30)).astimezone(timezone(timedelta(hours=-11)))), "4567"),
    (TurnQuery(since=START + _at(30.000001)), "567"),
    (TurnQuery(since=START + _at(86_400)), ""),
    (TurnQuery(until=START), ""),
    (TurnQuery(until=START + _at(30)), "123"),
    (TurnQuery(until=(START + _at(30)).astimezone(timezone(timedelta(hours=5.5)))), "123"),
    (TurnQuery(until=START + _at(30.000001)), "1234"),
    (TurnQuery(since=START + _at(10), until=START + _at(40)), "234"),
    (TurnQuery(since=START + _at(10), until=START + _at(10)), ""),
    (TurnQuery(since=START + _at(40), until=START + _at(10)), ""),
    (TurnQuery(after=5), "67"),
    (TurnQuery(after=7), ""),
    (TurnQuery(newest_first=True), "7654321"),
    (TurnQuery(newest_first=True, session="main"), "7421"),
    (TurnQuery(limit=3), "123"),
    (TurnQuery(limit=7), "1234567"),
    (TurnQuery(limit=10**9), "1234567"),
    (TurnQuery(limit=0), ""),
    (TurnQuery(limit=-1), ""),
    (TurnQuery(limit=3, session="main"), "124"),
    (TurnQuery(limit=2, newest_first=True), "76"),
    (TurnQuery(limit=3, after=3), "456"),
)
BY_TEXT = (
    *((TurnQuery(text=text), "1") for text in ("plants", "Done")),
    *((TurnQuery(text=text), "2") for text in ("3 lines", "notes.md")),
    *((TurnQuery(text=text), "23") for text in ("read", "READ")),
    *((TurnQuery(text=text), "3") for text in ("STRASSE", "straße", "σίσυφος")),
    *((TurnQuery(text=text), "4") for text in ("%", "_")),
    *((TurnQuery(text=text), "5") for text in ("\\", "\\n", "a*b [x] (y)", "'", '"twice"')),
    *((TurnQuery(text=text), "6") for text in ("two\nlines", "NAÏVE")),
    (TurnQuery(text="lines"), "26"),
    (TurnQuery(text="still"), "7"),
    *((TurnQuery(text=text), "") for text in ("nowhere", ".*", "naive", "t1", "2026", "Done.read", "null", "answer")),
    *((TurnQuery(text=text), "") for text in ("operator", "fs_read", "timeout", "other", "octet")),
)
TOGETHER = (
    (TurnQuery(session="main", tool="fs_read"), "2"),
    (TurnQuery(session="main", outcomes=("timeout",)), ""),
    (TurnQuery(agent="operator", tool="fs_read", text="read", outcomes=("timeout",)), "3"),
    (TurnQuery(ids=("t1", "t3", "t5"), session="main"), "1"),
    (TurnQuery(ids=set(), session="main"), ""),
    (TurnQuery(after=2, agent="operator", until=START + _at(30)), "3"),
    (TurnQuery(limit=1, text="vault", agent="vault"), ""),
    (TurnQuery(limit=1, agent="vault-2", newest_first=True), "5"),
    (TurnQuery(ids=("t7",), agent="operator"), ""),
    (TurnQuery(ids=("t7",), tool="fs_read"), ""),
    (TurnQuery(ids=("t7",), text="none"), ""),
    (
        TurnQuery(
            session="main",
            agent="operator",
            tool="fs_read",
            outcomes=("success", "timeout"),
            since=START,
            until=START + _at(50),
            text="NOTES",
            ids=("t1", "t2", "t3"),
            after=1,
            newest_first=True,
            limit=5,
        ),
        "2",
    ),
)


class QueriesContract(StoreUnderTest):
    """What a :class:`~lango_nb.stores.store.TurnQuery` finds."""

    def played(self, place: Path) -> TurnLog:
        """Open a store with seven turns in it."""
        log = self.open(place).log
        for number, (key, session, text, answer, outcome, agents, tools) in enumerate(_TURNS):
            more: dict[str, JsonValue] = {"answer": answer, "outcome": outcome, "agents": [*agents], "tools": [*tools]}
            row = begun(key, session, text, 10 * number)
            log.begin(row, events(key, 1, 1))
            log.finish(key, events(key, 2, 3), ended(row, **more), {"of": key})
        log.begin(begun("t7", "main", "still running", 60), events("t7", 1, 1))
        return log

    def finds(self, place: Path, *queries: tuple[TurnQuery, str]) -> None:
        """Make sure that queries find the turns of these numbers, whatever way somebody looks."""
        log = self.played(place)
        for query, numbers in queries:
            rows = log.rows(query)
            keys = ids(rows)
            assert keys == [f"t{number}" for number in numbers], query
            assert log.count(query) == len(keys)
            assert log.numbers(query) == [row["number"] for row in rows] == [int(number) for number in numbers]
            scanned, bare = list(log.scan(query)), list(log.scan(query, with_events=False))
            assert [turn.row for turn in scanned] == [turn.row for turn in bare] == rows
            assert [turn.events for turn in scanned] == [_written(row) for row in rows]
            assert [turn.events for turn in bare] == [[] for _ in rows], "only rows and bodies are read"
            assert [turn.body for turn in scanned] == [turn.body for turn in bare]
            assert [turn.body for turn in scanned] == [{} if key == "t7" else {"of": key} for key in keys]
            assert list(log.events(query)) == [(row, _written(row)) for row in rows]

    def test_turns_are_found_by_session_agent_tool_outcome_and_id(self, tmp_path: Path) -> None:
        self.finds(tmp_path, *BY_NAME)

    def test_turns_are_found_by_time_and_number_some_or_all(self, tmp_path: Path) -> None:
        self.finds(tmp_path, *BY_TIME_AND_NUMBER)

    def test_text_is_part_of_the_request_or_the_answer_and_no_pattern(self, tmp_path: Path) -> None:
        self.finds(tmp_path, *BY_TEXT)

    def test_every_condition_has_to_hold(self, tmp_path: Path) -> None:
        self.finds(tmp_path, *TOGETHER)

    def test_what_is_known_at_the_beginning_is_found_already(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        log.begin(begun("t1", agents=["operator"], tools=["fs_read"], answer="So far"))
        for query in (TurnQuery(agent="operator"), TurnQuery(tool="fs_read"), TurnQuery(text="so far")):
            assert ids(log.rows(query)) == ["t1"]

    def test_a_turn_is_found_by_how_it_ended_not_how_it_began(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        row = begun("t7", "main", "another text", 60)
        log.finish("t7", [], ended(row, agents=["vault"], tools=["fs_read"], outcome="timeout"), {"of": "t7"})
        assert log.rows(TurnQuery(outcomes=("running",))) == log.rows(TurnQuery(text="still running")) == []
        assert ids(log.rows(TurnQuery(text="another text", agent="vault", tool="fs_read"))) == ["t7"]

    def test_who_goes_through_turns_may_stop_and_write(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        scanned, gone_through = log.scan(), log.events(TurnQuery(session="main"))
        assert next(scanned).row["id"] == next(gone_through)[0]["id"] == "t1"
        play(log, "t8")
        log.write("t7", events("t7", 2, 2))
        assert [turn.row["id"] for turn in islice(scanned, 5)] == ["t2", "t3", "t4", "t5", "t6"]
        assert next(gone_through)[0]["id"] == "t2"

    def test_who_goes_through_turns_may_forget_them_and_begin_new_ones(self, tmp_path: Path) -> None:
        log = self.played(tmp_path)
        seen = []
        for place, turn in enumerate(islice(log.scan(with_events=False), 30)):
            seen.append(str(turn.row["id"]))
            log.remove([seen[-1]])
            log.begin(begun(f"new-{place}", "new"))
        assert seen[:7] == [f"t{number}" for number in range(1, 8)]
        assert len(seen) == len(set(seen)) < 30, "and comes to an end"
        assert ids(log.rows(TurnQuery(after=6)))[0] == "t7"


def _written(row: Row) -> list[Row]:
    return events(str(row["id"]), 1, 1 if row["id"] == "t7" else 3)
