"""Turns and events as the original's command line prints them as JSON, so that what reads the one reads the other.

    tool.started, tool.finished     tool_call, tool_result          {"id", "args"}, {"id", "response"}
    handover                        delegation                      {"to", "reason"}
    returned, declined              delegation_return               {"to", "reason"}
    error, a turn that failed       terminal_error                  {"error_code", "cause_detail"}
    text, budget.warning,           text, budget_warning,           {"text"}, {"used", "limit"},
    recovery, policy.decided        recovery_attempt, …             …

What the original does not know keeps our name and our fields. Ours always stands under ``kind``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lango_nb.stores.store import Row

KINDS = {
    "tool.started": "tool_call",
    "tool.finished": "tool_result",
    "handover": "delegation",
    "returned": "delegation_return",
    "declined": "delegation_return",
    "text": "text",
    "error": "terminal_error",
    "budget.warning": "budget_warning",
    "recovery": "recovery_attempt",
    "policy.decided": "policy_decision",
}
"""Kinds of events, and what the original called them in its JSON; the others keep our name."""
_BESIDE = frozenset({"kind", "turn_id", "seq", "at", "author", "step", "run_id", "tool", "call_id", "usage"})
"""Fields of an event that are not part of its payload."""


def trace_data(row: Row, events: list[Row] | None = None) -> dict[str, Any]:
    """Return a turn as plain data, with the names the original's JSON has, and ours beside them.

    Parameters
    ----------
    row : dict
        The turn's summary.
    events : list of dict, optional
        What happened; says what caused an error.
    """
    is_running = row.get("outcome") == "running"
    cause, detail = _cause(events or [])
    return {
        "trace_id": row["id"],
        "session_key": row["session_id"],
        "entrypoint": row.get("entrypoint") or "",
        "outcome": row.get("outcome"),
        "error_code": row.get("error_code") or "",
        "cause_class": row.get("cause_class") or cause,
        "cause_detail": row.get("cause_detail") or detail,
        "summary": row.get("answer") or "",
        "started_at": row.get("started_at"),
        "ended_at": None if is_running else row.get("ended_at"),
        "number": row["number"],
        "request": row.get("text") or "",
        "duration_ms": None if is_running else row.get("duration_ms"),
        "topology": row.get("topology") or "",
        "model": row.get("model") or "",
        "path": texts(row.get("path")),
        "agents": texts(row.get("agents")),
        "tools": texts(row.get("tools")),
    }


def events_data(events: list[Row]) -> list[dict[str, Any]]:
    """Return the events of a turn as plain data; one that failed has a ``terminal_error``, its end where nothing else.

    Parameters
    ----------
    events : list of dict
        As a store holds them.
    """
    told = [event_data(event) for event in events]
    has_said = any(one["event_type"] == "terminal_error" for one in told)
    for event, one in zip(events, told, strict=True):
        if not has_said and event["kind"] == "turn.finished" and event.get("outcome") != "success":
            one["event_type"] = "terminal_error"
    return told


def event_data(event: Row) -> dict[str, Any]:
    """Return an event as plain data, with the names the original's JSON has; ``kind`` and ``run_id`` are ours.

    Parameters
    ----------
    event : dict
        As a store holds it.

    Examples
    --------
    >>> found = event_data({"kind": "handover", "author": "root", "target": "vault", "reason": "keys"})
    >>> found["event_type"], found["payload_json"]
    ('delegation', '{"to": "vault", "reason": "keys"}')
    """
    kind = str(event["kind"])
    arguments = json.dumps(event.get("arguments") or {}, sort_keys=True, ensure_ascii=False)
    return {
        "trace_id": event.get("turn_id"),
        "seq": event.get("seq"),
        "event_type": KINDS.get(kind, kind),
        "agent_name": event.get("author"),
        "tool_name": event.get("tool") or "",
        "call_signature": f"{event.get('author')}|{event.get('tool')}|{arguments}" if kind == "tool.started" else "",
        "payload_json": json.dumps(_payload(kind, event), ensure_ascii=False),
        "payload_truncated": False,
        "created_at": event.get("at"),
        "kind": kind,
        "run_id": event.get("run_id") or "",
    }


def texts(value: object) -> list[str]:
    """Return a list of texts; empty for what is none."""
    return [str(item) for item in value] if isinstance(value, list | tuple) else []


def _payload(kind: str, event: Row) -> dict[str, Any]:
    match kind:
        case "tool.started":
            return {"id": event.get("call_id"), "args": event.get("arguments") or {}}
        case "tool.finished":
            name = "error" if event.get("is_error") else "result"
            return {"id": event.get("call_id"), "response": {name: event.get("result") or ""}}
        case "handover" | "returned" | "declined":
            return {"to": event.get("target"), "reason": event.get("reason") or event.get("text") or ""}
        case "error":
            return {"error_code": event.get("code"), "cause_detail": event.get("text") or ""}
        case "budget.warning":
            return {"used": event.get("used"), "limit": event.get("of"), "of": event.get("limit")}
        case "recovery":
            return {
                "action": event.get("action"),
                "cause_class": event.get("error_class"),
                "attempt": event.get("attempt"),
                "agent": event.get("failed_agent") or "",
                "backoff_ms": 1000 * float(str(event.get("wait_s") or 0)),
                "error": event.get("detail") or "",
            }
        case _:
            return {name: value for name, value in event.items() if name not in _BESIDE}


def _cause(events: list[Row]) -> tuple[str, str]:
    """Say what made a turn fail: class and detail of the last recovery, else of the last error."""
    for event in reversed(events):
        match event.get("kind"):
            case "recovery":
                return str(event.get("error_class") or ""), str(event.get("detail") or "")
            case "error":
                return str(event.get("code") or ""), str(event.get("text") or "")
            case "limit.reached":
                return str(event.get("limit") or ""), str(event.get("detail") or "")
    return "", ""
