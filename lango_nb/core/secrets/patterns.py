"""Regular expressions of your own: checked before any text is looked at with them.

Python's engine tries every way in which a pattern can match. Where two repeats may share out the same characters in
many ways, as in ``(a+)+b`` or ``.*-.*-.*``, a text that nearly matches takes for ever. Such a pattern is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from itertools import combinations
from typing import Any, NamedTuple

from lango_nb.core.secrets.sight import LONGEST_OWN, OwnPattern

_parser: Any = import_module("re._parser")  # without stubs; what re itself parses with
_SAMPLE = frozenset(map(chr, range(128))) | frozenset("éİ中٣\u00a0\u2028")
"""Characters that stand for all."""
_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d", "CATEGORY_NOT_DIGIT": r"\D", "CATEGORY_SPACE": r"\s", "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w", "CATEGORY_NOT_WORD": r"\W",
}  # fmt: skip
_MOST_WAYS = 10_000
_MANY = 1_000
"""Ways to stop a repeat without a limit; more are not told apart."""
_MOST_COPIES = 16


class _Spot(NamedTuple):
    """A part of a pattern: what characters it matches, and in how many ways it can be left."""

    chars: frozenset[str]
    least: int
    ways: int


def read_pattern(pattern: str) -> OwnPattern:
    """Compile a pattern.

    Parameters
    ----------
    pattern : str

    Returns
    -------
    OwnPattern

    Raises
    ------
    ValueError
        It is not a regular expression, can match nothing at all, or could take for ever.

    Examples
    --------
    >>> read_pattern("EMP-[0-9]{6}").longest
    10
    >>> read_pattern("(a+)+b")
    Traceback (most recent call last):
        ...
    ValueError: '(a+)+b' could take for ever: two repeats match the same characters; limit them, {1,40} for +
    """
    shown = repr(pattern if len(pattern) <= 80 else f"{pattern[:79]}…")  # noqa: PLR2004 - one line
    try:
        found = re.compile(pattern)
        parsed = _parser.parse(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        place = getattr(error, "pos", None)
        where = f" at position {place}" if place is not None else ""
        reason = getattr(error, "msg", str(error))
        raise ValueError(f"{shown} is not a regular expression: {reason}{where}; mend it") from error
    least, most = parsed.getwidth()
    if not least:
        raise ValueError(
            f"{shown} can match an empty text, which would be everywhere; "
            "write what must be there, with + instead of * for instance"
        )
    try:
        spots = _spots(parsed, is_folded=bool(found.flags & re.IGNORECASE))
        is_quick = _is_quick(spots)
    except _SlowError as error:
        is_quick, spots = False, []
        if error.args:
            raise ValueError(f"{shown} {error}") from None
    if not is_quick:
        raise ValueError(
            f"{shown} could take for ever: two repeats match the same characters; limit them, {{1,40}} for +"
        )
    has_blanks = any(spot.chars & frozenset(" \n") for spot in spots)
    return OwnPattern(found, min(int(most), LONGEST_OWN), has_blanks)


class _SlowError(Exception):
    """A part of a pattern that could take for ever."""


def _spots(parsed: Iterable[tuple[Any, Any]], *, is_folded: bool) -> list[_Spot]:
    """Return the parts of a parsed pattern in order; groups are opened, repeats of groups checked."""
    spots: list[_Spot] = []
    for kind, value in parsed:
        match str(kind):
            case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN":
                spots.append(_Spot(_chars(str(kind), value, is_folded=is_folded), 1, 1))
            case "SUBPATTERN":
                spots += _spots(value[-1], is_folded=is_folded)
            case "ATOMIC_GROUP":
                spots.append(_one(_checked(_spots(value, is_folded=is_folded)), 1))
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                spots += _repeat(str(kind), *value, is_folded=is_folded)
            case "BRANCH":
                spots.append(_branch([_spots(one, is_folded=is_folded) for one in value[1]]))
            case "ASSERT" | "ASSERT_NOT":
                _checked(_spots(value[1], is_folded=is_folded))
            case "AT":
                pass
            case _:
                raise _SlowError("refers back to what it matched, which could take for ever; write it out")
    return spots


def _repeat(kind: str, least: int, most: int, body: Any, *, is_folded: bool) -> list[_Spot]:
    inner = _spots(body, is_folded=is_folded)
    if most == 1:
        ways = 1 if kind == "POSSESSIVE_REPEAT" else 2
        return [spot._replace(least=0, ways=max(spot.ways, ways)) for spot in inner]
    if kind == "POSSESSIVE_REPEAT":
        return [_one(_checked(inner), least)]
    if len(inner) > 1 or any(spot.ways > 1 for spot in inner):
        _checked(inner * min(int(most), _MOST_COPIES))
    return [_one(inner, least)._replace(ways=min(int(most) - int(least) + 1, _MANY))]


def _branch(alternatives: Sequence[list[_Spot]]) -> _Spot:
    """Return the part that is one of several; each that begins like another is one more way."""
    starts = [_first(one) for one in alternatives]
    alike = sum(1 for one, other in combinations(starts, 2) if one & other or not (one or other))
    ways = max((_product(one) for one in alternatives), default=1)
    every = [spot for one in alternatives for spot in one]
    return _Spot(_union(every), min(sum(spot.least for spot in one) for one in alternatives), ways * (1 + alike))


def _first(spots: Sequence[_Spot]) -> frozenset[str]:
    chars: frozenset[str] = frozenset()
    for spot in spots:
        chars |= spot.chars
        if spot.least:
            break
    return chars


def _one(spots: Sequence[_Spot], least: int) -> _Spot:
    return _Spot(_union(spots), least * sum(spot.least for spot in spots), 1)


def _union(spots: Iterable[_Spot]) -> frozenset[str]:
    return frozenset().union(*(spot.chars for spot in spots))


def _product(spots: Iterable[_Spot]) -> int:
    ways = 1
    for spot in spots:
        ways = min(ways * spot.ways, _MOST_WAYS + 1)
    return ways


def _checked(spots: list[_Spot]) -> list[_Spot]:
    if not _is_quick(spots):
        raise _SlowError
    return spots


def _is_quick(spots: Sequence[_Spot]) -> bool:
    """Tell whether no repeat can share its characters with what follows it in too many ways."""
    return all(_product(_sharing(spots[place:])) <= _MOST_WAYS for place, spot in enumerate(spots) if spot.ways > 1)


def _sharing(spots: Sequence[_Spot]) -> Iterable[_Spot]:
    """Yield the first part and those after it that it could reach by matching more."""
    first = spots[0]
    yield first
    for spot in spots[1:]:
        if spot.chars & first.chars or not first.chars:
            yield spot
        elif spot.least:
            return


def _chars(kind: str, value: Any, *, is_folded: bool) -> frozenset[str]:
    match kind:
        case "LITERAL":
            chars = frozenset(chr(value))
        case "NOT_LITERAL":
            chars = _SAMPLE - {chr(value)}
        case "ANY":
            chars = _SAMPLE
        case _:
            parts = [_part(str(one), what) for one, what in value if str(one) != "NEGATE"]
            chars = frozenset().union(*parts)
            chars = _SAMPLE - chars if str(value[0][0]) == "NEGATE" else chars
    return chars | frozenset(one.swapcase() for one in chars) if is_folded else chars


def _part(kind: str, value: Any) -> frozenset[str]:
    match kind:
        case "LITERAL":
            return frozenset(chr(value))
        case "RANGE":
            return frozenset(one for one in _SAMPLE if value[0] <= ord(one) <= value[1]) | {chr(value[0])}
        case _:
            pattern = re.compile(_CATEGORIES[str(value)])
            return frozenset(one for one in _SAMPLE if pattern.fullmatch(one))
