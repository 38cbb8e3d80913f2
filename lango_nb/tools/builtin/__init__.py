"""The tools that come with the package, one file per family."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lango_nb.core.messages import ToolRole, ToolSchema
    from lango_nb.tools.tool import Tool


FAMILIES = ("exec", "fs", "agents", "tasks", "memory", "tool_output")
"""The files that hold tools, in the order of the reference table; every ``@tool`` in one of them comes along."""


@cache
def builtin_tools() -> tuple[Tool, ...]:
    """Return the tools that are real: files, commands, teammates, tasks, an agent's own memory, stored outputs.

    Returns
    -------
    tuple of Tool
        By family, each in the order of its file.

    Examples
    --------
    >>> [tool.name for tool in builtin_tools()][:3]
    ['exec', 'exec_bg', 'exec_status']
    """
    from lango_nb.tools.tool import Tool

    modules = [import_module(f"{__name__}.{family}") for family in FAMILIES]
    return tuple(value for module in modules for value in vars(module).values() if isinstance(value, Tool))


@cache
def primitive_tools() -> Mapping[str, Tool]:
    """Return the eight primitives of a genome by name; the other topologies do not have them, but for ``exec``.

    Examples
    --------
    >>> list(primitive_tools())
    ['read_file', 'write_file', 'edit_file', 'apply_patch', 'grep', 'glob', 'fetch', 'exec']
    """
    from types import MappingProxyType

    from lango_nb.tools.builtin import primitives
    from lango_nb.tools.builtin.exec import run_command
    from lango_nb.tools.tool import Tool

    own = [value for value in vars(primitives).values() if isinstance(value, Tool)]
    return MappingProxyType({tool.name: tool for tool in (*own, run_command)})


@cache
def control_names() -> frozenset[str]:
    """Return the names of the control tools that come along: a tool of one's own may still be called the same.

    Examples
    --------
    >>> {"agent_wait", "task_list", "tool_output_get"} <= control_names(), "fs_read" in control_names()
    (True, False)
    """
    from lango_nb.tools.by_name import spec_families

    return frozenset(tool.name for tool in (*builtin_tools(), *spec_families()) if tool.is_control)


def control_among(tools: Iterable[ToolSchema]) -> frozenset[str]:
    """Return the names that mean control tools where these tools are offered.

    Parameters
    ----------
    tools : iterable of ToolSchema

    Returns
    -------
    frozenset of str
        Those that come along and those that are offered as such, without those that are offered as work.

    Examples
    --------
    >>> from lango_nb.core.messages import ToolSchema
    >>> names = control_among([ToolSchema(name="task_list", role="work"), ToolSchema(name="delegate", role="control")])
    >>> "task_list" in names, "delegate" in names, "task_get" in names
    (False, True, True)
    """
    said = {tool.name: tool.role for tool in tools if tool.role is not None}
    return frozenset(name for name in {*control_names(), *said} if said.get(name) != "work")


def was_control(tool: str, role: ToolRole | None) -> bool:
    """Tell whether a recorded call was one of a control tool; the name decides where the record does not say.

    Parameters
    ----------
    tool : str
        Its name.
    role : {"work", "control"} or None
        As it was recorded.

    Examples
    --------
    >>> was_control("task_list", None), was_control("task_list", "work")
    (True, False)
    """
    return tool in control_names() if role is None else role == "control"
