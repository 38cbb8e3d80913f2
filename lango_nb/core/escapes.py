r"""Where a word begins in a text that was written into another one: right after ``\n``, ``\u00e9`` or ``%20``."""

from __future__ import annotations

import re
from functools import cache

_ESCAPES = (r"\\[nrtbf]", r"\\u[0-9a-fA-F]{4}", "%[2-7][0-9a-fA-F]")


def begins(before: str, first: str = "") -> str:
    r"""Return the condition that a word begins at a place: nothing of it stands before, or an escape.

    Parameters
    ----------
    before : str
        Condition on what stands before, a negative look behind for instance; ``first`` is put into it.
    first : str
        The word's first character, where the condition follows it.

    Returns
    -------
    str
        Part of a regular expression.

    Examples
    --------
    >>> import re
    >>> key = re.compile(begins("(?<![a-z]{})") + "key")
    >>> [key.search(text) is not None for text in ("a key", "monkey", r"a\nkey", "a%20key")]
    [True, False, True, True]
    """
    return "(?:" + "|".join((before.format(first), *(f"(?<={escape}{first})" for escape in _ESCAPES))) + ")"


def is_after_escape(text: str, place: int) -> bool:
    r"""Tell whether an escape ends right before a place.

    Parameters
    ----------
    text : str
    place : int

    Returns
    -------
    bool

    Examples
    --------
    >>> is_after_escape(r"a\nb", 3), is_after_escape("anb", 2)
    (True, False)
    """
    return _ending().search(text, max(place - _LONGEST, 0), place) is not None


_LONGEST = 6


@cache
def _ending() -> re.Pattern[str]:
    return re.compile(f"(?:{'|'.join(_ESCAPES)})\\Z")
