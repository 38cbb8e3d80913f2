"""The engine: the only place that puts the stages together, and the only object that holds everything.

    settings ─→ topology + registry ─→ catalog ─→ tree ─→ router, control ─→ turns

It runs in a script, a test or a terminal; a notebook is one of several doors to it (:mod:`lango_nb.lab`).
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from lango_nb.config.settings import Settings, StoreSettings
from lango_nb.core.clock import Clock, SystemClock
from lango_nb.core.errors import LangoError, SettingsError, TurnError, UsageError
from lango_nb.core.ids import Ids, RandomIds
from lango_nb.core.masking import add_rules, mask
from lango_nb.core.paths import path_of
from lango_nb.engine.answering import Answering
from lango_nb.engine.shared import Shared
from lango_nb.models.model import Model
from lango_nb.models.named import CASSETTE, Models, tape_of
from lango_nb.records.records import Records
from lango_nb.records.sessions import MOST_TOKENS, Session
from lango_nb.routing.build import build_agent_tree
from lango_nb.routing.prompts import merge_sections
from lango_nb.routing.tree import AgentTree
from lango_nb.runtime.answered import KIND as APPROVALS
from lango_nb.runtime.approvals import Approvals, Approver, DenyAll, approver_named
from lango_nb.runtime.requests import check_request
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.registry import AgentRegistry
from lango_nb.specs.remotes import CardLoader, load_remote_agents
from lango_nb.specs.sources import user_agents
from lango_nb.specs.topologies import load_prompt_sections, load_topology, read_prompt_sections, root_of
from lango_nb.specs.topology import PromptSection, Topology
from lango_nb.tools.builtin.processes import ProcessTable
from lango_nb.tools.switches import tools_by_settings
from lango_nb.tools.tool import Tool

if TYPE_CHECKING:  # what only turns and routes need loads with the first of them: an engine is ready much sooner
    import asyncio

    from lango_nb.core.events import Event, TextSoFar
    from lango_nb.hooks.chain import HookChain
    from lango_nb.hooks.decorator import UserHook
    from lango_nb.models.cassette import Cassette
    from lango_nb.records.turns import Trace
    from lango_nb.routing.route import Route
    from lango_nb.routing.router import Router
    from lango_nb.runtime.context import Listener, TextListener, TurnContext
    from lango_nb.runtime.queue import Queue
    from lango_nb.runtime.resumption import Resumption
    from lango_nb.stores.store import Store

logger = logging.getLogger("lango_nb")

SINGLE = "solo"
MAIN_SESSION = "main"
_in_turn: ContextVar[frozenset[str]] = ContextVar("lango_in_turn", default=frozenset())
"""Sessions with a turn that this code runs inside of: a tool cannot wait for its own turn."""


class Engine(Answering, Shared):
    """Everything a turn needs, put together from settings.

    Parameters
    ----------
    settings : Settings, optional
        Defaults when absent: one agent with all tools, as the specification has it.
    topology : str or Topology, optional
        Overrides what the settings say.
    tools : sequence of Tool, optional
        The real families, and what the settings switch on, when absent.
    model : str or Model
    workspace : str or Path
        Folder file tools may not leave.
    approver : Approver or str, optional
        ``allow``, ``deny`` or somebody who answers; nobody there means no.
    clock, ids : optional
        Stepped ones make everything repeat to the letter.
    agents : sequence of AgentSpec
        Agents that join the topology's own.
    card_loader : callable, optional
        Fetches the cards of ``a2a.remoteAgents``.
    store : Store or str or Path, optional
        Where records lie: a store, a folder or the address of a database; what the setting ``store.url`` says when
        absent, and that is in memory unless it is set.
    home : Path, optional
        The home folder: where the address ``home`` leads to, and where the file with keys lies.
    allow_network : bool, optional
        Whether live models may be called; what the setting ``models.allowNetwork`` says when absent.

    Raises
    ------
    LangoError
        A name, a setting or a definition is wrong; nothing is built.

    Examples
    --------
    >>> engine = Engine(topology="sextet")
    >>> engine.route("please delete the file old.txt").chosen
    'operator'
    """

    def __init__(  # noqa: PLR0913 - the composition root: one keyword per thing it puts together
        self,
        settings: Settings | None = None,
        *,
        topology: str | Topology | None = None,
        tools: Sequence[Tool] | None = None,
        model: str | Model | None = None,
        workspace: str | Path = ".",
        approver: Approver | str | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        agents: Sequence[AgentSpec] = (),
        card_loader: CardLoader | None = None,
        store: Store | str | Path | None = None,
        home: Path | None = None,
        allow_network: bool | None = None,
    ) -> None:
        self.settings = settings or Settings.defaults()
        secrets = self.settings.security.masking
        try:
            add_rules(secrets.patterns, secrets.keys, phone_numbers=secrets.phone_numbers)
        except ValueError as error:
            raise SettingsError(f"security.masking: {error}") from error
        self.clock: Clock = clock or SystemClock()
        self.ids: Ids = ids or RandomIds()
        self.workspace = _folder(workspace)
        self.approver: Approver = approver_named(approver) if isinstance(approver, str) else approver or DenyAll()
        self.models = Models(self.settings.models, home, allow_network=allow_network)
        self._like: Router | None = None
        wanted = self.settings.agent.model_name if model is None else model
        tape = tape_of(wanted) if isinstance(wanted, str) and wanted.startswith(CASSETTE) else None
        self._model = self._bare_model = self.models.find("offline" if tape is not None else wanted)
        self._keep_records(self._open_records(store, home))
        self.cassette: Cassette | None = None
        """The recording that is played or made; ``None`` where models and tools answer themselves."""
        self._is_recording = False
        self._set_tools(tuple(tools_by_settings(self.settings) if tools is None else tools))
        self.processes = ProcessTable()
        self.listeners: list[Listener] = []
        a2a = self.settings.a2a
        self.remote_agents, self.warnings = load_remote_agents(a2a.remote_agents if a2a.enabled else (), card_loader)
        self._queues: dict[str, Queue] = {}
        self._user_hooks: list[UserHook] = []
        self._told: set[str] = set()
        self._user_agents = (*user_agents(_agents_dir(self.settings)), *agents)
        self.use(topology)
        if tape is not None:
            self.play(tape)
        self.records.resume(root_of, self._tee)

    def _open_records(self, store: Store | str | Path | None, home: Path | None) -> Records:
        """Open the records: those of a store, of an address, or new ones in memory."""
        settings = self.settings.store
        address = settings.url if store is None else store
        if isinstance(address, str | Path):
            opened = _open_store(address, home, settings) if str(address) else None
        else:
            opened = address
        kept = self.settings.agent.history_tokens or MOST_TOKENS
        if self.settings.records.summaries:
            kept *= 2  # what one turn adds is at hand until the next one sums it up
        return Records(opened, self.ids, self.clock, settings.durability, kept)

    def _keep_records(self, records: Records) -> None:
        """Work with records from now on."""
        self.records = records
        self.sessions, self.traces = records.sessions, records.traces
        self.approvals = self._approvals(records)
        """Open questions, and the answers that still hold; any front end may answer, from any thread."""
        for name in ("runs", "teammates", "services"):  # made of records when they are next asked for
            self.__dict__.pop(name, None)
        self._hooks: HookChain | None = None
        self._ready: TurnContext | None = None

    def _approvals(self, records: Records) -> Approvals:
        """Make what keeps open questions; over a store they outlive the process, and so do runs that wait for them."""
        if not records.is_durable:
            return Approvals()
        from lango_nb.runtime.held import HeldQuestions

        return Approvals(records.documents(APPROVALS), HeldQuestions(records.store, self._resumption))

    def _resumption(self) -> Resumption:
        from lango_nb.runtime.resumption import Resumption

        return Resumption(self.store, lambda: self._context(None), self.sessions.open, self.listeners)

    def open_store(self, store: Store | str | Path, home: Path | None = None) -> None:
        """Keep records in a store from now on; what a process that is gone left open in it is closed.

        Parameters
        ----------
        store : Store or str or Path
            As for the engine itself.
        home : Path, optional

        Raises
        ------
        UsageError
            There are turns already: their records stay where they are.
        StoreError
            The store cannot be read, or what belongs into the present one cannot be written; nothing is changed.
        """
        if not self.records.is_durable and len(self.traces):
            number = len(self.traces)
            raise UsageError(
                f"{number} turn{'s are' if number > 1 else ' is'} in memory already and cannot move; open the records "
                "in a new Lab, or before the first turn"
            )
        if self.records.is_durable:
            self.records.save()
        records = self._open_records(store, home)
        if self.records.is_durable:
            self.close()
        self._keep_records(records)
        self.records.resume(root_of, self._tee)

    @property
    def store(self) -> Store:
        """Where records lie, as rows."""
        return self.records.store

    # -- the tree ------------------------------------------------------------------------------------------------------

    def use(self, topology: str | Topology | None) -> None:
        """Change the topology; sessions and traces stay.

        Parameters
        ----------
        topology : str or Topology, optional
            What the settings say when absent.

        Raises
        ------
        UnknownNameError
            There is no topology of that name; the present one stays.
        """
        if topology is None:
            topology = self.settings.lab.topology if self.settings.agent.multi_agent else SINGLE
        found = _found(topology)
        registry = AgentRegistry()
        for spec in (*found.agents, *self._joining(found)):
            registry.register(spec)
        self._build(found, registry)

    def add_agents(self, *specs: AgentSpec) -> None:
        """Let agents join the tree; one of the same name replaces an earlier one that is not built in.

        Raises
        ------
        DefinitionError
            One has the name of a built-in agent or of the root; nothing is changed.
        """
        kept = [spec for spec in self._user_agents if spec.name not in {new.name for new in specs}]
        before = self._user_agents
        self._user_agents = (*kept, *specs)
        try:
            self.use(self.topology)
        except LangoError:
            self._user_agents = before
            raise

    def add_tools(self, *tools: Tool) -> None:
        """Let tools join the catalog; one of the same name and source replaces the earlier one.

        Raises
        ------
        DefinitionError
            A tool of that name is there from elsewhere; nothing is changed.
        """
        present = {tool.name: tool for tool in self.catalog}
        replaced = {
            tool.name
            for tool in tools
            if tool.name in present and tool.source and present[tool.name].source == tool.source
        }
        new = {tool.name: tool for tool in tools}
        kept = [new.pop(tool.name) if tool.name in replaced else tool for tool in self._tools]
        before = self._tools
        self._set_tools((*kept, *(tool for tool in tools if tool.name in new)))
        try:
            self._build(self.topology, self.registry)
        except LangoError:
            self._set_tools(before)
            raise

    def tree_for(self, topology: str | Topology) -> AgentTree:
        """Build the tree that the same tools and agents make under another topology."""
        found = _found(topology)
        return self._tree(found, [spec for spec in self._joining(found) if spec.name not in _names(found)])

    def _build(self, topology: Topology, registry: AgentRegistry) -> None:
        tree = self._tree(topology, [spec for spec in registry.all() if spec.source is not Source.BUILTIN])
        self.topology, self.registry, self.tree = topology, registry, tree
        self._router: Router | None = None
        self._ready = None

    def _tree(self, topology: Topology, agents: Sequence[AgentSpec]) -> AgentTree:
        return build_agent_tree(
            tuple(self.catalog),
            topology,
            agents=agents,
            remote_agents=self._reachable(topology, agents),
            shared_sections=_prompt_sections(self.settings),
            max_rounds=self.settings.agent.max_delegation_rounds,
        )

    def _joining(self, topology: Topology) -> list[AgentSpec]:
        """Return the agents that join a topology; a bundled extra yields to whoever else has its name."""
        others = _names(topology) | {spec.name for spec in self.remote_agents}
        return [spec for spec in self._user_agents if spec.source is not Source.EMBEDDED or spec.name not in others]

    def _reachable(self, topology: Topology, agents: Sequence[AgentSpec]) -> list[AgentSpec]:
        """Return the remote agents whose names are free; the others are left out with a warning."""
        taken = _names(topology) | {spec.name for spec in agents}
        for spec in self.remote_agents:
            warning = f"remote agent {spec.name!r} is left out: {topology.name} has a local agent of that name"
            if spec.name in taken and warning not in self.warnings:
                self.warnings = (*self.warnings, warning)
                logger.warning(warning)
        return [spec for spec in self.remote_agents if spec.name not in taken]

    def close(self) -> None:
        """Stop what was left running and let go of the store; what was in memory can still be looked at.

        Raises
        ------
        StoreError
            A turn that has ended cannot be written down: the store stays open, so that it is not lost.
        """
        self.processes.close()
        self.approvals.close()
        if "teammates" in self.__dict__:
            self.teammates.close()
        self.records.close()

    # -- turns ---------------------------------------------------------------------------------------------------------

    def route(self, text: str) -> Route:
        """Say who would get a request, without running it; what is kept of the text holds no secret."""
        check_request(text)
        return self.router.route(mask(text))

    async def run(
        self,
        text: str,
        session: str = MAIN_SESSION,
        *,
        on_event: Listener | None = None,
        on_text: TextListener | None = None,
        approver: Approver | None = None,
    ) -> Trace:
        """Run one turn; two turns of one session run one after the other.

        Parameters
        ----------
        text : str
            What the user says, byte for byte.
        session : str
            Which conversation it belongs to.
        on_event : callable, optional
            Gets every event as it happens.
        on_text : callable, optional
            Hears what a model that can stream has said so far, while it is still coming.
        approver : Approver, optional
            Answers instead of the engine's own, for this turn.

        Returns
        -------
        Trace
            Closed and kept in ``traces``, whatever happened.

        Raises
        ------
        UsageError
            The request is empty or too long; nothing runs.
        TurnError
            Another turn held the session for too long, or this is called by a tool of a turn of the same session.
        asyncio.CancelledError
            The turn was cancelled; its closed trace is kept.
        """
        from lango_nb.runtime.queue import Queue
        from lango_nb.runtime.turn import TurnRun

        check_request(text)
        if session in _in_turn.get():
            raise TurnError(
                f"session {session!r} is in the middle of this very turn; use another session for a turn inside"
            )
        context = self._context(approver)
        queue = self._queues.setdefault(session, Queue())
        await self._enter(queue, session)
        inside = _in_turn.set(_in_turn.get() | {session})
        try:
            own = (on_event,) if on_event is not None else ()
            trace = await TurnRun(context, self.sessions.open(session), text, own, self.listeners, on_text).run()
            self.records.save_rest()
            self.records.clean_up_when_due(self.settings.observability.trace_store)
            return trace
        finally:
            queue.leave()  # first: the other fails where the loop is gone and this runs in a foreign context
            _in_turn.reset(inside)

    async def _enter(self, queue: Queue, session: str) -> None:
        """Wait for the turns of a session that came before."""
        limit = self.settings.agent.queue_timeout_s
        if queue.enter_now():
            return
        import asyncio

        try:
            async with asyncio.timeout(limit or None):
                await queue.enter()
        except TimeoutError as error:
            late = TurnError(
                f"session {session!r} was busy for {limit:g} s; wait for its turn, stop it, or use another session"
            )
            late.code = "queue_timeout"
            raise late from error

    def run_sync(self, text: str, session: str = MAIN_SESSION) -> Trace:
        """Run one turn from ordinary code; see :meth:`run`."""
        from lango_nb.runtime.loop import run_in_loop

        return run_in_loop(lambda _emit: self.run(text, session))

    @overload
    def stream(
        self, text: str, session: str = ..., *, with_text: Literal[False] = ...
    ) -> AsyncGenerator[Event, None]: ...

    @overload
    def stream(
        self, text: str, session: str = ..., *, with_text: Literal[True]
    ) -> AsyncGenerator[Event | TextSoFar, None]: ...

    async def stream(
        self, text: str, session: str = MAIN_SESSION, *, with_text: bool = False
    ) -> AsyncGenerator[Event | TextSoFar, None]:
        """Run one turn and yield its events as they happen; leaving early cancels the turn.

        Parameters
        ----------
        text : str
        session : str
        with_text : bool
            Also yield what is said so far of an answer that is still coming.

        Yields
        ------
        Event or TextSoFar
            The last is ``turn.finished``.
        """
        import asyncio

        queue: asyncio.Queue[Event | TextSoFar | None] = asyncio.Queue()
        on_text = queue.put_nowait if with_text else None
        task = asyncio.ensure_future(self.run(text, session, on_event=queue.put_nowait, on_text=on_text))
        task.add_done_callback(lambda _task: queue.put_nowait(None))
        try:
            while (event := await queue.get()) is not None:
                yield event
            await task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)  # the trace is closed when this returns

    def session(self, name: str = MAIN_SESSION) -> Session:
        """Return a session, a new one if there is none of that name."""
        return self.sessions.open(name)


def is_inside_a_turn() -> bool:
    """Tell whether this code runs inside a turn: as a tool, a hook or an approver."""
    return bool(_in_turn.get())


def _open_store(address: str | Path, home: Path | None, settings: StoreSettings) -> Store:
    from lango_nb.config.loading import home_folder
    from lango_nb.stores.opening import open_store

    if "://" not in str(address):
        path_of(address)
    return open_store(
        address,
        home=home or home_folder(),
        durability=settings.durability,
        lock_timeout_s=settings.lock_timeout_s,
    )


def _folder(workspace: str | Path) -> Path:
    path = path_of(workspace)
    if not path.is_dir():
        raise SettingsError(f"workspace {str(workspace)!r} is not a folder; create it or name another")
    return path.resolve()


def _agents_dir(settings: Settings) -> Path | None:
    return Path(settings.agent.agents_dir) if settings.agent.agents_dir else None


def _prompt_sections(settings: Settings) -> tuple[PromptSection, ...]:
    """Return the shared sections, with those of the user's folder in place of the package's."""
    shared = load_prompt_sections()
    folder = settings.agent.prompts_dir
    return merge_sections(shared, read_prompt_sections(Path(folder))) if folder else shared


def _found(topology: str | Topology) -> Topology:
    if isinstance(topology, Topology):
        return topology
    if not isinstance(topology, str):
        raise UsageError(f"a topology is a name or a Topology, not {type(topology).__name__}")
    return load_topology(topology)


def _names(topology: Topology) -> set[str]:
    return {topology.root, *(spec.name for spec in topology.agents)}
