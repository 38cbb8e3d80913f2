"""``lango trace``: the turns that are stored, as a terminal lists, shows and writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lango_nb.commands.command import Command, Option, Output, Word, whole
from lango_nb.commands.history import NARROWING, TURN
from lango_nb.commands.metrics import duration_text
from lango_nb.commands.text import table_text
from lango_nb.core.errors import UsageError, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from lango_nb.commands.terminal.session import Terminal
    from lango_nb.stores.store import Row, StoredTurn

NEWEST = 20
"""Turns that ``list`` shows when nobody says how many."""
_SAID = ("text", "result", "reason", "detail", "instruction", "summary", "error", "answer", "code", "status", "outcome")
"""Fields of an event that say what happened, the most telling first."""
_WIDTH = 60


@Command(
    "trace list",
    "list stored turns, the newest last",
    options=(
        *(option for option in NARROWING if option.name != "--limit"),
        Option("--text", "only turns whose request or answer holds this", "WORDS"),
        Option("--limit", f"show at most this many of the latest ({NEWEST})", "N", type=whole(1)),
    ),
).in_terminal
def trace_list(  # noqa: PLR0913 - what one may ask for
    terminal: Terminal,
    *,
    session: str | None = None,
    agent: str | None = None,
    tool: str | None = None,
    outcome: Sequence[str] | None = None,
    since: str | None = None,
    until: str | None = None,
    text: str = "",
    limit: int = NEWEST,
) -> Output:
    """Show which turns there are."""
    from lango_nb.commands.original import trace_data
    from lango_nb.records.retention import forgotten

    with terminal.records() as records:
        asked = records.history(session).where(
            agent=agent, tool=tool, outcome=outcome, since=since, until=until, text=text, limit=limit, newest_first=True
        )
        found = asked.rows()
        total, gone = records.store.log.count(), forgotten(records.store.documents("forgotten"))
    rows = sorted(found, key=lambda row: int(str(row["number"])))

    def told() -> str:
        shown = table_text(
            "Turns",
            ("turn", "outcome", "session", "agents", "duration", "started", "request"),
            (
                (
                    str(row["number"]),
                    _ending(row),
                    row["session_id"],
                    ", ".join(_workers(row)) or None,
                    duration_text(row.get("duration_ms")),
                    started_text(row),
                    shorten(" ".join(str(row.get("text") or "").split()), _WIDTH),
                )
                for row in rows
            ),
            note=f"{len(rows):,} of {total:,} stored; lango trace show TURN tells more." if rows else "",
        )
        return f"{shown}\n{gone}" if gone else shown

    return Output(told, lambda: [trace_data(row) for row in rows])


@Command(
    "trace show",
    "show everything that happened in one turn",
    word=Word("turn", TURN.metavar, TURN.kind, TURN.help, is_required=True),
).in_terminal
def trace_show(terminal: Terminal, turn: str) -> Output:
    """Show one turn."""
    from lango_nb.commands.original import events_data, trace_data

    with terminal.records() as records:
        found = records.turn(turn)
    row = found.row

    def text() -> str:
        facts = [f"turn {row['number']}", _ending(row), f"session {row['session_id']}", started_text(row)]
        lines = (
            " · ".join([*facts, duration_text(row.get("duration_ms"))]),
            f"request: {_one_line(row.get('text'))}",
            f"answer:  {_one_line(row.get('answer')) or '(none)'}",
            "",
            table_text("Events", ("seq", "time", "type", "agent", "tool", "payload"), _event_rows(found)),
        )
        return "\n".join(lines)

    return Output(text, lambda: {**trace_data(row, found.events), "events": events_data(found.events)})


@Command(
    "trace export",
    "write one turn, or a whole session, to a file",
    word=TURN,
    options=(
        Option("--session", "all turns of this session instead of one turn", "NAME"),
        Option("--to", "where it is written", "FILE", is_required=True),
        Option("--format", "html, jsonl or otel; what the name of the file says when absent", "WORD", parameter="form"),
        Option("--overwrite", "replace a file of that name"),
    ),
).in_terminal
def trace_export(  # noqa: PLR0913 - what one may choose
    terminal: Terminal,
    turn: str | None = None,
    *,
    to: str,
    session: str | None = None,
    form: str | None = None,
    overwrite: bool = False,
) -> Output:
    """Write one turn or a session to a file, and say what was written."""
    from pathlib import Path

    from lango_nb.lab.exporting import export

    if (turn is None) == (session is None):
        raise UsageError("name one turn, or one session with --session; lango trace list shows both")
    with terminal.records() as records:
        ids = None if turn is None else (str(records.turn(turn).row["id"]),)
        query = records.history(session).where(ids=ids).query
        log = records.store.log
        path = export(log, query, Path(to), form, overwrite=overwrite)
        numbers = [row["number"] for row in log.rows(query) if row["outcome"] != "running"]
    written = f"{len(numbers)} {'turn' if len(numbers) == 1 else 'turns'} written to {path}"
    return Output(lambda: written, lambda: {"file": str(path), "turns": numbers})


def _event_rows(turn: StoredTurn) -> list[tuple[object, ...]]:
    began = _time(turn.row.get("started_at"))
    rows: list[tuple[object, ...]] = []
    for event in turn.events:
        at = _time(event.get("at"))
        since = f"+{(at - began).total_seconds():.3f} s" if at is not None and began is not None else ""
        target = event.get("target") or (event.get("agent") if event["kind"] == "run.started" else "")
        parts = (f"→ {target}" if target else "", _said(event))
        payload = shorten(" ".join(part for part in parts if part), _WIDTH)
        rows.append((event.get("seq"), since, event["kind"], event.get("author"), event.get("tool") or "", payload))
    return rows


def _said(event: Row) -> str:
    if event.get("arguments"):
        import json

        return json.dumps(event["arguments"], ensure_ascii=False)
    return next((_one_line(event[name]) for name in _SAID if event.get(name)), "")


def started_text(row: Row) -> str:
    """Write when a turn began, to the second."""
    at = _time(row.get("started_at"))
    return f"{at:%Y-%m-%d %H:%M:%S}" if at is not None else ""


def _workers(row: Row) -> list[str]:
    """Name those who got work, or the root where nobody did."""
    from lango_nb.commands.original import texts

    root, *others = texts(row.get("path")) or [""]
    return list(dict.fromkeys(name for name in others if name != root)) or [root]


def _ending(row: Row) -> str:
    code = row.get("error_code")
    return f"{row.get('outcome')} ({code})" if code and code != row.get("outcome") else str(row.get("outcome"))


def _time(text: object) -> datetime | None:
    from datetime import datetime

    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return None


def _one_line(text: object) -> str:
    return " ".join(str(text or "").split())
