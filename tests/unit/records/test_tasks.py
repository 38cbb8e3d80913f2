"""The list of tasks and the service that task tools ask."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import TurnError, UnknownNameError
from lango_nb.core.ids import CountedIds
from lango_nb.records.tasks import LocalTaskService, Tasks


class Desk:
    """The service over a store, asked without a loop."""

    def __init__(self) -> None:
        self.tasks = Tasks()
        self.service = LocalTaskService(self.tasks, CountedIds(), SteppedClock(step_ms=1000))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *given, **named: asyncio.run(getattr(self.service, name)(*given, **named))


def test_a_new_task_is_to_be_done_and_is_shown_whole() -> None:
    desk = Desk()
    assert desk.create("Ship it", "to Riga", "task-9") == {"task_id": "task-1", "status": "todo"}
    assert desk.get("task-1") == {
        "task_id": "task-1",
        "title": "Ship it",
        "description": "to Riga",
        "parent_id": "task-9",
        "status": "todo",
        "created_at": "2026-01-01T00:00:00+00:00",
        "updated_at": "2026-01-01T00:00:00+00:00",
    }


def test_an_update_changes_what_is_given_and_returns_the_task() -> None:
    desk = Desk()
    desk.create("Ship it", "to Riga")
    changed = desk.update("task-1", status="in_progress")
    assert (changed["status"], changed["description"]) == ("in_progress", "to Riga")
    assert changed["updated_at"] > changed["created_at"]
    assert desk.update("task-1", description="to Tartu")["status"] == "in_progress"
    assert desk.get("task-1") == {**desk.get("task-1"), "description": "to Tartu", "title": "Ship it"}


def test_filters_narrow_together() -> None:
    desk = Desk()
    for title, parent in (("a", ""), ("b", "task-1"), ("c", "task-1")):
        desk.create(title, parent_id=parent)
    desk.update("task-3", status="done")
    assert [task["title"] for task in desk.list()["tasks"]] == ["a", "b", "c"]
    assert [task["title"] for task in desk.list(parent_id="task-1")["tasks"]] == ["b", "c"]
    found = desk.list(status="done", parent_id="task-1")
    assert ([task["title"] for task in found["tasks"]], found["count"]) == (["c"], 1)
    assert desk.list(status="done", parent_id="task-2") == {"tasks": [], "count": 0}


@pytest.mark.parametrize("status", ["finished", "TODO", " done"])
def test_a_status_that_is_none_is_refused_with_those_there_are(status: str) -> None:
    desk = Desk()
    desk.create("Ship it", "as it was")
    told = r"task status .* not found; (did you mean|there is: todo)"
    with pytest.raises(UnknownNameError, match=told):
        desk.list(status=status)
    with pytest.raises(UnknownNameError, match=told):
        desk.update("task-1", status, "changed")
    assert desk.get("task-1")["description"] == "as it was"


def test_a_task_that_is_not_there_is_said_so() -> None:
    desk = Desk()
    desk.create("Ship it")
    told = "task 'task-2' not found; did you mean 'task-1'"
    with pytest.raises(UnknownNameError, match=told):
        desk.get("task-2")
    with pytest.raises(UnknownNameError, match=told):
        desk.update("task-2", "done")


def test_an_id_is_given_once_and_tasks_are_snapshots() -> None:
    desk = Desk()
    desk.create("Ship it")
    task = desk.tasks.get("task-1")
    with pytest.raises(TurnError, match="task task-1 already exists"):
        desk.tasks.add(task)
    desk.update("task-1", "done")
    assert (task.status, desk.tasks.get("task-1").status, len(desk.tasks)) == ("todo", "done", 1)
    assert [one.id for one in desk.tasks] == ["task-1"]


def test_no_secret_is_kept() -> None:
    desk = Desk()
    desk.create("use sk-abcdefghijklmnop1234", "password = hunter2")
    desk.update("task-1", description="token: hunter3")
    assert "hunter" not in str(desk.get("task-1"))
    assert "sk-abc" not in str(desk.get("task-1"))
