"""What providers' libraries raise becomes a fault in our words: every class they know, with what it carries."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lango_nb.models.faults import FaultError
from lango_nb.models.live import fault_of, translated
from tests.expected import same_as_expected

DETAIL = {"error": {"message": "no such model", "code": "model_not_found"}}
CARRIED: dict[str, dict[str, Any]] = {
    "": {},
    "status and body": {"status_code": 404, "body": DETAIL},
    "body as a text": {"status_code": 400, "body": f"  {json.dumps(DETAIL)}"},
    "body that is no JSON": {"body": "{no", "message": "in one line"},
    "body of another vendor": {"body": {"Error": {"Message": "too  much\nat once"}}},
    "body with a word for an error": {"body": {"error": "overloaded"}},
    "body with its words outside": {"body": {"message": "not today", "detail": 3}},
    "body with numbers": {"body": {"message": 7, "error": {"message": 8}}},
    "body of HTML": {"status_code": 502, "body": "<!DOCTYPE html><p>gone</p>"},
    "message of HTML": {"message": "<HTML lang=en>"},
    "a pause": {"status_code": 429, "retry_after": 2.5},
    "a pause in words": {"retry_after": "soon"},
    "a hint to give up": {"provider_retry_hint": False},
    "a hint to go on": {"provider_retry_hint": True},
    "not connected": {"phase": "connect"},
    "no room in the pool": {"phase": "pool"},
    "while it was read": {"phase": "read"},
}
NAMES = (
    "ContentFilterError",
    "UnexpectedModelBehavior",
    "ModelQuotaExceededError",
    "ModelRateLimitError",
    "ModelServerError",
    "ModelTimeoutError",
    "ModelRequestTimeout",
    "ModelConnectionError",
    "ModelAuthenticationError",
    "ModelHTTPError",
    "UserError",
    "ZeroDivisionError",
)


def raised(name: str, text: str = "it broke", carried: dict[str, Any] | None = None) -> Exception:
    kind: type[Exception] = type(name, (Exception,), carried or {})
    return kind(text)


def told(error: Exception, *, is_silent: bool) -> str:
    """Say what comes out where this is raised."""
    with pytest.raises(Exception) as found, translated(lambda: is_silent):  # noqa: PT011 - whatever it is
        raise error
    return f"{type(found.value).__name__} {found.value}: {getattr(found.value, 'fault', '')}"


def caused(error: Exception, *causes: str) -> Exception:
    """Let an exception come of others, the nearest to the network last."""
    last: BaseException = error
    for cause in causes:
        last.__cause__ = last = raised("SocketError", cause)
    return error


def test_what_libraries_raise_is_told_as_expected() -> None:
    lines = []
    for name in NAMES:
        for what, carried in CARRIED.items():
            lines.append(f"{name}, {what or 'nothing'}: {fault_of(raised(name, carried=carried))}")
    inside = {
        "of a class below": type("Mine", (type("ModelRateLimitError", (Exception,), {}),), {})("wait"),
        "lookup": KeyError("choices"),
        "time": TimeoutError(),
        "connection": ConnectionResetError("gone"),
        "causes": caused(raised("ModelConnectionError"), "outer", "  ", "inner"),
        "a circle of many": caused(raised("ModelConnectionError"), *map(str, range(12))),
        "certificate": caused(raised("ModelConnectionError"), "CERTIFICATE_VERIFY_FAILED", "deep"),
        "finish reason": raised("UnexpectedModelBehavior", "finish_reason is not there"),
        "ours": FaultError(fault_of(TimeoutError()) or AssertionError),  # type: ignore[arg-type]
        "a value": ValueError("x"),
    }
    lines += [f"{what}: {fault_of(error)}" for what, error in inside.items()]
    for is_silent in (True, False):
        for error in (*inside.values(), *(raised(name) for name in NAMES)):
            came = told(error, is_silent=is_silent)
            lines.append(f"{'silent' if is_silent else 'begun'}, {type(error).__name__} {error}: {came}")
    same_as_expected("faults/providers.txt", "\n".join(lines))
