"""Conversations as a listing: what is there, which one goes on, and what is said when there are none."""

from __future__ import annotations

from lango_nb import viz
from lango_nb.viz.listings import sessions_table
from tests.unit.viz import samples


def test_the_present_one_is_named_below() -> None:
    table = sessions_table(samples.sessions(), "shed")
    assert "shed" in [row[0] for row in table.rows]
    assert table.note == "the next request goes on in shed"
    assert sessions_table(samples.sessions()).note == ""


def test_a_new_one_is_announced_below_the_others() -> None:
    assert "the next request begins session-7" in viz.to_text(sessions_table(samples.sessions(), "session-7"))


def test_without_any_the_next_one_is_named_once() -> None:
    said = viz.to_text(sessions_table((), "main"))
    assert said == "sessions\n\nno session has a turn yet; the next request goes to main"
    assert viz.to_text(sessions_table(())) == "sessions\n\nno session has a turn yet"


def test_a_long_title_is_cut_and_names_stay_whole() -> None:
    rows = sessions_table(samples.sessions()).rows
    assert [row[0] for row in rows] == [row["id"] for row in samples.sessions()]
    assert str(rows[1][2]).endswith("…")
    assert len(str(rows[1][2])) <= 100
