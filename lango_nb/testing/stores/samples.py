"""Rows the contract stores: turns, events, bodies and documents as the engine makes them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from lango_nb.stores.store import Row, TurnLog, stamp

if TYPE_CHECKING:
    from lango_nb.core.json_value import JsonValue

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
"""When the first turn starts."""
BODY: Row = {
    "messages": [
        {"role": "user", "content": "hello", "author": "user"},
        {"role": "assistant", "content": "Hi.", "author": "operator"},
    ],
    "decisions": [],
    "runs": [],
}
"""What else belongs to a turn."""


def at(seconds: float) -> str:
    """Write the time so many seconds after the start."""
    return stamp(START + timedelta(seconds=seconds))


def begun(
    key: str = "turn-1", session: str = "main", text: str = "hello", seconds: float = 0, **more: JsonValue
) -> Row:
    """Return the row a turn begins with."""
    return {
        "id": key,
        "session_id": session,
        "text": text,
        "started_at": at(seconds),
        "topology": "octet",
        "model": "offline",
        **more,
    }


def ended(row: Row, **more: JsonValue) -> Row:
    """Return the row a turn ends with."""
    return {
        **row,
        "outcome": "success",
        "answer": "Hi.",
        "error_code": None,
        "path": ["operator"],
        "agents": ["operator"],
        "tools": [],
        "rounds": 0,
        "steps": 1,
        "tool_calls": 0,
        "ended_at": at(60),
        "duration_ms": 12.5,
        "input_tokens": 20,
        "output_tokens": 3,
        **more,
    }


def event(key: str = "turn-1", seq: int = 1, text: str = "", **more: JsonValue) -> Row:
    """Return one event of a turn."""
    row: Row = {"kind": "text", "turn_id": key, "seq": seq, "at": at(seq), "author": "operator", **more}
    return {**row, "text": text} if text else row


def events(key: str, first: int, last: int) -> list[Row]:
    """Return events of a turn with the given numbers, the last one included."""
    return [event(key, seq, f"word {seq}") for seq in range(first, last + 1)]


def play(log: TurnLog, key: str = "turn-1", session: str = "main", text: str = "hello", seconds: float = 0) -> Row:
    """Begin a turn and close it, with four events, and return its last row."""
    row = begun(key, session, text, seconds)
    number = log.begin(row, events(key, 1, 1))
    log.write(key, events(key, 2, 3))
    row = ended(row)
    log.finish(key, events(key, 4, 4), row, BODY)
    return {**row, "number": number}


def task(key: str = "task-1", title: str = "Water the plants", **more: JsonValue) -> Row:
    """Return a document."""
    return {"id": key, "title": title, "status": "pending", **more}


def document(key: str, **fields: JsonValue) -> Row:
    """Return a document with these fields only."""
    return {"id": key, **fields}
