"""Task tools: ``task_create``, ``task_get``, ``task_list``, ``task_update``.

A light list of what is to be done, kept by the engine's :class:`~lango_nb.tools.services.TaskService`. A call that
misses something is refused before any task is looked up.
"""

from __future__ import annotations

from lango_nb.tools.builtin.answers import as_json, require, told_to_model
from lango_nb.tools.context import ToolContext
from lango_nb.tools.decorator import tool
from lango_nb.tools.services import TaskService
from lango_nb.tools.tool import ToolResult


@tool(safety="safe", source="builtin", role="control")
async def task_create(title: str, description: str = "", parent_id: str = "", *, context: ToolContext) -> ToolResult:
    """Note a new task.

    Parameters
    ----------
    title : str
        Short title.
    description : str
        What it is about.
    parent_id : str
        Id of the task it belongs to.
    """
    require(title=title)
    service = context.service(TaskService)
    with told_to_model():
        return as_json(await service.create(title, description, parent_id))


@tool(safety="safe", source="builtin", role="control")
async def task_get(task_id: str, *, context: ToolContext) -> ToolResult:
    """Show a task.

    Parameters
    ----------
    task_id : str
        Id of the task, as task_create returned it.
    """
    require(task_id=task_id)
    service = context.service(TaskService)
    with told_to_model():
        return as_json(await service.get(task_id.strip()))


@tool(safety="safe", source="builtin", role="control")
async def task_list(status: str = "", parent_id: str = "", *, context: ToolContext) -> ToolResult:
    """List tasks, by status or parent.

    Parameters
    ----------
    status : str
        Only tasks that are todo, in_progress, done or blocked.
    parent_id : str
        Only tasks that belong to this one.
    """
    service = context.service(TaskService)
    with told_to_model():
        return as_json(await service.list(status, parent_id))


@tool(safety="safe", source="builtin", role="control")
async def task_update(task_id: str, status: str = "", description: str = "", *, context: ToolContext) -> ToolResult:
    """Change the status or description of a task.

    Parameters
    ----------
    task_id : str
        Id of the task.
    status : str
        todo, in_progress, done or blocked; as it is when left out.
    description : str
        What it is about; as it is when left out.
    """
    require(task_id=task_id)
    service = context.service(TaskService)
    with told_to_model():
        return as_json(await service.update(task_id.strip(), status, description))


TASK_TOOLS = (task_create, task_get, task_list, task_update)
