"""How near words are to each other: a vector for each of some ten thousand common words of ten languages.

The vectors are data, made by :mod:`lango_nb.evaluation.fitting_words` out of models of sentences, so that words of
which people speak in the same breath lie near each other, whatever their language. They are read when a routing table
first holds an agent that the learned families do not know; nothing else needs them.
"""

from __future__ import annotations

import json
import struct
import zlib
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

from lango_nb.core.errors import SettingsError
from lango_nb.routing.features import fold

MAGIC = b"LANGOWV1"
WORDS = "words.bin"
LEVELS = 16
"""Steps of a number: two of them share a byte."""
SHORTEST_BEGINNING = 4
"""Letters of a word that have to be left where an ending is taken off."""
_LEAST_LEFT = 0.6
_LEAST_PART = 4
"""Letters of the shortest part of a compound."""
_LONGEST_PIECE = 6
_KEPT = 8192
_LOW = [byte % LEVELS for byte in range(256)]
_HIGH = [byte // LEVELS for byte in range(256)]

Vector = tuple[float, ...]


class Nearness:
    """Vectors of words.

    Parameters
    ----------
    data : bytes
        As :func:`pack` writes it.

    Raises
    ------
    SettingsError
        The bytes are no vectors.
    """

    def __init__(self, data: bytes) -> None:
        if data[: len(MAGIC)] != MAGIC:
            raise SettingsError("these are no vectors of words; fit them again")
        at = len(MAGIC) + 4
        (size,) = struct.unpack_from("<I", data, len(MAGIC))
        self.card: dict[str, Any] = json.loads(data[at : at + size])
        self.size: int = self.card["size"]
        self._steps: list[float] = self.card["steps"]
        """By number: what one level is worth."""
        count: int = self.card["words"]
        body = zlib.decompress(data[at + size :])
        self._keys = memoryview(body)[: 4 * count].cast("I")
        """Hashes of the words, ascending."""
        self._weights = body[4 * count : 5 * count]
        """How much each word says, as a byte."""
        self._rows = body[5 * count :]
        self.of_word = lru_cache(maxsize=_KEPT)(self._vectors)

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self._keys)

    def _vectors(self, word: str) -> tuple[Vector, ...]:
        """Return the vectors of a folded word: one, or one for each of its parts; none where nothing is known.

        An unknown word is read without its ending, as a compound of two known ones, or, where words have no blanks
        between them, piece by piece.
        """
        if word and word[0] > "\u3000":
            return self._of_pieces(word)
        place = self._known(word)
        if place is not None:
            return (self._vector(place),)
        for cut in range(len(word) - _LEAST_PART, _LEAST_PART - 1, -1):
            first, second = self._known(word[:cut]), self._known(word[cut:])
            if first is not None and second is not None:
                return self._vector(first), self._vector(second)
        return ()

    def _known(self, word: str) -> int | None:
        """Return the place of a word, or of the longest beginning of it that is known."""
        shortest = max(SHORTEST_BEGINNING, round(len(word) * _LEAST_LEFT))
        for size in (len(word), *range(len(word) - 1, shortest - 1, -1)):
            place = self._place(word[:size])
            if place is not None:
                return place
        return None

    def _of_pieces(self, word: str) -> tuple[Vector, ...]:
        found: list[Vector] = []
        at = 0
        while at < len(word):
            for size in range(min(_LONGEST_PIECE, len(word) - at), 0, -1):
                place = self._place(word[at : at + size])
                if place is not None:
                    found.append(self._vector(place))
                    break
            at += size
        return tuple(found)

    def _place(self, word: str) -> int | None:
        key = zlib.crc32(word.encode())
        place = bisect_left(self._keys, key)
        return place if place < len(self._keys) and self._keys[place] == key else None

    def _vector(self, place: int) -> Vector:
        half = self.size // 2
        row = self._rows[place * half : (place + 1) * half]
        levels = [*map(_LOW.__getitem__, row), *map(_HIGH.__getitem__, row)]
        weight = self._weights[place] / 255
        middle = (LEVELS - 1) / 2
        return tuple([(level - middle) * step * weight for level, step in zip(levels, self._steps, strict=True)])


def pack(card: Mapping[str, object], words: Mapping[str, tuple[int, Sequence[int]]]) -> bytes:
    """Return vectors as bytes; words are kept as hashes of four bytes.

    Parameters
    ----------
    card : mapping
        ``size``, an even number, ``steps``, one per number, and whatever else shall be known of them.
    words : mapping of str to (int, sequence of int)
        By folded word: its weight, 0 to 255, and its levels, each 0 to 15.

    Examples
    --------
    >>> vectors = Nearness(pack({"size": 2, "steps": [1.0, 2.0]}, {"cow": (255, (15, 0)), "milk": (51, (8, 8))}))
    >>> vectors.of_word("cow"), vectors.of_word("cowmilk"), vectors.of_word("tax")
    (((7.5, -15.0),), (), ())
    >>> [round(one, 2) for one in vectors.of_word("milky")[0]]
    [0.1, 0.2]
    """
    hashed = dict(sorted((zlib.crc32(fold(word).encode()), levels) for word, levels in words.items()))
    half = int(str(card["size"])) // 2
    header = json.dumps({**card, "words": len(hashed)}).encode()
    rows = b"".join(
        bytes([low + LEVELS * high for low, high in zip(levels[:half], levels[half:], strict=True)])
        for _, levels in hashed.values()
    )
    body = struct.pack(f"<{len(hashed)}I", *hashed) + bytes([weight for weight, _ in hashed.values()]) + rows
    return b"".join((MAGIC, struct.pack("<I", len(header)), header, zlib.compress(body, 9)))


@lru_cache(maxsize=1)
def load() -> Nearness:
    """Return the vectors that come with the package; read once."""
    return Nearness(files("lango_nb.data").joinpath("router", WORDS).read_bytes())
