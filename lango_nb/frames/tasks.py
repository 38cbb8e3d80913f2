"""Tasks of root and agents, one row each."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.frames.column import Column, Sources
from lango_nb.frames.frame import frame
from lango_nb.records.tasks import Task

COLUMNS = (
    Column("task_id", "task.id", "string", "", "Id of the task."),
    Column("parent_id", "task.parent_id", "string", "", "Task it belongs to; empty when to none."),
    Column("status", "task.status", "string", "", "todo, in_progress, done or blocked."),
    Column("title", "task.title", "string", "", "What is to be done."),
    Column("description", "task.description", "string", "", "More about it."),
    Column("created_at", "task.created_at", "datetime64[ns, UTC]", "", "When it was noted."),
    Column("updated_at", "task.updated_at", "datetime64[ns, UTC]", "", "When it was last changed."),
)


@frame("tasks", COLUMNS, Task)
def tasks_df(tasks: Sequence[Task]) -> Sources:
    """List tasks.

    Parameters
    ----------
    tasks : Task or iterable of Task
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order; nothing else is read.

    Returns
    -------
    DataFrame
        One row per task; join with itself by ``task_id`` and ``parent_id``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.
    """
    return {"task": list(tasks)}
