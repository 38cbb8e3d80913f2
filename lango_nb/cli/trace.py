"""``lango trace``: the turns that are stored.

list   the newest, or those that are asked for      export   one turn or a session as a file
show   one turn with everything that happened
"""

from __future__ import annotations

import argparse
import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lango_nb.cli.original import events_data, texts, trace_data
from lango_nb.cli.output import say, say_json, say_table
from lango_nb.cli.parser import add_common
from lango_nb.cli.stored import add_query, find_turn, history_of, open_records
from lango_nb.core.errors import UsageError, shorten
from lango_nb.records.retention import forgotten

if TYPE_CHECKING:
    from lango_nb.stores.store import Row, StoredTurn

NEWEST = 20
"""Turns that ``list`` shows when nobody says how many."""
_SAID = ("text", "result", "reason", "detail", "instruction", "summary", "error", "answer", "code", "status", "outcome")
"""Fields of an event that say what happened, the most telling first."""
_WIDTH = 60


def fill(parser: argparse.ArgumentParser) -> None:
    """Describe ``lango trace list``, ``show`` and ``export``."""
    kinds = parser.add_subparsers(metavar="COMMAND", title="commands")
    listing = _kind(kinds, "list", run_list, "list stored turns, the newest last")
    add_query(listing)
    listing.add_argument("--limit", metavar="N", type=int, default=NEWEST, help="at most so many, the newest (20)")
    showing = _kind(kinds, "show", run_show, "show everything that happened in one turn")
    showing.add_argument("turn", metavar="TURN", help="number of the turn, -1 for the latest, or its id")
    writing = _kind(kinds, "export", run_export, "write one turn, or a whole session, to a file")
    writing.add_argument("turn", metavar="TURN", nargs="?", help="number of the turn, -1 for the latest, or its id")
    writing.add_argument("--session", metavar="NAME", help="all turns of this session instead of one turn")
    writing.add_argument("--to", metavar="FILE", required=True, help="where it is written")
    writing.add_argument(
        "--format", metavar="WORD", help="html, jsonl or otel; what the name of the file says when absent"
    )
    writing.add_argument("--overwrite", action="store_true", help="replace a file of that name")


def _kind(kinds: Any, name: str, run: Any, sentence: str) -> argparse.ArgumentParser:
    kind: argparse.ArgumentParser = kinds.add_parser(name, help=sentence, allow_abbrev=False)
    kind.description = f"{sentence[0].upper()}{sentence[1:]}."
    add_common(kind)
    kind.set_defaults(run=run, parser=kind)
    return kind


# list


def run_list(args: argparse.Namespace) -> int:
    """Show which turns there are.

    Raises
    ------
    UsageError
        ``--limit`` or ``--since`` cannot be understood.
    """
    if args.limit < 1:
        raise UsageError(f"--limit takes a number from 1, not {args.limit}")
    with open_records(args) as store:
        rows = history_of(store, args, args.limit).rows()
        total, gone = store.log.count(), forgotten(store.documents("forgotten"))
    rows = sorted(rows, key=lambda row: int(str(row["number"])))
    if args.output == "json":
        say_json([trace_data(row) for row in rows])
        return 0
    say_table(
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
    if gone:
        say(gone)
    return 0


# show


def run_show(args: argparse.Namespace) -> int:
    """Show one turn.

    Raises
    ------
    UnknownNameError
        There is no such turn.
    """
    with open_records(args) as store:
        turn = find_turn(store, args.turn)
    if args.output == "json":
        say_json({**trace_data(turn.row, turn.events), "events": events_data(turn.events)})
        return 0
    row = turn.row
    facts = [f"turn {row['number']}", _ending(row), f"session {row['session_id']}", started_text(row)]
    say(" · ".join([*facts, duration_text(row.get("duration_ms"))]))
    say(f"request: {_one_line(row.get('text'))}")
    say(f"answer:  {_one_line(row.get('answer')) or '(none)'}")
    say("")
    say_table("Events", ("seq", "time", "type", "agent", "tool", "payload"), _event_rows(turn))
    return 0


# export


def run_export(args: argparse.Namespace) -> int:
    """Write one turn or a session to a file, and say what was written.

    Raises
    ------
    UsageError
        Neither a turn nor a session is named, or both; there is a file of that name.
    UnknownNameError
        There is no such turn, session or format.
    StoreError
        The file cannot be written.
    """
    from lango_nb.lab.exporting import export
    from lango_nb.stores.store import TurnQuery

    if (args.turn is None) == (args.session is None):
        raise UsageError("name one turn, or one session with --session; lango trace list shows both")
    with open_records(args) as store:
        if args.session is not None:
            query = history_of(store, args).query
        else:
            query = TurnQuery(ids=(str(find_turn(store, args.turn).row["id"]),))
        path = export(store.log, query, Path(args.to), args.format, overwrite=args.overwrite)
        numbers = [row["number"] for row in store.log.rows(query) if row["outcome"] != "running"]
    if args.output == "json":
        say_json({"file": str(path), "turns": numbers})
    else:
        say(f"{len(numbers)} {'turn' if len(numbers) == 1 else 'turns'} written to {path}")
    return 0


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
        return json.dumps(event["arguments"], ensure_ascii=False)
    return next((_one_line(event[name]) for name in _SAID if event.get(name)), "")


# words


def duration_text(milliseconds: object) -> str:
    """Write how long something took.

    Examples
    --------
    >>> duration_text(0.84), duration_text(1234.5), duration_text(75_000), duration_text(None)
    ('0.8 ms', '1.2 s', '75 s', '')
    """
    if not isinstance(milliseconds, int | float):
        return ""
    seconds = milliseconds / 1000
    if seconds < 1:
        return f"{milliseconds:,.1f} ms"
    return f"{seconds:,.1f} s" if seconds < 60 else f"{seconds:,.0f} s"  # noqa: PLR2004 - a minute


def started_text(row: Row) -> str:
    """Write when a turn began, to the second."""
    at = _time(row.get("started_at"))
    return f"{at:%Y-%m-%d %H:%M:%S}" if at is not None else ""


def _workers(row: Row) -> list[str]:
    """Name those who got work, or the root where nobody did."""
    root, *others = texts(row.get("path")) or [""]
    return list(dict.fromkeys(name for name in others if name != root)) or [root]


def _ending(row: Row) -> str:
    code = row.get("error_code")
    return f"{row.get('outcome')} ({code})" if code and code != row.get("outcome") else str(row.get("outcome"))


def _time(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return None


def _one_line(text: object) -> str:
    return " ".join(str(text or "").split())
