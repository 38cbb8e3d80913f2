"""Who could see what was said, who did, and who should not have: one row per thing that was said and agent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lango_nb.frames.column import Column, Sources, some
from lango_nb.frames.frame import Wanted, frame
from lango_nb.records.history import History
from lango_nb.records.turns import Trace
from lango_nb.records.visibility import Sight, visibility

IDS = (
    Column("session_id", "session", "string", "", "Session of the turn."),
    Column("turn_id", "turn", "string", "", "Turn in which it was said."),
    Column("seq", "sight.number", "Int64", "", "Place among everything that was said in the turn, from 1."),
    some("event_seq", "sight.said.seq", "Int64", "", "Event that tells of it; missing where only a message does."),
    some("message_seq", "sight.said.message", "Int64", "", "Message of the turn that holds it, if one does."),
    Column("run_id", "sight.said.run_id", "string", "", "Teammate run of the event; empty for the turn's own work."),
    Column("call_id", "sight.said.call_id", "string", "", "Joins a call with its result; empty for everything else."),
)
WHAT = (
    Column(
        "kind",
        "sight.said.kind",
        "string",
        "",
        "request, text, answer, instruction, call, result; summary or failure of a session of its own; note.",
    ),
    Column("author", "sight.said.author", "string", "", "user, or the agent it is by."),
    Column("text", "sight.said.text", "string", "", "What was said; of a call, the tool and its arguments."),
    some("place", "sight.said.place", "string", "", "Session of its own or run; empty for the turn's conversation."),
)
WHO = (
    Column("agent", "sight.agent", "string", "", "Agent that worked in the turn, or was to."),
    some("could_see", "sight.could_see", "boolean", "", "Whether the rules let it; missing where nothing tells."),
    some("did_see", "sight.did_see", "boolean", "", "Whether it was given it before a model call; missing likewise."),
    some("should_not", "sight.should_not", "boolean", "", "Whether that is a leak; missing likewise."),
)
COLUMNS = IDS + WHAT + WHO


def _sources(found: Iterable[tuple[str, str, Sequence[Sight]]]) -> Sources:
    rows = [(session, turn, sight) for session, turn, sights in found for sight in sights]
    return {
        "sight": [sight for _, _, sight in rows],
        "session": [session for session, _, _ in rows],
        "turn": [turn for _, turn, _ in rows],
    }


def _stored(history: History, wanted: Wanted) -> Sources:  # noqa: ARG001 - a turn is judged as a whole
    return _sources(
        (str(stored.row["session_id"]), str(stored.row["id"]), visibility(stored)) for stored in history.scan()
    )


@frame("visibility", COLUMNS, Trace, stored=_stored)
def visibility_df(traces: Sequence[Trace]) -> Sources:
    """Say of everything that was said in a turn which agents could see it, did see it, and should not have.

    Parameters
    ----------
    traces : Trace or iterable of Trace; or History
        Of a history, also what sessions keep of a turn is looked at, and what its runs did after its end.
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order.

    Returns
    -------
    DataFrame
        One row per thing that was said and agent: ``could_see`` is what the rules of isolation allow, ``did_see``
        what the agent was given before a model call of its own in that turn, ``should_not`` the one without the other.
        Rows with ``should_not`` are leaks; there should be none. Nothing is known of the tree: agents are those that
        worked in the turn or were to, and one that made no model call saw nothing but its own words. Join by
        ``turn_id`` and ``event_seq``, ``message_seq``, ``run_id``, ``call_id`` or ``agent``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.

    Notes
    -----
    Each turn is judged on its own: what earlier turns left in the session is not part of it. Prompts are not recorded;
    :mod:`lango_nb.records.visibility` says from what all this is worked out, and where it cannot be.
    """
    return _sources((trace.turn.session_id, trace.turn.id, visibility(trace)) for trace in traces)
