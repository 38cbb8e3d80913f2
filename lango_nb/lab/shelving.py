"""What a lab keeps of your own: notes and tags on turns, labelled requests, results, agents and tools from cells.

The shelf itself is :mod:`lango_nb.lab.shelf`; it loads when it is first needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lango_nb.core.errors import LangoError, UnknownNameError, UsageError, suggest
from lango_nb.core.paths import path_of
from lango_nb.lab.shown import texts_table
from lango_nb.stores.opening import HOME
from lango_nb.viz.table import Table
from lango_nb.viz.view import View

if TYPE_CHECKING:
    from lango_nb.engine import Engine
    from lango_nb.lab.shelf import Shelf
    from lango_nb.records.shelf_items import ShelfItem
    from lango_nb.records.traces import TurnRef
    from lango_nb.records.turns import Trace, Turn
    from lango_nb.specs.agent import AgentSpec
    from lango_nb.stores.store import Store
    from lango_nb.tools.tool import Tool

SHELF = "shelf.json"
"""Name of the shelf in a home."""
MEMORY = "memory"
"""Address of records in memory."""
_CELL_MODULE = "lango_cell"


def shelf_path(store: Store | str | Path | None, home: Path) -> Path | None:
    """Say which file the shelf beside some records is.

    Parameters
    ----------
    store : Store or str or Path, optional
        Where records lie, as a lab takes it.
    home : Path
        The home folder.

    Returns
    -------
    Path or None
        Beside a folder of records, in the home folder for a database; ``None``, in memory, where records are.

    Examples
    --------
    >>> shelf_path("home", Path("h")).as_posix(), shelf_path("h", Path("x")).as_posix()
    ('h/shelf.json', 'h/shelf.json')
    """
    if not store or store == MEMORY:
        return None
    if not isinstance(store, str | Path):
        return home / SHELF if store.is_durable else None
    if store == HOME or "://" in str(store):
        return home / SHELF
    return path_of(store) / SHELF


class Shelving:
    """The part of a lab that keeps things of your own."""

    engine: Engine
    _shelf: Shelf | None = None
    _shelf_path: Path | None = None
    _last: object = None
    """What was last asked, routed, compared or evaluated."""

    def _trace(self, turn: TurnRef | None) -> Trace:
        """Find a turn; a lab does."""
        raise NotImplementedError

    def add_agent(self, agent: AgentSpec | str, path: str = "") -> View[Any]:
        """Let an agent join the tree; a lab does."""
        raise NotImplementedError

    def add_tools(self, tools: Sequence[Tool]) -> View[Any]:
        """Let tools join the catalog; a lab does."""
        raise NotImplementedError

    # -- the shelf -----------------------------------------------------------------------------------------------------

    @property
    def shelf(self) -> Shelf:
        """Things of your own, with TinyDB's queries: ``lab.shelf.search(where("agent") == "vault")``.

        Raises
        ------
        StoreError
            Its file is damaged: says where.
        """
        if self._shelf is None:
            from lango_nb.lab.shelf import open_shelf

            self._shelf = open_shelf(self._shelf_path)
        return self._shelf

    def open_shelf(self, path: str | Path) -> Shelf:
        """Go on with a shelf of your own, in a project's folder for instance; what was in memory goes there.

        Parameters
        ----------
        path : str or Path
            A JSON file, which need not be there yet.

        Returns
        -------
        Shelf

        Raises
        ------
        StoreError
            The file is there and is no shelf, or is damaged.
        """
        from lango_nb.lab.shelf import open_shelf

        new = open_shelf(path)
        if self._shelf is not None and self._shelf.path is None and len(self._shelf):
            new.insert_multiple([dict(item) for item in self._shelf])
        self._shelf, self._shelf_path = new, new.path
        return new

    def _shelf_beside(self, store: Store | str | Path, home: Path) -> None:
        """Let a shelf in memory move beside records that are kept from now on."""
        path = shelf_path(store, home)
        if path is None or self._shelf_path is not None:
            return
        if self._shelf is not None:
            self.open_shelf(path)
        self._shelf_path = path

    # -- putting something there ---------------------------------------------------------------------------------------

    def note(self, turn: TurnRef | None, text: str) -> View[Any]:
        """Put a note on a turn.

        Parameters
        ----------
        turn : int or str, optional
            Number from 1, negative from the end, or id; the last when ``None``.
        text : str

        Raises
        ------
        UnknownNameError
            There is no such turn.
        UsageError
            There is no turn yet, or no text.
        """
        from lango_nb.lab.shelf import entries

        if not text.strip():
            raise UsageError("a note needs a text")
        found = self._trace(turn).turn
        return self._put([entries.note(found, text, self.engine.clock.now())], "noted")

    def tag(self, turn: TurnRef | None, *names: str) -> View[Any]:
        """Put tags on a turn; one that it has already stays.

        Parameters
        ----------
        turn : int or str, optional
            Number from 1, negative from the end, or id; the last when ``None``.
        *names : str
            A ``#`` at the beginning is taken off.

        Raises
        ------
        UnknownNameError
            There is no such turn.
        UsageError
            There is no turn yet, or no tag.
        """
        from lango_nb.lab.shelf import entries

        found = self._trace(turn).turn
        tags = [name.removeprefix("#") for name in names]
        if not tags or not all(tags):
            raise UsageError("a tag is a word; write lab.tag(-1, 'slow')")
        at = self.engine.clock.now()
        return self._put([entries.tag(found, name, at) for name in tags], "tagged", "turn_id", "turn_at", "name")

    def label(self, text: str, agent: str) -> View[Any]:
        """Keep a request with its right agent: ``lab.router.fit(lab.shelf.table("examples"))`` learns from all of them.

        Parameters
        ----------
        text : str
            The same text again replaces its label.
        agent : str
            Name of an agent, ``root``, or a tool family.

        Raises
        ------
        UsageError
            There is no text, or no such agent or family.
        """
        from lango_nb.lab.shelf import entries
        from lango_nb.routing.taught import ROOT

        router = self.engine.router
        names = (*router.table.names, ROOT)
        if not text.strip():
            raise UsageError("a labelled request needs a text")
        if agent not in {*names, *router.learned.families}:
            raise UsageError(
                f"{agent!r} is no agent here and no tool family; {suggest(agent, [*names, *router.learned.families])}"
            )
        entry = entries.example(text, agent, self.engine.clock.now(), is_family=agent not in names)
        return self._put([entry], "labelled", "text")

    def save(self, name: str, what: object = None) -> View[Any]:
        """Keep a request, a comparison or an evaluation under a name; the same name again replaces it.

        Parameters
        ----------
        name : str
        what : optional
            A result of :meth:`~lango_nb.lab.lab.Lab.ask`, ``route``, ``diff`` or ``evaluate``, or the text of a
            request; the last such result when absent.

        Raises
        ------
        UsageError
            There is nothing yet, or it is something else.
        """
        from lango_nb.lab.shelf import entries

        what = self._last if what is None else what
        if what is None:
            raise UsageError("there is nothing to save yet; ask, route, compare or evaluate something first")
        record = what.record if isinstance(what, View) else what
        entry = entries.saved(name, record, self.engine.topology.name, self.engine.clock.now())
        return self._put([entry], "saved", "name")

    def keep_agent(self, spec: AgentSpec, source: str) -> View[Any]:
        """Keep the definition of an agent, in place of an earlier one of its name.

        Parameters
        ----------
        spec : AgentSpec
        source : str
            The text of an ``AGENT.md``.

        Raises
        ------
        RefusedError
            It holds a secret.
        """
        from lango_nb.lab.shelf import entries

        return self._put([entries.agent_source(spec, source, self.engine.clock.now())], "on the shelf", "name")

    def keep_tools(self, tools: Sequence[Tool], source: str) -> View[Any]:
        """Keep the source of tools, in place of earlier sources that define none but these.

        Parameters
        ----------
        tools : sequence of Tool
        source : str
            Python.

        Raises
        ------
        RefusedError
            It holds a secret.
        """
        from lango_nb.lab.shelf import entries, where

        names = {tool.name for tool in tools}
        entry = entries.tools_source(tools, source, self.engine.clock.now())
        same = where("name").test(lambda old: isinstance(old, str) and set(old.split(", ")) <= names)
        return self._items([self.shelf.put(entry, same)], "on the shelf")

    # -- taking it away, and using it again ----------------------------------------------------------------------------

    def forget(self, *items: str) -> View[tuple[ShelfItem, ...]]:
        """Remove items, all of them or none.

        Parameters
        ----------
        *items : str
            ``notes/3``, or the name of one: ``agents/pharmacist``.

        Returns
        -------
        View of ShelfItem
            What was removed.

        Raises
        ------
        UnknownNameError
            There is no such item.
        """
        with self.shelf.place.lock():
            every = self.shelf.items()
            known = {f"{item.kind}/{item.name}": item for item in every if item.name}
            known |= {item.id: item for item in every}
            for name in items:
                if name not in known:
                    raise UnknownNameError("item", name, known, where="the shelf")
            found = tuple({known[name].id: known[name] for name in items}.values())
            self.shelf.remove(doc_ids=[item.id for item in found])
        return self.shelf.shown(found, "forgotten")

    def restore(self, kind: str = "agents", namespace: dict[str, Any] | None = None) -> View[Any]:
        """Let the agents or the tools of the shelf join again, in the order in which they were put there.

        Parameters
        ----------
        kind : {"agents", "tools"}
            The source of tools is Python, and runs: name them only when you know who wrote the file.
        namespace : dict, optional
            Where the source of tools runs; one of its own for each when absent.

        Returns
        -------
        View
            One row per item: what came of it.

        Raises
        ------
        UsageError
            The kind is another one.
        """
        from lango_nb.lab.shelf import entries
        from lango_nb.lab.shelf.masking import AGENTS, TOOLS

        if kind not in {AGENTS, TOOLS}:
            raise UsageError(f"agents and tools can be restored, not {kind}; %lango shelf {kind} shows them")
        rows = []
        for item in self.shelf.items(kind):
            source = entries.source_of(item)
            try:
                if kind == AGENTS:
                    self.add_agent(source, item.id)
                else:
                    from lango_nb.lab.tool_source import run_source

                    self.add_tools(run_source(source, {"__name__": _CELL_MODULE} if namespace is None else namespace))
            except LangoError as error:
                rows.append((item.id, item.name, str(error)))
            except Exception as error:  # noqa: BLE001 - whatever the source raises; the others are restored all the same
                rows.append((item.id, item.name, f"its source raises {type(error).__name__}: {error}"))
            else:
                rows.append((item.id, item.name, "joined"))
        columns = ("item", "name", "what came of it")
        tools = len(self.shelf.items(TOOLS))
        note = f"tools are there too ({tools}): %lango shelf tools --restore runs their source"
        table = Table(f"{kind} of the shelf", columns, tuple(rows), note if tools and kind == AGENTS else "")
        return View(tuple(rows), lambda: texts_table(columns, rows), table)

    # -- inside --------------------------------------------------------------------------------------------------------

    def _put(self, new: Sequence[dict[str, Any]], title: str, *same: str) -> View[Any]:
        """Put entries on the shelf, each in place of one that agrees in some fields."""
        from lango_nb.lab.shelf import Query

        shelf = self.shelf
        with shelf.place.lock():
            ids = [
                shelf.put(entry, Query().fragment({name: entry[name] for name in same}) if same else None)
                for entry in new
            ]
        return self._items(ids, title)

    def _items(self, ids: Sequence[str], title: str) -> View[Any]:
        return self.shelf.shown(tuple(item for item in self.shelf.items() if item.id in ids), title)

    def _remarks(self, turns: Sequence[Turn]) -> tuple[Mapping[str, str], str]:
        """Return what notes and tags say about turns, and what is wrong with the shelf."""
        if self._shelf is None and (self._shelf_path is None or not self._shelf_path.exists()):
            return {}, ""
        from lango_nb.lab.shelf import entries

        try:
            return entries.remarks(self.shelf.items((entries.NOTES, entries.TAGS)), turns), ""
        except LangoError as error:
            return {}, str(error)
