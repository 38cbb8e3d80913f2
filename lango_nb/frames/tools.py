"""Tools, one row each, with the agents that work with them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from lango_nb.frames.column import Column, Sources, json_text, some
from lango_nb.frames.frame import frame
from lango_nb.frames.partition import family
from lango_nb.routing.partition import Assignment, Partition
from lango_nb.routing.tree import AgentTree
from lango_nb.tools.tool import Tool


def _required(tool: Tool) -> str:
    return ", ".join(tool.required)


def _parameters(tool: Tool) -> str:
    return json_text(tool.parameters)


WHAT = (
    Column("tool", "tool.name", "string", "", "Name, unique within a catalog."),
    Column("family", family, "string", "", "What it belongs to; missing when unknown."),
    Column("description", "tool.description", "string", "", "What it does, in its own words."),
    Column("safety", "tool.safety", "string", "", "safe, moderate or dangerous."),
    Column("role", "tool.role", "string", "", "work, or control: it steers the work of agents and does none itself."),
    Column("by_name", "tool.is_by_name", "boolean", "", "Known by name only: it can be routed, not run."),
    Column("source", "tool.source", "string", "", "Where it was found."),
)
WHOSE = (
    some("agent", "assignment.agent", "string", "", "Owner; missing when nobody owns it."),
    some("rule", "assignment.rule", "string", "", "Why it is there."),
    Column("used_by", "users", "string", "", "Agents that work with it, separated by commas."),
)
ARGUMENTS = (
    Column("required", _required, "string", "", "Arguments a call must hold, separated by commas."),
    Column("parameters", _parameters, "string", "JSON", "Schema of the arguments."),
)
COLUMNS = WHAT + WHOSE + ARGUMENTS


@frame("tools", COLUMNS, AgentTree, Partition, Tool)
def tools_df(tools: Sequence[AgentTree | Partition | Tool]) -> Sources:
    """List the tools of a tree, of a partition, or just some tools.

    Parameters
    ----------
    tools : AgentTree, Partition, Tool, or iterable of them
        Owners are known for trees and partitions, users for trees only.
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order; nothing else is read.

    Returns
    -------
    DataFrame
        One row per tool; join by ``tool`` or ``agent``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.
    """
    rows: list[tuple[Tool, Assignment | None, str | None]] = []
    for item in tools:
        if isinstance(item, Tool):
            rows.append((item, None, None))
            continue
        users: defaultdict[str, list[str]] = defaultdict(list)
        partition = item.partition if isinstance(item, AgentTree) else item
        for node in item if isinstance(item, AgentTree) else ():
            for tool in node.tools:
                users[tool.name].append(node.name)
        known = isinstance(item, AgentTree)
        rows += [
            (tool, assignment, ", ".join(users[tool.name]) if known else None)
            for tool, assignment in zip(partition.tools, partition.assignments, strict=True)
        ]
    return {
        "tool": [tool for tool, _, _ in rows],
        "assignment": [assignment for _, assignment, _ in rows],
        "users": [names for _, _, names in rows],
    }
