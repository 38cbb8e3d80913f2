"""The lists of a turn: what was said, handed over and asked, each as JSON in the one row that its table has of a turn.

    messages, history ─▶ transcripts
    decisions, steps  ─▶ details

Runs have a row each; anything else that a turn's body holds lies with the turn itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, cast

from lango_nb.stores.dialect import Dialect, Transaction
from lango_nb.stores.rows import Packed, mark_of, row_format, to_text
from lango_nb.stores.schema import DETAILS, LISTS, TRANSCRIPTS
from lango_nb.stores.store import Row

RUNS, MESSAGES, HISTORY = "runs", "messages", "history"
PLACES = {TRANSCRIPTS.name: 0, DETAILS.name: 1}
"""What marks the rows of a table beside their turn, so that they fit in no other."""
_PARTS = {*LISTS, RUNS}
"""What a turn has in tables of their own, beside its events."""


def split_body(turn_id: str, body: Row) -> tuple[dict[str, Row], str]:
    """Return the lists of a body by table, and what the turn's own row says of them."""
    found: dict[str, Row] = {}
    counts: dict[str, int] = {}
    rest: Row = {}
    for name, value in body.items():
        if name not in _PARTS or not has_table(name, value, turn_id):
            rest[name] = value
            continue
        counts[name] = len(cast("list[Row]", value))
        if name in LISTS:
            found.setdefault(LISTS[name].name, {})[name] = value
    said: dict[str, Any] = {"counts": counts, "rest": rest} if rest else {"counts": counts}
    return found, to_text(said)


def pack_lists(rows: Mapping[str, Row]) -> dict[str, Packed]:
    """Return the lists of a turn by table, as they are written.

    Lists without anything in them are left out, and so is a history that is the same as the messages.

    Examples
    --------
    >>> said = [{"role": "user", "content": "hello"}]
    >>> pack_lists({"transcripts": {"messages": said, "history": said}, "details": {"decisions": []}})["transcripts"][0]
    ('messages', 'checksum')
    """
    packed = {}
    for name, row in rows.items():
        history = row.get(HISTORY, [])
        lists: Row = {field: value for field, value in row.items() if value and field != HISTORY}
        if history != row.get(MESSAGES, []):
            lists[HISTORY] = history
        if lists:
            packed[name] = row_format(name).packed(lists)
    return packed


def insert_lists(transaction: Transaction, dialect: Dialect, lists: Mapping[str, Packed], turn: int) -> None:
    """Write the lists of a turn, and mark their checksums with it."""
    for name, (columns, values) in lists.items():
        marked = [*values[:-1], values[-1] ^ mark_of(turn, PLACES[name])]  # it may be tried again
        transaction.change(_insertion(dialect.named(name), columns), turn, *marked)


@cache
def _insertion(table: str, columns: tuple[str, ...]) -> str:
    names = ", ".join(f'"{name}"' for name in ("turn", *columns))
    return f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * (len(columns) + 1))})"  # noqa: S608 - names of our own


def has_table(name: str, value: object, turn_id: str) -> bool:
    """Tell whether a list of a turn's body can lie in a table: runs are found by their turn, and each is there once."""
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        return False
    if name != RUNS:
        return True
    ids = {row["id"] for row in value if isinstance(row.get("id"), str)}
    return len(ids) == len(value) and all(row.get("turn_id") == turn_id for row in value)
