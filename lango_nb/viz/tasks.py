"""Tasks of root and agents as a listing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lango_nb.records.tasks import Task
from lango_nb.viz.table import Table

_COLUMNS = ("id", "status", "title", "description", "part of")


def tasks_table(tasks: Sequence[Task]) -> Table:
    """List tasks in the order in which they were noted.

    Parameters
    ----------
    tasks : sequence of Task

    Returns
    -------
    Table
    """
    rows = tuple(
        (task.id, task.status.replace("_", " "), task.title, task.description, task.parent_id) for task in tasks
    )
    states = Counter(task.status.replace("_", " ") for task in tasks)
    note = ", ".join(f"{number:,} {state}" for state, number in states.items())
    return Table("tasks", _COLUMNS, rows, note, empty="no task yet; agents note them with task_create")
