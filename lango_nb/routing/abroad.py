"""What words of other languages mean in English, for requests to agents that are described in English.

The table is data, made by :mod:`lango_nb.evaluation.fitting_abroad` out of lists. It is read when such a request first
holds a word that English does not know.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from operator import itemgetter
from typing import NamedTuple

from lango_nb.core import packed
from lango_nb.core.packed import Hashes, hash_of

MAGIC = b"LANGOAB1"
ABROAD = "abroad.bin"
MOST_MEANINGS = 4
"""English words that one word is taken for at most."""
UNSPACED = "\u3000"
"""Letters from which on words have no blanks between them."""
_LONGEST_PIECE = 8
_SHORTEST_PART = 4
_LEAST_LEFT = 0.6
"""Part of a word that its beginning has to be."""
_JOINTS = ("", "s", "n", "es", "en")
"""Letters between the parts of a compound."""
_KEPT = 4096


class Meaning(NamedTuple):
    """What a word means in one language."""

    language: str
    stem: str
    """Of the English word; empty where that says nothing of what a text is about."""


class Abroad:
    """Words of other languages.

    Parameters
    ----------
    data : bytes
        As :func:`pack` writes it.

    Raises
    ------
    SettingsError
        The bytes are not such a table.

    Examples
    --------
    >>> abroad = Abroad(pack([("rechnung", "de", "invoic"), ("fattura", "it", "invoic"), ("nummer", "de", "numb")]))
    >>> [meaning.stem for meaning in abroad.meanings("rechnungen")]
    ['invoic']
    >>> [meaning.stem for meaning in abroad.meanings("rechnungsnummer")]
    ['invoic', 'numb']
    """

    def __init__(self, data: bytes) -> None:
        header, written = packed.unpack(MAGIC, data, "this is not a table of words of other languages; make it again")
        self.languages: list[str] = header["languages"]
        count: int = header["meanings"]
        body = zlib.decompress(written)
        self._words = Hashes(memoryview(body)[: 4 * count])
        """Of each meaning, its word."""
        self._stem_of = memoryview(body)[4 * count : 6 * count].cast("H")
        self._language_of = body[6 * count : 7 * count]
        self._stems = body[7 * count :].decode().split("\n")
        self.english = frozenset(self._stems)
        """Stems of all English words that are meant."""
        self.meanings = lru_cache(maxsize=_KEPT)(self._meanings)

    def __len__(self) -> int:
        """Return the number of meanings."""
        return len(self._words)

    def _meanings(self, word: str) -> tuple[Meaning, ...]:
        """Return what a folded word may mean.

        An unknown word is read as a compound of two known ones, without its ending, or, where words have no blanks
        between them, piece by piece.
        """
        if word > UNSPACED:
            return tuple([meaning for piece in self.pieces(word) for meaning in self._exact(piece)])
        exact = self._exact(word)
        if not exact:
            return tuple(self._of_compound(word) or self._of_beginning(word))
        known = {meaning.language for meaning in exact}
        return (*exact, *(one for one in self._exact(f"{word}*") if one.language not in known))

    def _exact(self, word: str) -> list[Meaning]:
        return [
            Meaning(self.languages[self._language_of[place]], self._stems[self._stem_of[place]])
            for place in self._words.places(word)
        ]

    def _of_compound(self, word: str) -> list[Meaning]:
        for cut in range(len(word) - _SHORTEST_PART, _SHORTEST_PART - 1, -1):
            last = self._exact(word[cut:])
            first = last and next(
                (
                    found
                    for joint in _JOINTS
                    if word[:cut].endswith(joint) and (found := self._exact(word[: cut - len(joint)]))
                ),
                [],
            )
            if first:
                return [*first, *last]
        return []

    def _of_beginning(self, word: str) -> list[Meaning]:
        shortest = max(_SHORTEST_PART, round(len(word) * _LEAST_LEFT))
        for size in range(len(word) - 1, shortest - 1, -1):
            if found := self._exact(word[:size]) or self._exact(f"{word[:size]}*"):
                return found
        return []

    def pieces(self, text: str) -> Iterator[str]:
        """Yield the known words of a text without blanks between them, the longest at each place."""
        at = 0
        while at < len(text):
            for size in range(min(_LONGEST_PIECE, len(text) - at), 0, -1):
                if self._exact(text[at : at + size]):
                    yield text[at : at + size]
                    break
            at += size


def pack(meanings: Iterable[tuple[str, str, str]]) -> bytes:
    """Return meanings as bytes; words are kept as hashes of four bytes.

    Parameters
    ----------
    meanings : iterable of (str, str, str)
        Folded word, or its beginning with ``*`` behind it, language, stem of the English word; the likeliest of a word
        first.
    """
    listed = list(dict.fromkeys(meanings))
    languages = sorted({language for _, language, _ in listed})
    stems = sorted({stem for _, _, stem in listed})
    places: Mapping[str, int] = {stem: place for place, stem in enumerate(stems)}
    rows = sorted(((hash_of(word), language, places[stem]) for word, language, stem in listed), key=itemgetter(0))
    body = b"".join(
        (
            Hashes.bytes_of(key for key, _, _ in rows),
            struct.pack(f"<{len(rows)}H", *(place for _, _, place in rows)),
            bytes(languages.index(language) for _, language, _ in rows),
            "\n".join(stems).encode(),
        )
    )
    return packed.pack(MAGIC, {"languages": languages, "meanings": len(rows)}, zlib.compress(body, 9))


@lru_cache(maxsize=1)
def load() -> Abroad:
    """Return the table that comes with the package; read once."""
    return Abroad(files("lango_nb.data").joinpath("router", ABROAD).read_bytes())
