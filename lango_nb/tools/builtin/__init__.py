"""The tools that come with the package, one file per family."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lango_nb.tools.tool import Tool


def builtin_tools() -> tuple[Tool, ...]:
    """Return the tools that are real: files, commands, teammates, tasks, an agent's own memory, stored outputs.

    Returns
    -------
    tuple of Tool
        By family, each in the order of the reference table.

    Examples
    --------
    >>> [tool.name for tool in builtin_tools()][:3]
    ['exec', 'exec_bg', 'exec_status']
    """
    from lango_nb.tools.builtin import agents, fs, memory, tasks, tool_output
    from lango_nb.tools.builtin import exec as commands

    return (
        commands.run_command,
        commands.start_in_background,
        commands.show_process,
        commands.stop_process,
        fs.fs_read,
        fs.fs_list,
        fs.fs_write,
        fs.fs_edit,
        fs.fs_mkdir,
        fs.fs_delete,
        fs.fs_stat,
        *agents.AGENT_TOOLS,
        *tasks.TASK_TOOLS,
        *memory.MEMORY_TOOLS,
        tool_output.tool_output_get,
    )


@cache
def control_names() -> frozenset[str]:
    """Return the names of the control tools: for places that know a call's name and not its tool.

    Examples
    --------
    >>> {"agent_wait", "task_list", "tool_output_get"} <= control_names(), "fs_read" in control_names()
    (True, False)
    """
    from lango_nb.tools.by_name import spec_families

    return frozenset(tool.name for tool in (*builtin_tools(), *spec_families()) if tool.is_control)
