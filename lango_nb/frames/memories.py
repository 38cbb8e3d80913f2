"""What agents remember, one row per entry."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.frames.column import Column, Sources
from lango_nb.frames.frame import frame
from lango_nb.records.memories import Memory


def _tags(memory: Memory) -> str:
    return ", ".join(memory.tags)


COLUMNS = (
    Column("memory_id", "memory.id", "string", "", "Id of the entry."),
    Column("agent", "memory.agent", "string", "", "Who saved it."),
    Column("key", "memory.key", "string", "", "What it is called, unique for its agent."),
    Column("content", "memory.content", "string", "", "What is remembered."),
    Column("scope", "memory.scope", "string", "", "Who reads it: instance, type or global."),
    Column("kind", "memory.kind", "string", "", "pattern, preference, fact or skill; missing when not said."),
    Column("confidence", "memory.confidence", "float64", "", "How sure the agent was, from 0 to 1."),
    Column("use_count", "memory.use_count", "Int64", "", "How often it was recalled."),
    Column("tags", _tags, "string", "", "Tags, separated by commas."),
    Column("created_at", "memory.created_at", "datetime64[ns, UTC]", "", "When it was first saved."),
    Column("updated_at", "memory.updated_at", "datetime64[ns, UTC]", "", "When it was last changed or recalled."),
)


@frame("memories", COLUMNS, Memory)
def memories_df(memories: Sequence[Memory]) -> Sources:
    """List what agents remember.

    Parameters
    ----------
    memories : Memory or iterable of Memory
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order; nothing else is read.

    Returns
    -------
    DataFrame
        One row per entry; join by ``agent``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.
    """
    return {"memory": list(memories)}
