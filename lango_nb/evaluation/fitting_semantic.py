"""Fit the head over sentence vectors to the corpus: ``python -m lango_nb.evaluation.fitting_semantic``.

    corpus without the held-out third ── minilm.py ─┬─ logistic regression ── a row of 16-bit weights per family
                                                    ├─ another one: English or not
                                                    └─ both, author by author left out, beside the linear model's
                                                       scores ── what sentences count, temperature, thresholds

Needs the extras ``semantic`` and ``fit``. The weight belongs to the linear model of the same corpus: whoever fits one
fits the other. The held-out third and the exams are not looked at.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lango_nb.evaluation.corpus import Request, labelled
from lango_nb.evaluation.fitting import (
    FOLDER,
    FOLDS,
    LABELS,
    Floats,
    Numbers,
    by_author,
    calibrate,
    features_of,
    owners_in_octet,
)
from lango_nb.evaluation.minilm import READ_LAYERS, SIZE, Encoder
from lango_nb.evaluation.semantic import HEAD, pack
from lango_nb.routing.families import CONVERSATION

STRENGTH = 3.0
"""Inverse of the regularization of the head."""
ENGLISH_STRENGTH = 10.0
"""The same of the guess whether a text is English."""
ENGLISH = "en"

Vectors = npt.NDArray[np.float32]
Booleans = npt.NDArray[np.bool_]


class FittedHead(NamedTuple):
    """A head, before it becomes bytes."""

    weights: Floats
    """A row for each family, then one for being English, shape (families + 1, layers * 384)."""
    bias: Floats

    def scores(self, vectors: Vectors) -> Floats:
        """Return the scores of vectors, shape (n, families + 1)."""
        return np.asarray(vectors @ self.weights.T + self.bias, dtype=np.float64)


class Weight(NamedTuple):
    """What the head's scores count beside the linear ones."""

    least: float
    """In a text that is not English."""
    more: float
    """What is added to it in an English one."""

    def of(self, scores: Floats) -> Floats:
        """Return what is added to the linear scores, shape (n, families).

        Parameters
        ----------
        scores : array, shape (n, families + 1)
        """
        english = 1 / (1 + np.exp(-scores[:, -1]))
        return np.asarray((self.least + self.more * english)[:, None] * scores[:, :-1])


class Shares(NamedTuple):
    """What became of some requests in octet, as parts of 1."""

    right: float
    wrong_agent: float
    wrong_root: float
    """Kept by the root although an agent should have it."""
    abstained: float


def fit(vectors: Vectors, labels: Numbers, english: Booleans) -> FittedHead:
    """Fit a head to means of layers.

    Parameters
    ----------
    vectors : array, shape (n, layers * 384)
    labels : array of int, shape (n,)
        Number of each request's family.
    english : array of bool, shape (n,)

    Returns
    -------
    FittedHead
        The families' scores of a text add up to nothing.
    """
    from sklearn.linear_model import LogisticRegression

    # the rows of such a model already add up to nothing, only its intercepts do not where a family is missing
    model = LogisticRegression(C=STRENGTH, max_iter=150, tol=1e-3).fit(vectors, labels)
    weights = np.zeros((len(LABELS), vectors.shape[1]))
    weights[model.classes_] = model.coef_
    bias = np.full(len(LABELS), float(model.intercept_.min()))
    bias[model.classes_] = model.intercept_
    guess = LogisticRegression(C=ENGLISH_STRENGTH, max_iter=150, tol=1e-3).fit(vectors, english)
    return FittedHead(np.vstack([weights, guess.coef_]), np.append(bias - bias.mean(), guess.intercept_))


def by_author_left_out(requests: Sequence[Request], vectors: Vectors, labels: Numbers) -> Floats:
    """Return scores of every request from a head that saw no request of its author: with the linear model's folds."""
    authors = sorted({one.author for one in requests})
    english = np.array([one.language == ENGLISH for one in requests])
    found = np.zeros((len(requests), len(LABELS) + 1))
    for number in range(min(FOLDS, len(authors))):
        group = authors[number::FOLDS]
        out = np.array([one.author in group for one in requests])
        found[out] = fit(vectors[~out], labels[~out], english[~out]).scores(vectors[out])
    return found


def combine(linear: Floats, sentences: Floats, labels: Numbers) -> Weight:
    """Return the weight of the head's scores beside the linear ones that has the least log-loss.

    Parameters
    ----------
    linear : array, shape (n, families)
    sentences : array, shape (n, families + 1)
        Both of requests that neither model had seen.
    labels : array of int, shape (n,)
    """
    from scipy.optimize import minimize

    places = np.arange(len(labels))

    def loss(tried: Floats) -> float:
        least, more, heat = tried
        values = (linear + Weight(least, more).of(sentences)) / max(heat, 0.1)
        top = values.max(axis=1)
        return float((top + np.log(np.exp(values - top[:, None]).sum(axis=1)) - values[places, labels]).mean())

    start = np.array([0.3, 0.3, 1.0])
    limits = [(0.0, 2.0), (0.0, 2.0), (0.1, 5.0)]
    found = minimize(loss, start, method="Nelder-Mead", bounds=limits, options={"xatol": 5e-3, "fatol": 1e-5})
    least, more, _ = found.x
    return Weight(round(float(least), 2), round(float(more), 2))


def shares(scores: Floats, labels: Numbers, calibration: dict[str, float]) -> Shares:
    """Return what becomes of requests in octet, by the families' scores alone.

    Parameters
    ----------
    scores : array, shape (n, families)
    labels : array of int, shape (n,)
    calibration : dict
        As :func:`~lango_nb.evaluation.fitting.calibrate` returns it.
    """
    heated = np.exp((scores - scores.max(axis=1, keepdims=True)) / calibration["temperature"])
    likely = heated / heated.sum(axis=1, keepdims=True)
    names = owners_in_octet()
    owners = sorted(set(names.values()))
    owner_of = np.array([owners.index(names[name]) for name in LABELS])
    joined = np.stack([likely[:, owner_of == number].sum(axis=1) for number in range(len(owners))], axis=1)
    best, sure = joined.argmax(axis=1), joined.max(axis=1)
    is_root = best == owners.index(names[CONVERSATION])
    is_right = best == owner_of[labels]
    is_taken = sure >= np.where(is_root, calibration["root_threshold"], calibration["threshold"])
    return Shares(
        right=float((is_taken & is_right).mean()),
        wrong_agent=float((is_taken & ~is_right & ~is_root).mean()),
        wrong_root=float((is_taken & ~is_right & is_root).mean()),
        abstained=float((~is_taken).mean()),
    )


def vectors_of(texts: Sequence[str], encoder: Encoder, kept: Path | None = None) -> Vectors:
    """Return the means of layers of texts, shape (n, layers * 384).

    Parameters
    ----------
    texts : sequence of str, length n
    encoder : Encoder
    kept : Path, optional
        A file with the vectors of earlier calls: read where it is there, and written with what was new. It belongs to
        one model and one choice of layers.
    """
    keys = [hashlib.sha256(text.encode(errors="replace")).hexdigest() for text in texts]
    known: dict[str, Any] = {}
    if kept is not None and kept.is_file():
        with np.load(kept) as file:
            known = dict(zip(file["keys"].tolist(), file["vectors"], strict=True))
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    known |= {key: encoder.layers(text).ravel() for key, text in missing.items()}
    if kept is not None and missing:
        with kept.open("wb") as target:
            np.savez(target, keys=np.array(list(known)), vectors=np.stack(list(known.values())))
    return np.stack([known[key] for key in keys]) if keys else np.zeros((0, SIZE * len(READ_LAYERS)), np.float32)


def main(arguments: Sequence[str] | None = None) -> None:
    """Embed, fit, combine, calibrate, write."""
    parser = argparse.ArgumentParser(description="fit the head over sentence vectors to the corpus")
    parser.add_argument("--out", type=Path, default=FOLDER / HEAD)
    parser.add_argument("--model", type=Path, help="folder with the sentence model's files")
    parser.add_argument("--vectors", type=Path, help="file (.npz) to keep vectors in: embedding takes minutes")
    options = parser.parse_args(arguments)
    requests = labelled("train")
    texts = [one.text for one in requests]
    labels = np.array([LABELS.index(one.family) for one in requests])
    english = np.array([one.language == ENGLISH for one in requests])
    vectors = vectors_of(texts, Encoder(options.model), options.vectors)
    linear = by_author(requests, [features_of(text) for text in texts], labels)
    sentences = by_author_left_out(requests, vectors, labels)
    weight = combine(linear, sentences, labels)
    both = linear + weight.of(sentences)
    measured = _measured(labels, english, {"words": linear, "both": both})
    fitted = fit(vectors, labels, english)
    card: dict[str, object] = {
        "requests": len(requests),
        "corpus": hashlib.sha256("\n".join(texts).encode()).hexdigest(),
        "families": list(LABELS),
        "bias": [round(float(value), 5) for value in fitted.bias],
        "weight": list(weight),
        "calibration": (calibration := calibrate(both, labels)),
        "measured": measured,
    }
    options.out.write_bytes(pack(card, fitted.weights))
    size = options.out.stat().st_size
    sys.stdout.write(f"{len(requests)} requests, {size:,} bytes, {tuple(weight)}, {calibration}\n")
    for name, found in measured.items():
        sys.stdout.write(f"  {name}: {', '.join(f'{part} {value:.1%}' for part, value in found.items())}\n")


def _measured(labels: Numbers, english: Booleans, scored: dict[str, Floats]) -> dict[str, dict[str, float]]:
    """Return shares in octet by model and language, of authors the models had not seen."""
    found = {}
    for name, scores in scored.items():
        calibration = calibrate(scores, labels)
        for language, chosen in (("English", english), ("other languages", ~english)):
            if chosen.any():
                part = shares(scores[chosen], labels[chosen], calibration)
                found[f"{name}, {language}"] = {word: round(value, 4) for word, value in part._asdict().items()}
    return found


if __name__ == "__main__":
    main()
