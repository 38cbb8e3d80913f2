"""Rows of a table say exactly what the records said that they were made of."""

from __future__ import annotations

import pytest

from lango_nb.stores.rows import row_format
from lango_nb.stores.store import Row


@pytest.mark.parametrize("name", ["vault", "a\\b", "half \ud800", "nul\0", "x" * 300, ""])
@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("events", {"kind": "text", "author": "NAME", "usage": {"model": "NAME", "input_tokens": 3}}),
        ("runs", {"id": "NAME", "status": "NAME", "steps": 3, "other": "NAME"}),
    ],
)
def test_names_are_what_they_were_however_a_column_spells_them(table: str, row: Row, name: str) -> None:
    def named(value: object) -> object:
        if isinstance(value, dict):
            return {key: named(inner) for key, inner in value.items()}
        return name if value == "NAME" else value

    form, given = row_format(table), named(row)
    assert isinstance(given, dict)
    assert form.row(form.values(given)) == given
