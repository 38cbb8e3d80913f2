"""Fit the reader's weights to the requests of its authors: ``python -m lango_nb.evaluation.fitting_reader``.

    requests without the authors held out ─┬─ act, destination, language ── logistic regression
                                           ├─ where a step begins         ── logistic regression
                                           └─ roles of words              ── averaged perceptron

Needs the extra ``fit`` (scikit-learn). The same requests give the same bytes.
"""

from __future__ import annotations

import argparse
import random
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lango_nb.evaluation.readings import Marked, MarkedStep, marked_requests
from lango_nb.models.offline.acts import READING
from lango_nb.models.offline.features import (
    VALUES,
    VERSION,
    may_begin,
    norm,
    of_act,
    of_beginning,
    of_roles,
    of_words,
    see,
)
from lango_nb.models.offline.reader import WEIGHTS, begins_at, roles_of
from lango_nb.models.offline.weights import Linear, Tagger, pack
from lango_nb.models.offline.words import Word

HELD_OUT = 3
"""Every so many authors, one is held out."""
MOST_FEATURES = 24_000
"""Features of acts that are kept: those with the largest weights."""
LEAST_REQUESTS = 2
STRENGTH = 30.0
"""Inverse of the regularization."""
EPOCHS = 6
_QUANTILE, _ZERO = 127, 128
_LEAST_WEIGHT = 0.02


class _Sample(NamedTuple):
    step: MarkedStep
    language: str
    before: str | None


def is_held_out(author: str, authors: Sequence[str]) -> bool:
    """Tell whether the requests of an author are only measured on: every third one."""
    return sorted(authors).index(author) % HELD_OUT == HELD_OUT - 1


def fit(turns: Iterable[Marked], held_out: Sequence[str] = ()) -> bytes:
    """Fit weights.

    Parameters
    ----------
    turns : iterable of Marked
    held_out : sequence of str
        Authors that are not among them, for the card.

    Returns
    -------
    bytes
        As :class:`~lango_nb.models.offline.reader.Reader` takes them.
    """
    turns = list(turns)
    samples = [
        _Sample(step, turn.language, turn.steps[place - 1].act if place else turn.before)
        for turn in turns
        for place, step in enumerate(turn.steps)
    ]
    listed = [of_act(see(one.step.text), one.before) for one in samples]
    heads = {
        "act": [one.step.act for one in samples],
        "destination": [one.step.destination for one in samples],
        "language": [one.language for one in samples],
    }
    parts = {**_linear(listed, heads, MOST_FEATURES), "begins": _begins(turns).pack(), "roles": _tagger(samples).pack()}
    return pack({"version": VERSION, "turns": len(turns), "held_out": sorted(held_out)}, parts)


def _linear(
    listed: Sequence[Sequence[str]], heads: Mapping[str, Sequence[str]], most: int
) -> dict[str, tuple[dict[str, Any], bytes]]:
    """Fit one model for each head over the same features."""
    counts = Counter(name for names in listed for name in set(names))
    names = sorted(name for name, count in counts.items() if count >= LEAST_REQUESTS)
    matrix = _matrix(listed, names)
    found = {}
    for head, labels in heads.items():
        weights, bias, classes = _regression(matrix, labels)
        found[head] = _packed(names, weights, bias, classes, most).pack()
    return found


def _matrix(listed: Sequence[Sequence[str]], names: Sequence[str]) -> Any:
    from scipy import sparse

    places = {name: place for place, name in enumerate(names)}
    values, columns, ends = [], [], [0]
    for features in listed:
        counted = Counter(features)
        length = norm(counted)
        for name, count in counted.items():
            if name in places:
                columns.append(places[name])
                values.append(count * VALUES[name.partition(":")[0]] / length)
        ends.append(len(columns))
    return sparse.csr_matrix((values, columns, ends), shape=(len(listed), len(names)), dtype=np.float32)


def _regression(matrix: Any, labels: Sequence[str]) -> tuple[Any, Any, list[str]]:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=STRENGTH, max_iter=150, tol=1e-3).fit(matrix, labels)
    weights, bias = model.coef_.T, model.intercept_
    if weights.shape[1] == 1:
        weights, bias = np.hstack([-weights / 2, weights / 2]), np.array([-bias[0] / 2, bias[0] / 2])
    return weights - weights.mean(axis=1, keepdims=True), bias - bias.mean(), [str(one) for one in model.classes_]


def _packed(names: Sequence[str], weights: Any, bias: Any, classes: Sequence[str], most: int) -> Linear:
    """Round the strongest features to a byte for each class; what a feature counts is in its weight."""
    counts = np.array([VALUES[name.partition(":")[0]] for name in names])[:, None]
    weights = weights * counts
    kept = np.sort(np.argsort(-np.abs(weights).max(axis=1), kind="stable")[:most])
    scales = np.maximum(np.quantile(np.abs(weights[kept]), 0.9999, axis=0), 1e-9) / _QUANTILE
    rows = (np.clip(np.round(weights[kept] / scales), -_QUANTILE, _QUANTILE) + _ZERO).astype(np.uint8)
    hashed = sorted({zlib.crc32(names[place].encode()): number for number, place in enumerate(kept)}.items())
    body = b"".join(rows[number].tobytes() for _, number in hashed)
    return Linear(classes, np.round(bias, 4).tolist(), scales.tolist(), [key for key, _ in hashed], body)


def _begins(turns: Sequence[Marked]) -> Linear:
    listed, labels = [], []
    for turn in turns:
        seen = see(turn.text)
        wanted = {begins_at(seen.words, at) for at in turn.begins}
        for place in range(1, len(seen.words)):
            if place in wanted or may_begin(seen, place):
                listed.append([f"x:{name}" for name in of_beginning(seen, place)])
                labels.append(str(place in wanted))
    counts = Counter(name for names in listed for name in set(names))
    names = sorted(name for name, count in counts.items() if count >= LEAST_REQUESTS)
    weights, bias, classes = _regression(_matrix(listed, names), labels)
    return _packed(names, weights, bias, classes, len(names))


# -- roles -------------------------------------------------------------------------------------------------------------


def labels_of(found: Sequence[Word], step: MarkedStep) -> list[str]:
    """Return the label of every word of a step."""
    labels = ["O"] * len(found)
    for role, start, end, _ in step.spans:
        inside = [place for place, word in enumerate(found) if word.start < end and word.end > start]
        for number, place in enumerate(inside):
            labels[place] = f"{'I' if number else 'B'}-{role}"
    return labels


class _Perceptron:
    """An averaged perceptron over sequences; its weights are those of :class:`Tagger` in the end."""

    def __init__(self) -> None:
        self.weights: dict[str, dict[str, float]] = defaultdict(dict)
        self._sums: dict[tuple[str, str], float] = defaultdict(float)
        self._seen: dict[tuple[str, str], int] = defaultdict(int)
        self._time = 0

    def learn(self, rows: Sequence[Sequence[str]], roles: Sequence[str], wanted: Sequence[str]) -> bool:
        self._time += 1
        guess = self._best(rows, roles)
        if guess == list(wanted):
            return True
        for row, wrong, right in zip(rows, guess, wanted, strict=True):
            if wrong != right:
                for name in row:
                    self._change(name, right, 1.0)
                    self._change(name, wrong, -1.0)
        moves = zip(pairwise(["", *guess]), pairwise(["", *wanted]), strict=True)
        for made, meant in moves:
            if made != meant:
                self._change(f"\t{meant[0]}", meant[1], 1.0)
                self._change(f"\t{made[0]}", made[1], -1.0)
        return False

    def _best(self, rows: Sequence[Sequence[str]], roles: Sequence[str]) -> list[str]:
        allowed = ["O", *(f"{edge}-{role}" for role in roles for edge in "BI")]
        weights, nothing = self.weights, dict[str, float]()
        best: dict[str, float] = {}
        back: list[dict[str, str]] = []
        for row in rows:
            scores = dict.fromkeys(allowed, 0.0)
            for name in row:
                for label, weight in weights.get(name, nothing).items():
                    if label in scores:
                        scores[label] += weight
            if not best:
                start = weights.get("\t", nothing)
                best = {one: -1e9 if one[0] == "I" else scores[one] + start.get(one, 0.0) for one in allowed}
                continue
            now, came = {}, {}
            for label in allowed:
                options = [
                    (best[last] + weights.get(f"\t{last}", nothing).get(label, 0.0), last)
                    for last in allowed
                    if label[0] != "I" or last[1:] == label[1:]
                ]
                total, came[label] = max(options)
                now[label] = total + scores[label]
            best = now
            back.append(came)
        path = [max(best, key=lambda one: best[one])]
        for came in reversed(back):
            path.append(came[path[-1]])
        return path[::-1]

    def _change(self, name: str, label: str, by: float) -> None:
        row, key = self.weights[name], (name, label)
        before = row.get(label, 0.0)
        self._sums[key] += (self._time - self._seen[key]) * before
        self._seen[key] = self._time
        row[label] = before + by

    def averaged(self) -> dict[str, dict[str, float]]:
        found: dict[str, dict[str, float]] = defaultdict(dict)
        for name, row in self.weights.items():
            for label, weight in row.items():
                key = (name, label)
                mean = (self._sums[key] + (self._time - self._seen[key]) * weight) / self._time
                if abs(mean) >= _LEAST_WEIGHT:
                    found[name][label] = mean
        return found


def _tagger(samples: Sequence[_Sample]) -> Tagger:
    learner = _Perceptron()
    data = []
    for one in samples:
        seen, roles = see(one.step.text), roles_of(one.step.act, one.step.destination)
        wanted = [label if label[2:] in roles else "O" for label in labels_of(seen.words, one.step)]
        if seen.words:
            pairs = zip(of_words(seen), of_roles(seen, one.step.act, one.step.destination), strict=True)
            data.append(([[*always, *row] for always, row in pairs], roles, wanted))
    order = random.Random(0)  # noqa: S311 - the same order each time
    for epoch in range(EPOCHS):
        order.shuffle(data)
        right = sum(learner.learn(*one) for one in data)
        print(f"roles, epoch {epoch + 1}: {right / len(data):.1%} of {len(data)} steps right", file=sys.stderr)  # noqa: T201 - says how far it is
    weights = learner.averaged()
    labels = sorted({label for row in weights.values() for label in row} | {"O"})
    moves = {
        (name[1:], label): round(weight, 3)
        for name, row in weights.items()
        if name[:1] == "\t"
        for label, weight in row.items()
    }
    rows = {name: row for name, row in weights.items() if name[:1] != "\t"}
    most = float(np.quantile([abs(weight) for row in rows.values() for weight in row.values()], 0.999))
    scale = most / _QUANTILE
    hashed = sorted({zlib.crc32(name.encode()): row for name, row in rows.items()}.items())
    body, offsets = bytearray(), [0]
    for _, row in hashed:
        for label, weight in sorted(row.items()):
            steps = max(-_QUANTILE, min(_QUANTILE, round(weight / scale)))
            if steps:
                body += bytes((labels.index(label), steps + _ZERO))
        offsets.append(len(body) // 2)
    return Tagger(labels, moves, [key for key, _ in hashed], offsets, bytes(body), scale)


def main() -> None:
    """Fit the weights that come with the package."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=READING / WEIGHTS, help="where to write them (%(default)s)")
    args = parser.parse_args()
    turns = marked_requests()
    authors = sorted({turn.author for turn in turns})
    held_out = [author for author in authors if is_held_out(author, authors)]
    data = fit([turn for turn in turns if turn.author not in held_out], held_out)
    args.out.write_bytes(data)
    print(f"{args.out}: {len(data):,} bytes", file=sys.stderr)  # noqa: T201 - a command


if __name__ == "__main__":
    main()
