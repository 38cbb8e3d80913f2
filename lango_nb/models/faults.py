"""What goes wrong between us and a provider: one word, one line, and whether the same request is sent again.

    exception of a library ──providers.py──▶ Fault ──Patience──▶ wait and try again, or ModelError

The codes are those a trace knows (``runtime/failures.py``).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from lango_nb.core.errors import ModelError, shorten
from lango_nb.core.masking import mask

LONGEST_WAIT_S = 30.0
"""All waits of one call together; who asks for more is not waited for."""
FIRST_WAIT_S = 0.5
_LONGEST_DETAIL = 200

_TOLD = {
    "provider_rate_limit": ("was refused because of too many requests", "wait a little and ask again"),
    "provider_quota": ("was refused because the account is used up", "check its plan, or take another model"),
    "provider_transient": ("failed at its provider", "ask again in a while, or take another model"),
    "provider_connection": ("could not be reached", "check the address and the network, and that its server runs"),
    "provider_certificate": (
        "was not asked: its certificate is not trusted",
        "check the address and this machine's list",
    ),
    "provider_cut_stream": ("broke off in the middle of its answer", "ask again"),
    "provider_auth": ("does not accept the key", "check the key and what it may do"),
    "provider_bad_request": ("refused the request", "check the model's name and the conversation's length"),
    "provider_bad_reply": ("answered with something that is not a reply", "check the address, or ask again"),
    "empty_reply": ("answered with nothing", "ask again, or put it differently"),
    "content_filter": ("held its answer back", "put it differently"),
    "timeout_hard": ("took too long", "ask for less, or raise models.timeout"),
}
"""What happened and what to do next, by code."""
_CODES = {"content_filter": "provider_bad_request"}
"""Words of ours for codes that a trace has no word of its own for."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A request that failed."""

    code: str
    detail: str = ""
    """What the provider said about it."""
    is_retryable: bool = False
    """Whether sending the same again may go well."""
    retry_after_s: float | None = None
    """How long the provider asks to wait; ``None`` when it does not say."""


class FaultError(Exception):
    """Carries a fault from the library's side to ours; what the library raised is its cause."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.code)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long a call is tried again.

    Parameters
    ----------
    max_retries : int
    longest_s : float
        All waits of one call together.
    first_s : float
        First wait where the provider names none; it doubles.
    jitter : callable
        Gives a number from 0 to 1: a random quarter more, so that calls that failed together come back apart.

    Examples
    --------
    >>> patience = Patience(2, jitter=lambda: 0.0)
    >>> patience.next_wait_s(Fault("provider_rate_limit", is_retryable=True, retry_after_s=7), 0, 0.0)
    7.0
    >>> patience.next_wait_s(Fault("provider_transient", is_retryable=True), 1, 0.5)
    1.0
    >>> patience.next_wait_s(Fault("provider_rate_limit", is_retryable=True, retry_after_s=31), 0, 0.0) is None
    True
    """

    max_retries: int = 2
    longest_s: float = LONGEST_WAIT_S
    first_s: float = FIRST_WAIT_S
    jitter: Callable[[], float] = random.random

    def next_wait_s(self, fault: Fault, retries: int, waited_s: float) -> float | None:
        """Say how long to wait before the same is sent again; ``None`` when it is not.

        Parameters
        ----------
        fault : Fault
        retries : int
            How often it was sent again so far.
        waited_s : float
            How long was waited so far.

        Returns
        -------
        float or None
        """
        if not fault.is_retryable or retries >= self.max_retries:
            return None
        asked = fault.retry_after_s
        wait_s = self.first_s * 2.0**retries * (1 + self.jitter() / 4) if asked is None else float(asked)
        return wait_s if waited_s + wait_s <= self.longest_s else None


def model_error(model: str, fault: Fault, retries: int = 0) -> ModelError:
    """Word a fault.

    Parameters
    ----------
    model : str
        What the model is called.
    fault : Fault
    retries : int
        How often it was tried again.

    Returns
    -------
    ModelError
        One line: the model, what happened, what the provider said, what to do next.

    Examples
    --------
    >>> print(model_error("openai:gpt-5", Fault("provider_auth", "no such key")))
    model 'openai:gpt-5' does not accept the key (no such key); check the key and what it may do
    """
    told, advice = _TOLD.get(fault.code, ("failed", "ask again, or take another model"))
    said = [shorten(mask(" ".join(fault.detail.split())), _LONGEST_DETAIL)] if fault.detail.strip() else []
    if fault.is_retryable and (fault.retry_after_s or 0) >= 1:
        said.append(f"it asks to wait {fault.retry_after_s:g} s")
    if retries:
        said.append(f"tried {retries + 1} times")
    why = f" ({'; '.join(said)})" if said else ""
    error = ModelError(f"model {model!r} {told}{why}; {advice}")
    error.code = _CODES.get(fault.code, fault.code)
    error.was_tried_again = True
    return error
