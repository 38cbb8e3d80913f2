"""memories_df: one row per memory."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pandas as pd

from lango_nb.frames import memories_df
from lango_nb.records.memories import Memory
from tests.unit.viz import samples


def test_every_field_of_a_memory_has_a_column_with_its_value() -> None:
    df: Any = memories_df(samples.memories())
    for field in fields(Memory):
        name = "memory_id" if field.name == "id" else field.name
        for memory, value in zip(samples.memories(), df[name], strict=True):
            expected = getattr(memory, field.name)
            expected = ", ".join(expected) if isinstance(expected, tuple) else expected
            assert (None if pd.isna(value) else value) == expected, name
