"""Words of a text, made comparable: folded, split at underscores and dashes, with the commonest endings taken off."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?", re.UNICODE)
_ENDINGS = ("ingly", "edly", "ings", "ing", "ies", "ied", "ers", "ed", "es", "er", "ly", "s")
_SHORTEST_STEM = 3


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
