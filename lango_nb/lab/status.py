"""What is in use, and where records lie: in words that tell nothing of the machine, so that saved notebooks repeat."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lango_nb.core.text import counted
from lango_nb.lab.view_types import StatusView
from lango_nb.viz.table import Table
from lango_nb.viz.view import View

if TYPE_CHECKING:
    from lango_nb.config.loading import LoadedSettings
    from lango_nb.engine import Engine
    from lango_nb.routing.router import Router
    from lango_nb.stores.store import Store


def status_view(engine: Engine, session: str, loaded: LoadedSettings) -> StatusView:
    """Say what is in use.

    Parameters
    ----------
    engine : Engine
    session : str
        The conversation in use.
    loaded : LoadedSettings
    """
    by_name = sum(tool.is_by_name for tool in engine.catalog)
    topology = engine.topology
    values = {
        "topology": f"{topology.name}: {topology.title}" if topology.title else topology.name,
        "agents": ", ".join(engine.tree.names),
        "tools": f"{len(engine.catalog)} ({len(engine.catalog) - by_name} run, {by_name} by name only)",
        "model": engine.model.name,
        "router": _knows(engine.router),
        "session": session,
        "turns": str(len(engine.traces)),
        "records": _shown_store(engine.store),
        "workspace": _shown_folder(engine.workspace),
    }
    if engine.traces.unsaved:
        unsaved = ", ".join(f"turn {trace.turn.number}" for trace in engine.traces.unsaved)
        values["not written"] = f"{unsaved}: only in memory yet, see %lango doctor"
    if engine.records.found:
        values["found"] = "; ".join(item.sentence for item in engine.records.found)
    if engine.records.is_durable and engine.store.problems:
        values["problems"] = f"{counted(len(engine.store.problems), 'problem')} with records: %lango doctor"
    values |= _left_open(engine)
    if loaded.trust is not None and loaded.trust.held:
        values["held back"] = f"{loaded.trust.keys}; %{loaded.trust.command} shows and trusts them"
    if warnings := (*engine.warnings, *engine.unfit_patterns):
        values["warnings"] = "; ".join(warnings)
    return StatusView(values)


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
        ("records", _shown_store(engine.store)),
        ("turns", str(len(engine.traces))),
        ("sessions", ", ".join(engine.sessions.names()[-12:]) or "none yet"),
        ("session", session),
        *(("found", item.sentence) for item in engine.records.found),
        *_left_open(engine).items(),
        *(
            ("problem", "; ".join(filter(None, (f"{one.where}: {one.detail}", one.next_step))))
            for one in engine.store.problems
        ),
    ]
    return View(
        engine.store, None, Table("records", ("what", "value"), tuple(rows), "from now on everything is kept there")
    )


def _knows(router: Router) -> str:
    """Say what a router goes by."""
    said = [f"words of {router.learned.card['requests']} labelled requests"]
    said += ["sentences as a whole"] if router.sentences is not None else []
    said += [f"{len(router.taught.rows)} requests of your own"] if router.taught.rows else []
    return ", ".join(said)


def _left_open(engine: Engine) -> dict[str, str]:
    """Say that an earlier process left calls open, under the name of that row; nothing where it did not."""
    left = engine.approvals.left
    return {"left open": f"{counted(len(left), 'call')} of an earlier process: %lango approvals"} if left else {}


def _shown_store(store: Store) -> str:
    """Say where records lie; of a place elsewhere its last two names, so that notebooks do not tell where they ran.

    Parameters
    ----------
    store : Store
    """
    if not store.is_durable:
        return "in memory; %lango open FOLDER keeps them"
    place = store.where
    path = Path(place).expanduser()
    if "://" not in place and path.is_absolute():
        here = Path.cwd()
        if path.is_relative_to(here):
            place = path.relative_to(here).as_posix()
        elif not place.startswith("~"):
            place = "/".join(("…", *path.parts[-2:]))
    return f"{store.name}: {place}"


def _shown_folder(folder: Path) -> str:
    """Name a folder without its path, so that saved notebooks do not tell where they ran."""
    return "." if folder == Path.cwd() else folder.name
