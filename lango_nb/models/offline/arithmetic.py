"""Sums in words or signs, worked out by a small parser: numbers, + - * / ^ and brackets, nothing else."""

from __future__ import annotations

import re
from decimal import Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext

_WORDS = (
    (re.compile(r"\b(?:plus|added to)\b"), "+"),
    (re.compile(r"\b(?:minus|menos|moins)\b"), "-"),
    (re.compile(r"\b(?:times|multiplied by|mal|fois|por)\b|[\u00d7·x](?=\s*[\d(])"), "*"),
    (re.compile(r"\b(?:divided by|over|geteilt durch|divisé par|entre)\b|[÷:]"), "/"),
    (re.compile(r"\bto the power of\b|\*\*"), "^"),
    (re.compile(r"\bsquared\b"), "^2"),
    (re.compile(r"\bpercent of\b|%\s*(?:of|von|de|di|do|da|van|z|の|的)(?=\s*\d)"), "/100*"),
    (re.compile(r"(?<=\d),(?=\d{3}\b)"), ""),
)
_FRAME = re.compile(
    r"^[\s\"'¿¡]*(?:(?:please|can you|could you|hey|so)\W+)*(?:(?:what(?:'s| is)|how much is|calculate|compute|was ist|wie viel ist|combien font|cuánto es|work out)\s+)?",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?|\.\d+|[-+*/^()])")
_ONLY = re.compile(r"[\d\s.+*/^()-]+\Z")
_LONGEST = 120
_MOST_POWER = 200
_DEEPEST = 30
_DIGITS = 28


def reckon(text: str) -> str | None:
    """Work out a sum.

    Parameters
    ----------
    text : str
        A request that is nothing but a sum.

    Returns
    -------
    str or None
        ``None`` when it is no sum, or one without a result.

    Examples
    --------
    >>> reckon("what is 12 * (3 + 4)?"), reckon("7 divided by 2"), reckon("2^10"), reckon("15% of 80")
    ('84', '3.5', '1024', '12')
    >>> reckon("what is love?"), reckon("1/0"), reckon("9^9^9"), reckon("2026")
    (None, None, None, None)
    """
    body = _FRAME.sub("", text.strip()).casefold().rstrip(" ?=.!")
    for pattern, sign in _WORDS:
        body = pattern.sub(sign, body)
    if len(body) > _LONGEST or not _ONLY.match(body) or not re.search(r"\d\s*[-+*/^]", body):
        return None
    try:
        with localcontext() as context:
            context.prec = _DIGITS
            value = _Reader(_tokens(body)).whole()
    except (ValueError, InvalidOperation, DivisionByZero, Overflow):
        return None
    if not value.is_finite() or (value and not -_DIGITS < value.adjusted() < _DIGITS):
        return None
    return f"{value.normalize():f}"


def _tokens(body: str) -> list[str]:
    found, at = [], 0
    body = body.strip()
    while at < len(body):
        match = _TOKEN.match(body, at)
        if match is None:
            raise ValueError(body)
        found.append(match[1])
        at = match.end()
    return found


class _Reader:
    """Reads a sum from its tokens, by recursive descent."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = [*tokens, ""]
        self._at = 0
        self._depth = 0

    def whole(self) -> Decimal:
        value = self._sum()
        if self._next():
            raise ValueError(self._next())
        return value

    def _next(self) -> str:
        return self._tokens[self._at]

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _sum(self) -> Decimal:
        value = self._product()
        while self._next() in {"+", "-"}:
            value = value + self._product() if self._take() == "+" else value - self._product()
        return value

    def _product(self) -> Decimal:
        value = self._power()
        while self._next() in {"*", "/"}:
            value = value * self._power() if self._take() == "*" else value / self._power()
        return value

    def _power(self) -> Decimal:
        value = self._atom()
        if self._next() != "^":
            return value
        self._take()
        power = self._power()
        if abs(power) > _MOST_POWER:
            raise ValueError("too large a power")
        return value**power

    def _atom(self) -> Decimal:
        self._depth += 1
        if self._depth > _DEEPEST * 4:
            raise ValueError("too deep")
        taken = self._take()
        if taken == "-":
            return -self._power()
        if taken == "(":
            value = self._sum()
            if self._take() != ")":
                raise ValueError("a bracket is open")
            return value
        return Decimal(taken)
