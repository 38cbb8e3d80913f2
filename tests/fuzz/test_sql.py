"""Whatever lies in a database and whatever is asked for: the answer is the one that a store in memory gives."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lango_nb.stores.opening import open_store
from lango_nb.stores.rows import RowFormat, from_text, row_format, to_name, to_text
from lango_nb.stores.schema import DOCUMENTS, OF_TURNS
from lango_nb.stores.sql import SqlStore, memory_store
from lango_nb.stores.store import Row, Store, TurnQuery, stamp
from tests.postgresql import schema

START = datetime(2026, 1, 1, tzinfo=UTC)
CHARACTERS = "aA1ß\u017f\u0130i\u0131%_'\"\\:{ \x00\udc80é\U0001f600"
"""With letters whose upper and lower case are special, and half a character; JSON knows no two halves side by side."""
words = st.text(CHARACTERS, max_size=4)
names = st.sampled_from(["main", "other", "", "a\0b", "a\\u0000b", "\udc80", "x" * 300, "%"])
values: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 1.0, 0.5, -1, 2**63, 10**30, "1", "", "true"]) | words,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(words, inner, max_size=2),
    max_leaves=4,
)
fields = st.sampled_from(["a", "b", "a b", 'a":"', "\x00"])
documents = st.lists(st.dictionaries(fields, values, max_size=3), max_size=6)
times = st.integers(0, 5).map(lambda hour: START + timedelta(hours=hour))
some_names = st.one_of(st.none(), names, st.lists(names | st.integers(0, 1), max_size=3))
ends = st.fixed_dictionaries(
    {"session_id": names},
    optional={
        "outcome": st.one_of(names, st.none(), st.integers(0, 1)),
        "started_at": st.one_of(times.map(stamp), st.none(), words),
        "text": st.one_of(words, st.none(), st.integers(0, 11)),
        "answer": st.one_of(words, st.none()),
        "agents": some_names,
        "tools": some_names,
    },
)
turns = st.lists(st.tuples(names, ends, st.booleans(), st.integers(0, 3)), max_size=6)
maybe_times = st.one_of(st.none(), times)
queries = st.builds(
    TurnQuery,
    session=st.one_of(st.none(), names),
    agent=st.one_of(st.none(), names),
    tool=st.one_of(st.none(), names),
    outcomes=st.lists(st.one_of(names, st.just("running")), max_size=2),
    since=maybe_times,
    until=maybe_times,
    text=st.one_of(st.just(""), words),
    ids=st.one_of(st.none(), st.lists(st.sampled_from([f"turn-{place}\0" for place in range(6)]), max_size=4)),
    after=st.integers(-1, 5),
    newest_first=st.booleans(),
    limit=st.one_of(st.none(), st.integers(0, 4)),
)
narrow = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlStore]:
    if request.param == "sqlite":
        store = open_store(f"sqlite:///{tmp_path}/records.db", durability="none")
        yield store
        store.close()
        return
    with schema() as address:
        store = open_store(address, durability="none")
        yield store
        store.close()


def play(store: Store, turns: list[tuple[str, Row, bool, int]]) -> None:
    for place, (session, end, is_closed, events) in enumerate(turns):
        key = f"turn-{place}\0"
        written: list[Row] = [{"kind": "text", "seq": seq, "text": session} for seq in range(events)]
        store.log.begin({**end, "id": key, "session_id": session}, written[:1])
        if is_closed:
            store.log.finish(key, written[1:], {**end, "id": key, "session_id": session}, {"of": session})
        else:
            store.log.write(key, written[1:])


def plain(rows: list[Row]) -> list[Row]:
    """Leave out the numbers, which go on from one example to the next in a store that is kept."""
    return [{name: value for name, value in row.items() if name != "number"} for row in rows]


@narrow
@given(turns=turns, asked=st.lists(queries, min_size=1, max_size=4))
def test_turns_are_found_as_in_memory(
    store: SqlStore, turns: list[tuple[str, Row, bool, int]], asked: list[TurnQuery]
) -> None:
    memory = memory_store()
    for row in store.log.rows(TurnQuery(outcomes=("running",))):
        store.log.finish(str(row["id"]), [], {**row, "outcome": "success"}, {})
    store.log.remove([str(row["id"]) for row in store.log.rows()])
    play(memory, turns)
    play(store, turns)
    first = min((int(str(row["number"])) for row in store.log.rows()), default=1)
    for query in (TurnQuery(), *asked):
        moved = _from(query, first - 1)
        expected = plain(memory.log.rows(query))
        assert plain(store.log.rows(moved)) == expected
        assert store.log.count(moved) == memory.log.count(query)
        assert plain([turn.row for turn in store.log.scan(moved)]) == expected
        assert [turn.body for turn in store.log.scan(moved)] == [turn.body for turn in memory.log.scan(query)]
        assert [found for _, found in store.log.events(moved)] == [found for _, found in memory.log.events(query)]
    assert store.log.sessions() == memory.log.sessions()


def _from(query: TurnQuery, offset: int) -> TurnQuery:
    after = query.after + offset if query.after > 0 else query.after
    return TurnQuery(**{**{name: getattr(query, name) for name in TurnQuery.__slots__}, "after": after})


@narrow
@given(
    rows=documents,
    asked=st.lists(st.dictionaries(fields, values, max_size=2), min_size=1, max_size=4),
    newest_first=st.booleans(),
    limit=st.one_of(st.none(), st.integers(-1, 4)),
)
def test_documents_are_found_as_in_memory(
    store: SqlStore, rows: list[Row], asked: list[Row], newest_first: bool, limit: int | None
) -> None:
    memory, tasks = memory_store().documents("task"), store.documents("task")
    tasks.remove(*(str(row["id"]) for row in tasks.find()))
    for place, row in enumerate(rows):
        for kept in (memory, tasks):
            kept.put({**row, "id": f"t{place % 4}"})
    for where in (None, *asked, *rows):
        found = tasks.find(where, newest_first=newest_first, limit=limit)
        assert found == memory.find(where, newest_first=newest_first, limit=limit)
        assert tasks.find(where, limit=10**30) == memory.find(where)
    assert len(tasks) == len(memory)


@given(row=st.dictionaries(words, values, max_size=4))
def test_rows_are_kept_to_the_letter(row: Row) -> None:
    text = to_text(row)
    assert repr(from_text(text)) == repr(row)
    assert "\0" not in text
    text.encode()


tables = st.sampled_from([row_format(table.name) for table in (*OF_TURNS, *DOCUMENTS.values())])
columns = st.sampled_from(sorted({c.path for t in (*OF_TURNS, *DOCUMENTS.values()) for c in t.columns if c.path}))


@example(form=row_format("events"), row={"usage.model": "a name of its own"}, usage={})
@given(form=tables, row=st.dictionaries(columns | words, values, max_size=6), usage=st.dictionaries(words, values))
def test_a_record_comes_back_from_its_columns_whatever_it_holds(form: RowFormat, row: Row, usage: Row) -> None:
    row = {**row, "usage": usage}
    found = form.row(form.values(row))
    assert found == row
    assert {name: type(value) for name, value in found.items()} == {name: type(value) for name, value in row.items()}


@given(form=tables, row=st.dictionaries(columns, values, min_size=1, max_size=6), data=st.data())
def test_a_record_with_one_value_that_is_another_is_noticed(form: RowFormat, row: Row, data: st.DataObject) -> None:
    stored = form.values(row)
    place = data.draw(st.integers(0, len(stored) - 1))
    other = data.draw(st.sampled_from(["", "x", 7, 0.25, -1]).filter(lambda value: value != stored[place]))
    with pytest.raises(ValueError, match="checksum"):
        form.row([*stored[:place], other, *stored[place + 1 :]])


@given(
    one=st.text(CHARACTERS + "u05c0…", max_size=9),
    other=st.text(CHARACTERS + "u05c0…", max_size=9),
    times=st.integers(1, 60),
)
def test_different_names_are_spelled_differently(one: str, other: str, times: int) -> None:
    one, other = one * times, other * times
    assert (to_name(one) == to_name(other)) == (one == other)
    assert "\0" not in to_name(one)
    assert len(to_name(one).encode()) < 2000
