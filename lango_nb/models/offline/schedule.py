"""When something is to run, read from what people say: a cron line, an interval, or a point in time.

every weekday at 9 ── cron 0 9 * * 1-5 · every 2 hours ── every 2h · in 20 minutes, tomorrow at 7 ── at, in those words

A point in time stays relative where it is said so: the model has no clock.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_DAYS = (
    ("sunday", "sun", "sonntag", "dimanche", "domingo"),
    ("monday", "mon", "montag", "lundi", "lunes"),
    ("tuesday", "tue", "dienstag", "mardi", "martes"),
    ("wednesday", "wed", "mittwoch", "mercredi", "miércoles", "miercoles"),
    ("thursday", "thu", "donnerstag", "jeudi", "jueves"),
    ("friday", "fri", "freitag", "vendredi", "viernes"),
    ("saturday", "sat", "samstag", "samedi", "sábado", "sabado"),
)
_NUMBER_OF_DAY = {name: number for number, names in enumerate(_DAYS) for name in names}
_DAY = "|".join(sorted(_NUMBER_OF_DAY, key=len, reverse=True))
_EACH = r"(?:every|each|on|jeden|jede|chaque|cada|todos los|tous les|an jedem)"
_UNITS = (
    ("s", r"sec(?:ond)?s?|sekunden?|secondes?|segundos?"),
    ("m", r"min(?:ute)?s?|minuten?|minutos?"),
    ("h", r"h(?:ou)?rs?|stunden?|heures?|horas?|h"),
    ("d", r"days?|tagen?|tage|jours?|días?|dias?"),
    ("w", r"weeks?|wochen?|semaines?|semanas?"),
)
_ANY_UNIT = "|".join(pattern for _, pattern in _UNITS)
_CLOCK = r"(?:(?:at|um|à|a las|gegen|@)\s*)?(?P<hour>\d{1,2})(?:(?::|h|\.)(?P<minute>\d{2})|h)?\s*(?P<half>am|pm)?(?:\s*(?:uhr|o'clock))?"
_AT = re.compile(rf"\b(?:at|um|à|a las|gegen)\s+{_CLOCK[_CLOCK.index('(?P<hour>') :]}(?![\w/])", re.IGNORECASE)
_LINE = re.compile(r"(?<![\w*/])((?:[\d*/,-]+\s+){4}[\d*/,\-A-Za-z]+)(?![\w*/])")
_ALIAS = re.compile(r"(?<!\S)@(?:hourly|daily|weekly|monthly|yearly)\b")
_WEEKDAYS = re.compile(
    rf"\b{_EACH}?\s*(?:weekdays?|working days?|werktag\w*|jours? ouvrables?|d[ií]as? laborables?)\b", re.IGNORECASE
)
_WEEKEND = re.compile(rf"\b{_EACH}\s+(?:weekend|wochenende|fin de semana)s?\b", re.IGNORECASE)
_ON_DAYS = re.compile(
    rf"\b{_EACH}\s+((?:{_DAY})s?(?:(?:\s*,\s*(?:and\s+)?|\s+(?:and|und|et|y)\s+)(?:{_DAY})s?)*)\b", re.IGNORECASE
)
_EVERY_N = re.compile(rf"\b(?:every|each|alle|toutes les|tous les|cada)\s+(\d+)\s*({_ANY_UNIT})\b", re.IGNORECASE)
_EVERY_ONE = re.compile(
    r"\b(?:every|each|jede|chaque|cada)\s+(minute|hour|stunde|heure|hora)\b|\b(hourly|stündlich)\b", re.IGNORECASE
)
_DAILY = re.compile(
    r"\b(?:every|each|jeden|chaque|cada)\s+(?:day|tag|jour|día|dia|(?P<part>morning|evening|night|noon|morgen|abend|matin|soir|mañana|noche))\b"
    r"|\b(?:daily|nightly|täglich|quotidiennement|todos los días)\b",
    re.IGNORECASE,
)
_WEEKLY = re.compile(r"\b(?:every week|weekly|wöchentlich|jede woche|chaque semaine|cada semana)\b", re.IGNORECASE)
_MONTHLY = re.compile(r"\b(?:every month|monthly|monatlich|jeden monat|chaque mois|cada mes)\b", re.IGNORECASE)
_IN = re.compile(
    rf"\bin\s+(?:\d+|an?|one|two|three|half an)\s*(?:{_ANY_UNIT})\b|\bdans\s+\d+\s*(?:{_ANY_UNIT})\b|\ben\s+\d+\s*(?:{_ANY_UNIT})\b",
    re.IGNORECASE,
)
_MOMENT = re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)?(?!\w)")
_DAY_SAID = re.compile(
    rf"\b(?:tomorrow|today|tonight|morgen|heute|demain|mañana|next\s+(?:week|month|{_DAY})|(?:on|am|le|el)\s+(?:{_DAY})(?!s))\b",
    re.IGNORECASE,
)
_PARTS = {"morning": 8, "morgen": 8, "matin": 8, "mañana": 8, "evening": 18, "abend": 18, "soir": 18, "night": 22, "noche": 22, "noon": 12}  # fmt: skip
"""Hours that the parts of a day stand for."""
_NOON = 12


class Schedule(NamedTuple):
    """When something is to run."""

    kind: str
    """``cron``, ``every`` or ``at``."""
    value: str
    spans: tuple[tuple[int, int], ...]
    """Where the text says it."""


class _Clock(NamedTuple):
    hour: int
    minute: int
    span: tuple[int, int] | None = None


@lru_cache(maxsize=64)
def read_schedule(text: str) -> Schedule | None:
    """Read when something is to run.

    Parameters
    ----------
    text : str

    Returns
    -------
    Schedule or None
        ``None`` when the text does not say.

    Examples
    --------
    >>> read_schedule("check mail every weekday at 9")[:2], read_schedule("every 2 hours")[:2]
    (('cron', '0 9 * * 1-5'), ('every', '2h'))
    >>> read_schedule("in 20 minutes")[:2], read_schedule("jeden Montag um 8:30")[:2], read_schedule("now")
    (('at', 'in 20 minutes'), ('cron', '30 8 * * 1'), None)
    """
    for pattern in (_LINE, _ALIAS):
        if match := pattern.search(text):
            return Schedule("cron", match[0].strip(), (match.span(),))
    if match := _EVERY_N.search(text):
        unit = next(short for short, pattern in _UNITS if re.fullmatch(pattern, match[2], re.IGNORECASE))
        return Schedule("every", f"{match[1]}{unit}", (match.span(),))
    if match := _EVERY_ONE.search(text):
        return Schedule("every", "1m" if (match[1] or "").casefold() == "minute" else "1h", (match.span(),))
    return _on_days(text) or _once(text)


def _on_days(text: str) -> Schedule | None:
    clock = _clock(text)
    for pattern, days in ((_WEEKDAYS, "1-5"), (_WEEKEND, "0,6")):
        if match := pattern.search(text):
            return _cron(match, clock or _Clock(9, 0), days)
    if (match := _ON_DAYS.search(text)) and (
        clock or not match[0].casefold().startswith("on ") or "s" in match[1][-1:]
    ):
        numbers = sorted(
            {_NUMBER_OF_DAY[day.casefold()] for day in re.findall(rf"\b({_DAY})s?\b", match[1], re.IGNORECASE)}
        )
        if not match[0].casefold().startswith("on ") or match[1].casefold().endswith("s"):
            return _cron(match, clock or _Clock(9, 0), ",".join(map(str, numbers)))
    if match := _DAILY.search(text):
        hour = _PARTS.get((match["part"] or ("night" if "night" in match[0].casefold() else "")).casefold(), 9)
        return _cron(match, clock or _Clock(hour, 0), "*")
    if match := _WEEKLY.search(text):
        return _cron(match, clock or _Clock(9, 0), "1")
    if match := _MONTHLY.search(text):
        found = _cron(match, clock or _Clock(9, 0), "*")
        return found._replace(value=found.value.replace("* * *", "1 * *"))
    return None


def _once(text: str) -> Schedule | None:
    """Read a point in time, in the words it is said in."""
    if match := _IN.search(text):
        return Schedule("at", match[0], (match.span(),))
    if match := _MOMENT.search(text):
        return Schedule("at", match[0], (match.span(),))
    day, clock = _DAY_SAID.search(text), _clock(text)
    if day is None and clock is None:
        return None
    said = [day[0]] if day else []
    if clock:
        said.append(f"{clock.hour:02}:{clock.minute:02}")
    spans = [span for span in (day.span() if day else None, clock.span if clock else None) if span]
    return Schedule("at", " ".join(said), tuple(spans))


def _cron(match: re.Match[str], clock: _Clock, days: str) -> Schedule:
    spans = (match.span(), clock.span) if clock.span else (match.span(),)
    return Schedule("cron", f"{clock.minute} {clock.hour} * * {days}", spans)


def _clock(text: str) -> _Clock | None:
    """Read a time of day; a number that is none is passed over."""
    for match in _AT.finditer(text):
        hour, minute = int(match["hour"]), int(match["minute"] or 0)
        half = (match["half"] or "").casefold()
        hour = hour % _NOON + (_NOON if half == "pm" else 0) if half else hour
        if hour < 24 and minute < 60:  # noqa: PLR2004 - a clock
            return _Clock(hour, minute, match.span())
    return None
