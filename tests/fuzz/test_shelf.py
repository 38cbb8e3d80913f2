"""A shelf answers as TinyDB in memory does, whatever is done, and its file says again what was put there."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tinydb import Query, TinyDB, where
from tinydb.storages import MemoryStorage

from lango_nb.lab.shelf import open_shelf
from lango_nb.lab.shelf.layout import plain, read_text, write_text

texts = st.text(max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
documents = st.dictionaries(texts, values, max_size=4)
numbers = st.integers(min_value=-(10**17), max_value=10**17).map(str)
tables = st.dictionaries(texts, st.dictionaries(numbers, documents, max_size=3), max_size=3)


@given(tables)
def test_what_is_written_is_read_again_and_written_the_same(data: dict[str, dict[str, dict[str, Any]]]) -> None:
    data = {kind: {n: plain("x/1", document) for n, document in found.items()} for kind, found in data.items()}
    text = write_text(data)
    text.encode()
    again = read_text(text, "shelf.json")
    assert json.dumps(again, sort_keys=True) == json.dumps(data, sort_keys=True)
    assert write_text(again) == text


names = st.sampled_from(["notes", "tags"])
small = st.fixed_dictionaries({"x": st.integers(0, 3)}, optional={"y": st.sampled_from(["a", "b"])})
condition = st.integers(0, 3).map(lambda x: where("x") == x) | st.just(Query().y.exists())
steps = st.one_of(
    st.tuples(st.just("insert"), names, small),
    st.tuples(st.just("insert_multiple"), names, st.lists(small, max_size=3)),
    st.tuples(st.just("update"), names, small, condition),
    st.tuples(st.just("upsert"), names, small, condition),
    st.tuples(st.just("remove"), names, condition),
    st.tuples(st.just("search"), names, condition),
    st.tuples(st.just("truncate"), names),
    st.tuples(st.just("all"), names),
)


@given(st.lists(steps, max_size=12))
def test_a_shelf_answers_as_tinydb_does(deeds: list[tuple[Any, ...]]) -> None:
    model = TinyDB(storage=MemoryStorage)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "shelf.json")
        shelf = open_shelf(file)
        for name, table, *arguments in deeds:
            told = getattr(model.table(table), name)(*arguments)
            # TinyDB remembers its last number; a shelf goes by what is there, since others write too
            model.table(table)._next_id = None
            assert getattr(shelf.table(table), name)(*arguments) == told
        for table in model.tables():
            assert open_shelf(file).table(table).all() == model.table(table).all()
        whole = [{**document, "kind": name} for name in model.tables() for document in model.table(name)]
        assert sorted(map(repr, map(sorted, (d.items() for d in shelf.all())))) == sorted(
            map(repr, map(sorted, (d.items() for d in whole)))
        )
