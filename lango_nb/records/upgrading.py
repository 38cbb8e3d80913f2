"""Rows that an older version wrote, as the present one writes them."""

from __future__ import annotations

from collections.abc import Callable

from lango_nb.core.errors import StoreError
from lango_nb.core.messages import USER
from lango_nb.records.rows import rows_in
from lango_nb.stores.schema import SCHEMA
from lango_nb.stores.store import Row


def upgrade_row(kind: str, row: Row, schema: int) -> Row:
    """Return a row as the present schema writes it.

    Parameters
    ----------
    kind : {"turn", "body", "event", "message", …}
        What it is the row of.
    row : dict
    schema : int
        Version of the file it comes from.

    Returns
    -------
    dict
        The row itself when nothing is to be done.

    Raises
    ------
    StoreError
        With code ``newer_schema``: the file was written by a newer version.
    """
    if schema > SCHEMA:
        raise StoreError(
            f"a {kind} was written by a newer lango_nb (schema {schema}, this one knows {SCHEMA}); upgrade lango_nb",
            "newer_schema",
        )
    for upgrade in _UPGRADES[max(schema, 0) : SCHEMA]:
        row = upgrade(kind, row)
    return row


def _keep_authors(kind: str, row: Row) -> Row:
    """Name the author of what a person wrote: until schema 1 no message had one, and nobody knows an assistant's."""
    if kind == "message" and row.get("role") == "user":
        return {"author": USER, **row}
    if kind == "body":
        return {
            name: [_keep_authors("message", one) for one in rows_in(row, name, "a stored turn")]
            if name in {"messages", "history"}
            else value
            for name, value in row.items()
        }
    return row


_UPGRADES: tuple[Callable[[str, Row], Row], ...] = (_keep_authors,)
"""From each schema to the next."""
