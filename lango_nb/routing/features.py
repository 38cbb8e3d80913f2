"""A text as features of the learned router: words, pairs of words, pieces of words, and what is not a word.

One function serves fitting and routing, so that both see the same. What a request is about (paths, addresses, numbers,
quoted strings) is replaced by its shape: that there is a path says something, which one it is says nothing.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from lango_nb.core.lazy import compiled

READ_CHARS = 4000
"""Characters of a text that are read; what people ask for stands at its beginning or its end."""
VERSION = 3
"""Of what this module does with a text; weights fitted with another one are refused."""

_EXTENSIONS = (
    "md|txt|py|json|ya?ml|toml|csv|tsv|log|html?|js|ts|css|ini|cfg|conf|sh|ipynb|rst|xml|sql|pdf|png|jpe?g|gif|svg|lock|env|"
    "bak|docx?|xlsx?|pptx?|odt|zip|gz|tar|mp3|mp4|wav|mov|tex|bib|rs|go|java|c|cpp|h|tmp|orig|old|dat|db|parquet"
)
_SHAPES: tuple[tuple[str, str], ...] = (
    ("quote", r"\"[^\"]{1,3000}\"|“[^”]{1,3000}”|„[^“”]{1,3000}[“”]|«[^»]{1,3000}»|(?<!\w)'[^'\n]{2,400}'(?!\w)"),
    ("command", r"`[^`\n]{1,300}`"),
    ("url", r"\bhttps?://\S+|\bwww\.\S+|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|de|fr|es|it|edu|gov|ai|co|example)\b(?:/\S*)?"),
    ("mail", r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b"),
    ("address", r"\b0x[0-9a-fA-F…]{4,}|\b[\w-]+\.eth\b"),
    ("path", rf"(?<![\w/])(?:~|\.{{1,2}})?/?(?:[\w.-]+/)+[\w.*-]*|(?<![\w/.])/[\w.-]+|(?<![\w.-])[\w*-]+(?:\.[\w-]+)*\.(?:{_EXTENSIONS})(?![\w-])"),
    ("amount", r"[$€£]\s?\d[\d.,]*|\b\d[\d.,]*\s?(?:usdc|dollars?|usd|eur|euros?|bucks|cents?)\b"),
    ("clock", r"\b\d{1,2}(?::\d\d|h\d\d)(?:\s?[ap]m)?\b|\b\d{1,2}\s?(?:[ap]m|uhr|o'clock)\b"),
    ("date", r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}[./]\d{1,2}(?:[./]\d{2,4})?\b"),
    ("span", r"\b\d+\s?(?:s|sec|secs|min|mins|minutes?|minuten|minutos|hours?|hrs?|stunden|horas|heures|days?|tage|días|jours|weeks?|months?)\b"),
    ("id", r"\b[a-z]{1,12}[-_#]?\d+[\w-]*\b|#\d+\b|\b(?=[\w-]*\d)[\w]+(?:-[\w]+)+\b"),
    ("number", r"\b\d[\d.,]*\b"),
)  # fmt: skip
SHAPE_NAMES = tuple(name for name, _ in _SHAPES)
_PLAIN = r"(?<!\S)(?-i:(?:[(¿¡]?[^\W\d_]++(?:['\u2019-][^\W\d_]++)*+[.,;:!?)]?(?:\s++|\Z))++)"
"""A run of words in which no shape can begin, each with a blank behind it: far quicker than to look for every shape."""
_ANY_SHAPE = "(?i)" + "|".join((_PLAIN, *(f"(?P<{name}>{pattern})" for name, pattern in _SHAPES)))
_ID_WORD = re.compile(r"^[a-z]+", re.IGNORECASE)
_WORD = re.compile(r"§\w+|[^\W_]+(?:['\u2019][^\W_]+)?|[?!]", re.UNICODE)
_UNSPACED = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]"
"""Scripts in which pieces of one or two characters are words."""
_POLITE = frozenset(("please", "pls", "plz", "kindly", "bitte", "proszę", "prosze", "alstublieft", "svp"))
"""Words that say how something is asked for and never what; they are not read."""
_SHORTEST, _LONGEST = 3, 5
_LONGEST_WORD = 24
_MARK = "§"


class Token(NamedTuple):
    """One word of a text, or one thing that is not a word."""

    text: str
    """Folded, accents taken off; ``§path`` and the like for what is not a word."""
    shown: str
    """As it stands in the text."""

    @property
    def shape(self) -> str:
        """What kind of thing it is, ``path`` for instance; empty for words."""
        return self.text[1:] if self.text.startswith(_MARK) else ""


class _WithoutAccents(dict[int, int | None]):
    """What becomes of characters: those that combine with the one before go."""

    def __missing__(self, code: int) -> int | None:
        kept = self[code] = None if unicodedata.combining(chr(code)) else code
        return kept


_WITHOUT_ACCENTS = _WithoutAccents()


@lru_cache(maxsize=16384)
def fold(word: str) -> str:
    """Fold a word: lower case, compatible forms, no accents.

    Examples
    --------
    >>> fold("Größe"), fold("MAÑANA")
    ('grosse', 'manana')
    """
    if word.isascii():
        return word.lower()
    parts = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", word).casefold()).casefold()
    return unicodedata.normalize("NFC", parts.translate(_WITHOUT_ACCENTS)).replace("\u2019", "'")


@lru_cache(maxsize=64)
def tokens(text: str) -> tuple[Token, ...]:
    """Split a text into words, with what is not a word replaced by its shape.

    Parameters
    ----------
    text : str
        Of a long one the beginning and the end are read.

    Returns
    -------
    tuple of Token

    Examples
    --------
    >>> [token.text for token in tokens("Read docs/notes.md at 9:30, then pay 5 USDC")]
    ['read', '§path', 'at', '§clock', 'then', 'pay', '§amount']
    """
    if len(text) > READ_CHARS:
        text = f"{text[: READ_CHARS * 2 // 3]} {text[-READ_CHARS // 3 :]}"
    found: list[Token] = []
    place = 0
    for match in compiled(_ANY_SHAPE).finditer(text):
        name = match.lastgroup
        if name is None:
            continue
        found += _words(text[place : match.start()])
        place = match.end()
        shown = match.group()
        found.append(Token(_MARK + name, shown))
        if name == "command":
            found += _words(" ".join(shown.strip("`").split()[:2]))
        elif name == "id" and (word := _ID_WORD.match(shown)) and len(word.group()) > 1:
            found.append(Token(fold(word.group()), word.group()))
    found += _words(text[place:])
    return tuple(found)


def _words(text: str) -> list[Token]:
    return [token for token in map(_word, _WORD.findall(text)) if token.text not in _POLITE]


@lru_cache(maxsize=8192)
def _word(word: str) -> Token:
    return Token(fold(word[:_LONGEST_WORD]), word)


@lru_cache(maxsize=16384)
def of_word(word: str) -> tuple[str, ...]:
    """List the features of one word: itself, and its pieces with its edges as blanks.

    Examples
    --------
    >>> of_word("pay")
    ('w:pay', ' pa', ' pay', ' pay ', 'pay', 'pay ', 'ay ')
    >>> of_word("§path")
    ('w:§path',)
    """
    names = [f"w:{word}"]
    if word.startswith(_MARK) or word in {"?", "!"}:
        return tuple(names)
    shortest = _SHORTEST if word.isascii() or not compiled(_UNSPACED).search(word) else 1
    padded = word if shortest == 1 else f" {word} "
    size = len(padded)
    for begin in range(size):
        ends = range(begin + shortest, min(begin + _LONGEST, size) + 1)
        names.extend(padded[begin:end] for end in ends)
    return tuple(dict.fromkeys(names))


def pairs(found: Sequence[Token]) -> list[tuple[str, str]]:
    """List the pairs of neighbouring words, with the beginning and the end, each as feature and as it is shown.

    Examples
    --------
    >>> pairs(tokens("Pay me"))
    [('p:^ pay', 'Pay …'), ('p:pay me', 'Pay me'), ('p:^ pay me', 'Pay me …'), ('p:me $', '… me')]
    """
    if not found:
        return []
    first, last = found[0], found[-1]
    listed = [(f"p:^ {first.text}", f"{first.shown} …")]
    listed += [(f"p:{a.text} {b.text}", f"{a.shown} {b.shown}") for a, b in itertools.pairwise(found)]
    if len(found) > 1:
        listed.append((f"p:^ {first.text} {found[1].text}", f"{first.shown} {found[1].shown} …"))
    listed.append((f"p:{last.text} $", f"… {last.shown}"))
    return listed
