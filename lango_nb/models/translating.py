"""What pydantic-ai raises and replies, in our words; its classes are told by their names, so it is not imported."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from lango_nb.models.faults import Fault, FaultError

_CODES = {
    "ContentFilterError": "content_filter",
    "UnexpectedModelBehavior": "provider_bad_reply",
    "ModelQuotaExceededError": "provider_quota",
    "ModelRateLimitError": "provider_rate_limit",
    "ModelUnavailableError": "provider_transient",
    "ModelServerError": "provider_transient",
    "ModelTimeoutError": "timeout_hard",
    "ModelRequestTimeout": "timeout_hard",
    "ModelConnectionError": "provider_connection",
    "ModelAuthenticationError": "provider_auth",
    "ModelRequestRejectedError": "provider_bad_request",
    "ModelHTTPError": "provider_bad_request",
    "ModelAPIError": "provider_bad_reply",
    "UserError": "provider_bad_request",
    "LookupError": "empty_reply",
    "TimeoutError": "timeout_hard",
    "OSError": "provider_connection",
}
"""Codes by class; of an exception's own class and those above it, the first of this list counts."""
_RETRYABLE = frozenset({"provider_rate_limit", "provider_transient", "provider_connection", "provider_cut_stream"})
"""What a request that is sent again may get over. One that took too long may have been worked on, and be paid for."""
_NOT_SENT = frozenset({"connect", "pool"})
_DEEPEST = 8


@contextmanager
def translated(is_silent: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Turn what the libraries raise into a fault; what none of them means is passed on.

    Parameters
    ----------
    is_silent : callable
        Tells whether no word of the answer came yet; only then is the request sent again.

    Raises
    ------
    lango_nb.models.faults.FaultError
        Caused by what was raised.
    """
    try:
        yield
    except Exception as error:
        fault = fault_of(error)
        if fault is None:
            raise
        if not is_silent():
            code = "provider_cut_stream" if fault.code == "provider_connection" else fault.code
            fault = dataclasses.replace(fault, code=code, is_retryable=False)
        elif fault.code == "provider_cut_stream" and "finish_reason" in str(error):
            fault = Fault("empty_reply", "the stream ended without a word")
        raise FaultError(fault) from error


def fault_of(error: Exception) -> Fault | None:
    """Say what an exception of a provider's library is.

    Parameters
    ----------
    error : Exception

    Returns
    -------
    Fault or None
        ``None`` for what no library of a provider means to raise.
    """
    names = {kind.__name__ for kind in type(error).__mro__}
    code = next((code for name, code in _CODES.items() if name in names), "")
    if not code or isinstance(error, FaultError):
        return None
    if code == "empty_reply":
        return Fault(code, "no choices in the reply")
    detail = _said(error)
    if code == "timeout_hard" and getattr(error, "phase", None) in _NOT_SENT:
        code = "provider_connection"
    elif code == "provider_connection":
        code, detail = _of_connection(error)
    elif code == "provider_bad_reply" and "finish_reason" in detail:
        code = "provider_cut_stream"
    hint = getattr(error, "provider_retry_hint", None)
    asked = getattr(error, "retry_after", None)
    may_retry = code in _RETRYABLE and hint is not False
    return Fault(code, detail, may_retry, asked if isinstance(asked, int | float) else None)


def _of_connection(error: Exception) -> tuple[str, str]:
    """Tell what broke, and take the words of what knows best: the nearest to the network."""
    causes: list[BaseException] = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None and len(causes) < _DEEPEST:
        causes.append(cause)
    detail = next((text for cause in reversed(causes) if (text := str(cause).strip())), "")
    if any("CERTIFICATE_VERIFY" in str(cause) or "CertVerif" in type(cause).__name__ for cause in causes):
        return "provider_certificate", detail
    return ("provider_cut_stream" if getattr(error, "phase", None) == "read" else "provider_connection"), detail


def _said(error: Exception) -> str:
    """Return what the provider itself said, else the library's sentence; a page is not repeated."""
    status = getattr(error, "status_code", None)
    body = getattr(error, "body", None)
    if isinstance(body, str) and body.lstrip().startswith("{"):
        with suppress(ValueError):
            body = json.loads(body)
    inner = body.get("error") or body.get("Error") or body if isinstance(body, dict) else body
    if isinstance(inner, dict):
        words = (inner.get(name) for name in ("message", "Message", "error"))
        inner = next((word for word in words if isinstance(word, str)), "")
    said = inner
    text = " ".join(str(said or ("" if status else getattr(error, "message", None) or error)).split())
    if "<html" in text.lower() or "<!doctype" in text.lower():
        text = "a page of HTML"
    return ": ".join(part for part in (f"status {status}" if status else "", text) if part)


def check_silence(response: Any) -> None:
    """Refuse a reply without a word that says why it is silent; one that just ended is for the runtime to judge.

    Parameters
    ----------
    response : pydantic_ai.messages.ModelResponse

    Raises
    ------
    lango_nb.models.faults.FaultError
    """
    if response.finish_reason == "content_filter":
        raise FaultError(Fault("content_filter", str((response.provider_details or {}).get("refusal") or "")))
    if response.finish_reason == "length":
        raise FaultError(Fault("empty_reply", "it reached its longest answer before its first word"))


def cost_usd(response: Any, *, is_own: bool) -> float | None:
    """Price a reply.

    Parameters
    ----------
    response : pydantic_ai.messages.ModelResponse
    is_own : bool
        Whether the provider's own server was asked: a model of the same name on another may cost anything.

    Returns
    -------
    float or None
        Dollars; ``None`` when nobody knows the price.
    """
    known = response if is_own else dataclasses.replace(response, provider_name="somebody else")
    try:
        return float(known.cost().total_price)
    except (LookupError, ValueError, AssertionError):
        return None
