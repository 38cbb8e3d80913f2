"""What teammate runs waited for, one row per entry of the run ledger."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from lango_nb.frames.column import Sources, stored
from lango_nb.frames.frame import frame
from lango_nb.records.ledger import LedgerEntry
from lango_nb.stores.schema import LEDGER

_entry = partial(stored, LEDGER, "entry")
COLUMNS = (
    _entry("session_id"),
    _entry("turn_id"),
    _entry("run_id"),
    _entry("agent"),
    _entry("kind"),
    _entry("at"),
    _entry("runtime_condition"),
    _entry("blocked_reason"),
    _entry("grant_request_id"),
    _entry("grant_attempt"),
    _entry("grant_state"),
)


@frame("ledger", COLUMNS, LedgerEntry)
def ledger_df(entries: Sequence[LedgerEntry]) -> Sources:
    """List what runs waited for, and when they went on.

    Parameters
    ----------
    entries : LedgerEntry or iterable of LedgerEntry
        A :class:`~lango_nb.records.ledger.Ledger` is one.
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order; nothing else is read.

    Returns
    -------
    DataFrame
        One row per entry, oldest first; join by ``run_id`` or ``turn_id``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.
    """
    return {"entry": list(entries)}
