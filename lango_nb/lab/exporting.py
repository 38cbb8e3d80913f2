"""Writing turns to one file: a page, JSON lines, or OpenTelemetry spans."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from lango_nb.core.errors import UnknownNameError, UsageError
from lango_nb.core.paths import path_of

if TYPE_CHECKING:
    from lango_nb.records.turns import Trace
    from lango_nb.stores.store import StoredTurn, TurnLog, TurnQuery

FORMATS = ("html", "jsonl", "otel")
_BY_NAME = {".html": "html", ".htm": "html", ".jsonl": "jsonl", ".json": "otel"}


def export(  # noqa: PLR0913 - what, where to, how
    log: TurnLog,
    query: TurnQuery,
    path: Path,
    form: str | None = None,
    *,
    overwrite: bool = False,
    unsaved: Sequence[Trace] = (),
) -> Path:
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
    unsaved : sequence of Trace
        Turns that belong to them and could not be written down yet.

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
    path = path_of(path)
    chosen = form or _BY_NAME.get(path.suffix.lower())
    if chosen is None:
        raise UsageError(f"what to write to {path.name} is not clear; end it with .html or .jsonl, or name a format")
    if chosen not in FORMATS:
        raise UnknownNameError("format", chosen, FORMATS)
    if not unsaved and not any(row["outcome"] != "running" for row in log.rows(query)):
        raise UsageError("there is no turn to export; ask something first, or name a session that has turns")
    from lango_nb.records.exporting import write_jsonl, write_whole

    closed = (stored for stored in log.scan(query) if stored.row["outcome"] != "running")
    turns: Iterable[StoredTurn | Trace] = chain(closed, unsaved)
    if chosen == "jsonl":
        write_jsonl(path, turns, overwrite=overwrite)
    elif chosen == "otel":
        from lango_nb.records.otel import write_otlp

        write_otlp(path, turns, overwrite=overwrite)
    else:
        from lango_nb.records.packing import unpack_trace
        from lango_nb.viz.page import page

        traces = [*map(unpack_trace, closed), *unsaved]
        write_whole(path, [page(traces).encode()], overwrite=overwrite)
    return path
