"""How tables of earlier versions become those of the present one: in place, everything or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lango_nb.stores.dialect import Dialect, Transaction
from lango_nb.stores.lists import HISTORY, MESSAGES, insert_lists, pack_lists
from lango_nb.stores.rows import RowFormat, mark_of
from lango_nb.stores.schema import DECISIONS, DETAILS, STEPS, TABLES, TRANSCRIPTS, Column, Table, View
from lango_nb.stores.schema import MESSAGES as MESSAGES_VIEW
from lango_nb.stores.store import Row

FIRST_SCHEMA = 2
"""The first version whose tables are read; what was before lies in tables and files of other names."""
_BATCH = 256
"""Turns that are changed together."""


def _items_of(view: View) -> Table:
    """Return the table that had what the view shows: whoever adds a column to that names the older ones here."""
    key = tuple(Column(name, "integer", "", member="") for name in _KEY)
    return Table(view.name, view.sentence, _KEY, (*key, *view.columns))


_KEY = ("turn", "position")
_LISTS = {
    TRANSCRIPTS.name: (
        _items_of(MESSAGES_VIEW),
        _items_of(View(HISTORY, "", TRANSCRIPTS, HISTORY, (Column(MESSAGES, "json", ""),))),
    ),
    DETAILS.name: (_items_of(DECISIONS), _items_of(STEPS)),
}
"""Tables of version 2 by those that have the same since: each item of a list was a row."""
TABLES_OF = {
    2: (*(table for table in TABLES if table.name not in _LISTS), *(one for group in _LISTS.values() for one in group))
}
"""Tables of earlier versions."""


def _put_lists_together(transaction: Transaction, dialect: Dialect) -> None:
    """Put the lists of a turn into one row each, from tables that had a row of each item."""
    transaction.change(f"DROP VIEW IF EXISTS {dialect.named('candidates')}")
    for table in (TRANSCRIPTS, DETAILS):
        for statement in dialect.definition(table):
            transaction.change(statement)
    older = [table for group in _LISTS.values() for table in group]
    every = " UNION ".join(f"SELECT turn FROM {dialect.named(table)}" for table in older)  # noqa: S608 - names of our own
    turns = [turn for (turn,) in transaction.rows(f"{every} ORDER BY 1") if isinstance(turn, int)]
    for start in range(0, len(turns), _BATCH):
        batch = turns[start : start + _BATCH]
        found: dict[int, dict[str, Row]] = {turn: {} for turn in batch}
        for name, group in _LISTS.items():
            for table in group:
                for turn, row in _rows_between(transaction, dialect, table, batch[0], batch[-1]):
                    lists = found[turn].setdefault(name, {})
                    if table.name == HISTORY:
                        lists[HISTORY] = row.get(MESSAGES, [])
                    else:
                        lists[table.name] = [*lists.get(table.name, []), row]  # type: ignore[misc]
        for turn, by_table in found.items():
            insert_lists(transaction, dialect, pack_lists(by_table), turn)
    for table in older:
        transaction.change(f"DROP TABLE {dialect.named(table)}")


def _rows_between(
    transaction: Transaction, dialect: Dialect, table: Table, first: int, last: int
) -> Iterator[tuple[int, Row]]:
    """Go through the rows of a table that are what was written."""
    form = RowFormat(table)
    columns = ", ".join(f'"{name}"' for name in (*_KEY, *form.columns))
    statement = f"SELECT {columns} FROM {dialect.named(table)} WHERE turn BETWEEN ? AND ? ORDER BY turn, position"  # noqa: S608
    for turn, position, *values in transaction.rows(statement, first, last):
        try:
            yield turn, form.row(values, mark_of(turn, position))
        except (ValueError, TypeError):  # what is lost of a turn is told where it is read
            continue


Migration = Callable[[Transaction, Dialect], None]
MIGRATIONS: dict[int, Migration] = {3: _put_lists_together}
"""What changes tables that are there, by the version it leads to; what is new altogether is made without."""
