"""What a turn needs to know about a way to hand work over.

A control says three things: what an agent is offered, which of the calls hand work over, and what such a call asks for.
It does not run anything: the turn does, by the target's ``kind``.

    transfer   the target takes the turn over and answers the user; a specialist may give it back
    spawn      the target gets a run of its own; the caller waits for it when it wants to
    delegate   the target gets a run of its own; its answer is the call's result
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol

from lango_nb.core.errors import closest, shorten
from lango_nb.core.events import RefusalCode
from lango_nb.core.messages import ToolCall, ToolSchema
from lango_nb.routing.tree import AgentNode, AgentTree
from lango_nb.tools.tool import Tool

TargetKind = Literal["transfer", "return", "spawn", "delegate"]


class Target(NamedTuple):
    """A hand-over that may happen."""

    call: ToolCall
    node: AgentNode
    reason: str
    """The model's own words for why; may be empty."""
    kind: TargetKind = "transfer"
    instruction: str = ""
    """The work order of a run; empty for a transfer, where the request itself goes on."""
    allowed_tools: tuple[str, ...] | None = None
    """What the run is narrowed to; ``None`` when it may use all its role has."""
    timeout_s: float = 0.0
    """How long the run may take; 0 takes the setting."""
    goal: str = ""
    """What the work order has to reach, where it says more than that."""


class Refusal(NamedTuple):
    """A hand-over that may not."""

    call: ToolCall
    name: str
    """The name the model gave."""
    code: RefusalCode
    detail: str
    """What was wrong and which names are valid; the model reads it."""


class Control(Protocol):
    """One way to hand work over."""

    def owns(self, tool: str) -> bool:
        """Tell whether a call of this tool hands work over."""
        ...

    def tools(self, node: AgentNode, tree: AgentTree) -> tuple[Tool, ...]:
        """Return further tools of the control that an agent may call: to wait for a run, for instance."""
        ...

    def schemas(self, node: AgentNode, tree: AgentTree) -> tuple[ToolSchema, ...]:
        """Return what an agent is offered beside its own tools; nothing for most specialists."""
        ...

    def read(self, call: ToolCall, author: AgentNode, tree: AgentTree) -> Target | Refusal:
        """Check one call: the name must be in the closed set of valid names."""
        ...


def refuse_name(call: ToolCall, name: str, author: str, valid: tuple[str, ...]) -> Refusal:
    """Refuse a name that is not in the closed set, and say which are.

    Examples
    --------
    >>> refuse_name(ToolCall(id="c", name="delegate"), "vualt", "root", ("vault", "planner")).detail
    "there is no agent 'vualt'; did you mean 'vault'? valid names: vault, planner"
    """
    names = ", ".join(valid) or "none"
    if name == author:
        return Refusal(call, name, "self", f"{name} cannot hand over to itself; choose one of: {names}")
    near = closest(name, valid)
    hint = f"did you mean {near!r}? " if near else ""
    return Refusal(call, name, "unknown_agent", f"there is no agent {shorten(name)!r}; {hint}valid names: {names}")


def refuse_arguments(call: ToolCall, needed: str, valid: tuple[str, ...], name: object = "") -> Refusal:
    """Refuse a call whose arguments cannot be read or lack something."""
    names = ", ".join(valid) or "none"
    detail = call.error or f"{call.name} needs {needed}; agents: {names}"
    return Refusal(call, shorten(str(name or "")), "bad_arguments", detail)
