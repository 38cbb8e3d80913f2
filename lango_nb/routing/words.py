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
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
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


def overlap_terms(phrase: str, text: str) -> float:
    """Return which share of a phrase's stems occur in a text, 0 to 1.

    Examples
    --------
    >>> overlap_terms("code-review", "review_code: reviews the code of a change")
    1.0
    """
    wanted = set(stems(phrase))
    return len(wanted & set(stems(text))) / len(wanted) if wanted else 0.0
