"""Turns: the sessions they belong to, the messages in them, and the model calls they took."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import repeat

from lango_nb.core.messages import USER, ToolCall
from lango_nb.frames.column import Column, Sources, json_text, stored
from lango_nb.frames.frame import Wanted, frame
from lango_nb.frames.stored import Rows, message_rows, session_rows, step_rows, turn_rows, whole_turn
from lango_nb.records.fields import value
from lango_nb.records.history import History
from lango_nb.records.rows import rows_in
from lango_nb.records.turns import Trace, Turn
from lango_nb.stores.schema import MESSAGES, STEPS, TURNS
from lango_nb.stores.store import Row

# -- sessions ----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Listed:
    """What a store's list of sessions says of one."""

    id: str
    title: str
    created_at: datetime
    last_at: datetime
    turns: int = 0


@dataclass(slots=True)
class _Sum:
    """What its turns come to."""

    agents: dict[str, None] = field(default_factory=dict)
    topologies: dict[str, None] = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)
    last_outcome: str | None = None
    rounds: int = 0
    steps: int = 0
    tool_calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    duration_ms: float = 0.0

    def add(self, turn: Turn | Row) -> None:
        """Add a turn; one that has not ended lacks what belongs to its end."""
        self.agents.update(dict.fromkeys(value(turn, "path", ())))
        self.topologies[value(turn, "topology", "")] = None
        self.last_outcome = value(turn, "outcome")
        self.outcomes[value(turn, "outcome")] += 1
        self.rounds += value(turn, "rounds", 0)
        self.steps += value(turn, "steps", 0)
        self.tool_calls += value(turn, "tool_calls", 0)
        self.duration_ms += value(turn, "duration_ms", 0.0)
        self.input_tokens = _plus(self.input_tokens, value(turn, "input_tokens"))
        self.output_tokens = _plus(self.output_tokens, value(turn, "output_tokens"))


def _plus(known: int | None, more: int | None) -> int | None:
    return known if more is None else (known or 0) + more


def _outcomes(outcomes: Counter[str]) -> str:
    return ", ".join(f"{outcome} {number}" for outcome, number in outcomes.most_common())


def _ok(outcomes: Counter[str]) -> int:
    return outcomes["success"]


SESSION_COLUMNS = (
    Column("session_id", "session.id", "string", "", "Name of the session."),
    Column("title", "session.title", "string", "", "What the user wrote first."),
    Column("turns", "session.turns", "Int64", "", "How many turns it has."),
    Column("created_at", "session.created_at", "datetime64[ns, UTC]", "", "When its first turn began."),
    Column("last_at", "session.last_at", "datetime64[ns, UTC]", "", "When its latest turn began."),
    Column("outcomes", "sum.outcomes", "string", "", "How turns ended, most often first.", convert=_outcomes),
    Column("ok", "sum.outcomes", "Int64", "", "Turns that ended with success.", convert=_ok),
    Column("last_outcome", "sum.last_outcome", "string", "", "How the latest turn ended."),
    Column("agents", "sum.agents", "string", "", "Who worked, in order of appearance.", convert=", ".join),
    Column("topologies", "sum.topologies", "string", "", "Topologies, in order of appearance.", convert=", ".join),
    Column("rounds", "sum.rounds", "Int64", "", "Replies that handed over."),
    Column("steps", "sum.steps", "Int64", "", "Model calls."),
    Column("tool_calls", "sum.tool_calls", "Int64", "", "Tool calls."),
    Column("input_tokens", "sum.input_tokens", "Int64", "tokens", "Tokens read; missing when no turn says."),
    Column("output_tokens", "sum.output_tokens", "Int64", "tokens", "Tokens written; missing when no turn says."),
    Column("duration_ms", "sum.duration_ms", "float64", "ms", "How long its turns took together."),
)


def _sums(turns: Iterable[Turn | Row]) -> dict[str, _Sum]:
    found: defaultdict[str, _Sum] = defaultdict(_Sum)
    for turn in turns:
        found[value(turn, "session_id")].add(turn)
    return found


def _stored_sessions(history: History, wanted: Wanted) -> Sources:
    rows = history.sessions()
    listed = session_rows(wanted.get("session", ()))
    listed.extend(rows)
    sums = _sums(history.rows()) if "sum" in wanted else {}
    return {"session": listed, "sum": [sums.get(str(row["id"])) or _Sum() for row in rows]}


@frame("sessions", SESSION_COLUMNS, Turn, Trace, stored=_stored_sessions)
def sessions_df(turns: Sequence[Turn | Trace]) -> Sources:
    """List sessions with what their turns came to.

    Parameters
    ----------
    turns : Turn, Trace, or iterable of them; or History
        Of a history, no event is read; title and times are the whole session's, everything else is about the turns of
        the history. Turns alone are taken for the whole session.

    Returns
    -------
    DataFrame
        One row per session, in order of creation; join by ``session_id``.
    """
    found = [item.turn if isinstance(item, Trace) else item for item in turns]
    listed: dict[str, _Listed] = {}
    for turn in found:
        session = listed.setdefault(
            turn.session_id, _Listed(turn.session_id, turn.text, turn.started_at, turn.started_at)
        )
        session.last_at = turn.started_at
        session.turns += 1
    return {"session": list(listed.values()), "sum": list(_sums(found).values())}


# -- turns -------------------------------------------------------------------------------------------------------------


def _last(path: Sequence[str]) -> str | None:
    return path[-1] if path else None


def _is_ok(outcome: str) -> bool:
    return outcome == "success"


_turn = partial(stored, TURNS, "turn")
TURN_COLUMNS = (
    _turn("session_id"),
    _turn("id", as_="turn_id"),
    _turn("number"),
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
    _turn("outcome"),
    _turn("error_code"),
    Column("is_ok", "turn.outcome", "boolean", "", "Whether the outcome is success.", convert=_is_ok),
    _turn("rounds"),
    _turn("steps"),
    _turn("tool_calls"),
    _turn("input_tokens"),
    _turn("output_tokens"),
    _turn("started_at"),
    _turn("ended_at"),
    _turn("duration_ms"),
)


def _stored_turns(history: History, wanted: Wanted) -> Sources:
    turns = turn_rows(wanted.get("turn", ()))
    turns.extend(map(whole_turn, history.rows()))
    return {"turn": turns}


@frame("turns", TURN_COLUMNS, Turn, Trace, stored=_stored_turns)
def turns_df(turns: Sequence[Turn | Trace]) -> Sources:
    """List turns with their outcome and counts.

    Parameters
    ----------
    turns : Turn, Trace, or iterable of them; or History
        Of a history no event is read.

    Returns
    -------
    DataFrame
        One row per turn; join by ``turn_id``, ``session_id`` or ``agent``.
    """
    return {"turn": [item.turn if isinstance(item, Trace) else item for item in turns]}


# -- messages ----------------------------------------------------------------------------------------------------------


def _calls(calls: Sequence[ToolCall]) -> str | None:
    if not calls:
        return None
    return json_text([{"id": call.id, "name": call.name, "arguments": call.arguments} for call in calls])


def _agent(author: str) -> str | None:
    return None if author == USER else author


_message = partial(stored, MESSAGES, "message")
MESSAGE_COLUMNS = (
    Column("session_id", "turn.session_id", "string", "", "Session of the turn."),
    Column("turn_id", "turn.id", "string", "", "Turn in which it was said."),
    Column("seq", "seq", "Int64", "", "Position among the messages of the turn, from 1."),
    _message("id", as_="message_id"),
    _message("conversation"),
    _message("role"),
    _message("author"),
    Column("agent", "message.author", "string", "", "The author, missing for the user.", convert=_agent),
    _message("content"),
    Column("chars", "message.content", "Int64", "chars", "Length of the content.", convert=len),
    Column(
        "calls",
        "message.tool_calls",
        "string",
        "JSON",
        "Tool calls that an assistant message asks for: id, name, arguments.",
        convert=_calls,
    ),
    _message("call_id"),
    _message("tool"),
    _message("is_error"),
)


def _stored_messages(history: History, wanted: Wanted) -> Sources:
    messages, turns = message_rows(wanted.get("message", ())), turn_rows(wanted.get("turn", ()))
    counts = _read(history, "messages", messages, turns)
    return {"seq": [place for count in counts for place in range(1, count + 1)], "message": messages, "turn": turns}


def _read(history: History, noun: str, rows: Rows, turns: Rows) -> list[int]:
    """Read what turns are kept with, each row with its turn; return how many each turn has."""
    counts = []
    for kept in history.scan(with_events=False):
        found = rows_in(kept.body, noun)
        rows.extend(found)
        turns.extend(repeat(kept.row, len(found)))
        counts.append(len(found))
    return counts


@frame("messages", MESSAGE_COLUMNS, Trace, stored=_stored_messages)
def messages_df(traces: Sequence[Trace]) -> Sources:
    """List the messages of one turn or of many, in order, those of isolated agents and teammates among them.

    Parameters
    ----------
    traces : Trace or iterable of Trace; or History

    Returns
    -------
    DataFrame
        One row per message; join by ``message_id``, ``turn_id``, ``conversation``, ``call_id``, ``agent`` or ``tool``.
    """
    return {
        "turn": [trace.turn for trace in traces for _ in trace.messages],
        "message": [message for trace in traces for message in trace.messages],
        "seq": [place for trace in traces for place in range(1, len(trace.messages) + 1)],
    }


# -- steps -------------------------------------------------------------------------------------------------------------

_step = partial(stored, STEPS, "step")
STEP_COLUMNS = (
    Column("session_id", "turn.session_id", "string", "", "Session of the turn."),
    Column("turn_id", "turn.id", "string", "", "Turn in which the model was asked."),
    _step("step"),
    _step("run_id"),
    _step("agent"),
    _step("conversation"),
    _step("messages"),
    _step("earlier"),
    _step("given", convert=json_text),
    *(_step(name, required=False) for name in ("model", "input_tokens", "output_tokens", "latency_ms", "cost_usd")),
)


def _stored_steps(history: History, wanted: Wanted) -> Sources:
    steps, turns = step_rows(wanted.get("step", ())), turn_rows(wanted.get("turn", ()))
    _read(history, "steps", steps, turns)
    return {"step": steps, "turn": turns}


@frame("steps", STEP_COLUMNS, Trace, stored=_stored_steps)
def steps_df(traces: Sequence[Trace]) -> Sources:
    """List the model calls of one turn or of many, in order.

    Parameters
    ----------
    traces : Trace or iterable of Trace; or History

    Returns
    -------
    DataFrame
        One row per model call; join by ``turn_id`` and ``step``, ``run_id``, ``agent`` or ``conversation``. Turns that
        were recorded before steps were have none; those of a run that outlives its turn come when it has ended.
    """
    return {
        "turn": [trace.turn for trace in traces for _ in trace.steps],
        "step": [step for trace in traces for step in trace.steps],
    }
