"""Words of a text, made comparable: folded, split at underscores and dashes, with the commonest endings taken off."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?", re.UNICODE)
_ENDINGS = ("ingly", "edly", "ings", "ing", "ies", "ied", "ers", "ed", "es", "er", "ly", "s")
_SHORTEST_STEM = 3
_DERIVED = (("ation", 5), ("ment", 4), ("ness", 4))
"""Endings that make nouns, each with the letters that have to be left; two letters and a y will do ("payment")."""
_SHORTEST_DOUBLE = 5
"""Letters of a word whose last one may be doubled before an ending."""


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """Take the commonest English endings off a word.

    Parameters
    ----------
    word : str
        Already folded to lower case.

    Examples
    --------
    >>> stem("schedules"), stem("scheduling"), stem("schedule"), stem("running"), stem("run"), stem("files")
    ('schedul', 'schedul', 'schedul', 'run', 'run', 'fil')
    """
    if not word.isascii():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM + ending.startswith("er"):
            word = word[: -len(ending)] + ("y" if ending in {"ies", "ied"} else "")
            break
    if len(word) > _SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "lsze":
        word = word[:-1]
    return word[:-1] if len(word) > _SHORTEST_STEM and word.endswith("e") else word


@lru_cache(maxsize=16384)
def root(word: str) -> str:
    """Take endings off a word that make another word of it, beside those that :func:`stem` takes off.

    Parameters
    ----------
    word : str
        Already folded to lower case.

    Examples
    --------
    >>> root("cancellations"), root("cancelled"), root("cancel"), root("reservation"), root("reserve"), root("station")
    ('cancel', 'cancel', 'cancel', 'reserv', 'reserv', 'station')
    """
    found = stem(word)
    for ending, least in _DERIVED:
        if found.endswith(ending) and (len(found) - len(ending) >= least or found.endswith(f"y{ending}")):
            found = found[: -len(ending)]
            break
    return found[:-1] if found.endswith("ll") and len(found) > _SHORTEST_DOUBLE else found


def words(text: str) -> list[str]:
    """Split a text into folded words.

    Examples
    --------
    >>> words("Read fs_read's `notes.md`!")
    ['read', 'fs', "read's", 'notes', 'md']
    """
    return _WORD.findall(text.casefold())


def stems(text: str) -> list[str]:
    """Split a text into stems, in order, repetitions kept.

    Examples
    --------
    >>> stems("Listing the files")
    ['list', 'the', 'fil']
    """
    return [stem(word.removesuffix("'s")) for word in words(text)]


@lru_cache(maxsize=4096)
def phrase_stems(phrase: str) -> frozenset[str]:
    """Return the different stems of a phrase; phrases of definitions are asked for again and again.

    Examples
    --------
    >>> sorted(phrase_stems("code-review"))
    ['cod', 'review']
    """
    return frozenset(stems(phrase))
