"""Keys and tokens of known services, told by how they begin: the rows of ``data/secrets/formats.tsv``.

What a service issues is one run of letters, digits and a few signs, at least :data:`SHORTEST_RUN` of them. A text
without such a run holds none, and only what stands around one is searched for the beginnings. A process that never
meets a key of some service never compiles its pattern.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from string import ascii_letters

from lango_nb.core.escapes import is_after_escape
from lango_nb.core.lazy import compiled
from lango_nb.core.secrets.sight import SecretSpan, Sight

SHORTEST_RUN = 15
"""Characters of the shortest run."""
_FILE = Path(__file__).parents[2] / "data" / "secrets" / "formats.tsv"
_KEY_LETTERS = ascii_letters.encode() + b"0123456789_-"
_AS_RUN = bytes(97 if code in _KEY_LETTERS else 32 for code in range(256))
_RUN = b"a" * SHORTEST_RUN
_AROUND = 64
"""Characters before a run in which its key may begin: ``hooks.slack.com/services/T0/B0/…``."""
_ORDINARY = frozenset({"SK", "AC", "key-", "secret_", "dapi", "pul-", "r8_", "sl.", "AKC", "v1.0-"})
"""Beginnings of ordinary words too: what is left of a cut one cannot be told."""
ELLIPSES = ("…", "...")
_LONGEST_CUT = 320
_CUT = r"(?a)[\w./+=-]{3,300}?(?:…|\.\.\.)"
_REST = r"[A-Za-z0-9_./+=:…-]*"


@cache
def _formats() -> dict[str, str]:
    """Return what has to follow each beginning."""
    rows = (line.split("\t") for line in _FILE.read_text(encoding="utf-8").splitlines() if line and line[0] != "#")
    return {beginning: f"(?a){follows}" for _, beginnings, follows, _ in rows for beginning in beginnings.split()}


def around_runs(text: str, coded: bytes) -> str:
    """Return the places of a text that may hold keys: what stands around runs of letters and digits.

    Parameters
    ----------
    text : str
    coded : bytes
        The same in ASCII, of the same length.

    Returns
    -------
    str
        Empty where there are none.
    """
    runs = coded.translate(_AS_RUN)
    place = runs.find(_RUN)
    pieces = []
    end = 0
    while place >= 0:
        start = max(place - _AROUND, end)
        end = runs.find(b" ", place)
        end = len(text) if end < 0 else end
        pieces.append(text[start:end])
        place = runs.find(_RUN, end)
    return "".join(pieces)


def before_ellipses(text: str) -> str:
    """Return the places of a text where a key may have been cut: what stands before ellipses.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        Empty where there are none.
    """
    pieces = []
    for ellipsis in ELLIPSES:
        end, place = 0, text.find(ellipsis)
        while place >= 0:
            pieces.append(text[max(place - _LONGEST_CUT, end) : place + len(ellipsis)])
            end = place + len(ellipsis)
            place = text.find(ellipsis, end)
    return "\n".join(pieces)


def beginnings_in(text: str) -> list[str]:
    """Return the beginnings of keys that are in a text.

    Parameters
    ----------
    text : str

    Returns
    -------
    list of str
    """
    known = _by_first_letter()
    found = [row for first in set(_firsts().findall(text)) for row in known[first] if row[1] in text]
    return [beginning for _, beginning in sorted(found)]


@cache
def _by_first_letter() -> dict[str, list[tuple[int, str]]]:
    """Return all beginnings with their places in the list, by their first letter."""
    rows: dict[str, list[tuple[int, str]]] = {}
    for place, beginning in enumerate(_formats()):
        rows.setdefault(beginning[0], []).append((place, beginning))
    return rows


@cache
def _firsts() -> re.Pattern[str]:
    """Return the pattern of first letters with a second one after them: much quicker than whole beginnings."""
    seconds: dict[str, str] = {}
    for beginning in _formats():
        seconds[beginning[0]] = seconds.get(beginning[0], "") + beginning[1]
    return re.compile("|".join(f"{first}(?=[{re.escape(second)}])" for first, second in seconds.items()))


def find_token(sight: Sight) -> SecretSpan | None:
    """Return the key that begins at a place, also one that was cut with an ellipsis.

    Parameters
    ----------
    sight : Sight

    Returns
    -------
    SecretSpan or None
    """
    text, start = sight.text, sight.at
    before = text[start - 1 : start]
    if before.isascii() and before.isalnum() and not is_after_escape(text, start):
        return None
    first = start + len(sight.word)
    sight.check_whole(_REST, first)
    found = compiled(_formats()[sight.word]).match(text, first, sight.end)
    if found is None and sight.word not in _ORDINARY:
        found = compiled(_CUT).match(text, first, sight.end)
    return SecretSpan(start, found.end()) if found is not None else None
