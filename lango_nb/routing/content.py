"""The words of a text that say what it is about, by their stems, and by English ones where it is in another language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from lango_nb.routing import abroad, nearness
from lango_nb.routing.features import Token, tokens
from lango_nb.routing.function_words import ENGLISH, FUNCTION_WORDS
from lango_nb.routing.words import root

_SHORTEST = 3
"""Letters of a word that says something."""
_ALPHABETS = "\u024f"
"""The last of the letters that a word of so few says nothing in."""
_EMPTY = frozenset(
    (
        "please thanks thank hello hey okay cant dont wont got put bit lot thing things way someone something anyone "
        "anything again really never always every each such etc via per there's we've you've doesn't isn't aren't "
        "don't can't won't didn't haven't hasn't"
    ).split()
)
"""Words that say nothing of what a request is about, beside those that hold sentences together."""


class Content(NamedTuple):
    """A word that says something."""

    shown: str
    key: str
    """Its stem."""
    english: tuple[str, ...] = ()
    """Stems of what it means in English, where it is a word of another language."""

    @property
    def keys(self) -> tuple[str, ...]:
        """All its stems."""
        return (self.key, *self.english)


@lru_cache(maxsize=512)
def content(text: str) -> tuple[Content, ...]:
    """Return the words of a text that say something, each once.

    Examples
    --------
    >>> [word.key for word in content("Please send the invoices of May to ACME")]
    ['send', 'invoic', 'acm']
    """
    read = [token for token in tokens(text) if not token.shape and token.text not in {"?", "!"}]
    language = _language(read)
    found: dict[str, Content] = {}
    for token in read:
        word = token.text.removesuffix("'s")
        if _says_something(word, token.shown, is_english=not language):
            key = root(word)
            if key not in found:
                found[key] = Content(token.shown, key, _in_english(word, key, language))
    return tuple(found.values())


def _language(read: Sequence[Token]) -> str:
    """Return the language that most words speak for; empty where that is English."""
    english = foreign = 0.0
    votes: Counter[str] = Counter()
    for token in read:
        shown = token.shown.casefold()
        if shown in ENGLISH:
            english += 1
        elif shown in FUNCTION_WORDS:
            foreign += 1
        elif len(token.text) >= _SHORTEST or token.text > _ALPHABETS:
            english += nearness.load().word(root(token.text)) is not None
            if not token.text.isascii() or foreign >= english:
                votes.update({meaning.language for meaning in abroad.load().meanings(token.text)})
    language, count = max(votes.items(), key=lambda item: item[1], default=("", 0))
    return language if count + foreign > english else ""


def _in_english(word: str, key: str, language: str) -> tuple[str, ...]:
    if not language and nearness.load().word(key) is not None:
        return ()
    meanings = abroad.load().meanings(word)
    told = [meaning.stem for meaning in meanings if meaning.language == language] or [one.stem for one in meanings]
    return tuple(dict.fromkeys(told))[: abroad.MOST_MEANINGS]


def _says_something(word: str, shown: str, *, is_english: bool) -> bool:
    if (len(word) < _SHORTEST and word < _ALPHABETS) or not word.isalpha() or word in _EMPTY:
        return False
    return shown.casefold() not in (ENGLISH if is_english else FUNCTION_WORDS)
