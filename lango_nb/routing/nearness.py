"""How near English words are to each other, and how common they are: a vector for each of some thousand stems.

There are two tables of them. One is of what words mean, made by :mod:`lango_nb.evaluation.fitting_words` out of GloVe
vectors; one of what people say who need some kind of work, made by :mod:`lango_nb.evaluation.fitting_associations` out
of lists. They are read when a routing table first holds an agent that the learned families do not know; nothing else
needs them.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from operator import mul
from typing import NamedTuple

from lango_nb.core import packed
from lango_nb.core.packed import Hashes, hash_of

MAGIC = b"LANGOWV2"
WORDS = "words.bin"
ASSOCIATIONS = "associations.bin"
LEVELS = 16
"""Steps of a number: two of them share a byte."""
_KEPT = 8192
_LOW = bytes(byte % LEVELS for byte in range(256))
_HIGH = bytes(byte // LEVELS for byte in range(256))
_MIDDLE = (LEVELS - 1) / 2


class Word(NamedTuple):
    """What is known of a stem."""

    levels: bytes
    """Its vector, one byte a number: see :class:`Direction`."""
    telling: float
    """From nearly 0 for the commonest words to 1 for rare ones."""


class Direction:
    """A vector that words are compared with.

    Parameters
    ----------
    vector : sequence of float
    steps : sequence of float
        What one level of each number is worth.
    """

    def __init__(self, vector: Sequence[float], steps: Sequence[float]) -> None:
        self._slopes: list[float] = list(map(mul, vector, steps))
        self._zero = _MIDDLE * sum(self._slopes)

    def likeness(self, word: Word) -> float:
        """Return the product of both vectors."""
        product: float = sum(map(mul, word.levels, self._slopes))
        return product - self._zero


class Nearness:
    """Vectors of words.

    Parameters
    ----------
    data : bytes
        As :func:`pack` writes it.

    Raises
    ------
    SettingsError
        The bytes are not such vectors.
    """

    def __init__(self, data: bytes) -> None:
        self.card, written = packed.unpack(MAGIC, data, "these are not vectors of words; make them again")
        self.size: int = self.card["size"]
        self.steps: list[float] = self.card["steps"]
        """By number of a vector: what one level is worth."""
        count: int = self.card["words"]
        body = zlib.decompress(written)
        self._stems = Hashes(memoryview(body)[: 4 * count])
        self._telling = body[4 * count : 5 * count]
        self._rows = body[5 * count :]
        self.word = lru_cache(maxsize=_KEPT)(self._word)

    def __len__(self) -> int:
        """Return the number of stems."""
        return len(self._stems)

    def _word(self, stem: str) -> Word | None:
        """Return what is known of a stem."""
        place = self._stems.place(stem)
        if place is None:
            return None
        half = self.size // 2
        row = self._rows[place * half : (place + 1) * half]
        return Word(row.translate(_LOW) + row.translate(_HIGH), self._telling[place] / 255)

    def sum(self, words: Sequence[tuple[Word, float]]) -> list[float]:
        """Add vectors up, each multiplied by a number."""
        if not words:
            return [0.0] * self.size
        weights = [weight for _, weight in words]
        zero = _MIDDLE * sum(weights)
        columns = zip(*(word.levels for word, _ in words), strict=True)
        return [
            (sum(map(mul, column, weights)) - zero) * step for column, step in zip(columns, self.steps, strict=True)
        ]


def pack(card: Mapping[str, object], words: Mapping[str, tuple[int, Sequence[int]]]) -> bytes:
    """Return vectors as bytes; stems are kept as hashes of four bytes.

    Parameters
    ----------
    card : mapping
        ``size``, an even number, ``steps``, one per number, and whatever else shall be known of them.
    words : mapping of str to (int, sequence of int)
        By stem: how telling it is, 0 to 255, and its levels, each 0 to 15.

    Examples
    --------
    >>> vectors = Nearness(pack({"size": 2, "steps": [1.0, 2.0]}, {"cow": (255, (15, 0)), "milk": (51, (8, 8))}))
    >>> cow, milk = vectors.word("cow"), vectors.word("milk")
    >>> vectors.sum([(cow, 1.0)]), milk.telling, vectors.word("tax")
    ([7.5, -15.0], 0.2, None)
    >>> Direction([1.0, 0.0], vectors.steps).likeness(cow)
    7.5
    """
    hashed = dict(sorted((hash_of(word), levels) for word, levels in words.items()))
    half = int(str(card["size"])) // 2
    rows = b"".join(
        bytes([low + LEVELS * high for low, high in zip(levels[:half], levels[half:], strict=True)])
        for _, levels in hashed.values()
    )
    body = Hashes.bytes_of(hashed) + bytes([telling for telling, _ in hashed.values()]) + rows
    return packed.pack(MAGIC, {**card, "words": len(hashed)}, zlib.compress(body, 9))


@lru_cache(maxsize=2)
def load(name: str = WORDS) -> Nearness:
    """Return vectors that come with the package: :data:`WORDS` or :data:`ASSOCIATIONS`; read once."""
    return Nearness(files("lango_nb.data").joinpath("router", name).read_bytes())
