"""Tasks as a listing."""

from __future__ import annotations

from lango_nb import viz
from lango_nb.viz.listings import tasks_table
from tests.unit.viz import samples


def test_every_task_has_a_row_and_the_states_are_counted() -> None:
    table = tasks_table(samples.tasks())
    assert table.rows[:2] == (
        ("task-1", "in progress", "Tidy the folder", "", ""),
        ("task-2", "done", "Read notes.md", "", "task-1"),
    )
    assert table.note == "1 in progress, 1 done, 1 todo"


def test_a_list_of_tasks_is_shown_as_such() -> None:
    assert viz.to_text(samples.tasks()) == viz.to_text(tasks_table(samples.tasks()))
    assert viz.to_html(list(samples.tasks())) == viz.to_html(tasks_table(samples.tasks()))


def test_none_says_how_they_are_made() -> None:
    assert "no task yet; agents note them with task_create" in viz.to_text(tasks_table(()))
