"""Who could see what was said, who did, and who should not have: one row per thing that was said and agent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lango_nb.frames.column import Column, Sources, some
from lango_nb.frames.frame import Wanted, frame
from lango_nb.records.history import History
from lango_nb.records.turns import Trace
from lango_nb.records.visibility import Visibility, visibility

IDS = (
    Column("session_id", "session", "string", "", "Session of the turn."),
    Column("turn_id", "turn", "string", "", "Turn in which it was said."),
    Column("seq", "seen.number", "Int64", "", "Position among everything that was said in the turn, from 1."),
    Column("message_id", "seen.said.message_id", "string", "", "Message that says it; empty in turns without ids."),
    some("message_seq", "seen.said.message_seq", "Int64", "", "Its position; missing for what only the session keeps."),
    some("event_seq", "seen.said.event_seq", "Int64", "", "Event that tells of it, if one does."),
    Column("run_id", "seen.said.run_id", "string", "", "Teammate run it was said in; empty for the turn's own work."),
    Column("call_id", "seen.said.call_id", "string", "", "Joins a call with its result; empty for everything else."),
)
WHAT = (
    Column(
        "kind",
        "seen.said.kind",
        "string",
        "",
        "request, text, answer, instruction, call, result; summary or failure of a session of its own; note.",
    ),
    Column("author", "seen.said.author", "string", "", "user, or the agent it is by."),
    Column("text", "seen.said.text", "string", "", "What was said; of a call, the tool and its arguments."),
    Column("conversation", "seen.said.conversation", "string", "", "Conversation it belongs to, as in messages_df."),
)
WHO = (
    Column("agent", "seen.agent", "string", "", "Agent that worked in the turn, or was to."),
    some("could_see", "seen.could_see", "boolean", "", "Whether the rules let it; missing where nothing tells."),
    some("did_see", "seen.did_see", "boolean", "", "Whether it was given it with a model call; missing likewise."),
    some("should_not", "seen.should_not", "boolean", "", "Whether that is a leak; missing likewise."),
)
COLUMNS = IDS + WHAT + WHO


def _sources(found: Iterable[tuple[str, str, Sequence[Visibility]]]) -> Sources:
    rows = [(session, turn, seen) for session, turn, all_seen in found for seen in all_seen]
    return {
        "seen": [seen for _, _, seen in rows],
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
        Of a history, also what sessions keep of a turn is looked at.

    Returns
    -------
    DataFrame
        One row per thing that was said and agent: ``could_see`` is what the rules of isolation allow, ``did_see``
        what the agent was given with a model call in that turn (:func:`~lango_nb.frames.steps_df`), ``should_not`` the
        one without the other. Rows with ``should_not`` are leaks; there should be none. Agents are those that worked
        in the turn or were to, and one that made no model call saw nothing but its own words. Join by ``message_id``,
        or by ``turn_id`` and ``event_seq``, ``run_id``, ``call_id``, ``agent`` or ``conversation``.

    Notes
    -----
    Each turn is judged on its own: what earlier turns left in the session is not part of it. Turns that were recorded
    before messages had ids, and runs that outlived their turn until they have ended, are not known to the end: then
    values are missing.
    """
    return _sources((trace.turn.session_id, trace.turn.id, visibility(trace)) for trace in traces)
