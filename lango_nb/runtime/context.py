"""What every turn of an engine works with: the tree, its models, its limits, and where things are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from lango_nb.core.clock import Clock
from lango_nb.core.dataclass import dataclass
from lango_nb.core.events import Event, TextSoFar
from lango_nb.core.ids import Ids
from lango_nb.core.messages import ToolRole
from lango_nb.core.tool_patterns import NO_TOOLS, ToolPatterns
from lango_nb.hooks.chain import HookChain
from lango_nb.models.model import Model
from lango_nb.records.runs import Runs
from lango_nb.records.traces import Traces
from lango_nb.routing.tree import AgentNode, AgentTree
from lango_nb.runtime.approvals import Approvals, Approver, Policy
from lango_nb.runtime.breakers import Breakers
from lango_nb.runtime.control.protocol import Control
from lango_nb.runtime.limits import Limits
from lango_nb.runtime.protected import Protected
from lango_nb.runtime.recovery import Mode
from lango_nb.runtime.timeouts import Timeouts
from lango_nb.tools.tool import Tool

if TYPE_CHECKING:
    from lango_nb.config.settings import RecoverySettings
    from lango_nb.records.tee import Tee
    from lango_nb.routing.router import Router

Listener = Callable[[Event], None]
TextListener = Callable[[TextSoFar], None]
"""Hears an answer while it is still coming."""


@dataclass(frozen=True, slots=True)
class ApprovalRules:
    """Which calls need an answer, and how long it is waited for."""

    policy: Policy = "dangerous"
    exempt: ToolPatterns = NO_TOOLS
    sensitive: ToolPatterns = NO_TOOLS
    timeout_s: float = 300.0


@dataclass(frozen=True, slots=True)
class TurnContext:
    """Everything a turn works with; the same for all turns of an engine."""

    tree: AgentTree
    control: Control
    router: Callable[[], Router]
    """Makes the router over the table of the tree; called when a decision is looked at."""
    model: Model
    models: Mapping[str, Model]
    """Models of their own, by agent."""
    allow_network: bool
    limits: Limits
    planners: frozenset[str]
    """Agents without tools: handing over to one shows that a turn is large."""
    timeouts: Timeouts
    approver: Approver
    approvals: Approvals
    breakers: Breakers
    hooks: HookChain
    runs: Runs
    traces: Traces
    clock: Clock
    ids: Ids
    workspace: Path
    recovery: RecoverySettings
    mode: Mode = "classic"
    random: Callable[[], float] | None = None
    """Jitter of back-offs; ``None`` where everything repeats to the letter."""
    rules: ApprovalRules = ApprovalRules()
    protected: Protected = field(default_factory=Protected)
    """Files no call touches without an answer."""
    closed: tuple[Path, ...] = ()
    """What file tools do not touch at all."""
    tool_timeout_s: float = 0.0
    history_tokens: int = 0
    """How much a model is given of earlier turns; 0 takes ``MOST_TOKENS``, or half of its window where that is less."""
    summaries: bool = False
    """Whether a summary stands for what it is not given."""
    inherit_history: int = 10
    child_messages: int = 0
    is_isolating: bool = True
    tool_limits: Mapping[str, float] = field(default_factory=dict)
    services: Mapping[type, object] = field(default_factory=dict)
    tee: Tee | None = None
    """Gets every closed turn once more."""
    renewed: Callable[[], TurnContext | None] | None = None
    """Returns what turns work with by now, ``None`` while nothing has changed; asked at every step."""
    recall: Callable[[str], str] | None = None
    """Writes what is remembered that a goal speaks of, for the prompt of whoever gets it."""

    def find_tool(self, node: AgentNode, name: str) -> Tool | None:
        """Return a tool that an agent may call: one of its own, or of the control; ``None`` otherwise."""
        tool = node.tools_by_name.get(name)
        if tool is not None:
            return tool
        return next((tool for tool in self.control.tools(node, self.tree) if tool.name == name), None)

    def role_of(self, node: AgentNode, name: str) -> ToolRole:
        """Return what a call is there for; the success of one that is not work says nothing about the request."""
        tool = self.find_tool(node, name)
        return "work" if tool is None else tool.role
