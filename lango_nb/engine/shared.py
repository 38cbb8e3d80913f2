"""What all turns of an engine share: runs, breakers, services, hooks; made when the first turn needs it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from lango_nb.config.settings import Settings
from lango_nb.core.clock import Clock, SystemClock
from lango_nb.core.ids import Ids
from lango_nb.core.once import once
from lango_nb.core.tool_patterns import ToolPatterns
from lango_nb.models.model import Model
from lango_nb.models.named import Models
from lango_nb.records.records import Records
from lango_nb.routing.tree import AgentTree
from lango_nb.runtime.approvals import Approvals, Approver
from lango_nb.specs.topology import Topology
from lango_nb.tools.builtin.processes import Environment, ProcessTable
from lango_nb.tools.catalog import ToolCatalog

if TYPE_CHECKING:  # what only turns and routes need loads with the first of them: an engine is ready much sooner
    from lango_nb.core.bus import Bus
    from lango_nb.hooks.chain import HookChain
    from lango_nb.hooks.decorator import UserHook
    from lango_nb.records.ledger import Ledger
    from lango_nb.records.memories import Memories
    from lango_nb.records.runs import Runs
    from lango_nb.records.tasks import Tasks
    from lango_nb.records.tee import Tee
    from lango_nb.records.traces import Traces
    from lango_nb.routing.router import Router
    from lango_nb.runtime.breakers import Breakers
    from lango_nb.runtime.context import TurnContext
    from lango_nb.runtime.control.protocol import Control
    from lango_nb.runtime.protected import Protected
    from lango_nb.runtime.teammates import Teammates

logger = logging.getLogger("lango_nb")


class Shared:
    """The part of an engine that makes what turns work with."""

    settings: Settings
    clock: Clock
    ids: Ids
    workspace: Path
    approver: Approver
    approvals: Approvals
    records: Records
    traces: Traces
    processes: ProcessTable
    models: Models
    topology: Topology
    tree: AgentTree
    catalog: ToolCatalog
    _user_hooks: list[UserHook]
    _hooks: HookChain | None
    _ready: TurnContext | None
    _told: set[str]
    """What was logged already."""

    @property
    def model(self) -> Model:
        """The model that answers."""
        raise NotImplementedError

    @property
    def router(self) -> Router:
        """Who would decide without a model."""
        raise NotImplementedError

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
    def teammates(self) -> Teammates:
        """The runtime behind agent_spawn, agent_wait and agent_stop."""
        from lango_nb.runtime.teammates import Teammates

        return Teammates(self.runs, self.clock, self.settings.background.max_concurrent_tasks)

    @once
    def services(self) -> dict[type, object]:
        """What tools and hooks ask for, by protocol; bind your own before the first turn."""
        from lango_nb.core.bus import Bus
        from lango_nb.hooks.output_manager import OutputStore
        from lango_nb.records.tasks import LocalTaskService
        from lango_nb.tools.services import MemoryService, OutputService, TaskService, TeammateService

        kept = self.settings.tools.output_manager
        bound: dict[type, object] = {
            TeammateService: self.teammates,
            TaskService: LocalTaskService(self.tasks, self.ids, self.clock),
            OutputService: OutputStore(self.clock, answer_characters=4 * kept.token_budget),
            Bus: self.bus,
            Environment: Environment(self.settings.tools.exec.environment),
        }
        if self.settings.agent_memory.enabled:
            from lango_nb.records.memories import LocalMemoryService

            bound[MemoryService] = LocalMemoryService(self.memories)
        if self.settings.tools.exec.allow_background:
            bound[ProcessTable] = self.processes
        return bound

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
            One is no hook, or there is one of its name; nothing is changed.
        """
        from lango_nb.hooks.wiring import build_chain

        chain = build_chain(self.settings, self.services, (*self._user_hooks, *hooks))
        self._user_hooks.extend(hooks)
        self._hooks, self._ready = chain, None

    def _context(self, approver: Approver | None) -> TurnContext:
        """Return what turns work with, made anew when the tree or the settings of a turn changed."""
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
        from lango_nb.runtime.context import ApprovalRules, TurnContext
        from lango_nb.runtime.limits import Limits
        from lango_nb.runtime.timeouts import resolve_timeouts

        for sentence in self.unfit_patterns:
            if sentence not in self._told:
                self._told.add(sentence)
                logger.warning(sentence)
        settings, topology = self.settings, self.topology
        guard, budget = settings.security.interceptor, settings.agent.orchestration.budget
        protected = self._protected()
        return TurnContext(
            tree=self.tree,
            control=self._control(),
            router=self.router,
            model=self.model,
            models={
                node.name: self.models.find(node.spec.model) for node in self.tree if node.spec and node.spec.model
            },
            allow_network=self.models.allow_network,
            limits=Limits(
                rounds=settings.agent.max_delegation_rounds or topology.max_rounds,
                steps=settings.agent.max_turns or topology.max_steps,
                delegations=budget.delegation_limit,
                alert=budget.alert_threshold,
                tokens=budget.max_tokens,
                cost_usd=budget.max_cost_usd,
            ),
            planners=frozenset(node.name for node in self.tree.agents if node.role == "specialist" and not node.tools),
            timeouts=resolve_timeouts(settings.agent),
            approver=self.approver,
            approvals=self.approvals,
            breakers=self.breakers,
            hooks=self.hooks,
            runs=self.runs,
            traces=self.traces,
            teammates=self.teammates,
            clock=self.clock,
            ids=self.ids,
            workspace=self.workspace,
            recovery=settings.agent.orchestration.recovery,
            mode=settings.agent.orchestration.mode,
            random=random() if isinstance(self.clock, SystemClock) else None,
            rules=ApprovalRules(
                guard.approval_policy if guard.enabled else "none",
                ToolPatterns.of(guard.exempt_tools),
                ToolPatterns.of(guard.sensitive_tools if guard.enabled else ()),
                guard.approval_timeout_s,
            ),
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
        """Choose a teammate for an instruction that names nobody."""
        return self.router.route(instruction, exclude=self.breakers.open_agents()).chosen


def random() -> Callable[[], float]:
    """Return a source of jitter."""
    import random as source

    return source.random
