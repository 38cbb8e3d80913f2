"""Records as plain JSON rows, as stores keep them, and back again.

    Event ─┐                 ┌─ row   one per event, defaults left out
    Turn ──┤                 ├─ row   the summary of a turn, and who and what worked in it
    Trace ─┼──▶ packing ──▶ ─┼─ body  messages, decisions, runs, steps of a turn
    Message, Decision, AgentRun, Step ─▶ row

Writing happens while somebody waits for an answer: rows are copied out of records that are right already. Reading
checks everything, since a file may have been through many hands: a field that is missing, unknown or of the wrong kind
is a :class:`StoreError` that names it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import cache
from typing import TYPE_CHECKING, Any, cast, get_type_hints

from lango_nb.core.errors import StoreError, shorten
from lango_nb.core.events import STAMP, Event, event_kinds
from lango_nb.core.messages import NO_USAGE, USER, Message, ToolCall, Usage
from lango_nb.records.agent_run import AgentRun
from lango_nb.records.decisions import Decision
from lango_nb.records.rows import damaged, pack, rows_in, unpack, unpack_model
from lango_nb.records.steps import Step
from lango_nb.records.turns import Trace, Turn
from lango_nb.records.upgrading import upgrade_row as upgrade_row  # noqa: PLC0414 - a part of reading rows
from lango_nb.routing.route import Route
from lango_nb.stores.store import Row, StoredTurn, stamp

if TYPE_CHECKING:
    from pydantic import BaseModel, TypeAdapter

    from lango_nb.core.json_value import JsonValue

_ALWAYS = ("kind", *STAMP)
"""What every row of an event has, in this order."""
_TIMES = ("at",)
_NO_USAGE = vars(NO_USAGE)
_NOTHING = object()
"""Stands for the default of a field that has none; no value equals it."""
_BODY = ("messages", "decisions", "runs", "steps", "history")
_BEFORE_ITS_END: Row = {
    "answer": "",
    "error_code": "",
    "path": [],
    "rounds": 0,
    "steps": 0,
    "tool_calls": 0,
    "duration_ms": 0.0,
}
"""How a turn reads that has not ended."""


# -- events ------------------------------------------------------------------------------------------------------------


def pack_event(event: Event) -> Row:
    """Return the row of an event.

    Parameters
    ----------
    event : Event

    Returns
    -------
    dict
        Kind, turn, position, time and author always, other fields where they are not their defaults. Arguments of a
        call are shared with the event.
    """
    values = vars(event)
    row: Row = {
        "kind": values["kind"],
        "turn_id": values["turn_id"],
        "seq": values["seq"],
        "at": stamp(values["at"]),
        "author": values["author"],
    }
    for name, default in _event_fields()[values["kind"]]:
        value = values[name]
        if value is not default and value != default:
            row[name] = value
    usage = values.get("usage", NO_USAGE)
    if usage is not NO_USAGE and (used := _pack_usage(usage)):
        row["usage"] = used
    if "allowed_tools" in row:
        row["allowed_tools"] = [*values["allowed_tools"]]
    return row


def unpack_event(row: Row) -> Event:
    """Return the event of a row.

    Parameters
    ----------
    row : dict

    Returns
    -------
    Event

    Raises
    ------
    StoreError
        The row is not that of an event; with code ``newer_schema``: it is of a kind that this version does not know.
    """
    kind = row.get("kind")
    where = f"event {row.get('turn_id')}#{row.get('seq')}"
    if not isinstance(kind, str):
        raise damaged(where, "kind", "is missing" if kind is None else "is wrong (a kind is a text)")
    model = event_kinds().get(kind)
    if model is None:
        raise StoreError(
            f"{where} is of a kind that this lango_nb does not know, {shorten(kind)!r}; upgrade lango_nb to read it",
            "newer_schema",
        )
    if gone := next((name for name in STAMP if name not in row), ""):
        raise damaged(where, gone, "is missing")
    return cast("Event", unpack_model(model, row, where, _TIMES))


def _pack_usage(usage: Usage) -> Row:
    return {name: value for name, value in vars(usage).items() if value != _NO_USAGE[name]}


@cache
def _event_fields() -> Mapping[str, tuple[tuple[str, object], ...]]:
    """Return by kind the fields of events that are copied when they are not their defaults, with these."""
    return {
        kind: tuple(
            (field.name, _NOTHING if field.default is MISSING else field.default)
            for field in fields(model)
            if field.name not in {*_ALWAYS, "usage"}
        )
        for kind, model in event_kinds().items()
    }


# -- messages ----------------------------------------------------------------------------------------------------------


def pack_message(message: Message) -> Row:
    """Return the row of a message: its role, and what is not a default.

    Examples
    --------
    >>> pack_message(Message(role="user", content="hi", author="user"))
    {'role': 'user', 'content': 'hi', 'author': 'user'}
    """
    row: Row = {"role": message.role}
    if message.content:
        row["content"] = message.content
    if message.author is not None:
        row["author"] = message.author
    if message.tool_calls:
        row["tool_calls"] = [_pack_call(call) for call in message.tool_calls]
    if message.tool_call_id is not None:
        row["tool_call_id"] = message.tool_call_id
    if message.tool_name is not None:
        row["tool_name"] = message.tool_name
    if message.is_error:
        row["is_error"] = True
    if message.id:
        row["id"] = message.id
    if message.conversation:
        row["conversation"] = message.conversation
    return row


def unpack_message(row: Row) -> Message:
    """Return the message of a row; one that was written before authors were kept has none.

    Raises
    ------
    StoreError
        The row is not that of a message.

    Examples
    --------
    >>> unpack_message({"role": "assistant", "content": "hi"}).author is None
    True
    """
    return unpack_model(Message, row, f"message by {row.get('author') or 'nobody'}")


def read_history(text: str) -> tuple[Message, ...]:
    """Return the messages of JSON that a store gave.

    Raises
    ------
    StoreError
        It is not a list of messages.
    """
    from pydantic import ValidationError

    try:
        return _history_reader().validate_json(text)
    except ValidationError:  # half a character, or no messages: one by one it is said
        return tuple(map(unpack_message, rows_in({"messages": json.loads(text)}, "messages", "a stored turn")))


@cache
def _history_reader() -> TypeAdapter[tuple[Message, ...]]:
    from pydantic import TypeAdapter

    return TypeAdapter(tuple[Message, ...])


def pack_step(step: Step) -> Row:
    """Return the row of a model call: what it was given as lists, and what it cost where that is known.

    Examples
    --------
    >>> row = pack_step(Step(2, "vault", "arun-1", "s:child:vault:arun-1", 3, 1, (("", 1, 2),)))
    >>> row["step"], row["agent"], row["earlier"], row["given"]
    (2, 'vault', 1, [['', 1, 2]])
    """
    row: Row = {
        "step": step.step,
        "agent": step.agent,
        "run_id": step.run_id,
        "conversation": step.conversation,
        "messages": step.messages,
        "earlier": step.earlier,
        "given": [[*some] for some in step.given],
    }
    if used := _pack_usage(step.usage):
        row["usage"] = used
    return row


def unpack_step(row: Row) -> Step:
    """Return the model call of a row.

    Raises
    ------
    StoreError
        The row is not that of a model call.
    """
    return Step(**vars(unpack_model(_step_model(), row, f"step {row.get('step')}")))


@cache
def _step_model() -> type[BaseModel]:
    """Make the model that checks rows of model calls."""
    from pydantic import ConfigDict, create_model

    types, defaults = get_type_hints(Step), Step._field_defaults
    shape: dict[str, Any] = {name: (types[name], defaults.get(name, ...)) for name in Step._fields}
    return cast("type[BaseModel]", create_model("Step", __config__=ConfigDict(extra="forbid"), **shape))


def _pack_call(call: ToolCall) -> JsonValue:
    row: Row = {"id": call.id, "name": call.name}
    if call.arguments:
        row["arguments"] = call.arguments
    if call.error is not None:
        row["error"] = call.error
    return row


# -- decisions and runs ------------------------------------------------------------------------------------------------


def pack_decision(decision: Decision) -> Row:
    """Return the row of a decision with all the router said of it; works that out if nobody has looked at it yet.

    Parameters
    ----------
    decision : Decision

    Returns
    -------
    dict
        The decision's fields, and under ``route`` the candidates with score, signals and vetoes, the margin and why;
        the text of the route is left out when it is the decision's.
    """
    row = pack(decision)
    row["excluded"] = [list(one) for one in decision.excluded]
    said = decision.route
    route = pack(said)
    route["candidates"] = [
        {
            "agent": one.agent,
            "score": one.score,
            "confidence": one.confidence,
            "signals": [{"kind": two.kind, "term": two.term, "weight": two.weight} for two in one.signals],
            "vetoes": list(one.vetoes),
        }
        for one in said.candidates
    ]
    if route["text"] == row["text"]:
        del route["text"]
    return {**row, "route": route}


def unpack_decision(row: Row) -> Decision:
    """Return the decision of a row; it holds what the router said and never asks again.

    Raises
    ------
    StoreError
        The row is not that of a decision.
    """
    where, said = f"decision {row.get('id')}", row.get("route")
    if not isinstance(said, dict):
        raise damaged(where, "route", "is missing" if said is None else "is wrong (no record)")
    kept = unpack(Route, {"text": row.get("text"), **said}, f"the route of {where}")
    return unpack(Decision, {name: value for name, value in row.items() if name != "route"}, where, kept=kept)


def pack_run(run: AgentRun) -> Row:
    """Return the row of a teammate run, every field in it, so that stores can look for them."""
    return pack(run)


def unpack_run(row: Row) -> AgentRun:
    """Return the teammate run of a row.

    Raises
    ------
    StoreError
        The row is not that of a run.
    """
    return unpack(AgentRun, row, f"run {row.get('id')}")


# -- turns and traces --------------------------------------------------------------------------------------------------


def pack_turn(turn: Turn, events: Iterable[Event] = (), runs: Iterable[AgentRun] = ()) -> Row:
    """Return the row of a turn: its summary, and who worked in it and which tools were called.

    Parameters
    ----------
    turn : Turn
    events : iterable of Event
    runs : iterable of AgentRun

    Returns
    -------
    dict
        ``agents`` and ``tools`` in order of first appearance, without ``user``.
    """
    agents: dict[str, None] = {}
    tools: dict[str, None] = {}
    for event in events:
        agents[event.author] = None
        match event.kind:
            case "run.started":
                agents[event.agent] = None
            case "tool.started" | "tool.finished":
                tools[event.tool] = None
    agents.update((run.requested_agent, None) for run in runs)
    agents.pop(USER, None)
    return {**pack(turn), "agents": [*agents], "tools": [*tools]}


def unpack_turn(row: Row) -> Turn:
    """Return the turn of a row; of one that has not ended, what belongs to its end is empty.

    Raises
    ------
    StoreError
        The row is not that of a turn.
    """
    own = {name: value for name, value in row.items() if name not in {"agents", "tools"}}
    if row.get("outcome") == "running":
        own = {**_BEFORE_ITS_END, "ended_at": row.get("started_at"), **own}
    return unpack(Turn, own, f"turn {row.get('id')}")


def pack_trace(trace: Trace, history: Sequence[Message] | None = None) -> tuple[Row, Row]:
    """Return the row and the body of a trace; its events are rows of their own.

    Parameters
    ----------
    trace : Trace
    history : sequence of Message, optional
        What later turns of the session see of this one, when that is not the trace's messages.

    Returns
    -------
    row : dict
        As :func:`pack_turn` makes it.
    body : dict
        ``messages``, ``decisions``, ``runs``, ``steps`` and ``history``.
    """
    body = pack_known(trace)
    said = trace.conversation() if history is None else history
    packed = dict(zip(map(id, trace.messages), rows_in(body, "messages", trace.turn.id), strict=True))
    body["history"] = [packed.get(id(message)) or pack_message(message) for message in said]  # most are the same
    return pack_turn(trace.turn, trace.events, trace.runs), body


def pack_known(trace: Trace) -> Row:
    """Return the part of a trace's body that runs add to after the end of their turn."""
    return {
        "messages": [pack_message(message) for message in trace.messages],
        "decisions": [pack_decision(decision) for decision in trace.decisions],
        "runs": [pack_run(run) for run in trace.runs],
        "steps": [pack_step(step) for step in trace.steps],
    }


def unpack_trace(stored: StoredTurn) -> Trace:
    """Return the trace of a stored turn.

    Parameters
    ----------
    stored : StoredTurn

    Returns
    -------
    Trace
        What its runs did after its end is apart from its events.

    Raises
    ------
    StoreError
        Something of it is not what it should be.
    """
    where = f"turn {stored.row.get('id')}"
    for name in stored.body:
        if name not in _BODY:
            raise damaged(where, name, "is unknown")
    return Trace(
        turn=unpack_turn(stored.row),
        events=tuple(unpack_event(row) for row in stored.events[: _end(stored.events)]),
        decisions=tuple(unpack_decision(row) for row in rows_in(stored.body, "decisions", where)),
        messages=tuple(unpack_message(row) for row in rows_in(stored.body, "messages", where)),
        runs=tuple(unpack_run(row) for row in rows_in(stored.body, "runs", where)),
        steps=tuple(unpack_step(row) for row in rows_in(stored.body, "steps", where)),
        late=tuple(late_events(stored)),
    )


def late_events(stored: StoredTurn) -> list[Event]:
    """Return what runs of a turn did after its end.

    Raises
    ------
    StoreError
        A row is not that of an event.
    """
    return [unpack_event(row) for row in stored.events[_end(stored.events) :]]


def history_of(body: Row) -> tuple[Message, ...]:
    """Return what later turns of the session see of a turn.

    Raises
    ------
    StoreError
        A row is not that of a message.
    """
    if "history" in body:
        return tuple(unpack_message(row) for row in rows_in(body, "history", "a stored turn"))
    own = (row for row in rows_in(body, "messages", "a stored turn") if not row.get("conversation"))
    return tuple(map(unpack_message, own))


def _end(events: Sequence[Row]) -> int:
    """Return how many events there are up to the turn's end."""
    for place in range(len(events) - 1, -1, -1):
        if events[place].get("kind") == "turn.finished":
            return place + 1
    return len(events)
