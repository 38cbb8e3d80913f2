"""Who owns which tool, and why, one row per tool."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.frames.column import Column, Sources
from lango_nb.frames.frame import frame
from lango_nb.routing.partition import Assignment, Partition
from lango_nb.routing.tree import AgentTree
from lango_nb.tools.tool import Tool


def _also(assignment: Assignment) -> str:
    return ", ".join(f"{agent} ({prefix})" for agent, prefix in assignment.also)


def family(tool: Tool) -> str | None:
    """Return a tool's family, ``None`` when it does not say."""
    return tool.family or None


ASSIGNMENT = (
    Column("tool", "assignment.tool", "string", "", "Name of the tool."),
    Column("agent", "assignment.agent", "string", "", "Owner; missing for a tool that nobody owns."),
    Column(
        "rule",
        "assignment.rule",
        "string",
        "",
        "Why it is there: prefix, capability, keyword, fallback, single, universal, dropped or unmatched.",
    ),
    Column("prefix", "assignment.prefix", "string", "", "The prefix that matched, as its agent wrote it."),
    Column("rank", "assignment.rank", "Int64", "", "Position of the owner in the matching order, from 1."),
    Column("also", _also, "string", "", "Agents further down the order that would have matched, with their prefix."),
    Column("reason", "assignment.reason", "string", "", "The same in one sentence."),
)
TOOL = (
    Column("family", family, "string", "", "What the tool belongs to; missing when unknown."),
    Column("safety", "tool.safety", "string", "", "safe, moderate or dangerous."),
    Column("by_name", "tool.is_by_name", "boolean", "", "Known by name only: it can be routed, not run."),
)
COLUMNS = ASSIGNMENT + TOOL


@frame("partition", COLUMNS, Partition, AgentTree)
def partition_df(partitions: Sequence[Partition | AgentTree]) -> Sources:
    """List the tools of a partition, each with its owner and the reason.

    Parameters
    ----------
    partitions : Partition, AgentTree, or iterable of them
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order; nothing else is read.

    Returns
    -------
    DataFrame
        One row per tool, in the order in which tools were given; join by ``tool`` or ``agent``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.
    """
    parts = [item.partition if isinstance(item, AgentTree) else item for item in partitions]
    return {
        "tool": [tool for part in parts for tool in part.tools],
        "assignment": [assignment for part in parts for assignment in part.assignments],
    }
