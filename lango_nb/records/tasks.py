"""Tasks: a light list of what is to be done, for agents to share; no promise that any of it will be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from lango_nb.core.clock import Clock
from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import StoreError, TurnError, UnknownNameError
from lango_nb.core.ids import Ids
from lango_nb.core.lazy import once
from lango_nb.core.masking import mask

if TYPE_CHECKING:
    from lango_nb.core.json_value import JsonValue
    from lango_nb.stores.store import Documents, Row

TaskStatus = Literal["todo", "in_progress", "done", "blocked"]
KIND = "task"
"""Kind of the documents that hold tasks."""
TASK_STATUSES: tuple[str, ...] = get_args(TaskStatus)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One thing to be done, as it was at one moment."""

    id: str
    title: str
    description: str = ""
    parent_id: str = ""
    """The task it belongs to; nobody checks that there is one."""
    status: TaskStatus = "todo"
    created_at: datetime
    updated_at: datetime

    def view(self) -> dict[str, JsonValue]:
        """Return the task as a tool tells it."""
        return {
            "task_id": self.id,
            "title": self.title,
            "description": self.description,
            "parent_id": self.parent_id,
            "status": self.status,
            "created_at": self.created_at.isoformat(),
            "updated_at": self.updated_at.isoformat(),
        }


class Tasks:
    """All tasks, over rows in memory or in a store; safe under threads, and with other processes.

    Parameters
    ----------
    open_documents : callable, optional
        Gives the rows, when somebody first asks for a task; in memory when absent.
    """

    def __init__(self, open_documents: Callable[[], Documents] | None = None) -> None:
        self._open = open_documents

    @once
    def _documents(self) -> Documents:
        if self._open is not None:
            return self._open()
        from lango_nb.stores.sql import memory_store

        return memory_store().documents(KIND)

    def add(self, task: Task) -> Task:
        """Keep a new task.

        Raises
        ------
        TurnError
            There is a task of that id.
        StoreError
            It cannot be written.
        """
        try:
            self._documents.add(pack_task(task))
        except StoreError as error:
            if error.code != "conflict":
                raise
            raise TurnError(f"task {task.id} already exists; every task needs an id of its own") from error
        return task

    def get(self, task_id: str) -> Task:
        """Return a task as it is now.

        Raises
        ------
        UnknownNameError
            There is none of that id.
        """
        row = self._documents.get(task_id)
        if row is None:
            raise self._unknown(task_id)
        return unpack_task(row)

    def list(self, status: str = "", parent_id: str = "") -> tuple[Task, ...]:
        """Return tasks in order of creation; what is not empty narrows them.

        Raises
        ------
        UnknownNameError
            There is no such status.
        """
        where: dict[str, JsonValue] = {"status": _status(status)} if status else {}
        if parent_id:
            where["parent_id"] = parent_id
        return tuple(unpack_task(row) for row in self._documents.find(where))

    def update(self, task_id: str, status: str = "", description: str = "", *, at: datetime) -> Task:
        """Change a task.

        Parameters
        ----------
        task_id : str
        status, description : str
            What is empty stays as it is.
        at : datetime

        Returns
        -------
        Task

        Raises
        ------
        UnknownNameError
            There is no such task, or no such status; nothing is changed then.
        StoreError
            It cannot be written.
        """
        from lango_nb.stores.store import stamp

        wanted = _status(status) if status else ""

        def change(row: Row) -> Row:
            changes: Row = {"status": wanted or row["status"], "updated_at": stamp(at)}
            if description:
                changes["description"] = description
            return {**row, **changes}

        row = self._documents.change(task_id, change)
        if row is None:
            raise self._unknown(task_id)
        return unpack_task(row)

    def __iter__(self) -> Iterator[Task]:
        """Iterate over the tasks there are at this moment."""
        return iter(self.list())

    def __len__(self) -> int:
        """Count the tasks."""
        return len(self._documents)

    def _unknown(self, task_id: str) -> UnknownNameError:
        return UnknownNameError("task", task_id, [str(row["id"]) for row in self._documents.find()])


def pack_task(task: Task) -> Row:
    """Return a task as a row of JSON."""
    from lango_nb.stores.store import stamp

    return {
        "id": task.id,
        "title": task.title,
        "description": task.description,
        "parent_id": task.parent_id,
        "status": task.status,
        "created_at": stamp(task.created_at),
        "updated_at": stamp(task.updated_at),
    }


def unpack_task(row: Row) -> Task:
    """Return the task of a row."""
    values: dict[str, Any] = dict(row)
    for name in ("created_at", "updated_at"):
        values[name] = datetime.fromisoformat(values[name])
    return Task(**values)


class LocalTaskService:
    """What task tools ask: :class:`~lango_nb.tools.services.TaskService` over a store.

    Parameters
    ----------
    tasks : Tasks
    ids : Ids
    clock : Clock

    Notes
    -----
    Source: spec 003 "Task Tools".
    """

    def __init__(self, tasks: Tasks, ids: Ids, clock: Clock) -> None:
        self._tasks, self._ids, self._clock = tasks, ids, clock

    async def create(self, title: str, description: str = "", parent_id: str = "") -> dict[str, JsonValue]:
        """Note a task."""
        now = self._clock.now()
        task = Task(
            id=self._ids.new("task"),
            title=mask(title),
            description=mask(description),
            parent_id=mask(parent_id),
            created_at=now,
            updated_at=now,
        )
        self._tasks.add(task)
        return {"task_id": task.id, "status": task.status}

    async def get(self, task_id: str) -> dict[str, JsonValue]:
        """Return a whole task."""
        return self._tasks.get(task_id).view()

    async def list(self, status: str = "", parent_id: str = "") -> dict[str, JsonValue]:
        """Return tasks and their count."""
        found = [task.view() for task in self._tasks.list(status, mask(parent_id))]
        return {"tasks": cast("JsonValue", found), "count": len(found)}

    async def update(self, task_id: str, status: str = "", description: str = "") -> dict[str, JsonValue]:
        """Change a task and return it."""
        return self._tasks.update(task_id, status, mask(description), at=self._clock.now()).view()


def _status(given: str) -> TaskStatus:
    if given not in TASK_STATUSES:
        raise UnknownNameError("task status", given, TASK_STATUSES)
    return cast("TaskStatus", given)
