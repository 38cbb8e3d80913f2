"""Which words two texts have in common: whole words, without case, accents and the commonest endings."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"\w+")
_COMMON = frozenset(
    "a an and are as at be by can do does for from has have how i if in is it its me my no not of on or our please so "
    "that the their then there these they this to up us use was we were what when where which who will with you"
    " your".split()
)
"""Words that say nothing about what a text is about."""
_ENDINGS = ("ings", "ing", "ies", "ied", "ers", "er", "es", "ed", "ly", "s", "e", "y")
_SHORTEST_STEM = 3


@lru_cache(maxsize=4096)
def words_of(text: str) -> frozenset[str]:
    """Return the stems of the words of a text, without those that are in every text.

    Examples
    --------
    >>> sorted(words_of("The tests are testing a Café's files, to the end"))
    ['caf', 'end', 'fil', 'test']
    """
    plain = "".join(one for one in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(one))
    return frozenset(_stem(word) for word in _WORD.findall(plain) if word not in _COMMON and word != "s")


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word
