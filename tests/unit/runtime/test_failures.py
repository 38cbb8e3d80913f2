"""Every way to fail has a code, an outcome and a class; ``internal_error`` is for what nobody knows."""

from __future__ import annotations

import asyncio
import errno
import http.client
import json
import re
import socket
import ssl
import subprocess
import sys
import urllib.error
from email.message import Message as Headers
from http import HTTPStatus
from types import SimpleNamespace
from typing import Any, get_args

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.errors import LangoError, ModelError, RefusedError, ScriptError, ToolError, TurnError
from lango_nb.core.events import OUTCOMES, LimitName
from lango_nb.runtime import foreign_errors
from lango_nb.runtime.failures import CODES, LIMIT_CODES, ErrorClass, classify, failure, next_step_of
from tests.calls import assert_linear


def foreign(name: str, *above: str, text: str = "", base: type[Exception] = Exception, **values: Any) -> Exception:
    """Make an exception as a library would raise it: a class of that name below others, with these attributes."""
    kind: Any = base
    for each in reversed((name, *above)):
        kind = type(each, (kind,), {})
    error: Exception = kind(text)
    for attribute, value in values.items():
        setattr(error, attribute, value)
    return error


def answered(status: int, **headers: str) -> SimpleNamespace:
    return SimpleNamespace(status_code=status, headers={name.replace("_", "-"): text for name, text in headers.items()})


def httpx_status(status: int, **headers: str) -> Exception:
    return foreign("HTTPStatusError", "HTTPError", text=f"Error '{status}'", response=answered(status, **headers))


def openai(name: str, status: int, code: str = "", kind: str = "") -> Exception:
    above = ("APIStatusError", "APIError", "OpenAIError")
    return foreign(name, *above, status_code=status, response=answered(status), code=code or None, type=kind or None)


def anthropic(name: str, status: int, kind: str) -> Exception:
    body = {"type": "error", "error": {"type": kind, "message": "…"}}
    return foreign(name, "APIStatusError", "APIError", "AnthropicError", status_code=status, body=body)


def botocore(code: str, status: int) -> Exception:
    response = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return foreign("ClientError", text=f"An error occurred ({code})", response=response)


def of_model(cause: BaseException, text: str = "model 'x' failed: see the cause") -> ModelError:
    error = ModelError(text)
    error.__cause__ = cause
    return error


def coded(error: LangoError, code: str) -> LangoError:
    error.code = code
    return error


def not_json() -> Exception:
    try:
        json.loads("<html>502 Bad Gateway</html>")
    except json.JSONDecodeError as error:
        return error
    raise AssertionError


def while_handling(first: Exception, second: Exception) -> Exception:
    second.__context__ = first
    return second


TABLE: list[tuple[str, BaseException, str]] = [
    # status codes, wherever a library keeps them
    ("httpx 429", httpx_status(429), "provider_rate_limit"),
    ("httpx 500", httpx_status(500), "provider_transient"),
    ("httpx 503", httpx_status(503), "provider_transient"),
    ("httpx 504", httpx_status(504), "provider_transient"),
    ("httpx 529", httpx_status(529), "provider_transient"),
    ("httpx 408", httpx_status(408), "provider_transient"),
    ("httpx 401", httpx_status(401), "provider_auth"),
    ("httpx 403", httpx_status(403), "provider_auth"),
    ("httpx 402", httpx_status(402), "provider_quota"),
    ("httpx 400", httpx_status(400), "provider_bad_request"),
    ("httpx 404", httpx_status(404), "provider_bad_request"),
    ("aiohttp 503", foreign("ClientResponseError", "ClientError", status=503), "provider_transient"),
    ("a status in words", foreign("APIError", code="429"), "provider_rate_limit"),
    ("a status of the enumeration", foreign("APIError", status=HTTPStatus.BAD_GATEWAY), "provider_transient"),
    ("urllib 503", urllib.error.HTTPError("http://x", 503, "busy", Headers(), None), "provider_transient"),
    # providers' own words
    ("openai rate limit", openai("RateLimitError", 429, "rate_limit_exceeded", "tokens"), "provider_rate_limit"),
    ("openai quota", openai("RateLimitError", 429, "insufficient_quota", "insufficient_quota"), "provider_quota"),
    ("openai key", openai("AuthenticationError", 401, "invalid_api_key", "invalid_request_error"), "provider_auth"),
    ("openai too long", openai("BadRequestError", 400, "context_length_exceeded"), "provider_bad_request"),
    ("anthropic overloaded", anthropic("OverloadedError", 529, "overloaded_error"), "provider_transient"),
    ("anthropic in a stream", anthropic("APIStatusError", 200, "overloaded_error"), "provider_transient"),
    ("anthropic rate limit in a stream", anthropic("APIStatusError", 200, "rate_limit_error"), "provider_rate_limit"),
    ("anthropic gateway", anthropic("InternalServerError", 504, "timeout_error"), "provider_transient"),
    ("google", foreign("ClientError", code=429, status="RESOURCE_EXHAUSTED"), "provider_rate_limit"),
    ("google by word", foreign("APIError", status="UNAVAILABLE"), "provider_transient"),
    ("amazon throttling", botocore("ThrottlingException", 400), "provider_rate_limit"),
    ("amazon key", botocore("UnrecognizedClientException", 403), "provider_auth"),
    # names of classes
    ("openai connection", foreign("APIConnectionError", "APIError"), "provider_connection"),
    ("openai time-out", foreign("APITimeoutError", "APIConnectionError", "APIError"), "timeout_hard"),
    ("httpx read time-out", foreign("ReadTimeout", "TimeoutException", "TransportError"), "timeout_hard"),
    ("httpx connect time-out", foreign("ConnectTimeout", "TimeoutException"), "provider_connection"),
    ("httpx connect", foreign("ConnectError", "NetworkError", "TransportError"), "provider_connection"),
    ("httpx cut", foreign("RemoteProtocolError", "ProtocolError", "TransportError"), "provider_cut_stream"),
    ("httpx read", foreign("ReadError", "NetworkError", "TransportError"), "provider_cut_stream"),
    ("requests time-out", foreign("ReadTimeout", "Timeout", base=OSError), "timeout_hard"),
    ("requests connection", foreign("ConnectionError", "RequestException", base=OSError), "provider_connection"),
    ("requests cut", foreign("ChunkedEncodingError", "RequestException", base=OSError), "provider_cut_stream"),
    ("aiohttp cut", foreign("ClientPayloadError", "ClientError"), "provider_cut_stream"),
    ("aiohttp gone", foreign("ServerDisconnectedError", "ClientConnectionError"), "provider_cut_stream"),
    ("google by class", foreign("ResourceExhausted", "GoogleAPICallError"), "provider_rate_limit"),
    # Python's own
    ("time-out", TimeoutError(), "timeout_hard"),
    ("connect timed out", TimeoutError(errno.ETIMEDOUT, "Connection timed out"), "provider_connection"),
    ("refused", ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"), "provider_connection"),
    ("reset", ConnectionResetError(errno.ECONNRESET, "reset by peer"), "provider_connection"),
    ("broken pipe", BrokenPipeError(), "provider_connection"),
    ("unreachable", OSError(errno.ENETUNREACH, "Network is unreachable"), "provider_connection"),
    ("no such host", socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "provider_connection"),
    ("bad certificate", ssl.SSLCertVerificationError(1, "self-signed certificate"), "provider_certificate"),
    ("tls", ssl.SSLError(1, "handshake failure"), "provider_connection"),
    ("tls cut", ssl.SSLEOFError(8, "EOF occurred in violation of protocol"), "provider_cut_stream"),
    ("body cut", http.client.IncompleteRead(b"ab", 10), "provider_cut_stream"),
    ("stream cut", asyncio.IncompleteReadError(b"ab", 10), "provider_cut_stream"),
    ("gone before it answered", http.client.RemoteDisconnected("closed"), "provider_cut_stream"),
    ("no JSON", not_json(), "provider_bad_reply"),
    ("no text", UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "provider_bad_reply"),
    ("cancelled", asyncio.CancelledError(), "cancelled"),
    ("interrupted", KeyboardInterrupt(), "cancelled"),
    # words, the last resort
    ("429 in words", RuntimeError("429 Too Many Requests"), "provider_rate_limit"),
    ("rate limit in words", RuntimeError("Rate limit reached for gpt"), "provider_rate_limit"),
    ("500 in words", RuntimeError("provider answered with HTTP 500"), "provider_transient"),
    ("503 in brackets", RuntimeError("failed (503)"), "provider_transient"),
    ("502 with a colon", RuntimeError("status:502: try later"), "provider_transient"),
    ("auth in words", RuntimeError("Invalid API key given"), "provider_auth"),
    ("quota in words", RuntimeError("You exceeded your current quota, please check your plan"), "provider_quota"),
    ("connection in words", RuntimeError("dial tcp 10.0.0.1:443: connect: connection refused"), "provider_connection"),
    ("time-out in words", RuntimeError("the request timed out"), "timeout_hard"),
    ("deadline in words", RuntimeError("context deadline exceeded"), "timeout_hard"),
    (
        "cut in words",
        RuntimeError("peer closed connection without sending complete message body"),
        "provider_cut_stream",
    ),
    ("thought signature", RuntimeError("Function call is missing a thought_signature"), "thought_signature_missing"),
    ("tool in words", RuntimeError("failed to find tool: fs_raed"), "tool_not_found"),
    ("function call", RuntimeError("malformed function call"), "function_call_validation"),
    # ours
    ("a model's failure", ModelError("it does not answer"), "model_error"),
    ("a model's code", coded(ModelError("busy"), "provider_rate_limit"), "provider_rate_limit"),
    ("a model's own code", coded(ModelError("timeout 500"), "cassette_is_over"), "cassette_is_over"),
    ("a script", ScriptError("the script has 2 replies"), "script"),
    ("a tool's code", ToolError("no such file: timeout-500.txt", "not_found"), "not_found"),
    ("a tool's failure", ToolError("rate limit of the door"), "tool_error"),
    ("refused by a guard", RefusedError("outside the workspace"), "refused"),
    # causes
    ("of a model", of_model(httpx_status(429)), "provider_rate_limit"),
    ("of a model, by name", of_model(ConnectionRefusedError()), "provider_connection"),
    ("of a model, by word", of_model(RuntimeError("503 Service Unavailable")), "provider_transient"),
    ("of a cause", of_model(of_model(foreign("RateLimitError"))), "provider_rate_limit"),
    ("while another was handled", while_handling(httpx_status(503), ValueError("no body")), "provider_transient"),
    ("of a group", ExceptionGroup("two", [ValueError("a"), ExceptionGroup("b", [httpx_status(401)])]), "provider_auth"),
    ("a model's own mistake", of_model(AttributeError("no attribute 'timeout'")), "model_error"),
    (
        "a mistake that is quoted",
        of_model(AttributeError("'timeout'"), "model 'x' failed: AttributeError: 'timeout'"),
        "model_error",
    ),
    ("a model that cancels itself", of_model(asyncio.CancelledError()), "model_error"),
]


@pytest.mark.parametrize(("error", "code"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_an_exception_has_a_code(error: BaseException, code: str) -> None:
    found = classify(error)
    assert found.code == code
    assert found.outcome != "internal_error"
    if code in CODES:
        known = CODES[code]
        assert (found.outcome, found.error_class, found.is_retryable) == (
            known.outcome, known.error_class, known.is_retryable,
        )  # fmt: skip


@pytest.mark.parametrize(
    "error",
    [
        ValueError("nobody knows"),
        ZeroDivisionError("division by zero"),
        KeyError("timeout"),
        AttributeError("'Deadline' object has no attribute 'timeout'"),
        TypeError("got an unexpected keyword argument 'rate_limit'"),
        RecursionError("maximum recursion depth exceeded"),
        FileNotFoundError(errno.ENOENT, "No such file", "a.txt"),
        ExceptionGroup("one", [ValueError("a")]),
        Exception(),
        SystemExit(429),
    ],
    ids=lambda error: type(error).__name__,
)
def test_only_what_nobody_knows_is_internal(error: BaseException) -> None:
    found = classify(error)
    assert (found.code, found.outcome, found.error_class, found.is_retryable) == (
        "internal",
        "internal_error",
        "unknown",
        False,
    )


@pytest.mark.parametrize(
    "text",
    [
        "wrote 5000 words",
        "500 tokens left",
        "line 12.500 of 1,500",
        "took 429ms",
        "$500",
        "file500.txt",
        "error-500x",
        "v1.503",
        "the 503 files",
        "port-401",
        "prorated limits",
        "we met at noon",
        "functional calls",
    ],
)
def test_a_number_or_a_syllable_in_a_text_is_no_cause(text: str) -> None:
    assert classify(RuntimeError(text)).code == "internal"
    assert classify(ModelError(text)).code == "model_error"


def test_an_error_of_ours_that_belongs_to_no_family_keeps_its_code() -> None:
    found = classify(TurnError("run arun-1 is already completed"))
    assert (found.code, found.outcome, found.detail) == ("turn", "internal_error", "run arun-1 is already completed")
    assert classify(coded(TurnError("waited 300 s"), "queue_timeout")).outcome == "timeout"


def test_what_another_library_says_about_waiting_is_kept() -> None:
    assert classify(httpx_status(429, retry_after="7")).retry_after_s == 7
    assert classify(of_model(httpx_status(503, retry_after_ms="1500"))).retry_after_s == 1.5
    for said in ("Wed, 21 Oct 2026 07:28:00 GMT", "-3", "nan", "inf", ""):
        assert classify(httpx_status(429, retry_after=said)).retry_after_s == 0


def test_the_detail_is_one_short_line_that_names_the_class() -> None:
    found = classify(ValueError("two\nlines   and " + "x" * 1000))
    assert found.detail.startswith("ValueError: two lines and x")
    assert "\n" not in found.detail
    assert len(found.detail) < 350
    assert classify(ValueError()).detail == "ValueError"
    assert classify(ModelError("it sleeps")).detail == "it sleeps"
    assert classify(asyncio.CancelledError()).detail


class HostileError(Exception):
    """Fails at everything it is asked."""

    def __str__(self) -> str:
        raise RuntimeError("not even that")

    @property
    def response(self) -> object:
        raise RuntimeError("the request was never set")

    @property
    def code(self) -> object:
        return self.response

    @property
    def headers(self) -> object:
        return self.response


def test_an_exception_that_fails_itself_is_classified_all_the_same() -> None:
    assert classify(HostileError()).detail == "HostileError"
    assert classify(of_model(HostileError())).code == "model_error"
    assert classify(foreign("APIError", status_code=True, code=10**30, status="9" * 5000, body=[])).code == "internal"


def test_a_ring_of_causes_and_a_very_long_chain_come_to_an_end() -> None:
    one, two = ValueError("one"), ValueError("two")
    one.__cause__, two.__cause__ = two, one
    assert classify(one).code == "internal"
    last: Exception = httpx_status(429)
    for _ in range(1000):
        last = of_model(last)
    assert classify(last).code == "model_error"


def test_a_text_is_classified_in_time_that_grows_with_its_length_only() -> None:
    assert_linear(lambda text: classify(RuntimeError(text)), "rate ", length=500_000)


def test_every_limit_has_a_failure() -> None:
    for limit in get_args(LimitName):
        found = failure(LIMIT_CODES[limit], "why")
        assert found.code == LIMIT_CODES[limit]
        assert found.code in CODES
        assert found.outcome not in {"internal_error", "success", "running"}
        assert found.detail == "why"
    assert {limit for limit in get_args(LimitName) if failure(LIMIT_CODES[limit]).outcome == "timeout"} == {
        "idle",
        "ceiling",
    }
    assert failure(LIMIT_CODES["rounds"]).outcome == "delegation_limit"
    assert failure(LIMIT_CODES["cycle"]).outcome == "loop_detected"


def test_every_code_is_complete_and_every_cause_is_a_code() -> None:
    for row in CODES.values():
        assert row.outcome in OUTCOMES
        assert row.error_class in get_args(ErrorClass)
    told = {
        *foreign_errors._BY_STATUS.values(),
        *foreign_errors._BY_WORD.values(),
        *foreign_errors._BY_NAME.values(),
        *(code for code, _ in foreign_errors._patterns()),
    }
    assert told <= CODES.keys()
    assert [code for code, row in CODES.items() if row.outcome == "internal_error"] == ["internal"]


def test_a_code_of_a_tool_is_a_failure_of_a_tool() -> None:
    assert failure("outside_workspace", "no").outcome == "tool_error"
    assert failure("").code == "tool_error"
    assert failure("approval_denied").error_class == "tool"
    assert failure("bad_arguments").error_class == "malformed_tool_call"


def test_the_provider_is_told_from_the_agent() -> None:
    assert classify(httpx_status(500)).is_provider
    assert not classify(ToolError("no")).is_provider
    assert not failure(LIMIT_CODES["repeats"]).is_provider


def test_an_outage_is_told_from_a_mistake_of_ours() -> None:
    outages = [classify(error).is_outage for error in (httpx_status(429), httpx_status(500), TimeoutError())]
    mistakes = [classify(httpx_status(status)).is_outage for status in (400, 401, 402, 404)]
    assert (outages, mistakes) == ([True] * 3, [False] * 4)


def test_the_advice_follows_the_code_and_else_the_class() -> None:
    assert failure("provider_rate_limit").advice.endswith("wait a little and ask again.")
    assert failure("provider_quota").advice != failure("provider_auth").advice
    assert failure("idle_timeout").advice == failure("timeout_hard").advice
    assert failure("provider_open").advice == failure("provider_transient").advice
    assert failure("tool_not_found").advice == ""
    for code, row in CODES.items():
        assert failure(code).advice or row.error_class in {"unknown", "tool"}
    assert dict.fromkeys(get_args(LimitName)).keys() == LIMIT_CODES.keys()


@pytest.mark.parametrize("limit", [limit for limit in get_args(LimitName) if limit not in {"repeats", "cycle"}])
def test_a_turn_that_met_a_limit_is_told_the_setting_that_raises_it(limit: LimitName) -> None:
    told = next_step_of("loop_detected", LIMIT_CODES[limit])
    (setting,) = re.findall(r"raise ([A-Za-z.]+)", told)
    found: Any = Settings().model_dump(by_alias=True)
    for name in setting.split("."):
        found = found[name]
    assert isinstance(found, int | float)


def test_what_to_do_about_a_failed_turn_follows_its_code_and_else_its_outcome() -> None:
    assert next_step_of("limit_reached", "token_limit_exceeded") != next_step_of("limit_reached", "cost_limit_exceeded")
    assert next_step_of("tool_error", "outside_workspace") == CODES["tool_error"].next_step
    assert next_step_of("model_error", "provider_auth") == CODES["model_error"].next_step
    assert next_step_of("cancelled", "cancelled") == "it shows what happened"


def test_nothing_is_compiled_before_a_text_has_to_be_read() -> None:
    code = (
        "from lango_nb.runtime import failures, foreign_errors\n"
        "failures.classify(ConnectionRefusedError())\n"
        "assert not foreign_errors._patterns.cache_info().currsize\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=30).returncode == 0
