"""Secrets of your own: patterns and names, checked before anything is masked by them."""

from __future__ import annotations

import re
from typing import NamedTuple

from lango_nb.core.errors import SettingsError, shorten
from lango_nb.core.secret_names import normal_key
from lango_nb.core.secret_shapes import MASK

_PROBE = "Lorem ipsum, 12 (3.5) [x] {y} <z> a_b-c/d\\e \"f\" 'g' h@i.jk #!?;:&%$=+*~^|`\n\t0x1F \u00e4\u4e2d"
"""A pattern that finds a place of no length in here would find one nearly everywhere."""


class Rules(NamedTuple):
    """Patterns and names; replaced as a whole, so that no thread ever sees half of them."""

    patterns: tuple[re.Pattern[str], ...] = ()
    keys: tuple[str, ...] = ()
    """As :func:`~lango_nb.core.secret_names.normal_key` writes them."""
    hints: tuple[str, ...] = ()
    """First words of the keys: a text without any of them names none."""
    is_empty: bool = True

    def with_more(self, patterns: list[re.Pattern[str]], keys: list[str]) -> Rules:
        """Return these and further ones."""
        every = tuple(dict.fromkeys((*self.patterns, *patterns)))
        names = tuple(sorted({*self.keys, *keys}))
        return Rules(every, names, tuple(sorted({name.split()[0] for name in names})), not (every or names))


def read_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a pattern.

    Parameters
    ----------
    pattern : str

    Returns
    -------
    re.Pattern

    Raises
    ------
    SettingsError
        It is no regular expression, or can match nothing at all.
    """
    try:
        found = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        place = getattr(error, "pos", None)
        where = f" at position {place}" if place is not None else ""
        reason = getattr(error, "msg", str(error))
        raise SettingsError(
            f"security.masking.patterns: {shorten(pattern)!r} is no regular expression: {reason}{where}; mend it"
        ) from error
    if found.search("") is not None or any(not one[0] for one in found.finditer(_PROBE)):
        raise SettingsError(
            f"security.masking.patterns: {shorten(pattern)!r} can match an empty text, which would be everywhere; "
            "write what must be there, with + instead of * for instance"
        )
    return found


def read_key(key: str) -> str:
    """Return a name in its normal spelling.

    Parameters
    ----------
    key : str

    Returns
    -------
    str

    Raises
    ------
    SettingsError
        There is no letter and no digit in it.
    """
    if not (normal := normal_key(key)):
        raise SettingsError(
            f"security.masking.keys: {shorten(key)!r} names nothing; write a name of letters and digits"
        )
    return normal


def without_own(pattern: re.Pattern[str], text: str) -> str:
    """Take out what a pattern of your own finds; what was taken out before is not looked at.

    Parameters
    ----------
    pattern : re.Pattern
    text : str

    Returns
    -------
    str
        Only the mask, where the pattern finds a place and no text: it says that a secret is here, and not what it is.
    """
    found = [pattern.search(part) for part in text.split(MASK)]
    if not any(found):
        return text
    if any(one is not None and not one[0] for one in found):
        return MASK
    return MASK.join(pattern.sub(MASK, part) for part in text.split(MASK))
