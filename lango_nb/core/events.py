"""What happens in a turn, as typed values: the trace is a sequence of these, and streaming yields them.

    turn.started ─ handover ─ run.started ─ tool.started ─ tool.finished ─ run.finished ─ text ─ turn.finished
                   │           │              approval.asked / approval.decided
                   │           └ run.blocked  a teammate waits for an answer
                   ├ handover.refused   an unknown name, a second target, an open breaker, a limit
                   ├ declined           the specialist says the request is not its own
                   └ returned           the specialist gives control back

    child.forked / child.merged / child.discarded      a session of its own, and what becomes of it
    hook.decided, policy.decided, breaker.changed      whatever decided something
    budget.warning, budget.expanded, limit.reached     how far it is, how far it may go, and the end
    history.trimmed                        what a model was not given of a long conversation
    history.summarized                     the summary that stands for it, where records.summaries is on
    recovery, error                                    what failed, and what is done about it

Every event names its author: ``user`` or an agent of the tree; events of a teammate's run also carry its ``run_id``. A
greeting answered by the root is exactly three events: ``turn.started``, ``text``, ``turn.finished``.

An event is made where it happens, with what happened: ``ToolStarted(call_id=…, tool=…)``. The turn that publishes it
masks and stamps it (:meth:`BaseEvent.stamp`) before anybody else sees it.
"""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from functools import cache
from typing import ClassVar, Literal, get_args

from lango_nb.core.frozen import Frozen
from lango_nb.core.json_value import JsonValue
from lango_nb.core.masking import mask
from lango_nb.core.messages import NO_USAGE, ToolRole, Usage

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
    "limit_reached",
    "input_required",
]
"""How a turn ended; ``running`` until it has, ``input_required`` where it is the person's turn to say something."""
OUTCOMES: tuple[str, ...] = get_args(Outcome)


RefusalCode = Literal[
    "unknown_agent",
    "second_target",
    "self",
    "cycle",
    "depth",
    "round_limit",
    "already_declined",
    "breaker_open",
    "outside_scope",
    "bad_arguments",
    "unavailable",
]
"""Why a hand-over did not happen."""
LimitName = Literal[
    "rounds", "steps", "repeats", "cycle", "idle", "ceiling", "tokens", "cost", "delegations", "calls", "runs"
]
"""What is limited: hand-overs, replies with calls, identical calls, rings, time, tokens, cost, model calls, runs."""
HookPhase = Literal["before", "after"]
HookAction = Literal["block", "modify", "observe", "failed"]
RecoveryAction = Literal["retry", "retry_with_hint", "direct_answer", "escalate"]


STAMP = ("turn_id", "seq", "at", "author")
"""Fields that every published event has been given; a record without one of them is damaged."""
_UNSTAMPED = datetime.min.replace(tzinfo=UTC)


class BaseEvent(Frozen):
    """Fields every event has."""

    _words: ClassVar[tuple[str, ...]] = ()
    """Fields that may hold what a model, a tool or the user said."""
    turn_id: str = ""
    seq: int = 0
    """Position in the turn, from 1."""
    at: datetime = _UNSTAMPED
    """When, UTC."""
    author: str = ""
    """``user`` or the name of an agent in the tree."""
    step: int = 0
    """Number of the model call this belongs to, from 1; 0 before the first."""
    run_id: str = ""
    """The teammate run it belongs to; empty for the turn's own work."""
    message_id: str = ""
    """The message that says what it tells of; empty where there is none."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = {*BaseEvent.__annotations__, "decision_id"}
        cls._words = tuple(one.name for one in fields(cls) if one.type == "str" and one.name not in own)

    def stamp(self, turn_id: str, seq: int, at: datetime, author: str, step: int, run_id: str) -> None:  # noqa: PLR0913, PLR0917 - the stamp
        """Mask it and say when and where it happened: for the turn that is about to publish it, and nobody else."""
        values = self.__dict__
        for name in self._words:
            if words := values[name]:
                values[name] = mask(words)
        values.update(turn_id=turn_id, seq=seq, at=at, author=author, step=step, run_id=run_id)


class TurnStarted(BaseEvent):
    """The user's message came in."""

    kind: Literal["turn.started"] = "turn.started"
    text: str
    continues: str = ""
    """Id of the turn of an earlier process that goes on here with the answer it waited for; empty for any other."""
    limits: dict[str, JsonValue] | None = None
    """What the turn may use, by :data:`LimitName`; ``None`` in records from before it was kept."""
    circuits: dict[str, JsonValue] | None = None
    """Circuit breakers that were not closed when it began, with their states; ``None`` when all were."""


class TextSaid(BaseEvent):
    """An agent said something the user sees."""

    kind: Literal["text"] = "text"
    text: str
    usage: Usage = NO_USAGE


class TextSoFar(Frozen):
    """What a model has said of an answer that is still coming: shown and forgotten, no part of the trace."""

    kind: Literal["text.so_far"] = "text.so_far"
    turn_id: str
    author: str
    text: str
    """All of it so far, without secrets; the next one replaces this."""
    run_id: str = ""


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
    usage: Usage = NO_USAGE


class HandOverRefused(BaseEvent):
    """A hand-over that did not happen."""

    kind: Literal["handover.refused"] = "handover.refused"
    target: str
    code: RefusalCode
    detail: str
    call_id: str = ""


class Declined(BaseEvent):
    """A specialist says the request is not its own; control goes back to the root."""

    kind: Literal["declined"] = "declined"
    text: str
    target: str
    """The agent that gets control back."""
    usage: Usage = NO_USAGE


class Returned(BaseEvent):
    """A specialist gave control back to the root with a call, not with words."""

    kind: Literal["returned"] = "returned"
    target: str
    """The agent that gets control back."""
    reason: str = ""
    call_id: str = ""
    usage: Usage = NO_USAGE


class RunStarted(BaseEvent):
    """A teammate run was made; ``author`` is who asked for it, ``run_id`` the run."""

    kind: Literal["run.started"] = "run.started"
    agent: str
    """The teammate."""
    instruction: str
    reason: str = ""
    allowed_tools: tuple[str, ...] | None = None
    """What the run is narrowed to; ``None`` when it may use all its role has."""
    child_session: str = ""
    """Key of its own session; empty for agents that work in the parent's."""
    depth: int = 1
    """How many runs it is below the root."""
    timeout_s: float = 0.0


class RunBlocked(BaseEvent):
    """A run waits for an answer, or no longer does."""

    kind: Literal["run.blocked"] = "run.blocked"
    tool: str
    condition: str
    """``blocked_waiting_approval``, or empty when it goes on."""
    reason: str = ""
    grant_request_id: str = ""
    """The same for one run and tool, however often it is asked."""
    grant_attempt: int = 0
    grant_state: str = ""
    """``pending``, ``granted`` or ``denied``."""


class RunFinished(BaseEvent):
    """A run ended; ``author`` is the teammate."""

    kind: Literal["run.finished"] = "run.finished"
    status: Literal["completed", "failed", "cancelled"]
    result: str = ""
    error: str = ""
    error_code: str = ""
    steps: int = 0
    tool_calls: int = 0
    duration_ms: float = 0.0


class ChildForked(BaseEvent):
    """An agent got a session of its own."""

    kind: Literal["child.forked"] = "child.forked"
    child: str
    """Key of the child session."""
    inherited: int = 0
    """Messages of the parent that it can see."""


class ChildMerged(BaseEvent):
    """What a child session came to went to its parent as one message of the root."""

    kind: Literal["child.merged"] = "child.merged"
    child: str
    summary: str


class ChildDiscarded(BaseEvent):
    """A child session was thrown away; its parent got one note."""

    kind: Literal["child.discarded"] = "child.discarded"
    child: str
    reason: str


class HookDecided(BaseEvent):
    """A hook blocked or changed a call, noted something, or failed."""

    kind: Literal["hook.decided"] = "hook.decided"
    hook: str
    phase: HookPhase
    action: HookAction
    tool: str
    call_id: str
    detail: str = ""


class PolicyDecided(BaseEvent):
    """Whether a run may use a tool it was not given, or what becomes of a command."""

    kind: Literal["policy.decided"] = "policy.decided"
    tool: str
    decision: Literal["allow", "deny", "needs_approval", "observe", "block"]
    """Commands are allowed, observed, which lets them run as well, or blocked."""
    reason: str
    call_id: str = ""
    code: str = ""
    """Short word for why a command is allowed, observed or blocked."""


class BreakerChanged(BaseEvent):
    """A circuit breaker opened, closed, or lets one probe through."""

    kind: Literal["breaker.changed"] = "breaker.changed"
    circuit: str
    """An agent's name, or ``provider:<name>``."""
    state: Literal["closed", "open", "half_open"]
    failures: int = 0
    detail: str = ""


class HistoryTrimmed(BaseEvent):
    """The oldest part of the conversation was left out, because it does not fit into what a model is given."""

    kind: Literal["history.trimmed"] = "history.trimmed"
    dropped: int
    """Messages that were left out, whole exchanges."""
    tokens: int
    """About how many tokens the rest has."""
    limit_tokens: int
    """How many it may have at most."""
    summarized: int = 0
    """For how many of the messages left out a summary was given in their place; 0 without a summary."""
    detail: str = ""
    """Why no summary was made of what was left out last, where ``records.summaries`` is on."""


class HistorySummarized(BaseEvent):
    """A model summed up what is left out of the conversation, in a step of its own."""

    kind: Literal["history.summarized"] = "history.summarized"
    text: str
    """The summary."""
    dropped: int
    """Messages that it stands for, those of earlier summaries among them."""
    through: str
    """Id of the request that begins the last exchange it stands for."""
    limit_tokens: int
    """How many tokens of the conversation a model was given at most when it was made."""
    usage: Usage = NO_USAGE


class Recalled(BaseEvent):
    """An agent was told what its genome remembers that its request speaks of."""

    kind: Literal["recalled"] = "recalled"
    text: str
    """Memories and routing rules, as its prompt holds them; secrets are masked."""


class BudgetWarning(BaseEvent):
    """Most of a limit is used; said once per limit."""

    kind: Literal["budget.warning"] = "budget.warning"
    limit: LimitName
    used: float
    of: float


class BudgetExpanded(BaseEvent):
    """A limit was raised, once per turn."""

    kind: Literal["budget.expanded"] = "budget.expanded"
    limit: LimitName
    before: float
    after: float
    reason: str


class RecoveryAttempted(BaseEvent):
    """Something failed, and this is done about it."""

    kind: Literal["recovery"] = "recovery"
    action: RecoveryAction
    error_class: str
    error_code: str
    attempt: int
    """From 1, per turn and class."""
    failed_agent: str = ""
    after_handover: bool = False
    wait_s: float = 0.0
    """Back-off before the next attempt."""
    detail: str = ""


class ApprovalAsked(BaseEvent):
    """A call needs an answer before it runs."""

    kind: Literal["approval.asked"] = "approval.asked"
    call_id: str
    tool: str
    arguments: dict[str, JsonValue]
    arguments_hash: str
    """First 16 hexadecimal digits of the SHA-256 of the tool's name and sorted arguments."""
    reason: str
    request_id: str = ""
    """Names the open question for whoever answers it."""
    usage: Usage = NO_USAGE


class ApprovalDecided(BaseEvent):
    """The answer to a call that needed one."""

    kind: Literal["approval.decided"] = "approval.decided"
    call_id: str
    tool: str
    arguments_hash: str
    allowed: bool
    by: str
    """Who answered: ``ask``, ``allow``, ``deny`` or the approver's name."""
    scope: Literal["once", "turn", "session"] = "once"
    """How long the answer holds for the same call."""
    detail: str = ""


class ToolStarted(BaseEvent):
    """A tool call begins."""

    kind: Literal["tool.started"] = "tool.started"
    call_id: str
    tool: str
    arguments: dict[str, JsonValue]
    safety: str
    role: ToolRole | None = None
    """What the tool is there for; ``None`` in records from before tools had roles."""
    usage: Usage = NO_USAGE


class ToolFinished(BaseEvent):
    """A tool call ended, well or not."""

    kind: Literal["tool.finished"] = "tool.finished"
    call_id: str
    tool: str
    result: str
    is_error: bool = False
    code: str = ""
    """Short word for what went wrong, empty when nothing did."""
    role: ToolRole | None = None
    """What the tool is there for; ``None`` in records from before tools had roles."""
    latency_ms: float = 0.0


class LimitReached(BaseEvent):
    """A limit in code ended the turn or refused a part of it."""

    kind: Literal["limit.reached"] = "limit.reached"
    limit: LimitName
    value: float
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


Event = (
    TurnStarted
    | TextSaid
    | HandedOver
    | HandOverRefused
    | Declined
    | Returned
    | RunStarted
    | RunBlocked
    | RunFinished
    | ChildForked
    | ChildMerged
    | ChildDiscarded
    | HookDecided
    | PolicyDecided
    | BreakerChanged
    | HistoryTrimmed
    | HistorySummarized
    | Recalled
    | BudgetWarning
    | BudgetExpanded
    | RecoveryAttempted
    | ApprovalAsked
    | ApprovalDecided
    | ToolStarted
    | ToolFinished
    | LimitReached
    | ErrorRaised
    | TurnFinished
)
"""Any event, told apart by ``kind``."""


@cache
def event_kinds() -> dict[str, type[BaseEvent]]:
    """Return the class of each kind of event.

    Examples
    --------
    >>> event_kinds()["error"].__name__
    'ErrorRaised'
    """
    return {kind.kind: kind for kind in get_args(Event)}
