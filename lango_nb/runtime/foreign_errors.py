"""What foreign exceptions say: their HTTP status, a provider's own word, the name of their class, at last their text.

No library is imported to be recognised: OpenAI's, Anthropic's, Google's and Amazon's clients, httpx, requests, aiohttp,
urllib and Python's own exceptions are told by what they carry and are called.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator, Mapping
from functools import cache

CLIENT_ERRORS, SERVER_ERRORS, NO_STATUS = 400, 500, 600
"""First status of both kinds of HTTP errors, and the first number beyond."""
BAD_REQUEST = 400
LONGEST_TEXT = 3000
"""Characters of a text that are searched."""

_BY_STATUS: Mapping[int, str] = {
    401: "provider_auth",
    402: "provider_quota",
    403: "provider_auth",
    407: "provider_auth",
    408: "provider_transient",
    409: "provider_transient",
    425: "provider_transient",
    429: "provider_rate_limit",
}


def _spread(words_by_code: Mapping[str, str]) -> dict[str, str]:
    return {word: code for code, words in words_by_code.items() for word in words.split()}


_BY_WORD: Mapping[str, str] = _spread(
    {
        "provider_auth": """
        authentication_error invalid_api_key permission_error permission_denied unauthenticated accessdeniedexception
        unrecognizedclientexception""",
        "provider_quota": "insufficient_quota billing_error billing_hard_limit_reached",
        "provider_rate_limit": "rate_limit_error rate_limit_exceeded resource_exhausted throttlingexception",
        "provider_transient": """
        api_error overloaded_error server_error service_unavailable unavailable internal_server_error
        serviceunavailableexception internalserverexception""",
        "provider_bad_request": """
        context_length_exceeded content_filter invalid_request_error model_not_found not_found_error request_too_large
        invalid_argument validationexception""",
        "timeout_hard": "timeout_error deadline_exceeded modeltimeoutexception",
    }
)
"""Words that providers put into an error's ``code``, ``type``, ``status`` or body."""

_BY_NAME: Mapping[str, str] = _spread(
    {
        "provider_rate_limit": "RateLimitError RateLimitExceeded TooManyRequests ResourceExhausted ThrottlingException",
        "provider_auth": """
        AuthenticationError PermissionDeniedError PermissionDenied Unauthenticated Unauthorized Forbidden
        NoCredentialsError RefreshError DefaultCredentialsError""",
        "provider_transient": """
        InternalServerError ServiceUnavailable ServiceUnavailableError OverloadedError BadGateway GatewayTimeout
        ServerError ConflictError ContentTypeError""",
        "provider_cut_stream": """
        IncompleteReadError IncompleteRead RemoteProtocolError ReadError CloseError ChunkedEncodingError
        ClientPayloadError ServerDisconnectedError RemoteDisconnected SSLEOFError SSLZeroReturnError ProtocolError""",
        "provider_certificate": "SSLCertVerificationError ClientConnectorCertificateError CertificateError",
        "provider_connection": """
        ConnectTimeout ConnectTimeoutError ConnectionTimeoutError APIConnectionError ConnectError ConnectionError
        ClientConnectionError NetworkError ProxyError WriteError EndpointConnectionError SSLError gaierror herror
        NameResolutionError NewConnectionError MaxRetryError ServiceRequestError""",
        "provider_bad_reply": "JSONDecodeError UnicodeDecodeError DecodingError APIResponseValidationError",
        "provider_bad_request": """
        BadRequestError InvalidRequestError NotFoundError UnprocessableEntityError BadRequest InvalidArgument
        RequestTooLargeError ContextWindowExceededError UnsupportedProtocol InvalidURL""",
        "timeout_hard": """
        TimeoutError APITimeoutError TimeoutException Timeout ReadTimeout ReadTimeoutError WriteTimeout PoolTimeout
        DeadlineExceeded ServerTimeoutError""",
    }
)
"""Classes of exceptions; of an exception's own class and those above it, the nearest that is listed counts."""

_UNREACHABLE = frozenset(
    {
        errno.ECONNREFUSED,
        errno.ECONNRESET,
        errno.EHOSTUNREACH,
        errno.ENETDOWN,
        errno.ENETUNREACH,
        errno.EPIPE,
        errno.ETIMEDOUT,
    }
)
"""System errors that say that nobody was reached, a connection attempt that timed out among them."""

_BUGS = (ArithmeticError, AssertionError, AttributeError, ImportError, LookupError, NameError, SyntaxError, TypeError)
"""Exceptions that tell of a mistake in a program; words in their text say nothing about a provider."""


def cause_by_kind(error: BaseException) -> str:
    """Read an exception by its status, its provider's word, its system error or its class.

    Parameters
    ----------
    error : BaseException

    Returns
    -------
    str
        A code of ``failures.CODES``; empty when nothing tells.

    Examples
    --------
    >>> cause_by_kind(TimeoutError()), cause_by_kind(ValueError("429"))
    ('timeout_hard', '')
    """
    if not isinstance(error, Exception):
        return ""
    word = next((_BY_WORD[word] for word in _words(error) if word in _BY_WORD), "")
    status = _status(error)
    # a word says more than "bad request"; a spent quota comes as 429, and no waiting helps
    if word and (status in {0, BAD_REQUEST} or word == "provider_quota"):
        return word
    if status:
        return _code_of_status(status)
    if _get(error, "errno") in _UNREACHABLE:
        return "provider_connection"
    return next((_BY_NAME[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in _BY_NAME), "")


def cause_by_text(error: BaseException) -> str:
    """Read an exception by its words, the last resort.

    Parameters
    ----------
    error : BaseException

    Returns
    -------
    str
        A code of ``failures.CODES``; empty when nothing tells.

    Notes
    -----
    A number counts only where it can be a status: not as a part of a longer one, nor with a unit behind it.

    Examples
    --------
    >>> cause_by_text(RuntimeError("HTTP 500")), cause_by_text(RuntimeError("5000")), cause_by_text(KeyError("timeout"))
    ('provider_transient', '', '')
    """
    if isinstance(error, _BUGS) or not isinstance(error, Exception):
        return ""
    text = text_of(error)
    return next((code for code, pattern in _patterns() if pattern.search(text)), "")


def retry_after_s(error: BaseException) -> float:
    """Return the seconds a provider asks to wait; 0 when it does not say, or says a date."""
    headers = _get(_get(error, "response"), "headers") or _get(error, "headers")
    for name, per_second in (("retry-after-ms", 1000), ("retry-after", 1), ("Retry-After", 1)):
        try:
            value = headers.get(name)  # type: ignore[attr-defined] # anything may stand there
            seconds = float(value) / per_second
        except Exception:  # noqa: BLE001, S112 - whatever a foreign object does, it does not say how long
            continue
        return seconds if 0 < seconds < float("inf") else 0.0
    return 0.0


def text_of(error: BaseException) -> str:
    """Return an exception's own words; empty when it fails even at that."""
    try:
        return str(error)[:LONGEST_TEXT]
    except Exception:  # noqa: BLE001 - a foreign __str__ may raise anything
        return ""


def _code_of_status(status: int) -> str:
    return _BY_STATUS.get(status) or ("provider_transient" if status >= SERVER_ERRORS else "provider_bad_request")


def _status(error: Exception) -> int:
    """Return the HTTP status of an error; 0 when there is none."""
    response = _get(error, "response")
    for value in (
        *(_get(error, name) for name in ("status_code", "status", "http_status", "code")),
        *(_get(response, name) for name in ("status_code", "status")),
        _inside(response, "ResponseMetadata", "HTTPStatusCode"),
    ):
        number = int(value) if isinstance(value, str) and value.isdecimal() and len(value) < 5 else value  # noqa: PLR2004
        if isinstance(number, int) and CLIENT_ERRORS <= number < NO_STATUS:
            return int(number)
    return 0


def _words(error: Exception) -> Iterator[str]:
    """Yield what a provider calls the error, in lower case."""
    body, response = _get(error, "body"), _get(error, "response")
    for value in (
        *(_get(error, name) for name in ("code", "type", "status")),
        _inside(body, "code"),
        *(_inside(body, "error", name) for name in ("code", "type", "status")),
        _inside(body, "type"),
        _inside(response, "Error", "Code"),
    ):
        if isinstance(value, str):
            yield value.lower()


def _get(holder: object, name: str) -> object:
    """Read an attribute of a foreign object; a property of one may raise anything."""
    try:
        return getattr(holder, name, None)
    except Exception:  # noqa: BLE001 - see above
        return None


def _inside(value: object, *keys: str) -> object:
    for key in keys:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def _number(statuses: str) -> str:
    return (
        rf"(?<![\w.,$#-])(?:{statuses})(?![\w%]|[.,]\d"
        r"|\s*(?:ms|s|seconds?|k|tokens?|char\w*|bytes?|items?|lines?|words?|rows?|files?|times)\b)"
    )


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Compile the texts when the first is read; the first that matches wins."""
    written = (
        ("turn_limit_exceeded", r"\b(?:maximum turn limit|max turns exceeded)\b"),
        ("repeated_call_signature", r"\bconsecutively, forcing stop\b"),
        ("thought_signature_missing", r"thought_?signature"),
        ("tool_not_found", r"\b(?:tool not found|failed to find tool)\b"),
        ("orchestrator_direct_tool_call", r"\borchestrator emitted direct tool call\b"),
        ("function_call_validation", r"\b(?:function calls?|failed to parse tool output)\b"),
        ("provider_quota", r"\b(?:insufficient[ _]quota|exceeded your current quota)\b"),
        ("provider_rate_limit", _number("429")),
        ("provider_rate_limit", r"\b(?:rate[ _-]?limit(?:s|ed|ing)?|too many requests)\b"),
        ("provider_transient", _number("500|502|503|504|529")),
        ("provider_transient", r"\b(?:transient|overloaded|internal server error|service unavailable|bad gateway)\b"),
        ("provider_auth", _number("401|403")),
        ("provider_auth", r"\b(?:unauthori[sz]ed|invalid[ _]api[ _]key|authentication failed)\b"),
        ("provider_connection", r"\bconnection (?:refused|reset|aborted|error)\b"),
        ("provider_connection", r"\b(?:no such host|name or service not known|getaddrinfo failed|dial tcp)\b"),
        ("provider_connection", r"\bnetwork is unreachable\b"),
        ("timeout_hard", r"\b(?:time(?:d|s)?[ -]?outs?|deadline exceeded)\b"),
        ("provider_cut_stream", r"\b(?:incomplete (?:chunked )?read|unexpected eof|premature(?:ly)?)\b"),
        ("provider_cut_stream", r"\bstream (?:was )?(?:cut|closed|interrupted)\b"),
        ("provider_cut_stream", r"\b(?:peer closed connection|server disconnected)\b"),
    )
    return tuple((code, re.compile(pattern, re.IGNORECASE)) for code, pattern in written)
