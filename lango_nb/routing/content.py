"""The words of a text that say what it is about: their stems, and English ones where it is in another language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from lango_nb.routing import abroad, nearness
from lango_nb.routing.features import Token, tokens
from lango_nb.routing.function_words import ENGLISH, FOREIGN, FUNCTION_WORDS
from lango_nb.routing.words import root

_SHORTEST = 3
"""Letters of a word that says something."""
_ALPHABETS = "\u024f"
"""The last of the letters that a word of so few says nothing in."""
_KANA = ("\u3040", "\u30ff")
"""Letters that no language but Japanese has."""
EMPTY = frozenset(
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
        for word, shown in _pieces(token):
            if _says_something(word, shown, is_english=not language):
                key = root(word)
                if key not in found:
                    found[key] = Content(shown, key, _in_english(word, language))
    return tuple(found.values())


def _pieces(token: Token) -> Iterable[tuple[str, str]]:
    """Yield a word and how it is shown; of letters without blanks between words, each that is known."""
    if token.text > abroad.UNSPACED:
        return ((piece, piece) for piece in abroad.load().pieces(token.text))
    return ((token.text.removesuffix("'s"), token.shown),)


def _language(read: Sequence[Token]) -> str:
    """Return the language that most words speak for; empty where that is English."""
    if any(_KANA[0] <= char <= _KANA[1] for token in read for char in token.text):
        return "ja"
    english = foreign = 0
    votes: Counter[str] = Counter()
    spoken: Counter[str] = Counter()
    for place, token in enumerate(read):
        shown = token.shown.casefold()
        is_name = place > 0 and token.shown[:1].isupper()
        if shown in ENGLISH:
            english += shown not in FOREIGN
        elif shown in FOREIGN:
            foreign += 1
            spoken.update({meaning.language for meaning in abroad.load().meanings(token.text)})
        elif len(token.text) >= _SHORTEST or token.text > _ALPHABETS:
            english += not is_name and nearness.load().word(root(token.text)) is not None
            if not token.text.isascii() or foreign >= english:
                votes.update({meaning.language for meaning in abroad.load().meanings(token.text)})
    _, language = max(((count, name) for name, count in (votes + spoken).items()), default=(0, ""))
    return language if votes[language] + foreign > english else ""


def _in_english(word: str, language: str) -> tuple[str, ...]:
    """Return what a word means in the language of its text, or in any where its own does not know it."""
    meanings = abroad.load().meanings(word) if language else ()
    told = [meaning.stem for meaning in meanings if meaning.language == language] or [one.stem for one in meanings]
    return tuple([key for key in dict.fromkeys(told) if key][: abroad.MOST_MEANINGS])


def _says_something(word: str, shown: str, *, is_english: bool) -> bool:
    if (len(word) < _SHORTEST and word < _ALPHABETS) or not word.isalpha() or word in EMPTY:
        return False
    return shown.casefold() not in (ENGLISH if is_english else FUNCTION_WORDS)
