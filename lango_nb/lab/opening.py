"""Going on with what there is: a conversation, records in a folder or a database, traces in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lango_nb.core.errors import UnknownNameError, UsageError
from lango_nb.core.paths import path_of
from lango_nb.lab.shown import counted, frames, left_open, shown_store
from lango_nb.stores.opening import HOME
from lango_nb.viz.table import Table
from lango_nb.viz.view import View

if TYPE_CHECKING:
    from lango_nb.lab.lab import Lab
    from lango_nb.records.turns import Trace


def open_in(lab: Lab, what: str | Path) -> View[Any]:
    """Open something in a lab; see :meth:`lango_nb.lab.lab.Lab.open`.

    Parameters
    ----------
    lab : Lab
    what : str or Path

    Returns
    -------
    View
    """
    name = str(what)
    if isinstance(what, str) and not what.strip():
        raise UsageError("name what to open: a session, a file of traces, a folder for records, home, or an address")
    if isinstance(what, str) and what in lab.engine.sessions.names():
        lab.session = what
        return lab.search(session=what)
    if name == HOME or "://" in name:
        return _open_records(lab, name)
    path = path_of(name)
    if path.is_file():
        return traces_view(path)
    if path.is_dir() or isinstance(what, Path) or "/" in name or name.startswith((".", "~")):
        if path.suffix in {".json", ".jsonl"}:
            raise UsageError(f"there is no file {name}; name one that is there, a session, or a folder for records")
        return _open_records(lab, path)
    raise UnknownNameError("session", name, lab.engine.sessions.names())


def traces_view(path: Path) -> View[tuple[Trace, ...]]:
    """Read traces from a file, to look at.

    Parameters
    ----------
    path : Path
        What :meth:`~lango_nb.lab.lab.Lab.export` wrote, or a trace as JSON of the original lango.
    """
    from lango_nb.records.importing import read_any
    from lango_nb.viz.turns import Turns

    traces = tuple(read_any(path))
    shown = traces[0] if len(traces) == 1 else Turns(tuple(trace.turn for trace in traces))
    return View(traces, lambda: frames().turns_df(traces), shown)


def _open_records(lab: Lab, address: str | Path) -> View[Any]:
    lab.keep_in(address)
    engine = lab.engine
    sessions = engine.sessions.names()
    rows = [
        ("records", shown_store(engine.store)),
        ("turns", str(len(engine.traces))),
        ("sessions", ", ".join(sessions[-12:]) or "none yet"),
        ("session", lab.session),
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
