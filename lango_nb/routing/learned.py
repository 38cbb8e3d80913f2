"""The learned part of the router: a linear model that says which tool family a text asks for.

The weights are data, fitted by :mod:`lango_nb.evaluation.fitting` on the corpus in ``data/corpus``: one row per feature
(``features.py``), one byte per family. A family's score is its bias and the sum of the weights of the features, divided
by the length of the text; so each word's part in it can be told.

Neither numpy nor a library of models is needed: the rows of a text's words are few, and what a word's pieces add up to
is kept for the next text with the same word.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from lango_nb.core import packed
from lango_nb.core.errors import SettingsError
from lango_nb.core.packed import Hashes, hash_of
from lango_nb.routing.families import check_families
from lango_nb.routing.features import VERSION, Token, of_word, pairs, tokens

MAGIC = b"LANGORT2"
WEIGHTS = "weights.bin"
_ZERO = 128
"""The byte that stands for a weight of nothing."""
IDF_STEPS = 16
"""Steps of one in the bytes of inverse document frequencies."""
_KEPT = 4096
"""Words, and pairs of words, whose steps are kept; the least recently used ones are forgotten."""


class Scored(NamedTuple):
    """What the model says of one text."""

    scores: tuple[float, ...]
    """One per family, in the order of :attr:`Learned.families`; larger is likelier, the average is about 0."""
    parts: Sequence[Token]
    """What the scores are made of beside their bias: words, pairs of words, shapes."""
    columns: Sequence[Sequence[float]]
    """By family: what each part adds to it, before it is scaled."""
    scales: Sequence[float]
    """By family: what its column is multiplied by."""


class Learned:
    """A linear model over words and their pieces.

    Parameters
    ----------
    data : bytes
        As :func:`pack` writes it.

    Raises
    ------
    SettingsError
        The bytes are not weights, or were fitted for other features.

    Examples
    --------
    >>> model = load()
    >>> best = max(zip(model.score("remind me at nine to call mum").scores, model.families))[1]
    >>> best
    'cron'
    """

    def __init__(self, data: bytes) -> None:
        self.card, written = packed.unpack(MAGIC, data, "these are not weights of a router; fit them again")
        if self.card["features"] != VERSION:
            raise SettingsError(
                f"the router's weights are for features {self.card['features']}, this is {VERSION}; fit them again"
            )
        self.families: tuple[str, ...] = tuple(self.card["families"])
        self.bias: tuple[float, ...] = tuple(self.card["bias"])
        self._scales: tuple[float, ...] = tuple(self.card["scales"])
        self._width = len(self.families) + 1
        self._body = zlib.decompress(written)
        self._first = 4 * (len(self._body) // (4 + self._width))
        """Where the rows begin, behind the hashes."""
        self._features = Hashes(memoryview(self._body)[: self._first])
        self._of_word = lru_cache(maxsize=_KEPT)(self._steps_of_word)
        self._of_pair = lru_cache(maxsize=_KEPT)(self._steps_of_pair)

    def __len__(self) -> int:
        """Return the number of features."""
        return len(self._features)

    def score(self, text: str) -> Scored:
        """Score a text.

        Parameters
        ----------
        text : str

        Returns
        -------
        Scored
        """
        found = tokens(text)
        known = [(token, steps) for token in found if (steps := self._of_word(token.text))]
        known += [(Token(name, shown), steps) for name, shown in pairs(found) if (steps := self._of_pair(name))]
        columns = list(zip(*[steps for _, steps in known], strict=True)) or [()] * self._width
        length = math.sqrt(sum(columns.pop())) / IDF_STEPS
        if not length:
            return Scored(self.bias, (), [()] * len(self.bias), self._scales)
        scales = [scale / length for scale in self._scales]
        totals = zip(self.bias, map(sum, columns), scales, strict=True)
        scores = tuple([bias + total * scale for bias, total, scale in totals])
        return Scored(scores, [token for token, _ in known], columns, scales)

    def _steps_of_word(self, word: str) -> tuple[int, ...]:
        return self._steps(of_word(word))

    def _steps_of_pair(self, name: str) -> tuple[int, ...]:
        return self._steps((name,))

    def _steps(self, features: Iterable[str]) -> tuple[int, ...]:
        """Add features up: steps of each family, and the sum of the squares of the inverse frequencies.

        Empty when none of them is known.
        """
        rows = [row for name in features if (row := self._row(name))]
        if not rows:
            return ()
        zero = _ZERO * len(rows)
        steps = [total - zero for total in map(sum, zip(*rows, strict=True))]
        steps[-1] = sum([row[-1] * row[-1] for row in rows])
        return tuple(steps)

    def _row(self, feature: str) -> bytes:
        """Return a feature's row: a byte for each family and the inverse frequency; empty when it is unknown."""
        place = self._features.place(feature)
        if place is None:
            return b""
        begin = self._first + place * self._width
        return self._body[begin : begin + self._width]


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
    hashed = dict(sorted((hash_of(name), row) for name, row in rows.items()))
    return packed.pack(MAGIC, card, zlib.compress(Hashes.bytes_of(hashed) + b"".join(hashed.values()), 9))


@lru_cache(maxsize=1)
def load() -> Learned:
    """Return the weights that come with the package; read once.

    Raises
    ------
    SettingsError
        They were fitted for other families than :data:`~lango_nb.routing.families.FAMILIES`.
    """
    learned = Learned(files("lango_nb.data").joinpath("router", WEIGHTS).read_bytes())
    check_families(learned.families)
    return learned
