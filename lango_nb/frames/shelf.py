"""Items of a shelf, one row each."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.frames.column import Column, Sources, json_text, some
from lango_nb.frames.frame import frame
from lango_nb.records.shelf_items import ShelfItem

COLUMNS = (
    Column("item", "it.id", "string", "", "Kind and number: what %lango forget takes."),
    Column("kind", "it.kind", "string", "", "notes, tags, examples, requests, agents and so on."),
    Column("number", "it.number", "Int64", "", "Number among the items of its kind."),
    Column("name", "it.name", "string", "", "What it is called; a tag is its name. Empty for most notes."),
    Column("text", "it.text", "string", "", "What it says; of a tag the request of its turn."),
    Column("agent", "it.agent", "string", "", "The agent it is about, or the right one for a request; may be empty."),
    some("turn", "it.turn", "Int64", "", "Number of the turn it is about."),
    Column("turn_id", "it.turn_id", "string", "", "Id of that turn; empty when it is about none."),
    some("at", "it.at", "datetime64[ns, UTC]", "", "When it was put there."),
    Column("more", "it.more", "string", "JSON", "Its other fields.", convert=json_text),
)


@frame("shelf", COLUMNS, ShelfItem)
def shelf_df(items: Sequence[ShelfItem]) -> Sources:
    """List what is on a shelf.

    Parameters
    ----------
    items : ShelfItem or iterable of ShelfItem
        What ``lab.shelf.items()`` gives.
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order; nothing else is read.

    Returns
    -------
    DataFrame
        One row per item; join by ``turn_id`` or ``agent``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.
    """
    return {"it": list(items)}
