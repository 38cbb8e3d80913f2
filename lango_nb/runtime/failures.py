"""What went wrong, in the words of a trace: any exception, limit or code becomes one :class:`Failure`.

    our own code  →  what a foreign exception is (``foreign_errors.py``)  →  what its text says  →  internal_error

Of an exception, its group and its causes the first that says something wins; ``internal_error`` is left for what is
truly unknown.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from lango_nb.core.errors import LangoError, ModelError, RefusedError, ToolError, shorten
from lango_nb.core.events import LimitName, LimitReached, Outcome, RecoveryAction
from lango_nb.core.masking import mask
from lango_nb.runtime.foreign_errors import cause_by_kind, cause_by_text, retry_after_s, text_of

ErrorClass = Literal[
    "rate_limit",
    "transient",
    "connection",
    "auth",
    "timeout",
    "malformed_tool_call",
    "tool",
    "loop",
    "empty_after_tool_use",
    "unknown",
]
"""What recovery tells apart."""

LONGEST = 300
"""Characters of an error's text that are kept."""
DEEPEST = 8
"""Causes of causes that are looked at."""


class Failure(NamedTuple):
    """Something that went wrong in a turn."""

    code: str
    """The cause: ``provider_rate_limit``, ``idle_timeout``, ``tool_not_found`` …"""
    outcome: Outcome
    """How a turn ends that does not get over it."""
    error_class: ErrorClass = "unknown"
    detail: str = ""
    """One line: what happened."""
    is_retryable: bool = False
    """Whether the very same attempt may go well a little later."""
    retry_after_s: float = 0.0
    """How long the provider asks to wait; 0 when it does not say."""
    is_advised: bool = False
    """Whether the detail says already what to do."""
    limits: tuple[LimitName, ...] = ()
    """The limits whose end it is."""
    reached: str = ""
    """What is said at the end of such a limit, with places for ``of``, its value, ``used``, and ``what`` was done."""
    action: RecoveryAction | None = None
    """What structured recovery does about it; ``None`` where its class decides."""
    told: str = ""
    """What the person is told to do; empty where its class says enough."""
    next_step: str = ""
    """What the doctor says of a turn that ended with it, behind the command that shows the turn."""

    @property
    def is_provider(self) -> bool:
        """Whether the model's provider failed, and not the agent or its tools."""
        return self.code.startswith("provider_")

    @property
    def is_outage(self) -> bool:
        """Whether a failed model call counts against its provider's circuit; a wrong key or request does not."""
        return self.error_class in {"rate_limit", "transient", "connection", "timeout"}

    @property
    def advice(self) -> str:
        """What the person may do about it, as one sentence; empty when nothing can be said, or was said."""
        return "" if self.is_advised else self.told or _ADVICE.get(self.error_class, "")


_ADVICE: Mapping[ErrorClass, str] = {
    "rate_limit": "The model's provider is busy; wait a little and ask again.",
    "transient": "The model's provider has a problem of its own; ask again in a while.",
    "connection": "The model's provider could not be reached; check the network and ask again.",
    "auth": "The model's provider does not accept the key; check the key and what it may do.",
    "timeout": "It took too long; ask for less at once, or allow more time.",
    "malformed_tool_call": "The model wrote a call that cannot be read; ask again or choose another model.",
    "loop": "It went on without coming to an end; make the request smaller or clearer.",
    "empty_after_tool_use": "Tools ran and nothing was said about them; the trace holds their results.",
}


def _by_code(*rows: Failure) -> dict[str, Failure]:
    return {row.code: row for row in rows}


CODES: Mapping[str, Failure] = _by_code(
    Failure(
        "timeout_hard",
        "timeout",
        "timeout",
        limits=("ceiling",),
        reached="this turn took longer than {of:g} s",
        next_step="ask for less at once, or raise agent.requestTimeout",
    ),
    Failure(
        "idle_timeout",
        "timeout",
        "timeout",
        limits=("idle",),
        reached="nothing happened for {of:g} s",
        next_step="it shows who was silent; ask for less at once, or raise agent.idleTimeout",
    ),
    Failure("run_timeout", "timeout", "timeout"),
    Failure(
        "queue_timeout",
        "timeout",
        "timeout",
        next_step="an earlier turn of its session took too long; look at that one, or raise agent.queueTimeout",
    ),
    Failure("cancelled", "cancelled"),
    Failure("provider_rate_limit", "model_error", "rate_limit", is_retryable=True),
    Failure("provider_transient", "model_error", "transient", is_retryable=True),
    Failure("provider_bad_reply", "model_error", "transient", is_retryable=True),
    Failure("provider_connection", "model_error", "connection", is_retryable=True),
    Failure("provider_cut_stream", "model_error", "connection", is_retryable=True),
    Failure("provider_open", "model_error", "transient"),
    Failure(
        "provider_certificate",
        "model_error",
        "connection",
        told="The provider's certificate is not trusted; check its address and this machine's list.",
    ),
    Failure("provider_auth", "model_error", "auth"),
    Failure(
        "provider_quota",
        "model_error",
        "auth",
        told="The account with the model's provider is used up; check its plan or choose another model.",
    ),
    Failure(
        "provider_bad_request",
        "model_error",
        told="The provider refused the request; check the model's name and the conversation's length.",
    ),
    Failure("thought_signature_missing", "model_error"),
    Failure(
        "network_off",
        "model_error",
        told="Live models are switched off here; take offline or a cassette, or set models.allowNetwork to true.",
    ),
    Failure("cassette_miss", "model_error", told="The recording does not hold this call; record it with a live model."),
    Failure(
        "bad_reply",
        "model_error",
        told="What the model gave is no reply (bad_reply); a model class of your own returns a Reply.",
    ),
    Failure(
        "reply_too_large",
        "model_error",
        told="The model's reply has no sensible size (reply_too_large); ask for less, or choose another model.",
    ),
    Failure("empty_reply", "model_error"),
    Failure(
        "model_error",
        "model_error",
        told="The model failed in a way that is not known here (model_error); ask again, or choose another model.",
        next_step="check the model's name, its key and its provider",
    ),
    Failure(
        "script",
        "model_error",
        told="The script does not hold this call (script); add a line, or ask what it was written for.",
    ),
    Failure("tool_not_found", "tool_error", "tool"),
    Failure("function_call_validation", "tool_error", "malformed_tool_call", is_retryable=True),
    Failure("bad_arguments", "tool_error", "malformed_tool_call", is_retryable=True),
    Failure("bad_argument", "tool_error", "malformed_tool_call", is_retryable=True),
    Failure("missing_argument", "tool_error", "malformed_tool_call", is_retryable=True),
    Failure("orchestrator_direct_tool_call", "tool_error", "tool", action="escalate"),
    Failure(
        "approval_denied",
        "tool_error",
        "tool",
        action="escalate",
        told="A call was refused; say what may be done instead.",
    ),
    Failure(
        "approval_timeout",
        "tool_error",
        "tool",
        action="escalate",
        told="Nobody answered in time whether a call may run; ask again when somebody is there.",
    ),
    Failure(
        "approval_unavailable",
        "tool_error",
        "tool",
        action="escalate",
        told="Nobody is there who could allow a call; ask again where questions can be answered.",
    ),
    Failure("tool_error", "tool_error", "tool", next_step="it shows the call and what came back"),
    Failure(
        "repeated_call_signature",
        "loop_detected",
        "loop",
        limits=("repeats",),
        reached="{what} {of} times in a row with the same arguments; stopped",
        action="retry_with_hint",
        next_step="it shows what was repeated; say in the agent's AGENT.md when to stop",
    ),
    Failure(
        "delegation_cycle",
        "loop_detected",
        "loop",
        limits=("cycle",),
        reached="the same hand-overs came twice and nothing was done between: {what}",
        action="retry_with_hint",
        next_step="it shows who handed over to whom; say in the agents' AGENT.md what is not theirs",
    ),
    Failure(
        "turn_limit_exceeded",
        "limit_reached",
        "loop",
        limits=("steps",),
        reached="this turn may call tools in {of} replies and did not come to an end; ask for less",
        action="direct_answer",
        next_step="it shows what every reply called; ask for less at once, or raise agent.maxTurns",
    ),
    Failure(
        "token_limit_exceeded",
        "limit_reached",
        "loop",
        limits=("tokens",),
        reached="this turn may use {of} tokens and used {used}; ask for less or raise maxTokens",
        action="direct_answer",
        next_step="it shows what was read and written; ask for less, or raise agent.orchestration.budget.maxTokens",
    ),
    Failure(
        "call_limit_exceeded",
        "limit_reached",
        "loop",
        limits=("calls",),
        reached="this turn may call models {of} times and did so; ask for less or raise maxCalls",
        action="direct_answer",
        next_step="it shows what every reply called; ask for less, or raise agent.orchestration.budget.maxCalls",
    ),
    Failure(
        "run_limit_exceeded",
        "limit_reached",
        "loop",
        limits=("runs",),
        reached="this turn may hand over to {of} agents in all and did so; ask for less or raise maxRuns",
        action="direct_answer",
        next_step="it shows who got work; ask for less, or raise agent.orchestration.budget.maxRuns",
    ),
    Failure(
        "reply_cut",
        "limit_reached",
        next_step="it shows where the answer ends; ask to go on, or for a shorter answer",
    ),
    Failure(
        "call_in_text",
        "tool_error",
        "malformed_tool_call",
        told="The model wrote a call into its answer instead of making it; ask again or choose another model.",
        next_step="it shows the call that was written; choose a model that calls tools",
    ),
    Failure(
        "cost_limit_exceeded",
        "limit_reached",
        "loop",
        limits=("cost",),
        reached="this turn may cost ${of:g} and cost ${used:.4g}; ask for less or raise maxCostUsd",
        action="direct_answer",
        next_step="it shows what every reply cost; ask for less, or raise agent.orchestration.budget.maxCostUsd",
    ),
    Failure(
        "delegation_limit",
        "delegation_limit",
        "loop",
        limits=("rounds", "delegations"),
        reached="this turn may hand over {what}; answer with what there is, or ask for less",
        action="direct_answer",
        next_step="it shows who handed over to whom; raise agent.maxDelegationRounds if that was right",
    ),
    Failure(
        "empty_after_tool_use",
        "empty_after_tool_use",
        "empty_after_tool_use",
        action="retry_with_hint",
        next_step="it shows what the tools gave; ask for an answer in words",
    ),
    Failure(
        "internal",
        "internal_error",
        told="This is a fault of the program and not of the request (internal); the trace shows where it came up.",
        next_step="it shows where the fault came up; a hook or a listener of your own may be it, else please report it",
    ),
    Failure(
        "asked_back",
        "input_required",
        next_step="it shows what was asked; say it in the same session",
    ),
    Failure(
        "not_understood",
        "input_required",
        next_step="it shows what was read; ask again in other words, or name the agent",
    ),
    Failure(
        "waiting",
        "input_required",
        next_step="it shows who waits; %lango approvals shows the questions, allow or deny answers them",
    ),
)
"""Every code: its limit, how a turn ends with it, what is done about it, what the person and the doctor say."""
LIMIT_CODES: Mapping[LimitName, str] = {limit: row.code for row in CODES.values() for limit in row.limits}
"""The code of every limit."""


def limit_reached(limit: LimitName, of: float, used: float = 0, what: str = "") -> LimitReached:
    """Say that a limit is reached, in the words of its row.

    Examples
    --------
    >>> limit_reached("tokens", 100, used=120).detail
    'this turn may use 100 tokens and used 120; ask for less or raise maxTokens'
    """
    detail = CODES[LIMIT_CODES[limit]].reached.format(of=of, used=used, what=what)
    return LimitReached(limit=limit, value=float(of), detail=detail)


def next_step_of(outcome: str, code: str) -> str:
    """Return what to do about a turn that failed, to be read behind the command that shows it.

    Parameters
    ----------
    outcome : str
    code : str
        Its error code; where nothing is said of that, the outcome decides.

    Examples
    --------
    >>> next_step_of("timeout", "run_timeout")
    'ask for less at once, or raise agent.requestTimeout'
    """
    rows = [CODES[code]] if code in CODES else []
    rows += [row for row in CODES.values() if row.outcome == outcome]
    return next((row.next_step for row in rows if row.next_step), "it shows what happened")


def failure(code: str, detail: str = "", retry_after_s: float = 0.0) -> Failure:
    """Return the failure of a code.

    Parameters
    ----------
    code : str
        One of :data:`CODES`, or any code of a tool's result: that is a tool's failure.
    detail : str
        One line: what happened; secrets in it are masked.
    retry_after_s : float
        How long to wait before the same is tried again; 0 when unknown.

    Returns
    -------
    Failure

    Examples
    --------
    >>> failure("provider_rate_limit").outcome, failure("outside_workspace").outcome
    ('model_error', 'tool_error')
    """
    known = CODES.get(code, CODES["tool_error"])
    return known._replace(code=code or "tool_error", detail=mask(detail), retry_after_s=retry_after_s)


def classify(error: BaseException) -> Failure:
    """Say what an exception means for a turn.

    Parameters
    ----------
    error : BaseException
        Whatever ended an attempt. Of a group and of a chain of causes, the first exception that says something counts.

    Returns
    -------
    Failure

    Notes
    -----
    An error of ours keeps its code; one that only says that a model failed is looked through for why.

    Examples
    --------
    >>> classify(ConnectionRefusedError("[Errno 111] refused")).code
    'provider_connection'
    >>> classify(ModelError("the model said 5000 words")).code
    'model_error'
    """
    detail = _describe(error)
    if isinstance(error, asyncio.CancelledError | KeyboardInterrupt):
        return failure("cancelled", detail)
    chain = tuple(_chain(error))
    for link in chain:
        if isinstance(link, LangoError):
            if not _is_vague(link):
                return _of_ours(link, detail)
            continue
        code = cause_by_kind(link)
        if code:
            return failure(code, detail, retry_after_s(link))
    for link in chain:
        is_quoting = isinstance(link, LangoError) and link.__cause__ is not None  # its text holds the cause's
        code = "" if is_quoting else cause_by_text(link)
        if code:
            return failure(code, detail)
    return failure("model_error" if isinstance(error, ModelError) else "internal", detail)


def _is_vague(error: LangoError) -> bool:
    """Tell whether an error says only that a model failed; its cause may say more."""
    return isinstance(error, ModelError) and error.code == ModelError.code


def _of_ours(error: LangoError, detail: str) -> Failure:
    """Keep the code of an error of ours, whether or not it is a known one."""
    if error.code in CODES:
        found = failure(error.code, detail)
        if getattr(error, "was_tried_again", False):
            return found._replace(is_retryable=False, is_advised=True)
        return found._replace(is_advised=error.code == "cassette_miss")
    if isinstance(error, ModelError):
        family = "model_error"
    elif isinstance(error, ToolError | RefusedError):
        family = "tool_error"
    else:
        family = "internal"
    return failure(family, detail)._replace(code=error.code)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, or the members of a group, and what caused them, nearest first."""
    waiting, seen = deque([error]), set[int]()
    while waiting and len(seen) < DEEPEST:
        link = waiting.popleft()
        if id(link) in seen:
            continue
        seen.add(id(link))
        if isinstance(link, BaseExceptionGroup):
            waiting.extend(link.exceptions)
        else:
            yield link
        cause = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
        if cause is not None:
            waiting.append(cause)


def _describe(error: BaseException) -> str:
    """Word an exception in one line; ours are sentences, others get their class in front."""
    text = shorten(mask(" ".join(text_of(error).split())), LONGEST)  # masked first: half a secret looks like none
    if isinstance(error, asyncio.CancelledError | KeyboardInterrupt):
        return text or "the turn was cancelled"
    if isinstance(error, LangoError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
