"""Whatever is done to a store in whatever order, it answers as a store in memory does, reopened or opened twice."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from lango_nb.core.errors import StoreError
from lango_nb.stores.sql import memory_store
from lango_nb.stores.store import Durability, Row, Store, TurnQuery, stamp
from lango_nb.testing.stores.samples import START, begun, ended, event
from tests.postgresql import VARIABLE
from tests.stores import drop_schema, postgresql_store, sqlite_store

if TYPE_CHECKING:
    from pydantic import JsonValue

Answer = tuple[str, str]

KEYS = ("a", "b", "A", "a/b", "é", "e\u0301")
KINDS = ("task", "memory")
SESSIONS = ("main", "Main", "../x", "漢")
TEXTS = ("", "Straße", "STRASSE", "100%", "a_b", "a\nb", "\x00", "\udcff", "x" * 200)
AGENTS = ("vault", "vault-2", "operator")
VALUES: tuple[JsonValue, ...] = (None, "", "a", "A", "2", 2, 3, 2**64, [2], ["2"], {"x": None}, {"y": [1, {}]})
"""Alike on purpose; but no two that are equal in Python and differ in JSON."""

keys, kinds, sessions, texts = map(st.sampled_from, (KEYS, KINDS, SESSIONS, TEXTS))
fields = st.dictionaries(st.sampled_from(("x", "y", "a.b", "")), st.sampled_from(VALUES), max_size=3)
anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
times = st.integers(0, 9).map(lambda minute: START + timedelta(minutes=minute))
limits = st.none() | st.integers(0, 4)
queries = st.builds(
    TurnQuery,
    session=st.none() | sessions,
    agent=st.none() | st.sampled_from((*AGENTS, "vaul%")),
    tool=st.none() | st.sampled_from(("fs_read", "fs")),
    outcomes=st.sets(st.sampled_from(("success", "timeout", "running"))),
    since=st.none() | times,
    until=st.none() | times,
    text=st.sampled_from((*TEXTS, "strasse", "%", "_")),
    ids=st.none() | st.sets(keys),
    after=st.integers(0, 6),
    newest_first=st.booleans(),
    limit=limits,
)
few_queries = st.just(TurnQuery()) | st.builds(TurnQuery, session=sessions) | queries
rows_of_turns = st.fixed_dictionaries({"text": texts, "started_at": times.map(stamp)})
first_rows = rows_of_turns | st.fixed_dictionaries({"value": anything})
last_rows = st.fixed_dictionaries(
    {
        "outcome": st.sampled_from(("success", "timeout")),
        "answer": texts,
        "agents": st.lists(st.sampled_from(AGENTS)),
        "tools": st.sampled_from(([], ["fs_read"], ["fs_read", "fs_read"])),
    }
)
bodies = st.fixed_dictionaries({"messages": st.lists(anything, max_size=2)})
written = st.lists(st.tuples(st.integers(0, 9), anything), max_size=3)


def answer(ask: Callable[[], object]) -> Answer:
    """Return what a store answers to the letter, or the code of its error."""
    try:
        return "answer", json.dumps(ask(), sort_keys=True)
    except StoreError as error:
        return "error", error.code if len(str(error).splitlines()) == 1 else f"more than one line: {error}"


def events(key: str, given: list[tuple[int, Any]]) -> list[Row]:
    return [event(key, seq, value=value) for seq, value in given]


class TwoStores(RuleBasedStateMachine):
    """A store under test, at times opened twice, beside one in memory."""

    durability: ClassVar[Durability] = "turn"

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp(prefix="lango-tests-"))
        self.model = memory_store()
        self.opened: list[Store] = []
        self.begun_by: dict[str, Store] = {}
        """Who began a turn that is open."""
        self.gone: list[Store] = []
        self.given: set[int] = set()

    def make(self) -> Store:
        raise NotImplementedError

    @initialize()
    def open_first(self) -> None:
        self.opened.append(self.make())

    def teardown(self) -> None:
        for store in self.opened:
            store.close()
        shutil.rmtree(self.place)

    def both(self, which: int, ask: Callable[[Store], object]) -> Answer:
        """Ask the store under test, through one of its openings, and the one in memory: the answers are equal."""
        expected = answer(lambda: ask(self.model))
        found = answer(lambda: ask(self.opened[which % len(self.opened)]))
        assert found == expected
        return found

    @rule(which=st.integers(0, 1), kind=kinds, rows=st.lists(st.tuples(keys, fields), max_size=3), urgent=st.booleans())
    def put(self, which: int, kind: str, rows: list[tuple[str, Row]], *, urgent: bool) -> None:
        given = [{**row, "id": key} for key, row in rows]
        self.both(which, lambda store: store.documents(kind).put(*given, is_urgent=urgent))

    @rule(which=st.integers(0, 1), kind=kinds, key=keys, value=anything, urgent=st.booleans())
    def add(self, which: int, kind: str, key: str, value: Any, *, urgent: bool) -> None:
        self.both(which, lambda store: store.documents(kind).add({"id": key, "value": value}, is_urgent=urgent))

    @rule(which=st.integers(0, 1), kind=kinds, key=keys, row=fields, fails=st.booleans())
    def change(self, which: int, kind: str, key: str, row: Row, *, fails: bool) -> None:
        def make(present: Row) -> Row:
            if fails:
                raise StoreError("not now", "own")
            return {**present, **row, "changed": [present.get("x")]}

        self.both(which, lambda store: store.documents(kind).change(key, make))

    @rule(which=st.integers(0, 1), kind=kinds, gone=st.lists(keys, max_size=3))
    def remove(self, which: int, kind: str, gone: list[str]) -> None:
        self.both(which, lambda store: store.documents(kind).remove(*gone))

    @rule(which=st.integers(0, 1), kind=kinds, where=st.none() | fields, newest_first=st.booleans(), limit=limits)
    def find(self, which: int, kind: str, where: Row | None, limit: int | None, *, newest_first: bool) -> None:
        self.both(which, lambda store: store.documents(kind).find(where, newest_first=newest_first, limit=limit))

    @rule(which=st.integers(0, 1), kind=kinds, key=keys)
    def get(self, which: int, kind: str, key: str) -> None:
        self.both(which, lambda store: [store.documents(kind).get(key), len(store.documents(kind))])

    @rule(which=st.integers(0, 1), key=keys, session=sessions, row=first_rows, given=written)
    def begin(self, which: int, key: str, session: str, row: Row, given: list[tuple[int, Any]]) -> None:
        row = {**begun(key, session), **row}
        how, number = self.both(which, lambda store: store.log.begin(row, events(key, given)))
        if how == "answer":
            assert int(number) not in self.given
            self.given.add(int(number))
            self.begun_by[key] = self.opened[which % len(self.opened)]

    @rule(which=st.integers(0, 1), key=keys, given=written, urgent=st.booleans())
    def write(self, which: int, key: str, given: list[tuple[int, Any]], *, urgent: bool) -> None:
        self.both(which, lambda store: store.log.write(key, events(key, given), is_urgent=urgent))

    @rule(which=st.integers(0, 1), key=keys, given=written, row=last_rows, body=bodies)
    def finish(self, which: int, key: str, given: list[tuple[int, Any]], row: Row, body: Row) -> None:
        present = self.model.log.read(key)
        last = {**ended(present.row if present else begun(key)), **row}
        how, _ = self.both(which, lambda store: store.log.finish(key, events(key, given), last, body))
        if how == "answer":
            del self.begun_by[key]

    @rule(which=st.integers(0, 1), gone=st.sets(keys, max_size=3))
    def forget(self, which: int, gone: set[str]) -> None:
        self.both(which, lambda store: store.log.remove(gone))

    @rule(which=st.integers(0, 1), query=few_queries, with_events=st.booleans())
    def look(self, which: int, query: TurnQuery, *, with_events: bool) -> None:
        self.both(which, lambda store: [store.log.rows(query), store.log.count(query)])
        self.both(which, lambda store: list(store.log.events(query)))
        self.both(
            which,
            lambda store: [
                [turn.row, turn.events, turn.body] for turn in store.log.scan(query, with_events=with_events)
            ],
        )

    @rule(which=st.integers(0, 1), key=keys)
    def read(self, which: int, key: str) -> None:
        def found(store: Store) -> object:
            turn = store.log.read(key)
            return turn and [turn.row, turn.events, turn.body]

        self.both(which, found)

    @rule()
    def reopen(self) -> None:
        for store in self.opened:
            store.close()
        self.gone += self.opened
        self.opened = [self.make()]

    @precondition(lambda self: len(self.opened) == 1)
    @rule()
    def open_twice(self) -> None:
        self.opened.append(self.make())

    @precondition(lambda self: len(self.opened) == 2)
    @rule(which=st.integers(0, 1))
    def close_one(self, which: int) -> None:
        store = self.opened.pop(which)
        store.close()
        self.gone.append(store)

    @rule(which=st.integers(0, 1))
    def check(self, which: int) -> None:
        store = self.opened[which % len(self.opened)]
        assert [problem for problem in [*store.problems, *store.check()] if problem.code != "unfinished"] == []

    @invariant()
    def sessions_and_unfinished_turns_are_known(self) -> None:
        orphans = [row for row in self.model.log.rows() if self.begun_by.get(str(row["id"])) in self.gone]
        for store in self.opened:
            assert store.log.sessions() == self.model.log.sessions()
            assert store.log.unfinished() == orphans


class TwoSqliteStores(TwoStores):
    def make(self) -> Store:
        return sqlite_store(self.place, self.durability)


class TwoLooseSqliteStores(TwoSqliteStores):
    durability: ClassVar[Durability] = "none"


class TwoPostgresqlStores(TwoStores):
    def make(self) -> Store:
        return postgresql_store(self.place)

    def teardown(self) -> None:
        super().teardown()
        drop_schema(self.place)


def often(examples: int, steps: int = 30) -> settings:
    """Return how often a machine runs; without the search for explanations, which takes minutes on databases."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    phases = [Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink]
    return settings(max_examples=examples, stateful_step_count=steps, phases=phases, suppress_health_check=slow)


TwoSqliteStores.TestCase.settings = often(30)
TwoLooseSqliteStores.TestCase.settings = often(15)
TwoPostgresqlStores.TestCase.settings = often(8, 50)
TestTwoSqliteStores = TwoSqliteStores.TestCase
TestTwoLooseSqliteStores = TwoLooseSqliteStores.TestCase
TestTwoPostgresqlStores = pytest.mark.skipif(VARIABLE not in os.environ, reason=f"{VARIABLE} names no server")(
    TwoPostgresqlStores.TestCase
)
