"""Turns, one row each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from lango_nb.frames.column import Column, Sources, stored
from lango_nb.frames.frame import Wanted, frame
from lango_nb.frames.stored import turn_rows, whole_turn
from lango_nb.records.history import History
from lango_nb.records.turns import Trace, Turn
from lango_nb.stores.schema import TURNS


def _last(path: Sequence[str]) -> str | None:
    return path[-1] if path else None


def _is_ok(outcome: str) -> bool:
    return outcome == "success"


_turn = partial(stored, TURNS, "turn")
IDS = (
    _turn("session_id"),
    _turn("id", as_="turn_id"),
    _turn("number"),
)
WHAT = (
    _turn("topology"),
    _turn("model"),
    _turn("text"),
    _turn("answer"),
    Column("agent", "turn.path", "string", "", "Agent that worked last.", convert=_last),
    Column(
        "path",
        "turn.path",
        "string",
        "",
        "Agents in the order in which they worked, joined by arrows.",
        convert=" → ".join,
    ),
)
OUTCOME = (
    _turn("outcome"),
    _turn("error_code"),
    Column("is_ok", "turn.outcome", "boolean", "", "Whether the outcome is success.", convert=_is_ok),
)
COUNTS = (
    _turn("rounds"),
    _turn("steps"),
    _turn("tool_calls"),
    _turn("input_tokens"),
    _turn("output_tokens"),
)
TIME = (
    _turn("started_at"),
    _turn("ended_at"),
    _turn("duration_ms"),
)
COLUMNS = IDS + WHAT + OUTCOME + COUNTS + TIME


def _stored(history: History, wanted: Wanted) -> Sources:
    turns = turn_rows(wanted.get("turn", ()))
    turns.extend(map(whole_turn, history.rows()))
    return {"turn": turns}


@frame("turns", COLUMNS, Turn, Trace, stored=_stored)
def turns_df(turns: Sequence[Turn | Trace]) -> Sources:
    """List turns with their outcome and counts.

    Parameters
    ----------
    turns : Turn, Trace, or iterable of them; or History
        Of a history no event is read.
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order; nothing else is read.

    Returns
    -------
    DataFrame
        One row per turn; join by ``turn_id``, ``session_id`` or ``agent``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.
    """
    return {"turn": [item.turn if isinstance(item, Trace) else item for item in turns]}
