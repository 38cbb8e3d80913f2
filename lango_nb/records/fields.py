"""Fields of what was recorded, read alike from records in memory and from rows as they are stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lango_nb.records.turns import Trace
from lango_nb.stores.store import StoredTurn


def value(item: object, name: str, default: Any = None) -> Any:
    """Return a field of a record or of a row; rows leave out what has its default.

    Examples
    --------
    >>> value({"kind": "text"}, "kind"), value({"kind": "text"}, "run_id", "")
    ('text', '')
    """
    return item.get(name, default) if isinstance(item, Mapping) else getattr(item, name, default)


def text_in(item: object, name: str) -> str:
    """Return a field as text; empty where there is none."""
    return str(value(item, name) or "")


def records_in(turn: Trace | StoredTurn, name: str) -> Sequence[object]:
    """Return the records of one kind that a turn has: its ``messages``, ``runs``, ``steps`` or ``decisions``."""
    found = getattr(turn, name) if isinstance(turn, Trace) else turn.body.get(name)
    return found if isinstance(found, list | tuple) else ()
