"""One definition per column: what a frame shows as it is stored has the name, unit and sentence of the table."""

from __future__ import annotations

import pytest

from lango_nb import frames
from lango_nb.stores import schema

SOURCES: dict[str, tuple[str, schema.Table | schema.View]] = {
    "turns": ("turn", schema.TURNS),
    "events": ("event", schema.EVENTS),
    "messages": ("message", schema.MESSAGES),
    "decisions": ("decision", schema.DECISIONS),
    "runs": ("run", schema.RUNS),
    "ledger": ("entry", schema.LEDGER),
    "tasks": ("task", schema.TASKS),
    "memories": ("memory", schema.MEMORIES),
}
"""Source of a frame whose records a table keeps."""
MADE = {("memories", "memory_id")}
"""Columns whose stored namesake says something else: memories are found by agent and key."""


@pytest.mark.parametrize("noun", SOURCES)
def test_a_frame_tells_of_a_stored_column_what_the_table_tells(noun: str) -> None:
    source, table = SOURCES[noun]
    by_path = {f"{source}.{column.path or column.name}": column for column in table.columns}
    straight = 0
    for column in frames.COLUMNS[noun]:
        kept = by_path.get(column.path) if isinstance(column.path, str) else None
        if kept is None or column.convert is not None or (noun, column.name) in MADE:
            continue
        straight += 1
        assert (column.unit, column.sentence) == (kept.unit, kept.sentence), column.name
        assert column.name in {kept.name, f"{source}_id", "run_agent"}
    assert straight > len(table.columns) // 2, "most of what is stored is shown as it is"


@pytest.mark.parametrize("table", schema.TABLES, ids=lambda table: table.name)
def test_every_stored_column_says_what_it_is(table: schema.Table) -> None:
    for column in table.columns:
        assert column.sentence.endswith("."), column.name
    assert len({column.name for column in table.columns}) == len(table.columns)
