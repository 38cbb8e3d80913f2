"""Going on with what there is: a conversation, records in a folder or a database, traces in a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lango_nb.core.errors import UnknownNameError, UsageError
from lango_nb.core.paths import path_of
from lango_nb.core.text import counted
from lango_nb.lab.view_types import frames
from lango_nb.lab.views import left_open, shown_store
from lango_nb.stores.opening import HOME
from lango_nb.viz.table import Table
from lango_nb.viz.view import ListView, View

if TYPE_CHECKING:
    from lango_nb.engine import Engine
    from lango_nb.records.turns import Trace
    from lango_nb.stores.store import Store
    from lango_nb.viz.document import Document


def kind_of(what: str | Path, sessions: Sequence[str]) -> Literal["session", "traces", "records"]:
    """Say what somebody wants to open.

    Parameters
    ----------
    what : str or Path
        As :meth:`~lango_nb.lab.lab.Lab.open` takes it.
    sessions : sequence of str
        Names of those there are.

    Raises
    ------
    UsageError
        Nothing is named, or a file that is not there.
    UnknownNameError
        There is no such session, file or folder.
    """
    name = str(what)
    if isinstance(what, str) and not what.strip():
        raise UsageError("name what to open: a session, a file of traces, a folder for records, home, or an address")
    if isinstance(what, str) and what in sessions:
        return "session"
    if name == HOME or "://" in name:
        return "records"
    path = path_of(name)
    if path.is_file():
        return "traces"
    if path.is_dir() or isinstance(what, Path) or "/" in name or name.startswith((".", "~")):
        if path.suffix in {".json", ".jsonl"}:
            raise UsageError(f"there is no file {name}; name one that is there, a session, or a folder for records")
        return "records"
    raise UnknownNameError("session", name, sessions)


def traces_view(path: Path) -> ListView[Trace]:
    """Read traces from a file, to look at.

    Parameters
    ----------
    path : Path
        What :meth:`~lango_nb.lab.lab.Lab.export` wrote, or a trace as JSON of the original lango.
    """
    from lango_nb.records.importing import read_any
    from lango_nb.viz import trace, turns

    traces = tuple(read_any(path))

    def shown() -> Document:
        is_alone = len(traces) == 1
        return trace.document(traces[0]) if is_alone else turns.turns_document([one.turn for one in traces])

    return ListView(traces, lambda: frames().turns_df(traces), shown)


def records_view(engine: Engine, session: str) -> View[Store]:
    """Show what there is in records that were opened.

    Parameters
    ----------
    engine : Engine
        Keeps everything in them from now on.
    session : str
        The conversation in use.
    """
    rows = [
        ("records", shown_store(engine.store)),
        ("turns", str(len(engine.traces))),
        ("sessions", ", ".join(engine.sessions.names()[-12:]) or "none yet"),
        ("session", session),
        *(("found", item.sentence) for item in engine.records.found),
        *left_open(engine).items(),
        *(
            ("problem", "; ".join(filter(None, (f"{one.where}: {one.detail}", one.next_step))))
            for one in engine.store.problems
        ),
    ]
    there = len(engine.traces)
    note = "from now on everything is kept there" + (f", beside {counted(there, 'turn')} that it has" if there else "")
    return View(engine.store, None, Table("records", ("what", "value"), tuple(rows), note))
