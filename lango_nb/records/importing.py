"""Traces from files: those that were exported here, and those that the original's command line prints.

``lango agent trace list --json`` prints a list of traces without events, ``trace show ID --json`` the events of one.
Either is read, and so is ``{"trace": {…}, "events": […]}``, a trace with its ``events``, and any list of these. Names
may be written ``session_key``, ``sessionKey`` or ``SessionKey``; fields that are not in the table are ignored.

    there                                  here
    trace_id, session_key                  id, session_id of the turn
    outcome, started_at, ended_at          the same; without an end the turn is "running"
    cause_class, or else error_code        error_code of the turn
    cause_detail, summary of a failure     text of an ``error`` at the end, unless a terminal_error says the same
    summary of a success                   answer, in the words of the text it was cut from where that is there
    entrypoint                             -
    -                                      text, topology, model, steps, tokens, messages, decisions, runs: empty

    tool_call, tool_result                 tool.started, tool.finished; the latency is the time between the two
    delegation, delegation_return          handover, returned
    text                                   text
    terminal_error                         error
    budget_warning                         budget.warning of the limit "delegations"
    recovery_attempt                       recovery
    policy_decision                        policy.decided
    whatever else, or says something else  hook.decided of a hook "lango.<event_type>", with the payload as its detail

Every turn also gets a ``turn.started``, and a ``turn.finished`` when its outcome is known; positions count them. Both
are said by what the trace itself says. Of a payload that was cut, arguments come from the call's signature, which is
never cut. A call without an id is known by its position, and its result is the next one of that agent and tool.
"""

from __future__ import annotations

import json
from pathlib import Path

from lango_nb.core.errors import StoreError
from lango_nb.records.exporting import is_export, read_bytes, turns_of
from lango_nb.records.original import Fields, Recorded
from lango_nb.records.packing import unpack_trace
from lango_nb.records.turns import Trace

_DEEPEST = 5
"""Lists and objects around a trace or an event, at most."""


def read_any(path: str | Path) -> list[Trace]:
    """Return the traces of a file, whoever wrote it.

    Parameters
    ----------
    path : str or Path
        JSON lines of :func:`~lango_nb.records.exporting.write_jsonl`, or JSON of the original's command line.

    Returns
    -------
    list of Trace
        Those of the original oldest first, numbered from 1, without secrets.

    Raises
    ------
    UsageError
        There is no such file.
    StoreError
        It is damaged, of a newer version, or holds something else.
    """
    data = read_bytes(path)
    if is_export(data):
        return [unpack_trace(stored) for stored in turns_of(data, str(path))]
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise _foreign(str(path)) from None
    return read_document(document, str(path))


def read_document(document: object, where: str = "the document") -> list[Trace]:
    """Return the traces of JSON that the original's command line printed.

    Parameters
    ----------
    document : object
        As :func:`json.loads` gives it.
    where : str
        What errors call it.

    Returns
    -------
    list of Trace
        Oldest first, numbered from 1, without secrets.

    Raises
    ------
    StoreError
        It holds something else, or an outcome or a time that cannot be understood.

    Examples
    --------
    >>> (trace,) = read_document([{"TraceID": "t-1", "Outcome": "timeout", "StartedAt": "2026-01-02T03:04:05Z"}])
    >>> trace.turn.id, trace.turn.outcome, [event.kind for event in trace.events]
    ('t-1', 'timeout', ['turn.started', 'turn.finished'])
    """
    found: dict[str, Recorded] = {}
    _collect(document, found, where)
    if not found and document != []:
        raise _foreign(where)
    ordered = sorted(found.values(), key=lambda one: one.started_at)
    return [one.trace(number) for number, one in enumerate(ordered, 1)]


def _collect(given: object, found: dict[str, Recorded], where: str, trace_id: str = "", depth: int = 0) -> None:
    """Gather traces and events by the trace they belong to, in whatever they are wrapped."""
    if depth > _DEEPEST or not isinstance(given, list | dict):
        raise _foreign(where)
    if isinstance(given, list):
        for one in given:
            _collect(one, found, where, trace_id, depth + 1)
        return
    fields = Fields(given, where)
    own = fields.text("trace_id") or trace_id
    if fields.has("event_type"):
        _recorded(own, found, fields).events.append(fields)
        return
    if fields.has("outcome") or fields.has("started_at"):
        _recorded(own, found, fields).row = fields
    elif not any(fields.has(name) for name in ("trace", "traces", "events")):
        raise _foreign(where)
    for name in ("trace", "traces", "events"):
        inner = fields.get(name)
        if inner is not None:
            if name == "trace" and isinstance(inner, dict):
                own = Fields(inner, where).text("trace_id")
            _collect(inner, found, where, own, depth + 1)


def _recorded(trace_id: str, found: dict[str, Recorded], fields: Fields) -> Recorded:
    if not trace_id:
        raise fields.wrong("trace_id", "is missing")
    return found.setdefault(trace_id, Recorded(trace_id, Fields({}, f"trace {trace_id} of {fields.where}")))


def _foreign(where: str) -> StoreError:
    known = "what lango exported, or what 'trace list --json' or 'trace show --json' printed"
    return StoreError(f"{where} holds no traces; give {known}", "damaged")
