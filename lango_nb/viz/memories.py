"""What agents remember, as a listing."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.records.memories import Memory
from lango_nb.viz.table import Table

_COLUMNS = ("agent", "key", "content", "scope", "kind", "confidence", "used", "tags")


def memories_table(memories: Sequence[Memory], agent: str | None = None, *, is_kept: bool = True) -> Table:
    """List memories, those of an agent together.

    Parameters
    ----------
    memories : sequence of Memory
    agent : str, optional
        Whose they are; all agents' when absent.
    is_kept : bool
        Whether agents have the tools to remember anything.

    Returns
    -------
    Table
    """
    rows = tuple(
        (m.agent, m.key, m.content, m.scope, m.kind or "", m.confidence, m.use_count, ", ".join(m.tags))
        for m in memories
    )
    whose = f"{agent} remembers nothing yet" if agent else "no agent remembers anything yet"
    switch = "" if is_kept else "; the setting agentMemory.enabled lets agents remember"
    return Table(f"memories of {agent}" if agent else "memories", _COLUMNS, rows, empty=whose + switch)
