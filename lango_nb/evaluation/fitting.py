"""Fit the router's weights to the corpus: ``python -m lango_nb.evaluation.fitting``.

    corpus without the held-out third ── features ── logistic regression ── the strongest features, a byte per weight
                                      └─ the same, author by author left out ── temperature, thresholds

Needs the extra ``fit`` (scikit-learn). Thresholds come from requests of authors that the weights at hand have not seen:
that is how somebody new will be served. The held-out third and the exams are not looked at.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lango_nb.evaluation.corpus import Request, labelled
from lango_nb.routing.build import build_agent_tree
from lango_nb.routing.families import CAPABILITIES, CONVERSATION, FAMILIES
from lango_nb.routing.features import VERSION, of_word, pairs, tokens
from lango_nb.routing.learned import IDF_STEPS, WEIGHTS, pack
from lango_nb.routing.own_words import shares_of
from lango_nb.specs.topologies import load_topology
from lango_nb.tools.tool import Tool

LABELS = (*(family.name for family in FAMILIES), CONVERSATION)
FOLDER = Path(__file__).parents[1] / "data" / "router"
MOST_FEATURES = 84_000
"""Features that are kept: those with the largest weights."""
LEAST_REQUESTS = 2
"""Requests a feature has to occur in."""
STRENGTH = 40.0
"""Inverse of the regularization."""
MOST_ROUNDS = 1000
"""Rounds until the weights have to be at rest: stopped before, a few requests more or less move them by points."""
MOST_WRONG = 0.02
"""Share of requests that may go to a wrong agent, which fixes the threshold."""
FOLDS = 5
_QUANTILE, _ZERO = 127, 128

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
Names = list[list[str]]


class Fitted(NamedTuple):
    """Weights, before they become bytes."""

    names: list[str]
    idf: Floats
    weights: Floats
    """One row per feature, one column per family; what one occurrence adds, before the length of the text."""
    bias: Floats


@lru_cache(maxsize=1)
def owners_in_octet() -> dict[str, str]:
    """Return who owns which family in the topology for which the threshold is fitted.

    Returns
    -------
    dict of str to str
        Family to the agent that has the largest part of it; conversation belongs to the root.
    """
    tree = build_agent_tree([Tool(start) for start in CAPABILITIES], load_topology("octet"))
    parts = [(shares_of(row), row.name) for row in tree.table]
    found = {family.name: max((owned.get(family.name, 0.0), name) for owned, name in parts)[1] for family in FAMILIES}
    return {**found, CONVERSATION: "root"}


def features_of(text: str) -> list[str]:
    """List the features of a text, one entry per occurrence."""
    found = tokens(text)
    names = [name for token in found for name in of_word(token.text)]
    return names + [name for name, _ in pairs(found)]


def fit(listed: Names, labels: Numbers, most_rounds: int = MOST_ROUNDS) -> Fitted:
    """Fit weights to requests.

    Parameters
    ----------
    listed : list of list of str, length n
        Features of each request.
    labels : array of int, shape (n,)
        Number of each request's family.
    most_rounds : int
        Rounds after which it ends, at rest or not.

    Returns
    -------
    Fitted
        Centred: what all families have in common is taken out.
    """
    from scipy import sparse
    from sklearn.linear_model import LogisticRegression

    counts = Counter(name for names in listed for name in set(names))
    kept = {name for name, count in counts.items() if count >= LEAST_REQUESTS}
    places = {name: place for place, name in enumerate(sorted(kept))}
    idf = _idf(np.array([counts[name] for name in places]), len(listed))
    found, length = _counted(listed, places, idf)
    matrix = (sparse.diags(1 / length) @ found @ sparse.diags(idf)).tocsr()
    model = LogisticRegression(C=STRENGTH, max_iter=most_rounds, tol=1e-4).fit(matrix, labels)
    coefficients = np.zeros((len(LABELS), matrix.shape[1]))
    coefficients[model.classes_] = model.coef_
    bias = np.full(len(LABELS), float(model.intercept_.min()))
    bias[model.classes_] = model.intercept_
    weights = coefficients.T * idf[:, None]
    return Fitted(list(places), idf, weights - weights.mean(axis=1, keepdims=True), bias - bias.mean())


def scores(fitted: Fitted, listed: Names) -> Floats:
    """Return the scores of requests, shape (n, families): as the product computes them, but for rounding."""
    places = {name: place for place, name in enumerate(fitted.names)}
    found, length = _counted(listed, places, fitted.idf)
    return np.asarray((found @ fitted.weights) / length[:, None] + fitted.bias)


def prune(fitted: Fitted, most: int) -> Fitted:
    """Keep the features with the largest weights."""
    strength = np.abs(fitted.weights).max(axis=1)
    kept = np.sort(np.argsort(-strength, kind="stable")[:most])
    names = [fitted.names[place] for place in kept]
    return Fitted(names, fitted.idf[kept], fitted.weights[kept], fitted.bias)


def to_bytes(fitted: Fitted, card: dict[str, object]) -> bytes:
    """Round weights to a byte each."""
    scales = np.maximum(np.quantile(np.abs(fitted.weights), 0.9999, axis=0), 1e-9) / _QUANTILE
    rows = np.clip(np.round(fitted.weights / scales), -_QUANTILE, _QUANTILE) + _ZERO
    steps = np.minimum(np.round(fitted.idf * IDF_STEPS), 255)
    data = np.hstack([rows, steps[:, None]]).astype(np.uint8)
    full = {
        **card,
        "features": VERSION,
        "families": list(LABELS),
        "bias": [round(float(value), 4) for value in fitted.bias],
        "scales": [float(f"{value:.6g}") for value in scales],
    }
    return pack(full, {name: row.tobytes() for name, row in zip(fitted.names, data, strict=True)})


def calibrate(found: Floats, labels: Numbers) -> dict[str, float]:
    """Fit temperature and thresholds to scores of requests that the weights had not seen.

    Parameters
    ----------
    found : array, shape (n, families)
    labels : array of int, shape (n,)

    Returns
    -------
    dict
        ``temperature`` has the least log-loss; ``threshold`` is the smallest with no more than :data:`MOST_WRONG` of
        the requests at a wrong agent of octet; ``root_threshold`` is the same for requests that the root would keep.
    """
    heats = np.arange(0.5, 3.01, 0.05)
    temperature = float(min(heats, key=lambda heat: _log_loss(found / heat, labels)))
    likely = _softmax(found / temperature)
    owner_of = owners_in_octet()
    owners = sorted(set(owner_of.values()))
    joined = np.stack([likely[:, [owner_of[name] == owner for name in LABELS]].sum(axis=1) for owner in owners], axis=1)
    right = np.array([owners.index(owner_of[LABELS[label]]) for label in labels])
    best, sure, root = joined.argmax(axis=1), joined.max(axis=1), owners.index("root")
    wrong_agent = sure[(best != right) & (best != root)]
    wrong_root = sure[(best != right) & (best == root)]
    return {
        "temperature": round(temperature, 3),
        "threshold": _threshold(wrong_agent, len(labels) * MOST_WRONG),
        "root_threshold": min(_threshold(wrong_root, len(labels) * MOST_WRONG), 0.5),
    }


def by_author(requests: Sequence[Request], listed: Names, labels: Numbers) -> Floats:
    """Return scores of every request from weights that saw no request of its author."""
    authors = sorted({one.author for one in requests})
    groups = [authors[number::FOLDS] for number in range(min(FOLDS, len(authors)))]
    found = np.zeros((len(requests), len(LABELS)))
    for group in groups:
        out = np.array([one.author in group for one in requests])
        fitted = fit([names for names, is_out in zip(listed, out, strict=True) if not is_out], labels[~out])
        mine = [names for names, is_out in zip(listed, out, strict=True) if is_out]
        found[out] = scores(prune(fitted, MOST_FEATURES), mine)
    return found


def main() -> None:
    """Fit, calibrate, write."""
    parser = argparse.ArgumentParser(description="fit the router's weights to the corpus")
    parser.add_argument("--out", type=Path, default=FOLDER / WEIGHTS)
    options = parser.parse_args()
    requests = labelled("train")
    listed = [features_of(one.text) for one in requests]
    labels = np.array([LABELS.index(one.family) for one in requests])
    calibration = calibrate(by_author(requests, listed, labels), labels)
    fitted = prune(fit(listed, labels), MOST_FEATURES)
    card: dict[str, object] = {
        "requests": len(requests),
        "corpus": hashlib.sha256("\n".join(one.text for one in requests).encode()).hexdigest(),
        "calibration": calibration,
    }
    options.out.write_bytes(to_bytes(fitted, card))
    size = options.out.stat().st_size
    sys.stdout.write(f"{len(requests)} requests, {len(fitted.names)} features, {size:,} bytes, {calibration}\n")


def _idf(seen: Floats | Numbers, requests: int) -> Floats:
    """Return inverse document frequencies in the steps that a byte can hold."""
    return np.asarray(np.round((np.log((1 + requests) / (1 + seen)) + 1) * IDF_STEPS) / IDF_STEPS)


def _counted(listed: Names, places: dict[str, int], idf: Floats) -> tuple[Any, Floats]:
    """Return how often each request holds each feature, and its length."""
    from scipy import sparse

    ends: list[int] = [0]
    columns: list[int] = []
    values: list[int] = []
    for names in listed:
        counts = Counter(places[name] for name in names if name in places)
        columns.extend(counts)
        values.extend(counts.values())
        ends.append(len(columns))
    found = sparse.csr_matrix((np.array(values, dtype=np.float64), columns, ends), shape=(len(listed), len(places)))
    return found, np.sqrt(np.maximum(found @ idf**2, 1e-9))


def _softmax(values: Floats) -> Floats:
    raised = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def _log_loss(values: Floats, labels: Numbers) -> float:
    return float(-np.log(np.maximum(_softmax(values)[np.arange(len(labels)), labels], 1e-12)).mean())


def _threshold(wrong: Floats, most: float) -> float:
    """Return the smallest threshold that no more than so many wrong ones pass."""
    kept = np.sort(wrong)[::-1]
    allowed = int(most)
    return round(float(kept[allowed]) + 0.0005, 3) if len(kept) > allowed else 0.0


if __name__ == "__main__":
    main()
