"""The notebook's door: one object that builds, shows, explains and runs.

    lab = Lab()                 octet, all tools, the offline model, this folder
    lab.tree                    who is there
    lab.partition()             who owns which tool, and why
    lab.route("…")              who would get this request, and why not another
    lab.ask("…")                run it
    lab.trace(), lab.why()      what happened, and why
    lab.runs, lab.run(id)       what teammates did, on their own and beside each other

Everything that comes back is a :class:`View`: it holds a plain record, shows itself as text and HTML, and has ``.df``
where it is tabular. pandas loads when the first ``.df`` is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lango_nb.config.loading import LoadedSettings, home_folder, load_settings
from lango_nb.config.settings import Settings
from lango_nb.core.clock import Clock
from lango_nb.core.errors import UsageError
from lango_nb.core.ids import CountedIds, Ids
from lango_nb.engine import MAIN_SESSION, SINGLE, Engine
from lango_nb.models.model import Model
from lango_nb.models.named import resolve_model
from lango_nb.records.traces import TurnRef
from lango_nb.routing.diff import TreeDiff, diff
from lango_nb.routing.partition import Assignment, Partition
from lango_nb.routing.tree import AgentNode, AgentTree
from lango_nb.runtime.approvals import Approver, AskWith, approver_named
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.topology import Topology
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.by_name import spec_families, tools_by_name
from lango_nb.tools.tool import Tool
from lango_nb.viz.table import Table
from lango_nb.viz.view import OpenQuestions, Result, RunView, View, events_view, runs_view

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.hooks.chain import HookChain
    from lango_nb.records.agent_run import AgentRun
    from lango_nb.records.memories import Memory
    from lango_nb.records.tasks import Task
    from lango_nb.records.turns import Trace, Turn
    from lango_nb.routing.route import Route
    from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest
    from lango_nb.runtime.context import Listener

ToolsLike = Sequence[Tool] | Sequence[str] | Sequence[Mapping[str, Any]] | Mapping[str, Any] | str | Path


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
        Folder the file tools work in and may not leave; its settings files are read.
    home : str or Path, optional
        Folder of your own settings; ``LANGO_HOME`` or ``~/.lango`` when absent. Records stay in memory.
    settings : Settings or mapping, optional
        Arguments: they win over files and environment.
    approver : Approver or {"ask", "allow", "deny", "hold"}, optional
        Who answers when a tool is dangerous; asks you when absent, and nobody there means no. With ``hold`` the call
        waits until somebody answers it in :attr:`approvals`.
    clock, ids : optional
        Stepped ones make everything repeat to the letter.

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
        settings: Settings | Mapping[str, Any] | None = None,
        approver: Approver | str | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
    ) -> None:
        self._loaded = _settings(settings, Path(workspace), Path(home) if home is not None else home_folder())
        chosen = _topology(self._loaded) if topology is None else topology
        self.engine: Engine = Engine(
            self._loaded.settings,
            topology=chosen,
            tools=_default_tools() if tools is None else read_tools(tools),
            model=model,
            workspace=workspace,
            approver=read_approver(approver),
            clock=clock,
            ids=ids or CountedIds(),
        )
        self.session = MAIN_SESSION
        self._session_count = 1

    # -- looking -------------------------------------------------------------------------------------------------------

    @property
    def topology(self) -> str:
        """Name of the topology in use."""
        return self.engine.topology.name

    @property
    def tree(self) -> View[AgentTree]:
        """Who is there; one row per agent."""
        tree = self.engine.tree
        return View(tree, lambda: _frames().agents_df(tree))

    def agents(self) -> View[AgentTree]:
        """List the agents: role, tools, keywords, where the definition came from."""
        tree = self.engine.tree
        rows = tuple((node.name, node.role, len(node.tools), _source(node), node.description or "") for node in tree)
        note = f"left out, because no tool is theirs: {', '.join(tree.skipped)}" if tree.skipped else ""
        table = Table(
            f"agents of {tree.topology.name}", ("agent", "role", "tools", "source", "description"), rows, note
        )
        return View(tree, lambda: _frames().agents_df(tree), table)

    def partition(self) -> View[Partition]:
        """Show who owns which tool, and why; one row per tool."""
        partition = self.engine.tree.partition
        return View(partition, lambda: _frames().partition_df(partition))

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
                _owner(tree.partition.why(tool.name)),
                tool.family,
                tool.safety,
                "by name only" if tool.is_by_name else "runs",
            )
            for tool in found
        )
        by_name = sum(tool.is_by_name for tool in found)
        title = _count(len(found), "tool") + (f" for {query!r}" if query else "")
        note = f"{len(found) - by_name} run here, {by_name} are known by name only"
        table = Table(title, ("tool", "owner", "family", "safety", "handler"), rows, note)
        names = {tool.name for tool in found}

        def frame() -> pd.DataFrame:
            every: pd.DataFrame = _frames().tools_df(tree)
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
        return View(node, lambda: _frames().prompt_df(node))

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
        route = self.engine.route(text)
        return View(route, lambda: _frames().routing_df(route))

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
        return _diff_view(diff(self.engine.tree, second))

    # -- running -------------------------------------------------------------------------------------------------------

    def ask(self, text: str, *, approver: Approver | str | None = None, on_event: Listener | None = None) -> Result:
        """Run a request to its outcome; the same in a cell, a script, a test and a terminal.

        Parameters
        ----------
        text : str
            Byte for byte what the model reads.
        approver : Approver or {"ask", "allow", "deny", "hold"}, optional
            Answers for this request only.
        on_event : callable, optional
            Gets every event as it happens, on this thread.

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
        show: Callable[[Any], None] | None = on_event
        trace = run_in_loop(
            lambda emit: self.engine.run(
                text, self.session, on_event=emit if on_event is not None else None, approver=answerer
            ),
            show,
        )
        return Result(trace, lambda: _frames().events_df(trace))

    async def aask(self, text: str, *, approver: Approver | str | None = None) -> Result:
        """Run a request on the present loop; the same result as :meth:`ask`."""
        answerer = read_approver(approver) if approver is not None else None
        trace = await self.engine.run(text, self.session, approver=answerer)
        return Result(trace, lambda: _frames().events_df(trace))

    def new(self) -> str:
        """Begin a new conversation and return its name; earlier turns stay in ``lab.turns``."""
        self._session_count += 1
        self.session = f"session-{self._session_count}"
        return self.session

    # -- looking back --------------------------------------------------------------------------------------------------

    @property
    def turns(self) -> View[tuple[Turn, ...]]:
        """All turns, oldest first."""
        turns = self.engine.traces.turns()
        from lango_nb.viz.turns import Turns

        return View(turns, lambda: _frames().turns_df(turns), Turns(turns))

    def trace(self, turn: TurnRef | None = None) -> View[Trace]:
        """Show what happened in a turn, agent by agent.

        Parameters
        ----------
        turn : int or str, optional
            Number from 1, negative from the end, or id; the last when absent.
        """
        trace = self._trace(turn)
        return View(trace, lambda: _frames().events_df(trace))

    def events(self, turn: TurnRef | None = None) -> View[tuple[Any, ...]]:
        """List the events of a turn, one row each."""
        trace = self._trace(turn)
        return events_view(trace.events, trace)

    @property
    def runs(self) -> View[tuple[AgentRun, ...]]:
        """All teammate runs as they are now, oldest first."""
        return runs_view(self.engine.runs.list())

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
        ended = {trace.turn.id: trace.events for trace in self.engine.traces}
        events = ended.get(run.turn_id, ())
        return RunView(run, self.engine.runs.events(run_id), events[-1].seq if events else 0)

    @property
    def tasks(self) -> View[tuple[Task, ...]]:
        """What root and agents noted as to be done, oldest first."""
        from lango_nb.viz.tasks import tasks_table

        tasks = self.engine.tasks.list()
        return View(tasks, lambda: _frames().tasks_df(tasks), tasks_table(tasks))

    def memories(self, agent: str | None = None) -> View[tuple[Memory, ...]]:
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
        from lango_nb.viz.memories import memories_table

        engine = self.engine
        names = engine.tree.names if agent is None else (engine.tree[agent].name,)
        found = tuple(memory for name in names for memory in engine.memories.search(name, limit=len(engine.memories)))
        table = memories_table(found, agent, is_kept=engine.settings.agent_memory.enabled)
        return View(found, lambda: _frames().memories_df(found), table)

    def messages(self, turn: TurnRef | None = None) -> View[tuple[Any, ...]]:
        """List the messages of a turn with their authors: what its root saw, and what its runs left."""
        trace = self._trace(turn)
        rows = tuple(
            (number, message.role, message.author or "", message.content, ", ".join(c.name for c in message.tool_calls))
            for number, message in enumerate(trace.messages, 1)
        )
        columns = ("message", "role", "author", "content", "calls")
        table = Table(f"messages of turn {trace.turn.number}", columns, rows)
        return View(trace.messages, lambda: _frames().messages_df(trace), table)

    def why(self, turn: TurnRef | None = None) -> View[Any]:
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
        return View(decisions, lambda: _frames().decisions_df(trace), shown=decisions)

    def _trace(self, turn: TurnRef | None) -> Trace:
        if not len(self.engine.traces):
            raise UsageError("there is no turn yet; ask something first: lab.ask('hello')")
        if turn is not None and (isinstance(turn, bool) or not isinstance(turn, int | str)):
            raise UsageError(f"a turn is a number or an id, not {type(turn).__name__}")
        return self.engine.traces.get(-1 if turn is None else turn)

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
        return _diff_view(change.record, Table(f"agent {spec.name}", ("what", "value"), rows, note))

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
        rows = tuple((item.tool, _owner(item), item.reason) for item in landed)
        names = {tool.name for tool in new}

        def frame() -> pd.DataFrame:
            every: pd.DataFrame = _frames().partition_df(partition)
            return every[every["tool"].isin(names)].reset_index(drop=True)

        return View(landed, frame, Table(f"{_count(len(new), 'tool')} joined", ("tool", "lands at", "why"), rows))

    def _changing(self, change: Callable[[], None]) -> View[TreeDiff]:
        before = self.engine.tree
        change()
        return _diff_view(diff(before, self.engine.tree))

    @property
    def model(self) -> Model:
        """The model that answers."""
        return self.engine.model

    @model.setter
    def model(self, model: str | Model) -> None:
        self.engine.model = resolve_model(model)

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
            return _texts_df(["key", "value", "default", "origin", "sentence"], rows)

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
            "session": self.session,
            "turns": str(len(engine.traces)),
            "workspace": _shown_folder(engine.workspace),
        }
        if engine.warnings:
            values["warnings"] = "; ".join(engine.warnings)
        table = Table("lango", ("what", "value"), tuple(values.items()))

        def frame() -> pd.DataFrame:
            return _texts_df(["what", "value"], list(values.items()))

        return View(values, frame, table)

    def __repr__(self) -> str:
        return f"Lab({self.topology}, {len(self.engine.tree.names)} agents, {len(self.engine.catalog)} tools)"


def read_tools(tools: ToolsLike) -> tuple[Tool, ...]:
    """Return tools from whatever describes them; what has no handler is known by name only."""
    if isinstance(tools, Sequence) and not isinstance(tools, str) and all(isinstance(tool, Tool) for tool in tools):
        return tuple(tools)  # type: ignore[arg-type]  # all of them are
    if isinstance(tools, Tool):
        return (tools,)
    return tools_by_name(tools)


def read_approver(approver: Approver | str | None) -> Approver:
    """Return the approver of a name; the person at the keyboard when absent.

    Raises
    ------
    UnknownNameError
        The name is none of ``ask``, ``allow``, ``deny``, ``hold``.
    """
    if approver is None or approver == "ask":
        return AskWith(_ask_person)
    return approver_named(approver) if isinstance(approver, str) else approver


async def _ask_person(request: ApprovalRequest) -> ApprovalAnswer | None:
    from lango_nb.runtime.ask import ask_person

    return await ask_person(request)


def _settings(settings: Settings | Mapping[str, Any] | None, folder: Path, home: Path) -> LoadedSettings:
    if isinstance(settings, Settings):
        return _with_teammates(load_settings(overrides=settings.model_dump(exclude_defaults=True)))
    return _with_teammates(load_settings(folder, home, os.environ, settings))


def _with_teammates(loaded: LoadedSettings) -> LoadedSettings:
    """Switch the teammate runtime on unless somebody wrote down that it is off: a lab is there to show it."""
    if loaded.origins["background.enabled"] != "default":
        return loaded
    background = loaded.settings.background.model_copy(update={"enabled": True})
    return LoadedSettings(
        loaded.settings.model_copy(update={"background": background}), {**loaded.origins, "background.enabled": "lab"}
    )


def _topology(loaded: LoadedSettings) -> str:
    """Return the topology to start with: a lab shows agents unless somebody wrote down that there is only one."""
    is_said = loaded.origins["agent.multiAgent"] != "default"
    return SINGLE if is_said and not loaded.settings.agent.multi_agent else loaded.settings.lab.topology


def _default_tools() -> tuple[Tool, ...]:
    return (*builtin_tools(), *spec_families())


def _frames() -> Any:
    from lango_nb import frames

    return frames


def _diff_view(found: TreeDiff, shown: Table | None = None) -> View[TreeDiff]:
    def frame() -> pd.DataFrame:
        columns = ["tool", "change", "before", "after", "rule_before", "rule_after"]
        rows = [[getattr(change, column) for column in columns] for change in found.tools]
        return _texts_df(columns, rows)

    return View(found, frame, shown)


def _source(node: AgentNode) -> str:
    return node.spec.source.name.lower() if node.spec is not None else "builtin"


def _owner(item: Assignment) -> str:
    """Name who has a tool, in the words of the pictures."""
    return item.agent or {"universal": "everybody", "dropped": "root only"}.get(item.rule, "nobody")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun if number == 1 else noun + 's'}"


def _shown_folder(folder: Path) -> str:
    """Name a folder without its path, so that saved notebooks do not tell where they ran."""
    return "." if folder == Path.cwd() else folder.name


def _texts_df(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> pd.DataFrame:
    from lango_nb.frames.texts import texts_df

    return texts_df(columns, rows)
