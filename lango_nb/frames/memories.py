"""What agents remember, one row per entry."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from lango_nb.frames.column import Column, Sources, stored
from lango_nb.frames.frame import frame
from lango_nb.records.memories import Memory
from lango_nb.stores.schema import MEMORIES


def _tags(memory: Memory) -> str:
    return ", ".join(memory.tags)


_memory = partial(stored, MEMORIES, "memory")
COLUMNS = (
    Column("memory_id", "memory.id", "string", "", "Id of the entry."),
    _memory("agent"),
    _memory("key"),
    _memory("content"),
    _memory("scope"),
    _memory("kind"),
    _memory("confidence"),
    _memory("use_count"),
    Column("tags", _tags, "string", "", "Tags, separated by commas."),
    _memory("created_at"),
    _memory("updated_at"),
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
