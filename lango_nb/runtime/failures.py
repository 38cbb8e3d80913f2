"""What went wrong, in the words of a trace: any exception, limit or code becomes one :class:`Failure`.

    our own code  →  what a foreign exception is (``causes.py``)  →  what its text says  →  internal_error

Of an exception, its group and its causes the first that says something wins; ``internal_error`` is left for what is
truly unknown.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from lango_nb.core.errors import LangoError, ModelError, RefusedError, ToolError, shorten
from lango_nb.core.events import LimitName, Outcome
from lango_nb.core.masking import mask
from lango_nb.runtime.causes import cause_by_kind, cause_by_text, retry_after_s, text_of

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


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that went wrong in a turn."""

    code: str
    """The cause: ``provider_rate_limit``, ``idle_timeout``, ``tool_not_found`` …"""
    outcome: Outcome
    """How a turn ends that does not get over it."""
    error_class: ErrorClass
    detail: str = ""
    """One line: what happened."""
    is_retryable: bool = False
    """Whether the very same attempt may go well a little later."""
    retry_after_s: float = 0.0
    """How long the provider asks to wait; 0 when it does not say."""
    is_advised: bool = False
    """Whether the detail says already what to do."""

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
        if self.is_advised:
            return ""
        return _ADVICE.get(self.code) or _ADVICE.get(self.error_class, "")


_ADVICE: Mapping[str, str] = {
    "rate_limit": "The model's provider is busy; wait a little and ask again.",
    "transient": "The model's provider has a problem of its own; ask again in a while.",
    "connection": "The model's provider could not be reached; check the network and ask again.",
    "auth": "The model's provider does not accept the key; check the key and what it may do.",
    "provider_quota": "The account with the model's provider is used up; check its plan or choose another model.",
    "provider_certificate": "The provider's certificate is not trusted; check its address and this machine's list.",
    "provider_bad_request": "The provider refused the request; check the model's name and the conversation's length.",
    "timeout": "It took too long; ask for less at once, or allow more time.",
    "network_off": "Live models are switched off here; take offline or a cassette, or set models.allowNetwork to true.",
    "cassette_miss": "The recording does not hold this call; record it with a live model.",
    "malformed_tool_call": "The model wrote a call that cannot be read; ask again or choose another model.",
    "approval_denied": "A call was refused; say what may be done instead.",
    "approval_timeout": "Nobody answered in time whether a call may run; ask again when somebody is there.",
    "approval_unavailable": "Nobody is there who could allow a call; ask again where questions can be answered.",
    "loop": "It went on without coming to an end; make the request smaller or clearer.",
    "empty_after_tool_use": "Tools ran and nothing was said about them; the trace holds their results.",
}
"""By code or, where the code says no more, by class."""


_Kind = tuple[Outcome, ErrorClass, bool]
CODES: Mapping[str, _Kind] = {
    "timeout_hard": ("timeout", "timeout", False),
    "idle_timeout": ("timeout", "timeout", False),
    "run_timeout": ("timeout", "timeout", False),
    "queue_timeout": ("timeout", "timeout", False),
    "cancelled": ("cancelled", "unknown", False),
    "provider_rate_limit": ("model_error", "rate_limit", True),
    "provider_transient": ("model_error", "transient", True),
    "provider_bad_reply": ("model_error", "transient", True),
    "provider_connection": ("model_error", "connection", True),
    "provider_cut_stream": ("model_error", "connection", True),
    "provider_open": ("model_error", "transient", False),
    "provider_certificate": ("model_error", "connection", False),
    "provider_auth": ("model_error", "auth", False),
    "provider_quota": ("model_error", "auth", False),
    "provider_bad_request": ("model_error", "unknown", False),
    "thought_signature_missing": ("model_error", "unknown", False),
    "network_off": ("model_error", "unknown", False),
    "cassette_miss": ("model_error", "unknown", False),
    "bad_reply": ("model_error", "unknown", False),
    "reply_too_large": ("model_error", "unknown", False),
    "empty_reply": ("model_error", "unknown", False),
    "model_error": ("model_error", "unknown", False),
    "script": ("model_error", "unknown", False),
    "tool_not_found": ("tool_error", "tool", False),
    "function_call_validation": ("tool_error", "malformed_tool_call", True),
    "bad_arguments": ("tool_error", "malformed_tool_call", True),
    "bad_argument": ("tool_error", "malformed_tool_call", True),
    "missing_argument": ("tool_error", "malformed_tool_call", True),
    "orchestrator_direct_tool_call": ("tool_error", "tool", False),
    "approval_denied": ("tool_error", "tool", False),
    "approval_timeout": ("tool_error", "tool", False),
    "approval_unavailable": ("tool_error", "tool", False),
    "tool_error": ("tool_error", "tool", False),
    "repeated_call_signature": ("loop_detected", "loop", False),
    "delegation_cycle": ("loop_detected", "loop", False),
    "turn_limit_exceeded": ("loop_detected", "loop", False),
    "token_limit_exceeded": ("loop_detected", "loop", False),
    "cost_limit_exceeded": ("loop_detected", "loop", False),
    "delegation_limit": ("delegation_limit", "loop", False),
    "empty_after_tool_use": ("empty_after_tool_use", "empty_after_tool_use", False),
    "internal": ("internal_error", "unknown", False),
}
"""Every code with its outcome, its class, and whether the same attempt may go well later."""

LIMIT_CODES: Mapping[LimitName, str] = {
    "rounds": "delegation_limit",
    "delegations": "delegation_limit",
    "steps": "turn_limit_exceeded",
    "repeats": "repeated_call_signature",
    "cycle": "delegation_cycle",
    "idle": "idle_timeout",
    "ceiling": "timeout_hard",
    "tokens": "token_limit_exceeded",
    "cost": "cost_limit_exceeded",
}
"""The code of every limit."""


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
    outcome, error_class, is_retryable = CODES.get(code, CODES["tool_error"])
    return Failure(code or "tool_error", outcome, error_class, mask(detail), is_retryable, retry_after_s)


def limit_failure(limit: LimitName, detail: str = "") -> Failure:
    """Return the failure of a limit that was reached.

    Parameters
    ----------
    limit : str
        What is limited, as :class:`~lango_nb.core.events.LimitReached` names it.
    detail : str

    Returns
    -------
    Failure

    Examples
    --------
    >>> limit_failure("repeats").code, limit_failure("idle").outcome
    ('repeated_call_signature', 'timeout')
    """
    return failure(LIMIT_CODES[limit], detail)


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
            return replace(found, is_retryable=False, is_advised=True)
        return replace(found, is_advised=error.code == "cassette_miss")
    if isinstance(error, ModelError):
        family = "model_error"
    elif isinstance(error, ToolError | RefusedError):
        family = "tool_error"
    else:
        family = "internal"
    return replace(failure(family, detail), code=error.code)


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
