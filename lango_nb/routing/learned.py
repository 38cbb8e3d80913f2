"""The learned part of the router: a linear model that says which tool family a text asks for.

The weights are data, fitted by :mod:`lango_nb.evaluation.fitting` on the corpus in ``data/corpus``: one row per feature
(``features.py``), one byte per family. A family's score is its bias and the sum of the weights of the features, divided
by the length of the text; so each word's part in it can be told.

Neither numpy nor a library of models is needed: the bytes of a row become one large integer with 32 bits per family, so
that adding two integers adds all families at once. What a word adds up to is kept.
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from lango_nb.core.errors import SettingsError
from lango_nb.routing.features import VERSION, of_word, pairs, tokens

MAGIC = b"LANGORT2"
WEIGHTS = "weights.bin"
_LANE = 32
_ZERO = 128
"""The byte that stands for a weight of nothing."""
IDF_STEPS = 16
"""Steps of one in the bytes of inverse document frequencies."""
_MOST_WORDS = 4000
"""Words of a text that are scored: far below what could overflow a lane."""


class Part(NamedTuple):
    """What one word, pair of words or shape says."""

    shown: str
    """As it stands in the text."""
    shape: str
    """What kind of thing it is, ``path`` for instance; empty for words."""
    lanes: Sequence[float]
    """What it adds to each family, before it is shifted and scaled."""
    zero: int = 0
    scales: Sequence[float] = ()
    """None for lanes that are weights already."""

    def weight(self, family: int) -> float:
        """Return what it adds to the family of a place; only a few are ever asked for."""
        return (self.lanes[family] - self.zero) * self.scales[family] if self.scales else self.lanes[family]


class Scored(NamedTuple):
    """What the model says of one text."""

    scores: tuple[float, ...]
    """One per family, in the order of :attr:`Learned.families`; larger is likelier, the average is about 0."""
    parts: tuple[Part, ...]
    """The scores without their bias, word by word."""


class Learned:
    """A linear model over words and their pieces.

    Parameters
    ----------
    data : bytes
        As :func:`pack` writes it.

    Raises
    ------
    SettingsError
        The bytes are no weights, or were fitted for other features.

    Examples
    --------
    >>> model = load()
    >>> best = max(zip(model.score("remind me at nine to call mum").scores, model.families))[1]
    >>> best
    'cron'
    """

    def __init__(self, data: bytes) -> None:
        if data[: len(MAGIC)] != MAGIC:
            raise SettingsError("these are no weights of a router; fit them again")
        at = len(MAGIC)
        (size,) = struct.unpack_from("<I", data, at)
        at += 4
        self.card = json.loads(data[at : at + size])
        at += size
        if self.card["features"] != VERSION:
            raise SettingsError(
                f"the router's weights are for features {self.card['features']}, this is {VERSION}; fit them again"
            )
        self.families: tuple[str, ...] = tuple(self.card["families"])
        self.bias: tuple[float, ...] = tuple(self.card["bias"])
        self._scales: tuple[float, ...] = tuple(self.card["scales"])
        self._count = len(self.families)
        body = memoryview(zlib.decompress(data[at:]))
        rows = len(body) // (4 + self._count + 1)
        self._keys = body[: 4 * rows].cast("I")
        """Hashes of the features, ascending."""
        self._rows = body[4 * rows :]
        self._unpack = struct.Struct(f"<{self._count + 2}I").unpack
        self._bytes = 4 * (self._count + 2)
        self._words: dict[str, int] = {}

    def __len__(self) -> int:
        """Return the number of features."""
        return len(self._keys)

    def score(self, text: str) -> Scored:
        """Score a text.

        Parameters
        ----------
        text : str

        Returns
        -------
        Scored
        """
        found = tokens(text)[:_MOST_WORDS]
        groups = [(token.shown, token.shape, self._of_word(token.text)) for token in found]
        groups += [(shown, "", packed) for name, shown in pairs(found) if (packed := self._row(name))]
        lanes = self._unpack(sum(packed for _, _, packed in groups).to_bytes(self._bytes, "little"))
        length = math.sqrt(lanes[-2]) / IDF_STEPS
        if not length:
            return Scored(self.bias, ())
        scales = [scale / length for scale in self._scales]
        count = lanes[-1] * _ZERO
        scores = tuple(
            bias + (lane - count) * scale for bias, lane, scale in zip(self.bias, lanes, scales, strict=False)
        )
        parts = []
        for shown, shape, packed in groups:
            if packed:
                lanes = self._unpack(packed.to_bytes(self._bytes, "little"))
                parts.append(Part(shown, shape, lanes, lanes[-1] * _ZERO, scales))
        return Scored(scores, tuple(parts))

    def _of_word(self, word: str) -> int:
        packed = self._words.get(word)
        if packed is None:
            if len(self._words) > 1 << 16:
                self._words.clear()
            packed = self._words[word] = sum(map(self._row, of_word(word)))
        return packed

    def _row(self, feature: str) -> int:
        """Return a feature's row as one integer: families, square of the inverse frequency, count."""
        key = zlib.crc32(feature.encode())
        place = bisect_left(self._keys, key)
        if place == len(self._keys) or self._keys[place] != key:
            return 0
        width = self._count + 1
        row = self._rows[place * width : place * width + width]
        spread = bytearray(4 * self._count)
        spread[::4] = row[: self._count]
        idf = row[self._count]
        return int.from_bytes(spread, "little") + (idf * idf << _LANE * self._count) + (1 << _LANE * (self._count + 1))


def pack(card: dict[str, object], rows: Mapping[str, bytes]) -> bytes:
    """Return weights as bytes; features are kept as hashes of four bytes.

    Parameters
    ----------
    card : dict
        ``families``, ``bias`` and ``scales`` per family, ``features``, and whatever else shall be known of them.
    rows : mapping of str to bytes, length families + 1 each
        Per feature a byte for each family, 128 for nothing, and its inverse document frequency in sixteenths.

    Returns
    -------
    bytes
    """
    header = json.dumps(card, ensure_ascii=False).encode()
    hashed = dict(sorted((zlib.crc32(name.encode()), row) for name, row in rows.items()))
    body = array("I", hashed).tobytes() + b"".join(hashed.values())
    return b"".join((MAGIC, struct.pack("<I", len(header)), header, zlib.compress(body, 9)))


@lru_cache(maxsize=1)
def load() -> Learned:
    """Return the weights that come with the package; read once."""
    return Learned(files("lango_nb.data").joinpath("router", WEIGHTS).read_bytes())
