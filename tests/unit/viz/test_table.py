"""Tables of any kind."""

from __future__ import annotations

from lango_nb import viz
from lango_nb.lab.view_types import listing
from lango_nb.viz.table import Table


def test_numbers_go_right_words_left_and_missing_values_are_empty() -> None:
    made = viz.to_text(Table("t", ("name", "n", "ok"), (("a", 1, True), ("bb", 12000, None))))
    assert made.split("\n")[2:] == [
        "name       n  ok",
        "────  ──────  ───",
        "a          1  yes",
        "bb    12,000",
    ]
    source = viz.to_html(Table("t", ("name", "n"), (("a", 1), ("b", 2.5))))
    assert source.count("text-align:right") == 3


def test_an_empty_table_says_so() -> None:
    assert viz.to_text(Table("tools", ("a",), empty="no tool matches")) == "tools\n\nno tool matches"
    assert "no tool matches" in viz.to_html(Table("tools", ("a",), empty="no tool matches"))


def test_the_note_stands_below() -> None:
    assert viz.to_text(Table("t", ("a",), (("x",),), "look here")).endswith("x\n\nlook here")


def test_very_many_rows_are_counted() -> None:
    table = Table("t", ("a",), tuple((n,) for n in range(1234)))
    assert "t · 1,234 rows" in viz.to_text(table)
    assert "and 734 rows more" in viz.to_text(table) or "and 734 rows" in viz.to_text(table)
    assert viz.to_html(table).count("<tr") == 501


def test_very_many_columns_are_counted_and_the_frame_has_them_all() -> None:
    table = Table("t", tuple(f"c{n}" for n in range(10_000)), (tuple(range(10_000)),))
    page = viz.to_html(table)
    assert len(page) < 100_000
    assert "and 9,900 columns more; the DataFrame has them all" in page
    assert "and 9,900 columns more" in viz.to_text(table).replace("\n", " ")
    assert listing(None, table).df.shape == (1, 10_000)


def test_long_cells_are_cut_with_the_whole_at_hand() -> None:
    made = viz.to_html(Table("t", ("a",), (("word " * 300,),)))
    assert "…</span>" in made
    assert 'title="word word' in made
