"""The engine: the only place that puts the stages together, and the only object that holds everything.

    settings ─→ topology + registry ─→ catalog ─→ tree ─→ router, control ─→ turns

It runs in a script, a test or a terminal; a notebook is one of several doors to it (:mod:`lango_nb.lab`).
"""

from __future__ import annotations

import atexit
import logging
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextvars import ContextVar
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload
from weakref import WeakSet

from lango_nb.config.settings import Settings, StoreSettings
from lango_nb.core.clock import Clock, SystemClock
from lango_nb.core.errors import DefinitionError, LangoError, SettingsError, TurnError, UnknownNameError, UsageError
from lango_nb.core.ids import Ids, RandomIds
from lango_nb.core.lazy import once
from lango_nb.core.masking import add_rules, mask
from lango_nb.core.paths import path_of
from lango_nb.core.tool_patterns import ToolPatterns
from lango_nb.models.model import Model, is_live
from lango_nb.models.named import CASSETTE, Models, tape_of
from lango_nb.records.records import Records
from lango_nb.records.sessions import MOST_TOKENS, Session
from lango_nb.routing.build import build_agent_tree
from lango_nb.routing.capabilities import is_of_package
from lango_nb.routing.editing import Shape
from lango_nb.routing.prompts import merge_sections
from lango_nb.routing.tree import AgentTree
from lango_nb.runtime.approvals import KIND as APPROVALS
from lango_nb.runtime.approvals import Approvals, Approver, DenyAll, approver_named
from lango_nb.runtime.requests import check_request, check_session
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.registry import AgentRegistry
from lango_nb.specs.remotes import CardLoader, load_remote_agents
from lango_nb.specs.sources import user_agents
from lango_nb.specs.topologies import load_prompt_sections, load_topology, read_prompt_sections, root_of, with_agents
from lango_nb.specs.topology import PromptSection, Topology
from lango_nb.tools.catalog import ToolCatalog
from lango_nb.tools.switches import tools_by_settings
from lango_nb.tools.tool import Tool

if TYPE_CHECKING:  # what only turns and routes need loads with the first of them: an engine is ready much sooner
    import asyncio
    from collections.abc import Callable

    from lango_nb.core.bus import Bus
    from lango_nb.core.events import Event, TextSoFar
    from lango_nb.hooks.chain import HookChain
    from lango_nb.hooks.decorator import UserHook
    from lango_nb.models.cassette import Cassette
    from lango_nb.records.ledger import Ledger
    from lango_nb.records.memories import Memories
    from lango_nb.records.runs import Runs
    from lango_nb.records.tasks import Tasks
    from lango_nb.records.tee import Tee
    from lango_nb.records.turns import Trace
    from lango_nb.routing.route import Route
    from lango_nb.routing.router import Router
    from lango_nb.routing.table import RoutingTable
    from lango_nb.runtime.approvals import Resumption
    from lango_nb.runtime.breakers import Breakers
    from lango_nb.runtime.context import ApprovalRules, Listener, TextListener, TurnContext
    from lango_nb.runtime.control.delegate import Delegation
    from lango_nb.runtime.control.protocol import Control
    from lango_nb.runtime.limits import Limits
    from lango_nb.runtime.live_turns import LiveTurns
    from lango_nb.runtime.loop_state import LeftTurn
    from lango_nb.runtime.protected import Protected
    from lango_nb.runtime.semaphore import FairSemaphore
    from lango_nb.runtime.teammates import Teammates
    from lango_nb.specs.genome.genome import Genome
    from lango_nb.specs.genome.trials import Trials
    from lango_nb.stores.store import Store
    from lango_nb.tools.builtin.network import Network
    from lango_nb.tools.builtin.processes import ProcessTable

logger = logging.getLogger("lango_nb")

SINGLE = "solo"
GENOME = "genome"
"""The topology whose agents a genome keeps."""
_NOTES = "task"
"""Tools that are an agent's work where it lists them; elsewhere whoever works has them beside its work."""
TIERS = ("best", "balanced", "fast")
"""What an agent's definition may say instead of a model: the settings name one for each."""
MAIN_SESSION = "main"
NEAR = 0.05
"""Confidence from which a teammate gets an instruction that names none; below it, giving it away would be a guess."""
_LOOK_AGAIN_S = 0.05
"""How often whoever waits looks whether a question is open."""
_in_turn: ContextVar[frozenset[str]] = ContextVar("lango_in_turn", default=frozenset())
"""Sessions with a turn that this code runs inside of: a tool cannot wait for its own turn."""


class Engine:
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
        self.genome: Genome | None = None
        self._trials: Trials | None = None
        """Where agents come from, in topologies that keep theirs in a genome."""
        self._generation = 0
        wanted = self.settings.agent.model_name if model is None else model
        tape = tape_of(wanted) if isinstance(wanted, str) and wanted.startswith(CASSETTE) else None
        self._model = self._bare_model = self.models.find("offline" if tape is not None else wanted)
        self._keep_records(self._open_records(store, home))
        self.cassette: Cassette | None = None
        """The recording that is played or made; ``None`` where models and tools answer themselves."""
        self._is_recording = False
        self._set_tools(tuple(tools_by_settings(self.settings) if tools is None else tools))
        self.listeners: list[Listener] = []
        a2a = self.settings.a2a
        self.remote_agents, self.warnings = load_remote_agents(a2a.remote_agents if a2a.enabled else (), card_loader)
        self._queues: dict[str, FairSemaphore] = {}
        self._user_hooks: list[UserHook] = []
        self._told: set[str] = set()
        self._user_agents = (*user_agents(_agents_dir(self.settings)), *_of_users(agents))
        self.use(topology)
        if tape is not None:
            self.play(tape)
        self.records.resume(root_of, self._tee)
        _OPEN.add(self)

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
        """Return what lets runs and turns go on with an answer that was left to them."""
        from lango_nb.runtime.resumption import StoredResumption

        return StoredResumption(
            self.store,
            lambda: self._context(None),
            lambda: self.teammates,
            self.sessions.open,
            self._run_in_background,
            self.listeners,
        )

    def _run_in_background(self, left: LeftTurn, context: TurnContext, at_end: Callable[[], None]) -> None:
        """Let a turn go on that nobody waits for."""
        self._turns.start(self._run(left.text, left.session_id, (), None, context, left), at_end)

    @once
    def _turns(self) -> LiveTurns:
        """The turns that are at work."""
        from lango_nb.runtime.live_turns import LiveTurns

        return LiveTurns()

    def open_store(self, store: Store | str | Path, home: Path | None = None) -> None:
        """Keep records in a store from now on, with the turns so far; what a process that is gone left open is closed.

        Parameters
        ----------
        store : Store or str or Path
            As for the engine itself.
        home : Path, optional

        Raises
        ------
        UsageError
            There are turns in memory and in the store, or a teammate is still at work; nothing is changed.
        StoreError
            The store cannot be read, or what belongs into the present one cannot be written; nothing is changed.
        """
        is_moving = not self.records.is_durable and len(self.traces) > 0
        if is_moving and not all(run.is_terminal for run in self.runs.list()):
            raise UsageError("a teammate is still at work and cannot move: answer or stop it, %lango runs shows it")
        if self.records.is_durable:
            self.records.save()
        records = self._open_records(store, home)
        if self.records.is_durable:
            self.close()
        elif is_moving:
            self._move_to(records)
        self._keep_records(records)
        self.records.resume(root_of, self._tee)

    def _move_to(self, records: Records) -> None:
        """Copy what is in memory into records that have no turns yet."""
        try:
            if len(records.traces):
                number = len(self.traces)
                turns = f"{number} turn{'s are' if number > 1 else ' is'} in memory"
                where = "others with the same numbers in that place"
                raise UsageError(f"{turns}, and {where}; open an empty folder, or the records in a new Lab")
            self.records.copy_to(records)
        except LangoError:
            records.close()
            raise

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
        found = self._with_genome(_found(topology))
        registry = AgentRegistry()
        for spec in (*found.agents, *self._joining(found, self._user_agents)):
            registry.register(spec)
        self._build(found, registry)

    # -- a genome ------------------------------------------------------------------------------------------------------

    def use_genome(self, genome: Genome | None) -> None:
        """Take the agents of a genome from now on, wherever a topology keeps them in one; each turn sees its changes.

        Parameters
        ----------
        genome : Genome, optional
            The agents that come along are used again when absent.

        Raises
        ------
        DefinitionError
            It has no agent that everything begins with; nothing is changed.
        """
        from lango_nb.specs.genome.trials import Trials

        before = self.genome
        self.genome = genome
        try:
            self.use(load_topology(GENOME))
        except LangoError:
            self.genome = before
            raise
        self._trials = None if genome is None else Trials(genome)

    def _with_genome(self, topology: Topology) -> Topology:
        """Put the agents of the genome into a topology that keeps its agents in one."""
        if self.genome is None or topology.name != GENOME:
            return topology
        agents = [spec.model_copy(update={"source": Source.BUILTIN}) for spec in self.genome.all_agents()]
        self._generation = self.genome.generation
        return with_agents(topology, agents)

    def follow_genome(self) -> bool:
        """Take in what has changed in the genome since; tell whether anything has."""
        genome = self.genome
        if genome is None or self.topology.name != GENOME:
            return False
        try:
            genome.refresh()
            if genome.generation == self._generation:
                return False
            self.use(self.topology)
        except LangoError as error:  # the agents stay as they were, and the next change is looked at again
            self._generation = genome.generation
            self._warn(f"the genome is not taken in as it stands: {error}")
            return False
        return True

    def _renewed(self) -> TurnContext | None:
        """Return what turns work with once the genome has changed here; what others change waits for the next turn."""
        genome = self.genome
        is_changed = genome is not None and genome.generation != self._generation
        return self._context(None) if is_changed and self.follow_genome() else None

    def _recall(self, goal: str) -> str:
        """Write what the genome remembers that a goal speaks of, for the prompt of whoever gets it."""
        from lango_nb.specs.genome.recall import recall

        return "" if self.genome is None or self.topology.name != GENOME else recall(self.genome, goal)

    def _book(self, trace: Trace) -> None:
        """Note in the genome how its agents fared, and take back what they fare worse with."""
        genome, trials = self.genome, self._trials
        if genome is None or trials is None or trace.turn.topology != GENOME:
            return
        from lango_nb.records.stumbles import metrics

        try:
            genome.record(*metrics(trace))
            for trial in trials.judge():
                if trial.verdict == "harmful":
                    self._warn(trial.told)
        except LangoError as error:
            self._warn(f"how the agents fared in turn {trace.turn.number} is not noted in the genome: {error}")

    def _warn(self, sentence: str) -> None:
        if sentence not in self._told:
            self._told.add(sentence)
            logger.warning(sentence)

    # -- what joins the tree -------------------------------------------------------------------------------------------

    def add_agents(self, *specs: AgentSpec) -> None:
        """Let agents join the tree; one of the same name replaces an earlier one that is not built in.

        Raises
        ------
        DefinitionError
            One has the name of a built-in agent or of the root; nothing is changed.
        """
        kept = [spec for spec in self._user_agents if spec.name not in {new.name for new in specs}]
        self.reshape(Shape(self.topology, (*kept, *_of_users(specs))))

    @property
    def shape(self) -> Shape:
        """What the tree is built of: the topology, and the agents that join it."""
        return Shape(self.topology, self._user_agents)

    def reshape(self, shape: Shape) -> None:
        """Go on with another topology and other agents that join it.

        Raises
        ------
        DefinitionError
            Two agents have the same name; nothing is changed.
        """
        before = self._user_agents
        self._user_agents = shape.agents
        try:
            self.use(shape.topology)
        except LangoError:
            self._user_agents = before
            raise

    @property
    def added_agents(self) -> tuple[str, ...]:
        """Names of the agents that are not the topology's own: those that can be removed, in the tree or not."""
        own = _names(self.topology)
        return tuple(spec.name for spec in self._user_agents if spec.name not in own)

    def remove_agents(self, *names: str) -> None:
        """Take agents out of the tree that are not the topology's own.

        Raises
        ------
        UnknownNameError
            No such agent was added; nothing is changed.
        DefinitionError
            One is the topology's own.
        """
        added = self.added_agents
        for name in names:
            if name in _names(self.topology):
                raise DefinitionError(f"agent {name!r} belongs to {self.topology.name} and cannot be removed")
            if name not in added:
                raise UnknownNameError("agent", name, added, where="the agents that were added")
        self.reshape(Shape(self.topology, tuple(spec for spec in self._user_agents if spec.name not in names)))

    def add_tools(self, *tools: Tool) -> None:
        """Let tools join the catalog; one of the same name and source replaces the earlier one.

        Raises
        ------
        DefinitionError
            A tool of that name is there from elsewhere; nothing is changed.
        """
        present = {tool.name: tool for tool in self._served}
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

    def _set_tools(self, tools: tuple[Tool, ...]) -> None:
        """Put tools into the catalog, from tape where there is one."""
        catalog = ToolCatalog(tools)
        self._tools = tools
        self._served = catalog if self.cassette is None else ToolCatalog(self._from_tape(tools))

    def _from_tape(self, tools: Sequence[Tool]) -> Sequence[Tool]:
        """Serve tools from the cassette, where there is one."""
        return tools if self.cassette is None else self.cassette.tools(tools, live=self._is_recording)

    @property
    def own_tools(self) -> tuple[Tool, ...]:
        """The tools themselves, also while the catalog serves them from a cassette or records them."""
        return self._tools

    def tree_for(self, topology: str | Topology | Shape, *, as_shipped: bool = False) -> AgentTree:
        """Build the tree that the same tools make under another topology.

        Parameters
        ----------
        topology : str or Topology or Shape
            A shape says which agents join it, too.
        as_shipped : bool
            Whether only the topology's own agents and the bundled ones join, and none that the user has added.
        """
        found, users = topology if isinstance(topology, Shape) else (_found(topology), self._user_agents)
        users = user_agents(None) if as_shipped else users
        return self._tree(found, [spec for spec in self._joining(found, users) if spec.name not in _names(found)])

    def _build(self, topology: Topology, registry: AgentRegistry) -> None:
        tree = self._tree(topology, [spec for spec in registry.all() if spec.source is not Source.BUILTIN])
        self.topology, self.registry, self.tree = topology, registry, tree
        is_listed = topology.ownership == "listed"
        self.catalog = ToolCatalog(tree.partition.tools) if is_listed else self._served
        self._router: Callable[[], Router] | None = None
        self._ready = None

    def _tree(self, topology: Topology, agents: Sequence[AgentSpec]) -> AgentTree:
        return build_agent_tree(
            self._offered(topology, agents),
            topology,
            agents=agents,
            remote_agents=self._reachable(topology, agents),
            shared_sections=_prompt_sections(self.settings),
            max_rounds=self.settings.agent.max_delegation_rounds,
        )

    def _offered(self, topology: Topology, agents: Sequence[AgentSpec]) -> tuple[Tool, ...]:
        """Return the tools that a tree is built of: where agents list them, those that somebody lists and one's own."""
        tools = tuple(self._served)
        if topology.ownership != "listed":
            return tools
        from lango_nb.tools.builtin import primitive_tools

        specs = (*topology.agents, *agents, *([topology.root_spec] if topology.root_spec is not None else ()))
        listed = dict.fromkeys(name for spec in specs for name in spec.tools)
        starts = tuple(prefix.removesuffix("*") for spec in specs for prefix in spec.prefixes)
        missing = [name for name in listed if name not in self._served and name in primitive_tools()]
        kept = (one for one in tools if one.name in listed or one.name.startswith(starts) or not is_of_package(one))
        return (
            *self._from_tape([primitive_tools()[name] for name in missing]),
            *(tool.as_work() if tool.family == _NOTES and tool.name in listed else tool for tool in kept),
        )

    def _joining(self, topology: Topology, agents: Sequence[AgentSpec]) -> list[AgentSpec]:
        """Return the agents that join a topology: the user's, wherever they come from, else the bundled extras.

        A bundled extra yields to whoever else has its name.
        """
        own = [spec for spec in agents if spec.source is not Source.EMBEDDED]
        others = _names(topology) | {spec.name for spec in self.remote_agents}
        return own or [spec for spec in agents if spec.name not in others]

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
        if "processes" in self.__dict__:
            self.processes.close()
        left = self.approvals.close()
        if "teammates" in self.__dict__:
            self.teammates.close()
        if "_turns" in self.__dict__:
            self._turns.close(left, self.records.close)
        else:
            self.records.close()

    def wait(self) -> None:
        """Wait until nothing is at work any more that nobody waits for, or a question is open.

        Turns and runs that go on with an answer that was left to them do so in the background; see
        :attr:`~lango_nb.runtime.approvals.Approvals.left`.
        """
        import asyncio

        from lango_nb.runtime.loop import run_in_loop

        async def rest() -> None:
            while not self.approvals.pending and (tasks := (*self._turns.background, *self.teammates.tasks)):
                await asyncio.wait(tasks, timeout=_LOOK_AGAIN_S)

        run_in_loop(lambda _emit: rest())

    # -- who answers ---------------------------------------------------------------------------------------------------

    @property
    def model(self) -> Model:
        """The model that answers for every agent that has none of its own; set it to a model or a name."""
        return self._model

    @model.setter
    def model(self, model: str | Model) -> None:
        if isinstance(model, str) and model.startswith(CASSETTE):
            self.play(tape_of(model))
            return
        before = self._model.name
        self._model = self._bare_model = self._taught(self.models.find(model))
        made: Breakers | None = self.__dict__.get("breakers")
        if made is not None and self._model.name != before:  # whoever takes another model wants it asked
            from lango_nb.runtime.breakers import provider_circuit

            made.record_success(provider_circuit(self._model.name))
        if self.cassette is not None:
            self._use_cassette(None)

    def record(self, path: str | Path) -> Cassette:
        """Keep every call of the present model, and of the tools, on a cassette from now on.

        Parameters
        ----------
        path : str or Path
            A JSON file; one that is there goes on, and its known calls are answered from it.

        Returns
        -------
        Cassette

        Raises
        ------
        StoreError
            The file is something else.
        """
        from lango_nb.models.cassette import Cassette

        cassette = Cassette(path)
        self._model = cassette.record(self._bare_model)
        self._use_cassette(cassette, is_recording=True)
        return cassette

    def play(self, path: str | Path) -> Cassette:
        """Answer from a cassette from now on: no model is asked, and no tool runs that touches anything outside.

        Parameters
        ----------
        path : str or Path
            A file, or the name of a recording that comes with the package: ``octet-garden``.

        Returns
        -------
        Cassette

        Raises
        ------
        StoreError
            The file is not there, or no cassette.
        """
        from lango_nb.models.cassette import Cassette
        from lango_nb.models.shipped import cassette_path

        cassette = Cassette(cassette_path(path))
        self._model = cassette.replay()
        self._use_cassette(cassette)
        return cassette

    def _use_cassette(self, cassette: Cassette | None, *, is_recording: bool = False) -> None:
        """Serve tools from a cassette, or let them run beside it; without one they run as they are."""
        self.cassette, self._is_recording = cassette, is_recording
        self._set_tools(self._tools)
        self._build(self.topology, self.registry)

    @property
    def router(self) -> Router:
        """The router over the present tree's routing table; compiled with the first route."""
        return self._late_router()()

    @router.setter
    def router(self, router: Router) -> None:
        """Use what a router has learned, and its threshold, in every topology, and in the offline model."""
        self._like, self._router, self._ready = router, None, None
        self._model = self._taught(self._model)
        self._bare_model = self._taught(self._bare_model)

    def _late_router(self) -> Callable[[], Router]:
        """Return what makes the router of the present tree, once: most turns end before anyone looks at a route."""
        if self._router is None:
            self._router = cache(partial(_router_over, self.tree.table, self._like))
        return self._router

    @property
    def own_router(self) -> Router | None:
        """The router that was put in the place of the package's; ``None`` when none was."""
        return self._like

    @property
    def own_agents(self) -> tuple[AgentSpec, ...]:
        """Agents that joined the topology's own, without those of the folder that the settings name."""
        found = user_agents(_agents_dir(self.settings))
        return tuple(spec for spec in self._user_agents if spec not in found)

    def _taught(self, model: Model) -> Model:
        """Return the offline model with the lessons of the router in use; any other as it is."""
        if self._like is None or model.name != "offline":
            return model
        from lango_nb.models.offline.model import OfflineModel

        return OfflineModel(taught=self._like.taught) if isinstance(model, OfflineModel) else model

    # -- what turns work with ------------------------------------------------------------------------------------------

    @once
    def runs(self) -> Runs:
        """All teammate runs."""
        runs = self.records.runs
        if self.settings.run_ledger.enabled and self.settings.run_ledger.write_through:
            runs.observers.append(self.ledger.observe)
        return runs

    @property
    def ledger(self) -> Ledger:
        """What runs waited for; written where ``runLedger.enabled`` and ``runLedger.writeThrough`` are on."""
        from lango_nb.records.ledger import FAILED, KIND, Ledger

        return Ledger(self.records.documents(KIND), self.clock, lambda failure: self.bus.publish(FAILED, failure))

    @property
    def tasks(self) -> Tasks:
        """The working list of root and agents."""
        return self.records.tasks

    @property
    def memories(self) -> Memories:
        """What agents keep for themselves; used where ``agentMemory.enabled`` is on."""
        return self.records.memories

    @once
    def breakers(self) -> Breakers:
        """Circuit breakers of agents and providers."""
        from lango_nb.runtime.breakers import Breakers

        return Breakers(self.settings.agent.orchestration.circuit_breaker, self.clock)

    @once
    def bus(self) -> Bus:
        """Where tool calls are published, if ``hooks.eventPublishing`` is on."""
        from lango_nb.core.bus import Bus

        return Bus()

    @once
    def processes(self) -> ProcessTable:
        """Commands that run in the background."""
        from lango_nb.tools.builtin.processes import ProcessTable

        return ProcessTable()

    @once
    def teammates(self) -> Teammates:
        """The runtime behind agent_spawn, agent_wait and agent_stop."""
        from lango_nb.runtime.agent_loop import run_agent_loop
        from lango_nb.runtime.teammates import Teammates

        return Teammates(self.runs, self.clock, run_agent_loop, self.settings.background.max_concurrent_tasks)

    @once
    def services(self) -> dict[type, object]:
        """What tools and hooks ask for, by protocol; bind your own before the first turn."""
        from lango_nb.core.bus import Bus
        from lango_nb.hooks.outputs import OutputStore
        from lango_nb.records.tasks import LocalTaskService
        from lango_nb.tools.builtin.network import Network
        from lango_nb.tools.builtin.processes import Environment, ProcessTable
        from lango_nb.tools.services import MemoryService, OutputService, TaskService, TeammateService

        kept = self.settings.tools.output_manager
        bound: dict[type, object] = {
            TeammateService: self.teammates,
            TaskService: LocalTaskService(self.tasks, self.ids, self.clock),
            OutputService: OutputStore(self.clock, answer_characters=4 * kept.token_budget),
            Bus: self.bus,
            Environment: Environment(self.settings.tools.exec.environment),
            Network: self._network(),
        }
        if self.settings.agent_memory.enabled:
            from lango_nb.records.memories import LocalMemoryService

            bound[MemoryService] = LocalMemoryService(self.memories)
        if self.settings.tools.exec.allow_background:
            bound[ProcessTable] = self.processes
        return bound

    def _network(self) -> Network:
        """Return what tools may do on the network."""
        from lango_nb.tools.builtin.network import Network

        fetch = self.settings.tools.fetch
        switches = {"tools.fetch.enabled": fetch.enabled, "models.allowNetwork": self.models.allow_network}
        off = tuple(name for name, is_on in switches.items() if not is_on)
        return Network(off, fetch.private_addresses, fetch.timeout_s, fetch.max_bytes)

    @property
    def hooks(self) -> HookChain:
        """The one list of what surrounds a tool call."""
        if self._hooks is None:
            from lango_nb.hooks.wiring import build_chain

            self._hooks = build_chain(self.settings, self.services, self._user_hooks)
        return self._hooks

    def add_hook(self, *hooks: UserHook) -> None:
        """Let hooks of your own join the list.

        Raises
        ------
        DefinitionError
            One is not a hook, or there is one of its name; nothing is changed.
        """
        from lango_nb.hooks.wiring import build_chain

        chain = build_chain(self.settings, self.services, (*self._user_hooks, *hooks))
        self._user_hooks.extend(hooks)
        self._hooks, self._ready = chain, None

    def _context(self, approver: Approver | None) -> TurnContext:
        """Return what turns work with, made anew when the tree or the settings of a turn changed."""
        self.follow_genome()
        if self._ready is None or self._ready.model is not self.model:
            self._ready = self._make_context()
        if approver is None and self._ready.approver is self.approver:
            return self._ready
        from dataclasses import replace

        return replace(self._ready, approver=approver or self.approver)

    @property
    def unfit_patterns(self) -> tuple[str, ...]:
        """The patterns in lists of tools that fit no known tool, a sentence each; they wait for tools to come."""
        from lango_nb.tools.tool_lists import unfit_patterns

        tree = self.tree
        return unfit_patterns(self.settings, self.catalog, (*tree.names, *tree.skipped, *tree.inactive))

    def _make_context(self) -> TurnContext:
        from lango_nb.runtime.context import TurnContext
        from lango_nb.runtime.timeouts import resolve_timeouts

        self._warn_of_unfit_patterns()
        settings, protected = self.settings, self._protected()
        return TurnContext(
            tree=self.tree,
            control=self._control(),
            router=self._late_router(),
            model=self.model,
            models=self._models_of_agents(),
            allow_network=self.models.allow_network,
            limits=self._limits(),
            planners=frozenset(node.name for node in self.tree.agents if node.role == "specialist" and not node.tools),
            timeouts=resolve_timeouts(settings.agent),
            approver=self.approver,
            approvals=self.approvals,
            breakers=self.breakers,
            hooks=self.hooks,
            runs=self.runs,
            traces=self.traces,
            clock=self.clock,
            ids=self.ids,
            workspace=self.workspace,
            recovery=settings.agent.orchestration.recovery,
            mode=settings.agent.orchestration.mode,
            random=_random() if isinstance(self.clock, SystemClock) else None,
            rules=self._approval_rules(),
            protected=protected,
            closed=protected.closed(self.workspace),
            tool_timeout_s=settings.agent.tool_timeout_s,
            history_tokens=settings.agent.history_tokens,
            summaries=settings.records.summaries,
            inherit_history=settings.agent.isolation.inherit_history,
            child_messages=settings.agent.isolation.max_messages,
            is_isolating=settings.agent.isolation.enabled,
            tool_limits={
                "exec_timeout_s": settings.tools.exec.default_timeout_s,
                "exec_output_bytes": settings.tools.exec.max_output_bytes,
                "max_read_bytes": settings.tools.filesystem.max_read_bytes,
            },
            services=self.services,
            tee=self._tee,
            renewed=self._renewed if self.genome is not None else None,
            recall=self._recall if self.genome is not None and self.genome.has_learned else None,
        )

    def _models_of_agents(self) -> dict[str, Model]:
        """Return the models of agents that have one of their own, a tier by the model that the settings name for it.

        A genome may come from somebody else: what its files name is asked only once a person has chosen a live model.
        """
        named = {node.name: node.spec.model for node in self.tree if node.spec is not None}
        found = {name: getattr(self.settings.models, model) for name, model in named.items() if model in TIERS}
        own = {name: model for name, model in named.items() if model and model not in TIERS}
        if self.topology.ownership == "listed" and not is_live(self.model):
            for name, model in own.items():
                self._warn(
                    f"agent {name!r} names the model {model!r}; {self.model.name} answers, so it does for {name} too"
                )
            own = {}
        return {name: self.models.find(model) for name, model in {**found, **own}.items() if model}

    def _warn_of_unfit_patterns(self) -> None:
        for sentence in self.unfit_patterns:
            self._warn(sentence)

    def _limits(self) -> Limits:
        """Return what one turn may use: what the settings say, else the topology."""
        from lango_nb.runtime.limits import Limits

        agent, topology = self.settings.agent, self.topology
        budget = agent.orchestration.budget
        return Limits(
            rounds=agent.max_delegation_rounds or topology.max_rounds,
            steps=agent.max_turns or topology.max_steps,
            delegations=budget.delegation_limit,
            alert=budget.alert_threshold,
            tokens=budget.max_tokens,
            calls=budget.max_calls,
            runs=budget.max_runs,
            cost_usd=budget.max_cost_usd,
        )

    def _approval_rules(self) -> ApprovalRules:
        """Return which calls need an answer; without the interceptor none does."""
        from lango_nb.runtime.context import ApprovalRules

        guard = self.settings.security.interceptor
        return ApprovalRules(
            guard.approval_policy if guard.enabled else "none",
            ToolPatterns.of(guard.exempt_tools),
            ToolPatterns.of(guard.sensitive_tools if guard.enabled else ()),
            guard.approval_timeout_s,
        )

    @once
    def _tee(self) -> Tee | None:
        """Where closed turns are written once more, as text."""
        if not self.settings.store.tee:
            return None
        from lango_nb.records.tee import Tee

        return Tee(self.settings.store.tee)

    def _protected(self) -> Protected:
        """Name the files that no call touches without an answer."""
        from lango_nb.runtime.protected import Protected

        homes = tuple(path for home in self.models.homes for path in (home, home.resolve()))
        return Protected(homes, self.settings.models.keys_file)

    def _control(self) -> Control:
        """Return the way the topology hands work over."""
        match self.topology.control:
            case "transfer":
                from lango_nb.runtime.control.transfer import TransferControl

                return TransferControl()
            case "spawn":
                from lango_nb.runtime.control.spawn import SpawnControl

                return SpawnControl(is_available=self.settings.background.enabled, route=self._route_instruction)
            case "delegate":
                from lango_nb.runtime.control.delegate import DelegateControl

                return DelegateControl()
            case "none":
                from lango_nb.runtime.control.none import NoControl

                return NoControl()

    def _route_instruction(self, instruction: str) -> str | None:
        """Choose a teammate for an instruction that names none: a sure one, else the nearest if one comes near."""
        route = self.router.route(instruction, exclude=self.breakers.open_agents())
        if route.chosen is not None or route.is_conversation:
            return route.chosen
        near = (one.agent for one in route.candidates if one.confidence >= NEAR and not one.vetoes)
        return next(near, None)

    # -- turns ---------------------------------------------------------------------------------------------------------

    def route(self, text: str) -> Route:
        """Say who would get a request, without running it; what is kept of the text holds no secret."""
        check_request(text)
        route, root = self.router.route(mask(text)), self.tree.root
        if root.role != "single":
            return route
        reason = f"{root.name} is the only agent and works with all tools itself"
        return replace(route, reason=reason, is_conversation=True, root_confidence=1.0)

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
            The request is empty or too long, or the session has no name; nothing runs.
        TurnError
            Another turn held the session for too long, or this is called by a tool of a turn of the same session.
        asyncio.CancelledError
            The turn was cancelled; its closed trace is kept.
        """
        own = (on_event,) if on_event is not None else ()
        return await self._run(text, session, own, on_text, self._context(approver))

    async def execute_delegation(self, delegation: Delegation, session: str = MAIN_SESSION) -> Trace:
        """Let an agent reach one goal, in a turn whose root delegates just that; all checks and limits hold.

        Parameters
        ----------
        delegation : Delegation
            As :func:`~lango_nb.runtime.control.delegate.parse_plan_response` reads it from a reply.
        session : str

        Returns
        -------
        Trace
            Its answer is the agent's; a name that the root does not list is refused in it.

        Raises
        ------
        UsageError
            The topology delegates in another way.
        """
        from lango_nb.runtime.control.delegate import Delegating

        if self.topology.control != "delegate":
            raise UsageError(f"agents of {self.topology.name} are not delegated to; use the topology genome")
        context = self._context(None)
        models = {**context.models, self.topology.root: Delegating(delegation)}
        return await self._run(delegation.instruction, session, (), None, replace(context, models=models))

    async def _run(  # noqa: PLR0913, PLR0917 - what a turn starts from
        self,
        text: str,
        session: str,
        own: Sequence[Listener],
        on_text: TextListener | None,
        context: TurnContext,
        left: LeftTurn | None = None,
    ) -> Trace:
        """Run one turn, one that goes on where an earlier one stood if need be."""
        from lango_nb.runtime.live_turns import LiveTurn
        from lango_nb.runtime.semaphore import FairSemaphore
        from lango_nb.runtime.turn import TurnRun
        from lango_nb.runtime.turn_state import TurnState

        check_request(text)
        check_session(session)
        if session in _in_turn.get():
            raise TurnError(
                f"session {session!r} is in the middle of this very turn; use another session for a turn inside"
            )
        teammates = self.teammates
        queue = self._queues.setdefault(session, FairSemaphore())
        with LiveTurn(self._turns) as live:
            await self._enter(queue, session)
            inside = _in_turn.set(_in_turn.get() | {session})
            try:
                state = TurnState(context, self.sessions.open(session), text, own, self.listeners, on_text)
                live.turn_id = state.turn_id
                trace = await TurnRun(state, teammates, left).run()
                self._book(trace)
                self.records.save_rest()
                self.records.clean_up_when_due(self.settings.observability.trace_store)
                return trace
            finally:
                queue.release()  # first: the other fails where the loop is gone and this runs in a foreign context
                _in_turn.reset(inside)

    async def _enter(self, queue: FairSemaphore, session: str) -> None:
        """Wait for the turns of a session that came before."""
        limit = self.settings.agent.queue_timeout_s
        if queue.acquire_now():
            return
        import asyncio

        try:
            async with asyncio.timeout(limit or None):
                await queue.acquire()
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
        """Return a session, a new one if there is none of that name.

        Raises
        ------
        UsageError
            The name is empty.
        """
        check_session(name)
        return self.sessions.open(name)


def is_inside_a_turn() -> bool:
    """Tell whether this code runs inside a turn: as a tool, a hook or an approver."""
    return bool(_in_turn.get())


def _random() -> Callable[[], float]:
    """Return a source of jitter."""
    import random as source

    return source.random


def _router_over(table: RoutingTable, like: Router | None) -> Router:
    """Return the router of a table: the package's, or one that knows what another does."""
    if like is not None:
        return like.over(table)
    from lango_nb.routing.router import router_for

    return router_for(table)


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


def _of_users(agents: Iterable[AgentSpec]) -> tuple[AgentSpec, ...]:
    """Return agents as those of a user: who hands them over has added them, whatever their source says by default."""
    return tuple(spec.with_changes(source=Source.USER) if spec.source is Source.BUILTIN else spec for spec in agents)


def _names(topology: Topology) -> set[str]:
    return {topology.root, *(spec.name for spec in topology.agents)}


_OPEN: WeakSet[Engine] = WeakSet()


@atexit.register
def _close_all() -> None:
    """Close what still keeps records when Python ends: runs that wait for an answer are left as they are, in order."""
    for engine in list(_OPEN):
        if engine.records.is_durable:
            try:
                engine.close()
            except LangoError as error:
                logger.warning("%s", error)
