"""The tables of a store can be asked with SQL, by a lab and by any other tool, and nothing is changed by it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pandas as pd
import pytest

from lango_nb.core.errors import UsageError
from lango_nb.lab import Lab
from lango_nb.stores.schema import TABLES, VIEWS, described_columns
from lango_nb.stores.sql import postgresql_store
from tests.postgresql import need_postgresql

QUERY = "SELECT number, outcome FROM turns ORDER BY number"


def lab_with_turns(place: Path | None) -> Lab:
    lab = Lab("octet", store=place)
    lab.ask("list the files here")
    lab.ask("hello")
    return lab


@pytest.fixture(params=["memory", "file"])
def lab(request: pytest.FixtureRequest, tmp_path: Path) -> Lab:
    return lab_with_turns(tmp_path / "records" if request.param == "file" else None)


def test_a_query_gives_rows_and_a_frame(lab: Lab) -> None:
    view = lab.sql(QUERY)
    assert view.record.columns == ("number", "outcome")
    assert view.record.rows == ((1, "success"), (2, "success"))
    assert list(view.df["number"]) == [1, 2]
    assert "success" in repr(view)
    assert lab.sql("SELECT text FROM turns WHERE number = 9").df.columns.tolist() == ["text"]


def test_rows_are_limited_and_it_is_said(lab: Lab) -> None:
    view = lab.sql(QUERY, limit=1)
    assert view.record.rows == ((1, "success"),)
    assert "there are more; these are the first 1" in repr(view)


def test_candidates_of_decisions_are_rows(lab: Lab) -> None:
    query = "SELECT c.agent, c.confidence FROM candidates c JOIN decisions d USING (turn, position) ORDER BY place"
    rows = lab.sql(query).record.rows
    assert len(rows) > 1
    assert rows[0][0] == "operator"


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("DELETE FROM turns", "not authorized"),
        ("SELECT 1; DELETE FROM turns", "one statement at a time"),
        ("ATTACH 'other.db' AS other", "not authorized"),
        ("PRAGMA journal_mode = DELETE", "not authorized"),
        ("CREATE TABLE mine (a)", "not authorized"),
        ("SELECT * FROM turnz", "no such table: turnz"),
        ("SELECT nummer FROM turns", "no such column: nummer"),
        ("SELEKT 1", "syntax error"),
        ("", "it gives no rows"),
        ("SELECT '\0'", ""),
    ],
)
def test_what_is_no_query_is_refused_in_one_line_and_changes_nothing(lab: Lab, query: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        lab.sql(query)
    assert str(caught.value).startswith("the query is not carried out: ")
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)
    assert lab.sql("SELECT count(*) FROM turns").record.rows == ((2,),)
    assert lab.ask("hello").outcome == "success", "the connection writes as before"


def test_a_query_without_end_is_stopped(lab: Lab) -> None:
    store = lab.engine.store
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with pytest.raises(UsageError, match="the query took longer"):
        store.select(endless, timeout_s=0.05)  # type: ignore[attr-defined]


def test_a_store_without_records_has_its_tables(tmp_path: Path) -> None:
    for place in (None, tmp_path / "records"):
        assert Lab("solo", store=place).sql("SELECT * FROM events").record.rows == ()
    assert not (tmp_path / "records").exists()


def test_pandas_reads_the_file_itself(tmp_path: Path) -> None:
    lab = lab_with_turns(tmp_path)
    with sqlite3.connect(tmp_path / "records.db") as connection:
        turns = pd.read_sql("SELECT * FROM turns", connection)
        candidates = pd.read_sql("SELECT * FROM candidates", connection)
    assert list(turns["text"]) == ["list the files here", "hello"]
    assert candidates["agent"].iloc[0] == "operator"
    assert {"turn", "position", "place", "agent", "score"} <= {*candidates.columns}
    lab.engine.close()


def test_the_reference_lists_every_column_there_is(tmp_path: Path) -> None:
    lab = lab_with_turns(tmp_path)
    named = {(table, column) for table, column, *_ in lab.tables.record}
    with sqlite3.connect(tmp_path / "records.db") as connection:
        for noun in (*(table.name for table in TABLES), *(view.name for view in VIEWS)):
            for (column,) in connection.execute("SELECT name FROM pragma_table_info(?)", (noun,)):
                assert (noun, column) in named or column in {"data", "checksum", "position"}
                named.discard((noun, column))
    assert not named, "columns that are described and not there"
    assert all(sentence.endswith(".") for *_, sentence in described_columns())
    lab.engine.close()


def test_a_server_is_asked_in_the_same_way() -> None:
    store = postgresql_store(need_postgresql())
    try:
        assert store.select("SELECT 1 AS one, 'a%b?' AS text").rows == ((1, "a%b?"),)
        assert store.select("SELECT generate_series(1, 5)", most=2).is_cut
        for wrong in ("DROP TABLE lango_turns", "SELECT 1; SELECT 2", "COMMIT", "SELECT pg_sleep('x')"):
            with pytest.raises(UsageError, match="not carried out"):
                store.select(wrong)
        with pytest.raises(UsageError, match="took longer"):
            store.select("SELECT pg_sleep(5)", timeout_s=0.1)
    finally:
        store.close()


@pytest.mark.parametrize(("limit", "rows", "is_more"), [(1, 1, True), (2, 2, False), (3, 2, False)])
def test_a_limit_is_said_only_where_there_is_more(limit: int, rows: int, is_more: bool) -> None:
    found = Lab().sql("SELECT 1 AS n UNION SELECT 2", limit)
    assert len(found.df) == rows
    assert found.record.is_cut is is_more
