"""What is done about a failure: try again, hand it to another agent, answer from what there is, or say that it failed.

    classic       a model call that failed at the provider is tried again, three times in all; everything else ends
    structured    what failed decides, and whether it failed before or after the first hand-over

One :class:`Recovery` belongs to one turn: it remembers how often each class of error was tried again. It decides; the
turn waits, asks and records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from lango_nb.config.settings import RecoverySettings
from lango_nb.core.errors import shorten
from lango_nb.core.events import RecoveryAction
from lango_nb.runtime.failures import ErrorClass, Failure

Mode = Literal["classic", "structured"]

ATTEMPTS = 3
"""Model calls in all, the first one included, where a provider fails in classic mode."""
LONGEST_WAIT_S = 30.0
JITTER_S = 0.5
"""Random part of a wait, so that turns that failed together do not come back together."""

CLASS_LIMITS: Mapping[ErrorClass, int] = {
    "rate_limit": 5,
    "transient": 3,
    "connection": 3,
    "malformed_tool_call": 1,
    "timeout": 3,
}
"""Retries of one turn by class, in structured mode; other classes have ``maxRetries``."""

_PROVIDER: frozenset[ErrorClass] = frozenset({"rate_limit", "transient", "connection"})


class Action(NamedTuple):
    """What to do about a failure."""

    action: RecoveryAction
    attempt: int = 1
    """How often this class failed in the turn, this time included."""
    wait_s: float = 0.0
    """Back-off before it is done."""
    hint: str = ""
    """What to tell the agent that tries again; empty unless it is to go another way."""


class Recovery:
    """What one turn does about its failures.

    Parameters
    ----------
    settings : RecoverySettings
    mode : {"classic", "structured"}
    random : callable, optional
        Gives numbers from 0 up to 1 for the random part of a wait; without it a wait has none.

    Examples
    --------
    >>> from lango_nb.runtime.failures import failure
    >>> recovery = Recovery(RecoverySettings(), "classic")
    >>> [recovery.next_action(failure("provider_rate_limit")).action for _ in range(3)]
    ['retry', 'retry', 'escalate']
    """

    def __init__(self, settings: RecoverySettings, mode: Mode, random: Callable[[], float] | None = None) -> None:
        self._settings = settings
        self._mode = mode
        self._random = random
        self._failures: dict[ErrorClass, int] = {}
        self._retries = 0

    @property
    def retries(self) -> int:
        """Attempts that were made again so far, of all classes."""
        return self._retries

    def next_action(
        self,
        failure: Failure,
        *,
        failed_agent: str = "",
        after_handover: bool = False,
        has_partial: bool = False,
        request: str = "",
    ) -> Action:
        """Decide about one failure.

        Parameters
        ----------
        failure : Failure
        failed_agent : str
            Who was at work; empty when unknown.
        after_handover : bool
            Whether a specialist was at work, and not the root before its first hand-over.
        has_partial : bool
            Whether something was gathered that could be an answer.
        request : str
            What the user wanted; a hint carries it.

        Returns
        -------
        Action
        """
        attempt = self._failures.get(failure.error_class, 0) + 1
        self._failures[failure.error_class] = attempt
        wanted = self._wanted(failure, failed_agent if after_handover else "")
        if wanted in {"retry", "retry_with_hint"}:
            if not self._may_retry(failure.error_class, attempt):
                wanted = "direct_answer"
            else:
                self._retries += 1
                if wanted == "retry":
                    return Action("retry", attempt, self._wait_s(failure, attempt))
                agent = failed_agent if after_handover else ""
                return Action("retry_with_hint", attempt, hint=reroute_hint(agent, failure.detail, request))
        if wanted == "direct_answer" and (self._mode == "classic" or not has_partial):
            wanted = "escalate"
        return Action(wanted, attempt)

    def _wanted(self, failure: Failure, specialist: str) -> RecoveryAction:
        """Choose by what failed, whatever was tried before."""
        if self._mode == "classic":
            return "retry" if failure.is_retryable and failure.error_class in _PROVIDER else "escalate"
        if failure.action is not None:
            return failure.action
        if failure.error_class in _PROVIDER or failure.error_class == "malformed_tool_call":
            return "retry" if failure.is_retryable else "escalate"
        if failure.error_class == "tool":
            return "retry_with_hint" if specialist else "retry"
        return "retry_with_hint" if failure.error_class == "loop" else "escalate"

    def _may_retry(self, error_class: ErrorClass, attempt: int) -> bool:
        if self._mode == "classic":
            return self._retries < ATTEMPTS - 1
        limit = CLASS_LIMITS.get(error_class, self._settings.max_retries)
        return attempt <= limit and self._retries < max(self._settings.max_retries, limit)

    def _wait_s(self, failure: Failure, attempt: int) -> float:
        """Wait for a provider to get well; a call that was written wrongly need not wait."""
        if failure.error_class not in _PROVIDER:
            return 0.0
        doubled = self._settings.base_delay_s * 2.0 ** min(attempt - 1, 10)
        jitter = self._random() * JITTER_S if self._random is not None else 0.0
        return min(max(doubled + jitter, failure.retry_after_s), LONGEST_WAIT_S)


def reroute_hint(failed_agent: str, detail: str, request: str) -> str:
    """Word what the root is told when it tries again another way.

    Parameters
    ----------
    failed_agent : str
        Who failed; empty when no agent in particular did.
    detail : str
        What happened.
    request : str
        What the user wanted.

    Returns
    -------
    str

    Examples
    --------
    >>> print(reroute_hint("vault", "fs_read failed: no such file.", "sign notes.md"))
    vault failed at this: fs_read failed: no such file. Do not give it to vault again: choose another agent, or answer
    from what you already have. The request was: sign notes.md
    """
    what = shorten(" ".join(detail.split()), 300).rstrip(".") or "it came to no result"
    if failed_agent:
        first = f"{failed_agent} failed at this: {what}. Do not give it to {failed_agent} again: choose another agent"
    else:
        first = f"The previous attempt failed: {what}. Do not repeat it: go another way"
    carried = f" The request was: {request}" if request else ""
    return f"{first}, or answer from what you already have.{carried}"
