"""Tasks of root and agents, one row each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from lango_nb.frames.column import Sources, stored
from lango_nb.frames.frame import frame
from lango_nb.records.tasks import Task
from lango_nb.stores.schema import TASKS

_task = partial(stored, TASKS, "task")
COLUMNS = (
    _task("id", as_="task_id"),
    _task("parent_id"),
    _task("status"),
    _task("title"),
    _task("description"),
    _task("created_at"),
    _task("updated_at"),
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
