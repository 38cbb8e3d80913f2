"""What happens in a turn, as typed values: the trace is a sequence of these, and streaming yields them.

    turn.started ─ handover ─ tool.started ─ tool.finished ─ text ─ turn.finished
                   │           approval.asked / approval.decided
                   ├ handover.refused   an unknown name, a second target, a limit
                   └ declined           the specialist says the request is not its own

Every event names its author: ``user`` or an agent of the tree. A greeting answered by the root is exactly three events:
``turn.started``, ``text``, ``turn.finished``.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, get_args

from pydantic import Field, JsonValue, TypeAdapter

from lango_nb.core.frozen import Frozen
from lango_nb.core.messages import Usage

Outcome = Literal[
    "running",
    "success",
    "timeout",
    "loop_detected",
    "empty_after_tool_use",
    "tool_error",
    "model_error",
    "internal_error",
    "cancelled",
    "delegation_limit",
]
"""How a turn ended; ``running`` until it has."""
OUTCOMES: tuple[str, ...] = get_args(Outcome)


class BaseEvent(Frozen):
    """Fields every event has."""

    turn_id: str
    seq: int
    """Position in the turn, from 1."""
    at: datetime
    """When, UTC."""
    author: str
    """``user`` or the name of an agent in the tree."""
    step: int = 0
    """Number of the model call this belongs to, from 1; 0 before the first."""


class TurnStarted(BaseEvent):
    """The user's message came in."""

    kind: Literal["turn.started"] = "turn.started"
    text: str


class TextSaid(BaseEvent):
    """An agent said something the user sees."""

    kind: Literal["text"] = "text"
    text: str
    usage: Usage = Usage()


class HandedOver(BaseEvent):
    """The author hands the request to another agent."""

    kind: Literal["handover"] = "handover"
    target: str
    """Name of the agent that takes over."""
    reason: str = ""
    """The model's own words for why."""
    call_id: str = ""
    decision_id: str = ""
    """The decision record with all candidates."""
    round: int = 0
    """Number of this delegation round, from 1."""
    usage: Usage = Usage()


class HandOverRefused(BaseEvent):
    """A hand-over that did not happen."""

    kind: Literal["handover.refused"] = "handover.refused"
    target: str
    code: Literal[
        "unknown_agent", "second_target", "self", "round_limit", "already_declined", "bad_arguments", "unavailable"
    ]
    detail: str
    call_id: str = ""


class Declined(BaseEvent):
    """A specialist says the request is not its own; control goes back to the root."""

    kind: Literal["declined"] = "declined"
    text: str
    target: str
    """The agent that gets control back."""
    usage: Usage = Usage()


class ApprovalAsked(BaseEvent):
    """A call needs an answer before it runs."""

    kind: Literal["approval.asked"] = "approval.asked"
    call_id: str
    tool: str
    arguments: dict[str, JsonValue]
    arguments_hash: str
    """First 16 hexadecimal digits of the SHA-256 of the tool's name and sorted arguments."""
    reason: str
    usage: Usage = Usage()


class ApprovalDecided(BaseEvent):
    """The answer to a call that needed one."""

    kind: Literal["approval.decided"] = "approval.decided"
    call_id: str
    tool: str
    arguments_hash: str
    allowed: bool
    by: str
    """Who answered: ``ask``, ``allow``, ``deny`` or the approver's name."""
    detail: str = ""


class ToolStarted(BaseEvent):
    """A tool call begins."""

    kind: Literal["tool.started"] = "tool.started"
    call_id: str
    tool: str
    arguments: dict[str, JsonValue]
    safety: str
    usage: Usage = Usage()


class ToolFinished(BaseEvent):
    """A tool call ended, well or not."""

    kind: Literal["tool.finished"] = "tool.finished"
    call_id: str
    tool: str
    result: str
    is_error: bool = False
    code: str = ""
    """Short word for what went wrong, empty when nothing did."""
    latency_ms: float = 0.0


class LimitReached(BaseEvent):
    """A limit in code ended the turn or refused a part of it."""

    kind: Literal["limit.reached"] = "limit.reached"
    limit: Literal["rounds", "steps"]
    value: int
    detail: str


class ErrorRaised(BaseEvent):
    """Something failed that no model can mend."""

    kind: Literal["error"] = "error"
    code: str
    text: str


class TurnFinished(BaseEvent):
    """The turn is over; nothing follows."""

    kind: Literal["turn.finished"] = "turn.finished"
    outcome: Outcome
    error_code: str = ""
    rounds: int = 0
    steps: int = 0
    tool_calls: int = 0
    duration_ms: float = 0.0


Event = Annotated[
    TurnStarted
    | TextSaid
    | HandedOver
    | HandOverRefused
    | Declined
    | ApprovalAsked
    | ApprovalDecided
    | ToolStarted
    | ToolFinished
    | LimitReached
    | ErrorRaised
    | TurnFinished,
    Field(discriminator="kind"),
]
"""Any event, told apart by ``kind``."""


def event_adapter() -> TypeAdapter[Event]:
    """Return the reader of one event from JSON or a dictionary."""
    return TypeAdapter(Event)
