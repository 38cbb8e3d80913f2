"""One teammate execution, and what may change about it while it lives.

spawned ──▶ running ──▶ completed | failed | cancelled        a run that has ended never changes again
              │  ▲
              ▼  │      beside the status, while it lives: what it waits for, and which grant it asks for
           condition
"""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from lango_nb.core.dataclass import dataclass

if TYPE_CHECKING:
    from lango_nb.core.json_value import JsonValue

RunEnd = Literal["completed", "failed", "cancelled"]
RunStatus = Literal["spawned", "running", "completed", "failed", "cancelled"]
RunCondition = Literal[
    "",
    "blocked_waiting_approval",
    "blocked_waiting_message",
    "waiting_on_teammate",
    "resuming",
    "orphaned",
    "recovering",
]
"""What a living run waits for or is about; empty when it simply works."""
GrantState = Literal["", "pending", "granted", "denied"]
"""What became of the leave a run asked for."""
TERMINAL: frozenset[str] = frozenset({"completed", "failed", "cancelled"})
"""Statuses that a run never leaves."""

_SHOWN_WHILE_ALIVE = {
    "condition": "runtime_condition",
    "blocked_reason": "blocked_reason",
    "grant_request_id": "grant_request_id",
    "grant_attempt": "grant_attempt",
    "grant_state": "grant_state",
    "waiting_on_run_id": "waiting_on_run_id",
    "recovery_state": "recovery_state",
}
"""Keys of a reply about a run that has not ended, and the fields they show; an empty one is left out."""


@dataclass(frozen=True, kw_only=True)
class AgentRun:
    """One teammate execution, as it was at one moment."""

    id: str
    parent_id: str
    """The session that asked for it."""
    requested_agent: str
    """The teammate."""
    instruction: str
    """The work order, as it was given."""
    created_at: datetime
    turn_id: str = ""
    spawned_by: str = ""
    """The agent that asked for it."""
    parent_run_id: str = ""
    """The run that asked for it; empty when the turn itself did."""
    status: RunStatus = "spawned"
    result: str = ""
    error: str = ""
    error_code: str = ""
    """Short word for what went wrong; empty when nothing did."""
    child_session: str = ""
    """Key of its own session; empty for agents that work in the parent's."""
    spawn_depth: int = 1
    """How many runs it is below the root."""
    allowed_tools: tuple[str, ...] | None = None
    """What it is narrowed to, grants included; ``None`` or empty when it may use all its role has."""
    spawn_reason: str = ""
    timeout_s: float = 300.0
    completed_at: datetime | None = None
    runtime_condition: RunCondition = ""
    blocked_reason: str = ""
    grant_request_id: str = ""
    """The leave it asks for: the same for one run and tool, however often it asks."""
    grant_attempt: int = 0
    """How often it asked while it was blocked, from 1."""
    grant_state: GrantState = ""
    waiting_on_run_id: str = ""
    """The run it waits for."""
    recovery_state: str = ""
    steps: int = 0
    """Model calls."""
    tool_calls: int = 0

    @property
    def is_terminal(self) -> bool:
        """Whether it has ended."""
        return self.status in TERMINAL

    @property
    def is_blocked(self) -> bool:
        """Whether it waits for an answer."""
        return not self.is_terminal and self.runtime_condition.startswith("blocked")

    def changed(self, **changes: object) -> AgentRun:
        """Return the run with other values in some fields; takes a seventh of the time ``replace`` needs.

        Parameters
        ----------
        **changes : object
            Values by field name.

        Returns
        -------
        AgentRun
        """
        made = object.__new__(AgentRun)
        vars(made).update(vars(self), **changes)
        return made

    def view(self) -> dict[str, JsonValue]:
        """Return what whoever waits for the run is told.

        Returns
        -------
        dict
            ``agent_id`` and ``status`` always, ``result`` and ``error`` where there is one; while the run lives, also
            what it waits for. Once it has ended that is stale and not shown, except why it did not get a tool.

        Notes
        -----
        Source: spec 003 "Control Plane Tools", agent_wait.

        Examples
        --------
        >>> from datetime import UTC, datetime
        >>> run = AgentRun(id="arun-1", parent_id="s", requested_agent="vault", instruction="Hash it.",
        ...                created_at=datetime(2026, 1, 1, tzinfo=UTC), status="running", waiting_on_run_id="arun-2")
        >>> run.view()
        {'agent_id': 'arun-1', 'status': 'running', 'waiting_on_run_id': 'arun-2'}
        """
        shown: dict[str, JsonValue] = {"agent_id": self.id, "status": self.status}
        if self.result:
            shown["result"] = self.result
        if self.error:
            shown["error"] = self.error
        if not self.is_terminal:
            shown.update((key, value) for key, name in _SHOWN_WHILE_ALIVE.items() if (value := getattr(self, name)))
        elif self.blocked_reason and self.grant_state != "pending":
            shown["blocked_reason"] = self.blocked_reason
            if self.grant_state:
                shown["grant_state"] = self.grant_state
        return shown


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPatch:
    """What changes about a living run; ``None`` leaves a field as it is, an empty text clears it."""

    runtime_condition: RunCondition | None = None
    blocked_reason: str | None = None
    grant_request_id: str | None = None
    grant_attempt: int | None = None
    grant_state: GrantState | None = None
    waiting_on_run_id: str | None = None
    recovery_state: str | None = None
    add_allowed_tool: str = ""
    """A tool the run may use from now on; naming it twice changes nothing."""

    def apply(self, run: AgentRun) -> AgentRun:
        """Return the run with the changes made.

        Parameters
        ----------
        run : AgentRun

        Returns
        -------
        AgentRun
        """
        changes = {name: value for name in _PROJECTED if (value := getattr(self, name)) is not None}
        allowed, added = run.allowed_tools, self.add_allowed_tool
        if added and allowed and added not in allowed:  # without a list all of the role's scope is allowed already
            changes["allowed_tools"] = (*allowed, added)
        return run.changed(**changes) if changes else run


_PROJECTED = tuple(item.name for item in fields(RunPatch) if item.name != "add_allowed_tool")
