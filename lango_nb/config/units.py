"""Durations and sizes as people write them: ``30s``, ``1h30m``, ``10MiB``; plain numbers are seconds and bytes."""

from __future__ import annotations

import math
import re

_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
_BYTES = {
    "": 1,
    "b": 1,
    "kb": 1000,
    "mb": 1000**2,
    "gb": 1000**3,
    "kib": 1024,
    "mib": 1024**2,
    "gib": 1024**3,
}
_DURATION_PART = r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)\s*"
_SIZE = r"(\d+(?:\.\d+)?)\s*([a-z]*)"


def parse_duration(value: object) -> float:
    """Read a duration.

    Parameters
    ----------
    value : object
        A number of seconds, or any number of parts with a unit (``ms``, ``s``, ``m``, ``h``, ``d``): ``30s``,
        ``1h30m``.

    Returns
    -------
    float
        Seconds, 0 or more.

    Raises
    ------
    ValueError
        Not a duration.

    Examples
    --------
    >>> parse_duration("30s"), parse_duration("1h30m"), parse_duration(2), parse_duration("250ms")
    (30.0, 5400.0, 2.0, 0.25)
    """
    seconds = _number(value)
    if seconds is None and isinstance(value, str):
        text = value.strip().lower()
        parts = list(re.finditer(_DURATION_PART, text))
        if text and "".join(part.group() for part in parts) == text:
            seconds = sum(float(part[1]) * _SECONDS[part[2]] for part in parts)
    if seconds is None or not math.isfinite(seconds) or seconds < 0:
        raise ValueError("not a duration")
    return round(seconds, 6)


def parse_idle(value: object) -> float:
    """Read a duration that may be negative: one that is switched off.

    Parameters
    ----------
    value : object
        As for :func:`parse_duration`, with ``-`` in front where it is off.

    Returns
    -------
    float
        Seconds.

    Raises
    ------
    ValueError
        Not a duration.

    Examples
    --------
    >>> parse_idle("30s"), parse_idle("-1s"), parse_idle(-1)
    (30.0, -1.0, -1.0)
    """
    text = str(value).strip()
    return -parse_duration(text[1:]) if text.startswith("-") else parse_duration(value)


def parse_size(value: object) -> int:
    """Read a size.

    Parameters
    ----------
    value : object
        A number of bytes, or a number with ``B``, ``kB``, ``MB``, ``GB``, ``KiB``, ``MiB`` or ``GiB``.

    Returns
    -------
    int
        Bytes, 0 or more.

    Raises
    ------
    ValueError
        Not a size.

    Examples
    --------
    >>> parse_size("10MiB"), parse_size("64 kB"), parse_size(512)
    (10485760, 64000, 512)
    """
    count = _number(value)
    if count is None and isinstance(value, str):
        found = re.fullmatch(_SIZE, value.strip().lower())
        if found and found[2] in _BYTES:
            count = float(found[1]) * _BYTES[found[2]]
    if count is None or not math.isfinite(count) or count < 0 or count != int(count):
        raise ValueError("not a size")
    return int(count)


def duration_text(seconds: float) -> str:
    """Write a duration so that :func:`parse_duration` reads the same one.

    Examples
    --------
    >>> duration_text(5400), duration_text(30), duration_text(0.25), duration_text(0)
    ('1h30m', '30s', '250ms', '0s')
    """
    if seconds != int(seconds):
        return f"{seconds * 1000:g}ms" if seconds < 1 else f"{seconds:g}s"
    rest, parts = int(seconds), []
    for unit, size in (("h", 3600), ("m", 60), ("s", 1)):
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"


def size_text(count: int) -> str:
    """Write a size so that :func:`parse_size` reads the same one.

    Examples
    --------
    >>> size_text(10485760), size_text(1000), size_text(0)
    ('10MiB', '1000B', '0B')
    """
    for unit, size in (("GiB", 1024**3), ("MiB", 1024**2), ("KiB", 1024)):
        if count and count % size == 0:
            return f"{count // size}{unit}"
    return f"{count}B"


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return None
