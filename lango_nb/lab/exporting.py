"""Writing turns to one file: a page, JSON lines, or OpenTelemetry spans."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lango_nb.core.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from lango_nb.stores.store import TurnLog, TurnQuery

FORMATS = ("html", "jsonl", "otel")
_BY_NAME = {".html": "html", ".htm": "html", ".jsonl": "jsonl", ".json": "otel"}


def export(log: TurnLog, query: TurnQuery, path: Path, form: str | None = None, *, overwrite: bool = False) -> Path:
    """Write turns to a file.

    Parameters
    ----------
    log : TurnLog
    query : TurnQuery
        Which turns; those that still run are left out.
    path : Path
    form : {"html", "jsonl", "otel"}, optional
        What the file's name says when absent.
    overwrite : bool
        Whether a file of that name is replaced.

    Returns
    -------
    Path

    Raises
    ------
    UsageError
        The format is unknown, there is nothing to write, or there is a file of that name.
    StoreError
        It cannot be read or written.
    """
    path = path.expanduser()
    chosen = form or _BY_NAME.get(path.suffix.lower())
    if chosen is None:
        raise UsageError(f"what to write to {path.name} is not clear; end it with .html or .jsonl, or name a format")
    if chosen not in FORMATS:
        raise UnknownNameError("format", chosen, FORMATS)
    if not any(row["outcome"] != "running" for row in log.rows(query)):
        raise UsageError("there is no turn to export; ask something first, or name a session that has turns")
    from lango_nb.records.exporting import write_jsonl, write_whole

    turns = (stored for stored in log.scan(query) if stored.row["outcome"] != "running")
    if chosen == "jsonl":
        write_jsonl(path, turns, overwrite=overwrite)
    elif chosen == "otel":
        from lango_nb.records.otel import write_otlp

        write_otlp(path, turns, overwrite=overwrite)
    else:
        from lango_nb.records.packing import unpack_trace
        from lango_nb.viz.page import page

        write_whole(path, [page([unpack_trace(stored) for stored in turns]).encode()], overwrite=overwrite)
    return path
