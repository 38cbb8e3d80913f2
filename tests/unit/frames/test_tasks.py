"""tasks_df: one row per task."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from lango_nb.frames import tasks_df
from lango_nb.records.tasks import Task
from tests.unit.viz import samples


def test_every_field_of_a_task_has_a_column_with_its_value() -> None:
    df: Any = tasks_df(samples.tasks())
    for field in fields(Task):
        name = "task_id" if field.name == "id" else field.name
        assert df[name].tolist() == [getattr(task, field.name) for task in samples.tasks()], name


def test_parts_join_with_what_they_are_part_of() -> None:
    df: Any = tasks_df(samples.tasks())
    joined = df.merge(df, left_on="parent_id", right_on="task_id", suffixes=("", "_whole"))
    assert joined[["title", "title_whole"]].to_numpy().tolist() == [["Read notes.md", "Tidy the folder"]]
